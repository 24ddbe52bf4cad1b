/* SPDX-License-Identifier: Apache-2.0
 *
 * What every command that works on an archive needs: is this one, and where is
 * its catalogue.
 */
#ifndef SHARC_CLI_ARCHIVE_H
#define SHARC_CLI_ARCHIVE_H

#include "cli.h"
#include "sharc/store.h"

bool cli_is_directory(const char *path);
/* A directory that holds catalogue.db, warcs or sharc.yaml. */
bool cli_is_archive(const char *dir);
/* Where the catalogue of an archive is, malloc'ed: `store` (of the command line) when given, else
 * "store:" of the archive's sharc.yaml, else catalogue.db. */
int cli_archive_store(const char *dir, const char *store, char **ret, struct sharc_err *reterr);
/* Call fn (may be NULL: only count) for each of the URLs under "sites:" of the archive's sharc.yaml; how
 * many there are, 0 when none. What fn finds wrong is told with file, line and column. */
int cli_archive_sites(const char *dir, int (*fn)(void *arg, struct sharc_span url, struct sharc_err *reterr), void *arg,
                      struct sharc_err *reterr);
/* Open it; the directory is made when missing, unless o->must_exist. */
int cli_archive_open(const char *dir, const char *store, const struct sharc_store_options *o, struct sharc_store **ret,
                     struct sharc_err *reterr);

#define OPT_STORE(value)                 \
    OPT_STRING(0, "store", value, "URL", \
               "use this catalogue: a path or postgresql://… (default: \"store:\" in sharc.yaml, else catalogue.db)")

#endif
