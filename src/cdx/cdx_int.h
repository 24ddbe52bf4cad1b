/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the index half of the room: sorted files, walkers over their lines,
 * filters.
 */
#ifndef SHARC_WARC_CDX_INT_H
#define SHARC_WARC_CDX_INT_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_codec.h"
#include "sharc/base_file.h"
#include "sharc/cdx.h"

/* --- lines in memory ----------------------------------------------------- */

/* The line that starts at `at` (< s.n), without its '\n'; *ret_next is where the one
 * behind it starts (s.n: none). */
struct sharc_span sharc__cdx_line_at(struct sharc_span s, size_t at, size_t *ret_next);
/* The line that ends right before `at` (> 0); *ret_start is where it starts. */
struct sharc_span sharc__cdx_line_before(struct sharc_span s, size_t at, size_t *ret_start);
/* Start of the first line that is not smaller than target, or s.n. O(log n). */
size_t sharc__cdx_lower_bound(struct sharc_span s, struct sharc_span target);
/* Offset of the first line that is smaller than the one before it, SHARC_NPOS when
 * sorted. places == 0: looks at every line; else at lines that many steps apart. */
size_t sharc__cdx_unsorted(struct sharc_span s, size_t places);
/* A header or blank line: it holds no entry. */
static inline bool sharc__cdx_is_header(struct sharc_span line)
{
    return line.n == 0 || line.p[0] == ' ' || line.p[0] == '!';
}

/* --- one sorted file ----------------------------------------------------- */

struct cdx_part { /* a data file of a ZipNum index */
    char *name;
    struct sharc_span bytes;
    struct sharc_filemap map;
};

struct cdx_file {
    char *name;              /* for messages */
    struct sharc_span lines; /* all of it; of a ZipNum index the .idx */
    bool zipnum;
    struct sharc_filemap map; /* behind lines, or empty */
    struct sharc_buf unpacked;
    struct sharc_cdx_parser columns; /* after its header, for copies */
    struct cdx_part *parts;
    size_t part_count, part_room;
};

struct sharc_cdx_index {
    struct cdx_file **files;
    size_t count, room;
};

/* Where a block of a ZipNum index lies. */
struct cdx_block {
    struct sharc_span part; /* name; empty: the only one */
    uint64_t offset, length;
};
/* Read a line of an .idx in either form. */
int sharc__cdx_block_parse(struct sharc_span line, struct cdx_block *ret);
const struct cdx_part *sharc__cdx_part(const struct cdx_file *f, struct sharc_span name);
/* Are these the lines of an .idx? */
bool sharc__cdx_is_idx(struct sharc_span lines);
/* Open the data files that the lines of f name: where a .loc beside it says, else beside it. */
int sharc__cdx_parts_open(struct cdx_file *f, struct sharc_err *reterr);

/* --- walking ------------------------------------------------------------- */

/* A place between two lines of a file, and a way to go on in both directions. */
struct cdx_walker {
    const struct cdx_file *file;
    struct sharc_span chunk;       /* the file, or the current block */
    size_t at;                     /* in chunk */
    size_t block_start, block_end; /* ZipNum: the block's line in the .idx */
    uint64_t chunk_at;             /* where the chunk lies in its file */
    struct sharc_buf unpacked;
    struct sharc_inflate *inflate;
    struct sharc_buf before; /* the line before, to see that the order holds */
    bool moved;
};
void sharc__cdx_walker_init(struct cdx_walker *w, const struct cdx_file *f);
void sharc__cdx_walker_done(struct cdx_walker *w);
/* In front of the first line that is not smaller than target. */
int sharc__cdx_seek(struct cdx_walker *w, struct sharc_span target, struct sharc_err *reterr);
/* Behind the last line. */
int sharc__cdx_seek_end(struct cdx_walker *w, struct sharc_err *reterr);
/* 1: the line behind (before) the place, which moves; 0: none. The line lives until the
 * next call. Headers are passed over. SHARC_ECORRUPT when out of order. */
int sharc__cdx_forward(struct cdx_walker *w, struct sharc_span *ret, struct sharc_err *reterr);
int sharc__cdx_backward(struct cdx_walker *w, struct sharc_span *ret, struct sharc_err *reterr);

/* --- filters ------------------------------------------------------------- */

struct cdx_filter;
/* An array of count compiled filters; SHARC_EINVAL quotes the one that is wrong. */
int sharc__cdx_filters_new(const char *const *texts, size_t count, struct cdx_filter **ret, struct sharc_err *reterr);
void sharc__cdx_filters_free(struct cdx_filter *f, size_t count);
/* bare_names: of a filename only what is behind its last '/' is looked at. */
bool sharc__cdx_filters_hold(const struct cdx_filter *f, size_t count, bool bare_names, struct sharc_cdx_parser *p,
                             const struct sharc_cdx *c);

#endif
