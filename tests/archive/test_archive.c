/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/store_write.h"

#include <stdlib.h>
#include <unistd.h>

static void put(const char *dir, const char *name, const char *text)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(path);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_dir_make(parent, &err) < 0 || sharc_file_replace(path, sharc_span_of(text), &err) < 0)
        fail_msg("%s", err.text);
}

/* Last parts of paths, with a space behind each. */
static char *joined(char **paths, size_t count)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 16);
    for (size_t i = 0; i < count; i++) sharc_buf_printf(&b, "%s ", sharc_path_last(paths[i]));
    sharc_names_free(paths, count);
    return sharc_strdup(sharc_buf_str(&b));
}

#define assert_paths(call, want)                                     \
    do {                                                             \
        char **paths_ = NULL;                                        \
        size_t count_ = 0;                                           \
        struct sharc_err err_ = SHARC_ERR_INIT;                      \
        struct sharc_err *reterr = &err_;                            \
        char ***ret = &paths_;                                       \
        size_t *ret_count = &count_;                                 \
        if ((call) < 0) fail_msg("%s", err_.text);                   \
        SHARC_AUTO(sharc_freep) char *got_ = joined(paths_, count_); \
        assert_string_equal(got_, want);                             \
    } while (0)

static void any_of_three_marks_makes_an_archive(void **state)
{
    (void)state;
    static const char *const marks[] = {"catalogue.db", "warcs/a.warc.gz", "sharc.yaml"};
    for (size_t i = 0; i < SHARC_LENGTH(marks); i++) {
        char *dir = test_mkdir();
        assert_false(sharc_archive_is(dir));
        put(dir, marks[i], "");
        assert_true(sharc_archive_is(dir));
        test_rmdir(dir);
    }
    assert_false(sharc_archive_is("/does/not/exist"));
}

static void parts_lie_below_it(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_freep) char *index = sharc_archive_path("x/y", SHARC_ARCHIVE_INDEX);
    assert_string_equal(index, "x/y/index/index.cdxj");
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *there = sharc_path_join(dir, "new/archive");
    assert_int_equal(sharc_archive_make(there, SHARC_ARCHIVE_WARCS, NULL), 0);
    assert_true(sharc_archive_is(there));
    test_rmdir(dir);
}

static void names_of_files_go_both_ways(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_freep) char *name = sharc_archive_warc_name("a.warc.gz");
    assert_string_equal(name, "warcs/a.warc.gz");
    assert_span(sharc_archive_warc_file(sharc_span_of(name)), "a.warc.gz");
    assert_int_equal(sharc_archive_warc_file(SHARC_SPAN("warcs2/a.warc.gz")).n, 0);
    assert_int_equal(sharc_archive_warc_file(SHARC_SPAN("warcs")).n, 0);
    assert_int_equal(sharc_archive_warc_file(SHARC_SPAN("/elsewhere/warcs/a.warc.gz")).n, 0);

    char *dir = test_mkdir();
    put(dir, "in/warcs/a.warc.gz", "");
    put(dir, "in.warc.gz", "");
    SHARC_AUTO(sharc_freep) char *archive = sharc_path_join(dir, "in");
    SHARC_AUTO(sharc_freep) char *inside = sharc_path_join(dir, "in/../in/warcs/a.warc.gz");
    SHARC_AUTO(sharc_freep) char *outside = sharc_path_join(dir, "in.warc.gz");
    SHARC_AUTO(sharc_freep) char *a = NULL, *b = NULL;
    assert_int_equal(sharc_archive_name(archive, inside, &a, NULL), 0);
    assert_string_equal(a, "warcs/a.warc.gz");
    assert_int_equal(sharc_archive_name(archive, outside, &b, NULL), 0);
    assert_int_equal(b[0], '/');
    SHARC_AUTO(sharc_freep) char *back = sharc_archive_file(archive, sharc_span_of(a));
    assert_int_equal(access(back, F_OK), 0);
    SHARC_AUTO(sharc_freep) char *same = sharc_archive_file(archive, sharc_span_of(b));
    assert_string_equal(same, b);
    SHARC_AUTO(sharc_freep) char *container = sharc_archive_file("x", SHARC_SPAN("warcs/a.wacz#archive/b.warc.gz"));
    assert_string_equal(container, "x/warcs/a.wacz");
    test_rmdir(dir);
}

static void files_are_listed_in_order(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    assert_paths(sharc_archive_warcs(dir, false, ret, ret_count, reterr), "");
    put(dir, "warcs/b.warc.gz", "");
    put(dir, "warcs/a.warc", "");
    put(dir, "warcs/c.arc.gz", "");
    put(dir, "warcs/d.warc.gz.open", "");
    put(dir, "warcs/e.txt", "");
    put(dir, "warcs/f.txt.open", "");
    put(dir, "index/index.cdxj", "");
    put(dir, "index/index.cdxj.files", "");
    put(dir, "index/old.cdx", "");
    assert_paths(sharc_archive_warcs(dir, false, ret, ret_count, reterr), "a.warc b.warc.gz c.arc.gz ");
    assert_paths(sharc_archive_warcs(dir, true, ret, ret_count, reterr), "d.warc.gz.open ");
    assert_paths(sharc_archive_indexes(dir, ret, ret_count, reterr), "index.cdxj old.cdx ");
    test_rmdir(dir);
}

