/* SPDX-License-Identifier: Apache-2.0
 *
 * The fleet as the catalogue knows it: workers by their signs of life, and the queue in numbers. All times but those of
 * pages are the database's.
 */
#ifndef SHARC_STORE_FLEET_H
#define SHARC_STORE_FLEET_H

#include "sharc/store_job.h"
#include "sharc/store_query.h"

SHARC_PRIVATE_BEGIN

struct sharc_store_worker {
    struct sharc_span name;
    sharc_time begun, beat; /* first and last sign of life */
    sharc_time lease;       /* how long it is from one that is heard until others take its jobs over */
    int64_t sites;          /* that it captures at a time, at most */
    int64_t running;        /* jobs whose lease it holds now; filled by queries */
    int64_t pages;          /* URLs that they fetched in the last SHARC_FLEET_RECENT; filled by queries */
};
#define SHARC_FLEET_RECENT (10 * SHARC_MINUTE)

/* A sign of life, whether it has a job or not; then that it ends of its own accord. Only name, lease and sites. */
int sharc_store_worker_beat(struct sharc_store *s, const struct sharc_store_worker *w, struct sharc_err *reterr);
int sharc_store_worker_gone(struct sharc_store *s, struct sharc_span name, struct sharc_err *reterr);
/* Those that did not say that they end, for a week; also such as have a job and never said a word. By name. */
int sharc_store_workers(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_worker(struct sharc_store_rows *rows, struct sharc_store_worker *ret);

/* The queue, by collection and state. */
struct sharc_store_queue {
    struct sharc_span collection;
    enum sharc_job_state state;
    int64_t jobs;
    int64_t due;      /* of those that are queued */
    int64_t lost;     /* of those that run: whose lease has run out */
    int64_t again;    /* of those that are queued: that failed before */
    sharc_time first; /* when the first one is or was due */
};
int sharc_store_queue(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_queue(struct sharc_store_rows *rows, struct sharc_store_queue *ret);

SHARC_PRIVATE_END
#endif
