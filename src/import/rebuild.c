/* SPDX-License-Identifier: Apache-2.0
 *
 * A catalogue anew from the files, with what only the old one knows.
 */
#include "import_int.h"
#include "sharc/base_node.h"
#include "sharc/base_remote.h"

#include <stdlib.h>

/* Files that are imported together, in the way that the old catalogue notes. */
struct group {
    char *capture, *site; /* given by the user then; NULL: inferred */
    enum sharc_import_by by;
    char **paths;
    size_t count, room;
};

struct plan {
    struct group *groups;
    size_t count, room;
    struct sharc_intern *seen; /* paths: a container holds several files */
};

static void plan_done(struct plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct group *g = &p->groups[i];
        for (size_t k = 0; k < g->count; k++) free(g->paths[k]);
        free(g->paths);
        free(g->capture);
        free(g->site);
    }
    free(p->groups);
    sharc_intern_free(p->seen);
}

static bool same(const char *a, struct sharc_span b)
{
    return sharc_span_eq(a ? sharc_span_of(a) : SHARC_SPAN(""), b);
}

/* capture and site empty: inferred. */
static struct group *group_for(struct plan *p, struct sharc_span capture, struct sharc_span site,
                               enum sharc_import_by by)
{
    for (size_t i = 0; i < p->count; i++) {
        struct group *g = &p->groups[i];
        if (same(g->capture, capture) && same(g->site, site) && g->by == by) return g;
    }
    SHARC_GROW(p->groups, p->room, p->count + 1);
    p->groups[p->count] = (struct group){.capture = capture.n ? sharc_span_dup(capture) : NULL,
                                         .site = site.n ? sharc_span_dup(site) : NULL,
                                         .by = by};
    return &p->groups[p->count++];
}

static void add_path(struct plan *p, struct group *g, char *path)
{
    bool fresh;
    sharc_intern_add(p->seen, sharc_span_of(path), &fresh);
    if (!fresh) {
        free(path);
        return;
    }
    SHARC_GROW(g->paths, g->room, g->count + 1);
    g->paths[g->count++] = path;
}

/* How the capture came about; one whose key is its run was named by the user. */
static int group_of(struct plan *p, struct sharc_store *old, sharc_store_id capture, struct group **ret,
                    struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    const struct sharc_node *params = NULL;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    *ret = NULL;
    if (!capture) {
        *ret = group_for(p, SHARC_SPAN(""), SHARC_SPAN(""), SHARC_IMPORT_BY_DOMAIN);
        return 0;
    }
    f.id = capture;
    int r = sharc_store_captures(old, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r < 0) return r;
    if (r > 0) sharc_store_read_capture(rows, &c);
    bool noted = r > 0 && sharc_span_is(c.source, "import") && c.params.n &&
                 sharc_json_read(c.params, &arena, &params, NULL) == 0;
    struct sharc_span by = noted ? sharc_node_text(sharc_node_get(params, "by")) : SHARC_SPAN("");
    struct sharc_span run = noted ? sharc_node_text(sharc_node_get(params, "run")) : SHARC_SPAN("");
    bool named = run.n && sharc_span_eq(run, c.key);
    *ret = group_for(p, named ? c.key : SHARC_SPAN(""), named ? c.site_name : SHARC_SPAN(""),
                     sharc_span_is(by, "host")  ? SHARC_IMPORT_BY_HOST
                     : sharc_span_is(by, "run") ? SHARC_IMPORT_BY_RUN
                                                : SHARC_IMPORT_BY_DOMAIN);
    return 0;
}

static int plan_file(struct plan *p, struct sharc_store *old, const struct sharc_store_warc *w,
                     const struct sharc_import_options *o, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(w->name);
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_file(o->archive, w->name);
    struct sharc_remote_facts facts;
    struct group *g;
    int r = sharc_file_look(path, &facts, reterr);
    if (r == SHARC_ENOENT) {
        struct sharc_err err = SHARC_ERR_INIT;
        sharc_fail(&err, SHARC_ENOENT, "%s: is not there any more; its pages are left out", name);
        if (o->warn) o->warn(o->arg, &err);
        return 0;
    }
    if (r < 0) return r; /* an object store that does not answer has lost nothing */
    r = group_of(p, old, w->capture, &g, reterr);
    if (r == 0) add_path(p, g, SHARC_TAKE(path));
    return r;
}

