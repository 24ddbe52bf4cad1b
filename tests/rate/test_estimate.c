/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimators on known answers, and on synthetic histories with fixed seeds:
 * bias and coverage within what the theory promises.
 */
#include "test.h"

#include "sharc/base_rng.h"
#include "sharc/rate.h"

#include <math.h>

#define HISTORY(name) SHARC_AUTO(sharc_rate_history_done) struct sharc_rate_history name = SHARC_RATE_HISTORY_INIT

static void counts_divide(void **state)
{
    (void)state;
    assert_close(sharc_rate_counts(6, 3), 2, 0);
    assert_close(sharc_rate_counts(0, 3), 0, 0);
    assert_close(sharc_rate_counts(6, 0), 0, 0);
}

static void regular_follows_cho_and_garcia_molina(void **state)
{
    (void)state;
    assert_close(sharc_rate_regular(10, 6, 2), -log(4.5 / 10.5) / 2, 1e-15);
    assert_close(sharc_rate_regular(10, 10, 1), -log(0.5 / 10.5), 1e-15);
    assert_close(sharc_rate_regular(10, 0, 1), 0, 1e-15);
    assert_close(sharc_rate_regular(10, 11, 1), sharc_rate_regular(10, 10, 1), 0);
    assert_close(sharc_rate_regular(0, 0, 1), 0, 0);
}

static void irregular_solves_its_equation(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 4);
    for (int trial = 0; trial < 2000; trial++) {
        HISTORY(h);
        double quiet = 0, scale = exp(20 * sharc_rng_uniform(&rng) - 10);
        double length[30];
        int changed = 0, n = 2 + (int)sharc_rng_below(&rng, 28);
        for (int i = 0; i < n; i++) {
            double l = scale * exp(8 * sharc_rng_uniform(&rng) - 4);
            bool c = i == 0 || (i > 1 && sharc_rng_uniform(&rng) < 0.5);
            sharc_rate_history_look(&h, l, c);
            if (c)
                length[changed++] = l;
            else
                quiet += l;
        }
        double rate = sharc_rate_irregular(&h, false), sum = 0;
        assert_true(rate > 0 && isfinite(rate));
        for (int i = 0; i < changed; i++) sum += length[i] / expm1(rate * length[i]);
        assert_close(sum / quiet, 1, 1e-9);
    }
}

static void irregular_equals_regular_when_looks_are(void **state)
{
    (void)state;
    for (int n = 1; n <= 20; n++) {
        for (int x = 0; x <= n; x++) {
            HISTORY(h);
            for (int i = 0; i < n; i++) sharc_rate_history_look(&h, 3, i < x);
            assert_close(sharc_rate_irregular(&h, true), sharc_rate_regular(n, x, 3), 1e-9);
            double plain = x == n ? sharc_rate_regular(n, n, 3) : -log((double)(n - x) / n) / 3;
            assert_close(sharc_rate_irregular(&h, false), plain, 1e-9);
        }
    }
}

static void irregular_takes_every_edge(void **state)
{
    (void)state;
    HISTORY(none);
    assert_close(sharc_rate_irregular(&none, false), 0, 0);
    sharc_rate_history_look(&none, 5, false);
    assert_close(sharc_rate_irregular(&none, true), 0, 0);

    HISTORY(all); /* no unchanged look: half of one, of mean length 5.5 */
    sharc_rate_history_look(&all, 1, true);
    sharc_rate_history_look(&all, 10, true);
    double rate = sharc_rate_irregular(&all, false);
    assert_close(1 / expm1(rate) + 10 / expm1(10 * rate), 2.75, 1e-9);

    HISTORY(instant); /* a change in no time is a dated change */
    sharc_rate_history_look(&instant, 0, true);
    assert_close(sharc_rate_irregular(&instant, false), 0, 0);
    sharc_rate_history_look(&instant, 4, false);
    assert_close(sharc_rate_irregular(&instant, false), 0.25, 1e-12);

    HISTORY(silly);
    sharc_rate_history_look(&silly, -1, true);
    sharc_rate_history_look(&silly, __builtin_nan(""), true);
    sharc_rate_history_look(&silly, HUGE_VAL, false);
    sharc_rate_history_count(&silly, __builtin_nan(""), 1);
    sharc_rate_history_count(&silly, 1, -1);
    assert_int_equal(silly.n, 0);
    assert_close(silly.quiet + silly.events, 0, 0);

    HISTORY(wide); /* twelve orders of magnitude apart */
    sharc_rate_history_look(&wide, 1e-6, true);
    sharc_rate_history_look(&wide, 1e6, false);
    assert_close(sharc_rate_irregular(&wide, false) * 1e6, 1, 1e-9);
    HISTORY(other);
    sharc_rate_history_look(&other, 1e6, true);
    sharc_rate_history_look(&other, 1e-6, false);
    rate = sharc_rate_irregular(&other, false);
    assert_close(1e6 / expm1(rate * 1e6) * 1e6, 1, 1e-6);
}

