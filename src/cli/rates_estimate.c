/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates estimate, and lists of pages with their rates.
 */
#include "rates.h"

#include "archive.h"
#include "sharc/crawl_past.h"
#include "sharc/rate_forecast.h"
#include "sharc/rate_near.h"
#include "sharc/store_write.h"

#include <math.h>
#include <stdlib.h>

#define AGE_GRAIN 3600.0

/* --- estimate ------------------------------------------------------------------------- */

/* What a page without any evidence is held for: as the pages with some. */
static struct sharc_rate_gamma prior_of_all(const struct rates_source *s)
{
    SHARC_AUTO(sharc_freep) double *changes = SHARC_NEW_ARRAY(double, s->n);
    SHARC_AUTO(sharc_freep) double *time = SHARC_NEW_ARRAY(double, s->n);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!(s->page[i].time > 0)) continue;
        changes[n] = s->page[i].changes;
        time[n++] = s->page[i].time;
    }
    return sharc_rate_prior_fit(changes, time, n);
}

static void by_posterior(const struct rates_source *s, double delay, struct rates_rated *ret)
{
    const struct sharc_rate_gamma all = prior_of_all(s);
    for (size_t i = 0; i < s->n; i++) {
        const struct rates_page *p = &s->page[i];
        ret[i].rate = sharc_rate_combine(sharc_rate_prior_sitemap(p->frequency, delay, all), &p->seen, RATES_LEVEL);
    }
}

static void by_neighbours(const struct rates_source *s, double window, struct rates_rated *ret)
{
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *near = sharc_rate_near_new(window, AGE_GRAIN);
    for (size_t i = 0; i < s->n; i++)
        if (!isnan(s->page[i].age_now)) sharc_rate_near_age(near, s->page[i].url, s->page[i].age_now);
    for (size_t i = 0; i < s->n; i++) {
        const struct rates_page *p = &s->page[i];
        struct sharc_rate_history own = SHARC_RATE_HISTORY_INIT;
        if (!isnan(p->age_now)) sharc_rate_history_age(&own, p->age_now, true);
        ret[i].rate = sharc_rate_combine(sharc_rate_near_prior(near, p->url, p->age_now), &own, RATES_LEVEL);
        sharc_rate_history_done(&own);
    }
}

/* From looks, as a crawl of the archive would be told them. */
static void by_looks(const struct rates_source *s, double window, struct rates_rated *ret)
{
    struct sharc_rate_past_options o = sharc_crawl_past_options((sharc_time)(s->end * SHARC_SEC));
    SHARC_AUTO(sharc_freep) struct sharc_rate_estimate *rate = SHARC_NEW_ARRAY(struct sharc_rate_estimate, s->n);
    o.window = window;
    o.intervals = true;
    sharc_rate_past_rates(s->past, &o, rate, NULL);
    for (size_t i = 0; i < s->n; i++) ret[i].rate = rate[i];
}

static int by_forecast(const struct rates_source *s, double window, struct rates_rated *ret, struct sharc_err *err)
{
    SHARC_FAIL_IF(!s->data && !s->past, err, SHARC_EINVAL,
                  "%s: combined rates learn from a recorded history or an archive; choose --method posterior or near",
                  s->name);
    if (s->past) {
        by_looks(s, window, ret);
        return 0;
    }
    const struct sharc_dataset *d = s->data;
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *record = SHARC_NEW_ARRAY(struct sharc_rate_record, d->pages);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, d->pages);
    for (size_t p = 0; p < d->pages; p++) {
        record[p] = (struct sharc_rate_record){.url = d->page[p].url,
                                               .created = d->page[p].created,
                                               .deleted = d->page[p].deleted,
                                               .changes = d->change_time + d->change_at[p],
                                               .n = d->change_at[p + 1] - d->change_at[p]};
    }
    const struct sharc_rate_forecast_options o = {.start = d->start, .now = s->end, .window = window};
    struct sharc_rate_forecast_report report;
    sharc_rate_forecast(record, d->pages, &o, rate, &report);
    by_neighbours(s, window, ret);
    for (size_t i = 0; i < s->n; i++) {
        double own = rate[s->page[i].origin];
        ret[i].rate.rate = report.windows ? sharc_rate_pool(own, ret[i].rate.rate) : own;
        ret[i].rate.low = ret[i].rate.high = SHARC_RATE_UNKNOWN;
    }
    return 0;
}

