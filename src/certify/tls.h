/* SPDX-License-Identifier: Apache-2.0
 *
 * What secured the downloads of a capture: chains of certificates, and which host presented which.
 */
#ifndef SHARC_CERTIFY_TLS_H
#define SHARC_CERTIFY_TLS_H

#include "certify_int.h"

#include "sharc/seal_chain.h"

struct tls_chain {
    uint32_t digest;                          /* a name of the facts */
    const struct sharc_derived_chain *record; /* NULL: no record has it */
    struct sharc_seal_chain *parsed;          /* NULL: it cannot be read */
    struct sharc_seal_validity own;           /* of its first certificate */
};

/* Downloads of one host that were secured alike. */
struct tls_use {
    struct sharc_span host;
    uint32_t version, cipher; /* names of the facts; SHARC_DERIVED_NONE */
    size_t chain;             /* number in chains; SHARC_NPOS: the download names none */
    bool is_for;              /* the first certificate is one for the host */
    uint64_t downloads, verified, resumed;
    uint64_t outside; /* begun when that certificate was not yet valid, or no longer */
};

struct certify_tls {
    const struct sharc_derived *f;
    struct tls_chain *chains; /* by digest */
    size_t chain_count, chain_room;
    struct tls_use *uses; /* by host, then chain, version, cipher */
    size_t use_count, use_room;
    uint64_t downloads; /* by https */
    uint64_t unknown;   /* of these: the records do not say what secured them */
};
void sharc__certify_tls_read(const struct sharc_derived *f, struct certify_tls *ret);
void sharc__certify_tls_done(struct certify_tls *t);

/* What about it weakens a certificate, each under a name of its own. */
struct tls_doubts {
    uint64_t unknown, unverified, outside, other_host, no_chain, cut;
};
void sharc__certify_tls_doubts(const struct certify_tls *t, struct tls_doubts *ret);

#endif
