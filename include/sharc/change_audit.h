/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the answers 304 are checked by downloads in full: those whose pages draw the least numbers. What a page
 * draws follows from the capture's seed and its URL, so that nobody can foresee it, and whoever has the files can
 * repeat the choice. docs/evidence.md says what the audits are worth.
 */
#ifndef SHARC_CHANGE_AUDIT_H
#define SHARC_CHANGE_AUDIT_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* The number that a page draws. */
uint64_t sharc_audit_draw(uint64_t seed, struct sharc_span url);
/* How many audits so many answers want: 2 % of them, and 20 in any case, if there are as many. */
uint64_t sharc_audit_wanted(uint64_t attested);
/* "audit_seed" of the closing record: 16 digits in hex, or fewer. */
uint64_t sharc_audit_seed(struct sharc_span text);

SHARC_PRIVATE_END
#endif
