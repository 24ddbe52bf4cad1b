/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_limits.h"
#include "sharc/http.h"

#include <stdio.h>
#include <stdlib.h>

static struct sharc_http h;

static int64_t parse(const char *text)
{
    return sharc_http_parse(&h, sharc_span_of(text), true, NULL);
}

static int stop(void **state)
{
    (void)state;
    sharc_http_done(&h);
    return 0;
}

static bool is_part(const char *head)
{
    assert_true(parse(head) > 0);
    return sharc_http_is_part(&h);
}

static void knows_parts_of_bodies(void **state)
{
    (void)state;
    assert_true(is_part("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-499/5000\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1-499/500\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 200 OK\r\nContent-Length: 5, 50\r\n\r\n"));
    assert_false(is_part("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\n"));
    assert_false(is_part("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-499/*\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 206 Partial Content\r\nContent-Type: multipart/byteranges; boundary=x\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 200 OK\r\nContent-Range: bytes 0-499/5000\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 200 OK\r\nContent-Range: lines 1-2/2\r\n\r\n"));
    assert_true(is_part("HTTP/1.1 206 OK\r\nContent-Range: bytes 0-18446744073709551615/0\r\n\r\n"));
    assert_false(is_part("HTTP/1.1 206 Partial Content\r\nContent-Range: Bytes 0-499/500\r\n\r\n"));
    assert_false(is_part("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */500\r\n\r\n"));
    assert_false(is_part("HTTP/1.1 200 OK\r\n\r\n"));
}

static void responses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int status, major, minor;
        const char *reason;
        unsigned quirks;
        size_t fields;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200, 1, 1, "OK", 0, 1},
        {"HTTP/1.1 404 Not  Found \r\n\r\n", 404, 1, 1, "Not  Found", 0, 0},
        {"HTTP/1.0 200\r\n\r\n", 200, 1, 0, "", SHARC_HTTP_NO_REASON, 0},
        {"HTTP/1.1 200 OK\nA: b\n\nbody", 200, 1, 1, "OK", SHARC_HTTP_LF_ONLY, 1},
        {"HTTP/1.1 200 OK\r\nA: b\n\r\n", 200, 1, 1, "OK", SHARC_HTTP_LF_ONLY, 1},
        {"HTTP/2 204 \r\n\r\n", 204, 2, 0, "", SHARC_HTTP_NO_REASON, 0},
        {"http/1.1 301 Moved\r\n\r\n", 301, 1, 1, "Moved", 0, 0},
        {"ICY 200 OK\r\nicy-name: x\r\n\r\n", 200, 1, 0, "OK", 0, 1},
        {"HTTP 200 Document follows\r\nA: b\r\n\r\n", 200, 1, 0, "Document follows", SHARC_HTTP_ODD_VERSION, 1},
        {"HTTP/200 OK\r\n\r\n", 200, 1, 0, "OK", SHARC_HTTP_ODD_VERSION, 0},
        {"HTTP/1.x 200 OK\r\n\r\n", 200, 1, 0, "OK", SHARC_HTTP_ODD_VERSION, 0},
        {"HTTP/ 301 Moved\r\n\r\n", 301, 1, 0, "Moved", SHARC_HTTP_ODD_VERSION, 0},
        {"HTTP-1.1 200 OK\r\n\r\n", 200, 1, 1, "OK", SHARC_HTTP_ODD_VERSION, 0},
        {"HTTP1.1 200 OK\r\n\r\n", 200, 1, 1, "OK", SHARC_HTTP_ODD_VERSION, 0},
        {"HTTP 1.0 404 Gone\r\n\r\n", 404, 1, 0, "Gone", SHARC_HTTP_ODD_VERSION, 0},
        {"http/1.0 200 ok\r\n\r\n", 200, 1, 0, "ok", 0, 0},
        {" HTTP/1.1 200 OK\r\n\r\n", 200, 1, 1, "OK", 0, 0},
        {"HTTP/1.1 OK\r\n\r\n", 0, 1, 1, "OK", SHARC_HTTP_NO_STATUS, 0},
        {"HTTP/1.1 200 OK\r\nno colon here\r\nA: b\r\n: empty name\r\n\r\n", 200, 1, 1, "OK", SHARC_HTTP_NO_COLON, 1},
        {"HTTP/1.1 200 OK\r\nA: b", 200, 1, 1, "OK", SHARC_HTTP_NO_END, 1},
        {"HTTP/1.1 200 OK\r\nA: b\r\n", 200, 1, 1, "OK", SHARC_HTTP_NO_END, 1},
        {"HTTP/1.1 200 OK", 200, 1, 1, "OK", SHARC_HTTP_NO_END, 0},
        {"HTTP/1.1 200 OK\r\n\tleading fold\r\nA: b\r\n\r\n", 200, 1, 1, "OK", SHARC_HTTP_NO_COLON, 1},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        if (parse(cases[i].text) <= 0) fail_msg("not parsed: %s", cases[i].text);
        assert_true(h.response);
        assert_int_equal(h.status, cases[i].status);
        assert_int_equal(h.major, cases[i].major);
        assert_int_equal(h.minor, cases[i].minor);
        assert_span(h.reason, cases[i].reason);
        if (h.quirks != cases[i].quirks) fail_msg("quirks %u: %s", h.quirks, cases[i].text);
        assert_int_equal(h.count, cases[i].fields);
    }
}

