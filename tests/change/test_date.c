/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates as pages write them.
 */
#include "test.h"

#include "sharc/change_text.h"

#include <stdio.h>

static void assert_date(const char *text, const char *want)
{
    char out[SHARC_TIME_TEXT];
    sharc_time t = 0;
    size_t n = sharc_change_date_read(sharc_span_of(text), &t);
    if (n == 0) fail_msg("no date in \"%s\"", text);
    assert_string_equal(sharc_time_iso(t, 0, out), want);
}

static void assert_none(const char *text)
{
    sharc_time t = 42;
    if (sharc_change_date_read(sharc_span_of(text), &t)) fail_msg("a date in \"%s\"", text);
    assert_int_equal(t, 42);
}

static void dates_are_read(void **state)
{
    (void)state;
    assert_date("2026-11-15", "2026-11-15T00:00:00Z");
    assert_date("2026/11/5.", "2026-11-05T00:00:00Z");
    assert_date("2026-11-15T14:30:05Z", "2026-11-15T14:30:05Z");
    assert_date("2026-11-15T14:30:05.123+01:00", "2026-11-15T13:30:05Z");
    assert_date("2026-11-15 14:30 -0500", "2026-11-15T19:30:00Z");
    assert_date("15 November 2026", "2026-11-15T00:00:00Z");
    assert_date("15 NOV 2026, 9:05", "2026-11-15T09:05:00Z");
    assert_date("15-Nov-2026", "2026-11-15T00:00:00Z");
    assert_date("November 15, 2026", "2026-11-15T00:00:00Z");
    assert_date("Nov. 15th, 2026 at 14:30 UTC", "2026-11-15T14:30:00Z");
    assert_date("1st of March 2026", "2026-03-01T00:00:00Z");
    assert_date("Sun, 15 Nov 2026 20:04:48 GMT", "2026-11-15T20:04:48Z");
    assert_date("Sunday 15 November 2026", "2026-11-15T00:00:00Z");
    assert_date("15. November 2026", "2026-11-15T00:00:00Z");
    assert_date("1. M\u00e4rz 2026", "2026-03-01T00:00:00Z");
    assert_date("15.11.2026", "2026-11-15T00:00:00Z");
    assert_date("5. 11. 2026", "2026-11-05T00:00:00Z");
    assert_date("1er ao\u00fbt 2026", "2026-08-01T00:00:00Z");
    assert_date("15 de noviembre de 2026", "2026-11-15T00:00:00Z");
    assert_date("15 mei 2026", "2026-05-15T00:00:00Z");
    assert_date("15/11/2026", "2026-11-15T00:00:00Z");
    assert_date("11/15/2026", "2026-11-15T00:00:00Z");
    assert_date("11/11/2026", "2026-11-11T00:00:00Z");
    assert_date("29 February 2024", "2024-02-29T00:00:00Z");
}

static void what_is_no_date_is_refused(void **state)
{
    (void)state;
    assert_none("");
    assert_none("5/11/2026"); /* May or November? */
    assert_none("31.02.2026");
    assert_none("29 February 2026");
    assert_none("2026-13-01");
    assert_none("2026-11-155");
    assert_none("15.11.20261");
    assert_none("1789-07-14");
    assert_none("November 2026");
    assert_none("15 Novembers 2026");
    assert_none("version 2.11.2026");
    assert_none("192.168.1.1");
    assert_none("12345678");
    assert_none("Sunday");
    assert_none("15");
    assert_none("\xff\xfe");
}

static void assert_found(const char *text, const char *want)
{
    char out[SHARC_TIME_TEXT];
    sharc_time t = 0;
    size_t at = SHARC_NPOS;
    bool found = sharc_change_date_find(sharc_span_of(text), &t, &at);
    if (found != (want != NULL)) fail_msg("%s: \"%s\"", found ? "found a date" : "found none", text);
    if (!want) return;
    assert_string_equal(sharc_time_iso(t, 0, out), want);
    assert_true(at < strlen(text));
}

static void stated_dates_are_found(void **state)
{
    (void)state;
    assert_found("Copyright 1999-2026. This page was last modified on 3 May 2025, at 10:11.", "2025-05-03T10:11:00Z");
    assert_found("LAST UPDATED: 2025-05-03", "2025-05-03T00:00:00Z");
    assert_found("Published 2020-01-01. Updated on May 3, 2025", "2025-05-03T00:00:00Z");
    assert_found("Impressum\nStand: 03.05.2025\n", "2025-05-03T00:00:00Z");
    assert_found("Zuletzt ge\u00e4ndert am Samstag, 3. Mai 2025", "2025-05-03T00:00:00Z");
    assert_found("Derni\u00e8re mise \u00e0 jour le 3 mai 2025", "2025-05-03T00:00:00Z");
    assert_found("\u00daltima actualizaci\u00f3n", NULL);
    assert_found("Published on 2025-05-03", NULL);
    assert_found("We never updated anything in the history of the whole world until 2025-05-03", NULL);
    assert_found("outdated 2025-05-03", NULL);
    assert_found("Standard 2025-05-03", NULL);
    assert_found("", NULL);
    /* At the very end, and at any offset. */
    assert_found("x stand", NULL);
    for (int i = 0; i < 20; i++) {
        char text[64];
        snprintf(text, sizeof text, "%.*s(updated 2025-05-03", i, "aaaaaaa a-aaaaaaaaa aaaaaa");
        assert_found(text, "2025-05-03T00:00:00Z");
    }
    /* The second phrase helps when the first has no date. */
    assert_found("updated weekly, and now and then by hand; last change 2025-05-03", "2025-05-03T00:00:00Z");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(dates_are_read),
    cmocka_unit_test(what_is_no_date_is_refused),
    cmocka_unit_test(stated_dates_are_found),
};
TEST_MAIN(tests)
