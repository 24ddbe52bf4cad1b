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
#include "sharc/store_summary.h"

struct summary_codec {
    struct sharc_buf *out; /* NULL: reading */
    struct sharc_span in;
    bool failed; /* what is read is no such struct */
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
void sharc__summary_u64s(struct summary_codec *c, uint64_t *x, size_t n);

/* structs.c */
void sharc__summary_put_verdict(struct summary_codec *c, void *x); /* struct sharc_assess_capture */
void sharc__summary_put_series(struct summary_codec *c, void *x);  /* struct summary_series */
void sharc__summary_put_step(struct summary_codec *c, void *x);    /* struct sharc_figure_step */
void sharc__summary_put_calendar(struct summary_codec *c, void *x);
void sharc__summary_put_subsites(struct summary_codec *c, void *x);

struct summary_series {
    bool several;
    struct sharc_assess_series series;
};

typedef void summary_struct_fn(struct summary_codec *c, void *x);

/* kept.c: a struct of that name about a capture, which rests on `captures` (n 0: on all), if it is there and current.
 * key gets its version and stamp, to keep it under. 1: x is filled; 0: it may be half filled. */
int sharc__summary_find(struct sharc_store *s, struct sharc_store_summary *key, const sharc_store_id *captures,
                        size_t n, summary_struct_fn *fn, void *x, struct sharc_err *reterr);
int sharc__summary_keep(struct sharc_store *s, const struct sharc_store_summary *key, summary_struct_fn *fn, void *x,
                        struct sharc_err *reterr);

/* One version for all: nothing is lost when a struct that did not change is made again. */
enum { SUMMARY_VERSION = 1 };

/* verdict.c, steps.c: with keep, what is not there is made and kept, and `made` counts it. ret of a verdict and
 * a calendar may be NULL then. */
struct summary_making {
    struct sharc_store *store;
    bool keep;
    uint64_t made;
};
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

#endif
