/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies: payloads of records and parts of files, all of them or the range that is asked for. What is
 * large is read while it is sent.
 */
#include "call.h"
#include "serve_int.h"

#include <stdlib.h>

/* What a reader may hold of one record; see warc.h. */
enum { MOST_PER_READER = 16 << 20, SMALL_PAYLOAD = 256 << 10 };

/* --- ranges ------------------------------------------------------------------------- */

/* RFC 9110, 14.1.1: positions are digits, as many as the client likes. What is beyond 64 bits is beyond every file: as
 * a first position it cannot be satisfied (416), as a last one and as a number of last bytes it means all there is. */
static bool read_number(struct sharc_span s, uint64_t *ret)
{
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_digit(s.p[i])) return false;
    if (s.n > 0 && sharc_span_to_u64(s, ret) < 0) *ret = UINT64_MAX;
    return s.n > 0;
}

int sharc_range_read(struct sharc_span value, uint64_t size, uint64_t *ret_from, uint64_t *ret_count)
{
    struct sharc_span unit = SHARC_SPAN("bytes=");
    uint64_t first, last = UINT64_MAX;
    if (!sharc_span_istarts(value, unit)) return 0;
    struct sharc_span set = sharc_span_trim(sharc_span_from(value, unit.n));
    size_t dash = sharc_span_find(set, '-', 0);
    if (dash == SHARC_NPOS || sharc_span_find(set, ',', 0) != SHARC_NPOS) return 0; /* several: all of it will do */
    struct sharc_span a = sharc_span_trim(sharc_span_sub(set, 0, dash)),
                      b = sharc_span_trim(sharc_span_from(set, dash + 1));
    if (!a.n) { /* a suffix: the last N bytes */
        if (!read_number(b, &last)) return 0;
        if (!last || !size) return -1;
        first = last < size ? size - last : 0;
        last = size - 1;
    } else {
        if (!read_number(a, &first) || (b.n && !read_number(b, &last)) || last < first) return 0;
        if (first >= size) return -1;
        if (last >= size) last = size - 1;
    }
    *ret_from = first;
    *ret_count = last - first + 1;
    return 1;
}

/* Sets status and Content-Range. False: there is nothing to send but that. */
static bool choose_range(struct serve_call *c, uint64_t size, uint64_t *from, uint64_t *count)
{
    struct sharc_span value = sharc_http_request_header(c->request, "Range");
    *from = 0;
    *count = size;
    sharc__serve_header(c, "Accept-Ranges", SHARC_SPAN("bytes"));
    /* What a condition compares with is not sent, so that none can hold. */
    if (!value.p || sharc_http_request_header(c->request, "If-Range").p) return true;
    int r = sharc_range_read(value, size, from, count);
    if (r > 0) {
        sharc__serve_status(c, 206);
        sharc__serve_headerf(c, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)*from,
                             (unsigned long long)(*from + *count - 1), (unsigned long long)size);
    } else if (r < 0) {
        sharc__serve_status(c, 416);
        sharc__serve_headerf(c, "Content-Range", "bytes */%llu", (unsigned long long)size);
        sharc_http_answer_borrow(c->answer, SHARC_SPAN(""));
        c->size = 0;
    }
    return r >= 0;
}

/* --- a payload that is read while it is sent ------------------------------------------------ */

struct sharc_span sharc__serve_peek(struct sharc_found *found)
{
    if (sharc_record_read(&found->record, SHARC_WARC_PAYLOAD, &found->first, NULL) <= 0) found->first = SHARC_SPAN_NONE;
    return found->first;
}

static int next_piece(struct sharc_found *found, struct sharc_span *ret, struct sharc_err *reterr)
{
    *ret = found->first;
    found->first = SHARC_SPAN_NONE;
    return ret->n ? 1 : sharc_record_read(&found->record, SHARC_WARC_PAYLOAD, ret, reterr);
}

enum { PIECE = 32 << 10 };

struct payload {
    struct sharc_serve *server;
    const struct sharc_edition *edition;
    struct sharc_found *found;
    uint64_t skip; /* bytes before the first that is wanted */
    uint64_t held;
    struct sharc_span rest; /* read, not yet given */
    char piece[PIECE];
};

