/* SPDX-License-Identifier: Apache-2.0
 *
 * The sheet that all drawings share: one look for titles, legends, axes and numbers.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <stdio.h>

void sharc__sheet_text(struct sharc_pen *pen, double x, double y, int side, double size, const char *text)
{
    sharc_pen_text(pen, x, y, sharc_span_of(text), (struct sharc_pen_text){.size = size, .side = side});
}

void sharc__sheet_title(struct sharc_pen *pen, const struct sharc_figure *f, const char *line)
{
    sharc_pen_ink(pen, SHARC_INK_TEXT);
    sharc_pen_text(pen, 24, 32, sharc_span_of(f->title),
                   (struct sharc_pen_text){.size = 18, .side = -1, .bold = true, .room = SHEET_WIDTH - 48});
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc_pen_text(pen, 24, 52, sharc_span_of(line),
                   (struct sharc_pen_text){.size = 12, .side = -1, .room = SHEET_WIDTH - 48});
}

void sharc__sheet_nothing(struct sharc_pen *pen, double y, const char *why)
{
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc__sheet_text(pen, SHEET_WIDTH / 2, y, 0, 14, why);
}

double sharc__sheet_key(struct sharc_pen *pen, double x, double y, enum sharc_pen_shape shape, uint32_t colour,
                        const char *text)
{
    const double size = 11;
    sharc_pen_colour(pen, colour, 1);
    sharc_pen_shape(pen, shape, x + 5, y - 4, 4.5);
    sharc_pen_ink(pen, SHARC_INK_TEXT);
    sharc__sheet_text(pen, x + 14, y, -1, size, text);
    return x + 14 + sharc_pen_text_width(pen, sharc_span_of(text), size, false) + 18;
}

enum sharc_pen_shape sharc__figure_class_shape(enum sharc_figure_class c)
{
    static const enum sharc_pen_shape shapes[] = {SHARC_SHAPE_CIRCLE,  SHARC_SHAPE_RING,   SHARC_SHAPE_TRIANGLE,
                                                  SHARC_SHAPE_DIAMOND, SHARC_SHAPE_SQUARE, SHARC_SHAPE_CROSS,
                                                  SHARC_SHAPE_HEXAGON};
    return shapes[c];
}

enum sharc_pen_shape sharc__figure_kind_shape(enum sharc_figure_kind k)
{
    static const enum sharc_pen_shape shapes[] = {SHARC_SHAPE_CIRCLE, SHARC_SHAPE_HEXAGON, SHARC_SHAPE_HEXAGON,
                                                  SHARC_SHAPE_ROUND,  SHARC_SHAPE_SQUARE,  SHARC_SHAPE_TRIANGLE};
    return shapes[k];
}

void sharc__class_colour(struct sharc_pen *pen, enum sharc_figure_class c, double alpha)
{
    sharc_pen_colour(pen, sharc_figure_class_colour(c, sharc_pen_dark(pen)), alpha);
}

void sharc__sheet_classes(struct sharc_pen *pen, double y, const uint64_t counts[SHARC_FIGURE_CLASS_COUNT])
{
    double x = 24;
    for (int i = 0; i < SHARC_FIGURE_CLASS_COUNT; i++) {
        enum sharc_figure_class c = (enum sharc_figure_class)i;
        char text[80], n[32];
        if (!counts[i]) continue;
        snprintf(text, sizeof text, "%c  %s: %s", sharc_figure_class_letter(c), sharc_figure_class_text(c),
                 sharc__number(counts[i], n));
        x = sharc__sheet_key(pen, x, y, sharc__figure_class_shape(c), sharc_figure_class_colour(c, sharc_pen_dark(pen)),
                             text);
    }
}

/* --- numbers ------------------------------------------------------------------------------------------ */

