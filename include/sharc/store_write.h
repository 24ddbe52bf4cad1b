/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing many rows. A batch collects in memory; commit() puts everything into
 * the catalogue in one transaction, together with how far the WARC files are
 * read or written: after a crash either all of it is there or nothing.
 *
 *   sharc_store_batch_new(store, &b);
 *   for each record:
 *       sharc_store_batch_page(b, &page, &err);
 *       sharc_store_batch_warc(b, &warc, &err);        how far that file goes now
 *       if (sharc_store_batch_full(b)) sharc_store_batch_commit(b, &err);
 *   sharc_store_batch_commit(b, &err);
 *
 * Everything here may be repeated: the same row again changes nothing, so a
 * batch whose commit failed (SHARC_ENET, SHARC_EBUSY) is committed again as it
 * is, even when it is unknown whether the first attempt arrived.
 *
 * All spans are copied. URLs are given as text; their numbers are found when
 * the batch is committed, with few questions to the database.
 */
#ifndef SHARC_STORE_WRITE_H
#define SHARC_STORE_WRITE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/change.h"
#include "sharc/change_grade.h"
#include "sharc/store.h"

SHARC_API_BEGIN

/* Where a record lies. */
struct sharc_store_place {
    sharc_store_id warc; /* 0: nowhere */
    uint64_t offset;
    uint64_t length; /* bytes in the file; 0: unknown */
};

enum sharc_look_kind { /* the numbers are those of enum sharc_slot_kind */
                       SHARC_LOOK_VISIT,
                       SHARC_LOOK_SECOND,
                       SHARC_LOOK_REVISIT,
};

#define SHARC_STORE_NO_CHANGE (-1) /* not compared with anything */

/* One link as the catalogue keeps it: the target once per kind, order is not kept. */
struct sharc_store_link {
    struct sharc_span url;
    uint8_t kind; /* enum sharc_link_kind of extract, below 16 */
};

/* One download of one page. Begin with SHARC_STORE_LOOK_INIT: everything unknown. */
struct sharc_store_look {
    sharc_time when;                 /* start of the download; SHARC_TIME_NONE: there was none */
    sharc_time took;                 /* duration; < 0: unknown */
    int64_t slot;                    /* position in the download order; < 0: none */
    int status;                      /* HTTP status; 0: none; < 0: enum sharc_error, why there is none */
    int64_t size;                    /* bytes of the payload; < 0: unknown */
    struct sharc_digest digest;      /* of the payload; n == 0: unknown */
    struct sharc_digest text_digest; /* second looks and revisits: none when the payload is that of an earlier look */
    struct sharc_span etag;          /* cut to SHARC_LIMIT_STORE_DETAIL bytes: a longer one never matches */
    sharc_time last_modified;        /* as sharc_http_last_modified believes it */
    int change;                      /* enum sharc_change_class against the download before, or SHARC_STORE_NO_CHANGE */
    double importance;               /* of that change */
    double rate;                     /* new estimate after it, changes per second; NaN: none */
    struct sharc_store_place place;
    const struct sharc_store_link *links; /* of second looks, for writing; duplicates are fine */
    size_t n_links;
    bool has_links; /* it brought another page than the visit, whose links these are */
};
#define SHARC_STORE_LOOK_INIT                                                                          \
    {                                                                                                  \
        .when = SHARC_TIME_NONE, .took = -1, .slot = -1, .size = -1, .last_modified = SHARC_TIME_NONE, \
        .change = SHARC_STORE_NO_CHANGE, .rate = __builtin_nan("")                                     \
    }

enum sharc_store_record { /* what stands at the visit's place */
                          SHARC_STORE_RESPONSE,
                          SHARC_STORE_IDENTICAL,    /* revisit record, identical payload */
                          SHARC_STORE_NOT_MODIFIED, /* revisit record, 304 */
                          SHARC_STORE_RESOURCE,
};

/* What visit and revisit of a page show about the time between them. */
struct sharc_store_grade {
    enum sharc_grade_reason reason; /* SHARC_GRADED_NOT_GRADED: the catalogue says nothing */
    sharc_time from, to;            /* end of the visit, start of the revisit; SHARC_TIME_NONE: none */
    struct sharc_span detail;       /* what differed, or the volatile parts in short; may be none */
};
#define SHARC_STORE_GRADE_INIT                         \
    {                                                  \
        .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE \
    }

