/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_map.h"
#include "sharc/base_rng.h"

static void test_counts(void **state)
{
    (void)state;
    struct sharc_map64 m;
    sharc_map64_init(&m);
    assert_null(sharc_map64_find(&m, 0));
    /* Keys as awkward as they come: dense, spread by 2^32, the extremes. */
    for (int round = 1; round <= 3; round++) {
        for (uint64_t i = 0; i < 5000; i++) {
            assert_int_equal(*sharc_map64_at(&m, i), round - 1);
            *sharc_map64_at(&m, i) += 1;
            *sharc_map64_at(&m, i << 32) += i ? 1 : 0;
            *sharc_map64_at(&m, UINT64_MAX - i) += 1;
        }
    }
    assert_int_equal(m.count, 14999);
    for (uint64_t i = 1; i < 5000; i++) {
        assert_int_equal(*sharc_map64_find(&m, i), 3);
        assert_int_equal(*sharc_map64_find(&m, i << 32), 3);
        assert_int_equal(*sharc_map64_find(&m, UINT64_MAX - i), 3);
        assert_null(sharc_map64_find(&m, (i << 32) + 12345));
    }
    assert_true(m.count * 4 <= m.room * 3);
    sharc_map64_done(&m);
    sharc_map64_done(&m);
}

static void test_random_keys(void **state)
{
    (void)state;
    struct sharc_map64 m;
    sharc_map64_init(&m);
    struct sharc_rng r;
    sharc_rng_init(&r, 64);
    for (int i = 0; i < 50000; i++) {
        uint64_t key = sharc_rng_u64(&r);
        *sharc_map64_at(&m, key) = ~key;
    }
    sharc_rng_init(&r, 64);
    for (int i = 0; i < 50000; i++) {
        uint64_t key = sharc_rng_u64(&r);
        const uint64_t *v = sharc_map64_find(&m, key);
        assert_non_null(v);
        assert_true(*v == ~key);
    }
    sharc_map64_done(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_counts),
    cmocka_unit_test(test_random_keys),
};
TEST_MAIN(tests)
