/* SPDX-License-Identifier: Apache-2.0
 *
 * One transfer over libcurl. What comes back is kept as it came: libcurl finds
 * the ends of heads and bodies, but decodes neither chunks nor codings.
 *
 * Measured on libcurl 7.88 and built in here:
 *  - the CA store is read once for each multi handle instead of for each connection only when
 *    CAPATH is NULL (Debian builds a default one in); where it can be, it is ours (fetch_tls.c);
 *  - the request's bytes are known to the debug callback alone;
 *  - a head line above 100 kB ends in CURLE_OUT_OF_MEMORY, a head above 300 kB
 *    in CURLE_RECV_ERROR: both mean HEAD_TOO_LARGE;
 *  - how often a request was sent again because a kept connection had died is
 *    counted per handle, not per request: after five such ends in the life of a
 *    handle the next one fails. Such a handle is not used again;
 *  - an address is seen before it is connected to by the open-socket callback,
 *    and for a connection used again by the pre-request callback. Names, and
 *    what they resolve to, are not asked: only the address itself counts, so a
 *    name whose answer changes in between gains nothing.
 */
#include "fetch_int.h"

#include "sharc/base_exhausted.h"
#include "sharc/base_library.h"
#include "sharc/base_limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    DNS_KEPT = 120,
    /* Bytes received at a time: a page in one piece; but thousands of transfers at
     * once must not hold that much each. */
    RECEIVE = 64 << 10,
    RECEIVE_CROWD = 16 << 10,
    CROWD = 256,
    EXPECTED_MOST = 128 << 10, /* announced bytes that are believed before they come */
};

/* --- what libcurl tells us ----------------------------------------------- */

/* One of our callbacks ends the transfer; what it returns makes libcurl stop. */
static void stop(struct transfer *t, enum sharc_fetch_state why)
{
    if (t->stopped) return;
    t->stopped = true;
    t->why = why;
}

static void stamp_first(struct transfer *t)
{
    if (t->result->first_byte == SHARC_TIME_NONE) t->result->first_byte = sharc__http_fetch_now(t->owner);
}

static int socket_of(const struct transfer *t)
{
    curl_socket_t fd = CURL_SOCKET_BAD;
    return curl_easy_getinfo(t->easy, CURLINFO_ACTIVESOCKET, &fd) == CURLE_OK ? fd : -1;
}

static bool was_connected_before(const struct transfer *t)
{
    long connects = 0;
    return curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &connects) == CURLE_OK && connects == 0;
}

/* A body that grows piece by piece is copied several times: have room for what is
 * announced, if that is to stay in memory. */
static void expect_body(struct transfer *t)
{
    struct fetcher *f = t->owner;
    uint64_t length;
    if (sharc_http_content_length(&t->result->http, &length) < 0) return;
    if (length > EXPECTED_MOST) length = EXPECTED_MOST;
    if (length > t->max_body) length = t->max_body;
    if (length <= f->set.spool_at && f->in_memory + length <= f->set.memory)
        (void)sharc_buf_reserve(&t->result->body.memory, (size_t)length);
}

/* The empty line came: keep the head, or, if it only announces another, put it
 * aside. */
static void head_complete(struct transfer *t)
{
    struct sharc_fetch_result *r = t->result;
    bool good = sharc__http_fetch_parse_head(r);
    if (good && r->status / 100 == 1 && r->status != 101) {
        r->status = 0;
        if (sharc_buf_put(&r->interim, sharc_buf_span(&r->head)) < 0) stop(t, SHARC_FETCH_HEAD_TOO_LARGE);
        sharc_buf_clear(&r->head);
        return;
    }
    t->head_done = true;
    if (good && t->wanted && !t->wanted(r->user, r))
        stop(t, SHARC_FETCH_UNWANTED);
    else if (good)
        expect_body(t);
}

/* One line of a head. Lines behind the head are trailers, which HTTP/1.1 bodies
 * hold as bytes already. */
