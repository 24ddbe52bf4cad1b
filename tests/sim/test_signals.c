/* SPDX-License-Identifier: Apache-2.0
 *
 * Sites that say themselves what has changed, honestly and otherwise.
 */
#include "test.h"

#include "sharc/sim.h"

static struct sharc_sim_result run_with(const char *signals)
{
    struct sharc_sim_synthetic shape = SHARC_SIM_SYNTHETIC;
    shape.pages = 2000;
    shape.skew = 0.5;
    shape.slowdown = 0.004;
    shape.rates = SHARC_SIM_HISTORY;
    struct sharc_sim_site *s;
    assert_int_equal(sharc_sim_synthetic_new(&shape, &s, NULL), 0);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.runs = 4;
    o.bound = false;
    if (signals) assert_int_equal(sharc_sim_signals_parse(sharc_span_of(signals), &o.signals, NULL), 0);
    const struct sharc_strategy_ops *ops = sharc_strategy_find("sharc-focus");
    struct sharc_sim_result r;
    assert_int_equal(sharc_sim_run(s, &ops, 1, &o, &r, NULL), 0);
    sharc_sim_site_free(s);
    return r;
}

static void honest_signals_save_pages(void **state)
{
    (void)state;
    const double without = run_with(NULL).incoherence.mean;
    const struct sharc_sim_result with = run_with("lastmod");
    assert_true(with.incoherence.mean < 0.9 * without);
    assert_close(with.incoherence.mean, run_with("lastmod:1,1").incoherence.mean, 0);
    /* Its readings count as requests, and all that is added stays within a tenth. */
    assert_true(with.requests.mean <= 1.1 * (2 * 2000 - 1));
    assert_true(with.requests.mean > 2 * 2000 - 1 + with.second_looks.mean);
}

static void sparse_and_false_signals_save_fewer(void **state)
{
    (void)state;
    const double without = run_with(NULL).incoherence.mean;
    assert_true(run_with("lastmod:0.5,1").incoherence.mean < without);
    assert_true(run_with("lastmod:1,0.667").incoherence.mean < without);
    assert_true(run_with("lastmod:1,1,0.1").incoherence.mean < without);
}

static void all_stamped_now_costs_little(void **state)
{
    (void)state;
    const double without = run_with(NULL).incoherence.mean;
    assert_true(run_with("lastmod:1,0").incoherence.mean <= 1.02 * without);
    assert_true(run_with("lastmod:0,0").incoherence.mean <= 1.02 * without);
}

/* One that has room for all changes of the crawl tells as much as a sitemap; a short one tells less, and
 * what it does not tell is not taken for quiet. */
static void feeds_and_hubs_save_pages(void **state)
{
    (void)state;
    const double without = run_with(NULL).incoherence.mean;
    assert_true(run_with("feed:2000").incoherence.mean < 0.9 * without);
    assert_true(run_with("hub:2000").incoherence.mean < 0.95 * without);
    static const char *const small[] = {"feed:10",        "hub:10",      "feed:10,0.5,0.5",
                                        "hub:30,0.5,0.3", "feed:50,1,0", "hub:50,1,0"};
    for (size_t i = 0; i < SHARC_LENGTH(small); i++) {
        const struct sharc_sim_result r = run_with(small[i]);
        if (!(r.incoherence.mean <= 1.02 * without)) fail_msg("%s: %f, %f", small[i], r.incoherence.mean, without);
        assert_true(r.requests.mean <= 1.1 * (2 * 2000 - 1));
    }
}

static void words_are_understood(void **state)
{
    (void)state;
    struct sharc_sim_signals g = {0};
    assert_int_equal(sharc_sim_signals_parse(SHARC_SPAN("lastmod:0.5"), &g, NULL), 0);
    assert_true(g.on);
    assert_close(g.recall, 0.5, 0);
    assert_close(g.precision, 1, 0);
    assert_close(g.late, 0, 0);
    assert_int_equal(sharc_sim_signals_parse(SHARC_SPAN("lastmod:.25,0.75,0.125"), &g, NULL), 0);
    assert_close(g.precision, 0.75, 0);
    assert_close(g.late, 0.125, 0);
    assert_int_equal(sharc_sim_signals_parse(SHARC_SPAN("feed:25,0.5"), &g, NULL), 0);
    assert_int_equal(g.teller, SHARC_SIM_FEED);
    assert_int_equal(g.entries, 25);
    assert_close(g.recall, 0.5, 0);
    assert_int_equal(sharc_sim_signals_parse(SHARC_SPAN("hub:1"), &g, NULL), 0);
    assert_int_equal(g.teller, SHARC_SIM_HUB);
    static const char *const wrong[] = {"",          "hub",          "lastmod:",
                                        "hub:",      "feed:0",       "feed:-1",
                                        "feed:1,",   "feed:1e3",     "hub:99999999999",
                                        "lastmod:2", "lastmod:1,-1", "lastmod:1,1,0,0",
                                        "lastmod:x", "lastmod:1,,1", "lastmod:nan"};
    for (size_t i = 0; i < SHARC_LENGTH(wrong); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_sim_signals_parse(sharc_span_of(wrong[i]), &g, &err), SHARC_EINVAL);
        assert_non_null(strstr(err.text, "RECALL"));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(honest_signals_save_pages),    cmocka_unit_test(sparse_and_false_signals_save_fewer),
    cmocka_unit_test(all_stamped_now_costs_little), cmocka_unit_test(feeds_and_hubs_save_pages),
    cmocka_unit_test(words_are_understood),
};
TEST_MAIN(tests)
