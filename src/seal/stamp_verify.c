/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a time stamp about these bytes, and who says so?
 */
#include "stamp_int.h"

#include "sharc/base_exhausted.h"

#include <openssl/err.h>
#include <openssl/pkcs7.h>
#include <stdio.h>

SHARC__SEAL_CLEANUP(free_verify, TS_VERIFY_CTX, TS_VERIFY_CTX_free)

/* --- who signed --------------------------------------------------------------- */

/* Certificates beside those in the token; NULL: none. */
static STACK_OF(X509) * others(struct sharc_span untrusted)
{
    STACK_OF(X509) *all = NULL;
    if (untrusted.n) sharc__seal_read_certificates(untrusted, SHARC_SEAL_CHAIN_LENGTH, &all, NULL);
    return all;
}

/* The certificate of the one signer, which lives with the token or with beside; NULL: it is not there. */
static X509 *signer_of(TS_RESP *resp, STACK_OF(X509) * beside)
{
    PKCS7 *token = TS_RESP_get_token(resp);
    STACK_OF(X509) *signers = PKCS7_type_is_signed(token) ? PKCS7_get0_signers(token, beside, 0) : NULL;
    X509 *x = signers && sk_X509_num(signers) == 1 ? sk_X509_value(signers, 0) : NULL;
    sk_X509_free(signers);
    ERR_clear_error();
    return x;
}

void sharc__seal_stamp_authority(TS_RESP *resp, struct sharc_span untrusted, struct sharc_seal_stamp *ret)
{
    SHARC_AUTO(sharc__seal_x509s_free) STACK_OF(X509) *beside = others(untrusted);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(4096);
    X509 *x = signer_of(resp, beside);
    if (x) sharc__seal_put_name(X509_get_subject_name(x), &name);
    snprintf(ret->authority, sizeof ret->authority, "%s", sharc_buf_str(&name));
}

int sharc_seal_stamp_chain(struct sharc_span reply, struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_resp_free) TS_RESP *resp = NULL;
    int r = sharc__seal_stamp_open(reply, &resp, reterr);
    if (r < 0) return r;
    X509 *x = signer_of(resp, NULL);
    SHARC_FAIL_IF(!x, reterr, SHARC_ENOENT, "the certificate of the time-stamp authority is not in the time stamp");
    const STACK_OF(X509) *in = TS_RESP_get_token(resp)->d.sign->cert;
    /* From each to its issuer; a root is its own, and no chain is longer than the certificates there are. */
    for (int count = 0; x && count < sk_X509_num(in); count++) {
        X509 *issuer = NULL;
        sharc__seal_put_certificate(x, count > 0, out);
        for (int i = 0; !issuer && i < sk_X509_num(in); i++) {
            X509 *y = sk_X509_value(in, i);
            if (X509_cmp(x, y) != 0 && X509_check_issued(y, x) == X509_V_OK) issuer = y;
        }
        x = issuer;
    }
    ERR_clear_error();
    return sharc_buf_result(out, reterr);
}

/* --- whether it is right -------------------------------------------------------- */

static int check_imprint(const struct sharc_seal_stamp *s, struct sharc_span data, struct sharc_err *reterr)
{
    struct sharc_digest d;
    sharc_digest_of(s->imprint.kind, data, &d);
    SHARC_FAIL_IF(
        !sharc_digest_eq(&d, &s->imprint), reterr, SHARC_EDIGEST,
        "the time stamp is about other bytes: they were altered after it was made, or it belongs to another file");
    return 0;
}

/* The certificates' own signatures are held against a level; that of the token is the signer's affair. */
static int check_digest(TS_RESP *resp, struct sharc_err *reterr)
{
    STACK_OF(PKCS7_SIGNER_INFO) *signers = PKCS7_get_signer_info(TS_RESP_get_token(resp));
    for (int i = 0; i < sk_PKCS7_SIGNER_INFO_num(signers); i++) {
        int nid = OBJ_obj2nid(sk_PKCS7_SIGNER_INFO_value(signers, i)->digest_alg->algorithm);
        SHARC_FAIL_IF(nid != NID_sha256 && nid != NID_sha384 && nid != NID_sha512, reterr, SHARC_EDIGEST,
                      "the time stamp is signed over %s, which is too weak or not known", OBJ_nid2sn(nid));
    }
    return 0;
}

