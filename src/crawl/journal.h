/* SPDX-License-Identifier: Apache-2.0
 *
 * The journal of a capture: what a site's pages and strategy went through, in order. A
 * piece of it is written with every commit; read from the beginning it brings an empty
 * site to exactly the state of that commit, because a strategy gives the same answers
 * to the same calls.
 *
 * The functions note_… write down what has been decided and done elsewhere; they decide
 * and change nothing. journal.c writes, journal_read.c reads, replay.c applies.
 *
 * Every event is a letter and its fields:
 *
 *   p  a page's row       number + 1 (u), or 0 (u) and the URL (text) of the next new one;
 *                         via + 1 (u), rate (f), weight (f), run (u), and a byte each:
 *                         depth, embed hops, state, flags, reason, hop
 *   f  a follower         leader (u), follower (u)
 *   t  told to strategy   page (u), rate per slot (d), weight (d)
 *   T  the same           page (u); rate and weight are those of the t before it in this piece
 *   n  strategy asked     0 (u), or 1 + kind (u), page (u), hopeless (u)
 *   o  observation        page (u), when (i), change (u), importance (d), rate (d)
 *   s  a page's version   page (u); visit, ended, revisit, modified, changed, since, date (i);
 *                         offset (u), record id (16 bytes), digest (text, or empty),
 *                         WARC (text), ETag (text), size (u), status (i), answer (u),
 *                         change (u), revisited (u), reason (u), marks (u), and with
 *                         VERSION_CONTENT content and head (32 and 16 bytes)
 *   a  a page's age       page (u), stated rate (f), age in seconds (d)
 *   r  rates told anew    seconds a slot (d), count (u), of each: step from the page
 *                         before (u), rate (f)
 *   k  an alias           page (u), the page it says it is (u)
 *   g  soft 404           SHA-256 of the text that the site shows for pages that are not
 *                         there, 32 bytes; zeros: none
 *   x  a setting changed  when (i), what was read for it (i), NAME=VALUE (text)
 *   w  a record's place   page (u), which (u): 0 that of its visit, 1 that of its revisit;
 *                         offset (u), WARC (text)
 *   y  control download   page (u), step (u, enum control_step), when it began, ended (i),
 *                         offset (u), WARC (text; empty: it brought no answer)
 *   q  a list was read    page, kind, slots, asked, is a page, left (u), when, Last-Modified, since (i), ETag (text),
 *                         count (u), of each entry with news: page (u), last change stated in seconds (i)
 *   z  clock was set      when (i), by (i), between two runs (u: 0 no; 1 yes; 2 yes, by so much at least)
 *   d  duration           how long the capture has run (i)
 *   c  counters           struct journal_state in its order, the signed ones (i)
 *
 *   u  varint, 7 bits a byte, least first     i  the same, zigzag
 *   f  float, d  double: 4 and 8 bytes of IEEE 754 in this machine's order
 *   text  length (u) and bytes
 *
 * A journal stays on the machine and with the version that wrote it: JOURNAL_FORM stands
 * in the capture's parameters, and another form is refused.
 */
#ifndef SHARC_CRAWL_JOURNAL_INT_H
#define SHARC_CRAWL_JOURNAL_INT_H

#include "counters.h"
#include "pages.h"
#include "sharc/crawl.h"
#include "task.h"

#define JOURNAL_FORM 7 /* one more whenever what the journal holds, or a number in it, means something else */
#define JOURNAL_MOST ((size_t)1 << 30)

