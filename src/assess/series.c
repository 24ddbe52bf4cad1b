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

/* Ascending, by the digits of base 2048 from the least: a million instants are sorted often. There is an even number
 * of digits, so that the result stands in v again. */
static void sort_times(sharc_time *v, sharc_time *scratch, size_t n)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    for (unsigned shift = 0; shift < 64; shift += BITS) {
        size_t at[DIGITS + 1] = {0};
        for (size_t i = 0; i < n; i++) at[1 + (((uint64_t)v[i] >> shift) & (DIGITS - 1))]++;
        for (size_t i = 0; i < DIGITS; i++) at[i + 1] += at[i];
        for (size_t i = 0; i < n; i++) scratch[at[((uint64_t)v[i] >> shift) & (DIGITS - 1)]++] = v[i];
        sharc_time *other = v;
        v = scratch;
        scratch = other;
    }
}

/* How many intervals share an instant at most; both arrays are sorted. Times are after 1970. */
static size_t most_together(const sharc_time *from, const sharc_time *to, size_t n)
{
    size_t ended = 0, best = 0;
    for (size_t i = 0; i < n; i++) {
        while (to[ended] < from[i]) ended++;
        if (i + 1 - ended > best) best = i + 1 - ended;
    }
    return best;
}

struct intervals {
    sharc_time *from, *to, *scratch;
};

/* For a query at t, the nearest version of each page, and the largest set of known intervals that share an instant. */
static double query(struct sharc_assess *a, sharc_store_id site, sharc_time t, const struct intervals *v)
{
    size_t n = 0, all = 0;
    for (size_t k = 0; k < a->url_count; k++) {
        const struct url *u = &a->urls[k];
        size_t at = sharc_quality_nearest_sighting(a->seen + u->first, u->count, t);
        if (at == SIZE_MAX || !is_of(a, u->first + at, site)) continue;
        const struct sharc_known *known = sharc__assess_known(a, u->first + at);
        all++;
        if (known->from > known->to || known->from < 0) continue; /* known at no certain instant: shares none */
        v->from[n] = known->from;
        v->to[n++] = known->to;
    }
    if (all == 0) return (double)NAN;
    sort_times(v->from, v->scratch, n);
    sort_times(v->to, v->scratch, n);
    return fmax((double)most_together(v->from, v->to, n), 1) / (double)all;
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
    SHARC_AUTO(sharc_freep) sharc_time *times = SHARC_NEW_ARRAY(sharc_time, 3 * a->url_count + 3);
    struct intervals v = {times, times + a->url_count + 1, times + 2 * a->url_count + 2};
    double sum = 0;
    for (int i = 0; i < QUERIES; i++) {
        double share = query(a, c->site, s.from + (s.to - s.from) / QUERIES * i + (s.to - s.from) / QUERIES / 2, &v);
        if (isnan(share)) continue;
        sum += share;
        s.queries++;
    }
    s.coherence = s.queries ? sum / (double)s.queries : (double)NAN;
    *ret = s;
    return true;
}
