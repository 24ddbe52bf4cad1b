/* SPDX-License-Identifier: Apache-2.0
 *
 * Time stamps (RFC 3161): an authority signs the digest of some bytes together with the
 * time, so nobody can claim later that they existed only afterwards. A stamp is kept as the
 * authority's reply in DER (.tsr), which OpenSSL checks alone:
 *
 *   openssl ts -verify -data DATA -in STAMP.tsr -CAfile CA.pem
 */
#ifndef SHARC_SEAL_STAMP_H
#define SHARC_SEAL_STAMP_H

#include "sharc/seal.h"

SHARC_PRIVATE_BEGIN

#define SHARC_SEAL_STAMP_BYTES (256u << 10) /* one reply */

struct sharc_seal_stamp {
    sharc_time at;
    sharc_time accuracy; /* either way; SHARC_TIME_NONE: the authority states none */
    struct sharc_digest imprint;
    bool has_nonce;
    uint64_t nonce;
    char serial[96];     /* hex */
    char policy[128];    /* an object identifier, 1.2.3.4.1 */
    char authority[256]; /* subject of the certificate that signed it; empty: it is not in the reply */
};

/* The question, DER: SHA-256 of data, this nonce, and that the certificate be in the answer. */
void sharc_seal_stamp_query(struct sharc_span data, uint64_t nonce, struct sharc_buf *out);

/* Send the query (Content-Type: application/timestamp-query) and put the body of the answer into reply. */
typedef int sharc_seal_ask_fn(void *arg, struct sharc_span query, struct sharc_buf *reply, struct sharc_err *reterr);
/* Have data stamped: ask, and check that the answer was granted, is about data, answers this very question (its nonce
 * is a random number) and carries a right signature. *ret_reply (cleared first) is the stamp. */
int sharc_seal_stamp_get(struct sharc_span data, sharc_seal_ask_fn *ask, void *arg, struct sharc_buf *ret_reply,
                         struct sharc_seal_stamp *ret, struct sharc_err *reterr);

/* What a stamp says. Nothing is checked but that it was granted and has a form. SHARC_ESYNTAX, SHARC_EUNSUPPORTED
 * (a digest that is not SHA-256 or SHA-512), SHARC_EACCESS (the authority refused; its reason is in the sentence). */
int sharc_seal_stamp_read(struct sharc_span reply, struct sharc_seal_stamp *ret, struct sharc_err *reterr);
/* The same, and: it is about these bytes, and rightly signed with the certificate in it, which is for time stamps and
 * was valid then. trusted (PEM): and its chain leads to one of these; SHARC_SPAN_NONE: who signed is not checked, so
 * anybody may have. untrusted (PEM): certificates that are not in the stamp, or SHARC_SPAN_NONE.
 * SHARC_EDIGEST says what does not fit. */
int sharc_seal_stamp_verify(struct sharc_span reply, struct sharc_span data, struct sharc_span trusted,
                            struct sharc_span untrusted, struct sharc_seal_stamp *ret, struct sharc_err *reterr);
/* The certificates in a stamp as PEM, the signer's first, each followed by its issuer; appended. SHARC_ENOENT: none. */
int sharc_seal_stamp_chain(struct sharc_span reply, struct sharc_buf *out, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
