/* SPDX-License-Identifier: Apache-2.0
 *
 * A question becomes a short list of prefixes of lines, in order; each is one
 * range of every sorted file:
 *   exact   "org,example)/a "      prefix  "org,example)/a"
 *   host    "org,example)"         domain  "org,example)", "org,example,", "org,example:"
 * A walker per file gives the lines of the current range, and the smallest line
 * among them (the greatest when going backwards) is the next result. For the
 * closest captures two walkers per file start at the wanted time and go apart.
 */
#include "cdx_int.h"
#include "sharc/base_clock.h"
#include "sharc/base_limits.h"
#include "sharc/url_canon.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_RANGES = 6 };

struct head { /* a walker and the line it stands at */
    struct cdx_walker walker;
    bool back;
    bool full; /* line holds the next line in the range */
    struct sharc_span line;
    sharc_time distance; /* closest only */
};

struct sharc_cdx_cursor {
    struct head *heads;
    size_t head_count;
    struct sharc_buf range[MOST_RANGES]; /* prefixes of lines, ascending */
    size_t range_count, ranges_done;
    bool exact;
    enum sharc_cdx_sort sort;
    char from[18], to[18], closest[18]; /* digits */
    sharc_time closest_at;
    uint64_t left; /* UINT64_MAX: no limit */
    uint64_t turn; /* lines that may be read in one call; 0: any number */
    struct cdx_filter *filters;
    size_t filter_count;
    bool bare_names;
    struct sharc_cdx_parser *parsers; /* one per file */
    const struct sharc_cdx_index *index;
    struct head *current; /* gave the last result */
    bool again;           /* its line was not looked at: the turn was over */
    struct sharc_cdx entry;
};

/* --- from the question to ranges ----------------------------------------- */

static enum sharc_cdx_match resolve_stars(struct sharc_span *url, enum sharc_cdx_match match)
{
    if (match != SHARC_CDX_AUTO) return match;
    if (sharc_span_starts(*url, SHARC_SPAN("*."))) {
        *url = sharc_span_from(*url, 2);
        if (sharc_span_ends(*url, SHARC_SPAN("*"))) url->n--;
        return SHARC_CDX_DOMAIN;
    }
    if (sharc_span_ends(*url, SHARC_SPAN("*"))) {
        url->n--;
        return SHARC_CDX_PREFIX;
    }
    return SHARC_CDX_EXACT;
}

static void add_range(struct sharc_cdx_cursor *c, struct sharc_span prefix, const char *end)
{
    struct sharc_buf *b = &c->range[c->range_count++];
    sharc_buf_init(b, SHARC_LIMIT_URL + 64);
    sharc_buf_put(b, prefix);
    sharc_buf_put_str(b, end);
}

/* A prefix keeps the slash at its end if and only if the asker wrote one: the key
 * of "example.org" and of "example.org/" is the same, but the first should also find
 * nothing less than the whole host, the second the same by its path. "example.org/a?" finds
 * what has a query. */
static struct sharc_span prefix_key(struct sharc_span url, struct sharc_span key, struct sharc_buf *keep)
{
    if (sharc_span_ends(url, SHARC_SPAN("?")) && sharc_span_find(key, '?', 0) == SHARC_NPOS) {
        sharc_buf_put_char(keep, '?');
        return sharc_buf_span(keep);
    }
    bool url_slash = sharc_span_ends(url, SHARC_SPAN("/")), key_slash = sharc_span_ends(key, SHARC_SPAN("/"));
    if (url_slash && !key_slash) {
        sharc_buf_put_char(keep, '/');
        return sharc_buf_span(keep);
    }
    if (!url_slash && key_slash) key.n--;
    return key;
}

/* "host:80/x" without scheme: its colon is not that of a scheme. What belongs in front, or NULL. */
static const char *missing_scheme(struct sharc_span url)
{
    size_t colon = 0, end;
    while (colon < url.n && url.p[colon] != ':' && url.p[colon] != '/' && url.p[colon] != '?') colon++;
    for (end = colon + 1; end < url.n && sharc_is_digit(url.p[end]);) end++;
    bool port = colon > 0 && colon < url.n && url.p[colon] == ':' && end > colon + 1 &&
                (end == url.n || url.p[end] == '/' || url.p[end] == '?');
    if (!port) return NULL;
    return sharc_span_is(sharc_span_sub(url, colon, end), ":443") ? "https://" : "http://";
}

/* Older versions of sharc wrote IPv6 addresses in brackets: the same ranges once more, behind the
 * others, since '[' sorts behind digits. Not with a port, which cannot be told from the address. */
