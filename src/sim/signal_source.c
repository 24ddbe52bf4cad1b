/* SPDX-License-Identifier: Apache-2.0
 *
 * A sitemap as good or bad as one wishes. Of every change it tells with the chance
 * `recall`; beside that it stamps pages that have not changed, any page at any time, so
 * often that of the pages it names in the window the share `precision` is right. What
 * it says depends on the run and the page alone, so all strategies read the same.
 */
#include "sim_signal.h"

#include <math.h>
#include <stdlib.h>

enum { STREAM_TELLS = 3 }; /* beside those of synthetic.c, of another seed */
#define SPREAD 0x5157u

/* Unlike 0 … recall: the change is told of. */
static bool tells(const struct sharc__sim_signal *g, sharc_page_no page, double when)
{
    if (g->o.recall >= 1) return true;
    union {
        double d;
        uint64_t u;
    } bits = {.d = when};
    struct sharc_rng rng = sharc_rng_stream(g->seed * 4 + STREAM_TELLS + bits.u * SPREAD, page);
    return sharc_rng_uniform(&rng) < g->o.recall;
}

struct last {
    const struct sharc__sim_signal *g;
    sharc_page_no page;
    double told; /* NAN: none */
};

static bool last_chunk(void *arg, const double *h, size_t n)
{
    struct last *l = arg;
    for (size_t i = n; i > 0; i--) {
        if (!tells(l->g, l->page, h[i - 1])) continue;
        l->told = h[i - 1];
        break;
    }
    return true;
}

/* Of a recorded page its whole past; of a synthetic one the crawl so far. */
static double last_told(const struct sharc__sim_signal *g, const struct sharc__sim_run *r, sharc_page_no page, double t)
{
    const struct sharc_sim_site *s = r->site;
    struct last l = {g, page, (double)NAN};
    if (s->data) {
        const double *h;
        size_t n = sharc_dataset_between(s->data, s->origin[page], -HUGE_VAL, t, &h);
        if (n) last_chunk(&l, h, n);
        return isnan(l.told) ? s->data->page[s->origin[page]].created : l.told;
    }
    s->ops->changes(r, page, t, last_chunk, &l);
    return isnan(l.told) ? s->from - g->span : l.told;
}

/* The last stamp for nothing, up to t; they begin one span before the crawl. */
static double last_false(const struct sharc__sim_signal *g, const struct sharc__sim_run *r, sharc_page_no page,
                         double t)
{
    if (!(g->false_rate > 0)) return -HUGE_VAL;
    struct sharc_rng rng = sharc_rng_stream(g->seed * 4 + STREAM_TELLS, page);
    double last = -HUGE_VAL, at = r->site->from - g->span;
    for (;;) {
        at += sharc_rng_exponential(&rng, g->false_rate);
        if (at > t) return last;
        last = at;
    }
}

/* The last change of the page as the site states it at t. */
static double states(const struct sharc__sim_signal *g, const struct sharc__sim_run *r, sharc_page_no page, double t)
{
    if (g->o.precision <= 0) return t;
    const double as_of = t - g->o.late * g->span;
    return fmax(last_told(g, r, page, as_of), last_false(g, r, page, as_of));
}

enum sharc_signal_kind sharc__sim_signal_kind(const struct sharc_sim_signals *o)
{
    static const enum sharc_signal_kind kinds[] = {SHARC_SIGNAL_SITEMAP, SHARC_SIGNAL_FEED, SHARC_SIGNAL_HUB};
    return kinds[o->teller];
}

uint32_t sharc__sim_signal_requests(const struct sharc_sim_signals *o, const struct sharc_sim_site *s)
{
    return o->teller == SHARC_SIM_LASTMOD ? 1 + s->pages / 10000 : 1;
}

/* --- a reading --------------------------------------------------------------------- */

struct stated {
    double when;
    sharc_page_no page;
};

