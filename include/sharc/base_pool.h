/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of threads for work that can be cut into independent pieces.
 */
#ifndef SHARC_BASE_POOL_H
#define SHARC_BASE_POOL_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

struct sharc_pool;
/* threads == 0: one per core. */
struct sharc_pool *sharc_pool_new(unsigned threads);
void sharc_pool_free(struct sharc_pool *p); /* waits for what was submitted */
void sharc_pool_freep(struct sharc_pool **p);
unsigned sharc_pool_threads(const struct sharc_pool *p);
unsigned sharc_cpu_count(void);

typedef void sharc_pool_fn(void *arg);
/* Blocks while 4 × threads tasks are waiting, so a producer cannot run away; a
 * task that submits to its own full pool runs the new one itself. */
void sharc_pool_submit(struct sharc_pool *p, sharc_pool_fn *fn, void *arg);
/* Until nothing waits or runs; not from inside a task of the same pool. */
void sharc_pool_wait(struct sharc_pool *p);

/* fn(i, arg) for i in 0 … n−1, each once, in any order; returns when all are
 * done. A negative result stops handing out further pieces; that of the smallest
 * i is returned, else 0. thread is 0 … threads−1, for scratch memory: no two
 * pieces run at once with the same. Called from inside a piece of the same pool
 * all of it runs in that thread. */
typedef int sharc_pool_each_fn(size_t i, unsigned thread, void *arg);
int sharc_pool_each(struct sharc_pool *p, size_t n, sharc_pool_each_fn *fn, void *arg);

SHARC_PRIVATE_END
#endif
