/* SPDX-License-Identifier: Apache-2.0
 *
 * Work shared between machines: jobs, the leases of those who do them, and when each host may
 * be asked again. On SQLite the same calls serve several processes of one machine.
 * docs/scaling.md says why it is made like this.
 *
 *             +---------------- release, failed (with a pause), lease ran out ----------------+
 *             v                                                                               |
 *   add --> QUEUED --claim--> RUNNING --done--> DONE (a schedule: QUEUED again) --------------+
 *             ^  \                \--failed too often--> FAILED
 *             |   \--pause--> PAUSED, cancel--> CANCELLED     (of one that runs: its worker sees it and hands it back)
 *             +------ resume, retry
 *
 * INVARIANTS; tests/store/test_job.c and tests/store/test_fence.c prove them.
 *  (1) A site has at most one job of each kind that is queued, running or paused.
 *  (2) Every claim adds one to the epoch of the job. Through a store with a fence, nothing is
 *      written once the epoch is another: the check is part of every transaction.
 *  (3) All times are the database's. A worker compares none of its own with them.
 */
#ifndef SHARC_STORE_JOB_H
#define SHARC_STORE_JOB_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

/* --- jobs ------------------------------------------------------------------- */

#define SHARC_JOB_STATES(X) \
    X(QUEUED, "queued")     \
    X(RUNNING, "running")   \
    X(DONE, "done")         \
    X(FAILED, "failed")     \
    X(PAUSED, "paused")     \
    X(CANCELLED, "cancelled")

enum sharc_job_state { /* the numbers are in the catalogue */
#define X(name, text) SHARC_JOB_##name,
                       SHARC_JOB_STATES(X)
#undef X
                           SHARC_JOB_STATE_COUNT,
};
const char *sharc_job_state_text(enum sharc_job_state state);

struct sharc_store_job {
    sharc_store_id id;
    sharc_store_id site;          /* 0: none */
    struct sharc_span site_name;  /* filled by queries */
    struct sharc_span kind;       /* "crawl", "watch" */
    struct sharc_span collection; /* jobs of different collections take turns; may be "" */
    struct sharc_span params;     /* JSON object */
    struct sharc_span schedule;   /* when it is done again; none: never */
    enum sharc_job_state state;
    sharc_time due;                /* not before; SHARC_TIME_NONE in add: now */
    sharc_time made, begun, ended; /* added; last claimed; last done, failed or cancelled */
    struct sharc_span owner;       /* who runs it, or did last */
    sharc_time lease;              /* until when it is his; SHARC_TIME_NONE: nobody's */
    int64_t epoch;                 /* claims so far */
    int64_t failures;              /* in a row, workers that vanished with it included */
    sharc_store_id capture;        /* the capture it makes: whoever takes over resumes it */
    struct sharc_span message;     /* why it failed last */
};

/* The database's clock. */
int sharc_store_now(struct sharc_store *s, sharc_time *ret, struct sharc_err *reterr);

/* SHARC_EEXIST when the site has a job of that kind that is queued, running or paused: the message names it. */
int sharc_store_job_add(struct sharc_store *s, const struct sharc_store_job *j, sharc_store_id *ret,
                        struct sharc_err *reterr);

/* A job that somebody has: what he shows for it. */
struct sharc_job_claim {
    sharc_store_id job;
    int64_t epoch;
};
/* Take a job of that kind (NULL: any), for `lease` from now: one whose worker has let its lease
 * run out, else the one that is due longest of the collection with the fewest running
 * jobs (of equals the one that waits longest for its turn). Two workers never get the same one.
 * 1: *ret is filled (spans live until the next call on the store); 0: there is none. A
 * job whose workers vanish again and again (SHARC_JOB_VANISHED times) becomes FAILED instead. */
#define SHARC_JOB_VANISHED 10
int sharc_store_job_claim(struct sharc_store *s, const char *kind, struct sharc_span owner, sharc_time lease,
                          struct sharc_store_job *ret, struct sharc_err *reterr);
/* Heartbeat: the lease is prolonged to `lease` from now. 1: go on. 0: somebody has paused or cancelled the
 * job: bring it to a good end and release it. SHARC_EACCESS: it belongs to another worker now. */
int sharc_store_job_beat(struct sharc_store *s, struct sharc_job_claim claim, sharc_time lease,
                         struct sharc_err *reterr);

/* Ends of a claim; SHARC_EACCESS as above, and nothing is changed. A job that was paused or cancelled
 * meanwhile stays so, but for one that is done. */
/* Given back as it is: the next worker goes on with it at once. */
int sharc_store_job_release(struct sharc_store *s, struct sharc_job_claim claim, struct sharc_err *reterr);
/* Done; next is when it is due again, SHARC_TIME_NONE: never. */
int sharc_store_job_done(struct sharc_store *s, struct sharc_job_claim claim, sharc_time next,
                         struct sharc_err *reterr);
/* This turn of it is done; the next one, with the same capture, is due then. */
int sharc_store_job_again(struct sharc_store *s, struct sharc_job_claim claim, sharc_time next,
                          struct sharc_err *reterr);
