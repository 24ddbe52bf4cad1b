/* SPDX-License-Identifier: Apache-2.0
 *
 * Which URLs belong to a capture. Every URL that is found gets a number and a
 * verdict, once; a page that was turned down gets a second chance when it is
 * found nearer to a seed, or as part of a page.
 */
#include "crawl_int.h"

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

void sharc__crawl_note_session(struct site *s, uint32_t page)
{
    uint64_t key = sharc__crawl_session(page_url(&s->pages, page), &s->crawl->scratch);
    if (key) *sharc_map64_at(&s->sessions, key) = 1 + (uint64_t)page;
}

static bool is_other_session(struct site *s, uint32_t page)
{
    uint64_t key = sharc__crawl_session(page_url(&s->pages, page), &s->crawl->scratch);
    const uint64_t *known = key ? sharc_map64_find(&s->sessions, key) : NULL;
    if (known) return *known != 1 + (uint64_t)page;
    if (key) *sharc_map64_at(&s->sessions, key) = 1 + (uint64_t)page;
    return false;
}

static enum sharc_crawl_reason trap(const struct pages *p, uint32_t page)
{
    struct shape shape = sharc__crawl_shape(page_url(p, page));
    uint16_t run = row_length(p, page, &shape);
    p->page[page].run = run;
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

static enum sharc_crawl_reason scope_reason(const struct site *s, const struct sharc_url *u, const struct page *p,
                                            bool embed)
{
    struct sharc_scope_verdict v;
    if (sharc_scope_check(s->scope, u, p->depth, &v)) return SHARC_SKIP_NONE;
    switch (v.why) {
    case SHARC_SCOPE_LIMIT: return limit_reason(v.rule);
    case SHARC_SCOPE_SCHEME: return SHARC_SKIP_SCHEME;
    case SHARC_SCOPE_RULE: return SHARC_SKIP_EXCLUDED;
    case SHARC_SCOPE_NO_RULE: break;
    }
    return embed ? SHARC_SKIP_NONE : SHARC_SKIP_SCOPE;
}

enum sharc_crawl_reason sharc__crawl_shut_out(struct site *s, uint32_t page)
{
    const struct page *p = &s->pages.page[page];
    if (sharc_url_parse(&s->url, page_url(&s->pages, page), NULL, NULL) < 0) return SHARC_SKIP_BAD_URL;
    return scope_reason(s, &s->url, p, p->embed_hops > 0);
}

/* A seed that moved takes its scope with it. */
static void follow_seed(struct site *s, const struct sharc_url *u)
{
    if (sharc_scope_add_seed(s->scope, u, s->crawl->o.reach, NULL, NULL) == 0) sharc_scope_seal(s->scope);
}

static bool is_private(const struct sharc_crawl *c, const struct sharc_url *u)
{
    enum sharc_address_kind kind;
    if (c->o.allow_private || sharc_address_kind_of_host(sharc_url_host(u), &kind) < 0) return false;
    return kind != SHARC_ADDRESS_PUBLIC;
}

static bool robots_forbid(struct sharc_crawl *c, const struct sharc_url *u)
{
    if (c->o.ignore_robots) return false;
    uint32_t host = sharc__crawl_hosts_of(&c->hosts, u); /* may move the table */
    const struct host *h = &c->hosts.host[host];
    return h->robots == ROBOTS_KNOWN && !sharc_robots_allowed(h->rules, sharc_url_href(u), NULL);
}

static enum sharc_crawl_reason verdict_on(struct site *s, uint32_t page, const struct finding *f)
{
    struct sharc_crawl *c = s->crawl;
    struct page *p = &s->pages.page[page];
    if (sharc_url_parse(&s->url, page_url(&s->pages, page), NULL, NULL) < 0) return SHARC_SKIP_BAD_URL;
    if (!sharc_url_is_http(&s->url)) return SHARC_SKIP_SCHEME;
    if (p->hop == 'R' && redirects_before(&s->pages, page) > REDIRECTS) return SHARC_SKIP_REDIRECTS;
    if (p->embed_hops > EMBED_HOPS) return SHARC_SKIP_EMBED_HOPS;
    bool embed = f->embed || (p->hop == 'R' && p->embed_hops > 0);
    enum sharc_crawl_reason why = scope_reason(s, &s->url, p, embed);
    if (why == SHARC_SKIP_SCOPE && (p->flags & (PAGE_MOVED_SEED | PAGE_SEED))) {
        follow_seed(s, &s->url);
        why = scope_reason(s, &s->url, p, embed);
    }
    if (why) return why;
    if (is_private(c, &s->url)) return SHARC_SKIP_PRIVATE;
    why = trap(&s->pages, page);
    if (why) return why;
    if (robots_forbid(c, &s->url)) return SHARC_SKIP_ROBOTS;
    if (!(p->flags & PAGE_SEED) && is_other_session(s, page)) return SHARC_SKIP_TRAP_SESSION;
    if (!embed && c->o.pace.pages && s->told - s->given_up >= c->o.pace.pages) return SHARC_SKIP_LIMIT_PAGES;
    return SHARC_SKIP_NONE;
}

static void set_origin(struct site *s, uint32_t page, const struct finding *f)
{
    struct page *p = &s->pages.page[page];
    const struct page *via = f->via == NO_PAGE ? NULL : &s->pages.page[f->via];
    unsigned depth = via ? via->depth : 0;
    if (via && f->hop != 'E' && f->hop != 'R') depth++;
    if (f->earlier) depth = 1; /* how it was found then does not matter now */
    p->depth = (uint8_t)(depth < UINT8_MAX ? depth : UINT8_MAX);
    p->embed_hops = 0;
    if (via && f->embed) p->embed_hops = (uint8_t)(via->embed_hops + 1);
    if (via && f->hop == 'R') p->embed_hops = via->embed_hops;
    p->via = f->via;
    p->hop = f->hop;
    if (!via && f->hop == 0) p->flags |= PAGE_SEED;
    if (via && f->hop == 'R' && (via->flags & (PAGE_SEED | PAGE_MOVED_SEED))) p->flags |= PAGE_MOVED_SEED;
}

/* A page in a frame, an image, a style: comes with the page that shows it. */
static bool follows(const struct site *s, uint32_t page, const struct finding *f)
{
    const struct page *p = &s->pages.page[page];
    return f->embed || (f->hop == 'R' && p->embed_hops > 0);
}

void sharc__crawl_fetch_now(struct site *s, uint32_t page)
{
    struct task t = {.kind = TASK_EMBED, .page = page, .slot = s->slots ? s->slots - 1 : 0};
    sharc__crawl_queue_push(&s->embeds, &t);
}

static void leave_out(struct site *s, uint32_t page, enum page_state state, enum sharc_crawl_reason why,
                      struct sharc_span detail)
{
    struct page *p = &s->pages.page[page];
    p->state = (uint8_t)state;
    p->reason = (uint8_t)why;
    sharc__crawl_j_page(s, page);
    sharc__crawl_rows_skip(s, page, why, detail);
    if (sharc__crawl_reason_logged(why)) sharc__crawl_log_skip(s, page, why);
}

static void turn_down(struct site *s, uint32_t page, enum sharc_crawl_reason why)
{
    leave_out(s, page, PAGE_REJECTED, why, SHARC_SPAN_NONE);
}

static void let_in(struct site *s, uint32_t page, const struct finding *f)
{
    struct page *p = &s->pages.page[page];
    p->state = PAGE_WAITING;
    p->reason = SHARC_SKIP_NONE;
    p->rate = (float)sharc__crawl_rate_found(s, page, f);
    sharc__crawl_weigh(s, page, f);
    if (follows(s, page, f)) {
        p->flags |= PAGE_FOLLOWER;
        sharc__crawl_j_page(s, page);
        sharc__crawl_j_follow(s, f->via, page);
        sharc__crawl_remember_embed(s, page);
        sharc__crawl_fetch_now(s, page);
        return;
    }
    sharc__crawl_j_page(s, page);
    sharc__crawl_j_age(s, page);
    sharc__crawl_j_tell(s, page);
}

static void decide(struct site *s, uint32_t page, const struct finding *f)
{
    enum sharc_crawl_reason why = verdict_on(s, page, f);
    if (why)
        turn_down(s, page, why);
    else
        let_in(s, page, f);
}

bool sharc__crawl_second_chance(struct site *s, uint32_t page)
{
    const struct page *p = &s->pages.page[page];
    enum sharc_crawl_reason before = (enum sharc_crawl_reason)p->reason;
    struct finding f = {.url = page_url(&s->pages, page),
                        .via = p->via,
                        .hop = p->hop,
                        .embed = p->hop == 'E' || p->hop == 'X',
                        .modified = SHARC_TIME_NONE,
                        .priority = -1};
    enum sharc_crawl_reason why = verdict_on(s, page, &f);
    if (why == before) return false;
    s->count.skipped--; /* counted again under its new reason */
    s->second_chances = true;
    if (why)
        turn_down(s, page, why);
    else
        let_in(s, page, &f);
    return !why;
}

static bool deserves_another_look(const struct site *s, const struct page *p, const struct finding *f)
{
    if (p->reason == SHARC_SKIP_SCOPE) return f->embed || f->hop == 0;
    if (p->reason != SHARC_SKIP_DEPTH || f->via == NO_PAGE) return false;
    unsigned depth = s->pages.page[f->via].depth + (f->hop == 'L' ? 1u : 0u);
    return depth < p->depth;
}

/* Later knowledge about a page that waits. */
static void learn(struct site *s, uint32_t page, const struct finding *f)
{
    struct page *p = &s->pages.page[page];
    if (!f->source || (f->modified == SHARC_TIME_NONE && !f->frequency && f->priority < 0)) return;
    p->rate = (float)sharc__crawl_rate_found(s, page, f);
    sharc__crawl_weigh(s, page, f);
    sharc__crawl_j_page(s, page);
    sharc__crawl_j_age(s, page);
    if (p->flags & PAGE_TOLD) sharc__crawl_j_tell(s, page);
}

static void found_again(struct site *s, uint32_t page, const struct finding *f)
{
    struct page *p = &s->pages.page[page];
    if (p->flags & PAGE_ERRAND) return;
    if (p->state == PAGE_REJECTED && deserves_another_look(s, p, f)) {
        s->count.skipped--;
        s->second_chances = true;
        set_origin(s, page, f);
        decide(s, page, f);
    } else if (p->state == PAGE_WAITING && (p->flags & PAGE_TOLD) && f->embed && !s->visits_over) {
        sharc__crawl_fetch_now(s, page); /* the strategy's own visit will find it done */
    } else if (p->state == PAGE_WAITING) {
        learn(s, page, f);
    }
}

uint32_t sharc__crawl_found(struct site *s, const struct finding *f)
{
    if (f->url.n == 0 || f->url.n > SHARC_LIMIT_URL) return NO_PAGE;
    bool fresh = false;
    uint32_t page = sharc__crawl_pages_add(&s->pages, f->url, &fresh);
    if (!fresh) {
        found_again(s, page, f);
        return page;
    }
    set_origin(s, page, f);
    decide(s, page, f);
    return page;
}

uint32_t sharc__crawl_errand(struct site *s, struct sharc_span url, uint32_t via, char hop)
{
    bool fresh = false;
    uint32_t page = sharc__crawl_pages_add(&s->pages, url, &fresh);
    if (!fresh) return page;
    struct finding f = {.url = url, .via = via, .hop = hop};
    set_origin(s, page, &f);
    struct page *p = &s->pages.page[page];
    p->state = PAGE_WAITING;
    p->flags |= PAGE_ERRAND;
    sharc__crawl_j_page(s, page);
    return page;
}

void sharc__crawl_skip(struct site *s, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail)
{
    leave_out(s, page, PAGE_DONE, why, detail);
}
