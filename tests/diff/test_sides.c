/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures compared: every class once, templates, order, threads, and the kinds of
 * files that a side may consist of.
 */
#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/diff.h"
#include "sharc/wacz.h"
#include "test.h"

#include <stdlib.h>

#define BEFORE SHARC_SOURCE_DIR "/tests/data/orchard-before.warc.gz"
#define AFTER SHARC_SOURCE_DIR "/tests/data/orchard-after.warc.gz"

static struct sharc_diff_side *open_side(const char *path)
{
    struct sharc_diff_side *s = sharc_diff_side_new(NULL);
    assert_int_equal(sharc_diff_side_add(s, path, NULL), 0);
    assert_int_equal(sharc_diff_side_open(s, 1, NULL, NULL), 0);
    return s;
}

static const struct sharc_diff_entry *find(const struct sharc_diff_set *s, const char *url)
{
    for (size_t i = 0; i < s->count; i++)
        if (sharc_span_is(s->entries[i].url, url)) return &s->entries[i];
    return NULL;
}

static void assert_orchard(struct sharc_diff_side *a, struct sharc_diff_side *b, unsigned threads)
{
    static const uint64_t classes[] = {1, 3, 3, 1, 2, 1, 1, 1, 1, 0};
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    o.threads = threads;
    assert_int_equal(sharc_diff_sides(a, b, &o, &set, NULL), 0);
    assert_int_equal(set.pages, 17);
    assert_int_equal(set.unreadable, 0);
    for (unsigned c = 0; c < SHARC_DIFF_CLASSES; c++) assert_int_equal(set.classes[c], classes[c]);
    assert_int_equal(set.template_classes[SHARC_LINKS_CHANGED], 3);
    assert_int_equal(set.template_count, 1);
    assert_int_equal(set.templates[0].pages, 3);
    assert_int_equal(set.entries[set.templates[0].sample].template_id, 1);
    assert_int_equal(set.count, 16); /* the unchanged one is not kept */
    for (size_t i = 1; i < set.count; i++) assert_true(set.entries[i - 1].importance >= set.entries[i].importance);

    const struct sharc_diff_entry *e = find(&set, "http://orchard.example/old-news.html");
    assert_non_null(e);
    assert_int_equal(e->verdict.change, SHARC_REDIRECTED);
    assert_span(e->after.redirect, "http://orchard.example/news.html");
    e = find(&set, "http://orchard.example/spring.html");
    assert_non_null(e);
    assert_int_equal(e->verdict.change, SHARC_MISSING);
    assert_true(e->before.there && !e->after.there);
    e = find(&set, "http://orchard.example/plums.html");
    assert_non_null(e);
    assert_int_equal(e->template_id, 1);
    assert_null(find(&set, "http://orchard.example/about.html"));
}

static void every_class_is_found(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *a = open_side(BEFORE);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *b = open_side(AFTER);
    assert_orchard(a, b, 1);
    assert_orchard(a, b, 4);
}

static void a_capture_equals_itself(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *a = open_side(BEFORE);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *b = open_side(BEFORE);
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    const struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    assert_int_equal(sharc_diff_sides(a, b, &o, &set, NULL), 0);
    assert_int_equal(set.pages, 16);
    assert_int_equal(set.classes[SHARC_UNCHANGED], 16);
    assert_int_equal(set.read, 0);
}

static void entries_can_be_read_again(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *a = open_side(BEFORE);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *b = open_side(AFTER);
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version before = {.status = 0};
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version after = {.status = 0};
    const struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    assert_int_equal(sharc_diff_sides(a, b, &o, &set, NULL), 0);
    for (size_t i = 0; i < set.count; i++) {
        struct sharc_diff_page page = {.edit = 0};
        bool is_before, is_after;
        assert_int_equal(sharc_diff_set_read(&set, i, &o, &before, &after, &is_before, &is_after, NULL), 0);
        sharc_diff_page_make(&page, is_before ? &before : NULL, is_after ? &after : NULL, &o, true);
        assert_int_equal(page.verdict.change, set.entries[i].verdict.change);
        assert_close(page.importance, set.entries[i].importance, 0);
        sharc_diff_page_done(&page);
    }
}

