/* SPDX-License-Identifier: Apache-2.0
 *
 * One record's bytes into one member. Small records are gathered and packed in
 * one go, which is nearly twice as fast; large ones are streamed.
 */
#include "write_int.h"

#include <stdio.h>

enum { FLUSH_AT = 256 << 10 };

static int level_of(const struct sharc_warc_writer *w)
{
    return w->o.level > 0 ? w->o.level : 6;
}

void sharc__warc_member_begin(struct sharc_warc_writer *w, uint64_t size)
{
    sharc_buf_clear(&w->plain);
    sharc_buf_clear(&w->packed);
    w->streaming = size > WRITE_WHOLE;
    w->begun_at = w->written_to = w->at;
    if (!w->streaming || w->o.plain) return;
    if (!w->gzip) w->gzip = sharc_gzip_new(level_of(w));
    sharc_gzip_reset(w->gzip);
}

static int flush(struct sharc_warc_writer *w, struct sharc_buf *b, struct sharc_err *reterr)
{
    int r = w->sink ? sharc_buf_put(w->sink, sharc_buf_span(b))
                    : sharc__warc_file_append(w, w->written_to, sharc_buf_span(b), reterr);
    if (r < 0) return r;
    w->written_to += b->n;
    sharc_buf_clear(b);
    return 0;
}

/* The hint was too small: what was gathered is the beginning of the stream. */
static int begin_streaming(struct sharc_warc_writer *w)
{
    w->streaming = true;
    if (w->o.plain) return 0;
    if (!w->gzip) w->gzip = sharc_gzip_new(level_of(w));
    sharc_gzip_reset(w->gzip);
    int r = sharc_gzip_add(w->gzip, sharc_buf_span(&w->plain), false, &w->packed);
    sharc_buf_clear(&w->plain);
    return r;
}

int sharc__warc_member_add(struct sharc_warc_writer *w, struct sharc_span bytes, struct sharc_err *reterr)
{
    int r = 0;
    if (!w->streaming && w->plain.n + bytes.n > WRITE_WHOLE) r = begin_streaming(w);
    while (r == 0 && bytes.n > 0) {
        struct sharc_span step = sharc_span_sub(bytes, 0, FLUSH_AT);
        bytes = sharc_span_from(bytes, step.n);
        if (!w->streaming || w->o.plain)
            r = sharc_buf_put(&w->plain, step);
        else
            r = sharc_gzip_add(w->gzip, step, false, &w->packed);
        struct sharc_buf *full = w->o.plain ? &w->plain : &w->packed;
        if (r == 0 && w->streaming && full->n >= FLUSH_AT) r = flush(w, full, reterr);
        if (r == SHARC_ELIMIT) return sharc_fail(reterr, r, "%s: a record is too large to be packed", w->path);
    }
    return r;
}

static int pack_into_sink(struct sharc_warc_writer *w)
{
    size_t before = w->sink->n;
    int r = sharc_deflate_member(w->deflate, sharc_buf_span(&w->plain), w->sink);
    w->written_to += w->sink->n - before;
    return r;
}

int sharc__warc_member_end(struct sharc_warc_writer *w, struct sharc_warc_place *ret, struct sharc_err *reterr)
{
    int r = 0;
    if (!w->o.plain) {
        if (w->streaming)
            r = sharc_gzip_add(w->gzip, SHARC_SPAN_NONE, true, &w->packed);
        else if (w->sink)
            r = pack_into_sink(w);
        else
            r = sharc_deflate_member(w->deflate, sharc_buf_span(&w->plain), &w->packed);
        if (r < 0) return sharc_fail(reterr, r, "%s: a record is too large to be packed", w->path);
    }
    r = flush(w, w->o.plain ? &w->plain : &w->packed, reterr);
    if (r < 0) return r;
    snprintf(ret->file, sizeof ret->file, "%s", w->file);
    ret->offset = w->begun_at;
    ret->length = w->written_to - w->begun_at;
    w->at = w->written_to;
    return 0;
}

void sharc__warc_member_abandon(struct sharc_warc_writer *w)
{
    if (!w->sink) sharc__warc_file_take_back(w, w->begun_at);
}
