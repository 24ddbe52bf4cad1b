/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages that say they are another page: <link rel=canonical>, or the field Link of
 * the answer. They are captured like all others, since whoever follows a link
 * comes to that address; but the same page should not count twice. Anybody can
 * claim anything (some sites name their front page on every page), so a claim
 * holds only when both were captured and say the same word for word, at the visits and at
 * the revisits: a page that differs by one price is another page.
 */
#include "aliases.h"

#include "sharc/store_query.h"

#include <stdlib.h>

enum {
    TARGETS_MOST = 100000, /* different pages that are named, whose texts are told apart at a time */
    CHAIN_MOST = 20,       /* a page that is another that is another … */
};

/* --- what pages say ------------------------------------------------------------------ */

/* One value of the field: <URL>; rel="canonical"; … */
static struct sharc_span canonical_of(struct sharc_span value)
{
    value = sharc_span_trim(value);
    const size_t end = sharc_span_find(value, '>', 0);
    if (end == SHARC_NPOS || value.p[0] != '<') return SHARC_SPAN_NONE;
    struct sharc_span rest = sharc_span_from(value, end + 1), part;
    while (sharc_span_next(&rest, ';', &part)) {
        part = sharc_span_trim(part);
        if (!sharc_span_istarts(part, SHARC_SPAN("rel="))) continue;
        part = sharc_span_from(part, 4);
        if (part.n >= 2 && part.p[0] == '"') part = sharc_span_sub(part, 1, part.n - 1);
        if (part.n == 9 && sharc_span_istarts(part, SHARC_SPAN("canonical"))) return sharc_span_sub(value, 1, end);
    }
    return SHARC_SPAN_NONE;
}

struct sharc_span sharc__crawl_link_canonical(struct sharc_span field)
{
    /* Commas stand between values, and in URLs. */
    while (field.n) {
        size_t close = sharc_span_find(field, '>', 0), comma = SHARC_NPOS;
        if (close != SHARC_NPOS) comma = sharc_span_find(field, ',', close);
        struct sharc_span one = comma == SHARC_NPOS ? field : sharc_span_sub(field, 0, comma);
        struct sharc_span found = canonical_of(one);
        if (found.p || comma == SHARC_NPOS) return found;
        field = sharc_span_from(field, comma + 1);
    }
    return SHARC_SPAN_NONE;
}

/* From the answer's field; in a->url. */
static bool read_field(struct aliases *a, const struct job *j)
{
    size_t at = 0;
    struct sharc_span field;
    while (sharc_http_each(&j->result->http, "Link", &at, &field)) {
        struct sharc_span target = sharc__crawl_link_canonical(field);
        if (!target.p || sharc_url_parse(&a->url, target, &j->in.url, NULL) < 0) continue;
        sharc_url_strip_fragment(&a->url);
        sharc_url_strip_credentials(&a->url);
        return true;
    }
    return false;
}

void sharc__crawl_alias_add(struct aliases *a, uint32_t page, uint32_t canonical)
{
    SHARC_GROW(a->alias, a->room, a->count + 1);
    a->alias[a->count++] = (struct alias){page, canonical};
}

void sharc__crawl_aliases_done(struct aliases *a)
{
    free(a->alias);
    sharc_url_done(&a->url);
    a->alias = NULL;
    a->count = a->room = 0;
}

void sharc__crawl_find_canonical(struct aliases *a, const struct job *j)
{
    uint32_t canonical = NO_PAGE;
    if (j->made.extracted && j->made.page.canonical != SHARC_NO_LINK) {
        canonical = sharc_intern_find(a->pages->urls, j->made.page.links[j->made.page.canonical].url);
    } else if (read_field(a, j)) {
        SHARC_AUTO(sharc_freep) char *url = sharc_span_dup(sharc_url_page(&a->url));
        struct finding f = FINDING(sharc_span_of(url), j->task.page, 'L');
        canonical = sharc__crawl_found(a->frontier, &f);
    }
    if (canonical == NO_PAGE || canonical == SHARC_NO_ID || canonical == j->task.page) return;
    sharc__crawl_alias_add(a, j->task.page, canonical);
    sharc__crawl_note_alias(a->journal, j->task.page, canonical);
}

/* --- which of it holds ---------------------------------------------------------------- */

struct said {
    uint8_t text[32], later[32]; /* digests of the visible text at the visit, and at the revisit */
    bool has_text, has_later, revisited;
};

struct targets {
    struct sharc_map64 number; /* of a page: of its entry, plus one */
    struct said *said;
    size_t count, room;
};

static void targets_done(struct targets *t)
{
    sharc_map64_done(&t->number);
    free(t->said);
}

static bool is_captured(const struct pages *p, uint32_t page)
{
    const struct version *v = page_version(p, page);
    return v && v->visit != SHARC_TIME_NONE && v->answer == SHARC_ANSWER_CONTENT;
}

