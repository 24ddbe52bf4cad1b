/* SPDX-License-Identifier: Apache-2.0 */
#include "openssl_test.h"

#include "sharc/seal_chain.h"
#include "sharc/seal_stamp.h"

#define FOR_STAMPS "extendedKeyUsage=critical,timeStamping"

/* An authority of our own: OpenSSL's. */
static void make_authority(const char *dir)
{
    make_root(dir);
    make_leaf(dir, "tsa", KEY_P256, "/O=Test Archive/CN=Test Time", FOR_STAMPS);
    test_put(dir, "tsa.cnf",
             SHARC_SPAN("[tsa]\ndefault_tsa = t\n[t]\nserial = serial\ncrypto_device = builtin\nsigner_cert = tsa.pem\n"
                        "certs = ca.pem\nsigner_key = tsa.key\nsigner_digest = sha256\ndefault_policy = 1.2.3.4.1\n"
                        "digests = sha256, sha512, sha1\naccuracy = secs:1, millisecs:500\nordering = yes\n"
                        "ess_cert_id_chain = no\nclock_precision_digits = 3\n"));
    test_put(dir, "serial", SHARC_SPAN("01\n"));
}

struct authority {
    const char *dir;
    const char *refuse; /* answer with this file instead */
    bool other_nonce;   /* answer a question of its own */
};

static int ask(void *arg, struct sharc_span query, struct sharc_buf *reply, struct sharc_err *reterr)
{
    const struct authority *a = arg;
    (void)reterr;
    test_put(a->dir, "q.tsq", query);
    if (a->other_nonce) assert_runs(a->dir, "openssl ts -query -data data -sha256 -cert -out q.tsq");
    if (!a->refuse) assert_runs(a->dir, "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out r.tsr");
    return sharc_buf_put(reply, sharc_buf_span(test_file(a->dir, a->refuse ? a->refuse : "r.tsr")));
}

static const char data_bytes[] = "{\"pages\":3}";
static const struct sharc_span data = {data_bytes, sizeof data_bytes - 1};

static void says(int r, int code, const struct sharc_err *err, const char *word)
{
    if (r != code || !strstr(err->text, word)) fail_msg("%d, not %d with \"%s\": %s", r, code, word, err->text);
}

/* A stamp over data, kept in *reply; ca.pem is malloc'ed. */
static char *stamp_now(const char *dir, struct sharc_buf *reply)
{
    struct authority a = {.dir = dir};
    struct sharc_seal_stamp s;
    struct sharc_err err = SHARC_ERR_INIT;
    test_put(dir, "data", data);
    if (sharc_seal_stamp_get(data, ask, &a, reply, &s, &err) < 0) fail_msg("%s", err.text);
    return test_text(dir, "ca.pem");
}

static char *stamped(const char *dir, struct sharc_buf *reply)
{
    make_authority(dir);
    return stamp_now(dir, reply);
}

static void test_stamp(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    SHARC_AUTO(sharc_freep) char *ca = stamped(dir, &reply);
    struct sharc_seal_stamp s, t;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_seal_stamp_verify(sharc_buf_span(&reply), data, sharc_span_of(ca), SHARC_SPAN_NONE, &s, &err) < 0)
        fail_msg("%s", err.text);
    sharc_time now = sharc_clock_real()->now(sharc_clock_real());
    assert_true(s.at <= now && now - s.at < SHARC_HOUR);
    assert_int_equal(s.accuracy, 1500 * SHARC_MSEC);
    assert_string_equal(s.policy, "1.2.3.4.1");
    assert_string_equal(s.authority, "CN=Test Time,O=Test Archive");
    assert_string_equal(s.serial, "02");
    assert_true(s.has_nonce);
    assert_int_equal(sharc_seal_stamp_read(sharc_buf_span(&reply), &t, &err), 0);
    assert_int_equal(t.at, s.at);
    assert_true(sharc_digest_eq(&t.imprint, &s.imprint));
    /* The documented command. */
    test_put(dir, "stamp.tsr", sharc_buf_span(&reply));
    assert_runs(dir, "openssl ts -verify -data data -in stamp.tsr -CAfile ca.pem");
    /* The question is one that OpenSSL understands. */
    assert_runs(dir, "openssl ts -query -in q.tsq -text | grep -q 'Certificate required: yes'");

    SHARC_AUTO(sharc_buf_done) struct sharc_buf chain = SHARC_BUF_INIT(100000);
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *c = NULL;
    assert_int_equal(sharc_seal_stamp_chain(sharc_buf_span(&reply), &chain, &err), 0);
    assert_int_equal(sharc_seal_chain_read(sharc_buf_span(&chain), &c, &err), 0);
    assert_int_equal(sharc_seal_chain_count(c), 2);
    sharc_buf_clear(&chain);
    sharc_seal_chain_subject(c, &chain);
    assert_span(sharc_buf_span(&chain), "CN=Test Time,O=Test Archive");
    test_rmdir(dir);
}

