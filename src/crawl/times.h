/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of the clock that dates a capture: whether it was set, and how far it is from
 * the clocks of the servers. Within a run of the program time counts evenly, whatever is done to
 * the machine's clock; a run that goes on with the capture of another one reads it anew.
 */
#ifndef SHARC_CRAWL_TIMES_INT_H
#define SHARC_CRAWL_TIMES_INT_H

#include "journal.h"
#include "sharc/http_fetch.h"

enum { OFFSETS_MOST = 512 };

struct times {
    struct sharc_clock_anchor anchor; /* of this run, as seen last; epoch 0: unknown */
    sharc_time offset[OFFSETS_MOST];  /* a server's clock minus ours, by its field Date */
    uint32_t offsets, stride;         /* kept; one in `stride` is */
    uint64_t answers;                 /* with such a field, in this run */

    struct clock_jump *jump; /* in order */
    size_t jumps, room;

    bool compare;             /* only the servers can tell whether the run before had the same time */
    sharc_time offset_before; /* in that run */
};
void sharc__crawl_times_done(struct times *t);

/* An answer: its Date lies between sending the request and receiving the last byte. */
void sharc__crawl_times_answer(struct times *t, const struct sharc_fetch_result *r);
/* Median of what the servers' clocks are ahead of ours, and the middle half; returns by how many answers. */
uint64_t sharc__crawl_times_offset(const struct times *t, sharc_time *ret_median, sharc_time *ret_low,
                                   sharc_time *ret_high);

/* Now and then: has somebody set the clock? True: *ret says when and by how much. */
bool sharc__crawl_times_look(struct times *t, struct sharc_clock *clock, struct clock_jump *ret);
/* A capture goes on, whose last download was at `last`, with the clock that the journal tells of. */
bool sharc__crawl_times_resumed(struct times *t, struct sharc_clock *clock, const struct journal_state *before,
                                struct clock_jump *ret);
/* Enough servers were asked: was the time of the run before another one? */
bool sharc__crawl_times_compare(struct times *t, struct sharc_clock *clock, struct clock_jump *ret);
/* It is so. Pages visited before and revisited after have no certain interval, when another run goes on. */
void sharc__crawl_times_jumped(struct times *t, struct pages *p, struct journal *j, const struct clock_jump *jump);
/* As the journal has it. */
void sharc__crawl_times_jump_again(struct times *t, const struct clock_jump *jump);
/* It cannot be told yet: those pages are remembered. */
void sharc__crawl_times_doubt(struct pages *p, struct journal *j);

#endif
