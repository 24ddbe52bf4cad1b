/* SPDX-License-Identifier: Apache-2.0
 *
 * Scenes for continuous capture: pages with habits, and recorded histories.
 */
#include "scene.h"

#include "sharc/base_clock.h"
#include "sharc/base_map.h"
#include "sharc/base_rng.h"
#include "sharc/rate_pattern.h"
#include "sharc/rate_weight.h"

#include <math.h>
#include <stdlib.h>

#define DAY 86400.0
#define TEACH_DAYS 28
#define BULK 100
#define BULK_IMPORTANCE 0.1

void sharc_sim_scene_free(struct sharc_sim_scene *s)
{
    if (!s) return;
    free(s->name);
    free(s->site);
    free(s->group);
    free(s->weight);
    free(s->born);
    free(s->died);
    free(s->event_at);
    free(s->when);
    free(s->importance);
    free(s);
}

void sharc_sim_scene_freep(struct sharc_sim_scene **s)
{
    sharc_sim_scene_free(*s);
    *s = NULL;
}

const char *sharc_sim_scene_name(const struct sharc_sim_scene *s)
{
    return s->name;
}

size_t sharc_sim_scene_sites(const struct sharc_sim_scene *s)
{
    return s->sites;
}

size_t sharc_sim_scene_pages(const struct sharc_sim_scene *s)
{
    return s->pages;
}

double sharc_sim_scene_full(const struct sharc_sim_scene *s)
{
    return s->full;
}

static struct sharc_sim_scene *scene_new(size_t pages)
{
    struct sharc_sim_scene *s = SHARC_NEW(struct sharc_sim_scene);
    s->pages = pages;
    s->site = SHARC_NEW_ARRAY(uint32_t, pages);
    s->weight = SHARC_NEW_ARRAY(double, pages);
    s->born = SHARC_NEW_ARRAY(double, pages);
    s->died = SHARC_NEW_ARRAY(double, pages);
    s->event_at = SHARC_NEW_ARRAY(size_t, pages + 1);
    return s;
}

/* --- pages with habits ------------------------------------------------------ */

/* How lively an hour is under a habit, mean about 1 over the week. */
static double liveliness(unsigned habit, enum sharc_rate_day day, unsigned hour)
{
    bool weekend = day != SHARC_WORKDAY;
    switch (habit) {
    case 0: /* office hours */ return !weekend && hour >= 8 && hour < 18 ? 3.2 : 0.08;
    case 1: /* evening */ return hour >= 18 && hour < 23 ? 4.4 : 0.1;
    case 2: /* night batch */ return hour >= 1 && hour < 4 ? 7.3 : 0.1;
    case 3: /* weekend */ return weekend && hour >= 9 && hour < 22 ? 6.1 : 0.08;
    default: /* always */ return 1;
    }
}

struct events {
    double *when, *importance;
    size_t n, room_when, room_importance;
};

static void events_add(struct events *e, double when, double importance)
{
    SHARC_GROW(e->when, e->room_when, e->n + 1);
    SHARC_GROW(e->importance, e->room_importance, e->n + 1);
    e->when[e->n] = when;
    e->importance[e->n++] = importance;
}

/* Poisson with a rate that steps from hour to hour: drawn at the highest rate
 * and thinned. Important changes follow the habit, small ones do not. */
static void draw_events(struct events *e, struct sharc_rng *rng, unsigned habit, double per_hour, double from,
                        double to)
{
    const double most = 7.3 + 0.5;
    double t = from;
    for (;;) {
        t += sharc_rng_exponential(rng, per_hour * most) * SCENE_HOUR;
        if (t >= to) return;
        unsigned hour = sharc_rate_hour((sharc_time)(t * SHARC_SEC), 0);
        double lively = liveliness(habit, (enum sharc_rate_day)(hour / 24), hour % 24);
        double u = sharc_rng_uniform(rng) * most, weigh = sharc_rng_uniform(rng);
        if (u < lively)
            events_add(e, t, 0.3 + 0.7 * weigh);
        else if (u < lively + 0.5)
            events_add(e, t, 0.1 * weigh);
    }
}

