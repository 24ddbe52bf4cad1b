/* SPDX-License-Identifier: Apache-2.0
 *
 * The server, asked over loopback.
 */
#include "client.h"
#include "serve_test.h"

#include "sharc/base_codec.h"
#include "sharc/base_rng.h"
#include "sharc/serve.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct story {
    char *dir;
    struct sharc_warc_writer *w;
    struct sharc_collection *c;
    struct sharc_serve *s;
    uint16_t pages, replay;
    struct sharc_buf log;
};

static int begin(void **state)
{
    struct story *s = SHARC_NEW(struct story);
    s->dir = test_mkdir();
    s->w = warc_begin(s->dir, "a.warc.gz");
    sharc_buf_init(&s->log, 64u << 20);
    *state = s;
    return 0;
}

static uint16_t port_of(const char *url)
{
    return (uint16_t)strtoul(strrchr(url, ':') + 1, NULL, 10);
}

static void note_line(void *arg, const char *line)
{
    struct story *s = arg;
    sharc_buf_put_str(&s->log, line);
    sharc_buf_put_char(&s->log, '\n');
}

static void serve_with(struct story *s, struct sharc_serve_options o)
{
    struct sharc_err err = SHARC_ERR_INIT;
    const char *path = s->dir;
    warc_end(SHARC_TAKE(s->w));
    must(sharc_collection_open(&path, 1, NULL, &s->c, &err), &err);
    o.collection = s->c;
    o.port = o.replay_port = 0;
    o.log = note_line;
    o.log_arg = s;
    must(sharc_serve_start(&o, &s->s, &err), &err);
    s->pages = port_of(sharc_serve_url(s->s));
    s->replay = port_of(sharc_serve_replay_url(s->s));
}

static void serve(struct story *s)
{
    serve_with(s, (struct sharc_serve_options)SHARC_SERVE_OPTIONS);
}

static int end(void **state)
{
    struct story *s = *state;
    sharc_serve_stop(s->s);
    sharc_collection_free(s->c);
    sharc_warc_writer_free(s->w);
    sharc_buf_done(&s->log);
    test_rmdir(s->dir);
    free(s);
    return 0;
}

/* --- asking ------------------------------------------------------------------------------ */

static char *get_with(uint16_t port, const char *target, const char *headers)
{
    SHARC_AUTO(sharc_freep)
    char *request =
        sharc_asprintf("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%s\r\n", target, port, headers);
    return client_ask(port, request);
}

static char *get(uint16_t port, const char *target)
{
    return get_with(port, target, "");
}

static int status_of(const char *answer)
{
    return strncmp(answer, "HTTP/1.1 ", 9) == 0 ? (int)strtol(answer + 9, NULL, 10) : -1;
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    return end ? end + 4 : "";
}

/* Is "\r\n" and this line in the head? */
static bool has_line(const char *answer, const char *line)
{
    SHARC_AUTO(sharc_freep) char *whole = sharc_asprintf("\r\n%s\r\n", line);
    const char *hit = strstr(answer, whole);
    return hit && hit < body_of(answer);
}

#define assert_line(answer, line)                                                        \
    do {                                                                                 \
        if (!has_line((answer), (line))) fail_msg("no \"%s\" in\n%s", (line), (answer)); \
    } while (0)
#define assert_no_header(answer, name)                                                        \
    do {                                                                                      \
        const char *hit_ = strcasestr((answer), "\r\n" name ":");                             \
        if (hit_ && hit_ < body_of(answer)) fail_msg("there is a %s in\n%s", name, (answer)); \
    } while (0)
#define assert_get(s, target, status, body)                          \
    do {                                                             \
        SHARC_AUTO(sharc_freep) char *a_ = get((s)->replay, target); \
        if (status_of(a_) != (status)) fail_msg("%s", a_);           \
        assert_string_equal(body_of(a_), (body));                    \
    } while (0)

#define REPLAY_CSP                                                                                             \
    "Content-Security-Policy: default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; " \
    "form-action 'self'; object-src 'self'"

/* --- raw replay ---------------------------------------------------------------------------- */

static void test_raw_is_byte_exact(void **state)
{
    struct story *s = *state;
    static const char page[] = "<a href=\"http://a.example/\">\xff\xfe\x01 \r\n</a><script src=//b.example/x></script>";
    warc_answer(s->w, 0, "http://a.example/p?q=1&r=%20",
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=\"http://a.example/\">\xff\xfe\x01 "
                "\r\n</a><script src=//b.example/x></script>");
    serve(s);
    assert_get(s, "/web/20261101100000id_/http://a.example/p?q=1&r=%20", 200, page);
    SHARC_AUTO(sharc_freep) char *a = get(s->replay, "/web/2026id_/http://a.example/p?q=1&r=%20");
    assert_int_equal(status_of(a), 302);
    assert_line(a, "Location: /web/20261101100000id_/http://a.example/p?q=1&r=%20");
    assert_line(a, REPLAY_CSP);
}

