/* SPDX-License-Identifier: Apache-2.0
 *
 * The spanning tree of a capture, coloured by what changed; branches in which nothing did become one
 * node each.
 */
#include "figure_int.h"
#include "sharc/base_map.h"
#include "sharc/base_order.h"

#include <stdlib.h>

#define NONE UINT32_MAX
#define WHOLE_MOST 2000 /* pages that are drawn one by one where none changed */

struct growing {
    struct sharc_figure_graph *f;
    const struct sharc_figure_changes *changes; /* NULL: visit against revisit */
    size_t room;
    sharc_store_id *parents;    /* URL numbers; 0: none */
    struct sharc_map64 node_of; /* URL number -> 1 + index */
};

static void growing_done(struct growing *g)
{
    free(g->parents);
    sharc_map64_done(&g->node_of);
}

/* --- pages ---------------------------------------------------------------------------------------------- */

static enum sharc_figure_class class_in(const struct growing *g, const struct sharc_figure_sheet *t, size_t row)
{
    if (!g->changes) return sharc_figure_class_of_grade((enum sharc_grade_reason)t->reason[row]);
    size_t found = sharc_find_i64(g->changes->id, g->changes->count, t->id[row]);
    return found == SIZE_MAX ? SHARC_FIGURE_UNCHANGED : (enum sharc_figure_class)g->changes->change[found];
}

static int add_page(struct growing *g, const struct sharc_figure_sheet *t, size_t row, struct sharc_err *reterr)
{
    struct sharc_figure_graph *f = g->f;
    uint64_t *at = sharc_map64_at(&g->node_of, (uint64_t)t->id[row]);
    if (*at) return 0;
    struct sharc_figure_node *n = &f->nodes[f->count];
    *n = (struct sharc_figure_node){
        .url_id = t->id[row],
        .kind = sharc_figure_kind_of(sharc_figure_sheet_mime(t, row)),
        .change = class_in(g, t, row),
        .reason = g->changes ? SHARC_GRADED_NOT_GRADED : (enum sharc_grade_reason)t->reason[row],
        .pages = 1,
    };
    g->parents[f->count] = t->parent[row];
    f->all[n->change]++;
    f->pages++;
    *at = ++f->count;
    return sharc__figure_keep(&f->texts, sharc_figure_sheet_url(t, row), &n->url, reterr);
}

struct numbered {
    sharc_store_id id;
    size_t row;
};

static int by_id(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Those that are not there yet, by the numbers of their URLs, which is about the order in which they were found. */
static int add_pages(struct growing *g, const struct sharc_figure_sheet *t, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) struct numbered *order = SHARC_NEW_ARRAY(struct numbered, t->count + 1);
    int r = 0;
    for (size_t i = 0; i < t->count; i++) order[i] = (struct numbered){t->id[i], i};
    if (t->count) qsort(order, t->count, sizeof *order, by_id);
    for (size_t i = 0; r >= 0 && i < t->count; i++) r = add_page(g, t, order[i].row, reterr);
    return r;
}

/* --- the tree ------------------------------------------------------------------------------------------------ */

/* Children of every node, in the order in which pages were read. */
struct branches {
    uint32_t *first, *next; /* of a node's children; NONE */
    uint32_t *order;        /* parents before children */
    size_t count;
};

static void branches_done(struct branches *b)
{
    free(b->first);
    free(b->next);
    free(b->order);
}

static void hang(struct branches *b, const struct sharc_figure_node *nodes, size_t n)
{
    b->first = SHARC_NEW_ARRAY(uint32_t, n + 1);
    b->next = SHARC_NEW_ARRAY(uint32_t, n + 1);
    b->order = SHARC_NEW_ARRAY(uint32_t, n + 1);
    memset(b->first, 0xff, (n + 1) * sizeof *b->first);
    memset(b->next, 0xff, (n + 1) * sizeof *b->next);
    for (uint32_t i = (uint32_t)n; i-- > 0;) {
        if (nodes[i].parent == i) continue;
        b->next[i] = b->first[nodes[i].parent];
        b->first[nodes[i].parent] = i;
    }
}

