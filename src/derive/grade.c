/* SPDX-License-Identifier: Apache-2.0
 *
 * The grade of each page: room evidence, run again over what the records hold. Its results do not depend
 * on the order of what it is told, so crawler and verifier come to the same.
 */
#include "compare.h"

#include "sharc/base_pool.h"
#include "sharc/http.h"

#include <stdlib.h>

#define STRONG_AFTER (60 * SHARC_SEC) /* RFC 9110 8.8.2.2 */
enum { AT_ONCE = 256, HUNKS_SHOWN = 20, DETAIL_MOST = 1 << 20 };

struct grading {
    struct sharc_derived *f;
    struct sharc_case *judge;
    struct sharc_pool *pool;
    struct comparison *work;
    size_t count, room;
    struct sharc_intern *liars; /* hosts */
};

/* --- the server's word --------------------------------------------------------------------- */

static bool is_weak(struct sharc_span etag)
{
    return etag.n < 2 || etag.p[0] != '"';
}

/* By the validator that was sent. A server that was sent an ETag decides by that alone. */
static enum sharc_word word_of(const struct sharc_derived *f, const struct sharc_download *visit,
                               const struct sharc_download *revisit)
{
    sharc_time modified, again;
    struct sharc_span now = sharc_derived_text(f, revisit->etag), sent = sharc_derived_text(f, revisit->sent_etag);
    if (!(revisit->flags & SHARC_DOWNLOAD_NOT_MODIFIED) && revisit->status != 304) return SHARC_WORD_NONE;
    if (!(revisit->flags & SHARC_DOWNLOAD_CONDITIONAL)) /* nobody had asked whether it was modified */
        return revisit->flags & SHARC_DOWNLOAD_NOT_MODIFIED ? SHARC_WORD_NOTHING : SHARC_WORD_NONE;
    if (sent.n) {
        bool same = sharc_span_eq(sent, sharc_derived_text(f, visit->etag)) && (!now.n || sharc_span_eq(now, sent));
        return same && !is_weak(sent) ? SHARC_WORD_STRONG_ETAG : SHARC_WORD_NOTHING;
    }
    bool old = sharc_http_date_parse(sharc_derived_text(f, visit->modified), &modified) == 0 &&
               visit->date != SHARC_TIME_NONE && modified <= visit->date - STRONG_AFTER;
    bool other =
        old && sharc_http_date_parse(sharc_derived_text(f, revisit->modified), &again) == 0 && again != modified;
    return old && !other ? SHARC_WORD_LAST_MODIFIED : SHARC_WORD_NOTHING;
}

/* An answer like the visit's, as the crawler compares them. */
static bool is_as_visited(const struct sharc_derived *f, const struct sharc_download *visit,
                          const struct sharc_download *d)
{
    return (visit->flags & d->flags & SHARC_DOWNLOAD_HAS_CONTENT) &&
           memcmp(visit->content, d->content, sizeof visit->content) == 0 &&
           sharc_evidence_same_head(visit->status, sharc_derived_text(f, visit->type),
                                    sharc_derived_text(f, visit->whole_target), d->status,
                                    sharc_derived_text(f, d->type), sharc_derived_text(f, d->whole_target), NULL);
}

/* An audit, the download right after a 304 to the revisit, is not the visit: nothing this server calls unchanged is
 * believed. A 304 long before a change is no lie. */
static void find_liars(struct grading *g)
{
    const struct sharc_derived *f = g->f;
    for (size_t i = 0; i < f->page_count; i++) {
        const struct sharc_derived_page *p = &f->pages[i];
        for (uint32_t k = 0; k < p->other_count && p->visit != SHARC_DERIVED_NONE; k++) {
            const struct sharc_download *d = &f->all.items[f->other[p->others + k]];
            bool audit = d->kind == SHARC_OWN_CONTROL && d->control == CONTROL_AUDIT;
            if (!audit || (d->flags & SHARC_DOWNLOAD_CUT) || d->status == 0 || d->status >= 500) continue;
            if (!is_as_visited(f, &f->all.items[p->visit], d))
                sharc_intern_add(g->liars, sharc_derive_host(sharc_derived_text(f, p->url)), NULL);
        }
    }
}

/* --- pages --------------------------------------------------------------------------------------- */

static struct sharc_case_answer answer_of(const struct sharc_derived *f, uint32_t number)
{
    if (number == SHARC_DERIVED_NONE) return (struct sharc_case_answer){.status = 0};
    const struct sharc_download *d = &f->all.items[number];
    struct sharc_case_answer a = {.status = d->status,
                                  .complete =
                                      !(d->flags & SHARC_DOWNLOAD_CUT) && (d->flags & SHARC_DOWNLOAD_HAS_CONTENT),
                                  .type = sharc_derived_text(f, d->type),
                                  .location = sharc_derived_text(f, d->whole_target),
                                  .content = {.kind = SHARC_SHA256, .n = 32}};
    memcpy(a.content.bytes, d->content, sizeof d->content);
    return a;
}

