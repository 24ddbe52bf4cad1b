/* SPDX-License-Identifier: Apache-2.0
 *
 * An archived page below a bar that says when it was captured. The bar is a page of ours, the archived page stands in
 * a frame of the other origin: its scripts can neither reach the bar nor, since the policy of the page around a frame
 * also binds the frame, lead the frame out of the archive. Links lead from bar to bar, so that it always speaks of
 * what is shown; where a script has moved the frame on, it says that it does not know.
 */
#include "call.h"
#include "serve_int.h"

#include "sharc/url.h"

static const char script[] = "\"use strict\";\n"
                             "let loads = 0;\n"
                             "document.addEventListener(\"load\", (e) => {\n"
                             "  if (e.target.tagName === \"IFRAME\" && ++loads > 1)\n"
                             "    document.body.classList.add(\"moved\");\n"
                             "}, true);\n";

void sharc__serve_view_script(struct serve_call *c)
{
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/javascript; charset=utf-8"));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("max-age=3600"));
    sharc_http_answer_borrow(c->answer, sharc_span(script, sizeof script - 1));
    c->size = sizeof script - 1;
}

/* --- other captures --------------------------------------------------------------------- */

/* The timestamp of the capture next to this one, in the direction of sort; "": there is none. */
static void neighbour(struct serve_call *c, struct sharc_span url, const char *timestamp, enum sharc_cdx_sort sort,
                      char ret[18])
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .sort = sort};
    struct sharc_span here = sharc_span_of(timestamp);
    struct sharc_cdx line;
    ret[0] = 0;
    if (sort == SHARC_CDX_REVERSE)
        q.to = here;
    else
        q.from = here;
    if (sharc_captures_ask(c->edition, &q, &all, NULL) < 0) return;
    while (sharc_captures_next(all, &line, NULL) > 0) {
        struct sharc_span t = line.field[SHARC_CDX_TIMESTAMP];
        int order = sharc_span_cmp(t, here);
        bool beyond = sort == SHARC_CDX_REVERSE ? order < 0 : order > 0;
        if (!beyond || t.n > 17 || sharc_span_is(line.field[SHARC_CDX_STATUS], "304")) continue;
        memcpy(ret, t.p, t.n);
        ret[t.n] = 0;
        return;
    }
}

/* --- the page -------------------------------------------------------------------------------- */

static void put_attribute(struct sharc_buf *out, struct sharc_span url)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    sharc__serve_put_url(&text, url);
    sharc__serve_put_text(out, sharc_buf_span(&text));
}

static void put_neighbour(struct serve_call *c, struct sharc_buf *out, const struct serve_address *a,
                          const char *timestamp, enum sharc_cdx_sort sort)
{
    char t[18];
    bool back = sort == SHARC_CDX_REVERSE;
    neighbour(c, a->url, timestamp, sort, t);
    if (!*t) {
        sharc_buf_printf(out, "<span class=soft>%s</span>\n", back ? "no earlier capture" : "no later capture");
        return;
    }
    sharc_buf_printf(out, "<a rel=%s href=\"/view/web/%s/", back ? "prev" : "next", t);
    put_attribute(out, a->url);
    sharc_buf_put_str(out, back ? "\">earlier: " : "\">later: ");
    sharc__serve_put_time(out, sharc_span_of(t));
    sharc_buf_put_str(out, "</a>\n");
}

static void put_mapping(struct sharc_buf *out, const struct serve_address *a)
{
    char digits[SHARC_TIME_TEXT];
    sharc_time when;
    if (!a->timestamp.n || sharc_span_is(a->mapping, "web") || sharc_time_parse(a->timestamp, &when, NULL) < 0) return;
    sharc_buf_put_str(out, sharc_span_is(a->mapping, "asof") ? ", the latest not after " : ", the nearest to ");
    sharc__serve_put_time(out, sharc_span_of(sharc_time_compact(when, 14, digits)));
}

static void put_bar(struct serve_call *c, struct sharc_buf *out, const struct serve_address *a,
                    const struct sharc_found *f)
{
    char iso[SHARC_TIME_TEXT];
    sharc_buf_printf(out, "<details class=bar open><summary>Captured <time datetime=\"%s\">",
                     sharc_time_iso(f->when, 0, iso));
    sharc__serve_put_time(out, sharc_span_of(f->timestamp));
    sharc_buf_put_str(out, "</time> UTC");
    put_mapping(out, a);
    if (f->status != 200) sharc_buf_printf(out, ", answered with status %d", f->status);
    if (f->revisit) sharc_buf_put_str(out, ", unchanged since an earlier capture");
    sharc_buf_put_str(out,
                      "<strong class=note> · the page has moved on by itself: this is about the one before</strong>"
                      "</summary>\n<p class=url>");
    sharc__serve_put_text(out, f->url);
    sharc_buf_put_str(out, "\n<p class=links>");
    put_neighbour(c, out, a, f->timestamp, SHARC_CDX_REVERSE);
    put_neighbour(c, out, a, f->timestamp, SHARC_CDX_FORWARD);
    sharc_buf_put_str(out, "<a href=\"/web/*/");
    put_attribute(out, a->url);
    sharc_buf_put_str(out, "\">all captures</a>\n<a href=\"");
    sharc_buf_printf(out, "%s/web/%s/", c->replay, f->timestamp);
    put_attribute(out, a->url);
    sharc_buf_put_str(
        out, "\">without this bar</a> <a href=\"/\">start</a>\n<p class=soft>Images, styles and scripts of the "
             "page may be of other captures: each is the one that fits its time best.\n</details>\n");
}

