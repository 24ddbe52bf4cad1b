/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans: searching, comparing, numbers, UTF-8.
 */
#include "sharc/base.h"

#include <locale.h>
#include <stdlib.h>

size_t sharc_span_search(struct sharc_span s, struct sharc_span needle)
{
    if (needle.n == 0) return 0;
    if (needle.n > s.n) return SHARC_NPOS;
    const char *hit = memmem(s.p, s.n, needle.p, needle.n);
    return hit ? (size_t)(hit - s.p) : SHARC_NPOS;
}

int sharc_span_cmp(struct sharc_span a, struct sharc_span b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    if (c) return c;
    return (a.n > b.n) - (a.n < b.n);
}

bool sharc_span_ieq(struct sharc_span a, struct sharc_span b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (sharc_to_lower(a.p[i]) != sharc_to_lower(b.p[i])) return false;
    return true;
}

bool sharc_span_istarts(struct sharc_span s, struct sharc_span prefix)
{
    return s.n >= prefix.n && sharc_span_ieq(sharc_span(s.p, prefix.n), prefix);
}

struct sharc_span sharc_span_trim(struct sharc_span s)
{
    while (s.n && sharc_is_space(s.p[0])) s.p++, s.n--;
    while (s.n && sharc_is_space(s.p[s.n - 1])) s.n--;
    return s;
}

bool sharc_span_next(struct sharc_span *rest, char sep, struct sharc_span *ret)
{
    /* A used-up rest has n == SHARC_NPOS: an empty span still has one part. */
    if (rest->n == SHARC_NPOS) return false;
    size_t at = sharc_span_find(*rest, sep, 0);
    if (at == SHARC_NPOS) {
        *ret = *rest;
        *rest = (struct sharc_span){NULL, SHARC_NPOS};
        return true;
    }
    *ret = sharc_span(rest->p, at);
    *rest = sharc_span(rest->p + at + 1, rest->n - at - 1);
    return true;
}

char *sharc_span_dup(struct sharc_span s)
{
    return sharc_strndup(s.p, s.n);
}

int sharc_span_to_u64(struct sharc_span s, uint64_t *ret)
{
    if (s.n == 0) return SHARC_ESYNTAX;
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!sharc_is_digit(s.p[i])) return SHARC_ESYNTAX;
        if (__builtin_mul_overflow(v, (uint64_t)10, &v)) return SHARC_ELIMIT;
        if (__builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v)) return SHARC_ELIMIT;
    }
    *ret = v;
    return 0;
}

int sharc_span_to_i64(struct sharc_span s, int64_t *ret)
{
    bool negative = s.n && s.p[0] == '-';
    if (negative) s = sharc_span_from(s, 1);
    uint64_t v;
    int r = sharc_span_to_u64(s, &v);
    if (r < 0) return r;
    if (v > (uint64_t)INT64_MAX + negative) return SHARC_ELIMIT;
    *ret = negative ? (int64_t)(0 - v) : (int64_t)v;
    return 0;
}

/* A decimal number: mantissa × 10^exponent. `exact` when nothing was lost. */
struct decimal {
    uint64_t mantissa;
    int exponent;
    bool exact;
};

static size_t take_digits(struct sharc_span s, size_t i, struct decimal *d, int exponent_step)
{
    size_t from = i;
    for (; i < s.n && sharc_is_digit(s.p[i]); i++) {
        d->exact = d->exact && d->mantissa < UINT64_MAX / 10 - 1;
        d->mantissa = d->mantissa * 10 + (uint64_t)(s.p[i] - '0');
        d->exponent += exponent_step;
    }
    return i - from;
}

/* strtod's grammar without white space, hex, nan and inf; the sign is taken
 * off before. */
