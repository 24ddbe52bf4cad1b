/* SPDX-License-Identifier: Apache-2.0
 *
 * The real fetcher against a server that does everything wrong: each case is
 * told for what it is, and what was received is kept byte for byte.
 */
#include "test.h"

#include "hostile.h"
#include "sharc/http_fetch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sharc_fetcher *fetcher;

static struct sharc_fetcher_settings usual(void)
{
    return (struct sharc_fetcher_settings){
        .clock = sharc_clock_real(),
        .allow_private = true,
        .user_agent = "test",
        .max_time = 20 * SHARC_SEC,
        .max_body = 8 << 20,
        .spool_at = 64 << 10,
    };
}

static struct sharc_fetcher *with(const struct sharc_fetcher_settings *s)
{
    struct sharc_err err;
    struct sharc_fetcher *f = NULL;
    if (sharc_fetcher_new(s, &f, &err) < 0) fail_msg("%s", err.text);
    return f;
}

static int stop(void **state)
{
    (void)state;
    sharc_fetcher_freep(&fetcher);
    hostile_stop();
    return 0;
}

/* Lazily, so that a missing python3 skips each test instead of failing all. */
static void ready(void)
{
    static bool started;
    if (!started) hostile_start();
    started = true;
    if (fetcher) return;
    struct sharc_fetcher_settings s = usual();
    fetcher = with(&s);
}

static struct sharc_fetch_result *take(struct sharc_fetcher *f)
{
    struct sharc_err err;
    struct sharc_fetch_result *r = NULL;
    int n = sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, &err);
    if (n < 0) fail_msg("%s", err.text);
    assert_int_equal(n, 1);
    return r;
}

static struct sharc_fetch_result *get_with(struct sharc_fetcher *f, const struct sharc_fetch_request *req)
{
    struct sharc_err err;
    if (sharc_fetcher_submit(f, req, &err) < 0) fail_msg("%s", err.text);
    struct sharc_fetch_result *r = take(f);
    assert_ptr_equal(r->user, req->user);
    assert_true(r->code != 0);
    assert_true(r->end >= r->start);
    assert_true((r->state == SHARC_FETCH_OK) == (r->text[0] == 0));
    return r;
}

static char *url_of(const char *site, const char *path)
{
    return sharc_asprintf("http://127.0.0.1:%u%s", hostile_port(site), path);
}

static struct sharc_fetch_result *get(const char *path)
{
    SHARC_AUTO(sharc_freep) char *url = url_of("main", path);
    return get_with(fetcher, &(struct sharc_fetch_request){.url = sharc_span_of(url), .user = &fetcher});
}

/* The whole body, whether in memory or in a file. */
static void read_body(const struct sharc_fetch_result *r, struct sharc_buf *out)
{
    struct sharc_spool_reader reader = {.spool = &r->body};
    struct sharc_span piece;
    size_t before = out->n;
    while (sharc_spool_pull(&reader, &piece, NULL) > 0) assert_int_equal(sharc_buf_put(out, piece), 0);
    sharc_spool_reader_done(&reader);
    assert_int_equal(out->n - before, sharc_spool_size(&r->body));
}

/* --- every way to answer -------------------------------------------------- */

enum { ALL, CUT, NO_HEAD }; /* of the server's bytes: all kept, a beginning, none */

