/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages and their changes from datasets, sitemaps and archives.
 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/history_rates.h"
#include "sharc/history_trial.h"
#include "sharc/store_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY 86400.0
#define NOW (1000 * SHARC_DAY)

static const struct sharc_history_window everything = {.at = SHARC_TIME_NONE, .now = NOW};

static void put(const char *dir, const char *name, const char *text)
{
    char *path = sharc_path_join(dir, name);
    assert_int_equal(sharc_file_replace(path, sharc_span_of(text), NULL), 0);
    free(path);
}

/* 100 days; page 2 changes every day, page 3 never, page 4 lives from day 50 on. */
static char *dataset(void)
{
    char *dir = test_mkdir();
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    put(dir, "pages.tsv",
        "id\turl\tmime\tcreated\tdeleted\tsize\ttitle_words\ttext_words\timages\ttables\toutlinks\tabsences\n"
        "1\t/\ttext/html\t0\t\t1\t1\t1\t1\t0\t3\t0\n"
        "2\t/busy\ttext/html\t0\t\t1\t1\t1\t1\t0\t0\t0\n"
        "3\t/quiet\ttext/html\t0\t\t1\t1\t1\t1\t0\t0\t0\n"
        "4\t/young\ttext/html\t4320000\t\t1\t1\t1\t1\t0\t0\t0\n");
    sharc_buf_put_str(&b, "id\ttime\n");
    for (int day = 1; day < 100; day++) sharc_buf_printf(&b, "2\t%d\n", day * 86400);
    put(dir, "changes.tsv", sharc_buf_str(&b));
    sharc_buf_done(&b);
    put(dir, "links.tsv", "from\tto\tkind\n1\t2\tlink\n1\t3\tlink\n1\t4\tspanning\n");
    put(dir, "site.json", "{\"name\":\"small\",\"start\":0,\"end\":8640000}");
    return dir;
}

