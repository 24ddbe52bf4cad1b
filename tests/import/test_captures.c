/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "../../src/import/import_int.h"

#define HOURS(n) ((n)*SHARC_HOUR)

static void assert_key(const struct import_captures *c, uint32_t i, const char *want)
{
    assert_span(sharc_intern_text(c->keys, c->items[i].key), want);
}

static void a_gap_begins_a_new_capture(void **state)
{
    (void)state;
    SHARC_AUTO(sharc__import_captures_done) struct import_captures c;
    sharc__import_captures_init(&c, HOURS(6), false);
    uint32_t first =
        sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN(""), SHARC_SPAN_NONE, HOURS(100));
    assert_int_equal(sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN(""), SHARC_SPAN_NONE,
                                               HOURS(106)),
                     first);
    assert_int_equal(sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN(""), SHARC_SPAN_NONE,
                                               HOURS(94)),
                     first);
    uint32_t second =
        sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN(""), SHARC_SPAN_NONE, HOURS(113));
    assert_int_not_equal(second, first);
    assert_int_equal(c.items[first].start, HOURS(94));
    assert_int_equal(c.items[first].end, HOURS(106));
    assert_key(&c, first, "example.org-19700105040000");
}

static void sites_and_runs_keep_apart(void **state)
{
    (void)state;
    SHARC_AUTO(sharc__import_captures_done) struct import_captures c;
    sharc__import_captures_init(&c, HOURS(6), false);
    uint32_t a = sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN("x"), SHARC_SPAN_NONE, 0);
    uint32_t b = sharc__import_captures_at(&c, SHARC_SPAN("example.net"), SHARC_SPAN("x"), SHARC_SPAN_NONE, 0);
    uint32_t d = sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN("y"), SHARC_SPAN_NONE, 0);
    assert_int_not_equal(a, b);
    assert_int_not_equal(a, d);
    assert_key(&c, a, "example.org-19700101000000");
    assert_key(&c, d, "example.org-19700101000000-2");
    uint32_t named =
        sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN("weekly"), SHARC_SPAN("weekly"), 0);
    assert_key(&c, named, "weekly");
}

static void a_run_may_be_one_capture(void **state)
{
    (void)state;
    SHARC_AUTO(sharc__import_captures_done) struct import_captures c;
    sharc__import_captures_init(&c, HOURS(6), true);
    uint32_t a = sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN("x"), SHARC_SPAN_NONE, 0);
    assert_int_equal(sharc__import_captures_at(&c, SHARC_SPAN("cdn.example"), SHARC_SPAN("x"), SHARC_SPAN_NONE, 5), a);
    assert_span(sharc_intern_text(c.names, c.items[a].site), "example.org");
}

static void known_captures_are_continued(void **state)
{
    (void)state;
    SHARC_AUTO(sharc__import_captures_done) struct import_captures c;
    sharc__import_captures_init(&c, HOURS(6), false);
    struct import_capture known = {.id = 7, .start = 0, .end = HOURS(1)};
    uint32_t i =
        sharc__import_captures_add(&c, &known, SHARC_SPAN("example.org"), SHARC_SPAN("run"), SHARC_SPAN("key"));
    assert_int_equal(sharc__import_captures_at(&c, SHARC_SPAN("example.org"), SHARC_SPAN("run"), SHARC_SPAN_NONE,
                                               HOURS(2)),
                     i);
    assert_int_equal(c.items[i].id, 7);
    assert_true(c.items[i].touched && c.items[i].widened);
    assert_int_equal(c.count, 1);
}

static void hours_between_join_two_captures(void **state)
{
    (void)state;
    SHARC_AUTO(sharc__import_captures_done) struct import_captures c;
    sharc__import_captures_init(&c, HOURS(6), false);
    uint32_t late = sharc__import_captures_at(&c, SHARC_SPAN("s"), SHARC_SPAN(""), SHARC_SPAN_NONE, HOURS(20));
    uint32_t early = sharc__import_captures_at(&c, SHARC_SPAN("s"), SHARC_SPAN(""), SHARC_SPAN_NONE, HOURS(10)), a, b;
    assert_false(sharc__import_captures_touching(&c, &a, &b));
    sharc__import_captures_at(&c, SHARC_SPAN("s"), SHARC_SPAN(""), SHARC_SPAN_NONE, HOURS(15));
    assert_true(sharc__import_captures_touching(&c, &a, &b));
    assert_int_equal(a, early);
    assert_int_equal(b, late);
    c.items[b].gone = true;
    c.items[a].end = c.items[b].end;
    assert_false(sharc__import_captures_touching(&c, &a, &b));
    assert_int_equal(sharc__import_captures_at(&c, SHARC_SPAN("s"), SHARC_SPAN(""), SHARC_SPAN_NONE, HOURS(24)), a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_gap_begins_a_new_capture),      cmocka_unit_test(sites_and_runs_keep_apart),
    cmocka_unit_test(a_run_may_be_one_capture),        cmocka_unit_test(known_captures_are_continued),
    cmocka_unit_test(hours_between_join_two_captures),
};
TEST_MAIN(tests)
