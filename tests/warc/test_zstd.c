/* SPDX-License-Identifier: Apache-2.0
 *
 * .warc.zst: one frame per record, with and without a dictionary at the start.
 */
#include "warc_test.h"

#include <zstd.h>

static void put_frame(struct sharc_buf *b, struct sharc_span plain, struct sharc_span dictionary)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(plain.n);
    assert_int_equal(sharc_buf_reserve(b, bound), 0);
    size_t n = ZSTD_compress_usingDict(c, b->p + b->n, bound, plain.p, plain.n, dictionary.p, dictionary.n, 3);
    assert_false(ZSTD_isError(n));
    b->n += n;
    ZSTD_freeCCtx(c);
}

static void put_dictionary(struct sharc_buf *b, struct sharc_span bytes)
{
    sharc_buf_put(b, SHARC_SPAN("\x5d\x2a\x4d\x18"));
    for (int i = 0; i < 4; i++) sharc_buf_put_char(b, (char)(bytes.n >> 8 * i & 0xff));
    sharc_buf_put(b, bytes);
}

/* Three records; how: 0 no dictionary, 1 a plain one, 2 a compressed one. */
static void put_file(struct sharc_buf *b, int how, size_t at[4])
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(1 << 20);
    size_t in[4] = {0};
    static const char *const types[] = {"response", "metadata", "response"};
    for (int i = 0; i < 3; i++) {
        put_record(&plain, types[i], i == 1 ? "" : AS_RESPONSE, SHARC_SPAN(HTTP_OK "text of a page, again and again"));
        in[i + 1] = plain.n;
    }
    struct sharc_span dictionary = how ? sharc_span(plain.p, in[1]) : SHARC_SPAN_NONE;
    if (how == 1) put_dictionary(b, dictionary);
    if (how == 2) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1 << 20);
        put_frame(&packed, dictionary, SHARC_SPAN_NONE);
        put_dictionary(b, sharc_buf_span(&packed));
    }
    for (int i = 0; i < 3; i++) {
        at[i] = b->n;
        put_frame(b, sharc_span_sub(sharc_buf_span(&plain), in[i], in[i + 1]), dictionary);
    }
    at[3] = b->n;
}

static void frames_are_read_with_their_dictionary(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
        size_t at[4];
        struct walk k;
        put_file(&b, how, at);
        walk_bytes(sharc_buf_span(&b), NULL, &k);
        if (k.result != 0) fail_msg("%d: %s", how, k.err.text);
        assert_string_equal(k.types, "rmr");
        for (int i = 0; i < 3; i++) {
            assert_int_equal(k.offsets[i], at[i]);
            assert_int_equal(k.lengths[i], at[i + 1] - at[i]);
        }
        /* from the middle: the dictionary is still found */
        walk_bytes(sharc_buf_span(&b), &(struct sharc_warc_options){.offset = at[2]}, &k);
        if (k.result != 0) fail_msg("%d, from the middle: %s", how, k.err.text);
        assert_string_equal(k.types, "r");
        assert_int_equal(k.statuses[0], 200);
    }
}

static void damaged_frames_are_passed(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    size_t at[4];
    struct walk k;
    put_file(&b, 1, at);
    for (size_t i = at[1] + 1; i < at[2]; i++) {
        b.p[i] ^= 0x15;
        walk_bytes(sharc_buf_span(&b), &(struct sharc_warc_options){.lenient = true}, &k);
        b.p[i] ^= 0x15;
        assert_int_equal(k.result, 0);
        assert_int_equal(k.offsets[0], at[0]);
        assert_int_equal(k.offsets[k.n - 1], at[2]);
    }
    for (size_t cut = at[0]; cut < b.n; cut++) {
        walk_bytes(sharc_span(b.p, cut), NULL, &k);
        assert_true(k.result < 0 || cut == at[0] || cut == at[1] || cut == at[2]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(frames_are_read_with_their_dictionary),
    cmocka_unit_test(damaged_frames_are_passed),
};
TEST_MAIN(tests)