static void a_dataset_over_its_whole_life(void **state)
{
    (void)state;
    char *dir = dataset();
    struct sharc_history h = SHARC_HISTORY_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_true(sharc_history_is_dataset(dir));
    if (sharc_history_dataset(&h, dir, &everything, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(h.kind, SHARC_HISTORY_DATASET);
    assert_int_equal(h.n, 4);
    assert_close(h.page[1].changes, 99, 0);
    assert_close(h.page[1].time, 100 * DAY, 0);
    assert_close(h.page[3].time, 50 * DAY, 0);
    assert_close(h.page[1].inlinks, 1, 0);
    assert_close(h.page[0].inlinks, 0, 0);
    sharc_history_done(&h);
    test_rmdir(dir);
}

static void a_window_holds_the_pages_that_live_through_it(void **state)
{
    (void)state;
    char *dir = dataset();
    struct sharc_history h = SHARC_HISTORY_INIT;
    struct sharc_history_window w = {.days = 60, .at = SHARC_TIME_NONE, .now = NOW};
    assert_int_equal(sharc_history_dataset(&h, dir, &w, NULL), 0);
    assert_int_equal(h.n, 3); /* the young one is not there for 60 days */
    assert_close(h.page[1].changes, 59, 0);
    sharc_history_done(&h);
    test_rmdir(dir);
}

static void a_window_outside_the_recording_is_refused(void **state)
{
    (void)state;
    char *dir = dataset();
    static const double days[] = {101, 1e23, 1e300, HUGE_VAL};
    for (size_t i = 0; i < SHARC_LENGTH(days); i++) {
        struct sharc_history h = SHARC_HISTORY_INIT;
        struct sharc_err err = SHARC_ERR_INIT;
        struct sharc_history_window w = {.days = days[i], .at = SHARC_TIME_NONE, .now = NOW};
        assert_int_equal(sharc_history_dataset(&h, dir, &w, &err), SHARC_EINVAL);
        assert_non_null(strstr(err.text, "not covered"));
        sharc_history_done(&h);
    }
    test_rmdir(dir);
}

static void a_sitemap_tells_when_pages_changed_last(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    put(dir, "map.xml",
        "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
        "<url><loc>https://a.example/</loc><lastmod>1972-09-26</lastmod><priority>0.9</priority></url>"
        "<url><loc>https://a.example/x</loc><changefreq>daily</changefreq></url></urlset>");
    char *path = sharc_path_join(dir, "map.xml");
    struct sharc_history h = SHARC_HISTORY_INIT;
    assert_int_equal(sharc_history_sitemap(&h, path, &everything, NULL), 0);
    assert_int_equal(h.n, 2);
    assert_span(h.page[0].url, "https://a.example/");
    assert_close(h.page[0].age_now, DAY, 0); /* day 999 */
    assert_close(h.page[0].priority, 0.9, 1e-6);
    assert_true(isnan(h.page[1].age_now));
    assert_int_equal(h.page[1].frequency, SHARC_FREQ_DAILY);
    assert_int_equal(sharc_history_weigh(&h, "priority", NULL), 0);
    assert_close(h.page[0].weight, 0.9, 1e-6);
    assert_close(h.page[1].weight, 0.5, 0);
    sharc_history_done(&h);
    free(path);
    test_rmdir(dir);
}

/* --- an archive --------------------------------------------------------------------------- */

/* Ten captures a day apart, the last on day 909: /busy is another page each time,
 * /quiet the same. */
static struct sharc_store *archive(void)
{
    struct sharc_store *s = NULL;
    struct sharc_store_batch *b = NULL;
    const struct sharc_store_site site = {.name = SHARC_SPAN("a.example")};
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    assert_int_equal(sharc_store_open("memory:", NULL, &s, NULL), 0);
    assert_int_equal(sharc_store_site_put(s, &site, &c.site, NULL), 0);
    sharc_store_batch_new(s, &b);
    for (int day = 0; day < 10; day++) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        char body[16];
        c.start = (900 + day) * SHARC_DAY;
        c.end = c.start + SHARC_HOUR;
        c.state = SHARC_CAPTURE_COMPLETE;
        assert_int_equal(sharc_store_capture_add(s, &c, &p.capture, NULL, NULL), 0);
        p.visit.when = c.start;
        p.visit.status = 200;
        p.mime = SHARC_SPAN("text/html");
        p.url = SHARC_SPAN("https://a.example/busy");
        snprintf(body, sizeof body, "%d", day);
        sharc_digest_of(SHARC_SHA256, sharc_span_of(body), &p.visit.digest);
        assert_true(sharc_store_batch_page(b, &p, NULL) >= 0);
        p.url = SHARC_SPAN("https://a.example/quiet");
        sharc_digest_of(SHARC_SHA256, SHARC_SPAN("always"), &p.visit.digest);
        assert_true(sharc_store_batch_page(b, &p, NULL) >= 0);
        assert_int_equal(sharc_store_batch_commit(b, NULL), 0);
    }
    sharc_store_batch_freep(&b);
    return s;
}

static const struct sharc_history_page *page_of(const struct sharc_history *h, const char *url)
{
    for (size_t i = 0; i < h->n; i++)
        if (sharc_span_is(h->page[i].url, url)) return &h->page[i];
    fail_msg("%s is missing", url);
    return NULL;
}

static void an_archive_is_all_its_looks(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = archive();
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_history_archive(&h, s, "a", &everything, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(h.n, 2);
    assert_close(page_of(&h, "https://a.example/busy")->time, 9 * DAY, 1);
    assert_true(page_of(&h, "https://a.example/busy")->changes >= 9);
    assert_close(page_of(&h, "https://a.example/quiet")->changes, 0, 1e-9);
    assert_span(page_of(&h, "https://a.example/busy")->mime, "text/html");
}

static void days_of_an_archive_count_back_from_the_end(void **state)
{
    (void)state;
    static const struct {
        double days, looks_back;
    } cases[] = {{4.5, 4}, {1000, 9}, {1e6, 9}, {1e23, 9}, {1e300, 9}, {HUGE_VAL, 9}};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = archive();
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_history h = SHARC_HISTORY_INIT;
        const struct sharc_history_window w = {.days = cases[i].days, .at = 909 * SHARC_DAY + SHARC_HOUR, .now = NOW};
        assert_int_equal(sharc_history_archive(&h, s, "a", &w, NULL), 0);
        assert_close(page_of(&h, "https://a.example/busy")->time, cases[i].looks_back * DAY, 1);
        sharc_history_done(&h);
    }
}

static void a_time_without_pages_is_refused(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = archive();
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    const struct sharc_history_window w = {.at = 100 * SHARC_DAY, .now = NOW};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_history_archive(&h, s, "garden", &w, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "garden: no page"));
}

