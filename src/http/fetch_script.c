/* SPDX-License-Identifier: Apache-2.0
 *
 * The fetcher that only pretends: a script says what each request brings and
 * when, and the caller's clock is moved there. Everything the crawler does can
 * be tested with it in no time.
 */
#include "fetch_int.h"

#include "sharc/base_order.h"

#include <stdio.h>
#include <stdlib.h>

struct scripted {
    struct sharc_fetcher base;
    struct sharc_clock *clock;
    sharc_fetch_script_fn *fn;
    void *arg;
    struct sharc_heap ends; /* by end, then in the order of submit; value: the result's address */
    uint64_t serial;
    bool woken;
};

static struct scripted *of(struct sharc_fetcher *f)
{
    return (struct scripted *)f;
}

static void push(struct scripted *s, struct sharc_fetch_result *r)
{
    sharc_heap_push(&s->ends, (double)r->end, s->serial++, (uint64_t)(uintptr_t)r);
}

/* "GET /path HTTP/1.1" with the request's own fields: near enough to what the
 * real one sends to be archived. */
static void write_request(struct sharc_fetch_result *r, const struct sharc_fetch_request *req)
{
    struct sharc_span url = req->url;
    size_t host = sharc_span_search(url, SHARC_SPAN("://"));
    host = host == SHARC_NPOS ? 0 : host + 3;
    size_t path = sharc_span_find(url, '/', host);
    struct sharc_span target = sharc_span_from(url, path);
    sharc_buf_printf(&r->request, "GET %.*s HTTP/1.1\r\nHost: %.*s\r\n", (int)(target.n ? target.n : 1),
                     target.n ? target.p : "/", SHARC_SPAN_ARG(sharc_span_sub(url, host, path)));
    for (size_t i = 0; i < req->fields_count; i++)
        sharc_buf_printf(&r->request, "%.*s: %.*s\r\n", SHARC_SPAN_ARG(req->fields[i].name),
                         SHARC_SPAN_ARG(req->fields[i].value));
    sharc_buf_put_str(&r->request, "\r\n");
}

/* Head and body out of the script's message; what is wrong with it becomes the
 * state, as with a real server. */
static enum sharc_fetch_state take_message(struct sharc_fetch_result *r, const struct sharc_fetch_answer *a,
                                           const struct sharc_fetch_request *req)
{
    struct sharc_http h = {0};
    enum sharc_fetch_state state = a->state;
    int64_t n = a->message.n > 0 ? sharc_http_parse(&h, a->message, false, NULL) : 0;
    sharc_http_done(&h);
    if (n <= 0) return state != SHARC_FETCH_OK ? state : a->message.n ? SHARC_FETCH_BAD_MESSAGE : SHARC_FETCH_EMPTY;
    sharc_buf_put(&r->head, sharc_span_sub(a->message, 0, (size_t)n));
    struct sharc_span body = sharc_span_from(a->message, (size_t)n);
    if (!sharc__http_fetch_parse_head(r)) return SHARC_FETCH_BAD_MESSAGE;
    if (req->wanted && !req->wanted(req->user, r)) return SHARC_FETCH_UNWANTED;
    if (req->max_body && body.n > req->max_body) {
        body.n = (size_t)req->max_body;
        state = SHARC_FETCH_TOO_LARGE;
    }
    if (sharc_spool_put(&r->body, body, NULL) < 0) state = SHARC_FETCH_LOCAL;
    r->protocol = "http/1.1";
    return state;
}

static int script_submit(struct sharc_fetcher *base, const struct sharc_fetch_request *req, struct sharc_err *reterr)
{
    (void)reterr;
    struct scripted *s = of(base);
    struct sharc_fetch_answer a = {0};
    sharc_time now = s->clock->now(s->clock);
    struct sharc_fetch_result *r = sharc__http_fetch_result_new(req, 1 << 20, NULL);
    s->fn(s->arg, req, now, &a);
    write_request(r, req);
    if (a.duration < a.until_first) a.duration = a.until_first;
    r->start = now;
    r->end = now + a.duration;
    enum sharc_fetch_state state = take_message(r, &a, req);
    if (req->max_time && a.duration > req->max_time) {
        r->end = now + req->max_time;
        state = SHARC_FETCH_TIMEOUT;
    }
    if (r->status > 0) r->first_byte = now + a.until_first;
    if (r->status > 0) snprintf(r->ip, sizeof r->ip, "%s", a.ip ? a.ip : "192.0.2.1");
    sharc__http_fetch_conclude(r, state, "");
    push(s, r);
    return 0;
}

