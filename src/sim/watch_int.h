/* SPDX-License-Identifier: Apache-2.0
 *
 * An archive that a strategy has filled, to be judged.
 */
#ifndef SHARC_SIM_WATCH_INT_H
#define SHARC_SIM_WATCH_INT_H

#include "scene.h"

/* Index of the first event of page p after t. */
size_t sharc__sim_watch_events_until(const struct sharc_sim_scene *s, sharc_page_no p, double t);

/* --- watch_write.c */
const char *sharc__sim_watch_title(enum sharc_sim_watch_measure m);
double sharc__sim_watch_value(const struct sharc_sim_watched *w, enum sharc_sim_watch_measure m);
size_t sharc__sim_watch_shares(const struct sharc_sim_watched *w, size_t n);

#endif
