/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures: how they are called, what they hold, and what was learned from them.
 */
#include "stories.h"

#include <math.h>
#include <stdio.h>

static void captures_are_found_by_what_people_call_them(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id id = 0;
    assert_int_equal(sharc_store_capture_find(f->store, SHARC_SPAN("latest"), &id, &err), SHARC_ENOENT);
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
    assert_int_equal(sharc_store_capture_find(f->store, SHARC_SPAN("example.org@1970-01-02"), &id, &err), SHARC_ENOENT);
    assert_int_equal(sharc_store_capture_find(f->store, SHARC_SPAN("nobody"), &id, &err), SHARC_ENOENT);
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
    c.key = SHARC_SPAN("week-2");
    c.strategy = SHARC_SPAN("other");
    must(sharc_store_capture_add(f->store, &c, &id, &fresh, &err), &err);
    assert_int_equal(id, f->capture[1]);
    assert_false(fresh);
    /* Without a key one is made. */
    c.key = SHARC_SPAN_NONE;
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
    c.params = SHARC_SPAN("{\"delay\":3}");
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
    struct sharc_store_warc w = {.name = SHARC_SPAN("warcs/a.warc.gz"), .size = 5}, got;
    struct sharc_store_batch *b;
    sharc_store_id id;
    sharc_store_batch_new(f->store, &b);
    w = (struct sharc_store_warc){.id = f->warc, .done = 10, .records = 1, .digest = SHARC_SPAN("sha256:00")};
    must(sharc_store_batch_warc(b, &w, &err), &err);
    w = (struct sharc_store_warc){.id = f->warc, .done = 20, .records = 2, .state = SHARC_STORE_WARC_COMPLETE};
    must(sharc_store_batch_warc(b, &w, &err), &err);
    assert_int_equal(sharc_store_batch_rows(b), 1);
    commit(b);
    w.name = SHARC_SPAN("warcs/a.warc.gz");
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

static void skipped_urls_are_kept_once(void **state)
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
        must(sharc_store_batch_skipped(b, c, u, i % 3 ? SHARC_SPAN("scope") : SHARC_SPAN("robots"), SHARC_SPAN_NONE,
                                       &err),
             &err);
        must(sharc_store_batch_skipped(b, c, u, i % 3 ? SHARC_SPAN("scope") : SHARC_SPAN("robots"), SHARC_SPAN("again"),
                                       &err),
             &err);
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

    static const char *const forgotten[] = {"limit-pages", "scope"};
    must(sharc_store_skipped_forget(f->store, f->capture[1], forgotten, 2, &err), &err); /* of another capture */
    must(sharc_store_skipped_forget(f->store, c, forgotten, 1, &err), &err);             /* another reason */
    must(sharc_store_skipped(f->store, c, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 30);
    must(sharc_store_skipped_forget(f->store, c, forgotten, 2, &err), &err);
    must(sharc_store_skipped(f->store, c, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 10);
    must(sharc_store_skipped(f->store, c, "robots", &rows, &err), &err);
    assert_int_equal(count_rows(rows), 10);
}

static void rates_patterns_and_models_are_replaced(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    for (int i = 0; i < 2; i++) {
        struct sharc_store_rate r = {.url = SHARC_SPAN(SITE "/"),
                                     .source = SHARC_SPAN("history"),
                                     .value = 1e-6 * (i + 1)};
        r.low = 1e-7;
        r.high = (double)INFINITY;
        r.observations = 12;
        r.when = T0;
        struct sharc_store_model m = {.name = SHARC_SPAN("m"),
                                      .kind = SHARC_SPAN("rate"),
                                      .data = SHARC_SPAN("\0\xff\1"),
                                      .when = T0 + i};
        m.info = SHARC_SPAN("{\"accuracy\":0.9}");
        must(sharc_store_model_put(f->store, &m, &err), &err);
        struct sharc_store_batch *b;
        sharc_store_batch_new(f->store, &b);
        must(sharc_store_batch_rate(b, &r, &err), &err);
        r.source = SHARC_SPAN("sitemap");
        must(sharc_store_batch_rate(b, &r, &err), &err);
        must(sharc_store_batch_pattern(b, SHARC_SPAN(SITE "/"), sharc_span(i ? "\0b" : "\0a", 2), i, T0, &err), &err);
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

static const struct CMUnitTest tests[] = {
    ON_EACH(captures_are_found_by_what_people_call_them),
    ON_EACH(captures_are_listed_changed_and_deleted),
    ON_EACH(warc_files_remember_how_far_they_are),
    ON_EACH(captures_are_summed),
    ON_EACH(skipped_urls_are_kept_once),
    ON_EACH(rates_patterns_and_models_are_replaced),
};

TEST_MAIN(tests)
