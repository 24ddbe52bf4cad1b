/* SPDX-License-Identifier: Apache-2.0
 *
 * Grades of pages, and places at which they differ by themselves.
 */
#include "stories.h"

#include "sharc/store_amend.h"

#define PAGE(path) SHARC_SPAN(SITE path)

static void put_grade(struct sharc_store_batch *b, sharc_store_id capture, struct sharc_span url,
                      enum sharc_grade_reason reason, const char *detail)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_grade g = SHARC_STORE_GRADE_INIT;
    g.reason = reason;
    if (sharc_grade_is_proof(sharc_grade_of(reason))) {
        g.from = T0 + SHARC_SEC;
        g.to = T0 + SHARC_DAY;
    }
    if (detail) g.detail = sharc_span_of(detail);
    must(sharc_store_batch_grade(b, capture, url, &g, &err), &err);
}

/* Two captures of the same pages, the first graded. */
static struct sharc_store_batch *graded(struct fixture *f)
{
    struct sharc_store_batch *b;
    tell_stories(f);
    sharc_store_batch_new(f->store, &b);
    put_grade(b, f->capture[0], PAGE("/same"), SHARC_GRADED_CHANGED, "said first");
    put_grade(b, f->capture[0], PAGE("/same"), SHARC_GRADED_SAME_CONTENT, NULL);
    put_grade(b, f->capture[0], PAGE("/markup"), SHARC_GRADED_OWN_CONTROL, "a token in form/input");
    put_grade(b, f->capture[0], PAGE("/text"), SHARC_GRADED_CHANGED, "x became y");
    assert_int_equal(sharc_store_batch_rows(b), 3);
    commit(b);
    return b;
}

static void pages_come_with_their_grades(void **state)
{
    struct fixture *f = fixture(state);
    sharc_store_batch_free(graded(f));
    fixture_reopen(f);
    unsigned seen = 0;
    for (int looks = 0; looks < 2; looks++) {
        struct sharc_store_page_filter filter = {.capture = f->capture[0],
                                                 .grades = true,
                                                 .looks = looks > 0,
                                                 .features = looks > 0};
        struct sharc_store_rows *rows = ask_pages(f, &filter);
        while (next(rows)) {
            struct sharc_store_page p;
            sharc_store_read_page(rows, &p);
            if (sharc_span_is(p.url, SITE "/same")) {
                assert_int_equal(p.grade.reason, SHARC_GRADED_SAME_CONTENT);
                assert_int_equal(p.grade.from, T0 + SHARC_SEC);
                assert_int_equal(p.grade.to, T0 + SHARC_DAY);
                assert_null(p.grade.detail.p);
                seen++;
            } else if (sharc_span_is(p.url, SITE "/text")) {
                assert_int_equal(p.grade.reason, SHARC_GRADED_CHANGED);
                assert_true(p.grade.from == SHARC_TIME_NONE && p.grade.to == SHARC_TIME_NONE);
                assert_span(p.grade.detail, "x became y");
                seen++;
            } else if (sharc_span_is(p.url, SITE "/image")) {
                assert_int_equal(p.grade.reason, SHARC_GRADED_NOT_GRADED);
                seen++;
            }
        }
        sharc_store_rows_free(rows);
    }
    assert_int_equal(seen, 6);
}

static void grades_are_counted(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t n[SHARC_GRADE_REASON_COUNT], pages = 0;
    sharc_store_batch_free(graded(f));
    must(sharc_store_grade_counts(f->store, f->capture[0], n, &err), &err);
    assert_int_equal(n[SHARC_GRADED_SAME_CONTENT], 1);
    assert_int_equal(n[SHARC_GRADED_OWN_CONTROL], 1);
    assert_int_equal(n[SHARC_GRADED_CHANGED], 1);
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++) pages += n[i];
    assert_int_equal(pages, story_count - 1); /* one of them is only in the second capture */
    assert_int_equal(n[SHARC_GRADED_NOT_GRADED], pages - 3);
    /* What a newer sharc wrote counts for nothing. */
    fixture_sql(f, "UPDATE grade SET reason = 4000 WHERE reason = 1");
    must(sharc_store_grade_counts(f->store, f->capture[0], n, &err), &err);
    assert_int_equal(n[SHARC_GRADED_SAME_CONTENT], 0);
    assert_int_equal(n[SHARC_GRADED_NOT_GRADED], pages - 2);
    /* A capture that nobody judged. */
    must(sharc_store_grade_counts(f->store, f->capture[2], n, &err), &err);
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++) assert_int_equal(n[i], 0);
}

static void grades_go_with_their_pages(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = graded(f);
    uint64_t merged = 0;
    struct sharc_store_page p = page_of(f->capture[0], SITE "/SAME", T0 + SHARC_DAY, 200, "x", NULL);
    put_page(b, &p);
    put_grade(b, f->capture[0], PAGE("/SAME"), SHARC_GRADED_SAME_CONTENT, NULL);
    put_grade(b, f->capture[1], PAGE("/same"), SHARC_GRADED_SAME_CONTENT, NULL);
    commit(b);
    must(sharc_store_merge_case(f->store, f->capture[0], &merged, &err), &err);
    assert_int_equal(merged, 1);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM grade"), 4);
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
    must(sharc_store_capture_delete(f->store, f->capture[0], &err), &err);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM grade"), 1);
    fixture_sql(f, "UPDATE grade SET url = 4711");
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 1);
    sharc_store_batch_free(b);
}

