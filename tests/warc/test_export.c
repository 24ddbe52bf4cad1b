/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/warc_export.h"
#include "sharc/warc_verify.h"

#include <stdio.h>
#include <stdlib.h>

static const char garden[] = SHARC_SOURCE_DIR "/tests/data/garden.warc.gz";
#define ALL .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE

static int note(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    struct sharc_buf *b = arg;
    struct sharc_warc_row row;
    int r = sharc_warc_row(rec, file, &row, reterr);
    if (r < 0) return r;
    sharc_buf_printf(b, "%s %s %.*s %d;", row.file, row.type, SHARC_SPAN_ARG(row.url), row.status);
    return 0;
}

static char *chosen(const struct sharc_warc_selection *s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    struct sharc_warc_selected done;
    struct sharc_err err = SHARC_ERR_INIT;
    const char *in[] = {garden};
    if (sharc_warc_select(in, 1, s, note, &b, &done, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(done.records, 23);
    return sharc_strdup(sharc_buf_str(&b));
}

#define assert_chosen(want, ...)                                                                       \
    do {                                                                                               \
        SHARC_AUTO(sharc_freep) char *got_ = chosen(&(struct sharc_warc_selection){ALL, __VA_ARGS__}); \
        assert_string_equal(got_, want);                                                               \
    } while (0)

static void chooses_by_type_status_and_mime(void **state)
{
    (void)state;
    assert_chosen("garden.warc.gz warcinfo  0;", .types = SHARC_WARC_BIT(SHARC_WARC_INFO));
    assert_chosen("garden.warc.gz revisit http://garden.example/ 200;", .types = SHARC_WARC_BIT(SHARC_WARC_REVISIT));
    /* The request goes with its response. */
    const char *moved[] = {"3xx"};
    assert_chosen("garden.warc.gz response http://garden.example/old 301;garden.warc.gz request "
                  "http://garden.example/old 0;",
                  .statuses = moved, .status_count = 1, .no_info = true);
    const char *ok[] = {"404", "200"}, *css[] = {"text/css"};
    assert_chosen("garden.warc.gz response http://garden.example/style.css 200;garden.warc.gz request "
                  "http://garden.example/style.css 0;",
                  .statuses = ok, .status_count = 2, .mimes = css, .mime_count = 1, .no_info = true);
    const char *images[] = {"image/"};
    assert_chosen("garden.warc.gz response http://garden.example/img/rose.png 200;garden.warc.gz response "
                  "http://garden.example/img/leaf.png 200;",
                  .mimes = images, .mime_count = 1, .types = SHARC_WARC_BIT(SHARC_WARC_RESPONSE));
}

static void chooses_by_time_and_url(void **state)
{
    (void)state;
    sharc_time from;
    assert_int_equal(sharc_time_parse(SHARC_SPAN("2026-11-02"), &from, NULL), 0);
    SHARC_AUTO(sharc_freep)
    char *late = chosen(&(struct sharc_warc_selection){.from = from, .to = SHARC_TIME_NONE, .no_info = true});
    assert_string_equal(late, "garden.warc.gz revisit http://garden.example/ 200;garden.warc.gz request "
                              "http://garden.example/ 0;");
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = sharc_scope_new();
    assert_int_equal(sharc_scope_add(scope, SHARC_INCLUDE, SHARC_SPAN("prefix:http://garden.example/img/"), "test",
                                     NULL),
                     0);
    sharc_scope_seal(scope);
    assert_chosen("garden.warc.gz response http://garden.example/img/rose.png 200;garden.warc.gz response "
                  "http://garden.example/img/leaf.png 200;",
                  .scope = scope, .types = SHARC_WARC_BIT(SHARC_WARC_RESPONSE));
}

static void merged_files_verify(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_freep) char *arc = sharc_strdup(test_shared_or_skip("suites/warcio/data/example.arc.gz"));
    char *dir = test_mkdir();
    const char *in[] = {garden, arc};
    static const char *const names[] = {"m.warc.gz", "m.warc"};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        struct sharc_warc_selected done;
        struct sharc_err err = SHARC_ERR_INIT;
        struct sharc_warc_merge o = {.now = 1800000000 * SHARC_SEC};
        if (sharc_warc_merge(path, in, 2, &(struct sharc_warc_selection){ALL}, &o, &done, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(done.chosen, 25);
        SHARC_AUTO(sharc_warc_verified_done) struct sharc_warc_verified v;
        assert_int_equal(sharc_warc_verify(path, &(struct sharc_warc_verify_options){.name = "m"}, &v, &err), 0);
        if (v.found.count) fail_msg("%s", v.found.first->text);
        assert_int_equal(v.counts.records, 26);
        assert_int_equal(v.counts.blocks_wrong + v.counts.payloads_wrong, 0);
        /* What is there is not overwritten. */
        assert_int_equal(sharc_warc_merge(path, in, 2, &(struct sharc_warc_selection){ALL}, &o, &done, &err),
                         SHARC_EEXIST);
    }
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(chooses_by_type_status_and_mime),
    cmocka_unit_test(chooses_by_time_and_url),
    cmocka_unit_test(merged_files_verify),
};
TEST_MAIN(tests)
