/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking the rules. A pattern is literal pieces between stars; each piece is
 * looked for at the earliest place behind the one before, which finds a match
 * whenever there is one and never goes back: linear time, whatever the pattern.
 */
#include "robots_int.h"

enum { PATH_BYTES = 64 << 10 };

/* Does the last piece, which must reach the end, fit behind at? */
static bool ends_behind(struct sharc_span path, size_t at, struct sharc_span piece)
{
    return path.n - at >= piece.n && sharc_span_ends(path, piece);
}

static bool matches(struct sharc_span path, struct sharc_span pattern)
{
    bool anchored = pattern.n > 0 && pattern.p[pattern.n - 1] == '$';
    if (anchored) pattern.n--;
    size_t star = sharc_span_find(pattern, '*', 0);
    struct sharc_span piece = sharc_span_sub(pattern, 0, star);
    if (!sharc_span_starts(path, piece)) return false;
    size_t at = piece.n;
    if (star == SHARC_NPOS) return !anchored || at == path.n;

    while (star != SHARC_NPOS) {
        size_t next = sharc_span_find(pattern, '*', star + 1);
        piece = sharc_span_sub(pattern, star + 1, next);
        if (next == SHARC_NPOS && anchored) return ends_behind(path, at, piece);
        size_t hit = piece.n > 0 ? sharc_span_search(sharc_span_from(path, at), piece) : 0;
        if (hit == SHARC_NPOS) return false;
        at += hit + piece.n;
        star = next;
    }
    return true;
}

/* Path and query of a URL, or of "host/path"; the text from the first '/'
 * behind the host on. An empty one, and "?query" alone, get a '/'. */
static int put_path(struct sharc_span url, struct sharc_buf *out)
{
    size_t hash = sharc_span_find(url, '#', 0);
    url = sharc_span_sub(url, 0, hash);
    if (sharc_span_starts(url, SHARC_SPAN("//"))) {
        url = sharc_span_from(url, 2);
    } else if (url.n == 0 || url.p[0] != '/') {
        size_t scheme = sharc_span_search(url, SHARC_SPAN("://"));
        size_t query = sharc_span_find(url, '?', 0), slash = sharc_span_find(url, '/', 0);
        if (scheme != SHARC_NPOS && scheme < query && scheme < slash) url = sharc_span_from(url, scheme + 3);
    } else {
        return sharc_buf_put(out, url);
    }
    size_t at = 0;
    while (at < url.n && url.p[at] != '/' && url.p[at] != '?') at++;
    if (at == url.n || url.p[at] == '?') sharc_buf_put_char(out, '/');
    return sharc_buf_put(out, sharc_span_from(url, at));
}

static const struct robots_rule *deciding(const struct sharc_robots *r, struct sharc_span strict,
                                          struct sharc_span loose)
{
    const bool same = sharc_span_eq(strict, loose);
    for (size_t i = 0; i < r->count; i++) {
        const struct robots_rule *rule = &r->rules[i];
        if (matches(strict, sharc__http_robots_text(r, rule->strict))) return rule;
        if (!rule->allow && (!same || rule->loose.at != rule->strict.at) &&
            matches(loose, sharc__http_robots_text(r, rule->loose)))
            return rule;
    }
    return NULL;
}

bool sharc_robots_allowed(const struct sharc_robots *r, struct sharc_span url, struct sharc_robots_rule *ret_rule)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf path = SHARC_BUF_INIT(PATH_BYTES);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf strict = SHARC_BUF_INIT(3 * PATH_BYTES);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf loose = SHARC_BUF_INIT(3 * PATH_BYTES);
    if (ret_rule) *ret_rule = (struct sharc_robots_rule){.allow = true};
    if (put_path(url, &path) < 0) return false; /* no such URL can be fetched anyway */
    if (sharc_span_is(sharc_buf_span(&path), "/robots.txt")) return true;
    if (r->fixed) {
        if (ret_rule) ret_rule->allow = r->fixed_allowed;
        return r->fixed_allowed;
    }
    sharc__http_robots_normal(sharc_buf_span(&path), ROBOTS_URL, &strict);
    sharc__http_robots_normal(sharc_buf_span(&path), ROBOTS_URL | ROBOTS_LOOSE, &loose);
    const struct robots_rule *rule = deciding(r, sharc_buf_span(&strict), sharc_buf_span(&loose));
    if (!rule) return true;
    if (ret_rule)
        *ret_rule = (struct sharc_robots_rule){rule->allow, rule->line, sharc__http_robots_text(r, rule->value)};
    return rule->allow;
}
