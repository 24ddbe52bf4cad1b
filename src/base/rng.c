/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers. Values that reach a result directly (uniform, exponential,
 * normal) are made from IEEE additions, multiplications, divisions and square
 * roots only: the C library's logarithm may differ in the last bit between two
 * machines, ours cannot. Functions of the C library decide rejections only,
 * where a last bit matters once in about 10^15 draws.
 */
#include "sharc/base_rng.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

#define GOLDEN 0x9E3779B97F4A7C15u /* 2^64 / golden ratio, odd */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void sharc_rng_init(struct sharc_rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) r->s[i] = mix(seed += GOLDEN);
}

/* For one seed the map k -> start is a bijection, so no two streams of a seed
 * are the same, and none is the plain stream of a neighbouring seed. */
struct sharc_rng sharc_rng_stream(uint64_t seed, uint64_t k)
{
    struct sharc_rng r;
    sharc_rng_init(&r, mix(mix(seed + GOLDEN) + (k + 1) * 0xD1342543DE82EF95u));
    return r;
}

uint64_t sharc_rng_u64(struct sharc_rng *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

__extension__ typedef unsigned __int128 wide;

/* The high half of a 128-bit product is uniform once the few low halves that
 * would favour some results are refused. */
uint64_t sharc_rng_below(struct sharc_rng *r, uint64_t n)
{
    SHARC_ASSERT(n > 0);
    wide product = (wide)sharc_rng_u64(r) * n;
    if ((uint64_t)product < n) {
        uint64_t unfair = -n % n;
        while ((uint64_t)product < unfair) product = (wide)sharc_rng_u64(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double sharc_rng_uniform(struct sharc_rng *r)
{
    return (double)(sharc_rng_u64(r) >> 11) * 0x1p-53;
}

/* Natural logarithm of a positive normal number, within about one unit in the
 * last place: x = 2^e * m with m near 1, log m = 2 artanh((m-1)/(m+1)). */
static double portable_log(double x)
{
    int e;
    double m = frexp(x, &e); /* exact */
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s2;
    const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    return e * ln2_high + (2 * s + (2 * s * sum + e * ln2_low));
}

double sharc_rng_exponential(struct sharc_rng *r, double rate)
{
    SHARC_ASSERT(rate > 0);
    return -portable_log(1 - sharc_rng_uniform(r)) / rate; /* 1 - u is exact and > 0 */
}

double sharc_rng_normal(struct sharc_rng *r)
{
    double x, y, q;
    do {
        x = 2 * sharc_rng_uniform(r) - 1;
        y = 2 * sharc_rng_uniform(r) - 1;
        q = x * x + y * y;
    } while (q >= 1 || q == 0);
    return x * sqrt(-2 * portable_log(q) / q);
}

/* --- Poisson -------------------------------------------------------------- */

/* k log(k/mean) + mean - k without cancellation when the two are close. */
static double deviance(double k, double mean)
{
    double d = k - mean;
    if (fabs(d) >= 0.1 * (k + mean)) return k * log(k / mean) - d;
    double v = d / (k + mean), sum = d * v, term = 2 * k * v;
    for (int j = 1; j < 100; j++) {
        term *= v * v;
        double next = sum + term / (2 * j + 1);
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

/* log P(k), precise for any mean: the textbook formula loses all digits to
 * cancellation from a mean of about 10^12 on, so Stirling's remainder and the
 * deviance are used instead. */
static double poisson_log_mass(double k, double mean)
{
    if (k <= 20) {
        double factorial = 1; /* 20! is exact in a double */
        for (int i = 2; i <= (int)k; i++) factorial *= i;
        return k * log(mean) - mean - log(factorial);
    }
    double i = 1 / k, i2 = i * i;
    double remainder = i * (1.0 / 12 - i2 * (1.0 / 360 - i2 * (1.0 / 1260 - i2 * (1.0 / 1680 - i2 / 1188))));
    return -remainder - deviance(k, mean) - 0.5 * log(6.283185307179586477 * k);
}

/* Multiply uniforms until the product falls below e^-mean. */
static uint64_t poisson_small(struct sharc_rng *r, double mean)
{
    double floor = exp(-mean), product = 1;
    uint64_t k = 0;
    while ((product *= 1 - sharc_rng_uniform(r)) > floor) k++;
    return k;
}

/* Transformed rejection with squeeze: W. Hörmann, "The transformed rejection
 * method for generating Poisson random variables", 1993, algorithm PTRS. */
static uint64_t poisson_large(struct sharc_rng *r, double mean)
{
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = sharc_rng_uniform(r) - 0.5, v = 1 - sharc_rng_uniform(r);
        double us = 0.5 - fabs(u);
        if (us == 0) continue;
        double k = floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= squeeze) return (uint64_t)k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v * inverse_alpha / (a / (us * us) + b)) <= poisson_log_mass(k, mean)) return (uint64_t)k;
    }
}

uint64_t sharc_rng_poisson(struct sharc_rng *r, double mean)
{
    SHARC_ASSERT(mean >= 0 && mean <= 0x1p62);
    /* Sums of Poisson numbers are Poisson; beyond 2^50 a double would begin to
     * skip integers. */
    uint64_t sum = 0;
    for (; mean > 0x1p50; mean -= 0x1p50) sum += poisson_large(r, 0x1p50);
    return sum + (mean < 10 ? poisson_small(r, mean) : poisson_large(r, mean));
}

/* --- Zipf ----------------------------------------------------------------- */

/* Rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to
 * generate variates from monotone discrete distributions", 1996. The hat is
 * x^-skew itself; its integral from 1 is H, shifted so that skew 1 is the
 * smooth limit and not a special case. */
static double expm1_ratio(double x)
{
    return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_ratio(double x)
{
    return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

static double zipf_hat(double x, double skew)
{
    return exp(-skew * log(x));
}

static double zipf_integral(double x, double skew)
{
    double lx = log(x);
    return lx * expm1_ratio((1 - skew) * lx);
}

static double zipf_inverse(double y, double skew)
{
    double t = y * (1 - skew);
    if (t < -1) t = -1; /* rounding at the far end */
    return exp(log1p_ratio(t) * y);
}

uint64_t sharc_rng_zipf(struct sharc_rng *r, uint64_t n, double skew)
{
    SHARC_ASSERT(n > 0 && n <= (uint64_t)1 << 53 && skew >= 0);
    if (skew == 0) return 1 + sharc_rng_below(r, n);
    double last = (double)n;
    double low = zipf_integral(1.5, skew) - 1, high = zipf_integral(last + 0.5, skew);
    double surely = 2 - zipf_inverse(zipf_integral(2.5, skew) - zipf_hat(2, skew), skew);
    for (;;) {
        double y = high + sharc_rng_uniform(r) * (low - high);
        double x = zipf_inverse(y, skew), k = floor(x + 0.5);
        if (!(k >= 1)) k = 1;
        if (k > last) k = last;
        if (k - x <= surely || y >= zipf_integral(k + 0.5, skew) - zipf_hat(k, skew)) return (uint64_t)k;
    }
}

void sharc_rng_shuffle_u32(struct sharc_rng *r, uint32_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)sharc_rng_below(r, i);
        uint32_t t = items[i - 1];
        items[i - 1] = items[j];
        items[j] = t;
    }
}
