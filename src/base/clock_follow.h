/* SPDX-License-Identifier: Apache-2.0
 *
 * Time that counts evenly and stays near the wall clock. The even clock of a machine and its wall clock drift apart:
 * by a second in a week, on some virtual machines by a second in three minutes. So the wall clock is read again now and
 * then, and what it has crept away is put right by running a little faster or slower.
 *
 * INVARIANTS, for readings of the even clock that never fall:
 *  (1) time never runs backwards and never jumps;
 *  (2) between any two readings it advances by what the even clock did, to CLOCK_SLEW parts in a thousand;
 *  (3) a step of the wall clock, CLOCK_STEP or more between two looks at it, is not followed: somebody has set it, and
 *      the interval between two downloads does not become longer or shorter by that. It is told in `set`.
 */
#ifndef SHARC_BASE_CLOCK_FOLLOW_H
#define SHARC_BASE_CLOCK_FOLLOW_H

#include "sharc/base_clock.h"

#define CLOCK_STEP SHARC_SEC
#define CLOCK_SLEW 10 /* parts in a thousand */

struct clock_follow {
    sharc_time even;         /* at this reading of the even clock … */
    sharc_time at;           /* … it was */
    sharc_time amount, over; /* to be put right: so much, evenly during so long */
    sharc_time set;          /* the wall clock minus ours, as far as that is not followed */
};

void sharc__clock_follow_init(struct clock_follow *f, sharc_time even, sharc_time wall);
sharc_time sharc__clock_follow_now(const struct clock_follow *f, sharc_time even);
/* What the wall clock says at that reading of the even clock. */
void sharc__clock_follow_wall(struct clock_follow *f, sharc_time even, sharc_time wall);

#endif
