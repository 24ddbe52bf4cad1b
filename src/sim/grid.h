/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of texts, written aligned for a terminal, as Markdown or as CSV.
 *
 *   struct grid g = GRID_INIT;
 *   sharc__sim_grid_column(&g, "strategy", false); sharc__sim_grid_column(&g, "blur", true);
 *   sharc__sim_grid_cell(&g, "%s", name); sharc__sim_grid_cell(&g, "%.3f", blur);      row by row
 *   sharc__sim_grid_write(&g, SHARC_SIM_TEXT, out); sharc__sim_grid_done(&g);
 */
#ifndef SHARC_SIM_GRID_H
#define SHARC_SIM_GRID_H

#include "sharc/sim_report.h"

#define GRID_COLUMNS_MAX 48
struct grid {
    const char *name[GRID_COLUMNS_MAX];
    bool right[GRID_COLUMNS_MAX]; /* numbers stand to the right */
    size_t columns;
    char **cell;
    size_t cells, room;
};
#define GRID_INIT    \
    {                \
        .columns = 0 \
    }
void sharc__sim_grid_done(struct grid *g);
/* The name must live as long as the grid. */
void sharc__sim_grid_column(struct grid *g, const char *name, bool right);
void sharc__sim_grid_cell(struct grid *g, const char *fmt, ...) SHARC_PRINTF(2, 3);
/* With all its digits; an empty cell when v is not a number. */
void sharc__sim_grid_number(struct grid *g, double v);
/* format is not JSON. */
void sharc__sim_grid_write(const struct grid *g, enum sharc_sim_format format, struct sharc_buf *out);

#endif
