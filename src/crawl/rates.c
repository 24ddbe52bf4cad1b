/* SPDX-License-Identifier: Apache-2.0
 *
 * How often does a page change? A prior (sitemap, model, or what pages of its
 * kind do) and one observation: the age that a sitemap or the page itself states.
 */
#include "crawl_int.h"

#include <math.h>

#define PAGE_MEAN (1.0 / (30.0 * 86400)) /* of a page of which nothing is known */
#define EMBED_MEAN (1.0 / (365.0 * 86400))
#define GRAIN 60.0 /* the least age that can be told: as in a survey, so that a plan is kept */

static enum sharc_changefreq frequency_of(char letter)
{
    static const char letters[] = "ahdwmyn";
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (enum sharc_changefreq)(at - letters) : SHARC_FREQ_NONE;
}

static struct sharc_rate_gamma prior_of(const struct site *s, const struct sharc_rate_facts *facts, bool embed)
{
    struct sharc_rate_gamma prior = sharc_rate_prior(embed ? EMBED_MEAN : PAGE_MEAN, 1);
    const struct sharc_rate_model *m = s->crawl->o.model;
    size_t columns = 0;
    if (m) (void)sharc_rate_model_columns(m, &columns);
    if (columns == SHARC_RATE_ONLINE || columns == SHARC_RATE_OFFLINE) {
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        struct sharc_rate_prediction p;
        sharc_rate_features(facts, v);
        sharc_rate_predict(m, v, &p);
        prior = p.prior;
    }
    return prior;
}

/* The prior with an age that was stated, if it can be believed. */
static double with_age(struct sharc_rate_gamma prior, sharc_time changed, sharc_time now)
{
    struct sharc_rate_history h = SHARC_RATE_HISTORY_INIT;
    if (changed == SHARC_TIME_NONE || changed > now) return sharc_rate_combined(prior, NULL);
    sharc_rate_history_age(&h, fmax((double)(now - changed) / (double)SHARC_SEC, GRAIN), true);
    double rate = sharc_rate_combined(prior, &h);
    sharc_rate_history_done(&h);
    return rate;
}

double sharc__crawl_rate_found(const struct site *s, const struct finding *f)
{
    struct sharc_rate_facts facts = {.url = f->url, SHARC_RATE_FACTS_UNKNOWN};
    struct sharc_rate_gamma prior = prior_of(s, &facts, f->embed);
    enum sharc_changefreq freq = frequency_of(f->frequency);
    double delay = fmax((double)s->crawl->o.pace.delay / (double)SHARC_SEC, 1);
    if (freq != SHARC_FREQ_NONE) prior = sharc_rate_prior_sitemap(freq, delay, prior);
    return with_age(prior, f->source ? f->modified : SHARC_TIME_NONE, crawl_now(s->crawl));
}

double sharc__crawl_rate_seen(const struct site *s, const struct job *j)
{
    const struct page *p = &s->pages.page[j->task.page];
    if (j->changed_at == SHARC_TIME_NONE) return (double)p->rate;
    /* What was told before is the prior, worth one change. */
    struct sharc_rate_gamma prior = sharc_rate_prior((double)p->rate, 1);
    if (s->crawl->o.model && j->extracted) {
        struct sharc_rate_facts facts = {.url = page_url(&s->pages, j->task.page),
                                         .mime = j->type,
                                         .days_since_change =
                                             (double)(j->result->start - j->changed_at) / (double)SHARC_DAY,
                                         .images = j->page.images,
                                         .tables = j->page.tables,
                                         .outlinks = j->page.anchors,
                                         .inlinks = SHARC_RATE_UNKNOWN};
        prior = prior_of(s, &facts, (p->flags & PAGE_FOLLOWER) != 0);
    }
    return with_age(prior, j->changed_at, j->result->start);
}
