/* SPDX-License-Identifier: Apache-2.0 */
#include "openssl_test.h"

#include "sharc/seal_chain.h"

static const struct {
    const char *name, *key, *check;
    enum sharc_seal_kind kind;
} signers[] = {
    {"p256", KEY_P256, "openssl dgst -sha256 -verify pub -signature sig data", SHARC_SEAL_P256},
    {"p384", KEY_P384, "openssl dgst -sha256 -verify pub -signature sig data", SHARC_SEAL_P384},
    {"rsa", KEY_RSA, "openssl dgst -sha256 -verify pub -signature sig data", SHARC_SEAL_RSA},
    {"ed", KEY_ED25519, "openssl pkeyutl -verify -pubin -inkey pub -rawin -in data -sigfile sig", SHARC_SEAL_ED25519},
};

static struct sharc_seal_chain *read_chain(const char *dir, const char *name)
{
    struct sharc_seal_chain *c = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_seal_chain_read(sharc_buf_span(test_file(dir, name)), &c, &err) < 0) fail_msg("%s", err.text);
    return c;
}

static struct sharc_seal_key *load(const char *dir, const char *name)
{
    struct sharc_seal_key *k = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    if (sharc_seal_key_load(path, SHARC_SPAN_NONE, &k, &err) < 0) fail_msg("%s", err.text);
    return k;
}

static sharc_time now(void)
{
    return sharc_clock_real()->now(sharc_clock_real());
}

/* OpenSSL makes key and certificate, sharc signs, OpenSSL checks with the documented commands; and the other way. */
static void test_openssl_agrees(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    make_root(dir);
    SHARC_AUTO(sharc_freep) char *ca = test_text(dir, "ca.pem");
    struct sharc_span data = SHARC_SPAN("{\"pages\":3}");
    test_put(dir, "data", data);
    for (size_t i = 0; i < SHARC_LENGTH(signers); i++) {
        const char *name = signers[i].name;
        struct sharc_err err = SHARC_ERR_INIT;
        make_leaf(dir, name, signers[i].key, "/O=Test Archive/CN=archive.example",
                  "keyUsage=critical,digitalSignature");
        SHARC_AUTO(sharc_freep) char *key_name = sharc_asprintf("%s.key", name);
        SHARC_AUTO(sharc_freep) char *chain_name = sharc_asprintf("%s.chain", name);
        SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = load(dir, key_name), *half = NULL;
        SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *c = read_chain(dir, chain_name);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(10000);
        assert_int_equal(sharc_seal_key_kind(k), signers[i].kind);
        assert_int_equal(sharc_seal_chain_fits(c, k, &err), 0);
        assert_int_equal(sharc_seal_chain_key(c, &half, &err), 0);
        assert_int_equal(sharc_seal_chain_verify(c, sharc_span_of(ca), now(), &err), 0);
        assert_int_equal(sharc_seal_sign(k, data, &b, &err), 0);
        assert_int_equal(sharc_seal_verify(half, data, sharc_buf_span(&b), &err), 0);
        test_put(dir, "sig", sharc_buf_span(&b));
        assert_runs(dir, "openssl x509 -pubkey -noout -in %s.chain >pub && %s", name, signers[i].check);
        assert_runs(dir, "openssl verify -CAfile ca.pem -untrusted %s.chain %s.chain", name, name);
        b.p[b.n / 2] ^= 1;
        test_put(dir, "sig", sharc_buf_span(&b));
        assert_true(in_dir(dir, "%s", signers[i].check) != 0);
        /* A signature of OpenSSL's. */
        assert_runs(dir, "openssl pkeyutl -sign -inkey %s.key -rawin %s -in data -out sig", name,
                    signers[i].kind == SHARC_SEAL_ED25519 ? "" : "-digest sha256");
        if (sharc_seal_verify(half, data, sharc_buf_span(test_file(dir, "sig")), &err) < 0) fail_msg("%s", err.text);
    }
    test_rmdir(dir);
}

static void test_facts(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    make_root(dir);
    make_leaf(dir, "a", KEY_P256, "/O=Test Archive/CN=archive.example", "subjectAltName=DNS:other.example");
    make_leaf(dir, "b", KEY_P256, "/O=M\xc3\xbcller", "subjectAltName=email:a@b.example,DNS:alt.example");
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *a = read_chain(dir, "a.chain"), *again = NULL;
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *b = read_chain(dir, "b.pem");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(10000);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_seal_chain_count(a), 2);
    assert_int_equal(sharc_seal_chain_count(b), 1);
    sharc_seal_chain_subject(a, &out);
    assert_span(sharc_buf_span(&out), "CN=archive.example,O=Test Archive");
    sharc_buf_clear(&out);
    sharc_seal_chain_host(a, &out);
    assert_span(sharc_buf_span(&out), "archive.example");
    sharc_buf_clear(&out);
    sharc_seal_chain_host(b, &out);
    assert_span(sharc_buf_span(&out), "alt.example");
    sharc_time from, until;
    sharc_seal_chain_validity(a, &from, &until);
    assert_true(from <= now() && now() - from < SHARC_DAY);
    assert_int_equal(until - from, 365 * SHARC_DAY);

    sharc_buf_clear(&out);
    sharc_seal_chain_pem(a, &out);
    assert_non_null(strstr(out.p, "-----END CERTIFICATE-----\n\n-----BEGIN CERTIFICATE-----"));
    assert_int_equal(sharc_seal_chain_read(sharc_buf_span(&out), &again, &err), 0);
    struct sharc_digest x, y;
    char hex[SHARC_HEX_SIZE(32)];
    sharc_seal_chain_fingerprint(a, 1, &x);
    sharc_seal_chain_fingerprint(again, 1, &y);
    assert_true(sharc_digest_eq(&x, &y));
    sharc_hex_encode(sharc_span(x.bytes, 32), hex);
    assert_runs(dir, "openssl x509 -in ca.pem -noout -fingerprint -sha256 | tr -d : | grep -i =%s", hex);
    test_rmdir(dir);
}