static const struct {
    const char *path;
    enum sharc_fetch_state state;
    int code;
    const char *cut;
    int kept;
} cases[] = {
    {"/ok", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/gzip", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/lf-only", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/folded", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/no-reason", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/http10", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/interim", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/chunks", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/short", SHARC_FETCH_SHORT, 200, "disconnect", ALL},
    {"/long", SHARC_FETCH_OK, 200, NULL, CUT},
    {"/bad-length", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/two-lengths", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/negative-length", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/bad-chunk", SHARC_FETCH_BAD_MESSAGE, 200, "unspecified", CUT},
    {"/cut-chunk", SHARC_FETCH_SHORT, 200, "disconnect", ALL},
    {"/not-chunked", SHARC_FETCH_BAD_MESSAGE, 200, "unspecified", CUT},
    {"/not-gzip", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/cut-gzip", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/bomb", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/bomb-twice", SHARC_FETCH_OK, 200, NULL, ALL},
    {"/big-head", SHARC_FETCH_HEAD_TOO_LARGE, -5, NULL, NO_HEAD},
    {"/many-heads", SHARC_FETCH_HEAD_TOO_LARGE, -5, NULL, NO_HEAD},
    {"/many-interim", SHARC_FETCH_HEAD_TOO_LARGE, -5, NULL, NO_HEAD},
    {"/no-colon", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/garbage", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/http09", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/bad-status", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/huge-status", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/nul-head", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/cut-head", SHARC_FETCH_BAD_MESSAGE, -5, NULL, NO_HEAD},
    {"/to-private", SHARC_FETCH_OK, 302, NULL, ALL},
    {"/to-file", SHARC_FETCH_OK, 302, NULL, ALL},
    {"/to-self", SHARC_FETCH_OK, 302, NULL, ALL},
    {"/429", SHARC_FETCH_OK, 429, NULL, ALL},
    {"/503", SHARC_FETCH_OK, 503, NULL, ALL},
    {"/links", SHARC_FETCH_OK, 200, NULL, ALL},
};

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool kept_as_said(int kept, struct sharc_span got, struct sharc_span want)
{
    if (kept == ALL) return sharc_span_eq(got, want);
    if (kept == CUT) return got.n > 0 && sharc_span_starts(want, got);
    return got.n == 0;
}

static void each_answer_for_what_it_is(void **state)
{
    (void)state;
    ready();
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get(cases[i].path);
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/bytes%s", cases[i].path);
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *truth = get(path);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf want = SHARC_BUF_INIT(32 << 20), got = SHARC_BUF_INIT(32 << 20);
        read_body(truth, &want);
        if (r->status > 0) sharc_buf_put(&got, sharc_buf_span(&r->interim));
        sharc_buf_put(&got, sharc_buf_span(&r->head));
        read_body(r, &got);
        if (r->state != cases[i].state || r->code != cases[i].code ||
            !same_text(sharc_fetch_cut_text(r->cut), cases[i].cut) ||
            r->excess != (strcmp(cases[i].path, "/long") == 0))
            fail_msg("%s: %s, %d: %s", cases[i].path, sharc_fetch_state_word(r->state), r->code, r->text);
        if (!kept_as_said(cases[i].kept, sharc_buf_span(&got), sharc_buf_span(&want)))
            fail_msg("%s: %zu bytes of %zu", cases[i].path, got.n, want.n);
        assert_true(r->http.status == r->status);
        assert_string_equal(r->ip, "127.0.0.1");
        assert_int_equal(r->port, hostile_port("main"));
    }
}

/* --- answers without end, connections that break ------------------------- */

static struct sharc_fetch_result *get_from(const struct sharc_fetcher_settings *s, const char *site, const char *path)
{
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(s);
    SHARC_AUTO(sharc_freep) char *url = url_of(site, path);
    struct sharc_fetch_request req = {.url = sharc_span_of(url), .max_body = 3 << 20};
    return get_with(f, &req);
}

/* Long enough that a head comes in time on a busy machine too. */
static void gives_up_in_time(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    s.max_time = 1500 * SHARC_MSEC;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    static const struct timed {
        const char *path;
        int code;
        const char *cut;
    } timed[] = {{"/drip", 200, "time"}, {"/stall", 200, "time"}, {"/silent", -4, NULL}};
    for (size_t i = 0; i < SHARC_LENGTH(timed); i++) {
        SHARC_AUTO(sharc_freep) char *url = url_of("main", timed[i].path);
        struct sharc_fetch_request req = {.url = sharc_span_of(url), .user = (void *)(uintptr_t)&timed[i]};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    }
    for (size_t i = 0; i < SHARC_LENGTH(timed); i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = take(f);
        const struct timed *t = r->user;
        if (r->state != SHARC_FETCH_TIMEOUT || r->code != t->code || !same_text(sharc_fetch_cut_text(r->cut), t->cut))
            fail_msg("%s: %s, %d: %s", t->path, sharc_fetch_state_word(r->state), r->code, r->text);
        assert_true(r->end - r->start >= s.max_time);
        assert_true((r->first_byte == SHARC_TIME_NONE) == (r->status == 0));
    }
}

static void gives_up_when_it_is_too_slow(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    s.max_time = 0;
    s.slow_bytes = 1000;
    s.slow_time = 2 * SHARC_SEC;
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_from(&s, "main", "/drip");
    assert_int_equal(r->state, SHARC_FETCH_SLOW);
    assert_string_equal(sharc_fetch_cut_text(r->cut), "time");
    assert_true(sharc_spool_size(&r->body) > 0);
}

static void cuts_what_has_no_end(void **state)
{
    (void)state;
    ready();
    static const char *const paths[] = {"/endless", "/endless-chunked"};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) {
        SHARC_AUTO(sharc_freep) char *url = url_of("main", paths[i]);
        struct sharc_fetch_request req = {.url = sharc_span_of(url), .max_body = (64 << 20) + 1};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(fetcher, &req);
        assert_int_equal(r->state, SHARC_FETCH_TOO_LARGE);
        assert_int_equal(r->code, 200);
        assert_string_equal(sharc_fetch_cut_text(r->cut), "length");
        assert_int_equal(sharc_spool_size(&r->body), (64 << 20) + 1);
        assert_true(r->body.fd >= 0);
        assert_int_equal(r->body.memory.n, 0);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 16 << 10); /* kilobytes; 128 MiB came */
}

