/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of schedule.h, for every strategy of the registry on random sites.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "site.h"

/* Visits, second looks, revisits: once each, in that order, apex last. */
static void check_trace(const struct site *s, const struct sharc_strategy_ops *ops, const struct trace *t)
{
    uint8_t *seen = SHARC_NEW_ARRAY(uint8_t, 3 * s->n);
    enum sharc_slot_kind phase = SHARC_VISIT;
    uint32_t count[3] = {0};
    for (uint32_t i = 0; i < t->slots; i++) {
        const struct sharc_slot *slot = &t->slot[i];
        assert_true(slot->kind >= phase);
        phase = slot->kind;
        assert_int_equal(seen[3 * slot->page + slot->kind]++, 0);
        assert_true(slot->kind == SHARC_VISIT || seen[3 * slot->page + SHARC_VISIT]);
        count[slot->kind]++;
    }
    assert_int_equal(count[SHARC_VISIT], s->n);
    if (!ops->second_looks) assert_int_equal(count[SHARC_SECOND_LOOK], 0);
    uint32_t want = !ops->revisits || s->n == 0 ? 0 : ops->revisit_order == SHARC_REVISITS_SAME ? s->n : s->n - 1;
    assert_int_equal(count[SHARC_REVISIT], want);
    if (ops->revisits && ops->revisit_order != SHARC_REVISITS_SAME && s->n > 0) {
        sharc_page_no apex = t->slot[count[SHARC_VISIT] + count[SHARC_SECOND_LOOK] - 1].page;
        assert_int_equal(seen[3 * apex + SHARC_REVISIT], 0);
    }
    assert_int_equal(t->report.pages, s->n);
    assert_int_equal(t->report.visits, count[SHARC_VISIT]);
    assert_int_equal(t->report.looks, count[SHARC_SECOND_LOOK]);
    assert_int_equal(t->report.second_looks, count[SHARC_SECOND_LOOK]);
    assert_int_equal(t->report.revisits, count[SHARC_REVISIT]);
    if (ops->revisits) {
        assert_close(t->report.expected_coherence, trace_coherence(s, t), 1e-9 * s->n);
    } else {
        assert_true(isnan(t->report.expected_coherence));
    }
    free(seen);
}

static void every_page_once(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1, 2, 3, 7, 40, 300};
    const double known[] = {0, 0.5, 1};
    for (size_t k = 0; k < sharc_strategy_count(); k++) {
        const struct sharc_strategy_ops *ops = sharc_strategy_at(k);
        assert_ptr_equal(sharc_strategy_find(ops->name), ops);
        for (size_t i = 0; i < SHARC_LENGTH(sizes) * SHARC_LENGTH(known); i++) {
            struct site s = site_random(sizes[i / 3], 0.6 + 0.3 * (double)(i % 4), known[i % 3], 100 + i);
            if (i % 2 == 1) {
                for (uint32_t p = 0; p < s.n; p++) {
                    s.weight[p] = p % 4;
                }
            }
            struct trace t = site_run(&s, ops->name, NULL), again = site_run(&s, ops->name, NULL);
            check_trace(&s, ops, &t);
            assert_int_equal(t.slots, again.slots);
            for (size_t j = 0; j < t.slots; j++) {
                assert_int_equal(t.slot[j].page, again.slot[j].page);
                assert_int_equal(t.slot[j].kind, again.slot[j].kind);
                assert_int_equal(t.slot[j].hopeless, again.slot[j].hopeless);
            }
            trace_done(&t);
            trace_done(&again);
            site_done(&s);
        }
    }
}

/* Another opinion of every page each time it is asked for. */
static double waver(void *arg, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still)
{
    (void)rate;
    uint32_t *asked = arg;
    ++*asked;
    for (uint32_t i = 0; i < n; i++) ret_still[i] = (double)((page[i] * 37 + *asked * 11) % 101) / 100;
    return 0.5 + *asked % 3;
}

static void beliefs_may_waver(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1, 2, 3, 7, 40, 300, 1000};
    const struct sharc_strategy_ops *ops = sharc_strategy_find("sharc-focus");
    for (size_t i = 0; i < SHARC_LENGTH(sizes); i++) {
        struct site s = site_random(sizes[i], 1.1, 0.3, 70 + i);
        uint32_t asked = 0;
        struct sharc_strategy_params p = SHARC_STRATEGY_PARAMS;
        p.believe = waver;
        p.believe_arg = &asked;
        p.focus_breadth_first = i % 2;
        if (i % 3 == 2) p.focus_pages = sizes[i] / 5;
        struct trace t = site_run(&s, ops->name, &p);
        check_trace(&s, ops, &t);
        assert_true(asked >= 1 && asked <= 20);
        assert_true(10 * t.report.second_looks <= 2 * s.n);
        trace_done(&t);
        site_done(&s);
    }
}

static void nothing_to_do(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_strategy_count(); k++) {
        struct sharc_strategy *g = NULL;
        assert_int_equal(sharc_strategy_new(sharc_strategy_at(k), NULL, &g, NULL), 0);
        struct sharc_slot slot;
        assert_false(sharc_strategy_next(g, &slot));
        sharc_strategy_discover(g, 5, 1, 1); /* rule (4): it goes on */
        assert_true(sharc_strategy_next(g, &slot));
        assert_int_equal(slot.page, 5);
        sharc_strategy_freep(&g);
        assert_null(g);
    }
}

