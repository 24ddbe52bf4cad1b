/* SPDX-License-Identifier: Apache-2.0
 *
 * All transfers together: libcurl's multi interface on epoll. libcurl names the
 * sockets to watch and one timer; the loop tells it what happened and collects
 * what has ended.
 *
 *   IDLE --submit--> ACTIVE --libcurl says done, or abort--> READY --wait--> the caller
 *   handle pool      f->active                               f->ready (results only;
 *                                                            the handle is IDLE again)
 */
#include "fetch_int.h"

#include "sharc/base_digest.h"
#include "sharc/base_exhausted.h"
#include "sharc/base_limits.h"
#include "sharc/base_version.h"
#include "sharc/url.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, IDLE_HANDLES = 1024, STOP_SLICE_MS = 100 };

static struct fetcher *of(struct sharc_fetcher *f)
{
    return (struct fetcher *)f;
}

/* --- the queue of results ------------------------------------------------ */

static void push_ready(struct fetcher *f, struct sharc_fetch_result *r)
{
    if (f->ready_count == f->ready_room) {
        size_t room = f->ready_room ? 2 * f->ready_room : 64;
        struct sharc_fetch_result **ring = SHARC_NEW_ARRAY(struct sharc_fetch_result *, room);
        for (size_t i = 0; i < f->ready_count; i++) ring[i] = f->ready[(f->ready_at + i) % f->ready_room];
        free(f->ready);
        f->ready = ring;
        f->ready_room = room;
        f->ready_at = 0;
    }
    f->ready[(f->ready_at + f->ready_count++) % f->ready_room] = r;
}

static bool pop_ready(struct fetcher *f, struct sharc_fetch_result **ret)
{
    if (f->ready_count == 0) return false;
    *ret = f->ready[f->ready_at];
    f->ready_at = (f->ready_at + 1) % f->ready_room;
    f->ready_count--;
    return true;
}

/* --- handles ------------------------------------------------------------- */

static struct transfer *take_handle(struct fetcher *f)
{
    struct transfer *t = f->idle;
    if (!t) return sharc__http_transfer_new(f);
    f->idle = t->next;
    f->idle_count--;
    t->next = NULL;
    return t;
}

static void give_handle(struct fetcher *f, struct transfer *t)
{
    if (t->worn || f->idle_count >= IDLE_HANDLES) {
        sharc__http_transfer_free(t);
        return;
    }
    t->prev = NULL;
    t->next = f->idle;
    f->idle = t;
    f->idle_count++;
}

static void activate(struct fetcher *f, struct transfer *t)
{
    t->prev = NULL;
    t->next = f->active;
    if (f->active) f->active->prev = t;
    f->active = t;
    f->active_count++;
}

static void deactivate(struct fetcher *f, struct transfer *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        f->active = t->next;
    if (t->next) t->next->prev = t->prev;
    f->active_count--;
    curl_multi_remove_handle(t->shard->multi, t->easy);
}

/* --- what libcurl wants watched ------------------------------------------ */

static struct watch *watch_of(struct fetcher *f, int fd)
{
    size_t before = f->watches_room;
    SHARC_GROW(f->watches, f->watches_room, (size_t)fd + 1);
    if (f->watches_room > before) memset(f->watches + before, 0, (f->watches_room - before) * sizeof *f->watches);
    return &f->watches[fd];
}

static void set_epoll(struct fetcher *f, int fd, struct watch *w, unsigned events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};
    int how = !events ? EPOLL_CTL_DEL : w->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(f->epoll, how, fd, &e) < 0 && how != EPOLL_CTL_DEL)
        epoll_ctl(f->epoll, errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
    w->known = events;
}

/* Between two requests libcurl takes a connection off and puts it on again. To
 * leave it where it is spares two system calls a request; if it speaks up while
 * nobody listens, it is hung up. Only sockets that we opened: of those
 * we hear when they are closed. */
