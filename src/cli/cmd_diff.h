/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff: what its files share.
 */
#ifndef SHARC_CLI_DIFF_H
#define SHARC_CLI_DIFF_H

#include "cli.h"

#include "sharc/diff_report.h"

struct cmd_diff_view {
    const struct sharc_diff_options *o;
    const struct sharc_diff_filter *filter;
    const char *names[2];
    bool colour;
};

void cmd_diff_print_page(struct cli *c, const struct cmd_diff_view *v, const struct sharc_diff_page *p,
                         const struct sharc_diff_version *before, const struct sharc_diff_version *after);
void cmd_diff_print_set(struct cli *c, const struct cmd_diff_view *v, const struct sharc_diff_set *s);

/* --volatile: list the places of a site, or (NULL) of all, at which pages differ on every request. */
int cmd_diff_volatile(struct cli *c, const char *archive, const char *url, const char *site, struct sharc_err *reterr);

#endif
