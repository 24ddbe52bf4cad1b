/* SPDX-License-Identifier: Apache-2.0
 *
 * Imports that are disturbed, and catalogues held against their files.
 */
#include "world.h"

#include "sharc/cdx.h"
#include "sharc/cdx_build.h"

/* --- robustness ---------------------------------------------------------------------------- */

/* The rows do not depend on how many threads there are. */
static void threads_do_not_change_the_rows(void **state)
{
    struct world *f = world(state);
    char *want = NULL;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct sharc_store *store = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_store_open("memory:", NULL, &store, &err), 0);
        if (threads == 1) {
            struct maker m;
            for (int file = 0; file < 3; file++) {
                char name[20];
                snprintf(name, sizeof name, "%d.warc.gz", file);
                maker_start(&m, f->dir, name, "");
                for (int i = 0; i < 700; i++) {
                    char url[64], body[200];
                    snprintf(url, sizeof url, "http://example.org/%d", i * 7 % 900);
                    snprintf(body, sizeof body, "<a href=/%d>x</a><a href=/%d>y</a> page %d of %d", i * 13 % 900,
                             i * 17 % 900, i, file);
                    PUT(&m, .url = url, .when = DAY_ONE + (file * 700 + i) * SHARC_SEC, .body = body);
                }
                free(maker_end(&m));
            }
        }
        struct sharc_import_options o = {.threads = threads, .archive = f->dir};
        SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
        const char *in = f->dir;
        if (sharc_import(store, &in, 1, &o, &r, &err) < 0) fail_msg("%s", err.text);
        SHARC_AUTO(sharc_freep) char *got = dump(store, "page");
        if (want) assert_string_equal(got, want);
        if (!want) want = SHARC_TAKE(got);
        sharc_store_free(store);
    }
    free(want);
}

/* A database that fails at any call: the next import makes it whole. */
static void every_failing_call_can_be_repeated(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    const char *in = path;
    import(f, path);
    SHARC_AUTO(sharc_freep) char *want = dump(f->store, "page");
    bool failed = true;
    for (uint64_t n = 1; failed && n < 500; n += n < 20 ? 1 : 7) {
        struct sharc_store *store = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        struct sharc_import_options o = {.archive = f->dir};
        assert_int_equal(sharc_store_open("memory:", NULL, &store, &err), 0);
        sharc_store_fail_at(store, n, SHARC_EDB);
        SHARC_AUTO(sharc_import_result_done) struct sharc_import_result first = {0}, second = {0};
        failed = sharc_import(store, &in, 1, &o, &first, &err) < 0;
        if (failed) assert_true(err.text[0]);
        sharc_store_fail_at(store, 0, 0);
        if (sharc_import(store, &in, 1, &o, &second, &err) < 0) fail_msg("after call %d: %s", (int)n, err.text);
        SHARC_AUTO(sharc_freep) char *got = dump(store, "page");
        assert_string_equal(got, want);
        sharc_store_free(store);
    }
    assert_false(failed);
}

static void damage_is_named_and_what_was_read_is_kept(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_file_read(path, &bytes, &err), 0);
    struct sharc_span whole = sharc_buf_span(&bytes);
    assert_int_equal(sharc_file_replace(path, sharc_span_sub(whole, 0, whole.n - 40), &err), 0);
    const char *in = path;
    struct sharc_import_options o = {.archive = f->dir};
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result strict = {0}, lenient = {0}, grown = {0};
    assert_int_equal(sharc_import(f->store, &in, 1, &o, &strict, &err), SHARC_ETRUNC);
    assert_non_null(strstr(err.text, "garden.warc.gz: offset"));
    assert_int_equal(count_table(f, "page"), 4);
    assert_int_equal(strict.failed, 1);
    assert_int_equal(strict.captures[0].pages, 4);
    o.lenient = true;
    assert_int_equal(sharc_import(f->store, &in, 1, &o, &lenient, &err), 0);
    assert_int_equal(lenient.damaged, 1);
    assert_int_equal(lenient.failed, 0);
    assert_int_equal(lenient.capture_count, 0); /* nothing new behind the damage */
    assert_int_equal(count_table(f, "page"), 4);
    /* The rest comes later. */
    o.lenient = false;
    assert_int_equal(sharc_file_replace(path, whole, &err), 0);
    assert_int_equal(sharc_import(f->store, &in, 1, &o, &grown, &err), 0);
    assert_int_equal(grown.captures[0].pages, 5);
}

/* --- checking ------------------------------------------------------------------------------ */

