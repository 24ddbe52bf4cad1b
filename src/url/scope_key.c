/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of a URL that scope rules compare, and the glob.
 */
#include "scope_int.h"

static struct sharc_span skip_www(struct sharc_span host)
{
    size_t i = 3;
    if (!sharc_span_starts(host, SHARC_SPAN("www"))) return host;
    while (i < host.n && sharc_is_digit(host.p[i])) i++;
    return i + 1 < host.n && host.p[i] == '.' ? sharc_span_from(host, i + 1) : host;
}

static char *put(char *out, struct sharc_span s)
{
    if (s.n) memcpy(out, s.p, s.n);
    return out + s.n;
}

static char *put_labels(char *out, struct sharc_span host)
{
    for (size_t end = host.n;;) {
        size_t from = end;
        while (from && host.p[from - 1] != '.') from--;
        out = put(out, sharc_span_sub(host, from, end));
        *out++ = ',';
        if (!from) return out;
        end = from - 1;
    }
}

struct sharc_span sharc__url_scope_key(const struct sharc_url *u, bool without_www, char out[SCOPE_KEY])
{
    struct sharc_span host = sharc_url_host(u), port = sharc_url_port_text(u);
    char *p = put(out, SHARC_SPAN("http://("));
    if (u->host_kind == SHARC_HOST_DOMAIN) {
        if (host.n > 1 && host.p[host.n - 1] == '.') host.n--;
        p = put_labels(p, without_www ? skip_www(host) : host);
    } else {
        p = put(p, host);
    }
    if (port.p) {
        *p++ = ':';
        p = put(p, port);
    }
    *p++ = ')';
    p = put(p, sharc_url_target(u));
    *p++ = '\n';
    return sharc_span(out, (size_t)(p - out));
}

/* What stands before the first star and behind the last one is fixed; the
 * pieces between are looked for from left to right, each as early as possible,
 * which is never wrong. */
bool sharc__url_glob_matches(const char *pattern, struct sharc_span s)
{
    struct sharc_span all = sharc_span_of(pattern), piece;
    const char *last = strrchr(pattern, '*');
    if (!last) return sharc_span_eq(all, s);
    struct sharc_span head = sharc_span_sub(all, 0, sharc_span_find(all, '*', 0));
    struct sharc_span tail = sharc_span_of(last + 1);
    if (s.n < head.n + tail.n || !sharc_span_starts(s, head) || !sharc_span_ends(s, tail)) return false;
    s = sharc_span_sub(s, head.n, s.n - tail.n);
    struct sharc_span middle = sharc_span_sub(all, head.n, all.n - tail.n);
    while (sharc_span_next(&middle, '*', &piece)) {
        size_t at = sharc_span_search(s, piece);
        if (at == SHARC_NPOS) return false;
        s = sharc_span_from(s, at + piece.n);
    }
    return true;
}
