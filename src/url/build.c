/* SPDX-License-Identifier: Apache-2.0
 *
 * The growing serialisation of a URL. No limit is checked while it grows: the
 * input is bounded, so the result is (three bytes for one), and the parser
 * compares the finished length with SHARC_LIMIT_URL once.
 */
#include "url_int.h"

void sharc__url_reserve(struct build *b, size_t more)
{
    size_t need = b->n + more + 1;
    if (need <= b->room) return;
    size_t room = b->room ? b->room * 2 : 64;
    if (room < need) room = need;
    b->p = sharc_realloc(b->p, room, 1);
    b->room = room;
}

void sharc__url_put_encoded(struct build *b, struct sharc_span s, unsigned set)
{
    if (!(sharc__url_classes(s) & set)) {
        build_put(b, s);
        return;
    }
    sharc__url_reserve(b, 3 * s.n);
    b->n = (size_t)(sharc__url_encode(b->p + b->n, s, set) - b->p);
}

size_t sharc__url_number_text(unsigned v, char *out)
{
    char digits[10];
    size_t n = sizeof digits;
    do {
        digits[--n] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    memcpy(out, digits + n, sizeof digits - n);
    return sizeof digits - n;
}
