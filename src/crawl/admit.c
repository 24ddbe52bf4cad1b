/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict on a URL that was found, and what follows from it.
 */
#include "frontier.h"

#include "crawl_log.h"
#include "reasons.h"

#include <stdlib.h>

enum {
    REDIRECTS = 20,       /* in a row */
    EMBED_HOPS = 5,       /* a style in a frame in a frame … */
    ROW_OF_DATES = 24,    /* months that follow each other */
    ROW_OF_NUMBERS = 1000 /* pages of a list that follow each other */
};

static unsigned redirects_before(const struct pages *p, uint32_t page)
{
    unsigned n = 0;
    for (; page != NO_PAGE && p->page[page].hop == 'R'; page = p->page[page].via) n++;
    return n;
}

/* Two rows may alternate (month, day, month, …): look two steps back. */
static uint16_t row_length(const struct pages *p, uint32_t page, const struct shape *shape)
{
    if (!shape->numbers) return 0;
    uint32_t at = p->page[page].via;
    for (unsigned step = 0; step < 2 && at != NO_PAGE; step++, at = p->page[at].via) {
        if (p->page[at].hop == 0 || sharc__crawl_shape(page_url(p, at)).print != shape->print) continue;
        return (uint16_t)(p->page[at].run < UINT16_MAX ? p->page[at].run + 1 : UINT16_MAX);
    }
    return 0;
}

void sharc__crawl_remember_sessions(struct frontier *f)
{
    for (uint32_t page = 0; page < pages_count(f->pages); page++) {
        if (f->pages->page[page].state == PAGE_REJECTED) continue;
        uint64_t key = sharc__crawl_session(page_url(f->pages, page), &f->scratch);
        if (key) *sharc_map64_at(&f->sessions, key) = 1 + (uint64_t)page;
    }
}

static bool is_other_session(struct frontier *f, uint32_t page)
{
    uint64_t key = sharc__crawl_session(page_url(f->pages, page), &f->scratch);
    const uint64_t *known = key ? sharc_map64_find(&f->sessions, key) : NULL;
    if (known) return *known != 1 + (uint64_t)page;
    if (key) *sharc_map64_at(&f->sessions, key) = 1 + (uint64_t)page;
    return false;
}

static enum sharc_crawl_reason trap(struct pages *p, uint32_t page)
{
    struct shape shape = sharc__crawl_shape(page_url(p, page));
    uint16_t run = row_length(p, page, &shape);
    sharc__crawl_pages_set_run(p, page, run);
    if (run > ROW_OF_NUMBERS) return SHARC_SKIP_TRAP_NUMBERS;
    if (shape.dated && run > ROW_OF_DATES) return SHARC_SKIP_TRAP_CALENDAR;
    return SHARC_SKIP_NONE;
}

static enum sharc_crawl_reason limit_reason(struct sharc_span rule)
{
    static const struct {
        struct sharc_span limit;
        enum sharc_crawl_reason why;
    } limits[] = {{SHARC_SPAN("max-depth"), SHARC_SKIP_DEPTH},
                  {SHARC_SPAN("max-length"), SHARC_SKIP_TRAP_LENGTH},
                  {SHARC_SPAN("max-segments"), SHARC_SKIP_TRAP_SEGMENTS},
                  {SHARC_SPAN("max-repeats"), SHARC_SKIP_TRAP_REPEAT}};
    for (size_t i = 0; i < SHARC_LENGTH(limits); i++) {
        if (sharc_span_starts(rule, limits[i].limit)) return limits[i].why;
    }
    return SHARC_SKIP_SCOPE;
}

static enum sharc_crawl_reason scope_reason(const struct frontier *f, const struct sharc_url *u, const struct page *p,
                                            bool embed)
{
    struct sharc_scope_verdict v;
    if (sharc_scope_check(f->scope, u, p->depth, &v)) return SHARC_SKIP_NONE;
    switch (v.why) {
    case SHARC_SCOPE_LIMIT: return limit_reason(v.rule);
    case SHARC_SCOPE_SCHEME: return SHARC_SKIP_SCHEME;
    case SHARC_SCOPE_RULE: return SHARC_SKIP_EXCLUDED;
    case SHARC_SCOPE_NO_RULE: break;
    }
    return embed ? SHARC_SKIP_NONE : SHARC_SKIP_SCOPE;
}

enum sharc_crawl_reason sharc__crawl_shut_out(struct frontier *f, uint32_t page)
{
    const struct page *p = &f->pages->page[page];
    if (sharc_url_parse(&f->url, page_url(f->pages, page), NULL, NULL) < 0) return SHARC_SKIP_BAD_URL;
    return scope_reason(f, &f->url, p, p->embed_hops > 0);
}

