/* SPDX-License-Identifier: Apache-2.0
 *
 * How often does a page change? Pages of the strategy: what earlier captures know
 * of it, else the ages of all pages seen so far (rate_live.h), with what a sitemap
 * or a model says. What is embedded in pages: a prior and its own age.
 */
#include "rates.h"

#include "sharc/rate.h"
#include "sharc/rate_model.h"
#include "sharc/rate_since.h"

#include <math.h>
#include <stdlib.h>

#define DAY 86400.0
#define EMBED_MEAN (1.0 / (365 * DAY))
#define STAMP (5 * SHARC_SEC) /* changed just before it was asked for: such servers say so of everything */

void sharc__crawl_rates_init(struct rates *r, const struct sharc_crawl_pace *pace)
{
    double delay = (double)pace->delay / (double)SHARC_SEC;
    *r = (struct rates){.live = sharc__crawl_live_new(),
                        .window = RATE_WINDOW,
                        .slot_seconds = delay > 0 ? delay : 0.01,
                        .pace = pace};
}

void sharc__crawl_rates_done(struct rates *r)
{
    sharc_rate_live_freep(&r->live);
}

struct sharc_rate_live *sharc__crawl_live_new(void)
{
    return sharc_rate_live_new(RATE_WINDOW, RATE_GRAIN);
}

double sharc__crawl_rate_stated(char frequency, sharc_time delay)
{
    enum sharc_changefreq f = sharc_rate_changefreq_letter(frequency);
    if (f == SHARC_FREQ_NONE) return 0;
    return sharc_rate_sitemap(f, fmax((double)delay / (double)SHARC_SEC, 1), SHARC_FREQ_TAU);
}

/* What the model says of a page with these facts; 0: there is none. */
static double predicted(const struct sharc_rate_model *m, const struct sharc_rate_facts *facts)
{
    size_t columns = 0;
    if (m) (void)sharc_rate_model_columns(m, &columns);
    if (columns != SHARC_RATE_ONLINE && columns != SHARC_RATE_OFFLINE) return 0;
    struct sharc_rate_value v[SHARC_RATE_OFFLINE];
    struct sharc_rate_prediction p;
    sharc_rate_features(facts, v);
    sharc_rate_predict(m, v, &p);
    return p.expected;
}

static double seconds_before(sharc_time changed, sharc_time now)
{
    if (changed == SHARC_TIME_NONE || changed > now) return SHARC_RATE_UNKNOWN;
    return (double)(now - changed) / (double)SHARC_SEC;
}

/* An embed stands for itself: neighbours of images are no pages. */
static double rate_of_embed(double age)
{
    const struct sharc_rate_gamma prior = sharc_rate_prior(EMBED_MEAN, 1);
    return isnan(age) ? EMBED_MEAN : (prior.shape + 1) / (prior.time + fmax(age, RATE_GRAIN));
}

double sharc__crawl_rate_found(struct rates *r, const struct context *c, const struct pages *p, uint32_t page,
                               const struct finding *f)
{
    const double age = f->source ? seconds_before(f->modified, crawl_now(c)) : SHARC_RATE_UNKNOWN;
    if (f->embed) return rate_of_embed(age);
    struct sharc_rate_facts facts = {.url = f->url, SHARC_RATE_FACTS_UNKNOWN};
    double given = sharc__crawl_rate_stated(f->frequency, r->pace->delay);
    if (given <= 0) given = predicted(c->o.model, &facts);
    if (given > 0) sharc_rate_live_given(r->live, page, given);
    double rate = sharc_rate_live_seen(r->live, page, f->url, age);
    return p->page[page].flags & PAGE_RATED ? (double)p->page[page].rate : rate;
}

double sharc__crawl_rate_visited(struct rates *r, const struct context *c, const struct pages *p, const struct job *j)
{
    const uint32_t page = j->task.page;
    const struct page *row = &p->page[page];
    const double age = seconds_before(j->made.changed_at, j->result->start);
    if (!(row->flags & PAGE_KNOWN_TO_STRATEGY)) return isnan(age) ? (double)row->rate : rate_of_embed(age);
    if (c->o.model && j->made.extracted) {
        struct sharc_rate_facts facts = {.url = page_url(p, page),
                                         .mime = j->made.type,
                                         .days_since_change = age / DAY,
                                         .images = j->made.page.images,
                                         .tables = j->made.page.tables,
                                         .outlinks = j->made.page.anchors,
                                         .inlinks = SHARC_RATE_UNKNOWN};
        sharc_rate_live_given(r->live, page, predicted(c->o.model, &facts));
    }
    double rate = sharc_rate_live_seen(r->live, page, page_url(p, page), age);
    return row->flags & PAGE_RATED ? (double)row->rate : rate;
}

bool sharc__crawl_rate_age(const struct rates *r, uint32_t page, double *ret_age, double *ret_given)
{
    sharc_rate_live_told(r->live, page, ret_age, ret_given);
    return !isnan(*ret_age) || *ret_given > 0;
}