static void import_row(const char *dir, const char *name, enum sharc_store_warc_state state)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id id;
    if (sharc_archive_open(dir, NULL, NULL, &store, &err) < 0) fail_msg("%s", err.text);
    struct sharc_store_warc w = {.name = sharc_span_of(name), .state = state, .size = 7};
    assert_int_equal(sharc_store_warc_open(store, &w, &id, NULL, NULL), 0);
}

static void an_archive_stands_for_all_its_files(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    /* No archive: the path itself. */
    assert_paths(sharc_archive_inputs("some/file.warc.gz", ret, ret_count, reterr), "file.warc.gz ");
    /* An archive without a catalogue. */
    put(dir, "warcs/a.warc.gz", "");
    assert_paths(sharc_archive_inputs(dir, ret, ret_count, reterr), "warcs ");
    /* What was imported where it lies belongs to it, too, containers once. */
    import_row(dir, "warcs/a.warc.gz", SHARC_STORE_WARC_COMPLETE);
    import_row(dir, "/elsewhere/b.warc.gz", SHARC_STORE_WARC_COMPLETE);
    import_row(dir, "/elsewhere/c.wacz#archive/1.warc.gz", SHARC_STORE_WARC_COMPLETE);
    import_row(dir, "/elsewhere/c.wacz#archive/2.warc.gz", SHARC_STORE_WARC_COMPLETE);
    import_row(dir, "/elsewhere/gone.warc.gz", SHARC_STORE_WARC_MISSING);
    assert_paths(sharc_archive_inputs(dir, ret, ret_count, reterr), "warcs b.warc.gz c.wacz ");
    const char *const paths[] = {"x.warc.gz", dir};
    assert_paths(sharc_archive_inputs_all(paths, 2, ret, ret_count, reterr), "x.warc.gz warcs b.warc.gz c.wacz ");
    test_rmdir(dir);
}

static void settings_alone_leave_a_directory_what_it_is(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    put(dir, "sharc.yaml", "crawl:\n  delay: 1s\n");
    put(dir, "loose.warc.gz", "");
    char **paths = NULL;
    size_t count = 0;
    assert_int_equal(sharc_archive_inputs(dir, &paths, &count, NULL), 0);
    assert_int_equal(count, 1);
    assert_string_equal(paths[0], dir);
    sharc_names_free(paths, count);
    test_rmdir(dir);
}

static void the_store_is_where_the_settings_say(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *own = NULL, *named = NULL, *given = NULL, *none = NULL;
    assert_int_equal(sharc_archive_store(dir, NULL, &own, NULL), 0);
    assert_string_equal(sharc_path_last(own), "catalogue.db");
    put(dir, "sharc.yaml", "store: postgresql://db/x\nsites:\n  - http://a.example/\n  - http://b.example/\n");
    assert_int_equal(sharc_archive_store(dir, NULL, &named, NULL), 0);
    assert_string_equal(named, "postgresql://db/x");
    assert_int_equal(sharc_archive_store(dir, "other.db", &given, NULL), 0);
    assert_string_equal(given, "other.db");
    assert_int_equal(sharc_archive_sites(dir, NULL, NULL, NULL), 2);

    struct sharc_err err = SHARC_ERR_INIT;
    put(dir, "sharc.yaml", "store: [\n");
    assert_int_equal(sharc_archive_store(dir, NULL, &none, &err), SHARC_ECONFIG);
    assert_non_null(strstr(err.text, "sharc.yaml"));
    test_rmdir(dir);
}

static int refuse_b(void *arg, struct sharc_span url, struct sharc_err *reterr)
{
    ++*(int *)arg;
    SHARC_FAIL_IF(sharc_span_starts(url, SHARC_SPAN("http://b.")), reterr, SHARC_EINVAL, "not that one");
    return 0;
}

static void a_wrong_site_is_told_with_its_place(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    int n = 0;
    put(dir, "sharc.yaml", "sites:\n  - http://a.example/\n  - http://b.example/\n");
    assert_int_equal(sharc_archive_sites(dir, refuse_b, &n, &err), SHARC_ECONFIG);
    assert_int_equal(n, 2);
    assert_non_null(strstr(err.text, "sharc.yaml:3:5: not that one"));
    put(dir, "sharc.yaml", "sites: http://a.example/\n");
    assert_int_equal(sharc_archive_sites(dir, refuse_b, &n, NULL), 1);
    put(dir, "sharc.yaml", "sites:\n  - [x]\n");
    assert_int_equal(sharc_archive_sites(dir, refuse_b, &n, NULL), SHARC_ECONFIG);
    test_rmdir(dir);
}

