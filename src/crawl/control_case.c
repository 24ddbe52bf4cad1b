/* SPDX-License-Identifier: Apache-2.0
 *
 * What the case is told of the pages and of the control downloads, and what it says. Its
 * answers depend on what it was told and not on the order, so that a capture that was cut
 * off comes to the same end.
 */
#include "controls.h"

#include <stdlib.h>

enum { AT_ONCE = 32 }; /* comparisons before the loop looks after everything else */

/* --- pages ------------------------------------------------------------------------ */

static bool is_judged(const struct pages *p, uint32_t page)
{
    const struct version *v = page_version(p, page);
    return v && v->visit != SHARC_TIME_NONE && !(p->page[page].flags & PAGE_PREPARATION) &&
           (v->answer == SHARC_ANSWER_CONTENT || v->answer == SHARC_ANSWER_REDIRECT);
}

/* Both times an answer of the same kind, and another content. */
static bool is_to_be_compared(const struct controls *c, uint32_t page)
{
    const struct version *v = page_version(c->pages, page);
    SHARC_ASSERT(v); /* is_judged */
    return (v->reason == SHARC_GRADED_CHANGED || v->reason == SHARC_GRADED_SIMILAR) &&
           sharc__crawl_controls_place_of(c, page, true);
}

static struct sharc_case_answer visit_answer(const struct version *v)
{
    struct sharc_case_answer a = {.status = v->status, .complete = !(v->marks & VERSION_CUT)};
    a.content = (struct sharc_digest){.kind = SHARC_SHA256, .n = sizeof v->content};
    memcpy(a.content.bytes, v->marks & VERSION_CONTENT ? v->content : v->digest, sizeof v->content);
    return a;
}

/* What the revisit showed, as far as the case has to know it: of an answer that cannot be compared that it was one. */
static struct sharc_case_answer revisit_answer(const struct controls *c, uint32_t page)
{
    const struct version *v = page_version(c->pages, page);
    SHARC_ASSERT(v); /* is_judged */
    struct sharc_case_answer a = visit_answer(v);
    if (v->reason == SHARC_GRADED_SAME_CONTENT) return a;
    a.content.bytes[0] ^= 1; /* which one it is does not matter: that it is another one does */
    if (is_to_be_compared(c, page)) return a;
    a.status = v->reason == SHARC_GRADED_GONE ? 404 : v->reason == SHARC_GRADED_REDIRECTED ? 302 : 0;
    a.location = v->reason == SHARC_GRADED_REDIRECTED ? SHARC_SPAN("elsewhere") : SHARC_SPAN_NONE;
    return a;
}

static enum sharc_word word_of(uint8_t reason)
{
    if (reason == SHARC_GRADED_STRONG_ETAG || reason == SHARC_GRADED_WORD_BROKEN) return SHARC_WORD_STRONG_ETAG;
    if (reason == SHARC_GRADED_LAST_MODIFIED) return SHARC_WORD_LAST_MODIFIED;
    return reason == SHARC_GRADED_WEAK_VALIDATOR ? SHARC_WORD_NOTHING : SHARC_WORD_NONE;
}

static struct sharc_case_facts facts_of(const struct controls *c, uint32_t page)
{
    const struct version *v = page_version(c->pages, page);
    SHARC_ASSERT(v); /* is_judged */
    return (struct sharc_case_facts){.visit = visit_answer(v),
                                     .revisit = revisit_answer(c, page),
                                     .revisited = v->revisited,
                                     .stale = version_is_stale(v),
                                     .word = word_of(v->reason),
                                     .word_broken = v->reason == SHARC_GRADED_WORD_BROKEN,
                                     .look_differs = v->marks & VERSION_LOOK_ENDED};
}

static void add_page(struct controls *c, uint32_t page)
{
    struct sharc_case_facts facts = facts_of(c, page);
    uint32_t id = sharc_case_page(c->judge, page_url(c->pages, page), &facts);
    SHARC_ASSERT(id == c->count);
    SHARC_GROW(c->page, c->room, c->count + 1);
    c->page[c->count++] = page;
    c->id[page] = id + 1;
}

void sharc__crawl_case_begin(struct controls *c)
{
    const struct sharc_crawl_options *o = &c->ctx->o;
    struct sharc_case_options how = SHARC_CASE_OPTIONS;
    how.controls = (enum sharc_controls)o->controls;
    if (o->control_share > 0) how.budget = o->control_share;
    c->judge = sharc_case_new(&how);
    for (size_t i = 0; !o->forget && i < c->hint_count; i++) sharc_case_hint(c->judge, c->hints[i].place);
    c->id = SHARC_NEW_ARRAY(uint32_t, pages_count(c->pages) + 1);
    c->id_count = pages_count(c->pages);
    for (uint32_t p = 0; p < pages_count(c->pages); p++)
        if (is_judged(c->pages, p)) add_page(c, p);
}

/* --- comparing ------------------------------------------------------------------------ */

