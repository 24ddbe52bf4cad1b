/* SPDX-License-Identifier: Apache-2.0
 *
 * The small server, asked over real sockets on loopback.
 */
#include "test.h"

#include "client.h"
#include "sharc/base_buf.h"
#include "sharc/http_server.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLOSE "Host: x\r\nConnection: close\r\n"

/* --- a handler that says what it was asked ------------------------------------------ */

struct count {
    int pieces, done;
};

static int pull_piece(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    (void)reterr;
    struct count *c = arg;
    if (c->pieces == 0) return 0;
    if (c->pieces < 0) return SHARC_EIO;
    c->pieces--;
    *ret = SHARC_SPAN("0123456789");
    return 1;
}

static void count_done(void *arg)
{
    struct count *c = arg;
    __atomic_add_fetch(&c->done, 1, __ATOMIC_SEQ_CST);
}

static struct count counts[5];
static void events(struct sharc_http_answer *a);

static void echo(const struct sharc_http_request *q, struct sharc_http_answer *a)
{
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    struct sharc_span agent = sharc_http_request_header(q, "uSER-aGENT");
    sharc_buf_printf(&b, "%.*s|%.*s|%s%.*s|%.*s|", SHARC_SPAN_ARG(q->method), SHARC_SPAN_ARG(q->path),
                     q->query.p ? "?" : "-", SHARC_SPAN_ARG(q->query), SHARC_SPAN_ARG(agent));
    static const char *const names[] = {"Host", "Connection", "User-Agent", "Content-Length"};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        struct sharc_span value = sharc_http_request_header(q, names[i]);
        if (value.p) sharc_buf_printf(&b, "[%s=%.*s]", names[i], SHARC_SPAN_ARG(value));
    }
    sharc_buf_printf(&b, "|%.*s", SHARC_SPAN_ARG(q->body));
    sharc_http_answer_copy(a, SHARC_SPAN("replaced by what follows"));
    size_t n = b.n;
    sharc_http_answer_take(a, sharc_buf_take(&b), n);
}

static void headers(struct sharc_http_answer *a)
{
    assert_int_equal(sharc_http_answer_header(a, "X-One", SHARC_SPAN("1")), 0);
    assert_int_equal(sharc_http_answer_header(a, "X-One", SHARC_SPAN("2\t3")), 0);
    assert_int_equal(sharc_http_answer_header(a, "X-Bad", SHARC_SPAN("a\r\nSet-Cookie: x")), SHARC_ESYNTAX);
    assert_int_equal(sharc_http_answer_header(a, "X-Bad:", SHARC_SPAN("a")), SHARC_ESYNTAX);
    assert_int_equal(sharc_http_answer_header(a, "", SHARC_SPAN("a")), SHARC_ESYNTAX);
    assert_int_equal(sharc_http_answer_header(a, "content-length", SHARC_SPAN("7")), SHARC_EINVAL);
    sharc_http_answer_status(a, 404);
    sharc_http_answer_borrow(a, SHARC_SPAN("nothing here\n"));
}

static void conditional(const struct sharc_http_request *q, struct sharc_http_answer *a)
{
    sharc_http_answer_header(a, "ETag", SHARC_SPAN("\"v,1\""));
    if (sharc_http_request_has(q, "\"v,1\"", 784111777 * SHARC_SEC + 500 * SHARC_MSEC))
        sharc_http_answer_status(a, 304);
    if (!q->query.p) sharc_http_answer_borrow(a, SHARC_SPAN("fresh"));
}

static void handler(void *arg, const struct sharc_http_request *q, struct sharc_http_answer *a)
{
    (void)arg;
    if (sharc_span_is(q->path, "/headers")) {
        headers(a);
    } else if (sharc_span_is(q->path, "/conditional")) {
        conditional(q, a);
    } else if (sharc_span_starts(q->path, SHARC_SPAN("/stream"))) {
        size_t which = (size_t)(q->path.p[7] - '0');
        uint64_t sizes[] = {UINT64_MAX, 95, 1000, 1000, 0};
        sharc_http_answer_stream(a, sizes[which], pull_piece, count_done, &counts[which]);
        if (sharc_http_request_has(q, NULL, SHARC_TIME_NONE)) sharc_http_answer_status(a, 304);
    } else if (sharc_span_is(q->path, "/events")) {
        events(a);
    } else if (sharc_span_is(q->path, "/bad-status")) {
        sharc_http_answer_status(a, 7);
    } else {
        echo(q, a);
    }
}

