/* SPDX-License-Identifier: Apache-2.0
 *
 * From the records of an archive file to the lines of its index (CDXJ).
 */
#ifndef SHARC_CDX_FROM_RECORD_H
#define SHARC_CDX_FROM_RECORD_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_sort.h"
#include "sharc/cdx.h"
#include "sharc/warc.h"
#include "sharc/warc_write.h"

/* The query that stands for a request body (replaces the content of out, whose maximum
 * should be some megabytes); at most 4,096 characters. */
void sharc__cdx_post_query(struct sharc_span content_type, struct sharc_span body, struct sharc_buf *out);

/* url, and behind it method and query as they go into a key; out is empty or holds what fits when it fails. */
int sharc__cdx_post_url(struct sharc_span url, struct sharc_span method, struct sharc_span query,
                        struct sharc_buf *out);

struct cdx_maker_options {
    bool plain_keys; /* leave methods and bodies of requests out of the keys */
    bool all;        /* also answers 304, which no replay can show */
    bool precise;    /* milliseconds where the date has a fraction */
    bool controls;   /* also control downloads, which are no versions of a page */
};

/* An answer without a page of its own: shown by a replay tool, it is blank. */
bool sharc__cdx_is_blank(const struct sharc_cdx *c);

/* Scratch memory of one thread; serves one file after the other. */
struct cdx_maker;
struct cdx_maker *sharc__cdx_maker_new(const struct cdx_maker_options *o);
void sharc__cdx_maker_free(struct cdx_maker *m);
void sharc__cdx_maker_freep(struct cdx_maker **m);

/* Record types that the maker wants to see. */
unsigned sharc__cdx_maker_types(const struct cdx_maker *m);
/* Before the first record of a file. name: as it shall stand in the lines. */
void sharc__cdx_maker_start(struct cdx_maker *m, const char *name, sharc_line_fn *fn, void *arg);
/* Take one record; its line is given to fn now or with a later call, since the request
 * that belongs to it may come behind it. Reads the record to its end. 1: it was
 * indexed, 0: it is no capture, < 0: error; SHARC_ESYNTAX also for a capture without a
 * URL, a date that can be read, or a member of its own (the sentence does not name the place). */
int sharc__cdx_maker_take(struct cdx_maker *m, struct sharc_record *rec, struct sharc_err *reterr);
/* After the last one. */
int sharc__cdx_maker_finish(struct cdx_maker *m, struct sharc_err *reterr);

/* The line that take would give of a response or revisit that was just written, whose
 * request had no body; none when options leave it out. */
struct cdx_noted_record {
    bool revisit;
    struct sharc_span target;
    sharc_time date;
    const struct sharc_http *http; /* its head; or NULL */
    const struct sharc_warc_place *place;
};
int sharc__cdx_maker_note(struct cdx_maker *m, const struct cdx_noted_record *n, struct sharc_err *reterr);

#endif
