/* SPDX-License-Identifier: Apache-2.0
 *
 * What RFC 8259 accepts and what it does not.
 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_json.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"
#include "sharc/base_rng.h"

#include <math.h>
#include <stdlib.h>

struct text {
    const char *p;
    size_t n;
};
#define T(literal)                   \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static const struct text accepted[] = {
    T("null"),
    T("true"),
    T("false"),
    T(" 1 "),
    T("\t\r\n0\n"),
    T("\"\""),
    T("[]"),
    T("{}"),
    T("[ ]"),
    T("{ \"a\" : [ ] }"),
    T("[1,2,3]"),
    T("[[[[[]]]]]"),
    T("{\"a\":{\"b\":{\"c\":[null]}}}"),
    T("{\"\":0}"),
    T("{\"a\":1,\"A\":1,\"a \":1}"),
    T("-0"),
    T("-0.0"),
    T("0e0"),
    T("1E+2"),
    T("1e-2"),
    T("-1.5e300"),
    T("123456789012345678901234567890"),
    T("1e-400"),
    T("0.000000000000000000000000000000000000001"),
    T("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\""),
    T("\"\\u0000\""),
    T("\"\\uD834\\uDd1e\""),
    T("\"\\uFFFF\""),
    T("\"\x7f\""),
    T("\"\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\""),
    T("\"\xef\xbf\xbf\""),
    T("\"\xf4\x8f\xbf\xbf\""),
    T("\xef\xbb\xbf[]"),
    T("\"/ \xe2\x80\xa8 \""),
    T("[\"\",\"1234567\",\"12345678\",\"123456789\",\"1234567\\n\",\"12345678\\n9\"]"),
};

static const struct text refused[] = {
    T(""),
    T(" "),
    T("\xef\xbb\xbf"),
    T("\xef\xbb"),
    T("\xff\xfe[\0]\0"),
    T("nul"),
    T("nulll"),
    T("True"),
    T("NaN"),
    T("Infinity"),
    T("-Infinity"),
    T("undefined"),
    T("'a'"),
    T("a"),
    T("1 2"),
    T("[1]]"),
    T("[]x"),
    T("[] // no"),
    T("/* no */ []"),
    T("# no\n[]"),
    T("["),
    T("]"),
    T("{"),
    T("}"),
    T("[,]"),
    T("[1,]"),
    T("[,1]"),
    T("[1,,2]"),
    T("[1 2]"),
    T("[1;2]"),
    T("[1}"),
    T("{]"),
    T("{1:2}"),
    T("{a:1}"),
    T("{'a':1}"),
    T("{\"a\"}"),
    T("{\"a\":}"),
    T("{\"a\" 1}"),
    T("{\"a\":1,}"),
    T("{,\"a\":1}"),
    T("{\"a\":1 \"b\":2}"),
    T("{\"a\":1,,\"b\":2}"),
    T("{\"a\"::1}"),
    T("{\"a\":1,\"a\":2}"),
    T("{\"a\":1,\"\\u0061\":2}"),
    T("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"b\":10}"),
    T("[\"a\":1]"),
    T("{\"a\",1}"),
    T("{null:1}"),
    T("[\"a"),
    T("[\"a\\"),
    T("[\"a\\\""),
    T("\""),
    T("\"\\"),
    T("\"\\u12"),
    T("\"\\u123\""),
    T("\"\\u12g4\""),
    T("\"\\U0041\""),
    T("\"\\x41\""),
    T("\"\\'\""),
    T("\"\\0\""),
    T("\"\\ \""),
    T("\"\\\0\""),
    T("\"\n\""),
    T("\"\t\""),
    T("\"\0\""),
    T("\"1234567\n\""),
    T("\"\x1f\""),
    T("\"\\ud800\""),
    T("\"\\ud800x\""),
    T("\"\\ud800\\n\""),
    T("\"\\ud800\\ud800\""),
    T("\"\\ud800\\u0041\""),
    T("\"\\udc00\""),
    T("\"\\udc00\\ud800\""),
    T("\"\xff\""),
    T("\"\xc3\""),
    T("\"\xc3(\""),
    T("\"\xc0\xaf\""),
    T("\"\xe0\x80\xaf\""),
    T("\"\xed\xa0\x80\""),
    T("\"\xf4\x90\x80\x80\""),
    T("\"\xf8\x88\x80\x80\x80\""),
    T("\"\x80\""),
    T("[\xc2\xa0]"),
    T("[\x0c]"),
    T("[\x0b]"),
    T("[\xe2\x81\xa0]"),
    T("[1\0]"),
    T("01"),
    T("-01"),
    T("00"),
    T("+1"),
    T("-"),
    T("--1"),
    T("- 1"),
    T("1."),
    T(".5"),
    T("-.5"),
    T("1.e1"),
    T("1e"),
    T("1e+"),
    T("1E1.5"),
    T("1.2.3"),
    T("1e1e1"),
    T("0x10"),
    T("1_000"),
    T("1,000"),
    T("1a"),
    T("\xef\xbc\x91"),
};

