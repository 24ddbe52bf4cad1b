/* SPDX-License-Identifier: Apache-2.0
 *
 * Every codec: in one piece and in small pieces the result is the same, and
 * neither exceeds its bound. First byte: codec; second: size of the pieces.
 */
#include "sharc/base_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BOUND = 3u << 20 };

static int drip(enum sharc_codec codec, struct sharc_span in, size_t piece, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_decoder_freep) struct sharc_decoder *d = NULL;
    if (sharc_decoder_new(codec, BOUND, &d, NULL) < 0) return SHARC_ENOMEM;
    for (;;) {
        char part[257];
        size_t room = piece < sizeof part ? piece : sizeof part;
        struct sharc_decode_step s = {0};
        struct sharc_span now = sharc_span_sub(in, 0, piece);
        int r = sharc_decoder_step(d, now, part, room, &s, NULL);
        if (r < 0) return r;
        SHARC_ASSERT(s.used <= now.n && s.made <= room);
        SHARC_ASSERT(!s.unit_end || sharc_decoder_at_end(d));
        SHARC_ASSERT(sharc_buf_put(out, sharc_span(part, s.made)) == 0);
        in = sharc_span_from(in, s.used);
        if (s.used == 0 && s.made == 0 && !s.unit_end) break;
    }
    return in.n == 0 && sharc_decoder_at_end(d) ? 0 : SHARC_ETRUNC;
}

static bool gzip_padding(enum sharc_codec codec, struct sharc_span in)
{
    return codec == SHARC_GZIP && in.n && in.p[in.n - 1] == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    enum sharc_codec codec = (enum sharc_codec)(data[0] % (SHARC_ZSTD + 1));
    size_t piece = (size_t)data[1] + 1;
    struct sharc_span in = sharc_span(data + 2, size - 2);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf whole = SHARC_BUF_INIT(BOUND), pieces = SHARC_BUF_INIT(BOUND);
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_decode(codec, in, &whole, &err);
    int q = drip(codec, in, piece, &pieces);
    SHARC_ASSERT(whole.n <= BOUND && pieces.n <= BOUND);
    if (r == 0 && codec == SHARC_ZSTD && q == SHARC_ECORRUPT) {
        /* libzstd refuses a run of length zero in pieces, and takes it in one. */
        SHARC_ASSERT(pieces.n <= whole.n && memcmp(sharc_buf_str(&whole), sharc_buf_str(&pieces), pieces.n) == 0);
    } else if (r == 0) {
        SHARC_ASSERT(q == 0 || gzip_padding(codec, in)); /* zeros behind are ignored by the one only */
        SHARC_ASSERT(sharc_span_eq(sharc_buf_span(&whole), sharc_buf_span(&pieces)));
    } else {
        /* Given all at once, libzstd compares a frame's length with the length
         * it declares even if its last block is empty; in pieces it does not. */
        SHARC_ASSERT(err.text[0] && (q != 0 || codec == SHARC_ZSTD));
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf member = SHARC_BUF_INIT(BOUND);
    struct sharc_inflate *state = sharc_inflate_new();
    int64_t n = sharc_inflate_member(state, in, &member);
    SHARC_ASSERT(n <= (int64_t)in.n && member.n <= BOUND);
    sharc_inflate_free(state);
    return 0;
}
