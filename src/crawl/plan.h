/* SPDX-License-Identifier: Apache-2.0
 *
 * The strategy of a site: what it is told and what it says (plan.c), and what its slots
 * mean (revisits.c). Every call is written down, and made again when a capture is resumed.
 */
#ifndef SHARC_CRAWL_PLAN_INT_H
#define SHARC_CRAWL_PLAN_INT_H

#include "agenda.h"

int sharc__crawl_plan_begin(struct agenda *a, const struct sharc_strategy_ops *ops,
                            const struct sharc_strategy_params *params, struct sharc_err *reterr);
/* A page became known, or its rate and weight other ones. */
void sharc__crawl_plan_tell(struct agenda *a, uint32_t page);
/* False: nothing is left. */
bool sharc__crawl_plan_next(struct agenda *a, struct sharc_slot *ret);
void sharc__crawl_plan_observed(struct agenda *a, const struct sharc_observation *o);
/* Nothing was downloaded for its slot. */
void sharc__crawl_plan_not_fetched(struct agenda *a, uint32_t page, enum sharc_change_class change);
/* … because the page came with another one before its turn. */
void sharc__crawl_plan_done_already(struct agenda *a, uint32_t page);
/* Tell it, from time to time, what the visits taught about all pages. */
void sharc__crawl_plan_renew(struct agenda *a);

/* The same calls, as a journal has them. next: false when it says something else now; NULL: nothing. */
void sharc__crawl_plan_tell_again(struct agenda *a, uint32_t page, double rate, double weight);
bool sharc__crawl_plan_next_again(struct agenda *a, const struct sharc_slot *slot);
void sharc__crawl_plan_observed_again(struct agenda *a, const struct sharc_observation *o);
void sharc__crawl_plan_renew_again(struct agenda *a, const struct renewed *one, double slot_seconds);

/* --- revisits.c ---------------------------------------------------------------- */

/* A slot as a task; false: it needs no download. */
bool sharc__crawl_task_of_slot(struct agenda *a, const struct sharc_slot *slot, struct task *t);
/* The visits are over, the revisits begin. */
void sharc__crawl_turn_round(struct agenda *a);
/* What belongs to a page is revisited with it. */
void sharc__crawl_revisit_followers(struct agenda *a, uint32_t page);

#endif
