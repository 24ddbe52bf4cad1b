/* SPDX-License-Identifier: Apache-2.0
 *
 * The indexes of an edition. A container brings its own, an archive has one, and all archive files that
 * nobody has indexed get one together (loose.c).
 */
#include "serve_int.h"

#include "sharc/cdx_build.h"
#include "sharc/warc_remote.h"

#include <stdlib.h>

static struct serve_source *add_source(struct sharc_edition *e)
{
    SHARC_GROW(e->sources, e->source_room, e->source_count + 1);
    struct serve_source *s = &e->sources[e->source_count++];
    *s = (struct serve_source){.index = sharc_cdx_index_new(), .lines_fd = -1};
    return s;
}

static void drop_source(struct sharc_edition *e)
{
    sharc__serve_source_done(&e->sources[--e->source_count]);
}

void sharc__serve_source_done(struct serve_source *s)
{
    sharc_cdx_index_free(s->index);
    sharc_filemap_done(&s->lines);
    sharc_closep(&s->lines_fd);
    free(s->loose);
    sharc_wacz_close(s->wacz);
    free(s->directory);
}

bool sharc__serve_source_intact(const struct serve_source *s)
{
    return sharc_cdx_index_intact(s->index) && sharc_filemap_intact(&s->lines) &&
           (!s->wacz || sharc_filemap_intact(&sharc_wacz_zip(s->wacz)->map));
}

/* What cannot be read is told and left out: the rest can be served. */
static void add_container(struct sharc_edition *e, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct serve_source *s = add_source(e);
    int r = sharc_wacz_open(path, &s->wacz, &err);
    if (r == 0) r = sharc_wacz_add_index(s->wacz, s->index, SHARC_CDX_CHECK_SOME, &err);
    if (r == 0) return;
    drop_source(e);
    sharc__serve_warn(e->collection, &err);
}

static bool add_index(struct sharc_edition *e, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct serve_source *s = add_source(e);
    s->directory = sharc_path_parent(path);
    if (sharc_cdx_index_add(s->index, path, SHARC_CDX_CHECK_SOME, &err) == 0) return true;
    drop_source(e);
    sharc__serve_warn(e->collection, &err);
    return false;
}

/* --- files without an index --------------------------------------------------------------- */

struct loose {
    struct serve_file **files;
    size_t count;
};

static void loose_done(struct loose *l)
{
    free(l->files);
}

static void find_loose(const struct sharc_edition *e, struct loose *l)
{
    l->files = SHARC_NEW_ARRAY(struct serve_file *, e->file_count);
    for (size_t i = 0; i < e->file_count; i++)
        if (e->files[i]->kind == SHARC_WARC_KIND_ARCHIVE) l->files[l->count++] = e->files[i];
}

/* Take those away that an index knows. One that the user named and that remembers nothing is taken at its word. */
static int leave_known(struct loose *l, const struct serve_index_path *index, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) bool *missing = SHARC_NEW_ARRAY(bool, l->count);
    SHARC_AUTO(sharc_freep) const char **paths = SHARC_NEW_ARRAY(const char *, l->count);
    for (size_t i = 0; i < l->count; i++) paths[i] = l->files[i]->path;
    int r = sharc_cdx_missing(index->path, paths, l->count, missing, reterr);
    if (r < 0) return r;
    if (r == 0 && index->named) l->count = 0;
    if (r == 0) return 0;
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (missing[i]) l->files[kept++] = l->files[i];
    l->count = kept;
    return 0;
}

int sharc__serve_sources_open(struct sharc_edition *e, const struct serve_index_path *indexes, size_t count,
                              struct sharc_err *reterr)
{
    SHARC_AUTO(loose_done) struct loose l = {0};
    find_loose(e, &l);
    for (size_t i = 0; i < count; i++) {
        if (!add_index(e, indexes[i].path)) continue;
        int r = leave_known(&l, &indexes[i], reterr);
        if (r < 0) return r;
    }
    for (size_t i = 0; i < e->file_count; i++)
        if (e->files[i]->kind == SHARC_WARC_KIND_CONTAINER) add_container(e, e->files[i]->path);
    return l.count ? sharc__serve_loose_open(e->collection, l.files, l.count, add_source(e), reterr) : 0;
}

/* --- where the records lie ------------------------------------------------------------------ */

struct sharc_span sharc__serve_last_part(struct sharc_span path)
{
    for (size_t i = path.n; i-- > 0;)
        if (path.p[i] == '/') return sharc_span_from(path, i + 1);
    return path;
}

/* Names in the index of files without one are full paths. Files of equal names are few. */
static size_t file_of_full_name(const struct sharc_edition *e, struct sharc_span name)
{
    size_t i = sharc_edition_file_named(e, sharc__serve_last_part(name));
    if (i == SHARC_NPOS || sharc_span_is(name, e->files[i]->full + 1)) return i;
    for (i = 0; i < e->file_count; i++)
        if (sharc_span_is(name, e->files[i]->full + 1)) return i;
    return SHARC_NPOS;
}

static size_t file_of(const struct sharc_edition *e, const struct serve_source *s, struct sharc_span name)
{
    return s->full_names ? file_of_full_name(e, name) : sharc_edition_file_named(e, sharc__serve_last_part(name));
}

static int too_short(const struct sharc_warc_options *o, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_ECORRUPT, "%s ends before offset %llu, which an index names", o->name,
                      (unsigned long long)o->offset);
}

int sharc__serve_source_open(const struct sharc_edition *e, const struct serve_source *s, struct sharc_span name,
                             const struct sharc_warc_options *o, struct sharc_warc **ret,
                             const struct sharc_filemap **ret_map, struct sharc_err *reterr)
{
    struct sharc_span bytes;
    const size_t i = s->wacz ? SHARC_NPOS : file_of(e, s, name);
    if (i != SHARC_NPOS && sharc_remote_is(e->files[i]->path)) {
        *ret_map = NULL;
        if (o->offset >= e->files[i]->size) return too_short(o, reterr);
        const struct sharc_remote_facts facts = {.size = e->files[i]->size};
        return sharc_warc_open_known(e->files[i]->path, &facts, o, ret, reterr);
    }
    int r = sharc__serve_source_bytes(e, s, name, &bytes, ret_map, reterr);
    if (r < 0) return r;
    return o->offset >= bytes.n ? too_short(o, reterr) : sharc_warc_open_bytes(bytes, o, ret, reterr);
}

int sharc__serve_source_bytes(const struct sharc_edition *e, const struct serve_source *s, struct sharc_span name,
                              struct sharc_span *ret, const struct sharc_filemap **ret_map, struct sharc_err *reterr)
{
    if (s->wacz) {
        *ret_map = &sharc_wacz_zip(s->wacz)->map;
        return sharc_wacz_warc(s->wacz, name, ret, reterr);
    }
    const size_t i = file_of(e, s, name);
    name = sharc__serve_last_part(name);
    SHARC_FAIL_IF(i == SHARC_NPOS, reterr, SHARC_ENOENT, "%.*s: an index names this file, but it is not served",
                  SHARC_SPAN_ARG(name));
    int r = sharc_edition_map(e, i, ret_map, reterr);
    if (r == 0) *ret = (*ret_map)->bytes;
    return r;
}
