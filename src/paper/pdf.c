/* SPDX-License-Identifier: Apache-2.0
 *
 * A document on paper: A4, laid out by hand with cairo. The font is DejaVu Serif where it is installed.
 */
#include "paper_int.h"

#ifdef SHARC_CAIRO

#include "sharc/base_library.h"

#include <cairo-pdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PAPER_WIDTH 595.28
#define PAPER_HEIGHT 841.89
#define MARGIN 56.0
#define BOTTOM (PAPER_HEIGHT - MARGIN)
#define WIDTH (PAPER_WIDTH - 2 * MARGIN)
#define CELL_GAP 8.0

struct paper {
    cairo_t *cr;
    double y;
    unsigned page;
    const char *foot;
    const struct sharc_paper_block *titles; /* of the table that is open */
    size_t columns;
};

struct face {
    double size, before, after;
    bool bold;
};

static void use(struct paper *p, double size, bool bold)
{
    cairo_select_font_face(p->cr, "DejaVu Serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(p->cr, size);
}

/* --- pages --------------------------------------------------------------------------------- */

static void put_foot(struct paper *p)
{
    SHARC_AUTO(sharc_freep) char *raw = sharc_asprintf("%u   %.150s", p->page, p->foot);
    SHARC_AUTO(sharc_freep) char *text = sharc__paper_clean(sharc_span_of(raw)); /* the cut may split a character */
    use(p, 7, false);
    cairo_move_to(p->cr, MARGIN, PAPER_HEIGHT - MARGIN / 2);
    cairo_show_text(p->cr, text);
}

static void turn(struct paper *p)
{
    put_foot(p);
    cairo_show_page(p->cr);
    p->page++;
    p->y = MARGIN;
}

/* --- lines ------------------------------------------------------------------------------------ */

static double width_of(struct paper *p, const char *text, size_t n)
{
    char buf[512];
    cairo_text_extents_t e;
    if (n >= sizeof buf) n = sizeof buf - 1;
    memcpy(buf, text, n);
    buf[n] = 0;
    cairo_text_extents(p->cr, buf, &e);
    return e.x_advance;
}

/* How much of the text fits into a line: up to a blank, or, if no word fits, to a character. */
static size_t fitting(struct paper *p, const char *text, double width)
{
    size_t best = 0, last = 0, n = strlen(text);
    for (size_t i = 1; i <= n && i < 500; i++) {
        if (text[i] && !sharc__paper_begins_character(text[i])) continue;
        if (width_of(p, text, i) > width) break;
        last = i;
        if (!text[i] || text[i] == ' ') best = i;
    }
    if (last == n) return n;
    return best ? best : last ? last : 1;
}

/* Lines of the text in a column, drawn when y >= 0; how many there are. */
static size_t set_lines(struct paper *p, const char *text, double x, double y, double width, double step)
{
    size_t lines = 0;
    while (*text) {
        char buf[512];
        size_t n = fitting(p, text, width);
        if (n >= sizeof buf) n = sizeof buf - 1;
        memcpy(buf, text, n);
        buf[n] = 0;
        if (y >= 0) {
            cairo_move_to(p->cr, x, y + (double)lines * step);
            cairo_show_text(p->cr, buf);
        }
        lines++;
        text += n;
        while (*text == ' ') text++;
    }
    return lines ? lines : 1;
}

static void put_text(struct paper *p, const char *raw, const struct face *f, double indent)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__paper_clean(sharc_span_of(raw ? raw : ""));
    double step = f->size * 1.4;
    use(p, f->size, f->bold);
    size_t lines = set_lines(p, text, 0, -1, WIDTH - indent, step);
    if (p->y + f->before + step * (double)(lines < 4 ? lines : 4) > BOTTOM) turn(p);
    use(p, f->size, f->bold);
    p->y += f->before + step;
    set_lines(p, text, MARGIN + indent, p->y, WIDTH - indent, step);
    p->y += step * (double)(lines - 1) + f->after;
}

/* --- tables -------------------------------------------------------------------------------------- */