static struct sharc_http_server *start(void)
{
    struct sharc_http_server_options o = SHARC_HTTP_SERVER_OPTIONS;
    struct sharc_http_server *s = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    o.handler = handler;
    o.max_body = 1000;
    if (sharc_http_server_start(&o, &s, &err) < 0) fail_msg("%s", err.text);
    return s;
}

static void expect(uint16_t port, const char *request, const char *const *parts)
{
    char *got = client_ask(port, request);
    for (size_t i = 0; parts[i]; i++)
        if (!strstr(got, parts[i])) fail_msg("no \"%s\" in\n%s", parts[i], got);
    free(got);
}
#define EXPECT(port, request, ...) expect(port, request, (const char *const[]){__VA_ARGS__, NULL})

static void requests_arrive_whole(void **state)
{
    (void)state;
    struct sharc_http_server *s = start();
    uint16_t port = sharc_http_server_port(s);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", port);
    assert_string_equal(sharc_http_server_url(s), url);
    EXPECT(port, "GET /a%20b/c?x=%41&y?z HTTP/1.1\r\n" CLOSE "User-Agent: tester\r\n\r\n", "HTTP/1.1 200",
           "GET|/a%20b/c|?x=%41&y?z|tester|[Host=x][Connection=close][User-Agent=tester]|");
    EXPECT(port, "GET / HTTP/1.1\r\n" CLOSE "\r\n", "GET|/|-||");
    EXPECT(port, "GET /? HTTP/1.1\r\n" CLOSE "\r\n", "GET|/|?||");
    EXPECT(port, "GET http://h/p HTTP/1.1\r\n" CLOSE "\r\n", "GET|http://h/p|-||");
    EXPECT(port, "POST /p HTTP/1.1\r\nContent-Length: 5\r\n" CLOSE "\r\nhello", "POST|/p|", "|hello");
    EXPECT(port, "POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE "\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
           "|hello!");
    char *head = client_ask(port, "HEAD /p HTTP/1.1\r\n" CLOSE "\r\n");
    assert_non_null(strstr(head, "Content-Length: "));
    assert_string_equal(strstr(head, "\r\n\r\n"), "\r\n\r\n");
    free(head);
    sharc_http_server_stop(s);
}

static void one_connection_serves_many(void **state)
{
    (void)state;
    struct sharc_http_server *s = start();
    EXPECT(sharc_http_server_port(s),
           "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
           "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
           "GET /3 HTTP/1.1\r\n" CLOSE "\r\n",
           "GET|/1|-||[Host=x]|", "POST|/2|-||[Host=x][Content-Length=3]|abc", "GET|/3|-||[Host=x][Connection=close]|");
    sharc_http_server_stop(s);
}

/* "Expect: 100-continue" without a body is a client's fault. The next request is no part of it: it is answered, or the
 * client is told that it is not. */
static void expecting_in_vain_takes_no_other_request(void **state)
{
    (void)state;
    struct sharc_http_server *s = start();
    static const char *const bodies[] = {"", "Content-Length: 0\r\n", "Content-Length: 00\r\n"};
    for (size_t i = 0; i < SHARC_LENGTH(bodies); i++) {
        char requests[256];
        snprintf(requests, sizeof requests,
                 "POST /p HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n%s\r\nGET /2 HTTP/1.1\r\n%s\r\n", bodies[i],
                 CLOSE);
        char *got = client_ask(sharc_http_server_port(s), requests);
        assert_non_null(strstr(got, "POST|/p|"));
        assert_null(strstr(got, "GET /2"));
        assert_true(strstr(got, "GET|/2|") || strstr(got, "\r\nConnection: close\r\n"));
        free(got);
    }
    EXPECT(
        sharc_http_server_port(s),
        "POST /p HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello"
        "POST /p HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n!\r\n0\r\n\r\n"
        "GET /2 HTTP/1.1\r\n" CLOSE "\r\n",
        "HTTP/1.1 100 ", "|hello", "|!", "GET|/2|");
    sharc_http_server_stop(s);
}

