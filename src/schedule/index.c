/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes of watched pages for the objectives, in closed form.
 *
 *   objective      D(s), or the reward of a download     index
 *   freshness      1 − e^(−λs)                           w/λ · g(λt)
 *   importance     reward 1 − e^(−λt)                    w · g(λt)
 *   coherence      1 − e^(−λs), to both sides            2w/λ · g(λt/2)
 *   blur           λs, to both sides                     wλt²/4
 *   evidence       reward t·e^(−λt)                      wλt²·e^(−λt), rising to λt = 1
 *
 * Evidence is no concave gain: a page is either worth a cycle of at most 1/λ, or nothing.
 */
#include "sharc/schedule_index.h"

#include <math.h>

double sharc_index_g(double x)
{
    if (!(x > 0)) return 0;
    if (x < 1e-3) return x * x * (0.5 - x * (1.0 / 3 - x / 8)); /* the difference would lose its digits */
    return -expm1(-x) - x * exp(-x);
}

double sharc_index_g_inverse(double y)
{
    if (!(y > 0)) return 0;
    if (y >= 1) return HUGE_VAL;
    /* ln(1 − g) = ln(1+x) − x falls without a bend that Newton's method could fall into. */
    double want = log1p(-y), x = y < 0.5 ? sqrt(2 * y) : 1 - want;
    if (y < 1e-6) return x + x * x / 3;
    for (int i = 0; i < 50; i++) {
        double step = (log1p(x) - x - want) * (1 + x) / x;
        double next = x + step > 0 ? x + step : x / 2;
        if (fabs(next - x) <= 1e-15 * x) return next;
        x = next;
    }
    return x;
}

double sharc_index_phi(double u)
{
    if (!(u > 0)) return 0;
    if (u >= 1) return 1;
    if (u < 1e-4) return u * u * (0.5 + u / 6);
    return u + (1 - u) * log1p(-u);
}

double sharc_index(enum sharc_objective o, double weight, double rate, double age)
{
    double x = rate * age;
    if (!(weight > 0 && rate > 0 && age > 0)) return 0;
    switch (o) {
    case SHARC_OBJECTIVE_FRESHNESS:
    case SHARC_OBJECTIVE_COMPLETENESS: return weight / rate * sharc_index_g(x);
    case SHARC_OBJECTIVE_IMPORTANCE: return weight * sharc_index_g(x);
    case SHARC_OBJECTIVE_COHERENCE: return 2 * weight / rate * sharc_index_g(x / 2);
    case SHARC_OBJECTIVE_BLUR: return weight * x * age / 4;
    case SHARC_OBJECTIVE_EVIDENCE: x = fmin(x, 1); return weight / rate * x * x * exp(-x);
    case SHARC_OBJECTIVE_COUNT: break;
    }
    return 0;
}

/* The x in 0 … 1 with x²e^(−x) = y <= 1/e. */
static double proof_inverse(double y)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (middle * middle * exp(-middle) < y)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double sharc_index_frequency(enum sharc_objective o, double weight, double rate, double price)
{
    if (!(weight > 0 && rate > 0)) return 0;
    if (!(price > 0)) return HUGE_VAL;
    double x = 0;
    switch (o) {
    case SHARC_OBJECTIVE_FRESHNESS:
    case SHARC_OBJECTIVE_COMPLETENESS: x = sharc_index_g_inverse(price * rate / weight); break;
    case SHARC_OBJECTIVE_IMPORTANCE: x = sharc_index_g_inverse(price / weight); break;
    case SHARC_OBJECTIVE_COHERENCE: x = 2 * sharc_index_g_inverse(price * rate / (2 * weight)); break;
    case SHARC_OBJECTIVE_BLUR: x = sqrt(4 * price * rate / weight); break;
    case SHARC_OBJECTIVE_EVIDENCE: {
        double y = price * rate / weight;
        x = y <= exp(-1) ? proof_inverse(y) : HUGE_VAL;
        break;
    }
    case SHARC_OBJECTIVE_COUNT: return 0;
    }
    return rate / x; /* 0 for an x without bound */
}

/* (1 − e^(−x))/x */
static double mean_alive(double x)
{
    return x > 1e-12 ? -expm1(-x) / x : 1;
}

