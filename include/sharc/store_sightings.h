/* SPDX-License-Identifier: Apache-2.0
 *
 * Every download of a capture in the narrow form that judging them needs: times, content by
 * digest, the server's word. Numbers instead of texts, so that a million of them are read
 * in a few seconds.
 */
#ifndef SHARC_STORE_SIGHTINGS_H
#define SHARC_STORE_SIGHTINGS_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/change_grade.h"
#include "sharc/store.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

SHARC_PRIVATE_BEGIN

struct sharc_store_sighting {
    sharc_store_id url, host;
    enum sharc_look_kind kind;
    sharc_time when, took; /* took < 0: unknown */
    int status;            /* as in struct sharc_store_look */
    enum sharc_store_record record;
    sharc_time modified;                   /* SHARC_TIME_NONE: none that can be believed */
    struct sharc_span digest, text_digest; /* bytes that are equal if the digests are; may be none */
    double rate;                           /* changes per second as estimated, else as planned; NaN: unknown */
    bool follower;                         /* fetched because something embeds it: this download has no slot */
    /* Of visits only: */
    sharc_store_id redirect; /* 0: none */
    double weight;
    struct sharc_span mime;
    int64_t size;                    /* of the body; negative: unknown */
    enum sharc_grade_reason reason;  /* SHARC_GRADED_NOT_GRADED: it has none */
    sharc_time known_from, known_to; /* of the grade; SHARC_TIME_NONE: none */
};
/* The visits of a capture by URL number, or its second looks and revisits by URL number and kind. */
int sharc_store_visits(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                       struct sharc_err *reterr);
int sharc_store_looks(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                      struct sharc_err *reterr);
/* Of either; spans live until the next row. */
void sharc_store_read_sighting(struct sharc_store_rows *rows, struct sharc_store_sighting *ret);

/* Pages that have a grade and of which nothing was received, how many per reason: columns reason (a number), urls. */
int sharc_store_grades_alone(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                             struct sharc_err *reterr);

/* The pages of a capture by URL number, with only what counting them needs. */
struct sharc_store_outline {
    sharc_store_id url;
    sharc_time when, took; /* took < 0: unknown */
    uint64_t links;
    struct sharc_span mime; /* lives until the next row */
};
int sharc_store_outlines(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr);
void sharc_store_read_outline(struct sharc_store_rows *rows, struct sharc_store_outline *ret);
/* Only their numbers, in the same order, in column 0. */
int sharc_store_page_urls(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                          struct sharc_err *reterr);

/* sharc_store_compare without what is not needed to tell what changed: of each side only url_id, status, digests and
 * link_set are filled, and, if alike, the minhash of both sides of what changed. */
int sharc_store_compare_bare(struct sharc_store *s, const struct sharc_store_pair_filter *f, bool alike,
                             struct sharc_store_rows **ret, struct sharc_err *reterr);

/* What decides whether a page is the same in two captures. */
struct sharc_store_print {
    sharc_store_id url, redirect, link_set, content; /* 0: none */
    int status;
    struct sharc_span digest, text_digest; /* the first byte tells their kind; empty: none */
};
/* Of the pages of a capture, by URL number. Spans live until the next row. */
int sharc_store_prints(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                       struct sharc_err *reterr);
void sharc_store_read_print(struct sharc_store_rows *rows, struct sharc_store_print *ret);
/* NULL: the page is not in that capture. */
enum sharc_store_difference sharc_store_differ(const struct sharc_store_print *a, const struct sharc_store_print *b);
/* Both have links, and they differ. */
bool sharc_store_links_differ(const struct sharc_store_print *a, const struct sharc_store_print *b);
/* Signatures of texts by the number of their content, in any order; of a content without one, or unknown, nothing. */
typedef void sharc_store_minhash_fn(void *arg, sharc_store_id content, struct sharc_span minhash);
int sharc_store_minhashes(struct sharc_store *s, const sharc_store_id *contents, size_t n, sharc_store_minhash_fn *fn,
                          void *arg, struct sharc_err *reterr);

/* When the first of a capture's second looks and revisits began, and the last one ended; SHARC_TIME_NONE: none did. */
int sharc_store_look_span(struct sharc_store *s, sharc_store_id capture, sharc_time *ret_first, sharc_time *ret_last,
                          struct sharc_err *reterr);

/* Texts of URLs by their numbers, in any order; of an unknown number nothing. */
typedef void sharc_store_text_fn(void *arg, sharc_store_id url, struct sharc_span text);
int sharc_store_url_texts(struct sharc_store *s, const sharc_store_id *urls, size_t n, sharc_store_text_fn *fn,
                          void *arg, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