static void mixed_evidence_adds_up(void **state)
{
    (void)state;
    HISTORY(h);
    sharc_rate_history_count(&h, 3, 10);
    sharc_rate_history_age(&h, 5, true);
    sharc_rate_history_age(&h, 5, false);
    assert_close(sharc_rate_irregular(&h, false), 4.0 / 20, 1e-12);
    sharc_rate_history_look(&h, 2, true);
    double rate = sharc_rate_irregular(&h, false);
    assert_close(4 / rate + 2 / expm1(2 * rate), 20, 1e-9);
}

static void many_lengths_stay_bounded(void **state)
{
    (void)state;
    HISTORY(h);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 9);
    const double rate = 0.3;
    for (int i = 0; i < 20000; i++) {
        double l = exp(4 * sharc_rng_uniform(&rng) - 2);
        sharc_rate_history_look(&h, l, sharc_rng_uniform(&rng) < -expm1(-rate * l));
    }
    assert_true(h.n <= SHARC_RATE_SEEN_MAX);
    for (size_t i = 1; i < h.n; i++) assert_true(h.changed[i - 1].length < h.changed[i].length);
    assert_close(sharc_rate_irregular(&h, false) / rate, 1, 0.03);
}

static void forgetting_keeps_the_rate(void **state)
{
    (void)state;
    HISTORY(h);
    sharc_rate_history_look(&h, 2, true);
    sharc_rate_history_look(&h, 3, false);
    sharc_rate_history_count(&h, 2, 7);
    double before = sharc_rate_irregular(&h, false);
    struct sharc_rate_estimate wide, narrow = sharc_rate_irregular_interval(&h, 0.9);
    sharc_rate_history_forget(&h, 0.25);
    assert_close(sharc_rate_irregular(&h, false), before, 1e-9);
    wide = sharc_rate_irregular_interval(&h, 0.9);
    assert_true(wide.low < narrow.low && wide.high > narrow.high);
    sharc_rate_history_forget(&h, 0);
    assert_close(sharc_rate_irregular(&h, false), 0, 0);
}

static void recorded_history_with_forgetting(void **state)
{
    (void)state;
    const double times[] = {0, 1, 5, 9, 10, 11};
    HISTORY(plain);
    sharc_rate_history_recorded(&plain, times, SHARC_LENGTH(times), 0, 10, 0);
    assert_close(plain.events, 4, 0);
    assert_close(plain.quiet, 10, 0);
    HISTORY(faded);
    sharc_rate_history_recorded(&faded, times, SHARC_LENGTH(times), 0, 10, 1);
    assert_close(faded.events, 1 + 0.5 + exp2(-5) + exp2(-9), 1e-12);
    assert_close(faded.quiet, (1 - exp2(-10)) / log(2), 1e-12);
}

static void age_is_one_observation(void **state)
{
    (void)state;
    assert_close(sharc_rate_from_age(9, 1), 0.1, 1e-15);
    assert_close(sharc_rate_from_age(-3, 2), 0.5, 1e-15);
}

/* --- synthetic histories ----------------------------------------------------- */

/* n looks of mean length 1 at a page of this rate, regular or exponential. */
static void look_often(struct sharc_rate_history *h, struct sharc_rng *rng, int n, double rate, bool irregular)
{
    sharc_rate_history_clear(h);
    for (int i = 0; i < n; i++) {
        double l = irregular ? sharc_rng_exponential(rng, 1) : 1;
        sharc_rate_history_look(h, l, sharc_rng_uniform(rng) < -expm1(-rate * l));
    }
}

