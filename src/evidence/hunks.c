/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions into hunks. A leaf in which single tokens that no person writes were replaced one by one
 * gives one hunk for each of them; any other difference of a leaf is one hunk of words.
 */
#include "evidence_int.h"

#include <math.h>
#include <stdlib.h>

/* --- texts for people ------------------------------------------------------------------------ */

enum { SHOWN = 80, LABELS = 3 };

/* The bytes of the items [from, to), shortened, on one line. */
static char *shown(const struct sharc__document *d, const bool *marks, uint32_t from, uint32_t to)
{
    struct sharc_buf b = SHARC_BUF_INIT(4 * SHOWN);
    for (uint32_t i = from; i < to && b.n < SHOWN; i++) {
        if (marks && !marks[i]) continue;
        struct sharc_span s = sharc_span_sub(sharc_span(d->items[i].p, d->items[i].n), 0, SHOWN);
        for (size_t k = 0; k < s.n && b.n < SHOWN; k++) {
            char c = (unsigned char)s.p[k] < ' ' || s.p[k] == 0x7f ? ' ' : s.p[k];
            if (c != ' ' || (b.n && b.p[b.n - 1] != ' ')) sharc_buf_put_char(&b, c);
        }
    }
    size_t bad = sharc_utf8_check(sharc_buf_span(&b));
    if (bad != SHARC_NPOS) sharc_buf_truncate(&b, bad);
    while (b.n && b.p[b.n - 1] == ' ') sharc_buf_truncate(&b, b.n - 1);
    return b.p ? sharc_buf_take(&b) : sharc_strdup("");
}

static void put_label(struct sharc_buf *b, struct sharc_span label)
{
    for (size_t i = 0; i < label.n && i < SHOWN; i++) {
        char c = label.p[i];
        sharc_buf_put_char(b, (unsigned char)c <= ' ' || (c & 0x80) || c == 0x7f ? '.' : c);
    }
}

/* "div.item > p.price", the innermost last. */
static void put_path(const struct sharc__document *d, uint32_t node, unsigned depth, struct sharc_buf *b)
{
    if (node == 0 || depth == 0) return;
    put_path(d, d->nodes[node].parent, depth - 1, b);
    if (b->n) sharc_buf_put_str(b, " > ");
    put_label(b, d->nodes[node].label);
}

static char *where_of(const struct sharc__document *d, uint32_t node, const struct sharc__leaf *leaf)
{
    struct sharc_buf b = SHARC_BUF_INIT(1024);
    put_path(d, node, LABELS, &b);
    if (leaf && leaf->label.n) {
        sharc_buf_put_str(&b, leaf->kind == SHARC_HUNK_ATTRIBUTE ? " @" : " ");
        put_label(&b, leaf->label);
    }
    if (!b.n) sharc_buf_put_str(&b, "the page");
    return sharc_buf_take(&b);
}

/* --- spots --------------------------------------------------------------------------------------- */

enum { LOOK_AROUND = 6 };

static uint64_t norm(const struct sharc__item *it)
{
    enum sharc__look look = sharc__evidence_look(it);
    switch ((int)look) {
    case LOOK_NUMBER: return '#';
    case LOOK_RANDOM: return '*';
    case LOOK_TIME: return 'T';
    default: return sharc_fingerprint(sharc_span_trim(sharc_span(it->p, it->n)), 21);
    }
}

/* What stands at one side of an item inside its leaf: the next token, and the next word. */
static uint64_t side(const struct sharc__document *d, uint32_t item, int step)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    int64_t from = l->first, to = (int64_t)l->first + l->count;
    uint64_t next = 1, word = 2;
    unsigned seen = 0;
    for (int64_t i = (int64_t)item + step; i >= from && i < to && seen < LOOK_AROUND; i += step) {
        const struct sharc__item *it = &d->items[i];
        enum sharc__look look = sharc__evidence_look(it);
        if (look == LOOK_SPACE) continue;
        if (seen++ == 0) next = norm(it);
        if (look != LOOK_WORD) continue;
        word = norm(it);
        break;
    }
    return sharc__evidence_mix(next, word);
}

