/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of bytes and time. With revisits the visits have half of each. What is
 * used up is reckoned anew each time: a limit may be lifted while the crawl runs.
 */
#include "crawl_int.h"

sharc_time sharc__crawl_ran(const struct site *s)
{
    return s->ran_before + (s->run_began == SHARC_TIME_NONE ? 0 : crawl_now(s->crawl) - s->run_began);
}

static uint64_t share(const struct site *s)
{
    return s->ops->revisits ? 2 : 1;
}

void sharc__crawl_measure(struct site *s)
{
    const struct sharc_crawl_pace *p = &s->crawl->o.pace;
    sharc_time ran = p->time ? sharc__crawl_ran(s) : 0;
    bool bytes = p->bytes && s->count.bytes >= p->bytes / share(s);
    bool time = p->time && ran >= p->time / (sharc_time)share(s);
    s->limit_visits = bytes || time;
    s->limit_all = (p->bytes && s->count.bytes >= p->bytes) || (p->time && ran >= p->time);
    if (s->limit_visits) s->limit_reason = time ? SHARC_SKIP_LIMIT_TIME : SHARC_SKIP_LIMIT_BYTES;
}

sharc_time sharc__crawl_or_time_up(const struct site *s, sharc_time when)
{
    sharc_time now = crawl_now(s->crawl), limit = s->crawl->o.pace.time;
    if (!limit) return when;
    const sharc_time ends[] = {limit / (sharc_time)share(s), limit};
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++) {
        sharc_time at = now + ends[i] - sharc__crawl_ran(s);
        if (at > now && at < when) return at;
    }
    return when;
}

bool sharc__crawl_too_late(struct site *s, const struct task *t)
{
    sharc__crawl_measure(s);
    if (t->kind == TASK_VISIT || t->kind == TASK_EMBED) return s->limit_visits;
    if (t->kind < TASK_VISIT) return s->limit_visits && !s->started; /* what it brings would not be visited */
    return s->limit_all;
}
