/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a page, and knowing when it is complete.
 */
#include "view_int.h"

#include "sharc/base_limits.h"
#include "sharc/url.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    QUIET = 500, /* milliseconds without a request, for a page that answers */
    PROMPT = 60, /* within this many milliseconds */
    STEPS = 40,  /* of scrolling */
};

#define PATIENCE (20 * SHARC_SEC) /* with a page that must be expected not to answer */

/* --- questions to a page ------------------------------------------------------------------------- */

static int make_world(struct sharc_view *v, const struct sharc_browser_session *s, struct sharc_span frame,
                      sharc_time most, int64_t *ret, struct sharc_err *reterr)
{
    const struct sharc_node *answer = NULL;
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Page.createIsolatedWorld");
    if (frame.n)
        sharc_json_span(j, "frameId", frame);
    else
        sharc_json_str(j, "frameId", s->target);
    sharc_json_str(j, "worldName", "sharc");
    int r = sharc_browser_call(v->browser, most, &answer, reterr);
    if (r == 0) *ret = sharc_node_int(sharc_node_get(answer, "executionContextId"), 0);
    return r;
}

int sharc__view_ask(struct sharc_view *v, const struct sharc_browser_session *s, struct sharc_span frame,
                    const char *expression, sharc_time most, struct sharc_span *ret, struct sharc_err *reterr)
{
    const struct sharc_browser_session own = *s; /* that may go away while we wait */
    const struct sharc_node *answer = NULL;
    int64_t world = 0;
    int r = make_world(v, &own, frame, most, &world, reterr);
    if (r < 0) return r;
    struct sharc_json *j = sharc_browser_begin(v->browser, &own, "Runtime.evaluate");
    sharc_json_str(j, "expression", expression);
    sharc_json_int(j, "contextId", world);
    sharc_json_bool(j, "awaitPromise", true);
    sharc_json_bool(j, "returnByValue", true);
    r = sharc_browser_call(v->browser, most, &answer, reterr);
    if (r == 0 && ret) *ret = sharc_node_text(sharc_node_get(sharc_node_get(answer, "result"), "value"));
    return r;
}

/* --- opening --------------------------------------------------------------------------------------- */

static int make_context(struct sharc_view *v, struct sharc_view_page *p, struct sharc_err *reterr)
{
    const struct sharc_node *answer = NULL;
    struct sharc_json *j = sharc_browser_begin(v->browser, NULL, "Target.createBrowserContext");
    sharc_json_str(j, "proxyServer", "http://127.0.0.1:1");
    sharc_json_str(j, "proxyBypassList", "<-loopback>");
    int r = sharc_browser_call(v->browser, SHARC_MINUTE, &answer, reterr);
    if (r < 0) return r;
    struct sharc_span id = sharc_node_text(sharc_node_get(answer, "browserContextId"));
    SHARC_FAIL_IF(!id.n || id.n >= sizeof p->context, reterr, SHARC_EIO, "the browser makes no room for a page");
    memcpy(p->context, id.p, id.n);
    return 0;
}

static void close_blank(struct sharc_view *v)
{
    struct sharc_json *j = sharc_browser_begin(v->browser, NULL, "Target.closeTarget");
    sharc_json_str(j, "targetId", v->blank);
    sharc_browser_send(v->browser);
    v->blank[0] = 0;
}

static int make_tab(struct sharc_view *v, struct sharc_view_page *p, struct sharc_err *reterr)
{
    int r = v->o.browser.window ? 0 : make_context(v, p, reterr);
    if (r < 0) return r;
    struct sharc_json *j = sharc_browser_begin(v->browser, NULL, "Target.createTarget");
    sharc_json_str(j, "url", "about:blank");
    if (p->context[0]) sharc_json_str(j, "browserContextId", p->context);
    r = sharc_browser_call(v->browser, SHARC_MINUTE, NULL, reterr);
    while (r >= 0 && !sharc__view_main(p)) r = sharc_browser_wait(v->browser, SHARC_SEC, reterr);
    if (r >= 0 && v->o.browser.window && v->blank[0]) close_blank(v);
    return r < 0 ? r : 0;
}

