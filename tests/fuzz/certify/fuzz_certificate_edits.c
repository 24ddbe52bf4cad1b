/* SPDX-License-Identifier: Apache-2.0
 *
 * A certificate that was edited, checked beside the archive file that it is about: unless it is to the byte the one
 * that was issued, something is found, or it names other rules. The input is a list of edits: take out, put in,
 * replace, copy from elsewhere in it. The certificate is made anew in each process, so it always has the rules of
 * today.
 */
#include "sharc/base_file.h"
#include "sharc/certify.h"
#include "sharc/warc_own.h"
#include "sharc/warc_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BEGAN (INT64_C(1794830400) * SHARC_SEC)
static char dir[] = "/tmp/fuzz-certificate-edits-XXXXXX";
static char *warc, *certificate, *statement, *edited;
static struct sharc_buf honest = SHARC_BUF_INIT(1u << 20);

static void tidy(void)
{
    char *const paths[] = {warc, certificate, statement, edited};
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    rmdir(dir);
    sharc_buf_done(&honest);
}

static void put_answer(struct sharc_warc_writer *w, const char *url, enum sharc_own_kind kind, int at, const char *body)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf meta = SHARC_BUF_INIT(1u << 16);
    struct sharc_own_fetch own;
    sharc_own_fetch_init(&own);
    own.capture = BEGAN;
    own.kind = kind;
    own.took = SHARC_SEC;
    sharc_own_fetch_put(&own, &meta);
    struct sharc_warc_fetch f = {.date = BEGAN + at * SHARC_SEC,
                                 .target = sharc_span_of(url),
                                 .ip = SHARC_SPAN("192.0.2.1"),
                                 .response = {.head = SHARC_SPAN(
                                                  "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: \"1\"\r\n\r\n"),
                                              .body = sharc_span_of(body),
                                              .fd = -1},
                                 .request = {.head = SHARC_SPAN("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"), .fd = -1},
                                 .metadata = sharc_buf_span(&meta)};
    struct sharc_warc_fetch_places places;
    SHARC_ASSERT(sharc_warc_write_fetch(w, f.date, &f, &places, NULL) == 0);
}

static void make_archive(void)
{
    struct sharc_warc_writer_options o = {.path = warc,
                                          .info = SHARC_SPAN("operator: a test\r\n"),
                                          .plain = true,
                                          .seed = 7};
    struct sharc_warc_writer *w = NULL;
    SHARC_ASSERT(sharc_warc_writer_open(&o, &w, NULL) == 0);
    put_answer(w, "http://a.example/", SHARC_OWN_VISIT, 1, "<p>The price is 1,200 euro.</p>");
    put_answer(w, "http://a.example/b", SHARC_OWN_VISIT, 3, "<p>One number: 5.</p>");
    put_answer(w, "http://a.example/", SHARC_OWN_REVISIT, 10, "<p>The price is 1,200 euro.</p>");
    put_answer(w, "http://a.example/b", SHARC_OWN_REVISIT, 12, "<p>One number: 6.</p>");
    SHARC_ASSERT(sharc_warc_writer_finish(w, NULL) == 0);
    sharc_warc_writer_free(w);
}

static void begin(void)
{
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = NULL;
    struct sharc_certify_made made;
    SHARC_ASSERT(mkdtemp(dir));
    warc = sharc_path_join(dir, "a.warc");
    certificate = sharc_path_join(dir, "certificate.json");
    statement = sharc_path_join(dir, "statement.json");
    edited = sharc_path_join(dir, "edited.json");
    atexit(tidy);
    make_archive();
    const char *paths[] = {warc};
    struct sharc_certify_reading reading = {.paths = paths, .count = 1, .capture = SHARC_TIME_NONE, .threads = 1};
    struct sharc_certify_issue issue = {.now = BEGAN + SHARC_HOUR, .software = "sharc/test", .threads = 1};
    SHARC_ASSERT(sharc_certify_read(&reading, &f, NULL) == 0);
    SHARC_ASSERT(sharc_certify_write(f, &issue, certificate, &made, NULL) == 0);
    SHARC_ASSERT(sharc_file_read(certificate, &honest, NULL) == 0);
    unlink(statement); /* it would be another witness */
}

/* --- edits ------------------------------------------------------------------------------------ */

struct edits {
    const uint8_t *p;
    size_t n;
};

static size_t number(struct edits *e, unsigned bytes)
{
    size_t v = 0;
    for (; bytes > 0 && e->n > 0; bytes--, e->n--) v = v << 8 | *e->p++;
    return v;
}

/* Instead of the bytes from at to behind there stand others. */
static void replace(struct sharc_buf *text, size_t at, size_t behind, struct sharc_span by)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(2u << 20);
    struct sharc_span all = sharc_buf_span(text);
    sharc_buf_put(&out, sharc_span_sub(all, 0, at));
    sharc_buf_put(&out, by);
    sharc_buf_put(&out, sharc_span_from(all, behind));
    sharc_buf_clear(text);
    sharc_buf_put(text, sharc_buf_span(&out));
}

static void apply(struct edits *e, struct sharc_buf *text)
{
    size_t kind = number(e, 1), at = number(e, 2) % (text->n + 1), length = number(e, 1);
    size_t behind = at + length < text->n ? at + length : text->n;
    struct sharc_span bytes = sharc_span(e->p, e->n < length ? e->n : length);
    if (kind % 4 == 3) {
        size_t from = number(e, 2) % (text->n + 1);
        SHARC_AUTO(sharc_freep)
        char *copy = sharc_span_dup(
            sharc_span_sub(sharc_buf_span(text), from, from + length < text->n ? from + length : text->n));
        replace(text, at, at, sharc_span_of(copy));
        return;
    }
    replace(text, at, kind % 4 == 1 ? at : behind, kind % 4 == 2 ? SHARC_SPAN_NONE : bytes);
    if (kind % 4 == 2) return;
    e->p += bytes.n;
    e->n -= bytes.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(2u << 20);
    struct edits e = {data, size};
    if (!honest.n) begin();
    sharc_buf_put(&text, sharc_buf_span(&honest));
    for (unsigned i = 0; i < 16 && e.n > 0; i++) apply(&e, &text);
    FILE *file = fopen(edited, "wb"); /* not sharc_file_replace, which waits for the disk */
    SHARC_ASSERT(file && fwrite(sharc_buf_str(&text), 1, text.n, file) == text.n && fclose(file) == 0);
    const bool same = sharc_span_eq(sharc_buf_span(&text), sharc_buf_span(&honest));
    const char *paths[] = {warc};
    struct sharc_certify_checking o = {.certificate = edited, .paths = paths, .count = 1, .threads = 1};
    struct sharc_certify_checked checked;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_certify_check(&o, &checked, &err);
    if (r < 0) {
        SHARC_ASSERT(!same && err.text[0]);
    } else {
        SHARC_ASSERT(same ? checked.total == 0 && checked.files : checked.total > 0 || checked.rules[0]);
        for (size_t i = 0; i < checked.count; i++) {
            const struct sharc_certify_finding *f = &checked.findings[i];
            SHARC_ASSERT(f->file && f->text && f->text[0]);
            SHARC_ASSERT(f->offset == SHARC_NOWHERE || f->offset <= text.n || strcmp(f->file, "a.warc") == 0);
        }
    }
    sharc_certify_checked_done(&checked);
    return 0;
}
