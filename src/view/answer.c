/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of the browser, answered from the archive.
 */
#include "view_int.h"

#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/url.h"

#include <stdio.h>
#include <stdlib.h>

struct asked {
    struct sharc_view *view;
    const struct sharc_browser_session *session;
    struct view_tab *tab;
    struct sharc_span id, url, method, type;
    const struct sharc_node *request; /* url, method, headers, postData … */
    bool page;                        /* a document */
    bool top;                         /* that of the tab itself */
    struct sharc_view_request row;
};

static struct sharc_span header(const struct asked *a, const char *name)
{
    const struct sharc_node *fields = sharc_node_get(a->request, "headers");
    for (const struct sharc_node *n = fields ? fields->first : NULL; n; n = n->next)
        if (sharc_span_ieq(n->name, sharc_span_of(name))) return n->text;
    return SHARC_SPAN_NONE;
}

/* --- what the list tells ------------------------------------------------------------------------ */

static void copy(char *out, size_t room, struct sharc_span s)
{
    if (s.n >= room) s.n = room - 1;
    memcpy(out, s.p ? s.p : "", s.n);
    out[s.n] = 0;
}

static size_t remember(struct asked *a)
{
    struct sharc_view_page *p = a->tab->page;
    if (p->request_count >= SHARC_LIMIT_VIEW_REQUESTS) return SHARC_NPOS;
    SHARC_GROW(p->requests, p->request_room, p->request_count + 1);
    a->row.url = sharc_span_dup(a->url);
    copy(a->row.method, sizeof a->row.method, a->method);
    copy(a->row.type, sizeof a->row.type, a->type);
    p->requests[p->request_count] = a->row;
    return p->request_count++;
}

static void sent(struct asked *a, uint64_t command)
{
    struct sharc_view *v = a->view;
    struct view_sent *s = &v->sent[v->sent_next++ % VIEW_SENT];
    *s = (struct view_sent){.command = command, .page = a->tab->page, .row = remember(a)};
    copy(s->request, sizeof s->request, a->id);
    copy(s->session, sizeof s->session, sharc_span_of(a->session->id));
}

static uint64_t send_failure(struct sharc_view *v, const struct sharc_browser_session *s, struct sharc_span id,
                             const char *reason)
{
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Fetch.failRequest");
    sharc_json_span(j, "requestId", id);
    sharc_json_str(j, "errorReason", reason);
    return sharc_browser_send(v->browser);
}

void sharc__view_not_taken(struct sharc_view *v, uint64_t command)
{
    for (size_t i = 0; i < VIEW_SENT; i++) {
        struct view_sent *s = &v->sent[i];
        if (s->command != command || !s->page) continue;
        struct sharc_browser_session session = {.user = NULL};
        copy(session.id, sizeof session.id, sharc_span_of(s->session));
        send_failure(v, &session, sharc_span_of(s->request), "Failed");
        if (s->row != SHARC_NPOS) s->page->requests[s->row].outcome = SHARC_VIEW_REFUSED;
        s->command = 0;
    }
}

/* --- answers ---------------------------------------------------------------------------------------- */

static void put_field(struct sharc_buf *head, struct sharc_span name, struct sharc_span value)
{
    if (head->n) sharc_buf_put_char(head, 0);
    sharc_buf_put(head, name);
    sharc_buf_put_str(head, ": ");
    sharc_buf_put(head, value);
}

/* Of these Chromium knows what stands behind the number; for others it wants to be told. */
static bool is_usual(int status)
{
    static const short ranges[][2] = {{200, 208}, {226, 226}, {300, 305}, {307, 308}, {400, 418}, {421, 426},
                                      {428, 429}, {431, 431}, {451, 451}, {500, 508}, {510, 511}};
    for (size_t i = 0; i < SHARC_LENGTH(ranges); i++)
        if (status >= ranges[i][0] && status <= ranges[i][1]) return true;
    return false;
}

