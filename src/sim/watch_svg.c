/* SPDX-License-Identifier: Apache-2.0
 *
 * Watching strategies against the share of resources: a panel for each measure, a line for each strategy, named at its
 * end. Lines differ by colour and by dashes.
 */
#include "sim_int.h"
#include "watch_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEFT 60.0
#define RIGHT 190.0 /* for the names */
#define TOP 84.0
#define HIGH 300.0
#define GAP 86.0
#define STEP 15.0 /* between two names */

static const char *const colours[] = {"#2c6fb2", "#c8402f", "#3a8f5c", "#b07a12", "#7a4fb0", "#0f8a95", "#8a8f96"};
static const char *const dashes[] = {"", "6 3", "2 3"};

struct curve {
    const char *name;
    const struct sharc_sim_watched *w;
    size_t shares, number;
    double y; /* where its name stands */
};

struct panel {
    enum sharc_sim_watch_measure measure;
    double top, most;
};

static double y_of(const struct panel *p, double value)
{
    return p->top + HIGH * (1 - fmin(value / p->most, 1));
}

static double x_of(double share)
{
    return LEFT + (SIM_SVG_WIDTH - LEFT - RIGHT) * fmin(share, 1);
}

static int from_the_top(const void *a, const void *b)
{
    const struct curve *x = a, *y = b;
    if (x->y < y->y || x->y > y->y) return x->y < y->y ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Names that would overlap are moved apart, and all back into the panel. */
static void place_names(struct curve *c, size_t n, const struct panel *p)
{
    qsort(c, n, sizeof *c, from_the_top);
    for (size_t i = 1; i < n; i++) c[i].y = fmax(c[i].y, c[i - 1].y + STEP);
    double over = n ? c[n - 1].y - (p->top + HIGH) : 0;
    for (size_t i = n; over > 0 && i-- > 0;) {
        c[i].y -= over;
        if (i > 0) over = fmax(0, c[i - 1].y + STEP - c[i].y);
    }
}

static void draw_curve(struct sharc_buf *out, const struct curve *c, const struct panel *p)
{
    const char *colour = colours[c->number % SHARC_LENGTH(colours)];
    const char *dash = dashes[c->number / SHARC_LENGTH(colours) % SHARC_LENGTH(dashes)];
    sharc_buf_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\" points=\"",
                     colour, c->number == 0 ? "3" : "1.6", dash);
    for (size_t k = 0; k < c->shares; k++)
        sharc_buf_printf(out, "%s%.1f,%.1f", k ? " " : "", x_of(c->w[k].share),
                         y_of(p, sharc__sim_watch_value(&c->w[k], p->measure)));
    sharc_buf_put_str(out, "\"/>\n");
    const double end = x_of(c->w[c->shares - 1].share);
    sharc_buf_printf(out, "<line stroke=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", colour, end + 2,
                     y_of(p, sharc__sim_watch_value(&c->w[c->shares - 1], p->measure)), end + 26, c->y);
    sharc__sim_svg_label(out, end + 30, c->y + 4, c->number == 0 ? "" : "s", c->name);
}

static void draw_axes(struct sharc_buf *out, const struct panel *p)
{
    char text[32];
    SHARC_AUTO(sharc_freep)
    char *title =
        sharc_asprintf("%s: %s", sharc_sim_watch_measure_name(p->measure), sharc__sim_watch_title(p->measure));
    sharc__sim_svg_label(out, LEFT, p->top - 12, "", title);
    for (int i = 0; i <= 5; i++) {
        const double y = y_of(p, p->most * i / 5);
        sharc__sim_svg_line(out, "gr", LEFT, y, SIM_SVG_WIDTH - RIGHT, y);
        snprintf(text, sizeof text, "%.3g", p->most * i / 5);
        sharc__sim_svg_label(out, LEFT - 8, y + 4, "s e", text);
        snprintf(text, sizeof text, "%d %%", 20 * i);
        sharc__sim_svg_label(out, x_of(i / 5.0), p->top + HIGH + 18, "s m", text);
    }
    sharc__sim_svg_line(out, "ax", LEFT, p->top + HIGH, SIM_SVG_WIDTH - RIGHT, p->top + HIGH);
    sharc__sim_svg_label(out, x_of(0.5), p->top + HIGH + 36, "s m", "share of all resources");
}

static void draw_panel(struct sharc_buf *out, const struct sharc_sim_watched *w, size_t n, struct panel *p)
{
    const size_t shares = sharc__sim_watch_shares(w, n), count = shares ? n / shares : 0;
    SHARC_AUTO(sharc_freep) struct curve *curves = SHARC_NEW_ARRAY(struct curve, count + 1);
    p->most = p->measure == SHARC_WATCHED_BLUR || p->measure == SHARC_WATCHED_GAP ? 1e-9 : 1;
    for (size_t i = 0; i < n; i++) p->most = fmax(p->most, sharc__sim_watch_value(&w[i], p->measure));
    draw_axes(out, p);
    for (size_t i = 0; i < count; i++)
        curves[i] = (struct curve){.name = sharc_watch_name(w[i * shares].strategy),
                                   .w = &w[i * shares],
                                   .shares = shares,
                                   .number = i,
                                   .y = y_of(p, sharc__sim_watch_value(&w[i * shares + shares - 1], p->measure))};
    place_names(curves, count, p);
    for (size_t i = count; i-- > 0;) draw_curve(out, &curves[i], p);
}

void sharc_sim_watch_svg(const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                         unsigned wanted, struct sharc_buf *out)
{
    double panels = 0;
    for (int m = 0; m < SHARC_WATCHED_MEASURES; m++) panels += (wanted & 1u << m) != 0;
    SHARC_AUTO(sharc_freep)
    char *title = sharc_asprintf("Watching: %.60s, %s", sharc_sim_scene_name(scene),
                                 SHARC_COUNT(sharc_sim_scene_pages(scene), "page"));
    SHARC_AUTO(sharc_freep)
    char *all = sharc_asprintf("all resources are %.1f downloads per hour", sharc_sim_scene_full(scene));
    sharc__sim_svg_open(out, TOP + panels * (HIGH + GAP), title, all);
    struct panel p = {.top = TOP};
    for (int m = 0; m < SHARC_WATCHED_MEASURES; m++) {
        if (!(wanted & 1u << m)) continue;
        p.measure = (enum sharc_sim_watch_measure)m;
        draw_panel(out, w, n, &p);
        p.top += HIGH + GAP;
    }
    sharc__sim_svg_close(out);
}
