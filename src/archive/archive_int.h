/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_ARCHIVE_INT_H
#define SHARC_ARCHIVE_INT_H

#include "sharc/archive_status.h"

/* The command that goes on with a capture, malloc'ed: for a shell, with what its parameters (JSON) and the seeds of
 * its site say. */
int sharc__archive_resume(const char *dir, struct sharc_store *store, const struct sharc_archive_capture *c,
                          struct sharc_span params, char **ret, struct sharc_err *reterr);

#endif
