/* SPDX-License-Identifier: Apache-2.0
 *
 * The best pyramid in three parts: a plan by dynamic programming, the exact
 * assignment grown from it, and the bound that proves how good either is.
 * Interval number k of a ranking stands for 2k slots.
 */
#ifndef SHARC_SCHEDULE_OPTIMAL_H
#define SHARC_SCHEDULE_OPTIMAL_H

#include "schedule_int.h"

/* Interval numbers, per rank, of the best two-ended schedule. Page by page up to
 * that many pages, beyond that in groups. O(most_groups^2). */
void sharc__schedule_two_ended_plan(const struct ranking *r, uint32_t most_groups, uint32_t *ret_interval);

/* Interval numbers, per page, as of sharc_schedule_optimum, without proof and in a
 * hundredth of the time: for plans that are soon made again. */
void sharc__schedule_optimum_roughly(const double *rate, const double *weight, uint32_t n, uint32_t *ret_interval);

/* Prices of the intervals that fit a plan: page i, on its interval k, has no
 * reason to move to k-1 or k+1. price[n-1] is 0. */
void sharc__schedule_prices_of_plan(const struct ranking *r, const uint32_t *interval, double *ret_price);

/* Raise prices that are too low for the plan; they stay prices like any others. */
void sharc__schedule_raise_prices(const struct ranking *r, const uint32_t *interval, double *price);

/* Certified upper bound by weak duality: sum of the prices plus, for every page,
 * the most that any interval is worth to it above its price. ret_wish (may be
 * NULL) receives that interval, nearly, per rank. */
double sharc__schedule_bound_of_prices(const struct ranking *r, const double *price, uint32_t *ret_wish);

/* Improve the plan to the best assignment, in place. Returns its dual value,
 * which is the expected coherence of the plan up to rounding. O(n^2) and
 * more: for thousands of pages. */
double sharc__schedule_assign_exactly(const struct ranking *r, uint32_t *interval);

double sharc__schedule_value_of_plan(const struct ranking *r, const uint32_t *interval);

#endif
