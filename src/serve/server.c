/* SPDX-License-Identifier: Apache-2.0
 *
 * The two servers, and who answers what.
 */
#include "call.h"
#include "serve_int.h"

#include "sharc/base_pool.h"
#include "sharc/base_version.h"

#include <stdio.h>
#include <stdlib.h>

/* --- who answers ---------------------------------------------------------------------------- */

static bool starts(struct sharc_span target, const char *prefix, struct sharc_span *ret_rest)
{
    struct sharc_span p = sharc_span_of(prefix);
    if (!sharc_span_starts(target, p)) return false;
    *ret_rest = sharc_span_from(target, p.n);
    return true;
}

static void show_star(struct serve_call *c, const struct serve_address *a)
{
    if (sharc_span_ends(a->url, SHARC_SPAN("*")) || sharc_span_starts(a->url, SHARC_SPAN("http://*.")))
        sharc__serve_listing(c, a);
    else
        sharc__serve_calendar(c, a);
}

static void on_address(struct serve_call *c, const struct serve_address *a)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf target = SHARC_BUF_INIT(8 * SHARC_LIMIT_URL);
    if (c->on_replay && !a->star && sharc__serve_take_within(c, a, "")) return;
    if (a->star != c->on_replay) { /* this port's own business */
        if (a->star)
            show_star(c, a);
        else
            sharc__serve_replay(c, a);
        return;
    }
    sharc__serve_put_url(&target, c->request->target);
    sharc__serve_redirect(c, a->star ? 302 : 307, "%s%s", a->star ? c->pages : c->replay, sharc_buf_str(&target));
}

/* "/calendar/2026/URL" and "/list/3/URL": a page of what "/web/…/URL" with a star shows. */
static bool on_number(struct serve_call *c, struct sharc_span target)
{
    struct sharc_span rest, number = SHARC_SPAN_NONE;
    bool calendar = starts(target, "/calendar/", &rest);
    if (!calendar && !starts(target, "/list/", &rest)) return false;
    size_t slash = sharc_span_find(rest, '/', 0);
    uint64_t value;
    number = sharc_span_sub(rest, 0, slash == SHARC_NPOS ? 0 : slash);
    if (!number.n || number.n > 6 || sharc_span_to_u64(number, &value) < 0 || (calendar && number.n != 4)) return false;
    struct serve_address a = {.mapping = SHARC_SPAN("web"), .timestamp = number, .star = true};
    a.url = sharc__serve_url_behind(sharc_span_from(rest, slash + 1), &a.scratch);
    if (a.url.n) show_star(c, &a);
    sharc__serve_address_done(&a);
    return a.url.n > 0;
}

static bool on_pages(struct serve_call *c)
{
    static const struct {
        const char *path;
        void (*answer)(struct serve_call *c);
    } paths[] = {
        {"/", sharc__serve_start_page},
        {"/search", sharc__serve_search},
        {"/style.css", sharc__serve_style},
        {"/cdx", sharc__serve_cdx},
        {"/metrics", sharc__serve_metrics},
        {"/view.js", sharc__serve_view_script},
        {"/api/coherence", sharc__serve_coherence_api},
        {"/bar.css", sharc__serve_bar_style},
        {"/limits", sharc__serve_limits},
    };
    struct sharc_span path = c->request->path, rest;
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++)
        if (sharc_span_is(path, paths[i].path)) {
            paths[i].answer(c);
            return true;
        }
    if (starts(path, "/api/", &rest)) {
        sharc__serve_api(c);
        return true;
    }
    if (starts(path, "/ui/", &rest)) {
        sharc__serve_ui(c, rest);
        return true;
    }
    if (sharc_span_is(path, "/ui")) {
        sharc__serve_redirect(c, 302, "/ui/");
        return true;
    }
    if (starts(path, "/files/", &rest)) {
        sharc__serve_files(c, rest);
        return true;
    }
    if (starts(c->request->target, "/view/", &rest)) {
        sharc__serve_view(c, sharc_span_from(c->request->target, strlen("/view")));
        return true;
    }
    return on_number(c, c->request->target);
}

static void route(struct serve_call *c)
{
    struct sharc_span target = c->request->target, rest;
    struct serve_address a = {.star = false};
    if (sharc_span_is(c->request->path, "/robots.txt")) {
        sharc__serve_plain(c, 200, "User-agent: *\nDisallow: /");
    } else if (starts(target, "/timegate/", &rest)) {
        sharc__serve_timegate(c, rest);
    } else if (starts(target, "/timemap/", &rest)) {
        sharc__serve_timemap(c, rest);
    } else if (sharc__serve_address_read(&a, target)) {
        on_address(c, &a);
    } else if (c->on_replay && sharc_span_is(target, "/")) {
        sharc__serve_redirect(c, 302, "%s/", c->pages);
    } else if (c->on_replay) {
        if (!sharc__serve_worker(c)) sharc__serve_by_referrer(c);
    } else if (!on_pages(c)) {
        sharc__serve_page_error(c, 404, "Nothing here", "There is no page at this address.", SHARC_SPAN_NONE, false);
    }
    sharc__serve_address_done(&a);
}

