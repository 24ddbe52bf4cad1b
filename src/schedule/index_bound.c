/* SPDX-License-Identifier: Apache-2.0
 *
 * The best that any schedule of downloads can expect: the concave relaxation. A budget for all pages
 * is shared by the price at which they together ask for as much.
 */
#include "sharc/schedule_index.h"

#include <math.h>

static double demand(enum sharc_objective o, size_t n, const double *weight, const double *rate, double price)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += sharc_index_frequency(o, weight[i], rate[i], price);
    return sum;
}

/* No page is worth more than that. */
static double dearest(enum sharc_objective o, size_t n, const double *weight, const double *rate)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(weight[i] > 0 && rate[i] > 0)) continue;
        double one = weight[i] / rate[i];
        if (o == SHARC_OBJECTIVE_IMPORTANCE) one = weight[i];
        if (o == SHARC_OBJECTIVE_COHERENCE) one *= 2;
        if (o == SHARC_OBJECTIVE_EVIDENCE) one *= exp(-1);
        most = fmax(most, one);
    }
    return most;
}

/* Blur needs no search: downloads in proportion to √(wλ). */
static double blur_price(size_t n, const double *weight, const double *rate, double budget)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (weight[i] > 0 && rate[i] > 0) sum += sqrt(weight[i] * rate[i]);
    return sum * sum / (4 * budget * budget);
}

static double search_price(enum sharc_objective o, size_t n, const double *weight, const double *rate, double budget)
{
    double top = dearest(o, n, weight, rate);
    if (!(top > 0)) return 0;
    double low = log(top) - 700, high = log(top);
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (demand(o, n, weight, rate, exp(middle)) > budget)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

double sharc_index_bound(enum sharc_objective o, size_t n, const double *weight, const double *rate, double budget,
                         double *ret_price, double *ret_frequency)
{
    double price = 0, sum = 0, used = 0;
    if (budget > 0)
        price =
            o == SHARC_OBJECTIVE_BLUR ? blur_price(n, weight, rate, budget) : search_price(o, n, weight, rate, budget);
    for (size_t i = 0; i < n; i++) {
        double f = budget > 0 ? sharc_index_frequency(o, weight[i], rate[i], price) : 0;
        if (isinf(f)) f = 0;
        if (ret_frequency) ret_frequency[i] = f;
        sum += sharc_index_value(o, weight[i], rate[i], f);
        used += f;
    }
    /* Evidence: pages at the edge are in or out as a whole, and what is left would buy a part of one. */
    if (o == SHARC_OBJECTIVE_EVIDENCE && used < budget) sum += (budget - used) * price;
    if (ret_price) *ret_price = price;
    return sum;
}
