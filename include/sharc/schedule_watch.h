/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: watching many pages under a budget of M downloads per
 * period. The shape differs from a capture: there is no end, time passes between
 * calls and is an argument, and what each download shows decides the later ones.
 *
 *   sharc_watch_new(sharc_watch_find("importance-pattern"), NULL, &w, &err);
 *   sharc_watch_add(w, page, site, rate, weight, now);
 *   every period, at time now:
 *       n = sharc_watch_period(w, now, M, pages);
 *       for each of pages[0..n), in that order: download, compare, then
 *           sharc_watch_observed(w, &observation);
 *
 * Deterministic: ties go to the page added first.
 */
#ifndef SHARC_SCHEDULE_WATCH_H
#define SHARC_SCHEDULE_WATCH_H

#include "sharc/rate_pattern.h"
#include "sharc/schedule.h"

SHARC_PRIVATE_BEGIN

struct sharc_watch_params {
    sharc_time period;      /* length of a period, > 0 */
    sharc_time half_life;   /* of what a pattern remembers; 0: never forgets */
    sharc_time east_of_utc; /* time zone of the patterns */
    double risk;            /* eta of `coherence`, as for measurable */
    /* No page again before the shortest interval. One not downloaded for the longest comes before all others, as far
     * as a quarter of the downloads goes; 0: none. Walking strategies know neither. */
    sharc_time shortest, longest;
    /* Controllers: first, least and most wait. 0: the tool's own defaults
     * (heritrix-adaptive 1 d, 1 h, 4 weeks; storm-adaptive 1 d, 1 h, 14 d). */
    sharc_time first_wait, least_wait, most_wait;
};
#define SHARC_WATCH_PARAMS                                              \
    {                                                                   \
        .period = SHARC_HOUR, .half_life = 56 * SHARC_DAY, .risk = 0.25 \
    }

struct sharc_watch;
struct sharc_watch_ops; /* opaque: a row of the table */

/* value index-freshness index-importance index-coherence index-blur index-evidence
 * relevance frequency coherence sharc importance pattern importance-pattern
 * heritrix-adaptive storm-adaptive. The first is the default; the first six go by what a download is worth
 * (schedule_index.h), give each site the same weight and learn rates themselves. */
const struct sharc_watch_ops *sharc_watch_find(const char *name); /* NULL: no such name */
size_t sharc_watch_count(void);
const struct sharc_watch_ops *sharc_watch_at(size_t i);
const char *sharc_watch_name(const struct sharc_watch_ops *ops);

/* params may be NULL; SHARC_EINVAL when out of range. */
int sharc_watch_new(const struct sharc_watch_ops *ops, const struct sharc_watch_params *params,
                    struct sharc_watch **ret, struct sharc_err *reterr);
void sharc_watch_free(struct sharc_watch *w);
void sharc_watch_freep(struct sharc_watch **w);

/* Watch a page from now on. Pages are numbered densely, sites too. rate is
 * changes per period. A page counts as never captured: its age is counted from
 * `since`. A known page gets the new rate and weight, nothing else changes. */
void sharc_watch_add(struct sharc_watch *w, sharc_page_no page, uint32_t site, double rate, double weight,
                     sharc_time since);
/* Stop watching it. Unknown pages are ignored. */
void sharc_watch_drop(struct sharc_watch *w, sharc_page_no page);
/* Replace what is known about the page's habits; copied. `changes` counts every
 * change as 1 and is what `pattern` goes by, `importance` weighs them and is what
 * `importance` and `importance-pattern` go by; either may be NULL, and strategies
 * that need neither ignore both. Without it a page is thought to change at its
 * rate, at any hour, with importance 1 each. last_change: when the page
 * was last seen to have changed, or SHARC_TIME_NONE. These strategies need some
 * 1,200 bytes per page. */
void sharc_watch_teach(struct sharc_watch *w, sharc_page_no page, const struct sharc_rate_pattern *changes,
                       const struct sharc_rate_pattern *importance, sharc_time last_change);

/* The pages to download in the period that begins at now, most urgent first, at
 * most `budget`, into ret_pages (room for budget). Returns their number: less
 * than budget when fewer pages are watched or due. `now` must not run
 * backwards. Every page at most once per period. O(n) in the pages watched, and
 * O(m log m) in those returned. */
size_t sharc_watch_period(struct sharc_watch *w, sharc_time now, size_t budget, sharc_page_no *ret_pages);

/* What a download showed: o->change against the page's last capture, o->importance
 * of that change, o->when. Updates the pattern (it is unknown when within the time
 * since the last capture the page changed: the change is spread over it) and the
 * wait; a page observed as SHARC_MISSING is dropped, a failed download leaves
 * everything but the wait as it was. o->rate >= 0 replaces the rate (per
 * period). */
void sharc_watch_observed(struct sharc_watch *w, const struct sharc_observation *o);

/* Urgency of a page at a time by this strategy, for reports; larger is sooner.
 * 0 for unknown pages and for strategies that walk in a fixed order. */
double sharc_watch_urgency(const struct sharc_watch *w, sharc_page_no page, sharc_time now);

SHARC_PRIVATE_END
#endif
