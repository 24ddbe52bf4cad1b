/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of an archive that lie in an object store. docs/storage.md says how they get there.
 */
#ifndef SHARC_ARCHIVE_PLACES_H
#define SHARC_ARCHIVE_PLACES_H

#include "sharc/archive.h"

SHARC_PRIVATE_BEGIN

/* Where files lie that are not in the directory: "files:" of sharc.yaml, "s3://bucket/prefix", under which all is laid
 * out as in the directory. malloc'ed; NULL: nowhere else. */
int sharc_archive_objects(const char *dir, char **ret, struct sharc_err *reterr);
/* What the file at "dir/warcs/a.warc.gz" is called there, malloc'ed; NULL: the archive has no such place. */
char *sharc_archive_elsewhere(const char *path);
/* All places where archive files of its own are, for sharc_warc_inputs_add: "dir/warcs", "s3://bucket/prefix/warcs/".
 */
int sharc_archive_places(const char *dir, char ***ret, size_t *ret_count, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
