/* SPDX-License-Identifier: Apache-2.0
 *
 * A radial layout: depth is the ring, and every branch gets the part of the circle that its outermost nodes
 * need. Linear in the nodes.
 */
#include "figure_int.h"

#include <stdlib.h>

/* A node that stands for many pages needs more room than one, but not as much as all of them. */
static double need_of(const struct sharc_figure_node *n)
{
    return 1 + log2((double)(n->pages ? n->pages : 1)) / 2;
}

void sharc__figure_layout(struct sharc_figure_node *nodes, size_t n)
{
    SHARC_AUTO(sharc_freep) double *need = SHARC_NEW_ARRAY(double, n + 1);
    SHARC_AUTO(sharc_freep) double *from = SHARC_NEW_ARRAY(double, n + 1); /* where its next child begins */
    SHARC_AUTO(sharc_freep) double *width = SHARC_NEW_ARRAY(double, n + 1);
    uint32_t deepest = 1;
    for (size_t i = 1; i < n; i++) {
        nodes[i].depth = nodes[nodes[i].parent].depth + 1;
        if (nodes[i].depth > deepest) deepest = nodes[i].depth;
    }
    for (size_t i = n; i-- > 1;) {
        double own = need_of(&nodes[i]);
        need[i] = need[i] > own ? need[i] : own;
        need[nodes[i].parent] += need[i];
    }
    if (n) width[0] = 2 * M_PI;
    for (size_t i = 1; i < n; i++) {
        uint32_t up = nodes[i].parent;
        width[i] = width[up] * need[i] / need[up];
        double angle = from[up] + width[i] / 2, radius = (double)nodes[i].depth / deepest;
        from[i] = from[up];
        from[up] += width[i];
        nodes[i].x = (float)(radius * cos(angle));
        nodes[i].y = (float)(radius * sin(angle));
    }
}
