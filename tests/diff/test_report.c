/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports: evidence in words, JSON that reads back, HTML in which nothing of a page can
 * act.
 */
#include "sharc/base_file.h"
#include "sharc/base_node.h"
#include "sharc/diff_report.h"
#include "test.h"

#include <stdlib.h>

#define BEFORE SHARC_SOURCE_DIR "/tests/data/orchard-before.warc.gz"
#define AFTER SHARC_SOURCE_DIR "/tests/data/orchard-after.warc.gz"

static const struct sharc_diff_options options = SHARC_DIFF_OPTIONS;

static void classes_have_words(void **state)
{
    (void)state;
    for (unsigned c = 0; c < SHARC_DIFF_CLASSES; c++) {
        const char *word = sharc_diff_class_word(c);
        assert_int_equal(sharc_diff_class_bits(sharc_span_of(word)), 1u << c);
        assert_true(sharc_diff_class_name(c)[0] != '\0');
    }
    assert_int_equal(sharc_diff_class_bits(SHARC_SPAN("all")), 1023);
    assert_int_equal(sharc_diff_class_bits(SHARC_SPAN("changed")), 1020);
    assert_int_equal(sharc_diff_class_bits(SHARC_SPAN("nonsense")), 0);
}

static void assert_together(const struct sharc_diff_together *t, const char *want)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(10000);
    sharc_diff_together_text(t, &out);
    assert_string_equal(sharc_buf_str(&out), want);
}

/* No sentence says more than what it rests on. */
static void what_was_the_same_is_said_with_its_basis(void **state)
{
    (void)state;
    struct sharc_diff_together t = {.from = 0, .until = 3600 * SHARC_SEC};
    assert_together(&t, "");
    t.pages[SHARC_DIFF_ATTESTED] = 2;
    assert_together(&t, "2 pages: the same by the server's word only (304, not modified).\n");
    t.pages[SHARC_DIFF_DOWNLOADED] = 5;
    assert_together(&t, "5 pages were the same before and after, by full downloads with equal content.\n"
                        "If none of them was changed and changed back, they existed together\n"
                        "from 1970-01-01T00:00:00Z (last download before) to 1970-01-01T01:00:00Z (first after).\n"
                        "2 more pages: the same by the server's word only (304, not modified).\n");
    t.pages[SHARC_DIFF_ATTESTED] = 0;
    t.from = t.until + 1;
    assert_together(&t, "5 pages were the same before and after, by full downloads with equal content.\n"
                        "Their downloads overlap in time: there is no moment at which all of them are\nknown to have "
                        "existed together.\n");
    t.from = SHARC_TIME_NONE;
    assert_together(&t, "5 pages were the same before and after, by full downloads with equal content.\n"
                        "Not all their times are known, so nothing follows about a common time.\n");
}

static void collect(void *arg, struct sharc_span piece, bool marked)
{
    sharc_buf_printf(arg, marked ? "[%.*s]" : "%.*s", SHARC_SPAN_ARG(piece));
}

static void long_lines_are_cut_in_their_middle(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(10000);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(10000);
    sharc_diff_pieces(SHARC_SPAN("one two three"), &(struct sharc_change_mark){4, 3}, 1, collect, &out);
    assert_string_equal(sharc_buf_str(&out), "one [two] three");
    for (int i = 0; i < 500; i++) sharc_buf_put_str(&line, "\u00e9"); /* two bytes each: the cut is between */
    sharc_buf_put_char(&line, '!');
    sharc_buf_clear(&out);
    sharc_diff_pieces(sharc_buf_span(&line), &(struct sharc_change_mark){1000, 1}, 1, collect, &out);
    assert_int_equal(sharc_utf8_check(sharc_buf_span(&out)), SHARC_NPOS);
    assert_true(out.n < 500);
    assert_true(sharc_span_ends(sharc_buf_span(&out), SHARC_SPAN("[!]")));
}

static struct sharc_diff_side *open_side(const char *path)
{
    struct sharc_diff_side *s = sharc_diff_side_new(NULL);
    assert_int_equal(sharc_diff_side_add(s, path, NULL), 0);
    assert_int_equal(sharc_diff_side_open(s, 1, NULL, NULL), 0);
    return s;
}

