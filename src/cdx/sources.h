/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files an index was made of: <index>.files, one JSON object a line,
 *   {"name": "a.warc.gz", "size": 1234, "modified": 1763200000000000000, "replay": true}
 * modified in nanoseconds; replay: its answers 304 were left out. It only saves work: without it every file given is
 * read again, and lines that are already there are not doubled.
 */
#ifndef SHARC_WARC_CDX_FILES_H
#define SHARC_WARC_CDX_FILES_H

#include "sharc/base.h"

struct cdx_known {
    char *name;
    uint64_t size;
    int64_t modified;
    bool replay;
};

struct cdx_files {
    struct cdx_known *items;
    size_t count, room;
};
void sharc__cdx_files_done(struct cdx_files *f);
/* A list that is not there is empty; one that cannot be understood too. */
int sharc__cdx_files_read(struct cdx_files *f, const char *path, struct sharc_err *reterr);
int sharc__cdx_files_write(const struct cdx_files *f, const char *path, struct sharc_err *reterr);
/* NULL: not there. */
struct cdx_known *sharc__cdx_files_find(const struct cdx_files *f, const char *name);
void sharc__cdx_files_set(struct cdx_files *f, const char *name, uint64_t size, int64_t modified, bool replay);

#endif