/* What lies in warcs/ of the archive, and in its object store. */
static int plan_own(struct plan *p, const char *archive, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *own = sharc_archive_path(archive, SHARC_ARCHIVE_WARCS);
    char **files = NULL;
    size_t count = 0;
    int r = sharc_archive_warcs(archive, /* open= */ false, &files, &count, reterr);
    if (r < 0) return r;
    SHARC_GROW(p->groups, p->room, p->count + 1);
    struct group *g = &p->groups[p->count++];
    *g = (struct group){.by = SHARC_IMPORT_BY_DOMAIN};
    if (sharc_file_is_there(own)) add_path(p, g, SHARC_TAKE(own));
    for (size_t i = 0; i < count; i++)
        if (sharc_remote_is(files[i])) add_path(p, g, sharc_strdup(files[i]));
    sharc_names_free(files, count);
    if (!g->count) p->count--;
    return 0;
}

/* Those that the old catalogue refers to, and then what else lies in the archive. */
static int make_plan(struct plan *p, struct sharc_store *old, const struct sharc_import_options *o,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = old ? sharc_store_warcs(old, &rows, reterr) : 0;
    while (rows && r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w = {0};
        sharc_store_read_warc(rows, &w);
        r = plan_file(p, old, &w, o, reterr);
    }
    if (r >= 0 && o->archive) r = plan_own(p, o->archive, reterr);
    return r < 0 ? r : 0;
}

static void add_result(struct sharc_import_result *sum, struct sharc_import_result *part)
{
    sum->files += part->files;
    sum->records += part->records;
    sum->pages += part->pages;
    sum->damaged += part->damaged;
    sum->failed += part->failed;
    sum->missing += part->missing;
    for (size_t i = 0; i < part->capture_count; i++) {
        SHARC_GROW(sum->captures, sum->capture_room, sum->capture_count + 1);
        sum->captures[sum->capture_count++] = part->captures[i];
    }
    part->capture_count = 0;
}

static int import_group(struct sharc_store *fresh, const struct group *g, const struct sharc_import_options *o,
                        struct sharc_import_result *sum, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result part = {0};
    struct sharc_import_options own = *o;
    own.capture = g->capture;
    own.site = g->site;
    own.by = g->by;
    int r = sharc_import(fresh, (const char *const *)g->paths, g->count, &own, &part, reterr);
    add_result(sum, &part);
    return r;
}

/* Originals may have come with a later group. */
static int resolve_again(struct sharc_store *fresh, struct sharc_import_result *sum, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r >= 0 && i < sum->capture_count; i++) {
        struct sharc_import_capture *c = &sum->captures[i];
        uint64_t revisits;
        if (c->unresolved) r = sharc_store_resolve_revisits(fresh, c->id, &revisits, &c->unresolved, reterr);
    }
    return r;
}

static int copy_sites(struct sharc_store *old, struct sharc_store *fresh, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
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

/* --- what a crawl knows of its captures beside the files ------------------------- */

struct twins { /* captures of our crawler, in both catalogues */
    sharc_store_id *old, *fresh;
    size_t count, room;
};

static void twins_done(struct twins *t)
{
    free(t->old);
    free(t->fresh);
}

static void add_twins(struct twins *t, sharc_store_id old, sharc_store_id fresh)
{
    size_t room = t->room;
    SHARC_GROW(t->old, t->room, t->count + 1);
    if (t->room != room) t->fresh = sharc_realloc(t->fresh, t->room, sizeof *t->fresh);
    t->old[t->count] = old;
    t->fresh[t->count++] = fresh;
}

/* They are there before the files are read, which then find them by when they began. */
static int copy_captures(struct sharc_store *old, struct sharc_store *fresh, struct twins *t, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_captures(old, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
        sharc_store_id id = 0;
        sharc_store_read_capture(rows, &c);
        if (!sharc_span_is(c.source, "crawl")) continue;
        struct sharc_store_site site = {.name = c.site_name};
        sharc_store_id before = c.id;
        r = sharc_store_site_put(fresh, &site, &c.site, reterr);
        c.id = 0;
        if (r == 0) r = sharc_store_capture_add(fresh, &c, &id, NULL, reterr);
        if (r == 0) add_twins(t, before, id);
    }
    return r < 0 ? r : 0;
}

static int copy_skipped(struct sharc_store *old, sharc_store_id from, struct sharc_store_batch *b, sharc_store_id to,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_skipped(old, from, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_skip s = {0};
        sharc_store_read_skip(rows, &s);
        r = sharc_store_batch_skipped(b, to, s.url, s.reason, s.detail, reterr);
        if (r == 0 && sharc_store_batch_full(b)) r = sharc_store_batch_commit(b, reterr);
    }
    return r;
}

static int copy_grades(struct sharc_store *old, sharc_store_id from, struct sharc_store_batch *b, sharc_store_id to,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_grades(old, from, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_grade g;
        struct sharc_span url;
        sharc_store_read_grade(rows, &url, &g);
        r = sharc_store_batch_grade(b, to, url, &g, reterr);
        if (r == 0 && sharc_store_batch_full(b)) r = sharc_store_batch_commit(b, reterr);
    }
    return r;
}

struct copying {
    struct sharc_store_batch *batch;
    sharc_store_id capture;
};

static int copy_piece(void *arg, uint32_t seq, struct sharc_span bytes, struct sharc_err *reterr)
{
    const struct copying *c = arg;
    int r = sharc_store_batch_journal(c->batch, c->capture, seq, bytes, reterr);
    return r == 0 && sharc_store_batch_full(c->batch) ? sharc_store_batch_commit(c->batch, reterr) : r;
}

static int copy_of_captures(struct sharc_store *old, struct sharc_store_batch *b, const struct twins *t,
                            struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r >= 0 && i < t->count; i++) {
        struct copying c = {b, t->fresh[i]};
        r = copy_skipped(old, t->old[i], b, t->fresh[i], reterr);
        if (r >= 0) r = copy_grades(old, t->old[i], b, t->fresh[i], reterr);
        if (r >= 0) r = sharc_store_journal_each(old, t->old[i], copy_piece, &c, reterr);
    }
    return r;
}

