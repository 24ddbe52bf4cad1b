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
 *                        teaser has a pool of values, an edited sentence has not;
 *   by a late control    if it is a time or a counter that several pages share, and a late control shows it moving.
 */
#include "case_int.h"

#include <math.h>
#include <stdlib.h>

enum { ROLE_BEFORE = 1, ROLE_AFTER = 2, ROLE_CONTROL = 4 };
enum { PAIRS_LEAST = 2, PAIRS_FOR_NUMBERS = 3 };

/* Control downloads that failed, were cut, or met an error page or a redirect say nothing, for or against. */
static bool speaks(const struct page *p, const struct control *c)
{
    return c->difference.relation != SHARC_RELATION_NOT_COMPARABLE && c->difference.status == p->difference.status;
}

static bool has_control(const struct page *p, bool late)
{
    for (size_t i = 0; i < p->control_count; i++)
        if (p->controls[i].late == late && speaks(p, &p->controls[i])) return true;
    return false;
}

bool sharc__case_has_pair(const struct page *p)
{
    return has_control(p, /* late= */ false);
}

const struct place *sharc__case_place(const struct sharc_case *c, uint64_t place)
{
    const uint64_t *at = sharc_map64_find(&c->place_of, place);
    return at && *at ? &c->places[*at - 1] : NULL;
}

static struct place *place_at(struct sharc_case *c, uint64_t place)
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
        if (p->controls[i].late || !speaks(p, &p->controls[i])) continue;
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

/* --- places ---------------------------------------------------------------------------------------- */

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
static void remember_value(struct sharc_case *c, struct place *at, uint64_t value, unsigned role)
{
    uint64_t *known = sharc_map64_at(&c->values, sharc__evidence_mix(at->place, value));
    uint64_t times = *known >> 3;
    at->values++;
    at->squares += 2 * times + 1;
    *known = (times + 1) << 3 | (*known & 7) | role;
}

static unsigned roles_of(const struct sharc_case *c, uint64_t place, uint64_t value)
{
    const uint64_t *known = sharc_map64_find(&c->values, sharc__evidence_mix(place, value));
    return known ? (unsigned)(*known & 7) : 0;
}

static void note_hunk(struct sharc_case *c, struct place *at, const struct sharc_hunk *h)
{
    at->moving &= h->moving;
    if (h->slow < at->slow) at->slow = h->slow;
    if (h->still && h->kind != SHARC_HUNK_TAGS && h->kind != SHARC_HUNK_ORDER) at->contradicted = true;
    remember_value(c, at, h->before, ROLE_BEFORE);
    remember_value(c, at, h->after, ROLE_AFTER);
}

static void note_page(struct sharc_case *c, uint32_t id)
{
    struct page *p = &c->pages[id];
    const struct sharc_difference *d = &p->difference;
    const struct sharc_hunk **hunks = sorted_hunks(d);
    for (size_t i = 0; i < d->hunk_count;) {
        struct place *at = place_at(c, hunks[i]->place);
        if (at->first == SHARC__EVIDENCE_NONE || p->order < c->pages[at->first].order) {
            at->first = id;
            at->hunk = (uint32_t)(hunks[i] - d->hunks);
            at->kind = hunks[i]->kind;
        }
        uint64_t place = hunks[i]->place;
        for (; i < d->hunk_count && hunks[i]->place == place; i++) note_hunk(c, at, hunks[i]);
        at->pages++;
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
        for (size_t i = 0; speaks(p, &p->controls[k]) && i < d->hunk_count; i++) {
            const struct sharc_hunk *h = &d->hunks[i];
            uint64_t *at = sharc_map64_at(&c->place_of, h->place);
            if (!*at) continue;
            remember_value(c, &c->places[*at - 1], h->before, ROLE_CONTROL);
            remember_value(c, &c->places[*at - 1], h->after, ROLE_CONTROL);
            note_numbers(&c->places[*at - 1], h);
        }
    }
}

