/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room seal share: OpenSSL's objects with their cleanups.
 */
#ifndef SHARC_SEAL_INT_H
#define SHARC_SEAL_INT_H

#include "sharc/seal.h"

#include <openssl/bio.h>
#include <openssl/evp.h>

struct sharc_seal_key {
    EVP_PKEY *pkey;
    enum sharc_seal_kind kind;
    bool whole; /* the private half is there */
};

#define SHARC__SEAL_CLEANUP(name, type, release)         \
    static inline SHARC_UNUSED void name(type **pointer) \
    {                                                    \
        release(*pointer);                               \
        *pointer = NULL;                                 \
    }
SHARC__SEAL_CLEANUP(sharc__seal_bio_free, BIO, BIO_free_all)
SHARC__SEAL_CLEANUP(sharc__seal_pkey_free, EVP_PKEY, EVP_PKEY_free)
SHARC__SEAL_CLEANUP(sharc__seal_pkey_ctx_free, EVP_PKEY_CTX, EVP_PKEY_CTX_free)
SHARC__SEAL_CLEANUP(sharc__seal_md_ctx_free, EVP_MD_CTX, EVP_MD_CTX_free)

/* A read-only BIO over s, which must live as long. NULL: s is too large for one. */
BIO *sharc__seal_bio(struct sharc_span s);

/* Why OpenSSL failed, as words of its own that name the first cause ("bad decrypt"), in static or
 * thread-local storage; its queue of errors is empty afterwards. Never NULL. */
const char *sharc__seal_why(void);

/* Take over pkey (also on failure) as a key. SHARC_EUNSUPPORTED: of no kind that is known here. */
int sharc__seal_key_wrap(EVP_PKEY *pkey, bool whole, struct sharc_seal_key **ret, struct sharc_err *reterr);

/* The order of names, by UTF-16 code units: < 0, 0, > 0. Both are UTF-8; escaped: as they stand
 * between quotes in a canonical text. */
int sharc__seal_utf16_cmp(struct sharc_span a, struct sharc_span b, bool escaped);

#endif
