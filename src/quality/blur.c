/* SPDX-License-Identifier: Apache-2.0
 *
 * Blur. All formulas come from one picture: a query at q is answered with the
 * version downloaded at t, and every change between t and q is an error. The
 * expected number is rate * |q - t|; averaged over q in [os, oe] that gives
 * omega. For the actual blur each change h counts for the share of the queries
 * that it separates from the download that answers them.
 */
#include "quality_int.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

static double square(double x)
{
    return x * x;
}

double sharc_quality_omega(double t, double os, double oe)
{
    if (t < os || t > oe) return (oe - os) * fabs((os + oe) / 2 - t);
    return (square(t - os) + square(oe - t)) / 2;
}

double sharc_quality_omega_revisit(double v, double r, double os, double oe)
{
    return square(v - os) / 2 + square(r - v) / 4 + square(oe - r) / 2;
}

double sharc_quality_blur(double rate, double t, double os, double oe)
{
    if (os >= oe) return rate * fabs(t - os);
    return rate * sharc_quality_omega(t, os, oe) / (oe - os);
}

double sharc_quality_blur_revisit(double rate, double v, double r, double os, double oe)
{
    if (os >= oe) return rate * fmin(fabs(v - os), fabs(r - os));
    return rate * sharc_quality_omega_revisit(v, r, os, oe) / (oe - os);
}

/* Queries in [a, b] are answered by a download at t. The length of the queries
 * that each change separates from t, summed. */
static double separated(const double *h, size_t n, double t, double a, double b)
{
    double sum = 0;
    size_t at = sharc_count_until(h, n, t);
    for (size_t i = at; i > 0 && h[i - 1] > a; i--) {
        sum += fmin(h[i - 1], b) - a;
    }
    for (size_t i = at; i < n && h[i] <= b; i++) {
        sum += b - fmax(h[i], a);
    }
    return sum;
}

static double changes_between(const double *h, size_t n, double t, double q)
{
    return (double)sharc_quality_changes(h, n, fmin(t, q), fmax(t, q));
}

double sharc_quality_actual_blur(const double *h, size_t n, double t, double os, double oe)
{
    if (os >= oe) return changes_between(h, n, t, os);
    return separated(h, n, t, os, oe) / (oe - os);
}

double sharc_quality_actual_blur_revisit(const double *h, size_t n, double v, double r, double os, double oe)
{
    double middle = (v + r) / 2;
    if (os >= oe) return changes_between(h, n, os <= middle ? v : r, os);
    double border = fmin(fmax(middle, os), oe);
    return (separated(h, n, v, os, border) + separated(h, n, r, border, oe)) / (oe - os);
}

double sharc_quality_weight(const double *weight, size_t n)
{
    if (!weight) return (double)n;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += weight[i];
    }
    return sum;
}

struct sharc_blur_bounds sharc_quality_blur_bounds(const double *rate, const double *weight, size_t n, double os,
                                                   double oe)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += rate[i] * (weight ? weight[i] : 1);
    }
    return (struct sharc_blur_bounds){sum * (oe - os) / 4, sum * (oe - os) / 2};
}

double sharc_quality_capture_blur(const struct sharc_capture *c, double os, double oe)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        double blur = c->revisit ? sharc_quality_blur_revisit(c->rate[i], c->visit[i], c->revisit[i], os, oe)
                                 : sharc_quality_blur(c->rate[i], c->visit[i], os, oe);
        sum += blur * (c->weight ? c->weight[i] : 1);
    }
    return sum;
}

/* Slot of the page with rank i of n, coldest first, in organ pipes. */
static size_t organ_pipe(size_t i, size_t n)
{
    return i % 2 == 0 ? i / 2 : n - 1 - (i - 1) / 2;
}

struct sharc_worst_case sharc_quality_worst_case(const double *rate, size_t n, size_t k)
{
    if (n == 0) return (struct sharc_worst_case){0, 0};
    SHARC_AUTO(sharc_freep) double *sorted = SHARC_NEW_ARRAY(double, n);
    memcpy(sorted, rate, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, sharc_order_double);

    struct sharc_worst_case sum = {0, 0};
    double end = (double)(n - 1);
    size_t rest = n - k, front = (k + 1) / 2;
    for (size_t i = 0; i < n; i++) {
        sum.offline += sorted[i] * sharc_quality_omega((double)organ_pipe(i, n), 0, end);
        /* Misplaced pages fill the outer slots from the outside in, so the
         * hottest of all sits outermost. */
        size_t from_hottest = n - 1 - i;
        size_t slot = i < rest                ? front + organ_pipe(i, rest)
                      : from_hottest % 2 == 0 ? from_hottest / 2
                                              : n - 1 - from_hottest / 2;
        sum.worst += sorted[i] * sharc_quality_omega((double)slot, 0, end);
    }
    return sum;
}
