/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/wacz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char garden[] = SHARC_SOURCE_DIR "/tests/data/garden.warc.gz";

static int put(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    (void)reterr;
    return sharc_buf_put(arg, line);
}

/* The lines of one file, as text. */
static char *lines_of(const char *path, const struct sharc_cdx_build *o)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 24);
    struct sharc_cdx_built built;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_cdx_build(&path, 1, "-", put, &out, o, &built, &err) < 0) fail_msg("%s", err.text);
    return sharc_strdup(sharc_buf_str(&out));
}

static char *build_file(const char *const *inputs, size_t n, const char *output, const struct sharc_cdx_build *o,
                        struct sharc_cdx_built *built)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 24);
    if (sharc_cdx_build(inputs, n, output, NULL, NULL, o, built, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(sharc_file_read(output, &out, NULL), 0);
    return sharc_strdup(sharc_buf_str(&out));
}

static void copy(const char *from, const char *to)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(from, &b, NULL), 0);
    assert_int_equal(sharc_file_replace(to, sharc_buf_span(&b), NULL), 0);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

static void indexes_a_capture(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_freep) char *all = lines_of(garden, &(struct sharc_cdx_build){.threads = 1});
    assert_int_equal(count_lines(all), 11);
    assert_non_null(strstr(all, "example,garden)/ 20261101100001 {\"url\": \"http://garden.example/\", \"mime\": "
                                "\"text/html\", \"status\": \"200\", \"digest\": "
                                "\"sha256:29925ffbe6efe56c219fda82a999f2c6046ceeaf7a8c12e3c67b06c558d54043\", "
                                "\"length\": \"582\", \"offset\": \"273\", \"filename\": \"garden.warc.gz\"}\n"));
    assert_non_null(strstr(all, "example,garden)/ 20261102100001 {\"url\": \"http://garden.example/\", \"mime\": "
                                "\"warc/revisit\", \"status\": \"200\""));
}

static void note_warning(void *arg, const struct sharc_err *what)
{
    struct sharc_buf *b = arg;
    const char *at = strstr(what->text, ": offset ");
    sharc_buf_printf(b, "%s\n", at ? at + 2 : what->text);
}

/* A capture that cannot stand in an index is named: a line fewer must not go unnoticed. */
static void captures_without_a_place_are_named(void **state)
{
    (void)state;
    static const char file[] =
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: last week\r\n"
        "WARC-Record-ID: <urn:x:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n"
        "WARC-Record-ID: <urn:x:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        "WARC-Record-ID: <urn:x:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        "WARC-Record-ID: <urn:x:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "a.warc");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20), said = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_replace(path, sharc_span_of(file), NULL), 0);
    struct sharc_cdx_build o = {.threads = 1, .lenient = true, .warn = note_warning, .arg = &said};
    struct sharc_cdx_built built;
    const char *in = path;
    assert_int_equal(sharc_cdx_build(&in, 1, "-", put, &out, &o, &built, NULL), 0);
    assert_int_equal(count_lines(sharc_buf_str(&out)), 1);
    assert_int_equal(built.left_out, 3);
    assert_string_equal(sharc_buf_str(&said), "offset 0: its date \"last week\" cannot be read\n"
                                              "offset 141: the record has no WARC-Date\n"
                                              "offset 260: the record has no WARC-Target-URI\n");
    o.lenient = false;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_cdx_build(&in, 1, "-", put, &out, &o, &built, &err), SHARC_ESYNTAX);
    assert_non_null(
        strstr(err.text, "offset 0: its date \"last week\" cannot be read; setting \"lenient\" leaves it out"));
    test_rmdir(dir);
}

static void requests_with_a_body_have_their_own_keys(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_freep) char *all = lines_of(garden, &(struct sharc_cdx_build){.threads = 1});
    assert_non_null(strstr(all, "example,garden)/search?__wb_method=post&max=2&q=rose%20red 20261101100009 "));
    assert_non_null(strstr(all, "\"method\": \"POST\", \"requestBody\": \"q=rose red&max=2\"}"));
    assert_non_null(
        strstr(all, "example,garden)/search?__wb_method=post&q=leaf&tags=a+b&tags.2_=true 20261101100010 "));
    SHARC_AUTO(sharc_freep) char *plain = lines_of(garden, &(struct sharc_cdx_build){.threads = 1, .plain_keys = true});
    assert_null(strstr(plain, "__wb_method"));
    assert_non_null(strstr(plain, "example,garden)/search 20261101100009 "));
}

static void writes_the_old_formats(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_freep)
    char *nine = lines_of(garden, &(struct sharc_cdx_build){.threads = 1, .format = SHARC_CDX9});
    assert_int_equal(strncmp(nine, " CDX N b a m s k r V g\n", 23), 0);
    assert_non_null(strstr(nine, "example,garden)/gone 20261101100008 http://garden.example/gone text/html 404 "
                                 "166d37899b42a4a60e1cced1988553fefe8fa32e8a7dd50081054e81392dcb01 - 5672 "
                                 "garden.warc.gz\n"));
    SHARC_AUTO(sharc_freep)
    char *eleven = lines_of(garden, &(struct sharc_cdx_build){.threads = 1, .format = SHARC_CDX11});
    assert_int_equal(strncmp(eleven, " CDX N b a m s k r M S V g\n", 27), 0);
}

