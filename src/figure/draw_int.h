/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drawings share: the sheet with its title, legends, axes and numbers.
 */
#ifndef SHARC_FIGURE_DRAW_INT_H
#define SHARC_FIGURE_DRAW_INT_H

#include "figure_int.h"
#include "sharc/assess.h"
#include "sharc/figure_draw.h"
#include "sharc/watched.h"

#define SHEET_WIDTH 960.0
#define SHEET_LEFT 72.0
#define SHEET_RIGHT (SHEET_WIDTH - 24.0)
#define SHEET_TOP 92.0  /* below title and legend */
#define DENSE_FROM 1500 /* marks: beyond, they become pixels */

struct sharc_figure {
    enum sharc_figure_drawing name;
    struct sharc_picture picture;
    char *title, *text;
    bool empty;
    struct sharc_figure_schedule schedule;
    struct sharc_figure_series series;
    struct sharc_figure_pair pair;
    struct sharc_figure_calendar calendar;
    struct sharc_figure_graph graph;
    struct sharc_figure_week week;
    struct sharc_figure_subsites subsites;
    struct sharc_watched watched;
    struct sharc_assess_capture judged;
    char *site, *key;
};

/* Of each drawing: sets title, text, height, empty. */
void sharc__figure_about_schedule(struct sharc_figure *f);
void sharc__figure_about_bars(struct sharc_figure *f);
void sharc__figure_about_series(struct sharc_figure *f);
void sharc__figure_about_pair(struct sharc_figure *f);
void sharc__figure_about_calendar(struct sharc_figure *f);
void sharc__figure_about_graph(struct sharc_figure *f);
void sharc__figure_about_week(struct sharc_figure *f);
void sharc__figure_about_subsites(struct sharc_figure *f);
void sharc__figure_about_watch(struct sharc_figure *f);

void sharc__figure_draw_schedule(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_bars(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_series(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_pair(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_space(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_calendar(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_graph(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_week(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_subsites(struct sharc_pen *pen, const void *arg);
void sharc__figure_draw_watch(struct sharc_pen *pen, const void *arg);

/* --- the sheet -------------------------------------------------------------------------------------- */

/* Title, and a line below it. */
void sharc__sheet_title(struct sharc_pen *pen, const struct sharc_figure *f, const char *line);
/* In the middle, where nothing can be drawn. */
void sharc__sheet_nothing(struct sharc_pen *pen, double y, const char *why);
void sharc__sheet_text(struct sharc_pen *pen, double x, double y, int side, double size, const char *text);
/* An entry of a legend at x, y: mark, text; returns where the next one begins. */
double sharc__sheet_key(struct sharc_pen *pen, double x, double y, enum sharc_pen_shape shape, uint32_t colour,
                        const char *text);
/* Classes with their letters and counts, those that occur. */
void sharc__sheet_classes(struct sharc_pen *pen, double y, const uint64_t counts[SHARC_FIGURE_CLASS_COUNT]);
enum sharc_pen_shape sharc__figure_class_shape(enum sharc_figure_class c);
enum sharc_pen_shape sharc__figure_kind_shape(enum sharc_figure_kind k);
void sharc__class_colour(struct sharc_pen *pen, enum sharc_figure_class c, double alpha);

/* "12,345" */
const char *sharc__number(uint64_t n, char out[32]);
/* The same with what it counts, as sharc_count_text has it. */
const char *sharc__counted(uint64_t n, const char *word, char out[SHARC_COUNT_TEXT]);
#define COUNTED(n, word) sharc__counted((n), (word), (char[SHARC_COUNT_TEXT]){0})
/* "2 min", "3.5 h": for people. */
const char *sharc__duration(sharc_time t, char out[32]);

/* A box with a scale on its left, from 0 (or, logarithmic, from `from`) to `to`. */
struct plot {
    double x, y, width, height;
    double from, to;
    bool log;
};
double sharc__plot_y(const struct plot *p, double value);
void sharc__plot_frame(struct sharc_pen *pen, const struct plot *p, const char *title);
/* A round number at or above. */
double sharc__round_up(double value);
/* Times below the box, in UTC. */
void sharc__plot_times(struct sharc_pen *pen, const struct plot *p, sharc_time from, sharc_time to);

#endif
