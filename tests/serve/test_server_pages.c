/* SPDX-License-Identifier: Apache-2.0
 *
 * The server: Memento, our own pages, the index and the files.
 */
#include "server_test.h"

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
    assert_non_null(
        strstr(bar, "href=\"/view/web/20261101100140/http://a.example/\">later<span class=at>: 2026-11-01 10:01:40"));
    SHARC_AUTO(sharc_freep)
    char *policy =
        sharc_asprintf("Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; frame-src "
                       "http://127.0.0.1:%u; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
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
        {"url=a.example/*&fl=url&collapseTime=4", 200, "http://a.example/\nhttp://a.example/b\n"},
        {"url=a.example/*&fl=url&collapse=urlkey", 200, "http://a.example/\nhttp://a.example/b\n"},
        {"url=example&matchType=domain&fl=url&collapse=status:1", 200,
         "http://a.example/\nhttp://a.example/b\nhttp://c.example/\n"},
        {"url=a.example/&output=cdxj&fl=status&limit=1", 200, "example,a)/ 20261101100000 {\"status\":\"200\"}\n"},
        {"url=a.example/&output=link&filter==status:500", 200, ""},
        {"url=a.example/&limit=-1", 400, NULL},
        {"url=a.example/&collapse=timestamp:", 400, NULL},
        {"url=a.example/&collapse=:4", 400, NULL},
        {"url=a.example/&collapse=timestamp:0", 400, NULL},
        {"url=a.example/&output=xml", 400, NULL},
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
        {"url=a.example/&showNumPages=true&pageSize=0", 400, NULL},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep) char *target = sharc_asprintf("/cdx?%s", rows[i].query);
        SHARC_AUTO(sharc_freep) char *request = sharc_asprintf("GET %s HTTP/1.0\r\n\r\n", target); /* not chunked */
        SHARC_AUTO(sharc_freep) char *a = client_ask(s->pages, request);
        if (strtol(a + 9, NULL, 10) != rows[i].status) fail_msg("%s: %s", rows[i].query, a);
        if (rows[i].body && strcmp(body_of(a), rows[i].body) != 0) fail_msg("%s: %s", rows[i].query, a);
    }
    SHARC_AUTO(sharc_freep)
    char *links = client_ask(s->pages, "GET /cdx?url=a.example/&output=link&limit=2 HTTP/1.0\r\n\r\n");
    SHARC_AUTO(sharc_freep)
    char *wanted = sharc_asprintf(
        "<http://a.example/>; rel=\"original\",\n"
        "<http://127.0.0.1:%u/web/20261101100000/http://a.example/>; rel=\"memento\"; datetime=\"Sun, 01 Nov 2026 "
        "10:00:00 GMT\",\n"
        "<http://127.0.0.1:%u/web/20261101100140/http://a.example/>; rel=\"memento\"; datetime=\"Sun, 01 Nov 2026 "
        "10:01:40 GMT\"\n",
        s->replay, s->replay);
    assert_string_equal(body_of(links), wanted);
    assert_line(links, "Content-Type: application/link-format");
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
    cmocka_unit_test_setup_teardown(test_timegate, begin, end),
    cmocka_unit_test_setup_teardown(test_timemap_in_pages, begin, end),
    cmocka_unit_test_setup_teardown(test_pages, begin, end),
    cmocka_unit_test_setup_teardown(test_view, begin, end),
    cmocka_unit_test_setup_teardown(test_cdx, begin, end),
    cmocka_unit_test_setup_teardown(test_files, begin, end),
    cmocka_unit_test_setup_teardown(test_log, begin, end),
};
TEST_MAIN(tests)
