/* SPDX-License-Identifier: Apache-2.0 */
#include "sites.h"

#include "sharc/sim.h"

#include <math.h>
#include <stdlib.h>

static struct sharc_sim_result run_one(const struct sharc_sim_site *site, const char *strategy,
                                       const struct sharc_sim_options *o)
{
    const struct sharc_strategy_ops *ops = sharc_strategy_find(strategy);
    assert_non_null(ops);
    struct sharc_sim_result r;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_sim_run(site, &ops, 1, o, &r, &err) < 0) {
        print_error("%s\n", err.text);
        fail();
    }
    return r;
}

static struct sharc_sim_site *synthetic(uint32_t pages, double skew, bool hot)
{
    struct sharc_sim_synthetic shape = SHARC_SIM_SYNTHETIC;
    shape.pages = pages;
    shape.skew = skew;
    shape.hot_leaves = hot;
    struct sharc_sim_site *s;
    assert_int_equal(sharc_sim_synthetic_new(&shape, &s, NULL), 0);
    return s;
}

/* Every rate 1, so any order has the blur of a uniform one: T/3 on average. */
static void blur_of_equal_rates_is_a_third_of_the_span(void **state)
{
    (void)state;
    struct sharc_sim_site *s = synthetic(400, 0, false);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.runs = 4;
    struct sharc_sim_result r = run_one(s, "bfs", &o);
    assert_close(r.average_blur.mean / 399, 1.0 / 3, 0.01);
    assert_close(r.expected_blur.mean / 399, 1.0 / 3, 0.001);
    assert_close(r.blur_bound, 399 / 4.0, 1e-9);
    assert_true(r.average_blur.half > 0);
    sharc_sim_site_free(s);
}

/* In FIFO order every page waits N slots: N - sum exp(-rate N) incoherent. */
static void fifo_incoherence_follows_from_the_rates(void **state)
{
    (void)state;
    const double n = 2000;
    struct sharc_sim_site *s = synthetic((uint32_t)n, 1.2, true);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.runs = 5;
    double expected = 0;
    for (uint32_t i = 0; i < n; i++) expected += 1 - exp(-n * pow(i + 1, -1.2));
    struct sharc_sim_result r = run_one(s, "bfs-fifo", &o);
    assert_close(r.incoherence.mean, expected, 0.03 * expected);
    assert_close(r.expected_coherence.mean, n - expected, 1e-6 * n);
    assert_close(r.requests.mean, 2.0 * n, 0);
    r = run_one(s, "bfs-lifo", &o);
    assert_close(r.requests.mean, 2.0 * n - 1, 0);
    sharc_sim_site_free(s);
}

