/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_clock.h"
#include "sharc/base_rng.h"

#include <math.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What befell the machine: seconds that it slept, seconds that its clock was set forward. */
static time_t slept, set_forward;

int clock_gettime(clockid_t which, struct timespec *t)
{
    int r = (int)syscall(SYS_clock_gettime, which, t);
    if (which == CLOCK_REALTIME) t->tv_sec += slept + set_forward;
    if (which == CLOCK_BOOTTIME) t->tv_sec += slept;
    return r;
}

static void test_real(void **state)
{
    (void)state;
    struct sharc_clock *c = sharc_clock_real();
    assert_ptr_equal(c, sharc_clock_real());
    sharc_time before = c->now(c);
    assert_true(before / SHARC_SEC - time(NULL) <= 2 && time(NULL) - before / SHARC_SEC <= 2);
    for (int i = 0; i < 1000; i++) {
        sharc_time now = c->now(c);
        assert_true(now >= before);
        before = now;
    }
    assert_int_equal(c->wait_until(c, before - SHARC_SEC, NULL), 0); /* long past */
    assert_int_equal(c->wait_until(c, before + 150 * SHARC_MSEC, NULL), 0);
    assert_true(c->now(c) >= before + 150 * SHARC_MSEC);
    assert_true(sharc_clock_mono() > 0);
    assert_true(sharc_clock_cpu() >= 0);
}

static void test_set(void **state)
{
    (void)state;
    struct sharc_clock *c = sharc_clock_real();
    sharc_time before = c->now(c);
    set_forward = -3600;
    assert_in_range(c->now(c) - before, 0, SHARC_MINUTE);
    set_forward = 3600;
    assert_in_range(c->now(c) - before, 0, SHARC_MINUTE);
    /* It is told, as long as it lasts. */
    struct sharc_clock_anchor a;
    c->anchor(c, &a);
    assert_in_range(a.set, SHARC_HOUR - SHARC_SEC, SHARC_HOUR + SHARC_SEC);
    assert_in_range(c->now(c) - before, 0, SHARC_MINUTE);
    set_forward = 0;
    c->anchor(c, &a);
    assert_in_range(a.set + SHARC_SEC, 0, 2 * SHARC_SEC);
}

static void test_sleep(void **state)
{
    (void)state;
    struct sharc_clock *c = sharc_clock_real();
    sharc_time before = c->now(c);
    slept = 3600;
    assert_in_range(c->now(c) - before, SHARC_HOUR, SHARC_HOUR + SHARC_MINUTE);
    slept = 0;
}

static volatile bool stop;

static void *stop_soon(void *arg)
{
    (void)arg;
    usleep(20000);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    return NULL;
}

static void test_stop(void **state)
{
    (void)state;
    struct sharc_clock *c = sharc_clock_real();
    stop = true;
    assert_int_equal(c->wait_until(c, c->now(c) + SHARC_DAY, &stop), SHARC_EINTR);
    stop = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
    assert_int_equal(c->wait_until(c, c->now(c) + SHARC_DAY, &stop), SHARC_EINTR);
    pthread_join(thread, NULL);
}

static void test_virtual(void **state)
{
    (void)state;
    struct sharc_clock_virtual v;
    sharc_clock_virtual_init(&v, 100);
    struct sharc_clock *c = &v.clock;
    assert_int_equal(c->now(c), 100);
    assert_int_equal(c->wait_until(c, 50, NULL), 0); /* never backwards */
    assert_int_equal(c->now(c), 100);
    assert_int_equal(c->wait_until(c, 365 * SHARC_DAY, NULL), 0); /* at once */
    assert_true(c->now(c) == 365 * SHARC_DAY);
    stop = true;
    assert_int_equal(c->wait_until(c, 366 * SHARC_DAY, &stop), SHARC_EINTR);
    assert_true(c->now(c) == 365 * SHARC_DAY);
}

