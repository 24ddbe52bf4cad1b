/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetchers seen from outside: states and their words, results, and the thin
 * functions over the table.
 */
#include "fetch_int.h"

#include "sharc/base_limits.h"

#include <stdio.h>
#include <stdlib.h>

/* --- states -------------------------------------------------------------- */

static const struct {
    const char *word, *text;
    int code;
    bool transient;
} states[] = {
#define X(name, word, code, again, text) {word, text, code, again},
    SHARC_FETCH_STATES(X)
#undef X
};

const char *sharc_fetch_state_word(enum sharc_fetch_state s)
{
    return (size_t)s < SHARC_LENGTH(states) ? states[s].word : "unknown";
}

const char *sharc_fetch_state_text(enum sharc_fetch_state s)
{
    return (size_t)s < SHARC_LENGTH(states) ? states[s].text : "it ended in an unknown way";
}

bool sharc_fetch_state_transient(enum sharc_fetch_state s)
{
    return (size_t)s < SHARC_LENGTH(states) && states[s].transient;
}

const char *sharc_fetch_cut_text(enum sharc_fetch_cut c)
{
    switch (c) {
    case SHARC_FETCH_WHOLE: return NULL;
    case SHARC_FETCH_CUT_LENGTH: return "length";
    case SHARC_FETCH_CUT_TIME: return "time";
    case SHARC_FETCH_CUT_DISCONNECT: return "disconnect";
    case SHARC_FETCH_CUT_UNSPECIFIED: break;
    }
    return "unspecified";
}

static enum sharc_fetch_cut cut_of(enum sharc_fetch_state s)
{
    switch ((int)s) {
    case SHARC_FETCH_OK:
    case SHARC_FETCH_UNWANTED: return SHARC_FETCH_WHOLE; /* nothing was begun */
    case SHARC_FETCH_TOO_LARGE: return SHARC_FETCH_CUT_LENGTH;
    case SHARC_FETCH_TIMEOUT:
    case SHARC_FETCH_SLOW: return SHARC_FETCH_CUT_TIME;
    case SHARC_FETCH_RESET:
    case SHARC_FETCH_EMPTY:
    case SHARC_FETCH_SHORT: return SHARC_FETCH_CUT_DISCONNECT;
    default: return SHARC_FETCH_CUT_UNSPECIFIED;
    }
}

/* --- results ------------------------------------------------------------- */

struct sharc_fetch_result *sharc__http_fetch_result_new(const struct sharc_fetch_request *req, size_t spool_at,
                                                        const char *spool_dir)
{
    struct sharc_fetch_result *r = SHARC_NEW(struct sharc_fetch_result);
    r->user = req->user;
    r->url = sharc_span_dup(req->url);
    sharc_buf_init(&r->request, SHARC_LIMIT_HTTP_HEADER);
    sharc_buf_init(&r->head, SHARC_LIMIT_HTTP_HEADER);
    sharc_buf_init(&r->interim, SHARC_LIMIT_HTTP_HEADER);
    sharc_spool_init(&r->body, spool_at, spool_dir);
    r->first_byte = SHARC_TIME_NONE;
    return r;
}

void sharc__http_tls_done(struct sharc_fetch_tls *t)
{
    sharc_buf_done(&t->chain);
    *t = (struct sharc_fetch_tls){0};
}

void sharc_fetch_result_free(struct sharc_fetch_result *r)
{
    if (!r) return;
    sharc_buf_done(&r->request);
    sharc_buf_done(&r->head);
    sharc_buf_done(&r->interim);
    sharc_spool_done(&r->body);
    sharc_http_done(&r->http);
    sharc__http_tls_done(&r->tls);
    free(r->url);
    free(r);
}

void sharc_fetch_result_freep(struct sharc_fetch_result **r)
{
    sharc_fetch_result_free(*r);
    *r = NULL;
}

bool sharc__http_fetch_parse_head(struct sharc_fetch_result *r)
{
    int64_t n = sharc_http_parse(&r->http, sharc_buf_span(&r->head), false, NULL);
    if (n <= 0 || !r->http.response) return false;
    r->status = r->http.status;
    return r->status > 0;
}

void sharc__http_fetch_conclude(struct sharc_fetch_result *r, enum sharc_fetch_state state, const char *detail)
{
    struct sharc_err err;
    char shown[SHARC_URL_SHOWN];
    r->state = state;
    r->code = r->status > 0 && state != SHARC_FETCH_UNWANTED ? r->status : states[state].code;
    r->cut = r->status > 0 ? cut_of(state) : SHARC_FETCH_WHOLE;
    if (state == SHARC_FETCH_OK) return;
    /* The detail may quote the server: sharc_fail takes out what steers terminals. */
    sharc_fail(&err, SHARC_ENET, "%.120s: %s%s%s%s", sharc_url_shown(sharc_span_of(r->url), shown), states[state].text,
               *detail ? " (" : "", detail, *detail ? ")" : "");
    snprintf(r->text, sizeof r->text, "%.*s", (int)sizeof r->text - 1, err.text);
}

bool sharc_fetch_plain(const struct sharc_fetch_result *r, struct sharc_span *ret)
{
    if (r->body.fd >= 0 || sharc_http_get(&r->http, "Transfer-Encoding").p ||
        sharc_http_get(&r->http, "Content-Encoding").p)
        return false;
    *ret = sharc_buf_span(&r->body.memory);
    return true;
}

static void free_reader(struct sharc_spool_reader *r)
{
    sharc_spool_reader_done(r);
}

int sharc_fetch_decode(const struct sharc_fetch_result *r, struct sharc_buf *out,
                       struct sharc_http_body_state *ret_state, struct sharc_err *reterr)
{
    SHARC_AUTO(free_reader) struct sharc_spool_reader reader = {.spool = &r->body};
    SHARC_AUTO(sharc_http_body_freep) struct sharc_http_body *b = NULL;
    struct sharc_span piece;
    int n = sharc_http_body_new(&r->http, SHARC_HTTP_CONTENT, out->max - out->n, sharc_spool_pull, &reader, &b, reterr);
    if (n < 0) return n;
    while ((n = sharc_http_body_pull(b, &piece, reterr)) > 0) {
        size_t room = out->max - out->n;
        sharc_buf_put(out, sharc_span_sub(piece, 0, room));
        if (piece.n > room)
            return sharc_fail(reterr, SHARC_ELIMIT, "the decoded body is larger than the %zu bytes allowed", out->max);
    }
    if (n == 0 && ret_state) *ret_state = sharc_http_body_state(b);
    return n;
}

/* --- the table ----------------------------------------------------------- */

int sharc_fetcher_submit(struct sharc_fetcher *f, const struct sharc_fetch_request *req, struct sharc_err *reterr)
{
    return f->ops->submit(f, req, reterr);
}

int sharc_fetcher_wait(struct sharc_fetcher *f, sharc_time deadline, const volatile bool *stop,
                       struct sharc_fetch_result **ret, struct sharc_err *reterr)
{
    return f->ops->wait(f, deadline, stop, ret, reterr);
}

size_t sharc_fetcher_pending(const struct sharc_fetcher *f)
{
    return f->ops->pending(f);
}

void sharc_fetcher_abort(struct sharc_fetcher *f)
{
    f->ops->abort(f);
}

void sharc_fetcher_wake(struct sharc_fetcher *f)
{
    f->ops->wake(f);
}

void sharc_fetcher_free(struct sharc_fetcher *f)
{
    if (f) f->ops->free(f);
}

void sharc_fetcher_freep(struct sharc_fetcher **f)
{
    sharc_fetcher_free(*f);
    *f = NULL;
}