static void a_seed_is_a_result_whatever_the_threads(void **state)
{
    (void)state;
    struct sharc_sim_site *s = synthetic(1000, 1.2, false);
    const struct sharc_strategy_ops **list;
    size_t n;
    assert_int_equal(sharc_sim_strategies_parse(SHARC_SPAN("all"), &list, &n, NULL), 0);
    assert_int_equal(n, sharc_strategy_count());
    struct sharc_sim_result *a = SHARC_NEW_ARRAY(struct sharc_sim_result, n),
                            *b = SHARC_NEW_ARRAY(struct sharc_sim_result, n);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.runs = 2;
    o.known = 0.3;
    o.threads = 1;
    assert_int_equal(sharc_sim_run(s, list, n, &o, a, NULL), 0);
    o.threads = 4;
    assert_int_equal(sharc_sim_run(s, list, n, &o, b, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(a[i].average_blur.mean == b[i].average_blur.mean);
        assert_true(a[i].incoherence.mean == b[i].incoherence.mean);
        assert_true(a[i].captured.mean == 1000 && a[i].missed.mean == 0);
        if (a[i].strategy->revisits) assert_true(a[i].expected_coherence.mean <= a[i].bound * (1 + 1e-9));
    }
    o.seed = 2;
    assert_int_equal(sharc_sim_run(s, list, n, &o, b, NULL), 0);
    assert_true(a[0].average_blur.mean != b[0].average_blur.mean);
    free(a);
    free(b);
    free(list);
    sharc_sim_site_free(s);
}

static void offline_beats_online_beats_chance(void **state)
{
    (void)state;
    struct sharc_sim_site *s = synthetic(3000, 1.2, true);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.runs = 3;
    o.size_known = true;
    double offline = run_one(s, "sharc-offline", &o).average_blur.mean;
    double online = run_one(s, "sharc-online", &o).average_blur.mean;
    double bfs = run_one(s, "bfs", &o).average_blur.mean;
    assert_true(offline <= online * 1.01 && online < bfs);
    double selective = run_one(s, "sharc-selective-offline", &o).incoherence.mean;
    double lifo = run_one(s, "bfs-lifo", &o).incoherence.mean;
    assert_true(selective < lifo);
    sharc_sim_site_free(s);
}

/* --- the small recorded site ------------------------------------------------- */

struct recorded {
    char *dir;
    struct sharc_dataset *d;
    struct sharc_sim_site *site;
};

static void recorded_open(struct recorded *r, const struct sharc_sim_window *w)
{
    struct sharc_err err = SHARC_ERR_INIT;
    r->dir = test_mkdir();
    write_site(r->dir);
    assert_int_equal(sharc_dataset_open(r->dir, &r->d, NULL), 0);
    if (sharc_sim_recorded_new(r->d, w, &r->site, &err) < 0) {
        print_error("%s\n", err.text);
        fail();
    }
}

static void recorded_close(struct recorded *r)
{
    sharc_sim_site_free(r->site);
    sharc_dataset_free(r->d);
    test_rmdir(r->dir);
}

/* Alive from 100 to 300: pages 1 2 3 4 and the lone 7, found last. Single
 * visits at 100 150 200 250 300 in the order 1 2 3 4 7. */
static void a_window_is_judged_by_what_happened(void **state)
{
    (void)state;
    struct recorded r;
    struct sharc_sim_window w = {.from = 100, .to = 300, .rates = SHARC_SIM_ORACLE};
    recorded_open(&r, &w);
    assert_int_equal(sharc_sim_site_pages(r.site), 5);
    assert_int_equal(sharc_sim_site_changing(r.site), 4);
    assert_int_equal(sharc_sim_site_origin(r.site, 4), 6);
    assert_close(sharc_sim_site_rate(r.site, 3), 5 / 200.0, 1e-12);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    struct sharc_sim_result one = run_one(r.site, "bfs", &o);
    /* page 1 at 100: (300-150)+(300-250); page 2 at 150: 300-210; page 4 at 250:
     * 20+60+105+140+(300-280); page 7 at 300: 10. */
    assert_close(one.average_blur.mean, (200 + 90 + 345 + 10) / 200.0 / 5, 1e-9);
    /* Changed since the start when visited: 4 and 7. */
    assert_close(one.incoherence.mean, 2, 0);
    /* LIFO: slots of 25: visits 100 125 150 175 200, revisits 225 250 275 300:
     * 1 changed at 150 and 250, 2 at 210, 4 at 205, 7 is the apex. */
    struct sharc_sim_result two = run_one(r.site, "bfs-lifo", &o);
    assert_close(two.requests.mean, 9, 0);
    assert_close(two.incoherence.mean, 3, 0);
    recorded_close(&r);
}

/* 5 is deleted at 190, 6 is born at 220 and linked from 4. */
static void pages_come_and_go_during_a_crawl(void **state)
{
    (void)state;
    struct recorded r;
    struct sharc_sim_window w = {.from = 100, .to = 300, .births = true};
    recorded_open(&r, &w);
    assert_int_equal(sharc_sim_site_pages(r.site), 7);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    struct sharc_sim_result all = run_one(r.site, "bfs", &o);
    assert_true(all.captured.mean + all.missed.mean == 7);
    assert_true(all.captured.mean >= 5);
    recorded_close(&r);
}

static void rates_of_every_source(void **state)
{
    (void)state;
    static const char *const names[] = {"oracle", "history",  "predicted", "sitemap",
                                        "age",    "combined", "counted",   "near"};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        struct sharc_sim_window w = {.from = 200, .to = 300, .rates = (enum sharc_sim_rates)i};
        assert_string_equal(sharc_sim_rates_name(w.rates), names[i]);
        if (w.rates == SHARC_SIM_PREDICTED) continue; /* needs a day of past */
        struct recorded r;
        recorded_open(&r, &w);
        double rate = sharc_sim_site_rate(r.site, 3);
        if (w.rates == SHARC_SIM_COMBINED || w.rates == SHARC_SIM_NEAR) {
            /* The busiest page is held to be so, and every page may change. */
            for (sharc_page_no p = 0; p < sharc_sim_site_pages(r.site); p++)
                assert_true(sharc_sim_site_rate(r.site, p) > 0 && sharc_sim_site_rate(r.site, p) <= rate);
            recorded_close(&r);
            continue;
        }
        double want = w.rates == SHARC_SIM_HISTORY ? 2.1 / (200 + 30 * 86400.0)
                      : w.rates == SHARC_SIM_AGE   ? 1 / (40 + 3600.0)
                      : w.rates == SHARC_SIM_SITEMAP
                          ? sharc_rate_sitemap(sharc_rate_changefreq_of(0.03, 10, SHARC_FREQ_TAU), 10, SHARC_FREQ_TAU)
                          : 0.03;
        assert_close(rate, want, 1e-12);
        recorded_close(&r);
    }
}

