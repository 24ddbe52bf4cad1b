/* SPDX-License-Identifier: Apache-2.0 */
#include "codec_int.h"

#include "sharc/base_exhausted.h"

#include <brotli/decode.h>
#include <stdlib.h>

/* The library cannot start over with an instance, so it hangs on a handle. */
struct brotli {
    BrotliDecoderState *decoder;
};

static void *create(void)
{
    return calloc(1, sizeof(struct brotli));
}

static void destroy(void *state)
{
    struct brotli *b = state;
    BrotliDecoderDestroyInstance(b->decoder);
    free(b);
}

static void restart(void *state)
{
    struct brotli *b = state;
    BrotliDecoderDestroyInstance(b->decoder);
    b->decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (!b->decoder) sharc__no_memory();
}

static int step(void *state, struct codec_step *s)
{
    struct brotli *b = state;
    const uint8_t *next_in = (const uint8_t *)s->in.p;
    uint8_t *next_out = (uint8_t *)s->out;
    size_t left = s->in.n;
    BrotliDecoderResult r = BrotliDecoderDecompressStream(b->decoder, &left, &next_in, &s->room, &next_out, NULL);
    s->in = sharc_span_from(s->in, s->in.n - left);
    s->out = (char *)next_out;
    s->ended = r == BROTLI_DECODER_RESULT_SUCCESS;
    if (r != BROTLI_DECODER_RESULT_ERROR) return 0;
    s->problem = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(b->decoder));
    return SHARC_ECORRUPT;
}

const struct codec_ops sharc__base_codec_brotli = {create, destroy, restart, step, false};
