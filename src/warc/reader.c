/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop over records. Its states are drawn in warc_int.h.
 */
#include "sharc/base_limits.h"
#include "sharc/warc_remote.h"
#include "warc_int.h"

#include <limits.h>
#include <stdlib.h>

enum { FIRST_LOOK = 4096, GO_BACK_MOST = 64 << 20 };

/* --- opening ------------------------------------------------------------- */

static struct sharc_warc *new_reader(const char *path, const struct sharc_warc_options *o)
{
    struct sharc_warc *w = SHARC_NEW(struct sharc_warc);
    if (o) w->o = *o;
    w->o.joined |= w->o.lenient;
    const char *name = w->o.name ? w->o.name : strcmp(path, "-") == 0 ? "standard input" : path;
    w->name = sharc_strdup(name);
    w->o.name = w->name;
    w->in.src.fd = -1;
    w->in.unit_end = true;
    w->carried_at = UINT64_MAX;
    sharc_buf_init(&w->head_copy, SHARC_LIMIT_WARC_HEADER + 128);
    sharc_buf_init(&w->http_copy, SHARC_LIMIT_HTTP_HEADER + 128);
    sharc_buf_init(&w->scratch, 4 * SHARC_LIMIT_WARC_HEADER);
    return w;
}

static int start(struct sharc_warc *w, int opened, struct sharc_warc **ret, struct sharc_err *reterr)
{
    int r = opened;
    struct sharc_err err = SHARC_ERR_INIT;
    if (r == 0 && (r = sharc__warc_unpack_start(&w->in, &err)) < 0)
        sharc__warc_fail(w, reterr, r, w->in.src.at, "%s", err.text);
    if (r < 0) {
        sharc_warc_close(w);
        return r;
    }
    *ret = w;
    return 0;
}

int sharc_warc_open(const char *path, const struct sharc_warc_options *o, struct sharc_warc **ret,
                    struct sharc_err *reterr)
{
    struct sharc_warc *w = new_reader(path, o);
    return start(w, sharc__warc_source_open(&w->in.src, path, w->o.offset, reterr), ret, reterr);
}

int sharc_warc_open_known(const char *name, const struct sharc_remote_facts *facts, const struct sharc_warc_options *o,
                          struct sharc_warc **ret, struct sharc_err *reterr)
{
    struct sharc_warc *w = new_reader(name, o);
    return start(w, sharc__warc_source_open_remote(&w->in.src, name, facts, w->o.offset, reterr), ret, reterr);
}

int sharc_warc_open_bytes(struct sharc_span bytes, const struct sharc_warc_options *o, struct sharc_warc **ret,
                          struct sharc_err *reterr)
{
    struct sharc_warc *w = new_reader("bytes in memory", o);
    return start(w, sharc__warc_source_open_bytes(&w->in.src, bytes, w->o.offset, reterr), ret, reterr);
}

void sharc_warc_close(struct sharc_warc *w)
{
    if (!w) return;
    sharc_http_body_free(w->body);
    sharc_http_done(&w->named);
    sharc_http_done(&w->http);
    sharc_buf_done(&w->head_copy);
    sharc_buf_done(&w->http_copy);
    sharc_buf_done(&w->scratch);
    sharc__warc_unpack_done(&w->in);
    free(w->name);
    free(w);
}

void sharc_warc_closep(struct sharc_warc **w)
{
    sharc_warc_close(*w);
    *w = NULL;
}

const char *sharc_warc_name(const struct sharc_warc *w)
{
    return w->name;
}

struct sharc_warc_stats sharc_warc_stats(const struct sharc_warc *w)
{
    struct sharc_warc_stats s = w->stats;
    s.bytes = w->in.src.at - w->o.offset;
    return s;
}

enum sharc_warc_packing sharc_warc_packing(const struct sharc_warc *w)
{
    return w->in.packing;
}

/* --- to the end of a record ---------------------------------------------- */

