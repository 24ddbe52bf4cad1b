/* SPDX-License-Identifier: Apache-2.0
 *
 * What all answers need.
 */
#include "call.h"
#include "serve_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void sharc__serve_status(struct serve_call *c, int status)
{
    c->status = status;
    sharc_http_answer_status(c->answer, status);
}

void sharc__serve_header(struct serve_call *c, const char *name, struct sharc_span value)
{
    sharc_http_answer_header(c->answer, name, value);
}

void sharc__serve_headerf(struct serve_call *c, const char *name, const char *fmt, ...)
{
    char *text;
    va_list args;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) return;
    sharc__serve_header(c, name, sharc_span(text, (size_t)n));
    free(text);
}

/* --- bodies --------------------------------------------------------------------------- */

bool sharc__serve_hold(struct sharc_serve *s, uint64_t bytes)
{
    uint64_t now = __atomic_add_fetch(&s->held, bytes, __ATOMIC_RELAXED);
    if (now <= s->o.memory) return true;
    sharc__serve_unhold(s, bytes);
    __atomic_add_fetch(&s->totals.refused, 1, __ATOMIC_RELAXED);
    return false;
}

void sharc__serve_unhold(struct sharc_serve *s, uint64_t bytes)
{
    __atomic_sub_fetch(&s->held, bytes, __ATOMIC_RELAXED);
}

/* A body in memory, counted while a client takes it. */
struct held_body {
    struct sharc_serve *server;
    char *bytes;
    size_t n;
    bool given;
};

static int pull_held(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    (void)reterr;
    struct held_body *b = arg;
    if (b->given) return 0;
    b->given = true;
    *ret = sharc_span(b->bytes, b->n);
    return 1;
}

static void done_held(void *arg)
{
    struct held_body *b = arg;
    sharc__serve_unhold(b->server, b->n);
    free(b->bytes);
    free(b);
}

enum { SMALL_BODY = 64 << 10 };

void sharc__serve_body(struct serve_call *c, struct sharc_buf *body)
{
    size_t n = body->n;
    c->size = n;
    if (n > SMALL_BODY && sharc__serve_hold(c->server, n)) {
        struct held_body *b = SHARC_NEW(struct held_body);
        *b = (struct held_body){c->server, sharc_buf_take(body), n, false};
        sharc_http_answer_stream(c->answer, n, pull_held, done_held, b);
        return;
    }
    if (n > SMALL_BODY) {
        sharc__serve_busy(c);
        return;
    }
    sharc_http_answer_take(c->answer, sharc_buf_take(body), n);
}

void sharc__serve_plain(struct serve_call *c, int status, const char *fmt, ...)
{
    SHARC_AUTO(sharc_freep) char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) text = sharc_strdup("?");
    sharc__serve_status(c, status);
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/plain; charset=utf-8"));
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(SMALL_BODY);
    sharc_buf_put_str(&body, text);
    sharc_buf_put_char(&body, '\n');
    sharc__serve_body(c, &body);
}

/* --- without the places of files ----------------------------------------------------------- */

static void put_last_parts(struct sharc_buf *out, struct sharc_span text, struct sharc_span path)
{
    struct sharc_span last = sharc__serve_last_part(path);
    for (size_t at; last.n && (at = sharc_span_search(text, path)) != SHARC_NPOS;) {
        sharc_buf_put(out, sharc_span_sub(text, 0, at));
        sharc_buf_put(out, last);
        text = sharc_span_from(text, at + path.n);
    }
    sharc_buf_put(out, text);
}

static void cut_path(struct sharc_buf *text, const char *path)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_span p = sharc_span_of(path);
    while (p.n > 1 && p.p[p.n - 1] == '/') p.n--;
    put_last_parts(&out, sharc_buf_span(text), p);
    sharc_buf_clear(text);
    sharc_buf_put(text, sharc_buf_span(&out));
}

/* Files that an archive has imported may lie anywhere: what looks like a path from the root is one. */
static void cut_absolute(struct sharc_buf *text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_span s = sharc_buf_span(text);
    for (size_t i = 0; i < s.n;) {
        bool begins = s.p[i] == '/' && (i == 0 || strchr(" \"'(", s.p[i - 1]));
        size_t end = i + 1;
        while (begins && end < s.n && !strchr(" \"':,;)", s.p[end])) end++;
        sharc_buf_put(&out, begins ? sharc__serve_last_part(sharc_span_sub(s, i, end)) : sharc_span_sub(s, i, end));
        i = end;
    }
    sharc_buf_clear(text);
    sharc_buf_put(text, sharc_buf_span(&out));
}

