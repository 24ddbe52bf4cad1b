/* SPDX-License-Identifier: Apache-2.0
 *
 * Views: the browser, its sessions, and the pages that are open.
 */
#include "view_int.h"

#include <stdlib.h>

const char *sharc_view_outcome_text(enum sharc_view_outcome o)
{
    switch (o) {
    case SHARC_VIEW_ARCHIVED: return "archived";
    case SHARC_VIEW_MISSING: return "missing";
    case SHARC_VIEW_BROKEN: return "broken";
    case SHARC_VIEW_TOO_LARGE: return "too large";
    case SHARC_VIEW_LED: return "led on";
    case SHARC_VIEW_ALLOWED: return "allowed";
    case SHARC_VIEW_REFUSED: return "refused";
    }
    return "refused";
}

/* --- who asks ------------------------------------------------------------------------------------ */

static struct sharc_view_page *page_of(const struct sharc_view *v, const struct sharc_browser_session *s)
{
    while (!s->context[0] && s->parent) s = s->parent; /* of workers it is not told */
    for (size_t i = 0; i < v->page_count; i++)
        if (v->o.browser.window || strcmp(v->pages[i]->context, s->context) == 0) return v->pages[i];
    return NULL;
}

struct view_tab *sharc__view_main(const struct sharc_view_page *page)
{
    return page->has_main && page->tab_count ? page->tabs[0] : NULL;
}

struct view_tab *sharc__view_tab(struct sharc_view *v, const struct sharc_browser_session *s)
{
    const struct sharc_view_page *p = page_of(v, s);
    for (const struct sharc_browser_session *up = s; p && up; up = up->parent)
        for (size_t i = 0; i < p->tab_count; i++)
            if (p->tabs[i]->session == up) return p->tabs[i];
    return p && p->tab_count ? p->tabs[p->tab_count - 1] : NULL; /* workers that belong to no tab alone */
}

static bool is_document(const struct sharc_browser_session *s)
{
    return strcmp(s->kind, "page") == 0 || strcmp(s->kind, "iframe") == 0;
}

/* --- sessions come and go --------------------------------------------------------------------------- */

static void send_simple(struct sharc_view *v, const struct sharc_browser_session *s, const char *method)
{
    sharc_browser_begin(v->browser, s, method);
    sharc_browser_send(v->browser);
}

static void intercept(struct sharc_view *v, const struct sharc_browser_session *s)
{
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Fetch.enable");
    sharc_json_array(j, "patterns");
    sharc_json_object(j, NULL);
    sharc_json_str(j, "urlPattern", "*");
    sharc_json_end(j);
    sharc_json_end(j);
    sharc_browser_send(v->browser);
}

static void freeze(struct sharc_view *v, const struct sharc_browser_session *s, const struct sharc_view_page *p)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf script = SHARC_BUF_INIT(64u << 10);
    sharc_time when;
    if (sharc_time_parse(sharc_span_of(p->timestamp), &when, NULL) < 0) return;
    sharc__view_freeze(when, &script);
    bool document = is_document(s);
    struct sharc_json *j =
        sharc_browser_begin(v->browser, s, document ? "Page.addScriptToEvaluateOnNewDocument" : "Runtime.evaluate");
    sharc_json_span(j, document ? "source" : "expression", sharc_buf_span(&script));
    sharc_browser_send(v->browser);
}

static void attached(struct sharc_view *v, struct sharc_browser_session *s)
{
    struct sharc_view_page *p = page_of(v, s);
    intercept(v, s);
    if (is_document(s)) send_simple(v, s, "Page.enable");
    if (!p && strcmp(s->kind, "page") == 0) memcpy(v->blank, s->target, sizeof v->blank);
    if (!p) return;
    freeze(v, s, p);
    if (strcmp(s->kind, "page") != 0) return;
    struct view_tab *t = SHARC_NEW(struct view_tab);
    t->page = p;
    t->session = s;
    SHARC_GROW(p->tabs, p->tab_room, p->tab_count + 1);
    p->tabs[p->tab_count++] = t;
    p->has_main = p->has_main || p->tab_count == 1;
}

static void detached(struct sharc_view *v, const struct sharc_browser_session *s)
{
    struct sharc_view_page *p = page_of(v, s);
    for (size_t i = 0; p && i < p->tab_count; i++) {
        if (p->tabs[i]->session != s) continue;
        free(p->tabs[i]);
        memmove(&p->tabs[i], &p->tabs[i + 1], (p->tab_count - i - 1) * sizeof *p->tabs);
        p->tab_count--;
        if (i == 0) p->has_main = false;
        p->gone = p->tab_count == 0;
        return;
    }
}

