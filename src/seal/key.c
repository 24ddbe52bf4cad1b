/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys in memory: what they are, and their public halves as text.
 */
#include "seal_int.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

static const struct {
    const char *name, *algorithm, *curve; /* as OpenSSL calls them */
} kinds[SHARC_SEAL_KINDS] = {
    [SHARC_SEAL_ED25519] = {"Ed25519", "ED25519", NULL},
    [SHARC_SEAL_P256] = {"ECDSA P-256", "EC", "prime256v1"},
    [SHARC_SEAL_P384] = {"ECDSA P-384", "EC", "secp384r1"},
    [SHARC_SEAL_RSA] = {"RSA", "RSA", NULL},
};
enum { LEAST_RSA_BITS = 2048, MOST_RSA_BITS = 16384 };

const char *sharc_seal_kind_name(enum sharc_seal_kind kind)
{
    SHARC_ASSERT(kind < SHARC_SEAL_KINDS);
    return kinds[kind].name;
}

void sharc_seal_key_free(struct sharc_seal_key *k)
{
    if (!k) return;
    EVP_PKEY_free(k->pkey);
    free(k);
}

void sharc_seal_key_freep(struct sharc_seal_key **k)
{
    sharc_seal_key_free(*k);
    *k = NULL;
}

static bool is_of(const EVP_PKEY *pkey, size_t kind)
{
    char curve[40] = "";
    if (!EVP_PKEY_is_a(pkey, kinds[kind].algorithm)) return false;
    if (!kinds[kind].curve) return true;
    return EVP_PKEY_get_group_name(pkey, curve, sizeof curve, NULL) == 1 && strcmp(curve, kinds[kind].curve) == 0;
}

int sharc__seal_key_wrap(EVP_PKEY *pkey, bool whole, struct sharc_seal_key **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_pkey_free) EVP_PKEY *held = pkey;
    size_t kind = 0;
    while (kind < SHARC_SEAL_KINDS && !is_of(pkey, kind)) kind++;
    const char *type = EVP_PKEY_get0_type_name(pkey);
    SHARC_FAIL_IF(kind == SHARC_SEAL_KINDS, reterr, SHARC_EUNSUPPORTED,
                  "a key of type %s is not supported: use Ed25519, ECDSA with P-256 or P-384, or RSA",
                  type ? type : "unknown");
    int bits = EVP_PKEY_get_bits(pkey);
    SHARC_FAIL_IF(kind == SHARC_SEAL_RSA && (bits < LEAST_RSA_BITS || bits > MOST_RSA_BITS), reterr, SHARC_EUNSUPPORTED,
                  "an RSA key of %d bits is not supported: use 2048 to 16384 bits", bits);
    struct sharc_seal_key *k = SHARC_NEW(struct sharc_seal_key);
    *k = (struct sharc_seal_key){.pkey = SHARC_TAKE(held), .kind = (enum sharc_seal_kind)kind, .whole = whole};
    *ret = k;
    return 0;
}

int sharc_seal_key_make(enum sharc_seal_kind kind, struct sharc_seal_key **ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(kind >= SHARC_SEAL_RSA, reterr, SHARC_EUNSUPPORTED, "RSA keys are read, not made: use Ed25519");
    EVP_PKEY *pkey = kinds[kind].curve ? EVP_EC_gen(kinds[kind].curve) : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    SHARC_FAIL_IF(!pkey, reterr, SHARC_EIO, "no key could be made: %s", sharc__seal_why());
    return sharc__seal_key_wrap(pkey, true, ret, reterr);
}

/* --- public halves ---------------------------------------------------------- */

static EVP_PKEY *read_certificate_key(struct sharc_span pem)
{
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = sharc__seal_bio(pem);
    X509 *x = b ? PEM_read_bio_X509(b, NULL, NULL, NULL) : NULL;
    EVP_PKEY *pkey = x ? X509_get_pubkey(x) : NULL;
    X509_free(x);
    return pkey;
}

int sharc_seal_key_read(struct sharc_span pem, struct sharc_seal_key **ret, struct sharc_err *reterr)
{
    bool certificate = sharc_span_search(pem, SHARC_SPAN("-----BEGIN CERTIFICATE-----")) != SHARC_NPOS;
    SHARC_FAIL_IF(!certificate && sharc_span_search(pem, SHARC_SPAN("PRIVATE KEY-----")) != SHARC_NPOS, reterr,
                  SHARC_EINVAL, "this is a private key where a public key or a certificate is needed");
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = sharc__seal_bio(pem);
    EVP_PKEY *pkey = certificate ? read_certificate_key(pem) : b ? PEM_read_bio_PUBKEY(b, NULL, NULL, NULL) : NULL;
    ERR_clear_error();
    SHARC_FAIL_IF(!pkey, reterr, SHARC_ESYNTAX, "there is no public key or certificate in the form of PEM");
    return sharc__seal_key_wrap(pkey, false, ret, reterr);
}

int sharc_seal_key_read_der(struct sharc_span der, struct sharc_seal_key **ret, struct sharc_err *reterr)
{
    const unsigned char *p = (const unsigned char *)der.p, *end = p + der.n;
    EVP_PKEY *pkey = der.n && der.n < 65536 ? d2i_PUBKEY(NULL, &p, (long)der.n) : NULL;
    if (pkey && p != end) {
        EVP_PKEY_free(pkey);
        pkey = NULL;
    }
    ERR_clear_error();
    SHARC_FAIL_IF(!pkey, reterr, SHARC_ESYNTAX, "these bytes are not a public key");
    return sharc__seal_key_wrap(pkey, false, ret, reterr);
}

enum sharc_seal_kind sharc_seal_key_kind(const struct sharc_seal_key *k)
{
    return k->kind;
}

bool sharc_seal_key_private(const struct sharc_seal_key *k)
{
    return k->whole;
}

static void put_bio(BIO *b, struct sharc_buf *out)
{
    char *p;
    long n = BIO_get_mem_data(b, &p);
    sharc_buf_put(out, sharc_span(p, (size_t)n));
}

static void put_public(const struct sharc_seal_key *k, int (*write)(BIO *, const EVP_PKEY *), struct sharc_buf *out)
{
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = BIO_new(BIO_s_mem());
    if (!b || write(b, k->pkey) != 1) SHARC_BUG("OpenSSL cannot write a public key");
    put_bio(b, out);
}

void sharc_seal_key_pem(const struct sharc_seal_key *k, struct sharc_buf *out)
{
    put_public(k, PEM_write_bio_PUBKEY, out);
}

void sharc_seal_key_der(const struct sharc_seal_key *k, struct sharc_buf *out)
{
    put_public(k, i2d_PUBKEY_bio, out);
}

void sharc_seal_key_fingerprint(const struct sharc_seal_key *k, struct sharc_digest *ret)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf der = SHARC_BUF_INIT(65536);
    sharc_seal_key_der(k, &der);
    sharc_digest_of(SHARC_SHA256, sharc_buf_span(&der), ret);
}
