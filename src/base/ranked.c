/* SPDX-License-Identifier: Apache-2.0
 *
 * The ranked list: a B+-tree whose inner nodes know how many items hang below
 * each child.
 *
 * INVARIANTS (sharc_ranked_check asserts them)
 *  (1) all leaves have the same depth, `height` inner nodes above each;
 *  (2) the items of a leaf rise strictly by (key, id), and so do those of
 *      neighbouring leaves;
 *  (3) the guide (key, id) of child i > 0 is greater than all items of child
 *      i - 1 and not greater than any of child i; the guide of child 0 is
 *      never looked at;
 *  (4) count[i] is the number of items below child i;
 *  (5) every node but the root holds LEAST … CAP entries; an inner root at
 *      least 2.
 */
#include "sharc/base_order.h"

#include <stdlib.h>

#define CAP 64
#define LEAST 24
#define MAX_HEIGHT 8 /* LEAST^9 items are beyond any memory */

struct node {
    uint32_t n;
    uint32_t id[CAP];
    double key[CAP]; /* leaf: items; inner: guides */
};
struct inner {
    struct node node;
    size_t count[CAP];
    struct node *child[CAP];
};

/* The way from the root to a leaf, and the place in it. level 0 is the parent
 * of the leaf, so the root is at level height - 1. */
struct path {
    struct inner *inner[MAX_HEIGHT];
    unsigned index[MAX_HEIGHT];
    struct node *leaf;
    unsigned at;
};
struct sharc_ranked {
    struct node *root;
    unsigned height; /* 0: the root is a leaf */
    size_t count;
    struct path path; /* of the change under way */
};

/* Every inner node begins with a node; a node above the leaves is one. */
static struct inner *as_inner(const struct node *n)
{
    return (struct inner *)(void *)n;
}

/* --- searching ------------------------------------------------------------ */

static bool less(double key_a, uint32_t id_a, double key_b, uint32_t id_b)
{
    return key_a < key_b || (key_a == key_b && id_a < id_b);
}

#define STRIDE 8 /* keys of one cache line */

/* How many keys from `from` (0 or 1) on are smaller than key, plus from. The
 * last key of each line first, then one line: no load waits for another, and
 * few branches can be mispredicted; twice as fast as halving. */
static unsigned lower_bound_key(const struct node *n, unsigned from, double key)
{
    unsigned lines = 0;
    for (unsigned i = STRIDE - 1; i < n->n; i += STRIDE) lines += n->key[i] < key;
    unsigned low = lines * STRIDE, end = low + STRIDE < n->n ? low + STRIDE : n->n;
    if (low < from) low = from;
    for (unsigned i = low; i < end; i++) low += n->key[i] < key;
    return low;
}

