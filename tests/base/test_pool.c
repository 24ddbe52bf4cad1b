/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_pool.h"

#include <stdatomic.h>
#include <unistd.h>

enum { N = 20000, THREADS = 4 };

struct work {
    atomic_uchar seen[N];
    atomic_bool busy[THREADS]; /* a thread number is used by one at a time */
    struct sharc_pool *pool;
    atomic_size_t calls;
};

static int visit(size_t i, unsigned thread, void *arg)
{
    struct work *w = arg;
    if (thread >= THREADS || atomic_exchange(&w->busy[thread], true)) return SHARC_EBUSY;
    atomic_fetch_add(&w->seen[i], 1);
    atomic_store(&w->busy[thread], false);
    return 0;
}

static void test_each_exactly_once(void **state)
{
    (void)state;
    struct work *w = SHARC_NEW(struct work);
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *p = sharc_pool_new(THREADS);
    assert_int_equal(sharc_pool_threads(p), THREADS);
    static const size_t counts[] = {0, 1, 3, N};
    for (size_t c = 0; c < SHARC_LENGTH(counts); c++) {
        memset(w, 0, sizeof *w);
        assert_int_equal(sharc_pool_each(p, counts[c], visit, w), 0);
        for (size_t i = 0; i < N; i++) assert_int_equal(atomic_load(&w->seen[i]), i < counts[c]);
    }
    sharc_freep(&w);
}

static int fail_at_100(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    struct work *w = arg;
    atomic_fetch_add(&w->calls, 1);
    return i == 100 ? SHARC_ECORRUPT : i == 101 ? SHARC_EIO : 0;
}

static void test_error_stops(void **state)
{
    (void)state;
    struct work *w = SHARC_NEW(struct work);
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *p = sharc_pool_new(2);
    for (int round = 0; round < 20; round++) {
        atomic_store(&w->calls, 0);
        int r = sharc_pool_each(p, (size_t)1 << 40, fail_at_100, w); /* would take for ever */
        /* Both may fail at once; then the earlier piece counts. Piece 101 alone
         * fails only if 100 was still running, which then fails too. */
        assert_int_equal(r, SHARC_ECORRUPT);
        assert_true(atomic_load(&w->calls) >= 101);
    }
    sharc_freep(&w);
}

static int add_index(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    atomic_fetch_add((atomic_size_t *)arg, i);
    return 0;
}

static int nested(size_t i, unsigned thread, void *arg)
{
    (void)i;
    struct work *w = arg;
    if (atomic_exchange(&w->busy[thread], true)) return SHARC_EBUSY;
    int r = sharc_pool_each(w->pool, 10, add_index, &w->calls);
    atomic_store(&w->busy[thread], false);
    return r;
}

/* Work that calls for work in the same pool ends, and keeps its scratch. */
static void test_nested(void **state)
{
    (void)state;
    struct work *w = SHARC_NEW(struct work);
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *p = sharc_pool_new(THREADS);
    w->pool = p;
    assert_int_equal(sharc_pool_each(p, 100, nested, w), 0);
    assert_int_equal(atomic_load(&w->calls), 4500);
    sharc_freep(&w);
}

static void count(void *arg)
{
    atomic_fetch_add((atomic_size_t *)arg, 1);
}

static void slow_count(void *arg)
{
    usleep(1000);
    count(arg);
}

static void test_submit_and_wait(void **state)
{
    (void)state;
    atomic_size_t n = 0;
    struct sharc_pool *p = sharc_pool_new(2);
    sharc_pool_wait(p);                                                 /* nothing to wait for */
    for (int i = 0; i < 100; i++) sharc_pool_submit(p, slow_count, &n); /* more than may wait */
    assert_true(atomic_load(&n) >= 100 - 4 * 2 - 2);
    sharc_pool_wait(p);
    assert_int_equal(atomic_load(&n), 100);
    for (int i = 0; i < 5; i++) sharc_pool_submit(p, slow_count, &n);
    sharc_pool_free(p); /* waits too */
    assert_int_equal(atomic_load(&n), 105);
    sharc_pool_free(NULL);
}

struct chain {
    struct sharc_pool *pool;
    atomic_size_t n;
};

static void submits(void *arg)
{
    struct chain *c = arg;
    for (int i = 0; i < 50; i++) sharc_pool_submit(c->pool, count, &c->n);
}

/* Tasks that submit tasks into a full queue do not wait for each other. */
static void test_submit_from_inside(void **state)
{
    (void)state;
    struct chain c = {.pool = sharc_pool_new(2)};
    for (int i = 0; i < 20; i++) sharc_pool_submit(c.pool, submits, &c);
    sharc_pool_wait(c.pool);
    assert_int_equal(atomic_load(&c.n), 1000);
    sharc_pool_free(c.pool);
}

static void test_cpu_count(void **state)
{
    (void)state;
    assert_true(sharc_cpu_count() >= 1);
    struct sharc_pool *p = sharc_pool_new(0);
    assert_int_equal(sharc_pool_threads(p), sharc_cpu_count());
    sharc_pool_free(p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_exactly_once),
    cmocka_unit_test(test_error_stops),
    cmocka_unit_test(test_nested),
    cmocka_unit_test(test_submit_and_wait),
    cmocka_unit_test(test_submit_from_inside),
    cmocka_unit_test(test_cpu_count),
};
TEST_MAIN(tests)
