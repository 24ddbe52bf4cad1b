/* SPDX-License-Identifier: Apache-2.0
 *
 * The small server: replay, the user interface and the lab answer through it.
 * libmicrohttpd reads and writes, a handler of the caller decides.
 *
 *   struct sharc_http_server_options o = SHARC_HTTP_SERVER_OPTIONS;
 *   o.handler = answer_it;
 *   o.arg = site;
 *   r = sharc_http_server_start(&o, &server, &err);
 *   … sharc_http_server_port(server) …
 *   sharc_http_server_stop(server);
 *
 * HTTP/1.0 and 1.1 without TLS, connections kept alive, pipelining, HEAD,
 * "Expect: 100-continue" and chunked requests are the server's business, and so
 * are Date, Connection, Content-Length and Transfer-Encoding of the answer. What
 * is longer than the limits is answered with 4xx before the handler sees it. No
 * global state: any number of servers run in one process.
 */
#ifndef SHARC_HTTP_SERVER_H
#define SHARC_HTTP_SERVER_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/http.h"

SHARC_PRIVATE_BEGIN

/* --- requests ------------------------------------------------------------ */

/* Spans live until the handler returns. */
struct sharc_http_request {
    struct sharc_span method; /* "GET"; HEAD is to be answered as GET, the body is not sent */
    struct sharc_span target; /* as it was sent: "/a%20b?q=1"; absolute when a proxy is asked */
    struct sharc_span path;   /* the target before the first '?', not decoded */
    struct sharc_span query;  /* behind it; .p == NULL without '?' */
    struct sharc_span body;   /* whole, at most max_body bytes */
    void *private_;
};

/* Value of the first header of that name (any case); .p == NULL when absent. */
struct sharc_span sharc_http_request_header(const struct sharc_http_request *r, const char *name);

/* Does the request already hold this version (RFC 9110, 13)? True when
 * If-None-Match names etag ("\"v1\"" with its quotes, W/ and lists understood, *
 * matches all) or, without that header, when last_modified is not later than
 * If-Modified-Since. etag may be NULL, last_modified SHARC_TIME_NONE. Only for
 * GET and HEAD. */
bool sharc_http_request_has(const struct sharc_http_request *r, const char *etag, sharc_time last_modified);

/* --- answers ------------------------------------------------------------- */

/* Begins as 200 with no header and no body. */
struct sharc_http_answer;
void sharc_http_answer_status(struct sharc_http_answer *a, int status); /* 200 … 999 */
/* Adds a header (several of one name are kept), copied. Tabs in the value become
 * spaces. SHARC_ESYNTAX when the name is not a token or the value holds a control
 * character, SHARC_EINVAL for the four headers that are the server's business;
 * nothing is added then. */
int sharc_http_answer_header(struct sharc_http_answer *a, const char *name, struct sharc_span value);
/* Forgets status, headers and body: something else is to be said. */
void sharc_http_answer_restart(struct sharc_http_answer *a);
/* One of these at most; a later one replaces an earlier one. Statuses that have
 * no body (204, 304) are sent without; a 304 takes the length of the body that was
 * given, and without one ends the connection. */
void sharc_http_answer_copy(struct sharc_http_answer *a, struct sharc_span body);
void sharc_http_answer_take(struct sharc_http_answer *a, char *malloced, size_t n); /* freed by the server */
void sharc_http_answer_borrow(struct sharc_http_answer *a, struct sharc_span body); /* outlives the server */
/* For what only `turns` requests may do at a time. Who comes first has the first turn; only those whose client has
 * said that it sends nothing more, as one that has gone does, come after all others, and are the first to be
 * refused; they may get no answer: libmicrohttpd reads before it asks again, and closes at the end of the stream. A
 * turn lasts until the handler returns. */
enum sharc_http_turn {
    SHARC_HTTP_TURN_NOW,     /* go on */
    SHARC_HTTP_TURN_LATER,   /* return: nothing is sent, and the handler is asked again when it is this one's turn */
    SHARC_HTTP_TURN_REFUSED, /* half of the connections wait already, or the server stops: answer without a turn */
};
enum sharc_http_turn sharc_http_answer_turn(struct sharc_http_answer *a);
/* A body that is made while it is sent. pull is called from one thread at a time, when the client can take more, and
 * must not wait: it would keep other connections waiting. size: bytes to come, or UINT64_MAX when unknown (sent
 * chunked; where only a head is sent, for HEAD or with 304, the connection ends behind it). If pull fails or ends
 * before `size`, the connection is cut, so that the client sees that something is missing. done(arg), if any, is called
 * once at the end in every case, even if pull never was (HEAD).
 *
 * A pull that has nothing yet returns SHARC_EBUSY: the connection sleeps until
 * somebody wakes the stream, then pull is asked again. For events: a list of
 * streams under a lock of the caller's; who has news takes the lock and wakes them,
 * done takes it and removes its own. While a stream sleeps nobody notices that its
 * client has gone, and no timeout runs: send something now and then. */
struct sharc_http_stream;
struct sharc_http_stream *sharc_http_answer_stream(struct sharc_http_answer *a, uint64_t size, sharc_pull_fn *pull,
                                                   void (*done)(void *arg), void *arg);
/* From any thread, also before the stream sleeps (it will not, then); not after
 * done has returned. */
void sharc_http_stream_wake(struct sharc_http_stream *s);

/* --- the server ---------------------------------------------------------- */

/* Called for every request, from several threads at once. */
typedef void sharc_http_handler_fn(void *arg, const struct sharc_http_request *request,
                                   struct sharc_http_answer *answer);

struct sharc_http_server_options {
    const char *address;  /* numeric IPv4 or IPv6 address to listen on; copied */
    uint16_t port;        /* 0: any free one */
    unsigned threads;     /* 0: one per core, at least 2 */
    unsigned connections; /* at once; more wait in the system's queue */
    unsigned turns;       /* how many there are (sharc_http_answer_turn) */
    sharc_time timeout;   /* a connection that is silent for this long is closed; whole seconds */
    size_t max_head;      /* bytes for the head of a request (431 beyond) and of its answer */
    size_t max_body;      /* bytes of a request body (413 beyond) */
    sharc_http_handler_fn *handler;
    void *arg;
};
#define SHARC_HTTP_SERVER_OPTIONS                                                                                  \
    {                                                                                                              \
        .address = "127.0.0.1", .connections = 1024, .turns = 1, .timeout = 30 * SHARC_SEC, .max_head = 32u << 10, \
        .max_body = 1u << 20                                                                                       \
    }

struct sharc_http_server;
/* The server answers when this returns. SHARC_EINVAL when an option makes no
 * sense, SHARC_EACCESS or SHARC_EBUSY when the port is not available, else
 * SHARC_ENET. */
int sharc_http_server_start(const struct sharc_http_server_options *o, struct sharc_http_server **ret,
                            struct sharc_err *reterr);
uint16_t sharc_http_server_port(const struct sharc_http_server *s);
/* "http://127.0.0.1:8080/"; lives as long as the server. */
const char *sharc_http_server_url(const struct sharc_http_server *s);
/* Takes no more connections, waits for handlers that run, cuts what is still
 * being sent or sleeps, frees. NULL is fine. Not from a handler. */
void sharc_http_server_stop(struct sharc_http_server *s);
void sharc_http_server_stopp(struct sharc_http_server **s);

SHARC_PRIVATE_END
#endif
