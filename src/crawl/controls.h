/* SPDX-License-Identifier: Apache-2.0
 *
 * Control downloads: after the last revisit, so that no interval grows, the pages whose
 * revisit differs from their visit are compared, and some of them are downloaded twice in
 * immediate succession. What differs between these two differs on every request, and is
 * no change. evidence_case.h decides which pages, and what all of it proves.
 *
 *   comparing   visits with revisits, read back from the WARC files: some at a time
 *      |
 *   pairs       the case names a page: CONTROL_FIRST and CONTROL_SECOND, or CONTROL_LATE
 *      |        alone; compared, told to the case, until it wants no more
 *   over        the case can give a reason for every page
 *
 * The journal knows where the records are, and nothing of what they show: after a restart
 * they are compared again. A pair that was cut off is made again.
 *
 *   control_records.c  where the records of visits and revisits are
 *   controls.c         which download is next, and what became of it
 *   control_hints.c    volatile places, from the catalogue and to it
 *   control_case.c     what the case is told of pages and downloads, and what it says
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
#include "sharc/evidence_case.h"

enum controls_state { CONTROLS_NOT_BEGUN, CONTROLS_COMPARING, CONTROLS_PAIRS, CONTROLS_OVER, CONTROLS_SETTLED };

/* A place that earlier captures found volatile. */
struct hint {
    uint64_t place, pairs, differed;
    sharc_time first;
};
#define HINTS_MOST 10000 /* places of a site, read and kept */

struct controls {
    /* fields: those of the case are told apart by its phases */
    const struct context *ctx;
    struct pages *pages;
    struct journal *journal;
    struct output *out;
    struct sharc_pool *pool; /* NULL: compared in place */

    struct record_place *places;
    size_t place_count, place_room;
    struct sharc_map64 place_of; /* page, and whether of its revisit -> index in places + 1 */
    struct control *made;        /* in order */
    size_t made_count, made_room;
    size_t told;                /* of these: the case knows what they show */
    struct sharc_map64 last_of; /* page + 1 -> index of the last one that was told + 1 */
    bool cut_short;             /* the last one is the first of a pair whose second will not come */

    enum controls_state state;
    struct sharc_case *judge;
    uint32_t *page; /* by its number in the case */
    uint32_t *id;   /* and back: number in the case + 1; 0: it is none of its pages */
    size_t count, room, id_count;
    size_t compared; /* pages of the case that need not be looked at again */
    struct hint *hints;
    size_t hint_count, hint_room;
};
void sharc__crawl_controls_init(struct controls *c); /* the pointers are set already */
void sharc__crawl_controls_done(struct controls *c);

/* --- control_records.c ----------------------------------------------------------- */

/* A page was visited (or looked at a second time), or revisited: where its record is, when the version does not tell.
 */
void sharc__crawl_controls_visited(struct controls *c, uint32_t page, const struct written *w);
void sharc__crawl_controls_revisited(struct controls *c, uint32_t page, const struct written *w);
/* From the journal. */
void sharc__crawl_controls_place_again(struct controls *c, const struct record_place *p);
/* NULL: none is known. */
const struct record_place *sharc__crawl_controls_place_of(const struct controls *c, uint32_t page, bool revisit);

/* --- controls.c ---------------------------------------------------------------- */

enum controls_next {
    CONTROLS_HAVE_TASK, /* *ret is to be downloaded */
    CONTROLS_BUSY,      /* some were compared: ask again */
    CONTROLS_NONE,      /* nothing is left to be done */
};
/* After the last revisit, while nothing of the site is under way. */
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

/* --- control_hints.c ---------------------------------------------------------------- */

/* What earlier captures of the site learned. */
int sharc__crawl_hints_read(struct controls *c, sharc_store_id site, struct sharc_err *reterr);
/* What this one learned, into the batch; when: it was seen. */
int sharc__crawl_hints_keep(const struct controls *c, sharc_store_id site, sharc_time when, struct sharc_err *reterr);

/* --- control_case.c --------------------------------------------------------------- */

/* Tell the case of the pages. */
void sharc__crawl_case_begin(struct controls *c);
/* Compare some of the pages that the case wants compared; false: there are none left. */
bool sharc__crawl_case_compare(struct controls *c);
/* Tell it what the control downloads showed that it does not know of. */
void sharc__crawl_case_controls(struct controls *c);
/* The last control download of a page that was told; what a late one is compared with. NULL: none. */
const struct control *sharc__crawl_case_last(const struct controls *c, uint32_t page);
/* All is told: pages that were compared get the reasons that it gives. Once. */
void sharc__crawl_case_settle(struct controls *c);
/* What the grade of a page rests on, in short; may be nothing. */
void sharc__crawl_case_detail(const struct controls *c, uint32_t page, struct sharc_buf *out);

/* --- control_compare.c -------------------------------------------------------------- */

/* One comparison of two records. */
struct comparison {
    struct comparand {
        const char *file; /* name of its WARC */
        uint64_t offset;
        const char *body_file; /* where the bytes are, when the record only repeats them; or NULL */
        uint64_t body_offset;
    } before, after; /* after.file is NULL: only the spots are wanted */
    bool spots_too;  /* of the first */
    struct sharc_difference difference;
    struct sharc_places spots;
    sharc_time kept; /* how long a cache may have kept the second answer; 0: it did not come through one */
};
/* All of them, in the pool if there is one. What cannot be read is not comparable. */
void sharc__crawl_compare_all(const struct controls *c, struct comparison *all, size_t n);

#endif
