/* SPDX-License-Identifier: Apache-2.0
 *
 * Seriation: distinct patterns of change in an order in which neighbours are alike. Average linkage by
 * the nearest-neighbour chain; then the leaves of the tree are ordered. For few patterns by the best
 * of all orders that turning branches allows (Bar-Joseph, Gifford, Jaakkola 2001), for more each
 * branch is turned to the end of its neighbour that it is nearest to (Gruvaeus, Wainer 1972).
 *
 * Two patterns are as far apart as the captures at which only one of them, or each in another way,
 * changed, in parts of the captures at which either did.
 */
#include "figure_int.h"

#include <stdlib.h>

enum {
    MOST_EXACT = 300,  /* patterns whose best order is computed: O(n³) */
    MOST_LEAVES = 2000 /* patterns that are clustered: n² distances; others stand beside one that begins like them */
};
#define NONE UINT32_MAX
#define GROUP_APART 0.5F /* branches further apart are different groups */

/* Nodes 0 … n − 1 are leaves, n … 2n − 2 are merges. */
struct tree {
    size_t n;
    const uint8_t *patterns;
    size_t columns;
    const uint32_t *leaf; /* patterns of the leaves */
    float *apart;         /* n × n between leaves */
    uint32_t *left, *right, *size;
    float *height;
    uint32_t *order; /* leaves, as they came out */
};

static float distance(const uint8_t *a, const uint8_t *b, size_t columns)
{
    size_t either = 0, same = 0;
    for (size_t i = 0; i < columns; i++) {
        either += (a[i] | b[i]) != 0;
        same += a[i] != 0 && a[i] == b[i];
    }
    return either ? 1.0F - (float)same / (float)either : 0;
}

/* --- clustering --------------------------------------------------------------------------------------------- */

struct chain {
    float *d;       /* between clusters, by the place of one of their leaves; the matrix is used up */
    uint32_t *node; /* of the cluster at a place; NONE: merged into another */
    uint32_t *stack;
    size_t depth;
};

static uint32_t nearest(const struct chain *c, size_t n, uint32_t at, uint32_t before)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (i == at || c->node[i] == NONE) continue;
        if (best == NONE || c->d[at * n + i] < c->d[at * n + best]) best = i;
    }
    /* a tie goes to the one we came from, or the chain would run in a circle */
    if (before != NONE && best != NONE && c->d[at * n + before] <= c->d[at * n + best]) return before;
    return best;
}

static void merge(struct tree *t, struct chain *c, uint32_t a, uint32_t b, uint32_t into)
{
    size_t n = t->n;
    uint32_t x = c->node[a], y = c->node[b];
    t->left[into] = x < y ? x : y;
    t->right[into] = x < y ? y : x;
    t->height[into] = c->d[a * n + b];
    t->size[into] = t->size[x] + t->size[y];
    for (uint32_t i = 0; i < n; i++) {
        if (c->node[i] == NONE || i == a || i == b) continue;
        float d = (c->d[a * n + i] * (float)t->size[x] + c->d[b * n + i] * (float)t->size[y]) / (float)t->size[into];
        c->d[a * n + i] = c->d[i * n + a] = d;
    }
    c->node[a] = into;
    c->node[b] = NONE;
}

static void cluster(struct tree *t)
{
    size_t n = t->n, merges = 0;
    struct chain c = {SHARC_NEW_ARRAY(float, n *n + 1), SHARC_NEW_ARRAY(uint32_t, n + 1),
                      SHARC_NEW_ARRAY(uint32_t, n + 2), 0};
    memcpy(c.d, t->apart, n * n * sizeof *c.d);
    for (uint32_t i = 0; i < n; i++) {
        c.node[i] = i;
        t->size[i] = 1;
    }
    while (merges + 1 < n) {
        if (c.depth == 0) {
            uint32_t first = 0;
            while (c.node[first] == NONE) first++;
            c.stack[c.depth++] = first;
        }
        uint32_t top = c.stack[c.depth - 1], before = c.depth > 1 ? c.stack[c.depth - 2] : NONE;
        uint32_t next = nearest(&c, n, top, before);
        if (next != before) {
            c.stack[c.depth++] = next;
            continue;
        }
        c.depth -= 2;
        merge(t, &c, before < top ? before : top, before < top ? top : before, (uint32_t)(n + merges++));
    }
    free(c.d);
    free(c.node);
    free(c.stack);
}

