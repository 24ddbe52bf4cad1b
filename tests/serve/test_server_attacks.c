/* SPDX-License-Identifier: Apache-2.0
 *
 * The server among hosts, requests and clients that mean no good.
 */
#include "server_test.h"

#include "sharc/base_rng.h"

#include <sys/resource.h>
#include <unistd.h>

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

/* "\u202e" turns the order of characters around, so that an address reads like another one. */
static void test_addresses_cannot_be_disguised(void **state)
{
    struct story *s = *state;
    static const char disguised[] = "http://a.example/\xe2\x80\xaegnp.exe";
    static const char *const pages[] = {"/view/web/20261101100000/", "/web/*/", "/web/20261101100000/"};
    warc_answer(s->w, 0, disguised, HTML "<img src=\"/\xe2\x80\xaegpj.exe\">");
    serve(s);
    for (size_t i = 0; i < SHARC_LENGTH(pages); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf target = SHARC_BUF_INIT(1000);
        sharc_buf_printf(&target, "%shttp://a.example/%s%%E2%%80%%AEgnp.exe", pages[i], i == 2 ? "no/" : "");
        SHARC_AUTO(sharc_freep) char *page = get(i == 2 ? s->replay : s->pages, sharc_buf_str(&target));
        assert_null(strstr(page, "\xe2\x80\xae"));
        assert_non_null(strstr(page, "%E2%80%AEgnp.exe"));
    }
    SHARC_AUTO(sharc_freep) char *all = get(s->pages, "/web/*/*");
    assert_null(strstr(all, "\xe2\x80\xae"));
}

/* Where the files lie is nobody's business. */
static void test_paths_are_not_told(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    serve(s);
    static const char *const questions[] = {"/cdx?url=*",
                                            "/cdx?url=*&output=json",
                                            "/cdx?url=*&fl=filename",
                                            "/cdx?url=*&filter=filename:a.warc",
                                            "/cdx?url=*&filter==filename:a.warc.gz",
                                            "/files/"};
    for (size_t i = 0; i < SHARC_LENGTH(questions); i++) {
        SHARC_AUTO(sharc_freep) char *answer = get(s->pages, questions[i]);
        if (!strstr(answer, ".warc")) fail_msg("%s: %s", questions[i], answer);
        assert_null(strstr(answer, s->dir));
        assert_null(strstr(answer, s->dir + 1)); /* a path without its first slash is one, too */
    }
    /* Nor can they be guessed, letter by letter. */
    static const char *const guesses[] = {"filename:", "~filename:.*", "!~filename:(?!.*", "!filename:"};
    for (size_t i = 0; i < SHARC_LENGTH(guesses); i++) {
        SHARC_AUTO(sharc_freep)
        char *target = sharc_asprintf("/cdx?url=*&filter=%s%.9s", guesses[i], s->dir + 1);
        SHARC_AUTO(sharc_freep) char *answer = get(s->pages, target);
        bool found = strstr(answer, "a.warc.gz") != NULL;
        if (status_of(answer) == 200 && found != (i == 3)) fail_msg("%s: %s", target, answer);
    }
}

/* An index that names a whole path, and records that are not there. */
static void test_failures_tell_no_paths(void **state)
{
    struct story *s = *state;
    static const char *const ways[] = {"/web/20261101100000/", "/web/20261101100000id_/", "/timegate/"};
    static const char *const urls[] = {"http://a.example/far", "http://a.example/gone", "http://a.example/none"};
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, "index.cdxj");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf lines = SHARC_BUF_INIT(4096);
    sharc_buf_printf(
        &lines,
        "example,a)/far 20261101100000 {\"url\": \"http://a.example/far\", \"offset\": \"99999999\", "
        "\"length\": \"5\", \"filename\": \"%s/a.warc.gz\"}\n"
        "example,a)/gone 20261101100000 {\"url\": \"http://a.example/gone\", \"offset\": \"0\", \"length\": "
        "\"5\", \"filename\": \"%s/b.warc.gz\"}\n",
        s->dir, s->dir);
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_file_replace(path, sharc_buf_span(&lines), &err), &err);
    s->index = path;
    serve(s);
    for (size_t i = 0; i < SHARC_LENGTH(ways); i++)
        for (size_t k = 0; k < SHARC_LENGTH(urls); k++) {
            SHARC_AUTO(sharc_freep) char *target = sharc_asprintf("%s%s", ways[i], urls[k]);
            SHARC_AUTO(sharc_freep) char *answer = get(s->replay, target);
            if (status_of(answer) < 400) fail_msg("%s: %s", target, answer);
            if (strstr(answer, s->dir + 1)) fail_msg("%s: %s", target, answer);
        }
    SHARC_AUTO(sharc_freep) char *all = get(s->pages, "/cdx?url=*");
    assert_non_null(strstr(all, "\"b.warc.gz\""));
    assert_null(strstr(all, s->dir + 1));
    SHARC_AUTO(sharc_freep) char *view = get(s->pages, "/view/web/20261101100000/http://a.example/far");
    assert_null(strstr(view, s->dir + 1));
    SHARC_AUTO(sharc_freep) char *asked = get(s->pages, "/api/coherence?url=http://a.example/far");
    assert_null(strstr(asked, s->dir + 1));
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

