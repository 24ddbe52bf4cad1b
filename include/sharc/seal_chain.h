/* SPDX-License-Identifier: Apache-2.0
 *
 * X.509: whose key it is. A chain is the certificate of a key, then its issuers, as
 * certificate authorities hand it out (fullchain.pem).
 */
#ifndef SHARC_SEAL_CHAIN_H
#define SHARC_SEAL_CHAIN_H

#include "sharc/seal.h"

SHARC_PRIVATE_BEGIN

#define SHARC_SEAL_CHAIN_LENGTH 16u              /* certificates in one chain */
#define SHARC_SEAL_CHAIN_BYTES ((size_t)1 << 20) /* one file of certificates, also of trusted ones */

struct sharc_seal_chain;
/* PEM; other text between the certificates is passed over. SHARC_ESYNTAX, SHARC_ELIMIT. */
int sharc_seal_chain_read(struct sharc_span pem, struct sharc_seal_chain **ret, struct sharc_err *reterr);
void sharc_seal_chain_free(struct sharc_seal_chain *c);
void sharc_seal_chain_freep(struct sharc_seal_chain **c);

size_t sharc_seal_chain_count(const struct sharc_seal_chain *c);
/* Of the first certificate: its key; whom it names, "CN=…,O=…" (RFC 2253), appended; when it is valid. */
int sharc_seal_chain_key(const struct sharc_seal_chain *c, struct sharc_seal_key **ret, struct sharc_err *reterr);
void sharc_seal_chain_subject(const struct sharc_seal_chain *c, struct sharc_buf *out);
void sharc_seal_chain_validity(const struct sharc_seal_chain *c, sharc_time *ret_from, sharc_time *ret_until);
/* SHA-256 of certificate i, as browsers show it. */
void sharc_seal_chain_fingerprint(const struct sharc_seal_chain *c, size_t i, struct sharc_digest *ret);
/* The first name of a host in it, appended: its common name, else its first alternative name. Nothing: it has none. */
void sharc_seal_chain_host(const struct sharc_seal_chain *c, struct sharc_buf *out);
/* Of certificate i: whom it names and who issued it, appended; when it is valid (SHARC_TIME_NONE: it cannot be
 * read). */
struct sharc_seal_validity {
    sharc_time from, until;
};
void sharc_seal_chain_certificate(const struct sharc_seal_chain *c, size_t i, struct sharc_buf *subject,
                                  struct sharc_buf *issuer, struct sharc_seal_validity *ret);
/* Is the first certificate one for this host, a name or an address ("[::1]")? As RFC 6125 wants it; wildcards count. */
bool sharc_seal_chain_is_for(const struct sharc_seal_chain *c, struct sharc_span host);
/* All of it as PEM, an empty line between two certificates; appended. */
void sharc_seal_chain_pem(const struct sharc_seal_chain *c, struct sharc_buf *out);

/* SHARC_EDIGEST: the first certificate is that of another key. */
int sharc_seal_chain_fits(const struct sharc_seal_chain *c, const struct sharc_seal_key *k, struct sharc_err *reterr);
/* Does the chain lead to one of the trusted certificates (PEM; roots, or any of the chain), every certificate valid at
 * that time (SHARC_TIME_NONE: whenever), every signature of at least 112 bits (no SHA-1, no RSA below 2048)? Whether
 * one was revoked is not known here. SHARC_EDIGEST: no, with the reason. */
int sharc_seal_chain_verify(const struct sharc_seal_chain *c, struct sharc_span trusted, sharc_time at,
                            struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
