/* SPDX-License-Identifier: Apache-2.0
 *
 * The questions, each with an answer worked out by hand.
 */
#include "store_test.h"

#include "../../src/store/store_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define T0 (1000 * SHARC_DAY)
#define SITE "http://example.org"

static struct sharc_store_rows *ask_pages(struct fixture *f, const struct sharc_store_page_filter *filter)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    must(sharc_store_pages(f->store, filter, &rows, &err), &err);
    return rows;
}

static int next(struct sharc_store_rows *rows)
{
    struct sharc_err err = SHARC_ERR_INIT;
    return must(sharc_store_rows_next(rows, &err), &err);
}

/* --- sites and captures ------------------------------------------------------------- */

static void captures_are_found_by_what_people_call_them(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id id = 0;
    assert_int_equal(sharc_store_capture_find(f->store, SPAN("latest"), &id, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "no capture yet"));
    make_captures(f);
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)f->capture[1]);
    const struct {
        const char *words;
        int want;
    } rows[] = {{number, 1},
                {"week-2", 1},
                {"latest", 2},
                {"example.org", 2},
                {"example.org@1970-01-20", 1},
                {"example.org@1970-01-08T00:00:00Z", 0}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        must(sharc_store_capture_find(f->store, sharc_span_of(rows[i].words), &id, &err), &err);
        assert_int_equal(id, f->capture[rows[i].want]);
    }
    assert_int_equal(sharc_store_capture_find(f->store, SPAN("example.org@1970-01-02"), &id, &err), SHARC_ENOENT);
    assert_int_equal(sharc_store_capture_find(f->store, SPAN("nobody"), &id, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "nobody"));
}

