/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents and pictures for people. A document is a list of blocks, laid out twice: as one HTML file that needs
 * nothing else, and on paper (PDF). A picture is drawn with one pen, whatever it becomes: SVG, PNG, PDF, or a block of
 * a document.
 *
 * Whatever text comes in may be hostile: it is escaped in HTML, and what is no UTF-8 becomes a blank when drawn.
 * The same calls give the same bytes.
 */
#ifndef SHARC_PAPER_H
#define SHARC_PAPER_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

/* --- the pen --------------------------------------------------------------------------------------- */

struct sharc_pen;

/* What stands in it, in points of 1/72 inch (pixels of SVG; a PNG has two of its pixels for each). */
struct sharc_picture {
    double width, height;
    void (*draw)(struct sharc_pen *pen, const void *arg);
    const void *arg;
    const char *title, *text; /* what it is called; what it shows, for those who cannot see it */
};

enum sharc_picture_form { SHARC_PICTURE_SVG, SHARC_PICTURE_PNG, SHARC_PICTURE_PDF };
/* Draw it on white or on dark paper, appended to out. SHARC_EUNSUPPORTED: built without cairo. */
int sharc_picture_write(const struct sharc_picture *p, enum sharc_picture_form form, bool dark, struct sharc_buf *out,
                        struct sharc_err *reterr);

/* Is the paper dark? Whoever draws chooses its colours by that. */
bool sharc_pen_dark(const struct sharc_pen *pen);

/* Colours that fit the paper. */
enum sharc_pen_ink { SHARC_INK_TEXT, SHARC_INK_SOFT, SHARC_INK_LINE, SHARC_INK_GRID, SHARC_INK_PAPER, SHARC_INK_MARK };
void sharc_pen_ink(struct sharc_pen *pen, enum sharc_pen_ink ink);
/* 0xrrggbb */
void sharc_pen_colour(struct sharc_pen *pen, uint32_t rgb, double alpha);

void sharc_pen_rect(struct sharc_pen *pen, double x, double y, double width, double height); /* filled */
void sharc_pen_line(struct sharc_pen *pen, double x, double y, double to_x, double to_y, double line);
struct sharc_pen_point {
    double x, y;
};
void sharc_pen_lines(struct sharc_pen *pen, const struct sharc_pen_point *points, size_t n, double line);
void sharc_pen_area(struct sharc_pen *pen, const struct sharc_pen_point *points, size_t n);
/* Diagonal lines over a rectangle: for what is not known. */
void sharc_pen_hatch(struct sharc_pen *pen, double x, double y, double width, double height);

/* Marks that differ by shape, not by colour alone; r: half of its size. */
enum sharc_pen_shape {
    SHARC_SHAPE_CIRCLE,
    SHARC_SHAPE_RING,
    SHARC_SHAPE_SQUARE,
    SHARC_SHAPE_ROUND,
    SHARC_SHAPE_HEXAGON,
    SHARC_SHAPE_TRIANGLE,
    SHARC_SHAPE_DIAMOND,
    SHARC_SHAPE_CROSS,
};
void sharc_pen_shape(struct sharc_pen *pen, enum sharc_pen_shape shape, double x, double y, double r);

/* side: -1 begins at x, 0 centred, 1 ends at x; y is the base line. Cut with an ellipsis at `room` (0: never). */
struct sharc_pen_text {
    double size, room;
    int side;
    bool bold, middle; /* middle: y is the middle of the letters instead */
    double turn;       /* degrees, counter-clockwise, about x, y */
};
void sharc_pen_text(struct sharc_pen *pen, double x, double y, struct sharc_span text, struct sharc_pen_text how);
double sharc_pen_text_width(struct sharc_pen *pen, struct sharc_span text, double size, bool bold);

/* What is drawn in between becomes pixels, two to a point, also in SVG and PDF: for a hundred thousand marks. */
void sharc_pen_dense(struct sharc_pen *pen, double x, double y, double width, double height);
void sharc_pen_dense_end(struct sharc_pen *pen);

/* --- documents --------------------------------------------------------------------------------------- */

enum sharc_paper_kind {
    SHARC_PAPER_TITLE,
    SHARC_PAPER_HEADING, /* of a part of the first page */
    SHARC_PAPER_PART,    /* of what comes behind it: a new page on paper */
    SHARC_PAPER_SECTION, /* the same on the page that it comes to */
    SHARC_PAPER_TEXT,
    SHARC_PAPER_STRONG, /* the sentence that matters */
    SHARC_PAPER_ITEM,   /* of a list */
    SHARC_PAPER_TABLE,  /* its titles; rows follow */
    SHARC_PAPER_ROW,
    SHARC_PAPER_LINE, /* to be filled in */
    SHARC_PAPER_PICTURE,
};
enum { SHARC_PAPER_CELLS = 7 };

struct sharc_paper_block {
    enum sharc_paper_kind kind;
    char *cells[SHARC_PAPER_CELLS]; /* text in the first; NULL behind the last */
    struct sharc_picture picture;   /* borrowed; its text is the caption, too */
};
struct sharc_paper {
    struct sharc_paper_block *blocks;
    size_t count, room;
};
void sharc_paper_done(struct sharc_paper *p);
void sharc_paper_say(struct sharc_paper *p, enum sharc_paper_kind kind, const char *fmt, ...) SHARC_PRINTF(3, 4);
/* Cells, copied, up to a NULL or SHARC_PAPER_CELLS. */
void sharc_paper_row(struct sharc_paper *p, enum sharc_paper_kind kind, const char *const *cells);
void sharc_paper_picture(struct sharc_paper *p, const struct sharc_picture *picture);

struct sharc_paper_about {
    const char *title; /* of the window */
    const char *foot;  /* of each page */
    sharc_time made;
};
int sharc_paper_html(const struct sharc_paper *p, const struct sharc_paper_about *about, struct sharc_buf *out,
                     struct sharc_err *reterr);
/* A4. SHARC_EUNSUPPORTED: built without cairo. */
int sharc_paper_pdf(const struct sharc_paper *p, const struct sharc_paper_about *about, struct sharc_buf *out,
                    struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