static int read_text(struct sharc_span s, struct sharc_err *err)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *n;
    return sharc_json_read(s, &a, &n, err);
}

/* The exact length in memory of its own, so that reading beyond is noticed. */
static int read_alone(struct text t, struct sharc_err *err)
{
    char *own = sharc_malloc(t.n);
    memcpy(own, t.p, t.n);
    int r = read_text(sharc_span(own, t.n), err);
    free(own);
    return r;
}

static void test_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(accepted); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        if (read_alone(accepted[i], &err) != 0) fail_msg("refused: %s: %s", accepted[i].p, err.text);
    }
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(refused); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        int r = read_alone(refused[i], &err);
        if (r != SHARC_ESYNTAX) fail_msg("accepted: %s", refused[i].p);
        assert_true(err.line > 0);
        assert_non_null(strstr(err.text, "line "));
    }
}

/* A document that is cut anywhere is no document. */
static void test_every_cut(void **state)
{
    (void)state;
    static const char whole[] = "{\"a\": [1.5e3, \"x\\u00e9\xc3\xa9\", true, null], \"b\": {\"c\": []}}";
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(read_alone((struct text){whole, n}, &err), SHARC_ESYNTAX);
    }
    assert_int_equal(read_alone((struct text){whole, sizeof whole - 1}, NULL), 0);
}

static void test_tree(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(1u << 20);
    static const char text[] = "{ \"site\": \"http://a.example/\",\n"
                               "  \"n\\u0061me\": \"tab\\tand \\ud834\\udd1e\",\n"
                               "  \"list\": [ -7, 2.5, true, false, null, 9223372036854775808, 3.0 ],\n"
                               "  \"\xc3\xa9\": \"\xc3\xa9\", \"last\": {} }";
    const struct sharc_node *root;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_json_read(sharc_span_of(text), &a, &root, &err), 0);
    assert_int_equal(root->kind, SHARC_MAP);
    assert_int_equal(root->count, 5);
    const struct sharc_node *site = sharc_node_get(root, "site");
    assert_span(site->text, "http://a.example/");
    assert_true(site->text.p > text && site->text.p < text + sizeof text); /* no copy */
    assert_span(sharc_node_text(sharc_node_get(root, "name")), "tab\tand \xf0\x9d\x84\x9e");
    const struct sharc_node *list = sharc_node_get(root, "list");
    assert_int_equal(list->count, 7);
    assert_int_equal(sharc_node_int(sharc_node_at(list, 0), 0), -7);
    assert_true(sharc_node_real(sharc_node_at(list, 0), 0) == -7);
    assert_true(sharc_node_real(sharc_node_at(list, 1), 0) == 2.5);
    assert_int_equal(sharc_node_int(sharc_node_at(list, 1), 99), 99);
    assert_true(sharc_node_bool(sharc_node_at(list, 2), false));
    assert_false(sharc_node_bool(sharc_node_at(list, 3), true));
    assert_span(sharc_node_at(list, 3)->text, "false");
    assert_int_equal(sharc_node_at(list, 4)->kind, SHARC_NULL);
    assert_true(sharc_node_bool(sharc_node_at(list, 4), true));
    assert_int_equal(sharc_node_at(list, 5)->kind, SHARC_REAL);
    assert_true(sharc_node_at(list, 5)->v.real == 9223372036854775808.0);
    assert_int_equal(sharc_node_int(sharc_node_at(list, 5), 5), 5);
    assert_int_equal(sharc_node_int(sharc_node_at(list, 6), 0), 3);
    assert_null(sharc_node_at(list, 7));
    assert_null(sharc_node_get(root, "nothing"));
    assert_null(sharc_node_get(list, "site"));
    assert_null(sharc_node_get(NULL, "site"));
    assert_null(sharc_node_at(NULL, 0));
    assert_true(sharc_node_text(NULL).p == NULL);
    const struct sharc_node *last = sharc_node_get(root, "last");
    assert_int_equal(last->line, 4);
    assert_int_equal(last->column, 13); /* characters, not bytes */
    assert_int_equal(sharc_node_at(list, 1)->line, 3);
    assert_int_equal(sharc_node_at(list, 1)->column, 17);
}

