/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to the living site.
 */
#include "lab_int.h"

static const char *type_of(const struct lab_item *it)
{
    if (it->type) return it->type;
    switch (it->kind) {
    case LAB_HTML:
    case LAB_REDIRECT: return "text/html; charset=utf-8";
    case LAB_IMAGE: return "image/png";
    case LAB_TEXT:
    case LAB_ROBOTS: return "text/plain; charset=utf-8";
    case LAB_SITEMAP: return "application/xml";
    case LAB_FEED: return "application/rss+xml";
    }
    return "application/octet-stream";
}

static void say(struct sharc_http_answer *a, struct lab_asked *asked, int status, const char *text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(1024);
    sharc_buf_printf(&body, "<!doctype html>\n<title>%s</title>\n<h1>%s</h1>\n", text, text);
    sharc_http_answer_status(a, status);
    sharc_http_answer_header(a, "Content-Type", SHARC_SPAN("text/html; charset=utf-8"));
    sharc_http_answer_copy(a, sharc_buf_span(&body));
    asked->status = status;
    asked->bytes = body.n;
}

static void redirect(struct sharc_lab *l, struct sharc_http_answer *a, struct lab_asked *asked, struct sharc_span to)
{
    sharc_http_answer_header(a, "Location", to);
    say(a, asked, 301, "This page has moved");
    l->totals.redirects++;
}

/* The page asked for; a query it does not know does not matter to it. */
static uint32_t find(const struct lab_site *s, const struct sharc_http_request *q)
{
    uint32_t item = sharc_intern_find(s->paths, q->target);
    return item != SHARC_NO_ID ? item : sharc_intern_find(s->paths, q->path);
}

/* "/garden" for "/garden/", "/garden/index.html" likewise. */
static uint32_t find_directory(const struct lab_site *s, struct sharc_span path)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 10);
    static const struct sharc_span index = {"/index.html", 11};
    sharc_buf_put(&b, sharc_span_ends(path, index) ? sharc_span_sub(path, 0, path.n - index.n) : path);
    sharc_buf_put_char(&b, '/');
    return b.failed ? SHARC_NO_ID : sharc_intern_find(s->paths, sharc_buf_span(&b));
}

static void not_found(struct sharc_lab *l, const struct sharc_http_request *q, struct sharc_http_answer *a,
                      struct lab_asked *asked)
{
    uint32_t directory = find_directory(&l->site, q->path);
    if (directory != SHARC_NO_ID && l->states[directory].exists) {
        redirect(l, a, asked, lab_path(&l->site, directory));
        return;
    }
    l->totals.not_found++;
    say(a, asked, 404, "There is no such page");
}

static void serve(struct sharc_lab *l, uint32_t item, const struct sharc_http_request *q, struct sharc_http_answer *a,
                  struct lab_asked *asked)
{
    sharc__lab_note_visitors(l, item);
    const struct lab_copy *copy = sharc__lab_copy(l, item, asked->when, a);
    asked->has_version = true;
    asked->version = copy->number;
    bool held = sharc__lab_validate(l, item, copy, asked->when, q, a);
    if (held) {
        sharc_http_answer_status(a, 304);
        asked->status = 304;
        l->totals.not_modified++;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = SHARC_BUF_INIT(LAB_BODY_MAX);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf coded = SHARC_BUF_INIT(LAB_BODY_MAX);
    struct sharc_span plain = sharc__lab_body_now(l, item, copy->version, &copy->served, &scratch), body = plain;
    sharc_http_answer_header(a, "Content-Type", sharc_span_of(type_of(&l->site.items[item])));
    if (sharc__lab_gzip(l, item, copy->served.number ^ l->totals.requests, q, plain, &coded)) {
        body = sharc_buf_span(&coded);
        sharc_http_answer_header(a, "Content-Encoding", SHARC_SPAN("gzip"));
    }
    asked->bytes = held ? 0 : body.n;
    size_t cut = held ? SHARC_NPOS : sharc__lab_cut(l, l->totals.requests, body, a);
    if (cut == SHARC_NPOS) sharc_http_answer_copy(a, body);
    if (!sharc__lab_disturbed(&l->o)) return;
    struct lab_sent sent = {.item = item,
                            .when = asked->when,
                            .status = asked->status,
                            .number = copy->number,
                            .plain = plain,
                            .coded = body,
                            .cut = cut};
    sharc__lab_log_served(l, &sent);
}

void sharc__lab_answer(void *lab, const struct sharc_http_request *q, struct sharc_http_answer *a)
{
    struct sharc_lab *l = lab;
    uint32_t item = find(&l->site, q);
    sharc__lab_pause(l, item, 'B');
    pthread_mutex_lock(&l->lock);
    struct lab_asked asked = {.when = l->o.clock->now(l->o.clock),
                              .method = q->method,
                              .target = q->target,
                              .agent = sharc_http_request_header(q, "User-Agent"),
                              .status = 200};
    sharc__lab_advance(l, asked.when);
    l->totals.requests++;
    if (!sharc_span_is(q->method, "GET") && !sharc_span_is(q->method, "HEAD")) {
        sharc_http_answer_header(a, "Allow", SHARC_SPAN("GET, HEAD"));
        say(a, &asked, 405, "Only GET and HEAD are understood here");
    } else if (item == SHARC_NO_ID || !l->states[item].exists) {
        not_found(l, q, a, &asked);
    } else if (l->site.items[item].kind == LAB_REDIRECT) {
        redirect(l, a, &asked, lab_path(&l->site, l->site.items[item].parent));
    } else {
        serve(l, item, q, a, &asked);
    }
    sharc__lab_log_request(l, &asked);
    pthread_mutex_unlock(&l->lock);
    sharc__lab_pause(l, item, 'A');
}
