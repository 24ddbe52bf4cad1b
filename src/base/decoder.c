/* SPDX-License-Identifier: Apache-2.0
 *
 * The streaming decoder: bounds and units. What the bytes mean is the business
 * of the codec_….c files.
 */
#include "codec_int.h"
#include "sharc/base_limits.h"

#include <inttypes.h>
#include <stdlib.h>

#define EXPANSION_FROM (1u << 20) /* small things may expand as they like */

struct sharc_decoder {
    enum sharc_codec codec;
    const struct codec_ops *ops; /* NULL: identity */
    void *state;
    uint64_t max_out, taken, made;
    bool at_end;  /* no unit has begun, or the last one has ended */
    bool started; /* a unit has begun since the last reset */
    /* What a failing step still made is handed out first; the failure waits
     * here for the next call. */
    int failed;
    const char *problem;
    char spare; /* takes the one byte that is too many */
};

static const struct {
    const char *name;
    enum sharc_codec codec;
} names[] = {
    {"gzip", SHARC_GZIP}, {"x-gzip", SHARC_GZIP}, {"deflate", SHARC_DEFLATE},
    {"br", SHARC_BROTLI}, {"zstd", SHARC_ZSTD},   {"identity", SHARC_IDENTITY},
};

int sharc_codec_of(struct sharc_span name, enum sharc_codec *ret)
{
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        if (!sharc_span_ieq(name, sharc_span_of(names[i].name))) continue;
        *ret = names[i].codec;
        return 0;
    }
    return SHARC_EUNSUPPORTED;
}

static const struct codec_ops *ops_of(enum sharc_codec codec)
{
    switch (codec) {
    case SHARC_GZIP: return &sharc__base_codec_gzip;
    case SHARC_DEFLATE: return &sharc__base_codec_deflate;
    case SHARC_BROTLI: return &sharc__base_codec_brotli;
    case SHARC_ZSTD: return &sharc__base_codec_zstd;
    case SHARC_IDENTITY: break;
    }
    return NULL;
}

static const char *name_of(enum sharc_codec codec)
{
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (names[i].codec == codec) return names[i].name;
    return "";
}

/* --- life ----------------------------------------------------------------- */

int sharc_decoder_new(enum sharc_codec codec, uint64_t max_out, struct sharc_decoder **ret, struct sharc_err *reterr)
{
    const struct codec_ops *ops = ops_of(codec);
    void *state = ops ? ops->create() : NULL;
    SHARC_FAIL_IF(ops && !state, reterr, SHARC_ENOMEM, "no memory for a %s decoder", name_of(codec));
    struct sharc_decoder *d = SHARC_NEW(struct sharc_decoder);
    *d = (struct sharc_decoder){.codec = codec, .ops = ops, .state = state, .max_out = max_out};
    sharc_decoder_reset(d);
    *ret = d;
    return 0;
}

void sharc_decoder_free(struct sharc_decoder *d)
{
    if (!d) return;
    if (d->ops) d->ops->destroy(d->state);
    free(d);
}

void sharc_decoder_freep(struct sharc_decoder **d)
{
    sharc_decoder_free(*d);
    *d = NULL;
}

void sharc_decoder_reset(struct sharc_decoder *d)
{
    d->taken = d->made = 0;
    d->at_end = true;
    d->started = false;
    d->failed = 0;
    if (d->ops) d->ops->restart(d->state);
}

bool sharc_decoder_at_end(const struct sharc_decoder *d)
{
    return d->at_end;
}

int sharc_decoder_dictionary(struct sharc_decoder *d, struct sharc_span dictionary, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(d->codec != SHARC_ZSTD, reterr, SHARC_EUNSUPPORTED, "%s takes no dictionary", name_of(d->codec));
    SHARC_FAIL_IF(!d->at_end, reterr, SHARC_EINVAL, "a dictionary must come between two zstd frames");
    d->ops->restart(d->state);
    int r = sharc__base_zstd_dictionary(d->state, dictionary);
    SHARC_FAIL_IF(r < 0, reterr, SHARC_ECORRUPT, "the zstd dictionary of %zu bytes is damaged", dictionary.n);
    return 0;
}

/* --- decoding ------------------------------------------------------------- */

