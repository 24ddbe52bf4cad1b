/* SPDX-License-Identifier: Apache-2.0
 *
 * The server: links that lead into the archive, and the mappings of a time to captures.
 */
#include "server_test.h"

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
    warc_answer(s->w, 0, "http://a.example/binary", "HTTP/1.1 200 OK\r\n\r\n\x89PNG\r\n\x1a\n <a href=/x>");
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
    assert_get(s, T "/http://a.example/binary", 200, "\x89PNG\r\n\x1a\n <a href=/x>");
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
    assert_non_null(strstr(near, "/web/20261101100140/http://a.example/>; rel=\"last memento\""));
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

/* What keeps pages inside: headers on every answer of the port, and a script at the head of what is shown as a page. */
static void test_guard(void **state)
{
    static const char *const paths[] = {"/web/20261101100000/http://a.example/",
                                        "/web/20261101100000id_/http://a.example/",
                                        "/web/2026/http://absent.example/",
                                        "/web/20269999/http://a.example/",
                                        "/robots.txt",
                                        "/sharc-worker.html",
                                        "/sharc-page.js",
                                        "/timegate/http://a.example/",
                                        "/nothing"};
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "<!doctype html><head><title>x</title>");
    serve(s);
    SHARC_AUTO(sharc_freep)
    char *list =
        sharc_asprintf("Connection-Allowlist: (response-origin \"http://127.0.0.1:%u\");redirects=allow", s->pages);
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) {
        SHARC_AUTO(sharc_freep) char *a = get(s->replay, paths[i]);
        assert_line(a, list);
        assert_line(a, "Cross-Origin-Embedder-Policy: require-corp");
        assert_line(a, "Cross-Origin-Opener-Policy: same-origin");
    }
    SHARC_AUTO(sharc_freep) char *shown = get_with(s->replay, paths[0], "Sec-Fetch-Dest: iframe\r\n");
    assert_non_null(strstr(shown, "<!doctype html><head><script src=\"/sharc-page.js\"></script><title>x</title>"));
    SHARC_AUTO(sharc_freep) char *far = get_with(s->replay, paths[0], "Accept: text/html,*/*;q=0.8\r\n");
    assert_non_null(strstr(far, "<head><script src=\"/sharc-page.js\"></script><title>"));
    SHARC_AUTO(sharc_freep) char *read = get_with(s->replay, paths[0], "Sec-Fetch-Dest: empty\r\n");
    assert_non_null(strstr(read, "<!doctype html><head><title>x</title>"));
    SHARC_AUTO(sharc_freep) char *raw = get_with(s->replay, paths[1], "Sec-Fetch-Dest: document\r\n");
    assert_non_null(strstr(raw, "<!doctype html><head><title>x</title>"));
    SHARC_AUTO(sharc_freep) char *ours = get(s->pages, "/view/web/20261101100000/http://a.example/");
    assert_line(ours, "Cross-Origin-Opener-Policy: same-origin");
    assert_no_header(ours, "Connection-Allowlist");
}

/* What browsers take for a page is one for us, whatever the server called it: kept inside, and judged with its parts.
 */
