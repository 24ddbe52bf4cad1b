/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: which pages next. First what somebody wants, then what would otherwise be late, then what the
 * strategy likes best; each as far as intervals and hosts allow. A page of a host that has no download left is
 * passed over, and the best of the others is taken: inside the host pages compete at a price of their own.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

/* Requests that are owed even if that is more than a day's worth: robots.txt and a list for each rare download would
 * else come for nothing. */
#define DEBT_LEAST 8.0

/* --- urgency ----------------------------------------------------------------------- */

double sharc__schedule_watch_urgency(const struct sharc_watch *w, struct watched *p, sharc_time now)
{
    double age = watch_hours(now - p->last);
    switch (w->ops->kind) {
    case WATCH_FREQUENCY: return p->frequency * age;
    case WATCH_LEVEL: return p->is.weight * sharc_rate_pattern_level(p->pattern) * age;
    case WATCH_PATTERN:
        return p->is.weight * sharc_rate_pattern_at(p->pattern, sharc__schedule_watch_hour(w, p->is.site, now)) * age;
    case WATCH_WAIT: {
        /* Due since when; a page that is not due is not urgent at all. */
        sharc_time over = now - p->last - p->wait;
        return over >= 0 ? 1 + watch_hours(over) : 0;
    }
    case WATCH_INDEX:
    case WATCH_VALUE: return sharc__schedule_watch_habit_index(w, p, now);
    case WATCH_WALK_ALL:
    case WATCH_WALK_SITES: break;
    }
    return 0;
}

double sharc_watch_urgency(const struct sharc_watch *w, sharc_page_no page, sharc_time now)
{
    struct watched *p = watch_find(w, page);
    return p ? sharc__schedule_watch_urgency(w, p, now) : 0;
}

/* --- one choice ---------------------------------------------------------------------- */

static bool may_be_taken(const struct choosing *c, const struct watched *p)
{
    return p->on && !p->out && c->now >= p->retry && c->now >= watch_rested(c->w, p) &&
           sharc__schedule_watch_host_allows(c->w, p, c->now, c->period);
}

static void hand_out(struct choosing *c, sharc_page_no page, enum sharc_watch_why why, double worth)
{
    struct sharc_watch *w = c->w;
    struct watched *p = &w->pages[page];
    p->out = true;
    SHARC_GROW(w->out.p, w->out.room, w->out.n + 1);
    w->out.p[w->out.n++] = page;
    sharc__schedule_watch_late_take(w, page);
    sharc__schedule_watch_host_take(w, p, c->now);
    c->ret[c->n++] = (struct sharc_watch_due){page, why, worth};
}

static void choose_wanted(struct choosing *c)
{
    struct numbers *list = &c->w->wanted;
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        sharc_page_no page = list->p[i];
        struct watched *p = &c->w->pages[page];
        if (c->n < c->most && p->on && !p->out && sharc__schedule_watch_host_allows(c->w, p, c->now, c->period)) {
            p->wanted = false;
            hand_out(c, page, SHARC_WATCH_WANTED, 0);
        } else if (p->on && p->wanted) {
            list->p[kept++] = page;
        }
    }
    list->n = kept;
}

/* Earliest deadline first; those whose host must wait are put back. */
static void choose_late(struct choosing *c)
{
    struct sharc_watch *w = c->w;
    size_t must = sharc__schedule_watch_late_now(w, c->now, c->per_hour, c->most - c->n, c->period), blocked = 0,
           room = 0;
    SHARC_AUTO(sharc_freep) sharc_page_no *back = NULL;
    while (must > 0 && w->late.n > 0) {
        sharc_page_no page = w->late.heap[0];
        if (may_be_taken(c, &w->pages[page])) {
            hand_out(c, page, SHARC_WATCH_LATE, 0);
            must--;
            continue;
        }
        sharc__schedule_watch_late_take(w, page);
        SHARC_GROW(back, room, blocked + 1);
        back[blocked++] = page;
    }
    for (size_t i = 0; i < blocked; i++) sharc__schedule_watch_late_put(w, back[i]);
}

static void choose_in_turn(struct choosing *c)
{
    struct sharc_watch *w = c->w;
    for (size_t offered = 0; c->n < c->most && offered < w->count; offered++) {
        sharc_page_no page;
        if (!sharc__schedule_watch_walk(w, c->per_hour, &page)) break;
        if (may_be_taken(c, &w->pages[page])) hand_out(c, page, SHARC_WATCH_TURN, 0);
    }
}

