/* SPDX-License-Identifier: Apache-2.0
 *
 * What planning costs: CPU seconds of one thread and bytes per page for ten
 * thousand, a hundred thousand and a million pages, from the first discover() to
 * the last next(). Zipf rates 1/(i+1)^1.2 in random order over a random tree;
 * offline strategies know all pages, online ones only the root. The simulator's
 * own work is measured with it, not here.
 *
 * Then the optimum: exact assignment, and how far the grouped plan can be from
 * its certified bound.
 *
 * Then watching: what choosing the next batch of 64 among 100,000 watched pages costs, a batch every minute.
 */
#include "sharc/base_clock.h"
#include "sharc/base_rng.h"
#include "sharc/schedule.h"
#include "sharc/schedule_watch.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct site {
    uint32_t n;
    double *rate;
    uint32_t *first, *child; /* children of page p: child[first[p] … first[p+1]) */
};

static struct site make_site(uint32_t n, double skew, uint64_t seed)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed);
    struct site s = {n, SHARC_NEW_ARRAY(double, n), SHARC_NEW_ARRAY(uint32_t, n + 2), SHARC_NEW_ARRAY(uint32_t, n)};
    uint32_t *parent = SHARC_NEW_ARRAY(uint32_t, n), *rank = SHARC_NEW_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) rank[i] = i;
    sharc_rng_shuffle_u32(&rng, rank, n);
    for (uint32_t i = 0; i < n; i++) {
        s.rate[i] = pow(rank[i] + 1, -skew);
        parent[i] = i > 0 ? (uint32_t)sharc_rng_below(&rng, i / 2 + 1) : 0;
        if (i > 0) s.first[parent[i] + 2]++;
    }
    for (uint32_t i = 2; i < n + 2; i++) s.first[i] += s.first[i - 1];
    for (uint32_t i = 1; i < n; i++) s.child[s.first[parent[i] + 1]++] = i;
    free(parent);
    free(rank);
    return s;
}

static void free_site(struct site *s)
{
    free(s->rate);
    free(s->first);
    free(s->child);
}

/* Bytes the allocator has given out. */
static double held(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

static void run(const struct site *s, const struct sharc_strategy_ops *ops)
{
    double before = held(), most = 0, began = sharc_clock_cpu();
    struct sharc_strategy *g = NULL;
    if (sharc_strategy_new(ops, NULL, &g, NULL) < 0) abort();
    for (uint32_t i = 0; i < s->n && (ops->offline || i == 0); i++) sharc_strategy_discover(g, i, s->rate[i], 1);
    struct sharc_slot slot;
    for (uint32_t k = 0; sharc_strategy_next(g, &slot); k++) {
        if (slot.kind == SHARC_VISIT && !ops->offline) {
            for (uint32_t c = s->first[slot.page]; c < s->first[slot.page + 1]; c++) {
                sharc_strategy_discover(g, s->child[c], s->rate[s->child[c]], 1);
            }
        }
        if (k % (s->n / 8 + 1) == 0) most = fmax(most, held());
    }
    double seconds = sharc_clock_cpu() - began;
    most = fmax(most, held());
    struct sharc_strategy_report r;
    sharc_strategy_report(g, &r);
    printf("%-26s %8u pages %8.3f s %6.0f bytes/page", ops->name, s->n, seconds, (most - before) / s->n);
    if (ops->revisits) printf(" %10.1f incoherent", s->n - r.expected_coherence);
    if (r.second_looks > 0) printf(", %u second looks", r.second_looks);
    printf("\n");
    sharc_strategy_free(g);
}

static void optimum(uint32_t n, double skew, uint32_t exact_up_to)
{
    double *rate = SHARC_NEW_ARRAY(double, n);
    for (uint32_t i = 0; i < n; i++) rate[i] = pow(i + 1, -skew);
    double began = sharc_clock_cpu();
    struct sharc_optimum o = sharc_schedule_optimum(rate, NULL, n, exact_up_to, NULL);
    printf("optimum %-8s skew %.1f %8u pages %8.3f s  coherent %12.3f  bound %12.3f  gap %.5f %%\n",
           o.exact ? "exact" : "grouped", skew, n, sharc_clock_cpu() - began, o.expected_coherence, o.bound,
           100 * (o.bound / o.expected_coherence - 1));
    free(rate);
}

/* A thousand sites; rates by Zipf's law, from twice an hour down. What a download shows is drawn by the rate. */
static void watching(const char *name, uint32_t n, unsigned batches)
{
    struct sharc_watch *w = NULL;
    struct sharc_watch_due due[64];
    struct sharc_rng rng;
    double *rate = SHARC_NEW_ARRAY(double, n), choosing = 0, most = 0;
    sharc_time *last = SHARC_NEW_ARRAY(sharc_time, n);
    sharc_rng_init(&rng, 1);
    if (sharc_watch_new(sharc_watch_find(name), NULL, &w, NULL) < 0) abort();
    for (uint32_t i = 0; i < n; i++) {
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        page.site = i % 1000;
        page.rate = rate[i] = 2 * pow((double)sharc_rng_below(&rng, n) + 1, -0.4);
        sharc_watch_add(w, i, &page, 0);
    }
    for (unsigned b = 0; b < batches; b++) {
        sharc_time now = SHARC_DAY + b * SHARC_MINUTE;
        double began = sharc_clock_cpu();
        size_t got = sharc_watch_due(w, now, SHARC_LENGTH(due), due);
        double took = sharc_clock_cpu() - began;
        choosing += took;
        most = fmax(most, b ? took : 0);
        for (size_t i = 0; i < got; i++) {
            sharc_page_no p = due[i].page;
            double hours = (double)(now - last[p]) / (double)SHARC_HOUR;
            bool changed = sharc_rng_uniform(&rng) < -expm1(-rate[p] * hours);
            struct sharc_observation o = {.page = p,
                                          .when = now,
                                          .change = changed ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED,
                                          .importance = 1,
                                          .rate = -1};
            last[p] = now;
            sharc_watch_observed(w, &o);
        }
    }
    printf("watching %-16s %8u pages, %u batches of 64: %7.2f ms each, at most %.2f ms after the first\n", name, n,
           batches, 1e3 * choosing / batches, 1e3 * most);
    sharc_watch_free(w);
    free(rate);
    free(last);
}

int main(void)
{
    watching("value", 100000, 60);
    watching("index-freshness", 100000, 60);
    const uint32_t sizes[] = {10000, 100000, 1000000};
    for (size_t k = 0; k < SHARC_LENGTH(sizes); k++) {
        struct site s = make_site(sizes[k], 1.2, 1);
        for (size_t i = 0; i < sharc_strategy_count(); i++) run(&s, sharc_strategy_at(i));
        free_site(&s);
    }
    const double skews[] = {0.8, 1.0, 1.2, 1.6};
    for (size_t k = 0; k < SHARC_LENGTH(skews); k++) {
        optimum(1000, skews[k], 5000);
        optimum(5000, skews[k], 5000);
        optimum(100000, skews[k], 5000);
        optimum(1000000, skews[k], 5000);
    }
    return 0;
}
