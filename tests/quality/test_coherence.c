/* SPDX-License-Identifier: Apache-2.0
 *
 * Coherence, completeness and queries: worked examples, and the sweep against a
 * try of every instant.
 */
#include "test.h"

#include <math.h>

#include "sharc/base_rng.h"
#include "sharc/quality.h"

static void selective_example(void **state)
{
    (void)state;
    const double rate[5] = {.40, .35, .30, .25, .20}, zero[5] = {0};
    const double sorted[5] = {0, 2, 4, 6, 8}, selective[5] = {0, 8, 6, 2, 4}, best[5] = {0, 8, 2, 6, 4};
    struct sharc_capture c = {5, rate, NULL, zero, sorted};
    assert_close(sharc_quality_expected_coherence(&c), 2.222806, 1e-6);
    c.revisit = selective;
    assert_close(sharc_quality_expected_coherence(&c), 2.281969, 1e-6);
    c.revisit = best;
    assert_close(sharc_quality_expected_coherence(&c), 2.282081, 1e-6);
    const double weight[5] = {0, 0, 0, 0, 3};
    c.weight = weight;
    assert_close(sharc_quality_expected_coherence(&c), 3 * exp(-0.8), 1e-12);
}

static void changes_in_a_span(void **state)
{
    (void)state;
    const double h[5] = {1, 2, 2, 3, 9};
    assert_int_equal(sharc_quality_changes(h, 5, 1, 3), 3); /* the start is excluded, the end is not */
    assert_int_equal(sharc_quality_changes(h, 5, 0, 10), 5);
    assert_int_equal(sharc_quality_changes(h, 5, 3, 3), 0);
    assert_int_equal(sharc_quality_changes(h, 5, 4, 3), 0);
    assert_int_equal(sharc_quality_changes(h, 0, 0, 3), 0);
}

static void counting(void **state)
{
    (void)state;
    struct sharc_coherence c = {0};
    assert_close(sharc_quality_coherence_share(&c), 1, 0);
    sharc_quality_coherence_add(&c, 1, true);
    sharc_quality_coherence_add(&c, 3, false);
    assert_int_equal(sharc_quality_incoherent(&c), 1);
    assert_close(sharc_quality_coherence_share(&c), 0.25, 1e-12);
}

static void three_forms_of_evidence(void **state)
{
    (void)state;
    const sharc_time none = SHARC_TIME_NONE;
    const struct sharc_evidence e[4] = {
        {.visit = 10, .revisit = 47, .modified = 1, .change = SHARC_UNCHANGED, .weight = 1},
        {.visit = 20, .revisit = 45, .modified = 12, .change = SHARC_TEXT_CHANGED, .weight = 1},
        {.visit = 30, .revisit = 43, .modified = none, .change = SHARC_INSIGNIFICANT, .weight = 1},
        {.visit = 40, .revisit = none, .modified = 15, .change = SHARC_NEW, .weight = 1},
    };
    sharc_time at = 0;
    struct sharc_coherence o = sharc_quality_observable(e, 4, &at);
    assert_int_equal(o.coherent, 2); /* the second and the fourth share 15 … 20; the third stands alone */
    assert_int_equal(at, 15);
    struct sharc_coherence m = sharc_quality_measurable(e, 4, 10);
    assert_int_equal(m.coherent, 1);
    assert_close(sharc_quality_coherence_share(&m), 0.25, 0);
    struct sharc_coherence i = sharc_quality_inducible(e, 4, 40);
    assert_int_equal(i.coherent, 3);
    i = sharc_quality_inducible(e, 4, 46); /* the third and the fourth do not reach 46 */
    assert_int_equal(i.coherent, 1);
    assert_int_equal(sharc_quality_inducible(e, 4, none).coherent, 3);
    assert_int_equal(sharc_quality_observable(e, 0, NULL).pages, 0);
}