static size_t on_head(char *bytes, size_t size, size_t count, void *arg)
{
    struct transfer *t = arg;
    struct sharc_fetch_result *r = t->result;
    size_t n = size * count;
    stamp_first(t);
    if (t->head_done) return n;
    if (r->head.n + n > t->owner->set.max_head || sharc_buf_put(&r->head, sharc_span(bytes, n)) < 0) {
        stop(t, SHARC_FETCH_HEAD_TOO_LARGE);
        return 0;
    }
    if (n <= 2 && bytes[n - 1] == '\n' && (n == 1 || bytes[0] == '\r')) head_complete(t);
    return t->stopped ? 0 : n;
}

static bool keep_body(struct transfer *t, struct sharc_span bytes)
{
    struct fetcher *f = t->owner;
    struct sharc_spool *body = &t->result->body;
    int r = 0;
    if (body->fd < 0 && f->in_memory + bytes.n > f->set.memory) r = sharc_spool_to_file(body, &t->err);
    if (r == 0) r = sharc_spool_put(body, bytes, &t->err);
    f->in_memory += body->memory.n - t->in_memory;
    t->in_memory = body->memory.n;
    f->in_files += body->fd_size - t->in_file;
    t->in_file = body->fd_size;
    if (r == 0) return true;
    stop(t, SHARC_FETCH_LOCAL);
    return false;
}

/* Is the disk to wait for others to end? Not when nobody else would go on. */
static bool must_wait(struct transfer *t, size_t n)
{
    struct fetcher *f = t->owner;
    bool to_file = t->result->body.fd >= 0 || t->result->body.memory.n + n > f->set.spool_at;
    if (!to_file || f->in_files + n <= f->set.files || f->paused_count + 1 >= f->active_count) return false;
    t->paused = true;
    f->paused_count++;
    return true;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
    struct transfer *t = arg;
    size_t n = size * count;
    stamp_first(t);
    uint64_t room = t->max_body - sharc_spool_size(&t->result->body);
    if (must_wait(t, n)) return CURL_WRITEFUNC_PAUSE;
    if (!keep_body(t, sharc_span(bytes, n < room ? n : (size_t)room))) return 0;
    if (n <= room) return n;
    stop(t, SHARC_FETCH_TOO_LARGE);
    return 0;
}

/* Request heads; and what is said in words only: that bytes came behind the
 * announced length, and that a kept connection had died, so that the request
 * was sent again. */
static int on_debug(CURL *easy, curl_infotype type, char *bytes, size_t n, void *arg)
{
    (void)easy;
    struct transfer *t = arg;
    struct sharc_fetch_result *r = t->result;
    struct sharc_span text = sharc_span(bytes, n);
    if (!r) return 0;
    if (type == CURLINFO_HEADER_OUT) {
        /* A request on a connection that turned out dead is sent again. */
        if (sharc_span_starts(text, SHARC_SPAN("GET "))) sharc_buf_clear(&r->request);
        sharc_buf_put(&r->request, text);
    } else if (type == CURLINFO_TEXT && sharc_span_starts(text, SHARC_SPAN("Excess found"))) {
        r->excess = true;
    } else if (type == CURLINFO_TEXT && sharc_span_starts(text, SHARC_SPAN("Connection died"))) {
        t->worn = true;
    }
    return 0;
}

static bool may_connect(struct transfer *t, enum sharc_address_kind kind, const char *address)
{
    if (kind == SHARC_ADDRESS_PUBLIC || t->allow_private || t->owner->set.allow_private) return true;
    t->refused = true;
    sharc_fail(&t->err, SHARC_EACCESS, "%s is %s", address, sharc_address_kind_text(kind));
    return false;
}

static curl_socket_t on_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
    (void)purpose;
    struct transfer *t = arg;
    char text[INET6_ADDRSTRLEN] = "the address";
    const uint8_t *bytes = NULL;
    size_t n = 0;
    if (a->family == AF_INET) {
        bytes = (const uint8_t *)&((const struct sockaddr_in *)(const void *)&a->addr)->sin_addr;
        n = 4;
    } else if (a->family == AF_INET6) {
        bytes = (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)&a->addr)->sin6_addr;
        n = 16;
    }
    if (bytes) inet_ntop(a->family, bytes, text, sizeof text);
    /* A proxy may stand where it likes: the operator chose it. */
    if (!t->owner->set.proxy && !may_connect(t, sharc_address_kind(bytes, n), text)) return CURL_SOCKET_BAD;
    int fd = socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
        stop(t, SHARC_FETCH_LOCAL);
        sharc_fail(&t->err, SHARC_ELIMIT, "no further socket: %s", strerrordesc_np(errno));
    }
    if (fd < 0) return CURL_SOCKET_BAD;
    sharc__http_fetch_opened(t->owner, fd);
    return fd;
}

