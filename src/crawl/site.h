/* SPDX-License-Identifier: Apache-2.0
 *
 * A crawl and its sites: the structs that put the parts together. Only the engine
 * includes this; every part is changed by its own functions.
 *
 *   engine.c     the loop
 *   due.c        sites by the time they are due
 *   choose.c     what a site does next
 *   downloads.c  jobs: started, ended, processed in the pool
 *   apply.c      a processed download becomes knowledge
 *   commit.c     what becomes durable, and in which order
 *   run.c        what an interrupted run has done already
 *   begin.c      a site's capture begins, or goes on; replay.c from its journal
 *   finish.c     a site is done: verdict, aliases, rates
 *   steer.c      settings changed while running
 *   paces.c      the pace of each site, and on each host
 *   memory.c     what waits when memory is short
 *   status.c     how far everything is
 *   crawl.c      the functions of crawl.h; site.c a site, made and released
 *
 * INVARIANTS
 *  (1) Pages, hosts and strategies are touched by the loop's thread only; a job
 *      in the pool owns what it works on.
 *  (2) What changes a site's pages or strategy is noted in its journal before the
 *      next commit, with the exception of rates and reasons that are settled at the end.
 *  (3) What the journal in a commit speaks of is in WARCs synced before.
 */
#ifndef SHARC_CRAWL_SITE_INT_H
#define SHARC_CRAWL_SITE_INT_H

#include "aliases.h"
#include "controls.h"
#include "jobs.h"
#include "sharc/base_order.h"
#include "sources.h"
#include "times.h"
#include "weakness.h"

#define SHARED_WARC 32 /* more sites than this write into one row of WARC files */

/* When things were downloaded. */
struct downloaded {
    sharc_time first, last; /* anything */
    sharc_time last_visit;  /* end of the last download of the visits, for interruptions */
    sharc_time interrupted; /* time lost in long pauses */
};

struct site {
    /* fields: one for each part of a site, and what the engine itself knows of it */
    struct sharc_crawl *crawl;
    uint32_t number;
    char *name;
    char **seeds;
    size_t seeds_count, seeds_room;

    struct pages pages;
    struct counters count;
    struct journal journal;
    struct rates rates;
    struct heard heard;
    struct agenda agenda;
    struct reach reach;
    struct capture capture;
    struct frontier frontier;
    struct sources sources;
    struct aliases aliases;
    struct controls controls;
    struct sharc_store_weakness weakness;

    struct times times;

    struct job *first_job, *last_job; /* ended downloads that are not applied, in order */
    struct downloaded downloaded;
    struct journal_state before; /* of the run that it goes on from */
    bool audits_over;            /* none is missing, until another page is attested */
    uint64_t attestable;         /* pages that may be answered 304; 0: not counted */
    uint64_t audit_seed;         /* which of them are audited: for nobody to foresee, told in the closing record */
    uint32_t group;              /* politeness of what was chosen last */
    bool waits_for_robots;       /* that somebody else asked for */
    bool resumed, finished;      /* finished: its summary is written */
    uint64_t known;              /* URLs, when the table is gone */
    struct sharc_crawl_summary summary;
    struct sharc_url url; /* scratch */
};

/* When what is due that happens from time to time. */
struct clockwork {
    sharc_time started, stats, progress, control, sites;
};

struct stopping {
    atomic_int signals; /* received */
    int seen;           /* of these */
    bool asked;
    sharc_time patience;   /* after this, what takes long is left for the next run */
    volatile bool no_wait; /* given to the output: after a signal it does not wait for a lost database */
};

struct sharc_crawl {
    struct context ctx;
    struct hosts hosts;
    struct output out;
    struct steering steering;

    struct site **site;
    size_t sites, sites_room;
    struct sharc_intern *site_names;
    size_t begun, active; /* sites begun; of these not finished */
    struct sharc_heap due;
    uint64_t turns;
    struct jobs jobs;
    struct memory memory;
    struct clockwork next;
    struct stopping stop;
    int64_t run;             /* its number: when it began, in microseconds */
    int lock;                /* of the archive */
    bool blocked;            /* the disk is full */
    bool lost;               /* another worker has the job */
    bool paused;             /* somebody wants no download to begin */
    bool journaled;          /* the batch holds the journal: only the commit is missing */
    struct sharc_buf packed; /* scratch of commits */
};

static inline bool site_is_running(const struct site *s)
{
    return s->agenda.plan.strategy && !s->finished && s->agenda.phase < SHARC_CRAWL_DONE;
}

#endif
