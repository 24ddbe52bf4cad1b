/* SPDX-License-Identifier: Apache-2.0 */
#include "sites.h"

#include "sharc/base_codec.h"
#include "sharc/base_file.h"
#include "sharc/sim_dataset.h"

#include <stdlib.h>
#include <unistd.h>

static void reads_every_table(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    write_site(dir);
    struct sharc_dataset *d;
    assert_int_equal(sharc_dataset_open(dir, &d, NULL), 0);
    assert_string_equal(d->name, "small");
    assert_int_equal(d->pages, 7);
    assert_int_equal(d->changes, 11);
    assert_int_equal(d->links, 5);
    assert_int_equal(d->absences, 1);
    assert_close(d->end, 300, 0);
    assert_span(d->page[3].url, "/b/z.html");
    assert_span(d->page[6].mime, "image/png");
    assert_close(d->page[4].deleted, 190, 0);
    assert_true(isinf(d->page[0].deleted));
    assert_int_equal(d->link_at[1] - d->link_at[0], 3);
    assert_int_equal(d->link_to[d->link_at[0]], 1);
    assert_int_equal(d->link_to[d->link_at[0] + 2], 4);
    const double *h;
    assert_int_equal(sharc_dataset_between(d, 3, 120, 240, &h), 3);
    assert_close(h[0], 160, 0);
    assert_int_equal(sharc_dataset_between(d, 2, 0, 300, &h), 0);
    assert_close(d->absent_from[d->absence_at[6]], 105, 0);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void does_without_what_is_optional(void **state)
{
    (void)state;
    char *dir = test_mkdir(), path[4096];
    write_site(dir);
    snprintf(path, sizeof path, "%s/absences.tsv", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/site.json", dir);
    unlink(path);
    struct sharc_dataset *d;
    assert_int_equal(sharc_dataset_open(dir, &d, NULL), 0);
    assert_close(d->start, 0, 0);
    assert_close(d->end, 280, 0);
    assert_int_equal(d->absences, 0);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

static void reads_gzipped_tables(void **state)
{
    (void)state;
    char *dir = test_mkdir(), path[4096];
    write_site(dir);
    snprintf(path, sizeof path, "%s/changes.tsv", dir);
    unlink(path);
    struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_deflate *z = sharc_deflate_new(6);
    assert_int_equal(sharc_deflate_member(z, sharc_span_of(CHANGES_HEADER CHANGES_ROWS), &out), 0);
    sharc_deflate_free(z);
    snprintf(path, sizeof path, "%s/changes.tsv.gz", dir);
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&out), NULL), 0);
    sharc_buf_done(&out);
    struct sharc_dataset *d;
    assert_int_equal(sharc_dataset_open(dir, &d, NULL), 0);
    assert_int_equal(d->changes, 11);
    sharc_dataset_free(d);
    test_rmdir(dir);
}

/* One table is replaced; the message must name file and line and say why. */
struct broken {
    const char *file, *text, *where, *why;
};

static const struct broken broken[] = {
    {"pages.tsv", "", "pages.tsv: line 1", "empty"},
    {"pages.tsv", "id\turl\n", "pages.tsv: line 1", "header must be"},
    {"pages.tsv", PAGES_HEADER, "pages.tsv", "no pages"},
    {"pages.tsv", PAGES_HEADER "1\t/\tt\t0\t\t1\t1\t1\t1\t1\t1\n", "pages.tsv: line 2", "fewer than 12 columns"},
    {"pages.tsv", PAGES_HEADER "1\t/\tt\t0\t\t1\t1\t1\t1\t1\t1\t1\t9\n", "pages.tsv: line 2", "more than 12 columns"},
    {"pages.tsv", PAGES_HEADER "2\t/\tt\t0\t\t1\t1\t1\t1\t1\t1\t0\n", "pages.tsv: line 2", "where 1 belongs"},
    {"pages.tsv", PAGES_HEADER "1\thttp\tt\t0\t\t1\t1\t1\t1\t1\t1\t0\n", "pages.tsv: line 2", "begin with /"},
    {"pages.tsv", PAGES_HEADER "1\t/\tt\t-5\t\t1\t1\t1\t1\t1\t1\t0\n", "pages.tsv: line 2", "cannot be negative"},
    {"pages.tsv", PAGES_HEADER "1\t/\tt\t9\t5\t1\t1\t1\t1\t1\t1\t0\n", "pages.tsv: line 2", "before it is created"},
    {"pages.tsv", PAGES_HEADER "1\t/\tt\t0\t\tbig\t1\t1\t1\t1\t1\t0\n", "pages.tsv: line 2", "size is \"big\""},
    {"pages.tsv", PAGES_HEADER "1\t/\tt\t0\t\t1", "pages.tsv: line 2", "has no line end"},
    {"changes.tsv", CHANGES_HEADER "4\t120\n9\t130\n", "changes.tsv: line 3", "not in the table of pages"},
    {"changes.tsv", CHANGES_HEADER "4\t120\n1\t110\n", "changes.tsv: line 3", "sorted"},
    {"changes.tsv", CHANGES_HEADER "4\t120\n4\t120\n", "changes.tsv: line 3", "sorted"},
    {"changes.tsv", CHANGES_HEADER "4\t-1\n", "changes.tsv: line 2", "cannot be negative"},
    {"changes.tsv", CHANGES_HEADER "6\t200\n", "changes.tsv: line 2", "outside its life"},
    {"changes.tsv", CHANGES_HEADER "0\t200\n", "changes.tsv: line 2", "not in the table of pages"},
    {"changes.tsv", CHANGES_HEADER "x\t200\n", "changes.tsv: line 2", "the page id is \"x\""},
    {"links.tsv", LINKS_HEADER "1\t2\n", "links.tsv: line 2", "fewer than 3 columns"},
    {"links.tsv", LINKS_HEADER "1\t2\tarrow\n", "links.tsv: line 2", "link or spanning"},
    {"links.tsv", LINKS_HEADER "1\t99\tlink\n", "links.tsv: line 2", "page id 99"},
    {"absences.tsv", ABSENCES_HEADER "1\t9\t5\n", "absences.tsv: line 2", "before it begins"},
    {"site.json", "{\"start\": 5, \"end\": 1}", "site.json", "start first"},
    {"site.json", "{", "site.json", ""},
};

