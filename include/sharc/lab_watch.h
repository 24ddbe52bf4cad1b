/* SPDX-License-Identifier: Apache-2.0
 *
 * A living site (lab.h) watched by the real program (watch.h), over HTTP and in virtual time: one clock for site and
 * watch, which moves when the watch waits and by a fixed time with every answer. So a month passes in
 * seconds, however busy the machine is. The site's own logs judge what was archived, and whether budget and delays were
 * kept.
 */
#ifndef SHARC_LAB_WATCH_H
#define SHARC_LAB_WATCH_H

#include "sharc/lab.h"
#include "sharc/sim_watch.h"
#include "sharc/watch.h"

SHARC_PRIVATE_BEGIN

struct sharc_lab_watch_options {
    struct sharc_lab_options site; /* its clock is not used; its logs go to `home` */
    const struct sharc_watch_ops *strategy;
    double share;                 /* of all resources, which are one request for every edit */
    sharc_time time;              /* that the watch lasts */
    sharc_time delay;             /* between two requests */
    sharc_time shortest, longest; /* as in struct sharc_watching_options */
    const char *home; /* existing directory; a run writes STRATEGY-SHARE/archive, truth.jsonl, requests.jsonl */
    /* Called with the watch before it runs and with NULL when it is over, so that somebody can stop it; may be NULL. */
    void (*running)(void *arg, struct sharc_watching *watch);
    void *arg;
};

struct sharc_lab_watched {
    struct sharc_sim_watched worth; /* by the truth of the site */
    double full;                    /* requests per hour that are all resources */
    /* By the site's log of requests. */
    uint64_t requests, allowed; /* those that the budget allows in that time */
    sharc_time shortest_pause;  /* between two requests; SHARC_TIME_NONE: there were not two */
    uint64_t most_a_day;        /* requests */
    uint64_t pages, looked;     /* of the site; of them: that are archived */
    sharc_time longest_wait;    /* between two looks at a page, or since the last */
};

/* *ret_scene: the truth, for sharc_sim_watch_write. SHARC_EINTR when it was stopped. */
int sharc_lab_watch_run(const struct sharc_lab_watch_options *o, struct sharc_lab_watched *ret,
                        struct sharc_sim_scene **ret_scene, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
