/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims of a crawler held against a log of the truth.
 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/lab_truth.h"

#include <stdio.h>
#include <stdlib.h>

static const char *body_of(int version)
{
    static const char *const bodies[] = {"zero", "one", "two", "three", "four"};
    return bodies[version];
}

static struct sharc_digest digest_of(int version)
{
    struct sharc_digest d;
    sharc_digest_of(SHARC_SHA256, sharc_span_of(body_of(version)), &d);
    return d;
}

/* /p: 0 at 0 s, 1 at 10 s, 2 (not significant) at 20 s, gone at 30 s, back as 4 at
 * 40 s. /q never changes. */
static void write_log(const char *path)
{
    static const struct {
        const char *path;
        int second, version;
        bool significant, gone;
    } rows[] = {{"/p", 0, 0, true, false},   {"/q", 0, 0, true, false}, {"/p", 10, 1, true, false},
                {"/p", 20, 2, false, false}, {"/p", 30, 3, true, true}, {"/p", 40, 4, true, false}};
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)];
        struct sharc_digest d = digest_of(rows[i].version);
        sharc_hex_encode(sharc_span(d.bytes, d.n), hex);
        sharc_buf_printf(
            &b,
            "{\"time\":\"2026-01-01T00:00:%02d.000000Z\",\"path\":\"%s\",\"version\":%d,\"significant\":%s,"
            "\"status\":%d%s%s%s}\n",
            rows[i].second, rows[i].path, rows[i].version, rows[i].significant ? "true" : "false",
            rows[i].gone ? 404 : 200, rows[i].gone ? "" : ",\"sha256\":\"", rows[i].gone ? "" : hex,
            rows[i].gone ? "" : "\"");
    }
    sharc_buf_put_str(&b, "{\"time\":\"2026-01-01T00:01:"); /* a line that is still being written */
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&b), NULL), 0);
    sharc_buf_done(&b);
}

static sharc_time at(double second)
{
    sharc_time t = 0;
    assert_int_equal(sharc_time_parse(SHARC_SPAN("2026-01-01"), &t, NULL), 0);
    return t + (sharc_time)(second * SHARC_SEC);
}

/* version < 0: the digest is not known. */
static struct sharc_lab_look look(double second, double took, int version)
{
    struct sharc_lab_look l = {.when = at(second), .took = (sharc_time)(took * SHARC_SEC), .found = true};
    if (version >= 0) l.digest = digest_of(version);
    return l;
}

static struct sharc_lab_truth *truth(char **dir)
{
    struct sharc_lab_truth *t = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    *dir = test_mkdir();
    char *path = sharc_path_join(*dir, "truth.jsonl");
    write_log(path);
    if (sharc_lab_truth_open(path, &t, &err) < 0) fail_msg("%s", err.text);
    free(path);
    return t;
}

static void the_log_is_read_back(void **state)
{
    (void)state;
    char *dir;
    struct sharc_lab_truth *t = truth(&dir);
    size_t n = 0;
    const struct sharc_lab_fact *f = sharc_lab_truth_of(t, SHARC_SPAN("/p"), &n);
    assert_int_equal(n, 5);
    assert_true(f[1].when == at(10) && f[1].version == 1 && f[1].significant && f[1].exists);
    assert_false(f[2].significant);
    assert_false(f[3].exists);
    assert_non_null(sharc_lab_truth_of(t, SHARC_SPAN("/q"), &n));
    assert_int_equal(n, 1);
    assert_null(sharc_lab_truth_of(t, SHARC_SPAN("/r"), &n));
    sharc_lab_truth_free(t);
    test_rmdir(dir);
}

static void claims_are_judged(void **state)
{
    (void)state;
    char *dir;
    struct sharc_lab_truth *t = truth(&dir);
    static const struct {
        double from, from_took;
        int from_version;
        double to, to_took;
        int to_version;
        bool said;
        enum sharc_lab_finding want;
    } cases[] = {
        {1, 0.1, 0, 5, 0.1, 0, false, SHARC_LAB_UNCHANGED},
        {1, 0.1, 0, 5, 0.1, 0, true, SHARC_LAB_FALSE_CHANGED},
        {1, 0.1, 0, 15, 0.1, 1, true, SHARC_LAB_CHANGED},
        {1, 0.1, 0, 15, 0.1, 1, false, SHARC_LAB_FALSE_UNCHANGED},
        {12, 0.1, 1, 25, 0.1, 2, false, SHARC_LAB_UNCHANGED}, /* only a counter */
        {12, 0.1, 1, 25, 0.1, 2, true, SHARC_LAB_FALSE_CHANGED},
        {1, 0.1, 0, 25, 0.1, 2, false, SHARC_LAB_FALSE_UNCHANGED},
        /* A download across a change: the body tells, without it nobody knows. */
        {9.5, 1, 1, 15, 0.1, 1, false, SHARC_LAB_UNCHANGED},
        {9.5, 1, 0, 15, 0.1, 1, false, SHARC_LAB_FALSE_UNCHANGED},
        {9.5, 1, -1, 15, 0.1, 1, false, SHARC_LAB_UNCERTAIN},
        {9.5, -1, -1, 15, 0.1, -1, true, SHARC_LAB_UNCERTAIN},
        {11, -1, -1, 15, 0.1, -1, true, SHARC_LAB_FALSE_CHANGED},
        {25, 0.1, 2, 45, 0.1, 4, true, SHARC_LAB_CHANGED},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_lab_look a = look(cases[i].from, cases[i].from_took, cases[i].from_version);
        struct sharc_lab_look b = look(cases[i].to, cases[i].to_took, cases[i].to_version);
        enum sharc_lab_finding got = sharc_lab_judge(t, SHARC_SPAN("/p"), &a, &b, cases[i].said);
        if (got != cases[i].want) fail_msg("case %zu: %s", i, sharc_lab_finding_text(got));
    }
    struct sharc_lab_look a = look(25, 0.1, 2), b = look(35, 0.1, -1);
    b.found = false;
    assert_int_equal(sharc_lab_judge(t, SHARC_SPAN("/p"), &a, &b, true), SHARC_LAB_CHANGED);
    assert_int_equal(sharc_lab_judge(t, SHARC_SPAN("/r"), &a, &b, true), SHARC_LAB_NOT_IN_LOG);
    sharc_lab_truth_free(t);
    test_rmdir(dir);
}

