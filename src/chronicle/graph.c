/* SPDX-License-Identifier: Apache-2.0
 *
 * Links between pages, and the edges that make every page reachable from the root.
 */
#include "chronicle_int.h"

#include "sharc/base_buf.h"
#include "sharc/change_text.h"

#include <stdlib.h>

#define CAPTURES_MAX 64 /* newest captures whose links are read */

/* --- out of the catalogue ---------------------------------------------------------------- */

static uint32_t page_of(const struct sharc__chronicle *h, sharc_store_id url)
{
    const uint64_t *page = sharc_map64_find(&h->page_of, (uint64_t)url);
    return page && *page ? (uint32_t)*page - 1 : UINT32_MAX;
}

static void add_link(struct sharc__chronicle *h, uint32_t from, uint32_t to, bool spanning)
{
    SHARC_GROW(h->links, h->link_room, h->link_count + 1);
    h->links[h->link_count++] = (struct sharc__chronicle_link){.from = from, .to = to, .spanning = spanning};
}

/* Links of the pages of one capture that no newer one had. */
static int read_graph(struct sharc__chronicle *h, struct sharc_store *store, sharc_store_id capture, bool *done,
                      struct sharc_err *reterr)
{
    struct sharc_store_graph g = {0};
    int r = sharc_store_graph(store, capture, 0, &g, reterr);
    for (uint32_t i = 0; r >= 0 && i < g.n; i++) {
        uint32_t from = page_of(h, g.url[i]);
        if (from == UINT32_MAX || done[from]) continue;
        done[from] = g.at[i + 1] > g.at[i];
        for (uint64_t k = g.at[i]; k < g.at[i + 1]; k++) {
            uint32_t to = page_of(h, g.url[g.to[k]]);
            if (to != UINT32_MAX && to != from) add_link(h, from, to, false);
        }
    }
    sharc_store_graph_done(&g);
    return r;
}

/* Titles and words, which looks do not have. */
static int read_counts(struct sharc__chronicle *h, struct sharc_store *store, sharc_store_id capture,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = capture, .features = true};
    struct sharc_store_page p;
    int r = sharc_store_pages(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &p);
        uint32_t page = page_of(h, p.url_id);
        if (page == UINT32_MAX || h->pages[page].counted || p.words < 0) continue;
        h->pages[page].text_words = (uint64_t)p.words;
        h->pages[page].title_words = sharc_change_count_words(p.title);
        h->pages[page].counted = true;
    }
    return r;
}

int sharc__chronicle_read_links(struct sharc__chronicle *h, struct sharc_store *store, sharc_store_id site,
                                struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_freep) bool *done = SHARC_NEW_ARRAY(bool, h->page_count);
    SHARC_AUTO(sharc_freep) sharc_store_id *captures = SHARC_NEW_ARRAY(sharc_store_id, CAPTURES_MAX);
    struct sharc_store_capture capture;
    size_t n = 0;
    f.site = site;
    f.newest_first = true;
    int r = sharc_store_captures(store, &f, &rows, reterr);
    while (r >= 0 && n < CAPTURES_MAX && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &capture);
        captures[n++] = capture.id;
    }
    for (size_t i = 0; r >= 0 && i < n; i++) {
        r = read_graph(h, store, captures[i], done, reterr);
        if (r >= 0) r = read_counts(h, store, captures[i], reterr);
    }
    return r < 0 ? r : 0;
}

/* --- order and root -------------------------------------------------------------------------- */

static int by_birth(const void *a, const void *b, void *arg)
{
    const struct sharc__chronicle *h = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct sharc__chronicle_page *x = &h->pages[i], *y = &h->pages[j];
    if ((i == h->root) != (j == h->root)) return i == h->root ? -1 : 1;
    if (x->created != y->created) return x->created < y->created ? -1 : 1;
    int order = sharc_span_cmp(x->url, y->url);
    return order ? order : (i > j) - (i < j);
}