static void test_known_dates(void **state)
{
    (void)state;
    static const struct {
        sharc_time t;
        struct sharc_date d;
    } cases[] = {
        {0, {1970, 1, 1, 0, 0, 0, 0, 4}},
        {-1, {1969, 12, 31, 23, 59, 59, 999999, 3}},
        {951782400 * SHARC_SEC, {2000, 2, 29, 0, 0, 0, 0, 2}},
        {(sharc_time)4107542399 * SHARC_SEC, {2100, 2, 28, 23, 59, 59, 0, 0}},
        {(sharc_time)4107542400 * SHARC_SEC, {2100, 3, 1, 0, 0, 0, 0, 1}},
        {(sharc_time)-62135596800 * SHARC_SEC, {1, 1, 1, 0, 0, 0, 0, 1}},
        {(sharc_time)-62167219200 * SHARC_SEC, {0, 1, 1, 0, 0, 0, 0, 6}},
        {(sharc_time)253402300799 * SHARC_SEC, {9999, 12, 31, 23, 59, 59, 0, 5}},
        {1794773088 * SHARC_SEC + 123456, {2026, 11, 15, 20, 4, 48, 123456, 0}},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_date d = sharc_date_of(cases[i].t);
        assert_memory_equal(&d, &cases[i].d, sizeof d);
        sharc_time back;
        assert_int_equal(sharc_date_to_time(&d, &back), 0);
        assert_true(back == cases[i].t);
    }
}

/* Against the C library, for four centuries around 1970 and at random. */
static void test_like_the_library(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 1970);
    for (int i = 0; i < 60000; i++) {
        time_t t =
            i < 40000 ? (time_t)(i - 20000) * 315569 * 10 : (time_t)sharc_rng_below(&r, 500000000000u) - 250000000000;
        struct tm tm;
        assert_non_null(gmtime_r(&t, &tm));
        struct sharc_date d = sharc_date_of((sharc_time)t * SHARC_SEC);
        assert_int_equal(d.year, tm.tm_year + 1900);
        assert_int_equal(d.month, tm.tm_mon + 1);
        assert_int_equal(d.day, tm.tm_mday);
        assert_int_equal(d.hour * 3600 + d.minute * 60 + d.second, tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec);
        assert_int_equal(d.weekday, tm.tm_wday);
        sharc_time back;
        assert_int_equal(sharc_date_to_time(&d, &back), 0);
        assert_true(back == (sharc_time)t * SHARC_SEC);
    }
    sharc_date_of(INT64_MIN); /* no overflow at the ends */
    sharc_date_of(INT64_MAX);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct sharc_date bad[] = {
        {2026, 0, 1, 0, 0, 0, 0, 0},   {2026, 13, 1, 0, 0, 0, 0, 0},      {2026, 1, 0, 0, 0, 0, 0, 0},
        {2026, 1, 32, 0, 0, 0, 0, 0},  {2026, 2, 29, 0, 0, 0, 0, 0},      {2100, 2, 29, 0, 0, 0, 0, 0},
        {2026, 4, 31, 0, 0, 0, 0, 0},  {2026, 1, 1, 24, 0, 0, 0, 0},      {2026, 1, 1, 0, 60, 0, 0, 0},
        {2026, 1, 1, 0, 0, 61, 0, 0},  {2026, 1, 1, 0, 0, 0, 1000000, 0}, {2026, 1, 1, -1, 0, 0, 0, 0},
        {300000, 1, 1, 0, 0, 0, 0, 0}, {-300000, 1, 1, 0, 0, 0, 0, 0},
    };
    sharc_time t = 7;
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) assert_int_equal(sharc_date_to_time(&bad[i], &t), SHARC_ESYNTAX);
    assert_int_equal(t, 7);
    struct sharc_date leap = {2016, 12, 31, 23, 59, 60, 0, 0};
    assert_int_equal(sharc_date_to_time(&leap, &t), 0);
    assert_true(t == (sharc_time)1483228799 * SHARC_SEC);
}

static void test_any_seconds_are_a_time(void **state)
{
    (void)state;
    assert_true(sharc_time_of_seconds(1.5) == 1500 * SHARC_MSEC);
    assert_true(sharc_time_of_seconds(-2) == -2 * SHARC_SEC);
    assert_true(sharc_time_of_seconds(1e23) == INT64_MAX);
    assert_true(sharc_time_of_seconds((double)INFINITY) == INT64_MAX);
    assert_true(sharc_time_of_seconds(-1e300) == INT64_MIN + 1); /* not SHARC_TIME_NONE */
    assert_true(sharc_time_of_seconds((double)NAN) == 0);
    assert_true(sharc_time_of_seconds(4e12) == (sharc_time)4000000000000 * SHARC_SEC);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_any_seconds_are_a_time),
    cmocka_unit_test(test_real),
    cmocka_unit_test(test_set),
    cmocka_unit_test(test_sleep),
    cmocka_unit_test(test_stop),
    cmocka_unit_test(test_virtual),
    cmocka_unit_test(test_known_dates),
    cmocka_unit_test(test_like_the_library),
    cmocka_unit_test(test_refused),
};
TEST_MAIN(tests)