static bool is_allowed(struct serve_call *c)
{
    struct sharc_span m = c->request->method;
    if (sharc_span_is(m, "GET") || sharc_span_is(m, "HEAD")) return true;
    if (c->on_replay && (sharc_span_is(m, "POST") || sharc_span_is(m, "PUT"))) return true;
    if (sharc_span_is(m, "POST") && sharc_span_starts(c->request->target, SHARC_SPAN("/view/"))) return true;
    if (sharc_span_is(m, "POST") && !c->on_replay && sharc__serve_api_is_written(c->request->path)) return true;
    sharc__serve_header(c, "Allow", c->on_replay ? SHARC_SPAN("GET, HEAD, POST, PUT") : SHARC_SPAN("GET, HEAD"));
    if (sharc_span_is(m, "OPTIONS")) {
        sharc__serve_cors(c);
        sharc__serve_header(c, "Access-Control-Allow-Headers", SHARC_SPAN("Range, Accept-Datetime"));
        sharc__serve_policy(c);
        sharc__serve_status(c, 204);
        c->size = 0;
    } else {
        sharc__serve_plain(c, 405, "This server only reads: ask with GET.");
    }
    return false;
}

/* --- afterwards ------------------------------------------------------------------------------ */

/* Common Log Format without the client's address, which is nobody's business on loopback and the proxy's elsewhere. */
static void log_call(struct serve_call *c, sharc_time started)
{
    struct sharc_serve *s = c->server;
    if (!s->o.log) return;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(8 * SHARC_LIMIT_URL);
    char when[SHARC_TIME_TEXT], size[24] = "-";
    sharc_time now = s->o.clock->now(s->o.clock);
    if (c->size != UINT64_MAX) snprintf(size, sizeof size, "%llu", (unsigned long long)c->size);
    sharc_buf_printf(&line, "%s %s \"%.16s ", sharc_time_iso(started, 3, when), c->on_replay ? "replay" : "pages",
                     sharc_is_alpha(*c->request->method.p) ? c->request->method.p : "?");
    sharc__serve_put_url(&line, sharc_span_sub(c->request->target, 0, SHARC_LIMIT_URL));
    sharc_buf_printf(&line, "\" %d %s %lldus", c->status, size, (long long)(now - started));
    pthread_mutex_lock(&s->log_lock);
    s->o.log(s->o.log_arg, sharc_buf_str(&line));
    pthread_mutex_unlock(&s->log_lock);
}

static void count(struct serve_call *c)
{
    struct sharc_serve_totals *t = &c->server->totals;
    int class = c->status / 100;
    __atomic_add_fetch(&t->requests, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&t->by_class[class > 0 && class < 6 ? class : 0], 1, __ATOMIC_RELAXED);
}

static void handle(struct sharc_serve *s, bool on_replay, const struct sharc_http_request *request,
                   struct sharc_http_answer *answer)
{
    struct serve_call c = {.server = s, .on_replay = on_replay, .request = request, .answer = answer, .status = 200};
    sharc_time started = s->o.clock->now(s->o.clock);
    if (!__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&s->start_lock);
        pthread_mutex_unlock(&s->start_lock);
    }
    c.edition = sharc_collection_hold(s->o.collection);
    if (!sharc__serve_origins(&c)) {
        __atomic_add_fetch(&s->totals.refused, 1, __ATOMIC_RELAXED);
        sharc__serve_plain(&c, 421,
                           "This server listens on loopback and answers only when it is asked for as localhost "
                           "or 127.0.0.1.");
    } else if (is_allowed(&c) && sharc__serve_may(&c)) {
        route(&c);
    }
    if (!c.edition_kept) sharc_collection_release(s->o.collection, c.edition);
    if (c.postponed) return;
    count(&c);
    log_call(&c, started);
}

static void handle_pages(void *arg, const struct sharc_http_request *request, struct sharc_http_answer *answer)
{
    handle(arg, false, request, answer);
}

static void handle_replay(void *arg, const struct sharc_http_request *request, struct sharc_http_answer *answer)
{
    handle(arg, true, request, answer);
}

/* --- metrics ---------------------------------------------------------------------------------- */

