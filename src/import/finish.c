/* SPDX-License-Identifier: Apache-2.0
 *
 * What can only be said of a whole capture, done for every capture that got
 * records, in an order that makes each step find what it needs:
 *
 *   join      captures that a file between them showed to be one
 *   resolve   revisit records take over what their originals have
 *   clean     URLs that differ in case only, on request
 *   tree      parents and hops where no metadata record told them
 *   compare   the change class against the capture of the site before
 *   derive    the grades of captures that our crawler made
 *
 * A capture stays "importing" until all of it is done, so an import that is
 * killed here does it again next time. Each step may be repeated.
 */
#include "import_int.h"
#include "sharc/base_order.h"
#include "sharc/change_compare.h"
#include "sharc/url.h"

#include <stdlib.h>

/* The pages of a capture in the order of their URL numbers. */
struct whole {
    struct import_writer *w;
    const struct import_capture *capture;
    size_t count, room;
    sharc_store_id *url, *parent;
    sharc_time *when;
    int32_t *hops;
    bool *root;
    uint64_t links, looks, revisits, unresolved;
};

static void whole_done(struct whole *p)
{
    free(p->url);
    free(p->parent);
    free(p->when);
    free(p->hops);
    free(p->root);
    *p = (struct whole){0};
}

/* --- revisits ------------------------------------------------------------------ */

static const struct import_job *job_of(const struct import_writer *w, sharc_store_id warc)
{
    for (size_t i = 0; i < w->jobs->count; i++)
        if (w->files[i].warc == warc) return &w->jobs->items[i];
    return NULL;
}

/* What the record itself refers to; it is read once more for that. */
static bool read_reference(struct import_writer *w, const struct sharc_store_place *place, struct sharc_url *ret,
                           sharc_time *ret_when)
{
    const struct import_job *job = job_of(w, place->warc);
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *warc = NULL;
    struct sharc_warc_options o = {.lenient = true, .offset = place->offset};
    struct sharc_record rec;
    if (!job || sharc_warc_input_open(job->input, &o, &warc, NULL) < 0 || sharc_warc_next(warc, &rec, NULL) <= 0)
        return false;
    if (!rec.refers_to_date.n || sharc_time_parse(rec.refers_to_date, ret_when, NULL) < 0) *ret_when = SHARC_TIME_NONE;
    return rec.refers_to_target.n && sharc_url_parse(ret, rec.refers_to_target, NULL, NULL) == 0;
}

/* Neither URL nor digest told the original: ask the records. */
static int resolve_by_reference(struct whole *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url url = SHARC_URL_INIT;
    struct sharc_store_page_filter f = {.capture = p->capture->id};
    int r = sharc_store_pages(p->w->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page page;
        sharc_time when;
        sharc_store_read_page(rows, &page);
        bool open =
            (page.record == SHARC_STORE_IDENTICAL || page.record == SHARC_STORE_NOT_MODIFIED) && !page.body.warc;
        if (!open || !read_reference(p->w, &page.visit.place, &url, &when)) continue;
        r = sharc_store_resolve_revisit(p->w->store, p->capture->id, page.url_id, sharc_url_page(&url), when, reterr);
        if (r == 0) p->unresolved--;
        if (r == SHARC_ENOENT) r = 0;
    }
    return r;
}

static int resolve(struct whole *p, struct sharc_err *reterr)
{
    sharc_store_id id = p->capture->id;
    int r = sharc_store_settle_revisits(p->w->store, id, &p->looks, reterr);
    if (r >= 0) r = sharc_store_resolve_revisits(p->w->store, id, &p->revisits, &p->unresolved, reterr);
    if (r >= 0 && p->unresolved) r = resolve_by_reference(p, reterr);
    return r;
}

/* --- the tree ------------------------------------------------------------------ */

