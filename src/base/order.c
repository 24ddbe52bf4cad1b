/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorted arrays of numbers.
 */
#include "sharc/base_order.h"

int sharc_order_double(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int sharc_order_i64(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int sharc_order_u64(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int sharc_order_u32(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

size_t sharc_count_until(const double *sorted, size_t n, double limit)
{
    return SHARC_COUNT_WHILE(i, n, sorted[i] <= limit);
}

size_t sharc_find_i64(const int64_t *sorted, size_t n, int64_t number)
{
    size_t at = SHARC_COUNT_WHILE(i, n, sorted[i] < number);
    return at < n && sorted[at] == number ? at : SHARC_NPOS;
}
