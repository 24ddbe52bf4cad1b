/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers: the same on every machine, and of the right kind. All seeds
 * are fixed, so a check that passes once passes always; thresholds stand where
 * a sound generator would fail once in about a million seeds.
 */
#include "test.h"

#include "sharc/base_rng.h"

#include <math.h>
#include <stdlib.h>

/* Published outputs of splitmix64 and of xoshiro256** seeded through it. */
static void test_known_outputs(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 1234567);
    static const uint64_t splitmix[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                        4593380528125082431u};
    for (int i = 0; i < 4; i++) assert_true(r.s[i] == splitmix[i]);
    r = (struct sharc_rng){{1, 2, 3, 4}};
    static const uint64_t xoshiro[] = {11520u,
                                       0u,
                                       1509978240u,
                                       1215971899390074240u,
                                       1216172134540287360u,
                                       607988272756665600u,
                                       16172922978634559625u,
                                       8476171486693032832u,
                                       10595114339597558777u,
                                       2904607092377533576u};
    for (size_t i = 0; i < SHARC_LENGTH(xoshiro); i++) assert_true(sharc_rng_u64(&r) == xoshiro[i]);
}

/* What this version draws, every later one must draw: a seed is a promise. */
static void test_history(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 42);
    assert_true(sharc_rng_u64(&r) == 1546998764402558742u);
    assert_int_equal(sharc_rng_below(&r, 1000), 378);
    assert_true(sharc_rng_uniform(&r) == 0x1.5c2ea66473c93p-1);
    assert_true(sharc_rng_exponential(&r, 0.5) == 0x1.4b07fe7e3ae0ep+2);
    assert_true(sharc_rng_normal(&r) == 0x1.db514bfac5b4ep-2);
    assert_int_equal(sharc_rng_poisson(&r, 4.5), 4);
    assert_int_equal(sharc_rng_poisson(&r, 1e6), 999478);
    assert_int_equal(sharc_rng_zipf(&r, 1000000, 1.1), 1);
    struct sharc_rng s = sharc_rng_stream(42, 7);
    assert_true(sharc_rng_u64(&s) == 14485754394876446725u);
}

static void test_streams_differ(void **state)
{
    (void)state;
    enum { N = 2000 };
    uint64_t *first = SHARC_NEW_ARRAY(uint64_t, N);
    for (uint64_t k = 0; k < N; k++) {
        struct sharc_rng r = k < N / 2 ? sharc_rng_stream(1, k) : sharc_rng_stream(2, k - N / 2);
        first[k] = sharc_rng_u64(&r);
        for (uint64_t i = 0; i < k; i++) assert_true(first[i] != first[k]);
    }
    free(first);
    struct sharc_rng plain, zero = sharc_rng_stream(1, 0);
    sharc_rng_init(&plain, 1);
    assert_true(sharc_rng_u64(&plain) != sharc_rng_u64(&zero));
    /* The same numbers again when asked again. */
    struct sharc_rng a = sharc_rng_stream(5, 6), b = sharc_rng_stream(5, 6);
    for (int i = 0; i < 100; i++) assert_true(sharc_rng_u64(&a) == sharc_rng_u64(&b));
}

/* --- chi-square ----------------------------------------------------------- */

/* Beyond this only one seed in a million would come (Wilson and Hilferty). */
static double chi_square_bound(size_t degrees)
{
    double k = (double)degrees, t = 1 - 2 / (9 * k) + 4.76 * sqrt(2 / (9 * k));
    return k * t * t * t;
}

/* Counts against expected probabilities; cells that expect too little are
 * joined with their right neighbour. */
static void expect_distribution(const uint64_t *count, const double *share, size_t cells, double draws)
{
    double chi = 0, expected = 0, seen = 0;
    size_t used = 0;
    for (size_t i = 0; i < cells; i++) {
        expected += share[i] * draws;
        seen += (double)count[i];
        if (expected < 10 && i + 1 < cells) continue;
        if (expected > 0) {
            chi += (seen - expected) * (seen - expected) / expected;
            used++;
        } else {
            assert_true(seen == 0);
        }
        expected = seen = 0;
    }
    if (chi > chi_square_bound(used - 1)) fail_msg("chi-square %.1f with %zu cells", chi, used);
}

static void test_below_is_uniform(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 100);
    static const uint64_t sizes[] = {1, 2, 3, 7, 10, 100};
    for (size_t s = 0; s < SHARC_LENGTH(sizes); s++) {
        uint64_t count[100] = {0};
        double share[100];
        for (int i = 0; i < 100000; i++) count[sharc_rng_below(&r, sizes[s])]++;
        for (size_t i = 0; i < sizes[s]; i++) share[i] = 1.0 / (double)sizes[s];
        if (sizes[s] > 1) expect_distribution(count, share, sizes[s], 100000);
    }
    /* A size where taking the remainder would favour the lower half by half. */
    uint64_t large = (uint64_t)3 << 62, low = 0;
    for (int i = 0; i < 100000; i++) low += sharc_rng_below(&r, large) < large / 2;
    assert_close((double)low, 50000, 5 * sqrt(25000));
}

