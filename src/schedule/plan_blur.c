/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans with one visit: organ pipes against blur, and measurable coherence.
 */
#include "schedule_int.h"

#include <math.h>
#include <stdlib.h>

#include "sharc/quality.h"

struct weighed_slot {
    double omega;
    uint32_t slot;
};

static int by_omega(const void *a, const void *b)
{
    const struct weighed_slot *x = a, *y = b;
    if (x->omega < y->omega || x->omega > y->omega) return x->omega < y->omega ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

/* The observation interval is not the capture: the hottest page gets the slot
 * with the smallest omega, wherever that is. */
static void observed_pipes(const struct ranking *r, const struct sharc_strategy_params *params, struct plan *ret)
{
    SHARC_AUTO(sharc_freep) struct weighed_slot *slots = SHARC_NEW_ARRAY(struct weighed_slot, r->n);
    for (uint32_t i = 0; i < r->n; i++) {
        slots[i] = (struct weighed_slot){sharc_quality_omega(i, params->observe_from, params->observe_to), i};
    }
    qsort(slots, r->n, sizeof *slots, by_omega);
    for (uint32_t i = 0; i < r->n; i++) {
        ret->slot[i] = slots[i].slot;
    }
}

void sharc__schedule_plan_organ_pipes(const struct ranking *r, const struct sharc_strategy_params *params,
                                      struct plan *ret)
{
    if (params->observe_from < params->observe_to) {
        observed_pipes(r, params, ret);
        return;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t cold = r->n - 1 - i; /* rank from the coldest */
        ret->slot[i] = cold % 2 == 0 ? cold / 2 : r->n - 1 - cold / 2;
    }
}

/* A page goes into the next slot k if it will most likely still be as it was at
 * the start, 1 - exp(-rate k) < risk; the others wait until the end, coldest
 * first. */
void sharc__schedule_plan_measurable(const struct ranking *r, const struct sharc_strategy_params *params,
                                     struct plan *ret)
{
    uint32_t front = 0, back = r->n;
    for (uint32_t i = 0; i < r->n; i++) {
        if (-expm1(-r->rate[i] * front) < params->risk) {
            ret->slot[i] = front++;
        } else {
            ret->slot[i] = --back;
            ret->hopeless[i] = true;
        }
    }
}
