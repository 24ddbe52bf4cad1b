/* SPDX-License-Identifier: Apache-2.0
 *
 * An index made of notes is the one that reading the files gives, byte by byte; and
 * where notes cannot be right, the files are read.
 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/warc_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AT ((sharc_time)1793527200 * SHARC_SEC + 123456)
#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
#define GET "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"

struct story {
    char *dir, *output;
    struct sharc_warc_writer *w;
    struct sharc_cdx_notes *notes;
    struct sharc_warc_place first; /* what revisits refer to */
    sharc_time now;
    bool mute; /* write without a note */
};

static void begin(struct story *s, uint64_t roll)
{
    *s = (struct story){.dir = test_mkdir(), .now = AT};
    struct sharc_warc_writer_options o = {.dir = s->dir, .site = "a", .host = "h", .seed = 5, .level = 1, .roll = roll};
    assert_int_equal(sharc_warc_writer_open(&o, &s->w, NULL), 0);
    s->notes = sharc_cdx_notes_new(s->dir, 2);
    s->output = sharc_path_join(s->dir, "index.cdxj");
}

static void end(struct story *s)
{
    sharc_warc_writer_free(s->w);
    sharc_cdx_notes_free(s->notes);
    test_rmdir(s->dir);
    free(s->output);
}

static void put(struct story *s, struct sharc_warc_fetch f)
{
    struct sharc_warc_fetch_places p;
    struct sharc_err err = SHARC_ERR_INIT;
    f.date = s->now += SHARC_SEC + 1;
    f.response.fd = f.request.fd = -1;
    if (!f.request.head.p) f.request.head = SHARC_SPAN(GET);
    if (sharc_warc_write_fetch(s->w, s->now, &f, &p, &err) < 0) fail_msg("%s", err.text);
    if (!s->first.length) s->first = p.response;
    if (!s->mute) sharc_cdx_notes_add(s->notes, &f, &p);
}

static void put_page(struct story *s, const char *url, const char *head)
{
    put(s, (struct sharc_warc_fetch){.target = sharc_span_of(url),
                                     .ip = SHARC_SPAN("192.0.2.1"),
                                     .response = {.head = sharc_span_of(head), .body = SHARC_SPAN("<p>text")},
                                     .metadata = SHARC_SPAN("via: http://a.example/\r\n")});
}

static void put_revisit(struct story *s, const char *url, bool not_modified)
{
    char digest[SHARC_DIGEST_TEXT];
    sharc_digest_text(&s->first.payload, digest);
    put(s, (struct sharc_warc_fetch){.target = sharc_span_of(url),
                                     .response = {.head = not_modified ? SHARC_SPAN("HTTP/1.1 304 Not Modified\r\n\r\n")
                                                                       : SHARC_SPAN(OK_HEAD)},
                                     .not_modified = not_modified,
                                     .original = &s->first,
                                     .original_target = sharc_span_of(url),
                                     .original_date = AT,
                                     .original_payload_digest = sharc_span_of(digest)});
}

static void list_files(const struct story *s, char ***ret, size_t *ret_n)
{
    char **names = NULL;
    size_t count = 0, n = 0;
    assert_int_equal(sharc_dir_list(s->dir, &names, &count, NULL), 0);
    *ret = SHARC_NEW_ARRAY(char *, count);
    for (size_t i = 0; i < count; i++)
        if (sharc_span_ends(sharc_span_of(names[i]), SHARC_SPAN(".warc.gz")))
            (*ret)[n++] = sharc_path_join(s->dir, names[i]);
    sharc_names_free(names, count);
    *ret_n = n;
}

static void build(const struct story *s, const char *output, struct sharc_cdx_notes *notes, struct sharc_cdx_built *ret)
{
    char **files = NULL;
    size_t n = 0;
    struct sharc_err err = SHARC_ERR_INIT;
    list_files(s, &files, &n);
    struct sharc_cdx_build o = {.threads = 2, .lenient = true, .notes = notes};
    if (sharc_cdx_build((const char *const *)files, n, output, NULL, NULL, &o, ret, &err) < 0) fail_msg("%s", err.text);
    sharc_names_free(files, n);
}