static void put_frame(struct serve_call *c, struct sharc_buf *out, const struct serve_address *a,
                      const struct sharc_found *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(a->timestamp);
    sharc__serve_put_link(&link, a, *time ? time : f->timestamp, "mp_", a->url);
    sharc_buf_printf(out,
                     "<iframe title=\"The archived page\" sandbox=\"allow-scripts allow-same-origin allow-forms "
                     "allow-popups allow-modals allow-downloads allow-top-navigation-by-user-activation\" src=\"%s",
                     c->replay);
    sharc__serve_put_text(out, sharc_buf_span(&link));
    sharc_buf_put_str(out, "\"></iframe>\n");
}

static void send_view(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    sharc_buf_put_str(&out, "<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
                            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>");
    sharc__serve_put_text(&out, f->url);
    sharc_buf_put_str(&out, " · ");
    sharc__serve_put_text(&out, sharc_span_of(c->server->title));
    sharc_buf_put_str(
        &out, "</title>\n<link rel=stylesheet href=/style.css>\n<script src=/view.js></script>\n<body class=view>\n");
    put_bar(c, &out, a, f);
    put_frame(c, &out, a, f);
    sharc__serve_headerf(c, "Content-Security-Policy",
                         "default-src 'none'; style-src 'self'; script-src 'self'; frame-src %s; form-action 'none'; "
                         "base-uri 'none'; frame-ancestors 'none'",
                         c->replay);
    sharc__serve_header(c, "Referrer-Policy", SHARC_SPAN("same-origin"));
    sharc__serve_header(c, "X-Content-Type-Options", SHARC_SPAN("nosniff"));
    sharc__serve_header(c, "X-DNS-Prefetch-Control", SHARC_SPAN("off"));
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/html; charset=utf-8"));
    sharc__serve_body(c, &out);
}

/* --- which one ------------------------------------------------------------------------------------ */

static void go_on(struct serve_call *c, const struct serve_address *a, const char *timestamp, struct sharc_span url)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    sharc__serve_put_link(&to, a, timestamp, "", url);
    sharc__serve_redirect(c, 302, "/view%s", sharc_buf_str(&to));
}

/* An archived redirect is followed here, or the bar would speak of the redirect. */
static bool follow_redirect(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f)
{
    struct sharc_url base = SHARC_URL_INIT, url = SHARC_URL_INIT;
    struct sharc_span location = sharc_found_get(f, "Location");
    SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(a->timestamp);
    bool leads = sharc_http_is_redirect(f->status) && location.p && sharc_url_parse(&base, f->url, NULL, NULL) == 0 &&
                 sharc_url_parse(&url, location, &base, NULL) == 0 && sharc_url_is_http(&url);
    if (leads) go_on(c, a, *time ? time : f->timestamp, sharc_url_href(&url));
    sharc_url_done(&base);
    sharc_url_done(&url);
    return leads;
}

void sharc__serve_view(struct serve_call *c, struct sharc_span target)
{
    SHARC_AUTO(sharc__serve_address_done) struct serve_address a = {.star = false};
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf safe = SHARC_BUF_INIT(8 * SHARC_LIMIT_URL);
    if (!sharc__serve_address_read(&a, target) || a.star) {
        sharc__serve_page_error(c, 404, "Nothing here", "There is no page at this address.", SHARC_SPAN_NONE, false);
        return;
    }
    if (sharc_span_is(c->request->method, "POST")) { /* what a form sends: shown without the bar */
        sharc__serve_put_url(&safe, target);
        sharc__serve_redirect(c, 307, "%s%s", c->replay, sharc_buf_str(&safe));
        return;
    }
    struct sharc_wish w = {.url = a.url, .timestamp = a.timestamp};
    if (sharc_span_is(a.mapping, "asof")) w.mapping = SHARC_LATEST;
    int r = sharc_find(c->edition, &w, &f, &err);
    if (r < 0) {
        int status = r == SHARC_ENOENT ? 404 : r == SHARC_EINVAL ? 400 : 503;
        const char *title = r == SHARC_ENOENT ? "Not in this archive" : "Cannot be shown";
        sharc__serve_page_error(c, status, title, err.text, a.url, r == SHARC_ENOENT && w.mapping == SHARC_NEAREST);
        return;
    }
    bool exact = a.timestamp.n >= 14 && sharc_span_starts(sharc_span_of(f->timestamp), a.timestamp);
    if (follow_redirect(c, &a, f)) return;
    if (!exact && sharc_span_is(a.mapping, "web"))
        go_on(c, &a, f->timestamp, a.url);
    else
        send_view(c, &a, f);
}
