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
#include "crawl_int.h"

/* Is there room for it now? */
static bool fits(const struct site *s, const struct page *p)
{
    const struct sharc_crawl_pace *pace = &s->crawl->o.pace;
    if (s->limit_visits) return false;
    return (p->flags & PAGE_FOLLOWER) || !pace->pages || s->count.visits + s->late.count + s->waiting < pace->pages;
}

static void take_back(struct site *s, uint32_t page)
{
    struct page *p = &s->pages.page[page];
    struct task t = {.kind = TASK_VISIT, .page = page, .slot = s->slots ? s->slots - 1 : 0};
    bool embed = (p->flags & PAGE_FOLLOWER) != 0;
    p->state = embed ? PAGE_WAITING : PAGE_LATE;
    p->reason = SHARC_SKIP_NONE;
    s->count.skipped--;
    s->given_up -= !embed && s->given_up > 0;
    s->second_chances = true;
    sharc__crawl_j_page(s, page);
    if (embed)
        sharc__crawl_fetch_now(s, page);
    else
        sharc__crawl_queue_push(&s->late, &t);
}

static uint64_t reconsider(struct site *s)
{
    uint64_t in = 0;
    sharc__crawl_measure(s);
    for (uint32_t i = 0; i < pages_count(&s->pages); i++) {
        const struct page *p = &s->pages.page[i];
        enum sharc_crawl_reason why = (enum sharc_crawl_reason)p->reason;
        if ((p->flags & PAGE_ERRAND) || !sharc__crawl_reason_may_change(why)) continue;
        if (p->state == PAGE_REJECTED) {
            in += sharc__crawl_second_chance(s, i);
        } else if (p->state == PAGE_DONE && fits(s, p) && !sharc__crawl_shut_out(s, i)) {
            take_back(s, i);
            in++;
        }
    }
    return in;
}

void sharc__crawl_reconsider(struct site *s)
{
    uint64_t in = reconsider(s);
    if (in)
        sharc__crawl_remark(s->crawl, "%s: %s let in now", s->name,
                            SHARC_COUNT(in, "URL that was left out is|URLs that were left out are"));
}

bool sharc__crawl_make_room(struct site *s)
{
    uint64_t limit = s->crawl->o.pace.pages;
    sharc__crawl_measure(s);
    if (s->visits_over || s->limit_visits) return false;
    if (!limit || s->made_room >= s->given_up || s->told - s->given_up >= limit) return false;
    s->made_room = s->given_up;
    return reconsider(s) > 0;
}

/* All reasons that may not hold any longer. */
static size_t reasons_decided_anew(const char *words[SHARC_CRAWL_REASON_COUNT])
{
    size_t n = 0;
    for (int i = 0; i < SHARC_CRAWL_REASON_COUNT; i++) {
        enum sharc_crawl_reason why = (enum sharc_crawl_reason)i;
        if (sharc__crawl_reason_decided_anew(why)) words[n++] = sharc_crawl_reason_word(why);
    }
    return n;
}

int sharc__crawl_skipped_anew(struct site *s, struct sharc_err *reterr)
{
    const char *words[SHARC_CRAWL_REASON_COUNT];
    size_t n = reasons_decided_anew(words);
    int r = sharc_store_skipped_forget(s->crawl->w.store, s->capture, words, n, reterr);
    for (uint32_t i = 0; i < pages_count(&s->pages) && r == 0; i++) {
        enum sharc_crawl_reason why = (enum sharc_crawl_reason)s->pages.page[i].reason;
        if (!sharc__crawl_reason_decided_anew(why)) continue;
        r = sharc_store_batch_skipped(s->crawl->batch, s->capture, page_url(&s->pages, i),
                                      sharc_span_of(sharc_crawl_reason_word(why)), SHARC_SPAN_NONE, reterr);
        if (r == 0 && sharc_store_batch_full(s->crawl->batch)) r = sharc__crawl_commit(s->crawl, reterr);
    }
    return r;
}