static bool refuse_html(void *user, const struct sharc_fetch_result *r)
{
    ++*(int *)user;
    return !sharc_span_starts(sharc_http_get(&r->http, "Content-Type"), SHARC_SPAN("text/html"));
}

/* The head is enough to refuse a body without end; the next request is none the worse. */
static void ends_what_is_not_wanted(void **state)
{
    (void)state;
    ready();
    static const char *const paths[] = {"/endless", "/endless-chunked", "/ok"};
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) {
        int asked = 0;
        SHARC_AUTO(sharc_freep) char *url = url_of("main", paths[i]);
        struct sharc_fetch_request req = {.url = sharc_span_of(url), .wanted = refuse_html, .user = &asked};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(fetcher, &req);
        assert_int_equal(asked, 1);
        assert_int_equal(r->state, SHARC_FETCH_UNWANTED);
        assert_int_equal(r->status, 200);
        assert_int_equal(r->code, -5001);
        assert_int_equal(sharc_spool_size(&r->body), 0);
        SHARC_AUTO(sharc_freep) char *good = url_of("main", "/ok");
        struct sharc_fetch_request next = {.url = sharc_span_of(good)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *after = get_with(fetcher, &next);
        assert_int_equal(after->state, SHARC_FETCH_OK);
    }
}

static void tells_broken_connections_apart(void **state)
{
    (void)state;
    ready();
    static const struct {
        const char *path;
        enum sharc_fetch_state state;
        int code;
        const char *cut;
    } broken[] = {
        {"/reset", SHARC_FETCH_RESET, -3, NULL},
        {"/reset-body", SHARC_FETCH_RESET, 200, "disconnect"},
        {"/close", SHARC_FETCH_EMPTY, -3, NULL},
    };
    for (size_t i = 0; i < SHARC_LENGTH(broken); i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get(broken[i].path);
        if (r->state != broken[i].state || r->code != broken[i].code ||
            !same_text(sharc_fetch_cut_text(r->cut), broken[i].cut))
            fail_msg("%s: %s, %d: %s", broken[i].path, sharc_fetch_state_word(r->state), r->code, r->text);
        assert_true(sharc_fetch_state_transient(r->state));
    }
    SHARC_AUTO(sharc_fetch_result_freep)
    struct sharc_fetch_result *r =
        get_with(fetcher, &(struct sharc_fetch_request){.url = SHARC_SPAN("http://127.0.0.1:1/"), .user = &fetcher});
    assert_int_equal(r->state, SHARC_FETCH_CONNECT);
    assert_int_equal(r->code, -2);
    assert_int_equal(r->request.n, 0);
}

static void checks_certificates(void **state)
{
    (void)state;
    ready();
    static const struct {
        const char *site;
        bool ca, insecure;
        enum sharc_fetch_state state;
        const char *words;
    } tls[] = {
        {"tls", true, false, SHARC_FETCH_OK, ""},
        {"tls", false, false, SHARC_FETCH_TLS, "certificate"},
        {"tls-self", true, false, SHARC_FETCH_TLS, "self"},
        {"tls-host", true, false, SHARC_FETCH_TLS, "host"},
        {"tls-old", true, false, SHARC_FETCH_TLS, "expired"},
        {"tls-old", false, true, SHARC_FETCH_OK, ""},
        {"main", true, false, SHARC_FETCH_TLS, ""}, /* no TLS there at all */
    };
    for (size_t i = 0; i < SHARC_LENGTH(tls); i++) {
        struct sharc_fetcher_settings s = usual();
        s.ca_file = tls[i].ca ? hostile_ca() : NULL;
        s.insecure = tls[i].insecure;
        SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
        SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("https://127.0.0.1:%u/ok", hostile_port(tls[i].site));
        SHARC_AUTO(sharc_fetch_result_freep)
        struct sharc_fetch_result *r = get_with(f, &(struct sharc_fetch_request){.url = sharc_span_of(url)});
        if (r->state != tls[i].state || !strstr(r->text, tls[i].words))
            fail_msg("%s: %s: %s", tls[i].site, sharc_fetch_state_word(r->state), r->text);
        assert_int_equal(r->code, r->state == SHARC_FETCH_OK ? 200 : -2);
    }
}

