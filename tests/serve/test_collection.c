/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_test.h"

#include "sharc/archive.h"
#include "sharc/cdx_build.h"
#include "sharc/wacz.h"

#include <stdio.h>

/* --- asking --------------------------------------------------------------------------- */

static struct sharc_collection *open_at(const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_collection *c = NULL;
    must(sharc_collection_open(&path, 1, NULL, &c, &err), &err);
    return c;
}

/* "status timestamp body", or the error. */
static char *wish(struct sharc_collection *c, const struct sharc_wish *w)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    const struct sharc_edition *e = sharc_collection_hold(c);
    int r = sharc_find(e, w, &f, &err);
    if (r == 0) {
        sharc_buf_printf(&out, "%d %.6s ", f->status, f->timestamp + 8);
        size_t before = out.n;
        must(sharc_record_read_all(&f->record, SHARC_WARC_PAYLOAD, &out, &err), &err);
        if (f->size != UINT64_MAX) assert_int_equal(out.n - before, f->size);
    } else {
        sharc_buf_printf(&out, "%s %s", sharc_error_name(r), err.text);
    }
    sharc_found_freep(&f);
    sharc_collection_release(c, e);
    return sharc_strdup(sharc_buf_str(&out));
}

#define assert_wish(want, c, ...)                                  \
    do {                                                           \
        SHARC_AUTO(sharc_freep)                                    \
        char *got_ = wish((c), &(struct sharc_wish){__VA_ARGS__}); \
        assert_string_equal(got_, (want));                         \
    } while (0)
#define URL(text) .url = SHARC_SPAN(text)
#define TIME(text) .timestamp = SHARC_SPAN(text)

/* --- files ------------------------------------------------------------------------------ */

struct story {
    char *dir;
    struct sharc_warc_writer *w;
    struct sharc_collection *c;
};

static int begin(void **state)
{
    struct story *s = SHARC_NEW(struct story);
    s->dir = test_mkdir();
    s->w = warc_begin(s->dir, "a.warc.gz");
    *state = s;
    return 0;
}

static struct sharc_collection *serve(struct story *s)
{
    warc_end(SHARC_TAKE(s->w));
    s->c = open_at(s->dir);
    return s->c;
}

static int end(void **state)
{
    struct story *s = *state;
    sharc_warc_writer_free(s->w);
    sharc_collection_free(s->c);
    test_rmdir(s->dir);
    free(s);
    return 0;
}

/* --- which capture ------------------------------------------------------------------------ */

static void test_mappings(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "one");
    warc_answer(s->w, 100, "http://a.example/", HTML "two");
    warc_answer(s->w, 200, "https://www.a.example/", HTML "three");
    struct sharc_collection *c = serve(s);
    assert_wish("200 100320 three", c, URL("http://a.example/"));
    assert_wish("200 100000 one", c, URL("http://a.example/"), TIME("2001"));
    assert_wish("200 100140 two", c, URL("http://a.example/"), TIME("20261101100140"));
    assert_wish("200 100140 two", c, URL("http://a.example/"), TIME("20261101100100"));
    assert_wish("200 100000 one", c, URL("http://a.example/"), TIME("20261101100040"));
    assert_wish("200 100000 one", c, URL("http://a.example/"), TIME("20261101100139"), .mapping = SHARC_LATEST);
    assert_wish("200 100140 two", c, URL("http://a.example/"), TIME("20261101100140"), .mapping = SHARC_LATEST);
    assert_wish("ENOENT http://a.example/: there is no capture of it at or before that time", c,
                URL("http://a.example/"), TIME("2026"), .mapping = SHARC_LATEST);
    assert_wish("EINVAL \"20261301\" is no time; write 4 to 17 digits, YYYYMMDDhhmmss", c, URL("http://a.example/"),
                TIME("20261301"));
    assert_wish("ENOENT http://b.example/: there is no capture of it", c, URL("http://b.example/"));
}

static void test_errors_are_what_they_were(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/gone", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nno");
    warc_answer(s->w, 1, "http://a.example/busy", "HTTP/1.1 503 Busy\r\n\r\nlater");
    warc_answer(s->w, 2, "http://a.example/c",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    struct sharc_collection *c = serve(s);
    assert_wish("404 100000 no", c, URL("http://a.example/gone"));
    assert_wish("503 100001 later", c, URL("http://a.example/busy"));
    assert_wish("200 100002 abc", c, URL("http://a.example/c"));
}

