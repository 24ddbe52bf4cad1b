/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: every strategy of the table keeps the rules, and each does
 * what it is known for.
 */
#include "test.h"
#include "watches.h"

#include <math.h>

#include "sharc/base_rng.h"
#include "sharc/schedule_index.h"

static void rules_for_all(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        const struct sharc_watch_ops *ops = sharc_watch_at(k);
        assert_ptr_equal(sharc_watch_find(sharc_watch_name(ops)), ops);
        struct sharc_watch *w = watch_make(sharc_watch_name(ops));
        sharc_page_no pages[64];
        assert_int_equal(watch_period(w, SHARC_DAY, 8, pages), 0);
        struct sharc_rng rng;
        sharc_rng_init(&rng, k);
        for (sharc_page_no p = 0; p < 50; p++) {
            watch_add(w, p, p % 3, 0.1 + 0.01 * p, 1 + p % 4, 0);
        }
        uint32_t captures[50] = {0};
        for (int t = 1; t <= 24 * 30; t++) {
            size_t n = watch_period(w, t * SHARC_HOUR, 10, pages);
            assert_true(n <= 10);
            for (size_t i = 0; i < n; i++) {
                assert_true(pages[i] < 50);
                for (size_t j = 0; j < i; j++) {
                    assert_true(pages[i] != pages[j]);
                }
                captures[pages[i]]++;
                watch_see(w, pages[i], t * SHARC_HOUR, sharc_rng_uniform(&rng) < 0.3, 0.5);
            }
        }
        /* What changes so fast that it is never fresh is not worth a download to these. */
        bool gives_up = strncmp(sharc_watch_name(ops), "frequency", 9) == 0 ||
                        strcmp(sharc_watch_name(ops), "index-freshness") == 0 ||
                        strcmp(sharc_watch_name(ops), "index-evidence") == 0;
        for (sharc_page_no p = 0; p < 50; p++) {
            assert_true(captures[p] > 0 || gives_up);
        }
        struct sharc_observation gone = {.page = 7, .when = SHARC_DAY * 40, .change = SHARC_MISSING, .rate = -1};
        sharc_watch_observed(w, &gone);
        for (sharc_page_no p = 20; p < 50; p++) {
            sharc_watch_drop(w, p);
        }
        size_t n = watch_period(w, 80 * SHARC_DAY, 64, pages);
        assert_int_equal(n, 19);
        for (size_t i = 0; i < n; i++) {
            assert_true(pages[i] != 7 && pages[i] < 20);
        }
        sharc_watch_freep(&w);
        assert_null(w);
    }
    assert_null(sharc_watch_find("clairvoyance"));
}

static void relevance_goes_round_by_weight(void **state)
{
    (void)state;
    struct sharc_watch *w = watch_make("relevance");
    const double weight[5] = {1, 5, 3, 4, 2};
    const sharc_page_no want[6] = {1, 3, 2, 4, 0, 1};
    for (sharc_page_no p = 0; p < 5; p++) {
        watch_add(w, p, 0, 1, weight[p], 0);
    }
    for (int t = 0; t < 3; t++) {
        sharc_page_no pages[2];
        assert_int_equal(watch_period(w, t * SHARC_HOUR, 2, pages), 2);
        assert_int_equal(pages[0], want[2 * t]);
        assert_int_equal(pages[1], want[2 * t + 1]);
    }
    sharc_watch_free(w);
}

static void sharc_walks_sites_in_organ_pipes(void **state)
{
    (void)state;
    struct sharc_watch *w = watch_make("sharc");
    for (sharc_page_no p = 0; p < 12; p++) {
        watch_add(w, p, p / 6, p % 6, 1, 0);
    }
    const sharc_page_no pipes[6] = {0, 2, 4, 5, 3, 1};
    sharc_page_no pages[6];
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(watch_period(w, t * SHARC_HOUR, 6, pages), 6);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(pages[i], pipes[i] + 6 * ((t + 1) % 2));
        }
    }
    sharc_watch_free(w);
}

/* Freshness: the page that changes all the time is given up, the others share. */
static void frequency_gives_up_the_hottest(void **state)
{
    (void)state;
    struct sharc_watch *w = watch_make("frequency");
    const double rate[4] = {0.05, 0.2, 0.4, 50};
    for (sharc_page_no p = 0; p < 4; p++) {
        watch_add(w, p, 0, rate[p], 1, 0);
    }
    uint32_t captures[4] = {0};
    for (int t = 1; t <= 1000; t++) {
        sharc_page_no page;
        assert_int_equal(watch_period(w, t * SHARC_HOUR, 1, &page), 1);
        captures[page]++;
        watch_see(w, page, t * SHARC_HOUR, true, 1);
    }
    assert_int_equal(captures[3], 0);
    assert_true(captures[0] < captures[1]);
    /* The condition of the optimum holds between pages 0 and 1. */
    double worth[2];
    for (int p = 0; p < 2; p++) {
        double r = rate[p] * 1000 / captures[p];
        worth[p] = (1 - (1 + r) * exp(-r)) / rate[p];
    }
    assert_close(worth[0] / worth[1], 1, 0.25); /* downloads are whole */
    sharc_watch_free(w);
}