static void captures_are_listed_changed_and_deleted(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT, got;
    bool fresh = true;
    sharc_store_id id;
    /* The same key finds the same capture and leaves it as it is. */
    c.key = SPAN("week-2");
    c.strategy = SPAN("other");
    must(sharc_store_capture_add(f->store, &c, &id, &fresh, &err), &err);
    assert_int_equal(id, f->capture[1]);
    assert_false(fresh);
    /* Without a key one is made. */
    c.key = SPAN_NONE;
    must(sharc_store_capture_add(f->store, &c, &id, &fresh, &err), &err);
    assert_true(fresh);
    struct sharc_store_capture_filter filter = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_rows *rows;
    filter.id = id;
    must(sharc_store_captures(f->store, &filter, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_capture(rows, &got);
    assert_int_equal(strncmp(got.key.p, "capture-", 8), 0);
    assert_true(got.start == SHARC_TIME_NONE);
    sharc_store_rows_free(rows);

    c = (struct sharc_store_capture)SHARC_STORE_CAPTURE_INIT;
    c.id = f->capture[1];
    c.state = SHARC_CAPTURE_COMPLETE;
    c.end = 99 * SHARC_DAY;
    c.params = SPAN("{\"delay\":3}");
    must(sharc_store_capture_update(f->store, &c, &err), &err);
    filter = (struct sharc_store_capture_filter)SHARC_STORE_CAPTURE_FILTER_INIT;
    filter.state = SHARC_CAPTURE_COMPLETE;
    filter.site = f->site;
    must(sharc_store_captures(f->store, &filter, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_capture(rows, &got);
    assert_span(got.key, "week-2");
    assert_span(got.strategy, "bfs");
    assert_span(got.site_name, "example.org");
    assert_span(got.params, "{\"delay\":3}");
    assert_int_equal(got.start, 14 * SHARC_DAY);
    assert_int_equal(got.end, 99 * SHARC_DAY);
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);

    must(sharc_store_captures(f->store, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 4);
    must(sharc_store_capture_delete(f->store, f->capture[1], &err), &err);
    must(sharc_store_captures(f->store, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);
    c.id = 12345;
    assert_int_equal(sharc_store_capture_update(f->store, &c, &err), SHARC_ENOENT);
}

static void warc_files_remember_how_far_they_are(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_warc w = {.name = SPAN("warcs/a.warc.gz"), .size = 5}, got;
    struct sharc_store_batch *b;
    sharc_store_id id;
    sharc_store_batch_new(f->store, &b);
    w = (struct sharc_store_warc){.id = f->warc, .done = 10, .records = 1, .digest = SPAN("sha256:00")};
    must(sharc_store_batch_warc(b, &w, &err), &err);
    w = (struct sharc_store_warc){.id = f->warc, .done = 20, .records = 2, .state = SHARC_STORE_WARC_COMPLETE};
    must(sharc_store_batch_warc(b, &w, &err), &err);
    assert_int_equal(sharc_store_batch_rows(b), 1);
    commit(b);
    w.name = SPAN("warcs/a.warc.gz");
    must(sharc_store_warc_open(f->store, &w, &id, &got, &err), &err);
    assert_int_equal(id, f->warc);
    assert_int_equal(got.size, 1000000);
    assert_int_equal(got.done, 20);
    assert_int_equal(got.records, 2);
    assert_int_equal(got.state, SHARC_STORE_WARC_COMPLETE);
    struct sharc_store_rows *rows;
    must(sharc_store_warcs(f->store, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_warc(rows, &got);
    assert_span(got.name, "warcs/a.warc.gz");
    assert_span(got.digest, "sha256:00");
    sharc_store_rows_free(rows);
    /* A file that is not there refuses the whole batch. */
    w = (struct sharc_store_warc){.id = 999, .done = 20};
    struct sharc_store_page p = page_of(f->capture[0], SITE "/", T0, 200, "x", NULL);
    put_page(b, &p);
    must(sharc_store_batch_warc(b, &w, &err), &err);
    assert_int_equal(sharc_store_batch_commit(b, &err), SHARC_ENOENT);
    assert_int_equal(sharc_store_batch_rows(b), 2);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM page"), 0);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM url"), 0);
    sharc_store_batch_free(b);
}

/* --- pages ------------------------------------------------------------------------------ */

/* What happened to each page from the first capture to the second. */
static const struct story {
    const char *path;
    int status_a, status_b; /* 0: not captured */
    const char *body_a, *body_b, *text_a, *text_b;
    enum sharc_store_difference want;
} stories[] = {
    {"/same", 200, 200, "x", "x", "x", "x", SHARC_DIFF_UNCHANGED},
    {"/markup", 200, 200, "<p>x", "<b>x", "x", "x", SHARC_DIFF_INSIGNIFICANT},
    {"/text", 200, 200, "<p>x", "<p>y", "x", "y", SHARC_DIFF_CHANGED},
    {"/image", 200, 200, "gif1", "gif2", NULL, NULL, SHARC_DIFF_CHANGED},
    {"/new", 0, 200, NULL, "x", NULL, NULL, SHARC_DIFF_NEW},
    {"/gone", 200, 0, "x", NULL, NULL, NULL, SHARC_DIFF_DELETED},
    {"/404", 200, 404, "x", "no", NULL, NULL, SHARC_DIFF_DELETED},
    {"/back", 404, 200, "no", "x", NULL, NULL, SHARC_DIFF_NEW},
    {"/down", 200, 503, "x", "oops", NULL, NULL, SHARC_DIFF_FAILED},
    {"/never", 404, 404, "no", "no", NULL, NULL, SHARC_DIFF_FAILED},
    {"/no-digest", 200, 200, NULL, NULL, NULL, NULL, SHARC_DIFF_FAILED},
    {"/304", 200, 304, "x", "x", NULL, NULL, SHARC_DIFF_UNCHANGED},
    {"/moved", 200, 301, "x", NULL, NULL, NULL, SHARC_DIFF_CHANGED},
    {"/still-moved", 301, 302, NULL, NULL, NULL, NULL, SHARC_DIFF_UNCHANGED},
    {"/Docs/a", 200, 200, "1", "1", NULL, NULL, SHARC_DIFF_UNCHANGED},
    {"/docs/b?q=/x", 200, 200, "1", "2", NULL, NULL, SHARC_DIFF_CHANGED},
    {"/docs/deep/c", 200, 200, "1", "3", NULL, NULL, SHARC_DIFF_CHANGED},
};

static void put_story(struct sharc_store_batch *b, sharc_store_id capture, const struct story *s, bool second)
{
    int status = second ? s->status_b : s->status_a;
    char url[100];
    if (!status) return;
    snprintf(url, sizeof url, SITE "%s", s->path);
    struct sharc_store_page p = page_of(capture, url, T0 + (second ? 7 * SHARC_DAY : 0), status,
                                        second ? s->body_b : s->body_a, second ? s->text_b : s->text_a);
    if (status == 301 || status == 302) p.redirect = SPAN("http://elsewhere.example/");
    p.planned_rate = 0.5;
    put_page(b, &p);
}

static void tell_stories(struct fixture *f)
{
    struct sharc_store_batch *b;
    make_captures(f);
    sharc_store_batch_new(f->store, &b);
    for (size_t i = 0; i < SHARC_LENGTH(stories); i++) put_story(b, f->capture[0], &stories[i], false);
    commit(b);
    for (size_t i = 0; i < SHARC_LENGTH(stories); i++) put_story(b, f->capture[1], &stories[i], true);
    commit(b);
    sharc_store_batch_free(b);
}

static enum sharc_store_difference wanted(struct sharc_span url)
{
    for (size_t i = 0; i < SHARC_LENGTH(stories); i++)
        if (sharc_span_is(sharc_span_from(url, strlen(SITE)), stories[i].path)) return stories[i].want;
    fail_msg("a page nobody put in: %.*s", (int)url.n, url.p);
    return SHARC_DIFF_COUNT;
}

static void two_captures_are_compared(void **state)
{
    struct fixture *f = fixture(state);
    tell_stories(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_pair_filter filter = {.a = f->capture[0], .b = f->capture[1], .features = true};
    uint64_t counts[SHARC_DIFF_COUNT], want[SHARC_DIFF_COUNT] = {0};
    for (size_t i = 0; i < SHARC_LENGTH(stories); i++) want[stories[i].want]++;
    must(sharc_store_compare_counts(f->store, &filter, counts, &err), &err);
    assert_memory_equal(counts, want, sizeof counts);

    struct sharc_store_rows *rows;
    struct sharc_store_pair pair;
    size_t n = 0;
    must(sharc_store_compare(f->store, &filter, &rows, &err), &err);
    while (next(rows)) {
        sharc_store_read_pair(rows, &pair);
        assert_int_equal(pair.difference, wanted(pair.url));
        if (pair.in_a) assert_int_equal(pair.a.visit.when, T0);
        if (pair.in_b) assert_int_equal(pair.b.visit.when, T0 + 7 * SHARC_DAY);
        if (pair.in_b && pair.b.visit.status == 301) assert_span(pair.b.redirect, "http://elsewhere.example/");
        n++;
    }
    sharc_store_rows_free(rows);
    assert_int_equal(n, SHARC_LENGTH(stories));

    filter.only = 1u << SHARC_DIFF_NEW;
    must(sharc_store_compare(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    filter.only = 0;
    filter.prefix = SPAN("http://(org,example,)/docs/");
    must(sharc_store_compare_counts(f->store, &filter, counts, &err), &err);
    assert_int_equal(counts[SHARC_DIFF_CHANGED], 2);
    assert_int_equal(counts[SHARC_DIFF_UNCHANGED], 0);
    /* The other way round; and a capture with itself. */
    filter = (struct sharc_store_pair_filter){.a = f->capture[1], .b = f->capture[0]};
    must(sharc_store_compare_counts(f->store, &filter, counts, &err), &err);
    assert_int_equal(counts[SHARC_DIFF_NEW], want[SHARC_DIFF_DELETED]);
    filter.b = f->capture[1];
    must(sharc_store_compare_counts(f->store, &filter, counts, &err), &err);
    assert_int_equal(counts[SHARC_DIFF_CHANGED] + counts[SHARC_DIFF_NEW] + counts[SHARC_DIFF_DELETED], 0);
    filter.a = f->capture[2];
    must(sharc_store_compare(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 16);
}

/* More pairs than are fetched at once, and rows as a table. */
static void many_pairs_come_in_order(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b;
    make_captures(f);
    sharc_store_batch_new(f->store, &b);
    for (unsigned i = 0; i < 1200; i++) {
        char url[64];
        snprintf(url, sizeof url, SITE "/%u", i);
        for (int k = 0; k < 2; k++) {
            struct sharc_store_page p = page_of(f->capture[k], url, T0 + k, 200, k && i % 2 ? "new" : "old", NULL);
            if ((k == 0 && i % 5) || (k == 1 && i % 7)) put_page(b, &p);
        }
    }
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_store_pair_filter filter = {.a = f->capture[0], .b = f->capture[1]};
    struct sharc_store_rows *rows;
    struct sharc_store_pair pair;
    sharc_store_id last = 0;
    size_t n = 0;
    must(sharc_store_compare(f->store, &filter, &rows, &err), &err);
    while (next(rows)) {
        uint64_t i;
        sharc_store_read_pair(rows, &pair);
        assert_true(pair.url_id > last);
        last = pair.url_id;
        assert_int_equal(sharc_span_to_u64(sharc_span_from(pair.url, strlen(SITE "/")), &i), 0);
        enum sharc_store_difference want = i % 5 == 0   ? SHARC_DIFF_NEW
                                           : i % 7 == 0 ? SHARC_DIFF_DELETED
                                           : i % 2      ? SHARC_DIFF_CHANGED
                                                        : SHARC_DIFF_UNCHANGED;
        assert_int_equal(pair.difference, want);
        n++;
    }
    sharc_store_rows_free(rows);
    assert_int_equal(n, 1200 - 1200 / 35 - 1);
}

static void case_can_be_folded(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b;
    make_captures(f);
    sharc_store_batch_new(f->store, &b);
    static const struct {
        int capture;
        const char *url, *body;
        int when;
    } rows_in[] = {{0, "/Page", "old", 1}, {0, "/page", "new", 2}, {0, "/PAGE", "oldest", 0},
                   {1, "/pagE", "new", 9}, {0, "/other", "x", 1},  {1, "/other", "y", 1}};
    for (size_t i = 0; i < SHARC_LENGTH(rows_in); i++) {
        char url[64];
        snprintf(url, sizeof url, SITE "%s", rows_in[i].url);
        struct sharc_store_page p =
            page_of(f->capture[rows_in[i].capture], url, T0 + rows_in[i].when, 200, rows_in[i].body, NULL);
        put_page(b, &p);
    }
    struct sharc_store_look look = SHARC_STORE_LOOK_INIT;
    look.when = T0;
    must(sharc_store_batch_look(b, f->capture[0], SPAN(SITE "/PAGE"), SHARC_LOOK_REVISIT, &look, &err), &err);
    commit(b);
    uint64_t counts[SHARC_DIFF_COUNT], merged;
    struct sharc_store_pair_filter filter = {.a = f->capture[0], .b = f->capture[1], .fold_case = true};
    must(sharc_store_compare_counts(f->store, &filter, counts, &err), &err);
    assert_int_equal(counts[SHARC_DIFF_UNCHANGED], 1);
    assert_int_equal(counts[SHARC_DIFF_CHANGED], 1);
    assert_int_equal(counts[SHARC_DIFF_NEW] + counts[SHARC_DIFF_DELETED], 0);
    struct sharc_store_rows *rows;
    must(sharc_store_compare(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);

    must(sharc_store_merge_case(f->store, f->capture[0], &merged, &err), &err);
    assert_int_equal(merged, 2);
    must(sharc_store_merge_case(f->store, f->capture[0], &merged, &err), &err);
    assert_int_equal(merged, 0);
    rows = ask_pages(f, &(struct sharc_store_page_filter){.capture = f->capture[0]});
    assert_int_equal(count_rows(rows), 2);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM look"), 0);
    must(sharc_store_skipped(f->store, f->capture[0], "case", &rows, &err), &err);
    struct sharc_store_skip skip_row;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(next(rows), 1);
        sharc_store_read_skip(rows, &skip_row);
        assert_span(skip_row.detail, SITE "/page");
    }
    sharc_store_rows_free(rows);
    sharc_store_batch_free(b);
}

static void pages_are_chosen_and_ordered(void **state)
{
    struct fixture *f = fixture(state);
    tell_stories(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    struct sharc_store_page p = page_of(f->capture[0], SITE "/z.png", T0, 200, "png", NULL);
    p.mime = SPAN("image/png");
    p.visit.slot = 3;
    put_page(b, &p);
    p.url = SPAN(SITE "/a.png");
    p.visit.slot = 9;
    put_page(b, &p);
    commit(b);
    sharc_store_batch_free(b);
    sharc_store_id c = f->capture[0];
    assert_int_equal(count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c})), 18);
    assert_int_equal(count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .answered = true})), 15);
    assert_int_equal(count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .mime = SPAN("image/")})),
                     2);
    assert_int_equal(count_rows(
                         ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .mime = SPAN("image/gif")})),
                     0);
    assert_int_equal(count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c,
                                                                               .prefix = SPAN(
                                                                                   "http://(org,example,)/docs/")})),
                     2);
    struct sharc_store_page q;
    struct sharc_store_rows *rows = ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .by_slot = true});
    assert_int_equal(next(rows), 1);
    sharc_store_read_page(rows, &q);
    assert_span(q.url, SITE "/z.png");
    assert_int_equal(next(rows), 1);
    sharc_store_read_page(rows, &q);
    assert_span(q.url, SITE "/a.png");
    sharc_store_rows_free(rows); /* in the middle */
    rows = ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .by_surt = true});
    assert_int_equal(next(rows), 1);
    sharc_store_read_page(rows, &q);
    assert_span(q.url, SITE "/304");
    sharc_store_rows_free(rows);
}