static void test_places_of_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        unsigned line;
        uint64_t offset;
    } cases[] = {
        {"[1,\n 2,\n x]", "line 3, column 2: 'x' stands where a value is expected", 3, 9},
        {"{\"a\": 1\n\"b\": 2}", "line 2, column 1: '\"' stands where ',' or '}' is expected", 2, 8},
        {"[\"\xc3\xa9\", \x01]", "line 1, column 7: byte 0x01 stands where a value is expected", 1, 7},
        {"[1", "line 1, column 3: the text ends where ',' or ']' is expected", 1, 2},
        {"[01]", "line 1, column 2: \"01\" is not a number", 1, 1},
        {"{\"x\":1,\n  \"x\":2}", "line 2, column 3: the name \"x\" occurs twice", 2, SHARC_NOWHERE},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(read_text(sharc_span_of(cases[i].text), &err), SHARC_ESYNTAX);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(err.line, cases[i].line);
        assert_true(err.offset == cases[i].offset);
    }
}

static int read_repeated(const char *open, const char *close, size_t n, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    for (size_t i = 0; i < n; i++) sharc_buf_put_str(&b, open);
    for (size_t i = 0; i < n; i++) sharc_buf_put_str(&b, close);
    return read_text(sharc_buf_span(&b), err);
}

static void test_limits(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(read_repeated("[", "]", SHARC_LIMIT_JSON_DEPTH, &err), 0);
    assert_int_equal(read_repeated("[", "]", SHARC_LIMIT_JSON_DEPTH + 1, &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "SHARC_LIMIT_JSON_DEPTH"));
    assert_int_equal(read_repeated("[", "", 1000000, &err), SHARC_ELIMIT);
    assert_int_equal(read_repeated("{\"a\":", "}", 100000, &err), SHARC_ELIMIT);
    assert_int_equal(read_text(SHARC_SPAN("1e400"), &err), SHARC_ELIMIT);
    assert_int_equal(read_text(SHARC_SPAN("-1e999999999999999999999"), &err), SHARC_ELIMIT);
    /* An arena that is too small says so, wherever the need arises. */
    static const char text[] = "{\"a\\n\": [1, 2, {\"b\": \"c\\n\"}], \"d\": 4}";
    for (size_t max = 0; max < 1200; max++) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(max);
        const struct sharc_node *n;
        int r = sharc_json_read(sharc_span_of(text), &a, &n, &err);
        assert_true(r == 0 || r == SHARC_ELIMIT);
        if (max == 1199) assert_int_equal(r, 0);
    }
}

static void test_many_names(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16u << 20);
    sharc_buf_put_char(&b, '{');
    for (int i = 0; i < 50000; i++) sharc_buf_printf(&b, "\"name%d\":%d,", i, i);
    size_t before_last = b.n;
    sharc_buf_put_str(&b, "\"name50000\":0}");
    assert_int_equal(read_text(sharc_buf_span(&b), NULL), 0);
    sharc_buf_truncate(&b, before_last);
    sharc_buf_put_str(&b, "\"name31415\":0}");
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(read_text(sharc_buf_span(&b), &err), SHARC_ESYNTAX);
    assert_non_null(strstr(err.text, "name31415"));
}

/* Every double that is written reads back. */
static void test_numbers_survive(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 8259);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = sharc_rng_u64(&r);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) continue;
        if (i % 2) v = (double)(int64_t)sharc_rng_below(&r, 2000000) / 1000.0 - 1000.0;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100);
        sharc_json_number(&b, v);
        SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(4096);
        const struct sharc_node *n;
        assert_int_equal(sharc_json_read(sharc_buf_span(&b), &a, &n, NULL), 0);
        assert_true(sharc_node_real(n, 0) == v);
        assert_true(strtod(sharc_buf_str(&b), NULL) == v);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_accepted),   cmocka_unit_test(test_refused),          cmocka_unit_test(test_every_cut),
    cmocka_unit_test(test_tree),       cmocka_unit_test(test_places_of_errors), cmocka_unit_test(test_limits),
    cmocka_unit_test(test_many_names), cmocka_unit_test(test_numbers_survive),
};
TEST_MAIN(tests)
