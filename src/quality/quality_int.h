/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_QUALITY_INT_H
#define SHARC_QUALITY_INT_H

#include "sharc/quality.h"

/* The weight of the heaviest set of intervals that share an instant; *ret_at is
 * the earliest such instant (untouched when n is 0). Closed on both sides, or
 * open at the end unless from == to. */
double sharc__quality_stab(const struct sharc_version *v, size_t n, bool closed, double *ret_at);

#endif
