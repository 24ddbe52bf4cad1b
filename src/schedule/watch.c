/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: the table of strategies, the pages, and urgencies.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

/* What an untaught pattern is worth, in hours of watching. */
#define PRIOR_HOURS 24.0

static const struct sharc_watch_ops table[] = {
    {.name = "relevance", .kind = WATCH_WALK_ALL},
    {.name = "frequency", .kind = WATCH_FREQUENCY},
    {.name = "coherence", .kind = WATCH_WALK_SITES, .capture = "measurable"},
    {.name = "sharc", .kind = WATCH_WALK_SITES, .capture = "sharc-offline"},
    {.name = "importance", .kind = WATCH_LEVEL},
    {.name = "pattern", .kind = WATCH_PATTERN, .counts = true},
    {.name = "importance-pattern", .kind = WATCH_PATTERN},
    /* Heritrix 1.x divides and multiplies the wait by 1.5. */
    {.name = "heritrix-adaptive",
     .kind = WATCH_WAIT,
     .first_wait = SHARC_DAY,
     .least_wait = SHARC_HOUR,
     .most_wait = 28 * SHARC_DAY,
     .of_wait = 1 / 1.5},
    /* StormCrawler goes halfway to the least wait, and multiplies by 1.5. */
    {.name = "storm-adaptive",
     .kind = WATCH_WAIT,
     .first_wait = SHARC_DAY,
     .least_wait = SHARC_HOUR,
     .most_wait = 14 * SHARC_DAY,
     .of_wait = 0.5,
     .of_least = 0.5},
};

const struct sharc_watch_ops *sharc_watch_find(const char *name)
{
    for (size_t i = 0; i < SHARC_LENGTH(table); i++) {
        if (strcmp(table[i].name, name) == 0) return &table[i];
    }
    return NULL;
}

size_t sharc_watch_count(void)
{
    return SHARC_LENGTH(table);
}

const struct sharc_watch_ops *sharc_watch_at(size_t i)
{
    return &table[i];
}

const char *sharc_watch_name(const struct sharc_watch_ops *ops)
{
    return ops->name;
}

/* --- life ------------------------------------------------------------------------- */

int sharc_watch_new(const struct sharc_watch_ops *ops, const struct sharc_watch_params *params,
                    struct sharc_watch **ret, struct sharc_err *reterr)
{
    const struct sharc_watch_params defaults = SHARC_WATCH_PARAMS;
    struct sharc_watch_params p = params ? *params : defaults;
    SHARC_FAIL_IF(p.period <= 0, reterr, SHARC_EINVAL, "a period must last longer than 0 s");
    SHARC_FAIL_IF(!(p.risk > 0 && p.risk < 1), reterr, SHARC_EINVAL, "risk must be between 0 and 1, not %g", p.risk);
    if (p.first_wait == 0) p.first_wait = ops->first_wait;
    if (p.least_wait == 0) p.least_wait = ops->least_wait;
    if (p.most_wait == 0) p.most_wait = ops->most_wait;
    SHARC_FAIL_IF(p.first_wait < 0 || p.least_wait < 0 || p.least_wait > p.most_wait, reterr, SHARC_EINVAL,
                  "the shortest wait must not exceed the longest");
    struct sharc_watch *w = SHARC_NEW(struct sharc_watch);
    w->ops = ops;
    w->params = p;
    *ret = w;
    return 0;
}

void sharc_watch_free(struct sharc_watch *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->room; i++) {
        free(w->pages[i].pattern);
    }
    free(w->pages);
    sharc__schedule_watch_walk_done(&w->walk);
    free(w);
}

void sharc_watch_freep(struct sharc_watch **w)
{
    sharc_watch_free(*w);
    *w = NULL;
}

/* --- pages ------------------------------------------------------------------------ */

static struct watched *find(const struct sharc_watch *w, sharc_page_no page)
{
    return page < w->room && w->pages[page].on ? &w->pages[page] : NULL;
}

static bool uses_pattern(const struct sharc_watch *w)
{
    return w->ops->kind == WATCH_LEVEL || w->ops->kind == WATCH_PATTERN;
}

/* A day of watching in which the page changed at its rate, evenly. */
static void prior(const struct sharc_watch *w, struct watched *p, sharc_time since)
{
    double per_hour = p->rate / watch_hours(w->params.period), hours = PRIOR_HOURS / SHARC_RATE_HOURS;
    if (!p->pattern) p->pattern = SHARC_NEW(struct sharc_rate_pattern);
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        p->pattern->hours[k] = hours;
        p->pattern->importance[k] = per_hour * hours;
    }
    p->pattern->at = since;
}

static double sane(double x)
{
    return isfinite(x) && x > 0 ? x : 0;
}