static void test_uniform(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 101);
    uint64_t count[64] = {0};
    double share[64];
    for (int i = 0; i < 200000; i++) {
        double u = sharc_rng_uniform(&r);
        assert_true(u >= 0 && u < 1);
        count[(int)(u * 64)]++;
    }
    for (int i = 0; i < 64; i++) share[i] = 1.0 / 64;
    expect_distribution(count, share, 64, 200000);
}

static void test_exponential(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 102);
    enum { CELLS = 40 };
    uint64_t count[CELLS] = {0};
    double share[CELLS], sum = 0, squares = 0;
    int n = 400000;
    for (int i = 0; i < n; i++) {
        double x = sharc_rng_exponential(&r, 2);
        assert_true(x >= 0 && x < 20);
        sum += x;
        squares += x * x;
        int cell = (int)(x * 10);
        count[cell < CELLS ? cell : CELLS - 1]++;
    }
    for (int i = 0; i < CELLS; i++) share[i] = exp(-0.2 * i) - (i + 1 < CELLS ? exp(-0.2 * (i + 1)) : 0);
    expect_distribution(count, share, CELLS, n);
    assert_close(sum / n, 0.5, 5 * 0.5 / sqrt(n));
    assert_close(squares / n, 0.5, 5 * sqrt(20.0 / 16) / sqrt(n));
}

static void test_normal(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 103);
    enum { CELLS = 60 };
    uint64_t count[CELLS] = {0};
    double share[CELLS];
    int n = 300000;
    for (int i = 0; i < n; i++) {
        int cell = (int)floor(sharc_rng_normal(&r) * 10) + CELLS / 2;
        count[cell < 0 ? 0 : cell < CELLS ? cell : CELLS - 1]++;
    }
    for (int i = 0; i < CELLS; i++) {
        double from = i == 0 ? -HUGE_VAL : (i - CELLS / 2) / 10.0,
               to = i == CELLS - 1 ? HUGE_VAL : (i + 1 - CELLS / 2) / 10.0;
        share[i] = 0.5 * (erfc(-to / sqrt(2)) - erfc(-from / sqrt(2)));
    }
    expect_distribution(count, share, CELLS, n);
}

/* --- Poisson -------------------------------------------------------------- */

static void test_poisson_masses(void **state)
{
    (void)state;
    static const double means[] = {0.01, 0.5, 1, 3.7, 9.999, 10, 11, 25, 100, 1000, 12345.678};
    enum { CELLS = 2000 };
    uint64_t *count = SHARC_NEW_ARRAY(uint64_t, CELLS);
    double *share = SHARC_NEW_ARRAY(double, CELLS);
    for (size_t m = 0; m < SHARC_LENGTH(means); m++) {
        struct sharc_rng r = sharc_rng_stream(104, m);
        double mean = means[m];
        double low = floor(mean - 20 * sqrt(mean) - 20); /* all draws fall within 20 deviations */
        if (low < 0) low = 0;
        double width = ceil((40 * sqrt(mean) + 60) / CELLS), n = 100000;
        memset(count, 0, CELLS * sizeof *count);
        for (int i = 0; i < n; i++) {
            double k = (double)sharc_rng_poisson(&r, mean);
            double cell = floor((k - low) / width);
            assert_true(cell >= 0 && cell < CELLS);
            count[(size_t)cell]++;
        }
        for (size_t i = 0; i < CELLS; i++) {
            share[i] = 0;
            for (double k = low + (double)i * width; k < low + (double)(i + 1) * width; k++)
                share[i] += exp(k * log(mean) - mean - lgamma(k + 1));
        }
        expect_distribution(count, share, CELLS, n);
    }
    free(count);
    free(share);
}

/* Too large for masses: mean, variance and skewness, up to where a double no
 * longer holds every integer. */
static void test_poisson_moments(void **state)
{
    (void)state;
    static const double means[] = {1e5, 1e7, 1e9, 1e12, 1e15, 0x1p50, 0x1p50 + 4, 3e15, 1e17};
    for (size_t m = 0; m < SHARC_LENGTH(means); m++) {
        struct sharc_rng r = sharc_rng_stream(105, m);
        int n = 100000;
        double s1 = 0, s2 = 0, s3 = 0, deviation = sqrt(means[m]);
        uint64_t whole = (uint64_t)means[m];
        uint64_t parity = 0;
        for (int i = 0; i < n; i++) {
            uint64_t k = sharc_rng_poisson(&r, means[m]);
            double z = (k >= whole ? (double)(k - whole) : -(double)(whole - k)) / deviation;
            s1 += z;
            s2 += z * z;
            s3 += z * z * z;
            parity += k & 1;
        }
        assert_close(s1 / n, 0, 5 / sqrt(n));
        assert_close(s2 / n, 1, 5 * sqrt(2.0 / n));
        assert_close(s3 / n, 1 / deviation, 5 * sqrt(15.0 / n));
        assert_close((double)parity / n, 0.5, 5 * 0.5 / sqrt(n)); /* no integer is skipped */
    }
}

