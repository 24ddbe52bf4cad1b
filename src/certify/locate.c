/* SPDX-License-Identifier: Apache-2.0
 *
 * The digest of a file says that it changed, not where. So that the place of a change can be
 * named, a certificate holds two sums for every block of 64 KiB:
 *
 *   DIGITS  MEANING
 *   6       the sum of the block's bytes, in hex
 *   10      the sum of each byte times its place in the block, counted from 1, in hex
 *
 * If one byte changed by x, the sums changed by x and by x times its place, so that place and
 * old value follow; the digest proves the finding. The sums prove nothing themselves.
 */
#include "locate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORD = 16 };

/* By columns of rows of COLUMNS bytes, which the compiler adds side by side: the sum of a column, and the sum of what
 * that was before each row, in which row r of n counts n - 1 - r times. A block has at most CERTIFY_BLOCK / COLUMNS
 * rows, so that both stay below 2^32. */
static void sums_of(struct sharc_span block, uint64_t *ret_sum, uint64_t *ret_weighted)
{
    enum { COLUMNS = 32 };
    const unsigned char *p = (const unsigned char *)block.p;
    uint32_t column[COLUMNS] = {0}, before[COLUMNS] = {0};
    uint64_t sum = 0, weighted = 0;
    size_t rows = block.n / COLUMNS;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            before[c] += column[c];
            column[c] += p[r * COLUMNS + c];
        }
    for (size_t c = 0; c < COLUMNS && rows; c++) {
        sum += column[c];
        weighted += (c + 1) * (uint64_t)column[c] + COLUMNS * ((rows - 1) * (uint64_t)column[c] - before[c]);
    }
    for (size_t i = rows * COLUMNS; i < block.n; i++) {
        sum += p[i];
        weighted += (uint64_t)(i + 1) * p[i];
    }
    *ret_sum = sum;
    *ret_weighted = weighted;
}

static size_t blocks_of(uint64_t n)
{
    return (size_t)((n + CERTIFY_BLOCK - 1) / CERTIFY_BLOCK);
}

static struct sharc_span block_at(struct sharc_span bytes, size_t i)
{
    return sharc_span_sub(bytes, i * CERTIFY_BLOCK, (i + 1) * CERTIFY_BLOCK);
}

char *sharc__certify_sums(struct sharc_span bytes)
{
    size_t count = blocks_of(bytes.n);
    char *out = sharc_malloc(count * WORD + 1);
    out[0] = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum, weighted;
        sums_of(block_at(bytes, i), &sum, &weighted);
        snprintf(out + i * WORD, WORD + 1, "%06" PRIx64 "%010" PRIx64, sum, weighted);
    }
    return out;
}

static bool read_word(struct sharc_span text, uint64_t *ret_sum, uint64_t *ret_weighted)
{
    uint64_t value[2] = {0, 0};
    for (size_t i = 0; i < text.n; i++) {
        int digit = sharc_hex_value(text.p[i]);
        if (digit < 0) return false;
        value[i >= 6] = value[i >= 6] << 4 | (uint64_t)digit;
    }
    *ret_sum = value[0];
    *ret_weighted = value[1];
    return text.n == WORD;
}

/* The only byte of the block that can have changed, if it was one. */
static bool single(struct sharc_span block, uint64_t sum, uint64_t weighted, size_t *ret_at, uint8_t *ret_was)
{
    uint64_t sum_now, weighted_now;
    sums_of(block, &sum_now, &weighted_now);
    int64_t by = (int64_t)(sum_now - sum), moved = (int64_t)(weighted_now - weighted);
    if (by == 0 || moved % by != 0) return false;
    int64_t place = moved / by;
    if (place < 1 || (uint64_t)place > block.n) return false;
    int64_t was = (int64_t)(uint8_t)block.p[place - 1] - by;
    if (was < 0 || was > 255) return false;
    *ret_at = (size_t)place - 1;
    *ret_was = (uint8_t)was;
    return true;
}

/* With that byte put back, has the file its digest again? */
static bool proves(struct sharc_span bytes, const struct sharc_digest *said, uint64_t at, uint8_t was)
{
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_digest found;
    sharc_hasher_start(h, SHARC_SHA256);
    sharc_hasher_add(h, bytes.p, (size_t)at);
    sharc_hasher_add(h, &was, 1);
    sharc_hasher_add(h, bytes.p + at + 1, bytes.n - (size_t)at - 1);
    sharc_hasher_end(h, &found);
    return sharc_digest_eq(said, &found);
}

struct certify_place sharc__certify_locate(struct sharc_span bytes, const struct sharc_digest *said, uint64_t size,
                                           struct sharc_span sums)
{
    struct certify_place ret = {.from = SHARC_NOWHERE, .to = SHARC_NOWHERE};
    size_t count = blocks_of(bytes.n < size ? bytes.n : size), differing = 0;
    if (sums.n != blocks_of(size) * WORD) return ret;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum, weighted, sum_now, weighted_now;
        struct sharc_span block = block_at(bytes, i);
        if (!read_word(sharc_span_sub(sums, i * WORD, (i + 1) * WORD), &sum, &weighted)) return ret;
        sums_of(block, &sum_now, &weighted_now);
        if (sum == sum_now && weighted == weighted_now) continue;
        size_t at = 0;
        uint8_t was = 0;
        uint64_t begin = (uint64_t)i * CERTIFY_BLOCK;
        if (differing++ == 0) {
            ret = (struct certify_place){.from = begin, .to = begin + block.n};
            if (bytes.n == size && single(block, sum, weighted, &at, &was) && proves(bytes, said, begin + at, was))
                ret = (struct certify_place){.from = begin + at, .to = begin + at + 1, .exact = true, .was = was};
        }
    }
    ret.blocks = differing;
    return ret;
}
