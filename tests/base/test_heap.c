/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_order.h"
#include "sharc/base_rng.h"

#include <math.h>
#include <stdlib.h>

static int by_order(const void *a, const void *b)
{
    const struct sharc_heap_item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

static void test_sorts(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300; n = n < 20 ? n + 1 : n * 2) {
        struct sharc_rng r = sharc_rng_stream(1, n);
        struct sharc_heap h;
        struct sharc_heap_item model[320], item;
        sharc_heap_init(&h);
        for (size_t i = 0; i < n; i++) {
            model[i] = (struct sharc_heap_item){(double)sharc_rng_below(&r, 10), i * 7919 % 1000, i};
            sharc_heap_push(&h, model[i].key, model[i].tie, model[i].value);
        }
        qsort(model, n, sizeof model[0], by_order);
        for (size_t i = 0; i < n; i++) {
            assert_true(sharc_heap_peek(&h, &item));
            assert_int_equal(item.value, model[i].value);
            assert_true(sharc_heap_pop(&h, &item));
            assert_true(item.key == model[i].key);
            assert_int_equal(item.tie, model[i].tie);
            assert_int_equal(item.value, model[i].value);
        }
        assert_false(sharc_heap_pop(&h, &item));
        assert_false(sharc_heap_peek(&h, &item));
        sharc_heap_done(&h);
    }
}

/* Pushes and pops mixed: what comes out is never smaller than what came out
 * before, unless it was pushed later. */
static void test_mixed(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 2);
    struct sharc_heap h;
    sharc_heap_init(&h);
    double now = -HUGE_VAL;
    uint64_t pushed = 0, popped = 0;
    for (int i = 0; i < 50000; i++) {
        struct sharc_heap_item item;
        if (sharc_rng_below(&r, 3)) {
            double key = (popped ? now : 0) + sharc_rng_uniform(&r);
            sharc_heap_push(&h, key, pushed++, 0);
        } else if (sharc_heap_pop(&h, &item)) {
            assert_true(item.key >= now);
            now = item.key;
            popped++;
        }
    }
    assert_int_equal(h.count, pushed - popped);
    sharc_heap_done(&h);
    sharc_heap_done(&h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sorts),
    cmocka_unit_test(test_mixed),
};
TEST_MAIN(tests)
