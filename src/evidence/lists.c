/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists whose entries all come and go: adverts of which there are none, one or two. Children of a node
 * with one mark are such a list where two downloads have none of them in common. One that stays, a paragraph among
 * paragraphs, makes it no such list.
 */
#include "evidence_int.h"

#include <stdlib.h>

enum { CLIMB = 64, MOST = 200, LARGEST = 20000 };

uint64_t sharc__evidence_list_place(const struct sharc__document *d, uint32_t child)
{
    const struct sharc__node *n = &d->nodes[child];
    return sharc__evidence_mix(sharc__evidence_mix(d->nodes[n->parent].loose, n->mark), UINT64_C(0x6c697374));
}

uint64_t sharc__evidence_list_entry(const struct sharc__node *n)
{
    return sharc__evidence_mix(n->exact, UINT64_C(0x656e747279));
}

/* The child of a node that holds an item, or NONE. */
static uint32_t child_of(const struct sharc__document *d, uint32_t node, uint32_t item)
{
    uint32_t n = d->items[item].node;
    for (unsigned k = 0; n != 0 && k < CLIMB; k++, n = d->nodes[n].parent)
        if (d->nodes[n].parent == node) return n;
    return SHARC__EVIDENCE_NONE;
}

static bool is_blank(const struct sharc__item *it)
{
    return it->leaf != SHARC__EVIDENCE_NONE && sharc__evidence_look(it) == LOOK_SPACE;
}

/* A child that differs, and whether all that does has its mark; white space between children aside. */
static bool find_mark(const struct sharc__document *d, uint32_t node, const bool *differs, uint32_t *child)
{
    for (uint32_t i = d->nodes[node].first; i < d->nodes[node].end; i++) {
        if (!differs[i] || (d->items[i].node == node && is_blank(&d->items[i]))) continue;
        uint32_t now = child_of(d, node, i);
        if (now == SHARC__EVIDENCE_NONE) return false;
        *child = now;
        return true;
    }
    return true;
}

static bool is_all_of_mark(const struct sharc__document *d, uint32_t node, const bool *differs, uint64_t mark)
{
    uint32_t last = SHARC__EVIDENCE_NONE;
    for (uint32_t i = d->nodes[node].first; i < d->nodes[node].end; i++) {
        const struct sharc__item *it = &d->items[i];
        if (!differs[i] || it->node == last || (it->node == node && is_blank(it))) continue;
        uint32_t child = child_of(d, node, i);
        if (child == SHARC__EVIDENCE_NONE || d->nodes[child].mark != mark) return false;
        last = it->node;
    }
    return true;
}

/* Values of the children with a mark. SIZE_MAX: too many. */
static size_t values_of(const struct sharc__document *d, uint32_t node, uint64_t mark, uint64_t *values)
{
    size_t n = 0;
    for (uint32_t k = node + 1; k < d->node_count && d->nodes[k].first < d->nodes[node].end; k++) {
        const struct sharc__node *child = &d->nodes[k];
        if (child->parent != node || child->mark != mark) continue;
        if (n == MOST) return SIZE_MAX;
        values[n++] = sharc__evidence_value(d->items + child->first, child->end - child->first);
    }
    return n;
}

/* The value of all of them together, numbers and random tokens aside. It costs a look at every word. */
static uint64_t masked_value(const struct sharc__document *d, uint32_t node, uint64_t mark)
{
    uint64_t masked = 0;
    for (uint32_t k = node + 1; k < d->node_count && d->nodes[k].first < d->nodes[node].end; k++) {
        const struct sharc__node *child = &d->nodes[k];
        if (child->parent != node || child->mark != mark) continue;
        for (uint32_t i = child->first; i < child->end; i++)
            masked = sharc__evidence_mix(masked, sharc__evidence_norm(&d->items[i]));
    }
    return masked;
}

bool sharc__evidence_none_stays(const struct sharc__comparison *c, uint32_t a, uint32_t b, uint64_t mark)
{
    uint64_t before[MOST], after[MOST];
    if (c->a.nodes[a].end - c->a.nodes[a].first > LARGEST || c->b.nodes[b].end - c->b.nodes[b].first > LARGEST)
        return false;
    size_t n = values_of(&c->a, a, mark, before);
    size_t m = values_of(&c->b, b, mark, after);
    if (n == SIZE_MAX || m == SIZE_MAX) return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            if (before[i] == after[j]) return false;
    return true;
}

bool sharc__evidence_is_fresh(const struct sharc__comparison *c, const struct sharc__home *h, uint64_t *ret_place,
                              uint64_t *ret_before, uint64_t *ret_after)
{
    uint32_t x = SHARC__EVIDENCE_NONE, y = SHARC__EVIDENCE_NONE;
    if (h->a == 0 || !find_mark(&c->a, h->a, c->goes, &x) || !find_mark(&c->b, h->b, c->comes, &y)) return false;
    if (x == SHARC__EVIDENCE_NONE && y == SHARC__EVIDENCE_NONE) return false;
    uint64_t mark = x != SHARC__EVIDENCE_NONE ? c->a.nodes[x].mark : c->b.nodes[y].mark;
    if (!is_all_of_mark(&c->a, h->a, c->goes, mark) || !is_all_of_mark(&c->b, h->b, c->comes, mark)) return false;
    if (!sharc__evidence_none_stays(c, h->a, h->b, mark)) return false;
    *ret_before = masked_value(&c->a, h->a, mark);
    *ret_after = masked_value(&c->b, h->b, mark);
    *ret_place =
        x != SHARC__EVIDENCE_NONE ? sharc__evidence_list_place(&c->a, x) : sharc__evidence_list_place(&c->b, y);
    return true;
}
