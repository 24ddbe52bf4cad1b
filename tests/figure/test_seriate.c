/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the change calendar: against every order that the tree allows, and by its properties.
 */
#include "test.h"

#include <stdlib.h>

#include "../../src/figure/figure_int.h"
#include "sharc/base_rng.h"

static double apart(const uint8_t *a, const uint8_t *b, size_t columns)
{
    size_t either = 0, same = 0;
    for (size_t i = 0; i < columns; i++) {
        either += a[i] || b[i];
        same += a[i] && a[i] == b[i];
    }
    return either ? 1 - (double)same / (double)either : 0;
}

static double length_of(const uint8_t *patterns, size_t columns, const uint32_t *order, size_t m)
{
    double sum = 0;
    for (size_t i = 1; i < m; i++)
        sum += apart(patterns + order[i - 1] * columns, patterns + order[i] * columns, columns);
    return sum;
}

static void is_permutation(const uint32_t *order, size_t m)
{
    uint8_t *seen = SHARC_NEW_ARRAY(uint8_t, m + 1);
    for (size_t i = 0; i < m; i++) {
        assert_true(order[i] < m);
        assert_int_equal(seen[order[i]]++, 0);
    }
    free(seen);
}

/* Groups stand together and are counted from 0. */
static void groups_stand_together(const uint32_t *order, const uint32_t *group, size_t m, uint32_t groups)
{
    uint32_t last = 0;
    for (size_t i = 0; i < m; i++) {
        uint32_t g = group[order[i]];
        assert_true(i == 0 ? g == 0 : g == last || g == last + 1);
        last = g;
    }
    assert_int_equal(last + 1, groups);
}

static void fill(struct sharc_rng *rng, uint8_t *patterns, size_t m, size_t columns)
{
    /* distinct: a number in the first columns, some more behind */
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < columns; k++)
            patterns[i * columns + k] = k < 12 ? (uint8_t)(((i + 1) >> k) & 1) : (uint8_t)(sharc_rng_below(rng, 3));
}

static void nothing_and_one(void **state)
{
    (void)state;
    uint32_t order[1] = {7}, group[1] = {7};
    const uint8_t one[3] = {1, 0, 0};
    assert_int_equal(sharc__figure_seriate(one, 0, 3, order, group), 0);
    assert_int_equal(sharc__figure_seriate(one, 1, 3, order, group), 1);
    assert_int_equal(order[0], 0);
    assert_int_equal(group[0], 0);
}

/* Two groups, mixed: they come out apart, each in the only order that makes sense. */
static void mixed_groups_are_parted(void **state)
{
    (void)state;
    static const uint8_t p[6][6] = {{1, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1}, {1, 1, 1, 0, 0, 0},
                                    {0, 0, 0, 0, 1, 1}, {0, 1, 1, 0, 0, 0}, {0, 0, 0, 1, 1, 0}};
    uint32_t order[6], group[6];
    uint32_t groups = sharc__figure_seriate(&p[0][0], 6, 6, order, group);
    assert_int_equal(groups, 2);
    is_permutation(order, 6);
    assert_int_equal(group[0], group[2]);
    assert_int_equal(group[0], group[4]);
    assert_int_equal(group[1], group[3]);
    assert_int_not_equal(group[0], group[1]);
    /* {1,1,1} shares most with both its neighbours: it stands between them */
    size_t at = 0;
    while (order[at] != 2) at++;
    assert_true(at == 1 || at == 4);
    assert_close(length_of(&p[0][0], 6, order, 6), 1 + 4.0 / 3, 1e-6);
}

/* What order of arrival patterns have makes no difference. */
static void arrival_does_not_matter(void **state)
{
    (void)state;
    enum { M = 40, COLUMNS = 16 };
    uint8_t p[M * COLUMNS], q[M * COLUMNS];
    uint32_t order[M], group[M], order2[M], group2[M];
    struct sharc_rng rng;
    sharc_rng_init(&rng, 4);
    fill(&rng, p, M, COLUMNS);
    for (size_t i = 0; i < M; i++) memcpy(q + i * COLUMNS, p + (M - 1 - i) * COLUMNS, COLUMNS);
    assert_int_equal(sharc__figure_seriate(p, M, COLUMNS, order, group),
                     sharc__figure_seriate(q, M, COLUMNS, order2, group2));
    for (size_t i = 0; i < M; i++) {
        assert_int_equal(order2[i], M - 1 - order[i]);
        assert_int_equal(group2[order2[i]], group[order[i]]);
    }
}

/* Sizes on both sides of the limits: exact, greedy, with patterns beside leaves. */
static void every_size_is_a_permutation(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 5, 17, 299, 300, 301, 1999, 2000, 2001, 3900};
    enum { COLUMNS = 20 };
    struct sharc_rng rng;
    sharc_rng_init(&rng, 9);
    for (size_t k = 0; k < SHARC_LENGTH(sizes); k++) {
        size_t m = sizes[k];
        uint8_t *p = SHARC_NEW_ARRAY(uint8_t, m * COLUMNS);
        uint32_t *order = SHARC_NEW_ARRAY(uint32_t, m), *group = SHARC_NEW_ARRAY(uint32_t, m);
        uint32_t *plain = SHARC_NEW_ARRAY(uint32_t, m);
        fill(&rng, p, m, COLUMNS);
        for (uint32_t i = 0; i < m; i++) plain[i] = i;
        for (size_t i = m; i-- > 1;) { /* any order: a shuffled one */
            size_t other = (size_t)sharc_rng_below(&rng, i + 1);
            uint32_t swap = plain[i];
            plain[i] = plain[other];
            plain[other] = swap;
        }
        uint32_t groups = sharc__figure_seriate(p, m, COLUMNS, order, group);
        is_permutation(order, m);
        groups_stand_together(order, group, m, groups);
        if (m > 5) assert_true(length_of(p, COLUMNS, order, m) < length_of(p, COLUMNS, plain, m));
        free(p);
        free(order);
        free(group);
        free(plain);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_and_one),
    cmocka_unit_test(mixed_groups_are_parted),
    cmocka_unit_test(arrival_does_not_matter),
    cmocka_unit_test(every_size_is_a_permutation),
};
TEST_MAIN(tests)
