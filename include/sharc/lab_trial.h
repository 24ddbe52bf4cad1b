/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies put to the test by the real crawler on a living site (lab.h). Every
 * crawl has a site of its own, made from the same seed, that begins to live when
 * the crawl begins; the site's log judges the capture.
 *
 *   struct sharc_lab_trial sum = {0};
 *   for (unsigned run = 0; run < runs; run++) sharc_lab_trial_run(&options, run, &sum, &err);
 *   sharc_lab_trial_done(&sum);
 *
 * Strategies that revisit make captures for evidence, the others for exploration.
 */
#ifndef SHARC_LAB_TRIAL_H
#define SHARC_LAB_TRIAL_H

#include "sharc/crawl.h"
#include "sharc/lab.h"
#include "sharc/lab_verdict.h"
#include "sharc/schedule.h"

SHARC_PRIVATE_BEGIN

struct sharc_crawl;

struct sharc_lab_trial_options {
    struct sharc_lab_options site; /* run i has the seed site.seed + i; its logs go to `home` */
    const struct sharc_strategy_ops *strategy;
    sharc_time delay; /* between two requests */
    /* In time of its own, one connection: the clock stands still but while the crawl waits, however busy the machine
     * is, and a recorded history begins when it did. site.clock is not used. */
    bool virtual_time;
    bool no_signals;      /* the crawl reads sitemaps once */
    unsigned connections; /* at a time, without delay; 0: one */
    enum sharc_crawl_controls controls;
    double control_share; /* 0: as many as usual */
    const char *home;     /* existing directory; a run writes STRATEGY-RUN/archive and STRATEGY-RUN/truth.jsonl */
    /* Called with the crawl before it runs and with NULL when it is over, so that
     * somebody can stop it; may be NULL. */
    void (*running)(void *arg, struct sharc_crawl *crawl);
    void *arg;
};

/* Sums over the runs. */
struct sharc_lab_trial {
    unsigned runs;
    double pages, requests, seconds;
    double blur;       /* average over the pages of a run */
    double incoherent; /* pages by the truth */
    double removed;    /* of them those that were no longer there */
    double said;       /* pages by the crawler's own word */
    double lag;        /* seconds that crawls took beyond the delays between their requests */
    double outlived;   /* seconds of the site in which a recorded history was over and a crawl was not */
    struct sharc_lab_verdict verdict;
};
/* One crawl, added to *sum. SHARC_EINTR when it was stopped, and whatever site,
 * crawl and catalogue say. */
int sharc_lab_trial_run(const struct sharc_lab_trial_options *o, unsigned run, struct sharc_lab_trial *sum,
                        struct sharc_err *reterr);
void sharc_lab_trial_done(struct sharc_lab_trial *t);

SHARC_PRIVATE_END
#endif
