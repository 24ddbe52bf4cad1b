/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing JSON. Appends only; a full buffer is reported by the buffer.
 */
#include "sharc/base_json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- structure ------------------------------------------------------------ */

void sharc_json_init(struct sharc_json *j, struct sharc_buf *out, bool pretty)
{
    *j = (struct sharc_json){.out = out, .pretty = pretty, .first = {true}};
}

static void new_line(struct sharc_json *j)
{
    if (!j->pretty) return;
    sharc_buf_put_char(j->out, '\n');
    for (unsigned i = 0; i < j->depth; i++) sharc_buf_put(j->out, SHARC_SPAN("  "));
}

/* All that goes in front of a value. */
static void begin(struct sharc_json *j, const char *name)
{
    bool in_object = j->depth > 0 && j->kind[j->depth] == '{';
    SHARC_ASSERT(in_object == (name != NULL));
    SHARC_ASSERT(j->depth > 0 || j->first[0]); /* one value at the top */
    if (!j->first[j->depth]) sharc_buf_put_char(j->out, ',');
    j->first[j->depth] = false;
    if (j->depth > 0) new_line(j);
    if (!name) return;
    sharc_json_quote(j->out, sharc_span_of(name));
    sharc_buf_put(j->out, j->pretty ? SHARC_SPAN(": ") : SHARC_SPAN(":"));
}

static void open_container(struct sharc_json *j, const char *name, char kind)
{
    begin(j, name);
    SHARC_ASSERT(j->depth < SHARC_JSON_DEPTH);
    sharc_buf_put_char(j->out, kind);
    j->depth++;
    j->kind[j->depth] = kind;
    j->first[j->depth] = true;
}

void sharc_json_object(struct sharc_json *j, const char *name)
{
    open_container(j, name, '{');
}

void sharc_json_array(struct sharc_json *j, const char *name)
{
    open_container(j, name, '[');
}

void sharc_json_end(struct sharc_json *j)
{
    SHARC_ASSERT(j->depth > 0);
    char kind = j->kind[j->depth];
    bool empty = j->first[j->depth];
    j->depth--;
    if (!empty) new_line(j);
    sharc_buf_put_char(j->out, kind == '{' ? '}' : ']');
}

/* --- values --------------------------------------------------------------- */

void sharc_json_str(struct sharc_json *j, const char *name, const char *value)
{
    if (value)
        sharc_json_span(j, name, sharc_span_of(value));
    else
        sharc_json_null(j, name);
}

void sharc_json_span(struct sharc_json *j, const char *name, struct sharc_span value)
{
    begin(j, name);
    sharc_json_quote(j->out, value);
}

void sharc_json_int(struct sharc_json *j, const char *name, int64_t value)
{
    begin(j, name);
    if (value < 0) sharc_buf_put_char(j->out, '-');
    sharc_buf_put_u64(j->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void sharc_json_uint(struct sharc_json *j, const char *name, uint64_t value)
{
    begin(j, name);
    sharc_buf_put_u64(j->out, value);
}

void sharc_json_real(struct sharc_json *j, const char *name, double value)
{
    begin(j, name);
    sharc_json_number(j->out, value);
}

void sharc_json_bool(struct sharc_json *j, const char *name, bool value)
{
    begin(j, name);
    sharc_buf_put(j->out, value ? SHARC_SPAN("true") : SHARC_SPAN("false"));
}

void sharc_json_null(struct sharc_json *j, const char *name)
{
    begin(j, name);
    sharc_buf_put(j->out, SHARC_SPAN("null"));
}

void sharc_json_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    if (t != SHARC_TIME_NONE) sharc_json_str(j, name, sharc_time_iso(t, 6, text));
}

/* --- strings -------------------------------------------------------------- */

static bool plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static void put_escape(struct sharc_buf *out, unsigned char c)
{
    static const char letters[] = "btn_fr"; /* 8 to 13 */
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    size_t n = sizeof text;
    if (c == '"' || c == '\\' || (c >= 8 && c <= 13 && c != 11)) {
        text[1] = c > 13 ? (char)c : letters[c - 8];
        n = 2;
    }
    sharc_buf_put(out, sharc_span(text, n));
}

int sharc_json_quote(struct sharc_buf *out, struct sharc_span s)
{
    sharc_buf_put_char(out, '"');
    size_t i = 0;
    while (i < s.n) {
        size_t from = i;
        uint32_t ignored;
        unsigned char c = 0;
        while (i < s.n) { /* a run that stands for itself */
            c = (unsigned char)s.p[i];
            size_t n = c < 0x80 ? (size_t)plain(c) : sharc_utf8_decode(sharc_span_from(s, i), &ignored);
            if (n == 0) break;
            i += n;
        }
        sharc_buf_put(out, sharc_span(s.p + from, i - from));
        if (i == s.n) break;
        i++;
        if (c < 0x80)
            put_escape(out, c);
        else
            sharc_buf_put(out, SHARC_SPAN("\xef\xbf\xbd"));
    }
    return sharc_buf_put_char(out, '"');
}

/* --- numbers -------------------------------------------------------------- */

/* v as digits d and an exponent e, meaning 0.ddd… × 10^e. The C library rounds
 * correctly but writes the locale's decimal point, so only digits are taken. */
static size_t digits_of(double v, int precision, char digits[20], int *ret_exponent)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", precision - 1, v);
    char *e = strchr(text, 'e');
    size_t n = 0;
    for (const char *p = text; p != e; p++)
        if (sharc_is_digit(*p)) digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0') n--;
    *ret_exponent = (int)strtol(e + 1, NULL, 10) + 1;
    return n;
}

/* 0.0001 to below 10^21 in full, all else with an exponent. */
static size_t layout(const char *digits, size_t n, int exponent, char out[40])
{
    size_t k = 0;
    if (exponent < -3 || exponent > 21) {
        out[k++] = digits[0];
        if (n > 1) out[k++] = '.';
        memcpy(out + k, digits + 1, n - 1);
        k += n - 1;
        return k + (size_t)snprintf(out + k, 40 - k, "e%d", exponent - 1);
    }
    if (exponent <= 0) {
        memcpy(out, "0.", 2);
        k = 2;
        for (int i = exponent; i < 0; i++) out[k++] = '0';
    }
    for (size_t i = 0; i < n; i++) {
        if (exponent > 0 && i == (size_t)exponent) out[k++] = '.';
        out[k++] = digits[i];
    }
    for (int i = (int)n; i < exponent; i++) out[k++] = '0';
    return k;
}

int sharc_json_number(struct sharc_buf *out, double v)
{
    if (!isfinite(v)) return sharc_buf_put(out, SHARC_SPAN("null"));
    if (v == 0) return sharc_buf_put(out, signbit(v) ? SHARC_SPAN("-0.0") : SHARC_SPAN("0"));
    if (v < 0) sharc_buf_put_char(out, '-');
    v = fabs(v);
    if (v < 0x1p53 && v == floor(v)) return sharc_buf_put_u64(out, (uint64_t)v);
    /* Trailing zeros are dropped, so 15 digits also find what is shorter; what
     * they cannot tell apart needs 16 or 17, never more. Below DBL_MIN fewer
     * digits are left, and all lengths are tried. */
    for (int precision = v < DBL_MIN ? 1 : 15;; precision++) {
        char digits[20], text[40];
        int exponent;
        double back;
        size_t n = digits_of(v, precision, digits, &exponent);
        n = layout(digits, n, exponent, text);
        if (precision == 17 || (sharc_span_to_double(sharc_span(text, n), &back) == 0 && back == v))
            return sharc_buf_put(out, sharc_span(text, n));
    }
}
