/* SPDX-License-Identifier: Apache-2.0
 *
 * What a page says in a version. Edits of kind paragraph write one of five paragraphs anew
 * and every third chooses other links across, so that both kinds of change occur; every
 * other kind has a small thing of its own on the page. A layout brings another featured
 * link and footer to all pages of its section. A counter changes one number.
 */
#include "lab_int.h"

enum { PARAGRAPHS = 5, ACROSS = 3 };

static void put(const struct lab_page *p, const char *text)
{
    sharc_buf_put_str(p->out, text);
}

/* A word that another edit of this kind makes another one. */
static void put_edited_word(const struct lab_page *p, enum sharc_lab_edit kind)
{
    struct sharc_rng r = sharc__lab_draw(p->site->seed, p->item, p->wording.n[kind], 'W' + ((uint64_t)kind << 8));
    put(p, sharc__lab_word(&r));
}

/* A number of n digits of which an edit changes one. */
static unsigned edited_number(const struct lab_page *p, enum sharc_lab_edit kind, unsigned n)
{
    struct sharc_rng r = sharc__lab_draw(p->site->seed, p->item, 0, 'D' + ((uint64_t)kind << 8));
    uint32_t edits = p->wording.n[kind];
    unsigned value = 0;
    for (unsigned i = 0; i < n; i++) {
        /* Edit e, counted from 0, is one of digit e mod n. */
        unsigned times = (edits + n - 1 - i) / n;
        value = value * 10 + 1 + ((unsigned)sharc_rng_below(&r, 9) + times) % 9;
    }
    return value;
}

static void put_link(const struct lab_page *p, uint32_t item)
{
    put(p, "<a href=\"");
    sharc_buf_put_markup(p->out, lab_path(p->site, item));
    put(p, "\">");
    sharc__lab_title(p->site->seed, item, p->out);
    put(p, "</a>");
}

/* How often paragraph k has been written anew after e edits. */
static uint32_t revision(uint32_t e, uint32_t k)
{
    return (e + PARAGRAPHS - 1 - k) / PARAGRAPHS;
}

static void put_text(const struct lab_page *p)
{
    for (uint32_t k = 0; k < PARAGRAPHS; k++) {
        uint32_t times = revision(p->wording.n[SHARC_LAB_EDIT_PARAGRAPH], k);
        struct sharc_rng r = sharc__lab_draw(p->site->seed, p->item, times, k);
        put(p, "<p>");
        sharc__lab_paragraph(&r, p->site->items[p->item].words, p->out);
        put(p, "</p>\n");
    }
}

static void put_scripts(const struct lab_page *p)
{
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_BUST)) {
        put(p, "<script src=\"/app.js");
        sharc__lab_put_bust(p);
        put(p, "\"></script>\n");
    }
    put(p, "<script");
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_NONCE)) {
        put(p, " nonce=\"");
        sharc__lab_put_random(p, SHARC_LAB_NOISE_NONCE);
        put(p, "\"");
    }
    sharc_buf_printf(p->out, ">var rate = 1.%u; function gross(net) { return net * rate; }</script>\n",
                     edited_number(p, SHARC_LAB_EDIT_SCRIPT, 2));
    put(p, "<script type=\"application/json\" id=\"state\">{");
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_STATE)) {
        put(p, "\"id\":\"");
        sharc__lab_put_random(p, SHARC_LAB_NOISE_STATE);
        put(p, "\",");
    }
    sharc_buf_printf(p->out, "\"stock\":%u,\"open\":true}</script>\n", edited_number(p, SHARC_LAB_EDIT_JSON, 3));
}

