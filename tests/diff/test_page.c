/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions read from files and records, and two of them compared.
 */
#include "sharc/base_file.h"
#include "sharc/diff.h"
#include "test.h"

#include <stdlib.h>

#define BEFORE SHARC_SOURCE_DIR "/tests/data/orchard-before.warc.gz"
#define AFTER SHARC_SOURCE_DIR "/tests/data/orchard-after.warc.gz"

static const struct sharc_diff_options options = SHARC_DIFF_OPTIONS;

struct pair {
    char *directory;
    struct sharc_diff_version before, after;
    struct sharc_diff_page page;
};

static void pair_done(struct pair *p)
{
    sharc_diff_page_done(&p->page);
    sharc_diff_version_done(&p->before);
    sharc_diff_version_done(&p->after);
    if (p->directory) test_rmdir(p->directory);
}

static void read_text(struct pair *p, struct sharc_diff_version *v, const char *name, struct sharc_span text)
{
    if (!p->directory) p->directory = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->directory, name);
    assert_int_equal(sharc_file_replace(path, text, NULL), 0);
    assert_int_equal(sharc_diff_version_file(v, path, NULL, &options, NULL), 0);
}

static void compare(struct pair *p, const char *name, struct sharc_span before, struct sharc_span after)
{
    read_text(p, &p->before, name, before);
    read_text(p, &p->after, name, after);
    sharc_diff_page_make(&p->page, &p->before, &p->after, &options, true);
}

static void files_are_compared(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    compare(&p, "a.html", SHARC_SPAN("<main><p>One two three.</p><a href=x.html>x</a></main>"),
            SHARC_SPAN("<main><p>Four five six seven eight.</p><a href=y.html>x</a></main>"));
    assert_int_equal(p.page.verdict.change, SHARC_TEXT_CHANGED);
    assert_int_equal(p.page.verdict.step, SHARC_STEP_EDITS);
    assert_true(p.page.importance > 0 && p.page.importance <= 1);
    assert_int_equal(p.page.n_links_added, 1);
    assert_span(p.page.links_added[0], "/y.html");
    assert_int_equal(p.page.n_links_removed, 1);
    assert_int_equal(p.page.ops.updated, 2);
    assert_int_equal(p.page.rows.removed, 1);
    compare(&p, "a.html", SHARC_SPAN("<p>same"), SHARC_SPAN("<p>same"));
    assert_int_equal(p.page.verdict.change, SHARC_UNCHANGED);
    assert_int_equal(p.page.rows.count, 0);
    compare(&p, "a.html", SHARC_SPAN("<p>same"), SHARC_SPAN("<p class=x>same"));
    assert_int_equal(p.page.verdict.change, SHARC_INSIGNIFICANT);
}

static void other_texts_are_compared_as_they_stand(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    compare(&p, "a.txt", SHARC_SPAN("one\ntwo\nthree\n"), SHARC_SPAN("one\n2\nthree\n"));
    assert_int_equal(p.page.verdict.change, SHARC_TEXT_CHANGED);
    assert_int_equal(p.page.rows.count, 4);
    compare(&p, "a.css", SHARC_SPAN("p { color: red }\nq {}\n"), SHARC_SPAN("p { color: blue }\nq {}\n"));
    assert_int_equal(p.page.rows.rows[0].kind, SHARC_ROW_UPDATED);
    compare(&p, "unknown", SHARC_SPAN("alpha\nbeta\n"), SHARC_SPAN("alpha\ngamma\n"));
    assert_true(p.after.has_text);
}

static void bytes_without_text_are_told_by_their_digest(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    compare(&p, "a.png", SHARC_SPAN("\x89PNG\0one"), SHARC_SPAN("\x89PNG\0two"));
    assert_int_equal(p.page.verdict.change, SHARC_TEXT_CHANGED);
    assert_int_equal(p.page.verdict.step, SHARC_STEP_PAYLOAD);
    assert_close(p.page.importance, 0.8, 1e-12);
    compare(&p, "a.png", SHARC_SPAN("\x89PNG\0one"), SHARC_SPAN("\x89PNG\0one"));
    assert_int_equal(p.page.verdict.change, SHARC_UNCHANGED);
}

