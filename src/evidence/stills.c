/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages that stood still where others differ. They speak against a place; unless their own pair shows that it differs
 * there as well, and that it was the same twice by chance.
 */
#include "case_int.h"

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

/* Where a hunk lies, as spots have it, and what it showed first. */
static uint64_t value_before(const struct sharc__region *r, const struct sharc_hunk *h, const struct sharc_spot *s)
{
    if (r->kind == SHARC_HUNK_ORDER) return r->place == sharc__evidence_order_place(s->leaf) ? h->before : s->value;
    if (r->place != s->leaf) return s->value;
    return h->moving ? h->before : r->value_before;
}

/* Spots of one place in one leaf. */
static size_t twins_of(const struct page *p, size_t i)
{
    const struct sharc_spot *s = p->places.spots;
    size_t from = i, to = i;
    while (from > 0 && s[from - 1].place == s[i].place && s[from - 1].leaf == s[i].leaf) from--;
    while (to < p->places.count && s[to].place == s[i].place && s[to].leaf == s[i].leaf) to++;
    return to - from;
}

/* A pair differs at all these spots, and its first download differs from the visit: had it been edited between both
 * downloads of the pair, the first one would have what the visit has. */
static bool differs_by_itself(const struct page *p, size_t i)
{
    const struct sharc_spot *s = &p->places.spots[i];
    size_t wanted = twins_of(p, i);
    for (size_t k = 0; k < p->control_count; k++) {
        const struct sharc_difference *d = &p->controls[k].difference;
        size_t shown = 0;
        if (p->controls[k].late || !sharc__case_speaks(p, &p->controls[k])) continue;
        for (size_t h = 0; h < d->hunk_count; h++)
            shown += d->hunks[h].place == s->place &&
                     value_before(&d->regions[d->hunks[h].region], &d->hunks[h], s) != s->value;
        if (shown >= wanted) return true;
    }
    return false;
}

/* The same of a leaf as a whole. */
static bool leaf_differs_by_itself(const struct page *p, const struct sharc_spot *s)
{
    for (size_t k = 0; k < p->control_count; k++) {
        const struct sharc_difference *d = &p->controls[k].difference;
        if (p->controls[k].late || !sharc__case_speaks(p, &p->controls[k])) continue;
        for (size_t i = 0; i < d->region_count; i++)
            if (sharc__case_is_leaf(&d->regions[i]) && d->regions[i].place == s->leaf &&
                d->regions[i].value_before != s->value)
                return true;
    }
    return false;
}

/* Did a pair differ at that spot, whatever it showed? */
static bool moves_by_itself(const struct page *p, const struct sharc_spot *s, bool leaf)
{
    for (size_t k = 0; k < p->control_count; k++) {
        const struct sharc_difference *d = &p->controls[k].difference;
        if (p->controls[k].late || !sharc__case_speaks(p, &p->controls[k])) continue;
        for (size_t i = 0; leaf && i < d->region_count; i++)
            if (d->regions[i].place == s->leaf) return true;
        for (size_t h = 0; !leaf && h < d->hunk_count; h++)
            if (d->hunks[h].place == s->place && d->regions[d->hunks[h].region].place == s->leaf) return true;
    }
    return false;
}

/* It stood still at a value that others show. Where its page has pairs: does it stand still there, too? */
static void note_chance(struct sharc_case *c, uint32_t id, struct place *p, const struct sharc_spot *s, bool leaf)
{
    unsigned tries = sharc__case_pairs_that_speak(&c->pages[id]);
    p->by_chance++;
    bool pinned = tries && !moves_by_itself(&c->pages[id], s, leaf);
    p->tested += tries > 0;
    if (pinned && (!p->pinned++ || tries < p->pin_tries)) p->pin_tries = tries;
    if (tries && !pinned) return;
    SHARC_GROW(c->stayers, c->stayer_room, c->stayer_count + 1);
    c->stayers[c->stayer_count++] = (struct doubt){(uint32_t)(p - c->places), id};
}

/* A page that has the place and did not differ there speaks against it. What has few values may be the same twice
 * by chance: then it is a value that others show, and there are not more of them than chance allows. */
static void note(struct sharc_case *c, uint32_t id, uint64_t place, const struct sharc_spot *s, bool differs)
{
    const uint64_t *at = sharc_map64_find(&c->place_of, place);
    if (!at || !*at) return;
    struct place *p = &c->places[*at - 1];
    /* Of times that pages show, those that were stated and edited are no clock's. */
    bool seen = p->slow == 2 ? sharc__case_is_in_pool(c, place, s->value) : sharc__case_roles(c, place, s->value);
    if (p->kind != SHARC_HUNK_ORDER && seen) {
        note_chance(c, id, p, s, place != s->place);
        return;
    }
    if (differs) return;
    p->contradicted = true;
    if (c->pages[id].control_count) {
        p->stubborn = true;
        return;
    }
    SHARC_GROW(c->doubts, c->doubt_room, c->doubt_count + 1);
    c->doubts[c->doubt_count++] = (struct doubt){(uint32_t)(*at - 1), id};
}

void sharc__case_note_still(struct sharc_case *c, uint32_t id)
{
    const struct page *p = &c->pages[id];
    if (p->difference.touched_all) return;
    bool pair = sharc__case_has_pair(p);
    for (size_t i = 0; i < p->places.count; i++) {
        const struct sharc_spot *s = &p->places.spots[i];
        uint64_t whole = sharc__case_whole(s->place);
        bool known = sharc_map64_find(&c->place_of, s->place), leaf = sharc_map64_find(&c->place_of, whole);
        if ((!known && !leaf) || was_touched(&p->difference, s->leaf)) continue;
        if (known) note(c, id, s->place, s, pair && differs_by_itself(p, i));
        if (leaf) note(c, id, whole, s, pair && leaf_differs_by_itself(p, s));
    }
}
