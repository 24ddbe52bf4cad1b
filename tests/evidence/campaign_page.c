/* SPDX-License-Identifier: Apache-2.0 */
#include "campaign_page.h"

#include <stdlib.h>

struct page {
    const struct campaign_moment *m;
    struct sharc_buf *b;
    struct sharc_rng still; /* the same on every request */
};

static bool noisy(const struct page *p, enum campaign_noise n)
{
    return p->m->noise >> n & 1;
}

static bool edited(const struct page *p, enum campaign_edit e)
{
    return p->m->edit == e;
}

static uint64_t any(const struct page *p, uint64_t n)
{
    return sharc_rng_below(p->m->rng, n);
}

static void put(struct page *p, const char *s)
{
    sharc_buf_put_str(p->b, s);
}

static void put_hex(struct page *p, unsigned digits)
{
    for (unsigned i = 0; i < digits; i++) sharc_buf_put_char(p->b, "0123456789abcdef"[any(p, 16)]);
}

static void put_base64(struct page *p, unsigned n)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (unsigned i = 0; i < n; i++) sharc_buf_put_char(p->b, alphabet[any(p, 64)]);
    put(p, "==");
}

static void put_words(struct page *p, unsigned n)
{
    static const char *const words[] = {"archive", "library", "of",     "paper", "which", "was",   "made",    "in",
                                        "old",     "times",   "and",    "kept",  "by",    "those", "who",     "knew",
                                        "its",     "worth",   "before", "any",   "other", "saw",   "reading", "rooms"};
    for (unsigned i = 0; i < n; i++)
        sharc_buf_printf(p->b, "%s%s", i ? " " : "", words[sharc_rng_below(&p->still, SHARC_LENGTH(words))]);
}

/* --- noise on most pages, and something fixed on the others ---------------------------------------- */

enum { FIXED = 16 }; /* one page in so many */

static bool is_ranking(unsigned noise, unsigned page)
{
    return !(noise >> NOISE_SHORT & 1) && (!(noise >> NOISE_RANKS & 1) || page % FIXED == 5);
}

static bool has_own_link(unsigned noise, unsigned page)
{
    return !(noise >> NOISE_LINKED & 1) && (!(noise >> NOISE_FIXED_LINK & 1) || page % FIXED == 7);
}

static bool has_own_time(unsigned noise, unsigned page)
{
    return noise >> NOISE_FIXED_TIME & 1 && page % FIXED == 3;
}

static bool has_own_teaser(unsigned noise, unsigned page)
{
    return noise >> NOISE_FIXED_TEASER & 1 && page % FIXED == 9;
}

enum campaign_edit campaign_own_edit(unsigned noise, unsigned page)
{
    if (noise >> NOISE_RANKS & 1 && is_ranking(noise, page)) return EDIT_RANK;
    if (noise >> NOISE_FIXED_LINK & 1 && has_own_link(noise, page)) return EDIT_OWN_LINK;
    if (has_own_time(noise, page)) return EDIT_OWN_TIME;
    return has_own_teaser(noise, page) ? EDIT_OWN_TEASER : EDIT_NONE;
}

bool campaign_is_inside(unsigned noise, enum campaign_edit e, unsigned page)
{
    if (e == EDIT_TWIN) return noise >> NOISE_TWINS & 1 && page % 2;
    if (e == EDIT_RANK) return !is_ranking(noise, page);
    if (e == EDIT_OWN_TIME) return !has_own_time(noise, page);
    if (e == EDIT_OWN_TEASER) return !has_own_teaser(noise, page);
    return e == EDIT_OWN_LINK && !has_own_link(noise, page);
}

/* --- parts ------------------------------------------------------------------------------------ */

static void put_image(struct page *p)
{
    bool swap = noisy(p, NOISE_WRITING) && any(p, 2);
    const char *alt = edited(p, EDIT_ALT) ? "A red chair" : "A blue chair";
    const char *set = edited(p, EDIT_SRCSET) ? "/i/a.jpg 1x, /i/c.jpg 2x" : "/i/a.jpg 1x, /i/b.jpg 2x";
    if (swap)
        sharc_buf_printf(p->b, "<img  srcset='%s' alt='%s'\n src=/i/a.jpg>", set, alt);
    else
        sharc_buf_printf(p->b, "<img src=\"/i/a.jpg\" alt=\"%s\" srcset=\"%s\">", alt, set);
}

