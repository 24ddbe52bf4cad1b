/* SPDX-License-Identifier: Apache-2.0
 *
 * Which places differ on every request. Everything is computed from the set of what was told; no step
 * depends on the order of pages or controls.
 *
 * A hunk is volatile
 *   by its own pair      if a pair of the very page explains the region it lies in (frame.c);
 *   by kind              if the pairs of all pages that differ there and have one differ there, at least two
 *                        pages have one, and no page that has the place stood still there, but by chance; words,
 *                        and what stands still by chance, also need both values to be seen elsewhere: a
 *                        teaser has a pool of values, an edited sentence has not. Tokens, words and whole leaves
 *                        (leaves.c) are places of their own. A page whose own pair stood still there is not excused,
 *                        nor is a list of which one entry has moved: that is what an edit of a ranking looks like;
 *   by a late control    if it is a time or a counter that several pages share, and a late control shows it moving.
 */
#include "case_int.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS_LEAST = 2, PAIRS_FOR_NUMBERS = 3 };

/* Control downloads that failed, were cut, or met an error page or a redirect say nothing, for or against. */
bool sharc__case_speaks(const struct page *p, const struct control *c)
{
    const struct sharc_difference *d = &c->difference;
    bool repeated = d->repeated && d->relation != SHARC_RELATION_DIFFERENT;
    return d->relation != SHARC_RELATION_NOT_COMPARABLE && d->status == p->status && !repeated;
}

bool sharc__case_has_control(const struct page *p, bool late)
{
    for (size_t i = 0; i < p->control_count; i++)
        if (p->controls[i].late == late && sharc__case_speaks(p, &p->controls[i])) return true;
    return false;
}

unsigned sharc__case_pairs_that_speak(const struct page *p)
{
    unsigned n = 0;
    for (size_t i = 0; i < p->control_count; i++) n += !p->controls[i].late && sharc__case_speaks(p, &p->controls[i]);
    return n;
}

bool sharc__case_has_pair(const struct page *p)
{
    return sharc__case_has_control(p, /* late= */ false);
}

const struct place *sharc__case_place(const struct sharc_case *c, uint64_t place)
{
    const uint64_t *at = sharc_map64_find(&c->place_of, place);
    return at && *at ? &c->places[*at - 1] : NULL;
}

/* --- own pairs ---------------------------------------------------------------------------------- */

/* Whole answers that differ on every request: images drawn anew, packed files. */
static bool is_same_whole(const struct sharc_difference *control, const struct sharc_hunk *h)
{
    return h->kind == SHARC_HUNK_BYTES && control->hunk_count == 1 && control->hunks[0].kind == SHARC_HUNK_BYTES &&
           control->hunks[0].before != h->after; /* else it stayed: an edit, and then another one */
}

static bool control_explains(const struct sharc_difference *control, const struct sharc_difference *d, size_t hunk,
                             bool may_stay)
{
    const struct sharc_hunk *h = &d->hunks[hunk];
    if (control->relation != SHARC_RELATION_DIFFERENT) return false;
    if (is_same_whole(control, h)) return true;
    for (size_t i = 0; i < control->region_count; i++)
        if (sharc__evidence_explains(&control->regions[i], &d->regions[h->region], may_stay)) return true;
    return false;
}

/* By one pair that shows all, or by two that differ there though one began as the revisit ended. */
static bool is_explained(const struct page *p, size_t hunk)
{
    unsigned nearly = 0;
    for (size_t i = 0; i < p->control_count; i++) {
        const struct sharc_difference *d = &p->controls[i].difference;
        if (p->controls[i].late || !sharc__case_speaks(p, &p->controls[i])) continue;
        if (control_explains(d, &p->difference, hunk, /* may_stay= */ false)) return true;
        nearly += control_explains(d, &p->difference, hunk, /* may_stay= */ true);
    }
    return nearly >= 2;
}

static void explain_own(struct page *p)
{
    const struct sharc_difference *d = &p->difference;
    free(p->explained);
    p->explained = SHARC_NEW_ARRAY(uint8_t, d->hunk_count);
    if (!p->control_count) return;
    uint32_t region = SHARC__EVIDENCE_NONE;
    bool explained = false;
    for (size_t i = 0; i < d->hunk_count; i++) {
        if (d->hunks[i].region != region) explained = is_explained(p, i);
        region = d->hunks[i].region;
        p->explained[i] = explained ? SHARC_GRADED_OWN_CONTROL : SHARC_GRADED_NOT_GRADED;
    }
}

