/* SPDX-License-Identifier: Apache-2.0 */
#include "sites.h"

#include "sharc/base_arena.h"
#include "sharc/base_node.h"
#include "sharc/sim_plan.h"
#include "sharc/sim_watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct sharc_dataset *small(char **dir)
{
    struct sharc_dataset *d;
    *dir = test_mkdir();
    write_site(*dir);
    assert_int_equal(sharc_dataset_open(*dir, &d, NULL), 0);
    return d;
}

static void a_plan_expects_by_the_rates(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = small(&dir);
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    o.rates = SHARC_SIM_AGE;
    o.delay = 1000;
    struct sharc_sim_plan p;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    assert_int_equal(p.pages, 6);
    for (size_t i = 0; i < p.n; i++) {
        const struct sharc_sim_result *r = &p.results[i];
        assert_true(r->requests.mean >= 6);
        assert_true(r->incoherence.mean == 0); /* nothing is known of the future */
        if (r->strategy->revisits) assert_true(r->expected_coherence.mean <= 6);
    }
    assert_true(p.bound > 0 && p.bound <= 6 * (1 + 1e-9));
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    p.width = 10000;
    sharc_sim_plan_write(&p, SHARC_SIM_TEXT, &out);
    assert_non_null(strstr(sharc_buf_str(&out), "For evidence use"));
    assert_non_null(strstr(sharc_buf_str(&out), "For exploration use"));
    sharc_buf_clear(&out);
    sharc_sim_plan_write(&p, SHARC_SIM_JSON, &out);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *root;
    assert_int_equal(sharc_json_read(sharc_buf_span(&out), &arena, &root, NULL), 0);
    assert_int_equal(sharc_node_get(root, "results")->count, p.n);
    assert_int_equal(sharc_node_get(root, "hopeless")->count, p.hopeless_count);
    sharc_sim_plan_done(&p);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void rates_can_be_given(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = small(&dir);
    double *rate = SHARC_NEW_ARRAY(double, d->pages);
    for (size_t i = 0; i < d->pages; i++) rate[i] = i == 2 ? 1.0 : 1e-9;
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    o.rates = SHARC_SIM_GIVEN;
    o.given = rate;
    o.given_from = "somebody's word";
    o.delay = 10;
    struct sharc_sim_plan p;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    assert_close(p.bound, 6, 1e-3); /* the hot one is its own revisit */
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    p.width = 200;
    sharc_sim_plan_write(&p, SHARC_SIM_TEXT, &out);
    assert_non_null(strstr(sharc_buf_str(&out), "rates: somebody's word"));
    sharc_sim_plan_done(&p);
    for (size_t i = 0; i < d->pages; i++) rate[i] = 1.0;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    assert_int_equal(p.hopeless_count, 5);
    assert_close(p.hopeless[0].rate, 1, 0);
    sharc_sim_plan_done(&p);
    free(rate);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void a_slow_crawl_has_hopeless_pages_and_parts(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = small(&dir);
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    o.rates = SHARC_SIM_AGE;
    o.delay = 80000;
    struct sharc_sim_plan p;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    assert_int_equal(p.hopeless_count, 5); /* one page is its own revisit */
    for (size_t i = 1; i < p.hopeless_count; i++) assert_true(p.hopeless[i - 1].rate >= p.hopeless[i].rate);
    assert_true(p.part_count >= 2); /* each part has an apex of its own */
    for (size_t i = 0; i < p.part_count; i++) assert_true(p.parts[i].alone > p.parts[i].together);
    sharc_sim_plan_done(&p);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void a_plan_knows_no_future(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = small(&dir);
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    struct sharc_sim_plan p;
    struct sharc_err err = SHARC_ERR_INIT;
    o.rates = SHARC_SIM_ORACLE;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "future"));
    o.rates = SHARC_SIM_AGE;
    o.delay = 0;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, &err), SHARC_EINVAL);
    o.delay = 3;
    o.at = 1e9;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, &err), SHARC_EINVAL);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* No page starves, whoever chooses and whatever happens: with habits, and with pages that come, go and are changed all
 * at once. */
