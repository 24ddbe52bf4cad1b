/* SPDX-License-Identifier: Apache-2.0
 *
 * Bare signatures over exact bytes. Ed25519 hashes by itself; the others sign SHA-256.
 */
#include "seal_int.h"

#include <openssl/err.h>

static const EVP_MD *hash_of(const struct sharc_seal_key *k)
{
    return k->kind == SHARC_SEAL_ED25519 ? NULL : EVP_sha256();
}

int sharc_seal_sign(const struct sharc_seal_key *k, struct sharc_span data, struct sharc_buf *out,
                    struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!k->whole, reterr, SHARC_EINVAL, "a private key is needed to sign, this is a public one");
    SHARC_AUTO(sharc__seal_md_ctx_free) EVP_MD_CTX *c = EVP_MD_CTX_new();
    unsigned char bytes[SHARC_SEAL_SIGNATURE];
    size_t n = sizeof bytes;
    ERR_clear_error();
    bool ok = c && EVP_DigestSignInit(c, NULL, hash_of(k), NULL, k->pkey) == 1 &&
              EVP_DigestSign(c, bytes, &n, (const unsigned char *)data.p, data.n) == 1;
    SHARC_FAIL_IF(!ok, reterr, SHARC_EIO, "nothing could be signed with this key: %s", sharc__seal_why());
    sharc_buf_put(out, sharc_span(bytes, n));
    return sharc_buf_result(out, reterr);
}

/* Can these bytes be a signature of such a key? Its length says so, but for ECDSA, where it varies. */
static int check_form(const struct sharc_seal_key *k, struct sharc_span s, struct sharc_err *reterr)
{
    size_t n = (size_t)EVP_PKEY_get_size(k->pkey);
    bool der = k->kind == SHARC_SEAL_P256 || k->kind == SHARC_SEAL_P384;
    SHARC_FAIL_IF(!der && s.n != n, reterr, SHARC_ESYNTAX, "the signature has %zu bytes, one of %s has %zu", s.n,
                  sharc_seal_kind_name(k->kind), n);
    SHARC_FAIL_IF(der && (s.n < 8 || s.n > n || s.p[0] != 0x30), reterr, SHARC_ESYNTAX,
                  "the signature is not one of %s in the form of DER", sharc_seal_kind_name(k->kind));
    return 0;
}

int sharc_seal_verify(const struct sharc_seal_key *k, struct sharc_span data, struct sharc_span signature,
                      struct sharc_err *reterr)
{
    int r = check_form(k, signature, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc__seal_md_ctx_free) EVP_MD_CTX *c = EVP_MD_CTX_new();
    ERR_clear_error();
    bool ok = c && EVP_DigestVerifyInit(c, NULL, hash_of(k), NULL, k->pkey) == 1 &&
              EVP_DigestVerify(c, (const unsigned char *)signature.p, signature.n, (const unsigned char *)data.p,
                               data.n) == 1;
    ERR_clear_error();
    SHARC_FAIL_IF(!ok, reterr, SHARC_EDIGEST,
                  "the signature is not one of this %s key over these bytes: the bytes or the signature were altered, "
                  "or it is another key",
                  sharc_seal_kind_name(k->kind));
    return 0;
}