/* --- where it may go ------------------------------------------------------ */

static void refuses_private_addresses(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    s.allow_private = false;
    /* A public name that leads to loopback, as a rebinding answer would. */
    SHARC_AUTO(sharc_freep) char *there = sharc_asprintf("::127.0.0.1:%u", hostile_port("main"));
    s.connect_to = (const char *const[]){there};
    s.connect_to_count = 1;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
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
        struct sharc_fetch_result *r = get_with(f, &(struct sharc_fetch_request){.url = sharc_span_of(urls[i])});
        if (r->state != SHARC_FETCH_PRIVATE || r->code != -5001)
            fail_msg("%s: %s: %s", urls[i], sharc_fetch_state_word(r->state), r->text);
        assert_int_equal(r->request.n, 0);
    }
    /* One request may; its connection does not serve those that may not. */
    for (int allowed = 1; allowed >= 0; allowed--) {
        struct sharc_fetch_request req = {.url = SHARC_SPAN("http://public.example/ok"), .allow_private = allowed};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
        assert_int_equal(r->state, allowed ? SHARC_FETCH_OK : SHARC_FETCH_PRIVATE);
        assert_true((r->request.n > 0) == allowed);
    }
}

static void goes_through_a_proxy(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_freep) char *proxy = url_of("main", "");
    s.proxy = proxy;
    s.allow_private = false;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    struct sharc_fetch_request req = {.url = SHARC_SPAN("http://public.example/echo?a=b")};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
    assert_int_equal(r->state, SHARC_FETCH_OK);
    assert_true(
        sharc_span_starts(sharc_buf_span(&r->request), SHARC_SPAN("GET http://public.example/echo?a=b HTTP/1.1\r\n")));
    req.url = SHARC_SPAN("http://10.1.2.3/");
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *no = get_with(f, &req);
    assert_int_equal(no->state, SHARC_FETCH_PRIVATE);
    req.url = SHARC_SPAN("https://public.example/");
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *tunnel = get_with(f, &req);
    assert_int_equal(tunnel->state, SHARC_FETCH_PROXY);
}

/* What a server saw of a request to http://public.example/echo through a proxy, and how the
 * request is kept for the archive. */
static void keeps_the_password_of_a_proxy(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_freep) char *proxy = sharc_asprintf("http://joe:SEC%%52ET@127.0.0.1:%u", hostile_port("main"));
    s.proxy = proxy;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    struct sharc_fetch_request req = {.url = SHARC_SPAN("http://public.example/echo")};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
    assert_int_equal(r->state, SHARC_FETCH_OK);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seen = SHARC_BUF_INIT(1 << 20);
    read_body(r, &seen);
    assert_non_null(strstr(sharc_buf_str(&seen), "Proxy-Authorization: Basic am9lOlNFQ1JFVA==\r\n")); /* joe:SECRET */
    assert_null(strstr(sharc_buf_str(&r->request), "am9l"));
    assert_non_null(strstr(sharc_buf_str(&r->request), "Proxy-Authorization: [withheld by sharc]\r\n"));
    req.url = SHARC_SPAN("https://public.example/"); /* a tunnel that is refused */
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *tunnel = get_with(f, &req);
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
    s = usual();
    s.allow_private = false;
    careful = with(&s);
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *refused = get_with(careful, &req);
    assert_int_equal(refused->state, SHARC_FETCH_PRIVATE);
    assert_null(strstr(refused->text, "SECRET"));
}