static void test_headers(void **state)
{
    struct story *s = *state;
    warc_answer(
        s->w, 0, "http://a.example/",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: id=1\r\nset-cookie2: x\r\n"
        "Content-Security-Policy: default-src 'none'\r\nContent-Security-Policy-Report-Only: report-uri "
        "http://a.example/r\r\n"
        "Strict-Transport-Security: max-age=9\r\nClear-Site-Data: \"*\"\r\nRefresh: 0; url=http://live.example/\r\n"
        "Link: <http://live.example/x>; rel=preload\r\nWWW-Authenticate: Basic realm=x\r\nService-Worker-Allowed: /\r\n"
        "Access-Control-Allow-Origin: *\r\nX-Odd: a\tb\r\nDate: Sun, 01 Nov 2026 10:00:00 GMT\r\nConnection: close\r\n"
        "Content-Disposition: inline\r\nETag: \"x\"\r\nVary: Cookie\r\nAlt-Svc: h3=\":443\"\r\n\r\nbody");
    serve(s);
    SHARC_AUTO(sharc_freep) char *a = get(s->replay, "/web/20261101100000id_/http://a.example/");
    assert_int_equal(status_of(a), 200);
    assert_string_equal(body_of(a), "body");
    assert_line(a, REPLAY_CSP);
    assert_line(a, "X-Archive-Orig-Set-Cookie: id=1");
    assert_line(a, "X-Archive-Orig-Content-Security-Policy: default-src 'none'");
    assert_line(a, "X-Archive-Orig-Link: <http://live.example/x>; rel=preload");
    assert_line(a, "X-Archive-Orig-X-Odd: a b");
    assert_line(a, "X-Archive-Orig-Date: Sun, 01 Nov 2026 10:00:00 GMT");
    assert_line(a, "Content-Type: text/plain");
    assert_line(a, "Content-Disposition: inline");
    assert_line(a, "Memento-Datetime: Sun, 01 Nov 2026 10:00:00 GMT");
    assert_no_header(a, "Set-Cookie");
    assert_no_header(a, "Set-Cookie2");
    assert_no_header(a, "Content-Security-Policy-Report-Only");
    assert_no_header(a, "Strict-Transport-Security");
    assert_no_header(a, "Clear-Site-Data");
    assert_no_header(a, "Refresh");
    assert_no_header(a, "WWW-Authenticate");
    assert_no_header(a, "Service-Worker-Allowed");
    assert_no_header(a, "Access-Control-Allow-Origin");
    assert_no_header(a, "ETag");
    assert_no_header(a, "Vary");
    assert_no_header(a, "Alt-Svc");
}

static void test_types_that_cannot_be_sent(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/",
                "HTTP/1.1 200 OK\r\nContent-Type: text/\x01plain\r\nX-Odd\x7f: x\r\n\r\n<script>");
    serve(s);
    SHARC_AUTO(sharc_freep) char *a = get(s->replay, "/web/20261101100000/http://a.example/");
    assert_int_equal(status_of(a), 200);
    assert_line(a, "Content-Type: application/octet-stream");
}