static void make_wacz(const char *warc, const char *out)
{
    struct sharc_wacz_options o = {.threads = 1};
    struct sharc_wacz_written written;
    assert_int_equal(sharc_wacz_write(out, &warc, 1, &o, &written, NULL), 0);
}

static void make_index(const char *warc, const char *out)
{
    struct sharc_cdx_build o = {.threads = 1};
    struct sharc_cdx_built built;
    assert_int_equal(sharc_cdx_build(&warc, 1, out, NULL, NULL, &o, &built, NULL), 0);
}

static void containers_indexes_and_directories_are_sides(void **state)
{
    (void)state;
    char *home = test_mkdir();
    SHARC_AUTO(sharc_freep) char *wacz = sharc_path_join(home, "a.wacz");
    SHARC_AUTO(sharc_freep) char *index = sharc_path_join(home, "b.cdxj");
    make_wacz(BEFORE, wacz);
    make_index(AFTER, index);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *a = open_side(home); /* finds the container */
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *b = sharc_diff_side_new(NULL);
    assert_int_equal(sharc_diff_side_add(b, index, NULL), 0);
    assert_int_equal(sharc_diff_side_add(b, AFTER, NULL), 0);
    assert_int_equal(sharc_diff_side_open(b, 1, NULL, NULL), 0);
    assert_orchard(a, b, 2);

    /* An index whose WARC is nowhere. */
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *lost = open_side(index);
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    const struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_diff_sides(a, lost, &o, &set, &err), SHARC_ENOENT);
    test_rmdir(home);
}

static void nothing_to_open_is_said(void **state)
{
    (void)state;
    char *home = test_mkdir();
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *s = sharc_diff_side_new(NULL);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_diff_side_add(s, "/nowhere/x.warc.gz", &err), SHARC_ENOENT);
    assert_int_equal(sharc_diff_side_add(s, home, &err), 0);
    assert_int_equal(sharc_diff_side_open(s, 1, NULL, &err), SHARC_ENOENT);
    test_rmdir(home);
}

/* A record whose compressed bytes are damaged is told as such, the others are compared. */
static void damage_does_not_stop_the_rest(void **state)
{
    (void)state;
    char *home = test_mkdir();
    SHARC_AUTO(sharc_freep) char *index = sharc_path_join(home, "a.cdxj");
    SHARC_AUTO(sharc_freep) char *copy = sharc_path_join(home, "orchard-after.warc.gz");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    make_index(AFTER, index);
    assert_int_equal(sharc_file_read(AFTER, &bytes, NULL), 0);
    memset(bytes.p + 420, 'x', 200); /* the first page */
    assert_int_equal(sharc_file_replace(copy, sharc_buf_span(&bytes), NULL), 0);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *a = open_side(BEFORE);
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *b = open_side(index);
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    const struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    assert_int_equal(sharc_diff_sides(a, b, &o, &set, NULL), 0);
    assert_int_equal(set.pages, 17);
    assert_int_equal(set.unreadable, 1);
    const struct sharc_diff_entry *e = find(&set, "http://orchard.example/");
    assert_non_null(e);
    assert_int_equal(e->verdict.change, SHARC_FAILED);
    assert_non_null(e->remark);
    test_rmdir(home);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_class_is_found),      cmocka_unit_test(a_capture_equals_itself),
    cmocka_unit_test(entries_can_be_read_again), cmocka_unit_test(containers_indexes_and_directories_are_sides),
    cmocka_unit_test(nothing_to_open_is_said),   cmocka_unit_test(damage_does_not_stop_the_rest),
};
TEST_MAIN(tests)
