/* SPDX-License-Identifier: Apache-2.0
 *
 * The standard's setters. Each one changes a draft, a list of the URL's parts,
 * and the URL is written anew from it; that is simpler than patching offsets
 * and no crawl sets parts often enough to notice.
 */
#include "url_int.h"

#include <stdlib.h>

struct draft {
    const struct sharc_url *u; /* as it was */
    enum sharc_scheme scheme;
    struct sharc_span scheme_text, user, password, host, path, query, fragment; /* written already */
    enum sharc_host_kind host_kind;
    bool has_port, raw_path; /* raw_path: path is still to be parsed */
    bool remove;             /* the value was empty before tabs were dropped from it */
    unsigned port;
    struct build text; /* memory of the new part */
};

static void draft_init(struct draft *d, const struct sharc_url *u)
{
    *d = (struct draft){
        .u = u,
        .scheme = u->scheme,
        .scheme_text = sharc_url_scheme(u),
        .user = sharc_url_user(u),
        .password = sharc_url_password(u),
        .host = sharc_url_host(u),
        .path = sharc_url_path(u),
        .query = sharc_url_query(u),
        .fragment = sharc_url_fragment(u),
        .host_kind = u->host_kind,
        .has_port = u->has_port,
        .port = u->port,
    };
}

static void write_authority(struct job *j, const struct draft *d)
{
    if (d->host_kind != SHARC_HOST_NONE) build_put(&j->b, SHARC_SPAN("//"));
    j->u.user_end = (uint16_t)j->b.n;
    if (d->user.n || d->password.n) {
        build_put(&j->b, d->user);
        j->u.user_end = (uint16_t)j->b.n;
        if (d->password.n) {
            build_char(&j->b, ':');
            build_put(&j->b, d->password);
        }
        build_char(&j->b, '@');
    }
    j->u.host_kind = (uint8_t)d->host_kind;
    j->u.host_start = (uint16_t)j->b.n;
    build_put(&j->b, d->host);
    j->u.host_end = (uint16_t)j->b.n;
    if (d->has_port) sharc__url_put_port(j, d->port);
}

static void write_path(struct job *j, const struct draft *d)
{
    j->u.path_start = (uint16_t)j->b.n;
    j->u.opaque_path = d->u->opaque_path;
    struct sharc_span path = d->path;
    if (!d->raw_path) {
        build_put(&j->b, path);
    } else if (path.n || j->special || d->host_kind == SHARC_HOST_NONE) {
        bool slash = path.n && (path.p[0] == '/' || (j->special && path.p[0] == '\\'));
        sharc__url_put_path(j, sharc_span_from(path, slash));
    }
    sharc__url_guard_path(j);
}

static void write_rest(struct job *j, const struct draft *d)
{
    j->u.query_start = j->u.fragment_start = SHARC_URL_NO;
    if (d->query.p) {
        j->u.query_start = (uint16_t)j->b.n;
        build_char(&j->b, '?');
        build_put(&j->b, d->query);
    }
    if (d->fragment.p) {
        j->u.fragment_start = (uint16_t)j->b.n;
        build_char(&j->b, '#');
        build_put(&j->b, d->fragment);
    }
}

static int draft_write(const struct draft *d, struct sharc_url *u, struct sharc_err *reterr)
{
    struct job j;
    memset(&j, 0, sizeof j);
    j.u.scheme = (uint8_t)d->scheme;
    j.special = d->scheme != SHARC_SCHEME_OTHER;
    build_put(&j.b, d->scheme_text);
    j.u.scheme_end = (uint16_t)j.b.n;
    build_char(&j.b, ':');
    write_authority(&j, d);
    write_path(&j, d);
    write_rest(&j, d);
    if (j.b.n > SHARC_LIMIT_URL) {
        free(j.b.p);
        return sharc_fail(reterr, SHARC_ELIMIT, "the URL would have %zu bytes, it may have %u (SHARC_LIMIT_URL)", j.b.n,
                          SHARC_LIMIT_URL);
    }
    build_char(&j.b, 0);
    free(u->p);
    *u = j.u;
    u->p = j.b.p;
    u->n = (uint16_t)(j.b.n - 1);
    u->room = (uint32_t)j.b.room;
    return 0;
}

