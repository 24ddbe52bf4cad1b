/* SPDX-License-Identifier: Apache-2.0
 *
 * What patterns and their groups share.
 */
#ifndef SHARC_RATE_PATTERN_INT_H
#define SHARC_RATE_PATTERN_INT_H

#include "sharc/rate_pattern.h"

#define RATE_WEEK_HOURS 168

/* How many hours of a week are of this kind. */
static inline double rate_hours_a_week(unsigned hour)
{
    return hour < 24 ? 5 : 1;
}

#endif
