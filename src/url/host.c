/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts: domains, IPv4 in all the notations browsers take, IPv6, and opaque
 * hosts. A plain ASCII domain, which nearly all are, is copied and lowered in
 * one pass; only others pay for more.
 */
#include "url_int.h"

#include <stdlib.h>

/* --- IPv4 ------------------------------------------------------------------ */

/* A part in decimal, octal (0…) or hexadecimal (0x…); capped far above any
 * valid value. False when it is no number. */
static bool ipv4_number(struct sharc_span s, uint64_t *ret)
{
    unsigned radix = 10;
    if (!s.n) return false;
    if (s.n >= 2 && s.p[0] == '0') {
        radix = s.p[1] == 'x' || s.p[1] == 'X' ? 16 : 8;
        s = sharc_span_from(s, radix == 16 ? 2 : 1);
    }
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        int digit = sharc_hex_value(s.p[i]);
        if (digit < 0 || (unsigned)digit >= radix) return false;
        v = v * radix + (unsigned)digit;
        if (v > UINT32_MAX) v = (uint64_t)UINT32_MAX + 1;
    }
    *ret = v;
    return true;
}

static struct sharc_span last_label(struct sharc_span s)
{
    size_t from = s.n;
    while (from && s.p[from - 1] != '.') from--;
    return sharc_span_from(s, from);
}

static bool ends_in_number(struct sharc_span s)
{
    if (s.n > 1 && s.p[s.n - 1] == '.') s.n--;
    struct sharc_span last = last_label(s);
    if (!last.n || !sharc_is_digit(last.p[0])) return false;
    bool digits = true;
    for (size_t i = 0; i < last.n && digits; i++) digits = sharc_is_digit(last.p[i]);
    uint64_t v;
    return digits || ipv4_number(last, &v);
}

int sharc__url_ipv4(struct sharc_span s, uint32_t *ret)
{
    if (!ends_in_number(s)) return 0;
    if (s.n > 1 && s.p[s.n - 1] == '.') s.n--;
    uint64_t parts[4] = {0};
    size_t count = 0;
    struct sharc_span part;
    while (sharc_span_next(&s, '.', &part)) {
        if (count == 4 || !ipv4_number(part, &parts[count])) return -1;
        count++;
    }
    if (!count) return -1;
    uint64_t address = parts[count - 1];
    if (address >= UINT64_C(1) << (8 * (5 - count))) return -1;
    for (size_t i = 0; i + 1 < count; i++) {
        if (parts[i] > 255) return -1;
        address |= parts[i] << (8 * (3 - i));
    }
    *ret = (uint32_t)address;
    return 1;
}

size_t sharc__url_ipv4_text(uint32_t a, char out[IPV4_TEXT])
{
    size_t n = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        n += sharc__url_number_text(a >> shift & 255, out + n);
        if (shift) out[n++] = '.';
    }
    return n;
}

/* --- IPv6 ------------------------------------------------------------------ */

/* "a.b.c.d" that ends an IPv6 address: four decimal numbers, no leading zero. */
static bool ipv6_tail(struct sharc_span s, uint16_t ret[2])
{
    size_t i = 0;
    for (unsigned part = 0; part < 4; part++) {
        if (part && (i >= s.n || s.p[i++] != '.')) return false;
        unsigned v = 0;
        size_t from = i;
        for (; i < s.n && sharc_is_digit(s.p[i]); i++) {
            if (i > from && v == 0) return false;
            v = v * 10 + (unsigned)(s.p[i] - '0');
            if (v > 255) return false;
        }
        if (i == from) return false;
        ret[part / 2] = (uint16_t)(ret[part / 2] << 8 | v);
    }
    return i == s.n;
}

/* Move what stands behind "::" to the end. */
static void ipv6_spread(uint16_t a[8], unsigned piece, unsigned compress)
{
    unsigned swaps = piece - compress;
    for (unsigned to = 7; to != 0 && swaps > 0; to--, swaps--) {
        uint16_t moved = a[compress + swaps - 1];
        a[compress + swaps - 1] = a[to];
        a[to] = moved;
    }
}

/* Up to four hexadecimal digits from *at on, which moves behind them. */
static uint16_t hex_piece(struct sharc_span s, size_t *at)
{
    unsigned value = 0;
    for (size_t end = *at + 4; *at < s.n && *at < end && sharc_hex_value(s.p[*at]) >= 0; ++*at)
        value = value << 4 | (unsigned)sharc_hex_value(s.p[*at]);
    return (uint16_t)value;
}

bool sharc__url_ipv6(struct sharc_span s, uint16_t ret[8])
{
    uint16_t a[8] = {0};
    unsigned piece = 0;
    int compress = -1;
    size_t i = 0;
    if (sharc_span_starts(s, SHARC_SPAN("::"))) {
        i = 2;
        compress = (int)++piece;
    } else if (s.n && s.p[0] == ':') {
        return false;
    }
    while (i < s.n) {
        if (piece == 8) return false;
        if (s.p[i] == ':') {
            if (compress >= 0) return false;
            i++;
            compress = (int)++piece;
            continue;
        }
        size_t from = i;
        uint16_t value = hex_piece(s, &i);
        if (i < s.n && s.p[i] == '.') {
            if (i == from || piece > 6 || !ipv6_tail(sharc_span_from(s, from), a + piece)) return false;
            piece += 2;
            break;
        }
        if (i < s.n && (s.p[i] != ':' || ++i == s.n)) return false;
        a[piece++] = value;
    }
    if (compress >= 0)
        ipv6_spread(a, piece, (unsigned)compress);
    else if (piece != 8)
        return false;
    memcpy(ret, a, sizeof a);
    return true;
}

