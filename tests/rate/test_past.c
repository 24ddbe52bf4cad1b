/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates from looks at irregular times: single pages against the formula, sites
 * of known rates against the truth.
 */
#include "test.h"

#include "sharc/base_rng.h"
#include "sharc/rate_past.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY 86400.0
#define WEEK (7 * DAY)
#define assert_same(a, b) assert_true(fabs((a) - (b)) <= 1e-6 * fabs(b))

static void look(struct sharc_rate_past *p, double when, bool changed, double age)
{
    const struct sharc_rate_past_look l = {.when = when, .changed = changed, .age = age};
    sharc_rate_past_look(p, &l);
}

static void one_page_is_its_posterior(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = sharc_rate_past_new();
    sharc_rate_past_page(p, SHARC_SPAN("http://x.test/"));
    look(p, 0, true, 10 * DAY); /* there is nothing before that it could differ from */
    look(p, 3 * DAY, true, (double)NAN);
    look(p, 10 * DAY, false, (double)NAN);
    struct sharc_rate_past_page about;
    sharc_rate_past_about(p, 0, &about);
    assert_int_equal(about.looks, 2);
    assert_int_equal(about.changed, 1);
    assert_same(about.age, 8.5 * DAY);
    const struct sharc_rate_past_options o = {.now = 10 * DAY, .window = 15 * DAY, .grain = 60, .intervals = true};
    struct sharc_rate_estimate e;
    struct sharc_rate_forecast_report report;
    sharc_rate_past_rates(p, &o, &e, &report);
    assert_int_equal(report.windows, 0);
    SHARC_AUTO(sharc_rate_history_done) struct sharc_rate_history h = SHARC_RATE_HISTORY_INIT;
    sharc_rate_history_look(&h, 3 * DAY, true);
    sharc_rate_history_look(&h, 7 * DAY, false);
    sharc_rate_history_age(&h, 10 * DAY + 60, true);
    const struct sharc_rate_estimate want = sharc_rate_combine(sharc_rate_prior(1 / (30 * DAY), 0.25), &h, 0.95);
    assert_same(e.rate, want.rate);
    assert_same(e.low, want.low);
    assert_same(e.high, want.high);
}

static void what_is_given_moves_the_prior(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = sharc_rate_past_new();
    const double given[] = {16 / (30 * DAY), 0};
    struct sharc_rate_past_options o = {.now = 0, .window = 15 * DAY, .grain = 60, .given = given};
    struct sharc_rate_estimate e[2];
    sharc_rate_past_page(p, SHARC_SPAN("/a"));
    sharc_rate_past_page(p, SHARC_SPAN("/b"));
    sharc_rate_past_rates(p, &o, e, NULL);
    assert_same(e[0].rate, 16 / (30 * DAY)); /* nobody else has been seen */
    assert_same(e[1].rate, 1 / (30 * DAY));
}

static void looks_teach_about_neighbours(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = sharc_rate_past_new();
    static char url[42][32];
    for (int i = 0; i < 42; i++) {
        snprintf(url[i], sizeof url[i], "/%s/%d", i % 2 ? "busy" : "calm", i);
        sharc_rate_past_page(p, sharc_span_of(url[i]));
        for (int k = 0; i < 40 && k < 5; k++) look(p, k * WEEK, i % 2, (double)NAN);
    }
    const struct sharc_rate_past_options o = {.now = 4 * WEEK, .window = 15 * DAY, .grain = 60};
    struct sharc_rate_estimate e[42];
    sharc_rate_past_rates(p, &o, e, NULL);
    assert_true(e[41].rate > 5 * e[40].rate); /* that nobody ever looked at */
    assert_true(e[1].rate > 20 * e[0].rate);
}

/* --- a site of which captures are made every week ------------------------------------- */

enum { PAGES = 400, CAPTURES = 10 };

struct site {
    char url[PAGES][40];
    double rate[PAGES];
};

/* A quarter of the pages are busy: a folder of their own, and some elsewhere. */
static void make_site(struct site *s)
{
    for (int i = 0; i < PAGES; i++) {
        const bool news = i < 60;
        snprintf(s->url[i], sizeof s->url[i], "http://x.test/%s/%d.html", news ? "news" : i % 2 ? "docs" : "blog", i);
        s->rate[i] = news || i % 10 == 0 ? 0.9 / WEEK : 0.01 / WEEK;
    }
}

/* Page i is looked at in every capture, or (seldom) in every second one. */
static struct sharc_rate_past *watch(const struct site *s, bool seldom, uint64_t seed)
{
    struct sharc_rate_past *p = sharc_rate_past_new();
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed);
    for (int i = 0; i < PAGES; i++) {
        double last = 0;
        sharc_rate_past_page(p, sharc_span_of(s->url[i]));
        for (int k = 0; k < CAPTURES; k++) {
            if (seldom && i % 2 && k % 2) continue;
            const double now = k * WEEK + i * 10;
            look(p, now, k && sharc_rng_uniform(&rng) < 1 - exp(-s->rate[i] * (now - last)), (double)NAN);
            last = now;
        }
    }
    for (int k = 0; k < CAPTURES; k++) sharc_rate_past_capture(p, 1, k * WEEK + PAGES * 10);
    return p;
}

