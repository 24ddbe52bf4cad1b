/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that was captured in pieces (206 answers to ranges, as players and PDF readers ask for them) as one. Pieces
 * belong together when they name the same total, the same validator (ETag, else Last-Modified) and the same type;
 * without a validator nobody knows, and each stays what it was. Ranges are answered from the pieces; all
 * of it as 200 when there is no gap, else as 206 as far as it goes from the beginning. What pieces there are is said.
 */
#include "coherence.h"
#include "find.h"

#include "sharc/base_arena.h"
#include "sharc/base_limits.h"

#include <stdlib.h>

enum { MOST_PIECES = 1000, MOST_LINES = 5000, MOST_TOLD = 20, MOST_HELD = 16 << 20 };

struct piece {
    uint64_t from, to; /* to: behind its last byte */
    struct sharc_span line;
    const struct serve_source *source;
};

struct joined {
    struct sharc_serve *server;
    const struct sharc_edition *edition;
    struct sharc_arena arena;
    struct piece *pieces; /* by their beginning, none inside another */
    size_t count, room;
    uint64_t total, held;
    struct sharc_span etag, modified, type;
    /* while it is sent */
    uint64_t at, end;
    struct sharc_found *now; /* the open piece */
    uint64_t skip;
    struct sharc_span rest;
    char bytes[32 << 10];
};

static void joined_free(struct joined *j)
{
    if (!j) return;
    sharc_found_free(j->now);
    sharc_arena_done(&j->arena);
    free(j->pieces);
    free(j);
}

static void joined_freep(struct joined **j)
{
    joined_free(*j);
}

/* --- which pieces there are ------------------------------------------------------------------- */

/* "bytes 0-99/1000" */
static bool read_content_range(struct sharc_span v, uint64_t *from, uint64_t *to, uint64_t *total)
{
    struct sharc_span unit = SHARC_SPAN("bytes");
    if (!sharc_span_istarts(v, unit)) return false;
    v = sharc_span_trim(sharc_span_from(v, unit.n));
    size_t dash = sharc_span_find(v, '-', 0), slash = sharc_span_find(v, '/', 0);
    if (dash == SHARC_NPOS || slash == SHARC_NPOS || dash > slash) return false;
    if (sharc_span_to_u64(sharc_span_sub(v, 0, dash), from) < 0 ||
        sharc_span_to_u64(sharc_span_sub(v, dash + 1, slash), to) < 0 ||
        sharc_span_to_u64(sharc_span_from(v, slash + 1), total) < 0)
        return false;
    return *from <= *to && *to < *total && ++*to;
}

static struct sharc_span kept(struct joined *j, const struct sharc_found *f, const char *name)
{
    return sharc_arena_copy(&j->arena, sharc_found_get(f, name));
}

static bool is_strong(struct sharc_span etag)
{
    return etag.n && !sharc_span_istarts(etag, SHARC_SPAN("W/"));
}

static bool belongs(const struct joined *j, const struct sharc_found *f, struct piece *ret)
{
    uint64_t total;
    if (f->status != 206 || sharc_found_get(f, "Content-Encoding").n ||
        !read_content_range(sharc_found_get(f, "Content-Range"), &ret->from, &ret->to, &total) || total != j->total)
        return false;
    if (f->size != ret->to - ret->from || !sharc_span_eq(f->type, j->type)) return false;
    if (is_strong(j->etag)) return sharc_span_eq(sharc_found_get(f, "ETag"), j->etag);
    return sharc_span_eq(sharc_found_get(f, "Last-Modified"), j->modified);
}

static int by_beginning(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to != y->to ? (x->to > y->to ? -1 : 1) : 0;
}

static void drop_covered(struct joined *j)
{
    size_t n = 0;
    uint64_t reached = 0;
    if (j->count) qsort(j->pieces, j->count, sizeof *j->pieces, by_beginning);
    for (size_t i = 0; i < j->count; i++) {
        if (j->pieces[i].to <= reached) continue;
        reached = j->pieces[i].to;
        j->pieces[n++] = j->pieces[i];
    }
    j->count = n;
}

