/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of sharc worker share: a worker with its slots, each of which does one job at a time.
 */
#ifndef SHARC_CLI_WORKER_H
#define SHARC_CLI_WORKER_H

#include "cmd_crawl.h"

#include "sharc/fleet_keeper.h"
#include "sharc/store_job.h"

#include <pthread.h>

struct worker_settings {
    const char *archive, *store, *name;
    uint64_t sites, threads, spool;
    sharc_time lease, poll;
    bool drain;
};

enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_ENDED };

struct worker;

/* One job under way. Its thread writes `result` to `phase`; the worker's reads them when it has ended. */
struct slot {
    struct worker *w;
    pthread_t thread;
    enum slot_state state;      /* under the worker's lock, as are engine and stops */
    struct sharc_crawl *engine; /* while it runs */
    int stops;                  /* 1: come to an end; 2: at once */

    struct sharc_job_claim claim;
    sharc_store_id capture;
    char *site, *schedule;
    sharc_time due;
    int64_t failures;
    struct crawl_settings s;             /* of the job */
    struct cli_list seeds, options, own; /* from its parameters */

    int result; /* of the crawl */
    struct sharc_err err;
    bool done; /* the capture is complete */
    uint64_t pages;
};

struct worker {
    struct cli *c;
    struct worker_settings o;
    char *name;
    struct sharc_store *queue; /* the worker's own connection */
    struct sharc_keeper *keeper;
    struct slot *slot;
    size_t slots;
    pthread_mutex_t lock, speech;
    pthread_cond_t wake;
    uint64_t captured, failed, given_back;
};

/* A line on stderr about a job: "job 12 (example.org): …". */
void worker_say(struct worker *w, const struct slot *s, const char *fmt, ...) SHARC_PRINTF(3, 4);

/* cmd_worker_job.c: read what the job says into the slot, and begin with it in a thread of its own. */
int worker_begin(struct slot *s, const struct sharc_store_job *job, struct sharc_err *err);
/* Have it stop: 1 to come to an end, 2 at once. From any thread. */
void worker_stop(struct slot *s, int how);
/* Release what the job needed; the slot is free then. */
void worker_clear(struct slot *s);

#endif
