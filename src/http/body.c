/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies: a stack of stages, each pulling from the one below, the lowest from
 * the caller's source. Nothing is held but one piece per stage.
 */
#include "sharc/base_codec.h"
#include "sharc/base_limits.h"
#include "sharc/http.h"

#include <stdlib.h>

enum { PIECE = 64 << 10, STAGES = 2 * SHARC_LIMIT_CODINGS + 1 };

struct stage {
    struct sharc_http_body *body;
    sharc_pull_fn *below;
    void *below_arg;
    bool below_ended;
    struct sharc_span in;       /* what is left of the piece from below */
    struct sharc_chunked chunk; /* chunked */
    struct sharc_decoder *decoder;
    char *out;               /* decoder: PIECE bytes */
    struct sharc_span first; /* decoder: its first piece, while it is still there */
    uint64_t pieces, made;
    bool plain; /* decoder: the bytes do not have the coding */
    bool ended; /* decoder: at least one stream has come to its end */
};

struct sharc_http_body {
    struct stage stages[STAGES];
    size_t count;
    sharc_pull_fn *top;
    void *top_arg;
    struct sharc_http_body_state state;
};

/* Have bytes in st->in, unless the stage below has ended. */
static int refill(struct stage *st, struct sharc_err *reterr)
{
    if (st->in.n > 0 || st->below_ended) return 0;
    int r = st->below(st->below_arg, &st->in, reterr);
    if (r < 0) return r;
    if (r == 0) {
        st->below_ended = true;
        st->in = SHARC_SPAN_NONE;
        return 0;
    }
    st->first = st->pieces++ == 0 ? st->in : SHARC_SPAN_NONE;
    return 0;
}

static int chunked_pull(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct stage *st = arg;
    struct sharc_chunked *c = &st->chunk;
    while (!c->done) {
        int r = refill(st, reterr);
        if (r < 0) return r;
        bool ended = st->in.n == 0;
        r = ended ? sharc_chunked_end(c, ret) : sharc_chunked_step(c, &st->in, ret);
        st->body->state.not_chunked |= c->not_chunked;
        st->body->state.damaged |= c->damaged;
        if (r == SHARC_ETRUNC) st->body->state.truncated = true;
        if (r > 0) return 1;
        if (r < 0 || ended) break;
    }
    return 0;
}

static int plain_pull(struct stage *st, struct sharc_span *ret, struct sharc_err *reterr)
{
    int r = refill(st, reterr);
    if (r < 0) return r;
    *ret = st->in;
    st->in = SHARC_SPAN_NONE;
    return ret->n > 0;
}

/* What came out so far is all there is. */
static int stop(struct stage *st)
{
    st->in = SHARC_SPAN_NONE;
    st->below_ended = true;
    st->plain = true;
    return 0;
}

/* The decoder refused its input. Right at the start that means: not coded at
 * all. */
static int refused(struct stage *st, int code, struct sharc_span *ret, struct sharc_err *reterr)
{
    if (code == SHARC_ELIMIT) return sharc_fail(reterr, code, "decoded body is larger than allowed");
    if (st->made == 0 && st->first.n > 0) {
        st->body->state.not_coded = true;
        st->plain = true;
        st->in = st->first;
        return plain_pull(st, ret, reterr);
    }
    st->body->state.damaged = true;
    return stop(st);
}

/* Between two streams: zeros fill up a block, and no stream begins with one. Anything else is one more stream, or
 * belongs to none. True: there is more. */
static int pass_padding(struct stage *st, struct sharc_err *reterr)
{
    for (;;) {
        int r = refill(st, reterr);
        if (r < 0) return r;
        while (st->in.n > 0 && st->in.p[0] == 0) st->in = sharc_span_from(st->in, 1);
        if (st->in.n > 0 || st->below_ended) return st->in.n > 0;
    }
}

/* Input for the decoder, or the end of it: 1; 0: nothing more stands behind the last stream. */
static int feed(struct stage *st, bool between, struct sharc_err *reterr)
{
    int r = between ? pass_padding(st, reterr) : refill(st, reterr);
    return r < 0 ? r : !between || r > 0;
}

static int decoder_pull(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct stage *st = arg;
    if (st->plain) return plain_pull(st, ret, reterr);
    for (;;) {
        bool between = st->ended && sharc_decoder_at_end(st->decoder);
        int r = feed(st, between, reterr);
        if (r <= 0) return r;
        struct sharc_decode_step step = {0};
        r = sharc_decoder_step(st->decoder, st->in, st->out, PIECE, &step, NULL);
        if (r < 0 && between && r != SHARC_ELIMIT) {
            st->body->state.surplus = true;
            return stop(st);
        }
        if (r < 0) return refused(st, r, ret, reterr);
        st->in = sharc_span_from(st->in, step.used);
        st->ended |= step.unit_end;
        if (step.made > 0) {
            st->made += step.made;
            *ret = sharc_span(st->out, step.made);
            return 1;
        }
        if (step.used == 0 && st->in.n == 0 && st->below_ended) {
            if (st->pieces > 0 && !sharc_decoder_at_end(st->decoder)) st->body->state.truncated = true;
            return 0;
        }
        if (step.used == 0 && st->in.n > 0) return refused(st, SHARC_ECORRUPT, ret, reterr);
    }
}

static struct stage *add_stage(struct sharc_http_body *b, sharc_pull_fn *pull)
{
    struct stage *st = &b->stages[b->count++];
    *st = (struct stage){.body = b, .below = b->top, .below_arg = b->top_arg};
    b->top = pull;
    b->top_arg = st;
    return st;
}