static void assert_same_file(const char *one, const char *other)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(64u << 20), b = SHARC_BUF_INIT(64u << 20);
    assert_int_equal(sharc_file_read(one, &a, NULL), 0);
    assert_int_equal(sharc_file_read(other, &b, NULL), 0);
    size_t at = 0;
    for (size_t i = 0; i < a.n && i < b.n && a.p[i] == b.p[i]; i++) at = a.p[i] == '\n' ? i + 1 : at;
    if (!sharc_span_eq(sharc_buf_span(&a), sharc_buf_span(&b)))
        fail_msg("%s: %.300s\n%s: %.300s", one, sharc_buf_str(&a) + at, other, sharc_buf_str(&b) + at);
}

/* Finish the files and index them, with notes and anew; both must be the same. */
static struct sharc_cdx_built check(struct story *s)
{
    struct sharc_cdx_built built, fresh;
    SHARC_AUTO(sharc_freep) char *other = sharc_path_join(s->dir, "fresh.cdxj");
    SHARC_AUTO(sharc_freep) char *list = sharc_asprintf("%s.files", s->output);
    SHARC_AUTO(sharc_freep) char *other_list = sharc_asprintf("%s.files", other);
    assert_int_equal(sharc_warc_writer_finish(s->w, NULL), 0);
    build(s, s->output, s->notes, &built);
    unlink(other);
    unlink(other_list);
    build(s, other, NULL, &fresh);
    assert_same_file(s->output, other);
    assert_same_file(list, other_list);
    assert_int_equal(built.lines, fresh.lines);
    return built;
}