/* --- what was learned ---------------------------------------------------------------- */

static int copy_rates(struct sharc_store *old, struct sharc_store_batch *b, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
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
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_patterns(old, 0, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_pattern p = {0};
        sharc_store_read_pattern(rows, &p);
        r = sharc_store_batch_pattern(b, p.url, p.data, p.group, p.when, reterr);
        if (r == 0 && sharc_store_batch_full(b)) r = sharc_store_batch_commit(b, reterr);
    }
    return r;
}

/* Sites have other numbers in the new one. */
static int copy_places(struct sharc_store *old, struct sharc_store *fresh, struct sharc_store_batch *b,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_places(old, 0, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_volatile p;
        struct sharc_store_value name;
        sharc_store_read_place(rows, &p);
        sharc_store_rows_value(rows, 0, &name);
        r = sharc_store_site_put(fresh, &(struct sharc_store_site){.name = name.s}, &p.site, reterr);
        if (r == 0) r = sharc_store_batch_place(b, &p, reterr);
        if (r == 0 && sharc_store_batch_full(b)) r = sharc_store_batch_commit(b, reterr);
    }
    return r;
}

static int copy_models(struct sharc_store *old, struct sharc_store *fresh, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_models(old, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_model m = {0};
        sharc_store_read_model(rows, &m);
        r = sharc_store_model_put(fresh, &m, reterr);
    }
    return r;
}

static int copy_rest(struct sharc_store *old, struct sharc_store *fresh, const struct twins *t,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_batch_freep) struct sharc_store_batch *b = NULL;
    sharc_store_batch_new(fresh, &b);
    int r = copy_sites(old, fresh, reterr);
    if (r >= 0) r = copy_of_captures(old, b, t, reterr);
    if (r >= 0) r = copy_models(old, fresh, reterr);
    if (r >= 0) r = copy_rates(old, b, reterr);
    if (r >= 0) r = copy_patterns(old, b, reterr);
    if (r >= 0) r = copy_places(old, fresh, b, reterr);
    return r < 0 ? r : sharc_store_batch_commit(b, reterr);
}

int sharc_import_rebuild(struct sharc_store *old, struct sharc_store *fresh, const struct sharc_import_options *o,
                         struct sharc_import_result *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(plan_done) struct plan p = {.seen = sharc_intern_new()};
    *ret = (struct sharc_import_result){0};
    SHARC_AUTO(twins_done) struct twins t = {0};
    int r = make_plan(&p, old, o, reterr);
    if (r == 0 && old) r = copy_captures(old, fresh, &t, reterr);
    for (size_t i = 0; r == 0 && i < p.count; i++) r = import_group(fresh, &p.groups[i], o, ret, reterr);
    if (r == 0 && p.count > 1) r = resolve_again(fresh, ret, reterr);
    if (r >= 0 && old) r = copy_rest(old, fresh, &t, reterr);
    return r < 0 ? r : sharc_store_sync(fresh, reterr);
}
