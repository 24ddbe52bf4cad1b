/* SPDX-License-Identifier: Apache-2.0
 *
 * The server: a listening socket of our own (so that errors have names and port
 * 0 can be asked what it became) handed to libmicrohttpd.
 *
 * One daemon for each of our threads. They wait with epoll, in our loop, and we accept:
 * libmicrohttpd 0.9.75 falls asleep in its own loop when exactly 128, 256 or 512
 * clients send at once, since it waits again for more, and closes connections that it
 * has just accepted when it is full then. tests/http/test_server.c keeps watch. With
 * poll, every call costs as much as there are connections.
 */
#include "server_int.h"

#include "sharc/base_buf.h"
#include "sharc/base_pool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LEAST_FILES = 24 };

struct worker {
    struct sharc_http_server *server;
    struct MHD_Daemon *daemon;
    int listen;
    unsigned open, most; /* connections */
    bool starved;        /* there was no descriptor or memory for one more */
    int ends;            /* an epoll descriptor of ours: clients that will send nothing more */
    pthread_t thread;
    int events; /* the daemon's epoll descriptor */
    int nudge;  /* an eventfd: somebody was woken, or it is time to end; the library has none without its own loop */
    bool runs;
    atomic_bool stop;
};

struct sharc_http_server {
    struct worker *workers;
    unsigned worker_count;
    int listen;
    sharc_http_handler_fn *handler;
    void *arg;
    size_t max_body;
    struct sharc__http_sleepers sleepers;
    struct sharc__http_turns turns;
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
    struct sharc__http_waiter waiter;
    struct sharc_buf body;
};

static void connected(void *arg, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode what)
{
    (void)connection;
    struct worker *w = arg;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        struct exchange *fresh = SHARC_NEW(struct exchange);
        fresh->waiter.nudge = w->nudge;
        sharc_buf_init(&fresh->body, w->server->max_body);
        *context = fresh;
        w->open++;
        return;
    }
    struct exchange *e = *context;
    if (!e) return;
    w->open--;
    sharc__http_turns_end(&w->server->turns, &e->waiter);
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
                              struct exchange *e)
{
    struct sharc_span target = sharc_span_of(e->target), rest = target;
    struct sharc_http_request request = {.method = sharc_span_of(method),
                                         .target = target,
                                         .body = sharc_span(sharc_buf_str(&e->body), e->body.n),
                                         .private_ = connection};
    sharc_span_next(&rest, '?', &request.path);
    if (request.path.n < target.n) request.query = sharc_span_from(target, request.path.n + 1);
    for (;;) {
        struct sharc_http_answer a = {.sleepers = &s->sleepers,
                                      .turns = &s->turns,
                                      .waiter = &e->waiter,
                                      .nudge = e->waiter.nudge,
                                      .to_head = sharc_span_is(request.method, "HEAD"),
                                      .status = MHD_HTTP_OK};
        s->handler(s->arg, &request, &a);
        if (!a.postponed) {
            sharc__http_turns_end(&s->turns, &e->waiter);
            return sharc__http_answer_send(&a, connection);
        }
        sharc__http_answer_done(&a);
        if (sharc__http_turns_wait(&s->turns, &e->waiter, connection)) return MHD_YES;
    }
}

static struct sharc_span header(struct MHD_Connection *connection, const char *name)
{
    const char *value = NULL;
    size_t n = 0;
    if (MHD_lookup_connection_value_n(connection, MHD_HEADER_KIND, name, strlen(name), &value, &n) != MHD_YES)
        return SHARC_SPAN_NONE;
    return value ? sharc_span(value, n) : SHARC_SPAN("");
}

struct sharc_span sharc_http_request_header(const struct sharc_http_request *r, const char *name)
{
    return header(r->private_, name);
}

/* Does the client expect to be told to go on with a body that it does not have? libmicrohttpd 0.9.75 would take the
 * next request for one. Answered at once, the connection ends behind the answer. */
static bool expects_in_vain(struct MHD_Connection *connection)
{
    if (!header(connection, "Expect").p || header(connection, "Transfer-Encoding").p) return false;
    struct sharc_span length = sharc_span_trim(header(connection, "Content-Length"));
    while (length.n > 0 && length.p[0] == '0') length = sharc_span_from(length, 1);
    return length.n == 0;
}

