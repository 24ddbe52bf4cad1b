/* SPDX-License-Identifier: Apache-2.0 */
#include "../seal/openssl_test.h"

#include "sharc/base_arena.h"
#include "sharc/wacz_sign.h"

static const char hash[] = "sha256:3dd086a0be145d1108bf32a5cac7c4b4c046eb78365792d4bb28e9f43e3c6571";
#define NOW (1794825300 * SHARC_SEC)

static void says(int r, int code, const struct sharc_err *err, const char *word)
{
    if (r != code || !strstr(err->text, word)) fail_msg("%d, not %d with \"%s\": %s", r, code, word, err->text);
}

static struct sharc_seal_key *new_key(enum sharc_seal_kind kind)
{
    struct sharc_seal_key *k = NULL;
    assert_int_equal(sharc_seal_key_make(kind, &k, NULL), 0);
    return k;
}

static int sign_at(const struct sharc_wacz_signer *s, sharc_time at, struct sharc_buf *out, struct sharc_err *err)
{
    struct sharc_json j;
    sharc_buf_clear(out);
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    int r = sharc_wacz_signer_check(s, err);
    if (r == 0) r = sharc_wacz_sign((void *)(uintptr_t)s, sharc_span_of(hash), at, "sharc test", &j, err);
    if (r == 0) sharc_json_end(&j);
    return r;
}

static int check(struct sharc_span json, const char *about, const struct sharc_wacz_trust *trust,
                 struct sharc_wacz_signature *ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(4 << 20);
    const struct sharc_node *n;
    int r = sharc_json_read(json, &arena, &n, err);
    return r < 0 ? r : sharc_wacz_signature_check(n, sharc_span_of(about), trust, ret, err);
}

static void anonymous_is_checked(void **state)
{
    (void)state;
    static const enum sharc_seal_kind kinds[] = {SHARC_SEAL_P256, SHARC_SEAL_P384};
    for (size_t i = 0; i < 2; i++) {
        SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = new_key(kinds[i]), *other = new_key(kinds[i]);
        SHARC_AUTO(sharc_buf_done)
        struct sharc_buf out = SHARC_BUF_INIT(10000), mine = SHARC_BUF_INIT(1000), theirs = SHARC_BUF_INIT(1000);
        struct sharc_wacz_signer s = {.key = k};
        struct sharc_wacz_signature got;
        struct sharc_err err = SHARC_ERR_INIT;
        if (sign_at(&s, NOW, &out, &err) < 0) fail_msg("%s", err.text);
        if (check(sharc_buf_span(&out), hash, NULL, &got, &err) < 0) fail_msg("%s", err.text);
        assert_true(got.there && got.right && !got.expected && !got.trusted);
        assert_string_equal(got.domain, "");
        assert_int_equal(got.created, NOW);
        assert_int_equal(got.stamped, SHARC_TIME_NONE);
        sharc_seal_key_pem(k, &mine);
        sharc_seal_key_pem(other, &theirs);
        struct sharc_wacz_trust trust = {.key = sharc_buf_span(&mine)};
        assert_int_equal(check(sharc_buf_span(&out), hash, &trust, &got, &err), 0);
        assert_true(got.expected);
        trust.key = sharc_buf_span(&theirs);
        says(check(sharc_buf_span(&out), hash, &trust, &got, &err), SHARC_EDIGEST, &err, "another key");
        assert_false(got.right || got.expected);
        says(check(sharc_buf_span(&out), "sha256:00", NULL, &got, &err), SHARC_EDIGEST, &err, "another hash");
        trust.key = SHARC_SPAN("no key");
        says(check(sharc_buf_span(&out), hash, &trust, &got, &err), SHARC_ESYNTAX, &err, "must have signed");
    }
}

/* Every byte of signedData, changed: refused, or nothing that is signed has changed. */
static void every_byte_counts(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = new_key(SHARC_SEAL_P384);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(10000);
    struct sharc_wacz_signer s = {.key = k};
    struct sharc_wacz_signature want, got;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sign_at(&s, NOW, &out, &err), 0);
    assert_int_equal(check(sharc_buf_span(&out), hash, NULL, &want, &err), 0);
    /* created, software and version are not signed: that is how the standard has it. */
    size_t from = sharc_span_search(sharc_buf_span(&out), SHARC_SPAN("\"created\""));
    size_t to = sharc_span_search(sharc_buf_span(&out), SHARC_SPAN("\"signature\""));
    for (size_t i = 0; i < out.n; i++) {
        if (i >= from && i < to) continue;
        if (sharc_is_space(out.p[i])) continue;
        out.p[i] ^= 1;
        int r = check(sharc_buf_span(&out), hash, NULL, &got, &err);
        out.p[i] ^= 1;
        if (r == 0) fail_msg("byte %zu (%c) may be altered", i, out.p[i]);
        assert_true(err.text[0] != 0);
    }
}