/* First longest run of at least two zero pieces; 8 when there is none. */
static unsigned longest_zeros(const uint16_t a[8], unsigned *ret_length)
{
    unsigned best = 8, best_length = 1;
    for (unsigned i = 0; i < 8; i++) {
        unsigned from = i;
        while (i < 8 && a[i] == 0) i++;
        if (i - from > best_length) best = from, best_length = i - from;
    }
    *ret_length = best_length;
    return best;
}

size_t sharc__url_ipv6_text(const uint16_t a[8], char out[IPV6_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    unsigned length, zeros = longest_zeros(a, &length);
    size_t n = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (i == zeros) {
            out[n++] = ':';
            if (i == 0) out[n++] = ':';
            i += length - 1;
            continue;
        }
        bool started = false;
        for (int shift = 12; shift >= 0; shift -= 4) {
            unsigned digit = a[i] >> shift & 15u;
            if (!digit && !started && shift) continue;
            started = true;
            out[n++] = hex[digit];
        }
        if (i < 7) out[n++] = ':';
    }
    return n;
}

/* --- any host -------------------------------------------------------------- */

static const char *put_ipv6(struct build *b, struct sharc_span host)
{
    uint16_t a[8];
    if (host.p[host.n - 1] != ']') return "the bracket of its IPv6 address is not closed";
    if (!sharc__url_ipv6(sharc_span_sub(host, 1, host.n - 1), a)) return "its IPv6 address is not valid";
    char text[IPV6_TEXT];
    build_char(b, '[');
    build_put(b, sharc_span(text, sharc__url_ipv6_text(a, text)));
    build_char(b, ']');
    return NULL;
}

static const char *put_opaque(struct build *b, struct sharc_span host)
{
    if (sharc__url_classes(host) & NOT_IN_HOST) return "its host holds a character that no host may hold";
    sharc__url_put_encoded(b, host, SET_C0);
    return NULL;
}

/* Percent-decoded, mapped to ASCII; the caller checks what came out. */
static const char *put_decoded_domain(struct build *b, struct sharc_span host)
{
    static const char *const bad = "its host has no valid ASCII form";
    if (host.n > SHARC_LIMIT_URL) return bad;
    char decoded[SHARC_LIMIT_URL], ascii[SHARC_LIMIT_URL];
    struct sharc_span s = sharc_span(decoded, sharc__url_decode(host, decoded));
    if (!sharc__url_is_ascii(s)) {
        if (sharc_utf8_check(s) != SHARC_NPOS) return bad;
        size_t n = sharc__url_idna(s, ascii, sizeof ascii);
        if (!n) return bad;
        s = sharc_span(ascii, n);
    }
    build_put(b, s);
    return NULL;
}

/* The common case in one pass: nothing to decode, to map or to refuse. False
 * has written nothing that counts. */
static bool put_plain_domain(struct build *b, struct sharc_span host)
{
    uint32_t classes = 0;
    sharc__url_reserve(b, host.n);
    char *out = b->p + b->n;
    for (size_t i = 0; i < host.n; i++) {
        classes |= CLASS(host.p[i]);
        out[i] = sharc_to_lower(host.p[i]);
    }
    if (classes & (NOT_IN_DOMAIN | SET_C0)) return false;
    b->n += host.n;
    return true;
}

/* Everything else; what comes out may still hold what no domain may. */
static const char *put_domain(struct build *b, struct sharc_span host)
{
    size_t start = b->n;
    const char *wrong = put_decoded_domain(b, host);
    if (wrong) return wrong;
    sharc__url_lower(b->p + start, b->n - start);
    if (sharc__url_classes(sharc_span(b->p + start, b->n - start)) & NOT_IN_DOMAIN)
        return "its host holds a character that no domain may hold";
    return NULL;
}

const char *sharc__url_put_host(struct build *b, struct sharc_span host, bool special, enum sharc_host_kind *ret_kind)
{
    if (host.n && host.p[0] == '[') {
        *ret_kind = SHARC_HOST_IPV6;
        return put_ipv6(b, host);
    }
    if (!special) {
        *ret_kind = host.n ? SHARC_HOST_OPAQUE : SHARC_HOST_EMPTY;
        return put_opaque(b, host);
    }
    *ret_kind = SHARC_HOST_DOMAIN;
    size_t start = b->n;
    const char *wrong = put_plain_domain(b, host) ? NULL : put_domain(b, host);
    if (wrong) return wrong;
    struct sharc_span domain = sharc_span(b->p + start, b->n - start);
    if (!domain.n) return "its host is empty";
    uint32_t address;
    int is_ipv4 = sharc__url_ipv4(domain, &address);
    if (is_ipv4 < 0) return "its host ends in a number but is not an IPv4 address";
    if (is_ipv4 == 0) return NULL;
    *ret_kind = SHARC_HOST_IPV4;
    char text[IPV4_TEXT];
    b->n = start;
    build_put(b, sharc_span(text, sharc__url_ipv4_text(address, text)));
    return NULL;
}
