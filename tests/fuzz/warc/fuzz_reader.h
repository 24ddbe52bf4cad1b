/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the fuzzers of archive files: walk over bytes, strictly and
 * leniently, reading everything there is.
 */
#ifndef SHARC_FUZZ_READER_H
#define SHARC_FUZZ_READER_H

#include "sharc/warc.h"

#include <stdlib.h>

static inline uint64_t walk(struct sharc_span bytes, bool lenient, enum sharc_warc_part part)
{
    struct sharc_warc_options o = {.lenient = lenient};
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_warc_open_bytes(bytes, &o, &w, &err) < 0) return 0;
    struct sharc_record rec;
    struct sharc_span piece;
    int r;
    uint64_t length, records = 0, out = 0;
    while ((r = sharc_warc_next(w, &rec, &err)) > 0) {
        /* Every record takes a byte at least: more of them is a loop. Packed
         * bytes hold more, so only plain files can be judged so. */
        records++;
        if (sharc_warc_packing(w) == SHARC_WARC_PLAIN && records > bytes.n) abort();
        if (rec.offset > bytes.n) abort();
        const struct sharc_http *h = sharc_record_http(&rec);
        if (h && h->head_size > rec.block_size) abort();
        while (out < (8u << 20) && sharc_record_read(&rec, part, &piece, NULL) > 0) {
            if (piece.n == 0) abort();
            out += piece.n;
        }
        if (sharc_record_length(&rec, &length, NULL) == 0 && rec.offset + length > bytes.n) abort();
        if (records > 10000) break;
    }
    if (r < 0 && lenient && r != SHARC_ELIMIT) abort();
    return records;
}

static inline void walk_all_ways(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    if (!copy) return;
    if (size) memcpy(copy, data, size);
    struct sharc_span bytes = sharc_span(copy, size);
    uint64_t strict = walk(bytes, false, SHARC_WARC_BLOCK);
    uint64_t lenient = walk(bytes, true, SHARC_WARC_CONTENT);
    if (lenient < strict) abort();
    free(copy);
}

#endif
