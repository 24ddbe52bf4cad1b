/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of schedules and results. Plain SVG with a style sheet that follows
 * the reader's light or dark setting; numbers are rounded to a tenth of a unit,
 * so that files stay small and are the same on every machine.
 */
#include "sharc/sim_report.h"

#include "sim_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH SIM_SVG_WIDTH
#define HEIGHT 430.0
#define LEFT 70.0
#define RIGHT 24.0
#define TOP 64.0
#define BOTTOM 56.0
#define COLUMNS 400u /* bars and lines that can be told apart */
#define HEATS 6

static const char *const style =
    "<style>"
    "text{font:13px system-ui,'Segoe UI','DejaVu Sans',sans-serif;fill:#3c4650}"
    ".t{font-size:17px;font-weight:600;fill:#16202a}.s{font-size:12px;fill:#6b7680}.e{text-anchor:end}.m{text-anchor:"
    "middle}"
    ".bg{fill:#fff}.ax{stroke:#9aa5b0;stroke-width:1;fill:none}.gr{stroke:#e4e9ee;stroke-width:1}"
    ".rf{stroke:#16202a;stroke-width:1.2;stroke-dasharray:4 4}"
    ".h0{fill:#2c6fb2}.h1{fill:#4a98c5}.h2{fill:#8abf9f}.h3{fill:#e3bb4c}.h4{fill:#e0832f}.h5{fill:#c8402f}"
    ".ok{stroke:#2c6fb2}.no{stroke:#c8402f}.ch{stroke:#e3a32c}.l{stroke-width:1.4}"
    ".b1{fill:#2c6fb2}.b2{fill:#8aa0b4}.wh{stroke:#16202a;stroke-width:1.2}"
    "@media(prefers-color-scheme:dark){text{fill:#b9c4ce}.t{fill:#eef2f5}.s{fill:#8d99a5}.bg{fill:#14191f}"
    ".ax{stroke:#5c6772}.gr{stroke:#28313a}.rf{stroke:#eef2f5}.h0,.b1{fill:#4f97da}.ok{stroke:#4f97da}"
    ".no{stroke:#f0695a}.h5{fill:#f0695a}.ch{stroke:#f0c04c}.b2{fill:#5d7285}.wh{stroke:#eef2f5}}"
    "</style>";

void sharc__sim_svg_label(struct sharc_buf *out, double x, double y, const char *class, const char *text)
{
    sharc_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    sharc_buf_put_markup(out, sharc_span_of(text));
    sharc_buf_put_str(out, "</text>\n");
}

void sharc__sim_svg_open(struct sharc_buf *out, double height, const char *title, const char *subtitle)
{
    sharc_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
        "role=\"img\">\n<title>",
        WIDTH, height, WIDTH, height);
    sharc_buf_put_markup(out, sharc_span_of(title));
    sharc_buf_printf(out, "</title>\n%s\n<rect class=\"bg\" width=\"%.0f\" height=\"%.0f\"/>\n", style, WIDTH, height);
    sharc__sim_svg_label(out, LEFT, 28, "t", title);
    sharc__sim_svg_label(out, LEFT, 46, "s", subtitle);
}

void sharc__sim_svg_close(struct sharc_buf *out)
{
    sharc_buf_put_str(out, "</svg>\n");
}

void sharc__sim_svg_line(struct sharc_buf *out, const char *class, double x1, double y1, double x2, double y2)
{
    sharc_buf_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2,
                     y2);
}

static double x_of_slot(double slot, uint32_t slots)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (slots > 1 ? slot / (slots - 1) : 0);
}