/* A place at which pages of a site differ from request to request, as control downloads showed:
 * a hint for the next capture, which confirms it before it is used. */
struct sharc_store_volatile {
    sharc_store_id site;
    uint64_t signature;     /* kind and place in the structure */
    struct sharc_span kind; /* "text", "attribute", … */
    struct sharc_span text; /* the place, for people; may be none */
    uint64_t pairs;         /* of control downloads, over all captures */
    uint64_t differed;      /* those of them that differed there */
    sharc_time first, last; /* when that was seen */
};

/* A page of a capture. Begin with SHARC_STORE_PAGE_INIT. */
struct sharc_store_page {
    sharc_store_id capture;
    struct sharc_span url;
    struct sharc_span parent;   /* URL of the page it was found on first; none for seeds */
    struct sharc_span redirect; /* where it redirects to, absolute; may be none */
    int hops;                   /* from the seed; < 0: unknown */
    bool hopeless;              /* the strategy has given up on its coherence */
    double planned_rate;        /* changes per second that the plan used; NaN: none */
    double weight;              /* 1 by default */

    struct sharc_store_look visit;
    struct sharc_store_look second, revisit; /* filled by queries; written by sharc_store_batch_look */
    struct sharc_store_grade grade;          /* filled by queries; written by sharc_store_batch_grade */
    enum sharc_store_record record;
    struct sharc_store_place body; /* where the payload lies when not in the record itself (revisit records) */

    /* What was extracted; may all be unknown. */
    struct sharc_span mime;                   /* without parameters, lower case; cut to SHARC_LIMIT_STORE_SHORT bytes */
    struct sharc_span title;                  /* cut to SHARC_LIMIT_STORE_TITLE bytes */
    struct sharc_span minhash;                /* SHARC_CHANGE_MINHASH uint32_t in memory order (little endian) */
    sharc_time stated;                        /* date the page gives itself; SHARC_TIME_NONE */
    int64_t words, images, tables, out_links; /* < 0: unknown; out_links is the number of links when they are given */
    const struct sharc_store_link *links;     /* for writing; duplicates are fine */
    size_t n_links;
    bool has_links; /* links were extracted (there may be none) */

    sharc_store_id url_id, parent_id; /* filled by queries */
    sharc_store_id link_set;          /* filled by queries: equal numbers, equal links; 0: not extracted */
};
#define SHARC_STORE_PAGE_INIT                                                                               \
    {                                                                                                       \
        .hops = -1, .planned_rate = __builtin_nan(""), .weight = 1, .visit = SHARC_STORE_LOOK_INIT,         \
        .second = SHARC_STORE_LOOK_INIT, .revisit = SHARC_STORE_LOOK_INIT, .grade = SHARC_STORE_GRADE_INIT, \
        .stated = SHARC_TIME_NONE, .words = -1, .images = -1, .tables = -1, .out_links = -1                 \
    }

struct sharc_store_batch;
void sharc_store_batch_new(struct sharc_store *s, struct sharc_store_batch **ret);
void sharc_store_batch_free(struct sharc_store_batch *b); /* what was not committed is dropped */
void sharc_store_batch_freep(struct sharc_store_batch **b);

/* A page with its visit. When the capture already has the URL, the later visit
 * wins whole (ties: the later place in the later file); the earlier one is forgotten,
 * its WARC record is not. SHARC_ELIMIT for a URL beyond SHARC_LIMIT_URL. */
int sharc_store_batch_page(struct sharc_store_batch *b, const struct sharc_store_page *p, struct sharc_err *reterr);
/* The second look or revisit of a page; the page itself may come before or after. The later wins. The links of a second
 * look, if it has any, count instead of those of the visit; one that has none leaves those of a look before. */
int sharc_store_batch_look(struct sharc_store_batch *b, sharc_store_id capture, struct sharc_span url,
                           enum sharc_look_kind kind, const struct sharc_store_look *look, struct sharc_err *reterr);

/* The grade of a page; a later one replaces it. The detail is cut to SHARC_LIMIT_STORE_DETAIL bytes. */
int sharc_store_batch_grade(struct sharc_store_batch *b, sharc_store_id capture, struct sharc_span url,
                            const struct sharc_store_grade *g, struct sharc_err *reterr);
