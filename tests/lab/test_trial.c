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

#include <stdio.h>
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

/* --- proofs ---------------------------------------------------------------------------- */

struct proof {
    const char *url, *visit, *revisit;
    int from, to; /* the interval it is said to be so; 0: none */
    enum sharc_grade_reason reason;
    const char *second; /* seen at second 15; NULL: not looked at */
    const char *embeds; /* what it shows; NULL: nothing */
};

/* /price goes from "zero" to "one" at second 10 by an edit of its price; /token carries a token
 * and is served as "token1" at 1 and "token2" at 20; /ad likewise, with an edit inside its advert
 * at 10; /still never changes. */
static const char proof_log[] =
    "{\"time\":\"2026-01-01T00:00:00Z\",\"path\":\"/price\",\"version\":0,\"cause\":\"start\",\"status\":200,%s}\n"
    "{\"time\":\"2026-01-01T00:00:00Z\",\"path\":\"/still\",\"version\":0,\"cause\":\"start\",\"status\":200,%s}\n"
    "{\"time\":\"2026-01-01T00:00:00Z\",\"path\":\"/token\",\"version\":0,\"cause\":\"start\",\"status\":200,"
    "\"noise\":[\"token\"],%s}\n"
    "{\"time\":\"2026-01-01T00:00:00Z\",\"path\":\"/ad\",\"version\":0,\"cause\":\"start\",\"status\":200,"
    "\"noise\":[\"advert\"],%s}\n"
    "{\"time\":\"2026-01-01T00:00:10Z\",\"path\":\"/price\",\"version\":1,\"cause\":\"edit\",\"kind\":\"price\","
    "\"status\":200,%s}\n"
    "{\"time\":\"2026-01-01T00:00:10Z\",\"path\":\"/ad\",\"version\":1,\"cause\":\"edit\",\"kind\":\"volatile\","
    "\"significant\":false,\"status\":200,%s}\n"
    "{\"time\":\"2026-01-01T00:00:01Z\",\"path\":\"/token\",\"version\":0,\"cause\":\"served\",\"status\":200,%s}\n"
    "{\"time\":\"2026-01-01T00:00:20Z\",\"path\":\"/token\",\"version\":0,\"cause\":\"served\",\"status\":200,%s}\n"
    "{\"time\":\"2026-01-01T00:00:01Z\",\"path\":\"/ad\",\"version\":0,\"cause\":\"served\",\"status\":200,%s}\n"
    "{\"time\":\"2026-01-01T00:00:20Z\",\"path\":\"/ad\",\"version\":1,\"cause\":\"served\",\"status\":200,%s}\n";

static struct sharc_lab_truth *proof_truth(const char *dir)
{
    static const char *const bodies[] = {"zero",  "zero",   "quiet",  "quiet",  "one",
                                         "quiet", "token1", "token2", "token1", "token2"};
    char fields[SHARC_LENGTH(bodies)][160];
    for (size_t i = 0; i < SHARC_LENGTH(bodies); i++) {
        char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)];
        struct sharc_digest d;
        sharc_digest_of(SHARC_SHA256, sharc_span_of(bodies[i]), &d);
        sharc_hex_encode(sharc_span(d.bytes, d.n), hex);
        snprintf(fields[i], sizeof fields[i], "\"sha256\":\"%s\"", hex);
    }
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc_buf_printf(&b, proof_log, fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6],
                     fields[7], fields[8], fields[9]);
    char *path = sharc_path_join(dir, "truth.jsonl");
    struct sharc_lab_truth *t = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&b), NULL), 0);
    if (sharc_lab_truth_open(path, &t, &err) < 0) fail_msg("%s", err.text);
    sharc_buf_done(&b);
    free(path);
    return t;
}

