/* SPDX-License-Identifier: Apache-2.0
 *
 * Promises: that an interval holds as often as it says, that it knows no future, and that it
 * says what it is made of.
 */
#include "sites.h"

#include "sharc/base_arena.h"
#include "sharc/base_node.h"
#include "sharc/base_rng.h"
#include "sharc/sim_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY 86400.0
#define PAGES 60
#define DAYS 400
#define LARGE 6000 /* more than slow rates are made for in all windows */

/* A site whose pages change together: on each day with chance `bulk` all of them within one second,
 * from the day `until` on never. Page 0 links to all. */
static struct sharc_dataset *bursty_of(unsigned n, char **dir, double bulk, unsigned until, uint64_t seed)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf pages = SHARC_BUF_INIT(1u << 24);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf changes = SHARC_BUF_INIT(1u << 24);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf links = SHARC_BUF_INIT(1u << 24);
    struct sharc_rng rng = sharc_rng_stream(seed, 0);
    struct sharc_dataset *d;
    char text[200];
    *dir = test_mkdir();
    sharc_buf_put_str(&pages, PAGES_HEADER);
    sharc_buf_put_str(&changes, CHANGES_HEADER);
    sharc_buf_put_str(&links, LINKS_HEADER);
    for (unsigned p = 1; p <= n; p++) {
        sharc_buf_printf(&pages, "%u\t/%s%u\ttext/html\t0\t\t10\t1\t2\t3\t4\t5\t0\n", p, p == 1 ? "" : "p/", p);
        if (p > 1) sharc_buf_printf(&links, "1\t%u\tlink\n", p);
    }
    for (unsigned day = 0; day < DAYS && day < until; day++) {
        if (sharc_rng_uniform(&rng) >= bulk) continue;
        unsigned second = (unsigned)(sharc_rng_uniform(&rng) * DAY);
        for (unsigned p = 1; p <= n; p++) sharc_buf_printf(&changes, "%u\t%u\n", p, day * 86400 + second + 1);
    }
    write_file(*dir, "pages.tsv", sharc_buf_str(&pages));
    write_file(*dir, "changes.tsv", sharc_buf_str(&changes));
    write_file(*dir, "links.tsv", sharc_buf_str(&links));
    snprintf(text, sizeof text, "{\"name\": \"bursty\", \"start\": 0, \"end\": %u}\n", DAYS * 86400);
    write_file(*dir, "site.json", text);
    assert_int_equal(sharc_dataset_open(*dir, &d, NULL), 0);
    return d;
}

static struct sharc_dataset *bursty(char **dir, double bulk, unsigned until, uint64_t seed)
{
    return bursty_of(PAGES, dir, bulk, until, seed);
}

static struct sharc_sim_outlook promised_by(enum sharc_sim_rates rates, const struct sharc_dataset *d, double from,
                                            double to, const char *strategy, double *ret_came,
                                            struct sharc_sim_promises *ret_all)
{
    const struct sharc_strategy_ops *ops = sharc_strategy_find(strategy);
    struct sharc_sim_window w = {.from = from, .to = to, .rates = rates};
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    struct sharc_sim_site *site;
    struct sharc_sim_result r;
    struct sharc_sim_promises p;
    o.threads = 1;
    assert_int_equal(sharc_sim_recorded_new(d, &w, &site, NULL), 0);
    assert_int_equal(sharc_sim_run(site, &ops, 1, &o, &r, NULL), 0);
    assert_int_equal(sharc_sim_promise_make(site, &r, 1, &o, &p, NULL), 0);
    if (ret_came) *ret_came = r.incoherence.mean;
    struct sharc_sim_outlook of = p.of[0];
    if (ret_all) {
        *ret_all = p;
        ret_all->of = NULL;
    }
    sharc_sim_promises_done(&p);
    sharc_sim_site_free(site);
    return of;
}

static struct sharc_sim_outlook promised(const struct sharc_dataset *d, double from, double to, const char *strategy,
                                         double *ret_came, struct sharc_sim_promises *ret_all)
{
    return promised_by(SHARC_SIM_HISTORY, d, from, to, strategy, ret_came, ret_all);
}