/* Rule (5): what failed is not revisited. Rule (6): what comes too late waits. */
static void failures_and_late_pages(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_strategy_count(); k++) {
        const struct sharc_strategy_ops *ops = sharc_strategy_at(k);
        struct sharc_strategy *g = NULL;
        assert_int_equal(sharc_strategy_new(ops, NULL, &g, NULL), 0);
        for (sharc_page_no p = 0; p < 30; p++) {
            sharc_strategy_discover(g, p, 0.001 * (p + 1), 1);
        }
        struct sharc_slot slot;
        uint32_t visits = 0;
        bool late_told = false, late_seen = false;
        while (sharc_strategy_next(g, &slot)) {
            if (slot.kind == SHARC_VISIT) visits++;
            struct sharc_observation o = {.page = slot.page, .change = SHARC_NEW, .rate = -1};
            if (slot.page % 7 == 3) {
                assert_true(slot.kind == SHARC_VISIT);
                o.change = slot.page % 2 ? SHARC_FAILED : SHARC_MISSING;
            }
            sharc_strategy_observed(g, &o);
            if (slot.kind == SHARC_REVISIT && !late_told) {
                late_told = true;
                sharc_strategy_discover(g, 77, 0.5, 1);
            }
            if (slot.page == 77) {
                assert_true(slot.kind == SHARC_VISIT && slot.hopeless);
                late_seen = true;
            } else {
                assert_false(late_seen);
            }
        }
        assert_true(late_seen == late_told);
        assert_true(late_told == ops->revisits);
        assert_int_equal(visits, ops->revisits ? 31 : 30);
        sharc_strategy_free(g);
    }
}

static void rates_may_change_on_the_way(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_strategy_count(); k++) {
        struct sharc_strategy *g = NULL;
        assert_int_equal(sharc_strategy_new(sharc_strategy_at(k), NULL, &g, NULL), 0);
        struct sharc_rng rng;
        sharc_rng_init(&rng, 9);
        const sharc_page_no n = 200;
        for (sharc_page_no p = 0; p < n; p++) {
            sharc_strategy_discover(g, p, sharc_rng_uniform(&rng), 1);
        }
        struct sharc_slot slot;
        uint32_t visits = 0;
        while (sharc_strategy_next(g, &slot)) {
            visits += slot.kind == SHARC_VISIT;
            struct sharc_observation o = {.page = slot.page,
                                          .change = SHARC_UNCHANGED,
                                          .rate = sharc_rng_uniform(&rng)};
            sharc_strategy_observed(g, &o);
            o.page = (sharc_page_no)sharc_rng_below(&rng, n + 50); /* others, unknown ones among them */
            sharc_strategy_observed(g, &o);
            sharc_strategy_discover(g, (sharc_page_no)sharc_rng_below(&rng, n), sharc_rng_uniform(&rng), 2);
        }
        assert_int_equal(visits, n);
        sharc_strategy_free(g);
    }
}

static void parameters_out_of_range(void **state)
{
    (void)state;
    const struct sharc_strategy_ops *ops = sharc_strategy_find("sharc-threshold");
    struct sharc_strategy *g = NULL;
    struct sharc_strategy_params p = SHARC_STRATEGY_PARAMS;
    struct sharc_err err = SHARC_ERR_INIT;
    p.confidence = 1;
    assert_int_equal(sharc_strategy_new(ops, &p, &g, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "confidence"));
    p = (struct sharc_strategy_params)SHARC_STRATEGY_PARAMS;
    p.risk = (double)NAN;
    assert_int_equal(sharc_strategy_new(ops, &p, &g, &err), SHARC_EINVAL);
    p = (struct sharc_strategy_params)SHARC_STRATEGY_PARAMS;
    p.observe_from = 3;
    assert_int_equal(sharc_strategy_new(ops, &p, &g, &err), SHARC_EINVAL);
    assert_null(g);
    assert_null(sharc_strategy_find("sharc-perfect"));
}

static void strange_rates_count_as_zero(void **state)
{
    (void)state;
    const double strange[] = {-1, (double)NAN, HUGE_VAL, 1e300, 1e-320};
    for (size_t k = 0; k < sharc_strategy_count(); k++) {
        struct sharc_strategy *g = NULL;
        assert_int_equal(sharc_strategy_new(sharc_strategy_at(k), NULL, &g, NULL), 0);
        for (sharc_page_no p = 0; p < 25; p++) {
            sharc_strategy_discover(g, p, strange[p % 5], strange[p / 5]);
        }
        struct sharc_slot slot;
        uint32_t visits = 0;
        while (sharc_strategy_next(g, &slot)) {
            visits += slot.kind == SHARC_VISIT;
        }
        assert_int_equal(visits, 25);
        sharc_strategy_free(g);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_page_once),
    cmocka_unit_test(beliefs_may_waver),
    cmocka_unit_test(nothing_to_do),
    cmocka_unit_test(failures_and_late_pages),
    cmocka_unit_test(rates_may_change_on_the_way),
    cmocka_unit_test(parameters_out_of_range),
    cmocka_unit_test(strange_rates_count_as_zero),
};
TEST_MAIN(tests)