static int script_wait(struct sharc_fetcher *base, sharc_time deadline, const volatile bool *stop,
                       struct sharc_fetch_result **ret, struct sharc_err *reterr)
{
    struct scripted *s = of(base);
    struct sharc_heap_item first;
    bool any = sharc_heap_peek(&s->ends, &first);
    bool due = any && (deadline == SHARC_TIME_NONE || (sharc_time)first.key <= deadline);
    if (__atomic_exchange_n(&s->woken, false, __ATOMIC_ACQ_REL)) return 0;
    if (!any && deadline == SHARC_TIME_NONE) return 0;
    sharc_time until = due ? (sharc_time)first.key : deadline;
    if (until > s->clock->now(s->clock) || (stop && *stop)) {
        int r = s->clock->wait_until(s->clock, until, stop);
        if (r < 0) return sharc_fail(reterr, r, "stopped while waiting for downloads");
    }
    /* What ended in the past is due even when the deadline is earlier still. */
    due |= any && (sharc_time)first.key <= s->clock->now(s->clock);
    if (!due) return 0;
    sharc_heap_pop(&s->ends, &first);
    *ret = (struct sharc_fetch_result *)(uintptr_t)first.value;
    return 1;
}

static size_t script_pending(const struct sharc_fetcher *base)
{
    return ((const struct scripted *)base)->ends.count;
}

static void script_abort(struct sharc_fetcher *base)
{
    struct scripted *s = of(base);
    sharc_time now = s->clock->now(s->clock);
    struct sharc_heap running = s->ends;
    struct sharc_heap_item item;
    sharc_heap_init(&s->ends);
    while (sharc_heap_pop(&running, &item)) {
        struct sharc_fetch_result *r = (struct sharc_fetch_result *)(uintptr_t)item.value;
        if (r->end > now) {
            r->end = now;
            sharc__http_fetch_conclude(r, SHARC_FETCH_ABORTED, "");
        }
        push(s, r);
    }
    sharc_heap_done(&running);
}

static void script_wake(struct sharc_fetcher *base)
{
    __atomic_store_n(&of(base)->woken, true, __ATOMIC_RELEASE);
}

static void script_free(struct sharc_fetcher *base)
{
    struct scripted *s = of(base);
    struct sharc_heap_item item;
    while (sharc_heap_pop(&s->ends, &item)) sharc_fetch_result_free((struct sharc_fetch_result *)(uintptr_t)item.value);
    sharc_heap_done(&s->ends);
    free(s);
}

static const struct sharc_fetcher_ops ops = {
    script_submit, script_wait, script_pending, script_abort, script_wake, script_free,
};

struct sharc_fetcher *sharc_fetcher_new_scripted(struct sharc_clock *clock, sharc_fetch_script_fn *fn, void *arg)
{
    struct scripted *s = SHARC_NEW(struct scripted);
    s->base.ops = &ops;
    s->clock = clock;
    s->fn = fn;
    s->arg = arg;
    sharc_heap_init(&s->ends);
    return &s->base;
}

void sharc_fetch_script_pages(void *arg, const struct sharc_fetch_request *req, sharc_time now,
                              struct sharc_fetch_answer *ret)
{
    (void)now;
    struct sharc_fetch_pages *t = arg;
    static const struct sharc_fetch_page missing = {.status = 404, .body = "not here"};
    const struct sharc_fetch_page *page = &missing;
    for (size_t i = 0; i < t->count && page == &missing; i++)
        if (sharc_span_is(req->url, t->pages[i].url)) page = &t->pages[i];
    const char *body = page->body ? page->body : "";
    int status = page->status ? page->status : 200;
    if (t->buf_.max == 0) sharc_buf_init(&t->buf_, 64u << 20);
    sharc_buf_clear(&t->buf_);
    sharc_buf_printf(&t->buf_, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s\r\n%s", status,
                     status == 200 ? "OK" : "Scripted", page->type ? page->type : "text/html", strlen(body),
                     page->fields ? page->fields : "", body);
    t->asked++;
    ret->message = sharc_buf_span(&t->buf_);
    ret->until_first = ret->duration = t->latency;
}