/* Bytes are copied first and vouched for then: whoever shortens the file later can do no harm. */
static int give(struct payload *p, struct sharc_span *ret)
{
    size_t n = p->rest.n < PIECE ? p->rest.n : PIECE;
    memcpy(p->piece, p->rest.p, n);
    p->rest = sharc_span_from(p->rest, n);
    *ret = sharc_span(p->piece, n);
    return sharc_found_intact(p->found) ? 1 : SHARC_ECORRUPT;
}

static int pull_payload(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct payload *p = arg;
    int r = 1;
    while (!p->rest.n && (r = next_piece(p->found, &p->rest, reterr)) > 0) {
        size_t n = p->skip < p->rest.n ? (size_t)p->skip : p->rest.n;
        p->rest = sharc_span_from(p->rest, n);
        p->skip -= n;
    }
    return r > 0 ? give(p, ret) : r;
}

static void done_payload(void *arg)
{
    struct payload *p = arg;
    sharc__serve_unhold(p->server, p->held);
    sharc_found_free(p->found);
    sharc_collection_release(p->server->o.collection, p->edition);
    free(p);
}

static void stream_payload(struct serve_call *c, struct sharc_found *f, uint64_t from, uint64_t count)
{
    uint64_t held = f->record.block_size < MOST_PER_READER ? f->record.block_size : MOST_PER_READER;
    if (!sharc__serve_hold(c->server, held)) {
        sharc_found_free(f);
        sharc__serve_busy(c);
        return;
    }
    struct payload *p = SHARC_NEW(struct payload);
    p->server = c->server;
    p->edition = c->edition;
    p->found = f;
    p->skip = from;
    p->held = held;
    c->edition_kept = true;
    c->size = count;
    sharc_http_answer_stream(c->answer, count, pull_payload, done_payload, p);
}

/* Small ones are read at once: their size is known then, whatever the head says. */
static void send_small(struct serve_call *c, struct sharc_found *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(4 * SMALL_PAYLOAD);
    struct sharc_span piece;
    int r;
    while ((r = next_piece(f, &piece, NULL)) > 0) sharc_buf_put(&body, piece);
    bool ranges = f->status == 200 && r == 0; /* not of what is cut short */
    bool intact = sharc_found_intact(f);
    sharc_found_free(f);
    if (!intact) {
        sharc__serve_shortened(c);
        return;
    }
    uint64_t from = 0, count = body.n;
    if (ranges && !choose_range(c, body.n, &from, &count)) return;
    if (from || count < body.n) {
        sharc_buf_truncate(&body, (size_t)(from + count));
        sharc_buf_splice(&body, 0, (size_t)from, SHARC_SPAN(""));
    }
    sharc__serve_body(c, &body);
}

void sharc__serve_payload(struct serve_call *c, struct sharc_found *found)
{
    uint64_t from = 0, count = found->size;
    if (found->record.block_size <= SMALL_PAYLOAD) {
        send_small(c, found);
        return;
    }
    if (found->status == 200 && found->size != UINT64_MAX && !choose_range(c, found->size, &from, &count)) {
        sharc_found_free(found);
        return;
    }
    stream_payload(c, found, from, count);
}

/* --- parts of files --------------------------------------------------------------------------- */

struct piece {
    struct sharc_collection *collection;
    const struct sharc_edition *edition;
    const struct sharc_filemap *map;
    struct sharc_span rest;
    char bytes[PIECE];
};

static int pull_piece(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    (void)reterr;
    struct piece *p = arg;
    size_t n = p->rest.n < PIECE ? p->rest.n : PIECE;
    if (!n) return 0;
    memcpy(p->bytes, p->rest.p, n);
    p->rest = sharc_span_from(p->rest, n);
    *ret = sharc_span(p->bytes, n);
    return sharc_filemap_intact(p->map) ? 1 : SHARC_ECORRUPT;
}

static void done_piece(void *arg)
{
    struct piece *p = arg;
    sharc_collection_release(p->collection, p->edition);
    free(p);
}

void sharc__serve_bytes(struct serve_call *c, const struct sharc_filemap *map)
{
    uint64_t from, count;
    if (!choose_range(c, map->bytes.n, &from, &count)) return;
    struct piece *p = SHARC_NEW(struct piece);
    p->collection = c->server->o.collection;
    p->edition = c->edition;
    p->map = map;
    p->rest = sharc_span_sub(map->bytes, (size_t)from, (size_t)(from + count));
    c->edition_kept = true;
    c->size = count;
    sharc_http_answer_stream(c->answer, count, pull_piece, done_piece, p);
}