/* --- the best order ------------------------------------------------------------------------------------------ */

/* cost[i][j]: of the best order of the branch in which i and j come together, that begins with leaf i and ends with
 * leaf j; from[i][j], to[i][j]: the two leaves that touch in it. */
struct best {
    float *cost;
    uint16_t *from, *to;
    uint32_t *leaves; /* of each node: a range */
    uint32_t *at;
};

/* Leaves of every node stand together when they are listed in the tree's own order. */
static void list_leaves(const struct tree *t, struct best *b)
{
    SHARC_AUTO(sharc_freep) uint32_t *stack = SHARC_NEW_ARRAY(uint32_t, 2 * t->n + 1);
    size_t depth = 0;
    uint32_t count = 0;
    stack[depth++] = (uint32_t)(2 * t->n - 2);
    while (depth) {
        uint32_t v = stack[--depth];
        b->at[v] = count;
        if (v < t->n) {
            b->leaves[count++] = v;
            continue;
        }
        stack[depth++] = t->right[v];
        stack[depth++] = t->left[v];
    }
}

/* The leaves at which an order of node v may end that begins with leaf i: those of the child without i. */
static void far_side(const struct tree *t, const struct best *b, uint32_t v, uint32_t i, uint32_t *ret_at,
                     uint32_t *ret_n)
{
    if (v < t->n) {
        *ret_at = b->at[v];
        *ret_n = 1;
        return;
    }
    uint32_t l = t->left[v], r = t->right[v];
    bool in_left = false;
    for (uint32_t k = 0; k < t->size[l]; k++) in_left = in_left || b->leaves[b->at[l] + k] == i;
    uint32_t other = in_left ? r : l;
    *ret_at = b->at[other];
    *ret_n = t->size[other];
}

/* All orders of v that begin in x, one of its children, and end in y, the other one. */
static void join(const struct tree *t, struct best *b, uint32_t x, uint32_t y)
{
    size_t n = t->n;
    SHARC_AUTO(sharc_freep) float *touch = SHARC_NEW_ARRAY(float, t->size[y] + 1);
    SHARC_AUTO(sharc_freep) uint16_t *by = SHARC_NEW_ARRAY(uint16_t, t->size[y] + 1);
    for (uint32_t p = 0; p < t->size[x]; p++) {
        uint32_t i = b->leaves[b->at[x] + p], far_at, far_n;
        far_side(t, b, x, i, &far_at, &far_n);
        for (uint32_t q = 0; q < t->size[y]; q++) {
            uint32_t l = b->leaves[b->at[y] + q];
            touch[q] = INFINITY;
            for (uint32_t k = 0; k < far_n; k++) {
                uint32_t m = b->leaves[far_at + k];
                float cost = b->cost[i * n + m] + t->apart[m * n + l];
                if (cost < touch[q]) {
                    touch[q] = cost;
                    by[q] = (uint16_t)m;
                }
            }
        }
        for (uint32_t q = 0; q < t->size[y]; q++) {
            uint32_t j = b->leaves[b->at[y] + q], end_at, end_n;
            far_side(t, b, y, j, &end_at, &end_n);
            float least = INFINITY;
            for (uint32_t k = 0; k < end_n; k++) {
                uint32_t l = b->leaves[end_at + k];
                float cost = touch[end_at + k - b->at[y]] + b->cost[l * n + j];
                if (cost >= least) continue;
                least = cost;
                b->from[i * n + j] = by[end_at + k - b->at[y]];
                b->to[i * n + j] = (uint16_t)l;
            }
            b->cost[i * n + j] = b->cost[j * n + i] = least;
            b->from[j * n + i] = b->to[i * n + j];
            b->to[j * n + i] = b->from[i * n + j];
        }
    }
}

struct piece {
    uint32_t node, first, last;
};

