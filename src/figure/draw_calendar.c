/* SPDX-License-Identifier: Apache-2.0
 *
 * The change calendar: pages × captures, pages that change together side by side.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <stdio.h>

#define NAMES 250.0
#define MOST_HEIGHT 620.0

static double row_height(const struct sharc_figure *f)
{
    double h = MOST_HEIGHT / (double)(f->calendar.count ? f->calendar.count : 1);
    return h > 16 ? 16 : h;
}

void sharc__figure_about_calendar(struct sharc_figure *f)
{
    const struct sharc_figure_calendar *c = &f->calendar;
    f->empty = c->columns == 0 || c->count == 0;
    f->title = sharc_asprintf("What changed when: %s", c->site ? c->site : f->site);
    if (c->columns == 0)
        f->text = sharc_strdup("A calendar needs two captures of the site; there is nothing to compare yet.");
    else
        f->text =
            sharc_asprintf("%s changed, came or went over %s, in %s alike; %s stood still.", COUNTED(c->count, "page"),
                           COUNTED(c->columns, "capture"), COUNTED(c->groups, "group that behaves|groups that behave"),
                           COUNTED(c->quiet, "page"));
    f->picture.height = f->empty ? SHEET_TOP + 180 : SHEET_TOP + 70 + row_height(f) * (double)c->count;
}

static void mark(struct sharc_pen *pen, uint8_t cell, double x, double y, double width, double height)
{
    enum sharc_figure_class c = (enum sharc_figure_class)cell;
    double gap = width > 6 ? 1 : 0, down = height > 5 ? 1 : 0;
    bool still = c == SHARC_FIGURE_UNCHANGED || c == SHARC_FIGURE_INSIGNIFICANT;
    sharc__class_colour(pen, c, still ? 0.22 : 1);
    sharc_pen_rect(pen, x, y, width - gap, (height < 0.5 ? 0.5 : height) - down);
}

/* A letter on each run of one class in a column that is high enough for one. */
static void letters(struct sharc_pen *pen, const struct sharc_figure_calendar *c, double x, double y, double width,
                    double height)
{
    for (size_t k = 0; width >= 9 && k < c->columns; k++)
        for (size_t i = 0, end; i < c->count; i = end) {
            const uint8_t cell = c->cells[i * c->columns + k];
            for (end = i + 1; end < c->count && c->cells[end * c->columns + k] == cell;) end++;
            if (cell >= SHARC_FIGURE_CLASS_COUNT || cell == SHARC_FIGURE_UNCHANGED ||
                cell == SHARC_FIGURE_INSIGNIFICANT)
                continue;
            if (height * (double)(end - i) < 9) continue;
            char text[2] = {sharc_figure_class_letter((enum sharc_figure_class)cell), 0};
            sharc_pen_ink(pen, SHARC_INK_PAPER);
            /* In the middle of a row, where rows are high enough: the gap between two must not strike it through. */
            const size_t middle = (i + end - 1) / 2;
            const double row = height >= 9 ? (double)middle + 0.5 : (double)(i + end) / 2;
            sharc_pen_text(pen, x + width * ((double)k + 0.5), y + height * row, sharc_span_of(text),
                           (struct sharc_pen_text){.size = 9, .bold = true, .middle = true});
        }
}

static void columns(struct sharc_pen *pen, const struct sharc_figure_calendar *c, double x, double width, double y)
{
    size_t every = (size_t)ceil(70 / width);
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    for (size_t i = 0; i < c->columns; i += every ? every : 1) {
        char text[SHARC_TIME_TEXT];
        sharc_time_iso(c->starts[i], 0, text);
        /* The hour, where all lie within a day. */
        const bool hours = c->starts[c->columns - 1] - c->starts[0] < SHARC_DAY;
        if (!hours) text[10] = 0;
        sharc__sheet_text(pen, x + width * ((double)i + 0.5), y, 0, 10, hours ? text + 11 : text);
    }
}

void sharc__figure_draw_calendar(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    const struct sharc_figure_calendar *c = &f->calendar;
    char line[200], quiet[32];
    if (f->empty) {
        sharc__sheet_title(pen, f, "");
        sharc__sheet_nothing(pen, SHEET_TOP + 70, c->columns ? "No page changed, came or went." : f->text);
        return;
    }
    snprintf(line, sizeof line,
             "%s that changed, came or went \xc2\xb7 %s stood still and are left out \xc2\xb7 pages that "
             "change together lie together",
             COUNTED(c->count, "page"), sharc__number(c->quiet, quiet));
    sharc__sheet_title(pen, f, line);
    uint64_t counts[SHARC_FIGURE_CLASS_COUNT] = {0};
    for (size_t i = 0; i < c->count * c->columns; i++)
        if (c->cells[i] < SHARC_FIGURE_CLASS_COUNT) counts[c->cells[i]]++;
    sharc__sheet_classes(pen, 74, counts);
    const double height = row_height(f), y0 = SHEET_TOP + 34;
    const bool named = height >= 9;
    const double x0 = named ? 24 + NAMES + 8 : 40, width = (SHEET_RIGHT - x0) / (double)c->columns;
    columns(pen, c, x0, width, y0 - 8);
    if (c->count * c->columns > DENSE_FROM)
        sharc_pen_dense(pen, x0, y0, SHEET_RIGHT - x0, height * (double)c->count + 1);
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->columns; k++)
            if (c->cells[i * c->columns + k] < SHARC_FIGURE_CLASS_COUNT)
                mark(pen, c->cells[i * c->columns + k], x0 + width * (double)k, y0 + height * (double)i, width, height);
    sharc_pen_dense_end(pen);
    letters(pen, c, x0, y0, width, height);
    for (size_t i = 0; i < c->count; i++) {
        double y = y0 + height * (double)i;
        sharc_pen_ink(pen, SHARC_INK_SOFT);
        if (named)
            sharc_pen_text(
                pen, 24 + NAMES, y + height / 2, c->rows[i].url,
                (struct sharc_pen_text){.size = height > 12 ? 10 : 8, .side = 1, .room = NAMES, .middle = true});
        if (i == 0 || c->rows[i].group == c->rows[i - 1].group || c->groups > 60) continue;
        sharc_pen_ink(pen, SHARC_INK_LINE);
        sharc_pen_line(pen, x0 - 8, y - 0.5, SHEET_RIGHT, y - 0.5, 0.5);
    }
}
