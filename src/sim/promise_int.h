/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room sim: what came in windows of the past, as a distribution of what will.
 */
#ifndef SHARC_SIM_PROMISE_INT_H
#define SHARC_SIM_PROMISE_INT_H

#include "sharc/sim_promise.h"

/* What a window had, for as many pages as the site has now; NAN: it was not crawled. The
 * newest first. */
struct sharc__sim_seen {
    double lost, blur, requests;
};

/* How far losses lay from what rates expected, where no past could tell: log scale. */
struct sharc__sim_prior {
    double centre, spread;
};
extern const struct sharc__sim_prior sharc__sim_prior_lost, sharc__sim_prior_blur;

/* A count whose values in n windows are known, newest first (NAN: unknown), and that is
 * expected to be `expected` by the rates. `apart`: how many windows would fit into the past
 * without overlap. `most`: the count cannot be more. *ret_others: the prior had a say. */
struct sharc_sim_promise sharc__sim_promise_of(const double *seen, size_t n, double apart, double expected, double most,
                                               const struct sharc__sim_prior *prior, bool *ret_others);

/* All of it times a factor, at most `most`. */
struct sharc_sim_promise sharc__sim_promise_times(const struct sharc_sim_promise *p, double factor, double most);

/* replay.c: windows of the past of a capture that begins at `at` and takes `span`, newest
 * first; their number. */
size_t sharc__sim_past_windows(const struct sharc_dataset *d, double at, double span,
                               double ret_start[SHARC_SIM_PROMISE_WINDOWS]);
/* ret[strategy * SHARC_SIM_PROMISE_WINDOWS + window], of `windows` that begin at `start`; one strategy more than n. To
 * be freed. */
int sharc__sim_replay(const struct sharc_sim_site *now, const struct sharc_sim_result *results, size_t n,
                      const struct sharc_sim_options *options, const double *start, size_t windows, double span,
                      struct sharc__sim_seen **ret, struct sharc_err *reterr);

#endif