/* Write down the best order of the whole tree, piece by piece. */
static void unfold(struct tree *t, const struct best *b, uint32_t first, uint32_t last)
{
    size_t n = t->n, depth = 0, count = 0;
    SHARC_AUTO(sharc_freep) struct piece *stack = SHARC_NEW_ARRAY(struct piece, 2 * n + 1);
    stack[depth++] = (struct piece){(uint32_t)(2 * n - 2), first, last};
    while (depth) {
        struct piece p = stack[--depth];
        if (p.node < n) {
            t->order[count++] = p.node;
            continue;
        }
        uint32_t l = t->left[p.node], r = t->right[p.node];
        bool in_left = false;
        for (uint32_t k = 0; k < t->size[l]; k++) in_left = in_left || b->leaves[b->at[l] + k] == p.first;
        uint32_t m = b->from[p.first * n + p.last], o = b->to[p.first * n + p.last];
        stack[depth++] = (struct piece){in_left ? r : l, o, p.last};
        stack[depth++] = (struct piece){in_left ? l : r, p.first, m};
    }
}

static void order_best(struct tree *t)
{
    size_t n = t->n;
    struct best b = {SHARC_NEW_ARRAY(float, n *n + 1), SHARC_NEW_ARRAY(uint16_t, n * n + 1),
                     SHARC_NEW_ARRAY(uint16_t, n * n + 1), SHARC_NEW_ARRAY(uint32_t, n + 1),
                     SHARC_NEW_ARRAY(uint32_t, 2 * n + 1)};
    uint32_t root = (uint32_t)(2 * n - 2), first = 0, last = 0;
    float least = INFINITY;
    list_leaves(t, &b);
    for (uint32_t v = (uint32_t)n; v <= root; v++) join(t, &b, t->left[v], t->right[v]);
    for (uint32_t p = 0; p < t->size[t->left[root]]; p++)
        for (uint32_t q = 0; q < t->size[t->right[root]]; q++) {
            uint32_t i = b.leaves[b.at[t->left[root]] + p], j = b.leaves[b.at[t->right[root]] + q];
            if (b.cost[i * n + j] >= least) continue;
            least = b.cost[i * n + j];
            first = i;
            last = j;
        }
    unfold(t, &b, first, last);
    free(b.cost);
    free(b.from);
    free(b.to);
    free(b.leaves);
    free(b.at);
}

/* --- a good order -------------------------------------------------------------------------------------------- */

struct ends {
    uint32_t first, last;
    bool turned; /* read from its end */
};

/* Turn two branches so that the ends that touch are as near as possible. */
static void order_greedily(struct tree *t)
{
    size_t n = t->n, count = 0, depth = 0;
    SHARC_AUTO(sharc_freep) struct ends *e = SHARC_NEW_ARRAY(struct ends, 2 * n + 1);
    SHARC_AUTO(sharc_freep) bool *turn_left = SHARC_NEW_ARRAY(bool, 2 * n + 1);
    SHARC_AUTO(sharc_freep) bool *turn_right = SHARC_NEW_ARRAY(bool, 2 * n + 1);
    for (uint32_t i = 0; i < n; i++) e[i] = (struct ends){i, i, false};
    for (uint32_t v = (uint32_t)n; v < 2 * n - 1; v++) {
        const struct ends *l = &e[t->left[v]], *r = &e[t->right[v]];
        float least = INFINITY;
        for (int way = 0; way < 4; way++) {
            bool tl = way & 1, tr = way & 2;
            float d = t->apart[(tl ? l->first : l->last) * n + (tr ? r->last : r->first)];
            if (d >= least) continue;
            least = d;
            turn_left[v] = tl;
            turn_right[v] = tr;
        }
        e[v] = (struct ends){turn_left[v] ? l->last : l->first, turn_right[v] ? r->first : r->last, false};
    }
    SHARC_AUTO(sharc_freep) struct ends *stack = SHARC_NEW_ARRAY(struct ends, 2 * n + 1);
    stack[depth++] = (struct ends){(uint32_t)(2 * n - 2), 0, false};
    while (depth) {
        struct ends s = stack[--depth];
        uint32_t v = s.first;
        if (v < n) {
            t->order[count++] = v;
            continue;
        }
        struct ends l = {t->left[v], 0, turn_left[v] != s.turned}, r = {t->right[v], 0, turn_right[v] != s.turned};
        stack[depth++] = s.turned ? l : r;
        stack[depth++] = s.turned ? r : l;
    }
}

/* --- groups ---------------------------------------------------------------------------------------------------- */