static void a_set_reads_back_from_json(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *a = open_side(BEFORE);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *b = open_side(AFTER);
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 24);
    struct sharc_diff_filter filter = SHARC_DIFF_FILTER;
    filter.min_importance = 0.3;
    filter.limit = 4;
    struct sharc_json j;
    const struct sharc_node *root;
    assert_int_equal(sharc_diff_sides(a, b, &options, &set, NULL), 0);
    sharc_json_init(&j, &out, true);
    sharc_diff_json_set(&j, &set, &filter, (const char *const[]){"a", "b"}, &options);
    assert_int_equal(sharc_json_read(sharc_buf_span(&out), &arena, &root, NULL), 0);
    assert_int_equal(sharc_node_int(sharc_node_get(root, "pages"), 0), 17);
    assert_int_equal(sharc_node_int(sharc_node_get(sharc_node_get(root, "classes"), "missing"), 0), 2);
    assert_int_equal(sharc_node_get(root, "results")->count, 4);
    const struct sharc_node *first = sharc_node_at(sharc_node_get(root, "results"), 0);
    assert_span(sharc_node_text(sharc_node_get(first, "class")), "new");
    assert_int_equal(sharc_node_get(first, "before")->kind, SHARC_NULL);

    sharc_buf_clear(&out);
    assert_int_equal(sharc_diff_html_set(&out, &set, &filter, (const char *const[]){"<a>", "b"}, 10, &options, NULL),
                     0);
    assert_int_not_equal(sharc_span_search(sharc_buf_span(&out), SHARC_SPAN("&lt;a&gt;")), SHARC_NPOS);
    assert_int_not_equal(sharc_span_search(sharc_buf_span(&out), SHARC_SPAN("4 of 6 listed")), SHARC_NPOS);
}

/* A page that tries to break out of the report. */
static void nothing_of_a_page_acts_in_html(void **state)
{
    (void)state;
    static const char hostile[] = "&lt;script>alert(1)&lt;/script> \" ' \x01 \xff <b>x</b>"
                                  "<a href=\"javascript:alert(1)\">j</a><a href='/\"onclick=x'>q</a>"
                                  "<title>&lt;/title>&lt;img src=x></title>";
    char *home = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(home, "a.html");
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version before = {.status = 0};
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version after = {.status = 0};
    SHARC_AUTO(sharc_diff_page_done) struct sharc_diff_page page = {.edit = 0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    assert_int_equal(sharc_file_replace(path, SHARC_SPAN("<p>old"), NULL), 0);
    assert_int_equal(sharc_diff_version_file(&before, path, NULL, &options, NULL), 0);
    assert_int_equal(sharc_file_replace(path, sharc_span(hostile, sizeof hostile - 1), NULL), 0);
    assert_int_equal(sharc_diff_version_file(&after, path, NULL, &options, NULL), 0);
    sharc_diff_page_make(&page, &before, &after, &options, true);
    sharc_diff_html_page(&out, &page, &before, &after, &options);
    struct sharc_span html = sharc_buf_span(&out);
    static const char *const never[] = {"<script", "<img", "<b>", "\"onclick", "javascript:", "\x01", "\xff"};
    for (size_t i = 0; i < SHARC_LENGTH(never); i++)
        assert_int_equal(sharc_span_search(html, sharc_span_of(never[i])), SHARC_NPOS);
    assert_int_not_equal(sharc_span_search(html, SHARC_SPAN("&lt;script&gt;alert(1)")), SHARC_NPOS);
    assert_int_not_equal(sharc_span_search(html, SHARC_SPAN("default-src 'none'")), SHARC_NPOS);
    assert_int_equal(sharc_utf8_check(html), SHARC_NPOS);
    test_rmdir(home);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_the_same_is_said_with_its_basis), cmocka_unit_test(classes_have_words),
    cmocka_unit_test(long_lines_are_cut_in_their_middle),       cmocka_unit_test(a_set_reads_back_from_json),
    cmocka_unit_test(nothing_of_a_page_acts_in_html),
};
TEST_MAIN(tests)
