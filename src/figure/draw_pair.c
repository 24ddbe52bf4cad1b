/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures: every page a mark. In the plane by URL and size; in space by type, folder and URL.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PLOT_HEIGHT 430.0
enum { FOLDERS_SHOWN = 10, MIMES_SHOWN = 6 };

void sharc__figure_about_pair(struct sharc_figure *f)
{
    const struct sharc_figure_pair *p = &f->pair;
    f->empty = p->count == 0;
    f->title = sharc_asprintf("%s: capture %" PRId64 " and capture %" PRId64, p->site ? p->site : f->site, p->a, p->b);
    f->text =
        f->empty
            ? sharc_strdup("There are no two captures of the site to compare.")
            : sharc_asprintf("%s in either: %" PRIu64 " unchanged, %" PRIu64
                             " with other bytes and the same text, %" PRIu64 " with other text, %" PRIu64
                             " with other links, %" PRIu64 " new, %" PRIu64 " missing, %" PRIu64 " undecided.",
                             COUNTED(p->count, "page"), p->all[SHARC_FIGURE_UNCHANGED],
                             p->all[SHARC_FIGURE_INSIGNIFICANT], p->all[SHARC_FIGURE_TEXT], p->all[SHARC_FIGURE_LINKS],
                             p->all[SHARC_FIGURE_NEW], p->all[SHARC_FIGURE_MISSING], p->all[SHARC_FIGURE_FAILED]);
    f->picture.height =
        f->empty ? SHEET_TOP + 180 : SHEET_TOP + PLOT_HEIGHT + (f->name == SHARC_FIGURE_DRAW_SPACE ? 130 : 90);
}

static bool title(struct sharc_pen *pen, const struct sharc_figure *f, const char *axes)
{
    char line[300];
    if (f->empty) {
        sharc__sheet_title(pen, f, "");
        sharc__sheet_nothing(pen, SHEET_TOP + 70, f->text);
        return false;
    }
    snprintf(line, sizeof line, "%.60s and %.60s \xc2\xb7 %s", f->pair.key_a, f->pair.key_b, axes);
    sharc__sheet_title(pen, f, line);
    sharc__sheet_classes(pen, 74, f->pair.all);
    return true;
}

/* What stood still first, so that what changed lies on top. */
static bool in_turn(int turn, enum sharc_figure_class c)
{
    bool still = c == SHARC_FIGURE_UNCHANGED || c == SHARC_FIGURE_INSIGNIFICANT;
    return turn == 0 ? still : !still;
}

/* --- the plane ------------------------------------------------------------------------------------------ */

static int64_t size_of(const struct sharc_figure_point *p)
{
    return p->size_b >= 0 ? p->size_b : p->size_a;
}

/* Folders along the axis: pages are sorted by URL, so that a folder is a stretch of it. */
static void folder_names(struct sharc_pen *pen, const struct sharc_figure_pair *f, const struct plot *p)
{
    double last = -1e9;
    for (size_t i = 0, end; i < f->count; i = end) {
        for (end = i + 1; end < f->count && f->points[end].folder == f->points[i].folder;) end++;
        double from = p->x + p->width * (double)i / (double)f->count,
               to = p->x + p->width * (double)end / (double)f->count;
        if (to - from < 3) continue;
        sharc_pen_ink(pen, SHARC_INK_GRID);
        sharc_pen_line(pen, from, p->y, from, p->y + p->height + 6, 1);
        if (from < last) continue;
        struct sharc_span name = f->folders[f->points[i].folder].name;
        size_t slashes = 0, at = 0;
        while (at < name.n && slashes < 3) slashes += name.p[at++] == '/';
        struct sharc_span shown = at < name.n ? sharc_span_from(name, at - 1) : SHARC_SPAN("/");
        double room = to - from > 60 ? to - from - 4 : 60, wide = sharc_pen_text_width(pen, shown, 10, false);
        last = from + (wide < room ? wide : room) + 8;
        sharc_pen_ink(pen, SHARC_INK_SOFT);
        sharc_pen_text(pen, from + 3, p->y + p->height + 16, shown,
                       (struct sharc_pen_text){.size = 10, .side = -1, .room = room});
    }
}

static void put_point(struct sharc_pen *pen, const struct sharc_figure_pair *s, const struct plot *p, size_t i,
                      double r)
{
    const struct sharc_figure_point *x = &s->points[i];
    const bool still = x->change == SHARC_FIGURE_UNCHANGED || x->change == SHARC_FIGURE_INSIGNIFICANT;
    sharc__class_colour(pen, x->change, still ? 0.55 : 0.95);
    sharc_pen_shape(pen, sharc__figure_class_shape(x->change), p->x + p->width * ((double)i + 0.5) / (double)s->count,
                    sharc__plot_y(p, size_of(x) > 0 ? (double)size_of(x) : p->from), r);
}

/* Widen the logarithmic scale until every known size has its place. */
static void fit_sizes(struct plot *p, const struct sharc_figure_pair *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const int64_t size = size_of(&s->points[i]);
        while (size > p->to && p->to < 1e15) p->to *= 10;
        while (size > 0 && size < p->from && p->from > 1) p->from /= 10;
    }
}

