/* SPDX-License-Identifier: Apache-2.0
 *
 * How often does a page change? Pages of the strategy: what earlier captures know
 * of it, else the ages of all pages seen so far (rate_live.h), with what a sitemap
 * or a model says. What is embedded in pages: a prior and its own age.
 */
#include "crawl_int.h"

#include "sharc/rate_since.h"

#include <math.h>
#include <stdlib.h>

#define DAY 86400.0
#define EMBED_MEAN (1.0 / (365 * DAY))
#define STAMP (5 * SHARC_SEC) /* changed just before it was asked for: such servers say so of everything */
#define NEWS 0.05             /* a rate that moved by less is not told again */

struct sharc_rate_live *sharc__crawl_live_new(void)
{
    return sharc_rate_live_new(RATE_WINDOW, RATE_GRAIN);
}

static enum sharc_changefreq frequency_of(char letter)
{
    static const char letters[] = "ahdwmyn";
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (enum sharc_changefreq)(at - letters) : SHARC_FREQ_NONE;
}

double sharc__crawl_rate_stated(char frequency, sharc_time delay)
{
    enum sharc_changefreq f = frequency_of(frequency);
    if (f == SHARC_FREQ_NONE) return 0;
    return sharc_rate_sitemap(f, fmax((double)delay / (double)SHARC_SEC, 1), SHARC_FREQ_TAU);
}

/* What the model says of a page with these facts; 0: there is none. */
static double predicted(const struct site *s, const struct sharc_rate_facts *facts)
{
    const struct sharc_rate_model *m = s->crawl->o.model;
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

double sharc__crawl_rate_found(struct site *s, uint32_t page, const struct finding *f)
{
    const double age = f->source ? seconds_before(f->modified, crawl_now(s->crawl)) : SHARC_RATE_UNKNOWN;
    if (f->embed) return rate_of_embed(age);
    struct sharc_rate_facts facts = {.url = f->url, SHARC_RATE_FACTS_UNKNOWN};
    double given = sharc__crawl_rate_stated(f->frequency, s->crawl->o.pace.delay);
    if (given <= 0) given = predicted(s, &facts);
    if (given > 0) sharc_rate_live_given(s->live, page, given);
    double rate = sharc_rate_live_seen(s->live, page, f->url, age);
    return s->pages.page[page].flags & PAGE_RATED ? (double)s->pages.page[page].rate : rate;
}

double sharc__crawl_rate_seen(struct site *s, const struct job *j)
{
    const uint32_t page = j->task.page;
    const struct page *p = &s->pages.page[page];
    const double age = seconds_before(j->changed_at, j->result->start);
    if (!(p->flags & PAGE_TOLD)) return isnan(age) ? (double)p->rate : rate_of_embed(age);
    if (s->crawl->o.model && j->extracted) {
        struct sharc_rate_facts facts = {.url = page_url(&s->pages, page),
                                         .mime = j->type,
                                         .days_since_change = age / DAY,
                                         .images = j->page.images,
                                         .tables = j->page.tables,
                                         .outlinks = j->page.anchors,
                                         .inlinks = SHARC_RATE_UNKNOWN};
        sharc_rate_live_given(s->live, page, predicted(s, &facts));
    }
    double rate = sharc_rate_live_seen(s->live, page, page_url(&s->pages, page), age);
    sharc__crawl_j_age(s, page);
    return p->flags & PAGE_RATED ? (double)p->rate : rate;
}

/* --- since it was seen ----------------------------------------------------------- */

void sharc__crawl_looked(struct seen *v, const struct job *j, sharc_time before)
{
    const sharc_time now = j->result->start;
    const sharc_time modified = j->answer == SHARC_ANSWER_NOT_MODIFIED ? v->modified : j->modified;
    if (modified != SHARC_TIME_NONE && modified <= now - STAMP) {
        v->changed = modified;
        v->since = SHARC_TIME_NONE;
    } else if (before == SHARC_TIME_NONE) {
        v->changed = SHARC_TIME_NONE;
        v->since = now;
    } else {
        v->changed = sharc_change_counts(j->verdict.change) ? before + (now - before) / 2 : SHARC_TIME_NONE;
        v->since = before;
    }
}

static double seconds_of(sharc_time t, double none)
{
    return t == SHARC_TIME_NONE ? none : (double)t / (double)SHARC_SEC;
}

/* The time is that of the last look, and rates are those written down: a capture that is
 * resumed believes the same. */
double sharc__crawl_believe(void *site, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still)
{
    (void)rate;
    const struct site *s = site;
    SHARC_AUTO(sharc_freep) struct sharc_rate_look *look = SHARC_NEW_ARRAY(struct sharc_rate_look, n);
    double now = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct seen *v = page_seen(&s->pages, page[i]);
        const bool seen = v && v->visit != SHARC_TIME_NONE;
        look[i] = (struct sharc_rate_look){
            .url = page_url(&s->pages, page[i]),
            .seen = seen ? seconds_of(v->revisited ? v->revisit : v->visit, 0) : 0,
            .from = seen ? seconds_of(v->since, -HUGE_VAL) : 0,
            .changed = seen ? seconds_of(v->changed, (double)NAN) : (double)NAN,
            .rate = (double)s->pages.page[page[i]].rate,
        };
        now = fmax(now, look[i].seen);
    }
    return sharc_rate_since(look, n, now, ret_still);
}

