/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text the canonical form of a document? One pass over the bytes; what is kept is, for
 * each open object, where its last name stands.
 */
#include "seal_int.h"
#include "sharc/base_limits.h"

#include <stdio.h>

struct checker {
    struct sharc_span text;
    size_t at;
    unsigned depth;
    struct {
        bool map, filled;
        struct sharc_span name; /* the last one, as it is written */
    } open[SHARC_LIMIT_JSON_DEPTH];
    struct sharc_err *reterr;
};

/* Not canonical, at offset at. */
static int wrong_at(struct checker *c, size_t at, const char *what)
{
    int r = sharc_fail(c->reterr, SHARC_ESYNTAX, "offset %zu: this is not canonical JSON (RFC 8785): %s", at, what);
    if (c->reterr) c->reterr->offset = at;
    return r;
}

static int wrong(struct checker *c, const char *what)
{
    return wrong_at(c, c->at, what);
}

/* The next byte, or -1 at the end. */
static int peek(const struct checker *c)
{
    return c->at < c->text.n ? (unsigned char)c->text.p[c->at] : -1;
}

static int unexpected(struct checker *c, const char *expected)
{
    char what[100];
    int b = peek(c);
    const char *found = b < 0 ? "the text ends" : b <= ' ' ? "there is white space" : "there is something else";
    snprintf(what, sizeof what, "%s where %s belongs", found, expected);
    return wrong(c, what);
}

/* --- strings --------------------------------------------------------------- */

/* Behind a backslash: the one way in which that character is written, or nothing. */
static int check_escape(struct checker *c)
{
    struct sharc_span s = sharc_span_from(c->text, c->at + 1);
    if (s.n && s.p[0] && strchr("\"\\btnfr", s.p[0])) {
        c->at += 2;
        return 0;
    }
    int high = s.n > 4 ? sharc_hex_value(s.p[3]) : -1, low = s.n > 4 ? sharc_hex_value(s.p[4]) : -1;
    if (!sharc_span_starts(s, SHARC_SPAN("u00")) || high < 0 || high > 1 || low < 0 || sharc_is_upper(s.p[4]))
        return wrong(c, "an escape that is not needed, or not in its only form");
    int code = high << 4 | low;
    if (code >= 8 && code <= 13 && code != 11) return wrong(c, "a control character that has a short escape");
    c->at += 6;
    return 0;
}

static bool is_plain(char b)
{
    return b >= 0x20 && b < 0x7f && b != '"' && b != '\\';
}

/* A string with its quotes; *ret is what stands between them. */
static int check_string(struct checker *c, struct sharc_span *ret)
{
    size_t from = ++c->at;
    for (;;) {
        while (c->at < c->text.n && is_plain(c->text.p[c->at])) c->at++;
        int b = peek(c);
        if (b < 0) return wrong(c, "the text ends inside a string");
        if (b == '"') break;
        if (b < 0x20) return wrong(c, "a control character that is not escaped");
        if (b == '\\') {
            int r = check_escape(c);
            if (r < 0) return r;
            continue;
        }
        uint32_t ignored;
        size_t n = sharc_utf8_decode(sharc_span_from(c->text, c->at), &ignored);
        if (n == 0) return wrong(c, "bytes that are not UTF-8");
        c->at += n;
    }
    *ret = sharc_span_sub(c->text, from, c->at);
    c->at++;
    return 0;
}

/* --- values ---------------------------------------------------------------- */

static int check_number(struct checker *c)
{
    size_t from = c->at;
    bool minus = peek(c) == '-';
    c->at += minus;
    size_t digits = c->at;
    uint64_t v = 0;
    for (int b; (b = peek(c)) >= '0' && b <= '9'; c->at++) {
        v = v * 10 + (uint64_t)(b - '0');
        if (v > SHARC_JCS_MOST) return wrong_at(c, from, "an integer beyond 2^53 - 1, which readers would round");
    }
    if (c->at == digits) return unexpected(c, "a digit");
    if (c->text.p[digits] == '0' && (minus || c->at > digits + 1))
        return wrong_at(c, from, "a number with a zero in front, or minus zero");
    int b = peek(c);
    if (b == '.' || b == 'e' || b == 'E') return wrong(c, "a number that is not a plain integer");
    return 0;
}

static int check_word(struct checker *c, struct sharc_span word)
{
    if (!sharc_span_starts(sharc_span_from(c->text, c->at), word)) return unexpected(c, "a value");
    c->at += word.n;
    return 0;
}

static int open_container(struct checker *c, bool map)
{
    if (c->depth == SHARC_LIMIT_JSON_DEPTH) return wrong(c, "nested more than 64 deep (SHARC_LIMIT_JSON_DEPTH)");
    memset(&c->open[c->depth], 0, sizeof c->open[c->depth]);
    c->open[c->depth++].map = map;
    c->at++;
    return 0;
}

static int check_value(struct checker *c)
{
    struct sharc_span ignored;
    int b = peek(c);
    switch (b) {
    case '{':
    case '[': return open_container(c, b == '{');
    case '"': return check_string(c, &ignored);
    case 't': return check_word(c, SHARC_SPAN("true"));
    case 'f': return check_word(c, SHARC_SPAN("false"));
    case 'n': return check_word(c, SHARC_SPAN("null"));
    default: return b == '-' || (b >= '0' && b <= '9') ? check_number(c) : unexpected(c, "a value");
    }
}

static int check_name(struct checker *c)
{
    size_t from = c->at;
    struct sharc_span name;
    if (peek(c) != '"') return unexpected(c, "a name in quotes");
    int r = check_string(c, &name);
    if (r < 0) return r;
    if (c->open[c->depth - 1].filled) {
        int order = sharc__seal_utf16_cmp(c->open[c->depth - 1].name, name, true);
        if (order == 0) return wrong_at(c, from, "a name that is there twice");
        if (order > 0) return wrong_at(c, from, "a name that belongs before the one in front of it");
    }
    c->open[c->depth - 1].name = name;
    if (peek(c) != ':') return unexpected(c, "':'");
    c->at++;
    return 0;
}

/* Inside the innermost container: its end (0), or the next entry up to its value (1). */
static int check_between(struct checker *c)
{
    bool map = c->open[c->depth - 1].map, filled = c->open[c->depth - 1].filled;
    if (peek(c) == (map ? '}' : ']')) {
        c->at++;
        c->depth--;
        return 0;
    }
    if (filled) {
        if (peek(c) != ',') return unexpected(c, map ? "',' or '}'" : "',' or ']'");
        c->at++;
    }
    int r = map ? check_name(c) : 0;
    c->open[c->depth - 1].filled = true;
    return r < 0 ? r : 1;
}

int sharc_jcs_check(struct sharc_span text, struct sharc_err *reterr)
{
    struct checker c = {.text = text, .reterr = reterr};
    int r = check_value(&c);
    while (r >= 0 && c.depth > 0) {
        r = check_between(&c);
        if (r > 0) r = check_value(&c);
    }
    if (r >= 0 && c.at < text.n) r = unexpected(&c, "the end of the text");
    return r;
}