static void requests(void **state)
{
    (void)state;
    assert_int_equal(parse("GET /a?b\r\nHost: x\r\n\r\n"), 21); /* ArchiveWeb.page 0.6 */
    assert_false(h.response);
    assert_span(h.method, "GET");
    assert_span(h.target, "/a?b");
    assert_int_equal(h.major, 0);
    assert_int_equal(h.quirks, SHARC_HTTP_ODD_VERSION);
    assert_true(parse("POST https://h.example/x\r\n\r\n") > 0);
    assert_span(h.target, "https://h.example/x");
    assert_int_equal(parse("GET /a%20b?c HTTP/1.1\r\nHost: x\r\n\r\nbody"), 34);
    assert_false(h.response);
    assert_span(h.method, "GET");
    assert_span(h.target, "/a%20b?c");
    assert_true(parse("POST /with spaces in it HTTP/1.0\r\n\r\n") > 0);
    assert_span(h.target, "/with spaces in it");
    assert_int_equal(h.minor, 0);
}

static void what_is_no_head(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "\r\n\r\n",
        "<!doctype html>\r\n\r\n",
        "GET on with it\r\n\r\n",
        "get /\r\n\r\n",
        "GET /a b\r\n\r\n",
        "HTTP is a protocol\r\n\r\n",
        "HTTP 2 is newer than HTTP 1\r\n\r\n",
        "GET  HTTP/1.1\r\n\r\n",
        "hello world\n\n",
        "HTT",
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++)
        if (parse(cases[i]) != SHARC_ESYNTAX) fail_msg("taken: %s", cases[i]);
}

/* Every way to cut a head in two gives the same as the whole. */
static void heads_may_come_in_pieces(void **state)
{
    (void)state;
    static const char text[] = "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nD: e\n\nrest";
    size_t whole = strlen(text) - 4;
    for (size_t n = 0; n < sizeof text; n++) {
        int64_t r = sharc_http_parse(&h, sharc_span(text, n), false, NULL);
        assert_int_equal(r, n < whole ? 0 : (int64_t)whole);
    }
    assert_span(sharc_http_get(&h, "a"), "b c");
}

static void folded_fields(void **state)
{
    (void)state;
    assert_true(parse("HTTP/1.1 200 OK\r\nA: one\r\n  two\r\n\tthree \r\nB:\r\n x\r\nC: y\r\n \r\n\r\n") > 0);
    assert_int_equal(h.quirks, SHARC_HTTP_FOLDED);
    assert_int_equal(h.count, 3);
    assert_span(sharc_http_get(&h, "A"), "one two three");
    assert_span(sharc_http_get(&h, "b"), "x");
    assert_span(sharc_http_get(&h, "C"), "y");
}

