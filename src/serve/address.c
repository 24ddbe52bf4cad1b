/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of archived pages: a mapping, a time, a modifier, and the URL as it was.
 */
#include "call.h"

void sharc__serve_address_done(struct serve_address *a)
{
    sharc_buf_done(&a->scratch);
}

static bool has_scheme(struct sharc_span url)
{
    size_t i = 0;
    while (i < url.n && (sharc_is_alnum(url.p[i]) || (url.p[i] && strchr("+-.", url.p[i])))) i++;
    if (i == 0 || i >= url.n || url.p[i] != ':' || !sharc_is_alpha(url.p[0])) return false;
    /* "localhost:8080/x" has none, "urn:x", "dns:x" and "http:/x" have. */
    return i + 1 < url.n && !sharc_is_digit(url.p[i + 1]);
}

static void unescape(struct sharc_span text, struct sharc_buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        int high = text.p[i] == '%' && i + 2 < text.n ? sharc_hex_value(text.p[i + 1]) : -1;
        int low = high >= 0 ? sharc_hex_value(text.p[i + 2]) : -1;
        sharc_buf_put_char(out, low >= 0 ? (char)(high << 4 | low) : text.p[i]);
        if (low >= 0) i += 2;
    }
}

/* "http:/x" -> "http://x"; 0: it is not so. */
static size_t lost_slash(struct sharc_span url)
{
    static const struct sharc_span schemes[] = {SHARC_SPAN("http:"), SHARC_SPAN("https:")};
    for (size_t i = 0; i < SHARC_LENGTH(schemes); i++) {
        if (!sharc_span_istarts(url, schemes[i])) continue;
        struct sharc_span rest = sharc_span_from(url, schemes[i].n);
        if (rest.n > 1 && rest.p[0] == '/' && rest.p[1] != '/') return schemes[i].n;
    }
    return 0;
}

struct sharc_span sharc__serve_url_behind(struct sharc_span text, struct sharc_buf *scratch)
{
    sharc_buf_init(scratch, 2 * SHARC_LIMIT_URL);
    if (sharc_span_istarts(text, SHARC_SPAN("http%3a")) || sharc_span_istarts(text, SHARC_SPAN("https%3a"))) {
        unescape(text, scratch);
        size_t n = lost_slash(sharc_buf_span(scratch));
        if (n) sharc_buf_splice(scratch, n, 0, SHARC_SPAN("/"));
        if (!has_scheme(sharc_buf_span(scratch))) { /* "https%3A" alone is the name of a host */
            sharc_buf_clear(scratch);
            sharc_buf_put_str(scratch, "http://");
            sharc_buf_put(scratch, text);
        }
    } else if (lost_slash(text)) {
        size_t n = lost_slash(text);
        sharc_buf_put(scratch, sharc_span_sub(text, 0, n));
        sharc_buf_put_char(scratch, '/');
        sharc_buf_put(scratch, sharc_span_from(text, n));
    } else if (text.n && !has_scheme(text)) {
        sharc_buf_put_str(scratch, "http://");
        sharc_buf_put(scratch, text);
    } else {
        return text;
    }
    return scratch->failed ? SHARC_SPAN("") : sharc_buf_span(scratch);
}

static bool is_modifier(struct sharc_span text)
{
    if (!text.n) return true;
    for (size_t i = 0; i + 1 < text.n; i++)
        if (!sharc_is_lower(text.p[i])) return false;
    return text.n > 1 && text.p[text.n - 1] == '_';
}

/* "20260301im_" or "20260301~-1d..+2h~im_" in its parts. */
static bool read_time(struct serve_address *a, struct sharc_span text)
{
    size_t digits = 0;
    struct serve_limits limits = {.set = false};
    a->star = sharc_span_is(text, "*");
    if (a->star) return true;
    while (digits < text.n && sharc_is_digit(text.p[digits])) digits++;
    struct sharc_span time = sharc_span_sub(text, 0, digits), rest = sharc_span_from(text, digits);
    if (rest.n && rest.p[0] == '~') {
        size_t end = sharc_span_find(rest, '~', 1);
        if (end == SHARC_NPOS || !sharc__serve_limits_read(sharc_span_sub(rest, 1, end), &limits)) return false;
        rest = sharc_span_from(rest, end + 1);
    }
    if (!text.n || digits > 17 || !is_modifier(rest)) return false;
    a->timestamp = sharc_span_sub(time, 0, digits < 4 ? 0 : digits); /* "2" is an old way to say: the newest */
    a->limits = limits;
    a->modifier = rest;
    return true;
}

bool sharc__serve_address_read(struct serve_address *a, struct sharc_span target)
{
    static const char *const mappings[] = {"web", "near", "asof", "coherent"};
    struct sharc_span rest = target, part = SHARC_SPAN_NONE;
    *a = (struct serve_address){.star = false};
    if (!target.n || target.p[0] != '/') return false;
    rest = sharc_span_from(rest, 1);
    sharc_span_next(&rest, '/', &a->mapping);
    bool known = false;
    for (size_t i = 0; i < SHARC_LENGTH(mappings); i++) known |= sharc_span_is(a->mapping, mappings[i]);
    if (!known) return false;
    if (rest.n == SHARC_NPOS) return false; /* nothing stands behind the mapping */
    size_t slash = sharc_span_find(rest, '/', 0);
    part = sharc_span_sub(rest, 0, slash == SHARC_NPOS ? 0 : slash);
    /* Without a time: "/web/http://example.org/". */
    if (part.n && read_time(a, part)) rest = sharc_span_from(rest, slash + 1);
    a->url = sharc__serve_url_behind(rest, &a->scratch);
    return a->url.n > 0;
}