static void urgency_follows_the_hour(void **state)
{
    (void)state;
    struct sharc_watch *pattern = watch_make("importance-pattern"), *level = watch_make("importance");
    struct sharc_rate_pattern morning = {0}, evening = {0};
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        morning.hours[k] = evening.hours[k] = 1;
        morning.importance[k] = k % 24 < 12 ? 0.4 : 0.1;
        evening.importance[k] = k % 24 < 12 ? 0.1 : 0.4;
    }
    for (int k = 0; k < 2; k++) {
        struct sharc_watch *w = k ? level : pattern;
        watch_add(w, 0, 0, 0.25, 1, 0);
        watch_add(w, 1, 0, 0.25, 1, 0);
        sharc_watch_teach(w, 0, NULL, &morning, SHARC_TIME_NONE);
        sharc_watch_teach(w, 1, NULL, &evening, SHARC_TIME_NONE);
    }
    sharc_page_no page;
    assert_int_equal(watch_period(pattern, 6 * SHARC_HOUR, 1, &page), 1);
    assert_int_equal(page, 0);
    assert_int_equal(watch_period(pattern, 18 * SHARC_HOUR, 1, &page), 1);
    assert_int_equal(page, 1);
    assert_close(sharc_watch_urgency(pattern, 0, 6 * SHARC_HOUR), 0.4 * 6, 1e-9);
    assert_close(sharc_watch_urgency(level, 0, 6 * SHARC_HOUR), sharc_watch_urgency(level, 1, 6 * SHARC_HOUR), 1e-9);
    assert_close(sharc_watch_urgency(level, 9, 6 * SHARC_HOUR), 0, 0);
    sharc_watch_free(pattern);
    sharc_watch_free(level);
}

/* A page whose changes matter is fetched more often than one whose do not, though
 * both change equally often; the strategy that counts changes cannot tell. */
static void importance_is_learned(void **state)
{
    (void)state;
    const char *names[3] = {"importance-pattern", "importance", "pattern"};
    for (int k = 0; k < 3; k++) {
        struct sharc_watch *w = watch_make(names[k]);
        watch_add(w, 0, 0, 0.5, 1, 0);
        watch_add(w, 1, 0, 0.5, 1, 0);
        uint32_t captures[2] = {0};
        for (int t = 1; t <= 2000; t++) {
            sharc_page_no page;
            if (watch_period(w, t * SHARC_HOUR, 1, &page) == 0) continue;
            captures[page]++;
            watch_see(w, page, t * SHARC_HOUR, true, page == 0 ? 0.9 : 0.1);
        }
        if (k < 2) assert_true(captures[0] > 2 * captures[1]);
        if (k == 2) assert_true(captures[0] < 1.2 * captures[1]);
        sharc_watch_free(w);
    }
}

static void controllers_adapt_their_waits(void **state)
{
    (void)state;
    struct sharc_watch *heritrix = watch_make("heritrix-adaptive"), *storm = watch_make("storm-adaptive");
    sharc_page_no page;
    for (int k = 0; k < 2; k++) {
        struct sharc_watch *w = k ? storm : heritrix;
        watch_add(w, 0, 0, 1, 1, 0);
        assert_int_equal(watch_period(w, 23 * SHARC_HOUR, 1, &page), 0); /* a day at first */
        assert_int_equal(watch_period(w, 24 * SHARC_HOUR, 1, &page), 1);
        watch_see(w, 0, 24 * SHARC_HOUR, true, 1);
        /* 24 / 1.5 = 16 hours; halfway to one hour = 12.5 hours */
        sharc_time wait = k ? 12 * SHARC_HOUR + 30 * SHARC_MINUTE : 16 * SHARC_HOUR;
        assert_int_equal(watch_period(w, 24 * SHARC_HOUR + wait - SHARC_MINUTE, 1, &page), 0);
        assert_int_equal(watch_period(w, 24 * SHARC_HOUR + wait, 1, &page), 1);
        sharc_time now = 24 * SHARC_HOUR + wait;
        for (int i = 0; i < 30; i++) { /* never changes again: up to the longest wait */
            watch_see(w, 0, now, false, 0);
            now += 40 * SHARC_DAY;
        }
        watch_see(w, 0, now, false, 0);
        sharc_time most = k ? 14 * SHARC_DAY : 28 * SHARC_DAY;
        assert_int_equal(watch_period(w, now + most - SHARC_HOUR, 1, &page), 0);
        assert_int_equal(watch_period(w, now + most, 1, &page), 1);
        sharc_watch_free(w);
    }
}

