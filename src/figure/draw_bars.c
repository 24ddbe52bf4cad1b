/* SPDX-License-Identifier: Apache-2.0
 *
 * Bars: what the pages of a capture prove, what is wrong with them, and how parts of a site change.
 */
#include "draw_int.h"

#include <inttypes.h>
#include <stdio.h>

#define BAR_STEP 34.0
#define BAR_FROM 420.0

struct bar {
    const char *label;
    uint64_t count;
    enum sharc_figure_class colour;
};

/* The bars of the figure; how many. most: room. */
static size_t bars_of(const struct sharc_figure *f, struct bar *bars)
{
    size_t n = 0;
    if (f->name == SHARC_FIGURE_DRAW_DEFECTS) {
        for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++)
            if (f->judged.defects[i])
                bars[n++] = (struct bar){sharc_assess_defect_text((enum sharc_assess_defect)i), f->judged.defects[i],
                                         SHARC_FIGURE_LINKS};
        return n;
    }
    for (int i = 1; i < SHARC_GRADE_REASON_COUNT; i++) {
        enum sharc_grade_reason r = (enum sharc_grade_reason)i;
        if (f->judged.graded && f->judged.reasons[i])
            bars[n++] = (struct bar){sharc_grade_reason_text(r), f->judged.reasons[i], sharc_figure_class_of_grade(r)};
    }
    return n;
}

enum { BARS_MOST = SHARC_GRADE_REASON_COUNT + SHARC_ASSESS_DEFECT_COUNT };

void sharc__figure_about_bars(struct sharc_figure *f)
{
    struct bar bars[BARS_MOST];
    const struct sharc_assess_capture *c = &f->judged;
    const bool defects = f->name == SHARC_FIGURE_DRAW_DEFECTS;
    size_t n = bars_of(f, bars);
    f->empty = n == 0;
    f->title = sharc_asprintf("%s %s", defects ? "What is wrong with pages of" : "What the pages of", c->site);
    if (!defects) {
        char *title = sharc_asprintf("%s prove", f->title);
        sharc_freep(&f->title);
        f->title = title;
    }
    if (defects)
        f->text = sharc_strdup(f->empty ? "No defect was found."
                                        : "Pages by what is wrong with them; a page may count more than once.");
    else if (!c->graded)
        f->text =
            sharc_strdup("The capture is not graded: its pages were not visited twice, or nobody compared the visits.");
    else
        f->text = sharc_asprintf("%" PRIu64 " of %s the same before and after.", sharc_assess_same(c),
                                 SHARC_COUNT(c->judged, "page was|pages were"));
    f->picture.height = SHEET_TOP + (f->empty ? 150 : 20 + BAR_STEP * (double)n);
}

void sharc__figure_draw_bars(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    struct bar bars[BARS_MOST];
    size_t n = bars_of(f, bars);
    uint64_t most = 1;
    sharc__sheet_title(pen, f, f->empty ? f->judged.key : f->text);
    if (f->empty) sharc__sheet_nothing(pen, SHEET_TOP + 50, f->text);
    for (size_t i = 0; i < n; i++) most = bars[i].count > most ? bars[i].count : most;
    for (size_t i = 0; i < n; i++) {
        double y = SHEET_TOP - 10 + BAR_STEP * (double)i,
               width = (SHEET_RIGHT - BAR_FROM - 110) * (double)bars[i].count / (double)most;
        char text[64], count[32];
        uint64_t of = f->judged.judged ? f->judged.judged : f->judged.pages;
        sharc_pen_ink(pen, SHARC_INK_TEXT);
        sharc_pen_text(pen, BAR_FROM - 12, y + 11, sharc_span_of(bars[i].label),
                       (struct sharc_pen_text){.size = 11.5, .side = 1, .room = BAR_FROM - 36, .middle = true});
        sharc__class_colour(pen, bars[i].colour, 1);
        sharc_pen_rect(pen, BAR_FROM, y, width < 2 ? 2 : width, 22);
        if (width > 24 && f->name == SHARC_FIGURE_DRAW_GRADES) {
            char letter[2] = {sharc_figure_class_letter(bars[i].colour), 0};
            sharc_pen_ink(pen, SHARC_INK_PAPER);
            sharc_pen_text(pen, BAR_FROM + 11, y + 11, sharc_span_of(letter),
                           (struct sharc_pen_text){.size = 11, .bold = true, .middle = true});
        }
        snprintf(text, sizeof text, "%s  (%.1f %%)", sharc__number(bars[i].count, count),
                 of ? 100.0 * (double)bars[i].count / (double)of : 0.0);
        sharc_pen_ink(pen, SHARC_INK_TEXT);
        sharc_pen_text(pen, BAR_FROM + width + 8, y + 11, sharc_span_of(text),
                       (struct sharc_pen_text){.size = 11, .side = -1, .middle = true});
    }
}