static void add_bracketed(struct sharc_cdx_cursor *c)
{
    size_t count = c->range_count;
    for (size_t i = 0; i < count; i++) {
        struct sharc_span now = sharc_buf_span(&c->range[i]);
        size_t end = sharc_span_find(now, ')', 0);
        struct sharc_span host = sharc_span_sub(now, 0, end == SHARC_NPOS ? 0 : end);
        size_t colon = sharc_span_find(host, ':', 0);
        if (colon == SHARC_NPOS || sharc_span_find(host, ':', colon + 1) == SHARC_NPOS) return;
        struct sharc_buf *b = &c->range[c->range_count++];
        sharc_buf_init(b, SHARC_LIMIT_URL + 64);
        sharc_buf_printf(b, "[%.*s]", SHARC_SPAN_ARG(host));
        sharc_buf_put(b, sharc_span_from(now, end));
    }
}

static int make_plain_ranges(struct sharc_cdx_cursor *c, const struct sharc_cdx_query *q, struct sharc_err *reterr)
{
    struct sharc_span url = q->url;
    if (url.n == 0) {
        add_range(c, SHARC_SPAN(""), "");
        return 0;
    }
    enum sharc_cdx_match match = resolve_stars(&url, q->match);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf key = SHARC_BUF_INIT(SHARC_LIMIT_URL + 16);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf with_scheme = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
    const char *scheme = missing_scheme(url);
    if (scheme) {
        sharc_buf_put_str(&with_scheme, scheme);
        sharc_buf_put(&with_scheme, url);
        url = sharc_buf_span(&with_scheme);
    }
    int r = sharc_url_key(url, &key, reterr);
    if (r < 0) return r;
    struct sharc_span k = sharc_buf_span(&key);
    size_t paren = sharc_span_find(k, ')', 0);
    struct sharc_span host = sharc_span_sub(k, 0, paren);
    switch (match) {
    case SHARC_CDX_PREFIX: add_range(c, prefix_key(url, k, &key), ""); return 0;
    case SHARC_CDX_HOST: add_range(c, host, paren == SHARC_NPOS ? "" : ")"); return 0;
    case SHARC_CDX_DOMAIN:
        add_range(c, host, ")");
        add_range(c, host, ",");
        add_range(c, host, ":");
        return 0;
    case SHARC_CDX_AUTO:
    case SHARC_CDX_EXACT: break;
    }
    add_range(c, k, " ");
    c->exact = true;
    return 0;
}

static int make_ranges(struct sharc_cdx_cursor *c, const struct sharc_cdx_query *q, struct sharc_err *reterr)
{
    int r = make_plain_ranges(c, q, reterr);
    if (r == 0 && q->sort != SHARC_CDX_CLOSEST) add_bracketed(c);
    return r;
}

/* --- walking through ranges ---------------------------------------------- */

/* The smallest text greater than all that begin with b; empty: there is none. */
static void successor(struct sharc_buf *b)
{
    while (b->n && (unsigned char)b->p[b->n - 1] == 0xff) sharc_buf_truncate(b, b->n - 1);
    if (b->n) b->p[b->n - 1]++;
}

static int place(struct sharc_cdx_cursor *c, struct head *h, struct sharc_span prefix, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf target = SHARC_BUF_INIT(SHARC_LIMIT_URL + 128);
    sharc_buf_put(&target, prefix);
    if (c->sort == SHARC_CDX_CLOSEST) {
        sharc_buf_put_str(&target, c->closest);
    } else if (h->back) {
        if (c->exact) sharc_buf_put_str(&target, c->to);
        successor(&target);
        if (!target.n) return sharc__cdx_seek_end(&h->walker, reterr);
    } else if (c->exact) {
        sharc_buf_put_str(&target, c->from);
    }
    return sharc__cdx_seek(&h->walker, sharc_buf_span(&target), reterr);
}

static sharc_time time_of_digits(struct sharc_span digits)
{
    sharc_time t;
    return sharc_time_parse(digits, &t, NULL) == 0 ? t : SHARC_TIME_NONE;
}

/* Bring the next line of the range into h; h->full says whether there was one. */
static int refill(struct sharc_cdx_cursor *c, struct head *h, struct sharc_err *reterr)
{
    struct sharc_span prefix = sharc_buf_span(&c->range[c->ranges_done]);
    int r =
        h->back ? sharc__cdx_backward(&h->walker, &h->line, reterr) : sharc__cdx_forward(&h->walker, &h->line, reterr);
    if (r < 0) return r;
    h->full = r > 0 && sharc_span_starts(h->line, prefix);
    if (!h->full || c->sort != SHARC_CDX_CLOSEST) return 0;
    struct sharc_span rest = sharc_span_from(h->line, prefix.n);
    sharc_time t = time_of_digits(sharc_span_sub(rest, 0, sharc_span_find(rest, ' ', 0)));
    h->distance = t == SHARC_TIME_NONE ? INT64_MAX : t > c->closest_at ? t - c->closest_at : c->closest_at - t;
    return 0;
}

