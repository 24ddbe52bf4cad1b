/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of a case, what was told of them, and their grades.
 */
#include "case_int.h"

#include "sharc/base_order.h"
#include "sharc/change.h"

#include <stdlib.h>

struct sharc_case *sharc_case_new(const struct sharc_case_options *o)
{
    struct sharc_case *c = SHARC_NEW(struct sharc_case);
    c->o = *o;
    sharc_arena_init(&c->urls, SIZE_MAX / 2);
    sharc_map64_init(&c->hints);
    sharc_heap_init(&c->largest);
    sharc_map64_init(&c->place_of);
    sharc_map64_init(&c->values);
    return c;
}

void sharc_case_free(struct sharc_case *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->count; i++) {
        struct page *p = &c->pages[i];
        sharc_difference_done(&p->difference);
        sharc_places_done(&p->places);
        for (size_t k = 0; k < p->control_count; k++) sharc_difference_done(&p->controls[k].difference);
        free(p->controls);
        free(p->explained);
    }
    free(c->pages);
    free(c->places);
    free(c->doubts);
    free(c->stayers);
    free(c->moves);
    free(c->shown);
    free(c->queue);
    sharc_arena_done(&c->urls);
    sharc_map64_done(&c->hints);
    sharc_heap_done(&c->largest);
    sharc_map64_done(&c->place_of);
    sharc_map64_done(&c->values);
    free(c);
}

void sharc_case_freep(struct sharc_case **c)
{
    sharc_case_free(*c);
    *c = NULL;
}

/* --- what needs no comparison --------------------------------------------------------------- */

static bool is_good(int status)
{
    return (status >= 200 && status < 300) || sharc_change_is_redirect(status);
}

static enum sharc_grade_reason by_word(const struct sharc_case_facts *f)
{
    if (f->word == SHARC_WORD_NOTHING) return SHARC_GRADED_WEAK_VALIDATOR;
    if (f->word_broken) return SHARC_GRADED_WORD_BROKEN;
    return f->word == SHARC_WORD_STRONG_ETAG ? SHARC_GRADED_STRONG_ETAG : SHARC_GRADED_LAST_MODIFIED;
}

/* What the revisit showed when it is not an answer like the visit's. */
static enum sharc_grade_reason by_status(const struct sharc_case_facts *f)
{
    int before = f->visit.status, after = f->revisit.status;
    if (after == 404 || after == 410) return SHARC_GRADED_GONE;
    if (!is_good(after)) return SHARC_GRADED_FAILED;
    if (sharc_change_is_redirect(after) &&
        (!sharc_change_is_redirect(before) || !sharc_span_eq(f->visit.location, f->revisit.location)))
        return SHARC_GRADED_REDIRECTED;
    return SHARC_GRADED_NOT_GRADED;
}

/* NOT_GRADED: the contents must be compared. */
static enum sharc_grade_reason at_first_sight(const struct sharc_case_facts *f)
{
    if (!is_good(f->visit.status)) return SHARC_GRADED_FAILED;
    if (!f->visit.complete) return SHARC_GRADED_CUT;
    if (f->look_differs) return SHARC_GRADED_SECOND_LOOK;
    if (!f->revisited) return SHARC_GRADED_NOT_REVISITED;
    if (f->clock_set) return SHARC_GRADED_CLOCK;
    if (f->stale) return SHARC_GRADED_STALE;
    if (f->word != SHARC_WORD_NONE) return by_word(f);
    enum sharc_grade_reason r = by_status(f);
    if (r != SHARC_GRADED_NOT_GRADED) return r;
    if (!f->revisit.complete) return SHARC_GRADED_CUT;
    const struct sharc_case_answer *a = &f->visit, *b = &f->revisit;
    if (!sharc_evidence_same_head(a->status, a->type, a->location, b->status, b->type, b->location, NULL))
        return SHARC_GRADED_CHANGED;
    bool same = a->content.n && a->content.kind == SHARC_SHA256 && sharc_digest_eq(&a->content, &b->content);
    return same ? SHARC_GRADED_SAME_CONTENT : SHARC_GRADED_NOT_GRADED;
}

