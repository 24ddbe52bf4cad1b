/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the fetcher goes, and what it sends: addresses, proxies, secrets, fields.
 */
#include "fetching.h"

#include <stdio.h>

/* --- where it may go ------------------------------------------------------ */

static void refuses_private_addresses(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    s.allow_private = false;
    /* A public name that leads to loopback, as a rebinding answer would. */
    SHARC_AUTO(sharc_freep) char *there = sharc_asprintf("::127.0.0.1:%u", hostile_port("main"));
    s.connect_to = (const char *const[]){there};
    s.connect_to_count = 1;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    static const char *const urls[] = {
        "http://public.example/ok",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/x",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://localhost/",
        "http://[fe80::1]/",
        "http://[64:ff9b::a00:1]/",
    };
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++) {
        SHARC_AUTO(sharc_fetch_result_freep)
        struct sharc_fetch_result *r =
            fetching_get_with(f, &(struct sharc_fetch_request){.url = sharc_span_of(urls[i])});
        if (r->state != SHARC_FETCH_PRIVATE || r->code != -5001)
            fail_msg("%s: %s: %s", urls[i], sharc_fetch_state_word(r->state), r->text);
        assert_int_equal(r->request.n, 0);
    }
    /* One request may; its connection does not serve those that may not. */
    for (int allowed = 1; allowed >= 0; allowed--) {
        struct sharc_fetch_request req = {.url = SHARC_SPAN("http://public.example/ok"), .allow_private = allowed};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
        assert_int_equal(r->state, allowed ? SHARC_FETCH_OK : SHARC_FETCH_PRIVATE);
        assert_true((r->request.n > 0) == allowed);
    }
}

static void goes_through_a_proxy(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_freep) char *proxy = fetching_url("main", "");
    s.proxy = proxy;
    s.allow_private = false;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    struct sharc_fetch_request req = {.url = SHARC_SPAN("http://public.example/echo?a=b")};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
    assert_int_equal(r->state, SHARC_FETCH_OK);
    assert_true(
        sharc_span_starts(sharc_buf_span(&r->request), SHARC_SPAN("GET http://public.example/echo?a=b HTTP/1.1\r\n")));
    req.url = SHARC_SPAN("http://10.1.2.3/");
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *no = fetching_get_with(f, &req);
    assert_int_equal(no->state, SHARC_FETCH_PRIVATE);
    req.url = SHARC_SPAN("https://public.example/");
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *tunnel = fetching_get_with(f, &req);
    assert_int_equal(tunnel->state, SHARC_FETCH_PROXY);
}

/* What a server saw of a request to http://public.example/echo through a proxy, and how the
 * request is kept for the archive. */
static void keeps_the_password_of_a_proxy(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_freep) char *proxy = sharc_asprintf("http://joe:SEC%%52ET@127.0.0.1:%u", hostile_port("main"));
    s.proxy = proxy;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    struct sharc_fetch_request req = {.url = SHARC_SPAN("http://public.example/echo")};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
    assert_int_equal(r->state, SHARC_FETCH_OK);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seen = SHARC_BUF_INIT(1 << 20);
    fetching_body(r, &seen);
    assert_non_null(strstr(sharc_buf_str(&seen), "Proxy-Authorization: Basic am9lOlNFQ1JFVA==\r\n")); /* joe:SECRET */
    assert_null(strstr(sharc_buf_str(&r->request), "am9l"));
    assert_non_null(strstr(sharc_buf_str(&r->request), "Proxy-Authorization: [withheld by sharc]\r\n"));
    req.url = SHARC_SPAN("https://public.example/"); /* a tunnel that is refused */
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *tunnel = fetching_get_with(f, &req);
    assert_int_equal(tunnel->state, SHARC_FETCH_PROXY);
    assert_null(strstr(sharc_buf_str(&tunnel->request), "am9l"));
    assert_null(strstr(tunnel->text, "SEC"));

    static const char *const bad[] = {"ftp://u:SECRET@h:1", "http://u:SECRET@h:999999", "http://u:SECRET@",
                                      "u:SECRET@h:x",       "http://u:SECRET@h/path",   "http://u:SECRET@a b"};
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_fetcher *none = NULL;
        struct sharc_err err;
        s.proxy = bad[i];
        assert_int_equal(sharc_fetcher_new(&s, &none, &err), SHARC_EINVAL);
        assert_null(strstr(err.text, "SECRET"));
    }
    req.url = SHARC_SPAN("http://u:SECRET@10.0.0.1/");
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *careful = NULL;
    s = fetching_usual();
    s.allow_private = false;
    careful = fetching_with(&s);
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *refused = fetching_get_with(careful, &req);
    assert_int_equal(refused->state, SHARC_FETCH_PRIVATE);
    assert_null(strstr(refused->text, "SECRET"));
}

