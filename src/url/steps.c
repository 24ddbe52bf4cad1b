/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of which canonical forms are made (canon.c holds the recipes). A
 * step changes pieces in place when the result is not longer, and takes new
 * memory from the arena otherwise.
 */
#include "url_int.h"

#include <stdlib.h>

static bool special(const struct loose *l)
{
    return l->scheme_kind != SHARC_SCHEME_OTHER;
}

static void encode(struct loose *l, struct piece *p, unsigned set)
{
    if (!(sharc__url_classes(piece_span(*p)) & set)) return;
    char *out = sharc__url_loose_room(l, 3 * p->n);
    if (!out) return;
    p->n = (size_t)(sharc__url_encode(out, piece_span(*p), set) - out);
    p->p = out;
}

static void decode(struct piece *p)
{
    if (p->n && memchr(p->p, '%', p->n)) p->n = sharc__url_decode_all(piece_span(*p), p->p);
}

static void replace(struct loose *l, struct piece *p, struct sharc_span by)
{
    if (by.n > p->n) {
        char *out = sharc__url_loose_room(l, by.n);
        if (!out) return;
        p->p = out;
    }
    if (by.n) memmove(p->p, by.p, by.n);
    p->n = by.n;
}

/* --- scheme, slashes, user, port ------------------------------------------- */

void sharc__url_step_default_http(struct loose *l)
{
    if (l->has_scheme) return;
    struct piece pathish = l->path;
    replace(l, &l->scheme, SHARC_SPAN("http"));
    l->has_scheme = true;
    l->scheme_kind = SHARC_SCHEME_HTTP;
    if (l->slashes.n) { /* "//host/path": the pieces lie side by side */
        pathish.p = l->slashes.p;
        pathish.n = (size_t)(l->path.p + l->path.n - l->slashes.p);
    }
    l->user = l->password = l->host = l->port = (struct piece){pathish.p, 0};
    l->has_at = l->has_password = l->has_port = false;
    sharc__url_loose_pathish(l, pathish);
}

/* "http://https://host/": the last one counts. */
void sharc__url_step_no_repeated_scheme(struct loose *l)
{
    while (l->scheme_kind == SHARC_SCHEME_HTTP || l->scheme_kind == SHARC_SCHEME_HTTPS) {
        enum sharc_scheme inner = sharc__url_scheme_of(piece_span(l->host));
        bool again = (inner == SHARC_SCHEME_HTTP || inner == SHARC_SCHEME_HTTPS) && l->has_port && !l->port.n &&
                     l->path.n >= 2 && l->path.p[0] == '/' && l->path.p[1] == '/' && !l->has_at;
        if (!again) return;
        l->scheme = l->host;
        l->scheme_kind = inner;
        l->host.n = 0;
        l->has_port = false;
        sharc__url_loose_pathish(l, l->path);
    }
}

void sharc__url_step_slashes(struct loose *l)
{
    if (!special(l) && !l->slashes.n) return;
    replace(l, &l->slashes, SHARC_SPAN("//"));
}

static void drop_default_port(struct loose *l, bool http_only)
{
    while (l->port.n > 1 && l->port.p[0] == '0') l->port.p++, l->port.n--;
    bool http = l->scheme_kind == SHARC_SCHEME_HTTP || l->scheme_kind == SHARC_SCHEME_HTTPS;
    unsigned own = http_only && !http ? 0 : sharc__url_default_port(l->scheme_kind);
    char digits[10];
    if (own && sharc_span_eq(piece_span(l->port), sharc_span(digits, sharc__url_number_text(own, digits))))
        l->port.n = 0;
    if (!l->port.n) l->has_port = false;
}

static void tidy_port(struct loose *l, bool http_only)
{
    decode(&l->port);
    drop_default_port(l, http_only);
    encode(l, &l->port, SET_LOOSE_HOST);
}

void sharc__url_step_port(struct loose *l)
{
    tidy_port(l, /* http_only= */ false);
}

void sharc__url_step_port_http_only(struct loose *l)
{
    tidy_port(l, /* http_only= */ true);
}

/* Its port with it. Not without a host: "http://:80/x" would mean x. */
void sharc__url_step_https_to_http(struct loose *l)
{
    if (l->scheme_kind != SHARC_SCHEME_HTTPS || !l->host.n) return;
    l->scheme.n = 4;
    l->scheme_kind = SHARC_SCHEME_HTTP;
    drop_default_port(l, /* http_only= */ false);
}

