/* SPDX-License-Identifier: Apache-2.0
 *
 * What a page says in a version. Edit e writes paragraph e mod PARAGRAPHS anew
 * and every third edit chooses other links across, so both kinds of change occur.
 * A layout brings another featured link and footer to all pages of its
 * section. A counter changes one number.
 */
#include "lab_int.h"

enum { PARAGRAPHS = 5, ACROSS = 3 };

static void put_link(const struct lab_site *s, uint32_t item, struct sharc_buf *out)
{
    sharc_buf_put_str(out, "<a href=\"");
    sharc_buf_put_markup(out, lab_path(s, item));
    sharc_buf_put_str(out, "\">");
    sharc__lab_title(s->seed, item, out);
    sharc_buf_put_str(out, "</a>");
}

/* How often paragraph k has been written anew after e edits. */
static uint32_t revision(uint32_t e, uint32_t k)
{
    return (e + PARAGRAPHS - 1 - k) / PARAGRAPHS;
}

static void put_text(const struct lab_site *s, uint32_t item, uint32_t edit, struct sharc_buf *out)
{
    for (uint32_t k = 0; k < PARAGRAPHS; k++) {
        struct sharc_rng r = sharc__lab_draw(s->seed, item, revision(edit, k), k);
        sharc_buf_put_str(out, "<p>");
        sharc__lab_paragraph(&r, s->items[item].words, out);
        sharc_buf_put_str(out, "</p>\n");
    }
}

