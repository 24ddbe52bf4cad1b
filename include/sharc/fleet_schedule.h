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
 * What was missed is not made up for: the next time is always in the future.
 */
#ifndef SHARC_FLEET_SCHEDULE_H
#define SHARC_FLEET_SCHEDULE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

/* The first time after `now`, counted from `due`, when it was due before. SHARC_ESYNTAX: it is no schedule, or never
 * comes true. */
int sharc_fleet_next(struct sharc_span schedule, sharc_time due, sharc_time now, sharc_time *ret,
                     struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
