/* SPDX-License-Identifier: Apache-2.0
 *
 * How often to download each page so that the archive is as fresh as possible
 * (Cho and Garcia-Molina): a page of rate x downloaded f times per hour is
 * fresh a share (1 - e^(-r))/r of the time, r = x/f. At the best frequencies one
 * more download is worth the same everywhere:
 *
 *     w (1 - (1 + r) e^(-r)) / x = mu.
 *
 * The left side never exceeds w/x: a page with x mu >= w is given up. That is the
 * strategy's known trait: what changes fastest is not fetched at all.
 */
#include "watch_int.h"

#include <math.h>

#define STEPS 2048
#define LARGEST 40.0 /* r beyond this: as good as never */

/* Inverse of g(r) = 1 - (1+r)e^(-r), tabulated over the root of g, which is
 * smooth at 0 because g(r) ~ r^2/2. */
struct inverse {
    double r[STEPS + 1];
};

static double g(double r)
{
    return -expm1(-r) - r * exp(-r);
}

static void inverse_init(struct inverse *v)
{
    double r = 0;
    for (int i = 0; i <= STEPS; i++) {
        double want = (double)i / STEPS * ((double)i / STEPS), low = r, high = LARGEST;
        for (int k = 0; k < 60; k++) {
            double middle = (low + high) / 2;
            if (g(middle) < want) {
                low = middle;
            } else {
                high = middle;
            }
        }
        v->r[i] = r = low;
    }
}

static double inverse_at(const struct inverse *v, double y)
{
    double at = sqrt(y) * STEPS;
    int i = (int)at;
    if (i >= STEPS) return v->r[STEPS];
    return v->r[i] + (at - i) * (v->r[i + 1] - v->r[i]);
}

static double weight(const struct sharc_watch *w, const struct watched *p)
{
    if (!p->on || !w->ops->by_site) return p->is.weight;
    const struct site *s = &w->sites[p->is.site];
    return s->weight > 0 ? s->is.weight * p->is.weight / s->weight : 0;
}

static double frequency(const struct sharc_watch *w, const struct inverse *v, const struct watched *p, double mu)
{
    const double heavy = weight(w, p);
    if (!p->on || p->rate <= 0 || heavy <= 0) return 0;
    double y = mu * p->rate / heavy;
    if (y >= 1) return 0;
    double r = inverse_at(v, y);
    return r > 0 ? p->rate / r : HUGE_VAL;
}

static double demand(const struct sharc_watch *w, const struct inverse *v, double mu)
{
    double sum = 0;
    for (size_t i = 0; i < w->room; i++) {
        sum += frequency(w, v, &w->pages[i], mu);
    }
    return sum;
}

void sharc__schedule_watch_set_frequencies(struct sharc_watch *w, double per_hour)
{
    struct inverse v;
    inverse_init(&v);
    /* In logarithms: mu may lie anywhere between the largest w/x and 0. */
    double low = -700, high = 0;
    for (size_t i = 0; i < w->room; i++) {
        const struct watched *p = &w->pages[i];
        if (p->on && p->rate > 0 && weight(w, p) > 0) high = fmax(high, log(weight(w, p) / p->rate));
    }
    for (int k = 0; k < 64; k++) {
        double middle = (low + high) / 2;
        if (demand(w, &v, exp(middle)) > per_hour) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (size_t i = 0; i < w->room; i++) {
        w->pages[i].frequency = frequency(w, &v, &w->pages[i], exp(high));
    }
}