static void gather(struct joined *j, struct sharc_span url)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = NULL;
    const struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT};
    struct serve_effort effort = sharc__serve_effort();
    struct sharc_cdx line;
    if (sharc_captures_ask(j->edition, &q, &c, NULL) < 0) return;
    for (unsigned n = 0; n < MOST_LINES && j->count < MOST_PIECES && sharc_captures_next(c, &line, NULL) > 0; n++) {
        SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
        const struct serve_source *source = sharc__serve_captures_source(c);
        struct piece p = {.source = source};
        struct sharc_span status = line.field[SHARC_CDX_STATUS];
        if (status.n && !sharc_span_is(status, "206") && !sharc_capture_is_revisit(&line)) continue;
        if (!line.json.p || sharc__serve_try(j->edition, source, &line, &effort, &f, NULL) < 0 || !belongs(j, f, &p))
            continue;
        p.line = sharc_arena_copy(&j->arena, line.line);
        if (!p.line.p) break;
        SHARC_GROW(j->pieces, j->room, j->count + 1);
        j->pieces[j->count++] = p;
    }
    drop_covered(j);
}

/* --- sending ------------------------------------------------------------------------------------ */

static struct piece *piece_at(const struct joined *j, uint64_t at)
{
    struct piece *best = NULL;
    for (size_t i = 0; i < j->count && j->pieces[i].from <= at; i++)
        if (j->pieces[i].to > at) best = &j->pieces[i];
    return best;
}

/* Where the bytes end that follow each other from here on. */
static uint64_t reach(const struct joined *j, uint64_t at)
{
    const struct piece *p;
    while ((p = piece_at(j, at))) at = p->to;
    return at;
}

static int open_piece(struct joined *j)
{
    struct sharc_cdx_parser parser;
    struct sharc_cdx line;
    struct serve_effort effort = sharc__serve_effort();
    const struct piece *p = piece_at(j, j->at);
    if (!p) return SHARC_ECORRUPT;
    sharc_found_freep(&j->now);
    sharc_cdx_parser_init(&parser);
    int r = sharc_cdx_parse(&parser, p->line, &line, NULL);
    r = r <= 0 ? SHARC_ECORRUPT : sharc__serve_try(j->edition, p->source, &line, &effort, &j->now, NULL);
    sharc_cdx_parser_done(&parser);
    j->skip = j->at - p->from;
    j->rest = SHARC_SPAN_NONE;
    return r;
}

static int pull_joined(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct joined *j = arg;
    if (j->at >= j->end) return 0;
    for (bool fresh = false; !j->rest.n;) {
        int r = j->now ? sharc_record_read(&j->now->record, SHARC_WARC_PAYLOAD, &j->rest, reterr) : 0;
        if (r < 0) return r;
        if (r == 0 && (fresh || open_piece(j) < 0)) return SHARC_ECORRUPT; /* it has less than it said */
        fresh |= r == 0;
        size_t n = j->skip < j->rest.n ? (size_t)j->skip : j->rest.n;
        j->rest = sharc_span_from(j->rest, n);
        j->skip -= n;
    }
    size_t n = j->rest.n < sizeof j->bytes ? j->rest.n : sizeof j->bytes;
    if (n > j->end - j->at) n = (size_t)(j->end - j->at);
    memcpy(j->bytes, j->rest.p, n);
    j->rest = sharc_span_from(j->rest, n);
    j->at += n;
    *ret = sharc_span(j->bytes, n);
    return sharc_found_intact(j->now) ? 1 : SHARC_ECORRUPT;
}

static void done_joined(void *arg)
{
    struct joined *j = arg;
    struct sharc_serve *s = j->server;
    const struct sharc_edition *e = j->edition;
    sharc__serve_unhold(s, j->held);
    joined_free(j);
    sharc_collection_release(s->o.collection, e);
}

