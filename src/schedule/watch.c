/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: what is watched. Pages, their sites, hosts and groups.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

/* --- life ------------------------------------------------------------------------- */

int sharc_watch_new(const struct sharc_watch_ops *ops, const struct sharc_watch_params *params,
                    struct sharc_watch **ret, struct sharc_err *reterr)
{
    const struct sharc_watch_params defaults = SHARC_WATCH_PARAMS;
    struct sharc_watch_params p = params ? *params : defaults;
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
    w->per_hour = -1;
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
    free(w->hosts);
    free(w->groups);
    free(w->sources);
    free(w->holidays);
    free(w->out.p);
    free(w->wanted.p);
    sharc__schedule_watch_late_done(&w->late);
    sharc__schedule_watch_doze_done(&w->doze);
    sharc__schedule_watch_walk_done(&w->walk);
    free(w);
}

void sharc_watch_freep(struct sharc_watch **w)
{
    sharc_watch_free(*w);
    *w = NULL;
}

const struct sharc_watch_ops *sharc_watch_ops(const struct sharc_watch *w)
{
    return w->ops;
}

uint32_t sharc_watch_pages(const struct sharc_watch *w)
{
    return w->count;
}

/* --- what is numbered -------------------------------------------------------------------- */

/* An array that grows to hold item i; new items are zero. */
static void *grown(void *p, size_t *room, size_t i, size_t size)
{
    if (i < *room) return p;
    size_t more = i + 1 + *room / 2;
    p = sharc_realloc(p, more, size);
    memset((char *)p + *room * size, 0, (more - *room) * size);
    *room = more;
    return p;
}

static struct site *site_at(struct sharc_watch *w, uint32_t site)
{
    size_t from = w->site_room;
    w->sites = grown(w->sites, &w->site_room, site, sizeof *w->sites);
    for (size_t i = from; i < w->site_room; i++)
        w->sites[i].is = (struct sharc_watch_site){.weight = 1, .east_of_utc = w->params.east_of_utc};
    return &w->sites[site];
}

void sharc_watch_site(struct sharc_watch *w, uint32_t site, const struct sharc_watch_site *s)
{
    struct site *to = site_at(w, site);
    to->is = *s;
    to->is.weight = watch_sane(s->weight);
    sharc__schedule_watch_doze_again(w);
}

static struct host *host_at(struct sharc_watch *w, uint32_t host)
{
    w->hosts = grown(w->hosts, &w->host_room, host, sizeof *w->hosts);
    return &w->hosts[host];
}

void sharc_watch_host(struct sharc_watch *w, uint32_t host, const struct sharc_watch_host *h)
{
    struct host *to = host_at(w, host);
    bool begins = !(to->is.per_hour > 0) && h->per_hour > 0;
    to->is = *h;
    to->is.per_hour = watch_sane(h->per_hour);
    if (begins) to->saved = 1;
}

static int earlier(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void sharc_watch_holidays(struct sharc_watch *w, const int32_t *days, size_t n)
{
    free(w->holidays);
    w->holidays = SHARC_NEW_ARRAY(int32_t, n);
    w->holiday_count = n;
    if (n) memcpy(w->holidays, days, n * sizeof *days);
    if (n) qsort(w->holidays, n, sizeof *w->holidays, earlier);
}

void sharc_watch_budget(struct sharc_watch *w, double per_hour, sharc_time now)
{
    if (w->per_hour < 0) w->saved = 1, w->saved_at = now;
    w->per_hour = watch_sane(per_hour);
}

/* --- hours -------------------------------------------------------------------------------- */

sharc_time sharc__schedule_watch_zone(const struct sharc_watch *w, uint32_t site)
{
    return site < w->site_room ? w->sites[site].is.east_of_utc : w->params.east_of_utc;
}

unsigned sharc__schedule_watch_hour(const struct sharc_watch *w, uint32_t site, sharc_time t)
{
    const sharc_time east = sharc__schedule_watch_zone(w, site);
    unsigned k = sharc_rate_hour(t, east);
    if (w->holiday_count == 0) return k;
    const sharc_time day = sharc_floor_div(t + east, SHARC_DAY);
    const int32_t want = day > INT32_MAX || day < INT32_MIN ? 0 : (int32_t)day;
    return bsearch(&want, w->holidays, w->holiday_count, sizeof want, earlier) ? SHARC_SUNDAY * 24 + k % 24 : k;
}

void sharc__schedule_watch_hours(const struct sharc_watch *w, uint32_t site, sharc_time from, sharc_time to,
                                 double ret[SHARC_RATE_HOURS])
{
    const sharc_time east = sharc__schedule_watch_zone(w, site);
    sharc_rate_hours(from, to, east, ret);
    for (size_t i = 0; i < w->holiday_count; i++) {
        sharc_time begin = w->holidays[i] * SHARC_DAY - east, end = begin + SHARC_DAY;
        if (begin < from) begin = from;
        if (end > to) end = to;
        if (begin >= end) continue;
        double day[SHARC_RATE_HOURS];
        sharc_rate_hours(begin, end, east, day);
        for (unsigned k = 0; k < SHARC_SUNDAY * 24; k++) {
            ret[k] = fmax(ret[k] - day[k], 0);
            ret[SHARC_SUNDAY * 24 + k % 24] += day[k];
        }
    }
}

/* --- pages ------------------------------------------------------------------------ */

static bool uses_pattern(const struct sharc_watch *w)
{
    return w->ops->kind == WATCH_LEVEL || w->ops->kind == WATCH_PATTERN;
}

/* A day of watching in which the page changed at its rate, evenly. */
static void prior(struct watched *p, sharc_time since)
{
    double hours = WATCH_PRIOR_HOURS / SHARC_RATE_HOURS;
    if (!p->pattern) p->pattern = SHARC_NEW(struct sharc_rate_pattern);
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        p->pattern->hours[k] = hours;
        p->pattern->importance[k] = p->rate * hours;
    }
    p->pattern->at = since;
}

