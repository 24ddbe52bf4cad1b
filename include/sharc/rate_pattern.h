/* SPDX-License-Identifier: Apache-2.0
 *
 * When in the week a page changes: 24 hours of a working day, of a Saturday and
 * of a Sunday, and in each the importance of the changes seen, per hour of
 * watching. A page without a past borrows the pattern of the pages it is like.
 */
#ifndef SHARC_RATE_PATTERN_H
#define SHARC_RATE_PATTERN_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

enum sharc_rate_day {
    SHARC_WORKDAY,
    SHARC_SATURDAY,
    SHARC_SUNDAY,
};
#define SHARC_RATE_HOURS 72 /* day · 24 + hour */

/* Plain storage; all zero is a page never watched. */
struct sharc_rate_pattern {
    double importance[SHARC_RATE_HOURS]; /* of the changes seen in that hour, faded */
    double hours[SHARC_RATE_HOURS];      /* hours watched, faded */
    sharc_time at;                       /* both are as of this instant; 0 at first */
};

/* The hour of the week of an instant; east_of_utc is the site's time zone. */
unsigned sharc_rate_hour(sharc_time t, sharc_time east_of_utc);

/* Between `from` and `to` changes of this total importance happened (0: none),
 * the exact time is unknown: both are spread evenly over the span. What was
 * known before fades to half in half_life (<= 0: never). from < to, and to not
 * before the last call's; otherwise ignored. O(1): whole weeks are not walked. */
void sharc_rate_pattern_add(struct sharc_rate_pattern *p, sharc_time from, sharc_time to, double importance,
                            sharc_time half_life, sharc_time east_of_utc);
/* Hours of each kind between two instants, from < to. */
void sharc_rate_hours(sharc_time from, sharc_time to, sharc_time east_of_utc, double ret[SHARC_RATE_HOURS]);
/* Mean importance per hour in that hour of the week (0 … 71): ω_k. An hour
 * never watched has the mean of the whole pattern. */
double sharc_rate_pattern_at(const struct sharc_rate_pattern *p, unsigned hour);
/* ω for all 72, scaled to sum 1 (all equal when there was no change). */
void sharc_rate_pattern_shape(const struct sharc_rate_pattern *p, double ret[SHARC_RATE_HOURS]);
/* Mean importance per hour over the week (5 : 1 : 1). */
double sharc_rate_pattern_level(const struct sharc_rate_pattern *p);

SHARC_PRIVATE_END
#endif
