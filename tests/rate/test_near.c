/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_rng.h"
#include "sharc/rate_forecast.h"
#include "sharc/rate_model.h"
#include "sharc/rate_near.h"

#include <math.h>
#include <stdio.h>

#define DAY 86400.0
#define HOUR 3600.0
#define assert_same(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b))

static double prior_of(const struct sharc_rate_near *n, const char *url)
{
    return sharc_rate_prior_mean(sharc_rate_near_prior(n, sharc_span_of(url), SHARC_RATE_UNKNOWN));
}

static void nothing_seen_is_half_a_change_in_the_window(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *n = sharc_rate_near_new(10 * DAY, HOUR);
    assert_same(prior_of(n, "/a/b.html"), 0.05 / DAY);
}

static void a_folder_speaks_for_its_pages(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *n = sharc_rate_near_new(30 * DAY, HOUR);
    char url[64];
    for (int i = 0; i < 200; i++) {
        snprintf(url, sizeof url, "https://example.org/news/%d.html", i);
        sharc_rate_near_age(n, sharc_span_of(url), (i % 4 + 0.5) * DAY);
        snprintf(url, sizeof url, "https://example.org/old/%d.html", i);
        sharc_rate_near_age(n, sharc_span_of(url), 900 * DAY);
    }
    double hot = prior_of(n, "https://example.org/news/new.html"), cold = prior_of(n, "https://example.org/old/x.html");
    assert_in_range((int)(hot * DAY * 1000), 250, 520); /* about a change in two days, drawn towards the rest */
    assert_true(cold < 0.003 / DAY);
    double elsewhere = prior_of(n, "https://example.org/other/y.html");
    assert_true(cold < elsewhere && elsewhere < hot);
    /* Deeper folders inherit, and a query makes no folder. */
    assert_same(prior_of(n, "https://example.org/news/a/b/c"), hot);
    assert_same(prior_of(n, "https://example.org/news/?q=/old/"), hot);
}

static void own_age_moves_the_rate(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *n = sharc_rate_near_new(365 * DAY, HOUR);
    for (int i = 0; i < 50; i++) sharc_rate_near_age(n, SHARC_SPAN("/x/other"), 20 * DAY);
    sharc_rate_near_age(n, SHARC_SPAN("/x/young"), DAY);
    sharc_rate_near_age(n, SHARC_SPAN("/x/old"), 300 * DAY);
    double young = sharc_rate_near_rate(n, SHARC_SPAN("/x/young"), DAY),
           old = sharc_rate_near_rate(n, SHARC_SPAN("/x/old"), 300 * DAY);
    double between = prior_of(n, "/x/never-seen");
    assert_true(old < between && between < young);
    assert_true(young < 1 / DAY && old > 1 / (300 * DAY));
}

static void a_page_does_not_count_as_its_own_neighbour(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *n = sharc_rate_near_new(30 * DAY, HOUR);
    for (int i = 0; i < 5; i++) sharc_rate_near_age(n, SHARC_SPAN("/a/p"), 3 * DAY);
    double before = sharc_rate_prior_mean(sharc_rate_near_prior(n, SHARC_SPAN("/a/q"), SHARC_RATE_UNKNOWN));
    sharc_rate_near_age(n, SHARC_SPAN("/a/q"), 1);
    assert_same(sharc_rate_prior_mean(sharc_rate_near_prior(n, SHARC_SPAN("/a/q"), 1)), before);
    sharc_rate_near_replace(n, sharc_rate_near_place(n, SHARC_SPAN("/a/q")), 1, SHARC_RATE_UNKNOWN);
    assert_same(prior_of(n, "/a/q"), before);
}

/* A place is as good as the URL, and asking for it teaches nothing. */
static void a_place_stands_for_its_url(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *n = sharc_rate_near_new(30 * DAY, HOUR);
    const struct sharc_span url = SHARC_SPAN("https://a.example/x/y/z/page"),
                            deep = SHARC_SPAN("/1/2/3/4/5/6/7/8/9/10/p");
    const uint32_t early = sharc_rate_near_place(n, url);
    assert_same(sharc_rate_prior_mean(sharc_rate_near_prior_at(n, early, SHARC_RATE_UNKNOWN)), 0.5 / (30 * DAY));
    for (int i = 0; i < 5; i++) sharc_rate_near_age(n, SHARC_SPAN("https://a.example/x/y/other"), i * DAY);
    sharc_rate_near_age(n, deep, DAY);
    assert_int_equal(sharc_rate_near_place(n, url), early);
    assert_same(sharc_rate_prior_mean(sharc_rate_near_prior_at(n, early, SHARC_RATE_UNKNOWN)),
                sharc_rate_prior_mean(sharc_rate_near_prior(n, url, SHARC_RATE_UNKNOWN)));
    sharc_rate_near_age(n, url, 2 * DAY);
    assert_same(sharc_rate_prior_mean(sharc_rate_near_prior_at(n, early, 2 * DAY)),
                sharc_rate_prior_mean(sharc_rate_near_prior(n, url, 2 * DAY)));
    assert_same(sharc_rate_prior_mean(sharc_rate_near_prior_at(n, sharc_rate_near_place(n, deep), DAY)),
                sharc_rate_prior_mean(sharc_rate_near_prior(n, deep, DAY)));
}

