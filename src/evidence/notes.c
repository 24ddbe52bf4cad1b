/* SPDX-License-Identifier: Apache-2.0
 *
 * What pages and controls say about each place: how many differ there, which values stand there, whose controls
 * differed, and where it stood still.
 */
#include "case_int.h"

#include <math.h>
#include <stdlib.h>

struct place *sharc__case_place_at(struct sharc_case *c, uint64_t place)
{
    uint64_t *at = sharc_map64_at(&c->place_of, place);
    if (!*at) {
        SHARC_GROW(c->places, c->place_room, c->place_count + 1);
        c->places[c->place_count++] = (struct place){.place = place,
                                                     .first = SHARC__EVIDENCE_NONE,
                                                     .moving = true,
                                                     .slow = 2,
                                                     .low = (double)NAN,
                                                     .high = (double)NAN};
        *at = c->place_count;
    }
    return &c->places[*at - 1];
}

static int by_place(const void *a, const void *b)
{
    const struct sharc_hunk *x = *(const struct sharc_hunk *const *)a, *y = *(const struct sharc_hunk *const *)b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x > y) - (x < y);
}

/* The hunks of a page, those of one place together. */
static const struct sharc_hunk **sorted_hunks(const struct sharc_difference *d)
{
    const struct sharc_hunk **v = (const struct sharc_hunk **)SHARC_NEW_ARRAY(struct sharc_hunk *, d->hunk_count);
    for (size_t i = 0; i < d->hunk_count; i++) v[i] = &d->hunks[i];
    if (d->hunk_count > 1) qsort(v, d->hunk_count, sizeof *v, by_place);
    return v;
}

/* How often a value was told stands above its roles. */
void sharc__case_remember(struct sharc_case *c, struct place *at, uint64_t value, unsigned role)
{
    uint64_t *known = sharc_map64_at(&c->values, sharc__evidence_mix(at->place, value));
    uint64_t times = *known >> 3;
    at->values++;
    at->squares += 2 * times + 1;
    *known = (times + 1) << 3 | (*known & 7) | role;
}

unsigned sharc__case_roles(const struct sharc_case *c, uint64_t place, uint64_t value)
{
    const uint64_t *known = sharc_map64_find(&c->values, sharc__evidence_mix(place, value));
    return known ? (unsigned)(*known & 7) : 0;
}

static void note_hunk(struct sharc_case *c, struct place *at, const struct sharc_hunk *h, bool drawn)
{
    at->moving &= h->moving;
    if (h->slow < at->slow) at->slow = h->slow;
    if (h->still && h->kind != SHARC_HUNK_TAGS && h->kind != SHARC_HUNK_ORDER) at->contradicted = at->stubborn = true;
    sharc__case_remember(c, at, h->before, ROLE_BEFORE);
    sharc__case_remember(c, at, h->after, ROLE_AFTER);
    if (drawn && h->kind != SHARC_HUNK_ORDER) sharc__case_note_move(c, at, h->before, h->after);
}

static void note_page(struct sharc_case *c, uint32_t id)
{
    struct page *p = &c->pages[id];
    const struct sharc_difference *d = &p->difference;
    const struct sharc_hunk **hunks = sorted_hunks(d);
    for (size_t i = 0; i < d->hunk_count;) {
        struct place *at = sharc__case_place_at(c, hunks[i]->place);
        if (at->first == SHARC__EVIDENCE_NONE || p->order < c->pages[at->first].order) {
            at->first = id;
            at->hunk = (uint32_t)(hunks[i] - d->hunks);
            at->kind = hunks[i]->kind;
        }
        uint64_t place = hunks[i]->place;
        for (; i < d->hunk_count && hunks[i]->place == place; i++) note_hunk(c, at, hunks[i], p->has_places);
        at->pages++;
        at->drawn += p->has_places;
    }
    free(hunks);
}

static void note_numbers(struct place *at, const struct sharc_hunk *h)
{
    if (!h->moving || isnan(h->low)) return;
    at->low = isnan(at->low) ? h->low : fmin(at->low, h->low);
    at->high = isnan(at->high) ? h->high : fmax(at->high, h->high);
}

/* Values and late movements that the controls of a page show at places that pages differ in. */
static void note_controls(struct sharc_case *c, const struct page *p)
{
    for (size_t k = 0; k < p->control_count; k++) {
        const struct sharc_difference *d = &p->controls[k].difference;
        for (size_t i = 0; sharc__case_speaks(p, &p->controls[k]) && i < d->hunk_count; i++) {
            const struct sharc_hunk *h = &d->hunks[i];
            uint64_t *at = sharc_map64_at(&c->place_of, h->place);
            if (!*at) continue;
            sharc__case_remember(c, &c->places[*at - 1], h->before, ROLE_CONTROL);
            sharc__case_remember(c, &c->places[*at - 1], h->after, ROLE_CONTROL);
            note_numbers(&c->places[*at - 1], h);
        }
        if (sharc__case_speaks(p, &p->controls[k])) sharc__case_note_leaf_values(c, d);
    }
}

