/* SPDX-License-Identifier: Apache-2.0
 *
 * A document as one HTML file that needs nothing else: no script, no font, no other file, no network.
 */
#include "paper_int.h"

#include "sharc/base_digest.h"

#include <stdlib.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--line:#c9c9c9;--soft:#f3f3f0;--mark:#0b4f7a}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e4;--paper:#17181a;--line:#44464a;--soft:#212327;--mark:#"
    "8cc8f0}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:52rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--ink);"
    "font:1rem/1.5 'DejaVu Serif',Georgia,serif;overflow-wrap:anywhere}"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 1rem}"
    "h2{font-size:1.15rem;margin:1.6rem 0 .4rem;color:var(--mark)}"
    "h2.part{border-top:1px solid var(--line);padding-top:1.2rem;margin-top:2.2rem;font-size:1.3rem;color:var(--ink)}"
    "p{margin:.5rem 0}p.strong{font-size:1.2rem;font-weight:bold}"
    "ul{margin:.4rem 0;padding-left:1.2rem}li{margin:.25rem 0}"
    "table{border-collapse:collapse;width:100%;margin:.6rem 0;font-size:.9rem}"
    "th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}"
    "th{white-space:nowrap;font-weight:bold;background:var(--soft);padding-left:.3rem}td{padding-left:.3rem}"
    "figure{margin:1rem 0}figure img,figure svg{display:block;width:100%;height:auto}figure .dark{display:none}"
    "@media screen and (prefers-color-scheme:dark){figure .light{display:none}figure .dark{display:block}}"
    "figcaption{font-size:.88rem;margin-top:.3rem}"
    ".line{display:flex;gap:.6rem;align-items:flex-end;margin:1.6rem 0 .2rem}"
    ".line i{flex:1;border-bottom:1px solid var(--ink);min-width:8rem;height:1.2rem}"
    "@media(max-width:30rem){body{font-size:.95rem}table,tbody,tr,td{display:block;width:100%}thead{display:none}"
    "tr{border-bottom:1px solid var(--line);padding:.4rem 0}td{border:0;padding:.1rem 0}"
    ".wide{overflow-x:auto}figure img,figure svg{min-width:38rem}"
    "td:before{content:attr(data-t) ': ';font-weight:bold}.line{flex-wrap:wrap}.line i{min-width:100%}}"
    "@media "
    "print{:root{--ink:#000;--paper:#fff;--line:#999;--soft:#eee;--mark:#000}body{max-width:none;"
    "padding:0;"
    "font-size:9pt;line-height:1.4}h1{font-size:16pt;margin-bottom:.4rem}h2{break-after:avoid;margin:.8rem 0 "
    ".2rem;font-size:11pt}h2.part{break-before:page;border:0}h2.section{break-before:auto}table{font-size:8.5pt}"
    "tr,li,figure{break-inside:avoid}thead{display:table-header-group}@page{margin:18mm}}";

struct writing {
    struct sharc_buf *out;
    const struct sharc_paper_block *titles; /* of the table that is open */
    bool list;
    unsigned pictures;
};

static void put_element(struct sharc_buf *out, const char *open, const char *text, const char *close)
{
    sharc_buf_put_str(out, open);
    sharc_buf_put_markup(out, sharc_span_of(text ? text : ""));
    sharc_buf_put_str(out, close);
}

/* End what the next block does not go on with. */
static void leave(struct writing *w, enum sharc_paper_kind next)
{
    if (w->list && next != SHARC_PAPER_ITEM) sharc_buf_put(w->out, SHARC_SPAN("</ul>\n"));
    if (w->titles && next != SHARC_PAPER_ROW) sharc_buf_put(w->out, SHARC_SPAN("</tbody></table>\n"));
    if (next != SHARC_PAPER_ITEM) w->list = false;
    if (next != SHARC_PAPER_ROW) w->titles = NULL;
}

static void put_titles(struct writing *w, const struct sharc_paper_block *b)
{
    sharc_buf_put(w->out, SHARC_SPAN("<table><thead><tr>"));
    for (size_t i = 0; i < SHARC_PAPER_CELLS && b->cells[i]; i++) put_element(w->out, "<th>", b->cells[i], "</th>");
    sharc_buf_put(w->out, SHARC_SPAN("</tr></thead><tbody>\n"));
    w->titles = b;
}

static void put_row(struct writing *w, const struct sharc_paper_block *b)
{
    sharc_buf_put(w->out, SHARC_SPAN("<tr>"));
    for (size_t i = 0; i < SHARC_PAPER_CELLS && b->cells[i]; i++) {
        put_element(w->out, "<td data-t=\"", w->titles ? w->titles->cells[i] : "", "\">");
        put_element(w->out, "", b->cells[i], "</td>");
    }
    sharc_buf_put(w->out, SHARC_SPAN("</tr>\n"));
}

