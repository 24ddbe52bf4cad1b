/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns over the week, their groups, and weights from links.
 */
#include "test.h"

#include "sharc/rate_pattern.h"
#include "sharc/rate_weight.h"

#include <math.h>

/* 2026-11-16T00:00:00Z, a Monday. */
#define MONDAY (INT64_C(1794787200) * SHARC_SEC)

static void hours_of_the_week(void **state)
{
    (void)state;
    assert_int_equal(sharc_rate_hour(MONDAY, 0), 0);
    assert_int_equal(sharc_rate_hour(MONDAY + 13 * SHARC_HOUR + 59 * SHARC_MINUTE, 0), 13);
    assert_int_equal(sharc_rate_hour(MONDAY + 4 * SHARC_DAY, 0), 0);
    assert_int_equal(sharc_rate_hour(MONDAY + 5 * SHARC_DAY, 0), 24 * SHARC_SATURDAY);
    assert_int_equal(sharc_rate_hour(MONDAY + 6 * SHARC_DAY + SHARC_HOUR, 0), 24 * SHARC_SUNDAY + 1);
    assert_int_equal(sharc_rate_hour(MONDAY - 1, 0), 24 * SHARC_SUNDAY + 23);
    assert_int_equal(sharc_rate_hour(MONDAY - SHARC_HOUR, 2 * SHARC_HOUR), 1);
    assert_int_equal(sharc_rate_hour(0, 0), 0);                              /* a Thursday */
    assert_int_equal(sharc_rate_hour(-4 * SHARC_DAY, 0), 24 * SHARC_SUNDAY); /* before 1970 */
}

static void hourly_looks_give_mean_importance(void **state)
{
    (void)state;
    struct sharc_rate_pattern p = {.at = 0};
    /* Two working days: at nine o'clock importance 0.4, then 0.6; else nothing. */
    for (int h = 0; h < 48; h++) {
        double importance = h == 9 ? 0.4 : h == 33 ? 0.6 : 0;
        sharc_rate_pattern_add(&p, MONDAY + h * SHARC_HOUR, MONDAY + (h + 1) * SHARC_HOUR, importance, 0, 0);
    }
    assert_close(sharc_rate_pattern_at(&p, 9), 0.5, 1e-12);
    assert_close(sharc_rate_pattern_at(&p, 10), 0, 0);
    double level = 1.0 / 48;
    assert_close(sharc_rate_pattern_level(&p), level, 1e-12);
    assert_close(sharc_rate_pattern_at(&p, 24), level, 1e-12); /* a Saturday never seen */
    assert_close(sharc_rate_pattern_at(&p, 99), level, 1e-12);
}

static void the_pattern_of_the_worked_example(void **state)
{
    (void)state;
    /* Importance by quarter of a working day: .2 .4 .6 .1 an hour. */
    static const double quarter[] = {0.2, 0.4, 0.6, 0.1};
    struct sharc_rate_pattern p = {.at = 0};
    for (int day = 0; day < 5; day++)
        for (int q = 0; q < 4; q++) {
            sharc_time from = MONDAY + day * SHARC_DAY + q * 6 * SHARC_HOUR;
            sharc_rate_pattern_add(&p, from, from + 6 * SHARC_HOUR, 6 * quarter[q], 0, 0);
        }
    for (unsigned h = 0; h < 24; h++) assert_close(sharc_rate_pattern_at(&p, h), quarter[h / 6], 1e-12);
}

