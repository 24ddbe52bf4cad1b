/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_clock.h"

/* Written and read as ISO, so that a case can be checked by eye. */
static const struct {
    const char *text, *iso;
} instants[] = {
    {"2026", "2026-01-01T00:00:00.000000Z"},
    {"2026-11", "2026-11-01T00:00:00.000000Z"},
    {"2026-11-15", "2026-11-15T00:00:00.000000Z"},
    {"2026-11-15T20:04Z", "2026-11-15T20:04:00.000000Z"},
    {"2026-11-15T20:04:48Z", "2026-11-15T20:04:48.000000Z"},
    {"2026-11-15t20:04:48z", "2026-11-15T20:04:48.000000Z"},
    {"2026-11-15 20:04:48", "2026-11-15T20:04:48.000000Z"},
    {"2026-11-15T20:04:48.5Z", "2026-11-15T20:04:48.500000Z"},
    {"2026-11-15T20:04:48,25Z", "2026-11-15T20:04:48.250000Z"},
    {"2026-11-15T20:04:48.123456789123456789Z", "2026-11-15T20:04:48.123456Z"},
    {"2026-11-15T20:04:48+02:00", "2026-11-15T18:04:48.000000Z"},
    {"2026-11-15T20:04:48-0330", "2026-11-15T23:34:48.000000Z"},
    {"2026-11-15T20:04:48+02", "2026-11-15T18:04:48.000000Z"},
    {"2026-01-01T00:30+01:00", "2025-12-31T23:30:00.000000Z"},
    {"2024-02-29", "2024-02-29T00:00:00.000000Z"},
    {"2000-02-29", "2000-02-29T00:00:00.000000Z"},
    {"1969-07-20T20:17:40Z", "1969-07-20T20:17:40.000000Z"},
    {"0001-01-01", "0001-01-01T00:00:00.000000Z"},
    {"2016-12-31T23:59:60Z", "2016-12-31T23:59:59.000000Z"},
    /* digits: the beginning of what the prefix covers */
    {"20260", "2026-01-01T00:00:00.000000Z"},
    {"20261", "2026-10-01T00:00:00.000000Z"},
    {"202611", "2026-11-01T00:00:00.000000Z"},
    {"2026110", "2026-11-01T00:00:00.000000Z"},
    {"2026112", "2026-11-20T00:00:00.000000Z"},
    {"20261115", "2026-11-15T00:00:00.000000Z"},
    {"202611152", "2026-11-15T20:00:00.000000Z"},
    {"2026111520", "2026-11-15T20:00:00.000000Z"},
    {"20261115205", "2026-11-15T20:50:00.000000Z"},
    {"202611152004", "2026-11-15T20:04:00.000000Z"},
    {"2026111520044", "2026-11-15T20:04:40.000000Z"},
    {"20261115200448", "2026-11-15T20:04:48.000000Z"},
    {"202611152004481", "2026-11-15T20:04:48.100000Z"},
    {"20261115200448123", "2026-11-15T20:04:48.123000Z"},
    {"19691231235959", "1969-12-31T23:59:59.000000Z"},
    /* seconds */
    {"@0", "1970-01-01T00:00:00.000000Z"},
    {"@1794773088", "2026-11-15T20:04:48.000000Z"},
    {"@1794773088.25", "2026-11-15T20:04:48.250000Z"},
    {"@-1", "1969-12-31T23:59:59.000000Z"},
    {"@-0.5", "1969-12-31T23:59:59.500000Z"},
};

static void test_instants(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(instants); i++) {
        sharc_time t;
        char text[SHARC_TIME_TEXT];
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_time_parse(sharc_span_of(instants[i].text), &t, &err) < 0) fail_msg("%s", err.text);
        if (strcmp(sharc_time_iso(t, 6, text), instants[i].iso) != 0) fail_msg("%s: %s", instants[i].text, text);
    }
}

