/* SPDX-License-Identifier: Apache-2.0
 *
 * Cookies from a file, by the rules of RFC 6265, section 5. Nothing is learnt
 * from answers: Set-Cookie is archived and not obeyed.
 */
#include "secret_int.h"

#include "sharc/base_file.h"
#include "sharc/base_order.h"

#include <stdlib.h>

enum { COLUMNS = 7 };
enum column { DOMAIN, SUBDOMAINS, PATH, SECURE, EXPIRES, NAME, VALUE };

/* --- reading ------------------------------------------------------------- */

/* Where in a file we are. */
struct place {
    const char *name;
    unsigned line;
};

static int wrong(const struct place *at, const char *why, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_ESYNTAX,
                      "%s: line %u: %s; expected a cookie file in Netscape format (\"cookies.txt\")", at->name,
                      at->line, why);
}

/* Seven columns between tabs; an empty value at the end may be missing with its tab. */
static bool split(struct sharc_span line, struct sharc_span columns[COLUMNS])
{
    size_t n = 0;
    struct sharc_span column;
    while (sharc_span_next(&line, '\t', &column)) {
        if (n == COLUMNS) return false;
        columns[n++] = column;
    }
    if (n == COLUMNS - 1) columns[n++] = SHARC_SPAN("");
    return n == COLUMNS;
}

static bool read_bool(struct sharc_span s, bool *ret)
{
    *ret = sharc_span_ieq(s, SHARC_SPAN("TRUE"));
    return *ret || sharc_span_ieq(s, SHARC_SPAN("FALSE"));
}

/* Seconds since 1970; nothing, 0 and less: with the browser's session, which ends when we do. */
static bool read_expiry(struct sharc_span s, sharc_time *ret)
{
    double seconds = 0;
    if (s.n > 0 && sharc_span_to_double(s, &seconds) < 0) return false;
    *ret = !(seconds > 0) || seconds > 4e9 ? SHARC_TIME_NONE : (sharc_time)(seconds * (double)SHARC_SEC);
    return true;
}

static bool is_plain(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f || s.p[i] == ';') return false;
    return true;
}

static int take_columns(struct sharc_secrets *s, const struct sharc_span columns[COLUMNS], const struct place *at,
                        struct cookie *ret, struct sharc_err *reterr)
{
    struct sharc_span domain = columns[DOMAIN], path = columns[PATH];
    bool registered;
    struct cookie c = {.order = s->cookies_count};
    if (domain.n > 0 && domain.p[0] == '.') domain = sharc_span_from(domain, 1);
    if (!read_bool(columns[SUBDOMAINS], &c.subdomains))
        return wrong(at, "its second field is not TRUE or FALSE", reterr);
    if (!read_bool(columns[SECURE], &c.secure)) return wrong(at, "its fourth field is not TRUE or FALSE", reterr);
    if (!read_expiry(columns[EXPIRES], &c.expires)) return wrong(at, "its fifth field is not a time", reterr);
    if (!is_plain(columns[NAME]) || !is_plain(columns[VALUE]) || sharc_span_find(columns[NAME], '=', 0) != SHARC_NPOS)
        return wrong(at, "its name or value holds a character that no cookie may hold", reterr);
    c.domain = sharc__http_secret_host(s, domain, &registered);
    if (!c.domain.n) return wrong(at, "its first field is not a domain", reterr);
    c.subdomains &= registered; /* nobody's cookie is for all of .org */
    c.path = sharc_arena_copy(&s->arena, path.n > 0 && path.p[0] == '/' ? path : SHARC_SPAN("/"));
    c.name = sharc_arena_copy(&s->arena, columns[NAME]);
    c.value = sharc_arena_copy(&s->arena, columns[VALUE]);
    if (!c.path.p || !c.name.p || !c.value.p || s->cookies_count >= SHARC_SECRET_COOKIES)
        return sharc_fail(reterr, SHARC_ELIMIT, "%s: more than %u cookies, or larger ones than browsers allow",
                          at->name, SHARC_SECRET_COOKIES);
    *ret = c;
    return 0;
}

static int take_line(struct sharc_secrets *s, struct sharc_span line, const struct place *at, sharc_time now,
                     struct sharc_cookie_count *count, struct sharc_err *reterr)
{
    static const struct sharc_span http_only = SHARC_SPAN("#HttpOnly_");
    struct sharc_span columns[COLUMNS];
    struct cookie c;
    if (line.n > 0 && line.p[line.n - 1] == '\r') line.n--;
    if (sharc_span_istarts(line, http_only))
        line = sharc_span_from(line, http_only.n);
    else if (sharc_span_trim(line).n == 0 || line.p[0] == '#')
        return 0;
    if (!split(line, columns)) return wrong(at, "it does not have seven fields separated by tabs", reterr);
    int r = take_columns(s, columns, at, &c, reterr);
    if (r < 0) return r;
    if (c.expires != SHARC_TIME_NONE && c.expires <= now) {
        count->expired++;
        return 0;
    }
    SHARC_GROW(s->cookies, s->cookies_room, s->cookies_count + 1);
    s->cookies[s->cookies_count++] = c;
    count->taken++;
    return 0;
}

/* --- the sorted list ----------------------------------------------------- */

