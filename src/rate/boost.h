/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room rate: gradient-boosted trees for a yes-or-no question, from
 * numbers alone. Small on purpose: what a forecast needs when XGBoost is not
 * there, and always the same result.
 */
#ifndef SHARC_RATE_BOOST_H
#define SHARC_RATE_BOOST_H

#include "sharc/base.h"

#define BOOST_CUTS 63 /* at most this many thresholds a column */
#define BOOST_LEAVES 8

struct rate_boost_options {
    unsigned rounds; /* trees */
    double step;     /* share of each tree's answer that is taken */
    double least;    /* examples a leaf needs */
    double ridge;    /* pulls the leaves towards 0 */
};
#define RATE_BOOST_OPTIONS                                   \
    {                                                        \
        .rounds = 60, .step = 0.1, .least = 50, .ridge = 1.0 \
    }

/* A matrix by columns: value of row r in column c is at[c * rows + r]; finite. */
struct rate_matrix {
    size_t rows, columns;
    const float *at;
};

struct rate_boost {
    double base; /* log-odds of who is asked, before the first tree; 0 */
    size_t trees;
    struct boost_tree {
        unsigned nodes;
        struct boost_node {
            int column;      /* -1: leaf */
            float threshold; /* <= goes to child, > to child + 1 */
            unsigned child;
            double value; /* of a leaf */
        } node[2 * BOOST_LEAVES - 1];
    } * tree;
};

/* yes[r] is the answer of row r, odds[r] the log-odds that are taken as given
 * for it (what is common to its window, say): trees learn what differs. Their
 * sum is added to ret->base, which is the caller's to set. odds is overwritten.
 * O(rounds · rows · columns); 1 byte a cell. */
void sharc__rate_boost_learn(const struct rate_matrix *x, const bool *yes, const double *weight, double *odds,
                             const struct rate_boost_options *o, struct rate_boost *ret);
void sharc__rate_boost_done(struct rate_boost *b);
/* The probability of yes for each row. */
void sharc__rate_boost_ask(const struct rate_boost *b, const struct rate_matrix *x, double *ret);

#endif
