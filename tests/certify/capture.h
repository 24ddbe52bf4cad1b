/* SPDX-License-Identifier: Apache-2.0
 *
 * A capture made of a few answers, for tests: a WARC file as the crawler would have written it.
 */
#ifndef SHARC_TEST_CAPTURE_H
#define SHARC_TEST_CAPTURE_H

#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/certify.h"
#include "sharc/warc_own.h"
#include "sharc/warc_write.h"

#include <stdio.h>
#include <stdlib.h>

#define CAPTURE_BEGAN (INT64_C(1794830400) * SHARC_SEC)

struct answer {
    const char *url;
    enum sharc_own_kind kind;
    double at, took;  /* seconds since the capture began */
    const char *head; /* fields beside Content-Type; NULL: none */
    const char *body;
    struct sharc_span bytes; /* instead of body */
    int status;              /* 0: 200 */
    const char *request;     /* fields of the request; NULL: none */
    const char *truncated;
    const char *control; /* "first", … */
    const char *chain;   /* certificates that the server presented */
    bool unverified;     /* nobody checked them */
    bool no_chain;       /* their record is left out */
    const char *embeds;  /* one URL; NULL: none */
    const char *hops;    /* how it was found; NULL: by a link */
    bool repeats;        /* a revisit record: the payload is that of the first answer */
};

/* first: where the first answer lies, set by itself; NULL: nobody repeats it. */
static inline int capture_write_with(struct sharc_warc_writer *w, const struct answer *a, sharc_time capture,
                                     struct sharc_warc_place *first)
{
    struct sharc_buf head = SHARC_BUF_INIT(1u << 16), request = SHARC_BUF_INIT(1u << 16),
                     meta = SHARC_BUF_INIT(1u << 16);
    struct sharc_own_fetch own;
    sharc_time start = CAPTURE_BEGAN + (sharc_time)(a->at * (double)SHARC_SEC);
    sharc_buf_printf(&head, "HTTP/1.1 %d OK\r\nContent-Type: text/html; charset=utf-8\r\n%s\r\n",
                     a->status ? a->status : 200, a->head ? a->head : "");
    sharc_buf_printf(&request, "GET / HTTP/1.1\r\nHost: a.example\r\n%s\r\n", a->request ? a->request : "");
    sharc_own_fetch_init(&own);
    own.capture = capture;
    own.kind = a->kind;
    own.took = (int64_t)(a->took * (double)SHARC_SEC);
    own.control = a->control ? sharc_span_of(a->control) : SHARC_SPAN_NONE;
    struct sharc_digest digest;
    char chain[SHARC_DIGEST_TEXT] = "";
    if (a->chain) {
        sharc_digest_of(SHARC_SHA256, sharc_span_of(a->chain), &digest);
        own.tls_chain = sharc_span_of(sharc_digest_text(&digest, chain));
        own.tls_version = SHARC_SPAN("TLSv1.3");
        own.tls_cipher = SHARC_SPAN("TLS_AES_256_GCM_SHA384");
        own.tls_verified = !a->unverified;
    }
    sharc_buf_printf(&meta, "hopsFromSeed: %s\r\n", a->hops ? a->hops : "L");
    if (a->embeds) sharc_buf_printf(&meta, "outlink: %s E img/@src\r\n", a->embeds);
    sharc_own_fetch_put(&own, &meta);
    struct sharc_warc_fetch f = {.date = start,
                                 .target = sharc_span_of(a->url),
                                 .ip = SHARC_SPAN("192.0.2.1"),
                                 .response = {.head = sharc_buf_span(&head),
                                              .body = a->body ? sharc_span_of(a->body) : a->bytes,
                                              .fd = -1},
                                 .request = {.head = sharc_buf_span(&request), .fd = -1},
                                 .truncated = a->truncated,
                                 .tls_chain = a->no_chain ? SHARC_SPAN_NONE : sharc_span_of(a->chain),
                                 .tls_chain_digest = sharc_span_of(chain),
                                 .metadata = sharc_buf_span(&meta)};
    struct sharc_warc_fetch_places places;
    char payload[SHARC_DIGEST_TEXT] = "";
    if (a->repeats) {
        f.original = first;
        f.original_target = f.target;
        f.original_date = CAPTURE_BEGAN;
        f.original_payload_digest = sharc_span_of(sharc_digest_text(&first->payload, payload));
        f.response.body = SHARC_SPAN_NONE;
    }
    int r = sharc_warc_write_fetch(w, start, &f, &places, NULL);
    if (r == 0 && first && !first->length) *first = places.response;
    sharc_buf_done(&head);
    sharc_buf_done(&request);
    sharc_buf_done(&meta);
    return r;
}

