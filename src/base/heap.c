/* SPDX-License-Identifier: Apache-2.0
 *
 * A heap with four children per node: half the depth of a binary one, and the
 * four siblings share one or two cache lines.
 */
#include "sharc/base_order.h"

#include <stdlib.h>

#define ARITY 4

static bool before(const struct sharc_heap_item *a, const struct sharc_heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

void sharc_heap_init(struct sharc_heap *h)
{
    *h = (struct sharc_heap){0};
}

void sharc_heap_done(struct sharc_heap *h)
{
    free(h->items);
    *h = (struct sharc_heap){0};
}

void sharc_heap_push(struct sharc_heap *h, double key, uint64_t tie, uint64_t value)
{
    SHARC_GROW(h->items, h->room, h->count + 1);
    struct sharc_heap_item item = {key, tie, value};
    size_t i = h->count++;
    while (i > 0) {
        size_t parent = (i - 1) / ARITY;
        if (!before(&item, &h->items[parent])) break;
        h->items[i] = h->items[parent];
        i = parent;
    }
    h->items[i] = item;
}

bool sharc_heap_peek(const struct sharc_heap *h, struct sharc_heap_item *ret)
{
    if (h->count == 0) return false;
    *ret = h->items[0];
    return true;
}

bool sharc_heap_pop(struct sharc_heap *h, struct sharc_heap_item *ret)
{
    if (!sharc_heap_peek(h, ret)) return false;
    struct sharc_heap_item item = h->items[--h->count]; /* to be put where the hole ends */
    size_t i = 0;
    for (;;) {
        size_t child = i * ARITY + 1;
        if (child >= h->count) break;
        size_t end = child + ARITY < h->count ? child + ARITY : h->count, best = child;
        for (size_t c = child + 1; c < end; c++) {
            if (before(&h->items[c], &h->items[best])) best = c;
        }
        if (!before(&h->items[best], &item)) break;
        h->items[i] = h->items[best];
        i = best;
    }
    h->items[i] = item;
    return true;
}