static void checks_tell_what_is_wrong(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    import(f, path);
    unsigned found[SHARC_FAULT_COUNT] = {0};
    struct sharc_import_check o = {.archive = f->dir, .finding = count_finding, .arg = found};
    struct sharc_import_checked sum;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_import_check(f->store, &o, &sum, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(sum.findings, 0);
    assert_int_equal(sum.records, 5);
    assert_int_equal(sum.pages, 5);

    /* Another file under the same name. */
    struct maker m;
    assert_int_equal(remove(path), 0);
    maker_start(&m, f->dir, "garden.warc.gz", "");
    PUT(&m, .url = "http://example.org/other", .when = DAY_ONE, .body = "other");
    free(maker_end(&m));
    if (sharc_import_check(f->store, &o, &sum, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(found[SHARC_FAULT_POINTER], 5);
    assert_int_equal(found[SHARC_FAULT_RECORD], 1);

    memset(found, 0, sizeof found);
    assert_int_equal(remove(path), 0);
    if (sharc_import_check(f->store, &o, &sum, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(found[SHARC_FAULT_FILE], 1);
    assert_int_equal(sum.findings, 1);
}

static struct sharc_import_checked checked(struct world *f, bool running, unsigned found[SHARC_FAULT_COUNT])
{
    memset(found, 0, SHARC_FAULT_COUNT * sizeof *found);
    struct sharc_import_check o = {.archive = f->dir, .finding = count_finding, .arg = found, .running = running};
    struct sharc_import_checked sum;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_import_check(f->store, &o, &sum, &err) < 0) fail_msg("%s", err.text);
    return sum;
}

static char *warc_of(const char *dir, const char *name)
{
    struct maker m;
    maker_start(&m, dir, name, "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "one");
    return maker_end(&m);
}

/* A killed crawl leaves "….open", with its row or without. */
static void unfinished_and_unknown_files_are_told(void **state)
{
    struct world *f = world(state);
    unsigned found[SHARC_FAULT_COUNT];
    SHARC_AUTO(sharc_freep) char *warcs = sharc_path_join(f->dir, "warcs");
    assert_int_equal(sharc_dir_make(warcs, NULL), 0);
    SHARC_AUTO(sharc_freep) char *path = warc_of(warcs, "a.warc.gz"), *open = sharc_asprintf("%s.open", path);
    import(f, path);
    assert_int_equal(checked(f, false, found).findings, 0);

    assert_int_equal(rename(path, open), 0);
    assert_int_equal(checked(f, false, found).findings, 1);
    assert_int_equal(found[SHARC_FAULT_OPEN], 1);
    struct sharc_import_checked sum = checked(f, true, found);
    assert_int_equal(sum.findings, 0);
    assert_int_equal(sum.open, 1);
    assert_int_equal(rename(open, path), 0);

    SHARC_AUTO(sharc_freep) char *stray = warc_of(warcs, "b.warc.gz"), *half = sharc_asprintf("%s.open", stray);
    assert_int_equal(checked(f, false, found).findings, 1);
    assert_int_equal(found[SHARC_FAULT_UNKNOWN], 1);
    assert_int_equal(rename(stray, half), 0);
    assert_int_equal(checked(f, false, found).findings, 1);
    assert_int_equal(found[SHARC_FAULT_OPEN], 1);
    assert_int_equal(checked(f, true, found).findings, 0);
}

static void indexes_are_held_against_the_catalogue(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(f->dir, "index");
    SHARC_AUTO(sharc_freep) char *index = sharc_path_join(dir, "all.cdxj");
    const char *in = path;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx_build o = {.threads = 1};
    struct sharc_cdx_built built;
    import(f, path);
    assert_int_equal(sharc_dir_make(dir, &err), 0);
    if (sharc_cdx_build(&in, 1, index, NULL, NULL, &o, &built, &err) < 0) fail_msg("%s", err.text);
    unsigned found[SHARC_FAULT_COUNT] = {0};
    struct sharc_import_check check = {.archive = f->dir, .finding = count_finding, .arg = found};
    struct sharc_import_checked sum;
    assert_int_equal(sharc_import_check(f->store, &check, &sum, &err), 0);
    assert_int_equal(sum.findings, 0);
    assert_int_equal(sum.index_lines, 5);
    /* A line is lost, another points behind the end of the file, two into a file that nobody read. */
    SHARC_AUTO(sharc_buf_done) struct sharc_buf lines = SHARC_BUF_INIT(1 << 16);
    assert_int_equal(sharc_file_read(index, &lines, &err), 0);
    size_t end = sharc_span_find(sharc_buf_span(&lines), '\n', 0);
    sharc_buf_splice(&lines, 0, end + 1, SHARC_SPAN(""));
    sharc_buf_put(&lines, SHARC_SPAN("org,example)/z 20261101100000 {\"url\": \"http://example.org/z\", \"offset\": "
                                     "\"99999\", \"filename\": \"garden.warc.gz\"}\n"
                                     "org,example)/z1 20261101100000 {\"url\": \"http://example.org/z1\", \"offset\": "
                                     "\"0\", \"filename\": \"meadow.warc.gz\"}\n"
                                     "org,example)/z2 20261101100000 {\"url\": \"http://example.org/z2\", \"offset\": "
                                     "\"9\", \"filename\": \"meadow.warc.gz\"}\n"));
    assert_int_equal(sharc_file_replace(index, sharc_buf_span(&lines), &err), 0);
    assert_int_equal(sharc_import_check(f->store, &check, &sum, &err), 0);
    assert_int_equal(found[SHARC_FAULT_INDEX], 2);
    assert_int_equal(found[SHARC_FAULT_UNKNOWN], 1); /* a file is named once */
    assert_int_equal(sum.findings, 3);
}

static void a_rebuilt_catalogue_is_the_same(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    import(f, path);
    struct sharc_store *fresh = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_model model = {.name = SHARC_SPAN("m"),
                                      .kind = SHARC_SPAN("rate"),
                                      .data = SHARC_SPAN("bytes"),
                                      .when = DAY_ONE};
    assert_int_equal(sharc_store_model_put(f->store, &model, &err), 0);
    assert_int_equal(sharc_store_open("memory:", NULL, &fresh, &err), 0);
    struct sharc_import_options o = {.archive = f->dir};
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    if (sharc_import_rebuild(f->store, fresh, &o, &r, &err) < 0) fail_msg("%s", err.text);
    const char *const tables[] = {"page", "capture", "model"};
    for (size_t i = 0; i < SHARC_LENGTH(tables); i++) {
        SHARC_AUTO(sharc_freep) char *a = dump(f->store, tables[i]), *b = dump(fresh, tables[i]);
        assert_string_equal(a, b);
    }
    sharc_store_free(fresh);
}

/* Captures that the user named keep their names. */
static void a_rebuilt_catalogue_keeps_what_was_given(void **state)
{
    struct world *f = world(state);
    struct maker m;
    maker_start(&m, f->dir, "a.warc.gz", "");
    PUT(&m, .url = "http://a.example/", .when = DAY_ONE, .body = "a");
    PUT(&m, .url = "http://b.example/", .when = DAY_ONE + SHARC_DAY, .body = "b");
    SHARC_AUTO(sharc_freep) char *named = maker_end(&m);
    maker_start(&m, f->dir, "b.warc.gz", "");
    PUT(&m, .url = "http://www.c.example/", .when = DAY_ONE, .body = "c");
    PUT(&m, .url = "http://img.c.example/", .when = DAY_ONE, .body = "d");
    SHARC_AUTO(sharc_freep) char *by_host = maker_end(&m);
    struct sharc_import_options o = {.capture = "mine", .site = "my site"}, hosts = {.by = SHARC_IMPORT_BY_HOST};
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result a = {0}, b = {0}, r = {0};
    import_with(f, named, &o, &a);
    import_with(f, by_host, &hosts, &b);
    struct sharc_store *fresh = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_import_options again = {.archive = f->dir};
    assert_int_equal(sharc_store_open("memory:", NULL, &fresh, &err), 0);
    if (sharc_import_rebuild(f->store, fresh, &again, &r, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(r.files, 2);
    assert_int_equal(r.capture_count, 3);
    SHARC_AUTO(sharc_freep) char *x = dump(f->store, "capture"), *y = dump(fresh, "capture");
    assert_string_equal(x, y);
    sharc_store_free(fresh);
}

static const struct CMUnitTest tests[] = {
    IN_MEMORY(unfinished_and_unknown_files_are_told), IN_MEMORY(indexes_are_held_against_the_catalogue),
    IN_MEMORY(threads_do_not_change_the_rows),        IN_MEMORY(every_failing_call_can_be_repeated),
    TEST(damage_is_named_and_what_was_read_is_kept),  TEST(checks_tell_what_is_wrong),
    IN_MEMORY(a_rebuilt_catalogue_is_the_same),       IN_MEMORY(a_rebuilt_catalogue_keeps_what_was_given),
};
TEST_MAIN(tests)
