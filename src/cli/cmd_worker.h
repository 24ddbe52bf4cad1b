/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of sharc worker share: a worker with its slots, each of which does one job at a time.
 */
#ifndef SHARC_CLI_WORKER_H
#define SHARC_CLI_WORKER_H

#include "cmd_crawl.h"
#include "cmd_watch.h"

#include "sharc/fleet_keeper.h"
#include "sharc/store_job.h"

#include <pthread.h>

struct worker_settings {
    const char *archive, *store, *name;
    uint64_t sites, threads, spool;
    sharc_time lease, poll;
    int only; /* jobs of this kind */
    bool drain;
};

enum job_kind { JOB_CRAWL, JOB_WATCH };

enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_ENDED };

struct worker;

/* One job under way. Its thread writes `result` to `phase`; the worker's reads them when it has ended. */
struct slot {
    struct worker *w;
    pthread_t thread;
    enum slot_state state;      /* under the worker's lock, as are engine and stops */
    struct sharc_crawl *engine; /* while it runs; or */
    struct sharc_watching *watch;
    int stops; /* 1: come to an end; 2: at once */

    struct sharc_job_claim claim;
    sharc_store_id capture;
    char *site, *schedule;
    sharc_time due;
    int64_t failures;
    enum job_kind kind;
    struct crawl_settings s; /* of the job; of a watch they are in watch_s */
    struct watch_settings watch_s;
    struct cli_list seeds, options, own; /* from its parameters */

    int result; /* of the crawl */
    struct sharc_err err;
    bool done; /* the capture is complete, or this turn of watching */
    uint64_t pages;
    sharc_time next; /* of a watch: how long until something is due; SHARC_TIME_NONE: nothing ever is */
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
    uint64_t captured, watched, failed, given_back;
};

/* A line on stderr about a job: "job 12 (example.org): …". */
void worker_say(struct worker *w, const struct slot *s, const char *fmt, ...) SHARC_PRINTF(3, 4);

/* cmd_worker_job.c: read what the job says into the slot, and begin with it in a thread of its own. */
int worker_begin(struct slot *s, const struct sharc_store_job *job, struct sharc_err *err);
/* cmd_worker_watch.c: the same for a watch; in its thread. */
int worker_watch(struct slot *s, struct sharc_err *err);
/* From here on it can be stopped, and what was said before is told to it. Both NULL: no longer. */
void worker_can_stop(struct slot *s, struct sharc_crawl *engine, struct sharc_watching *watch);
/* Options as if they stood on the command line of that command. What is wrong goes to a buffer, not to the terminal. */
typedef int worker_read_fn(struct cli *c, struct slot *s, int *argc, char **argv);
int worker_read(struct slot *s, const char *command, worker_read_fn *fn, struct sharc_err *err);
int worker_read_watch(struct cli *c, struct slot *s, int *argc, char **argv); /* cmd_worker_watch.c */
/* A store behind the fence of the claim. */
int worker_open_store(struct slot *s, struct sharc_store **ret, struct sharc_err *err);
/* The result of opening a job was *r: shall it be tried again? The object store may be away, which is asked for the
 * files of earlier workers: it is waited for with the job in hand, and told once. */
bool worker_tries_again(struct slot *s, struct sharc_store *store, bool *told, int *r, struct sharc_err *err);
void worker_remark(void *slot, const char *sentence);
bool worker_is_stopped(struct slot *s);
void worker_wait(struct slot *s); /* a while, or until it is stopped */
/* Have it stop: 1 to come to an end, 2 at once. From any thread. */
void worker_stop(struct slot *s, int how);
/* Release what the job needed; the slot is free then. */
void worker_clear(struct slot *s);

#endif
