/* SPDX-License-Identifier: Apache-2.0
 *
 * What watching has brought, from the catalogue alone, whether a watch runs or not: how fresh the archive was, how
 * much of what came up it holds, how well it answers questions about an instant, over time; and what is due next.
 *
 * A look at a page shows what it is at that instant. What lies between two looks that were equal is called seen: the
 * page stood as it is archived all that time, unless somebody changed it and changed it back. Nobody has seen what
 * lies around a change, or behind the last look; there the page's rate, as its own looks suggest, says what is
 * expected. Every measure is told both ways, so that nothing expected is taken for seen.
 */
#ifndef SHARC_WATCHED_H
#define SHARC_WATCHED_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_json.h"
#include "sharc/schedule_watch.h"
#include "sharc/store.h"
#include "sharc/store_watch.h"

SHARC_PRIVATE_BEGIN

/* --- measures -------------------------------------------------------------------------- */

/* A stretch of watching. Shares are weighted by page; NaN: there is nothing to judge. */
struct sharc_watched_period {
    sharc_time from, to;
    uint64_t looks;   /* with an answer */
    uint64_t failed;  /* without one */
    uint64_t changes; /* found by these looks; first looks are none */
    /* Share of the time in which the newest version archived is what the page showed. */
    double fresh_seen, fresh_expected;
    /* Share of the importance that came up which is archived, expected: of changes between two looks only the last one
     * is. What came up behind the last look counts as not archived. */
    double complete;
    /* Of the answers to questions about an instant, each page being shown by its nearest version: share that was up at
     * that very instant. Pages of which there is no version count, too. */
    double exact_seen, exact_expected;
    /* … the largest share that existed together at some instant: surely, and at most. */
    double together_seen, together_possible;
    uint32_t questions; /* that the last four are means of */
};

struct sharc_watched {
    sharc_store_id capture;
    uint64_t pages;                       /* watched, those taken out included */
    uint64_t looked;                      /* of them: with an answer at least once */
    struct sharc_watched_period all;      /* from the first look to the last of the whole watch */
    struct sharc_watched_period *periods; /* at most SHARC_WATCHED_PERIODS, one after the other */
    size_t count;
    sharc_time length; /* of a period: an hour, a day, a week or four; the first and the last may be shorter */
};
enum { SHARC_WATCHED_PERIODS = 62 };

/* 1: measured; 0: the capture is no watch, or nothing was looked at. Memory: some 400 bytes a page. */
int sharc_watched_measure(struct sharc_store *s, sharc_store_id capture, struct sharc_watched *ret,
                          struct sharc_err *reterr);
void sharc_watched_done(struct sharc_watched *w);

/* A period for programs: members of the object that is open, or the end of a line of CSV under these columns. */
#define SHARC_WATCHED_COLUMNS                                                                    \
    "from,to,looks,failed,changes,fresh_seen,fresh_expected,complete,exact_seen,exact_expected," \
    "together_seen,together_possible,questions"
void sharc_watched_put_json(struct sharc_json *j, const struct sharc_watched_period *p);
void sharc_watched_put_csv(struct sharc_buf *out, const struct sharc_watched_period *p);

/* --- what is due next ------------------------------------------------------------------- */

struct sharc_watched_next {
    sharc_store_id capture;
    char *url;
    struct sharc_watch_view view;
    enum sharc_watch_why why;
};
struct sharc_watched_status {
    bool any; /* something is watched, or was */
    bool paused;
    char *strategy;   /* its name; NULL: not known */
    double per_hour;  /* < 0: not known */
    sharc_time saved; /* when the planner's state was saved; SHARC_TIME_NONE */
    uint64_t pages, looks, last_day, changes;
    struct sharc_watched_next *next; /* the first `most` to come */
    size_t count;
};
/* The planner is restored from its last save and told what was looked at since. capture: only pages of this watch are
 * counted and listed; 0: of all. */
int sharc_watched_status(struct sharc_store *store, sharc_store_id capture, sharc_time now, size_t most,
                         struct sharc_watched_status *ret, struct sharc_err *reterr);
void sharc_watched_status_done(struct sharc_watched_status *s);

/* Watches of jobs. Each keeps notes of its own, called after its capture ("plan:12"), one of them under this name; and
 * all such captures, into *ret. The name is malloc'ed. */
#define SHARC_WATCHED_QUEUE "queue"
char *sharc_watched_note_name(const char *name, sharc_store_id capture);
struct sharc_map64;
int sharc_watched_queued(struct sharc_store *store, struct sharc_map64 *ret, struct sharc_err *reterr);

/* What a look showed, for the planner. */
struct sharc_observation sharc_watched_observation(uint32_t number, const struct sharc_store_watch_look *l);
/* The state of a watch in words: "budget 20.8\npaused\n". */
void sharc_watched_read_state(struct sharc_span text, double *ret_per_hour, bool *ret_paused);

SHARC_PRIVATE_END
#endif
