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
};

static uint32_t name_of(struct naming *k, struct sharc_span name)
{
    uint32_t id = sharc_intern_add(k->names, name, NULL);
    size_t had = k->room;
    SHARC_GROW(k->pages, k->room, (size_t)id + 1);
    if (k->room > had) memset(k->pages + had, 0, (k->room - had) * sizeof *k->pages);
    k->pages[id]++;
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
    size_t room;
    struct naming mimes, folders;
};

static int add_point(struct gathering *g, const struct sharc_store_pair *p, struct sharc_err *reterr)
{
    struct sharc_figure_pair *f = g->f;
    struct sharc_span mime = p->in_b && p->b.mime.n ? p->b.mime : p->in_a ? p->a.mime : SHARC_SPAN_NONE;
    SHARC_GROW(f->points, g->room, f->count + 1);
    struct sharc_figure_point *q = &f->points[f->count];
    *q = (struct sharc_figure_point){
        .url_id = p->url_id,
        .kind = sharc_figure_kind_of(p->in_b ? p->b.mime : p->a.mime),
        .change = sharc_figure_class_of_pair(p),
        .mime = name_of(&g->mimes, mime),
        .folder = name_of(&g->folders, folder_of(p->url)),
        .size_a = p->in_a ? p->a.visit.size : -1,
        .size_b = p->in_b ? p->b.visit.size : -1,
        .similarity = sharc__figure_alike(p),
    };
    f->all[q->change]++;
    f->count++;
    return sharc__figure_keep(&f->texts, p->url, &q->url, reterr);
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

static int by_url(const void *a, const void *b)
{
    const struct sharc_figure_point *x = a, *y = b;
    return sharc_span_cmp(x->url, y->url);
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
    if (f->count) qsort(f->points, f->count, sizeof *f->points, by_url);
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

static int gather(struct sharc_store *s, struct gathering *g, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_pair_filter filter = {.a = g->f->a, .b = g->f->b, .features = true};
    struct sharc_store_pair pair;
    int r = sharc_store_compare(s, &filter, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_pair(rows, &pair);
        r = add_point(g, &pair, reterr);
    }
    return r < 0 ? r : settle(g, reterr);
}

int sharc_figure_pair(struct sharc_store *s, sharc_store_id a, sharc_store_id b, struct sharc_figure_pair *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture ca = {0};
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture cb = {0};
    SHARC_AUTO(sharc_figure_pair_done) struct sharc_figure_pair f = {.a = a, .b = b};
    f.texts.max = FIGURE_TEXTS_MAX;
    int r = sharc__figure_capture(s, a, &ca, reterr);
    if (r >= 0) r = sharc__figure_capture(s, b, &cb, reterr);
    if (r < 0) return r;
    struct gathering g = {.f = &f, .mimes.names = sharc_intern_new(), .folders.names = sharc_intern_new()};
    r = gather(s, &g, reterr);
    naming_done(&g.mimes);
    naming_done(&g.folders);
    if (r < 0) return r;
    f.site = SHARC_TAKE(cb.site_name);
    f.key_a = SHARC_TAKE(ca.key);
    f.key_b = SHARC_TAKE(cb.key);
    *ret = f;
    f = (struct sharc_figure_pair){0};
    return 0;
}