static const char *unit_name(const struct sharc_warc *w)
{
    return w->in.packing == SHARC_WARC_GZIP ? "gzip member" : "zstd frame";
}

/* The record goes on in the unit that was just begun. */
static void carry(struct sharc_warc *w)
{
    w->stats.joined++;
    w->carried_at = w->in.unit_at;
    w->carried_from = w->record_at;
}

/* A block goes on behind its unit's end: allowed when asked for, and only if
 * what follows is not the next record. */
static int cross(struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    if (u->packing == SHARC_WARC_PLAIN)
        return sharc__warc_fail(w, reterr, SHARC_ETRUNC, w->record_at,
                                "the file ends inside this record, %s missing" SHARC__CURE,
                                SHARC_COUNT(w->block_left, "byte is|bytes are"));
    if (!w->o.joined)
        return sharc__warc_fail(w, reterr, SHARC_ESYNTAX, w->record_at,
                                "the record is longer than its %s by %s" SHARC__CURE, unit_name(w),
                                SHARC_COUNT(w->block_left, "byte"));
    int r = sharc__warc_unpack_begin(u, reterr);
    if (r > 0) r = sharc__warc_unpack_fill(u, FIRST_LOOK, reterr) < 0 && u->n == 0 ? SHARC_ECORRUPT : 1;
    if (r > 0 && !sharc__warc_looks_like_record(sharc_span(u->p, u->n))) {
        carry(w);
        return 0;
    }
    return sharc__warc_fail(w, reterr, SHARC_ETRUNC, w->record_at, "%s of the record's end missing",
                            SHARC_COUNT(w->block_left, "byte is|bytes are"));
}

int sharc__warc_block_piece(struct sharc_warc *w, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    if (w->block_left == 0) return 0;
    while (u->n == 0) {
        struct sharc_err err = SHARC_ERR_INIT;
        int r = sharc__warc_unpack_fill(u, 1, &err);
        if (r < 0) return sharc__warc_fail(w, reterr, r, w->record_at, "in this record: %s" SHARC__CURE, err.text);
        if (u->n == 0 && (r = cross(w, reterr)) < 0) return r;
    }
    size_t n = u->n < w->block_left ? u->n : (size_t)w->block_left;
    *ret = sharc_span(u->p, n);
    sharc__warc_unpack_take(u, n);
    w->block_left -= n;
    return 1;
}

/* Line ends behind the block: their count of LF. */
static int line_ends(struct sharc_warc *w, unsigned most, unsigned *ret, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    *ret = 0;
    while (*ret < most) {
        int r = u->n > 0 ? 0 : sharc__warc_unpack_fill(u, 1, reterr);
        if (r < 0) return r;
        if (u->n == 0 || (u->p[0] != '\r' && u->p[0] != '\n')) break;
        *ret += u->p[0] == '\n';
        sharc__warc_unpack_take(u, 1);
    }
    return 0;
}

/* node-warc ends its records with one line end, others with none: the next one begins right behind. */
static bool next_is_record(struct sharc_warc *w)
{
    struct sharc__warc_unpack *u = &w->in;
    return sharc__warc_unpack_fill(u, 16, NULL) == 0 && sharc__warc_is_version_line(sharc_span(u->p, u->n));
}

