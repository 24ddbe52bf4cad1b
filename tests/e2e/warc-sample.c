/* SPDX-License-Identifier: Apache-2.0
 *
 * warc-sample DIR: writes archives with records of every shape that the writer
 * knows, for other programs to judge: sha256 and sha1, packed and plain, over
 * several files.
 */
#include "sharc/base_rng.h"
#include "sharc/warc_write.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AT ((sharc_time)1763200000 * SHARC_SEC + 123456)

static struct sharc_err err = SHARC_ERR_INIT;

static void need(int r)
{
    if (r >= 0) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

/* A body that is too large to be packed in one go, in a file without a name. */
static int large_body(size_t size)
{
    FILE *f = tmpfile();
    struct sharc_rng rng;
    sharc_rng_init(&rng, 1);
    for (size_t i = 0; f && i < size; i++) putc('a' + (int)sharc_rng_below(&rng, 20), f);
    if (!f || fflush(f) != 0) exit(1);
    return fileno(f);
}

static void write_all(struct sharc_warc_writer *w, int fd, size_t fd_size)
{
    struct sharc_warc_fetch_places first, p;
    char digest[SHARC_DIGEST_TEXT];
    struct sharc_warc_fetch f = {
        .date = AT,
        .target = SHARC_SPAN("http://example.com/"),
        .ip = SHARC_SPAN("192.0.2.1"),
        .response = {.head = SHARC_SPAN("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"),
                     .body = SHARC_SPAN("<title>caf\xc3\xa9</title>")},
        .request = {.head = SHARC_SPAN("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")},
        .metadata = SHARC_SPAN("via: http://example.com/from\r\nhopsFromSeed: L\r\n"),
    };
    need(sharc_warc_write_fetch(w, AT, &f, &first, &err));
    f.original = &first.response;
    f.original_target = f.target;
    f.original_date = f.date;
    f.original_payload_digest = sharc_span_of(sharc_digest_text(&first.response.payload, digest));
    f.date = AT + SHARC_HOUR;
    need(sharc_warc_write_fetch(w, AT, &f, &p, &err));
    f.not_modified = true;
    f.response = (struct sharc_warc_bytes){.head = SHARC_SPAN("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")};
    need(sharc_warc_write_fetch(w, AT, &f, &p, &err));
    f.original = NULL;
    f.target = SHARC_SPAN("http://example.com/chunked?a=b&c=%20d");
    f.response = (struct sharc_warc_bytes){.head = SHARC_SPAN("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                                           .body = SHARC_SPAN("4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n")};
    need(sharc_warc_write_fetch(w, AT, &f, &p, &err));
    f.target = SHARC_SPAN("http://example.com/form");
    f.response = (struct sharc_warc_bytes){.head = SHARC_SPAN("HTTP/1.0 204 No Content\r\n\r\n")};
    f.request = (struct sharc_warc_bytes){.head = SHARC_SPAN("POST /form HTTP/1.1\r\nContent-Length: 3\r\n\r\n"),
                                          .body = SHARC_SPAN("a=b")};
    need(sharc_warc_write_fetch(w, AT, &f, &p, &err));
    f.target = SHARC_SPAN("http://example.com/large");
    f.truncated = "length";
    f.response = (struct sharc_warc_bytes){.head = SHARC_SPAN("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"),
                                           .fd = fd,
                                           .fd_size = fd_size};
    need(sharc_warc_write_fetch(w, AT, &f, &p, &err));
    struct sharc_warc_entry e = {.type = SHARC_WARC_RESOURCE,
                                 .date = AT,
                                 .target = SHARC_SPAN("dns:example.com"),
                                 .content_type = SHARC_SPAN("text/dns"),
                                 .block.body = SHARC_SPAN("20251115\nexample.com. 60 IN A 192.0.2.1\n")};
    need(sharc_warc_write(w, AT, &e, NULL, &err));
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    size_t size = (size_t)17 << 20;
    int fd = large_body(size);
    for (int i = 0; i < 4; i++) {
        struct sharc_warc_writer *w = NULL;
        struct sharc_warc_writer_options o = {
            .dir = argv[1],
            .site = i < 2 ? "example.com" : "sha1.example.com",
            .host = "sample",
            .info = SHARC_SPAN("operator: a test\r\nrobots: obey\r\n"),
            .digest = i < 2 ? SHARC_SHA256 : SHARC_SHA1,
            .plain = i % 2,
            .roll = 4000,
        };
        need(sharc_warc_writer_open(&o, &w, &err));
        write_all(w, fd, size);
        need(sharc_warc_writer_finish(w, &err));
        sharc_warc_writer_free(w);
    }
    return 0;
}