static bool is_no_coding(struct sharc_span name)
{
    return name.n == 0 || sharc_span_ieq(name, SHARC_SPAN("identity")) || sharc_span_ieq(name, SHARC_SPAN("none"));
}

/* One coding by name. 0: undone from now on; 1: unknown, stop here. */
static int add_coding(struct sharc_http_body *b, struct sharc_span name, uint64_t max_out, struct sharc_err *reterr)
{
    if (is_no_coding(name)) return 0;
    if (b->count >= STAGES)
        return sharc_fail(reterr, SHARC_ELIMIT, "more than SHARC_LIMIT_CODINGS codings are stacked");
    if (sharc_span_ieq(name, SHARC_SPAN("chunked"))) {
        sharc_chunked_init(&add_stage(b, chunked_pull)->chunk, true);
        return 0;
    }
    enum sharc_codec codec;
    if (sharc_codec_of(name, &codec) < 0) {
        b->state.unknown = true;
        return 1;
    }
    if (codec == SHARC_IDENTITY) return 0;
    struct stage *st = add_stage(b, decoder_pull);
    st->out = sharc_malloc(PIECE);
    return sharc_decoder_new(codec, max_out, &st->decoder, reterr);
}

/* All values of a field, without parameters, in the order in which they were applied. */
static int read_codings(const struct sharc_http *h, const char *field, struct sharc_span names[SHARC_LIMIT_CODINGS],
                        size_t *ret, struct sharc_err *reterr)
{
    struct sharc_span value, name;
    size_t n = 0;
    for (size_t at = 0; sharc_http_each(h, field, &at, &value);) {
        while (sharc_span_next(&value, ',', &name)) {
            name = sharc_span_trim(name);
            size_t semicolon = sharc_span_find(name, ';', 0);
            name = sharc_span_trim(sharc_span_sub(name, 0, semicolon));
            if (name.n == 0) continue;
            if (n == SHARC_LIMIT_CODINGS)
                return sharc_fail(reterr, SHARC_ELIMIT, "%s names more than SHARC_LIMIT_CODINGS codings", field);
            names[n++] = name;
        }
    }
    *ret = n;
    return 0;
}

/* The last coding first: that one was applied last. */
static int add_codings(struct sharc_http_body *b, const struct sharc_http *h, const char *field, uint64_t max_out,
                       struct sharc_err *reterr)
{
    struct sharc_span names[SHARC_LIMIT_CODINGS];
    size_t n = 0;
    int r = read_codings(h, field, names, &n, reterr);
    while (r == 0 && n > 0) r = add_coding(b, names[--n], max_out, reterr);
    return r < 0 ? r : 0;
}

int sharc_http_codings(const struct sharc_http *h, struct sharc_buf *out, struct sharc_err *reterr)
{
    struct sharc_span names[SHARC_LIMIT_CODINGS];
    size_t n = 0;
    int r = read_codings(h, "Content-Encoding", names, &n, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < n; i++) {
        enum sharc_codec codec;
        if (is_no_coding(names[i])) continue;
        if (out->n) sharc_buf_put(out, SHARC_SPAN(", "));
        if (sharc_codec_of(names[i], &codec) == 0 && codec == SHARC_GZIP) names[i] = SHARC_SPAN("gzip");
        for (size_t k = 0; k < names[i].n; k++) sharc_buf_put_char(out, sharc_to_lower(names[i].p[k]));
    }
    return sharc_buf_result(out, reterr);
}

int sharc_http_body_new(const struct sharc_http *h, unsigned decode, uint64_t max_out, sharc_pull_fn *pull, void *arg,
                        struct sharc_http_body **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_http_body_freep) struct sharc_http_body *b = SHARC_NEW(struct sharc_http_body);
    b->top = pull;
    b->top_arg = arg;
    int r = decode ? add_codings(b, h, "Transfer-Encoding", max_out, reterr) : 0;
    if (r == 0 && (decode & SHARC_HTTP_CONTENT)) r = add_codings(b, h, "Content-Encoding", max_out, reterr);
    if (r < 0) return r;
    *ret = SHARC_TAKE(b);
    return 0;
}

void sharc_http_body_free(struct sharc_http_body *b)
{
    if (!b) return;
    for (size_t i = 0; i < b->count; i++) {
        sharc_decoder_free(b->stages[i].decoder);
        free(b->stages[i].out);
    }
    free(b);
}

void sharc_http_body_freep(struct sharc_http_body **b)
{
    sharc_http_body_free(*b);
    *b = NULL;
}

int sharc_http_body_pull(void *body, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct sharc_http_body *b = body;
    return b->top(b->top_arg, ret, reterr);
}

struct sharc_http_body_state sharc_http_body_state(const struct sharc_http_body *b)
{
    return b->state;
}

static int span_pull(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    (void)reterr;
    struct sharc_span *rest = arg;
    *ret = *rest;
    *rest = SHARC_SPAN_NONE;
    return ret->n > 0;
}

int sharc_http_decode(const struct sharc_http *h, unsigned decode, struct sharc_span body, struct sharc_buf *out,
                      struct sharc_http_body_state *ret_state, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_http_body_freep) struct sharc_http_body *b = NULL;
    struct sharc_span piece;
    int r = sharc_http_body_new(h, decode, out->max, span_pull, &body, &b, reterr);
    if (r < 0) return r;
    while ((r = sharc_http_body_pull(b, &piece, reterr)) > 0) {
        if (sharc_buf_put(out, piece) < 0)
            return sharc_fail(reterr, SHARC_ELIMIT, "decoded body is larger than allowed");
    }
    if (r == 0 && ret_state) *ret_state = b->state;
    return r;
}
