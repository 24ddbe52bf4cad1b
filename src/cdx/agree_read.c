/* SPDX-License-Identifier: Apache-2.0
 *
 * The two streams that agree.c compares: records and index lines, as entries of one sorter.
 */
#include "agree_int.h"

#include "cdx_int.h"
#include "from_record.h"
#include "sharc/base_codec.h"
#include "sharc/base_limits.h"
#include "sharc/base_pool.h"
#include "sharc/warc_own.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 256 << 10 };

struct putting { /* what one job writes down */
    struct agreeing *a;
    unsigned writer;
    char mark;
    size_t source;
    uint64_t line; /* number of the line at hand; of records as agree_int.h says */
    bool unsorted; /* told already */
    struct sharc_cdx_parser parser;
    struct sharc_buf text;   /* a line for the sorter */
    struct sharc_buf before; /* the line of the index before this one */
};

static void putting_done(struct putting *p)
{
    sharc_cdx_parser_done(&p->parser);
    sharc_buf_done(&p->text);
    sharc_buf_done(&p->before);
}

static void tell_line(struct putting *p, const char *text)
{
    sharc__cdx_agree_tell(p->a, &(struct sharc_disagreement){.index = p->source,
                                                             .line = p->line,
                                                             .archive = SHARC_NPOS,
                                                             .offset = SHARC_NOWHERE,
                                                             .text = text});
}

static void put_name(struct sharc_buf *b, struct sharc_span name)
{
    for (size_t i = 0; i < name.n; i++) {
        if ((unsigned char)name.p[i] <= ' ' || name.p[i] == '%')
            sharc_buf_printf(b, "%%%02X", (unsigned char)name.p[i]);
        else
            sharc_buf_put_char(b, name.p[i]);
    }
}

/* Only what is compared; that also bounds the line. */
static int put_entry(struct putting *p, const struct sharc_cdx *c, struct sharc_err *reterr)
{
    static const enum sharc_cdx_field kept[] = {SHARC_CDX_TIMESTAMP, SHARC_CDX_URL, SHARC_CDX_STATUS, SHARC_CDX_DIGEST,
                                                SHARC_CDX_LENGTH};
    struct sharc_cdx e = {.field[SHARC_CDX_KEY] = SHARC_SPAN("-")};
    struct sharc_span name = sharc__cdx_agree_name(p->a, c->field[SHARC_CDX_FILENAME]);
    uint64_t offset;
    if (!name.n || !sharc_cdx_number(c, SHARC_CDX_OFFSET, &offset)) {
        tell_line(p, "names no file or no offset");
        return 0;
    }
    for (size_t i = 0; i < SHARC_LENGTH(kept); i++) e.field[kept[i]] = c->field[kept[i]];
    sharc_buf_clear(&p->text);
    put_name(&p->text, name);
    sharc_buf_printf(&p->text, " %020" PRIu64 " %c %zu %" PRIu64 " ", offset, p->mark, p->source, p->line);
    if (sharc_cdx_write(&e, SHARC_CDXJ, &p->text) < 0) {
        if (p->mark == AGREE_LINE) tell_line(p, "is too long to be compared");
        return 0;
    }
    return sharc_sorter_put(p->a->sorter, p->writer, sharc_buf_span(&p->text), reterr);
}

/* --- archives -------------------------------------------------------------- */

static int put_record(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct putting *p = arg;
    struct sharc_cdx c;
    int r = sharc_cdx_parse(&p->parser, line, &c, reterr);
    return r > 0 ? put_entry(p, &c, reterr) : r;
}