static void a_version_may_be_absent(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    read_text(&p, &p.before, "a.html", SHARC_SPAN("<p>gone <a href=/x>x</a>"));
    sharc_diff_page_make(&p.page, &p.before, NULL, &options, true);
    assert_int_equal(p.page.verdict.change, SHARC_MISSING);
    assert_close(p.page.importance, 0.3, 1e-12);
    assert_int_equal(p.page.n_links_removed, 1);
    sharc_diff_page_make(&p.page, NULL, &p.before, &options, true);
    assert_int_equal(p.page.verdict.change, SHARC_NEW);
    assert_close(p.page.importance, 1, 1e-12);
}

static struct sharc_diff_side *open_both(void)
{
    struct sharc_diff_side *s = sharc_diff_side_new(NULL);
    assert_int_equal(sharc_diff_side_add(s, BEFORE, NULL), 0);
    assert_int_equal(sharc_diff_side_add(s, AFTER, NULL), 0);
    assert_int_equal(sharc_diff_side_open(s, 1, NULL, NULL), 0);
    return s;
}

static void a_url_is_found_at_a_time(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *s = open_both();
    sharc_time early, late;
    assert_int_equal(sharc_time_parse(SHARC_SPAN("2025-06-02"), &early, NULL), 0);
    assert_int_equal(sharc_time_parse(SHARC_SPAN("2025-06-07"), &late, NULL), 0);
    struct sharc_span url = SHARC_SPAN("http://orchard.example/partners.html");
    assert_int_equal(sharc_diff_version_at(&p.before, s, url, early, &options, NULL), 0);
    assert_int_equal(sharc_diff_version_at(&p.after, s, url, late, &options, NULL), 0);
    assert_true(p.before.when < early && p.after.when > late);
    sharc_diff_page_make(&p.page, &p.before, &p.after, &options, true);
    assert_int_equal(p.page.verdict.change, SHARC_LINKS_CHANGED);
    assert_int_equal(p.page.verdict.links_added, 1);
    assert_span(p.page.links_added[0], "http://honey.example/");
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_diff_version_at(&p.after, s, SHARC_SPAN("http://orchard.example/x"), late, &options, &err),
                     SHARC_ENOENT);
}

/* The revisit in the second file has its body in the first. */
static void a_revisit_is_read_where_it_points(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *s = open_both();
    struct sharc_span url = SHARC_SPAN("http://orchard.example/about.html");
    assert_int_equal(sharc_diff_version_at(&p.after, s, url, SHARC_TIME_NONE, &options, NULL), 0);
    assert_true(p.after.revisit);
    assert_int_equal(p.after.answer, SHARC_ANSWER_CONTENT);
    assert_true(p.after.text.n > 0);
    assert_null(p.after.remark);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *alone = sharc_diff_side_new(NULL);
    assert_int_equal(sharc_diff_side_add(alone, AFTER, NULL), 0);
    assert_int_equal(sharc_diff_side_open(alone, 1, NULL, NULL), 0);
    assert_int_equal(sharc_diff_version_at(&p.after, alone, url, SHARC_TIME_NONE, &options, NULL), 0);
    assert_int_equal(p.after.answer, SHARC_ANSWER_FAILED);
    assert_non_null(p.after.remark);
}

static void a_large_body_is_compared_by_its_digest(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *s = open_both();
    struct sharc_diff_options small = options;
    small.max_body = 1000;
    struct sharc_span url = SHARC_SPAN("http://orchard.example/trees.html");
    assert_int_equal(sharc_diff_version_at(&p.after, s, url, SHARC_TIME_NONE, &small, NULL), 0);
    assert_false(p.after.has_text);
    assert_true(p.after.has_digest && p.after.size > 1000);
    assert_non_null(p.after.remark);
}

static void a_record_needs_its_offset(void **state)
{
    (void)state;
    SHARC_AUTO(pair_done) struct pair p = {.directory = NULL};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_diff_version_record(&p.before, BEFORE, 7, &options, &err), SHARC_ECORRUPT);
    assert_true(sharc_diff_version_record(&p.before, BEFORE, UINT64_MAX, &options, &err) < 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(files_are_compared),
    cmocka_unit_test(other_texts_are_compared_as_they_stand),
    cmocka_unit_test(bytes_without_text_are_told_by_their_digest),
    cmocka_unit_test(a_version_may_be_absent),
    cmocka_unit_test(a_url_is_found_at_a_time),
    cmocka_unit_test(a_revisit_is_read_where_it_points),
    cmocka_unit_test(a_large_body_is_compared_by_its_digest),
    cmocka_unit_test(a_record_needs_its_offset),
};
TEST_MAIN(tests)
