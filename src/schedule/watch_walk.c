/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies that walk: they take the budget's worth of pages from where they
 * stopped in the period before, round after round. A site's order comes from the
 * capture strategy that the papers would use for it.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

void sharc__schedule_watch_walk_done(struct watch_walk *walk)
{
    free(walk->order);
    free(walk->by_site);
    free(walk->first);
    *walk = (struct watch_walk){0};
}

/* Pages by site, counted and then filled; one site if sites do not matter. */
static void sort_into_sites(struct sharc_watch *w)
{
    struct watch_walk *walk = &w->walk;
    bool one = w->ops->kind == WATCH_WALK_ALL;
    uint32_t sites = 1;
    for (size_t i = 0; i < w->room && !one; i++) {
        if (w->pages[i].on && w->pages[i].is.site >= sites) sites = w->pages[i].is.site + 1;
    }
    free(walk->by_site);
    free(walk->first);
    walk->sites = sites;
    walk->by_site = SHARC_NEW_ARRAY(sharc_page_no, w->count);
    walk->first = SHARC_NEW_ARRAY(uint32_t, (size_t)sites + 2);
    for (size_t i = 0; i < w->room; i++) {
        if (w->pages[i].on) walk->first[(one ? 0 : w->pages[i].is.site) + 2]++;
    }
    for (uint32_t s = 2; s < sites + 2; s++) {
        walk->first[s] += walk->first[s - 1];
    }
    for (size_t i = 0; i < w->room; i++) {
        if (w->pages[i].on) walk->by_site[walk->first[(one ? 0 : w->pages[i].is.site) + 1]++] = (sharc_page_no)i;
    }
}

struct heavy {
    double weight;
    sharc_page_no page;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct heavy *x = a, *y = b;
    if (x->weight < y->weight || x->weight > y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

static void order_by_weight(const struct sharc_watch *w, sharc_page_no *pages, uint32_t n)
{
    SHARC_AUTO(sharc_freep) struct heavy *list = SHARC_NEW_ARRAY(struct heavy, n);
    for (uint32_t i = 0; i < n; i++) {
        list[i] = (struct heavy){w->pages[pages[i]].is.weight, pages[i]};
    }
    qsort(list, n, sizeof *list, heaviest_first);
    for (uint32_t i = 0; i < n; i++) {
        pages[i] = list[i].page;
    }
}

/* The order in which the capture strategy would visit these pages, one slot being
 * an hour divided by the budget. */
static void order_by_strategy(const struct sharc_watch *w, sharc_page_no *pages, uint32_t n, double budget)
{
    struct sharc_strategy_params params = SHARC_STRATEGY_PARAMS;
    params.risk = w->params.risk;
    struct sharc_strategy *s = NULL;
    int r = sharc_strategy_new(sharc_strategy_find(w->ops->capture), &params, &s, NULL);
    SHARC_ASSERT(r == 0);
    SHARC_AUTO(sharc_freep) sharc_page_no *local = SHARC_NEW_ARRAY(sharc_page_no, n);
    memcpy(local, pages, n * sizeof *local);
    for (uint32_t i = 0; i < n; i++) {
        sharc_strategy_discover(s, i, w->pages[local[i]].rate / budget, w->pages[local[i]].is.weight);
    }
    struct sharc_slot slot;
    for (uint32_t i = 0; sharc_strategy_next(s, &slot); i++) {
        pages[i] = local[slot.page];
    }
    sharc_strategy_free(s);
}

/* Begin the round of the next site that has pages. */
static void next_round(struct sharc_watch *w, double budget)
{
    struct watch_walk *walk = &w->walk;
    if (w->stale || !walk->first) sort_into_sites(w);
    w->stale = false;
    do {
        walk->site = walk->site + 1 < walk->sites ? walk->site + 1 : 0;
    } while (walk->first[walk->site] == walk->first[walk->site + 1]);
    uint32_t from = walk->first[walk->site], n = walk->first[walk->site + 1] - from;
    free(walk->order);
    walk->order = SHARC_NEW_ARRAY(sharc_page_no, n);
    memcpy(walk->order, walk->by_site + from, n * sizeof *walk->order);
    walk->count = n;
    walk->at = 0;
    if (w->ops->kind == WATCH_WALK_ALL) {
        order_by_weight(w, walk->order, n);
    } else {
        order_by_strategy(w, walk->order, n, budget);
    }
}

bool sharc__schedule_watch_walk(struct sharc_watch *w, double per_hour, sharc_page_no *ret)
{
    struct watch_walk *walk = &w->walk;
    if (w->count == 0) return false;
    for (size_t passed = 0; passed <= w->room; passed++) {
        if (walk->at == walk->count) next_round(w, fmax(per_hour, 1e-9));
        *ret = walk->order[walk->at++];
        if (w->pages[*ret].on) return true; /* else dropped since the round began */
    }
    return false;
}
