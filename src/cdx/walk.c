/* SPDX-License-Identifier: Apache-2.0
 *
 * Going through the lines of one sorted index in both directions; of a ZipNum index one block at a time
 * is unpacked.
 */
#include "cdx_int.h"
#include "sharc/base_limits.h"

#include <inttypes.h>

void sharc__cdx_walker_init(struct cdx_walker *w, const struct cdx_file *f)
{
    *w = (struct cdx_walker){.file = f,
                             .chunk = f->zipnum ? SHARC_SPAN("") : f->lines,
                             .unpacked = SHARC_BUF_INIT(SHARC_LIMIT_CDX_BLOCK),
                             .before = SHARC_BUF_INIT(SHARC_LIMIT_CDX_BLOCK)};
    if (f->zipnum) w->inflate = sharc_inflate_new();
}

void sharc__cdx_walker_done(struct cdx_walker *w)
{
    sharc_buf_done(&w->unpacked);
    sharc_buf_done(&w->before);
    if (w->inflate) sharc_inflate_free(w->inflate);
    *w = (struct cdx_walker){0};
}

/* --- blocks of a ZipNum index -------------------------------------------- */

static int bad_block(const struct cdx_walker *w, size_t at, const char *what, struct sharc_err *reterr)
{
    int r = sharc_fail(reterr, SHARC_ECORRUPT, "%s: offset %zu: %s; build it again with sharc index", w->file->name, at,
                       what);
    if (reterr) reterr->offset = at;
    return r;
}

/* Unpack the block whose .idx line starts at `at`. */
static int load_block(struct cdx_walker *w, size_t at, struct sharc_err *reterr)
{
    const struct cdx_file *f = w->file;
    struct cdx_block b;
    struct sharc_span line = sharc__cdx_line_at(f->lines, at, &w->block_end);
    w->block_start = at;
    w->chunk = SHARC_SPAN("");
    w->at = 0;
    if (sharc__cdx_is_header(line)) return 0;
    if (sharc__cdx_block_parse(line, &b) < 0) return bad_block(w, at, "not a line of a ZipNum index", reterr);
    const struct cdx_part *part = sharc__cdx_part(f, b.part);
    if (!part) return bad_block(w, at, "names a data file that is not there", reterr);
    if (b.offset > part->bytes.n || b.length > part->bytes.n - b.offset)
        return bad_block(w, at, "points outside its data file", reterr);
    struct sharc_span packed = sharc_span(part->bytes.p + b.offset, b.length);
    int64_t used = sharc_inflate_member(w->inflate, packed, &w->unpacked);
    if (used != (int64_t)b.length) return bad_block(w, at, "its block is damaged or too large", reterr);
    w->chunk = sharc_buf_span(&w->unpacked);
    w->chunk_at = b.offset;
    return 0;
}

/* The next (or the one before the) block that has lines; 0: none left. */
static int next_block(struct cdx_walker *w, struct sharc_err *reterr)
{
    while (w->file->zipnum && w->block_end < w->file->lines.n) {
        int r = load_block(w, w->block_end, reterr);
        if (r < 0) return r;
        if (w->chunk.n) return 1;
    }
    return 0;
}

static int previous_block(struct cdx_walker *w, struct sharc_err *reterr)
{
    while (w->file->zipnum && w->block_start > 0) {
        size_t start;
        sharc__cdx_line_before(w->file->lines, w->block_start, &start);
        int r = load_block(w, start, reterr);
        if (r < 0) return r;
        w->at = w->chunk.n;
        if (w->chunk.n) return 1;
    }
    return 0;
}

/* --- places -------------------------------------------------------------- */

int sharc__cdx_seek(struct cdx_walker *w, struct sharc_span target, struct sharc_err *reterr)
{
    w->moved = false;
    if (w->file->zipnum) {
        /* A block may begin before the first line that is wanted: its line in the
         * .idx is then smaller than target. */
        struct sharc_span idx = w->file->lines;
        size_t at = sharc__cdx_lower_bound(idx, target);
        if (at > 0) sharc__cdx_line_before(idx, at, &at);
        if (at == idx.n) {
            w->block_start = w->block_end = at;
            return 0;
        }
        int r = load_block(w, at, reterr);
        if (r < 0) return r;
    }
    w->at = sharc__cdx_lower_bound(w->chunk, target);
    return 0;
}

int sharc__cdx_seek_end(struct cdx_walker *w, struct sharc_err *reterr)
{
    w->moved = false;
    if (w->file->zipnum) {
        w->block_start = w->block_end = w->file->lines.n;
        w->chunk = SHARC_SPAN("");
        int r = previous_block(w, reterr);
        if (r < 0) return r;
    }
    w->at = w->chunk.n;
    return 0;
}

static int check_order(struct cdx_walker *w, struct sharc_span line, size_t at, int wrong, struct sharc_err *reterr)
{
    int order = w->moved ? sharc_span_cmp(line, sharc_buf_span(&w->before)) : 0;
    if (order && (order < 0) == (wrong < 0)) {
        uint64_t offset = w->chunk_at + at;
        int r =
            sharc_fail(reterr, SHARC_ECORRUPT,
                       "%s: offset %" PRIu64 ": not sorted by bytes; sort it with LC_ALL=C or run sharc index on it",
                       w->file->name, offset);
        if (reterr) reterr->offset = offset;
        return r;
    }
    sharc_buf_clear(&w->before);
    sharc_buf_put(&w->before, line);
    w->moved = true;
    return 1;
}

int sharc__cdx_forward(struct cdx_walker *w, struct sharc_span *ret, struct sharc_err *reterr)
{
    for (;;) {
        if (w->at >= w->chunk.n) {
            int r = next_block(w, reterr);
            if (r <= 0) return r;
        }
        size_t at = w->at;
        *ret = sharc__cdx_line_at(w->chunk, at, &w->at);
        if (!sharc__cdx_is_header(*ret)) return check_order(w, *ret, at, -1, reterr);
    }
}

int sharc__cdx_backward(struct cdx_walker *w, struct sharc_span *ret, struct sharc_err *reterr)
{
    for (;;) {
        if (w->at == 0) {
            int r = previous_block(w, reterr);
            if (r <= 0) return r;
        }
        *ret = sharc__cdx_line_before(w->chunk, w->at, &w->at);
        if (!sharc__cdx_is_header(*ret)) return check_order(w, *ret, w->at, 1, reterr);
    }
}