static void sends_secrets_home_and_archives_none(void **state)
{
    (void)state;
    ready();
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *secrets = sharc_secrets_new();
    struct sharc_cookie_count count;
    assert_int_equal(sharc_secrets_add_cookies(secrets, SHARC_SPAN("127.0.0.1\tFALSE\t/\tFALSE\t0\tid\tSECRET\n"), "x",
                                               0, &count, NULL),
                     0);
    SHARC_AUTO(sharc_freep) char *key = sharc_asprintf("127.0.0.1:%u=X-Key: SECRET", hostile_port("main"));
    assert_int_equal(sharc_secrets_add_header(secrets, sharc_span_of(key), NULL), 0);
    assert_int_equal(sharc_secrets_add_header(secrets, SHARC_SPAN("other.example=X-Other: SECRET"), NULL), 0);
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_freep) char *to = sharc_asprintf("other.invalid::127.0.0.1:%u", hostile_port("main"));
    const char *const connect_to[] = {to};
    s.secrets = secrets;
    s.connect_to = connect_to;
    s.connect_to_count = 1;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    SHARC_AUTO(sharc_freep) char *url = url_of("main", "/echo");
    struct sharc_http_field own = {SHARC_SPAN("Referer"), SHARC_SPAN("http://h/")};
    struct sharc_fetch_request req = {.url = sharc_span_of(url), .fields = &own, .fields_count = 1};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seen = SHARC_BUF_INIT(1 << 20);
    read_body(r, &seen);
    assert_non_null(
        strstr(sharc_buf_str(&seen), "\r\nReferer: http://h/\r\nX-Key: SECRET\r\nCookie: id=SECRET\r\n\r\n"));
    assert_non_null(strstr(sharc_buf_str(&r->request), "\r\nReferer: http://h/\r\nX-Key: [withheld by sharc]\r\n"
                                                       "Cookie: [withheld by sharc]\r\n\r\n"));
    /* the same server by another name: a redirect that the caller follows */
    req.url = SHARC_SPAN("http://other.invalid/echo");
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *other = get_with(f, &req);
    sharc_buf_clear(&seen);
    read_body(other, &seen);
    assert_non_null(strstr(sharc_buf_str(&seen), "Referer"));
    assert_null(strstr(sharc_buf_str(&seen), "SECRET"));
    assert_null(strstr(sharc_buf_str(&seen), "Cookie"));
}

static void refuses_what_is_no_web_address(void **state)
{
    (void)state;
    ready();
    static const char *const urls[] = {"",        "no url",     "ftp://h.example/", "file:///etc/passwd",
                                       "http://", "http://a b/"};
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(urls[i])};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(fetcher, &req);
        assert_int_equal(r->state, SHARC_FETCH_BAD_URL);
        assert_int_equal(r->code, -7);
    }
    struct sharc_fetch_request req = {.url = SHARC_SPAN("http://no-such-host.invalid/")};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(fetcher, &req);
    assert_int_equal(r->state, SHARC_FETCH_DNS);
    assert_int_equal(r->code, -1);
}

/* --- what is sent -------------------------------------------------------- */

static void sends_what_it_says(void **state)
{
    (void)state;
    ready();
    SHARC_AUTO(sharc_freep)
    char *url = sharc_asprintf("http://user:secret@127.0.0.1:%u/echo/./a/%%2e/b|c'\"{}^`?q=\"'<>|{}#frag",
                               hostile_port("main"));
    struct sharc_http_field fields[] = {{SHARC_SPAN("If-None-Match"), SHARC_SPAN("\"abc\"")},
                                        {SHARC_SPAN("accept"), SHARC_SPAN("text/plain")},
                                        {SHARC_SPAN("X-Empty"), SHARC_SPAN("")}};
    struct sharc_fetch_request req = {.url = sharc_span_of(url), .fields = fields, .fields_count = 3};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(fetcher, &req);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seen = SHARC_BUF_INIT(1 << 20);
    read_body(r, &seen);
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
    ready();
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
    ready();
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *cookie = get("/cookie");
    assert_int_equal(cookie->code, 200);
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *echo = get("/echo");
    assert_null(strcasestr(sharc_buf_str(&echo->request), "cookie"));
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *self = get("/to-self");
    assert_int_equal(self->code, 302);
    assert_span(sharc_http_get(&self->http, "location"), "/to-self");
}

static void uses_connections_again(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    SHARC_AUTO(sharc_freep) char *url = url_of("main", "/ok");
    for (int i = 0; i < 3; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
        assert_int_equal(r->reused, i > 0);
        assert_true(r->first_byte >= r->start && r->end >= r->first_byte);
        assert_string_equal(r->protocol, "http/1.1");
    }
}

static void notices_connections_that_were_closed(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    SHARC_AUTO(sharc_freep) char *url = url_of("main", "/hang-up");
    struct sharc_clock *clock = sharc_clock_real();
    for (int i = 0; i < 3; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        struct sharc_fetch_result *none = NULL;
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
        if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
        assert_false(r->reused);
        /* The other end goes while nothing is under way; waiting must not turn into spinning. */
        double cpu = sharc_clock_cpu();
        assert_int_equal(sharc_fetcher_wait(f, clock->now(clock) + 200 * SHARC_MSEC, NULL, &none, NULL), 0);
        assert_true(sharc_clock_cpu() - cpu < 0.1);
    }
}

/* A kept connection that dies under the next request is no failure of that
 * request, however often it happens. */
