/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the strategy. Each is made here and nowhere else, and noted in the journal;
 * sharc__crawl_…_again makes it once more from there.
 *
 * INVARIANT: sharc_strategy_next is not called while a download of its site that could
 * still discover pages is not applied and no page waits: it would close the visits too
 * early. choose.c sees to that.
 */
#include "plan.h"

#include <math.h>

#define NEWS 0.05 /* a rate that moved by less is not told again */

int sharc__crawl_plan_begin(struct agenda *a, const struct sharc_strategy_ops *ops,
                            const struct sharc_strategy_params *params, struct sharc_err *reterr)
{
    struct sharc_strategy_params with_belief = *params;
    with_belief.believe = sharc__crawl_heard_believe;
    with_belief.believe_arg = a->heard;
    a->plan.params = *params;
    a->plan.ops = ops;
    return sharc_strategy_new(ops, &with_belief, &a->plan.strategy, reterr);
}

/* --- told --------------------------------------------------------------------------- */

void sharc__crawl_plan_tell_again(struct agenda *a, uint32_t page, double rate, double weight)
{
    if (!(a->pages->page[page].flags & PAGE_KNOWN_TO_STRATEGY)) {
        sharc__crawl_pages_mark(a->pages, page, PAGE_KNOWN_TO_STRATEGY, true);
        a->plan.known++;
        a->plan.waiting++;
    }
    a->plan.exhausted = false;
    sharc_strategy_discover(a->plan.strategy, page, rate, weight);
}

void sharc__crawl_plan_tell(struct agenda *a, uint32_t page)
{
    double rate = (double)a->pages->page[page].rate * a->rates->slot_seconds;
    double weight = (double)a->pages->page[page].weight;
    sharc__crawl_note_tell(a->journal, page, rate, weight);
    sharc__crawl_plan_tell_again(a, page, rate, weight);
}

/* --- asked ---------------------------------------------------------------------------- */

static bool ask(struct agenda *a, struct sharc_slot *ret)
{
    a->plan.started = true;
    if (!sharc_strategy_next(a->plan.strategy, ret)) return false;
    a->plan.slots++;
    if (ret->hopeless) sharc__crawl_pages_mark(a->pages, ret->page, PAGE_HOPELESS, true);
    if (ret->kind == SHARC_VISIT) a->plan.waiting--;
    if (ret->kind == SHARC_SECOND_LOOK) a->plan.looking = true;
    return true;
}

bool sharc__crawl_plan_next(struct agenda *a, struct sharc_slot *ret)
{
    bool got = ask(a, ret);
    if (!got && a->plan.exhausted) return false; /* asked again in vain: not worth a line */
    a->plan.exhausted = !got;
    sharc__crawl_note_next(a->journal, got ? ret : NULL);
    return got;
}

bool sharc__crawl_plan_next_again(struct agenda *a, const struct sharc_slot *slot)
{
    struct sharc_slot now;
    bool got = ask(a, &now);
    a->plan.exhausted = !got;
    if (!got || !slot) return !got && !slot;
    if (now.page != slot->page || now.kind != slot->kind || now.hopeless != slot->hopeless) return false;
    /* Handed out; the observation that follows takes it away again. */
    struct task t = {.page = now.page, .slot = a->plan.slots - 1, .of_strategy = true, .host = UINT32_MAX};
    t.kind = now.kind == SHARC_VISIT ? TASK_VISIT : now.kind == SHARC_SECOND_LOOK ? TASK_LOOK : TASK_REVISIT;
    sharc__crawl_agenda_retry_last(a, &t);
    return true;
}

/* --- what came of it -------------------------------------------------------------------- */

void sharc__crawl_plan_observed(struct agenda *a, const struct sharc_observation *o)
{
    sharc__crawl_note_observed(a->journal, o);
    sharc_strategy_observed(a->plan.strategy, o);
}

void sharc__crawl_plan_observed_again(struct agenda *a, const struct sharc_observation *o)
{
    sharc__crawl_queue_remove(&a->retries, o->page);
    sharc_strategy_observed(a->plan.strategy, o);
}

void sharc__crawl_plan_not_fetched(struct agenda *a, uint32_t page, enum sharc_change_class change)
{
    struct sharc_observation o = {.page = page, .when = crawl_now(a->ctx), .change = change, .rate = -1};
    sharc__crawl_plan_observed(a, &o);
}

void sharc__crawl_plan_done_already(struct agenda *a, uint32_t page)
{
    const struct version *v = page_version(a->pages, page);
    bool there = v && v->visit != SHARC_TIME_NONE && v->answer != SHARC_ANSWER_GONE && v->answer != SHARC_ANSWER_FAILED;
    sharc__crawl_plan_not_fetched(a, page, there ? SHARC_NEW : SHARC_FAILED);
}

/* --- rates told anew ----------------------------------------------------------------------- */

void sharc__crawl_plan_renew_again(struct agenda *a, const struct renewed *one, double slot_seconds)
{
    sharc__crawl_pages_set_rate(a->pages, one->page, (double)one->rate);
    struct sharc_observation o = {.page = one->page,
                                  .change = SHARC_UNCHANGED,
                                  .rate = (double)one->rate * slot_seconds};
    sharc_strategy_observed(a->plan.strategy, &o);
}

static bool is_told_anew(const struct agenda *a, const struct page *p)
{
    if (!(p->flags & PAGE_KNOWN_TO_STRATEGY) || (p->flags & PAGE_RATED)) return false;
    if (p->state == PAGE_WAITING) return true;
    return a->plan.ops->revisits && p->state == PAGE_DONE && p->version != NO_VERSION;
}

void sharc__crawl_plan_renew(struct agenda *a)
{
    if (a->turn.visits_over) return;
    bool over = a->plan.waiting == 0 && a->outstanding == 0;
    if (!sharc__crawl_rates_due(a->rates, a->count->visits, over ? a->count->visits : a->plan.known)) return;
    sharc__crawl_rates_widen(a->rates, a->pages, 2.0 * a->plan.known);
    SHARC_AUTO(sharc_freep) struct renewed *all = NULL;
    size_t n = 0, room = 0;
    for (uint32_t p = 0; p < pages_count(a->pages); p++) {
        if (!is_told_anew(a, &a->pages->page[p])) continue;
        const double old = (double)a->pages->page[p].rate;
        const double rate = sharc__crawl_rate_now(a->rates, a->pages, p);
        if (fabs(rate - old) <= NEWS * old) continue;
        SHARC_GROW(all, room, n + 1);
        all[n++] = (struct renewed){p, (float)rate};
    }
    if (n == 0) return;
    sharc__crawl_note_rates(a->journal, a->rates->slot_seconds, all, n);
    for (size_t i = 0; i < n; i++) sharc__crawl_plan_renew_again(a, &all[i], a->rates->slot_seconds);
}
