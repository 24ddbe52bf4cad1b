/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_arena.h"
#include "sharc/base_rng.h"

#include <stdalign.h>

static void test_pieces(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(64u << 20);
    struct sharc_rng r;
    sharc_rng_init(&r, 9);
    enum { PIECES = 3000 };
    static struct {
        unsigned char *p;
        size_t n;
    } made[PIECES];
    size_t sum = 0;
    for (int i = 0; i < PIECES; i++) {
        size_t n = (size_t)sharc_rng_below(&r, i % 100 == 0 ? 100000 : 60);
        bool aligned = sharc_rng_below(&r, 2);
        unsigned char *p = aligned ? sharc_arena_alloc(&a, n) : (unsigned char *)sharc_arena_bytes(&a, n);
        assert_non_null(p);
        if (aligned) {
            assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
            for (size_t k = 0; k < n; k++) assert_int_equal(p[k], 0);
        }
        memset(p, i & 255, n);
        made[i].p = p;
        made[i].n = n;
        sum += n;
    }
    assert_true(a.used >= sum);
    for (int i = 0; i < PIECES; i++) { /* nobody wrote over anybody */
        for (size_t k = 0; k < made[i].n; k++) assert_int_equal(made[i].p[k], i & 255);
    }
}

static void test_maximum(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(100);
    assert_non_null(sharc_arena_alloc(&a, 60));
    assert_null(sharc_arena_alloc(&a, 41));
    assert_non_null(sharc_arena_bytes(&a, 40));
    assert_null(sharc_arena_bytes(&a, 1));
    assert_null(sharc_arena_copy(&a, SHARC_SPAN("")).p);
    assert_null(sharc_arena_alloc(&a, SIZE_MAX));
    assert_null(sharc_arena_copy(&a, (struct sharc_span){"", SIZE_MAX}).p);
    sharc_arena_clear(&a);
    assert_non_null(sharc_arena_alloc(&a, 100));
}

static void test_copy_and_clear(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena a;
    sharc_arena_init(&a, 1u << 20);
    sharc_arena_clear(&a);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 1000; i++) {
            struct sharc_span s = sharc_arena_copy(&a, SHARC_SPAN("text\0more"));
            assert_int_equal(s.n, 9);
            assert_memory_equal(s.p, "text\0more", 10); /* with a 0 behind */
        }
        assert_true(a.used >= 10000);
        sharc_arena_clear(&a);
        assert_int_equal(a.used, 0);
    }
    int *zeroed = SHARC_ARENA_NEW(&a, int); /* memory used before is zeroed again */
    assert_int_equal(*zeroed, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pieces),
    cmocka_unit_test(test_maximum),
    cmocka_unit_test(test_copy_and_clear),
};
TEST_MAIN(tests)
