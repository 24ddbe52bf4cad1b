/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_rng.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void test_comparing(void **state)
{
    (void)state;
    assert_true(sharc_span_eq(SHARC_SPAN_NONE, SHARC_SPAN("")));
    assert_true(sharc_span_is(SHARC_SPAN("abc"), "abc"));
    assert_false(sharc_span_is(SHARC_SPAN("abc"), "abd"));
    assert_true(sharc_span_is(SHARC_SPAN_NONE, ""));
    assert_true(sharc_span_cmp(SHARC_SPAN("a"), SHARC_SPAN("b")) < 0);
    assert_true(sharc_span_cmp(SHARC_SPAN("ab"), SHARC_SPAN("a")) > 0);
    assert_true(sharc_span_cmp(SHARC_SPAN("\xff"), SHARC_SPAN("a")) > 0); /* bytes, not chars */
    assert_int_equal(sharc_span_cmp(SHARC_SPAN("a\0b"), SHARC_SPAN("a\0b")), 0);
    assert_true(sharc_span_cmp(SHARC_SPAN_NONE, SHARC_SPAN("")) == 0);
    assert_true(sharc_span_ieq(SHARC_SPAN("WARC-Type"), SHARC_SPAN("warc-tYPE")));
    assert_false(sharc_span_ieq(SHARC_SPAN("[@"), SHARC_SPAN("{`"))); /* letters only */
    assert_false(sharc_span_ieq(SHARC_SPAN("\xc3\x84"), SHARC_SPAN("\xc3\xa4")));
    assert_true(sharc_span_istarts(SHARC_SPAN("Text/HTML"), SHARC_SPAN("text/")));
    assert_false(sharc_span_istarts(SHARC_SPAN("Te"), SHARC_SPAN("text/")));
    assert_true(sharc_span_starts(SHARC_SPAN("abc"), SHARC_SPAN("")));
    assert_true(sharc_span_starts(SHARC_SPAN("abc"), SHARC_SPAN("ab")));
    assert_false(sharc_span_starts(SHARC_SPAN("a"), SHARC_SPAN("ab")));
    assert_true(sharc_span_ends(SHARC_SPAN("abc"), SHARC_SPAN("bc")));
    assert_false(sharc_span_ends(SHARC_SPAN("bc"), SHARC_SPAN("abc")));
}

static void test_parts(void **state)
{
    (void)state;
    assert_span(sharc_span_sub(SHARC_SPAN("abcdef"), 1, 3), "bc");
    assert_span(sharc_span_sub(SHARC_SPAN("abcdef"), 4, 99), "ef");
    assert_span(sharc_span_sub(SHARC_SPAN("abcdef"), 99, 1), "");
    assert_span(sharc_span_from(SHARC_SPAN("abc"), 3), "");
    assert_int_equal(sharc_span_from(SHARC_SPAN_NONE, 1).n, 0);
    assert_int_equal(sharc_span_find(SHARC_SPAN("a:b:c"), ':', 2), 3);
    assert_true(sharc_span_find(SHARC_SPAN("abc"), ':', 0) == SHARC_NPOS);
    assert_true(sharc_span_find(SHARC_SPAN("abc"), 'c', 3) == SHARC_NPOS);
    assert_true(sharc_span_find(SHARC_SPAN_NONE, 'c', 0) == SHARC_NPOS);
    assert_int_equal(sharc_span_search(SHARC_SPAN("hello"), SHARC_SPAN("lo")), 3);
    assert_int_equal(sharc_span_search(SHARC_SPAN("hello"), SHARC_SPAN("")), 0);
    assert_true(sharc_span_search(SHARC_SPAN("he"), SHARC_SPAN("hello")) == SHARC_NPOS);
    assert_true(sharc_span_search(SHARC_SPAN("hello"), SHARC_SPAN("x")) == SHARC_NPOS);
    assert_span(sharc_span_trim(SHARC_SPAN(" \t\r\n\f\v a b \n")), "a b");
    assert_span(sharc_span_trim(SHARC_SPAN("   ")), "");
    assert_span(sharc_span_trim(SHARC_SPAN("\xc2\xa0x")), "\xc2\xa0x"); /* only ASCII space */
    SHARC_AUTO(sharc_freep) char *copy = sharc_span_dup(SHARC_SPAN("a b"));
    assert_string_equal(copy, "a b");
}