/* Pages of one folder change together, of another never; the past teaches which. */
static void a_forecast_knows_the_lively_folder(void **state)
{
    (void)state;
    enum { PAGES = 400, DAYS = 400 };
    SHARC_AUTO(sharc_freep) double *times = SHARC_NEW_ARRAY(double, (size_t)PAGES *DAYS);
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *page = SHARC_NEW_ARRAY(struct sharc_rate_record, PAGES);
    static char url[PAGES][40];
    struct sharc_rng rng;
    sharc_rng_init(&rng, 5);
    size_t n = 0;
    for (size_t p = 0; p < PAGES; p++) {
        bool lively = p % 2;
        snprintf(url[p], sizeof url[p], "/%s/page-%zu", lively ? "news" : "old", p);
        page[p] = (struct sharc_rate_record){.url = sharc_span_of(url[p]), .deleted = HUGE_VAL, .changes = times + n};
        for (double t = 0;;) {
            t += sharc_rng_exponential(&rng, (lively ? 1.0 / 40 : 1.0 / 4000) / DAY);
            if (t > DAYS * DAY) break;
            times[n++] = floor(t);
            page[p].n++;
        }
    }
    const struct sharc_rate_forecast_options o = {.start = 0, .now = 370 * DAY, .window = 30 * DAY};
    double rate[PAGES], sum[2] = {0};
    struct sharc_rate_forecast_report report;
    sharc_rate_forecast(page, PAGES, &o, rate, NULL, &report);
    assert_int_equal(report.windows, 22); /* 24 at most; twenty days must lie before the first */
    assert_int_equal(report.examples, 22 * PAGES);
    for (size_t p = 0; p < PAGES; p++) sum[p % 2] += rate[p] / (PAGES / 2.0);
    assert_true(sum[1] > 0.6 / 40 / DAY && sum[1] < 1.6 / 40 / DAY);
    assert_true(sum[0] < 0.1 * sum[1]);
    /* The future is not looked at. */
    double again[PAGES];
    for (size_t p = 0; p < PAGES; p++)
        while (page[p].n && page[p].changes[page[p].n - 1] > o.now) page[p].n--;
    sharc_rate_forecast(page, PAGES, &o, again, NULL, NULL);
    assert_memory_equal(rate, again, sizeof rate);
    page[7].deleted = 100 * DAY;
    sharc_rate_forecast(page, PAGES, &o, again, NULL, NULL);
    assert_true(again[7] == 0);
}

/* An edit of the whole site every three weeks tells nothing of who is next; a folder that is
 * edited on its own besides does. */
static void edits_of_the_whole_site_are_not_learned_from(void **state)
{
    (void)state;
    enum { PAGES = 400, DAYS = 400 };
    SHARC_AUTO(sharc_freep) double *times = SHARC_NEW_ARRAY(double, (size_t)PAGES *DAYS);
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *page = SHARC_NEW_ARRAY(struct sharc_rate_record, PAGES);
    static char url[PAGES][40];
    size_t n = 0;
    for (size_t p = 0; p < PAGES; p++) {
        const bool lively = p % 2;
        snprintf(url[p], sizeof url[p], "/%s/page-%zu", lively ? "news" : "old", p);
        page[p] = (struct sharc_rate_record){.url = sharc_span_of(url[p]), .deleted = HUGE_VAL, .changes = times + n};
        for (int day = 1; day < DAYS; day++) {
            const bool all = day % 21 == 0, own = lively && ((size_t)day + p) % 30 == 0;
            if (all || own) times[n++] = day * DAY + (all ? 0 : (double)p), page[p].n++;
        }
    }
    const struct sharc_rate_forecast_options o = {.start = 0, .now = 390 * DAY, .window = 30 * DAY};
    double rate[PAGES], sum[2] = {0};
    struct sharc_rate_forecast_report report;
    sharc_rate_forecast(page, PAGES, &o, rate, NULL, &report);
    assert_true(report.windows > 0);
    assert_true(report.changed <= report.examples / 2 + report.windows);
    for (size_t p = 0; p < PAGES; p++) sum[p % 2] += rate[p];
    assert_true(sum[1] > 5 * sum[0]);
}

