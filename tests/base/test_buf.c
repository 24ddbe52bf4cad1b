/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_rng.h"

#include <stdlib.h>

static void test_appending(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100);
    assert_string_equal(sharc_buf_str(&b), "");
    assert_int_equal(sharc_buf_put(&b, SHARC_SPAN("http://")), 0);
    assert_int_equal(sharc_buf_put_str(&b, "host"), 0);
    assert_int_equal(sharc_buf_put_char(&b, ':'), 0);
    assert_int_equal(sharc_buf_put_u64(&b, 8080), 0);
    assert_int_equal(sharc_buf_printf(&b, "/%s?%d", "path", -5), 0);
    assert_string_equal(sharc_buf_str(&b), "http://host:8080/path?-5");
    assert_int_equal(sharc_buf_put(&b, SHARC_SPAN_NONE), 0);
    assert_int_equal(sharc_buf_result(&b, NULL), 0);
    sharc_buf_truncate(&b, 4);
    assert_string_equal(sharc_buf_str(&b), "http");
    sharc_buf_put_u64(&b, 0);
    sharc_buf_put_u64(&b, UINT64_MAX);
    assert_string_equal(sharc_buf_str(&b), "http018446744073709551615");
    char *taken = sharc_buf_take(&b);
    assert_string_equal(taken, "http018446744073709551615");
    assert_int_equal(b.n, 0);
    assert_int_equal(b.max, 100);
    free(taken);
    taken = sharc_buf_take(&b);
    assert_string_equal(taken, "");
    free(taken);
}

static void test_maximum(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(10);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_buf_put(&b, SHARC_SPAN("0123456789")), 0);
    assert_int_equal(sharc_buf_result(&b, &err), 0);
    assert_int_equal(sharc_buf_put_char(&b, 'x'), SHARC_ELIMIT);
    assert_span(sharc_buf_span(&b), "0123456789");
    assert_int_equal(sharc_buf_put(&b, SHARC_SPAN_NONE), SHARC_ELIMIT); /* stays failed */
    assert_int_equal(sharc_buf_result(&b, &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "10 bytes"));
    sharc_buf_clear(&b);
    assert_int_equal(sharc_buf_result(&b, NULL), 0);
    assert_int_equal(sharc_buf_printf(&b, "%s", "01234567890"), SHARC_ELIMIT);
    assert_int_equal(b.n, 0);
    sharc_buf_clear(&b);
    assert_int_equal(sharc_buf_reserve(&b, SIZE_MAX), SHARC_ELIMIT);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf none = SHARC_BUF_INIT(0);
    assert_int_equal(sharc_buf_put(&none, SHARC_SPAN_NONE), 0);
    assert_int_equal(sharc_buf_put_char(&none, 'x'), SHARC_ELIMIT);
}

static void test_splice(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(12);
    assert_int_equal(sharc_buf_splice(&b, 0, 0, SHARC_SPAN_NONE), 0);
    assert_int_equal(sharc_buf_splice(&b, 0, 0, SHARC_SPAN("world")), 0);
    assert_int_equal(sharc_buf_splice(&b, 0, 0, SHARC_SPAN("hello ")), 0);
    assert_string_equal(sharc_buf_str(&b), "hello world");
    assert_int_equal(sharc_buf_splice(&b, 5, 1, SHARC_SPAN("--")), 0);
    assert_string_equal(sharc_buf_str(&b), "hello--world");
    assert_int_equal(sharc_buf_splice(&b, 0, 1, SHARC_SPAN("12")), SHARC_ELIMIT);
    assert_string_equal(sharc_buf_str(&b), "hello--world");
    sharc_buf_clear(&b);
    sharc_buf_put_str(&b, "abcdef");
    assert_int_equal(sharc_buf_splice(&b, 1, 4, SHARC_SPAN("X")), 0);
    assert_string_equal(sharc_buf_str(&b), "aXf");
    assert_int_equal(sharc_buf_splice(&b, 0, 3, SHARC_SPAN_NONE), 0);
    assert_string_equal(sharc_buf_str(&b), "");
}

/* Any order of appends and cuts keeps the 0 behind and the maximum. */
static void test_invariant(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 3);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(5000);
    char model[5001];
    size_t n = 0;
    for (int i = 0; i < 20000; i++) {
        size_t more = (size_t)sharc_rng_below(&r, 40), cut = (size_t)sharc_rng_below(&r, n + 1);
        char piece[40];
        memset(piece, 'a' + i % 26, sizeof piece);
        if (sharc_rng_below(&r, 50) == 0) {
            sharc_buf_truncate(&b, cut);
            n = cut;
        } else if (sharc_rng_below(&r, 2)) {
            int e = sharc_buf_put(&b, sharc_span(piece, more));
            assert_int_equal(e, n + more > 5000 ? SHARC_ELIMIT : 0);
            if (e == 0) {
                memcpy(model + n, piece, more);
                n += more;
            }
        } else {
            size_t len = (size_t)sharc_rng_below(&r, n - cut + 1);
            int e = sharc_buf_splice(&b, cut, len, sharc_span(piece, more));
            assert_int_equal(e, n - len + more > 5000 ? SHARC_ELIMIT : 0);
            if (e == 0) {
                memmove(model + cut + more, model + cut + len, n - cut - len);
                memcpy(model + cut, piece, more);
                n = n - len + more;
            }
        }
        if (b.failed) b.failed = false;
        assert_int_equal(b.n, n);
        assert_true(b.room <= 5001);
        if (b.p) assert_int_equal(b.p[b.n], 0);
        if (i % 64 == 0) assert_int_equal(memcmp(sharc_buf_str(&b), model, n), 0);
    }
}

static void test_markup(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100);
    assert_int_equal(sharc_buf_put_markup(&b, SHARC_SPAN("<a b='c\"'>\r\n&amp; \xc3\xa4")), 0);
    assert_span(sharc_buf_span(&b), "&lt;a b=&#39;c&quot;&#39;&gt;&#13;\n&amp;amp; \xc3\xa4");
    sharc_buf_clear(&b);
    for (int i = 0; i < 20; i++) sharc_buf_put_markup(&b, SHARC_SPAN("plain&"));
    assert_int_equal(sharc_buf_result(&b, NULL), SHARC_ELIMIT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_appending), cmocka_unit_test(test_maximum), cmocka_unit_test(test_splice),
    cmocka_unit_test(test_invariant), cmocka_unit_test(test_markup),
};
TEST_MAIN(tests)