/* A leaf's group is the highest branch above it that is not too high. */
static uint32_t number_groups(const struct tree *t, uint32_t *group)
{
    SHARC_AUTO(sharc_freep) uint32_t *top = SHARC_NEW_ARRAY(uint32_t, 2 * t->n + 1);
    uint32_t groups = 0, last = NONE;
    for (uint32_t v = 0; v < 2 * t->n - 1; v++) top[v] = v;
    for (uint32_t v = (uint32_t)(2 * t->n - 1); v-- > t->n;) {
        if (t->height[v] > GROUP_APART) continue;
        top[t->left[v]] = top[t->right[v]] = top[v];
    }
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t leaf = t->order[i];
        groups += top[leaf] != last;
        last = top[leaf];
        group[t->leaf[leaf]] = groups - 1;
    }
    return groups;
}

/* --- all of it -------------------------------------------------------------------------------------------------- */

static uint32_t seriate(const uint8_t *patterns, size_t columns, const uint32_t *leaf, size_t n, uint32_t *order,
                        uint32_t *group)
{
    struct tree t = {.n = n, .patterns = patterns, .columns = columns, .leaf = leaf, .order = order};
    t.apart = SHARC_NEW_ARRAY(float, n *n + 1);
    t.left = SHARC_NEW_ARRAY(uint32_t, 2 * n + 1);
    t.right = SHARC_NEW_ARRAY(uint32_t, 2 * n + 1);
    t.size = SHARC_NEW_ARRAY(uint32_t, 2 * n + 1);
    t.height = SHARC_NEW_ARRAY(float, 2 * n + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            t.apart[i * n + k] = t.apart[k * n + i] =
                distance(patterns + leaf[i] * columns, patterns + leaf[k] * columns, columns);
    cluster(&t);
    if (n <= MOST_EXACT)
        order_best(&t);
    else
        order_greedily(&t);
    uint32_t groups = number_groups(&t, group);
    for (size_t i = 0; i < n; i++) order[i] = leaf[order[i]];
    free(t.apart);
    free(t.left);
    free(t.right);
    free(t.size);
    free(t.height);
    return groups;
}

struct looking {
    const uint8_t *patterns;
    size_t columns;
};

static int by_codes(const void *a, const void *b, void *arg)
{
    const struct looking *k = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return memcmp(k->patterns + j * k->columns, k->patterns + i * k->columns, k->columns);
}

uint32_t sharc__figure_seriate(const uint8_t *patterns, size_t m, size_t columns, uint32_t *order, uint32_t *group)
{
    struct looking k = {patterns, columns};
    if (m == 0) return 0;
    if (m == 1) {
        order[0] = group[0] = 0;
        return 1;
    }
    /* Sorted by their codes, so that nothing depends on the order in which patterns came; leaves are spread evenly. */
    SHARC_AUTO(sharc_freep) uint32_t *sorted = SHARC_NEW_ARRAY(uint32_t, m);
    for (uint32_t i = 0; i < m; i++) sorted[i] = i;
    qsort_r(sorted, m, sizeof *sorted, by_codes, &k);
    if (m <= MOST_LEAVES) return seriate(patterns, columns, sorted, m, order, group);
    SHARC_AUTO(sharc_freep) uint32_t *leaf = SHARC_NEW_ARRAY(uint32_t, MOST_LEAVES + 1);
    SHARC_AUTO(sharc_freep) uint32_t *leaves = SHARC_NEW_ARRAY(uint32_t, MOST_LEAVES + 1);
    SHARC_AUTO(sharc_freep) uint32_t *number = SHARC_NEW_ARRAY(uint32_t, m); /* of a leaf's pattern */
    for (uint32_t i = 0; i < MOST_LEAVES; i++) {
        leaf[i] = sorted[i * m / MOST_LEAVES];
        number[leaf[i]] = i;
    }
    uint32_t groups = seriate(patterns, columns, leaf, MOST_LEAVES, leaves, group);
    size_t count = 0;
    for (size_t i = 0; i < MOST_LEAVES; i++) {
        size_t from = number[leaves[i]] * m / MOST_LEAVES, to = (number[leaves[i]] + 1) * m / MOST_LEAVES;
        for (size_t at = from; at < to; at++) {
            order[count++] = sorted[at];
            group[sorted[at]] = group[leaves[i]];
        }
    }
    return groups;
}