static double column_at(const struct paper *p, size_t i)
{
    static const double three[] = {0, 0.30, 0.42, 1}, four[] = {0, 0.42, 0.50, 0.75, 1};
    if (p->columns == 3 || p->columns == 4) return WIDTH * (p->columns == 4 ? four[i] : three[i]);
    return i == 0 ? 0 : WIDTH * (0.34 + 0.66 * (double)(i - 1) / (double)(p->columns > 1 ? p->columns - 1 : 1));
}

static void rule(struct paper *p)
{
    cairo_set_line_width(p->cr, 0.4);
    cairo_move_to(p->cr, MARGIN, p->y);
    cairo_line_to(p->cr, MARGIN + WIDTH, p->y);
    cairo_stroke(p->cr);
}

static void put_cells(struct paper *p, const struct sharc_paper_block *b, bool bold)
{
    const double size = 7.5, step = size * 1.35;
    size_t most = 1;
    char *cells[SHARC_PAPER_CELLS] = {NULL};
    use(p, size, bold);
    for (size_t i = 0; i < p->columns; i++) {
        double width = column_at(p, i + 1) - column_at(p, i) - CELL_GAP;
        cells[i] = sharc__paper_clean(sharc_span_of(b->cells[i] ? b->cells[i] : ""));
        size_t lines = set_lines(p, cells[i], 0, -1, width, step);
        most = lines > most ? lines : most;
    }
    if (most > 40) most = 40; /* no cell fills a page */
    if (p->y + step * (double)most + 6 > BOTTOM) {
        turn(p);
        if (!bold && p->titles) put_cells(p, p->titles, true);
    }
    use(p, size, bold);
    for (size_t i = 0; i < p->columns; i++) {
        double width = column_at(p, i + 1) - column_at(p, i) - CELL_GAP;
        set_lines(p, cells[i], MARGIN + column_at(p, i), p->y + step, width, step);
        free(cells[i]);
    }
    p->y += step * (double)most + 4;
    rule(p);
}

static void put_titles(struct paper *p, const struct sharc_paper_block *b)
{
    p->titles = b;
    p->columns = 0;
    while (p->columns < SHARC_PAPER_CELLS && b->cells[p->columns]) p->columns++;
    p->y += 6;
    put_cells(p, b, true);
}

/* --- blocks ---------------------------------------------------------------------------------------- */

static void put_line(struct paper *p, const char *label)
{
    static const struct face face = {9.5, 18, 0, false};
    put_text(p, label, &face, 0);
    use(p, 9.5, false);
    double from = width_of(p, label, strlen(label)) + 8;
    cairo_set_line_width(p->cr, 0.6);
    cairo_move_to(p->cr, MARGIN + from, p->y + 2);
    cairo_line_to(p->cr, MARGIN + WIDTH, p->y + 2);
    cairo_stroke(p->cr);
}

static void put_item(struct paper *p, const char *text)
{
    static const struct face face = {9.5, 2, 0, false};
    double before = p->y;
    unsigned page = p->page;
    put_text(p, text, &face, 12);
    double first = page == p->page ? before : MARGIN;
    cairo_new_path(p->cr);
    cairo_arc(p->cr, MARGIN + 4, first + 2 + 9.5 * 1.4 - 3.2, 1.4, 0, 2 * M_PI);
    cairo_fill(p->cr);
}

/* A picture that does not fit below what is there becomes smaller, down to this part of its size, before it leaves an
 * empty half of a page behind. */
#define SMALLEST 0.6

/* In the height that is there: 0, if it would become too small. */
static double scale_of(const struct sharc_picture *picture, double room)
{
    double scale = WIDTH / picture->width, most = BOTTOM - MARGIN - 40;
    if (picture->height * scale > most) scale = most / picture->height;
    if (picture->height * scale <= room) return scale;
    return picture->height * scale * SMALLEST <= room ? room / picture->height : 0;
}

/* Of which 44 are for what is written below it. */
static double room_at(double y)
{
    return BOTTOM - y - 44;
}

