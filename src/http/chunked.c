/* SPDX-License-Identifier: Apache-2.0
 *
 * The chunked coding as a machine over pieces of any size. The picture of its
 * states is in sharc/http.h; each arrow is a function here.
 */
#include "sharc/http.h"

enum { SIZE, DATA, DATA_END, TRAILER, DONE, PLAIN };

void sharc_chunked_init(struct sharc_chunked *c, bool tolerant)
{
    *c = (struct sharc_chunked){.tolerant = tolerant, .state_ = SIZE};
}

/* "1a2B", "1a2B ; extension": the size, or false. */
static bool size_of(struct sharc_span line, uint64_t *ret)
{
    uint64_t v = 0;
    size_t i = 0;
    for (; i < line.n && sharc_hex_value(line.p[i]) >= 0; i++) {
        if (v >> 58) return false;
        v = v << 4 | (uint64_t)sharc_hex_value(line.p[i]);
    }
    if (i == 0) return false;
    while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t' || line.p[i] == '\r')) i++;
    if (i < line.n && line.p[i] != ';') return false;
    *ret = v;
    return true;
}

enum { LINE_ROOM = sizeof((struct sharc_chunked *)0)->line_ - 1 }; /* the last byte is for a LF given back */

/* Put the rest of the current line into c->line_; true when its LF came. Of an
 * overlong line nothing is taken beyond the room: it may be data after all. */
static bool gather_line(struct sharc_chunked *c, struct sharc_span *in)
{
    const char *nl = in->n ? memchr(in->p, '\n', in->n) : NULL;
    size_t n = nl ? (size_t)(nl - in->p) : in->n, room = LINE_ROOM - c->line_n_;
    bool whole = nl && n <= room;
    if (n > room) n = room;
    if (n) memcpy(c->line_ + c->line_n_, in->p, n);
    c->line_n_ += (unsigned)n;
    *in = sharc_span_from(*in, whole ? n + 1 : n);
    return whole;
}

/* The rest of a line of which we know enough; true when its LF came. */
static bool pass_line(struct sharc_span *in)
{
    size_t nl = sharc_span_find(*in, '\n', 0);
    *in = sharc_span_from(*in, nl == SHARC_NPOS ? in->n : nl + 1);
    return nl != SHARC_NPOS;
}

/* From here on bytes are handed out as they are. */
static int give_up(struct sharc_chunked *c)
{
    if (!c->tolerant) return SHARC_ESYNTAX;
    c->state_ = PLAIN;
    *(c->chunks_ ? &c->damaged : &c->not_chunked) = true;
    return 0;
}

/* What was gathered goes out again, in front of the rest. */
static bool give_back_line(struct sharc_chunked *c, struct sharc_span *ret)
{
    if (c->line_n_ == 0) return false;
    *ret = sharc_span(c->line_, c->line_n_);
    c->line_n_ = 0;
    return true;
}

/* A size line has hex digits first; this looks at the bytes as they come, so
 * that bytes which are no size line are not swallowed up to the next LF. */
static bool plausible_size(const struct sharc_chunked *c, struct sharc_span in)
{
    char first = c->line_n_ ? c->line_[0] : in.p[0];
    if (sharc_hex_value(first) < 0) return false;
    /* Digits, then blank, semicolon or line end, all within the kept part. */
    char head[20];
    size_t n = c->line_n_ < sizeof head ? c->line_n_ : sizeof head;
    memcpy(head, c->line_, n);
    size_t more = in.n < sizeof head - n ? in.n : sizeof head - n;
    if (more) memcpy(head + n, in.p, more);
    size_t i = 0;
    while (i < n + more && sharc_hex_value(head[i]) >= 0) i++;
    return i == n + more ? i < sizeof head : strchr(" \t\r\n;", head[i]) != NULL && head[i] != 0;
}

/* SIZE: 1 there is data to hand out, 0 go on or out of input, < 0 failed. */
static int read_size(struct sharc_chunked *c, struct sharc_span *in, struct sharc_span *ret)
{
    if (!plausible_size(c, *in)) {
        int r = give_up(c);
        return r < 0 ? r : give_back_line(c, ret);
    }
    /* A full line was looked at before: a size with a long extension. */
    bool full = c->line_n_ == LINE_ROOM;
    bool whole = full ? pass_line(in) : gather_line(c, in);
    if (!whole && (full || c->line_n_ < LINE_ROOM)) return 0;
    if (!size_of(sharc_span(c->line_, c->line_n_), &c->left_)) {
        int r = give_up(c);
        if (r < 0) return r;
        if (whole) c->line_[c->line_n_++] = '\n';
        return give_back_line(c, ret);
    }
    if (!whole) return 0;
    c->line_n_ = 0;
    c->chunks_++;
    c->state_ = c->left_ ? DATA : TRAILER;
    return 0;
}

/* DATA: hand out what is there of the chunk. */
static int read_data(struct sharc_chunked *c, struct sharc_span *in, struct sharc_span *ret)
{
    size_t n = in->n < c->left_ ? in->n : (size_t)c->left_;
    *ret = sharc_span_sub(*in, 0, n);
    *in = sharc_span_from(*in, n);
    c->left_ -= n;
    if (c->left_ == 0) c->state_ = DATA_END;
    return 1;
}

/* DATA_END: CRLF, or LF alone. */
static int read_data_end(struct sharc_chunked *c, struct sharc_span *in)
{
    if (in->p[0] == '\r' && c->line_n_ == 0) {
        c->line_[c->line_n_++] = '\r'; /* its LF may be in the next piece */
    } else if (in->p[0] == '\n') {
        c->line_n_ = 0;
        c->state_ = SIZE;
    } else {
        return give_up(c); /* a CR kept back goes out first */
    }
    *in = sharc_span_from(*in, 1);
    return 0;
}

/* TRAILER: fields up to an empty line. */
static void read_trailer(struct sharc_chunked *c, struct sharc_span *in)
{
    bool full = c->line_n_ == LINE_ROOM;
    if (!(full ? pass_line(in) : gather_line(c, in))) return;
    bool empty = c->line_n_ == 0 || (c->line_n_ == 1 && c->line_[0] == '\r');
    c->line_n_ = 0;
    if (empty) {
        c->state_ = DONE;
        c->done = true;
    }
}

int sharc_chunked_step(struct sharc_chunked *c, struct sharc_span *in, struct sharc_span *ret)
{
    int r = 0;
    while (r == 0 && in->n > 0 && c->state_ != DONE) {
        switch (c->state_) {
        case SIZE: r = read_size(c, in, ret); break;
        case DATA: r = read_data(c, in, ret); break;
        case DATA_END: r = read_data_end(c, in); break;
        case TRAILER: read_trailer(c, in); break;
        default: /* PLAIN */
            r = give_back_line(c, ret);
            if (r) break;
            *ret = *in;
            *in = sharc_span_from(*in, in->n);
            r = 1;
        }
    }
    return r;
}

int sharc_chunked_end(struct sharc_chunked *c, struct sharc_span *ret)
{
    switch (c->state_) {
    case SIZE:
        if (c->chunks_ > 0) return SHARC_ETRUNC;
        if (c->line_n_ == 0) return 0; /* no body at all */
        if (give_up(c) < 0) return SHARC_ETRUNC;
        return give_back_line(c, ret);
    case DATA:
    case DATA_END: return SHARC_ETRUNC;
    case TRAILER:
        /* Many servers close after the last chunk without the empty line. */
        return c->line_n_ == 0 ? 0 : SHARC_ETRUNC;
    case PLAIN: return give_back_line(c, ret);
    default: return 0;
    }
}
