/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_codec.h"
#include "sharc/base_limits.h"
#include "sharc/base_map.h"
#include "sharc/base_zip.h"
#include "zip_int.h"

#include <inttypes.h>
#include <stdlib.h>

struct directory {
    uint64_t at, size, entries;
};

static int bad(const struct sharc_zip *z, struct sharc_err *reterr, uint64_t at, const char *what)
{
    int r = sharc_fail(reterr, SHARC_ECORRUPT, "%s: offset %" PRIu64 ": %s", z->label, at, what);
    if (reterr) reterr->offset = at;
    return r;
}

/* The end record is the last one whose comment reaches exactly to the end of the
 * file; a comment is at most 65,535 bytes, so the search is bounded. */
static bool find_end(struct sharc_span b, uint64_t *ret)
{
    if (b.n < ZIP_END_SIZE) return false;
    size_t lowest = b.n > ZIP_END_SIZE + 65535 ? b.n - ZIP_END_SIZE - 65535 : 0;
    for (size_t at = b.n - ZIP_END_SIZE;; at--) {
        if (zip_get(b.p + at, 4) == ZIP_END && at + ZIP_END_SIZE + zip_get(b.p + at + 20, 2) == b.n) {
            *ret = at;
            return true;
        }
        if (at == lowest) return false;
    }
}

static int read_end64(const struct sharc_zip *z, uint64_t end, struct directory *d, struct sharc_err *reterr)
{
    struct sharc_span b = z->bytes;
    if (end < ZIP_LOCATOR64_SIZE) return 0;
    const char *locator = b.p + end - ZIP_LOCATOR64_SIZE;
    if (zip_get(locator, 4) != ZIP_LOCATOR64) return 0;
    uint64_t at = zip_get(locator + 8, 8), limit = end - ZIP_LOCATOR64_SIZE;
    if (limit < ZIP_END64_SIZE || at > limit - ZIP_END64_SIZE || zip_get(b.p + at, 4) != ZIP_END64)
        return bad(z, reterr, end - ZIP_LOCATOR64_SIZE, "the ZIP64 locator points nowhere");
    if (zip_get(b.p + at + 16, 4) || zip_get(b.p + at + 20, 4))
        return bad(z, reterr, at, "a ZIP over several disks is not supported");
    *d = (struct directory){zip_get(b.p + at + 48, 8), zip_get(b.p + at + 40, 8), zip_get(b.p + at + 32, 8)};
    return 0;
}

static int find_directory(const struct sharc_zip *z, struct directory *ret, struct sharc_err *reterr)
{
    struct sharc_span b = z->bytes;
    uint64_t end;
    SHARC_FAIL_IF(!find_end(b, &end), reterr, SHARC_ECORRUPT,
                  "%s: not a ZIP file, or cut off: it has no end of directory", z->label);
    if (zip_get(b.p + end + 4, 2) || zip_get(b.p + end + 6, 2))
        return bad(z, reterr, end, "a ZIP over several disks is not supported");
    struct directory d = {zip_get(b.p + end + 16, 4), zip_get(b.p + end + 12, 4), zip_get(b.p + end + 10, 2)};
    int r = read_end64(z, end, &d, reterr);
    if (r < 0) return r;
    if (d.at > end || d.size > end - d.at) return bad(z, reterr, end, "the directory lies outside the file");
    if (d.entries > SHARC_LIMIT_ZIP_ENTRIES || d.entries > d.size / ZIP_ENTRY_SIZE)
        return bad(z, reterr, end, "more entries than the directory can hold (or than SHARC_LIMIT_ZIP_ENTRIES)");
    *ret = d;
    return 0;
}

/* The 64-bit values that stand in the extra field instead of all ones. */
static bool read_extra64(struct sharc_span extra, struct sharc_zip_entry *e)
{
    uint64_t *const wanted[] = {&e->size, &e->packed, &e->header_at};
    bool missing = e->size == UINT32_MAX || e->packed == UINT32_MAX || e->header_at == UINT32_MAX;
    while (missing && extra.n >= 4) {
        uint64_t id = zip_get(extra.p, 2), n = zip_get(extra.p + 2, 2);
        if (n > extra.n - 4) return false;
        struct sharc_span field = sharc_span_sub(extra, 4, 4 + n);
        extra = sharc_span_from(extra, 4 + n);
        if (id != 1) continue;
        for (size_t i = 0; i < SHARC_LENGTH(wanted); i++) {
            if (*wanted[i] != UINT32_MAX) continue;
            if (field.n < 8) return false;
            *wanted[i] = zip_get(field.p, 8);
            field = sharc_span_from(field, 8);
        }
        missing = false;
    }
    return !missing;
}