/* Independent pages would promise nearly the same loss each time; these lose all or nothing. */
static void an_interval_holds_on_bulk_edits(void **state)
{
    (void)state;
    unsigned cases = 0, held = 0, wide = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char *dir;
        struct sharc_dataset *d = bursty(&dir, 0.15, DAYS, seed);
        for (double to = DAYS; to > 260; to -= 7) {
            double came;
            struct sharc_sim_outlook o = promised(d, (to - 5) * DAY, to * DAY, "bfs-lifo", &came, NULL);
            assert_true(o.lost.low <= o.lost.median && o.lost.median <= o.lost.high);
            assert_true(o.lost.low >= 0 && o.lost.high <= PAGES);
            assert_true(o.blur.low <= o.blur.median && o.blur.median <= o.blur.high);
            cases++;
            held += came >= o.lost.low && came <= o.lost.high;
            wide += o.lost.high - o.lost.low >= PAGES / 3.0;
        }
        sharc_dataset_free(d);
        test_rmdir(dir);
    }
    assert_true(held >= 0.7 * cases);
    assert_true(wide >= 0.7 * cases); /* and it does not pretend to know better */
}

/* The same past, two futures: one promise. */
static void check_future(enum sharc_sim_rates rates)
{
    char *dirs[2];
    struct sharc_sim_outlook o[2];
    double came[2];
    for (int i = 0; i < 2; i++) {
        struct sharc_dataset *d = bursty(&dirs[i], 0.5, i ? DAYS : 300, 9);
        o[i] = promised_by(rates, d, 300 * DAY, 310 * DAY, "sharc-selective-offline", &came[i], NULL);
        sharc_dataset_free(d);
        test_rmdir(dirs[i]);
    }
    assert_true(came[0] == 0 && came[1] > 0);
    assert_memory_equal(&o[0].lost, &o[1].lost, sizeof o[0].lost);
    assert_memory_equal(&o[0].blur, &o[1].blur, sizeof o[0].blur);
}

static void the_future_is_not_looked_at(void **state)
{
    (void)state;
    check_future(SHARC_SIM_HISTORY);
    check_future(SHARC_SIM_COMBINED);
}

