/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures taken out of an archive that is made here, record by record and row by row.
 */
#include "test.h"

#include "../../src/export/export_int.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"
#include "sharc/export.h"
#include "sharc/wacz.h"
#include "sharc/warc_verify.h"
#include "sharc/warc_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AT(second) ((sharc_time)1793527200 * SHARC_SEC + (second)*SHARC_SEC)
#define HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"

/* --- an archive ------------------------------------------------------------------- */

struct story {
    char *dir, *wacz;
    struct sharc_store *store;
    struct sharc_store_batch *batch;
    struct sharc_warc_writer *w;
    sharc_store_id warc, site;
};

static void must(int r, const struct sharc_err *err)
{
    if (r < 0) fail_msg("%s", err->text);
}

static int begin(void **state)
{
    struct story *s = SHARC_NEW(struct story);
    struct sharc_err err = SHARC_ERR_INIT;
    s->dir = test_mkdir();
    s->wacz = sharc_path_join(s->dir, "out.wacz");
    must(sharc_store_open("memory:", NULL, &s->store, &err), &err);
    sharc_store_batch_new(s->store, &s->batch);
    struct sharc_store_site site = {.name = SHARC_SPAN("a.example"), .seeds = SHARC_SPAN("[\"http://a.example\"]")};
    must(sharc_store_site_put(s->store, &site, &s->site, &err), &err);
    *state = s;
    return 0;
}

static int end(void **state)
{
    struct story *s = *state;
    sharc_warc_writer_free(s->w);
    sharc_store_batch_free(s->batch);
    sharc_store_free(s->store);
    test_rmdir(s->dir);
    free(s->wacz);
    free(s);
    return 0;
}

/* A file of its own for each capture. */
static sharc_store_id add_capture(struct story *s, const char *key, int start, int reference)
{
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id id;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    c.site = s->site;
    c.key = sharc_span_of(key);
    c.source = SHARC_SPAN("crawl");
    c.purpose = SHARC_SPAN("evidence");
    c.start = AT(start);
    c.end = AT(start + 50);
    c.reference = AT(reference);
    c.state = SHARC_CAPTURE_COMPLETE;
    must(sharc_store_capture_add(s->store, &c, &id, NULL, &err), &err);
    if (s->w) must(sharc_warc_writer_finish(s->w, &err), &err);
    sharc_warc_writer_freep(&s->w);
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("warcs/%s.warc.gz", key);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, name);
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(s->dir, "warcs");
    must(sharc_dir_make(dir, &err), &err);
    struct sharc_warc_writer_options o = {.path = path, .seed = (uint64_t)start + 1};
    must(sharc_warc_writer_open(&o, &s->w, &err), &err);
    struct sharc_store_warc w = {.name = sharc_span_of(name)};
    must(sharc_store_warc_open(s->store, &w, &s->warc, NULL, &err), &err);
    return id;
}

/* Write a download; original: what it repeats, or NULL. */
static struct sharc_warc_place write_at(struct story *s, const char *url, int second, const char *body,
                                        const struct sharc_warc_place *original, int original_second, bool not_modified)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_fetch_places p;
    char digest[SHARC_DIGEST_TEXT];
    struct sharc_warc_fetch f = {.date = AT(second),
                                 .target = sharc_span_of(url),
                                 .response = {.head = sharc_span_of(not_modified ? "HTTP/1.1 304 Not Modified\r\n\r\n"
                                                                                 : HTML),
                                              .body = original ? SHARC_SPAN_NONE : sharc_span_of(body),
                                              .fd = -1},
                                 .request = {.head = SHARC_SPAN("GET / HTTP/1.1\r\n\r\n"), .fd = -1},
                                 .not_modified = not_modified,
                                 .original = original};
    if (original) {
        f.original_target = f.target;
        f.original_date = AT(original_second);
        f.original_payload_digest = sharc_span_of(sharc_digest_text(&original->payload, digest));
    }
    must(sharc_warc_write_fetch(s->w, AT(second), &f, &p, &err), &err);
    return p.response;
}

