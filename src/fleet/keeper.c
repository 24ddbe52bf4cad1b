/* SPDX-License-Identifier: Apache-2.0
 *
 * Heartbeats, and the clock that nobody can stop.
 */
#include "sharc/fleet_keeper.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct kept {
    struct sharc_job_claim claim;
    double heard; /* the clock before the last heartbeat that arrived was sent */
    enum sharc_keeper_state state;
    sharc_keeper_fn *fn;
    void *arg;
};

struct sharc_keeper {
    struct sharc_store *store;
    sharc_time lease;
    sharc_keeper_clock *clock;
    void *clock_arg;
    pthread_mutex_t lock; /* guards what follows; never held while the database is asked */
    pthread_cond_t wake;
    struct kept *kept;
    size_t count, room;
    bool ending;
    bool running;
    pthread_t beating, looking;
};

static double mono(void *arg SHARC_UNUSED)
{
    return sharc_clock_mono();
}

void sharc_keeper_new(struct sharc_store *store, sharc_time lease, sharc_keeper_clock *clock, void *clock_arg,
                      struct sharc_keeper **ret)
{
    struct sharc_keeper *k = SHARC_NEW(struct sharc_keeper);
    *k = (struct sharc_keeper){.store = store,
                               .lease = lease,
                               .clock = clock ? clock : mono,
                               .clock_arg = clock ? clock_arg : NULL};
    pthread_condattr_t even;
    pthread_condattr_init(&even);
    pthread_condattr_setclock(&even, CLOCK_MONOTONIC);
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->wake, &even);
    pthread_condattr_destroy(&even);
    *ret = k;
}

static double now(const struct sharc_keeper *k)
{
    return k->clock(k->clock_arg);
}

static struct kept *find(struct sharc_keeper *k, struct sharc_job_claim claim)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->kept[i].claim.job == claim.job && k->kept[i].claim.epoch == claim.epoch) return &k->kept[i];
    return NULL;
}

/* It only gets worse: what was late may have been taken over. */
static void worse(struct kept *c, enum sharc_keeper_state state)
{
    if (state <= c->state) return;
    c->state = state;
    c->fn(c->arg, state);
}

void sharc_keeper_add(struct sharc_keeper *k, struct sharc_job_claim claim, double asked, sharc_keeper_fn *fn,
                      void *arg)
{
    pthread_mutex_lock(&k->lock);
    SHARC_GROW(k->kept, k->room, k->count + 1);
    k->kept[k->count++] = (struct kept){claim, asked, SHARC_KEPT, fn, arg};
    pthread_mutex_unlock(&k->lock);
}

enum sharc_keeper_state sharc_keeper_state(struct sharc_keeper *k, struct sharc_job_claim claim)
{
    pthread_mutex_lock(&k->lock);
    const struct kept *c = find(k, claim);
    SHARC_ASSERT(c);
    enum sharc_keeper_state state = c->state;
    pthread_mutex_unlock(&k->lock);
    return state;
}

enum sharc_keeper_state sharc_keeper_drop(struct sharc_keeper *k, struct sharc_job_claim claim)
{
    pthread_mutex_lock(&k->lock);
    struct kept *c = find(k, claim);
    SHARC_ASSERT(c);
    enum sharc_keeper_state state = c->state;
    *c = k->kept[--k->count];
    pthread_mutex_unlock(&k->lock);
    return state;
}

/* --- rounds ---------------------------------------------------------------------------- */

static void look_at(struct sharc_keeper *k, double at)
{
    const double most = (double)k->lease / (double)SHARC_SEC * 2 / 3;
    for (size_t i = 0; i < k->count; i++)
        if (at - k->kept[i].heard >= most) worse(&k->kept[i], SHARC_KEPT_LATE);
}

void sharc_keeper_look(struct sharc_keeper *k)
{
    double at = now(k);
    pthread_mutex_lock(&k->lock);
    look_at(k, at);
    pthread_mutex_unlock(&k->lock);
}

/* What the database said about one; it may have been dropped meanwhile. */
static void heard(struct sharc_keeper *k, struct sharc_job_claim claim, int r, double sent)
{
    pthread_mutex_lock(&k->lock);
    struct kept *c = find(k, claim);
    if (c && r >= 0) c->heard = sent;
    if (c && r == 0) worse(c, SHARC_KEPT_WISHED);
    if (c && r == SHARC_EACCESS) worse(c, SHARC_KEPT_LOST);
    pthread_mutex_unlock(&k->lock);
}

void sharc_keeper_beat(struct sharc_keeper *k)
{
    pthread_mutex_lock(&k->lock);
    size_t n = k->count;
    SHARC_AUTO(sharc_freep) struct sharc_job_claim *claims = SHARC_NEW_ARRAY(struct sharc_job_claim, n);
    for (size_t i = 0; i < n; i++) claims[i] = k->kept[i].claim;
    pthread_mutex_unlock(&k->lock);
    for (size_t i = 0; i < n; i++) {
        double sent = now(k);
        int r = sharc_store_job_beat(k->store, claims[i], k->lease, NULL);
        if (r == SHARC_ENET && sharc_store_reconnect(k->store, NULL) < 0) return; /* the next round tries again */
        if (r == SHARC_ENET) {
            sent = now(k);
            r = sharc_store_job_beat(k->store, claims[i], k->lease, NULL);
        }
        heard(k, claims[i], r, sent);
    }
}

/* --- threads ------------------------------------------------------------------------------ */

/* False: it is time to end. */
static bool rest(struct sharc_keeper *k, sharc_time pause)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += pause / SHARC_SEC;
    until.tv_nsec += pause % SHARC_SEC * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&k->lock);
    int r = 0;
    while (!k->ending && r != ETIMEDOUT) r = pthread_cond_timedwait(&k->wake, &k->lock, &until);
    bool go_on = !k->ending;
    pthread_mutex_unlock(&k->lock);
    return go_on;
}

static void *beat(void *arg)
{
    struct sharc_keeper *k = arg;
    while (rest(k, k->lease / 4)) sharc_keeper_beat(k);
    return NULL;
}

static void *look(void *arg)
{
    struct sharc_keeper *k = arg;
    while (rest(k, k->lease / 30)) sharc_keeper_look(k);
    return NULL;
}

int sharc_keeper_start(struct sharc_keeper *k, struct sharc_err *reterr)
{
    int r = pthread_create(&k->beating, NULL, beat, k);
    SHARC_FAIL_IF(r, reterr, SHARC_ELIMIT, "a thread for heartbeats could not be started: %s", strerror(r));
    r = pthread_create(&k->looking, NULL, look, k);
    SHARC_ASSERT(r == 0);
    k->running = true;
    return 0;
}

void sharc_keeper_free(struct sharc_keeper *k)
{
    if (!k) return;
    pthread_mutex_lock(&k->lock);
    k->ending = true;
    pthread_cond_broadcast(&k->wake);
    pthread_mutex_unlock(&k->lock);
    if (k->running) {
        pthread_join(k->beating, NULL);
        pthread_join(k->looking, NULL);
    }
    pthread_cond_destroy(&k->wake);
    pthread_mutex_destroy(&k->lock);
    free(k->kept);
    free(k);
}