static void test_heads_that_do_not_fit(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc_buf_put_str(&b, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n");
    for (int i = 0; i < 900; i++) sharc_buf_printf(&b, "X-%d: %0100d\r\n", i, i);
    sharc_buf_put_str(&b, "\r\nbody");
    warc_answer(s->w, 0, "http://a.example/", sharc_buf_str(&b));
    serve(s);
    SHARC_AUTO(sharc_freep) char *a = get(s->replay, "/web/20261101100000id_/http://a.example/");
    assert_int_equal(status_of(a), 200);
    assert_string_equal(body_of(a), "body");
    assert_non_null(strstr(a, "\r\nSharc-Headers-Left-Out: "));
}

static void test_codings(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1u << 20), block = SHARC_BUF_INIT(1u << 20);
    struct sharc_deflate *d = sharc_deflate_new(6);
    sharc_deflate_member(d, SHARC_SPAN("<a href=/x>"), &packed);
    sharc_deflate_free(d);
    sharc_buf_put_str(&block, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n");
    sharc_buf_put(&block, sharc_buf_span(&packed));
    warc_bytes(s->w, 0, "http://a.example/gz", sharc_buf_span(&block));
    warc_answer(s->w, 0, "http://a.example/not",
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n<a href=/x>");
    warc_answer(s->w, 0, "http://a.example/ch",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: "
                "text/plain\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
    serve(s);
    SHARC_AUTO(sharc_freep) char *raw = get(s->replay, "/web/20261101100000id_/http://a.example/gz");
    assert_line(raw, "Content-Encoding: gzip");
    assert_memory_equal(body_of(raw), packed.p, packed.n);
    SHARC_AUTO(sharc_freep) char *page = get(s->replay, "/web/20261101100000/http://a.example/gz");
    assert_no_header(page, "Content-Encoding");
    assert_string_equal(body_of(page), "<a href=/web/20261101100000/http://a.example/x>");
    SHARC_AUTO(sharc_freep) char *wrong = get(s->replay, "/web/20261101100000id_/http://a.example/not");
    assert_no_header(wrong, "Content-Encoding");
    assert_line(wrong, "X-Archive-Orig-Content-Encoding: gzip");
    assert_string_equal(body_of(wrong), "<a href=/x>");
    assert_get(s, "/web/20261101100000/http://a.example/not", 200, "<a href=/web/20261101100000/http://a.example/x>");
    SHARC_AUTO(sharc_freep) char *chunked = get(s->replay, "/web/20261101100000id_/http://a.example/ch");
    assert_line(chunked, "Content-Length: 3");
    assert_string_equal(body_of(chunked), "abc");
}

static void test_ranges(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf large = SHARC_BUF_INIT(8u << 20);
    sharc_buf_put_str(&large, "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n");
    for (int i = 0; i < 600000; i++) sharc_buf_printf(&large, "%08d", i);
    warc_answer(s->w, 0, "http://a.example/small", "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n0123456789");
    warc_answer(s->w, 0, "http://a.example/large", sharc_buf_str(&large));
    warc_answer(s->w, 0, "http://a.example/gone", "HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n\r\n0123456789");
    serve(s);
    static const struct {
        const char *url, *range;
        int status;
        const char *line, *body;
    } rows[] = {
        {"small", "bytes=0-0", 206, "Content-Range: bytes 0-0/10", "0"},
        {"small", "bytes=2-4", 206, "Content-Range: bytes 2-4/10", "234"},
        {"small", "bytes=7-", 206, "Content-Range: bytes 7-9/10", "789"},
        {"small", "bytes=7-99", 206, "Content-Range: bytes 7-9/10", "789"},
        {"small", "bytes=-3", 206, "Content-Range: bytes 7-9/10", "789"},
        {"small", "bytes=-99", 206, "Content-Range: bytes 0-9/10", "0123456789"},
        {"small", "bytes=10-", 416, "Content-Range: bytes */10", ""},
        {"small", "bytes=-0", 416, "Content-Range: bytes */10", ""},
        {"small", "bytes=4-2", 200, "Accept-Ranges: bytes", "0123456789"},
        {"small", "bytes=0-1,4-5", 200, "Accept-Ranges: bytes", "0123456789"},
        {"small", "lines=0-1", 200, "Accept-Ranges: bytes", "0123456789"},
        {"small", "bytes=99999999999999999999-", 200, "Accept-Ranges: bytes", "0123456789"},
        {"large", "bytes=4000000-4000007", 206, "Content-Range: bytes 4000000-4000007/4800000", "00500000"},
        {"large", "bytes=4799992-", 206, "Content-Range: bytes 4799992-4799999/4800000", "00599999"},
        {"large", "bytes=4800000-", 416, "Content-Range: bytes */4800000", ""},
        {"gone", "bytes=2-4", 404, "Content-Length: 10", "0123456789"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep)
        char *target = sharc_asprintf("/web/20261101100000im_/http://a.example/%s", rows[i].url);
        SHARC_AUTO(sharc_freep) char *range = sharc_asprintf("Range: %s\r\n", rows[i].range);
        SHARC_AUTO(sharc_freep) char *a = get_with(s->replay, target, range);
        if (status_of(a) != rows[i].status) fail_msg("%s: %d", rows[i].range, status_of(a));
        assert_line(a, rows[i].line);
        assert_string_equal(body_of(a), rows[i].body);
    }
    SHARC_AUTO(sharc_freep)
    char *conditional =
        get_with(s->replay, "/web/20261101100000im_/http://a.example/small", "Range: bytes=1-2\r\nIf-Range: \"x\"\r\n");
    assert_int_equal(status_of(conditional), 200);
    SHARC_AUTO(sharc_freep) char *whole = get(s->replay, "/web/20261101100000im_/http://a.example/large");
    assert_int_equal(strlen(body_of(whole)), 4800000);
}

static void test_statuses(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/403", "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n\r\nno");
    warc_answer(s->w, 0, "http://a.example/500", "HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\n\r\noops");
    warc_answer(s->w, 0, "http://a.example/302", "HTTP/1.1 302 Found\r\nLocation: ../b/?c\r\n\r\n");
    warc_answer(s->w, 0, "http://a.example/off", "HTTP/1.1 301 Found\r\nLocation: https://b.example:8443/\r\n\r\n");
    serve(s);
    assert_get(s, "/web/20261101100000/http://a.example/403", 403, "no");
    assert_get(s, "/web/20261101100000/http://a.example/500", 500, "oops");
    SHARC_AUTO(sharc_freep) char *a = get(s->replay, "/web/20261101100000/http://a.example/302");
    assert_line(a, "Location: /web/20261101100000/http://a.example/b/?c");
    assert_line(a, "X-Archive-Orig-Location: ../b/?c");
    SHARC_AUTO(sharc_freep) char *b = get(s->replay, "/asof/20261231im_/http://a.example/off");
    assert_line(b, "Location: /asof/20261231im_/https://b.example:8443/");
    SHARC_AUTO(sharc_freep) char *none = get(s->replay, "/web/2026/http://a.example/absent");
    assert_int_equal(status_of(none), 404);
    assert_line(none, REPLAY_CSP);
    assert_no_header(none, "Memento-Datetime");
    SHARC_AUTO(sharc_freep) char *bad = get(s->replay, "/web/20269999/http://a.example/403");
    assert_int_equal(status_of(bad), 400);
}

/* --- rewritten replay ------------------------------------------------------------------------ */

static void test_rewriting(void **state)
{
    struct story *s = *state;
    warc_answer(
        s->w, 0, "http://a.example/d/p",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=windows-1252\r\n\r\n"
        "<meta http-equiv=content-security-policy content=x><a href=q>\xe4</a><img src=//b.example/i srcset='i 2x'>"
        "<script src=/s.js></script><iframe src=f></iframe><link rel=stylesheet href=c.css>"
        "<form action=\"http://a.example/post?a=b&amp;c\"></form><a href=\"javascript:x\">");
    warc_answer(s->w, 0, "http://a.example/c.css",
                "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n@import '/d.css'; a{background:url(i.png)}");
    warc_answer(s->w, 0, "http://a.example/x.js", "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\n\r\nx = '/a'");
    warc_answer(s->w, 0, "http://a.example/untyped", "HTTP/1.1 200 OK\r\n\r\n <a href=/x>");
    warc_answer(s->w, 0, "http://a.example/binary", "HTTP/1.1 200 OK\r\n\r\n\x89PNG <a href=/x>");
    serve(s);
#define T "/web/20261101100000"
    assert_get(s, T "/http://a.example/d/p", 200,
               "<meta data-http-equiv=content-security-policy content=x><a href=" T "/http://a.example/d/q>\xe4</a>"
               "<img src=" T "im_/http://b.example/i srcset='" T "im_/http://a.example/d/i 2x'>"
               "<script src=" T "js_/http://a.example/s.js></script><iframe src=" T "if_/http://a.example/d/f></iframe>"
               "<link rel=stylesheet href=" T "cs_/http://a.example/d/c.css>"
               "<form action=\"" T "/http://a.example/post?a=b&amp;c\"></form><a href=\"javascript:x\">");
    assert_get(s, T "cs_/http://a.example/c.css", 200,
               "@import '" T "cs_/http://a.example/d.css'; a{background:url(" T "im_/http://a.example/i.png)}");
    assert_get(s, T "js_/http://a.example/x.js", 200, "x = '/a'");
    assert_get(s, T "/http://a.example/untyped", 200, " <a href=" T "/http://a.example/x>");
    assert_get(s, T "/http://a.example/binary", 200, "\x89PNG <a href=/x>");
    SHARC_AUTO(sharc_freep) char *frame = get(s->replay, T "if_/http://a.example/untyped");
    assert_string_equal(body_of(frame), " <a href=" T "if_/http://a.example/x>");
    assert_line(frame, "Content-Type: text/html");
    SHARC_AUTO(sharc_freep) char *binary = get(s->replay, T "/http://a.example/binary");
    assert_line(binary, "Content-Type: application/octet-stream");
#undef T
}

static void test_mappings_stay(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "old <a href=x>");
    warc_answer(s->w, 100, "http://a.example/", HTML "new <a href=x>");
    serve(s);
    assert_get(s, "/asof/20261101100130/http://a.example/", 200,
               "old <a href=/asof/20261101100130/http://a.example/x>");
    assert_get(s, "/near/20261101100130/http://a.example/", 200,
               "new <a href=/near/20261101100130/http://a.example/x>");
    SHARC_AUTO(sharc_freep) char *before = get(s->replay, "/asof/20261101095959/http://a.example/");
    assert_int_equal(status_of(before), 404);
    SHARC_AUTO(sharc_freep) char *near = get(s->replay, "/near/20261101100130/http://a.example/");
    assert_no_header(near, "Memento-Datetime"); /* of another time than asked for */
    assert_non_null(strstr(near, "/web/20261101100140/http://a.example/>; rel=\"memento\""));
    SHARC_AUTO(sharc_freep) char *embed = get(s->replay, "/web/20261101100130im_/http://a.example/");
    assert_int_equal(status_of(embed), 200);
    SHARC_AUTO(sharc_freep) char *page = get(s->replay, "/web/20261101100130/http://a.example/");
    assert_line(page, "Location: /web/20261101100140/http://a.example/");
    SHARC_AUTO(sharc_freep) char *newest = get(s->replay, "/web/http://a.example/");
    assert_line(newest, "Location: /web/20261101100140/http://a.example/");
}

static void test_scripts_that_make_addresses(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    serve(s);
    SHARC_AUTO(sharc_freep)
    char *from = sharc_asprintf("Referer: http://127.0.0.1:%u/web/20261101100000/http://a.example/d/p?q\r\n"
                                "Sec-Fetch-Dest: image\r\n",
                                s->replay);
    SHARC_AUTO(sharc_freep) char *a = get_with(s->replay, "/img/x.png?y", from);
    assert_int_equal(status_of(a), 307);
    assert_line(a, "Location: /web/20261101100000im_/http://a.example/img/x.png?y");
    SHARC_AUTO(sharc_freep) char *none = get(s->replay, "/img/x.png");
    assert_int_equal(status_of(none), 404);
    assert_line(none, REPLAY_CSP);
    SHARC_AUTO(sharc_freep)
    char *alien = get_with(s->replay, "/x", "Referer: http://evil.example/web/2026/http://a.example/\r\n");
    assert_int_equal(status_of(alien), 404);
    SHARC_AUTO(sharc_freep)
    char *worker = get_with(s->replay, "/web/20261101100000/http://a.example/", "Service-Worker: script\r\n");
    assert_int_equal(status_of(worker), 403);
}

static char *send_form(uint16_t port, const char *target, const char *body)
{
    SHARC_AUTO(sharc_freep)
    char *request = sharc_asprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                   "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %zu\r\n\r\n%s",
                                   target, strlen(body), body);
    return client_ask(port, request);
}

static void test_posts(void **state)
{
    struct story *s = *state;
    warc_post(s->w, 0, "http://a.example/f",
              "POST /f HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nq=a+b&c=%26", HTML "found");
    serve(s);
    SHARC_AUTO(sharc_freep) char *a = send_form(s->replay, "/web/2026/http://a.example/f", "q=a+b&c=%26");
    assert_int_equal(status_of(a), 200);
    assert_string_equal(body_of(a), "found");
    SHARC_AUTO(sharc_freep) char *b = send_form(s->replay, "/web/2026/http://a.example/f", "q=other");
    assert_int_equal(status_of(b), 404);
    SHARC_AUTO(sharc_freep) char *c = send_form(s->pages, "/cdx?url=a", "x");
    assert_int_equal(status_of(c), 405);
    assert_line(c, "Allow: GET, HEAD");
}

/* --- Memento ---------------------------------------------------------------------------------- */

static void test_timegate(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "old");
    warc_answer(s->w, 100, "http://a.example/", HTML "new");
    serve(s);
    SHARC_AUTO(sharc_freep) char *newest = get(s->replay, "/timegate/http://a.example/");
    SHARC_AUTO(sharc_freep)
    char *where = sharc_asprintf("Location: http://127.0.0.1:%u/web/20261101100140/http://a.example/", s->replay);
    assert_int_equal(status_of(newest), 302);
    assert_line(newest, "Vary: accept-datetime");
    assert_line(newest, where);
    assert_no_header(newest, "Memento-Datetime");
    SHARC_AUTO(sharc_freep)
    char *old =
        get_with(s->replay, "/timegate/http://a.example/", "Accept-Datetime: Sun, 01 Nov 2026 10:00:10 GMT\r\n");
    assert_non_null(strstr(old, "/web/20261101100000/http://a.example/\r\n"));
    SHARC_AUTO(sharc_freep)
    char *bad = get_with(s->replay, "/timegate/http://a.example/", "Accept-Datetime: yesterday\r\n");
    assert_int_equal(status_of(bad), 400);
    assert_line(bad, "Vary: accept-datetime");
    SHARC_AUTO(sharc_freep) char *none = get(s->replay, "/timegate/http://b.example/");
    assert_int_equal(status_of(none), 404);
}