static void sends_secrets_home_and_archives_none(void **state)
{
    (void)state;
    fetching_ready();
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *secrets = sharc_secrets_new();
    struct sharc_cookie_count count;
    assert_int_equal(sharc_secrets_add_cookies(secrets, SHARC_SPAN("127.0.0.1\tFALSE\t/\tFALSE\t0\tid\tSECRET\n"), "x",
                                               0, &count, NULL),
                     0);
    SHARC_AUTO(sharc_freep) char *key = sharc_asprintf("127.0.0.1:%u=X-Key: SECRET", hostile_port("main"));
    assert_int_equal(sharc_secrets_add_header(secrets, sharc_span_of(key), NULL), 0);
    assert_int_equal(sharc_secrets_add_header(secrets, SHARC_SPAN("other.example=X-Other: SECRET"), NULL), 0);
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_freep) char *to = sharc_asprintf("other.invalid::127.0.0.1:%u", hostile_port("main"));
    const char *const connect_to[] = {to};
    s.secrets = secrets;
    s.connect_to = connect_to;
    s.connect_to_count = 1;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/echo");
    struct sharc_http_field own = {SHARC_SPAN("Referer"), SHARC_SPAN("http://h/")};
    struct sharc_fetch_request req = {.url = sharc_span_of(url), .fields = &own, .fields_count = 1};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seen = SHARC_BUF_INIT(1 << 20);
    fetching_body(r, &seen);
    assert_non_null(
        strstr(sharc_buf_str(&seen), "\r\nReferer: http://h/\r\nX-Key: SECRET\r\nCookie: id=SECRET\r\n\r\n"));
    assert_non_null(strstr(sharc_buf_str(&r->request), "\r\nReferer: http://h/\r\nX-Key: [withheld by sharc]\r\n"
                                                       "Cookie: [withheld by sharc]\r\n\r\n"));
    /* the same server by another name: a redirect that the caller follows */
    req.url = SHARC_SPAN("http://other.invalid/echo");
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *other = fetching_get_with(f, &req);
    sharc_buf_clear(&seen);
    fetching_body(other, &seen);
    assert_non_null(strstr(sharc_buf_str(&seen), "Referer"));
    assert_null(strstr(sharc_buf_str(&seen), "SECRET"));
    assert_null(strstr(sharc_buf_str(&seen), "Cookie"));
}

static void refuses_what_is_no_web_address(void **state)
{
    (void)state;
    fetching_ready();
    static const char *const urls[] = {"",        "no url",     "ftp://h.example/", "file:///etc/passwd",
                                       "http://", "http://a b/"};
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(urls[i])};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(fetcher, &req);
        assert_int_equal(r->state, SHARC_FETCH_BAD_URL);
        assert_int_equal(r->code, -7);
    }
    struct sharc_fetch_request req = {.url = SHARC_SPAN("http://no-such-host.invalid/")};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(fetcher, &req);
    assert_int_equal(r->state, SHARC_FETCH_DNS);
    assert_int_equal(r->code, -1);
}

/* --- what is sent -------------------------------------------------------- */

