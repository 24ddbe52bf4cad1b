/* SPDX-License-Identifier: Apache-2.0
 *
 * Where two documents differ, as pairs of leaves or nodes that stand at the same place of
 * both. Words that differ lie in a leaf; tags that come and go, and whatever has no counterpart,
 * belong to the nearest node around them that both documents have. Positions are part of such a place
 * (document.c), so a twin that comes or goes never lets a place be taken for its neighbour's.
 */
#include "evidence_int.h"

#include <stdlib.h>

enum { CLIMB = 512, MOST_CHILDREN = 5000 };

struct finder {
    const struct sharc__comparison *c;
    struct sharc_map64 node_of, leaf_of; /* exact place to index + 1 in document b; 0: more than one */
    struct sharc_map64 verdicts;         /* node of a to enum order */
    struct sharc__home *homes;
    size_t count, room;
};

/* --- looking up ------------------------------------------------------------------------------ */

static void index_once(struct sharc_map64 *m, uint64_t place, uint64_t index)
{
    uint64_t *slot = sharc_map64_at(m, place);
    *slot = *slot ? UINT64_MAX : index + 1;
}

static uint32_t find_once(const struct sharc_map64 *m, uint64_t place)
{
    const uint64_t *slot = sharc_map64_find(m, place);
    return slot && *slot && *slot != UINT64_MAX ? (uint32_t)(*slot - 1) : SHARC__EVIDENCE_NONE;
}

static void finder_init(struct finder *f, const struct sharc__comparison *c)
{
    *f = (struct finder){.c = c};
    sharc_map64_init(&f->node_of);
    sharc_map64_init(&f->leaf_of);
    sharc_map64_init(&f->verdicts);
    for (size_t i = 0; i < c->b.node_count; i++) index_once(&f->node_of, c->b.nodes[i].exact, i);
    for (size_t i = 0; i < c->b.leaf_count; i++) index_once(&f->leaf_of, c->b.leaves[i].exact, i);
}

static void finder_done(struct finder *f)
{
    sharc_map64_done(&f->node_of);
    sharc_map64_done(&f->leaf_of);
    sharc_map64_done(&f->verdicts);
}

/* --- a run in one leaf ------------------------------------------------------------------------- */

/* The leaf that holds items [from, to), or NONE; an empty run has none of its own. */
static uint32_t leaf_of_items(const struct sharc__document *d, uint32_t from, uint32_t to)
{
    if (from == to) return SHARC__EVIDENCE_NONE;
    uint32_t leaf = d->items[from].leaf;
    if (leaf == SHARC__EVIDENCE_NONE) return leaf;
    const struct sharc__leaf *l = &d->leaves[leaf];
    return from >= l->first && to <= l->first + l->count ? leaf : SHARC__EVIDENCE_NONE;
}

static bool holds(const struct sharc__document *d, uint32_t leaf, uint32_t from, uint32_t to)
{
    const struct sharc__leaf *l = &d->leaves[leaf];
    return from >= l->first && to <= l->first + l->count;
}

/* The leaf of a at an empty run before item `at` whose place is `exact`. */
static uint32_t leaf_beside(const struct sharc__document *d, uint32_t at, uint64_t exact)
{
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t i = at - k;
        if (i >= d->count || i > at) continue;
        uint32_t leaf = d->items[i].leaf;
        if (leaf != SHARC__EVIDENCE_NONE && d->leaves[leaf].exact == exact) return leaf;
    }
    return SHARC__EVIDENCE_NONE;
}

static bool leaf_home(struct finder *f, const struct sharc__run *run, struct sharc__home *ret)
{
    const struct sharc__document *a = &f->c->a, *b = &f->c->b;
    uint32_t x = leaf_of_items(a, run->a, run->a_end), y = leaf_of_items(b, run->b, run->b_end);
    if ((run->a < run->a_end && x == SHARC__EVIDENCE_NONE) || (run->b < run->b_end && y == SHARC__EVIDENCE_NONE))
        return false;
    if (x == SHARC__EVIDENCE_NONE) x = leaf_beside(a, run->a, b->leaves[y].exact);
    if (y == SHARC__EVIDENCE_NONE && x != SHARC__EVIDENCE_NONE) y = leaf_beside(b, run->b, a->leaves[x].exact);
    if (x == SHARC__EVIDENCE_NONE || y == SHARC__EVIDENCE_NONE || a->leaves[x].exact != b->leaves[y].exact)
        return false;
    if (find_once(&f->leaf_of, a->leaves[x].exact) != y) return false;
    if (!holds(a, x, run->a, run->a_end) || !holds(b, y, run->b, run->b_end)) return false;
    *ret = (struct sharc__home){.leaf = true, .a = x, .b = y};
    return true;
}

/* --- a run over several leaves ----------------------------------------------------------------- */

enum { LEAVES_MOST = 16 };