/* from, to: the reference interval. */
static struct sharc_lab_verdict prove(const struct proof *proofs, size_t n, int from, int to)
{
    char *dir = test_mkdir();
    struct sharc_lab_truth *t = proof_truth(dir);
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
    c.reference_from = at(from);
    c.reference_to = at(to);
    assert_int_equal(sharc_store_capture_update(s, &c, NULL), 0);
    sharc_store_batch_new(s, &b);
    for (size_t i = 0; i < n; i++) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        p.capture = c.id;
        p.url = sharc_span_of(proofs[i].url);
        look(&p.visit, 1, proofs[i].visit, SHARC_SHA256);
        struct sharc_store_link embed = {.url = sharc_span_of(proofs[i].embeds ? proofs[i].embeds : ""),
                                         .kind = 1 /* SHARC_LINK_EMBED */};
        p.links = &embed;
        p.n_links = proofs[i].embeds ? 1 : 0;
        p.has_links = proofs[i].embeds;
        if (proofs[i].embeds) p.mime = SHARC_SPAN("text/html");
        assert_true(sharc_store_batch_page(b, &p, NULL) >= 0);
        if (proofs[i].second) {
            look(&p.second, 15, proofs[i].second, SHARC_SHA256);
            assert_true(sharc_store_batch_look(b, c.id, p.url, SHARC_LOOK_SECOND, &p.second, NULL) >= 0);
        }
        look(&p.revisit, 20, proofs[i].revisit, SHARC_SHA256);
        p.revisit.change = SHARC_UNCHANGED;
        assert_true(sharc_store_batch_look(b, c.id, p.url, SHARC_LOOK_REVISIT, &p.revisit, NULL) >= 0);
        struct sharc_store_grade g = SHARC_STORE_GRADE_INIT;
        g.reason = proofs[i].reason;
        if (proofs[i].to > 0) {
            g.from = at(proofs[i].from);
            g.to = at(proofs[i].to);
        }
        assert_true(sharc_store_batch_grade(b, c.id, p.url, &g, NULL) >= 0);
    }
    assert_int_equal(sharc_store_batch_commit(b, NULL), 0);
    assert_int_equal(sharc_lab_verdict(s, c.id, t, &v, NULL), 0);
    sharc_store_batch_freep(&b);
    sharc_store_free(s);
    sharc_lab_truth_free(t);
    test_rmdir(dir);
    return v;
}