static void sends_what_it_says(void **state)
{
    (void)state;
    fetching_ready();
    SHARC_AUTO(sharc_freep)
    char *url = sharc_asprintf("http://user:secret@127.0.0.1:%u/echo/./a/%%2e/b|c'\"{}^`?q=\"'<>|{}#frag",
                               hostile_port("main"));
    struct sharc_http_field fields[] = {{SHARC_SPAN("If-None-Match"), SHARC_SPAN("\"abc\"")},
                                        {SHARC_SPAN("accept"), SHARC_SPAN("text/plain")},
                                        {SHARC_SPAN("X-Empty"), SHARC_SPAN("")}};
    struct sharc_fetch_request req = {.url = sharc_span_of(url), .fields = fields, .fields_count = 3};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(fetcher, &req);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seen = SHARC_BUF_INIT(1 << 20);
    fetching_body(r, &seen);
    assert_true(sharc_span_eq(sharc_buf_span(&seen), sharc_buf_span(&r->request))); /* as the server saw it */
    SHARC_AUTO(sharc_freep)
    char *want = sharc_asprintf("GET /echo/a/b|c'%%22%%7B%%7D%%5E%%60?q=%%22%%27%%3C%%3E|{} HTTP/1.1\r\n"
                                "Host: 127.0.0.1:%u\r\n"
                                "User-Agent: test\r\n"
                                "Accept-Encoding: gzip, br\r\n"
                                "If-None-Match: \"abc\"\r\n"
                                "accept: text/plain\r\n"
                                "X-Empty:\r\n\r\n",
                                hostile_port("main"));
    assert_string_equal(sharc_buf_str(&seen), want);
}

static void refuses_line_breaks_in_fields(void **state)
{
    (void)state;
    fetching_ready();
    static const struct sharc_http_field bad[] = {
        {{"X", 1}, {"a\r\nY: b", 7}}, {{"X", 1}, {"a\nb", 3}}, {{"X", 1}, {"a\0b", 3}},
        {{"X Y", 3}, {"a", 1}},       {{"X:", 2}, {"a", 1}},   {{"", 0}, {"a", 1}},
    };
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_fetch_request req = {.url = SHARC_SPAN("http://127.0.0.1/"), .fields = &bad[i], .fields_count = 1};
        assert_int_equal(sharc_fetcher_submit(fetcher, &req, NULL), SHARC_EINVAL);
    }
    assert_int_equal(sharc_fetcher_pending(fetcher), 0);
}

static void follows_nothing_and_remembers_nothing(void **state)
{
    (void)state;
    fetching_ready();
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *cookie = fetching_get("/cookie");
    assert_int_equal(cookie->code, 200);
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *echo = fetching_get("/echo");
    assert_null(strcasestr(sharc_buf_str(&echo->request), "cookie"));
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *self = fetching_get("/to-self");
    assert_int_equal(self->code, 302);
    assert_span(sharc_http_get(&self->http, "location"), "/to-self");
}

static void wrong_settings(void **state)
{
    (void)state;
    struct sharc_err err;
    struct sharc_fetcher *f = NULL;
    struct sharc_fetcher_settings s = {0};
    assert_int_equal(sharc_fetcher_new(&s, &f, &err), SHARC_EINVAL);
    s = fetching_usual();
    s.ipv4_only = s.ipv6_only = true;
    assert_int_equal(sharc_fetcher_new(&s, &f, &err), SHARC_EINVAL);
    s = fetching_usual();
    s.ca_file = "/no/such/file.pem";
    assert_int_equal(sharc_fetcher_new(&s, &f, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "/no/such/file.pem"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(refuses_private_addresses),
    cmocka_unit_test(goes_through_a_proxy),
    cmocka_unit_test(keeps_the_password_of_a_proxy),
    cmocka_unit_test(sends_secrets_home_and_archives_none),
    cmocka_unit_test(refuses_what_is_no_web_address),
    cmocka_unit_test(sends_what_it_says),
    cmocka_unit_test(refuses_line_breaks_in_fields),
    cmocka_unit_test(follows_nothing_and_remembers_nothing),
    cmocka_unit_test(wrong_settings),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, fetching_stop);
}