static int read_archive(struct putting *p, const struct sharc_agree_archive *archive, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    SHARC_AUTO(sharc__cdx_maker_freep)
    struct cdx_maker *m =
        sharc__cdx_maker_new(&(struct cdx_maker_options){.plain_keys = true, .all = true, .controls = true});
    struct sharc_warc_options o = {.lenient = true, .types = sharc__cdx_maker_types(m), .name = archive->path};
    int r = archive->bytes.p ? sharc_warc_open_bytes(archive->bytes, &o, &w, reterr)
                             : sharc_warc_open(archive->path, &o, &w, reterr);
    if (r < 0) return r;
    struct sharc_record rec;
    sharc__cdx_maker_start(m, archive->name, put_record, p);
    while ((r = sharc_warc_next(w, &rec, reterr)) > 0) {
        p->line = sharc_record_is_control(&rec) || sharc_record_is_note(&rec) ? AGREE_NEEDS_NONE : 0;
        r = sharc__cdx_maker_take(m, &rec, reterr);
        bool of_record = r == SHARC_ETRUNC || r == SHARC_ECORRUPT || r == SHARC_ESYNTAX || r == SHARC_ELIMIT;
        if (r < 0 && !of_record) return r; /* a damaged record has no place in an index */
    }
    return r < 0 ? r : sharc__cdx_maker_finish(m, reterr);
}

/* --- indexes --------------------------------------------------------------- */

static void check_order(struct putting *p, struct sharc_span line)
{
    if (!p->unsorted && sharc_span_cmp(line, sharc_buf_span(&p->before)) < 0) {
        p->unsorted = true;
        tell_line(p, "is smaller than the line before it: the index is not sorted by bytes, look-ups will miss lines");
    }
    sharc_buf_clear(&p->before);
    sharc_buf_put(&p->before, line);
}

static int put_index_line(struct putting *p, struct sharc_span line, struct sharc_err *reterr)
{
    struct sharc_cdx c;
    struct sharc_err err = SHARC_ERR_INIT;
    p->line++;
    int r = sharc_cdx_parse(&p->parser, line, &c, &err);
    if (r < 0) tell_line(p, err.text);
    if (r <= 0) return 0;
    p->a->indexes[p->source].lines++;
    check_order(p, line);
    return put_entry(p, &c, reterr);
}

static int put_lines(struct putting *p, struct sharc_span lines, struct sharc_err *reterr)
{
    size_t next = 0;
    int r = 0;
    for (size_t at = 0; r == 0 && at < lines.n; at = next)
        r = put_index_line(p, sharc__cdx_line_at(lines, at, &next), reterr);
    return r;
}

struct feed { /* the bytes of an index, piece by piece */
    int fd;   /* -1: they are in memory */
    struct sharc_span bytes;
    char *window;
    const char *path;
    struct sharc_decoder *decoder; /* NULL: plain */
    struct sharc_buf text;         /* what is read and not yet a whole line */
    bool overlong;                 /* the rest of a line that is too long is passed over */
};

static void feed_done(struct feed *f)
{
    sharc_closep(&f->fd);
    sharc_freep(&f->window);
    sharc_decoder_free(f->decoder);
    sharc_buf_done(&f->text);
}

static int feed_failed(const struct feed *f, const char *what, struct sharc_err *reterr)
{
    int e = errno;
    return sharc_fail(reterr, sharc_error_from_errno(e), "%s: cannot %s: %s", f->path, what, strerror(e));
}

static int feed_open(struct feed *f, const struct sharc_agree_index *index, struct sharc_err *reterr)
{
    *f = (struct feed){.fd = -1,
                       .bytes = index->bytes,
                       .path = index->path,
                       .text = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE + 2 * PIECE)};
    if (index->bytes.p) return 0;
    f->window = sharc_malloc(PIECE);
    f->fd = open(index->path, O_RDONLY | O_CLOEXEC);
    return f->fd < 0 ? feed_failed(f, "open", reterr) : 0;
}

/* An empty piece is the end. */
static int next_piece(struct feed *f, struct sharc_span *ret, struct sharc_err *reterr)
{
    if (f->fd < 0) {
        *ret = sharc_span_sub(f->bytes, 0, PIECE);
        f->bytes = sharc_span_from(f->bytes, ret->n);
        return 0;
    }
    ssize_t got;
    do got = read(f->fd, f->window, PIECE);
    while (got < 0 && errno == EINTR);
    if (got < 0) return feed_failed(f, "read", reterr);
    *ret = sharc_span(f->window, (size_t)got);
    return 0;
}

