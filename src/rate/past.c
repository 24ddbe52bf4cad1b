/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks of many pages, and the rates they and their neighbours speak for.
 */
#include "sharc/rate_past.h"

#include "rate_int.h"
#include "sharc/rate_near.h"

#include <math.h>
#include <stdlib.h>

enum { CHANGED = 1, GONE = 2 };
enum { FAST_LEAST = 10 }; /* changes seen, to tell how fast a site lives */
enum { FIT_LEAST = 20 };  /* pages looked at more than once, to tell how much they differ */
#define FIT_DEFAULT 0.25  /* worth when it cannot be told, and at least: all looks changed says nothing of how often */

struct page {
    struct sharc_span url;
    size_t first_look;
    uint32_t looks, changed; /* downloads; of these other than before */
    double first_age, age;   /* stated at the first look; at the last (NAN: not) */
};

struct capture {
    int64_t site;
    double end;
};

struct sharc_rate_past {
    struct page *page;
    size_t pages, page_room;
    double *when; /* looks of all pages, one page after the other */
    uint8_t *what;
    size_t looks, when_room, what_room;
    struct capture *capture;
    size_t captures, capture_room;
};

struct sharc_rate_past *sharc_rate_past_new(void)
{
    return SHARC_NEW(struct sharc_rate_past);
}

void sharc_rate_past_free(struct sharc_rate_past *p)
{
    if (!p) return;
    free(p->page);
    free(p->when);
    free(p->what);
    free(p->capture);
    free(p);
}

void sharc_rate_past_freep(struct sharc_rate_past **p)
{
    sharc_rate_past_free(*p);
    *p = NULL;
}

uint32_t sharc_rate_past_page(struct sharc_rate_past *p, struct sharc_span url)
{
    SHARC_GROW(p->page, p->page_room, p->pages + 1);
    p->page[p->pages] = (struct page){.url = url, .first_look = p->looks, .first_age = (double)NAN, .age = (double)NAN};
    return (uint32_t)p->pages++;
}

void sharc_rate_past_look(struct sharc_rate_past *p, const struct sharc_rate_past_look *look)
{
    SHARC_ASSERT(p->pages > 0);
    struct page *page = &p->page[p->pages - 1];
    const double before = page->looks ? p->when[p->looks - 1] : look->when;
    const double when = fmax(look->when, before);
    const bool changed = page->looks > 0 && look->changed;
    SHARC_GROW(p->when, p->when_room, p->looks + 1);
    SHARC_GROW(p->what, p->what_room, p->looks + 1);
    p->when[p->looks] = when;
    p->what[p->looks++] = (uint8_t)((changed ? CHANGED : 0) | (look->gone ? GONE : 0));
    if (page->looks == 0) page->first_age = look->age;
    if (!isnan(look->age))
        page->age = fmax(look->age, 0);
    else if (changed)
        page->age = (when - before) / 2;
    else if (!isnan(page->age))
        page->age += when - before;
    page->looks++;
    page->changed += changed;
}

void sharc_rate_past_capture(struct sharc_rate_past *p, int64_t site, double end)
{
    SHARC_GROW(p->capture, p->capture_room, p->captures + 1);
    p->capture[p->captures++] = (struct capture){site, end};
}

void sharc_rate_past_about(const struct sharc_rate_past *p, uint32_t page, struct sharc_rate_past_page *ret)
{
    const struct page *g = &p->page[page];
    *ret = (struct sharc_rate_past_page){.first = (double)NAN, .last = (double)NAN, .age = (double)NAN};
    if (g->looks == 0) return;
    const size_t last = g->first_look + g->looks - 1;
    *ret = (struct sharc_rate_past_page){.first = p->when[g->first_look],
                                         .last = p->when[last],
                                         .looks = g->looks - 1,
                                         .changed = g->changed,
                                         .gone = (p->what[last] & GONE) != 0,
                                         .age = g->age};
}

void sharc_rate_past_looks(const struct sharc_rate_past *p, uint32_t page, struct sharc_rate_history *ret)
{
    const struct page *g = &p->page[page];
    for (size_t i = 1; i < g->looks; i++) {
        const size_t at = g->first_look + i;
        sharc_rate_history_look(ret, p->when[at] - p->when[at - 1], (p->what[at] & CHANGED) != 0);
    }
}

/* --- neighbours -------------------------------------------------------------------- */

