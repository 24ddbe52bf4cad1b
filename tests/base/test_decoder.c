/* SPDX-License-Identifier: Apache-2.0
 *
 * The streaming decoder: one suite, run on every codec. What is to be decoded
 * is compressed here with the libraries themselves.
 */
#include "test.h"

#include "sharc/base_codec.h"
#include "sharc/base_limits.h"
#include "sharc/base_rng.h"

#include <brotli/encode.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* --- compressing ---------------------------------------------------------- */

enum form { GZIP, ZLIB, RAW, BROTLI, ZSTD, FORMS };
static const enum sharc_codec codec_of_form[FORMS] = {SHARC_GZIP, SHARC_DEFLATE, SHARC_DEFLATE, SHARC_BROTLI,
                                                      SHARC_ZSTD};

static void compress_zlib(struct sharc_span s, int window, struct sharc_buf *out)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, s.n) + 64;
    assert_int_equal(sharc_buf_reserve(out, room), 0);
    z.next_in = (Bytef *)(uintptr_t)s.p;
    z.avail_in = (uInt)s.n;
    z.next_out = (Bytef *)out->p + out->n;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->n += z.total_out;
    deflateEnd(&z);
}

static void compress_form(enum form form, struct sharc_span s, struct sharc_buf *out)
{
    size_t n;
    switch (form) {
    case GZIP: compress_zlib(s, 31, out); break;
    case ZLIB: compress_zlib(s, 15, out); break;
    case RAW: compress_zlib(s, -15, out); break;
    case BROTLI:
        n = BrotliEncoderMaxCompressedSize(s.n) + 64;
        assert_int_equal(sharc_buf_reserve(out, n), 0);
        assert_true(BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, s.n, (const uint8_t *)s.p, &n,
                                          (uint8_t *)out->p + out->n));
        out->n += n;
        break;
    case ZSTD:
        assert_int_equal(sharc_buf_reserve(out, ZSTD_compressBound(s.n)), 0);
        n = ZSTD_compress(out->p + out->n, ZSTD_compressBound(s.n), s.p, s.n, 3);
        assert_false(ZSTD_isError(n));
        out->n += n;
        break;
    case FORMS: fail();
    }
}

/* Text that compresses like a page: words from a small set, in any order. */
static void make_text(struct sharc_buf *b, size_t n, uint64_t seed)
{
    static const char *const words[] = {"<p>",  "capture ", "coherent ", "of ",
                                        "the ", "site ",    "</p>\n",    "2026-11-15 "};
    struct sharc_rng r;
    sharc_rng_init(&r, seed);
    while (b->n < n) {
        sharc_buf_put_str(b, words[sharc_rng_below(&r, SHARC_LENGTH(words))]);
        if (sharc_rng_below(&r, 9) == 0) sharc_buf_put_u64(b, sharc_rng_u64(&r));
    }
    sharc_buf_truncate(b, n);
}

/* --- decoding in pieces --------------------------------------------------- */

struct outcome {
    int r;
    size_t units;
    bool at_end;
};

/* Feed in pieces of at most `in` bytes, take out pieces of at most `room`. */
static struct outcome drip(struct sharc_decoder *d, struct sharc_span s, size_t in, size_t room, struct sharc_buf *out)
{
    struct outcome o = {0};
    char piece[4096];
    assert_true(room <= sizeof piece);
    while (true) {
        struct sharc_decode_step step = {0};
        struct sharc_span part = sharc_span_sub(s, 0, in);
        o.r = sharc_decoder_step(d, part, piece, room, &step, NULL);
        if (o.r < 0) break;
        assert_true(step.used <= part.n && step.made <= room);
        sharc_buf_put(out, sharc_span(piece, step.made));
        s = sharc_span_from(s, step.used);
        o.units += step.unit_end;
        if (step.unit_end) assert_true(sharc_decoder_at_end(d));
        if (s.n == 0 && step.made == 0 && !step.unit_end && step.used == 0) break;
    }
    o.at_end = sharc_decoder_at_end(d);
    return o;
}

static struct sharc_decoder *new_decoder(enum sharc_codec codec, uint64_t max)
{
    struct sharc_decoder *d = NULL;
    assert_int_equal(sharc_decoder_new(codec, max, &d, NULL), 0);
    return d;
}