static bool is_private(const struct context *c, const struct sharc_url *u)
{
    enum sharc_address_kind kind;
    if (c->o.allow_private || sharc_address_kind_of_host(sharc_url_host(u), &kind) < 0) return false;
    return kind != SHARC_ADDRESS_PUBLIC;
}

static bool robots_forbid(const struct frontier *f, const struct sharc_url *u)
{
    return !f->ctx->o.ignore_robots && sharc__crawl_host_forbids(f->hosts, sharc__crawl_hosts_of(f->hosts, u), u);
}

static bool are_enough(const struct frontier *f)
{
    const uint64_t limit = f->agenda->pace.pages;
    return limit && f->agenda->plan.known - f->agenda->plan.given_up >= limit;
}

static enum sharc_crawl_reason verdict_on(struct frontier *f, uint32_t page, const struct finding *found)
{
    const struct page *p = &f->pages->page[page];
    if (sharc_url_parse(&f->url, page_url(f->pages, page), NULL, NULL) < 0) return SHARC_SKIP_BAD_URL;
    if (!sharc_url_is_http(&f->url)) return SHARC_SKIP_SCHEME;
    if (p->hop == 'R' && redirects_before(f->pages, page) > REDIRECTS) return SHARC_SKIP_REDIRECTS;
    if (p->embed_hops > EMBED_HOPS) return SHARC_SKIP_EMBED_HOPS;
    bool embed = found->embed || (p->hop == 'R' && p->embed_hops > 0);
    enum sharc_crawl_reason why = scope_reason(f, &f->url, p, embed);
    if (why == SHARC_SKIP_SCOPE && (p->flags & (PAGE_MOVED_SEED | PAGE_SEED))) {
        sharc__crawl_scope_moved_seed(f, &f->url);
        why = scope_reason(f, &f->url, p, embed);
    }
    if (why) return why;
    if (is_private(f->ctx, &f->url)) return SHARC_SKIP_PRIVATE;
    why = trap(f->pages, page);
    if (why) return why;
    if (robots_forbid(f, &f->url)) return SHARC_SKIP_ROBOTS;
    if (!(p->flags & PAGE_SEED) && is_other_session(f, page)) return SHARC_SKIP_TRAP_SESSION;
    return !embed && are_enough(f) ? SHARC_SKIP_LIMIT_PAGES : SHARC_SKIP_NONE;
}

/* --- what follows ------------------------------------------------------------------- */

static void leave_out(struct frontier *f, uint32_t page, enum page_state state, enum sharc_crawl_reason why,
                      struct sharc_span detail)
{
    sharc__crawl_pages_set_state(f->pages, page, state, (uint8_t)why);
    sharc__crawl_note_page(f->journal, f->pages, page);
    sharc__crawl_rows_skip(f->capture, page, why, detail);
    f->count->skipped++;
    if (sharc__crawl_reason_logged(why)) sharc__crawl_log_skip(f->capture, page, why);
}

void sharc__crawl_skip(struct frontier *f, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail)
{
    leave_out(f, page, PAGE_DONE, why, detail);
}

void sharc__crawl_failed(struct frontier *f, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail)
{
    sharc__crawl_pages_set_state(f->pages, page, PAGE_DONE, (uint8_t)why);
    sharc__crawl_note_page(f->journal, f->pages, page);
    sharc__crawl_rows_skip(f->capture, page, why, detail);
    f->count->skipped++;
}

void sharc__crawl_unskip(struct frontier *f, uint32_t page, enum page_state state)
{
    sharc__crawl_pages_set_state(f->pages, page, state, SHARC_SKIP_NONE);
    sharc__crawl_note_page(f->journal, f->pages, page);
    f->count->skipped--;
    f->second_chances = true;
}

void sharc__crawl_had_second_chance(struct frontier *f)
{
    f->second_chances = true;
}

void sharc__crawl_note_age_of(struct frontier *f, uint32_t page)
{
    double age, given;
    if (sharc__crawl_rate_age(f->rates, page, &age, &given)) sharc__crawl_note_age(f->journal, page, given, age);
}

/* What is said about a page is kept, and written down. */
static void take_at_word(struct frontier *f, uint32_t page, const struct finding *found)
{
    sharc__crawl_pages_set_rate(f->pages, page, sharc__crawl_rate_found(f->rates, f->ctx, f->pages, page, found));
    sharc__crawl_weigh(f->ctx, f->pages, page, found);
}

/* It comes with the page that shows it. */
static void let_follow(struct frontier *f, uint32_t page, const struct finding *found)
{
    sharc__crawl_pages_mark(f->pages, page, PAGE_FOLLOWER, true);
    sharc__crawl_note_page(f->journal, f->pages, page);
    sharc__crawl_pages_follow(f->pages, found->via, page);
    sharc__crawl_note_follow(f->journal, found->via, page);
    if (sharc__crawl_pages_take_aside(f->pages, page)) sharc__crawl_note_version(f->journal, f->pages, page);
    sharc__crawl_agenda_embed(f->agenda, page);
}

