/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the tests of room import: small WARC files made on the spot.
 */
#ifndef SHARC_IMPORT_TEST_H
#define SHARC_IMPORT_TEST_H

#include "test.h"

#include "../../src/import/import_int.h"
#include "sharc/base_file.h"
#include "sharc/warc_write.h"

#include <stdio.h>
#include <stdlib.h>

/* 2026-11-01T10:00:00Z */
#define DAY_ONE ((sharc_time)1793527200 * SHARC_SEC)

/* A file being written, and what its last answer was. */
struct maker {
    struct sharc_warc_writer *w;
    char *path;
};

static inline void maker_start(struct maker *m, const char *dir, const char *name, const char *info)
{
    struct sharc_err err = SHARC_ERR_INIT;
    m->path = sharc_path_join(dir, name);
    struct sharc_warc_writer_options o = {.path = m->path, .info = sharc_span_of(info), .seed = 7};
    if (sharc_warc_writer_open(&o, &m->w, &err) < 0) fail_msg("%s", err.text);
}

/* Leaves the file's path, which the caller frees. */
static inline char *maker_end(struct maker *m)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_warc_writer_finish(m->w, &err) < 0) fail_msg("%s", err.text);
    sharc_warc_writer_free(m->w);
    return m->path;
}

struct answer {
    const char *url;
    sharc_time when;
    const char *head; /* NULL: 200 and text/html */
    const char *body;
    const char *metadata;
    bool control;
    struct sharc_warc_place *ret;
    /* of a revisit */
    const struct sharc_warc_place *original;
    const char *original_url;
    sharc_time original_when;
    bool not_modified;
};

static inline void put_answer(struct maker *m, const struct answer *a)
{
    char digest[SHARC_DIGEST_TEXT];
    struct sharc_warc_fetch_places places = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_fetch f = {
        .date = a->when,
        .target = sharc_span_of(a->url),
        .response = {.head = sharc_span_of(a->head ? a->head : "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
                     .body = sharc_span_of(a->body)},
        .metadata = sharc_span_of(a->metadata),
        .control = a->control,
    };
    if (a->original) {
        f.original = a->original;
        f.original_target = sharc_span_of(a->original_url ? a->original_url : a->url);
        f.original_date = a->original_when;
        f.original_payload_digest = sharc_span_of(sharc_digest_text(&a->original->payload, digest));
        f.not_modified = a->not_modified;
    }
    if (sharc_warc_write_fetch(m->w, a->when, &f, &places, &err) < 0) fail_msg("%s", err.text);
    if (a->ret) *a->ret = places.response;
}

#define PUT(m, ...) put_answer((m), &(struct answer){__VA_ARGS__})

#endif