static int pass_trailer(struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    struct sharc_err err = SHARC_ERR_INIT;
    unsigned found, want = w->arc ? 1 : 2;
    uint64_t here = u->packing == SHARC_WARC_PLAIN ? u->src.at : w->record_at;
    if (!w->arc && u->n >= 4 && memcmp(u->p, "\r\n\r\n", 4) == 0) {
        sharc__warc_unpack_take(u, 4);
        found = 2;
    } else {
        bool none = !w->arc && next_is_record(w);
        int r = line_ends(w, want, &found, &err);
        if (r < 0) return sharc__warc_fail(w, reterr, r, w->record_at, "after this record: %s" SHARC__CURE, err.text);
        bool next = none || (found == 1 && found < want && next_is_record(w));
        if (found < want && u->n > 0 && !w->lost && !next)
            return sharc__warc_fail(
                w, reterr, SHARC_ESYNTAX, here,
                "no empty line after the block of the record at %llu: its length is wrong" SHARC__CURE,
                (unsigned long long)w->record_at);
        if (found < want && !w->arc)
            sharc__warc_warn(w, next && !none ? HABIT_ONE_LINE_END : HABIT_NO_EMPTY_LINES, here);
    }
    w->ended_whole = found >= want;
    /* In a unit nothing but line ends may follow; in a plain file find() passes them. */
    int r = u->packing == SHARC_WARC_PLAIN ? 0 : line_ends(w, UINT_MAX, &found, &err);
    return r == 0 ? 0 : sharc__warc_fail(w, reterr, r, w->record_at, "after this record: %s" SHARC__CURE, err.text);
}

static int pass_block(struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc_span piece;
    int r;
    while ((r = sharc__warc_block_piece(w, &piece, reterr)) > 0) continue;
    return r;
}

int sharc__warc_pass_over(struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    struct sharc_err err = SHARC_ERR_INIT;
    if (w->state == INSIDE) {
        w->state = PASSED;
        w->passed = pass_block(w, &err);
        uint64_t end = u->src.at;
        if (w->passed == 0) w->passed = pass_trailer(w, &err);
        /* The file head of many ARCs does not count its own last line end. */
        if (w->arc_head && w->passed == 0 && u->n > 0 && u->p[0] == '\n') end++;
        if (u->packing == SHARC_WARC_PLAIN)
            w->length = end - w->record_at;
        else
            w->length = w->record_joined || u->n > 0 || !u->unit_end ? 0 : u->src.at - w->record_at;
        if (w->passed < 0) w->failure = err;
    }
    if (w->passed < 0 && reterr) *reterr = w->failure;
    return w->passed;
}

/* --- to the beginning of the next ---------------------------------------- */

/* Some writers fill the last block of a tape or disk with zeros. */
static bool only_zeros(struct sharc__warc_source *s)
{
    while (s->n > 0) {
        for (size_t i = 0; i < s->n; i++)
            if (s->p[i] != 0) return false;
        sharc__warc_source_take(s, s->n);
        if (sharc__warc_source_fill(s, 1, NULL) < 0) return false;
    }
    return true;
}

static int several_in_one(struct sharc_warc *w, struct sharc_err *reterr)
{
    if (!w->o.joined)
        return sharc__warc_fail(w, reterr, SHARC_ESYNTAX, w->in.unit_at,
                                "one %s holds several records, replay needs one each" SHARC__CURE, unit_name(w));
    sharc__warc_warn(w, HABIT_JOINED, w->in.unit_at);
    w->stats.joined++;
    return 0;
}

static int begin_unit(struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    struct sharc_err err = SHARC_ERR_INIT;
    u->n = 0;
    if (u->src.n > 0 && u->src.p[0] == 0 && only_zeros(&u->src)) {
        sharc__warc_warn(w, HABIT_ZEROS, u->src.at);
        return 0;
    }
    int r = sharc__warc_unpack_begin(u, &err);
    if (r < 0) return sharc__warc_fail(w, reterr, r, u->src.at, "%s" SHARC__CURE, err.text);
    return r;
}

/* Stand at the first byte of the next record: 1, or 0 at the end. */
static int find(struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    bool joined = u->packing != SHARC_WARC_PLAIN && u->n > 0;
    for (;;) {
        if (u->n == 0 && u->unit_end) {
            int r = begin_unit(w, reterr);
            if (r <= 0) return r;
            joined = false;
        }
        struct sharc_err err = SHARC_ERR_INIT;
        int r = sharc__warc_unpack_fill(u, 1, &err);
        if (r < 0) return sharc__warc_fail(w, reterr, r, u->unit_at, "%s" SHARC__CURE, err.text);
        if (u->n > 0 && u->p[0] != '\r' && u->p[0] != '\n') break;
        if (u->n > 0) sharc__warc_unpack_take(u, 1);
    }
    if (joined) {
        int r = several_in_one(w, reterr);
        if (r < 0) return r;
    }
    w->record_at = u->packing == SHARC_WARC_PLAIN ? u->src.at : u->unit_at;
    w->record_joined = joined;
    return 1;
}