uint64_t sharc__evidence_spot(const struct sharc__document *d, uint32_t item)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    uint64_t around = sharc__evidence_mix(side(d, item, -1), side(d, item, 1));
    return sharc__evidence_mix(l->loose, around);
}

uint64_t sharc__evidence_leaf_place(uint64_t loose)
{
    return sharc__evidence_mix(loose, UINT64_C(0x776f726473));
}

uint64_t sharc__evidence_order_place(uint64_t loose)
{
    return sharc__evidence_mix(loose, UINT64_C(0x6f72646572));
}

uint64_t sharc__evidence_value(const struct sharc__item *items, size_t n)
{
    uint64_t v = n ? 0x51 : 0;
    for (size_t i = 0; i < n; i++) v = sharc__evidence_mix(v, items[i].print);
    return v;
}

static bool is_beside_amount(const struct sharc__document *d, uint32_t item, int step)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    int64_t i = (int64_t)item + step;
    if (i < l->first || i >= (int64_t)l->first + l->count) return false;
    const struct sharc__item *it = &d->items[i];
    return sharc__evidence_is_amount(sharc_span(it->p, it->n));
}

static bool is_beside_time(const struct sharc__document *d, uint32_t item, int step)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    int64_t i = (int64_t)item + step;
    return i >= l->first && i < (int64_t)l->first + l->count && sharc__evidence_look(&d->items[i]) == LOOK_TIME;
}

/* 12:05, 2026-11-16, 0.25s */
static bool is_clock(struct sharc_span s)
{
    size_t colons = 0, dashes = 0, letters = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool between = i && i + 1 < s.n && sharc_is_digit(s.p[i - 1]) && sharc_is_digit(s.p[i + 1]);
        colons += between && s.p[i] == ':';
        dashes += between && s.p[i] == '-';
        letters += sharc_is_alpha(s.p[i]);
    }
    return colons || dashes == 2 || letters;
}

unsigned sharc__evidence_slow(const struct sharc__document *d, uint32_t item)
{
    const struct sharc__item *it = &d->items[item];
    struct sharc_span s = sharc_span(it->p, it->n);
    enum sharc__look look = sharc__evidence_look(it);
    if (look == LOOK_TIME) return 2;
    if (look != LOOK_NUMBER || sharc__evidence_is_amount(s) || is_beside_amount(d, item, -1) ||
        is_beside_amount(d, item, 1))
        return 0;
    return is_clock(s) || is_beside_time(d, item, -1) || is_beside_time(d, item, 1) ? 2 : 1;
}

/* --- one home -------------------------------------------------------------------------------------- */

struct writer {
    struct sharc__comparison *c;
    struct sharc_difference *d;
    size_t hunk_room, region_room, kept;
    bool *still; /* leaves of b outside all regions */
    size_t touched_room;
};

enum { MOST_TOUCHED = 4096 };

/* The leaves of a region, on both sides: items [from, to). */
static void touch(struct writer *w, const struct sharc__run *all)
{
    const struct sharc__document *a = &w->c->a, *b = &w->c->b;
    struct sharc_difference *d = w->d;
    uint32_t last = SHARC__EVIDENCE_NONE;
    for (uint32_t i = all->a; i < all->a_end; i++) {
        uint32_t leaf = a->items[i].leaf;
        if (leaf == last || leaf == SHARC__EVIDENCE_NONE) continue;
        last = leaf;
        if (d->touched_count == MOST_TOUCHED) {
            d->touched_all = true;
            break;
        }
        SHARC_GROW(d->touched, w->touched_room, d->touched_count + 1);
        d->touched[d->touched_count++] = a->leaves[leaf].exact;
    }
    for (uint32_t i = all->b; i < all->b_end; i++)
        if (b->items[i].leaf != SHARC__EVIDENCE_NONE) w->still[b->items[i].leaf] = false;
}

