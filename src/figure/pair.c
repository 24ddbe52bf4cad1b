/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures, page by page.
 */
#include "figure_int.h"
#include "sharc/base_map.h"

#include <stdlib.h>

/* Names with numbers of their own while pages are read, sorted at the end. */
struct naming {
    struct sharc_intern *names;
    uint64_t *pages;
    size_t room;
    struct sharc_span last; /* pages come in the order of their URLs: most have the name of the one before */
    uint32_t last_id;
};

static uint32_t name_of(struct naming *k, struct sharc_span name)
{
    if (k->last.p && sharc_span_eq(k->last, name)) {
        k->pages[k->last_id]++;
        return k->last_id;
    }
    uint32_t id = sharc_intern_add(k->names, name, NULL);
    size_t had = k->room;
    SHARC_GROW(k->pages, k->room, (size_t)id + 1);
    if (k->room > had) memset(k->pages + had, 0, (k->room - had) * sizeof *k->pages);
    k->pages[id]++;
    k->last = sharc_intern_text(k->names, id);
    k->last_id = id;
    return id;
}

static void naming_done(struct naming *k)
{
    sharc_intern_free(k->names);
    free(k->pages);
}

/* "http://example.org/docs/" of "http://example.org/docs/a/b?c": a segment counts as a folder only if something
 * stands below it. */
static struct sharc_span folder_of(struct sharc_span url)
{
    size_t end = 0, at = 0;
    while (end < url.n && url.p[end] != '?' && url.p[end] != '#') end++;
    struct sharc_span path = sharc_span_sub(url, 0, end);
    for (int slashes = 0; slashes < 3; slashes++) {
        at = sharc_span_find(path, '/', at);
        if (at == SHARC_NPOS) return path;
        at++;
    }
    size_t next = sharc_span_find(path, '/', at);
    return sharc_span_sub(path, 0, next == SHARC_NPOS ? at : next + 1);
}

struct gathering {
    struct sharc_figure_pair *f;
    const struct sharc_figure_sheet *a, *b;
    struct naming mimes, folders;
};
#define NO_ROW SHARC_FIGURE_NO_ROW

static int add_point(void *arg, size_t a, size_t b, enum sharc_figure_class change, double similarity,
                     struct sharc_err *reterr)
{
    struct gathering *g = arg;
    struct sharc_figure_pair *f = g->f;
    const struct sharc_figure_sheet *t = b != NO_ROW ? g->b : g->a;
    size_t row = b != NO_ROW ? b : a;
    struct sharc_span mime = sharc_figure_sheet_mime(t, row), url = sharc_figure_sheet_url(t, row);
    struct sharc_figure_point *q = &f->points[f->count];
    *q = (struct sharc_figure_point){
        .url_id = t->id[row],
        .place = (uint32_t)f->count,
        .kind = sharc_figure_kind_of(mime),
        .change = change,
        .size_a = a != NO_ROW ? g->a->size[a] : -1,
        .size_b = b != NO_ROW ? g->b->size[b] : -1,
        .similarity = similarity,
    };
    if (!mime.n && a != NO_ROW) mime = sharc_figure_sheet_mime(g->a, a);
    q->mime = name_of(&g->mimes, mime);
    q->folder = name_of(&g->folders, folder_of(url));
    q->url = url; /* the sheet's, until it is known which points stay */
    f->all[q->change]++;
    f->count++;
    (void)reterr;
    return 0;
}

/* --- order ------------------------------------------------------------------------------------------------ */

struct named {
    struct sharc_figure_name name;
    uint32_t id;
};

static int by_pages(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->name.pages != y->name.pages) return x->name.pages > y->name.pages ? -1 : 1;
    return sharc_span_cmp(x->name.name, y->name.name);
}

/* Most pages first; place[id] is where a name went. */
static int settle_names(struct sharc_figure_pair *f, const struct naming *k, struct sharc_figure_name **ret,
                        size_t *ret_n, uint32_t **ret_place, struct sharc_err *reterr)
{
    size_t n = sharc_intern_count(k->names);
    SHARC_AUTO(sharc_freep) struct named *all = SHARC_NEW_ARRAY(struct named, n + 1);
    struct sharc_figure_name *names = SHARC_NEW_ARRAY(struct sharc_figure_name, n + 1);
    uint32_t *place = SHARC_NEW_ARRAY(uint32_t, n + 1);
    int r = 0;
    *ret = names;
    *ret_n = n;
    *ret_place = place;
    for (uint32_t i = 0; i < n && r >= 0; i++) {
        all[i].id = i;
        all[i].name.pages = k->pages[i];
        r = sharc__figure_keep(&f->texts, sharc_intern_text(k->names, i), &all[i].name.name, reterr);
    }
    if (r < 0) return r;
    if (n) qsort(all, n, sizeof *all, by_pages);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = all[i].name;
        place[all[i].id] = i;
    }
    return 0;
}