static void add_page(struct whole *p, const struct sharc_store_page *page)
{
    size_t i = p->count++, room = p->room;
    SHARC_GROW(p->url, p->room, p->count);
    if (p->room != room) {
        p->parent = sharc_realloc(p->parent, p->room, sizeof *p->parent);
        p->when = sharc_realloc(p->when, p->room, sizeof *p->when);
        p->hops = sharc_realloc(p->hops, p->room, sizeof *p->hops);
        p->root = sharc_realloc(p->root, p->room, sizeof *p->root);
    }
    p->url[i] = page->url_id;
    p->parent[i] = page->parent_id;
    p->when[i] = page->visit.when;
    p->hops[i] = page->hops;
    p->root[i] = page->hops == 0;
    if (page->out_links > 0) p->links += (uint64_t)page->out_links;
}

static bool is_robots(struct sharc_span url)
{
    return sharc_span_ends(url, SHARC_SPAN("/robots.txt"));
}

static int load_pages(struct whole *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = p->capture->id, .features = true};
    size_t first = SIZE_MAX;
    bool seeded = false;
    int r = sharc_store_pages(p->w->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page page;
        sharc_store_read_page(rows, &page);
        size_t i = p->count;
        add_page(p, &page);
        seeded = seeded || p->root[i];
        if (!is_robots(page.url) && (first == SIZE_MAX || p->when[i] < p->when[first])) first = i;
    }
    /* Nobody says what the seeds were: the crawl began with its first page. */
    if (r >= 0 && !seeded && first != SIZE_MAX) p->root[first] = true;
    return r;
}

static uint32_t index_of(const struct whole *p, sharc_store_id url)
{
    size_t at = url ? sharc_find_i64(p->url, p->count, url) : SHARC_NPOS;
    return at == SHARC_NPOS ? SHARC_NO_ID : (uint32_t)at;
}

enum { MOST_ROWS = 50000 }; /* in one transaction */

static int grow_tree(struct whole *p, const struct sharc_store_graph *g, struct sharc_err *reterr)
{
    uint32_t *parent = SHARC_NEW_ARRAY(uint32_t, p->count);
    int32_t *hops = SHARC_NEW_ARRAY(int32_t, p->count);
    struct sharc_store_way *ways = SHARC_NEW_ARRAY(struct sharc_store_way, MOST_ROWS);
    for (size_t i = 0; i < p->count; i++) {
        parent[i] = index_of(p, p->parent[i]);
        hops[i] = p->hops[i];
    }
    struct import_tree t = {.graph = g, .when = p->when, .root = p->root, .parent = parent, .hops = hops};
    sharc__import_tree(&t);
    size_t n = 0;
    int r = 0;
    for (size_t i = 0; r >= 0 && i < p->count; i++) {
        bool same = hops[i] == p->hops[i] && (p->parent[i] || parent[i] == SHARC_NO_ID);
        sharc_store_id up = p->parent[i] ? p->parent[i] : parent[i] == SHARC_NO_ID ? 0 : p->url[parent[i]];
        if (!same) ways[n++] = (struct sharc_store_way){.url = p->url[i], .parent = up, .hops = hops[i]};
        if (n < MOST_ROWS && i + 1 < p->count) continue;
        r = sharc_store_amend_ways(p->w->store, p->capture->id, ways, n, reterr);
        n = 0;
    }
    free(parent);
    free(hops);
    free(ways);
    return r;
}

static int make_tree(struct whole *p, struct sharc_err *reterr)
{
    struct sharc_store_graph g = {0};
    int r = load_pages(p, reterr);
    if (r < 0 || p->links == 0 || p->capture->exact) return r; /* our crawler has told all of it */
    r = sharc_store_graph(p->w->store, p->capture->id, 0, &g, reterr);
    if (r < 0) return r;
    /* Nobody else writes into a capture that is being imported. */
    if (g.n == p->count) r = grow_tree(p, &g, reterr);
    sharc_store_graph_done(&g);
    return r;
}

/* --- change --------------------------------------------------------------------- */

