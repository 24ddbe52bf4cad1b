/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/http.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void put_message(struct world *w, const struct web_page *p, size_t version, bool fresh)
{
    static const char *const reasons[] = {"OK", "Other"};
    int status = fresh ? 304 : p->status ? p->status : 200;
    sharc_buf_clear(&w->message);
    char now[SHARC_TIME_TEXT];
    sharc_buf_printf(&w->message, "HTTP/1.1 %d %s\r\n", status, reasons[status != 200]);
    sharc_buf_printf(&w->message, "Date: %s\r\n", sharc_http_date_text(w->clock.at + w->ahead, now));
    if (p->tag) sharc_buf_printf(&w->message, "ETag: %s\r\n", p->tag);
    if (p->etag) sharc_buf_printf(&w->message, "ETag: \"v%zu\"\r\n", version);
    if (p->dated) {
        char date[SHARC_TIME_TEXT];
        sharc_time changed = version ? w->began + p->changes[version - 1] : 1577836800 * SHARC_SEC;
        sharc_buf_printf(&w->message, "Last-Modified: %s\r\n", sharc_http_date_text(changed, date));
    }
    if (p->fields) sharc_buf_put_str(&w->message, p->fields);
    if (fresh) {
        sharc_buf_put_str(&w->message, "\r\n");
        return;
    }
    if (p->raw.p) {
        sharc_buf_printf(&w->message, "Content-Type: %s\r\n\r\n", p->type ? p->type : "text/html; charset=utf-8");
        sharc_buf_put(&w->message, p->raw);
        return;
    }
    /* Every version has words of its own: a change that nobody can overlook. */
    char tail[256] = "";
    for (unsigned i = 0; p->changes_count && i < 12; i++)
        snprintf(tail + strlen(tail), sizeof tail - strlen(tail), " %llx",
                 (unsigned long long)(sharc_fingerprint(sharc_span_of(p->url), version * 100 + i) >> 20));
    const char *body = p->body ? p->body : "";
    sharc_buf_printf(&w->message, "Content-Type: %s\r\nContent-Length: %zu\r\n\r\n%s%s",
                     p->type ? p->type : "text/html; charset=utf-8", strlen(body) + strlen(tail), body, tail);
}

static struct web_page *find(struct world *w, struct sharc_span url)
{
    for (size_t i = 0; i < w->pages_count; i++) {
        if (sharc_span_is(url, w->pages[i].url)) return &w->pages[i];
    }
    return NULL;
}

static struct sharc_span etag_asked(const struct sharc_fetch_request *req)
{
    for (size_t i = 0; i < req->fields_count; i++) {
        if (sharc_span_is(req->fields[i].name, "If-None-Match")) return req->fields[i].value;
    }
    return SHARC_SPAN_NONE;
}

static bool is_conditional(const struct sharc_fetch_request *req)
{
    bool found = false;
    for (size_t i = 0; i < req->fields_count; i++) found |= sharc_span_istarts(req->fields[i].name, SHARC_SPAN("If-"));
    return found;
}

static void answer(void *arg, const struct sharc_fetch_request *req, sharc_time now, struct sharc_fetch_answer *ret)
{
    static const struct web_page missing = {.status = 404, .body = "nothing here"};
    struct world *w = arg;
    SHARC_GROW(w->asked, w->asked_room, w->asked_count + 1);
    w->asked[w->asked_count++] = (struct asked){sharc_span_dup(req->url), now - w->began, is_conditional(req)};
    if (w->at_request) w->at_request(w);
    if (w->exit_at && w->asked_count >= w->exit_at) _exit(77);
    if (w->die_at && w->asked_count >= w->die_at)
        for (; w->stops > 0; w->stops--) sharc_crawl_stop(w->crawl);
    struct web_page *p = find(w, req->url);
    ret->duration = w->latency + (p ? p->slow : 0);
    if (p && p->fails > 0) {
        p->fails--;
        if (p->fail_as < 0) {
            ret->state = (enum sharc_fetch_state) - p->fail_as;
            return;
        }
        struct web_page bad = {.status = p->fail_as, .fields = p->fields, .body = "trouble"};
        put_message(w, &bad, 0, false);
        ret->message = sharc_buf_span(&w->message);
        return;
    }
    const struct web_page *q = p ? p : &missing;
    size_t version = 0;
    while (version < q->changes_count && q->changes[version] <= now - w->began) version++;
    char tag[32];
    snprintf(tag, sizeof tag, "\"v%zu\"", version);
    bool fresh = (q->etag && sharc_span_is(etag_asked(req), tag)) || (q->tag && is_conditional(req));
    put_message(w, q, version, fresh);
    ret->state = q->cut;
    ret->message = sharc_buf_span(&w->message);
}

static void remark(void *arg, const char *sentence)
{
    struct world *w = arg;
    size_t n = strlen(w->remarks);
    snprintf(w->remarks + n, sizeof w->remarks - n, "%s\n", sentence);
}

