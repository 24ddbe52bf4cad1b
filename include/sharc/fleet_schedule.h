/* SPDX-License-Identifier: Apache-2.0
 *
 * When a job is due again. Everything is UTC; no clock is read.
 *
 *   every 36h          that long after it was due the last time
 *   daily, weekly      every 1d, every 7d
 *   monthly            on the same day of the month at the same time; the last day of shorter months
 *   cron 30 3 * * 1    minute, hour, day of the month, month, day of the week (0 and 7: Sunday): as cron(8), with
 *                      lists, ranges and steps (1-5, 1,15, 0/10 and a star); where both days are restricted, either
 * counts
 *
 *   changed 10%        when a tenth of the pages of its last capture are expected to have changed since, by the rates
 *                      that captures keep; a day after it at the earliest and 90 days at the latest, or within bounds
 *                      of one's own: changed 10% 6h..30d
 *
 * What was missed is not made up for: the next time is always in the future.
 */
#ifndef SHARC_FLEET_SCHEDULE_H
#define SHARC_FLEET_SCHEDULE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

/* SHARC_ESYNTAX: it is no schedule, or never comes true. */
int sharc_fleet_schedule_check(struct sharc_span schedule, struct sharc_err *reterr);

/* The first time after `now`, counted from `due`, when it was due before. SHARC_ESYNTAX: it is no schedule, or never
 * comes true. For one that goes by changes it is the latest time. */
int sharc_fleet_next(struct sharc_span schedule, sharc_time due, sharc_time now, sharc_time *ret,
                     struct sharc_err *reterr);

/* Schedules that go by changes. */
struct sharc_fleet_change {
    double share; /* of the pages */
    sharc_time least, most;
};
/* 1: it is one; 0: it is another one, or none; SHARC_ESYNTAX. */
int sharc_fleet_by_change(struct sharc_span schedule, struct sharc_fleet_change *ret, struct sharc_err *reterr);
/* How long after a capture so many of its pages are expected to have changed: the t at which the mean of
 * 1 - exp(-rate × t) over all pages reaches the share, within its bounds. rates are per second; those that are no
 * number, or below 0, are left out. Without any: a week. */
sharc_time sharc_fleet_changed_after(const struct sharc_fleet_change *c, const double *rates, size_t n);

SHARC_PRIVATE_END
#endif
