/* SPDX-License-Identifier: Apache-2.0
 *
 * Members of structs as bytes, in both directions.
 */
#include "summary_int.h"

#include "sharc/base_varint.h"

#include <stdlib.h>

void sharc__summary_u64(struct summary_codec *c, uint64_t *x)
{
    if (c->out) {
        sharc_varint_put(c->out, *x);
    } else if (!sharc_varint_take(&c->in, x)) {
        c->failed = true;
        *x = 0;
    }
}

void sharc__summary_u32(struct summary_codec *c, uint32_t *x)
{
    uint64_t wide = *x;
    sharc__summary_u64(c, &wide);
    c->failed = c->failed || wide > UINT32_MAX;
    *x = (uint32_t)wide;
}

void sharc__summary_i64(struct summary_codec *c, int64_t *x)
{
    uint64_t folded = sharc_varint_fold(*x);
    sharc__summary_u64(c, &folded);
    *x = sharc_varint_unfold(folded);
}

void sharc__summary_bool(struct summary_codec *c, bool *x)
{
    uint64_t wide = *x;
    sharc__summary_u64(c, &wide);
    c->failed = c->failed || wide > 1;
    *x = wide == 1;
}

void sharc__summary_bytes(struct summary_codec *c, uint8_t *x, size_t n)
{
    if (c->out) {
        sharc_buf_put(c->out, sharc_span((const char *)x, n));
        return;
    }
    c->failed = c->failed || c->in.n < n;
    if (c->failed) return;
    if (n) memcpy(x, c->in.p, n);
    c->in = sharc_span_from(c->in, n);
}

void sharc__summary_turn(void *x, size_t n, size_t width)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    uint8_t *bytes = x;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < width / 2; k++) {
            uint8_t *low = &bytes[i * width + k], *high = &bytes[i * width + width - 1 - k], kept = *low;
            *low = *high;
            *high = kept;
        }
#else
    (void)x, (void)n, (void)width;
#endif
}

void *sharc__summary_block(struct summary_codec *c, void *x, size_t n, void **ret_block)
{
    enum { ALIGN = sizeof(int64_t) };
    if (c->out) {
        while (c->out->n % ALIGN) sharc_buf_put_char(c->out, 0);
        sharc_buf_put(c->out, sharc_span(x, n));
        return x;
    }
    size_t at = (size_t)(c->in.p - c->plain->p), from = (at + ALIGN - 1) / ALIGN * ALIGN;
    c->failed = c->failed || c->plain->n < from || c->plain->n - from != n;
    if (c->failed) return NULL;
    char *block = c->plain->p;
    *ret_block = block;
    *c->plain = (struct sharc_buf)SHARC_BUF_INIT(c->plain->max);
    c->in = SHARC_SPAN_NONE;
    return block + from;
}

void sharc__summary_real(struct summary_codec *c, double *x)
{
    uint8_t bytes[8] = {0};
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    sharc__summary_bytes(c, bytes, sizeof bytes);
    bits = 0;
    for (int i = 8; i-- > 0;) bits = bits << 8 | bytes[i];
    memcpy(x, &bits, sizeof bits);
}

void sharc__summary_count(struct summary_codec *c, size_t *x)
{
    uint64_t wide = *x;
    sharc__summary_u64(c, &wide);
    c->failed = c->failed || (!c->out && wide > c->in.n);
    *x = c->failed ? 0 : (size_t)wide;
}

/* The next n bytes of what is read. */
static struct sharc_span take(struct summary_codec *c, size_t n)
{
    struct sharc_span text = sharc_span_sub(c->in, 0, n);
    c->in = sharc_span_from(c->in, n);
    return text;
}

void sharc__summary_text(struct summary_codec *c, char **x)
{
    size_t n = c->out && *x ? strlen(*x) + 1 : 0; /* with its end; 0: there is none */
    sharc__summary_count(c, &n);
    if (c->out)
        sharc_buf_put(c->out, sharc_span(*x ? *x : "", n));
    else
        *x = n && !c->failed ? sharc_span_dup(sharc_span_sub(take(c, n), 0, n - 1)) : NULL;
}

void sharc__summary_span(struct summary_codec *c, struct sharc_span *x, struct sharc_arena *arena)
{
    size_t n = x->n;
    sharc__summary_count(c, &n);
    if (c->out) {
        sharc_buf_put(c->out, *x);
        return;
    }
    *x = c->failed ? SHARC_SPAN_NONE : sharc_arena_copy(arena, take(c, n));
    c->failed = c->failed || !x->p;
}

void sharc__summary_u64s(struct summary_codec *c, uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) sharc__summary_u64(c, &x[i]);
}