/* A name that could be written below a directory without leaving it. */
static bool name_is_safe(struct sharc_span name)
{
    if (name.n == 0 || name.p[0] == '/' || memchr(name.p, 0, name.n) || memchr(name.p, '\\', name.n)) return false;
    struct sharc_span part;
    while (sharc_span_next(&name, '/', &part))
        if (sharc_span_is(part, "..") || sharc_span_is(part, ".")) return false;
    return true;
}

static int read_entry(struct sharc_zip *z, uint64_t *at, uint64_t limit, struct sharc_err *reterr)
{
    const char *p = z->bytes.p + *at;
    if (limit - *at < ZIP_ENTRY_SIZE || zip_get(p, 4) != ZIP_ENTRY)
        return bad(z, reterr, *at, "no directory entry where one is announced");
    uint64_t name_n = zip_get(p + 28, 2), extra_n = zip_get(p + 30, 2), comment_n = zip_get(p + 32, 2);
    if (limit - *at - ZIP_ENTRY_SIZE < name_n + extra_n + comment_n)
        return bad(z, reterr, *at, "a directory entry reaches beyond the directory");
    unsigned flags = (unsigned)zip_get(p + 8, 2);
    struct sharc_zip_entry e = {.name = sharc_span(p + ZIP_ENTRY_SIZE, name_n),
                                .method = (unsigned)zip_get(p + 10, 2),
                                .encrypted = flags & ZIP_FLAG_ENCRYPTED,
                                .crc = (uint32_t)zip_get(p + 16, 4),
                                .packed = zip_get(p + 20, 4),
                                .size = zip_get(p + 24, 4),
                                .header_at = zip_get(p + 42, 4)};
    if (!read_extra64(sharc_span(p + ZIP_ENTRY_SIZE + name_n, extra_n), &e))
        return bad(z, reterr, *at, "a ZIP64 entry lacks its sizes");
    if (!name_is_safe(e.name)) return bad(z, reterr, *at, "the name of an entry is empty or would leave its directory");
    e.directory = e.name.p[e.name.n - 1] == '/';
    if (e.header_at > z->bytes.n || e.packed > z->bytes.n - e.header_at)
        return bad(z, reterr, *at, "an entry lies outside the file");
    if (e.method == SHARC_ZIP_STORED && !e.encrypted && e.packed != e.size)
        return bad(z, reterr, *at, "a stored entry has two sizes");
    bool fresh;
    sharc_intern_add(z->names, e.name, &fresh);
    if (!fresh) return bad(z, reterr, *at, "two entries have the same name");
    z->entries[z->count++] = e;
    *at += ZIP_ENTRY_SIZE + name_n + extra_n + comment_n;
    return 0;
}

static int read_directory(struct sharc_zip *z, struct sharc_err *reterr)
{
    struct directory d = {0};
    int r = find_directory(z, &d, reterr);
    if (r < 0) return r;
    z->names = sharc_intern_new();
    z->entries = SHARC_NEW_ARRAY(struct sharc_zip_entry, d.entries);
    uint64_t at = d.at;
    for (uint64_t i = 0; i < d.entries; i++)
        if ((r = read_entry(z, &at, d.at + d.size, reterr)) < 0) return r;
    return 0;
}

int sharc_zip_open_bytes(struct sharc_zip *z, const char *label, struct sharc_span bytes, struct sharc_err *reterr)
{
    *z = (struct sharc_zip){.bytes = bytes, .label = sharc_strdup(label)};
    int r = read_directory(z, reterr);
    if (r < 0) sharc_zip_done(z);
    return r;
}

int sharc_zip_open(struct sharc_zip *z, const char *path, struct sharc_err *reterr)
{
    *z = (struct sharc_zip){0};
    struct sharc_filemap map;
    int r = sharc_filemap_open(&map, path, reterr);
    if (r < 0) return r;
    r = sharc_zip_open_bytes(z, path, map.bytes, reterr);
    if (r < 0)
        sharc_filemap_done(&map);
    else
        z->map = map;
    return r;
}