static void test_wrong_answers(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    free(stamped(dir, &reply));
    struct sharc_seal_stamp s;
    struct sharc_err err = SHARC_ERR_INIT;
    struct authority a = {.dir = dir, .other_nonce = true};
    says(sharc_seal_stamp_get(data, ask, &a, &reply, &s, &err), SHARC_EDIGEST, &err, "nonce");
    a = (struct authority){.dir = dir, .refuse = "r.tsr"}; /* an old answer */
    says(sharc_seal_stamp_get(data, ask, &a, &reply, &s, &err), SHARC_EDIGEST, &err, "nonce");
    says(sharc_seal_stamp_get(SHARC_SPAN("other"), ask, &a, &reply, &s, &err), SHARC_EDIGEST, &err, "other bytes");
    a.refuse = "ca.pem";
    says(sharc_seal_stamp_get(data, ask, &a, &reply, &s, &err), SHARC_ESYNTAX, &err, "not a reply");
    test_put(dir, "empty", SHARC_SPAN(""));
    a.refuse = "empty";
    says(sharc_seal_stamp_get(data, ask, &a, &reply, &s, &err), SHARC_ESYNTAX, &err, "not a reply");
    /* SHA-384 is none that this authority takes. */
    assert_runs(dir, "openssl ts -query -data data -sha384 -out q.tsq; "
                     "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out no.tsr");
    a.refuse = "no.tsr";
    says(sharc_seal_stamp_get(data, ask, &a, &reply, &s, &err), SHARC_EACCESS, &err, "refused");
    /* SHA-1 is none that we take. */
    assert_runs(dir, "openssl ts -query -data data -sha1 -cert -out q.tsq && "
                     "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out sha1.tsr");
    says(sharc_seal_stamp_read(sharc_buf_span(test_file(dir, "sha1.tsr")), &s, &err), SHARC_EUNSUPPORTED, &err,
         "SHA-256");
    test_rmdir(dir);
}

static void test_who_is_trusted(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    SHARC_AUTO(sharc_freep) char *ca = stamped(dir, &reply);
    struct sharc_seal_stamp s;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_runs(dir, "mkdir other");
    SHARC_AUTO(sharc_freep) char *other = sharc_path_join(dir, "other");
    make_root(other);
    SHARC_AUTO(sharc_freep) char *stranger = test_text(other, "ca.pem");
    says(sharc_seal_stamp_verify(sharc_buf_span(&reply), data, sharc_span_of(stranger), SHARC_SPAN_NONE, &s, &err),
         SHARC_EDIGEST, &err, "not trusted");
    /* Without its certificate it needs one from elsewhere. */
    assert_runs(dir, "openssl ts -query -data data -sha256 -out q.tsq && "
                     "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out bare.tsr");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bare = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES), out = SHARC_BUF_INIT(99);
    sharc_buf_put(&bare, sharc_buf_span(test_file(dir, "bare.tsr")));
    says(sharc_seal_stamp_verify(sharc_buf_span(&bare), data, sharc_span_of(ca), SHARC_SPAN_NONE, &s, &err),
         SHARC_EDIGEST, &err, "signer");
    says(sharc_seal_stamp_chain(sharc_buf_span(&bare), &out, &err), SHARC_ENOENT, &err, "not in the time stamp");
    SHARC_AUTO(sharc_freep) char *tsa = test_text(dir, "tsa.pem");
    if (sharc_seal_stamp_verify(sharc_buf_span(&bare), data, sharc_span_of(ca), sharc_span_of(tsa), &s, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(s.authority, "CN=Test Time,O=Test Archive");
    /* Nor may the certificate have ended before the stamp was made. */
    assert_runs(dir, "openssl x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -days -1 -extfile tsa.ext -out tsa.pem && "
                     "openssl ts -query -data data -sha256 -cert -out q.tsq && "
                     "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out old.tsr");
    says(sharc_seal_stamp_verify(sharc_buf_span(test_file(dir, "old.tsr")), data, sharc_span_of(ca), SHARC_SPAN_NONE,
                                 &s, &err),
         SHARC_EDIGEST, &err, "expired");
    test_rmdir(dir);
}

/* The reply that holds a token: SEQUENCE { SEQUENCE { INTEGER 0 }, token }. */
static void wrap(struct sharc_buf *out, struct sharc_span token)
{
    size_t n = 5 + token.n;
    const char head[] = {0x30, (char)0x82, (char)(n >> 8), (char)n, 0x30, 3, 2, 1, 0};
    assert_true(n > 255 && n < 65536);
    sharc_buf_put(out, sharc_span(head, sizeof head));
    sharc_buf_put(out, token);
}

/* Who has some other certificate of the same root must not be able to make stamps, of any date. */
static void test_other_certificates_stamp_nothing(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    static const struct {
        const char *extension, *says;
    } certificates[] = {
        {FOR_STAMPS, NULL}, /* the attack works as such */
        {"extendedKeyUsage=emailProtection", "purpose"},
        {"extendedKeyUsage=critical,serverAuth", "purpose"},
        {"extendedKeyUsage=critical,timeStamping,serverAuth", "purpose"},
        {"extendedKeyUsage=timeStamping", "purpose"}, /* must be critical */
        {"keyUsage=digitalSignature", "purpose"},
    };
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES), made = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    make_authority(dir);
    for (size_t i = 0; i < SHARC_LENGTH(certificates); i++) { /* before the stamp: a later one is not valid yet */
        char name[8];
        snprintf(name, sizeof name, "x%zu", i);
        make_leaf(dir, name, KEY_P256, "/CN=Stranger", certificates[i].extension);
    }
    SHARC_AUTO(sharc_freep) char *ca = stamp_now(dir, &reply);
    struct sharc_seal_stamp s;
    struct sharc_err err = SHARC_ERR_INIT;
    test_put(dir, "stamp.tsr", sharc_buf_span(&reply));
    assert_runs(dir, "openssl ts -reply -in stamp.tsr -token_out -out token && "
                     "openssl cms -verify -noverify -inform DER -in token -out content");
    for (size_t i = 0; i < SHARC_LENGTH(certificates); i++) {
        assert_runs(dir,
                    "openssl cms -sign -binary -nodetach -cades -md sha256 -econtent_type 1.2.840.113549.1.9.16.1.4 "
                    "-in content -signer x%zu.pem -inkey x%zu.key -outform DER -out made",
                    i, i);
        sharc_buf_clear(&made);
        wrap(&made, sharc_buf_span(test_file(dir, "made")));
        int r = sharc_seal_stamp_verify(sharc_buf_span(&made), data, sharc_span_of(ca), SHARC_SPAN_NONE, &s, &err);
        if (certificates[i].says)
            says(r, SHARC_EDIGEST, &err, certificates[i].says);
        else if (r < 0)
            fail_msg("%s", err.text);
    }
    test_rmdir(dir);
}

