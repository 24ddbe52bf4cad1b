/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures side by side.
 */
#include "stories.h"

#include <stdio.h>

static enum sharc_store_difference wanted(struct sharc_span url)
{
    for (size_t i = 0; i < story_count; i++)
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
    for (size_t i = 0; i < story_count; i++) want[stories[i].want]++;
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
    assert_int_equal(n, story_count);

    filter.only = 1u << SHARC_DIFF_NEW;
    must(sharc_store_compare(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    filter.only = 0;
    filter.prefix = SHARC_SPAN("http://(org,example,)/docs/");
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
    must(sharc_store_batch_look(b, f->capture[0], SHARC_SPAN(SITE "/PAGE"), SHARC_LOOK_REVISIT, &look, &err), &err);
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

static const struct CMUnitTest tests[] = {
    ON_EACH(two_captures_are_compared),
    ON_EACH(many_pairs_come_in_order),
    ON_EACH(case_can_be_folded),
};

TEST_MAIN(tests)