static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) n++;
    return n;
}

static void test_timemap_in_pages(void **state)
{
    struct story *s = *state;
    for (int i = 0; i < 1003; i++) warc_answer(s->w, i, "http://a.example/", HTML "x");
    serve(s);
    SHARC_AUTO(sharc_freep) char *first = get(s->replay, "/timemap/link/http://a.example/");
    assert_line(first, "Content-Type: application/link-format");
    assert_int_equal(count_of(body_of(first), "memento\"; datetime="), 1000);
    assert_int_equal(count_of(body_of(first), "rel=\"first memento\""), 1);
    assert_non_null(strstr(first, "/timemap/link/2/http://a.example/>; rel=\"timemap\""));
    SHARC_AUTO(sharc_freep) char *second = get(s->replay, "/timemap/link/2/http://a.example/");
    assert_int_equal(count_of(body_of(second), "memento\"; datetime="), 3);
    assert_null(strstr(second, "rel=\"timemap\""));
    SHARC_AUTO(sharc_freep) char *third = get(s->replay, "/timemap/link/3/http://a.example/");
    assert_int_equal(status_of(third), 404);
    SHARC_AUTO(sharc_freep) char *json = get(s->replay, "/timemap/json/2/http://a.example/");
    assert_int_equal(count_of(body_of(json), "\"datetime\""), 3);
    SHARC_AUTO(sharc_freep) char *cdxj = get(s->replay, "/timemap/cdxj/2/http://a.example/");
    assert_int_equal(count_of(body_of(cdxj), "example,a)/ 2026"), 3);
    SHARC_AUTO(sharc_freep) char *odd = get(s->replay, "/timemap/xml/http://a.example/");
    assert_int_equal(status_of(odd), 404);
}