/* "0-99, 500-999/1000": what was captured. */
static void say_pieces(struct serve_call *c, const struct joined *j)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    size_t told = 0;
    for (uint64_t at = 0; at < j->total && told < MOST_TOLD;) {
        uint64_t end = reach(j, at);
        if (end > at)
            sharc_buf_printf(&b, "%s%llu-%llu", told++ ? ", " : "bytes ", (unsigned long long)at,
                             (unsigned long long)end - 1);
        at = end;
        if (end < j->total) { /* to the next piece */
            uint64_t next = j->total;
            for (size_t i = 0; i < j->count; i++)
                if (j->pieces[i].from > end && j->pieces[i].from < next) next = j->pieces[i].from;
            at = next;
        }
    }
    sharc_buf_printf(&b, "%s/%llu", told == MOST_TOLD ? ", ..." : "", (unsigned long long)j->total);
    sharc__serve_header(c, reach(j, 0) == j->total ? "Sharc-Joined" : "Sharc-Partial", sharc_buf_span(&b));
}

static void send_status(struct serve_call *c, const struct joined *j, int status)
{
    sharc__serve_status(c, status);
    if (status == 206)
        sharc__serve_headerf(c, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)j->at,
                             (unsigned long long)j->end - 1, (unsigned long long)j->total);
    if (status == 416) sharc__serve_headerf(c, "Content-Range", "bytes */%llu", (unsigned long long)j->total);
}

static void send_joined(struct serve_call *c, struct joined **all)
{
    struct joined *j = *all;
    struct sharc_span range = sharc_http_request_header(c->request, "Range");
    uint64_t from = 0, count = j->total;
    int r = range.p && !sharc_http_request_header(c->request, "If-Range").p
                ? sharc_range_read(range, j->total, &from, &count)
                : 0;
    uint64_t end = reach(j, from);
    j->at = from;
    j->end = end < from + count ? end : from + count;
    sharc__serve_header(c, "Content-Type", j->type.n ? j->type : SHARC_SPAN("application/octet-stream"));
    sharc__serve_header(c, "Accept-Ranges", SHARC_SPAN("bytes"));
    say_pieces(c, j);
    if (r < 0 || j->end == from) {
        send_status(c, j, r < 0 ? 416 : 404); /* outside of it, or in a gap */
        sharc_http_answer_borrow(c->answer, SHARC_SPAN(""));
        c->size = 0;
        return;
    }
    j->held = j->total < MOST_HELD ? j->total : MOST_HELD;
    if (!sharc__serve_hold(c->server, j->held)) {
        sharc__serve_busy(c);
        return;
    }
    send_status(c, j, r > 0 || j->end < j->total ? 206 : 200);
    c->edition_kept = true;
    c->size = j->end - j->at;
    *all = NULL;
    sharc_http_answer_stream(c->answer, c->size, pull_joined, done_joined, j);
}

bool sharc__serve_joined(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f)
{
    uint64_t from, to, total;
    if (f->status != 206 || sharc_span_is(a->modifier, "id_") || !sharc_span_istarts(f->url, SHARC_SPAN("http")) ||
        !read_content_range(sharc_found_get(f, "Content-Range"), &from, &to, &total))
        return false;
    SHARC_AUTO(joined_freep) struct joined *j = SHARC_NEW(struct joined);
    j->server = c->server;
    j->edition = c->edition;
    j->total = total;
    sharc_arena_init(&j->arena, 16u << 20);
    j->etag = kept(j, f, "ETag");
    j->modified = kept(j, f, "Last-Modified");
    j->type = sharc_arena_copy(&j->arena, f->type);
    if (!is_strong(j->etag) && !j->modified.n) return false;
    gather(j, f->url);
    if (!piece_at(j, from)) return false;
    send_joined(c, &j);
    return true;
}
