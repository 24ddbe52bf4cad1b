/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "site.h"

#include <math.h>
#include <stdlib.h>

struct site site_random(uint32_t n, double skew, double known, uint64_t seed)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed);
    struct site s = {n, SHARC_NEW_ARRAY(uint32_t, n), SHARC_NEW_ARRAY(double, n), SHARC_NEW_ARRAY(double, n),
                     SHARC_NEW_ARRAY(bool, n)};
    uint32_t *rank = SHARC_NEW_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        rank[i] = i;
    }
    sharc_rng_shuffle_u32(&rng, rank, n);
    for (uint32_t i = 0; i < n; i++) {
        s.parent[i] = i > 0 ? (uint32_t)sharc_rng_below(&rng, i) : 0;
        s.rate[i] = pow(rank[i] + 1, -skew);
        s.weight[i] = 1;
        s.known[i] = i == 0 || sharc_rng_uniform(&rng) < known;
    }
    free(rank);
    return s;
}

void site_done(struct site *s)
{
    free(s->parent);
    free(s->rate);
    free(s->weight);
    free(s->known);
}

struct trace site_run(const struct site *s, const char *strategy, const struct sharc_strategy_params *params)
{
    struct trace t = {.slot = SHARC_NEW_ARRAY(struct sharc_slot, 4 * s->n + 4),
                      .visit = SHARC_NEW_ARRAY(double, s->n),
                      .revisit = SHARC_NEW_ARRAY(double, s->n)};
    struct sharc_strategy *g = NULL;
    assert_non_null(sharc_strategy_find(strategy));
    assert_int_equal(sharc_strategy_new(sharc_strategy_find(strategy), params, &g, NULL), 0);
    for (uint32_t i = 0; i < s->n; i++) {
        t.visit[i] = t.revisit[i] = -1;
        if (s->known[i]) sharc_strategy_discover(g, i, s->rate[i], s->weight[i]);
    }
    struct sharc_slot slot;
    while (sharc_strategy_next(g, &slot)) {
        assert_true(t.slots < 4 * s->n + 4);
        assert_true(slot.page < s->n);
        if (slot.kind == SHARC_REVISIT) {
            t.revisit[slot.page] = t.slots;
        } else {
            t.visit[slot.page] = t.slots;
        }
        t.slot[t.slots++] = slot;
        if (slot.kind != SHARC_VISIT) continue;
        for (uint32_t i = slot.page + 1; i < s->n; i++) {
            if (s->parent[i] == slot.page) sharc_strategy_discover(g, i, s->rate[i], s->weight[i]);
        }
    }
    sharc_strategy_report(g, &t.report);
    sharc_strategy_free(g);
    return t;
}

void trace_done(struct trace *t)
{
    free(t->slot);
    free(t->visit);
    free(t->revisit);
}

double trace_coherence(const struct site *s, const struct trace *t)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        double length = t->revisit[i] < 0 ? 0 : t->revisit[i] - t->visit[i];
        sum += s->weight[i] * exp(-s->rate[i] * length);
    }
    return sum;
}
