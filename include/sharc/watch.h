/* SPDX-License-Identifier: Apache-2.0
 *
 * Watching: pages looked at again and again under a budget of requests, which pages and when being planned by
 * schedule_watch.h, downloads being made and recorded by crawl_looks.h. This room joins the two: the catalogue holds
 * the pages and every look at them, the planner's state is saved from time to time, and what was looked at after the
 * last save is told to it again, so a watch may be killed at any moment and taken up.
 *
 *   sharc_watching_new(&options, &world, &w, &err);        takes the archive's lock, takes up what is watched there
 *   sharc_watching_name(w, url, &settings, &err);          further pages, or new settings of known ones
 *   sharc_watching_run(w, &err);                           until stopped
 *   sharc_watching_free(w);
 *
 * Whoever runs it brings the world; with a virtual clock and a scripted fetcher a month takes seconds.
 */
#ifndef SHARC_WATCH_H
#define SHARC_WATCH_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/crawl.h"
#include "sharc/schedule_watch.h"
#include "sharc/store.h"
#include "sharc/store_watch.h"

SHARC_PRIVATE_BEGIN

/* Begin with SHARC_WATCHING_OPTIONS. What it points to must live as long as the watch. */
struct sharc_watching_options {
    /* archive, pace, reach and rules of what may join, robots.txt, names for records. pace.pages: pages of a site at
     * most. sources: sitemaps and feeds to be read. */
    struct sharc_crawl_options crawl;
    const struct sharc_watch_ops *strategy;
    double per_hour; /* requests of every kind, on average; 0: as was set last, or 100 a day */
    /* Intervals of pages that have none of their own. longest 0: none. shortest 0: what keeps a page from taking more
     * than one request in √n, n being the pages watched, and no less than a minute: a page that changes all the time
     * is not worth the whole budget. */
    sharc_time shortest, longest;
    /* How far the site's clocks are ahead of UTC at an instant; NULL: not at all. */
    sharc_time (*zone)(void *arg, sharc_time when);
    void *zone_arg;
    const int32_t *holidays; /* days since 1970-01-01 that are like Sundays */
    size_t holidays_count;
    sharc_time snapshot; /* capture each site as a whole, visit and revisit, every so often; 0: never */
    sharc_time save;     /* the planner's state, every so often; 0: an hour */
    sharc_time time;     /* run for so long; 0: for ever */
    uint64_t requests;   /* or until so many were made; 0: for ever */
    /* As a worker, with crawl.job: the watch of one site, whose plan and numbers are its own. The pages are lines as of
     * sharc_watching_name_line, named once for each job. It ends when nothing is due for `idle`: sharc_watching_next
     * says when to go on. */
    const char *const *pages;
    size_t pages_count;
    sharc_time idle; /* 0: it does not end */
};
#define SHARC_WATCHING_OPTIONS        \
    {                                 \
        .crawl = SHARC_CRAWL_OPTIONS, \
    }

/* What happens, for people and scripts. */
#define SHARC_WATCHING_EVENTS(X)                                           \
    X(LOOK, "look")         /* at a page */                                \
    X(CONTROL, "control")   /* one more download told noise from change */ \
    X(LIST, "list")         /* a sitemap or feed was read */               \
    X(JOINED, "joined")     /* a page is watched from now on */            \
    X(LEFT, "left")         /* and no longer */                            \
    X(REFUSED, "refused")   /* robots.txt does not allow a page */         \
    X(SNAPSHOT, "snapshot") /* a site was captured as a whole */           \
    X(SETTING, "setting")   /* somebody has changed one while it runs */   \
    X(PAUSED, "paused")                                                    \
    X(RESUMED, "resumed")

enum sharc_watching_event_kind {
#define X(name, word) SHARC_WATCHING_##name,
    SHARC_WATCHING_EVENTS(X)
#undef X
        SHARC_WATCHING_EVENT_COUNT,
};
const char *sharc_watching_event_word(enum sharc_watching_event_kind k);

