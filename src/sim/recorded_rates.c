/* SPDX-License-Identifier: Apache-2.0
 *
 * What a crawler may know at the start of a window about how often each page
 * changes. Only the oracle and the sitemap look into the window itself: the
 * first as the papers' yardstick, the second because a site's owner knows.
 */
#include "sim_int.h"

#include "sharc/base_order.h"
#include "sharc/rate.h"
#include "sharc/rate_forecast.h"
#include "sharc/rate_model.h"
#include "sharc/rate_near.h"

#include <math.h>
#include <stdlib.h>

#define DAY 86400.0
#define MEMORY (730 * DAY) /* how far the history before the window counts */

static const char *const names[] = {
    [SHARC_SIM_ORACLE] = "oracle",   [SHARC_SIM_HISTORY] = "history", [SHARC_SIM_PREDICTED] = "predicted",
    [SHARC_SIM_SITEMAP] = "sitemap", [SHARC_SIM_AGE] = "age",         [SHARC_SIM_COMBINED] = "combined",
    [SHARC_SIM_COUNTED] = "counted", [SHARC_SIM_GIVEN] = "given",     [SHARC_SIM_NEAR] = "near",
};

const char *sharc_sim_rates_name(enum sharc_sim_rates r)
{
    return names[r];
}

/* The page's own past: changes counted and time observed before the window. */
struct past {
    const double *h;
    size_t n;
    double observed, age; /* age: since the last change, or since creation */
};

static struct past past_of(const struct sharc_sim_site *s, uint32_t page)
{
    const struct sharc_dataset_page *p = &s->data->page[s->origin[page]];
    double since = fmax(s->from - MEMORY, p->created);
    struct past past = {.observed = fmax(s->from - since, 0)};
    past.n = sharc_dataset_between(s->data, s->origin[page], since, s->from, &past.h);
    const double *all;
    size_t n = sharc_dataset_between(s->data, s->origin[page], -HUGE_VAL, s->from, &all);
    past.age = fmax(s->from - (n ? all[n - 1] : p->created), 0);
    return past;
}

static double oracle_rate(const struct sharc_sim_site *s, uint32_t page)
{
    const double *h;
    return (double)sharc_dataset_between(s->data, s->origin[page], s->from, s->to, &h) / (s->to - s->from);
}

static double history_rate(const struct sharc_sim_site *s, uint32_t page)
{
    struct past past = past_of(s, page);
    return ((double)past.n + 0.1) / (past.observed + 30 * DAY);
}

static double sitemap_rate(const struct sharc_sim_site *s, uint32_t page)
{
    double delay = (s->to - s->from) / (2.0 * s->pages);
    enum sharc_changefreq f = sharc_rate_changefreq_of(oracle_rate(s, page), delay, SHARC_FREQ_TAU);
    return sharc_rate_sitemap(f, delay, SHARC_FREQ_TAU);
}

static double age_rate(const struct sharc_sim_site *s, uint32_t page)
{
    return sharc_rate_from_age(past_of(s, page).age, AGE_GRAIN);
}

/* --- prediction ---------------------------------------------------------- */

static void features_of(const struct sharc_sim_site *s, uint32_t page, const uint32_t *inlinks,
                        struct sharc_rate_value v[SHARC_RATE_OFFLINE])
{
    const struct sharc_dataset_page *p = &s->data->page[s->origin[page]];
    struct sharc_rate_facts f = {
        .url = p->url,
        .mime = p->mime,
        .days_since_change = past_of(s, page).age / DAY,
        .images = p->images,
        .tables = p->tables,
        .outlinks = p->outlinks,
        .inlinks = inlinks[page],
    };
    sharc_rate_features(&f, v);
}

/* Every page with a past teaches; `predicted` asks about all of them, as a first
 * capture of a sister site would. */
static int train(const struct sharc_sim_site *s, enum sharc_rate_learner learner, const uint32_t *inlinks,
                 struct sharc_rate_model **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_rate_table_freep)
    struct sharc_rate_table *t = sharc_rate_table_new(sharc_rate_columns, SHARC_RATE_OFFLINE);
    for (uint32_t p = 0; p < s->pages; p++) {
        struct past past = past_of(s, p);
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        if (past.observed < DAY) continue;
        features_of(s, p, inlinks, v);
        sharc_rate_table_add(t, v, (double)past.n, past.observed);
    }
    SHARC_FAIL_IF(
        sharc_rate_table_rows(t) == 0, reterr, SHARC_EINVAL,
        "no page of %s has a past before the window to learn from; choose a later window, or age for setting \"rates\"",
        s->name);
    struct sharc_rate_options o = SHARC_RATE_OPTIONS;
    o.learner = learner;
    return sharc_rate_train(t, &o, ret, reterr);
}

