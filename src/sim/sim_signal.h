/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room sim: what a simulated site says of its changes, and the crawl that reads it.
 */
#ifndef SHARC_SIM_SIGNAL_H
#define SHARC_SIM_SIGNAL_H

#include "sharc/schedule_signals.h"
#include "sim_int.h"

struct sharc__sim_signal {
    struct sharc_sim_signals o;
    uint64_t seed;
    double span;       /* of the crawl */
    double false_rate; /* stamps without a change, per page and unit of time */
    double read;       /* when it was last read; NAN: never */
};

/* slots: that the crawl takes, about. */
void sharc__sim_signal_init(struct sharc__sim_signal *g, const struct sharc__sim_run *r,
                            const struct sharc_sim_signals *o, double slots);
enum sharc_signal_kind sharc__sim_signal_kind(const struct sharc_sim_signals *o);
/* Source 0 is read at t. */
void sharc__sim_signal_read(struct sharc__sim_signal *g, const struct sharc__sim_run *r, double t,
                            struct sharc_signals *signals);
/* What one reading costs. */
uint32_t sharc__sim_signal_requests(const struct sharc_sim_signals *o, const struct sharc_sim_site *s);

#endif