/* --- by kind and late ------------------------------------------------------------------------------- */

/* A number among those that controls showed, or not far from them. */
static bool is_near(const struct place *p, const struct sharc_hunk *h)
{
    double width = p->high - p->low;
    return h->moving && !isnan(h->low) && !isnan(width) && h->low >= p->low - width && h->high <= p->high + width;
}

/* Numbers in a text need more pages: a price may stand where other pages have a counter. */
unsigned sharc__case_least(const struct place *p)
{
    bool numbers = (p->moving && p->slow < 2) || p->numbers;
    return numbers && p->kind == SHARC_HUNK_TEXT ? PAIRS_FOR_NUMBERS : PAIRS_LEAST;
}

/* A time may be taken for one; for a counter as many pages are looked at as for a number. */
unsigned sharc__case_least_late(const struct place *p)
{
    return p->slow == 2 ? 1 : PAIRS_FOR_NUMBERS;
}

bool sharc_case_needs_places(struct sharc_case *c)
{
    sharc__case_learn(c);
    for (size_t i = 0; i < c->place_count; i++)
        if (c->places[i].proved >= PAIRS_LEAST || c->places[i].late) return true;
    return false;
}

static bool is_volatile_kind(const struct place *p)
{
    return p->proved >= sharc__case_least(p) && sharc__case_are_misses_chance(p) && !p->contradicted &&
           sharc__case_is_chance(p) && p->kind != SHARC_HUNK_BYTES && p->kind != SHARC_HUNK_HEADER;
}

/* Did the pairs of a page, and there is one, stand still in a region of its difference? Where tags come and go nobody
 * knows. What a cache may have repeated speaks against no other page, and still not for this one. */
static bool stood_still(const struct page *p, const struct sharc__region *r)
{
    bool any = false;
    for (size_t i = 0; i < p->control_count; i++) {
        const struct sharc_difference *d = &p->controls[i].difference;
        bool repeated = d->repeated && d->status == p->status && d->relation != SHARC_RELATION_NOT_COMPARABLE;
        if (p->controls[i].late || (!repeated && !sharc__case_speaks(p, &p->controls[i]))) continue;
        any = true;
        for (size_t k = 0; k < d->region_count; k++)
            if (d->regions[k].kind == SHARC_HUNK_TAGS || d->regions[k].loose == r->loose) return false;
    }
    return any;
}

/* A cache keeps some pages and not others: what pages that come through one have is shown by such pages alone. Those
 * that it kept cannot speak against the place. */
static bool is_of_this_kind(const struct page *page, const struct place *p)
{
    return !page->difference.cached || p->cached >= sharc__case_least(p);
}

/* All that stands in a leaf is one of a few things that come and go. */
static bool is_of_pool(const struct sharc_case *c, const struct page *page, const struct sharc__region *r)
{
    uint64_t whole = sharc__case_whole(sharc__evidence_leaf_place(r->loose));
    const struct place *p = sharc__case_is_leaf(r) ? sharc__case_place(c, whole) : NULL;
    return p && is_volatile_kind(p) && is_of_this_kind(page, p) && sharc__case_is_in_pool(c, whole, r->value_before) &&
           sharc__case_is_in_pool(c, whole, r->value_after);
}

static bool is_volatile_late(const struct sharc_case *c, const struct place *p)
{
    if (!p->moving || !p->slow || p->pages < c->o.late_pages || !p->late || p->late < p->looked) return false;
    if (p->late < sharc__case_least_late(p)) return false;
    if (p->proved > 0 && p->slow < 2) return false; /* what moves at once is no slow noise; a second may pass */
    /* A clock to the minute stands still on many pages, at a value that others show; a stated date shows its own. */
    return !p->contradicted && (p->slow == 2 || sharc__case_is_chance(p));
}

