/* SPDX-License-Identifier: Apache-2.0
 *
 * Mean and confidence interval of a few runs.
 */
#include "sim_int.h"

#include <math.h>

/* Hill's approximation (Algorithm 396): at least six figures beyond two degrees of
 * freedom; one and two have closed forms. */
double sharc__sim_student(size_t degrees)
{
    const double p = 0.05, half_pi = 1.57079632679489661923, n = (double)degrees;
    if (degrees == 0) return HUGE_VAL;
    if (degrees == 1) return cos(p * half_pi) / sin(p * half_pi);
    if (degrees == 2) return sqrt(2 / (p * (2 - p)) - 2);
    double a = 1 / (n - 0.5), b = 48 / (a * a);
    double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
    double d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * half_pi) * n;
    double x = d * p, y = pow(x, 2 / n);
    if (y > 0.05 + a) {
        x = -1.95996398454005423552; /* normal quantile of p/2 */
        y = x * x;
        if (degrees < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
        y = expm1(a * y * y);
    } else {
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) /
                (n + 2) +
            1 / y;
    }
    return sqrt(n * y);
}

struct sharc_sim_mean sharc__sim_mean(const double *v, size_t n)
{
    struct sharc_sim_mean m = {0};
    if (n == 0) return m;
    double squares = 0;
    for (size_t i = 0; i < n; i++) m.mean += v[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (v[i] - m.mean) * (v[i] - m.mean);
    if (n > 1) m.half = sharc__sim_student(n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
    return m;
}
