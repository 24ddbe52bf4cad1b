/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading ZipNum indexes: the lines of the small file (.idx), and the data files
 * that hold the blocks they point at.
 */
#include "cdx_int.h"
#include "json.h"

#include <unistd.h>

/* Two forms are in use:
 *   key SP timestamp SP {"offset": 0, "length": 1234}      after a "!meta" line
 *   key SP timestamp TAB part TAB offset TAB length [TAB number] */
int sharc__cdx_block_parse(struct sharc_span line, struct cdx_block *ret)
{
    *ret = (struct cdx_block){0};
    size_t tab = sharc_span_find(line, '\t', 0);
    if (tab != SHARC_NPOS) {
        struct sharc_span rest = sharc_span_from(line, tab + 1), offset, length;
        if (!sharc_span_next(&rest, '\t', &ret->part) || !sharc_span_next(&rest, '\t', &offset) ||
            !sharc_span_next(&rest, '\t', &length))
            return SHARC_ESYNTAX;
        if (sharc_span_to_u64(offset, &ret->offset) < 0 || sharc_span_to_u64(length, &ret->length) < 0)
            return SHARC_ESYNTAX;
        return 0;
    }
    size_t brace = sharc_span_find(line, '{', 0);
    if (brace == SHARC_NPOS) return SHARC_ESYNTAX;
    struct cdx_json s = {.p = line.p + brace, .end = line.p + line.n};
    struct cdx_member m;
    int found = 0, r;
    while ((r = sharc__cdx_json_next(&s, &m)) > 0) {
        if (sharc_span_is(m.name, "offset") && sharc_span_to_u64(m.value, &ret->offset) == 0) found |= 1;
        if (sharc_span_is(m.name, "length") && sharc_span_to_u64(m.value, &ret->length) == 0) found |= 2;
        if (sharc_span_is(m.name, "filename")) ret->part = m.value;
    }
    return r == 0 && found == 3 ? 0 : SHARC_ESYNTAX;
}

const struct cdx_part *sharc__cdx_part(const struct cdx_file *f, struct sharc_span name)
{
    if (name.n == 0) return f->part_count ? &f->parts[0] : NULL;
    for (size_t i = 0; i < f->part_count; i++)
        if (sharc_span_is(name, f->parts[i].name)) return &f->parts[i];
    return f->part_count == 1 && !f->parts[0].map.base ? &f->parts[0] : NULL;
}

static int add_part(struct cdx_file *f, struct sharc_span name, const char *path, struct sharc_err *reterr)
{
    struct cdx_part part = {.name = NULL};
    int r = sharc_filemap_open(&part.map, path, reterr);
    if (r < 0) return r;
    part.name = sharc_span_dup(name);
    part.bytes = part.map.bytes;
    SHARC_GROW(f->parts, f->part_room, f->part_count + 1);
    f->parts[f->part_count++] = part;
    return 0;
}

/* --- where the data files lie ------------------------------------------------ */

/* "cluster.loc" beside "cluster.idx": a line for each data file, its name and then, behind tabs,
 * the places where it may be; relative ones count from the directory of the .loc. */
static int read_locations(const struct cdx_file *f, struct sharc_buf *ret, struct sharc_err *reterr)
{
    struct sharc_span idx = sharc_span_of(f->name);
    if (sharc_span_ends(idx, SHARC_SPAN(".gz"))) idx.n -= 3;
    if (!sharc_span_ends(idx, SHARC_SPAN(".idx"))) return 0;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%.*s.loc", (int)(idx.n - 4), idx.p);
    return access(path, F_OK) < 0 ? 0 : sharc_file_read(path, ret, reterr);
}

static bool is_remote(struct sharc_span place)
{
    size_t colon = sharc_span_search(place, SHARC_SPAN("://"));
    return colon != SHARC_NPOS && !sharc_span_istarts(place, SHARC_SPAN("file://"));
}