static void asks_again_when_a_kept_connection_dies(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    SHARC_AUTO(sharc_freep) char *url = url_of("main", "/fickle");
    for (int i = 0; i < 15; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
        if (r->state != SHARC_FETCH_OK) fail_msg("request %d: %s", i, r->text);
        assert_true(sharc_span_ends(sharc_buf_span(&r->request), SHARC_SPAN("\r\n\r\n")));
        assert_int_equal(sharc_span_search(sharc_span_from(sharc_buf_span(&r->request), 1), SHARC_SPAN("GET ")),
                         SHARC_NPOS);
    }
}

static void get_echo(struct sharc_fetcher *f, const char *site, const char *path)
{
    bool tls = strcmp(site, "tls") == 0;
    SHARC_AUTO(sharc_freep)
    char *url = sharc_asprintf("http%s://127.0.0.1:%u%s", tls ? "s" : "", hostile_port(site), path);
    struct sharc_fetch_request req = {.url = sharc_span_of(url)};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
    if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
    assert_int_equal(r->status, 200);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(1 << 20);
    read_body(r, &body);
    if (!sharc_span_eq(sharc_buf_span(&body), sharc_buf_span(&r->request)))
        fail_msg("another page's answer: %s", body.p);
}

/* Bytes that come while nobody has asked for anything answer no request, whether the loop ran when
 * they came or not. */
static void takes_no_answer_that_came_before_the_question(void **state)
{
    (void)state;
    ready();
    struct sharc_clock *clock = sharc_clock_real();
    static const char *const sites[] = {"main", "tls"};
    for (int looping = 0; looping < 2; looping++) {
        for (size_t i = 0; i < SHARC_LENGTH(sites); i++) {
            struct sharc_fetcher_settings s = usual();
            s.ca_file = hostile_ca();
            SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
            for (int round = 0; round < 7; round++) {
                SHARC_AUTO(sharc_freep)
                char *url = sharc_asprintf("http%s://127.0.0.1:%u/late", i ? "s" : "", hostile_port(sites[i]));
                struct sharc_fetch_request req = {.url = sharc_span_of(url)};
                struct sharc_fetch_result *none = NULL;
                SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
                assert_int_equal(r->status, 200);
                if (looping)
                    assert_int_equal(sharc_fetcher_wait(f, clock->now(clock) + 150 * SHARC_MSEC, NULL, &none, NULL), 0);
                else
                    usleep(150000);
                get_echo(f, sites[i], "/echo");
            }
        }
    }
}

/* The rest of a body longer than announced comes just before the next answer: nothing can tell
 * them apart but that they make no sense. */
static void asks_again_when_a_used_connection_makes_no_sense(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    for (int i = 0; i < 7; i++) {
        SHARC_AUTO(sharc_freep) char *url = url_of("main", "/miscounted");
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
        if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
        get_echo(f, "main", "/echo");
    }
    /* On a new connection it is what it is. */
    SHARC_AUTO(sharc_freep) char *url = url_of("main", "/garbage");
    struct sharc_fetch_request req = {.url = sharc_span_of(url)};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get_with(f, &req);
    assert_int_equal(r->state, SHARC_FETCH_BAD_MESSAGE);
    assert_false(r->reused);
}

/* --- HTTP/2 -------------------------------------------------------------- */