void sharc__url_step_no_user(struct loose *l)
{
    l->user.n = l->password.n = 0;
    l->has_password = l->has_at = false;
}

void sharc__url_step_tidy_user(struct loose *l)
{
    if (!l->password.n) l->has_password = false;
    if (!l->password.n && !l->user.n) l->has_at = false;
}

void sharc__url_step_encode_user(struct loose *l)
{
    encode(l, &l->user, SET_USERINFO);
    encode(l, &l->password, SET_USERINFO);
}

/* --- host -------------------------------------------------------------------- */

static void host_address(struct loose *l)
{
    uint32_t v4;
    uint16_t v6[8];
    char text[IPV6_TEXT + 2];
    struct sharc_span host = piece_span(l->host);
    if (sharc__url_loose_ipv4(host, &v4)) {
        replace(l, &l->host, sharc_span(text, sharc__url_ipv4_text(v4, text)));
    } else if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']' &&
               sharc__url_ipv6(sharc_span_sub(host, 1, host.n - 1), v6)) {
        text[0] = '[';
        size_t n = 1 + sharc__url_ipv6_text(v6, text + 1);
        text[n++] = ']';
        replace(l, &l->host, sharc_span(text, n));
    }
}

/* Leading and trailing dots away, runs of dots to one. */
static void host_dots(struct loose *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->host.n; i++)
        if (l->host.p[i] != '.' || (n && l->host.p[n - 1] != '.')) l->host.p[n++] = l->host.p[i];
    if (n && l->host.p[n - 1] == '.') n--;
    l->host.n = n;
}

/* Bytes that are no UTF-8 were Latin-1 more often than anything else. */
static size_t latin1_to_utf8(struct sharc_span s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) n += sharc_utf8_encode((unsigned char)s.p[i], out + n);
    return n;
}

static void host_by_idna(struct loose *l)
{
    struct sharc_span host = piece_span(l->host);
    char utf8[2 * SHARC_LIMIT_URL], ascii[SHARC_LIMIT_URL];
    if (sharc_utf8_check(host) != SHARC_NPOS) host = sharc_span(utf8, latin1_to_utf8(host, utf8));
    size_t n = sharc__url_idna(host, ascii, sizeof ascii);
    if (n) replace(l, &l->host, sharc_span(ascii, n));
}

/* True when a name beyond ASCII was brought down to it. */
static bool host_to_ascii(struct loose *l)
{
    if (!special(l)) return false;
    bool beyond = !sharc__url_is_ascii(piece_span(l->host));
    if (beyond) host_by_idna(l);
    sharc__url_lower(l->host.p, l->host.n);
    return beyond && sharc__url_is_ascii(piece_span(l->host));
}

/* Lower case, but not that of escapes. */
static void lower_plain(struct piece *p)
{
    for (size_t i = 0; i < p->n; i++) {
        bool escape =
            p->n - i >= 3 && p->p[i] == '%' && sharc_hex_value(p->p[i + 1]) >= 0 && sharc_hex_value(p->p[i + 2]) >= 0;
        if (escape)
            i += 2;
        else
            p->p[i] = sharc_to_lower(p->p[i]);
    }
}

/* What can be tidied where the standard gave up, without opening an escape: the
 * result must be refused again, not read as something else. */
void sharc__url_step_lenient_authority(struct loose *l)
{
    encode(l, &l->port, SET_C0 | JUNK);
    if (!l->host.n) return;
    sharc__url_step_tidy_user(l);
    drop_default_port(l, /* http_only= */ false);
    if (special(l)) lower_plain(&l->host);
    encode(l, &l->host, SET_C0 | JUNK);
}

/* Everything that can be done to a host, until nothing changes: a full-width
 * percent sign becomes a plain one and may uncover another escape. */
void sharc__url_step_host(struct loose *l)
{
    do {
        decode(&l->host);
    } while (host_to_ascii(l));
    host_address(l);
    host_dots(l);
    host_address(l);
    encode(l, &l->host, l->host.n && l->host.p[0] == '[' ? SET_LOOSE_BRACKETS : SET_LOOSE_HOST);
}

static bool drop_www(struct loose *l)
{
    size_t i = 3;
    if (l->host.n < 4 || memcmp(l->host.p, "www", 3) != 0) return false;
    while (i < l->host.n && sharc_is_digit(l->host.p[i])) i++;
    if (i == l->host.n || l->host.p[i] != '.') return false;
    l->host.p += i + 1;
    l->host.n -= i + 1;
    return true;
}

void sharc__url_step_no_www(struct loose *l)
{
    drop_www(l);
}