double sharc__crawl_rate_aged(struct rates *r, const struct pages *p, uint32_t page, double age)
{
    return sharc_rate_live_seen(r->live, page, page_url(p, page), age);
}

void sharc__crawl_rate_restore_age(struct rates *r, const struct pages *p, uint32_t page, double given, double age)
{
    sharc_rate_live_given(r->live, page, given);
    sharc_rate_live_seen(r->live, page, page_url(p, page), age);
}

/* --- since it was seen ----------------------------------------------------------- */

void sharc__crawl_rate_looked(struct version *v, const struct job *j, sharc_time before)
{
    const sharc_time now = j->result->start;
    const sharc_time modified = j->made.answer == SHARC_ANSWER_NOT_MODIFIED ? v->modified : j->made.modified;
    if (modified != SHARC_TIME_NONE && modified <= now - STAMP) {
        v->changed = modified;
        v->since = SHARC_TIME_NONE;
    } else if (before == SHARC_TIME_NONE) {
        v->changed = SHARC_TIME_NONE;
        v->since = now;
    } else {
        v->changed = sharc_change_counts(j->made.verdict.change) ? before + (now - before) / 2 : SHARC_TIME_NONE;
        v->since = before;
    }
}

static double seconds_of(sharc_time t, double none)
{
    return t == SHARC_TIME_NONE ? none : (double)t / (double)SHARC_SEC;
}

/* The time is that of the last look, and rates are those written down: a capture that is
 * resumed believes the same. */
double sharc__crawl_rate_believe(const struct pages *p, struct sharc_rate_places *places, const sharc_page_no *page,
                                 uint32_t n, double *ret_still)
{
    SHARC_AUTO(sharc_freep) struct sharc_rate_look *look = SHARC_NEW_ARRAY(struct sharc_rate_look, n);
    double now = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct version *v = page_version(p, page[i]);
        const bool seen = v && v->visit != SHARC_TIME_NONE;
        look[i] = (struct sharc_rate_look){
            .place = sharc_rate_places_find(places, page[i], page_url(p, page[i])),
            .seen = seen ? seconds_of(v->revisited ? v->revisit : v->visit, 0) : 0,
            .from = seen ? seconds_of(v->since, -HUGE_VAL) : 0,
            .changed = seen ? seconds_of(v->changed, (double)NAN) : (double)NAN,
            .rate = (double)p->page[page[i]].rate,
        };
        now = fmax(now, look[i].seen);
    }
    return sharc_rate_since(places, look, n, now, ret_still);
}

/* --- as it is now ----------------------------------------------------------------- */

void sharc__crawl_rates_widen(struct rates *r, const struct pages *p, double slots)
{
    double length = slots * r->slot_seconds;
    if (length < 2 * r->window) return;
    struct sharc_rate_live *wider = sharc_rate_live_new(length, RATE_GRAIN);
    for (uint32_t i = 0; i < pages_count(p); i++) {
        double age, given;
        sharc_rate_live_told(r->live, i, &age, &given);
        if (given > 0) sharc_rate_live_given(wider, i, given);
        if (!isnan(age)) sharc_rate_live_seen(wider, i, page_url(p, i), age);
    }
    sharc_rate_live_free(r->live);
    r->live = wider;
    r->window = length;
}

bool sharc__crawl_rates_due(struct rates *r, uint64_t visits, uint64_t known)
{
    return sharc_rate_live_due(r->live, visits, known);
}

double sharc__crawl_rate_now(const struct rates *r, const struct pages *p, uint32_t page)
{
    return sharc_rate_live_rate(r->live, page, page_url(p, page));
}

void sharc__crawl_rates_settle(const struct rates *r, struct pages *p)
{
    for (uint32_t i = 0; i < pages_count(p); i++) {
        const struct page *row = &p->page[i];
        if (!(row->flags & PAGE_KNOWN_TO_STRATEGY) || (row->flags & PAGE_RATED) || row->version == NO_VERSION) continue;
        sharc__crawl_pages_set_rate(p, i, sharc__crawl_rate_now(r, p, i));
    }
}

/* --- weights ------------------------------------------------------------------------ */

void sharc__crawl_weigh(const struct context *c, struct pages *p, uint32_t page, const struct finding *f)
{
    const struct sharc_crawl_options *o = &c->o;
    if (o->weights == SHARC_CRAWL_WEIGHTS_PRIORITY && f->priority >= 0)
        sharc__crawl_pages_set_weight(p, page, (double)(0.5f + f->priority));
    if (o->weights != SHARC_CRAWL_WEIGHTS_GIVEN) return;
    const double weight = o->weigh(o->weigh_arg, page_url(p, page));
    if (weight >= 0 && isfinite(weight)) sharc__crawl_pages_set_weight(p, page, weight);
}