static unsigned free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static pid_t start_nginx(const char *dir, unsigned port)
{
    SHARC_AUTO(sharc_freep) char *conf = sharc_asprintf("%s/nginx.conf", dir);
    SHARC_AUTO(sharc_freep) char *certs = sharc_strndup(hostile_ca(), strlen(hostile_ca()) - strlen("ca.pem"));
    FILE *f = fopen(conf, "w");
    fprintf(f,
            "daemon off; master_process off; pid %s/pid; error_log %s/error.log; events {}\n"
            "http { access_log off; client_body_temp_path %s; proxy_temp_path %s; fastcgi_temp_path %s;\n"
            "uwsgi_temp_path %s; scgi_temp_path %s; ssl_certificate %stls.pem; ssl_certificate_key %stls.key;\n"
            "server { listen 127.0.0.1:%u ssl http2; location / { add_header X-A b; return 200 hello; } } }\n",
            dir, dir, dir, dir, dir, dir, dir, certs, certs, port);
    fclose(f);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 2);
        execlp("nginx", "nginx", "-c", conf, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void writes_http2_as_http1(void **state)
{
    (void)state;
    ready();
    char *dir = test_mkdir();
    unsigned port = free_port();
    pid_t server = start_nginx(dir, port);
    struct sharc_fetcher_settings s = usual();
    s.http2 = true;
    s.ca_file = hostile_ca();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("https://127.0.0.1:%u/a?b", port);
    struct sharc_fetch_request req = {.url = sharc_span_of(url)};
    struct sharc_fetch_result *r = get_with(f, &req);
    int status = 0;
    while (r->state == SHARC_FETCH_CONNECT && waitpid(server, &status, WNOHANG) == 0) { /* it is starting */
        sharc_fetch_result_free(r);
        usleep(20000);
        r = get_with(f, &req);
    }
    bool started = r->state != SHARC_FETCH_CONNECT;
    if (started) {
        kill(server, SIGTERM);
        waitpid(server, &status, 0);
    }
    test_rmdir(dir);
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *kept = r;
    if (!started) skip();
    if (kept->state != SHARC_FETCH_OK) fail_msg("%s", kept->text);
    assert_string_equal(kept->protocol, "h2");
    assert_int_equal(kept->http.major, 1);
    assert_true(sharc_span_starts(sharc_buf_span(&kept->head), SHARC_SPAN("HTTP/1.1 200 ")));
    assert_span(sharc_http_get(&kept->http, "x-a"), "b");
    assert_true(sharc_span_starts(sharc_buf_span(&kept->request), SHARC_SPAN("GET /a?b HTTP/1.1\r\n")));
    assert_string_equal(sharc_buf_str(&kept->body.memory), "hello");
}

/* --- many at once -------------------------------------------------------- */

static void many_at_once_in_bounded_memory(void **state)
{
    (void)state;
    ready();
    enum { MANY = 300 };
    struct sharc_fetcher_settings s = usual();
    s.memory = 1 << 20; /* so most of these must wait in files */
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    SHARC_AUTO(sharc_freep) char *small = url_of("main", "/ok"), *big = url_of("main", "/bytes/bomb");
    bool seen[MANY] = {0};
    for (size_t i = 0; i < MANY; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(i % 10 ? small : big), .user = &seen[i]};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    }
    assert_int_equal(sharc_fetcher_pending(f), MANY);
    for (size_t i = 0; i < MANY; i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = take(f);
        if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
        assert_false(*(bool *)r->user);
        *(bool *)r->user = true;
    }
    assert_int_equal(sharc_fetcher_pending(f), 0);
    struct sharc_fetch_result *none;
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &none, NULL), 0);
}

/* Twenty bodies of which two fit: the others wait, all arrive, and the disk never holds more
 * than was allowed and one body. */
static void waits_for_room_on_disk(void **state)
{
    (void)state;
    ready();
    enum { MANY = 20 };
    char *dir = test_mkdir();
    struct sharc_fetcher_settings s = usual();
    s.spool_dir = dir;
    s.spool_at = 1 << 10;
    s.files = 100000;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    SHARC_AUTO(sharc_freep) char *url = url_of("main", "/bytes/bomb"); /* 65 kB */
    for (size_t i = 0; i < MANY; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    }
    uint64_t size = 0;
    for (size_t i = 0; i < MANY; i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = take(f);
        if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
        assert_true(r->body.fd >= 0);
        if (i == 0) size = sharc_spool_size(&r->body);
        assert_true(size > 50000);
        assert_int_equal(sharc_spool_size(&r->body), size);
    }
    assert_int_equal(sharc_fetcher_pending(f), 0);
    test_rmdir(dir);
}

static void says_that_files_are_too_few(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit few = {16, 16};
        struct sharc_fetcher_settings s = usual();
        struct sharc_fetcher *f = NULL;
        struct sharc_err err;
        setrlimit(RLIMIT_NOFILE, &few);
        int r = sharc_fetcher_new(&s, &f, &err);
        _exit(r == SHARC_ELIMIT && strstr(err.text, "ulimit -n") && strstr(err.text, "16") ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void stops_when_told(void **state)
{
    (void)state;
    ready();
    struct sharc_fetcher_settings s = usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = with(&s);
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_fetch_result *r;
    volatile bool halt = true;
    SHARC_AUTO(sharc_freep) char *silent = url_of("main", "/silent"), *drip = url_of("main", "/stall");
    struct sharc_fetch_request req = {.url = sharc_span_of(silent)};
    assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    req.url = sharc_span_of(drip);
    assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    /* a deadline, with and without work under way */
    sharc_time deadline = clock->now(clock) + 1500 * SHARC_MSEC; /* the beginning of a body comes meanwhile */
    assert_int_equal(sharc_fetcher_wait(f, deadline, NULL, &r, NULL), 0);
    assert_true(clock->now(clock) >= deadline);
    /* a flag */
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, &halt, &r, NULL), SHARC_EINTR);
    /* a call from elsewhere */
    sharc_fetcher_wake(f);
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, NULL), 0);
    /* all of it */
    sharc_fetcher_abort(f);
    assert_int_equal(sharc_fetcher_pending(f), 2);
    int with_head = 0;
    for (int i = 0; i < 2; i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *a = take(f);
        assert_int_equal(a->state, SHARC_FETCH_ABORTED);
        assert_true(a->code == -7000 || (a->code == 200 && sharc_spool_size(&a->body) == 4));
        with_head += a->code == 200;
    }
    assert_int_equal(with_head, 1);
    deadline = clock->now(clock) + 20 * SHARC_MSEC;
    assert_int_equal(sharc_fetcher_wait(f, deadline, NULL, &r, NULL), 0);
    assert_true(clock->now(clock) >= deadline);
    /* freed with work under way */
    assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
}