static void put_head(const struct lab_page *p)
{
    put(p, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    sharc__lab_title(p->site->seed, p->item, p->out);
    put(p, ", ");
    put_edited_word(p, SHARC_LAB_EDIT_TITLE);
    put(p, "</title>\n<meta name=\"description\" content=\"All about ");
    put_edited_word(p, SHARC_LAB_EDIT_META);
    put(p, "\">\n<link rel=\"stylesheet\" href=\"/style.css\">\n"
           "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">\n");
    put_scripts(p);
    sharc_buf_printf(p->out, "</head>\n<body class=\"section%u layout%u\">\n", p->site->items[p->item].section,
                     p->version.layout);
}

static void put_navigation(const struct lab_page *p)
{
    const struct lab_site *s = p->site;
    const struct lab_item *it = &s->items[p->item];
    put(p, "<nav>");
    put_link(p, 0);
    for (uint32_t i = 0; i < s->sections; i++) {
        put(p, " ");
        put_link(p, s->fronts[i]);
    }
    if (s->sections > 0) {
        struct sharc_rng r = sharc__lab_draw(s->seed, it->section, p->version.layout, 'F');
        put(p, " Featured: ");
        put_link(p, (uint32_t)sharc_rng_below(&r, s->pages));
    }
    put(p, "</nav>\n");
    if (it->parent != p->item) {
        put(p, "<p class=\"trail\">Part of ");
        put_link(p, it->parent);
        put(p, "</p>\n");
    }
}

static void put_pictures(const struct lab_page *p)
{
    const struct lab_site *s = p->site;
    struct sharc_rng r = sharc__lab_draw(s->seed, p->item, 0, 'P');
    uint64_t n = s->images ? 1 + sharc_rng_below(&r, 2) : 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t image = s->first_image + (uint32_t)sharc_rng_below(&r, s->images);
        sharc_buf_printf(p->out, "<img src=\"%.*s", SHARC_SPAN_ARG(lab_path(s, image)));
        sharc__lab_put_bust(p);
        put(p, "\" width=\"64\" height=\"48\" alt=\"");
        if (i == 0)
            put_edited_word(p, SHARC_LAB_EDIT_ALT);
        else
            put(p, sharc__lab_word(&r));
        put(p, "\">\n");
    }
}

/* What the small edits change, but for those in the head. */
static void put_offer(const struct lab_page *p)
{
    const struct lab_site *s = p->site;
    unsigned price = edited_number(p, SHARC_LAB_EDIT_PRICE, 4);
    sharc_buf_printf(p->out, "<p class=\"offer\">The price is %u,%03u euro", price / 1000, price % 1000);
    sharc__lab_put_stamp(p);
    sharc_buf_printf(p->out, ". The offer is %sbinding. Ask for the ",
                     p->wording.n[SHARC_LAB_EDIT_NEGATION] % 2 ? "not " : "");
    put_edited_word(p, SHARC_LAB_EDIT_WORD);
    sharc_buf_printf(p->out, " at the %s. See the <a href=\"", p->wording.away ? "back door" : "front desk");
    struct sharc_rng r = sharc__lab_draw(s->seed, p->item, 0, 'M');
    uint64_t target = sharc_rng_below(&r, s->pages) + p->wording.n[SHARC_LAB_EDIT_LINK];
    sharc_buf_put_markup(p->out, lab_path(s, (uint32_t)(target % s->pages)));
    put(p, "\">terms</a>.</p>\n<p hidden>Internal note: ");
    put_edited_word(p, SHARC_LAB_EDIT_HIDDEN);
    put(p, "</p>\n<form action=\"/private/order\" method=\"post\">");
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_TOKEN)) {
        put(p, "<input type=\"hidden\" name=\"token\" value=\"");
        sharc__lab_put_random(p, SHARC_LAB_NOISE_TOKEN);
        put(p, "\">");
    }
    put(p, "<input type=\"hidden\" name=\"plan\" value=\"");
    put_edited_word(p, SHARC_LAB_EDIT_VALUE);
    put(p, "\"><button>Order</button></form>\n<!-- edition ");
    put_edited_word(p, SHARC_LAB_EDIT_COMMENT);
    put(p, " -->\n");
}