static void a_short_past_is_counted(void **state)
{
    (void)state;
    const double changes[] = {1 * DAY, 2 * DAY, 3 * DAY};
    const struct sharc_rate_record page[] = {
        {.url = SHARC_SPAN("/a"), .deleted = HUGE_VAL, .changes = changes, .n = 3},
        {.url = SHARC_SPAN("/b"), .deleted = HUGE_VAL},
        {.url = SHARC_SPAN("/c"), .created = 9 * DAY, .deleted = HUGE_VAL},
    };
    const struct sharc_rate_forecast_options o = {.start = 0, .now = 5 * DAY, .window = 7 * DAY};
    double rate[3];
    struct sharc_rate_forecast_report report;
    sharc_rate_forecast(page, 3, &o, rate, NULL, &report);
    assert_int_equal(report.windows, 0);
    assert_true(rate[0] > 2 * rate[1] && rate[1] > 0);
    assert_true(rate[2] == 0); /* not there yet */
    sharc_rate_forecast(NULL, 0, &o, rate, NULL, &report);
    assert_int_equal(report.examples, 0);
}

/* Three busy pages in folders where nothing ever happens: what they showed
 * themselves, hundreds of times, is what counts. */
static void a_busy_page_among_quiet_ones_keeps_its_rate(void **state)
{
    (void)state;
    enum { PAGES = 400, DAYS = 200, BUSY = 3 };
    static const double per_day[BUSY] = {2.875, 1, 12};
    SHARC_AUTO(sharc_freep) double *times = SHARC_NEW_ARRAY(double, 20 * DAYS + PAGES);
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *page = SHARC_NEW_ARRAY(struct sharc_rate_record, PAGES);
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *near = sharc_rate_near_new(30 * DAY, HOUR);
    static char url[PAGES][40];
    double age[PAGES], rate[PAGES], own[PAGES];
    struct sharc_rng rng;
    sharc_rng_init(&rng, 32);
    size_t n = 0;
    for (size_t p = 0; p < PAGES; p++) {
        snprintf(url[p], sizeof url[p], "/docs/page-%zu", p);
        page[p] =
            (struct sharc_rate_record){.url = sharc_span_of(url[p]), .deleted = (double)INFINITY, .changes = times + n};
        const double mean = (p < BUSY ? per_day[p] : 1.0 / 1000) / DAY;
        for (double t = sharc_rng_exponential(&rng, mean); t < DAYS * DAY; t += sharc_rng_exponential(&rng, mean))
            times[n++] = t, page[p].n++;
        age[p] = DAYS * DAY - (page[p].n ? times[n - 1] : 0);
        sharc_rate_near_age(near, page[p].url, age[p]);
    }
    const struct sharc_rate_forecast_options o = {.start = 0, .now = DAYS * DAY, .window = 30 * DAY};
    struct sharc_rate_forecast_report report;
    sharc_rate_forecast(page, PAGES, &o, rate, own, &report);
    assert_true(report.windows > 0);
    for (size_t p = 0; p < BUSY; p++) {
        const double counted = (double)page[p].n / DAYS;
        const double around = sharc_rate_near_rate(near, page[p].url, age[p]);
        const double said[] = {sharc_rate_pool(rate[p], around, own[p]) * DAY,
                               sharc_rate_pool_counted(rate[p], sharc_rate_counted(&page[p], o.now)) * DAY};
        for (int k = 0; k < 2; k++)
            if (!(said[k] > 0.75 * counted && said[k] < 1.33 * counted))
                fail_msg("page %zu: %g a day, where %g were counted", p, said[k], counted);
    }
    /* Where little is known both count alike. */
    assert_same(sharc_rate_pool(4, 1, 3), 2.0);
    assert_same(sharc_rate_pool(0, 1, 100), 1.0);
    /* A page of many changes does without its neighbours. */
    const double busy = sharc_rate_pool(8, 1e-9, 1000);
    assert_true(busy > 7.9 && busy < 8.1);
    assert_same(sharc_rate_pool_counted(1, 1024), 8.0);
    assert_same(sharc_rate_pool_counted(0, 3), 3.0);
    assert_true(sharc_rate_of_bursts(1) < 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_busy_page_among_quiet_ones_keeps_its_rate),
    cmocka_unit_test(nothing_seen_is_half_a_change_in_the_window),
    cmocka_unit_test(a_folder_speaks_for_its_pages),
    cmocka_unit_test(own_age_moves_the_rate),
    cmocka_unit_test(a_page_does_not_count_as_its_own_neighbour),
    cmocka_unit_test(a_place_stands_for_its_url),
    cmocka_unit_test(a_forecast_knows_the_lively_folder),
    cmocka_unit_test(edits_of_the_whole_site_are_not_learned_from),
    cmocka_unit_test(a_short_past_is_counted),
};
TEST_MAIN(tests)
