/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules or the limits have changed while a capture runs:
 *
 *   turned down ──> let in, when the rules are now for it
 *   given up    ──> fetched after all: the strategy has heard that it failed, so these
 *                   come last, in the order in which it would have had them; they are
 *                   not revisited
 *   waiting     ──> dropped when its turn comes and the rules are now against it
 */
#include "frontier.h"

#include "reasons.h"

/* Is there room for it now? */
static bool fits(const struct frontier *f, const struct page *p)
{
    const struct agenda *a = f->agenda;
    const uint64_t limit = a->pace.pages;
    if (a->limits.visits) return false;
    return (p->flags & PAGE_FOLLOWER) || !limit || f->count->visits + a->after_all.count + a->plan.waiting < limit;
}

static void take_back(struct frontier *f, uint32_t page)
{
    bool embed = (f->pages->page[page].flags & PAGE_FOLLOWER) != 0;
    sharc__crawl_unskip(f, page, embed ? PAGE_WAITING : PAGE_AFTER_ALL);
    if (embed) {
        sharc__crawl_agenda_embed(f->agenda, page);
    } else {
        sharc__crawl_agenda_given_up(f->agenda, -1);
        sharc__crawl_agenda_after_all(f->agenda, page);
    }
}

uint64_t sharc__crawl_reconsider(struct frontier *f)
{
    uint64_t in = 0;
    sharc__crawl_limits_measure(f->agenda);
    for (uint32_t i = 0; i < pages_count(f->pages); i++) {
        const struct page *p = &f->pages->page[i];
        if ((p->flags & PAGE_PREPARATION) || !sharc__crawl_reason_may_change((enum sharc_crawl_reason)p->reason))
            continue;
        if (p->state == PAGE_REJECTED) {
            in += sharc__crawl_decide_anew(f, i);
        } else if (p->state == PAGE_DONE && fits(f, p) && !sharc__crawl_shut_out(f, i)) {
            take_back(f, i);
            in++;
        }
    }
    return in;
}

bool sharc__crawl_make_room(struct frontier *f)
{
    const struct agenda *a = f->agenda;
    uint64_t limit = a->pace.pages;
    sharc__crawl_limits_measure(f->agenda);
    if (a->turn.visits_over || a->limits.visits) return false;
    if (!limit || f->made_room >= a->plan.given_up || a->plan.known - a->plan.given_up >= limit) return false;
    f->made_room = a->plan.given_up;
    return sharc__crawl_reconsider(f) > 0;
}
