/* SPDX-License-Identifier: Apache-2.0
 *
 * gzip members made piece by piece, by zlib: the slower sibling of member.c,
 * for bytes that are not all in memory.
 */
#include "sharc/base_codec.h"
#include "sharc/base_exhausted.h"

#include <stdlib.h>
#include <zlib.h>

enum { STEP_IN = 1 << 20, STEP_OUT = 64 << 10, GZIP_WINDOW = 15 + 16 };

struct sharc_gzip {
    z_stream z;
};

struct sharc_gzip *sharc_gzip_new(int level)
{
    SHARC_ASSERT(level >= 1 && level <= 12);
    struct sharc_gzip *state = SHARC_NEW(struct sharc_gzip);
    if (level > 9) level = 9;
    if (deflateInit2(&state->z, level, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK) sharc__no_memory();
    return state;
}

void sharc_gzip_free(struct sharc_gzip *state)
{
    if (!state) return;
    deflateEnd(&state->z);
    free(state);
}

void sharc_gzip_reset(struct sharc_gzip *state)
{
    deflateReset(&state->z);
}

/* Feed one step's input until zlib has taken it (or, at the end, given all). */
static int feed(z_stream *z, int flush, struct sharc_buf *out)
{
    for (;;) {
        int r = sharc_buf_reserve(out, STEP_OUT);
        if (r < 0) return r;
        z->next_out = (Bytef *)out->p + out->n;
        z->avail_out = STEP_OUT;
        int result = deflate(z, flush);
        out->n += STEP_OUT - z->avail_out;
        out->p[out->n] = 0;
        if (result == Z_STREAM_END || (flush == Z_NO_FLUSH && z->avail_in == 0 && z->avail_out > 0)) return 0;
    }
}

int sharc_gzip_add(struct sharc_gzip *state, struct sharc_span in, bool last, struct sharc_buf *out)
{
    z_stream *z = &state->z;
    while (in.n > 0 || last) {
        size_t n = in.n < STEP_IN ? in.n : STEP_IN;
        bool final = last && n == in.n;
        z->next_in = (Bytef *)(uintptr_t)in.p;
        z->avail_in = (uInt)n;
        int r = feed(z, final ? Z_FINISH : Z_NO_FLUSH, out);
        if (r < 0) return r;
        in = sharc_span_from(in, n);
        if (final) {
            deflateReset(z);
            break;
        }
    }
    return 0;
}