static int start_range(struct sharc_cdx_cursor *c, struct sharc_err *reterr)
{
    for (size_t i = 0; i < c->head_count; i++) {
        int r = place(c, &c->heads[i], sharc_buf_span(&c->range[c->ranges_done]), reterr);
        if (r == 0) r = refill(c, &c->heads[i], reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* Should a come before b? Ties: the earlier file, for a result that can be told
 * in advance; of two captures equally far away the older. */
static bool sooner(const struct sharc_cdx_cursor *c, const struct head *a, const struct head *b)
{
    if (c->sort == SHARC_CDX_CLOSEST)
        return a->distance != b->distance ? a->distance < b->distance : a->back && !b->back;
    int order = sharc_span_cmp(a->line, b->line);
    return c->sort == SHARC_CDX_REVERSE ? order > 0 : order < 0;
}

static int next_line(struct sharc_cdx_cursor *c, struct head **ret, struct sharc_err *reterr)
{
    if (c->again && c->current) {
        c->again = false;
        *ret = c->current;
        return 1;
    }
    int r = c->current ? refill(c, c->current, reterr) : 0;
    c->current = NULL;
    while (r == 0) {
        struct head *best = NULL;
        for (size_t i = 0; i < c->head_count; i++)
            if (c->heads[i].full && (!best || sooner(c, &c->heads[i], best))) best = &c->heads[i];
        if (best) {
            *ret = c->current = best;
            return 1;
        }
        bool back = c->sort == SHARC_CDX_REVERSE;
        if (back ? c->ranges_done == 0 : c->ranges_done + 1 >= c->range_count) return 0;
        c->ranges_done += back ? (size_t)-1 : 1;
        r = start_range(c, reterr);
    }
    return r;
}

/* --- the cursor ---------------------------------------------------------- */

/* Is t within from and to? A bound of fewer digits stands for all it begins. */
static int against(struct sharc_span t, const char *bound)
{
    size_t n = strlen(bound);
    return memcmp(t.p, bound, n < t.n ? n : t.n);
}

static bool in_time(const struct sharc_cdx_cursor *c, struct sharc_span t)
{
    return (!c->from[0] || against(t, c->from) >= 0) && (!c->to[0] || against(t, c->to) <= 0);
}

/* Beyond the bound in the direction of travel no line of an exact range can fit. */
static bool is_past(const struct sharc_cdx_cursor *c, struct sharc_span t)
{
    if (!c->exact) return false;
    if (c->sort == SHARC_CDX_FORWARD) return c->to[0] && against(t, c->to) > 0;
    if (c->sort == SHARC_CDX_REVERSE) return c->from[0] && against(t, c->from) < 0;
    return false;
}

static int take_digits(char out[18], struct sharc_span s, const char *what, struct sharc_err *reterr)
{
    bool digits = s.n <= 17;
    for (size_t i = 0; i < s.n; i++) digits = digits && sharc_is_digit(s.p[i]);
    SHARC_FAIL_IF(!digits, reterr, SHARC_EINVAL, "%s must be up to 17 digits (YYYYMMDDhhmmss), not \"%.*s\"", what,
                  (int)(s.n < 40 ? s.n : 40), s.p);
    memcpy(out, s.p ? s.p : "", s.n);
    out[s.n] = 0;
    return 0;
}

static int read_query(struct sharc_cdx_cursor *c, const struct sharc_cdx_query *q, struct sharc_err *reterr)
{
    c->left = q->limit ? q->limit : UINT64_MAX;
    c->turn = q->turn;
    c->sort = q->sort;
    int r = make_ranges(c, q, reterr);
    if (r == 0) r = take_digits(c->from, q->from, "from", reterr);
    if (r == 0) r = take_digits(c->to, q->to, "to", reterr);
    if (r == 0) r = take_digits(c->closest, q->closest, "closest", reterr);
    if (r == 0) r = sharc__cdx_filters_new(q->filters, q->filter_count, &c->filters, reterr);
    if (r < 0) return r;
    c->filter_count = q->filter_count;
    c->bare_names = q->bare_names;
    if (c->sort != SHARC_CDX_CLOSEST) return 0;
    SHARC_FAIL_IF(!c->exact, reterr, SHARC_EINVAL, "the closest captures can be asked for one URL only");
    c->closest_at = time_of_digits(q->closest);
    SHARC_FAIL_IF(c->closest_at == SHARC_TIME_NONE, reterr, SHARC_EINVAL,
                  "closest: \"%s\" is not a date of 4 to 17 digits", c->closest);
    return 0;
}

static void make_heads(struct sharc_cdx_cursor *c, const struct sharc_cdx_index *x)
{
    size_t per_file = c->sort == SHARC_CDX_CLOSEST ? 2 : 1;
    c->index = x;
    c->parsers = SHARC_NEW_ARRAY(struct sharc_cdx_parser, x->count);
    c->heads = SHARC_NEW_ARRAY(struct head, x->count * per_file);
    for (size_t i = 0; i < x->count; i++) {
        sharc_cdx_parser_init(&c->parsers[i]);
        c->parsers[i].count = x->files[i]->columns.count;
        c->parsers[i].separator = x->files[i]->columns.separator;
        memcpy(c->parsers[i].column, x->files[i]->columns.column, sizeof c->parsers[i].column);
        for (size_t k = 0; k < per_file; k++) {
            struct head *h = &c->heads[c->head_count++];
            sharc__cdx_walker_init(&h->walker, x->files[i]);
            h->back = c->sort == SHARC_CDX_REVERSE || k == 1;
        }
    }
}

int sharc_cdx_ask(const struct sharc_cdx_index *x, const struct sharc_cdx_query *q, struct sharc_cdx_cursor **ret,
                  struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = SHARC_NEW(struct sharc_cdx_cursor);
    int r = read_query(c, q, reterr);
    if (r < 0) return r;
    make_heads(c, x);
    if (c->sort == SHARC_CDX_REVERSE) c->ranges_done = c->range_count - 1;
    r = start_range(c, reterr);
    if (r == 0) *ret = SHARC_TAKE(c);
    return r;
}

void sharc_cdx_cursor_free(struct sharc_cdx_cursor *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->head_count; i++) sharc__cdx_walker_done(&c->heads[i].walker);
    for (size_t i = 0; c->parsers && i < c->index->count; i++) sharc_cdx_parser_done(&c->parsers[i]);
    for (size_t i = 0; i < MOST_RANGES; i++) sharc_buf_done(&c->range[i]);
    sharc__cdx_filters_free(c->filters, c->filter_count);
    free(c->parsers);
    free(c->heads);
    free(c);
}

void sharc_cdx_cursor_freep(struct sharc_cdx_cursor **c)
{
    sharc_cdx_cursor_free(*c);
    *c = NULL;
}

static struct sharc_cdx_parser *parser_of(struct sharc_cdx_cursor *c, const struct head *h)
{
    size_t number = (size_t)(h - c->heads);
    return &c->parsers[c->sort == SHARC_CDX_CLOSEST ? number / 2 : number];
}

static int bad_line(const struct head *h, int code, struct sharc_err *reterr)
{
    if (!reterr) return code;
    reterr->offset = h->walker.chunk_at + (uint64_t)(h->line.p - h->walker.chunk.p);
    return sharc_err_prefix(reterr, code, "%s: offset %" PRIu64, h->walker.file->name, reterr->offset);
}

int sharc_cdx_next(struct sharc_cdx_cursor *c, struct sharc_cdx *ret, struct sharc_err *reterr)
{
    struct head *h = NULL;
    int r = 0;
    uint64_t lines = 0;
    while (c->left && (r = next_line(c, &h, reterr)) > 0) {
        if (c->turn && lines++ == c->turn) {
            c->again = true;
            return SHARC_EBUSY;
        }
        struct sharc_cdx_parser *p = parser_of(c, h);
        r = sharc_cdx_parse(p, h->line, &c->entry, reterr);
        if (r < 0) return bad_line(h, r, reterr);
        if (r == 0) continue;
        struct sharc_span t = c->entry.field[SHARC_CDX_TIMESTAMP];
        if (is_past(c, t)) {
            h->full = false;
            c->current = NULL;
            continue;
        }
        if (!in_time(c, t) || !sharc__cdx_filters_hold(c->filters, c->filter_count, c->bare_names, p, &c->entry))
            continue;
        c->left--;
        *ret = c->entry;
        return 1;
    }
    return r;
}

bool sharc_cdx_cursor_get(struct sharc_cdx_cursor *c, struct sharc_span name, struct sharc_span *ret)
{
    return c->current && sharc_cdx_get(parser_of(c, c->current), &c->entry, name, ret);
}
