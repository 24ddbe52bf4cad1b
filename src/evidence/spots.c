/* SPDX-License-Identifier: Apache-2.0
 *
 * The spots of a page: every token that no person wrote, every leaf with words, the order of
 * children.
 */
#include "evidence_int.h"

#include <stdlib.h>

void sharc_places_done(struct sharc_places *p)
{
    free(p->spots);
    *p = (struct sharc_places)SHARC_PLACES_INIT;
}

static int by_place(const void *a, const void *b)
{
    const struct sharc_spot *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->leaf != y->leaf) return x->leaf < y->leaf ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void put(struct sharc_places *p, size_t *room, struct sharc_spot s)
{
    SHARC_GROW(p->spots, *room, p->count + 1);
    p->spots[p->count++] = s;
}

static void collect(const struct sharc__document *d, struct sharc_places *p)
{
    size_t room = 0;
    for (size_t k = 0; k < d->leaf_count; k++) {
        const struct sharc__leaf *l = &d->leaves[k];
        uint64_t value = sharc__evidence_value(d->items + l->first, l->count);
        put(p, &room, (struct sharc_spot){sharc__evidence_leaf_place(l->loose), value, l->exact});
        for (uint32_t i = l->first; i < l->first + l->count; i++)
            if (sharc__evidence_moves(sharc__evidence_look(&d->items[i])))
                put(p, &room, (struct sharc_spot){sharc__evidence_spot(d, i), d->items[i].print, l->exact});
    }
    /* an order has no pool that it could be drawn from: one that stood still is enough */
    for (size_t k = 0; k < d->node_count; k++) {
        const struct sharc__node *n = &d->nodes[k];
        uint64_t order = n->children > 1 ? sharc__evidence_stretch(d, n->first, n->end) : 0;
        if (n->children > 1) put(p, &room, (struct sharc_spot){sharc__evidence_order_place(n->loose), order, n->exact});
    }
    /* nor has the entry of a list that stays */
    for (uint32_t k = 1; k < d->node_count; k++)
        put(p, &room,
            (struct sharc_spot){sharc__evidence_list_place(d, k), 1, sharc__evidence_list_entry(&d->nodes[k])});
    if (p->count > 1) qsort(p->spots, p->count, sizeof *p->spots, by_place);
}

int sharc_evidence_places(const struct sharc_answer *a, struct sharc_places *ret, struct sharc_err *reterr)
{
    (void)reterr;
    struct sharc__document d;
    sharc_places_done(ret);
    sharc__evidence_document_init(&d);
    if (sharc__evidence_read(&d, a)) {
        sharc__evidence_document_finish(&d);
        collect(&d, ret);
    }
    sharc__evidence_document_done(&d);
    return 0;
}
