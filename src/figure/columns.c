/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a capture, or what two of them do not share, into columns.
 */
#include "figure_int.h"
#include "sharc/base_map.h"
#include "sharc/base_order.h"

#include <stdlib.h>

/* --- a sheet ------------------------------------------------------------------------------------ */

size_t sharc_figure_sheet_size(size_t count, size_t bytes)
{
    return count * (8 * sizeof(int64_t) + 3 * sizeof(uint32_t) + 2) + bytes;
}

void sharc_figure_sheet_over(struct sharc_figure_sheet *t, void *block, void *at, size_t n)
{
    t->block = block;
    t->count = n;
    FIGURE_COLUMN(&at, t->id, n);
    FIGURE_COLUMN(&at, t->parent, n);
    FIGURE_COLUMN(&at, t->visit, n);
    FIGURE_COLUMN(&at, t->revisit, n);
    FIGURE_COLUMN(&at, t->slot, n);
    FIGURE_COLUMN(&at, t->size, n);
    FIGURE_COLUMN(&at, t->rate, n);
    FIGURE_COLUMN(&at, t->planned, n);
    FIGURE_COLUMN(&at, t->status, n);
    FIGURE_COLUMN(&at, t->mime, n);
    FIGURE_COLUMN(&at, t->end, n);
    FIGURE_COLUMN(&at, t->reason, n);
    FIGURE_COLUMN(&at, t->hopeless, n);
    t->urls = at;
}

void sharc_figure_sheet_done(struct sharc_figure_sheet *t)
{
    free(t->block);
    free(t->mimes);
    sharc_arena_done(&t->texts);
    *t = (struct sharc_figure_sheet){0};
}

/* Pages as they are read, which is by the numbers of their URLs. */
struct row {
    struct sharc_span url;
    sharc_store_id id, parent;
    sharc_time visit, revisit;
    int64_t slot, size;
    double rate, planned;
    int32_t status;
    uint32_t mime;
    uint8_t reason, hopeless;
};
struct reading {
    struct row *rows;
    size_t count, room;
    uint64_t bytes; /* of all URLs */
    struct sharc_intern *mimes;
    struct sharc_arena texts;
};

static int add_row(struct reading *g, const struct sharc_store_page *p, struct sharc_err *reterr)
{
    SHARC_GROW(g->rows, g->room, g->count + 1);
    struct row *r = &g->rows[g->count++];
    *r = (struct row){.id = p->url_id,
                      .parent = p->parent_id,
                      .visit = p->visit.when,
                      .revisit = p->revisit.when,
                      .slot = p->visit.slot,
                      .size = p->visit.size,
                      .rate = p->visit.rate,
                      .planned = p->planned_rate,
                      .status = p->visit.status,
                      .mime = sharc_intern_add(g->mimes, p->mime, NULL),
                      .reason = (uint8_t)p->grade.reason,
                      .hopeless = p->hopeless};
    g->bytes += p->url.n;
    SHARC_FAIL_IF(g->bytes > UINT32_MAX, reterr, SHARC_ELIMIT, "the URLs of this capture take more than 4 GB");
    return sharc__figure_keep(&g->texts, p->url, &r->url, reterr);
}

static int by_url(const void *a, const void *b)
{
    return sharc_span_cmp(((const struct row *)a)->url, ((const struct row *)b)->url);
}

static void copy_row(struct sharc_figure_sheet *t, size_t i, const struct row *r)
{
    uint32_t from = i ? t->end[i - 1] : 0;
    t->id[i] = r->id;
    t->parent[i] = r->parent;
    t->visit[i] = r->visit;
    t->revisit[i] = r->revisit;
    t->slot[i] = r->slot;
    t->size[i] = r->size;
    t->rate[i] = r->rate;
    t->planned[i] = r->planned;
    t->status[i] = r->status;
    t->mime[i] = r->mime;
    t->reason[i] = r->reason;
    t->hopeless[i] = r->hopeless;
    t->end[i] = from + (uint32_t)r->url.n;
    if (r->url.n) memcpy(t->urls + from, r->url.p, r->url.n);
}

static int settle(struct reading *g, struct sharc_figure_sheet *t, struct sharc_err *reterr)
{
    int r = 0;
    if (g->count) qsort(g->rows, g->count, sizeof *g->rows, by_url);
    void *block = SHARC_NEW_ARRAY(char, sharc_figure_sheet_size(g->count, g->bytes) + 1);
    sharc_figure_sheet_over(t, block, block, g->count);
    for (size_t i = 0; i < g->count; i++) copy_row(t, i, &g->rows[i]);
    t->mime_count = sharc_intern_count(g->mimes);
    t->mimes = SHARC_NEW_ARRAY(struct sharc_span, t->mime_count + 1);
    t->texts.max = FIGURE_TEXTS_MAX;
    for (uint32_t i = 0; r >= 0 && i < t->mime_count; i++)
        r = sharc__figure_keep(&t->texts, sharc_intern_text(g->mimes, i), &t->mimes[i], reterr);
    return r;
}

