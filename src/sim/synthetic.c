/* SPDX-License-Identifier: Apache-2.0
 *
 * The papers' synthetic sites. Nothing is stored per page: the tree is
 * arithmetic, a rate is a power of the rank, and a page's history is drawn again
 * from its own stream of random numbers whenever somebody asks. A page thus has
 * the same history under every strategy of a run.
 */
#include "sim_int.h"

#include "sharc/rate.h"

#include <math.h>
#include <stdlib.h>

/* Kinds of random streams of one run, kept apart by the seed. */
enum { STREAM_HISTORY = 1, STREAM_LINKS, STREAM_PAST };

static struct sharc_rng stream(const struct sharc__sim_run *r, unsigned kind, sharc_page_no page)
{
    return sharc_rng_stream(r->seed * 4 + kind, page);
}

static double true_rate(const struct sharc_sim_site *s, sharc_page_no page)
{
    double rank = s->shape.hot_leaves ? s->pages - 1.0 - page : page;
    return pow(rank + 1, -s->shape.skew);
}

/* What a watcher knows who saw the site for as long as a crawl of one visit per
 * page takes: the number of changes, or the time since the last one. */
static double rate_from_past(const struct sharc__sim_run *r, sharc_page_no page, double rate)
{
    const struct sharc_sim_site *s = r->site;
    double span = s->pages * s->slot;
    struct sharc_rng rng = stream(r, STREAM_PAST, page);
    if (s->rates == SHARC_SIM_HISTORY) return ((double)sharc_rng_poisson(&rng, rate * span) + 0.1) / (span + s->slot);
    return sharc_rate_from_age(fmin(sharc_rng_exponential(&rng, rate), span), s->slot);
}

static bool count_chunk(void *arg, const double *h, size_t n)
{
    (void)h;
    *(size_t *)arg += n;
    return true;
}

static void synthetic_changes(const struct sharc__sim_run *r, sharc_page_no page, double to, sharc__sim_chunk_fn *fn,
                              void *arg);

/* Hindsight: what did happen while each page is visited once. */
static double counted_rate(const struct sharc__sim_run *r, sharc_page_no page)
{
    size_t n = 0;
    double span = r->site->slot * fmax(r->site->pages - 1.0, 1);
    synthetic_changes(r, page, span, count_chunk, &n);
    return (double)n / span;
}

static double synthetic_rate(const struct sharc__sim_run *r, sharc_page_no page, bool known)
{
    (void)known;
    const struct sharc_sim_site *s = r->site;
    double rate = true_rate(s, page);
    switch (s->rates) {
    case SHARC_SIM_HISTORY:
    case SHARC_SIM_AGE: return rate_from_past(r, page, rate);
    case SHARC_SIM_SITEMAP: {
        double second = s->shape.delay / s->slot; /* per unit of time */
        enum sharc_changefreq f = sharc_rate_changefreq_of(rate / second, s->shape.delay, SHARC_FREQ_TAU);
        return sharc_rate_sitemap(f, s->shape.delay, SHARC_FREQ_TAU) * second;
    }
    case SHARC_SIM_COUNTED: return counted_rate(r, page);
    case SHARC_SIM_ORACLE:
    case SHARC_SIM_PREDICTED:
    case SHARC_SIM_COMBINED:
    case SHARC_SIM_NEAR:
    case SHARC_SIM_GIVEN: break;
    }
    return rate;
}

static double synthetic_rate_at_visit(const struct sharc__sim_run *r, sharc_page_no page, double t)
{
    (void)r, (void)page, (void)t;
    return -1;
}

static size_t synthetic_links(const struct sharc__sim_run *r, sharc_page_no page, double t)
{
    (void)t;
    const struct sharc_sim_site *s = r->site;
    uint64_t first = (uint64_t)page * s->shape.outdegree + 1, end = first + s->shape.outdegree;
    if (end > s->pages) end = s->pages;
    if (first >= end) return 0;
    for (uint64_t c = first; c < end; c++) r->links[c - first] = (sharc_page_no)c;
    struct sharc_rng rng = stream(r, STREAM_LINKS, page);
    sharc_rng_shuffle_u32(&rng, r->links, (size_t)(end - first));
    return (size_t)(end - first);
}

static void synthetic_changes(const struct sharc__sim_run *r, sharc_page_no page, double to, sharc__sim_chunk_fn *fn,
                              void *arg)
{
    double rate = true_rate(r->site, page), t = 0;
    struct sharc_rng rng = stream(r, STREAM_HISTORY, page);
    bool more = true;
    while (more) {
        size_t n = 0;
        for (; n < SHARC__SIM_CHUNK; n++) {
            t += sharc_rng_exponential(&rng, rate);
            if (t > to) break;
            r->chunk[n] = t;
        }
        more = n == SHARC__SIM_CHUNK;
        if (n && !fn(arg, r->chunk, n)) return;
    }
}

static void synthetic_free(struct sharc_sim_site *s)
{
    (void)s;
}

static const struct sharc__sim_site_ops synthetic_ops = {
    .rate = synthetic_rate,
    .rate_at_visit = synthetic_rate_at_visit,
    .judged_rate = true_rate,
    .links = synthetic_links,
    .changes = synthetic_changes,
    .free = synthetic_free,
};

int sharc_sim_synthetic_new(const struct sharc_sim_synthetic *shape, struct sharc_sim_site **ret,
                            struct sharc_err *reterr)
{
    SHARC_FAIL_IF(shape->pages == 0, reterr, SHARC_EINVAL,
                  "a site needs at least one page; give setting \"pages\" 1 or more");
    SHARC_FAIL_IF(shape->pages > 100000000, reterr, SHARC_EINVAL,
                  "%u pages are more than the 100000000 sharc simulates", shape->pages);
    SHARC_FAIL_IF(!(shape->skew >= 0 && shape->skew <= 10), reterr, SHARC_EINVAL,
                  "the skew of the change rates must lie between 0 and 10");
    SHARC_FAIL_IF(shape->outdegree == 0, reterr, SHARC_EINVAL, "the out-degree must be at least 1");
    SHARC_FAIL_IF(!(shape->slowdown > 0 && shape->slowdown <= 1e9), reterr, SHARC_EINVAL,
                  "the slow-down must be greater than 0");
    SHARC_FAIL_IF(
        shape->rates == SHARC_SIM_PREDICTED || shape->rates == SHARC_SIM_COMBINED || shape->rates == SHARC_SIM_NEAR ||
            shape->rates == SHARC_SIM_GIVEN,
        reterr, SHARC_EINVAL,
        "synthetic pages have no features to predict from; use oracle, history, sitemap, age or counted, or a dataset");
    struct sharc_sim_site *s = SHARC_NEW(struct sharc_sim_site);
    s->ops = &synthetic_ops;
    s->shape = *shape;
    s->name = sharc_asprintf("synthetic, %s leaves, skew %g", shape->hot_leaves ? "hot" : "cold", shape->skew);
    s->pages = shape->pages;
    s->max_links = shape->outdegree < shape->pages ? shape->outdegree : shape->pages;
    s->to = NO_SITE_END;
    s->slot = shape->slowdown;
    s->rates = shape->rates;
    *ret = s;
    return 0;
}
