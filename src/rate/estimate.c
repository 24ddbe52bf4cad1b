/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimators that look at a page's own history and nothing else, and the
 * likelihood they share.
 */
#include "rate_int.h"

#include <math.h>

/* ln(1 − e^(−x)) without losing digits at either end. */
static double ln_some(double x)
{
    return x < 0.7 ? log(-expm1(-x)) : log1p(-exp(-x));
}

/* x/(e^x − 1): 1 at 0, falls to 0 (and is 0 long before e^x overflows). */
static double share(double x)
{
    if (x > 700) return 0;
    return x > 0 ? x / expm1(x) : 1;
}

struct rate_likelihood sharc__rate_likelihood(const struct sharc_rate_history *h)
{
    return (struct rate_likelihood){.events = h->events, .quiet = h->quiet, .changed = h->changed, .n = h->n};
}

double sharc__rate_log_likelihood(const struct rate_likelihood *l, double theta, double *ret_slope, double *ret_curve)
{
    const double rate = exp(theta);
    double value = l->events * theta - l->quiet * rate;
    double slope = l->events - l->quiet * rate;
    double curve = -l->quiet * rate;
    for (size_t i = 0; i < l->n; i++) {
        const double x = rate * l->changed[i].length, w = l->changed[i].weight, f = share(x);
        value += w * (x > 1e-300 ? ln_some(x) : theta + log(l->changed[i].length));
        slope += w * f;
        if (f > 0) curve += w * f * (1 - x - f); /* x·f'(x) */
    }
    if (ret_slope) *ret_slope = slope;
    if (ret_curve) *ret_curve = curve;
    return value;
}

double sharc__rate_peak(const struct rate_likelihood *l)
{
    /* 1 − x/2 <= x/(e^x − 1) <= 1 turns the equation for the root into two
     * that are linear in λ: a bracket for free. */
    double all = l->events, covered = l->quiet;
    for (size_t i = 0; i < l->n; i++) {
        all += l->changed[i].weight;
        covered += l->changed[i].weight * l->changed[i].length / 2;
    }
    double low = log(all) - log(covered), high = log(all) - log(l->quiet);
    double at = low;
    for (int i = 0; i < 200 && high - low > 1e-14 * (1 + fabs(at)); i++) {
        double slope, curve;
        sharc__rate_log_likelihood(l, at, &slope, &curve);
        if (slope > 0)
            low = at;
        else
            high = at;
        double next = curve < 0 ? at - slope / curve : low;
        if (!(next >= low && next <= high)) next = (low + high) / 2;
        if (fabs(next - at) < 1e-14 * (1 + fabs(at))) return next;
        at = next;
    }
    return at;
}

double sharc_rate_counts(double changes, double time)
{
    return time > 0 && changes > 0 ? changes / time : 0;
}

double sharc_rate_regular(double n, double x, double step)
{
    if (!(n > 0) || !(step > 0)) return 0;
    x = fmin(fmax(x, 0), n);
    return -log((n - x + 0.5) / (n + 0.5)) / step;
}

static bool anything_changed(const struct sharc_rate_history *h)
{
    return h->events > 0 || h->n > 0;
}

double sharc_rate_irregular(const struct sharc_rate_history *h, bool corrected)
{
    if (!anything_changed(h)) return 0;
    struct rate_likelihood l = sharc__rate_likelihood(h);
    if ((corrected || !(l.quiet > 0)) && h->looks > 0) l.quiet += 0.5 * h->looked / h->looks;
    if (!(l.quiet > 0)) return 0; /* dated changes in no time: nothing to divide by */
    return exp(sharc__rate_peak(&l));
}

double sharc_rate_from_age(double age, double grain)
{
    return 1 / (fmax(age, 0) + grain);
}

struct sharc_rate_estimate sharc_rate_counts_interval(double changes, double time, double level)
{
    const double tail = (1 - level) / 2;
    if (!(time > 0)) return (struct sharc_rate_estimate){0, 0, HUGE_VAL};
    changes = fmax(changes, 0);
    return (struct sharc_rate_estimate){
        .rate = changes / time,
        .low = changes > 0 ? sharc__rate_gamma_quantile(changes, tail) / time : 0,
        .high = sharc__rate_gamma_quantile(changes + 1, 1 - tail) / time,
    };
}

/* The θ beyond `from`, in the direction of step, where the log-likelihood has
 * fallen to `level`. It is concave, so doubling the step must get there. */
static double falls_to(const struct rate_likelihood *l, double from, double step, double level)
{
    double far = from + step;
    while (sharc__rate_log_likelihood(l, far, NULL, NULL) > level) from = far, step *= 2, far += step;
    for (int i = 0; i < 100 && fabs(far - from) > 1e-12; i++) {
        double middle = (from + far) / 2;
        if (sharc__rate_log_likelihood(l, middle, NULL, NULL) > level)
            from = middle;
        else
            far = middle;
    }
    return (from + far) / 2;
}

double sharc_rate_cautious(const struct sharc_rate_history *h)
{
    if (!(h->quiet > 0) && h->n == 0) return (double)NAN;
    return fmax(sharc_rate_irregular(h, true), h->quiet > 0 ? 0.5 / h->quiet : 0);
}

struct sharc_rate_estimate sharc_rate_irregular_interval(const struct sharc_rate_history *h, double level)
{
    /* Twice the drop of the log-likelihood is about χ² with one degree of
     * freedom, and χ²/2 is a gamma variable of shape ½. */
    const double drop = sharc__rate_gamma_quantile(0.5, level);
    /* At the two edges that approximation fails, but the exact answer is easy:
     * the rate at which so one-sided a history has the probability of a tail. */
    const double ln_tail = log((1 - level) / 2);
    struct sharc_rate_estimate e = {.rate = sharc_rate_irregular(h, false), .low = 0, .high = HUGE_VAL};
    struct rate_likelihood l = sharc__rate_likelihood(h);
    if (!anything_changed(h)) {
        if (h->quiet > 0) e.high = -ln_tail / h->quiet;
        return e;
    }
    if (!(h->quiet > 0)) {
        /* Rises for ever, towards 0 unless dated changes lift it further. */
        if (h->events > 0) return e;
        e.low = exp(falls_to(&l, log(e.rate) + 40, -1, ln_tail));
        return e;
    }
    double peak = sharc__rate_peak(&l);
    double top = sharc__rate_log_likelihood(&l, peak, NULL, NULL);
    e.low = exp(falls_to(&l, peak, -0.5, top - drop));
    e.high = exp(falls_to(&l, peak, 0.5, top - drop));
    return e;
}