/* Nothing is known beforehand: rates come from the pages seen so far. */
static void a_first_capture_learns_while_it_visits(void **state)
{
    (void)state;
    struct recorded r;
    const struct sharc_sim_window w = {.from = 100, .to = 300, .rates = SHARC_SIM_NEAR};
    recorded_open(&r, &w);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.params.focus_pages = 2;
    o.params.focus_breadth_first = true;
    struct sharc_sim_result a = run_one(r.site, "sharc-focus", &o), b = run_one(r.site, "sharc-focus", &o);
    assert_close(a.second_looks.mean, 2, 0);
    assert_close(a.captured.mean, 5, 0);
    assert_close(a.incoherence.mean, b.incoherence.mean, 0);
    assert_close(a.expected_coherence.mean, b.expected_coherence.mean, 0);
    recorded_close(&r);
}

/* As in a_window_is_judged_by_what_happened, but page 4 alone counts. */
static void pages_count_by_their_weight(void **state)
{
    (void)state;
    struct recorded r;
    const double weight[7] = {0, 0, 0, 3, 9, 9, 0};
    struct sharc_sim_window w = {.from = 100, .to = 300, .weight = weight};
    recorded_open(&r, &w);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    struct sharc_sim_result one = run_one(r.site, "bfs", &o), two = run_one(r.site, "bfs-lifo", &o);
    assert_close(one.average_blur.mean, 345 / 200.0, 1e-9);
    assert_close(one.incoherence.mean, 5, 1e-9); /* it stands for all five */
    assert_close(two.incoherence.mean, 5, 1e-9);
    /* Who plans by the weights puts it where it cannot be cut. */
    assert_close(run_one(r.site, "sharc-selective-offline", &o).incoherence.mean, 0, 0);
    recorded_close(&r);
    const double none[7] = {0};
    struct sharc_dataset *d = NULL;
    struct sharc_sim_site *s = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    char *dir = test_mkdir();
    write_site(dir);
    assert_int_equal(sharc_dataset_open(dir, &d, NULL), 0);
    w.weight = none;
    assert_int_equal(sharc_sim_recorded_new(d, &w, &s, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "weights"));
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void nonsense_is_refused_in_one_sentence(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_sim_site *s;
    struct sharc_sim_synthetic zero = SHARC_SIM_SYNTHETIC, flat = SHARC_SIM_SYNTHETIC, guess = SHARC_SIM_SYNTHETIC;
    zero.pages = 0;
    flat.slowdown = 0;
    guess.rates = SHARC_SIM_PREDICTED;
    assert_int_equal(sharc_sim_synthetic_new(&zero, &s, &err), SHARC_EINVAL);
    assert_int_equal(sharc_sim_synthetic_new(&flat, &s, &err), SHARC_EINVAL);
    assert_int_equal(sharc_sim_synthetic_new(&guess, &s, &err), SHARC_EINVAL);
    const struct sharc_strategy_ops **list;
    size_t n;
    assert_int_equal(sharc_sim_strategies_parse(SHARC_SPAN("bfs,nonsense"), &list, &n, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "nonsense"));
    s = synthetic(10, 1, false);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    const struct sharc_strategy_ops *ops = sharc_strategy_find("bfs");
    struct sharc_sim_result r;
    o.known = 1.5;
    assert_int_equal(sharc_sim_run(s, &ops, 1, &o, &r, &err), SHARC_EINVAL);
    o.known = 0;
    o.runs = 0;
    assert_int_equal(sharc_sim_run(s, &ops, 1, &o, &r, &err), SHARC_EINVAL);
    sharc_sim_site_free(s);
    char *dir = test_mkdir();
    write_site(dir);
    struct sharc_dataset *d;
    assert_int_equal(sharc_dataset_open(dir, &d, NULL), 0);
    struct sharc_sim_window outside = {.from = 200, .to = 400}, backwards = {.from = 200, .to = 100};
    assert_int_equal(sharc_sim_recorded_new(d, &outside, &s, &err), SHARC_EINVAL);
    assert_int_equal(sharc_sim_recorded_new(d, &backwards, &s, &err), SHARC_EINVAL);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* The independent simulator's figures for the last year of php-web. */
static void agrees_with_the_reference(void **state)
{
    (void)state;
    const char *path = test_shared_or_skip("datasets/php-web");
    struct sharc_dataset *d;
    assert_int_equal(sharc_dataset_open(path, &d, NULL), 0);
    struct sharc_sim_window w = {.from = d->end - 365 * 86400.0, .to = d->end};
    struct sharc_sim_site *s;
    assert_int_equal(sharc_sim_recorded_new(d, &w, &s, NULL), 0);
    assert_int_equal(sharc_sim_site_pages(s), 2631);
    assert_int_equal(sharc_sim_site_changing(s), 730);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.bound = false;
    assert_close(run_one(s, "bfs-fifo", &o).incoherence.mean, 619, 0);
    assert_close(run_one(s, "bfs-lifo", &o).incoherence.mean, 108, 0);
    assert_close(run_one(s, "bfs", &o).average_blur.mean, 0.154, 0.0005);
    assert_close(run_one(s, "sharc-offline", &o).average_blur.mean, 0.064, 0.001);
    sharc_sim_site_free(s);
    sharc_dataset_free(d);
}

/* Second looks cost requests: at the same delay they cost time, in the same time haste. */
static void captures_are_compared_in_both_forms(void **state)
{
    (void)state;
    struct sharc_sim_synthetic shape = SHARC_SIM_SYNTHETIC;
    shape.pages = 300;
    shape.outdegree = 20;
    shape.slowdown = 0.2;
    struct sharc_sim_site *s;
    assert_int_equal(sharc_sim_synthetic_new(&shape, &s, NULL), 0);
    const struct sharc_strategy_ops *ops[] = {sharc_strategy_find("bfs"), sharc_strategy_find("bfs-lifo"),
                                              sharc_strategy_find("sharc-focus")};
    struct sharc_sim_result r[3];
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.runs = 20;
    o.bound = false;
    o.params.focus_pages = 60;
    o.params.focus_breadth_first = true;
    assert_int_equal(sharc_sim_run(s, ops, 3, &o, r, NULL), 0);
    assert_true(r[2].requests.mean >= 2 * 300 + 50 && r[2].same_delay.mean == r[2].incoherence.mean);
    assert_true(isnan(r[2].same_time.mean) && isnan(r[0].same_delay.mean)); /* nobody asked */
    o.both_forms = true;
    assert_int_equal(sharc_sim_run(s, ops, 3, &o, r, NULL), 0);
    assert_true(isnan(r[0].same_time.mean) && isnan(r[0].same_delay.mean));
    assert_true(r[1].same_time.mean == r[1].incoherence.mean); /* as many requests as ever */
    assert_true(r[2].same_time.mean < r[2].same_delay.mean);   /* who hurries loses less */
    sharc_sim_site_free(s);
    struct recorded rec;
    recorded_open(&rec, &(struct sharc_sim_window){.from = 100, .to = 300, .rates = SHARC_SIM_ORACLE});
    o.runs = 1;
    o.params.focus_pages = 3;
    assert_int_equal(sharc_sim_run(rec.site, ops, 3, &o, r, NULL), 0);
    assert_true(r[2].requests.mean > r[1].requests.mean + 1.5);
    for (int i = 1; i < 3; i++) assert_true(r[i].same_time.mean == r[i].incoherence.mean);
    assert_true(r[2].same_delay.mean == r[2].incoherence.mean); /* the longest sets the delay */
    assert_true(r[1].same_delay.mean <= r[1].incoherence.mean && !isnan(r[1].same_delay.mean));
    recorded_close(&rec);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(captures_are_compared_in_both_forms),
    cmocka_unit_test(blur_of_equal_rates_is_a_third_of_the_span),
    cmocka_unit_test(fifo_incoherence_follows_from_the_rates),
    cmocka_unit_test(a_seed_is_a_result_whatever_the_threads),
    cmocka_unit_test(offline_beats_online_beats_chance),
    cmocka_unit_test(a_window_is_judged_by_what_happened),
    cmocka_unit_test(pages_come_and_go_during_a_crawl),
    cmocka_unit_test(rates_of_every_source),
    cmocka_unit_test(a_first_capture_learns_while_it_visits),
    cmocka_unit_test(pages_count_by_their_weight),
    cmocka_unit_test(nonsense_is_refused_in_one_sentence),
    cmocka_unit_test(agrees_with_the_reference),
};
TEST_MAIN(tests)