static int hottest_first(const void *a, const void *b)
{
    const struct rates_rated *x = a, *y = b;
    if (x->rate.rate != y->rate.rate) return x->rate.rate > y->rate.rate ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

static int save_rates(const struct rates_source *s, const struct rates_settings *set, const struct rates_rated *rated,
                      size_t n, struct sharc_err *err)
{
    SHARC_FAIL_IF(s->kind != RATES_ARCHIVE, err, SHARC_EINVAL, "%s: only an archive has a catalogue to save rates in",
                  s->name);
    const struct sharc_store_options o = {.must_exist = true};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_store_batch_freep) struct sharc_store_batch *batch = NULL;
    int r = cli_archive_open(s->name, set->window.store, &o, &store, err);
    if (r < 0) return r;
    sharc_store_batch_new(store, &batch);
    for (size_t i = 0; r >= 0 && i < n; i++) {
        const struct rates_page *p = &s->page[rated[i].page];
        const struct sharc_store_rate row = {.url = p->url,
                                             .source = sharc_span_of(cli__rates_methods[set->method]),
                                             .value = rated[i].rate.rate,
                                             .low = rated[i].rate.low,
                                             .high = rated[i].rate.high,
                                             .observations = p->seen.looks,
                                             .when = (sharc_time)(s->end * SHARC_SEC)};
        r = sharc_store_batch_rate(batch, &row, err);
        if (r >= 0 && sharc_store_batch_full(batch)) r = sharc_store_batch_commit(batch, err);
    }
    return r < 0 ? r : sharc_store_batch_commit(batch, err);
}

static void rates_json(const struct rates_source *s, const struct rates_rated *rated, size_t n, size_t shown,
                       const char *method, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "source", s->name);
    sharc_json_str(&j, "method", method);
    sharc_json_uint(&j, "pages", n);
    sharc_json_array(&j, "rates");
    for (size_t i = 0; i < shown; i++) {
        const struct rates_page *p = &s->page[rated[i].page];
        sharc_json_object(&j, NULL);
        sharc_json_span(&j, "url", p->url);
        sharc_json_real(&j, "per_day", rated[i].rate.rate * RATES_DAY);
        sharc_json_real(&j, "low", rated[i].rate.low * RATES_DAY);
        sharc_json_real(&j, "high", rated[i].rate.high * RATES_DAY);
        sharc_json_real(&j, "changes", p->changes);
        sharc_json_real(&j, "days", p->time / RATES_DAY);
        sharc_json_real(&j, "weight", p->weight);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

static void bound_cell(struct cli_table *t, double rate)
{
    if (isnan(rate))
        cli_table_cell(t, "%s", "");
    else
        cli_table_cell(t, "%.3g", rate * RATES_DAY);
}

static void rates_text(struct cli *c, const struct rates_source *s, const struct rates_rated *rated, size_t n,
                       bool weights)
{
    static const char *const titles[] = {"per day", "low", "high", "changes", "days", "weight", "page"};
    const size_t columns = SHARC_LENGTH(titles) - !weights;
    const char *const plain[] = {titles[0], titles[1], titles[2], titles[3], titles[4], titles[6]};
    SHARC_AUTO(cli_table_freep)
    struct cli_table *t = cli_table_new(columns, weights ? titles : plain, weights ? "rrrrrrl" : "rrrrrl");
    for (size_t i = 0; i < n; i++) {
        const struct rates_page *p = &s->page[rated[i].page];
        cli_table_cell(t, "%.4g", rated[i].rate.rate * RATES_DAY);
        bound_cell(t, rated[i].rate.low);
        bound_cell(t, rated[i].rate.high);
        cli_table_cell(t, "%.4g", p->changes);
        cli_table_cell(t, "%.4g", p->time / RATES_DAY);
        if (weights) cli_table_cell(t, "%.3g", p->weight);
        cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(p->url));
    }
    cli_table_print(t, c->out);
}

int cli__rates_list(struct cli *c, const struct rates_source *s, struct rates_rated *rated, size_t n, uint64_t top,
                    const char *method, bool weights)
{
    qsort(rated, n, sizeof *rated, hottest_first);
    size_t shown = top ? (top < n ? (size_t)top : n) : c->json || n < 20 ? n : 20;
    if (!c->json) {
        fprintf(c->out, "%s: %s, %s rates, hottest first%s\n\n", s->name, SHARC_COUNT(n, "page"), method,
                shown < n ? " (--top for more)" : "");
        rates_text(c, s, rated, shown, weights);
        return EXIT_OK;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(RATES_OUTPUT_MAX);
    rates_json(s, rated, n, shown, method, &out);
    return cli__rates_print(c, &out);
}

int cli__rates_estimate(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(cli__rates_done) struct rates_source s;
    if (cli__rates_open(path, &set->window, &s, &err) < 0) return cli_fail(c, &err);
    if (cli__rates_weigh(&s, set->weights, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) struct rates_rated *rated = SHARC_NEW_ARRAY(struct rates_rated, s.n);
    for (size_t i = 0; i < s.n; i++) rated[i].page = (uint32_t)i;
    const double window = fmax((double)set->coming / SHARC_SEC, 1);
    if (set->method == RATES_POSTERIOR)
        by_posterior(&s, (double)set->delay / SHARC_SEC, rated);
    else if (set->method == RATES_NEAR)
        by_neighbours(&s, window, rated);
    else if (by_forecast(&s, window, rated, &err) < 0)
        return cli_fail(c, &err);
    /* What is gone has taught, but nobody will visit it. */
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!s.page[i].gone) rated[n++] = rated[i];
    if (set->save && save_rates(&s, set, rated, n, &err) < 0) return cli_fail(c, &err);
    return cli__rates_list(c, &s, rated, n, set->top, cli__rates_methods[set->method], set->weights != NULL);
}