double sharc_index_value(enum sharc_objective o, double weight, double rate, double frequency)
{
    if (!(weight > 0 && rate > 0)) return 0;
    if (!(frequency > 0)) return o == SHARC_OBJECTIVE_BLUR ? HUGE_VAL : 0;
    double x = rate / frequency;
    switch (o) {
    case SHARC_OBJECTIVE_FRESHNESS:
    case SHARC_OBJECTIVE_COMPLETENESS: return weight * mean_alive(x);
    case SHARC_OBJECTIVE_IMPORTANCE: return weight * rate * mean_alive(x);
    case SHARC_OBJECTIVE_COHERENCE: return weight * mean_alive(x / 2);
    case SHARC_OBJECTIVE_BLUR: return weight * x / 4;
    case SHARC_OBJECTIVE_EVIDENCE: return weight * exp(-x);
    case SHARC_OBJECTIVE_COUNT: break;
    }
    return 0;
}

/* --- rates that are learned ----------------------------------------------------------------------------- */

/* Mean over λ ~ Gamma(a, b) of (1/λ)·g(λt), q = b/(b+t). */
static double learned_freshness(double a, double b, double t)
{
    double q = b / (b + t), down = pow(q, a);
    if (fabs(a - 1) < 1e-6) return -b * log(q) - t * q;
    return b / (a - 1) * (1 - down / q) - t * down;
}

double sharc_index_learned(enum sharc_objective o, double weight, double shape, double span, double age)
{
    if (!(weight > 0 && shape > 0 && span > 0 && age > 0)) return 0;
    switch (o) {
    case SHARC_OBJECTIVE_FRESHNESS:
    case SHARC_OBJECTIVE_COMPLETENESS: return weight * learned_freshness(shape, span, age);
    case SHARC_OBJECTIVE_IMPORTANCE: {
        double q = span / (span + age);
        return weight * (1 - pow(q, shape) * (1 + shape * (1 - q)));
    }
    case SHARC_OBJECTIVE_COHERENCE: return 2 * weight * learned_freshness(shape, span, age / 2);
    case SHARC_OBJECTIVE_BLUR: return weight * shape / span * age * age / 4;
    case SHARC_OBJECTIVE_EVIDENCE: {
        /* t²·mean of λe^(−λt) = t²·(a/b)·q^(a+1), which is largest at t = 2b/(a−1) at the earliest, but, as with a
         * known rate, is not worth more than where the mean rate expects one change. */
        double t = fmin(age, span / shape), q = span / (span + t);
        return weight * t * t * shape / span * pow(q, shape + 1);
    }
    case SHARC_OBJECTIVE_COUNT: break;
    }
    return 0;
}

/* --- signals ---------------------------------------------------------------------------------------------- */

struct sharc_index_signal sharc_index_signal(double rate, double recall, double noise)
{
    if (noise > 0) recall = fmin(recall, 1 - 1e-9); /* doubt grows by waiting, so there must be some */
    struct sharc_index_signal s = {.unseen = (1 - recall) * rate, .told = recall * rate + noise, .noise = noise};
    s.waiting = noise > 0 ? log(s.told / noise) / s.unseen : s.told > 0 ? HUGE_VAL : 0;
    return s;
}

/* 1 − e^(−x)·(1 + x + … + x^i/i!): the chance of more than i events, from its larger end so that no digits are lost. */
static double more_than(unsigned i, double x)
{
    double term = exp(-x), sum = 0;
    for (unsigned j = 1; j <= i; j++) {
        sum += term;
        term *= x / j;
    }
    if (x > i + 1) return fmax(1 - sum - term, 0);
    sum = 0;
    for (unsigned j = i + 1; term > sum * 1e-17; j++) sum += term *= x / j;
    return sum;
}

double sharc_index_signalled(const struct sharc_index_signal *s, double weight, double effective_age)
{
    enum { TERMS = 1000 };
    const double a = s->unseen, t = effective_age;
    if (!(weight > 0 && t > 0)) return 0;
    if (!(s->told > 0)) return sharc_index(SHARC_OBJECTIVE_FRESHNESS, weight, a, t);
    if (isinf(t)) return weight / (a + s->told); /* it has changed for certain */
    double length = 0, good = 0, factor = 1 / (a + s->told);
    for (unsigned i = 0; i < TERMS; i++, factor *= s->noise / (a + s->told)) {
        double left = i ? t - i * s->waiting : t;
        if (!(left > 0) || factor <= 0) break;
        length += more_than(i, s->told * left) / s->told;
        good += factor * more_than(i, (a + s->told) * left);
    }
    return weight * (good - exp(-a * t) * length);
}
