/* SPDX-License-Identifier: Apache-2.0
 *
 * The log of the truth in memory: read by truth_read.c, asked by judge.c.
 */
#ifndef SHARC_LAB_TRUTH_INT_H
#define SHARC_LAB_TRUTH_INT_H

#include "sharc/lab_truth.h"

#include "sharc/base_map.h"

/* An answer of a site whose bodies do not follow from their versions. */
struct lab_answer {
    sharc_time when;
    uint32_t version;
    bool confirmed;                    /* 304 */
    struct sharc_digest digest, coded; /* of the body, and as it was sent; n == 0: not told */
};

struct sharc_lab_truth {
    struct sharc_intern *paths;
    struct sharc_lab_fact *facts; /* by path, then time */
    size_t *at;                   /* facts of path p: facts[at[p] … at[p+1]) */
    struct lab_answer *sent;      /* likewise */
    size_t *sent_at;
    uint32_t *noise; /* of path p */
};

/* Answers with the page at that path, in the order of time. */
const struct lab_answer *sharc__lab_truth_answers(const struct sharc_lab_truth *t, struct sharc_span path,
                                                  size_t *ret_n);

#endif
