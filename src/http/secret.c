/* SPDX-License-Identifier: Apache-2.0
 *
 * Header fields that belong to a site, and what a request gets of all secrets.
 */
#include "secret_int.h"

#include <stdlib.h>

enum { ARENA_BYTES = 128 << 20 };

struct sharc_secrets *sharc_secrets_new(void)
{
    struct sharc_secrets *s = SHARC_NEW(struct sharc_secrets);
    sharc_arena_init(&s->arena, ARENA_BYTES);
    return s;
}

void sharc_secrets_free(struct sharc_secrets *s)
{
    if (!s) return;
    sharc_arena_done(&s->arena);
    free(s->cookies);
    free(s->homes);
    free(s);
}

void sharc_secrets_freep(struct sharc_secrets **s)
{
    sharc_secrets_free(*s);
    *s = NULL;
}

bool sharc__http_is_under(struct sharc_span host, struct sharc_span domain)
{
    if (!sharc_span_ends(host, domain)) return false;
    return host.n == domain.n || host.p[host.n - domain.n - 1] == '.';
}

struct sharc_span sharc__http_secret_host(struct sharc_secrets *s, struct sharc_span text, bool *ret_registered)
{
    struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf url = SHARC_BUF_INIT(1024);
    struct sharc_span host = SHARC_SPAN_NONE;
    sharc_buf_printf(&url, "http://%.*s/", SHARC_SPAN_ARG(sharc_span_sub(text, 0, 512)));
    if (text.n <= 512 && sharc_url_parse(&u, sharc_buf_span(&url), NULL, NULL) == 0 && !sharc_url_user(&u).p &&
        !u.has_port && sharc_span_is(sharc_url_target(&u), "/")) {
        *ret_registered = sharc_url_registered_domain(&u, NULL).n > 0;
        host = sharc_arena_copy(&s->arena, sharc_url_host(&u));
    }
    sharc_url_done(&u);
    return host;
}

/* --- header fields ------------------------------------------------------- */

static bool is_one_of(struct sharc_span name, const char *const *names)
{
    for (; *names; names++)
        if (sharc_span_ieq(name, sharc_span_of(*names))) return true;
    return false;
}

/* Part of how sharc speaks HTTP, asks whether a page has changed, or finds its proxy. */
static bool is_ours(struct sharc_span name)
{
    static const char *const names[] = {"Host",
                                        "Connection",
                                        "Content-Length",
                                        "Transfer-Encoding",
                                        "TE",
                                        "Trailer",
                                        "Upgrade",
                                        "Expect",
                                        "Range",
                                        "If-Modified-Since",
                                        "If-None-Match",
                                        "If-Match",
                                        "If-Range",
                                        "If-Unmodified-Since",
                                        "Keep-Alive",
                                        NULL};
    return is_one_of(name, names) || sharc_span_istarts(name, SHARC_SPAN("Proxy-"));
}

/* Every browser sends these; they say nothing about who is asking for what. */
static bool is_harmless(struct sharc_span name)
{
    static const char *const names[] = {"Accept",
                                        "Accept-Charset",
                                        "Accept-Encoding",
                                        "Accept-Language",
                                        "Cache-Control",
                                        "DNT",
                                        "From",
                                        "Pragma",
                                        "Referer",
                                        "Save-Data",
                                        "Sec-GPC",
                                        "Upgrade-Insecure-Requests",
                                        "User-Agent",
                                        NULL};
    return is_one_of(name, names);
}

static bool is_name(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_alnum(s.p[i]) && !memchr("!#$%&'*+-.^_`|~", s.p[i], 15)) return false;
    return s.n > 0;
}

static bool is_value(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t') || s.p[i] == 0x7f) return false;
    return true;
}

/* Bytes of a SITE in front of '='; 0 when there is none. A field's name holds no '=', but its value
 * may; the colon behind the name has a blank behind it, or what follows is no port. */