static void slot_axis(struct sharc_buf *out, uint32_t slots)
{
    double y = HEIGHT - BOTTOM;
    sharc__sim_svg_line(out, "ax", LEFT, y + 0.5, WIDTH - RIGHT, y + 0.5);
    for (unsigned i = 0; i <= 4; i++) {
        double slot = slots > 1 ? floor((slots - 1) * (double)i / 4) : 0;
        char text[32];
        snprintf(text, sizeof text, "%.0f", slot);
        sharc__sim_svg_label(out, x_of_slot(slot, slots), y + 20, "s m", text);
    }
    sharc__sim_svg_label(out, (LEFT + WIDTH - RIGHT) / 2, y + 42, "s m", "slot: one download per politeness delay");
}

/* --- organ pipes ------------------------------------------------------------- */

struct range {
    double low, high; /* logarithms of the positive rates */
};

static struct range rates_range(const struct sharc_sim_trace *t)
{
    struct range r = {HUGE_VAL, -HUGE_VAL};
    for (uint32_t p = 0; p < t->pages; p++) {
        if (t->rate[p] <= 0) continue;
        r.low = fmin(r.low, log10(t->rate[p]));
        r.high = fmax(r.high, log10(t->rate[p]));
    }
    if (!(r.low <= r.high)) r = (struct range){-1, 0};
    r.low = floor(r.low - 1e-9);
    r.high = fmax(ceil(r.high), r.low + 1);
    return r;
}

static void rate_axis(struct sharc_buf *out, struct range r)
{
    double height = HEIGHT - TOP - BOTTOM;
    int step = (int)fmax(1, ceil((r.high - r.low) / 6));
    for (double e = r.low; e <= r.high + 0.01; e += step) {
        double y = HEIGHT - BOTTOM - height * (e - r.low) / (r.high - r.low);
        sharc__sim_svg_line(out, "gr", LEFT, y, WIDTH - RIGHT, y);
        char text[32];
        snprintf(text, sizeof text, "%g", pow(10, e));
        sharc__sim_svg_label(out, LEFT - 8, y + 4, "s e", text);
    }
}

void sharc_sim_svg_pipes(const struct sharc_sim_trace *t, const char *title, struct sharc_buf *out)
{
    uint32_t last = 0;
    for (uint32_t p = 0; p < t->pages; p++)
        if (t->visit[p] != NEVER && t->visit[p] > last) last = t->visit[p];
    uint32_t slots = last + 1, bars = slots < COLUMNS ? slots : COLUMNS;
    SHARC_AUTO(sharc_freep) double *most = SHARC_NEW_ARRAY(double, bars);
    for (uint32_t p = 0; p < t->pages; p++) {
        if (t->visit[p] == NEVER) continue;
        uint32_t b = (uint32_t)((uint64_t)t->visit[p] * bars / slots);
        most[b] = fmax(most[b], t->rate[p]);
    }
    struct range r = rates_range(t);
    sharc__sim_svg_open(out, HEIGHT, title,
                        "change rate (changes per slot, logarithmic) of the page visited in each slot");
    rate_axis(out, r);
    double width = (WIDTH - LEFT - RIGHT) / bars, height = HEIGHT - TOP - BOTTOM;
    for (uint32_t b = 0; b < bars; b++) {
        double part = most[b] > 0 ? (log10(most[b]) - r.low) / (r.high - r.low) : 0;
        double h = fmax(1, height * part);
        unsigned heat = (unsigned)fmin(HEATS - 1, floor(part * HEATS));
        sharc_buf_printf(out, "<rect class=\"h%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", heat,
                         LEFT + b * width, HEIGHT - BOTTOM - h, fmax(width * 0.85, 0.6), h);
    }
    slot_axis(out, slots);
    sharc__sim_svg_close(out);
}

/* --- pyramid ------------------------------------------------------------------ */

struct interval {
    uint32_t visit, page;
};

static int by_visit(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->visit > y->visit) - (x->visit < y->visit);
}

static void legend(struct sharc_buf *out, double x, const char *class, const char *text)
{
    char both[16];
    snprintf(both, sizeof both, "l %s", class);
    sharc__sim_svg_line(out, both, x, TOP - 8, x + 24, TOP - 8);
    sharc__sim_svg_label(out, x + 30, TOP - 4, "s", text);
}

