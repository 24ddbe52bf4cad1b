/* SPDX-License-Identifier: Apache-2.0
 *
 * The body of a capture as the browser gets it: content coding undone, all of it or a range.
 */
#include "view_int.h"

#include "sharc/warc.h"

/* A range may be answered by its beginning: the browser asks for the rest. */
enum { MOST_RANGE = 8 << 20 };

static bool is_whole(const struct sharc_found *f)
{
    return f->status == 200;
}

/* Bytes from `from` on, as many as fit. */
static int read_window(struct sharc_found *f, uint64_t from, struct sharc_buf *out)
{
    struct sharc_span piece;
    uint64_t at = 0;
    int r;
    while (out->n < out->max && (r = sharc_record_read(&f->record, SHARC_WARC_PAYLOAD, &piece, NULL)) > 0) {
        uint64_t end = at + piece.n;
        if (end > from) {
            struct sharc_span wanted = at < from ? sharc_span_from(piece, (size_t)(from - at)) : piece;
            sharc_buf_put(out, sharc_span_sub(wanted, 0, out->max - out->n));
        }
        at = end;
    }
    return 0;
}

static void cut_range(struct view_body *b, struct sharc_span range)
{
    uint64_t from, count;
    b->size = b->bytes.n;
    b->range = range.n ? sharc_range_read(range, b->size, &from, &count) : 0;
    if (b->range < 0) sharc_buf_clear(&b->bytes);
    if (b->range <= 0) return;
    b->from = from;
    sharc_buf_truncate(&b->bytes, (size_t)(from + count));
    sharc_buf_splice(&b->bytes, 0, (size_t)from, SHARC_SPAN(""));
}

/* Of what is too large for one answer: a piece of the range. */
static int read_large(struct sharc_found *f, struct sharc_span range, struct view_body *b, struct sharc_err *reterr)
{
    uint64_t from = 0, count = 0;
    bool known = is_whole(f) && f->size != UINT64_MAX && !sharc_found_get(f, "Content-Encoding").p;
    b->range = known && range.n ? sharc_range_read(range, f->size, &from, &count) : 0;
    SHARC_FAIL_IF(!b->range, reterr, SHARC_ELIMIT, "it has more than %u MiB, and was not asked for by ranges",
                  SHARC_LIMIT_VIEW_BODY >> 20);
    b->from = from;
    b->size = f->size;
    b->bytes.max = count < MOST_RANGE ? (size_t)count : MOST_RANGE;
    return b->range > 0 ? read_window(f, from, &b->bytes) : 0;
}

static int find_again(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_found **f,
                      struct sharc_err *reterr)
{
    sharc_found_free(SHARC_TAKE(*f));
    return sharc_find(e, w, f, reterr);
}

int sharc__view_body(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_span range,
                     struct sharc_found **ret, struct view_body *ret_body, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    struct view_body *b = ret_body;
    int r = sharc_find(e, w, &f, reterr);
    if (r < 0) return r;
    sharc_buf_init(&b->bytes, SHARC_LIMIT_VIEW_BODY);
    if (f->size != UINT64_MAX && f->size > SHARC_LIMIT_VIEW_BODY && !sharc_found_get(f, "Content-Encoding").p) {
        r = read_large(f, range, b, reterr);
        if (r == 0 && !sharc_found_intact(f))
            r = sharc_fail(reterr, SHARC_ECORRUPT, "the file was shortened while it was read");
        if (r == 0) *ret = SHARC_TAKE(f);
        return r;
    }
    r = sharc_record_read_all(&f->record, SHARC_WARC_CONTENT, &b->bytes, NULL);
    b->decoded = true;
    if (r < 0 && r != SHARC_ELIMIT && r != SHARC_ETRUNC && !b->bytes.n) {
        /* It claims a coding that it has not: a crawler has undone it. */
        if ((r = find_again(e, w, &f, reterr)) < 0) return r;
        r = sharc_record_read_all(&f->record, SHARC_WARC_PAYLOAD, &b->bytes, NULL);
    }
    SHARC_FAIL_IF(r == SHARC_ELIMIT, reterr, SHARC_ELIMIT, "it has more than %u MiB", SHARC_LIMIT_VIEW_BODY >> 20);
    SHARC_FAIL_IF(!sharc_found_intact(f), reterr, SHARC_ECORRUPT, "the file was shortened while it was read");
    b->cut = r < 0;
    if (is_whole(f) && !b->cut)
        cut_range(b, range);
    else
        b->size = b->bytes.n;
    *ret = SHARC_TAKE(f);
    return 0;
}
