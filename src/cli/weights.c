/* SPDX-License-Identifier: Apache-2.0
 *
 * --weights: the sitemap's priority, PageRank, in-degree, or a file.
 */
#include "weights.h"

#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/rate_weight.h"

#include <math.h>
#include <stdlib.h>

#define WEIGHTS_BYTES_MAX (256u << 20)
#define NO_PRIORITY 0.5 /* what the sitemap protocol says of pages without one */

int cli_weight_file_read(const char *path, struct cli_weight_file *ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(WEIGHTS_BYTES_MAX);
    *ret = (struct cli_weight_file){.urls = sharc_intern_new()};
    int r = sharc_file_read(path, &bytes, err);
    if (r < 0) return r;
    struct sharc_span rest = sharc_buf_span(&bytes), line;
    for (unsigned at = 1; sharc_span_next(&rest, '\n', &line); at++) {
        double weight;
        line = sharc_span_trim(line);
        if (line.n == 0 || line.p[0] == '#') continue;
        size_t space = 0;
        while (space < line.n && line.p[space] != ' ' && line.p[space] != '\t') space++;
        bool good =
            sharc_span_to_double(sharc_span_sub(line, 0, space), &weight) == 0 && weight >= 0 && isfinite(weight);
        SHARC_FAIL_IF(!good || space == line.n, err, SHARC_ESYNTAX,
                      "%s: line %u: a weight that is not negative, a space and a URL are expected", path, at);
        uint32_t id = sharc_intern_add(ret->urls, sharc_span_trim(sharc_span_from(line, space)), NULL);
        SHARC_GROW(ret->weight, ret->room, (size_t)id + 1);
        ret->weight[id] = weight;
    }
    return 0;
}

void cli_weight_file_done(struct cli_weight_file *f)
{
    sharc_intern_freep(&f->urls);
    free(f->weight);
    f->weight = NULL;
}

double cli_weight_file_of(void *file, struct sharc_span url)
{
    const struct cli_weight_file *f = file;
    uint32_t id = sharc_intern_find(f->urls, url);
    return id == SHARC_NO_ID ? -1 : f->weight[id];
}

static int of_file(const char *path, const struct cli_graph *g, double *ret, struct sharc_err *err)
{
    SHARC_AUTO(cli_weight_file_done) struct cli_weight_file f;
    int r = cli_weight_file_read(path, &f, err);
    for (size_t i = 0; r == 0 && i < g->n; i++) {
        double weight = cli_weight_file_of(&f, g->url[i]);
        if (weight >= 0) ret[i] = weight;
    }
    return r;
}

int cli_weights(const char *how, const struct cli_graph *g, double *ret, struct sharc_err *err)
{
    for (size_t i = 0; i < g->n; i++) ret[i] = 1;
    if (strcmp(how, "none") == 0) return 0;
    if (strcmp(how, "priority") == 0) {
        for (size_t i = 0; i < g->n; i++) ret[i] = g->priority && !isnan(g->priority[i]) ? g->priority[i] : NO_PRIORITY;
        return 0;
    }
    if (strcmp(how, "indegree") == 0) {
        sharc_rate_indegree(g->n, g->from, g->to, g->links, ret);
        return 0;
    }
    if (strcmp(how, "pagerank") != 0) return of_file(how, g, ret, err);
    sharc_rate_pagerank(g->n, g->from, g->to, g->links, SHARC_PAGERANK_DAMPING, 1e-9, 200, ret);
    return 0;
}

int cli_weights_dataset(const char *how, const struct sharc_dataset *d, double **ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_freep) struct sharc_span *url = SHARC_NEW_ARRAY(struct sharc_span, d->pages);
    SHARC_AUTO(sharc_freep) uint32_t *from = SHARC_NEW_ARRAY(uint32_t, d->links);
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, d->pages);
    for (size_t p = 0; p < d->pages; p++) {
        url[p] = d->page[p].url;
        for (size_t k = d->link_at[p]; k < d->link_at[p + 1]; k++) from[k] = (uint32_t)p;
    }
    const struct cli_graph g = {d->pages, url, NULL, from, d->link_to, d->links};
    int r = cli_weights(how, &g, weight, err);
    if (r == 0) *ret = SHARC_TAKE(weight);
    return r;
}
