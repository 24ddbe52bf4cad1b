/* SPDX-License-Identifier: Apache-2.0
 *
 * The URL Standard's basic parser, without its walk from character to
 * character: the first '#' always begins the fragment and the first '?' before
 * it the query, whatever state the standard's machine is in, so the input is
 * cut first and each function below is one region of that machine:
 *
 *   start ── scheme? ─┬─ file ────────── file_reference ──┬── put_path ── finish
 *                     ├─ same as base ── relative ────────┤
 *                     ├─ special, "//" ─ authority ───────┤
 *                     └─ other ───────── "/" or opaque ───┘
 *
 * The result is written once, from left to right, into the buffer that will be
 * the URL; the path's dots are resolved in that buffer.
 */
#include "url_int.h"

#include <stdlib.h>

static bool fail(struct job *j, const char *wrong)
{
    j->wrong = wrong;
    return false;
}

static bool is_separator(const struct job *j, char c)
{
    return c == '/' || (c == '\\' && j->special);
}

/* --- path ------------------------------------------------------------------ */

unsigned sharc__url_count_dots(struct sharc_span s)
{
    if (!s.n || s.n > 6 || (s.p[0] != '.' && s.p[0] != '%')) return 0;
    unsigned dots = 0;
    for (size_t i = 0; i < s.n; dots++) {
        if (s.p[i] == '.')
            i++;
        else if (s.n - i >= 3 && s.p[i] == '%' && s.p[i + 1] == '2' && (s.p[i + 2] | 32) == 'e')
            i += 3;
        else
            return 0;
    }
    return dots <= 2 ? dots : 0;
}

/* "C:" or "C|" and no more. */
static bool is_drive(struct sharc_span s)
{
    return s.n == 2 && sharc_is_alpha(s.p[0]) && (s.p[1] == ':' || s.p[1] == '|');
}

static bool starts_with_drive(struct sharc_span s)
{
    return s.n >= 2 && is_drive(sharc_span_sub(s, 0, 2)) && (s.n == 2 || s.p[2] == '/' || s.p[2] == '\\');
}

/* "/C:", alone or before more segments. */
static bool path_has_drive(struct sharc_span path)
{
    return path.n >= 3 && path.p[0] == '/' && sharc_is_alpha(path.p[1]) && path.p[2] == ':' &&
           (path.n == 3 || path.p[3] == '/');
}

static struct sharc_span built_path(const struct job *j)
{
    return sharc_span(j->b.p + j->u.path_start, j->b.n - j->u.path_start);
}

static void shorten_path(struct job *j)
{
    struct sharc_span path = built_path(j);
    if (!path.n || (j->u.scheme == SHARC_SCHEME_FILE && path.n == 3 && path_has_drive(path))) return;
    const char *slash = memrchr(path.p, '/', path.n);
    j->b.n = (size_t)((slash ? slash : path.p) - j->b.p);
}

static void put_segment(struct job *j, struct sharc_span segment, unsigned classes)
{
    bool drive = j->u.scheme == SHARC_SCHEME_FILE && j->b.n == j->u.path_start && is_drive(segment);
    build_char(&j->b, '/');
    if (drive) {
        build_char(&j->b, segment.p[0]);
        build_char(&j->b, ':');
    } else if (classes & SET_PATH) {
        sharc__url_put_encoded(&j->b, segment, SET_PATH);
    } else {
        build_put(&j->b, segment);
    }
}

void sharc__url_put_path(struct job *j, struct sharc_span path)
{
    size_t i = 0;
    bool last;
    do {
        size_t from = i;
        unsigned classes = 0;
        while (i < path.n && !is_separator(j, path.p[i])) classes |= CLASS(path.p[i++]);
        last = i == path.n;
        struct sharc_span segment = sharc_span_sub(path, from, i++);
        unsigned dots = sharc__url_count_dots(segment);
        if (dots == 2) shorten_path(j);
        if (!dots)
            put_segment(j, segment, classes);
        else if (last)
            build_char(&j->b, '/');
    } while (!last);
}

