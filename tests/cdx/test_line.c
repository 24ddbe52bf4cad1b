/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_limits.h"
#include "sharc/cdx.h"

#include <stdlib.h>

struct read {
    struct sharc_cdx_parser parser;
    struct sharc_cdx c;
    struct sharc_err err;
};

static int setup(void **state)
{
    struct read *t = SHARC_NEW(struct read);
    sharc_cdx_parser_init(&t->parser);
    *state = t;
    return 0;
}

static int teardown(void **state)
{
    struct read *t = *state;
    sharc_cdx_parser_done(&t->parser);
    free(t);
    return 0;
}

static int parse(struct read *t, const char *line)
{
    return sharc_cdx_parse(&t->parser, sharc_span_of(line), &t->c, &t->err);
}

static const char example[] =
    "com,example)/ 20170306040206 {\"url\": \"http://example.com/\", \"mime\": \"text/html\", \"status\": \"200\", "
    "\"digest\": \"sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK\", \"length\": \"1228\", \"offset\": \"784\", "
    "\"filename\": \"example.warc.gz\"}\n";

static void reads_a_line(void **state)
{
    struct read *t = *state;
    assert_int_equal(parse(t, example), 1);
    assert_span(t->c.field[SHARC_CDX_KEY], "com,example)/");
    assert_span(t->c.field[SHARC_CDX_TIMESTAMP], "20170306040206");
    assert_span(t->c.field[SHARC_CDX_URL], "http://example.com/");
    assert_span(t->c.field[SHARC_CDX_MIME], "text/html");
    assert_span(t->c.field[SHARC_CDX_STATUS], "200");
    assert_span(t->c.field[SHARC_CDX_FILENAME], "example.warc.gz");
    uint64_t n = 0;
    assert_true(sharc_cdx_number(&t->c, SHARC_CDX_OFFSET, &n));
    assert_int_equal(n, 784);
    assert_null(t->c.field[SHARC_CDX_METHOD].p);
}

static void writes_what_it_read(void **state)
{
    struct read *t = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4096);
    assert_int_equal(parse(t, example), 1);
    assert_int_equal(sharc_cdx_write(&t->c, SHARC_CDXJ, &out), 0);
    assert_string_equal(sharc_buf_str(&out), example);
    sharc_buf_clear(&out);
    assert_int_equal(sharc_cdx_write(&t->c, SHARC_CDX11, &out), 0);
    assert_string_equal(sharc_buf_str(&out), "com,example)/ 20170306040206 http://example.com/ text/html 200 "
                                             "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK - - 1228 784 example.warc.gz\n");
    sharc_buf_clear(&out);
    assert_int_equal(sharc_cdx_write(&t->c, SHARC_CDX9, &out), 0);
    assert_string_equal(sharc_buf_str(&out), "com,example)/ 20170306040206 http://example.com/ text/html 200 "
                                             "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK - 784 example.warc.gz\n");
}

static void takes_numbers_escapes_and_unknown_members(void **state)
{
    struct read *t = *state;
    assert_int_equal(
        parse(t, "org,a)/ 20200101000000123 {\"url\":\"http:\\/\\/a.org\\/\\u00fc\\ud83d\\ude00\\\"\","
                 "\"status\":200,\"offset\":12,\"x\":{\"a\":[1,\"}\"]},\"mime\":null,\"note\":\"a\\nb\"} \r\n"),
        1);
    assert_span(t->c.field[SHARC_CDX_URL], "http://a.org/\xc3\xbc\xf0\x9f\x98\x80\"");
    assert_span(t->c.field[SHARC_CDX_STATUS], "200");
    assert_null(t->c.field[SHARC_CDX_MIME].p);
    struct sharc_span v;
    assert_true(sharc_cdx_get(&t->parser, &t->c, SHARC_SPAN("note"), &v));
    assert_span(v, "a\nb");
    assert_true(sharc_cdx_get(&t->parser, &t->c, SHARC_SPAN("x"), &v));
    assert_span(v, "{\"a\":[1,\"}\"]}");
    assert_true(sharc_cdx_get(&t->parser, &t->c, SHARC_SPAN("statuscode"), &v));
    assert_span(v, "200");
    assert_false(sharc_cdx_get(&t->parser, &t->c, SHARC_SPAN("nothing"), &v));
    assert_int_equal(parse(t, "org,a)/ 20200101000000 {}"), 1);
    assert_int_equal(parse(t, "org,a)/ 20200101000000 {\"url\":\"\\ud800x\"}"), 1);
    assert_span(t->c.field[SHARC_CDX_URL], "\xef\xbf\xbdx");
}