void sharc_zip_done(struct sharc_zip *z)
{
    sharc_intern_free(z->names);
    free(z->entries);
    free(z->label);
    sharc_filemap_done(&z->map);
    *z = (struct sharc_zip){0};
}

const struct sharc_zip_entry *sharc_zip_find(const struct sharc_zip *z, struct sharc_span name)
{
    uint32_t id = sharc_intern_find(z->names, name);
    return id == SHARC_NO_ID ? NULL : &z->entries[id];
}

int sharc_zip_raw(const struct sharc_zip *z, const struct sharc_zip_entry *e, struct sharc_span *ret,
                  struct sharc_err *reterr)
{
    struct sharc_span rest = sharc_span_from(z->bytes, e->header_at);
    if (rest.n < ZIP_LOCAL_SIZE || zip_get(rest.p, 4) != ZIP_LOCAL)
        return bad(z, reterr, e->header_at, "no local header where the directory says");
    uint64_t head = ZIP_LOCAL_SIZE + zip_get(rest.p + 26, 2) + zip_get(rest.p + 28, 2);
    if (rest.n < head || rest.n - head < e->packed)
        return bad(z, reterr, e->header_at, "an entry reaches beyond the file");
    struct sharc_span name = sharc_span(rest.p + ZIP_LOCAL_SIZE, zip_get(rest.p + 26, 2));
    if (!sharc_span_eq(name, e->name) || zip_get(rest.p + 8, 2) != e->method)
        return bad(z, reterr, e->header_at, "the local header and the directory disagree");
    *ret = sharc_span(rest.p + head, e->packed);
    return 0;
}

/* base knows gzip members: raw deflate becomes one by a head and a tail, and so
 * size and checksum are verified on the way. */
static int inflate_entry(const struct sharc_zip_entry *e, struct sharc_span raw, struct sharc_buf *out)
{
    static const char head[10] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, (char)0xff};
    char tail[8];
    zip_put(tail, 4, e->crc);
    zip_put(tail + 4, 4, e->size);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf member = SHARC_BUF_INIT(sizeof head + e->packed + sizeof tail);
    sharc_buf_put(&member, sharc_span(head, sizeof head));
    sharc_buf_put(&member, raw);
    sharc_buf_put(&member, sharc_span(tail, sizeof tail));
    struct sharc_inflate *state = sharc_inflate_new();
    size_t max = out->max;
    if (e->size < out->max) out->max = e->size;
    int64_t used = sharc_inflate_member(state, sharc_buf_span(&member), out);
    out->max = max;
    sharc_inflate_free(state);
    return used == (int64_t)member.n && out->n == e->size ? 0 : SHARC_ECORRUPT;
}

int sharc_zip_read(const struct sharc_zip *z, const struct sharc_zip_entry *e, struct sharc_buf *out,
                   struct sharc_err *reterr)
{
    struct sharc_span raw;
    sharc_buf_clear(out);
    SHARC_FAIL_IF(e->encrypted || (e->method != SHARC_ZIP_STORED && e->method != SHARC_ZIP_DEFLATED), reterr,
                  SHARC_EUNSUPPORTED, "%s: %.*s: packed by method %u%s, which cannot be read", z->label,
                  SHARC_SPAN_ARG(e->name), e->method, e->encrypted ? " and encrypted" : "");
    SHARC_FAIL_IF(e->size > out->max || e->size > SHARC_LIMIT_ZIP_UNPACKED, reterr, SHARC_ELIMIT,
                  "%s: %.*s: %" PRIu64 " bytes are more than may be unpacked here", z->label, SHARC_SPAN_ARG(e->name),
                  e->size);
    int r = sharc_zip_raw(z, e, &raw, reterr);
    if (r < 0) return r;
    if (e->method == SHARC_ZIP_STORED) {
        sharc_buf_put(out, raw);
        r = sharc_crc32(0, raw) == e->crc ? 0 : SHARC_ECORRUPT;
    } else {
        r = inflate_entry(e, raw, out);
    }
    SHARC_FAIL_IF(r < 0, reterr, r, "%s: %.*s: damaged, its bytes do not match its size and checksum", z->label,
                  SHARC_SPAN_ARG(e->name));
    return 0;
}