/* The leaf of b, at or beside the run, that has the place of a leaf of a; NONE: there is no such. */
static uint32_t partner(const struct finder *f, uint32_t x, const struct sharc__run *run)
{
    const struct sharc__document *a = &f->c->a, *b = &f->c->b;
    uint32_t y = find_once(&f->leaf_of, a->leaves[x].exact);
    if (y == SHARC__EVIDENCE_NONE) return y;
    const struct sharc__leaf *l = &b->leaves[y];
    return l->first <= run->b_end && l->first + l->count >= run->b ? y : SHARC__EVIDENCE_NONE;
}

/* Pairs of leaves that hold all of a run in which no tag stands: the value of an attribute and the text behind it. */
static size_t leaf_homes(const struct finder *f, const struct sharc__run *run, struct sharc__home *homes)
{
    const struct sharc__document *a = &f->c->a, *b = &f->c->b;
    size_t n = 0;
    uint32_t from = run->a > 0 ? run->a - 1 : 0, to = run->a_end < a->count ? run->a_end + 1 : (uint32_t)a->count;
    for (uint32_t i = from, last = SHARC__EVIDENCE_NONE; i < to; i++) {
        uint32_t x = a->items[i].leaf, y;
        bool inside = i >= run->a && i < run->a_end;
        if (x == last && x != SHARC__EVIDENCE_NONE) continue;
        y = x == SHARC__EVIDENCE_NONE ? x : partner(f, x, run);
        if (inside && y == SHARC__EVIDENCE_NONE) return 0;
        if (y == SHARC__EVIDENCE_NONE) continue;
        if (n == LEAVES_MOST) return 0;
        homes[n++] = (struct sharc__home){.leaf = true, .a = x, .b = y};
        last = x;
    }
    for (uint32_t k = run->b; k < run->b_end; k++) {
        size_t h = 0;
        while (h < n && !holds(b, homes[h].b, k, k + 1)) h++;
        if (h == n) return 0;
    }
    return n;
}

/* Does a leaf of either side differ within a run? */
static bool is_in_run(const struct finder *f, const struct sharc__home *h, const struct sharc__run *run)
{
    const struct sharc__leaf *x = &f->c->a.leaves[h->a], *y = &f->c->b.leaves[h->b];
    return (x->first < run->a_end && x->first + x->count > run->a) ||
           (y->first < run->b_end && y->first + y->count > run->b);
}

/* --- a run in a node ------------------------------------------------------------------------------ */

/* Does a node hold the run, its own tags aside? */
static bool node_holds(const struct sharc__document *d, uint32_t node, uint32_t from, uint32_t to)
{
    const struct sharc__node *n = &d->nodes[node];
    return node == 0 || (from > n->first && to < n->end);
}

static struct sharc__home node_home(struct finder *f, const struct sharc__run *run)
{
    const struct sharc__document *a = &f->c->a, *b = &f->c->b;
    uint32_t n = run->a < a->count ? a->items[run->a].node : 0;
    for (unsigned k = 0; n != 0 && k < CLIMB; k++, n = a->nodes[n].parent) {
        uint32_t m = find_once(&f->node_of, a->nodes[n].exact);
        if (m != SHARC__EVIDENCE_NONE && node_holds(a, n, run->a, run->a_end) && node_holds(b, m, run->b, run->b_end))
            return (struct sharc__home){.a = n, .b = m};
    }
    return (struct sharc__home){.a = 0, .b = 0};
}

/* --- order ------------------------------------------------------------------------------------------ */

enum order { NOT_LOOKED_AT, ORDER, NO_ORDER, ORDER_BY_ONE };

/* The direct children of a node: nodes, leaves, and items that are in neither. */
struct child {
    uint64_t mark, value;
};

static uint64_t value_of(const struct sharc__document *d, uint32_t from, uint32_t to)
{
    return sharc__evidence_value(d->items + from, to - from);
}

static struct child *children_of(const struct sharc__document *d, uint32_t node, size_t *ret_count)
{
    const struct sharc__node *n = &d->nodes[node];
    struct child *v = NULL;
    size_t room = 0, count = 0;
    uint32_t child = node + 1; /* children follow their parent */
    for (uint32_t i = n->first; i < n->end && count < MOST_CHILDREN;) {
        const struct sharc__item *it = &d->items[i];
        struct child now = {0, it->print};
        uint32_t next = i + 1;
        if (it->node != node) {
            while (child < d->node_count && (d->nodes[child].parent != node || d->nodes[child].end <= i)) child++;
            if (child >= d->node_count) break;
            next = d->nodes[child].end > i ? d->nodes[child].end : i + 1;
            now = (struct child){d->nodes[child].mark, value_of(d, i, next)};
        } else if (it->leaf != SHARC__EVIDENCE_NONE) {
            next = d->leaves[it->leaf].first + d->leaves[it->leaf].count;
            now = (struct child){d->leaves[it->leaf].mark, value_of(d, i, next)};
        }
        SHARC_GROW(v, room, count + 1);
        v[count++] = now;
        i = next;
    }
    *ret_count = count;
    return v;
}