static void put_across(const struct lab_page *p)
{
    const struct lab_site *s = p->site;
    struct sharc_rng r = sharc__lab_draw(s->seed, p->item, p->wording.n[SHARC_LAB_EDIT_PARAGRAPH] / 3, 'X');
    put(p, "<h2>See also</h2>\n<ul>\n");
    for (int i = 0; i < ACROSS; i++) {
        put(p, "<li>");
        put_link(p, (uint32_t)sharc_rng_below(&r, s->pages));
        put(p, "</li>\n");
    }
    r = sharc__lab_draw(s->seed, p->item, 0, 'O'); /* old links stay as they are */
    if (sharc_rng_below(&r, s->pages) < s->redirects) {
        uint32_t old = s->first_redirect + (uint32_t)sharc_rng_below(&r, s->redirects);
        sharc_buf_printf(p->out, "<li><a href=\"%.*s\">as we used to call it</a></li>\n",
                         SHARC_SPAN_ARG(lab_path(s, old)));
    }
    if (sharc_rng_below(&r, s->pages) < s->dead_ends)
        sharc_buf_printf(p->out, "<li><a href=\"/lost/%u.html\">a page we lost</a></li>\n",
                         (unsigned)sharc_rng_below(&r, s->dead_ends));
    if (p->item == 0) put(p, "<li><a href=\"/private/notes.html\">private notes</a></li>\n");
    put(p, "</ul>\n");
}

static void put_foot(const struct lab_page *p)
{
    const struct lab_site *s = p->site;
    const struct lab_item *it = &s->items[p->item];
    if (it->counts) { /* one word of the text, whatever the number */
        struct sharc_rng r = sharc__lab_draw(s->seed, p->item, 0, 'V');
        sharc_buf_printf(p->out, "<p class=\"counter\">Visitors so far: %u</p>\n",
                         (unsigned)(1000 + sharc_rng_below(&r, 90000) + p->version.counter));
    }
    struct sharc_rng r = sharc__lab_draw(s->seed, it->section, p->version.layout, 'B');
    sharc_buf_printf(p->out, "<footer>Revision %u. ", p->wording.n[SHARC_LAB_EDIT_PARAGRAPH]);
    sharc__lab_paragraph(&r, 8, p->out);
    put(p, "</footer>\n</body>\n</html>\n");
}

static void put_html(const struct lab_page *p)
{
    const struct lab_site *s = p->site;
    put_head(p);
    put_navigation(p);
    put(p, "<h1>");
    sharc__lab_title(s->seed, p->item, p->out);
    put(p, "</h1>\n");
    put_pictures(p);
    put_offer(p);
    put_text(p);
    if (s->link_at[p->item] < s->link_at[p->item + 1]) {
        put(p, "<h2>In this part</h2>\n<ul>\n");
        for (size_t i = s->link_at[p->item]; i < s->link_at[p->item + 1]; i++) {
            put(p, "<li>");
            put_link(p, s->link_to[i]);
            put(p, "</li>\n");
        }
        put(p, "</ul>\n");
    }
    if (s->sections > 0) put_across(p);
    sharc__lab_put_places(p);
    put_foot(p);
}

static void put_style(const struct lab_page *p)
{
    uint32_t edit = p->version.edit;
    struct sharc_rng r = sharc__lab_draw(p->site->seed, p->item, edit, 'S');
    sharc_buf_printf(
        p->out,
        "/* revision %u */\nbody { max-width: 42em; margin: 1em auto; padding: 0 1em; font: 1rem/1.5 serif; }\n"
        "nav, footer, .trail, .counter { font-size: .85em; color: #%06x; }\nimg { float: right; margin: .5em; }\n",
        edit, (unsigned)sharc_rng_below(&r, 0x808080));
}

void sharc__lab_item_body(const struct lab_site *s, uint32_t item, struct sharc_lab_version v,
                          const struct lab_served *served, struct sharc_buf *out)
{
    const struct lab_item *it = &s->items[item];
    struct lab_page p = {.site = s, .item = item, .version = v, .served = served, .out = out};
    sharc__lab_wording(s, item, v.edit, &p.wording);
    if (it->kind == LAB_HTML)
        put_html(&p);
    else if (it->kind == LAB_IMAGE)
        sharc__lab_image(s->seed, item, v.edit, out);
    else if (it->type && strncmp(it->type, "text/css", 8) == 0)
        put_style(&p);
    else if (it->type && strncmp(it->type, "text/javascript", 15) == 0)
        put(&p, "document.documentElement.className = \"script\";\n");
    else if (it->kind == LAB_TEXT) {
        for (uint32_t k = 0; k < PARAGRAPHS; k++) {
            struct sharc_rng r = sharc__lab_draw(s->seed, item, revision(v.edit, k), k);
            sharc__lab_paragraph(&r, it->words, out);
            sharc_buf_put_char(out, '\n');
        }
    }
}