static void says(int r, int code, const struct sharc_err *err, const char *word)
{
    if (r != code || !strstr(err->text, word)) fail_msg("%d, not %d with \"%s\": %s", r, code, word, err->text);
}

static void test_what_is_not_trusted(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    make_root(dir);
    make_leaf(dir, "a", KEY_P256, "/CN=a.example", "keyUsage=digitalSignature");
    make_leaf(dir, "small", "-algorithm RSA -pkeyopt rsa_keygen_bits:1024", "/CN=s.example",
              "keyUsage=digitalSignature");
    SHARC_AUTO(sharc_freep) char *ca = test_text(dir, "ca.pem"), *leaf = test_text(dir, "a.pem");
    assert_runs(dir, "mkdir other");
    SHARC_AUTO(sharc_freep) char *other = sharc_path_join(dir, "other");
    make_root(other);
    SHARC_AUTO(sharc_freep) char *stranger = test_text(other, "ca.pem");
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *a = read_chain(dir, "a.pem");
    assert_int_equal(sharc_seal_chain_verify(a, sharc_span_of(ca), now(), &err), 0);
    /* Any certificate of the chain may be the trusted one. */
    assert_int_equal(sharc_seal_chain_verify(a, sharc_span_of(leaf), now(), &err), 0);
    says(sharc_seal_chain_verify(a, sharc_span_of(stranger), now(), &err), SHARC_EDIGEST, &err, "not trusted");
    says(sharc_seal_chain_verify(a, sharc_span_of(ca), now() + 366 * SHARC_DAY, &err), SHARC_EDIGEST, &err, "expired");
    says(sharc_seal_chain_verify(a, sharc_span_of(ca), now() - SHARC_DAY, &err), SHARC_EDIGEST, &err, "not yet valid");
    assert_int_equal(sharc_seal_chain_verify(a, sharc_span_of(ca), SHARC_TIME_NONE, &err), 0);
    says(sharc_seal_chain_verify(a, SHARC_SPAN("nothing"), now(), &err), SHARC_ESYNTAX, &err, "trusted certificates");

    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = load(dir, "ca.key"), *none = NULL;
    says(sharc_seal_chain_fits(a, k, &err), SHARC_EDIGEST, &err, "another key");
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *small = read_chain(dir, "small.pem");
    says(sharc_seal_chain_verify(small, sharc_span_of(ca), now(), &err), SHARC_EDIGEST, &err, "too weak");
    says(sharc_seal_chain_key(small, &none, &err), SHARC_EUNSUPPORTED, &err, "1024 bits");
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "small.key");
    says(sharc_seal_key_load(path, SHARC_SPAN_NONE, &none, &err), SHARC_EUNSUPPORTED, &err, path);
    test_rmdir(dir);
}

/* Every byte of a certificate, changed: it is not read, or not trusted. */
static void test_altered_certificate(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    make_root(dir);
    make_leaf(dir, "a", KEY_ED25519, "/CN=a.example", "keyUsage=digitalSignature");
    SHARC_AUTO(sharc_freep) char *ca = test_text(dir, "ca.pem"), *pem = test_text(dir, "a.pem");
    struct sharc_span all = sharc_span_of(pem);
    struct sharc_span line = sharc_span_from(all, sharc_span_find(all, '\n', 0) + 1);
    size_t end = sharc_span_search(line, SHARC_SPAN("\n-----END"));
    for (size_t i = 0; i < end; i++) {
        char *at = pem + (line.p - pem) + i, was = *at;
        if (was == '\n' || was == '=' || at[1] == '=') continue; /* padding, and bits that stand for nothing */
        *at = was == 'A' ? 'B' : 'A';
        struct sharc_seal_chain *c = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        int r = sharc_seal_chain_read(all, &c, &err);
        if (r == 0) r = sharc_seal_chain_verify(c, sharc_span_of(ca), now(), &err);
        if (r == 0) fail_msg("byte %zu may be altered", i);
        sharc_seal_chain_free(c);
        *at = was;
    }
    struct sharc_seal_chain *c = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    says(sharc_seal_chain_read(sharc_span(pem, strlen(pem) - 40), &c, &err), SHARC_ESYNTAX, &err, "damaged");
    says(sharc_seal_chain_read(SHARC_SPAN(""), &c, &err), SHARC_ESYNTAX, &err, "no certificate");
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_openssl_agrees),
    cmocka_unit_test(test_facts),
    cmocka_unit_test(test_what_is_not_trusted),
    cmocka_unit_test(test_altered_certificate),
};
TEST_MAIN(tests)