/* --- pictures ------------------------------------------------------------------------------- */

/* An SVG as the address of an image. */
static void put_data(struct sharc_buf *out, struct sharc_span svg)
{
    SHARC_AUTO(sharc_freep) char *text = sharc_malloc(svg.n / 3 * 4 + 8);
    size_t n = sharc_base64_encode(svg, text);
    sharc_buf_put_str(out, "data:image/svg+xml;base64,");
    sharc_buf_put(out, sharc_span(text, n));
}

/* Two drawings that differ in colours only, as one that has both. */
#define DASHES \
    "-"        \
    "-" /* with which the name of a variable begins in CSS; nobody takes it for an option */
enum { MOST_COLOURS = 1000, COLOUR = 7 }; /* "#rrggbb" */
struct colours {
    char light[MOST_COLOURS][COLOUR], dark[MOST_COLOURS][COLOUR];
    size_t count;
};

static bool is_colour(struct sharc_span s, size_t at)
{
    if (at == 0 || (s.p[at - 1] != ':' && s.p[at - 1] != '"') || s.p[at] != '#' || s.n - at < COLOUR) return false;
    for (size_t i = 1; i < COLOUR; i++)
        if (sharc_hex_value(s.p[at + i]) < 0) return false;
    return true;
}

/* The number of a pair of colours, which is noted; SIZE_MAX: there are too many. */
static size_t colour_of(struct colours *k, const char *light, const char *dark)
{
    for (size_t i = 0; i < k->count; i++)
        if (!memcmp(k->light[i], light, COLOUR) && !memcmp(k->dark[i], dark, COLOUR)) return i;
    if (k->count == MOST_COLOURS) return SIZE_MAX;
    memcpy(k->light[k->count], light, COLOUR);
    memcpy(k->dark[k->count], dark, COLOUR);
    return k->count++;
}

/* Behind these stands the name of an element in the drawing. */
static bool names_begin(struct sharc_span s, size_t end)
{
    static const struct sharc_span before[] = {SHARC_SPAN(" id=\""), SHARC_SPAN("url(#"), SHARC_SPAN("href=\"#")};
    for (size_t i = 0; i < SHARC_LENGTH(before); i++)
        if (sharc_span_ends(sharc_span_sub(s, 0, end), before[i])) return true;
    return false;
}

/* The light drawing with variables where the dark one has another colour, and with names of its own: number is that of
 * the picture. False: they differ in something else. */
static bool join(struct sharc_span light, struct sharc_span dark, unsigned number, struct colours *k,
                 struct sharc_buf *out)
{
    if (light.n != dark.n) return false;
    for (size_t i = 0; i < light.n;) {
        if (is_colour(light, i) && is_colour(dark, i) && memcmp(light.p + i, dark.p + i, COLOUR) != 0) {
            size_t colour = colour_of(k, light.p + i, dark.p + i);
            if (colour == SIZE_MAX) return false;
            sharc_buf_printf(out, "var(" DASHES "p%uc%zu)", number, colour);
            i += COLOUR;
        } else {
            if (light.p[i] != dark.p[i]) return false;
            sharc_buf_put_char(out, light.p[i++]);
            if (names_begin(light, i)) sharc_buf_printf(out, "p%u-", number);
        }
    }
    return true;
}

static void put_colours(struct sharc_buf *out, unsigned number, size_t count, const char (*colours)[COLOUR])
{
    for (size_t i = 0; i < count; i++) sharc_buf_printf(out, DASHES "p%uc%zu:%.*s;", number, i, COLOUR, colours[i]);
}

static void put_style(struct sharc_buf *out, unsigned number, const struct colours *k)
{
    sharc_buf_put_str(out, "<style>:root{");
    put_colours(out, number, k->count, k->light);
    sharc_buf_put_str(out, "}@media screen and (prefers-color-scheme:dark){:root{");
    put_colours(out, number, k->count, k->dark);
    sharc_buf_put_str(out, "}}</style>");
}

