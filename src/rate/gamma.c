/* SPDX-License-Identifier: Apache-2.0
 *
 * The incomplete gamma function and its inverse: intervals for counts and for
 * gamma posteriors.
 */
#include "rate_int.h"

#include <math.h>

double sharc__rate_ln_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

double sharc__rate_digamma(double x)
{
    double sum = 0;
    for (; x < 8; x += 1) sum -= 1 / x;
    double y = 1 / (x * x);
    return sum + log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y / 240)));
}

struct sharc_rate_gamma sharc__rate_gamma_nearest(double mean, double mean_ln)
{
    /* ln a − ψ(a) = ln mean − mean ln falls from infinity to 0 in a, much like
     * 1/a: bisect over ln a within the shapes that a prior may have. */
    // cppcheck-suppress invalidFunctionArg ; the mean of a prior is above 0
    const double aim = log(mean) - mean_ln;
    double low = log(1e-2), high = log(1e2);
    while (high - low > 1e-6) {
        double middle = (low + high) / 2;
        if (middle - sharc__rate_digamma(exp(middle)) > aim)
            low = middle;
        else
            high = middle;
    }
    return sharc_rate_prior(mean, exp(low));
}

/* x^a e^(−x) / Γ(a+1) · (1 + x/(a+1) + x²/((a+1)(a+2)) + …), good for x < a+1. */
static double p_by_series(double a, double x)
{
    double term = 1, sum = 1;
    for (double k = a + 1; term > sum * 1e-17; k++) {
        term *= x / k;
        sum += term;
    }
    return sum * exp(a * log(x) - x - sharc__rate_ln_gamma(a + 1));
}

/* Q(a, x) as a continued fraction (Lentz), good for x >= a+1. */
static double q_by_fraction(double a, double x)
{
    const double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, f = d;
    for (int i = 1; i < 100000; i++) {
        double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        if (fabs(d) < tiny) d = tiny;
        c = b + an / c;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        f *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return f * exp(a * log(x) - x - sharc__rate_ln_gamma(a));
}

double sharc__rate_gamma_p(double a, double x)
{
    if (!(x > 0)) return 0;
    if (isinf(x)) return 1;
    if (a > 1e5) { /* Wilson and Hilferty; error below 1e-6 there */
        double z = (cbrt(x / a) - 1 + 1 / (9 * a)) * 3 * sqrt(a);
        return 0.5 * erfc(-z / sqrt(2));
    }
    return x < a + 1 ? p_by_series(a, x) : 1 - q_by_fraction(a, x);
}

double sharc__rate_gamma_quantile(double a, double p)
{
    if (!(p > 0)) return 0;
    /* In y = ln x. P(a, x) <= x^a/Γ(a+1) gives the lower bracket, for small a
     * very nearly the answer itself. */
    const double ln_gamma = sharc__rate_ln_gamma(a);
    double low = (log(p) + ln_gamma + log(a)) / a;
    double high = fmax(low, log(a)) + 1;
    while (sharc__rate_gamma_p(a, exp(high)) < p) low = high, high += 1;
    double y = low;
    for (int i = 0; i < 200; i++) {
        double miss = sharc__rate_gamma_p(a, exp(y)) - p;
        if (miss < 0)
            low = y;
        else
            high = y;
        double slope = exp(a * y - exp(y) - ln_gamma);
        double next = slope > 0 ? y - miss / slope : low;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (fabs(next - y) < 1e-14 * (1 + fabs(y))) break;
        y = next;
    }
    return exp(y);
}
