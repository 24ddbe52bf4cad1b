/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to the living site.
 */
#include "lab_int.h"

#include <stdio.h>

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

/* A tag that is new with every new body: the version for bodies that are a
 * function of it, else the running number of this start. */
static void tag_of(const struct sharc_lab *l, uint32_t item, char out[64])
{
    const struct lab_state *st = &l->states[item];
    if (l->site.items[item].kind < LAB_REDIRECT)
        snprintf(out, 64, "\"%08x-%u.%u.%u\"", (unsigned)(l->etag_seed & 0xffffffff), st->version.edit,
                 st->version.layout, st->version.counter);
    else
        snprintf(out, 64, "\"%08x-r%u\"", (unsigned)(l->start & 0xffffffff), st->number);
}

static void serve(struct sharc_lab *l, uint32_t item, const struct sharc_http_request *q, struct sharc_http_answer *a,
                  struct lab_asked *asked)
{
    const struct lab_item *it = &l->site.items[item];
    const struct lab_state *st = &l->states[item];
    asked->has_version = true;
    asked->version = st->number;
    bool held = false;
    if (!it->bare) {
        char tag[64], date[SHARC_TIME_TEXT];
        bool settled = st->changed / SHARC_SEC < asked->when / SHARC_SEC;
        tag_of(l, item, tag);
        sharc_http_answer_header(a, "ETag", sharc_span_of(tag));
        if (settled)
            sharc_http_answer_header(a, "Last-Modified", sharc_span_of(sharc_http_date_text(st->changed, date)));
        held = sharc_http_request_has(q, tag, settled ? st->changed : SHARC_TIME_NONE);
    }
    if (held) {
        sharc_http_answer_status(a, 304);
        asked->status = 304;
        l->totals.not_modified++;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = SHARC_BUF_INIT(LAB_BODY_MAX);
    struct sharc_span body = sharc__lab_body_now(l, item, st->version, &scratch);
    sharc_http_answer_header(a, "Content-Type", sharc_span_of(type_of(it)));
    asked->bytes = held ? 0 : body.n;
    if (body.p == scratch.p && scratch.p)
        sharc_http_answer_take(a, sharc_buf_take(&scratch), body.n);
    else
        sharc_http_answer_copy(a, body);
}

void sharc__lab_answer(void *lab, const struct sharc_http_request *q, struct sharc_http_answer *a)
{
    struct sharc_lab *l = lab;
    pthread_mutex_lock(&l->lock);
    struct lab_asked asked = {.when = l->o.clock->now(l->o.clock),
                              .method = q->method,
                              .target = q->target,
                              .agent = sharc_http_request_header(q, "User-Agent"),
                              .status = 200};
    sharc__lab_advance(l, asked.when);
    l->totals.requests++;
    uint32_t item = find(&l->site, q);
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
}
