/* SPDX-License-Identifier: Apache-2.0
 *
 * The server, asked over loopback: archived answers as they were, their headers, statuses and ranges.
 */
#include "server_test.h"

#include "sharc/base_codec.h"

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
        {"small", "bytes=99999999999999999999-", 416, "Content-Range: bytes */10", ""},
        {"small", "bytes=18446744073709551616-18446744073709551617", 416, "Content-Range: bytes */10", ""},
        {"small", "bytes=8-99999999999999999999", 206, "Content-Range: bytes 8-9/10", "89"},
        {"small", "bytes=-99999999999999999999", 206, "Content-Range: bytes 0-9/10", "0123456789"},
        {"small", "bytes=99999999999999999999x-", 200, "Accept-Ranges: bytes", "0123456789"},
        {"small", "bytes=+1-2", 200, "Accept-Ranges: bytes", "0123456789"},
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_raw_is_byte_exact, begin, end),
    cmocka_unit_test_setup_teardown(test_headers, begin, end),
    cmocka_unit_test_setup_teardown(test_types_that_cannot_be_sent, begin, end),
    cmocka_unit_test_setup_teardown(test_heads_that_do_not_fit, begin, end),
    cmocka_unit_test_setup_teardown(test_codings, begin, end),
    cmocka_unit_test_setup_teardown(test_ranges, begin, end),
    cmocka_unit_test_setup_teardown(test_statuses, begin, end),
};
TEST_MAIN(tests)
