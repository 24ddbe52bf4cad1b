/* SPDX-License-Identifier: Apache-2.0
 *
 * How good can a schedule be at best? Giving the N intervals prices p_k, every
 * assignment is worth at most
 *
 *     sum of p_k  +  sum over pages of u(x, w),    u(x, w) = max_k (w e^(-2xk) - p_k),
 *
 * whatever the prices (weak duality). Good prices come from a good plan: between
 * neighbouring intervals the price falls by what their two pages would lose.
 *
 * Taken literally that is N^2 exponentials. Two convexities make it cheap without
 * giving up the certificate:
 *  - prices are drawn straight between a few thousand knots. On each piece
 *    w e^(-2xk) - p_k is convex in k, so its maximum lies at a knot;
 *  - u is a maximum of functions convex in x and of functions linear in w, so it
 *    is convex in each, and interpolating it between points of a grid can only
 *    overstate it.
 * A bound that is overstated is still a bound.
 */
#include "optimal.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

#define RATE_STEPS 2400 /* points of the grid of rates */
#define LEVELS 24       /* and of the grid of weights, if there are many weights */
#define SAMPLE 4096     /* pages asked for their bids */

static double page_value(const struct ranking *r, uint32_t i, double k)
{
    return ranking_weight(r, i) * exp(-2 * r->rate[i] * k);
}

double sharc__schedule_value_of_plan(const struct ranking *r, const uint32_t *interval)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        sum += page_value(r, i, interval[i]);
    }
    return sum;
}

void sharc__schedule_prices_of_plan(const struct ranking *r, const uint32_t *interval, double *ret_price)
{
    uint32_t n = r->n;
    SHARC_AUTO(sharc_freep) uint32_t *rank = SHARC_NEW_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        rank[interval[i]] = i;
    }
    ret_price[n - 1] = 0;
    for (uint32_t k = n - 1; k > 0; k--) {
        /* What the page at k-1 would lose by moving to k, and the page at k has
         * lost already; the price falls by something between the two. */
        uint32_t a = rank[k - 1], b = rank[k];
        double lose = page_value(r, a, k - 1.0) * -expm1(-2 * r->rate[a]);
        double lost = page_value(r, b, k - 1.0) * -expm1(-2 * r->rate[b]);
        ret_price[k - 1] = ret_price[k] + (lose + lost) / 2;
    }
}

/* --- knots -------------------------------------------------------------------- */

struct knots {
    uint32_t count;
    uint32_t *at;
    double *price;
};

/* Where the price bends: at every turn of a twentieth, at smaller ones of half a
 * percent if the last knot lies far enough behind in proportion, and never more
 * than n/1024 apart. */
static void knots_init(struct knots *k, const double *price, uint32_t n)
{
    uint32_t far = n / 1024 + 1, room = 8192;
    k->at = SHARC_NEW_ARRAY(uint32_t, room);
    k->price = SHARC_NEW_ARRAY(double, room);
    k->count = 0;
    double slope = HUGE_VAL;
    uint32_t last = 0;
    for (uint32_t j = 0; j < n; j++) {
        double here = j + 1 < n ? price[j] - price[j + 1] : 0;
        double bend = fabs(here - slope);
        bool bends = bend > 0.05 * slope || (bend > 0.005 * slope && j - last >= j / 512);
        bool must = j == 0 || j + 1 == n || j - last >= far;
        if (!must && !(bends && k->count + (n - j) / far + 8 < room)) continue;
        k->at[k->count] = j;
        k->price[k->count++] = price[j];
        slope = here;
        last = j;
    }
}

static void knots_done(struct knots *k)
{
    free(k->at);
    free(k->price);
}

/* The price of interval k as it is drawn. */
static double knots_price(const struct knots *k, uint32_t interval)
{
    size_t knot = SHARC_COUNT_WHILE(i, k->count - 1, k->at[i] < interval);
    if (knot == 0 || k->at[knot] == interval) return k->price[knot];
    double share = (double)(interval - k->at[knot - 1]) / (k->at[knot] - k->at[knot - 1]);
    return k->price[knot - 1] + share * (k->price[knot] - k->price[knot - 1]);
}

/* Nobody should gain by leaving the place that the plan gives him: raise the
 * prices of places that look too cheap to a sample of the pages. One price that is
 * too low by a hair, at an interval that many pages would take, costs the bound as
 * many hairs. */
