/* SPDX-License-Identifier: Apache-2.0
 *
 * The last resort for a URL that was never captured: a capture of one that differs only in what changes with every
 * request (numbers against caches, marks of campaigns), or of the same file with another query. Whoever shows it
 * must say so. Captures that sent something are matched with their bodies, as ever.
 */
#include "find.h"

#include "sharc/base_limits.h"
#include "sharc/url_canon.h"

enum { MOST_CANDIDATES = 100 };

/* --- parameters that say nothing ------------------------------------------------------------- */

static bool all_digits(struct sharc_span s, size_t least, size_t most)
{
    if (s.n < least || s.n > most) return false;
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_digit(s.p[i])) return false;
    return true;
}

/* "jquery1234_5678", "jsonp3", "jsonp_3": made by a library for one request. */
static bool is_callback(struct sharc_span value)
{
    size_t n = sharc_span_starts(value, SHARC_SPAN("jquery"))  ? 6
               : sharc_span_starts(value, SHARC_SPAN("jsonp")) ? 5
                                                               : 0;
    if (!n || value.n == n) return false;
    for (size_t i = n; i < value.n; i++)
        if (!sharc_is_digit(value.p[i]) && value.p[i] != '_') return false;
    return true;
}

/* Keys are in lower case. */
static bool is_idle(struct sharc_span parameter)
{
    static const char *const counters[] = {"_", "cb", "uncache"}, *const marks[] = {"fbclid", "gclid"};
    size_t eq = sharc_span_find(parameter, '=', 0);
    struct sharc_span name = sharc_span_sub(parameter, 0, eq == SHARC_NPOS ? parameter.n : eq);
    struct sharc_span value = eq == SHARC_NPOS ? SHARC_SPAN("") : sharc_span_from(parameter, eq + 1);
    for (size_t i = 0; i < SHARC_LENGTH(counters); i++)
        if (sharc_span_is(name, counters[i]) && all_digits(value, 1, SIZE_MAX)) return true;
    for (size_t i = 0; i < SHARC_LENGTH(marks); i++)
        if (sharc_span_is(name, marks[i])) return true;
    bool clock = sharc_span_search(name, SHARC_SPAN("ts")) != SHARC_NPOS ||
                 sharc_span_search(name, SHARC_SPAN("bust")) != SHARC_NPOS;
    return sharc_span_starts(name, SHARC_SPAN("utm_")) || is_callback(value) || (clock && all_digits(value, 13, 16));
}

static size_t query_at(struct sharc_span key)
{
    size_t at = sharc_span_find(key, '?', 0);
    return at == SHARC_NPOS ? key.n : at;
}

/* The key without such parameters. */
static void reduce(struct sharc_span key, struct sharc_buf *out)
{
    size_t at = query_at(key);
    struct sharc_span rest = at < key.n ? sharc_span_from(key, at + 1) : SHARC_SPAN(""), one;
    char mark = '?';
    sharc_buf_clear(out);
    sharc_buf_put(out, sharc_span_sub(key, 0, at));
    while (rest.n && rest.n != SHARC_NPOS && sharc_span_next(&rest, '&', &one)) {
        if (is_idle(one)) continue;
        sharc_buf_put_char(out, mark);
        sharc_buf_put(out, one);
        mark = '&';
    }
}

/* Does the path name a file whose query is hardly ever more than a version? */
static bool is_plain_file(struct sharc_span key)
{
    static const char *const programs[] = {"asp", "aspx", "jsp", "php", "pl", "exe", "dll", "cgi", "do", "html", "htm"};
    struct sharc_span path = sharc_span_sub(key, 0, query_at(key));
    size_t dot = path.n;
    while (dot > 0 && path.p[dot - 1] != '.' && path.p[dot - 1] != '/') dot--;
    if (!dot || path.p[dot - 1] != '.' || path.n == dot || path.n - dot > 5) return false;
    struct sharc_span extension = sharc_span_from(path, dot);
    for (size_t i = 0; i < extension.n; i++)
        if (!sharc_is_alnum(extension.p[i])) return false;
    for (size_t i = 0; i < SHARC_LENGTH(programs); i++)
        if (sharc_span_is(extension, programs[i])) return false;
    return true;
}