static inline int capture_write_one(struct sharc_warc_writer *w, const struct answer *a, sharc_time capture)
{
    return capture_write_with(w, a, capture, NULL);
}

/* What the crawler writes when a capture has ended. */
static inline int capture_close(struct sharc_warc_writer *w, const char *lines, sharc_time capture)
{
    char when[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_freep)
    char *extra = sharc_asprintf("sharc-kind: verdict\r\nsharc-capture: %s\r\n", sharc_time_iso(capture, 6, when));
    const struct sharc_warc_entry e = {.type = SHARC_WARC_METADATA,
                                       .date = CAPTURE_BEGAN + SHARC_HOUR,
                                       .target = SHARC_SPAN("urn:sharc:verdict:a.example"),
                                       .content_type = SHARC_SPAN("application/x-ndjson"),
                                       .extra = sharc_span_of(extra),
                                       .block = {.body = sharc_span_of(lines), .fd = -1}};
    return sharc_warc_write(w, CAPTURE_BEGAN + SHARC_HOUR, &e, NULL, NULL);
}

/* lines: of a closing record; NULL: there is none. */
static inline void capture_write_closed(const char *path, const struct answer *answers, size_t count, const char *lines)
{
    struct sharc_warc_writer_options o = {.path = path,
                                          .info = SHARC_SPAN("operator: a test\r\nsharc-strategy: bfs\r\n"),
                                          .plain = !sharc_span_ends(sharc_span_of(path), SHARC_SPAN(".gz")),
                                          .seed = 7};
    struct sharc_warc_writer *w = NULL;
    struct sharc_warc_place first = {.length = 0};
    assert_int_equal(sharc_warc_writer_open(&o, &w, NULL), 0);
    for (size_t i = 0; i < count; i++) assert_int_equal(capture_write_with(w, &answers[i], CAPTURE_BEGAN, &first), 0);
    if (lines) assert_int_equal(capture_close(w, lines, CAPTURE_BEGAN), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    sharc_warc_writer_free(w);
}

static inline void capture_write(const char *path, const struct answer *answers, size_t count)
{
    capture_write_closed(path, answers, count, NULL);
}

/* The facts about it; the file lies in dir. */
static inline struct sharc_derived *capture_facts_closed(const char *dir, const struct answer *answers, size_t count,
                                                         const char *lines)
{
    struct sharc_derived *f = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "a.warc.gz");
    const char *paths[] = {path};
    struct sharc_certify_reading o = {.paths = paths, .count = 1, .capture = SHARC_TIME_NONE, .threads = 1};
    capture_write_closed(path, answers, count, lines);
    if (sharc_certify_read(&o, &f, &err) < 0) fail_msg("%s", err.text);
    return f;
}

static inline struct sharc_derived *capture_facts(const char *dir, const struct answer *answers, size_t count)
{
    return capture_facts_closed(dir, answers, count, NULL);
}

/* A certificate of it, as text, and what a check of it finds. done() the latter. */
static inline void capture_certify(const char *dir, const struct sharc_derived *f, struct sharc_buf *ret,
                                   struct sharc_certify_checked *ret_checked)
{
    struct sharc_certify_issue o = {.now = CAPTURE_BEGAN + SHARC_HOUR, .software = "sharc/test"};
    struct sharc_certify_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "certificate.json");
    assert_int_equal(sharc_certify_write(f, &o, path, &made, NULL), 0);
    assert_int_equal(sharc_file_read(path, ret, NULL), 0);
    struct sharc_certify_checking c = {.certificate = path, .threads = 1};
    if (sharc_certify_check(&c, ret_checked, &err) < 0) fail_msg("%s", err.text);
}

#endif