static struct sharc_store_look look_of(const struct story *s, const struct sharc_warc_place *p, int second, int status)
{
    struct sharc_store_look l = SHARC_STORE_LOOK_INIT;
    l.when = AT(second);
    l.status = status;
    l.digest = p->payload;
    l.place = (struct sharc_store_place){s->warc, p->offset, p->length};
    return l;
}

static void add_page(struct story *s, sharc_store_id capture, const char *url, struct sharc_store_look visit,
                     enum sharc_store_record record, struct sharc_store_place body)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    p.capture = capture;
    p.url = sharc_span_of(url);
    p.visit = visit;
    p.record = record;
    p.body = body;
    p.mime = SHARC_SPAN("text/html");
    p.title = SHARC_SPAN("A title");
    must(sharc_store_batch_page(s->batch, &p, &err), &err);
}

static void add_look(struct story *s, sharc_store_id capture, const char *url, enum sharc_look_kind kind,
                     struct sharc_store_look l, int change)
{
    struct sharc_err err = SHARC_ERR_INIT;
    l.change = change;
    must(sharc_store_batch_look(s->batch, capture, sharc_span_of(url), kind, &l, &err), &err);
}

static void finish(struct story *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_batch_commit(s->batch, &err), &err);
    must(sharc_warc_writer_finish(s->w, &err), &err);
}

static struct sharc_export *choose(struct story *s, const char *word)
{
    struct sharc_export *x = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_export_new(s->store, s->dir, &word, 1, &x, &err), &err);
    return x;
}

/* Lines of the WACZ's index: "path time status mime", one below the other. */
static void index_of(const struct story *s, struct sharc_buf *out)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_wacz_closep) struct sharc_wacz *w = NULL;
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = NULL;
    struct sharc_cdx_index *x = sharc_cdx_index_new();
    struct sharc_cdx e;
    must(sharc_wacz_open(s->wacz, &w, &err), &err);
    must(sharc_wacz_add_index(w, x, SHARC_CDX_CHECK_ALL, &err), &err);
    must(sharc_cdx_ask(x, &(struct sharc_cdx_query){.limit = 0}, &c, &err), &err);
    while (sharc_cdx_next(c, &e, &err) > 0)
        sharc_buf_printf(out, "%.*s %.*s %.*s\n", SHARC_SPAN_ARG(sharc_span_from(e.field[SHARC_CDX_URL], 16)),
                         SHARC_SPAN_ARG(sharc_span_from(e.field[SHARC_CDX_TIMESTAMP], 8)),
                         SHARC_SPAN_ARG(e.field[SHARC_CDX_MIME]));
    sharc_cdx_cursor_freep(&c);
    sharc_cdx_index_free(x);
}

static void export_as(struct story *s, const char *word, const char *index)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_export_freep) struct sharc_export *x = choose(s, word);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1 << 20);
    struct sharc_wacz_options o = {.now = AT(9000), .threads = 1};
    struct sharc_wacz_written w;
    must(sharc_export_wacz(x, s->wacz, &o, &w, &err), &err);
    index_of(s, &got);
    assert_string_equal(sharc_buf_str(&got), index);
}

/* --- stories ------------------------------------------------------------------------- */