/* --- pages, index, files ------------------------------------------------------------------------ */

static void test_pages(void **state)
{
    struct story *s = *state;
    struct sharc_warc_place one = warc_answer(s->w, 0, "http://a.example/<b>?x&y", HTML "x");
    char digest[SHARC_DIGEST_TEXT];
    warc_revisit(s->w, 90,
                 &(struct revisit){"http://a.example/<b>?x&y", HTML, sharc_digest_text(&one.payload, digest)});
    warc_answer(s->w, 0, "http://b.example/", HTML "x");
    serve(s);
    SHARC_AUTO(sharc_freep) char *start = get(s->pages, "/");
    assert_int_equal(status_of(start), 200);
    assert_line(start, "X-Content-Type-Options: nosniff");
    SHARC_AUTO(sharc_freep) char *calendar = get(s->pages, "/web/*/http://a.example/%3Cb%3E?x&y");
    assert_int_equal(status_of(calendar), 200);
    assert_non_null(strstr(calendar, "2 captures, 1 of them unchanged"));
    assert_non_null(strstr(calendar, "unchanged</span>: a revisit"));
    assert_null(strstr(calendar, "<b>"));
    SHARC_AUTO(sharc_freep) char *list = get(s->pages, "/web/*/*");
    assert_int_equal(count_of(list, "<tr><td class=wide>"), 2);
    SHARC_AUTO(sharc_freep) char *below = get(s->pages, "/web/*/http://a.example/*");
    assert_int_equal(count_of(below, "<tr><td class=wide>"), 1);
    SHARC_AUTO(sharc_freep) char *domain = get(s->pages, "/web/*/*.example");
    assert_int_equal(count_of(domain, "<tr><td class=wide>"), 2);
    SHARC_AUTO(sharc_freep) char *search = get(s->pages, "/search?url=+http%3A%2F%2Fb.example%2F%0d%0aX:y");
    assert_line(search, "Location: /web/*/http://b.example/%0D%0AX:y");
    SHARC_AUTO(sharc_freep) char *over = get(s->pages, "/web/2026/http://b.example/");
    assert_int_equal(status_of(over), 307);
    SHARC_AUTO(sharc_freep) char *back = get(s->replay, "/web/*/http://b.example/");
    assert_int_equal(status_of(back), 302);
    static const char *const plain[] = {"/metrics",
                                        "/style.css",
                                        "/robots.txt",
                                        "/files/",
                                        "/calendar/2026/http://b.example/",
                                        "/list/1/http://b.example/*"};
    for (size_t i = 0; i < SHARC_LENGTH(plain); i++) {
        SHARC_AUTO(sharc_freep) char *a = get(s->pages, plain[i]);
        if (status_of(a) != 200) fail_msg("%s: %s", plain[i], a);
        assert_non_null(strstr(a, "\r\nContent-Security-Policy: default-src 'none'"));
    }
    SHARC_AUTO(sharc_freep) char *none = get(s->pages, "/nothing");
    assert_int_equal(status_of(none), 404);
}

