/* SPDX-License-Identifier: Apache-2.0
 *
 * An archived page below a bar that says when it was captured. The bar is a page of ours, the archived page stands in
 * a frame of the other origin: its scripts can neither reach the bar nor, since the policy of the page around a frame
 * also binds the frame, lead the frame out of the archive. Links lead from bar to bar, so that it always speaks of
 * what is shown; where a script has moved the frame on, it says that it does not know.
 */
#include "bar.h"
#include "find.h"

#include "sharc/url.h"

/* A page that goes on at once is loaded once, as the next one: so the guard of each page in the frame tells that it is
 * there (guard.c). What is told can only take the verdict back.
 * A limit can be drawn to another place, or moved by the arrow keys; then the form is sent. */
static const char script[] =
    "\"use strict\";\n"
    "let loads = 0, pages = 0;\n"
    "const moved = () => document.body.classList.add(\"moved\");\n"
    "document.addEventListener(\"load\", (e) => {\n"
    "  if (e.target.tagName === \"IFRAME\" && !e.target.hidden && ++loads > 1) moved();\n"
    "}, true);\n"
    "addEventListener(\"message\", (e) => {\n"
    "  const frame = document.querySelector(\"iframe:not([hidden])\"), said = e.data && e.data.sharc;\n"
    "  if (!frame || e.source !== frame.contentWindow) return;\n"
    "  if (said === \"left\" || (said === \"here\" && ++pages > 1)) moved();\n"
    "});\n"
    "document.addEventListener(\"DOMContentLoaded\", () => {\n"
    "  const chart = document.querySelector(\".chart\");\n"
    "  if (!chart) return;\n"
    "  const low = Number(chart.dataset.low), high = Number(chart.dataset.high);\n"
    "  const text = (percent) => {\n"
    "    const u = low + (high - low) * (percent - 4) / 92, s = Math.expm1(Math.abs(u)), sign = u < 0 ? \"-\" : "
    "\"+\";\n"
    "    for (const [size, unit] of [[86400, \"d\"], [3600, \"h\"], [60, \"m\"], [1, \"s\"], [0.001, \"ms\"]])\n"
    "      if (s >= 2 * size || size < 1) return sign + Math.round(s / size) + unit;\n"
    "  };\n"
    "  const put = (line, percent) => {\n"
    "    const at = Math.min(99, Math.max(1, percent));\n"
    "    for (const end of [\"x1\", \"x2\"]) line.setAttribute(end, at + \"%\");\n"
    "    line.setAttribute(\"aria-valuenow\", Math.round(at));\n"
    "    const said = at <= 1 || at >= 99 ? \"\" : text(at);\n"
    "    line.setAttribute(\"aria-valuetext\", said || \"no limit\");\n"
    "    document.getElementById(line.id.slice(6)).value = said;\n"
    "  };\n"
    "  const send = () => document.querySelector(\".limits\").requestSubmit();\n"
    "  for (const line of chart.querySelectorAll(\".limit\")) {\n"
    "    line.setAttribute(\"aria-valuetext\", document.getElementById(line.id.slice(6)).value || \"no limit\");\n"
    "    line.addEventListener(\"pointerdown\", (e) => { line.setPointerCapture(e.pointerId); e.preventDefault(); });\n"
    "    line.addEventListener(\"pointermove\", (e) => {\n"
    "      const box = chart.getBoundingClientRect();\n"
    "      if (line.hasPointerCapture(e.pointerId)) put(line, 100 * (e.clientX - box.left) / box.width);\n"
    "    });\n"
    "    line.addEventListener(\"pointerup\", (e) => { if (line.hasPointerCapture(e.pointerId)) send(); });\n"
    "    line.addEventListener(\"keydown\", (e) => {\n"
    "      const step = { ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2 }[e.key];\n"
    "      if (step) put(line, parseFloat(line.getAttribute(\"x1\")) + step);\n"
    "      if (e.key === \"Enter\") send();\n"
    "      if (step || e.key === \"Enter\") e.preventDefault();\n"
    "    });\n"
    "  }\n"
    "});\n";