/* The whole lines of what is there; the rest moves to the front. */
static int take_text(struct putting *p, struct feed *f, bool last, struct sharc_err *reterr)
{
    const char *newline = f->text.n ? memrchr(f->text.p, '\n', f->text.n) : NULL;
    size_t n = last ? f->text.n : newline ? (size_t)(newline - f->text.p) + 1 : 0;
    struct sharc_span whole = sharc_span(f->text.p, n);
    if (f->overlong && n) {
        size_t end = sharc_span_find(whole, '\n', 0);
        whole = sharc_span_from(whole, end == SHARC_NPOS ? n : end + 1);
        f->overlong = false;
    }
    int r = put_lines(p, whole, reterr);
    sharc_buf_splice(&f->text, 0, n, SHARC_SPAN_NONE);
    if (f->text.n <= SHARC_LIMIT_CDX_LINE) return r;
    if (!f->overlong) {
        p->line++;
        tell_line(p, "is longer than an index line may be");
    }
    f->overlong = true;
    sharc_buf_clear(&f->text);
    return r;
}

/* What is damaged ends the reading, and is told. */
static int unpack(struct putting *p, struct feed *f, struct sharc_span in, bool *ret_damaged, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (;;) {
        struct sharc_decode_step step;
        sharc_buf_reserve(&f->text, PIECE);
        if (sharc_decoder_step(f->decoder, in, f->text.p + f->text.n, PIECE, &step, &err) < 0) {
            *ret_damaged = true;
            tell_line(p, err.text);
            return 0;
        }
        if (!step.used && !step.made) return 0;
        in = sharc_span_from(in, step.used);
        f->text.n += step.made;
        f->text.p[f->text.n] = 0;
        int r = take_text(p, f, /* last= */ false, reterr);
        if (r < 0) return r;
    }
}

static int read_index(struct putting *p, struct feed *f, struct sharc_err *reterr)
{
    struct sharc_span piece;
    bool damaged = false;
    int r = next_piece(f, &piece, reterr);
    if (r == 0 && sharc_span_starts(piece, SHARC_SPAN("\x1f\x8b")))
        r = sharc_decoder_new(SHARC_GZIP, UINT64_MAX, &f->decoder, reterr);
    while (r == 0 && piece.n && !damaged) {
        if (f->decoder) {
            r = unpack(p, f, piece, &damaged, reterr);
        } else {
            sharc_buf_put(&f->text, piece);
            r = take_text(p, f, /* last= */ false, reterr);
        }
        if (r == 0) r = next_piece(f, &piece, reterr);
    }
    if (r == 0) r = take_text(p, f, /* last= */ true, reterr);
    if (r == 0 && f->decoder && !damaged && !sharc_decoder_at_end(f->decoder))
        tell_line(p, "the compressed index ends too early");
    return r;
}

/* --- jobs ------------------------------------------------------------------ */

static int read_one(struct agreeing *a, size_t i, unsigned thread, struct sharc_err *reterr)
{
    bool archive = i < a->count;
    SHARC_AUTO(putting_done)
    struct putting p = {.a = a,
                        .writer = thread,
                        .mark = archive ? AGREE_RECORD : AGREE_LINE,
                        .source = archive ? i : i - a->count,
                        .text = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE),
                        .before = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE)};
    sharc_cdx_parser_init(&p.parser);
    if (archive) return read_archive(&p, &a->archives[i], reterr);
    SHARC_AUTO(feed_done) struct feed f;
    int r = feed_open(&f, &a->indexes[p.source], reterr);
    return r < 0 ? r : read_index(&p, &f, reterr);
}

static int do_job(size_t i, unsigned thread, void *arg)
{
    struct agreeing *a = arg;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = read_one(a, i, thread, &err);
    if (r >= 0) return 0;
    pthread_mutex_lock(&a->lock);
    if (!a->failed) a->err = err;
    a->failed = true;
    pthread_mutex_unlock(&a->lock);
    return r;
}

int sharc__cdx_agree_read(struct agreeing *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(a->threads);
    int r = sharc_pool_each(pool, a->count + a->index_count, do_job, a);
    if (r < 0 && reterr) *reterr = a->err;
    return r;
}
