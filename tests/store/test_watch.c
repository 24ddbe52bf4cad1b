/* SPDX-License-Identifier: Apache-2.0
 *
 * What a watch writes down.
 */
#include "stories.h"

#include "sharc/store_amend.h"
#include "sharc/store_watch.h"

static void put_watched(struct sharc_store_batch *b, sharc_store_id capture, const char *url, uint32_t number)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_watched w = {.capture = capture,
                                    .url = sharc_span_of(url),
                                    .number = number,
                                    .since = T0,
                                    .until = SHARC_TIME_NONE,
                                    .found = SHARC_FOUND_SITEMAP,
                                    .weight = 2,
                                    .longest = SHARC_DAY};
    must(sharc_store_batch_watched(b, &w, &err), &err);
}

static void put_look(struct fixture *f, struct sharc_store_batch *b, const char *url, sharc_time when,
                     enum sharc_store_shown shown)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_watch_look l = SHARC_STORE_WATCH_LOOK_INIT;
    l.capture = f->capture[0];
    l.url = sharc_span_of(url);
    l.when = when;
    l.took = SHARC_SEC;
    l.why = 3;
    l.status = 200;
    l.shown = shown;
    l.change = SHARC_TEXT_CHANGED;
    l.importance = 0.25;
    l.size = 10;
    l.place = (struct sharc_store_place){f->warc, 100, 20};
    sharc_digest_of(SHARC_SHA256, sharc_span_of(url), &l.digest);
    must(sharc_store_batch_watch_look(b, &l, &err), &err);
}

static struct sharc_store_batch *watched(struct fixture *f)
{
    struct sharc_store_batch *b;
    make_captures(f);
    sharc_store_batch_new(f->store, &b);
    put_watched(b, f->capture[0], SITE "/b", 1);
    put_watched(b, f->capture[0], SITE "/a", 0);
    put_look(f, b, SITE "/a", T0, SHARC_SHOWN_FIRST);
    put_look(f, b, SITE "/b", T0 + SHARC_SEC, SHARC_SHOWN_FIRST);
    put_look(f, b, SITE "/a", T0 + SHARC_HOUR, SHARC_SHOWN_SAME);
    put_look(f, b, SITE "/a", T0 + 2 * SHARC_HOUR, SHARC_SHOWN_CHANGED);
    return b;
}

static void commit_batch(struct sharc_store_batch *b)
{
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_batch_commit(b, &err), &err);
}

static void pages_come_back_by_number_and_can_be_taken_out(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = watched(f);
    commit_batch(b);
    struct sharc_store_watched w;
    struct sharc_store_rows *rows = NULL;
    must(sharc_store_watched(f->store, 0, &rows, &err), &err);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(next(rows), 1);
        sharc_store_read_watched(rows, &w);
        assert_int_equal(w.number, i);
        assert_span(w.url, i == 0 ? SITE "/a" : SITE "/b");
        assert_true(w.since == T0 && w.until == SHARC_TIME_NONE && w.longest == SHARC_DAY && w.shortest == 0);
        assert_int_equal(w.found, SHARC_FOUND_SITEMAP);
        assert_true(w.weight > 1.9 && w.weight < 2.1);
    }
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    w = (struct sharc_store_watched){
        .capture = f->capture[0], .url = SHARC_SPAN(SITE "/a"), .since = T0, .until = T0 + 5, .gone = 3};
    must(sharc_store_batch_watched(b, &w, &err), &err);
    commit_batch(b);
    sharc_store_batch_free(b);
    must(sharc_store_watched(f->store, f->capture[0], &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_watched(rows, &w);
    assert_true(w.until == T0 + 5 && w.gone == 3);
    sharc_store_rows_free(rows);
}

static size_t count(struct fixture *f, const struct sharc_store_watch_filter *filter)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows = NULL;
    size_t n = 0;
    must(sharc_store_watch_looks(f->store, filter, &rows, &err), &err);
    while (next(rows)) n++;
    sharc_store_rows_free(rows);
    return n;
}

static void looks_come_back_in_order(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = watched(f);
    commit_batch(b);
    put_look(f, b, SITE "/a", T0 + SHARC_HOUR, SHARC_SHOWN_NOISE); /* said again: it replaces */
    commit_batch(b);
    sharc_store_batch_free(b);
    struct sharc_store_watch_filter filter = SHARC_STORE_WATCH_FILTER_INIT;
    struct sharc_store_watch_look l;
    struct sharc_store_rows *rows = NULL;
    sharc_time last = 0;
    assert_int_equal(count(f, &filter), 4);
    must(sharc_store_watch_looks(f->store, &filter, &rows, &err), &err);
    while (next(rows)) {
        sharc_store_read_watch_look(rows, &l);
        assert_true(l.when > last);
        last = l.when;
        if (l.when == T0 + SHARC_HOUR) assert_int_equal(l.shown, SHARC_SHOWN_NOISE);
    }
    sharc_store_rows_free(rows);
    assert_true(l.status == 200 && l.why == 3 && l.change == SHARC_TEXT_CHANGED && l.took == SHARC_SEC);
    assert_true(l.place.warc == f->warc && l.place.offset == 100 && l.place.length == 20 && l.digest.n == 32);
    assert_true(l.importance > 0.24 && l.importance < 0.26);
    filter.changes = true;
    assert_int_equal(count(f, &filter), 3);
    filter.from = T0 + SHARC_SEC;
    assert_int_equal(count(f, &filter), 2);
    filter.to = T0 + SHARC_SEC;
    assert_int_equal(count(f, &filter), 1);
    filter = (struct sharc_store_watch_filter)SHARC_STORE_WATCH_FILTER_INIT;
    filter.capture = f->capture[1];
    assert_int_equal(count(f, &filter), 0);
}

static void looks_are_pointers_into_files_and_go_with_their_capture(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = watched(f);
    commit_batch(b);
    sharc_store_batch_free(b);
    struct sharc_store_rows *rows = NULL;
    size_t n = 0;
    must(sharc_store_pointers(f->store, &rows, &err), &err);
    while (next(rows)) n++;
    sharc_store_rows_free(rows);
    assert_int_equal(n, 4);
    must(sharc_store_capture_delete(f->store, f->capture[0], &err), &err);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM watch_look"), 0);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM watched"), 0);
}

static void notes_replace_each_other(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_buf out = SHARC_BUF_INIT(100);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    assert_int_equal(sharc_store_watch_note(f->store, SHARC_SPAN("plan"), &out, &err), 0);
    must(sharc_store_batch_watch_note(b, SHARC_SPAN("plan"), SHARC_SPAN("one"), T0, &err), &err);
    must(sharc_store_batch_watch_note(b, SHARC_SPAN("other"), SHARC_SPAN("x"), T0, &err), &err);
    must(sharc_store_batch_watch_note(b, SHARC_SPAN("plan"), sharc_span("t\0wo", 4), T0, &err), &err);
    assert_int_equal(sharc_store_batch_rows(b), 2);
    commit_batch(b);
    sharc_store_batch_free(b);
    assert_int_equal(sharc_store_watch_note(f->store, SHARC_SPAN("plan"), &out, &err), 1);
    assert_true(sharc_span_eq(sharc_buf_span(&out), sharc_span("t\0wo", 4)));
    sharc_buf_done(&out);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(pages_come_back_by_number_and_can_be_taken_out),
    ON_EACH(looks_come_back_in_order),
    ON_EACH(looks_are_pointers_into_files_and_go_with_their_capture),
    ON_EACH(notes_replace_each_other),
};

TEST_MAIN(tests)