static void put_head(struct page *p)
{
    unsigned page = p->m->page;
    put(p, "<!DOCTYPE html>\n<html lang=en>\n<head><meta charset=utf-8>\n");
    sharc_buf_printf(p->b, "<title>%s %u</title>\n", edited(p, EDIT_TITLE) ? "Chair" : "Table", page);
    sharc_buf_printf(p->b, "<meta name=description content=\"Item %u of our %s\">\n", page,
                     edited(p, EDIT_META) ? "sale" : "house");
    sharc_buf_printf(p->b, "<base href=\"http://%s.example/\">\n", edited(p, EDIT_BASE) ? "shopp" : "shop");
    if (noisy(p, NOISE_NONCE)) {
        put(p, "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'nonce-");
        put_base64(p, 22);
        put(p, "' 'self'\">\n");
    }
    sharc_buf_printf(p->b, "<script src=\"/js/%s.js", edited(p, EDIT_SCRIPT_ADDRESS) ? "track" : "main");
    if (noisy(p, NOISE_BUST)) sharc_buf_printf(p->b, "?v=%llu", (unsigned long long)any(p, 1000000000));
    put(p, "\"");
    if (noisy(p, NOISE_NONCE)) {
        put(p, " nonce=\"");
        put_base64(p, 22);
        put(p, "\"");
    }
    put(p, "></script>\n");
    sharc_buf_printf(p->b, "<style>.price{color:%s}\np{margin:0}</style>\n", edited(p, EDIT_SHEET) ? "red" : "black");
    sharc_buf_printf(p->b,
                     "<script type=\"application/ld+json\">{\"@type\":\"Product\",\"name\":\"Table %u\",\"offers\":"
                     "{\"price\":\"%s\"}}</script>\n",
                     page, edited(p, EDIT_JSON_LD) ? "99.00" : "12.00");
    if (noisy(p, NOISE_REQUEST)) {
        put(p, "<!-- request ");
        put_hex(p, 32);
        sharc_buf_printf(p->b, " served by node %s -->\n", edited(p, EDIT_COMMENT) ? "two" : "one");
    } else {
        sharc_buf_printf(p->b, "<!-- served by node %s -->\n", edited(p, EDIT_COMMENT) ? "two" : "one");
    }
    put(p, "</head>\n");
}

static void put_nav(struct page *p)
{
    put(p, "<nav><ul>");
    for (unsigned i = 0; i < 6; i++) {
        sharc_buf_printf(p->b, "<li><a href=\"/%s/%u", i == 2 && edited(p, EDIT_LINK) ? "x" : "s", i);
        if (noisy(p, NOISE_SESSION)) {
            put(p, "?sid=");
            put_hex(p, 24);
        }
        sharc_buf_printf(p->b, "\">Section %c</a></li>", 'A' + (char)i);
    }
    put(p, "</ul></nav>\n");
}

static void put_form(struct page *p)
{
    sharc_buf_printf(p->b, "<form action=/buy method=post><input name=amount value=%d>", edited(p, EDIT_FORM) ? 2 : 1);
    if (noisy(p, NOISE_CSRF)) {
        put(p, "<input type=hidden name=csrf value=\"");
        put_hex(p, 40);
        put(p, "\">");
    }
    if (noisy(p, NOISE_PACKED)) {
        put(p, "<input type=hidden name=state value=\"");
        put_base64(p, 86);
        put(p, "\">");
    }
    put(p, "</form>\n");
}

static const char *const teasers[] = {
    "Our new catalogue is out",
    "Visit us at the fair in Leipzig this autumn",
    "Free delivery",
    "Read what others say about the old tables",
    "Chairs that go with every table",
    "The new shop in Mainz has opened its doors for everybody",
    "Gift cards for those who cannot decide",
};