void sharc__url_guard_path(struct job *j)
{
    if (j->u.host_kind != SHARC_HOST_NONE || j->u.opaque_path || !sharc_span_starts(built_path(j), SHARC_SPAN("//")))
        return;
    sharc__url_reserve(&j->b, 2);
    char *at = j->b.p + j->u.path_start;
    memmove(at + 2, at, j->b.n - j->u.path_start);
    memcpy(at, "/.", 2);
    j->b.n += 2;
    j->u.path_start += 2;
}

static void begin_path(struct job *j)
{
    j->u.path_start = (uint16_t)j->b.n;
}

/* A path that begins with its separator, or is empty. */
static void absolute_path(struct job *j, struct sharc_span path)
{
    begin_path(j);
    if (path.n && is_separator(j, path.p[0]))
        sharc__url_put_path(j, sharc_span_from(path, 1));
    else if (path.n || j->special)
        sharc__url_put_path(j, path);
}

/* --- authority ------------------------------------------------------------- */

static void no_host(struct job *j, enum sharc_host_kind kind)
{
    j->u.host_kind = (uint8_t)kind;
    j->u.user_end = j->u.host_start = j->u.host_end = (uint16_t)j->b.n;
}

static void put_credentials(struct job *j, struct sharc_span s)
{
    size_t colon = sharc_span_find(s, ':', 0);
    struct sharc_span user = sharc_span_sub(s, 0, colon);
    struct sharc_span password = colon == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_from(s, colon + 1);
    if (!user.n && !password.n) return;
    sharc__url_put_encoded(&j->b, user, SET_USERINFO);
    j->u.user_end = (uint16_t)j->b.n;
    if (password.n) {
        build_char(&j->b, ':');
        sharc__url_put_encoded(&j->b, password, SET_USERINFO);
    }
    build_char(&j->b, '@');
}

/* Where ":port" begins: the first ':' outside brackets. */
static size_t find_port(struct sharc_span s)
{
    if (!s.n || !memchr(s.p, '[', s.n)) return sharc_span_find(s, ':', 0);
    bool inside = false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '[') inside = true;
        if (s.p[i] == ']') inside = false;
        if (s.p[i] == ':' && !inside) return i;
    }
    return SHARC_NPOS;
}

void sharc__url_put_port(struct job *j, unsigned port)
{
    unsigned own = sharc__url_default_port(j->u.scheme);
    if (own && port == own) return;
    char digits[10];
    j->u.has_port = true;
    j->u.port = (uint16_t)port;
    build_char(&j->b, ':');
    build_put(&j->b, sharc_span(digits, sharc__url_number_text(port, digits)));
}

static bool read_port(struct job *j, struct sharc_span s)
{
    unsigned port = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!sharc_is_digit(s.p[i])) return fail(j, "its port is not a number");
        port = port * 10 + (unsigned)(s.p[i] - '0');
        if (port > 65535) return fail(j, "its port is larger than 65535");
    }
    if (s.n) sharc__url_put_port(j, port);
    return true;
}

bool sharc__url_put_host_port(struct job *j, struct sharc_span s)
{
    size_t colon = find_port(s);
    struct sharc_span host = sharc_span_sub(s, 0, colon);
    if (!host.n && (colon != SHARC_NPOS || j->special)) return fail(j, "its host is empty");
    enum sharc_host_kind kind;
    j->u.host_start = (uint16_t)j->b.n;
    const char *wrong = sharc__url_put_host(&j->b, host, j->special, &kind);
    if (wrong) return fail(j, wrong);
    j->u.host_kind = (uint8_t)kind;
    j->u.host_end = (uint16_t)j->b.n;
    return colon == SHARC_NPOS || read_port(j, sharc_span_from(s, colon + 1));
}

