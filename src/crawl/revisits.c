/* SPDX-License-Identifier: Apache-2.0
 *
 * The turn from visits to revisits, and what is revisited with a page.
 */
#include "plan.h"

static void revisit_too(struct agenda *a, uint32_t page)
{
    if (version_can_be_revisited(page_version(a->pages, page))) sharc__crawl_agenda_extra_revisit(a, page);
}

void sharc__crawl_revisit_followers(struct agenda *a, uint32_t page)
{
    for (uint32_t f = a->pages->page[page].first; f != NO_PAGE; f = a->pages->page[f].next) revisit_too(a, f);
}

/* A strategy may leave out the page that it visited last, whose interval is the shortest
 * there is. But nothing is proved by itself: it is revisited like all others, first of all,
 * and so is what was downloaded last, which may be an embed. */
void sharc__crawl_turn_round(struct agenda *a)
{
    a->turn.visits_over = true;
    a->turn.apex = a->turn.last_page;
    uint32_t last = a->turn.last_download;
    const struct version *v = last == NO_PAGE ? NULL : page_version(a->pages, last);
    if (v) a->turn.reference = v->ended;
    if (a->plan.ops->revisit_order == SHARC_REVISITS_SAME) return; /* it asks for them itself */
    if (a->turn.apex != NO_PAGE) revisit_too(a, a->turn.apex);
    if (last == NO_PAGE) return;
    if (last != a->turn.apex) revisit_too(a, last);
    sharc__crawl_revisit_followers(a, last); /* a second look was not at what the page shows */
}

bool sharc__crawl_task_of_slot(struct agenda *a, const struct sharc_slot *slot, struct task *t)
{
    *t = (struct task){.kind = TASK_VISIT, .page = slot->page, .slot = a->plan.slots - 1, .of_strategy = true};
    if (slot->kind == SHARC_VISIT) {
        a->turn.last_page = slot->page;
        if (a->pages->page[slot->page].state == PAGE_WAITING) return true;
        sharc__crawl_plan_done_already(a, slot->page);
        return false;
    }
    if (slot->kind == SHARC_SECOND_LOOK) {
        t->kind = TASK_LOOK;
        a->phase = SHARC_CRAWL_LOOKS;
        a->turn.last_page = slot->page;
        return true;
    }
    t->kind = TASK_REVISIT;
    if (!a->turn.visits_over) sharc__crawl_turn_round(a);
    a->phase = SHARC_CRAWL_REVISITS;
    const struct version *v = page_version(a->pages, slot->page);
    if (v && v->revisited) {
        sharc__crawl_plan_not_fetched(a, slot->page, (enum sharc_change_class)v->change);
        return false;
    }
    return true;
}