static void test_view(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/",
                HTML "<a href=x>x</a><a href=#y><iframe name=f src=i></iframe><a target=f href=z>");
    warc_answer(s->w, 100, "http://a.example/", HTML "new");
    warc_answer(s->w, 0, "http://a.example/to", "HTTP/1.1 302 Found\r\nLocation: /?a&b\r\n\r\n");
    serve(s);
    SHARC_AUTO(sharc_freep) char *near = get(s->pages, "/view/web/2026/http://a.example/");
    assert_line(near, "Location: /view/web/20261101100000/http://a.example/");
    SHARC_AUTO(sharc_freep) char *bar = get(s->pages, "/view/web/20261101100000/http://a.example/");
    assert_int_equal(status_of(bar), 200);
    assert_non_null(strstr(bar, "no earlier capture"));
    assert_non_null(strstr(bar, "href=\"/view/web/20261101100140/http://a.example/\">later: 2026-11-01 10:01:40"));
    SHARC_AUTO(sharc_freep)
    char *policy =
        sharc_asprintf("Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; frame-src "
                       "http://127.0.0.1:%u; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
                       s->replay);
    assert_line(bar, policy);
    assert_no_header(bar, "Memento-Datetime");
    SHARC_AUTO(sharc_freep) char *frame = get(s->replay, "/web/20261101100000mp_/http://a.example/");
    SHARC_AUTO(sharc_freep)
    char *want = sharc_asprintf(
        "<a target=\"_top\" href=http://127.0.0.1:%u/view/web/20261101100000/http://a.example/x>x</a><a href=#y>"
        "<iframe name=f src=/web/20261101100000if_/http://a.example/i></iframe>"
        "<a target=f href=/web/20261101100000if_/http://a.example/z>",
        s->pages);
    assert_string_equal(body_of(frame), want);
    SHARC_AUTO(sharc_freep) char *moved = get(s->pages, "/view/asof/20261101100130/http://a.example/to");
    assert_line(moved, "Location: /view/asof/20261101100130/http://a.example/?a&b");
    SHARC_AUTO(sharc_freep) char *none = get(s->pages, "/view/web/2026/http://b.example/");
    assert_int_equal(status_of(none), 404);
    SHARC_AUTO(sharc_freep) char *form = send_form(s->pages, "/view/web/2026/http://a.example/", "q=1");
    assert_int_equal(status_of(form), 307);
    static const char *const nothing[] = {"/view/", "/view/web", "/view/web/*/http://a.example/",
                                          "/view/x/2026/http://a.example/"};
    for (size_t i = 0; i < SHARC_LENGTH(nothing); i++) {
        SHARC_AUTO(sharc_freep) char *a = get(s->pages, nothing[i]);
        if (status_of(a) != 404) fail_msg("%s: %s", nothing[i], a);
    }
}

static void test_cdx(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    warc_answer(s->w, 1, "http://a.example/b", "HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n\r\n");
    warc_answer(s->w, 100, "http://a.example/", HTML "y");
    warc_answer(s->w, 0, "http://c.example/", HTML "x");
    serve(s);
    static const struct {
        const char *query;
        int status;
        const char *body;
    } rows[] = {
        {"url=http://a.example/&fl=timestamp", 200, "20261101100000\n20261101100140\n"},
        {"url=http%3A%2F%2Fa.example%2F&fields=timestamp,status&sort=reverse", 200,
         "20261101100140 200\n20261101100000 200\n"},
        {"url=a.example/&closest=20261101100130&fl=timestamp&limit=1", 200, "20261101100140\n"},
        {"url=a.example/&fl=timestamp&from=202611011001", 200, "20261101100140\n"},
        {"url=a.example/&fl=timestamp&to=202611011000", 200, "20261101100000\n"},
        {"url=a.example/*&fl=url,nothing&filter==status:404", 200, "http://a.example/b -\n"},
        {"url=a.example&matchType=host&fl=url&filter=!status:404&filter=~url:.*a.*", 200,
         "http://a.example/\nhttp://a.example/\n"},
        {"url=example&matchType=domain&fl=url&page=1&pageSize=2", 200, "http://a.example/b\nhttp://c.example/\n"},
        {"url=example&matchType=domain&fl=url&page=9&pageSize=2", 200, ""},
        {"url=a.example/&fl=timestamp&collapseTime=10", 200, "20261101100000\n"},
        {"url=a.example/&output=json&fl=url,status&limit=1", 200,
         "{\"url\":\"http://a.example/\",\"status\":\"200\"}\n"},
        {"url=nothing.example/", 200, ""},
        {"", 400, NULL},
        {"url=a.example/&sort=sideways", 400, NULL},
        {"url=a.example/&limit=x", 400, NULL},
        {"url=a.example/&from=yesterday", 400, NULL},
        {"url=a.example/&filter=~status:(", 400, NULL},
        {"url=a.example/*&sort=closest&closest=2026", 400, NULL},
        {"url=a.example/&page=1&pageSize=0", 400, NULL},
        {"url=a.example/&showNumPages=true", 501, NULL},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep) char *target = sharc_asprintf("/cdx?%s", rows[i].query);
        SHARC_AUTO(sharc_freep) char *request = sharc_asprintf("GET %s HTTP/1.0\r\n\r\n", target); /* not chunked */
        SHARC_AUTO(sharc_freep) char *a = client_ask(s->pages, request);
        if (strtol(a + 9, NULL, 10) != rows[i].status) fail_msg("%s: %s", rows[i].query, a);
        if (rows[i].body && strcmp(body_of(a), rows[i].body) != 0) fail_msg("%s: %s", rows[i].query, a);
    }
}