static bool is_in_pool(const struct sharc_case *c, uint64_t place, uint64_t value)
{
    unsigned roles = roles_of(c, place, value);
    return roles & ROLE_CONTROL || (roles & (ROLE_BEFORE | ROLE_AFTER)) == (ROLE_BEFORE | ROLE_AFTER);
}

/* Pages had it at the visit and pages had it at the revisit: it comes and goes. */
static bool rotates(const struct sharc_case *c, uint64_t place, uint64_t value)
{
    return (roles_of(c, place, value) & (ROLE_BEFORE | ROLE_AFTER)) == (ROLE_BEFORE | ROLE_AFTER);
}

/* A pair differed at the place of a hunk, and the hunk is not an edit that stayed. */
static bool is_shown_by(const struct sharc_case *c, const struct page *p, const struct sharc_hunk *h)
{
    for (size_t i = 0; i < p->control_count; i++) {
        const struct sharc_difference *d = &p->controls[i].difference;
        if (p->controls[i].late || !speaks(p, &p->controls[i])) continue;
        for (size_t k = 0; k < d->hunk_count; k++)
            if (d->hunks[k].place == h->place && (d->hunks[k].before != h->after || rotates(c, h->place, h->after)))
                return true;
    }
    return false;
}

/* A late control moved at the place of a hunk. */
static bool moves_late(const struct page *p, const struct sharc_hunk *h)
{
    for (size_t i = 0; i < p->control_count; i++) {
        const struct sharc_difference *d = &p->controls[i].difference;
        if (!p->controls[i].late || !speaks(p, &p->controls[i])) continue;
        for (size_t k = 0; k < d->hunk_count; k++)
            if (d->hunks[k].place == h->place && d->hunks[k].slow) return true;
    }
    return false;
}

/* Controls of pages that differ at a place, and whether they differed there. */
static void note_pairs(struct sharc_case *c, const struct page *p)
{
    const struct sharc_difference *d = &p->difference;
    bool pair = sharc__case_has_pair(p), late = has_control(p, /* late= */ true);
    if (!pair && !late) return;
    const struct sharc_hunk **hunks = sorted_hunks(d);
    for (size_t i = 0; i < d->hunk_count;) {
        struct place *at = place_at(c, hunks[i]->place);
        bool proved = pair, moves = late;
        uint64_t place = hunks[i]->place;
        for (; i < d->hunk_count && hunks[i]->place == place; i++) {
            proved &= p->explained[hunks[i] - d->hunks] == SHARC_GRADED_OWN_CONTROL || is_shown_by(c, p, hunks[i]);
            moves &= moves_late(p, hunks[i]);
        }
        at->pairs += pair;
        at->proved += proved;
        at->looked += late;
        at->late += moves;
    }
    free(hunks);
}

static bool was_touched(const struct sharc_difference *d, uint64_t leaf)
{
    size_t from = 0, to = d->touched_count;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (d->touched[mid] == leaf) return true;
        if (d->touched[mid] < leaf)
            from = mid + 1;
        else
            to = mid;
    }
    return false;
}

/* A page that has the place and did not differ there speaks against it. What has few values may be the same twice
 * by chance: then it is a value that others show, and there are not more of them than chance allows. */
static void note_still(struct sharc_case *c, const struct page *p)
{
    if (p->difference.touched_all) return;
    for (size_t i = 0; i < p->places.count; i++) {
        const struct sharc_spot *s = &p->places.spots[i];
        const uint64_t *at = sharc_map64_find(&c->place_of, s->place);
        if (!at || !*at || was_touched(&p->difference, s->leaf)) continue;
        struct place *place = &c->places[*at - 1];
        if (roles_of(c, s->place, s->value))
            place->by_chance++;
        else
            place->contradicted = true;
    }
}

/* Of n spots that take values at random, n times the chance that two are the same stand still. */
static bool is_chance(const struct place *p)
{
    if (!p->by_chance) return true;
    double n = (double)p->pages + p->by_chance, values = (double)p->values;
    double expected = n * (double)p->squares / (values * values);
    double over = p->by_chance - expected;
    return over <= 1 || over * over <= 9 * expected;
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
    return p->moving && p->kind == SHARC_HUNK_TEXT && p->slow < 2 ? PAIRS_FOR_NUMBERS : PAIRS_LEAST;
}

