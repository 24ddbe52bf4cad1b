/* SPDX-License-Identifier: Apache-2.0
 *
 * The ranked list against a plain sorted array that does everything the slow,
 * obvious way.
 */
#include "test.h"

#include "sharc/base_order.h"
#include "sharc/base_rng.h"

#include <math.h>
#include <stdlib.h>

#define MODEL_MAX 20000

struct model {
    struct sharc_ranked_item items[MODEL_MAX];
    size_t n;
};

static bool less(const struct sharc_ranked_item *a, double key, uint32_t id)
{
    return a->key < key || (a->key == key && a->id < id);
}

static size_t model_find(const struct model *m, double key, uint32_t id, bool *ret_there)
{
    size_t low = 0, high = m->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (less(&m->items[middle], key, id))
            low = middle + 1;
        else
            high = middle;
    }
    *ret_there = low < m->n && m->items[low].key == key && m->items[low].id == id;
    return low;
}

static bool model_insert(struct model *m, double key, uint32_t id)
{
    bool there;
    size_t at = model_find(m, key, id, &there);
    if (there) return false;
    memmove(&m->items[at + 1], &m->items[at], (m->n - at) * sizeof m->items[0]);
    m->items[at] = (struct sharc_ranked_item){key, id};
    m->n++;
    return true;
}

static void model_remove(struct model *m, size_t at)
{
    memmove(&m->items[at], &m->items[at + 1], (m->n - at - 1) * sizeof m->items[0]);
    m->n--;
}

static bool model_delete(struct model *m, double key, uint32_t id)
{
    bool there;
    size_t at = model_find(m, key, id, &there);
    if (there) model_remove(m, at);
    return there;
}

static void compare(const struct sharc_ranked *r, const struct model *m)
{
    sharc_ranked_check(r);
    assert_int_equal(sharc_ranked_count(r), m->n);
    for (size_t i = 0; i < m->n; i++) {
        struct sharc_ranked_item it = sharc_ranked_at(r, i);
        assert_true(it.key == m->items[i].key && it.id == m->items[i].id);
    }
}

static void one_step(struct sharc_ranked *r, struct model *m, struct sharc_rng *rng, unsigned insert_percent,
                     unsigned keys, unsigned ids)
{
    double key = (double)sharc_rng_below(rng, keys) - keys / 2.0;
    uint32_t id = (uint32_t)sharc_rng_below(rng, ids);
    unsigned what = (unsigned)sharc_rng_below(rng, 100);
    if (what < insert_percent && m->n < MODEL_MAX) {
        assert_int_equal(sharc_ranked_insert(r, key, id), model_insert(m, key, id));
    } else if (what % 2 && m->n) {
        size_t k = (size_t)sharc_rng_below(rng, m->n);
        struct sharc_ranked_item it = sharc_ranked_take(r, k);
        assert_true(it.key == m->items[k].key && it.id == m->items[k].id);
        model_remove(m, k);
    } else {
        assert_int_equal(sharc_ranked_delete(r, key, id), model_delete(m, key, id));
    }
    bool there;
    assert_int_equal(sharc_ranked_below(r, key), model_find(m, key, 0, &there));
}

/* Grow and shrink through several heights, with few and with many equal keys. */
static void test_like_a_sorted_array(void **state)
{
    (void)state;
    static const unsigned shapes[][2] = {{5, 4000}, {100000, 3}, {300, 300}, {1, 15000}};
    struct model *m = SHARC_NEW(struct model);
    for (size_t s = 0; s < SHARC_LENGTH(shapes); s++) {
        SHARC_AUTO(sharc_ranked_freep) struct sharc_ranked *r = sharc_ranked_new();
        struct sharc_rng rng = sharc_rng_stream(11, s);
        m->n = 0;
        for (unsigned step = 0; step < 24000; step++) {
            unsigned percent = step < 12000 ? 85 : 25;
            one_step(r, m, &rng, percent, shapes[s][0], shapes[s][1]);
            if (step % 1000 == 0) compare(r, m);
        }
        compare(r, m);
        while (m->n) {
            bool there = sharc_ranked_delete(r, m->items[0].key, m->items[0].id);
            assert_true(there);
            model_remove(m, 0);
            if (m->n % 256 == 0) sharc_ranked_check(r);
        }
        assert_int_equal(sharc_ranked_count(r), 0);
    }
    free(m);
}

static void insert_all(int step)
{
    SHARC_AUTO(sharc_ranked_freep) struct sharc_ranked *r = sharc_ranked_new();
    int n = 100000;
    for (int i = 0; i < n; i++) assert_true(sharc_ranked_insert(r, step * i, (uint32_t)i));
    sharc_ranked_check(r);
    for (int i = 0; i < n; i += 7) {
        int rank = step > 0 ? i : n - 1 - i;
        assert_int_equal(sharc_ranked_at(r, (size_t)rank).id, i);
        assert_int_equal(sharc_ranked_below(r, step * i), rank);
        assert_int_equal(sharc_ranked_below(r, step * i + 0.5), rank + 1);
    }
    while (sharc_ranked_count(r)) sharc_ranked_take(r, sharc_ranked_count(r) / 2);
    sharc_ranked_check(r);
}

static void test_rising_and_falling(void **state)
{
    (void)state;
    insert_all(1);
    insert_all(-1);
}

static void test_special_keys(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_ranked_freep) struct sharc_ranked *r = sharc_ranked_new();
    assert_int_equal(sharc_ranked_below(r, 0), 0);
    assert_false(sharc_ranked_delete(r, 0, 0));
    assert_true(sharc_ranked_insert(r, HUGE_VAL, 1));
    assert_true(sharc_ranked_insert(r, -HUGE_VAL, UINT32_MAX));
    assert_true(sharc_ranked_insert(r, 0.0, 7));
    assert_false(sharc_ranked_insert(r, -0.0, 7)); /* the same number */
    assert_true(sharc_ranked_insert(r, -0.0, 6));
    assert_false(sharc_ranked_insert(r, HUGE_VAL, 1));
    assert_int_equal(sharc_ranked_at(r, 0).id, UINT32_MAX);
    assert_int_equal(sharc_ranked_at(r, 1).id, 6);
    assert_int_equal(sharc_ranked_at(r, 2).id, 7);
    assert_int_equal(sharc_ranked_at(r, 3).id, 1);
    assert_int_equal(sharc_ranked_below(r, HUGE_VAL), 3);
    sharc_ranked_check(r);
    sharc_ranked_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_like_a_sorted_array),
    cmocka_unit_test(test_rising_and_falling),
    cmocka_unit_test(test_special_keys),
};
TEST_MAIN(tests)