static void fulfil(struct asked *a, int status, const struct sharc_buf *head, struct sharc_span body)
{
    struct sharc_json *j = sharc_browser_begin(a->view->browser, a->session, "Fetch.fulfillRequest");
    SHARC_AUTO(sharc_freep) char *fields = sharc_malloc(SHARC_BASE64_SIZE(head->n));
    SHARC_AUTO(sharc_freep) char *text = sharc_malloc(SHARC_BASE64_SIZE(body.n));
    a->row.status = status;
    a->row.size = body.n;
    sharc_json_span(j, "requestId", a->id);
    sharc_json_int(j, "responseCode", status);
    if (!is_usual(status)) sharc_json_str(j, "responsePhrase", "Archived");
    sharc_base64_encode(sharc_buf_span(head), fields);
    sharc_json_str(j, "binaryResponseHeaders", fields);
    sharc_base64_encode(body, text);
    sharc_json_str(j, "body", text);
    uint64_t command = sharc_browser_send(a->view->browser);
    if (!command) {
        a->row.outcome = SHARC_VIEW_TOO_LARGE;
        command = send_failure(a->view, a->session, a->id, "Failed");
    }
    sent(a, command);
}

static bool is_token(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_alnum(s.p[i]) && !strchr("!#$%&'*+-.^_`|~", s.p[i])) return false;
    return s.n > 0;
}

static bool is_one_line(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!s.p[i] || s.p[i] == '\r' || s.p[i] == '\n') return false;
    return true;
}

static bool is_of_transport(struct sharc_span name)
{
    static const char *const names[] = {"Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
                                        "Trailer",        "Upgrade",           "TE"};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (sharc_span_ieq(name, sharc_span_of(names[i]))) return true;
    return false;
}

/* As archived, but for what speaks of the bytes on the wire: all others with their duplicates, in their order. */
static void put_archived(struct sharc_buf *head, const struct sharc_found *f, const struct view_body *b)
{
    for (size_t i = 0; i < f->count; i++) {
        struct sharc_span name = f->fields[i].name, value = f->fields[i].value;
        bool coding = sharc_span_ieq(name, SHARC_SPAN("Content-Encoding"));
        bool range =
            sharc_span_ieq(name, SHARC_SPAN("Content-Range")) || sharc_span_ieq(name, SHARC_SPAN("Accept-Ranges"));
        if (!is_token(name) || !is_one_line(value) || is_of_transport(name) || coding || (range && f->status == 200))
            continue;
        put_field(head, name, value);
    }
    if (!f->count && f->type.n && is_one_line(f->type)) put_field(head, SHARC_SPAN("Content-Type"), f->type);
    if (f->status != 200 || b->cut) return;
    char text[100];
    put_field(head, SHARC_SPAN("Accept-Ranges"), SHARC_SPAN("bytes"));
    if (b->range > 0)
        snprintf(text, sizeof text, "bytes %llu-%llu/%llu", (unsigned long long)b->from,
                 (unsigned long long)(b->from + b->bytes.n - 1), (unsigned long long)b->size);
    else
        snprintf(text, sizeof text, "bytes */%llu", (unsigned long long)b->size);
    if (b->range) put_field(head, SHARC_SPAN("Content-Range"), sharc_span_of(text));
}

static void allow(struct sharc_buf *head, struct sharc_span origin)
{
    put_field(head, SHARC_SPAN("Access-Control-Allow-Origin"), origin);
    put_field(head, SHARC_SPAN("Access-Control-Allow-Credentials"), SHARC_SPAN("true"));
}

/* Crawlers do not say on whose behalf they ask, so that the answer does not say who may read it. */
static void allow_others(struct asked *a, struct sharc_buf *head, const struct sharc_found *f)
{
    struct sharc_span origin = header(a, "Origin");
    bool own = origin.n && sharc_span_starts(a->url, origin) && a->url.n > origin.n && a->url.p[origin.n] == '/';
    if (!origin.n || own || !is_one_line(origin) || sharc_found_get(f, "Access-Control-Allow-Origin").p) return;
    allow(head, origin);
    a->row.shared = true;
}

