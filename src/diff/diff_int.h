/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room diff share: where records lie, and how they are read.
 */
#ifndef SHARC_DIFF_INT_H
#define SHARC_DIFF_INT_H

#include "sharc/base_map.h"
#include "sharc/cdx.h"
#include "sharc/diff.h"
#include "sharc/url.h"
#include "sharc/wacz.h"
#include "sharc/warc.h"
#include "sharc/warc_inputs.h"

/* Where the links of a plain file without a base are thought to lead: a name that cannot exist (RFC 2606), and that
 * nobody is shown. */
#define SHARC__DIFF_NO_HOST "http://file.invalid"

/* Facts are copied into this memory; names of files once each. */
struct sharc__diff_memory {
    struct sharc_arena *texts;
    struct sharc_intern *names;
};

/* --- sides: side.c ------------------------------------------------------------------ */

/* Walks a side in the order of its keys. */
struct sharc__diff_walk;
int sharc__diff_walk_new(struct sharc_diff_side *s, struct sharc__diff_walk **ret, struct sharc_err *reterr);
void sharc__diff_walk_free(struct sharc__diff_walk *w);
void sharc__diff_walk_freep(struct sharc__diff_walk **w);
/* 1: the next page, its key in *ret_key (until the next call); 0: no more. */
int sharc__diff_walk_next(struct sharc__diff_walk *w, const struct sharc__diff_memory *m, struct sharc_span *ret_key,
                          struct sharc_span *ret_url, struct sharc_diff_facts *ret, struct sharc_err *reterr);

/* The capture of a URL nearest to a time. 1, or 0: none. */
int sharc__diff_side_nearest(struct sharc_diff_side *s, struct sharc_span url, sharc_time when,
                             const struct sharc__diff_memory *m, struct sharc_diff_facts *ret,
                             struct sharc_err *reterr);
/* The record that holds the body of a revisit: of that URL and, where known, with that
 * digest or of that time. Safe from several threads. 1 with bytes and offset, or 0. */
int sharc__diff_side_original(struct sharc_diff_side *s, struct sharc_span url, const struct sharc_digest *digest,
                              sharc_time when, struct sharc_span *ret_bytes, uint64_t *ret_offset);
/* The bytes of an archive file by its name, mapped once. Safe from several threads. */
int sharc__diff_side_file(struct sharc_diff_side *s, const char *path, struct sharc_span *ret,
                          struct sharc_err *reterr);

/* --- versions: version.c ------------------------------------------------------------- */

/* Read the record that facts point at. sides (two, may be NULL) are asked for
 * originals of revisits, the first one first. label is copied. */
int sharc__diff_version_read(struct sharc_diff_version *v, const struct sharc_diff_facts *f,
                             struct sharc_diff_side *const sides[2], const struct sharc_diff_options *o,
                             struct sharc_err *reterr);

#endif
