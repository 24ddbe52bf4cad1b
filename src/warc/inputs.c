/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that a command line means: directories are searched, containers opened, and each
 * archive file found is one item with its place.
 */
#include "sharc/warc_inputs.h"

#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/warc_remote.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 32 };

/* --- names --------------------------------------------------------------- */

static bool ends_in(struct sharc_span name, const char *const *ends)
{
    for (; *ends; ends++) {
        struct sharc_span end = sharc_span_of(*ends);
        if (name.n >= end.n && sharc_span_ieq(sharc_span_from(name, name.n - end.n), end)) return true;
    }
    return false;
}

enum sharc_warc_kind sharc_warc_kind_of(struct sharc_span name)
{
    static const char *const archive[] = {".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", NULL};
    static const char *const container[] = {".wacz", NULL};
    static const char *const index[] = {".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz", ".idx", NULL};
    return ends_in(name, archive)     ? SHARC_WARC_KIND_ARCHIVE
           : ends_in(name, container) ? SHARC_WARC_KIND_CONTAINER
           : ends_in(name, index)     ? SHARC_WARC_KIND_INDEX
                                      : SHARC_WARC_KIND_OTHER;
}

void sharc_warc_name_split(struct sharc_span name, struct sharc_span *ret_file, struct sharc_span *ret_inside)
{
    const struct sharc_span mark = SHARC_SPAN(".wacz#");
    size_t at = sharc_span_search(name, mark);
    *ret_file = at == SHARC_NPOS ? name : sharc_span_sub(name, 0, at + mark.n - 1);
    *ret_inside = at == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_from(name, at + mark.n);
}

/* --- the list ------------------------------------------------------------ */

void sharc_warc_inputs_done(struct sharc_warc_inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        free(in->items[i].path);
        free(in->items[i].inside);
    }
    for (size_t i = 0; i < in->zip_count; i++) {
        sharc_zip_done(in->zips[i]);
        free(in->zips[i]);
    }
    sharc_intern_free(in->searched);
    sharc_intern_free(in->names);
    free(in->items);
    free(in->zips);
    *in = (struct sharc_warc_inputs){0};
}

static void add(struct sharc_warc_inputs *in, struct sharc_warc_input input)
{
    SHARC_GROW(in->items, in->room, in->count + 1);
    in->items[in->count++] = input;
    in->bytes += input.size;
}

/* What is wrong ends the walk, or somebody hears of it and the walk goes on. */
static int complain(const struct sharc_warc_inputs *in, int code, const struct sharc_err *err, struct sharc_err *reterr)
{
    if (in->bad) {
        in->bad(in->bad_arg, err);
        return 0;
    }
    if (reterr) *reterr = *err;
    return code;
}

static int add_part(struct sharc_warc_inputs *in, const struct sharc_warc_input *container, const struct sharc_zip *zip,
                    const struct sharc_zip_entry *e, struct sharc_err *reterr)
{
    if (!sharc_span_starts(e->name, SHARC_SPAN("archive/")) || sharc_warc_kind_of(e->name) != SHARC_WARC_KIND_ARCHIVE)
        return 0;
    if (e->method != SHARC_ZIP_STORED || e->encrypted) {
        struct sharc_err err = SHARC_ERR_INIT;
        int code = sharc_fail(&err, SHARC_EUNSUPPORTED,
                              "%s: %.*s is compressed or encrypted inside the ZIP, which WACZ does not allow; unpack "
                              "it and name the WARC",
                              container->path, SHARC_SPAN_ARG(e->name));
        return complain(in, code, &err, reterr);
    }
    add(in, (struct sharc_warc_input){.kind = SHARC_WARC_KIND_ARCHIVE,
                                      .path = sharc_strdup(container->path),
                                      .inside = sharc_span_dup(e->name),
                                      .zip = zip,
                                      .entry = e,
                                      .size = e->size,
                                      .modified = container->modified});
    return 0;
}