/* A digest that can be collided with signs nothing. */
static void test_weak_digest_of_the_signer(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    SHARC_AUTO(sharc_freep) char *ca = stamped(dir, &reply);
    struct sharc_seal_stamp s;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_runs(dir, "sed -i 's/^signer_digest.*/signer_digest = sha1/' tsa.cnf && "
                     "openssl ts -query -data data -sha256 -cert -out q.tsq && "
                     "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out weak.tsr");
    says(sharc_seal_stamp_verify(sharc_buf_span(test_file(dir, "weak.tsr")), data, sharc_span_of(ca), SHARC_SPAN_NONE,
                                 &s, &err),
         SHARC_EDIGEST, &err, "SHA1");
    test_rmdir(dir);
}

/* Every byte of a reply matters, the certificates in it and its frame included: any one changed, and it is refused. Two
 * bits of each: one after the other, and the one that tells upper from lower case, which comparisons of names pass
 * over. */
static void test_every_byte(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    SHARC_AUTO(sharc_freep) char *ca = stamped(dir, &reply);
    struct sharc_seal_stamp want, s;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_seal_stamp_verify(sharc_buf_span(&reply), data, sharc_span_of(ca), SHARC_SPAN_NONE, &want,
                                             &err),
                     0);
    for (size_t i = 0; i < 2 * reply.n; i++) {
        size_t bit = i % 2 ? 5 : i / 2 % 8;
        reply.p[i / 2] ^= (char)(1 << bit);
        int r = sharc_seal_stamp_verify(sharc_buf_span(&reply), data, sharc_span_of(ca), SHARC_SPAN_NONE, &s, &err);
        reply.p[i / 2] ^= (char)(1 << bit);
        if (r == 0 || !err.text[0]) fail_msg("byte %zu, bit %zu: %d", i / 2, bit, r);
    }
    for (size_t n = 0; n < reply.n; n++)
        assert_true(
            sharc_seal_stamp_verify(sharc_span(reply.p, n), data, sharc_span_of(ca), SHARC_SPAN_NONE, &s, &err) < 0);
    sharc_buf_put_char(&reply, 0);
    says(sharc_seal_stamp_verify(sharc_buf_span(&reply), data, sharc_span_of(ca), SHARC_SPAN_NONE, &s, &err),
         SHARC_ESYNTAX, &err, "1 bytes behind");
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stamp),
    cmocka_unit_test(test_wrong_answers),
    cmocka_unit_test(test_who_is_trusted),
    cmocka_unit_test(test_other_certificates_stamp_nothing),
    cmocka_unit_test(test_weak_digest_of_the_signer),
    cmocka_unit_test(test_every_byte),
};
TEST_MAIN(tests)
