/* SPDX-License-Identifier: Apache-2.0
 *
 * What a side consists of, for the two files that work on it: side.c opens files, walk.c
 * reads their indexes.
 */
#ifndef SHARC_DIFF_SIDE_H
#define SHARC_DIFF_SIDE_H

#include "diff_int.h"
#include "sharc/base_file.h"

#include <pthread.h>

struct source {
    struct sharc_cdx_index *index;
    struct sharc_wacz *wacz; /* a container, or NULL */
    char *directory;         /* of an index file, or NULL */
    struct sharc_filemap lines;
};

struct sharc_diff_side {
    char *temporary;
    struct source **sources;
    size_t source_count, source_room;
    char **archives; /* plain archive files */
    size_t archive_count, archive_room;
    bool has_index;
    pthread_mutex_t lock;       /* guards the rest */
    struct sharc_intern *paths; /* path -> number of its map */
    struct sharc_filemap *maps;
    size_t map_room;
};

/* The bytes of the archive file that a line of this source names. */
int sharc__diff_side_bytes(struct sharc_diff_side *s, const struct source *source, struct sharc_span name,
                           struct sharc_span *ret, struct sharc_err *reterr);
/* "a/b.warc.gz" -> "b.warc.gz". */
struct sharc_span sharc__diff_last_part(struct sharc_span path);

#endif