/* A heading stays with the beginning of what it is about. */
static void keep_together(struct paper *p, const struct sharc_paper_block *b, const struct sharc_paper_block *next)
{
    if (b->kind != SHARC_PAPER_HEADING && b->kind != SHARC_PAPER_SECTION) return;
    bool fits =
        next->kind == SHARC_PAPER_PICTURE ? scale_of(&next->picture, room_at(p->y + 40)) > 0 : p->y + 90 <= BOTTOM;
    if (p->y > MARGIN && !fits) turn(p);
}

static void put_picture(struct paper *p, const struct sharc_picture *picture)
{
    static const struct face caption = {8, 0, 6, false};
    double scale = scale_of(picture, room_at(p->y));
    if (scale == 0) {
        turn(p);
        scale = scale_of(picture, room_at(p->y));
    }
    p->y += 6;
    cairo_save(p->cr);
    cairo_translate(p->cr, MARGIN + (WIDTH - picture->width * scale) / 2, p->y);
    cairo_scale(p->cr, scale, scale);
    sharc__paper_draw(p->cr, picture, false);
    cairo_restore(p->cr);
    p->y += picture->height * scale + 2;
    if (picture->text) put_text(p, picture->text, &caption, 0);
}

static void put_block(struct paper *p, const struct sharc_paper_block *b)
{
    static const struct face title = {18, 0, 4, true}, heading = {11.5, 10, 2, true}, part = {13.5, 0, 4, true};
    static const struct face section = {13.5, 16, 4, true};
    static const struct face text = {9.5, 2, 2, false}, strong = {12.5, 2, 3, true};
    switch (b->kind) {
    case SHARC_PAPER_TITLE: put_text(p, b->cells[0], &title, 0); break;
    case SHARC_PAPER_HEADING: put_text(p, b->cells[0], &heading, 0); break;
    case SHARC_PAPER_PART:
        turn(p);
        put_text(p, b->cells[0], &part, 0);
        break;
    case SHARC_PAPER_SECTION: put_text(p, b->cells[0], &section, 0); break;
    case SHARC_PAPER_TEXT: put_text(p, b->cells[0], &text, 0); break;
    case SHARC_PAPER_STRONG: put_text(p, b->cells[0], &strong, 0); break;
    case SHARC_PAPER_ITEM: put_item(p, b->cells[0]); break;
    case SHARC_PAPER_TABLE: put_titles(p, b); break;
    case SHARC_PAPER_ROW: put_cells(p, b, false); break;
    case SHARC_PAPER_LINE: put_line(p, b->cells[0]); break;
    case SHARC_PAPER_PICTURE: put_picture(p, &b->picture); break;
    }
    if (b->kind != SHARC_PAPER_TABLE && b->kind != SHARC_PAPER_ROW) p->titles = NULL;
}

int sharc_paper_pdf(const struct sharc_paper *doc, const struct sharc_paper_about *about, struct sharc_buf *out,
                    struct sharc_err *reterr)
{
    char date[SHARC_TIME_TEXT];
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(sharc__paper_bytes, out, PAPER_WIDTH, PAPER_HEIGHT);
    SHARC_AUTO(sharc_freep) char *title = sharc__paper_clean(sharc_span_of(about->title));
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, sharc_time_iso(about->made, 0, date));
    struct paper p = {.cr = cairo_create(surface), .y = MARGIN, .page = 1, .foot = about->foot};
    for (size_t i = 0; i < doc->count; i++) {
        if (i + 1 < doc->count) keep_together(&p, &doc->blocks[i], &doc->blocks[i + 1]);
        put_block(&p, &doc->blocks[i]);
    }
    put_foot(&p);
    cairo_show_page(p.cr);
    cairo_status_t status = cairo_status(p.cr);
    cairo_destroy(p.cr);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    int r = sharc__paper_status(status, reterr);
    return r < 0 ? r : sharc_buf_result(out, reterr);
}

__attribute__((constructor)) static void add_library(void)
{
    sharc_library_add("cairo", cairo_version_string());
}

#else

int sharc_paper_pdf(const struct sharc_paper *doc SHARC_UNUSED, const struct sharc_paper_about *about,
                    struct sharc_buf *out SHARC_UNUSED, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_EUNSUPPORTED, "%s: this sharc was built without cairo, which writes PDF files",
                      about->title);
}

#endif