/* Visits from 10 on, reference at 30, revisits from 31 on. */
static void evidence(struct story *s, int start)
{
    SHARC_AUTO(sharc_freep) char *key = sharc_asprintf("capture-%d", start);
    sharc_store_id c = add_capture(s, key, start, start + 30);
    struct sharc_warc_place a = write_at(s, "http://a.example/", start + 12, "seed", NULL, 0, false);
    struct sharc_warc_place b = write_at(s, "http://a.example/b", start + 11, "old", NULL, 0, false);
    struct sharc_warc_place d = write_at(s, "http://a.example/d", start + 10, "one", NULL, 0, false);
    struct sharc_warc_place d2 = write_at(s, "http://a.example/d", start + 20, "two", NULL, 0, false);
    struct sharc_warc_place a2 = write_at(s, "http://a.example/", start + 31, "", &a, start + 12, true);
    struct sharc_warc_place b2 = write_at(s, "http://a.example/b", start + 32, "new", NULL, 0, false);
    struct sharc_warc_place robots =
        write_at(s, "http://a.example/robots.txt", start + 1, "User-agent: *", NULL, 0, false);
    (void)robots;
    struct sharc_store_place none = {0};
    add_page(s, c, "http://a.example/", look_of(s, &a, start + 12, 200), SHARC_STORE_RESPONSE, none);
    add_page(s, c, "http://a.example/b", look_of(s, &b, start + 11, 200), SHARC_STORE_RESPONSE, none);
    add_page(s, c, "http://a.example/d", look_of(s, &d, start + 10, 200), SHARC_STORE_RESPONSE, none);
    add_look(s, c, "http://a.example/", SHARC_LOOK_REVISIT, look_of(s, &a2, start + 31, 304), SHARC_UNCHANGED);
    add_look(s, c, "http://a.example/b", SHARC_LOOK_REVISIT, look_of(s, &b2, start + 32, 200), SHARC_TEXT_CHANGED);
    add_look(s, c, "http://a.example/d", SHARC_LOOK_SECOND, look_of(s, &d2, start + 20, 200), SHARC_TEXT_CHANGED);
}

static void shows_the_state_of_the_reference_time(void **state)
{
    struct story *s = *state;
    evidence(s, 0);
    finish(s);
    /* The visit of what changed later, the second look of what had changed before. */
    export_as(s, "latest", "/ 100012 text/html\n/b 100011 text/html\n/d 100020 text/html\n");
    struct sharc_wacz_report report;
    assert_int_equal(sharc_wacz_check(s->wacz, NULL, NULL, NULL, &report, NULL), 0);
    assert_int_equal(report.problems, 0);
    /* All records travel, robots.txt among them: warcinfo, and answer and request of seven downloads. */
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *warc = sharc_path_join(s->dir, "all.warc.gz");
    SHARC_AUTO(sharc_export_freep) struct sharc_export *x = choose(s, "1");
    struct sharc_warc_selection sel = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    struct sharc_warc_selected done;
    must(sharc_export_warc(x, warc, &sel, &(struct sharc_warc_merge){.now = AT(9000)}, &done, &err), &err);
    assert_int_equal(done.chosen, 1 + 2 * 7);
    assert_int_equal(sharc_export_sum(x).urls, 3);
    assert_int_equal(sharc_export_sum(x).lost, 0);
}

static void a_look_that_says_nothing_is_passed_over(void **state)
{
    (void)state;
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    struct sharc_store_look look = SHARC_STORE_LOOK_INIT;
    look.place.warc = 1;
    look.status = 200;
    p.visit = p.second = p.revisit = look;
    p.visit.when = 10;
    p.second.when = 20;
    p.revisit.when = 30;
    assert_ptr_equal(sharc__export_shown(&p, 25), &p.second);
    assert_ptr_equal(sharc__export_shown(&p, 20), &p.second);
    assert_ptr_equal(sharc__export_shown(&p, 19), &p.visit);
    assert_ptr_equal(sharc__export_shown(&p, 5), &p.visit); /* nothing is earlier */
    assert_ptr_equal(sharc__export_shown(&p, 99), &p.revisit);
    assert_ptr_equal(sharc__export_shown(&p, SHARC_TIME_NONE), &p.visit);
    p.second.status = 503;
    assert_ptr_equal(sharc__export_shown(&p, 25), &p.visit);
    p.second.status = 404; /* that it was gone is something */
    assert_ptr_equal(sharc__export_shown(&p, 25), &p.second);
    p.visit.status = 500;
    p.second.status = SHARC_ENET;
    assert_ptr_equal(sharc__export_shown(&p, 25), &p.revisit);
    p.revisit.place.warc = 0;
    assert_ptr_equal(sharc__export_shown(&p, 25), &p.visit); /* the error page itself */
    p.visit.place.warc = 0;
    assert_null(sharc__export_shown(&p, 25));
}