static void test_round_trips(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 5000, 200000};
    static const size_t pieces[][2] = {{1, 4096}, {4096, 1}, {7, 13}, {SIZE_MAX, 4096}};
    for (int f = 0; f < FORMS; f++) {
        SHARC_AUTO(sharc_decoder_freep) struct sharc_decoder *d = new_decoder(codec_of_form[f], 1u << 20);
        for (size_t i = 0; i < SHARC_LENGTH(sizes); i++) {
            SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
            SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 21);
            make_text(&text, sizes[i], i);
            compress_form((enum form)f, sharc_buf_span(&text), &packed);
            for (size_t k = 0; k < SHARC_LENGTH(pieces); k++) {
                SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1u << 20);
                sharc_decoder_reset(d);
                struct outcome o = drip(d, sharc_buf_span(&packed), pieces[k][0], pieces[k][1], &got);
                assert_int_equal(o.r, 0);
                assert_int_equal(o.units, 1);
                assert_true(o.at_end);
                assert_true(sharc_span_eq(sharc_buf_span(&got), sharc_buf_span(&text)));
            }
            SHARC_AUTO(sharc_buf_done)
            struct sharc_buf whole = SHARC_BUF_INIT(sizes[i]); /* exactly full is not too much */
            assert_int_equal(sharc_decode(codec_of_form[f], sharc_buf_span(&packed), &whole, NULL), 0);
            assert_true(sharc_span_eq(sharc_buf_span(&whole), sharc_buf_span(&text)));
        }
    }
}

/* Cut at every byte: what comes out is a beginning of the text, and the cut is
 * noticed. */
static void test_every_cut(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    make_text(&text, 3000, 5);
    for (int f = 0; f < FORMS; f++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 20);
        compress_form((enum form)f, sharc_buf_span(&text), &packed);
        for (size_t cut = 1; cut < packed.n; cut++) {
            SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1u << 20);
            struct sharc_err err = SHARC_ERR_INIT;
            assert_int_equal(sharc_decode(codec_of_form[f], sharc_span(packed.p, cut), &got, &err), SHARC_ETRUNC);
            assert_int_equal(err.offset, cut);
            assert_true(sharc_span_starts(sharc_buf_span(&text), sharc_buf_span(&got)));
            if (f == GZIP && cut + 8 >= packed.n) assert_int_equal(got.n, text.n); /* only the checksum is cut */
        }
    }
}

/* Flip bits everywhere: no crash, no more than allowed, and formats with a
 * checksum never give a wrong text for a right one. */
static void test_every_damage(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    make_text(&text, 700, 6);
    for (int f = 0; f < FORMS; f++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 20);
        compress_form((enum form)f, sharc_buf_span(&text), &packed);
        for (size_t bit = 0; bit < packed.n * 8; bit++) {
            packed.p[bit / 8] = (char)(packed.p[bit / 8] ^ 1 << bit % 8);
            SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1000);
            int r = sharc_decode(codec_of_form[f], sharc_buf_span(&packed), &got, NULL);
            assert_true(r == 0 || r == SHARC_ECORRUPT || r == SHARC_ETRUNC || r == SHARC_ELIMIT);
            assert_true(got.n <= 1000);
            if (r == 0 && f == GZIP) assert_true(sharc_span_eq(sharc_buf_span(&got), sharc_buf_span(&text)));
            packed.p[bit / 8] = (char)(packed.p[bit / 8] ^ 1 << bit % 8);
        }
    }
}

static void test_member_borders(void **state)
{
    (void)state;
    static const enum form many[] = {GZIP, ZSTD};
    for (size_t i = 0; i < 2; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 20);
        size_t border[4] = {0};
        static const char *const parts[] = {"first ", "", "third"};
        for (int k = 0; k < 3; k++) {
            compress_form(many[i], sharc_span_of(parts[k]), &packed);
            border[k + 1] = packed.n;
        }
        SHARC_AUTO(sharc_decoder_freep) struct sharc_decoder *d = new_decoder(codec_of_form[many[i]], 1000);
        struct sharc_span rest = sharc_buf_span(&packed);
        for (int k = 0; k < 3; k++) {
            char out[100];
            struct sharc_decode_step step;
            assert_int_equal(sharc_decoder_step(d, rest, out, sizeof out, &step, NULL), 0);
            assert_true(step.unit_end);
            assert_int_equal(step.used, border[k + 1] - border[k]);
            assert_span(sharc_span(out, step.made), parts[k]);
            rest = sharc_span_from(rest, step.used);
        }
        SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(100);
        assert_int_equal(sharc_decode(codec_of_form[many[i]], sharc_buf_span(&packed), &got, NULL), 0);
        assert_span(sharc_buf_span(&got), "first third");
    }
}

