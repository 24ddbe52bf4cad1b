/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a file differs from the one that was certified.
 */
#ifndef SHARC_CERTIFY_LOCATE_H
#define SHARC_CERTIFY_LOCATE_H

#include "sharc/base.h"
#include "sharc/base_digest.h"

enum { CERTIFY_BLOCK = 64 << 10 };

/* The sums of all blocks, malloc'ed. */
char *sharc__certify_sums(struct sharc_span bytes);

struct certify_place {
    uint64_t from, to; /* the first block that differs; SHARC_NOWHERE: the sums do not tell */
    size_t blocks;     /* that differ */
    bool exact;        /* it is one byte, and its old value is known */
    uint8_t was;
};
struct certify_place sharc__certify_locate(struct sharc_span bytes, const struct sharc_digest *said, uint64_t size,
                                           struct sharc_span sums);

#endif
