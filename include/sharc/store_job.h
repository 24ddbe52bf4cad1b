/* SPDX-License-Identifier: Apache-2.0
 *
 * Work shared between machines: jobs with leases, and when each host may be
 * asked again. On SQLite the same calls serve several processes of one machine.
 * Time is an argument; workers' clocks should agree to within the lease.
 *
 *   QUEUED --claim--> RUNNING --finish--> DONE | FAILED
 *      ^                 |
 *      +--- release, or the lease runs out and somebody claims it ---
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
    X(FAILED, "failed")

enum sharc_job_state {
#define X(name, text) SHARC_JOB_##name,
    SHARC_JOB_STATES(X)
#undef X
        SHARC_JOB_STATE_COUNT,
};
const char *sharc_job_state_text(enum sharc_job_state state);

struct sharc_store_job {
    sharc_store_id id;
    sharc_store_id site;      /* 0: none */
    struct sharc_span kind;   /* "crawl", "watch", … */
    struct sharc_span params; /* JSON object */
    enum sharc_job_state state;
    int64_t priority;          /* larger first */
    sharc_time due;            /* not before; SHARC_TIME_NONE: at once */
    struct sharc_span owner;   /* who runs it */
    sharc_time lease;          /* until when it is his */
    int64_t attempts;          /* claims so far */
    sharc_store_id capture;    /* the capture it makes: whoever takes over resumes it */
    struct sharc_span message; /* why it failed */
};

int sharc_store_job_add(struct sharc_store *s, const struct sharc_store_job *j, sharc_store_id *ret,
                        struct sharc_err *reterr);
/* Take the most urgent job of that kind (NULL: any) that is due and free, or
 * whose lease ran out before `now`. Two workers never get the same one. 1: *ret is
 * filled (spans live until the next call on the store); 0: there is none. */
int sharc_store_job_claim(struct sharc_store *s, const char *kind, struct sharc_span owner, sharc_time now,
                          sharc_time lease, struct sharc_store_job *ret, struct sharc_err *reterr);
/* Heartbeat: the lease is prolonged to now + lease, the capture noted (0: keep).
 * SHARC_EBUSY when somebody else has taken the job over: stop working on it. */
int sharc_store_job_renew(struct sharc_store *s, sharc_store_id job, struct sharc_span owner, sharc_time now,
                          sharc_time lease, sharc_store_id capture, struct sharc_err *reterr);
/* DONE, FAILED (with a message), or QUEUED: given back. Same rule. */
int sharc_store_job_finish(struct sharc_store *s, sharc_store_id job, struct sharc_span owner,
                           enum sharc_job_state state, struct sharc_span message, struct sharc_err *reterr);
struct sharc_store_rows;
/* All jobs, running first, then by priority; read with sharc_store_read_job. */
int sharc_store_jobs(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_job(struct sharc_store_rows *rows, struct sharc_store_job *ret);

/* --- politeness --------------------------------------------------------------- */

/* What is known of a host ("example.org", "example.org:8080") between crawls. */
struct sharc_store_host {
    struct sharc_span name;
    sharc_time next;          /* not to be asked before; SHARC_TIME_NONE: any time */
    sharc_time backoff;       /* pause after the last refusal (429, 503); 0: none */
    struct sharc_span robots; /* robots.txt as fetched; may be none */
    sharc_time robots_when;   /* when; SHARC_TIME_NONE */
    int robots_status;
};
/* Where robots_when is SHARC_TIME_NONE, what is known of robots.txt stays. */
int sharc_store_host_put(struct sharc_store *s, const struct sharc_store_host *h, struct sharc_err *reterr);
/* All of them, or none. */
int sharc_store_hosts_put(struct sharc_store *s, const struct sharc_store_host *hosts, size_t count,
                          struct sharc_err *reterr);
/* SHARC_ENOENT. Spans live until the next call on the store. */
int sharc_store_host_get(struct sharc_store *s, struct sharc_span name, struct sharc_store_host *ret,
                         struct sharc_err *reterr);
/* May I ask this host now? If so (1) the next turn is set to now + delay in
 * the same step, so that no two workers get one; else 0 and *ret_when says when to ask again. */
int sharc_store_host_turn(struct sharc_store *s, struct sharc_span name, sharc_time now, sharc_time delay,
                          sharc_time *ret_when, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