static void answer_preflight(struct asked *a)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf head = SHARC_BUF_INIT(SHARC_LIMIT_HTTP_HEADER);
    struct sharc_span origin = header(a, "Origin"), method = header(a, "Access-Control-Request-Method"),
                      names = header(a, "Access-Control-Request-Headers");
    allow(&head, is_one_line(origin) ? origin : SHARC_SPAN("null"));
    if (method.n && is_one_line(method)) put_field(&head, SHARC_SPAN("Access-Control-Allow-Methods"), method);
    if (names.n && is_one_line(names)) put_field(&head, SHARC_SPAN("Access-Control-Allow-Headers"), names);
    a->row.outcome = SHARC_VIEW_ALLOWED;
    fulfil(a, 204, &head, SHARC_SPAN(""));
}

/* Where a page should be, something must say that it is not there. */
static void answer_missing(struct asked *a, int code, const char *why)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf head = SHARC_BUF_INIT(1024), body = SHARC_BUF_INIT(64u << 10);
    a->row.outcome = code == SHARC_ENOENT   ? SHARC_VIEW_MISSING
                     : code == SHARC_ELIMIT ? SHARC_VIEW_TOO_LARGE
                                            : SHARC_VIEW_BROKEN;
    put_field(&head, SHARC_SPAN("Content-Type"), SHARC_SPAN("text/html; charset=utf-8"));
    put_field(&head, SHARC_SPAN("Cache-Control"), SHARC_SPAN("no-store"));
    if (a->page) {
        sharc_buf_put_str(&body, "<!doctype html><title>Not in this archive</title><body style='font: 16px/1.5 "
                                 "sans-serif; margin: 3em auto; max-width: 40em; overflow-wrap: anywhere'>"
                                 "<h1>Not in this archive</h1><p>");
        sharc_buf_put_markup(&body, sharc_span_of(why));
    }
    fulfil(a, a->row.outcome == SHARC_VIEW_MISSING ? 404 : 503, &head, sharc_buf_span(&body));
}

/* Is the page to be shown under another address, the one under which it was captured? */
static bool leads_on(const struct asked *a, const struct sharc_found *f, struct sharc_buf *to)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url here = SHARC_URL_INIT, there = SHARC_URL_INIT;
    if (!a->page || a->tab->led || !sharc_span_is(a->method, "GET") || f->status != 200) return false;
    if (sharc_url_parse(&here, a->url, NULL, NULL) < 0 || sharc_url_parse(&there, f->url, NULL, NULL) < 0) return false;
    if (!sharc_url_is_http(&there) || sharc_span_eq(sharc_url_page(&here), sharc_url_page(&there))) return false;
    sharc_buf_put(to, sharc_url_page(&there));
    return !to->failed;
}

static void answer_found(struct asked *a, const struct sharc_found *f, struct view_body *b)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf head = SHARC_BUF_INIT(2 * SHARC_LIMIT_HTTP_HEADER);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf to = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    memcpy(a->row.timestamp, f->timestamp, sizeof a->row.timestamp);
    a->row.when = f->when;
    a->row.revisit = f->revisit;
    a->row.cut = b->cut;
    if (leads_on(a, f, &to)) {
        a->row.outcome = SHARC_VIEW_LED;
        a->tab->led = a->top;
        put_field(&head, SHARC_SPAN("Location"), sharc_buf_span(&to));
        fulfil(a, 307, &head, SHARC_SPAN(""));
        return;
    }
    bool redirect = sharc_http_is_redirect(f->status);
    if (a->top && !redirect) {
        a->tab->led = false;
        memcpy(a->tab->shown, f->timestamp, sizeof a->tab->shown);
    }
    put_archived(&head, f, b);
    allow_others(a, &head, f);
    int status = b->range > 0 ? 206 : b->range < 0 ? 416 : f->status < 200 ? 502 : f->status;
    fulfil(a, status, &head, redirect ? SHARC_SPAN("") : sharc_buf_span(&b->bytes));
}

