/* SPDX-License-Identifier: Apache-2.0
 *
 * Just enough HTML for the title of a page in a list. It must never be wrong in a
 * dangerous way, only empty: the real tokenizer lives in another room.
 */
#include "wacz_int.h"

enum { MOST_TITLE = 500 };

/* Position behind the next occurrence of text (any case) at or after from; SHARC_NPOS:
 * none. */
static size_t behind(struct sharc_span s, size_t from, const char *text)
{
    struct sharc_span t = sharc_span_of(text);
    for (size_t at = from; (at = sharc_span_find(s, t.p[0], at)) != SHARC_NPOS; at++)
        if (sharc_span_istarts(sharc_span_from(s, at), t)) return at + t.n;
    return SHARC_NPOS;
}

static bool is_tag(struct sharc_span rest, const char *name)
{
    size_t n = strlen(name);
    return rest.n > n && sharc_span_istarts(rest, sharc_span(name, n)) && !sharc_is_alnum(rest.p[n]);
}

/* The content of the first title element; .p == NULL when there is none. */
static struct sharc_span find_title(struct sharc_span s)
{
    size_t at = 0;
    while ((at = sharc_span_find(s, '<', at)) != SHARC_NPOS) {
        struct sharc_span rest = sharc_span_from(s, at + 1);
        if (is_tag(rest, "title")) {
            size_t open = sharc_span_find(s, '>', at);
            if (open == SHARC_NPOS) return SHARC_SPAN_NONE;
            size_t end = behind(s, open, "</title");
            return end == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_sub(s, open + 1, end - strlen("</title"));
        }
        if (sharc_span_starts(rest, SHARC_SPAN("!--")))
            at = behind(s, at + 1, "-->");
        else if (is_tag(rest, "script"))
            at = behind(s, at + 1, "</script");
        else if (is_tag(rest, "style"))
            at = behind(s, at + 1, "</style");
        else
            at++;
        if (at == SHARC_NPOS) break;
    }
    return SHARC_SPAN_NONE;
}

static void put_code_point(struct sharc_buf *out, uint32_t c)
{
    char bytes[4];
    bool scalar = c && c < 0x110000 && (c < 0xd800 || c > 0xdfff);
    sharc_buf_put(out, sharc_span(bytes, sharc_utf8_encode(scalar ? c : 0xfffd, bytes)));
}

/* "&#228;", "&#xe4;": length, or 0. */
static size_t numeric_reference(struct sharc_span s, uint32_t *ret)
{
    bool hex = s.n > 2 && (s.p[2] == 'x' || s.p[2] == 'X');
    size_t i = hex ? 3 : 2;
    uint32_t v = 0;
    size_t from = i;
    for (; i < s.n && i < 12; i++) {
        int d = sharc_hex_value(s.p[i]);
        if (d < 0 || (!hex && d > 9)) break;
        v = v > 0x110000 ? v : v * (hex ? 16 : 10) + (uint32_t)d;
    }
    if (i == from || i >= s.n || s.p[i] != ';') return 0;
    *ret = v;
    return i + 1;
}

static size_t reference(struct sharc_span s, uint32_t *ret)
{
    static const struct {
        const char *text;
        uint32_t c;
    } named[] = {{"&amp;", '&'},      {"&lt;", '<'},       {"&gt;", '>'},        {"&quot;", '"'},
                 {"&apos;", '\''},    {"&nbsp;", ' '},     {"&ndash;", 0x2013},  {"&mdash;", 0x2014},
                 {"&laquo;", 0xab},   {"&raquo;", 0xbb},   {"&hellip;", 0x2026}, {"&rsquo;", 0x2019},
                 {"&lsquo;", 0x2018}, {"&ldquo;", 0x201c}, {"&rdquo;", 0x201d},  {"&auml;", 0xe4},
                 {"&ouml;", 0xf6},    {"&uuml;", 0xfc},    {"&eacute;", 0xe9},   {"&copy;", 0xa9},
                 {"&middot;", 0xb7},  {"&bull;", 0x2022}};
    if (s.n > 2 && s.p[1] == '#') return numeric_reference(s, ret);
    for (size_t i = 0; i < SHARC_LENGTH(named); i++) {
        if (!sharc_span_starts(s, sharc_span_of(named[i].text))) continue;
        *ret = named[i].c;
        return strlen(named[i].text);
    }
    return 0;
}

/* One character of s at its start, from UTF-8, else as windows-1252. */
static size_t character(struct sharc_span s, uint32_t *ret)
{
    static const uint16_t upper[32] = {0x20ac, 0xfffd, 0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                       0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0xfffd, 0x17d,  0xfffd,
                                       0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                       0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0xfffd, 0x17e,  0x178};
    size_t n = s.p[0] == '&' ? reference(s, ret) : 0;
    if (n) return n;
    n = sharc_utf8_decode(s, ret);
    if (n) return n;
    unsigned char b = (unsigned char)s.p[0];
    *ret = b >= 0x80 && b < 0xa0 ? upper[b - 0x80] : b;
    return 1;
}

void sharc__wacz_title(struct sharc_span html, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    struct sharc_span t = sharc_span_trim(find_title(html));
    bool gap = false;
    while (t.n && out->n < MOST_TITLE - 8) {
        uint32_t c;
        t = sharc_span_from(t, character(t, &c));
        if (c <= ' ') {
            gap = true;
            continue;
        }
        if (gap && out->n) sharc_buf_put_char(out, ' ');
        gap = false;
        put_code_point(out, c);
    }
}