static void put_teaser(struct page *p)
{
    if (has_own_teaser(p->m->noise, p->m->page)) /* one of the pool */
        sharc_buf_printf(p->b, "<div class=box><p class=teaser>%s</p>",
                         teasers[(p->m->page + edited(p, EDIT_OWN_TEASER)) % SHARC_LENGTH(teasers)]);
    else if (noisy(p, NOISE_TEASER) || noisy(p, NOISE_FIXED_TEASER))
        sharc_buf_printf(p->b, "<div class=box><p class=teaser>%s</p>", teasers[any(p, SHARC_LENGTH(teasers))]);
    else
        put(p, "<div class=box><p class=teaser>Welcome</p>");
    sharc_buf_printf(p->b, "<p class=note>%s</p></div>\n",
                     edited(p, EDIT_BESIDE_TEASER) ? "Closed on Sundays" : "Open on Sundays");
    if (noisy(p, NOISE_RICH_TEASER)) {
        unsigned k = (unsigned)any(p, 5);
        sharc_buf_printf(
            p->b, "<div class=promo><a href=\"/promo/%u\"><img src=\"/promo/%u.jpg\" alt=\"%s\"><b>%s</b></a></div>\n",
            k, k, teasers[k], teasers[k]);
    }
    if (noisy(p, NOISE_PREFIX))
        sharc_buf_printf(p->b, "<p class=hint>Tip of the minute: %s . Always ask %s for the price.</p>\n",
                         teasers[any(p, SHARC_LENGTH(teasers))], edited(p, EDIT_BESIDE_TEASER) ? "nobody" : "us");
    if (noisy(p, NOISE_ADVERT)) {
        put(p, "<aside class=ads>");
        for (unsigned n = (unsigned)any(p, 3); n > 0; n--)
            sharc_buf_printf(p->b, "<div class=ad><a href=\"/ad/%llu\">Buy %llu now</a></div>",
                             (unsigned long long)any(p, 100000), (unsigned long long)any(p, 1000));
        put(p, "</aside>\n");
    }
}

static void put_item(struct page *p)
{
    unsigned euro = 100 + (unsigned)sharc_rng_below(&p->still, 9000);
    unsigned stock = 5 + (unsigned)sharc_rng_below(&p->still, 90);
    if (edited(p, EDIT_PRICE)) euro += 700;
    if (edited(p, EDIT_DIGIT)) euro = euro / 10 * 10 + (euro + 1) % 10;
    sharc_buf_printf(p->b, "<h1>Table %u</h1>\n<p class=price>%u euro</p>\n", p->m->page, euro);
    sharc_buf_printf(p->b, "<p>In stock: %u pieces</p>\n", edited(p, EDIT_STOCK) ? stock + 3 : stock);
    sharc_buf_printf(p->b, "<p>This table is %smade of wood and may %sbe used outside.</p>\n",
                     edited(p, EDIT_NEGATION_IN) ? "not " : "", edited(p, EDIT_NEGATION) ? "" : "not ");
    sharc_buf_printf(p->b, "<p>Pay to DE0212030000000020205%s</p>\n", edited(p, EDIT_IBAN) ? "7" : "1");
    sharc_buf_printf(p->b, "<p>Published <time datetime=\"2024-03-0%d\">%d March 2024</time></p>\n",
                     edited(p, EDIT_DATE) ? 2 : 1, edited(p, EDIT_DATE) ? 2 : 1);
    put_image(p);
    sharc_buf_printf(p->b, "<span hidden>%s</span>\n", edited(p, EDIT_HIDDEN) ? "sold out" : "on sale");
    sharc_buf_printf(p->b, "<div data-sku=\"%s-%u\" style=\"width:%s\">", edited(p, EDIT_DATA) ? "B" : "A", p->m->page,
                     edited(p, EDIT_STYLE) ? "9em" : "8em");
    sharc_buf_printf(p->b, "<a href=\"mailto:%s@shop.example\">Write to us</a></div>\n",
                     edited(p, EDIT_MAILTO) ? "sales" : "info");
    /* pages of two kinds that share a template: a counter here, a price there */
    if (noisy(p, NOISE_TWINS) || edited(p, EDIT_TWIN)) {
        bool counter = noisy(p, NOISE_TWINS) && p->m->page % 2;
        unsigned value = counter ? (unsigned)any(p, 100000) : 4000 + p->m->page + (edited(p, EDIT_TWIN) ? 500 : 0);
        sharc_buf_printf(p->b, "<p class=x>%u</p>\n", value);
    } else {
        sharc_buf_printf(p->b, "<p class=x>%u</p>\n", 4000 + p->m->page);
    }
}