/* --- rates ------------------------------------------------------------------------------- */

static void rates_are_kept_in_the_catalogue(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = archive();
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    SHARC_AUTO(sharc_history_kept_done) struct sharc_history_kept kept = SHARC_HISTORY_KEPT_INIT;
    assert_int_equal(sharc_history_archive(&h, s, "a", &everything, NULL), 0);
    static const enum sharc_history_method methods[] = {SHARC_HISTORY_POSTERIOR, SHARC_HISTORY_COMBINED};
    for (size_t i = 0; i < SHARC_LENGTH(methods); i++) {
        struct sharc_history_rate rate[2];
        const struct sharc_history_rates_options o = {.method = methods[i],
                                                      .coming = 7 * DAY,
                                                      .delay = 3,
                                                      .level = 0.95};
        assert_int_equal(sharc_history_rates(&h, &o, rate, NULL), 0);
        sharc_history_rates_sort(rate, 2);
        assert_span(h.page[rate[0].page].url, "https://a.example/busy");
        assert_true(rate[0].rate.rate > 3 * rate[1].rate.rate);
        assert_int_equal(sharc_history_rates_keep(&h, methods[i], rate, 2, s, NULL), 0);
    }
    assert_int_equal(sharc_history_kept_read(s, &kept, NULL), 0);
    assert_int_equal(kept.n, 4);
    assert_span(kept.row[0].url, "https://a.example/busy");
    for (size_t i = 1; i < kept.n; i++) assert_true(kept.row[i - 1].value >= kept.row[i].value);
}

static void combined_rates_need_a_past(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    struct sharc_history_rate rate;
    struct sharc_err err = SHARC_ERR_INIT;
    const struct sharc_history_rates_options o = {.method = SHARC_HISTORY_COMBINED, .coming = DAY, .level = 0.95};
    h.name = sharc_strdup("map.xml");
    sharc_history_add(&h)->url = SHARC_SPAN("/");
    assert_int_equal(sharc_history_rates(&h, &o, &rate, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "map.xml: combined"));
}

static void a_trial_counts_its_pages(void **state)
{
    (void)state;
    char *dir = dataset();
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    struct sharc_history_window w = {.days = 60, .at = SHARC_TIME_NONE, .now = NOW};
    assert_int_equal(sharc_history_dataset(&h, dir, &w, NULL), 0);
    struct sharc_history_trial_options o = {.learn = SHARC_RATE_OPTIONS, .folds = 3, .seed = 1};
    struct sharc_history_trial t;
    o.learn.bins = 2;
    assert_int_equal(sharc_history_try(&h, &o, &t, NULL), 0);
    assert_int_equal(t.report.rows, 3);
    assert_true(isnan(t.blur) && isnan(t.incoherent_plain));
    o.worth = true;
    assert_int_equal(sharc_history_try(&h, &o, &t, NULL), 0);
    assert_true(t.blur_oracle >= 0 && t.incoherent_oracle >= 0);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_dataset_over_its_whole_life),
    cmocka_unit_test(a_window_holds_the_pages_that_live_through_it),
    cmocka_unit_test(a_window_outside_the_recording_is_refused),
    cmocka_unit_test(a_sitemap_tells_when_pages_changed_last),
    cmocka_unit_test(an_archive_is_all_its_looks),
    cmocka_unit_test(days_of_an_archive_count_back_from_the_end),
    cmocka_unit_test(a_time_without_pages_is_refused),
    cmocka_unit_test(rates_are_kept_in_the_catalogue),
    cmocka_unit_test(combined_rates_need_a_past),
    cmocka_unit_test(a_trial_counts_its_pages),
};
TEST_MAIN(tests)
