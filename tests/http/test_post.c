/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/http_post.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* A server for one request: keeps what was sent, answers with these bytes. */
struct once {
    int listening;
    uint16_t port;
    const char *answer;
    size_t answer_n;
    struct sharc_buf request;
    pthread_t thread;
};

static bool is_whole(const struct sharc_buf *b, size_t body)
{
    size_t head = sharc_span_search(sharc_buf_span(b), SHARC_SPAN("\r\n\r\n"));
    return head != SHARC_NPOS && b->n >= head + 4 + body;
}

static void *serve(void *arg)
{
    struct once *o = arg;
    char piece[4096];
    ssize_t n;
    int fd = accept(o->listening, NULL, NULL);
    if (fd < 0) return NULL;
    while (!is_whole(&o->request, 5) && (n = recv(fd, piece, sizeof piece, 0)) > 0)
        sharc_buf_put(&o->request, sharc_span(piece, (size_t)n));
    for (size_t sent = 0; sent < o->answer_n;) {
        n = send(fd, o->answer + sent, o->answer_n - sent, MSG_NOSIGNAL);
        if (n < 0) break;
        sent += (size_t)n;
    }
    close(fd);
    return NULL;
}

static void start(struct once *o, const char *answer, size_t n)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t length = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *o = (struct once){.answer = answer, .answer_n = n, .request = SHARC_BUF_INIT(1 << 20)};
    o->listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(o->listening >= 0);
    assert_int_equal(bind(o->listening, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(o->listening, 5), 0);
    assert_int_equal(getsockname(o->listening, (struct sockaddr *)&at, &length), 0);
    o->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&o->thread, NULL, serve, o), 0);
}

static void stop(struct once *o)
{
    shutdown(o->listening, SHUT_RDWR);
    pthread_join(o->thread, NULL);
    close(o->listening);
    sharc_buf_done(&o->request);
}

static int post(const struct once *o, struct sharc_buf *out, struct sharc_err *err)
{
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("http://127.0.0.1:%u/stamp", o->port);
    struct sharc_post p = {.url = url,
                           .type = "application/timestamp-query",
                           .accept = "application/timestamp-reply",
                           .body = SHARC_SPAN("\0\1\2\3\4")};
    return sharc_http_post(&p, out, err);
}

#define REPLY "Content-Type: application/timestamp-reply\r\n"

static void test_answer(void **state)
{
    (void)state;
    static const char answer[] = "HTTP/1.1 200 OK\r\n" REPLY "Content-Length: 4\r\n\r\n\0abc";
    struct once o;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(100);
    start(&o, answer, sizeof answer - 1);
    if (post(&o, &out, &err) < 0) fail_msg("%s", err.text);
    assert_true(sharc_span_eq(sharc_buf_span(&out), sharc_span("\0abc", 4)));
    struct sharc_span sent = sharc_buf_span(&o.request);
    assert_true(sharc_span_starts(sent, SHARC_SPAN("POST /stamp HTTP/1.1\r\n")));
    assert_true(sharc_span_search(sent, SHARC_SPAN("Content-Type: application/timestamp-query\r\n")) != SHARC_NPOS);
    assert_true(sharc_span_search(sent, SHARC_SPAN("User-Agent: sharc ")) != SHARC_NPOS);
    assert_true(sharc_span_ends(sent, SHARC_SPAN("\r\n\r\n\0\1\2\3\4")));
    stop(&o);
}

static void test_other_answers(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        int code;
        const char *says;
    } bad[] = {
        {"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", SHARC_ENET, "status 500"},
        {"HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", SHARC_ENET, "/there instead"},
        {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nno", SHARC_ENET, "text/html"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", SHARC_ENET, "no media type"},
        {"HTTP/1.1 200 OK\r\n" REPLY "Content-Length: 11\r\n\r\n01234567890", SHARC_ELIMIT, "more than 10 bytes"},
        {"HTTP/1.1 200 OK\r\n" REPLY "Content-Length: 5\r\n\r\ncut", SHARC_ENET, "127.0.0.1"},
        {"", SHARC_ENET, "127.0.0.1"},
        {"nonsense\r\n\r\n", SHARC_ENET, "127.0.0.1"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct once o;
        struct sharc_err err = SHARC_ERR_INIT;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(10);
        start(&o, bad[i].answer, strlen(bad[i].answer));
        int r = post(&o, &out, &err);
        if (r != bad[i].code || !strstr(err.text, bad[i].says)) fail_msg("%zu: %d: %s", i, r, err.text);
        stop(&o);
    }
}

static void test_no_server(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(10);
    struct sharc_err err = SHARC_ERR_INIT;
    static const char *const urls[] = {"ftp://example.org/", "file:///etc/passwd", "example.org", ""};
    struct sharc_post p = {.type = "a/b", .accept = "a/b"};
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++) {
        p.url = urls[i];
        assert_int_equal(sharc_http_post(&p, &out, &err), SHARC_EINVAL);
    }
    struct once o;
    start(&o, "", 0);
    stop(&o);
    assert_int_equal(post(&o, &out, &err), SHARC_ENET);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_answer),
    cmocka_unit_test(test_other_answers),
    cmocka_unit_test(test_no_server),
};
TEST_MAIN(tests)