static int read_rows(struct sharc_store *s, sharc_store_id capture, struct reading *g, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_page_filter filter = {.capture = capture, .looks = true, .grades = true};
    struct sharc_store_page page;
    int r = sharc__figure_capture(s, capture, &c, reterr);
    if (r >= 0) r = sharc_store_pages(s, &filter, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &page);
        r = add_row(g, &page, reterr);
    }
    return r;
}

int sharc_figure_sheet(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_sheet *ret,
                       struct sharc_err *reterr)
{
    struct sharc_figure_sheet t = {.capture = capture};
    struct reading g = {.mimes = sharc_intern_new(), .texts.max = FIGURE_TEXTS_MAX};
    int r = read_rows(s, capture, &g, reterr);
    if (r >= 0) r = settle(&g, &t, reterr);
    free(g.rows);
    sharc_intern_free(g.mimes);
    sharc_arena_done(&g.texts);
    if (r >= 0)
        *ret = t;
    else
        sharc_figure_sheet_done(&t);
    return r < 0 ? r : 0;
}

/* --- changes --------------------------------------------------------------------------------------- */

void sharc_figure_changes_room(struct sharc_figure_changes *c, size_t count)
{
    c->id = SHARC_NEW_ARRAY(sharc_store_id, count + 1);
    c->change = SHARC_NEW_ARRAY(uint8_t, count + 1);
    c->similarity = SHARC_NEW_ARRAY(double, count + 1);
    c->count = count;
}

void sharc_figure_changes_done(struct sharc_figure_changes *c)
{
    free(c->id);
    free(c->change);
    free(c->similarity);
    *c = (struct sharc_figure_changes){0};
}

struct change {
    sharc_store_id id;
    double similarity;
    uint8_t change;
};
struct listing {
    struct change *items;
    size_t count, room;
};

static int note(void *arg, const struct sharc_store_pair *p, struct sharc_err *reterr)
{
    struct listing *l = arg;
    (void)reterr;
    SHARC_GROW(l->items, l->room, l->count + 1);
    l->items[l->count++] = (struct change){p->url_id, sharc__figure_alike(p), (uint8_t)sharc_figure_class_of_pair(p)};
    return 0;
}

int sharc_figure_changes(struct sharc_store *s, sharc_store_id a, sharc_store_id b, struct sharc_figure_changes *ret,
                         struct sharc_err *reterr)
{
    struct listing l = {0};
    int r = sharc__figure_changes(s, a, b, true, note, &l, reterr);
    if (r >= 0) {
        *ret = (struct sharc_figure_changes){.a = a, .b = b};
        sharc_figure_changes_room(ret, l.count);
        for (size_t i = 0; i < l.count; i++) {
            ret->id[i] = l.items[i].id;
            ret->change[i] = l.items[i].change;
            ret->similarity[i] = l.items[i].similarity;
        }
    }
    free(l.items);
    return r < 0 ? r : 0;
}

/* --- two sheets ------------------------------------------------------------------------------------ */

static int tell(const struct sharc_figure_changes *c, size_t found, size_t a, size_t b, sharc_figure_pair_fn *fn,
                void *arg, struct sharc_err *reterr)
{
    if (found == SHARC_NPOS) return fn(arg, a, b, SHARC_FIGURE_UNCHANGED, 1, reterr);
    return fn(arg, a, b, (enum sharc_figure_class)c->change[found], c->similarity[found], reterr);
}

int sharc_figure_pairs(const struct sharc_figure_sheet *a, const struct sharc_figure_sheet *b,
                       const struct sharc_figure_changes *c, sharc_figure_pair_fn *fn, void *arg,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_finder_done) struct figure_finder changed;
    size_t i = 0, k = 0;
    int r = 0;
    sharc__figure_finder_init(&changed, c->id, c->count);
    while (r >= 0 && (i < a->count || k < b->count)) {
        int order = i == a->count          ? 1
                    : k == b->count        ? -1
                    : a->id[i] == b->id[k] ? 0
                                           : sharc_span_cmp(sharc_figure_sheet_url(a, i), sharc_figure_sheet_url(b, k));
        r = tell(c, sharc__figure_find(&changed, order < 0 ? a->id[i] : b->id[k]), order <= 0 ? i : SHARC_FIGURE_NO_ROW,
                 order >= 0 ? k : SHARC_FIGURE_NO_ROW, fn, arg, reterr);
        i += order <= 0;
        k += order >= 0;
    }
    return r < 0 ? r : 0;
}
