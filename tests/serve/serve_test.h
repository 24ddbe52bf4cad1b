/* SPDX-License-Identifier: Apache-2.0
 *
 * Archive files for the tests of this room, written record by record.
 */
#ifndef SHARC_SERVE_TEST_H
#define SHARC_SERVE_TEST_H

#include "test.h"

#include "sharc/base_file.h"
#include "sharc/serve_collection.h"
#include "sharc/warc_write.h"

#include <stdlib.h>
#include <unistd.h>

/* 2026-11-01T10:00:00Z and so many seconds. */
#define AT(second) ((sharc_time)1793527200 * SHARC_SEC + (second)*SHARC_SEC)
#define HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"

static inline void must(int r, const struct sharc_err *err)
{
    if (r < 0) fail_msg("%s", err->text);
}

static inline struct sharc_warc_writer *warc_begin(const char *dir, const char *name)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_writer *w = NULL;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    const struct sharc_warc_writer_options o = {.path = path, .seed = 7};
    must(sharc_warc_writer_open(&o, &w, &err), &err);
    return w;
}

static inline void warc_end(struct sharc_warc_writer *w)
{
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_warc_writer_finish(w, &err), &err);
    sharc_warc_writer_free(w);
}

static inline struct sharc_warc_place warc_bytes(struct sharc_warc_writer *w, int second, const char *url,
                                                 struct sharc_span block)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_place place;
    size_t head = sharc_span_search(block, SHARC_SPAN("\r\n\r\n"));
    struct sharc_warc_entry e = {.type = SHARC_WARC_RESPONSE, .date = AT(second), .target = sharc_span_of(url)};
    e.block.head = sharc_span_sub(block, 0, head + 4);
    e.block.body = sharc_span_from(block, head + 4);
    must(sharc_warc_write(w, e.date, &e, &place, &err), &err);
    return place;
}

/* An answer: head, empty line, body. */
static inline struct sharc_warc_place warc_answer(struct sharc_warc_writer *w, int second, const char *url,
                                                  const char *block)
{
    return warc_bytes(w, second, url, sharc_span_of(block));
}

struct revisit {
    const char *url, *head, *digest;
    const char *refers_to_url; /* NULL: none */
    int refers_to_second;
    bool not_modified;
};

static inline void warc_revisit(struct sharc_warc_writer *w, int second, const struct revisit *v)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_entry e = {.type = SHARC_WARC_REVISIT, .date = AT(second), .target = sharc_span_of(v->url)};
    e.profile = v->not_modified ? SHARC_SPAN("http://netpreserve.org/warc/1.1/revisit/server-not-modified")
                                : SHARC_SPAN("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
    e.payload_digest = sharc_span_of(v->digest);
    if (v->refers_to_url) {
        e.refers_to_target = sharc_span_of(v->refers_to_url);
        e.refers_to_date = AT(v->refers_to_second);
    }
    e.block.head = sharc_span_of(v->head);
    must(sharc_warc_write(w, e.date, &e, NULL, &err), &err);
}

/* What was sent, and the answer. */
static inline void warc_post(struct sharc_warc_writer *w, int second, const char *url, const char *request,
                             const char *answer)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_fetch_places places;
    struct sharc_span r = sharc_span_of(request), a = sharc_span_of(answer);
    size_t r_head = sharc_span_search(r, SHARC_SPAN("\r\n\r\n")) + 4,
           a_head = sharc_span_search(a, SHARC_SPAN("\r\n\r\n")) + 4;
    struct sharc_warc_fetch f = {.date = AT(second), .target = sharc_span_of(url)};
    f.request.head = sharc_span_sub(r, 0, r_head);
    f.request.body = sharc_span_from(r, r_head);
    f.response.head = sharc_span_sub(a, 0, a_head);
    f.response.body = sharc_span_from(a, a_head);
    must(sharc_warc_write_fetch(w, f.date, &f, &places, &err), &err);
}

#endif