int sharc_sim_habits_new(const struct sharc_sim_habits *h, struct sharc_sim_scene **ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(h->pages == 0 || h->pages > 1000000, reterr, SHARC_EINVAL,
                  "continuous capture takes 1 to 1000000 pages");
    SHARC_FAIL_IF(h->sites == 0 || h->sites > h->pages, reterr, SHARC_EINVAL,
                  "there must be at least one site and not more than pages");
    SHARC_FAIL_IF(h->days == 0 || h->days > 3650, reterr, SHARC_EINVAL, "the days to judge must be 1 to 3650");
    struct sharc_sim_scene *s = scene_new(h->pages);
    s->name = sharc_strdup("pages with habits");
    s->sites = h->sites;
    s->taught = 1767571200; /* a Monday */
    s->from = s->taught + TEACH_DAYS * DAY;
    s->to = s->from + h->days * DAY;
    s->full = h->pages;
    s->hosts = true;
    struct events e = {0};
    for (uint32_t p = 0; p < h->pages; p++) {
        struct sharc_rng rng = sharc_rng_stream(h->seed, p);
        double rank = (double)sharc_rng_below(&rng, h->pages) + 1;
        s->site[p] = p % h->sites;
        s->weight[p] = pow((double)sharc_rng_below(&rng, h->pages) + 1, -0.5);
        s->born[p] = s->taught;
        s->died[p] = HUGE_VAL;
        unsigned habit = (unsigned)sharc_rng_below(&rng, 5);
        s->event_at[p] = e.n;
        draw_events(&e, &rng, habit, 2 * pow(rank, -0.4), s->taught, s->to);
    }
    s->event_at[h->pages] = e.n;
    s->events = e.n;
    s->when = e.when ? e.when : SHARC_NEW_ARRAY(double, 1);
    s->importance = e.importance ? e.importance : SHARC_NEW_ARRAY(double, 1);
    *ret = s;
    return 0;
}

/* --- what happened elsewhere --------------------------------------------------- */

struct sharc_sim_scene *sharc_sim_scene_of(const struct sharc_sim_past *past)
{
    const size_t n = past->pages;
    struct sharc_sim_scene *s = scene_new(n);
    s->name = sharc_strdup(past->name);
    s->bare = true;
    s->sites = 1;
    s->taught = s->from = past->from;
    s->to = past->to;
    s->full = past->full;
    s->events = past->event_at[n];
    s->when = SHARC_NEW_ARRAY(double, s->events + 1);
    s->importance = SHARC_NEW_ARRAY(double, s->events + 1);
    memcpy(s->weight, past->weight, n * sizeof *s->weight);
    memcpy(s->born, past->born, n * sizeof *s->born);
    memcpy(s->died, past->died, n * sizeof *s->died);
    memcpy(s->event_at, past->event_at, (n + 1) * sizeof *s->event_at);
    if (s->events) memcpy(s->when, past->when, s->events * sizeof *s->when);
    for (size_t i = 0; i < s->events; i++) s->importance[i] = 1;
    return s;
}

/* --- recorded histories ------------------------------------------------------ */

/* Pages in one directory. */
static uint32_t group_of(struct sharc_intern *groups, struct sharc_span url)
{
    size_t n = url.n;
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] == '?') n = i;
    while (n > 0 && url.p[n - 1] != '/') n--;
    return sharc_intern_add(groups, sharc_span_sub(url, 0, n), NULL);
}

static uint32_t site_of(struct sharc_intern *sites, struct sharc_span url)
{
    size_t end = sharc_span_find(url, '/', 1);
    return sharc_intern_add(sites, sharc_span_sub(url, 0, end), NULL);
}

/* PageRank among the chosen pages. */
static void weigh(struct sharc_sim_scene *s, const struct sharc_dataset *d, const sharc_page_no *origin,
                  const sharc_page_no *local)
{
    SHARC_AUTO(sharc_freep) uint32_t *from = SHARC_NEW_ARRAY(uint32_t, d->links);
    SHARC_AUTO(sharc_freep) uint32_t *to = SHARC_NEW_ARRAY(uint32_t, d->links);
    size_t n = 0;
    for (size_t p = 0; p < s->pages; p++)
        for (size_t i = d->link_at[origin[p]]; i < d->link_at[origin[p] + 1]; i++) {
            if (local[d->link_to[i]] == UINT32_MAX) continue;
            from[n] = (uint32_t)p;
            to[n++] = local[d->link_to[i]];
        }
    sharc_rate_pagerank(s->pages, from, to, n, SHARC_PAGERANK_DAMPING, 1e-6, 100, s->weight);
}