/* --- the most urgent ---------------------------------------------------------------------- */

/* Ties go to the page that waits longest. */
static bool sooner(const struct urgent *x, const struct urgent *y)
{
    if (x->urgency < y->urgency || x->urgency > y->urgency) return x->urgency > y->urgency;
    if (x->last != y->last) return x->last < y->last;
    return x->page < y->page;
}

static void sink(struct urgent *list, size_t n, size_t i)
{
    const struct urgent it = list[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && sooner(&list[child + 1], &list[child])) child++;
        if (!sooner(&list[child], &it)) break;
        list[i] = list[child];
        i = child;
    }
    list[i] = it;
}

/* A page of no urgency may be downloaded when nothing else is to be done, unless the strategy would not have it. */
static bool takes_idle_pages(const struct sharc_watch *w)
{
    return w->ops->kind != WATCH_WAIT && w->ops->kind != WATCH_FREQUENCY;
}

static enum sharc_watch_why why(const struct sharc_watch *w, const struct watched *p)
{
    if (!p->is.held) return SHARC_WATCH_FIRST;
    if (p->signals && watch_has_habits(w)) return SHARC_WATCH_TOLD;
    return SHARC_WATCH_WORTH;
}

/* The best of a list, as far as hosts allow. */
static void take_best(struct choosing *c, struct urgent *list, size_t n)
{
    struct sharc_watch *w = c->w;
    for (size_t i = n / 2; i-- > 0;) sink(list, n, i);
    while (n > 0 && c->n < c->most) {
        const struct urgent best = list[0];
        struct watched *p = &w->pages[best.page];
        if (may_be_taken(c, p)) {
            hand_out(c, best.page, why(w, p), best.urgency);
            w->price = best.urgency;
        }
        list[0] = list[--n];
        if (n) sink(list, n, 0);
    }
}

/* Those that are worth most first, then, if they are not enough, those below. */
static void choose_by_value(struct choosing *c)
{
    SHARC_AUTO(sharc_freep) struct urgent *list = NULL;
    size_t room = 0;
    c->w->doze.lowered = 0;
    do {
        size_t n = sharc__schedule_watch_awake(c, &list, &room);
        take_best(c, list, n);
    } while (c->n < c->most && sharc__schedule_watch_lower(c->w));
}

static void choose_urgent(struct choosing *c)
{
    struct sharc_watch *w = c->w;
    SHARC_AUTO(sharc_freep) struct urgent *list = SHARC_NEW_ARRAY(struct urgent, w->count);
    const bool idle = takes_idle_pages(w);
    size_t n = 0;
    for (size_t i = 0; i < w->room; i++) {
        struct watched *p = &w->pages[i];
        if (!p->on || p->out || c->now < watch_rested(w, p)) continue;
        double u = sharc__schedule_watch_urgency(w, p, c->now);
        if (u > 0 || idle) list[n++] = (struct urgent){u, p->last, (sharc_page_no)i};
    }
    take_best(c, list, n);
}

static size_t choose(struct choosing *c)
{
    struct sharc_watch *w = c->w;
    sharc__schedule_watch_prepare(w, c->per_hour);
    if (w->count == 0 || c->most == 0) return 0;
    choose_wanted(c);
    choose_late(c);
    if (c->n == c->most) return c->n;
    if (watch_walks(w))
        choose_in_turn(c);
    else if (w->ops->kind == WATCH_VALUE)
        choose_by_value(c);
    else
        choose_urgent(c);
    return c->n;
}

/* --- what is due ------------------------------------------------------------------------------ */

static void back_in(struct sharc_watch *w, sharc_page_no page)
{
    struct watched *p = &w->pages[page];
    p->out = false;
    sharc__schedule_watch_late_put(w, page);
}

size_t sharc_watch_period(struct sharc_watch *w, sharc_time now, size_t budget, struct sharc_watch_due *ret)
{
    while (w->out.n) back_in(w, w->out.p[--w->out.n]);
    const double per_hour = w->per_hour > 0 ? w->per_hour : (double)budget;
    struct choosing c = {.w = w, .now = now, .period = true, .per_hour = per_hour, .most = budget, .ret = ret};
    return choose(&c);
}