static void test_redirects_to_itself_are_passed_over(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "https://www.a.example/", HTML "page");
    warc_answer(s->w, 9, "http://a.example/", "HTTP/1.1 301 Moved\r\nLocation: https://a.example/\r\n\r\n");
    warc_answer(s->w, 10, "https://a.example/", "HTTP/1.1 301 Moved\r\nLocation: https://www.a.example/\r\n\r\n");
    warc_answer(s->w, 11, "http://a.example/d", "HTTP/1.1 301 Moved\r\nLocation: /d/#top\r\n\r\n");
    warc_answer(s->w, 12, "http://a.example/e", "HTTP/1.1 301 Moved\r\nLocation: /f\r\n\r\n");
    struct sharc_collection *c = serve(s);
    assert_wish("200 100000 page", c, URL("http://a.example/"), TIME("20261101100010"));
    assert_wish("ENOENT http://a.example/d: all captures of it only redirect to itself", c, URL("http://a.example/d"));
    assert_wish("301 100012 ", c, URL("http://a.example/e"));
}

/* --- revisits ------------------------------------------------------------------------------- */

static void test_revisits(void **state)
{
    struct story *s = *state;
    char digest[SHARC_DIGEST_TEXT], other[SHARC_DIGEST_TEXT];
    struct sharc_warc_place one = warc_answer(s->w, 0, "http://a.example/", HTML "one");
    struct sharc_warc_place two = warc_answer(s->w, 5, "http://a.example/", HTML "two");
    sharc_digest_text(&one.payload, digest);
    sharc_digest_text(&two.payload, other);
    const char *ok = "HTTP/1.1 200 Fine\r\nContent-Type: text/plain\r\n\r\n", *same = "HTTP/1.1 304 Same\r\n\r\n";
    /* another URL, by reference */
    warc_revisit(s->w, 10, &(struct revisit){"http://a.example/x", ok, digest, "http://a.example/", 0});
    /* only the digest */
    warc_revisit(s->w, 20, &(struct revisit){"http://a.example/", ok, digest});
    /* the reference leads to a record that has another digest: the digest counts */
    warc_revisit(s->w, 30, &(struct revisit){"http://a.example/", ok, digest, "http://a.example/", 5});
    /* 304 with what it confirms */
    warc_revisit(s->w, 40, &(struct revisit){"http://a.example/", same, other, "http://a.example/", 5, true});
    /* an original that is nowhere */
    warc_revisit(s->w, 50, &(struct revisit){"http://a.example/y", ok, digest, "http://a.example/z", 0});
    struct sharc_collection *c = serve(s);
    assert_wish("200 100010 one", c, URL("http://a.example/x"));
    assert_wish("200 100020 one", c, URL("http://a.example/"), TIME("20261101100020"));
    assert_wish("200 100030 one", c, URL("http://a.example/"), TIME("20261101100030"));
    assert_wish("ECORRUPT http://a.example/y: the record that a revisit refers to is in none of the files", c,
                URL("http://a.example/y"));
}

static void test_many_revisits_without_original(void **state)
{
    struct story *s = *state;
    const char *same = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", *head = "HTTP/1.1 200 OK\r\n\r\n";
    warc_answer(s->w, 0, "http://a.example/", HTML "one");
    warc_answer(s->w, 0, "http://b.example/", HTML "one");
    for (int i = 1; i <= 400; i++) {
        char other[] = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
        other[10] = (char)('0' + i / 100);
        other[11] = (char)('0' + i / 10 % 10);
        other[12] = (char)('0' + i % 10);
        warc_revisit(s->w, i, &(struct revisit){"http://a.example/", head, same});
        warc_revisit(s->w, i, &(struct revisit){"http://b.example/", head, other});
    }
    struct sharc_collection *c = serve(s);
    assert_wish("200 100000 one", c, URL("http://a.example/"));
    /* Of different digests, each has to be looked for; at some point enough has been read. */
    assert_wish("ECORRUPT http://b.example/: the record that a revisit refers to is in none of the files", c,
                URL("http://b.example/"));
    assert_wish("200 100000 one", c, URL("http://b.example/"), TIME("20261101100010"));
}

