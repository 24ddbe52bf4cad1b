/* SPDX-License-Identifier: Apache-2.0
 *
 * INVARIANTS of the ZIP writer
 *  (1) w->at is the number of bytes written so far, those still pending included;
 *  (2) between begin and end exactly one entry is open, the last of w->entries;
 *  (3) a local header is written with zeros and patched when its entry ends, so that
 *      no entry needs a data descriptor, which some readers cannot take;
 *  (4) the extra fields of a local header and of its directory entry have the same length:
 *      a widespread reader finds the data by the latter.
 */
#include "sharc/base_codec.h"
#include "sharc/base_zip.h"
#include "zip_int.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXTRA64_MOST = 4 + 24, UNIX = 3, PADDING_ID = 0xffff };

struct written {
    char *name;
    unsigned method;
    uint32_t crc;
    uint64_t packed, size, header_at;
    bool big; /* its sizes stand in ZIP64 fields */
};

struct sharc_zip_writer {
    struct sharc_atomic_file file;
    uint64_t at;
    uint32_t when; /* DOS date and time */
    struct written *entries;
    size_t count, room;
    bool open;
    bool failed;
    struct sharc_deflate *deflate;
};

/* Years 1980 to 2107, two-second steps. */
static uint32_t dos_time(sharc_time when)
{
    struct sharc_date d = sharc_date_of(when);
    if (d.year < 1980) return 1u << 21 | 1u << 16;
    if (d.year > 2107) d.year = 2107;
    return (uint32_t)(d.year - 1980) << 25 |
           (uint32_t)(d.month << 21 | d.day << 16 | d.hour << 11 | d.minute << 5 | d.second / 2);
}

int sharc_zip_writer_new(const char *path, sharc_time when, struct sharc_zip_writer **ret, struct sharc_err *reterr)
{
    struct sharc_zip_writer *w = SHARC_NEW(struct sharc_zip_writer);
    int r = sharc_atomic_open(&w->file, path, reterr);
    if (r < 0) {
        free(w);
        return r;
    }
    w->when = dos_time(when);
    *ret = w;
    return 0;
}

void sharc_zip_writer_free(struct sharc_zip_writer *w)
{
    if (!w) return;
    sharc_atomic_done(&w->file);
    for (size_t i = 0; i < w->count; i++) free(w->entries[i].name);
    free(w->entries);
    if (w->deflate) sharc_deflate_free(w->deflate);
    free(w);
}

void sharc_zip_writer_freep(struct sharc_zip_writer **w)
{
    sharc_zip_writer_free(*w);
    *w = NULL;
}

static int put(struct sharc_zip_writer *w, struct sharc_span bytes, struct sharc_err *reterr)
{
    int r = sharc_atomic_write(&w->file, bytes, reterr);
    if (r < 0)
        w->failed = true;
    else
        w->at += bytes.n;
    return r;
}

/* Overwrite bytes already handed over: some may be on disk, some still pending. */
static int patch(struct sharc_zip_writer *w, uint64_t at, struct sharc_span bytes, struct sharc_err *reterr)
{
    uint64_t flushed = w->at - w->file.pending.n;
    while (bytes.n && at < flushed) {
        size_t n = bytes.n < flushed - at ? bytes.n : (size_t)(flushed - at);
        ssize_t done = pwrite(w->file.fd, bytes.p, n, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            w->failed = true;
            return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: cannot write: %s", w->file.path,
                              strerror(errno));
        }
        at += (uint64_t)done;
        bytes = sharc_span_from(bytes, (size_t)done);
    }
    if (bytes.n) memcpy(w->file.pending.p + (at - flushed), bytes.p, bytes.n);
    return 0;
}

static bool is_far(const struct written *e)
{
    return e->header_at >= UINT32_MAX;
}

static size_t extra_length(const struct written *e)
{
    size_t n = (e->big ? 16 : 0) + (is_far(e) ? 8 : 0);
    return n ? n + 4 : 0;
}

static void local_header(const struct sharc_zip_writer *w, const struct written *e, char h[ZIP_LOCAL_SIZE])
{
    zip_put(h, 4, ZIP_LOCAL);
    zip_put(h + 4, 2, e->big ? 45 : 20);
    zip_put(h + 6, 2, ZIP_FLAG_UTF8);
    zip_put(h + 8, 2, e->method);
    zip_put(h + 10, 4, w->when);
    zip_put(h + 14, 4, e->crc);
    zip_put(h + 18, 4, e->big ? UINT32_MAX : e->packed);
    zip_put(h + 22, 4, e->big ? UINT32_MAX : e->size);
    zip_put(h + 26, 2, strlen(e->name));
    zip_put(h + 28, 2, extra_length(e));
}