static void estimators_have_little_bias(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 17);
    HISTORY(h);
    const double rates[] = {0.1, 0.5, 1, 2};
    for (size_t r = 0; r < SHARC_LENGTH(rates); r++) {
        for (int irregular = 0; irregular < 2; irregular++) {
            const int looks = 50, runs = 2000;
            double corrected = 0, plain = 0, counts = 0, square = 0;
            for (int i = 0; i < runs; i++) {
                look_often(&h, &rng, looks, rates[r], irregular);
                double c = sharc_rate_irregular(&h, true);
                corrected += c / runs;
                square += c * c / runs;
                plain += sharc_rate_irregular(&h, false) / runs;
                counts += sharc_rate_counts((double)sharc_rng_poisson(&rng, rates[r] * looks), looks) / runs;
            }
            double error = sqrt((square - corrected * corrected) / runs);
            /* Three standard errors plus the bias of theory, O(1/looks). */
            assert_close(corrected, rates[r], 3 * error + 0.02 * rates[r]);
            assert_close(plain, rates[r], 3 * error + 0.1 * rates[r]);
            assert_close(counts, rates[r], 4 * sqrt(rates[r] / looks / runs));
            assert_true(fabs(corrected - rates[r]) < fabs(plain - rates[r]) + 2 * error);
        }
    }
}

static void intervals_cover(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 23);
    HISTORY(h);
    const double rates[] = {0.05, 0.3, 1.5};
    for (size_t r = 0; r < SHARC_LENGTH(rates); r++) {
        const int runs = 2000, looks = 40;
        int by_count = 0, by_looks = 0;
        for (int i = 0; i < runs; i++) {
            look_often(&h, &rng, looks, rates[r], true);
            struct sharc_rate_estimate e = sharc_rate_irregular_interval(&h, 0.9);
            assert_true(e.low <= e.rate && e.rate <= e.high);
            by_looks += e.low <= rates[r] && rates[r] <= e.high;
            e = sharc_rate_counts_interval((double)sharc_rng_poisson(&rng, rates[r] * looks), looks, 0.9);
            by_count += e.low <= rates[r] && rates[r] <= e.high;
        }
        /* Exact for counts: at least the level. Likelihood ratio: about it, more when changes are few. */
        assert_true(by_count >= 0.9 * runs - 3 * sqrt(0.09 * runs));
        assert_close((double)by_looks / runs, r == 0 ? 0.95 : 0.9, 0.025);
    }
}

static void intervals_of_known_cases(void **state)
{
    (void)state;
    /* Garwood's limits for 0 and 10 events, from published tables. */
    struct sharc_rate_estimate e = sharc_rate_counts_interval(0, 1, 0.95);
    assert_close(e.low, 0, 0);
    assert_close(e.high, 3.688879, 1e-6);
    e = sharc_rate_counts_interval(10, 1, 0.95);
    assert_close(e.low, 4.795389, 1e-6);
    assert_close(e.high, 18.390356, 1e-6);
    e = sharc_rate_counts_interval(1e6, 1, 0.95);
    assert_close(e.low, 1e6 - 1959.0, 3);
    assert_close(e.high, 1e6 + 1961.9, 3);
    e = sharc_rate_counts_interval(3, 0, 0.95);
    assert_true(isinf(e.high));

    HISTORY(h); /* nothing known, none changed, all changed, dated only */
    e = sharc_rate_irregular_interval(&h, 0.95);
    assert_true(e.rate == 0 && e.low == 0 && isinf(e.high));
    sharc_rate_history_look(&h, 10, false);
    e = sharc_rate_irregular_interval(&h, 0.95);
    assert_close(e.high, 3.688879 / 10, 1e-6);
    HISTORY(all);
    for (int i = 0; i < 5; i++) sharc_rate_history_look(&all, 1, true);
    e = sharc_rate_irregular_interval(&all, 0.95);
    assert_true(isinf(e.high) && e.low > 0 && e.low < e.rate);
    assert_close(pow(-expm1(-e.low), 5), 0.025, 1e-6);
    HISTORY(dated);
    sharc_rate_history_look(&dated, 0, true);
    e = sharc_rate_irregular_interval(&dated, 0.95);
    assert_true(e.low == 0 && isinf(e.high));
}

/* --- sitemap ------------------------------------------------------------------- */

