/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of an archive for sharc rates: every look of every capture, as the
 * catalogue has them, and the newest links of each page.
 */
#include "history_int.h"

#include "sharc/base_map.h"
#include "sharc/crawl_past.h"

#include <math.h>
#include <stdlib.h>

#define GRAPHS_MAX 64 /* newest captures whose links are read */

struct reading {
    struct sharc_history *history;
    struct sharc_map64 page_of; /* by number of the URL */
};

static struct sharc_span add_page(void *arg, const struct sharc_store_seen *seen)
{
    struct reading *r = arg;
    struct sharc_history *h = r->history;
    *sharc_map64_at(&r->page_of, (uint64_t)seen->url_id) = h->n;
    struct sharc_history_page *p = sharc_history_add(h);
    p->url = sharc_arena_copy(&h->text, seen->url);
    return p->url;
}

static void about_page(void *arg, const struct sharc_store_seen *seen)
{
    struct sharc_history *h = ((struct reading *)arg)->history;
    struct sharc_history_page *p = &h->page[h->n - 1];
    h->start = fmin(h->start, (double)seen->when / SHARC_SEC);
    h->end = fmax(h->end, (double)seen->when / SHARC_SEC);
    if (seen->status == 0) return; /* nobody answered: nothing is known */
    if (seen->mime.p && !p->mime.p) p->mime = sharc_arena_copy(&h->text, seen->mime);
    if (seen->images >= 0) p->images = (double)seen->images;
    if (seen->tables >= 0) p->tables = (double)seen->tables;
    if (seen->out_links >= 0) p->outlinks = (double)seen->out_links;
    sharc_time stated = seen->last_modified != SHARC_TIME_NONE ? seen->last_modified : seen->stated;
    if (isnan(p->age) && stated != SHARC_TIME_NONE && stated <= seen->when)
        p->age = (double)(seen->when - stated) / SHARC_SEC;
}

/* Looks count as the rate that makes them most likely over the time they span; a
 * page seen only once teaches by its age. */
static void finish_page(const struct sharc_rate_past *past, uint32_t number, struct sharc_history_page *p)
{
    struct sharc_rate_past_page about;
    sharc_rate_past_about(past, number, &about);
    p->age_now = about.age;
    p->gone = about.gone;
    if (about.looks > 0 && about.last > about.first) {
        sharc_rate_past_looks(past, number, &p->seen);
        p->time = about.last - about.first;
        p->changes = p->seen.n ? sharc_rate_irregular(&p->seen, true) * p->time : 0;
    } else if (!isnan(p->age_now)) {
        sharc_rate_history_age(&p->seen, p->age_now, true);
        p->changes = 1;
        p->time = fmax(p->age_now, 1);
    }
}

static int read_looks(struct sharc_store *store, const struct sharc_history_window *w, struct reading *reading,
                      struct sharc_err *reterr)
{
    struct sharc_history *h = reading->history;
    sharc_time from = SHARC_TIME_NONE;
    /* More days than there are since 1970: everything. */
    sharc_time end = w->at == SHARC_TIME_NONE ? w->now : w->at, length = sharc_time_of_seconds(w->days * HISTORY_DAY);
    if (length > 0 && length < end) from = end - length;
    const struct sharc_store_seen_filter f = {.from = from, .to = w->at};
    const struct sharc_crawl_past how = {.page = add_page, .look = about_page, .arg = reading};
    h->start = HUGE_VAL;
    h->past = sharc_rate_past_new();
    int r = sharc_crawl_past_read(store, &f, &how, h->past, reterr);
    for (size_t i = 0; i < h->n; i++) finish_page(h->past, (uint32_t)i, &h->page[i]);
    return r;
}

static void graph_done(struct sharc_store_graph *g)
{
    sharc_store_graph_done(g);
}

/* Links of the pages of one capture that no newer one had. */
static int add_links(struct sharc_store *store, sharc_store_id capture, struct sharc_history *h,
                     const struct sharc_map64 *page_of, bool *done, struct sharc_err *reterr)
{
    SHARC_AUTO(graph_done) struct sharc_store_graph g = {0};
    int r = sharc_store_graph(store, capture, 0, &g, reterr);
    for (uint32_t i = 0; r >= 0 && i < g.n; i++) {
        const uint64_t *from = sharc_map64_find(page_of, (uint64_t)g.url[i]);
        if (!from || done[*from]) continue;
        done[*from] = g.at[i + 1] > g.at[i];
        for (uint64_t k = g.at[i]; k < g.at[i + 1]; k++) {
            const uint64_t *to = sharc_map64_find(page_of, (uint64_t)g.url[g.to[k]]);
            if (to) sharc_history_link(h, (uint32_t)*from, (uint32_t)*to);
        }
    }
    return r;
}

static int read_links(struct sharc_store *store, struct sharc_history *h, const struct sharc_map64 *page_of,
                      struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_freep) bool *done = SHARC_NEW_ARRAY(bool, h->n);
    struct sharc_store_capture capture;
    f.newest_first = true;
    int r = sharc_store_captures(store, &f, &rows, reterr), n = 0;
    while (r >= 0 && n++ < GRAPHS_MAX && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &capture);
        r = add_links(store, capture.id, h, page_of, done, reterr);
    }
    return r;
}

int sharc_history_archive(struct sharc_history *h, struct sharc_store *store, const char *name,
                          const struct sharc_history_window *w, struct sharc_err *reterr)
{
    struct reading reading = {.history = h};
    sharc_map64_init(&reading.page_of);
    h->kind = SHARC_HISTORY_ARCHIVE;
    h->name = sharc_strdup(name);
    int r = read_looks(store, w, &reading, reterr);
    if (r >= 0 && h->n) r = read_links(store, h, &reading.page_of, reterr);
    sharc_map64_done(&reading.page_of);
    return r < 0 ? r : sharc__history_finish(h, reterr);
}
