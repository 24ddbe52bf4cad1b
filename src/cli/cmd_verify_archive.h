/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_CLI_VERIFY_ARCHIVE_H
#define SHARC_CLI_VERIFY_ARCHIVE_H

#include "archive.h"
#include "sharc/import.h"

/* sharc verify on an archive instead of a file; an exit code. make_anew: first a new catalogue
 * is made of the files and takes the old one's place. */
int cli_verify_archive(struct cli *c, const char *dir, const char *store, bool make_anew, bool lenient);

/* Tell fn of uploads to the archive's object store that nobody goes on with; adds their number. */
int verify_uploads(const char *dir, sharc_import_finding_fn *fn, void *arg, uint64_t *ret_found,
                   struct sharc_err *reterr);

#endif
