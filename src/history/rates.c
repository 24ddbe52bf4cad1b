/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates of the pages of a history, by each method, and into the catalogue.
 */
#include "sharc/history_rates.h"

#include "history_int.h"

#include "sharc/crawl_past.h"
#include "sharc/rate_forecast.h"
#include "sharc/rate_near.h"
#include "sharc/store_write.h"

#include <math.h>
#include <stdlib.h>

#define AGE_GRAIN 3600.0

const char *sharc_history_method_name(enum sharc_history_method m)
{
    static const char *const names[] = {"posterior", "near", "combined"};
    return names[m];
}

/* What a page without any evidence is held for: as the pages with some. */
static struct sharc_rate_gamma prior_of_all(const struct sharc_history *h)
{
    SHARC_AUTO(sharc_freep) double *changes = SHARC_NEW_ARRAY(double, h->n);
    SHARC_AUTO(sharc_freep) double *time = SHARC_NEW_ARRAY(double, h->n);
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++) {
        if (!(h->page[i].time > 0)) continue;
        changes[n] = h->page[i].changes;
        time[n++] = h->page[i].time;
    }
    return sharc_rate_prior_fit(changes, time, n);
}

static void by_posterior(const struct sharc_history *h, const struct sharc_history_rates_options *o,
                         struct sharc_history_rate *ret)
{
    const struct sharc_rate_gamma all = prior_of_all(h);
    for (size_t i = 0; i < h->n; i++) {
        const struct sharc_history_page *p = &h->page[i];
        ret[i].rate = sharc_rate_combine(sharc_rate_prior_sitemap(p->frequency, o->delay, all), &p->seen, o->level);
    }
}

static void by_neighbours(const struct sharc_history *h, const struct sharc_history_rates_options *o,
                          struct sharc_history_rate *ret)
{
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *near = sharc_rate_near_new(o->coming, AGE_GRAIN);
    for (size_t i = 0; i < h->n; i++)
        if (!isnan(h->page[i].age_now)) sharc_rate_near_age(near, h->page[i].url, h->page[i].age_now);
    for (size_t i = 0; i < h->n; i++) {
        const struct sharc_history_page *p = &h->page[i];
        struct sharc_rate_history own = SHARC_RATE_HISTORY_INIT;
        if (!isnan(p->age_now)) sharc_rate_history_age(&own, p->age_now, true);
        ret[i].rate = sharc_rate_combine(sharc_rate_near_prior(near, p->url, p->age_now), &own, o->level);
        sharc_rate_history_done(&own);
    }
}

/* From looks, as a crawl of the archive would be told them. */
static void by_looks(const struct sharc_history *h, double window, struct sharc_history_rate *ret)
{
    struct sharc_rate_past_options o = sharc_crawl_past_options(sharc_time_of_seconds(h->end));
    SHARC_AUTO(sharc_freep) struct sharc_rate_estimate *rate = SHARC_NEW_ARRAY(struct sharc_rate_estimate, h->n);
    o.window = window;
    o.intervals = true;
    sharc_rate_past_rates(h->past, &o, rate, NULL);
    for (size_t i = 0; i < h->n; i++) ret[i].rate = rate[i];
}

static int by_forecast(const struct sharc_history *h, const struct sharc_history_rates_options *options,
                       struct sharc_history_rate *ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!h->data && !h->past, reterr, SHARC_EINVAL,
                  "%s: combined rates learn from a recorded history or an archive; choose posterior or near", h->name);
    if (h->past) {
        by_looks(h, options->coming, ret);
        return 0;
    }
    const struct sharc_dataset *d = h->data;
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *record = SHARC_NEW_ARRAY(struct sharc_rate_record, d->pages);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, d->pages);
    for (size_t p = 0; p < d->pages; p++) {
        record[p] = (struct sharc_rate_record){.url = d->page[p].url,
                                               .created = d->page[p].created,
                                               .deleted = d->page[p].deleted,
                                               .changes = d->change_time + d->change_at[p],
                                               .n = d->change_at[p + 1] - d->change_at[p]};
    }
    const struct sharc_rate_forecast_options o = {.start = d->start, .now = h->end, .window = options->coming};
    struct sharc_rate_forecast_report report;
    sharc_rate_forecast(record, d->pages, &o, rate, NULL, &report);
    for (size_t i = 0; i < h->n; i++) {
        const sharc_page_no origin = h->page[i].origin;
        const double counted = sharc_rate_counted(&record[origin], h->end);
        ret[i].rate.rate = report.windows ? sharc_rate_pool_counted(rate[origin], counted) : rate[origin];
        ret[i].rate.low = ret[i].rate.high = SHARC_RATE_UNKNOWN;
    }
    return 0;
}

static int hottest_first(const void *a, const void *b)
{
    const struct sharc_history_rate *x = a, *y = b;
    if (x->rate.rate != y->rate.rate) return x->rate.rate > y->rate.rate ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

void sharc_history_rates_sort(struct sharc_history_rate *rates, size_t n)
{
    if (n) qsort(rates, n, sizeof *rates, hottest_first);
}

int sharc_history_rates(const struct sharc_history *h, const struct sharc_history_rates_options *o,
                        struct sharc_history_rate *ret, struct sharc_err *reterr)
{
    for (size_t i = 0; i < h->n; i++) ret[i].page = (uint32_t)i;
    switch (o->method) {
    case SHARC_HISTORY_POSTERIOR: by_posterior(h, o, ret); return 0;
    case SHARC_HISTORY_NEAR: by_neighbours(h, o, ret); return 0;
    case SHARC_HISTORY_COMBINED: return by_forecast(h, o, ret, reterr);
    }
    SHARC_BUG("no such method");
}

int sharc_history_rates_keep(const struct sharc_history *h, enum sharc_history_method method,
                             const struct sharc_history_rate *rates, size_t n, struct sharc_store *store,
                             struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_batch_freep) struct sharc_store_batch *batch = NULL;
    int r = 0;
    sharc_store_batch_new(store, &batch);
    for (size_t i = 0; r >= 0 && i < n; i++) {
        const struct sharc_history_page *p = &h->page[rates[i].page];
        const struct sharc_store_rate row = {.url = p->url,
                                             .source = sharc_span_of(sharc_history_method_name(method)),
                                             .value = rates[i].rate.rate,
                                             .low = rates[i].rate.low,
                                             .high = rates[i].rate.high,
                                             .observations = p->seen.looks,
                                             .when = sharc_time_of_seconds(h->end)};
        r = sharc_store_batch_rate(batch, &row, reterr);
        if (r >= 0 && sharc_store_batch_full(batch)) r = sharc_store_batch_commit(batch, reterr);
    }
    return r < 0 ? r : sharc_store_batch_commit(batch, reterr);
}