static void completeness_example(void **state)
{
    (void)state;
    const double one[4] = {.1, .6, .5, .2}, two[2] = {.12, .45};
    const bool got_one[4] = {false, true, true, false}, got_two[2] = {true, false};
    double page[2] = {sharc_quality_completeness(one, got_one, 4), sharc_quality_completeness(two, got_two, 2)};
    assert_close(page[0], 0.785714, 1e-6);
    assert_close(page[1], 0.210526, 1e-6);
    assert_close(sharc_quality_mean(page, NULL, 2), 0.498120, 1e-6);
    assert_close(sharc_quality_completeness(one, got_one, 0), 1, 0);
    const double weight[2] = {3, 1};
    assert_close(sharc_quality_mean(page, weight, 2), (3 * page[0] + page[1]) / 4, 1e-12);
}

static void query_coherence_example(void **state)
{
    (void)state;
    const double weight[5] = {.2, .54, .34, .22, .6};
    /* The first three overlap; the last two are valid alone. */
    const double from[5] = {0, 2, 3, 6, 8}, to[5] = {5, 6, 4, 7, 9};
    struct sharc_version v[5];
    for (int i = 0; i < 5; i++) {
        v[i] = (struct sharc_version){from[i], to[i], weight[i]};
    }
    double at = 0;
    assert_close(sharc_quality_query_coherence(v, 5, &at), 0.568421, 1e-6);
    assert_close(at, 3, 0);
    assert_close(sharc_quality_query_coherence(v, 0, &at), 1, 0);
}

static void versions_end_where_the_next_begins(void **state)
{
    (void)state;
    const struct sharc_version touch[2] = {{0, 1, 1}, {1, 2, 1}}, point[2] = {{0, 2, 1}, {1, 1, 1}};
    assert_close(sharc_quality_query_coherence(touch, 2, NULL), 0.5, 0);
    assert_close(sharc_quality_query_coherence(point, 2, NULL), 1, 0);
}

static void sweep_equals_trying_all_instants(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 3);
    for (int round = 0; round < 500; round++) {
        struct sharc_version v[9];
        size_t n = 1 + sharc_rng_below(&rng, 9);
        double all = 0, best = 0;
        for (size_t i = 0; i < n; i++) {
            double from = (double)sharc_rng_below(&rng, 10);
            v[i] =
                (struct sharc_version){from, from + (double)sharc_rng_below(&rng, 5), (double)sharc_rng_below(&rng, 8)};
            all += v[i].weight;
        }
        for (int q = 0; q < 60; q++) {
            double sum = 0, t = q / 4.0;
            for (size_t i = 0; i < n; i++) {
                bool in = v[i].from < v[i].to ? v[i].from <= t && t < v[i].to : fabs(v[i].from - t) < 1e-9;
                if (in) sum += v[i].weight;
            }
            best = fmax(best, sum);
        }
        assert_close(sharc_quality_query_coherence(v, n, NULL), all > 0 ? best / all : 1, 1e-12);
    }
}

static void nearest_capture_and_its_validity(void **state)
{
    (void)state;
    const double captures[3] = {1, 4, 10}, h[3] = {2, 4, 7};
    assert_int_equal(sharc_quality_nearest(captures, 3, -5), 0);
    assert_int_equal(sharc_quality_nearest(captures, 3, 2.5), 0); /* a tie: the earlier */
    assert_int_equal(sharc_quality_nearest(captures, 3, 2.6), 1);
    assert_int_equal(sharc_quality_nearest(captures, 3, 99), 2);
    struct sharc_version v = sharc_quality_invariance(h, 3, 4, 2);
    assert_close(v.from, 4, 0);
    assert_close(v.to, 7, 0);
    v = sharc_quality_invariance(h, 3, 1, 2);
    assert_true(isinf(v.from) && v.from < 0);
    v = sharc_quality_invariance(h, 3, 8, 2);
    assert_true(isinf(v.to) && v.to > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(selective_example),
    cmocka_unit_test(changes_in_a_span),
    cmocka_unit_test(counting),
    cmocka_unit_test(three_forms_of_evidence),
    cmocka_unit_test(completeness_example),
    cmocka_unit_test(query_coherence_example),
    cmocka_unit_test(versions_end_where_the_next_begins),
    cmocka_unit_test(sweep_equals_trying_all_instants),
    cmocka_unit_test(nearest_capture_and_its_validity),
};
TEST_MAIN(tests)