/* Slow rates are made for some of the windows. Where the order does not follow from them, that changes nothing. */
static void slow_rates_are_stood_in_for(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = bursty_of(LARGE, &dir, 0.15, DAYS, 6);
    const struct sharc_sim_outlook quick = promised(d, 380 * DAY, 390 * DAY, "bfs-lifo", NULL, NULL);
    const struct sharc_sim_outlook slow =
        promised_by(SHARC_SIM_COMBINED, d, 380 * DAY, 390 * DAY, "bfs-lifo", NULL, NULL);
    assert_true(quick.lost.median > 0);
    assert_memory_equal(&quick.lost, &slow.lost, sizeof quick.lost);
    assert_memory_equal(&quick.blur, &slow.blur, sizeof quick.blur);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* Rates that were counted in the window itself would leak it. */
static void an_oracle_promises_nothing(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = bursty(&dir, 0.5, DAYS, 3);
    static const enum sharc_sim_rates rates[] = {SHARC_SIM_ORACLE, SHARC_SIM_COUNTED, SHARC_SIM_SITEMAP};
    for (size_t i = 0; i < SHARC_LENGTH(rates); i++) {
        struct sharc_sim_window w = {.from = 300 * DAY, .to = 301 * DAY, .rates = rates[i]};
        struct sharc_sim_options o = SHARC_SIM_OPTIONS;
        struct sharc_sim_promises p;
        struct sharc_sim_site *site;
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_sim_recorded_new(d, &w, &site, NULL), 0);
        assert_int_equal(sharc_sim_promise_make(site, NULL, 0, &o, &p, &err), SHARC_EINVAL);
        assert_non_null(strstr(err.text, "future"));
        sharc_sim_site_free(site);
    }
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void windows_lie_in_the_past_and_keep_the_hour(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = bursty(&dir, 0.5, DAYS, 3);
    struct sharc_sim_promises all;
    promised(d, 300 * DAY + 5000, 301 * DAY, "bfs-lifo", NULL, &all);
    assert_int_equal(all.windows, SHARC_SIM_PROMISE_WINDOWS);
    assert_false(all.others);
    assert_close(fmod(300 * DAY + 5000 - all.first, 7 * DAY), 0, 1e-6); /* whole weeks before */
    promised(d, 300 * DAY, 390 * DAY, "bfs-lifo", NULL, &all);          /* a long one: windows overlap */
    assert_true(all.windows >= 6 && all.first >= 0);
    promised(d, 20 * DAY, 39 * DAY, "bfs-lifo", NULL, &all); /* longer than what was before */
    assert_int_equal(all.windows, 0);
    assert_true(all.others);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* Strategies that take long are tried on fewer windows and lean on a quick one, asked for or not. */
static void slow_strategies_promise_too(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = bursty(&dir, 0.15, DAYS, 5);
    static const char *const names[] = {"sharc-focus", "sharc-optimal", "sharc-selective-online"};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        struct sharc_sim_outlook o = promised(d, 380 * DAY, 390 * DAY, names[i], NULL, NULL);
        assert_true(isfinite(o.lost.median) && o.lost.high <= PAGES && o.requests >= 2 * PAGES - 1);
    }
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void a_synthetic_site_has_no_past(void **state)
{
    (void)state;
    struct sharc_sim_synthetic shape = SHARC_SIM_SYNTHETIC;
    shape.pages = 20;
    struct sharc_sim_site *site;
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    struct sharc_sim_promises p;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_sim_synthetic_new(&shape, &site, NULL), 0);
    assert_int_equal(sharc_sim_promise_make(site, NULL, 0, &o, &p, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "no past"));
    sharc_sim_site_free(site);
}

/* --- plans --------------------------------------------------------------------------- */

static struct sharc_sim_plan plan_of(const struct sharc_dataset *d, double delay, const char *text[], bool json,
                                     struct sharc_buf *out)
{
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    struct sharc_sim_plan p;
    o.rates = SHARC_SIM_HISTORY;
    o.delay = delay;
    o.run.threads = 1;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    p.width = 100000;
    sharc_buf_clear(out);
    sharc_sim_plan_write(&p, json ? SHARC_SIM_JSON : SHARC_SIM_TEXT, out);
    for (; text && *text; text++)
        if (!strstr(sharc_buf_str(out), *text)) fail_msg("\"%s\" is missing in: %s", *text, sharc_buf_str(out));
    return p;
}

static void check_promise(const struct sharc_node *n)
{
    assert_non_null(n);
    double low = sharc_node_real(sharc_node_get(n, "low"), -1), high = sharc_node_real(sharc_node_get(n, "high"), -1);
    double median = sharc_node_real(sharc_node_get(n, "median"), -1);
    assert_true(0 <= low && low <= median && median <= high);
}

static void every_promise_of_a_plan_has_an_interval(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = bursty(&dir, 0.15, DAYS, 7);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 22);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 22);
    struct sharc_sim_plan p = plan_of(d, 3600, NULL, true, &out);
    const struct sharc_node *root;
    assert_int_equal(sharc_json_read(sharc_buf_span(&out), &arena, &root, NULL), 0);
    const struct sharc_node *made = sharc_node_get(root, "promises");
    assert_close(sharc_node_real(sharc_node_get(made, "level"), 0), 0.8, 1e-12);
    assert_close(sharc_node_real(sharc_node_get(made, "windows"), 0), p.promises.windows, 0);
    const struct sharc_node *results = sharc_node_get(root, "results");
    for (size_t i = 0; i < results->count; i++) {
        const struct sharc_node *r = sharc_node_at(results, i);
        check_promise(sharc_node_get(r, "blur"));
        if (p.results[i].strategy->revisits)
            check_promise(sharc_node_get(r, "lost"));
        else
            assert_null(sharc_node_get(r, "lost"));
    }
    const struct sharc_node *captures = sharc_node_get(sharc_node_get(root, "otherwise"), "captures");
    assert_true(captures->count >= SHARC_SIM_PACES);
    for (size_t i = 0; i < captures->count; i++) check_promise(sharc_node_get(sharc_node_at(captures, i), "lost"));
    sharc_sim_plan_done(&p);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* Edits of all pages once in six days: a capture of five days meets one, one of half a day does not. */
static void another_delay_changes_the_picture(void **state)
{
    (void)state;
    char *dir;
    struct sharc_dataset *d = bursty(&dir, 0.15, DAYS, 7);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 22);
    const char *slow[] = {"instead of 2 h it takes", "windows of this site's past", "80 cases of 100", NULL};
    struct sharc_sim_plan p = plan_of(d, 7200, slow, false, &out);
    assert_true(p.pace[1].lost.median < p.promises.of[p.judged - p.results].lost.median / 2);
    assert_true(p.pace[0].delay < 7200 && p.pace[1].delay < p.pace[0].delay && p.pace[2].delay > 7200);
    sharc_sim_plan_done(&p);
    const char *quick[] = {"A gentler delay of 3 s would do as well", NULL};
    p = plan_of(d, 1, quick, false, &out);
    assert_null(strstr(sharc_buf_str(&out), "instead of 1 s"));
    sharc_sim_plan_done(&p);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* Without a past of its own a site borrows the errors made on others, and says so. */