/* The rate of a page of which nothing is known: as of others in its group, or on its site, at its age. */
static double unknown_rate(const struct sharc_watch *w, const struct watched *p, sharc_time since)
{
    double rates[WATCH_AGES];
    sharc__schedule_watch_life_rates(w, p, rates);
    return rates[sharc__schedule_watch_age(p, since)];
}

static void begin(struct sharc_watch *w, struct watched *p, sharc_time since)
{
    p->on = true;
    p->last = since;
    p->wait = w->params.first_wait;
    p->changed = SHARC_TIME_NONE;
    p->late_at = SHARC_WATCH_NONE;
    if (uses_pattern(w)) prior(p, since);
    if (watch_has_habits(w)) sharc__schedule_watch_habit_begin(w, p, since);
    w->count++;
}

void sharc_watch_add(struct sharc_watch *w, sharc_page_no page, const struct sharc_watch_page *settings,
                     sharc_time since)
{
    w->pages = grown(w->pages, &w->room, page, sizeof *w->pages);
    struct watched *p = &w->pages[page];
    site_at(w, settings->site);
    if (settings->host != SHARC_WATCH_NONE) host_at(w, settings->host);
    if (settings->group != SHARC_WATCH_NONE)
        w->groups = grown(w->groups, &w->group_room, settings->group, sizeof *w->groups);
    if (settings->source != SHARC_WATCH_NONE)
        w->sources = grown(w->sources, &w->source_room, settings->source, sizeof *w->sources);
    w->stale = true;
    const bool held = p->on && p->is.held;
    if (p->on) sharc__schedule_watch_late_take(w, page);
    p->is = *settings;
    p->is.weight = watch_sane(settings->weight);
    p->is.held |= held;
    if (!p->on || settings->rate >= 0)
        p->rate = settings->rate >= 0 ? watch_sane(settings->rate) : unknown_rate(w, p, since);
    if (!p->on) begin(w, p, since);
    sharc__schedule_watch_wake(w, page);
    sharc__schedule_watch_late_put(w, page);
}

void sharc_watch_set_intervals(struct sharc_watch *w, sharc_time shortest, sharc_time longest)
{
    for (size_t i = 0; i < w->room; i++)
        if (w->pages[i].on) sharc__schedule_watch_late_take(w, (sharc_page_no)i);
    w->params.shortest = shortest > 0 ? shortest : 0;
    w->params.longest = longest > 0 ? longest : 0;
    for (size_t i = 0; i < w->room; i++)
        if (w->pages[i].on && !w->pages[i].out) sharc__schedule_watch_late_put(w, (sharc_page_no)i);
}

static void take_from(struct numbers *list, sharc_page_no page)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->p[i] != page) continue;
        list->p[i] = list->p[--list->n];
        return;
    }
}

void sharc_watch_drop(struct sharc_watch *w, sharc_page_no page)
{
    struct watched *p = watch_find(w, page);
    if (!p) return;
    sharc__schedule_watch_late_take(w, page);
    if (p->out) take_from(&w->out, page);
    if (p->wanted) take_from(&w->wanted, page);
    free(p->pattern);
    free(p->habit);
    *p = (struct watched){0};
    w->count--;
    w->stale = true;
}

void sharc_watch_teach(struct sharc_watch *w, sharc_page_no page, const struct sharc_rate_pattern *changes,
                       const struct sharc_rate_pattern *importance, sharc_time last_change)
{
    struct watched *p = watch_find(w, page);
    const struct sharc_rate_pattern *lesson = w->ops->counts ? changes : importance;
    if (!p) return;
    p->changed = last_change;
    struct site *site = &w->sites[p->is.site];
    for (int k = 0; changes && importance && k < SHARC_RATE_HOURS; k++) {
        site->changes += changes->importance[k];
        site->importance += importance->importance[k];
    }
    if (p->pattern && lesson) *p->pattern = *lesson;
    if (p->habit && changes && importance) sharc__schedule_watch_habit_teach(w, p, changes, importance);
    sharc__schedule_watch_wake(w, page);
}

/* Weights of whole sites, which change with their pages. */
static void weigh_sites(struct sharc_watch *w)
{
    for (size_t i = 0; i < w->site_room; i++) w->sites[i].weight = 0;
    for (size_t i = 0; i < w->room; i++)
        if (w->pages[i].on) w->sites[w->pages[i].is.site].weight += w->pages[i].is.weight;
}

void sharc__schedule_watch_prepare(struct sharc_watch *w, double per_hour)
{
    if (w->stale && !watch_walks(w)) weigh_sites(w);
    if (w->ops->kind == WATCH_FREQUENCY && (w->stale || fabs(w->planned - per_hour) > 0)) {
        sharc__schedule_watch_set_frequencies(w, per_hour);
        w->planned = per_hour;
    }
    if (watch_walks(w) || !w->stale) return;
    sharc__schedule_watch_doze_again(w);
    w->stale = false;
}