static void expect_parts(const char *text, const char *const *want, size_t n)
{
    struct sharc_span rest = sharc_span_of(text), part;
    for (size_t i = 0; i < n; i++) {
        assert_true(sharc_span_next(&rest, ',', &part));
        assert_span(part, want[i]);
    }
    assert_false(sharc_span_next(&rest, ',', &part));
    assert_false(sharc_span_next(&rest, ',', &part));
}

static void test_next(void **state)
{
    (void)state;
    expect_parts("", (const char *const[]){""}, 1);
    expect_parts("a", (const char *const[]){"a"}, 1);
    expect_parts("a,b", (const char *const[]){"a", "b"}, 2);
    expect_parts(",", (const char *const[]){"", ""}, 2);
    expect_parts("a,,b,", (const char *const[]){"a", "", "b", ""}, 4);
}

static void test_integers(void **state)
{
    (void)state;
    uint64_t u;
    int64_t i;
    assert_int_equal(sharc_span_to_u64(SHARC_SPAN("18446744073709551615"), &u), 0);
    assert_true(u == UINT64_MAX);
    assert_int_equal(sharc_span_to_u64(SHARC_SPAN("000007"), &u), 0);
    assert_int_equal(u, 7);
    assert_int_equal(sharc_span_to_u64(SHARC_SPAN("18446744073709551616"), &u), SHARC_ELIMIT);
    assert_int_equal(sharc_span_to_u64(SHARC_SPAN("99999999999999999999999"), &u), SHARC_ELIMIT);
    static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "1e3", "a", "1\xc2\xa0"};
    for (size_t k = 0; k < SHARC_LENGTH(bad); k++)
        assert_int_equal(sharc_span_to_u64(sharc_span_of(bad[k]), &u), SHARC_ESYNTAX);
    assert_int_equal(u, 7); /* untouched on failure */
    assert_int_equal(sharc_span_to_i64(SHARC_SPAN("-9223372036854775808"), &i), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(sharc_span_to_i64(SHARC_SPAN("9223372036854775807"), &i), 0);
    assert_true(i == INT64_MAX);
    assert_int_equal(sharc_span_to_i64(SHARC_SPAN("9223372036854775808"), &i), SHARC_ELIMIT);
    assert_int_equal(sharc_span_to_i64(SHARC_SPAN("-9223372036854775809"), &i), SHARC_ELIMIT);
    assert_int_equal(sharc_span_to_i64(SHARC_SPAN("--1"), &i), SHARC_ESYNTAX);
    assert_int_equal(sharc_span_to_i64(SHARC_SPAN("-"), &i), SHARC_ESYNTAX);
    assert_int_equal(sharc_span_to_i64(SHARC_SPAN("-0"), &i), 0);
    assert_int_equal(i, 0);
}

static void check_doubles(void)
{
    static const struct {
        const char *text;
        double v;
    } good[] = {{"0", 0},
                {"-0", -0.0},
                {"1", 1},
                {"+1.5", 1.5},
                {".5", .5},
                {"5.", 5},
                {"1e22", 1e22},
                {"1e23", 1e23},
                {"9007199254740993", 9007199254740993.0},
                {"0.1", 0.1},
                {"123456789012345678", 123456789012345678.0},
                {"1e-400", 0},
                {"4.9e-324", 4.9e-324},
                {"2.2250738585072011e-308", 2.2250738585072011e-308},
                {"1.7976931348623157e308", 1.7976931348623157e308},
                {"0.000000000000000000000000000001e30", 1},
                {"3.141592653589793238462643383279502884197", 3.141592653589793238462643383279502884197}};
    double v;
    for (size_t i = 0; i < SHARC_LENGTH(good); i++) {
        if (sharc_span_to_double(sharc_span_of(good[i].text), &v) != 0) fail_msg("refused: %s", good[i].text);
        if (v != good[i].v || signbit(v) != signbit(good[i].v)) fail_msg("%s read as %.17g", good[i].text, v);
    }
}

