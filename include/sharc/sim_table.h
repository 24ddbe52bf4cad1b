/* SPDX-License-Identifier: Apache-2.0
 *
 * The papers' tables of synthetic sites, made again and set beside the figures
 * they print. Tables 4.4a to 4.6b are average blur, 5.1, 5.2 and 5.9 to 5.14
 * incoherent pages.
 */
#ifndef SHARC_SIM_TABLE_H
#define SHARC_SIM_TABLE_H

#include "sharc/sim.h"
#include "sharc/sim_report.h"

SHARC_PRIVATE_BEGIN

size_t sharc_sim_table_count(void);
const char *sharc_sim_table_name(size_t i);
const char *sharc_sim_table_title(size_t i);
/* Index of the table of that name ("5.10"); "4.4" stands for 4.4a. SHARC_ENOENT
 * with the names there are. */
int sharc_sim_table_find(struct sharc_span name, size_t *ret, struct sharc_err *reterr);

/* One figure of a paper beside ours. */
struct sharc_sim_figure {
    const char *table, *strategy;
    uint32_t pages;
    double skew, slowdown, tau;
    bool tree_independent; /* an exact target: the unpublished tree does not matter */
    double paper;          /* of one run */
    struct sharc_sim_mean ours;
    unsigned runs;
};

/* Make table i again. options->runs 0: 10 runs, and one for sites of 500,000
 * pages and more, where chance averages out within the run. *ret is malloc'ed. */
int sharc_sim_table_run(size_t i, const struct sharc_sim_options *options, struct sharc_sim_figure **ret, size_t *ret_n,
                        struct sharc_err *reterr);
/* Crawls that sharc_sim_table_run makes, for progress. */
size_t sharc_sim_table_crawls(size_t i, unsigned runs);
/* Text and Markdown close with how the tree-independent columns agree. */
void sharc_sim_table_write(const struct sharc_sim_figure *figures, size_t n, enum sharc_sim_format format,
                           struct sharc_buf *out);

/* How far a column of a table is off: the sums over its rows compared. */
double sharc_sim_column_deviation(const struct sharc_sim_figure *figures, size_t n, const char *strategy);

SHARC_PRIVATE_END
#endif
