/* SPDX-License-Identifier: Apache-2.0
 *
 * What chains and stamps share: OpenSSL's certificates.
 */
#ifndef SHARC_SEAL_X509_INT_H
#define SHARC_SEAL_X509_INT_H

#include "seal_int.h"
#include "sharc/seal_chain.h"

#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

struct sharc_seal_chain {
    STACK_OF(X509) * all; /* at least one */
};

static inline SHARC_UNUSED void sharc__seal_x509s_free(STACK_OF(X509) * *all)
{
    sk_X509_pop_free(*all, X509_free);
    *all = NULL;
}
SHARC__SEAL_CLEANUP(sharc__seal_store_free, X509_STORE, X509_STORE_free)

enum { SHARC__SEAL_MOST_TRUSTED = 1000 };

/* All certificates of a text, at least one and at most `most`; release with the cleanup above. */
int sharc__seal_read_certificates(struct sharc_span pem, size_t most, STACK_OF(X509) * *ret, struct sharc_err *reterr);
/* What is trusted, and how strictly a chain is held against it; at: see sharc_seal_chain_verify. */
int sharc__seal_trust(struct sharc_span pem, sharc_time at, X509_STORE **ret, struct sharc_err *reterr);
/* "CN=…,O=…", appended. */
void sharc__seal_put_name(const X509_NAME *name, struct sharc_buf *out);
/* As PEM, appended; behind an empty line when it is another one. */
void sharc__seal_put_certificate(X509 *x, bool another, struct sharc_buf *out);

#endif
