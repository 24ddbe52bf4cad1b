/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: the table of strategies, the pages, and urgencies.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

/* What an untaught pattern is worth, in hours of watching. */
#define PRIOR_HOURS 24.0
/* Changes that a page is given for nothing, so that none is ever without hope. */
#define PRIOR_CHANGES 0.1

static const struct sharc_watch_ops table[] = {
    {.name = "value", .kind = WATCH_VALUE},
    {.name = "index-freshness", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_FRESHNESS},
    {.name = "index-importance", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_IMPORTANCE},
    {.name = "index-coherence", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_COHERENCE},
    {.name = "index-blur", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_BLUR},
    {.name = "index-evidence", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_EVIDENCE},
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
    SHARC_FAIL_IF(p.shortest < 0 || p.longest < 0 || (p.longest && p.shortest > p.longest), reterr, SHARC_EINVAL,
                  "the shortest interval must not exceed the longest");
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
        free(w->pages[i].habit);
    }
    free(w->pages);
    free(w->sites);
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

/* For an index: as much is known as a day of watching tells. */
static void begin_learning(const struct sharc_watch *w, struct watched *p)
{
    p->hours = PRIOR_HOURS;
    p->changes = fmax(p->rate / watch_hours(w->params.period) * PRIOR_HOURS, PRIOR_CHANGES);
}

static void teach_index(struct watched *p, const struct sharc_rate_pattern *lesson)
{
    p->hours = PRIOR_HOURS;
    p->changes = PRIOR_CHANGES;
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        p->hours += lesson->hours[k];
        p->changes += lesson->importance[k];
    }
}

/* A change was seen, or none, after so long. When many are expected there was probably more than one. */
static void learn_rate(const struct sharc_watch *w, struct watched *p, sharc_time when, bool changed)
{
    double gap = watch_hours(when - p->last), expected = p->changes / p->hours * gap;
    double keep = w->params.half_life > 0 ? exp2(-(double)(when - p->last) / (double)w->params.half_life) : 1;
    /* What fades is what was seen; the prior stays. */
    p->changes = PRIOR_CHANGES + (p->changes - PRIOR_CHANGES) * keep;
    p->hours = PRIOR_HOURS + (p->hours - PRIOR_HOURS) * keep + gap;
    if (changed) p->changes += expected > 1e-9 ? expected / -expm1(-expected) : 1;
}

static double sane(double x)
{
    return isfinite(x) && x > 0 ? x : 0;
}

/* The site of an index or value; others need none. */
static struct watch_site *site_of(struct sharc_watch *w, uint32_t site)
{
    if (w->ops->kind != WATCH_INDEX && w->ops->kind != WATCH_VALUE) return NULL;
    if (site >= w->site_room) {
        size_t room = (size_t)site + 1 + w->site_room / 2;
        w->sites = sharc_realloc(w->sites, room, sizeof *w->sites);
        memset(w->sites + w->site_room, 0, (room - w->site_room) * sizeof *w->sites);
        w->site_room = room;
    }
    return &w->sites[site];
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
    p->changed = SHARC_TIME_NONE;
    p->frequency = 0;
    site_of(w, site);
    if (uses_pattern(w)) prior(w, p, since);
    if (w->ops->kind == WATCH_INDEX) begin_learning(w, p);
    if (w->ops->kind == WATCH_VALUE) sharc__schedule_watch_habit_begin(w, p, since);
    w->count++;
}

void sharc_watch_drop(struct sharc_watch *w, sharc_page_no page)
{
    struct watched *p = find(w, page);
    if (!p) return;
    free(p->pattern);
    free(p->habit);
    *p = (struct watched){0};
    w->count--;
    w->stale = true;
}

void sharc_watch_teach(struct sharc_watch *w, sharc_page_no page, const struct sharc_rate_pattern *changes,
                       const struct sharc_rate_pattern *importance, sharc_time last_change)
{
    struct watched *p = find(w, page);
    const struct sharc_rate_pattern *lesson = w->ops->counts ? changes : importance;
    if (!p) return;
    p->changed = last_change;
    struct watch_site *site = site_of(w, p->site);
    for (int k = 0; site && changes && importance && k < SHARC_RATE_HOURS; k++) {
        site->changes += changes->importance[k];
        site->importance += importance->importance[k];
    }
    if (p->pattern && lesson) *p->pattern = *lesson;
    if (w->ops->kind == WATCH_INDEX && changes) teach_index(p, changes);
    if (p->habit && changes && importance) sharc__schedule_watch_habit_teach(w, p, changes, importance);
}

/* --- urgency ----------------------------------------------------------------------- */

static double urgency(const struct sharc_watch *w, struct watched *p, sharc_time now)
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
    case WATCH_INDEX: {
        /* Sites count the same, whatever their pages weigh. */
        double all = w->sites[p->site].weight, share = watch_share(p, p->changes / p->hours);
        return all > 0 ? sharc_index_learned(w->ops->objective, p->weight / all, share * p->changes, p->hours, age) : 0;
    }
    case WATCH_VALUE: return sharc__schedule_watch_habit_index(w, p, now);
    case WATCH_WALK_ALL:
    case WATCH_WALK_SITES: break;
    }
    return 0;
}

