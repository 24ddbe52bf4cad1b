/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker stops before its lease ends. The clock is the test's own.
 */
#include "test.h"

#include "sharc/fleet_keeper.h"
#include "sharc/store.h"

#define LEASE (60 * SHARC_SEC)

struct fixture {
    struct sharc_store *store;
    struct sharc_keeper *keeper;
    double now;
    struct sharc_job_claim claim;
    enum sharc_keeper_state told;
    int calls;
};

static double read_clock(void *arg)
{
    return ((struct fixture *)arg)->now;
}

static void tell(void *arg, enum sharc_keeper_state state)
{
    struct fixture *f = arg;
    f->told = state;
    f->calls++;
}

static struct sharc_job_claim claim(struct sharc_store *s)
{
    struct sharc_store_job j;
    assert_int_equal(sharc_store_job_claim(s, NULL, SHARC_SPAN("w"), LEASE, &j, NULL), 1);
    return (struct sharc_job_claim){j.id, j.epoch};
}

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){.now = 1000};
    assert_int_equal(sharc_store_open("memory:", NULL, &f.store, NULL), 0);
    struct sharc_store_job j = {.kind = SHARC_SPAN("crawl")};
    sharc_store_id id;
    assert_int_equal(sharc_store_job_add(f.store, &j, &id, NULL), 0);
    sharc_keeper_new(f.store, LEASE, read_clock, &f, &f.keeper);
    f.claim = claim(f.store);
    sharc_keeper_add(f.keeper, f.claim, f.now, tell, &f);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    sharc_keeper_free(f->keeper);
    sharc_store_free(f->store);
    return 0;
}

static void heartbeats_keep_it(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 20; i++) {
        f->now += 20;
        sharc_keeper_beat(f->keeper);
        sharc_keeper_look(f->keeper);
    }
    assert_int_equal(f->calls, 0);
    assert_int_equal(sharc_keeper_state(f->keeper, f->claim), SHARC_KEPT);
    assert_int_equal(sharc_keeper_drop(f->keeper, f->claim), SHARC_KEPT);
}

static void silence_ends_it_before_the_lease_does(void **state)
{
    struct fixture *f = *state;
    f->now += 39.9;
    sharc_keeper_look(f->keeper);
    assert_int_equal(f->calls, 0);
    f->now += 0.2;
    sharc_keeper_look(f->keeper);
    sharc_keeper_look(f->keeper);
    assert_int_equal(f->calls, 1); /* once */
    assert_int_equal(f->told, SHARC_KEPT_LATE);
    /* A heartbeat that arrives after all does not take it back: its work has been stopped. */
    sharc_keeper_beat(f->keeper);
    assert_int_equal(sharc_keeper_drop(f->keeper, f->claim), SHARC_KEPT_LATE);
}

static void a_database_that_is_away_is_silence(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 4; i++) {
        f->now += 10;
        sharc_store_fail_at(f->store, 1, SHARC_EDB);
        sharc_keeper_beat(f->keeper);
        sharc_keeper_look(f->keeper);
    }
    sharc_store_fail_at(f->store, 0, 0);
    assert_int_equal(f->told, SHARC_KEPT_LATE);
}

static void who_was_robbed_is_told(void **state)
{
    struct fixture *f = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_store_job_release(f->store, f->claim, &err), 0);
    (void)claim(f->store);
    sharc_keeper_beat(f->keeper);
    assert_int_equal(f->told, SHARC_KEPT_LOST);
    f->now += 1000;
    sharc_keeper_look(f->keeper);
    assert_int_equal(sharc_keeper_drop(f->keeper, f->claim), SHARC_KEPT_LOST);
}

static void wishes_are_passed_on(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(sharc_store_job_wish(f->store, f->claim.job, SHARC_JOB_PAUSE, NULL), 0);
    sharc_keeper_beat(f->keeper);
    sharc_keeper_beat(f->keeper);
    assert_int_equal(f->calls, 1);
    assert_int_equal(sharc_keeper_drop(f->keeper, f->claim), SHARC_KEPT_WISHED);
}

static void threads_end_when_told(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(sharc_keeper_start(f->keeper, NULL), 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    T(heartbeats_keep_it),     T(silence_ends_it_before_the_lease_does),
    T(who_was_robbed_is_told), T(a_database_that_is_away_is_silence),
    T(wishes_are_passed_on),   T(threads_end_when_told),
};

TEST_MAIN(tests)
