/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight bytes of a text at once, as one number: the first byte is its lowest. What
 * is asked of the bytes is answered by marks, the highest bit of each byte.
 */
#ifndef SHARC_BASE_EIGHT_H
#define SHARC_BASE_EIGHT_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* The same byte eight times; all marks. */
#define SHARC_EIGHT(byte) (UINT64_MAX / 255 * (uint64_t)(byte))
#define SHARC_EIGHT_ALL SHARC_EIGHT(0x80)

static inline uint64_t sharc_eight(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}
static inline void sharc_eight_put(char *p, uint64_t w)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    memcpy(p, &w, sizeof w);
}

/* Every byte that is at least `least` (1 … 128). */
static inline uint64_t sharc_eight_from(uint64_t w, unsigned least)
{
    return (((w & SHARC_EIGHT(0x7f)) + SHARC_EIGHT(0x80 - least)) | w) & SHARC_EIGHT_ALL;
}
/* Every byte in first … last, both below 127. */
static inline uint64_t sharc_eight_within(uint64_t w, unsigned first, unsigned last)
{
    return sharc_eight_from(w, first) & ~sharc_eight_from(w, last + 1);
}
/* White space as sharc_is_space() has it. */
static inline uint64_t sharc_eight_spaces(uint64_t w)
{
    return sharc_eight_within(w, '\t', '\r') | sharc_eight_within(w, ' ', ' ');
}

/* Cheaper, for a search: the first byte below `limit` (up to 128), or equal to
 * `byte`, is marked right; those behind it may be marked wrongly, none before is. */
static inline uint64_t sharc_eight_below(uint64_t w, unsigned limit)
{
    return (w - SHARC_EIGHT(limit)) & ~w & SHARC_EIGHT_ALL;
}
static inline uint64_t sharc_eight_equal(uint64_t w, char byte)
{
    return sharc_eight_below(w ^ SHARC_EIGHT((uint8_t)byte), 1);
}

/* Position of the first mark; there must be one. */
static inline size_t sharc_eight_first(uint64_t marks)
{
    return (size_t)__builtin_ctzll(marks) / 8;
}
static inline unsigned sharc_eight_count(uint64_t marks)
{
    return (unsigned)((marks >> 7) * SHARC_EIGHT(1) >> 56);
}
/* Marks moved to the byte behind; first: what comes to the first byte (bit 0). */
static inline uint64_t sharc_eight_behind(uint64_t marks, bool first)
{
    return marks << 8 | (uint64_t)first << 7;
}

SHARC_PRIVATE_END
#endif