char *sharc__serve_without_paths(const struct serve_call *c, const char *text)
{
    const struct sharc_collection *k = c->edition->collection;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    sharc_buf_put_str(&out, text);
    for (size_t i = 0; i < k->path_count; i++) {
        SHARC_AUTO(sharc_freep) char *real = realpath(k->paths[i], NULL);
        cut_path(&out, k->paths[i]);
        if (real) cut_path(&out, real);
    }
    cut_absolute(&out);
    return out.failed ? sharc_strdup("something went wrong") : sharc_strdup(sharc_buf_str(&out));
}

void sharc__serve_failed(struct serve_call *c, int status, const struct sharc_err *err)
{
    SHARC_AUTO(sharc_freep) char *told = sharc__serve_without_paths(c, err->text);
    sharc__serve_plain(c, status, "%s", told);
}

void sharc__serve_busy(struct serve_call *c)
{
    sharc_http_answer_restart(c->answer);
    sharc__serve_header(c, "Retry-After", SHARC_SPAN("1"));
    sharc__serve_plain(c, 503, "This server has no memory left for this answer just now. Try again in a moment.");
}

void sharc__serve_shortened(struct serve_call *c)
{
    sharc_http_answer_restart(c->answer);
    sharc__serve_header(c, "Retry-After", SHARC_SPAN("60"));
    sharc__serve_plain(c, 503, "An archive file was shortened while it was read. It cannot be shown any more.");
}

void sharc__serve_redirect(struct serve_call *c, int status, const char *fmt, ...)
{
    char *text;
    va_list args;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) return;
    sharc__serve_status(c, status);
    sharc__serve_policy(c);
    sharc__serve_header(c, "Location", sharc_span(text, (size_t)n));
    sharc_http_answer_borrow(c->answer, SHARC_SPAN(""));
    c->size = 0;
    free(text);
}

void sharc__serve_cors(struct serve_call *c)
{
    if (!c->server->allow_origin) return;
    sharc__serve_header(c, "Access-Control-Allow-Origin", sharc_span_of(c->server->allow_origin));
    sharc__serve_header(c, "Access-Control-Expose-Headers",
                        SHARC_SPAN("Accept-Ranges, Content-Length, Content-Range, Link, Memento-Datetime"));
}

/* --- text ------------------------------------------------------------------------------- */

static void decode_parameter(struct sharc_span text, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    for (size_t i = 0; i < text.n; i++) {
        int high = text.p[i] == '%' && i + 2 < text.n ? sharc_hex_value(text.p[i + 1]) : -1;
        int low = high >= 0 ? sharc_hex_value(text.p[i + 2]) : -1;
        char ch = text.p[i] == '+' ? ' ' : text.p[i];
        if (low >= 0) {
            ch = (char)(high << 4 | low);
            i += 2;
        }
        sharc_buf_put_char(out, ch);
    }
}

bool sharc__serve_parameter(const struct serve_call *c, const char *name, size_t *at, struct sharc_buf *out)
{
    struct sharc_span rest = sharc_span_from(c->request->query, *at), pair;
    while (rest.n && sharc_span_next(&rest, '&', &pair)) {
        *at = (size_t)(pair.p + pair.n - c->request->query.p);
        if (*at < c->request->query.n) ++*at;
        size_t eq = sharc_span_find(pair, '=', 0);
        if (!sharc_span_is(sharc_span_sub(pair, 0, eq), name)) continue;
        decode_parameter(eq == SHARC_NPOS ? SHARC_SPAN("") : sharc_span_from(pair, eq + 1), out);
        return !out->failed;
    }
    return false;
}

void sharc__serve_put_url(struct sharc_buf *out, struct sharc_span url)
{
    for (size_t i = 0; i < url.n; i++) {
        unsigned char ch = (unsigned char)url.p[i];
        if (ch <= ' ' || ch >= 0x7f || strchr("<>\"\\^`{|}", ch))
            sharc_buf_printf(out, "%%%02X", ch);
        else
            sharc_buf_put_char(out, (char)ch);
    }
}

void sharc__serve_put_escaped(struct sharc_buf *out, struct sharc_span text)
{
    for (size_t i = 0; i < text.n; i++) {
        char ch = text.p[i];
        if (sharc_is_alnum(ch) || (ch && strchr("-._~", ch)))
            sharc_buf_put_char(out, ch);
        else
            sharc_buf_printf(out, "%%%02X", (unsigned char)ch);
    }
}
