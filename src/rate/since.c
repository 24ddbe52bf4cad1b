/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimator of Kaplan and Meier with time reversed, hazards in proportion to
 * the expected rates (Cox, Breslow), one for each folder, shrunk towards the
 * folder above. Pages are sorted by their place on the site, so that every folder
 * is a range; the ranges are walked from the root down with one array of hazards
 * for each level.
 */
#include "rate_int.h"
#include "sharc/rate_since.h"

#include <math.h>
#include <stdlib.h>

#define STRETCHES 256 /* that the time since the first look is cut into */
#define WORTH 10.0    /* pages that the folder above is worth */
#define DEPTH 7       /* folders on the way, as for neighbours */
#define SURE 0.98     /* no change is surer than that, in one stretch */
#define MOST 32.0
#define FLOOR 1e-3 /* of the mean rate: nothing is known to stay for ever */

struct one {
    struct sharc_span place;
    uint32_t page;
    int16_t first, end; /* stretches that it was exposed in: first … end-1 */
    int16_t seen;
    bool hit; /* it changed in the first of them */
    float rate;
};

struct since {
    struct one *one; /* by place */
    double *still;
};

static int by_place(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    int order = sharc_span_cmp(x->place, y->place);
    return order ? order : (x->page > y->page) - (x->page < y->page);
}

/* --- hazards --------------------------------------------------------------------- */

/* Changes for each unit of rate and stretch among one[from..to). */
static void hazards(const struct since *s, size_t from, size_t to, const double *above, double *ret)
{
    double hits[STRETCHES] = {0}, exposed[STRETCHES + 1] = {0}, sum = 0;
    for (size_t i = from; i < to; i++) {
        const struct one *o = &s->one[i];
        sum += (double)o->rate;
        hits[o->first] += o->hit;
        exposed[o->first] += (double)o->rate;
        exposed[o->end] -= (double)o->rate;
    }
    const double prior = (above ? WORTH : 1) * sum / (double)(to - from);
    double rate = 0;
    for (int k = 0; k < STRETCHES; k++) {
        rate += exposed[k];
        ret[k] = (hits[k] + (above ? prior * above[k] : 0)) / (fmax(rate, 0) + prior);
    }
}

/* ln of the chance that a page of rate 1 stays from the middle of each stretch on. */
static void staying(const double *hazard, double ret[STRETCHES])
{
    double sum = 0;
    for (int k = STRETCHES - 1; k >= 0; k--) {
        double here = log1p(-fmin(hazard[k], SURE));
        ret[k] = sum + here / 2;
        sum += here;
    }
}

/* --- folders ---------------------------------------------------------------------- */

/* Length of the place up to and with the next slash, 0 if there is none. */
static size_t deeper(struct sharc_span place, size_t prefix)
{
    size_t at = sharc_span_find(place, '/', prefix);
    return at == SHARC_NPOS ? 0 : at + 1;
}

static size_t end_of_folder(const struct since *s, size_t from, size_t to, size_t prefix)
{
    const struct sharc_span name = sharc_span_sub(s->one[from].place, 0, prefix);
    size_t end = from + 1;
    while (end < to && sharc_span_starts(s->one[end].place, name)) end++;
    return end;
}

/* All of one[from..to) begin with the same `prefix` bytes: one folder. */
static void judge(struct since *s, size_t from, size_t to, size_t prefix, unsigned depth, const double *above)
{
    double hazard[STRETCHES], stay[STRETCHES];
    hazards(s, from, to, above, hazard);
    staying(hazard, stay);
    for (size_t i = from; i < to;) {
        const size_t longer = depth < DEPTH ? deeper(s->one[i].place, prefix) : 0;
        const size_t end = longer ? end_of_folder(s, i, to, longer) : i + 1;
        if (longer && end - i > 1) {
            judge(s, i, end, longer, depth + 1, hazard);
        } else {
            /* Nobody else in its folder: its own look tells nothing of later. */
            s->still[s->one[i].page] = exp((double)s->one[i].rate * stay[s->one[i].seen]);
        }
        i = end;
    }
}

/* --- all ------------------------------------------------------------------------------- */

static int16_t stretch_of(double t, double first, double now)
{
    double k = floor((t - first) / (now - first) * STRETCHES);
    return (int16_t)fmin(fmax(k, 0), STRETCHES - 1);
}

static struct one one_of(const struct sharc_rate_look *l, double first, double now, double mean)
{
    const bool hit = l->changed >= fmax(l->from, first);
    struct one o = {
        .place = sharc__rate_place(l->url),
        .first = stretch_of(hit ? l->changed : l->from, first, now),
        .seen = stretch_of(l->seen, first, now),
        .hit = hit,
        .rate = (float)(l->rate / mean + FLOOR),
    };
    o.end = o.seen > o.first ? o.seen : (int16_t)(o.first + hit);
    return o;
}

/* The factor on all rates that makes the expected number of changed pages the
 * believed one; the former grows with the factor. */
static double factor_of(const struct sharc_rate_look *look, const double *still, size_t n, double now)
{
    double believed = 0, low = 1 / MOST, high = MOST;
    for (size_t i = 0; i < n; i++) believed += 1 - still[i];
    for (int round = 0; round < 24; round++) {
        double middle = sqrt(low * high), expected = 0;
        for (size_t i = 0; i < n; i++) expected -= expm1(-middle * look[i].rate * (now - look[i].seen));
        *(expected < believed ? &low : &high) = middle;
    }
    return sqrt(low * high);
}

double sharc_rate_since(const struct sharc_rate_look *look, size_t n, double now, double *ret_still)
{
    double first = now, mean = 0;
    bool told = false;
    for (size_t i = 0; i < n; i++) {
        SHARC_ASSERT(look[i].seen <= now && look[i].rate >= 0);
        first = fmin(first, look[i].seen);
        mean += look[i].rate / (double)n;
        told = told || look[i].from < look[i].seen;
        ret_still[i] = exp(-look[i].rate * (now - look[i].seen));
    }
    if (!(first < now) || !told || !(mean > 0)) return 1;
    SHARC_AUTO(sharc_freep) struct one *one = SHARC_NEW_ARRAY(struct one, n);
    for (size_t i = 0; i < n; i++) {
        one[i] = one_of(&look[i], first, now, mean);
        one[i].page = (uint32_t)i;
    }
    qsort(one, n, sizeof *one, by_place);
    struct since s = {one, ret_still};
    judge(&s, 0, n, 0, 0, NULL);
    return factor_of(look, ret_still, n, now);
}
