/* SPDX-License-Identifier: Apache-2.0
 *
 * How a page was reached, when nobody wrote it down: breadth first over the
 * links, from the seeds, earlier downloads first.
 */
#include "import_int.h"

#include <stdlib.h>

struct place {
    sharc_time when;
    uint32_t page;
};

static int by_time(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->when != y->when) return x->when < y->when ? -1 : 1;
    return x->page < y->page ? -1 : x->page > y->page;
}

static void sort(const struct import_tree *t, uint32_t *pages, size_t n, struct place *scratch)
{
    for (size_t i = 0; i < n; i++) scratch[i] = (struct place){t->when[pages[i]], pages[i]};
    if (n > 1) qsort(scratch, n, sizeof *scratch, by_time);
    for (size_t i = 0; i < n; i++) pages[i] = scratch[i].page;
}

/* One level: the pages in frontier[0 … n) have the same distance. */
static size_t expand(struct import_tree *t, const uint32_t *frontier, size_t n, bool *reached, uint32_t *next)
{
    const struct sharc_store_graph *g = t->graph;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t from = frontier[i];
        for (uint64_t e = g->at[from]; e < g->at[from + 1]; e++) {
            uint32_t to = g->to[e];
            if (reached[to]) continue;
            reached[to] = true;
            if (t->parent[to] == SHARC_NO_ID) t->parent[to] = from;
            if (t->hops[to] < 0) t->hops[to] = t->hops[from] + 1;
            next[count++] = to;
        }
    }
    return count;
}

void sharc__import_tree(struct import_tree *t)
{
    size_t n = t->graph->n, count = 0;
    bool *reached = SHARC_NEW_ARRAY(bool, n);
    uint32_t *frontier = SHARC_NEW_ARRAY(uint32_t, n), *next = SHARC_NEW_ARRAY(uint32_t, n);
    struct place *scratch = SHARC_NEW_ARRAY(struct place, n);
    for (size_t i = 0; i < n; i++) {
        if (!t->root[i]) continue;
        reached[i] = true;
        if (t->hops[i] < 0) t->hops[i] = 0;
        frontier[count++] = (uint32_t)i;
    }
    while (count) {
        sort(t, frontier, count, scratch);
        count = expand(t, frontier, count, reached, next);
        uint32_t *swap = frontier;
        frontier = next;
        next = swap;
    }
    free(reached);
    free(frontier);
    free(next);
    free(scratch);
}
