/* SPDX-License-Identifier: Apache-2.0
 *
 * Verification from the inside: verify.c walks, record_digests.c compares digests,
 * field_rules.c knows the standard, revisits.c finds what revisits refer to.
 */
#ifndef SHARC_WARC_VERIFY_INT_H
#define SHARC_WARC_VERIFY_INT_H

#include "sharc/base_digest.h"
#include "sharc/base_map.h"
#include "sharc/warc_verify.h"

struct verifying {
    struct sharc_warc_verified *out;
    struct sharc_map64 ids; /* fingerprint of a record id -> offset + 1 */
    struct sharc__warc_digests *hashing;
    bool digests;
    bool told_form, told_nothing; /* habits are listed once per file */
};

void sharc__warc_finding(struct verifying *v, enum sharc_finding_kind kind, uint64_t offset, const char *fmt, ...)
    SHARC_PRINTF(4, 5);
void sharc__warc_verify_rules(struct verifying *v, const struct sharc_record *rec);

/* What a file offers to revisits, and what its revisits ask for. */
void sharc__warc_origins_note(struct sharc_warc_verified *out, const struct sharc_record *rec);
void sharc__warc_origins_free(struct sharc_origins *o);

#endif
