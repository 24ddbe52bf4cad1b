/* SPDX-License-Identifier: Apache-2.0
 *
 * The two-ended programme. Pages hottest first; each takes the shortest interval
 * left or the longest. After g pages, h of them long, the intervals left are
 * known, so best(g, h) needs only best(g-1, h) and best(g-1, h-1): quadratic. For
 * many pages the same over groups of equal size, each group taking a run of
 * intervals, a geometric series.
 *
 * Numbers: 16,384 groups are 134 million states of one multiplication and one
 * comparison each, and a bit per state to walk back along.
 */
#include "groups.h"
#include "optimal.h"

#include <math.h>
#include <stdlib.h>

/* Bit h of row g: the best way to (g+1, h) ended with group g going long. */
struct choices {
    uint64_t *bits;
    size_t words; /* per row */
};

static void choose(struct choices *c, uint32_t g, uint32_t h)
{
    c->bits[g * c->words + h / 64] |= UINT64_C(1) << (h % 64);
}

static bool chosen(const struct choices *c, uint32_t g, uint32_t h)
{
    return c->bits[g * c->words + h / 64] >> (h % 64) & 1;
}

/* One row: value[h] is best(g, h) before and best(g+1, h) after. */
static void step(const struct group *group, uint32_t g, uint32_t size, uint32_t n, double *value, struct choices *c)
{
    double x = 2 * group->rate, pages = group->to - group->from;
    /* The group on the intervals k, k+1, … is worth run * e^(-xk). */
    double run = group->weight * (x > 1e-12 ? expm1(-x * pages) / expm1(-x) : pages);
    double per_group = exp(-x * size);
    /* h = g+1 first: all long. With h falling both ends move outwards. */
    double longest_from = (double)n - (double)g * size - pages;
    double far = run * exp(-x * longest_from), near = run;
    value[g + 1] = value[g] + far;
    choose(c, g, g + 1);
    for (uint32_t h = g; h > 0; h--) {
        far *= per_group;
        double as_short = value[h] + near, as_long = value[h - 1] + far;
        near *= per_group;
        if (as_long > as_short) {
            value[h] = as_long;
            choose(c, g, h);
        } else {
            value[h] = as_short;
        }
    }
    value[0] += near;
}

static void plan_of_groups(const struct ranking *r, const struct group *groups, uint32_t count, uint32_t size,
                           uint32_t *ret_interval)
{
    SHARC_AUTO(sharc_freep) double *value = SHARC_NEW_ARRAY(double, count + 1);
    struct choices c = {.words = count / 64 + 1};
    c.bits = SHARC_NEW_ARRAY(uint64_t, count * c.words);
    for (uint32_t g = 0; g < count; g++) {
        step(&groups[g], g, size, r->n, value, &c);
    }

    uint32_t h = 0;
    for (uint32_t k = 1; k <= count; k++) {
        if (value[k] > value[h]) h = k;
    }
    SHARC_AUTO(sharc_freep) bool *is_long = SHARC_NEW_ARRAY(bool, count);
    for (uint32_t g = count; g > 0; g--) {
        is_long[g - 1] = chosen(&c, g - 1, h);
        if (is_long[g - 1]) h--;
    }
    free(c.bits);
    uint32_t shortest = 0, longest = r->n;
    for (uint32_t g = 0; g < count; g++) {
        for (uint32_t i = groups[g].from; i < groups[g].to; i++) {
            ret_interval[i] = is_long[g] ? --longest : shortest++;
        }
    }
}

void sharc__schedule_two_ended_plan(const struct ranking *r, uint32_t most_groups, uint32_t *ret_interval)
{
    if (r->n == 0) return;
    uint32_t size = (r->n + most_groups - 1) / most_groups, count = 0;
    SHARC_AUTO(sharc_freep) struct group *groups = sharc__schedule_groups_equal(r, size, &count);
    plan_of_groups(r, groups, count, size, ret_interval);
}
