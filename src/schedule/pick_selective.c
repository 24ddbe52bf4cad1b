/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc-selective, online: as many pages are given up as is worth most in
 * expected coherence.
 */
#include "selecting.h"

#include <math.h>
#include <stdlib.h>

/* Sum of e^(-2 x k) over `count` intervals from k on; count may be broken. */
static double run_value(double rate, double k, double count)
{
    double x = 2 * rate;
    if (x < 1e-12) return count;
    return exp(-x * k) * expm1(-x * count) / expm1(-x);
}

/* Expected coherence when the h hottest are given up. */
static double value(const struct outline *o, double h)
{
    double sum = 0, rank = 0, all = o->m * o->scale;
    for (size_t i = 0; i < o->parts; i++) {
        double count = o->part[i].count, rate = o->part[i].rate;
        double lost = fmin(fmax(h - rank, 0), count), kept = count - lost, part = 0;
        if (lost > 0) part += run_value(rate, all - (rank + lost) * o->scale, lost * o->scale);
        if (kept > 0) part += run_value(rate, (rank + lost - h) * o->scale, kept * o->scale);
        sum += o->part[i].weight * part;
        rank += count;
    }
    return sum;
}

struct best {
    double h, value;
};

static void attempt(const struct outline *o, double h, struct best *b)
{
    h = fmin(fmax(h, 0), o->m - 1);
    double v = value(o, h);
    /* Giving up must be worth it, or rounding decides among equals. */
    if (v > b->value * (1 + 1e-12)) *b = (struct best){h, v};
}

/* A coarse look at all, then closer and closer around the best. */
static double best_number(const struct outline *o)
{
    struct best b = {0, value(o, 0)};
    double rank = 0;
    size_t stride = o->parts / 16 + 1;
    for (size_t i = 0; i < o->parts; i++) {
        rank += o->part[i].count;
        if (i % stride == 0) attempt(o, rank, &b);
    }
    for (double step = o->m / 8; step >= fmax(0.5, o->m / 4096); step /= 2) {
        double here = b.h;
        attempt(o, here - step, &b);
        attempt(o, here + step, &b);
    }
    return floor(b.h + 0.5);
}

static void give_up_hottest(struct outline *o, const struct sharc_strategy_params *params)
{
    (void)params;
    double left = best_number(o);
    for (size_t i = 0; i < o->parts && left > 0; i++) {
        o->part[i].lost = fmin(left, o->part[i].count);
        left -= o->part[i].lost;
    }
}

/* --- the picker --------------------------------------------------------------- */

static void *create(struct sharc_strategy *s)
{
    (void)s;
    struct selecting *c = SHARC_NEW(struct selecting);
    sharc__schedule_selecting_init(c);
    c->exact_if_few = true;
    c->divide = give_up_hottest;
    return c;
}

static void done(void *state)
{
    sharc__schedule_selecting_done(state);
    free(state);
}

static size_t bytes(const void *state)
{
    return sharc__schedule_selecting_bytes(state);
}

static void add(struct sharc_strategy *s, sharc_page_no page)
{
    sharc__schedule_selecting_add(s, s->pick, page);
}

static void moved(struct sharc_strategy *s, sharc_page_no page, double old_rate, double old_weight)
{
    sharc__schedule_selecting_moved(s, s->pick, page, old_rate, old_weight);
}

static sharc_page_no take(struct sharc_strategy *s, bool *ret_hopeless)
{
    return sharc__schedule_selecting_take(s, s->pick, ret_hopeless);
}

const struct picker sharc__schedule_pick_selective = {
    .create = create, .free = done, .add = add, .moved = moved, .take = take, .bytes = bytes};
