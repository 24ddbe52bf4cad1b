/* SPDX-License-Identifier: Apache-2.0
 *
 * The series: areas of pages and links over captures, with similarity and duration in panels of their own.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PANEL_HEIGHT 170.0
#define PANEL_GAP 62.0
enum { PANELS = 6, LAYERS_MOST = SHARC_FIGURE_CLASS_COUNT };

void sharc__figure_about_series(struct sharc_figure *f)
{
    const struct sharc_figure_series *s = &f->series;
    uint64_t changed = 0, pairs = 0;
    f->empty = s->count < 2;
    for (size_t i = 1; i < s->count; i++) {
        const uint64_t *all = s->steps[i].all;
        changed += all[SHARC_FIGURE_TEXT] + all[SHARC_FIGURE_LINKS];
        pairs += all[SHARC_FIGURE_UNCHANGED] + all[SHARC_FIGURE_INSIGNIFICANT] + all[SHARC_FIGURE_TEXT] +
                 all[SHARC_FIGURE_LINKS];
    }
    f->title = sharc_asprintf("%s, capture after capture", s->site ? s->site : "");
    f->text =
        f->empty
            ? sharc_strdup("A series needs two captures of the site; there is nothing to compare yet.")
            : sharc_asprintf("%zu captures. From one to the next %.1f %% of the pages that both have changed their "
                             "text or links (%" PRIu64 " of %" PRIu64 ").",
                             s->count, pairs ? 100.0 * (double)changed / (double)pairs : 0.0, changed, pairs);
    f->picture.height = f->empty ? SHEET_TOP + 180 : SHEET_TOP + 20 + 3 * (PANEL_HEIGHT + PANEL_GAP);
}

/* --- panels -------------------------------------------------------------------------------------------- */

struct panel {
    const struct sharc_figure_series *s;
    struct plot plot;
    size_t columns; /* steps but the first */
};

static double column_at(const struct panel *p, double i)
{
    return p->plot.x + p->plot.width * i / (double)p->columns;
}

/* One layer of a stack, between two heights for each column. Up to three captures are columns, more are areas. */
static void layer(struct sharc_pen *pen, const struct panel *p, const double *low, const double *high)
{
    const bool columns = p->columns < 4;
    const size_t per = columns ? 2 : 1, n = p->columns * per;
    SHARC_AUTO(sharc_freep) struct sharc_pen_point *points = SHARC_NEW_ARRAY(struct sharc_pen_point, 2 * n + 4);
    for (size_t i = 0; i < n; i++) {
        size_t c = i / per;
        double x = columns ? column_at(p, (double)c + (i % 2 ? 0.94 : 0.06))
                           : p->plot.x + p->plot.width * (double)c / (double)(p->columns - 1);
        points[i] = (struct sharc_pen_point){x, sharc__plot_y(&p->plot, high[c])};
        points[2 * n - 1 - i] = (struct sharc_pen_point){x, sharc__plot_y(&p->plot, low[c])};
    }
    if (!columns) {
        sharc_pen_area(pen, points, 2 * n);
        return;
    }
    for (size_t c = 0; c < p->columns; c++)
        sharc_pen_rect(pen, points[2 * c].x, points[2 * c].y, points[2 * c + 1].x - points[2 * c].x,
                       points[2 * n - 1 - 2 * c].y - points[2 * c].y);
}

/* Its letter, where the layer is thick enough to hold it. */
static void letter(struct sharc_pen *pen, const struct panel *p, const double *low, const double *high,
                   const char *text)
{
    size_t best = 0;
    for (size_t c = 1; c < p->columns; c++)
        if (high[c] - low[c] > high[best] - low[best]) best = c;
    double top = sharc__plot_y(&p->plot, high[best]), bottom = sharc__plot_y(&p->plot, low[best]);
    if (bottom - top < 13) return;
    double x = p->columns < 4 ? column_at(p, (double)best + 0.5)
                              : p->plot.x + p->plot.width * (double)best / (double)(p->columns - 1);
    if (x < p->plot.x + 8) x = p->plot.x + 8;
    if (x > p->plot.x + p->plot.width - 8) x = p->plot.x + p->plot.width - 8;
    sharc_pen_ink(pen, SHARC_INK_PAPER);
    sharc_pen_text(pen, x, (top + bottom) / 2, sharc_span_of(text),
                   (struct sharc_pen_text){.size = 11, .bold = true, .middle = true});
}

