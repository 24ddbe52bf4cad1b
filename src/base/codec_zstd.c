/* SPDX-License-Identifier: Apache-2.0 */
#include "codec_int.h"

#include <zstd.h>
#include <zstd_errors.h>

static void *create(void)
{
    return ZSTD_createDCtx();
}

static void destroy(void *state)
{
    ZSTD_freeDCtx(state);
}

/* Keeps the dictionary. */
static void restart(void *state)
{
    ZSTD_DCtx_reset(state, ZSTD_reset_session_only);
}

static int step(void *state, struct codec_step *s)
{
    ZSTD_inBuffer in = {s->in.p, s->in.n, 0};
    ZSTD_outBuffer out = {s->out, s->room, 0};
    size_t r = ZSTD_decompressStream(state, &out, &in);
    s->in = sharc_span_from(s->in, in.pos);
    s->out += out.pos;
    s->room -= out.pos;
    if (ZSTD_isError(r)) {
        s->problem = ZSTD_getErrorName(r);
        return ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge ? SHARC_ELIMIT : SHARC_ECORRUPT;
    }
    s->ended = r == 0;
    return 0;
}

int sharc__base_zstd_dictionary(void *state, struct sharc_span dictionary)
{
    return ZSTD_isError(ZSTD_DCtx_loadDictionary(state, dictionary.p, dictionary.n)) ? SHARC_EINVAL : 0;
}

const struct codec_ops sharc__base_codec_zstd = {create, destroy, restart, step, true};
