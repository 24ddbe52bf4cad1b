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

struct assignment {
    const struct ranking *r;
    uint32_t n;
    double *u, *p;      /* of pages, of intervals */
    uint32_t *interval; /* of a page, or NOBODY */
    uint32_t *page;     /* of an interval, or NOBODY */
    double *row;        /* values of one page on all intervals */
    /* Of the path being sought: */
    double *far;     /* shortest distance to an interval */
    uint32_t *from;  /* the page before it on that path */
    uint32_t *ready; /* intervals in order of their final distance, then the others */
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

static void keep_the_content(struct assignment *a, const uint32_t *plan)
{
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
    }
}

/* Distances from page i, itself at distance `base`, to intervals ready[done..n). */
static void relax(struct assignment *a, uint32_t i, double base, uint32_t done)
{
    fill_row(a->r, i, a->row);
    for (uint32_t t = done; t < a->n; t++) {
        uint32_t k = a->ready[t];
        double d = base + (a->u[i] + a->p[k] - a->row[k]);
        if (d < a->far[k]) {
            a->far[k] = d;
            a->from[k] = i;
        }
    }
}

/* Bring the nearest of ready[done..n) to the front. */
static uint32_t nearest(struct assignment *a, uint32_t done)
{
    uint32_t best = done;
    for (uint32_t t = done + 1; t < a->n; t++) {
        if (a->far[a->ready[t]] < a->far[a->ready[best]]) best = t;
    }
    uint32_t k = a->ready[best];
    a->ready[best] = a->ready[done];
    a->ready[done] = k;
    return k;
}

/* Assign page i along the shortest path to an interval that is free. */
static void augment(struct assignment *a, uint32_t start)
{
    for (uint32_t k = 0; k < a->n; k++) {
        a->far[k] = HUGE_VAL;
        a->ready[k] = k;
    }
    uint32_t done = 0, i = start, k;
    double base = 0;
    for (;;) {
        relax(a, i, base, done);
        k = nearest(a, done++);
        base = fmax(base, a->far[k]);
        if (a->page[k] == NOBODY) break;
        i = a->page[k];
    }
    /* Dual variables of what the search reached, then the path itself. */
    a->u[start] -= base;
    for (uint32_t t = 0; t + 1 < done; t++) {
        uint32_t reached = a->ready[t];
        double move = base - a->far[reached];
        a->p[reached] += move;
        a->u[a->page[reached]] -= move;
    }
    for (;;) {
        uint32_t page = a->from[k], next = a->interval[page];
        a->page[k] = page;
        a->interval[page] = k;
        if (page == start) break;
        k = next;
    }
}

double sharc__assign_exactly(const struct ranking *r, uint32_t *interval)
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
        .ready = SHARC_NEW_ARRAY(uint32_t, n),
    };
    sharc__prices_of_plan(r, interval, a.p);
    keep_the_content(&a, interval);
    double dual = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (a.interval[i] == NOBODY) augment(&a, i);
    }
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
    free(a.ready);
    return dual;
}