/* s stands behind the slashes; what follows the authority is the path. */
static bool authority(struct job *j, struct sharc_span s)
{
    size_t end = 0;
    while (end < s.n && !is_separator(j, s.p[end])) end++;
    struct sharc_span host = sharc_span_sub(s, 0, end);
    const char *at = end ? memrchr(s.p, '@', end) : NULL;
    build_put(&j->b, SHARC_SPAN("//"));
    j->u.user_end = (uint16_t)j->b.n;
    if (at) {
        put_credentials(j, sharc_span_sub(s, 0, (size_t)(at - s.p)));
        host = sharc_span_sub(s, (size_t)(at - s.p) + 1, end);
        if (!host.n) return fail(j, "it has credentials but no host");
    }
    if (!sharc__url_put_host_port(j, host)) return false;
    absolute_path(j, sharc_span_from(s, end));
    return true;
}

static bool authority_after_slashes(struct job *j, struct sharc_span s)
{
    size_t i = 0;
    while (i < s.n && (s.p[i] == '/' || s.p[i] == '\\')) i++;
    return authority(j, sharc_span_from(s, i));
}

/* --- relative references --------------------------------------------------- */

/* Everything of base before its path; the scheme has not been written. */
static void copy_authority(struct job *j)
{
    const struct sharc_url *base = j->base;
    size_t end = base->host_kind == SHARC_HOST_NONE ? base->scheme_end + 1u : base->path_start;
    j->b.n = 0;
    build_put(&j->b, sharc_span(base->p, end));
    j->u.scheme_end = base->scheme_end;
    j->u.user_end = base->user_end;
    j->u.host_start = base->host_start;
    j->u.host_end = base->host_end;
    j->u.host_kind = base->host_kind;
    j->u.has_port = base->has_port;
    j->u.port = base->port;
    begin_path(j);
}

static void copy_path(struct job *j)
{
    build_put(&j->b, sharc_url_path(j->base));
}

/* An empty reference keeps the base's query unless it brings its own. */
static void inherit_query(struct job *j)
{
    if (!j->rest.n && !j->query.p) {
        j->query = sharc_url_query(j->base);
        j->charset = NULL; /* encoded already; encoding again changes nothing */
    }
}

/* rest holds no query and no fragment, and no scheme but the base's own. */
static bool relative(struct job *j)
{
    struct sharc_span s = j->rest;
    j->u.scheme = j->base->scheme;
    j->special = j->u.scheme != SHARC_SCHEME_OTHER;
    if (s.n >= 2 && is_separator(j, s.p[0]) && is_separator(j, s.p[1])) {
        j->b.n = 0;
        build_put(&j->b, sharc_span(j->base->p, j->base->scheme_end + 1u));
        j->u.scheme_end = j->base->scheme_end;
        return j->special ? authority_after_slashes(j, s) : authority(j, sharc_span_from(s, 2));
    }
    copy_authority(j);
    if (s.n && is_separator(j, s.p[0])) {
        sharc__url_put_path(j, sharc_span_from(s, 1));
        return true;
    }
    copy_path(j);
    if (s.n) {
        shorten_path(j);
        sharc__url_put_path(j, s);
    } else {
        inherit_query(j);
    }
    return true;
}

/* --- file: ----------------------------------------------------------------- */

static bool file_host(struct job *j, struct sharc_span s)
{
    size_t end = 0;
    while (end < s.n && !is_separator(j, s.p[end])) end++;
    struct sharc_span host = sharc_span_sub(s, 0, end);
    build_put(&j->b, SHARC_SPAN("//"));
    no_host(j, SHARC_HOST_EMPTY);
    if (is_drive(host)) {
        absolute_path(j, s);
        return true;
    }
    if (host.n) {
        enum sharc_host_kind kind;
        const char *wrong = sharc__url_put_host(&j->b, host, /* special= */ true, &kind);
        if (wrong) return fail(j, wrong);
        if (sharc_span_is(sharc_span(j->b.p + j->u.host_start, j->b.n - j->u.host_start), "localhost")) {
            j->b.n = j->u.host_start;
        } else {
            j->u.host_kind = (uint8_t)kind;
            j->u.host_end = (uint16_t)j->b.n;
        }
    }
    absolute_path(j, sharc_span_from(s, end));
    return true;
}

