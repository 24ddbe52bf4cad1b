/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines in a sorted file: the one at a place, the one before it, the first that is not smaller.
 */
#include "cdx_int.h"

struct sharc_span sharc__cdx_line_at(struct sharc_span s, size_t at, size_t *ret_next)
{
    size_t end = sharc_span_find(s, '\n', at);
    *ret_next = end == SHARC_NPOS ? s.n : end + 1;
    return sharc_span_sub(s, at, end == SHARC_NPOS ? s.n : end);
}

static size_t line_start(struct sharc_span s, size_t at)
{
    const char *newline = s.p && at ? memrchr(s.p, '\n', at) : NULL;
    return newline ? (size_t)(newline - s.p) + 1 : 0;
}

struct sharc_span sharc__cdx_line_before(struct sharc_span s, size_t at, size_t *ret_start)
{
    size_t end = s.p[at - 1] == '\n' ? at - 1 : at;
    *ret_start = line_start(s, end);
    return sharc_span_sub(s, *ret_start, end);
}

/* INVARIANT: every line that starts before lo is smaller than target, none that
 * starts at hi or behind is; both are starts of lines (hi may be the end). */
size_t sharc__cdx_lower_bound(struct sharc_span s, struct sharc_span target)
{
    size_t lo = 0, hi = s.n;
    while (lo < hi) {
        size_t start = line_start(s, lo + (hi - lo) / 2), next;
        struct sharc_span line = sharc__cdx_line_at(s, start, &next);
        if (sharc_span_cmp(line, target) < 0)
            lo = next;
        else
            hi = start;
    }
    return lo;
}

size_t sharc__cdx_unsorted(struct sharc_span s, size_t places)
{
    size_t step = places ? s.n / places : 0, next;
    struct sharc_span before = SHARC_SPAN_NONE;
    for (size_t at = 0; at < s.n; at = next) {
        struct sharc_span line = sharc__cdx_line_at(s, at, &next);
        if (line.n && sharc_span_cmp(line, before) < 0) return at;
        if (line.n) before = line;
        if (step && s.n - at > step && line_start(s, at + step) > next) next = line_start(s, at + step);
    }
    return SHARC_NPOS;
}
