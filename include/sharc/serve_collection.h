/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server serves: archives, directories and single files of anybody's WARC, ARC and WACZ,
 * asked by URL and time.
 *
 *   r = sharc_collection_open(paths, count, &options, &c, &err);
 *   const struct sharc_edition *e = sharc_collection_hold(c);
 *   r = sharc_find(e, &(struct sharc_wish){.url = url, .timestamp = SHARC_SPAN("20260301")}, &found, &err);
 *   … sharc_record_read(&found->record, SHARC_WARC_PAYLOAD, &piece, &err) …
 *   sharc_found_free(found);
 *   sharc_collection_release(c, e);
 *
 * Files come and go while a collection is open: sharc_collection_refresh looks for what is new. What was there at
 * one moment is an edition; whoever reads holds one, so that nothing is taken away under a reader. Files that are
 * being written (….open) are not served. A file that somebody shortens or overwrites while it is served is found out:
 * its records cannot be shown, and what is being sent is cut. (sharc_filemap_guard is called for that.)
 */
#ifndef SHARC_SERVE_COLLECTION_H
#define SHARC_SERVE_COLLECTION_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/http.h"
#include "sharc/warc.h"
#include "sharc/warc_inputs.h"

SHARC_PRIVATE_BEGIN

/* --- files --------------------------------------------------------------------------- */

struct sharc_collection_options {
    const char *temporary; /* directory for the index of files that have none; NULL: /tmp */
    unsigned threads;      /* that make it; 0: one per core */
    /* Hears of files that cannot be served, once; the others are. May be NULL. */
    void (*warn)(void *arg, const struct sharc_err *what);
    void *warn_arg;
};

struct sharc_collection;
struct sharc_edition;

/* Each path is an archive, a directory, an archive file, a container or an index. An archive's own index is used,
 * and so is a container's; every other archive file is indexed now, unless an index is named: then that
 * must know them all. SHARC_ENOENT: there is nothing to serve. */
int sharc_collection_open(const char *const *paths, size_t count, const struct sharc_collection_options *o,
                          struct sharc_collection **ret, struct sharc_err *reterr);
/* Nobody may hold an edition any more. */
void sharc_collection_free(struct sharc_collection *c);
void sharc_collection_freep(struct sharc_collection **c);

/* Look for files that are new, gone or changed. 1: there is a new edition; 0: nothing has changed. From one thread at
 * a time. After a failure the old edition stays. */
int sharc_collection_refresh(struct sharc_collection *c, struct sharc_err *reterr);

/* The newest edition; from any thread. It stays as it is until released. */
const struct sharc_edition *sharc_collection_hold(struct sharc_collection *c);
void sharc_collection_release(struct sharc_collection *c, const struct sharc_edition *e);

/* Files of an edition, by their names: archive files and containers. Strings live with the edition. */
struct sharc_served_file {
    const char *path;
    const char *name; /* the last part of the path; unique, of several the first */
    enum sharc_warc_kind kind;
    uint64_t size;
    int64_t modified; /* nanoseconds since 1970 */
};
size_t sharc_edition_files(const struct sharc_edition *e);
void sharc_edition_file(const struct sharc_edition *e, size_t i, struct sharc_served_file *ret);
/* Its number, or SHARC_NPOS. */
size_t sharc_edition_file_named(const struct sharc_edition *e, struct sharc_span name);
/* Its bytes; they live with the edition. Ask sharc_filemap_intact behind reading. */
int sharc_edition_map(const struct sharc_edition *e, size_t i, const struct sharc_filemap **ret,
                      struct sharc_err *reterr);

/* --- captures ------------------------------------------------------------------------- */

/* Lines of all indexes, merged in the order asked for, as sharc_cdx_ask gives those of one. */
struct sharc_captures;
int sharc_captures_ask(const struct sharc_edition *e, const struct sharc_cdx_query *q, struct sharc_captures **ret,
                       struct sharc_err *reterr);
void sharc_captures_free(struct sharc_captures *c);
void sharc_captures_freep(struct sharc_captures **c);
/* 1: *ret is the next one, valid until the next call; 0: no more; SHARC_EBUSY as sharc_cdx_next. A line that two
 * indexes have comes once. */
int sharc_captures_next(struct sharc_captures *c, struct sharc_cdx *ret, struct sharc_err *reterr);
bool sharc_captures_get(struct sharc_captures *c, struct sharc_span name, struct sharc_span *ret);

/* Has the capture no payload of its own? */
static inline bool sharc_capture_is_revisit(const struct sharc_cdx *c)
{
    return sharc_span_is(c->field[SHARC_CDX_MIME], "warc/revisit");
}

/* --- one answer ------------------------------------------------------------------------ */

enum sharc_mapping {
    SHARC_NEAREST, /* the capture nearest to the time, before or after it */
    SHARC_LATEST,  /* the latest one not after it */
    /* The one that existed then: known by downloads, else by the server's word, else possible. */
    SHARC_COHERENT,
};

struct sharc_wish {
    struct sharc_span url;
    struct sharc_span timestamp; /* 4 to 17 digits, of fewer than 14 the beginning counts; empty: the newest */
    enum sharc_mapping mapping;
    /* Of a request that sends something; method empty: GET. */
    struct sharc_span method, content_type, body;
};

/* An archived answer. Spans and fields live with it; it must be freed before its edition is released. */
struct sharc_found {
    struct sharc_span url;  /* as it was captured */
    char timestamp[18];     /* as in the index: 14 digits, or 17 */
    sharc_time when;        /* of the record, which knows more digits */
    int status;             /* 200 for what is no answer of a server (resource records) */
    struct sharc_span type; /* Content-Type; .p == NULL: none */
    const struct sharc_http_field *fields;
    size_t count;
    bool revisit;               /* the payload is that of another record */
    bool approximate;           /* of a URL that is only similar to the one asked for */
    struct sharc_record record; /* that has the payload: to be read from */
    uint64_t size;              /* of the payload; UINT64_MAX: known only when it is read */
    struct sharc_span first;    /* of the payload, where somebody has looked at it; private */
    struct sharc_warc *readers[2];
    const struct sharc_filemap *maps[2]; /* that they read from */
    struct sharc_found_memory *memory;
};
/* Ask this behind reading: false means that a file was shortened, and that zeros may have been read. */
bool sharc_found_intact(const struct sharc_found *f);
/* The value of its first field of that name (any case); .p == NULL: none. */
struct sharc_span sharc_found_get(const struct sharc_found *f, const char *name);

/* The answer that suits the wish best and can be shown. Passed over: answers 304, redirects that lead to the same
 * key (from http to https, to www, to a slash), and captures whose record or original cannot be read.
 *
 * A revisit is shown with the payload of the record it refers to (by URL and time); where that is not there, of a
 * record of the same URL with the same digest; and a revisit that says "not modified" and names nothing, of the
 * answer before it. Its own status and headers count, if it has some.
 *
 * SHARC_ENOENT: there is no capture; SHARC_ECORRUPT: there is one, but none could be shown, with the reason;
 * SHARC_EINVAL: the timestamp is none. */
int sharc_find(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_found **ret,
               struct sharc_err *reterr);
void sharc_found_free(struct sharc_found *f);
void sharc_found_freep(struct sharc_found **f);

/* The value of a Range header, of a body of this many bytes. 1: from and count; -1: none of it is there (416);
 * 0: no single range of bytes, all is to be sent. */
int sharc_range_read(struct sharc_span value, uint64_t size, uint64_t *ret_from, uint64_t *ret_count);

SHARC_PRIVATE_END
#endif