uint32_t sharc_case_page(struct sharc_case *c, struct sharc_span url, const struct sharc_case_facts *facts)
{
    SHARC_GROW(c->pages, c->room, c->count + 1);
    struct page *p = &c->pages[c->count];
    *p = (struct page){.url = sharc_arena_copy(&c->urls, url), .order = sharc_fingerprint(url, 13)};
    p->status = facts->visit.status;
    p->reason = (uint8_t)at_first_sight(facts);
    p->unchanged = p->reason == SHARC_GRADED_SAME_CONTENT;
    c->dirty = true;
    c->sampled = false;
    return (uint32_t)c->count++;
}

/* --- what must be told ------------------------------------------------------------------------- */

/* The pages with the least fingerprints, of those that were received both times. */
static void draw_sample(struct sharc_case *c)
{
    SHARC_AUTO(sharc_freep) uint64_t *orders = SHARC_NEW_ARRAY(uint64_t, c->count);
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->pages[i].unchanged || c->pages[i].reason == SHARC_GRADED_NOT_GRADED) orders[n++] = c->pages[i].order;
    if (n > 1) qsort(orders, n, sizeof *orders, sharc_order_u64);
    uint64_t most = n > SHARC__CASE_SAMPLE ? orders[SHARC__CASE_SAMPLE - 1] : UINT64_MAX;
    for (size_t i = 0; i < c->count; i++) {
        struct page *p = &c->pages[i];
        p->sampled = (p->unchanged || p->reason == SHARC_GRADED_NOT_GRADED) && p->order <= most;
    }
    c->sampled = true;
}

unsigned sharc_case_wants(struct sharc_case *c, uint32_t id)
{
    if (!c->sampled) draw_sample(c);
    const struct page *p = &c->pages[id];
    unsigned wants = 0;
    if (p->reason == SHARC_GRADED_NOT_GRADED && !p->compared) wants |= SHARC_CASE_WANTS_DIFFERENCE;
    if (p->sampled && !p->has_places) wants |= SHARC_CASE_WANTS_PLACES;
    return wants;
}

/* About, and the same on every machine. */
static size_t bytes_of(const struct sharc_difference *d)
{
    size_t n = d->hunk_count * 400 + d->region_count * 150 + d->touched_count * 8;
    for (size_t i = 0; i < d->region_count; i++)
        n += ((size_t)d->regions[i].n_before + d->regions[i].n_after) * sizeof(uint64_t);
    return n;
}

/* There is more than can be kept of it: nothing will explain it. */
static void forget(struct sharc_difference *d)
{
    struct sharc_difference rest = {.relation = d->relation,
                                    .why = d->why,
                                    .status = d->status,
                                    .words = d->words,
                                    .likeness = d->likeness,
                                    .cached = d->cached,
                                    .cut = true,
                                    .touched_all = true};
    sharc_difference_done(d);
    *d = rest;
}

/* The largest go first, so that it is the same ones whatever the order they are told in. */
static void keep_within_memory(struct sharc_case *c, uint32_t id)
{
    size_t bytes = bytes_of(&c->pages[id].difference);
    struct sharc_heap_item largest;
    c->kept += bytes;
    sharc_heap_push(&c->largest, -(double)bytes, c->pages[id].order, id);
    while (c->kept > c->o.memory && sharc_heap_pop(&c->largest, &largest)) {
        struct sharc_difference *d = &c->pages[largest.value].difference;
        c->kept -= bytes_of(d);
        if (d->relation == SHARC_RELATION_DIFFERENT) forget(d);
    }
}

void sharc_case_difference(struct sharc_case *c, uint32_t id, struct sharc_difference *d)
{
    struct page *p = &c->pages[id];
    if (p->compared) { /* each page once */
        sharc_difference_done(d);
        return;
    }
    p->difference = *d;
    *d = (struct sharc_difference)SHARC_DIFFERENCE_INIT;
    keep_within_memory(c, id);
    p->compared = true;
    c->dirty = true;
}

void sharc_case_places(struct sharc_case *c, uint32_t id, struct sharc_places *places)
{
    struct page *p = &c->pages[id];
    sharc_places_done(&p->places);
    p->places = *places;
    *places = (struct sharc_places)SHARC_PLACES_INIT;
    p->has_places = true;
    c->dirty = true;
}

void sharc_case_control(struct sharc_case *c, uint32_t id, bool late, struct sharc_difference *d)
{
    struct page *p = &c->pages[id];
    SHARC_GROW(p->controls, p->control_room, p->control_count + 1);
    p->controls[p->control_count++] = (struct control){.late = late, .difference = *d};
    *d = (struct sharc_difference)SHARC_DIFFERENCE_INIT;
    c->requests += late ? 1 : 2;
    c->dirty = true;
}

