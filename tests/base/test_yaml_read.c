/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"

#include <stdio.h>

static const char settings[] = "# an archive\n"
                               "store: sqlite\n"
                               "delay: 3s\n"
                               "limits: {pages: 1000, \"share\": 0.5, none: , off: ~, also: null}\n"
                               "sites:\n"
                               "  - url: http://a.example/\n"
                               "    exclude: [ '*.zip', \"a\\tb\" ]\n"
                               "    follow: true\n"
                               "  - url: http://\xc3\xa9.example/\n"
                               "    text: |\n"
                               "      two\n"
                               "      lines\n"
                               "    folded: >-\n"
                               "      one\n"
                               "      line\n"
                               "strings: [yes, No, on, True, 0755, 1_000, .5, +1, 0x1f, 1., '7', !!str 7, 1e3]\n";

static void test_tree(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *root;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_yaml_read(sharc_span_of(settings), &a, &root, &err) < 0) fail_msg("%s", err.text);
    assert_span(sharc_node_text(sharc_node_get(root, "delay")), "3s");
    const struct sharc_node *limits = sharc_node_get(root, "limits");
    assert_int_equal(sharc_node_int(sharc_node_get(limits, "pages"), 0), 1000);
    assert_true(sharc_node_real(sharc_node_get(limits, "share"), 0) == 0.5);
    assert_int_equal(sharc_node_get(limits, "none")->kind, SHARC_NULL);
    assert_int_equal(sharc_node_get(limits, "off")->kind, SHARC_NULL);
    assert_int_equal(sharc_node_get(limits, "also")->kind, SHARC_NULL);
    const struct sharc_node *sites = sharc_node_get(root, "sites");
    assert_int_equal(sites->kind, SHARC_LIST);
    assert_int_equal(sites->count, 2);
    assert_int_equal(sites->line, 5);
    assert_int_equal(sites->column, 1);
    const struct sharc_node *one = sharc_node_at(sites, 0), *two = sharc_node_at(sites, 1);
    assert_true(sharc_node_bool(sharc_node_get(one, "follow"), false));
    assert_span(sharc_node_text(sharc_node_at(sharc_node_get(one, "exclude"), 1)), "a\tb");
    assert_int_equal(sharc_node_get(one, "exclude")->line, 7);
    assert_int_equal(sharc_node_get(one, "exclude")->column, 5);
    assert_span(sharc_node_text(sharc_node_get(two, "url")), "http://\xc3\xa9.example/");
    assert_span(sharc_node_text(sharc_node_get(two, "text")), "two\nlines\n");
    assert_span(sharc_node_text(sharc_node_get(two, "folded")), "one line");
    const struct sharc_node *strings = sharc_node_get(root, "strings");
    for (size_t i = 0; i + 1 < strings->count; i++) assert_int_equal(sharc_node_at(strings, i)->kind, SHARC_STRING);
    assert_true(sharc_node_real(sharc_node_at(strings, strings->count - 1), 0) == 1000);
}