static int newest_first(const void *a, const void *b)
{
    const struct stated *x = a, *y = b;
    if (x->when < y->when || x->when > y->when) return x->when > y->when ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* A feed has the dates of its entries. Of a list only what is new on it is known, and its first reading
 * is there to compare the next one with. */
static void tell_latest(const struct sharc__sim_signal *g, const struct stated *all, uint32_t n, double t,
                        struct sharc_signals *signals)
{
    const uint32_t shown = n < g->o.entries ? n : g->o.entries;
    if (g->o.teller == SHARC_SIM_FEED) {
        for (uint32_t i = 0; i < shown; i++) sharc_signals_say(signals, 0, all[i].page, all[i].when, 0, t);
        sharc_signals_read(signals, 0, shown < n ? all[shown - 1].when : -HUGE_VAL, t);
    } else if (!isnan(g->read)) {
        const double since = g->read - g->o.late * g->span; /* up to then it was told before */
        for (uint32_t i = 0; i < shown && all[i].when > since; i++)
            sharc_signals_say(signals, 0, all[i].page, g->read, t - g->read, t);
        sharc_signals_read(signals, 0, g->read, t);
    }
}

void sharc__sim_signal_read(struct sharc__sim_signal *g, const struct sharc__sim_run *r, double t,
                            struct sharc_signals *signals)
{
    const struct sharc_sim_site *s = r->site;
    const bool latest = g->o.teller != SHARC_SIM_LASTMOD;
    SHARC_AUTO(sharc_freep) struct stated *all = latest ? SHARC_NEW_ARRAY(struct stated, s->pages) : NULL;
    uint32_t n = 0;
    for (uint32_t p = 0; p < s->pages; p++) {
        if (s->ops->exists && !s->ops->exists(s, p, t)) continue;
        const double when = states(g, r, p, t);
        if (latest)
            all[n++] = (struct stated){when, p};
        else
            sharc_signals_say(signals, 0, p, when, 0, t);
    }
    if (latest) {
        qsort(all, n, sizeof *all, newest_first);
        tell_latest(g, all, n, t, signals);
    } else {
        sharc_signals_read(signals, 0, -HUGE_VAL, t);
    }
    g->read = t;
}

/* --- made from options --------------------------------------------------------------- */

void sharc__sim_signal_init(struct sharc__sim_signal *g, const struct sharc__sim_run *r,
                            const struct sharc_sim_signals *o, double slots)
{
    const struct sharc_sim_site *s = r->site;
    *g = (struct sharc__sim_signal){.o = *o, .seed = r->seed ^ 0x7369676e616cu, .read = (double)NAN};
    g->span = s->slot > 0 ? s->slot * slots : s->to - s->from;
    if (!(o->precision > 0 && o->precision < 1)) return;
    double named = 0;
    for (uint32_t p = 0; p < s->pages; p++) named += last_told(g, r, p, s->from + g->span) > s->from;
    g->false_rate = named * (1 - o->precision) / o->precision / (s->pages * g->span);
}

static bool take_entries(struct sharc_span *rest, uint32_t *ret)
{
    struct sharc_span word;
    uint64_t n;
    if (!sharc_span_next(rest, ',', &word) || sharc_span_to_u64(sharc_span_trim(word), &n) < 0) return false;
    *ret = (uint32_t)n;
    return n >= 1 && n <= 1000000;
}

int sharc_sim_signals_parse(struct sharc_span text, struct sharc_sim_signals *ret, struct sharc_err *reterr)
{
    static const char *const tellers[] = {"lastmod", "feed", "hub"};
    struct sharc_span rest = text, kind, word;
    struct sharc_sim_signals o = {.on = true, .recall = 1, .precision = 1};
    double *const value[] = {&o.recall, &o.precision, &o.late};
    size_t colon = sharc_span_find(text, ':', 0), n = 0, teller = 0;
    kind = sharc_span_sub(text, 0, colon);
    while (teller < SHARC_LENGTH(tellers) && !sharc_span_is(kind, tellers[teller])) teller++;
    bool good = teller < SHARC_LENGTH(tellers);
    rest = colon == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_from(text, colon + 1);
    o.teller = (enum sharc_sim_teller)teller;
    bool more = colon != SHARC_NPOS;
    if (good && o.teller != SHARC_SIM_LASTMOD) {
        good = more && take_entries(&rest, &o.entries);
        more = rest.p != NULL;
    }
    while (good && more && sharc_span_next(&rest, ',', &word)) {
        good = n < SHARC_LENGTH(value) && sharc_span_to_double(sharc_span_trim(word), value[n]) == 0 &&
               *value[n] >= 0 && *value[n] <= 1;
        n++;
    }
    SHARC_FAIL_IF(!good, reterr, SHARC_EINVAL,
                  "signals are lastmod, or lastmod:RECALL,PRECISION,LATE with numbers from 0 to 1, or feed:ENTRIES or "
                  "hub:ENTRIES with a whole number above 0 and the same behind it, not \"%.*s\"",
                  SHARC_SPAN_ARG(sharc_span_sub(text, 0, 40)));
    *ret = o;
    return 0;
}