static enum MHD_Result access_handler(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
                                      const char *version, const char *data, size_t *size, void **context)
{
    (void)url, (void)version;
    struct sharc_http_server *s = arg;
    struct exchange *e = *context;
    if (!e->seen) { /* libmicrohttpd wants this call to pass, to answer "Expect: 100-continue" */
        e->seen = true;
        return expects_in_vain(connection) ? handle(s, connection, method, e) : MHD_YES;
    }
    if (*size > 0) {
        sharc_buf_put(&e->body, sharc_span(data, *size)); /* a refused piece marks the buffer: asked below */
        *size = 0;
        return MHD_YES;
    }
    if (e->body.failed) return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the request body is too large\n");
    return handle(s, connection, method, e);
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

static struct MHD_Daemon *start_daemon(struct worker *w, const struct sharc_http_server_options *o)
{
    unsigned timeout = (unsigned)((o->timeout + SHARC_SEC - 1) / SHARC_SEC);
    unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME |
                     (strchr(o->address, ':') ? MHD_USE_IPv6 : 0);
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_CONNECTION_LIMIT, 2 * w->most, NULL}, /* never reached: we count */
        {MHD_OPTION_CONNECTION_TIMEOUT, timeout, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)o->max_head, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)connected, w},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)begin, NULL},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_escapes, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(flags, w->server->port, NULL, NULL, access_handler, w->server, MHD_OPTION_ARRAY, items,
                            MHD_OPTION_END);
}

/* A few at a time, so that the other threads get some, too. */
static void take_connections(struct worker *w)
{
    enum { AT_ONCE = 16 };
    for (unsigned n = 0; n < AT_ONCE && w->open + n < w->most; n++) {
        struct endpoint from = {.n = sizeof from.u};
        int fd = accept4(w->listen, &from.u.any, &from.n, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            w->starved = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            return;
        }
        struct epoll_event e = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.fd = fd};
        epoll_ctl(w->ends, EPOLL_CTL_ADD, fd, &e);              /* until it is closed */
        MHD_add_connection(w->daemon, fd, &from.u.any, from.n); /* which closes what it does not take */
    }
}

/* The library hears of the end only if it comes later than the last bytes, and would wait for more until the
 * time is over. This makes it look once more. What was sent is read before. */
static void tell_ends(const struct worker *w)
{
    struct epoll_event some[64];
    int n = epoll_wait(w->ends, some, SHARC_LENGTH(some), 0);
    for (int i = 0; i < n; i++) shutdown(some[i].data.fd, SHUT_RD);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    enum { EVENTS, NUDGE, ENDS, LISTEN };
    struct pollfd fds[] = {{.fd = w->events, .events = POLLIN},
                           {.fd = w->nudge, .events = POLLIN},
                           {.fd = w->ends, .events = POLLIN},
                           {.events = POLLIN}};
    while (!atomic_load(&w->stop)) {
        MHD_UNSIGNED_LONG_LONG left;
        eventfd_t some;
        int wait = w->starved ? 50 : -1;
        if (MHD_get_timeout(w->daemon, &left) == MHD_YES && (wait < 0 || left < 50))
            wait = left < 60000 ? (int)left : 60000;
        fds[LISTEN].fd = w->starved || w->open >= w->most ? -1 : w->listen;
        w->starved = false;
        if (poll(fds, SHARC_LENGTH(fds), wait) < 0 && errno != EINTR) break;
        if (fds[NUDGE].revents & POLLIN) eventfd_read(w->nudge, &some);
        if (fds[LISTEN].fd >= 0 && fds[LISTEN].revents) take_connections(w);
        MHD_run(w->daemon);
        if (fds[ENDS].revents & POLLIN) tell_ends(w);
    }
    return NULL;
}

