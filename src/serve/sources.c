/* SPDX-License-Identifier: Apache-2.0
 *
 * The indexes of an edition. A container brings its own, an archive has one, and all archive files that
 * nobody has indexed get one together, in a temporary directory: it is added to when files come, so that
 * a file is read once.
 */
#include "serve_int.h"

#include "sharc/cdx_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct serve_source *add_source(struct sharc_edition *e)
{
    SHARC_GROW(e->sources, e->source_room, e->source_count + 1);
    struct serve_source *s = &e->sources[e->source_count++];
    *s = (struct serve_source){.index = sharc_cdx_index_new()};
    return s;
}

static void drop_source(struct sharc_edition *e)
{
    struct serve_source *s = &e->sources[--e->source_count];
    sharc_cdx_index_free(s->index);
    sharc_wacz_close(s->wacz);
    free(s->directory);
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
    const char **paths;
    size_t count;
};

static void loose_done(struct loose *l)
{
    free(l->paths);
}

static void find_loose(const struct sharc_edition *e, struct loose *l)
{
    l->paths = SHARC_NEW_ARRAY(const char *, e->file_count);
    for (size_t i = 0; i < e->file_count; i++)
        if (e->files[i]->kind == SHARC_WARC_KIND_ARCHIVE) l->paths[l->count++] = e->files[i]->path;
}

/* Take those away that an index knows. One that the user named and that remembers nothing is taken at its word. */
static int leave_known(struct loose *l, const struct serve_index_path *index, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) bool *missing = SHARC_NEW_ARRAY(bool, l->count);
    int r = sharc_cdx_missing(index->path, l->paths, l->count, missing, reterr);
    if (r < 0) return r;
    if (r == 0 && index->named) l->count = 0;
    if (r == 0) return 0;
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (missing[i]) l->paths[kept++] = l->paths[i];
    l->count = kept;
    return 0;
}

static bool is_among(const char *path, const struct loose *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->paths[i], path) == 0) return true;
    return false;
}

/* Lines of files that have left the list must go: then the index is made anew. */
static bool has_left(const struct sharc_collection *c, const struct loose *l)
{
    for (size_t i = 0; i < c->loose_count; i++)
        if (!is_among(c->loose[i], l)) return true;
    return false;
}

static void remember(struct sharc_collection *c, const struct loose *l)
{
    sharc_names_free(c->loose, c->loose_count);
    c->loose = SHARC_NEW_ARRAY(char *, l->count);
    c->loose_count = l->count;
    for (size_t i = 0; i < l->count; i++) c->loose[i] = sharc_strdup(l->paths[i]);
}

static int make_directory(struct sharc_collection *c, struct sharc_err *reterr)
{
    if (c->directory) return 0;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/sharc-serve.XXXXXX", c->o.temporary);
    SHARC_FAIL_IF(!mkdtemp(path), reterr, sharc_error_from_errno(errno),
                  "%s: cannot make a temporary directory there: %s", c->o.temporary, strerror(errno));
    c->directory = SHARC_TAKE(path);
    return 0;
}

static void bad_record(void *arg, const struct sharc_err *what)
{
    sharc__serve_warn(arg, what);
}

static int add_loose(struct sharc_edition *e, const struct loose *l, struct sharc_err *reterr)
{
    struct sharc_collection *c = e->collection;
    if (!l->count) return 0;
    int r = make_directory(c, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(c->directory, "index.cdxj");
    const struct sharc_cdx_build o = {.threads = c->o.threads,
                                      .root = "/",
                                      .lenient = true,
                                      .precise = true,
                                      .fresh = has_left(c, l),
                                      .warn = bad_record,
                                      .arg = c};
    struct sharc_cdx_built built;
    r = sharc_cdx_build(l->paths, l->count, path, NULL, NULL, &o, &built, reterr);
    if (r < 0) return r;
    remember(c, l);
    struct serve_source *s = add_source(e);
    s->full_names = true;
    return sharc_cdx_index_add(s->index, path, SHARC_CDX_CHECK_SOME, reterr);
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
    return add_loose(e, &l, reterr);
}

/* --- where the records lie ------------------------------------------------------------------ */

static struct sharc_span last_part(struct sharc_span path)
{
    for (size_t i = path.n; i-- > 0;)
        if (path.p[i] == '/') return sharc_span_from(path, i + 1);
    return path;
}

/* Names in the index of files without one are full paths. Files of equal names are few. */
static size_t file_of_full_name(const struct sharc_edition *e, struct sharc_span name)
{
    size_t i = sharc_edition_file_named(e, last_part(name));
    if (i == SHARC_NPOS || sharc_span_is(name, e->files[i]->full + 1)) return i;
    for (i = 0; i < e->file_count; i++)
        if (sharc_span_is(name, e->files[i]->full + 1)) return i;
    return SHARC_NPOS;
}

int sharc__serve_source_bytes(const struct sharc_edition *e, const struct serve_source *s, struct sharc_span name,
                              struct sharc_span *ret, struct sharc_err *reterr)
{
    if (s->wacz) return sharc_wacz_warc(s->wacz, name, ret, reterr);
    size_t i = s->full_names ? file_of_full_name(e, name) : sharc_edition_file_named(e, last_part(name));
    SHARC_FAIL_IF(i == SHARC_NPOS, reterr, SHARC_ENOENT, "%.*s: an index names this file, but it is not served",
                  SHARC_SPAN_ARG(name));
    return sharc_edition_bytes(e, i, ret, reterr);
}
