/* SPDX-License-Identifier: Apache-2.0
 *
 * A corrected copy. Records are copied byte for byte; the one field that is
 * ever changed is a Content-Length that the block digest proves wrong, and the one that
 * is ever added marks a record as doubtful.
 */
#include "warc_int.h"
#include "write_int.h"

#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/warc_verify.h"

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

struct repairing {
    const struct sharc_warc_repair_options *o;
    struct sharc_warc *in;
    struct sharc_warc_writer *out;
    struct sharc_map64 broken; /* members whose checksum is wrong */
    uint64_t budget;
    struct sharc_buf head;
    struct sharc_warc_repaired done;
};

/* --- what is left out ---------------------------------------------------------- */

/* The place stands apart: take "FILE: offset N: " and the cure off. */
static void tell(struct repairing *x, uint64_t offset, const char *text)
{
    x->done.left_out++;
    if (!x->o->left_out) return;
    struct sharc_err why = SHARC_ERR_INIT;
    const char *at = strstr(text, ": offset "), *colon = at ? strchr(at + 9, ':') : NULL;
    if (colon && colon[1] == ' ') text = colon + 2;
    const char *cure = strstr(text, SHARC__CURE);
    sharc_fail(&why, SHARC_ECORRUPT, "%.*s", cure ? (int)(cure - text) : (int)strlen(text), text);
    why.offset = offset;
    x->o->left_out(x->o->arg, &why);
}

/* From the reader: of a record that was entered the copy has told already. */
static void note_damage(void *arg, const struct sharc_err *what)
{
    struct repairing *x = arg;
    if (what->code < 0 && x->in->state != PASSED) tell(x, what->offset, what->text);
}

/* --- copying ------------------------------------------------------------------- */

/* 1: the digest proves another size, and the record was copied with it. */
static int copy_corrected(struct repairing *x, const struct sharc_record *rec, struct sharc_err *reterr)
{
    struct sharc_digest said, got;
    struct sharc_warc *w = x->in;
    if (!has_wrong_length(w, rec) || !rec->block_digest.p || sharc_digest_parse(rec->block_digest, &said) < 0) return 0;
    struct sharc_span block = block_to_next_record(w, &x->budget);
    if (!block.p) return 0;
    x->budget -= block.n;
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
    if (r > 0) r = sharc_warc_write_copy(x->out, 0, &fixed, SHARC_SPAN_NONE, NULL, reterr);
    if (r == 0) x->done.corrected++;
    return r < 0 ? r : 1;
}

/* The record's head with a line that says why it is in doubt. */
static struct sharc_span marked_head(struct repairing *x, const struct sharc_record *rec)
{
    struct sharc_span head = rec->head;
    if (head.n && head.p[head.n - 1] == '\n') head.n--;
    if (head.n && head.p[head.n - 1] == '\r') head.n--;
    sharc_buf_clear(&x->head);
    sharc_buf_put(&x->head, head);
    sharc_buf_put(&x->head,
                  SHARC_SPAN(SHARC_WARC_DOUBTFUL ": the checksum of its compressed member was wrong\r\n\r\n"));
    return sharc_buf_span(&x->head);
}

/* 1: copied; < 0: left out because of what reterr says, or our own trouble. */
static int copy_whole(struct repairing *x, struct sharc_record *rec, struct sharc_err *reterr)
{
    int broken = sharc__warc_broken_unit(&x->broken, rec);
    struct sharc_span head = SHARC_SPAN_NONE;
    if (x->in->lost || has_wrong_length(x->in, rec))
        return sharc_fail(reterr, SHARC_ESYNTAX, "the record's length is wrong, and no digest proves another");
    if (broken && broken != SHARC_ETRUNC && (!x->o->keep_doubtful || rec->arc))
        return sharc_fail(
            reterr, SHARC_ECORRUPT,
            "the checksum of its compressed member is wrong, or the member cannot be unpacked to its end");
    if (broken && x->o->keep_doubtful && !rec->arc) head = marked_head(x, rec);
    uint64_t before = x->out->doubtful;
    int r = sharc_warc_write_copy(x->out, 0, rec, head, NULL, reterr);
    if (r == 0) x->done.doubtful += head.p || x->out->doubtful > before;
    if (r == 0) x->done.uncovered += broken && !head.p;
    return r < 0 ? r : 1;
}

static bool is_ours_to_report(int code)
{
    return code == SHARC_EIO || code == SHARC_ENOSPC || code == SHARC_EACCESS || code == SHARC_EINVAL ||
           code == SHARC_EEXIST;
}

static int copy_all(struct repairing *x, struct sharc_err *reterr)
{
    struct sharc_record rec;
    int r;
    while ((r = sharc_warc_next(x->in, &rec, reterr)) > 0) {
        r = copy_corrected(x, &rec, reterr);
        if (r == 0) r = copy_whole(x, &rec, reterr);
        if (r > 0)
            x->done.records++;
        else if (is_ours_to_report(r))
            return r;
        else
            tell(x, rec.offset, reterr->text);
    }
    return r;
}

/* --- the call ------------------------------------------------------------------ */

static int survey(struct repairing *x, const char *from, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    int r = sharc_warc_open(from, &(struct sharc_warc_options){.lenient = true}, &w, reterr);
    return r < 0 ? r : sharc__warc_broken_units(w, &x->broken, reterr);
}

static int repair(struct repairing *x, const char *from, const char *to, struct sharc_err *reterr)
{
    struct sharc_warc_options in = {.lenient = true, .warn = note_damage, .warn_arg = x};
    struct sharc_warc_writer_options out = {.path = to,
                                            .no_info = true,
                                            .keep_doubtful = x->o->keep_doubtful,
                                            .plain = !sharc_span_ends(sharc_span_of(to), SHARC_SPAN(".gz"))};
    int r = survey(x, from, reterr);
    if (r == 0) r = sharc_warc_open(from, &in, &x->in, reterr);
    if (r == 0) r = sharc_warc_writer_open(&out, &x->out, reterr);
    if (r < 0) return r;
    x->budget = READ_AGAIN * (uint64_t)x->in->in.src.all.n;
    r = copy_all(x, reterr);
    if (r == 0 && x->done.records) r = sharc_warc_writer_finish(x->out, reterr);
    if (r == 0 && x->done.records) return 0;
    sharc__warc_file_discard(x->out);
    return r;
}

int sharc_warc_repair(const char *from, const char *to, const struct sharc_warc_repair_options *o,
                      struct sharc_warc_repaired *ret, struct sharc_err *reterr)
{
    static const struct sharc_warc_repair_options none = {.keep_doubtful = false};
    struct repairing x = {.o = o ? o : &none, .head = SHARC_BUF_INIT(2 * SHARC_LIMIT_WARC_HEADER)};
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_FAIL_IF(strcmp(from, "-") == 0, reterr, SHARC_EINVAL,
                  "standard input cannot be repaired: it must be read twice; save it to a file first");
    SHARC_FAIL_IF(sharc_remote_is(from), reterr, SHARC_EINVAL,
                  "%s: an object cannot be repaired in its place; copy it to a file first", from);
    sharc_map64_init(&x.broken);
    int r = repair(&x, from, to, &err);
    sharc_map64_done(&x.broken);
    sharc_buf_done(&x.head);
    sharc_warc_close(x.in);
    sharc_warc_writer_free(x.out);
    if (r == 0)
        *ret = x.done;
    else if (reterr)
        *reterr = err;
    return r;
}
