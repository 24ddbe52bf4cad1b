/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_codec.h"
#include "sharc/base_rng.h"

struct fixture {
    struct sharc_inflate *inflate;
    struct sharc_deflate *deflate;
    struct sharc_buf packed, out;
};

static void start(struct fixture *f, size_t max_out)
{
    f->inflate = sharc_inflate_new();
    f->deflate = sharc_deflate_new(6);
    sharc_buf_init(&f->packed, 32u << 20);
    sharc_buf_init(&f->out, max_out);
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
    AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(100);
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
    AUTO(sharc_buf_done) struct sharc_buf noise = SHARC_BUF_INIT(4u << 20);
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
    assert_int_equal(sharc_deflate_member(f.deflate, SPAN("0123456789"), &f.packed), 0);
    assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&f.packed), &f.out), f.packed.n);
    sharc_buf_clear(&f.packed);
    assert_int_equal(sharc_deflate_member(f.deflate, SPAN("0123456789x"), &f.packed), 0);
    assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&f.packed), &f.out), SHARC_ELIMIT);
    assert_int_equal(f.out.n, 0);
    /* The writer: exactly enough room is enough, one byte less is not. */
    AUTO(sharc_buf_done) struct sharc_buf tight = SHARC_BUF_INIT(f.packed.n);
    assert_int_equal(sharc_deflate_member(f.deflate, SPAN("0123456789x"), &tight), 0);
    AUTO(sharc_buf_done) struct sharc_buf tighter = SHARC_BUF_INIT(f.packed.n - 1);
    assert_int_equal(sharc_deflate_member(f.deflate, SPAN("0123456789x"), &tighter), SHARC_ELIMIT);
    assert_int_equal(tighter.n, 0);
    assert_true(tighter.failed);
    stop(&f);
}

static void test_cuts_and_damage(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, 1000);
    assert_int_equal(sharc_deflate_member(f.deflate, SPAN("a page, a page, a page"), &f.packed), 0);
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
    AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(1000), b = SHARC_BUF_INIT(1000);
    sharc_deflate_member(f.deflate, SPAN("text"), &plain);
    sharc_buf_put(&b, SPAN("\x1f\x8b\x08\x1c\0\0\0\0\0\xff"));
    sharc_buf_put(&b, SPAN("\x04\0ABCD")); /* extra */
    sharc_buf_put(&b, SPAN("name\0"));
    sharc_buf_put(&b, SPAN("comment\0"));
    sharc_buf_put(&b, sharc_span_from(sharc_buf_span(&plain), 10));
    assert_int_equal(sharc_inflate_member(f.inflate, sharc_buf_span(&b), &f.out), b.n);
    assert_span(sharc_buf_span(&f.out), "text");
    stop(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_members_one_by_one),
    cmocka_unit_test(test_large_and_incompressible),
    cmocka_unit_test(test_limits),
    cmocka_unit_test(test_cuts_and_damage),
    cmocka_unit_test(test_optional_header_fields),
};
TEST_MAIN(tests)
