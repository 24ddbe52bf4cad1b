/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights by name: the sitemap's priority, PageRank, in-degree, or a file.
 */
#include "sharc/rate_weight.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"

#include <math.h>
#include <stdlib.h>

#define WEIGHTS_BYTES_MAX (256u << 20)
#define NO_PRIORITY 0.5 /* what the sitemap protocol says of pages without one */

int sharc_rate_weights_read(const char *path, struct sharc_rate_weights *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(WEIGHTS_BYTES_MAX);
    *ret = (struct sharc_rate_weights){.urls = sharc_intern_new()};
    int r = sharc_file_read(path, &bytes, reterr);
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
        SHARC_FAIL_IF(!good || space == line.n, reterr, SHARC_ESYNTAX,
                      "%s: line %u: a weight that is not negative, a space and a URL are expected", path, at);
        uint32_t id = sharc_intern_add(ret->urls, sharc_span_trim(sharc_span_from(line, space)), NULL);
        SHARC_GROW(ret->weight, ret->room, (size_t)id + 1);
        ret->weight[id] = weight;
    }
    return 0;
}

void sharc_rate_weights_done(struct sharc_rate_weights *f)
{
    sharc_intern_freep(&f->urls);
    free(f->weight);
    f->weight = NULL;
}

double sharc_rate_weights_of(void *weights, struct sharc_span url)
{
    const struct sharc_rate_weights *f = weights;
    uint32_t id = sharc_intern_find(f->urls, url);
    return id == SHARC_NO_ID ? -1 : f->weight[id];
}

static int of_file(const char *path, const struct sharc_rate_graph *g, double *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_rate_weights_done) struct sharc_rate_weights f;
    int r = sharc_rate_weights_read(path, &f, reterr);
    for (size_t i = 0; r == 0 && i < g->n; i++) {
        double weight = sharc_rate_weights_of(&f, g->url[i]);
        if (weight >= 0) ret[i] = weight;
    }
    return r;
}

int sharc_rate_weigh(const char *how, const struct sharc_rate_graph *g, double *ret, struct sharc_err *reterr)
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
    if (strcmp(how, "pagerank") != 0) return of_file(how, g, ret, reterr);
    sharc_rate_pagerank(g->n, g->from, g->to, g->links, SHARC_PAGERANK_DAMPING, 1e-9, 200, ret);
    return 0;
}