/* value, encoded by set, in the draft's memory. */
static struct sharc_span encoded(struct draft *d, struct sharc_span value, unsigned set)
{
    sharc__url_reserve(&d->text, 3 * value.n);
    sharc__url_put_encoded(&d->text, value, set);
    return sharc_span(d->text.p, d->text.n);
}

/* Without host there can be neither credentials nor port. */
static bool takes_credentials(const struct draft *d)
{
    return d->host_kind > SHARC_HOST_EMPTY && d->scheme != SHARC_SCHEME_FILE;
}

/* --- one function per part; true when the draft is to be written ------------ */

static bool set_protocol(struct draft *d, struct sharc_span v)
{
    size_t n = 0;
    while (n < v.n && CLASS(v.p[n]) & IN_SCHEME) n++;
    if (!n || !sharc_is_alpha(v.p[0]) || (n < v.n && v.p[n] != ':')) return false;
    build_put(&d->text, sharc_span_sub(v, 0, n));
    sharc__url_lower(d->text.p, n);
    struct sharc_span name = sharc_span(d->text.p, n);
    enum sharc_scheme scheme = sharc__url_scheme_of(name);
    if ((scheme == SHARC_SCHEME_OTHER) != (d->scheme == SHARC_SCHEME_OTHER)) return false;
    if (scheme == SHARC_SCHEME_FILE && (d->user.n || d->password.n || d->has_port)) return false;
    if (d->scheme == SHARC_SCHEME_FILE && d->host_kind == SHARC_HOST_EMPTY) return false;
    d->scheme = scheme;
    d->scheme_text = name;
    return true;
}

/* Leading digits; a number that is too large changes nothing. */
static bool set_port_digits(struct draft *d, struct sharc_span v)
{
    unsigned port = 0;
    size_t n = 0;
    for (; n < v.n && sharc_is_digit(v.p[n]); n++) {
        port = port * 10 + (unsigned)(v.p[n] - '0');
        if (port > 65535) return false;
    }
    if (!n) return false;
    unsigned own = sharc__url_default_port(d->scheme);
    d->has_port = !own || port != own;
    d->port = port;
    return true;
}

static bool set_port(struct draft *d, struct sharc_span v)
{
    if (!takes_credentials(d)) return false;
    if (!d->remove) return set_port_digits(d, v);
    d->has_port = false;
    return true;
}

/* End of the host in v: at a separator, '?', '#', or ':' outside brackets. */
static size_t host_length(const struct draft *d, struct sharc_span v)
{
    bool inside = false, special = d->scheme != SHARC_SCHEME_OTHER, file = d->scheme == SHARC_SCHEME_FILE;
    for (size_t i = 0; i < v.n; i++) {
        char c = v.p[i];
        if (c == '/' || c == '?' || c == '#' || (c == '\\' && special)) return i;
        if (c == ':' && !inside && !file) return i;
        if (c == '[') inside = true;
        if (c == ']') inside = false;
    }
    return v.n;
}

static bool set_host(struct draft *d, struct sharc_span v, bool with_port)
{
    bool special = d->scheme != SHARC_SCHEME_OTHER, file = d->scheme == SHARC_SCHEME_FILE;
    if (d->u->opaque_path) return false;
    size_t n = host_length(d, v);
    bool colon = n < v.n && v.p[n] == ':';
    struct sharc_span host = sharc_span_sub(v, 0, n);
    if (colon && (!n || !with_port)) return false;
    if (!n && ((special && !file) || d->user.n || d->password.n || d->has_port)) return false;
    enum sharc_host_kind kind = SHARC_HOST_EMPTY;
    if (n && sharc__url_put_host(&d->text, host, special, &kind)) return false;
    d->host = sharc_span(n ? d->text.p : "", d->text.n);
    d->host_kind = kind;
    if (file && sharc_span_is(d->host, "localhost")) {
        d->host.n = 0;
        d->host_kind = SHARC_HOST_EMPTY;
    }
    if (colon) set_port_digits(d, sharc_span_from(v, n + 1));
    return true;
}