/* --- the decoded view ---------------------------------------------------- */

static void decodes_for_analysis(void **state)
{
    (void)state;
    ready();
    static const struct {
        const char *path;
        int result;
        const char *starts;
        size_t size; /* 0: any */
        bool not_coded, not_chunked, truncated;
    } decoded[] = {
        {"/gzip", 0, "<!DOCTYPE html><title>plain", 0, false, false, false},
        {"/chunks", 0, "Wikipedia", 9, false, false, false},
        {"/not-gzip", 0, "<!DOCTYPE html><title>plain", 0, true, false, false},
        {"/cut-gzip", 0, "<!DOCTYPE html>", 0, false, false, true},
        {"/cut-chunk", 0, "Wikiped", 7, false, false, true},
        {"/bomb", SHARC_ELIMIT, "<p>", 1 << 20, false, false, false},
        {"/bomb-twice", SHARC_ELIMIT, "", 0, false, false, false},
    };
    for (size_t i = 0; i < SHARC_LENGTH(decoded); i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = get(decoded[i].path);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
        struct sharc_http_body_state s = {0};
        int got = sharc_fetch_decode(r, &out, &s, NULL);
        if (got != decoded[i].result || !sharc_span_starts(sharc_buf_span(&out), sharc_span_of(decoded[i].starts)) ||
            (decoded[i].size && out.n != decoded[i].size) || s.not_coded != decoded[i].not_coded ||
            s.not_chunked != decoded[i].not_chunked || s.truncated != decoded[i].truncated)
            fail_msg("%s: %d, %zu bytes", decoded[i].path, got, out.n);
    }
}

static void wrong_settings(void **state)
{
    (void)state;
    struct sharc_err err;
    struct sharc_fetcher *f = NULL;
    struct sharc_fetcher_settings s = {0};
    assert_int_equal(sharc_fetcher_new(&s, &f, &err), SHARC_EINVAL);
    s = usual();
    s.ipv4_only = s.ipv6_only = true;
    assert_int_equal(sharc_fetcher_new(&s, &f, &err), SHARC_EINVAL);
    s = usual();
    s.ca_file = "/no/such/file.pem";
    assert_int_equal(sharc_fetcher_new(&s, &f, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "/no/such/file.pem"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_answer_for_what_it_is),
    cmocka_unit_test(gives_up_in_time),
    cmocka_unit_test(gives_up_when_it_is_too_slow),
    cmocka_unit_test(cuts_what_has_no_end),
    cmocka_unit_test(ends_what_is_not_wanted),
    cmocka_unit_test(tells_broken_connections_apart),
    cmocka_unit_test(checks_certificates),
    cmocka_unit_test(refuses_private_addresses),
    cmocka_unit_test(goes_through_a_proxy),
    cmocka_unit_test(keeps_the_password_of_a_proxy),
    cmocka_unit_test(sends_secrets_home_and_archives_none),
    cmocka_unit_test(refuses_what_is_no_web_address),
    cmocka_unit_test(sends_what_it_says),
    cmocka_unit_test(refuses_line_breaks_in_fields),
    cmocka_unit_test(follows_nothing_and_remembers_nothing),
    cmocka_unit_test(uses_connections_again),
    cmocka_unit_test(notices_connections_that_were_closed),
    cmocka_unit_test(asks_again_when_a_kept_connection_dies),
    cmocka_unit_test(takes_no_answer_that_came_before_the_question),
    cmocka_unit_test(asks_again_when_a_used_connection_makes_no_sense),
    cmocka_unit_test(writes_http2_as_http1),
    cmocka_unit_test(many_at_once_in_bounded_memory),
    cmocka_unit_test(waits_for_room_on_disk),
    cmocka_unit_test(says_that_files_are_too_few),
    cmocka_unit_test(stops_when_told),
    cmocka_unit_test(decodes_for_analysis),
    cmocka_unit_test(wrong_settings),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, stop);
}
