/* SPDX-License-Identifier: Apache-2.0
 *
 * make_warc FILE RECORDS [ROUND]: a WARC of that many records for measuring
 * imports: a warcinfo record, and answers of one made-up site. Of 100 answers 90
 * are pages of some 10 KB with 60 links, 4 redirects, 3 missing pages and 3
 * pictures. The same arguments give the same site; another ROUND changes every
 * tenth page and comes a week later.
 */
#include "sharc/base_buf.h"
#include "sharc/base_rng.h"
#include "sharc/warc_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 60, PER_SECTION = 200 };
#define START ((sharc_time)1793527200 * SHARC_SEC)

static const char *const words[] = {"archive", "the",    "of", "captured", "library", "page",   "in",  "a",
                                    "site",    "and",    "to", "visit",    "garden",  "time",   "is",  "strategies",
                                    "web",     "river",  "on", "coherent", "measure", "paper",  "was", "with",
                                    "change",  "slowly", "it", "between",  "autumn",  "winter", "for", "years"};

static void put_words(struct sharc_buf *b, struct sharc_rng *r, unsigned n)
{
    while (n--) sharc_buf_printf(b, "%s ", words[sharc_rng_below(r, SHARC_LENGTH(words))]);
}

static void put_url(struct sharc_buf *b, uint64_t page)
{
    sharc_buf_printf(b, "/section-%" PRIu64 "/page-%" PRIu64 ".html", page / PER_SECTION, page);
}

/* Half of the links stay in the section, as a menu does. */
static void put_page(struct sharc_buf *b, uint64_t page, uint64_t pages, uint64_t version)
{
    struct sharc_rng r = sharc_rng_stream(version, page);
    uint64_t section = page / PER_SECTION * PER_SECTION;
    sharc_buf_printf(b,
                     "<!doctype html><html lang=en><head><meta charset=utf-8><title>Page %" PRIu64
                     " of the site</title><link rel=stylesheet href=/style.css></head><body><nav><ul>",
                     page);
    for (unsigned i = 0; i < LINKS / 2; i++) {
        sharc_buf_put_str(b, "<li class=\"menu entry\"><a href=\"");
        put_url(b, section + i);
        sharc_buf_printf(b, "\">Entry %u</a></li>\n", i);
    }
    sharc_buf_put_str(b, "</ul></nav><main><h1>A page</h1>");
    for (unsigned i = 0; i < LINKS / 2; i++) {
        sharc_buf_put_str(b, "<p class=text>");
        put_words(b, &r, 24);
        sharc_buf_put_str(b, "<a href=\"");
        put_url(b, sharc_rng_below(&r, pages));
        sharc_buf_put_str(b, "\">");
        put_words(b, &r, 2);
        sharc_buf_put_str(b, "</a> ");
        put_words(b, &r, 8);
        sharc_buf_put_str(b, "</p>\n");
    }
    sharc_buf_put_str(b, "</main></body></html>\n");
}

static void put_answer(uint64_t page, uint64_t pages, uint64_t round, struct sharc_buf *head, struct sharc_buf *body)
{
    struct sharc_rng r = sharc_rng_stream(99, page);
    unsigned sort = (unsigned)sharc_rng_below(&r, 100);
    bool changes = sharc_rng_below(&r, 10) == 0;
    if (page > 0 && sort < 4) {
        sharc_buf_put_str(head, "HTTP/1.1 301 Moved Permanently\r\nContent-Type: text/html\r\nLocation: ");
        put_url(head, page - 1);
        sharc_buf_put_str(head, "\r\n\r\n");
    } else if (page > 0 && sort < 7) {
        sharc_buf_put_str(head, "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n");
        sharc_buf_put_str(body, "<h1>Not found</h1>");
    } else if (page > 0 && sort < 10) {
        sharc_buf_put_str(head, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n");
        for (unsigned i = 0; i < 4096; i++) sharc_buf_put_char(body, (char)sharc_rng_u64(&r));
    } else {
        sharc_buf_printf(head,
                         "HTTP/1.1 200 OK\r\nServer: bench\r\nContent-Type: text/html; charset=utf-8\r\n"
                         "ETag: \"%" PRIx64 "\"\r\nLast-Modified: Thu, 16 Jan 2020 00:00:00 GMT\r\n\r\n",
                         page);
        put_page(body, page, pages, changes ? round : 0);
    }
}

int main(int argc, char **argv)
{
    uint64_t records = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, round = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    if (records < 2) {
        fputs("make_warc FILE RECORDS [ROUND]\n", stderr);
        return 2;
    }
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_warc_writer_freep) struct sharc_warc_writer *w = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf url = SHARC_BUF_INIT(1000), head = SHARC_BUF_INIT(4000);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(1u << 20);
    struct sharc_warc_writer_options o = {.path = argv[1],
                                          .level = 1,
                                          .seed = 7,
                                          .info = SHARC_SPAN("isPartOf: bench\r\n")};
    int k = sharc_warc_writer_open(&o, &w, &err);
    uint64_t pages = records - 1;
    for (uint64_t page = 0; k == 0 && page < pages; page++) {
        sharc_time when = START + (sharc_time)round * 7 * SHARC_DAY + (sharc_time)page * 100 * SHARC_MSEC;
        sharc_buf_clear(&url);
        sharc_buf_clear(&head);
        sharc_buf_clear(&body);
        sharc_buf_put_str(&url, "http://bench.example");
        if (page)
            put_url(&url, page);
        else
            sharc_buf_put_char(&url, '/');
        put_answer(page, pages, round, &head, &body);
        struct sharc_warc_entry e = {.type = SHARC_WARC_RESPONSE,
                                     .date = when,
                                     .target = sharc_buf_span(&url),
                                     .block = {.head = sharc_buf_span(&head), .body = sharc_buf_span(&body)}};
        k = sharc_warc_write(w, when, &e, NULL, &err);
    }
    if (k == 0) k = sharc_warc_writer_finish(w, &err);
    if (k < 0) fprintf(stderr, "make_warc: %s\n", err.text);
    return k < 0;
}
