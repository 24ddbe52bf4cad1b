/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines as they are shown: in pieces, marked or not, with long stretches in which nothing
 * differs made shorter.
 */
#include "sharc/diff_report.h"

#define STRETCH 600u /* bytes of a stretch shown whole */
#define END 200u     /* else this many of each end */

/* Not inside a character. */
static size_t back_to_border(struct sharc_span s, size_t at)
{
    while (at > 0 && at < s.n && ((uint8_t)s.p[at] & 0xc0) == 0x80) at--;
    return at;
}

static void give(struct sharc_span piece, bool marked, sharc_diff_piece_fn *fn, void *arg)
{
    if (piece.n <= STRETCH) {
        if (piece.n) fn(arg, piece, marked);
        return;
    }
    fn(arg, sharc_span_sub(piece, 0, back_to_border(piece, END)), marked);
    fn(arg, SHARC_SPAN(" \xe2\x80\xa6 "), false);
    fn(arg, sharc_span_from(piece, back_to_border(piece, piece.n - END)), marked);
}

void sharc_diff_pieces(struct sharc_span line, const struct sharc_change_mark *marks, size_t n, sharc_diff_piece_fn *fn,
                       void *arg)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        give(sharc_span_sub(line, at, marks[i].at), false, fn, arg);
        at = (size_t)marks[i].at + marks[i].n;
        give(sharc_span_sub(line, marks[i].at, at), true, fn, arg);
    }
    give(sharc_span_from(line, at), false, fn, arg);
}
