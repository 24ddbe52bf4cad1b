/* SPDX-License-Identifier: Apache-2.0
 *
 * Which archive files an index was made of (<index>.files), so that those that have not changed are
 * not read again.
 */
#include "sources.h"

#include "json.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"
#include "sharc/base_order.h"

#include <stdlib.h>

enum { MOST_BYTES = 1 << 30 };

void sharc__cdx_files_done(struct cdx_files *f)
{
    for (size_t i = 0; i < f->count; i++) free(f->items[i].name);
    free(f->items);
    *f = (struct cdx_files){0};
}

/* Position of name in the sorted list, or where it belongs. */
static size_t position(const struct cdx_files *f, const char *name, bool *ret_there)
{
    size_t at = SHARC_COUNT_WHILE(i, f->count, strcmp(f->items[i].name, name) < 0);
    *ret_there = at < f->count && strcmp(f->items[at].name, name) == 0;
    return at;
}

struct cdx_known *sharc__cdx_files_find(const struct cdx_files *f, const char *name)
{
    bool there;
    size_t at = position(f, name, &there);
    return there ? &f->items[at] : NULL;
}

void sharc__cdx_files_set(struct cdx_files *f, const char *name, uint64_t size, int64_t modified, bool replay)
{
    bool there;
    size_t at = position(f, name, &there);
    if (!there) {
        SHARC_GROW(f->items, f->room, f->count + 1);
        memmove(f->items + at + 1, f->items + at, (f->count - at) * sizeof *f->items);
        f->count++;
        f->items[at].name = sharc_strdup(name);
    }
    f->items[at].size = size;
    f->items[at].modified = modified;
    f->items[at].replay = replay;
}

static void read_line(struct cdx_files *f, struct sharc_span line, struct sharc_buf *scratch)
{
    struct cdx_json s = {.p = line.p, .end = line.p + line.n};
    struct cdx_member m;
    struct sharc_span name = SHARC_SPAN_NONE;
    uint64_t size = 0;
    int64_t modified = 0;
    bool replay = false;
    int r;
    sharc_buf_clear(scratch);
    while ((r = sharc__cdx_json_next(&s, &m)) > 0) {
        if (sharc_span_is(m.name, "name")) name = m.value_escaped ? sharc__cdx_json_text(m.value, scratch) : m.value;
        if (sharc_span_is(m.name, "size")) sharc_span_to_u64(m.value, &size);
        if (sharc_span_is(m.name, "modified")) sharc_span_to_i64(m.value, &modified);
        if (sharc_span_is(m.name, "replay")) replay = sharc_span_is(m.value, "true");
    }
    if (r < 0 || !name.n) return;
    SHARC_AUTO(sharc_freep) char *text = sharc_span_dup(name);
    sharc__cdx_files_set(f, text, size, modified, replay);
}

int sharc__cdx_files_read(struct cdx_files *f, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(MOST_BYTES), scratch = SHARC_BUF_INIT(MOST_BYTES);
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_file_read(path, &text, &err);
    if (r == SHARC_ENOENT) return 0;
    if (r < 0) {
        if (reterr) *reterr = err;
        return r;
    }
    struct sharc_span rest = sharc_buf_span(&text), line;
    while (sharc_span_next(&rest, '\n', &line)) read_line(f, line, &scratch);
    return 0;
}

int sharc__cdx_files_write(const struct cdx_files *f, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(MOST_BYTES);
    for (size_t i = 0; i < f->count; i++) {
        struct sharc_json j;
        sharc_json_init(&j, &text, false);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "name", f->items[i].name);
        sharc_json_uint(&j, "size", f->items[i].size);
        sharc_json_int(&j, "modified", f->items[i].modified);
        if (f->items[i].replay) sharc_json_bool(&j, "replay", true);
        sharc_json_end(&j);
        sharc_buf_put_char(&text, '\n');
    }
    int r = sharc_buf_result(&text, reterr);
    return r < 0 ? r : sharc_file_replace(path, sharc_buf_span(&text), reterr);
}
