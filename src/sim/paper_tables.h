/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_SIM_PAPER_TABLES_H
#define SHARC_SIM_PAPER_TABLES_H

#include "sharc/sim_report.h"

#define PAPER_COLUMNS_MAX 11

struct paper_row {
    uint32_t pages;
    double skew, slowdown, tau; /* tau 0: none */
    double value[PAPER_COLUMNS_MAX];
};

struct paper_table {
    const char *name, *title;
    bool hot_leaves;
    enum sharc_sim_measure measure;
    size_t first, rows;      /* in sharc__sim_paper_rows */
    const char *independent; /* per column: 'y' when the tree does not matter */
    const char *strategy[PAPER_COLUMNS_MAX];
};

extern const struct paper_row sharc__sim_paper_rows[];
extern const struct paper_table sharc__sim_paper_tables[];
extern const size_t sharc__sim_paper_table_count;

#endif