static void what_an_outcome_is_called(void **state)
{
    (void)state;
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    assert_string_equal(sharc__export_outcome(&p), "failed");
    p.visit.when = 1;
    p.visit.status = 410;
    assert_string_equal(sharc__export_outcome(&p), "gone");
    p.visit.status = 200;
    assert_string_equal(sharc__export_outcome(&p), "not revisited");
    p.revisit.when = 3;
    p.revisit.change = SHARC_UNCHANGED;
    assert_string_equal(sharc__export_outcome(&p), "unchanged");
    p.second.when = 2; /* changed, and the revisit shows what the second look showed */
    p.second.change = SHARC_TEXT_CHANGED;
    assert_string_equal(sharc__export_outcome(&p), "text changed");
}

static int join_lines(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    (void)reterr;
    sharc_buf_put(arg, line);
    return 0;
}

static void grades_travel(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    evidence(s, 0);
    struct sharc_store_grade g = {SHARC_GRADED_OWN_CONTROL, AT(13), AT(31), SHARC_SPAN("value of input[name=csrf]")};
    must(sharc_store_batch_grade(s->batch, 1, SHARC_SPAN("http://a.example/"), &g, &err), &err);
    g = (struct sharc_store_grade){SHARC_GRADED_CHANGED, SHARC_TIME_NONE, SHARC_TIME_NONE, SHARC_SPAN_NONE};
    must(sharc_store_batch_grade(s->batch, 1, SHARC_SPAN("http://a.example/b"), &g, &err), &err);
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    c.id = 1;
    c.state = SHARC_CAPTURE_COMPLETE;
    c.reference_from = AT(29);
    c.reference_to = AT(31);
    must(sharc_store_batch_capture(s->batch, &c, &err), &err);
    finish(s);
    SHARC_AUTO(sharc_export_freep) struct sharc_export *x = choose(s, "1");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    must(sharc__export_verdicts(x, join_lines, &out, &err), &err);
    assert_non_null(strstr(sharc_buf_str(&out), "\"grade\":2,\"grade_name\":\"volatile\",\"reason\":\"own-control\","
                                                "\"known_from\":\"2026-11-01T10:00:13.000000Z\","
                                                "\"known_to\":\"2026-11-01T10:00:31.000000Z\","
                                                "\"detail\":\"value of input[name=csrf]\""));
    assert_non_null(strstr(sharc_buf_str(&out), "\"grade\":5,\"grade_name\":\"unproved\",\"reason\":\"changed\""));
    sharc_buf_clear(&out);
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    must(sharc__export_about(x, &j, &err), &err);
    sharc_json_end(&j);
    assert_non_null(strstr(sharc_buf_str(&out), "\"grades\":{\"none\":1,\"volatile\":1,\"unproved\":1}"));
    assert_non_null(strstr(sharc_buf_str(&out), "\"reference_from\":\"2026-11-01T10:00:29.000000Z\","
                                                "\"reference_to\":\"2026-11-01T10:00:31.000000Z\""));
}