static void only_some_may_sign(void **state)
{
    (void)state;
    need_openssl();
    char *dir = test_mkdir();
    make_root(dir);
    make_leaf(dir, "nobody", KEY_P256, "/O=Nobody", "keyUsage=digitalSignature");
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *ed = new_key(SHARC_SEAL_ED25519), *half = NULL;
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *p256 = new_key(SHARC_SEAL_P256), *nobody = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf pem = SHARC_BUF_INIT(1000);
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *chain = NULL;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "nobody.key");
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_seal_key_pem(p256, &pem);
    assert_int_equal(sharc_seal_key_read(sharc_buf_span(&pem), &half, &err), 0);
    assert_int_equal(sharc_seal_key_load(path, SHARC_SPAN_NONE, &nobody, &err), 0);
    assert_int_equal(sharc_seal_chain_read(sharc_buf_span(test_file(dir, "nobody.pem")), &chain, &err), 0);
    sharc_seal_ask_fn *ask = (sharc_seal_ask_fn *)(void (*)(void))abort; /* never called */
    struct sharc_wacz_signer s = {.key = ed};
    says(sharc_wacz_signer_check(&s, &err), SHARC_EUNSUPPORTED, &err, "Ed25519");
    s.key = half;
    says(sharc_wacz_signer_check(&s, &err), SHARC_EINVAL, &err, "private");
    s = (struct sharc_wacz_signer){.key = p256, .ask = ask};
    says(sharc_wacz_signer_check(&s, &err), SHARC_EINVAL, &err, "certificate chain as well");
    s = (struct sharc_wacz_signer){.key = p256, .chain = chain};
    says(sharc_wacz_signer_check(&s, &err), SHARC_EINVAL, &err, "needs a time stamp");
    s.ask = ask;
    says(sharc_wacz_signer_check(&s, &err), SHARC_EINVAL, &err, "names no domain");
    test_rmdir(dir);
}

/* --- a domain ------------------------------------------------------------------------ */

static int stamp(void *arg, struct sharc_span query, struct sharc_buf *reply, struct sharc_err *reterr)
{
    const char *dir = arg;
    (void)reterr;
    test_put(dir, "q.tsq", query);
    assert_runs(dir, "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out r.tsr");
    return sharc_buf_put(reply, sharc_buf_span(test_file(dir, "r.tsr")));
}

static void make_authority(const char *dir)
{
    make_root(dir);
    make_leaf(dir, "tsa", KEY_P256, "/CN=Test Time", "extendedKeyUsage=critical,timeStamping");
    test_put(dir, "tsa.cnf",
             SHARC_SPAN("[tsa]\ndefault_tsa = t\n[t]\nserial = serial\ncrypto_device = builtin\nsigner_cert = tsa.pem\n"
                        "signer_key = tsa.key\nsigner_digest = sha256\ndefault_policy = 1.2.3.4.1\ncerts = ca.pem\n"
                        "digests = sha256\n"));
    test_put(dir, "serial", SHARC_SPAN("01\n"));
}

static sharc_time now(void)
{
    return sharc_clock_real()->now(sharc_clock_real());
}

struct domain {
    char *dir, *ca;
    struct sharc_seal_key *key;
    struct sharc_seal_chain *chain;
    struct sharc_wacz_signer signer;
};

static void domain_init(struct domain *d)
{
    need_openssl();
    d->dir = test_mkdir();
    make_authority(d->dir);
    make_leaf(d->dir, "d", KEY_P256, "/CN=archive.example", "subjectAltName=DNS:archive.example");
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(d->dir, "d.key");
    d->key = NULL;
    d->chain = NULL;
    assert_int_equal(sharc_seal_key_load(path, SHARC_SPAN_NONE, &d->key, NULL), 0);
    assert_int_equal(sharc_seal_chain_read(sharc_buf_span(test_file(d->dir, "d.chain")), &d->chain, NULL), 0);
    d->ca = test_text(d->dir, "ca.pem");
    d->signer = (struct sharc_wacz_signer){.key = d->key, .chain = d->chain, .ask = stamp, .ask_arg = d->dir};
}

