/* SPDX-License-Identifier: Apache-2.0
 *
 * Leaves as wholes. A teaser that has few values shows the same ones everywhere, but its hunks depend on what it
 * was compared with: words that both have in common, a number that stands where another one stood. So all that
 * stands in a leaf has a place of its own, with a pool of its own.
 */
#include "case_int.h"

#include <stdlib.h>

static struct place *place_of(struct sharc_case *c, const struct sharc__region *r)
{
    return sharc__case_place_at(c, sharc__case_whole(sharc__evidence_leaf_place(r->loose)));
}

/* A region of a difference, and a hunk that lies in it. */
struct leaf {
    uint64_t place;
    uint32_t region, hunk;
    bool numbers;
};

static int by_place(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

/* The leaves that differ, those of one place together. */
static struct leaf *leaves_of(const struct sharc_difference *d, size_t *ret_count)
{
    struct leaf *v = SHARC_NEW_ARRAY(struct leaf, d->hunk_count);
    size_t n = 0;
    for (uint32_t i = 0; i < d->hunk_count; i++) {
        const struct sharc__region *r = &d->regions[d->hunks[i].region];
        if (!sharc__case_is_leaf(r)) continue;
        if (n == 0 || v[n - 1].region != d->hunks[i].region)
            v[n++] = (struct leaf){sharc__case_whole(sharc__evidence_leaf_place(r->loose)), d->hunks[i].region, i,
                                   /* numbers= */ false};
        v[n - 1].numbers |= d->hunks[i].moving;
    }
    if (n > 1) qsort(v, n, sizeof *v, by_place);
    *ret_count = n;
    return v;
}

void sharc__case_note_leaves(struct sharc_case *c, uint32_t id)
{
    const struct page *p = &c->pages[id];
    const struct sharc_difference *d = &p->difference;
    size_t n;
    SHARC_AUTO(sharc_freep) struct leaf *v = leaves_of(d, &n);
    for (size_t i = 0; i < n; i++) {
        const struct sharc__region *r = &d->regions[v[i].region];
        struct place *at = place_of(c, r);
        at->whole = true;
        at->moving = false;
        at->slow = 0;
        at->numbers |= v[i].numbers;
        bool first = i == 0 || v[i - 1].place != v[i].place;
        at->pages += first;
        at->drawn += first && p->has_places;
        if (at->first == SHARC__EVIDENCE_NONE || p->order < c->pages[at->first].order) {
            at->first = id;
            at->hunk = v[i].hunk;
            at->kind = r->kind;
        }
        if (r->still) at->contradicted = at->stubborn = true;
        sharc__case_remember(c, at, r->value_before, ROLE_BEFORE);
        sharc__case_remember(c, at, r->value_after, ROLE_AFTER);
        if (p->has_places) sharc__case_note_move(c, at, r->value_before, r->value_after);
    }
}

void sharc__case_note_leaf_values(struct sharc_case *c, const struct sharc_difference *control)
{
    for (size_t i = 0; i < control->region_count; i++) {
        const struct sharc__region *r = &control->regions[i];
        uint64_t place = sharc__case_whole(sharc__evidence_leaf_place(r->loose));
        const uint64_t *at = sharc__case_is_leaf(r) ? sharc_map64_find(&c->place_of, place) : NULL;
        if (!at || !*at) continue;
        sharc__case_remember(c, &c->places[*at - 1], r->value_before, ROLE_CONTROL);
        sharc__case_remember(c, &c->places[*at - 1], r->value_after, ROLE_CONTROL);
    }
}

/* A pair of the page differed in that leaf, and the leaf is not an edit that stayed. */
static bool is_shown(const struct sharc_case *c, const struct page *p, uint64_t place, const struct sharc__region *r)
{
    for (size_t i = 0; i < p->control_count; i++) {
        const struct sharc_difference *d = &p->controls[i].difference;
        if (p->controls[i].late || !sharc__case_speaks(p, &p->controls[i])) continue;
        for (size_t k = 0; k < d->region_count; k++) {
            const struct sharc__region *q = &d->regions[k];
            if (q->place != r->place || !sharc__case_is_leaf(q)) continue;
            if (q->value_before != r->value_after || sharc__case_rotates(c, place, r->value_after)) return true;
        }
    }
    return false;
}

void sharc__case_note_leaf_pairs(struct sharc_case *c, const struct page *p)
{
    const struct sharc_difference *d = &p->difference;
    size_t n;
    if (!sharc__case_has_pair(p)) return;
    SHARC_AUTO(sharc_freep) struct leaf *v = leaves_of(d, &n);
    for (size_t i = 0; i < n;) {
        struct place *at = sharc__case_place_at(c, v[i].place);
        uint64_t place = v[i].place;
        bool proved = true;
        for (; i < n && v[i].place == place; i++)
            proved &=
                p->explained[v[i].hunk] == SHARC_GRADED_OWN_CONTROL || is_shown(c, p, place, &d->regions[v[i].region]);
        at->pairs++;
        at->proved += proved;
        at->cached += proved && d->cached;
    }
}