void sharc__url_step_no_www_ever(struct loose *l)
{
    while (drop_www(l)) continue;
    host_address(l);
}

/* "http://:80/x" and "http://...../x" have lost their host: as with too many slashes, what comes next is
 * taken for it. */
void sharc__url_step_find_host(struct loose *l)
{
    while (special(l) && l->scheme_kind != SHARC_SCHEME_FILE && !l->host.n && !l->has_port && l->path.n) {
        sharc__url_loose_pathish(l, l->path);
        sharc__url_step_no_user(l);
        sharc__url_step_port(l);
        sharc__url_step_host(l);
    }
}

/* --- path -------------------------------------------------------------------- */

void sharc__url_step_decode_path(struct loose *l)
{
    decode(&l->path);
}

void sharc__url_step_backslashes(struct loose *l)
{
    if (!special(l)) return;
    for (size_t i = 0; i < l->path.n; i++)
        if (l->path.p[i] == '\\') l->path.p[i] = '/';
}

void sharc__url_step_encode_path(struct loose *l)
{
    bool opaque = !special(l) && (!l->path.n || l->path.p[0] != '/');
    encode(l, &l->path, opaque ? SET_C0 | JUNK : SET_PATH);
}

void sharc__url_step_escape_path(struct loose *l)
{
    encode(l, &l->path, SET_GOOGLE_PATH);
}

void sharc__url_step_escape_google(struct loose *l)
{
    decode(&l->user);
    decode(&l->password);
    encode(l, &l->user, SET_GOOGLE_USERINFO);
    encode(l, &l->password, SET_GOOGLE_USERINFO);
    encode(l, &l->path, SET_GOOGLE);
}

/* A special URL has a path that begins with a slash. */
void sharc__url_step_root(struct loose *l)
{
    if (!special(l) || (l->path.n && l->path.p[0] == '/')) return;
    char *out = sharc__url_loose_room(l, l->path.n + 1);
    if (!out) return;
    out[0] = '/';
    if (l->path.n) memcpy(out + 1, l->path.p, l->path.n);
    l->path = (struct piece){out, l->path.n + 1};
}

/* The output always ends in a separator before the next segment is looked at;
 * ".." takes that one off and what stands before it. */
size_t sharc__url_resolve_dots(char *path, size_t n, bool backslash)
{
    size_t out = 1;
    for (size_t i = 1; i < n;) {
        size_t from = i;
        while (i < n && path[i] != '/' && !(backslash && path[i] == '\\')) i++;
        unsigned dots = sharc__url_count_dots(sharc_span(path + from, i - from));
        if (i < n) i++; /* the separator goes with its segment */
        if (dots == 2 && out > 1) {
            out--;
            while (out > 1 && path[out - 1] != '/' && !(backslash && path[out - 1] == '\\')) out--;
        } else if (!dots) {
            memmove(path + out, path + from, i - from);
            out += i - from;
        }
    }
    return out;
}

void sharc__url_step_dots(struct loose *l)
{
    bool slash = l->path.n && (l->path.p[0] == '/' || (special(l) && l->path.p[0] == '\\'));
    if (!slash) return;
    l->path.n = sharc__url_resolve_dots(l->path.p, l->path.n, special(l));
}

static void join_slashes(struct loose *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->path.n; i++)
        if (l->path.p[i] != '/' || !n || l->path.p[n - 1] != '/') l->path.p[n++] = l->path.p[i];
    l->path.n = n;
}

void sharc__url_step_join_slashes(struct loose *l)
{
    if (special(l)) join_slashes(l);
}

void sharc__url_step_join_slashes_host(struct loose *l)
{
    if (l->host.n) join_slashes(l);
}

void sharc__url_step_lower_path(struct loose *l)
{
    sharc__url_lower(l->path.p, l->path.n);
}

void sharc__url_step_no_closing_slash(struct loose *l)
{
    if (l->path.n > 1 && l->path.p[l->path.n - 1] == '/') l->path.n--;
}

/* Without an authority a path must not begin like one. */
void sharc__url_step_guard(struct loose *l)
{
    if (l->slashes.n || l->path.n < 2 || l->path.p[0] != '/' || l->path.p[1] != '/') return;
    char *out = sharc__url_loose_room(l, l->path.n + 2);
    if (!out) return;
    memcpy(out, "/%2F", 4);
    memcpy(out + 4, l->path.p + 2, l->path.n - 2);
    l->path = (struct piece){out, l->path.n + 2};
}

/* --- query ------------------------------------------------------------------- */

