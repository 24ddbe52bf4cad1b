/* SPDX-License-Identifier: Apache-2.0
 *
 * As whom we are asked: hosts that are answered, and the addresses of both ports as the reader sees them.
 */
#include "call.h"

#include "sharc/url.h"

#include <stdio.h>

/* --- whom we are asked as ------------------------------------------------------------------ */

static struct sharc_span host_name(struct sharc_span host)
{
    if (host.n && host.p[0] == '[') {
        size_t end = sharc_span_find(host, ']', 0);
        return sharc_span_sub(host, 0, end == SHARC_NPOS ? 0 : end + 1);
    }
    return sharc_span_sub(host, 0, sharc_span_find(host, ':', 0));
}

static bool is_host(struct sharc_span name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!sharc_is_alnum(name.p[i]) && !strchr(".-_[]:", name.p[i])) return false;
    return name.n > 0 && name.n < 256;
}

static bool is_loopback(struct sharc_span name)
{
    if (sharc_span_ieq(name, SHARC_SPAN("localhost")) || sharc_span_is(name, "[::1]") || sharc_span_is(name, "::1"))
        return true;
    if (!sharc_span_starts(name, SHARC_SPAN("127."))) return false;
    for (size_t i = 0; i < name.n; i++)
        if (!sharc_is_digit(name.p[i]) && name.p[i] != '.') return false;
    return true;
}

/* Is it the host of that origin, "https://archive.example.org:8443"? */
static bool is_host_of(struct sharc_span name, const char *origin)
{
    struct sharc_span o = sharc_span_of(origin);
    size_t at = sharc_span_search(o, SHARC_SPAN("://"));
    return at != SHARC_NPOS && sharc_span_ieq(name, host_name(sharc_span_from(o, at + 3)));
}

static bool is_public(const struct sharc_serve *s, struct sharc_span name)
{
    return s->public_pages && (is_host_of(name, s->public_pages) || is_host_of(name, s->public_replay));
}

bool sharc__serve_origins(struct serve_call *c)
{
    struct sharc_serve *s = c->server;
    struct sharc_span host = sharc_http_request_header(c->request, "Host"), name = host_name(host);
    bool loopback = is_loopback(sharc_span_of(s->o.address));
    if (!host.p || !is_host(name)) name = SHARC_SPAN_NONE;
    if (host.p && (!name.n || (loopback && !is_loopback(name) && !is_public(s, name)))) return false;
    if (!name.n) name = loopback ? SHARC_SPAN("127.0.0.1") : sharc_span_of(s->o.address);
    snprintf(c->pages, sizeof c->pages, "http://%.*s:%u", SHARC_SPAN_ARG(name), s->pages_port);
    snprintf(c->replay, sizeof c->replay, "http://%.*s:%u", SHARC_SPAN_ARG(name), s->replay_port);
    if (s->public_pages) {
        snprintf(c->pages, sizeof c->pages, "%s", s->public_pages);
        snprintf(c->replay, sizeof c->replay, "%s", s->public_replay);
    }
    memcpy(c->own, c->on_replay ? c->replay : c->pages, sizeof c->own);
    return true;
}

/* --- through a proxy ------------------------------------------------------------------------ */

/* "https://archive.example.org/" -> "https://archive.example.org" */
static int read_origin(const char *text, char **ret, struct sharc_err *reterr)
{
    struct sharc_url url = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf origin = SHARC_BUF_INIT(300);
    int r = sharc_url_parse(&url, sharc_span_of(text), NULL, NULL);
    bool fits = r == 0 && sharc_url_is_http(&url) && sharc_span_is(sharc_url_target(&url), "/") &&
                sharc_url_origin(&url, &origin) == 0;
    sharc_url_done(&url);
    SHARC_FAIL_IF(!fits, reterr, SHARC_EINVAL,
                  "\"%.100s\" must be a URL without a path, such as https://archive.example.org", text);
    *ret = sharc_buf_take(&origin);
    return 0;
}

int sharc__serve_read_origins(struct sharc_serve *s, const struct sharc_serve_options *o, struct sharc_err *reterr)
{
    if (!o->public_url && !o->public_replay_url) return 0;
    SHARC_FAIL_IF(
        !o->public_url || !o->public_replay_url, reterr, SHARC_EINVAL,
        "name both public URLs, setting \"public-url\" and setting \"public-replay-url\": readers need two origins");
    int r = read_origin(o->public_url, &s->public_pages, reterr);
    if (r == 0) r = read_origin(o->public_replay_url, &s->public_replay, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(strcmp(s->public_pages, s->public_replay) == 0, reterr, SHARC_EINVAL,
                  "the two public URLs must be different origins: archived scripts could reach our pages otherwise");
    return 0;
}