/* Where the head ends in bytes that may move: a light scan, so that the real
 * parser runs once, on the copy. 0: not there yet. */
static size_t head_end(struct sharc_span s)
{
    bool arc = !sharc_span_starts(s, SHARC_SPAN("WARC/"));
    for (size_t i = 0; (i = sharc_span_find(s, '\n', i)) != SHARC_NPOS; i++) {
        if (arc) return i + 1;
        if (i + 1 < s.n && s.p[i + 1] == '\n') return i + 2;
        if (i + 2 < s.n && s.p[i + 1] == '\r' && s.p[i + 2] == '\n') return i + 3;
    }
    return 0;
}

/* The whole head at a place where it stays. */
static int gather_head(struct sharc_warc *w, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    if (sharc__warc_unpack_stable(u) && (!w->o.joined || u->packing == SHARC_WARC_PLAIN)) {
        *ret = sharc_span(u->p, u->n);
        return 0;
    }
    size_t end, want = FIRST_LOOK;
    for (;;) {
        int r = sharc__warc_unpack_fill(u, want, reterr);
        if (r < 0 && u->n == 0) return r;
        end = head_end(sharc_span(u->p, u->n));
        if (end > 0 || u->n >= SHARC_LIMIT_WARC_HEADER || r < 0) break;
        if (u->n < want && u->unit_end) {
            if (u->packing == SHARC_WARC_PLAIN || !w->o.joined || sharc__warc_unpack_begin(u, NULL) <= 0) break;
            carry(w);
            continue;
        }
        want = u->n * 2;
    }
    sharc_buf_clear(&w->head_copy);
    sharc_buf_put(&w->head_copy, sharc_span(u->p, end > 0                          ? end
                                                  : u->n < SHARC_LIMIT_WARC_HEADER ? u->n
                                                                                   : SHARC_LIMIT_WARC_HEADER));
    *ret = sharc_buf_span(&w->head_copy);
    return 0;
}

static void enter(struct sharc_warc *w, struct sharc_record *rec, size_t head_size)
{
    sharc__warc_unpack_take(&w->in, head_size);
    w->stats.records++;
    w->arc = rec->arc;
    w->arc_head = rec->arc && rec->type == SHARC_WARC_INFO;
    rec->offset = w->record_at;
    rec->joined = w->record_joined;
    w->block_at = w->in.src.at;
    w->block_left = rec->block_size;
    w->http_state = HTTP_UNKNOWN;
    w->head_left = 0;
    w->reading = false;
    sharc_http_body_free(w->body);
    w->body = NULL;
    w->state = INSIDE;
}

static int64_t parse_head(struct sharc_warc *w, struct sharc_span bytes, struct sharc_record *rec,
                          struct sharc_err *reterr)
{
    sharc_buf_clear(&w->scratch);
    *rec = (struct sharc_record){.date = SHARC_TIME_NONE, .reader = w};
    bool arc = !sharc_span_starts(bytes, SHARC_SPAN("WARC/"));
    return arc ? sharc__warc_arc_head(w, bytes, rec, reterr) : sharc__warc_head(w, bytes, rec, reterr);
}

