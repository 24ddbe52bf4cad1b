/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule: a line from the visit of each page to its revisit (the pyramid), and the rates that the plan used over
 * the order of visits (the organ pipes). Pages that the strategy had given up stand out by a colour and a mark.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LINES_HEIGHT 380.0
#define PIPES_HEIGHT 150.0

static bool has_pyramid(const struct sharc_figure *f)
{
    return f->schedule.revisited > 0;
}

static bool has_pipes(const struct sharc_figure *f)
{
    for (size_t i = 0; i < f->schedule.count; i++)
        if (f->schedule.rows[i].rate > 0) return true;
    return false;
}

void sharc__figure_about_schedule(struct sharc_figure *f)
{
    const struct sharc_figure_schedule *s = &f->schedule;
    char took[32];
    f->empty = s->count == 0;
    f->title = sharc_asprintf("Schedule of %s", s->site ? s->site : "");
    f->text = f->empty ? sharc_asprintf("The capture %s holds no page.", s->key)
                       : sharc_asprintf("%s, %" PRIu64 " of them visited twice, in %s; %s given up by the "
                                        "strategy %s.",
                                        COUNTED(s->count, "page"), s->revisited,
                                        sharc__duration(s->last - s->first, took), COUNTED(s->hopeless, "was|were"),
                                        s->strategy && s->strategy[0] ? s->strategy : "that was used");
    f->picture.height =
        SHEET_TOP + 24 + (has_pyramid(f) ? LINES_HEIGHT + 70 : 0) + (has_pipes(f) ? PIPES_HEIGHT + 60 : 0);
    if (!has_pyramid(f) && !has_pipes(f)) f->picture.height = SHEET_TOP + 220;
}

/* --- the pyramid --------------------------------------------------------------------------------------- */

static double at(const struct sharc_figure_schedule *s, const struct plot *p, sharc_time t)
{
    double span = s->last > s->first ? (double)(s->last - s->first) : 1;
    return p->x + p->width * (double)(t - s->first) / span;
}

static void interval_of(struct sharc_pen *pen, const struct sharc_figure_schedule *s, const struct plot *p)
{
    if (s->known_from == SHARC_TIME_NONE || s->known_to == SHARC_TIME_NONE) return;
    double from = at(s, p, s->known_from), to = at(s, p, s->known_to);
    if (to < p->x || from > p->x + p->width) return;
    if (to - from < 2) to = from + 2;
    sharc_pen_ink(pen, SHARC_INK_MARK);
    sharc_pen_rect(pen, from, p->y - 4, to - from, p->height + 4);
    sharc_pen_text(pen, (from + to) / 2, p->y - 8, SHARC_SPAN("proved pages existed together here"),
                   (struct sharc_pen_text){.size = 10.5});
}

static void one_line(struct sharc_pen *pen, const struct sharc_figure_schedule *s, const struct plot *p, size_t i)
{
    const struct sharc_figure_visit *v = &s->rows[i];
    double y = p->y + p->height * ((double)i + 0.5) / (double)s->count, x = at(s, p, v->visit);
    double thick = p->height / (double)s->count * 0.7;
    if (thick > 2.5) thick = 2.5;
    if (thick < 0.35) thick = 0.35;
    enum sharc_figure_class change = sharc_figure_class_of_grade(v->reason);
    sharc__class_colour(pen, change, v->hopeless ? 0.55 : 0.9);
    if (v->revisit != SHARC_TIME_NONE) sharc_pen_line(pen, x, y, at(s, p, v->revisit), y, thick);
    double r = thick < 1 ? 1 : thick * 1.3;
    if (s->count <= 400 || v->revisit == SHARC_TIME_NONE)
        sharc_pen_shape(pen, sharc__figure_class_shape(change), x, y, r);
    if (!v->hopeless) return;
    sharc__class_colour(pen, SHARC_FIGURE_FAILED, 1);
    sharc_pen_shape(pen, SHARC_SHAPE_CROSS, x, y, s->count <= 400 ? 4 : 2.5);
}

