/* SPDX-License-Identifier: Apache-2.0
 *
 * Online pyramids: the detected pages, the histogram of their heat, and how many
 * of each bin are given up. sharc-selective and sharc-intervals differ in how
 * they decide that.
 */
#ifndef SHARC_SCHEDULE_SELECTING_H
#define SHARC_SCHEDULE_SELECTING_H

#include "schedule_int.h"

#define SELECTING_STEPS 8 /* bins per octave */
#define SELECTING_BINS (80 * SELECTING_STEPS)

struct selecting_bin {
    uint32_t count;
    double rate, weight; /* sums */
    double lost;         /* of the count, to be given up; pages that turn up add their share */
    double share;        /* of the pages of this heat that are given up */
};

/* What the detected pages stand for, hottest bin first. */
struct outline {
    struct {
        double count, rate, weight; /* means */
        double lost;                /* the answer */
        uint32_t bin;
    } part[SELECTING_BINS];
    size_t parts;
    double m, scale; /* pages, and how many each stands for */
};

struct selecting {
    struct sharc_ranked *detected;             /* rising heat */
    struct selecting_bin bins[SELECTING_BINS]; /* of the detected */
    uint32_t top;                              /* no bin above has pages to be given up */
    double m, r;                               /* when the bins were divided */
    double credit;                             /* saved operations */
    double left;                               /* pages to be visited, when the last was taken */
    bool spare;                                /* the hottest page is kept for the shortest interval */
    size_t known;                              /* detected when the last was taken */
    double ahead;                              /* pages known beforehand */
    double found;                              /* new pages since then */
    double yield;                              /* new pages per visit, lately */
    uint32_t pause, wait;                      /* visits between two tries at the other end */
    bool elsewhere;                            /* the last visit was such a try */
    bool exact_if_few;                         /* classify few pages by the offline test */
    /* Sets part[].lost. */
    void (*divide)(struct outline *o, const struct sharc_strategy_params *params);
};

void sharc__schedule_selecting_init(struct selecting *c);
void sharc__schedule_selecting_done(struct selecting *c);
size_t sharc__schedule_selecting_bytes(const struct selecting *c);
void sharc__schedule_selecting_add(struct sharc_strategy *s, struct selecting *c, sharc_page_no page);
void sharc__schedule_selecting_moved(struct sharc_strategy *s, struct selecting *c, sharc_page_no page, double old_rate,
                                     double old_weight);
sharc_page_no sharc__schedule_selecting_take(struct sharc_strategy *s, struct selecting *c, bool *ret_hopeless);

#endif