/* 1: opened; 0: the .loc does not name it; < 0: it does, but nothing can be opened there. */
static int open_located(struct cdx_file *f, struct sharc_span name, struct sharc_span locations,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *beside = sharc_path_parent(f->name);
    struct sharc_span line, word, place = SHARC_SPAN_NONE;
    while (sharc_span_next(&locations, '\n', &line)) {
        line = sharc_span_trim(line);
        if (!sharc_span_next(&line, '\t', &word) || !sharc_span_eq(word, name)) continue;
        while (sharc_span_next(&line, '\t', &place)) {
            if (is_remote(place)) continue;
            struct sharc_span local = place;
            if (sharc_span_istarts(local, SHARC_SPAN("file://"))) local = sharc_span_from(local, 7);
            SHARC_AUTO(sharc_freep)
            char *path = local.n && local.p[0] == '/' ? sharc_span_dup(local)
                                                      : sharc_asprintf("%s/%.*s", beside, SHARC_SPAN_ARG(local));
            if (access(path, F_OK) < 0) continue;
            int r = add_part(f, name, path, reterr);
            return r < 0 ? r : 1;
        }
        return sharc_fail(reterr, SHARC_ENOENT, "%s: its data file %.*s is at none of the places that its .loc names%s",
                          f->name, SHARC_SPAN_ARG(sharc_span_sub(name, 0, 100)),
                          is_remote(place) ? "; files elsewhere on the network are not fetched, download them" : "");
    }
    return 0;
}

/* Beside the .idx, under its name or with one of the usual ends. Its name comes
 * from outside, so only its last part counts. */
static int open_beside(struct cdx_file *f, struct sharc_span name, struct sharc_err *reterr)
{
    static const char *const ends[] = {"", ".gz", ".cdx.gz", ".cdxj.gz"};
    SHARC_AUTO(sharc_freep) char *beside = sharc_path_parent(f->name);
    SHARC_AUTO(sharc_freep) char *full = sharc_span_dup(name);
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/%s%s", beside, sharc_path_last(full), ends[i]);
        if (access(path, F_OK) == 0) return add_part(f, name, path, reterr);
    }
    return sharc_fail(reterr, SHARC_ENOENT, "%s: its data file %s is not beside it", f->name, sharc_path_last(full));
}

static int open_part(struct cdx_file *f, struct sharc_span name, struct sharc_span locations, struct sharc_err *reterr)
{
    int r = open_located(f, name, locations, reterr);
    return r < 0 ? r : r > 0 ? 0 : open_beside(f, name, reterr);
}

/* --- the lines of the .idx ------------------------------------------------------ */

/* "!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}" */
static struct sharc_span meta_filename(struct sharc_span line, bool *ret_gzip)
{
    struct sharc_span name = SHARC_SPAN_NONE;
    size_t brace = sharc_span_find(line, '{', 0);
    *ret_gzip = false;
    if (brace == SHARC_NPOS) return name;
    struct cdx_json s = {.p = line.p + brace, .end = line.p + line.n};
    struct cdx_member m;
    while (sharc__cdx_json_next(&s, &m) > 0) {
        if (sharc_span_is(m.name, "filename")) name = m.value;
        if (sharc_span_is(m.name, "format")) *ret_gzip = sharc_span_starts(m.value, SHARC_SPAN("cdxj-gzip"));
    }
    return name;
}

bool sharc__cdx_is_idx(struct sharc_span lines)
{
    size_t next = 0;
    while (next < lines.n) {
        struct sharc_span line = sharc__cdx_line_at(lines, next, &next);
        bool gzip = false;
        if (line.n && line.p[0] == '!') meta_filename(line, &gzip);
        if (gzip) return true;
        struct cdx_block b;
        if (!sharc__cdx_is_header(line))
            return sharc_span_find(line, '\t', 0) != SHARC_NPOS && sharc__cdx_block_parse(line, &b) == 0;
    }
    return false;
}

int sharc__cdx_parts_open(struct cdx_file *f, struct sharc_err *reterr)
{
    enum { MOST_PARTS = 10000, MOST_LOCATIONS = 16 << 20 };
    SHARC_AUTO(sharc_buf_done) struct sharc_buf locations = SHARC_BUF_INIT(MOST_LOCATIONS);
    size_t next = 0;
    int r = read_locations(f, &locations, reterr);
    if (r < 0) return r;
    while (next < f->lines.n) {
        bool gzip;
        struct cdx_block b = {0};
        struct sharc_span line = sharc__cdx_line_at(f->lines, next, &next);
        if (line.n && line.p[0] == '!')
            b.part = meta_filename(line, &gzip);
        else if (!sharc__cdx_is_header(line) && sharc__cdx_block_parse(line, &b) < 0)
            continue; /* the walk that meets this line will complain, with its offset */
        if (b.part.n == 0 || sharc__cdx_part(f, b.part)) continue;
        SHARC_FAIL_IF(f->part_count == MOST_PARTS, reterr, SHARC_ELIMIT, "%s: more than %d data files", f->name,
                      MOST_PARTS);
        r = open_part(f, b.part, sharc_buf_span(&locations), reterr);
        if (r < 0) return r;
    }
    return 0;
}