/* The scheme and its colon stand in the buffer. */
static bool file_reference(struct job *j)
{
    struct sharc_span s = j->rest;
    const struct sharc_url *base = j->base && j->base->scheme == SHARC_SCHEME_FILE ? j->base : NULL;
    j->u.scheme = SHARC_SCHEME_FILE;
    j->special = true;
    if (s.n >= 2 && is_separator(j, s.p[0]) && is_separator(j, s.p[1])) return file_host(j, sharc_span_from(s, 2));
    if (!base) {
        build_put(&j->b, SHARC_SPAN("//"));
        no_host(j, SHARC_HOST_EMPTY);
        absolute_path(j, s);
        return true;
    }
    copy_authority(j);
    if (s.n && is_separator(j, s.p[0])) {
        s = sharc_span_from(s, 1);
        if (!starts_with_drive(s) && path_has_drive(sharc_url_path(base)))
            build_put(&j->b, sharc_span_sub(sharc_url_path(base), 0, 3));
        sharc__url_put_path(j, s);
    } else if (s.n) {
        if (!starts_with_drive(s)) {
            copy_path(j);
            shorten_path(j);
        }
        sharc__url_put_path(j, s);
    } else {
        copy_path(j);
        inherit_query(j);
    }
    return true;
}

/* --- the whole ------------------------------------------------------------- */

/* mailto:x. A space before '?' or '#' is encoded, or it could be lost when the
 * rest is taken off. */
static void opaque_path(struct job *j)
{
    struct sharc_span s = j->rest;
    no_host(j, SHARC_HOST_NONE);
    begin_path(j);
    j->u.opaque_path = true;
    bool space = s.n && s.p[s.n - 1] == ' ' && (j->query.p || j->fragment.p);
    if (space) s.n--;
    sharc__url_put_encoded(&j->b, s, SET_C0);
    if (space) build_put(&j->b, SHARC_SPAN("%20"));
}

static bool without_scheme(struct job *j)
{
    const struct sharc_url *base = j->base;
    if (!base) return fail(j, "it is relative and there is no base to resolve it against");
    if (base->opaque_path) {
        if (j->rest.n || j->query.p || !j->fragment.p) return fail(j, "it is relative and its base has no hierarchy");
        copy_authority(j);
        j->u.scheme = base->scheme;
        j->u.opaque_path = true;
        copy_path(j);
        inherit_query(j);
        return true;
    }
    if (base->scheme != SHARC_SCHEME_FILE) return relative(j);
    build_put(&j->b, SHARC_SPAN("file:"));
    j->u.scheme_end = 4;
    return file_reference(j);
}

/* j->u.scheme is known, "scheme:" is written. */
static bool with_scheme(struct job *j)
{
    struct sharc_span s = j->rest;
    j->special = j->u.scheme != SHARC_SCHEME_OTHER;
    if (j->u.scheme == SHARC_SCHEME_FILE) return file_reference(j);
    if (j->special) {
        bool same = j->base && j->base->scheme == j->u.scheme;
        if (same && !sharc_span_starts(s, SHARC_SPAN("//"))) return relative(j);
        return authority_after_slashes(j, s);
    }
    if (sharc_span_starts(s, SHARC_SPAN("//"))) return authority(j, sharc_span_from(s, 2));
    if (s.n && s.p[0] == '/') {
        no_host(j, SHARC_HOST_NONE);
        absolute_path(j, s);
    } else {
        opaque_path(j);
    }
    return true;
}

/* Length of a scheme at the start of s, 0 when there is none. */
static size_t find_scheme(struct sharc_span s)
{
    if (!s.n || !sharc_is_alpha(s.p[0])) return 0;
    size_t i = 1;
    while (i < s.n && CLASS(s.p[i]) & IN_SCHEME) i++;
    return i < s.n && s.p[i] == ':' ? i : 0;
}