static size_t site_length(struct sharc_span text)
{
    size_t eq = sharc_span_find(text, '=', 0), colon = sharc_span_find(text, ':', 0);
    if (eq == SHARC_NPOS || eq == 0 || colon == SHARC_NPOS) return 0;
    if (colon > eq) return eq;
    struct sharc_span site = sharc_span_sub(text, 0, eq);
    if (sharc_span_search(site, SHARC_SPAN("://")) == colon || site.p[0] == '[') return eq;
    for (size_t i = colon + 1; i < eq; i++)
        if (!sharc_is_digit(text.p[i])) return 0;
    return colon + 1 < eq ? eq : 0;
}

static bool read_site(struct sharc_secrets *s, struct sharc_span text, struct site_rule *ret)
{
    struct sharc_url u = SHARC_URL_INIT;
    bool with_scheme = sharc_span_search(text, SHARC_SPAN("://")) != SHARC_NPOS;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf url = SHARC_BUF_INIT(1024);
    *ret = (struct site_rule){.subdomains = text.n > 1 && text.p[0] == '.'};
    if (ret->subdomains) text = sharc_span_from(text, 1);
    if (text.n > 512) return false;
    sharc_buf_printf(&url, "%s%.*s", with_scheme ? "" : "http://", SHARC_SPAN_ARG(text));
    bool good = sharc_url_parse(&u, sharc_buf_span(&url), NULL, NULL) == 0 && sharc_url_is_http(&u) &&
                !sharc_url_user(&u).p && sharc_span_is(sharc_url_target(&u), "/") && !sharc_url_fragment(&u).p;
    if (good && ret->subdomains && !sharc_url_registered_domain(&u, NULL).n) good = false; /* .org is nobody's */
    if (good) {
        size_t colon = sharc_span_find(text, ':', 0);
        bool port_80 = !with_scheme && text.p[0] != '[' && colon != SHARC_NPOS;
        ret->host = sharc_arena_copy(&s->arena, sharc_url_host(&u));
        ret->scheme = with_scheme ? u.scheme : SHARC_SCHEME_OTHER;
        ret->port = u.has_port || port_80 ? sharc_url_port(&u) : 0;
    }
    sharc_url_done(&u);
    return good && ret->host.p;
}

int sharc_secrets_add_header(struct sharc_secrets *s, struct sharc_span text, struct sharc_err *reterr)
{
    struct header h = {0};
    size_t site = site_length(text);
    SHARC_FAIL_IF(site > 0 && !read_site(s, sharc_span_sub(text, 0, site), &h.site), reterr, SHARC_ESYNTAX,
                  "\"%.*s\" in front of the header names no site; write HOST, HOST:PORT, .DOMAIN or https://HOST",
                  (int)(site < 100 ? site : 100), text.p);
    if (site > 0) text = sharc_span_from(text, site + 1);
    size_t colon = sharc_span_find(text, ':', 0);
    struct sharc_span name = sharc_span_sub(text, 0, colon == SHARC_NPOS ? 0 : colon);
    struct sharc_span value = sharc_span_trim(sharc_span_from(text, name.n + 1));
    SHARC_FAIL_IF(!is_name(name) || !is_value(value), reterr, SHARC_ESYNTAX,
                  "write a header as \"Name: value\" or \"SITE=Name: value\", without line breaks");
    SHARC_FAIL_IF(is_ours(name), reterr, SHARC_ESYNTAX, "the header %.*s is sharc's own to set", SHARC_SPAN_ARG(name));
    SHARC_FAIL_IF(s->headers_count >= SHARC_SECRET_HEADERS, reterr, SHARC_ELIMIT, "more than %u headers are given",
                  SHARC_SECRET_HEADERS);
    h.name = sharc_arena_copy(&s->arena, name);
    h.value = sharc_arena_copy(&s->arena, value);
    SHARC_FAIL_IF(!h.name.p || !h.value.p || value.n > SHARC_SECRET_COOKIE_BYTES, reterr, SHARC_ELIMIT,
                  "the header %.*s is too long", SHARC_SPAN_ARG(name));
    s->headers[s->headers_count++] = h;
    return 0;
}

static bool is_home(const struct site_rule *home, const struct sharc_url *url)
{
    if (!sharc_span_eq(home->host, sharc_url_host(url))) return false;
    if (home->scheme == (int)url->scheme && home->port == sharc_url_port(url)) return true;
    return home->scheme == SHARC_SCHEME_HTTP && home->port == 80 && url->scheme == SHARC_SCHEME_HTTPS &&
           sharc_url_port(url) == 443;
}