void sharc__schedule_raise_prices(const struct ranking *r, const uint32_t *interval, double *price)
{
    struct knots knots;
    knots_init(&knots, price, r->n);
    uint32_t stride = r->n / SAMPLE + 1;
    for (int sweep = 0; sweep < 2; sweep++) {
        for (uint32_t i = 0; i < r->n; i += i < SAMPLE / 8 ? 1 : stride) {
            double here = page_value(r, i, interval[i]) - knots_price(&knots, interval[i]);
            for (uint32_t k = 0; k < knots.count; k++) {
                if (ranking_weight(r, i) - here <= knots.price[k]) continue;
                double bid = page_value(r, i, knots.at[k]) - here;
                if (bid > knots.price[k]) knots.price[k] = bid;
            }
        }
    }
    for (uint32_t k = 0; k < r->n; k++) {
        price[k] = knots_price(&knots, k);
    }
    knots_done(&knots);
}

/* The sum of the prices as they are drawn: exact on every straight piece. */
static double knots_sum(const struct knots *k)
{
    double sum = k->price[0];
    for (uint32_t i = 1; i < k->count; i++) {
        double steps = k->at[i] - k->at[i - 1];
        /* Both ends of the piece but its first: the mean, moved by half a step. */
        sum += steps * (k->price[i - 1] + k->price[i]) / 2 + (k->price[i] - k->price[i - 1]) / 2;
    }
    return sum;
}

/* u(x, w): the best interval above its price, and the knot where that is. */
static double best_net(const struct knots *k, double rate, double weight, uint32_t *ret_knot)
{
    double best = -HUGE_VAL;
    for (uint32_t i = 0; i < k->count; i++) {
        /* Prices fall: once even an unchanged page would gain less, skip. */
        if (weight - k->price[i] <= best) continue;
        double net = weight * exp(-2 * rate * k->at[i]) - k->price[i];
        if (net > best) {
            best = net;
            *ret_knot = i;
        }
    }
    return best;
}

/* --- the grid of rates and weights ----------------------------------------------- */

struct grid {
    double low, step; /* rate[1] and the factor between points, in logarithms */
    double *rate;     /* rate[0] is 0 */
    uint32_t rates;
    double *weight;
    uint32_t weights;
    double *u;      /* weights x rates; NAN: not asked yet */
    uint32_t *knot; /* where it is */
    const struct knots *knots;
};

/* The distinct weights if they are few, else steps from the least to the most. */
static void grid_weights(struct grid *g, const struct ranking *r)
{
    g->weight = SHARC_NEW_ARRAY(double, LEVELS + 1);
    g->weights = 0;
    double least = HUGE_VAL, most = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        double w = ranking_weight(r, i);
        if (w > 0 && w < least) least = w;
        if (w > most) most = w;
        if (g->weights > LEVELS) continue;
        uint32_t k = 0;
        while (k < g->weights && fabs(g->weight[k] - w) > 0) {
            k++;
        }
        if (k == g->weights && g->weights++ < LEVELS) g->weight[k] = w;
    }
    if (g->weights <= LEVELS) {
        qsort(g->weight, g->weights, sizeof *g->weight, sharc_order_double);
        return;
    }
    g->weights = LEVELS + 1;
    g->weight[0] = 0;
    for (uint32_t k = 1; k <= LEVELS; k++) {
        g->weight[k] = least * pow(most / least, (k - 1.0) / (LEVELS - 1));
    }
    g->weight[LEVELS] = most;
}

static void grid_init(struct grid *g, const struct ranking *r, const struct knots *knots)
{
    *g = (struct grid){.rates = RATE_STEPS, .knots = knots};
    double low = 1e-9 / r->n, high = 50; /* below: as good as 0; above: as good as gone */
    g->low = log(low);
    g->step = (log(high) - g->low) / (RATE_STEPS - 2);
    g->rate = SHARC_NEW_ARRAY(double, RATE_STEPS);
    for (uint32_t i = 1; i < RATE_STEPS; i++) {
        g->rate[i] = exp(g->low + (i - 1) * g->step);
    }
    grid_weights(g, r);
    g->u = SHARC_NEW_ARRAY(double, (size_t)g->weights * g->rates);
    g->knot = SHARC_NEW_ARRAY(uint32_t, (size_t)g->weights * g->rates);
    for (size_t i = 0; i < (size_t)g->weights * g->rates; i++) {
        g->u[i] = (double)NAN;
    }
}

