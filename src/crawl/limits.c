/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of bytes and time. With revisits the visits have half of each. What is
 * used up is reckoned anew each time: a limit may be lifted while the crawl runs.
 */
#include "agenda.h"

void sharc__crawl_limits_begin(struct agenda *a)
{
    a->limits.run_began = crawl_now(a->ctx);
}

void sharc__crawl_limits_ran_before(struct agenda *a, sharc_time ran)
{
    a->limits.ran_before = ran;
}

sharc_time sharc__crawl_limits_ran(const struct agenda *a)
{
    const struct limits *l = &a->limits;
    return l->ran_before + (l->run_began == SHARC_TIME_NONE ? 0 : crawl_now(a->ctx) - l->run_began);
}

static uint64_t share(const struct agenda *a)
{
    return a->plan.ops->revisits ? 2 : 1;
}

void sharc__crawl_limits_measure(struct agenda *a)
{
    const struct sharc_crawl_pace *p = &a->pace;
    sharc_time ran = p->time ? sharc__crawl_limits_ran(a) : 0;
    bool bytes = p->bytes && a->count->bytes >= p->bytes / share(a);
    bool time = p->time && ran >= p->time / (sharc_time)share(a);
    a->limits.visits = bytes || time;
    a->limits.all = (p->bytes && a->count->bytes >= p->bytes) || (p->time && ran >= p->time);
    if (a->limits.visits) a->limits.reason = time ? SHARC_SKIP_LIMIT_TIME : SHARC_SKIP_LIMIT_BYTES;
}

sharc_time sharc__crawl_limits_or_time_up(const struct agenda *a, sharc_time when)
{
    sharc_time now = crawl_now(a->ctx), limit = a->pace.time;
    if (!limit) return when;
    const sharc_time ends[] = {limit / (sharc_time)share(a), limit};
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++) {
        sharc_time at = now + ends[i] - sharc__crawl_limits_ran(a);
        if (at > now && at < when) return at;
    }
    return when;
}

bool sharc__crawl_limits_too_late(struct agenda *a, const struct task *t)
{
    sharc__crawl_limits_measure(a);
    if (task_is_visit(t)) return a->limits.visits;
    if (task_is_preparation(t)) return a->limits.visits && !a->plan.started; /* what it brings would not be visited */
    return a->limits.all;
}