/* Everything below the i-th of the list. */
static void walk(struct branches *b, size_t i)
{
    for (; i < b->count; i++)
        for (uint32_t k = b->first[b->order[i]]; k != NONE; k = b->next[k]) b->order[b->count++] = k;
}

/* An index of the node above each; a page whose chain of parents runs in a circle becomes a root. */
static void find_parents(struct growing *g)
{
    struct sharc_figure_graph *f = g->f;
    SHARC_AUTO(sharc_freep) uint8_t *state = SHARC_NEW_ARRAY(uint8_t, f->count + 1); /* 1: on this chain, 2: settled */
    SHARC_AUTO(sharc_freep) uint32_t *chain = SHARC_NEW_ARRAY(uint32_t, f->count + 1);
    for (uint32_t i = 0; i < f->count; i++) {
        const uint64_t *at = g->parents[i] ? sharc_map64_find(&g->node_of, (uint64_t)g->parents[i]) : NULL;
        f->nodes[i].parent = at && *at ? (uint32_t)(*at - 1) : i;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        size_t n = 0;
        uint32_t at = i;
        while (state[at] == 0) {
            state[at] = 1;
            chain[n++] = at;
            at = f->nodes[at].parent;
        }
        if (state[at] == 1) f->nodes[at].parent = at;
        while (n) state[chain[--n]] = 2;
    }
}

/* One root: the only one there is, or one above all of them. Nodes come out with parents before children. */
static void root_tree(struct growing *g)
{
    struct sharc_figure_graph *f = g->f;
    size_t roots = 0;
    for (uint32_t i = 0; i < f->count; i++) roots += f->nodes[i].parent == i;
    if (roots == 1) return;
    uint32_t top = (uint32_t)f->count;
    f->nodes[top] = (struct sharc_figure_node){.url = sharc_span_of(f->site), .parent = top};
    for (uint32_t i = 0; i < f->count; i++)
        if (f->nodes[i].parent == i) f->nodes[i].parent = top;
    f->count++;
}

static bool stands_still(enum sharc_figure_class c)
{
    return c == SHARC_FIGURE_UNCHANGED || c == SHARC_FIGURE_INSIGNIFICANT;
}

/* Pages of every branch, and whether nothing in it changed. */
static void sum_up(struct sharc_figure_graph *f, const struct branches *b, bool *still)
{
    for (size_t i = 0; i < f->count; i++) {
        still[i] = f->nodes[i].pages == 0 || stands_still(f->nodes[i].change);
        f->nodes[i].below = f->nodes[i].pages;
    }
    for (size_t i = b->count; i-- > 1;) {
        uint32_t at = b->order[i], up = f->nodes[at].parent;
        f->nodes[up].below += f->nodes[at].below;
        still[up] = still[up] && still[at];
    }
}

/* --- folding -------------------------------------------------------------------------------------------------- */

struct folding {
    const struct sharc_figure_graph *f;
    const struct branches *b;
    const bool *still;
    bool fold;
    struct sharc_figure_node *out;
    size_t count;
    uint32_t *place; /* of the nodes that stay; NONE */
};

/* All branches of a node in which nothing changed, as one node. */
static void put_folded(struct folding *k, uint32_t parent)
{
    struct sharc_figure_node n = {.parent = k->place[parent], .folded = true};
    for (uint32_t i = k->b->first[parent]; i != NONE; i = k->b->next[i]) {
        const struct sharc_figure_node *child = &k->f->nodes[i];
        if (!k->still[i]) continue;
        if (n.pages == 0) {
            n.url = child->url;
            n.kind = child->kind;
        }
        n.pages += child->below;
    }
    n.below = n.pages;
    if (n.pages) k->out[k->count++] = n;
}

