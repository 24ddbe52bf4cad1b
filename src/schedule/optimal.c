/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc-optimal. A pyramid is always optimal (uncrossing two crossed intervals
 * never loses, because every e^(-xI) is convex), so the best schedule is the
 * best assignment of pages to the intervals 0, 2, 4, …
 */
#include "optimal.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS 8
#define GROUPS 16384
#define ROUGH_GROUPS 2048
#define NEAR_ENOUGH 1e-5 /* gap, as a share of the bound */

struct wish {
    uint32_t interval, rank;
    double loss; /* per interval further out */
};

static int nearest_first(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;
    if (x->interval != y->interval) return x->interval < y->interval ? -1 : 1;
    if (x->loss < y->loss || x->loss > y->loss) return x->loss > y->loss ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Wishes that coincide are spread over the intervals around them; whoever would
 * lose most further out comes first. */
static void plan_of_wishes(const struct ranking *r, uint32_t *interval)
{
    SHARC_AUTO(sharc_freep) struct wish *wishes = SHARC_NEW_ARRAY(struct wish, r->n);
    for (uint32_t i = 0; i < r->n; i++) {
        double loss = ranking_weight(r, i) * r->rate[i] * exp(-2 * r->rate[i] * interval[i]);
        wishes[i] = (struct wish){interval[i], i, loss};
    }
    qsort(wishes, r->n, sizeof *wishes, nearest_first);
    for (uint32_t k = 0; k < r->n; k++) {
        interval[wishes[k].rank] = k;
    }
}

static bool near_enough(const struct sharc_optimum *o)
{
    return o->bound - o->expected_coherence <= NEAR_ENOUGH * o->bound;
}

/* All weights equal: the two-ended plan is as good as it gets, what can be better
 * is the proof. */
static struct sharc_optimum prove(const struct ranking *r, const uint32_t *interval)
{
    SHARC_AUTO(sharc_freep) double *price = SHARC_NEW_ARRAY(double, r->n);
    sharc__schedule_prices_of_plan(r, interval, price);
    struct sharc_optimum best = {.expected_coherence = sharc__schedule_value_of_plan(r, interval),
                                 .bound = sharc__schedule_bound_of_prices(r, price, NULL)};
    if (near_enough(&best)) return best;
    sharc__schedule_raise_prices(r, interval, price);
    best.bound = fmin(best.bound, sharc__schedule_bound_of_prices(r, price, NULL));
    return best;
}

/* Different weights: the order by heat, on which the two-ended plan rests, is only
 * a guess. A market repairs it: at the prices of a plan every page names the
 * interval that it would like best, the wishes make the next plan, and its prices
 * move the prices at hand. The best plan and the best bound are kept; a few rounds
 * bring them together. */
static struct sharc_optimum trade(const struct ranking *r, uint32_t *interval)
{
    uint32_t n = r->n;
    SHARC_AUTO(sharc_freep) double *price = SHARC_NEW_ARRAY(double, n);
    SHARC_AUTO(sharc_freep) double *next = SHARC_NEW_ARRAY(double, n);
    SHARC_AUTO(sharc_freep) uint32_t *plan = SHARC_NEW_ARRAY(uint32_t, n);
    struct sharc_optimum best = {.expected_coherence = sharc__schedule_value_of_plan(r, interval)};
    sharc__schedule_prices_of_plan(r, interval, price);
    best.bound = sharc__schedule_bound_of_prices(r, price, plan);
    for (int k = 0; k < ROUNDS && !near_enough(&best); k++) {
        plan_of_wishes(r, plan);
        double value = sharc__schedule_value_of_plan(r, plan);
        if (value < 0.9 * best.expected_coherence) break; /* wishes too much alike: no market */
        if (value > best.expected_coherence) {
            best.expected_coherence = value;
            memcpy(interval, plan, n * sizeof *plan);
        }
        sharc__schedule_prices_of_plan(r, plan, next);
        for (uint32_t i = 0; i < n; i++) {
            price[i] += (next[i] - price[i]) / (1 + 0.5 * k);
        }
        best.bound = fmin(best.bound, sharc__schedule_bound_of_prices(r, price, plan));
    }
    return best;
}

static struct sharc_optimum solve(const struct ranking *r, uint32_t exact_up_to, uint32_t *interval)
{
    if (r->n == 0) return (struct sharc_optimum){.exact = true};
    sharc__schedule_two_ended_plan(r, GROUPS, interval);
    struct sharc_optimum best = {0};
    if (r->weight) {
        best = trade(r, interval); /* also where the exact way follows: it starts closer */
    } else if (r->n > exact_up_to) {
        best = prove(r, interval);
    }
    if (r->n <= exact_up_to) {
        best.bound = sharc__schedule_assign_exactly(r, interval);
        best.expected_coherence = sharc__schedule_value_of_plan(r, interval);
        best.exact = true;
    }
    /* Rounding must not make a plan better than its bound. */
    best.bound = fmax(best.bound, best.expected_coherence);
    return best;
}

struct sharc_optimum sharc_schedule_optimum(const double *rate, const double *weight, uint32_t n, uint32_t exact_up_to,
                                            uint32_t *ret_interval)
{
    struct ranking r;
    sharc__schedule_ranking_of(&r, rate, weight, n);
    SHARC_AUTO(sharc_freep) uint32_t *interval = SHARC_NEW_ARRAY(uint32_t, n);
    struct sharc_optimum best = solve(&r, exact_up_to, interval);
    for (uint32_t i = 0; ret_interval && i < n; i++) {
        ret_interval[r.page[i]] = interval[i];
    }
    sharc__schedule_ranking_done(&r);
    return best;
}

void sharc__schedule_optimum_roughly(const double *rate, const double *weight, uint32_t n, uint32_t *ret_interval)
{
    struct ranking r;
    sharc__schedule_ranking_of(&r, rate, weight, n);
    SHARC_AUTO(sharc_freep) uint32_t *interval = SHARC_NEW_ARRAY(uint32_t, n);
    sharc__schedule_two_ended_plan(&r, ROUGH_GROUPS, interval);
    for (uint32_t i = 0; i < n; i++) {
        ret_interval[r.page[i]] = interval[i];
    }
    sharc__schedule_ranking_done(&r);
}

void sharc__schedule_plan_optimal(const struct ranking *r, const struct sharc_strategy_params *params, struct plan *ret)
{
    if (r->n == 0) return;
    SHARC_AUTO(sharc_freep) uint32_t *interval = SHARC_NEW_ARRAY(uint32_t, r->n);
    struct sharc_optimum best = solve(r, params->exact_up_to, interval);
    sharc__schedule_pyramid_from_intervals(r, interval, ret);
    ret->expected = best.expected_coherence;
    ret->bound = best.bound;
    ret->exact = best.exact;
    /* The coldest page stands between the two ends: whoever waits longer than it
     * has been given up. */
    for (uint32_t i = 0; i < r->n; i++) {
        ret->hopeless[i] = interval[i] > interval[r->n - 1];
    }
}