static void put_kinds(struct story *s)
{
    put_page(s, "http://a.example/", OK_HEAD);
    put_page(s, "http://www.a.example:80/B?z=1&a=%20x#f", OK_HEAD);
    put_page(s, "http://a.example/none", "HTTP/1.1 200\r\n\r\n");
    put_page(s, "http://a.example/odd", "HTTP/1.1 7 x\r\nContent-Type: ;\r\n\r\n");
    put_page(s, "http://a.example/gone", "HTTP/1.1 404 Not Found\nContent-Type: TEXT/Plain\n\n");
    put_page(s, "http://a.example/moved", "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n");
    put_page(s, "http://a.example/interim", "HTTP/1.1 100 Continue\r\n\r\n" OK_HEAD);
    put_page(s, "http://a.example/no-http", "not a head\r\n\r\n");
    put_page(s, "http://a.example/\xc3\xa4\"quoted\"\\", OK_HEAD);
    put_page(s, "urn:other", OK_HEAD);
    put_revisit(s, "http://a.example/", false);
    put_revisit(s, "http://a.example/", true);
    put(s, (struct sharc_warc_fetch){.target = SHARC_SPAN("http://a.example/chunks"),
                                     .response = {.head = SHARC_SPAN(
                                                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                                                  .body = SHARC_SPAN("3\r\nabc\r\n0\r\n\r\n")},
                                     .truncated = "length"});
}

static void notes_are_what_reading_gives(void **state)
{
    (void)state;
    struct story s;
    begin(&s, 0);
    put_kinds(&s);
    struct sharc_cdx_built b = check(&s);
    assert_int_equal(b.bytes, 0); /* nothing was read */
    assert_int_equal(b.files, 1);
    assert_true(b.lines >= 12);
    end(&s);
}

/* They are no versions of their page: no line, noted or read. */
static void control_downloads_have_no_line(void **state)
{
    (void)state;
    struct story s;
    begin(&s, 0);
    put_page(&s, "http://a.example/", OK_HEAD);
    for (int i = 0; i < 2; i++)
        put(&s, (struct sharc_warc_fetch){.target = SHARC_SPAN("http://a.example/"),
                                          .response = {.head = SHARC_SPAN(OK_HEAD), .body = SHARC_SPAN("<p>other")},
                                          .control = true,
                                          .metadata = SHARC_SPAN("sharc-kind: control\r\n")});
    put_page(&s, "http://a.example/b", OK_HEAD);
    struct sharc_cdx_built b = check(&s);
    assert_int_equal(b.bytes, 0);
    assert_int_equal(b.lines, 2);
    end(&s);
}

static void files_that_roll_over(void **state)
{
    (void)state;
    struct story s;
    begin(&s, 3000);
    for (int i = 0; i < 6; i++) put_kinds(&s);
    struct sharc_cdx_built b = check(&s);
    assert_int_equal(b.bytes, 0);
    assert_true(b.files > 5);
    /* Used up, and nothing is to be done. */
    build(&s, s.output, s.notes, &b);
    assert_int_equal(b.files, 0);
    end(&s);
}

/* More than fits into memory. */
static void many_lines(void **state)
{
    (void)state;
    struct story s;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf url = SHARC_BUF_INIT(10000);
    begin(&s, 0);
    for (int i = 0; i < 700; i++) {
        sharc_buf_clear(&url);
        sharc_buf_printf(&url, "http://a.example/%d?q=", i * 7919 % 1000);
        while (url.n < 7000) sharc_buf_put(&url, SHARC_SPAN("long"));
        put_page(&s, sharc_buf_str(&url), OK_HEAD);
    }
    struct sharc_cdx_built b = check(&s);
    assert_int_equal(b.bytes, 0);
    assert_int_equal(b.lines, 700);
    end(&s);
}

/* A file from before, whose writer was killed, and an index that knows other files. */
static void other_files_are_read(void **state)
{
    (void)state;
    struct story s;
    struct sharc_cdx_built b;
    begin(&s, 0);
    put_page(&s, "http://a.example/before", OK_HEAD);
    check(&s); /* the index of an earlier run */
    sharc_cdx_notes_freep(&s.notes);
    s.mute = true;
    put_page(&s, "http://a.example/killed", OK_HEAD);
    assert_int_equal(sharc_warc_writer_finish(s.w, NULL), 0);
    s.mute = false;
    s.notes = sharc_cdx_notes_new(s.dir, 2);
    put_kinds(&s);
    b = check(&s);
    assert_int_equal(b.files, 2);
    assert_int_equal(b.unchanged, 1);
    assert_true(b.bytes > 0);
    end(&s);
}

static void append(const struct story *s)
{
    char **files = NULL;
    size_t n = 0;
    list_files(s, &files, &n);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    assert_int_equal(sharc_file_read(files[0], &bytes, NULL), 0);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf twice = SHARC_BUF_INIT(1u << 20);
    sharc_buf_put(&twice, sharc_buf_span(&bytes));
    sharc_buf_put(&twice, sharc_buf_span(&bytes));
    assert_int_equal(sharc_file_replace(files[0], sharc_buf_span(&twice), NULL), 0);
    sharc_names_free(files, n);
}

enum oddity { A_GAP, A_POST, A_CHANGED_FILE, NO_END_OF_HEAD, A_BLANK, A_MISSING_FILE, ODDITIES };

static void put_oddity(struct story *s, enum oddity what)
{
    struct sharc_warc_fetch post = {.target = SHARC_SPAN("http://a.example/form"),
                                    .response = {.head = SHARC_SPAN(OK_HEAD), .body = SHARC_SPAN("x")},
                                    .request = {.head = SHARC_SPAN("POST /form HTTP/1.1\r\nContent-Type: "
                                                                   "application/x-www-form-urlencoded\r\n\r\n"),
                                                .body = SHARC_SPAN("q=1")}};
    s->mute = what == A_GAP;
    if (what == A_GAP) put_page(s, "http://a.example/unknown", OK_HEAD);
    s->mute = false;
    if (what == A_POST) put(s, post);
    if (what == NO_END_OF_HEAD) put_page(s, "http://a.example/cut", "HTTP/1.1 200 OK\r\nContent-Type: a/b");
    if (what == A_BLANK) put_page(s, "http://a.example/a b", OK_HEAD);
    put_page(s, "http://a.example/last", OK_HEAD);
}

static void notes_that_cannot_be_right(void **state)
{
    (void)state;
    for (int what = 0; what < ODDITIES; what++) {
        struct story s;
        char **files = NULL;
        size_t n = 0;
        begin(&s, what == A_MISSING_FILE ? 2000 : 0);
        put_kinds(&s);
        put_oddity(&s, (enum oddity)what);
        assert_int_equal(sharc_warc_writer_finish(s.w, NULL), 0);
        if (what == A_CHANGED_FILE) append(&s);
        list_files(&s, &files, &n);
        if (what == A_MISSING_FILE) assert_int_equal(unlink(files[0]), 0);
        sharc_names_free(files, n);
        struct sharc_cdx_built b = check(&s);
        assert_true(b.bytes > 0);
        end(&s);
    }
}

/* --- answers 304 --------------------------------------------------------------- */

static void build_as(const struct story *s, const char *output, bool all, struct sharc_cdx_built *ret)
{
    char **files = NULL;
    size_t n = 0;
    struct sharc_err err = SHARC_ERR_INIT;
    list_files(s, &files, &n);
    struct sharc_cdx_build o = {.threads = 1, .all = all};
    if (sharc_cdx_build((const char *const *)files, n, output, NULL, NULL, &o, ret, &err) < 0) fail_msg("%s", err.text);
    sharc_names_free(files, n);
}

static size_t count_in(const char *path, const char *what)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    assert_int_equal(sharc_file_read(path, &text, NULL), 0);
    size_t n = 0;
    for (const char *p = sharc_buf_str(&text); (p = strstr(p, what)); p += strlen(what)) n++;
    return n;
}

