/* SPDX-License-Identifier: Apache-2.0
 *
 * The spanning tree of a capture, coloured by what changed; branches in which nothing did become one
 * node each.
 */
#include "figure_int.h"
#include "sharc/base_map.h"

#include <stdlib.h>

#define NONE UINT32_MAX
#define WHOLE_MOST 2000 /* pages that are drawn one by one where none changed */

struct growing {
    struct sharc_figure_graph *f;
    size_t room;
    sharc_store_id *parents; /* URL numbers; 0: none */
    size_t parent_room;
    struct sharc_map64 node_of;  /* URL number -> 1 + index */
    struct sharc_map64 class_of; /* URL number -> 1 + class, of pages that did not simply stand still */
    size_t missing;
};

static void growing_done(struct growing *g)
{
    free(g->parents);
    sharc_map64_done(&g->node_of);
    sharc_map64_done(&g->class_of);
}

/* --- pages ---------------------------------------------------------------------------------------------- */

static int note_class(void *arg, const struct sharc_store_pair *p, struct sharc_err *reterr)
{
    struct growing *g = arg;
    (void)reterr;
    *sharc_map64_at(&g->class_of, (uint64_t)p->url_id) = (uint64_t)sharc_figure_class_of_pair(p) + 1;
    g->missing += !p->in_b;
    return 0;
}

static int add_page(struct growing *g, const struct sharc_store_page *p, struct sharc_err *reterr)
{
    struct sharc_figure_graph *f = g->f;
    uint64_t *at = sharc_map64_at(&g->node_of, (uint64_t)p->url_id);
    if (*at) return 0;
    const uint64_t *known = sharc_map64_find(&g->class_of, (uint64_t)p->url_id);
    SHARC_GROW(f->nodes, g->room, f->count + 1);
    SHARC_GROW(g->parents, g->parent_room, f->count + 1);
    struct sharc_figure_node *n = &f->nodes[f->count];
    *n = (struct sharc_figure_node){
        .url_id = p->url_id,
        .kind = sharc_figure_kind_of(p->mime),
        .reason = f->against ? SHARC_GRADED_NOT_GRADED : p->grade.reason,
        .pages = 1,
    };
    if (f->against)
        n->change = known && *known ? (enum sharc_figure_class)(*known - 1) : SHARC_FIGURE_UNCHANGED;
    else
        n->change = sharc_figure_class_of_grade(p->grade.reason);
    g->parents[f->count] = p->parent_id;
    f->all[n->change]++;
    f->pages++;
    *at = ++f->count;
    return sharc__figure_keep(&f->texts, p->url, &n->url, reterr);
}

/* Those that are not there yet. */
static int read_pages(struct sharc_store *s, struct growing *g, sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_page_filter filter = {.capture = capture, .grades = !g->f->against};
    struct sharc_store_page page;
    int r = sharc_store_pages(s, &filter, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &page);
        r = add_page(g, &page, reterr);
    }
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
    SHARC_GROW(f->nodes, g->room, f->count + 1);
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

static int grow(struct sharc_store *s, struct growing *g, struct sharc_err *reterr)
{
    struct sharc_figure_graph *f = g->f;
    int r = f->against ? sharc__figure_changes(s, f->against, f->capture, false, note_class, g, reterr) : 0;
    if (r >= 0) r = read_pages(s, g, f->capture, reterr);
    /* What both have is there already: only missing pages are added. */
    if (r >= 0 && f->against && g->missing) r = read_pages(s, g, f->against, reterr);
    if (r < 0) return r;
    find_parents(g);
    root_tree(g);
    return 0;
}

int sharc_figure_graph(struct sharc_store *s, sharc_store_id capture, sharc_store_id against, bool fold_still,
                       struct sharc_figure_graph *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph f = {.capture = capture, .against = against};
    struct growing g = {.f = &f};
    f.texts.max = FIGURE_TEXTS_MAX;
    int r = sharc__figure_capture(s, capture, &c, reterr);
    if (r < 0) return r;
    f.site = SHARC_TAKE(c.site_name);
    f.key = SHARC_TAKE(c.key);
    sharc_map64_init(&g.node_of);
    sharc_map64_init(&g.class_of);
    r = grow(s, &g, reterr);
    growing_done(&g);
    if (r < 0) return r;
    shape(&f, fold_still);
    sharc__figure_layout(f.nodes, f.count);
    *ret = f;
    f = (struct sharc_figure_graph){0};
    return 0;
}