/* "/" if it is there; else a page is made up that never changes. */
static void find_root(struct sharc__chronicle *h, const struct sharc_intern *urls)
{
    uint32_t id = sharc_intern_find(urls, SHARC_SPAN("/"));
    if (id != SHARC_NO_ID) {
        h->root = id;
        return;
    }
    SHARC_GROW(h->pages, h->page_room, h->page_count + 1);
    h->root = (uint32_t)h->page_count++;
    h->pages[h->root] = (struct sharc__chronicle_page){.url = SHARC_SPAN("/"),
                                                       .mime = SHARC_SPAN("text/html"),
                                                       .created = h->first / SHARC_SEC,
                                                       .deleted = SHARC__CHRONICLE_NEVER};
    h->root_synthetic = true;
}

/* --- spanning edges --------------------------------------------------------------------------- */

struct walk {
    const struct sharc__chronicle *h;
    size_t *at; /* links of page p: to[at[p] … at[p + 1]) */
    uint32_t *to, *queue;
    bool *seen;
};

static void walk_init(struct walk *w, const struct sharc__chronicle *h)
{
    *w = (struct walk){.h = h,
                       .at = SHARC_NEW_ARRAY(size_t, h->page_count + 2),
                       .to = SHARC_NEW_ARRAY(uint32_t, h->link_count),
                       .queue = SHARC_NEW_ARRAY(uint32_t, h->page_count),
                       .seen = SHARC_NEW_ARRAY(bool, h->page_count)};
    for (size_t i = 0; i < h->link_count; i++) w->at[h->links[i].from + 2]++;
    for (size_t p = 0; p < h->page_count; p++) w->at[p + 2] += w->at[p + 1];
    for (size_t i = 0; i < h->link_count; i++) w->to[w->at[h->links[i].from + 1]++] = h->links[i].to;
}

static void walk_done(struct walk *w)
{
    free(w->at);
    free(w->to);
    free(w->queue);
    free(w->seen);
}

static void walk_from(struct walk *w, uint32_t page)
{
    size_t head = 0, tail = 0;
    w->seen[page] = true;
    w->queue[tail++] = page;
    while (head < tail) {
        uint32_t p = w->queue[head++];
        for (size_t i = w->at[p]; i < w->at[p + 1]; i++) {
            uint32_t q = w->to[i];
            if (w->seen[q]) continue;
            w->seen[q] = true;
            w->queue[tail++] = q;
        }
    }
}

/* The nearest directory above it that is a page and can be reached, else the root. */
static uint32_t parent_of(const struct walk *w, const struct sharc_intern *urls, uint32_t page)
{
    struct sharc_span url = w->h->pages[page].url;
    for (size_t n = url.n; n-- > 0;) {
        if (url.p[n] != '/' || n + 1 == url.n) continue;
        uint32_t id = sharc_intern_find(urls, sharc_span_sub(url, 0, n + 1));
        if (id != SHARC_NO_ID && id < w->h->page_count && w->seen[id]) return id;
    }
    return w->h->root;
}

/* A URL may stand twice (http and https): the number of its text is not that of its page then,
 * so texts are interned with their first page. */
static struct sharc_intern *intern_urls(struct sharc__chronicle *h)
{
    struct sharc_intern *urls = sharc_intern_new();
    SHARC_AUTO(sharc_freep) char *twin = NULL;
    for (size_t i = 0; i < h->page_count; i++) {
        bool fresh;
        sharc_intern_add(urls, h->pages[i].url, &fresh);
        if (fresh) continue;
        /* Keeps the numbers in step; no address contains a space. */
        free(twin);
        twin = sharc_asprintf(" %zu", i);
        sharc_intern_add(urls, sharc_span_of(twin), NULL);
    }
    return urls;
}

void sharc__chronicle_span(struct sharc__chronicle *h)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *urls = intern_urls(h);
    SHARC_AUTO(walk_done) struct walk w = {.h = h};
    find_root(h, urls);
    h->order = SHARC_NEW_ARRAY(uint32_t, h->page_count);
    for (uint32_t i = 0; i < h->page_count; i++) h->order[i] = i;
    qsort_r(h->order, h->page_count, sizeof *h->order, by_birth, h);
    for (uint32_t i = 0; i < h->page_count; i++) h->pages[h->order[i]].id = i + 1;
    walk_init(&w, h);
    walk_from(&w, h->root);
    for (size_t i = 0; i < h->page_count; i++) {
        uint32_t page = h->order[i];
        if (w.seen[page]) continue;
        add_link(h, parent_of(&w, urls, page), page, true);
        walk_from(&w, page);
    }
}
