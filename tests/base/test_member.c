/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_codec.h"
#include "sharc/base_rng.h"

struct fixture {
    struct sharc_inflate *inflate;
    struct sharc_deflate *deflate;
    struct sharc_buf packed, out;
};

static void start_level(struct fixture *f, size_t max_out, int level)
{
    f->inflate = sharc_inflate_new();
    f->deflate = sharc_deflate_new(level);
    sharc_buf_init(&f->packed, 32u << 20);
    sharc_buf_init(&f->out, max_out);
}

static void start(struct fixture *f, size_t max_out)
{
    start_level(f, max_out, 6);
}

static void stop(struct fixture *f)
{
    sharc_inflate_free(f->inflate);
    sharc_deflate_free(f->deflate);
    sharc_buf_done(&f->packed);
    sharc_buf_done(&f->out);
}

static void test_members_one_by_one(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1u << 20);
    static const char *const parts[] = {"one", "", "three"};
    size_t ends[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sharc_deflate_member(f.deflate, sharc_span_of(parts[i]), &f.packed), 0);
        ends[i] = f.packed.n;
    }
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        int64_t n = sharc_inflate_member(f.inflate, sharc_span_from(sharc_buf_span(&f.packed), at), &f.out);
        assert_int_equal(n, ends[i] - at);
        assert_span(sharc_buf_span(&f.out), parts[i]);
        at = ends[i];
    }
    /* Any other reader of gzip reads them too. */
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(100);
    assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&f.packed), &all, NULL), 0);
    assert_span(sharc_buf_span(&all), "onethree");
    stop(&f);
}

static void test_large_and_incompressible(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 4u << 20);
    struct sharc_rng r;
    sharc_rng_init(&r, 1);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf noise = SHARC_BUF_INIT(4u << 20);
    for (int i = 0; i < 400000; i++) {
        uint64_t v = sharc_rng_u64(&r);
        sharc_buf_put(&noise, sharc_span(&v, sizeof v));
    }
    for (int level = 1; level <= 12; level += 11) {
        struct sharc_deflate *d = sharc_deflate_new(level);
        sharc_buf_clear(&f.packed);
        assert_int_equal(sharc_deflate_member(d, sharc_buf_span(&noise), &f.packed), 0);
        assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&f.packed), &f.out), f.packed.n);
        assert_true(sharc_span_eq(sharc_buf_span(&f.out), sharc_buf_span(&noise)));
        sharc_deflate_free(d);
    }
    stop(&f);
}

static void test_limits(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 10);
    assert_int_equal(sharc_deflate_member(f.deflate, SHARC_SPAN("0123456789"), &f.packed), 0);
    assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&f.packed), &f.out), f.packed.n);
    sharc_buf_clear(&f.packed);
    assert_int_equal(sharc_deflate_member(f.deflate, SHARC_SPAN("0123456789x"), &f.packed), 0);
    assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&f.packed), &f.out), SHARC_ELIMIT);
    assert_int_equal(f.out.n, 0);
    /* The writer: exactly enough room is enough, one byte less is not. */
    SHARC_AUTO(sharc_buf_done) struct sharc_buf tight = SHARC_BUF_INIT(f.packed.n);
    assert_int_equal(sharc_deflate_member(f.deflate, SHARC_SPAN("0123456789x"), &tight), 0);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf tighter = SHARC_BUF_INIT(f.packed.n - 1);
    assert_int_equal(sharc_deflate_member(f.deflate, SHARC_SPAN("0123456789x"), &tighter), SHARC_ELIMIT);
    assert_int_equal(tighter.n, 0);
    assert_true(tighter.failed);
    stop(&f);
}

static void test_cuts_and_damage(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1000);
    assert_int_equal(sharc_deflate_member(f.deflate, SHARC_SPAN("a page, a page, a page"), &f.packed), 0);
    for (size_t cut = 0; cut < f.packed.n; cut++)
        assert_int_equal(sharc_inflate_member(f.inflate, sharc_span(f.packed.p, cut), &f.out), SHARC_ETRUNC);
    for (size_t i = f.packed.n - 8; i < f.packed.n; i++) { /* checksum and length */
        f.packed.p[i] ^= 1;
        assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&f.packed), &f.out), SHARC_ETRUNC);
        f.packed.p[i] ^= 1;
    }
    f.packed.p[0] = 'W';
    assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&f.packed), &f.out), SHARC_ECORRUPT);
    stop(&f);
    sharc_inflate_free(NULL);
    sharc_deflate_free(NULL);
}