static int read_text(struct sharc_span s, struct sharc_err *err)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *n;
    return sharc_yaml_read(s, &a, &n, err);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *part;
    } cases[] = {
        {"a: 1\nb: [1, 2\nc: 3\n", 3, 2, "did not find expected ',' or ']'"},
        {"a: 1\n b: 2\n", 2, 3, "mapping values are not allowed"},
        {"a: \"x\n", 2, 1, "unexpected end of stream"},
        {"a: 1\n\tb: 2\n", 2, 1, "tab character"},
        {"a: 1\n---\nb: 2\n", 2, 1, "second document"},
        {"a: &x 1\n", 1, 4, "anchors"},
        {"a: *x\n", 1, 4, "aliases"},
        {"a: &x [1]\nb: 2\n", 1, 4, "anchors"},
        {"a: &x {b: 1}\n", 1, 4, "anchors"},
        {"a: !!int 1\n", 1, 4, "tags"},
        {"a: !mine [1]\n", 1, 4, "tags"},
        {"--- !mine {a: 1}\n", 1, 5, "tags"},
        {"? [a, b]\n: 1\n", 1, 3, "must be a simple text"},
        {"{{a: 1}: 2}\n", 1, 2, "must be a simple text"},
        {"x: 1\nlist: 2\nx: 3\n", 3, 1, "\"x\" occurs twice"},
        {"a: \xff\n", 1, 4, "UTF-8"},
        {"\xc3\xa9: \xc3(\n", 1, 5, "UTF-8"},
        {"a: \x01\n", 1, 4, "control characters"},
        {"%YAML 9.9\n---\na: 1\n", 1, 1, "incompatible YAML document"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        char place[64];
        snprintf(place, sizeof place, "line %u, column %u: ", cases[i].line, cases[i].column);
        assert_int_equal(read_text(sharc_span_of(cases[i].text), &err), SHARC_ESYNTAX);
        if (!strstr(err.text, cases[i].part) || strncmp(err.text, place, strlen(place)) != 0)
            fail_msg("\"%s\": %s", cases[i].text, err.text);
        assert_int_equal(err.line, cases[i].line);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    static const char *const empty[] = {"", "\n\n", "# only a remark\n", "---\n", "--- ~\n...\n", "\xef\xbb\xbf"};
    for (size_t i = 0; i < SHARC_LENGTH(empty); i++) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(1000);
        const struct sharc_node *n;
        assert_int_equal(sharc_yaml_read(sharc_span_of(empty[i]), &a, &n, NULL), 0);
        assert_int_equal(n->kind, SHARC_NULL);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(8u << 20);
    for (unsigned i = 0; i < SHARC_LIMIT_SETTINGS_DEPTH; i++) sharc_buf_put_char(&b, '[');
    for (unsigned i = 0; i < SHARC_LIMIT_SETTINGS_DEPTH; i++) sharc_buf_put_char(&b, ']');
    assert_int_equal(read_text(sharc_buf_span(&b), &err), 0);
    sharc_buf_splice(&b, 0, 0, SHARC_SPAN("["));
    sharc_buf_put_char(&b, ']');
    assert_int_equal(read_text(sharc_buf_span(&b), &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "SHARC_LIMIT_SETTINGS_DEPTH"));
    sharc_buf_clear(&b);
    for (int i = 0; i < 200000; i++) sharc_buf_put_char(&b, '[');
    assert_int_equal(read_text(sharc_buf_span(&b), &err), SHARC_ELIMIT);
    sharc_buf_clear(&b);
    for (unsigned i = 0; i < SHARC_LIMIT_SETTINGS_NODES; i++) sharc_buf_put_str(&b, "- 1\n");
    assert_int_equal(read_text(sharc_buf_span(&b), &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "SHARC_LIMIT_SETTINGS_NODES"));
    sharc_buf_clear(&b);
    for (unsigned i = 0; i <= SHARC_LIMIT_SETTINGS_BYTES; i++) sharc_buf_put_char(&b, '\n');
    assert_int_equal(read_text(sharc_buf_span(&b), &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "SHARC_LIMIT_SETTINGS_BYTES"));
    assert_int_equal(read_text(SHARC_SPAN("a: 1e999"), &err), SHARC_ELIMIT);
    sharc_buf_clear(&b);
    for (unsigned i = 0; i < 40000; i++) sharc_buf_printf(&b, "%%TAG !%u! tag:x\n", i); /* quadratic in libyaml */
    assert_int_equal(read_text(sharc_buf_span(&b), &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "line 17, column 1: %TAG occurs"));
    assert_int_equal(read_text(SHARC_SPAN("%TAG !a! tag:x\n---\na: x%TAG\n"), &err), 0);
    for (size_t max = 0; max < 4000; max++) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena a = SHARC_ARENA_INIT(max);
        const struct sharc_node *n;
        int r = sharc_yaml_read(sharc_span_of(settings), &a, &n, &err);
        assert_true(r == 0 || r == SHARC_ELIMIT);
        if (max == 3999) assert_int_equal(r, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tree),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_nothing),
    cmocka_unit_test(test_limits),
};
TEST_MAIN(tests)
