/* SPDX-License-Identifier: Apache-2.0
 *
 * An edition: which files and indexes lie at the paths of a collection now.
 */
#include "serve_int.h"

#include "sharc/archive.h"
#include "sharc/base_digest.h"
#include "sharc/base_remote.h"
#include "sharc/url.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- life --------------------------------------------------------------------------- */

static void file_release(struct sharc_collection *c, struct serve_file *f)
{
    pthread_mutex_lock(&c->lock);
    bool last = --f->users == 0;
    pthread_mutex_unlock(&c->lock);
    if (!last) return;
    if (f->mapped) sharc_filemap_done(&f->map);
    free(f->path);
    free(f->full);
    free(f);
}

void sharc__serve_edition_free(struct sharc_edition *e)
{
    if (!e) return;
    for (size_t i = 0; i < e->source_count; i++) sharc__serve_source_done(&e->sources[i]);
    for (size_t i = 0; i < e->file_count; i++) file_release(e->collection, e->files[i]);
    sharc_intern_free(e->names);
    free(e->named);
    free(e->sources);
    free(e->files);
    free(e);
}

static void edition_freep(struct sharc_edition **e)
{
    sharc__serve_edition_free(*e);
}

/* --- what lies there ------------------------------------------------------------------ */

struct survey {
    struct sharc_collection *collection;
    struct sharc_warc_inputs in;
    struct serve_index_path *indexes;
    size_t index_count, index_room;
    struct sharc_buf text; /* of all that was found, for the signature */
};

static void survey_done(struct survey *s)
{
    sharc_warc_inputs_done(&s->in);
    for (size_t i = 0; i < s->index_count; i++) free(s->indexes[i].path);
    free(s->indexes);
    sharc_buf_done(&s->text);
}

static void add_index(struct survey *s, const char *path, bool named)
{
    SHARC_GROW(s->indexes, s->index_room, s->index_count + 1);
    s->indexes[s->index_count++] = (struct serve_index_path){sharc_strdup(path), named};
}

static int add_archive_indexes(struct survey *s, const char *path, struct sharc_err *reterr)
{
    char **names = NULL;
    size_t count = 0;
    int r = sharc_archive_is(path) ? sharc_archive_indexes(path, &names, &count, reterr) : 0;
    for (size_t i = 0; r == 0 && i < count; i++) add_index(s, names[i], false);
    sharc_names_free(names, count);
    return r;
}

static int add_path(struct survey *s, const char *path, struct sharc_err *reterr)
{
    char **inputs = NULL;
    size_t count = 0;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = add_archive_indexes(s, path, reterr);
    if (r < 0) return r;
    /* Without its catalogue an archive can be served, but for files elsewhere that were imported into it. */
    if (sharc_archive_inputs(path, &inputs, &count, &err) < 0) {
        SHARC_AUTO(sharc_freep) char *warcs = sharc_archive_path(path, SHARC_ARCHIVE_WARCS);
        sharc__serve_warn(s->collection, &err);
        return sharc_warc_inputs_add(&s->in, warcs, reterr);
    }
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_warc_inputs_add(&s->in, inputs[i], reterr);
    sharc_names_free(inputs, count);
    return r;
}

static void bad_input(void *arg, const struct sharc_err *what)
{
    sharc__serve_warn(arg, what);
}

static void note_remote(struct survey *s, const struct sharc_warc_input *input)
{
    sharc_buf_printf(&s->text, "%s %llu %lld\n", input->path, (unsigned long long)input->size,
                     (long long)input->modified);
}