static void test_not_modified_without_reference(void **state)
{
    struct story *s = *state;
    struct sharc_digest none;
    char digest[SHARC_DIGEST_TEXT];
    sharc_digest_of(SHARC_SHA1, SHARC_SPAN(""), &none);
    sharc_digest_text(&none, digest);
    warc_answer(s->w, 0, "http://a.example/", HTML "one");
    warc_revisit(s->w, 20, &(struct revisit){"http://a.example/", "HTTP/1.1 200 OK\r\n\r\n", digest, NULL, 0, true});
    warc_answer(s->w, 21, "http://a.example/", HTML "two");
    struct sharc_collection *c = serve(s);
    /* Its head says 200, so nothing tells that the answer before it is meant. */
    assert_wish("200 100021 two", c, URL("http://a.example/"), TIME("20261101100020"));
}

/* An original elsewhere than the revisit: with status 304 lines are in no index that sharc makes. */
static void test_not_modified_in_a_foreign_index(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    char digest[SHARC_DIGEST_TEXT];
    struct sharc_digest none;
    struct sharc_cdx_built built;
    sharc_digest_of(SHARC_SHA1, SHARC_SPAN(""), &none);
    sharc_digest_text(&none, digest);
    warc_answer(s->w, 0, "http://a.example/", HTML "one");
    warc_revisit(s->w, 20, &(struct revisit){"http://a.example/", "HTTP/1.1 304 Same\r\n\r\n", digest, NULL, 0, true});
    warc_answer(s->w, 21, "http://a.example/", HTML "two");
    warc_end(SHARC_TAKE(s->w));
    SHARC_AUTO(sharc_freep) char *index = sharc_path_join(s->dir, "all.cdxj");
    const char *dir = s->dir;
    must(sharc_cdx_build(&dir, 1, index, NULL, NULL, &(struct sharc_cdx_build){.all = true}, &built, &err), &err);
    const char *paths[] = {s->dir, index};
    must(sharc_collection_open(paths, 2, NULL, &s->c, &err), &err);
    assert_wish("200 100020 one", s->c, URL("http://a.example/"), TIME("20261101100020"));
}

/* Three versions in one second, in an index of whole seconds: the dates of the records tell. */
static void test_milliseconds_beyond_the_index(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx_built built;
    static const int at[] = {700, 100, 400};
    for (size_t i = 0; i < SHARC_LENGTH(at); i++) {
        SHARC_AUTO(sharc_freep) char *body = sharc_asprintf("at %d", at[i]);
        struct sharc_warc_entry e = {.type = SHARC_WARC_RESPONSE,
                                     .date = AT(0) + at[i] * SHARC_MSEC + 500,
                                     .target = SHARC_SPAN("http://a.example/")};
        e.block.head = SHARC_SPAN(HTML);
        e.block.body = sharc_span_of(body);
        must(sharc_warc_write(s->w, e.date, &e, NULL, &err), &err);
    }
    warc_end(SHARC_TAKE(s->w));
    SHARC_AUTO(sharc_freep) char *index = sharc_path_join(s->dir, "coarse.cdxj");
    const char *dir = s->dir;
    must(sharc_cdx_build(&dir, 1, index, NULL, NULL, &(struct sharc_cdx_build){0}, &built, &err), &err);
    const char *paths[] = {s->dir, index};
    must(sharc_collection_open(paths, 2, NULL, &s->c, &err), &err);
    assert_wish("200 100000 at 100", s->c, URL("http://a.example/"), TIME("20261101100000300"),
                .mapping = SHARC_LATEST);
    assert_wish("200 100000 at 400", s->c, URL("http://a.example/"), TIME("20261101100000400"),
                .mapping = SHARC_LATEST);
    assert_wish("200 100000 at 700", s->c, URL("http://a.example/"), TIME("20261101100000900"),
                .mapping = SHARC_LATEST);
    assert_wish("200 100000 at 400", s->c, URL("http://a.example/"), TIME("20261101100000300"));
    assert_wish("200 100000 at 700", s->c, URL("http://a.example/"), TIME("20261101100000600"));
}

