/* SPDX-License-Identifier: Apache-2.0
 *
 * gzip and deflate by zlib, which unlike faster libraries hands out what it
 * has when the input stops in the middle.
 */
#include "codec_int.h"

#define ZLIB_CONST
#include <stdlib.h>
#include <zlib.h>

#define WINDOW 15
#define ANY_HEADER (WINDOW + 32) /* zlib or gzip, told apart by zlib */
#define RAW (-WINDOW)

struct zlib {
    z_stream stream;
    /* "deflate" means a zlib stream but many servers send it bare: the first
     * two bytes are held back until both are there and tell. */
    bool sniffing;
    unsigned char held[2];
    unsigned held_n, held_at;
};

static void *create(void)
{
    struct zlib *z = calloc(1, sizeof *z);
    if (!z) return NULL;
    if (inflateInit2(&z->stream, ANY_HEADER) != Z_OK) {
        free(z);
        return NULL;
    }
    return z;
}

static void destroy(void *state)
{
    struct zlib *z = state;
    inflateEnd(&z->stream);
    free(z);
}

static void restart_gzip(void *state)
{
    struct zlib *z = state;
    inflateReset2(&z->stream, ANY_HEADER);
}

static void restart_deflate(void *state)
{
    struct zlib *z = state;
    z->sniffing = true;
    z->held_n = z->held_at = 0;
}

static uInt clipped(size_t n)
{
    return n < UINT32_MAX ? (uInt)n : UINT32_MAX;
}

static int step_gzip(void *state, struct codec_step *s)
{
    z_stream *z = &((struct zlib *)state)->stream;
    uInt in = clipped(s->in.n), out = clipped(s->room);
    z->next_in = (const Bytef *)s->in.p;
    z->avail_in = in;
    z->next_out = (Bytef *)s->out;
    z->avail_out = out;
    int r = inflate(z, Z_NO_FLUSH);
    s->in = sharc_span_from(s->in, in - z->avail_in);
    s->out += out - z->avail_out;
    s->room -= out - z->avail_out;
    s->ended = r == Z_STREAM_END;
    if (r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR) return 0;
    s->problem = r == Z_NEED_DICT   ? "it needs a preset dictionary"
                 : r == Z_MEM_ERROR ? "memory is gone"
                 : z->msg           ? z->msg
                                    : "the data are not valid";
    return SHARC_ECORRUPT;
}

static bool is_zlib_header(const unsigned char b[2])
{
    return (b[0] & 0x0f) == Z_DEFLATED && b[0] >> 4 <= WINDOW - 8 && (b[0] * 256 + b[1]) % 31 == 0;
}

static int step_deflate(void *state, struct codec_step *s)
{
    struct zlib *z = state;
    if (z->sniffing) {
        while (z->held_n < 2 && s->in.n) {
            z->held[z->held_n++] = (unsigned char)s->in.p[0];
            s->in = sharc_span_from(s->in, 1);
        }
        if (z->held_n < 2) return 0;
        inflateReset2(&z->stream, is_zlib_header(z->held) ? WINDOW : RAW);
        z->sniffing = false;
    }
    while (z->held_at < z->held_n) {
        struct codec_step first = *s;
        first.in = sharc_span(z->held + z->held_at, z->held_n - z->held_at);
        int r = step_gzip(state, &first);
        unsigned left = (unsigned)first.in.n;
        bool stuck = left == z->held_n - z->held_at;
        z->held_at = z->held_n - left;
        first.in = s->in;
        *s = first;
        if (r < 0 || s->ended || stuck) return r;
    }
    return step_gzip(state, s);
}

const struct codec_ops sharc__base_codec_gzip = {create, destroy, restart_gzip, step_gzip, true};
const struct codec_ops sharc__base_codec_deflate = {create, destroy, restart_deflate, step_deflate, false};
