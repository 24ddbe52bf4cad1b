/* SPDX-License-Identifier: Apache-2.0
 *
 * What people decided about the pages of a capture: approved, rejected, a note, by whom and when. One row a
 * page, the last decision; a page nobody looked at has none. A review says nothing about what a capture proves: that
 * is the grade's business.
 */
#ifndef SHARC_STORE_REVIEW_H
#define SHARC_STORE_REVIEW_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store.h"
#include "sharc/store_query.h"

SHARC_PRIVATE_BEGIN

/* Catalogues hold the numbers: append, never change. name, word */
#define SHARC_REVIEW_STATES(X)                            \
    X(OPEN, "open") /* nobody decided; may have a note */ \
    X(APPROVED, "approved")                               \
    X(REJECTED, "rejected")

enum sharc_review_state {
#define X(name, word) SHARC_REVIEW_##name,
    SHARC_REVIEW_STATES(X)
#undef X
        SHARC_REVIEW_STATE_COUNT,
};
const char *sharc_review_state_word(enum sharc_review_state state);
/* False: there is no such word. */
bool sharc_review_state_of(struct sharc_span word, enum sharc_review_state *ret);

enum { SHARC_REVIEW_NOTE_MAX = 16384, SHARC_REVIEW_WHO_MAX = 256 }; /* bytes */

struct sharc_store_review {
    sharc_store_id capture, url_id;
    struct sharc_span url; /* read only: filled by queries */
    enum sharc_review_state state;
    struct sharc_span note, who; /* may be none; whatever is not UTF-8 is stored as U+FFFD */
    sharc_time when;
};
/* Replace what was decided about a page. OPEN without a note takes the row away. SHARC_ENOENT: the capture has no such
 * page. SHARC_EINVAL: no time, or note or name too long. A transaction of its own. */
int sharc_store_review_put(struct sharc_store *s, const struct sharc_store_review *review, struct sharc_err *reterr);

struct sharc_store_review_filter {
    sharc_store_id capture; /* 0: any */
    sharc_store_id url;     /* 0: any */
    int state;              /* < 0: any */
};
#define SHARC_STORE_REVIEW_FILTER_INIT \
    {                                  \
        .state = -1                    \
    }
/* By capture and URL number. Columns: capture, url_id, url, review, note, who, reviewed. */
int sharc_store_reviews(struct sharc_store *s, const struct sharc_store_review_filter *f, struct sharc_store_rows **ret,
                        struct sharc_err *reterr);
void sharc_store_read_review(struct sharc_store_rows *rows, struct sharc_store_review *ret);
/* Rows of a capture by state; OPEN counts those with a note only. */
int sharc_store_review_counts(struct sharc_store *s, sharc_store_id capture, uint64_t ret[SHARC_REVIEW_STATE_COUNT],
                              struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