/* Cut off fragment and query, then the scheme; write the latter. */
static bool take_apart(struct job *j, struct sharc_span s)
{
    size_t hash = sharc_span_find(s, '#', 0);
    if (hash != SHARC_NPOS) {
        j->fragment = sharc_span_from(s, hash + 1);
        s.n = hash;
    }
    size_t question = sharc_span_find(s, '?', 0);
    if (question != SHARC_NPOS) {
        j->query = sharc_span_from(s, question + 1);
        s.n = question;
    }
    size_t colon = find_scheme(s);
    j->rest = colon ? sharc_span_from(s, colon + 1) : s;
    if (!colon) return false;
    build_put(&j->b, sharc_span_sub(s, 0, colon + 1));
    sharc__url_lower(j->b.p, colon);
    j->u.scheme_end = (uint16_t)colon;
    j->u.scheme = (uint8_t)sharc__url_scheme_of(sharc_span(j->b.p, colon));
    return true;
}

static void finish(struct job *j)
{
    sharc__url_guard_path(j);
    j->u.query_start = j->u.fragment_start = SHARC_URL_NO;
    if (j->query.p) {
        bool utf8 = !j->special || j->u.scheme == SHARC_SCHEME_WS || j->u.scheme == SHARC_SCHEME_WSS;
        j->u.query_start = (uint16_t)j->b.n;
        build_char(&j->b, '?');
        sharc__url_put_query(&j->b, j->query, j->special ? SET_SPECIAL_QUERY : SET_QUERY, utf8 ? NULL : j->charset);
    }
    if (j->fragment.p) {
        j->u.fragment_start = (uint16_t)j->b.n;
        build_char(&j->b, '#');
        sharc__url_put_encoded(&j->b, j->fragment, SET_FRAGMENT);
    }
}

/* Take the buffer back into u, as a URL or as nothing. */
static void deliver(struct sharc_url *u, struct job *j, bool good)
{
    if (good)
        *u = j->u;
    else
        *u = (struct sharc_url){.query_start = SHARC_URL_NO, .fragment_start = SHARC_URL_NO};
    sharc__url_reserve(&j->b, 0);
    u->p = j->b.p;
    u->room = (uint32_t)j->b.room;
    u->n = good ? (uint16_t)j->b.n : 0;
    u->p[u->n] = 0;
}

int sharc_url_parse_charset(struct sharc_url *u, struct sharc_span input, const struct sharc_url *base,
                            struct sharc_url_charset *charset, struct sharc_err *reterr)
{
    struct job j;
    memset(&j, 0, sizeof j);
    j.b = (struct build){u->p, 0, u->room};
    j.base = base;
    j.charset = charset;
    char scratch[SHARC_LIMIT_URL], shown[SHARC_URL_SHOWN];
    if (input.n > SHARC_LIMIT_URL) {
        deliver(u, &j, false);
        return sharc_fail(reterr, SHARC_ELIMIT, "\"%.60s…\" has %zu bytes, a URL may have %u (SHARC_LIMIT_URL)",
                          sharc_url_shown(input, shown), input.n, SHARC_LIMIT_URL);
    }
    bool good = take_apart(&j, sharc__url_clean(input, scratch)) ? with_scheme(&j) : without_scheme(&j);
    if (good) finish(&j);
    bool fits = j.b.n <= SHARC_LIMIT_URL;
    deliver(u, &j, good && fits);
    if (good && fits) return 0;
    if (!reterr) return good ? SHARC_ELIMIT : SHARC_ESYNTAX; /* extraction asks often and wants no sentence */
    sharc_url_shown(input, shown);
    SHARC_FAIL_IF(!good, reterr, SHARC_ESYNTAX, "\"%s\" is not a URL: %s", shown, j.wrong);
    return sharc_fail(reterr, SHARC_ELIMIT, "\"%s\" has %zu bytes once encoded, a URL may have %u (SHARC_LIMIT_URL)",
                      shown, j.b.n, SHARC_LIMIT_URL);
}

int sharc_url_parse(struct sharc_url *u, struct sharc_span input, const struct sharc_url *base,
                    struct sharc_err *reterr)
{
    return sharc_url_parse_charset(u, input, base, NULL, reterr);
}
