/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/http_robots.h"

#define NOW (1000 * SHARC_DAY)

static void judges_answers_for_robots(void **state)
{
    (void)state;
    enum { NONE_KEPT, FRESH, OLD };
    static const struct {
        enum sharc_fetch_state state;
        int status;
        unsigned redirects;
        int kept;
        enum sharc_robots_act act;
        sharc_time after;
    } cases[] = {
        {SHARC_FETCH_OK, 200, 0, NONE_KEPT, SHARC_ROBOTS_PARSE, SHARC_DAY},
        {SHARC_FETCH_TOO_LARGE, 200, 0, NONE_KEPT, SHARC_ROBOTS_PARSE, SHARC_DAY},
        {SHARC_FETCH_OK, 301, 0, NONE_KEPT, SHARC_ROBOTS_FOLLOW, 0},
        {SHARC_FETCH_OK, 302, 4, NONE_KEPT, SHARC_ROBOTS_FOLLOW, 0},
        {SHARC_FETCH_OK, 302, 5, NONE_KEPT, SHARC_ROBOTS_ALLOW, SHARC_DAY},
        {SHARC_FETCH_OK, 304, 0, FRESH, SHARC_ROBOTS_KEEP, SHARC_DAY},
        {SHARC_FETCH_OK, 404, 0, NONE_KEPT, SHARC_ROBOTS_ALLOW, SHARC_DAY},
        {SHARC_FETCH_OK, 403, 0, FRESH, SHARC_ROBOTS_ALLOW, SHARC_DAY},
        {SHARC_FETCH_OK, 401, 0, NONE_KEPT, SHARC_ROBOTS_ALLOW, SHARC_DAY},
        {SHARC_FETCH_SHORT, 404, 0, NONE_KEPT, SHARC_ROBOTS_ALLOW, SHARC_DAY},
        {SHARC_FETCH_OK, 429, 0, NONE_KEPT, SHARC_ROBOTS_DISALLOW, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_OK, 500, 0, NONE_KEPT, SHARC_ROBOTS_DISALLOW, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_OK, 503, 0, FRESH, SHARC_ROBOTS_KEEP, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_OK, 503, 0, OLD, SHARC_ROBOTS_DISALLOW, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_DNS, 0, 0, NONE_KEPT, SHARC_ROBOTS_DISALLOW, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_TIMEOUT, 0, 2, FRESH, SHARC_ROBOTS_KEEP, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_TIMEOUT, 200, 0, NONE_KEPT, SHARC_ROBOTS_DISALLOW, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_BAD_MESSAGE, 200, 0, NONE_KEPT, SHARC_ROBOTS_DISALLOW, SHARC_ROBOTS_RETRY},
        {SHARC_FETCH_PRIVATE, 0, 1, NONE_KEPT, SHARC_ROBOTS_DISALLOW, SHARC_ROBOTS_RETRY},
    };
    const sharc_time kept[] = {SHARC_TIME_NONE, NOW - 2 * SHARC_DAY, NOW - 31 * SHARC_DAY};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_robots_plan p =
            sharc_robots_judge(cases[i].state, cases[i].status, cases[i].redirects, kept[cases[i].kept], NOW);
        if (p.act != cases[i].act) fail_msg("case %zu: act %d", i, p.act);
        if (p.act != SHARC_ROBOTS_FOLLOW && p.expires != NOW + cases[i].after) fail_msg("case %zu: expires", i);
        assert_true(strlen(p.why) > 10);
    }
}

static void reads_retry_after(void **state)
{
    (void)state;
    /* 19 Sep 1972 is day 992, NOW day 1000: 27 Sep 1972 */
    static const struct {
        const char *text;
        int result;
        sharc_time wait;
    } cases[] = {
        {"120", 0, 120 * SHARC_SEC},
        {" 0 ", 0, 0},
        {"99999999999999999999999", 0, 365 * SHARC_DAY},
        {"31536001", 0, 365 * SHARC_DAY},
        {"Wed, 27 Sep 1972 00:10:00 GMT", 0, 10 * SHARC_MINUTE},
        {"Wednesday, 27-Sep-72 01:00:00 GMT", 0, SHARC_HOUR},
        {"Tue, 26 Sep 1972 00:00:00 GMT", 0, 0},
        {"Fri, 31 Dec 9999 23:59:59 GMT", 0, 365 * SHARC_DAY},
        {"-5", SHARC_ESYNTAX, 0},
        {"1.5", SHARC_ESYNTAX, 0},
        {"soon", SHARC_ESYNTAX, 0},
        {"", SHARC_ESYNTAX, 0},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        sharc_time got = -1;
        int r = sharc_http_retry_after(sharc_span_of(cases[i].text), NOW, &got);
        if (r != cases[i].result || (r == 0 && got != cases[i].wait))
            fail_msg("%s: %d, %lld", cases[i].text, r, (long long)got);
    }
}