static void note(struct survey *s, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) return;
    sharc_buf_printf(&s->text, "%s %llu %llu %lld.%09ld\n", path, (unsigned long long)st.st_ino,
                     (unsigned long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static int look_around(struct survey *s, struct sharc_err *reterr)
{
    struct sharc_collection *c = s->collection;
    s->in.whole = true;
    s->in.bad = bad_input;
    s->in.bad_arg = c;
    sharc_buf_init(&s->text, SIZE_MAX / 2);
    for (size_t i = 0; i < c->path_count; i++) {
        /* Later it may go and come back; at the start it is a mistake. */
        bool absent = !c->newest && strcmp(c->paths[i], "-") != 0 && !sharc_remote_is(c->paths[i]) &&
                      access(c->paths[i], F_OK) < 0;
        if (absent && strstr(c->paths[i], "://")) {
            char shown[SHARC_URL_SHOWN];
            return sharc_fail(reterr, SHARC_ENOENT, "%s is a URL; name archive files or a directory first",
                              sharc_url_shown(sharc_span_of(c->paths[i]), shown));
        }
        SHARC_FAIL_IF(absent, reterr, SHARC_ENOENT, "%s: there is no such file or directory", c->paths[i]);
        int r = add_path(s, c->paths[i], reterr);
        if (r < 0) return r;
    }
    for (size_t i = 0; i < s->in.count; i++) {
        const struct sharc_warc_input *input = &s->in.items[i];
        SHARC_FAIL_IF(strcmp(input->path, "-") == 0, reterr, SHARC_EUNSUPPORTED,
                      "standard input cannot be served: records are read in any order; save it first");
        if (input->kind == SHARC_WARC_KIND_INDEX) add_index(s, input->path, true);
        if (sharc_remote_is(input->path))
            note_remote(s, input);
        else
            note(s, input->path);
    }
    /* Which files an index knows is replaced behind the index itself: whoever looks in between must look again. */
    for (size_t i = 0; i < s->index_count; i++) {
        SHARC_AUTO(sharc_freep) char *known = sharc_asprintf("%s.files", s->indexes[i].path);
        note(s, s->indexes[i].path);
        note(s, known);
    }
    return 0;
}

/* --- from there to an edition ----------------------------------------------------------- */

/* The same file in the edition before; its map can be used on. A map that has lost something stays without it. */
static struct serve_file *known_file(const struct sharc_edition *before, const struct sharc_warc_input *input)
{
    for (size_t i = 0; before && i < before->file_count; i++) {
        struct serve_file *f = before->files[i];
        if (strcmp(f->path, input->path) == 0) {
            bool same = f->size == input->size && f->modified == input->modified && sharc_filemap_intact(&f->map);
            return same ? f : NULL;
        }
    }
    return NULL;
}

static void add_file(struct sharc_edition *e, const struct sharc_warc_input *input)
{
    struct sharc_collection *c = e->collection;
    struct serve_file *f = known_file(c->newest, input);
    if (!f) {
        f = SHARC_NEW(struct serve_file);
        f->path = sharc_strdup(input->path);
        f->full = sharc_remote_is(input->path) ? NULL : realpath(input->path, NULL);
        if (!f->full) f->full = sharc_asprintf("/%s", input->path); /* elsewhere, or it has just gone */
        f->kind = input->kind == SHARC_WARC_KIND_OTHER ? SHARC_WARC_KIND_ARCHIVE : input->kind;
        f->size = input->size;
        f->modified = input->modified;
    }
    pthread_mutex_lock(&c->lock);
    f->users++;
    pthread_mutex_unlock(&c->lock);
    SHARC_GROW(e->files, e->file_room, e->file_count + 1);
    e->files[e->file_count] = f;
    bool fresh;
    uint32_t id = sharc_intern_add(e->names, sharc_span_of(sharc_path_last(f->path)), &fresh);
    SHARC_GROW(e->named, e->named_room, id + 1u);
    if (fresh) e->named[id] = e->file_count;
    e->file_count++;
}

int sharc__serve_edition_new(struct sharc_collection *c, uint64_t known, struct sharc_edition **ret,
                             struct sharc_err *reterr)
{
    SHARC_AUTO(survey_done) struct survey s = {.collection = c};
    int r = look_around(&s, reterr);
    if (r < 0) return r;
    uint64_t signature = sharc_fingerprint(sharc_buf_span(&s.text), 1) | 1;
    if (signature == known) return 0;
    SHARC_AUTO(edition_freep) struct sharc_edition *e = SHARC_NEW(struct sharc_edition);
    e->collection = c;
    e->signature = signature;
    e->names = sharc_intern_new();
    for (size_t i = 0; i < s.in.count; i++)
        if (s.in.items[i].kind != SHARC_WARC_KIND_INDEX) add_file(e, &s.in.items[i]);
    r = sharc__serve_sources_open(e, s.indexes, s.index_count, reterr);
    if (r == 0) *ret = SHARC_TAKE(e);
    return r;
}

/* --- its files ------------------------------------------------------------------------- */

size_t sharc_edition_files(const struct sharc_edition *e)
{
    return e->file_count;
}

void sharc_edition_file(const struct sharc_edition *e, size_t i, struct sharc_served_file *ret)
{
    const struct serve_file *f = e->files[i];
    *ret = (struct sharc_served_file){f->path, sharc_path_last(f->path), f->kind, f->size, f->modified};
}

size_t sharc_edition_file_named(const struct sharc_edition *e, struct sharc_span name)
{
    uint32_t id = sharc_intern_find(e->names, name);
    return id == SHARC_NO_ID ? SHARC_NPOS : e->named[id];
}

int sharc_edition_map(const struct sharc_edition *e, size_t i, const struct sharc_filemap **ret,
                      struct sharc_err *reterr)
{
    struct serve_file *f = e->files[i];
    int r = 0;
    pthread_mutex_lock(&e->collection->lock);
    if (!f->mapped) {
        r = sharc_filemap_open(&f->map, f->path, reterr);
        f->mapped = r == 0;
    }
    pthread_mutex_unlock(&e->collection->lock);
    if (r == 0) *ret = &f->map;
    return r;
}