/* Between visit and revisit somebody was told that the page is not there, or not for him. */
static bool look_differs(const struct sharc_derived *f, const struct sharc_derived_page *p)
{
    for (uint32_t k = 0; k < p->other_count; k++) {
        const struct sharc_download *d = &f->all.items[f->other[p->others + k]];
        if (d->kind != SHARC_OWN_CONTROL && d->status >= 400 && d->status != 429 &&
            d->from > f->all.items[p->visit].from)
            return true;
        if (d->kind == SHARC_OWN_SECOND_LOOK && d->status >= 400 && d->status != 429) return true;
    }
    return false;
}

static struct sharc_case_facts facts_of(const struct grading *g, const struct sharc_derived_page *p)
{
    const struct sharc_derived *f = g->f;
    struct sharc_case_facts facts = {.visit = answer_of(f, p->visit), .revisit = answer_of(f, p->revisit)};
    if (p->visit == SHARC_DERIVED_NONE || p->revisit == SHARC_DERIVED_NONE) return facts;
    const struct sharc_download *visit = &f->all.items[p->visit], *revisit = &f->all.items[p->revisit];
    /* A cache that kept the answer since before the visit has shown the visit once more. */
    facts.revisited = visit->to != SHARC_TIME_NONE;
    facts.stale = facts.revisited && speaks_for(revisit) < visit->to;
    facts.word = word_of(f, visit, revisit);
    facts.word_broken = facts.word != SHARC_WORD_NONE &&
                        sharc_intern_find(g->liars, sharc_derive_host(sharc_derived_text(f, p->url))) != SHARC_NO_ID;
    facts.look_differs = look_differs(f, p);
    facts.clock_set = sharc__derive_stepped(f, p->visit, p->revisit);
    return facts;
}

/* --- comparisons ------------------------------------------------------------------------------------ */

static int compare_one(size_t i, unsigned thread, void *arg)
{
    struct grading *g = arg;
    (void)thread;
    sharc__derive_compare_bodies(g->f, &g->work[i]);
    return 0;
}

static void tell(struct grading *g)
{
    sharc_pool_each(g->pool, g->count, compare_one, g);
    for (size_t i = 0; i < g->count; i++) {
        struct comparison *c = &g->work[i];
        if (c->control)
            sharc_case_control(g->judge, c->id, c->late, &c->difference);
        else if (c->after != SHARC_DERIVED_NONE)
            sharc_case_difference(g->judge, c->id, &c->difference);
        if (c->spots_too) sharc_case_places(g->judge, c->id, &c->spots);
        sharc_difference_done(&c->difference);
        sharc_places_done(&c->spots);
    }
    g->count = 0;
}

static void add(struct grading *g, const struct comparison *c)
{
    SHARC_GROW(g->work, g->room, g->count + 1);
    g->work[g->count++] = *c;
    if (g->count == AT_ONCE) tell(g);
}

static void compare_pages(struct grading *g)
{
    for (size_t i = 0; i < g->f->page_count; i++) {
        const struct sharc_derived_page *p = &g->f->pages[i];
        struct comparison c = {.id = (uint32_t)i, .before = p->visit, .after = p->revisit};
        if (sharc_case_wants(g->judge, (uint32_t)i) & SHARC_CASE_WANTS_DIFFERENCE) add(g, &c);
    }
    tell(g);
}

static void find_places(struct grading *g)
{
    bool needed = sharc_case_needs_places(g->judge);
    for (size_t i = 0; i < g->f->page_count && needed; i++) {
        struct comparison c = {.id = (uint32_t)i, .before = g->f->pages[i].visit, .after = SHARC_DERIVED_NONE};
        c.spots_too = sharc_case_wants(g->judge, (uint32_t)i) & SHARC_CASE_WANTS_PLACES;
        if (c.spots_too) add(g, &c);
    }
    tell(g);
}

static bool repeats(const struct sharc_download *first, const struct sharc_download *second)
{
    return second->age >= 0 && speaks_for(second) < (first->to != SHARC_TIME_NONE ? first->to : first->from);
}

/* A second control is compared with the first one right before it, a late one with the last before it. Downloads of a
 * page stand in the order of their times. */
static void tell_controls(struct grading *g, size_t i)
{
    const struct sharc_derived *f = g->f;
    const struct sharc_derived_page *p = &f->pages[i];
    uint32_t last = SHARC_DERIVED_NONE;
    for (uint32_t k = 0; k < p->other_count; k++) {
        uint32_t number = f->other[p->others + k];
        const struct sharc_download *d = &f->all.items[number];
        if (d->kind != SHARC_OWN_CONTROL) continue;
        struct comparison c = {.id = (uint32_t)i, .before = last, .after = number, .control = true};
        c.late = d->control == CONTROL_LATE;
        bool torn =
            d->control == CONTROL_SECOND && (last == SHARC_DERIVED_NONE || f->all.items[last].control != CONTROL_FIRST);
        if (torn) c.before = SHARC_DERIVED_NONE;
        c.repeated = c.before != SHARC_DERIVED_NONE && repeats(&f->all.items[c.before], d);
        if (d->control != CONTROL_FIRST) add(g, &c);
        last = number;
    }
}

