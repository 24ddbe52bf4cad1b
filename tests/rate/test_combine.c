/* SPDX-License-Identifier: Apache-2.0
 *
 * Priors and posteriors: conjugate cases exactly, censored looks against a
 * slow integral, long and short histories, coverage.
 */
#include "test.h"

#include "sharc/base_rng.h"
#include "sharc/rate.h"

#include <math.h>

#define HISTORY(name) SHARC_AUTO(sharc_rate_history_done) struct sharc_rate_history name = SHARC_RATE_HISTORY_INIT

static void priors_have_their_moments(void **state)
{
    (void)state;
    struct sharc_rate_gamma g = sharc_rate_prior(0.5, 2);
    assert_close(g.shape, 2, 0);
    assert_close(g.time, 4, 0);
    g = sharc_rate_prior_moments(3, 4.5);
    assert_close(g.shape, 2, 1e-12);
    assert_close(sharc_rate_prior_mean(g), 3, 1e-12);
    assert_true(sharc_rate_prior(0, 1).time > 0);
    assert_true(isfinite(sharc_rate_prior_mean(sharc_rate_prior_moments(0, 0))));
    assert_close(sharc_rate_prior_moments(1, 0).shape, 100, 0);
}

static void counts_are_conjugate(void **state)
{
    (void)state;
    HISTORY(h);
    struct sharc_rate_gamma prior = {2, 10};
    assert_close(sharc_rate_combined(prior, NULL), 0.2, 1e-15);
    assert_close(sharc_rate_combined(prior, &h), 0.2, 1e-15);
    sharc_rate_history_count(&h, 3, 5);
    sharc_rate_history_look(&h, 10, false);
    assert_close(sharc_rate_combined(prior, &h), 5.0 / 25, 1e-15);
    struct sharc_rate_gamma next = sharc_rate_update(prior, &h);
    assert_close(next.shape, 5, 0);
    assert_close(next.time, 25, 0);
    /* Gamma(5) quantiles at 2.5 and 97.5 %: half of χ² with ten degrees. */
    struct sharc_rate_estimate e = sharc_rate_combine(prior, &h, 0.95);
    assert_close(e.low * 25, 3.246973 / 2, 1e-6);
    assert_close(e.high * 25, 20.483177 / 2, 1e-6);
}

/* Mean and two quantiles of the posterior by brute force over λ. */
static void brute_force(struct sharc_rate_gamma prior, const struct sharc_rate_history *h, double top, double *ret_mean,
                        double *ret_low)
{
    const int n = 400000;
    double mass = 0, first = 0, below = 0;
    for (int pass = 0; pass < 2; pass++) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double rate = top * (i + 0.5) / n;
            double ln = (prior.shape + h->events - 1) * log(rate) - (prior.time + h->quiet) * rate;
            for (size_t j = 0; j < h->n; j++) ln += h->changed[j].weight * log(-expm1(-rate * h->changed[j].length));
            double p = exp(ln);
            sum += p;
            if (pass == 0)
                first += p * rate;
            else if (sum < 0.05 * mass)
                below = rate;
        }
        mass = sum;
    }
    *ret_mean = first / mass;
    *ret_low = below;
}

static void changed_looks_match_brute_force(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 31);
    for (int trial = 0; trial < 6; trial++) {
        HISTORY(h);
        struct sharc_rate_gamma prior = {1 + 3 * sharc_rng_uniform(&rng), 0.5 + 4 * sharc_rng_uniform(&rng)};
        for (int i = 0; i < 8; i++)
            sharc_rate_history_look(&h, 0.2 + 2 * sharc_rng_uniform(&rng), sharc_rng_uniform(&rng) < 0.6);
        double mean, low;
        brute_force(prior, &h, 40, &mean, &low);
        struct sharc_rate_estimate e = sharc_rate_combine(prior, &h, 0.9);
        assert_close(e.rate / mean, 1, 1e-6);
        assert_close(sharc_rate_combined(prior, &h) / mean, 1, 1e-6);
        assert_close(e.low / low, 1, 2e-3);
        assert_true(e.low < e.rate && e.rate < e.high);
        struct sharc_rate_gamma next = sharc_rate_update(prior, &h);
        assert_close(sharc_rate_prior_mean(next) / mean, 1, 1e-6);
    }
}

static void short_history_leans_on_the_prior_long_one_does_not(void **state)
{
    (void)state;
    struct sharc_rate_gamma prior = sharc_rate_prior(1, 2);
    HISTORY(h);
    sharc_rate_history_look(&h, 0.1, false);
    assert_close(sharc_rate_combined(prior, &h), 1, 0.1);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 5);
    for (int i = 0; i < 20000; i++) sharc_rate_history_look(&h, 0.1, sharc_rng_uniform(&rng) < -expm1(-0.1 * 5));
    assert_close(sharc_rate_combined(prior, &h), 5, 0.2);
    assert_close(sharc_rate_combined(prior, &h), sharc_rate_irregular(&h, false), 0.01);
}

