/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies read back from the files and compared by room evidence.
 */
#ifndef SHARC_CERTIFY_COMPARE_H
#define SHARC_CERTIFY_COMPARE_H

#include "derive_int.h"
#include "sharc/evidence_case.h"

/* Two downloads, or one whose places are wanted. */
struct comparison {
    uint32_t id;            /* of the case */
    uint32_t before, after; /* downloads; SHARC_DERIVED_NONE: none, and nothing is to be compared */
    bool spots_too;         /* of before */
    bool control, late;
    bool repeated; /* a control that a cache may have kept since the one before */
    struct sharc_difference difference;
    struct sharc_places spots;
};
/* Any thread. What cannot be read or is too large is an answer that never came. */
void sharc__derive_compare_bodies(const struct sharc_derived *f, struct comparison *c);

#endif
