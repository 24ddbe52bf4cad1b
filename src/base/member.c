/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole gzip members by libdeflate: several times as fast as a streaming
 * library, and all or nothing. Level 1 by ISA-L, where it is there.
 */
#include "codec_int.h"

#include "sharc/base_exhausted.h"

#include <libdeflate.h>
#include <stdlib.h>

#define FIRST_ROOM ((size_t)64 << 10)

struct sharc_inflate {
    struct libdeflate_decompressor *d;
};

struct sharc_inflate *sharc_inflate_new(void)
{
    struct sharc_inflate *state = SHARC_NEW(struct sharc_inflate);
    state->d = libdeflate_alloc_decompressor();
    if (!state->d) sharc__no_memory();
    return state;
}

void sharc_inflate_free(struct sharc_inflate *state)
{
    if (!state) return;
    libdeflate_free_decompressor(state->d);
    free(state);
}

/* The size is not known beforehand, so try with the room at hand and begin
 * again with four times as much while it is too little. */
int64_t sharc_inflate_member(struct sharc_inflate *state, struct sharc_span in, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    if (in.n >= 2 && memcmp(in.p, "\x1f\x8b", 2) != 0) return SHARC_ECORRUPT;
    size_t room = out->room > FIRST_ROOM ? out->room - 1 : FIRST_ROOM;
    for (;;) {
        if (room > out->max) room = out->max;
        int r = sharc_buf_reserve(out, room);
        if (r < 0) return r;
        size_t used = 0, made = 0;
        enum libdeflate_result result =
            libdeflate_gzip_decompress_ex(state->d, in.n ? in.p : "", in.n, out->p, room, &used, &made);
        if (result == LIBDEFLATE_SUCCESS) {
            out->n = made;
            out->p[made] = 0;
            return (int64_t)used;
        }
        out->p[0] = 0;
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE) return SHARC_ETRUNC;
        if (room == out->max) return SHARC_ELIMIT;
        room = room > SIZE_MAX / 4 ? SIZE_MAX : room * 4;
    }
}

struct sharc_deflate {
    int level;
    struct sharc__base_fast *fast;   /* for level 1, where there is one */
    struct libdeflate_compressor *c; /* made when first needed */
};

struct sharc_deflate *sharc_deflate_new(int level)
{
    SHARC_ASSERT(level >= 1 && level <= 12);
    struct sharc_deflate *state = SHARC_NEW(struct sharc_deflate);
    state->level = level;
    state->fast = level == 1 ? sharc__base_fast_new() : NULL;
    return state;
}

void sharc_deflate_free(struct sharc_deflate *state)
{
    if (!state) return;
    sharc__base_fast_free(state->fast);
    libdeflate_free_compressor(state->c);
    free(state);
}

static struct libdeflate_compressor *compressor(struct sharc_deflate *state)
{
    if (!state->c) state->c = libdeflate_alloc_compressor(state->level);
    if (!state->c) sharc__no_memory();
    return state->c;
}

int sharc_deflate_member(struct sharc_deflate *state, struct sharc_span in, struct sharc_buf *out)
{
    bool fast = state->fast && in.n <= FAST_MOST;
    if (in.n == 0) in = SHARC_SPAN(""); /* libraries do not like NULL */
    /* The bound is generous: near the buffer's maximum less room may do. */
    size_t bound = fast ? sharc__base_fast_bound(in.n) : libdeflate_gzip_compress_bound(compressor(state), in.n);
    size_t left = out->max - out->n, room = bound < left ? bound : left;
    int r = sharc_buf_reserve(out, room);
    if (r < 0) return r;
    size_t made = fast ? sharc__base_fast_member(state->fast, in, out->p + out->n, room)
                       : libdeflate_gzip_compress(state->c, in.p, in.n, out->p + out->n, room);
    if (made == 0) {
        out->p[out->n] = 0;
        out->failed = true;
        return SHARC_ELIMIT;
    }
    out->n += made;
    out->p[out->n] = 0;
    return 0;
}
