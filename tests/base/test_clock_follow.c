/* SPDX-License-Identifier: Apache-2.0
 *
 * Scripted clocks: what the wall clock does, and what time does then.
 */
#include "../../src/base/clock_follow.h"
#include "test.h"

#include "sharc/base_rng.h"

#include <inttypes.h>

/* Looked at every second from `from` on for `seconds`; the wall clock gains `ppm` on the even one. */
struct story {
    struct clock_follow f;
    sharc_time even, wall, last, last_even;
    sharc_time farthest; /* from the wall clock, set aside */
};

static void begin(struct story *s)
{
    *s = (struct story){.even = 7 * SHARC_DAY, .wall = 20000 * SHARC_DAY};
    sharc__clock_follow_init(&s->f, s->even, s->wall);
    s->last = s->wall;
    s->last_even = s->even;
}

static sharc_time size_of(sharc_time t)
{
    return t < 0 ? -t : t;
}

/* The invariants, at this reading. */
static sharc_time look(struct story *s)
{
    const sharc_time now = sharc__clock_follow_now(&s->f, s->even);
    const sharc_time passed = s->even - s->last_even, counted = now - s->last;
    if (counted < 0) fail_msg("time ran back by %" PRId64 " us", -counted);
    if (size_of(counted - passed) > passed * CLOCK_SLEW / 1000 + 2)
        fail_msg("in %" PRId64 " us time advanced by %" PRId64, passed, counted);
    s->last = now;
    s->last_even = s->even;
    return now;
}

static void run(struct story *s, int seconds, double ppm)
{
    s->farthest = 0;
    for (int i = 0; i < seconds; i++) {
        s->even += SHARC_SEC;
        s->wall += SHARC_SEC + (sharc_time)ppm;
        sharc__clock_follow_wall(&s->f, s->even, s->wall);
        const sharc_time away = size_of(s->wall - s->f.set - look(s));
        if (away > s->farthest) s->farthest = away;
    }
}

static void the_clocks_agree(void **state)
{
    (void)state;
    struct story s;
    begin(&s);
    run(&s, 3600, 0);
    assert_true(s.farthest == 0 && s.f.set == 0);
}

/* A machine whose wall clock gains five milliseconds a second was seen; NTP corrects by half of one. */
static void drift_is_followed(void **state)
{
    (void)state;
    static const double ppm[] = {1, -1, 500, -500, 5000, -5000};
    for (size_t i = 0; i < SHARC_LENGTH(ppm); i++) {
        struct story s;
        begin(&s);
        run(&s, 86400, ppm[i]);
        if (s.farthest > 60 * SHARC_MSEC) fail_msg("%g ppm: %" PRId64 " us away", ppm[i], s.farthest);
        assert_true(s.f.set == 0);
        run(&s, 120, 0); /* it ends: what was behind is made up, nothing is overdone */
        assert_true(size_of(s.wall - s.last) < SHARC_MSEC);
    }
}

static void a_step_is_not_followed(void **state)
{
    (void)state;
    static const sharc_time by[] = {2 * SHARC_HOUR, -2 * SHARC_HOUR, SHARC_SEC, -SHARC_SEC, -40 * SHARC_DAY};
    for (size_t i = 0; i < SHARC_LENGTH(by); i++) {
        struct story s;
        begin(&s);
        run(&s, 100, 0);
        const sharc_time before = s.last;
        s.wall += by[i];
        run(&s, 3600, 0);
        assert_true(s.last == before + SHARC_HOUR);
        assert_true(s.f.set == by[i]);
        run(&s, 7200, 200); /* what creeps after it is */
        assert_true(s.f.set == by[i] && s.farthest < 10 * SHARC_MSEC);
        s.wall -= by[i]; /* and set right again */
        run(&s, 100, 0);
        assert_true(s.f.set == 0);
        assert_true(size_of(s.wall - s.last) < 10 * SHARC_MSEC);
    }
}

static void a_little_step_is_put_right_slowly(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct story s;
        begin(&s);
        s.wall += sign * 900 * SHARC_MSEC;
        run(&s, 30, 0);
        assert_true(size_of(s.wall - s.last) > 500 * SHARC_MSEC); /* at most 10 ms in a second */
        run(&s, 300, 0);
        assert_true(size_of(s.wall - s.last) < SHARC_MSEC && s.f.set == 0);
    }
}

/* Nobody asks for an hour: what was to be put right is not put right twice. */
static void unread_for_long(void **state)
{
    (void)state;
    struct story s;
    begin(&s);
    s.wall += 300 * SHARC_MSEC;
    run(&s, 1, 0);
    s.even += SHARC_HOUR;
    s.wall += SHARC_HOUR;
    assert_true(size_of(look(&s) - s.wall) <= 2);
    s.even += SHARC_DAY; /* and by drift it is a step, which cannot be told apart */
    s.wall += SHARC_DAY + 20 * SHARC_SEC;
    sharc__clock_follow_wall(&s.f, s.even, s.wall);
    (void)look(&s);
    assert_true(size_of(s.f.set - 20 * SHARC_SEC) <= 2);
}

static void an_even_clock_that_falls(void **state)
{
    (void)state;
    struct story s;
    begin(&s);
    run(&s, 10, 0);
    s.even -= 5 * SHARC_SEC; /* another thread read it sooner */
    assert_true(sharc__clock_follow_now(&s.f, s.even) == s.last);
    sharc__clock_follow_wall(&s.f, s.even, s.wall);
    assert_true(sharc__clock_follow_now(&s.f, s.even) == s.last);
}

/* Whatever the wall clock does, at whatever moments it is looked at. */
static void anything(void **state)
{
    (void)state;
    struct sharc_rng rng = sharc_rng_stream(17, 0);
    for (int run_no = 0; run_no < 20; run_no++) {
        struct story s;
        begin(&s);
        for (int i = 0; i < 5000; i++) {
            const sharc_time step = (sharc_time)sharc_rng_below(&rng, 3 * SHARC_SEC);
            s.even += step;
            s.wall += step + (sharc_time)sharc_rng_below(&rng, 60000) - 30000;
            if (sharc_rng_below(&rng, 50) == 0)
                s.wall += (sharc_time)sharc_rng_below(&rng, 4 * SHARC_SEC) - 2 * SHARC_SEC;
            if (sharc_rng_below(&rng, 2)) sharc__clock_follow_wall(&s.f, s.even, s.wall);
            (void)look(&s);
        }
        s.even++;
        sharc__clock_follow_wall(&s.f, s.even, s.wall);
        /* What is told and what is not yet put right is all of it. */
        assert_true(size_of(s.wall - look(&s) - s.f.set) <= CLOCK_STEP);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_clocks_agree),
    cmocka_unit_test(drift_is_followed),
    cmocka_unit_test(a_step_is_not_followed),
    cmocka_unit_test(a_little_step_is_put_right_slowly),
    cmocka_unit_test(unread_for_long),
    cmocka_unit_test(an_even_clock_that_falls),
    cmocka_unit_test(anything),
};
TEST_MAIN(tests)