static void test_poisson_edges(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 106);
    for (int i = 0; i < 1000; i++) assert_int_equal(sharc_rng_poisson(&r, 0), 0);
    for (int i = 0; i < 1000; i++) assert_int_equal(sharc_rng_poisson(&r, 1e-300), 0);
}

/* --- Zipf ----------------------------------------------------------------- */

static void test_zipf(void **state)
{
    (void)state;
    static const double skews[] = {0, 1e-9, 0.3, 0.999999, 1, 1.000001, 1.5, 2, 4, 30};
    static const uint64_t sizes[] = {1, 2, 3, 1000};
    for (size_t s = 0; s < SHARC_LENGTH(skews); s++) {
        for (size_t z = 0; z < SHARC_LENGTH(sizes); z++) {
            struct sharc_rng r = sharc_rng_stream(107, s * 10 + z);
            uint64_t count[1000] = {0}, n = sizes[z];
            double share[1000], sum = 0;
            int draws = 50000;
            for (int i = 0; i < draws; i++) {
                uint64_t k = sharc_rng_zipf(&r, n, skews[s]);
                assert_true(k >= 1 && k <= n);
                count[k - 1]++;
            }
            for (uint64_t k = 0; k < n; k++) sum += share[k] = pow((double)(k + 1), -skews[s]);
            for (uint64_t k = 0; k < n; k++) share[k] /= sum;
            if (n > 1 && share[0] * draws < draws - 20) expect_distribution(count, share, n, draws);
        }
    }
}

/* A million pages and more: compare the share of each decade. */
static void test_zipf_large(void **state)
{
    (void)state;
    static const double skews[] = {0.5, 1, 1.3};
    for (size_t s = 0; s < SHARC_LENGTH(skews); s++) {
        struct sharc_rng r = sharc_rng_stream(108, s);
        uint64_t n = 1000000, count[7] = {0};
        double share[7] = {0}, sum = 0;
        for (uint64_t k = 1; k <= n; k++) {
            double p = pow((double)k, -skews[s]);
            share[(int)log10((double)k + 0.5)] += p;
            sum += p;
        }
        for (int i = 0; i < 7; i++) share[i] /= sum;
        for (int i = 0; i < 100000; i++) count[(int)log10((double)sharc_rng_zipf(&r, n, skews[s]) + 0.5)]++;
        expect_distribution(count, share, 7, 100000);
    }
    struct sharc_rng r;
    sharc_rng_init(&r, 109);
    for (int i = 0; i < 1000; i++) assert_true(sharc_rng_zipf(&r, (uint64_t)1 << 53, 0.9) <= (uint64_t)1 << 53);
}

static void test_shuffle(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 110);
    uint64_t count[24] = {0};
    double share[24];
    for (int i = 0; i < 48000; i++) {
        uint32_t v[4] = {0, 1, 2, 3};
        sharc_rng_shuffle_u32(&r, v, 4);
        assert_int_equal(1 << v[0] | 1 << v[1] | 1 << v[2] | 1 << v[3], 15);
        unsigned rank = 0;
        for (int a = 0; a < 4; a++) { /* number of the permutation */
            unsigned smaller = 0;
            for (int b = a + 1; b < 4; b++) smaller += v[b] < v[a];
            rank = rank * (unsigned)(4 - a) + smaller;
        }
        count[rank]++;
    }
    for (int i = 0; i < 24; i++) share[i] = 1.0 / 24;
    expect_distribution(count, share, 24, 48000);
    sharc_rng_shuffle_u32(&r, NULL, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_known_outputs),
    cmocka_unit_test(test_history),
    cmocka_unit_test(test_streams_differ),
    cmocka_unit_test(test_below_is_uniform),
    cmocka_unit_test(test_uniform),
    cmocka_unit_test(test_exponential),
    cmocka_unit_test(test_normal),
    cmocka_unit_test(test_poisson_masses),
    cmocka_unit_test(test_poisson_moments),
    cmocka_unit_test(test_poisson_edges),
    cmocka_unit_test(test_zipf),
    cmocka_unit_test(test_zipf_large),
    cmocka_unit_test(test_shuffle),
};
TEST_MAIN(tests)
