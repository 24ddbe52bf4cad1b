/* SPDX-License-Identifier: Apache-2.0
 *
 * A server over a collection of one file, asked over loopback.
 */
#ifndef SHARC_SERVER_TEST_H
#define SHARC_SERVER_TEST_H

#include "client.h"
#include "serve_test.h"

#include "sharc/serve.h"

#include <stdio.h>

struct story {
    char *dir;
    struct sharc_warc_writer *w;
    struct sharc_collection *c;
    struct sharc_serve *s;
    uint16_t pages, replay;
    struct sharc_buf log;
    const char *index; /* a file to be served, too; or NULL */
};

static inline int begin(void **state)
{
    struct story *s = SHARC_NEW(struct story);
    s->dir = test_mkdir();
    s->w = warc_begin(s->dir, "a.warc.gz");
    sharc_buf_init(&s->log, 64u << 20);
    *state = s;
    return 0;
}

static inline uint16_t port_of(const char *url)
{
    return (uint16_t)strtoul(strrchr(url, ':') + 1, NULL, 10);
}

static inline void note_line(void *arg, const char *line)
{
    struct story *s = arg;
    sharc_buf_put_str(&s->log, line);
    sharc_buf_put_char(&s->log, '\n');
}

static inline void serve_with(struct story *s, struct sharc_serve_options o)
{
    struct sharc_err err = SHARC_ERR_INIT;
    const char *paths[] = {s->dir, s->index};
    warc_end(SHARC_TAKE(s->w));
    must(sharc_collection_open(paths, s->index ? 2 : 1, NULL, &s->c, &err), &err);
    o.collection = s->c;
    o.port = o.replay_port = 0;
    o.log = note_line;
    o.log_arg = s;
    must(sharc_serve_start(&o, &s->s, &err), &err);
    s->pages = port_of(sharc_serve_url(s->s));
    s->replay = port_of(sharc_serve_replay_url(s->s));
}

static inline void serve(struct story *s)
{
    serve_with(s, (struct sharc_serve_options)SHARC_SERVE_OPTIONS);
}

static inline int end(void **state)
{
    struct story *s = *state;
    sharc_serve_stop(s->s);
    sharc_collection_free(s->c);
    sharc_warc_writer_free(s->w);
    sharc_buf_done(&s->log);
    test_rmdir(s->dir);
    free(s);
    return 0;
}

/* --- asking ------------------------------------------------------------------------------ */

static inline char *get_with(uint16_t port, const char *target, const char *headers)
{
    SHARC_AUTO(sharc_freep)
    char *request =
        sharc_asprintf("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%s\r\n", target, port, headers);
    return client_ask(port, request);
}

static inline char *get(uint16_t port, const char *target)
{
    return get_with(port, target, "");
}

static inline int status_of(const char *answer)
{
    return strncmp(answer, "HTTP/1.1 ", 9) == 0 ? (int)strtol(answer + 9, NULL, 10) : -1;
}

static inline const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    return end ? end + 4 : "";
}

/* Is "\r\n" and this line in the head? */
static inline bool has_line(const char *answer, const char *line)
{
    SHARC_AUTO(sharc_freep) char *whole = sharc_asprintf("\r\n%s\r\n", line);
    const char *hit = strstr(answer, whole);
    return hit && hit < body_of(answer);
}

#define assert_line(answer, line)                                                        \
    do {                                                                                 \
        if (!has_line((answer), (line))) fail_msg("no \"%s\" in\n%s", (line), (answer)); \
    } while (0)
#define assert_no_header(answer, name)                                                        \
    do {                                                                                      \
        const char *hit_ = strcasestr((answer), "\r\n" name ":");                             \
        if (hit_ && hit_ < body_of(answer)) fail_msg("there is a %s in\n%s", name, (answer)); \
    } while (0)
#define assert_get(s, target, status, body)                          \
    do {                                                             \
        SHARC_AUTO(sharc_freep) char *a_ = get((s)->replay, target); \
        if (status_of(a_) != (status)) fail_msg("%s", a_);           \
        assert_string_equal(body_of(a_), (body));                    \
    } while (0)

#define REPLAY_CSP                                                                                             \
    "Content-Security-Policy: default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; " \
    "form-action 'self'; object-src 'self'"

static inline size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) n++;
    return n;
}

static inline char *send_form(uint16_t port, const char *target, const char *body)
{
    SHARC_AUTO(sharc_freep)
    char *request = sharc_asprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                   "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %zu\r\n\r\n%s",
                                   target, strlen(body), body);
    return client_ask(port, request);
}

#endif
