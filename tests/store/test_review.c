/* SPDX-License-Identifier: Apache-2.0
 *
 * What people decided about pages.
 */
#include "stories.h"

#include "sharc/store_amend.h"
#include "sharc/store_review.h"

#include <stdio.h>

static sharc_store_id url_id(struct fixture *f, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char url[256];
    snprintf(url, sizeof url, SITE "%s", path);
    sharc_store_id id = 0;
    must(sharc_store_url_find(f->store, sharc_span_of(url), &id, &err), &err);
    return id;
}

static int put(struct fixture *f, int capture, const char *path, enum sharc_review_state state, const char *note,
               sharc_time when)
{
    struct sharc_err err = SHARC_ERR_INIT;
    return sharc_store_review_put(f->store,
                                  &(struct sharc_store_review){.capture = f->capture[capture],
                                                               .url_id = url_id(f, path),
                                                               .state = state,
                                                               .note = sharc_span_of(note),
                                                               .who = SHARC_SPAN("a reader"),
                                                               .when = when},
                                  &err);
}

static size_t rows_of(struct fixture *f, sharc_store_id capture, int state, struct sharc_store_review *ret, char *note)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows = NULL;
    size_t n = 0;
    must(sharc_store_reviews(f->store, &(struct sharc_store_review_filter){.capture = capture, .state = state}, &rows,
                             &err),
         &err);
    while (next(rows) > 0) {
        n++;
        sharc_store_read_review(rows, ret);
        snprintf(note, 64, "%.*s", SHARC_SPAN_ARG(ret->note));
        assert_span(ret->who, "a reader");
    }
    sharc_store_rows_free(rows);
    return n;
}

static void make_pages(struct fixture *f)
{
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 3; i++) {
            char url[64];
            snprintf(url, sizeof url, SITE "/%c", 'a' + i);
            struct sharc_store_page p = page_of(f->capture[c], url, T0 + i, 200, url, url);
            put_page(b, &p);
        }
    commit(b);
    sharc_store_batch_free(b);
}

static void the_last_decision_counts(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_review v;
    char note[64];
    make_pages(f);
    assert_int_equal(put(f, 0, "/a", SHARC_REVIEW_APPROVED, "", T0), 0);
    assert_int_equal(put(f, 0, "/b", SHARC_REVIEW_OPEN, "look again", T0), 0);
    assert_int_equal(put(f, 1, "/a", SHARC_REVIEW_APPROVED, "", T0), 0);
    assert_int_equal(put(f, 0, "/a", SHARC_REVIEW_REJECTED, "pictures missing", T0 + 5), 0);
    assert_int_equal(rows_of(f, f->capture[0], -1, &v, note), 2);
    assert_int_equal(rows_of(f, 0, -1, &v, note), 3);
    assert_int_equal(rows_of(f, f->capture[0], SHARC_REVIEW_REJECTED, &v, note), 1);
    assert_string_equal(note, "pictures missing");
    assert_true(v.when == T0 + 5 && v.state == SHARC_REVIEW_REJECTED && v.url_id == url_id(f, "/a"));
    uint64_t counts[SHARC_REVIEW_STATE_COUNT];
    must(sharc_store_review_counts(f->store, f->capture[0], counts, &err), &err);
    assert_true(counts[SHARC_REVIEW_OPEN] == 1 && counts[SHARC_REVIEW_APPROVED] == 0 &&
                counts[SHARC_REVIEW_REJECTED] == 1);
    /* Open without a note is no decision at all. */
    assert_int_equal(put(f, 0, "/a", SHARC_REVIEW_OPEN, "", T0 + 6), 0);
    assert_int_equal(rows_of(f, f->capture[0], -1, &v, note), 1);
}

static void what_cannot_be_is_refused(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_pages(f);
    struct sharc_store_review v = {.capture = f->capture[2], .url_id = url_id(f, "/a"), .state = SHARC_REVIEW_APPROVED};
    v.when = T0;
    assert_int_equal(sharc_store_review_put(f->store, &v, &err), SHARC_ENOENT);
    v.capture = f->capture[0];
    v.url_id = 4711;
    assert_int_equal(sharc_store_review_put(f->store, &v, &err), SHARC_ENOENT);
    v.url_id = url_id(f, "/a");
    v.when = SHARC_TIME_NONE;
    assert_int_equal(sharc_store_review_put(f->store, &v, &err), SHARC_EINVAL);
    v.when = T0;
    static char note[SHARC_REVIEW_NOTE_MAX + 1];
    memset(note, 'x', sizeof note);
    v.note = sharc_span(note, sizeof note);
    assert_int_equal(sharc_store_review_put(f->store, &v, &err), SHARC_EINVAL);
    /* The longest note of bytes that are no text fits, each byte as three of U+FFFD. */
    memset(note, 0xff, sizeof note);
    v.note = sharc_span(note, SHARC_REVIEW_NOTE_MAX);
    must(sharc_store_review_put(f->store, &v, &err), &err);
    enum sharc_review_state s;
    assert_true(sharc_review_state_of(SHARC_SPAN("approved"), &s) && s == SHARC_REVIEW_APPROVED);
    assert_false(sharc_review_state_of(SHARC_SPAN("maybe"), &s));
}

static void reviews_go_where_their_pages_go(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_review v;
    char note[64];
    make_pages(f);
    assert_int_equal(put(f, 0, "/a", SHARC_REVIEW_APPROVED, "first", T0), 0);
    assert_int_equal(put(f, 1, "/a", SHARC_REVIEW_REJECTED, "later", T0 + 1), 0);
    assert_int_equal(put(f, 1, "/b", SHARC_REVIEW_APPROVED, "", T0 + 1), 0);
    must(sharc_store_capture_merge(f->store, f->capture[1], f->capture[0], &err), &err);
    assert_int_equal(rows_of(f, 0, -1, &v, note), 2);
    assert_int_equal(rows_of(f, f->capture[0], SHARC_REVIEW_REJECTED, &v, note), 1);
    assert_string_equal(note, "later");
    struct sharc_store_rows *rows = NULL;
    must(sharc_store_table(f->store, "review", f->capture[0], &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    must(sharc_store_capture_delete(f->store, f->capture[0], &err), &err);
    assert_int_equal(rows_of(f, 0, -1, &v, note), 0);
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(the_last_decision_counts),
    ON_EACH(what_cannot_be_is_refused),
    ON_EACH(reviews_go_where_their_pages_go),
};

TEST_MAIN(tests)