static void no_past_is_admitted(void **state)
{
    (void)state;
    const struct sharc_span url[] = {SHARC_SPAN("/"), SHARC_SPAN("/a"), SHARC_SPAN("/b")};
    static const uint32_t from[] = {0, 0}, to[] = {1, 2};
    static const double rate[] = {1e-5, 1e-5, 1e-5};
    const struct sharc_dataset_moment m = {"new", 1e9, 3, 2, url, from, to};
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = sharc_dataset_of_moment(&m);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    struct sharc_sim_plan p;
    o.rates = SHARC_SIM_GIVEN;
    o.given = rate;
    o.given_from = "hand";
    o.delay = 10000;
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    assert_int_equal(p.promises.windows, 0);
    assert_true(p.promises.others);
    p.width = 100000;
    sharc_sim_plan_write(&p, SHARC_SIM_TEXT, &out);
    assert_non_null(strstr(sharc_buf_str(&out), "on six recorded sites"));
    assert_null(strstr(sharc_buf_str(&out), "of this site's past"));
    assert_true(isnan(p.hour.delay)); /* no rhythm is known */
    sharc_sim_plan_done(&p);
}

/* Borrowed errors are errors of rates: of nothing they make nothing, of everything not much less. */
static void borrowed_errors_keep_their_scale(void **state)
{
    (void)state;
    enum { MANY = 200 };
    struct sharc_span url[MANY];
    uint32_t from[MANY], to[MANY];
    double rate[MANY];
    for (uint32_t i = 0; i < MANY; i++) url[i] = SHARC_SPAN("/x"), from[i] = 0, to[i] = i;
    const struct sharc_dataset_moment m = {"new", 1e9, MANY, MANY, url, from, to};
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = sharc_dataset_of_moment(&m);
    static const double per_second[] = {1e-12, 1e-5, 1};
    double median[3], high[3];
    for (int k = 0; k < 3; k++) {
        struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
        struct sharc_sim_plan p;
        for (int i = 0; i < MANY; i++) rate[i] = per_second[k];
        o.rates = SHARC_SIM_GIVEN;
        o.given = rate;
        o.given_from = "hand";
        o.delay = 10;
        assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
        const struct sharc_sim_result *best = sharc_sim_plan_best(&p, true);
        median[k] = p.promises.of[best - p.results].lost.median;
        high[k] = p.promises.of[best - p.results].lost.high;
        sharc_sim_plan_done(&p);
    }
    assert_true(median[0] < 0.01 && high[0] == 0);
    assert_true(median[1] > 0.5 && median[1] < high[1] && high[1] < MANY);
    assert_true(median[2] > 0.9 * MANY && high[2] <= MANY);
}

/* A site that is edited from 9 to 11 every day and rests otherwise. */
static void another_hour_changes_the_picture(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf changes = SHARC_BUF_INIT(1u << 24);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 22);
    char *dir, site[100];
    struct sharc_dataset *d = bursty(&dir, 0, DAYS, 1);
    sharc_dataset_free(d);
    sharc_buf_put_str(&changes, CHANGES_HEADER);
    for (unsigned day = 0; day < DAYS; day++)
        for (unsigned p = 1; p <= PAGES; p++) /* in turn, each on two days of three */
            if ((p + day) % 3) sharc_buf_printf(&changes, "%u\t%u\n", p, day * 86400 + 9 * 3600 + p * 120);
    write_file(dir, "changes.tsv", sharc_buf_str(&changes));
    snprintf(site, sizeof site, "{\"name\": \"office\", \"start\": 0, \"end\": %u}\n", DAYS * 86400);
    write_file(dir, "site.json", site);
    assert_int_equal(sharc_dataset_open(dir, &d, NULL), 0);
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    struct sharc_sim_plan p;
    o.rates = SHARC_SIM_HISTORY;
    o.at = (DAYS - 1) * DAY + 8 * 3600;
    o.delay = 120; /* four hours */
    assert_int_equal(sharc_sim_plan_make(d, &o, &p, NULL), 0);
    assert_false(isnan(p.hour.delay));
    const double hour = fmod(p.hour.at, DAY) / 3600;
    assert_true(hour >= 11 || hour + 4 <= 9);
    p.width = 100000;
    sharc_sim_plan_write(&p, SHARC_SIM_TEXT, &out);
    assert_non_null(strstr(sharc_buf_str(&out), "when the site rests, it loses no page ("));
    sharc_sim_plan_done(&p);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_interval_holds_on_bulk_edits),
    cmocka_unit_test(the_future_is_not_looked_at),
    cmocka_unit_test(slow_rates_are_stood_in_for),
    cmocka_unit_test(an_oracle_promises_nothing),
    cmocka_unit_test(windows_lie_in_the_past_and_keep_the_hour),
    cmocka_unit_test(slow_strategies_promise_too),
    cmocka_unit_test(a_synthetic_site_has_no_past),
    cmocka_unit_test(every_promise_of_a_plan_has_an_interval),
    cmocka_unit_test(another_delay_changes_the_picture),
    cmocka_unit_test(no_past_is_admitted),
    cmocka_unit_test(borrowed_errors_keep_their_scale),
    cmocka_unit_test(another_hour_changes_the_picture),
};
TEST_MAIN(tests)