static void let_in(struct frontier *f, uint32_t page, const struct finding *found)
{
    sharc__crawl_pages_set_state(f->pages, page, PAGE_WAITING, SHARC_SKIP_NONE);
    take_at_word(f, page, found);
    /* A page in a frame, an image, a style. */
    if (found->embed || (found->hop == 'R' && f->pages->page[page].embed_hops > 0)) {
        let_follow(f, page, found);
        return;
    }
    sharc__crawl_note_page(f->journal, f->pages, page);
    sharc__crawl_note_age_of(f, page);
    sharc__crawl_plan_tell(f->agenda, page);
}

static bool decide(struct frontier *f, uint32_t page, const struct finding *found, enum sharc_crawl_reason why)
{
    if (why)
        leave_out(f, page, PAGE_REJECTED, why, SHARC_SPAN_NONE);
    else
        let_in(f, page, found);
    return !why;
}

static bool decide_again(struct frontier *f, uint32_t page, const struct finding *found, enum sharc_crawl_reason why)
{
    f->count->skipped--; /* counted again under its new reason */
    f->second_chances = true;
    return decide(f, page, found, why);
}

bool sharc__crawl_decide_anew(struct frontier *f, uint32_t page)
{
    const struct page *p = &f->pages->page[page];
    enum sharc_crawl_reason before = (enum sharc_crawl_reason)p->reason;
    struct finding found = FINDING(page_url(f->pages, page), p->via, p->hop);
    found.embed = p->hop == 'E' || p->hop == 'X';
    enum sharc_crawl_reason why = verdict_on(f, page, &found);
    return why != before && decide_again(f, page, &found, why);
}

/* --- found -------------------------------------------------------------------------------- */

static bool deserves_another_look(const struct frontier *f, const struct page *p, const struct finding *found)
{
    if (p->reason == SHARC_SKIP_SCOPE) return found->embed || found->hop == 0;
    if (p->reason != SHARC_SKIP_DEPTH || found->via == NO_PAGE) return false;
    return sharc__crawl_pages_depth(f->pages, found) < p->depth;
}

/* Later knowledge about a page that waits. */
static void learn(struct frontier *f, uint32_t page, const struct finding *found)
{
    if (!found->source || (found->modified == SHARC_TIME_NONE && !found->frequency && found->priority < 0)) return;
    take_at_word(f, page, found);
    sharc__crawl_note_page(f->journal, f->pages, page);
    sharc__crawl_note_age_of(f, page);
    if (f->pages->page[page].flags & PAGE_KNOWN_TO_STRATEGY) sharc__crawl_plan_tell(f->agenda, page);
}

static void found_again(struct frontier *f, uint32_t page, const struct finding *found)
{
    const struct page *p = &f->pages->page[page];
    const bool known = (p->flags & PAGE_KNOWN_TO_STRATEGY) != 0;
    if (p->flags & PAGE_PREPARATION) return;
    if (p->state == PAGE_REJECTED && deserves_another_look(f, p, found)) {
        sharc__crawl_pages_origin(f->pages, page, found);
        decide_again(f, page, found, verdict_on(f, page, found));
    } else if (p->state == PAGE_WAITING && known && found->embed && !f->agenda->turn.visits_over) {
        sharc__crawl_agenda_embed(f->agenda, page); /* the strategy's own visit will find it done */
    } else if (p->state == PAGE_WAITING) {
        learn(f, page, found);
    }
}

uint32_t sharc__crawl_found(struct frontier *f, const struct finding *found)
{
    if (found->url.n == 0 || found->url.n > SHARC_LIMIT_URL) return NO_PAGE;
    bool fresh = false;
    uint32_t page = sharc__crawl_pages_add(f->pages, found->url, &fresh);
    if (!fresh) {
        found_again(f, page, found);
        return page;
    }
    sharc__crawl_pages_origin(f->pages, page, found);
    decide(f, page, found, verdict_on(f, page, found));
    return page;
}

uint32_t sharc__crawl_found_preparation(struct frontier *f, struct sharc_span url, uint32_t via, char hop)
{
    bool fresh = false;
    uint32_t page = sharc__crawl_pages_add(f->pages, url, &fresh);
    if (!fresh) return page;
    struct finding found = FINDING(url, via, hop);
    sharc__crawl_pages_origin(f->pages, page, &found);
    sharc__crawl_pages_set_state(f->pages, page, PAGE_WAITING, SHARC_SKIP_NONE);
    sharc__crawl_pages_mark(f->pages, page, PAGE_PREPARATION, true);
    sharc__crawl_note_page(f->journal, f->pages, page);
    return page;
}