static void lookups(void **state)
{
    (void)state;
    assert_true(parse("HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nX : spaced name\r\nset-cookie:b\r\nEmpty:\r\n"
                      "Content-Length: 12\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n") > 0);
    size_t at = 0;
    struct sharc_span v;
    assert_true(sharc_http_each(&h, "SET-COOKIE", &at, &v));
    assert_span(v, "a");
    assert_true(sharc_http_each(&h, "SET-COOKIE", &at, &v));
    assert_span(v, "b");
    assert_false(sharc_http_each(&h, "SET-COOKIE", &at, &v));
    assert_null(sharc_http_get(&h, "Missing").p);
    assert_non_null(sharc_http_get(&h, "Empty").p);
    assert_span(sharc_http_get(&h, "x"), "spaced name");
    uint64_t n;
    assert_int_equal(sharc_http_content_length(&h, &n), 0);
    assert_int_equal(n, 12);
    assert_true(sharc_http_is_chunked(&h));
    parse("HTTP/1.1 200 OK\r\nContent-Length: x\r\nTransfer-Encoding: unchunked\r\n\r\n");
    assert_int_equal(sharc_http_content_length(&h, &n), SHARC_ESYNTAX);
    assert_false(sharc_http_is_chunked(&h));
    parse("HTTP/1.1 200 OK\r\n\r\n");
    assert_int_equal(sharc_http_content_length(&h, &n), SHARC_ENOENT);
}

static void limits(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4 << 20);
    sharc_buf_put_str(&b, "HTTP/1.1 200 OK\r\n");
    for (unsigned i = 0; i <= SHARC_LIMIT_HTTP_FIELDS; i++) sharc_buf_put_str(&b, "A: b\r\n");
    sharc_buf_put_str(&b, "\r\n");
    assert_int_equal(sharc_http_parse(&h, sharc_buf_span(&b), true, NULL), SHARC_ELIMIT);
    sharc_buf_clear(&b);
    sharc_buf_put_str(&b, "HTTP/1.1 200 OK\r\nA: ");
    while (b.n < SHARC_LIMIT_HTTP_HEADER - 1) sharc_buf_put_char(&b, 'x');
    assert_int_equal(sharc_http_parse(&h, sharc_buf_span(&b), false, NULL), 0);
    sharc_buf_put_char(&b, 'x');
    assert_int_equal(sharc_http_parse(&h, sharc_buf_span(&b), false, NULL), SHARC_ELIMIT);
    assert_int_equal(sharc_http_parse(&h, sharc_buf_span(&b), true, NULL), SHARC_ELIMIT);
    /* Many folds of one field stay linear and inside their reservation. */
    sharc_buf_clear(&b);
    sharc_buf_put_str(&b, "HTTP/1.1 200 OK\r\nA: x\n");
    while (b.n < SHARC_LIMIT_HTTP_HEADER - 100) sharc_buf_put_str(&b, " y\n");
    sharc_buf_put_str(&b, "\r\n");
    assert_true(sharc_http_parse(&h, sharc_buf_span(&b), true, NULL) > 0);
    assert_true(sharc_http_get(&h, "A").n > SHARC_LIMIT_HTTP_HEADER / 2);
}

