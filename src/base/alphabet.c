/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as letters: hex, base32, base64 (RFC 4648). Base32 and base64 are one
 * algorithm with 5 and 6 bits per letter.
 */
#include "sharc/base_digest.h"

static const char hex[] = "0123456789abcdef";
static const char base32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t sharc_hex_encode(struct sharc_span s, char *out)
{
    for (size_t i = 0; i < s.n; i++) {
        out[2 * i] = hex[(unsigned char)s.p[i] >> 4];
        out[2 * i + 1] = hex[s.p[i] & 15];
    }
    out[2 * s.n] = 0;
    return 2 * s.n;
}

/* `block` letters stand for a whole number of bytes; the last block is filled
 * up with '='. */
static size_t encode(struct sharc_span s, const char *letters, unsigned bits, size_t block, char *out)
{
    uint32_t held = 0;
    unsigned have = 0;
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        held = (held << 8 | (unsigned char)s.p[i]) & 0xffff;
        for (have += 8; have >= bits; have -= bits) out[n++] = letters[held >> (have - bits) & ((1u << bits) - 1)];
    }
    if (have) out[n++] = letters[held << (bits - have) & ((1u << bits) - 1)];
    while (n % block) out[n++] = '=';
    out[n] = 0;
    return n;
}

size_t sharc_base32_encode(struct sharc_span s, char *out)
{
    return encode(s, base32, 5, 8, out);
}

size_t sharc_base64_encode(struct sharc_span s, char *out)
{
    return encode(s, base64, 6, 4, out);
}

int sharc_hex_decode(struct sharc_span s, uint8_t *out, size_t room, size_t *ret_n)
{
    if (s.n % 2) return SHARC_ESYNTAX;
    if (s.n / 2 > room) return SHARC_ELIMIT;
    for (size_t i = 0; i < s.n / 2; i++) {
        int high = sharc_hex_value(s.p[2 * i]), low = sharc_hex_value(s.p[2 * i + 1]);
        if (high < 0 || low < 0) return SHARC_ESYNTAX;
        out[i] = (uint8_t)(high << 4 | low);
    }
    *ret_n = s.n / 2;
    return 0;
}

static int base32_value(char c)
{
    c = sharc_to_upper(c);
    if (sharc_is_upper(c)) return c - 'A';
    return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

static int base64_value(char c)
{
    if (sharc_is_upper(c)) return c - 'A';
    if (sharc_is_lower(c)) return c - 'a' + 26;
    if (sharc_is_digit(c)) return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

static int decode(struct sharc_span s, int (*value)(char), unsigned bits, size_t block, uint8_t *out, size_t room,
                  size_t *ret_n)
{
    size_t padded = s.n;
    while (s.n && s.p[s.n - 1] == '=') s.n--;
    if (padded != s.n && (padded % block || padded - s.n >= block)) return SHARC_ESYNTAX;
    /* A last letter that brings no whole byte cannot have been written. */
    if (s.n % block * bits % 8 >= bits) return SHARC_ESYNTAX;
    if (s.n / block * (block * bits / 8) + s.n % block * bits / 8 > room) return SHARC_ELIMIT;
    uint32_t held = 0;
    unsigned have = 0;
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int v = value(s.p[i]);
        if (v < 0) return SHARC_ESYNTAX;
        held = (held << bits | (uint32_t)v) & 0xffff;
        have += bits;
        if (have < 8) continue;
        have -= 8;
        out[n++] = (uint8_t)(held >> have);
    }
    if (held & ((1u << have) - 1)) return SHARC_ESYNTAX; /* one value, one spelling */
    *ret_n = n;
    return 0;
}

int sharc_base32_decode(struct sharc_span s, uint8_t *out, size_t room, size_t *ret_n)
{
    return decode(s, base32_value, 5, 8, out, room, ret_n);
}

int sharc_base64_decode(struct sharc_span s, uint8_t *out, size_t room, size_t *ret_n)
{
    return decode(s, base64_value, 6, 4, out, room, ret_n);
}