static void test_behind_the_end(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1000);
        compress_form((enum form)f, SHARC_SPAN("text"), &packed);
        sharc_buf_put(&packed, SHARC_SPAN("rubbish"));
        SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1000);
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_decode(codec_of_form[f], sharc_buf_span(&packed), &got, &err), SHARC_ECORRUPT);
        assert_span(sharc_buf_span(&got), "text");
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1000);
    compress_form(GZIP, SHARC_SPAN("text"), &packed);
    sharc_buf_put(&packed, SHARC_SPAN("\0\0\0\0\0"));
    SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1000);
    assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&packed), &got, NULL), 0);
    assert_span(sharc_buf_span(&got), "text");
}

/* "gzip" that is a zlib stream, "deflate" that is not: both are met. */
static void test_wrong_labels(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1000), got = SHARC_BUF_INIT(1000);
    compress_form(ZLIB, SHARC_SPAN("text"), &packed);
    assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&packed), &got, NULL), 0);
    assert_span(sharc_buf_span(&got), "text");
    sharc_buf_clear(&got);
    assert_int_equal(sharc_decode(SHARC_DEFLATE, SHARC_SPAN("\x03\x00"), &got, NULL), 0); /* smallest bare stream */
    assert_int_equal(got.n, 0);
    assert_int_equal(sharc_decode(SHARC_DEFLATE, SHARC_SPAN("\x4b\x04\x00"), &got, NULL), 0);
    assert_span(sharc_buf_span(&got), "a");
    assert_int_equal(sharc_decode(SHARC_DEFLATE, SHARC_SPAN("\x78"), &got, NULL), SHARC_ETRUNC);
    for (int f = 0; f < FORMS; f++) {
        sharc_buf_clear(&got);
        assert_int_equal(sharc_decode(codec_of_form[f], SHARC_SPAN_NONE, &got, NULL), 0);
        assert_int_equal(got.n, 0);
    }
}

static void bomb(enum form form, struct sharc_buf *out, size_t n)
{
    SHARC_AUTO(sharc_freep) char *zeros = sharc_calloc(n, 1);
    compress_form(form, sharc_span(zeros, n), out);
}

static void test_bounds(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 20);
        bomb((enum form)f, &packed, 900000); /* below the first megabyte only the bound counts */
        SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(899999);
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_decode(codec_of_form[f], sharc_buf_span(&packed), &got, &err), SHARC_ELIMIT);
        assert_non_null(strstr(err.text, "larger than allowed"));
        assert_int_equal(got.n, 899999);
    }
    static const enum form steep[] = {GZIP, BROTLI, ZSTD};
    for (size_t i = 0; i < 3; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(64u << 20);
        bomb(steep[i], &packed, 20u << 20);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(64u << 20);
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_decode(codec_of_form[steep[i]], sharc_buf_span(&packed), &got, &err), SHARC_ELIMIT);
        assert_non_null(strstr(err.text, "thousandfold"));
    }
}

/* A gzip file inside a gzip file is only two steps; the bound covers each. */
static void test_many_members_stay_bounded(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 20);
    for (int i = 0; i < 100; i++) compress_form(GZIP, SHARC_SPAN("0123456789"), &packed);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(999);
    assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&packed), &got, NULL), SHARC_ELIMIT);
    assert_int_equal(got.n, 999);
}

