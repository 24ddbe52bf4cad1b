/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room sim: promises in tables, JSON and words.
 */
#ifndef SHARC_SIM_PROMISE_WRITE_H
#define SHARC_SIM_PROMISE_WRITE_H

#include "grid.h"

#include "sharc/sim_promise.h"

/* Two cells: the median, and "low–high"; "-" each when nothing is promised. */
void sharc__sim_grid_promise(struct grid *g, const struct sharc_sim_promise *p, int digits);
/* A member "promises": the level, the windows, where they begin, and whether other
 * sites had a say. */
void sharc__sim_promises_json(const struct sharc_sim_promises *p, struct sharc_json *j);
/* A member of that name: median, low, high. */
void sharc__sim_promise_json(const struct sharc_sim_promise *p, const char *name, struct sharc_json *j);
/* A sentence that says where the intervals come from. */
void sharc__sim_promises_words(const struct sharc_sim_promises *p, struct sharc_buf *out);

#endif
