/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents: items, the nodes and leaves they stand in, and the places of those.
 */
#include "evidence_int.h"

#include <stdlib.h>

enum { ARENA_MOST = 512 << 20 };

void sharc__evidence_document_init(struct sharc__document *d)
{
    *d = (struct sharc__document){.leaf = SHARC__EVIDENCE_NONE};
    sharc_map64_init(&d->twins);
    sharc_arena_init(&d->arena, ARENA_MOST);
    sharc_buf_init(&d->text, ARENA_MOST);
    SHARC_GROW(d->nodes, d->node_room, 1);
    d->nodes[d->node_count++] = (struct sharc__node){.parent = SHARC__EVIDENCE_NONE, .mark = 1, .loose = 1, .exact = 1};
}

void sharc__evidence_document_done(struct sharc__document *d)
{
    free(d->items);
    free(d->nodes);
    free(d->leaves);
    free(d->prefix);
    sharc_map64_done(&d->twins);
    sharc_arena_done(&d->arena);
    sharc_buf_done(&d->text);
}

struct sharc_span sharc__evidence_keep(struct sharc__document *d, struct sharc_span s)
{
    struct sharc_span kept = sharc_arena_copy(&d->arena, s);
    if (!kept.p) d->full = true;
    return kept;
}

/* How many there were before of that mark in that node. */
static uint32_t count_twin(struct sharc__document *d, uint32_t node, uint64_t mark)
{
    return (uint32_t)(*sharc_map64_at(&d->twins, sharc__evidence_mix(mark, node)))++;
}

static uint64_t twins_of(const struct sharc__document *d, uint32_t node, uint64_t mark)
{
    const uint64_t *n = sharc_map64_find(&d->twins, sharc__evidence_mix(mark, node));
    return n ? *n : 0;
}

void sharc__evidence_open(struct sharc__document *d, uint64_t mark, struct sharc_span label)
{
    if (d->node_count >= SHARC_EVIDENCE_ITEMS) {
        d->full = true;
        return;
    }
    SHARC_GROW(d->nodes, d->node_room, d->node_count + 1);
    struct sharc__node *parent = &d->nodes[d->at];
    struct sharc__node *n = &d->nodes[d->node_count];
    *n = (struct sharc__node){.parent = d->at,
                              .first = (uint32_t)d->count,
                              .mark = mark,
                              .loose = sharc__evidence_mix(parent->loose, mark),
                              .label = label};
    parent->children++;
    d->at = (uint32_t)d->node_count++;
}

void sharc__evidence_close(struct sharc__document *d)
{
    if (d->at == 0) return;
    d->nodes[d->at].end = (uint32_t)d->count;
    d->at = d->nodes[d->at].parent;
}

void sharc__evidence_leaf_begin(struct sharc__document *d, enum sharc_hunk_kind kind, uint64_t mark,
                                struct sharc_span label)
{
    if (d->leaf_count >= SHARC_EVIDENCE_ITEMS) {
        d->full = true;
        return;
    }
    mark = sharc__evidence_mix(mark, 256 + (uint64_t)kind);
    SHARC_GROW(d->leaves, d->leaf_room, d->leaf_count + 1);
    d->leaves[d->leaf_count] = (struct sharc__leaf){.node = d->at,
                                                    .first = (uint32_t)d->count,
                                                    .mark = mark,
                                                    .loose = sharc__evidence_mix(d->nodes[d->at].loose, mark),
                                                    .label = label,
                                                    .kind = (uint8_t)kind};
    d->leaf = (uint32_t)d->leaf_count++;
}

void sharc__evidence_leaf_end(struct sharc__document *d)
{
    if (d->leaf == SHARC__EVIDENCE_NONE) return;
    struct sharc__leaf *l = &d->leaves[d->leaf];
    l->count = (uint32_t)d->count - l->first;
    d->leaf = SHARC__EVIDENCE_NONE;
}

