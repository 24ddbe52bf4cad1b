/* SPDX-License-Identifier: Apache-2.0
 *
 * The scripted fetcher moves the clock; its script asks the real one, and waits.
 */
#include "virtual.h"

#include "sharc/base_limits.h"

#define LARGEST ((size_t)256 << 20) /* answer: a sitemap of the largest site has some 10 MB */

/* The server's date is one of real time. */
static void put_head(struct lab_virtual *v, const struct sharc_fetch_result *r, sharc_time now)
{
    char text[SHARC_TIME_TEXT];
    const struct sharc_span head = sharc_buf_span(&r->head), date = sharc_http_get(&r->http, "Date");
    const struct sharc_span ours = sharc_span_of(sharc_http_date_text(now, text));
    const bool inside = date.p && date.p >= head.p && date.p + date.n <= head.p + head.n;
    const size_t at = inside ? (size_t)(date.p - head.p) : head.n;
    sharc_buf_put(&v->message, sharc_span_sub(head, 0, at));
    if (!inside) return;
    sharc_buf_put(&v->message, ours);
    sharc_buf_put(&v->message, sharc_span_from(head, at + date.n));
}

static int put_body(struct lab_virtual *v, const struct sharc_fetch_result *r)
{
    struct sharc_spool_reader reader = {.spool = &r->body};
    struct sharc_span piece;
    int n;
    while ((n = sharc_spool_pull(&reader, &piece, NULL)) > 0) sharc_buf_put(&v->message, piece);
    sharc_spool_reader_done(&reader);
    return n < 0 || v->message.failed ? SHARC_ELIMIT : 0;
}

static void ask(void *virtual, const struct sharc_fetch_request *req, sharc_time now, struct sharc_fetch_answer *ret)
{
    struct lab_virtual *v = virtual;
    struct sharc_fetch_request own = *req;
    SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = NULL;
    own.wanted = NULL; /* the scripted fetcher asks that */
    own.user = NULL;
    int n = sharc_fetcher_submit(v->inner, &own, NULL);
    while (n == 0) n = sharc_fetcher_wait(v->inner, SHARC_TIME_NONE, NULL, &r, NULL);
    ret->until_first = ret->duration = v->latency;
    ret->state = n > 0 ? r->state : SHARC_FETCH_LOCAL;
    ret->ip = "127.0.0.1";
    sharc_buf_clear(&v->message);
    if (n <= 0 || r->status == 0) return;
    put_head(v, r, now);
    if (put_body(v, r) < 0) ret->state = SHARC_FETCH_LOCAL;
    ret->message = sharc_buf_span(&v->message);
}

int sharc__lab_virtual_init(struct lab_virtual *v, sharc_time at, sharc_time latency, struct sharc_err *reterr)
{
    *v = (struct lab_virtual){.latency = latency};
    sharc_clock_virtual_init(&v->clock, at);
    sharc_buf_init(&v->message, LARGEST);
    struct sharc_fetcher_settings s = {.clock = sharc_clock_real(), .allow_private = true};
    int r = sharc_fetcher_new(&s, &v->inner, reterr);
    if (r == 0) v->outer = sharc_fetcher_new_scripted(&v->clock.clock, ask, v);
    return r;
}

void sharc__lab_virtual_done(struct lab_virtual *v)
{
    sharc_fetcher_free(v->outer);
    sharc_fetcher_free(v->inner);
    sharc_buf_done(&v->message);
    *v = (struct lab_virtual){0};
}
