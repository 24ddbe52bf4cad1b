/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_json.h"
#include "sharc/seal.h"

#include <stdlib.h>

static char *canonical(const char *json)
{
    struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_jcs_put_text(&out, sharc_span_of(json), &err) < 0) fail_msg("%s: %s", json, err.text);
    if (sharc_jcs_check(sharc_buf_span(&out), &err) < 0) fail_msg("%s: %s", out.p, err.text);
    return sharc_buf_take(&out);
}

static void becomes(const char *json, const char *want)
{
    char *got = canonical(json);
    assert_string_equal(got, want);
    free(got);
}

/* RFC 8785, 3.2.2 (its numbers are not integers, and refused) and 3.2.3. */
static void test_vectors_of_the_rfc(void **state)
{
    (void)state;
    becomes("{\n  \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n"
            "  \"literals\": [null, true, false]\n}",
            "{\"literals\":[null,true,false],\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    becomes("{\"\\u20ac\": \"Euro Sign\", \"\\r\": \"Carriage Return\",\n"
            " \"\\ufb33\": \"Hebrew Letter Dalet With Dagesh\", \"1\": \"One\",\n"
            " \"\\ud83d\\ude00\": \"Emoji: Grinning Face\", \"\\u0080\": \"Control\",\n"
            " \"\\u00f6\": \"Latin Small Letter O With Diaeresis\"}",
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\","
            "\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\","
            "\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\",\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

static void test_strings(void **state)
{
    (void)state;
    becomes("\"\\b\\t\\n\\u000b\\f\\r\\u0000\\u001f\\u007f\"", "\"\\b\\t\\n\\u000b\\f\\r\\u0000\\u001f\x7f\"");
    becomes("{\"b\":{\"z\":1,\"a\":[]},\"a\":{},\"\":0}", "{\"\":0,\"a\":{},\"b\":{\"a\":[],\"z\":1}}");
    becomes("{\"aa\":1,\"a\":2,\"\\\"\":3,\"\\n\":4,\" \":5}", "{\"\\n\":4,\" \":5,\"\\\"\":3,\"a\":2,\"aa\":1}");
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const refused[] = {"1.5",
                                          "1e3",
                                          "4.0",
                                          "9007199254740992",
                                          "-9007199254740992",
                                          "333333333.33333329",
                                          "1E30",
                                          "123456789012345678901"};
    becomes("[0,-0,1,-1,9007199254740991,-9007199254740991]", "[0,0,1,-1,9007199254740991,-9007199254740991]");
    for (size_t i = 0; i < SHARC_LENGTH(refused); i++) {
        struct sharc_buf out = SHARC_BUF_INIT(100);
        struct sharc_err err = SHARC_ERR_INIT;
        sharc_buf_put_str(&out, "before");
        assert_int_equal(sharc_jcs_put_text(&out, sharc_span_of(refused[i]), &err), SHARC_EUNSUPPORTED);
        assert_non_null(strstr(err.text, "integer"));
        assert_span(sharc_buf_span(&out), "before");
        sharc_buf_done(&out);
    }
}

/* One document, spelt wrong in every way, and where. */
static void test_what_is_not_canonical(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n, at;
        const char *says;
    } bad[] = {
#define BAD(text, at, says) {text, sizeof(text) - 1, at, says}
        BAD("", 0, "the text ends where a value"),
        BAD(" 1", 0, "white space"),
        BAD("1 ", 1, "white space"),
        BAD("{}\n", 2, "white space"),
        BAD("\xef\xbb\xbf{}", 0, "a value"),
        BAD("[1, 2]", 3, "white space"),
        BAD("[1,2 ]", 4, "white space"),
        BAD("[1,]", 3, "a value"),
        BAD("[1", 2, "the text ends"),
        BAD("{\"a\": 1}", 5, "white space"),
        BAD("{\"a\" :1}", 4, "':'"),
        BAD("{\"a\":1,}", 7, "a name"),
        BAD("{a:1}", 1, "a name"),
        BAD("{\"b\":1,\"a\":2}", 7, "belongs before"),
        BAD("{\"a\":1,\"a\":2}", 7, "twice"),
        BAD("{\"\xef\xac\xb3\":1,\"\xf0\x9f\x98\x80\":2}", 9, "belongs before"),
        BAD("{\"\\\"\":1,\"\\n\":2}", 8, "belongs before"),
        BAD("{\"x\":[{\"b\":1,\"a\":2}]}", 13, "belongs before"),
        BAD("\"\\/\"", 1, "escape"),
        BAD("\"\\u0041\"", 1, "escape"),
        BAD("\"\\u001F\"", 1, "escape"),
        BAD("\"\\u000a\"", 1, "short escape"),
        BAD("\"\\u00", 1, "escape"),
        BAD("\"\\", 1, "escape"),
        BAD("\"a\nb\"", 2, "control"),
        BAD("\"a\0b\"", 2, "control"),
        BAD("\"\\\0\"", 1, "escape"),
        BAD("\"a\xff\"", 2, "UTF-8"),
        BAD("\"\xed\xa0\x80\"", 1, "UTF-8"),
        BAD("\"a", 2, "inside a string"),
        BAD("01", 0, "zero in front"),
        BAD("-0", 0, "minus zero"),
        BAD("-", 1, "a digit"),
        BAD("+1", 0, "a value"),
        BAD("1.0", 1, "plain integer"),
        BAD("1e2", 1, "plain integer"),
        BAD("9007199254740992", 0, "2^53"),
        BAD("[99999999999999999999999]", 1, "2^53"),
        BAD("tru", 0, "a value"),
        BAD("nulll", 4, "the end"),
        BAD("[][]", 2, "the end"),
        BAD("[}", 1, "a value"),
        BAD("NaN", 0, "a value"),
#undef BAD
    };
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_jcs_check(sharc_span(bad[i].text, bad[i].n), &err) != SHARC_ESYNTAX)
            fail_msg("accepted: %s", bad[i].text);
        if (err.offset != bad[i].at || !strstr(err.text, bad[i].says))
            fail_msg("%s: offset %llu: %s", bad[i].text, (unsigned long long)err.offset, err.text);
    }
}