static bool within(sharc_time got, sharc_time want)
{
    return got >= want * 9 / 10 && got <= want * 11 / 10;
}

static void stays_away_longer_each_time(void **state)
{
    (void)state;
    struct sharc_backoff b = {0};
    struct sharc_rng rng;
    sharc_rng_init(&rng, 7);
    sharc_time now = NOW, want = SHARC_MINUTE;
    bool varied = false;
    for (int i = 0; i < 40; i++) {
        sharc_time until = sharc_backoff_trouble(&b, now, SHARC_TIME_NONE, &rng);
        assert_true(within(until - now, want));
        assert_true(until - now <= SHARC_DAY);
        varied |= until - now != want;
        now = until;
        want = want * 2 < SHARC_DAY ? want * 2 : SHARC_DAY;
    }
    assert_true(varied);
    /* A good answer right after: not forgiven yet. */
    sharc_backoff_quiet(&b, now + SHARC_MINUTE);
    assert_true(b.step > 0);
    sharc_backoff_quiet(&b, now + SHARC_BACKOFF_FORGIVEN);
    assert_int_equal(b.step, 0);
    now += SHARC_HOUR;
    assert_true(within(sharc_backoff_trouble(&b, now, SHARC_TIME_NONE, &rng) - now, SHARC_MINUTE));
}

static void honours_what_the_server_says(void **state)
{
    (void)state;
    struct sharc_backoff b = {0};
    struct sharc_rng rng;
    sharc_rng_init(&rng, 1);
    assert_int_equal(sharc_backoff_trouble(&b, NOW, 120 * SHARC_SEC, &rng), NOW + 120 * SHARC_SEC);
    /* An answer that was under way does not shorten the wait. */
    assert_int_equal(sharc_backoff_trouble(&b, NOW + SHARC_SEC, 5 * SHARC_SEC, &rng), NOW + 120 * SHARC_SEC);
    b = (struct sharc_backoff){0};
    assert_int_equal(sharc_backoff_trouble(&b, NOW, 0, &rng), NOW + SHARC_SEC);
    b = (struct sharc_backoff){0};
    assert_int_equal(sharc_backoff_trouble(&b, NOW, 40 * SHARC_DAY, &rng), NOW + SHARC_DAY);
    assert_true(sharc_backoff_wanted(429) && sharc_backoff_wanted(503));
    assert_false(sharc_backoff_wanted(403) || sharc_backoff_wanted(500) || sharc_backoff_wanted(200));
}

static void same_seed_same_waits(void **state)
{
    (void)state;
    struct sharc_backoff a = {0}, b = {0};
    struct sharc_rng x, y;
    sharc_rng_init(&x, 5);
    sharc_rng_init(&y, 5);
    for (int i = 0; i < 10; i++)
        assert_int_equal(sharc_backoff_trouble(&a, NOW + i * SHARC_DAY, SHARC_TIME_NONE, &x),
                         sharc_backoff_trouble(&b, NOW + i * SHARC_DAY, SHARC_TIME_NONE, &y));
}

static void pauses_between_requests(void **state)
{
    (void)state;
    static const struct {
        sharc_time wanted, robots, took, want;
    } cases[] = {
        {3 * SHARC_SEC, 0, SHARC_MSEC, 3 * SHARC_SEC},
        {3 * SHARC_SEC, 0, 2 * SHARC_SEC, 10 * SHARC_SEC},
        {3 * SHARC_SEC, 0, SHARC_HOUR, 30 * SHARC_SEC},
        {60 * SHARC_SEC, 0, SHARC_HOUR, 60 * SHARC_SEC},
        {3 * SHARC_SEC, 300 * SHARC_SEC, SHARC_SEC, 300 * SHARC_SEC},
        {0, 0, 0, 0},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++)
        assert_int_equal(sharc_polite_delay(cases[i].wanted, cases[i].robots, cases[i].took, 5, 30 * SHARC_SEC),
                         cases[i].want);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(judges_answers_for_robots),   cmocka_unit_test(reads_retry_after),
    cmocka_unit_test(stays_away_longer_each_time), cmocka_unit_test(honours_what_the_server_says),
    cmocka_unit_test(same_seed_same_waits),        cmocka_unit_test(pauses_between_requests),
};
TEST_MAIN(tests)
