/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows from the rows of captures and is asked for again and again, kept beside them: sums, verdicts, series.
 * Derived data: it can be taken away at any time, and is made again.
 *
 * A summary is never older than the rows it was made of. Every transaction that writes rows of a capture gives the
 * capture a new revision, a random number; a stamp is a digest over the revisions of all captures that a summary rests
 * on. Whoever makes one asks for the stamp first and reads the rows then: should somebody write in between, the stamp
 * is an old one, and the summary is never used.
 *
 *   r = sharc_store_stamp(store, captures, n, &stamp, &err);
 *   r = sharc_store_summary_get(store, &(struct sharc_store_summary){capture, "verdict", 1, stamp}, &bytes, &err);
 *   if (r == 0) …make it, and sharc_store_summary_put…
 */
#ifndef SHARC_STORE_SUMMARY_H
#define SHARC_STORE_SUMMARY_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

/* Of these captures in this order; n 0: of all there are. A capture that is not there counts as such. */
int sharc_store_stamp(struct sharc_store *s, const sharc_store_id *captures, size_t n, uint64_t *ret,
                      struct sharc_err *reterr);

struct sharc_store_summary {
    sharc_store_id capture; /* that it is about; gone with it */
    const char *name;
    uint32_t version; /* of its bytes: those of another one are not read */
    uint64_t stamp;
};
/* 1: appended to out, unless that is NULL; 0: there is none with that version and stamp. */
int sharc_store_summary_get(struct sharc_store *s, const struct sharc_store_summary *summary, struct sharc_buf *out,
                            struct sharc_err *reterr);
/* Replaces the one with that name. Of a capture that is not there nothing is kept. */
int sharc_store_summary_put(struct sharc_store *s, const struct sharc_store_summary *summary, struct sharc_span data,
                            struct sharc_err *reterr);

/* Keep what sharc_store_capture_sum and sharc_store_grade_counts tell of a capture, so that both need not read its
 * pages. 1: it was made; 0: it was there. */
int sharc_store_counts_keep(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