static void take(const struct sharc_store_page *row, struct said *ret)
{
    /* A second look or revisit with the payload of the download before has no text of its own. */
    const struct sharc_store_look *visit = &row->visit, *look = &row->second, *revisit = &row->revisit;
    const struct sharc_digest *now = &visit->text_digest, *later = now;
    if (look->when != SHARC_TIME_NONE && look->text_digest.n) now = later = &look->text_digest;
    if (revisit->text_digest.n) later = &revisit->text_digest;
    const struct sharc_digest *payload = look->when != SHARC_TIME_NONE ? &look->digest : &visit->digest;
    bool told = revisit->text_digest.n || (payload->n && sharc_digest_eq(payload, &revisit->digest));
    *ret = (struct said){.has_text = now->n == sizeof ret->text,
                         .has_later = later->n == sizeof ret->later,
                         .revisited = revisit->when != SHARC_TIME_NONE && told};
    if (ret->has_text) memcpy(ret->text, now->bytes, sizeof ret->text);
    if (ret->has_later) memcpy(ret->later, later->bytes, sizeof ret->later);
}

static bool say_the_same(const struct aliases *a, const struct said *x, const struct said *y)
{
    if (!x->has_text || !y->has_text || memcmp(x->text, y->text, sizeof x->text) != 0) return false;
    if (!a->revisits) return true;
    return x->revisited && y->revisited && x->has_later && y->has_later &&
           memcmp(x->later, y->later, sizeof x->later) == 0;
}

/* Does the way from page to page, as far as it is believed, lead back? */
static bool leads_to(const struct pages *p, const struct sharc_map64 *alias, uint32_t from, uint32_t page)
{
    for (unsigned step = 0; step < CHAIN_MOST; step++) {
        if (from == page) return true;
        const uint64_t *next = sharc_map64_find(alias, from);
        if (!next || p->page[from].reason != SHARC_SKIP_CANONICAL) return false;
        from = (uint32_t)*next;
    }
    return true;
}

static void hold(struct aliases *a, uint32_t page, uint32_t canonical)
{
    sharc__crawl_pages_set_reason(a->pages, page, SHARC_SKIP_CANONICAL);
    sharc__crawl_rows_skip(a->capture, page, SHARC_SKIP_CANONICAL, page_url(a->pages, canonical));
}

struct judging {
    struct targets targets;
    struct sharc_map64 alias; /* page: what it says it is */
};

static int each_page(struct aliases *a, struct judging *g, bool second, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_page_filter f = {.capture = a->capture->id, .answered = true, .looks = true};
    int r = sharc_store_pages(a->ctx->w.store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page row;
        sharc_store_read_page(rows, &row);
        const uint32_t page = sharc_intern_find(a->pages->urls, row.url);
        if (page == SHARC_NO_ID || !is_captured(a->pages, page)) continue;
        const uint64_t *entry = sharc_map64_find(&g->targets.number, page);
        if (!second && entry) take(&row, &g->targets.said[*entry - 1]);
        const uint64_t *says = second ? sharc_map64_find(&g->alias, page) : NULL;
        if (!says) continue;
        entry = sharc_map64_find(&g->targets.number, *says);
        struct said own;
        take(&row, &own);
        if (entry && say_the_same(a, &own, &g->targets.said[*entry - 1]) &&
            !leads_to(a->pages, &g->alias, (uint32_t)*says, page))
            hold(a, page, (uint32_t)*says);
    }
    return r < 0 ? r : 0;
}

bool sharc__crawl_judge_aliases(struct aliases *a, bool revisits)
{
    struct judging g = {.targets = {.count = 0}};
    struct sharc_err err = SHARC_ERR_INIT;
    if (a->count == 0) return false;
    a->revisits = revisits;
    sharc_map64_init(&g.targets.number);
    sharc_map64_init(&g.alias);
    for (size_t i = 0; i < a->count; i++) {
        const struct alias *one = &a->alias[i];
        if (!is_captured(a->pages, one->page) || !is_captured(a->pages, one->canonical) ||
            g.targets.count >= TARGETS_MOST)
            continue;
        *sharc_map64_at(&g.alias, one->page) = one->canonical;
        uint64_t *entry = sharc_map64_at(&g.targets.number, one->canonical);
        if (*entry) continue;
        *entry = 1 + (uint64_t)g.targets.count;
        SHARC_GROW(g.targets.said, g.targets.room, g.targets.count + 1);
        g.targets.said[g.targets.count++] = (struct said){.has_text = false};
    }
    int r = g.targets.count ? each_page(a, &g, false, &err) : 0;
    if (r == 0 && g.targets.count) r = each_page(a, &g, true, &err);
    if (r < 0)
        sharc__crawl_remark(a->ctx, "%s: pages found under several addresses count once for each: %s", a->capture->name,
                            err.text);
    targets_done(&g.targets);
    sharc_map64_done(&g.alias);
    return r == 0;
}
