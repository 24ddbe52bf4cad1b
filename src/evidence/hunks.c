/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions into hunks. A leaf in which single tokens that no person writes were replaced one by one
 * gives one hunk for each of them; any other difference of a leaf is one hunk of words.
 */
#include "evidence_int.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

/* --- one home -------------------------------------------------------------------------------------- */

struct writer {
    struct sharc__comparison *c;
    struct sharc_difference *d;
    size_t hunk_room, region_room, kept;
    bool *still; /* leaves of b outside all regions */
    size_t touched_room;
    struct sharc_map64 around; /* node of a to a child that differs, + 1 */
    struct sharc_map64 lists;  /* node of b and mark to 2: nothing stayed, 1: something did */
};

enum { MOST_TOUCHED = 4096 };

static void touch_place(struct writer *w, uint64_t place)
{
    struct sharc_difference *d = w->d;
    if (d->touched_count == MOST_TOUCHED) {
        d->touched_all = true;
        return;
    }
    SHARC_GROW(d->touched, w->touched_room, d->touched_count + 1);
    d->touched[d->touched_count++] = place;
}

/* The leaves of a region, on both sides: items [from, to). */
static void touch(struct writer *w, const struct sharc__run *all)
{
    const struct sharc__document *a = &w->c->a, *b = &w->c->b;
    uint32_t last = SHARC__EVIDENCE_NONE;
    for (uint32_t i = all->a; i < all->a_end; i++) {
        uint32_t leaf = a->items[i].leaf;
        if (leaf == last || leaf == SHARC__EVIDENCE_NONE) continue;
        last = leaf;
        touch_place(w, a->leaves[leaf].exact);
    }
    for (uint32_t i = all->b; i < all->b_end; i++)
        if (b->items[i].leaf != SHARC__EVIDENCE_NONE) w->still[b->items[i].leaf] = false;
}

/* The nodes of a region that differ, as far as their children's order goes: all of them. */
static void touch_nodes(struct writer *w, const struct sharc__run *all)
{
    const struct sharc__document *a = &w->c->a;
    uint32_t last = SHARC__EVIDENCE_NONE;
    for (uint32_t i = all->a; i < all->a_end && !w->d->touched_all; i++) {
        uint32_t node = a->items[i].node;
        if (node == last) continue;
        last = node;
        touch_place(w, a->nodes[node].exact);
        touch_place(w, sharc__evidence_list_entry(&a->nodes[node]));
    }
}

static uint64_t *copy_prints(const struct sharc__document *d, uint32_t from, uint32_t n)
{
    uint64_t *v = SHARC_NEW_ARRAY(uint64_t, n);
    for (uint32_t i = 0; i < n; i++)
        v[i] = (d->items[from + i].print & ~UINT64_C(7)) | (uint64_t)sharc__evidence_look(&d->items[from + i]);
    return v;
}

/* A document without an item has no array of them. */
static uint64_t value_of(const struct sharc__document *d, uint32_t from, uint32_t n)
{
    return sharc__evidence_value(n ? d->items + from : NULL, n);
}

static void add_region(struct writer *w, struct sharc__region r, const struct sharc__run *all)
{
    struct sharc_difference *d = w->d;
    r.n_before = all->a_end - all->a;
    r.n_after = all->b_end - all->b;
    r.value_before = value_of(&w->c->a, all->a, r.n_before);
    r.value_after = value_of(&w->c->b, all->b, r.n_after);
    size_t size = (size_t)r.n_before + r.n_after;
    r.large =
        r.n_before > SHARC__REGION_ITEMS || r.n_after > SHARC__REGION_ITEMS || w->kept + size > SHARC__REGION_TOTAL;
    if (!r.large) {
        w->kept += size;
        r.before = copy_prints(&w->c->a, all->a, r.n_before);
        r.after = copy_prints(&w->c->b, all->b, r.n_after);
    }
    touch(w, all);
    if (r.kind == SHARC_HUNK_ORDER || r.kind == SHARC_HUNK_TAGS) touch_nodes(w, all);
    SHARC_GROW(d->regions, w->region_room, d->region_count + 1);
    d->regions[d->region_count++] = r;
}

static void add_hunk(struct writer *w, struct sharc_hunk h)
{
    struct sharc_difference *d = w->d;
    h.region = (uint32_t)d->region_count - 1;
    SHARC_GROW(d->hunks, w->hunk_room, d->hunk_count + 1);
    d->hunks[d->hunk_count++] = h;
}

