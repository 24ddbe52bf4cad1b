/* SPDX-License-Identifier: Apache-2.0
 *
 * Page weights from the link graph.
 */
#include "sharc/rate_weight.h"

#include <math.h>

static bool counts(size_t n, uint32_t from, uint32_t to)
{
    return from < n && to < n && from != to;
}

/* Links gathered by target, so that a round of PageRank writes each page once
 * and adds in a fixed order: sources of page i are source[first[i] … first[i+1]). */
struct inlinks {
    size_t *first;
    uint32_t *source;
};

static struct inlinks gather(size_t n, const uint32_t *from, const uint32_t *to, size_t links)
{
    struct inlinks g = {SHARC_NEW_ARRAY(size_t, n + 1), NULL};
    size_t all = 0;
    for (size_t i = 0; i < links; i++)
        if (counts(n, from[i], to[i])) g.first[to[i] + 1]++, all++;
    for (size_t i = 0; i < n; i++) g.first[i + 1] += g.first[i];
    g.source = SHARC_NEW_ARRAY(uint32_t, all);
    for (size_t i = 0; i < links; i++)
        if (counts(n, from[i], to[i])) g.source[g.first[to[i]]++] = from[i];
    memmove(g.first + 1, g.first, n * sizeof *g.first); /* each start has moved to its end */
    g.first[0] = 0;
    return g;
}

/* One round: share is what each page passes on per link. Returns how far the
 * ranks moved in all. */
static double spread(size_t n, const struct inlinks *g, const double *share, double base, double damping, double *rank)
{
    double moved = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = g->first[i]; k < g->first[i + 1]; k++) sum += share[g->source[k]];
        double now = base + damping * sum;
        moved += fabs(now - rank[i]);
        rank[i] = now;
    }
    return moved;
}

unsigned sharc_rate_pagerank(size_t n, const uint32_t *from, const uint32_t *to, size_t links, double damping,
                             double tolerance, unsigned max_rounds, double *ret)
{
    if (n == 0) return 0;
    SHARC_AUTO(sharc_freep) uint32_t *out = SHARC_NEW_ARRAY(uint32_t, n);
    SHARC_AUTO(sharc_freep) double *share = SHARC_NEW_ARRAY(double, n);
    struct inlinks g = gather(n, from, to, links);
    SHARC_AUTO(sharc_freep) size_t *first = g.first;
    SHARC_AUTO(sharc_freep) uint32_t *source = g.source;
    (void)first, (void)source; /* released with the scope */
    for (size_t i = 0; i < links; i++)
        if (counts(n, from[i], to[i])) out[from[i]]++;
    for (size_t i = 0; i < n; i++) ret[i] = 1.0 / (double)n;
    unsigned rounds = 0;
    for (double moved = HUGE_VAL; moved > tolerance && rounds < max_rounds; rounds++) {
        double dangling = 0;
        for (size_t i = 0; i < n; i++) {
            share[i] = out[i] ? ret[i] / out[i] : 0;
            if (!out[i]) dangling += ret[i];
        }
        moved = spread(n, &g, share, (1 - damping + damping * dangling) / (double)n, damping, ret);
    }
    for (size_t i = 0; i < n; i++) ret[i] *= (double)n;
    return rounds;
}

void sharc_rate_inlinks(size_t n, const uint32_t *from, const uint32_t *to, size_t links, uint32_t *ret)
{
    memset(ret, 0, n * sizeof *ret);
    for (size_t i = 0; i < links; i++)
        if (counts(n, from[i], to[i])) ret[to[i]]++;
}

void sharc_rate_indegree(size_t n, const uint32_t *from, const uint32_t *to, size_t links, double *ret)
{
    double sum = (double)n;
    for (size_t i = 0; i < n; i++) ret[i] = 1;
    for (size_t i = 0; i < links; i++)
        if (counts(n, from[i], to[i])) ret[to[i]] += 1, sum += 1;
    for (size_t i = 0; i < n; i++) ret[i] *= (double)n / sum;
}
