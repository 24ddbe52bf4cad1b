/* SPDX-License-Identifier: Apache-2.0
 *
 * The fetcher and its connections: kept ones, HTTP/2, many at once, and the end.
 */
#include "fetching.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void uses_connections_again(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/ok");
    for (int i = 0; i < 3; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
        assert_int_equal(r->reused, i > 0);
        assert_true(r->first_byte >= r->start && r->end >= r->first_byte);
        assert_string_equal(r->protocol, "http/1.1");
    }
}

/* A connection may have its next request, and the answer to that, before the end of the one before is looked at: that
 * is no input behind an answer. */
static void many_at_once_share_connections(void **state)
{
    (void)state;
    enum { ROUNDS = 40, AT_ONCE = 8 };
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/ok");
    struct sharc_fetch_request req = {.url = sharc_span_of(url)};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < AT_ONCE; i++) assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
        for (int i = 0; i < AT_ONCE; i++) {
            SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_take(f);
            assert_int_equal(r->state, SHARC_FETCH_OK);
            assert_false(r->distrusted);
        }
    }
}

static void notices_connections_that_were_closed(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/hang-up");
    struct sharc_clock *clock = sharc_clock_real();
    for (int i = 0; i < 3; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        struct sharc_fetch_result *none = NULL;
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
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
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/fickle");
    for (int i = 0; i < 15; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
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
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
    if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
    assert_int_equal(r->status, 200);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(1 << 20);
    fetching_body(r, &body);
    if (!sharc_span_eq(sharc_buf_span(&body), sharc_buf_span(&r->request)))
        fail_msg("another page's answer: %s", body.p);
}

/* Bytes that come while nobody has asked for anything answer no request, whether the loop ran when
 * they came or not. */
static void takes_no_answer_that_came_before_the_question(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_clock *clock = sharc_clock_real();
    static const char *const sites[] = {"main", "tls"};
    for (int looping = 0; looping < 2; looping++) {
        for (size_t i = 0; i < SHARC_LENGTH(sites); i++) {
            struct sharc_fetcher_settings s = fetching_usual();
            s.ca_file = hostile_ca();
            SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
            for (int round = 0; round < 7; round++) {
                SHARC_AUTO(sharc_freep)
                char *url = sharc_asprintf("http%s://127.0.0.1:%u/late", i ? "s" : "", hostile_port(sites[i]));
                struct sharc_fetch_request req = {.url = sharc_span_of(url)};
                struct sharc_fetch_result *none = NULL;
                SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
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
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    for (int i = 0; i < 7; i++) {
        SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/miscounted");
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
        if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
        get_echo(f, "main", "/echo");
    }
    /* On a new connection it is what it is. */
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/garbage");
    struct sharc_fetch_request req = {.url = sharc_span_of(url)};
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
    assert_int_equal(r->state, SHARC_FETCH_BAD_MESSAGE);
    assert_false(r->reused);
}

/* An answer too many, right before the one that was asked for; and one that says that nobody asked. */
static void asks_again_when_an_answer_may_be_that_of_another(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    s.ca_file = hostile_ca();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    static const char *const before[] = {"/one-too-many", "/idle"}, *const sites[] = {"main", "tls"};
    for (size_t i = 0; i < SHARC_LENGTH(before); i++) {
        for (size_t k = 0; k < SHARC_LENGTH(sites); k++) {
            SHARC_AUTO(sharc_freep)
            char *url = sharc_asprintf("http%s://127.0.0.1:%u%s", k ? "s" : "", hostile_port(sites[k]), before[i]);
            struct sharc_fetch_request req = {.url = sharc_span_of(url)};
            SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
            assert_int_equal(r->status, 200);
            get_echo(f, sites[k], "/echo");
        }
    }
}

/* Is the second of two requests for a harmless page sent on the connection of the first? */
static bool is_used_again(struct sharc_fetcher *f, bool *ret_distrusted)
{
    bool reused = false;
    for (int i = 0; i < 2; i++) {
        SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/ok");
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
        assert_int_equal(r->status, 200);
        reused = r->reused;
        *ret_distrusted = r->distrusted;
    }
    return reused;
}

/* A server that sent what nobody had asked for may do so again, when the next request is under way: then nothing tells
 * whose answer it is. One that only takes leave of an idle connection is used as before. */
static void keeps_requests_to_a_talkative_server_apart(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_clock *clock = sharc_clock_real();
    static const struct {
        const char *path;
        bool talkative;
    } cases[] = {{"/ok", false},          {"/idle", false},      {"/late", true},
                 {"/one-too-many", true}, {"/miscounted", true}, {"/long", true}};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_fetcher_settings s = fetching_usual();
        SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
        SHARC_AUTO(sharc_freep) char *url = fetching_url("main", cases[i].path);
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        struct sharc_fetch_result *none = NULL;
        sharc_fetch_result_free(fetching_get_with(f, &req));
        if (strcmp(cases[i].path, "/late") == 0)
            assert_int_equal(sharc_fetcher_wait(f, clock->now(clock) + 500 * SHARC_MSEC, NULL, &none, NULL), 0);
        bool distrusted = false;
        get_echo(f, "main", "/echo");
        if (is_used_again(f, &distrusted) == cases[i].talkative || distrusted != cases[i].talkative)
            fail_msg("%s: %s", cases[i].path, distrusted ? "distrusted" : "trusted");
    }
}

static void keeps_a_request_on_a_connection_of_its_own(void **state)
{
    (void)state;
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/ok");
    static const struct {
        bool alone, reused;
    } steps[] = {{true, false}, {false, false}, {true, false}, {false, true}};
    for (size_t i = 0; i < SHARC_LENGTH(steps); i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url), .alone = steps[i].alone};
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_get_with(f, &req);
        assert_int_equal(r->state, SHARC_FETCH_OK);
        assert_int_equal(r->reused, steps[i].reused);
    }
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
    fetching_ready();
    char *dir = test_mkdir();
    unsigned port = free_port();
    pid_t server = start_nginx(dir, port);
    struct sharc_fetcher_settings s = fetching_usual();
    s.http2 = true;
    s.ca_file = hostile_ca();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("https://127.0.0.1:%u/a?b", port);
    struct sharc_fetch_request req = {.url = sharc_span_of(url)};
    struct sharc_fetch_result *r = fetching_get_with(f, &req);
    int status = 0;
    while (r->state == SHARC_FETCH_CONNECT && waitpid(server, &status, WNOHANG) == 0) { /* it is starting */
        sharc_fetch_result_free(r);
        usleep(20000);
        r = fetching_get_with(f, &req);
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
    fetching_ready();
    enum { MANY = 300 };
    struct sharc_fetcher_settings s = fetching_usual();
    s.memory = 1 << 20; /* so most of these must wait in files */
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *small = fetching_url("main", "/ok"), *big = fetching_url("main", "/bytes/bomb");
    bool seen[MANY] = {0};
    for (size_t i = 0; i < MANY; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(i % 10 ? small : big), .user = &seen[i]};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    }
    assert_int_equal(sharc_fetcher_pending(f), MANY);
    for (size_t i = 0; i < MANY; i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_take(f);
        if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
        assert_false(*(bool *)r->user);
        *(bool *)r->user = true;
    }
    assert_int_equal(sharc_fetcher_pending(f), 0);
    struct sharc_fetch_result *none;
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &none, NULL), 0);
}