static void bodies_are_checked(void **state)
{
    (void)state;
    char *dir;
    struct sharc_lab_truth *t = truth(&dir);
    struct sharc_lab_look l = look(1, 0.1, 0);
    assert_int_equal(sharc_lab_check_body(t, SHARC_SPAN("/p"), &l), SHARC_LAB_BODY_RIGHT);
    l = look(15, 0.1, 0);
    assert_int_equal(sharc_lab_check_body(t, SHARC_SPAN("/p"), &l), SHARC_LAB_BODY_LATE);
    l = look(15, 0.1, 3);
    assert_int_equal(sharc_lab_check_body(t, SHARC_SPAN("/p"), &l), SHARC_LAB_BODY_WRONG);
    l = look(15, 0.1, -1);
    assert_int_equal(sharc_lab_check_body(t, SHARC_SPAN("/p"), &l), SHARC_LAB_BODY_UNKNOWN);
    l = look(15, 0.1, 0);
    assert_int_equal(sharc_lab_check_body(t, SHARC_SPAN("/r"), &l), SHARC_LAB_BODY_UNKNOWN);
    sharc_lab_truth_free(t);
    test_rmdir(dir);
}

static void captures_are_scored(void **state)
{
    (void)state;
    char *dir;
    struct sharc_lab_truth *t = truth(&dir);
    struct sharc_lab_seen seen[] = {{SHARC_SPAN("/p"), at(5), at(35)},
                                    {SHARC_SPAN("/q"), at(6), at(34)},
                                    {SHARC_SPAN("/r"), at(7), at(8)}};
    struct sharc_lab_score s = sharc_lab_score(t, seen, 3, at(0), at(40));
    assert_int_equal(s.pages, 2);
    assert_int_equal(s.incoherent, 1);
    /* /p changed at 10 and 30: asked for 10 to 20 there is one change since 5, for
     * 20 to 30 one until 35, at 40 exactly one after it. */
    assert_close(s.average_blur, 20.0 / 40 / 2, 1e-9);
    seen[0].revisit = seen[1].revisit = SHARC_TIME_NONE;
    seen[0].visit = at(35);
    s = sharc_lab_score(t, seen, 2, at(0), at(40));
    assert_int_equal(s.incoherent, 1);
    assert_close(s.average_blur, (10 * 2 + 20 * 1) / 40.0 / 2, 1e-9);
    sharc_lab_truth_free(t);
    test_rmdir(dir);
}

static void bad_logs_are_refused(void **state)
{
    (void)state;
    char *dir = test_mkdir(), *path = sharc_path_join(dir, "log");
    struct sharc_lab_truth *t = NULL;
    static const char *const bad[] = {"{\n", "{\"time\":\"2026\"}\n", "{\"path\":\"/\"}\n", "[]\n", "x\n"};
    assert_int_equal(sharc_lab_truth_open(path, &t, NULL), SHARC_ENOENT);
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_file_replace(path, sharc_span_of(bad[i]), NULL), 0);
        assert_true(sharc_lab_truth_open(path, &t, &err) < 0);
        assert_non_null(strstr(err.text, "line 1"));
    }
    assert_int_equal(sharc_file_replace(path, SHARC_SPAN(""), NULL), 0);
    assert_int_equal(sharc_lab_truth_open(path, &t, NULL), 0);
    sharc_lab_truth_free(t);
    free(path);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_log_is_read_back), cmocka_unit_test(claims_are_judged),
    cmocka_unit_test(bodies_are_checked),   cmocka_unit_test(captures_are_scored),
    cmocka_unit_test(bad_logs_are_refused),
};
TEST_MAIN(tests)
