/* SPDX-License-Identifier: Apache-2.0
 *
 * What pages weigh for a strategy by the links of the capture before.
 */
#include "earlier.h"

#include "sharc/rate_weight.h"
#include "sharc/store_query.h"

#include <stdlib.h>

struct graph {
    struct sharc_store_graph links;
    uint32_t *from;
    double *weight;
};

static void graph_done(struct graph *g)
{
    sharc_store_graph_done(&g->links);
    free(g->from);
    free(g->weight);
}

static void weigh_graph(struct graph *g, bool pagerank)
{
    const uint32_t n = g->links.n;
    const size_t links = n ? (size_t)g->links.at[n] : 0;
    g->from = SHARC_NEW_ARRAY(uint32_t, links + 1);
    g->weight = SHARC_NEW_ARRAY(double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = g->links.at[i]; k < g->links.at[i + 1]; k++) g->from[k] = i;
    if (pagerank)
        sharc_rate_pagerank(n, g->from, g->links.to, links, SHARC_PAGERANK_DAMPING, 1e-9, 200, g->weight);
    else
        sharc_rate_indegree(n, g->from, g->links.to, links, g->weight);
}

int sharc__crawl_earlier_weights(struct frontier *f, sharc_store_id capture, struct sharc_err *reterr)
{
    const enum sharc_crawl_weights how = f->ctx->o.weights;
    if (how != SHARC_CRAWL_WEIGHTS_PAGERANK && how != SHARC_CRAWL_WEIGHTS_INDEGREE) return 0;
    SHARC_AUTO(graph_done) struct graph g = {.from = NULL};
    int r = sharc_store_graph(f->ctx->w.store, capture, 1u << SHARC_LINK_NAVIGATION, &g.links, reterr);
    if (r < 0) return r;
    weigh_graph(&g, how == SHARC_CRAWL_WEIGHTS_PAGERANK);
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_page_filter filter = {.capture = capture, .answered = true};
    r = sharc_store_pages(f->ctx->w.store, &filter, &rows, reterr);
    /* Both by the number of the URL. */
    for (uint32_t i = 0; r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0;) {
        struct sharc_store_page row;
        sharc_store_read_page(rows, &row);
        while (i < g.links.n && g.links.url[i] < row.url_id) i++;
        const uint32_t page = sharc_intern_find(f->pages->urls, row.url);
        if (i == g.links.n || g.links.url[i] != row.url_id || page == SHARC_NO_ID) continue;
        if (!(f->pages->page[page].flags & PAGE_KNOWN_TO_STRATEGY)) continue;
        sharc__crawl_pages_set_weight(f->pages, page, g.weight[i]);
        sharc__crawl_note_page(f->journal, f->pages, page);
        sharc__crawl_plan_tell(f->agenda, page);
    }
    return r < 0 ? r : 0;
}
