/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room diff share: where records lie, and how they are read.
 */
#ifndef SHARC_DIFF_INT_H
#define SHARC_DIFF_INT_H

#include "sharc/base_map.h"
#include "sharc/cdx.h"
#include "sharc/diff.h"
#include "sharc/http.h"
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

/* --- sides: side.c, walk.c ------------------------------------------------------------------ */

/* Walks a side in the order of its keys. */
struct sharc__diff_walk;
int sharc__diff_walk_new(struct sharc_diff_side *s, struct sharc__diff_walk **ret, struct sharc_err *reterr);
void sharc__diff_walk_free(struct sharc__diff_walk *w);
void sharc__diff_walk_freep(struct sharc__diff_walk **w);
/* A page of a side. Its texts live until the next call. */
struct sharc__diff_step {
    struct sharc_span key;
    uint64_t spelling; /* pages of the same key differ in it, and come in its order */
    struct sharc_span url;
    struct sharc_diff_facts facts;
};
/* 1: the next page; 0: no more. */
int sharc__diff_walk_next(struct sharc__diff_walk *w, const struct sharc__diff_memory *m, struct sharc__diff_step *ret,
                          struct sharc_err *reterr);

/* Index keys are in lower case; servers tell /Case from /case. A number for the capitals
 * in the path and query of a URL, as far as they are part of its key: 0 without any. */
uint64_t sharc__diff_spelling(struct sharc_span url, struct sharc_span key);

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

/* --- equal digests: same.c ----------------------------------------------------------- */

#define SHARC__DIFF_CUT_REMARK "the body was cut short when it was archived"

/* Does the record say that its body is not all of it? By WARC-Truncated, or by a
 * Content-Length that promises more than is there. */
bool sharc__diff_is_cut(const struct sharc_record *rec, const struct sharc_http *h);
/* Two records whose payload digests are equal: what that is worth, by their heads.
 * SHARC_DIFF_NO_BASIS: status or type differ, look at them properly. */
enum sharc_diff_basis sharc__diff_basis_of_heads(const struct sharc_diff_facts *before,
                                                 const struct sharc_diff_facts *after);
/* The same for two versions that were read and found to be the same. */
enum sharc_diff_basis sharc__diff_basis_of_versions(const struct sharc_change_verdict *verdict,
                                                    const struct sharc_diff_version *before,
                                                    const struct sharc_diff_version *after);
/* With what the capture itself found: a grade that is proof makes a page the same, one that is none takes it back. */
enum sharc_diff_basis sharc__diff_basis_of_grade(enum sharc_diff_basis basis, enum sharc_grade_reason reason);
/* Count a page. */
void sharc__diff_together_add(struct sharc_diff_together *t, enum sharc_diff_basis basis, sharc_time before,
                              sharc_time after);

/* --- moved pages: moved.c ------------------------------------------------------------- */

/* Find pages whose content stands at another URL now. Entries of pages that are missing
 * or redirected become SHARC_DIFF_MOVED, the new pages that hold their content are no
 * entries of their own any more. */
void sharc__diff_find_moved(struct sharc_diff_set *s, const struct sharc_diff_options *o);

/* --- versions: version.c ------------------------------------------------------------- */

/* The record at an offset of an archive file's bytes. */
int sharc__diff_record_open(struct sharc_span bytes, uint64_t offset, const char *label, struct sharc_warc **ret,
                            struct sharc_record *rec, struct sharc_err *reterr);
/* Read the record that facts point at. sides (two, may be NULL) are asked for
 * originals of revisits, the first one first. label is copied. */
int sharc__diff_version_read(struct sharc_diff_version *v, const struct sharc_diff_facts *f,
                             struct sharc_diff_side *const sides[2], const struct sharc_diff_options *o,
                             struct sharc_err *reterr);

#endif
