/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that make the command line work; commands include cli.h.
 */
#ifndef SHARC_CLI_INT_H
#define SHARC_CLI_INT_H

#include "cli.h"

#define CLI_SETTINGS_FILE "sharc.yaml"

/* The command's rows followed by the common ones; free(). */
struct cli_option *cli__all_rows(struct cli *c, const struct cli_option *own);
const char *cli__nearest_option(const char *typed, const struct cli_option *rows);
/* What --help prints. */
void cli__print_help(struct cli *c, const struct cli_command *command, const struct cli_option *rows);
/* Hand the rows of a command to fn without running it. */
void cli__collect(const struct cli_command *command, void (*fn)(const struct cli_option *rows, void *arg), void *arg);

/* --- where a value comes from ------------------------------------------------ */

/* Who said it last; a larger one wins, in whatever order they are read. What a file
 * says of a command whose settings are borrowed counts one less than that. */
enum cli_source {
    CLI_BY_NOBODY = 0,
    CLI_BY_USER = 2,      /* sharc/sharc.yaml of the user's own settings */
    CLI_BY_DIRECTORY = 4, /* ./sharc.yaml */
    CLI_BY_ARCHIVE = 6,   /* sharc.yaml of the archive that is worked on */
    CLI_BY_SETTINGS = 8,  /* --settings FILE */
    CLI_BY_COMMAND_LINE = 10,
};
/* From now on the row holds what `by` says; of a list nothing is left that others said. */
void cli__overrule(const struct cli_option *rows, uint8_t *said_by, const struct cli_option *o, unsigned by);
/* Somebody said this about the row, for cli.said. */
void cli__said(struct cli *c, size_t row, unsigned by, struct sharc_span text);
/* text lives as long as the command (argv) or is copied by the caller. */
int cli__set_value(const struct cli_option *o, const char *text, struct sharc_err *reterr);
const struct cli_option *cli__by_name(const struct cli_option *rows, struct sharc_span name);

/* settings.c: the files that are known before the command line is read, and the archive's
 * own, which may be named there, or be the argument (NULL: no). said_by has one entry per row. */
int cli__read_settings(struct cli *c, const struct cli_option *rows, uint8_t *said_by, int argc, char **argv,
                       struct sharc_err *reterr);
int cli__read_archive_settings(struct cli *c, const struct cli_option *rows, uint8_t *said_by, const char *argument,
                               struct sharc_err *reterr);

#endif