/* --- told anew ----------------------------------------------------------------- */

/* A capture that takes longer than was thought looks further back. */
static void widen(struct site *s)
{
    double length = 2.0 * s->told * s->slot_seconds;
    if (s->window <= 0) s->window = RATE_WINDOW;
    if (length < 2 * s->window) return;
    struct sharc_rate_live *wider = sharc_rate_live_new(length, RATE_GRAIN);
    for (uint32_t p = 0; p < pages_count(&s->pages); p++) {
        double age, given;
        sharc_rate_live_told(s->live, p, &age, &given);
        if (given > 0) sharc_rate_live_given(wider, p, given);
        if (!isnan(age)) sharc_rate_live_seen(wider, p, page_url(&s->pages, p), age);
    }
    sharc_rate_live_free(s->live);
    s->live = wider;
    s->window = length;
}

static bool is_told_anew(const struct site *s, const struct page *p)
{
    if (!(p->flags & PAGE_TOLD) || (p->flags & PAGE_RATED)) return false;
    if (p->state == PAGE_WAITING) return true;
    return s->ops->revisits && p->state == PAGE_DONE && p->seen != NO_SEEN;
}

void sharc__crawl_renew(struct site *s)
{
    if (s->visits_over) return;
    bool over = s->waiting == 0 && s->outstanding == 0;
    if (!sharc_rate_live_due(s->live, s->count.visits, over ? s->count.visits : s->told)) return;
    widen(s);
    SHARC_AUTO(sharc_freep) struct renewed *all = NULL;
    size_t n = 0, room = 0;
    for (uint32_t p = 0; p < pages_count(&s->pages); p++) {
        if (!is_told_anew(s, &s->pages.page[p])) continue;
        const double old = (double)s->pages.page[p].rate;
        const double rate = sharc_rate_live_rate(s->live, p, page_url(&s->pages, p));
        if (fabs(rate - old) <= NEWS * old) continue;
        SHARC_GROW(all, room, n + 1);
        all[n++] = (struct renewed){p, (float)rate};
    }
    if (n) sharc__crawl_j_rates(s, all, n);
}

void sharc__crawl_settle_rates(struct site *s)
{
    for (uint32_t p = 0; p < pages_count(&s->pages); p++) {
        struct page *page = &s->pages.page[p];
        if (!(page->flags & PAGE_TOLD) || (page->flags & PAGE_RATED) || page->seen == NO_SEEN) continue;
        page->rate = (float)sharc_rate_live_rate(s->live, p, page_url(&s->pages, p));
    }
}
