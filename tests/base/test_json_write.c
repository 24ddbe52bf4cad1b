/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_json.h"

#include <float.h>
#include <locale.h>
#include <math.h>

static void write_example(struct sharc_buf *b, bool pretty)
{
    struct sharc_json j;
    sharc_json_init(&j, b, pretty);
    sharc_json_object(&j, NULL);
    sharc_json_int(&j, "pages", -10);
    sharc_json_uint(&j, "bytes", UINT64_MAX);
    sharc_json_array(&j, "results");
    sharc_json_real(&j, NULL, 0.1);
    sharc_json_str(&j, NULL, NULL);
    sharc_json_object(&j, NULL);
    sharc_json_end(&j);
    sharc_json_array(&j, NULL);
    sharc_json_bool(&j, NULL, true);
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_json_str(&j, "a \"name\"", "text");
    sharc_json_span(&j, "span", SHARC_SPAN("a\0b"));
    sharc_json_bool(&j, "no", false);
    sharc_json_null(&j, "none");
    sharc_json_int(&j, "least", INT64_MIN);
    sharc_json_end(&j);
}

static void test_structure(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1000), p = SHARC_BUF_INIT(1000);
    write_example(&b, false);
    assert_span(sharc_buf_span(&b), "{\"pages\":-10,\"bytes\":18446744073709551615,\"results\":[0.1,null,{},[true]],"
                                    "\"a \\\"name\\\"\":\"text\",\"span\":\"a\\u0000b\",\"no\":false,\"none\":null,"
                                    "\"least\":-9223372036854775808}");
    write_example(&p, true);
    assert_span(sharc_buf_span(&p),
                "{\n  \"pages\": -10,\n  \"bytes\": 18446744073709551615,\n  \"results\": [\n    0.1,\n    null,\n"
                "    {},\n    [\n      true\n    ]\n  ],\n  \"a \\\"name\\\"\": \"text\",\n  \"span\": \"a\\u0000b\",\n"
                "  \"no\": false,\n  \"none\": null,\n  \"least\": -9223372036854775808\n}");
}

static void test_full_buffer(void **state)
{
    (void)state;
    for (size_t max = 0; max < 150; max++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(max);
        write_example(&b, true);
        assert_int_equal(sharc_buf_result(&b, NULL), SHARC_ELIMIT);
        assert_true(b.n <= max);
    }
}

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"\"\\/", "\"\\\"\\\\/\""},
        {"\b\f\n\r\t\v\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u000b\\u001f\x7f\""},
        {"\xc3\xa9\xf0\x9d\x84\x9e", "\"\xc3\xa9\xf0\x9d\x84\x9e\""},
        {"a\xff\xc3", "\"a\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100);
        assert_int_equal(sharc_json_quote(&b, sharc_span_of(cases[i].in)), 0);
        assert_span(sharc_buf_span(&b), cases[i].out);
    }
}

static const struct {
    double v;
    const char *text;
} numbers[] = {
    {0, "0"},
    {-0.0, "-0.0"},
    {1, "1"},
    {-1.5, "-1.5"},
    {0.1, "0.1"},
    {1.0 / 3, "0.3333333333333333"},
    {2.0 / 3, "0.6666666666666666"},
    {0.1 + 0.2, "0.30000000000000004"},
    {123456789.125, "123456789.125"},
    {1e15, "1000000000000000"},
    {0x1p53, "9007199254740992"},
    {1e20, "100000000000000000000"},
    {1e21, "1e21"},
    {1.5e300, "1.5e300"},
    {0.001, "0.001"},
    {0.0001, "0.0001"},
    {0.00001, "1e-5"},
    {1.25e-7, "1.25e-7"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {DBL_MAX, "1.7976931348623157e308"},
    {DBL_TRUE_MIN, "5e-324"},
    {(double)NAN, "null"},
    {HUGE_VAL, "null"},
    {-HUGE_VAL, "null"},
};

static void check_numbers(void)
{
    for (size_t i = 0; i < SHARC_LENGTH(numbers); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100);
        assert_int_equal(sharc_json_number(&b, numbers[i].v), 0);
        assert_span(sharc_buf_span(&b), numbers[i].text);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    check_numbers();
    /* A locale with a decimal comma, if the machine has one, changes nothing. */
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8")) check_numbers();
    setlocale(LC_NUMERIC, "C");
}

static void test_times(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1000);
    struct sharc_json j;
    sharc_json_init(&j, &b, false);
    sharc_json_object(&j, NULL);
    sharc_json_time(&j, "none", SHARC_TIME_NONE);
    sharc_json_time(&j, "begin", 0);
    sharc_json_time(&j, "later", 1500 * SHARC_MSEC + 7);
    sharc_json_end(&j);
    assert_string_equal(sharc_buf_str(&b),
                        "{\"begin\":\"1970-01-01T00:00:00.000000Z\",\"later\":\"1970-01-01T00:00:01.500007Z\"}");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_structure), cmocka_unit_test(test_times),   cmocka_unit_test(test_full_buffer),
    cmocka_unit_test(test_strings),   cmocka_unit_test(test_numbers),
};
TEST_MAIN(tests)
