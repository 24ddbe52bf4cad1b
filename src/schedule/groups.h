/* SPDX-License-Identifier: Apache-2.0
 *
 * Neighbours of a ranking with nearly the same rate, taken as one: what makes
 * planning a million pages cheap. A run of c pages of rate x on consecutive
 * intervals k, k+1, … is a geometric series, so a group costs as much as a page.
 */
#ifndef SHARC_SCHEDULE_GROUPS_H
#define SHARC_SCHEDULE_GROUPS_H

#include "schedule_int.h"

struct group {
    uint32_t from, to;   /* ranks [from, to) */
    double rate, weight; /* means */
};

/* Groups of a ranking, malloc'ed: single pages where n <= most or where pages
 * are hot, never more than about `most`. */
struct group *sharc__schedule_groups_make(const struct ranking *r, uint32_t most, uint32_t *ret_count);
/* Equal numbers of pages per group, except the last. */
struct group *sharc__schedule_groups_equal(const struct ranking *r, uint32_t size, uint32_t *ret_count);

#endif
