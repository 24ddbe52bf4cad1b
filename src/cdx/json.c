/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON object at the end of a CDXJ line, member by member, without building a tree.
 */
#include "json.h"

static void skip_space(struct cdx_json *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t')) s->p++;
}

/* s->p is behind the opening quote; afterwards behind the closing one. Most
 * strings have no backslash: two passes of memchr beat a loop over bytes. */
static bool scan_string(struct cdx_json *s, struct sharc_span *ret, bool *ret_escaped)
{
    const char *from = s->p;
    const char *quote = memchr(from, '"', (size_t)(s->end - from));
    if (!quote) return false;
    const char *back = memchr(from, '\\', (size_t)(quote - from));
    *ret_escaped = back != NULL;
    if (back) {
        const char *q = back;
        while (q < s->end && *q != '"') q += *q == '\\' && q + 1 < s->end ? 2 : 1;
        if (q >= s->end) return false;
        quote = q;
    }
    *ret = sharc_span(from, (size_t)(quote - from));
    s->p = quote + 1;
    return true;
}

/* A list or object as a value: its text, brackets balanced. */
static bool scan_nested(struct cdx_json *s, struct sharc_span *ret)
{
    const char *from = s->p;
    size_t depth = 0;
    while (s->p < s->end) {
        char c = *s->p++;
        if (c == '"') {
            struct sharc_span text;
            bool escaped;
            if (!scan_string(s, &text, &escaped)) return false;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (--depth == 0) {
                *ret = sharc_span(from, (size_t)(s->p - from));
                return true;
            }
        }
    }
    return false;
}

static bool is_scalar(char c)
{
    return sharc_is_alnum(c) || c == '-' || c == '+' || c == '.';
}

static bool scan_value(struct cdx_json *s, struct cdx_member *m)
{
    m->value_escaped = m->null = false;
    if (s->p == s->end) return false;
    if (*s->p == '"') {
        s->p++;
        return scan_string(s, &m->value, &m->value_escaped);
    }
    if (*s->p == '{' || *s->p == '[') return scan_nested(s, &m->value);
    const char *from = s->p;
    while (s->p < s->end && is_scalar(*s->p)) s->p++;
    m->value = sharc_span(from, (size_t)(s->p - from));
    m->null = sharc_span_is(m->value, "null");
    return m->value.n > 0;
}

int sharc__cdx_json_next(struct cdx_json *s, struct cdx_member *m)
{
    char opener = s->begun ? ',' : '{';
    skip_space(s);
    if (s->p == s->end) return SHARC_ESYNTAX;
    if (s->begun && *s->p == '}') {
        s->p++;
        return 0;
    }
    if (*s->p != opener) return SHARC_ESYNTAX;
    s->p++;
    skip_space(s);
    if (!s->begun && s->p < s->end && *s->p == '}') {
        s->p++;
        return 0;
    }
    s->begun = true;
    if (s->p == s->end || *s->p != '"') return SHARC_ESYNTAX;
    s->p++;
    if (!scan_string(s, &m->name, &m->name_escaped)) return SHARC_ESYNTAX;
    skip_space(s);
    if (s->p == s->end || *s->p != ':') return SHARC_ESYNTAX;
    s->p++;
    skip_space(s);
    return scan_value(s, m) ? 1 : SHARC_ESYNTAX;
}

static bool hex4(struct sharc_span s, size_t at, uint32_t *ret)
{
    if (at + 4 > s.n) return false;
    uint32_t v = 0;
    for (size_t i = 0; i < 4; i++) {
        int h = sharc_hex_value(s.p[at + i]);
        if (h < 0) return false;
        v = v << 4 | (uint32_t)h;
    }
    *ret = v;
    return true;
}

/* The code point of the \u escape whose digits begin at `at`; *at moves behind. */
static uint32_t unicode_escape(struct sharc_span s, size_t *at)
{
    uint32_t c, low;
    if (!hex4(s, *at, &c)) return 0xfffd;
    *at += 4;
    if (c < 0xd800 || c > 0xdfff) return c;
    if (c > 0xdbff || *at + 6 > s.n || s.p[*at] != '\\' || s.p[*at + 1] != 'u') return 0xfffd;
    if (!hex4(s, *at + 2, &low) || low < 0xdc00 || low > 0xdfff) return 0xfffd;
    *at += 6;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

struct sharc_span sharc__cdx_json_text(struct sharc_span s, struct sharc_buf *out)
{
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    size_t from = out->n;
    for (size_t i = 0; i < s.n;) {
        size_t back = sharc_span_find(s, '\\', i);
        if (back == SHARC_NPOS || back + 1 >= s.n) back = s.n;
        sharc_buf_put(out, sharc_span_sub(s, i, back));
        if (back == s.n) break;
        char c = s.p[back + 1];
        i = back + 2;
        const char *hit = c ? strchr(plain, c) : NULL;
        if (c == 'u') {
            char bytes[4];
            sharc_buf_put(out, sharc_span(bytes, sharc_utf8_encode(unicode_escape(s, &i), bytes)));
        } else {
            sharc_buf_put_char(out, hit ? meant[hit - plain] : c);
        }
    }
    return sharc_span(out->p ? out->p + from : "", out->n - from);
}
