/* SPDX-License-Identifier: Apache-2.0 */
#include "times.h"

#include "sharc/base_order.h"

#include <stdlib.h>

#define SET_AT_LEAST SHARC_SEC         /* what time servers do step by step is no jump */
#define SERVERS_DIFFER (3 * SHARC_SEC) /* Date has whole seconds, and answers take their time */
enum { ENOUGH = 5 };

void sharc__crawl_times_done(struct times *t)
{
    free(t->jump);
    t->jump = NULL;
    t->jumps = t->room = 0;
}

/* --- the servers' clocks ----------------------------------------------------------------- */

void sharc__crawl_times_answer(struct times *t, const struct sharc_fetch_result *r)
{
    sharc_time date;
    if (r->status == 0 || sharc_http_get(&r->http, "Age").n) return; /* that of a cache is old */
    if (sharc_http_date_parse(sharc_http_get(&r->http, "Date"), &date) < 0) return;
    if (t->stride == 0) t->stride = 1;
    if (t->answers++ % t->stride != 0) return;
    if (t->offsets == OFFSETS_MOST) { /* every second one stays, over all of the run */
        for (uint32_t i = 0; i < OFFSETS_MOST / 2; i++) t->offset[i] = t->offset[2 * i];
        t->offsets = OFFSETS_MOST / 2;
        t->stride *= 2;
    }
    /* It lies in [Date - received, Date + 1 s - sent]. */
    t->offset[t->offsets++] = date - (r->start + r->end) / 2 + SHARC_SEC / 2;
}

uint64_t sharc__crawl_times_offset(const struct times *t, sharc_time *ret_median, sharc_time *ret_low,
                                   sharc_time *ret_high)
{
    sharc_time sorted[OFFSETS_MOST];
    *ret_median = *ret_low = *ret_high = SHARC_TIME_NONE;
    if (t->offsets == 0) return 0;
    memcpy(sorted, t->offset, t->offsets * sizeof *sorted);
    qsort(sorted, t->offsets, sizeof *sorted, sharc_order_i64);
    *ret_median = sorted[t->offsets / 2];
    *ret_low = sorted[t->offsets / 4];
    *ret_high = sorted[3 * (size_t)t->offsets / 4];
    return t->answers;
}

/* --- the clock was set -------------------------------------------------------------------- */

static sharc_time size_of(sharc_time by)
{
    return by < 0 ? -by : by;
}

static bool read_anchor(struct sharc_clock *clock, struct sharc_clock_anchor *ret)
{
    *ret = (struct sharc_clock_anchor){0};
    if (clock->anchor) clock->anchor(clock, ret);
    return ret->epoch != 0;
}

bool sharc__crawl_times_look(struct times *t, struct sharc_clock *clock, struct clock_jump *ret)
{
    struct sharc_clock_anchor now;
    if (!read_anchor(clock, &now)) return false;
    const bool first = t->anchor.epoch == 0;
    const sharc_time by = first ? now.set : now.set - t->anchor.set;
    if (!first && size_of(by) < SET_AT_LEAST) { /* what creeps adds up until it counts */
        t->anchor.ahead = now.ahead;            /* a run that goes on compares with the latest */
        return false;
    }
    t->anchor = now;
    *ret = (struct clock_jump){.when = clock->now(clock), .by = by};
    return size_of(by) >= SET_AT_LEAST;
}

bool sharc__crawl_times_resumed(struct times *t, struct sharc_clock *clock, const struct journal_state *before,
                                struct clock_jump *ret)
{
    struct sharc_clock_anchor now;
    const sharc_time when = clock->now(clock);
    const bool known = read_anchor(clock, &now) && (int64_t)now.epoch == before->epoch;
    *ret = (struct clock_jump){.when = when, .between = true};
    if (known)
        ret->by = now.ahead - before->ahead;
    else if (before->last != SHARC_TIME_NONE && when < before->last)
        ret->by = when - before->last;
    ret->more = !known && ret->by < 0;
    t->offset_before = before->offset;
    t->compare = !known && size_of(ret->by) < SET_AT_LEAST && before->offset != SHARC_TIME_NONE;
    return size_of(ret->by) >= SET_AT_LEAST;
}

bool sharc__crawl_times_compare(struct times *t, struct sharc_clock *clock, struct clock_jump *ret)
{
    sharc_time median, low, high;
    if (!t->compare || sharc__crawl_times_offset(t, &median, &low, &high) < ENOUGH) return false;
    t->compare = false;
    /* A clock that was ahead by more then has been put back. */
    *ret = (struct clock_jump){.when = clock->now(clock), .by = t->offset_before - median, .between = true};
    return size_of(ret->by) >= SERVERS_DIFFER;
}

void sharc__crawl_times_jump_again(struct times *t, const struct clock_jump *jump)
{
    SHARC_GROW(t->jump, t->room, t->jumps + 1);
    t->jump[t->jumps++] = *jump;
}

static void mark(struct pages *p, struct journal *j, uint32_t page, enum version_mark mark)
{
    struct version v = sharc__crawl_pages_version(p, page);
    v.marks |= (uint16_t)mark;
    sharc__crawl_pages_keep(p, page, &v);
    sharc__crawl_note_version(j, p, page);
}

/* Visited by a run before, and not revisited by it. */
static bool hangs_over(const struct version *v)
{
    return v && v->visit != SHARC_TIME_NONE && !v->revisited;
}

void sharc__crawl_times_doubt(struct pages *p, struct journal *j)
{
    for (uint32_t i = 0; i < pages_count(p); i++)
        if (hangs_over(page_version(p, i))) mark(p, j, i, VERSION_EARLIER_RUN);
}

void sharc__crawl_times_jumped(struct times *t, struct pages *p, struct journal *j, const struct clock_jump *jump)
{
    const bool late = t->anchor.epoch != 0 && jump->between; /* found when the run had begun to download */
    sharc__crawl_times_jump_again(t, jump);
    sharc__crawl_note_jump(j, jump);
    for (uint32_t i = 0; jump->between && i < pages_count(p); i++) {
        const struct version *v = page_version(p, i);
        if (late ? v && (v->marks & VERSION_EARLIER_RUN) : hangs_over(v)) mark(p, j, i, VERSION_CLOCK_SET);
    }
}