static void answers_have_status_and_headers(void **state)
{
    (void)state;
    struct sharc_http_server *s = start();
    uint16_t port = sharc_http_server_port(s);
    char *got = client_ask(port, "GET /headers HTTP/1.1\r\n" CLOSE "\r\n");
    assert_non_null(strstr(got, "HTTP/1.1 404 "));
    assert_non_null(strstr(got, "X-One: 1\r\n"));
    assert_non_null(strstr(got, "X-One: 2 3\r\n"));
    assert_non_null(strstr(got, "Content-Length: 13\r\n"));
    assert_non_null(strstr(got, "Date: "));
    assert_null(strstr(got, "Set-Cookie"));
    free(got);
    EXPECT(port, "GET /bad-status HTTP/1.1\r\n" CLOSE "\r\n", "HTTP/1.1 500 ");
    sharc_http_server_stop(s);
}

static void conditional_requests(void **state)
{
    (void)state;
    struct sharc_http_server *s = start();
    static const struct {
        const char *field;
        bool held;
    } cases[] = {
        {"If-None-Match: \"v,1\"", true},
        {"If-None-Match: W/\"v,1\"", true},
        {"If-None-Match: \"a\", \"v,1\"", true},
        {"If-None-Match: *", true},
        {"If-None-Match: \"v\"", false},
        {"If-None-Match: \"v,1", false},
        {"If-None-Match: v,1", false},
        {"If-None-Match: ", false},
        {"If-None-Match: \"a\"\r\nIf-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT", false},
        {"If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", true},
        {"If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", false},
        {"If-Modified-Since: yesterday", false},
        {"X: y", false},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        char request[512];
        snprintf(request, sizeof request, "GET /conditional HTTP/1.1\r\n%s\r\n" CLOSE "\r\n", cases[i].field);
        char *got = client_ask(sharc_http_server_port(s), request);
        if (!strstr(got, cases[i].held ? " 304 " : " 200 ")) fail_msg("%s:\n%s", cases[i].field, got);
        assert_non_null(strstr(got, "ETag: \"v,1\"\r\n"));
        assert_true(!strstr(got, "fresh") == cases[i].held);
        assert_non_null(strstr(got, "Content-Length: 5\r\n"));
        free(got);
    }
    char *got = client_ask(sharc_http_server_port(s),
                           "GET /conditional?no-body HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n");
    assert_non_null(strstr(got, " 304 ")); /* and it came to an end */
    assert_null(strstr(got, "Content-Length"));
    assert_null(strstr(got, "Transfer-Encoding"));
    assert_string_equal(strstr(got, "\r\n\r\n"), "\r\n\r\n");
    free(got);
    got = client_ask(sharc_http_server_port(s), "GET /conditional HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n"
                                                "GET /conditional HTTP/1.1\r\nIf-None-Match: *\r\n" CLOSE "\r\n");
    assert_non_null(strstr(strstr(got, " 304 ") + 1, " 304 ")); /* both on one connection */
    free(got);
    EXPECT(sharc_http_server_port(s),
           "POST /conditional HTTP/1.1\r\nIf-None-Match: *\r\nContent-Length: 0\r\n" CLOSE "\r\n", "HTTP/1.1 200 ",
           "fresh");
    sharc_http_server_stop(s);
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}

static void streams_end_as_promised(void **state)
{
    (void)state;
    counts[0] = (struct count){.pieces = 3};
    counts[1] = (struct count){.pieces = 10}; /* more than it says: cut */
    counts[2] = (struct count){.pieces = 10}; /* less than it says */
    counts[3] = (struct count){.pieces = -1}; /* fails */
    struct sharc_http_server *s = start();
    uint16_t port = sharc_http_server_port(s);
    EXPECT(port, "GET /stream0 HTTP/1.1\r\n" CLOSE "\r\n",
           "A\r\n0123456789\r\nA\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n");
    char *got = client_ask(port, "GET /stream1 HTTP/1.1\r\n" CLOSE "\r\n");
    assert_non_null(strstr(got, "Content-Length: 95\r\n"));
    assert_int_equal(strlen(body_of(got)), 95);
    free(got);
    for (int i = 2; i < 4; i++) {
        char request[64];
        snprintf(request, sizeof request, "GET /stream%d HTTP/1.1\r\nHost: x\r\n\r\n", i);
        got = client_ask(port, request); /* returns: the server cut the connection */
        assert_true(!strstr(got, "Content-Length: 1000") || strlen(body_of(got)) < 1000);
        free(got);
    }
    EXPECT(port, "HEAD /stream1 HTTP/1.1\r\n" CLOSE "\r\n", "Content-Length: 95\r\n");
    sharc_http_server_stop(s);
    assert_int_equal(counts[0].done + counts[1].done + counts[2].done + counts[3].done, 5);
}