/* Week 2: the seed is not modified, /b is repeated, /d is new; then week 3 with a changed seed. */
static void weeks(struct story *s)
{
    struct sharc_store_place none = {0};
    sharc_store_id c = add_capture(s, "one", 0, 40);
    struct sharc_warc_place a = write_at(s, "http://a.example/", 10, "seed", NULL, 0, false);
    struct sharc_warc_place b = write_at(s, "http://a.example/b", 11, "same", NULL, 0, false);
    struct sharc_store_place a_place = {s->warc, a.offset, a.length}, b_place = {s->warc, b.offset, b.length};
    add_page(s, c, "http://a.example/", look_of(s, &a, 10, 200), SHARC_STORE_RESPONSE, none);
    add_page(s, c, "http://a.example/b", look_of(s, &b, 11, 200), SHARC_STORE_RESPONSE, none);
    c = add_capture(s, "two", 1000, 1040);
    struct sharc_warc_place a2 = write_at(s, "http://a.example/", 1010, "", &a, 10, true);
    struct sharc_warc_place b2 = write_at(s, "http://a.example/b", 1011, "", &b, 11, false);
    struct sharc_warc_place d2 = write_at(s, "http://a.example/d", 1012, "new", NULL, 0, false);
    add_page(s, c, "http://a.example/", look_of(s, &a2, 1010, 304), SHARC_STORE_NOT_MODIFIED, a_place);
    add_page(s, c, "http://a.example/b", look_of(s, &b2, 1011, 200), SHARC_STORE_IDENTICAL, b_place);
    add_page(s, c, "http://a.example/d", look_of(s, &d2, 1012, 200), SHARC_STORE_RESPONSE, none);
    c = add_capture(s, "three", 2000, 2040);
    struct sharc_warc_place a3 = write_at(s, "http://a.example/", 2010, "other", NULL, 0, false);
    add_page(s, c, "http://a.example/", look_of(s, &a3, 2010, 200), SHARC_STORE_RESPONSE, none);
    finish(s);
}

static void pulls_in_what_earlier_captures_hold(void **state)
{
    struct story *s = *state;
    weeks(s);
    export_as(s, "two", "/ 100010 text/html\n/b 100011 text/html\n/b 101651 warc/revisit\n/d 101652 text/html\n");
    export_as(s, "three", "/ 103330 text/html\n");
}

/* All pages of a capture at one time: that of the reference. */
static void a_series_has_a_record_for_each_time(void **state)
{
    struct story *s = *state;
    weeks(s);
    export_as(s, "all",
              "/ 100010 text/html\n/ 100040 warc/revisit\n/ 101720 warc/revisit\n/ 103330 text/html\n"
              "/ 103400 warc/revisit\n/b 100011 text/html\n/b 100040 warc/revisit\n/b 101720 warc/revisit\n"
              "/d 101652 text/html\n/d 101720 warc/revisit\n");
    SHARC_AUTO(sharc_wacz_closep) struct sharc_wacz *w = NULL;
    struct sharc_span bytes;
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_wacz_open(s->wacz, &w, &err), &err);
    must(sharc_wacz_warc(w, SHARC_SPAN("out-as-of.warc.gz"), &bytes, &err), &err);
    struct sharc_warc_verify_options o = {.name = "made"};
    struct sharc_warc_verified v = {0};
    sharc_findings_init(&v.found);
    must(sharc_warc_verify_bytes(bytes, &o, &v, &err), &err);
    assert_int_equal(v.counts.records, 1 + 2 + 3 + 1);
    sharc_warc_verified_done(&v);
}

static void how_captures_are_named(void **state)
{
    struct story *s = *state;
    weeks(s);
    const struct {
        const char *word, *key;
    } cases[] = {
        {"latest", "three"}, {"2", "two"}, {"one", "one"}, {"a.example", "three"}, {"2026-11-01T10:20:00Z", "two"}};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_export_freep) struct sharc_export *x = choose(s, cases[i].word);
        struct sharc_export_capture c;
        assert_int_equal(sharc_export_sum(x).captures, 1);
        sharc_export_capture(x, 0, &c);
        assert_string_equal(c.key, cases[i].key);
        assert_string_equal(c.seed, "http://a.example/");
    }
    const char *several[] = {"three", "1", "one"};
    struct sharc_export *x = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_export_new(s->store, s->dir, several, 3, &x, &err), &err);
    assert_int_equal(sharc_export_sum(x).captures, 2);
    /* A mirror cannot show two. */
    struct sharc_mirror_options o = {.selection = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE}};
    struct sharc_mirror_made made;
    SHARC_AUTO(sharc_freep) char *mirror = sharc_path_join(s->dir, "mirror");
    assert_int_equal(sharc_export_mirror(x, mirror, &o, &made, &err), SHARC_EINVAL);
    sharc_export_free(x);
    for (const char *const *word = (const char *const[]){"four", "1999-01-01", "", NULL}; *word; word++)
        assert_int_equal(sharc_export_new(s->store, s->dir, word, 1, &x, &err), SHARC_ENOENT);
}

