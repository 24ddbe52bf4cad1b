/* SPDX-License-Identifier: Apache-2.0
 *
 * Archived pages as a browser gets them: raw (id_), or with links that lead into the archive.
 */
#include "coherence.h"
#include "find.h"

#include "sharc/extract.h"
#include "sharc/replay.h"
#include "sharc/url.h"

#include <stdlib.h>

/* A page that is rewritten is held in memory, twice. */
enum { MOST_PAGE = 32 << 20 };

enum form { RAW, PAGE, XML_PAGE, STYLE };

/* --- links ------------------------------------------------------------------------------ */

struct links {
    const struct serve_address *address;
    const char *pages;     /* under a bar: where our own pages are; NULL: there is none */
    const char *timestamp; /* that links carry on */
    const char *modifier;  /* of pages that links lead to */
};

static const char *modifier_of(const struct links *l, const struct sharc_rewrite_ref *ref)
{
    if (ref->kind != SHARC_REWRITE_EMBED && ref->kind != SHARC_REWRITE_GUESS) return l->modifier;
    switch (ref->use) {
    case SHARC_USE_FRAME: return "if_";
    case SHARC_USE_SCRIPT: return "js_";
    case SHARC_USE_STYLE: return "cs_";
    case SHARC_USE_IMAGE: return "im_";
    case SHARC_USE_OTHER: break;
    }
    return ref->kind == SHARC_REWRITE_GUESS ? "im_" : "oe_";
}

static int put_link(void *arg, const struct sharc_rewrite_ref *ref, struct sharc_buf *out)
{
    const struct links *l = arg;
    bool to_bar = l->pages && ref->kind == SHARC_REWRITE_NAVIGATION && !ref->in_frame;
    const char *modifier = to_bar ? "" : ref->in_frame ? "if_" : modifier_of(l, ref);
    if (to_bar) sharc_buf_printf(out, "%s/view", l->pages);
    sharc__serve_put_link(out, l->address, l->timestamp, modifier, sharc_url_href(ref->url));
    return 1;
}

/* --- what is to be rewritten ---------------------------------------------------------------- */

static bool is_one_of(struct sharc_span s, const char *const *names)
{
    for (; *names; names++)
        if (sharc_span_ieq(s, sharc_span_of(*names))) return true;
    return false;
}

/* What a program asks for as raw bytes, or the rewriter knows to be no page. */
static bool is_raw(const struct serve_address *a)
{
    static const char *const raw[] = {"id_", "js_", "im_", NULL};
    return is_one_of(a->modifier, raw);
}

static bool is_xml_page(struct sharc_span type)
{
    static const char *const xml[] = {"application/xhtml+xml", "image/svg+xml", NULL};
    return is_one_of(type, xml);
}

/* value: what a browser believes; see type.c. Other XML may hold a page, too, and is one when a browser shows it. */
static enum form form_of(const struct serve_call *c, const struct serve_address *a, struct sharc_span value)
{
    struct sharc_span type = sharc_http_media(value).type;
    if (is_raw(a)) return RAW;
    if (sharc_span_ieq(type, SHARC_SPAN("text/html"))) return PAGE;
    if (is_xml_page(type) || (sharc__serve_is_xml(type) && sharc__serve_guard_tag(c, true).p)) return XML_PAGE;
    /* A page without a doctype takes anything for a style sheet; others go by the type, which stays. */
    if (sharc_span_ieq(type, SHARC_SPAN("text/css")) || sharc_span_is(a->modifier, "cs_")) return STYLE;
    return type.n ? RAW : PAGE; /* without a type a browser looks at the bytes, and a page it must not be then */
}

/* --- answers ---------------------------------------------------------------------------------- */

static void send_raw(struct serve_call *c, const struct serve_rewrite *w, struct sharc_found **found)
{
    struct serve_rewrite looked = *w;
    if (sharc_found_get(*found, "Content-Encoding").p) looked.peek = sharc__serve_peek(*found);
    sharc__serve_head(c, &looked, /* content_changed= */ false);
    sharc__serve_payload(c, SHARC_TAKE(*found));
}

/* Pages, which a reader sees the address of, are shown under their own times. */
static bool is_navigation(const struct serve_address *a)
{
    return !a->modifier.n || sharc_span_is(a->modifier, "mp_") || sharc_span_is(a->modifier, "id_");
}