static int on_watch(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
    (void)easy, (void)known;
    struct shard *s = arg;
    struct fetcher *f = s->owner;
    struct watch *w = watch_of(f, fd);
    w->shard = s;
    w->wanted =
        what == CURL_POLL_REMOVE ? 0 : (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (w->wanted != w->known && (w->wanted || !w->ours)) set_epoll(f, fd, w, w->wanted);
    return 0;
}

void sharc__http_fetch_opened(struct fetcher *f, int fd)
{
    *watch_of(f, fd) = (struct watch){.ours = true};
}

void sharc__http_fetch_is_http2(struct fetcher *f, int fd)
{
    if (fd >= 0) watch_of(f, fd)->http2 = true;
}

bool sharc__http_fetch_has_stray_input(struct fetcher *f, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return fd >= 0 && !watch_of(f, fd)->http2 && poll(&p, 1, 0) > 0;
}

uint64_t sharc__http_fetch_sends(struct fetcher *f, int fd)
{
    f->requests++;
    if (fd >= 0) watch_of(f, fd)->request = f->requests;
    return f->requests;
}

bool sharc__http_fetch_has_more(struct fetcher *f, int fd, uint64_t request)
{
    char c;
    if (fd < 0) return false;
    const struct watch *w = watch_of(f, fd);
    return !w->http2 && w->request == request && recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void sharc__http_fetch_distrust(struct fetcher *f, uint64_t origin)
{
    *sharc_map64_at(&f->distrusted, origin) = 1;
}

/* "408 Request Timeout" is how servers take leave of an idle connection: it is no answer to anybody. */
static bool says_good_bye(const char *head, ssize_t n)
{
    static const char status[] = "HTTP/1.x 408";
    return n == sizeof status - 1 && memcmp(head, status, 7) == 0 && memcmp(head + 8, status + 8, 4) == 0;
}

void sharc__http_fetch_suspect(struct fetcher *f, int fd)
{
    char head[12];
    const struct watch *w = watch_of(f, fd);
    if (!w->origin || w->http2) return;
    ssize_t n = recv(fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (n > 0 && !says_good_bye(head, n)) sharc__http_fetch_distrust(f, w->origin);
}

void sharc__http_fetch_used(struct fetcher *f, int fd, uint64_t plain_origin)
{
    if (fd >= 0) watch_of(f, fd)->origin = plain_origin;
}

int sharc__http_fetch_close(void *fetcher, curl_socket_t fd)
{
    *watch_of(fetcher, fd) = (struct watch){0};
    return close(fd);
}

static void collect(struct fetcher *f)
{
    CURLcode code;
    for (struct transfer *t; (t = sharc__http_shards_ended(f, &code));) {
        if (sharc__http_transfer_anew(t, code)) {
            curl_multi_remove_handle(t->shard->multi, t->easy);
            if (curl_multi_add_handle(t->shard->multi, t->easy) == CURLM_OK) continue;
            code = CURLE_FAILED_INIT;
        }
        push_ready(f, sharc__http_transfer_end(t, code));
        deactivate(f, t);
        give_handle(f, t);
    }
}

/* --- the loop ------------------------------------------------------------ */

/* Nobody waits for this socket. Bytes that come now would be taken for the answer
 * to the next request: the connection is shut, and libcurl finds that out when it
 * wants to use it (on_request). */
static void hang_up(struct fetcher *f, int fd, struct watch *w)
{
    if (!w->known) return;
    if (w->ours) sharc__http_fetch_suspect(f, fd);
    set_epoll(f, fd, w, 0);
    if (w->ours && !w->http2) (void)shutdown(fd, SHUT_RDWR);
}

/* Milliseconds epoll may sleep, rounded up: nothing happens too early. */
static int sleep_ms(const struct fetcher *f, sharc_time deadline, bool stoppable)
{
    sharc_time until = deadline, timer = sharc__http_shards_timer(f);
    if (timer != SHARC_TIME_NONE && (until == SHARC_TIME_NONE || timer < until)) until = timer;
    int most = stoppable ? STOP_SLICE_MS : 60000;
    if (until == SHARC_TIME_NONE) return most;
    sharc_time left = until - sharc__http_fetch_now(f);
    if (left <= 0) return 0;
    sharc_time ms = (left + SHARC_MSEC - 1) / SHARC_MSEC;
    return ms < most ? (int)ms : most;
}

/* Let transfers that wait for room in files go on: as many as fit, and one whatever happens. */
static void resume(struct fetcher *f)
{
    for (struct transfer *t = f->active, *next; t && f->paused_count > 0; t = next) {
        next = t->next;
        if (!t->paused) continue;
        if (f->in_files >= f->set.files && f->paused_count < f->active_count) return;
        t->paused = false;
        f->paused_count--;
        t->shard->called = true;
        (void)curl_easy_pause(t->easy, CURLPAUSE_CONT); /* calls on_body, which may pause it again */
        if (t->paused) return;
    }
}

/* One round: sleep, tell libcurl, collect. *ret_woken: somebody called wake. */
static int turn(struct fetcher *f, sharc_time deadline, bool stoppable, bool *ret_woken, struct sharc_err *reterr)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(f->epoll, events, EVENTS, sleep_ms(f, deadline, stoppable));
    SHARC_FAIL_IF(n < 0 && errno != EINTR, reterr, SHARC_EIO, "waiting for the network failed: %s",
                  strerrordesc_np(errno));
    for (int i = 0; i < n; i++) {
        if (events[i].data.fd == f->waker) {
            uint64_t count;
            *ret_woken = read(f->waker, &count, sizeof count) > 0;
            continue;
        }
        unsigned e = events[i].events;
        struct watch *w = watch_of(f, events[i].data.fd);
        if (!w->wanted) {
            hang_up(f, events[i].data.fd, w);
            continue;
        }
        int mask = (e & EPOLLIN ? CURL_CSELECT_IN : 0) | (e & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                   (e & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        sharc__http_shard_event(w->shard, events[i].data.fd, mask);
    }
    sharc__http_shards_call(f, sharc__http_fetch_now(f));
    collect(f);
    if (f->paused_count > 0) resume(f);
    return 0;
}

static int loop_wait(struct sharc_fetcher *base, sharc_time deadline, const volatile bool *stop,
                     struct sharc_fetch_result **ret, struct sharc_err *reterr)
{
    struct fetcher *f = of(base);
    for (;;) {
        bool woken = false;
        if (pop_ready(f, ret)) return 1;
        if (stop && *stop) return sharc_fail(reterr, SHARC_EINTR, "stopped while waiting for downloads");
        if (f->active_count == 0 && deadline == SHARC_TIME_NONE) return 0;
        int r = turn(f, deadline, stop != NULL, &woken, reterr);
        if (r < 0) return r;
        if (pop_ready(f, ret)) return 1;
        if (woken || (deadline != SHARC_TIME_NONE && sharc__http_fetch_now(f) >= deadline)) return 0;
    }
}

/* A request that fails before anything is sent. */
static int refuse(struct fetcher *f, const struct sharc_fetch_request *req, enum sharc_fetch_state state,
                  const char *detail)
{
    struct sharc_fetch_result *r = sharc__http_fetch_result_new(req, 0, NULL);
    r->start = r->end = sharc__http_fetch_now(f);
    sharc__http_fetch_conclude(r, state, detail);
    push_ready(f, r);
    return 0;
}

/* The request with these fields behind its own: *ret, and their array in *ret_all. */
static const struct sharc_fetch_request *add_fields(const struct sharc_fetch_request *req,
                                                    const struct sharc_secret_fields *more,
                                                    struct sharc_fetch_request *ret, struct sharc_http_field **ret_all)
{
    struct sharc_http_field *all = SHARC_NEW_ARRAY(struct sharc_http_field, req->fields_count + more->count);
    for (size_t i = 0; i < req->fields_count; i++) all[i] = req->fields[i];
    for (size_t i = 0; i < more->count; i++) all[req->fields_count + i] = more->fields[i];
    *ret = *req;
    ret->fields = *ret_all = all;
    ret->fields_count = req->fields_count + more->count;
    return ret;
}

static int loop_submit(struct sharc_fetcher *base, const struct sharc_fetch_request *req, struct sharc_err *reterr)
{
    struct fetcher *f = of(base);
    SHARC_AUTO(sharc_url_done) struct sharc_url url = SHARC_URL_INIT;
    struct sharc_err err;
    enum sharc_address_kind kind;
    if (sharc_url_parse(&url, req->url, NULL, &err) < 0) return refuse(f, req, SHARC_FETCH_BAD_URL, err.text);
    if (!sharc_url_is_http(&url)) return refuse(f, req, SHARC_FETCH_BAD_URL, "only http and https are fetched");
    sharc_url_strip_fragment(&url);
    sharc_url_strip_credentials(&url);
    /* libcurl would ask too late: with a proxy, or never with connect_to. */
    if (!f->set.allow_private && !req->allow_private && sharc_address_kind_of_host(sharc_url_host(&url), &kind) == 0 &&
        kind != SHARC_ADDRESS_PUBLIC)
        return refuse(f, req, SHARC_FETCH_PRIVATE, sharc_address_kind_text(kind));

    SHARC_AUTO(sharc_secret_fields_done) struct sharc_secret_fields secret = {0};
    SHARC_AUTO(sharc_freep) struct sharc_http_field *all = NULL;
    struct sharc_fetch_request with_secrets;
    if (f->set.secrets) {
        if (sharc_secrets_for(f->set.secrets, &url, sharc__http_fetch_now(f), &secret, &err) < 0)
            return refuse(f, req, SHARC_FETCH_LOCAL, err.text);
        if (secret.count > 0) req = add_fields(req, &secret, &with_secrets, &all);
    }
    struct transfer *t = take_handle(f);
    if (!t) return refuse(f, req, SHARC_FETCH_LOCAL, "libcurl cannot create another handle");
    t->origin = sharc_fingerprint(sharc_span(url.p, url.path_start), 0) | 1;
    int r = sharc__http_transfer_begin(t, req, url.p, reterr);
    if (r < 0) {
        give_handle(f, t);
        return r;
    }
    t->shard = sharc__http_shard_of(f, t->origin, on_watch);
    CURLMcode code = t->shard ? curl_multi_add_handle(t->shard->multi, t->easy) : CURLM_OUT_OF_MEMORY;
    if (code != CURLM_OK) {
        sharc__http_transfer_free(t);
        return refuse(f, req, SHARC_FETCH_LOCAL, curl_multi_strerror(code));
    }
    activate(f, t);
    return 0;
}

static size_t loop_pending(const struct sharc_fetcher *base)
{
    const struct fetcher *f = (const struct fetcher *)base;
    return f->active_count + f->ready_count;
}

static void loop_abort(struct sharc_fetcher *base)
{
    struct fetcher *f = of(base);
    while (f->active) {
        struct transfer *t = f->active;
        push_ready(f, sharc__http_transfer_abort(t));
        deactivate(f, t);
        give_handle(f, t);
    }
}

static void loop_wake(struct sharc_fetcher *base)
{
    uint64_t one = 1;
    ssize_t n = write(of(base)->waker, &one, sizeof one);
    (void)n; /* it can only fail when a wake is pending anyway */
}

/* --- life ---------------------------------------------------------------- */

static void settings_done(struct sharc_fetcher_settings *s)
{
    const char **strings[] = {&s->user_agent, &s->from,  &s->accept,    &s->accept_encoding, &s->accept_language,
                              &s->ca_file,    &s->proxy, &s->interface, &s->spool_dir};
    for (size_t i = 0; i < SHARC_LENGTH(strings); i++) free((void *)(uintptr_t)*strings[i]);
}

static void loop_free(struct sharc_fetcher *base)
{
    struct fetcher *f = of(base);
    struct sharc_fetch_result *r;
    loop_abort(base);
    while (pop_ready(f, &r)) sharc_fetch_result_free(r);
    while (f->idle) {
        struct transfer *t = f->idle;
        f->idle = t->next;
        sharc__http_transfer_free(t);
    }
    sharc__http_shards_free(f);
    sharc__http_tls_forget(f);
    curl_slist_free_all(f->fields);
    curl_slist_free_all(f->connect_to);
    settings_done(&f->set);
    free(f->proxy_user);
    free(f->proxy_password);
    sharc_closep(&f->epoll);
    sharc_closep(&f->waker);
    free(f->ready);
    free(f->watches);
    sharc_map64_done(&f->distrusted);
    free(f);
}

static const struct sharc_fetcher_ops ops = {
    loop_submit, loop_wait, loop_pending, loop_abort, loop_wake, loop_free,
};

static const char *own(const char *given, const char *otherwise)
{
    const char *text = given ? given : otherwise;
    return text ? sharc_strdup(text) : NULL;
}

/* Defaults for what was left out; strings become ours. */
static void settle(struct sharc_fetcher_settings *to, const struct sharc_fetcher_settings *from)
{
#define NUMBER(field, otherwise) to->field = from->field ? from->field : (otherwise)
    *to = *from;
    to->user_agent = own(from->user_agent, "Mozilla/5.0 (compatible; sharc/" SHARC_VERSION ")");
    to->from = own(from->from, NULL);
    to->accept = own(from->accept, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    to->accept_encoding = own(from->accept_encoding, "gzip, br");
    to->accept_language = own(from->accept_language, NULL);
    to->ca_file = own(from->ca_file, NULL);
    to->proxy = NULL; /* see take_proxy */
    to->interface = own(from->interface, NULL);
    to->spool_dir = own(from->spool_dir, "/tmp");
    NUMBER(max_connect, 20 * SHARC_SEC);
    NUMBER(max_time, 1200 * SHARC_SEC);
    NUMBER(slow_bytes, 10);
    NUMBER(slow_time, 60 * SHARC_SEC);
    NUMBER(max_head, SHARC_LIMIT_HTTP_HEADER);
    if (to->max_head > SHARC_LIMIT_HTTP_HEADER) to->max_head = SHARC_LIMIT_HTTP_HEADER;
    NUMBER(max_body, 1000000000);
    NUMBER(spool_at, (size_t)512 << 10);
    NUMBER(memory, (size_t)64 << 20);
    NUMBER(files, 4000000000);
    NUMBER(connections, 4096);
#undef NUMBER
    to->connect_to = NULL;
    to->connect_to_count = 0;
}

/* Sockets, and files for bodies beside them; and libcurl has two for each shard. Where even the hard limit is too
 * low, fewer connections are kept: a request without a socket would be worse
 * than one that must connect anew. */
static int make_room_for_files(struct fetcher *f, struct sharc_err *reterr)
{
    struct rlimit files;
    rlim_t want = 2 * (rlim_t)f->set.connections + f->set.connections / 16 + 256;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0) return 0;
    if (files.rlim_cur < want) {
        files.rlim_cur = files.rlim_max < want ? files.rlim_max : want;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    SHARC_FAIL_IF(files.rlim_cur < SHARC_FETCH_LEAST_FILES, reterr, SHARC_ELIMIT,
                  "only %llu files may be open at a time, which is too few to fetch; allow at least %u (ulimit -n)",
                  (unsigned long long)files.rlim_cur, SHARC_FETCH_LEAST_FILES);
    if (f->set.connections > files.rlim_cur / 2) f->set.connections = (unsigned)(files.rlim_cur / 2);
    return 0;
}

static int start_libcurl(struct fetcher *f, struct sharc_err *reterr)
{
    /* Counted, and locked by libcurl itself since 7.84. */
    SHARC_FAIL_IF(curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK, reterr, SHARC_EUNSUPPORTED,
                  "libcurl cannot be started");
    int r = make_room_for_files(f, reterr);
    if (r < 0) return r;
    sharc__http_shards_start(f);
    SHARC_FAIL_IF(!sharc__http_shard_of(f, 0, on_watch), reterr, SHARC_EUNSUPPORTED, "libcurl cannot be started");
    f->epoll = epoll_create1(EPOLL_CLOEXEC);
    f->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = f->waker};
    SHARC_FAIL_IF(f->epoll < 0 || f->waker < 0 || epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->waker, &e) < 0, reterr,
                  SHARC_EIO, "the fetcher cannot watch sockets: %s", strerrordesc_np(errno));
    return 0;
}

/* Take the proxy's URL apart. Its credentials are kept beside it, so that no message
 * of libcurl's can quote them. SHARC_EINVAL for one that libcurl would refuse at
 * every request; without a scheme it speaks HTTP. */
static int take_proxy(struct fetcher *f, const char *proxy, struct sharc_err *reterr)
{
    static const char *const schemes[] = {"http", "https", "socks4", "socks4a", "socks5", "socks5h"};
    SHARC_AUTO(sharc_freep) char *whole = sharc_asprintf("%s%s", strstr(proxy, "://") ? "" : "http://", proxy);
    CURLU *u = curl_url();
    char *scheme = NULL, *path = NULL, *bare = NULL, shown[SHARC_URL_SHOWN];
    if (!u) sharc__no_memory();
    bool good = curl_url_set(u, CURLUPART_URL, whole, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
                curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                (curl_url_get(u, CURLUPART_PATH, &path, 0) != CURLUE_OK || strlen(path) <= 1);
    bool known = false;
    for (size_t i = 0; good && i < SHARC_LENGTH(schemes); i++) known |= strcasecmp(scheme, schemes[i]) == 0;
    if (good && known) {
        char *user = NULL, *password = NULL;
        (void)curl_url_get(u, CURLUPART_USER, &user, CURLU_URLDECODE);
        (void)curl_url_get(u, CURLUPART_PASSWORD, &password, CURLU_URLDECODE);
        if (user) f->proxy_user = sharc_strdup(user);
        if (password) f->proxy_password = sharc_strdup(password);
        curl_free(user);
        curl_free(password);
        (void)curl_url_set(u, CURLUPART_USER, NULL, 0);
        (void)curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
        good = curl_url_get(u, CURLUPART_URL, &bare, 0) == CURLUE_OK;
    }
    if (good && known) f->set.proxy = sharc_strdup(bare);
    curl_free(scheme);
    curl_free(path);
    curl_free(bare);
    curl_url_cleanup(u);
    if (good && known) return 0;
    return sharc_fail(reterr, SHARC_EINVAL,
                      "\"%s\" is not a proxy; write http://HOST:PORT, https://, socks4://, socks5:// or socks5h://",
                      sharc_url_shown(sharc_span_of(proxy), shown));
}

int sharc_fetcher_new(const struct sharc_fetcher_settings *s, struct sharc_fetcher **ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!s->clock, reterr, SHARC_EINVAL, "the fetcher needs a clock");
    SHARC_FAIL_IF(s->ipv4_only && s->ipv6_only, reterr, SHARC_EINVAL, "IPv4 only and IPv6 only exclude each other");
    SHARC_FAIL_IF(s->ca_file && access(s->ca_file, R_OK) < 0, reterr, sharc_error_from_errno(errno),
                  "%s: cannot read the certificates: %s", s->ca_file, strerrordesc_np(errno));
    struct fetcher *f = SHARC_NEW(struct fetcher);
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *base = &f->base;
    f->base.ops = &ops;
    f->epoll = f->waker = -1;
    settle(&f->set, s);
    int r = s->proxy ? take_proxy(f, s->proxy, reterr) : 0;
    if (r < 0) return r;
    f->fields = sharc__http_fetch_fields(&f->set);
    for (size_t i = 0; i < s->connect_to_count; i++) f->connect_to = curl_slist_append(f->connect_to, s->connect_to[i]);
    r = start_libcurl(f, reterr);
    if (r < 0) return r;
    *ret = SHARC_TAKE(base);
    return 0;
}
