/* SPDX-License-Identifier: Apache-2.0
 *
 * A recorded history as a site: the pages that live in some part of the window,
 * at the paths they had, with the links that join them.
 */
#include "lab_int.h"

#include "sharc/url.h"

#include <stdlib.h>

#define MOST_WORDS 400u /* in a paragraph */

/* Changes per second in the two years before the window, as the sitemap may
 * know them. */
static double past_rate(const struct sharc_dataset *d, sharc_page_no p, double from)
{
    const double year = 365.25 * 86400, month = 30 * 86400;
    double since = from - 2 * year;
    if (since < d->page[p].created) since = d->page[p].created;
    double span = from > since ? from - since : 0;
    const double *first;
    return ((double)sharc_dataset_between(d, p, since, from, &first) + 0.1) / (span + month);
}

static struct lab_item item_of(const struct sharc_dataset *d, sharc_page_no p, double from)
{
    const struct sharc_dataset_page *page = &d->page[p];
    struct lab_item item = {.kind = LAB_TEXT,
                            .origin = p,
                            .words = page->text_words / 5,
                            .rate = past_rate(d, p, from)};
    if (item.words < 30) item.words = 30;
    if (item.words > MOST_WORDS) item.words = MOST_WORDS;
    if (sharc_span_starts(page->mime, SHARC_SPAN("text/html")) ||
        sharc_span_starts(page->mime, SHARC_SPAN("application/xhtml")))
        item.kind = LAB_HTML;
    else if (sharc_span_starts(page->mime, SHARC_SPAN("image/")))
        item.kind = LAB_IMAGE;
    else if (sharc_span_starts(page->mime, SHARC_SPAN("text/css")))
        item.type = "text/css";
    return item;
}

/* The dataset's pages as items; of two pages at one path the first counts. */
static int add_pages(struct lab_site *s, const struct sharc_lab_options *o, uint32_t *item_of_page,
                     struct sharc_err *reterr)
{
    const struct sharc_dataset *d = o->dataset;
    SHARC_AUTO(sharc_url_done) struct sharc_url base = SHARC_URL_INIT, url = SHARC_URL_INIT;
    int r = sharc_url_parse(&base, SHARC_SPAN("http://recorded/"), NULL, reterr);
    if (r < 0) return r;
    for (sharc_page_no p = 0; p < d->pages; p++) {
        item_of_page[p] = SHARC_NO_ID;
        if (d->page[p].created > o->to || d->page[p].deleted <= o->from) continue;
        if (sharc_url_parse(&url, d->page[p].url, &base, NULL) < 0) continue;
        item_of_page[p] = sharc__lab_add(s, sharc_url_target(&url), item_of(d, p, o->from));
    }
    SHARC_FAIL_IF(s->count == 0, reterr, SHARC_EINVAL,
                  "no page of the dataset lives between setting \"from\" and setting \"to\"; it covers @%.0f to @%.0f",
                  d->start, d->end);
    return 0;
}

struct reach {
    bool *reached;
    uint32_t *queue;
};

/* All that can be reached from item. O(links) over all calls. */
static void walk(const struct lab_site *s, struct reach *w, uint32_t item)
{
    size_t head = 0, tail = 0;
    w->reached[item] = true;
    w->queue[tail++] = item;
    while (head < tail) {
        uint32_t from = w->queue[head++];
        for (size_t i = s->link_at[from]; i < s->link_at[from + 1]; i++) {
            uint32_t to = s->link_to[i];
            if (w->reached[to]) continue;
            w->reached[to] = true;
            w->queue[tail++] = to;
        }
    }
}

/* A page that nothing leads to any more hangs on the HTML page before it. */
static size_t add_missing_links(struct lab_site *s, struct lab_link *links, size_t n)
{
    SHARC_AUTO(sharc_freep) bool *reached = SHARC_NEW_ARRAY(bool, s->count);
    SHARC_AUTO(sharc_freep) uint32_t *queue = SHARC_NEW_ARRAY(uint32_t, s->count);
    struct reach w = {reached, queue};
    uint32_t html = 0;
    for (uint32_t i = 0; i < s->count && s->items[i].origin != LAB_NO_ORIGIN; i++) {
        if (!reached[i]) {
            if (i > 0) links[n++] = (struct lab_link){html, i};
            walk(s, &w, i);
        }
        if (s->items[i].kind == LAB_HTML) html = i;
    }
    return n;
}

static void add_links(struct lab_site *s, const struct sharc_dataset *d, const uint32_t *item_of_page)
{
    SHARC_AUTO(sharc_freep) struct lab_link *links = SHARC_NEW_ARRAY(struct lab_link, d->links + s->count);
    size_t n = 0;
    for (sharc_page_no p = 0; p < d->pages; p++) {
        uint32_t from = item_of_page[p];
        if (from == SHARC_NO_ID || s->items[from].kind != LAB_HTML) continue;
        for (size_t i = d->link_at[p]; i < d->link_at[p + 1]; i++) {
            uint32_t to = item_of_page[d->link_to[i]];
            if (to != SHARC_NO_ID && to != from) links[n++] = (struct lab_link){from, to};
        }
    }
    sharc__lab_set_links(s, links, n);
    n = add_missing_links(s, links, n);
    free(s->link_at);
    free(s->link_to);
    sharc__lab_set_links(s, links, n);
}

int sharc__lab_recorded(struct lab_site *s, const struct sharc_lab_options *o, struct sharc_err *reterr)
{
    s->seed = o->seed;
    s->paths = sharc_intern_new();
    SHARC_AUTO(sharc_freep) uint32_t *item_of_page = SHARC_NEW_ARRAY(uint32_t, o->dataset->pages + 1);
    int r = add_pages(s, o, item_of_page, reterr);
    if (r < 0) return r;
    size_t recorded = s->count;
    sharc__lab_add_services(s);
    for (size_t i = recorded; i < s->count; i++) s->items[i].origin = LAB_NO_ORIGIN;
    add_links(s, o->dataset, item_of_page);
    return 0;
}