/* One letter of what was written since start. */
static void change_a_letter(struct page *p, size_t start)
{
    size_t at = start + p->m->page * 7 % (p->b->n - start);
    while (!sharc_is_lower(p->b->p[at])) at--;
    p->b->p[at] = (char)('a' + (p->b->p[at] - 'a' + 1) % 26);
}

static void put_text(struct page *p)
{
    unsigned n = 3 + p->m->page % 4;
    struct sharc_rng first = p->still;
    for (unsigned i = 0; i < n; i++) {
        if (i == 1 && edited(p, EDIT_PARAGRAPH_IN)) put(p, "<p>Terms apply to this one.</p>\n");
        if (i == 2 && edited(p, EDIT_PARAGRAPH_OUT)) continue;
        p->still = first;
        unsigned k = edited(p, EDIT_SWAP) && i < 2 ? 1 - i : i;
        for (unsigned skip = 0; skip < k; skip++) sharc_rng_u64(&p->still);
        struct sharc_rng own = sharc_rng_stream(sharc_rng_u64(&p->still), k);
        p->still = own;
        put(p, "<p>");
        size_t start = p->b->n;
        put_words(p, 40);
        if (i == p->m->page % 3 && edited(p, EDIT_ANYWHERE)) change_a_letter(p, start);
        put(p, ".</p>\n");
    }
    p->still = first;
}

static void put_list(struct page *p)
{
    uint32_t order[8];
    for (uint32_t i = 0; i < 8; i++) order[i] = i;
    if (noisy(p, NOISE_SHUFFLE)) sharc_rng_shuffle_u32(p->m->rng, order, 8);
    put(p, "<ul class=related>\n");
    for (unsigned i = 0; i < 8; i++)
        sharc_buf_printf(p->b, "<li><a href=\"/item/%u\">Item %u</a> %u euro</li>\n", p->m->page + order[i],
                         p->m->page + order[i], 10 + order[i] + (order[i] == 3 && edited(p, EDIT_LIST) ? 5 : 0));
    put(p, "</ul>\n");
}

static void put_ranks(struct page *p)
{
    static const char *const teams[] = {"Mainz", "Leipzig", "Bremen", "Ulm", "Jena", "Trier"};
    uint32_t order[6] = {0, 1, 2, 3, 4, 5};
    struct sharc_rng own = sharc_rng_stream(p->m->site, 77 + p->m->page);
    bool fixed = is_ranking(p->m->noise, p->m->page);
    sharc_rng_shuffle_u32(fixed ? &own : p->m->rng, order, 6);
    if (edited(p, EDIT_RANK)) {
        uint32_t first = order[0];
        order[0] = order[1];
        order[1] = first;
    }
    put(p, "<ol class=ranks>\n");
    for (unsigned i = 0; i < 6; i++) sharc_buf_printf(p->b, "<li>%s</li>\n", teams[order[i]]);
    put(p, "</ol>\n");
}

/* One of twelve with addresses of different length, or one that no other page has. */
static void put_link(struct page *p)
{
    static const char *const goods[] = {"oak", "elm", "the old", "of pine", "and ash", "yew"};
    unsigned k = (unsigned)any(p, 12);
    if (has_own_link(p->m->noise, p->m->page))
        sharc_buf_printf(p->b, "<div class=spot><a href=\"/own/%u\">Plain boards of %s</a></div>\n", p->m->page,
                         edited(p, EDIT_OWN_LINK) ? "fir" : "larch");
    else
        sharc_buf_printf(p->b, "<div class=spot><a href=\"/%s/b-%u%s\">%s boards %s %s</a></div>\n", goods[k % 2],
                         100 + k * 37, k % 3 ? "/lid-7" : "", k % 2 ? "The" : "All", goods[k % 6],
                         goods[(k + k / 6) % 6]);
}