struct sharc_watching_event {
    enum sharc_watching_event_kind kind;
    sharc_time when;
    const char *site;
    struct sharc_span url;                     /* may be none */
    const struct sharc_store_watch_look *look; /* LOOK, CONTROL (what it says of the look before) */
    enum sharc_store_found found;              /* JOINED */
    uint64_t count;                            /* LIST: signals; SNAPSHOT: downloads */
    const char *text;                          /* a reason; may be NULL */
};

struct sharc_watching_world {
    struct sharc_clock *clock;
    struct sharc_fetcher *fetcher;
    struct sharc_store *store;
    struct sharc_object_store *objects; /* as in struct sharc_crawl_world */
    /* Both may be NULL; called from the thread that runs. */
    void (*event)(void *arg, const struct sharc_watching_event *e);
    void (*remark)(void *arg, const char *sentence);
    void *arg;
};

struct sharc_watching;
int sharc_watching_new(const struct sharc_watching_options *o, const struct sharc_watching_world *w,
                       struct sharc_watching **ret, struct sharc_err *reterr);
/* Without a run that ended well it leaves the archive as a kill would. */
void sharc_watching_free(struct sharc_watching *w);
void sharc_watching_freep(struct sharc_watching **w);

/* Settings of a page that is named; 0: those of the watch, or as they were. */
struct sharc_watching_page {
    double weight;
    sharc_time shortest, longest;
};
/* Watch a page, before run. One that was taken out comes back. SHARC_ESYNTAX, SHARC_EACCESS as sharc_crawl_seed. */
int sharc_watching_name(struct sharc_watching *w, struct sharc_span url, const struct sharc_watching_page *p,
                        struct sharc_err *reterr);
/* A line of a list: "URL shortest=1h longest=7d weight=2"; empty lines and those that begin with # are nothing. */
int sharc_watching_name_line(struct sharc_watching *w, struct sharc_span line, struct sharc_err *reterr);
/* Would such a line be understood? SHARC_ESYNTAX. */
int sharc_watching_check_line(struct sharc_span line, struct sharc_err *reterr);
/* Pages watched now. */
uint32_t sharc_watching_pages(const struct sharc_watching *w);

/* 0: time or requests are used up, or nothing is due for a while. SHARC_EINTR: stopped. Other errors: the archive could
 * not be written. Whatever it is, what was committed is safe. */
int sharc_watching_run(struct sharc_watching *w, struct sharc_err *reterr);
/* Once: finish the downloads under way, save, return. Twice: abort them. From any thread and from signal handlers. */
void sharc_watching_stop(struct sharc_watching *w);

/* After a run: when something is due again; SHARC_TIME_NONE: never. */
sharc_time sharc_watching_next(const struct sharc_watching *w);

struct sharc_watching_counts {
    uint64_t requests, looks, first, changed, noise, gone, failed, controls, lists, joined, left, snapshots;
};
void sharc_watching_counts(const struct sharc_watching *w, struct sharc_watching_counts *ret);

/* --- a running watch --------------------------------------------------------------------- */

/* "500/day", "20/h", "3/min" (also per week) as requests per hour. */
int sharc_watching_budget_parse(struct sharc_span text, double *ret, struct sharc_err *reterr);

/* Ask the watch that runs on an archive: "pause", "resume", "save", "look=URL", "add=LINE" (as in a list),
 * "drop=URL", "budget=500/day", "delay=5s". As sharc_crawl_set. */
int sharc_watching_set(const char *archive, struct sharc_span setting, sharc_time patience, struct sharc_err *reterr);

/* --- from the catalogue alone; the rest is in watched.h --------------------------------------- */

/* The latest changes (at most `most`) of a watch as an Atom feed. */
int sharc_watching_feed(struct sharc_store *store, sharc_store_id capture, const char *site, size_t most,
                        struct sharc_buf *out, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