static bool texts_alike(const struct sharc_store_page *a, const struct sharc_store_page *b)
{
    size_t n = SHARC_CHANGE_MINHASH * sizeof(uint32_t);
    uint32_t x[SHARC_CHANGE_MINHASH], y[SHARC_CHANGE_MINHASH];
    if (a->minhash.n != n || b->minhash.n != n) return false;
    memcpy(x, a->minhash.p, n);
    memcpy(y, b->minhash.p, n);
    return sharc_change_minhash_alike(x, y, SHARC_CHANGE_MINHASH) >= SHARC_CHANGE_ALIKE;
}

enum sharc_change_class sharc__import_class(const struct sharc_store_pair *p)
{
    switch (p->difference) {
    case SHARC_DIFF_UNCHANGED: return SHARC_UNCHANGED;
    case SHARC_DIFF_NEW: return SHARC_NEW;
    case SHARC_DIFF_DELETED: return SHARC_MISSING;
    case SHARC_DIFF_INSIGNIFICANT: return p->links_changed ? SHARC_LINKS_CHANGED : SHARC_INSIGNIFICANT;
    case SHARC_DIFF_CHANGED:
        if (sharc_change_is_redirect(p->b.visit.status)) return SHARC_REDIRECTED;
        if (!texts_alike(&p->a, &p->b)) return SHARC_TEXT_CHANGED;
        return p->links_changed ? SHARC_LINKS_CHANGED : SHARC_INSIGNIFICANT;
    case SHARC_DIFF_FAILED:
    case SHARC_DIFF_COUNT: break;
    }
    return SHARC_FAILED;
}

static int compare(struct import_writer *w, sharc_store_id before, sharc_store_id after, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_freep)
    struct sharc_store_verdict *verdicts = SHARC_NEW_ARRAY(struct sharc_store_verdict, MOST_ROWS);
    struct sharc_store_pair_filter f = {.a = before, .b = after, .features = true};
    size_t n = 0;
    int r = sharc_store_compare(w->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_pair p;
        sharc_store_read_pair(rows, &p);
        enum sharc_change_class c = sharc__import_class(&p);
        if (!p.in_b || p.b.visit.change == (int)c) continue;
        struct sharc_change_verdict v = {.change = c, .step = SHARC_STEP_PAYLOAD};
        verdicts[n++] =
            (struct sharc_store_verdict){.url = p.url_id, .change = c, .importance = sharc_change_class_importance(&v)};
        if (n < MOST_ROWS) continue;
        r = sharc_store_amend_changes(w->store, after, verdicts, n, reterr);
        n = 0;
    }
    return r < 0 ? r : sharc_store_amend_changes(w->store, after, verdicts, n, reterr);
}

static int by_site_and_start(const void *a, const void *b)
{
    const struct import_capture *x = *(const struct import_capture *const *)a;
    const struct import_capture *y = *(const struct import_capture *const *)b;
    if (x->site_id != y->site_id) return x->site_id < y->site_id ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Every capture that was touched against the one of its site before, and one that was not against a touched one
 * before it. */
static int compare_all(struct import_writer *w, struct sharc_err *reterr)
{
    const struct import_captures *c = &w->captures;
    const struct import_capture **order = SHARC_NEW_ARRAY(const struct import_capture *, c->count + 1);
    size_t n = 0;
    int r = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!c->items[i].gone) order[n++] = &c->items[i];
    qsort(order, n, sizeof(*order), by_site_and_start);
    for (size_t i = 1; r >= 0 && i < n; i++) {
        const struct import_capture *before = order[i - 1], *after = order[i];
        if (before->site_id != after->site_id || (!before->touched && !after->touched) || after->judged) continue;
        r = compare(w, before->id, after->id, reterr);
    }
    free(order);
    return r;
}

/* --- all of it -------------------------------------------------------------------- */

static void note_result(const struct whole *p)
{
    const struct import_captures *c = &p->w->captures;
    struct sharc_import_result *result = p->w->result;
    uint64_t rows = p->count + p->looks, records = p->capture->records;
    SHARC_GROW(result->captures, result->capture_room, result->capture_count + 1);
    result->captures[result->capture_count++] =
        (struct sharc_import_capture){.id = p->capture->id,
                                      .key = sharc_span_dup(sharc_intern_text(c->keys, p->capture->key)),
                                      .site = sharc_span_dup(sharc_intern_text(c->names, p->capture->site)),
                                      .start = p->capture->start,
                                      .end = p->capture->end,
                                      .pages = p->count,
                                      .links = p->links,
                                      .repeated = records > rows ? records - rows : 0,
                                      .revisits = p->revisits + p->looks,
                                      .unresolved = p->unresolved};
}