#define BLANK "\"status\": \"304\""

/* A replay tool that takes the line of a 304 shows an empty page. */
static void an_index_for_replay_has_no_304(void **state)
{
    (void)state;
    struct story s;
    begin(&s, 0);
    put_page(&s, "http://a.example/", OK_HEAD);
    put_revisit(&s, "http://a.example/", true);
    put_revisit(&s, "http://a.example/", false);
    put_page(&s, "http://a.example/304", "HTTP/1.1 304 Not Modified\r\n\r\n");
    struct sharc_cdx_built b = check(&s);
    assert_int_equal(b.bytes, 0); /* of notes, and of the file: the same */
    assert_int_equal(b.lines, 2);
    assert_int_equal(count_in(s.output, BLANK), 0);
    assert_int_equal(count_in(s.output, "warc/revisit"), 1);
    end(&s);
}

/* The same index wanted with all lines, and then for replay again. */
static void an_index_changes_its_mind(void **state)
{
    (void)state;
    struct story s;
    struct sharc_cdx_built b;
    begin(&s, 0);
    put_page(&s, "http://a.example/", OK_HEAD);
    put_revisit(&s, "http://a.example/", true);
    check(&s);
    build_as(&s, s.output, true, &b);
    assert_int_equal(b.files, 1); /* its 304s were not there: read again */
    assert_int_equal(b.lines, 2);
    assert_int_equal(count_in(s.output, BLANK), 1);
    build_as(&s, s.output, true, &b);
    assert_int_equal(b.unchanged, 1);
    build_as(&s, s.output, false, &b);
    assert_int_equal(b.bytes, 0); /* nothing need be read to leave lines out */
    assert_int_equal(b.lines, 1);
    assert_int_equal(count_in(s.output, BLANK), 0);
    build_as(&s, s.output, false, &b);
    assert_int_equal(b.lines, 1);
    assert_int_equal(b.unchanged, 1);
    end(&s);
}

/* A list of files without "replay" is of a version that left nothing out. */
static void an_older_index_loses_its_304s(void **state)
{
    (void)state;
    struct story s;
    struct sharc_cdx_built b;
    begin(&s, 0);
    put_page(&s, "http://a.example/", OK_HEAD);
    put_revisit(&s, "http://a.example/", true);
    assert_int_equal(sharc_warc_writer_finish(s.w, NULL), 0);
    build_as(&s, s.output, true, &b);
    SHARC_AUTO(sharc_freep) char *list = sharc_asprintf("%s.files", s.output);
    assert_int_equal(count_in(list, "replay"), 0);
    build_as(&s, s.output, false, &b);
    assert_int_equal(b.files, 0);
    assert_int_equal(b.lines, 1);
    assert_int_equal(count_in(list, "\"replay\":true"), 1);
    end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(notes_are_what_reading_gives),   cmocka_unit_test(control_downloads_have_no_line),
    cmocka_unit_test(files_that_roll_over),           cmocka_unit_test(many_lines),
    cmocka_unit_test(other_files_are_read),           cmocka_unit_test(notes_that_cannot_be_right),
    cmocka_unit_test(an_index_for_replay_has_no_304), cmocka_unit_test(an_index_changes_its_mind),
    cmocka_unit_test(an_older_index_loses_its_304s),
};
TEST_MAIN(tests)
