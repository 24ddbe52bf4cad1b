/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_digest.h"
#include "sharc/base_rng.h"

/* RFC 4648, section 10, and a few bytes with the high bit set. */
static const struct {
    const char *plain, *hex, *base32, *base64;
} vectors[] = {
    {"", "", "", ""},
    {"f", "66", "MY======", "Zg=="},
    {"fo", "666f", "MZXQ====", "Zm8="},
    {"foo", "666f6f", "MZXW6===", "Zm9v"},
    {"foob", "666f6f62", "MZXW6YQ=", "Zm9vYg=="},
    {"fooba", "666f6f6261", "MZXW6YTB", "Zm9vYmE="},
    {"foobar", "666f6f626172", "MZXW6YTBOI======", "Zm9vYmFy"},
    {"\xff\xfe\xfb", "fffefb", "777PW===", "//77"},
    {"\xfb\xff", "fbff", "7P7Q====", "+/8="},
};

static void test_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(vectors); i++) {
        struct sharc_span plain = sharc_span_of(vectors[i].plain);
        char out[64];
        uint8_t back[16];
        size_t n;
        assert_span(sharc_span(out, sharc_hex_encode(plain, out)), vectors[i].hex);
        assert_span(sharc_span(out, sharc_base32_encode(plain, out)), vectors[i].base32);
        assert_span(sharc_span(out, sharc_base64_encode(plain, out)), vectors[i].base64);
        assert_int_equal(sharc_hex_decode(sharc_span_of(vectors[i].hex), back, sizeof back, &n), 0);
        assert_span(sharc_span(back, n), vectors[i].plain);
        assert_int_equal(sharc_base32_decode(sharc_span_of(vectors[i].base32), back, sizeof back, &n), 0);
        assert_span(sharc_span(back, n), vectors[i].plain);
        assert_int_equal(sharc_base64_decode(sharc_span_of(vectors[i].base64), back, sizeof back, &n), 0);
        assert_span(sharc_span(back, n), vectors[i].plain);
    }
}

static void test_round_trip_and_room(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 4648);
    for (size_t n = 0; n <= 70; n++) {
        uint8_t bytes[70], back[70];
        char out[SHARC_HEX_SIZE(70)];
        size_t got;
        for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)sharc_rng_u64(&r);
        struct sharc_span s = sharc_span(bytes, n);
        size_t (*const encode[])(struct sharc_span, char *) = {sharc_hex_encode, sharc_base32_encode,
                                                               sharc_base64_encode};
        int (*const decode[])(struct sharc_span, uint8_t *, size_t, size_t *) = {sharc_hex_decode, sharc_base32_decode,
                                                                                 sharc_base64_decode};
        const size_t sizes[] = {SHARC_HEX_SIZE(n), SHARC_BASE32_SIZE(n), SHARC_BASE64_SIZE(n)};
        for (int k = 0; k < 3; k++) {
            size_t len = encode[k](s, out);
            assert_int_equal(len + 1, sizes[k]);
            assert_int_equal(strlen(out), len);
            assert_int_equal(decode[k](sharc_span(out, len), back, n, &got), 0);
            assert_true(sharc_span_eq(sharc_span(back, got), s));
            if (n) assert_int_equal(decode[k](sharc_span(out, len), back, n - 1, &got), SHARC_ELIMIT);
            while (len && out[len - 1] == '=') len--;
            assert_int_equal(decode[k](sharc_span(out, len), back, n, &got), 0); /* padding is optional */
            assert_true(sharc_span_eq(sharc_span(back, got), s));
        }
    }
}

static void test_case_and_url_safe(void **state)
{
    (void)state;
    uint8_t b[8];
    size_t n;
    assert_int_equal(sharc_hex_decode(SHARC_SPAN("FfFe"), b, 8, &n), 0);
    assert_span(sharc_span(b, n), "\xff\xfe");
    assert_int_equal(sharc_base32_decode(SHARC_SPAN("mzxw6"), b, 8, &n), 0);
    assert_span(sharc_span(b, n), "foo");
    assert_int_equal(sharc_base64_decode(SHARC_SPAN("-_8"), b, 8, &n), 0);
    assert_span(sharc_span(b, n), "\xfb\xff");
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const hex[] = {"a", "0g", "6 6", "66 ", "=="};
    static const char *const b32[] = {"M",  "MZX",      "MZXW6Y",           "MY=",      "MY=======", "M1",
                                      "M0", "MZ======", "MY======MY======", "========", "M=Y=====",  "MY\n"};
    static const char *const b64[] = {"Z", "Zg=", "Zg===", "Zh==", "Zm9", "Z m8", "Zm8=Zm8=", "====", "Z*8=", "Zm9v="};
    uint8_t out[64];
    size_t n;
    for (size_t i = 0; i < SHARC_LENGTH(hex); i++)
        assert_int_equal(sharc_hex_decode(sharc_span_of(hex[i]), out, sizeof out, &n), SHARC_ESYNTAX);
    for (size_t i = 0; i < SHARC_LENGTH(b32); i++) {
        if (sharc_base32_decode(sharc_span_of(b32[i]), out, sizeof out, &n) != SHARC_ESYNTAX)
            fail_msg("base32 accepts %s", b32[i]);
    }
    for (size_t i = 0; i < SHARC_LENGTH(b64); i++) {
        if (sharc_base64_decode(sharc_span_of(b64[i]), out, sizeof out, &n) != SHARC_ESYNTAX)
            fail_msg("base64 accepts %s", b64[i]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_vectors),
    cmocka_unit_test(test_round_trip_and_room),
    cmocka_unit_test(test_case_and_url_safe),
    cmocka_unit_test(test_refused),
};
TEST_MAIN(tests)