/* The algorithm that a signer names is the one of its key, or one with that key and that digest. */
static bool fits_key(const PKCS7_SIGNER_INFO *signer, X509 *certificate)
{
    EVP_PKEY *key = certificate ? X509_get0_pubkey(certificate) : NULL;
    int named = OBJ_obj2nid(signer->digest_enc_alg->algorithm), digest = NID_undef, kind = NID_undef;
    if (!key) return true; /* told elsewhere */
    if (named == EVP_PKEY_get_base_id(key)) return true;
    return OBJ_find_sigid_algs(named, &digest, &kind) == 1 && kind == EVP_PKEY_get_base_id(key) &&
           (digest == NID_undef || digest == OBJ_obj2nid(signer->digest_alg->algorithm));
}

/* Names are compared without regard to case, and no signature covers this one: it must have the certificate's bytes. */
static bool names_certificate(const PKCS7_SIGNER_INFO *signer, X509 *certificate)
{
    const unsigned char *a, *b;
    size_t m, n;
    if (!certificate) return true; /* told elsewhere */
    return X509_NAME_get0_der(signer->issuer_and_serial->issuer, &a, &m) == 1 &&
           X509_NAME_get0_der(X509_get_issuer_name(certificate), &b, &n) == 1 &&
           sharc_span_eq(sharc_span(a, m), sharc_span(b, n));
}

/* Versions and lists of algorithms that no signature covers, and that OpenSSL does not look at. RFC 5652: a signed
 * content that is no plain data has version 3, a signer named by issuer and number version 1; the digests announced are
 * those of the signers. */
static int check_frame(TS_RESP *resp, struct sharc_span untrusted, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_x509s_free) STACK_OF(X509) *beside = others(untrusted);
    X509 *certificate = signer_of(resp, beside);
    const PKCS7_SIGNED *sign = TS_RESP_get_token(resp)->d.sign;
    bool right = ASN1_INTEGER_get(sign->version) == 3 && sk_X509_ALGOR_num(sign->md_algs) == 1;
    for (int i = 0; right && i < sk_PKCS7_SIGNER_INFO_num(sign->signer_info); i++) {
        const PKCS7_SIGNER_INFO *signer = sk_PKCS7_SIGNER_INFO_value(sign->signer_info, i);
        right = ASN1_INTEGER_get(signer->version) == 1 && fits_key(signer, certificate) &&
                names_certificate(signer, certificate) &&
                X509_ALGOR_cmp(sk_X509_ALGOR_value(sign->md_algs, 0), signer->digest_alg) == 0;
    }
    SHARC_FAIL_IF(!right, reterr, SHARC_EDIGEST, "the frame of the time stamp is not as it is made: it was altered");
    return 0;
}

/* DER has one spelling: what is read and written again has the same bytes, or a bit was flipped that no reader looks
 * at. */
static int check_spelling(TS_RESP *resp, struct sharc_span reply, struct sharc_err *reterr)
{
    unsigned char *der = NULL;
    int n = i2d_TS_RESP(resp, &der);
    bool same = n >= 0 && sharc_span_eq(sharc_span(der, (size_t)n), reply);
    OPENSSL_free(der);
    ERR_clear_error();
    SHARC_FAIL_IF(
        !same, reterr, SHARC_EDIGEST,
        "the time stamp is not written as DER wants it: it was altered, or its authority writes it otherwise");
    return 0;
}

/* Why the token is not right, in words: the reason of the certificates stands in the data of the error. */
static int fail_signature(struct sharc_err *reterr)
{
    const char *data = NULL;
    int flags = 0;
    unsigned long code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
    const char *why = code ? ERR_reason_error_string(code) : NULL;
    int r = sharc_fail(reterr, SHARC_EDIGEST, "the signature of the time stamp is not right or not trusted: %s%s%s",
                       why ? why : "unknown reason", data && data[0] && flags & ERR_TXT_STRING ? ": " : "",
                       data && flags & ERR_TXT_STRING ? data : "");
    ERR_clear_error();
    return r;
}

/* By its name, or by the number of its key, or as one that signed itself and has a key that is trusted. */
static bool names_issuer(X509 *x, X509 *y, bool trusted)
{
    const ASN1_OCTET_STRING *wanted = X509_get0_authority_key_id(x), *had = X509_get0_subject_key_id(y);
    if (X509_NAME_cmp(X509_get_subject_name(y), X509_get_issuer_name(x)) == 0) return true;
    if (wanted && had && ASN1_OCTET_STRING_cmp(wanted, had) == 0) return true;
    return trusted && X509_check_issued(y, y) == X509_V_OK &&
           X509_NAME_cmp(X509_get_subject_name(x), X509_get_subject_name(y)) == 0 &&
           EVP_PKEY_eq(X509_get0_pubkey(x), X509_get0_pubkey(y)) == 1;
}

