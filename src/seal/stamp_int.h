/* SPDX-License-Identifier: Apache-2.0
 *
 * A reply of a time-stamp authority as OpenSSL's objects.
 */
#ifndef SHARC_SEAL_STAMP_INT_H
#define SHARC_SEAL_STAMP_INT_H

#include "sharc/seal_stamp.h"
#include "x509_int.h"

#include <openssl/ts.h>

SHARC__SEAL_CLEANUP(sharc__seal_resp_free, TS_RESP, TS_RESP_free)

/* A reply that was granted and holds a token. */
int sharc__seal_stamp_open(struct sharc_span reply, TS_RESP **ret, struct sharc_err *reterr);
/* What it says, but for the authority. */
int sharc__seal_stamp_facts(TS_RESP *resp, struct sharc_seal_stamp *ret, struct sharc_err *reterr);
/* Who signed, if a certificate in it or in untrusted says so. */
void sharc__seal_stamp_authority(TS_RESP *resp, struct sharc_span untrusted, struct sharc_seal_stamp *ret);

#endif