/* --- sub-sites ------------------------------------------------------------------------------------------- */

void sharc__figure_about_subsites(struct sharc_figure *f)
{
    const struct sharc_figure_subsites *s = &f->subsites;
    f->empty = s->count == 0;
    f->title = sharc_asprintf("Parts of %s, by how often their pages change", f->site ? f->site : "the site");
    f->text = f->empty
                  ? sharc_strdup("There is no page to look at.")
                  : sharc_asprintf(
                        "%zu %s of the site: hosts, folders with a sitemap of their own, and folders that change in "
                        "a way of their own. A bar is the share of comparisons in which a page had changed, with "
                        "its interval of 95 %%.",
                        s->count, s->count == 1 ? "part" : "parts");
    f->picture.height = SHEET_TOP + (f->empty ? 150 : 46 + BAR_STEP * (double)s->count);
}

static void put_subsite(struct sharc_pen *pen, const struct sharc_figure_subsite *x, double y)
{
    static const uint8_t colours[] = {SHARC_FIGURE_INSIGNIFICANT, SHARC_FIGURE_LINKS, SHARC_FIGURE_UNCHANGED,
                                      SHARC_FIGURE_NEW};
    const double wide = SHEET_RIGHT - BAR_FROM - 190;
    char text[160], n[32];
    sharc_pen_ink(pen, SHARC_INK_TEXT);
    sharc_pen_text(pen, 24 + (x->parent == UINT32_MAX ? 0 : 14), y + 11, x->prefix,
                   (struct sharc_pen_text){.size = 11.5, .side = -1, .room = BAR_FROM - 120, .middle = true});
    snprintf(text, sizeof text, "%s %s", sharc__number(x->pages, n), x->pages == 1 ? "page" : "pages");
    sharc_pen_ink(pen, SHARC_INK_SOFT);
    sharc_pen_text(pen, BAR_FROM - 10, y + 11, sharc_span_of(text),
                   (struct sharc_pen_text){.size = 10, .side = 1, .middle = true});
    if (!x->compared) {
        sharc_pen_text(pen, BAR_FROM + 6, y + 11, SHARC_SPAN("never looked at twice"),
                       (struct sharc_pen_text){.size = 10, .side = -1, .middle = true});
        return;
    }
    sharc__class_colour(pen, (enum sharc_figure_class)colours[x->manner], 1);
    sharc_pen_rect(pen, BAR_FROM, y + 3, x->share * wide < 1.5 ? 1.5 : x->share * wide, 16);
    sharc_pen_ink(pen, SHARC_INK_TEXT);
    sharc_pen_line(pen, BAR_FROM + x->low * wide, y + 11, BAR_FROM + x->high * wide, y + 11, 1.5);
    sharc_pen_line(pen, BAR_FROM + x->low * wide, y + 7, BAR_FROM + x->low * wide, y + 15, 1.5);
    sharc_pen_line(pen, BAR_FROM + x->high * wide, y + 7, BAR_FROM + x->high * wide, y + 15, 1.5);
    snprintf(text, sizeof text, "%.1f %%%s%s", 100 * x->share, x->manner ? ", " : "",
             x->manner == SHARC_FIGURE_FASTER        ? "faster than the rest"
             : x->manner == SHARC_FIGURE_SLOWER      ? "slower than the rest"
             : x->manner == SHARC_FIGURE_OTHER_TIMES ? "at other times"
                                                     : "");
    sharc_pen_text(pen, BAR_FROM + x->high * wide + 8, y + 11, sharc_span_of(text),
                   (struct sharc_pen_text){.size = 11, .side = -1, .middle = true});
}

void sharc__figure_draw_subsites(struct sharc_pen *pen, const void *arg)
{
    const struct sharc_figure *f = arg;
    char line[160];
    snprintf(line, sizeof line,
             "%s \xc2\xb7 share of comparisons in which a page had changed, 0 to 100 %%, with interval of 95 %%",
             COUNTED(f->subsites.pages, "page"));
    sharc__sheet_title(pen, f, f->empty ? "" : line);
    if (f->empty) sharc__sheet_nothing(pen, SHEET_TOP + 50, f->text);
    for (size_t i = 0; i < f->subsites.count; i++)
        put_subsite(pen, &f->subsites.rows[i], SHEET_TOP - 14 + BAR_STEP * (double)i);
}
