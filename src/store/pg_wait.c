/* SPDX-License-Identifier: Apache-2.0 */
#include "pg_wait.h"

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define IMPATIENCE 0.3 /* seconds, after one wait was given up */
enum { SLICE_MS = 100 };

static double patience = 5; /* seconds without a word from the server, once the process is to end */
static atomic_bool ending, gave_up;

void sharc__store_pg_patience(double seconds)
{
    patience = seconds;
}

void sharc_store_end_soon(void)
{
    atomic_store(&ending, true);
}

bool sharc__store_pg_gave_up(void)
{
    return atomic_load(&gave_up);
}

/* How long something is waited for: from its beginning, or from when the process was asked to end, whichever is
 * later. The signal handler that asks keeps no time, so that is when it is seen. */
struct wait {
    double since; /* 0: nobody is in a hurry */
};

static bool is_over(struct wait *w)
{
    if (!atomic_load(&ending)) return false;
    double now = sharc_clock_mono();
    if (w->since == 0) w->since = now;
    if (now - w->since < (sharc__store_pg_gave_up() ? IMPATIENCE : patience)) return false;
    atomic_store(&gave_up, true);
    return true;
}

/* --- what libpq can only do at a stretch, in a thread that may be left behind ---------------- */

struct errand {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done, left;
    void (*run)(struct errand *e);
    /* PQconnectdbParams */
    const char *const *names;
    char **values;
    PGconn *pg;
    /* PQcancel */
    PGcancel *cancel;
    bool told;
};

static void errand_free(struct errand *e)
{
    for (size_t i = 0; e->values && e->names[i]; i++) free(e->values[i]);
    free(e->values);
    if (e->cancel) PQfreeCancel(e->cancel);
    if (e->pg) PQfinish(e->pg);
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->changed);
    free(e);
}

static void *on_errand(void *arg)
{
    struct errand *e = arg;
    e->run(e);
    pthread_mutex_lock(&e->lock);
    e->done = true;
    bool left = e->left;
    pthread_cond_signal(&e->changed);
    pthread_mutex_unlock(&e->lock);
    if (left) errand_free(e); /* nobody waits for it any more */
    return NULL;
}

static void a_moment_from_now(struct timespec *ret)
{
    clock_gettime(CLOCK_MONOTONIC, ret);
    ret->tv_nsec += SLICE_MS * 1000000L;
    if (ret->tv_nsec < 1000000000L) return;
    ret->tv_nsec -= 1000000000L;
    ret->tv_sec++;
}

/* False: it was left behind, and frees itself. */
static bool wait_for_errand(struct errand *e)
{
    struct wait w = {0};
    pthread_mutex_lock(&e->lock);
    while (!e->done && !e->left) {
        struct timespec until;
        a_moment_from_now(&until);
        (void)pthread_cond_timedwait(&e->changed, &e->lock, &until);
        e->left = !e->done && is_over(&w);
    }
    bool done = e->done;
    pthread_mutex_unlock(&e->lock);
    return done;
}

static bool do_errand(struct errand *e)
{
    pthread_t thread;
    sigset_t all, before;
    pthread_condattr_t even;
    pthread_condattr_init(&even);
    pthread_condattr_setclock(&even, CLOCK_MONOTONIC);
    pthread_cond_init(&e->changed, &even);
    pthread_condattr_destroy(&even);
    pthread_mutex_init(&e->lock, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for those who can heed them */
    int r = pthread_create(&thread, NULL, on_errand, e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r) {
        on_errand(e);
        return true;
    }
    pthread_detach(thread);
    return wait_for_errand(e);
}

static void run_connect(struct errand *e)
{
    e->pg = PQconnectdbParams(e->names, (const char *const *)e->values, 1);
}

PGconn *sharc__store_pg_connect(const char *const *names, const char *const *values)
{
    size_t n = 0;
    while (names[n]) n++;
    struct errand *e = SHARC_NEW(struct errand);
    e->run = run_connect;
    e->names = names;
    e->values = SHARC_NEW_ARRAY(char *, n + 1);
    for (size_t i = 0; i < n; i++) e->values[i] = sharc_strdup(values[i]);
    if (!do_errand(e)) return NULL;
    PGconn *pg = SHARC_TAKE(e->pg);
    errand_free(e);
    /* What is sent must not be waited for either. */
    if (pg && PQstatus(pg) == CONNECTION_OK) (void)PQsetnonblocking(pg, 1);
    return pg;
}

static void run_cancel(struct errand *e)
{
    char why[256];
    e->told = PQcancel(e->cancel, why, sizeof why) == 1;
}

bool sharc__store_pg_cancel(PGconn *pg)
{
    struct errand *e = SHARC_NEW(struct errand);
    e->run = run_cancel;
    e->cancel = PQgetCancel(pg);
    if (!e->cancel) {
        free(e);
        return false;
    }
    if (!do_errand(e)) return false;
    bool told = e->told;
    errand_free(e);
    return told;
}

/* --- answers --------------------------------------------------------------------------------- */

/* Until the socket can be read, or written if something is still to be sent. A wait that is given up ends the
 * connection: libpq finds it closed. */
static void wait_for_socket(PGconn *pg, bool write, struct wait *w)
{
    for (;;) {
        struct pollfd p = {.fd = PQsocket(pg), .events = (short)(POLLIN | (write ? POLLOUT : 0))};
        int n = poll(&p, 1, SLICE_MS);
        if (n > 0 || (n < 0 && errno != EINTR)) return;
        if (!is_over(w)) continue;
        (void)shutdown(p.fd, SHUT_RDWR);
        return;
    }
}

/* All that was to be sent is sent, or the connection is bad. */
static bool send_all(PGconn *pg)
{
    struct wait w = {0};
    for (;;) {
        int left = PQflush(pg);
        if (left <= 0) return left == 0;
        wait_for_socket(pg, true, &w);
        if (!PQconsumeInput(pg)) return false;
    }
}

PGresult *sharc__store_pg_result(PGconn *pg)
{
    struct wait w = {0};
    if (!send_all(pg)) return PQgetResult(pg);
    while (PQisBusy(pg)) {
        wait_for_socket(pg, false, &w);
        w.since = 0;
        if (!PQconsumeInput(pg)) break;
    }
    return PQgetResult(pg);
}

/* The last of several answers, as PQexec gives it. */
static PGresult *last_result(PGconn *pg)
{
    PGresult *last = NULL, *next;
    while ((next = sharc__store_pg_result(pg))) {
        PQclear(last);
        last = next;
        if (PQstatus(pg) == CONNECTION_BAD) break;
    }
    return last;
}

PGresult *sharc__store_pg_exec(PGconn *pg, const char *sql)
{
    return PQsendQuery(pg, sql) ? last_result(pg) : NULL;
}

PGresult *sharc__store_pg_prepare(PGconn *pg, const char *name, const char *sql, int n)
{
    return PQsendPrepare(pg, name, sql, n, NULL) ? last_result(pg) : NULL;
}

PGresult *sharc__store_pg_exec_prepared(PGconn *pg, const char *name, int n, const char *const *values,
                                        const int *lengths, const int *formats)
{
    return PQsendQueryPrepared(pg, name, n, values, lengths, formats, 1) ? last_result(pg) : NULL;
}
