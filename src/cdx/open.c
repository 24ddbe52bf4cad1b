/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening sorted index files: what they are, where their data lies, and that
 * they are sorted. An unsorted file would lose captures without a word.
 */
#include "cdx_int.h"
#include "sharc/base_limits.h"

#include <stdlib.h>
#include <unistd.h>

enum { CHECK_WHOLE = 16 << 20, CHECK_PLACES = 256 };

struct sharc_cdx_index *sharc_cdx_index_new(void)
{
    return SHARC_NEW(struct sharc_cdx_index);
}

static struct cdx_file *new_file(const char *name)
{
    struct cdx_file *f = SHARC_NEW(struct cdx_file);
    f->name = sharc_strdup(name);
    f->unpacked.max = SHARC_LIMIT_CDX_GZIP;
    sharc_cdx_parser_init(&f->columns);
    return f;
}

static void free_file(struct cdx_file *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->part_count; i++) {
        free(f->parts[i].name);
        sharc_filemap_done(&f->parts[i].map);
    }
    free(f->parts);
    sharc_filemap_done(&f->map);
    sharc_buf_done(&f->unpacked);
    sharc_cdx_parser_done(&f->columns);
    free(f->name);
    free(f);
}

static void free_filep(struct cdx_file **f)
{
    free_file(*f);
}

void sharc_cdx_index_free(struct sharc_cdx_index *x)
{
    if (!x) return;
    for (size_t i = 0; i < x->count; i++) free_file(x->files[i]);
    free(x->files);
    free(x);
}

void sharc_cdx_index_freep(struct sharc_cdx_index **x)
{
    sharc_cdx_index_free(*x);
    *x = NULL;
}

bool sharc_cdx_index_intact(const struct sharc_cdx_index *x)
{
    for (size_t i = 0; i < x->count; i++) {
        const struct cdx_file *f = x->files[i];
        if (!f->unpacked.n && !sharc_filemap_intact(&f->map)) return false;
        for (size_t k = 0; k < f->part_count; k++)
            if (!sharc_filemap_intact(&f->parts[k].map)) return false;
    }
    return true;
}

static void keep(struct sharc_cdx_index *x, struct cdx_file *f)
{
    SHARC_GROW(x->files, x->room, x->count + 1);
    x->files[x->count++] = f;
}

/* --- sortedness ---------------------------------------------------------- */

static int check_lines(const struct cdx_file *f, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    bool whole = check == SHARC_CDX_CHECK_ALL || f->zipnum || f->lines.n <= CHECK_WHOLE;
    size_t at = sharc__cdx_unsorted(f->lines, whole ? 0 : CHECK_PLACES);
    if (at == SHARC_NPOS) return 0;
    int r =
        sharc_fail(reterr, SHARC_ECORRUPT,
                   "%s: offset %zu: not sorted by bytes; sort it with LC_ALL=C or run sharc index on it", f->name, at);
    if (reterr) reterr->offset = at;
    return r;
}

/* Every line of every block, by walking. */
static int check_blocks(const struct cdx_file *f, struct sharc_err *reterr)
{
    struct cdx_walker w;
    struct sharc_span line;
    sharc__cdx_walker_init(&w, f);
    int r;
    while ((r = sharc__cdx_forward(&w, &line, reterr)) > 0) continue;
    sharc__cdx_walker_done(&w);
    return r;
}

/* The header's columns; and the key must be among them, or there is no order. */
static int read_columns(struct cdx_file *f, struct sharc_err *reterr)
{
    size_t next = 0;
    struct sharc_cdx c;
    while (next < f->lines.n) {
        struct sharc_span line = sharc__cdx_line_at(f->lines, next, &next);
        if (!sharc__cdx_is_header(line)) break;
        int r = sharc_cdx_parse(&f->columns, line, &c, reterr);
        if (r < 0) return sharc_err_prefix(reterr, r, "%s", f->name);
    }
    if (!f->columns.count) return 0;
    SHARC_FAIL_IF(f->columns.column[0] != SHARC_CDX_KEY, reterr, SHARC_EUNSUPPORTED,
                  "%s: its lines do not begin with a sort key (N), so it cannot be searched; run sharc index on it",
                  f->name);
    return 0;
}

static int finish(struct sharc_cdx_index *x, struct cdx_file *f, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    int r = check_lines(f, check, reterr);
    if (r == 0 && !f->zipnum) r = read_columns(f, reterr);
    if (r == 0 && f->zipnum && check == SHARC_CDX_CHECK_ALL) r = check_blocks(f, reterr);
    if (r == 0) keep(x, f);
    return r;
}

/* --- adding -------------------------------------------------------------- */

static bool is_gzip(struct sharc_span bytes)
{
    return sharc_span_starts(bytes, SHARC_SPAN("\x1f\x8b"));
}

/* x.cdx.gz with an x.idx beside it is the data of a ZipNum index. */
static char *idx_beside(const char *path)
{
    static const char *const ends[] = {".cdx.gz", ".cdxj.gz"};
    struct sharc_span p = sharc_span_of(path);
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++) {
        struct sharc_span end = sharc_span_of(ends[i]);
        if (!sharc_span_ends(p, end)) continue;
        char *idx = sharc_asprintf("%.*s.idx", (int)(p.n - end.n), path);
        if (access(idx, R_OK) == 0) return idx;
        free(idx);
    }
    return NULL;
}

int sharc_cdx_index_add(struct sharc_cdx_index *x, const char *path, enum sharc_cdx_check check,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *idx = idx_beside(path);
    if (idx) path = idx;
    SHARC_AUTO(free_filep) struct cdx_file *f = new_file(path);
    int r = sharc_filemap_open(&f->map, path, reterr);
    if (r < 0) return r;
    f->lines = f->map.bytes;
    if (is_gzip(f->lines)) {
        r = sharc_decode(SHARC_GZIP, f->lines, &f->unpacked, reterr);
        if (r < 0) return sharc_err_prefix(reterr, r, "%s", path);
        f->lines = sharc_buf_span(&f->unpacked);
    }
    f->zipnum = sharc__cdx_is_idx(f->lines);
    if (f->zipnum && (r = sharc__cdx_parts_open(f, reterr)) < 0) return r;
    r = finish(x, f, check, reterr);
    if (r == 0) f = NULL;
    return r;
}

int sharc_cdx_index_add_lines(struct sharc_cdx_index *x, const char *name, struct sharc_span lines,
                              enum sharc_cdx_check check, struct sharc_err *reterr)
{
    SHARC_AUTO(free_filep) struct cdx_file *f = new_file(name);
    f->lines = lines;
    int r = finish(x, f, check, reterr);
    if (r == 0) f = NULL;
    return r;
}

int sharc_cdx_index_add_zipnum(struct sharc_cdx_index *x, const char *name, struct sharc_span idx,
                               struct sharc_span data, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    SHARC_AUTO(free_filep) struct cdx_file *f = new_file(name);
    f->lines = idx;
    f->zipnum = true;
    SHARC_GROW(f->parts, f->part_room, 1);
    f->parts[f->part_count++] = (struct cdx_part){.name = sharc_strdup(name), .bytes = data};
    int r = finish(x, f, check, reterr);
    if (r == 0) f = NULL;
    return r;
}
