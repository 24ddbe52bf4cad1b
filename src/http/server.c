/* SPDX-License-Identifier: Apache-2.0
 *
 * The server: a listening socket of our own (so that errors have names and port
 * 0 can be asked what it became) handed to libmicrohttpd.
 *
 * libmicrohttpd 0.9.75 in epoll mode falls asleep when exactly 128, 256 or 512
 * clients send at once; poll mode does not, and is what is used here.
 * tests/http/test_server.c keeps watch.
 */
#include "server_int.h"

#include "sharc/base_buf.h"
#include "sharc/base_pool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct sharc_http_server {
    struct MHD_Daemon *daemon;
    sharc_http_handler_fn *handler;
    void *arg;
    size_t max_body;
    struct sharc__http_sleepers sleepers;
    uint16_t port;
    char url[INET6_ADDRSTRLEN + sizeof "http://[]:65535/"];
};

/* --- one request ---------------------------------------------------------------- */

/* What is known of the request that a connection is sending. It lives as long as
 * the connection, since libmicrohttpd tells of the end of a request only if the
 * handler has seen it. */
struct exchange {
    char *target;
    bool seen; /* the first call, before any body, has been */
    struct sharc_buf body;
};

static void connected(void *arg, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode what)
{
    (void)connection;
    const struct sharc_http_server *s = arg;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        struct exchange *fresh = SHARC_NEW(struct exchange);
        sharc_buf_init(&fresh->body, s->max_body);
        *context = fresh;
        return;
    }
    struct exchange *e = *context;
    if (!e) return;
    sharc_buf_done(&e->body);
    free(e->target);
    free(e);
    *context = NULL;
}

/* A request begins; its target is not yet taken apart. */
static void *begin(void *arg, const char *target, struct MHD_Connection *connection)
{
    (void)arg;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct exchange *e = info->socket_context;
    free(e->target);
    e->target = sharc_strdup(target);
    e->seen = false;
    sharc_buf_done(&e->body);
    return e;
}

/* Nothing is decoded: whoever replays an archive needs the bytes as sent. */
static size_t leave_escapes(void *arg, struct MHD_Connection *connection, char *text)
{
    (void)arg, (void)connection;
    return strlen(text);
}

static enum MHD_Result refuse(struct MHD_Connection *connection, int status, const char *text)
{
    struct sharc_http_answer a = {.status = status};
    sharc_http_answer_header(&a, "Content-Type", SHARC_SPAN("text/plain; charset=utf-8"));
    sharc_http_answer_copy(&a, sharc_span_of(text));
    return sharc__http_answer_send(&a, connection);
}

static enum MHD_Result handle(struct sharc_http_server *s, struct MHD_Connection *connection, const char *method,
                              const struct exchange *e)
{
    struct sharc_span target = sharc_span_of(e->target), rest = target;
    struct sharc_http_request request = {.method = sharc_span_of(method),
                                         .target = target,
                                         .body = sharc_span(sharc_buf_str(&e->body), e->body.n),
                                         .private_ = connection};
    sharc_span_next(&rest, '?', &request.path);
    if (request.path.n < target.n) request.query = sharc_span_from(target, request.path.n + 1);
    struct sharc_http_answer a = {.sleepers = &s->sleepers, .status = MHD_HTTP_OK};
    s->handler(s->arg, &request, &a);
    return sharc__http_answer_send(&a, connection);
}

static enum MHD_Result access_handler(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
                                      const char *version, const char *data, size_t *size, void **context)
{
    (void)url, (void)version;
    struct sharc_http_server *s = arg;
    struct exchange *e = *context;
    if (!e->seen) { /* libmicrohttpd wants this call to pass, to answer "Expect: 100-continue" */
        e->seen = true;
        return MHD_YES;
    }
    if (*size > 0) {
        sharc_buf_put(&e->body, sharc_span(data, *size)); /* a refused piece marks the buffer: asked below */
        *size = 0;
        return MHD_YES;
    }
    if (e->body.failed) return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the request body is too large\n");
    return handle(s, connection, method, e);
}

/* --- headers of a request -------------------------------------------------------- */

struct sharc_span sharc_http_request_header(const struct sharc_http_request *r, const char *name)
{
    const char *value = NULL;
    size_t n = 0;
    if (MHD_lookup_connection_value_n(r->private_, MHD_HEADER_KIND, name, strlen(name), &value, &n) != MHD_YES)
        return SHARC_SPAN_NONE;
    return value ? sharc_span(value, n) : SHARC_SPAN("");
}

struct walk {
    sharc_http_header_fn *fn;
    void *arg;
    int result;
};

static enum MHD_Result one_header(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_n,
                                  const char *value, size_t value_n)
{
    (void)kind;
    struct walk *w = arg;
    w->result = w->fn(w->arg, sharc_span(name, name_n), sharc_span(value ? value : "", value_n));
    return w->result < 0 ? MHD_NO : MHD_YES;
}

int sharc_http_request_headers(const struct sharc_http_request *r, sharc_http_header_fn *fn, void *arg)
{
    struct walk w = {fn, arg, 0};
    MHD_get_connection_values_n(r->private_, MHD_HEADER_KIND, one_header, &w);
    return w.result < 0 ? w.result : 0;
}