static void test_types(void **state)
{
#define LINK "<p><a href=\"http://live.example/\"><img src=\"/i.png\"/></a></p>"
#define XML(name) "<html xmlns=\"http://www.w3.org/1999/" name "\">" LINK "</html>"
#define T "/web/20261101100000/http://a.example"
    static const struct {
        const char *path, *type, *body, *sent; /* NULL: no page */
    } rows[] = {
        {"/any", "Content-Type: */*", LINK, "text/html"},
        {"/unknown", "Content-Type: unknown/unknown", LINK, "text/html"},
        {"/half", "Content-Type: text", LINK, "text/html"},
        {"/blank", "Content-Type: text /html", LINK, "text/html"},
        {"/forgotten", "Content-Type: text/html charset=utf-8", LINK, "text/html"},
        {"/last", "Content-Type: image/png, text/html;charset=utf-8", LINK, "text/html;charset=utf-8"},
        {"/two", "Content-Type: image/png\r\nContent-Type: text/html", LINK, "text/html"},
        {"/quoted", "Content-Type: text/html; x=\", image/png\"", LINK, "text/html"},
        {"/piece", "Content-Type: text/html\r\nETag: \"a\"\r\nContent-Range: bytes 0-1/2", LINK, "text/html"},
        {"/xml", "Content-Type: text/xml", XML("xhtml"), "text/xml"},
        {"/xsl", "Content-Type: text/xsl", XML("xhtml"), "text/xsl"},
        {"/hidden", "Content-Type: application/x+xml", XML("&#120;html"), "application/x+xml"},
        {"/picture", "Content-Type: text/html, image/png", LINK, NULL},
        {"/words", "X: y", "words " LINK, NULL},
    };
    struct story *s = *state;
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("http://a.example%s", rows[i].path);
        const char *status = strstr(rows[i].type, "Range") ? "206 Partial Content" : "200 OK";
        SHARC_AUTO(sharc_freep)
        char *answer = sharc_asprintf("HTTP/1.1 %s\r\n%s\r\n\r\n%s", status, rows[i].type, rows[i].body);
        warc_answer(s->w, 0, url, answer);
    }
    warc_answer(s->w, 0, "http://a.example/feed",
                "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n\r\n<rss a=\"&#38;\"/>");
    warc_answer(s->w, 0, "http://a.example/quirks", HTML "<link rel=stylesheet href=/old>");
    warc_answer(s->w, 0, "http://a.example/old",
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\na{background:url(/i.png)}");
    serve(s);
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep) char *target = sharc_asprintf(T "%s", rows[i].path);
        SHARC_AUTO(sharc_freep)
        char *verdict = sharc_asprintf("/api/coherence?at=20261101100000&url=http://a.example%s", rows[i].path);
        SHARC_AUTO(sharc_freep) char *a = get_with(s->replay, target, "Sec-Fetch-Dest: document\r\n");
        SHARC_AUTO(sharc_freep) char *judged = get(s->pages, verdict);
        bool page = strstr(a, "/sharc-page.js") && strstr(a, "href=\"" T) == NULL &&
                    strstr(a, "href=\"/web/20261101100000/http://live.example/\"");
        if (page != (rows[i].sent != NULL)) fail_msg("%s", a);
        if ((strstr(judged, "\"missing\": 1") != NULL) != page) fail_msg("%s: %s", rows[i].path, judged);
        SHARC_AUTO(sharc_freep) char *type = rows[i].sent ? sharc_asprintf("Content-Type: %s", rows[i].sent) : NULL;
        if (type) assert_line(a, type);
        if (count_of(a, "\r\nContent-Type:") != 1) fail_msg("%s", a);
    }
    SHARC_AUTO(sharc_freep) char *words = get(s->replay, T "/words");
    assert_line(words, "Content-Type: text/plain");
    SHARC_AUTO(sharc_freep) char *feed = get_with(s->replay, T "/feed", "Sec-Fetch-Dest: document\r\n");
    assert_string_equal(body_of(feed), "<rss a=\"&#38;\"/>");
    SHARC_AUTO(sharc_freep) char *style = get(s->replay, "/web/20261101100000cs_/http://a.example/old");
    assert_string_equal(body_of(style), "a{background:url(/web/20261101100000im_/http://a.example/i.png)}");
    assert_line(style, "Content-Type: text/plain");
    SHARC_AUTO(sharc_freep)
    char *quirks = get(s->pages, "/api/coherence?at=20261101100000&url=http://a.example/quirks");
    assert_non_null(strstr(quirks, "\"missing\": 1"));
    SHARC_AUTO(sharc_freep) char *raw = get(s->replay, "/web/20261101100000id_/http://a.example/last");
    assert_line(raw, "Content-Type: image/png, text/html;charset=utf-8");
#undef T
#undef XML
#undef LINK
}

/* What is said instead of a page is no memento of it. */
static void test_too_large(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf page = SHARC_BUF_INIT(64u << 20);
    sharc_buf_put_str(&page, HTML "<p>");
    while (page.n < (33u << 20)) sharc_buf_put_str(&page, "0123456789abcdef0123456789abcdef");
    warc_answer(s->w, 0, "http://a.example/", sharc_buf_str(&page));
    serve(s);
    SHARC_AUTO(sharc_freep) char *a = get(s->replay, "/web/20261101100000/http://a.example/");
    assert_int_equal(status_of(a), 500);
    assert_no_header(a, "Memento-Datetime");
    assert_line(a, REPLAY_CSP);
}

/* A star alone asks for the whole index; no lines would say that there is nothing. */
static void test_index_of_everything(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    warc_answer(s->w, 1, "http://b.test/y", HTML "y");
    serve(s);
    for (int prefix = 0; prefix < 2; prefix++) {
        SHARC_AUTO(sharc_freep)
        char *a = get(s->pages, prefix ? "/cdx?url=*&matchType=prefix&fl=urlkey" : "/cdx?url=*&fl=urlkey&output=text");
        assert_int_equal(status_of(a), 200);
        assert_non_null(strstr(a, "example,a)/"));
        assert_non_null(strstr(a, "test,b)/y"));
    }
}

/* Ours is the only worker, and only at its own address. */
static void test_worker(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/sharc-worker.js", HTML "archived");
    serve(s);
    SHARC_AUTO(sharc_freep) char *a = get_with(s->replay, "/sharc-worker.js", "Service-Worker: script\r\n");
    assert_int_equal(status_of(a), 200);
    assert_line(a, "Service-Worker-Allowed: /");
    assert_line(a, "Content-Type: text/javascript; charset=utf-8");
    assert_line(a, REPLAY_CSP);
    SHARC_AUTO(sharc_freep) char *page = get(s->replay, "/sharc-worker.html");
    SHARC_AUTO(sharc_freep)
    char *policy =
        sharc_asprintf("Content-Security-Policy: default-src 'self'; frame-ancestors http://127.0.0.1:%u", s->pages);
    assert_line(page, policy);
    assert_no_header(page, "Service-Worker-Allowed");
    SHARC_AUTO(sharc_freep)
    char *archived =
        get_with(s->replay, "/web/20261101100000js_/http://a.example/sharc-worker.js", "Service-Worker: script\r\n");
    assert_int_equal(status_of(archived), 403);
    assert_no_header(archived, "Service-Worker-Allowed");
    assert_line(archived, REPLAY_CSP);
    SHARC_AUTO(sharc_freep) char *elsewhere = get(s->pages, "/sharc-worker.js");
    assert_int_equal(status_of(elsewhere), 404);
}

