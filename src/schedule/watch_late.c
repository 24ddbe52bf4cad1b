/* SPDX-License-Identifier: Apache-2.0
 *
 * Longest intervals, and hosts' limits.
 *
 * A page that has a longest interval has a deadline: an interval after its last download. If downloads suffice at all
 * (the sum of 1/interval does not exceed them) every deadline can be kept by going through the pages in the order of
 * deadlines, and it is enough to begin when one must: as long as for every hour h to come the pages with deadlines
 * until h are no more than the downloads until h, nothing need be done for them. So strategies choose freely for as
 * long as possible, and not a page is late. How many must be taken now is the largest excess over all hours.
 *
 * If downloads do not suffice nothing can be promised; then late pages, oldest deadline first, get half of them.
 */
#include "watch_int.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

#define LATE_SHARE 0.5
#define NEAR_HOURS 2    /* deadlines that are looked at one by one … */
#define NEAR_MOST 20000 /* … unless there are more */

void sharc__schedule_watch_late_done(struct watch_late *l)
{
    free(l->heap);
    free(l->ring);
    *l = (struct watch_late){0};
}

/* --- deadlines by hour ------------------------------------------------------------------------ */

static uint32_t *slot(struct watch_late *l, int64_t hour)
{
    return &l->ring[(uint64_t)hour % WATCH_RING];
}

static void count_in(struct watch_late *l, struct watched *p)
{
    if (p->late_hour >= l->base + WATCH_RING) p->late_hour = l->base + WATCH_RING - 1; /* far away: looked at again */
    if (p->late_hour < l->base)
        l->over++;
    else
        (*slot(l, p->late_hour))++;
}

static void count_out(struct watch_late *l, const struct watched *p)
{
    if (p->late_hour < l->base)
        l->over--;
    else
        (*slot(l, p->late_hour))--;
}

/* Hours that have passed. */
static void move_on(struct watch_late *l, int64_t hour)
{
    for (int steps = 0; l->base < hour && steps < WATCH_RING; l->base++, steps++) {
        l->over += *slot(l, l->base);
        *slot(l, l->base) = 0;
    }
    if (l->base < hour) l->base = hour;
}

/* --- the earliest deadline ---------------------------------------------------------------------- */

static sharc_time deadline(const struct sharc_watch *w, sharc_page_no page)
{
    const struct watched *p = &w->pages[page];
    return p->last + watch_longest(w, p);
}

static bool before(const struct sharc_watch *w, sharc_page_no a, sharc_page_no b)
{
    sharc_time x = deadline(w, a), y = deadline(w, b);
    return x != y ? x < y : a < b;
}

static void place(struct sharc_watch *w, size_t i, sharc_page_no page)
{
    w->late.heap[i] = page;
    w->pages[page].late_at = (uint32_t)i;
}

static void sift(struct sharc_watch *w, size_t i, sharc_page_no page)
{
    struct watch_late *l = &w->late;
    while (i > 0 && before(w, page, l->heap[(i - 1) / 2])) {
        place(w, i, l->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= l->n) break;
        if (child + 1 < l->n && before(w, l->heap[child + 1], l->heap[child])) child++;
        if (!before(w, l->heap[child], page)) break;
        place(w, i, l->heap[child]);
        i = child;
    }
    place(w, i, page);
}

void sharc__schedule_watch_late_put(struct sharc_watch *w, sharc_page_no page)
{
    struct watch_late *l = &w->late;
    struct watched *p = &w->pages[page];
    const sharc_time longest = watch_longest(w, p);
    if (longest <= 0 || p->late_at != SHARC_WATCH_NONE) return;
    if (!l->ring) {
        l->ring = SHARC_NEW_ARRAY(uint32_t, WATCH_RING);
        l->base = sharc_floor_div(p->last, SHARC_HOUR);
    }
    p->late_hour = sharc_floor_div(deadline(w, page), SHARC_HOUR);
    count_in(l, p);
    l->asked += 1 / watch_hours(longest);
    SHARC_GROW(l->heap, l->room, l->n + 1);
    l->n++;
    sift(w, l->n - 1, page);
}

void sharc__schedule_watch_late_take(struct sharc_watch *w, sharc_page_no page)
{
    struct watch_late *l = &w->late;
    struct watched *p = &w->pages[page];
    if (p->late_at == SHARC_WATCH_NONE) return;
    size_t i = p->late_at;
    sharc_page_no last = l->heap[--l->n];
    count_out(l, p);
    l->asked = l->n ? fmax(l->asked - 1 / watch_hours(watch_longest(w, p)), 0) : 0;
    p->late_at = SHARC_WATCH_NONE;
    if (last != page) sift(w, i, last);
}

