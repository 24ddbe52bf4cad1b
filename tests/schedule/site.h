/* SPDX-License-Identifier: Apache-2.0
 *
 * A small site to run strategies against: a tree of pages with rates and
 * weights, and the trace of what a strategy did with it.
 */
#ifndef SHARC_TEST_SITE_H
#define SHARC_TEST_SITE_H

#include "sharc/base_rng.h"
#include "sharc/schedule.h"

struct site {
    uint32_t n;
    uint32_t *parent; /* page 0 is the root; parent[i] < i */
    double *rate, *weight;
    bool *known; /* told before the crawl; the root always is */
};

/* Zipf rates 1/(i+1)^skew in random order, a random tree, all weights 1. */
struct site site_random(uint32_t n, double skew, double known, uint64_t seed);
void site_done(struct site *s);

struct trace {
    uint32_t slots;
    struct sharc_slot *slot; /* room for 4n */
    double *visit, *revisit; /* by page: slot of the judged visit (or second look) and revisit; -1: none */
    struct sharc_strategy_report report;
};

/* Run it to the end. Aborts the test when a slot too many is handed out. */
struct trace site_run(const struct site *s, const char *strategy, const struct sharc_strategy_params *params);
void trace_done(struct trace *t);
/* Sum of w exp(-rate (revisit - visit)). */
double trace_coherence(const struct site *s, const struct trace *t);

#endif
