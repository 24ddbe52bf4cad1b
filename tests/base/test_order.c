/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

static void numbers_are_ordered_to_their_ends(void **state)
{
    (void)state;
    int64_t whole[] = {3, INT64_MIN, INT64_MAX, -1, 0};
    uint64_t large[] = {UINT64_MAX, 0, 1u << 31, (uint64_t)1 << 63};
    uint32_t small[] = {UINT32_MAX, 0, 7};
    double real[] = {HUGE_VAL, 0.5, -HUGE_VAL, -2, 0.25};
    qsort(whole, SHARC_LENGTH(whole), sizeof *whole, sharc_order_i64);
    qsort(large, SHARC_LENGTH(large), sizeof *large, sharc_order_u64);
    qsort(small, SHARC_LENGTH(small), sizeof *small, sharc_order_u32);
    qsort(real, SHARC_LENGTH(real), sizeof *real, sharc_order_double);
    for (size_t i = 1; i < SHARC_LENGTH(whole); i++) assert_true(whole[i - 1] < whole[i]);
    for (size_t i = 1; i < SHARC_LENGTH(large); i++) assert_true(large[i - 1] < large[i]);
    for (size_t i = 1; i < SHARC_LENGTH(small); i++) assert_true(small[i - 1] < small[i]);
    for (size_t i = 1; i < SHARC_LENGTH(real); i++) assert_true(real[i - 1] < real[i]);
    assert_int_equal(sharc_order_double(&real[2], &real[2]), 0);
}

static void sorted_numbers_are_found(void **state)
{
    (void)state;
    const int64_t ids[] = {-4, 0, 2, 9, INT64_MAX};
    for (size_t n = 0; n <= SHARC_LENGTH(ids); n++)
        for (size_t i = 0; i < SHARC_LENGTH(ids); i++) {
            assert_true(sharc_find_i64(ids, n, ids[i]) == (i < n ? i : SHARC_NPOS));
            if (ids[i] < INT64_MAX) assert_true(sharc_find_i64(ids, n, ids[i] + 1) == SHARC_NPOS);
        }
    const double times[] = {1, 2, 2, 2, 5};
    const size_t until[] = {0, 1, 4, 4, 4, 5, 5};
    for (size_t t = 0; t < SHARC_LENGTH(until); t++)
        assert_int_equal(sharc_count_until(times, SHARC_LENGTH(times), (double)t), until[t]);
    assert_int_equal(sharc_count_until(times, 0, 3), 0);
}

static void any_condition_is_searched_for(void **state)
{
    (void)state;
    for (size_t n = 0; n < 40; n++)
        for (size_t first = 0; first <= n; first++) { /* the first that does not meet it */
            size_t asked = 0;
            assert_int_equal(SHARC_COUNT_WHILE(i, n, (asked++, i < first)), first);
            assert_true(asked <= 6);
        }
    /* One inside another. */
    const int rows[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    size_t row = SHARC_COUNT_WHILE(k, 3, SHARC_COUNT_WHILE(j, 3, rows[k][j] < 5) == 3);
    assert_int_equal(row, 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_are_ordered_to_their_ends),
    cmocka_unit_test(sorted_numbers_are_found),
    cmocka_unit_test(any_condition_is_searched_for),
};
TEST_MAIN(tests)
