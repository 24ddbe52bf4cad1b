/* SPDX-License-Identifier: Apache-2.0
 *
 * A watch over time: four panels, period by period. Between what looks show and what is expected (or possible) the
 * band is light; the line is what looks show.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PANEL_HEIGHT 170.0
#define PANEL_GAP 62.0
enum { PANELS = 4, ROWS = 2 };

void sharc__figure_about_watch(struct sharc_figure *f)
{
    const struct sharc_watched_period *a = &f->watched.all;
    f->empty = f->watched.count == 0 || isnan(a->fresh_seen);
    f->title = sharc_asprintf("Watching %s", f->site ? f->site : "the site");
    f->text =
        f->empty
            ? sharc_strdup("Nothing was watched long enough to be measured.")
            : sharc_asprintf("%s at %s found %s. The archive was up to date for %.0f %% of the time as looks show, "
                             "for %.0f %% as is expected.",
                             COUNTED(a->looks + a->failed, "look"), COUNTED(f->watched.pages, "page"),
                             COUNTED(a->changes, "change"), 100 * a->fresh_seen, 100 * a->fresh_expected);
    f->picture.height = f->empty ? SHEET_TOP + 180 : SHEET_TOP + 20 + ROWS * (PANEL_HEIGHT + PANEL_GAP);
}

/* What a panel shows of a period: from low to high; the same where there is only one number. */
struct shown {
    double low, high;
};

static struct shown panel_of(const struct sharc_watched_period *p, int panel)
{
    switch (panel) {
    case 0: return (struct shown){p->fresh_seen, p->fresh_expected};
    case 1: return (struct shown){p->complete, p->complete};
    case 2: return (struct shown){p->exact_seen, p->exact_expected};
    default: return (struct shown){p->together_seen, p->together_possible};
    }
}

static double middle_of(const struct sharc_figure *f, const struct plot *p, size_t i)
{
    const struct sharc_watched *w = &f->watched;
    const double length = (double)(w->all.to - w->all.from);
    const double from = (double)(w->periods[i].from - w->all.from), to = (double)(w->periods[i].to - w->all.from);
    const double at = (from + to) / 2;
    return length > 0 ? p->x + p->width * at / length : p->x + p->width / 2;
}

/* A stretch of periods that all have a number. */
static void draw_stretch(struct sharc_pen *pen, const struct sharc_pen_point *low, const struct sharc_pen_point *high,
                         size_t n, struct sharc_pen_point *area)
{
    for (size_t i = 0; i < n; i++) {
        area[i] = high[i];
        area[2 * n - 1 - i] = low[i];
    }
    sharc_pen_colour(pen, sharc_figure_class_colour(SHARC_FIGURE_NEW, sharc_pen_dark(pen)), 0.25);
    if (n > 1) sharc_pen_area(pen, area, 2 * n);
    sharc_pen_ink(pen, SHARC_INK_MARK);
    if (n > 1) sharc_pen_lines(pen, low, n, 2);
    for (size_t i = 0; i < n; i++) {
        if (n == 1) sharc_pen_line(pen, low[i].x, low[i].y, high[i].x, high[i].y, 4);
        sharc_pen_shape(pen, SHARC_SHAPE_CIRCLE, low[i].x, low[i].y, 2.5);
    }
}

static void draw_panel(struct sharc_pen *pen, const struct sharc_figure *f, const struct plot *p, int panel)
{
    const size_t count = f->watched.count;
    SHARC_AUTO(sharc_freep) struct sharc_pen_point *points = SHARC_NEW_ARRAY(struct sharc_pen_point, 4 * count + 4);
    struct sharc_pen_point *low = points, *high = points + count, *area = points + 2 * count;
    size_t n = 0;
    for (size_t i = 0; i <= count; i++) {
        struct shown s = {(double)NAN, (double)NAN};
        if (i < count) s = panel_of(&f->watched.periods[i], panel);
        if (isnan(s.low) || isnan(s.high)) {
            if (n) draw_stretch(pen, low, high, n, area);
            n = 0;
            continue;
        }
        const double x = middle_of(f, p, i);
        low[n] = (struct sharc_pen_point){x, sharc__plot_y(p, s.low)};
        high[n++] = (struct sharc_pen_point){x, sharc__plot_y(p, s.high)};
    }
}

void sharc__figure_draw_watch(struct sharc_pen *pen, const void *arg)
{
    static const char *const titles[PANELS] = {"Up to date, share of the time: shown, expected",
                                               "Archived, share of what came up: expected",
                                               "Up at the instant asked for: shown, expected",
                                               "Existed together at some instant: surely, at most"};
    const struct sharc_figure *f = arg;
    char line[160], from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    if (f->empty) {
        sharc__sheet_title(pen, f, "");
        sharc__sheet_nothing(pen, SHEET_TOP + 70, f->text);
        return;
    }
    snprintf(line, sizeof line,
             "%.16s to %.16s \xc2\xb7 line: as looks show \xc2\xb7 band: up to what is expected, or possible",
             sharc_time_iso(f->watched.all.from, 0, from), sharc_time_iso(f->watched.all.to, 0, to));
    sharc__sheet_title(pen, f, line);
    for (int i = 0; i < PANELS; i++) {
        const int row = i / 2;
        const double width = (SHEET_RIGHT - SHEET_LEFT - 70) / 2;
        const struct plot p = {.x = SHEET_LEFT + (i % 2) * (width + 70),
                               .y = SHEET_TOP + 10 + row * (PANEL_HEIGHT + PANEL_GAP),
                               .width = width,
                               .height = PANEL_HEIGHT,
                               .to = 1};
        sharc__plot_frame(pen, &p, titles[i]);
        draw_panel(pen, f, &p, i);
        sharc__plot_times(pen, &p, f->watched.all.from, f->watched.all.to);
    }
}