static void put_head(const struct lab_site *s, uint32_t item, uint32_t layout, struct sharc_buf *out)
{
    const struct lab_item *it = &s->items[item];
    sharc_buf_put_str(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    sharc__lab_title(s->seed, item, out);
    sharc_buf_put_str(out, "</title>\n<link rel=\"stylesheet\" href=\"/style.css\">\n"
                           "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">\n</head>\n");
    sharc_buf_printf(out, "<body class=\"section%u layout%u\">\n", it->section, layout);
}

static void put_navigation(const struct lab_site *s, uint32_t item, uint32_t layout, struct sharc_buf *out)
{
    const struct lab_item *it = &s->items[item];
    sharc_buf_put_str(out, "<nav>");
    put_link(s, 0, out);
    for (uint32_t i = 0; i < s->sections; i++) {
        sharc_buf_put_str(out, " ");
        put_link(s, s->fronts[i], out);
    }
    if (s->sections > 0) {
        struct sharc_rng r = sharc__lab_draw(s->seed, it->section, layout, 'F');
        sharc_buf_put_str(out, " Featured: ");
        put_link(s, (uint32_t)sharc_rng_below(&r, s->pages), out);
    }
    sharc_buf_put_str(out, "</nav>\n");
    if (it->parent != item) {
        sharc_buf_put_str(out, "<p class=\"trail\">Part of ");
        put_link(s, it->parent, out);
        sharc_buf_put_str(out, "</p>\n");
    }
}

/* Images, and what a synthetic page links to beside its children. */
static void put_pictures(const struct lab_site *s, uint32_t item, struct sharc_buf *out)
{
    struct sharc_rng r = sharc__lab_draw(s->seed, item, 0, 'P');
    uint64_t n = s->images ? 1 + sharc_rng_below(&r, 2) : 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t image = s->first_image + (uint32_t)sharc_rng_below(&r, s->images);
        sharc_buf_printf(out, "<img src=\"%.*s\" width=\"64\" height=\"48\" alt=\"%s\">\n",
                         SHARC_SPAN_ARG(lab_path(s, image)), sharc__lab_word(&r));
    }
}

static void put_across(const struct lab_site *s, uint32_t item, uint32_t edit, struct sharc_buf *out)
{
    struct sharc_rng r = sharc__lab_draw(s->seed, item, edit / 3, 'X');
    sharc_buf_put_str(out, "<h2>See also</h2>\n<ul>\n");
    for (int i = 0; i < ACROSS; i++) {
        sharc_buf_put_str(out, "<li>");
        put_link(s, (uint32_t)sharc_rng_below(&r, s->pages), out);
        sharc_buf_put_str(out, "</li>\n");
    }
    r = sharc__lab_draw(s->seed, item, 0, 'O'); /* old links stay as they are */
    if (sharc_rng_below(&r, s->pages) < s->redirects) {
        uint32_t old = s->first_redirect + (uint32_t)sharc_rng_below(&r, s->redirects);
        sharc_buf_printf(out, "<li><a href=\"%.*s\">as we used to call it</a></li>\n",
                         SHARC_SPAN_ARG(lab_path(s, old)));
    }
    if (sharc_rng_below(&r, s->pages) < s->dead_ends)
        sharc_buf_printf(out, "<li><a href=\"/lost/%u.html\">a page we lost</a></li>\n",
                         (unsigned)sharc_rng_below(&r, s->dead_ends));
    if (item == 0) sharc_buf_put_str(out, "<li><a href=\"/private/notes.html\">private notes</a></li>\n");
    sharc_buf_put_str(out, "</ul>\n");
}

static void put_foot(const struct lab_site *s, uint32_t item, struct sharc_lab_version v, struct sharc_buf *out)
{
    const struct lab_item *it = &s->items[item];
    if (it->counts) { /* one word of the text, whatever the number */
        struct sharc_rng r = sharc__lab_draw(s->seed, item, 0, 'V');
        sharc_buf_printf(out, "<p class=\"counter\">Visitors so far: %u</p>\n",
                         (unsigned)(1000 + sharc_rng_below(&r, 90000) + v.counter));
    }
    struct sharc_rng r = sharc__lab_draw(s->seed, it->section, v.layout, 'B');
    sharc_buf_printf(out, "<footer>Revision %u. ", v.edit);
    sharc__lab_paragraph(&r, 8, out);
    sharc_buf_put_str(out, "</footer>\n</body>\n</html>\n");
}

void sharc__lab_html(const struct lab_site *s, uint32_t item, struct sharc_lab_version v, struct sharc_buf *out)
{
    put_head(s, item, v.layout, out);
    put_navigation(s, item, v.layout, out);
    sharc_buf_put_str(out, "<h1>");
    sharc__lab_title(s->seed, item, out);
    sharc_buf_put_str(out, "</h1>\n");
    put_pictures(s, item, out);
    put_text(s, item, v.edit, out);
    if (s->link_at[item] < s->link_at[item + 1]) {
        sharc_buf_put_str(out, "<h2>In this part</h2>\n<ul>\n");
        for (size_t i = s->link_at[item]; i < s->link_at[item + 1]; i++) {
            sharc_buf_put_str(out, "<li>");
            put_link(s, s->link_to[i], out);
            sharc_buf_put_str(out, "</li>\n");
        }
        sharc_buf_put_str(out, "</ul>\n");
    }
    if (s->sections > 0) put_across(s, item, v.edit, out);
    put_foot(s, item, v, out);
}

static void put_style(const struct lab_site *s, uint32_t item, uint32_t edit, struct sharc_buf *out)
{
    struct sharc_rng r = sharc__lab_draw(s->seed, item, edit, 'S');
    sharc_buf_printf(
        out,
        "/* revision %u */\nbody { max-width: 42em; margin: 1em auto; padding: 0 1em; font: 1rem/1.5 serif; }\n"
        "nav, footer, .trail, .counter { font-size: .85em; color: #%06x; }\nimg { float: right; margin: .5em; }\n",
        edit, (unsigned)sharc_rng_below(&r, 0x808080));
}

void sharc__lab_item_body(const struct lab_site *s, uint32_t item, struct sharc_lab_version v, struct sharc_buf *out)
{
    const struct lab_item *it = &s->items[item];
    if (it->kind == LAB_HTML)
        sharc__lab_html(s, item, v, out);
    else if (it->kind == LAB_IMAGE)
        sharc__lab_image(s->seed, item, v.edit, out);
    else if (it->type && strncmp(it->type, "text/css", 8) == 0)
        put_style(s, item, v.edit, out);
    else if (it->kind == LAB_TEXT) {
        for (uint32_t k = 0; k < PARAGRAPHS; k++) {
            struct sharc_rng r = sharc__lab_draw(s->seed, item, revision(v.edit, k), k);
            sharc__lab_paragraph(&r, it->words, out);
            sharc_buf_put_char(out, '\n');
        }
    }
}
