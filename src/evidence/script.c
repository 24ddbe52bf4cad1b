/* SPDX-License-Identifier: Apache-2.0
 *
 * Scripts, JSON and style sheets: brackets are nodes, what stands between separators is a
 * leaf that is called after its key. Nothing is parsed that could be parsed wrongly: every byte goes
 * into a token, so a misread quote moves the borders of leaves and hides nothing.
 */
#include "evidence_int.h"

enum { DEEPEST = 200 }; /* brackets inside each other that become nodes */

struct reader {
    struct sharc__document *d;
    struct sharc_span s;
    size_t at;
    enum sharc_hunk_kind kind;
    unsigned depth;
};

/* End of the string that opens at `at`; strings but templates end with their line. */
static size_t string_end(struct sharc_span s, size_t at)
{
    char quote = s.p[at];
    for (at++; at < s.n; at++) {
        if (s.p[at] == '\\')
            at++;
        else if (s.p[at] == quote)
            return at + 1;
        else if (s.p[at] == '\n' && quote != '`')
            return at;
    }
    return s.n;
}

static bool is_separator(char c)
{
    return c == ',' || c == ';' || c == '\n' || c == '{' || c == '}' || c == '[' || c == ']';
}

/* End of the statement at `at`: at a separator (which is not in it) outside strings. *ret_key: the end of what
 * stands before the first ':' or '='; 0: it has no key. */
static size_t statement_end(const struct reader *r, size_t at, size_t *ret_key)
{
    size_t start = at;
    *ret_key = 0;
    while (at < r->s.n && !is_separator(r->s.p[at])) {
        char c = r->s.p[at];
        if ((c == ':' || c == '=') && !*ret_key && at > start) *ret_key = at;
        at = c == '"' || c == '\'' || c == '`' ? string_end(r->s, at) : at + 1;
    }
    return at;
}

/* The words of a key, however it is quoted. */
static struct sharc_span key_words(struct sharc_span key)
{
    key = sharc_span_trim(key);
    while (key.n && (key.p[0] == '"' || key.p[0] == '\'')) key = sharc_span_from(key, 1);
    while (key.n && (key.p[key.n - 1] == '"' || key.p[key.n - 1] == '\'')) key.n--;
    return key.n > 64 ? sharc_span_sub(key, key.n - 64, key.n) : key;
}

static uint64_t mark_of(struct sharc_span key)
{
    return key.n ? sharc_fingerprint(key, 77) : 0;
}

static void statement(struct reader *r, size_t end, struct sharc_span key)
{
    sharc__evidence_leaf_begin(r->d, r->kind, mark_of(key), key);
    sharc__evidence_put_tokens(r->d, r->kind, sharc_span_sub(r->s, r->at, end), /* by_space= */ false,
                               /* visible= */ false);
    sharc__evidence_leaf_end(r->d);
    r->at = end;
}

/* A separator with the white space before it is an item of the open node. */
static void separator(struct reader *r, size_t from)
{
    char c = r->s.p[r->at];
    struct sharc_span bytes = sharc_span_sub(r->s, from, r->at + 1);
    sharc__evidence_put(r->d, r->kind, bytes, LOOK_MARK, /* visible= */ false);
    if ((c == '}' || c == ']') && r->depth > 0) {
        sharc__evidence_close(r->d);
        r->depth--;
    }
    r->at++;
}

static void bracket(struct reader *r, struct sharc_span key)
{
    struct sharc__document *d = r->d;
    sharc__evidence_open(d, sharc__evidence_mix(mark_of(key), (uint64_t)(unsigned char)r->s.p[r->at]), key);
    if (d->full) return;
    r->depth++;
    sharc__evidence_put(d, r->kind, sharc_span_sub(r->s, r->at, r->at + 1), LOOK_TAG, /* visible= */ false);
    if (d->count) d->items[d->count - 1].opens = true;
    r->at++;
}

void sharc__evidence_read_script(struct sharc__document *d, struct sharc_span s, enum sharc_hunk_kind kind)
{
    struct reader r = {.d = d, .s = s, .kind = kind};
    while (r.at < s.n && !d->full) {
        size_t colon, end = statement_end(&r, r.at, &colon);
        /* a style rule is called after its selector, a function after its head */
        bool opens = end < s.n && (s.p[end] == '{' || s.p[end] == '[');
        struct sharc_span key = SHARC_SPAN_NONE;
        if (colon)
            key = key_words(sharc_span_sub(s, r.at, colon));
        else if (opens && kind == SHARC_HUNK_STYLE)
            key = key_words(sharc_span_sub(s, r.at, end));
        if (end > r.at) statement(&r, end, key);
        if (r.at == s.n) break;
        if (opens && r.depth < DEEPEST)
            bracket(&r, key);
        else
            separator(&r, r.at);
    }
    while (r.depth-- > 0) sharc__evidence_close(d);
}
