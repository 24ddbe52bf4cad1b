/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of pages from the link graph, a sitemap's priorities or a file, for
 * every weighted measure and strategy. The graph is two arrays: link i leads from from[i] to to[i]. Links
 * that name a page >= n and links of a page to itself are ignored; repeated
 * links count as often as they occur.
 */
#ifndef SHARC_RATE_WEIGHT_H
#define SHARC_RATE_WEIGHT_H

#include "sharc/base.h"
#include "sharc/base_map.h"

SHARC_PRIVATE_BEGIN

#define SHARC_PAGERANK_DAMPING 0.85

/* PageRank, scaled so that the mean weight is 1. Pages without links pass
 * their rank to all pages alike. Stops when the ranks (sum 1) move by less than
 * tolerance in total, or after max_rounds; returns the rounds used. O(n + links)
 * per round; memory 24 bytes per page and 4 per link. Deterministic. */
unsigned sharc_rate_pagerank(size_t n, const uint32_t *from, const uint32_t *to, size_t links, double damping,
                             double tolerance, unsigned max_rounds, double *ret);

/* Number of links that lead to each page. */
void sharc_rate_inlinks(size_t n, const uint32_t *from, const uint32_t *to, size_t links, uint32_t *ret);
/* Weight by in-degree: 1 + inlinks, scaled so that the mean is 1. */
void sharc_rate_indegree(size_t n, const uint32_t *from, const uint32_t *to, size_t links, double *ret);

/* --- by name ------------------------------------------------------------------ */

struct sharc_rate_graph {
    size_t n;
    const struct sharc_span *url; /* n, no two alike */
    const double *priority;       /* of a sitemap, n of them, NAN: none; NULL: no page has one */
    const uint32_t *from, *to;    /* links */
    size_t links;
};
/* how: "none", "priority", "pagerank", "indegree", or the path of a file of weights.
 * ret has n places. */
int sharc_rate_weigh(const char *how, const struct sharc_rate_graph *g, double *ret, struct sharc_err *reterr);

/* A file of weights: lines with a weight (not negative), a space and a URL. Empty
 * lines and lines that begin with # are skipped. At most 256 MiB. */
struct sharc_rate_weights {
    struct sharc_intern *urls;
    double *weight;
    size_t room;
};
/* SHARC_ESYNTAX names the line. Release *ret whatever this returns. */
int sharc_rate_weights_read(const char *path, struct sharc_rate_weights *ret, struct sharc_err *reterr);
void sharc_rate_weights_done(struct sharc_rate_weights *w);
/* The weight of a URL; negative: it is not in the file. The first argument is a
 * struct sharc_rate_weights, as struct sharc_crawl_options wants it. */
double sharc_rate_weights_of(void *weights, struct sharc_span url);

SHARC_PRIVATE_END
#endif