static uint32_t words_in(const struct sharc__document *d, const bool *marks, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) n += marks[i] && d->items[i].visible;
    return n;
}

static uint32_t words_of(const struct writer *w, const struct sharc__run *r)
{
    uint32_t a = words_in(&w->c->a, w->c->goes, r->a, r->a_end), b = words_in(&w->c->b, w->c->comes, r->b, r->b_end);
    return a > b ? a : b;
}

/* The next stretch of differing items at or after *i, *j inside `all`. */
static bool next_run(const struct sharc__comparison *c, const struct sharc__run *all, uint32_t *i, uint32_t *j,
                     struct sharc__run *ret)
{
    while (*i < all->a_end && *j < all->b_end && !c->goes[*i] && !c->comes[*j]) ++*i, ++*j;
    *ret = (struct sharc__run){.a = *i, .b = *j};
    while (*i < all->a_end && c->goes[*i]) ++*i;
    while (*j < all->b_end && c->comes[*j]) ++*j;
    ret->a_end = *i, ret->b_end = *j;
    return ret->a < ret->a_end || ret->b < ret->b_end;
}

/* A random token now and then looks like a word; outside of texts for people it is taken for what it
 * looked like the other time. */
static bool is_replaced_alone(enum sharc__look p, const struct sharc__item *x, enum sharc__look q,
                              const struct sharc__item *y)
{
    if (sharc__evidence_moves(p) && sharc__evidence_moves(q)) return (p == LOOK_TIME) == (q == LOOK_TIME);
    return x->kind != SHARC_HUNK_TEXT && x->n >= 6 && y->n >= 6 &&
           ((p == LOOK_RANDOM && q == LOOK_WORD) || (p == LOOK_WORD && q == LOOK_RANDOM));
}

static bool is_moving_run(const struct sharc__comparison *c, const struct sharc__run *r)
{
    if (r->a_end - r->a != r->b_end - r->b) return false;
    for (uint32_t k = 0; k < r->a_end - r->a; k++) {
        const struct sharc__item *x = &c->a.items[r->a + k], *y = &c->b.items[r->b + k];
        enum sharc__look p = sharc__evidence_look(x), q = sharc__evidence_look(y);
        if (!is_replaced_alone(p, x, q, y)) return false;
        if (sharc__evidence_spot(&c->a, r->a + k) != sharc__evidence_spot(&c->b, r->b + k)) return false;
    }
    return true;
}

/* What stands in a leaf; tokens that were replaced alone count by their look, for they are hunks of their own. */
static void values_of_words(const struct sharc__comparison *c, const struct sharc__run *all, uint64_t *ret_before,
                            uint64_t *ret_after, bool *ret_words)
{
    struct sharc__run r;
    uint32_t i = all->a, j = all->b, x = all->a, y = all->b;
    *ret_before = *ret_after = 0x51;
    *ret_words = false;
    for (bool more = true; more;) {
        more = next_run(c, all, &i, &j, &r);
        for (; x < r.a; x++) *ret_before = sharc__evidence_mix(*ret_before, c->a.items[x].print);
        for (; y < r.b; y++) *ret_after = sharc__evidence_mix(*ret_after, c->b.items[y].print);
        bool moving = is_moving_run(c, &r);
        *ret_words |= more && !moving;
        for (; x < r.a_end; x++)
            *ret_before =
                sharc__evidence_mix(*ret_before, moving ? sharc__evidence_norm(&c->a.items[x]) : c->a.items[x].print);
        for (; y < r.b_end; y++)
            *ret_after =
                sharc__evidence_mix(*ret_after, moving ? sharc__evidence_norm(&c->b.items[y]) : c->b.items[y].print);
    }
    for (; x < all->a_end; x++) *ret_before = sharc__evidence_mix(*ret_before, c->a.items[x].print);
    for (; y < all->b_end; y++) *ret_after = sharc__evidence_mix(*ret_after, c->b.items[y].print);
}

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The digits of a token as a number, whatever stands between them; NAN when it is none. */
static double number_of(const struct sharc__item *it)
{
    double n = 0;
    if (sharc__evidence_look(it) != LOOK_NUMBER) return (double)NAN;
    for (uint32_t i = 0; i < it->n; i++)
        if (sharc_is_digit(it->p[i])) n = n * 10 + (it->p[i] - '0');
    return n;
}

