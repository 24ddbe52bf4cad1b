/* SPDX-License-Identifier: Apache-2.0 */
#include "clock_follow.h"

#define USUALLY (10 * SHARC_SEC) /* what little there is to be put right is spread over this long */

void sharc__clock_follow_init(struct clock_follow *f, sharc_time even, sharc_time wall)
{
    *f = (struct clock_follow){.even = even, .at = wall};
}

sharc_time sharc__clock_follow_now(const struct clock_follow *f, sharc_time even)
{
    const sharc_time passed = even - f->even;
    if (passed <= 0) return f->at;
    if (f->amount == 0) return f->at + passed;
    if (passed >= f->over) return f->at + passed + f->amount;
    return f->at + passed + f->amount * passed / f->over; /* at most a second times 100 s: no overflow */
}

static sharc_time size_of(sharc_time t)
{
    return t < 0 ? -t : t;
}

void sharc__clock_follow_wall(struct clock_follow *f, sharc_time even, sharc_time wall)
{
    if (even < f->even) return;
    const sharc_time now = sharc__clock_follow_now(f, even), away = wall - now - f->set;
    if (size_of(away) >= CLOCK_STEP) f->set += away;
    if (size_of(wall - now) < CLOCK_STEP / 2) f->set = 0; /* it was set right again */
    f->at = now;
    f->even = even;
    f->amount = wall - now - f->set;
    f->over = size_of(f->amount) * (1000 / CLOCK_SLEW);
    if (f->over < USUALLY) f->over = USUALLY;
}