static const struct bodiless {
    const char *head; /* of the request, without its end */
    const char *length;
    bool keeps; /* the connection, for the next request */
} bodiless[] = {
    {"HEAD /stream0 HTTP/1.1", NULL, false}, /* the library knows no other end of a length that is unknown */
    {"HEAD /stream1 HTTP/1.1", "95", true},
    {"HEAD /stream4 HTTP/1.1", "0", true},
    {"HEAD /headers HTTP/1.1", "13", true},
    {"HEAD /stream0 HTTP/1.0\r\nConnection: Keep-Alive", NULL, false},
    {"HEAD /stream1 HTTP/1.0\r\nConnection: Keep-Alive", "95", true},
    {"HEAD /stream1 HTTP/1.0", "95", false},
    {"GET /stream0 HTTP/1.1\r\nIf-None-Match: *", NULL, false},
    {"GET /stream1 HTTP/1.1\r\nIf-None-Match: *", "95", true},
    {"HEAD /stream0 HTTP/1.1\r\nIf-None-Match: *", NULL, false},
};

/* The answer to b has a head and nothing else. Whatever else the connection brings must be a head, too. */
static void expect_bodiless(const struct bodiless *b, const char *got)
{
    const char *end = strstr(got, "\r\n\r\n");
    if (!end || strncmp(got, "HTTP/1.1 ", 9) != 0) fail_msg("%s: no head in\n%s", b->head, got);
    char *head = sharc_strndup(got, (size_t)(end + 2 - got));
    char length[64] = "Content-Length: ";
    if (b->length) snprintf(length, sizeof length, "\r\nContent-Length: %s\r\n", b->length);
    if (strstr(head, "Transfer-Encoding") || !strstr(head, length) != !b->length)
        fail_msg("%s: framed as\n%s", b->head, head);
    if (!strstr(head, "\r\nConnection: close\r\n") != b->keeps) fail_msg("%s: kept or not:\n%s", b->head, head);
    const char *next = b->keeps ? "HTTP/1.1 404 " : "";
    if (b->keeps ? strncmp(end + 4, next, strlen(next)) != 0 : end[4] != 0)
        fail_msg("%s: bytes behind the head:\n%s", b->head, end + 4);
    free(head);
}

static void read_head(int fd, struct sharc_buf *b)
{
    char c;
    while (!strstr(sharc_buf_str(b), "\r\n\r\n") && recv(fd, &c, 1, 0) == 1) sharc_buf_put_char(b, c);
}

/* Such an answer is a head: no byte of a body, nor of what frames one, comes before the next answer. */
static void answers_without_a_body(void **state)
{
    (void)state;
    static const char next[] = "GET /headers HTTP/1.1\r\n" CLOSE "\r\n";
    struct sharc_http_server *s = start();
    for (size_t i = 0; i < 2 * SHARC_LENGTH(bodiless); i++) {
        const struct bodiless *b = &bodiless[i / 2];
        SHARC_AUTO(sharc_buf_done) struct sharc_buf request = SHARC_BUF_INIT(1000), got = SHARC_BUF_INIT(10000);
        sharc_buf_printf(&request, "%s\r\nHost: x\r\n\r\n", b->head);
        int fd = client_dial(sharc_http_server_port(s));
        if (i % 2) sharc_buf_put_str(&request, next); /* both at once */
        client_send(fd, request.p, request.n);
        read_head(fd, &got);
        if (i % 2 == 0) client_send(fd, next, sizeof next - 1);
        SHARC_AUTO(sharc_freep) char *rest = client_read(fd);
        sharc_buf_put_str(&got, rest);
        expect_bodiless(b, sharc_buf_str(&got));
    }
    sharc_http_server_stop(s);
}

