/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes compared with the archives they describe.
 */
#ifndef SHARC_CDX_AGREE_H
#define SHARC_CDX_AGREE_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* An archive file, or one inside a container: then its bytes, which must outlive the
 * call, count. name: as the index calls it. */
struct sharc_agree_archive {
    const char *name, *path;
    struct sharc_span bytes; /* .p == NULL: read path */
};
/* An index in any form but the .idx of a ZipNum pair (whose data file is one),
 * plain or gzip. */
struct sharc_agree_index {
    const char *path;
    struct sharc_span bytes; /* .p == NULL: read path */
    uint64_t lines;          /* result: entries in it */
};

struct sharc_disagreement {
    size_t index;   /* the line of this index is wrong; SHARC_NPOS: a record has no line */
    uint64_t line;  /* from 1 */
    size_t archive; /* the record's; SHARC_NPOS: not among those given */
    uint64_t offset;
    const char *text;
};
/* Called by one thread at a time. */
typedef void sharc_disagree_fn(void *arg, const struct sharc_disagreement *d);

struct sharc_agree_options {
    bool last_part;        /* names count from their last '/' on */
    unsigned threads;      /* 0: one per core */
    size_t memory;         /* for sorting; 0: 8 MiB */
    const char *temporary; /* directory for what does not fit */
};
/* Does every line of the indexes point at a record with that URL, time, digest,
 * status and length, and has every record that belongs into an index (as sharc index
 * sees it) a line in one of them? Answers 304 may have one or not. Also told: lines that cannot be read, are
 * out of order, or stand twice in the same index. What a line leaves out is not
 * compared, nor are keys and media types, in which indexers differ, nor digests
 * of different kinds.
 *
 * Records and lines are written down by file and offset, sorted (on disk what
 * does not fit into memory), and walked through side by side: O((n + m) log
 * (n + m)), memory as given. SHARC_EINVAL: two archives of the same name. An
 * archive is read leniently. */
int sharc_cdx_agree(const struct sharc_agree_archive *archives, size_t count, struct sharc_agree_index *indexes,
                    size_t index_count, const struct sharc_agree_options *o, sharc_disagree_fn *fn, void *arg,
                    struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
