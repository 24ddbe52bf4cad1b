/* SPDX-License-Identifier: Apache-2.0
 *
 * What a capture will cost, as an interval. Rates per page cannot say it: pages change
 * in bursts and together, and the sum of independent chances is right on average at
 * best. So the capture is made again in virtual time on the last windows of the past,
 * each with what was known when it began, and what came then is what is promised:
 * a median, and the interval that should hold in four cases of five.
 *
 * Where the past is short or unknown, what the rates expect takes its place, with the
 * error that such expectations had on other sites (docs/strategies.md).
 */
#ifndef SHARC_SIM_PROMISE_H
#define SHARC_SIM_PROMISE_H

#include "sharc/sim.h"

SHARC_PRIVATE_BEGIN

#define SHARC_SIM_PROMISE_LEVEL 0.8
#define SHARC_SIM_PROMISE_WINDOWS 24 /* of the past, at most */

/* NAN each when nothing is promised. */
struct sharc_sim_promise {
    double median, low, high;
};

struct sharc_sim_outlook {
    struct sharc_sim_promise lost; /* pages; as `incoherence` counts them */
    struct sharc_sim_promise blur; /* changes per page */
    double requests;               /* what such a capture took in the past, for as many pages; NAN: no past */
};

struct sharc_sim_promises {
    struct sharc_sim_outlook *of; /* one for each strategy */
    unsigned windows;             /* of the past; 0: by the rates alone */
    double first;                 /* where the earliest begins, seconds since 1970 */
    bool others;                  /* what was learned on other sites counts */
};

/* Promises for captures of the site that begin at its `from`, by strategies whose results
 * are given: a recorded window, or a forecast (sim_plan.h). Synthetic sites have no past,
 * and their pages change as their rates say: SHARC_EINVAL. Crawls
 * SHARC_SIM_PROMISE_WINDOWS windows, on all threads of `options`. */
int sharc_sim_promise_make(const struct sharc_sim_site *site, const struct sharc_sim_result *results, size_t n,
                           const struct sharc_sim_options *options, struct sharc_sim_promises *ret,
                           struct sharc_err *reterr);
void sharc_sim_promises_done(struct sharc_sim_promises *p);

SHARC_PRIVATE_END
#endif
