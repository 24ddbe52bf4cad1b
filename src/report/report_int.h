/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room report share.
 */
#ifndef SHARC_REPORT_INT_H
#define SHARC_REPORT_INT_H

#include "sharc/figure_draw.h"
#include "sharc/paper.h"
#include "sharc/report.h"
#include "sharc/watched.h"

#include <inttypes.h>

struct telling {
    struct sharc_store *store;
    const struct sharc_report_options *o;
    struct sharc_assess_capture judged;
    bool series;
    struct sharc_assess_series sum;
    struct sharc_figure *figures[SHARC_FIGURE_DRAW_COUNT];
    struct sharc_figure_schedule schedule;
    struct sharc_figure_subsites parts;
    struct sharc_figure_week week;
    struct sharc_figure_series steps;
    struct sharc_watched watched;
    struct sharc_paper paper;
};

/* tables.c */
void sharc__report_grades(struct telling *t);
void sharc__report_defects(struct telling *t);
void sharc__report_series(struct telling *t);
void sharc__report_parts(struct telling *t);
void sharc__report_watched(struct telling *t);

/* "2026-11-16 14:16 UTC" */
const char *sharc__report_when(sharc_time at, char out[SHARC_TIME_TEXT]);

#endif
