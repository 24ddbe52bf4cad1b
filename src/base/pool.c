/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool: one queue, one lock, two conditions. Pieces are meant to be large
 * against the cost of a lock; sharc_pool_each hands them out through one
 * atomic counter instead.
 */
#include "sharc/base_exhausted.h"
#include "sharc/base_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct task {
    sharc_pool_fn *fn;
    void *arg;
};

struct worker {
    struct sharc_pool *pool;
    unsigned index;
    pthread_t thread;
};

struct sharc_pool {
    struct worker *workers;
    unsigned threads;
    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t arrived; /* a task was queued, or closing */
    pthread_cond_t changed; /* a place became free, or a task ended */
    struct task *queue;     /* a ring of `room` places */
    unsigned room, head, waiting, running;
    bool closing;
};

/* The worker this thread is, if it is one. */
static _Thread_local struct worker *self;

unsigned sharc_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct sharc_pool *p = w->pool;
    self = w;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->waiting == 0 && !p->closing) pthread_cond_wait(&p->arrived, &p->lock);
        if (p->waiting == 0) break;
        struct task t = p->queue[p->head];
        p->head = (p->head + 1) % p->room;
        p->waiting--;
        p->running++;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
        t.fn(t.arg);
        pthread_mutex_lock(&p->lock);
        p->running--;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals belong to the thread that made the pool: workers block them all. */
static void start_workers(struct sharc_pool *p, unsigned threads)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 0; i < threads; i++) {
        p->workers[i] = (struct worker){.pool = p, .index = i};
        if (pthread_create(&p->workers[i].thread, NULL, work, &p->workers[i]) != 0) break;
        p->threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (p->threads == 0)
        sharc__exhausted("no thread can be started: allow this process more threads (ulimit -u) or memory (ulimit -v)");
}

struct sharc_pool *sharc_pool_new(unsigned threads)
{
    if (threads == 0) threads = sharc_cpu_count();
    struct sharc_pool *p = SHARC_NEW(struct sharc_pool);
    p->workers = SHARC_NEW_ARRAY(struct worker, threads);
    p->room = 4 * threads;
    p->queue = SHARC_NEW_ARRAY(struct task, p->room);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->arrived, NULL);
    pthread_cond_init(&p->changed, NULL);
    start_workers(p, threads);
    return p;
}

void sharc_pool_free(struct sharc_pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->arrived);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->threads; i++) pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_cond_destroy(&p->arrived);
    pthread_mutex_destroy(&p->lock);
    free(p->queue);
    free(p->workers);
    free(p);
}

void sharc_pool_freep(struct sharc_pool **p)
{
    sharc_pool_free(*p);
    *p = NULL;
}

unsigned sharc_pool_threads(const struct sharc_pool *p)
{
    return p->threads;
}

static bool inside(const struct sharc_pool *p)
{
    return self && self->pool == p;
}

void sharc_pool_submit(struct sharc_pool *p, sharc_pool_fn *fn, void *arg)
{
    pthread_mutex_lock(&p->lock);
    while (p->waiting == p->room) {
        if (inside(p)) { /* if all workers waited for a place, none would ever be free */
            pthread_mutex_unlock(&p->lock);
            fn(arg);
            return;
        }
        pthread_cond_wait(&p->changed, &p->lock);
    }
    p->queue[(p->head + p->waiting++) % p->room] = (struct task){fn, arg};
    pthread_cond_signal(&p->arrived);
    pthread_mutex_unlock(&p->lock);
}

void sharc_pool_wait(struct sharc_pool *p)
{
    SHARC_ASSERT(!inside(p)); /* it would wait for itself */
    pthread_mutex_lock(&p->lock);
    while (p->waiting + p->running > 0) pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/* --- each ----------------------------------------------------------------- */

struct each {
    sharc_pool_each_fn *fn;
    void *arg;
    size_t n;
    atomic_size_t next; /* the piece to hand out */
    atomic_bool stop;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t done;
    unsigned busy;    /* workers that have not left yet */
    size_t failed_at; /* smallest piece that failed, n: none */
    int result;
};

static void each_failed(struct each *e, size_t i, int result)
{
    atomic_store(&e->stop, true);
    pthread_mutex_lock(&e->lock);
    if (i < e->failed_at) {
        e->failed_at = i;
        e->result = result;
    }
    pthread_mutex_unlock(&e->lock);
}

static void each_run(struct each *e, unsigned thread)
{
    while (!atomic_load(&e->stop)) {
        size_t i = atomic_fetch_add(&e->next, 1);
        if (i >= e->n) break;
        int result = e->fn(i, thread, e->arg);
        if (result < 0) each_failed(e, i, result);
    }
}

static void each_task(void *arg)
{
    struct each *e = arg;
    each_run(e, self->index);
    pthread_mutex_lock(&e->lock);
    if (--e->busy == 0) pthread_cond_signal(&e->done);
    pthread_mutex_unlock(&e->lock);
}

int sharc_pool_each(struct sharc_pool *p, size_t n, sharc_pool_each_fn *fn, void *arg)
{
    if (n == 0) return 0;
    struct each e = {.fn = fn, .arg = arg, .n = n, .failed_at = n};
    pthread_mutex_init(&e.lock, NULL);
    pthread_cond_init(&e.done, NULL);
    if (inside(p)) {
        each_run(&e, self->index); /* waiting for the others could wait for ever */
    } else {
        unsigned helpers = n < p->threads ? (unsigned)n : p->threads;
        e.busy = helpers;
        for (unsigned i = 0; i < helpers; i++) sharc_pool_submit(p, each_task, &e);
        pthread_mutex_lock(&e.lock);
        while (e.busy > 0) pthread_cond_wait(&e.done, &e.lock);
        pthread_mutex_unlock(&e.lock);
    }
    pthread_cond_destroy(&e.done);
    pthread_mutex_destroy(&e.lock);
    return e.result;
}
