/* SPDX-License-Identifier: Apache-2.0
 *
 * Prior and history together. Counts and quiet time are conjugate to the gamma
 * prior and only add up. Looks that saw a change are not; then the posterior
 * is integrated over θ = ln λ. There it is log-concave and analytic, so the
 * plain trapezoid rule converges exponentially: a few dozen points give more
 * digits than any rate deserves.
 */
#include "rate_int.h"

#include <math.h>

#define SHAPE_MIN 0.01
#define SHAPE_MAX 100.0
#define NEIGHBOURS 10.0 /* heard of whom half of what they will ever count counts */
#define RATE_MIN (1 / (1000 * RATE_YEAR))

struct sharc_rate_gamma sharc_rate_prior(double mean, double worth)
{
    worth = fmin(fmax(worth, SHAPE_MIN), SHAPE_MAX);
    if (!(mean > RATE_MIN)) mean = RATE_MIN;
    return (struct sharc_rate_gamma){.shape = worth, .time = worth / mean};
}

struct sharc_rate_gamma sharc_rate_prior_moments(double mean, double variance)
{
    return sharc_rate_prior(mean, variance > 0 ? mean * mean / variance : SHAPE_MAX);
}

/* --- empirical Bayes --------------------------------------------------------- */

struct pages {
    const double *changes, *time;
    size_t n;
    double sum_changes, sum_time;
};

/* For a given shape the best time solves Σ (shape + x)/(time + t) = n·shape/time.
 * Written as a fixed point for the mean m = shape/time it contracts quickly:
 * m = Σ m·(shape + x)/(shape + m·t) / n. */
static double best_mean(const struct pages *p, double shape, double mean)
{
    for (int round = 0; round < 200; round++) {
        double sum = 0;
        for (size_t i = 0; i < p->n; i++) sum += (shape + p->changes[i]) / (shape + mean * p->time[i]);
        double factor = sum / (double)p->n;
        mean *= factor;
        if (fabs(factor - 1) < 1e-9) break;
    }
    return mean;
}

/* Log-likelihood of the counts, the rates integrated out: negative binomial. */
static double marginal(const struct pages *p, double shape, double mean)
{
    const double time = shape / mean, ln_time = log(time), ln_gamma = sharc__rate_ln_gamma(shape);
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        double x = p->changes[i], ln_both = log(time + p->time[i]);
        sum += shape * (ln_time - ln_both);
        if (x > 0) sum += sharc__rate_ln_gamma(shape + x) - ln_gamma - x * ln_both;
    }
    return sum;
}

struct sharc_rate_gamma sharc_rate_prior_fit(const double *changes, const double *time, size_t n)
{
    struct pages p = {.changes = changes, .time = time, .n = n};
    for (size_t i = 0; i < n; i++) p.sum_changes += changes[i], p.sum_time += time[i];
    if (!(p.sum_time > 0)) return sharc_rate_prior(1 / RATE_YEAR, 0.5);
    if (!(p.sum_changes > 0)) return sharc_rate_prior(0.5 / p.sum_time, 0.5);
    /* Golden section over ln shape; the likelihood has one hump there. */
    const double golden = (sqrt(5) - 1) / 2;
    double low = log(SHAPE_MIN), high = log(SHAPE_MAX), mean = p.sum_changes / p.sum_time;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double mean_a = best_mean(&p, exp(a), mean), mean_b = best_mean(&p, exp(b), mean);
    double at_a = marginal(&p, exp(a), mean_a), at_b = marginal(&p, exp(b), mean_b);
    while (high - low > 0.01) {
        if (at_a > at_b) {
            high = b, b = a, at_b = at_a, mean_b = mean_a;
            a = high - golden * (high - low);
            mean_a = best_mean(&p, exp(a), mean_b);
            at_a = marginal(&p, exp(a), mean_a);
        } else {
            low = a, a = b, at_a = at_b, mean_a = mean_b;
            b = low + golden * (high - low);
            mean_b = best_mean(&p, exp(b), mean_a);
            at_b = marginal(&p, exp(b), mean_b);
        }
    }
    return at_a > at_b ? sharc_rate_prior(mean_a, exp(a)) : sharc_rate_prior(mean_b, exp(b));
}

/* --- posterior ----------------------------------------------------------------- */

/* e^-36 is the last bit of a double: what lies lower adds nothing. */
#define NEGLIGIBLE 36.0
#define POINTS_MAX 8192

struct grid {
    double from, step, top;
    unsigned n;
};

static struct rate_likelihood posterior(struct sharc_rate_gamma prior, const struct sharc_rate_history *h)
{
    struct rate_likelihood l = {.n = 0};
    if (h) l = sharc__rate_likelihood(h);
    l.events += prior.shape;
    l.quiet += prior.time;
    return l;
}