static void long_gaps_are_spread(void **state)
{
    (void)state;
    struct sharc_rate_pattern slow = {.at = 0}, quick = {.at = 0};
    /* Seventeen days and a half by the hour, and in one go. */
    const int hours = 17 * 24 + 12;
    sharc_time start = MONDAY + 7 * SHARC_HOUR + 20 * SHARC_MINUTE;
    for (int h = 0; h < hours; h++)
        sharc_rate_pattern_add(&slow, start + h * SHARC_HOUR, start + (h + 1) * SHARC_HOUR, 0.01, 0, -5 * SHARC_HOUR);
    sharc_rate_pattern_add(&quick, start, start + hours * SHARC_HOUR, 0.01 * hours, 0, -5 * SHARC_HOUR);
    for (int h = 0; h < SHARC_RATE_HOURS; h++) {
        assert_close(quick.hours[h], slow.hours[h], 1e-6);
        assert_close(quick.importance[h], slow.importance[h], 1e-6);
    }
    /* Senseless spans are ignored. */
    struct sharc_rate_pattern before = quick;
    sharc_rate_pattern_add(&quick, start + 5, start + 5, 1, 0, 0);
    sharc_rate_pattern_add(&quick, start, start + 1, 1, 0, 0);
    sharc_rate_pattern_add(&quick, quick.at, quick.at + 1, __builtin_nan(""), 0, 0);
    assert_memory_equal(&before, &quick, sizeof quick);
}

static void the_past_fades(void **state)
{
    (void)state;
    struct sharc_rate_pattern p = {.at = 0};
    sharc_rate_pattern_add(&p, MONDAY, MONDAY + SHARC_HOUR, 1, 7 * SHARC_DAY, 0);
    sharc_time week = MONDAY + 7 * SHARC_DAY;
    sharc_rate_pattern_add(&p, week, week + SHARC_HOUR, 0, 7 * SHARC_DAY, 0);
    assert_close(sharc_rate_pattern_at(&p, 0), 1.0 / 3, 1e-12); /* half of one in one and a half hours */
}

/* --- weights ------------------------------------------------------------------- */

static void pagerank_of_known_graphs(void **state)
{
    (void)state;
    double w[4];
    /* Everybody in a ring is equal. */
    const uint32_t ring_from[] = {0, 1, 2, 3}, ring_to[] = {1, 2, 3, 0};
    sharc_rate_pagerank(4, ring_from, ring_to, 4, 0.85, 1e-12, 200, w);
    for (int i = 0; i < 4; i++) assert_close(w[i], 1, 1e-9);
    /* Three pages link to one that links nowhere: with a = rank of a leaf and b
     * of the hub, a = 0.15/4 + 0.85·b/4 and 3a + b = 1. */
    const uint32_t star_from[] = {1, 2, 3, 7, 0}, star_to[] = {0, 0, 0, 1, 0};
    unsigned rounds = sharc_rate_pagerank(4, star_from, star_to, 5, 0.85, 1e-14, 500, w);
    assert_true(rounds > 1 && rounds < 500);
    double a = (0.15 + 0.85) / (4 + 3 * 0.85);
    assert_close(w[1], 4 * a, 1e-9);
    assert_close(w[0], 4 * (1 - 3 * a), 1e-9);
    /* Repeated links count. */
    const uint32_t twice_from[] = {0, 0, 0}, twice_to[] = {1, 1, 2};
    sharc_rate_pagerank(3, twice_from, twice_to, 3, 0.85, 1e-14, 500, w);
    assert_true(w[1] > w[2] && w[2] > w[0]);
    assert_close(w[0] + w[1] + w[2], 3, 1e-9);
    assert_int_equal(sharc_rate_pagerank(0, NULL, NULL, 0, 0.85, 1e-9, 10, w), 0);
}

static void indegree_counts_links(void **state)
{
    (void)state;
    const uint32_t from[] = {1, 2, 3, 3, 0, 9}, to[] = {0, 0, 0, 1, 0, 2};
    uint32_t n[4];
    double w[4];
    sharc_rate_inlinks(4, from, to, 6, n);
    assert_int_equal(n[0], 3);
    assert_int_equal(n[1], 1);
    assert_int_equal(n[2], 0);
    sharc_rate_indegree(4, from, to, 6, w);
    assert_close(w[0], 4 * 4.0 / 8, 1e-12);
    assert_close(w[2], 4 * 1.0 / 8, 1e-12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(hours_of_the_week),
    cmocka_unit_test(hourly_looks_give_mean_importance),
    cmocka_unit_test(the_pattern_of_the_worked_example),
    cmocka_unit_test(long_gaps_are_spread),
    cmocka_unit_test(the_past_fades),
    cmocka_unit_test(pagerank_of_known_graphs),
    cmocka_unit_test(indegree_counts_links),
};
TEST_MAIN(tests)