/* How many entries from `from` on are smaller than (key, id), plus from. */
static unsigned lower_bound(const struct node *n, unsigned from, double key, uint32_t id)
{
    unsigned low = lower_bound_key(n, from, key), high = n->n;
    if (low == high || n->key[low] != key) return low;
    while (low < high) { /* equal keys follow: now the ids decide */
        unsigned middle = (low + high) / 2;
        if (less(n->key[middle], n->id[middle], key, id))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The child (key, id) belongs to: the last whose guide is not greater. */
static unsigned child_of(const struct node *n, double key, uint32_t id)
{
    unsigned i = lower_bound(n, 1, key, id);
    bool exact = i < n->n && n->key[i] == key && n->id[i] == id;
    return exact ? i : i - 1;
}

static void find(struct sharc_ranked *r, double key, uint32_t id)
{
    struct node *n = r->root;
    for (unsigned level = r->height; level-- > 0;) {
        unsigned i = child_of(n, key, id);
        r->path.inner[level] = as_inner(n);
        r->path.index[level] = i;
        n = as_inner(n)->child[i];
    }
    r->path.leaf = n;
    r->path.at = lower_bound(n, 0, key, id);
}

static bool found(const struct sharc_ranked *r, double key, uint32_t id)
{
    const struct path *p = &r->path;
    return p->at < p->leaf->n && p->leaf->key[p->at] == key && p->leaf->id[p->at] == id;
}

/* The child that holds rank *k, which becomes the rank inside it. */
static unsigned child_of_rank(const struct inner *n, size_t *k)
{
    unsigned i = 0;
    while (*k >= n->count[i]) *k -= n->count[i++];
    return i;
}

/* --- entries of a node ---------------------------------------------------- */

/* Move n entries between nodes of one kind; the ranges may overlap. */
static void move(struct node *to, unsigned to_at, struct node *from, unsigned from_at, unsigned n, bool leaf)
{
    memmove(&to->key[to_at], &from->key[from_at], n * sizeof to->key[0]);
    memmove(&to->id[to_at], &from->id[from_at], n * sizeof to->id[0]);
    if (leaf) return;
    memmove(&as_inner(to)->count[to_at], &as_inner(from)->count[from_at], n * sizeof(size_t));
    memmove(&as_inner(to)->child[to_at], &as_inner(from)->child[from_at], n * sizeof(struct node *));
}

static void open_gap(struct node *n, unsigned at, bool leaf)
{
    move(n, at + 1, n, at, n->n - at, leaf);
    n->n++;
}

static void close_gap(struct node *n, unsigned at, bool leaf)
{
    move(n, at, n, at + 1, n->n - at - 1, leaf);
    n->n--;
}

static size_t items_below(const struct node *n, bool leaf)
{
    if (leaf) return n->n;
    size_t sum = 0;
    for (unsigned i = 0; i < n->n; i++) sum += as_inner(n)->count[i];
    return sum;
}

static struct node *new_node(bool leaf)
{
    struct node *n = sharc_malloc(leaf ? sizeof(struct node) : sizeof(struct inner));
    n->n = 0;
    return n;
}

/* --- growing -------------------------------------------------------------- */

/* Put a new right neighbour behind child i of an inner node with room. */
static void adopt(struct inner *parent, unsigned i, struct node *right, bool leaf)
{
    open_gap(&parent->node, i + 1, false);
    parent->node.key[i + 1] = right->key[0];
    parent->node.id[i + 1] = right->id[0];
    parent->child[i + 1] = right;
    parent->count[i + 1] = items_below(right, leaf);
    parent->count[i] -= parent->count[i + 1];
}

/* Cut the full node `left` in two. Entries that arrive in rising order would
 * leave half-empty nodes behind, so an append keeps the left one nearly full. */
static struct node *split(struct node *left, bool append, bool leaf)
{
    struct node *right = new_node(leaf);
    unsigned keep = append ? CAP - LEAST : CAP / 2;
    move(right, 0, left, keep, CAP - keep, leaf);
    right->n = CAP - keep;
    left->n = keep;
    return right;
}

static void grow_root(struct sharc_ranked *r)
{
    struct inner *root = as_inner(new_node(false));
    root->node.n = 1;
    root->node.key[0] = r->root->key[0];
    root->node.id[0] = r->root->id[0];
    root->child[0] = r->root;
    root->count[0] = r->count;
    r->root = &root->node;
    r->height++;
    SHARC_ASSERT(r->height <= MAX_HEIGHT);
}

/* Make room in every full node on the way down. A few splits come earlier than
 * they must; in return no split ever travels upwards. */
static void make_room(struct sharc_ranked *r, double key, uint32_t id)
{
    if (r->root->n == CAP) grow_root(r);
    struct node *n = r->root;
    for (unsigned level = r->height; level-- > 0;) {
        struct inner *parent = as_inner(n);
        unsigned i = child_of(n, key, id);
        struct node *child = parent->child[i];
        if (child->n == CAP) {
            bool append = less(child->key[CAP - 1], child->id[CAP - 1], key, id);
            adopt(parent, i, split(child, append, level == 0), level == 0);
            i = child_of(n, key, id);
        }
        n = parent->child[i];
    }
}

bool sharc_ranked_insert(struct sharc_ranked *r, double key, uint32_t id)
{
    SHARC_ASSERT(key == key);
    struct path *p = &r->path;
    find(r, key, id);
    if (found(r, key, id)) return false;
    if (p->leaf->n == CAP) {
        make_room(r, key, id);
        find(r, key, id);
    }
    open_gap(p->leaf, p->at, true);
    p->leaf->key[p->at] = key;
    p->leaf->id[p->at] = id;
    for (unsigned level = 0; level < r->height; level++) p->inner[level]->count[p->index[level]]++;
    r->count++;
    return true;
}

/* --- shrinking ------------------------------------------------------------ */

/* Children i and i + 1 become one if they fit with some air, else they share
 * evenly. */
static void balance(struct inner *parent, unsigned i, bool leaf)
{
    struct node *left = parent->child[i], *right = parent->child[i + 1];
    if (!leaf) { /* the guide of a first child is stale; the parent knows it */
        right->key[0] = parent->node.key[i + 1];
        right->id[0] = parent->node.id[i + 1];
    }
    unsigned total = left->n + right->n;
    size_t items = parent->count[i] + parent->count[i + 1];
    if (total <= CAP - CAP / 8) {
        move(left, left->n, right, 0, right->n, leaf);
        left->n = total;
        parent->count[i] = items;
        close_gap(&parent->node, i + 1, false);
        free(right);
        return;
    }
    unsigned want = total / 2;
    if (left->n > want) {
        unsigned n = left->n - want;
        move(right, n, right, 0, right->n, leaf);
        move(right, 0, left, want, n, leaf);
    } else {
        unsigned n = want - left->n;
        move(left, left->n, right, 0, n, leaf);
        move(right, 0, right, n, right->n - n, leaf);
    }
    left->n = want;
    right->n = total - want;
    parent->node.key[i + 1] = right->key[0];
    parent->node.id[i + 1] = right->id[0];
    parent->count[i] = items_below(left, leaf);
    parent->count[i + 1] = items - parent->count[i];
}

static void remove_found(struct sharc_ranked *r)
{
    const struct path *p = &r->path;
    close_gap(p->leaf, p->at, true);
    r->count--;
    for (unsigned level = 0; level < r->height; level++) p->inner[level]->count[p->index[level]]--;
    struct node *n = p->leaf;
    for (unsigned level = 0; level < r->height && n->n < LEAST; level++) {
        struct inner *parent = p->inner[level];
        unsigned i = p->index[level];
        balance(parent, i > 0 ? i - 1 : i, level == 0);
        n = &parent->node;
    }
    while (r->height > 0 && r->root->n == 1) {
        struct node *old = r->root;
        r->root = as_inner(old)->child[0];
        r->height--;
        free(old);
    }
}

bool sharc_ranked_delete(struct sharc_ranked *r, double key, uint32_t id)
{
    find(r, key, id);
    if (!found(r, key, id)) return false;
    remove_found(r);
    return true;
}

struct sharc_ranked_item sharc_ranked_take(struct sharc_ranked *r, size_t k)
{
    SHARC_ASSERT(k < r->count);
    struct node *n = r->root;
    for (unsigned level = r->height; level-- > 0;) {
        struct inner *inner = as_inner(n);
        unsigned i = child_of_rank(inner, &k);
        r->path.inner[level] = inner;
        r->path.index[level] = i;
        n = inner->child[i];
    }
    struct sharc_ranked_item item = {n->key[k], n->id[k]};
    r->path.leaf = n;
    r->path.at = (unsigned)k;
    remove_found(r);
    return item;
}

/* --- asking --------------------------------------------------------------- */

struct sharc_ranked_item sharc_ranked_at(const struct sharc_ranked *r, size_t k)
{
    SHARC_ASSERT(k < r->count);
    const struct node *n = r->root;
    for (unsigned level = r->height; level-- > 0;) {
        const struct inner *inner = as_inner(n);
        n = inner->child[child_of_rank(inner, &k)];
    }
    return (struct sharc_ranked_item){n->key[k], n->id[k]};
}

size_t sharc_ranked_below(const struct sharc_ranked *r, double key)
{
    size_t sum = 0;
    const struct node *n = r->root;
    for (unsigned level = r->height; level-- > 0;) {
        const struct inner *inner = as_inner(n);
        unsigned at = lower_bound_key(n, 1, key) - 1;
        for (unsigned i = 0; i < at; i++) sum += inner->count[i];
        n = inner->child[at];
    }
    return sum + lower_bound_key(n, 0, key);
}

size_t sharc_ranked_count(const struct sharc_ranked *r)
{
    return r->count;
}

/* --- life ----------------------------------------------------------------- */

struct sharc_ranked *sharc_ranked_new(void)
{
    struct sharc_ranked *r = SHARC_NEW(struct sharc_ranked);
    r->root = new_node(true);
    return r;
}

static void free_node(struct node *n, unsigned height)
{
    if (height > 0) {
        for (unsigned i = 0; i < n->n; i++) free_node(as_inner(n)->child[i], height - 1);
    }
    free(n);
}

void sharc_ranked_free(struct sharc_ranked *r)
{
    if (!r) return;
    free_node(r->root, r->height);
    free(r);
}

void sharc_ranked_freep(struct sharc_ranked **r)
{
    sharc_ranked_free(*r);
    *r = NULL;
}

/* --- the invariants ------------------------------------------------------- */

struct check {
    bool any; /* an item was seen */
    double key;
    uint32_t id;
};

static size_t check_node(const struct node *n, unsigned height, bool root, struct check *c)
{
    SHARC_ASSERT(n->n <= CAP && (root || n->n >= LEAST));
    if (height == 0) {
        for (unsigned i = 0; i < n->n; i++) {
            SHARC_ASSERT(!c->any || less(c->key, c->id, n->key[i], n->id[i]));
            *c = (struct check){true, n->key[i], n->id[i]};
        }
        return n->n;
    }
    SHARC_ASSERT(n->n >= 2);
    size_t sum = 0;
    for (unsigned i = 0; i < n->n; i++) {
        struct check guide = *c;
        if (i > 0) {
            SHARC_ASSERT(less(c->key, c->id, n->key[i], n->id[i]));
            /* The next item must not be below the guide: pretend that the one
             * just before the guide was seen. */
            guide = (struct check){n->id[i] > 0, n->key[i], n->id[i] - 1};
        }
        size_t below = check_node(as_inner(n)->child[i], height - 1, false, &guide);
        SHARC_ASSERT(below == as_inner(n)->count[i]);
        sum += below;
        *c = guide;
    }
    return sum;
}

void sharc_ranked_check(const struct sharc_ranked *r)
{
    struct check c = {0};
    SHARC_ASSERT(check_node(r->root, r->height, true, &c) == r->count);
}
