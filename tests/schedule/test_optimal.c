/* SPDX-License-Identifier: Apache-2.0
 *
 * The optimum against all schedules of small sites, its bound, and second looks.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "permute.h"
#include "site.h"

static struct site small_site(uint32_t n, struct sharc_rng *rng)
{
    struct site s = site_random(n, 1, 1, sharc_rng_u64(rng));
    for (uint32_t i = 0; i < n; i++) {
        s.rate[i] = sharc_rng_exponential(rng, 1 + 9 * sharc_rng_uniform(rng));
        s.weight[i] = (double)sharc_rng_below(rng, 4) + 0.5;
    }
    return s;
}

static double best_pyramid(const struct site *s)
{
    double best = 0;
    struct permute p;
    for (bool more = permute_first(&p, s->n); more; more = permute_next(&p)) {
        double sum = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            sum += s->weight[i] * exp(-2 * s->rate[i] * p.item[i]);
        }
        best = fmax(best, sum);
    }
    return best;
}

static double best_schedule(const struct site *s)
{
    double best = 0;
    struct permute v, r;
    for (bool more = permute_first(&v, s->n); more; more = permute_next(&v)) {
        for (bool again = permute_first(&r, s->n - 1); again; again = permute_next(&r)) {
            /* v.item: pages by visit; the last is the apex, the others are revisited
             * at places 1 + r.item behind it. */
            double sum = s->weight[v.item[s->n - 1]];
            for (uint32_t i = 0; i + 1 < s->n; i++) {
                uint32_t length = s->n - 1 - i + 1 + r.item[i];
                sum += s->weight[v.item[i]] * exp(-s->rate[v.item[i]] * length);
            }
            best = fmax(best, sum);
        }
    }
    return best;
}

static void a_pyramid_is_always_optimal(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 21);
    for (int round = 0; round < 60; round++) {
        struct site s = small_site(2 + (uint32_t)sharc_rng_below(&rng, 4), &rng);
        assert_close(best_pyramid(&s), best_schedule(&s), 1e-12);
        site_done(&s);
    }
}

static void exact_equals_brute_force(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 22);
    for (int round = 0; round < 300; round++) {
        struct site s = small_site(1 + (uint32_t)sharc_rng_below(&rng, 7), &rng);
        uint32_t interval[8];
        struct sharc_optimum o = sharc_schedule_optimum(s.rate, s.weight, s.n, 100, interval);
        double best = best_pyramid(&s), sum = 0;
        assert_true(o.exact);
        assert_close(o.expected_coherence, best, 1e-9);
        assert_close(o.bound, best, 1e-9);
        for (uint32_t i = 0; i < s.n; i++) {
            sum += s.weight[i] * exp(-2 * s.rate[i] * interval[i]);
        }
        assert_close(sum, best, 1e-9);
        struct sharc_optimum rough = sharc_schedule_optimum(s.rate, s.weight, s.n, 0, NULL);
        assert_true(rough.expected_coherence <= best + 1e-9);
        assert_true(rough.bound >= best - 1e-9);
        site_done(&s);
    }
}

static void published_example(void **state)
{
    (void)state;
    const double rate[5] = {.40, .35, .30, .25, .20};
    const uint32_t want[5] = {0, 4, 1, 3, 2};
    uint32_t interval[5];
    struct sharc_optimum o = sharc_schedule_optimum(rate, NULL, 5, 10, interval);
    assert_close(o.expected_coherence, 2.282081, 1e-6);
    assert_memory_equal(interval, want, sizeof want);
    o = sharc_schedule_optimum(rate, NULL, 5, 0, interval);
    assert_close(o.expected_coherence, 2.282081, 1e-6);
    o = sharc_schedule_optimum(rate, NULL, 0, 0, NULL);
    assert_close(o.bound, 0, 0);
}

/* Every strategy stays below the bound, sharc-optimal reaches it. */
static void nobody_beats_the_bound(void **state)
{
    (void)state;
    const double skews[] = {0.6, 1.0, 1.4};
    for (size_t k = 0; k < SHARC_LENGTH(skews); k++) {
        struct site s = site_random(400, skews[k], 1, 5);
        for (uint32_t i = 0; i < s.n; i++) {
            s.weight[i] = 1 + i % 3;
        }
        struct sharc_optimum exact = sharc_schedule_optimum(s.rate, s.weight, s.n, s.n, NULL);
        struct sharc_optimum rough = sharc_schedule_optimum(s.rate, s.weight, s.n, 0, NULL);
        assert_true(rough.bound >= exact.expected_coherence - 1e-9);
        for (size_t i = 0; i < sharc_strategy_count(); i++) {
            const struct sharc_strategy_ops *ops = sharc_strategy_at(i);
            if (!ops->revisits || strcmp(ops->name, "sharc-focus") == 0) continue;
            struct trace t = site_run(&s, ops->name, NULL);
            assert_true(t.report.expected_coherence <= exact.bound + 1e-9);
            if (strcmp(ops->name, "sharc-optimal") == 0) {
                assert_close(t.report.expected_coherence, exact.bound, 1e-9);
                assert_close(t.report.bound, exact.bound, 1e-9);
                assert_true(t.report.exact);
            }
            trace_done(&t);
        }
        site_done(&s);
    }
}