static int set_size(struct sharc_view *v, const struct sharc_browser_session *s, struct sharc_err *reterr)
{
    const struct sharc_browser_options *o = &v->o.browser;
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Emulation.setDeviceMetricsOverride");
    sharc_json_uint(j, "width", o->width ? o->width : 1280);
    sharc_json_uint(j, "height", o->height ? o->height : 800);
    sharc_json_int(j, "deviceScaleFactor", 1);
    sharc_json_bool(j, "mobile", false);
    return sharc_browser_call(v->browser, SHARC_MINUTE, NULL, reterr);
}

static int navigate(struct sharc_view *v, struct sharc_view_page *p, struct sharc_span fragment,
                    struct sharc_err *reterr)
{
    const struct sharc_browser_session own = *sharc__view_main(p)->session, *s = &own;
    const struct sharc_node *answer = NULL;
    SHARC_AUTO(sharc_freep)
    char *url = sharc_asprintf("%s%s%.*s", p->url, fragment.n ? "#" : "", SHARC_SPAN_ARG(fragment));
    /* The page has its clock when this is answered: navigations do not wait for what was sent before. */
    sharc_browser_begin(v->browser, s, "Page.getFrameTree");
    int r = sharc_browser_call(v->browser, SHARC_MINUTE, NULL, reterr);
    if (r == 0 && !v->o.browser.window) r = set_size(v, s, reterr);
    if (r < 0) return r;
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Page.navigate");
    sharc_json_str(j, "url", url);
    r = sharc_browser_call(v->browser, SHARC_MINUTE, &answer, reterr);
    if (r < 0) return r;
    struct sharc_span why = sharc_node_text(sharc_node_get(answer, "errorText"));
    SHARC_FAIL_IF(why.n && sharc_node_bool(sharc_node_get(answer, "isDownload"), false), reterr, SHARC_EUNSUPPORTED,
                  "%s: this is a download, no page", p->url);
    SHARC_FAIL_IF(why.n, reterr, SHARC_EUNSUPPORTED, "%s: the browser does not show it: %.*s", p->url,
                  SHARC_SPAN_ARG(why));
    return 0;
}

/* The first page is looked up before the browser asks, so that it begins under the address of its capture. */
static int choose(struct sharc_view *v, struct sharc_span url, struct sharc_span timestamp, struct sharc_view_page *p,
                  struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    const struct sharc_wish w = {.url = url, .timestamp = timestamp, .mapping = v->o.mapping};
    int r = sharc_find(v->o.edition, &w, &f, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!sharc_span_istarts(f->url, SHARC_SPAN("http")), reterr, SHARC_EUNSUPPORTED,
                  "only pages with an http or https address can be viewed");
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    r = sharc_url_parse(&u, f->url, NULL, reterr);
    if (r < 0) return r;
    p->url = sharc_span_dup(sharc_url_page(&u));
    memcpy(p->timestamp, f->timestamp, sizeof p->timestamp);
    struct sharc_span at = timestamp.n && timestamp.n < sizeof p->at ? timestamp : sharc_span_of(f->timestamp);
    memcpy(p->at, at.p, at.n);
    return 0;
}

int sharc_view_open(struct sharc_view *v, struct sharc_span url, struct sharc_span timestamp,
                    struct sharc_view_page **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    int r = sharc_url_parse(&u, url, NULL, reterr);
    if (r < 0) return r;
    struct sharc_view_page *p = SHARC_NEW(struct sharc_view_page);
    SHARC_GROW(v->pages, v->page_room, v->page_count + 1);
    v->pages[v->page_count++] = p;
    struct sharc_span whole = sharc_url_href(&u), page = sharc_url_page(&u);
    struct sharc_span fragment = whole.n > page.n + 1 ? sharc_span_from(whole, page.n + 1) : SHARC_SPAN_NONE;
    r = choose(v, page, timestamp, p, reterr);
    if (r == 0) r = make_tab(v, p, reterr);
    p->last = sharc_clock_mono();
    if (r == 0) r = navigate(v, p, fragment, reterr);
    if (r < 0)
        sharc_view_close(v, p);
    else
        *ret = p;
    return r;
}

/* --- coming to rest ------------------------------------------------------------------------------------ */

static int check_alive(const struct sharc_view_page *p, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(p->crashed, reterr, SHARC_ECORRUPT, "%s: the page made the browser's process for it crash", p->url);
    SHARC_FAIL_IF(!sharc__view_main(p), reterr, SHARC_ECORRUPT, "%s: the page has closed itself", p->url);
    return 0;
}

