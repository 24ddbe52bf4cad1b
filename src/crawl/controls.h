/* SPDX-License-Identifier: Apache-2.0
 *
 * Control downloads: after the last revisit, so that no interval grows, the pages whose
 * revisit differs from their visit are compared, and some of them are downloaded twice in
 * immediate succession. What differs between these two differs on every request, and is
 * no change (evidence.h, which decides everything; docs/evidence.md).
 *
 *   comparing   visits with revisits, read back from the WARC files: some at a time
 *      |
 *   pairs       the case names a page: CONTROL_FIRST, CONTROL_SECOND, or CONTROL_LATE
 *      |        alone; compared, told to the case, until it wants no more
 *   over        the case can give a reason for every page
 *
 * The journal knows where the records are, and nothing of what they show: after a restart
 * they are compared again. A pair that was cut off is made again.
 *
 *   controls.c         which download is next, and what became of it
 *   control_compare.c  records read back and compared, in the pool
 */
#ifndef SHARC_CRAWL_CONTROLS_INT_H
#define SHARC_CRAWL_CONTROLS_INT_H

#include "context.h"
#include "download.h"
#include "journal.h"
#include "output.h"
#include "pages.h"
#include "task.h"

#include "sharc/base_pool.h"

struct sharc_case;
struct sharc_case_page;

enum controls_state { CONTROLS_NOT_BEGUN, CONTROLS_COMPARING, CONTROLS_PAIRS, CONTROLS_OVER };

struct controls {
    const struct context *ctx;
    const struct pages *pages;
    struct journal *journal;
    struct output *out;
    struct sharc_pool *pool; /* NULL: compared in place */

    struct record_place *places;
    size_t place_count, place_room;
    struct sharc_map64 place_of; /* 2 × page + 1 for its revisit -> index in places + 1 */
    struct control *made;        /* in order */
    size_t made_count, made_room;
    size_t told;    /* of these: the case knows what they show */
    bool cut_short; /* the last one is the first of a pair whose second will not come */

    enum controls_state state;
    struct sharc_case *judge;
    uint32_t *case_page; /* pages by their numbers in the case */
    size_t case_room, case_count;
    size_t compared;  /* of these: compared, or nothing is to be compared */
    uint64_t dropped; /* wishes that could not be fulfilled in a row: the site is not asked for more */
};
void sharc__crawl_controls_init(struct controls *c); /* the pointers are set already */
void sharc__crawl_controls_done(struct controls *c);

/* --- controls.c ---------------------------------------------------------------- */

/* A page was visited (or looked at a second time), or revisited: where its record is, when the version does not tell.
 */
void sharc__crawl_controls_visited(struct controls *c, uint32_t page, const struct written *w);
void sharc__crawl_controls_revisited(struct controls *c, uint32_t page, const struct written *w);
/* From the journal. */
void sharc__crawl_controls_place_again(struct controls *c, const struct record_place *p);

enum controls_next {
    CONTROLS_HAVE_TASK, /* *ret is to be downloaded */
    CONTROLS_BUSY,      /* some were compared: ask again */
    CONTROLS_WAIT,      /* for the download under way */
    CONTROLS_NONE,      /* nothing is left to be done */
};
/* After the last revisit. */
enum controls_next sharc__crawl_controls_next(struct controls *c, struct task *ret);
/* A control download has ended, and will be recorded. A second one that comes too long after the first is no second
 * one: t->step says what it is. */
void sharc__crawl_controls_step(const struct controls *c, struct task *t, sharc_time start, sharc_time gap_most);
/* It is recorded there; w->any is false: it brought nothing. */
void sharc__crawl_controls_made(struct controls *c, const struct job *j, const struct written *w);
void sharc__crawl_controls_made_again(struct controls *c, const struct control *made);
/* It was not made after all: robots.txt, a host that is gone. */
void sharc__crawl_controls_dropped(struct controls *c, const struct task *t);
/* No more are made: a limit was reached. */
void sharc__crawl_controls_end(struct controls *c);

/* --- control_compare.c ------------------------------------------------------------ */

/* Compare the next ones; false: all are compared. */
bool sharc__crawl_controls_compare_some(struct controls *c);
/* Tell the case what the control downloads showed that it does not know of. */
void sharc__crawl_controls_tell(struct controls *c);

#endif