/* The WARCs inside; a container without any gives none. */
static int add_container(struct sharc_warc_inputs *in, const struct sharc_warc_input *container,
                         struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_zip *zip = SHARC_NEW(struct sharc_zip);
    int r = sharc_zip_open(zip, container->path, &err);
    if (r < 0) {
        free(zip);
        return complain(in, r, &err, reterr);
    }
    SHARC_GROW(in->zips, in->zip_room, in->zip_count + 1);
    in->zips[in->zip_count++] = zip;
    for (size_t i = 0; r == 0 && i < zip->count; i++) r = add_part(in, container, zip, &zip->entries[i], reterr);
    return r;
}

static int add_file(struct sharc_warc_inputs *in, const char *path, const struct stat *st, struct sharc_err *reterr)
{
    struct sharc_warc_input input = {.kind = sharc_warc_kind_of(sharc_span_of(path)),
                                     .path = sharc_strdup(path),
                                     .size = st->st_size > 0 ? (uint64_t)st->st_size : 0,
                                     .modified = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec};
    if (input.kind != SHARC_WARC_KIND_CONTAINER || in->whole) {
        add(in, input);
        return 0;
    }
    int r = add_container(in, &input, reterr);
    free(input.path);
    return r;
}

/* --- files elsewhere ----------------------------------------------------- */

static void add_remote(struct sharc_warc_inputs *in, const char *name, const struct sharc_remote_facts *facts)
{
    add(in, (struct sharc_warc_input){.kind = sharc_warc_kind_of(sharc_span_of(name)),
                                      .path = sharc_strdup(name),
                                      .size = facts->size,
                                      .modified = facts->modified});
}

static int add_remote_file(struct sharc_warc_inputs *in, const char *name, const struct sharc_remote_facts *facts,
                           struct sharc_err *reterr)
{
    const enum sharc_warc_kind kind = sharc_warc_kind_of(sharc_span_of(name));
    if (kind != SHARC_WARC_KIND_CONTAINER || in->whole) {
        add_remote(in, name, facts);
        return 0;
    }
    SHARC_AUTO(sharc_freep) char *path = sharc_strdup(name);
    const struct sharc_warc_input container = {.kind = kind, .path = path, .modified = facts->modified};
    return add_container(in, &container, reterr);
}

static int take_listed(void *arg, const char *name, const struct sharc_remote_facts *facts, struct sharc_err *reterr)
{
    const enum sharc_warc_kind kind = sharc_warc_kind_of(sharc_span_of(name));
    const struct sharc_warc_inputs *in = arg;
    if (kind != SHARC_WARC_KIND_ARCHIVE && kind != SHARC_WARC_KIND_CONTAINER) return 0;
    if (sharc_intern_find(in->names, sharc_span_of(sharc_path_last(name))) != SHARC_NO_ID) return 0;
    return add_remote_file(arg, name, facts, reterr);
}

/* A file of this name, or else all below it, as if it were a directory. */
static int add_remote_path(struct sharc_warc_inputs *in, const char *path, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_remote_facts facts;
    const struct sharc_span name = sharc_span_of(path);
    const bool prefix = sharc_span_ends(name, SHARC_SPAN("/"));
    int r = prefix ? SHARC_ENOENT : sharc_remote_look(path, &facts, &err);
    if (r == 0) return add_remote_file(in, path, &facts, reterr);
    const size_t before = in->count;
    SHARC_AUTO(sharc_freep) char *below = sharc_asprintf("%s%s", path, prefix ? "" : "/");
    if (!in->names) in->names = sharc_intern_new();
    for (size_t i = 0; i < in->count; i++)
        sharc_intern_add(in->names, sharc_span_of(sharc_warc_input_name(&in->items[i])), NULL);
    /* A bucket has no facts of its own. */
    if (r == SHARC_ENOENT || r == SHARC_EINVAL) r = sharc_remote_list(below, take_listed, in, &err);
    if (r == 0 && (prefix || in->count > before)) return 0;
    if (r == 0)
        r = sharc_fail(&err, SHARC_ENOENT,
                       "%s: there is no such object, and no archive file (WARC, ARC, WACZ) below it", path);
    return complain(in, r, &err, reterr);
}

