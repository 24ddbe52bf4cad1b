/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_clock.h"
#include "sharc/base_rng.h"

#include <math.h>

static void test_instants(void **state)
{
    (void)state;
    char out[SHARC_TIME_TEXT];
    sharc_time t = 1794773088 * SHARC_SEC + 123456;
    assert_string_equal(sharc_time_iso(t, 0, out), "2026-11-15T20:04:48Z");
    assert_string_equal(sharc_time_iso(t, 3, out), "2026-11-15T20:04:48.123Z");
    assert_string_equal(sharc_time_iso(t, 6, out), "2026-11-15T20:04:48.123456Z");
    assert_string_equal(sharc_time_compact(t, 14, out), "20261115200448");
    assert_string_equal(sharc_time_compact(t, 17, out), "20261115200448123");
    assert_string_equal(sharc_time_iso(-1, 6, out), "1969-12-31T23:59:59.999999Z");
    assert_string_equal(sharc_time_iso(INT64_MIN, 6, out), "-290308-12-21T19:59:05.224192Z");
    assert_string_equal(sharc_time_iso(INT64_MAX, 6, out), "294247-01-10T04:00:54.775807Z");
    assert_string_equal(sharc_time_compact(INT64_MIN, 17, out), "00000101000000000");
    assert_string_equal(sharc_time_compact(INT64_MAX, 17, out), "99991231235959999");
}

static void test_round_trip(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 3339);
    for (int i = 0; i < 20000; i++) {
        char out[SHARC_TIME_TEXT];
        sharc_time t =
            (sharc_time)sharc_rng_below(&r, (uint64_t)300000000000 * SHARC_SEC) - (sharc_time)60000000000 * SHARC_SEC;
        sharc_time back;
        assert_int_equal(sharc_time_parse(sharc_span_of(sharc_time_iso(t, 6, out)), &back, NULL), 0);
        assert_true(back == t);
        assert_int_equal(sharc_time_parse(sharc_span_of(sharc_time_compact(t, 17, out)), &back, NULL), 0);
        assert_true(back <= t && t - back < 1000);
    }
}

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        sharc_time d;
        const char *text;
    } cases[] = {{0, "0 s"},
                 {1, "1 us"},
                 {999, "999 us"},
                 {1000, "1 ms"},
                 {350 * SHARC_MSEC, "350 ms"},
                 {999499, "999 ms"},
                 {999500, "1 s"},
                 {1500 * SHARC_MSEC, "1.5 s"},
                 {2 * SHARC_SEC, "2 s"},
                 {9949 * SHARC_MSEC, "9.9 s"},
                 {9950 * SHARC_MSEC, "10 s"},
                 {12 * SHARC_SEC, "12 s"},
                 {59499 * SHARC_MSEC, "59 s"},
                 {59500 * SHARC_MSEC, "1 min"},
                 {250 * SHARC_SEC, "4 min 10 s"},
                 {3600 * SHARC_SEC - 1, "1 h"},
                 {200 * SHARC_MINUTE, "3 h 20 min"},
                 {SHARC_DAY - 1, "1 d"},
                 {12 * SHARC_DAY + 4 * SHARC_HOUR, "12 d 4 h"},
                 {-1500 * SHARC_MSEC, "-1.5 s"},
                 {INT64_MAX, "106751991 d 4 h"},
                 {INT64_MIN, "-106751991 d 4 h"}};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        char out[SHARC_TIME_TEXT];
        assert_string_equal(sharc_duration_text(cases[i].d, out), cases[i].text);
        sharc_time back;
        if (cases[i].d >= 0) assert_int_equal(sharc_duration_parse(sharc_span_of(out), &back, NULL), 0);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        const char *text;
    } cases[] = {{0, "0 B"},          {512, "512 B"},         {999, "999 B"},         {1000, "1.0 kB"},
                 {1449, "1.4 kB"},    {1450, "1.5 kB"},       {999949, "999.9 kB"},   {999950, "1.0 MB"},
                 {1400000, "1.4 MB"}, {1500000000, "1.5 GB"}, {UINT64_MAX, "18.4 EB"}};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        char out[SHARC_TIME_TEXT];
        assert_string_equal(sharc_size_text(cases[i].n, out), cases[i].text);
    }
}

static void test_shares(void **state)
{
    (void)state;
    char out[SHARC_TIME_TEXT];
    assert_string_equal(sharc_share_text(0.8125, out), "81.2 %");
    assert_string_equal(sharc_share_text(0, out), "0.0 %");
    assert_string_equal(sharc_share_text(1, out), "100.0 %");
    assert_string_equal(sharc_share_text((double)NAN, out), "unknown");
    assert_true(strlen(sharc_share_text(-1.7e308, out)) < SHARC_TIME_TEXT);
}

static void test_counts(void **state)
{
    (void)state;
    char text[SHARC_COUNT_TEXT];
    assert_string_equal(sharc_count_text(0, "page", text), "0 pages");
    assert_string_equal(SHARC_COUNT(1, "page"), "1 page");
    assert_string_equal(SHARC_COUNT(2, "page"), "2 pages");
    assert_string_equal(SHARC_COUNT(1, "entry|entries"), "1 entry");
    assert_string_equal(SHARC_COUNT(UINT64_MAX, "entry|entries"), "18446744073709551615 entries");
    assert_string_equal(SHARC_COUNT(1, "row that points|rows that point"), "1 row that points");
    char word[200];
    memset(word, 'w', sizeof word);
    word[sizeof word - 1] = 0;
    assert_int_equal(strlen(sharc_count_text(2, word, text)), SHARC_COUNT_TEXT - 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_counts),    cmocka_unit_test(test_instants), cmocka_unit_test(test_round_trip),
    cmocka_unit_test(test_durations), cmocka_unit_test(test_sizes),    cmocka_unit_test(test_shares),
};
TEST_MAIN(tests)
