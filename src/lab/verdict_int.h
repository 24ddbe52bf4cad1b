/* SPDX-License-Identifier: Apache-2.0
 *
 * What verdict.c and whole.c share.
 */
#ifndef SHARC_LAB_VERDICT_INT_H
#define SHARC_LAB_VERDICT_INT_H

#include "sharc/lab_verdict.h"

/* A page or file of a capture: what is said of it, and what is true. */
struct lab_part {
    sharc_store_id url;
    bool page;            /* a reader opens it */
    bool proved;          /* said to be, for the time that all refer to */
    bool certain, edited; /* by the log */
    uint32_t noise;
    uint8_t cause;   /* of the edit; enum sharc_lab_cause */
    const char *why; /* it is not proved; static text */
};

struct lab_wholes {
    struct lab_part *parts;
    size_t count, room;
};
void sharc__lab_wholes_part(struct lab_wholes *w, const struct lab_part *part);
/* All parts were told: follow what pages embed, and add to *ret. */
int sharc__lab_wholes_judge(struct lab_wholes *w, struct sharc_store *s, sharc_store_id capture,
                            struct sharc_lab_wholes *ret, struct sharc_err *reterr);
void sharc__lab_wholes_done(struct lab_wholes *w);

void sharc__lab_note_alarm(struct sharc_lab_alarm **list, size_t *count, size_t *room, uint32_t noise, const char *why);
int sharc__lab_by_count(const void *a, const void *b);

#endif