void sharc__serve_view_script(struct serve_call *c)
{
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/javascript; charset=utf-8"));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("max-age=3600"));
    sharc_http_answer_borrow(c->answer, sharc_span(script, sizeof script - 1));
    c->size = sizeof script - 1;
}

/* --- the page -------------------------------------------------------------------------------- */

static void put_frame(struct serve_call *c, struct sharc_buf *out, const struct serve_address *a,
                      const struct sharc_found *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(a->timestamp);
    sharc__serve_put_link(&link, a, *time ? time : f->timestamp, "mp_", a->url);
    sharc_buf_printf(out,
                     "<iframe title=\"The archived page\" sandbox=\"allow-scripts allow-same-origin allow-forms "
                     "allow-popups allow-popups-to-escape-sandbox allow-downloads "
                     "allow-top-navigation-by-user-activation\" src=\"%s",
                     c->replay);
    sharc__serve_put_text(out, sharc_buf_span(&link));
    sharc_buf_put_str(out, "\"></iframe>\n");
}

static void send_view(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(16u << 20);
    SHARC_AUTO(sharc__serve_coherence_done) struct serve_coherence k = {.count = 0};
    struct sharc_err err = SHARC_ERR_INIT;
    struct serve_address judged = *a;
    if (c->asked.n) judged.url = c->asked; /* what is similar is no proof of what was asked for */
    if (sharc__serve_judge(c, &judged, &k, &err) < 0) {
        sharc__serve_page_error(c, 503, "Cannot be shown", err.text, a->url, false);
        return;
    }
    sharc_buf_put_str(&out, "<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
                            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>");
    sharc__serve_put_shown(&out, f->url);
    sharc_buf_put_str(&out, " · ");
    sharc__serve_put_text(&out, sharc_span_of(c->server->title));
    sharc_buf_put_str(&out, "</title>\n<link rel=stylesheet href=/style.css>\n<link rel=stylesheet "
                            "href=/bar.css>\n<script src=/view.js></script>\n<body class=view>\n");
    sharc__serve_put_bar(c, &out, a, f, &k);
    put_frame(c, &out, a, f);
    sharc_buf_printf(
        &out, "<iframe hidden sandbox=\"allow-scripts allow-same-origin\" src=\"%s/sharc-worker.html\"></iframe>\n",
        c->replay);
    sharc__serve_headerf(c, "Content-Security-Policy",
                         "default-src 'none'; style-src 'self'; script-src 'self'; frame-src %s; form-action 'self'; "
                         "base-uri 'none'; frame-ancestors 'none'",
                         c->replay);
    sharc__serve_header(c, "Referrer-Policy", SHARC_SPAN("same-origin"));
    sharc__serve_header(c, "X-Content-Type-Options", SHARC_SPAN("nosniff"));
    sharc__serve_header(c, "X-DNS-Prefetch-Control", SHARC_SPAN("off"));
    sharc__serve_guard_headers(c);
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
    if (sharc__serve_take_within(c, &a, "/view") || sharc__serve_go_to_instant(c, &a, "/view")) return;
    struct sharc_wish w = {.url = a.url, .timestamp = a.timestamp, .mapping = sharc__serve_mapping(a.mapping)};
    int r = sharc_find(c->edition, &w, &f, &err);
    if (r == SHARC_ENOENT && sharc__serve_find_similar(c->edition, &w, &f) == 0) {
        c->asked = a.url;
        a.url = f->url;
        r = 0;
    }
    if (r < 0) {
        int status = r == SHARC_ENOENT ? 404 : r == SHARC_EINVAL ? 400 : 503;
        const char *title = r == SHARC_ENOENT ? "Not in this archive" : "Cannot be shown";
        sharc__serve_page_error(c, status, title, err.text, a.url, r == SHARC_ENOENT && w.mapping == SHARC_NEAREST);
        return;
    }
    bool exact = a.timestamp.n >= 14 && sharc_span_starts(sharc_span_of(f->timestamp), a.timestamp);
    if (follow_redirect(c, &a, f)) return;
    if (!exact && sharc_span_is(a.mapping, "web"))
        go_on(c, &a, f->timestamp, c->asked.n ? c->asked : a.url);
    else
        send_view(c, &a, f);
}
