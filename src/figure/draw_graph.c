/* SPDX-License-Identifier: Apache-2.0
 *
 * The site as a tree around its root: shape by kind, colour and letter by what changed; a branch that stood still is
 * one circle, as large as it has pages.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define RADIUS 370.0

void sharc__figure_about_graph(struct sharc_figure *f)
{
    const struct sharc_figure_graph *g = &f->graph;
    size_t folded = 0;
    for (size_t i = 0; i < g->count; i++) folded += g->nodes[i].folded;
    f->empty = g->count == 0;
    f->title = sharc_asprintf("How the crawl found %s", g->site ? g->site : "");
    if (f->empty)
        f->text = sharc_strdup("This capture holds no page.");
    else if (folded == 0)
        f->text = sharc_asprintf("%s, each below the page on which it was found.", COUNTED(g->pages, "page"));
    else
        f->text = sharc_asprintf("%s, each below the page on which it was found; every branch in which nothing "
                                 "changed is one mark (%zu).",
                                 COUNTED(g->pages, "page"), folded);
    f->picture.height = f->empty ? SHEET_TOP + 180 : SHEET_TOP + 2 * RADIUS + 60;
}

static void place(const struct sharc_figure_node *n, double *x, double *y)
{
    *x = SHEET_WIDTH / 2 + (double)n->x * RADIUS;
    *y = SHEET_TOP + 20 + RADIUS + (double)n->y * RADIUS;
}

static double size_of(const struct sharc_figure_node *n, size_t count)
{
    double base = count > 20000 ? 1 : count > 3000 ? 1.6 : count > 500 ? 2.6 : count > 60 ? 4.5 : 8;
    if (n->depth == 0) return base * 1.6;
    return n->folded ? base + (count > 60 ? 1.1 : 2.5) * sqrt(sqrt((double)n->pages)) : base;
}

/* Where names stand: one that would lie on another is left out. */
enum { MOST_NAMED = 60 };
struct names {
    double at[MOST_NAMED][2];
    size_t count;
};

static void put_name(struct sharc_pen *pen, const struct sharc_figure_node *n, double x, double y, struct names *names)
{
    const double wide = 134, high = 10;
    size_t slash = n->url.n > 8 ? sharc_span_find(n->url, '/', 8) : SHARC_NPOS;
    for (size_t i = 0; i < names->count; i++)
        if (fabs(names->at[i][0] - x) < wide && fabs(names->at[i][1] - y) < high) return;
    if (names->count == MOST_NAMED) return;
    names->at[names->count][0] = x;
    names->at[names->count++][1] = y;
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc_pen_text(pen, x, y, slash == SHARC_NPOS ? n->url : sharc_span_from(n->url, slash),
                   (struct sharc_pen_text){.size = 9, .room = 130});
}

static void draw_node(struct sharc_pen *pen, const struct sharc_figure_node *n, size_t count, struct names *names)
{
    double x, y, r = size_of(n, count);
    place(n, &x, &y);
    sharc__class_colour(pen, n->change, n->folded ? 0.55 : 1);
    sharc_pen_shape(pen, n->folded ? SHARC_SHAPE_CIRCLE : sharc__figure_kind_shape(n->kind), x, y, r);
    char text[24];
    if (count <= MOST_NAMED && !n->folded) put_name(pen, n, x, y + r + 11, names);
    if (n->folded && count < 600 && r > 6.5) {
        snprintf(text, sizeof text, "%" PRIu32, n->pages);
        sharc_pen_ink(pen, SHARC_INK_TEXT);
        sharc_pen_text(pen, x, y, sharc_span_of(text), (struct sharc_pen_text){.size = 8, .middle = true});
    } else if (!n->folded && count < 150 && n->change != SHARC_FIGURE_UNCHANGED) {
        snprintf(text, sizeof text, "%c", sharc_figure_class_letter(n->change));
        sharc_pen_ink(pen, SHARC_INK_PAPER);
        sharc_pen_text(pen, x, y, sharc_span_of(text),
                       (struct sharc_pen_text){.size = r > 6 ? 10 : 7, .bold = true, .middle = true});
    }
}

static void kinds(struct sharc_pen *pen, const struct sharc_figure_graph *g, double y)
{
    uint64_t counts[SHARC_FIGURE_KIND_COUNT] = {0};
    double x = 24;
    char text[80], n[32];
    bool folded = false;
    for (size_t i = 0; i < g->count; i++) {
        folded = folded || g->nodes[i].folded;
        if (!g->nodes[i].folded && g->nodes[i].pages) counts[g->nodes[i].kind]++;
    }
    for (int k = 0; k < SHARC_FIGURE_KIND_COUNT; k++) {
        if (!counts[k]) continue;
        snprintf(text, sizeof text, "%s: %s", sharc_figure_kind_text((enum sharc_figure_kind)k),
                 sharc__number(counts[k], n));
        x = sharc__sheet_key(pen, x, y, sharc__figure_kind_shape((enum sharc_figure_kind)k), 0x808890, text);
    }
    if (!folded) return;
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc__sheet_text(pen, x, y, -1, 11, "(drawn one by one; folded branches carry their number of pages)");
}

void sharc__figure_draw_graph(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    const struct sharc_figure_graph *g = &f->graph;
    char line[200];
    if (f->empty) {
        sharc__sheet_title(pen, f, "");
        sharc__sheet_nothing(pen, SHEET_TOP + 70, f->text);
        return;
    }
    if (g->against)
        snprintf(line, sizeof line, "%s \xc2\xb7 %s \xc2\xb7 compared with capture %" PRId64, g->key,
                 COUNTED(g->pages, "page"), g->against);
    else
        snprintf(line, sizeof line, "%s \xc2\xb7 %s \xc2\xb7 visit and revisit compared", g->key,
                 COUNTED(g->pages, "page"));
    sharc__sheet_title(pen, f, line);
    sharc__sheet_classes(pen, 74, g->all);
    kinds(pen, g, 92);
    const bool dense = g->count > DENSE_FROM;
    if (dense) sharc_pen_dense(pen, 0, SHEET_TOP + 6, SHEET_WIDTH, 2 * RADIUS + 50);
    sharc_pen_ink(pen, dense ? SHARC_INK_GRID : SHARC_INK_LINE);
    for (size_t i = 1; i < g->count; i++) {
        double x, y, up_x, up_y;
        place(&g->nodes[i], &x, &y);
        place(&g->nodes[g->nodes[i].parent], &up_x, &up_y);
        sharc_pen_line(pen, up_x, up_y, x, y, dense ? 0.35 : 0.7);
    }
    struct names names = {.count = 0};
    for (int turn = 0; turn < 2; turn++) /* what changed lies on top */
        for (size_t i = 0; i < g->count; i++)
            if ((g->nodes[i].change != SHARC_FIGURE_UNCHANGED) == (turn == 1))
                draw_node(pen, &g->nodes[i], g->count, &names);
    sharc_pen_dense_end(pen);
}