struct stack {
    const uint64_t *value[LAYERS_MOST]; /* of the first column; the next is a step further */
    uint32_t colour[LAYERS_MOST];
    char letter[LAYERS_MOST];
    size_t layers;
};

static double value_at(const struct stack *k, size_t layer_no, size_t column)
{
    const char *at = (const char *)k->value[layer_no] + column * sizeof(struct sharc_figure_step);
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return (double)v;
}

static void scale_captures(struct sharc_pen *pen, const struct panel *p)
{
    size_t every = p->columns > 12 ? (p->columns + 11) / 12 : 1;
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    for (size_t c = 0; c < p->columns; c += every) {
        char text[24];
        double x = p->columns < 4 ? column_at(p, (double)c + 0.5)
                                  : p->plot.x + p->plot.width * (double)c / (double)(p->columns - 1);
        snprintf(text, sizeof text, "%" PRId64, p->s->steps[c + 1].capture);
        sharc__sheet_text(pen, x, p->plot.y + p->plot.height + 15, 0, 10, text);
    }
}

static void draw_stack(struct sharc_pen *pen, struct panel *p, const struct stack *k, const char *title)
{
    double most = 0;
    SHARC_AUTO(sharc_freep) double *low = SHARC_NEW_ARRAY(double, p->columns + 1);
    SHARC_AUTO(sharc_freep) double *high = SHARC_NEW_ARRAY(double, p->columns + 1);
    for (size_t c = 0; c < p->columns; c++) {
        double sum = 0;
        for (size_t i = 0; i < k->layers; i++) sum += value_at(k, i, c);
        most = sum > most ? sum : most;
    }
    p->plot.to = sharc__round_up(most);
    sharc__plot_frame(pen, &p->plot, title);
    for (size_t i = 0; i < k->layers; i++) {
        char text[2] = {k->letter[i], 0};
        for (size_t c = 0; c < p->columns; c++) {
            low[c] = high[c];
            high[c] += value_at(k, i, c);
        }
        sharc_pen_colour(pen, k->colour[i], 1);
        layer(pen, p, low, high);
        letter(pen, p, low, high, text);
    }
    scale_captures(pen, p);
}

static void class_stack(struct sharc_pen *pen, struct panel *p, const uint64_t *first, const char *title)
{
    static const enum sharc_figure_class order[] = {SHARC_FIGURE_UNCHANGED, SHARC_FIGURE_INSIGNIFICANT,
                                                    SHARC_FIGURE_TEXT,      SHARC_FIGURE_LINKS,
                                                    SHARC_FIGURE_NEW,       SHARC_FIGURE_FAILED,
                                                    SHARC_FIGURE_MISSING};
    struct stack k = {.layers = SHARC_LENGTH(order)};
    for (size_t i = 0; i < k.layers; i++) {
        k.value[i] = first + order[i];
        k.colour[i] = sharc_figure_class_colour(order[i], sharc_pen_dark(pen));
        k.letter[i] = sharc_figure_class_letter(order[i]);
    }
    draw_stack(pen, p, &k, title);
}

static void link_stack(struct sharc_pen *pen, struct panel *p)
{
    const struct sharc_figure_step *x = &p->s->steps[1];
    const bool dark = sharc_pen_dark(pen);
    struct stack k = {.value = {&x->links_same, &x->links_new, &x->links_gone},
                      .colour = {sharc_figure_class_colour(SHARC_FIGURE_UNCHANGED, dark),
                                 sharc_figure_class_colour(SHARC_FIGURE_NEW, dark),
                                 sharc_figure_class_colour(SHARC_FIGURE_MISSING, dark)},
                      .letter = {'U', 'N', 'M'},
                      .layers = 3};
    draw_stack(pen, p, &k, "Links: kept, new, missing");
}

static double similarity_of(const struct sharc_figure_step *s)
{
    return s->similarity;
}

static double minutes_of(const struct sharc_figure_step *s)
{
    return s->first == SHARC_TIME_NONE ? (double)NAN : (double)(s->last - s->first) / (double)SHARC_MINUTE;
}