static void draw_pyramid(struct sharc_pen *pen, const struct sharc_figure *f, const struct plot *p)
{
    const struct sharc_figure_schedule *s = &f->schedule;
    interval_of(pen, s, p);
    const bool dense = s->count > DENSE_FROM;
    if (dense) sharc_pen_dense(pen, p->x - 6, p->y - 6, p->width + 12, p->height + 12);
    for (size_t i = 0; i < s->count; i++) one_line(pen, s, p, i);
    if (dense) sharc_pen_dense_end(pen);
    sharc_pen_ink(pen, SHARC_INK_LINE);
    sharc_pen_line(pen, p->x, p->y + p->height, p->x + p->width, p->y + p->height, 1);
    sharc__plot_times(pen, p, s->first, s->last);
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc_pen_text(pen, p->x - 14, p->y + p->height / 2, SHARC_SPAN("pages, first visited on top"),
                   (struct sharc_pen_text){.size = 11, .turn = 90});
}

/* --- the organ pipes -------------------------------------------------------------------------------------- */

static void draw_pipes(struct sharc_pen *pen, const struct sharc_figure *f, double y)
{
    const struct sharc_figure_schedule *s = &f->schedule;
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < s->count; i++) {
        double r = s->rows[i].rate * 86400;
        if (!(r > 0)) continue;
        least = r < least ? r : least;
        most = r > most ? r : most;
    }
    if (!(most > 0)) return; /* a logarithmic scale has no place for them */
    struct plot p = {SHEET_LEFT, y, SHEET_RIGHT - SHEET_LEFT, PIPES_HEIGHT, .log = true};
    p.from = pow(10, floor(log10(least)));
    p.to = pow(10, ceil(log10(most) + 1e-9));
    if (p.to < p.from * 10) p.to = p.from * 10;
    sharc__plot_frame(pen, &p, "Expected changes per day, in the order of visits (organ pipes; logarithmic)");
    const double width = p.width / (double)s->count;
    if (s->count > DENSE_FROM) sharc_pen_dense(pen, p.x, p.y, p.width, p.height);
    for (size_t i = 0; i < s->count; i++) {
        double r = s->rows[i].rate * 86400;
        if (!(r > 0)) continue;
        double top = sharc__plot_y(&p, r);
        if (s->rows[i].hopeless)
            sharc__class_colour(pen, SHARC_FIGURE_FAILED, 1);
        else
            sharc_pen_ink(pen, SHARC_INK_MARK);
        sharc_pen_rect(pen, p.x + width * (double)i, top,
                       width > 3     ? width - 1
                       : width < 0.5 ? 0.5
                                     : width,
                       p.y + p.height - top);
    }
    if (s->count > DENSE_FROM) sharc_pen_dense_end(pen);
}

static void legend(struct sharc_pen *pen, const struct sharc_figure_schedule *s)
{
    uint64_t counts[SHARC_FIGURE_CLASS_COUNT] = {0};
    char text[80], n[32];
    for (size_t i = 0; i < s->count; i++) counts[sharc_figure_class_of_grade(s->rows[i].reason)]++;
    sharc__sheet_classes(pen, 74, counts);
    if (!s->hopeless) return;
    snprintf(text, sizeof text, "given up by the strategy (hopeless): %s", sharc__number(s->hopeless, n));
    sharc__sheet_key(pen, SHEET_RIGHT - 300, 52, SHARC_SHAPE_CROSS,
                     sharc_figure_class_colour(SHARC_FIGURE_FAILED, sharc_pen_dark(pen)), text);
}

void sharc__figure_draw_schedule(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    char line[200], took[32];
    if (f->empty) {
        sharc__sheet_title(pen, f, f->schedule.key ? f->schedule.key : "");
        sharc__sheet_nothing(pen, SHEET_TOP + 80, "This capture holds no page.");
        return;
    }
    snprintf(line, sizeof line, "%s \xc2\xb7 %s in %s \xc2\xb7 %s", f->schedule.key, COUNTED(f->schedule.count, "page"),
             sharc__duration(f->schedule.last - f->schedule.first, took),
             f->schedule.strategy && f->schedule.strategy[0] ? f->schedule.strategy : "strategy unknown");
    sharc__sheet_title(pen, f, line);
    legend(pen, &f->schedule);
    double y = SHEET_TOP + 14;
    if (has_pyramid(f)) {
        draw_pyramid(pen, f, &(struct plot){SHEET_LEFT, y + 14, SHEET_RIGHT - SHEET_LEFT, LINES_HEIGHT});
        y += LINES_HEIGHT + 76;
    }
    if (has_pipes(f)) draw_pipes(pen, f, y + 10);
    if (!has_pyramid(f) && !has_pipes(f))
        sharc__sheet_nothing(pen, SHEET_TOP + 80, "Every page was visited once, and no change rates were known.");
}