/* However many hosts there are: each finds its own connection again, and no other's. */
static void many_hosts_keep_their_connections(void **state)
{
    (void)state;
    fetching_ready();
    enum { HOSTS = 120 };
    struct sharc_fetcher_settings s = fetching_usual();
    s.connections = 4096;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    for (int round = 0; round < 2; round++) {
        bool seen[HOSTS] = {0};
        for (size_t i = 0; i < HOSTS; i++) {
            SHARC_AUTO(sharc_freep)
            char *url = sharc_asprintf("http://host%zu.localhost:%u/ok", i, hostile_port("main"));
            struct sharc_fetch_request req = {.url = sharc_span_of(url), .user = &seen[i]};
            assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
        }
        for (size_t i = 0; i < HOSTS; i++) {
            SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_take(f);
            SHARC_AUTO(sharc_freep) char *host = sharc_asprintf("\r\nHost: host%zu.", (bool *)r->user - seen);
            if (r->state != SHARC_FETCH_OK) fail_msg("%s", r->text);
            assert_int_not_equal(sharc_span_search(sharc_buf_span(&r->request), sharc_span_of(host)), SHARC_NPOS);
            assert_int_equal(r->reused, round > 0);
            assert_false(*(bool *)r->user);
            *(bool *)r->user = true;
        }
    }
}

/* Twenty bodies of which two fit: the others wait, all arrive, and the disk never holds more
 * than was allowed and one body. */
static void waits_for_room_on_disk(void **state)
{
    (void)state;
    fetching_ready();
    enum { MANY = 20 };
    char *dir = test_mkdir();
    struct sharc_fetcher_settings s = fetching_usual();
    s.spool_dir = dir;
    s.spool_at = 1 << 10;
    s.files = 100000;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", "/bytes/bomb"); /* 65 kB */
    for (size_t i = 0; i < MANY; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(url)};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    }
    uint64_t size = 0;
    for (size_t i = 0; i < MANY; i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = fetching_take(f);
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
        struct sharc_fetcher_settings s = fetching_usual();
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
    fetching_ready();
    struct sharc_fetcher_settings s = fetching_usual();
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *f = fetching_with(&s);
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_fetch_result *r;
    volatile bool halt = true;
    SHARC_AUTO(sharc_freep) char *silent = fetching_url("main", "/silent"), *drip = fetching_url("main", "/stall");
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
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *a = fetching_take(f);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(uses_connections_again),
    cmocka_unit_test(many_at_once_share_connections),
    cmocka_unit_test(notices_connections_that_were_closed),
    cmocka_unit_test(asks_again_when_a_kept_connection_dies),
    cmocka_unit_test(takes_no_answer_that_came_before_the_question),
    cmocka_unit_test(asks_again_when_a_used_connection_makes_no_sense),
    cmocka_unit_test(asks_again_when_an_answer_may_be_that_of_another),
    cmocka_unit_test(keeps_requests_to_a_talkative_server_apart),
    cmocka_unit_test(keeps_a_request_on_a_connection_of_its_own),
    cmocka_unit_test(writes_http2_as_http1),
    cmocka_unit_test(many_at_once_in_bounded_memory),
    cmocka_unit_test(many_hosts_keep_their_connections),
    cmocka_unit_test(waits_for_room_on_disk),
    cmocka_unit_test(says_that_files_are_too_few),
    cmocka_unit_test(stops_when_told),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, fetching_stop);
}