static const char *name_of(const struct controls *c, uint32_t file)
{
    return file == SHARC_NO_ID ? NULL : sharc_intern_text(c->out->files, file).p;
}

/* The visit: its own record, if it only repeats an earlier one, and that one. */
static struct comparand visit_of(const struct controls *c, uint32_t page)
{
    const struct version *v = page_version(c->pages, page);
    SHARC_ASSERT(v); /* is_judged */
    const struct record_place *own = sharc__crawl_controls_place_of(c, page, false);
    struct comparand body = {.file = name_of(c, v->file), .offset = v->offset};
    if (!own) return body;
    return (struct comparand){.file = name_of(c, own->file),
                              .offset = own->offset,
                              .body_file = body.file,
                              .body_offset = body.offset};
}

static struct comparand revisit_of(const struct controls *c, uint32_t page)
{
    const struct record_place *own = sharc__crawl_controls_place_of(c, page, true);
    if (!own) return (struct comparand){.file = NULL};
    return (struct comparand){.file = name_of(c, own->file), .offset = own->offset};
}

/* What is to be read for it; false: nothing can be, so that nothing is proved. */
static bool prepare(const struct controls *c, uint32_t id, unsigned wants, struct comparison *ret)
{
    uint32_t page = c->page[id];
    *ret = (struct comparison){.before = visit_of(c, page), .spots_too = wants & SHARC_CASE_WANTS_PLACES};
    if (wants & SHARC_CASE_WANTS_DIFFERENCE) ret->after = revisit_of(c, page);
    return ret->before.file && (ret->after.file || !(wants & SHARC_CASE_WANTS_DIFFERENCE));
}

bool sharc__crawl_case_compare(struct controls *c)
{
    struct comparison all[AT_ONCE];
    uint32_t id[AT_ONCE];
    size_t n = 0;
    for (; c->compared < c->count && n < AT_ONCE; c->compared++) {
        id[n] = (uint32_t)c->compared;
        unsigned wants = sharc_case_wants(c->judge, id[n]);
        n += wants && prepare(c, id[n], wants, &all[n]);
    }
    sharc__crawl_compare_all(c, all, n);
    for (size_t i = 0; i < n; i++) {
        if (all[i].after.file) sharc_case_difference(c->judge, id[i], &all[i].difference);
        if (all[i].spots_too) sharc_case_places(c->judge, id[i], &all[i].spots);
    }
    return n > 0;
}

/* --- control downloads ------------------------------------------------------------------- */

const struct control *sharc__crawl_case_last(const struct controls *c, uint32_t page)
{
    const uint64_t *number = sharc_map64_find(&c->last_of, (uint64_t)page + 1);
    return number ? &c->made[*number - 1] : NULL;
}

/* What two downloads show. One that brought nothing shows nothing, and counts all the same. */
static void tell(struct controls *c, const struct control *a, const struct control *b, bool late)
{
    struct comparison one = {.difference = SHARC_DIFFERENCE_INIT};
    one.before = (struct comparand){.file = a ? name_of(c, a->file) : NULL, .offset = a ? a->offset : 0};
    one.after = (struct comparand){.file = name_of(c, b->file), .offset = b->offset};
    if (one.before.file && one.after.file) sharc__crawl_compare_all(c, &one, 1);
    one.difference.repeated = a && one.kept > 0 && b->start - one.kept < a->end;
    sharc_case_control(c->judge, c->id[b->page] - 1, late, &one.difference);
    sharc_difference_done(&one.difference);
}

void sharc__crawl_case_controls(struct controls *c)
{
    for (; c->told < c->made_count; c->told++) {
        const struct control *m = &c->made[c->told];
        bool known = m->page < c->id_count && c->id[m->page];
        bool half = m->step == CONTROL_FIRST && m->file != SHARC_NO_ID;
        if (half || !known) continue; /* its second follows, or the pair was torn apart */
        if (m->step == CONTROL_LATE)
            tell(c, sharc__crawl_case_last(c, m->page), m, true);
        else
            tell(c, m->step == CONTROL_SECOND && c->told > 0 ? m - 1 : NULL, m, false);
        if (m->file != SHARC_NO_ID) *sharc_map64_at(&c->last_of, (uint64_t)m->page + 1) = c->told + 1;
    }
}

/* --- what it says -------------------------------------------------------------------------- */

void sharc__crawl_case_settle(struct controls *c)
{
    for (uint32_t id = 0; id < c->count; id++) {
        struct sharc_case_result result;
        if (!is_to_be_compared(c, c->page[id])) continue;
        struct version v = sharc__crawl_pages_version(c->pages, c->page[id]);
        sharc_case_result(c->judge, id, &result);
        v.reason = (uint8_t)result.reason;
        sharc__crawl_pages_keep(c->pages, c->page[id], &v);
    }
}

void sharc__crawl_case_detail(const struct controls *c, uint32_t page, struct sharc_buf *out)
{
    if (c->judge && page < c->id_count && c->id[page]) sharc_case_detail(c->judge, c->id[page] - 1, out);
}
