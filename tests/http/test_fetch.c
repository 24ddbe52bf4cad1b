/* SPDX-License-Identifier: Apache-2.0
 *
 * The real fetcher against a server that does everything wrong: each case is
 * told for what it is, and what was received is kept byte for byte.
 */
#include "fetching.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>

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
    fetching_ready();
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get(cases[i].path);
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/bytes%s", cases[i].path);
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *truth = fetching_get(path);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf want = SHARC_BUF_INIT(32 << 20), got = SHARC_BUF_INIT(32 << 20);
        fetching_body(truth, &want);
        if (r->status > 0) sharc_buf_put(&got, sharc_buf_span(&r->interim));
        sharc_buf_put(&got, sharc_buf_span(&r->head));
        fetching_body(r, &got);
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
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url(site, path);
    struct sharc_fetch_request req = {.url = sharc_span_of(url), .max_body = 3 << 20};
    return fetching_get_with(f, &req);
}

/* Long enough that a head comes in time on a busy machine too. */
static void gives_up_in_time(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    s.max_time = 1500 * SHARC_MSEC;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    static const struct timed {
        const char *path;
        int code;
        const char *cut;
    } timed[] = {{"/drip", 200, "time"}, {"/stall", 200, "time"}, {"/silent", -4, NULL}};
    for (size_t i = 0; i < SHARC_LENGTH(timed); i++) {
        SHARC_AUTO(sharc_freep) char *url = fetching_url("main", timed[i].path);
        struct sharc_fetch_request req = {.url = sharc_span_of(url), .user = (void *)(uintptr_t)&timed[i]};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    }
    for (size_t i = 0; i < SHARC_LENGTH(timed); i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_take(f);
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
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
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
    fetching_ready();
    static const char *const paths[] = {"/endless", "/endless-chunked"};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) {
        SHARC_AUTO(sharc_freep) char *url = fetching_url("main", paths[i]);
        struct sharc_fetch_request req = {.url = sharc_span_of(url), .max_body = (64 << 20) + 1};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(fetcher, &req);
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
    fetching_ready();
    static const char *const paths[] = {"/endless", "/endless-chunked", "/ok"};
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) {
        int asked = 0;
        SHARC_AUTO(sharc_freep) char *url = fetching_url("main", paths[i]);
        struct sharc_fetch_request req = {.url = sharc_span_of(url), .wanted = refuse_html, .user = &asked};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(fetcher, &req);
        assert_int_equal(asked, 1);
        assert_int_equal(r->state, SHARC_FETCH_UNWANTED);
        assert_int_equal(r->status, 200);
        assert_int_equal(r->code, -5001);
        assert_int_equal(sharc_spool_size(&r->body), 0);
        SHARC_AUTO(sharc_freep) char *good = fetching_url("main", "/ok");
        struct sharc_fetch_request next = {.url = sharc_span_of(good)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *after = fetching_get_with(fetcher, &next);
        assert_int_equal(after->state, SHARC_FETCH_OK);
    }
}

static void tells_broken_connections_apart(void **state)
{
    (void)state;
    fetching_ready();
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
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get(broken[i].path);
        if (r->state != broken[i].state || r->code != broken[i].code ||
            !same_text(sharc_fetch_cut_text(r->cut), broken[i].cut))
            fail_msg("%s: %s, %d: %s", broken[i].path, sharc_fetch_state_word(r->state), r->code, r->text);
        assert_true(sharc_fetch_state_transient(r->state));
    }
    SHARC_AUTO(sharc_fetch_result_freep)
    struct sharc_fetch_result *r =
        fetching_get_with(fetcher,
                          &(struct sharc_fetch_request){.url = SHARC_SPAN("http://127.0.0.1:1/"), .user = &fetcher});
    assert_int_equal(r->state, SHARC_FETCH_CONNECT);
    assert_int_equal(r->code, -2);
    assert_int_equal(r->request.n, 0);
}

static void knows_the_chain(const struct sharc_fetch_result *r, bool verified)
{
    struct sharc_digest digest;
    assert_true(sharc_span_starts(sharc_span_of(r->tls.version), SHARC_SPAN("TLSv1.")));
    assert_true(sharc_span_starts(sharc_span_of(r->tls.cipher), SHARC_SPAN("TLS_")));
    assert_true(sharc_span_starts(sharc_buf_span(&r->tls.chain), SHARC_SPAN("-----BEGIN CERTIFICATE-----\n")));
    sharc_digest_of(SHARC_SHA256, sharc_buf_span(&r->tls.chain), &digest);
    assert_true(sharc_digest_eq(&digest, &r->tls.digest));
    assert_int_equal(r->tls.verified, verified);
    assert_false(r->tls.cut);
}

static void checks_certificates(void **state)
{
    (void)state;
    fetching_ready();
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
        struct sharc_fetcher_settings s = fetching_usual();
        s.ca_file = tls[i].ca ? hostile_ca() : NULL;
        s.insecure = tls[i].insecure;
        SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
        SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("https://127.0.0.1:%u/ok", hostile_port(tls[i].site));
        SHARC_AUTO(sharc_fetch_result_freep)
        struct sharc_fetch_result *r = fetching_get_with(f, &(struct sharc_fetch_request){.url = sharc_span_of(url)});
        if (r->state != tls[i].state || !strstr(r->text, tls[i].words))
            fail_msg("%s: %s: %s", tls[i].site, sharc_fetch_state_word(r->state), r->text);
        assert_int_equal(r->code, r->state == SHARC_FETCH_OK ? 200 : -2);
        if (r->state == SHARC_FETCH_OK)
            knows_the_chain(r, !tls[i].insecure);
        else
            assert_null(r->tls.version);
    }
}

/* The second download over the same connection tells as much as the first; one without TLS tells nothing. */
static void knows_what_secured_a_connection(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    s.ca_file = hostile_ca();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("https://127.0.0.1:%u/ok", hostile_port("tls"));
    struct sharc_fetch_request req = {.url = sharc_span_of(url)};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *first = fetching_get_with(f, &req);
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *second = fetching_get_with(f, &req);
    knows_the_chain(first, true);
    knows_the_chain(second, true);
    assert_true(second->reused);
    assert_true(sharc_digest_eq(&first->tls.digest, &second->tls.digest));
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *plain = fetching_get("/ok");
    assert_null(plain->tls.version);
    assert_int_equal(plain->tls.chain.n, 0);
}

/* --- the decoded view ---------------------------------------------------- */

static void decodes_for_analysis(void **state)
{
    (void)state;
    fetching_ready();
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
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get(decoded[i].path);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
        struct sharc_http_body_state s = {0};
        int got = sharc_fetch_decode(r, &out, &s, NULL);
        if (got != decoded[i].result || !sharc_span_starts(sharc_buf_span(&out), sharc_span_of(decoded[i].starts)) ||
            (decoded[i].size && out.n != decoded[i].size) || s.not_coded != decoded[i].not_coded ||
            s.not_chunked != decoded[i].not_chunked || s.truncated != decoded[i].truncated)
            fail_msg("%s: %d, %zu bytes", decoded[i].path, got, out.n);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_answer_for_what_it_is),   cmocka_unit_test(gives_up_in_time),
    cmocka_unit_test(gives_up_when_it_is_too_slow), cmocka_unit_test(cuts_what_has_no_end),
    cmocka_unit_test(ends_what_is_not_wanted),      cmocka_unit_test(tells_broken_connections_apart),
    cmocka_unit_test(checks_certificates),          cmocka_unit_test(knows_what_secured_a_connection),
    cmocka_unit_test(decodes_for_analysis),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, fetching_stop);
}