/* How many pages changed at each instant. */
static void count_instants(const struct sharc_dataset *d, struct sharc_map64 *together)
{
    for (size_t i = 0; i < d->changes; i++) (*sharc_map64_at(together, (uint64_t)d->change_time[i]))++;
}

static void copy_events(struct sharc_sim_scene *s, const struct sharc_dataset *d, const sharc_page_no *origin)
{
    SHARC_AUTO(sharc_map64_done) struct sharc_map64 together;
    sharc_map64_init(&together);
    count_instants(d, &together);
    struct events e = {0};
    for (size_t p = 0; p < s->pages; p++) {
        const double *h;
        size_t n = sharc_dataset_between(d, origin[p], s->taught, s->to, &h);
        s->event_at[p] = e.n;
        for (size_t i = 0; i < n; i++) {
            bool bulk = *sharc_map64_find(&together, (uint64_t)h[i]) >= BULK;
            events_add(&e, h[i], bulk ? BULK_IMPORTANCE : 1);
        }
    }
    s->event_at[s->pages] = e.n;
    s->events = e.n;
    s->when = e.when ? e.when : SHARC_NEW_ARRAY(double, 1);
    s->importance = e.importance ? e.importance : SHARC_NEW_ARRAY(double, 1);
}

/* Page-hours with a change, per hour of the judged time. */
static double changed_per_hour(const struct sharc_sim_scene *s)
{
    size_t n = 0;
    for (size_t p = 0; p < s->pages; p++) {
        double last = -1;
        for (size_t i = s->event_at[p]; i < s->event_at[p + 1]; i++) {
            double hour = floor(s->when[i] / SCENE_HOUR);
            if (s->when[i] <= s->from || hour == last) continue;
            last = hour;
            n++;
        }
    }
    return (double)n * SCENE_HOUR / (s->to - s->from);
}

int sharc_sim_scene_new(const struct sharc_dataset *d, double from, double to, struct sharc_sim_scene **ret,
                        struct sharc_err *reterr)
{
    from = ceil(from / SCENE_HOUR) * SCENE_HOUR;
    to = floor(to / SCENE_HOUR) * SCENE_HOUR;
    double taught = fmax(from - fmin(to - from, 56 * DAY), ceil(d->start / SCENE_HOUR) * SCENE_HOUR);
    SHARC_FAIL_IF(!(from < to && to <= d->end && taught < from), reterr, SHARC_EINVAL,
                  "the time to judge must hold an hour and lie inside %s, with some history before it to learn from",
                  d->name);
    SHARC_AUTO(sharc_freep) sharc_page_no *origin = SHARC_NEW_ARRAY(sharc_page_no, d->pages);
    SHARC_AUTO(sharc_freep) sharc_page_no *local = SHARC_NEW_ARRAY(sharc_page_no, d->pages);
    uint32_t n = 0;
    for (size_t p = 0; p < d->pages; p++) {
        bool lives = d->page[p].created < to && d->page[p].deleted > from;
        local[p] = lives ? n : UINT32_MAX;
        if (lives) origin[n++] = (sharc_page_no)p;
    }
    SHARC_FAIL_IF(n == 0, reterr, SHARC_EINVAL, "no page of %s lives in that time", d->name);
    SHARC_AUTO(sharc_sim_scene_freep) struct sharc_sim_scene *s = scene_new(n);
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *sites = sharc_intern_new();
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *groups = sharc_intern_new();
    s->group = SHARC_NEW_ARRAY(uint32_t, n);
    s->name = sharc_strdup(d->name);
    s->taught = taught;
    s->from = from;
    s->to = to;
    for (uint32_t p = 0; p < n; p++) {
        s->site[p] = site_of(sites, d->page[origin[p]].url);
        s->group[p] = group_of(groups, d->page[origin[p]].url);
        s->born[p] = d->page[origin[p]].created;
        s->died[p] = d->page[origin[p]].deleted;
    }
    s->sites = sharc_intern_count(sites);
    weigh(s, d, origin, local);
    copy_events(s, d, origin);
    s->full = changed_per_hour(s);
    SHARC_FAIL_IF(s->full <= 0, reterr, SHARC_EINVAL, "no page of %s changes in that time; choose another", d->name);
    *ret = SHARC_TAKE(s);
    return 0;
}