static void test_files(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    struct sharc_serve_options o = SHARC_SERVE_OPTIONS;
    o.allow_origin = "https://replayweb.page";
    serve_with(s, o);
    SHARC_AUTO(sharc_freep) char *a = get_with(s->pages, "/files/a.warc.gz", "Range: bytes=0-1\r\n");
    assert_int_equal(status_of(a), 206);
    assert_memory_equal(body_of(a), "\x1f\x8b", 2);
    assert_line(a, "Access-Control-Allow-Origin: https://replayweb.page");
    static const char *const outside[] = {"/files/../a.warc.gz",
                                          "/files/%2e%2e/a.warc.gz",
                                          "/files//etc/passwd",
                                          "/files/..%2f..%2fetc%2fpasswd",
                                          "/files/.",
                                          "/files/b.warc.gz"};
    for (size_t i = 0; i < SHARC_LENGTH(outside); i++) {
        SHARC_AUTO(sharc_freep) char *none = get(s->pages, outside[i]);
        if (status_of(none) != 404) fail_msg("%s: %s", outside[i], none);
    }
}

/* --- attacks -------------------------------------------------------------------------------------- */

static void test_hosts(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    serve(s);
    static const struct {
        const char *host;
        int status;
    } rows[] = {{"localhost:99", 200},
                {"127.0.0.1", 200},
                {"127.9.9.9:1", 200},
                {"[::1]:80", 200},
                {"evil.example", 421},
                {"127.0.0.1.evil.example", 421},
                {"localhost.evil.example", 421},
                {"a\"b", 421},
                {"", 421}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep)
        char *request = sharc_asprintf("GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", rows[i].host);
        SHARC_AUTO(sharc_freep) char *a = client_ask(s->pages, request);
        if (status_of(a) != rows[i].status) fail_msg("%s: %s", rows[i].host, a);
    }
}

static void test_behind_a_proxy(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    struct sharc_serve_options o = SHARC_SERVE_OPTIONS;
    o.public_url = "https://archive.example.org/";
    o.public_replay_url = "https://replay.example.org:8443";
    serve_with(s, o);
    static const char ask[] =
        "GET /timegate/http://a.example/ HTTP/1.1\r\nHost: replay.example.org:8443\r\nConnection: close\r\n\r\n";
    SHARC_AUTO(sharc_freep) char *a = client_ask(s->replay, ask);
    assert_line(a, "Location: https://replay.example.org:8443/web/20261101100000/http://a.example/");
    static const char over[] =
        "GET /web/2026/http://a.example/ HTTP/1.1\r\nHost: archive.example.org\r\nConnection: close\r\n\r\n";
    SHARC_AUTO(sharc_freep) char *b = client_ask(s->pages, over);
    assert_line(b, "Location: https://replay.example.org:8443/web/2026/http://a.example/");
    SHARC_AUTO(sharc_freep)
    char *from = get_with(s->replay, "/x.png",
                          "Referer: https://replay.example.org:8443/web/20261101100000/http://a.example/\r\n");
    assert_line(from, "Location: /web/20261101100000oe_/http://a.example/x.png");
    static const char evil[] = "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    SHARC_AUTO(sharc_freep) char *c = client_ask(s->pages, evil);
    assert_int_equal(status_of(c), 421);
}

/* What a client can send that is no request, and requests whose addresses make no sense. */
static void test_malformed_requests(void **state)
{
    struct story *s = *state;
    static const char *const pieces[] = {"GET ",
                                         "POST ",
                                         "/web/",
                                         "2026",
                                         "*",
                                         "id_",
                                         "/",
                                         "http://a.example/",
                                         "%",
                                         "%00",
                                         "%zz",
                                         " HTTP/1.1",
                                         "\r\n",
                                         "\r\n\r\n",
                                         "Host: 127.0.0.1\r\n",
                                         "Range: bytes=",
                                         "-",
                                         "9999999999999999999",
                                         "Accept-Datetime: ",
                                         "/timemap/link/",
                                         "/timegate/",
                                         "/cdx?url=",
                                         "&filter=~url:(((",
                                         "/files/",
                                         "/calendar/",
                                         "/list/",
                                         "\xff",
                                         "Transfer-Encoding: chunked\r\n",
                                         "Content-Length: -1\r\n",
                                         "?",
                                         "asof",
                                         "near",
                                         "\t",
                                         ":"};
    warc_answer(s->w, 0, "http://a.example/", HTML "still here");
    serve(s);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 15);
    for (int i = 0; i < 10000; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
        if (i % 3 == 0) sharc_buf_put_str(&b, "GET /");
        for (uint64_t n = sharc_rng_below(&rng, 12); n > 0; n--)
            sharc_buf_put_str(&b, pieces[sharc_rng_below(&rng, SHARC_LENGTH(pieces))]);
        if (i % 2) sharc_buf_put_str(&b, " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        int fd = client_dial(i % 2 ? s->replay : s->pages);
        client_send(fd, sharc_buf_str(&b), b.n);
        shutdown(fd, SHUT_WR);
        char some[256];
        while (recv(fd, some, sizeof some, 0) > 0) {
        }
        close(fd);
    }
    assert_get(s, "/web/20261101100000/http://a.example/", 200, "still here");
}