const char *sharc__number(uint64_t n, char out[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}

const char *sharc__counted(uint64_t n, const char *word, char out[SHARC_COUNT_TEXT])
{
    char number[32], plain[SHARC_COUNT_TEXT];
    snprintf(out, SHARC_COUNT_TEXT, "%s%s", sharc__number(n, number), strchr(sharc_count_text(n, word, plain), ' '));
    return out;
}

const char *sharc__duration(sharc_time t, char out[32])
{
    static const struct {
        sharc_time unit;
        const char *name;
    } units[] = {{SHARC_DAY, "d"}, {SHARC_HOUR, "h"}, {SHARC_MINUTE, "min"}, {SHARC_SEC, "s"}};
    size_t i = 0;
    while (i + 1 < SHARC_LENGTH(units) && t < 2 * units[i].unit) i++;
    snprintf(out, 32, "%.3g %s", (double)t / (double)units[i].unit, units[i].name);
    return out;
}

double sharc__round_up(double value)
{
    if (!(value > 0)) return 1;
    double unit = pow(10, floor(log10(value)));
    static const double steps[] = {1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8};
    for (size_t i = 0; i < SHARC_LENGTH(steps); i++)
        if (steps[i] * unit >= value * 0.9999) return steps[i] * unit;
    return 10 * unit;
}

/* --- plots --------------------------------------------------------------------------------------------- */

double sharc__plot_y(const struct plot *p, double value)
{
    double share = p->log ? (log(value) - log(p->from)) / (log(p->to) - log(p->from)) : value / p->to;
    if (!(share > 0)) share = 0;
    if (share > 1) share = 1;
    return p->y + p->height * (1 - share);
}

static void tick(struct sharc_pen *pen, const struct plot *p, double value)
{
    char text[32];
    double y = sharc__plot_y(p, value);
    if (value >= 1000 && value < 1e15)
        sharc__number((uint64_t)(value + 0.5), text);
    else
        snprintf(text, sizeof text, "%.3g", value);
    sharc_pen_ink(pen, SHARC_INK_GRID);
    sharc_pen_line(pen, p->x, y, p->x + p->width, y, 1);
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc_pen_text(pen, p->x - 6, y, sharc_span_of(text),
                   (struct sharc_pen_text){.size = 10, .side = 1, .middle = true});
}

void sharc__plot_frame(struct sharc_pen *pen, const struct plot *p, const char *title)
{
    if (p->log) {
        double step = log10(p->to / p->from) > 5 ? 100 : 10;
        for (double v = pow(10, ceil(log10(p->from) - 1e-9)); v <= p->to * 1.0001; v *= step) tick(pen, p, v);
    } else {
        for (int i = 0; i <= 4; i++) tick(pen, p, p->to * i / 4);
    }
    sharc_pen_ink(pen, SHARC_INK_LINE);
    sharc_pen_line(pen, p->x, p->y + p->height, p->x + p->width, p->y + p->height, 1);
    sharc_pen_ink(pen, SHARC_INK_TEXT);
    sharc_pen_text(pen, p->x, p->y - 8, sharc_span_of(title),
                   (struct sharc_pen_text){.size = 12, .side = -1, .bold = true, .room = p->width});
}

void sharc__plot_times(struct sharc_pen *pen, const struct plot *p, sharc_time from, sharc_time to)
{
    const int ticks = p->width > 500 ? 4 : 2;
    const bool days = to - from > 5 * SHARC_DAY;
    for (int i = 0; i <= ticks; i++) {
        char text[SHARC_TIME_TEXT];
        sharc_time_iso(from + (to - from) / ticks * i, to - from < 20 * SHARC_SEC ? 1 : 0, text);
        char *t = strchr(text, 'T');
        if (t && days) *t = 0;
        double x = p->x + p->width * i / ticks;
        sharc_pen_ink(pen, SHARC_INK_LINE);
        sharc_pen_line(pen, x, p->y + p->height, x, p->y + p->height + 4, 1);
        sharc_pen_ink(pen, SHARC_INK_SOFT);
        const char *shown = t && !days && i ? t + 1 : text;
        sharc__sheet_text(pen, x, p->y + p->height + 17, i == 0 ? -1 : i == ticks ? 1 : 0, 10, shown);
    }
}
