/* SPDX-License-Identifier: Apache-2.0
 *
 * Most references of a page are as simple as "../dir/page.html#part": what they lead
 * to begins as the page's own URL does and ends as they do. Such need no parser.
 */
#include "url_int.h"

/* Bytes that no path changes and that begin nothing but it. '%' is none of them:
 * "%2e" is a dot. */
/* clang-format off */
static const bool plain[256] = {
    ['a'] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    ['A'] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    ['0'] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    ['-'] = 1, ['.'] = 1, ['_'] = 1, ['~'] = 1, ['/'] = 1, ['+'] = 1, [','] = 1, ['='] = 1, ['@'] = 1, ['!'] = 1,
    ['('] = 1, [')'] = 1, ['*'] = 1,
};
/* clang-format on */

enum { SHORT = SHARC_LIMIT_URL / 4 }; /* longer ones are the parser's, which knows the limits */

/* Length of the path up to the last '/' before `end`. */
static size_t directory(struct sharc_span path, size_t end)
{
    const char *slash = memrchr(path.p, '/', end);
    return slash ? (size_t)(slash - path.p) + 1 : 0;
}

bool sharc_url_join_plain(const struct sharc_url *base, struct sharc_span ref, struct sharc_span *ret_base,
                          struct sharc_span *ret_ref)
{
    struct sharc_span path = sharc_url_path(base);
    if (!sharc_url_is_http(base) || base->n > SHORT || ref.n > SHORT) return false;
    size_t dir = directory(path, path.n), from = 0;
    for (; sharc_span_starts(sharc_span_from(ref, from), SHARC_SPAN("../")); from += 3)
        if (dir > 1) dir = directory(path, dir - 1);
    size_t end = from;
    if (dir == 0 || (end < ref.n && ref.p[end] == '/')) return false;
    for (char before = '/'; end < ref.n && ref.p[end] != '#'; before = ref.p[end++])
        if (!plain[(uint8_t)ref.p[end]] || (ref.p[end] == '.' && before == '/')) return false;
    if (end == 0) return false; /* the page itself */
    *ret_base = sharc_span(base->p, base->path_start + dir);
    *ret_ref = sharc_span(ref.p + from, end - from);
    return true;
}
