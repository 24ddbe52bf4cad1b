/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole capture in a catalogue, compared with the truth (lab_truth.h).
 */
#ifndef SHARC_LAB_VERDICT_H
#define SHARC_LAB_VERDICT_H

#include "sharc/lab_truth.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

struct sharc_lab_wrong {
    char *url;
    const char *what; /* a sentence without its subject */
    sharc_time from, to;
};

struct sharc_lab_verdict {
    size_t pages;       /* of the capture */
    size_t in_log;      /* of these, pages that the log knows */
    size_t comparisons; /* claims that a page changed, or did not, between two downloads */
    size_t findings[SHARC_LAB_FINDINGS];
    size_t bodies_right, bodies_late, bodies_wrong;
    struct sharc_lab_wrong *wrong; /* the first SHARC_LAB_WRONG_MOST */
    size_t wrong_count, wrong_room;
};
#define SHARC_LAB_WRONG_MOST 20u

/* Add what this capture says to *ret, which begins as {0}. */
int sharc_lab_verdict(struct sharc_store *s, sharc_store_id capture, const struct sharc_lab_truth *t,
                      struct sharc_lab_verdict *ret, struct sharc_err *reterr);
void sharc_lab_verdict_done(struct sharc_lab_verdict *v);

/* How many statements were wrong. */
size_t sharc_lab_verdict_wrong(const struct sharc_lab_verdict *v);
/* Was anything judged at all: a claim, or a body? A capture that was imported makes
 * no claims; one of another site has no page in the log. Being free of mistakes
 * means nothing then. */
bool sharc_lab_verdict_judged(const struct sharc_lab_verdict *v);

SHARC_PRIVATE_END
#endif
