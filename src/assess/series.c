/* SPDX-License-Identifier: Apache-2.0
 *
 * All captures of a site: how much of what existed was archived, and how much of what a
 * reader is shown existed together.
 */
#include "assess_int.h"

#include <stdlib.h>

enum { QUERIES = 5 };

void sharc_assess_series_done(struct sharc_assess_series *s)
{
    free(s->site);
    *s = (struct sharc_assess_series){0};
}

static bool is_of(const struct sharc_assess *a, size_t i, sharc_store_id site)
{
    return a->captures[a->rows[i].capture].site == site;
}

/* Different contents of a URL; few, so each is held against those before. */
static uint64_t versions_of(const struct sharc_assess *a, const struct url *u, sharc_store_id site)
{
    uint64_t n = 0, last = 0;
    for (size_t i = u->first; i < (size_t)u->first + u->count; i++) {
        if (!is_of(a, i, site) || !a->seen[i].body || a->seen[i].body == last) continue;
        last = a->seen[i].body;
        bool known = false;
        for (size_t k = u->first; k < i && !known; k++) known = is_of(a, k, site) && a->seen[k].body == last;
        n += !known;
    }
    return n;
}

static size_t last_of(const struct sharc_assess *a, const struct url *u, sharc_store_id site)
{
    for (size_t i = (size_t)u->first + u->count; i-- > u->first;)
        if (is_of(a, i, site) && a->seen[i].body) return i;
    return SIZE_MAX;
}

static void measure_completeness(const struct sharc_assess *a, sharc_store_id site, struct sharc_assess_series *s)
{
    double sum = 0, span = sharc__assess_seconds(s->to - s->from);
    for (size_t u = 0; u < a->url_count; u++) {
        size_t last = last_of(a, &a->urls[u], site);
        if (last == SIZE_MAX) continue;
        uint64_t versions = versions_of(a, &a->urls[u], site);
        double rate = sharc__assess_rate(a, last, NULL);
        s->pages++;
        s->versions += versions;
        if (isnan(rate)) continue;
        double existed = 1 + rate * span;
        sum += existed > (double)versions ? (double)versions / existed : 1;
        s->rated++;
    }
    s->completeness = s->rated ? sum / (double)s->rated : (double)NAN;
}

/* For a query at t, the nearest version of each page, and the heaviest set of known intervals that share an instant. */
static double query(struct sharc_assess *a, sharc_store_id site, sharc_time t, struct sharc_version *v)
{
    size_t n = 0, all = 0;
    for (size_t k = 0; k < a->url_count; k++) {
        const struct url *u = &a->urls[k];
        size_t at = sharc_quality_nearest_sighting(a->seen + u->first, u->count, t);
        if (at == SIZE_MAX || !is_of(a, u->first + at, site)) continue;
        const struct sharc_known *known = sharc__assess_known(a, u->first + at);
        all++;
        if (known->from > known->to) continue; /* known at no certain instant: shares none */
        /* An interval that is open at its end: one microsecond more closes it. */
        v[n++] = (struct sharc_version){(double)known->from, (double)known->to + 1, 1};
    }
    if (all == 0) return (double)NAN;
    return fmax(n ? sharc_quality_query_coherence(v, n, NULL) * (double)n : 0, 1) / (double)all;
}

bool sharc_assess_series(struct sharc_assess *a, size_t number, struct sharc_assess_series *ret)
{
    const struct capture *c = &a->captures[a->asked[number]];
    struct sharc_assess_series s = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE, .coherence = (double)NAN};
    for (size_t i = 0; i < a->capture_count; i++) s.captures += a->captures[i].site == c->site;
    if (s.captures < 2) return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!is_of(a, i, c->site)) continue;
        if (s.from == SHARC_TIME_NONE || a->seen[i].begun < s.from) s.from = a->seen[i].begun;
        if (s.to == SHARC_TIME_NONE || a->seen[i].ended > s.to) s.to = a->seen[i].ended;
    }
    if (s.from == SHARC_TIME_NONE) return false;
    s.site = sharc_strdup(c->site_name);
    measure_completeness(a, c->site, &s);
    SHARC_AUTO(sharc_freep) struct sharc_version *v = SHARC_NEW_ARRAY(struct sharc_version, a->url_count + 1);
    double sum = 0;
    for (int i = 0; i < QUERIES; i++) {
        double share = query(a, c->site, s.from + (s.to - s.from) / QUERIES * i + (s.to - s.from) / QUERIES / 2, v);
        if (isnan(share)) continue;
        sum += share;
        s.queries++;
    }
    s.coherence = s.queries ? sum / (double)s.queries : (double)NAN;
    *ret = s;
    return true;
}
