/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues and phases:
 *
 *   PREPARING --preparations done--> VISITS --first second look--> LOOKS
 *                                       |                            |
 *                                       +------first revisit---------+--> REVISITS
 *                                                                            |
 *                                            DONE <--no pair is wanted-- CONTROLS
 *
 *   and from any of them: SUSPENDED, to be resumed another day
 */
#include "agenda.h"

void sharc__crawl_agenda_init(struct agenda *a)
{
    a->turn =
        (struct turning){.apex = NO_PAGE, .last_page = NO_PAGE, .last_download = NO_PAGE, .reference = SHARC_TIME_NONE};
    a->limits = (struct limits){.run_began = SHARC_TIME_NONE};
}

void sharc__crawl_agenda_done(struct agenda *a)
{
    sharc_strategy_freep(&a->plan.strategy);
    sharc__crawl_queue_done(&a->retries);
    sharc__crawl_queue_done(&a->preparations);
    sharc__crawl_queue_done(&a->embeds);
    sharc__crawl_queue_done(&a->extra_revisits);
    sharc__crawl_queue_done(&a->after_all);
}

void sharc__crawl_agenda_pace(struct agenda *a, const struct sharc_crawl_pace *pace)
{
    a->pace = *pace;
}

void sharc__crawl_agenda_phase(struct agenda *a, enum sharc_crawl_phase phase)
{
    a->phase = phase;
}

void sharc__crawl_agenda_given_up(struct agenda *a, int n)
{
    if (n > 0)
        a->plan.given_up++;
    else if (a->plan.given_up > 0)
        a->plan.given_up--;
}

void sharc__crawl_agenda_downloaded(struct agenda *a, uint32_t page)
{
    a->turn.last_download = page;
}

/* --- the task at hand ---------------------------------------------------------------- */

void sharc__crawl_agenda_choose(struct agenda *a, const struct task *t)
{
    a->current = *t;
    a->has_current = true;
}

void sharc__crawl_agenda_put_back(struct agenda *a)
{
    a->has_current = false;
    sharc__crawl_queue_push_front(&a->retries, &a->current);
}

struct task sharc__crawl_agenda_begin(struct agenda *a)
{
    a->has_current = false;
    a->downloading++;
    a->outstanding++;
    sharc__crawl_pages_mark(a->pages, a->current.page, PAGE_UNDER_WAY, true);
    return a->current;
}

void sharc__crawl_agenda_ended(struct agenda *a)
{
    a->downloading--;
}

void sharc__crawl_agenda_applied(struct agenda *a)
{
    a->outstanding--;
}

/* --- queues ------------------------------------------------------------------------------ */

/* A task that belongs to the strategy's last slot, though the strategy does not know of it. */
static struct task beside_the_plan(const struct agenda *a, enum task_kind kind, uint32_t page)
{
    return (struct task){.kind = kind, .page = page, .slot = a->plan.slots ? a->plan.slots - 1 : 0};
}

static struct queue *queue_of(struct agenda *a, enum agenda_queue queue)
{
    switch (queue) {
    case RETRIES: return &a->retries;
    case PREPARATIONS: return &a->preparations;
    case EMBEDS: return &a->embeds;
    case EXTRA_REVISITS: return &a->extra_revisits;
    case AFTER_ALL: break;
    }
    return &a->after_all;
}

bool sharc__crawl_agenda_take(struct agenda *a, enum agenda_queue queue, struct task *ret)
{
    return sharc__crawl_queue_pop(queue_of(a, queue), ret);
}

bool sharc__crawl_agenda_take_due(struct agenda *a, struct task *ret)
{
    return sharc__crawl_queue_pop_due(&a->retries, crawl_now(a->ctx), ret);
}

void sharc__crawl_agenda_behind_extra(struct agenda *a, const struct task *slot, struct task *ret)
{
    sharc__crawl_queue_push(&a->extra_revisits, slot);
    (void)sharc__crawl_queue_pop(&a->extra_revisits, ret);
}

void sharc__crawl_agenda_retry(struct agenda *a, const struct task *t)
{
    sharc__crawl_queue_push_front(&a->retries, t);
}

void sharc__crawl_agenda_retry_last(struct agenda *a, const struct task *t)
{
    sharc__crawl_queue_push(&a->retries, t);
}

void sharc__crawl_agenda_prepare(struct agenda *a, const struct task *t)
{
    sharc__crawl_queue_push(&a->preparations, t);
}