static void test_slow_clients_block_nobody(void **state)
{
    struct story *s = *state;
    enum { SLOW = 200 };
    int fds[SLOW];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf large = SHARC_BUF_INIT(8u << 20);
    sharc_buf_put_str(&large, "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n");
    for (int i = 0; i < 500000; i++) sharc_buf_printf(&large, "%08d", i);
    warc_answer(s->w, 0, "http://a.example/large", sharc_buf_str(&large));
    warc_answer(s->w, 0, "http://a.example/", HTML "quick");
    serve(s);
    for (int i = 0; i < SLOW; i++) {
        fds[i] = client_dial(s->replay);
        const char *half = "GET /web/20261101100000im_/http://a.exam";
        const char *whole = "GET /web/20261101100000im_/http://a.example/large HTTP/1.1\r\nHost: localhost\r\n\r\n";
        const char *text = i % 2 ? half : whole; /* that never ends, or whose answer nobody reads */
        client_send(fds[i], text, strlen(text));
    }
    for (int i = 0; i < 20; i++) assert_get(s, "/web/20261101100000/http://a.example/", 200, "quick");
    for (int i = 0; i < SLOW; i++) close(fds[i]);
}

static void test_memory_is_bounded(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf large = SHARC_BUF_INIT(8u << 20);
    sharc_buf_put_str(&large, "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n");
    for (int i = 0; i < 100000; i++) sharc_buf_printf(&large, "%08d", i);
    warc_answer(s->w, 0, "http://a.example/large", sharc_buf_str(&large));
    warc_answer(s->w, 0, "http://a.example/", HTML "small");
    struct sharc_serve_options o = SHARC_SERVE_OPTIONS;
    o.memory = 700000;
    serve_with(s, o);
    SHARC_AUTO(sharc_freep) char *a = get(s->replay, "/web/20261101100000im_/http://a.example/large");
    assert_int_equal(status_of(a), 503);
    assert_line(a, "Retry-After: 1");
    assert_line(a, REPLAY_CSP);
    assert_get(s, "/web/20261101100000/http://a.example/", 200, "small");
    assert_int_equal(sharc_serve_totals(s->s).refused, 1);
}

static void test_log(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    serve(s);
    free(get(s->replay, "/web/20261101100000/http://a.example/\"x"));
    free(get(s->pages, "/"));
    sharc_serve_stop(SHARC_TAKE(s->s));
    assert_int_equal(count_of(sharc_buf_str(&s->log), "\n"), 2);
    assert_non_null(strstr(sharc_buf_str(&s->log), " replay \"GET /web/20261101100000/http://a.example/%22x\" 404 "));
    assert_non_null(strstr(sharc_buf_str(&s->log), " pages \"GET /\" 200 "));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_raw_is_byte_exact, begin, end),
    cmocka_unit_test_setup_teardown(test_headers, begin, end),
    cmocka_unit_test_setup_teardown(test_types_that_cannot_be_sent, begin, end),
    cmocka_unit_test_setup_teardown(test_heads_that_do_not_fit, begin, end),
    cmocka_unit_test_setup_teardown(test_codings, begin, end),
    cmocka_unit_test_setup_teardown(test_ranges, begin, end),
    cmocka_unit_test_setup_teardown(test_statuses, begin, end),
    cmocka_unit_test_setup_teardown(test_rewriting, begin, end),
    cmocka_unit_test_setup_teardown(test_mappings_stay, begin, end),
    cmocka_unit_test_setup_teardown(test_scripts_that_make_addresses, begin, end),
    cmocka_unit_test_setup_teardown(test_posts, begin, end),
    cmocka_unit_test_setup_teardown(test_timegate, begin, end),
    cmocka_unit_test_setup_teardown(test_timemap_in_pages, begin, end),
    cmocka_unit_test_setup_teardown(test_pages, begin, end),
    cmocka_unit_test_setup_teardown(test_view, begin, end),
    cmocka_unit_test_setup_teardown(test_cdx, begin, end),
    cmocka_unit_test_setup_teardown(test_files, begin, end),
    cmocka_unit_test_setup_teardown(test_hosts, begin, end),
    cmocka_unit_test_setup_teardown(test_behind_a_proxy, begin, end),
    cmocka_unit_test_setup_teardown(test_malformed_requests, begin, end),
    cmocka_unit_test_setup_teardown(test_slow_clients_block_nobody, begin, end),
    cmocka_unit_test_setup_teardown(test_memory_is_bounded, begin, end),
    cmocka_unit_test_setup_teardown(test_log, begin, end),
};
TEST_MAIN(tests)