static int set_own(struct world *w, const char *const *own, struct sharc_err *reterr)
{
    int r = 0;
    for (; own && *own && r == 0; own += 2)
        r = sharc_crawl_site_set(w->crawl, sharc_span_of(own[0]), sharc_span_of(own[1]), reterr);
    return r;
}

static int reread(void *arg, struct sharc_crawl_reread *ret, struct sharc_err *reterr)
{
    struct world *w = arg;
    *ret = w->reread;
    return set_own(w, w->own_again, reterr);
}

void world_init(struct world *w, const struct web_page *pages, size_t n)
{
    struct sharc_err err = SHARC_ERR_INIT;
    *w = (struct world){.o = SHARC_CRAWL_OPTIONS, .message = SHARC_BUF_INIT(64u << 20)};
    w->began = 1700000000 * SHARC_SEC;
    sharc_clock_virtual_init(&w->clock, w->began);
    w->pages = SHARC_NEW_ARRAY(struct web_page, n + 1);
    if (n) memcpy(w->pages, pages, n * sizeof *pages);
    w->pages_count = n;
    w->dir = test_mkdir();
    w->fetcher = sharc_fetcher_new_scripted(&w->clock.clock, answer, w);
    if (sharc_store_open("memory:", NULL, &w->store, &err) < 0) fail_msg("%s", err.text);
    w->o.archive = w->dir;
    w->o.pace.delay = SHARC_SEC;
    w->o.no_probe = true;
    w->o.no_sitemaps = true;
    w->o.allow_private = true;
    w->o.controls = SHARC_CRAWL_CONTROLS_NONE; /* each page is asked for as often as the strategy says */
    w->o.seed = 1;
    w->o.commit_time = SHARC_HOUR;
}

void world_use_real_clock(struct world *w)
{
    sharc_fetcher_free(w->fetcher);
    w->fetcher = sharc_fetcher_new_scripted(sharc_clock_real(), answer, w);
    w->o.pace.delay = 0;
    w->real = true;
}

void world_end_crawl(struct world *w)
{
    sharc_crawl_free(w->crawl);
    w->crawl = NULL;
}

void world_done(struct world *w)
{
    world_end_crawl(w);
    sharc_fetcher_free(w->fetcher);
    sharc_store_free(w->store);
    for (size_t i = 0; i < w->asked_count; i++) free(w->asked[i].url);
    free(w->asked);
    free(w->pages);
    sharc_buf_done(&w->message);
    test_rmdir(w->dir);
}

int world_crawl(struct world *w, ...)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_crawl_world world = {.clock = w->real ? sharc_clock_real() : &w->clock.clock,
                                      .fetcher = w->fetcher,
                                      .store = w->store,
                                      .remark = remark,
                                      .reread = reread,
                                      .arg = w};
    int r = sharc_crawl_new(&w->o, &world, &w->crawl, &err);
    va_list args;
    va_start(args, w);
    for (const char *seed = va_arg(args, const char *); r == 0 && seed; seed = va_arg(args, const char *))
        r = sharc_crawl_seed(w->crawl, sharc_span_of(seed), &err);
    va_end(args);
    if (r == 0) r = set_own(w, w->own, &err);
    if (r == 0) r = sharc_crawl_run(w->crawl, &err);
    if (r < 0 && r != SHARC_EINTR && r != SHARC_ENET) print_message("crawl: %s\n", err.text);
    return r;
}

unsigned world_asked(const struct world *w, const char *url)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->asked_count; i++) n += strcmp(w->asked[i].url, url) == 0;
    return n;
}

char *world_order(const struct world *w)
{
    struct sharc_buf b = SHARC_BUF_INIT(16u << 20);
    for (size_t i = 0; i < w->asked_count; i++) {
        const char *path = strstr(w->asked[i].url, "://");
        path = path ? strchr(path + 3, '/') : NULL;
        if (b.n) sharc_buf_put_char(&b, ' ');
        sharc_buf_put_str(&b, path ? path : w->asked[i].url);
    }
    return b.p ? sharc_buf_take(&b) : sharc_strdup("");
}

struct sharc_crawl_summary world_summary(const struct world *w, size_t site)
{
    struct sharc_crawl_summary s;
    sharc_crawl_site(w->crawl, site, &s);
    return s;
}

char *world_skipped(const struct world *w, const char *url)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_store_skipped(w->store, world_summary(w, 0).capture, NULL, &rows, &err) < 0) fail_msg("%s", err.text);
    while (sharc_store_rows_next(rows, &err) > 0) {
        struct sharc_store_skip skip;
        sharc_store_read_skip(rows, &skip);
        if (sharc_span_is(skip.url, url)) return sharc_span_dup(skip.reason);
    }
    return sharc_strdup("");
}

char *world_file(const struct world *w, const char *name)
{
    struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(w->dir, name);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_file_read(path, &b, &err) < 0) fail_msg("%s", err.text);
    return b.p ? sharc_buf_take(&b) : sharc_strdup("");
}