static void a_url_has_a_history(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    tell_stories(f);
    struct sharc_store_rows *rows;
    struct sharc_store_page p;
    must(sharc_store_history(f->store, SPAN(SITE "/text"), &rows, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(next(rows), 1);
        sharc_store_read_page(rows, &p);
        assert_int_equal(p.capture, f->capture[i]);
    }
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    assert_int_equal(sharc_store_history(f->store, SPAN(SITE "/nowhere"), &rows, &err), SHARC_ENOENT);
}

static void captures_are_summed(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    struct sharc_store_capture_sums sums;
    must(sharc_store_capture_sum(f->store, f->capture[0], &sums, &err), &err);
    assert_int_equal(sums.pages, 0);
    assert_true(sums.first == SHARC_TIME_NONE);
    sharc_store_batch_new(f->store, &b);
    static const int classes[] = {SHARC_NEW, SHARC_UNCHANGED, SHARC_INSIGNIFICANT, SHARC_TEXT_CHANGED, SHARC_NEW};
    for (int i = 0; i < 5; i++) {
        char url[64];
        snprintf(url, sizeof url, SITE "/%d", i);
        struct sharc_store_page p = page_of(f->capture[0], url, T0 + i, i == 4 ? 500 : 200, "12345", "t");
        p.visit.change = classes[i];
        put_page(b, &p);
        struct sharc_store_look look = p.visit;
        look.when += SHARC_HOUR;
        look.change = i == 1 ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED;
        if (i < 3) must(sharc_store_batch_look(b, p.capture, p.url, SHARC_LOOK_REVISIT, &look, &err), &err);
    }
    commit(b);
    sharc_store_batch_free(b);
    must(sharc_store_capture_sum(f->store, f->capture[0], &sums, &err), &err);
    assert_int_equal(sums.pages, 5);
    assert_int_equal(sums.failed, 1);
    assert_int_equal(sums.bytes, 25);
    assert_int_equal(sums.new_pages, 2);
    assert_int_equal(sums.changed, 1);
    assert_int_equal(sums.unchanged, 2);
    assert_int_equal(sums.revisited, 3);
    assert_int_equal(sums.coherent, 2);
    assert_int_equal(sums.with_text, 5);
    assert_int_equal(sums.first, T0);
    assert_int_equal(sums.last, T0 + 2 + SHARC_HOUR);
}

/* --- observations ------------------------------------------------------------------------- */

static void observations_tell_what_changed_when(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    /* Two URLs, so that what is remembered of one does not leak into the other. */
    static const struct {
        int capture;
        enum sharc_look_kind kind;
        int status;
        const char *body, *text;
        bool first, changed;
    } looks[] = {
        {0, SHARC_LOOK_VISIT, 503, "oops", NULL, true, false}, {0, SHARC_LOOK_REVISIT, 200, "a", "a", true, false},
        {1, SHARC_LOOK_VISIT, 200, "<a>", "a", false, false},  {1, SHARC_LOOK_SECOND, 503, "oops", NULL, false, false},
        {1, SHARC_LOOK_REVISIT, 200, "b", "b", false, true},   {2, SHARC_LOOK_VISIT, 404, "no", NULL, false, true},
        {2, SHARC_LOOK_SECOND, 200, "b", "b", false, true},    {2, SHARC_LOOK_REVISIT, 304, NULL, NULL, false, false},
    };
    for (int u = 0; u < 2; u++) {
        const char *url = u ? SITE "/two" : SITE "/one";
        for (size_t i = 0; i < SHARC_LENGTH(looks); i++) {
            struct sharc_store_page p = page_of(f->capture[looks[i].capture], url, T0 + (sharc_time)i * SHARC_DAY,
                                                looks[i].status, looks[i].body, looks[i].text);
            p.visit.last_modified = T0;
            p.images = 4;
            if (looks[i].kind == SHARC_LOOK_VISIT)
                put_page(b, &p);
            else
                must(sharc_store_batch_look(b, p.capture, p.url, looks[i].kind, &p.visit, &err), &err);
        }
    }
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_store_seen_filter filter = {.site = f->site, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    struct sharc_store_rows *rows;
    struct sharc_store_seen seen;
    must(sharc_store_observations(f->store, &filter, &rows, &err), &err);
    for (int u = 0; u < 2; u++) {
        for (size_t i = 0; i < SHARC_LENGTH(looks); i++) {
            assert_int_equal(next(rows), 1);
            sharc_store_read_seen(rows, &seen);
            assert_span(seen.url, u ? SITE "/two" : SITE "/one");
            assert_int_equal(seen.when, T0 + (sharc_time)i * SHARC_DAY);
            assert_int_equal(seen.kind, looks[i].kind);
            assert_int_equal(seen.first, looks[i].first);
            assert_int_equal(seen.changed, looks[i].changed);
            assert_int_equal(seen.last_modified, T0);
            assert_int_equal(seen.images, looks[i].kind == SHARC_LOOK_VISIT ? 4 : -1);
        }
    }
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    filter.from = T0 + SHARC_DAY;
    filter.to = T0 + 2 * SHARC_DAY;
    filter.url = seen.url_id;
    must(sharc_store_observations(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    filter = (struct sharc_store_seen_filter){.site = 4711, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    must(sharc_store_observations(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 0);
}

/* --- links ------------------------------------------------------------------------------------ */

static void put_linked(struct fixture *f, struct sharc_store_batch *b, int capture, const char *from,
                       const char *const *to)
{
    char urls[8][64], url[64];
    struct sharc_store_link links[8];
    size_t n = 0;
    for (; to[n]; n++) {
        snprintf(urls[n], sizeof urls[n], SITE "/%.30s", to[n] + 1);
        links[n] = (struct sharc_store_link){sharc_span_of(urls[n]), to[n][0] == '!'};
    }
    snprintf(url, sizeof url, SITE "/%.30s", from);
    struct sharc_store_page p = page_of(f->capture[capture], url, T0, 200, "x", NULL);
    p.links = links;
    p.n_links = n;
    p.has_links = true;
    put_page(b, &p);
}
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

static void links_can_be_read_compared_and_walked(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    put_linked(f, b, 0, "a", TO(" b", " c", "!img", " a"));
    put_linked(f, b, 0, "b", TO(" a", "!a", " away"));
    put_linked(f, b, 0, "c", (const char *const[]){NULL});
    put_linked(f, b, 1, "a", TO(" c", " d", "!img", " a"));
    put_linked(f, b, 1, "b", TO(" a", "!a", " away"));
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_store_rows *rows;
    struct sharc_store_edge e;
    struct sharc_store_link_filter filter = {.capture = f->capture[0]};
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 7);
    filter.kinds = 1u << 1;
    filter.texts = true;
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_edge(rows, &e);
    assert_span(e.from_url, SITE "/a");
    assert_span(e.to_url, SITE "/img");
    assert_int_equal(next(rows), 1);
    sharc_store_read_edge(rows, &e);
    assert_span(e.from_url, SITE "/b");
    assert_span(e.to_url, SITE "/a");
    assert_int_equal(e.kind, 1);
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    /* Who links to a? */
    filter = (struct sharc_store_link_filter){.capture = f->capture[0], .to = e.to};
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);
    filter = (struct sharc_store_link_filter){.capture = f->capture[0], .from = e.from};
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);

    filter = (struct sharc_store_link_filter){.texts = true};
    must(sharc_store_link_changes(f->store, f->capture[0], f->capture[1], &filter, &rows, &err), &err);
    int came = 0, went = 0;
    while (next(rows)) {
        sharc_store_read_edge(rows, &e);
        assert_span(e.from_url, SITE "/a");
        assert_span(e.to_url, e.change > 0 ? SITE "/d" : SITE "/b");
        came += e.change > 0;
        went += e.change < 0;
    }
    sharc_store_rows_free(rows);
    assert_int_equal(came, 1);
    assert_int_equal(went, 1);

    struct sharc_store_graph g;
    must(sharc_store_graph(f->store, f->capture[0], 0, &g, &err), &err);
    assert_int_equal(g.n, 3);
    assert_true(g.url[0] < g.url[1] && g.url[1] < g.url[2]);
    assert_int_equal(g.at[3], 3); /* a→b, a→c, b→a */
    size_t degrees[3];
    for (int i = 0; i < 3; i++) degrees[i] = (size_t)(g.at[i + 1] - g.at[i]);
    assert_int_equal(degrees[0] * 100 + degrees[1] * 10 + degrees[2], 210);
    assert_int_equal(g.to[2], 0);
    sharc_store_graph_done(&g);
}

/* --- groups ------------------------------------------------------------------------------------- */

static void pages_are_grouped_by_folder_and_content(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    tell_stories(f);
    struct sharc_store_rows *rows;
    struct sharc_store_subsite g;
    must(sharc_store_subsites(f->store, f->capture[1], 1, f->capture[0], &rows, &err), &err);
    static const struct {
        const char *prefix;
        unsigned pages, changed;
    } want[] = {{"http://(org,example,)/", 13, 3},
                {"http://(org,example,)/Docs/", 1, 0},
                {"http://(org,example,)/docs/", 2, 2}};
    for (size_t i = 0; i < SHARC_LENGTH(want); i++) {
        assert_int_equal(next(rows), 1);
        sharc_store_read_subsite(rows, &g);
        assert_span(g.prefix, want[i].prefix);
        assert_int_equal(g.pages, want[i].pages);
        assert_int_equal(g.difference[SHARC_DIFF_CHANGED], want[i].changed);
        assert_close(g.planned_rate, 0.5 * want[i].pages, 1e-9);
    }
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    must(sharc_store_subsites(f->store, f->capture[1], 0, 0, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_subsite(rows, &g);
    assert_span(g.prefix, "http://(org,example,)");
    assert_int_equal(g.pages, 16);
    sharc_store_rows_free(rows);
    must(sharc_store_subsites(f->store, f->capture[0], 2, 0, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 4);

    struct sharc_store_duplicate d;
    must(sharc_store_duplicates(f->store, f->capture[0], false, &rows, &err), &err);
    uint64_t groups = 0, members = 0;
    while (next(rows)) {
        sharc_store_read_duplicate(rows, &d);
        if (d.group == 0) assert_int_equal(d.size, 6); /* "x": same gone 404 down 304 moved */
        groups = d.group + 1;
        members++;
    }
    sharc_store_rows_free(rows);
    assert_int_equal(groups, 3); /* "x", "1", and "<p>x" of markup and text */
    assert_int_equal(members, 6 + 3 + 2);
    must(sharc_store_duplicates(f->store, f->capture[0], true, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);
}

static void skipped_urls_and_slots_come_back_in_order(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    sharc_store_id c = f->capture[0];
    for (unsigned i = 0; i < 30; i++) {
        char url[64];
        snprintf(url, sizeof url, SITE "/%u", i);
        struct sharc_span u = sharc_span_of(url);
        must(sharc_store_batch_skipped(b, c, u, i % 3 ? SPAN("scope") : SPAN("robots"), SPAN_NONE, &err), &err);
        must(sharc_store_batch_skipped(b, c, u, i % 3 ? SPAN("scope") : SPAN("robots"), SPAN("again"), &err), &err);
        struct sharc_store_page p = page_of(c, url, T0 + i, 200, "x", NULL);
        p.visit.slot = i;
        p.visit.change = SHARC_NEW;
        p.hopeless = i == 5;
        put_page(b, &p);
        struct sharc_store_look look = p.visit;
        look.slot = 59 - i;
        look.change = i % 2 ? SHARC_UNCHANGED : SHARC_TEXT_CHANGED;
        look.importance = 0.5;
        look.rate = 0.25;
        must(sharc_store_batch_look(b, c, u, SHARC_LOOK_REVISIT, &look, &err), &err);
    }
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_store_rows *rows;
    must(sharc_store_skipped(f->store, c, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 30);
    must(sharc_store_skipped(f->store, c, "robots", &rows, &err), &err);
    assert_int_equal(count_rows(rows), 10);
    must(sharc_store_skipped_counts(f->store, c, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    struct sharc_store_value v;
    sharc_store_rows_value(rows, 0, &v);
    assert_span(v.s, "scope");
    sharc_store_rows_value(rows, 1, &v);
    assert_int_equal(v.i, 20);
    sharc_store_rows_free(rows);

    struct sharc_store_slot s;
    must(sharc_store_slots(f->store, c, &rows, &err), &err);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(next(rows), 1);
        sharc_store_read_slot(rows, &s);
        assert_int_equal(s.slot, i);
        assert_int_equal(s.kind, i < 30 ? SHARC_LOOK_VISIT : SHARC_LOOK_REVISIT);
        assert_int_equal(s.hopeless, i == 5);
        if (i >= 30) assert_close(s.rate, 0.25, 0);
        if (i == 30) assert_int_equal(s.change, SHARC_UNCHANGED);
        if (i == 31) assert_int_equal(s.change, SHARC_TEXT_CHANGED);
    }
    sharc_store_rows_free(rows);
}

static void rates_patterns_and_models_are_replaced(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    for (int i = 0; i < 2; i++) {
        struct sharc_store_rate r = {.url = SPAN(SITE "/"), .source = SPAN("history"), .value = 1e-6 * (i + 1)};
        r.low = 1e-7;
        r.high = (double)INFINITY;
        r.observations = 12;
        r.when = T0;
        struct sharc_store_model m = {.name = SPAN("m"),
                                      .kind = SPAN("rate"),
                                      .data = SPAN("\0\xff\1"),
                                      .when = T0 + i};
        m.info = SPAN("{\"accuracy\":0.9}");
        must(sharc_store_model_put(f->store, &m, &err), &err);
        struct sharc_store_batch *b;
        sharc_store_batch_new(f->store, &b);
        must(sharc_store_batch_rate(b, &r, &err), &err);
        r.source = SPAN("sitemap");
        must(sharc_store_batch_rate(b, &r, &err), &err);
        must(sharc_store_batch_pattern(b, SPAN(SITE "/"), sharc_span(i ? "\0b" : "\0a", 2), i, T0, &err), &err);
        commit(b);
        sharc_store_batch_free(b);
    }
    struct sharc_store_rate r;
    must(sharc_store_rates(f->store, 0, "history", &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_rate(rows, &r);
    assert_span(r.url, SITE "/");
    assert_close(r.value, 2e-6, 0);
    assert_close(r.low, 1e-7, 0);
    assert_true(isnan(r.high)); /* no database has to know infinity */
    assert_int_equal(r.when, T0);
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    must(sharc_store_rates(f->store, 0, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    struct sharc_store_model m;
    must(sharc_store_models(f->store, "m", &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_model(rows, &m);
    assert_int_equal(m.data.n, 3);
    assert_memory_equal(m.data.p, "\0\xff\1", 3);
    assert_int_equal(m.when, T0 + 1);
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    struct sharc_store_pattern p;
    must(sharc_store_patterns(f->store, 0, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_pattern(rows, &p);
    assert_memory_equal(p.data.p, "\0b", 2);
    assert_int_equal(p.group, 1);
    sharc_store_rows_free(rows);
}

/* --- tables -------------------------------------------------------------------------------------- */

static void every_table_can_be_exported(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    make_captures(f);
    for (int full = 0; full < 2; full++) {
        for (const char *const *name = sharc_store_tables(); *name; name++) {
            AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
            must(sharc_store_table(f->store, *name, f->capture[0], &rows, &err), &err);
            size_t columns = sharc_store_rows_columns(rows);
            assert_true(columns >= 2);
            for (size_t i = 0; i < columns; i++) assert_non_null(sharc_store_rows_name(rows, i));
            while (next(rows))
                for (size_t i = 0; i < columns; i++) {
                    struct sharc_store_value v;
                    sharc_store_rows_value(rows, i, &v);
                    assert_int_equal(sharc_store_value_text(rows, i, &v, &out), 0);
                    sharc_buf_put_char(&out, ' ');
                }
            sharc_store_rows_free(rows);
            if (full && strcmp(*name, "page") == 0) {
                assert_non_null(strstr(out.p, "http://example.org/same"));
                assert_non_null(strstr(out.p, "1972-09-27T00:00:00.000000Z"));
                assert_non_null(strstr(out.p, "sha256:2d711642"));
            }
            if (full && strcmp(*name, "capture") == 0) assert_non_null(strstr(out.p, "running"));
        }
        if (full) break;
        struct sharc_store_batch *b;
        sharc_store_batch_new(f->store, &b);
        for (size_t i = 0; i < SHARC_LENGTH(stories); i++) put_story(b, f->capture[0], &stories[i], false);
        put_linked(f, b, 0, "a", TO(" b", "!c"));
        commit(b);
        sharc_store_batch_free(b);
    }
    assert_int_equal(sharc_store_table(f->store, "pages", 0, &rows, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "observation"));
    assert_int_equal(sharc_store_table(f->store, "duplicate", 0, &rows, &err), SHARC_EINVAL);
    must(sharc_store_table(f->store, "link", 0, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
}

static void cursors_live_beside_each_other_and_commits(void **state)
{
    struct fixture *f = fixture(state);
    tell_stories(f);
    struct sharc_store_rows *a = ask_pages(f, &(struct sharc_store_page_filter){.capture = f->capture[0]});
    struct sharc_store_rows *b = ask_pages(f, &(struct sharc_store_page_filter){.capture = f->capture[0]});
    struct sharc_store_batch *batch;
    sharc_store_batch_new(f->store, &batch);
    size_t n = 0;
    while (next(a)) {
        char url[64];
        struct sharc_store_page p, q;
        assert_int_equal(next(b), 1);
        sharc_store_read_page(a, &p);
        sharc_store_read_page(b, &q);
        assert_int_equal(p.url_id, q.url_id);
        snprintf(url, sizeof url, SITE "/late/%zu", n++);
        p = page_of(f->capture[2], url, T0, 200, "x", NULL);
        put_page(batch, &p);
        commit(batch);
    }
    assert_int_equal(n, 16);
    sharc_store_rows_free(b);
    sharc_store_rows_free(a);
    sharc_store_batch_free(batch);
}

/* --- plans ---------------------------------------------------------------------------------------- */

/* SQLite's plan for a statement seen by the trace: large tables are searched by key, never read from end to end. */
static void explain(void *arg, const char *sql, double seconds)
{
    struct sharc_store *other = arg;
    struct sharc_err err = SHARC_ERR_INIT;
    (void)seconds;
    if (strncmp(sql, "SELECT", 6) != 0 || strstr(sql, " WHERE key") || strstr(sql, " WHERE id")) return;
    struct sharc_store_value none[16] = {{.type = SHARC_STORE_NULL}};
    size_t n = 0;
    char dollar[8] = "$1";
    while (n < 16 && strstr(sql, dollar)) snprintf(dollar, sizeof dollar, "$%zu", ++n + 1);
    AUTO(sharc_freep) char *text = sharc_asprintf("EXPLAIN QUERY PLAN %s", sql);
    struct sharc__cursor *c;
    must(other->db->ops->query(other->db, text, none, n, false, &c, &err), &err);
    while (must(c->ops->next(c, &err), &err) > 0) {
        struct sharc_span step = sharc__cursor_span(c, 3);
        static const char *const large[] = {"SCAN p", "SCAN o", "SCAN l", "SCAN k", "SCAN page", "SCAN look"};
        for (size_t i = 0; i < SHARC_LENGTH(large); i++)
            if (sharc_span_eq(step, sharc_span_of(large[i]))) fail_msg("%s: %.*s", sql, (int)step.n, step.p);
    }
    c->ops->free(c);
}

static void questions_go_by_key(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    tell_stories(f);
    struct sharc_store *other = fixture_again(f, NULL);
    struct sharc_store_rows *rows;
    struct sharc_store_capture_sums sums;
    uint64_t counts[SHARC_DIFF_COUNT];
    sharc_store_id a = f->capture[0], b = f->capture[1], url;
    must(sharc_store_url_find(f->store, SPAN(SITE "/text"), &url, &err), &err);
    sharc_store_trace(f->store, explain, other);
    must(sharc_store_history(f->store, SPAN(SITE "/text"), &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    struct sharc_store_seen_filter seen = {.site = f->site, .url = url, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    must(sharc_store_observations(f->store, &seen, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    seen.url = 0;
    must(sharc_store_observations(f->store, &seen, &rows, &err), &err);
    sharc_store_rows_free(rows);
    struct sharc_store_page_filter pages = {.capture = a, .looks = true, .features = true, .prefix = SPAN("http://(")};
    assert_int_equal(count_rows(ask_pages(f, &pages)), 16);
    pages.by_slot = true;
    assert_int_equal(count_rows(ask_pages(f, &pages)), 16);
    struct sharc_store_pair_filter pair = {.a = a, .b = b, .features = true};
    must(sharc_store_compare_counts(f->store, &pair, counts, &err), &err);
    must(sharc_store_compare(f->store, &pair, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 17);
    struct sharc_store_link_filter links = {.capture = a, .from = url};
    must(sharc_store_links(f->store, &links, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 0);
    must(sharc_store_link_changes(f->store, a, b, &links, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 0);
    must(sharc_store_slots(f->store, a, &rows, &err), &err);
    sharc_store_rows_free(rows);
    must(sharc_store_skipped(f->store, a, NULL, &rows, &err), &err);
    sharc_store_rows_free(rows);
    must(sharc_store_capture_sum(f->store, a, &sums, &err), &err);
    sharc_store_free(other);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(captures_are_found_by_what_people_call_them),
    ON_EACH(captures_are_listed_changed_and_deleted),
    ON_EACH(warc_files_remember_how_far_they_are),
    ON_EACH(two_captures_are_compared),
    ON_EACH(many_pairs_come_in_order),
    ON_EACH(case_can_be_folded),
    ON_EACH(pages_are_chosen_and_ordered),
    ON_EACH(a_url_has_a_history),
    ON_EACH(captures_are_summed),
    ON_EACH(observations_tell_what_changed_when),
    ON_EACH(links_can_be_read_compared_and_walked),
    ON_EACH(pages_are_grouped_by_folder_and_content),
    ON_EACH(skipped_urls_and_slots_come_back_in_order),
    ON_EACH(rates_patterns_and_models_are_replaced),
    ON_EACH(every_table_can_be_exported),
    ON_EACH(cursors_live_beside_each_other_and_commits),
    {"questions_go_by_key (sqlite)", questions_go_by_key, fixture_setup, fixture_teardown, (char *)"sqlite"},
};

TEST_MAIN(tests)
