/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc-optimal. A pyramid is always optimal (uncrossing two crossed intervals
 * never loses, because every e^(-xI) is convex), so the best schedule is the
 * best assignment of pages to the intervals 0, 2, 4, …
 */
#include "optimal.h"

#include <math.h>
#include <stdlib.h>

static struct sharc_optimum solve(const struct ranking *r, uint32_t exact_up_to, uint32_t *interval)
{
    if (r->n == 0) return (struct sharc_optimum){.exact = true};
    struct sharc_optimum best = {0};
    sharc__schedule_two_ended_plan(r, interval);
    if (r->n <= exact_up_to) {
        best.bound = sharc__schedule_assign_exactly(r, interval);
        best.expected_coherence = sharc__schedule_value_of_plan(r, interval);
        best.exact = true;
    } else {
        AUTO(sharc_freep) double *price = SHARC_NEW_ARRAY(double, r->n);
        sharc__schedule_prices_of_plan(r, interval, price);
        best.expected_coherence = sharc__schedule_value_of_plan(r, interval);
        best.bound = sharc__schedule_bound_of_prices(r, price);
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
    AUTO(sharc_freep) uint32_t *interval = SHARC_NEW_ARRAY(uint32_t, n);
    struct sharc_optimum best = solve(&r, exact_up_to, interval);
    for (uint32_t i = 0; ret_interval && i < n; i++) {
        ret_interval[r.page[i]] = interval[i];
    }
    sharc__schedule_ranking_done(&r);
    return best;
}

void sharc__schedule_plan_optimal(const struct ranking *r, const struct sharc_strategy_params *params, struct plan *ret)
{
    if (r->n == 0) return;
    AUTO(sharc_freep) uint32_t *interval = SHARC_NEW_ARRAY(uint32_t, r->n);
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