/* The last moment before the request is sent. What lies on the connection already
 * would be taken for its answer. And a connection opened for a request that may
 * go to private addresses must not serve one that may not. */
static int on_request(void *arg, char *remote, char *local, int remote_port, int local_port)
{
    (void)local, (void)remote_port, (void)local_port;
    struct transfer *t = arg;
    enum sharc_address_kind kind = SHARC_ADDRESS_RESERVED;
    if (!t->anew && was_connected_before(t) && sharc__http_fetch_has_stray_input(t->owner, socket_of(t))) {
        sharc__http_fetch_suspect(t->owner, socket_of(t));
        t->stale = true;
        return CURL_PREREQFUNC_ABORT;
    }
    sharc__http_tls_note(t);
    t->request = sharc__http_fetch_sends(t->owner, socket_of(t));
    if (t->owner->set.proxy) return CURL_PREREQFUNC_OK;
    (void)sharc_address_kind_of_host(sharc_span_of(remote), &kind);
    return may_connect(t, kind, remote) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* --- setting up ---------------------------------------------------------- */

static struct curl_slist *add_field(struct curl_slist *list, const char *name, const char *value)
{
    if (!value) return list;
    /* "Name;" is libcurl's way to send a field without value. */
    SHARC_AUTO(sharc_freep) char *line = *value ? sharc_asprintf("%s: %s", name, value) : sharc_asprintf("%s;", name);
    struct curl_slist *longer = curl_slist_append(list, line);
    if (!longer) sharc__no_memory();
    return longer;
}

struct curl_slist *sharc__http_fetch_fields(const struct sharc_fetcher_settings *s)
{
    struct curl_slist *list = add_field(NULL, "User-Agent", s->user_agent);
    list = add_field(list, "Accept", s->accept);
    list = add_field(list, "Accept-Encoding", s->accept_encoding);
    list = add_field(list, "Accept-Language", s->accept_language);
    return add_field(list, "From", s->from);
}

static bool same_name(const char *line, struct sharc_span name)
{
    return sharc_span_istarts(sharc_span_of(line), name) && (line[name.n] == ':' || line[name.n] == ';');
}

static bool is_field(const struct sharc_http_field *f)
{
    if (f->name.n == 0) return false;
    for (size_t i = 0; i < f->name.n; i++)
        if (!sharc_is_alnum(f->name.p[i]) && !memchr("!#$%&'*+-.^_`|~", f->name.p[i], 15)) return false;
    for (size_t i = 0; i < f->value.n; i++)
        if (f->value.p[i] == '\r' || f->value.p[i] == '\n' || f->value.p[i] == 0) return false;
    return true;
}

/* The fetcher's fields but for those replaced, then the request's own. */
static struct curl_slist *own_fields(const struct fetcher *f, const struct sharc_fetch_request *req)
{
    struct curl_slist *list = NULL;
    for (const struct curl_slist *s = f->fields; s; s = s->next) {
        bool replaced = false;
        for (size_t i = 0; i < req->fields_count; i++) replaced |= same_name(s->data, req->fields[i].name);
        if (!replaced) list = curl_slist_append(list, s->data);
    }
    for (size_t i = 0; i < req->fields_count; i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(req->fields[i].name);
        SHARC_AUTO(sharc_freep) char *value = sharc_span_dup(req->fields[i].value);
        list = add_field(list, name, value);
    }
    return list;
}

static void set_callbacks(struct transfer *t)
{
    CURL *e = t->easy;
    curl_easy_setopt(e, CURLOPT_PRIVATE, t);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->error);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_head);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, on_debug);
    curl_easy_setopt(e, CURLOPT_DEBUGDATA, t);
    curl_easy_setopt(e, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, t);
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION, sharc__http_fetch_close);
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETDATA, t->owner);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_request);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, t);
}

