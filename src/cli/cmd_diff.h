/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff: what its files share.
 */
#ifndef SHARC_CLI_DIFF_H
#define SHARC_CLI_DIFF_H

#include "cli.h"

#include "sharc/diff_report.h"

struct cmd_diff_settings {
    struct cli_list in, classes;
    const char *url, *html, *base, *archive, *store;
    double min_importance, alike;
    uint64_t limit, details, context, threads, shingle, template_pages, max_body;
    bool templates, trust, exit_code, places;
    int colour;
};

struct cmd_diff_run {
    struct cli *c;
    const struct cmd_diff_settings *s;
    struct sharc_diff_options o;
    struct sharc_diff_filter filter;
    struct sharc_progress *bar;
    uint64_t told;
};

/* What an argument names: a page in a file, a record of an archive file, a page at a time, a whole capture. */
enum cmd_diff_kind { CMD_DIFF_FILE, CMD_DIFF_RECORD, CMD_DIFF_MOMENT, CMD_DIFF_CAPTURE };

struct cmd_diff_argument {
    enum cmd_diff_kind kind;
    const char *text;
    char *path; /* RECORD: the file; MOMENT: the URL */
    uint64_t offset;
    sharc_time when;
};

/* Reads a->text, and says what is wrong with it. other_url: of the argument before, for @TIME; NULL: there is none.
 * Returns an exit code. */
int cmd_diff_argument_read(struct cli *c, struct cmd_diff_argument *a, const char *other_url);
void cmd_diff_argument_done(struct cmd_diff_argument *a);

/* Show a comparison as the settings ask. A version that is NULL was not there. Returns an exit code, or < 0. */
int cmd_diff_show_page(struct cmd_diff_run *r, const char *const names[2], const struct sharc_diff_version *before,
                       const struct sharc_diff_version *after, struct sharc_err *reterr);
int cmd_diff_show_set(struct cmd_diff_run *r, const char *const names[2], const struct sharc_diff_set *set,
                      struct sharc_err *reterr);

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