/* A time may be taken for one; for a counter as many pages are looked at as for a number. */
unsigned sharc__case_least_late(const struct place *p)
{
    return p->slow == 2 ? 1 : PAIRS_FOR_NUMBERS;
}

static bool is_volatile_kind(const struct place *p)
{
    return p->pairs >= sharc__case_least(p) && p->proved == p->pairs && !p->contradicted && is_chance(p) &&
           p->kind != SHARC_HUNK_BYTES && p->kind != SHARC_HUNK_HEADER;
}

static bool is_volatile_late(const struct sharc_case *c, const struct place *p)
{
    if (!p->moving || !p->slow || p->pages < c->o.late_pages || !p->late || p->late < p->looked) return false;
    if (p->proved > 0 || p->late < sharc__case_least_late(p)) return false; /* what moves at once is no slow noise */
    return p->slow == 2 || (!p->contradicted && is_chance(p));
}

enum sharc_grade_reason sharc__case_explains(const struct sharc_case *c, const struct sharc_difference *d, size_t hunk)
{
    const struct sharc_hunk *h = &d->hunks[hunk];
    const struct place *p = sharc__case_place(c, h->place);
    if (!p || d->regions[h->region].large) return SHARC_GRADED_NOT_GRADED;
    bool pooled = (!h->moving && h->kind != SHARC_HUNK_ORDER) || p->by_chance;
    bool known = !pooled || is_near(p, h) || (is_in_pool(c, h->place, h->before) && is_in_pool(c, h->place, h->after));
    if (is_volatile_kind(p) && known) return SHARC_GRADED_KIND_CONTROL;
    if (is_volatile_late(c, p) && h->slow) return SHARC_GRADED_LATE_CONTROL;
    return SHARC_GRADED_NOT_GRADED;
}

static void explain_others(struct sharc_case *c, struct page *p)
{
    const struct sharc_difference *d = &p->difference;
    for (size_t i = 0; i < d->hunk_count; i++) {
        if (p->explained[i]) continue;
        p->explained[i] = (uint8_t)sharc__case_explains(c, d, i);
        struct place *at = place_at(c, d->hunks[i].place);
        at->open += !p->explained[i];
    }
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static int by_signature(const void *a, const void *b, void *arg)
{
    const struct sharc_case *c = arg;
    uint64_t x = c->places[*(const uint32_t *)a].place, y = c->places[*(const uint32_t *)b].place;
    return (x > y) - (x < y);
}

static void list_volatile(struct sharc_case *c)
{
    free(c->shown);
    c->shown = SHARC_NEW_ARRAY(uint32_t, c->place_count);
    c->shown_count = 0;
    for (uint32_t i = 0; i < c->place_count; i++)
        if (c->places[i].proved || is_volatile_late(c, &c->places[i])) c->shown[c->shown_count++] = i;
    if (c->shown_count > 1) qsort_r(c->shown, c->shown_count, sizeof *c->shown, by_signature, c);
}

static bool is_different(const struct page *p)
{
    return p->reason == SHARC_GRADED_NOT_GRADED && p->compared && p->difference.relation == SHARC_RELATION_DIFFERENT;
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
    for (uint32_t i = 0; i < c->count; i++) {
        if (!is_different(&c->pages[i])) continue;
        explain_own(&c->pages[i]);
        note_page(c, i);
    }
    for (size_t i = 0; i < c->count; i++) note_controls(c, &c->pages[i]);
    for (size_t i = 0; i < c->count; i++)
        if (is_different(&c->pages[i])) note_pairs(c, &c->pages[i]);
    for (size_t i = 0; i < c->count; i++) note_still(c, &c->pages[i]);
    for (size_t i = 0; i < c->count; i++)
        if (is_different(&c->pages[i])) explain_others(c, &c->pages[i]);
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