/* It failed: tried again after `pause`; SHARC_TIME_NONE: FAILED. */
int sharc_store_job_failed(struct sharc_store *s, struct sharc_job_claim claim, struct sharc_span message,
                           sharc_time pause, struct sharc_err *reterr);

/* What people want of a job. SHARC_ENOENT: there is no such job; SHARC_EINVAL: its state does not allow that, as the
 * message says; SHARC_EEXIST: its site has another one of its kind by now. */
enum sharc_job_wish {
    SHARC_JOB_PAUSE,  /* queued or running */
    SHARC_JOB_RESUME, /* paused: due when it was */
    SHARC_JOB_CANCEL, /* queued, running or paused */
    SHARC_JOB_RETRY,  /* failed or cancelled, or queued for later: due now, failures forgotten */
};
int sharc_store_job_wish(struct sharc_store *s, sharc_store_id job, enum sharc_job_wish wish, struct sharc_err *reterr);
/* Forget jobs that are done, failed or cancelled for longer than that; *ret counts them. */
int sharc_store_jobs_forget(struct sharc_store *s, sharc_time older, int64_t *ret, struct sharc_err *reterr);

/* SHARC_ENOENT. Spans live until the next call on the store. */
int sharc_store_job_get(struct sharc_store *s, sharc_store_id job, struct sharc_store_job *ret,
                        struct sharc_err *reterr);
struct sharc_store_rows;
struct sharc_store_job_filter {
    unsigned states;              /* 1 << state, … ; 0: all */
    struct sharc_span collection; /* .p NULL: all */
    struct sharc_span site;       /* by name; .p NULL: all */
};
/* Running ones first, then by the time they are due; read with sharc_store_read_job. filter may be NULL. */
int sharc_store_jobs(struct sharc_store *s, const struct sharc_store_job_filter *filter, struct sharc_store_rows **ret,
                     struct sharc_err *reterr);
void sharc_store_read_job(struct sharc_store_rows *rows, struct sharc_store_job *ret);
/* How many jobs of that collection are due before it. */
int sharc_store_jobs_ahead(struct sharc_store *s, const struct sharc_store_job *j, int64_t *ret,
                           struct sharc_err *reterr);

/* How many jobs run, are due, or wait to be tried again. */
int sharc_store_jobs_left(struct sharc_store *s, int64_t *ret, struct sharc_err *reterr);

/* From now on this store writes for that claim alone: every transaction first makes sure that the
 * claim still holds, and keeps it from being taken until it has ended. SHARC_EACCESS from
 * whatever writes: nothing was written. A capture that is begun through it is noted as the job's. Should the
 * process be suspended in the middle of a transaction, the database ends it after about `lease`, within bounds
 * (SHARC_FENCE_…): others need what it holds. */
#define SHARC_FENCE_LEAST (5 * SHARC_SEC)
#define SHARC_FENCE_MOST (20 * SHARC_SEC)
void sharc_store_fence(struct sharc_store *s, struct sharc_job_claim claim, sharc_time lease);

/* --- politeness --------------------------------------------------------------- */

/* What is known of a host ("example.org", "example.org:8080") between crawls. */
struct sharc_store_host {
    struct sharc_span name;
    sharc_time next;          /* not to be asked before; SHARC_TIME_NONE: any time */
    sharc_time noted;         /* when that was written down, by the same clock; SHARC_TIME_NONE: unknown */
    sharc_time backoff;       /* pause after the last refusal (429, 503); 0: none */
    struct sharc_span robots; /* robots.txt as fetched; may be none */
    sharc_time robots_when;   /* when; SHARC_TIME_NONE */
    int robots_status;
};
/* When the host may be asked, by a clock that says now; SHARC_TIME_NONE: any time. A clock that is behind the one
 * that the row was written by does not lengthen the pause: it lasts as long as it was meant to. */
sharc_time sharc_store_host_due(const struct sharc_store_host *h, sharc_time now);
/* All of them, or none. Where robots_when is SHARC_TIME_NONE, what is known of robots.txt stays. */
int sharc_store_hosts_put(struct sharc_store *s, const struct sharc_store_host *hosts, size_t count,
                          struct sharc_err *reterr);
/* SHARC_ENOENT. Spans live until the next call on the store. */
int sharc_store_host_get(struct sharc_store *s, struct sharc_span name, struct sharc_store_host *ret,
                         struct sharc_err *reterr);

/* Between workers, by the database's clock. May I ask this host now? 1: yes, and nobody else may for `hold`; *ret is
 * the ticket. 0: not yet, *ret_wait says for how long. */
int sharc_store_host_turn(struct sharc_store *s, struct sharc_span name, sharc_time hold, sharc_time *ret_ticket,
                          sharc_time *ret_wait, struct sharc_err *reterr);
/* The answer came: nobody may ask for `pause` from now. Ends the hold of the ticket, shortens nothing else. backoff as
 * in sharc_store_host. */
int sharc_store_host_rest(struct sharc_store *s, struct sharc_span name, sharc_time ticket, sharc_time pause,
                          sharc_time backoff, struct sharc_err *reterr);
/* Its robots.txt alone. */
int sharc_store_host_robots(struct sharc_store *s, const struct sharc_store_host *h, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