static void set_numbers(struct sharc_hunk *h, const struct sharc__item *before, const struct sharc__item *after)
{
    double x = number_of(before), y = number_of(after);
    h->low = isnan(x) || isnan(y) ? (double)NAN : fmin(x, y);
    h->high = isnan(h->low) ? (double)NAN : fmax(x, y);
}

static void moving_hunks(struct writer *w, const struct sharc__leaf *leaf, const struct sharc__run *all)
{
    struct sharc__comparison *c = w->c;
    struct sharc__run r;
    uint32_t i = all->a, j = all->b;
    while (next_run(c, all, &i, &j, &r))
        for (uint32_t x = r.a, y = r.b; is_moving_run(c, &r) && x < r.a_end; x++, y++) {
            struct sharc_hunk h = {
                .place = sharc__evidence_spot(&c->b, y),
                .before = c->a.items[x].print,
                .after = c->b.items[y].print,
                .words = c->b.items[y].visible,
                .kind = leaf->kind,
                .moving = true,
                .slow = (uint8_t)lesser(sharc__evidence_slow(&c->a, x), sharc__evidence_slow(&c->b, y)),
                .where = sharc__evidence_where(&c->b, leaf->node, leaf),
                .old = sharc__evidence_shown(&c->a, NULL, x, x + 1),
                .now = sharc__evidence_shown(&c->b, NULL, y, y + 1),
            };
            set_numbers(&h, &c->a.items[x], &c->b.items[y]);
            add_hunk(w, h);
        }
}

/* The lists around a leaf of which nothing stayed. */
static void find_lists(struct writer *w, uint32_t m, uint32_t n, struct sharc__region *of)
{
    const struct sharc__document *a = &w->c->a, *b = &w->c->b;
    for (unsigned k = 0; k < SHARC__REGION_LISTS && n && m; k++) {
        uint32_t x = a->nodes[m].parent, y = b->nodes[n].parent;
        uint64_t mark = b->nodes[n].mark;
        uint64_t *known = sharc_map64_at(&w->lists, sharc__evidence_mix(mark, y));
        if (!*known) *known = sharc__evidence_none_stays(w->c, x, y, mark) ? 2 : 1;
        of->lists[k] = *known == 2 ? sharc__evidence_list_place(b, n) : 0;
        touch_place(w, sharc__evidence_list_entry(&a->nodes[m]));
        m = x, n = y;
    }
}

/* Where two children of a node differ, it is not known whether their order stayed. */
static void touch_around(struct writer *w, uint32_t child)
{
    const struct sharc__document *a = &w->c->a;
    for (unsigned k = 0; k < SHARC__REGION_LISTS && child; k++) {
        uint32_t node = a->nodes[child].parent;
        uint64_t *other = sharc_map64_at(&w->around, node);
        if (*other && *other != (uint64_t)child + 1) touch_place(w, a->nodes[node].exact);
        *other = (uint64_t)child + 1;
        child = node;
    }
}

static void leaf_hunks(struct writer *w, const struct sharc__home *h)
{
    struct sharc__comparison *c = w->c;
    const struct sharc__leaf *x = &c->a.leaves[h->a], *y = &c->b.leaves[h->b];
    struct sharc__run all = {x->first, x->first + x->count, y->first, y->first + y->count};
    struct sharc__region of = {.place = y->exact, .loose = y->loose, .kind = y->kind};
    find_lists(w, x->node, y->node, &of);
    touch_around(w, x->node);
    add_region(w, of, &all);
    uint64_t before, after;
    bool words;
    values_of_words(c, &all, &before, &after, &words);
    moving_hunks(w, y, &all);
    if (!words) return;
    add_hunk(w, (struct sharc_hunk){
                    .place = sharc__evidence_leaf_place(y->loose),
                    .before = before,
                    .after = after,
                    .words = words_of(w, &all),
                    .kind = y->kind,
                    .where = sharc__evidence_where(&c->b, y->node, y),
                    .old = sharc__evidence_shown(&c->a, c->goes, all.a, all.a_end),
                    .now = sharc__evidence_shown(&c->b, c->comes, all.b, all.b_end),
                });
}

