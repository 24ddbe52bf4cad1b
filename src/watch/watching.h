/* SPDX-License-Identifier: Apache-2.0
 *
 *   watching.c   made, released; sites and pages
 *   memory.c     what the catalogue holds: pages, planner's state, lists; told again, saved
 *   run.c        the loop: what is due, begun, waited for, committed
 *   seen.c       what a download showed
 *   join.c       pages found by links and lists
 *   wishes.c     control while running
 *   snapshot.c   a whole site in between
 *   feed.c       from the catalogue alone
 */
#ifndef SHARC_WATCH_INT_H
#define SHARC_WATCH_INT_H

#include "sharc/watch.h"

#include "sharc/base_map.h"
#include "sharc/crawl_looks.h"
#include "sharc/url.h"
#include "sharc/url_scope.h"
#include "sharc/watched.h"

#include <stdatomic.h>

#define NEVER (INT64_MAX / 2) /* later than any instant; nothing overflows that is added to it */

enum {
    TASKS_MOST = 64,   /* begun or waiting for their host */
    LISTS_MOST = 50,   /* of a site */
    GONE_LOOKS = 3,    /* a page that was not named is taken out after so many looks that found it gone … */
    LOOKS_NAMED = 100, /* entries of a feed */
};

#define GONE_TIME SHARC_DAY /* … the last one so long after the first */

/* A watched page, by the number that the planner and the catalogue have for it. */
struct page {
    uint32_t look; /* its number for looks */
    uint32_t site, group;
    sharc_time since, shortest, longest;
    double weight;
    sharc_time stated;                    /* change that a list told last; SHARC_TIME_NONE */
    struct sharc_store_watch_look *doubt; /* a control decides about this look */
    uint32_t list;                        /* that speaks of it; SHARC_WATCH_NONE */
    uint8_t why, found;
    uint16_t gone;
    bool on, held;
};

struct site {
    sharc_store_id capture;
    uint32_t look; /* its number for looks; SHARC_NO_ID: nothing of it is watched now */
    struct sharc_scope *scope;
    uint64_t pages;
    uint32_t lists;
    sharc_time snapshot; /* the last one */
    bool news;           /* its feed is to be written */
};

/* A sitemap or feed. Its number is its source's for the planner. */
struct list {
    uint32_t look, site;
    enum sharc_store_found kind;
    sharc_time next;
    bool under_way; /* always, where it is watched as a page */
};

/* A download that is wanted: begun, or waiting until its host may be asked. */
struct task {
    uint32_t look;   /* page */
    uint32_t number; /* of the watched page, or of the list */
    enum sharc_looks_kind kind;
    bool begun;
};

struct sharc_watching {
    struct sharc_watching_options o;
    struct sharc_watching_world world;
    struct sharc_looks *looks;
    struct sharc_watch *plan;
    struct page *pages;
    size_t count, room;
    uint32_t *number; /* by the page's number for looks: the watched page, or SHARC_NO_ID */
    size_t number_room, number_count;
    struct site *site;
    size_t sites, site_room;
    struct list *list;
    size_t lists, list_room;
    struct task *task;
    size_t tasks, task_room;
    struct sharc_intern *groups;
    struct sharc_url url;
    double per_hour;
    sharc_time shortest;       /* that the planner has */
    sharc_time clock_set;      /* the clock of the machine minus ours, as last told */
    struct sharc_map64 queued; /* captures that the watch of a job has */
    int64_t named_by;          /* of a job: the one that named the pages; 0: none yet */
    sharc_time next_work;      /* before then nothing is to be begun */
    sharc_time started, next_try, next_save, next_wish, next_retry, zone, next_zone, next_snapshot;
    bool paused, blocked, stuck, lists_changed, state_changed, fresh_plan, ending, resting;
    struct sharc_crawl *burst; /* under way */
    atomic_int stop;
    struct sharc_watching_counts counts;
};

static inline sharc_time watching_now(const struct sharc_watching *w)
{
    return w->world.clock->now(w->world.clock);
}

/* --- watching.c ------------------------------------------------------------------ */
void sharc__watching_remark(struct sharc_watching *w, const char *fmt, ...) SHARC_PRINTF(2, 3);
void sharc__watching_event(struct sharc_watching *w, struct sharc_watching_event e);
uint32_t sharc__watching_site_of(struct sharc_watching *w, sharc_store_id capture);
/* Of a job: the site of its pages. */
int sharc__watching_first_site(struct sharc_watching *w, struct sharc_err *reterr);
uint32_t sharc__watching_number(const struct sharc_watching *w, uint32_t look);
/* A page by its row; known numbers are replaced. */
void sharc__watching_put(struct sharc_watching *w, uint32_t number, uint32_t site,
                         const struct sharc_store_watched *row, bool held);
/* To the planner, with its settings of now. */
void sharc__watching_plan_page(struct sharc_watching *w, uint32_t number);
int sharc__watching_row(struct sharc_watching *w, uint32_t number, sharc_time until, struct sharc_err *reterr);
int sharc__watching_drop(struct sharc_watching *w, uint32_t number, const char *why, struct sharc_err *reterr);
struct sharc_scope *sharc__watching_scope(const struct sharc_watching *w, struct site *s);

/* --- memory.c ----------------------------------------------------------------------- */
int sharc__watching_take_up(struct sharc_watching *w, struct sharc_err *reterr);
/* The planner as it was, or a new one; after all pages are known. */
int sharc__watching_plan(struct sharc_watching *w, struct sharc_err *reterr);
int sharc__watching_save(struct sharc_watching *w, struct sharc_err *reterr);
/* The shortest interval, when it follows from pages and budget and these have changed. */
void sharc__watching_pace(struct sharc_watching *w);
int sharc__watching_note(struct sharc_watching *w, const char *name, struct sharc_span text, struct sharc_err *reterr);

/* --- join.c ----------------------------------------------------------------------------- */
int sharc__watching_join(struct sharc_watching *w, uint32_t site, struct sharc_span url, enum sharc_store_found found,
                         uint32_t *ret, struct sharc_err *reterr);
int sharc__watching_links(struct sharc_watching *w, uint32_t site, const struct sharc_page *content,
                          struct sharc_err *reterr);
uint32_t sharc__watching_add_list(struct sharc_watching *w, uint32_t site, struct sharc_span url);
/* Lists that were named. */
void sharc__watching_sources(struct sharc_watching *w);
/* What robots.txt, a list, or a page that is one says. */
int sharc__watching_robots(struct sharc_watching *w, uint32_t site, struct sharc_span body, struct sharc_err *reterr);
int sharc__watching_entries(struct sharc_watching *w, uint32_t list, const struct sharc_page *content,
                            struct sharc_err *reterr);
sharc_time sharc__watching_list_interval(const struct sharc_watching *w);

/* --- seen.c --------------------------------------------------------------------------------- */
int sharc__watching_seen(struct sharc_watching *w, struct task t, const struct sharc_looked *l,
                         struct sharc_err *reterr);

/* --- run.c ------------------------------------------------------------------------------------ */
void sharc__watching_add_task(struct sharc_watching *w, uint32_t look, uint32_t number, enum sharc_looks_kind kind,
                              bool first);

/* --- wishes.c, snapshot.c, feed.c ---------------------------------------------------------------- */
int sharc__watching_wishes(struct sharc_watching *w, struct sharc_err *reterr);
int sharc__watching_snapshots(struct sharc_watching *w, struct sharc_err *reterr);
void sharc__watching_write_feeds(struct sharc_watching *w);

#endif
