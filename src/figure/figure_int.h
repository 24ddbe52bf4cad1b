/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room figure share.
 */
#ifndef SHARC_FIGURE_INT_H
#define SHARC_FIGURE_INT_H

#include "sharc/figure.h"
#include "sharc/figure_sheet.h"

#include <math.h>

/* Texts of one figure: 100,000 URLs take some 10 MB. */
#define FIGURE_TEXTS_MAX ((size_t)2 << 30)

/* One row of struct sharc_store_capture that stays. */
struct figure_capture {
    sharc_store_id id, site;
    char *key, *site_name, *strategy;
    sharc_time start, end, known_from, known_to;
};
int sharc__figure_capture(struct sharc_store *s, sharc_store_id id, struct figure_capture *ret,
                          struct sharc_err *reterr);
void sharc__figure_capture_done(struct figure_capture *c);

/* The pages of a capture by URL number. */
struct figure_pages {
    sharc_store_id *id;
    uint8_t *kind;   /* enum sharc_figure_kind */
    uint32_t *links; /* of each page */
    size_t count;
    uint64_t link_count;
    sharc_time first, last; /* begin of the first, end of the last download; SHARC_TIME_NONE: none */
};
int sharc__figure_pages(struct sharc_store *s, sharc_store_id capture, struct figure_pages *ret,
                        struct sharc_err *reterr);
void sharc__figure_pages_done(struct figure_pages *p);

/* Walk all pairs of two captures that are not simply unchanged, bare; alike: with the signatures of what changed.
 * A negative result of fn ends it. */
typedef int figure_pair_fn(void *arg, const struct sharc_store_pair *pair, struct sharc_err *reterr);
int sharc__figure_changes(struct sharc_store *s, sharc_store_id a, sharc_store_id b, bool alike, figure_pair_fn *fn,
                          void *arg, struct sharc_err *reterr);
/* How alike the texts of both sides are by their signatures; NaN: not to be told. */
double sharc__figure_alike(const struct sharc_store_pair *p);

/* A copy that lives as long as the figure. SHARC_ELIMIT. */
int sharc__figure_keep(struct sharc_arena *texts, struct sharc_span s, struct sharc_span *ret,
                       struct sharc_err *reterr);

/* find.c: where a number stands in a rising column, which must live as long; SHARC_NPOS: nowhere. */
struct figure_finder {
    const sharc_store_id *rising;
    size_t count;
    uint32_t *place; /* by distance to the first, counted from one; NULL: they lie too far apart */
    uint64_t range;
};
void sharc__figure_finder_init(struct figure_finder *f, const sharc_store_id *rising, size_t count);
void sharc__figure_finder_done(struct figure_finder *f);
size_t sharc__figure_find(const struct figure_finder *f, sharc_store_id number);

/* Columns lie one behind the other: the next, of n elements, begins at *at. Wide ones come first, so that each begins
 * where its elements may. */
#define FIGURE_COLUMN(at, column, n)                              \
    do {                                                          \
        SHARC_ASSERT((uintptr_t) * (at) % sizeof *(column) == 0); \
        (column) = *(at);                                         \
        *(at) = (char *)*(at) + (n) * sizeof *(column);           \
    } while (0)

/* seriate.c: order m patterns of `columns` codes each (0: nothing happened) so that neighbours are alike. order[i] is
 * the pattern at place i; group[p] the group of pattern p, counted from 0 in the order of places. The groups' number.
 */
uint32_t sharc__figure_seriate(const uint8_t *patterns, size_t m, size_t columns, uint32_t *order, uint32_t *group);

/* layout.c: depth, x and y of the nodes. */
void sharc__figure_layout(struct sharc_figure_node *nodes, size_t n);

#endif
