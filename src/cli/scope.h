/* SPDX-License-Identifier: Apache-2.0
 *
 * Scopes of the rows --include and --exclude.
 */
#ifndef SHARC_CLI_SCOPE_H
#define SHARC_CLI_SCOPE_H

#include "cli.h"

#include "sharc/url_scope.h"

/* Add the rules of both lists, the excluding ones behind, so that they win. */
int cli_scope_add(struct sharc_scope *scope, const struct cli_list *include, const struct cli_list *exclude,
                  struct sharc_err *reterr);

#endif
