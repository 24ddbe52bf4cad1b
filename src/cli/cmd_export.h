/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc export over several files: cmd_export.c has the options, cmd_export_forms.c makes what is asked
 * for, cmd_export_select.c makes a selection of them, cmd_export_table.c writes tables.
 */
#ifndef SHARC_CLI_EXPORT_H
#define SHARC_CLI_EXPORT_H

#include "cmd_export_catalogue.h"

#include "sharc/export.h"
#include "sharc/url_scope.h"
#include "sharc/warc_export.h"

enum { TO_WACZ, TO_WARC, TO_CDXJ, TO_CSV, TO_JSON, TO_MIRROR, TO_HISTORY };

struct export_settings {
    const char *output;
    int to;
    bool lenient, all;
    struct cli_list include, exclude, types, statuses, mimes;
    sharc_time from, until, at;
    const char *title, *description, *main_url, *pages, *operator_name;
    struct cli_list requires, captures;
    const char *sign, *password, *chain, *stamp;
    uint64_t threads, level;
    struct catalogue_table catalogue;
};
void export_settings_done(struct export_settings *s);

/* What it is made of: files, or captures of an archive. */
struct export_source {
    const char *const *files;
    size_t count;
    struct sharc_export *captures; /* NULL: of files */
};
/* Make what s.to says. 0; 1 when something damaged was left out, which was told; < 0 on failure. */
int export_make(struct cli *c, const struct export_settings *s, const struct export_source *from,
                struct sharc_err *reterr);
/* Export the captures that are named; returns an exit code. */
int export_captures(struct cli *c, const struct export_settings *s, const char *dir);

/* Tell a warning of a reader. */
void export_remark(void *cli, const struct sharc_err *what);

/* Is anything but everything asked for? */
bool export_selects(const struct export_settings *s);
/* *scope is made when there are rules, and must outlive the selection. */
int export_selection(struct cli *c, const struct export_settings *s, struct sharc_scope **scope,
                     struct sharc_warc_selection *ret, struct sharc_err *reterr);

/* CSV or JSON of the chosen records, to the output or standard output. */
int export_table(struct cli *c, const struct export_settings *s, const char *const *in, size_t count,
                 const struct sharc_warc_selection *sel, struct sharc_warc_selected *done, struct sharc_err *reterr);

/* The change history of a site of an archive, as a dataset: the whole of --to history. */
int export_history(struct cli *c, const struct export_settings *s, int argc, char **argv);

#endif