static int check_model(const struct sharc_rate_model *m, struct sharc_err *reterr)
{
    size_t n;
    const struct sharc_rate_column *c = sharc_rate_model_columns(m, &n);
    bool fits = n == SHARC_RATE_ONLINE || n == SHARC_RATE_OFFLINE;
    for (size_t i = 0; fits && i < n; i++) fits = strcmp(c[i].name, sharc_rate_columns[i].name) == 0;
    SHARC_FAIL_IF(
        !fits, reterr, SHARC_EINVAL,
        "the model needs features that these pages do not have; train one with sharc rates on this kind of data");
    return 0;
}

static int predicted_rates(struct sharc_sim_site *s, const struct sharc_sim_window *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) uint32_t *inlinks = SHARC_NEW_ARRAY(uint32_t, s->pages);
    for (uint32_t i = 0; i < s->link_at[s->pages]; i++) inlinks[s->link_to[i]]++;
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *trained = NULL;
    int r = w->model ? check_model(w->model, reterr) : train(s, w->learner, inlinks, &trained, reterr);
    if (r < 0) return r;
    const struct sharc_rate_model *m = w->model ? w->model : trained;
    for (uint32_t p = 0; p < s->pages; p++) {
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        struct sharc_rate_prediction guess;
        features_of(s, p, inlinks, v);
        sharc_rate_predict(m, v, &guess);
        s->told[p] = guess.expected;
    }
    return 0;
}

/* --- neighbours, and all of the past ---------------------------------------- */

/* The time for which rates are wanted: the window, or as long as a capture with
 * revisits takes. */
static double span_of(const struct sharc_sim_site *s)
{
    return s->to > s->from ? s->to - s->from : fmax(s->slot * 2.0 * s->pages, 1);
}

/* Ages as an earlier capture, or a sitemap's lastmod, would know them. */
static void near_rates(struct sharc_sim_site *s)
{
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *near = sharc_rate_near_new(span_of(s), AGE_GRAIN);
    for (uint32_t p = 0; p < s->pages; p++)
        sharc_rate_near_age(near, s->data->page[s->origin[p]].url, past_of(s, p).age);
    for (uint32_t p = 0; p < s->pages; p++)
        s->told[p] = sharc_rate_near_rate(near, s->data->page[s->origin[p]].url, past_of(s, p).age);
}

/* What boosted trees learned from the site's own past, and the page's own count. */
static void combined_rates(struct sharc_sim_site *s)
{
    const struct sharc_dataset *d = s->data;
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *record = SHARC_NEW_ARRAY(struct sharc_rate_record, d->pages);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, d->pages);
    for (size_t p = 0; p < d->pages; p++) {
        record[p] = (struct sharc_rate_record){
            .url = d->page[p].url,
            .created = d->page[p].created,
            .deleted = d->page[p].deleted,
            .changes = d->change_time + d->change_at[p],
            .n = d->change_at[p + 1] - d->change_at[p],
        };
    }
    const struct sharc_rate_forecast_options o = {.start = d->start, .now = s->from, .window = span_of(s)};
    struct sharc_rate_forecast_report report;
    sharc_rate_forecast(record, d->pages, &o, rate, NULL, &report);
    for (uint32_t p = 0; p < s->pages; p++) {
        const sharc_page_no origin = s->origin[p];
        double told = rate[origin];
        if (report.windows) told = sharc_rate_pool_counted(told, sharc_rate_counted(&record[origin], s->from));
        s->told[p] = sharc_rate_of_bursts(told);
    }
}

/* --- all ----------------------------------------------------------------- */

static double median(const double *v, size_t n)
{
    SHARC_AUTO(sharc_freep) double *copy = SHARC_NEW_ARRAY(double, n);
    memcpy(copy, v, n * sizeof *v);
    qsort(copy, n, sizeof *copy, sharc_order_double);
    return copy[n / 2];
}

int sharc__sim_rates_fill(struct sharc_sim_site *s, const struct sharc_sim_window *w, struct sharc_err *reterr)
{
    static double (*const by_page[])(const struct sharc_sim_site *, uint32_t) = {
        [SHARC_SIM_ORACLE] = oracle_rate, [SHARC_SIM_HISTORY] = history_rate, [SHARC_SIM_SITEMAP] = sitemap_rate,
        [SHARC_SIM_AGE] = age_rate,       [SHARC_SIM_COUNTED] = oracle_rate,  [SHARC_SIM_GIVEN] = NULL,
    };
    s->told = SHARC_NEW_ARRAY(double, s->pages);
    if (w->rates == SHARC_SIM_PREDICTED) return predicted_rates(s, w, reterr);
    if (w->rates == SHARC_SIM_NEAR) {
        near_rates(s);
    } else if (w->rates == SHARC_SIM_COMBINED) {
        combined_rates(s);
    } else {
        for (uint32_t p = 0; p < s->pages; p++)
            s->told[p] = w->rates == SHARC_SIM_GIVEN ? w->given[s->origin[p]] : by_page[w->rates](s, p);
    }
    s->neutral = median(s->told, s->pages);
    return 0;
}