/* --- starting and stopping ----------------------------------------------------------- */

struct endpoint {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } u;
    socklen_t n;
};

static int read_address(const char *address, uint16_t port, struct endpoint *ret)
{
    *ret = (struct endpoint){0};
    if (inet_pton(AF_INET, address, &ret->u.v4.sin_addr) == 1) {
        ret->u.v4.sin_family = AF_INET;
        ret->u.v4.sin_port = htons(port);
        ret->n = sizeof ret->u.v4;
        return 0;
    }
    if (inet_pton(AF_INET6, address, &ret->u.v6.sin6_addr) == 1) {
        ret->u.v6.sin6_family = AF_INET6;
        ret->u.v6.sin6_port = htons(port);
        ret->n = sizeof ret->u.v6;
        return 0;
    }
    return SHARC_EINVAL;
}

static int listen_error(const struct sharc_http_server_options *o, struct sharc_err *reterr)
{
    int code = errno == EADDRINUSE ? SHARC_EBUSY : errno == EACCES ? SHARC_EACCESS : SHARC_ENET;
    const char *cure = errno == EADDRINUSE ? "; choose another port, or 0 for any free one" : "";
    return sharc_fail(reterr, code, "cannot listen on %s port %u: %s%s", o->address, o->port, strerror(errno), cure);
}

static int open_socket(const struct sharc_http_server_options *o, int *ret_fd, uint16_t *ret_port,
                       struct sharc_err *reterr)
{
    struct endpoint at;
    SHARC_FAIL_IF(!o->address || read_address(o->address, o->port, &at) < 0, reterr, SHARC_EINVAL,
                  "\"%s\" is not a numeric IPv4 or IPv6 address to listen on", o->address ? o->address : "");
    SHARC_AUTO(sharc_closep) int fd = socket(at.u.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return listen_error(o, reterr);
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &at.u.any, at.n) < 0 || listen(fd, SOMAXCONN) < 0 || getsockname(fd, &at.u.any, &at.n) < 0)
        return listen_error(o, reterr);
    *ret_port = ntohs(at.u.any.sa_family == AF_INET ? at.u.v4.sin_port : at.u.v6.sin6_port);
    *ret_fd = fd;
    fd = -1;
    return 0;
}

static struct MHD_Daemon *start_daemon(struct sharc_http_server *s, const struct sharc_http_server_options *o, int fd)
{
    unsigned threads = o->threads ? o->threads : sharc_cpu_count();
    if (threads < 2) threads = 2; /* libmicrohttpd knows no pool of one */
    if (threads > o->connections) threads = o->connections;
    unsigned timeout = (unsigned)((o->timeout + SHARC_SEC - 1) / SHARC_SEC);
    unsigned flags =
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | (strchr(o->address, ':') ? MHD_USE_IPv6 : 0);
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_LISTEN_SOCKET, fd, NULL},
        {MHD_OPTION_THREAD_POOL_SIZE, threads, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, o->connections, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, timeout, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)o->max_head, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)connected, s},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)begin, s},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_escapes, s},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(flags, s->port, NULL, NULL, access_handler, s, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

int sharc_http_server_start(const struct sharc_http_server_options *o, struct sharc_http_server **ret,
                            struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!o->handler, reterr, SHARC_EINVAL, "a server needs a handler");
    SHARC_FAIL_IF(o->connections < 2 || o->max_head < 1024 || o->timeout < 0, reterr, SHARC_EINVAL,
                  "a server needs 2 connections, 1024 bytes for a head, and a timeout that is not negative");
    SHARC_AUTO(sharc_freep) struct sharc_http_server *s = SHARC_NEW(struct sharc_http_server);
    s->handler = o->handler;
    s->arg = o->arg;
    s->max_body = o->max_body;
    pthread_mutex_init(&s->sleepers.lock, NULL);
    SHARC_AUTO(sharc_closep) int fd = -1;
    int r = open_socket(o, &fd, &s->port, reterr);
    if (r < 0) return r;
    bool v6 = strchr(o->address, ':') != NULL;
    snprintf(s->url, sizeof s->url, "http://%s%s%s:%u/", v6 ? "[" : "", o->address, v6 ? "]" : "", s->port);
    s->daemon = start_daemon(s, o, fd);
    SHARC_FAIL_IF(!s->daemon, reterr, SHARC_ENET, "cannot start the server on %s", s->url);
    fd = -1; /* the daemon's now */
    *ret = SHARC_TAKE(s);
    return 0;
}

uint16_t sharc_http_server_port(const struct sharc_http_server *s)
{
    return s->port;
}

const char *sharc_http_server_url(const struct sharc_http_server *s)
{
    return s->url;
}

void sharc_http_server_stop(struct sharc_http_server *s)
{
    if (!s) return;
    sharc__http_wake_all(&s->sleepers); /* the library refuses to stop while somebody sleeps */
    MHD_stop_daemon(s->daemon);
    pthread_mutex_destroy(&s->sleepers.lock);
    free(s);
}

void sharc_http_server_stopp(struct sharc_http_server **s)
{
    sharc_http_server_stop(*s);
    *s = NULL;
}
