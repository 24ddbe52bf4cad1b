/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes against archives: agree_read.c writes both down as lines that sort by
 * file and offset, agree.c walks through what came out.
 *
 *   <file> <offset, 20 digits> <mark> <source> <line> <CDXJ line>
 *
 * file is percent-encoded; mark is A for a record (source: number of the
 * archive, line: 0, or AGREE_NEEDS_NONE) and B for a line of an index (source: number of the index);
 * so a record comes right before all lines that point at it.
 */
#ifndef SHARC_WARC_AGREE_INT_H
#define SHARC_WARC_AGREE_INT_H

#include "sharc/base_map.h"
#include "sharc/base_sort.h"
#include "sharc/cdx.h"
#include "sharc/cdx_agree.h"
#include "sharc/warc_verify.h"

#include <pthread.h>

#define AGREE_RECORD 'A'
#define AGREE_LINE 'B'
#define AGREE_NEEDS_NONE 1 /* the record may stand in an index and need not */

struct agreeing {
    const struct sharc_agree_archive *archives;
    size_t count;
    struct sharc_agree_index *indexes;
    size_t index_count;
    const struct sharc_agree_options *o;
    sharc_disagree_fn *fn;
    void *arg;
    struct sharc_intern *names; /* of archives, as in the lines; the number is the archive's */
    struct sharc_sorter *sorter;
    unsigned threads;
    pthread_mutex_t lock; /* guards fn, err and failed */
    struct sharc_err err;
    bool failed;
};

/* A name as it is compared. */
struct sharc_span sharc__cdx_agree_name(const struct agreeing *a, struct sharc_span name);
void sharc__cdx_agree_tell(struct agreeing *a, const struct sharc_disagreement *d);
/* All archives and indexes into the sorter. */
int sharc__cdx_agree_read(struct agreeing *a, struct sharc_err *reterr);

#endif