static int rewrite(const struct serve_call *c, const struct serve_rewrite *w, enum form form, struct sharc_span body,
                   struct sharc_buf *out)
{
    const struct serve_address *a = w->address;
    SHARC_AUTO(sharc_freep)
    char *time = a->timestamp.n ? sharc_span_dup(a->timestamp) : sharc_strdup(w->found->timestamp);
    bool keeps = sharc_span_is(a->modifier, "if_") || sharc_span_is(a->modifier, "mp_");
    SHARC_AUTO(sharc_freep) char *modifier = keeps ? sharc_span_dup(a->modifier) : sharc_strdup("");
    bool under_bar = sharc_span_is(a->modifier, "mp_") && form == PAGE;
    struct links l = {a, under_bar ? c->pages : NULL, time, modifier};
    enum sharc_charset_from from;
    struct sharc_url url = SHARC_URL_INIT;
    int r = sharc_url_parse(&url, w->found->url, NULL, NULL);
    struct sharc_rewrite how = {.url = &url,
                                .charset = sharc_extract_charset(body, w->type, &from),
                                .dialect = form == XML_PAGE ? SHARC_XML : SHARC_HTML,
                                .fn = put_link,
                                .arg = &l};
    bool runs = form != XML_PAGE || is_xml_page(sharc_http_media(w->type).type) || sharc__serve_xml_may_be_page(body);
    if ((is_navigation(a) || keeps) && runs) how.head = sharc__serve_guard_tag(c, form == XML_PAGE);
    how.head_in_all = true;
    if (l.pages) how.link_target = SHARC_SPAN("_top");
    if (r == 0)
        r = form == STYLE ? sharc_rewrite_css(body, &how, out, NULL) : sharc_rewrite_html(body, &how, out, NULL);
    sharc_url_done(&url);
    return r;
}

static void too_large(struct serve_call *c, const struct serve_rewrite *w)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf raw = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    sharc__serve_put_link(&raw, w->address, w->found->timestamp, "id_", w->found->url);
    sharc_http_answer_restart(c->answer); /* what is said instead is no memento */
    sharc__serve_plain(c, 500, "This page is too large to be rewritten (more than %d MiB). As it was archived: %s%s",
                       MOST_PAGE >> 20, c->replay, sharc_buf_str(&raw));
}

static void send_rewritten(struct serve_call *c, const struct serve_rewrite *w, enum form form,
                           struct sharc_found **found)
{
    struct sharc_found *f = *found;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(MOST_PAGE), out = SHARC_BUF_INIT(2 * MOST_PAGE);
    /* A body that is cut short is shown as far as it goes. */
    if (sharc_record_read_all(&f->record, SHARC_WARC_CONTENT, &body, NULL) == SHARC_ELIMIT) {
        too_large(c, w);
        return;
    }
    if (!sharc_found_intact(f)) {
        sharc__serve_shortened(c);
        return;
    }
    struct serve_rewrite typed = *w;
    if (!w->type.n)
        typed.type = form == STYLE ? SHARC_SPAN("text/css") : sharc__serve_type_of_bytes(sharc_buf_span(&body));
    bool plain = form == PAGE && !sharc_span_istarts(typed.type, SHARC_SPAN("text/html"));
    if (!plain && rewrite(c, &typed, form, sharc_buf_span(&body), &out) < 0) {
        too_large(c, w);
        return;
    }
    sharc__serve_head(c, &typed, /* content_changed= */ true);
    sharc__serve_body(c, plain ? &body : &out);
}

static void send_found(struct serve_call *c, const struct serve_address *a, struct sharc_found **found)
{
    struct sharc_found *f = *found;
    const struct serve_rewrite w = {.address = a,
                                    .found = f,
                                    .type = is_raw(a) ? SHARC_SPAN_NONE : sharc__serve_type(f)};
    bool interim = f->status < 200; /* an answer such as 100 cannot be given once more */
    bool exact = !interim && a->timestamp.n >= 14 && sharc_span_starts(sharc_span_of(f->timestamp), a->timestamp);
    sharc__serve_status(c, interim ? 502 : f->status);
    sharc__serve_policy(c);
    enum form form = form_of(c, a, w.type);
    struct serve_address of = *a;
    if (f->approximate) {
        sharc__serve_header(c, "Sharc-Match", SHARC_SPAN("approximate"));
        of.url = f->url; /* that is what there is a memento of */
        exact = false;
    }
    sharc__serve_memento(c, &of, f, exact, is_navigation(a) && !f->approximate);
    __atomic_add_fetch(&c->server->totals.mementos, 1, __ATOMIC_RELAXED);
    /* Pieces of films and documents are put together; of a page that a browser shows, the piece is rewritten. */
    bool piece = form == RAW || form == STYLE;
    if (piece && sharc__serve_joined(c, a, f)) return;
    if (form == RAW || (piece && f->status == 206) || !sharc_span_istarts(f->url, SHARC_SPAN("http")))
        send_raw(c, &w, found);
    else
        send_rewritten(c, &w, form, found);
}

