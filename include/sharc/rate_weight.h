/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of pages from the link graph, for every weighted measure and
 * strategy. The graph is two arrays: link i leads from from[i] to to[i]. Links
 * that name a page >= n and links of a page to itself are ignored; repeated
 * links count as often as they occur.
 */
#ifndef SHARC_RATE_WEIGHT_H
#define SHARC_RATE_WEIGHT_H

#include "sharc/base.h"

SHARC_API_BEGIN

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

SHARC_API_END
#endif
