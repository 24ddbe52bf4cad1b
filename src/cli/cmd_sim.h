/* SPDX-License-Identifier: Apache-2.0
 *
 * What the experiments of sharc sim share.
 */
#ifndef SHARC_CLI_SIM_H
#define SHARC_CLI_SIM_H

#include "cli.h"

#include "sharc/sim.h"
#include "sharc/sim_report.h"

#define SIM_OUTPUT_MAX (256u << 20)

struct sim_settings {
    const char *strategies, *dataset, *model, *table, *svg, *weights, *signals;
    uint64_t pages, outdegree, runs, seed, threads;
    double skew, slowdown, known, confidence, risk, focus, focus_pages, days;
    int leaves, rates, learner, size;
    sharc_time from, to, delay, longest, step;
    bool births, absences, breadth_first, continuous, csv, markdown, no_bound, promises;
    struct cli_list measures;
};

enum sharc_sim_format sim_format(const struct cli *c, const struct sim_settings *s);
/* What was written to a buffer; an exit code. */
int sim_print(struct cli *c, const struct sharc_buf *out);
/* A bar over this many crawls, which o reports. */
struct sharc_progress *sim_progress(struct cli *c, struct sharc_sim_options *o, size_t crawls);
void sim_progress_end(struct sharc_progress **p);
/* The window of the dataset that was asked for. */
void sim_window(const struct sim_settings *s, const struct sharc_dataset *d, struct sharc_sim_window *w);

/* --continuous; d may be NULL. An exit code. */
int sim_continuous(struct cli *c, const struct sim_settings *s, const struct sharc_dataset *d,
                   struct sharc_sim_options *o);

#endif