static void parameters_out_of_range(void **state)
{
    (void)state;
    struct sharc_watch *w = NULL;
    struct sharc_watch_params p = SHARC_WATCH_PARAMS;
    struct sharc_err err = SHARC_ERR_INIT;
    p.risk = 2;
    assert_int_equal(sharc_watch_new(sharc_watch_find("coherence"), &p, &w, &err), SHARC_EINVAL);
    p = (struct sharc_watch_params)SHARC_WATCH_PARAMS;
    p.least_wait = 100 * SHARC_DAY;
    assert_int_equal(sharc_watch_new(sharc_watch_find("storm-adaptive"), &p, &w, &err), SHARC_EINVAL);
    assert_null(w);
}

static sharc_time later(sharc_time a, sharc_time b)
{
    return a > b ? a : b;
}

/* No page waits longer than its longest interval, whatever the strategy thinks of it, and none is downloaded again
 * before the shortest, as long as downloads suffice; also when nearly all of them are needed. */
static void intervals_are_kept(void **state)
{
    (void)state;
    enum { PAGES = 200, BUDGET = 16, DAYS = 60 };
    static const int longest_hours[] = {96, 30, 16}; /* 200 pages need 2.1, 6.7, 12.5 of 16 downloads per hour */
    for (size_t k = 0; k < sharc_watch_count() * SHARC_LENGTH(longest_hours); k++) {
        struct sharc_watch_params params = SHARC_WATCH_PARAMS;
        const struct sharc_watch_ops *ops = sharc_watch_at(k / SHARC_LENGTH(longest_hours));
        params.longest = longest_hours[k % SHARC_LENGTH(longest_hours)] * SHARC_HOUR;
        params.shortest = 2 * SHARC_HOUR;
        struct sharc_watch *w = NULL;
        assert_int_equal(sharc_watch_new(ops, &params, &w, NULL), 0);
        const struct sharc_rate_pattern never = {.at = 0};
        struct sharc_rng rng = sharc_rng_stream(k, 3);
        sharc_page_no pages[BUDGET];
        sharc_time last[PAGES] = {0}, worst = 0, least = SHARC_DAY;
        for (sharc_page_no p = 0; p < PAGES; p++) {
            watch_add(w, p, p % 7, p % 5 ? 0.001 * p : 40, p % 11 ? 1 : 0, 0);
            if (p % 3 == 0) sharc_watch_teach(w, p, &never, &never, SHARC_TIME_NONE);
        }
        for (sharc_time t = SHARC_HOUR; t < DAYS * SHARC_DAY; t += SHARC_HOUR) {
            size_t n = watch_period(w, t, BUDGET, pages);
            for (size_t i = 0; i < n; i++) {
                sharc_page_no p = pages[i];
                sharc_time at = t + (sharc_time)i * SHARC_HOUR / BUDGET;
                worst = later(worst, at - last[p]);
                if (last[p] && at - last[p] < least) least = at - last[p];
                last[p] = at;
                watch_see(w, p, at, p % 5 == 0 || sharc_rng_uniform(&rng) < 0.01, 0.5);
            }
        }
        for (sharc_page_no p = 0; p < PAGES; p++) worst = later(worst, DAYS * SHARC_DAY - last[p]);
        if (worst > params.longest)
            fail_msg("%s: %g of %g h", sharc_watch_name(ops), (double)worst / (double)SHARC_HOUR,
                     (double)params.longest / (double)SHARC_HOUR);
        if (least < 2 * SHARC_HOUR)
            fail_msg("%s: again after %g h", sharc_watch_name(ops), (double)least / (double)SHARC_HOUR);
        sharc_watch_free(w);
    }
}

/* Rate .5 for eight hours of a day, .02 in the others: what is up and not archived is not forgotten at night. */
static void value_remembers_the_day(void **state)
{
    (void)state;
    static const struct {
        int hours;
        double phi;
    } rows[] = {{1, .0902}, {2, .2642}, {4, .5940}, {8, .9084}, {16, .9195}, {24, .9292}};
    struct sharc_rate_pattern changes = {.at = 0}, importance = {.at = 0};
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        changes.hours[k] = importance.hours[k] = 1e9;
        changes.importance[k] = importance.importance[k] = (k % 24 < 8 ? .5 : .02) * 1e9;
    }
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        struct sharc_watch *w = watch_make("value");
        sharc_page_no page;
        watch_add(w, 0, 0, 0.1, 1, 0);
        sharc_watch_teach(w, 0, &changes, &importance, SHARC_TIME_NONE);
        watch_period(w, 0, 0, &page); /* sites are weighed */
        double level = (8 * .5 + 16 * .02) / 24, u = sharc_watch_urgency(w, 0, rows[i].hours * SHARC_HOUR);
        if (fabs(u * level - rows[i].phi) > 6e-5) fail_msg("%g, not %g", u * level, rows[i].phi);
        sharc_watch_free(w);
    }
}

