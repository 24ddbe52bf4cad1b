/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of an archive: in its warcs/, elsewhere by its catalogue, and indexes.
 */
#include "sharc/archive.h"

#include "sharc/archive_places.h"
#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/base_remote.h"
#include "sharc/store_query.h"
#include "sharc/warc_inputs.h"

#include <stdlib.h>
#include <unistd.h>

struct list {
    char **items;
    size_t count, room;
};

static void list_done(struct list *l)
{
    sharc_names_free(l->items, l->count);
}

static void add(struct list *l, char *path)
{
    SHARC_GROW(l->items, l->room, l->count + 1);
    l->items[l->count++] = path;
}

static void give(struct list *l, char ***ret, size_t *ret_count)
{
    *ret = l->items;
    *ret_count = l->count;
    *l = (struct list){0};
}

/* Files of a directory that are wanted; none when it is not there. */
static int list_part(const char *dir, enum sharc_archive_part part, bool (*wanted)(struct sharc_span name), char ***ret,
                     size_t *ret_count, struct sharc_err *reterr)
{
    SHARC_AUTO(list_done) struct list l = {0};
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, part);
    char **names = NULL;
    size_t count = 0;
    int r = access(path, F_OK) < 0 ? 0 : sharc_dir_list(path, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < count; i++)
        if (wanted(sharc_span_of(names[i]))) add(&l, sharc_path_join(path, names[i]));
    sharc_names_free(names, count);
    give(&l, ret, ret_count);
    return 0;
}

static bool is_complete(struct sharc_span name)
{
    return sharc_warc_kind_of(name) == SHARC_WARC_KIND_ARCHIVE;
}

static bool is_open(struct sharc_span name)
{
    struct sharc_span end = SHARC_SPAN(".open");
    return sharc_span_ends(name, end) && is_complete(sharc_span_sub(name, 0, name.n - end.n));
}

static bool is_index(struct sharc_span name)
{
    return sharc_span_ends(name, SHARC_SPAN(".cdxj")) || sharc_span_ends(name, SHARC_SPAN(".cdx")) ||
           sharc_span_ends(name, SHARC_SPAN(".idx"));
}

struct merging {
    struct list l;
    struct sharc_intern *here; /* names of files that are here, too */
};

static int take_object(void *arg, const char *name, const struct sharc_remote_facts *facts, struct sharc_err *reterr)
{
    struct merging *m = arg;
    (void)facts;
    (void)reterr;
    const struct sharc_span file = sharc_span_of(sharc_path_last(name));
    if (is_complete(file) && sharc_intern_find(m->here, file) == SHARC_NO_ID) add(&m->l, sharc_strdup(name));
    return 0;
}

/* Adds what is in the object store alone. */
static int list_elsewhere(const char *dir, char ***ret, size_t *ret_count, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *prefix = NULL;
    int r = sharc_archive_objects(dir, &prefix, reterr);
    if (r == 0 && prefix) {
        SHARC_AUTO(sharc_freep) char *below = sharc_asprintf("%s/%s/", prefix, sharc_archive_part(SHARC_ARCHIVE_WARCS));
        struct merging m = {.l = {*ret, *ret_count, *ret_count}, .here = sharc_intern_new()};
        for (size_t i = 0; i < *ret_count; i++)
            sharc_intern_add(m.here, sharc_span_of(sharc_path_last((*ret)[i])), NULL);
        r = sharc_remote_list(below, take_object, &m, reterr);
        sharc_intern_free(m.here);
        give(&m.l, ret, ret_count);
    }
    if (r < 0) {
        sharc_names_free(*ret, *ret_count);
        *ret = NULL;
        *ret_count = 0;
    }
    return r;
}

int sharc_archive_warcs(const char *dir, bool open, char ***ret, size_t *ret_count, struct sharc_err *reterr)
{
    int r = list_part(dir, SHARC_ARCHIVE_WARCS, open ? is_open : is_complete, ret, ret_count, reterr);
    return r < 0 || open ? r : list_elsewhere(dir, ret, ret_count, reterr);
}

int sharc_archive_indexes(const char *dir, char ***ret, size_t *ret_count, struct sharc_err *reterr)
{
    return list_part(dir, SHARC_ARCHIVE_INDEXES, is_index, ret, ret_count, reterr);
}

/* --- what a path means ------------------------------------------------------------------ */

/* Files that were imported where they are. A container stands in the catalogue once for each of its parts. */
static int add_elsewhere(const char *dir, struct list *l, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *seen = sharc_intern_new();
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    int r = sharc_archive_open(dir, NULL, &o, &store, reterr);
    if (r == SHARC_ENOENT) return 0; /* no catalogue: nothing was imported */
    if (r >= 0) r = sharc_store_warcs(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w = {0};
        sharc_store_read_warc(rows, &w);
        if (sharc_archive_warc_file(w.name).n || w.state == SHARC_STORE_WARC_MISSING) continue;
        SHARC_AUTO(sharc_freep) char *path = sharc_archive_file(dir, w.name);
        bool fresh;
        sharc_intern_add(seen, sharc_span_of(path), &fresh);
        if (fresh) add(l, SHARC_TAKE(path));
    }
    return r < 0 ? r : 0;
}

static int add_inputs(const char *path, struct list *l, struct sharc_err *reterr)
{
    if (!sharc_archive_is(path)) {
        add(l, sharc_strdup(path));
        return 0;
    }
    char **places = NULL;
    size_t before = l->count, count = 0;
    int r = sharc_archive_places(path, &places, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < count; i++) add(l, places[i]);
    free(places);
    r = add_elsewhere(path, l, reterr);
    /* Only settings: a directory like any other. */
    if (r == 0 && l->count == before) add(l, sharc_strdup(path));
    return r;
}

int sharc_archive_inputs_all(const char *const *paths, size_t count, char ***ret, size_t *ret_count,
                             struct sharc_err *reterr)
{
    SHARC_AUTO(list_done) struct list l = {0};
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) r = add_inputs(paths[i], &l, reterr);
    if (r == 0) give(&l, ret, ret_count);
    return r;
}

int sharc_archive_inputs(const char *path, char ***ret, size_t *ret_count, struct sharc_err *reterr)
{
    return sharc_archive_inputs_all(&path, 1, ret, ret_count, reterr);
}