/* What was proved of each of two captures is proved of neither when they are one. */
static void captures_that_become_one_have_no_grades(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = graded(f);
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    put_grade(b, f->capture[1], PAGE("/same"), SHARC_GRADED_SAME_CONTENT, NULL);
    c.id = f->capture[1];
    c.reference_from = T0;
    c.reference_to = T0 + 1;
    must(sharc_store_batch_capture(b, &c, &err), &err);
    commit(b);
    assert_int_equal(fixture_number(f, "SELECT count(reference_from) + count(reference_to) FROM capture"), 2);
    must(sharc_store_capture_merge(f->store, f->capture[0], f->capture[1], &err), &err);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM grade"), 0);
    assert_int_equal(fixture_number(f, "SELECT count(reference_from) + count(reference_to) FROM capture"), 0);
    sharc_store_batch_free(b);
}

static void the_reference_interval_comes_back(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT, got;
    make_captures(f);
    c.id = f->capture[0];
    c.state = SHARC_CAPTURE_COMPLETE;
    c.reference_from = T0;
    c.reference_to = T0 + SHARC_SEC;
    must(sharc_store_capture_update(f->store, &c, &err), &err);
    c.reference_from = c.reference_to = SHARC_TIME_NONE; /* keeps it */
    must(sharc_store_capture_update(f->store, &c, &err), &err);
    struct sharc_store_capture_filter filter = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_rows *rows;
    must(sharc_store_captures(f->store, &filter, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_capture(rows, &got);
    assert_int_equal(got.reference_from, T0);
    assert_int_equal(got.reference_to, T0 + SHARC_SEC);
    assert_int_equal(next(rows), 1);
    sharc_store_read_capture(rows, &got);
    assert_true(got.reference_from == SHARC_TIME_NONE && got.reference_to == SHARC_TIME_NONE);
    sharc_store_rows_free(rows);
    /* Of a new capture too. */
    c = (struct sharc_store_capture)SHARC_STORE_CAPTURE_INIT;
    c.reference_from = T0;
    sharc_store_id id;
    must(sharc_store_capture_add(f->store, &c, &id, NULL, &err), &err);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM capture WHERE reference_from IS NOT NULL"), 2);
}

static void volatile_places_are_kept_per_site(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b;
    struct sharc_store_volatile p, got;
    sharc_store_id other;
    make_captures(f);
    must(sharc_store_site_put(f->store, &(struct sharc_store_site){.name = SHARC_SPAN("b.example")}, &other, &err),
         &err);
    sharc_store_batch_new(f->store, &b);
    p = (struct sharc_store_volatile){.site = f->site,
                                      .signature = UINT64_MAX - 6,
                                      .kind = SHARC_SPAN("attribute"),
                                      .text = SHARC_SPAN("form/input value"),
                                      .pairs = 3,
                                      .differed = 3,
                                      .first = T0,
                                      .last = T0};
    must(sharc_store_batch_place(b, &p, &err), &err);
    p.site = other;
    must(sharc_store_batch_place(b, &p, &err), &err);
    commit(b);
    p.site = f->site;
    p.pairs = 7;
    p.differed = 6;
    p.first = p.last = T0 + SHARC_DAY;
    must(sharc_store_batch_place(b, &p, &err), &err);
    commit(b);
    struct sharc_store_rows *rows;
    must(sharc_store_places(f->store, f->site, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_place(rows, &got);
    assert_int_equal(got.site, f->site);
    assert_true(got.signature == UINT64_MAX - 6);
    assert_span(got.kind, "attribute");
    assert_span(got.text, "form/input value");
    assert_int_equal(got.pairs, 7);
    assert_int_equal(got.differed, 6);
    assert_int_equal(got.first, T0);
    assert_int_equal(got.last, T0 + SHARC_DAY);
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    must(sharc_store_places(f->store, 0, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 2);
    /* A place says something about coming captures: it stays when one is deleted. */
    must(sharc_store_capture_delete(f->store, f->capture[0], &err), &err);
    must(sharc_store_places(f->store, f->site, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 1);
    p.site = 0;
    assert_int_equal(sharc_store_batch_place(b, &p, &err), SHARC_EINVAL);
    struct sharc_store_grade none = SHARC_STORE_GRADE_INIT;
    assert_int_equal(sharc_store_batch_grade(b, 0, PAGE("/same"), &none, &err), SHARC_EINVAL);
    assert_int_equal(sharc_store_batch_grade(b, 1, SHARC_SPAN_NONE, &none, &err), SHARC_EINVAL);
    sharc_store_batch_free(b);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(pages_come_with_their_grades),      ON_EACH(grades_are_counted),
    ON_EACH(grades_go_with_their_pages),        ON_EACH(captures_that_become_one_have_no_grades),
    ON_EACH(the_reference_interval_comes_back), ON_EACH(volatile_places_are_kept_per_site),
};

TEST_MAIN(tests)
