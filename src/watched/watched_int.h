/* SPDX-License-Identifier: Apache-2.0
 *
 *   status.c    what is due next
 *   measure.c   all pages of a watch, period by period
 *   page.c      what the looks at one page say
 *
 * Within measures time is seconds since the first look of the watch.
 */
#ifndef SHARC_WATCHED_INT_H
#define SHARC_WATCHED_INT_H

#include "sharc/watched.h"

/* One answered look. */
struct look {
    double at;
    bool other; /* it found another version than the look before; false for the first */
    double importance;
};

/* One page: since when it is watched and to when, its looks in the order of time, and its rate by them. */
struct looked_page {
    double since, until;
    double weight;
    const struct look *looks;
    size_t count;
    double rate; /* changes per second */
};

double sharc__watched_rate(const struct look *looks, size_t count);

/* Time between two instants in which the page is watched and an archived version is the newest; of that, the time in
 * which it is what the page shows. */
struct freshness {
    double time, seen, expected;
};
struct freshness sharc__watched_freshness(const struct looked_page *p, double from, double to);

/* Importance that came up: found by looks between two instants (from <= at < to), and in all as expected. */
struct came_up {
    double found, all;
};
struct came_up sharc__watched_came_up(const struct looked_page *p, double from, double to);

/* The version that answers a question about t. */
struct answer {
    double seen, expected;             /* chance that it was up at t */
    double from, to;                   /* it surely existed between … */
    double possible_from, possible_to; /* … and at most between */
};
/* false: the page is not watched at t. A page without a look has an answer that existed at no time (from > to). */
bool sharc__watched_answer(const struct looked_page *p, double t, struct answer *ret);

#endif
