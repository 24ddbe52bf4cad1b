/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact assignment of pages to intervals, by shortest augmenting paths.
 *
 * Warm start: the two-ended plan is nearly always the best one or close to it,
 * and its prices nearly the dual solution. Pages that are content with their
 * interval at these prices keep it; only the others are assigned anew, each by a
 * shortest path over reduced costs u_i + p_k - w_i e^(-2 x_i k) >= 0.
 *
 * INVARIANTS between two paths
 *  (1) every reduced cost is >= -SLACK;
 *  (2) that of an assigned pair is <= SLACK.
 * They make the plan the best of its size up to n times SLACK.
 */
#include "optimal.h"

#include <math.h>
#include <stdlib.h>

#define SLACK 1e-12
#define NOBODY UINT32_MAX
#define BLOCK 64
#define REACHED (-1.0) /* no distance is */

struct assignment {
    const struct ranking *r;
    uint32_t n;
    double *u, *p;      /* of pages, of intervals */
    uint32_t *interval; /* of a page, or NOBODY */
    uint32_t *page;     /* of an interval, or NOBODY */
    double *row;        /* values of one page on all intervals */
    /* Of the path being sought: */
    double *far;      /* shortest distance to an interval so far, or REACHED */
    uint32_t *from;   /* the page before it on that path */
    uint32_t *order;  /* intervals reached */
    double *distance; /* and how far they were */
};

/* w e^(-2xk) for all k: one exponential per block, products within. */
static void fill_row(const struct ranking *r, uint32_t i, double *row)
{
    double power[BLOCK], q = exp(-2 * r->rate[i]);
    power[0] = 1;
    for (int t = 1; t < BLOCK; t++) {
        power[t] = power[t - 1] * q;
    }
    for (uint32_t k = 0; k < r->n; k += BLOCK) {
        double base = ranking_weight(r, i) * exp(-2 * r->rate[i] * k);
        uint32_t end = r->n - k < BLOCK ? r->n - k : BLOCK;
        for (uint32_t t = 0; t < end; t++) {
            row[k + t] = base * power[t];
        }
    }
}

/* Returns how many they are. */
static uint32_t keep_the_content(struct assignment *a, const uint32_t *plan)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < a->n; k++) {
        a->page[k] = NOBODY;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        fill_row(a->r, i, a->row);
        double best = -HUGE_VAL;
        for (uint32_t k = 0; k < a->n; k++) {
            double net = a->row[k] - a->p[k];
            if (net > best) best = net;
        }
        a->u[i] = best;
        uint32_t k = plan[i];
        bool content = best - (a->row[k] - a->p[k]) <= SLACK;
        a->interval[i] = content ? k : NOBODY;
        if (content) a->page[k] = i;
        count += content;
    }
    return count;
}

/* Distances from page i, itself at distance `base`; returns the nearest interval
 * that is not reached for good. */
static uint32_t relax(struct assignment *a, uint32_t i, double base)
{
    fill_row(a->r, i, a->row);
    double here = base + a->u[i], best = HUGE_VAL;
    uint32_t nearest = 0;
    for (uint32_t k = 0; k < a->n; k++) {
        double d = here + a->p[k] - a->row[k];
        if (d < a->far[k]) {
            a->far[k] = d;
            a->from[k] = i;
        }
        if (a->far[k] < best && a->far[k] > REACHED) {
            best = a->far[k];
            nearest = k;
        }
    }
    return nearest;
}

/* Assign page `start` along the shortest path to an interval that is free. */
static void augment(struct assignment *a, uint32_t start)
{
    for (uint32_t k = 0; k < a->n; k++) {
        a->far[k] = HUGE_VAL;
    }
    uint32_t reached = 0, i = start, k;
    double base = 0;
    for (;;) {
        k = relax(a, i, base);
        base = fmax(base, a->far[k]);
        if (a->page[k] == NOBODY) break;
        a->order[reached] = k;
        a->distance[reached++] = a->far[k];
        a->far[k] = REACHED; /* smaller than any distance: never improved */
        i = a->page[k];
    }
    /* Dual variables of what the search reached, then the path itself. */
    a->u[start] -= base;
    for (uint32_t t = 0; t < reached; t++) {
        double move = base - a->distance[t];
        a->p[a->order[t]] += move;
        a->u[a->page[a->order[t]]] -= move;
    }
    for (;;) {
        uint32_t page = a->from[k], next = a->interval[page];
        a->page[k] = page;
        a->interval[page] = k;
        if (page == start) break;
        k = next;
    }
}

/* If the plan is the best one, prices exist at which everybody is content: the
 * smallest solution of p_l >= p_k + f_i(l) - f_i(k), k the interval of page i,
 * above the prices at hand. That is a longest path, and a sweep along the intervals
 * in either direction finds most of it. Not more than that: where the plan is not
 * the best, even by a millionth, prices could be raised for ever. */
static void raise_prices(struct assignment *a, const uint32_t *plan)
{
    for (uint32_t i = 0; i < a->n; i++) {
        a->page[plan[i]] = i;
    }
    for (uint32_t t = 0; t < 2 * a->n; t++) {
        uint32_t k = t < a->n ? t : 2 * a->n - 1 - t;
        fill_row(a->r, a->page[k], a->row);
        double pays = a->p[k] - a->row[k];
        for (uint32_t l = 0; l < a->n; l++) {
            a->p[l] = fmax(a->p[l], pays + a->row[l]);
        }
    }
}

/* Raised prices content most pages of a good plan, and few of a bad one. */
static void begin(struct assignment *a, const uint32_t *plan)
{
    sharc__schedule_prices_of_plan(a->r, plan, a->p);
    uint32_t plain = keep_the_content(a, plan);
    raise_prices(a, plan);
    if (keep_the_content(a, plan) >= plain) return;
    sharc__schedule_prices_of_plan(a->r, plan, a->p);
    keep_the_content(a, plan);
}

double sharc__schedule_assign_exactly(const struct ranking *r, uint32_t *interval)
{
    uint32_t n = r->n;
    struct assignment a = {
        .r = r,
        .n = n,
        .u = SHARC_NEW_ARRAY(double, n),
        .p = SHARC_NEW_ARRAY(double, n),
        .interval = SHARC_NEW_ARRAY(uint32_t, n),
        .page = SHARC_NEW_ARRAY(uint32_t, n),
        .row = SHARC_NEW_ARRAY(double, n),
        .far = SHARC_NEW_ARRAY(double, n),
        .from = SHARC_NEW_ARRAY(uint32_t, n),
        .order = SHARC_NEW_ARRAY(uint32_t, n),
        .distance = SHARC_NEW_ARRAY(double, n),
    };
    begin(&a, interval);
    for (uint32_t i = 0; i < n; i++) {
        if (a.interval[i] == NOBODY) augment(&a, i);
    }
    double dual = 0;
    for (uint32_t i = 0; i < n; i++) {
        dual += a.u[i] + a.p[i];
        interval[i] = a.interval[i];
    }
    free(a.u);
    free(a.p);
    free(a.interval);
    free(a.page);
    free(a.row);
    free(a.far);
    free(a.from);
    free(a.order);
    free(a.distance);
    return dual;
}