static void test_depth(void **state)
{
    (void)state;
    char text[200];
    struct sharc_err err = SHARC_ERR_INIT;
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    assert_int_equal(sharc_jcs_check(sharc_span(text, 128), &err), 0);
    memset(text, '[', 65);
    assert_int_equal(sharc_jcs_check(sharc_span(text, 65), &err), SHARC_ESYNTAX);
    assert_int_equal(err.offset, 64);
}

/* What sharc_json writes with its names in order needs no second pass. */
static void test_plain_writer_is_canonical(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1 << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    sharc_json_int(&j, "at", 1763300000123456);
    sharc_json_array(&j, "rows");
    sharc_json_str(&j, NULL, "https://example.org/\"quote\"\x1f");
    sharc_json_null(&j, NULL);
    sharc_json_end(&j);
    sharc_json_bool(&j, "whole", true);
    sharc_json_end(&j);
    const struct sharc_node *n;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_jcs_check(sharc_buf_span(&out), &err), 0);
    assert_int_equal(sharc_json_read(sharc_buf_span(&out), &arena, &n, &err), 0);
    assert_int_equal(sharc_node_int(sharc_node_get(n, "at"), 0), 1763300000123456);
    char *again = canonical(sharc_buf_str(&out));
    assert_string_equal(again, sharc_buf_str(&out));
    free(again);
    sharc_buf_put_char(&out, '\n');
    assert_int_equal(sharc_jcs_check(sharc_buf_span(&out), &err), SHARC_ESYNTAX);
}

static void test_not_utf8_is_refused(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_node n = {.kind = SHARC_STRING, .text = SHARC_SPAN("a\xff")};
    assert_int_equal(sharc_jcs_put(&out, &n, &err), SHARC_ESYNTAX);
    assert_int_equal(out.n, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_vectors_of_the_rfc),
    cmocka_unit_test(test_strings),
    cmocka_unit_test(test_numbers),
    cmocka_unit_test(test_what_is_not_canonical),
    cmocka_unit_test(test_depth),
    cmocka_unit_test(test_plain_writer_is_canonical),
    cmocka_unit_test(test_not_utf8_is_refused),
};
TEST_MAIN(tests)
