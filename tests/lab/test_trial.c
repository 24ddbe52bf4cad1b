/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole capture held against the truth, and a real crawl of a living site.
 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/crawl.h"
#include "sharc/lab_trial.h"
#include "sharc/lab_verdict.h"
#include "sharc/store_query.h"

#include <stdlib.h>
#include <unistd.h>

/* --- a capture by hand ------------------------------------------------------------------- */

static sharc_time at(int second)
{
    sharc_time t = 0;
    assert_int_equal(sharc_time_parse(SHARC_SPAN("2026-01-01"), &t, NULL), 0);
    return t + second * SHARC_SEC;
}

/* /p says "zero" until second 10, then "one"; /q always says "zero". */
static struct sharc_lab_truth *truth(const char *dir)
{
    static const struct {
        const char *path, *body;
        int second;
    } rows[] = {{"/p", "zero", 0}, {"/q", "zero", 0}, {"/p", "one", 10}};
    struct sharc_lab_truth *t = NULL;
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    char *path = sharc_path_join(dir, "truth.jsonl");
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)];
        struct sharc_digest d;
        sharc_digest_of(SHARC_SHA256, sharc_span_of(rows[i].body), &d);
        sharc_hex_encode(sharc_span(d.bytes, d.n), hex);
        sharc_buf_printf(&b,
                         "{\"time\":\"2026-01-01T00:00:%02d.000000Z\",\"path\":\"%s\",\"version\":%d,"
                         "\"significant\":true,\"status\":200,\"sha256\":\"%s\"}\n",
                         rows[i].second, rows[i].path, rows[i].second > 0, hex);
    }
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&b), NULL), 0);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_lab_truth_open(path, &t, &err) < 0) fail_msg("%s", err.text);
    sharc_buf_done(&b);
    free(path);
    return t;
}

struct claim {
    const char *url, *visit, *revisit; /* bodies; NULL: not downloaded */
    int revisit_at;
    int change; /* said of the revisit; SHARC_STORE_NO_CHANGE: nothing */
    enum sharc_digest_kind digest;
};

static void look(struct sharc_store_look *l, int second, const char *body, enum sharc_digest_kind kind)
{
    l->when = at(second);
    l->took = 10 * SHARC_MSEC;
    l->status = 200;
    sharc_digest_of(kind, sharc_span_of(body), &l->digest);
}

static struct sharc_lab_verdict judge(const struct claim *claims, size_t n)
{
    char *dir = test_mkdir();
    struct sharc_lab_truth *t = truth(dir);
    struct sharc_store *s = NULL;
    struct sharc_store_batch *b = NULL;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    struct sharc_lab_verdict v = {0};
    assert_int_equal(sharc_store_open("memory:", NULL, &s, NULL), 0);
    assert_int_equal(sharc_store_site_put(s, &(struct sharc_store_site){.name = SHARC_SPAN("a.example")}, &c.site,
                                          NULL),
                     0);
    c.start = at(0);
    assert_int_equal(sharc_store_capture_add(s, &c, &c.id, NULL, NULL), 0);
    sharc_store_batch_new(s, &b);
    for (size_t i = 0; i < n; i++) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        p.capture = c.id;
        p.url = sharc_span_of(claims[i].url);
        look(&p.visit, 1, claims[i].visit, claims[i].digest);
        assert_true(sharc_store_batch_page(b, &p, NULL) >= 0);
        if (!claims[i].revisit) continue;
        look(&p.revisit, claims[i].revisit_at, claims[i].revisit, claims[i].digest);
        p.revisit.change = claims[i].change;
        assert_true(sharc_store_batch_look(b, c.id, p.url, SHARC_LOOK_REVISIT, &p.revisit, NULL) >= 0);
    }
    assert_int_equal(sharc_store_batch_commit(b, NULL), 0);
    assert_int_equal(sharc_lab_verdict(s, c.id, t, &v, NULL), 0);
    sharc_store_batch_freep(&b);
    sharc_store_free(s);
    sharc_lab_truth_free(t);
    test_rmdir(dir);
    return v;
}