/* A local header knows no offset: its eight bytes are padding in a field that every
 * reader skips. With the sizes it is one ZIP64 field that is longer than it must be. */
static void local_extra(const struct written *e, char x[EXTRA64_MOST])
{
    memset(x, 0, EXTRA64_MOST);
    zip_put(x, 2, e->big ? 1 : PADDING_ID);
    zip_put(x + 2, 2, extra_length(e) - 4);
    zip_put(x + 4, 8, e->big ? e->size : 0);
    zip_put(x + 12, 8, e->big ? e->packed : 0);
}

static int put_local(struct sharc_zip_writer *w, const struct written *e, struct sharc_err *reterr)
{
    char head[ZIP_LOCAL_SIZE], extra[EXTRA64_MOST];
    local_header(w, e, head);
    local_extra(e, extra);
    int r = put(w, sharc_span(head, sizeof head), reterr);
    if (r == 0) r = put(w, sharc_span_of(e->name), reterr);
    if (r == 0) r = put(w, sharc_span(extra, extra_length(e)), reterr);
    return r;
}

static struct written *new_entry(struct sharc_zip_writer *w, const char *name, bool big)
{
    SHARC_ASSERT(!w->open && strlen(name) <= UINT16_MAX);
    SHARC_GROW(w->entries, w->room, w->count + 1);
    struct written *e = &w->entries[w->count++];
    *e = (struct written){.name = sharc_strdup(name), .header_at = w->at, .big = big};
    return e;
}

int sharc_zip_begin(struct sharc_zip_writer *w, const char *name, uint64_t expected, struct sharc_err *reterr)
{
    const struct written *e = new_entry(w, name, expected >= UINT32_MAX);
    w->open = true;
    return put_local(w, e, reterr);
}

int sharc_zip_write(struct sharc_zip_writer *w, struct sharc_span bytes, struct sharc_err *reterr)
{
    SHARC_ASSERT(w->open);
    struct written *e = &w->entries[w->count - 1];
    if (!e->big && bytes.n >= UINT32_MAX - e->size) {
        w->failed = true;
        return sharc_fail(reterr, SHARC_ELIMIT, "%s: %s grew beyond 4 GiB while it was packed", w->file.path, e->name);
    }
    e->crc = sharc_crc32(e->crc, bytes);
    e->packed = e->size += bytes.n;
    return put(w, bytes, reterr);
}

int sharc_zip_end(struct sharc_zip_writer *w, struct sharc_err *reterr)
{
    SHARC_ASSERT(w->open);
    w->open = false;
    const struct written *e = &w->entries[w->count - 1];
    char head[ZIP_LOCAL_SIZE], extra[EXTRA64_MOST];
    local_header(w, e, head);
    local_extra(e, extra);
    int r = patch(w, e->header_at, sharc_span(head, sizeof head), reterr);
    if (r == 0)
        r = patch(w, e->header_at + ZIP_LOCAL_SIZE + strlen(e->name), sharc_span(extra, extra_length(e)), reterr);
    return r;
}

/* The raw deflate stream inside a gzip member as base makes it: ten bytes of head,
 * eight of tail. */
static struct sharc_span deflated(struct sharc_zip_writer *w, struct sharc_span bytes, struct sharc_buf *member)
{
    if (!w->deflate) w->deflate = sharc_deflate_new(6);
    if (sharc_deflate_member(w->deflate, bytes, member) < 0 || member->n < 18 || member->p[3] != 0)
        return SHARC_SPAN_NONE;
    return sharc_span_sub(sharc_buf_span(member), 10, member->n - 8);
}

int sharc_zip_add(struct sharc_zip_writer *w, const char *name, struct sharc_span bytes, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf member = SHARC_BUF_INIT(bytes.n + 64);
    struct sharc_span raw = bytes.n ? deflated(w, bytes, &member) : SHARC_SPAN_NONE;
    struct written *e = new_entry(w, name, bytes.n >= UINT32_MAX);
    e->crc = sharc_crc32(0, bytes);
    e->size = bytes.n;
    bool pack = raw.p && raw.n < bytes.n;
    if (!pack) raw = bytes;
    e->method = pack ? SHARC_ZIP_DEFLATED : SHARC_ZIP_STORED;
    e->packed = raw.n;
    int r = put_local(w, e, reterr);
    return r < 0 ? r : put(w, raw, reterr);
}