static void node_hunk(struct writer *w, const struct sharc__home *h)
{
    struct sharc__comparison *c = w->c;
    const struct sharc__node *x = &c->a.nodes[h->a], *y = &c->b.nodes[h->b];
    struct sharc__run all = {x->first, x->end, y->first, y->end};
    enum sharc_hunk_kind kind = h->order ? SHARC_HUNK_ORDER : SHARC_HUNK_TAGS;
    uint64_t tags = 0x74616773;
    add_region(w,
               (struct sharc__region){.place = h->order ? sharc__evidence_order_place(y->exact)
                                                        : sharc__evidence_mix(y->exact, tags),
                                      .loose = h->order ? sharc__evidence_order_place(y->loose)
                                                        : sharc__evidence_mix(y->loose, tags),
                                      .kind = (uint8_t)kind},
               &all);
    const struct sharc__region *r = &w->d->regions[w->d->region_count - 1];
    uint64_t place = r->loose, before = r->value_before, after = r->value_after;
    if (h->order) {
        before = sharc__evidence_stretch(&c->a, x->first, x->end);
        after = sharc__evidence_stretch(&c->b, y->first, y->end);
    }
    bool fresh = !h->order && sharc__evidence_is_fresh(c, h, &place, &before, &after);
    add_hunk(w, (struct sharc_hunk){
                    .place = place,
                    .before = before,
                    .after = after,
                    .one_moved = h->one_moved,
                    .fresh = fresh,
                    .words = h->order ? 0 : words_of(w, &all),
                    .kind = (uint8_t)kind,
                    .where = sharc__evidence_where(&c->b, h->b, NULL),
                    .old = h->order ? sharc_strdup("") : sharc__evidence_shown(&c->a, c->goes, all.a, all.a_end),
                    .now = h->order ? sharc_strdup("") : sharc__evidence_shown(&c->b, c->comes, all.b, all.b_end),
                });
}

/* --- what did not differ ---------------------------------------------------------------------------- */

/* Spots that have the place of a hunk, in leaves of b that are the same in a. */
static void count_still(struct writer *w)
{
    struct sharc_map64 loose, places;
    const struct sharc__document *b = &w->c->b;
    sharc_map64_init(&loose);
    sharc_map64_init(&places);
    for (size_t i = 0; i < w->d->region_count; i++) *sharc_map64_at(&loose, w->d->regions[i].loose) = 1;
    for (size_t k = 0; k < b->leaf_count; k++) {
        const struct sharc__leaf *l = &b->leaves[k];
        if (!w->still[k] || !sharc_map64_find(&loose, l->loose)) continue;
        ++*sharc_map64_at(&places, sharc__evidence_leaf_place(l->loose));
        for (uint32_t i = l->first; i < l->first + l->count; i++)
            if (sharc__evidence_moves(sharc__evidence_look(&b->items[i])))
                ++*sharc_map64_at(&places, sharc__evidence_spot(b, i));
    }
    for (size_t i = 0; i < w->d->hunk_count; i++) {
        const uint64_t *n = sharc_map64_find(&places, w->d->hunks[i].place);
        w->d->hunks[i].still = n ? (uint32_t)*n : 0;
    }
    for (size_t i = 0; i < w->d->region_count; i++) {
        const uint64_t *n = sharc_map64_find(&places, sharc__evidence_leaf_place(w->d->regions[i].loose));
        w->d->regions[i].still = n ? (uint32_t)*n : 0;
    }
    sharc_map64_done(&loose);
    sharc_map64_done(&places);
}

void sharc__evidence_hunks(struct sharc__comparison *c, struct sharc_difference *d)
{
    struct writer w = {.c = c, .d = d};
    struct sharc__home *homes;
    sharc_map64_init(&w.lists);
    sharc_map64_init(&w.around);
    size_t count = sharc__evidence_homes(c, &homes);
    w.still = SHARC_NEW_ARRAY(bool, c->b.leaf_count);
    memset(w.still, true, c->b.leaf_count);
    for (size_t i = 0; i < count; i++) {
        if (d->hunk_count >= SHARC_EVIDENCE_HUNKS) {
            d->cut = true;
            break;
        }
        if (homes[i].leaf)
            leaf_hunks(&w, &homes[i]);
        else
            node_hunk(&w, &homes[i]);
    }
    free(homes);
    count_still(&w);
    if (d->touched_count > 1) qsort(d->touched, d->touched_count, sizeof *d->touched, sharc_order_u64);
    free(w.still);
    sharc_map64_done(&w.lists);
    sharc_map64_done(&w.around);
}