static void limits_hold(void **state)
{
    (void)state;
    struct sharc_http_server *s = start();
    uint16_t port = sharc_http_server_port(s);
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc_buf_put_str(&b, "POST /p HTTP/1.1\r\nContent-Length: 1001\r\n" CLOSE "\r\n");
    for (int i = 0; i < 1001; i++) sharc_buf_put_char(&b, 'x');
    EXPECT(port, b.p, "HTTP/1.1 413 ");
    sharc_buf_clear(&b);
    sharc_buf_put_str(&b, "GET / HTTP/1.1\r\nX: ");
    for (int i = 0; i < 40000; i++) sharc_buf_put_char(&b, 'x');
    sharc_buf_put_str(&b, "\r\n" CLOSE "\r\n");
    free(client_ask(port, b.p)); /* refused: the answer may be lost when the connection is cut with bytes unread */
    EXPECT(port, "GET / HTTP/1.1\r\n" CLOSE "\r\n", "HTTP/1.1 200 ");
    EXPECT(port, "no such thing\r\n\r\n", "HTTP/1.1 400 ");
    int fd = client_dial(port); /* goes away in the middle of a head */
    client_send(fd, "GET /x HTTP/1.1\r\nHos", 20);
    close(fd);
    sharc_buf_done(&b);
    sharc_http_server_stop(s);
}

static void refusals_say_why(void **state)
{
    (void)state;
    struct sharc_http_server_options o = SHARC_HTTP_SERVER_OPTIONS;
    struct sharc_http_server *first = start(), *s = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_http_server_start(&o, &s, &err), SHARC_EINVAL);
    o.handler = handler;
    o.address = "localhost";
    assert_int_equal(sharc_http_server_start(&o, &s, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "\"localhost\" is not a numeric"));
    o.address = "127.0.0.1";
    o.port = sharc_http_server_port(first);
    assert_int_equal(sharc_http_server_start(&o, &s, &err), SHARC_EBUSY);
    assert_non_null(strstr(err.text, "choose another port"));
    o.port = 0;
    o.connections = 1;
    assert_int_equal(sharc_http_server_start(&o, &s, &err), SHARC_EINVAL);
    o.connections = 10;
    o.address = "::1";
    if (sharc_http_server_start(&o, &s, &err) == 0) /* machines without IPv6 exist */
        assert_non_null(strstr(sharc_http_server_url(s), "http://[::1]:"));
    sharc_http_server_stopp(&s);
    assert_null(s);
    sharc_http_server_stop(NULL);
    sharc_http_server_stop(first);
}

/* --- events ------------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    struct sharc_http_stream *stream[8];
    int news[8]; /* per stream; < 0: the end */
    int streams, done;
} board = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int pull_news(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    (void)reterr;
    int which = (int)(intptr_t)arg, r = SHARC_EBUSY;
    pthread_mutex_lock(&board.lock);
    if (board.news[which] > 0) {
        board.news[which]--;
        *ret = SHARC_SPAN("data: news\n\n");
        r = 1;
    } else if (board.news[which] < 0) {
        r = 0;
    }
    pthread_mutex_unlock(&board.lock);
    return r;
}

static void news_done(void *arg)
{
    pthread_mutex_lock(&board.lock);
    board.stream[(intptr_t)arg] = NULL;
    board.done++;
    pthread_mutex_unlock(&board.lock);
}

static void events(struct sharc_http_answer *a)
{
    pthread_mutex_lock(&board.lock);
    int which = board.streams++;
    board.stream[which] = sharc_http_answer_stream(a, UINT64_MAX, pull_news, news_done, (void *)(intptr_t)which);
    pthread_mutex_unlock(&board.lock);
}

static void tell(int which, int news)
{
    pthread_mutex_lock(&board.lock);
    board.news[which] = news;
    if (board.stream[which]) sharc_http_stream_wake(board.stream[which]);
    pthread_mutex_unlock(&board.lock);
}

static void read_until(int fd, struct sharc_buf *b, const char *what)
{
    while (!strstr(sharc_buf_str(b), what)) {
        char piece[512];
        ssize_t n = recv(fd, piece, sizeof piece, 0);
        if (n <= 0) fail_msg("no \"%s\" in \"%s\"", what, sharc_buf_str(b));
        sharc_buf_put(b, sharc_span(piece, (size_t)n));
    }
}

