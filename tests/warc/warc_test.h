/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the tests of room warc: small archives made on the spot.
 */
#ifndef SHARC_WARC_TEST_H
#define SHARC_WARC_TEST_H

#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_codec.h"
#include "sharc/warc.h"

#include <stdio.h>
#include <stdlib.h>

/* One WARC record with the given extra head lines ("A: b\r\n") and block. */
static inline void put_record(struct sharc_buf *b, const char *type, const char *extra, struct sharc_span block)
{
    sharc_buf_printf(b,
                     "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012zu>\r\n"
                     "WARC-Date: 2020-01-02T03:04:05Z\r\n%sContent-Length: %zu\r\n\r\n",
                     type, b->n, extra, block.n);
    sharc_buf_put(b, block);
    sharc_buf_put(b, SHARC_SPAN("\r\n\r\n"));
}

static inline void put_gzip(struct sharc_buf *b, struct sharc_span plain)
{
    struct sharc_deflate *d = sharc_deflate_new(6);
    assert_int_equal(sharc_deflate_member(d, plain, b), 0);
    sharc_deflate_free(d);
}

#define HTTP_OK "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
#define AS_RESPONSE "WARC-Target-URI: http://example.com/\r\nContent-Type: application/http; msgtype=response\r\n"
#define AS_REQUEST "WARC-Target-URI: http://example.com/\r\nContent-Type: application/http; msgtype=request\r\n"

/* What a walk over a file found. */
struct walk {
    int result; /* of the last sharc_warc_next */
    size_t n;
    char types[64]; /* first letter of each: w i(nfo) is 'w', revisit 'v', resource 's', request 'q' */
    uint64_t offsets[64], lengths[64];
    int statuses[64];
    char targets[64][200];
    struct sharc_warc_stats stats;
    struct sharc_err err;
};

static inline char type_letter(enum sharc_warc_type type)
{
    return "?wrsqmvct"[type];
}

static inline void walk_reader(struct sharc_warc *w, struct walk *ret)
{
    struct sharc_record rec;
    *ret = (struct walk){.err = SHARC_ERR_INIT};
    while ((ret->result = sharc_warc_next(w, &rec, &ret->err)) > 0 && ret->n < 63) {
        size_t i = ret->n++;
        const struct sharc_http *h = sharc_record_http(&rec);
        ret->types[i] = type_letter(rec.type);
        ret->offsets[i] = rec.offset;
        ret->statuses[i] = h ? h->status : 0;
        snprintf(ret->targets[i], sizeof ret->targets[i], "%.*s", SHARC_SPAN_ARG(rec.target));
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_record_length(&rec, &ret->lengths[i], &err) < 0) ret->lengths[i] = 0;
    }
    ret->stats = sharc_warc_stats(w);
}

static inline void walk_file(const char *path, const struct sharc_warc_options *o, struct walk *ret)
{
    struct sharc_warc *w = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_warc_open(path, o, &w, &err);
    if (r < 0) {
        *ret = (struct walk){.result = r, .err = err};
        return;
    }
    walk_reader(w, ret);
    sharc_warc_close(w);
}

static inline void walk_bytes(struct sharc_span bytes, const struct sharc_warc_options *o, struct walk *ret)
{
    struct sharc_warc *w = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_warc_open_bytes(bytes, o, &w, &err);
    if (r < 0) {
        *ret = (struct walk){.result = r, .err = err};
        return;
    }
    walk_reader(w, ret);
    sharc_warc_close(w);
}

#endif