static void names_what_is_broken(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(broken); i++) {
        char *dir = test_mkdir();
        write_site(dir);
        write_file(dir, broken[i].file, broken[i].text);
        struct sharc_dataset *d = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        assert_true(sharc_dataset_open(dir, &d, &err) < 0);
        assert_null(d);
        if (!strstr(err.text, broken[i].where) || !strstr(err.text, broken[i].why)) {
            print_error("case %zu: %s\n", i, err.text);
            fail();
        }
        test_rmdir(dir);
    }
}

static void missing_tables_are_named(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_dataset *d = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_dataset_open(dir, &d, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "pages.tsv"));
    test_rmdir(dir);
}

static void real_datasets_have_the_documented_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t pages, changes, links;
    } known[] = {{"datasets/php-web", 5581, 14041, 3134 + 4757}, {"datasets/hot-lists", 7488, 121135, 7487}};
    for (size_t i = 0; i < SHARC_LENGTH(known); i++) {
        const char *path = test_shared_or_skip(known[i].name);
        struct sharc_dataset *d;
        assert_int_equal(sharc_dataset_open(path, &d, NULL), 0);
        assert_int_equal(d->pages, known[i].pages);
        assert_int_equal(d->changes, known[i].changes);
        assert_int_equal(d->links, known[i].links);
        sharc_dataset_free(d);
    }
}

static void a_moment_is_a_dataset_without_a_past(void **state)
{
    (void)state;
    static const struct sharc_span urls[] = {{"/", 1}, {"/a", 2}, {"/b", 2}};
    static const uint32_t from[] = {1, 0, 0}, to[] = {2, 2, 1};
    const struct sharc_dataset_moment m = {"here", 1000, 3, 3, urls, from, to};
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = sharc_dataset_of_moment(&m);
    assert_string_equal(d->name, "here");
    assert_true(d->start == 1000 && d->end == 1000);
    assert_int_equal(d->pages, 3);
    assert_int_equal(d->link_at[1] - d->link_at[0], 2);
    assert_int_equal(d->link_to[d->link_at[0]], 2); /* in their order */
    assert_int_equal(d->link_to[d->link_at[0] + 1], 1);
    assert_int_equal(d->link_to[d->link_at[1]], 2);
    assert_int_equal(d->link_at[3] - d->link_at[2], 0);
    const double *first;
    assert_int_equal(sharc_dataset_between(d, 1, 0, 1e9, &first), 0);
    SHARC_AUTO(sharc_freep) double *weight = NULL;
    assert_int_equal(sharc_dataset_weigh(d, "indegree", &weight, NULL), 0);
    assert_close(weight[2], 1.5, 1e-12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_moment_is_a_dataset_without_a_past),
    cmocka_unit_test(reads_every_table),
    cmocka_unit_test(does_without_what_is_optional),
    cmocka_unit_test(reads_gzipped_tables),
    cmocka_unit_test(names_what_is_broken),
    cmocka_unit_test(missing_tables_are_named),
    cmocka_unit_test(real_datasets_have_the_documented_counts),
};
TEST_MAIN(tests)
