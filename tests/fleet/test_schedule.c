/* SPDX-License-Identifier: Apache-2.0
 *
 * When a job is due again.
 */
#include "test.h"

#include "sharc/fleet_schedule.h"

#include <math.h>

static sharc_time at(const char *text)
{
    sharc_time t = 0;
    assert_int_equal(sharc_time_parse(sharc_span_of(text), &t, NULL), 0);
    return t;
}

static void is(const char *schedule, const char *due, const char *now, const char *next)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char text[SHARC_TIME_TEXT];
    sharc_time t = 0;
    int r = sharc_fleet_next(sharc_span_of(schedule), at(due), at(now), &t, &err);
    if (r < 0) fail_msg("%s: %s", schedule, err.text);
    assert_string_equal(sharc_time_iso(t, 0, text), next);
}

static void intervals_keep_their_rhythm(void **state)
{
    (void)state;
    is("every 36h", "2026-01-01T00:00:00Z", "2026-01-01T05:00:00Z", "2026-01-02T12:00:00Z");
    is("daily", "2026-01-01T03:30:00Z", "2026-01-01T03:30:00Z", "2026-01-02T03:30:00Z");
    is("weekly", "2026-01-01T03:30:00Z", "2026-02-01T00:00:00Z", "2026-02-05T03:30:00Z"); /* four were missed */
    is("weekly", "2026-03-01T03:30:00Z", "2026-02-01T00:00:00Z", "2026-03-01T03:30:00Z"); /* not due yet */
}

static void months_have_last_days(void **state)
{
    (void)state;
    is("monthly", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00Z", "2026-02-28T12:00:00Z");
    is("monthly", "2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z", "2026-03-31T12:00:00Z");
    is("monthly", "2028-01-31T12:00:00Z", "2028-02-01T00:00:00Z", "2028-02-29T12:00:00Z");
    is("monthly", "2026-11-15T12:00:00Z", "2027-02-15T12:00:00Z", "2027-03-15T12:00:00Z");
}

static void cron_is_as_people_know_it(void **state)
{
    (void)state;
    const char *due = "2026-01-01T00:00:00Z";
    is("cron 30 3 * * 1", due, "2026-11-18T01:00:00Z", "2026-11-23T03:30:00Z"); /* Mondays */
    is("cron 30 3 * * 1", due, "2026-11-23T03:29:59Z", "2026-11-23T03:30:00Z");
    is("cron 30 3 * * 1", due, "2026-11-23T03:30:00Z", "2026-11-30T03:30:00Z");
    is("cron 0 0 29 2 *", due, "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z");
    is("cron */15 8-9 * * 1-5", due, "2026-11-20T09:45:00Z", "2026-11-23T08:00:00Z");
    is("cron 5,35 * * * *", due, "2026-11-20T09:06:00Z", "2026-11-20T09:35:00Z");
    is("cron 0 12 13 * 5", due, "2026-11-01T00:00:00Z", "2026-11-06T12:00:00Z"); /* the 13th, or a Friday */
    is("cron 0 12 * * 7", due, "2026-11-18T00:00:00Z", "2026-11-22T12:00:00Z");
    is("cron 10/20 0 1 1 *", due, "2026-01-01T00:10:00Z", "2026-01-01T00:30:00Z");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "sometimes",
                                        "every",
                                        "every 5s",
                                        "every -1d",
                                        "every x",
                                        "cron",
                                        "cron * * * *",
                                        "cron * * * * * *",
                                        "cron 60 * * * *",
                                        "cron * 24 * * *",
                                        "cron * * 0 * *",
                                        "cron * * * 13 *",
                                        "cron * * * * 8",
                                        "cron 5-1 * * * *",
                                        "cron */0 * * * *",
                                        "cron */99 * * * *",
                                        "cron 1,,2 * * * *",
                                        "cron 0 0 31 2 *",
                                        "changed",
                                        "changed 10",
                                        "changed 0%",
                                        "changed 100%",
                                        "changed nan%",
                                        "changed -1%",
                                        "changed 10% 5d",
                                        "changed 10% 5d..",
                                        "changed 10% ..5d",
                                        "changed 10% 5d..1d",
                                        "changed 10% 1s..1d",
                                        "changed 10% 1d..5d x",
                                        "cron a * * * *",
                                        "cron 99999999999999999999 * * * *"};
    for (size_t i = 0; i < SHARC_LENGTH(wrong); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        sharc_time t;
        int r = sharc_fleet_next(sharc_span_of(wrong[i]), 0, 0, &t, &err);
        if (r != SHARC_ESYNTAX) fail_msg("\"%s\" was accepted: %d", wrong[i], r);
        assert_true(err.text[0]);
    }
}

static sharc_time after(const char *schedule, const double *rates, size_t n)
{
    struct sharc_fleet_change c;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_fleet_by_change(sharc_span_of(schedule), &c, &err), 1);
    return sharc_fleet_changed_after(&c, rates, n);
}

static void changes_say_when(void **state)
{
    (void)state;
    const double day = 1.0 / 86400;
    /* Two pages a day and a hundredth: half of 1 - exp(-t) reaches a tenth at t = -ln 0.8 days, the other hardly moves.
     */
    const double mixed[] = {day, (double)NAN, day / 1e6, -1};
    sharc_time t = after("changed 10% 1min..90d", mixed, SHARC_LENGTH(mixed));
    assert_in_range(t, (sharc_time)(0.2231 * (double)SHARC_DAY), (sharc_time)(0.2233 * (double)SHARC_DAY));
    /* Every page once a day: half of them after ln 2 days. */
    const double same[] = {day, day, day};
    t = after("changed 50% 1min..90d", same, SHARC_LENGTH(same));
    assert_in_range(t, (sharc_time)(0.6931 * (double)SHARC_DAY), (sharc_time)(0.6932 * (double)SHARC_DAY));
    assert_int_equal(after("changed 10%", same, SHARC_LENGTH(same)), SHARC_DAY); /* not sooner */
    const double still[] = {0, 0};
    assert_int_equal(after("changed 10%", still, SHARC_LENGTH(still)), 90 * SHARC_DAY);
    assert_int_equal(after(" changed  0.5%   6h..30d ", still, SHARC_LENGTH(still)), 30 * SHARC_DAY);
    const double hot[] = {1e9};
    assert_int_equal(after("changed 99% 6h..30d", hot, 1), 6 * SHARC_HOUR);
    /* Nothing is known: a week, within the bounds. */
    assert_int_equal(after("changed 10%", NULL, 0), 7 * SHARC_DAY);
    assert_int_equal(after("changed 10% 1d..3d", NULL, 0), 3 * SHARC_DAY);
    struct sharc_fleet_change c;
    assert_int_equal(sharc_fleet_by_change(SHARC_SPAN("weekly"), &c, NULL), 0);
    /* A capture that failed is due at the latest time. */
    is("changed 10% 6h..30d", "2026-01-01T00:00:00Z", "2026-01-01T05:00:00Z", "2026-01-31T05:00:00Z");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(intervals_keep_their_rhythm), cmocka_unit_test(months_have_last_days),
    cmocka_unit_test(cron_is_as_people_know_it),   cmocka_unit_test(changes_say_when),
    cmocka_unit_test(nonsense_is_refused),
};

TEST_MAIN(tests)
