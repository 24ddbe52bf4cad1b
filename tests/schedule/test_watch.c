/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: every strategy of the table keeps the rules, and each does
 * what it is known for.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "sharc/base_rng.h"
#include "sharc/schedule_watch.h"

static struct sharc_watch *make(const char *name)
{
    struct sharc_watch *w = NULL;
    assert_non_null(sharc_watch_find(name));
    assert_int_equal(sharc_watch_new(sharc_watch_find(name), NULL, &w, NULL), 0);
    return w;
}

static void see(struct sharc_watch *w, sharc_page_no page, sharc_time when, bool changed, double importance)
{
    struct sharc_observation o = {.page = page,
                                  .when = when,
                                  .change = changed ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED,
                                  .importance = importance,
                                  .rate = -1};
    sharc_watch_observed(w, &o);
}

static void rules_for_all(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        const struct sharc_watch_ops *ops = sharc_watch_at(k);
        assert_ptr_equal(sharc_watch_find(sharc_watch_name(ops)), ops);
        struct sharc_watch *w = make(sharc_watch_name(ops));
        sharc_page_no pages[64];
        assert_int_equal(sharc_watch_period(w, SHARC_DAY, 8, pages), 0);
        struct sharc_rng rng;
        sharc_rng_init(&rng, k);
        for (sharc_page_no p = 0; p < 50; p++) {
            sharc_watch_add(w, p, p % 3, 0.1 + 0.01 * p, 1 + p % 4, 0);
        }
        uint32_t captures[50] = {0};
        for (int t = 1; t <= 24 * 30; t++) {
            size_t n = sharc_watch_period(w, t * SHARC_HOUR, 10, pages);
            assert_true(n <= 10);
            for (size_t i = 0; i < n; i++) {
                assert_true(pages[i] < 50);
                for (size_t j = 0; j < i; j++) {
                    assert_true(pages[i] != pages[j]);
                }
                captures[pages[i]]++;
                see(w, pages[i], t * SHARC_HOUR, sharc_rng_uniform(&rng) < 0.3, 0.5);
            }
        }
        bool gives_up = strcmp(sharc_watch_name(ops), "frequency") == 0;
        for (sharc_page_no p = 0; p < 50; p++) {
            assert_true(captures[p] > 0 || gives_up);
        }
        struct sharc_observation gone = {.page = 7, .when = SHARC_DAY * 40, .change = SHARC_MISSING, .rate = -1};
        sharc_watch_observed(w, &gone);
        for (sharc_page_no p = 20; p < 50; p++) {
            sharc_watch_drop(w, p);
        }
        size_t n = sharc_watch_period(w, 80 * SHARC_DAY, 64, pages);
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
    struct sharc_watch *w = make("relevance");
    const double weight[5] = {1, 5, 3, 4, 2};
    const sharc_page_no want[6] = {1, 3, 2, 4, 0, 1};
    for (sharc_page_no p = 0; p < 5; p++) {
        sharc_watch_add(w, p, 0, 1, weight[p], 0);
    }
    for (int t = 0; t < 3; t++) {
        sharc_page_no pages[2];
        assert_int_equal(sharc_watch_period(w, t * SHARC_HOUR, 2, pages), 2);
        assert_int_equal(pages[0], want[2 * t]);
        assert_int_equal(pages[1], want[2 * t + 1]);
    }
    sharc_watch_free(w);
}

