/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of patterns: K-means with the k-means++ start. Everything is done in
 * the order of the pages, so one seed gives one result.
 */
#include "pattern_int.h"
#include "sharc/base_rng.h"

#include <math.h>
#include <stdlib.h>

typedef double shape[SHARC_RATE_HOURS];

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* Each further centre is a page drawn with probability in proportion to its
 * squared distance from the centres so far. */
static void start(const shape *pages, size_t n, unsigned k, uint64_t seed, shape *centre)
{
    SHARC_AUTO(sharc_freep) double *away = SHARC_NEW_ARRAY(double, n);
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed);
    size_t pick = (size_t)sharc_rng_below(&rng, n);
    for (unsigned c = 0; c < k; c++) {
        memcpy(centre[c], pages[pick], sizeof(shape));
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            double d = distance(pages[i], centre[c]);
            if (c == 0 || d < away[i]) away[i] = d;
            sum += away[i];
        }
        double aim = sharc_rng_uniform(&rng) * sum;
        for (pick = 0; pick + 1 < n && aim >= away[pick]; pick++) aim -= away[pick];
    }
}

static unsigned nearest(const shape *centre, unsigned k, const double *page, double *ret_distance)
{
    unsigned best = 0;
    double least = HUGE_VAL;
    for (unsigned c = 0; c < k; c++) {
        double d = distance(centre[c], page);
        if (d < least) least = d, best = c;
    }
    *ret_distance = least;
    return best;
}

/* New centres; a group that lost all its pages keeps its old one. */
static void move_centres(const shape *pages, const struct sharc_rate_groups *g)
{
    SHARC_AUTO(sharc_freep) double *size = SHARC_NEW_ARRAY(double, g->k);
    SHARC_AUTO(sharc_freep) shape *sum = SHARC_NEW_ARRAY(shape, g->k);
    for (size_t i = 0; i < g->n; i++) {
        size[g->group[i]] += 1;
        for (unsigned h = 0; h < SHARC_RATE_HOURS; h++) sum[g->group[i]][h] += pages[i][h];
    }
    for (unsigned c = 0; c < g->k; c++)
        for (unsigned h = 0; h < SHARC_RATE_HOURS && size[c] > 0; h++) g->centre[c][h] = sum[c][h] / size[c];
}

void sharc_rate_groups_make(const struct sharc_rate_pattern *p, size_t n, unsigned k, uint64_t seed,
                            unsigned max_rounds, struct sharc_rate_groups *ret)
{
    if (k > n) k = (unsigned)n;
    *ret = (struct sharc_rate_groups){.k = k, .n = n};
    if (k == 0) return;
    SHARC_AUTO(sharc_freep) shape *pages = SHARC_NEW_ARRAY(shape, n);
    for (size_t i = 0; i < n; i++) sharc_rate_pattern_shape(&p[i], pages[i]);
    ret->centre = SHARC_NEW_ARRAY(shape, k);
    ret->group = SHARC_NEW_ARRAY(uint32_t, n);
    start(pages, n, k, seed, ret->centre);
    bool moved = true;
    while (moved) {
        moved = false;
        ret->spread = 0;
        for (size_t i = 0; i < n; i++) {
            double d;
            uint32_t c = nearest((const shape *)ret->centre, k, pages[i], &d);
            moved |= c != ret->group[i] || ret->rounds == 0;
            ret->group[i] = c;
            ret->spread += d;
        }
        if (ret->rounds >= max_rounds) break;
        if (moved) move_centres((const shape *)pages, ret), ret->rounds++;
    }
}

void sharc_rate_groups_done(struct sharc_rate_groups *g)
{
    free(g->centre);
    free(g->group);
    *g = (struct sharc_rate_groups){.k = 0};
}

unsigned sharc_rate_groups_nearest(const struct sharc_rate_groups *g, const struct sharc_rate_pattern *p)
{
    shape s;
    double d;
    sharc_rate_pattern_shape(p, s);
    return nearest((const shape *)g->centre, g->k, s, &d);
}

struct sharc_rate_pattern sharc_rate_groups_borrow(const struct sharc_rate_groups *g, unsigned group, double level,
                                                   double hours, sharc_time now)
{
    struct sharc_rate_pattern p = {.at = now};
    double sum = 0;
    if (group >= g->k) return p;
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) sum += rate_hours_a_week(i) * g->centre[group][i];
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) {
        p.hours[i] = hours * rate_hours_a_week(i) / RATE_WEEK_HOURS;
        p.importance[i] = p.hours[i] * level * RATE_WEEK_HOURS * g->centre[group][i] / sum;
    }
    return p;
}
