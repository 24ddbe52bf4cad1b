/* SPDX-License-Identifier: Apache-2.0
 *
 * Order: sorted arrays of numbers, a heap, and a list that knows ranks. The last two order by
 * a double and break ties by an integer, so that no result depends on memory addresses.
 */
#ifndef SHARC_BASE_ORDER_H
#define SHARC_BASE_ORDER_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* --- arrays of numbers ---------------------------------------------------- */
/* Ascending, for qsort and bsearch. */
int sharc_order_double(const void *a, const void *b);
int sharc_order_i64(const void *a, const void *b);
int sharc_order_u64(const void *a, const void *b);
int sharc_order_u32(const void *a, const void *b);
/* Binary search: how many of the first n of something sorted meet a condition that holds for those at the front and
 * for none behind them. The condition is an expression of the index i, asked about log n times:
 *
 *   size_t first = SHARC_COUNT_WHILE(i, count, items[i].when < when);     the first that is not earlier, or count */
#define SHARC_COUNT_WHILE(i, n, condition)                                             \
    __extension__({                                                                    \
        size_t i##_low = 0, i##_high = (n);                                            \
        while (i##_low < i##_high) {                                                   \
            const size_t i = i##_low + (i##_high - i##_low) / 2;                       \
            if (condition)                                                             \
                i##_low = i + 1;                                                       \
            else                                                                       \
                i##_high = i;                                                          \
        }                                                                              \
        (size_t) i##_low; /* the value; cppcheck takes a bare name for an oversight */ \
    })
/* How many of the ascending numbers are no greater than limit. */
size_t sharc_count_until(const double *sorted, size_t n, double limit);
/* Where the number stands among ascending ones; SHARC_NPOS: nowhere. */
size_t sharc_find_i64(const int64_t *sorted, size_t n, int64_t number);

/* --- heap: smallest key first, then smallest tie ------------------------- */
struct sharc_heap_item {
    double key;
    uint64_t tie;
    uint64_t value;
};
struct sharc_heap {
    struct sharc_heap_item *items;
    size_t count, room;
};
void sharc_heap_init(struct sharc_heap *h);
void sharc_heap_done(struct sharc_heap *h);
void sharc_heap_push(struct sharc_heap *h, double key, uint64_t tie, uint64_t value);
/* False when empty. */
bool sharc_heap_peek(const struct sharc_heap *h, struct sharc_heap_item *ret);
bool sharc_heap_pop(struct sharc_heap *h, struct sharc_heap_item *ret);

/* --- ranked list: insert, delete, k-th, count below, all O(log n) --------
 * A counted B+-tree, about 19 bytes per item. */
struct sharc_ranked_item {
    double key;
    uint32_t id; /* ties: smaller id first; (key, id) is unique */
};
struct sharc_ranked;
struct sharc_ranked *sharc_ranked_new(void);
void sharc_ranked_free(struct sharc_ranked *r);
void sharc_ranked_freep(struct sharc_ranked **r);
size_t sharc_ranked_count(const struct sharc_ranked *r);
/* False when (key, id) is already there. key must not be NaN. */
bool sharc_ranked_insert(struct sharc_ranked *r, double key, uint32_t id);
/* False when it is not there. */
bool sharc_ranked_delete(struct sharc_ranked *r, double key, uint32_t id);
/* The item of rank k (0: smallest); k < count. */
struct sharc_ranked_item sharc_ranked_at(const struct sharc_ranked *r, size_t k);
/* Remove and return it. */
struct sharc_ranked_item sharc_ranked_take(struct sharc_ranked *r, size_t k);
/* How many items have a key smaller than key. */
size_t sharc_ranked_below(const struct sharc_ranked *r, double key);
/* Asserts the invariants; for tests. */
void sharc_ranked_check(const struct sharc_ranked *r);

SHARC_PRIVATE_END
#endif
