/* SPDX-License-Identifier: Apache-2.0
 *
 * One table says what each byte may do in a URL. It is written as ranges of
 * designators, so that the table can be read beside the standard.
 */
#include "url_int.h"

#define FRAG SET_FRAGMENT
#define QUER (SET_QUERY | SET_SPECIAL_QUERY)
#define PATH SET_PATH
#define USER SET_USERINFO
#define HOST (NOT_IN_HOST | NOT_IN_DOMAIN)
#define LOOSE (SET_LOOSE_HOST | SET_LOOSE_BRACKETS)
#define GOOG (SET_GOOGLE | SET_GOOGLE_PATH | SET_GOOGLE_USERINFO | SET_GOOGLE_QUERY | LOOSE)
#define ALL (SET_C0 | FRAG | QUER | PATH | USER | GOOG)

const uint32_t sharc__url_class[256] = {
    [0x00] = ALL | HOST | JUNK,
    [0x01 ... 0x08] = ALL | NOT_IN_DOMAIN | JUNK,
    ['\t'] = ALL | HOST | JUNK | BREAK,
    ['\n'] = ALL | HOST | JUNK | BREAK,
    [0x0b ... 0x0c] = ALL | NOT_IN_DOMAIN | JUNK,
    ['\r'] = ALL | HOST | JUNK | BREAK,
    [0x0e ... 0x1f] = ALL | NOT_IN_DOMAIN | JUNK,
    [' '] = FRAG | QUER | PATH | USER | GOOG | HOST | JUNK,
    ['"'] = FRAG | QUER | PATH | USER,
    ['#'] = QUER | PATH | USER | HOST | GOOG,
    ['%'] = NOT_IN_DOMAIN | GOOG,
    ['&'] = SET_GOOGLE_QUERY,
    ['\''] = SET_SPECIAL_QUERY,
    ['+'] = IN_SCHEME,
    ['-'] = IN_SCHEME,
    ['.'] = IN_SCHEME,
    ['/'] = USER | HOST | LOOSE,
    ['0' ... '9'] = IN_SCHEME,
    [':'] = USER | HOST | SET_GOOGLE_USERINFO | SET_LOOSE_HOST,
    [';'] = USER,
    ['<'] = FRAG | QUER | PATH | USER | HOST,
    ['='] = USER | SET_GOOGLE_QUERY,
    ['>'] = FRAG | QUER | PATH | USER | HOST,
    ['?'] = PATH | USER | HOST | SET_GOOGLE_PATH | LOOSE,
    ['@'] = USER | HOST | SET_GOOGLE_USERINFO | LOOSE,
    ['A' ... 'Z'] = IN_SCHEME,
    ['['] = USER | HOST,
    ['\\'] = USER | HOST | LOOSE,
    [']'] = USER | HOST,
    ['^'] = PATH | USER | HOST,
    ['`'] = FRAG | PATH | USER,
    ['a' ... 'z'] = IN_SCHEME,
    ['{'] = PATH | USER,
    ['|'] = USER | HOST,
    ['}'] = PATH | USER,
    [0x7f] = ALL | NOT_IN_DOMAIN,
    [0x80 ... 0xff] = ALL,
};

char *sharc__url_encode(char *out, struct sharc_span s, unsigned set)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (!(sharc__url_class[c] & set)) {
            *out++ = (char)c;
            continue;
        }
        *out++ = '%';
        *out++ = hex[c >> 4];
        *out++ = hex[c & 15];
    }
    return out;
}

unsigned sharc__url_classes(struct sharc_span s)
{
    unsigned all = 0;
    for (size_t i = 0; i < s.n; i++) all |= CLASS(s.p[i]);
    return all;
}

/* The byte that %XX at s.p[i] stands for, or -1. */
static int escape_at(struct sharc_span s, size_t i)
{
    if (s.p[i] != '%' || s.n - i < 3) return -1;
    int high = sharc_hex_value(s.p[i + 1]), low = sharc_hex_value(s.p[i + 2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

size_t sharc__url_decode(struct sharc_span s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int c = escape_at(s, i);
        out[n++] = c < 0 ? s.p[i] : (char)c;
        if (c >= 0) i += 2;
    }
    return n;
}

/* Decoding again and again is quadratic on "%25252525…" when done by passes.
 * Here the output is a stack: after each byte pushed, an escape that is now
 * complete at its top is folded, and the folded byte may complete another one.
 * Every fold removes two bytes, so the work is linear. The result is that of
 * the passes: both rewrite %XX to a byte until none is left, and two escapes
 * never overlap ('%' is no hex digit), so the order does not matter. */
size_t sharc__url_decode_all(struct sharc_span s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        out[n++] = s.p[i];
        while (n >= 3) {
            int c = escape_at(sharc_span(out, n), n - 3);
            if (c < 0) break;
            n -= 2;
            out[n - 1] = (char)c;
        }
    }
    return n;
}

struct sharc_span sharc__url_clean(struct sharc_span s, char *out)
{
    while (s.n && CLASS(s.p[0]) & JUNK) s = sharc_span_from(s, 1);
    while (s.n && CLASS(s.p[s.n - 1]) & JUNK) s.n--;
    if (!s.n || (!memchr(s.p, '\t', s.n) && !memchr(s.p, '\n', s.n) && !memchr(s.p, '\r', s.n))) return s;
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!(CLASS(s.p[i]) & BREAK)) out[n++] = s.p[i];
    return sharc_span(out, n);
}

bool sharc__url_is_ascii(struct sharc_span s)
{
    unsigned char all = 0;
    for (size_t i = 0; i < s.n; i++) all |= (unsigned char)s.p[i];
    return all < 0x80;
}

void sharc__url_lower(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) p[i] = sharc_to_lower(p[i]);
}

enum sharc_scheme sharc__url_scheme_of(struct sharc_span name)
{
    switch (name.n) {
    case 2: return memcmp(name.p, "ws", 2) == 0 ? SHARC_SCHEME_WS : SHARC_SCHEME_OTHER;
    case 3:
        if (memcmp(name.p, "wss", 3) == 0) return SHARC_SCHEME_WSS;
        return memcmp(name.p, "ftp", 3) == 0 ? SHARC_SCHEME_FTP : SHARC_SCHEME_OTHER;
    case 4:
        if (memcmp(name.p, "http", 4) == 0) return SHARC_SCHEME_HTTP;
        return memcmp(name.p, "file", 4) == 0 ? SHARC_SCHEME_FILE : SHARC_SCHEME_OTHER;
    case 5: return memcmp(name.p, "https", 5) == 0 ? SHARC_SCHEME_HTTPS : SHARC_SCHEME_OTHER;
    default: return SHARC_SCHEME_OTHER;
    }
}

unsigned sharc__url_default_port(enum sharc_scheme scheme)
{
    switch (scheme) {
    case SHARC_SCHEME_HTTP:
    case SHARC_SCHEME_WS: return 80;
    case SHARC_SCHEME_HTTPS:
    case SHARC_SCHEME_WSS: return 443;
    case SHARC_SCHEME_FTP: return 21;
    case SHARC_SCHEME_FILE:
    case SHARC_SCHEME_OTHER: break;
    }
    return 0;
}
