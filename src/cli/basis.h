/* SPDX-License-Identifier: Apache-2.0
 *
 * What the second grade rests on: a page's own control downloads say more than those of other pages.
 */
#ifndef SHARC_CLI_BASIS_H
#define SHARC_CLI_BASIS_H

#include "sharc/certify.h"

#include <stdio.h>

/* "by control downloads of their own 40, of pages of their kind 772", on a line of its own after `indent` blanks;
 * nothing if no page has that grade. */
void cli_tell_basis(FILE *out, int indent, const uint64_t reasons[SHARC_GRADE_REASON_COUNT]);

#endif
