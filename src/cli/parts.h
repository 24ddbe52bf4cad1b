/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a site, for the commands that tell of them.
 */
#ifndef SHARC_CLI_PARTS_H
#define SHARC_CLI_PARTS_H

#include "sharc/figure.h"

#include <stdio.h>

/* By all captures of a site. */
int cli_parts_find(struct sharc_store *store, const char *site, struct sharc_figure_subsites *ret,
                   struct sharc_err *reterr);
/* Those that change in a way of their own, a paragraph in all; nothing where there is none. */
void cli_parts_text(FILE *out, const struct sharc_figure_subsites *parts);

#endif