/* All captures took less than two minutes. */
static bool is_short(const struct sharc_figure_series *s)
{
    for (size_t i = 1; i < s->count; i++)
        if (minutes_of(&s->steps[i]) > 2) return false;
    return true;
}

static double seconds_of(const struct sharc_figure_step *s)
{
    return s->first == SHARC_TIME_NONE ? (double)NAN : (double)(s->last - s->first) / (double)SHARC_SEC;
}

static void draw_line(struct sharc_pen *pen, struct panel *p, double (*of)(const struct sharc_figure_step *), double to,
                      const char *title)
{
    double most = to;
    for (size_t c = 0; to == 0 && c < p->columns; c++)
        if (of(&p->s->steps[c + 1]) > most) most = of(&p->s->steps[c + 1]);
    p->plot.to = to > 0 ? to : sharc__round_up(most);
    sharc__plot_frame(pen, &p->plot, title);
    SHARC_AUTO(sharc_freep) struct sharc_pen_point *points = SHARC_NEW_ARRAY(struct sharc_pen_point, p->columns + 1);
    size_t n = 0;
    for (size_t c = 0; c < p->columns; c++) {
        double v = of(&p->s->steps[c + 1]);
        double x = p->columns < 4 ? column_at(p, (double)c + 0.5)
                                  : p->plot.x + p->plot.width * (double)c / (double)(p->columns - 1);
        if (!isnan(v)) points[n++] = (struct sharc_pen_point){x, sharc__plot_y(&p->plot, v)};
    }
    sharc_pen_ink(pen, SHARC_INK_MARK);
    if (n > 1) sharc_pen_lines(pen, points, n, 2);
    for (size_t i = 0; i < n && n <= 60; i++) sharc_pen_shape(pen, SHARC_SHAPE_CIRCLE, points[i].x, points[i].y, 3);
    scale_captures(pen, p);
}

void sharc__figure_draw_series(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    const struct sharc_figure_series *s = &f->series;
    char line[160], from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    if (f->empty) {
        sharc__sheet_title(pen, f, "");
        sharc__sheet_nothing(pen, SHEET_TOP + 70, f->text);
        return;
    }
    snprintf(line, sizeof line,
             "%zu captures, %.10s to %.10s \xc2\xb7 each compared with the one before \xc2\xb7 "
             "numbers below the panels are those of the captures",
             s->count, sharc_time_iso(s->steps[0].first, 0, from), sharc_time_iso(s->steps[s->count - 1].last, 0, to));
    sharc__sheet_title(pen, f, line);
    uint64_t sums[SHARC_FIGURE_CLASS_COUNT] = {0};
    for (size_t i = 1; i < s->count; i++)
        for (int c = 0; c < SHARC_FIGURE_CLASS_COUNT; c++) sums[c] += s->steps[i].all[c];
    sharc__sheet_classes(pen, 74, sums);
    for (int i = 0; i < PANELS; i++) {
        const int row = i / 2;
        const double width = (SHEET_RIGHT - SHEET_LEFT - 70) / 2;
        struct panel p = {.s = s, .columns = s->count - 1};
        p.plot = (struct plot){.x = SHEET_LEFT + (i % 2) * (width + 70),
                               .y = SHEET_TOP + 24 + row * (PANEL_HEIGHT + PANEL_GAP),
                               .width = width,
                               .height = PANEL_HEIGHT};
        const struct sharc_figure_step *x = &s->steps[1];
        if (i == 0) class_stack(pen, &p, x->all, "All pages");
        if (i == 1) link_stack(pen, &p);
        if (i == 2) class_stack(pen, &p, x->kinds[SHARC_FIGURE_HTML], "HTML pages");
        if (i == 3) class_stack(pen, &p, x->kinds[SHARC_FIGURE_IMAGE], "Images");
        if (i == 4) draw_line(pen, &p, similarity_of, 1, "Mean similarity of texts (1: the same)");
        if (i == 5 && is_short(s)) draw_line(pen, &p, seconds_of, 0, "Duration of the capture in seconds");
        if (i == 5 && !is_short(s)) draw_line(pen, &p, minutes_of, 0, "Duration of the capture in minutes");
    }
}