/* A deadline in hour h leaves the downloads of the hours before it. `from`: only what hours from this one on ask
 * for; what is due before is counted. */
static double excess(const struct watch_late *l, double per_hour, int64_t from)
{
    double due = l->over;
    double most = from > 0 ? 0 : due;
    size_t left = l->n - l->over;
    for (int64_t h = 0; left > 0 && h < WATCH_RING; h++) {
        uint32_t here = l->ring[(uint64_t)(l->base + h) % WATCH_RING];
        if (here == 0) continue;
        left -= here;
        due += here;
        if (h < from) continue;
        most = fmax(most, due - floor(per_hour * (double)(h > 1 ? h - 1 : 0)));
    }
    return most;
}

/* Deadlines before an instant: a walk down the heap that turns back where it is later. */
struct near {
    const struct sharc_watch *w;
    sharc_time before;
    sharc_time *list;
    size_t n, room;
};

static void collect(struct near *c, size_t i)
{
    const struct watch_late *l = &c->w->late;
    if (i >= l->n || c->n >= NEAR_MOST) return;
    const sharc_time d = deadline(c->w, l->heap[i]);
    if (d >= c->before) return;
    SHARC_GROW(c->list, c->room, c->n + 1);
    c->list[c->n++] = d;
    collect(c, 2 * i + 1);
    collect(c, 2 * i + 2);
}

/* The same as excess for the deadlines of the next hours, to the instant: hours are too coarse for a page that is to
 * be looked at every hour. One download is held back, because it may be needed while the next one is earned. */
static double near_excess(const struct sharc_watch *w, sharc_time now, double per_hour)
{
    struct near c = {.w = w, .before = (sharc_floor_div(now, SHARC_HOUR) + NEAR_HOURS) * SHARC_HOUR};
    double most = 0;
    collect(&c, 0);
    if (c.n >= NEAR_MOST) {
        free(c.list);
        return excess(&w->late, per_hour, 0);
    }
    if (c.n) qsort(c.list, c.n, sizeof *c.list, sharc_order_i64);
    for (size_t i = 0; i < c.n; i++) {
        double until = floor(per_hour * watch_hours(c.list[i] - now)) - 1;
        most = fmax(most, (double)(i + 1) - fmax(until, 0));
    }
    free(c.list);
    return most;
}

size_t sharc__schedule_watch_late_now(struct sharc_watch *w, sharc_time now, double per_hour, size_t most, bool period)
{
    struct watch_late *l = &w->late;
    if (l->n == 0) return 0;
    move_on(l, sharc_floor_div(now, SHARC_HOUR));
    double must =
        period ? excess(l, per_hour, 0) : fmax(near_excess(w, now, per_hour), excess(l, per_hour, NEAR_HOURS));
    if (l->asked > per_hour) { /* more was promised than can be kept */
        double passed = l->when ? watch_hours(now - l->when) : 1;
        l->allowed = fmin(l->allowed + LATE_SHARE * per_hour * fmax(passed, 0), fmax(LATE_SHARE * per_hour, 1));
        must = fmin(must, floor(l->allowed));
        must = fmin(must, (double)most);
        l->allowed -= must;
    }
    l->when = now;
    return must >= (double)most ? most : must > 0 ? (size_t)must : 0;
}

/* --- hosts ----------------------------------------------------------------------------------------- */

/* Downloads in an hour that the host's limits allow. */
static double in_an_hour(const struct host *h)
{
    double most = h->is.delay > 0 ? (double)SHARC_HOUR / (double)h->is.delay : HUGE_VAL;
    return h->is.per_hour > 0 ? fmin(most, h->is.per_hour) : most;
}

/* What is allowed has grown with time, to an hour's worth at most. */
static void save_up(struct host *h, sharc_time now)
{
    if (h->at && now > h->at)
        h->saved = fmin(h->saved + in_an_hour(h) * watch_hours(now - h->at), fmax(in_an_hour(h), 1));
    if (now > h->at) h->at = now;
}

bool sharc__schedule_watch_host_allows(struct sharc_watch *w, const struct watched *p, sharc_time now, bool period)
{
    if (p->is.host >= w->host_room) return true;
    struct host *h = &w->hosts[p->is.host];
    if (now < h->is.not_before) return false;
    if (h->is.delay <= 0 && !(h->is.per_hour > 0)) return true;
    if (period || h->is.per_hour > 0) {
        save_up(h, now);
        if (h->saved < 1) return false;
    }
    return period || h->is.delay <= 0 || now >= h->free_at;
}

void sharc__schedule_watch_host_take(struct sharc_watch *w, const struct watched *p, sharc_time now)
{
    if (p->is.host >= w->host_room) return;
    struct host *h = &w->hosts[p->is.host];
    h->saved -= 1;
    h->free_at = now + h->is.delay;
}