bool sharc__case_is_in_pool(const struct sharc_case *c, uint64_t place, uint64_t value)
{
    unsigned roles = sharc__case_roles(c, place, value);
    return roles & ROLE_CONTROL || (roles & (ROLE_BEFORE | ROLE_AFTER)) == (ROLE_BEFORE | ROLE_AFTER);
}

bool sharc__case_rotates(const struct sharc_case *c, uint64_t place, uint64_t value)
{
    return (sharc__case_roles(c, place, value) & (ROLE_BEFORE | ROLE_AFTER)) == (ROLE_BEFORE | ROLE_AFTER);
}

/* Does a leaf stand in an entry of a list of which nothing stays? */
static bool is_in_list(const struct sharc__region *r, uint64_t list)
{
    for (size_t i = 0; i < SHARC__REGION_LISTS; i++)
        if (r->lists[i] == list) return true;
    return false;
}

/* A pair differed at the place of a hunk, and the hunk is not an edit that stayed. */
static bool is_shown_by(const struct sharc_case *c, const struct page *p, const struct sharc_hunk *h)
{
    for (size_t i = 0; i < p->control_count; i++) {
        const struct sharc_difference *d = &p->controls[i].difference;
        if (p->controls[i].late || !sharc__case_speaks(p, &p->controls[i])) continue;
        for (size_t k = 0; k < d->hunk_count; k++) {
            const struct sharc_hunk *shown = &d->hunks[k];
            if (shown->fresh && is_in_list(&p->difference.regions[h->region], shown->place)) return true;
            if (h->fresh && is_in_list(&d->regions[shown->region], h->place)) return true;
            if (shown->place == h->place && (shown->before != h->after || sharc__case_rotates(c, h->place, h->after)))
                return true;
        }
    }
    return false;
}

/* A late control moved at the place of a hunk. */
static bool moves_late(const struct page *p, const struct sharc_hunk *h)
{
    for (size_t i = 0; i < p->control_count; i++) {
        const struct sharc_difference *d = &p->controls[i].difference;
        if (!p->controls[i].late || !sharc__case_speaks(p, &p->controls[i])) continue;
        for (size_t k = 0; k < d->hunk_count; k++)
            if (d->hunks[k].place == h->place && d->hunks[k].slow) return true;
    }
    return false;
}

/* Controls of pages that differ at a place, and whether they differed there. */
static void note_pairs(struct sharc_case *c, const struct page *p)
{
    const struct sharc_difference *d = &p->difference;
    const unsigned tries = sharc__case_pairs_that_speak(p);
    bool pair = tries > 0, late = sharc__case_has_control(p, /* late= */ true);
    if (!pair && !late) return;
    const struct sharc_hunk **hunks = sorted_hunks(d);
    for (size_t i = 0; i < d->hunk_count;) {
        struct place *at = sharc__case_place_at(c, hunks[i]->place);
        bool proved = pair, moves = late;
        uint64_t place = hunks[i]->place;
        for (; i < d->hunk_count && hunks[i]->place == place; i++) {
            proved &= p->explained[hunks[i] - d->hunks] == SHARC_GRADED_OWN_CONTROL || is_shown_by(c, p, hunks[i]);
            moves &= moves_late(p, hunks[i]);
        }
        at->pairs += pair;
        at->proved += proved;
        if (!proved && tries > at->tried) at->tried = tries;
        at->cached += proved && d->cached;
        at->looked += late;
        at->late += moves;
    }
    free(hunks);
}

void sharc__case_note(struct sharc_case *c)
{
    c->move_count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (sharc__case_is_different(&c->pages[i])) note_page(c, i);
    for (uint32_t i = 0; i < c->count; i++)
        if (sharc__case_is_different(&c->pages[i])) sharc__case_note_leaves(c, i);
    for (size_t i = 0; i < c->count; i++) note_controls(c, &c->pages[i]);
    for (size_t i = 0; i < c->count; i++)
        if (sharc__case_is_different(&c->pages[i])) note_pairs(c, &c->pages[i]);
    for (size_t i = 0; i < c->count; i++)
        if (sharc__case_is_different(&c->pages[i])) sharc__case_note_leaf_pairs(c, &c->pages[i]);
    c->doubt_count = c->stayer_count = 0;
    for (uint32_t i = 0; i < c->count; i++) sharc__case_note_still(c, i);
    sharc__case_weigh_moves(c);
}
