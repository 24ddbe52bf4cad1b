/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a chain lead to somebody who is trusted?
 */
#include "x509_int.h"

#include "sharc/base_exhausted.h"

#include <openssl/err.h>

/* 112 bits: SHA-256, RSA with 2048. */
enum { LEAST_LEVEL = 2 };

SHARC__SEAL_CLEANUP(free_store_ctx, X509_STORE_CTX, X509_STORE_CTX_free)

int sharc__seal_trust(struct sharc_span pem, sharc_time at, X509_STORE **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_x509s_free) STACK_OF(X509) *all = NULL;
    int r = sharc__seal_read_certificates(pem, SHARC__SEAL_MOST_TRUSTED, &all, reterr);
    if (r < 0) return sharc_err_prefix(reterr, r, "the trusted certificates");
    X509_STORE *s = X509_STORE_new();
    if (!s) sharc__no_memory();
    for (int i = 0; i < sk_X509_num(all); i++) X509_STORE_add_cert(s, sk_X509_value(all, i));
    X509_VERIFY_PARAM *p = X509_STORE_get0_param(s);
    X509_VERIFY_PARAM_set_auth_level(p, LEAST_LEVEL);
    X509_VERIFY_PARAM_set_flags(p, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
    if (at == SHARC_TIME_NONE)
        X509_VERIFY_PARAM_set_flags(p, X509_V_FLAG_NO_CHECK_TIME);
    else
        X509_VERIFY_PARAM_set_time(p, (time_t)sharc_floor_div(at, SHARC_SEC));
    ERR_clear_error();
    *ret = s;
    return 0;
}

int sharc_seal_chain_verify(const struct sharc_seal_chain *c, struct sharc_span trusted, sharc_time at,
                            struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_store_free) X509_STORE *store = NULL;
    int r = sharc__seal_trust(trusted, at, &store, reterr);
    if (r < 0) return r;
    SHARC_AUTO(free_store_ctx) X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    if (!ctx || X509_STORE_CTX_init(ctx, store, sk_X509_value(c->all, 0), c->all) != 1)
        SHARC_BUG("OpenSSL cannot check a chain");
    bool ok = X509_verify_cert(ctx) == 1;
    int why = X509_STORE_CTX_get_error(ctx), depth = X509_STORE_CTX_get_error_depth(ctx);
    ERR_clear_error();
    SHARC_FAIL_IF(!ok, reterr, SHARC_EDIGEST, "certificate %d of the chain is not trusted: %s", depth + 1,
                  X509_verify_cert_error_string(why));
    return 0;
}
