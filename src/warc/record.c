/* SPDX-License-Identifier: Apache-2.0
 *
 * What is inside a record: the HTTP head, and the block in its four forms.
 */
#include "sharc/base_limits.h"
#include "warc_int.h"

static bool may_hold_http(const struct sharc_record *rec)
{
    if (rec->arc) return rec->type == SHARC_WARC_RESPONSE;
    if (rec->type != SHARC_WARC_RESPONSE && rec->type != SHARC_WARC_REQUEST && rec->type != SHARC_WARC_REVISIT)
        return false;
    return !rec->content_type.p || sharc_span_istarts(rec->content_type, SHARC_SPAN("application/http"));
}

/* Will these bytes stay until the next record? Not when the block goes on in
 * another unit, which takes their place. */
static bool stays(const struct sharc_warc *w)
{
    const struct sharc__warc_unpack *u = &w->in;
    return sharc__warc_unpack_stable(u) && (u->packing == SHARC_WARC_PLAIN || w->block_left <= u->n);
}

/* The head where it stands, when it will not move; else in a copy. */
static int64_t parse_http(struct sharc_warc *w)
{
    struct sharc__warc_unpack *u = &w->in;
    const bool copy = !stays(w);
    for (size_t want = 4096;; want = 2 * u->n) {
        if (copy) sharc__warc_unpack_fill(u, want < w->block_left ? want : (size_t)w->block_left, NULL);
        struct sharc_span bytes = sharc_span_sub(sharc_span(u->p, u->n), 0, (size_t)w->block_left);
        bool all = bytes.n == w->block_left || u->unit_end || u->broken;
        if (copy) {
            sharc_buf_clear(&w->http_copy);
            sharc_buf_put(&w->http_copy, sharc_span_sub(bytes, 0, SHARC_LIMIT_HTTP_HEADER + 1));
            bytes = sharc_buf_span(&w->http_copy);
        }
        int64_t n = sharc_http_parse(&w->http, bytes, all, NULL);
        if (n != 0 || all) return n;
    }
}

const struct sharc_http *sharc_record_http(struct sharc_record *rec)
{
    struct sharc_warc *w = rec->reader;
    if (w->http_state == HTTP_UNKNOWN && !w->reading) {
        w->http_state = HTTP_NONE;
        if (may_hold_http(rec) && w->block_left > 0) {
            int64_t n = parse_http(w);
            bool right_kind = (rec->type == SHARC_WARC_REQUEST) != w->http.response;
            if (n > 0 && right_kind) {
                w->http_state = HTTP_THERE;
                w->head_left = (size_t)n;
            }
        }
    }
    return w->http_state == HTTP_THERE ? &w->http : NULL;
}

/* Pieces behind the HTTP head; the shape of sharc_pull_fn. */
static int body_piece(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct sharc_warc *w = arg;
    int r;
    while ((r = sharc__warc_block_piece(w, ret, reterr)) > 0) {
        size_t skip = ret->n < w->head_left ? ret->n : w->head_left;
        w->head_left -= skip;
        *ret = sharc_span_from(*ret, skip);
        if (ret->n > 0) break;
    }
    return r;
}

static int start_reading(struct sharc_record *rec, enum sharc_warc_part part, struct sharc_err *reterr)
{
    struct sharc_warc *w = rec->reader;
    const struct sharc_http *h = part == SHARC_WARC_BLOCK ? NULL : sharc_record_http(rec);
    w->reading = true;
    if (part == SHARC_WARC_BLOCK) w->head_left = 0;
    if (!h || part == SHARC_WARC_BODY) return 0;
    unsigned decode = part == SHARC_WARC_CONTENT ? SHARC_HTTP_CONTENT : SHARC_HTTP_TRANSFER;
    if (!sharc_http_get(h, "Transfer-Encoding").p) {
        if (decode == SHARC_HTTP_TRANSFER || !sharc_http_get(h, "Content-Encoding").p) return 0;
    }
    return sharc_http_body_new(h, decode, UINT64_MAX, body_piece, w, &w->body, reterr);
}

int sharc_record_read(struct sharc_record *rec, enum sharc_warc_part part, struct sharc_span *ret,
                      struct sharc_err *reterr)
{
    struct sharc_warc *w = rec->reader;
    if (w->state != INSIDE) return 0;
    if (!w->reading) {
        int r = start_reading(rec, part, reterr);
        if (r < 0) return r;
    }
    return w->body ? sharc_http_body_pull(w->body, ret, reterr) : body_piece(w, ret, reterr);
}

int sharc_record_read_all(struct sharc_record *rec, enum sharc_warc_part part, struct sharc_buf *out,
                          struct sharc_err *reterr)
{
    struct sharc_span piece;
    int r;
    while ((r = sharc_record_read(rec, part, &piece, reterr)) > 0) {
        if (sharc_buf_put(out, piece) < 0)
            return sharc__warc_fail(rec->reader, reterr, SHARC_ELIMIT, rec->offset,
                                    "the record holds more than the %zu bytes asked for", out->max);
    }
    return r;
}

bool sharc_record_is_whole(const struct sharc_record *rec)
{
    const struct sharc_warc *w = rec->reader;
    return !w->body || sharc_http_body_is_whole(sharc_http_body_state(w->body));
}

int sharc_record_length(struct sharc_record *rec, uint64_t *ret, struct sharc_err *reterr)
{
    int r = sharc__warc_pass_over(rec->reader, reterr);
    if (r < 0) return r;
    *ret = rec->reader->length;
    return 0;
}