static double mean_of(const struct site *s, const struct sharc_rate_estimate *e, bool busy, int odd)
{
    double sum = 0, n = 0;
    for (int i = 0; i < PAGES; i++) {
        if ((s->rate[i] > 0.5 / WEEK) != busy || (odd >= 0 && i % 2 != odd)) continue;
        sum += e[i].rate;
        n++;
    }
    return sum / n * WEEK;
}

static const struct sharc_rate_past_options weekly = {.now = (CAPTURES - 1) * WEEK + PAGES * 10,
                                                      .window = 15 * DAY,
                                                      .grain = 60};

static void captures_teach_a_forecast(void **state)
{
    (void)state;
    static struct site s;
    static struct sharc_rate_estimate e[PAGES];
    struct sharc_rate_forecast_report report;
    make_site(&s);
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = watch(&s, false, 3);
    sharc_rate_past_rates(p, &weekly, e, &report);
    assert_int_equal(report.windows, CAPTURES - 1);
    assert_true(report.examples == (CAPTURES - 1) * PAGES);
    assert_true(isnan(e[0].low));
    assert_in_range((int)(100 * mean_of(&s, e, true, -1)), 45, 140);
    assert_in_range((int)(1000 * mean_of(&s, e, false, -1)), 3, 50);
    /* Told apart page by page: nearly every busy page is above nearly every calm one. */
    int wrong = 0;
    for (int i = 0; i < PAGES; i++) wrong += (e[i].rate * WEEK > 0.2) != (s.rate[i] > 0.5 / WEEK);
    assert_true(wrong < PAGES / 50);
}

/* That nobody looked is no sign that nothing changed. */
static void pages_left_out_are_not_unchanged(void **state)
{
    (void)state;
    static struct site s;
    static struct sharc_rate_estimate e[PAGES];
    make_site(&s);
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = watch(&s, true, 4);
    sharc_rate_past_rates(p, &weekly, e, NULL);
    double even = mean_of(&s, e, true, 0), odd = mean_of(&s, e, true, 1);
    assert_true(odd > 0.5 * even && odd < 2 * even);
}

static void too_little_is_left_to_the_posterior(void **state)
{
    (void)state;
    static struct site s;
    static struct sharc_rate_estimate with[PAGES], without[PAGES];
    struct sharc_rate_forecast_report report;
    make_site(&s);
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = sharc_rate_past_new();
    for (int i = 0; i < PAGES; i++) {
        sharc_rate_past_page(p, sharc_span_of(s.url[i]));
        look(p, i, false, 50 * DAY);
        look(p, WEEK + i, i % 3 == 0, (double)NAN);
    }
    sharc_rate_past_capture(p, 1, PAGES);
    sharc_rate_past_capture(p, 1, WEEK + PAGES);
    struct sharc_rate_past_options o = weekly;
    sharc_rate_past_rates(p, &o, with, &report);
    assert_int_equal(report.windows, 0);
    o.no_forecast = true;
    sharc_rate_past_rates(p, &o, without, NULL);
    for (int i = 0; i < PAGES; i++) assert_same(with[i].rate, without[i].rate);
    assert_true(with[0].rate > with[1].rate);
}

static void gone_and_back(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = sharc_rate_past_new();
    struct sharc_rate_past_page about;
    sharc_rate_past_page(p, SHARC_SPAN("/a"));
    look(p, 0, false, (double)NAN);
    const struct sharc_rate_past_look gone = {.when = DAY, .changed = true, .gone = true, .age = (double)NAN};
    sharc_rate_past_look(p, &gone);
    sharc_rate_past_about(p, 0, &about);
    assert_true(about.gone);
    look(p, 2 * DAY, true, (double)NAN);
    sharc_rate_past_about(p, 0, &about);
    assert_false(about.gone);
    assert_int_equal(about.changed, 2);
    sharc_rate_past_page(p, SHARC_SPAN("/never"));
    sharc_rate_past_about(p, 1, &about);
    assert_int_equal(about.looks, 0);
}

/* Looks that are seconds apart and differ are no matter of days. */
static void fast_sites_are_told_from_slow_ones(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *p = sharc_rate_past_new();
    enum { N = 40 };
    char url[N][16];
    struct sharc_rate_estimate e[N];
    for (int i = 0; i < N; i++) {
        snprintf(url[i], sizeof url[i], "/a/%d", i);
        sharc_rate_past_page(p, sharc_span_of(url[i]));
        for (int k = 0; k < 2; k++) {
            const struct sharc_rate_past_look look = {4 * k, k && i % 2, false, (double)NAN};
            sharc_rate_past_look(p, &look);
        }
    }
    const struct sharc_rate_past_options o = {.now = 10, .window = 15 * DAY, .grain = 1};
    sharc_rate_past_rates(p, &o, e, NULL);
    assert_true(e[1].rate > 1 / 20.0 && e[1].rate < 1);
    assert_true(e[0].rate < e[1].rate / 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_page_is_its_posterior),           cmocka_unit_test(what_is_given_moves_the_prior),
    cmocka_unit_test(fast_sites_are_told_from_slow_ones),  cmocka_unit_test(looks_teach_about_neighbours),
    cmocka_unit_test(captures_teach_a_forecast),           cmocka_unit_test(pages_left_out_are_not_unchanged),
    cmocka_unit_test(too_little_is_left_to_the_posterior), cmocka_unit_test(gone_and_back),
};
TEST_MAIN(tests)
