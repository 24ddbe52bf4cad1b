/* SPDX-License-Identifier: Apache-2.0
 *
 * Blur: the worked examples of the papers (as corrected), and each closed form
 * against a direct count over many queries.
 */
#include "test.h"

#include <math.h>

#include "sharc/base_rng.h"
#include "sharc/quality.h"

static const double running[6] = {0, 1, 2, 3, 4, 5};

static void page_order_of_the_running_site(void **state)
{
    (void)state;
    const double want[6] = {0, 1.7, 2.6, 3.9, 6.8, 12.5};
    double slots[6];
    for (int i = 0; i < 6; i++) {
        slots[i] = i;
        assert_close(sharc_quality_blur(running[i], i, 0, 5), want[i], 1e-12);
    }
    struct sharc_capture c = {6, running, NULL, slots, NULL};
    assert_close(sharc_quality_capture_blur(&c, 0, 5), 27.5, 1e-12);
    assert_close(sharc_quality_capture_blur(&c, 0, 5) / sharc_quality_weight(NULL, 6), 4.5833333, 1e-6);
}

static void best_order_of_the_running_site(void **state)
{
    (void)state;
    const double slots[6] = {0, 5, 1, 4, 2, 3};
    struct sharc_capture c = {6, running, NULL, slots, NULL};
    assert_close(sharc_quality_capture_blur(&c, 0, 5), 22.7, 1e-12);
    struct sharc_blur_bounds b = sharc_quality_blur_bounds(running, NULL, 6, 0, 5);
    assert_close(b.least, 5.0 / 4 * 15, 1e-12);
    assert_close(b.most, 5.0 / 2 * 15, 1e-12);
    assert_true(b.least <= 22.7 && 22.7 <= b.most);
}

static void revisits_of_the_running_site(void **state)
{
    (void)state;
    const double times_22[6] = {0, 35, 62, 93, 140, 215};
    double visit[6], revisit[6];
    for (int i = 0; i < 6; i++) {
        visit[i] = i;
        revisit[i] = 6 + i;
        assert_close(22 * sharc_quality_blur_revisit(running[i], i, 6 + i, 0, 11), times_22[i], 1e-9);
    }
    struct sharc_capture c = {6, running, NULL, visit, revisit};
    assert_close(sharc_quality_capture_blur(&c, 0, 11), 24.772727, 1e-6);
    const double v2[6] = {0, 5, 1, 4, 2, 3}, r2[6] = {6, 11, 7, 10, 8, 9};
    struct sharc_capture greedy = {6, running, NULL, v2, r2};
    assert_close(sharc_quality_capture_blur(&greedy, 0, 11), 22.590909, 1e-6);
}

static void printed_form_of_omega_with_revisits(void **state)
{
    (void)state;
    double v = 2, r = 7, t = 11;
    double printed = v * v - (v + r) * (v + r) / 4 + r * r - r * t + t * t / 2;
    assert_close(sharc_quality_omega_revisit(v, r, 0, t), printed, 1e-12);
}

static void worst_case_example(void **state)
{
    (void)state;
    const double rates[10] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
    struct sharc_worst_case w = sharc_quality_worst_case(rates, 10, 4);
    assert_close(w.offline, 755, 1e-9);
    assert_close(w.worst, 931, 1e-9);
    w = sharc_quality_worst_case(rates, 10, 0);
    assert_close(w.worst, w.offline, 1e-9);
    w = sharc_quality_worst_case(rates, 0, 0);
    assert_close(w.worst, 0, 0);
}

/* Changes between the download that answers q and q, counted one by one. */
static double counted(const double *h, size_t n, double t, double q)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if ((h[i] > t && h[i] <= q) || (h[i] <= t && h[i] > q)) sum++;
    }
    return sum;
}

static void actual_blur_is_the_mean_over_queries(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 7);
    for (int round = 0; round < 60; round++) {
        double h[12], at = -3;
        size_t n = sharc_rng_below(&rng, 13);
        for (size_t i = 0; i < n; i++) {
            at += 3 * sharc_rng_uniform(&rng);
            h[i] = at;
        }
        double os = 2 * sharc_rng_uniform(&rng), oe = os + 10;
        double t = -2 + 16 * sharc_rng_uniform(&rng); /* also outside */
        double v = os + 5 * sharc_rng_uniform(&rng), r = v + (oe - v) * sharc_rng_uniform(&rng);
        double sum = 0, sum2 = 0;
        const int steps = 20000;
        for (int k = 0; k < steps; k++) {
            double q = os + (oe - os) * (k + 0.5) / steps;
            sum += counted(h, n, t, q);
            sum2 += counted(h, n, q <= (v + r) / 2 ? v : r, q);
        }
        assert_close(sharc_quality_actual_blur(h, n, t, os, oe), sum / steps, 5e-3);
        assert_close(sharc_quality_actual_blur_revisit(h, n, v, r, os, oe), sum2 / steps, 5e-3);
    }
}

static void blur_is_the_mean_distance_also_outside(void **state)
{
    (void)state;
    for (double t = -4; t <= 12; t += 0.5) {
        double sum = 0;
        const int steps = 10000;
        for (int k = 0; k < steps; k++) {
            sum += fabs(1 + 6 * (k + 0.5) / steps - t);
        }
        assert_close(sharc_quality_blur(2, t, 1, 7), 2 * sum / steps, 1e-4);
    }
    assert_close(sharc_quality_blur(2, 4, 5, 5), 2, 1e-12);
    assert_close(sharc_quality_blur_revisit(2, 4, 8, 5, 5), 2, 1e-12);
    const double h[] = {1, 4.5, 4.7, 6};
    assert_close(sharc_quality_actual_blur(h, 4, 4, 5, 5), 2, 0);
    assert_close(sharc_quality_actual_blur_revisit(h, 4, 4, 5.5, 5, 5), 0, 0);
}

static void weights_multiply_terms(void **state)
{
    (void)state;
    const double rate[2] = {1, 3}, weight[2] = {2, 0.5}, visit[2] = {1, 3};
    struct sharc_capture c = {2, rate, weight, visit, NULL};
    double want = 2 * sharc_quality_blur(1, 1, 0, 4) + 0.5 * sharc_quality_blur(3, 3, 0, 4);
    assert_close(sharc_quality_capture_blur(&c, 0, 4), want, 1e-12);
    assert_close(sharc_quality_weight(weight, 2), 2.5, 1e-12);
    assert_close(sharc_quality_blur_bounds(rate, weight, 2, 0, 4).least, 3.5, 1e-12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(page_order_of_the_running_site),
    cmocka_unit_test(best_order_of_the_running_site),
    cmocka_unit_test(revisits_of_the_running_site),
    cmocka_unit_test(printed_form_of_omega_with_revisits),
    cmocka_unit_test(worst_case_example),
    cmocka_unit_test(actual_blur_is_the_mean_over_queries),
    cmocka_unit_test(blur_is_the_mean_distance_also_outside),
    cmocka_unit_test(weights_multiply_terms),
};
TEST_MAIN(tests)