/* Pages of many rates under a budget: what "always the largest index" brings, reckoned without chance, against the most
 * that any schedule can bring. */
static void index_reaches_the_bound(void **state)
{
    (void)state;
    enum { N = 1200, BUDGET = 60, HOURS = 1500, SETTLE = 500 };
    static const struct {
        const char *name;
        enum sharc_objective o;
    } rows[] = {{"index-freshness", SHARC_OBJECTIVE_FRESHNESS},
                {"index-importance", SHARC_OBJECTIVE_IMPORTANCE},
                {"index-coherence", SHARC_OBJECTIVE_COHERENCE},
                {"index-blur", SHARC_OBJECTIVE_BLUR},
                {"index-evidence", SHARC_OBJECTIVE_EVIDENCE}};
    static double rate[N], weight[N], cost[N];
    static sharc_time last[N];
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        struct sharc_watch_params params = SHARC_WATCH_PARAMS;
        struct sharc_watch *w = NULL;
        params.half_life = 0;
        assert_int_equal(sharc_watch_new(sharc_watch_find(rows[i].name), &params, &w, NULL), 0);
        struct sharc_rng rng = sharc_rng_stream(5, i);
        sharc_page_no pages[BUDGET];
        for (sharc_page_no p = 0; p < N; p++) {
            struct sharc_rate_pattern known = {.at = 0};
            rate[p] = exp(log(1e-3) + sharc_rng_uniform(&rng) * log(1e3));
            weight[p] = 0.2 + sharc_rng_uniform(&rng);
            for (int k = 0; k < SHARC_RATE_HOURS; k++) known.hours[k] = 1e12, known.importance[k] = 1e12 * rate[p];
            watch_add(w, p, 0, rate[p], weight[p], 0);
            sharc_watch_teach(w, p, &known, &known, SHARC_TIME_NONE);
            last[p] = 0;
        }
        double price, sum = 0;
        double best = sharc_index_bound(rows[i].o, N, weight, rate, BUDGET, &price, cost);
        for (int t = 1; t <= HOURS; t++) {
            size_t n = watch_period(w, t * SHARC_HOUR, BUDGET, pages);
            for (size_t k = 0; k < n; k++) {
                sharc_page_no p = pages[k];
                double age = (double)(t * SHARC_HOUR - last[p]) / (double)SHARC_HOUR;
                double from = fmax((double)last[p] / (double)SHARC_HOUR, SETTLE);
                /* A cycle as a whole, or the part of it that counts. */
                double part = fmax(t - from, 0);
                sum += part * sharc_index_value(rows[i].o, weight[p], rate[p], 1 / age);
                last[p] = t * SHARC_HOUR;
                watch_see(w, p, last[p], false, 1);
            }
        }
        for (sharc_page_no p = 0; p < N; p++) {
            /* The cycle that is not over: as the schedule wants it, or as long as it is by now. */
            double from = (double)last[p] / (double)SHARC_HOUR, f = cost[p];
            if (f > 0)
                sum += (HOURS - fmax(from, SETTLE)) *
                       sharc_index_value(rows[i].o, weight[p], rate[p], fmin(f, 1 / fmax(HOURS - from, 1e-9)));
        }
        double share = sum / (HOURS - SETTLE) / best;
        if (rows[i].o == SHARC_OBJECTIVE_BLUR) share = 1 / share;
        print_message("%s: %.4f of the bound\n", rows[i].name, share);
        if (!(share > 0.99 && share < 1.005)) fail_msg("%s: %.4f of the bound", rows[i].name, share);
        sharc_watch_free(w);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rules_for_all),
    cmocka_unit_test(relevance_goes_round_by_weight),
    cmocka_unit_test(sharc_walks_sites_in_organ_pipes),
    cmocka_unit_test(frequency_gives_up_the_hottest),
    cmocka_unit_test(urgency_follows_the_hour),
    cmocka_unit_test(importance_is_learned),
    cmocka_unit_test(controllers_adapt_their_waits),
    cmocka_unit_test(parameters_out_of_range),
    cmocka_unit_test(intervals_are_kept),
    cmocka_unit_test(value_remembers_the_day),
    cmocka_unit_test(index_reaches_the_bound),
};
TEST_MAIN(tests)
