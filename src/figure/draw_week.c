/* SPDX-License-Identifier: Apache-2.0
 *
 * The week: changes per hour watched, hour by hour. Hours that nobody watched are hatched.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <stdio.h>

#define CELL_HEIGHT 42.0
static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

static bool watched(const struct sharc_figure_week *w, int d, int h)
{
    return w->hours[d][h] > 0;
}

static double rate_of(const struct sharc_figure_week *w, int d, int h)
{
    return watched(w, d, h) ? w->changes[d][h] / w->hours[d][h] : 0;
}

static double most_of(const struct sharc_figure_week *w)
{
    double most = 0;
    for (int d = 0; d < 7; d++)
        for (int h = 0; h < 24; h++)
            if (rate_of(w, d, h) > most) most = rate_of(w, d, h);
    return most;
}

void sharc__figure_about_week(struct sharc_figure *f)
{
    f->empty = !(most_of(&f->week) > 0);
    f->title = sharc_asprintf("When %s changes", f->site ? f->site : "the site");
    f->text = f->empty ? sharc_strdup("No change was seen whose hour can be told.")
                       : sharc_asprintf("%s of %s seen, by hour of the week in UTC; of %" PRIu64
                                        " the server told the hour, the others are spread over the hours in question.",
                                        COUNTED(f->week.seen, "change"), COUNTED(f->week.pages, "page was|pages were"),
                                        f->week.stated);
    f->picture.height = f->empty ? SHEET_TOP + 180 : SHEET_TOP + 40 + 7 * CELL_HEIGHT + 80;
}

/* One hue from the paper to the mark. */
static void heat(struct sharc_pen *pen, double share, double x, double y, double width, double height)
{
    sharc_pen_ink(pen, SHARC_INK_PAPER);
    sharc_pen_rect(pen, x, y, width, height);
    sharc_pen_colour(pen, sharc_figure_class_colour(SHARC_FIGURE_NEW, sharc_pen_dark(pen)), 0.06 + 0.94 * share);
    sharc_pen_rect(pen, x, y, width, height);
}

static void scale(struct sharc_pen *pen, double most, double y)
{
    char text[80];
    for (int i = 0; i <= 40; i++) heat(pen, sqrt(i / 40.0), 24 + 6 * i, y, 6, 12);
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc__sheet_text(pen, 24, y + 26, -1, 10, "0");
    snprintf(text, sizeof text, "%.3g", most / 4);
    sharc__sheet_text(pen, 24 + 61, y + 26, 0, 10, text);
    snprintf(text, sizeof text, "%.3g changes in an hour that a page was watched", most);
    sharc__sheet_text(pen, 24 + 230, y + 26, -1, 10, text);
    sharc_pen_hatch(pen, 640, y, 24, 12);
    sharc__sheet_text(pen, 672, y + 10, -1, 10, "not watched");
}

void sharc__figure_draw_week(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    const double most = most_of(&f->week), width = (SHEET_RIGHT - SHEET_LEFT) / 24;
    char line[200], from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    if (f->empty) {
        sharc__sheet_title(pen, f, "");
        sharc__sheet_nothing(pen, SHEET_TOP + 70, f->text);
        return;
    }
    snprintf(line, sizeof line,
             "%s seen from %.10s to %.10s \xc2\xb7 hours in UTC \xc2\xb7 numbers: changes in that hour",
             COUNTED(f->week.seen, "change"), sharc_time_iso(f->week.from, 0, from), sharc_time_iso(f->week.to, 0, to));
    sharc__sheet_title(pen, f, line);
    for (int d = 0; d < 7; d++) {
        double y = SHEET_TOP + 10 + d * CELL_HEIGHT;
        sharc_pen_ink(pen, SHARC_INK_TEXT);
        sharc_pen_text(pen, SHEET_LEFT - 10, y + CELL_HEIGHT / 2, sharc_span_of(days[d]),
                       (struct sharc_pen_text){.size = 12, .side = 1, .middle = true});
        for (int h = 0; h < 24; h++) {
            double x = SHEET_LEFT + h * width, share = sqrt(rate_of(&f->week, d, h) / most);
            char text[24];
            sharc_pen_ink(pen, SHARC_INK_LINE);
            if (!watched(&f->week, d, h)) {
                sharc_pen_hatch(pen, x, y, width - 2, CELL_HEIGHT - 2);
                continue;
            }
            heat(pen, share, x, y, width - 2, CELL_HEIGHT - 2);
            if (f->week.changes[d][h] < 0.05) continue;
            snprintf(text, sizeof text, f->week.changes[d][h] < 10 ? "%.1f" : "%.0f", f->week.changes[d][h]);
            sharc_pen_ink(pen, share > 0.55 ? SHARC_INK_PAPER : SHARC_INK_TEXT);
            sharc_pen_text(pen, x + width / 2 - 1, y + CELL_HEIGHT / 2, sharc_span_of(text),
                           (struct sharc_pen_text){.size = 9, .middle = true});
        }
    }
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    for (int h = 0; h < 24; h++) {
        char text[16];
        snprintf(text, sizeof text, "%02d", h);
        sharc__sheet_text(pen, SHEET_LEFT + (h + 0.5) * width - 1, SHEET_TOP + 10 + 7 * CELL_HEIGHT + 14, 0, 10, text);
    }
    scale(pen, most, SHEET_TOP + 10 + 7 * CELL_HEIGHT + 34);
}