static void false_proofs_are_counted_by_edit(void **state)
{
    (void)state;
    static const struct proof proofs[] = {
        {"http://a.example/price", "zero", "one", 0, 0, SHARC_GRADED_KIND_CONTROL, NULL},
        {"http://a.example/still", "zero", "zero", 0, 0, SHARC_GRADED_SAME_CONTENT, NULL},
        {"http://a.example/token", "token1", "token2", 0, 0, SHARC_GRADED_OWN_CONTROL, NULL},
        {"http://a.example/ad", "token1", "token2", 0, 0, SHARC_GRADED_OWN_CONTROL, NULL},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = prove(proofs, 4, 2, 5);
    const struct sharc_lab_evidence *e = &v.evidence;
    assert_true(e->graded);
    assert_int_equal(e->pairs, 4);
    assert_int_equal(e->edited, 1);
    assert_int_equal(e->proved, 4);
    assert_int_equal(e->false_proofs[SHARC_LAB_EDIT_PRICE], 1);
    assert_int_equal(sharc_lab_false_proofs(e), 1);
    assert_int_equal(e->inside, 1);
    assert_int_equal(e->alarms, 0);
    assert_int_equal(e->grades[SHARC_GRADE_VOLATILE], 3);
    assert_int_equal(e->by_own, 2);
    assert_int_equal(e->by_kind, 1);
    assert_int_equal(sharc_lab_verdict_wrong(&v), 1);
    assert_string_equal(v.wrong[0].url, "http://a.example/price");
}

/* To prove less than one could is counted by noise and reason, and is no mistake. */
static void missed_proofs_are_counted_by_noise(void **state)
{
    (void)state;
    static const struct proof proofs[] = {
        {"http://a.example/price", "zero", "one", 0, 0, SHARC_GRADED_STRONG_ETAG, NULL},
        {"http://a.example/still", "zero", "zero", 0, 0, SHARC_GRADED_CUT, NULL},
        {"http://a.example/token", "token1", "token2", 0, 0, SHARC_GRADED_SIMILAR, NULL},
        {"http://a.example/ad", "token1", "token2", 0, 0, SHARC_GRADED_SIMILAR, NULL},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = prove(proofs, 4, 2, 5);
    const struct sharc_lab_evidence *e = &v.evidence;
    assert_int_equal(sharc_lab_false_proofs(e), 0);
    assert_int_equal(e->lies, 1);
    assert_int_equal(e->alarms, 2); /* the advert was edited */
    assert_int_equal(e->inside_missed, 1);
    assert_int_equal(sharc_lab_unedited(e), 2);
    assert_int_equal(e->alarm_count, 2);
    assert_int_equal(e->alarm[0].noise, 0);
    assert_string_equal(e->alarm[0].why, "cut");
    assert_int_equal(e->alarm[1].noise, SHARC_LAB_BIT(SHARC_LAB_NOISE_TOKEN));
    assert_string_equal(e->alarm[1].why, "similar");
    assert_int_equal(sharc_lab_verdict_wrong(&v), 0);
}

/* A page is seen with what it embeds: whole it is proved, edited or missed as its parts are. */
static void whole_pages_are_judged_by_their_parts(void **state)
{
    (void)state;
    static const struct {
        enum sharc_grade_reason part;
        const char *embeds;
        size_t proved, edited, false_proofs, alarms;
    } cases[] = {
        {SHARC_GRADED_SAME_CONTENT, "http://a.example/price", 1, 1, 1, 0}, /* an edited part that is called proved */
        {SHARC_GRADED_CHANGED, "http://a.example/price", 0, 1, 0, 0},
        {SHARC_GRADED_CHANGED, "http://a.example/gone", 0, 0, 0, 1}, /* a part that was never captured */
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct proof proofs[] = {
            {"http://a.example/still", "zero", "zero", 2, 20, SHARC_GRADED_SAME_CONTENT, .embeds = cases[i].embeds},
            {"http://a.example/price", "zero", "one", 2, 20, cases[i].part, NULL},
        };
        SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = prove(proofs, 2, 3, 5);
        const struct sharc_lab_wholes *w = &v.evidence.wholes;
        assert_int_equal(w->pages, 1);
        assert_int_equal(w->proved, cases[i].proved);
        assert_int_equal(w->edited, cases[i].edited);
        assert_int_equal(w->by_part, cases[i].edited);
        assert_int_equal(sharc_lab_false_wholes(&v.evidence), cases[i].false_proofs);
        assert_int_equal(w->false_proofs[SHARC_LAB_EDIT_PRICE], cases[i].false_proofs);
        assert_int_equal(w->alarms, cases[i].alarms);
        if (cases[i].alarms) assert_string_equal(w->alarm[0].why, "a part was not captured");
    }
}

/* A page that is called the same by its bytes must have the same bytes. */
static void other_bytes_are_not_the_same_content(void **state)
{
    (void)state;
    static const struct proof proofs[] = {
        {"http://a.example/token", "token1", "token2", 0, 0, SHARC_GRADED_SAME_CONTENT, NULL},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = prove(proofs, 1, 2, 5);
    assert_int_equal(sharc_lab_false_proofs(&v.evidence), 1);
}

/* The proof of a page that was looked at again may begin with that look. */
static void a_proof_begins_with_a_second_look(void **state)
{
    (void)state;
    static const struct proof proofs[] = {
        {"http://a.example/price", "zero", "one", 16, 20, SHARC_GRADED_SAME_CONTENT, .second = "one"},
    };
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = prove(proofs, 1, 16, 20);
    assert_int_equal(v.evidence.proved, 1);
    assert_int_equal(sharc_lab_verdict_wrong(&v), 0);
    struct proof early = proofs[0];
    early.from = 2;
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict w = prove(&early, 1, 16, 20);
    assert_int_equal(sharc_lab_false_proofs(&w.evidence), 1);
}

static void intervals_are_held_against_the_truth(void **state)
{
    (void)state;
    static const struct proof proofs[] = {
        {"http://a.example/still", "zero", "zero", 2, 20, SHARC_GRADED_SAME_CONTENT, NULL},
        {"http://a.example/price", "zero", "zero", 2, 20, SHARC_GRADED_SAME_CONTENT, NULL},
    };
    /* A cache served the old page at second 20; nobody knows it but the log. */
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = prove(proofs, 1, 2, 20);
    assert_int_equal(v.evidence.intervals, 0);
    assert_int_equal(v.evidence.together, 1);
    assert_int_equal(v.evidence.reference, 0);
    assert_int_equal(sharc_lab_verdict_wrong(&v), 0);
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict w = prove(proofs, 2, 2, 20);
    assert_int_equal(sharc_lab_false_proofs(&w.evidence), 1);
    assert_true(sharc_lab_verdict_wrong(&w) > 0);
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
    assert_int_equal(sharc_lab_verdict_wrong(&sum.verdict), 0);
    assert_true(sum.verdict.evidence.pairs >= 2 * 20);
    sharc_lab_trial_done(&sum);
    for (unsigned run = 1; run <= 2; run++) {
        char *log = sharc_asprintf("%s/sharc-focus-%u/truth.jsonl", home, run);
        assert_int_equal(access(log, R_OK), 0);
        free(log);
    }
    test_rmdir(home);
}

/* In time of its own a crawl of days is over at once, and every run is like the first. */
static void virtual_time_knows_no_load(void **state)
{
    (void)state;
    char *home = test_mkdir();
    struct sharc_lab_trial sum[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        char *dir = sharc_asprintf("%s/%d", home, i);
        assert_int_equal(sharc_dir_make(dir, NULL), 0);
        struct sharc_lab_trial_options o = small_site(dir);
        struct sharc_err err = SHARC_ERR_INIT;
        o.virtual_time = true;
        o.delay = 2 * SHARC_HOUR;
        o.site.hottest = 5 * SHARC_HOUR;
        o.site.counters = 0;
        o.site.layout_every = 0;
        o.site.clock = NULL; /* nobody needs it */
        if (sharc_lab_trial_run(&o, 0, &sum[i], &err) < 0) fail_msg("%s", err.text);
        free(dir);
    }
    const double days = sum[0].seconds / 86400, wanted = sum[0].requests * 2 / 24;
    assert_true(days > 0.8 * wanted && days < 1.1 * wanted);
    assert_true(sum[0].lag < 0.01 * sum[0].seconds);
    assert_true(sum[0].incoherent > 0);
    assert_int_equal(sharc_lab_verdict_wrong(&sum[0].verdict), 0);
    assert_true(sum[0].requests == sum[1].requests && sum[0].incoherent == sum[1].incoherent);
    assert_true(sum[0].seconds == sum[1].seconds && sum[0].pages == sum[1].pages);
    for (int i = 0; i < 2; i++) sharc_lab_trial_done(&sum[i]);
    test_rmdir(home);
}

/* What a crawl takes beyond its delays is told, because a site ages in that time. */
static void a_crawl_that_cannot_keep_its_pace_shows(void **state)
{
    (void)state;
    char *home = test_mkdir();
    struct sharc_lab_trial_options o = small_site(home);
    struct sharc_lab_trial sum = {0};
    o.delay = 1; /* no machine answers in a microsecond */
    assert_int_equal(sharc_lab_trial_run(&o, 0, &sum, NULL), 0);
    assert_true(sum.lag > 0.5 * sum.seconds);
    sharc_lab_trial_done(&sum);
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
    cmocka_unit_test(right_and_wrong_claims_are_told_apart),
    cmocka_unit_test(a_body_of_another_moment_is_a_mistake),
    cmocka_unit_test(a_capture_without_claims_is_not_judged),
    cmocka_unit_test(a_capture_of_another_site_is_not_judged),
    cmocka_unit_test(false_proofs_are_counted_by_edit),
    cmocka_unit_test(missed_proofs_are_counted_by_noise),
    cmocka_unit_test(whole_pages_are_judged_by_their_parts),
    cmocka_unit_test(other_bytes_are_not_the_same_content),
    cmocka_unit_test(a_proof_begins_with_a_second_look),
    cmocka_unit_test(intervals_are_held_against_the_truth),
    cmocka_unit_test(a_living_site_is_crawled_and_weighed),
    cmocka_unit_test(virtual_time_knows_no_load),
    cmocka_unit_test(a_crawl_that_cannot_keep_its_pace_shows),
    cmocka_unit_test(a_crawl_can_be_stopped),
};
TEST_MAIN(tests)