static void streams_sleep_until_there_is_news(void **state)
{
    (void)state;
    static const char request[] = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
    struct sharc_http_server *s = start();
    uint16_t port = sharc_http_server_port(s);
    struct sharc_buf b = SHARC_BUF_INIT(1u << 16);
    int fd[3];
    for (int i = 0; i < 3; i++) {
        fd[i] = client_dial(port);
        client_send(fd[i], request, sizeof request - 1);
        sharc_buf_clear(&b);
        read_until(fd[i], &b, "\r\n\r\n"); /* the head; then it sleeps, soon */
    }
    EXPECT(port, "GET / HTTP/1.1\r\n" CLOSE "\r\n", "HTTP/1.1 200 "); /* nobody else is kept waiting */
    for (int round = 0; round < 50; round++) {
        sharc_buf_clear(&b);
        tell(1, 1 + round % 2);
        for (int i = 0; i <= round % 2; i++) {
            read_until(fd[1], &b, "data: news\n\n");
            char *at = strstr(b.p, "data: news\n\n");
            sharc_buf_splice(&b, 0, (size_t)(at - b.p) + 12, SHARC_SPAN(""));
        }
    }
    sharc_buf_clear(&b);
    tell(1, -1);
    read_until(fd[1], &b, "0\r\n\r\n"); /* the last chunk */
    close(fd[0]);                       /* nobody notices, until there is news */
    tell(0, 5);
    sharc_http_server_stop(s); /* while the third still sleeps */
    assert_int_equal(board.done, 3);
    char *rest = client_read(fd[2]); /* cut, without the last chunk */
    assert_null(strstr(rest, "0\r\n\r\n"));
    free(rest);
    close(fd[1]);
    sharc_buf_done(&b);
}

/* --- many at once ---------------------------------------------------------------------- */

/* n clients connect, then all send at once, then all read; three rounds on the
 * same connections. A server that falls asleep makes poll() run out. */
static void at_once(unsigned n)
{
    struct sharc_http_server *s = start();
    int *fd = sharc_calloc(n, sizeof *fd);
    for (unsigned i = 0; i < n; i++) fd[i] = client_dial(sharc_http_server_port(s));
    for (int round = 0; round < 3; round++) {
        static const char request[] = "GET /headers HTTP/1.1\r\nHost: x\r\n\r\n";
        for (unsigned i = 0; i < n; i++) client_send(fd[i], request, sizeof request - 1);
        for (unsigned i = 0; i < n; i++) {
            char answer[1024];
            size_t have = 0;
            do {
                struct pollfd p = {.fd = fd[i], .events = POLLIN};
                assert_int_equal(poll(&p, 1, 30000), 1);
                ssize_t got = recv(fd[i], answer + have, sizeof answer - 1 - have, 0);
                assert_true(got > 0);
                have += (size_t)got;
                answer[have] = 0;
            } while (!strstr(answer, "nothing here\n"));
        }
    }
    for (unsigned i = 0; i < n; i++) close(fd[i]);
    free(fd);
    sharc_http_server_stop(s);
}

static void clients_at_once(void **state)
{
    (void)state;
    struct rlimit files;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_cur < 1200) { /* both ends of 512 connections are in this process */
        files.rlim_cur = files.rlim_max < 1200 ? files.rlim_max : 1200;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur < 1200) skip();
    static const unsigned counts_at_once[] = {127, 128, 200, 256, 512};
    for (size_t i = 0; i < SHARC_LENGTH(counts_at_once); i++) at_once(counts_at_once[i]);
}

/* A client that ends its half in the middle of a request is not waited for; one that has asked gets its answer. */
static void halves_are_closed(void **state)
{
    (void)state;
    struct sharc_http_server *s = start();
    static const char whole[] = "GET /headers HTTP/1.1\r\nHost: x\r\n\r\n";
    for (size_t n = 0; n < sizeof whole; n++) {
        int fd = client_dial(sharc_http_server_port(s));
        client_send(fd, whole, n);
        shutdown(fd, SHUT_WR);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 20000), 1); /* before the time of a silent connection is over */
        char *answer = client_read(fd);
        assert_true((n == sizeof whole - 1) == (strstr(answer, "nothing here\n") != NULL));
        free(answer);
    }
    sharc_http_server_stop(s);
}

/* --- turns ----------------------------------------------------------------------------- */

/* One at a time may pass, and notes whom; who comes meanwhile is put aside. */
static struct gate {
    struct sharc_http_server *server;
    int passing, postponed, refused, passed;
    bool shut; /* who has the turn keeps it */
    char order[64];
} gate;

