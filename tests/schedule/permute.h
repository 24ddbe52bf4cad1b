/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_TEST_PERMUTE_H
#define SHARC_TEST_PERMUTE_H

#include <stdbool.h>
#include <stdint.h>

#define PERMUTE_MOST 10

/* All permutations of 0 … n-1 by Heap's algorithm:
 *   struct permute p;
 *   for (bool more = permute_first(&p, n); more; more = permute_next(&p)) … p.item … */
struct permute {
    uint32_t n, at;
    uint32_t item[PERMUTE_MOST], count[PERMUTE_MOST];
};

static inline bool permute_first(struct permute *p, uint32_t n)
{
    *p = (struct permute){.n = n};
    for (uint32_t i = 0; i < n; i++) {
        p->item[i] = i;
    }
    return true;
}

static inline bool permute_next(struct permute *p)
{
    while (p->at < p->n && p->count[p->at] >= p->at) {
        p->count[p->at++] = 0;
    }
    if (p->at == p->n) return false;
    uint32_t k = p->at % 2 == 0 ? 0 : p->count[p->at], was = p->item[k];
    p->item[k] = p->item[p->at];
    p->item[p->at] = was;
    p->count[p->at]++;
    p->at = 0;
    return true;
}

#endif