struct journal {
    struct sharc_buf pending;
    uint32_t seq;   /* of the next piece */
    uint32_t pages; /* whose URL is written down */
    bool dirty;     /* something to commit */
    bool told;      /* a page was told in this piece, with … */
    double told_rate, told_weight;
    const struct sharc_intern *files; /* names of WARC files, by the numbers in versions */
};
void sharc__crawl_journal_init(struct journal *j, const struct sharc_intern *files);
void sharc__crawl_journal_done(struct journal *j);
/* Something is to be committed that the journal does not mention. */
void sharc__crawl_journal_touch(struct journal *j);
/* Its pieces so far, with that many pages, were read back. */
void sharc__crawl_journal_resumed(struct journal *j, uint32_t seq, uint32_t pages);
/* What is pending is in the batch: the number of its piece. */
uint32_t sharc__crawl_journal_piece(struct journal *j);
/* … and committed. */
void sharc__crawl_journal_committed(struct journal *j);

/* A setting that was changed while the capture ran. */
struct change {
    sharc_time when;
    char *text;   /* NAME=VALUE */
    int64_t base; /* what was read for it; 0 for rules */
};
/* A control download that was made. */
struct control {
    uint32_t page;
    uint32_t file; /* number of its WARC's name; SHARC_NO_ID: it brought no answer */
    uint64_t offset;
    sharc_time start, end;
    uint8_t step; /* enum control_step */
};
/* Where a record is that a version does not tell of. */
struct record_place {
    uint32_t page, file;
    uint64_t offset;
    bool revisit; /* of the revisit; else of the visit */
};
/* The clock was set. */
struct clock_jump {
    sharc_time when, by;
    bool between; /* two runs: what the one has dated cannot be compared with what the other has */
    bool more;    /* by so much at least: the machine was started anew, and nothing tells how long that took */
};
struct renewed {
    uint32_t page;
    float rate; /* changes per second */
};
/* The site's own numbers. */
struct journal_state {
    struct counters count;
    sharc_time reference, first, last, last_visit, interrupted, started_at;
    sharc_time ahead, epoch; /* struct sharc_clock_anchor of the run */
    sharc_time offset;       /* of the servers' clocks; SHARC_TIME_NONE: unknown */
    uint32_t apex, last_page, last_download;
    bool visits_over;
    unsigned lists;
    bool limit_visits, limit_all;
    enum sharc_crawl_reason limit_reason;
};
/* In the one order for writing and reading; then the flags as above. */
#define JOURNAL_COUNTERS(X) \
    X(downloads)            \
    X(failed)               \
    X(skipped)              \
    X(bytes) X(visits) X(revisits) X(looks) X(not_modified) X(identical) X(gone) X(audited) X(lies) X(coherent)
#define JOURNAL_TIMES(X) \
    X(reference) X(first) X(last) X(last_visit) X(interrupted) X(started_at) X(ahead) X(epoch) X(offset)
#define JOURNAL_PAGES(X) X(apex) X(last_page) X(last_download)

void sharc__crawl_note_page(struct journal *j, const struct pages *p, uint32_t page);
void sharc__crawl_note_follow(struct journal *j, uint32_t leader, uint32_t follower);
void sharc__crawl_note_tell(struct journal *j, uint32_t page, double rate, double weight);
void sharc__crawl_note_next(struct journal *j, const struct sharc_slot *slot); /* NULL: nothing was left */
void sharc__crawl_note_observed(struct journal *j, const struct sharc_observation *o);
void sharc__crawl_note_version(struct journal *j, const struct pages *p, uint32_t page);
void sharc__crawl_note_age(struct journal *j, uint32_t page, double given, double age);
void sharc__crawl_note_rates(struct journal *j, double slot, const struct renewed *all, size_t n); /* by page */
void sharc__crawl_note_alias(struct journal *j, uint32_t page, uint32_t canonical);
void sharc__crawl_note_soft404(struct journal *j, const uint8_t text[32]);
void sharc__crawl_note_change(struct journal *j, const struct change *change);
void sharc__crawl_note_place(struct journal *j, const struct record_place *p);
void sharc__crawl_note_control(struct journal *j, const struct control *c);
void sharc__crawl_note_jump(struct journal *j, const struct clock_jump *jump);
void sharc__crawl_note_ran(struct journal *j, sharc_time ran);
void sharc__crawl_note_state(struct journal *j, const struct journal_state *s);

#endif