static void pass_gate(void *arg, const struct sharc_http_request *q, struct sharc_http_answer *a)
{
    (void)arg;
    if (sharc_span_is(q->path, "/headers")) {
        headers(a);
        return;
    }
    sharc_http_answer_header(a, "X-Asked", SHARC_SPAN("1"));
    enum sharc_http_turn turn = sharc_http_answer_turn(a);
    if (turn == SHARC_HTTP_TURN_LATER) __atomic_add_fetch(&gate.postponed, 1, __ATOMIC_SEQ_CST);
    if (turn == SHARC_HTTP_TURN_REFUSED) {
        sharc_http_answer_status(a, 503);
        __atomic_add_fetch(&gate.refused, 1, __ATOMIC_SEQ_CST);
    }
    if (turn != SHARC_HTTP_TURN_NOW) return;
    assert_int_equal(__atomic_add_fetch(&gate.passing, 1, __ATOMIC_SEQ_CST), 1);
    while (__atomic_load_n(&gate.shut, __ATOMIC_SEQ_CST)) sched_yield();
    gate.order[(unsigned)gate.passed++ % sizeof gate.order] = q->path.p[q->path.n - 1]; /* alone, so without atomics */
    sharc_http_answer_copy(a, SHARC_SPAN("passed\n"));
    __atomic_sub_fetch(&gate.passing, 1, __ATOMIC_SEQ_CST);
}

static void start_gate(unsigned connections, bool shut)
{
    struct sharc_http_server_options o = SHARC_HTTP_SERVER_OPTIONS;
    o.handler = pass_gate;
    o.threads = 4;
    o.connections = connections;
    gate = (struct gate){.shut = shut};
    assert_int_equal(sharc_http_server_start(&o, &gate.server, NULL), 0);
}

static void wait_for(const int *count, int wanted)
{
    while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < wanted) sched_yield();
}

static void open_gate(void)
{
    __atomic_store_n(&gate.shut, false, __ATOMIC_SEQ_CST);
}

static int come_to_gate(char who)
{
    char request[] = "GET /gate/? HTTP/1.1\r\n" CLOSE "\r\n";
    *strchr(request, '?') = who;
    int fd = client_dial(sharc_http_server_port(gate.server));
    client_send(fd, request, sizeof request - 1);
    return fd;
}

/* a has the turn and keeps it; those behind it wait, in this order. */
static void line_up(int fd[], int n)
{
    fd[0] = come_to_gate('a');
    wait_for(&gate.passing, 1);
    for (int i = 1; i < n; i++) {
        fd[i] = come_to_gate((char)('a' + i));
        wait_for(&gate.postponed, i);
    }
}

static void expect_passed(int fd, bool passed)
{
    char *answer = client_read(fd);
    const char *header = strstr(answer, "X-Asked: ");
    assert_int_equal(strstr(answer, "HTTP/1.1 200 ") && strstr(answer, "passed\n"), passed);
    assert_true(passed || strstr(answer, "HTTP/1.1 503 "));
    assert_true(header && !strstr(header + 1, "X-Asked: ")); /* what was said when it was put aside is forgotten */
    free(answer);
}

/* All come through, one after the other, however the turns fall. */
static void everybody_gets_a_turn(void **state)
{
    (void)state;
    enum { CLIENTS = 40, ROUNDS = 25 };
    int fd[CLIENTS];
    start_gate(1024, false);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CLIENTS; i++) fd[i] = come_to_gate('x');
        for (int i = 0; i < CLIENTS; i++) expect_passed(fd[i], true);
    }
    assert_int_equal(gate.passed, CLIENTS * ROUNDS);
    assert_int_equal(gate.refused, 0);
    sharc_http_server_stop(gate.server);
}

/* Who waits keeps nobody else waiting, not even who comes on the same thread; half of the places stay free. */
static void waiting_keeps_nobody_waiting(void **state)
{
    (void)state;
    enum { WAITING = 8, PLACES = 2 * WAITING };
    int fd[1 + WAITING];
    start_gate(PLACES, true);
    line_up(fd, 1 + WAITING);
    for (int i = 0; i < 20; i++)
        EXPECT(sharc_http_server_port(gate.server), "GET /headers HTTP/1.1\r\n" CLOSE "\r\n", "nothing here\n");
    expect_passed(come_to_gate('z'), false);
    open_gate();
    for (int i = 0; i <= WAITING; i++) expect_passed(fd[i], true);
    assert_memory_equal(gate.order, "abcdefghi", 1 + WAITING);
    sharc_http_server_stop(gate.server);
}

/* b says that it sends nothing more, c has gone, d has broken off: whoever still listens comes before them, and takes
 * the place of the first of them when there is none left. */