static int compare(struct sharc_span a, struct sharc_span b)
{
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_place(const struct cookie *a, const struct cookie *b)
{
    int order = compare(a->domain, b->domain);
    if (!order) order = compare(a->path, b->path);
    return order ? order : compare(a->name, b->name);
}

static int by_place_and_order(const void *a, const void *b)
{
    const struct cookie *x = a, *y = b;
    int order = by_place(x, y);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static void sort_cookies(struct sharc_secrets *s)
{
    size_t kept = 0;
    if (s->cookies_count == 0) return;
    qsort(s->cookies, s->cookies_count, sizeof *s->cookies, by_place_and_order);
    for (size_t i = 0; i < s->cookies_count; i++) {
        if (i + 1 < s->cookies_count && by_place(&s->cookies[i], &s->cookies[i + 1]) == 0) continue;
        s->cookies[kept++] = s->cookies[i];
    }
    s->cookies_count = kept;
}

int sharc_secrets_add_cookies(struct sharc_secrets *s, struct sharc_span text, const char *name, sharc_time now,
                              struct sharc_cookie_count *ret, struct sharc_err *reterr)
{
    struct place at = {name, 0};
    struct sharc_cookie_count count = {0};
    struct sharc_span line;
    int r = 0;
    if (sharc_span_starts(text, SHARC_SPAN("\xEF\xBB\xBF"))) text = sharc_span_from(text, 3);
    while (r == 0 && sharc_span_next(&text, '\n', &line)) {
        at.line++;
        r = take_line(s, line, &at, now, &count, reterr);
    }
    sort_cookies(s);
    if (r == 0) *ret = count;
    return r;
}

int sharc_secrets_read_cookies(struct sharc_secrets *s, const char *path, sharc_time now,
                               struct sharc_cookie_count *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_SECRET_FILE_BYTES);
    int r = sharc_file_read(path, &text, reterr);
    return r < 0 ? r : sharc_secrets_add_cookies(s, sharc_buf_span(&text), path, now, ret, reterr);
}

/* --- for a request ------------------------------------------------------- */

/* RFC 6265, 5.1.4 */
static bool path_matches(struct sharc_span path, struct sharc_span cookie)
{
    if (!sharc_span_starts(path, cookie)) return false;
    return path.n == cookie.n || cookie.p[cookie.n - 1] == '/' || path.p[cookie.n] == '/';
}

static bool is_for(const struct cookie *c, const struct sharc_url *url, bool exact, sharc_time now)
{
    if (!exact && !c->subdomains) return false;
    if (c->secure && url->scheme != SHARC_SCHEME_HTTPS) return false;
    if (c->expires != SHARC_TIME_NONE && c->expires <= now) return false;
    return path_matches(sharc_url_path(url), c->path);
}

static size_t first_of(const struct sharc_secrets *s, struct sharc_span domain)
{
    return SHARC_COUNT_WHILE(i, s->cookies_count, compare(s->cookies[i].domain, domain) < 0);
}

/* RFC 6265, 5.4: longer paths first, then those that were there earlier. */
static int by_path_length(const void *a, const void *b)
{
    const struct cookie *x = *(const struct cookie *const *)a, *y = *(const struct cookie *const *)b;
    if (x->path.n != y->path.n) return x->path.n > y->path.n ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

struct matches {
    const struct cookie **list;
    size_t count, room;
};

static void find_matches(const struct sharc_secrets *s, const struct sharc_url *url, sharc_time now, struct matches *m)
{
    struct sharc_span host = sharc_url_host(url), domain = host;
    if (domain.n > 0 && domain.p[domain.n - 1] == '.') domain.n--, host.n--;
    for (;;) {
        for (size_t i = first_of(s, domain); i < s->cookies_count; i++) {
            if (!sharc_span_eq(s->cookies[i].domain, domain)) break;
            if (!is_for(&s->cookies[i], url, domain.n == host.n, now)) continue;
            SHARC_GROW(m->list, m->room, m->count + 1);
            m->list[m->count++] = &s->cookies[i];
        }
        size_t dot = sharc_span_find(domain, '.', 0);
        if (dot == SHARC_NPOS || url->host_kind != SHARC_HOST_DOMAIN) return;
        domain = sharc_span_from(domain, dot + 1);
    }
}

int sharc__http_put_cookies(const struct sharc_secrets *s, const struct sharc_url *url, sharc_time now,
                            struct sharc_buf *out, struct sharc_err *reterr)
{
    struct matches m = {0};
    char shown[SHARC_URL_SHOWN];
    if (s->cookies_count > 0) find_matches(s, url, now, &m);
    if (m.count > 0) qsort(m.list, m.count, sizeof *m.list, by_path_length);
    for (size_t i = 0; i < m.count; i++) {
        if (out->n > 0) sharc_buf_put_str(out, "; ");
        sharc_buf_put(out, m.list[i]->name);
        if (m.list[i]->name.n > 0) sharc_buf_put_char(out, '=');
        sharc_buf_put(out, m.list[i]->value);
    }
    free(m.list);
    SHARC_FAIL_IF(out->failed, reterr, SHARC_ELIMIT, "%s: the cookies for it are more than %u bytes",
                  sharc_url_shown(sharc_url_page(url), shown), SHARC_SECRET_COOKIE_BYTES);
    return 0;
}