static int settle(struct gathering *g, struct sharc_err *reterr)
{
    struct sharc_figure_pair *f = g->f;
    SHARC_AUTO(sharc_freep) uint32_t *mime = NULL;
    SHARC_AUTO(sharc_freep) uint32_t *folder = NULL;
    int r = settle_names(f, &g->mimes, &f->mimes, &f->mime_count, &mime, reterr);
    if (r >= 0) r = settle_names(f, &g->folders, &f->folders, &f->folder_count, &folder, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < f->count; i++) {
        f->points[i].mime = mime[f->points[i].mime];
        f->points[i].folder = folder[f->points[i].folder];
    }
    return 0;
}

/* --- the pair ----------------------------------------------------------------------------------------------- */

void sharc_figure_pair_done(struct sharc_figure_pair *f)
{
    free(f->site);
    free(f->key_a);
    free(f->key_b);
    free(f->points);
    free(f->mimes);
    free(f->folders);
    sharc_arena_done(&f->texts);
    *f = (struct sharc_figure_pair){0};
}

int sharc_figure_pair_of(struct sharc_store *s, const struct sharc_figure_sheet *a, const struct sharc_figure_sheet *b,
                         const struct sharc_figure_changes *c, size_t most, struct sharc_figure_pair *ret,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture ca = {0};
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture cb = {0};
    SHARC_AUTO(sharc_figure_pair_done) struct sharc_figure_pair f = {.a = a->capture, .b = b->capture};
    f.texts.max = FIGURE_TEXTS_MAX;
    int r = sharc__figure_capture(s, a->capture, &ca, reterr);
    if (r >= 0) r = sharc__figure_capture(s, b->capture, &cb, reterr);
    if (r < 0) return r;
    struct gathering g = {
        .f = &f, .a = a, .b = b, .mimes.names = sharc_intern_new(), .folders.names = sharc_intern_new()};
    f.points = SHARC_NEW_ARRAY(struct sharc_figure_point, a->count + b->count + 1);
    r = sharc_figure_pairs(a, b, c, add_point, &g, reterr);
    if (r >= 0) r = settle(&g, reterr);
    naming_done(&g.mimes);
    naming_done(&g.folders);
    if (r < 0) return r;
    f.pages = f.count;
    f.every = f.every_changed = 1;
    sharc_figure_pair_thin(&f, most);
    for (size_t i = 0; r >= 0 && i < f.count; i++)
        r = sharc__figure_keep(&f.texts, f.points[i].url, &f.points[i].url, reterr);
    if (r < 0) return r;
    f.site = SHARC_TAKE(cb.site_name);
    f.key_a = SHARC_TAKE(ca.key);
    f.key_b = SHARC_TAKE(cb.key);
    *ret = f;
    f = (struct sharc_figure_pair){0};
    return 0;
}

static bool stands_still(const struct sharc_figure_point *p)
{
    return p->change == SHARC_FIGURE_UNCHANGED || p->change == SHARC_FIGURE_INSIGNIFICANT;
}

void sharc_figure_pair_thin(struct sharc_figure_pair *f, size_t most)
{
    size_t still = 0, n = 0, seen[2] = {0};
    if (!most || f->count <= most) return;
    for (size_t i = 0; i < f->count; i++) still += stands_still(&f->points[i]);
    /* At least a quarter is left to those that stood still, so that the picture shows where they are. */
    size_t others = f->count - still, kept = most - most / 4;
    if (others > kept) f->every_changed = (others + kept - 1) / kept;
    size_t room = most - others / f->every_changed;
    if (room > most / 4 && others > kept) room = most / 4;
    if (room == 0) room = 1;
    if (still > room) f->every = (still + room - 1) / room;
    for (size_t i = 0; i < f->count; i++) {
        bool quiet = stands_still(&f->points[i]);
        if (seen[quiet]++ % (quiet ? f->every : f->every_changed) == 0) f->points[n++] = f->points[i];
    }
    f->count = n;
}

int sharc_figure_pair(struct sharc_store *s, sharc_store_id a, sharc_store_id b, struct sharc_figure_pair *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet ta = {0};
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet tb = {0};
    SHARC_AUTO(sharc_figure_changes_done) struct sharc_figure_changes c = {0};
    int r = sharc_figure_sheet(s, a, &ta, reterr);
    if (r >= 0) r = sharc_figure_sheet(s, b, &tb, reterr);
    if (r >= 0) r = sharc_figure_changes(s, a, b, &c, reterr);
    return r < 0 ? r : sharc_figure_pair_of(s, &ta, &tb, &c, 0, ret, reterr);
}