static void media_types(void **state)
{
    (void)state;
    static const struct {
        const char *value, *type, *charset, *boundary;
    } cases[] = {
        {"text/html", "text/html", NULL, NULL},
        {"text/html; charset=UTF-8", "text/html", "UTF-8", NULL},
        {"text/html;charset=\"utf-8\" ; x=y", "text/html", "utf-8", NULL},
        {"text/html; CHARSET = 'latin1'", "text/html", "latin1", NULL},
        {"multipart/form-data; boundary=\"a;b\"; charset=x", "multipart/form-data", "x", "a;b"},
        {"text/html, text/plain", "text/plain", NULL, NULL}, /* as browsers do: the last that is a type */
        {"text/plain,text/html;charset=a", "text/html", "a", NULL},
        {"text/html;charset=a, text/html", "text/html", "a", NULL},
        {"text/html;charset=a, text/plain", "text/plain", NULL, NULL},
        {"text/html, */*", "text/html", NULL, NULL},
        {"text/html, nothing", "text/html", NULL, NULL},
        {"text/plain;x=\", text/html\"", "text/plain", NULL, NULL},
        {"nothing, */*", "nothing", NULL, NULL},
        {"*/*", "*/*", NULL, NULL},
        {"text/html charset=x", "text/html charset=x", NULL, NULL},
        {";charset=x", "", "x", NULL},
        {"text/html; charset", "text/html", NULL, NULL},
        {"text/html; charset=\"open", "text/html", "open", NULL},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_http_media m = sharc_http_media(sharc_span_of(cases[i].value));
        assert_span(m.type, cases[i].type);
        if (cases[i].charset)
            assert_span(m.charset, cases[i].charset);
        else
            assert_null(m.charset.p);
        if (cases[i].boundary)
            assert_span(m.boundary, cases[i].boundary);
        else
            assert_null(m.boundary.p);
    }
    assert_null(sharc_http_media(SHARC_SPAN_NONE).type.p);
}

static void types_are_joined(void **state)
{
    (void)state;
    static const char two[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX: y\r\ncontent-type: text/html\r\n\r\n";
    static const char one[] = "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n", none[] = "HTTP/1.1 200 OK\r\n\r\n";
    for (int again = 0; again < 2; again++) {
        assert_true(sharc_http_parse(&h, sharc_span_of(two), true, NULL) > 0);
        assert_span(h.content_type, "text/plain, text/html");
        assert_span(sharc_http_get(&h, "Content-Type"), "text/plain");
        assert_true(sharc_http_parse(&h, sharc_span_of(one), true, NULL) > 0);
        assert_span(h.content_type, "text/css");
        assert_true(sharc_http_parse(&h, sharc_span_of(none), true, NULL) > 0);
        assert_null(h.content_type.p);
    }
}

static void dates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds; /* -1: not a date */
    } cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},
        {"06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sun, 6 Nov 1994 08:49:37 UTC", 784111777},
        {"Sun, 06 Nov 1994 09:49:37 +0100", 784111777},
        {"Sun, 06 Nov 1994 00:49:37 -0800", 784111777},
        {"Sun, 06-Nov-1994 08:49:37 GMT", 784111777},
        {"Sun, 06 Nov 1994 03:49:37 EST", 784111777},
        {"Sun, 06 Nov 1994 01:49:37 PDT", 784111777},
        {"Sun, 06 Nov 1994 09:49:37 cet", 784111777},
        {"Sun, 06 Nov 1994 10:49:37 CEST", 784111777},
        {"Sun, 06 Nov 1994 18:19:37 ACST", 784111777},
        {"Sun, 06 Nov 1994 08:49:37 Z", 784111777},
        {"06 Nov 94 08:49 UT", 784111740},
        {"Sun Nov  6 03:49:37 EST 1994", 784111777}, /* date(1) */
        {"Sun Nov 06 1994 09:49:37 GMT+0100 (Central European Standard Time)", 784111777},
        {"Sun, 06 Nov 1994 09:49:37 +0100 (CET)", 784111777},
        {"Sun, 06 Nov 1994 08:49:37 XYZ", -1}, /* better none than a wrong one */
        {"Sun, 06 Nov 1994 08:49:37 IST", -1},
        {"Sun, 06 Nov 1994 08:49:37 PM", -1},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Thursday, 01-Jan-70 00:00:00 GMT", 0},
        {"Fri, 01-Jan-38 00:00:00 GMT", 2145916800},
        {"Thu, 29 Feb 2024 23:59:59 GMT", 1709251199},
        {"", -1},
        {"0", -1},
        {"-1", -1},
        {"now", -1},
        {"Sun, 06 Nov 1994", -1},
        {"Sun, 31 Feb 2024 00:00:00 GMT", -1},
        {"Sun, 06 Nov 1994 25:49:37 GMT", -1},
        {"Sun, 06 Nov 1994 08:49:37:12 GMT", -1},
        {"Sun, 06 Nov Nov 1994 08:49:37 GMT", -1},
        {"2024-01-02T03:04:05Z", -1},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        sharc_time t = SHARC_TIME_NONE;
        int r = sharc_http_date_parse(sharc_span_of(cases[i].text), &t);
        if (cases[i].seconds < 0 ? r != SHARC_ESYNTAX : r < 0 || t != cases[i].seconds * SHARC_SEC)
            fail_msg("\"%s\": %d, %lld", cases[i].text, r, (long long)t);
    }
    char out[SHARC_TIME_TEXT];
    assert_string_equal(sharc_http_date_text(784111777 * SHARC_SEC, out), "Sun, 06 Nov 1994 08:49:37 GMT");
}