/* 0, or what the system says (ENOTSUP: nothing). */
static int start_worker(struct sharc_http_server *s, const struct sharc_http_server_options *o, unsigned connections)
{
    struct worker *w = &s->workers[s->worker_count++];
    w->server = s;
    w->listen = s->listen;
    w->most = connections;
    errno = 0;
    w->nudge = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->ends = epoll_create1(EPOLL_CLOEXEC);
    w->daemon = start_daemon(w, o);
    if (!w->daemon || w->nudge < 0 || w->ends < 0) return errno ? errno : ENOTSUP;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info) return ENOTSUP;
    w->events = info->epoll_fd;
    int r = pthread_create(&w->thread, NULL, work, w);
    w->runs = r == 0;
    return r;
}

static int start_workers(struct sharc_http_server *s, const struct sharc_http_server_options *o)
{
    unsigned threads = o->threads ? o->threads : sharc_cpu_count();
    if (threads < 2) threads = 2; /* a pull that takes long must not keep all waiting */
    if (threads > o->connections) threads = o->connections;
    s->workers = SHARC_NEW_ARRAY(struct worker, threads);
    int r = 0;
    for (unsigned i = 0; r == 0 && i < threads; i++) r = start_worker(s, o, (o->connections + threads - 1) / threads);
    return r;
}

/* Sockets, an epoll and an eventfd per thread, and what the handler opens. */
static int check_files(struct sharc_err *reterr)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0) return 0;
    SHARC_FAIL_IF(files.rlim_cur < LEAST_FILES, reterr, SHARC_ELIMIT,
                  "only %llu files may be open at a time, which is too few to serve; allow at least %u (ulimit -n)",
                  (unsigned long long)files.rlim_cur, LEAST_FILES);
    return 0;
}

int sharc_http_server_start(const struct sharc_http_server_options *o, struct sharc_http_server **ret,
                            struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!o->handler, reterr, SHARC_EINVAL, "a server needs a handler");
    SHARC_FAIL_IF(o->connections < 2 || o->turns < 1 || o->max_head < 1024 || o->timeout < 0, reterr, SHARC_EINVAL,
                  "a server needs 2 connections, a turn, 1024 bytes for a head, and a timeout that is not negative");
    SHARC_AUTO(sharc_http_server_stopp) struct sharc_http_server *s = SHARC_NEW(struct sharc_http_server);
    s->handler = o->handler;
    s->arg = o->arg;
    s->max_body = o->max_body;
    pthread_mutex_init(&s->sleepers.lock, NULL);
    sharc__http_turns_init(&s->turns, o->turns, o->connections / 2);
    s->listen = -1;
    int r = check_files(reterr);
    if (r == 0) r = open_socket(o, &s->listen, &s->port, reterr);
    if (r < 0) return r;
    bool v6 = strchr(o->address, ':') != NULL;
    snprintf(s->url, sizeof s->url, "http://%s%s%s:%u/", v6 ? "[" : "", o->address, v6 ? "]" : "", s->port);
    r = start_workers(s, o);
    SHARC_FAIL_IF(r == EAGAIN || r == ENOMEM, reterr, SHARC_ELIMIT,
                  "the server on %s gets no thread or no memory: allow it more (ulimit -u, ulimit -v)", s->url);
    SHARC_FAIL_IF(r, reterr, SHARC_ENET, "cannot start the server on %s: %s", s->url, strerrordesc_np(r));
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
    sharc__http_turns_stop(&s->turns);  /* or waits */
    for (unsigned i = 0; i < s->worker_count; i++) {
        atomic_store(&s->workers[i].stop, true);
        if (s->workers[i].runs) eventfd_write(s->workers[i].nudge, 1);
    }
    for (unsigned i = 0; i < s->worker_count; i++)
        if (s->workers[i].runs) pthread_join(s->workers[i].thread, NULL);
    for (unsigned i = 0; i < s->worker_count; i++) {
        if (s->workers[i].daemon) MHD_stop_daemon(s->workers[i].daemon);
        sharc_closep(&s->workers[i].nudge);
        sharc_closep(&s->workers[i].ends);
    }
    free(s->workers);
    sharc_closep(&s->listen);
    pthread_mutex_destroy(&s->sleepers.lock);
    sharc__http_turns_done(&s->turns);
    free(s);
}

void sharc_http_server_stopp(struct sharc_http_server **s)
{
    sharc_http_server_stop(*s);
    *s = NULL;
}
