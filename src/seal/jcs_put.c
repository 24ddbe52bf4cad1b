/* SPDX-License-Identifier: Apache-2.0
 *
 * The canonical form of a tree. What sharc_json_quote writes for UTF-8 is what RFC 8785
 * demands of strings: the short escapes, \u00xx in lower case, all else as it is.
 */
#include "seal_int.h"
#include "sharc/base_json.h"
#include "sharc/base_limits.h"

#include <stdlib.h>

/* The first code unit of a character decides, but for two characters above U+FFFF that share
 * it; those, and all below U+D800, sort as their code points do. Above U+DFFF one unit is
 * larger than any surrogate. */
static uint32_t unit_order(uint32_t c)
{
    if (c < 0xd800) return c;
    return c > 0xffff ? c - 0x10000 + 0xd800 : c + 0x200000;
}

/* The next character of s, of which it is taken; 0: not UTF-8. An escape stands for a character below U+0080. */
static size_t next_character(struct sharc_span *s, bool escaped, uint32_t *ret)
{
    static const char letters[] = "btn_fr"; /* 8 to 13 */
    size_t n = sharc_utf8_decode(*s, ret);
    if (escaped && n == 1 && *ret == '\\' && s->n > 1) {
        const char *letter = strchr(letters, s->p[1]);
        if (s->p[1] == 'u' && s->n > 5) {
            *ret = (uint32_t)(sharc_hex_value(s->p[4]) << 4 | sharc_hex_value(s->p[5]));
            n = 6;
        } else {
            *ret = letter ? (uint32_t)(letter - letters + 8) : (unsigned char)s->p[1];
            n = 2;
        }
    }
    *s = sharc_span_from(*s, n);
    return n;
}

int sharc__seal_utf16_cmp(struct sharc_span a, struct sharc_span b, bool escaped)
{
    while (a.n && b.n) {
        uint32_t x, y;
        if (!next_character(&a, escaped, &x) || !next_character(&b, escaped, &y)) return sharc_span_cmp(a, b);
        if (x != y) return unit_order(x) < unit_order(y) ? -1 : 1;
    }
    return a.n ? 1 : b.n ? -1 : 0;
}

static int by_name(const void *a, const void *b)
{
    const struct sharc_node *const *x = a, *const *y = b;
    return sharc__seal_utf16_cmp((*x)->name, (*y)->name, false);
}

static int put_string(struct sharc_buf *out, struct sharc_span s, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(sharc_utf8_check(s) != SHARC_NPOS, reterr, SHARC_ESYNTAX,
                  "a string is not UTF-8, canonical JSON cannot hold it: write its bytes percent-encoded or in hex");
    sharc_json_quote(out, s);
    return 0;
}

static int put_integer(struct sharc_buf *out, const struct sharc_node *n, struct sharc_err *reterr)
{
    int64_t v = n->v.integer;
    SHARC_FAIL_IF(n->kind == SHARC_REAL || v > SHARC_JCS_MOST || v < -SHARC_JCS_MOST, reterr, SHARC_EUNSUPPORTED,
                  "the number %.*s is not an integer of at most 2^53 - 1: write it as a string, or in smaller units",
                  (int)(n->text.n < 40 ? n->text.n : 40), n->text.p ? n->text.p : "");
    sharc_buf_printf(out, "%lld", (long long)v);
    return 0;
}

static int put_node(struct sharc_buf *out, const struct sharc_node *n, struct sharc_err *reterr);

static int put_entries(struct sharc_buf *out, const struct sharc_node *const *entries, size_t count, bool named,
                       struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) {
        if (i) sharc_buf_put_char(out, ',');
        if (named && (r = put_string(out, entries[i]->name, reterr)) == 0) sharc_buf_put_char(out, ':');
        if (r == 0) r = put_node(out, entries[i], reterr);
    }
    return r;
}

/* Recursion is bounded by the depth that the readers of trees allow. */
static int put_container(struct sharc_buf *out, const struct sharc_node *n, struct sharc_err *reterr)
{
    bool map = n->kind == SHARC_MAP;
    const struct sharc_node **entries = SHARC_NEW_ARRAY(const struct sharc_node *, n->count + 1);
    size_t count = 0;
    for (const struct sharc_node *c = n->first; c; c = c->next) entries[count++] = c;
    if (map) qsort(entries, count, sizeof *entries, by_name);
    sharc_buf_put_char(out, map ? '{' : '[');
    int r = put_entries(out, entries, count, map, reterr);
    sharc_buf_put_char(out, map ? '}' : ']');
    free(entries);
    return r;
}

static int put_node(struct sharc_buf *out, const struct sharc_node *n, struct sharc_err *reterr)
{
    switch (n->kind) {
    case SHARC_NULL: sharc_buf_put(out, SHARC_SPAN("null")); return 0;
    case SHARC_BOOL: sharc_buf_put(out, n->v.truth ? SHARC_SPAN("true") : SHARC_SPAN("false")); return 0;
    case SHARC_INT:
    case SHARC_REAL: return put_integer(out, n, reterr);
    case SHARC_STRING: return put_string(out, n->text, reterr);
    case SHARC_LIST:
    case SHARC_MAP: return put_container(out, n, reterr);
    }
    SHARC_BUG("a node has no kind");
}

int sharc_jcs_put(struct sharc_buf *out, const struct sharc_node *n, struct sharc_err *reterr)
{
    size_t before = out->n;
    int r = put_node(out, n, reterr);
    if (r == 0) r = sharc_buf_result(out, reterr);
    if (r < 0) sharc_buf_truncate(out, before);
    return r;
}

int sharc_jcs_put_text(struct sharc_buf *out, struct sharc_span json, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(8 * (size_t)SHARC_LIMIT_JSON_BYTES);
    const struct sharc_node *n;
    int r = sharc_json_read(json, &arena, &n, reterr);
    return r < 0 ? r : sharc_jcs_put(out, n, reterr);
}