static void test_zstd_dictionary(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf dictionary = SHARC_BUF_INIT(1u << 20), text = SHARC_BUF_INIT(1u << 20);
    make_text(&dictionary, 20000, 7);
    sharc_buf_put(&text, sharc_span(dictionary.p + 3000, 5000));
    char packed[20000];
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t n = ZSTD_compress_usingDict(c, packed, sizeof packed, text.p, text.n, dictionary.p, dictionary.n, 3);
    ZSTD_freeCCtx(c);
    assert_false(ZSTD_isError(n));
    assert_true(n < 100); /* so the dictionary was used */
    SHARC_AUTO(sharc_decoder_freep) struct sharc_decoder *d = new_decoder(SHARC_ZSTD, 1u << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1u << 20);
    struct outcome o = drip(d, sharc_span(packed, n), SIZE_MAX, 4096, &got);
    assert_true(o.r == SHARC_ECORRUPT || !sharc_span_eq(sharc_buf_span(&got), sharc_buf_span(&text)));
    sharc_decoder_reset(d);
    assert_int_equal(sharc_decoder_dictionary(d, sharc_buf_span(&dictionary), NULL), 0);
    for (int round = 0; round < 3; round++) { /* serves every frame, and survives a reset */
        sharc_buf_clear(&got);
        o = drip(d, sharc_span(packed, n), 11, 4096, &got);
        assert_int_equal(o.r, 0);
        assert_true(sharc_span_eq(sharc_buf_span(&got), sharc_buf_span(&text)));
        if (round == 1) sharc_decoder_reset(d);
    }
    struct sharc_decode_step step;
    char out[10];
    assert_int_equal(sharc_decoder_step(d, sharc_span(packed, 8), out, sizeof out, &step, NULL), 0);
    assert_int_equal(sharc_decoder_dictionary(d, sharc_buf_span(&dictionary), NULL), SHARC_EINVAL);
    SHARC_AUTO(sharc_decoder_freep) struct sharc_decoder *g = new_decoder(SHARC_GZIP, 10);
    assert_int_equal(sharc_decoder_dictionary(g, SHARC_SPAN("x"), NULL), SHARC_EUNSUPPORTED);
}

static void test_zstd_skippable_and_huge_window(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1000), got = SHARC_BUF_INIT(1000);
    sharc_buf_put(&packed, SHARC_SPAN("\x5d\x2a\x4d\x18\x03\0\0\0abc"));
    compress_form(ZSTD, SHARC_SPAN("text"), &packed);
    assert_int_equal(sharc_decode(SHARC_ZSTD, sharc_buf_span(&packed), &got, NULL), 0);
    assert_span(sharc_buf_span(&got), "text");
    struct sharc_err err = SHARC_ERR_INIT; /* a frame that asks for a window of 3.75 TB */
    assert_int_equal(sharc_decode(SHARC_ZSTD, SHARC_SPAN("\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00"), &got, &err),
                     SHARC_ELIMIT);
}

static void test_identity_and_names(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(4);
    assert_int_equal(sharc_decode(SHARC_IDENTITY, SHARC_SPAN("text"), &got, NULL), 0);
    assert_span(sharc_buf_span(&got), "text");
    sharc_buf_clear(&got);
    assert_int_equal(sharc_decode(SHARC_IDENTITY, SHARC_SPAN("texts"), &got, NULL), SHARC_ELIMIT);
    static const struct {
        const char *name;
        enum sharc_codec codec;
    } names[] = {{"gzip", SHARC_GZIP}, {"X-GZIP", SHARC_GZIP}, {"Deflate", SHARC_DEFLATE},
                 {"br", SHARC_BROTLI}, {"zstd", SHARC_ZSTD},   {"identity", SHARC_IDENTITY}};
    enum sharc_codec codec;
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        assert_int_equal(sharc_codec_of(sharc_span_of(names[i].name), &codec), 0);
        assert_int_equal(codec, names[i].codec);
    }
    assert_int_equal(sharc_codec_of(SHARC_SPAN("compress"), &codec), SHARC_EUNSUPPORTED);
    assert_int_equal(sharc_codec_of(SHARC_SPAN(""), &codec), SHARC_EUNSUPPORTED);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_trips),
    cmocka_unit_test(test_every_cut),
    cmocka_unit_test(test_every_damage),
    cmocka_unit_test(test_member_borders),
    cmocka_unit_test(test_behind_the_end),
    cmocka_unit_test(test_wrong_labels),
    cmocka_unit_test(test_bounds),
    cmocka_unit_test(test_many_members_stay_bounded),
    cmocka_unit_test(test_zstd_dictionary),
    cmocka_unit_test(test_zstd_skippable_and_huge_window),
    cmocka_unit_test(test_identity_and_names),
};
TEST_MAIN(tests)