static bool set_pathname(struct draft *d, struct sharc_span v)
{
    if (d->u->opaque_path) return false;
    d->path = v;
    d->raw_path = true;
    return true;
}

static bool set_credential(struct draft *d, struct sharc_span *part, struct sharc_span v)
{
    if (!takes_credentials(d)) return false;
    *part = encoded(d, v, SET_USERINFO);
    return true;
}

/* Query or fragment: an empty value takes it away, a leading mark is optional. */
static bool set_tail(struct draft *d, struct sharc_span *part, char mark, struct sharc_span v, unsigned set)
{
    *part = SHARC_SPAN_NONE;
    if (d->remove) return true;
    *part = encoded(d, sharc_span_from(v, v.n && v.p[0] == mark), set);
    return true;
}

static bool apply(struct draft *d, enum sharc_url_part part, struct sharc_span v)
{
    bool special = d->scheme != SHARC_SCHEME_OTHER;
    switch (part) {
    case SHARC_URL_PROTOCOL: return set_protocol(d, v);
    case SHARC_URL_USERNAME: return set_credential(d, &d->user, v);
    case SHARC_URL_PASSWORD: return set_credential(d, &d->password, v);
    case SHARC_URL_HOST: return set_host(d, v, /* with_port= */ true);
    case SHARC_URL_HOSTNAME: return set_host(d, v, /* with_port= */ false);
    case SHARC_URL_PORT: return set_port(d, v);
    case SHARC_URL_PATHNAME: return set_pathname(d, v);
    case SHARC_URL_SEARCH: return set_tail(d, &d->query, '?', v, special ? SET_SPECIAL_QUERY : SET_QUERY);
    case SHARC_URL_HASH: return set_tail(d, &d->fragment, '#', v, SET_FRAGMENT);
    case SHARC_URL_HREF: break;
    }
    return false;
}

static int set_href(struct sharc_url *u, struct sharc_span value, struct sharc_err *reterr)
{
    struct sharc_url parsed = SHARC_URL_INIT;
    int r = sharc_url_parse(&parsed, value, NULL, reterr);
    if (r < 0) {
        sharc_url_done(&parsed);
        return r;
    }
    sharc_url_done(u);
    *u = parsed;
    return 0;
}

int sharc_url_set(struct sharc_url *u, enum sharc_url_part part, struct sharc_span value, struct sharc_err *reterr)
{
    char scratch[SHARC_LIMIT_URL];
    SHARC_FAIL_IF(value.n > SHARC_LIMIT_URL, reterr, SHARC_ELIMIT,
                  "a part of %zu bytes is too long, a URL may have %u "
                  "(SHARC_LIMIT_URL)",
                  value.n, SHARC_LIMIT_URL);
    if (part == SHARC_URL_HREF) return set_href(u, value, reterr);
    if (!u->p) return 0;
    struct draft d;
    draft_init(&d, u);
    d.remove = value.n == 0;
    bool credential = part == SHARC_URL_USERNAME || part == SHARC_URL_PASSWORD;
    if (!credential) { /* as the parser does: tabs and line ends vanish, spaces stay */
        size_t n = 0;
        for (size_t i = 0; i < value.n; i++)
            if (!(CLASS(value.p[i]) & BREAK)) scratch[n++] = value.p[i];
        value = sharc_span(scratch, n);
    }
    int r = apply(&d, part, value) ? draft_write(&d, u, reterr) : 0;
    free(d.text.p);
    return r;
}