static long whole_seconds(sharc_time d)
{
    return (long)((d + SHARC_SEC - 1) / SHARC_SEC);
}

static void set_network(CURL *e, struct fetcher *f)
{
    const struct sharc_fetcher_settings *s = &f->set;
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_PROXY, s->proxy ? s->proxy : ""); /* "": nor the environment's */
    curl_easy_setopt(e, CURLOPT_PROXYUSERNAME, f->proxy_user);
    curl_easy_setopt(e, CURLOPT_PROXYPASSWORD, f->proxy_password);
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(e, CURLOPT_INTERFACE, s->interface);
    if (s->ipv4_only) curl_easy_setopt(e, CURLOPT_IPRESOLVE, CURL_IPRESOLVE_V4);
    if (s->ipv6_only) curl_easy_setopt(e, CURLOPT_IPRESOLVE, CURL_IPRESOLVE_V6);
    if (f->connect_to) curl_easy_setopt(e, CURLOPT_CONNECT_TO, f->connect_to);
    curl_easy_setopt(e, CURLOPT_DNS_CACHE_TIMEOUT, (long)DNS_KEPT);
    curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
    if (s->ca_file) curl_easy_setopt(e, CURLOPT_CAINFO, s->ca_file);
    sharc__http_tls_trust(f, e);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, s->insecure ? 0L : 1L);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, s->insecure ? 0L : 2L);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)(s->max_connect / SHARC_MSEC));
    curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, (long)s->slow_bytes);
    curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, whole_seconds(s->slow_time));
}

static void set_message(CURL *e)
{
    curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(e, CURLOPT_HTTP_TRANSFER_DECODING, 0L);
    curl_easy_setopt(e, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(e, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, 1L);
}

struct transfer *sharc__http_transfer_new(struct fetcher *f)
{
    CURL *easy = curl_easy_init();
    if (!easy) return NULL;
    struct transfer *t = SHARC_NEW(struct transfer);
    t->owner = f;
    t->easy = easy;
    set_callbacks(t);
    set_network(easy, f);
    set_message(easy);
    return t;
}

void sharc__http_transfer_free(struct transfer *t)
{
    if (!t) return;
    curl_easy_cleanup(t->easy);
    curl_slist_free_all(t->fields);
    sharc_fetch_result_free(t->result);
    free(t);
}

int sharc__http_transfer_begin(struct transfer *t, const struct sharc_fetch_request *req, const char *url,
                               struct sharc_err *reterr)
{
    struct fetcher *f = t->owner;
    for (size_t i = 0; i < req->fields_count; i++)
        SHARC_FAIL_IF(!is_field(&req->fields[i]), reterr, SHARC_EINVAL,
                      "header field %zu of the request for %s is malformed", i, url);
    t->fields = req->fields_count > 0 ? own_fields(f, req) : NULL;
    t->max_body = req->max_body ? req->max_body : f->set.max_body;
    t->allow_private = req->allow_private;
    t->wanted = req->wanted;
    t->head_done = t->stopped = t->refused = t->stale = t->anew = false;
    t->in_memory = 0;
    t->in_file = 0;
    t->paused = false;
    t->error[0] = 0;
    t->err = (struct sharc_err)SHARC_ERR_INIT;
    t->result = sharc__http_fetch_result_new(req, f->set.spool_at, f->set.spool_dir);
    t->result->start = sharc__http_fetch_now(f);
    sharc_time most = req->max_time ? req->max_time : f->set.max_time;
    curl_easy_setopt(t->easy, CURLOPT_BUFFERSIZE, (long)(f->active_count < CROWD ? RECEIVE : RECEIVE_CROWD));
    t->plain = strncmp(url, "http:", 5) == 0;
    t->result->distrusted = sharc_map64_find(&f->distrusted, t->origin) != NULL;
    const bool alone = req->alone || t->result->distrusted;
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, alone ? 1L : 0L);
    curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, alone ? 1L : 0L);
    const bool http2 = f->set.http2 && !req->alone;
    curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(t->easy, CURLOPT_URL, url);
    curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->fields ? t->fields : f->fields);
    curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, (long)((most + SHARC_MSEC - 1) / SHARC_MSEC));
    return 0;
}

