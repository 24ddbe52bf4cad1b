/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_digest.h"
#include "sharc/base_pool.h"

#include <stdlib.h>

static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

/* RFC 1321, RFC 3174, FIPS 180-4. */
static const struct {
    enum sharc_digest_kind kind;
    const char *message, *hex;
} vectors[] = {
    {SHARC_MD5, "", "d41d8cd98f00b204e9800998ecf8427e"},
    {SHARC_MD5, "abc", "900150983cd24fb0d6963f7d28e17f72"},
    {SHARC_MD5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {SHARC_SHA1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {SHARC_SHA1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {SHARC_SHA1, two_blocks, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    {SHARC_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {SHARC_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {SHARC_SHA256, two_blocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {SHARC_SHA512, "",
     "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
     "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"},
    {SHARC_SHA512, "abc",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
     "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
};

static void assert_hex(const struct sharc_digest *d, const char *want)
{
    char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)];
    assert_span(sharc_span(hex, sharc_hex_encode(sharc_span(d->bytes, d->n), hex)), want);
}

static void test_vectors(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    for (size_t i = 0; i < SHARC_LENGTH(vectors); i++) {
        struct sharc_digest d;
        struct sharc_span message = sharc_span_of(vectors[i].message);
        sharc_digest_of(vectors[i].kind, message, &d);
        assert_int_equal(d.kind, vectors[i].kind);
        assert_hex(&d, vectors[i].hex);
        sharc_hasher_start(h, vectors[i].kind);
        for (size_t k = 0; k < message.n; k++) sharc_hasher_add(h, message.p + k, 1);
        sharc_hasher_add(h, NULL, 0);
        struct sharc_digest again;
        sharc_hasher_end(h, &again);
        assert_true(sharc_digest_eq(&d, &again));
    }
}

static void test_million_letters(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    char thousand[1000];
    memset(thousand, 'a', sizeof thousand);
    sharc_hasher_start(h, SHARC_SHA1);
    for (int i = 0; i < 1000; i++) sharc_hasher_add(h, thousand, sizeof thousand);
    struct sharc_digest d;
    sharc_hasher_end(h, &d);
    assert_hex(&d, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    sharc_hasher_start(h, SHARC_SHA256);
    for (int i = 0; i < 1000; i++) sharc_hasher_add(h, thousand, sizeof thousand);
    sharc_hasher_end(h, &d);
    assert_hex(&d, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static int hash_many(size_t i, unsigned thread, void *arg)
{
    (void)i, (void)thread, (void)arg;
    struct sharc_digest d, want;
    assert_int_equal(sharc_digest_parse(SHARC_SPAN("sha1:a9993e364706816aba3e25717850c26c9cd0d89d"), &want), 0);
    for (int k = 0; k < 100; k++) {
        sharc_digest_of(SHARC_SHA1, SHARC_SPAN("abc"), &d);
        if (!sharc_digest_eq(&d, &want)) return SHARC_EDIGEST;
    }
    return 0;
}

static void test_threads(void **state)
{
    (void)state;
    struct sharc_pool *p = sharc_pool_new(4);
    assert_int_equal(sharc_pool_each(p, 64, hash_many, NULL), 0);
    sharc_pool_free(p);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const good[][2] = {{"MD5", "md5"},
                                          {"sha-1", "sha1"},
                                          {"SHA-256", "sha256"},
                                          {"Sha512", "sha512"}};
    static const char *const bad[] = {"", "sha", "sha224", "sha-2566", "sha1 ", "a-long-name-that-does-not-exist"};
    enum sharc_digest_kind kind;
    for (size_t i = 0; i < SHARC_LENGTH(good); i++) {
        assert_int_equal(sharc_digest_kind_of(sharc_span_of(good[i][0]), &kind), 0);
        assert_string_equal(sharc_digest_name(kind), good[i][1]);
    }
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++)
        assert_int_equal(sharc_digest_kind_of(sharc_span_of(bad[i]), &kind), SHARC_EUNSUPPORTED);
}

/* One digest in every spelling it may have. */
static const char *const same_abc[] = {
    "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
    "SHA1:vgmt4nsha2awvor6evyxqugcnsonbwe5",
    "sha-1:a9993e364706816aba3e25717850c26c9cd0d89d",
    "sha1:A9993E364706816ABA3E25717850C26C9CD0D89D",
    "sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
    "sha1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0",
};

static void test_reading(void **state)
{
    (void)state;
    struct sharc_digest want, d;
    sharc_digest_of(SHARC_SHA1, SHARC_SPAN("abc"), &want);
    for (size_t i = 0; i < SHARC_LENGTH(same_abc); i++) {
        if (sharc_digest_parse(sharc_span_of(same_abc[i]), &d) != 0 || !sharc_digest_eq(&d, &want))
            fail_msg("cannot read %s", same_abc[i]);
    }
    /* The empty MD5 padded to 32 letters is base32, unpadded 32 is hex. */
    sharc_digest_of(SHARC_MD5, SHARC_SPAN(""), &want);
    assert_int_equal(sharc_digest_parse(SHARC_SPAN("md5:2QOYZWMPACZAJ2MABGMOZ6CCPY======"), &d), 0);
    assert_true(sharc_digest_eq(&d, &want));
    assert_int_equal(sharc_digest_parse(SHARC_SPAN("md5:d41d8cd98f00b204e9800998ecf8427e"), &d), 0);
    assert_true(sharc_digest_eq(&d, &want));
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int k = 0; k < SHARC_DIGEST_KINDS; k++) {
        struct sharc_digest d, back;
        char text[SHARC_DIGEST_TEXT];
        sharc_digest_of((enum sharc_digest_kind)k, SHARC_SPAN("abc"), &d);
        assert_int_equal(sharc_digest_parse(sharc_span_of(sharc_digest_text(&d, text)), &back), 0);
        assert_true(sharc_digest_eq(&d, &back));
    }
    struct sharc_digest d;
    char text[SHARC_DIGEST_TEXT];
    sharc_digest_of(SHARC_SHA1, SHARC_SPAN("abc"), &d);
    assert_string_equal(sharc_digest_text(&d, text), same_abc[0]);
    sharc_digest_of(SHARC_SHA256, SHARC_SPAN("abc"), &d);
    assert_string_equal(sharc_digest_text(&d, text),
                        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_refused(void **state)
{
    (void)state;
    struct sharc_digest d;
    static const char *const bad[] = {"",
                                      "sha1",
                                      "sha1:",
                                      "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE",
                                      "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5A",
                                      "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE1",
                                      "sha1:a9993e364706816aba3e25717850c26c9cd0d89g",
                                      "sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J1=",
                                      "sha256:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
                                      "sha1: VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"};
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        if (sharc_digest_parse(sharc_span_of(bad[i]), &d) != SHARC_ESYNTAX) fail_msg("accepts %s", bad[i]);
    }
    assert_int_equal(sharc_digest_parse(SHARC_SPAN("sha224:00"), &d), SHARC_EUNSUPPORTED);
    assert_int_equal(sharc_digest_parse(SHARC_SPAN(":00"), &d), SHARC_EUNSUPPORTED);
}

/* XXH3, 64 bits: published values for the empty input and for seed 0. */
static void test_fingerprint(void **state)
{
    (void)state;
    assert_true(sharc_fingerprint(SHARC_SPAN_NONE, 0) == 0x2d06800538d394c2u);
    assert_true(sharc_fingerprint(SHARC_SPAN("a"), 0) == 0xe6c632b61e964e1fu);
    assert_true(sharc_fingerprint(SHARC_SPAN("abc"), 0) == 0x78af5f94892f3950u);
    assert_false(sharc_fingerprint(SHARC_SPAN("abc"), 1) == sharc_fingerprint(SHARC_SPAN("abc"), 0));
}

/* Two at once, in pieces of all sizes, are what each is alone. */
static void test_pairs(void **state)
{
    (void)state;
    static char bytes[70000];
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
    struct sharc_hasher_pair *h = sharc_hasher_pair_new();
    for (int round = 0; round < 4 * 400; round++) {
        enum sharc_digest_kind kind = (enum sharc_digest_kind)(round % SHARC_DIGEST_KINDS);
        struct sharc_span rest[2], all[2];
        struct sharc_digest got[2], want[2];
        for (int s = 0; s < 2; s++) {
            size_t n = round < 1200 ? (x = x * 1664525 + 1013904223) % 300 : x % sizeof bytes;
            all[s] = rest[s] = sharc_span(bytes + (x >> 8) % (sizeof bytes - n), n);
        }
        sharc_hasher_pair_start(h, kind);
        while (rest[0].n || rest[1].n) {
            size_t n[2];
            for (int s = 0; s < 2; s++) n[s] = (x = x * 1664525 + 1013904223) >> 16 & (round & 8 ? 127 : 8191);
            sharc_hasher_pair_add(h, sharc_span_sub(rest[0], 0, n[0]), sharc_span_sub(rest[1], 0, n[1]));
            for (int s = 0; s < 2; s++) rest[s] = sharc_span_from(rest[s], n[s]);
        }
        sharc_hasher_pair_end(h, &got[0], &got[1]);
        for (int s = 0; s < 2; s++) {
            sharc_digest_of(kind, all[s], &want[s]);
            if (!sharc_digest_eq(&got[s], &want[s])) fail_msg("%s of %zu bytes", sharc_digest_name(kind), all[s].n);
        }
    }
    sharc_hasher_pair_free(h);
    sharc_hasher_pair_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_vectors), cmocka_unit_test(test_million_letters), cmocka_unit_test(test_threads),
    cmocka_unit_test(test_names),   cmocka_unit_test(test_reading),         cmocka_unit_test(test_round_trip),
    cmocka_unit_test(test_refused), cmocka_unit_test(test_fingerprint),     cmocka_unit_test(test_pairs),
};
TEST_MAIN(tests)