static void save_up(struct sharc_watch *w, sharc_time now)
{
    if (now > w->saved_at) {
        w->saved = fmin(w->saved + w->per_hour * watch_hours(now - w->saved_at), fmax(w->per_hour, 1));
        w->saved_at = now;
    }
}

size_t sharc_watch_due(struct sharc_watch *w, sharc_time now, size_t most, struct sharc_watch_due *ret)
{
    if (w->per_hour >= 0) {
        save_up(w, now);
        if ((double)most > w->saved) most = w->saved >= 1 ? (size_t)w->saved : 0;
    }
    const double per_hour = w->per_hour >= 0 ? w->per_hour : (double)most;
    struct choosing c = {.w = w, .now = now, .per_hour = per_hour, .most = most, .ret = ret};
    size_t n = choose(&c);
    if (w->per_hour >= 0) w->saved -= (double)n;
    return n;
}

void sharc_watch_give_back(struct sharc_watch *w, sharc_page_no page)
{
    struct watched *p = watch_find(w, page);
    if (!p || !p->out) return;
    for (size_t i = 0; i < w->out.n; i++)
        if (w->out.p[i] == page) {
            w->out.p[i] = w->out.p[--w->out.n];
            break;
        }
    back_in(w, page);
    if (w->per_hour >= 0) w->saved += 1;
    if (p->is.host < w->host_room) w->hosts[p->is.host].saved += 1;
}

void sharc_watch_spend(struct sharc_watch *w, double requests)
{
    if (w->per_hour < 0) return;
    w->saved = fmax(w->saved - requests, -fmax(24 * w->per_hour, DEBT_LEAST));
}

void sharc_watch_want(struct sharc_watch *w, sharc_page_no page)
{
    struct watched *p = watch_find(w, page);
    if (!p || p->wanted) return;
    p->wanted = true;
    SHARC_GROW(w->wanted.p, w->wanted.room, w->wanted.n + 1);
    w->wanted.p[w->wanted.n++] = page;
}

/* --- when ------------------------------------------------------------------------------------------ */

static sharc_time later(sharc_time a, sharc_time b)
{
    return a > b ? a : b;
}

static sharc_time host_free(const struct sharc_watch *w, const struct watched *p, sharc_time now)
{
    if (p->is.host >= w->host_room) return now;
    const struct host *h = &w->hosts[p->is.host];
    sharc_time at = later(now, h->is.not_before);
    if (h->is.delay > 0) at = later(at, h->free_at);
    if (h->is.per_hour > 0 && h->saved < 1)
        at = later(at, h->at + (sharc_time)ceil((1 - h->saved) / h->is.per_hour * (double)SHARC_HOUR));
    return at;
}

/* When the page may be downloaded, hosts and budget aside. false: nobody asks for it. */
static bool page_ready(const struct sharc_watch *w, const struct watched *p, sharc_time now, sharc_time *ret)
{
    sharc_time longest = watch_longest(w, p), at = later(watch_rested(w, p), p->retry);
    if (w->ops->kind == WATCH_WAIT) at = later(at, p->last + p->wait);
    if (w->ops->kind == WATCH_FREQUENCY && !(p->frequency > 0) && longest <= 0 && !p->wanted) return false;
    if (longest > 0 && p->last + longest < at) at = p->last + longest;
    *ret = p->wanted ? now : at;
    return true;
}

sharc_time sharc_watch_next(struct sharc_watch *w, sharc_time now)
{
    sharc_time budget = now, best = SHARC_TIME_NONE;
    if (w->per_hour >= 0) {
        save_up(w, now);
        if (!(w->per_hour > 0) && w->saved < 1) return SHARC_TIME_NONE;
        if (w->saved < 1)
            budget = later(now, w->saved_at) + (sharc_time)ceil((1 - w->saved) / w->per_hour * (double)SHARC_HOUR);
    }
    sharc__schedule_watch_prepare(w, w->per_hour > 0 ? w->per_hour : 1);
    for (size_t i = 0; i < w->room; i++) {
        const struct watched *p = &w->pages[i];
        sharc_time at;
        if (!p->on || p->out || !page_ready(w, p, now, &at)) continue;
        at = later(later(at, budget), host_free(w, p, now));
        if (best == SHARC_TIME_NONE || at < best) best = at;
        if (best <= budget) break; /* none can be sooner */
    }
    return best;
}
