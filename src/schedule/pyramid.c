/* SPDX-License-Identifier: Apache-2.0
 *
 * Pyramids: the page visited last is its own revisit, and the intervals around
 * it are 2, 4, … slots. Two-ended schedules, and the two classic ways to split
 * pages into hopeful and hopeless by a threshold.
 */
#include "schedule_int.h"

#include <math.h>

void sharc__schedule_pyramid_two_ended(const struct ranking *r, struct plan *plan)
{
    uint32_t shortest = 0, longest = r->n;
    double sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t k = plan->hopeless[i] ? --longest : shortest++;
        plan->slot[i] = r->n - 1 - k;
        sum += ranking_weight(r, i) * exp(-2 * r->rate[i] * k);
    }
    plan->expected = sum;
}

void sharc__schedule_pyramid_from_intervals(const struct ranking *r, const uint32_t *interval, struct plan *plan)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        plan->slot[i] = r->n - 1 - interval[i];
        sum += ranking_weight(r, i) * exp(-2 * r->rate[i] * interval[i]);
    }
    plan->expected = sum;
}

/* Hottest to coldest: the page that would take the shortest free interval is
 * hopeful if its chance to stay unchanged is at least `confidence`. */
static void threshold(const struct ranking *r, double confidence, struct plan *ret)
{
    uint32_t shortest = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        ret->hopeless[i] = exp(-2 * r->rate[i] * shortest) < confidence;
        if (!ret->hopeless[i]) shortest++;
    }
    sharc__schedule_pyramid_two_ended(r, ret);
}

void sharc__schedule_plan_threshold(const struct ranking *r, const struct sharc_strategy_params *params,
                                    struct plan *ret)
{
    threshold(r, params->confidence, ret);
}

/* With p the chance of a change per slot, 1-(1-p)^I < risk is the same test. */
void sharc__schedule_plan_inducible(const struct ranking *r, const struct sharc_strategy_params *params,
                                    struct plan *ret)
{
    threshold(r, 1 - params->risk, ret);
}