/* A header with every optional field (RFC 1952). */
static void test_optional_header_fields(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1000);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(1000), b = SHARC_BUF_INIT(1000);
    sharc_deflate_member(f.deflate, SHARC_SPAN("text"), &plain);
    sharc_buf_put(&b, SHARC_SPAN("\x1f\x8b\x08\x1c\0\0\0\0\0\xff"));
    sharc_buf_put(&b, SHARC_SPAN("\x04\0ABCD")); /* extra */
    sharc_buf_put(&b, SHARC_SPAN("name\0"));
    sharc_buf_put(&b, SHARC_SPAN("comment\0"));
    sharc_buf_put(&b, sharc_span_from(sharc_buf_span(&plain), 10));
    assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&b), &f.out), b.n);
    assert_span(sharc_buf_span(&f.out), "text");
    stop(&f);
}

/* Text with noise in it, of a size around which compressors change their ways. */
static void make_text(struct sharc_buf *b, size_t n, struct sharc_rng *r)
{
    static const char *const words[] = {"<p>", "archive ", "of ", "a ", "page ", "</p>\n"};
    sharc_buf_clear(b);
    while (b->n < n) {
        uint64_t v = sharc_rng_u64(r);
        if (v % 16 == 0)
            sharc_buf_put(b, sharc_span(&v, sizeof v));
        else
            sharc_buf_put_str(b, words[v / 16 % SHARC_LENGTH(words)]);
    }
    b->n = n;
}

static void round_trip(struct fixture *f, struct sharc_span text)
{
    sharc_buf_clear(&f->packed);
    assert_int_equal(sharc_deflate_member(f->deflate, text, &f->packed), 0);
    assert_int_equal(sharc_inflate_member(f->inflate, sharc_buf_span(&f->packed), &f->out), f->packed.n);
    assert_true(sharc_span_eq(sharc_buf_span(&f->out), text));
    /* And by another library. */
    sharc_buf_clear(&f->out);
    assert_int_equal(sharc_decode(SHARC_GZIP, sharc_buf_span(&f->packed), &f->out, NULL), 0);
    assert_true(sharc_span_eq(sharc_buf_span(&f->out), text));
}

static void test_every_level_and_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 7, 8, 63, 258, 259, 32767, 32768, 32769, 65535, 65536, 300000};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    struct sharc_rng r;
    sharc_rng_init(&r, 7);
    for (int level = 1; level <= 12; level++) {
        struct fixture f;
        start_level(&f, 1u << 20, level);
        for (size_t i = 0; i < SHARC_LENGTH(sizes); i++) {
            make_text(&text, sizes[i], &r);
            round_trip(&f, sharc_buf_span(&text));
        }
        stop(&f);
    }
}

/* Whatever room there is: a whole member, or none and the buffer as it was. */
static void test_every_room(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(10000);
    struct sharc_rng r;
    sharc_rng_init(&r, 9);
    make_text(&text, 2000, &r);
    for (int level = 1; level <= 6; level += 5) {
        struct fixture f;
        start_level(&f, 10000, level);
        assert_int_equal(sharc_deflate_member(f.deflate, sharc_buf_span(&text), &f.packed), 0);
        size_t whole = f.packed.n;
        assert_true(whole < 1500);
        for (size_t max = 4; max < whole + 100; max++) {
            SHARC_AUTO(sharc_buf_done) struct sharc_buf tight = SHARC_BUF_INIT(max);
            sharc_buf_put(&tight, SHARC_SPAN("here"));
            int code = sharc_deflate_member(f.deflate, sharc_buf_span(&text), &tight);
            if (code < 0) {
                assert_int_equal(code, SHARC_ELIMIT);
                assert_span(sharc_buf_span(&tight), "here");
                assert_true(max < whole + 4 + 16);
                continue;
            }
            struct sharc_span member = sharc_span_from(sharc_buf_span(&tight), 4);
            assert_int_equal(sharc_inflate_member(f.inflate, member, &f.out), member.n);
            assert_true(sharc_span_eq(sharc_buf_span(&f.out), sharc_buf_span(&text)));
        }
        stop(&f);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_level_and_size),
    cmocka_unit_test(test_every_room),
    cmocka_unit_test(test_members_one_by_one),
    cmocka_unit_test(test_large_and_incompressible),
    cmocka_unit_test(test_limits),
    cmocka_unit_test(test_cuts_and_damage),
    cmocka_unit_test(test_optional_header_fields),
};
TEST_MAIN(tests)
