/* SPDX-License-Identifier: Apache-2.0
 *
 * Downloads that have ended, until they are applied; and the memory that may be used.
 */
#ifndef SHARC_CRAWL_JOBS_INT_H
#define SHARC_CRAWL_JOBS_INT_H

#include "download.h"
#include "sharc/base_pool.h"

struct job_queue {
    struct job *head, *tail;
};

/* Downloads that have ended, until they are applied; those of one site in the order in which they ended.
 *
 *   light, heavy ──> pool ──> done ──> ready, or long_ones ──> applied
 *
 * Large pages wait while enough of them are in memory, and never keep others waiting. */
struct jobs {
    struct sharc_pool *pool;       /* NULL: processed in place */
    struct job_queue light, heavy; /* not yet handed to the pool */
    unsigned in_pool, heavy_in_pool;
    _Atomic(struct job *) done; /* by the pool, the last one first */
    atomic_bool asleep;         /* the loop: the pool wakes it */
    struct job_queue ready;     /* first of their sites, and processed */
    struct job_queue long_ones; /* the same, with so many links that others come first */
    struct job *spare;
    unsigned spares;
    unsigned passed_over;  /* turns in which others came before a page with very many links */
    size_t waiting;        /* ended and not applied */
    uint64_t held_light;   /* bytes that others take there */
    uint64_t held, budget; /* bytes of memory that large ones take between pool and application; at most, if several */
    struct sharc_change_options change;
};

struct memory {
    sharc_time looked, trimmed; /* 0: never */
    uint64_t held_most;         /* of large pages in processing, while there is enough */
    bool scarce, told;
};

#endif
