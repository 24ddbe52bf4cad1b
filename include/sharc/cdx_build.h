/* SPDX-License-Identifier: Apache-2.0
 *
 * Making indexes: from archive files, from the notes of a writer, and in ZipNum form.
 */
#ifndef SHARC_CDX_BUILD_H
#define SHARC_CDX_BUILD_H

#include "sharc/cdx.h"

SHARC_API_BEGIN

/* What a writer remembers of the records it writes, so that its files need not be read
 * again for their index. Lines wait in order, some megabytes in memory and the rest in
 * temporary files without a name in directory. One thread at a time. */
struct sharc_cdx_notes;
struct sharc_warc_fetch;
struct sharc_warc_fetch_places;
/* readers: threads of the build that will use them. */
struct sharc_cdx_notes *sharc_cdx_notes_new(const char *directory, unsigned readers);
void sharc_cdx_notes_free(struct sharc_cdx_notes *n);
void sharc_cdx_notes_freep(struct sharc_cdx_notes **n);
/* These records were written. Of a file all must be noted, in order, from the one behind
 * its warcinfo on. What cannot be noted (a gap, a request that sends something, a full
 * disk) makes all notes void, and the build reads the files. */
void sharc_cdx_notes_add(struct sharc_cdx_notes *n, const struct sharc_warc_fetch *f,
                         const struct sharc_warc_fetch_places *p);

struct sharc_cdx_build {
    unsigned threads;      /* 0: one per core */
    size_t memory;         /* for sorting, in bytes; 0: 8 MiB */
    const char *temporary; /* directory for what does not fit; NULL: that of the output */
    const char *root;      /* names in the lines are relative to it; NULL: the last part of the path */
    bool lenient;          /* continue past damage, and count it */
    bool plain_keys;       /* leave methods and bodies of POST and PUT out of the keys */
    /* Also answers with status 304. Without it they are left out, for replay: a replay tool that takes such a
     * line, and it is often the newest one of its URL, shows an empty page. */
    bool all;
    /* Times with milliseconds (17 digits) where the record's date has a fraction. ReplayWeb.page looks for the
     * original of a revisit from WARC-Refers-To-Date on, and would pass over a line that says less. */
    bool precise;
    bool fresh; /* forget what the output holds */
    enum sharc_cdx_format format;
    unsigned block_lines; /* ZipNum: lines per block; 0: a plain file */
    /* Files that were noted to their ends are not read; used up by it. Not with plain_keys,
     * all or precise, nor with other formats than CDXJ. NULL: none. */
    struct sharc_cdx_notes *notes;
    /* Both may be NULL and are called from any thread, one at a time. */
    void (*warn)(void *arg, const struct sharc_err *what);
    void (*progress)(void *arg, uint64_t bytes_done, uint64_t bytes_total);
    void *arg;
};

struct sharc_cdx_built {
    uint64_t files;     /* indexed now */
    uint64_t unchanged; /* in the index already, left alone */
    uint64_t records;   /* found in them */
    uint64_t lines;     /* in the output */
    uint64_t damaged;   /* places passed over (lenient) */
    uint64_t left_out;  /* captures that are damaged, or have no URL, date or member of their own (lenient) */
    uint64_t bytes;     /* read */
};

/* Index archive files (anything sharc_warc_open takes, WACZ, and CDX or CDXJ files in any
 * order) into one sorted file, in parallel and with bounded memory. A capture in a
 * WACZ is named by its WARC inside.
 *
 * An output that exists is merged with: its lines stay, those of files that are
 * given again and have changed since are replaced, files that have not
 * changed are not read. What is in it is remembered beside it in <output>.files, one
 * JSON object a line: name, size, modified, and replay: true when answers 304 were left out. The output is replaced at
 * once or not at all. Only plain CDXJ merges; ZipNum (output must end in .idx; the data file is named like it, .cdx.gz)
 * and the old formats are made anew each time.
 *
 * output "-": nothing is remembered, lines go to fn instead. */
int sharc_cdx_build(const char *const *inputs, size_t count, const char *output, sharc_line_fn *fn, void *fn_arg,
                    const struct sharc_cdx_build *o, struct sharc_cdx_built *ret, struct sharc_err *reterr);

/* How many of the files that these inputs mean none of the indexes knows with the size that they have. Reads
 * only what is remembered beside them. 1: *ret is set; 0: nothing is remembered there, so nobody can tell. */
int sharc_cdx_behind(const char *const *indexes, size_t index_count, const char *const *inputs, size_t count,
                     uint64_t *ret, struct sharc_err *reterr);

/* Which of these files (none of them a directory or container) an index does not know, or knows with another
 * size: ret_missing[i] is set for each. 1 and 0 as above; at 0 nothing is set. */
int sharc_cdx_missing(const char *index, const char *const *files, size_t count, bool *ret_missing,
                      struct sharc_err *reterr);

/* Writes a ZipNum index of lines that come in order: blocks to data, the small file
 * to idx. Both are handed out in pieces. */
struct sharc_zipnum;
struct sharc_zipnum *sharc_zipnum_new(const char *data_name, unsigned block_lines, sharc_line_fn *data,
                                      sharc_line_fn *idx, void *arg);
void sharc_zipnum_free(struct sharc_zipnum *z);
void sharc_zipnum_freep(struct sharc_zipnum **z);
int sharc_zipnum_line(struct sharc_zipnum *z, struct sharc_span line, struct sharc_err *reterr);
int sharc_zipnum_finish(struct sharc_zipnum *z, struct sharc_err *reterr);

SHARC_API_END
#endif