struct evidence {
    double changes, time;
};

/* What a page teaches those around it: its looks as the rate that makes them most
 * likely over the time they span, or its age. */
static struct evidence evidence_of(const struct sharc_rate_past *p, uint32_t page, const struct sharc_rate_near *near,
                                   struct sharc_rate_history *scratch)
{
    const struct page *g = &p->page[page];
    struct evidence e = {0, 0};
    const double span = g->looks > 1 ? p->when[g->first_look + g->looks - 1] - p->when[g->first_look] : 0;
    if (!(span > 0)) {
        sharc_rate_near_of_age(near, g->age, &e.changes, &e.time);
        return e;
    }
    e.time = span;
    if (g->changed == 0) return e;
    sharc_rate_history_clear(scratch);
    sharc_rate_past_looks(p, page, scratch);
    e.changes = sharc_rate_irregular(scratch, /* corrected= */ true) * span;
    return e;
}

/* Neighbours are asked about a window, and what nobody knows is half a change in it.
 * On a site that lives faster than that the first guess would outvote all looks: there
 * the window is the time in which half of the looks saw a change. */
static double window_of(const struct sharc_rate_past *p, double window)
{
    double changes = 0, time = 0;
    for (size_t i = 0; i < p->pages; i++) {
        const struct page *g = &p->page[i];
        if (g->looks < 2) continue;
        changes += g->changed;
        time += p->when[g->first_look + g->looks - 1] - p->when[g->first_look];
    }
    return changes < FAST_LEAST ? window : fmin(window, fmax(0.5 * time / changes, 1));
}

/* How much pages differ from what their neighbours let expect: the shape of the gamma
 * that best explains changes seen over changes expected. It is what the neighbours'
 * word is worth; where pages differ much, a page's own looks count for more. */
static double worth_of(const struct sharc_rate_past *p, const struct evidence *own, const double *mean)
{
    SHARC_AUTO(sharc_freep) double *changes = SHARC_NEW_ARRAY(double, p->pages);
    SHARC_AUTO(sharc_freep) double *expected = SHARC_NEW_ARRAY(double, p->pages);
    size_t n = 0;
    for (size_t i = 0; i < p->pages; i++) {
        if (p->page[i].looks < 2 || !(own[i].time > 0)) continue;
        changes[n] = own[i].changes;
        expected[n++] = own[i].time * mean[i];
    }
    if (n < FIT_LEAST) return FIT_DEFAULT;
    return fmin(fmax(sharc_rate_prior_fit(changes, expected, n).shape, FIT_DEFAULT), 1);
}

static void by_neighbours(const struct sharc_rate_past *p, const struct sharc_rate_past_options *o,
                          struct sharc_rate_estimate *ret)
{
    SHARC_AUTO(sharc_rate_near_freep)
    struct sharc_rate_near *near = sharc_rate_near_new(window_of(p, o->window), o->grain);
    SHARC_AUTO(sharc_freep) struct evidence *own = SHARC_NEW_ARRAY(struct evidence, p->pages);
    SHARC_AUTO(sharc_freep) double *mean = SHARC_NEW_ARRAY(double, p->pages);
    SHARC_AUTO(sharc_rate_history_done) struct sharc_rate_history h = SHARC_RATE_HISTORY_INIT;
    double heard = 0;
    for (uint32_t i = 0; i < p->pages; i++) {
        own[i] = evidence_of(p, i, near, &h);
        heard += own[i].time > 0;
        sharc_rate_near_add(near, p->page[i].url, own[i].changes, own[i].time);
    }
    for (size_t i = 0; i < p->pages; i++) {
        mean[i] = sharc_rate_prior_mean(sharc_rate_near_others(near, p->page[i].url, own[i].changes, own[i].time));
        if (o->given && o->given[i] > 0) mean[i] = sharc__rate_join(o->given[i], mean[i], heard - (own[i].time > 0));
    }
    const double worth = worth_of(p, own, mean);
    for (uint32_t i = 0; i < p->pages; i++) {
        /* Of a page that was seen once the age is all there is, and as in a first capture. */
        const struct sharc_rate_gamma prior = sharc_rate_prior(mean[i], p->page[i].looks > 1 ? worth : 1);
        sharc_rate_history_clear(&h);
        sharc_rate_past_looks(p, i, &h);
        /* What it said of its age at the first look covers the time before all looks. */
        if (!isnan(p->page[i].first_age)) sharc_rate_history_age(&h, fmax(p->page[i].first_age, 0) + o->grain, true);
        if (o->intervals)
            ret[i] = sharc_rate_combine(prior, &h, 0.95);
        else
            ret[i] = (struct sharc_rate_estimate){sharc_rate_combined(prior, &h), (double)NAN, (double)NAN};
    }
}