static void grid_done(struct grid *g)
{
    free(g->rate);
    free(g->weight);
    free(g->u);
    free(g->knot);
}

static double grid_u(struct grid *g, uint32_t weight, uint32_t rate)
{
    size_t at = (size_t)weight * g->rates + rate;
    if (isnan(g->u[at])) g->u[at] = best_net(g->knots, g->rate[rate], g->weight[weight], &g->knot[at]);
    return g->u[at];
}

/* Index i with value[i] <= x <= value[i+1]; x lies in the grid. */
static uint32_t rate_cell(const struct grid *g, double rate)
{
    double at = rate > 0 ? 1 + floor((log(rate) - g->low) / g->step) : 0;
    uint32_t i = (uint32_t)fmin(fmax(at, 0), g->rates - 2);
    while (i > 0 && g->rate[i] > rate) {
        i--;
    }
    while (i + 2 < g->rates && g->rate[i + 1] < rate) {
        i++;
    }
    return i;
}

static double along_rates(struct grid *g, uint32_t weight, double rate)
{
    /* Above the grid u is no larger than at its end: it falls with the rate. */
    if (rate >= g->rate[g->rates - 1]) return grid_u(g, weight, g->rates - 1);
    uint32_t i = rate_cell(g, rate);
    double share = (rate - g->rate[i]) / (g->rate[i + 1] - g->rate[i]);
    double low = grid_u(g, weight, i), high = grid_u(g, weight, i + 1);
    return low + share * (high - low);
}

static double grid_at(struct grid *g, double rate, double weight)
{
    uint32_t k = 0;
    while (k + 1 < g->weights && g->weight[k + 1] <= weight) {
        k++;
    }
    double low = along_rates(g, k, rate);
    if (k + 1 == g->weights || weight <= g->weight[k]) return low;
    double share = (weight - g->weight[k]) / (g->weight[k + 1] - g->weight[k]);
    return low + share * (along_rates(g, k + 1, rate) - low);
}

/* --- where pages would go ----------------------------------------------------------- */

/* What a page gains at a knot, less its price. */
static double net_at(const struct knots *k, uint32_t at, double rate, double weight)
{
    return weight * exp(-2 * rate * k->at[at]) - k->price[at];
}

/* From a knot uphill, as long as a neighbour gains more. */
static uint32_t climb(const struct knots *k, uint32_t best, double rate, double weight)
{
    double most = net_at(k, best, rate, weight);
    for (int step = 0; step < 64; step++) {
        uint32_t before = best, sides[2] = {before > 0 ? before - 1 : 0, before + 1};
        for (int side = 0; side < 2; side++) {
            double net = sides[side] < k->count ? net_at(k, sides[side], rate, weight) : -HUGE_VAL;
            if (net > most) {
                most = net;
                best = sides[side];
            }
        }
        if (best == before) break;
    }
    return best;
}

/* A page between the points of the grid goes about where they go: the best of the
 * four, then uphill from knot to knot. */
static uint32_t favourite(struct grid *g, double rate, double weight)
{
    const struct knots *k = g->knots;
    uint32_t cell = rate >= g->rate[g->rates - 1] ? g->rates - 2 : rate_cell(g, rate), level = 0, best = 0;
    while (level + 1 < g->weights && g->weight[level + 1] <= weight) {
        level++;
    }
    double most = -HUGE_VAL;
    for (uint32_t corner = 0; corner < 4; corner++) {
        uint32_t l = level + corner / 2 < g->weights ? level + corner / 2 : level;
        grid_u(g, l, cell + corner % 2);
        uint32_t at = g->knot[(size_t)l * g->rates + cell + corner % 2];
        double net = net_at(k, at, rate, weight);
        if (net > most) {
            most = net;
            best = at;
        }
    }
    return k->at[climb(k, best, rate, weight)];
}

double sharc__schedule_bound_of_prices(const struct ranking *r, const double *price, uint32_t *ret_wish)
{
    if (r->n == 0) return 0;
    struct knots knots;
    knots_init(&knots, price, r->n);
    struct grid grid;
    grid_init(&grid, r, &knots);
    double sum = knots_sum(&knots);
    for (uint32_t i = 0; i < r->n; i++) {
        double weight = ranking_weight(r, i);
        sum += grid_at(&grid, r->rate[i], weight);
        if (ret_wish) ret_wish[i] = favourite(&grid, r->rate[i], weight);
    }
    grid_done(&grid);
    knots_done(&knots);
    return sum;
}