/* --- walking ------------------------------------------------------------- */

/* Links may lead in circles: each directory is searched once. */
static bool is_new_directory(struct sharc_warc_inputs *in, const struct stat *st)
{
    uint64_t key[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    bool fresh;
    if (!in->searched) in->searched = sharc_intern_new();
    sharc_intern_add(in->searched, sharc_span(key, sizeof key), &fresh);
    return fresh;
}

static int add_path(struct sharc_warc_inputs *in, const char *path, unsigned depth, struct sharc_err *reterr);

static int add_directory(struct sharc_warc_inputs *in, const char *path, unsigned depth, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char **names = NULL;
    size_t count = 0;
    int r = depth == MOST_DEPTH
                ? sharc_fail(&err, SHARC_ELIMIT, "%s: directories are nested more than %d deep", path, MOST_DEPTH)
                : sharc_dir_list(path, &names, &count, &err);
    if (r < 0) return complain(in, r, &err, reterr);
    for (size_t i = 0; r == 0 && i < count; i++) {
        SHARC_AUTO(sharc_freep) char *below = sharc_path_join(path, names[i]);
        r = add_path(in, below, depth + 1, reterr);
    }
    sharc_names_free(names, count);
    return r;
}

static int complain_of_absence(struct sharc_warc_inputs *in, const char *path, int why, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int code = sharc_error_from_errno(why);
    if (why == ENOENT)
        sharc_fail(&err, code,
                   "%s: there is no such file or directory; name archive files (WARC, ARC, WACZ) or directories that "
                   "hold some",
                   path);
    else
        sharc_fail(&err, code, "%s: %s", path, strerror(why));
    return complain(in, code, &err, reterr);
}

static int add_path(struct sharc_warc_inputs *in, const char *path, unsigned depth, struct sharc_err *reterr)
{
    struct stat st;
    enum sharc_warc_kind kind = sharc_warc_kind_of(sharc_span_of(path));
    bool wanted = depth == 0 || kind == SHARC_WARC_KIND_ARCHIVE || kind == SHARC_WARC_KIND_CONTAINER;
    if (stat(path, &st) < 0) return wanted ? complain_of_absence(in, path, errno, reterr) : 0;
    if (S_ISDIR(st.st_mode)) return is_new_directory(in, &st) ? add_directory(in, path, depth, reterr) : 0;
    return wanted ? add_file(in, path, &st, reterr) : 0;
}

int sharc_warc_inputs_add(struct sharc_warc_inputs *in, const char *path, struct sharc_err *reterr)
{
    if (sharc_remote_is(path)) return add_remote_path(in, path, reterr);
    if (strcmp(path, "-") != 0) return add_path(in, path, 0, reterr);
    add(in, (struct sharc_warc_input){.kind = SHARC_WARC_KIND_OTHER, .path = sharc_strdup(path)});
    return 0;
}

/* --- one item ------------------------------------------------------------ */

const char *sharc_warc_input_name(const struct sharc_warc_input *input)
{
    return sharc_path_last(input->inside ? input->inside : input->path);
}

int sharc_warc_input_open(const struct sharc_warc_input *input, const struct sharc_warc_options *o,
                          struct sharc_warc **ret, struct sharc_err *reterr)
{
    const struct sharc_remote_facts facts = {.size = input->size};
    if (!input->zip && sharc_remote_is(input->path)) return sharc_warc_open_known(input->path, &facts, o, ret, reterr);
    if (!input->zip) return sharc_warc_open(input->path, o, ret, reterr);
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s#%s", input->path, input->inside);
    struct sharc_warc_options inside = o ? *o : (struct sharc_warc_options){0};
    struct sharc_span bytes;
    if (!inside.name) inside.name = name;
    int r = sharc_zip_raw(input->zip, input->entry, &bytes, reterr);
    return r < 0 ? r : sharc_warc_open_bytes(bytes, &inside, ret, reterr);
}
