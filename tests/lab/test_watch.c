/* SPDX-License-Identifier: Apache-2.0
 *
 * A month of a living site, watched by the real program over HTTP, in virtual time.
 */
#include "test.h"

#include "sharc/lab_watch.h"

#include <inttypes.h>

static void run(const char *home, const char *strategy, double share, sharc_time time, sharc_time longest,
                struct sharc_lab_watched *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_sim_scene *scene = NULL;
    struct sharc_lab_watch_options o = {.site = SHARC_LAB_OPTIONS,
                                        .strategy = sharc_watch_find(strategy),
                                        .share = share,
                                        .time = time,
                                        .delay = 30 * SHARC_SEC,
                                        .longest = longest,
                                        .home = home};
    o.site.pages = 20;
    o.site.words = 60;
    o.site.hottest = 6 * SHARC_HOUR;
    o.site.layout_every = 0;
    o.site.counters = 0;
    o.site.sitemap_every = SHARC_HOUR;
    if (sharc_lab_watch_run(&o, ret, &scene, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(sharc_sim_scene_pages(scene), 20);
    sharc_sim_scene_free(scene);
}

/* By the site's own log: no request too soon, none too many, in the last week as in the first. */
static void a_month_keeps_its_word(void **state)
{
    (void)state;
    char *home = test_mkdir();
    struct sharc_lab_watched w;
    run(home, "value", 1, 30 * SHARC_DAY, 4 * SHARC_DAY, &w);
    assert_true(w.shortest_pause >= 30 * SHARC_SEC);
    if (w.requests > w.allowed + 1) fail_msg("%" PRIu64 " requests of %" PRIu64, w.requests, w.allowed);
    assert_true(w.requests + 2 >= w.allowed); /* and the budget is used */
    assert_true((double)w.most_a_day <= 24 * w.full * 1.25 + 1);
    assert_int_equal(w.looked, 20);
    assert_int_equal(w.pages, 20);
    assert_true(w.longest_wait <= 4 * SHARC_DAY + SHARC_HOUR);
    assert_true(w.worth.completeness > 0.4 && w.worth.completeness <= 1);
    assert_true(w.worth.freshness > 0.5 && w.worth.freshness < 1);
    assert_true(w.worth.exact > 0.5 && w.worth.exact <= w.worth.coherence + 1e-12);
    test_rmdir(home);
}

/* However busy the machine is, two runs are alike; and who asks more knows more. */
static void two_runs_are_alike(void **state)
{
    (void)state;
    char *home = test_mkdir(), *again = test_mkdir();
    struct sharc_lab_watched a, b, more;
    run(home, "index-freshness", 0.5, 10 * SHARC_DAY, 0, &a);
    run(again, "index-freshness", 0.5, 10 * SHARC_DAY, 0, &b);
    run(home, "index-freshness", 2, 10 * SHARC_DAY, 0, &more);
    assert_int_equal(a.requests, b.requests);
    assert_close(a.worth.freshness, b.worth.freshness, 1e-12);
    assert_close(a.worth.exact, b.worth.exact, 1e-12);
    assert_true(a.worth.freshness > 0);
    assert_true(more.worth.freshness > a.worth.freshness);
    assert_true(more.worth.completeness > a.worth.completeness);
    test_rmdir(home);
    test_rmdir(again);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_month_keeps_its_word),
    cmocka_unit_test(two_runs_are_alike),
};
TEST_MAIN(tests)
