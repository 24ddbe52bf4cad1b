/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON by RFC 8259, to the letter: one pass over the bytes, no recursion.
 */
#include "node_int.h"

struct reader {
    struct sharc_span text;
    size_t at;
    unsigned line;
    size_t line_start; /* where the line begins, moved on by every continuation
                        * byte seen, so that columns count characters */
    struct node_tree tree;
    struct sharc_err *reterr;
};

static struct node_place place(const struct reader *r)
{
    return (struct node_place){r->line, (unsigned)(r->at - r->line_start) + 1};
}

#define FAIL(r, code, ...) sharc__base_fail_at((r)->reterr, (code), place(r), (r)->at, __VA_ARGS__)

static bool more(const struct reader *r)
{
    return r->at < r->text.n;
}

/* The next byte, or 0 at the end; a 0 in the text is an error everywhere. */
static char peek(const struct reader *r)
{
    return more(r) ? r->text.p[r->at] : 0;
}

static void skip_space(struct reader *r)
{
    for (; more(r); r->at++) {
        char c = r->text.p[r->at];
        if (c == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

/* What was found instead of what was expected. */
static int unexpected(struct reader *r, const char *expected)
{
    if (!more(r)) return FAIL(r, SHARC_ESYNTAX, "the text ends where %s is expected", expected);
    unsigned char c = (unsigned char)r->text.p[r->at];
    if (c > ' ' && c < 127) return FAIL(r, SHARC_ESYNTAX, "'%c' stands where %s is expected", c, expected);
    return FAIL(r, SHARC_ESYNTAX, "byte 0x%02x stands where %s is expected", c, expected);
}

/* --- strings -------------------------------------------------------------- */

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Eight bytes at once: is none of them a quote, a backslash, a control
 * character or beyond ASCII? */
static bool eight_plain(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    uint64_t quote = w ^ (ONES * '"'), slash = w ^ (ONES * '\\');
    uint64_t hit = (quote - ONES) | (slash - ONES) | (w - ONES * 0x20) | w;
    return (hit & HIGHS) == 0;
}

/* Move over characters that stand for themselves. */
static int skip_plain(struct reader *r)
{
    while (more(r)) {
        if (r->at + 8 <= r->text.n && eight_plain(r->text.p + r->at)) {
            r->at += 8;
            continue;
        }
        unsigned char c = (unsigned char)r->text.p[r->at];
        if (c == '"' || c == '\\') return 0;
        if (c < 0x20) return FAIL(r, SHARC_ESYNTAX, "byte 0x%02x in a string must be written as an escape", c);
        if (c < 0x80) {
            r->at++;
            continue;
        }
        uint32_t ignored;
        size_t n = sharc_utf8_decode(sharc_span_from(r->text, r->at), &ignored);
        if (n == 0) return FAIL(r, SHARC_ESYNTAX, "byte 0x%02x is not UTF-8 here", c);
        r->at += n;
        r->line_start += n - 1;
    }
    return FAIL(r, SHARC_ESYNTAX, "the text ends inside a string");
}

static int read_hex4(struct reader *r, uint32_t *ret)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        int digit = more(r) ? sharc_hex_value(peek(r)) : -1;
        if (digit < 0) return unexpected(r, "a hex digit");
        v = v << 4 | (uint32_t)digit;
        r->at++;
    }
    *ret = v;
    return 0;
}

/* Behind \u: one code unit, or two that make a pair. */
static int read_unicode(struct reader *r, uint32_t *ret)
{
    uint32_t c = 0, low = 0;
    int e = read_hex4(r, &c);
    if (e < 0) return e;
    if (c >= 0xd800 && c < 0xdc00) {
        if (sharc_span_starts(sharc_span_from(r->text, r->at), SHARC_SPAN("\\u"))) {
            r->at += 2;
            if ((e = read_hex4(r, &low)) < 0) return e;
        }
        if (low < 0xdc00 || low > 0xdfff) return FAIL(r, SHARC_ESYNTAX, "half of a surrogate pair is missing");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c >= 0xdc00 && c < 0xe000) {
        return FAIL(r, SHARC_ESYNTAX, "half of a surrogate pair is missing");
    }
    *ret = c;
    return 0;
}

/* At a backslash: write what it means, 1 to 4 bytes. */
static int read_escape(struct reader *r, char *out, size_t *ret_n)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    r->at++;
    char c = peek(r);
    const char *hit = c ? strchr(letters, c) : NULL;
    if (hit) {
        r->at++;
        *out = meanings[hit - letters];
        *ret_n = 1;
        return 0;
    }
    if (c != 'u') return unexpected(r, "one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    r->at++;
    uint32_t code = 0;
    int e = read_unicode(r, &code);
    if (e < 0) return e;
    *ret_n = sharc_utf8_encode(code, out);
    return 0;
}

/* The rest of a string from its first escape on. The unescaped form is never
 * longer than the escaped one, so the room is known once the end is. */
static int read_escaped(struct reader *r, size_t from, struct sharc_span *ret)
{
    size_t end = r->at;
    while (end < r->text.n && r->text.p[end] != '"') end += r->text.p[end] == '\\' ? 2 : 1;
    if (end > r->text.n) end = r->text.n;
    char *out = sharc_arena_bytes(r->tree.arena, end - from + 4);
    if (!out) return FAIL(r, SHARC_ELIMIT, "more than %zu bytes of memory", r->tree.arena->max);
    size_t n = 0;
    for (;;) {
        memcpy(out + n, r->text.p + from, r->at - from);
        n += r->at - from;
        if (peek(r) == '"') break;
        size_t made = 0;
        int e = read_escape(r, out + n, &made);
        if (e < 0) return e;
        n += made;
        from = r->at;
        if ((e = skip_plain(r)) < 0) return e;
    }
    *ret = sharc_span(out, n);
    r->at++;
    return 0;
}

/* At a quote. */
static int read_string(struct reader *r, struct sharc_span *ret)
{
    size_t from = ++r->at;
    int e = skip_plain(r);
    if (e < 0) return e;
    if (peek(r) == '\\') return read_escaped(r, from, ret);
    *ret = sharc_span(r->text.p + from, r->at - from);
    r->at++;
    return 0;
}

/* --- values --------------------------------------------------------------- */

static int read_word(struct reader *r, struct sharc_span word, enum sharc_node_kind kind, bool truth)
{
    if (!sharc_span_starts(sharc_span_from(r->text, r->at), word)) return unexpected(r, "a value");
    struct sharc_node *n = sharc__base_tree_add(&r->tree, kind, place(r), r->reterr);
    if (!n) return SHARC_ELIMIT;
    if (kind == SHARC_BOOL) {
        n->v.truth = truth;
        n->text = sharc_span(r->text.p + r->at, word.n);
    }
    r->at += word.n;
    return 0;
}

static bool may_be_in_number(char c)
{
    return sharc_is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

static int read_number(struct reader *r)
{
    size_t end = r->at;
    while (end < r->text.n && may_be_in_number(r->text.p[end])) end++;
    struct sharc_node *n = sharc__base_tree_add(&r->tree, SHARC_INT, place(r), r->reterr);
    if (!n) return SHARC_ELIMIT;
    struct sharc_span s = sharc_span_sub(r->text, r->at, end);
    int e = sharc__base_node_number(n, s);
    if (e < 0) return FAIL(r, SHARC_ELIMIT, "the number is too large or has too many digits");
    if (e == 0) return FAIL(r, SHARC_ESYNTAX, "\"%.*s\" is not a number", (int)(s.n < 40 ? s.n : 40), s.p);
    r->at = end;
    return 0;
}

static int read_value(struct reader *r)
{
    char c = peek(r);
    switch (c) {
    case '{':
    case '[': {
        int e = sharc__base_tree_open(&r->tree, c == '{' ? SHARC_MAP : SHARC_LIST, place(r), r->reterr);
        if (e == 0) r->at++;
        return e;
    }
    case '"': {
        struct sharc_node *n = sharc__base_tree_add(&r->tree, SHARC_STRING, place(r), r->reterr);
        return n ? read_string(r, &n->text) : SHARC_ELIMIT;
    }
    case 't': return read_word(r, SHARC_SPAN("true"), SHARC_BOOL, true);
    case 'f': return read_word(r, SHARC_SPAN("false"), SHARC_BOOL, false);
    case 'n': return read_word(r, SHARC_SPAN("null"), SHARC_NULL, false);
    default: return c == '-' || sharc_is_digit(c) ? read_number(r) : unexpected(r, "a value");
    }
}

static int read_name(struct reader *r)
{
    if (peek(r) != '"') return unexpected(r, "a name in quotes");
    r->tree.name_at = place(r);
    int e = read_string(r, &r->tree.name);
    if (e < 0) return e;
    r->tree.named = true;
    skip_space(r);
    if (peek(r) != ':') return unexpected(r, "':'");
    r->at++;
    skip_space(r);
    return 0;
}

/* Inside the innermost container: its end, or the next entry up to where the
 * value begins. 1: a value is next, 0: the container was closed. */
static int read_between(struct reader *r)
{
    const struct sharc_node *in = r->tree.open[r->tree.depth - 1].node;
    bool map = in->kind == SHARC_MAP;
    skip_space(r);
    if (peek(r) == (map ? '}' : ']')) {
        r->at++;
        return sharc__base_tree_close(&r->tree, r->reterr);
    }
    if (in->count > 0) {
        if (peek(r) != ',') return unexpected(r, map ? "',' or '}'" : "',' or ']'");
        r->at++;
        skip_space(r);
    }
    int e = map ? read_name(r) : 0;
    return e < 0 ? e : 1;
}

static int read_document(struct reader *r)
{
    if (sharc_span_starts(r->text, SHARC_SPAN("\xef\xbb\xbf"))) r->at = r->line_start = 3;
    skip_space(r);
    int e = read_value(r);
    while (e >= 0 && r->tree.depth > 0) {
        e = read_between(r);
        if (e > 0) e = read_value(r);
    }
    if (e < 0) return e;
    skip_space(r);
    return more(r) ? unexpected(r, "the end") : 0;
}

int sharc_json_read(struct sharc_span text, struct sharc_arena *arena, const struct sharc_node **ret,
                    struct sharc_err *reterr)
{
    SHARC_FAIL_IF(text.n > SHARC_LIMIT_JSON_BYTES, reterr, SHARC_ELIMIT,
                  "the text has %zu bytes, more than %u (SHARC_LIMIT_JSON_BYTES)", text.n, SHARC_LIMIT_JSON_BYTES);
    struct reader r = {.text = text,
                       .line = 1,
                       .reterr = reterr,
                       .tree = {.arena = arena,
                                .max_nodes = SHARC_LIMIT_JSON_NODES,
                                .max_nodes_name = "SHARC_LIMIT_JSON_NODES",
                                .max_depth = SHARC_LIMIT_JSON_DEPTH,
                                .max_depth_name = "SHARC_LIMIT_JSON_DEPTH"}};
    int e = read_document(&r);
    sharc__base_tree_done(&r.tree);
    if (e < 0) return e;
    *ret = r.tree.root;
    return 0;
}
