/* SPDX-License-Identifier: Apache-2.0
 *
 * The pen: everything that is drawn, by cairo. The font is DejaVu Sans where it is installed.
 */
#include "paper_int.h"

#include <stdlib.h>

bool sharc__paper_begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Cairo takes these for an error, after which it draws nothing more. */
static bool is_noncharacter(uint32_t c)
{
    return (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

char *sharc__paper_clean(struct sharc_span s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    uint32_t c;
    if (s.n > 1u << 18) s.n = 1u << 18;
    for (size_t i = 0, n; i < s.n; i += n) {
        n = sharc_utf8_decode(sharc_span_from(s, i), &c);
        bool bad = n == 0 || c < ' ' || (c >= 0x7f && c < 0xa0) || is_noncharacter(c);
        if (n == 0) n = 1;
        sharc_buf_put(&out, bad ? SHARC_SPAN(" ") : sharc_span_sub(s, i, i + n));
    }
    return sharc_strdup(sharc_buf_str(&out));
}

#ifdef SHARC_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>

#define DENSITY 2.0
#define INKS 6

struct sharc_pen {
    cairo_t *cr;   /* what is drawn on now */
    cairo_t *page; /* while dense: where the pixels will go */
    double dense_x, dense_y;
    bool dark;
};

bool sharc_pen_dark(const struct sharc_pen *pen)
{
    return pen->dark;
}

void sharc_pen_colour(struct sharc_pen *pen, uint32_t rgb, double alpha)
{
    cairo_set_source_rgba(pen->cr, (double)(rgb >> 16 & 255) / 255, (double)(rgb >> 8 & 255) / 255,
                          (double)(rgb & 255) / 255, alpha);
}

void sharc_pen_ink(struct sharc_pen *pen, enum sharc_pen_ink ink)
{
    static const uint32_t inks[2][INKS] = {{0x1b1b1b, 0x55595e, 0x8a8f94, 0xe3e5e7, 0xffffff, 0x0b4f7a},
                                           {0xe8e8e4, 0xaeb3b9, 0x7d838a, 0x2b2f34, 0x14171a, 0x8cc8f0}};
    sharc_pen_colour(pen, inks[pen->dark][ink], 1);
}

void sharc_pen_rect(struct sharc_pen *pen, double x, double y, double width, double height)
{
    cairo_rectangle(pen->cr, x, y, width, height);
    cairo_fill(pen->cr);
}

void sharc_pen_line(struct sharc_pen *pen, double x, double y, double to_x, double to_y, double line)
{
    cairo_set_line_width(pen->cr, line);
    cairo_move_to(pen->cr, x, y);
    cairo_line_to(pen->cr, to_x, to_y);
    cairo_stroke(pen->cr);
}

static void trace(struct sharc_pen *pen, const struct sharc_pen_point *points, size_t n)
{
    cairo_new_path(pen->cr);
    for (size_t i = 0; i < n; i++) cairo_line_to(pen->cr, points[i].x, points[i].y);
}

void sharc_pen_lines(struct sharc_pen *pen, const struct sharc_pen_point *points, size_t n, double line)
{
    trace(pen, points, n);
    cairo_set_line_width(pen->cr, line);
    cairo_set_line_join(pen->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(pen->cr);
}

void sharc_pen_area(struct sharc_pen *pen, const struct sharc_pen_point *points, size_t n)
{
    trace(pen, points, n);
    cairo_close_path(pen->cr);
    cairo_fill(pen->cr);
}

void sharc_pen_hatch(struct sharc_pen *pen, double x, double y, double width, double height)
{
    const double step = 5;
    cairo_save(pen->cr);
    cairo_rectangle(pen->cr, x, y, width, height);
    cairo_clip(pen->cr);
    cairo_set_line_width(pen->cr, 0.7);
    for (double at = floor((x + y) / step) * step; at < x + width + y + height; at += step) {
        cairo_move_to(pen->cr, at - y, y);
        cairo_line_to(pen->cr, at - y - height, y + height);
    }
    cairo_stroke(pen->cr);
    cairo_restore(pen->cr);
}

/* --- marks ----------------------------------------------------------------------------------------- */

static void polygon(cairo_t *cr, int corners, double x, double y, double r, double from)
{
    for (int i = 0; i < corners; i++) {
        double a = from + 2 * M_PI * i / corners;
        cairo_line_to(cr, x + r * cos(a), y + r * sin(a));
    }
    cairo_close_path(cr);
}

static void round_corners(cairo_t *cr, double x, double y, double r)
{
    const double c = r * 0.45;
    cairo_arc(cr, x + r - c, y - r + c, c, -M_PI / 2, 0);
    cairo_arc(cr, x + r - c, y + r - c, c, 0, M_PI / 2);
    cairo_arc(cr, x - r + c, y + r - c, c, M_PI / 2, M_PI);
    cairo_arc(cr, x - r + c, y - r + c, c, M_PI, 3 * M_PI / 2);
    cairo_close_path(cr);
}

void sharc_pen_shape(struct sharc_pen *pen, enum sharc_pen_shape shape, double x, double y, double r)
{
    cairo_t *cr = pen->cr;
    cairo_new_path(cr);
    switch (shape) {
    case SHARC_SHAPE_CIRCLE: cairo_arc(cr, x, y, r, 0, 2 * M_PI); break;
    case SHARC_SHAPE_RING:
        cairo_arc(cr, x, y, r * 0.8, 0, 2 * M_PI);
        cairo_set_line_width(cr, r * 0.45);
        cairo_stroke(cr);
        return;
    case SHARC_SHAPE_SQUARE: cairo_rectangle(cr, x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8); break;
    case SHARC_SHAPE_ROUND: round_corners(cr, x, y, r * 0.95); break;
    case SHARC_SHAPE_HEXAGON: polygon(cr, 6, x, y, r * 1.1, 0); break;
    case SHARC_SHAPE_TRIANGLE: polygon(cr, 3, x, y + r * 0.2, r * 1.25, -M_PI / 2); break;
    case SHARC_SHAPE_DIAMOND: polygon(cr, 4, x, y, r * 1.2, 0); break;
    case SHARC_SHAPE_CROSS:
        cairo_set_line_width(cr, r * 0.55);
        cairo_move_to(cr, x - r * 0.8, y - r * 0.8);
        cairo_line_to(cr, x + r * 0.8, y + r * 0.8);
        cairo_move_to(cr, x + r * 0.8, y - r * 0.8);
        cairo_line_to(cr, x - r * 0.8, y + r * 0.8);
        cairo_stroke(cr);
        return;
    }
    cairo_fill(cr);
}

/* --- text ------------------------------------------------------------------------------------------- */

static void use(cairo_t *cr, double size, bool bold)
{
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

static double width_of(cairo_t *cr, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(cr, text, &e);
    return e.x_advance;
}

double sharc_pen_text_width(struct sharc_pen *pen, struct sharc_span text, double size, bool bold)
{
    SHARC_AUTO(sharc_freep) char *clean = sharc__paper_clean(text);
    use(pen->cr, size, bold);
    return width_of(pen->cr, clean);
}

/* Cut so that an ellipsis fits behind it; the longest beginning by halves. */
static void shorten(cairo_t *cr, char *text, double room)
{
    static const char dots[] = "\xe2\x80\xa6";
    size_t from = 0, to = strlen(text);
    if (width_of(cr, text) <= room || to < 4) return;
    const double left = room - width_of(cr, dots);
    while (from < to) {
        size_t mid = (from + to + 1) / 2, cut = mid;
        while (cut > 0 && !sharc__paper_begins_character(text[cut])) cut--; /* half a character is an error to cairo */
        char kept = text[cut];
        text[cut] = 0;
        bool fits = width_of(cr, text) <= left;
        text[cut] = kept;
        if (fits)
            from = mid;
        else
            to = mid - 1;
    }
    size_t n = strlen(text);
    if (from + sizeof dots > n + 1) from = n + 1 - sizeof dots;
    while (from > 0 && !sharc__paper_begins_character(text[from])) from--;
    memcpy(text + from, dots, sizeof dots);
}

void sharc_pen_text(struct sharc_pen *pen, double x, double y, struct sharc_span text, struct sharc_pen_text how)
{
    SHARC_AUTO(sharc_freep) char *clean = sharc__paper_clean(sharc_span_sub(text, 0, text.n < 600 ? text.n : 600));
    cairo_save(pen->cr);
    use(pen->cr, how.size, how.bold);
    if (how.room > 0) shorten(pen->cr, clean, how.room);
    double width = how.side < 0 ? 0 : width_of(pen->cr, clean);
    cairo_translate(pen->cr, x, y);
    if (how.turn != 0) cairo_rotate(pen->cr, -how.turn * M_PI / 180);
    cairo_move_to(pen->cr, how.side < 0 ? 0 : how.side > 0 ? -width : -width / 2, how.middle ? how.size * 0.36 : 0);
    cairo_show_text(pen->cr, clean);
    cairo_restore(pen->cr);
}

/* --- pixels inside a drawing --------------------------------------------------------------------------- */

static void options(cairo_t *cr)
{
    cairo_font_options_t *o = cairo_font_options_create();
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, o);
    cairo_font_options_destroy(o);
}

void sharc_pen_dense(struct sharc_pen *pen, double x, double y, double width, double height)
{
    if (pen->page) return;
    cairo_surface_t *pixels =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(width * DENSITY), (int)ceil(height * DENSITY));
    pen->page = pen->cr;
    pen->cr = cairo_create(pixels);
    pen->dense_x = x;
    pen->dense_y = y;
    cairo_surface_destroy(pixels); /* the context keeps it */
    options(pen->cr);
    cairo_scale(pen->cr, DENSITY, DENSITY);
    cairo_translate(pen->cr, -x, -y);
}

void sharc_pen_dense_end(struct sharc_pen *pen)
{
    if (!pen->page) return;
    cairo_t *dense = pen->cr;
    cairo_surface_t *pixels = cairo_get_target(dense);
    pen->cr = pen->page;
    pen->page = NULL;
    cairo_save(pen->cr);
    cairo_translate(pen->cr, pen->dense_x, pen->dense_y);
    cairo_scale(pen->cr, 1 / DENSITY, 1 / DENSITY);
    cairo_set_source_surface(pen->cr, pixels, 0, 0);
    cairo_paint(pen->cr);
    cairo_restore(pen->cr);
    cairo_destroy(dense);
}

/* --- pictures -------------------------------------------------------------------------------------------- */

void sharc__paper_draw(cairo_t *cr, const struct sharc_picture *p, bool dark)
{
    struct sharc_pen pen = {.cr = cr, .dark = dark};
    cairo_save(cr);
    options(cr);
    sharc_pen_ink(&pen, SHARC_INK_PAPER);
    sharc_pen_rect(&pen, 0, 0, p->width, p->height);
    p->draw(&pen, p->arg);
    sharc_pen_dense_end(&pen);
    cairo_restore(cr);
}

cairo_status_t sharc__paper_bytes(void *arg, const unsigned char *bytes, unsigned n)
{
    return sharc_buf_put(arg, sharc_span((const char *)bytes, n)) < 0 ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

int sharc__paper_status(cairo_status_t status, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(status != CAIRO_STATUS_SUCCESS, reterr, SHARC_EIO, "cairo cannot draw: %s",
                  cairo_status_to_string(status));
    return 0;
}

static cairo_surface_t *surface_of(const struct sharc_picture *p, enum sharc_picture_form form, struct sharc_buf *out)
{
    if (form == SHARC_PICTURE_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(p->width * DENSITY),
                                          (int)ceil(p->height * DENSITY));
    if (form == SHARC_PICTURE_SVG) {
        cairo_surface_t *s = cairo_svg_surface_create_for_stream(sharc__paper_bytes, out, p->width, p->height);
        cairo_svg_surface_set_document_unit(s, CAIRO_SVG_UNIT_PX);
        return s;
    }
    cairo_surface_t *s = cairo_pdf_surface_create_for_stream(sharc__paper_bytes, out, p->width, p->height);
    SHARC_AUTO(sharc_freep) char *title = sharc__paper_clean(sharc_span_of(p->title));
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z"); /* the same bytes */
    return s;
}

/* --- SVG as cairo writes it, in half the bytes -------------------------------------------------------------- */

/* "rgb(50%, 100%, 0%)" at the start of s as "#80ff00"; cairo 1.16 writes no blanks. Returns how long it was; 0: it is
 * something else. */
static size_t copy_colour(struct sharc_span s, struct sharc_buf *out)
{
    static const char *const behind[] = {"%,", "%,", "%)"};
    char text[64], *at = text + strlen("rgb(");
    double part[3];
    if (!sharc_span_starts(s, SHARC_SPAN("rgb("))) return 0;
    snprintf(text, sizeof text, "%.*s", SHARC_SPAN_ARG(sharc_span_sub(s, 0, sizeof text - 1)));
    for (int i = 0; i < 3; i++) {
        char *end;
        part[i] = strtod(at, &end);
        if (end == at || strncmp(end, behind[i], strlen(behind[i])) != 0) return 0;
        at = end + strlen(behind[i]);
        while (*at == ' ' && i < 2) at++;
    }
    sharc_buf_put_char(out, '#');
    for (int i = 0; i < 3; i++) sharc_buf_printf(out, "%02x", (unsigned)lround(part[i] * 2.55) & 0xff);
    return (size_t)(at - text);
}

/* A number of a path to a hundredth of a pixel. */
static size_t copy_number(struct sharc_span s, struct sharc_buf *out)
{
    char text[32], rounded[32];
    size_t n = 0;
    while (n < s.n && n < sizeof text - 1 && (sharc_is_digit(s.p[n]) || s.p[n] == '.' || s.p[n] == '-')) n++;
    if (n == 0) return 0;
    memcpy(text, s.p, n);
    text[n] = 0;
    size_t end = (size_t)snprintf(rounded, sizeof rounded, "%.2f", strtod(text, NULL));
    while (end > 0 && rounded[end - 1] == '0') end--;
    if (end > 0 && rounded[end - 1] == '.') end--;
    struct sharc_span short_form = sharc_span(rounded, end);
    sharc_buf_put(out, sharc_span_is(short_form, "-0") ? SHARC_SPAN("0") : short_form);
    return n;
}

/* What every element says and need not: it is what SVG takes for granted. */
static size_t skip_default(struct sharc_span s)
{
    static const char *const words[] = {"fill-rule:nonzero;", "fill-opacity:1;", "stroke-opacity:1;"};
    for (size_t i = 0; i < SHARC_LENGTH(words); i++)
        if (sharc_span_starts(s, sharc_span_of(words[i]))) return strlen(words[i]);
    return 0;
}

static bool is_before(struct sharc_span drawn, size_t at, const char *word)
{
    size_t n = strlen(word);
    return at >= n && memcmp(drawn.p + at - n, word, n) == 0;
}

/* cairo numbers its surfaces over the life of the program: without the numbers equal pictures are equal bytes. */
static void copy_svg(struct sharc_span drawn, size_t at, struct sharc_buf *out)
{
    bool path = false;
    while (at < drawn.n) {
        struct sharc_span rest = sharc_span_from(drawn, at);
        size_t used = 0;
        if (is_before(drawn, at, " d=\"")) path = true;
        if (drawn.p[at] == '"') path = false;
        if (path) used = copy_number(rest, out);
        if (!path && drawn.p[at] == 'r') used = copy_colour(rest, out);
        if (!path && !used) used = skip_default(rest);
        if (!path && !used && is_before(drawn, at, "surface"))
            while (at + used < drawn.n && sharc_is_digit(drawn.p[at + used])) used++;
        if (!used) sharc_buf_put_char(out, drawn.p[at++]);
        at += used;
    }
}

/* cairo says nothing about what it drew. */
static int finish_svg(const struct sharc_picture *p, struct sharc_span drawn, struct sharc_buf *out,
                      struct sharc_err *reterr)
{
    size_t at = 0;
    while (at + 4 < drawn.n && memcmp(drawn.p + at, "<svg", 4) != 0) at++;
    size_t end = sharc_span_find(drawn, '>', at);
    SHARC_FAIL_IF(end == SHARC_NPOS, reterr, SHARC_EIO, "cairo wrote no SVG");
    sharc_buf_put(out, sharc_span_sub(drawn, 0, end));
    sharc_buf_put_str(out, " role=\"img\">\n<title>");
    sharc_buf_put_markup(out, sharc_span_of(p->title));
    sharc_buf_put_str(out, "</title>\n<desc>");
    sharc_buf_put_markup(out, sharc_span_of(p->text ? p->text : ""));
    sharc_buf_put_str(out, "</desc>");
    copy_svg(drawn, end + 1, out);
    return sharc_buf_result(out, reterr);
}

int sharc_picture_write(const struct sharc_picture *p, enum sharc_picture_form form, bool dark, struct sharc_buf *out,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf drawn = SHARC_BUF_INIT(1u << 30);
    cairo_surface_t *surface = surface_of(p, form, form == SHARC_PICTURE_SVG ? &drawn : out);
    cairo_t *cr = cairo_create(surface);
    if (form == SHARC_PICTURE_PNG) cairo_scale(cr, DENSITY, DENSITY);
    sharc__paper_draw(cr, p, dark);
    if (form == SHARC_PICTURE_PDF) cairo_show_page(cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && form == SHARC_PICTURE_PNG)
        status = cairo_surface_write_to_png_stream(surface, sharc__paper_bytes, out);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    int r = sharc__paper_status(status, reterr);
    if (r == 0 && form == SHARC_PICTURE_SVG) r = finish_svg(p, sharc_buf_span(&drawn), out, reterr);
    return r < 0 ? r : sharc_buf_result(out, reterr);
}

#else

int sharc_picture_write(const struct sharc_picture *p, enum sharc_picture_form form SHARC_UNUSED,
                        bool dark SHARC_UNUSED, struct sharc_buf *out SHARC_UNUSED, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_EUNSUPPORTED,
                      "%s: this sharc was built without cairo, which draws pictures; the numbers are there as CSV",
                      p->title);
}

#endif
