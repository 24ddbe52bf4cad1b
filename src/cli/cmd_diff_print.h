/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff at a terminal: lines of a change, in colour or not, harmless to the terminal.
 */
#ifndef SHARC_CLI_DIFF_PRINT_H
#define SHARC_CLI_DIFF_PRINT_H

#include "cmd_diff.h"

#define CMD_DIFF_RED "\x1b[31m"
#define CMD_DIFF_GREEN "\x1b[32m"
#define CMD_DIFF_CYAN "\x1b[36m"
#define CMD_DIFF_BOLD "\x1b[1m"
#define CMD_DIFF_MARK "\x1b[7m"
#define CMD_DIFF_UNMARK "\x1b[27m"
#define CMD_DIFF_PLAIN "\x1b[0m"

struct cmd_diff_printer {
    struct cli *c;
    bool colour;
};

/* Switch to the colour, if there are colours. */
void cmd_diff_colour(const struct cmd_diff_printer *p, const char *code);

/* A foreign text without what could steer a terminal. */
void cmd_diff_put_clean(struct sharc_buf *out, struct sharc_span s);
void cmd_diff_print_clean(const struct cmd_diff_printer *p, struct sharc_span s);

/* A line behind its sign, with the marked places of it. code may be "". */
void cmd_diff_print_line(struct cmd_diff_printer *p, char sign, const char *code, struct sharc_span line,
                         const struct sharc_change_mark *marks, size_t n);

static inline bool cmd_diff_is_change(const struct sharc_change_row *row)
{
    return row->kind != SHARC_ROW_KEPT && row->kind != SHARC_ROW_GAP;
}

#endif
