/* SPDX-License-Identifier: Apache-2.0
 *
 * The form in which rules and URLs are compared: one percent-encoding for both.
 */
#include "robots_int.h"

static void put_encoded(struct sharc_buf *out, unsigned char c)
{
    static const char hex[] = "0123456789ABCDEF";
    sharc_buf_put(out, sharc_span((char[]){'%', hex[c >> 4], hex[c & 15]}, 3));
}

/* No browser leaves these plain in every part of a URL. */
static bool is_never_plain(unsigned char c)
{
    return c <= ' ' || c == 0x7f || strchr("\"'<>\\^`{|}", c) != NULL;
}

/* Encoded or not, these say the same in a path; with in_query, in a query. */
static bool is_same_plain(unsigned char c, bool in_query)
{
    if (sharc_is_alnum((char)c)) return true;
    return c != 0 && (strchr("-._~!&()+,;=:@[]", c) || (in_query && (c == '/' || c == '?')));
}

/* The octet at s.p[*i], and whether it is written as %XX; *i moves to its last byte. */
static unsigned char take_octet(struct sharc_span s, size_t *i, bool *ret_encoded)
{
    unsigned char c = (unsigned char)s.p[*i];
    *ret_encoded = false;
    if (c != '%' || *i + 2 >= s.n) return c;
    int high = sharc_hex_value(s.p[*i + 1]), low = sharc_hex_value(s.p[*i + 2]);
    if (high < 0 || low < 0) return c;
    *ret_encoded = true;
    *i += 2;
    return (unsigned char)(high << 4 | low);
}

static bool has_meaning(unsigned char c, bool last, unsigned how)
{
    return (how & ROBOTS_RULE) && (c == '*' || (c == '$' && last));
}

int sharc__http_robots_normal(struct sharc_span s, unsigned how, struct sharc_buf *out)
{
    const bool loose = how & ROBOTS_LOOSE;
    bool in_query = false, encoded, plain;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = take_octet(s, &i, &encoded);
        if (encoded)
            plain = loose && is_same_plain(c, in_query);
        else if (c >= 0x80)
            plain = how == ROBOTS_URL;
        else
            plain = has_meaning(c, i + 1 == s.n, how) || !(is_never_plain(c) || c == '*' || c == '$');
        in_query |= !encoded && c == '?';
        if (plain)
            sharc_buf_put_char(out, (char)c);
        else
            put_encoded(out, c);
    }
    return out->failed ? SHARC_ELIMIT : 0;
}
