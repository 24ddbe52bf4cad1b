/* SPDX-License-Identifier: Apache-2.0
 *
 * What the next download of a watched page is worth: one rule for every
 * objective. Let D(s) be what a page costs per unit of time at age s, the time
 * since its last download. Over a cycle of length t its mean cost is the mean of
 * D over 0 … t, and with a budget for all pages together the best cycles are those
 * at which
 *
 *     index(t) = weight · (t·D(t) − integral of D over 0 … t)
 *
 * is the same for all pages. "Always download the page with the largest index"
 * brings that about without solving anything, whatever the budget is and whenever
 * it changes. docs/watching.md derives it.
 *
 * Changes come at a rate (Poisson); rates and times are in any one unit of time.
 */
#ifndef SHARC_SCHEDULE_INDEX_H
#define SHARC_SCHEDULE_INDEX_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

enum sharc_objective {
    SHARC_OBJECTIVE_FRESHNESS,    /* share of time in which the last download is what the page shows */
    SHARC_OBJECTIVE_COMPLETENESS, /* share of its versions that are archived, mean over pages: the same index */
    SHARC_OBJECTIVE_IMPORTANCE,   /* archived versions in all, each by its importance */
    SHARC_OBJECTIVE_COHERENCE,    /* chance that the version nearest to an instant was up at that instant */
    SHARC_OBJECTIVE_BLUR,         /* changes between the nearest version and the instant: a cost */
    SHARC_OBJECTIVE_EVIDENCE,     /* share of time between two downloads without a change between them */
    SHARC_OBJECTIVE_COUNT,
};

/* 1 − (1+x)e^(−x): what a download is worth when x changes are expected since the last. */
double sharc_index_g(double x);
/* The x of which y is g, 0 <= y < 1; HUGE_VAL from 1 on. */
double sharc_index_g_inverse(double y);

/* Index of a page of this rate and weight at this age. Never falls with the age, except that for evidence a page
 * that has probably changed since its download is worth no more than at its best age. 0 where rate, weight or age
 * is not positive. */
double sharc_index(enum sharc_objective o, double weight, double rate, double age);
/* Downloads per unit of time at which a page's index is `price` at every download; 0: it is not worth that. */
double sharc_index_frequency(enum sharc_objective o, double weight, double rate, double price);
/* What a page brings per unit of time (for blur: costs) when it is downloaded regularly this often; weight included. */
double sharc_index_value(enum sharc_objective o, double weight, double rate, double frequency);

/* The best any schedule can expect: pages downloaded `budget` times per unit of time in all, fractions of a download
 * allowed. *ret_price is the common index; frequencies go to ret_frequency unless NULL. Returns the sum of values (for
 * blur: the least sum of costs, HUGE_VAL without a budget). Pages whose rate or weight is not positive get nothing.
 * A bound from above (blur: from below): no schedule whatsoever that knows only rates does better. */
double sharc_index_bound(enum sharc_objective o, size_t n, const double *weight, const double *rate, double budget,
                         double *ret_price, double *ret_frequency);

/* Rates are not known but learned: after `shape` changes in `span` units of watching (both with the prior's share) a
 * rate is Gamma(shape, span). The mean of the index over that: a plain quotient would be too sure of itself. */
double sharc_index_learned(enum sharc_objective o, double weight, double shape, double span, double age);

/* A page of which a site says itself when it changed: it tells a share `recall` of its changes, and `noise` times per
 * unit of time something that was none. */
struct sharc_index_signal {
    double unseen;  /* changes per unit of time that are not told */
    double told;    /* signals per unit of time, false ones among them */
    double noise;   /* of these */
    double waiting; /* units of waiting that a signal is worth; HUGE_VAL when no signal is false */
};
struct sharc_index_signal sharc_index_signal(double rate, double recall, double noise);
/* Index for freshness at an effective age: the age, and `waiting` for each signal since the download. */
double sharc_index_signalled(const struct sharc_index_signal *s, double weight, double effective_age);

/* u + (1−u)ln(1−u), 0 <= u <= 1: of the importance u that is up and not archived, as a share of the most there can be,
 * what a download now is worth against one later. φ(1 − e^(−x)) = g(x). */
double sharc_index_phi(double u);

SHARC_PRIVATE_END
#endif
