/* SPDX-License-Identifier: Apache-2.0
 *
 * A corrected copy. Records are copied byte for byte; the one field that is
 * ever changed is a Content-Length that the block digest proves wrong.
 */
#include "verify_int.h"
#include "warc_int.h"

#include "write_int.h"

#include "sharc/base_limits.h"

#include <unistd.h>

/* Bytes that may be looked at to find lengths and to prove them, in all: a file made of
 * wrong lengths must not be read over and over. */
enum { READ_AGAIN = 8 };

/* Of a plain file in memory: the block's bytes if it went on up to the next
 * record, with its two empty lines taken off. Draws from the budget. */
static struct sharc_span block_to_next_record(const struct sharc_warc *w, uint64_t *budget)
{
    struct sharc_span all = sharc_span_from(w->in.src.all, (size_t)w->block_at);
    struct sharc_span rest = sharc_span_sub(all, 0, *budget < all.n ? (size_t)*budget : all.n);
    size_t end = sharc_span_search(rest, SHARC_SPAN("\r\n\r\nWARC/"));
    if (end == SHARC_NPOS && rest.n == all.n && sharc_span_ends(rest, SHARC_SPAN("\r\n\r\n"))) end = rest.n - 4;
    *budget -= end == SHARC_NPOS ? rest.n : end;
    return end == SHARC_NPOS || end > *budget ? SHARC_SPAN_NONE : sharc_span_sub(rest, 0, end);
}

static bool has_wrong_length(const struct sharc_warc *w, const struct sharc_record *rec)
{
    if (w->in.packing != SHARC_WARC_PLAIN || !w->in.src.memory || rec->arc) return false;
    struct sharc_span behind = sharc_span_from(w->in.src.all, (size_t)w->block_at);
    if (rec->block_size > behind.n) return true;
    behind = sharc_span_from(behind, (size_t)rec->block_size);
    return behind.n > 0 && behind.p[0] != '\r' && behind.p[0] != '\n';
}

/* The record's head with another Content-Length. */
static int put_head(struct sharc_buf *b, const struct sharc_record *rec, size_t size)
{
    sharc_buf_printf(b, "WARC/%u.%u\r\n", rec->version / 100, rec->version % 100);
    for (size_t i = 0; i < rec->count; i++) {
        const struct sharc_http_field *f = &rec->fields[i];
        if (sharc_span_ieq(f->name, SHARC_SPAN("Content-Length"))) continue;
        sharc_buf_put(b, f->name);
        sharc_buf_put_str(b, ": ");
        sharc_buf_put(b, f->value);
        sharc_buf_put_str(b, "\r\n");
    }
    return sharc_buf_printf(b, "Content-Length: %zu\r\n\r\n", size);
}

/* 1: the digest proves another size, and the record was copied with it. */
static int copy_corrected(struct sharc_warc_writer *out, struct sharc_warc *w, const struct sharc_record *rec,
                          uint64_t *budget, struct sharc_err *reterr)
{
    struct sharc_digest said, got;
    if (!has_wrong_length(w, rec) || !rec->block_digest.p || sharc_digest_parse(rec->block_digest, &said) < 0) return 0;
    struct sharc_span block = block_to_next_record(w, budget);
    if (!block.p) return 0;
    *budget -= block.n;
    sharc_digest_of(said.kind, block, &got);
    if (!sharc_digest_eq(&said, &got)) return 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(SHARC_LIMIT_WARC_HEADER * 2 + block.n);
    int r = put_head(&bytes, rec, block.n);
    if (r == 0) r = sharc_buf_put(&bytes, block);
    if (r == 0) r = sharc_buf_put(&bytes, SHARC_SPAN("\r\n\r\n"));
    if (r < 0) return sharc_buf_result(&bytes, reterr);
    /* Read back as a record of its own, so that there is one way to copy. */
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *one = NULL;
    struct sharc_record fixed;
    r = sharc_warc_open_bytes(sharc_buf_span(&bytes), NULL, &one, reterr);
    if (r == 0) r = sharc_warc_next(one, &fixed, reterr);
    if (r > 0) r = sharc_warc_write_copy(out, 0, &fixed, SHARC_SPAN_NONE, NULL, reterr);
    return r < 0 ? r : 1;
}

static bool is_ours_to_report(int code)
{
    return code == SHARC_EIO || code == SHARC_ENOSPC || code == SHARC_EACCESS || code == SHARC_EINVAL ||
           code == SHARC_EEXIST;
}

static int copy_all(struct sharc_warc *in, struct sharc_warc_writer *out, struct sharc_warc_repaired *done,
                    struct sharc_err *reterr)
{
    struct sharc_record rec;
    uint64_t budget = READ_AGAIN * (uint64_t)in->in.src.all.n;
    int r;
    while ((r = sharc_warc_next(in, &rec, reterr)) > 0) {
        r = copy_corrected(out, in, &rec, &budget, reterr);
        if (r > 0) done->corrected++;
        bool wrong = r == 0 && (in->lost || has_wrong_length(in, &rec));
        if (r == 0 && !wrong)
            r = sharc_warc_write_copy(out, 0, &rec, SHARC_SPAN_NONE, NULL, reterr) < 0 ? reterr->code : 1;
        if (r > 0)
            done->records++;
        else if (wrong || !is_ours_to_report(r))
            done->left_out++;
        else
            return r;
    }
    return r;
}

int sharc_warc_repair(const char *from, const char *to, struct sharc_warc_repaired *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *in = NULL;
    SHARC_AUTO(sharc_warc_writer_freep) struct sharc_warc_writer *out = NULL;
    struct sharc_warc_repaired done = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_writer_options o = {.path = to,
                                          .no_info = true,
                                          .plain = !sharc_span_ends(sharc_span_of(to), SHARC_SPAN(".gz"))};
    int r = sharc_warc_open(from, &(struct sharc_warc_options){.lenient = true}, &in, &err);
    if (r == 0) r = sharc_warc_writer_open(&o, &out, &err);
    if (r == 0) r = copy_all(in, out, &done, &err);
    if (r == 0) r = sharc_warc_writer_finish(out, &err);
    if (r < 0) {
        SHARC_AUTO(sharc_freep) char *half = sharc_asprintf("%s.open", to);
        if (out && out->fd >= 0) unlink(half);
        if (reterr) *reterr = err;
        return r;
    }
    done.damaged = sharc_warc_stats(in).damaged;
    *ret = done;
    return 0;
}