static void test_doubles(void **state)
{
    (void)state;
    check_doubles();
    static const char *const bad[] = {"",    ".",   "-",    "+-1", "e1", "1e",  "1e+",      "1e1.5", " 1",  "1 ",
                                      "nan", "inf", "-inf", "0x1", "1f", "1,5", "infinity", "1..2",  "--1", "1e++1"};
    double v = 42;
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        if (sharc_span_to_double(sharc_span_of(bad[i]), &v) != SHARC_ESYNTAX) fail_msg("accepted: %s", bad[i]);
    }
    assert_true(v == 42);
    assert_int_equal(sharc_span_to_double(SHARC_SPAN("1e309"), &v), SHARC_ELIMIT);
    assert_int_equal(sharc_span_to_double(SHARC_SPAN("-1e999999999999"), &v), SHARC_ELIMIT);
    char longer[500];
    memset(longer, '1', sizeof longer);
    assert_int_equal(sharc_span_to_double(sharc_span(longer, sizeof longer), &v), SHARC_ELIMIT);
    /* The locale's decimal comma changes nothing, if the machine has one. */
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8")) check_doubles();
    setlocale(LC_NUMERIC, "C");
}

/* The short way and the C library's must agree to the last bit. */
static void test_doubles_like_the_library(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 53);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        int exponent = (int)sharc_rng_below(&r, 60) - 30;
        uint64_t mantissa = sharc_rng_u64(&r) >> sharc_rng_below(&r, 64);
        if (i % 3 == 0)
            snprintf(text, sizeof text, "%llu.%llu", (unsigned long long)(mantissa % 1000000),
                     (unsigned long long)sharc_rng_below(&r, 100000000));
        else
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)mantissa, exponent);
        double v;
        assert_int_equal(sharc_span_to_double(sharc_span_of(text), &v), 0);
        if (v != strtod(text, NULL)) fail_msg("%s read as %.17g", text, v);
    }
}

static void test_utf8(void **state)
{
    (void)state;
    uint32_t edges[] = {0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    for (size_t i = 0; i < SHARC_LENGTH(edges); i++) {
        char out[4];
        uint32_t back;
        size_t n = sharc_utf8_encode(edges[i], out);
        assert_int_equal(sharc_utf8_decode(sharc_span(out, n), &back), n);
        assert_int_equal(back, edges[i]);
        for (size_t cut = 1; cut < n; cut++) assert_int_equal(sharc_utf8_decode(sharc_span(out, cut), &back), 0);
    }
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xfe",
                                      "\xff",
                                      "\303A"};
    uint32_t c;
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        assert_int_equal(sharc_utf8_decode(sharc_span_of(bad[i]), &c), 0);
        char text[64];
        int n = snprintf(text, sizeof text, "12345678901234567\xc3\xa9%s tail", bad[i]);
        assert_int_equal(sharc_utf8_check(sharc_span(text, (size_t)n)), 19);
    }
    assert_true(sharc_utf8_check(SHARC_SPAN("plain text \xc3\xa9 and \xf0\x9d\x84\x9e")) == SHARC_NPOS);
    assert_true(sharc_utf8_check(SHARC_SPAN_NONE) == SHARC_NPOS);
}

static void test_letters(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        bool upper = i >= 'A' && i <= 'Z', lower = i >= 'a' && i <= 'z', digit = i >= '0' && i <= '9';
        assert_int_equal(sharc_is_upper(c), upper);
        assert_int_equal(sharc_is_lower(c), lower);
        assert_int_equal(sharc_is_alnum(c), upper || lower || digit);
        assert_int_equal((unsigned char)sharc_to_lower(c), upper ? i + 32 : i);
        assert_int_equal((unsigned char)sharc_to_upper(c), lower ? i - 32 : i);
        int hex = digit ? i - '0' : (i >= 'a' && i <= 'f') ? i - 87 : (i >= 'A' && i <= 'F') ? i - 55 : -1;
        assert_int_equal(sharc_hex_value(c), hex);
    }
}

static void test_characters(void **state)
{
    (void)state;
    assert_int_equal(sharc_utf8_count(""), 0);
    assert_int_equal(sharc_utf8_count("page"), 4);
    assert_int_equal(sharc_utf8_count("± 3 Ä€"), 6);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_comparing), cmocka_unit_test(test_parts),   cmocka_unit_test(test_next),
    cmocka_unit_test(test_integers),  cmocka_unit_test(test_doubles), cmocka_unit_test(test_doubles_like_the_library),
    cmocka_unit_test(test_utf8),      cmocka_unit_test(test_letters), cmocka_unit_test(test_characters),
};
TEST_MAIN(tests)
