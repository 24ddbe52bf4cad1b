/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking canonical JSON apart without a tree: a certificate may be larger than any tree should be.
 * sharc_jcs_check has been over the bytes before; still nothing here reads beyond them.
 */
#include "document.h"

#include <stdlib.h>

/* Is the quote at i part of a string that begins behind from? An odd number of backslashes stands before it then. */
static bool is_escaped(struct sharc_span s, size_t from, size_t i)
{
    size_t slashes = 0;
    while (i - slashes > from && s.p[i - slashes - 1] == '\\') slashes++;
    return slashes % 2 == 1;
}

/* Behind the string that begins at from. */
static size_t string_end(struct sharc_span s, size_t from)
{
    size_t i = from + 1;
    while (i < s.n && (i = sharc_span_find(s, '"', i)) != SHARC_NPOS) {
        if (!is_escaped(s, from + 1, i)) return i + 1;
        i++;
    }
    return s.n;
}

/* Behind the value that begins at from. */
static size_t value_end(struct sharc_span s, size_t from)
{
    size_t depth = 0, i = from;
    while (i < s.n) {
        char c = s.p[i];
        if (depth == 0 && (c == ',' || c == '}' || c == ']')) return i;
        if (c == '"') {
            i = string_end(s, i);
            if (depth == 0) return i;
            continue;
        }
        if (c == '{' || c == '[') depth++;
        i++;
        if ((c == '}' || c == ']') && --depth == 0) return i;
    }
    return s.n;
}

/* Past the bracket or comma in front of the next part; false: there is none. */
static bool enter(struct sharc_span *rest, char open)
{
    if (rest->n == 0 || (rest->p[0] != open && rest->p[0] != ',')) return false;
    *rest = sharc_span_from(*rest, 1);
    return rest->n > 0 && rest->p[0] != '}' && rest->p[0] != ']';
}

bool sharc__certify_element(struct sharc_span *rest, struct sharc_span *ret)
{
    if (!enter(rest, '[')) return false;
    size_t end = value_end(*rest, 0);
    *ret = sharc_span_sub(*rest, 0, end);
    *rest = sharc_span_from(*rest, end);
    return true;
}

bool sharc__certify_element_is(struct sharc_span *rest, struct sharc_span object)
{
    struct sharc_span at = *rest;
    if (object.n < 2 || !enter(&at, '[') || !sharc_span_starts(at, object)) return false;
    at = sharc_span_from(at, object.n);
    if (at.n == 0 || (at.p[0] != ',' && at.p[0] != ']')) return false;
    *rest = at;
    return true;
}

bool sharc__certify_member(struct sharc_span *rest, struct sharc_span *ret_name, struct sharc_span *ret_value)
{
    if (!enter(rest, '{') || rest->p[0] != '"') return false;
    size_t name = string_end(*rest, 0);
    if (name < 2 || name >= rest->n || rest->p[name] != ':') return false;
    *ret_name = sharc_span_sub(*rest, 1, name - 1);
    size_t end = value_end(*rest, name + 1);
    *ret_value = sharc_span_sub(*rest, name + 1, end);
    *rest = sharc_span_from(*rest, end);
    return true;
}

struct sharc_span sharc__certify_get(struct sharc_span object, const char *name)
{
    struct sharc_span rest = object, key, value;
    while (sharc__certify_member(&rest, &key, &value))
        if (sharc_span_is(key, name)) return value;
    return SHARC_SPAN_NONE;
}

char *sharc__certify_string(struct sharc_span value)
{
    if (value.n < 2 || value.p[0] != '"') return NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(value.n);
    for (size_t i = 1; i + 1 < value.n; i++) {
        char c = value.p[i];
        if (c == '\\' && i + 2 < value.n) {
            c = value.p[++i];
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
        }
        sharc_buf_put_char(&out, c);
    }
    return sharc_strdup(sharc_buf_str(&out));
}

/* --- differences ------------------------------------------------------------------------------ */

static bool differ_in(struct sharc_span said, struct sharc_span found, struct sharc_buf *path,
                      struct certify_difference *ret, unsigned depth);

/* The first entry in which two lists differ; a list that ends first lacks one. */
static bool differ_lists(struct sharc_span said, struct sharc_span found, struct sharc_buf *path,
                         struct certify_difference *ret, unsigned depth)
{
    struct sharc_span a = SHARC_SPAN_NONE, b = SHARC_SPAN_NONE;
    for (size_t i = 0;; i++) {
        bool more = sharc__certify_element(&said, &a), others = sharc__certify_element(&found, &b);
        if (!more && !others) return false;
        if (more && others && sharc_span_eq(a, b)) continue;
        sharc_buf_printf(path, "/%zu", i);
        if (more && others && differ_in(a, b, path, ret, depth + 1)) return true;
        *ret = (struct certify_difference){.said = more ? a : SHARC_SPAN_NONE, .found = others ? b : SHARC_SPAN_NONE};
        return true;
    }
}

/* The same of two objects; names are sorted in both. */
static bool differ_objects(struct sharc_span said, struct sharc_span found, struct sharc_buf *path,
                           struct certify_difference *ret, unsigned depth)
{
    struct sharc_span a, b, value_a = SHARC_SPAN_NONE, value_b = SHARC_SPAN_NONE;
    for (;;) {
        a = b = SHARC_SPAN_NONE;
        bool more = sharc__certify_member(&said, &a, &value_a), others = sharc__certify_member(&found, &b, &value_b);
        if (!more && !others) return false;
        if (more && others && sharc_span_eq(a, b) && sharc_span_eq(value_a, value_b)) continue;
        int order = !more ? 1 : !others ? -1 : sharc_span_cmp(a, b);
        sharc_buf_printf(path, "/%.*s", SHARC_SPAN_ARG(order <= 0 ? a : b));
        if (order == 0 && differ_in(value_a, value_b, path, ret, depth + 1)) return true;
        *ret = (struct certify_difference){.said = order <= 0 ? value_a : SHARC_SPAN_NONE,
                                           .found = order >= 0 ? value_b : SHARC_SPAN_NONE};
        return true;
    }
}

static bool differ_in(struct sharc_span said, struct sharc_span found, struct sharc_buf *path,
                      struct certify_difference *ret, unsigned depth)
{
    bool both = said.n && found.n && said.p[0] == found.p[0] && depth < SHARC_JSON_DEPTH;
    if (both && said.p[0] == '{') return differ_objects(said, found, path, ret, depth);
    if (both && said.p[0] == '[') return differ_lists(said, found, path, ret, depth);
    return false;
}

bool sharc__certify_differ(struct sharc_span said, struct sharc_span found, struct sharc_buf *path,
                           struct certify_difference *ret)
{
    if (said.p && sharc_span_eq(said, found)) return false;
    if (!differ_in(said, found, path, ret, 0)) *ret = (struct certify_difference){.said = said, .found = found};
    return true;
}
