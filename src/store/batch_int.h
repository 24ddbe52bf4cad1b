/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch between collecting (batch.c) and writing (commit.c).
 */
#ifndef SHARC_STORE_BATCH_INT_H
#define SHARC_STORE_BATCH_INT_H

#include "sharc/store_watch.h"
#include "store_int.h"

#include <stdatomic.h>

#define NO_URL UINT32_MAX

/* The links of a page, in batch.links. */
struct linked {
    bool known;
    size_t at, n;
    sharc_store_id set; /* while they are being committed */
};

/* URLs are numbers in batch.urls until the batch is committed. */
struct look_row {
    sharc_store_id capture;
    uint32_t url;
    uint8_t kind; /* enum sharc_look_kind */
    struct sharc_store_look look;
    struct linked links;
};

struct page_row {
    struct look_row visit;
    uint32_t parent, redirect;
    int hops;
    bool hopeless, has_content;
    uint8_t record;
    double planned_rate, weight;
    struct sharc_store_place body;
    struct sharc_span mime, title, minhash;
    sharc_time stated;
    int64_t words, images, tables, out_links;
    sharc_store_id content; /* while it is being committed */
};

struct skip_row {
    sharc_store_id capture;
    uint32_t url;
    struct sharc_span reason, detail;
};

struct grade_row {
    sharc_store_id capture;
    uint32_t url;
    struct sharc_store_grade grade;
};

struct journal_row {
    sharc_store_id capture;
    int64_t seq;
    struct sharc_span data;
};

struct rate_row {
    struct sharc_store_rate rate; /* without url */
    uint32_t url;
};

struct pattern_row {
    uint32_t url;
    struct sharc_span data;
    int64_t group;
    sharc_time when;
};

struct watched_row {
    struct sharc_store_watched page; /* without url */
    uint32_t url;
};

struct watch_look_row {
    struct sharc_store_watch_look look; /* without url */
    uint32_t url;
};

struct note_row {
    struct sharc_span name, data;
    sharc_time when;
};

struct link_row {
    uint32_t url;
    uint8_t kind;
};

#define LIST(type)          \
    struct {                \
        type *items;        \
        size_t count, room; \
    }

struct sharc_store_batch {
    struct sharc_store *store;
    struct sharc_intern *urls;
    uint32_t numbered; /* so many of them have their rows in the database already */
    struct sharc_arena texts;
    struct sharc_buf scratch;
    LIST(struct page_row) pages;
    LIST(struct look_row) looks;
    LIST(struct link_row) links;
    LIST(struct skip_row) skipped;
    LIST(struct grade_row) grades;
    LIST(struct sharc_store_volatile) places;
    LIST(struct journal_row) journal;
    LIST(struct rate_row) rates;
    LIST(struct pattern_row) patterns;
    LIST(struct watched_row) watched;
    LIST(struct watch_look_row) watch_looks;
    LIST(struct note_row) notes;
    LIST(struct sharc_store_warc) warcs;
    LIST(struct sharc_store_capture) captures;
    /* row + 1 by its key */
    struct sharc_map128 *page_at, *look_at, *grade_at, *place_at, *skip_at, *rate_at, *pattern_at, *watched_at,
        *watch_look_at, *note_at;

    /* Only while it is being committed. */
    sharc_store_id *id; /* of each URL */
    int64_t *key, *mark;
    uint8_t digest[2][SHARC__DIGEST_ROOM];

    /* Of the last commit in a thread of its own (beside.c). */
    atomic_bool under_way;
    bool begun; /* and not settled */
    int result;
    struct sharc_err err;
    sharc_store_committed_fn *done;
    void *done_arg;
};

/* --- batch.c ------------------------------------------------------------------- */

int sharc__store_check_capture(sharc_store_id capture, struct sharc_err *reterr);
/* Number of a URL in this batch, which must be given. */
int sharc__store_need_url(struct sharc_store_batch *b, struct sharc_span url, uint32_t *ret, struct sharc_err *reterr);
struct sharc_span sharc__store_copy_bytes(struct sharc_store_batch *b, struct sharc_span s);
/* Row of a list of `count` rows with that key: an old one, or (*ret_new) one at the end. */
size_t sharc__store_row_for(struct sharc_map128 *map, int64_t a, int64_t b, size_t count, bool *ret_new);

/* --- commit.c ------------------------------------------------------------------ */

/* Rows that replace those with the same first `keys` columns, where `where` (may be NULL) holds. */
int sharc__store_load_rows(struct sharc_store_batch *b, const struct sharc__store_load *l, size_t keys,
                           const char *where, size_t n, sharc__store_row_fn *row, struct sharc_err *reterr);
struct sharc_store_value sharc__store_url_value(const struct sharc_store_batch *b, uint32_t url);
void sharc__store_place_values(const struct sharc_store_place *p, struct sharc_store_value *out);

/* --- watch_rows.c: what a watch writes down, inside the transaction ---------------- */

int sharc__store_write_watch(struct sharc_store_batch *b, struct sharc_err *reterr);

#endif