static void fold(struct folding *k)
{
    for (size_t i = 0; i < k->b->count; i++) {
        uint32_t at = k->b->order[i], up = k->f->nodes[at].parent;
        bool hidden = i > 0 && (k->place[up] == NONE || (k->fold && k->still[at]));
        k->place[at] = hidden ? NONE : (uint32_t)k->count;
        if (hidden) continue;
        k->out[k->count] = k->f->nodes[at];
        k->out[k->count].parent = i == 0 ? 0 : k->place[up];
        k->count++;
        if (k->fold) put_folded(k, at);
    }
}

static void shape(struct sharc_figure_graph *f, bool folded)
{
    SHARC_AUTO(branches_done) struct branches b = {0};
    SHARC_AUTO(sharc_freep) bool *still = SHARC_NEW_ARRAY(bool, f->count + 1);
    SHARC_AUTO(sharc_freep) uint32_t *place = SHARC_NEW_ARRAY(uint32_t, f->count + 1);
    hang(&b, f->nodes, f->count);
    for (uint32_t i = 0; i < f->count && b.count == 0; i++)
        if (f->nodes[i].parent == i) b.order[b.count++] = i;
    walk(&b, 0);
    sum_up(f, &b, still);
    /* Where nothing changed at all, folding would leave two marks: a small site is shown as it is. */
    if (b.count && still[b.order[0]] && f->count <= WHOLE_MOST) folded = false;
    struct folding k = {f, &b, still, folded, SHARC_NEW_ARRAY(struct sharc_figure_node, 2 * f->count + 1), 0, place};
    fold(&k);
    free(f->nodes);
    f->nodes = k.out;
    f->count = k.count;
}

/* --- all of it ------------------------------------------------------------------------------------------------- */

void sharc_figure_graph_done(struct sharc_figure_graph *f)
{
    free(f->site);
    free(f->key);
    free(f->nodes);
    sharc_arena_done(&f->texts);
    *f = (struct sharc_figure_graph){0};
}

int sharc_figure_graph_of(struct sharc_store *s, const struct sharc_figure_sheet *t,
                          const struct sharc_figure_sheet *against, const struct sharc_figure_changes *c,
                          bool fold_still, struct sharc_figure_graph *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture row = {0};
    SHARC_AUTO(sharc_figure_graph_done)
    struct sharc_figure_graph f = {.capture = t->capture, .against = against ? against->capture : 0};
    struct growing g = {.f = &f, .changes = c, .room = t->count + (against ? against->count : 0) + 2};
    f.texts.max = FIGURE_TEXTS_MAX;
    int r = sharc__figure_capture(s, t->capture, &row, reterr);
    if (r < 0) return r;
    f.site = SHARC_TAKE(row.site_name);
    f.key = SHARC_TAKE(row.key);
    f.nodes = SHARC_NEW_ARRAY(struct sharc_figure_node, g.room);
    g.parents = SHARC_NEW_ARRAY(sharc_store_id, g.room);
    sharc_map64_init(&g.node_of);
    r = add_pages(&g, t, reterr);
    /* What both have is there already: only missing pages are added. */
    if (r >= 0 && against) r = add_pages(&g, against, reterr);
    if (r >= 0) {
        find_parents(&g);
        root_tree(&g);
        shape(&f, fold_still);
        sharc__figure_layout(f.nodes, f.count);
    }
    growing_done(&g);
    if (r < 0) return r;
    *ret = f;
    f = (struct sharc_figure_graph){0};
    return 0;
}

int sharc_figure_graph(struct sharc_store *s, sharc_store_id capture, sharc_store_id against, bool fold_still,
                       struct sharc_figure_graph *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet t = {0};
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet before = {0};
    SHARC_AUTO(sharc_figure_changes_done) struct sharc_figure_changes c = {0};
    int r = sharc_figure_sheet(s, capture, &t, reterr);
    if (r >= 0 && against) r = sharc_figure_sheet(s, against, &before, reterr);
    if (r >= 0 && against) r = sharc_figure_changes(s, against, capture, &c, reterr);
    if (r < 0) return r;
    return sharc_figure_graph_of(s, &t, against ? &before : NULL, against ? &c : NULL, fold_still, ret, reterr);
}