static void sharc_walks_sites_in_organ_pipes(void **state)
{
    (void)state;
    struct sharc_watch *w = make("sharc");
    for (sharc_page_no p = 0; p < 12; p++) {
        sharc_watch_add(w, p, p / 6, p % 6, 1, 0);
    }
    const sharc_page_no pipes[6] = {0, 2, 4, 5, 3, 1};
    sharc_page_no pages[6];
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(sharc_watch_period(w, t * SHARC_HOUR, 6, pages), 6);
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
    struct sharc_watch *w = make("frequency");
    const double rate[4] = {0.05, 0.2, 0.4, 50};
    for (sharc_page_no p = 0; p < 4; p++) {
        sharc_watch_add(w, p, 0, rate[p], 1, 0);
    }
    uint32_t captures[4] = {0};
    for (int t = 1; t <= 1000; t++) {
        sharc_page_no page;
        assert_int_equal(sharc_watch_period(w, t * SHARC_HOUR, 1, &page), 1);
        captures[page]++;
        see(w, page, t * SHARC_HOUR, true, 1);
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
    struct sharc_watch *pattern = make("importance-pattern"), *level = make("importance");
    struct sharc_rate_pattern morning = {0}, evening = {0};
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        morning.hours[k] = evening.hours[k] = 1;
        morning.importance[k] = k % 24 < 12 ? 0.4 : 0.1;
        evening.importance[k] = k % 24 < 12 ? 0.1 : 0.4;
    }
    for (int k = 0; k < 2; k++) {
        struct sharc_watch *w = k ? level : pattern;
        sharc_watch_add(w, 0, 0, 0.25, 1, 0);
        sharc_watch_add(w, 1, 0, 0.25, 1, 0);
        sharc_watch_teach(w, 0, NULL, &morning);
        sharc_watch_teach(w, 1, NULL, &evening);
    }
    sharc_page_no page;
    assert_int_equal(sharc_watch_period(pattern, 6 * SHARC_HOUR, 1, &page), 1);
    assert_int_equal(page, 0);
    assert_int_equal(sharc_watch_period(pattern, 18 * SHARC_HOUR, 1, &page), 1);
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
        struct sharc_watch *w = make(names[k]);
        sharc_watch_add(w, 0, 0, 0.5, 1, 0);
        sharc_watch_add(w, 1, 0, 0.5, 1, 0);
        uint32_t captures[2] = {0};
        for (int t = 1; t <= 2000; t++) {
            sharc_page_no page;
            if (sharc_watch_period(w, t * SHARC_HOUR, 1, &page) == 0) continue;
            captures[page]++;
            see(w, page, t * SHARC_HOUR, true, page == 0 ? 0.9 : 0.1);
        }
        if (k < 2) assert_true(captures[0] > 2 * captures[1]);
        if (k == 2) assert_true(captures[0] < 1.2 * captures[1]);
        sharc_watch_free(w);
    }
}

static void controllers_adapt_their_waits(void **state)
{
    (void)state;
    struct sharc_watch *heritrix = make("heritrix-adaptive"), *storm = make("storm-adaptive");
    sharc_page_no page;
    for (int k = 0; k < 2; k++) {
        struct sharc_watch *w = k ? storm : heritrix;
        sharc_watch_add(w, 0, 0, 1, 1, 0);
        assert_int_equal(sharc_watch_period(w, 23 * SHARC_HOUR, 1, &page), 0); /* a day at first */
        assert_int_equal(sharc_watch_period(w, 24 * SHARC_HOUR, 1, &page), 1);
        see(w, 0, 24 * SHARC_HOUR, true, 1);
        /* 24 / 1.5 = 16 hours; halfway to one hour = 12.5 hours */
        sharc_time wait = k ? 12 * SHARC_HOUR + 30 * SHARC_MINUTE : 16 * SHARC_HOUR;
        assert_int_equal(sharc_watch_period(w, 24 * SHARC_HOUR + wait - SHARC_MINUTE, 1, &page), 0);
        assert_int_equal(sharc_watch_period(w, 24 * SHARC_HOUR + wait, 1, &page), 1);
        sharc_time now = 24 * SHARC_HOUR + wait;
        for (int i = 0; i < 30; i++) { /* never changes again: up to the longest wait */
            see(w, 0, now, false, 0);
            now += 40 * SHARC_DAY;
        }
        see(w, 0, now, false, 0);
        sharc_time most = k ? 14 * SHARC_DAY : 28 * SHARC_DAY;
        assert_int_equal(sharc_watch_period(w, now + most - SHARC_HOUR, 1, &page), 0);
        assert_int_equal(sharc_watch_period(w, now + most, 1, &page), 1);
        sharc_watch_free(w);
    }
}

static void parameters_out_of_range(void **state)
{
    (void)state;
    struct sharc_watch *w = NULL;
    struct sharc_watch_params p = SHARC_WATCH_PARAMS;
    struct sharc_err err = SHARC_ERR_INIT;
    p.period = 0;
    assert_int_equal(sharc_watch_new(sharc_watch_find("pattern"), &p, &w, &err), SHARC_EINVAL);
    p = (struct sharc_watch_params)SHARC_WATCH_PARAMS;
    p.risk = 2;
    assert_int_equal(sharc_watch_new(sharc_watch_find("coherence"), &p, &w, &err), SHARC_EINVAL);
    p = (struct sharc_watch_params)SHARC_WATCH_PARAMS;
    p.least_wait = 100 * SHARC_DAY;
    assert_int_equal(sharc_watch_new(sharc_watch_find("storm-adaptive"), &p, &w, &err), SHARC_EINVAL);
    assert_null(w);
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
};
TEST_MAIN(tests)