static int finish_pages(struct import_writer *w, size_t i, struct sharc_err *reterr)
{
    SHARC_AUTO(whole_done) struct whole p = {.w = w, .capture = &w->captures.items[i]};
    uint64_t merged;
    int r = resolve(&p, reterr);
    if (r >= 0 && w->o->merge_case) r = sharc_store_merge_case(w->store, p.capture->id, &merged, reterr);
    if (r >= 0) r = make_tree(&p, reterr);
    if (r >= 0 && p.count == 0) {
        w->captures.items[i].gone = true; /* made, and then killed before its first page */
        return sharc_store_capture_delete(w->store, p.capture->id, reterr);
    }
    if (r >= 0) note_result(&p);
    return r;
}

static int join_captures(struct import_writer *w, struct sharc_err *reterr)
{
    uint32_t a, b;
    while (sharc__import_captures_touching(&w->captures, &a, &b)) {
        struct import_capture *x = &w->captures.items[a], *y = &w->captures.items[b];
        int r = sharc_store_capture_merge(w->store, y->id, x->id, reterr);
        if (r < 0) return r;
        if (y->end > x->end) x->end = y->end;
        x->records += y->records;
        sharc_store_weakness_join(&x->weakness, &y->weakness);
        x->touched = x->widened = true;
        y->gone = true;
    }
    return sharc__import_writer_commit(w, reterr);
}

static int end_capture(struct import_writer *w, struct import_capture *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(1u << 20);
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    sharc__import_params(w, k, &params);
    k->widened = false;
    row.id = k->id;
    row.start = k->start;
    row.end = k->end;
    row.params = sharc_buf_span(&params);
    row.state = SHARC_CAPTURE_IMPORTED;
    return sharc_store_batch_capture(w->batch, &row, reterr);
}

static int by_site(const void *a, const void *b)
{
    const struct sharc_import_capture *x = a, *y = b;
    int order = strcmp(x->site, y->site);
    if (order) return order;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return strcmp(x->key, y->key);
}

static void forget_result(struct sharc_import_result *r)
{
    for (size_t i = 0; i < r->capture_count; i++) {
        free(r->captures[i].key);
        free(r->captures[i].site);
    }
    r->capture_count = 0;
}

static int finish(struct import_writer *w, struct sharc_err *reterr)
{
    struct import_captures *c = &w->captures;
    forget_result(w->result);
    int r = join_captures(w, reterr);
    for (size_t i = 0; r == 0 && i < c->count; i++)
        if (c->items[i].touched && !c->items[i].gone) r = finish_pages(w, i, reterr);
    /* Captures are compared when all of them are whole. */
    if (r == 0) r = compare_all(w, reterr);
    for (size_t i = 0; r == 0 && i < c->count; i++)
        if (c->items[i].touched && !c->items[i].gone) r = sharc__import_derive(w, i, reterr);
    for (size_t i = 0; r == 0 && i < c->count; i++)
        if (c->items[i].touched && !c->items[i].gone && !c->items[i].crawled) r = end_capture(w, &c->items[i], reterr);
    if (r == 0) r = sharc_store_batch_commit_patiently(w->batch, &w->patience, reterr);
    if (r == 0 && w->result->capture_count)
        qsort(w->result->captures, w->result->capture_count, sizeof *w->result->captures, by_site);
    return r;
}

int sharc__import_finish(struct import_writer *w, struct sharc_err *reterr)
{
    int r;
    /* A connection lost between two questions: all steps may be repeated. */
    while ((r = finish(w, reterr)) == SHARC_ENET) {
        sharc_store_batch_drop(w->batch);
        r = sharc__import_writer_again(w, r, reterr);
        if (r < 0) break;
    }
    return r;
}