/* --- candidates ---------------------------------------------------------------------------------- */

struct search {
    const struct sharc_edition *edition;
    const struct sharc_wish *wish;
    struct sharc_span key;
    struct sharc_buf reduced, other;
    sharc_time at; /* SHARC_TIME_NONE: the newest */
    bool any_query;
    unsigned left;
    struct serve_effort effort;
    int rank; /* of what was found: 2 the same but for idle parameters, 1 the same file, 0 nothing */
    sharc_time distance;
    struct sharc_found *found;
};

static bool sends(struct sharc_span key)
{
    return sharc_span_search(key, SHARC_SPAN("__wb_method=")) != SHARC_NPOS;
}

static int rank_of(struct search *s, struct sharc_span key)
{
    reduce(key, &s->other);
    if (sharc_span_eq(sharc_buf_span(&s->reduced), sharc_buf_span(&s->other))) return 2;
    bool same_file = sharc_span_eq(sharc_span_sub(key, 0, query_at(key)), sharc_span_sub(s->key, 0, query_at(s->key)));
    return s->any_query && same_file && !sends(key) ? 1 : 0;
}

static void consider(struct search *s, const struct serve_source *source, const struct sharc_cdx *line)
{
    sharc_time t, distance;
    int rank = rank_of(s, line->field[SHARC_CDX_KEY]);
    if (!rank || rank < s->rank || sharc_time_parse(line->field[SHARC_CDX_TIMESTAMP], &t, NULL) < 0) return;
    if (s->wish->mapping == SHARC_LATEST && s->at != SHARC_TIME_NONE && t > s->at) return;
    if (s->at == SHARC_TIME_NONE)
        distance = INT64_MAX - t;
    else
        distance = t > s->at ? t - s->at : s->at - t;
    if (rank == s->rank && distance >= s->distance) return;
    struct sharc_found *f = NULL;
    if (sharc__serve_try(s->edition, source, line, &s->effort, &f, NULL) < 0) return;
    sharc_found_free(s->found);
    s->found = f;
    s->rank = rank;
    s->distance = distance;
}

static void look(struct search *s, struct sharc_span url, enum sharc_cdx_match match)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = NULL;
    const struct sharc_cdx_query q = {.url = url, .match = match};
    struct sharc_cdx line;
    if (sharc_captures_ask(s->edition, &q, &c, NULL) < 0) return;
    for (; s->left && sharc_captures_next(c, &line, NULL) > 0; s->left--)
        consider(s, sharc__serve_captures_source(c), &line);
}

int sharc__serve_find_similar(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_found **ret)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf sent = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf key = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf prefix = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
    struct search s = {.edition = e, .wish = w, .at = SHARC_TIME_NONE, .left = MOST_CANDIDATES};
    struct sharc_span url = w->url;
    if (w->mapping == SHARC_COHERENT) return SHARC_ENOENT; /* what existed then is not what was similar */
    if (w->method.n && sharc_cdx_sent_url(w->url, w->method, w->content_type, w->body, &sent, NULL) == 0)
        url = sharc_buf_span(&sent);
    if (sharc_url_key(url, &key, NULL) < 0) return SHARC_ENOENT;
    if (w->timestamp.n && sharc_time_parse(w->timestamp, &s.at, NULL) < 0) return SHARC_ENOENT;
    s.key = sharc_buf_span(&key);
    s.effort = sharc__serve_effort();
    s.any_query = !w->method.n && is_plain_file(s.key);
    sharc_buf_init(&s.reduced, 4 * SHARC_LIMIT_URL);
    sharc_buf_init(&s.other, 4 * SHARC_LIMIT_URL);
    reduce(s.key, &s.reduced);
    struct sharc_span path = sharc_span_sub(w->url, 0, query_at(w->url));
    sharc_buf_put(&prefix, path);
    if (!w->method.n) look(&s, sharc_buf_span(&prefix), SHARC_CDX_EXACT);
    sharc_buf_put_char(&prefix, '?');
    look(&s, sharc_buf_span(&prefix), SHARC_CDX_PREFIX);
    sharc_buf_done(&s.reduced);
    sharc_buf_done(&s.other);
    if (!s.found) return SHARC_ENOENT;
    s.found->approximate = true;
    *ret = s.found;
    return 0;
}