/* --- from the request to the wish ---------------------------------------------------------------------- */

/* What it sends, as bytes. False: that is not told. */
static bool read_sent(const struct asked *a, struct sharc_buf *out)
{
    const struct sharc_node *entries = sharc_node_get(a->request, "postDataEntries");
    struct sharc_span text = sharc_node_text(sharc_node_get(a->request, "postData"));
    if (!entries && text.n) return sharc_buf_put(out, text) == 0;
    for (const struct sharc_node *n = entries ? entries->first : NULL; n; n = n->next) {
        struct sharc_span bytes = sharc_node_text(sharc_node_get(n, "bytes"));
        size_t count = 0;
        if (sharc_buf_reserve(out, bytes.n) < 0 ||
            sharc_base64_decode(bytes, (uint8_t *)out->p + out->n, bytes.n, &count) < 0)
            return false;
        out->n += count;
        out->p[out->n] = 0;
    }
    return true;
}

/* Pages by the time that was asked for, their parts by the time of the page. */
static struct sharc_span time_for(const struct asked *a)
{
    const struct sharc_view_page *p = a->tab->page;
    bool by_page = a->view->o.mapping == SHARC_NEAREST && !a->top && a->tab->shown[0];
    return sharc_span_of(by_page ? a->tab->shown : p->at);
}

static void answer_archived(struct asked *a)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf posted = SHARC_BUF_INIT(SHARC_LIMIT_VIEW_BODY);
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct view_body body = {.range = 0};
    struct sharc_wish w = {.url = a->url, .mapping = a->view->o.mapping, .timestamp = time_for(a)};
    if (!sharc_span_is(a->method, "GET") && !sharc_span_is(a->method, "HEAD")) {
        w.method = a->method;
        w.content_type = header(a, "Content-Type");
        if (read_sent(a, &posted)) w.body = sharc_buf_span(&posted);
    }
    struct sharc_span range = header(a, "If-Range").p ? SHARC_SPAN_NONE : header(a, "Range");
    int r = sharc__view_body(a->view->o.edition, &w, range, &f, &body, &err);
    if (r < 0)
        answer_missing(a, r, err.text);
    else
        answer_found(a, f, &body);
    sharc_buf_done(&body.bytes);
}

void sharc__view_answer(struct sharc_view *v, const struct sharc_browser_session *s, const struct sharc_node *params)
{
    struct asked a = {.view = v, .session = s, .tab = sharc__view_tab(v, s)};
    a.request = sharc_node_get(params, "request");
    a.id = sharc_node_text(sharc_node_get(params, "requestId"));
    a.url = sharc_node_text(sharc_node_get(a.request, "url"));
    a.method = sharc_node_text(sharc_node_get(a.request, "method"));
    a.type = sharc_node_text(sharc_node_get(params, "resourceType"));
    a.page = sharc_span_is(a.type, "Document");
    a.top = a.page && sharc_span_is(sharc_node_text(sharc_node_get(params, "frameId")), s->target);
    if (!a.tab) { /* nobody has opened it */
        send_failure(v, s, a.id, "BlockedByClient");
        return;
    }
    a.tab->page->asked++;
    a.tab->page->last = sharc_clock_mono();
    bool web = sharc_span_istarts(a.url, SHARC_SPAN("http://")) || sharc_span_istarts(a.url, SHARC_SPAN("https://"));
    if (!web || (a.top && a.tab->page->over)) {
        a.row.outcome = SHARC_VIEW_REFUSED;
        sent(&a, send_failure(v, s, a.id, web ? "Aborted" : "BlockedByClient")); /* aborted: what is there stays */
    } else if (sharc_span_is(a.method, "OPTIONS") && header(&a, "Access-Control-Request-Method").p) {
        answer_preflight(&a);
    } else {
        answer_archived(&a);
    }
}