/* --- the forecast ------------------------------------------------------------------ */

static int by_site_and_end(const void *a, const void *b)
{
    const struct capture *x = a, *y = b;
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int by_end(const void *a, const void *b)
{
    const struct sharc_rate_span *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

/* From the end of a capture to that of the next of the same site. */
static size_t spans_of(const struct sharc_rate_past *p, double now, struct sharc_rate_span *ret)
{
    size_t n = 0;
    SHARC_AUTO(sharc_freep) struct capture *c = SHARC_NEW_ARRAY(struct capture, p->captures);
    if (p->captures) memcpy(c, p->capture, p->captures * sizeof *c);
    qsort(c, p->captures, sizeof *c, by_site_and_end);
    for (size_t i = 1; i < p->captures; i++)
        if (c[i].site == c[i - 1].site && c[i].end > c[i - 1].end && c[i].end <= now)
            ret[n++] = (struct sharc_rate_span){c[i - 1].end, c[i].end};
    qsort(ret, n, sizeof *ret, by_end);
    return n;
}

static void records_of(const struct sharc_rate_past *p, struct sharc_rate_record *record, double *change)
{
    for (size_t i = 0; i < p->pages; i++) {
        const struct page *g = &p->page[i];
        const double *when = p->when + g->first_look;
        const uint8_t *what = p->what + g->first_look;
        struct sharc_rate_record *r = &record[i];
        *r = (struct sharc_rate_record){
            .url = g->url, .changes = change, .deleted = HUGE_VAL, .looks = when, .n_looks = g->looks};
        for (size_t k = 0; k < g->looks; k++) {
            if (what[k] & CHANGED) *change++ = when[k], r->n++;
            if (!(what[k] & GONE))
                r->deleted = HUGE_VAL;
            else if (isinf(r->deleted))
                r->deleted = when[k];
        }
        /* Nothing has happened since what it says was its last change. */
        r->created = g->looks ? when[0] - (isnan(g->first_age) ? 0 : fmax(g->first_age, 0)) : HUGE_VAL;
    }
}

static void by_forecast(const struct sharc_rate_past *p, const struct sharc_rate_past_options *o,
                        struct sharc_rate_estimate *ret, struct sharc_rate_forecast_report *report)
{
    if (p->captures < 3 || p->pages > SHARC_LIMIT_RATE_FORECAST) return;
    size_t changes = 0;
    for (size_t i = 0; i < p->pages; i++) changes += p->page[i].changed;
    SHARC_AUTO(sharc_freep) struct sharc_rate_span *span = SHARC_NEW_ARRAY(struct sharc_rate_span, p->captures);
    const size_t spans = spans_of(p, o->now, span);
    if (spans < 2) return;
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *record = SHARC_NEW_ARRAY(struct sharc_rate_record, p->pages);
    SHARC_AUTO(sharc_freep) double *change = SHARC_NEW_ARRAY(double, changes + 1);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, p->pages);
    SHARC_AUTO(sharc_freep) double *own = SHARC_NEW_ARRAY(double, p->pages);
    records_of(p, record, change);
    const struct sharc_rate_forecast_options f = {
        .start = span[0].from, .now = o->now, .window = o->window, .spans = span, .n_spans = spans};
    sharc_rate_forecast(record, p->pages, &f, rate, own, report);
    for (size_t i = 0; report->windows && i < p->pages; i++) {
        if (!(rate[i] > 0)) continue;
        ret[i].rate = sharc_rate_pool(rate[i], ret[i].rate, own[i]);
        ret[i].low = ret[i].high = (double)NAN;
    }
}

void sharc_rate_past_rates(const struct sharc_rate_past *p, const struct sharc_rate_past_options *o,
                           struct sharc_rate_estimate *ret, struct sharc_rate_forecast_report *ret_report)
{
    struct sharc_rate_forecast_report report = {0};
    by_neighbours(p, o, ret);
    if (!o->no_forecast) by_forecast(p, o, ret, &report);
    if (ret_report) *ret_report = report;
}
