/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking a tree, however it was read: JSON and YAML give the same one.
 */
#include "test.h"

#include "sharc/base_node.h"

static void same(const struct sharc_node *a, const struct sharc_node *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->count, b->count);
    assert_true(sharc_span_eq(a->name, b->name));
    assert_true(sharc_span_eq(sharc_node_text(a), sharc_node_text(b)));
    assert_true(sharc_node_real(a, 0.5) == sharc_node_real(b, 0.5));
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->column, b->column);
    const struct sharc_node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) same(x, y);
    assert_true(!x && !y);
}

static void test_two_readers_one_tree(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": [1, -2.5, true, null, \"x\xc3\xa9\"],\n \"b\": {\"c\": \"\", \"d\": []}}";
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *json, *yaml;
    assert_int_equal(sharc_json_read(sharc_span_of(text), &arena, &json, NULL), 0);
    assert_int_equal(sharc_yaml_read(sharc_span_of(text), &arena, &yaml, NULL), 0);
    same(json, yaml);
}

static void test_defaults(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *n;
    assert_int_equal(sharc_json_read(SHARC_SPAN("[\"7\", true, 1e300, -0.5, 7]"), &arena, &n, NULL), 0);
    assert_int_equal(sharc_node_int(sharc_node_at(n, 0), 3), 3); /* a text is no number */
    assert_true(sharc_node_real(sharc_node_at(n, 1), 3) == 3);
    assert_int_equal(sharc_node_int(sharc_node_at(n, 2), 3), 3); /* too large */
    assert_int_equal(sharc_node_int(sharc_node_at(n, 3), 3), 3); /* not whole */
    assert_true(sharc_node_bool(sharc_node_at(n, 4), true));     /* a number is no truth */
    assert_int_equal(sharc_node_int(NULL, 3), 3);
    assert_span(sharc_node_text(sharc_node_at(n, 4)), "7");
    assert_null(sharc_node_at(sharc_node_at(n, 4), 0));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_readers_one_tree),
    cmocka_unit_test(test_defaults),
};
TEST_MAIN(tests)