static void test_no_instants(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      " ",
                                      "now",
                                      "26",
                                      "202",
                                      "202611152004481234",
                                      "2026-1-1",
                                      "2026-13",
                                      "2026-00-01",
                                      "2026-02-29",
                                      "2100-02-29",
                                      "2026-11-31",
                                      "2026-11-15T",
                                      "2026-11-15T20",
                                      "2026-11-15T20:4",
                                      "2026-11-15T24:00",
                                      "2026-11-15T20:60",
                                      "2026-11-15T20:04:61Z",
                                      "2026-11-15T20:04:48.Z",
                                      "2026-11-15T20:04:48ZZ",
                                      "2026-11-15T20:04:48Z ",
                                      " 2026-11-15",
                                      "2026-11-15T20:04:48+2",
                                      "2026-11-15T20:04:48+02:0",
                                      "2026-11-15T20:04:48+24:00",
                                      "2026-11-15T20:04:48+02:60",
                                      "2026-11-15X20:04:48",
                                      "2026/11/15",
                                      "-2026-11-15",
                                      "20263",
                                      "2026023",
                                      "20260230",
                                      "2026111524",
                                      "202611152060",
                                      "@",
                                      "@-",
                                      "@1.",
                                      "@1.x",
                                      "@.5",
                                      "@1 ",
                                      "@+1",
                                      "@0x10",
                                      "2026-11-15T20:04:48\342\210\22202:00"};
    sharc_time t = 7;
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_time_parse(sharc_span_of(bad[i]), &t, &err) != SHARC_ESYNTAX) fail_msg("accepted: %s", bad[i]);
        assert_non_null(strstr(err.text, "is not a time; write 2026-"));
    }
    assert_int_equal(sharc_time_parse(SHARC_SPAN("@99999999999999999999"), &t, NULL), SHARC_ELIMIT);
    assert_int_equal(sharc_time_parse(SHARC_SPAN("@9223372036855"), &t, NULL), SHARC_ELIMIT);
    assert_int_equal(sharc_time_parse(SHARC_SPAN("2026\0"), &t, NULL), SHARC_ESYNTAX);
    assert_int_equal(t, 7);
}

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sharc_time d;
    } good[] = {{"0", 0},
                {"10", 10 * SHARC_SEC},
                {"1.5", 1500 * SHARC_MSEC},
                {"250us", 250},
                {"500ms", 500 * SHARC_MSEC},
                {"3s", 3 * SHARC_SEC},
                {"2m", 2 * SHARC_MINUTE},
                {"2min", 2 * SHARC_MINUTE},
                {"1h30m", 90 * SHARC_MINUTE},
                {"1h 30m", 90 * SHARC_MINUTE},
                {"1 h 30 min", 90 * SHARC_MINUTE},
                {"1.5h", 90 * SHARC_MINUTE},
                {"0.000001s", 1},
                {"0.0000019s", 1},
                {"2d", 2 * SHARC_DAY},
                {"1w", 7 * SHARC_DAY},
                {"4y", 1461 * SHARC_DAY},
                {"1d1d", 2 * SHARC_DAY},
                {"292271y", 292271 * (365 * SHARC_DAY + 6 * SHARC_HOUR)}};
    for (size_t i = 0; i < SHARC_LENGTH(good); i++) {
        sharc_time d;
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_duration_parse(sharc_span_of(good[i].text), &d, &err) < 0) fail_msg("%s", err.text);
        if (d != good[i].d) fail_msg("%s: %lld", good[i].text, (long long)d);
    }
    static const char *const bad[] = {"",    " ",  "s",   "-1s", "1x",  "1 ", "1h30",  "10 20", "1.s",      ".5s",
                                      "1e3", "1H", "1ss", "1,5", "1s,", "h1", "1s-1s", "1..5s", "\xc2\xb5s"};
    sharc_time d = 7;
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        if (strcmp(bad[i], "1 ") == 0) continue; /* a space behind is harmless */
        if (sharc_duration_parse(sharc_span_of(bad[i]), &d, &err) != SHARC_ESYNTAX) fail_msg("accepted: %s", bad[i]);
        assert_non_null(strstr(err.text, "is not a duration; write 500ms"));
    }
    assert_int_equal(sharc_duration_parse(SHARC_SPAN("300000y"), &d, NULL), SHARC_ELIMIT);
    assert_int_equal(sharc_duration_parse(SHARC_SPAN("18446744073709551615s"), &d, NULL), SHARC_ELIMIT);
    assert_int_equal(sharc_duration_parse(SHARC_SPAN("200000y200000y"), &d, NULL), SHARC_ELIMIT);
    assert_int_equal(d, 7);
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t n;
    } good[] = {{"0", 0},
                {"512", 512},
                {"512B", 512},
                {"1k", 1000},
                {"1K", 1000},
                {"1kB", 1000},
                {"1Ki", 1024},
                {"1 KiB", 1024},
                {"1.5M", 1500000},
                {"64Mi", 64u << 20},
                {"2G", 2000000000u},
                {"1TiB", (uint64_t)1 << 40},
                {"0.5k", 500},
                {"16777215.9999999Ti", 18446744073709441664u},
                {"18446744073709551615", UINT64_MAX}};
    for (size_t i = 0; i < SHARC_LENGTH(good); i++) {
        uint64_t n;
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_size_parse(sharc_span_of(good[i].text), &n, &err) < 0) fail_msg("%s", err.text);
        if (n != good[i].n) fail_msg("%s: %llu", good[i].text, (unsigned long long)n);
    }
    static const char *const bad[] = {"", "k", "-1", "1x", "1kk", "1iB", "1Kb i", "1.M", "1 k k", "1e6", "1BB", "0x10"};
    uint64_t n = 7;
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_size_parse(sharc_span_of(bad[i]), &n, &err) != SHARC_ESYNTAX) fail_msg("accepted: %s", bad[i]);
        assert_non_null(strstr(err.text, "is not a size; write 500k"));
    }
    assert_int_equal(sharc_size_parse(SHARC_SPAN("18446744073709551615k"), &n, NULL), SHARC_ELIMIT);
    assert_int_equal(sharc_size_parse(SHARC_SPAN("16777216Ti"), &n, NULL), SHARC_ELIMIT);
    assert_int_equal(n, 7);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_instants),
    cmocka_unit_test(test_no_instants),
    cmocka_unit_test(test_durations),
    cmocka_unit_test(test_sizes),
};
TEST_MAIN(tests)