static void test_requests_that_send(void **state)
{
    struct story *s = *state;
    warc_post(s->w, 0, "http://a.example/f",
              "POST /f HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nq=1", HTML "one");
    warc_post(s->w, 1, "http://a.example/f",
              "POST /f HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nq=2", HTML "two");
    struct sharc_collection *c = serve(s);
    struct sharc_span form = SHARC_SPAN("application/x-www-form-urlencoded"), post = SHARC_SPAN("POST");
    assert_wish("200 100000 one", c, URL("http://a.example/f"), .method = post, .content_type = form,
                .body = SHARC_SPAN("q=1"));
    assert_wish("200 100001 two", c, URL("http://a.example/f"), .method = post, .content_type = form,
                .body = SHARC_SPAN("q=2"));
    assert_wish("ENOENT http://a.example/f: there is no capture of it", c, URL("http://a.example/f"), .method = post,
                .content_type = form, .body = SHARC_SPAN("q=3"));
    assert_wish("ENOENT http://a.example/f: there is no capture of it", c, URL("http://a.example/f"));
}

/* --- files that come and go -------------------------------------------------------------------- */

static void test_new_files_are_seen(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    warc_answer(s->w, 0, "http://a.example/", HTML "one");
    struct sharc_collection *c = serve(s);
    assert_int_equal(sharc_collection_refresh(c, &err), 0);
    const struct sharc_edition *old = sharc_collection_hold(c);
    struct sharc_warc_writer *w = warc_begin(s->dir, "b.warc.gz");
    warc_answer(w, 100, "http://a.example/", HTML "two");
    warc_end(w);
    assert_wish("200 100000 one", c, URL("http://a.example/"));
    assert_int_equal(sharc_collection_refresh(c, &err), 1);
    assert_wish("200 100140 two", c, URL("http://a.example/"));
    assert_int_equal(sharc_edition_files(old), 1);
    sharc_collection_release(c, old);
    assert_int_equal(sharc_collection_refresh(c, &err), 0);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, "b.warc.gz");
    unlink(path);
    assert_int_equal(sharc_collection_refresh(c, &err), 1);
    assert_wish("200 100000 one", c, URL("http://a.example/"));
}

static void test_archive_with_its_index(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx_built built;
    SHARC_AUTO(sharc_freep) char *archive = sharc_path_join(s->dir, "archive");
    SHARC_AUTO(sharc_freep) char *warcs = sharc_archive_path(archive, SHARC_ARCHIVE_WARCS);
    SHARC_AUTO(sharc_freep) char *index = sharc_archive_path(archive, SHARC_ARCHIVE_INDEX);
    must(sharc_archive_make(archive, SHARC_ARCHIVE_WARCS, &err), &err);
    must(sharc_archive_make(archive, SHARC_ARCHIVE_INDEXES, &err), &err);
    struct sharc_warc_writer *w = warc_begin(warcs, "one.warc.gz");
    warc_answer(w, 0, "http://a.example/", HTML "one");
    warc_end(w);
    const char *input = warcs;
    must(sharc_cdx_build(&input, 1, index, NULL, NULL, &(struct sharc_cdx_build){0}, &built, &err), &err);
    s->c = open_at(archive);
    assert_wish("200 100000 one", s->c, URL("http://a.example/"));
    /* A crawl has closed a file and has not yet replaced the index. */
    w = warc_begin(warcs, "two.warc.gz");
    warc_answer(w, 50, "http://a.example/", HTML "two");
    warc_end(w);
    assert_int_equal(sharc_collection_refresh(s->c, &err), 1);
    assert_wish("200 100050 two", s->c, URL("http://a.example/"));
    /* Now it has. */
    must(sharc_cdx_build(&input, 1, index, NULL, NULL, &(struct sharc_cdx_build){0}, &built, &err), &err);
    assert_int_equal(sharc_collection_refresh(s->c, &err), 1);
    assert_wish("200 100050 two", s->c, URL("http://a.example/"));
    assert_wish("200 100000 one", s->c, URL("http://a.example/"), TIME("20261101100000"));
    /* Between an index and the list of what it knows nobody may stay. */
    SHARC_AUTO(sharc_freep) char *list = sharc_asprintf("%s.files", index), *away = sharc_asprintf("%s.away", list);
    assert_int_equal(rename(list, away), 0);
    assert_int_equal(sharc_collection_refresh(s->c, &err), 1);
    assert_int_equal(rename(away, list), 0);
    assert_int_equal(sharc_collection_refresh(s->c, &err), 1);
    assert_int_equal(sharc_collection_refresh(s->c, &err), 0);
}