void sharc__figure_draw_pair(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    const struct sharc_figure_pair *s = &f->pair;
    if (!title(pen, f, "pages by URL (left to right, folders named below) and size in bytes (logarithmic)")) return;
    struct plot p = {SHEET_LEFT, SHEET_TOP + 24, SHEET_RIGHT - SHEET_LEFT, PLOT_HEIGHT, .from = 100,
                     .to = 1000, .log = true};
    fit_sizes(&p, s);
    sharc__plot_frame(pen, &p, "Size in bytes");
    folder_names(pen, s, &p);
    const bool dense = s->count > DENSE_FROM;
    const double r = s->count > 20000 ? 1.2 : s->count > 2000 ? 1.8 : s->count > 300 ? 2.8 : 4;
    if (dense) sharc_pen_dense(pen, p.x - 8, p.y - 8, p.width + 16, p.height + 16);
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < s->count; i++)
            if (in_turn(turn, s->points[i].change)) put_point(pen, s, &p, i, turn ? r * 1.25 : r);
    if (dense) sharc_pen_dense_end(pen);
}

/* --- space --------------------------------------------------------------------------------------------- */

struct space {
    double x, y;             /* the corner in front on the left */
    double wide, deep, high; /* of the box on the sheet */
};

/* MIME type along the front, folder into the depth, URL upwards: each 0 … 1. */
static struct sharc_pen_point project(const struct space *s, double mime, double folder, double url)
{
    return (struct sharc_pen_point){s->x + mime * s->wide + folder * s->deep,
                                    s->y - folder * s->deep * 0.55 - url * s->high};
}

static void edge(struct sharc_pen *pen, const struct space *s, const double from[3], const double to[3])
{
    struct sharc_pen_point a = project(s, from[0], from[1], from[2]), b = project(s, to[0], to[1], to[2]);
    sharc_pen_line(pen, a.x, a.y, b.x, b.y, 1);
}

static double lane(size_t i, size_t shown, size_t count)
{
    size_t lanes = count < shown ? count : shown;
    return ((double)(i < lanes ? i : lanes - 1) + 0.5) / (double)lanes;
}

static void name_lanes(struct sharc_pen *pen, const struct space *s, const struct sharc_figure_pair *f)
{
    for (size_t i = 0; i < f->mime_count && i < MIMES_SHOWN; i++) {
        bool rest = i + 1 == MIMES_SHOWN && f->mime_count > MIMES_SHOWN;
        struct sharc_pen_point at = project(s, lane(i, MIMES_SHOWN, f->mime_count), 0, 0);
        struct sharc_span name = rest                 ? SHARC_SPAN("other types")
                                 : f->mimes[i].name.n ? f->mimes[i].name
                                                      : SHARC_SPAN("no type");
        sharc_pen_text(pen, at.x, at.y + 16, name, (struct sharc_pen_text){.size = 10, .room = s->wide / 5});
    }
    for (size_t i = 0; i < f->folder_count && i < FOLDERS_SHOWN; i++) {
        bool rest = i + 1 == FOLDERS_SHOWN && f->folder_count > FOLDERS_SHOWN;
        struct sharc_pen_point at = project(s, 1, lane(i, FOLDERS_SHOWN, f->folder_count), 0);
        struct sharc_span name = rest ? SHARC_SPAN("other folders") : f->folders[i].name;
        size_t slash = name.n > 8 ? sharc_span_find(name, '/', 8) : SHARC_NPOS;
        if (!rest && slash != SHARC_NPOS) name = sharc_span_from(name, slash);
        sharc_pen_text(pen, at.x + 10, at.y + 4, name, (struct sharc_pen_text){.size = 10, .side = -1, .room = 150});
    }
}

void sharc__figure_draw_space(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    const struct sharc_figure_pair *p = &f->pair;
    if (!title(pen, f, "type (front), folder (depth), URL in alphabetical order (up)")) return;
    struct space s = {70, SHEET_TOP + PLOT_HEIGHT + 60, 440, 240, 290};
    static const double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {3, 7}, {2, 6}, {4, 7}, {7, 6}};
    sharc_pen_ink(pen, SHARC_INK_LINE);
    for (size_t i = 0; i < SHARC_LENGTH(edges); i++) edge(pen, &s, corners[edges[i][0]], corners[edges[i][1]]);
    sharc_pen_ink(pen, SHARC_INK_GRID);
    for (size_t i = 0; i < p->folder_count && i < FOLDERS_SHOWN; i++) {
        double d = lane(i, FOLDERS_SHOWN, p->folder_count);
        edge(pen, &s, (double[]){0, d, 0}, (double[]){1, d, 0});
        edge(pen, &s, (double[]){0, d, 0}, (double[]){0, d, 1});
    }
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    name_lanes(pen, &s, p);
    if (p->count > DENSE_FROM) sharc_pen_dense(pen, 0, SHEET_TOP - 20, SHEET_WIDTH, PLOT_HEIGHT + 140);
    const double r = p->count > 20000 ? 1.2 : p->count > 2000 ? 1.8 : 3.2;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < p->count; i++) {
            const struct sharc_figure_point *x = &p->points[i];
            if (!in_turn(turn, x->change)) continue;
            /* Spread inside a lane by the number of the page, so that marks do not hide each other. */
            double spread = ((double)(i * 7919 % 97) / 97 - 0.5) * 0.7;
            double mimes = (double)(p->mime_count < MIMES_SHOWN ? p->mime_count : MIMES_SHOWN);
            struct sharc_pen_point at =
                project(&s, lane(x->mime, MIMES_SHOWN, p->mime_count) + spread / mimes,
                        lane(x->folder, FOLDERS_SHOWN, p->folder_count), ((double)i + 0.5) / (double)p->count);
            sharc__class_colour(pen, x->change, turn ? 0.95 : 0.5);
            sharc_pen_shape(pen, sharc__figure_class_shape(x->change), at.x, at.y, turn ? r * 1.2 : r);
        }
    sharc_pen_dense_end(pen);
}