static int by_value(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

/* Of n children that are not where they were, with none of their kind between them: did one move past the others? */
static bool is_by_one(const struct child *x, const struct child *y, size_t n)
{
    return memcmp(x + 1, y, (n - 1) * sizeof *x) == 0 || memcmp(x, y + 1, (n - 1) * sizeof *x) == 0;
}

/* The children that are not where they were are of one kind, and the same ones. */
static enum order order_of(struct child *x, struct child *y, size_t n)
{
    size_t moved = 0, stayed = 0, between = 0; /* of their kind, since the first that moved */
    for (size_t i = 0; i < n; i++) {
        if (x[i].value == y[i].value && x[i].mark == y[i].mark) {
            stayed += moved && x[i].mark == x[0].mark;
            continue;
        }
        if (x[i].mark != y[i].mark || (moved && x[i].mark != x[0].mark)) return NO_ORDER;
        x[moved] = x[i];
        y[moved++] = y[i];
        between = stayed;
    }
    if (moved < 2) return NO_ORDER;
    bool by_one = moved == 2 || (!between && is_by_one(x, y, moved)); /* two were swapped, or one moved */
    qsort(x, moved, sizeof *x, by_value);
    qsort(y, moved, sizeof *y, by_value);
    if (memcmp(x, y, moved * sizeof *x) != 0) return NO_ORDER;
    return by_one ? ORDER_BY_ONE : ORDER;
}

static enum order find_order(struct finder *f, uint32_t n, uint32_t m)
{
    const struct sharc__document *a = &f->c->a, *b = &f->c->b;
    if (a->nodes[n].mixed != b->nodes[m].mixed) return NO_ORDER;
    uint64_t *verdict = sharc_map64_at(&f->verdicts, n);
    if (*verdict != NOT_LOOKED_AT) return (enum order) * verdict;
    size_t count_a, count_b;
    struct child *x = children_of(a, n, &count_a), *y = children_of(b, m, &count_b);
    enum order order = count_a == count_b && count_a < MOST_CHILDREN ? order_of(x, y, count_a) : NO_ORDER;
    free(x);
    free(y);
    *sharc_map64_at(&f->verdicts, n) = (uint64_t)order;
    return order;
}

/* The nearest node around the run whose children are the same in another order. */
static bool order_home(struct finder *f, const struct sharc__run *run, struct sharc__home *ret)
{
    const struct sharc__document *a = &f->c->a, *b = &f->c->b;
    uint32_t n = run->a < a->count ? a->items[run->a].node : 0;
    for (unsigned k = 0; n != 0 && k < CLIMB; k++, n = a->nodes[n].parent) {
        uint32_t m = find_once(&f->node_of, a->nodes[n].exact);
        if (m == SHARC__EVIDENCE_NONE || !node_holds(a, n, run->a, run->a_end) || !node_holds(b, m, run->b, run->b_end))
            continue;
        enum order order = find_order(f, n, m);
        if (order == NO_ORDER) continue;
        *ret = (struct sharc__home){.order = true, .one_moved = order == ORDER_BY_ONE, .a = n, .b = m};
        return true;
    }
    return false;
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static void span_of_home(const struct sharc__document *d, const struct sharc__home *h, uint32_t *ret_from,
                         uint32_t *ret_to)
{
    if (h->leaf) {
        *ret_from = d->leaves[h->a].first;
        *ret_to = *ret_from + d->leaves[h->a].count;
    } else {
        *ret_from = d->nodes[h->a].first;
        *ret_to = d->nodes[h->a].end;
    }
}

static void add_home(struct finder *f, struct sharc__home h)
{
    uint32_t from, to;
    span_of_home(&f->c->a, &h, &from, &to);
    while (f->count > 0) { /* what lies inside this one is part of it, and the other way round */
        uint32_t other_from, other_to;
        span_of_home(&f->c->a, &f->homes[f->count - 1], &other_from, &other_to);
        if (other_from <= from && to <= other_to && (other_to > from || from == to)) return;
        if (from <= other_from && other_to <= to)
            f->count--;
        else
            break;
    }
    SHARC_GROW(f->homes, f->room, f->count + 1);
    f->homes[f->count++] = h;
}

static void add_run(struct finder *f, const struct sharc__run *run)
{
    struct sharc__home h, leaves[LEAVES_MOST];
    if (order_home(f, run, &h) || leaf_home(f, run, &h)) {
        add_home(f, h);
        return;
    }
    size_t n = leaf_homes(f, run, leaves);
    for (size_t i = 0; i < n; i++)
        if (is_in_run(f, &leaves[i], run)) add_home(f, leaves[i]);
    if (!n) add_home(f, node_home(f, run));
}

size_t sharc__evidence_homes(const struct sharc__comparison *c, struct sharc__home **ret)
{
    struct finder f;
    finder_init(&f, c);
    uint32_t i = 0, j = 0, n = (uint32_t)c->a.count, m = (uint32_t)c->b.count;
    while (i < n || j < m) {
        struct sharc__run run = {.a = i, .b = j};
        while (i < n && c->goes[i]) i++;
        while (j < m && c->comes[j]) j++;
        run.a_end = i, run.b_end = j;
        if (run.a < run.a_end || run.b < run.b_end) add_run(&f, &run);
        if (i < n && j < m) i++, j++;
    }
    finder_done(&f);
    *ret = f.homes;
    return f.count;
}