static long peak_memory(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss; /* KiB */
}

/* What ThreadSanitizer keeps of each byte would be most of what is measured. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define MEMORY_IS_OURS false
#endif
#endif
#ifndef MEMORY_IS_OURS
#define MEMORY_IS_OURS true
#endif

/* 1,000 readers at once, each of pages, a large file that it takes slowly, and the index. */
static void test_a_thousand_readers(void **state)
{
    struct story *s = *state;
    enum { READERS = 1000 };
    static int fds[READERS];
    struct rlimit files;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_cur < 2200) {
        files.rlim_cur = files.rlim_max < 2200 ? files.rlim_max : 2200;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur < 2200) skip();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf large = SHARC_BUF_INIT(16u << 20);
    sharc_buf_put_str(&large, "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n");
    for (int i = 0; i < 1000000; i++) sharc_buf_printf(&large, "%08d", i);
    warc_answer(s->w, 0, "http://a.example/large", sharc_buf_str(&large));
    warc_answer(s->w, 0, "http://a.example/", HTML "<a href=x>quick</a>");
    serve(s);
    static const char *const targets[] = {"/web/20261101100000/http://a.example/",
                                          "/web/20261101100000im_/http://a.example/large",
                                          "/web/20261101100000id_/http://a.example/",
                                          "/timemap/link/http://a.example/"};
    long before = peak_memory();
    for (int i = 0; i < READERS; i++) {
        SHARC_AUTO(sharc_freep)
        char *request = sharc_asprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                                       targets[i % SHARC_LENGTH(targets)]);
        fds[i] = client_dial(s->replay);
        client_send(fds[i], request, strlen(request));
    }
    unsigned whole = 0, busy = 0;
    for (int i = 0; i < READERS; i++) {
        char *answer = client_read(fds[i]);
        int status = status_of(answer);
        if (status != 200 && status != 503) fail_msg("%s", answer);
        bool large_one = i % SHARC_LENGTH(targets) == 1;
        whole += status == 200 && strlen(body_of(answer)) > (large_one ? 7999999 : 10);
        busy += status == 503;
        free(answer);
    }
    assert_int_equal(whole + busy, READERS);
    assert_true(whole >= READERS * 3 / 4);
    if (MEMORY_IS_OURS) assert_true(peak_memory() - before < 512 * 1024); /* --memory, and 1,000 connections */
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_hosts, begin, end),
    cmocka_unit_test_setup_teardown(test_behind_a_proxy, begin, end),
    cmocka_unit_test_setup_teardown(test_addresses_cannot_be_disguised, begin, end),
    cmocka_unit_test_setup_teardown(test_paths_are_not_told, begin, end),
    cmocka_unit_test_setup_teardown(test_failures_tell_no_paths, begin, end),
    cmocka_unit_test_setup_teardown(test_malformed_requests, begin, end),
    cmocka_unit_test_setup_teardown(test_slow_clients_block_nobody, begin, end),
    cmocka_unit_test_setup_teardown(test_a_thousand_readers, begin, end),
    cmocka_unit_test_setup_teardown(test_memory_is_bounded, begin, end),
};
TEST_MAIN(tests)