/* Nobody is there to answer; a page that asks whether to be left is left. */
static void close_dialog(struct sharc_view *v, const struct sharc_browser_session *s, const struct sharc_node *params)
{
    if (v->o.browser.window) return;
    bool leave = sharc_span_is(sharc_node_text(sharc_node_get(params, "type")), "beforeunload");
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Page.handleJavaScriptDialog");
    sharc_json_bool(j, "accept", leave);
    sharc_browser_send(v->browser);
}

static void event(void *arg, struct sharc_browser *b, const struct sharc_browser_event *e)
{
    struct sharc_view *v = arg;
    v->browser = b; /* the first ones come while it is started */
    if (e->kind == SHARC_BROWSER_ATTACHED) {
        attached(v, e->session);
    } else if (e->kind == SHARC_BROWSER_DETACHED) {
        detached(v, e->session);
    } else if (e->kind == SHARC_BROWSER_REFUSED) {
        sharc__view_not_taken(v, e->command);
    } else if (e->session && sharc_span_is(e->method, "Fetch.requestPaused")) {
        sharc__view_answer(v, e->session, e->params);
    } else if (e->session && sharc_span_is(e->method, "Page.javascriptDialogOpening")) {
        close_dialog(v, e->session, e->params);
    } else if (e->session) {
        struct view_tab *t = sharc__view_tab(v, e->session);
        if (!t || t->session != e->session) return;
        if (sharc_span_is(e->method, "Page.loadEventFired")) {
            t->page->loaded = true;
            t->page->last = sharc_clock_mono();
        }
        if (sharc_span_is(e->method, "Inspector.targetCrashed")) t->page->crashed = true;
    }
}

/* --- life ------------------------------------------------------------------------------------------- */

int sharc_view_start(const struct sharc_view_options *o, struct sharc_view **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_view_stopp) struct sharc_view *v = SHARC_NEW(struct sharc_view);
    v->o = *o;
    v->o.browser.event = event;
    v->o.browser.arg = v;
    struct sharc_browser *b = NULL;
    int r = sharc_browser_start(&v->o.browser, &b, reterr);
    v->browser = r < 0 ? NULL : b;
    if (r == 0) *ret = SHARC_TAKE(v);
    return r;
}

static void page_free(struct sharc_view_page *p)
{
    for (size_t i = 0; i < p->tab_count; i++) free(p->tabs[i]);
    for (size_t i = 0; i < p->request_count; i++) free((char *)p->requests[i].url);
    free(p->tabs);
    free(p->requests);
    free(p->url);
    free(p);
}

void sharc_view_stop(struct sharc_view *v)
{
    if (!v) return;
    sharc_browser_stop(v->browser);
    for (size_t i = 0; i < v->page_count; i++) page_free(v->pages[i]);
    free(v->pages);
    free(v);
}

void sharc_view_stopp(struct sharc_view **v)
{
    sharc_view_stop(*v);
    *v = NULL;
}

struct sharc_browser *sharc_view_browser(struct sharc_view *v)
{
    return v->browser;
}

void sharc_view_close(struct sharc_view *v, struct sharc_view_page *page)
{
    if (page->context[0]) {
        struct sharc_json *j = sharc_browser_begin(v->browser, NULL, "Target.disposeBrowserContext");
        sharc_json_str(j, "browserContextId", page->context);
        sharc_browser_send(v->browser);
    }
    for (size_t i = 0; i < VIEW_SENT; i++)
        if (v->sent[i].page == page) v->sent[i].page = NULL;
    for (size_t i = 0; i < v->page_count; i++)
        if (v->pages[i] == page) v->pages[i] = v->pages[--v->page_count];
    page_free(page);
}

/* --- what is known of a page --------------------------------------------------------------------------- */

const char *sharc_view_url(const struct sharc_view_page *page)
{
    return page->url;
}

const char *sharc_view_timestamp(const struct sharc_view_page *page)
{
    return page->timestamp;
}

bool sharc_view_at_rest(const struct sharc_view_page *page)
{
    return page->at_rest;
}

size_t sharc_view_requests(const struct sharc_view_page *page)
{
    return page->request_count;
}

const struct sharc_view_request *sharc_view_request(const struct sharc_view_page *page, size_t i)
{
    return &page->requests[i];
}
