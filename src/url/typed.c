/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs between people and sharc: as they type them, and as messages may show them.
 */
#include "url_int.h"

#include <stdio.h>

/* Where the first of / ? # \ stands, or the end. */
static size_t end_of_authority(struct sharc_span s, size_t from)
{
    while (from < s.n && !strchr("/?#\\", s.p[from] ? s.p[from] : 'x')) from++;
    return from;
}

/* "http:", "mailto:", but not "localhost:8080" and not "example.org:": a scheme
 * holds no dot here, and what follows it is no number. */
static bool has_scheme(struct sharc_span s)
{
    size_t n = 0;
    while (n < s.n && (sharc_is_alnum(s.p[n]) || s.p[n] == '+' || s.p[n] == '-')) n++;
    if (n == 0 || n == s.n || s.p[n] != ':' || !sharc_is_alpha(s.p[0])) return false;
    return n + 1 == s.n || !sharc_is_digit(s.p[n + 1]);
}

/* Behind https:// the host is a name with a dot, and the port is https's own. */
static bool is_at_home_in_https(const struct sharc_url *u)
{
    struct sharc_span host = sharc_url_host(u);
    if (u->host_kind != SHARC_HOST_DOMAIN || u->has_port) return false;
    size_t dot = sharc_span_find(host, '.', 0);
    return dot != SHARC_NPOS && dot + 1 < host.n && !sharc_span_ends(host, SHARC_SPAN(".localhost"));
}

static int parse_behind(struct sharc_url *u, const char *scheme, struct sharc_span typed, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
    sharc_buf_put_str(&text, scheme);
    sharc_buf_put(&text, sharc_span_sub(typed, 0, SHARC_LIMIT_URL));
    return sharc_url_parse(u, sharc_buf_span(&text), NULL, reterr);
}

int sharc_url_parse_typed(struct sharc_url *u, struct sharc_span typed, struct sharc_err *reterr)
{
    typed = sharc_span_trim(typed);
    bool relative = typed.n == 0 || strchr("/?#\\.", typed.p[0]);
    if (sharc_span_starts(typed, SHARC_SPAN("//")))
        typed = sharc_span_from(typed, 2);
    else if (relative || has_scheme(typed))
        return sharc_url_parse(u, typed, NULL, reterr);
    int r = parse_behind(u, "https://", typed, reterr);
    if (r < 0 || is_at_home_in_https(u)) return r;
    return parse_behind(u, "http://", typed, reterr);
}

/* Behind "scheme://", with as many slashes of either kind as there are. */
static size_t start_of_authority(struct sharc_span s)
{
    size_t n = 0;
    while (n < s.n && (sharc_is_alnum(s.p[n]) || strchr("+-.", s.p[n] ? s.p[n] : 'x'))) n++;
    n = n + 1 < s.n && s.p[n] == ':' && is_slash(s.p[n + 1]) ? n + 1 : 0;
    while (n < s.n && is_slash(s.p[n])) n++;
    return n;
}

const char *sharc_url_shown(struct sharc_span url, char out[SHARC_URL_SHOWN])
{
    url = sharc_span_sub(url, 0, SHARC_LIMIT_URL);
    size_t start = start_of_authority(url), at = end_of_authority(url, start);
    while (at > start && url.p[at - 1] != '@') at--;
    bool secret = at > start && !sharc_span_istarts(url, SHARC_SPAN("mailto:"));
    struct sharc_span front = sharc_span_sub(url, 0, secret && start < 32 ? start : 0);
    struct sharc_span rest = sharc_span_sub(sharc_span_from(url, secret ? at : 0), 0, 200);
    snprintf(out, SHARC_URL_SHOWN, "%.*s%s%.*s", (int)front.n, front.n ? front.p : "", secret ? "***@" : "",
             (int)rest.n, rest.n ? rest.p : "");
    return out;
}