/* False: nothing is written. */
static bool put_joined(struct writing *w, struct sharc_span light, struct sharc_span dark)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(256u << 20);
    SHARC_AUTO(sharc_freep) struct colours *k = SHARC_NEW(struct colours);
    if (!join(light, dark, w->pictures, k, &body)) return false;
    struct sharc_span svg = sharc_buf_span(&body);
    /* Inside HTML it needs no declaration and no name spaces. */
    size_t begin = sharc_span_search(svg, SHARC_SPAN(" width=")), at = sharc_span_search(svg, SHARC_SPAN("<title>"));
    if (begin == SHARC_NPOS || at == SHARC_NPOS || at < begin) return false;
    sharc_buf_put_str(w->out, "<svg");
    sharc_buf_put(w->out, sharc_span_sub(svg, begin, at));
    put_style(w->out, w->pictures, k);
    sharc_buf_put(w->out, sharc_span_from(svg, at));
    return true;
}

static void put_image(struct sharc_buf *out, const struct sharc_picture *p, const char *kind, struct sharc_span svg)
{
    sharc_buf_printf(out, "<img class=%s src=\"", kind);
    put_data(out, svg);
    sharc_buf_printf(out, "\" width=\"%.0f\" height=\"%.0f\" alt=\"", p->width, p->height);
    sharc_buf_put_markup(out, sharc_span_of(p->title));
    sharc_buf_put_str(out, "\">\n");
}

/* On white and, where the reader prefers it and is not printing, on dark. Of an image browsers forget that they print:
 * so a drawing is part of the document, once. Only one with pixels in it, whose colours cannot be exchanged, is there
 * twice, as two images. */
static int put_picture(struct writing *w, const struct sharc_picture *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf light = SHARC_BUF_INIT(256u << 20), dark = SHARC_BUF_INIT(256u << 20);
    int r = sharc_picture_write(p, SHARC_PICTURE_SVG, false, &light, reterr);
    if (r == 0) r = sharc_picture_write(p, SHARC_PICTURE_SVG, true, &dark, reterr);
    if (r < 0) return r;
    sharc_buf_put_str(w->out, "<figure><div class=wide>");
    w->pictures++;
    if (!put_joined(w, sharc_buf_span(&light), sharc_buf_span(&dark))) {
        put_image(w->out, p, "light", sharc_buf_span(&light));
        put_image(w->out, p, "dark", sharc_buf_span(&dark));
    }
    put_element(w->out, "</div><figcaption>", p->text, "</figcaption></figure>\n");
    return 0;
}

static int put_block(struct writing *w, const struct sharc_paper_block *b, struct sharc_err *reterr)
{
    leave(w, b->kind);
    switch (b->kind) {
    case SHARC_PAPER_TITLE: put_element(w->out, "<h1>", b->cells[0], "</h1>\n"); break;
    case SHARC_PAPER_HEADING: put_element(w->out, "<h2>", b->cells[0], "</h2>\n"); break;
    case SHARC_PAPER_PART: put_element(w->out, "<h2 class=\"part\">", b->cells[0], "</h2>\n"); break;
    case SHARC_PAPER_SECTION: put_element(w->out, "<h2 class=\"part section\">", b->cells[0], "</h2>\n"); break;
    case SHARC_PAPER_TEXT: put_element(w->out, "<p>", b->cells[0], "</p>\n"); break;
    case SHARC_PAPER_STRONG: put_element(w->out, "<p class=\"strong\">", b->cells[0], "</p>\n"); break;
    case SHARC_PAPER_LINE: put_element(w->out, "<p class=\"line\"><span>", b->cells[0], "</span><i></i></p>\n"); break;
    case SHARC_PAPER_TABLE: put_titles(w, b); break;
    case SHARC_PAPER_ROW: put_row(w, b); break;
    case SHARC_PAPER_ITEM:
        if (!w->list) sharc_buf_put(w->out, SHARC_SPAN("<ul>\n"));
        w->list = true;
        put_element(w->out, "<li>", b->cells[0], "</li>\n");
        break;
    case SHARC_PAPER_PICTURE: return put_picture(w, &b->picture, reterr);
    }
    return 0;
}

int sharc_paper_html(const struct sharc_paper *p, const struct sharc_paper_about *about, struct sharc_buf *out,
                     struct sharc_err *reterr)
{
    struct writing w = {.out = out};
    sharc_buf_put(out, SHARC_SPAN("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"));
    put_element(out, "<title>", about->title, "</title><style>");
    sharc_buf_put_str(out, style);
    sharc_buf_put(out, SHARC_SPAN("</style></head><body>\n"));
    for (size_t i = 0; i < p->count; i++) {
        int r = put_block(&w, &p->blocks[i], reterr);
        if (r < 0) return r;
    }
    leave(&w, SHARC_PAPER_TITLE);
    sharc_buf_put(out, SHARC_SPAN("</body></html>\n"));
    return sharc_buf_result(out, reterr);
}