static int note_setting(void *arg, struct sharc_span url, struct sharc_span name, struct sharc_span value,
                        struct sharc_err *reterr)
{
    sharc_buf_printf(arg, "%.*s %.*s=%.*s\n", SHARC_SPAN_ARG(url), SHARC_SPAN_ARG(name), SHARC_SPAN_ARG(value));
    SHARC_FAIL_IF(sharc_span_is(value, "wrong"), reterr, SHARC_EINVAL, "not that one");
    return 0;
}

/* What is told of its settings; or the message. */
static char *site_settings(const char *yaml)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf told = SHARC_BUF_INIT(4096);
    struct sharc_err err = SHARC_ERR_INIT;
    put(dir, "sharc.yaml", yaml);
    int r = sharc_archive_site_settings(dir, note_setting, &told, &err);
    char *place = strstr(err.text, "sharc.yaml:");
    if (r < 0) assert_int_equal(r, SHARC_ECONFIG);
    char *answer = sharc_strdup(r < 0 ? place : sharc_buf_str(&told));
    test_rmdir(dir);
    return answer;
}

static void a_site_may_have_settings(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *told;
    } cases[] = {
        {"crawl:\n  delay: 1s\n", ""},
        {"sites: http://a.example/\n", ""},
        {"sites:\n  - http://a.example/\n  - depth: 3\n    url: http://b.example/\n    include: [x, y]\n",
         "http://b.example/ url=http://b.example/\nhttp://b.example/ depth=3\nhttp://b.example/ include=x\n"
         "http://b.example/ include=y\n"},
        {"sites:\n  url: http://a.example/\n  delay: 5s\n",
         "http://a.example/ url=http://a.example/\nhttp://a.example/ delay=5s\n"},
        {"sites:\n  - delay: 5s\n", "sharc.yaml:2:5: the URL of a site is needed here"},
        {"sites:\n  - url: [x]\n", "sharc.yaml:2:5: the URL of a site is needed here"},
        {"sites:\n  - url: wrong\n", "sharc.yaml:2:5: not that one"},
        {"sites:\n  - url: http://a.example/\n    delay: wrong\n", "sharc.yaml:3:5: not that one"},
        {"sites:\n  - url: http://a.example/\n    include: [x, wrong]\n", "sharc.yaml:3:18: not that one"},
        {"sites:\n  - url: http://a.example/\n    delay:\n", "sharc.yaml:3:5: a single value is needed here"},
        {"sites:\n  - url: http://a.example/\n    delay: []\n", "sharc.yaml:3:5: a single value is needed here"},
        {"sites:\n  - url: http://a.example/\n    delay: {a: 1}\n", "sharc.yaml:3:5: a single value is needed here"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_freep) char *told = site_settings(cases[i].yaml);
        assert_string_equal(told, cases[i].told);
    }
}

static int note_url(void *arg, struct sharc_span url, struct sharc_err *reterr)
{
    (void)reterr;
    sharc_buf_printf(arg, "%.*s ", SHARC_SPAN_ARG(url));
    return 0;
}

static void a_site_with_settings_is_one_of_the_sites(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf urls = SHARC_BUF_INIT(4096);
    put(dir, "sharc.yaml", "sites:\n  - http://a.example/\n  - url: http://b.example/\n    delay: 5s\n");
    assert_int_equal(sharc_archive_sites(dir, note_url, &urls, NULL), 2);
    assert_string_equal(sharc_buf_str(&urls), "http://a.example/ http://b.example/ ");
    test_rmdir(dir);
}

static void opening_makes_one_unless_it_must_exist(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *there = sharc_path_join(dir, "new");
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    const struct sharc_store_options must = {.must_exist = true};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_archive_open(there, NULL, &must, &store, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "there is no such archive"));
    assert_int_equal(access(there, F_OK), -1);
    assert_int_equal(sharc_archive_open(there, NULL, NULL, &store, NULL), 0);
    assert_true(sharc_archive_is(there));
    put(dir, "file", "");
    SHARC_AUTO(sharc_freep) char *file = sharc_path_join(dir, "file");
    SHARC_AUTO(sharc_store_freep) struct sharc_store *none = NULL;
    assert_int_equal(sharc_archive_open(file, NULL, NULL, &none, NULL), SHARC_EINVAL);
    test_rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_of_three_marks_makes_an_archive),
        cmocka_unit_test(parts_lie_below_it),
        cmocka_unit_test(names_of_files_go_both_ways),
        cmocka_unit_test(files_are_listed_in_order),
        cmocka_unit_test(an_archive_stands_for_all_its_files),
        cmocka_unit_test(settings_alone_leave_a_directory_what_it_is),
        cmocka_unit_test(the_store_is_where_the_settings_say),
        cmocka_unit_test(a_wrong_site_is_told_with_its_place),
        cmocka_unit_test(a_site_may_have_settings),
        cmocka_unit_test(a_site_with_settings_is_one_of_the_sites),
        cmocka_unit_test(opening_makes_one_unless_it_must_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
