/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits: how far from the time in an address a capture may be. They stand behind the time, "20260301~-1d..+2h~im_",
 * so that every link of a page carries them; a reader may write "?within=-1d..+2h" at the end instead.
 */
#include "call.h"
#include "serve_int.h"

enum { MOST_TEXT = 40 };

/* "-1d", "+2h", "2h" (which is +2h), "0". */
static bool read_side(struct sharc_span text, sharc_time *ret)
{
    bool minus = text.n && text.p[0] == '-', sign = minus || (text.n && text.p[0] == '+');
    struct sharc_span digits = sharc_span_from(text, sign ? 1 : 0);
    if (!digits.n || !sharc_is_digit(digits.p[0]) || sharc_duration_parse(digits, ret, NULL) < 0) return false;
    if (*ret > 10000 * 366 * SHARC_DAY) return false;
    if (minus) *ret = -*ret;
    return true;
}

bool sharc__serve_limits_read(struct sharc_span text, struct serve_limits *ret)
{
    struct serve_limits l = {.set = true, .text = text};
    size_t dots = sharc_span_search(text, SHARC_SPAN(".."));
    if (text.n > MOST_TEXT || dots == SHARC_NPOS) return false;
    for (size_t i = 0; i < text.n; i++)
        if (!sharc_is_alnum(text.p[i]) && !(text.p[i] && strchr("+-.", text.p[i]))) return false;
    if (!read_side(sharc_span_sub(text, 0, dots), &l.from) || !read_side(sharc_span_from(text, dots + 2), &l.to))
        return false;
    if (l.from > l.to) return false;
    *ret = l;
    return true;
}

bool sharc__serve_is_inside(const struct serve_limits *l, struct sharc_span timestamp, sharc_time when)
{
    sharc_time around, grain = timestamp.n > 14 ? SHARC_MSEC : SHARC_SEC;
    if (!l->set || sharc_time_parse(timestamp, &around, NULL) < 0) return true;
    when -= (when % grain + grain) % grain; /* an address does not say more */
    return when - around >= l->from && when - around <= l->to;
}

bool sharc__serve_refuse(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f)
{
    sharc_time around;
    char distance[SHARC_TIME_TEXT], iso[2][SHARC_TIME_TEXT];
    if (sharc__serve_is_inside(&a->limits, a->timestamp, f->when)) return false;
    if (sharc_time_parse(a->timestamp, &around, NULL) < 0) return false;
    SHARC_AUTO(sharc_freep)
    char *text = sharc_asprintf("The capture that would be shown is of %s, %s %s %s. That is outside the limits %.*s.",
                                sharc_time_iso(f->when, 0, iso[0]),
                                sharc_duration_text(f->when > around ? f->when - around : around - f->when, distance),
                                f->when > around ? "after" : "before", sharc_time_iso(around, 0, iso[1]),
                                SHARC_SPAN_ARG(a->limits.text));
    sharc__serve_page_error(c, 404, "Outside the limits", text, a->url, false);
    return true;
}

/* --- "?within=" at the end --------------------------------------------------------------------- */

static bool is_archived(struct serve_call *c, struct sharc_span url)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    const struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .limit = 1};
    struct sharc_cdx line;
    return sharc_captures_ask(c->edition, &q, &all, NULL) == 0 && sharc_captures_next(all, &line, NULL) > 0;
}

/* "+" stands for a blank in queries, and here for itself. */
static void decode(struct sharc_span text, struct sharc_buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        bool plus = sharc_span_istarts(sharc_span_from(text, i), SHARC_SPAN("%2B"));
        sharc_buf_put_char(out, plus ? '+' : text.p[i]);
        if (plus) i += 2;
    }
}

size_t sharc__serve_within_at(struct sharc_span url, struct sharc_buf *scratch, struct serve_limits *ret)
{
    struct sharc_span name = SHARC_SPAN("within=");
    size_t at = url.n;
    while (at > 0 && url.p[at - 1] != '?' && url.p[at - 1] != '&') at--;
    if (at == 0 || !sharc_span_starts(sharc_span_from(url, at), name)) return SHARC_NPOS;
    sharc_buf_clear(scratch);
    decode(sharc_span_from(url, at + name.n), scratch);
    return sharc__serve_limits_read(sharc_buf_span(scratch), ret) ? at - 1 : SHARC_NPOS;
}

bool sharc__serve_take_within(struct serve_call *c, const struct serve_address *a, const char *prefix)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(256), to = SHARC_BUF_INIT(8 * SHARC_LIMIT_URL);
    struct serve_address with = *a;
    size_t at = sharc__serve_within_at(a->url, &text, &with.limits);
    if (at == SHARC_NPOS || is_archived(c, a->url)) return false;
    SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(a->timestamp), *modifier = sharc_span_dup(a->modifier);
    sharc__serve_put_link(&to, &with, time, modifier, sharc_span_sub(a->url, 0, at));
    sharc__serve_redirect(c, 302, "%s%s", prefix, sharc_buf_str(&to));
    return true;
}