void sharc_watch_add(struct sharc_watch *w, sharc_page_no page, uint32_t site, double rate, double weight,
                     sharc_time since)
{
    if (page >= w->room) {
        size_t room = (size_t)page + 1 + w->room / 2;
        w->pages = sharc_realloc(w->pages, room, sizeof *w->pages);
        memset(w->pages + w->room, 0, (room - w->room) * sizeof *w->pages);
        w->room = room;
    }
    struct watched *p = &w->pages[page];
    w->stale = true;
    p->rate = sane(rate);
    p->weight = sane(weight);
    if (p->on) return;
    p->on = true;
    p->site = site;
    p->last = since;
    p->wait = w->params.first_wait;
    p->frequency = 0;
    if (uses_pattern(w)) prior(w, p, since);
    w->count++;
}

void sharc_watch_drop(struct sharc_watch *w, sharc_page_no page)
{
    struct watched *p = find(w, page);
    if (!p) return;
    free(p->pattern);
    *p = (struct watched){0};
    w->count--;
    w->stale = true;
}

void sharc_watch_teach(struct sharc_watch *w, sharc_page_no page, const struct sharc_rate_pattern *changes,
                       const struct sharc_rate_pattern *importance)
{
    struct watched *p = find(w, page);
    const struct sharc_rate_pattern *lesson = w->ops->counts ? changes : importance;
    if (p && p->pattern && lesson) *p->pattern = *lesson;
}

/* --- urgency ----------------------------------------------------------------------- */

static double urgency(const struct sharc_watch *w, const struct watched *p, sharc_time now)
{
    double age = watch_hours(now - p->last);
    switch (w->ops->kind) {
    case WATCH_FREQUENCY: return p->frequency * age;
    case WATCH_LEVEL: return p->weight * sharc_rate_pattern_level(p->pattern) * age;
    case WATCH_PATTERN:
        return p->weight * sharc_rate_pattern_at(p->pattern, sharc_rate_hour(now, w->params.east_of_utc)) * age;
    case WATCH_WAIT: {
        /* Due since when; a page that is not due is not urgent at all. */
        sharc_time over = now - p->last - p->wait;
        return over >= 0 ? 1 + watch_hours(over) : 0;
    }
    case WATCH_WALK_ALL:
    case WATCH_WALK_SITES: break;
    }
    return 0;
}

double sharc_watch_urgency(const struct sharc_watch *w, sharc_page_no page, sharc_time now)
{
    const struct watched *p = find(w, page);
    return p ? urgency(w, p, now) : 0;
}

struct urgent {
    double urgency;
    sharc_page_no page;
};

static int most_urgent_first(const void *a, const void *b)
{
    const struct urgent *x = a, *y = b;
    if (x->urgency < y->urgency || x->urgency > y->urgency) return x->urgency > y->urgency ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

size_t sharc_watch_period(struct sharc_watch *w, sharc_time now, size_t budget, sharc_page_no *ret_pages)
{
    if (w->ops->kind == WATCH_WALK_ALL || w->ops->kind == WATCH_WALK_SITES) {
        return sharc__schedule_watch_walk(w, budget, ret_pages);
    }
    if (w->ops->kind == WATCH_FREQUENCY && (w->stale || w->budget != budget)) {
        sharc__schedule_watch_set_frequencies(w, budget);
        w->budget = budget;
        w->stale = false;
    }
    SHARC_AUTO(sharc_freep) struct urgent *list = SHARC_NEW_ARRAY(struct urgent, w->count);
    size_t n = 0;
    for (size_t i = 0; i < w->room; i++) {
        double u = w->pages[i].on ? urgency(w, &w->pages[i], now) : 0;
        if (u > 0) list[n++] = (struct urgent){u, (sharc_page_no)i};
    }
    qsort(list, n, sizeof *list, most_urgent_first);
    if (n > budget) n = budget;
    for (size_t i = 0; i < n; i++) {
        ret_pages[i] = list[i].page;
    }
    return n;
}

/* --- what was seen ------------------------------------------------------------------- */

static sharc_time new_wait(const struct sharc_watch *w, sharc_time wait, bool changed)
{
    const struct sharc_watch_ops *ops = w->ops;
    double next =
        changed ? ops->of_wait * (double)wait + ops->of_least * (double)w->params.least_wait : 1.5 * (double)wait;
    return (sharc_time)fmin(fmax(next, (double)w->params.least_wait), (double)w->params.most_wait);
}

void sharc_watch_observed(struct sharc_watch *w, const struct sharc_observation *o)
{
    struct watched *p = find(w, o->page);
    if (!p) return;
    if (o->change == SHARC_MISSING) {
        sharc_watch_drop(w, o->page);
        return;
    }
    if (o->change == SHARC_FAILED) {
        p->wait = w->params.first_wait; /* both tools start again after an error */
        return;
    }
    bool changed = sharc_change_counts(o->change);
    if (p->pattern && o->when > p->last) {
        double amount = !changed ? 0 : w->ops->counts ? 1 : sane(o->importance);
        sharc_rate_pattern_add(p->pattern, p->last, o->when, amount, w->params.half_life, w->params.east_of_utc);
    }
    if (w->ops->kind == WATCH_WAIT && o->change != SHARC_NEW) p->wait = new_wait(w, p->wait, changed);
    p->last = o->when;
    if (o->rate >= 0 && isfinite(o->rate)) {
        p->rate = o->rate;
        w->stale = true;
    }
}