static void extreme_evidence_stays_finite(void **state)
{
    (void)state;
    const double shapes[] = {0.01, 1, 100}, lengths[] = {1e-9, 1, 1e12};
    for (int s = 0; s < 3; s++) {
        for (int l = 0; l < 3; l++) {
            for (int t = 0; t < 3; t++) {
                HISTORY(h);
                struct sharc_rate_gamma prior = {shapes[s], lengths[t]};
                sharc_rate_history_look(&h, lengths[l], true);
                sharc_rate_history_forget(&h, 0.01);
                struct sharc_rate_estimate e = sharc_rate_combine(prior, &h, 0.95);
                assert_true(isfinite(e.rate) && e.rate > 0);
                assert_true(e.low <= e.high && isfinite(e.high));
            }
        }
    }
}

/* Rates drawn from the prior, histories from the rates: then the credible
 * interval must hold the rate as often as it says, and the posterior mean must
 * beat the history alone in squared error. */
static void posterior_is_calibrated(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 77);
    const int runs = 3000, looks = 6;
    struct sharc_rate_gamma prior = {2, 4};
    int held = 0;
    double error_combined = 0, error_alone = 0, bias = 0;
    HISTORY(h);
    for (int i = 0; i < runs; i++) {
        double rate = (sharc_rng_exponential(&rng, 1) + sharc_rng_exponential(&rng, 1)) / prior.time;
        sharc_rate_history_clear(&h);
        for (int k = 0; k < looks; k++) {
            double l = 2 * sharc_rng_uniform(&rng);
            sharc_rate_history_look(&h, l, sharc_rng_uniform(&rng) < -expm1(-rate * l));
        }
        struct sharc_rate_estimate e = sharc_rate_combine(prior, &h, 0.8);
        double alone = sharc_rate_irregular(&h, true);
        held += e.low <= rate && rate <= e.high;
        bias += (e.rate - rate) / runs;
        error_combined += (e.rate - rate) * (e.rate - rate);
        error_alone += (alone - rate) * (alone - rate);
    }
    assert_close((double)held / runs, 0.8, 0.025);
    assert_close(bias, 0, 0.02);
    assert_true(error_combined < 0.7 * error_alone);
}

static void fit_finds_the_gamma(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 8);
    enum { N = 4000 };
    SHARC_AUTO(sharc_freep) double *changes = SHARC_NEW_ARRAY(double, N);
    SHARC_AUTO(sharc_freep) double *time = SHARC_NEW_ARRAY(double, N);
    for (int i = 0; i < N; i++) {
        double rate = (sharc_rng_exponential(&rng, 1) + sharc_rng_exponential(&rng, 1)) / 4;
        time[i] = 1 + 20 * sharc_rng_uniform(&rng);
        changes[i] = (double)sharc_rng_poisson(&rng, rate * time[i]);
    }
    struct sharc_rate_gamma g = sharc_rate_prior_fit(changes, time, N);
    assert_close(g.shape, 2, 0.2);
    assert_close(sharc_rate_prior_mean(g), 0.5, 0.02);
    for (int i = 0; i < N; i++) changes[i] = 0;
    assert_true(sharc_rate_prior_mean(sharc_rate_prior_fit(changes, time, N)) > 0);
    assert_true(sharc_rate_prior_mean(sharc_rate_prior_fit(NULL, NULL, 0)) > 0);
}

static void sitemap_prior_yields_to_history(void **state)
{
    (void)state;
    const double day = 86400;
    struct sharc_rate_gamma other = {3, 5};
    struct sharc_rate_gamma p = sharc_rate_prior_sitemap(SHARC_FREQ_NONE, 1, other);
    assert_close(p.shape, 3, 0);
    p = sharc_rate_prior_sitemap(SHARC_FREQ_DAILY, 1, other);
    assert_close(sharc_rate_prior_mean(p), sharc_rate_sitemap(SHARC_FREQ_DAILY, 1, 0.95), 1e-12);
    HISTORY(h);
    sharc_rate_history_age(&h, 500 * day, true); /* lastmod belies it */
    assert_true(sharc_rate_combined(p, &h) < sharc_rate_sitemap(SHARC_FREQ_MONTHLY, 1, 0.95));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(priors_have_their_moments),
    cmocka_unit_test(counts_are_conjugate),
    cmocka_unit_test(changed_looks_match_brute_force),
    cmocka_unit_test(short_history_leans_on_the_prior_long_one_does_not),
    cmocka_unit_test(extreme_evidence_stays_finite),
    cmocka_unit_test(posterior_is_calibrated),
    cmocka_unit_test(fit_finds_the_gamma),
    cmocka_unit_test(sitemap_prior_yields_to_history),
};
TEST_MAIN(tests)
