/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc certify and sharc verify --certificate say about a certificate.
 */
#ifndef SHARC_CLI_CERTIFIED_H
#define SHARC_CLI_CERTIFIED_H

#include "cli.h"
#include "sharc/certify.h"

/* Its numbers: as lines, and as members of an object. */
void cli_tell_certified(struct cli *c, const struct sharc_certify_sum *sum);
void cli_put_certified(struct sharc_json *j, const struct sharc_certify_sum *sum);

#endif