/* The nodes of a region that differ, as far as their children's order goes: all of them. */
static void touch_nodes(struct writer *w, const struct sharc__run *all)
{
    const struct sharc__document *a = &w->c->a;
    struct sharc_difference *d = w->d;
    uint32_t last = SHARC__EVIDENCE_NONE;
    for (uint32_t i = all->a; i < all->a_end && !d->touched_all; i++) {
        uint32_t node = a->items[i].node;
        if (node == last) continue;
        last = node;
        d->touched_all = d->touched_count == MOST_TOUCHED;
        if (d->touched_all) break;
        SHARC_GROW(d->touched, w->touched_room, d->touched_count + 1);
        d->touched[d->touched_count++] = a->nodes[node].exact;
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *copy_prints(const struct sharc__document *d, uint32_t from, uint32_t n)
{
    uint64_t *v = SHARC_NEW_ARRAY(uint64_t, n);
    for (uint32_t i = 0; i < n; i++)
        v[i] = (d->items[from + i].print & ~UINT64_C(7)) | (uint64_t)sharc__evidence_look(&d->items[from + i]);
    return v;
}

static void add_region(struct writer *w, struct sharc__region r, const struct sharc__run *all)
{
    struct sharc_difference *d = w->d;
    r.n_before = all->a_end - all->a;
    r.n_after = all->b_end - all->b;
    r.value_before = sharc__evidence_value(w->c->a.items + all->a, r.n_before);
    r.value_after = sharc__evidence_value(w->c->b.items + all->b, r.n_after);
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

static bool is_moving_leaf(const struct sharc__comparison *c, const struct sharc__run *all)
{
    struct sharc__run r;
    uint32_t i = all->a, j = all->b;
    while (next_run(c, all, &i, &j, &r))
        if (!is_moving_run(c, &r)) return false;
    return true;
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
        for (uint32_t x = r.a, y = r.b; x < r.a_end; x++, y++) {
            if (!c->goes[x]) continue;
            struct sharc_hunk h = {
                .place = sharc__evidence_spot(&c->b, y),
                .before = c->a.items[x].print,
                .after = c->b.items[y].print,
                .words = c->b.items[y].visible,
                .kind = leaf->kind,
                .moving = true,
                .slow = (uint8_t)lesser(sharc__evidence_slow(&c->a, x), sharc__evidence_slow(&c->b, y)),
                .where = where_of(&c->b, leaf->node, leaf),
                .old = shown(&c->a, NULL, x, x + 1),
                .now = shown(&c->b, NULL, y, y + 1),
            };
            set_numbers(&h, &c->a.items[x], &c->b.items[y]);
            add_hunk(w, h);
        }
}

static void leaf_hunks(struct writer *w, const struct sharc__home *h)
{
    struct sharc__comparison *c = w->c;
    const struct sharc__leaf *x = &c->a.leaves[h->a], *y = &c->b.leaves[h->b];
    struct sharc__run all = {x->first, x->first + x->count, y->first, y->first + y->count};
    add_region(w, (struct sharc__region){.place = y->exact, .loose = y->loose, .kind = y->kind}, &all);
    const struct sharc__region *r = &w->d->regions[w->d->region_count - 1];
    if (is_moving_leaf(c, &all)) {
        moving_hunks(w, y, &all);
        return;
    }
    add_hunk(w, (struct sharc_hunk){
                    .place = sharc__evidence_leaf_place(y->loose),
                    .before = r->value_before,
                    .after = r->value_after,
                    .words = words_of(w, &all),
                    .kind = y->kind,
                    .where = where_of(&c->b, y->node, y),
                    .old = shown(&c->a, c->goes, all.a, all.a_end),
                    .now = shown(&c->b, c->comes, all.b, all.b_end),
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
    add_hunk(w, (struct sharc_hunk){
                    .place = r->loose,
                    .before = r->value_before,
                    .after = r->value_after,
                    .words = h->order ? 0 : words_of(w, &all),
                    .kind = (uint8_t)kind,
                    .where = where_of(&c->b, h->b, NULL),
                    .old = h->order ? sharc_strdup("") : shown(&c->a, c->goes, all.a, all.a_end),
                    .now = h->order ? sharc_strdup("") : shown(&c->b, c->comes, all.b, all.b_end),
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
    sharc_map64_done(&loose);
    sharc_map64_done(&places);
}

void sharc__evidence_hunks(struct sharc__comparison *c, struct sharc_difference *d)
{
    struct writer w = {.c = c, .d = d};
    struct sharc__home *homes;
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
    if (d->touched_count > 1) qsort(d->touched, d->touched_count, sizeof *d->touched, by_number);
    free(w.still);
}
