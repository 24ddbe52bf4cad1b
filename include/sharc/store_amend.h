/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said about pages after they were written, when a capture is whole:
 * which revisit records belong to which visits and originals, how pages were
 * reached, what changed. Each call is one transaction, may be repeated, and
 * changes nothing the second time. Meant for a capture that nobody else writes
 * to meanwhile.
 */
#ifndef SHARC_STORE_AMEND_H
#define SHARC_STORE_AMEND_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/store.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

SHARC_PRIVATE_BEGIN

/* An import does not know yet whether the visit that a revisit record repeats is in the same
 * capture, and puts it as a look of the kind REVISIT. Now: one without a page
 * becomes the page's visit (with status 304 NOT_MODIFIED, else IDENTICAL), and one that is not later than its page's
 * visit goes. Looks that nobody has compared with
 * the visit are, by digest, text digest and status. *ret_looks: second looks and revisits left. */
int sharc_store_settle_revisits(struct sharc_store *s, sharc_store_id capture, uint64_t *ret_looks,
                                struct sharc_err *reterr);

/* Pages of the capture that are revisit records take over what their originals have (where
 * the body lies, type, size, text digest, redirect, what was extracted, links). The
 * original is the newest response not later than the revisit with the same URL and payload digest, else
 * with the same digest, else, for a revisit without digest, with the same URL. *ret_open: those left
 * without. Looks without a body then get the size of the download of their page that has their digest. O(revisits and
 * the captures of their URLs). */
int sharc_store_resolve_revisits(struct sharc_store *s, sharc_store_id capture, uint64_t *ret_revisits,
                                 uint64_t *ret_open, struct sharc_err *reterr);
/* The same for one page whose original is known by URL and time (to the second; SHARC_TIME_NONE: the
 * newest not later than the revisit). SHARC_ENOENT: there is none. */
int sharc_store_resolve_revisit(struct sharc_store *s, sharc_store_id capture, sharc_store_id url,
                                struct sharc_span original, sharc_time when, struct sharc_err *reterr);

/* How a page was reached, and how it differs from the capture before. */
struct sharc_store_way {
    sharc_store_id url;
    sharc_store_id parent; /* 0: none */
    int hops;              /* < 0: unknown */
};
int sharc_store_amend_ways(struct sharc_store *s, sharc_store_id capture, const struct sharc_store_way *ways, size_t n,
                           struct sharc_err *reterr);
struct sharc_store_verdict {
    sharc_store_id url;
    enum sharc_change_class change; /* of the visit */
    double importance;
};
int sharc_store_amend_changes(struct sharc_store *s, sharc_store_id capture, const struct sharc_store_verdict *verdicts,
                              size_t n, struct sharc_err *reterr);

/* Two captures that turned out to be one: everything of `from` goes to `into`, of a page that is in both the later
 * visit stays (the other is skipped, "repeated"), `into` gets the times of both, `from` is gone. */
int sharc_store_capture_merge(struct sharc_store *s, sharc_store_id from, sharc_store_id into,
                              struct sharc_err *reterr);

/* A WARC file has another name now. SHARC_EDB when that belongs to another one. */
int sharc_store_warc_rename(struct sharc_store *s, sharc_store_id warc, struct sharc_span name,
                            struct sharc_err *reterr);

/* Everything that points into WARC files: visits and looks, by file number, then offset. */
struct sharc_store_pointer {
    sharc_store_id warc, capture, url_id;
    uint64_t offset, length;
    struct sharc_span url;
    sharc_time when;
    struct sharc_digest digest;
    enum sharc_look_kind kind;
};
int sharc_store_pointers(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_pointer(struct sharc_store_rows *rows, struct sharc_store_pointer *ret);

SHARC_PRIVATE_END
#endif