static double edge(const struct rate_likelihood *l, double peak, double top, double step)
{
    double at = peak + step;
    while (sharc__rate_log_likelihood(l, at, NULL, NULL) > top - NEGLIGIBLE) step *= 1.5, at += step;
    return at;
}

/* Points on which the trapezoid rule is exact to many digits: steps below the
 * width of the peak (Gaussian part), and below ⅓ (e^θ bends once per unit). */
static struct grid make_grid(const struct rate_likelihood *l, double finer)
{
    double peak = sharc__rate_peak(l), curve;
    double top = sharc__rate_log_likelihood(l, peak, NULL, &curve);
    double width = 1 / sqrt(-curve);
    double from = edge(l, peak, top, -width), to = edge(l, peak, top, width);
    double points = (to - from) / fmin(0.7 * width, 0.35) * finer + 2;
    struct grid g = {.from = from, .top = top, .n = (unsigned)fmin(points, POINTS_MAX)};
    g.step = (to - from) / g.n;
    return g;
}

struct moments {
    double mean, variance;
};

static struct moments integrate(const struct rate_likelihood *l, const struct grid *g)
{
    double mass = 0, first = 0, second = 0;
    for (unsigned i = 0; i <= g->n; i++) {
        double theta = g->from + i * g->step, rate = exp(theta);
        double density = exp(sharc__rate_log_likelihood(l, theta, NULL, NULL) - g->top);
        mass += density;
        first += density * rate;
        second += density * rate * rate;
    }
    double mean = first / mass;
    return (struct moments){.mean = mean, .variance = second / mass - mean * mean};
}

/* The θ below which a share p of the mass lies: density taken as straight
 * between points. */
static double quantile(const struct rate_likelihood *l, const struct grid *g, double p, double mass)
{
    double before = 0, left = 0;
    for (unsigned i = 0; i <= g->n; i++) {
        double right = exp(sharc__rate_log_likelihood(l, g->from + i * g->step, NULL, NULL) - g->top);
        double piece = i ? (left + right) / 2 * g->step : 0;
        if (before + piece >= p * mass && piece > 0) {
            double want = (p * mass - before) / g->step, rise = right - left;
            double root = sqrt(fmax(left * left + 2 * rise * want, 0));
            double part = left + root > 0 ? 2 * want / (left + root) : 0;
            return g->from + (i - 1 + fmin(part, 1)) * g->step;
        }
        before += piece;
        left = right;
    }
    return g->from + g->n * g->step;
}

static double total(const struct rate_likelihood *l, const struct grid *g)
{
    double mass = 0, left = 0;
    for (unsigned i = 0; i <= g->n; i++) {
        double right = exp(sharc__rate_log_likelihood(l, g->from + i * g->step, NULL, NULL) - g->top);
        if (i) mass += (left + right) / 2 * g->step;
        left = right;
    }
    return mass;
}

double sharc_rate_combined(struct sharc_rate_gamma prior, const struct sharc_rate_history *h)
{
    struct rate_likelihood l = posterior(prior, h);
    if (l.n == 0) return l.events / l.quiet;
    struct grid g = make_grid(&l, 1);
    return integrate(&l, &g).mean;
}

struct sharc_rate_estimate sharc_rate_combine(struct sharc_rate_gamma prior, const struct sharc_rate_history *h,
                                              double level)
{
    const double tail = (1 - level) / 2;
    struct rate_likelihood l = posterior(prior, h);
    if (l.n == 0) {
        return (struct sharc_rate_estimate){
            .rate = l.events / l.quiet,
            .low = sharc__rate_gamma_quantile(l.events, tail) / l.quiet,
            .high = sharc__rate_gamma_quantile(l.events, 1 - tail) / l.quiet,
        };
    }
    struct grid g = make_grid(&l, 8);
    double mass = total(&l, &g);
    return (struct sharc_rate_estimate){
        .rate = integrate(&l, &g).mean,
        .low = exp(quantile(&l, &g, tail, mass)),
        .high = exp(quantile(&l, &g, 1 - tail, mass)),
    };
}

struct sharc_rate_gamma sharc_rate_update(struct sharc_rate_gamma prior, const struct sharc_rate_history *h)
{
    struct rate_likelihood l = posterior(prior, h);
    if (l.n == 0) return (struct sharc_rate_gamma){.shape = l.events, .time = l.quiet};
    struct grid g = make_grid(&l, 1);
    struct moments m = integrate(&l, &g);
    double shape = m.mean * m.mean / m.variance;
    return (struct sharc_rate_gamma){.shape = shape, .time = shape / m.mean};
}

double sharc__rate_join(double given, double near, double heard)
{
    const double weight = 0.5 * heard / (heard + NEIGHBOURS);
    return exp((1 - weight) * log(given) + weight * log(near));
}