/* --- what differs, for the row --------------------------------------------------------------------------- */

static void put_hunk(struct sharc_json *j, const struct sharc_hunk *h, uint8_t explained)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "kind", sharc_hunk_kind_word((enum sharc_hunk_kind)h->kind));
    sharc_json_str(j, "new", h->now ? h->now : "");
    sharc_json_str(j, "old", h->old ? h->old : "");
    sharc_json_str(j, "volatile_by",
                   explained ? sharc_grade_reason_word((enum sharc_grade_reason)explained) : "nothing");
    sharc_json_str(j, "where", h->where ? h->where : "");
    sharc_json_end(j);
}

static void put_differences(const struct sharc_case_result *r, struct sharc_buf *out)
{
    const struct sharc_difference *d = r->difference;
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "count", d->hunk_count);
    sharc_json_array(&j, "first");
    for (size_t i = 0; i < d->hunk_count && i < HUNKS_SHOWN; i++)
        put_hunk(&j, &d->hunks[i], r->explained ? r->explained[i] : 0);
    sharc_json_end(&j);
    sharc_json_uint(&j, "volatile", r->volatile_hunks);
    if (d->why && d->why[0]) sharc_json_str(&j, "why", d->why);
    sharc_json_end(&j);
}

static void keep_differences(struct grading *g, uint32_t i, const struct sharc_case_result *r)
{
    struct sharc_derived *f = g->f;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(DETAIL_MOST);
    if (!r->difference || (r->difference->hunk_count == 0 && !(r->difference->why && r->difference->why[0]))) return;
    put_differences(r, &out);
    if (out.failed) return;
    if (f->detail_count == 0) f->detail_count = 1;
    SHARC_GROW(f->details, f->detail_room, f->detail_count + 1);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(1u << 20);
    sharc_case_detail(g->judge, i, &line);
    f->details[f->detail_count] =
        (struct sharc_derived_detail){.json = sharc_buf_take(&out), .line = sharc_buf_take(&line)};
    f->pages[i].detail = (uint32_t)f->detail_count++;
}

static void keep_places(struct sharc_derived *f, struct sharc_case *judge)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_array(&j, NULL);
    for (size_t i = 0; i < sharc_case_volatile_count(judge); i++) {
        struct sharc_case_place p;
        char hex[SHARC_HEX_SIZE(8)];
        sharc_case_volatile(judge, i, &p);
        const uint8_t bytes[8] = {(uint8_t)(p.place >> 56), (uint8_t)(p.place >> 48), (uint8_t)(p.place >> 40),
                                  (uint8_t)(p.place >> 32), (uint8_t)(p.place >> 24), (uint8_t)(p.place >> 16),
                                  (uint8_t)(p.place >> 8),  (uint8_t)p.place};
        sharc_hex_encode(sharc_span(bytes, sizeof bytes), hex);
        sharc_json_object(&j, NULL);
        sharc_json_uint(&j, "controls", p.pairs);
        sharc_json_uint(&j, "differed", p.differed);
        sharc_json_str(&j, "example", p.example ? p.example : "");
        sharc_json_str(&j, "kind", sharc_hunk_kind_word((enum sharc_hunk_kind)p.kind));
        sharc_json_bool(&j, "late", p.late);
        sharc_json_uint(&j, "pages", p.pages);
        sharc_json_str(&j, "signature", hex);
        sharc_json_str(&j, "where", p.where ? p.where : "");
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    f->places = sharc_buf_take(&out);
}

static void keep_results(struct grading *g)
{
    for (size_t i = 0; i < g->f->page_count; i++) {
        struct sharc_derived_page *p = &g->f->pages[i];
        struct sharc_case_result r;
        sharc_case_result(g->judge, (uint32_t)i, &r);
        p->reason = (uint8_t)r.reason;
        keep_differences(g, (uint32_t)i, &r);
    }
    keep_places(g->f, g->judge);
}

int sharc__derive_grade(struct sharc_derived *f, unsigned threads, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *liars = sharc_intern_new();
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(threads);
    SHARC_AUTO(sharc_case_freep)
    struct sharc_case *judge = sharc_case_new(&(struct sharc_case_options)SHARC_CASE_OPTIONS);
    struct grading g = {.f = f, .judge = judge, .pool = pool, .liars = liars};
    (void)reterr;
    find_liars(&g);
    for (size_t i = 0; i < f->page_count; i++) {
        struct sharc_case_facts facts = facts_of(&g, &f->pages[i]);
        uint32_t id = sharc_case_page(judge, sharc_derived_text(f, f->pages[i].url), &facts);
        SHARC_ASSERT(id == i);
    }
    compare_pages(&g);
    for (size_t i = 0; i < f->page_count; i++) tell_controls(&g, i);
    tell(&g);
    find_places(&g);
    keep_results(&g);
    free(g.work);
    return 0;
}