void sharc__url_step_encode_query(struct loose *l)
{
    encode(l, &l->query, special(l) ? SET_SPECIAL_QUERY : SET_QUERY);
}

void sharc__url_step_google_query(struct loose *l)
{
    decode(&l->query);
    encode(l, &l->query, SET_GOOGLE);
}

void sharc__url_step_lower_query(struct loose *l)
{
    sharc__url_lower(l->query.p, l->query.n);
}

/* Each name and each value by itself, so that an encoded '&' stays encoded. */
void sharc__url_step_recode_query(struct loose *l)
{
    if (!l->query.n) return;
    char *out = sharc__url_loose_room(l, 3 * l->query.n);
    if (!out) return;
    struct piece result = {out, 0};
    struct sharc_span rest = piece_span(l->query), pair;
    for (bool first = true; sharc_span_next(&rest, '&', &pair); first = false) {
        if (!first) *out++ = '&';
        size_t equals = sharc_span_find(pair, '=', 0);
        for (int half = 0; half < 2; half++) {
            struct sharc_span s = half ? sharc_span_from(pair, equals + 1) : sharc_span_sub(pair, 0, equals);
            char *text = l->query.p + (s.p - l->query.p);
            out = sharc__url_encode(out, sharc_span(text, sharc__url_decode_all(s, text)), SET_GOOGLE_QUERY);
            if (equals == SHARC_NPOS) break;
            if (!half) *out++ = '=';
        }
    }
    result.n = (size_t)(out - result.p);
    l->query = result;
}

static int compare_text(const void *a, const void *b)
{
    return sharc_span_cmp(*(const struct sharc_span *)a, *(const struct sharc_span *)b);
}

/* By name, a bare name before one with a value, then by value. */
static int compare_pairs(const void *a, const void *b)
{
    struct sharc_span x = *(const struct sharc_span *)a, y = *(const struct sharc_span *)b;
    size_t ex = sharc_span_find(x, '=', 0), ey = sharc_span_find(y, '=', 0);
    int order = sharc_span_cmp(sharc_span_sub(x, 0, ex), sharc_span_sub(y, 0, ey));
    if (order) return order;
    if (ex == SHARC_NPOS || ey == SHARC_NPOS) return (ex != SHARC_NPOS) - (ey != SHARC_NPOS);
    return sharc_span_cmp(sharc_span_from(x, ex), sharc_span_from(y, ey));
}

static void sort_query(struct loose *l, int (*compare)(const void *, const void *))
{
    struct sharc_span stack[32], *parts = stack, *heap = NULL, rest = piece_span(l->query), part;
    size_t count = 1, i = 0;
    for (size_t k = 0; k < rest.n; k++) count += rest.p[k] == '&';
    if (count < 2) return;
    char *out = sharc__url_loose_room(l, l->query.n);
    if (!out) return;
    if (count > SHARC_LENGTH(stack)) parts = heap = SHARC_NEW_ARRAY(struct sharc_span, count);
    while (i < count && sharc_span_next(&rest, '&', &part)) parts[i++] = part;
    qsort(parts, count, sizeof *parts, compare);
    struct piece sorted = {out, l->query.n};
    for (i = 0; i < count; i++) {
        if (i) *out++ = '&';
        if (parts[i].n) memcpy(out, parts[i].p, parts[i].n);
        out += parts[i].n;
    }
    l->query = sorted;
    free(heap);
}

void sharc__url_step_sort_query(struct loose *l)
{
    sort_query(l, compare_text);
}

void sharc__url_step_sort_pairs(struct loose *l)
{
    sort_query(l, compare_pairs);
}

void sharc__url_step_no_idle_ampersands(struct loose *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->query.n; i++)
        if (l->query.p[i] != '&' || (n && l->query.p[n - 1] != '&')) l->query.p[n++] = l->query.p[i];
    if (n && l->query.p[n - 1] == '&') n--;
    l->query.n = n;
}

void sharc__url_step_no_empty_query(struct loose *l)
{
    if (!l->query.n) l->has_query = false;
}

/* --- fragment ---------------------------------------------------------------- */

void sharc__url_step_encode_fragment(struct loose *l)
{
    encode(l, &l->fragment, SET_FRAGMENT);
}

void sharc__url_step_recode_fragment(struct loose *l)
{
    decode(&l->fragment);
    encode(l, &l->fragment, SET_GOOGLE);
}

void sharc__url_step_no_fragment(struct loose *l)
{
    l->fragment.n = 0;
    l->has_fragment = false;
}
