/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages and their history, tables, and that questions go by key.
 */
#include "stories.h"

#include "../../src/store/store_int.h"

#include <stdio.h>
#include <stdlib.h>

static void pages_are_chosen_and_ordered(void **state)
{
    struct fixture *f = fixture(state);
    tell_stories(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    struct sharc_store_page p = page_of(f->capture[0], SITE "/z.png", T0, 200, "png", NULL);
    p.mime = SHARC_SPAN("image/png");
    p.visit.slot = 3;
    put_page(b, &p);
    p.url = SHARC_SPAN(SITE "/a.png");
    p.visit.slot = 9;
    put_page(b, &p);
    commit(b);
    sharc_store_batch_free(b);
    sharc_store_id c = f->capture[0];
    assert_int_equal(count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c})), 18);
    assert_int_equal(count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .answered = true})), 15);
    assert_int_equal(count_rows(
                         ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .mime = SHARC_SPAN("image/")})),
                     2);
    assert_int_equal(
        count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c, .mime = SHARC_SPAN("image/gif")})), 0);
    assert_int_equal(count_rows(ask_pages(f, &(struct sharc_store_page_filter){.capture = c,
                                                                               .prefix = SHARC_SPAN(
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
    must(sharc_store_history(f->store, SHARC_SPAN(SITE "/text"), &rows, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(next(rows), 1);
        sharc_store_read_page(rows, &p);
        assert_int_equal(p.capture, f->capture[i]);
    }
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    assert_int_equal(sharc_store_history(f->store, SHARC_SPAN(SITE "/nowhere"), &rows, &err), SHARC_ENOENT);
}

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
            assert_int_equal(must(sharc_store_seen_next(rows, &seen, &err), &err), 1);
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

static void every_table_can_be_exported(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    make_captures(f);
    for (int full = 0; full < 2; full++) {
        for (const char *const *name = sharc_store_tables(); *name; name++) {
            SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
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
        for (size_t i = 0; i < story_count; i++) put_story(b, f->capture[0], &stories[i], false);
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
    SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("EXPLAIN QUERY PLAN %s", sql);
    struct sharc__store_cursor *c;
    must(other->db->ops->query(other->db, text, none, n, false, &c, &err), &err);
    while (must(c->ops->next(c, &err), &err) > 0) {
        struct sharc_span step = sharc__store_cursor_span(c, 3);
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
    must(sharc_store_url_find(f->store, SHARC_SPAN(SITE "/text"), &url, &err), &err);
    sharc_store_trace(f->store, explain, other);
    must(sharc_store_history(f->store, SHARC_SPAN(SITE "/text"), &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    struct sharc_store_seen_filter seen = {.site = f->site, .url = url, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    must(sharc_store_observations(f->store, &seen, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    seen.url = 0;
    must(sharc_store_observations(f->store, &seen, &rows, &err), &err);
    sharc_store_rows_free(rows);
    struct sharc_store_page_filter pages = {.capture = a,
                                            .looks = true,
                                            .features = true,
                                            .prefix = SHARC_SPAN("http://(")};
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
    must(sharc_store_skipped(f->store, a, NULL, &rows, &err), &err);
    sharc_store_rows_free(rows);
    must(sharc_store_capture_sum(f->store, a, &sums, &err), &err);
    sharc_store_free(other);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(pages_are_chosen_and_ordered),
    ON_EACH(a_url_has_a_history),
    ON_EACH(observations_tell_what_changed_when),
    ON_EACH(every_table_can_be_exported),
    ON_EACH(cursors_live_beside_each_other_and_commits),
    {"questions_go_by_key (sqlite)", questions_go_by_key, fixture_setup, fixture_teardown, (char *)"sqlite"},
};

TEST_MAIN(tests)
