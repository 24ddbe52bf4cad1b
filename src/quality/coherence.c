/* SPDX-License-Identifier: Apache-2.0
 *
 * Coherence: which pages existed together. The expected form needs rates, the
 * actual form histories, and the three forms that a real crawl can prove need
 * only what the downloads showed.
 */
#include "quality_int.h"

#include "sharc/base_order.h"

#include <math.h>

double sharc_quality_unchanged(double rate, double length)
{
    return exp(-rate * length);
}

size_t sharc_quality_changes(const double *h, size_t n, double from, double to)
{
    if (to <= from) return 0;
    return sharc_count_until(h, n, to) - sharc_count_until(h, n, from);
}

double sharc_quality_expected_coherence(const struct sharc_capture *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        sum += (c->weight ? c->weight[i] : 1) * sharc_quality_unchanged(c->rate[i], c->revisit[i] - c->visit[i]);
    }
    return sum;
}

void sharc_quality_coherence_add(struct sharc_coherence *c, double weight, bool coherent)
{
    c->pages++;
    c->weight += weight;
    if (coherent) {
        c->coherent++;
        c->coherent_weight += weight;
    }
}

double sharc_quality_coherence_share(const struct sharc_coherence *c)
{
    return c->weight > 0 ? c->coherent_weight / c->weight : 1;
}

static sharc_time valid_from(const struct sharc_evidence *e)
{
    return e->modified == SHARC_TIME_NONE || e->modified > e->visit ? e->visit : e->modified;
}

struct sharc_coherence sharc_quality_observable(const struct sharc_evidence *e, size_t n, sharc_time *ret_at)
{
    struct sharc_coherence sum = {0};
    if (n == 0) return sum;
    SHARC_AUTO(sharc_freep) struct sharc_version *v = SHARC_NEW_ARRAY(struct sharc_version, n);
    /* Microseconds since 1970 are exact in a double for 285 years. */
    for (size_t i = 0; i < n; i++) {
        v[i] = (struct sharc_version){(double)valid_from(&e[i]), (double)e[i].visit, e[i].weight};
    }
    double best = 0;
    sharc__quality_stab(v, n, /* closed= */ true, &best);
    sharc_time at = (sharc_time)best;
    for (size_t i = 0; i < n; i++) {
        sharc_quality_coherence_add(&sum, e[i].weight, valid_from(&e[i]) <= at && at <= e[i].visit);
    }
    if (ret_at) *ret_at = at;
    return sum;
}

struct sharc_coherence sharc_quality_measurable(const struct sharc_evidence *e, size_t n, sharc_time start)
{
    struct sharc_coherence sum = {0};
    for (size_t i = 0; i < n; i++) {
        bool known = e[i].modified != SHARC_TIME_NONE;
        sharc_quality_coherence_add(&sum, e[i].weight, known && e[i].modified <= start);
    }
    return sum;
}

static bool proved(const struct sharc_evidence *e, sharc_time reference)
{
    if (e->revisit == SHARC_TIME_NONE) return reference == SHARC_TIME_NONE || e->visit == reference;
    if (sharc_change_counts(e->change)) return false;
    return reference == SHARC_TIME_NONE || (e->visit <= reference && reference <= e->revisit);
}

struct sharc_coherence sharc_quality_inducible(const struct sharc_evidence *e, size_t n, sharc_time reference)
{
    struct sharc_coherence sum = {0};
    for (size_t i = 0; i < n; i++) {
        sharc_quality_coherence_add(&sum, e[i].weight, proved(&e[i], reference));
    }
    return sum;
}

double sharc_quality_completeness(const double *importance, const bool *captured, size_t n)
{
    double all = 0, got = 0;
    for (size_t i = 0; i < n; i++) {
        all += importance[i];
        if (captured[i]) got += importance[i];
    }
    return all > 0 ? got / all : 1;
}

double sharc_quality_mean(const double *value, const double *weight, size_t n)
{
    double sum = 0, all = sharc_quality_weight(weight, n);
    if (all <= 0) return 1;
    for (size_t i = 0; i < n; i++) {
        sum += value[i] * (weight ? weight[i] : 1);
    }
    return sum / all;
}