/* --- how it ended -------------------------------------------------------- */

static bool says(const struct transfer *t, const char *words)
{
    return strstr(t->error, words) != NULL;
}

/* The codes that need a second look at libcurl's words. */
static enum sharc_fetch_state look_closer(const struct transfer *t, CURLcode code)
{
    switch ((int)code) {
    case CURLE_OUT_OF_MEMORY: return t->head_done ? SHARC_FETCH_LOCAL : SHARC_FETCH_HEAD_TOO_LARGE;
    case CURLE_OPERATION_TIMEDOUT: return says(t, "too slow") ? SHARC_FETCH_SLOW : SHARC_FETCH_TIMEOUT;
    case CURLE_SSL_CONNECT_ERROR:
        return says(t, "reset") || says(t, "SSL_ERROR_SYSCALL") ? SHARC_FETCH_RESET : SHARC_FETCH_TLS;
    case CURLE_RECV_ERROR:
        if (says(t, "response headers")) return SHARC_FETCH_HEAD_TOO_LARGE;
        if (says(t, "CONNECT")) return SHARC_FETCH_PROXY;
        return says(t, "chunk") ? SHARC_FETCH_BAD_MESSAGE : SHARC_FETCH_RESET;
    default: return SHARC_FETCH_LOCAL;
    }
}

static enum sharc_fetch_state state_of(const struct transfer *t, CURLcode code)
{
    if (t->stopped) return t->why;
    if (t->refused && (code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK)) return SHARC_FETCH_PRIVATE;
    switch ((int)code) {
    case CURLE_OK: return t->head_done && t->result->status > 0 ? SHARC_FETCH_OK : SHARC_FETCH_BAD_MESSAGE;
    case CURLE_URL_MALFORMAT: return SHARC_FETCH_BAD_URL;
    case CURLE_COULDNT_RESOLVE_HOST: return SHARC_FETCH_DNS;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY: return SHARC_FETCH_PROXY;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED: return SHARC_FETCH_CONNECT;
    case CURLE_UNSUPPORTED_PROTOCOL: /* in the answer: the URL's was looked at before */
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return SHARC_FETCH_BAD_MESSAGE;
    case CURLE_PARTIAL_FILE: return SHARC_FETCH_SHORT;
    case CURLE_GOT_NOTHING: return SHARC_FETCH_EMPTY;
    case CURLE_SEND_ERROR: return SHARC_FETCH_RESET;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_USE_SSL_FAILED: return SHARC_FETCH_TLS;
    default: return look_closer(t, code);
    }
}

/* An HTTP/2 head has no first line of its own; archives want HTTP/1.1. */
static void write_as_http1(struct sharc_buf *b, const char *from, const char *to)
{
    size_t line = sharc_span_find(sharc_buf_span(b), '\n', 0);
    size_t at = sharc_span_search(sharc_span_sub(sharc_buf_span(b), 0, line), sharc_span_of(from));
    if (at != SHARC_NPOS) sharc_buf_splice(b, at, strlen(from), sharc_span_of(to));
}

static void note_connection(struct transfer *t)
{
    struct sharc_fetch_result *r = t->result;
    const char *ip = NULL;
    long port = 0, version = 0, connects = 0;
    curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_IP, &ip);
    curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_PORT, &port);
    curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
    curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &connects);
    if (ip) snprintf(r->ip, sizeof r->ip, "%s", ip);
    if (*r->ip) r->port = (unsigned)port;
    r->reused = connects == 0 && r->request.n > 0;
    sharc__http_fetch_used(t->owner, socket_of(t), t->plain ? t->origin : 0);
    if (r->status == 0) return;
    r->protocol = version == CURL_HTTP_VERSION_2 ? "h2" : version == CURL_HTTP_VERSION_1_0 ? "http/1.0" : "http/1.1";
    if (version != CURL_HTTP_VERSION_2) return;
    sharc__http_fetch_is_http2(t->owner, socket_of(t));
    write_as_http1(&r->head, "HTTP/2 ", "HTTP/1.1 ");
    write_as_http1(&r->request, " HTTP/2", " HTTP/1.1");
    (void)sharc__http_fetch_parse_head(r);
}