static void who_has_gone_comes_last(void **state)
{
    (void)state;
    enum { WAITING = 8, PLACES = 2 * WAITING };
    int fd[1 + WAITING];
    start_gate(PLACES, true);
    line_up(fd, 1 + WAITING);
    shutdown(fd[1], SHUT_WR);
    close(fd[2]);
    setsockopt(fd[3], SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    close(fd[3]);
    int late = come_to_gate('z');
    free(client_read(fd[1])); /* returns, with an answer or without */
    open_gate();
    for (int i = 4; i <= WAITING; i++) expect_passed(fd[i], true);
    expect_passed(fd[0], true);
    expect_passed(late, true);
    expect_passed(come_to_gate('y'), true); /* the turns of those that have gone were not lost */
    assert_memory_equal(gate.order, "aefghiz", 7);
    sharc_http_server_stop(gate.server);
}

static void *stop_gate(void *arg)
{
    (void)arg;
    sharc_http_server_stop(gate.server);
    return NULL;
}

static void stopping_waits_for_no_turn(void **state)
{
    (void)state;
    enum { ALL = 12 };
    int fd[ALL];
    pthread_t stopper;
    start_gate(1024, true);
    line_up(fd, ALL);
    assert_int_equal(pthread_create(&stopper, NULL, stop_gate, NULL), 0);
    /* Only those on the thread of a, which stands in the handler, cannot be asked again yet. */
    open_gate();
    pthread_join(stopper, NULL);
    for (int i = 1; i < ALL; i++) {
        char *answer = client_read(fd[i]); /* passed, 503, or cut */
        assert_true(!*answer || strstr(answer, "passed\n") || strstr(answer, "HTTP/1.1 503 "));
        free(answer);
    }
    close(fd[0]);
}

/* More clients than places, again and again: who finds none waits, and is not sent away. */
static void more_clients_than_places(void **state)
{
    (void)state;
    enum { PLACES = 20, CLIENTS = 300, ROUNDS = 5 };
    struct sharc_http_server_options o = SHARC_HTTP_SERVER_OPTIONS;
    struct sharc_http_server *s = NULL;
    int fd[CLIENTS];
    o.handler = handler;
    o.connections = PLACES;
    assert_int_equal(sharc_http_server_start(&o, &s, NULL), 0);
    for (int round = 0; round < ROUNDS; round++) {
        static const char request[] = "GET /headers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        for (int i = 0; i < CLIENTS; i++) {
            fd[i] = client_dial(sharc_http_server_port(s));
            client_send(fd[i], request, sizeof request - 1);
        }
        for (int i = 0; i < CLIENTS; i++) {
            char *answer = client_read(fd[i]);
            assert_non_null(strstr(answer, "nothing here\n"));
            free(answer);
        }
    }
    sharc_http_server_stop(s);
}

static void silent_connections_are_closed(void **state)
{
    (void)state;
    struct sharc_http_server_options o = SHARC_HTTP_SERVER_OPTIONS;
    struct sharc_http_server *s = NULL;
    o.handler = handler;
    o.timeout = SHARC_SEC;
    assert_int_equal(sharc_http_server_start(&o, &s, NULL), 0);
    int silent = client_dial(sharc_http_server_port(s)), slow = client_dial(sharc_http_server_port(s));
    client_send(slow, "GET / HTTP/1.1\r\nHost", 20);
    free(client_read(silent)); /* both return */
    free(client_read(slow));
    sharc_http_server_stop(s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(requests_arrive_whole),
    cmocka_unit_test(one_connection_serves_many),
    cmocka_unit_test(expecting_in_vain_takes_no_other_request),
    cmocka_unit_test(answers_have_status_and_headers),
    cmocka_unit_test(conditional_requests),
    cmocka_unit_test(streams_end_as_promised),
    cmocka_unit_test(answers_without_a_body),
    cmocka_unit_test(limits_hold),
    cmocka_unit_test(refusals_say_why),
    cmocka_unit_test(streams_sleep_until_there_is_news),
    cmocka_unit_test(clients_at_once),
    cmocka_unit_test(halves_are_closed),
    cmocka_unit_test(everybody_gets_a_turn),
    cmocka_unit_test(waiting_keeps_nobody_waiting),
    cmocka_unit_test(who_has_gone_comes_last),
    cmocka_unit_test(stopping_waits_for_no_turn),
    cmocka_unit_test(more_clients_than_places),
    cmocka_unit_test(silent_connections_are_closed),
};
TEST_MAIN(tests)