/* Does a page that did not come to rest still answer? */
static int probe(struct sharc_view *v, struct sharc_view_page *p, struct sharc_err *reterr)
{
    int r = check_alive(p, reterr);
    p->over = true; /* else a page that loads itself again and again would not */
    if (r == 0) r = sharc__view_ask(v, sharc__view_main(p)->session, SHARC_SPAN_NONE, "0", PATIENCE, NULL, reterr);
    p->hangs = r == SHARC_EBUSY;
    return r == SHARC_EINVAL || r == SHARC_EBUSY ? 0 : r;
}

/* Has nothing been asked for long enough? A page that is slow to answer had less time to ask. */
static bool quiet(const struct sharc_view_page *p, double took)
{
    const double slow = took * 1000 / PROMPT;
    return sharc_clock_mono() >= p->last + QUIET / 1000.0 * (slow > 1 ? slow : 1);
}

/* Nothing was asked for for a while, and the page had time to do so: it still answers. */
static int rest(struct sharc_view *v, struct sharc_view_page *p, double until, struct sharc_err *reterr)
{
    p->at_rest = false;
    while (!p->at_rest && sharc_clock_mono() < until) {
        int r = sharc_browser_wait(v->browser, 50 * SHARC_MSEC, reterr);
        if (r >= 0) r = check_alive(p, reterr);
        if (r < 0) return r;
        if (!p->loaded || !quiet(p, 0)) continue;
        const uint64_t asked = p->asked;
        const double begin = sharc_clock_mono(), left = until - begin;
        struct sharc_err err = SHARC_ERR_INIT;
        r = sharc__view_ask(v, sharc__view_main(p)->session, SHARC_SPAN_NONE,
                            "new Promise(r => setTimeout(() => setTimeout(r, 10), 10))",
                            sharc_time_of_seconds(left > 1 ? left : 1), NULL, &err);
        if (r == SHARC_EIO || r == SHARC_EINTR) {
            *reterr = err;
            return r;
        }
        /* refused: another page has come in between */
        p->at_rest = r == 0 && p->asked == asked && quiet(p, sharc_clock_mono() - begin);
    }
    return p->at_rest ? 0 : probe(v, p, reterr);
}

static int settle(struct sharc_view *v, struct sharc_view_page *page, struct sharc_err *e)
{
    double until = sharc_clock_mono() + (double)v->o.wait / (double)SHARC_SEC;
    char scroll[400];
    int r = rest(v, page, until, e);
    if (r >= 0) r = check_alive(page, e);
    if (r < 0 || !page->at_rest) return r;
    snprintf(scroll, sizeof scroll,
             "(async () => { const e = document.scrollingElement; if (!e) return; const h = innerHeight || 800;"
             "for (let i = 1; i <= %d && i * h < e.scrollHeight; i++) { scrollTo({top: i * h, behavior: 'instant'});"
             "await new Promise(r => setTimeout(r, 30)); } scrollTo({top: 0, behavior: 'instant'}); })()",
             STEPS);
    double left = until - sharc_clock_mono();
    r = sharc__view_ask(v, sharc__view_main(page)->session, SHARC_SPAN_NONE, scroll,
                        sharc_time_of_seconds(left > 1 ? left : 1), NULL, e);
    if (r == SHARC_EIO || r == SHARC_EINTR) return r;
    page->last = sharc_clock_mono();
    return rest(v, page, until, e);
}

/* What is looked at then does not go away. */
int sharc_view_settle(struct sharc_view *v, struct sharc_view_page *page, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = settle(v, page, &err);
    page->over = true;
    if (r < 0 && reterr) *reterr = err;
    return r;
}

int sharc_view_stay(struct sharc_view *v, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (;;) {
        bool open = false;
        for (size_t i = 0; i < v->page_count; i++) open = open || !v->pages[i]->gone;
        if (!open) return 0;
        int r = sharc_browser_wait(v->browser, SHARC_SEC, &err);
        if (r == SHARC_EIO && strstr(err.text, "exit code 0")) return 0; /* the reader has closed it */
        if (r < 0) {
            if (reterr) *reterr = err;
            return r;
        }
    }
}