/* A volatile place of a site with all that is known of it: replaces, but for the time it was first
 * seen. The text is cut to SHARC_LIMIT_STORE_DETAIL bytes. */
int sharc_store_batch_place(struct sharc_store_batch *b, const struct sharc_store_volatile *p,
                            struct sharc_err *reterr);

/* Why a URL of a capture was not fetched or not kept. reason is a short word
 * ("scope", "robots", "depth", "trap", "limit", "failed", "repeated", "case", …),
 * detail a sentence or number, may be none; both are cut as base_limits.h says. Once per (capture, url, reason). */
int sharc_store_batch_skipped(struct sharc_store_batch *b, sharc_store_id capture, struct sharc_span url,
                              struct sharc_span reason, struct sharc_span detail, struct sharc_err *reterr);

/* Forget which URLs of a capture were skipped for these reasons: rules have changed, and
 * those that still are skipped will be written again. All of them or, on failure, none. */
int sharc_store_skipped_forget(struct sharc_store *s, sharc_store_id capture, const char *const *reasons, size_t n,
                               struct sharc_err *reterr);

/* A piece of what the crawler writes down in order to resume a capture: any bytes.
 * seq counts from 0; repeated, the same seq changes nothing. */
int sharc_store_batch_journal(struct sharc_store_batch *b, sharc_store_id capture, uint32_t seq,
                              struct sharc_span bytes, struct sharc_err *reterr);

/* How far a WARC file is in the catalogue: committed together with the rows
 * above. The last call for a file counts. size and digest: 0 and none keep what is stored. */
int sharc_store_batch_warc(struct sharc_store_batch *b, const struct sharc_store_warc *w, struct sharc_err *reterr);

int sharc_store_batch_rate(struct sharc_store_batch *b, const struct sharc_store_rate *r, struct sharc_err *reterr);
/* Bytes about a URL's change pattern (rate_pattern.h), and its group; replaces. */
int sharc_store_batch_pattern(struct sharc_store_batch *b, struct sharc_span url, struct sharc_span data, int64_t group,
                              sharc_time when, struct sharc_err *reterr);
/* State and times of a capture, in the same transaction. As sharc_store_capture_update. */
int sharc_store_batch_capture(struct sharc_store_batch *b, const struct sharc_store_capture *c,
                              struct sharc_err *reterr);

/* Rows waiting; and whether it is time to commit: 20,000 rows or 32 MB. A
 * crawler commits earlier, when it has synced its WARC. */
size_t sharc_store_batch_rows(const struct sharc_store_batch *b);
bool sharc_store_batch_full(const struct sharc_store_batch *b);
size_t sharc_store_batch_bytes(const struct sharc_store_batch *b); /* of memory, about */

/* A page with tens of thousands of links makes a commit long, because every new URL gets a row. Who must not stop for
 * so long gives them their rows before, at most `most` at a time, each time in a transaction of its own: a URL that no
 * page refers to harms nobody. The first says how many are left. */
size_t sharc_store_batch_unnumbered(const struct sharc_store_batch *b);
int sharc_store_batch_number(struct sharc_store_batch *b, size_t most, struct sharc_err *reterr);

/* All of it, or nothing and the batch is as before. Empty afterwards on success. */
int sharc_store_batch_commit(struct sharc_store_batch *b, struct sharc_err *reterr);
/* The same, waiting for a lost connection to come back and repeating; lost
 * conflicts (SHARC_EBUSY) are repeated too. */
int sharc_store_batch_commit_patiently(struct sharc_store_batch *b, const struct sharc_store_patience *p,
                                       struct sharc_err *reterr);
/* The same in a thread of its own, which calls done(arg) when it is over; done may be NULL. Nobody uses the batch until
 * sharc_store_batch_under_way says false. Every other use of the store waits until then, and rows of a question that
 * was asked before must have been read. */
typedef void sharc_store_committed_fn(void *arg);
void sharc_store_batch_begin(struct sharc_store_batch *b, sharc_store_committed_fn *done, void *arg);
bool sharc_store_batch_under_way(const struct sharc_store_batch *b);
/* Waits for it; what the commit returned. */
int sharc_store_batch_settle(struct sharc_store_batch *b, struct sharc_err *reterr);
/* Forget what is waiting. */
void sharc_store_batch_drop(struct sharc_store_batch *b);

SHARC_API_END
#endif