static void groups_stay_near_the_bound(void **state)
{
    (void)state;
    const uint32_t n = 17000; /* beyond page by page */
    double *rate = SHARC_NEW_ARRAY(double, n);
    const double skews[] = {0.7, 1.2};
    for (size_t k = 0; k < SHARC_LENGTH(skews); k++) {
        for (uint32_t i = 0; i < n; i++) {
            rate[i] = pow(i + 1, -skews[k]);
        }
        struct sharc_optimum o = sharc_schedule_optimum(rate, NULL, n, 5000, NULL);
        assert_true(o.bound >= o.expected_coherence);
        assert_true(o.bound <= 1.001 * o.expected_coherence);
    }
    free(rate);
}

static void weights_do_not_widen_the_gap(void **state)
{
    (void)state;
    const uint32_t n = 600;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 41);
    double *rate = SHARC_NEW_ARRAY(double, n), *weight = SHARC_NEW_ARRAY(double, n);
    for (int many = 0; many <= 1; many++) {
        for (uint32_t i = 0; i < n; i++) {
            rate[i] = pow(i + 1, -1.2);
            weight[i] = many ? pow(10, -2 * sharc_rng_uniform(&rng)) : (double)sharc_rng_below(&rng, 4);
        }
        struct sharc_optimum exact = sharc_schedule_optimum(rate, weight, n, n, NULL);
        struct sharc_optimum rough = sharc_schedule_optimum(rate, weight, n, 0, NULL);
        assert_true(rough.expected_coherence <= exact.expected_coherence + 1e-9);
        assert_true(rough.bound >= exact.expected_coherence - 1e-9);
        assert_true(rough.bound <= 1.002 * rough.expected_coherence);
    }
    free(rate);
    free(weight);
}

/* --- second looks ---------------------------------------------------------------- */

static struct trace run_focus(const struct site *s, uint32_t looks, double share, bool breadth_first)
{
    struct sharc_strategy_params p = SHARC_STRATEGY_PARAMS;
    p.focus_pages = looks;
    p.focus_share = share;
    p.focus_breadth_first = breadth_first;
    return site_run(s, "sharc-focus", &p);
}

static void second_looks_find_the_hot_pages(void **state)
{
    (void)state;
    struct site s = site_random(2000, 1, 0, 8);
    for (uint32_t i = 0; i < s.n; i++) {
        s.rate[i] = i % 40 == 7 ? 0.001 : 1e-9;
    }
    struct trace none = run_focus(&s, 0, 0.1, true), some = run_focus(&s, SHARC_FOCUS_CHOOSE, 0.1, true);
    double lost_before = s.n - none.report.expected_coherence, lost = s.n - some.report.expected_coherence;
    assert_true(lost_before > 20 && lost < 0.12 * lost_before);
    assert_true(some.report.second_looks >= 40 && some.report.second_looks <= 60);
    for (uint32_t i = 2000; i < 2000 + some.report.second_looks; i++) {
        assert_int_equal(some.slot[i].page % 40, 7);
    }
    trace_done(&none);
    trace_done(&some);
    site_done(&s);
}

static void the_chosen_number_is_as_good_as_any(void **state)
{
    (void)state;
    const double skews[] = {0.8, 1.2, 1.6};
    for (size_t k = 0; k < SHARC_LENGTH(skews); k++) {
        struct site s = site_random(1000, skews[k], 0, 31 + k);
        struct trace own = run_focus(&s, SHARC_FOCUS_CHOOSE, 0.1, k % 2);
        assert_true(own.report.second_looks <= 199); /* a tenth of 1,999 requests */
        for (uint32_t looks = 0; looks <= 190; looks += 19) {
            struct trace fixed = run_focus(&s, looks, 0.1, k % 2);
            double worth = own.report.expected_coherence - 0.001 * own.report.second_looks;
            assert_true(worth >= fixed.report.expected_coherence - 0.001 * fixed.report.second_looks - 0.5);
            trace_done(&fixed);
        }
        trace_done(&own);
        site_done(&s);
    }
}

static void no_budget_no_looks(void **state)
{
    (void)state;
    struct site s = site_random(300, 1.1, 0, 4);
    struct trace focus = run_focus(&s, SHARC_FOCUS_CHOOSE, 0, true), plain = site_run(&s, "bfs-lifo", NULL);
    assert_int_equal(focus.report.second_looks, 0);
    assert_int_equal(focus.slots, plain.slots);
    for (uint32_t i = 0; i < plain.slots; i++) {
        assert_int_equal(focus.slot[i].page, plain.slot[i].page);
    }
    trace_done(&focus);
    trace_done(&plain);
    site_done(&s);
}