static void nobody_waits_longer(struct sharc_sim_scene *scene, sharc_time longest, double share, sharc_time step)
{
    const struct sharc_watch_ops **all;
    struct sharc_sim_watching watching = {
        .shares = &share, .share_count = 1, .longest = longest, .step = step, .strategies = NULL};
    assert_int_equal(sharc_sim_watch_strategies(SHARC_SPAN("all"), &all, &watching.strategy_count, NULL), 0);
    watching.strategies = all;
    struct sharc_sim_watched *a = SHARC_NEW_ARRAY(struct sharc_sim_watched, watching.strategy_count);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    assert_int_equal(sharc_sim_watch_run(scene, &watching, &o, a, NULL), 0);
    for (size_t i = 0; i < watching.strategy_count; i++)
        if (a[i].gap_hours > (double)longest / (double)SHARC_HOUR + 1)
            fail_msg("%s: a page waited %.1f hours", sharc_watch_name(a[i].strategy), a[i].gap_hours);
    free(a);
    free(all);
}

static void nobody_starves(void **state)
{
    (void)state;
    struct sharc_sim_habits habits = SHARC_SIM_HABITS;
    struct sharc_sim_scene *scene;
    struct sharc_dataset *d = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    habits.pages = 100;
    habits.sites = 4;
    habits.days = 10;
    assert_int_equal(sharc_sim_habits_new(&habits, &scene, NULL), 0);
    nobody_waits_longer(scene, 2 * SHARC_DAY, 0.05, 0);
    nobody_waits_longer(scene, 2 * SHARC_DAY, 0.05, 10 * SHARC_MINUTE);
    sharc_sim_scene_free(scene);
    if (sharc_dataset_open(SHARC_SOURCE_DIR "/datasets/village", &d, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(sharc_sim_scene_new(d, d->end - 14 * 86400.0, d->end, &scene, &err), 0);
    /* Twice as many downloads as the interval needs. */
    const double share = 2.0 * (double)sharc_sim_scene_pages(scene) / (4 * 24) / sharc_sim_scene_full(scene);
    nobody_waits_longer(scene, 4 * SHARC_DAY, share, 0);
    nobody_waits_longer(scene, 4 * SHARC_DAY, share, 10 * SHARC_MINUTE);
    sharc_sim_scene_free(scene);
    sharc_dataset_freep(&d);
}

/* Two pages, one of which changes at 10 and at 30; looked at, or not. */
static void an_archive_is_judged(void **state)
{
    (void)state;
    const double weight[] = {1, 3}, born[] = {0, 0}, died[] = {HUGE_VAL, HUGE_VAL}, when[] = {10, 30};
    const size_t event_at[] = {0, 2, 2};
    const struct sharc_sim_past past = {.name = "two",
                                        .pages = 2,
                                        .weight = weight,
                                        .born = born,
                                        .died = died,
                                        .event_at = event_at,
                                        .when = when,
                                        .from = 0,
                                        .to = 40,
                                        .full = 1};
    struct sharc_sim_scene *scene = sharc_sim_scene_of(&past);
    struct sharc_sim_watched w = {0};
    sharc_sim_watch_judge(scene, NULL, 0, 1, &w);
    assert_close(w.completeness, 0, 1e-12);
    assert_close(w.freshness, 0, 1e-12); /* nothing is archived */
    assert_close(w.exact, 0, 1e-12);
    struct sharc_sim_capture some[] = {{1, 20}, {0, 15}, {0, 0}};
    w = (struct sharc_sim_watched){0};
    sharc_sim_watch_judge(scene, some, 3, 1, &w);
    assert_close(w.completeness, 0.5, 1e-12);                          /* of the page that changed */
    assert_close(w.freshness, (25.0 / 40 + 3 * 20.0 / 40) / 4, 1e-12); /* 0-10 and 15-30; from 20 on */
    assert_close(w.coherence, 1, 1e-12);                               /* the second page stood all the time */
    /* The first one's answers were up from 0 to 7.5 and from 10 to 30, and the changes to them are one where not. */
    assert_close(w.exact, (27.5 / 40 + 3) / 4, 3 * 0.25 / 200);
    assert_close(w.blur, 12.5 / 40 / 4, 3 * 0.25 / 200);
    sharc_sim_scene_free(scene);
}

static void watching_more_shows_more(void **state)
{
    (void)state;
    struct sharc_sim_habits habits = SHARC_SIM_HABITS;
    habits.pages = 60;
    habits.sites = 3;
    habits.days = 3;
    struct sharc_sim_scene *scene;
    assert_int_equal(sharc_sim_habits_new(&habits, &scene, NULL), 0);
    assert_int_equal(sharc_sim_scene_pages(scene), 60);
    const double shares[] = {0.2, 1.0};
    const struct sharc_watch_ops **all;
    size_t strategies;
    assert_int_equal(sharc_sim_watch_strategies(SHARC_SPAN("all"), &all, &strategies, NULL), 0);
    assert_int_equal(strategies, sharc_watch_count());
    const struct sharc_sim_watching watching = {.shares = shares,
                                                .share_count = 2,
                                                .strategies = all,
                                                .strategy_count = strategies};
    size_t n = strategies * 2;
    struct sharc_sim_watched *a = SHARC_NEW_ARRAY(struct sharc_sim_watched, n),
                             *b = SHARC_NEW_ARRAY(struct sharc_sim_watched, n);
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.threads = 1;
    assert_int_equal(sharc_sim_watch_run(scene, &watching, &o, a, NULL), 0);
    o.threads = 3;
    assert_int_equal(sharc_sim_watch_run(scene, &watching, &o, b, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(a[i].completeness == b[i].completeness && a[i].coherence == b[i].coherence);
        assert_true(a[i].completeness >= 0 && a[i].completeness <= 1);
        assert_true(a[i].coherence >= 0 && a[i].coherence <= 1 + 1e-12);
        assert_true(a[i].exact >= 0 && a[i].exact <= a[i].coherence + 1e-12); /* at this instant: at some instant */
        assert_true(a[i].freshness >= 0 && a[i].freshness <= 1);
        assert_true(a[i].proven >= 0 &&
                    a[i].proven <= a[i].freshness + 1e-12); /* nothing changed: all of it was fresh */
        assert_true(a[i].blur >= 1 - a[i].exact - 1e-12);
        assert_true(a[i].gap_hours > 0 && a[i].gap_hours <= 72);
        assert_true(a[i].downloads <= a[i].share * 60 * 72 + 1);
        if (i % 2) assert_true(a[i].completeness >= a[i - 1].completeness);
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    sharc_sim_watch_write(scene, a, n, 1u << SHARC_WATCHED_BLUR | 1u << SHARC_WATCHED_GAP, SHARC_SIM_TEXT, &out);
    assert_non_null(strstr(sharc_buf_str(&out), "importance-pattern"));
    assert_non_null(strstr(sharc_buf_str(&out), "Blur: changes between"));
    assert_null(strstr(sharc_buf_str(&out), "Completeness"));
    free(a);
    free(b);
    free(all);
    sharc_sim_scene_free(scene);
}

static void a_recorded_scene_needs_changes(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = small(&dir);
    struct sharc_sim_scene *scene;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_sim_scene_new(d, 100, 300, &scene, &err), SHARC_EINVAL); /* less than an hour */
    sharc_dataset_free(d);
    test_rmdir(dir);
    d = NULL;
    assert_int_equal(sharc_dataset_open(test_shared_or_skip("datasets/hot-lists"), &d, NULL), 0);
    assert_int_equal(sharc_sim_scene_new(d, d->end - 3 * 86400, d->end, &scene, NULL), 0);
    assert_true(sharc_sim_scene_full(scene) > 0);
    sharc_sim_scene_free(scene);
    sharc_dataset_free(d);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        size_t columns = 0;
        for (const char *c = text; c < end; c++) columns += ((unsigned char)*c & 0xc0) != 0x80;
        if (columns > longest) longest = columns;
    }
    return longest;
}

static void texts_keep_to_the_width_and_end_with_commands(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = small(&dir);
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    struct sharc_sim_plan p;
    o.delay = 600;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    static const unsigned widths[] = {79, 100, 200};
    for (size_t i = 0; i < SHARC_LENGTH(widths); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
        p.width = widths[i];
        sharc_sim_plan_write(&p, SHARC_SIM_TEXT, &out);
        assert_true(longest_line(sharc_buf_str(&out)) <= widths[i]);
        assert_null(strstr(sharc_buf_str(&out), "sharc crawl"));
        assert_null(strstr(sharc_buf_str(&out), "\n%"));
    }
    p.commands[1] = "sharc crawl --for evidence http://a.example/";
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    sharc_sim_plan_write(&p, SHARC_SIM_TEXT, &out);
    assert_non_null(strstr(sharc_buf_str(&out), "\nFor evidence:\n    sharc crawl --for evidence http://a.example/\n"));
    sharc_buf_clear(&out);
    sharc_sim_plan_write(&p, SHARC_SIM_JSON, &out);
    assert_non_null(strstr(sharc_buf_str(&out), "\"evidence\": \"sharc crawl"));
    assert_non_null(sharc_sim_plan_best(&p, true));
    assert_true(sharc_sim_plan_best(&p, true)->strategy->revisits);
    assert_false(sharc_sim_plan_best(&p, false)->strategy->revisits);
    sharc_sim_plan_done(&p);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* "would lose 0.1 pages instead of 0.1" compares nothing. */
static void no_difference_is_called_none(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = small(&dir);
    double *rate = SHARC_NEW_ARRAY(double, d->pages);
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    o.rates = SHARC_SIM_GIVEN;
    o.given = rate;
    o.given_from = "hand";
    o.delay = 1;
    static const double per_second[] = {1e-12, 1e-4, 1e-3, 1e-2};
    for (size_t k = 0; k < SHARC_LENGTH(per_second); k++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
        struct sharc_sim_plan p;
        double lost, instead;
        for (size_t i = 0; i < d->pages; i++) rate[i] = per_second[k] * (double)(i + 1);
        assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
        p.width = 10000;
        sharc_sim_plan_write(&p, SHARC_SIM_TEXT, &out);
        const char *at = strstr(sharc_buf_str(&out), "Breadth-first would lose ");
        if (k == 0) assert_non_null(strstr(sharc_buf_str(&out), "the order makes no difference here"));
        if (at) {
            const char *best = strstr(sharc_buf_str(&out), "%); about ");
            assert_non_null(best);
            assert_int_equal(sscanf(at, "Breadth-first would lose about %lf page", &lost), 1);
            assert_int_equal(sscanf(best, "%%); about %lf page", &instead), 1);
            assert_true(lost > instead);
        }
        assert_null(strstr(sharc_buf_str(&out), " 0 % less"));
        sharc_sim_plan_done(&p);
    }
    free(rate);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(texts_keep_to_the_width_and_end_with_commands),
    cmocka_unit_test(no_difference_is_called_none),
    cmocka_unit_test(a_plan_expects_by_the_rates),
    cmocka_unit_test(rates_can_be_given),
    cmocka_unit_test(a_slow_crawl_has_hopeless_pages_and_parts),
    cmocka_unit_test(a_plan_knows_no_future),
    cmocka_unit_test(watching_more_shows_more),
    cmocka_unit_test(nobody_starves),
    cmocka_unit_test(an_archive_is_judged),
    cmocka_unit_test(a_recorded_scene_needs_changes),
};
TEST_MAIN(tests)