void sharc__evidence_put(struct sharc__document *d, enum sharc_hunk_kind kind, struct sharc_span bytes,
                         enum sharc__look look, bool visible)
{
    if (d->count >= SHARC_EVIDENCE_ITEMS || bytes.n > UINT32_MAX) {
        d->full = true;
        return;
    }
    SHARC_GROW(d->items, d->room, d->count + 1);
    uint64_t seed = 1000 + 2 * (uint64_t)kind + (d->leaf == SHARC__EVIDENCE_NONE);
    d->items[d->count++] = (struct sharc__item){.print = sharc_fingerprint(bytes, seed),
                                                .p = bytes.p,
                                                .n = (uint32_t)bytes.n,
                                                .node = d->at,
                                                .leaf = d->leaf,
                                                .kind = (uint8_t)kind,
                                                .look = (uint8_t)look,
                                                .visible = visible};
    d->words += visible;
}

static bool is_blank(struct sharc_span s)
{
    return sharc_is_space(s.p[s.n - 1]); /* white space stands before a token, or alone */
}

void sharc__evidence_put_tokens(struct sharc__document *d, enum sharc_hunk_kind kind, struct sharc_span s,
                                bool by_space, bool visible)
{
    while (s.n && !d->full) {
        size_t n = sharc__evidence_token(s, by_space);
        struct sharc_span token = sharc_span_sub(s, 0, n);
        sharc__evidence_put(d, kind, token, LOOK_NOT_YET, visible && !is_blank(token));
        s = sharc_span_from(s, n);
    }
}

/* A polynomial, so that sums of a beginning give those of any stretch. */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

uint64_t sharc__evidence_stretch(const struct sharc__document *d, uint32_t first, uint32_t end)
{
    uint64_t power = 1, base = BASE;
    for (uint32_t n = end - first; n; n >>= 1, base *= base)
        if (n & 1) power *= base;
    return d->prefix[end] - d->prefix[first] * power;
}

static void sum_up(struct sharc__document *d)
{
    d->prefix = SHARC_NEW_ARRAY(uint64_t, d->count + 1);
    for (size_t i = 0; i < d->count; i++) d->prefix[i + 1] = d->prefix[i] * BASE + d->items[i].print;
    for (size_t i = 0; i < d->leaf_count; i++) {
        const struct sharc__leaf *l = &d->leaves[i];
        d->nodes[l->node].mixed +=
            sharc__evidence_mix(l->mark, sharc__evidence_stretch(d, l->first, l->first + l->count));
    }
    for (size_t i = 1; i < d->node_count; i++) {
        const struct sharc__node *n = &d->nodes[i];
        d->nodes[n->parent].mixed += sharc__evidence_mix(n->mark, sharc__evidence_stretch(d, n->first, n->end));
    }
}

void sharc__evidence_document_close(struct sharc__document *d)
{
    sharc__evidence_leaf_end(d);
    while (d->at != 0) sharc__evidence_close(d);
    d->nodes[0].end = (uint32_t)d->count;
}

void sharc__evidence_document_finish(struct sharc__document *d)
{
    for (size_t i = 1; i < d->node_count; i++)
        d->nodes[i].ordinal = count_twin(d, d->nodes[i].parent, d->nodes[i].mark);
    for (size_t i = 0; i < d->leaf_count; i++)
        d->leaves[i].ordinal = count_twin(d, d->leaves[i].node, d->leaves[i].mark);
    for (size_t i = 1; i < d->node_count; i++) {
        struct sharc__node *n = &d->nodes[i];
        uint64_t position = (uint64_t)n->ordinal << 32 | twins_of(d, n->parent, n->mark);
        n->exact = sharc__evidence_mix(sharc__evidence_mix(d->nodes[n->parent].exact, n->mark), position);
    }
    for (size_t i = 0; i < d->leaf_count; i++) {
        struct sharc__leaf *l = &d->leaves[i];
        const struct sharc__node *n = &d->nodes[l->node];
        uint64_t position = (uint64_t)l->ordinal << 32 | twins_of(d, l->node, l->mark);
        l->exact = sharc__evidence_mix(sharc__evidence_mix(n->exact, l->mark), position);
        l->exact = sharc__evidence_mix(l->exact, n->children);
    }
    sum_up(d);
}