static void test_containers_and_equal_names(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_wacz_written made;
    warc_answer(s->w, 0, "http://a.example/", HTML "outside");
    warc_end(SHARC_TAKE(s->w));
    SHARC_AUTO(sharc_freep) char *sub = sharc_path_join(s->dir, "sub");
    SHARC_AUTO(sharc_freep) char *wacz = sharc_path_join(s->dir, "c.wacz");
    must(sharc_dir_make(sub, &err), &err);
    struct sharc_warc_writer *w = warc_begin(sub, "a.warc.gz");
    warc_answer(w, 10, "http://a.example/", HTML "below");
    warc_end(w);
    SHARC_AUTO(sharc_freep) char *third = sharc_path_join(s->dir, "third");
    must(sharc_dir_make(third, &err), &err);
    w = warc_begin(third, "a.warc.gz");
    warc_answer(w, 20, "http://a.example/", HTML "packed");
    warc_end(w);
    SHARC_AUTO(sharc_freep) char *packed = sharc_path_join(third, "a.warc.gz");
    const char *in = packed;
    must(sharc_wacz_write(wacz, &in, 1, &(struct sharc_wacz_options){.now = AT(30)}, &made, &err), &err);
    unlink(packed);
    s->c = open_at(s->dir);
    assert_wish("200 100000 outside", s->c, URL("http://a.example/"), TIME("20261101100000"));
    assert_wish("200 100010 below", s->c, URL("http://a.example/"), TIME("20261101100010"));
    assert_wish("200 100020 packed", s->c, URL("http://a.example/"), TIME("20261101100020"));
}

/* --- what is broken ------------------------------------------------------------------------------ */

static void write_file(const char *dir, const char *name, const char *text)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    must(sharc_file_replace(path, sharc_span_of(text), &err), &err);
}

static void test_an_index_that_lies(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_place a = warc_answer(s->w, 0, "http://a.example/", HTML "one");
    warc_end(SHARC_TAKE(s->w));
    SHARC_AUTO(sharc_freep)
    char *lines = sharc_asprintf(
        "example,a)/far 20261101100000 {\"url\": \"http://a.example/far\", \"offset\": \"99999999\", \"filename\": "
        "\"a.warc.gz\"}\n"
        "example,a)/gone 20261101100000 {\"url\": \"http://a.example/gone\", \"offset\": \"0\", \"filename\": "
        "\"b.warc.gz\"}\n"
        "example,a)/none 20261101100000 {\"url\": \"http://a.example/none\", \"filename\": \"a.warc.gz\"}\n"
        "example,a)/other 20261101100000 {\"url\": \"http://a.example/other\", \"offset\": \"%llu\", \"filename\": "
        "\"a.warc.gz\"}\n"
        "example,a)/shift 20261101100000 {\"url\": \"http://a.example/shift\", \"offset\": \"%llu\", \"filename\": "
        "\"a.warc.gz\"}\n",
        (unsigned long long)a.offset, (unsigned long long)a.offset + 1);
    write_file(s->dir, "i.cdxj", lines);
    SHARC_AUTO(sharc_freep) char *index = sharc_path_join(s->dir, "i.cdxj");
    const char *paths[] = {s->dir, index};
    must(sharc_collection_open(paths, 2, NULL, &s->c, &err), &err);
    assert_wish("ECORRUPT http://a.example/far: a.warc.gz ends before offset 99999999, which an index names", s->c,
                URL("http://a.example/far"));
    assert_wish("ECORRUPT http://a.example/gone: b.warc.gz: an index names this file, but it is not served", s->c,
                URL("http://a.example/gone"));
    assert_wish("ECORRUPT http://a.example/none: a line of the index names no record", s->c,
                URL("http://a.example/none"));
    assert_wish("ECORRUPT http://a.example/other: a record is not of the URL that the index says; make the index anew",
                s->c, URL("http://a.example/other"));
    SHARC_AUTO(sharc_freep) char *got = wish(s->c, &(struct sharc_wish){URL("http://a.example/shift")});
    assert_int_equal(strncmp(got, "ECORRUPT", 8), 0);
}

