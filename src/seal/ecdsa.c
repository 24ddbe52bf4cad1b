/* SPDX-License-Identifier: Apache-2.0
 *
 * The two ways to write an ECDSA signature: DER, and its two numbers one behind the other
 * (IEEE P1363), each as long as the curve's.
 */
#include "seal_int.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>

SHARC__SEAL_CLEANUP(free_signature, ECDSA_SIG, ECDSA_SIG_free)

static size_t number_size(const struct sharc_seal_key *k)
{
    return k->kind == SHARC_SEAL_P256 ? 32 : k->kind == SHARC_SEAL_P384 ? 48 : 0;
}

int sharc_seal_ecdsa_plain(const struct sharc_seal_key *k, struct sharc_span der, struct sharc_buf *out,
                           struct sharc_err *reterr)
{
    size_t n = number_size(k);
    const unsigned char *p = (const unsigned char *)der.p;
    unsigned char both[96];
    SHARC_AUTO(free_signature)
    ECDSA_SIG *s = n && der.n <= SHARC_SEAL_SIGNATURE ? d2i_ECDSA_SIG(NULL, &p, (long)der.n) : NULL;
    bool ok = s && BN_bn2binpad(ECDSA_SIG_get0_r(s), both, (int)n) >= 0 &&
              BN_bn2binpad(ECDSA_SIG_get0_s(s), both + n, (int)n) >= 0;
    ERR_clear_error();
    SHARC_FAIL_IF(!ok, reterr, SHARC_ESYNTAX, "the signature is not one of %s in the form of DER",
                  sharc_seal_kind_name(k->kind));
    sharc_buf_put(out, sharc_span(both, 2 * n));
    return sharc_buf_result(out, reterr);
}

int sharc_seal_ecdsa_der(const struct sharc_seal_key *k, struct sharc_span plain, struct sharc_buf *out,
                         struct sharc_err *reterr)
{
    size_t n = number_size(k);
    SHARC_FAIL_IF(n == 0 || plain.n != 2 * n, reterr, SHARC_ESYNTAX, "the signature has %zu bytes, one of %s has %zu",
                  plain.n, sharc_seal_kind_name(k->kind), 2 * n);
    SHARC_AUTO(free_signature) ECDSA_SIG *sig = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn((const unsigned char *)plain.p, (int)n, NULL);
    BIGNUM *s = BN_bin2bn((const unsigned char *)plain.p + n, (int)n, NULL);
    unsigned char *der = NULL;
    if (!sig || !r || !s || ECDSA_SIG_set0(sig, r, s) != 1) SHARC_BUG("OpenSSL cannot keep two numbers");
    int length = i2d_ECDSA_SIG(sig, &der);
    if (length < 0) SHARC_BUG("OpenSSL cannot write a signature");
    sharc_buf_put(out, sharc_span(der, (size_t)length));
    OPENSSL_free(der);
    return sharc_buf_result(out, reterr);
}