static void sitemap_categories(void **state)
{
    (void)state;
    const double c = log(20), day = 86400;
    assert_close(sharc_rate_sitemap(SHARC_FREQ_ALWAYS, 3, 0.95), 1.0 / 3, 1e-12);
    assert_close(sharc_rate_sitemap(SHARC_FREQ_HOURLY, 3, 0.95), c * (3 + 3600) / (2 * 3 * 3600), 1e-12);
    assert_close(sharc_rate_sitemap(SHARC_FREQ_DAILY, 3, 0.95) * day, c * 25 / 2, 1e-9);
    assert_close(sharc_rate_sitemap(SHARC_FREQ_WEEKLY, 3, 0.95) * day, c * 8 / 14, 1e-9);
    assert_close(sharc_rate_sitemap(SHARC_FREQ_MONTHLY, 3, 0.95) * day, c * 37 / 420, 1e-9);
    assert_close(sharc_rate_sitemap(SHARC_FREQ_YEARLY, 3, 0.95) * day, c * 395 / 21900, 1e-9);
    assert_close(sharc_rate_sitemap(SHARC_FREQ_NEVER, 3, 0.95) * day, c / 730, 1e-9);
    assert_true(sharc_rate_sitemap(SHARC_FREQ_NONE, 3, 0.95) < 0);
    /* A "daily" page changes within a day with at least that probability. */
    assert_true(-expm1(-sharc_rate_sitemap(SHARC_FREQ_DAILY, 3, 0.95) * day) >= 0.95);
    for (unsigned f = SHARC_FREQ_HOURLY; f <= SHARC_FREQ_NEVER; f++)
        assert_true(sharc_rate_sitemap(f, 1, 0.95) < sharc_rate_sitemap(f - 1, 1, 0.95) ||
                    f == SHARC_FREQ_HOURLY); /* c/2 per delay is more than one: the definition's own quirk */
}

static void sitemap_words(void **state)
{
    (void)state;
    assert_int_equal(sharc_rate_changefreq(SHARC_SPAN(" Daily\n")), SHARC_FREQ_DAILY);
    assert_int_equal(sharc_rate_changefreq(SHARC_SPAN("never")), SHARC_FREQ_NEVER);
    assert_int_equal(sharc_rate_changefreq(SHARC_SPAN("")), SHARC_FREQ_NONE);
    assert_int_equal(sharc_rate_changefreq(SHARC_SPAN("fortnightly")), SHARC_FREQ_NONE);
    assert_string_equal(sharc_rate_changefreq_name(SHARC_FREQ_YEARLY), "yearly");
    assert_string_equal(sharc_rate_changefreq_name(SHARC_FREQ_NONE), "");
    for (unsigned f = 0; f < SHARC_FREQ_NONE; f++)
        assert_int_equal(sharc_rate_changefreq_letter(sharc_rate_changefreq_name((enum sharc_changefreq)f)[0]), f);
    assert_int_equal(sharc_rate_changefreq_letter(0), SHARC_FREQ_NONE);
    assert_int_equal(sharc_rate_changefreq_letter('x'), SHARC_FREQ_NONE);
    for (unsigned f = SHARC_FREQ_HOURLY; f < SHARC_FREQ_NONE; f++)
        assert_int_equal(sharc_rate_changefreq_of(sharc_rate_sitemap(f, 3, 0.95), 3, 0.95), f);
    assert_int_equal(sharc_rate_changefreq_of(0, 3, 0.95), SHARC_FREQ_NEVER);
    assert_int_equal(sharc_rate_changefreq_of(HUGE_VAL, 3, 0.95), SHARC_FREQ_ALWAYS);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(counts_divide),
    cmocka_unit_test(regular_follows_cho_and_garcia_molina),
    cmocka_unit_test(irregular_solves_its_equation),
    cmocka_unit_test(irregular_equals_regular_when_looks_are),
    cmocka_unit_test(irregular_takes_every_edge),
    cmocka_unit_test(mixed_evidence_adds_up),
    cmocka_unit_test(many_lengths_stay_bounded),
    cmocka_unit_test(forgetting_keeps_the_rate),
    cmocka_unit_test(recorded_history_with_forgetting),
    cmocka_unit_test(age_is_one_observation),
    cmocka_unit_test(estimators_have_little_bias),
    cmocka_unit_test(intervals_cover),
    cmocka_unit_test(intervals_of_known_cases),
    cmocka_unit_test(sitemap_categories),
    cmocka_unit_test(sitemap_words),
};
TEST_MAIN(tests)