static void put_foot(struct page *p)
{
    const struct campaign_moment *m = p->m;
    unsigned second = (unsigned)(m->seconds % 60), minute = (unsigned)(m->seconds / 60 % 60),
             hour = (unsigned)(m->seconds / 3600 % 24);
    put(p, "<footer>\n");
    if (noisy(p, NOISE_MADE))
        sharc_buf_printf(p->b, "<p class=made>Made in 0.%03u s on %02u:%02u:%02u.%03u by %s.</p>\n",
                         (unsigned)any(p, 1000), hour, minute, second, (unsigned)any(p, 1000),
                         edited(p, EDIT_BESIDE_TIME) ? "beta" : "alpha");
    else
        sharc_buf_printf(p->b, "<p class=made>Made by %s.</p>\n", edited(p, EDIT_BESIDE_TIME) ? "beta" : "alpha");
    if (has_own_time(m->noise, m->page))
        sharc_buf_printf(p->b, "<p class=clock>It is %02u:%02u now</p>\n", edited(p, EDIT_OWN_TIME) ? 19 : 18,
                         m->page % 60);
    else if (noisy(p, NOISE_CLOCK) || noisy(p, NOISE_FIXED_TIME))
        sharc_buf_printf(p->b, "<p class=clock>It is %02u:%02u now</p>\n", hour, minute);
    if (noisy(p, NOISE_AGO))
        sharc_buf_printf(p->b, "<p class=ago>Last order %u minutes ago</p>\n",
                         2 + (unsigned)(m->seconds / 60 % 1000) + m->page % 5);
    const char *seen = edited(p, EDIT_BESIDE_VIEWS) ? "bought" : "seen";
    if (noisy(p, NOISE_COUNTER))
        sharc_buf_printf(p->b, "<p class=views>%s %u times</p>\n", seen, 1000 * m->page + m->views);
    else
        sharc_buf_printf(p->b, "<p class=views>%s often</p>\n", seen);
    if (noisy(p, NOISE_ONLINE))
        sharc_buf_printf(p->b, "<p class=online>%u visitors online</p>\n", 40 + (unsigned)any(p, 60));
    if (noisy(p, NOISE_IDS)) {
        put(p, "<div id=\"w-");
        put_hex(p, 12);
        put(p, "\"><span>Widget</span></div>\n");
    }
    sharc_buf_printf(p->b, "<script>\nwindow.state = {\"page\": %u, \"user\": null, ", m->page);
    if (noisy(p, NOISE_STATE)) {
        put(p, "\"token\": \"");
        put_hex(p, 20);
        sharc_buf_printf(p->b, "\", \"price\": %s, \"at\": %llu, ", edited(p, EDIT_JSON_BESIDE) ? "13" : "12",
                         1700000000000ull + m->seconds * 1000 + any(p, 1000));
    } else {
        sharc_buf_printf(p->b, "\"price\": %s, ", edited(p, EDIT_JSON_BESIDE) ? "13" : "12");
    }
    sharc_buf_printf(p->b, "\"stock\": {\"left\": %s}};\n</script>\n", edited(p, EDIT_JSON) ? "4" : "40");
    put(p, "</footer>\n");
}

void campaign_write(const struct campaign_moment *m, struct campaign_answer *ret)
{
    sharc_buf_init(&ret->body, 1u << 20);
    struct page p = {.m = m, .b = &ret->body, .still = sharc_rng_stream(m->site, m->page)};
    ret->status = m->edit == EDIT_STATUS ? 203 : 200;
    ret->location = m->edit == EDIT_LOCATION ? "http://shop.example/x" : "";
    ret->type = m->edit == EDIT_TYPE      ? "application/xhtml+xml; charset=utf-8"
                : m->edit == EDIT_CHARSET ? "text/html; charset=windows-1252"
                                          : "text/html; charset=utf-8";
    put_head(&p);
    put(&p, "<body class=item>\n");
    put_nav(&p);
    put_teaser(&p);
    put(&p, "<main>\n");
    put_item(&p);
    put_form(&p);
    put_text(&p);
    put(&p, "</main>\n");
    put_list(&p);
    put_ranks(&p);
    put_link(&p);
    put_foot(&p);
    put(&p, "</body></html>\n");
}