void sharc__serve_metrics(struct serve_call *c)
{
    struct sharc_serve *s = c->server;
    struct sharc_serve_totals t = sharc_serve_totals(s);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    sharc_buf_printf(
        &out, "# HELP sharc_info The version that runs.\n# TYPE sharc_info gauge\nsharc_info{version=\"%s\"} 1\n",
        sharc_version());
    sharc_buf_put_str(&out, "# HELP sharc_http_answers_total Answers by class of status.\n"
                            "# TYPE sharc_http_answers_total counter\n");
    for (int i = 2; i < 6; i++)
        sharc_buf_printf(&out, "sharc_http_answers_total{class=\"%dxx\"} %llu\n", i, (unsigned long long)t.by_class[i]);
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } rows[] = {
        {"sharc_mementos_total", "counter", "Archived answers shown.", t.mementos},
        {"sharc_refused_total", "counter", "Requests refused for want of memory or for their Host.", t.refused},
        {"sharc_answer_bytes_held", "gauge", "Bytes that answers under way hold.",
         __atomic_load_n(&s->held, __ATOMIC_RELAXED)},
        {"sharc_files", "gauge", "Archive files served.", sharc_edition_files(c->edition)},
        {"sharc_start_time_seconds", "gauge", "When the server was started.", (uint64_t)(s->started / SHARC_SEC)},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        sharc_buf_printf(&out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", rows[i].name, rows[i].help, rows[i].name,
                         rows[i].type, rows[i].name, (unsigned long long)rows[i].value);
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/plain; version=0.0.4; charset=utf-8"));
    sharc__serve_body(c, &out);
}

struct sharc_serve_totals sharc_serve_totals(const struct sharc_serve *s)
{
    struct sharc_serve_totals t = {.requests = __atomic_load_n(&s->totals.requests, __ATOMIC_RELAXED),
                                   .mementos = __atomic_load_n(&s->totals.mementos, __ATOMIC_RELAXED),
                                   .refused = __atomic_load_n(&s->totals.refused, __ATOMIC_RELAXED)};
    for (size_t i = 0; i < SHARC_LENGTH(t.by_class); i++)
        t.by_class[i] = __atomic_load_n(&s->totals.by_class[i], __ATOMIC_RELAXED);
    return t;
}

/* --- life --------------------------------------------------------------------------------------- */

static int start_one(struct sharc_serve *s, uint16_t port, sharc_http_handler_fn *handler,
                     struct sharc_http_server **ret, struct sharc_err *reterr)
{
    struct sharc_http_server_options o = SHARC_HTTP_SERVER_OPTIONS;
    unsigned threads = s->o.threads ? s->o.threads : sharc_cpu_count();
    o.address = s->o.address;
    o.port = port;
    o.threads = s->o.threads;
    o.connections = s->o.connections;
    o.turns = threads > 2 ? threads - 1 : 1; /* some of the threads are left to readers of pages */
    o.timeout = s->o.timeout;
    o.max_head = 96u << 10; /* an archived head and the links of a memento must fit */
    o.handler = handler;
    o.arg = s;
    return sharc_http_server_start(&o, ret, reterr);
}

/* Answers name both ports: a request that comes before the second server has started waits for it. */
int sharc_serve_start(const struct sharc_serve_options *o, struct sharc_serve **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_serve_stopp) struct sharc_serve *s = SHARC_NEW(struct sharc_serve);
    s->o = *o;
    s->title = sharc_strdup(o->title ? o->title : "Web archive");
    s->o.address = sharc_strdup(o->address);
    s->allow_origin = o->allow_origin ? sharc_strdup(o->allow_origin) : NULL;
    s->token = o->token ? sharc_strdup(o->token) : NULL;
    if (!s->o.clock) s->o.clock = sharc_clock_real();
    s->started = s->o.clock->now(s->o.clock);
    s->waker = sharc__serve_waker_new();
    s->answers = sharc__serve_answers_new();
    s->live = sharc__serve_live_new(s);
    s->trials = sharc__serve_trials_new(s);
    pthread_mutex_init(&s->log_lock, NULL);
    pthread_mutex_init(&s->start_lock, NULL);
    pthread_mutex_lock(&s->start_lock);
    int r = sharc__serve_read_origins(s, o, reterr);
    if (r == 0) r = start_one(s, o->replay_port, handle_replay, &s->replay, reterr);
    if (r == 0) s->replay_port = sharc_http_server_port(s->replay);
    if (r == 0) r = start_one(s, o->port, handle_pages, &s->pages, reterr);
    if (r == 0) s->pages_port = sharc_http_server_port(s->pages);
    __atomic_store_n(&s->ready, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&s->start_lock);
    if (r == 0) *ret = SHARC_TAKE(s);
    return r;
}

const char *sharc_serve_url(const struct sharc_serve *s)
{
    return sharc_http_server_url(s->pages);
}

const char *sharc_serve_replay_url(const struct sharc_serve *s)
{
    return sharc_http_server_url(s->replay);
}

void sharc_serve_stop(struct sharc_serve *s)
{
    if (!s) return;
    sharc__serve_trials_stop(s->trials);
    sharc_http_server_stop(s->pages);
    sharc_http_server_stop(s->replay);
    sharc__serve_waker_free(s->waker);
    sharc__serve_answers_free(s->answers);
    sharc__serve_live_free(s->live);
    sharc__serve_trials_free(s->trials);
    pthread_mutex_destroy(&s->log_lock);
    pthread_mutex_destroy(&s->start_lock);
    free((char *)s->o.address);
    free(s->title);
    free(s->allow_origin);
    free(s->token);
    free(s->public_pages);
    free(s->public_replay);
    free(s);
}

void sharc_serve_stopp(struct sharc_serve **s)
{
    sharc_serve_stop(*s);
    *s = NULL;
}