/* Rates learned at the visits decide who gets a second look. */
static void rates_from_the_visits(void **state)
{
    (void)state;
    struct sharc_strategy *g = NULL;
    assert_int_equal(sharc_strategy_new(sharc_strategy_find("sharc-focus"), NULL, &g, NULL), 0);
    const uint32_t n = 1000;
    for (sharc_page_no p = 0; p < n; p++) {
        sharc_strategy_discover(g, p, 1e-8, 1);
    }
    struct sharc_slot slot;
    uint32_t looks = 0;
    while (sharc_strategy_next(g, &slot)) {
        struct sharc_observation o = {.page = slot.page, .change = SHARC_NEW, .rate = slot.page % 100 == 5 ? 0.01 : -1};
        sharc_strategy_observed(g, &o);
        if (slot.kind != SHARC_SECOND_LOOK) continue;
        assert_int_equal(slot.page % 100, 5);
        looks++;
    }
    assert_true(looks >= 9);
    sharc_strategy_free(g);
}

/* Pages that nobody thinks to be hot, but signs say that they have changed. */
static double doubt(void *arg, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still)
{
    uint32_t *asked = arg;
    *asked += n;
    for (uint32_t i = 0; i < n; i++) ret_still[i] = page[i] % 50 == 3 ? 0.1 : exp(-rate[i] * (n - 1 - i));
    return 1;
}

static void doubts_decide_who_is_looked_at(void **state)
{
    (void)state;
    struct site s = site_random(1000, 1, 0, 5);
    for (uint32_t i = 0; i < s.n; i++) s.rate[i] = 1e-7;
    uint32_t asked = 0;
    struct sharc_strategy_params p = SHARC_STRATEGY_PARAMS;
    p.believe = doubt;
    p.believe_arg = &asked;
    struct trace t = site_run(&s, "sharc-focus", &p), blind = run_focus(&s, SHARC_FOCUS_CHOOSE, 0.1, false);
    assert_true(asked >= s.n);
    assert_int_equal(blind.report.second_looks, 0);
    assert_int_equal(t.report.second_looks, 20);
    for (uint32_t i = s.n; i < s.n + 20; i++) {
        assert_int_equal(t.slot[i].kind, SHARC_SECOND_LOOK);
        assert_int_equal(t.slot[i].page % 50, 3);
    }
    trace_done(&t);
    trace_done(&blind);
    site_done(&s);
}

/* Ten folders of a hundred pages; all pages of one have changed, which only looks
 * can find. One page of each is colder than the others, and more in doubt. */
struct folders {
    bool looked[10], edited[10], seen[1000];
};

static double ask_folders(void *arg, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still)
{
    (void)rate;
    const struct folders *f = arg;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t folder = page[i] / 100;
        const double never = page[i] % 100 == 9 ? 0.8 : 0.9;
        ret_still[i] = f->edited[folder] ? 0.05 : f->looked[folder] ? 0.995 : never;
        if (f->seen[page[i]]) ret_still[i] = 1;
    }
    return 1;
}

static void looks_go_where_looks_found_changes(void **state)
{
    (void)state;
    struct folders f = {0};
    struct sharc_strategy_params p = SHARC_STRATEGY_PARAMS;
    p.focus_breadth_first = true;
    p.believe = ask_folders;
    p.believe_arg = &f;
    struct sharc_strategy *g = NULL;
    assert_int_equal(sharc_strategy_new(sharc_strategy_find("sharc-focus"), &p, &g, NULL), 0);
    for (sharc_page_no page = 0; page < 1000; page++)
        sharc_strategy_discover(g, page, page % 100 == 9 ? 1e-7 : 2e-7, 1);
    struct sharc_slot slot;
    uint32_t looks = 0, hits = 0, revisits = 0, late = 0;
    while (sharc_strategy_next(g, &slot)) {
        const uint32_t folder = slot.page / 100;
        if (slot.kind == SHARC_SECOND_LOOK) {
            looks++;
            hits += folder == 7;
            f.looked[folder] = f.seen[slot.page] = true;
            f.edited[folder] = folder == 7;
        } else if (slot.kind == SHARC_REVISIT && revisits++ >= 899) {
            late += folder == 3;
        }
        /* While pages are revisited, those of folder 3 are found to be lost. */
        if (revisits == 100) f.edited[3] = true;
    }
    assert_true(looks <= 199);
    assert_true(hits >= 95);
    assert_true(late >= 75); /* of those not yet revisited then */
    sharc_strategy_free(g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_pyramid_is_always_optimal),
    cmocka_unit_test(exact_equals_brute_force),
    cmocka_unit_test(published_example),
    cmocka_unit_test(nobody_beats_the_bound),
    cmocka_unit_test(groups_stay_near_the_bound),
    cmocka_unit_test(weights_do_not_widen_the_gap),
    cmocka_unit_test(second_looks_find_the_hot_pages),
    cmocka_unit_test(the_chosen_number_is_as_good_as_any),
    cmocka_unit_test(no_budget_no_looks),
    cmocka_unit_test(rates_from_the_visits),
    cmocka_unit_test(doubts_decide_who_is_looked_at),
    cmocka_unit_test(looks_go_where_looks_found_changes),
};
TEST_MAIN(tests)