static void skips_headers(void **state)
{
    struct read *t = *state;
    assert_int_equal(parse(t, "!meta 0 {\"format\": \"cdxj-gzip-1.0\"}"), 0);
    assert_int_equal(parse(t, "\n"), 0);
    assert_int_equal(parse(t, " CDX N b a m s k r M S V g\n"), 0);
}

static void reads_the_old_format(void **state)
{
    struct read *t = *state;
    assert_int_equal(parse(t,
                           "com,example)/ 20140103030321 http://example.com/ text/html 200 B2LTWWPU - 784 a.warc.gz"),
                     1);
    assert_span(t->c.field[SHARC_CDX_OFFSET], "784");
    assert_null(t->c.field[SHARC_CDX_REDIRECT].p);
    assert_int_equal(
        parse(t, "com,example)/ 20140103030321 http://example.com/ text/html 200 B2LTWWPU - - 1043 333 a.warc.gz"), 1);
    assert_span(t->c.field[SHARC_CDX_LENGTH], "1043");
    assert_span(t->c.field[SHARC_CDX_OFFSET], "333");
    assert_int_equal(parse(t, "com,example)/ 20140103030321 http://example.com/ x y"), SHARC_ESYNTAX);
}

static void a_header_names_the_columns(void **state)
{
    struct read *t = *state;
    assert_int_equal(parse(t, " CDX a b a m s k r M V g u"), 0);
    assert_int_equal(parse(t,
                           "http://e.org/ 20140103030321 http://e.org/ text/html 200 AAAA - - 784 a.warc.gz <urn:x>"),
                     1);
    assert_null(t->c.field[SHARC_CDX_KEY].p);
    assert_span(t->c.field[SHARC_CDX_URL], "http://e.org/");
    assert_span(t->c.field[SHARC_CDX_OFFSET], "784");
    assert_int_equal(parse(t, "http://e.org/ 20140103030321 http://e.org/"), SHARC_ESYNTAX);
    assert_non_null(strstr(t->err.text, "3 columns"));
}

static void refuses_what_is_no_line(void **state)
{
    struct read *t = *state;
    static const char *const bad[] = {
        "com,example)/ 2017 {\"url\": \"x\"}",
        " 20170306040206 {\"url\": \"x\"}",
        "k 20170306040206 {\"url\": \"x\"",
        "k 20170306040206 {\"url\": \"x\"} y",
        "k 20170306040206 {\"url\" \"x\"}",
        "k 20170306040206 {\"url\":}",
        "k 20170306040206 {\"url\": \"x\\",
        "k 20170306040206 {url: 1}",
        "k 20170306040206 {\"a\": [1, 2}",
        "k 20170306040206 {\"a\": \"\\\"}",
        "k 20170306040206 {",
        "k",
        "k 20170306040206",
    };
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++)
        if (parse(t, bad[i]) != SHARC_ESYNTAX) fail_msg("accepted: %s", bad[i]);
    SHARC_AUTO(sharc_freep) char *longer = sharc_malloc(SHARC_LIMIT_CDX_LINE + 2);
    memset(longer, 'a', SHARC_LIMIT_CDX_LINE + 1);
    longer[SHARC_LIMIT_CDX_LINE + 1] = 0;
    assert_int_equal(parse(t, longer), SHARC_ELIMIT);
}

static void a_cut_line_never_reads_beyond(void **state)
{
    struct read *t = *state;
    static const char line[] =
        "org,a)/ 20200101000000 {\"url\":\"h\\u00fcx\",\"a\":[{\"b\":\"\\\\\"}],\"status\":\"200\"}";
    for (size_t n = 0; n < sizeof line - 1; n++) {
        SHARC_AUTO(sharc_freep) char *copy = sharc_malloc(n ? n : 1);
        memcpy(copy, line, n);
        int r = sharc_cdx_parse(&t->parser, sharc_span(copy, n), &t->c, NULL);
        assert_true(n == 0 ? r == 0 : r == SHARC_ESYNTAX);
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
static const struct CMUnitTest tests[] = {
    CASE(reads_a_line),
    CASE(writes_what_it_read),
    CASE(takes_numbers_escapes_and_unknown_members),
    CASE(skips_headers),
    CASE(reads_the_old_format),
    CASE(a_header_names_the_columns),
    CASE(refuses_what_is_no_line),
    CASE(a_cut_line_never_reads_beyond),
};
TEST_MAIN(tests)