/* Asked at noon: what may be taken for the date of the last change. */
static void last_modified(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        bool believed;
    } cases[] = {
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: Sun, 06 Nov 1994 12:00:01 GMT\r\n", true},
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: Sun, 06 Nov 1994 11:59:00 GMT\r\n", true},
        /* A clock that is a second too far off, one that is hours off, none at all. */
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: Sun, 06 Nov 1994 11:58:59 GMT\r\n", false},
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: Sun, 06 Nov 1994 09:00:00 GMT\r\n", false},
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: Sun, 06 Nov 1994 14:00:00 GMT\r\n", false},
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\n", false},
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: today\r\n", false},
        /* Kept by a cache for three hours, as it says; or for an absurd time. */
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: Sun, 06 Nov 1994 09:00:00 GMT\r\nAge: 10800\r\n", true},
        {"Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT\r\nDate: Sun, 06 Nov 1994 12:00:00 GMT\r\n"
         "Age: 99999999999999999999\r\n",
         true},
        /* The time of the answer; the future; no date. */
        {"Last-Modified: Sun, 06 Nov 1994 11:59:58 GMT\r\nDate: Sun, 06 Nov 1994 12:00:00 GMT\r\n", false},
        {"Last-Modified: Sun, 06 Nov 1994 12:00:05 GMT\r\nDate: Sun, 06 Nov 1994 12:00:30 GMT\r\n", false},
        {"Last-Modified: now\r\nDate: Sun, 06 Nov 1994 12:00:00 GMT\r\n", false},
    };
    const sharc_time noon = (784111777 + 3 * 3600 + 10 * 60 + 23) * SHARC_SEC;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1000);
        sharc_buf_printf(&b, "HTTP/1.1 200 OK\r\n%s\r\n", cases[i].fields);
        assert_true(sharc_http_parse(&h, sharc_buf_span(&b), false, NULL) > 0);
        sharc_time t = sharc_http_last_modified(&h, noon);
        assert_int_equal(t, cases[i].believed ? noon - 4 * SHARC_HOUR : SHARC_TIME_NONE);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(responses, stop),
    cmocka_unit_test_teardown(requests, stop),
    cmocka_unit_test_teardown(what_is_no_head, stop),
    cmocka_unit_test_teardown(heads_may_come_in_pieces, stop),
    cmocka_unit_test_teardown(folded_fields, stop),
    cmocka_unit_test_teardown(lookups, stop),
    cmocka_unit_test_teardown(limits, stop),
    cmocka_unit_test(media_types),
    cmocka_unit_test(types_are_joined),
    cmocka_unit_test(dates),
    cmocka_unit_test(knows_parts_of_bodies),
    cmocka_unit_test(last_modified),
};
TEST_MAIN(tests)
