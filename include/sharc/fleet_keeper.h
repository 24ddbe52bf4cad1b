/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping what a worker has claimed. Two threads: one prolongs the leases, over a connection of its own;
 * the other one looks at an even clock, asks nobody, and so can never be kept from it. A lease that was not
 * prolonged for two thirds of its length counts as over, a third before it is, and whoever works on the
 * job is told to stop at once. The time is taken before the heartbeat is sent: what the network takes only makes
 * it earlier.
 */
#ifndef SHARC_FLEET_KEEPER_H
#define SHARC_FLEET_KEEPER_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store_job.h"

SHARC_PRIVATE_BEGIN

/* What became of a claim. */
enum sharc_keeper_state {
    SHARC_KEPT,        /* it holds */
    SHARC_KEPT_WISHED, /* it holds, but somebody has paused or cancelled the job: come to an end */
    SHARC_KEPT_LATE,   /* no heartbeat has arrived for too long: stop at once */
    SHARC_KEPT_LOST,   /* another worker has it */
};

/* Called from the keeper's threads when the state of a claim gets worse; must not call the keeper. */
typedef void sharc_keeper_fn(void *arg, enum sharc_keeper_state state);

struct sharc_keeper;
/* An even clock, in seconds, as sharc_clock_mono; NULL: that one. */
typedef double sharc_keeper_clock(void *arg);
void sharc_keeper_new(struct sharc_store *store, sharc_time lease, sharc_keeper_clock *clock, void *clock_arg,
                      struct sharc_keeper **ret);
/* Begin and end the threads; without them somebody calls the functions below. The store is used by them alone. */
int sharc_keeper_start(struct sharc_keeper *k, struct sharc_err *reterr);
void sharc_keeper_free(struct sharc_keeper *k);

/* asked: what the clock said before the claim was sent. A claim is kept until it is dropped. */
void sharc_keeper_add(struct sharc_keeper *k, struct sharc_job_claim claim, double asked, sharc_keeper_fn *fn,
                      void *arg);
enum sharc_keeper_state sharc_keeper_state(struct sharc_keeper *k, struct sharc_job_claim claim);
enum sharc_keeper_state sharc_keeper_drop(struct sharc_keeper *k, struct sharc_job_claim claim);

/* One round of heartbeats; one look at the clock. */
void sharc_keeper_beat(struct sharc_keeper *k);
void sharc_keeper_look(struct sharc_keeper *k);

SHARC_PRIVATE_END
#endif