/* By kind or late: why a hunk is volatile without its own pair; NOT_GRADED: it is not. */
static enum sharc_grade_reason explains(const struct sharc_case *c, const struct page *page, size_t hunk)
{
    const struct sharc_hunk *h = &page->difference.hunks[hunk];
    const struct sharc__region *region = &page->difference.regions[h->region];
    const struct place *p = sharc__case_place(c, h->place);
    if (!p || region->large || h->one_moved)
        return SHARC_GRADED_NOT_GRADED; /* a shuffled list seldom moves one entry */
    bool still = stood_still(page, region);
    if (!still && is_of_pool(c, page, region)) return SHARC_GRADED_KIND_CONTROL;
    bool pooled = h->kind != SHARC_HUNK_ORDER && (!h->moving || p->by_chance || p->proved < p->pairs);
    bool known = !pooled || is_near(p, h) ||
                 (sharc__case_is_in_pool(c, h->place, h->before) && sharc__case_is_in_pool(c, h->place, h->after));
    if (!still && is_volatile_kind(p) && is_of_this_kind(page, p) && known) return SHARC_GRADED_KIND_CONTROL;
    if (is_volatile_late(c, p) && h->slow && !page->difference.cached) return SHARC_GRADED_LATE_CONTROL;
    return SHARC_GRADED_NOT_GRADED;
}

static void explain_others(struct sharc_case *c, struct page *p)
{
    const struct sharc_difference *d = &p->difference;
    for (size_t i = 0; i < d->hunk_count; i++) {
        if (p->explained[i]) continue;
        p->explained[i] = (uint8_t)explains(c, p, i);
        if (p->explained[i]) continue;
        const struct sharc__region *r = &d->regions[d->hunks[i].region];
        sharc__case_place_at(c, d->hunks[i].place)->open++;
        if (sharc__case_is_leaf(r))
            sharc__case_place_at(c, sharc__case_whole(sharc__evidence_leaf_place(r->loose)))->open++;
    }
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static int by_signature(const void *a, const void *b, void *arg)
{
    const struct sharc_case *c = arg;
    uint64_t x = c->places[*(const uint32_t *)a].place, y = c->places[*(const uint32_t *)b].place;
    return (x > y) - (x < y);
}

/* Of a leaf the words and tokens in it that differ are shown, and the whole only if these were not learned. */
static bool is_shown(const struct sharc_case *c, const struct place *p)
{
    if (!p->whole) return p->proved || is_volatile_late(c, p);
    const struct place *hunk = sharc__case_place(c, c->pages[p->first].difference.hunks[p->hunk].place);
    return p->proved && !(hunk && (hunk->proved || is_volatile_late(c, hunk)));
}

static void list_volatile(struct sharc_case *c)
{
    free(c->shown);
    c->shown = SHARC_NEW_ARRAY(uint32_t, c->place_count);
    c->shown_count = 0;
    for (uint32_t i = 0; i < c->place_count; i++)
        if (is_shown(c, &c->places[i])) c->shown[c->shown_count++] = i;
    if (c->shown_count > 1) qsort_r(c->shown, c->shown_count, sizeof *c->shown, by_signature, c);
}

void sharc__case_learn(struct sharc_case *c)
{
    if (!c->dirty) return;
    c->dirty = false;
    c->place_count = 0;
    sharc_map64_done(&c->place_of);
    sharc_map64_done(&c->values);
    sharc_map64_init(&c->place_of);
    sharc_map64_init(&c->values);
    for (uint32_t i = 0; i < c->count; i++)
        if (sharc__case_is_different(&c->pages[i])) explain_own(&c->pages[i]);
    sharc__case_note(c);
    for (size_t i = 0; i < c->count; i++)
        if (sharc__case_is_different(&c->pages[i])) explain_others(c, &c->pages[i]);
    list_volatile(c);
}

size_t sharc_case_volatile_count(struct sharc_case *c)
{
    sharc__case_learn(c);
    return c->shown_count;
}

void sharc_case_volatile(struct sharc_case *c, size_t i, struct sharc_case_place *ret)
{
    sharc__case_learn(c);
    const struct place *p = &c->places[c->shown[i]];
    const struct sharc_hunk *h = &c->pages[p->first].difference.hunks[p->hunk];
    *ret = (struct sharc_case_place){.place = p->place,
                                     .kind = p->kind,
                                     .late = !p->proved,
                                     .pages = p->pages,
                                     .pairs = p->pairs,
                                     .differed = p->proved,
                                     .where = h->where,
                                     .example = h->now};
}