static void forget_memory(struct transfer *t)
{
    struct fetcher *f = t->owner;
    f->in_memory -= t->in_memory;
    f->in_files -= t->in_file;
    if (t->paused) f->paused_count--;
    t->paused = false;
    t->in_memory = 0;
    t->in_file = 0;
}

static struct sharc_fetch_result *give_up(struct transfer *t, enum sharc_fetch_state state, const char *detail)
{
    struct sharc_fetch_result *r = SHARC_TAKE(t->result);
    sharc_secrets_redact(t->owner->set.secrets, &r->request);
    r->end = sharc__http_fetch_now(t->owner);
    sharc__http_fetch_conclude(r, state, detail);
    forget_memory(t);
    r->body.dir_ = NULL; /* the result may outlive us */
    curl_slist_free_all(t->fields);
    t->fields = NULL;
    return r;
}

/* Half a head, or one without a status, is no response; nor is what followed. */
static void forget_answer(struct sharc_fetch_result *r)
{
    r->status = 0;
    sharc_buf_clear(&r->head);
    sharc_http_done(&r->http);
    sharc_spool_done(&r->body);
}

/* The answer came on a connection that had others before, and may be one of theirs: it makes no sense, it says that
 * no request came (408, which servers send to idle connections), or there is more behind it. */
static bool is_doubtful(const struct transfer *t, CURLcode code)
{
    const struct sharc_fetch_result *r = t->result;
    if (!was_connected_before(t)) return false;
    if (r->excess || r->status == 408) return true;
    if (!t->head_done || r->status == 0) return state_of(t, code) == SHARC_FETCH_BAD_MESSAGE;
    return code == CURLE_OK && sharc__http_fetch_has_more(t->owner, socket_of(t), t->request);
}

bool sharc__http_transfer_anew(struct transfer *t, CURLcode code)
{
    struct sharc_fetch_result *r = t->result;
    const bool doubtful = !t->stale && is_doubtful(t, code);
    /* What lies behind an answer by https may be TLS's own. */
    if (r->excess || (doubtful && t->plain && r->status != 408)) sharc__http_fetch_distrust(t->owner, t->origin);
    if (t->anew || t->stopped || (!t->stale && !doubtful)) return false;
    forget_answer(r);
    forget_memory(t);
    sharc_spool_init(&r->body, t->owner->set.spool_at, t->owner->set.spool_dir);
    sharc_buf_clear(&r->request);
    sharc_buf_clear(&r->interim);
    r->excess = false;
    r->first_byte = SHARC_TIME_NONE;
    r->start = sharc__http_fetch_now(t->owner);
    t->head_done = t->refused = t->stale = false;
    t->error[0] = 0;
    t->err = (struct sharc_err)SHARC_ERR_INIT;
    t->anew = true;
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
    return true;
}

struct sharc_fetch_result *sharc__http_transfer_end(struct transfer *t, CURLcode code)
{
    struct sharc_fetch_result *r = t->result;
    if (!t->head_done || r->status == 0) forget_answer(r);
    note_connection(t);
    long os = 0; /* "Connection refused" says more than libcurl's "Couldn't connect to server" */
    if (code == CURLE_COULDNT_CONNECT) curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &os);
    const char *detail = t->err.code ? t->err.text
                         : os        ? strerrordesc_np((int)os)
                         : *t->error ? t->error
                         : code      ? curl_easy_strerror(code)
                                     : "";
    return give_up(t, state_of(t, code), detail);
}

struct sharc_fetch_result *sharc__http_transfer_abort(struct transfer *t)
{
    stop(t, SHARC_FETCH_ABORTED);
    return sharc__http_transfer_end(t, CURLE_OK);
}

__attribute__((constructor)) static void name_library(void)
{
    sharc_library_add("libcurl", LIBCURL_VERSION);
}
