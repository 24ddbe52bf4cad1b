/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers in as few bytes as they need: seven bits a byte, the least first; the highest bit says that another byte
 * follows. Signed numbers are folded before (0, -1, 1, -2 … become 0, 1, 2, 3 …), so that small ones stay short.
 */
#ifndef SHARC_BASE_VARINT_H
#define SHARC_BASE_VARINT_H

#include "sharc/base_buf.h"

SHARC_PRIVATE_BEGIN

enum { SHARC_VARINT_MOST = 10 }; /* bytes of the largest number */

/* How many bytes it took. */
static inline size_t sharc_varint_write(char to[SHARC_VARINT_MOST], uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) to[n++] = (char)(v | 0x80);
    to[n++] = (char)v;
    return n;
}
static inline void sharc_varint_put(struct sharc_buf *out, uint64_t v)
{
    char bytes[SHARC_VARINT_MOST];
    sharc_buf_put(out, sharc_span(bytes, sharc_varint_write(bytes, v)));
}
/* Take a number off the front of *rest. False, and nothing is taken: it ends inside a number, or that takes more than
 * ten bytes. */
static inline bool sharc_varint_take(struct sharc_span *rest, uint64_t *ret)
{
    uint64_t v = 0;
    for (size_t i = 0; i < rest->n && i < SHARC_VARINT_MOST; i++) {
        const unsigned char c = (unsigned char)rest->p[i];
        v |= (uint64_t)(c & 0x7f) << (7 * i);
        if (c & 0x80) continue;
        *rest = sharc_span_from(*rest, i + 1);
        *ret = v;
        return true;
    }
    return false;
}

static inline uint64_t sharc_varint_fold(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}
static inline int64_t sharc_varint_unfold(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

SHARC_PRIVATE_END
#endif