static int put_entry(struct sharc_zip_writer *w, const struct written *e, struct sharc_err *reterr)
{
    char h[ZIP_ENTRY_SIZE] = {0}, x[EXTRA64_MOST];
    const struct {
        uint64_t value;
        size_t place;
        bool wide;
    } fields[] = {{e->size, 24, e->big}, {e->packed, 20, e->big}, {e->header_at, 42, is_far(e)}};
    size_t n = 4;
    for (size_t i = 0; i < SHARC_LENGTH(fields); i++) {
        zip_put(h + fields[i].place, 4, fields[i].wide ? UINT32_MAX : fields[i].value);
        if (!fields[i].wide) continue;
        zip_put(x + n, 8, fields[i].value);
        n += 8;
    }
    zip_put(x, 2, 1);
    zip_put(x + 2, 2, n - 4);
    n = extra_length(e);
    zip_put(h, 4, ZIP_ENTRY);
    zip_put(h + 4, 2, UNIX << 8 | 45);
    zip_put(h + 6, 2, n ? 45 : 20);
    zip_put(h + 8, 2, ZIP_FLAG_UTF8);
    zip_put(h + 10, 2, e->method);
    zip_put(h + 12, 4, w->when);
    zip_put(h + 16, 4, e->crc);
    zip_put(h + 28, 2, strlen(e->name));
    zip_put(h + 30, 2, n);
    zip_put(h + 38, 4, (uint64_t)0100644 << 16);
    int r = put(w, sharc_span(h, sizeof h), reterr);
    if (r == 0) r = put(w, sharc_span_of(e->name), reterr);
    if (r == 0) r = put(w, sharc_span(x, n), reterr);
    return r;
}

static int put_end64(struct sharc_zip_writer *w, uint64_t from, uint64_t size, struct sharc_err *reterr)
{
    char b[ZIP_END64_SIZE + ZIP_LOCATOR64_SIZE] = {0}, *l = b + ZIP_END64_SIZE;
    zip_put(b, 4, ZIP_END64);
    zip_put(b + 4, 8, ZIP_END64_SIZE - 12);
    zip_put(b + 12, 2, UNIX << 8 | 45);
    zip_put(b + 14, 2, 45);
    zip_put(b + 24, 8, w->count);
    zip_put(b + 32, 8, w->count);
    zip_put(b + 40, 8, size);
    zip_put(b + 48, 8, from);
    zip_put(l, 4, ZIP_LOCATOR64);
    zip_put(l + 8, 8, w->at);
    zip_put(l + 16, 4, 1);
    return put(w, sharc_span(b, sizeof b), reterr);
}

int sharc_zip_writer_commit(struct sharc_zip_writer *w, struct sharc_err *reterr)
{
    SHARC_ASSERT(!w->open);
    SHARC_FAIL_IF(w->failed, reterr, SHARC_EIO, "%s: an earlier write failed", w->file.path);
    uint64_t from = w->at;
    int r;
    for (size_t i = 0; i < w->count; i++)
        if ((r = put_entry(w, &w->entries[i], reterr)) < 0) return r;
    uint64_t size = w->at - from;
    bool big = w->count >= UINT16_MAX || size >= UINT32_MAX || from >= UINT32_MAX;
    if (big && (r = put_end64(w, from, size, reterr)) < 0) return r;
    char e[ZIP_END_SIZE] = {0};
    zip_put(e, 4, ZIP_END);
    zip_put(e + 8, 2, w->count >= UINT16_MAX ? UINT16_MAX : w->count);
    zip_put(e + 10, 2, w->count >= UINT16_MAX ? UINT16_MAX : w->count);
    zip_put(e + 12, 4, size >= UINT32_MAX ? UINT32_MAX : size);
    zip_put(e + 16, 4, from >= UINT32_MAX ? UINT32_MAX : from);
    if ((r = put(w, sharc_span(e, sizeof e), reterr)) < 0) return r;
    return sharc_atomic_commit(&w->file, reterr);
}