/* Two files with the same records under two names, then one more, then one changed. */
static void adds_to_what_is_there(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *a = sharc_path_join(dir, "a.warc.gz"), *b = sharc_path_join(dir, "b.warc.gz");
    SHARC_AUTO(sharc_freep) char *out = sharc_path_join(dir, "i.cdxj");
    const char *both[] = {a, b};
    struct sharc_cdx_built built;
    struct sharc_cdx_build o = {.threads = 2};
    copy(garden, a);
    copy(garden, b);
    SHARC_AUTO(sharc_freep) char *one = build_file(both, 1, out, &o, &built);
    assert_int_equal(built.files, 1);
    assert_int_equal(built.lines, 11);
    assert_int_equal(count_lines(one), 11);
    SHARC_AUTO(sharc_freep) char *two = build_file(both, 2, out, &o, &built);
    assert_int_equal(built.files, 1);
    assert_int_equal(built.unchanged, 1);
    assert_int_equal(count_lines(two), 22);
    SHARC_AUTO(sharc_freep) char *same = build_file(both, 2, out, &o, &built);
    assert_int_equal(built.unchanged, 2);
    assert_int_equal(built.lines, 22);
    assert_string_equal(same, two);

    /* All at once gives the same bytes, whatever the number of threads. */
    SHARC_AUTO(sharc_freep) char *fresh_path = sharc_path_join(dir, "fresh.cdxj");
    SHARC_AUTO(sharc_freep) char *fresh = build_file(both, 2, fresh_path, &o, &built);
    assert_string_equal(fresh, two);

    /* A changed file: its old lines go. */
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(garden, &bytes, NULL), 0);
    assert_int_equal(sharc_file_replace(b, sharc_span(bytes.p, 273 + 582), NULL), 0); /* warcinfo and one response */
    SHARC_AUTO(sharc_freep) char *less = build_file(both, 2, out, &o, &built);
    assert_int_equal(built.unchanged, 1);
    assert_int_equal(count_lines(less), 12);

    /* Without the list nothing is doubled. */
    SHARC_AUTO(sharc_freep) char *list = sharc_asprintf("%s.files", out);
    assert_int_equal(unlink(list), 0);
    SHARC_AUTO(sharc_freep) char *again = build_file(both, 2, out, &o, &built);
    assert_string_equal(again, less);
    test_rmdir(dir);
}

static void names_that_collide_are_refused(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *x = sharc_path_join(dir, "x"), *y = sharc_path_join(dir, "y");
    assert_int_equal(mkdir(x, 0777) | mkdir(y, 0777), 0);
    SHARC_AUTO(sharc_freep) char *a = sharc_path_join(x, "a.warc.gz"), *b = sharc_path_join(y, "a.warc.gz");
    copy(garden, a);
    copy(garden, b);
    const char *in[] = {dir};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    struct sharc_cdx_built built;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx_build o = {.threads = 1};
    assert_int_equal(sharc_cdx_build(in, 1, "-", put, &out, &o, &built, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "setting \"root\""));
    o.root = dir;
    assert_int_equal(sharc_cdx_build(in, 1, "-", put, &out, &o, &built, &err), 0);
    assert_int_equal(built.files, 2);
    assert_non_null(strstr(sharc_buf_str(&out), "\"filename\": \"x/a.warc.gz\""));
    assert_non_null(strstr(sharc_buf_str(&out), "\"filename\": \"y/a.warc.gz\""));
    test_rmdir(dir);
}

static void takes_other_indexes(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *wget = sharc_path_join(dir, "wget.cdx");
    assert_int_equal(
        sharc_file_replace(
            wget,
            SHARC_SPAN(" CDX a b a m s k r M V g u\n"
                       "http://b.org/X 20140103030321 http://b.org/X text/html 200 AAAA - - 784 a.warc.gz <urn:x>\n"
                       "http://a.org/ 20140103030321 http://a.org/ text/html 200 AAAA - - 12 a.warc.gz <urn:y>\n"),
            NULL),
        0);
    SHARC_AUTO(sharc_freep) char *all = lines_of(wget, &(struct sharc_cdx_build){.threads = 1});
    assert_string_equal(all,
                        "org,a)/ 20140103030321 {\"url\": \"http://a.org/\", \"mime\": \"text/html\", \"status\": "
                        "\"200\", \"digest\": \"AAAA\", \"offset\": \"12\", \"filename\": \"a.warc.gz\"}\n"
                        "org,b)/x 20140103030321 {\"url\": \"http://b.org/X\", \"mime\": \"text/html\", \"status\": "
                        "\"200\", \"digest\": \"AAAA\", \"offset\": \"784\", \"filename\": \"a.warc.gz\"}\n");
    assert_int_equal(sharc_file_replace(wget, SHARC_SPAN("org,a)/ 20140103030321 {\"url\": 1}\nnonsense\n"), NULL), 0);
    const char *in[] = {wget};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    struct sharc_cdx_built built;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_cdx_build(in, 1, "-", put, &out, &(struct sharc_cdx_build){.threads = 1}, &built, &err),
                     SHARC_ESYNTAX);
    assert_non_null(strstr(err.text, "wget.cdx: offset 34"));
    test_rmdir(dir);
}