static void count_warning(void *arg, const struct sharc_err *what)
{
    (void)what;
    ++*(unsigned *)arg;
}

static void test_broken_files_do_not_hide_the_others(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    unsigned warnings = 0;
    warc_answer(s->w, 0, "http://a.example/", HTML "one");
    warc_end(SHARC_TAKE(s->w));
    write_file(s->dir, "bad.wacz", "this is no ZIP");
    write_file(s->dir, "bad.warc.gz", "this is no WARC");
    const char *path = s->dir;
    const struct sharc_collection_options o = {.warn = count_warning, .warn_arg = &warnings};
    must(sharc_collection_open(&path, 1, &o, &s->c, &err), &err);
    assert_true(warnings >= 2);
    assert_wish("200 100000 one", s->c, URL("http://a.example/"));
}

static void test_nothing_to_serve(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *empty = sharc_path_join(s->dir, "empty");
    must(sharc_dir_make(empty, &err), &err);
    const char *path = empty;
    assert_int_equal(sharc_collection_open(&path, 1, NULL, &s->c, &err), SHARC_ENOENT);
    path = "/nonexistent/x.warc";
    assert_int_equal(sharc_collection_open(&path, 1, NULL, &s->c, &err), SHARC_ENOENT);
}

/* The first capture of an archive runs, or waits: there is no file yet, and there will be one. */
static void test_an_archive_without_files(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *archive = sharc_path_join(s->dir, "archive");
    must(sharc_archive_make(archive, SHARC_ARCHIVE_WARCS, &err), &err);
    const char *path = archive;
    must(sharc_collection_open(&path, 1, NULL, &s->c, &err), &err);
    assert_wish("ENOENT http://a.example/: there is no capture of it", s->c, URL("http://a.example/"));
    SHARC_AUTO(sharc_freep) char *warcs = sharc_archive_path(archive, SHARC_ARCHIVE_WARCS);
    struct sharc_warc_writer *w = warc_begin(warcs, "first.warc.gz");
    warc_answer(w, 0, "http://a.example/", HTML "one");
    warc_end(w);
    assert_int_equal(sharc_collection_refresh(s->c, &err), 1);
    assert_wish("200 100000 one", s->c, URL("http://a.example/"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_mappings, begin, end),
    cmocka_unit_test_setup_teardown(test_errors_are_what_they_were, begin, end),
    cmocka_unit_test_setup_teardown(test_redirects_to_itself_are_passed_over, begin, end),
    cmocka_unit_test_setup_teardown(test_revisits, begin, end),
    cmocka_unit_test_setup_teardown(test_many_revisits_without_original, begin, end),
    cmocka_unit_test_setup_teardown(test_not_modified_without_reference, begin, end),
    cmocka_unit_test_setup_teardown(test_not_modified_in_a_foreign_index, begin, end),
    cmocka_unit_test_setup_teardown(test_milliseconds_beyond_the_index, begin, end),
    cmocka_unit_test_setup_teardown(test_requests_that_send, begin, end),
    cmocka_unit_test_setup_teardown(test_new_files_are_seen, begin, end),
    cmocka_unit_test_setup_teardown(test_archive_with_its_index, begin, end),
    cmocka_unit_test_setup_teardown(test_containers_and_equal_names, begin, end),
    cmocka_unit_test_setup_teardown(test_an_index_that_lies, begin, end),
    cmocka_unit_test_setup_teardown(test_broken_files_do_not_hide_the_others, begin, end),
    cmocka_unit_test_setup_teardown(test_nothing_to_serve, begin, end),
    cmocka_unit_test_setup_teardown(test_an_archive_without_files, begin, end),
};
TEST_MAIN(tests)
