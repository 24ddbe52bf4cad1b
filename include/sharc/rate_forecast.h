/* SPDX-License-Identifier: Apache-2.0
 *
 * Who will change in the coming window? A site whose past is recorded answers
 * from its own experience: what was known at earlier instants, and what then
 * happened in windows of the same length, teaches boosted trees; what is known
 * now is what they are asked about. Known of a page are its age, its changes at
 * several half-lives (those made alone and those made in bulk apart), and how
 * the pages around it fare: same first folder, same folder, same name in another
 * first folder (another language, another host).
 *
 * Nothing after `now` is used: neither changes nor deletions.
 */
#ifndef SHARC_RATE_FORECAST_H
#define SHARC_RATE_FORECAST_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* What is recorded of one page; times in seconds on any clock. A history is exact
 * (looks NULL), or comes from looks: then a change has the time of the look that
 * saw it, which is when it was known, and not the time when it was made. */
struct sharc_rate_record {
    struct sharc_span url;   /* absolute, or from the path's "/" on */
    double created, deleted; /* INFINITY: it exists */
    const double *changes;   /* ascending */
    size_t n;
    const double *looks; /* ascending; before the first the page is not known */
    size_t n_looks;
};

/* A stretch of time at whose ends pages were downloaded: between two captures. */
struct sharc_rate_span {
    double from, to;
};

struct sharc_rate_forecast_options {
    double start;  /* where the recording begins */
    double now;    /* what happened later is not used */
    double window; /* length of the time to come, > 0 */
    /* With looks: what may be learned from, oldest first; the last 24 are. A page
     * teaches where it was looked at before the span and in it. */
    const struct sharc_rate_span *spans;
    size_t n_spans;
};

/* How it was learned, for people. */
struct sharc_rate_forecast_report {
    unsigned windows; /* earlier windows that taught; 0: the past is too short */
    size_t examples, changed;
};

/* Expected changes per second in [now, now + window] of every page that exists
 * at `now`, 0 for the others: P(change)/window, with spans −ln(1 − P(change)) divided by
 * the mean time between the looks that taught; or P(change) times how often the page
 * itself changed, if that is more: the trees learn whether, not how often. Edits of the whole site
 * (more than 3 % of its pages at one instant) are not learned from. When the past is too
 * short to learn from (less than 20 days before the first window, fewer
 * than 500 examples, or no change in any) every page gets its own count, smoothed by that of all; then
 * ret_report->windows is 0. ret_report may be NULL. Deterministic.
 * About a second for 40,000 pages; 150 bytes a page and 60 an example (at most
 * 80,000 of them).
 * ret_own (may be NULL) is how many changes of its own each page has shown lately, with
 * a half-life of 40 days: what sharc_rate_pool asks for. */
void sharc_rate_forecast(const struct sharc_rate_record *pages, size_t n, const struct sharc_rate_forecast_options *o,
                         double *ret_rate, double *ret_own, struct sharc_rate_forecast_report *ret_report);

/* How often a page changed in the two years before `now`, held back a little by a month
 * without a change. For exact histories. */
double sharc_rate_counted(const struct sharc_rate_record *r, double now);

/* Opinions about one page put together; their weighted geometric mean puts pages into the
 * best order. 0 is no forecast. Not for a forecast without windows.
 * Of an exact history: the forecast and sharc_rate_counted. */
double sharc_rate_pool_counted(double forecast, double counted);
/* Of looks: the forecast and what sharc_rate_near_rate says. Neighbours know only the
 * page's age and how quiet it is around it, so from 10 changes of its own on (own, as
 * above) they count less and less, and the forecast more: at 50 their share is a
 * twenty-fifth of what it was. */
double sharc_rate_pool(double forecast, double near, double own);

/* Pages change in bursts, and an exact history counts every change of one. Whether a page stays
 * as it is depends on how often bursts begin: the rate to plan by. */
double sharc_rate_of_bursts(double rate);

SHARC_PRIVATE_END
#endif