static bool is_any_home(const struct sharc_secrets *s, const struct sharc_url *url)
{
    for (size_t i = 0; i < s->homes_count; i++)
        if (is_home(&s->homes[i], url)) return true;
    return false;
}

void sharc_secrets_add_home(struct sharc_secrets *s, const struct sharc_url *url)
{
    if (!sharc_url_is_http(url) || is_any_home(s, url)) return;
    struct sharc_span host = sharc_arena_copy(&s->arena, sharc_url_host(url));
    if (!host.p) return;
    SHARC_GROW(s->homes, s->homes_room, s->homes_count + 1);
    s->homes[s->homes_count++] = (struct site_rule){.host = host, .scheme = url->scheme, .port = sharc_url_port(url)};
}

static bool is_at(const struct sharc_secrets *s, const struct site_rule *site, const struct sharc_url *url)
{
    struct sharc_span host = sharc_url_host(url);
    if (!site->host.p) return is_any_home(s, url);
    if (site->scheme != SHARC_SCHEME_OTHER && site->scheme != (int)url->scheme) return false;
    if (site->port ? site->port != sharc_url_port(url) : url->has_port) return false;
    return site->subdomains ? sharc__http_is_under(host, site->host) : sharc_span_eq(host, site->host);
}

/* --- a request ----------------------------------------------------------- */

void sharc_secret_fields_done(struct sharc_secret_fields *f)
{
    sharc_buf_done(&f->cookie_);
}

int sharc_secrets_for(const struct sharc_secrets *s, const struct sharc_url *url, sharc_time now,
                      struct sharc_secret_fields *ret, struct sharc_err *reterr)
{
    static const struct sharc_span cookie = SHARC_SPAN("Cookie");
    ret->count = 0;
    sharc_buf_done(&ret->cookie_);
    sharc_buf_init(&ret->cookie_, SHARC_SECRET_COOKIE_BYTES);
    for (size_t i = 0; i < s->headers_count; i++) {
        const struct header *h = &s->headers[i];
        if (!is_at(s, &h->site, url)) continue;
        if (!sharc_span_ieq(h->name, cookie)) {
            ret->fields[ret->count++] = (struct sharc_http_field){h->name, h->value};
            continue;
        }
        if (ret->cookie_.n > 0) sharc_buf_put_str(&ret->cookie_, "; ");
        sharc_buf_put(&ret->cookie_, h->value);
    }
    int r = sharc__http_put_cookies(s, url, now, &ret->cookie_, reterr);
    if (r < 0) return r;
    if (ret->cookie_.n > 0)
        ret->fields[ret->count++] = (struct sharc_http_field){cookie, sharc_buf_span(&ret->cookie_)};
    return 0;
}

bool sharc_secrets_withhold(const struct sharc_secrets *s, struct sharc_span name)
{
    static const char *const always[] = {"Authorization", "Cookie", "Proxy-Authorization", NULL};
    if (is_one_of(name, always)) return true;
    for (size_t i = 0; s && i < s->headers_count; i++)
        if (sharc_span_ieq(name, s->headers[i].name)) return !is_harmless(name);
    return false;
}

void sharc_secrets_redact(const struct sharc_secrets *s, struct sharc_buf *head)
{
    for (size_t at = 0; at < head->n;) {
        struct sharc_span all = sharc_buf_span(head);
        size_t end = sharc_span_find(all, '\n', at), colon = sharc_span_find(all, ':', at);
        if (end == SHARC_NPOS) end = head->n;
        if (colon < end && sharc_secrets_withhold(s, sharc_span_sub(all, at, colon))) {
            size_t stop = end > colon + 1 && head->p[end - 1] == '\r' ? end - 1 : end;
            static const struct sharc_span instead = SHARC_SPAN(" " SHARC_SECRET_WITHHELD);
            if (sharc_buf_splice(head, colon + 1, stop - colon - 1, instead) < 0) sharc_buf_clear(head);
            end = end - stop + colon + 1 + instead.n;
        }
        at = end + 1;
    }
}
