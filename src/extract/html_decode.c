/* SPDX-License-Identifier: Apache-2.0
 *
 * Character references, and text as a browser reads it.
 *
 * Names with a semicolon are letters and digits only, so such a reference can
 * only be the whole run of them; the few names that are valid without one are
 * at most six bytes long and may be the beginning of a longer word. Hence: look
 * up the run if ';' follows, else its beginnings, longest first.
 */
#include "html_int.h"

/* Index of the name, or -1. */
static int find_entity(struct sharc_span name)
{
    unsigned from = 0, to = sharc__extract_entity_count;
    while (from < to) {
        unsigned mid = (from + to) / 2;
        const uint16_t *at = &sharc__extract_entity_name_at[mid];
        int order = sharc_span_cmp(name, sharc_span(sharc__extract_entity_names + at[0], (size_t)(at[1] - at[0])));
        if (order == 0) return (int)mid;
        if (order < 0)
            to = mid;
        else
            from = mid + 1;
    }
    return -1;
}

static size_t put_entity(int index, size_t length, char out[SHARC_HTML_REFERENCE], size_t *ret_n)
{
    const uint16_t *at = &sharc__extract_entity_value_at[index];
    *ret_n = (size_t)(at[1] - at[0]);
    memcpy(out, sharc__extract_entity_values + at[0], *ret_n);
    return length;
}

/* "&name;" or "&name" at the start of s. */
static size_t named_reference(struct sharc_span s, bool attribute, char out[SHARC_HTML_REFERENCE], size_t *ret_n)
{
    size_t run = 0, most = sharc__extract_entity_longest + 1;
    while (run < most && 1 + run < s.n && sharc_is_alnum(s.p[1 + run])) run++;
    if (run < most && 1 + run < s.n && s.p[1 + run] == ';') {
        int i = find_entity(sharc_span(s.p + 1, run));
        if (i >= 0) return put_entity(i, run + 2, out, ret_n);
    }
    if (run > sharc__extract_entity_longest_legacy) run = sharc__extract_entity_longest_legacy;
    for (; run >= 2; run--) {
        int i = find_entity(sharc_span(s.p + 1, run));
        if (i < 0 || !(sharc__extract_entity_legacy[i / 8] >> (i % 8) & 1)) continue;
        char next = 1 + run < s.n ? s.p[1 + run] : ' ';
        if (attribute && (next == '=' || sharc_is_alnum(next))) return 0;
        return put_entity(i, run + 1, out, ret_n);
    }
    return 0;
}

/* What a number means: those of windows-1252 are taken as such. */
static uint32_t numbered_character(uint32_t code)
{
    static const uint16_t windows_1252[32] = {
        0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178,
    };
    if (code >= 0x80 && code < 0xa0) return windows_1252[code - 0x80];
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0xfffd;
    return code;
}

static size_t numeric_reference(struct sharc_span s, char out[SHARC_HTML_REFERENCE], size_t *ret_n)
{
    bool hex = s.n > 2 && (s.p[2] == 'x' || s.p[2] == 'X');
    size_t at = hex ? 3 : 2, first = at;
    uint32_t code = 0;
    for (; at < s.n; at++) {
        int digit = hex ? sharc_hex_value(s.p[at]) : sharc_is_digit(s.p[at]) ? s.p[at] - '0' : -1;
        if (digit < 0) break;
        if (code <= 0x10ffff) code = code * (hex ? 16 : 10) + (uint32_t)digit;
    }
    if (at == first) return 0;
    *ret_n = sharc_utf8_encode(numbered_character(code), out);
    return at < s.n && s.p[at] == ';' ? at + 1 : at;
}

size_t sharc_html_reference(struct sharc_span s, bool attribute, char out[SHARC_HTML_REFERENCE], size_t *ret_n)
{
    if (s.n < 2 || s.p[0] != '&') return 0;
    if (s.p[1] == '#') return numeric_reference(s, out, ret_n);
    return sharc_is_alnum(s.p[1]) ? named_reference(s, attribute, out, ret_n) : 0;
}

static int decode(struct sharc_span raw, bool references, bool attribute, struct sharc_buf *out)
{
    size_t at = 0, copied = 0;
    while (at < raw.n) {
        char c = raw.p[at], made[SHARC_HTML_REFERENCE] = "\n";
        size_t taken = 1, made_n = 1;
        if (c == '\r') {
            if (at + 1 < raw.n && raw.p[at + 1] == '\n') taken = 2;
        } else if (c == 0) {
            made_n = sharc_utf8_encode(0xfffd, made);
        } else if (c != '&' || !references ||
                   !(taken = sharc_html_reference(sharc_span_from(raw, at), attribute, made, &made_n))) {
            at++;
            continue;
        }
        sharc_buf_put(out, sharc_span_sub(raw, copied, at));
        sharc_buf_put(out, sharc_span(made, made_n));
        at += taken;
        copied = at;
    }
    sharc_buf_put(out, sharc_span_from(raw, copied));
    return out->failed ? SHARC_ELIMIT : 0;
}

int sharc_html_decode(struct sharc_span raw, bool attribute, struct sharc_buf *out)
{
    return decode(raw, /* references= */ true, attribute, out);
}

int sharc_html_decode_raw(struct sharc_span raw, struct sharc_buf *out)
{
    return decode(raw, /* references= */ false, /* attribute= */ false, out);
}