static void makes_zipnum(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *idx = sharc_path_join(dir, "g.idx");
    const char *in[] = {garden};
    struct sharc_cdx_built built;
    SHARC_AUTO(sharc_freep)
    char *small = build_file(in, 1, idx, &(struct sharc_cdx_build){.threads = 1, .block_lines = 3}, &built);
    assert_ptr_equal(strstr(small, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"g.cdx.gz\"}\n"), small);
    assert_int_equal(count_lines(small), 5);
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx e;
    if (sharc_cdx_index_add(x, idx, SHARC_CDX_CHECK_ALL, &err) < 0) fail_msg("%s", err.text);
    struct sharc_cdx_query q = {.url = SHARC_SPAN("http://garden.example/old")};
    assert_int_equal(sharc_cdx_ask(x, &q, &c, NULL), 0);
    assert_int_equal(sharc_cdx_next(c, &e, NULL), 1);
    assert_span(e.field[SHARC_CDX_OFFSET], "4994");
    assert_int_equal(sharc_cdx_next(c, &e, NULL), 0);
    test_rmdir(dir);
}

static void damage_ends_or_is_counted(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *a = sharc_path_join(dir, "a.warc.gz");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20), out = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(garden, &bytes, NULL), 0);
    memset(bytes.p + 1160 + 40, 'x', 100); /* inside the record of the style sheet */
    assert_int_equal(sharc_file_replace(a, sharc_buf_span(&bytes), NULL), 0);
    const char *in[] = {a};
    struct sharc_cdx_built built;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx_build o = {.threads = 1};
    assert_true(sharc_cdx_build(in, 1, "-", put, &out, &o, &built, &err) < 0);
    assert_non_null(strstr(err.text, "a.warc.gz"));
    o.lenient = true;
    sharc_buf_clear(&out);
    assert_int_equal(sharc_cdx_build(in, 1, "-", put, &out, &o, &built, &err), 0);
    assert_true(built.damaged > 0);
    assert_int_equal(count_lines(sharc_buf_str(&out)), 10);
    test_rmdir(dir);
}

/* What other indexers say of the public suite. */
static void agrees_with_others(void **state)
{
    (void)state;
    static const struct {
        const char *file, *line;
    } want[] = {
        {"example.warc.gz", "com,example)/ 20170306040206 {\"url\": \"http://example.com/\", \"mime\": \"text/html\", "
                            "\"status\": \"200\", \"digest\": \"sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK\", \"length\": "
                            "\"1228\", \"offset\": \"784\", \"filename\": \"example.warc.gz\"}\n"},
        {"example.arc", "com,example)/ 20140216050221 {\"url\": \"http://example.com/\", \"mime\": \"text/html\", "
                        "\"status\": \"200\", \"digest\": \"sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A\", \"length\": "
                        "\"1656\", \"offset\": \"151\", \"filename\": \"example.arc\"}\n"},
        {"post-test.warc.gz", "org,httpbin)/post?__wb_method=post&foo=bar&test=abc 20140610000859 {\"url\": "
                              "\"http://httpbin.org/post\", \"mime\": \"application/json\", \"status\": \"200\", "
                              "\"digest\": \"sha1:M532K5WS4GY2H4OVZO6HRPOP47A7KDWU\", \"length\": \"720\", \"offset\": "
                              "\"0\", \"filename\": \"post-test.warc.gz\", \"method\": \"POST\", \"requestBody\": "
                              "\"foo=bar&test=abc\"}\n"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(want); i++) {
        char below[64]; /* not from the heap: skip() does not come back */
        snprintf(below, sizeof below, "suites/warcio/data/%s", want[i].file);
        SHARC_AUTO(sharc_freep) char *path = sharc_strdup(test_shared_or_skip(below));
        SHARC_AUTO(sharc_freep) char *got = lines_of(path, &(struct sharc_cdx_build){.threads = 1});
        if (!strstr(got, want[i].line)) fail_msg("wanted\n%s\nin\n%s", want[i].line, got);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(indexes_a_capture),
    cmocka_unit_test(captures_without_a_place_are_named),
    cmocka_unit_test(requests_with_a_body_have_their_own_keys),
    cmocka_unit_test(writes_the_old_formats),
    cmocka_unit_test(adds_to_what_is_there),
    cmocka_unit_test(names_that_collide_are_refused),
    cmocka_unit_test(takes_other_indexes),
    cmocka_unit_test(makes_zipnum),
    cmocka_unit_test(damage_ends_or_is_counted),
    cmocka_unit_test(agrees_with_others),
};
TEST_MAIN(tests)
