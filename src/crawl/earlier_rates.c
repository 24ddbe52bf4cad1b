/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates of pages from all captures of a site: told when one begins, written down when
 * one ends.
 */
#include "earlier.h"

#include "earlier_looks.h"

#include <math.h>
#include <stdlib.h>

/* What the strategy knows, and nothing else. */
static bool is_wanted(const void *arg, uint32_t page)
{
    const struct page *p = &((const struct pages *)arg)->page[page];
    return (p->flags & PAGE_KNOWN_TO_STRATEGY) && p->reason != SHARC_SKIP_CANONICAL;
}

static int read_past(const struct frontier *f, struct known_pages *k, struct sharc_rate_past *past,
                     struct sharc_err *reterr)
{
    const struct sharc_store_seen_filter filter = {.site = f->capture->site,
                                                   .from = SHARC_TIME_NONE,
                                                   .to = SHARC_TIME_NONE};
    *k = (struct known_pages){.urls = f->pages->urls, .wanted = is_wanted, .arg = f->pages};
    return sharc__crawl_past_of_known(f->ctx->w.store, &filter, k, past, reterr);
}

/* A page that was looked at more than once keeps what its history says; of others the
 * age is all that is known, and this capture will know better. */
static void tell(struct frontier *f, const struct known_pages *k, const struct sharc_rate_past *past,
                 const struct sharc_rate_estimate *rate)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const uint32_t page = k->page[i];
        struct sharc_rate_past_page about;
        sharc_rate_past_about(past, i, &about);
        double by_age = sharc__crawl_rate_aged(f->rates, f->pages, page, about.age);
        sharc__crawl_pages_set_rate(f->pages, page, about.looks > 0 ? rate[i].rate : by_age);
        if (about.looks > 0) sharc__crawl_pages_mark(f->pages, page, PAGE_RATED, true);
        sharc__crawl_note_page(f->journal, f->pages, page);
        sharc__crawl_note_age_of(f, page);
        sharc__crawl_plan_tell(f->agenda, page);
    }
}

int sharc__crawl_earlier_rates(struct frontier *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *past = sharc_rate_past_new();
    struct known_pages k;
    int r = read_past(f, &k, past, reterr);
    if (r == 0 && k.count > 0) {
        const struct sharc_rate_past_options o = sharc_crawl_past_options(crawl_now(f->ctx));
        SHARC_AUTO(sharc_freep) struct sharc_rate_estimate *rate = SHARC_NEW_ARRAY(struct sharc_rate_estimate, k.count);
        sharc_rate_past_rates(past, &o, rate, NULL);
        tell(f, &k, past, rate);
    }
    free(k.page);
    return r;
}

/* --- kept in the catalogue -------------------------------------------------------------- */

static int keep(const struct frontier *f, const struct known_pages *k, const struct sharc_rate_past *past,
                const struct sharc_rate_estimate *rate, sharc_time end, struct sharc_err *reterr)
{
    struct sharc_store_batch *batch = f->capture->out->batch;
    int r = 0;
    for (uint32_t i = 0; r == 0 && i < k->count; i++) {
        struct sharc_rate_past_page about;
        sharc_rate_past_about(past, i, &about);
        if (about.gone || isnan(about.last)) continue;
        const struct sharc_store_rate row = {.url = page_url(f->pages, k->page[i]),
                                             .source = SHARC_SPAN("crawl"),
                                             .value = rate[i].rate,
                                             .low = rate[i].low,
                                             .high = rate[i].high,
                                             .observations = about.looks,
                                             .when = end};
        r = sharc_store_batch_rate(batch, &row, reterr);
        if (r == 0 && sharc_store_batch_full(batch)) r = sharc_store_batch_commit(batch, reterr);
    }
    return r;
}

static int keep_rates(const struct frontier *f, sharc_time end, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *past = sharc_rate_past_new();
    struct known_pages k;
    int r = read_past(f, &k, past, reterr);
    /* This capture, which counts as running still. */
    sharc_rate_past_capture(past, f->capture->site, (double)end / (double)SHARC_SEC);
    if (r == 0 && k.count > 0) {
        SHARC_AUTO(sharc_freep) double *given = SHARC_NEW_ARRAY(double, k.count);
        SHARC_AUTO(sharc_freep) struct sharc_rate_estimate *rate = SHARC_NEW_ARRAY(struct sharc_rate_estimate, k.count);
        for (size_t i = 0; i < k.count; i++) {
            double age;
            (void)sharc__crawl_rate_age(f->rates, k.page[i], &age, &given[i]);
        }
        struct sharc_rate_past_options o = sharc_crawl_past_options(end);
        o.given = given;
        o.intervals = true;
        sharc_rate_past_rates(past, &o, rate, NULL);
        r = keep(f, &k, past, rate, end, reterr);
    }
    free(k.page);
    return r;
}

/* A capture without them is as good as any: failing to read them is no reason to fail. */
void sharc__crawl_keep_rates(struct frontier *f, sharc_time end)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (keep_rates(f, end, &err) == 0) return;
    sharc_store_batch_drop(f->capture->out->batch);
    sharc__crawl_remark(f->ctx, "%s: change rates were not saved: %s; run sharc rates estimate --save to compute them",
                        f->capture->name, err.text);
}