/* Counts those of `in` that x says are its issuer, and of these the ones that did sign it. */
static void count_issuers(X509 *x, const STACK_OF(X509) * in, bool trusted, unsigned *named, unsigned *right)
{
    for (int i = 0; i < sk_X509_num(in); i++) {
        X509 *y = sk_X509_value(in, i);
        if (!names_issuer(x, y, trusted)) continue;
        EVP_PKEY *key = X509_get0_pubkey(y);
        *named += 1;
        *right += key && X509_verify(x, key) == 1;
    }
}

/* OpenSSL passes over certificates in the token that it does not need. Damage there is damage all the same. */
static int check_certificates(TS_RESP *resp, struct sharc_span trusted, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_x509s_free) STACK_OF(X509) *roots = NULL;
    const STACK_OF(X509) *in = TS_RESP_get_token(resp)->d.sign->cert;
    bool altered = false;
    if (trusted.n) sharc__seal_read_certificates(trusted, SHARC__SEAL_MOST_TRUSTED, &roots, NULL);
    for (int i = 0; !altered && i < sk_X509_num(in); i++) {
        unsigned named = 0, right = 0;
        count_issuers(sk_X509_value(in, i), in, /* trusted= */ false, &named, &right);
        count_issuers(sk_X509_value(in, i), roots, /* trusted= */ true, &named, &right);
        altered = named > 0 && right == 0;
    }
    ERR_clear_error();
    SHARC_FAIL_IF(altered, reterr, SHARC_EDIGEST,
                  "a certificate in the time stamp was altered: its issuer did not sign it");
    return 0;
}

/* The whole of OpenSSL's check of a token, its certificate valid at the time that it states. Without trusted
 * certificates, the signer's own is trusted: all but who it is gets checked. */
static int check_token(TS_RESP *resp, const struct sharc_seal_stamp *s, struct sharc_span trusted,
                       struct sharc_span untrusted, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf own = SHARC_BUF_INIT(SHARC_SEAL_CHAIN_BYTES);
    SHARC_AUTO(sharc__seal_x509s_free) STACK_OF(X509) *beside = others(untrusted);
    X509 *signer = signer_of(resp, beside);
    SHARC_FAIL_IF(!signer, reterr, SHARC_EDIGEST,
                  "the time stamp does not have exactly one signer whose certificate is known");
    if (!trusted.n) {
        sharc__seal_put_certificate(signer, false, &own);
        trusted = sharc_buf_span(&own);
    }
    X509_STORE *store = NULL;
    int r = sharc__seal_trust(trusted, s->at, &store, reterr);
    if (r < 0) return r;
    SHARC_AUTO(free_verify) TS_VERIFY_CTX *v = TS_VERIFY_CTX_new();
    if (!v) sharc__no_memory();
    TS_VERIFY_CTX_set_flags(v, TS_VFY_VERSION | TS_VFY_SIGNATURE);
    TS_VERIFY_CTX_set_store(v, store); /* v owns both now */
    if (beside) TS_VERIFY_CTX_set_certs(v, SHARC_TAKE(beside));
    ERR_clear_error();
    return TS_RESP_verify_response(v, resp) == 1 ? 0 : fail_signature(reterr);
}

int sharc_seal_stamp_verify(struct sharc_span reply, struct sharc_span data, struct sharc_span trusted,
                            struct sharc_span untrusted, struct sharc_seal_stamp *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_resp_free) TS_RESP *resp = NULL;
    struct sharc_seal_stamp s;
    int r = sharc__seal_stamp_open(reply, &resp, reterr);
    if (r == 0) r = sharc__seal_stamp_facts(resp, &s, reterr);
    if (r == 0) r = check_imprint(&s, data, reterr);
    if (r == 0) r = check_spelling(resp, reply, reterr);
    if (r == 0) r = check_digest(resp, reterr);
    if (r == 0) r = check_frame(resp, untrusted, reterr);
    if (r == 0) r = check_token(resp, &s, trusted, untrusted, reterr);
    if (r == 0) r = check_certificates(resp, trusted, reterr);
    if (r < 0) return r;
    sharc__seal_stamp_authority(resp, untrusted, &s);
    *ret = s;
    return 0;
}
