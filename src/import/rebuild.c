/* SPDX-License-Identifier: Apache-2.0
 *
 * A catalogue anew from the files, with what only the old one knows.
 */
#include "import_int.h"
#include "sharc/base_file.h"

#include <stdlib.h>
#include <sys/stat.h>

struct paths {
    char **items;
    size_t count, room;
    struct sharc_intern *seen;
};

static void paths_done(struct paths *p)
{
    for (size_t i = 0; i < p->count; i++) free(p->items[i]);
    free(p->items);
    sharc_intern_free(p->seen);
}

static bool is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static void add_path(struct paths *p, char *path)
{
    bool fresh;
    sharc_intern_add(p->seen, sharc_span_of(path), &fresh);
    if (!fresh) {
        free(path);
        return;
    }
    SHARC_GROW(p->items, p->room, p->count + 1);
    p->items[p->count++] = path;
}

/* The archive's own files, and those elsewhere that the old catalogue refers to. */
static int find_files(struct paths *p, struct sharc_store *old, const struct sharc_import_options *o,
                      struct sharc_err *reterr)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    AUTO(sharc_freep) char *own = o->archive ? sharc_path_join(o->archive, "warcs") : NULL;
    if (own && is_there(own)) add_path(p, TAKE(own));
    int r = old ? sharc_store_warcs(old, &rows, reterr) : 0;
    while (rows && r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w = {0};
        sharc_store_read_warc(rows, &w);
        AUTO(sharc_freep) char *name = sharc_span_dup(w.name);
        AUTO(sharc_freep) char *path = sharc__import_path(o->archive, name);
        if (is_there(path)) {
            add_path(p, TAKE(path));
        } else if (o->warn) {
            struct sharc_err err = SHARC_ERR_INIT;
            sharc_fail(&err, SHARC_ENOENT, "%s: is not there any more; its pages are left out", name);
            o->warn(o->arg, &err);
        }
    }
    return r < 0 ? r : 0;
}

static int copy_sites(struct sharc_store *old, struct sharc_store *fresh, struct sharc_err *reterr)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_sites(old, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_site site = {0};
        sharc_store_id id;
        sharc_store_read_site(rows, &site);
        if (!site.seeds.n && !site.settings.n) continue;
        r = sharc_store_site_put(fresh, &site, &id, reterr);
    }
    return r;
}

static int copy_rates(struct sharc_store *old, struct sharc_store_batch *b, struct sharc_err *reterr)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_rates(old, 0, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_rate rate = {0};
        sharc_store_read_rate(rows, &rate);
        r = sharc_store_batch_rate(b, &rate, reterr);
        if (r == 0 && sharc_store_batch_full(b)) r = sharc_store_batch_commit(b, reterr);
    }
    return r;
}

static int copy_patterns(struct sharc_store *old, struct sharc_store_batch *b, struct sharc_err *reterr)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_patterns(old, 0, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_pattern p = {0};
        sharc_store_read_pattern(rows, &p);
        r = sharc_store_batch_pattern(b, p.url, p.data, p.group, p.when, reterr);
        if (r == 0 && sharc_store_batch_full(b)) r = sharc_store_batch_commit(b, reterr);
    }
    return r;
}

static int copy_models(struct sharc_store *old, struct sharc_store *fresh, struct sharc_err *reterr)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_models(old, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_model m = {0};
        sharc_store_read_model(rows, &m);
        r = sharc_store_model_put(fresh, &m, reterr);
    }
    return r;
}

static int copy_rest(struct sharc_store *old, struct sharc_store *fresh, struct sharc_err *reterr)
{
    AUTO(sharc_store_batch_freep) struct sharc_store_batch *b = NULL;
    sharc_store_batch_new(fresh, &b);
    int r = copy_sites(old, fresh, reterr);
    if (r >= 0) r = copy_models(old, fresh, reterr);
    if (r >= 0) r = copy_rates(old, b, reterr);
    if (r >= 0) r = copy_patterns(old, b, reterr);
    return r < 0 ? r : sharc_store_batch_commit(b, reterr);
}

int sharc_import_rebuild(struct sharc_store *old, struct sharc_store *fresh, const struct sharc_import_options *o,
                         struct sharc_import_result *ret, struct sharc_err *reterr)
{
    AUTO(paths_done) struct paths p = {.seen = sharc_intern_new()};
    *ret = (struct sharc_import_result){0};
    int r = find_files(&p, old, o, reterr);
    if (r == 0) r = sharc_import(fresh, (const char *const *)p.items, p.count, o, ret, reterr);
    if (r == 0 && old) r = copy_rest(old, fresh, reterr);
    return r < 0 ? r : sharc_store_sync(fresh, reterr);
}