double sharc_watch_urgency(const struct sharc_watch *w, sharc_page_no page, sharc_time now)
{
    struct watched *p = find(w, page);
    return p ? urgency(w, p, now) : 0;
}

struct urgent {
    double urgency;
    sharc_time last;
    sharc_page_no page;
};

/* Ties go to the page that waits longest. */
static int most_urgent_first(const void *a, const void *b)
{
    const struct urgent *x = a, *y = b;
    if (x->urgency < y->urgency || x->urgency > y->urgency) return x->urgency > y->urgency ? -1 : 1;
    if (x->last != y->last) return x->last < y->last ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* The `most` most urgent ones to the front, in order. The rest is only put behind them: O(n). */
static void bring_to_front(struct urgent *list, size_t n, size_t most)
{
    size_t from = 0, to = n;
    while (to - from > 16 && most > from && most < to) {
        const struct urgent pivot = list[from + (to - from) / 2];
        size_t i = from, j = to - 1;
        for (;; i++, j--) {
            while (most_urgent_first(&list[i], &pivot) < 0) i++;
            while (most_urgent_first(&list[j], &pivot) > 0) j--;
            if (i >= j) break;
            struct urgent kept = list[i];
            list[i] = list[j];
            list[j] = kept;
        }
        if (most <= j + 1)
            to = j + 1;
        else
            from = j + 1;
    }
    qsort(list, most <= from ? most : to, sizeof *list, most_urgent_first);
}

/* A page of no urgency may be downloaded when nothing else is to be done, unless the strategy would not have it. */
static bool takes_idle_pages(const struct sharc_watch *w)
{
    return w->ops->kind != WATCH_WAIT && w->ops->kind != WATCH_FREQUENCY;
}

/* Weights of whole sites, which change with their pages. */
static void weigh_sites(struct sharc_watch *w)
{
    for (size_t i = 0; i < w->site_room; i++) w->sites[i].weight = 0;
    for (size_t i = 0; i < w->room; i++)
        if (w->pages[i].on) w->sites[w->pages[i].site].weight += w->pages[i].weight;
}

/* What must be known before pages can be compared. */
static void prepare(struct sharc_watch *w, size_t budget)
{
    if (w->ops->kind == WATCH_FREQUENCY && (w->stale || w->budget != budget)) {
        sharc__schedule_watch_set_frequencies(w, budget);
        w->budget = budget;
        w->stale = false;
    }
    if (w->site_room && w->stale) {
        weigh_sites(w);
        w->stale = false;
    }
}

/* Pages not downloaded for the longest interval come first, oldest before younger, but they get no more than a
 * quarter of all downloads: who allows too short an interval for the budget still gets what is urgent. */
static size_t put_late_first(struct sharc_watch *w, struct urgent *list, size_t n, sharc_time now, size_t budget)
{
    size_t late = 0;
    for (size_t i = 0; i < n; i++) {
        if (now - list[i].last < w->params.longest) continue;
        struct urgent kept = list[late];
        list[late++] = list[i];
        list[i] = kept;
    }
    w->late = late ? fmin(w->late + (double)budget / 4, (double)budget) : 0;
    size_t first = late < (size_t)w->late ? late : (size_t)w->late;
    for (size_t i = 0; i < late; i++) list[i].urgency = watch_hours(now - list[i].last); /* among themselves */
    bring_to_front(list, late, first);
    for (size_t i = first; i < late; i++) list[i].urgency = urgency(w, &w->pages[list[i].page], now);
    w->late -= (double)first;
    return first;
}

size_t sharc_watch_period(struct sharc_watch *w, sharc_time now, size_t budget, sharc_page_no *ret_pages)
{
    if (w->ops->kind == WATCH_WALK_ALL || w->ops->kind == WATCH_WALK_SITES) {
        return sharc__schedule_watch_walk(w, budget, ret_pages);
    }
    prepare(w, budget);
    SHARC_AUTO(sharc_freep) struct urgent *list = SHARC_NEW_ARRAY(struct urgent, w->count);
    const bool idle = takes_idle_pages(w);
    size_t n = 0, late = 0;
    for (size_t i = 0; i < w->room; i++) {
        struct watched *p = &w->pages[i];
        if (!p->on || now - p->last < w->params.shortest) continue;
        double u = urgency(w, p, now);
        if (u > 0 || idle || (w->params.longest && now - p->last >= w->params.longest))
            list[n++] = (struct urgent){u, p->last, (sharc_page_no)i};
    }
    if (w->params.longest) late = put_late_first(w, list, n, now, budget);
    bring_to_front(list + late, n - late, budget > late ? budget - late : 0);
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
    struct watch_site *site = site_of(w, p->site);
    if (site && changed) {
        site->changes++;
        site->importance += sane(o->importance);
    }
    if (changed) p->changed = o->when;
    if (w->ops->kind == WATCH_INDEX && o->when > p->last) learn_rate(w, p, o->when, changed);
    if (p->habit) sharc__schedule_watch_habit_observed(w, p, o->when, changed, sane(o->importance));
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
