/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_map.h"

static void pairs_are_told_apart(void **state)
{
    (void)state;
    enum { SIDE = 150 };
    struct sharc_map128 *m = sharc_map128_new(SIZE_MAX);
    assert_int_equal(sharc_map128_get(m, 0, 0), 0);
    /* Neighbours, each pair also the other way round, and both ends of the numbers. */
    for (int64_t a = 0; a < SIDE; a++)
        for (int64_t b = 0; b < SIDE; b++) sharc_map128_put(m, a, b, a * SIDE + b + 1);
    sharc_map128_put(m, INT64_MIN, INT64_MAX, -1);
    sharc_map128_put(m, INT64_MAX, INT64_MIN, INT64_MIN);
    for (int64_t a = 0; a < SIDE; a++)
        for (int64_t b = 0; b < SIDE; b++) assert_int_equal(sharc_map128_get(m, a, b), a * SIDE + b + 1);
    assert_int_equal(sharc_map128_get(m, INT64_MIN, INT64_MAX), -1);
    assert_true(sharc_map128_get(m, INT64_MAX, INT64_MIN) == INT64_MIN);
    assert_int_equal(sharc_map128_get(m, SIDE, 0), 0);
    assert_int_equal(sharc_map128_get(m, 0, SIDE), 0);
    sharc_map128_put(m, 3, 4, 99);
    assert_int_equal(sharc_map128_get(m, 3, 4), 99);
    assert_int_equal(sharc_map128_get(m, 4, 3), 4 * SIDE + 3 + 1);
    sharc_map128_clear(m);
    assert_int_equal(sharc_map128_get(m, 3, 4), 0);
    sharc_map128_put(m, 3, 4, 5);
    assert_int_equal(sharc_map128_get(m, 3, 4), 5);
    sharc_map128_free(m);
    sharc_map128_free(NULL);
}

static void a_full_one_starts_anew(void **state)
{
    (void)state;
    struct sharc_map128 *m = sharc_map128_new(3);
    for (int64_t i = 0; i < 3; i++) sharc_map128_put(m, i, -i, i + 1);
    for (int64_t i = 0; i < 3; i++) assert_int_equal(sharc_map128_get(m, i, -i), i + 1);
    sharc_map128_put(m, 7, 7, 7);
    assert_int_equal(sharc_map128_get(m, 7, 7), 7);
    for (int64_t i = 0; i < 3; i++) assert_int_equal(sharc_map128_get(m, i, -i), 0);
    sharc_map128_free(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pairs_are_told_apart),
    cmocka_unit_test(a_full_one_starts_anew),
};
TEST_MAIN(tests)