static int fail_at(const struct sharc_decoder *d, struct sharc_err *reterr, int code, const char *problem)
{
    sharc_fail(reterr, code, "%s data, byte %" PRIu64 ": %s", name_of(d->codec), d->taken, problem);
    if (reterr) reterr->offset = d->taken;
    return code;
}

static int copy(struct codec_step *s)
{
    size_t n = s->in.n < s->room ? s->in.n : s->room;
    if (n) memcpy(s->out, s->in.p, n);
    s->in = sharc_span_from(s->in, n);
    s->out += n;
    s->room -= n;
    return 0;
}

/* Run the codec and keep the books: afterwards s->room is what was made.
 * Output beyond the bound goes to a spare byte, which tells "just full" from
 * "too much". */
static int run(struct sharc_decoder *d, struct codec_step *s)
{
    uint64_t allowed = d->max_out - d->made;
    bool full = allowed == 0;
    if (full) {
        s->out = &d->spare;
        s->room = 1;
    } else if (s->room > allowed) {
        s->room = (size_t)allowed;
    }
    size_t room = s->room, in = s->in.n;
    int r = d->ops ? d->ops->step(d->state, s) : copy(s);
    s->room = room - s->room;
    d->taken += in - s->in.n;
    if (full && s->room) {
        s->room = 0;
        s->problem = "larger than allowed when decoded";
        return SHARC_ELIMIT;
    }
    d->made += s->room;
    if (r == 0 && d->ops && d->max_out != UINT64_MAX && d->made > EXPANSION_FROM &&
        d->made / SHARC_LIMIT_EXPANSION > d->taken) {
        s->problem = "expands more than a thousandfold";
        return SHARC_ELIMIT;
    }
    return r;
}

/* Between two units: begin the next one if there is input for it. */
static int begin_unit(struct sharc_decoder *d, bool input, struct sharc_err *reterr)
{
    if (!input) return 0;
    if (d->started) {
        if (!d->ops->many_units) return fail_at(d, reterr, SHARC_ECORRUPT, "more data follows the end");
        d->ops->restart(d->state);
    }
    d->started = true;
    d->at_end = false;
    return 0;
}

int sharc_decoder_step(struct sharc_decoder *d, struct sharc_span in, void *out, size_t room,
                       struct sharc_decode_step *ret, struct sharc_err *reterr)
{
    if (d->failed) return fail_at(d, reterr, d->failed, d->problem);
    if (d->ops && d->at_end) {
        int r = begin_unit(d, in.n > 0, reterr);
        if (r < 0) return r;
        if (d->at_end) {
            *ret = (struct sharc_decode_step){0};
            return 0;
        }
    }
    struct codec_step s = {.in = in, .out = out, .room = room};
    int r = run(d, &s);
    if (r < 0) {
        d->failed = r;
        d->problem = s.problem;
        if (s.room == 0) return fail_at(d, reterr, r, s.problem);
    }
    d->at_end = !d->ops || s.ended;
    *ret = (struct sharc_decode_step){.used = in.n - s.in.n, .made = s.room, .unit_end = s.ended};
    return 0;
}

/* Some writers fill up the last block of a gzip file with zeros. */
static bool all_zero(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i]) return false;
    return true;
}

int sharc_decode(enum sharc_codec codec, struct sharc_span in, struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_decoder_freep) struct sharc_decoder *d = NULL;
    int r = sharc_decoder_new(codec, out->max - out->n, &d, reterr);
    if (r < 0) return r;
    for (;;) {
        if (d->at_end && d->started && codec == SHARC_GZIP && all_zero(in)) return 0;
        size_t left = out->max - out->n, room = left < 16384 ? left : 16384;
        if (out->room > out->n + 1 && out->room - out->n - 1 > room) room = out->room - out->n - 1;
        if (room > left) room = left;
        r = sharc_buf_reserve(out, room);
        if (r < 0) return sharc_buf_result(out, reterr);
        struct sharc_decode_step step;
        r = sharc_decoder_step(d, in, out->p + out->n, room, &step, reterr);
        if (r == 0) out->n += step.made;
        out->p[out->n] = 0;
        if (r < 0) return r;
        in = sharc_span_from(in, step.used);
        if (step.used || step.made || step.unit_end) continue;
        if (d->at_end && in.n == 0) return 0;
        return fail_at(d, reterr, SHARC_ETRUNC, "ends in the middle");
    }
}