static bool read_decimal(struct sharc_span s, struct decimal *ret)
{
    struct decimal d = {.exact = true};
    size_t i = 0, digits = take_digits(s, i, &d, 0);
    i += digits;
    if (i < s.n && s.p[i] == '.') {
        size_t behind = take_digits(s, i + 1, &d, -1);
        i += 1 + behind;
        digits += behind;
    }
    if (!digits) return false;
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        i++;
        bool negative = i < s.n && s.p[i] == '-';
        if (negative || (i < s.n && s.p[i] == '+')) i++;
        struct decimal e = {.exact = true};
        size_t n = take_digits(s, i, &e, 0);
        if (n == 0) return false;
        i += n;
        d.exact = d.exact && e.exact && e.mantissa < 1000;
        if (d.exact) d.exponent += negative ? -(int)e.mantissa : (int)e.mantissa;
    }
    *ret = d;
    return i == s.n;
}

/* A mantissa below 2^53 and a power of ten up to 22 are doubles without error,
 * so one rounded operation gives the nearest double. */
static bool small_decimal(const struct decimal *d, double *ret)
{
    static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (!d->exact || d->mantissa > (uint64_t)1 << 53 || d->exponent < -22 || d->exponent > 22) return false;
    double m = (double)d->mantissa;
    *ret = d->exponent < 0 ? m / ten_to[-d->exponent] : m * ten_to[d->exponent];
    return true;
}

/* The C locale, made once and kept: strtod must not depend on LC_NUMERIC. */
static locale_t c_locale(void)
{
    static locale_t made;
    locale_t l = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
    if (l) return l;
    locale_t mine = newlocale(LC_ALL_MASK, "C", (locale_t)0), none = (locale_t)0;
    if (__atomic_compare_exchange_n(&made, &none, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return mine;
    freelocale(mine);
    return none;
}

int sharc_span_to_double(struct sharc_span s, double *ret)
{
    char text[400];
    if (s.n >= sizeof text) return SHARC_ELIMIT;
    bool negative = s.n && s.p[0] == '-';
    struct sharc_span rest = negative || (s.n && s.p[0] == '+') ? sharc_span_from(s, 1) : s;
    struct decimal d;
    double v;
    if (!read_decimal(rest, &d)) return SHARC_ESYNTAX;
    if (!small_decimal(&d, &v)) {
        memcpy(text, rest.p, rest.n);
        text[rest.n] = 0;
        v = strtod_l(text, NULL, c_locale());
        if (v - v != 0.0) return SHARC_ELIMIT; /* infinite */
    }
    *ret = negative ? -v : v;
    return 0;
}

size_t sharc_utf8_decode(struct sharc_span s, uint32_t *ret)
{
    const unsigned char *p = (const unsigned char *)s.p;
    if (p[0] < 0x80) {
        *ret = p[0];
        return 1;
    }
    size_t n;
    uint32_t c, least;
    if ((p[0] & 0xe0) == 0xc0)
        n = 2, c = p[0] & 0x1fu, least = 0x80;
    else if ((p[0] & 0xf0) == 0xe0)
        n = 3, c = p[0] & 0x0fu, least = 0x800;
    else if ((p[0] & 0xf8) == 0xf0)
        n = 4, c = p[0] & 0x07u, least = 0x10000;
    else
        return 0;
    if (s.n < n) return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return 0;
    *ret = c;
    return n;
}

size_t sharc_utf8_encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

size_t sharc_utf8_count(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

size_t sharc_utf8_check(struct sharc_span s)
{
    size_t i = 0;
    while (i < s.n) {
        /* Eight ASCII bytes at a time: most text is. */
        uint64_t word;
        if (i + sizeof word <= s.n) {
            memcpy(&word, s.p + i, sizeof word);
            if ((word & 0x8080808080808080u) == 0) {
                i += sizeof word;
                continue;
            }
        }
        uint32_t c;
        size_t n = sharc_utf8_decode(sharc_span(s.p + i, s.n - i), &c);
        if (n == 0) return i;
        i += n;
    }
    return SHARC_NPOS;
}
