/* SPDX-License-Identifier: Apache-2.0
 *
 * What every command that works on an archive needs.
 */
#ifndef SHARC_CLI_ARCHIVE_H
#define SHARC_CLI_ARCHIVE_H

#include "cli.h"
#include "sharc/archive.h"
#include "sharc/store.h"

bool cli_is_directory(const char *path);

/* Call fn for each setting "name=value" that the archive's settings have for a single site. All are checked; those
 * that the command line or the file of --settings has too are left out: c->site_names must have been
 * sharc_crawl_setting_names() when the options were read. */
typedef int cli_site_setting_fn(void *arg, struct sharc_span url, struct sharc_span setting, struct sharc_err *err);
int cli_site_settings(const struct cli *c, const char *archive, cli_site_setting_fn *fn, void *arg,
                      struct sharc_err *err);

/* Captures were written: keep what is asked of them again and again, so that nobody waits for it. Stops at a signal;
 * what cannot be kept is computed when it is asked for, so a failure is a remark. */
void cli_summarise(struct cli *c, struct sharc_store *store);

#define OPT_STORE(value)                 \
    OPT_STRING(0, "store", value, "URL", \
               "use this catalogue: a path or postgresql://… (default: \"store:\" in sharc.yaml, else catalogue.db)")

#endif
