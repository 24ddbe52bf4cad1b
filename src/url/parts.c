/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a parsed URL, and the changes that only shorten it.
 */
#include "url_int.h"

#include <stdlib.h>

void sharc_url_done(struct sharc_url *u)
{
    free(u->p);
    *u = (struct sharc_url)SHARC_URL_INIT;
}

int sharc_url_copy(struct sharc_url *u, const struct sharc_url *from)
{
    struct build b = {u->p, 0, u->room};
    build_put(&b, sharc_span(from->p, from->n));
    sharc__url_reserve(&b, 0);
    b.p[b.n] = 0;
    *u = *from;
    u->p = b.p;
    u->room = (uint32_t)b.room;
    return 0;
}

static struct sharc_span between(const struct sharc_url *u, size_t from, size_t to)
{
    return sharc_span(u->p + from, to - from);
}

static size_t end_of_path(const struct sharc_url *u)
{
    if (u->query_start != SHARC_URL_NO) return u->query_start;
    return u->fragment_start != SHARC_URL_NO ? u->fragment_start : u->n;
}

static size_t end_of_page(const struct sharc_url *u)
{
    return u->fragment_start != SHARC_URL_NO ? u->fragment_start : u->n;
}

static bool has_credentials(const struct sharc_url *u)
{
    return u->user_end != u->host_start;
}

struct sharc_span sharc_url_user(const struct sharc_url *u)
{
    if (!has_credentials(u)) return SHARC_SPAN_NONE;
    return between(u, u->scheme_end + 3u, u->user_end);
}

struct sharc_span sharc_url_password(const struct sharc_url *u)
{
    if (!has_credentials(u) || u->p[u->user_end] != ':') return SHARC_SPAN_NONE;
    return between(u, u->user_end + 1u, u->host_start - 1u);
}

struct sharc_span sharc_url_port_text(const struct sharc_url *u)
{
    if (!u->has_port) return SHARC_SPAN_NONE;
    return between(u, u->host_end + 1u, u->path_start);
}

unsigned sharc_url_port(const struct sharc_url *u)
{
    return u->has_port ? u->port : sharc__url_default_port(u->scheme);
}

struct sharc_span sharc_url_host_port(const struct sharc_url *u)
{
    if (u->host_kind == SHARC_HOST_NONE) return SHARC_SPAN_NONE;
    return between(u, u->host_start, u->has_port ? u->path_start : u->host_end);
}

struct sharc_span sharc_url_path(const struct sharc_url *u)
{
    return between(u, u->path_start, end_of_path(u));
}

struct sharc_span sharc_url_query(const struct sharc_url *u)
{
    if (u->query_start == SHARC_URL_NO) return SHARC_SPAN_NONE;
    return between(u, u->query_start + 1u, end_of_page(u));
}

struct sharc_span sharc_url_fragment(const struct sharc_url *u)
{
    if (u->fragment_start == SHARC_URL_NO) return SHARC_SPAN_NONE;
    return between(u, u->fragment_start + 1u, u->n);
}

struct sharc_span sharc_url_target(const struct sharc_url *u)
{
    return between(u, u->path_start, end_of_page(u));
}

struct sharc_span sharc_url_page(const struct sharc_url *u)
{
    return between(u, 0, end_of_page(u));
}

/* blob:https://example.org/… has the origin of the URL inside. */
static int blob_origin(const struct sharc_url *u, struct sharc_buf *out)
{
    struct sharc_url inner = SHARC_URL_INIT;
    int r = sharc_url_parse(&inner, sharc_url_path(u), NULL, NULL);
    r = r == 0 && sharc_url_is_http(&inner) ? sharc_url_origin(&inner, out) : sharc_buf_put_str(out, "null");
    sharc_url_done(&inner);
    return r;
}

int sharc_url_origin(const struct sharc_url *u, struct sharc_buf *out)
{
    if (sharc_span_is(sharc_url_scheme(u), "blob")) return blob_origin(u, out);
    if (!sharc_url_is_special(u) || u->scheme == SHARC_SCHEME_FILE) return sharc_buf_put_str(out, "null");
    sharc_buf_put(out, sharc_url_scheme(u));
    sharc_buf_put_str(out, "://");
    return sharc_buf_put(out, sharc_url_host_port(u));
}

void sharc_url_strip_fragment(struct sharc_url *u)
{
    if (u->fragment_start == SHARC_URL_NO) return;
    u->n = u->fragment_start;
    u->p[u->n] = 0;
    u->fragment_start = SHARC_URL_NO;
}

void sharc_url_strip_credentials(struct sharc_url *u)
{
    if (!has_credentials(u)) return;
    uint16_t start = u->scheme_end + 3u, cut = (uint16_t)(u->host_start - start);
    memmove(u->p + start, u->p + u->host_start, u->n - u->host_start + 1u);
    u->n -= cut;
    u->user_end = u->host_start = start;
    u->host_end -= cut;
    u->path_start -= cut;
    if (u->query_start != SHARC_URL_NO) u->query_start -= cut;
    if (u->fragment_start != SHARC_URL_NO) u->fragment_start -= cut;
}