/* --- what cannot be shown ------------------------------------------------------------------------ */

static void send_failure(struct serve_call *c, const struct serve_address *a, int code, const char *text)
{
    switch (code) {
    case SHARC_ENOENT:
        sharc__serve_page_error(c, 404, "Not in this archive", text, a->url, !sharc_span_is(a->mapping, "asof"));
        return;
    case SHARC_EINVAL: sharc__serve_page_error(c, 400, "Not a time", text, a->url, false); return;
    default:
        sharc__serve_header(c, "Retry-After", SHARC_SPAN("60"));
        sharc__serve_page_error(c, 503, "Cannot be shown", text, a->url, false);
    }
}

void sharc__serve_replay(struct serve_call *c, const struct serve_address *a)
{
    const struct sharc_http_request *q = c->request;
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_wish w = {.url = a->url, .timestamp = a->timestamp, .mapping = sharc__serve_mapping(a->mapping)};
    bool sends = sharc_span_is(q->method, "POST") || sharc_span_is(q->method, "PUT");
    if (sends) {
        w.method = q->method;
        w.content_type = sharc_http_request_header(q, "Content-Type");
        w.body = q->body;
    }
    if (sharc_span_is(sharc_http_request_header(q, "Service-Worker"), "script")) {
        sharc__serve_plain(c, 403, "Service workers of archived pages are not run.");
        return;
    }
    if (!sends && is_navigation(a) && sharc__serve_go_to_instant(c, a, "")) return;
    int r = sharc_find(c->edition, &w, &f, &err);
    if (r == SHARC_ENOENT && sharc__serve_find_similar(c->edition, &w, &f) == 0) r = 0;
    if (r < 0) {
        send_failure(c, a, r, err.text);
        return;
    }
    bool exact = a->timestamp.n >= 14 && sharc_span_starts(sharc_span_of(f->timestamp), a->timestamp);
    if (!exact && !sends && sharc_span_is(a->mapping, "web") && is_navigation(a)) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
        SHARC_AUTO(sharc_freep) char *modifier = sharc_span_dup(a->modifier);
        sharc__serve_put_link(&to, a, f->timestamp, modifier, a->url);
        sharc__serve_redirect(c, 302, "%s", sharc_buf_str(&to));
        return;
    }
    if (!sharc__serve_refuse(c, a, f)) send_found(c, a, &f);
}

/* --- addresses that scripts made ------------------------------------------------------------------- */

static const char *modifier_of_destination(const struct serve_call *c)
{
    static const char *const known[][2] = {{"script", "js_"}, {"style", "cs_"}, {"image", "im_"},
                                           {"iframe", "if_"}, {"document", ""}, {"worker", "js_"}};
    struct sharc_span to = sharc_http_request_header(c->request, "Sec-Fetch-Dest");
    for (size_t i = 0; i < SHARC_LENGTH(known); i++)
        if (sharc_span_is(to, known[i][0])) return known[i][1];
    return "oe_";
}

void sharc__serve_by_referrer(struct serve_call *c)
{
    struct sharc_span from = sharc_http_request_header(c->request, "Referer");
    struct serve_address page = {.star = false};
    struct sharc_url base = SHARC_URL_INIT, url = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    if (sharc_span_starts(from, sharc_span_of(c->own)) &&
        sharc__serve_address_read(&page, sharc_span_from(from, strlen(c->own))) && !page.star &&
        sharc_url_parse(&base, page.url, NULL, NULL) == 0 && sharc_url_is_http(&base) &&
        sharc_url_parse(&url, c->request->target, &base, NULL) == 0 && sharc_url_is_http(&url)) {
        SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(page.timestamp);
        sharc__serve_put_link(&to, &page, time, modifier_of_destination(c), sharc_url_href(&url));
    }
    if (to.n && !to.failed)
        sharc__serve_redirect(c, 307, "%s", sharc_buf_str(&to));
    else
        sharc__serve_page_error(c, 404, "Nothing here", "This address is none of an archived page.", SHARC_SPAN_NONE,
                                false);
    sharc__serve_address_done(&page);
    sharc_url_done(&base);
    sharc_url_done(&url);
}