static int read_head(struct sharc_warc *w, struct sharc_record *rec, struct sharc_err *reterr)
{
    struct sharc_span bytes;
    struct sharc_err err = SHARC_ERR_INIT;
    int64_t n = gather_head(w, &bytes, &err);
    bool was_lost = w->lost;
    size_t unwanted = n == 0 && w->o.types ? sharc__warc_glance(bytes, w->o.types, rec) : 0;
    if (unwanted > 0) {
        w->lost = false;
        enter(w, rec, unwanted);
        return 1; /* its type says that nobody wants it */
    }
    if (n == 0) {
        w->lost = false;
        n = parse_head(w, bytes, rec, &err);
    }
    if (n < 0) w->lost = was_lost;
    if (n < 0) return sharc__warc_fail(w, reterr, (int)n, w->record_at, "%s" SHARC__CURE, err.text);
    if (w->lost) {
        w->stats.damaged++;
        sharc__warc_warn(w, HABIT_NO_LENGTH, w->record_at);
    }
    enter(w, rec, (size_t)n);
    return 1;
}

/* --- after damage -------------------------------------------------------- */

/* Inside a unit that has more to give, the next record may still be there. */
static bool hunt_inside(struct sharc_warc *w, bool line_start)
{
    struct sharc__warc_unpack *u = &w->in;
    if (u->packing == SHARC_WARC_PLAIN || u->broken) return false;
    for (;;) {
        if (sharc__warc_unpack_fill(u, SHARC_LIMIT_URL, NULL) < 0 || u->n == 0) return false;
        if (line_start && sharc__warc_looks_like_record(sharc_span(u->p, u->n))) return true;
        size_t nl = sharc_span_find(sharc_span(u->p, u->n), '\n', 0);
        line_start = nl != SHARC_NPOS;
        sharc__warc_unpack_take(u, line_start ? nl + 1 : u->n);
    }
}

/* Going back to look inside a damaged unit must not make the whole quadratic:
 * altogether no more than a few times what was read. */
static bool may_go_back(struct sharc_warc *w, uint64_t bytes)
{
    w->gone_back += bytes;
    return w->gone_back <= GO_BACK_MOST + 4 * w->in.src.at;
}

/* 1: standing before a record, 0: there is none left. from: where the damage is
 * noticed; the next record may begin before it, inside a block that is too long. */
static int resume(struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc__warc_unpack *u = &w->in;
    uint64_t from = u->src.at, stood = u->src.at;
    bool inside = w->state == PASSED;
    if (!w->lost) {
        w->stats.damaged++;
        if (w->o.warn) w->o.warn(w->o.warn_arg, reterr);
    }
    w->lost = false;
    w->state = BETWEEN;
    if (u->packing == SHARC_WARC_PLAIN)
        from = inside ? w->block_at : w->record_at + 1;
    else if (u->broken && may_go_back(w, stood - u->unit_at))
        from = u->unit_at + 1;
    /* A record may begin right here only if it is not the one that failed. */
    if (hunt_inside(w, inside)) return 1;
    int r = sharc__warc_unpack_hunt(u, from, reterr);
    if (r >= 0 && u->src.at > stood) w->stats.skipped += u->src.at - stood;
    return r;
}

static int one_step(struct sharc_warc *w, struct sharc_record *rec, struct sharc_err *reterr)
{
    int r = w->state == BETWEEN ? 0 : sharc__warc_pass_over(w, reterr);
    if (r < 0) return r;
    w->state = BETWEEN;
    r = find(w, reterr);
    return r <= 0 ? r : read_head(w, rec, reterr);
}

int sharc_warc_next(struct sharc_warc *w, struct sharc_record *ret, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (w->state == FAILED) {
        if (reterr) *reterr = w->failure;
        return w->failure.code;
    }
    for (;;) {
        int r = one_step(w, ret, &err);
        if (r == 0) return 0;
        if (r > 0) {
            if (w->o.types == 0 || (w->o.types & SHARC_WARC_BIT(ret->type))) return 1;
            continue;
        }
        if (w->o.lenient && r != SHARC_EIO) r = resume(w, &err);
        if (r == 0) return 0;
        if (r < 0) {
            w->state = FAILED;
            w->failure = err;
            if (reterr) *reterr = err;
            return r;
        }
    }
}
