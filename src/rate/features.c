/* SPDX-License-Identifier: Apache-2.0
 *
 * Features of a page from its URL and what is known of its content. A URL is
 * only cut here, not understood: room url is above such details, and a
 * feature of a strange URL is still a feature.
 */
#include "model_int.h"
#include "rate_int.h"

const struct sharc_rate_column sharc_rate_columns[SHARC_RATE_OFFLINE] = {
    {"host", SHARC_RATE_WORD},
    {"mime", SHARC_RATE_WORD},
    {"depth", SHARC_RATE_NUMBER},
    {"length", SHARC_RATE_NUMBER},
    {"segment-1", SHARC_RATE_WORD},
    {"segment-2", SHARC_RATE_WORD},
    {"segment-3", SHARC_RATE_WORD},
    {"has-tilde", SHARC_RATE_WORD},
    {"has-underscore", SHARC_RATE_WORD},
    {"has-question-mark", SHARC_RATE_WORD},
    {"has-semicolon", SHARC_RATE_WORD},
    {"has-colon", SHARC_RATE_WORD},
    {"has-comma", SHARC_RATE_WORD},
    {"has-percent", SHARC_RATE_WORD},
    {"days-since-change", SHARC_RATE_NUMBER},
    {"images", SHARC_RATE_NUMBER},
    {"tables", SHARC_RATE_NUMBER},
    {"out-links", SHARC_RATE_NUMBER},
    {"in-links", SHARC_RATE_NUMBER},
};

enum { HOST, MIME, DEPTH, LENGTH, SEGMENT, SIGN = SEGMENT + 3, OFFLINE = SIGN + 7 };
_Static_assert(OFFLINE == SHARC_RATE_ONLINE, "columns and extraction disagree");

/* Host of an absolute URL (empty for a path) and all that follows it. */
static struct sharc_span split_host(struct sharc_span url, struct sharc_span *ret_rest)
{
    size_t colon = sharc_span_search(url, SHARC_SPAN("://"));
    size_t slash = sharc_span_find(url, '/', 0);
    if (colon == SHARC_NPOS || slash < colon) {
        *ret_rest = url;
        return sharc_span_sub(url, 0, 0);
    }
    struct sharc_span after = sharc_span_from(url, colon + 3);
    size_t end = 0;
    while (end < after.n && after.p[end] != '/' && after.p[end] != '?' && after.p[end] != '#') end++;
    *ret_rest = sharc_span_from(after, end);
    return sharc_span_sub(after, 0, end);
}

static struct sharc_span path_of(struct sharc_span rest)
{
    size_t end = 0;
    while (end < rest.n && rest.p[end] != '?' && rest.p[end] != '#') end++;
    return sharc_span_sub(rest, 0, end);
}

static struct sharc_span before(struct sharc_span s, char c)
{
    size_t at = sharc_span_find(s, c, 0);
    return sharc_span_trim(at == SHARC_NPOS ? s : sharc_span_sub(s, 0, at));
}

/* The first three segments of the path; those it has not are empty. */
static void segments(struct sharc_span path, struct sharc_rate_value *v)
{
    size_t at = path.n > 0 && path.p[0] == '/';
    for (int i = 0; i < 3; i++) {
        size_t slash = sharc_span_find(path, '/', at);
        v[i].word = SHARC_SPAN("");
        if (at > path.n) continue;
        v[i].word = sharc_span_sub(path, at, slash == SHARC_NPOS ? path.n : slash);
        at = slash == SHARC_NPOS ? path.n + 1 : slash + 1;
    }
}

void sharc_rate_features(const struct sharc_rate_facts *f, struct sharc_rate_value v[SHARC_RATE_OFFLINE])
{
    static const char signs[] = "~_?;:,%";
    struct sharc_span rest;
    for (int i = 0; i < SHARC_RATE_OFFLINE; i++) v[i] = (struct sharc_rate_value){.number = SHARC_RATE_UNKNOWN};
    if (f->url.p) {
        v[HOST].word = split_host(f->url, &rest);
        struct sharc_span path = path_of(rest);
        double slashes = 0;
        for (size_t i = 0; i < path.n; i++) slashes += path.p[i] == '/';
        v[DEPTH].number = slashes;
        v[LENGTH].number = (double)f->url.n;
        segments(path, v + SEGMENT);
        for (int i = 0; signs[i]; i++)
            v[SIGN + i].word = sharc_span_find(rest, signs[i], 0) == SHARC_NPOS ? SHARC_SPAN("no") : SHARC_SPAN("yes");
    }
    if (f->mime.p) v[MIME].word = before(f->mime, ';');
    const double offline[] = {f->days_since_change, f->images, f->tables, f->outlinks, f->inlinks};
    for (size_t i = 0; i < SHARC_LENGTH(offline); i++) v[OFFLINE + i].number = offline[i];
}

size_t sharc__rate_after_scheme(struct sharc_span url)
{
    const size_t slash = sharc_span_find(url, '/', 0);
    if (slash == SHARC_NPOS || slash == 0 || slash + 1 >= url.n) return 0;
    return url.p[slash - 1] == ':' && url.p[slash + 1] == '/' ? slash + 2 : 0;
}

struct sharc_span sharc__rate_place(struct sharc_span url)
{
    url = sharc_span_from(url, sharc__rate_after_scheme(url));
    if (url.n && url.p[0] == '/') url = sharc_span_from(url, 1);
    size_t end = 0;
    while (end < url.n && url.p[end] != '?' && url.p[end] != '#') end++;
    return sharc_span_sub(url, 0, end);
}
