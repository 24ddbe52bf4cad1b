/* SPDX-License-Identifier: Apache-2.0
 *
 * gzip members made piece by piece, and the CRC-32 beside them.
 */
#include "test.h"

#include "sharc/base_codec.h"
#include "sharc/base_rng.h"

static void test_pieces(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(4u << 20);
    struct sharc_rng r;
    sharc_rng_init(&r, 1952);
    while (text.n < 2500000) sharc_buf_printf(&text, "line %u\n", (unsigned)sharc_rng_below(&r, 5000));
    struct sharc_gzip *g = sharc_gzip_new(6);
    static const size_t steps[] = {1000, 65536, 3000000};
    for (size_t s = 0; s < SHARC_LENGTH(steps); s++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(4u << 20), back = SHARC_BUF_INIT(8u << 20);
        for (int member = 0; member < 2; member++) {
            for (size_t at = 0; at < text.n; at += steps[s])
                assert_int_equal(sharc_gzip_add(g, sharc_span_sub(sharc_buf_span(&text), at, at + steps[s]), false,
                                                &packed),
                                 0);
            assert_int_equal(sharc_gzip_add(g, SHARC_SPAN_NONE, true, &packed), 0);
        }
        assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&packed), &back, NULL), 0);
        assert_int_equal(back.n, 2 * text.n);
        assert_true(sharc_span_ends(sharc_buf_span(&back), sharc_buf_span(&text)));
        assert_true(sharc_span_starts(sharc_buf_span(&back), sharc_buf_span(&text)));
    }
    sharc_gzip_free(g);
    sharc_gzip_free(NULL);
}

static void test_empty_and_full(void **state)
{
    (void)state;
    struct sharc_gzip *g = sharc_gzip_new(12);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 20), back = SHARC_BUF_INIT(100);
    assert_int_equal(sharc_gzip_add(g, SHARC_SPAN_NONE, true, &packed), 0);
    assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&packed), &back, NULL), 0);
    assert_int_equal(back.n, 0);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf small = SHARC_BUF_INIT(5);
    assert_int_equal(sharc_gzip_add(g, SHARC_SPAN("text"), true, &small), SHARC_ELIMIT);
    sharc_gzip_reset(g);
    sharc_buf_clear(&packed);
    assert_int_equal(sharc_gzip_add(g, SHARC_SPAN("text"), true, &packed), 0);
    assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&packed), &back, NULL), 0);
    assert_span(sharc_buf_span(&back), "text");
    sharc_gzip_free(g);
}

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(sharc_crc32(0, SHARC_SPAN_NONE), 0);
    assert_int_equal(sharc_crc32(0, SHARC_SPAN("123456789")), 0xcbf43926u); /* the usual check value */
    assert_int_equal(sharc_crc32(sharc_crc32(0, SHARC_SPAN("1234")), SHARC_SPAN("56789")), 0xcbf43926u);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pieces),
    cmocka_unit_test(test_empty_and_full),
    cmocka_unit_test(test_crc),
};
TEST_MAIN(tests)