void sharc_sim_svg_pyramid(const struct sharc_sim_trace *t, const char *title, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_freep) struct interval *v = SHARC_NEW_ARRAY(struct interval, t->pages);
    uint32_t n = 0, turn = 0;
    for (uint32_t p = 0; p < t->pages; p++) {
        if (t->visit[p] == NEVER || t->revisit[p] == NEVER) continue;
        v[n++] = (struct interval){t->visit[p], p};
        if (t->visit[p] > turn) turn = t->visit[p];
    }
    qsort(v, n, sizeof *v, by_visit);
    sharc__sim_svg_open(out, HEIGHT, title,
                        "each line is a page, from its visit to its revisit; the reference time is dashed");
    legend(out, WIDTH - RIGHT - 330, "ok", "coherent");
    legend(out, WIDTH - RIGHT - 225, "ch", "changed");
    legend(out, WIDTH - RIGHT - 120, "no", "hopeless");
    uint32_t lines = n < COLUMNS ? n : COLUMNS;
    double height = HEIGHT - TOP - BOTTOM - 10;
    for (uint32_t i = 0; i < lines; i++) {
        const struct interval *k = &v[(uint64_t)i * n / lines];
        double y = HEIGHT - BOTTOM - 4 - height * i / lines;
        const char *class = t->hopeless[k->page] ? "no l" : t->changed[k->page] ? "ch l" : "ok l";
        double x1 = x_of_slot(k->visit, t->slots), x2 = x_of_slot(t->revisit[k->page], t->slots);
        sharc__sim_svg_line(out, class, x1, y, fmax(x2, x1 + 1.5), y);
    }
    double middle = x_of_slot(turn, t->slots);
    sharc__sim_svg_line(out, "rf", middle, TOP, middle, HEIGHT - BOTTOM);
    slot_axis(out, t->slots);
    sharc__sim_svg_close(out);
}

/* --- bars ----------------------------------------------------------------------- */

struct bar {
    const char *name;
    double value, half;
    bool ours;
};

static int by_value(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

void sharc_sim_svg_bars(const struct sharc_sim_result *results, size_t n, enum sharc_sim_measure measure,
                        const char *title, struct sharc_buf *out)
{
    const double row = 24, left = 220, room = WIDTH - left - 130;
    SHARC_AUTO(sharc_freep) struct bar *bars = SHARC_NEW_ARRAY(struct bar, n);
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        struct sharc_sim_mean m = measure == SHARC_SIM_BLUR ? results[i].average_blur : results[i].incoherence;
        const char *name = results[i].strategy->name;
        bars[i] = (struct bar){name, m.mean, m.half, strncmp(name, "sharc-", 6) == 0};
        most = fmax(most, m.mean + m.half);
    }
    qsort(bars, n, sizeof *bars, by_value);
    sharc__sim_svg_open(out, TOP + row * (double)n + 24, title,
                        measure == SHARC_SIM_BLUR ? "average blur per page, less is better"
                                                  : "incoherent pages, fewer is better");
    for (size_t i = 0; i < n; i++) {
        double y = TOP + row * (double)i, w = most > 0 ? room * bars[i].value / most : 0;
        sharc__sim_svg_label(out, left - 10, y + 14, "e", bars[i].name);
        sharc_buf_printf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>\n",
                         bars[i].ours ? "b1" : "b2", left, y + 2, fmax(w, 1), row - 8);
        double e = most > 0 ? room * bars[i].half / most : 0;
        if (e > 0.5) sharc__sim_svg_line(out, "wh", left + w - e, y + 10, left + w + e, y + 10);
        char text[48];
        snprintf(text, sizeof text, measure == SHARC_SIM_BLUR ? "%.4f" : "%.0f", bars[i].value);
        sharc__sim_svg_label(out, left + w + e + 8, y + 14, "s", text);
    }
    sharc__sim_svg_close(out);
}
