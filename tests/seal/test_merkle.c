/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/seal.h"

#include <stdio.h>

/* The leaves that implementations of RFC 6962 test with. */
static const struct sharc_span leaves[] = {
    {"", 0},
    {"\0", 1},
    {"\x10", 1},
    {"\x20\x21", 2},
    {"\x30\x31", 2},
    {"\x40\x41\x42\x43", 4},
    {"\x50\x51\x52\x53\x54\x55\x56\x57", 8},
    {"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f", 16},
};
static const char *const roots[] = {
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
};

static void assert_hex(const struct sharc_digest *d, const char *want)
{
    char hex[SHARC_HEX_SIZE(32)];
    assert_int_equal(d->n, 32);
    sharc_hex_encode(sharc_span(d->bytes, 32), hex);
    assert_string_equal(hex, want);
}

static void test_known_roots(void **state)
{
    (void)state;
    struct sharc_merkle m;
    struct sharc_digest root;
    sharc_merkle_init(&m);
    for (size_t i = 0; i < SHARC_LENGTH(roots); i++) {
        sharc_merkle_root(&m, &root);
        assert_hex(&root, roots[i]);
        if (i < SHARC_LENGTH(leaves)) sharc_merkle_add(&m, leaves[i]);
    }
    sharc_merkle_done(&m);
}

static struct sharc_span row(uint64_t i, char out[32])
{
    return sharc_span(out, (size_t)snprintf(out, 32, "row %llu", (unsigned long long)i));
}

/* The definition of RFC 6962, word by word. */
static void plain_root(uint64_t from, uint64_t to, struct sharc_digest *ret)
{
    uint8_t bytes[65] = {0};
    if (to - from == 1) {
        char text[32];
        struct sharc_span s = row(from, text);
        memcpy(bytes + 1, s.p, s.n);
        sharc_digest_of(SHARC_SHA256, sharc_span(bytes, s.n + 1), ret);
        return;
    }
    uint64_t k = 1;
    while (k * 2 < to - from) k *= 2;
    struct sharc_digest left, right;
    plain_root(from, from + k, &left);
    plain_root(from + k, to, &right);
    bytes[0] = 1;
    memcpy(bytes + 1, left.bytes, 32);
    memcpy(bytes + 33, right.bytes, 32);
    sharc_digest_of(SHARC_SHA256, sharc_span(bytes, 65), ret);
}

static void build(uint64_t count, uint64_t follow, struct sharc_merkle_proof *ret, struct sharc_digest *root)
{
    struct sharc_merkle m;
    char text[32];
    sharc_merkle_init(&m);
    for (uint64_t i = 0; i < count; i++) {
        if (i == follow) sharc_merkle_follow(&m);
        sharc_merkle_add(&m, row(i, text));
    }
    sharc_merkle_root(&m, root);
    sharc_merkle_prove(&m, ret);
    sharc_merkle_done(&m);
}

/* Of every tree of up to 70 leaves, every leaf. */
static void test_every_proof(void **state)
{
    (void)state;
    char text[32];
    struct sharc_merkle_proof p;
    struct sharc_digest root, want;
    struct sharc_err err = SHARC_ERR_INIT;
    for (uint64_t n = 1; n <= 70; n++) {
        plain_root(0, n, &want);
        for (uint64_t i = 0; i < n; i++) {
            build(n, i, &p, &root);
            assert_true(sharc_digest_eq(&root, &want));
            if (sharc_merkle_verify(&p, row(i, text), &root, &err) != 0)
                fail_msg("leaf %d of %d: %s", (int)i, (int)n, err.text);
            assert_int_equal(sharc_merkle_verify(&p, row(i + 1, text), &root, &err), SHARC_EDIGEST);
        }
    }
}

/* Any other place, size, digest, length. */
static void test_altered_proofs(void **state)
{
    (void)state;
    char text[32];
    struct sharc_merkle_proof p, q;
    struct sharc_digest root;
    struct sharc_err err = SHARC_ERR_INIT;
    build(13, 6, &p, &root);
    assert_int_equal(p.length, 4);
    struct sharc_span leaf = row(6, text);
    for (uint64_t i = 0; i < 14; i++) {
        q = p;
        q.index = i;
        assert_int_equal(sharc_merkle_verify(&q, leaf, &root, &err) == 0, i == 6);
    }
    for (size_t i = 0; i < p.length * 256; i++) {
        q = p;
        q.path[i / 256].bytes[i % 256 / 8] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(sharc_merkle_verify(&q, leaf, &root, &err), SHARC_EDIGEST);
    }
    for (size_t i = 0; i <= 6; i++) {
        q = p;
        q.length = i;
        if (i != p.length) assert_int_equal(sharc_merkle_verify(&q, leaf, &root, &err), SHARC_EINVAL);
    }
    q = p;
    q.path[0].kind = SHARC_SHA1;
    assert_int_equal(sharc_merkle_verify(&q, leaf, &root, &err), SHARC_EINVAL);
    root.bytes[31] ^= 1;
    assert_int_equal(sharc_merkle_verify(&p, leaf, &root, &err), SHARC_EDIGEST);
    assert_non_null(strstr(err.text, "does not lead"));
}

/* A node's hash is no leaf's: the two inner hashes of a tree of four, given as one leaf. */
static void test_node_is_no_leaf(void **state)
{
    (void)state;
    struct sharc_digest left, right, root, other;
    char both[64];
    plain_root(0, 2, &left);
    plain_root(2, 4, &right);
    plain_root(0, 4, &root);
    memcpy(both, left.bytes, 32);
    memcpy(both + 32, right.bytes, 32);
    struct sharc_merkle m;
    sharc_merkle_init(&m);
    sharc_merkle_add(&m, sharc_span(both, 64));
    sharc_merkle_root(&m, &other);
    sharc_merkle_done(&m);
    assert_false(sharc_digest_eq(&root, &other));
}

static void test_million(void **state)
{
    (void)state;
    char text[32];
    struct sharc_merkle_proof p;
    struct sharc_digest root, want;
    struct sharc_err err = SHARC_ERR_INIT;
    build(1000000, 654321, &p, &root);
    plain_root(0, 1000000, &want);
    assert_true(sharc_digest_eq(&root, &want));
    assert_int_equal(p.length, 20);
    assert_int_equal(sharc_merkle_verify(&p, row(654321, text), &root, &err), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_known_roots),     cmocka_unit_test(test_every_proof), cmocka_unit_test(test_altered_proofs),
    cmocka_unit_test(test_node_is_no_leaf), cmocka_unit_test(test_million),
};
TEST_MAIN(tests)