void sharc__crawl_agenda_prepare_first(struct agenda *a, const struct task *t)
{
    sharc__crawl_queue_push_front(&a->preparations, t);
}

void sharc__crawl_agenda_embed(struct agenda *a, uint32_t page)
{
    struct task t = beside_the_plan(a, TASK_EMBED, page);
    sharc__crawl_queue_push(&a->embeds, &t);
}

void sharc__crawl_agenda_revisit_at(struct agenda *a, uint32_t page, sharc_time when)
{
    struct task t = beside_the_plan(a, TASK_REVISIT, page);
    t.not_before = when;
    sharc__crawl_queue_push(&a->retries, &t);
}

void sharc__crawl_agenda_extra_revisit(struct agenda *a, uint32_t page)
{
    struct task t = beside_the_plan(a, TASK_REVISIT, page);
    sharc__crawl_queue_push(&a->extra_revisits, &t);
}

void sharc__crawl_agenda_after_all(struct agenda *a, uint32_t page)
{
    struct task t = beside_the_plan(a, TASK_VISIT, page);
    sharc__crawl_queue_push(&a->after_all, &t);
}

/* --- resumed ----------------------------------------------------------------------------- */

static enum sharc_crawl_phase phase_of(const struct agenda *a)
{
    if (a->turn.visits_over) return SHARC_CRAWL_REVISITS;
    if (a->count->looks) return SHARC_CRAWL_LOOKS;
    return a->plan.started ? SHARC_CRAWL_VISITS : SHARC_CRAWL_PREPARING;
}

static void requeue(struct agenda *a, uint32_t page)
{
    const struct page *p = &a->pages->page[page];
    const struct version *v = page_version(a->pages, page);
    if ((p->flags & PAGE_PREPARATION) && p->hop == 'M' && !a->plan.started) {
        struct task t = beside_the_plan(a, TASK_LIST, page);
        sharc__crawl_agenda_prepare(a, &t);
    } else if ((p->flags & PAGE_FOLLOWER) && p->state == PAGE_WAITING) {
        sharc__crawl_agenda_embed(a, page);
    }
    a->plan.given_up += (p->flags & PAGE_KNOWN_TO_STRATEGY) && p->state == PAGE_DONE && p->reason && !(v && v->status);
    if (p->state == PAGE_AFTER_ALL) sharc__crawl_agenda_after_all(a, page);
    if (!a->turn.visits_over || !v) return;
    /* Followers of a page that was revisited, and the apex's own. */
    bool lead = v->revisited || page == a->turn.apex, last = page == a->turn.last_download;
    bool asked_for = a->plan.ops->revisit_order == SHARC_REVISITS_SAME; /* by the strategy */
    if (!v->revisited && v->reason == SHARC_GRADED_WORD_BROKEN) sharc__crawl_agenda_extra_revisit(a, page);
    if (!v->revisited && !asked_for && (last || (page == a->turn.apex && !(p->flags & PAGE_FOLLOWER))))
        sharc__crawl_agenda_extra_revisit(a, page);
    for (uint32_t f = p->first; lead && f != NO_PAGE; f = a->pages->page[f].next)
        sharc__crawl_agenda_extra_revisit(a, f); /* what needs none is dropped when chosen */
}

void sharc__crawl_agenda_requeue(struct agenda *a)
{
    a->phase = phase_of(a);
    for (uint32_t p = 0; p < pages_count(a->pages); p++) requeue(a, p);
}

void sharc__crawl_agenda_state(const struct agenda *a, struct journal_state *ret)
{
    ret->count = *a->count;
    ret->reference = a->turn.reference;
    ret->apex = a->turn.apex;
    ret->last_page = a->turn.last_page;
    ret->last_download = a->turn.last_download;
    ret->visits_over = a->turn.visits_over;
    ret->limit_visits = a->limits.visits;
    ret->limit_all = a->limits.all;
    ret->limit_reason = a->limits.reason;
}

void sharc__crawl_agenda_restore(struct agenda *a, const struct journal_state *s)
{
    *a->count = s->count;
    a->turn = (struct turning){.visits_over = s->visits_over,
                               .apex = s->apex,
                               .last_page = s->last_page,
                               .last_download = s->last_download,
                               .reference = s->reference};
    a->limits.visits = s->limit_visits;
    a->limits.all = s->limit_all;
    a->limits.reason = s->limit_reason;
}