static void right_and_wrong_claims_are_told_apart(void **state)
{
    (void)state;
    static const struct claim claims[] = {
        {"http://a.example/p", "zero", "one", 20, SHARC_TEXT_CHANGED, SHARC_SHA256},
        {"http://a.example/q", "zero", "zero", 20, SHARC_TEXT_CHANGED, SHARC_SHA256},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = judge(claims, 2);
    assert_int_equal(v.pages, 2);
    assert_int_equal(v.in_log, 2);
    assert_int_equal(v.comparisons, 2);
    assert_int_equal(v.findings[SHARC_LAB_CHANGED], 1);
    assert_int_equal(v.findings[SHARC_LAB_FALSE_CHANGED], 1);
    assert_int_equal(v.bodies_right, 4);
    assert_int_equal(v.wrong_count, 1);
    assert_string_equal(v.wrong[0].url, "http://a.example/q");
    assert_true(sharc_lab_verdict_judged(&v));
    assert_int_equal(sharc_lab_verdict_wrong(&v), 1);
}

static void a_body_of_another_moment_is_a_mistake(void **state)
{
    (void)state;
    static const struct claim claims[] = {
        {"http://a.example/p", "one", NULL, 0, 0, SHARC_SHA256},
        {"http://a.example/q", "two", NULL, 0, 0, SHARC_SHA256},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = judge(claims, 2);
    assert_int_equal(v.bodies_late, 1);
    assert_int_equal(v.bodies_wrong, 1);
    assert_true(sharc_lab_verdict_judged(&v));
    assert_int_equal(sharc_lab_verdict_wrong(&v), 2);
}

/* As files of another crawler come in: no comparisons, digests by SHA-1. */
static void a_capture_without_claims_is_not_judged(void **state)
{
    (void)state;
    static const struct claim claims[] = {
        {"http://a.example/p", "zero", "one", 20, SHARC_STORE_NO_CHANGE, SHARC_SHA1},
        {"http://a.example/q", "zero", NULL, 0, 0, SHARC_SHA1},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = judge(claims, 2);
    assert_int_equal(v.in_log, 2);
    assert_int_equal(sharc_lab_verdict_wrong(&v), 0);
    assert_false(sharc_lab_verdict_judged(&v));
}

static void a_capture_of_another_site_is_not_judged(void **state)
{
    (void)state;
    static const struct claim claims[] = {
        {"http://a.example/x", "zero", "zero", 20, SHARC_UNCHANGED, SHARC_SHA256},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = judge(claims, 1);
    assert_int_equal(v.in_log, 0);
    assert_int_equal(v.comparisons, 1);
    assert_false(sharc_lab_verdict_judged(&v));
}

/* --- a real crawl ------------------------------------------------------------------------ */

static struct sharc_lab_trial_options small_site(const char *home)
{
    struct sharc_lab_trial_options o = {.site = SHARC_LAB_OPTIONS, .delay = 0, .home = home};
    o.strategy = sharc_strategy_find("sharc-focus");
    o.site.pages = 20;
    o.site.clock = sharc_clock_real();
    return o;
}

static void a_living_site_is_crawled_and_weighed(void **state)
{
    (void)state;
    char *home = test_mkdir();
    struct sharc_lab_trial_options o = small_site(home);
    struct sharc_lab_trial sum = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    for (unsigned run = 0; run < 2; run++)
        if (sharc_lab_trial_run(&o, run, &sum, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(sum.runs, 2);
    assert_true(sum.pages >= 2 * 20);
    assert_true(sum.requests > sum.pages); /* it revisits */
    assert_int_equal(sharc_lab_trial_wrong(&sum), 0);
    for (unsigned run = 1; run <= 2; run++) {
        char *log = sharc_asprintf("%s/sharc-focus-%u/truth.jsonl", home, run);
        assert_int_equal(access(log, R_OK), 0);
        free(log);
    }
    test_rmdir(home);
}

static void stop_at_once(void *arg, struct sharc_crawl *crawl)
{
    int *calls = arg;
    (*calls)++;
    if (crawl) sharc_crawl_stop(crawl);
}

static void a_crawl_can_be_stopped(void **state)
{
    (void)state;
    char *home = test_mkdir();
    struct sharc_lab_trial_options o = small_site(home);
    struct sharc_lab_trial sum = {0};
    int calls = 0;
    o.running = stop_at_once;
    o.arg = &calls;
    assert_int_equal(sharc_lab_trial_run(&o, 0, &sum, NULL), SHARC_EINTR);
    assert_int_equal(calls, 2); /* with the crawl, and without */
    assert_int_equal(sum.runs, 0);
    test_rmdir(home);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_and_wrong_claims_are_told_apart),  cmocka_unit_test(a_body_of_another_moment_is_a_mistake),
    cmocka_unit_test(a_capture_without_claims_is_not_judged), cmocka_unit_test(a_capture_of_another_site_is_not_judged),
    cmocka_unit_test(a_living_site_is_crawled_and_weighed),   cmocka_unit_test(a_crawl_can_be_stopped),
};
TEST_MAIN(tests)