/* Only where nothing was captured under the URL itself, and said so. */
static void test_similar(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/p?id=1&_=111", HTML "one");
    warc_answer(s->w, 0, "http://a.example/p?id=2&_=222", HTML "two");
    warc_answer(s->w, 60, "http://a.example/p?id=1&_=333", HTML "later");
    warc_answer(s->w, 0, "http://a.example/x.js?v=1", "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\n\r\nx");
    warc_answer(s->w, 0, "http://a.example/page.php?id=1", HTML "php");
    warc_answer(s->w, 0, "http://a.example/news", HTML "news");
    warc_answer(s->w, 0, "http://a.example/q?callback=jquery1_2&t=a", HTML "call");
    warc_answer(s->w, 0, "http://a.example/bust?cachebust=1234567890123", HTML "bust");
    warc_post(s->w, 0, "http://a.example/f",
              "POST /f HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nq=a&cb=1", HTML "sent");
    serve(s);
    static const struct {
        const char *url, *body; /* NULL: 404 */
    } rows[] = {{"p?id=1&_=999", "one"},
                {"p?_=5&utm_source=x&id=2", "two"},
                {"p?id=3&_=1", NULL},
                {"p?id=1&_=word", NULL},
                {"p", NULL},
                {"x.js?v=2", "x"},
                {"x.js", "x"},
                {"y.js?v=1", NULL},
                {"page.php?id=2", NULL},
                {"page.php?id=1&fbclid=abc", "php"},
                {"news?utm_campaign=1", "news"},
                {"news?page=2", NULL},
                {"q?callback=jquery77_88&t=a", "call"},
                {"q?callback=jquery77_88&t=b", NULL},
                {"bust?cachebust=9999999999999", "bust"},
                {"bust?cachebust=99", NULL},
                {"f", NULL}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep)
        char *target = sharc_asprintf("/web/20261101100000im_/http://a.example/%s", rows[i].url);
        SHARC_AUTO(sharc_freep) char *a = get(s->replay, target);
        if (status_of(a) != (rows[i].body ? 200 : 404)) fail_msg("%s: %s", rows[i].url, a);
        if (!rows[i].body) continue;
        assert_string_equal(body_of(a), rows[i].body);
        assert_line(a, "Sharc-Match: approximate");
        assert_no_header(a, "Memento-Datetime");
    }
    SHARC_AUTO(sharc_freep) char *exact = get(s->replay, "/web/20261101100000im_/http://a.example/p?id=1&_=111");
    assert_no_header(exact, "Sharc-Match");
    SHARC_AUTO(sharc_freep) char *later = get(s->replay, "/web/20261101100200im_/http://a.example/p?id=1&_=9");
    assert_string_equal(body_of(later), "later");
    SHARC_AUTO(sharc_freep) char *asof = get(s->replay, "/asof/20261101100030im_/http://a.example/p?id=1&_=9");
    assert_string_equal(body_of(asof), "one");
    SHARC_AUTO(sharc_freep) char *sent = send_form(s->replay, "/web/2026/http://a.example/f", "q=a&cb=77");
    assert_string_equal(body_of(sent), "sent");
    SHARC_AUTO(sharc_freep) char *other = send_form(s->replay, "/web/2026/http://a.example/f", "q=b&cb=1");
    assert_int_equal(status_of(other), 404);
    SHARC_AUTO(sharc_freep) char *view = get(s->pages, "/view/web/20261101100000/http://a.example/p?id=1&_=4");
    assert_int_equal(status_of(view), 200);
    assert_non_null(strstr(view, "Approximate match"));
    SHARC_AUTO(sharc_freep) char *sure = get(s->pages, "/view/web/20261101100000/http://a.example/p?id=1&_=111");
    assert_null(strstr(sure, "Approximate match"));
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_rewriting, begin, end),
    cmocka_unit_test_setup_teardown(test_mappings_stay, begin, end),
    cmocka_unit_test_setup_teardown(test_scripts_that_make_addresses, begin, end),
    cmocka_unit_test_setup_teardown(test_guard, begin, end),
    cmocka_unit_test_setup_teardown(test_types, begin, end),
    cmocka_unit_test_setup_teardown(test_too_large, begin, end),
    cmocka_unit_test_setup_teardown(test_index_of_everything, begin, end),
    cmocka_unit_test_setup_teardown(test_worker, begin, end),
    cmocka_unit_test_setup_teardown(test_similar, begin, end),
    cmocka_unit_test_setup_teardown(test_posts, begin, end),
};
TEST_MAIN(tests)