void sharc_case_hint(struct sharc_case *c, uint64_t place)
{
    *sharc_map64_at(&c->hints, place) = 1;
}

uint32_t sharc_case_requests(const struct sharc_case *c)
{
    return c->requests;
}

/* --- results ------------------------------------------------------------------------------------ */

static enum sharc_grade_reason unexplained(const struct sharc_case *c, const struct page *p)
{
    const struct sharc_difference *d = &p->difference;
    bool head = d->hunk_count && d->hunks[0].kind == SHARC_HUNK_HEADER;
    if (head || sharc__case_has_pair(p) || d->likeness < c->o.alike) return SHARC_GRADED_CHANGED;
    return SHARC_GRADED_SIMILAR;
}

static enum sharc_grade_reason judge(const struct sharc_case *c, const struct page *p, struct sharc_case_result *ret)
{
    const struct sharc_difference *d = &p->difference;
    uint64_t words = 0;
    enum sharc_grade_reason worst = SHARC_GRADED_OWN_CONTROL;
    bool whole = false, all = !d->cut && d->hunk_count > 0;
    for (size_t i = 0; i < d->hunk_count; i++) {
        if (!p->explained[i]) {
            all = false;
            continue;
        }
        ret->volatile_hunks++;
        words += d->hunks[i].words;
        whole |= d->hunks[i].kind == SHARC_HUNK_BYTES;
        if (p->explained[i] > worst) worst = (enum sharc_grade_reason)p->explained[i];
    }
    ret->volatile_share = whole ? 1 : (double)words / (double)(d->words ? d->words : 1);
    if (!all) return unexplained(c, p);
    return ret->volatile_share > c->o.most_volatile ? SHARC_GRADED_TOO_VOLATILE : worst;
}

void sharc_case_result(struct sharc_case *c, uint32_t id, struct sharc_case_result *ret)
{
    sharc__case_learn(c);
    const struct page *p = &c->pages[id];
    *ret = (struct sharc_case_result){.reason = (enum sharc_grade_reason)p->reason};
    if (p->reason != SHARC_GRADED_NOT_GRADED) return;
    ret->reason = SHARC_GRADED_CHANGED;
    if (!p->compared) return; /* the digests differ, and nobody looked */
    ret->difference = &p->difference;
    ret->explained = p->explained;
    switch (p->difference.relation) {
    case SHARC_RELATION_SAME_CONTENT: ret->reason = SHARC_GRADED_SAME_CONTENT; break;
    case SHARC_RELATION_SAME_ITEMS: ret->reason = SHARC_GRADED_SAME_ITEMS; break;
    case SHARC_RELATION_NOT_COMPARABLE: ret->reason = SHARC_GRADED_CUT; break;
    case SHARC_RELATION_DIFFERENT: ret->reason = judge(c, p, ret); break;
    }
}

static void put_hunk(struct sharc_buf *out, const struct sharc_hunk *h)
{
    sharc_buf_put_str(out, h->where ? h->where : "");
    if (h->kind == SHARC_HUNK_ORDER)
        sharc_buf_put_str(out, ": another order");
    else if (h->old && h->now && (*h->old || *h->now))
        sharc_buf_printf(out, ": \"%s\" / \"%s\"", h->old, h->now);
}

enum { DETAILS = 3 };

void sharc_case_detail(struct sharc_case *c, uint32_t id, struct sharc_buf *out)
{
    struct sharc_case_result r;
    sharc_case_result(c, id, &r);
    if (!r.difference) return;
    const struct sharc_difference *d = r.difference;
    bool proof = sharc_grade_is_proof(sharc_grade_of(r.reason));
    size_t shown = 0, matching = 0;
    if (d->why && *d->why) {
        sharc_buf_put_str(out, d->why);
        return;
    }
    for (size_t i = 0; i < d->hunk_count; i++) {
        if (!proof && r.explained[i] && r.volatile_hunks < d->hunk_count) continue; /* what is not explained */
        if (matching++ >= DETAILS) continue;
        if (shown++) sharc_buf_put_str(out, "; ");
        put_hunk(out, &d->hunks[i]);
    }
    if (matching > shown) sharc_buf_printf(out, "; %zu more", matching - shown);
}
