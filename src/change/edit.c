/* SPDX-License-Identifier: Apache-2.0
 *
 * Edit distance with a cut-off: only the band of cells that can still be
 * within it is filled (Ukkonen).
 */
#include "change_int.h"

#include <stdlib.h>

/* Code points; a byte that is no UTF-8 is a sign of its own. NULL when there
 * are more than allowed. */
static uint32_t *decode(struct sharc_span s, size_t *ret_n)
{
    uint32_t *out = SHARC_NEW_ARRAY(uint32_t, s.n < SHARC_CHANGE_EDIT_MAX ? s.n : SHARC_CHANGE_EDIT_MAX);
    size_t n = 0;
    while (s.n > 0) {
        uint32_t c;
        size_t length = sharc_utf8_decode(s, &c);
        if (length == 0) length = 1, c = 0x110000 + (uint8_t)s.p[0];
        if (n == SHARC_CHANGE_EDIT_MAX) {
            free(out);
            return NULL;
        }
        out[n++] = c;
        s = sharc_span_from(s, length);
    }
    *ret_n = n;
    return out;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* row[j] is the distance of a[0..i) and b[0..j); cells further than `most` from
 * the diagonal cannot matter and count as most + 1. */
static size_t banded(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t most)
{
    const size_t far = most + 1;
    SHARC_AUTO(sharc_freep) size_t *row = SHARC_NEW_ARRAY(size_t, m + 1);
    for (size_t j = 0; j <= m; j++) row[j] = j <= most ? j : far;
    for (size_t i = 1; i <= n; i++) {
        size_t from = i > most ? i - most : 1, to = m < i + most ? m : i + most;
        size_t corner = row[from - 1], best = far;
        row[from - 1] = from == 1 && i <= most ? i : far;
        for (size_t j = from; j <= to; j++) {
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
            if (row[j] > far) row[j] = far;
            if (row[j] < best) best = row[j];
            corner = above;
        }
        if (best > most && row[from - 1] > most) return far;
    }
    return row[m];
}

size_t sharc_change_edits(struct sharc_span a, struct sharc_span b, size_t most)
{
    if (sharc_span_eq(a, b)) return 0;
    size_t n = 0, m = 0, same = 0;
    if (most > SHARC_CHANGE_EDIT_MAX) most = SHARC_CHANGE_EDIT_MAX;
    SHARC_AUTO(sharc_freep) uint32_t *x = decode(a, &n);
    SHARC_AUTO(sharc_freep) uint32_t *y = decode(b, &m);
    if (!x || !y) return most + 1;
    while (same < n && same < m && x[same] == y[same]) same++;
    while (n > same && m > same && x[n - 1] == y[m - 1]) n--, m--;
    n -= same, m -= same;
    if ((n > m ? n - m : m - n) > most) return most + 1;
    return banded(x + same, n, y + same, m, most);
}
