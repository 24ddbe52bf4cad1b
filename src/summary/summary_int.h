/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: structs as bytes. One function a struct goes through its members, for writing and for reading, so
 * that both always agree; the version in kept.c is raised whenever such a function changes.
 *
 *   u  number: 7 bits a byte, least first    i  the same, zigzag
 *   d  double: 8 bytes, least first          text  length (u) and bytes
 */
#ifndef SHARC_SUMMARY_INT_H
#define SHARC_SUMMARY_INT_H

#include "sharc/summary.h"

#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/figure_sheet.h"
#include "sharc/store_summary.h"

struct summary_codec {
    struct sharc_buf *out; /* NULL: reading */
    struct sharc_span in;
    struct sharc_buf *plain; /* which `in` is the rest of */
    bool failed;             /* what is read is no such struct */
};

/* codec.c */
void sharc__summary_u64(struct summary_codec *c, uint64_t *x);
void sharc__summary_u32(struct summary_codec *c, uint32_t *x);
void sharc__summary_i64(struct summary_codec *c, int64_t *x);
void sharc__summary_bool(struct summary_codec *c, bool *x);
void sharc__summary_real(struct summary_codec *c, double *x);
void sharc__summary_text(struct summary_codec *c, char **x); /* read: malloc'ed; NULL stays NULL */
void sharc__summary_span(struct summary_codec *c, struct sharc_span *x, struct sharc_arena *arena);
void sharc__summary_bytes(struct summary_codec *c, uint8_t *x, size_t n);
/* Of an array whose elements take at least a byte each: a number that there cannot be is refused before room is made
 * for it. */
void sharc__summary_count(struct summary_codec *c, size_t *x);
/* The place of n bytes that begin at a multiple of eight: for columns of many rows, which are not copied. Reading, the
 * whole buffer becomes *ret_block; free() it. NULL: there are not so many. */
void *sharc__summary_block(struct summary_codec *c, void *x, size_t n, void **ret_block);
/* n elements of `width` bytes, between the order of bytes of this machine and least first. */
void sharc__summary_turn(void *x, size_t n, size_t width);
void sharc__summary_u64s(struct summary_codec *c, uint64_t *x, size_t n);

/* With keep, what is not there is made and kept, and `made` counts it. ret may be NULL then. */
struct summary_making {
    struct sharc_store *store;
    bool keep;
    uint64_t made;
};

/* An enum that must stay below a limit. */
#define WORD(c, x, limit, type)                         \
    do {                                                \
        uint64_t number = (uint64_t)(x);                \
        sharc__summary_u64(c, &number);                 \
        (c)->failed = (c)->failed || number >= (limit); \
        (x) = (type)number;                             \
    } while (0)

/* structs.c */
void sharc__summary_put_verdict(struct summary_codec *c, void *x); /* struct sharc_assess_capture */
void sharc__summary_put_series(struct summary_codec *c, void *x);  /* struct summary_series */
void sharc__summary_put_step(struct summary_codec *c, void *x);    /* struct sharc_figure_step */
void sharc__summary_put_calendar(struct summary_codec *c, void *x);
void sharc__summary_put_subsites(struct summary_codec *c, void *x);
void sharc__summary_put_week(struct summary_codec *c, void *x); /* struct sharc_figure_week */

/* pictures.c: those that have a mark for every page, thinned */
void sharc__summary_put_schedule(struct summary_codec *c, void *x); /* struct sharc_figure_schedule */
void sharc__summary_put_points(struct summary_codec *c, void *x);   /* struct sharc_figure_pair */
void sharc__summary_put_graph(struct summary_codec *c, void *x);    /* struct sharc_figure_graph */
/* Keep the pictures of a capture, and those against the one before it (0: there is none). */
int sharc__summary_pictures(struct summary_making *m, sharc_store_id before, sharc_store_id capture,
                            struct sharc_err *reterr);

/* sheet.c */
void sharc__summary_put_sheet(struct summary_codec *c, void *x);   /* struct sharc_figure_sheet */
void sharc__summary_put_changes(struct summary_codec *c, void *x); /* struct sharc_figure_changes */
void sharc__summary_put_prints(struct summary_codec *c, void *x);  /* struct sharc_figure_prints */

struct summary_series {
    bool several;
    struct sharc_assess_series series;
};

typedef void summary_struct_fn(struct summary_codec *c, void *x);

/* kept.c: a struct of that name about a capture, which rests on `captures` (n 0: on all), if it is there and current.
 * key gets its version and stamp, to keep it under. 1: x, unless it is NULL, is filled; 0: it may be half filled. */
int sharc__summary_find(struct sharc_store *s, struct sharc_store_summary *key, const sharc_store_id *captures,
                        size_t n, summary_struct_fn *fn, void *x, struct sharc_err *reterr);
int sharc__summary_keep(struct sharc_store *s, const struct sharc_store_summary *key, summary_struct_fn *fn, void *x,
                        struct sharc_err *reterr);

/* What is found, or made now and, if m keeps, kept: with the last of the captures, on which it rests. x is empty
 * (done() may leave it so), and is so again when this fails. Not `filled`: x stays empty when it is kept already. */
struct summary_kind {
    const char *name;
    summary_struct_fn *put;
    int (*make)(struct sharc_store *s, const sharc_store_id *captures, size_t n, void *x, struct sharc_err *reterr);
    void (*done)(void *x);
    bool only_to_keep; /* whoever does not keep it can do without: x stays empty */
};
int sharc__summary_obtain(struct summary_making *m, const struct summary_kind *k, const sharc_store_id *captures,
                          size_t n, bool filled, void *x, struct sharc_err *reterr);

/* One version for all: nothing is lost when a struct that did not change is made again. */
enum { SUMMARY_VERSION = 3 };

/* verdict.c, steps.c, sheet.c */
int sharc__summary_verdict(struct summary_making *m, sharc_store_id capture, struct sharc_assess_capture *ret,
                           struct sharc_err *reterr);
int sharc__summary_series(struct summary_making *m, sharc_store_id capture, struct summary_series *ret,
                          struct sharc_err *reterr);
/* The i-th step of the captures. */
int sharc__summary_step(struct summary_making *m, const sharc_store_id *captures, size_t i,
                        struct sharc_figure_step *ret, struct sharc_err *reterr);
int sharc__summary_calendar(struct summary_making *m, const sharc_store_id *captures, size_t n, size_t most,
                            struct sharc_figure_calendar *ret, struct sharc_err *reterr);
int sharc__summary_subsites(struct summary_making *m, const sharc_store_id *captures, size_t n,
                            struct sharc_figure_subsites *ret, struct sharc_err *reterr);
int sharc__summary_week(struct summary_making *m, sharc_store_id site, struct sharc_figure_week *ret,
                        struct sharc_err *reterr);
int sharc__summary_sheet(struct summary_making *m, sharc_store_id capture, struct sharc_figure_sheet *ret,
                         struct sharc_err *reterr);
/* Of two that follow each other; 0 and nothing in *ret: it is not kept, and m does not keep. */
int sharc__summary_changes(struct summary_making *m, sharc_store_id a, sharc_store_id b,
                           struct sharc_figure_changes *ret, struct sharc_err *reterr);
int sharc__summary_prints(struct summary_making *m, sharc_store_id capture, struct sharc_figure_prints *ret,
                          struct sharc_err *reterr);

#endif