static void domain_done(struct domain *d)
{
    free(d->ca);
    sharc_seal_key_free(d->key);
    sharc_seal_chain_free(d->chain);
    test_rmdir(d->dir);
}

static void domain_is_checked(void **state)
{
    (void)state;
    struct domain d;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(100000);
    struct sharc_wacz_signature got;
    struct sharc_err err = SHARC_ERR_INIT;
    domain_init(&d);
    if (sign_at(&d.signer, now(), &out, &err) < 0) fail_msg("%s", err.text);
    if (check(sharc_buf_span(&out), hash, NULL, &got, &err) < 0) fail_msg("%s", err.text);
    assert_string_equal(got.domain, "archive.example");
    assert_string_equal(got.authority, "CN=Test Time");
    assert_true(got.right && !got.trusted && now() - got.stamped < SHARC_HOUR);
    struct sharc_wacz_trust trust = {.trusted = sharc_span_of(d.ca)};
    if (check(sharc_buf_span(&out), hash, &trust, &got, &err) < 0) fail_msg("%s", err.text);
    assert_true(got.trusted);
    /* The certificate can be the expected key, too. */
    SHARC_AUTO(sharc_freep) char *leaf = test_text(d.dir, "d.pem");
    trust.key = sharc_span_of(leaf);
    assert_int_equal(check(sharc_buf_span(&out), hash, &trust, &got, &err), 0);
    assert_true(got.trusted && got.expected);

    assert_runs(d.dir, "mkdir other");
    SHARC_AUTO(sharc_freep) char *other = sharc_path_join(d.dir, "other");
    make_root(other);
    SHARC_AUTO(sharc_freep) char *stranger = test_text(other, "ca.pem");
    trust = (struct sharc_wacz_trust){.trusted = sharc_span_of(stranger)};
    says(check(sharc_buf_span(&out), hash, &trust, &got, &err), SHARC_EDIGEST, &err, "timeSignature");
    domain_done(&d);
}

static void replace_text(struct sharc_buf *b, const char *from, const char *to)
{
    size_t at = sharc_span_search(sharc_buf_span(b), sharc_span_of(from));
    assert_true(at != SHARC_NPOS);
    assert_int_equal(sharc_buf_splice(b, at, strlen(from), sharc_span_of(to)), 0);
}

static void domain_refuses(void **state)
{
    (void)state;
    struct domain d;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf good = SHARC_BUF_INIT(100000), b = SHARC_BUF_INIT(100000);
    struct sharc_wacz_signature got;
    struct sharc_err err = SHARC_ERR_INIT;
    static const char *const cases[][3] = {
        {"\"archive.example\"", "\"other.example\"", "names the domain"},
        {"\"domain\"", "\"observer\"", "does not belong"},
        {"\"domainCert\": \"-----BEGIN", "\"domainCert\": \"-----START", "another key"},
        {"\"timeSignature\": \"MII", "\"timeSignature\": \"AII", "timeSignature"},
        {"\"signature\": \"ME", "\"signature\": \"MA", "signature"},
        {"\"created\": \"20", "\"created\": \"19", "ten minutes"},
        {"\"created\": \"20", "\"created\": \"no", "not a time"},
    };
    domain_init(&d);
    if (sign_at(&d.signer, now(), &good, &err) < 0) fail_msg("%s", err.text);
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        sharc_buf_clear(&b);
        sharc_buf_put(&b, sharc_buf_span(&good));
        replace_text(&b, cases[i][0], cases[i][1]);
        if (check(sharc_buf_span(&b), hash, NULL, &got, &err) == 0) fail_msg("%s is taken", cases[i][1]);
        if (!strstr(err.text, cases[i][2])) fail_msg("%s: %s", cases[i][1], err.text);
        assert_false(got.right);
    }
    /* A stamp made more than ten minutes after what the signer says. */
    assert_int_equal(sign_at(&d.signer, now() - 11 * SHARC_MINUTE, &b, &err), 0);
    says(check(sharc_buf_span(&b), hash, NULL, &got, &err), SHARC_EDIGEST, &err, "ten minutes");
    domain_done(&d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(anonymous_is_checked), cmocka_unit_test(every_byte_counts), cmocka_unit_test(only_some_may_sign),
    cmocka_unit_test(domain_is_checked),    cmocka_unit_test(domain_refuses),
};
TEST_MAIN(tests)
