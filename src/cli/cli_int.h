/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that make the command line work; commands include cli.h.
 */
#ifndef SHARC_CLI_INT_H
#define SHARC_CLI_INT_H

#include "cli.h"

/* The command's rows followed by the common ones; free(). */
struct cli_option *cli__all_rows(struct cli *c, const struct cli_option *own);
const char *cli__nearest_option(const char *typed, const struct cli_option *rows);
/* What --help prints. */
void cli__print_help(struct cli *c, const struct cli_command *command, const struct cli_option *rows);
/* Hand the rows of a command to fn without running it. */
void cli__collect(const struct cli_command *command, void (*fn)(const struct cli_option *rows, void *arg), void *arg);

#endif