static void a_mirror_shows_one_capture(void **state)
{
    struct story *s = *state;
    evidence(s, 0);
    finish(s);
    SHARC_AUTO(sharc_export_freep) struct sharc_export *x = choose(s, "latest");
    SHARC_AUTO(sharc_freep) char *mirror = sharc_path_join(s->dir, "mirror");
    struct sharc_mirror_options o = {.selection = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE}};
    struct sharc_mirror_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_export_mirror(x, mirror, &o, &made, &err), &err);
    assert_string_equal(made.start, "a.example/index.html");
    assert_int_equal(made.files, 3);
    free(made.start);
    static const char *const files[][2] = {{"b.html", "old"}, {"d.html", "two"}, {"index.html", "seed"}};
    for (size_t i = 0; i < SHARC_LENGTH(files); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/a.example/%s", mirror, files[i][0]);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(4096);
        must(sharc_file_read(path, &text, &err), &err);
        assert_string_equal(sharc_buf_str(&text), files[i][1]);
    }
}

static void what_is_not_there_is_counted(void **state)
{
    struct story *s = *state;
    sharc_store_id c = add_capture(s, "poor", 0, 40);
    struct sharc_warc_place a = {.id = "<urn:uuid:00000000-0000-4000-8000-000000000001>", .payload = {.n = 0}};
    sharc_digest_of(SHARC_SHA256, SHARC_SPAN("gone"), &a.payload);
    struct sharc_warc_place a2 = write_at(s, "http://a.example/", 10, "", &a, 1, true);
    add_page(s, c, "http://a.example/", look_of(s, &a2, 10, 304), SHARC_STORE_NOT_MODIFIED,
             (struct sharc_store_place){0});
    finish(s);
    SHARC_AUTO(sharc_export_freep) struct sharc_export *x = choose(s, "latest");
    assert_int_equal(sharc_export_sum(x).lost, 1);
    export_as(s, "latest", "");
    /* A file that went away is named. */
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_wacz_options o = {.now = AT(9000)};
    struct sharc_wacz_written w;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, "warcs/poor.warc.gz");
    unlink(path);
    assert_int_equal(sharc_export_wacz(x, s->wacz, &o, &w, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "poor.warc.gz"));
    const char *latest = "latest";
    struct sharc_export *none = NULL;
    assert_int_equal(sharc_export_new(s->store, s->dir, &latest, 1, &none, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "restore it"));
    /* One that is still written is no loss. */
    SHARC_AUTO(sharc_freep) char *open = sharc_asprintf("%s.open", path);
    must(sharc_file_replace(open, SHARC_SPAN(""), &err), &err);
    assert_int_equal(sharc_export_new(s->store, s->dir, &latest, 1, &none, &err), SHARC_EBUSY);
}

#define WITH_STORY(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
static const struct CMUnitTest tests[] = {
    WITH_STORY(shows_the_state_of_the_reference_time),
    cmocka_unit_test(a_look_that_says_nothing_is_passed_over),
    cmocka_unit_test(what_an_outcome_is_called),
    WITH_STORY(grades_travel),
    WITH_STORY(pulls_in_what_earlier_captures_hold),
    WITH_STORY(a_series_has_a_record_for_each_time),
    WITH_STORY(how_captures_are_named),
    WITH_STORY(a_mirror_shows_one_capture),
    WITH_STORY(what_is_not_there_is_counted),
};
TEST_MAIN(tests)
