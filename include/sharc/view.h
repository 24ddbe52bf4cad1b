/* SPDX-License-Identifier: Apache-2.0
 *
 * Archived pages in a real browser, as they were: every request that it makes is answered from an edition, under the
 * addresses of that time. Nothing is rewritten, nothing is fetched.
 *
 *   r = sharc_view_start(&(struct sharc_view_options){.edition = e, .browser = {.program = …}}, &v, &err);
 *   r = sharc_view_open(v, url, SHARC_SPAN("20260301"), &page, &err);
 *   … sharc_view_screenshot(v, page, &png, &err) … sharc_view_request(page, i) …
 *   sharc_view_close(v, page);
 *   sharc_view_stop(v);
 *
 * The page is the capture that suits the time and the mapping, its parts are chosen by the page's own time
 * (nearest) or by the time asked for (the other mappings), as sharc_find does it: revisits with the payload of their
 * originals, redirects to the same page passed over. Clocks and random numbers of scripts are those of the capture: the
 * same page asks for the same parts each time. Pages that are open at the same time have nothing in common.
 */
#ifndef SHARC_VIEW_H
#define SHARC_VIEW_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/browser.h"
#include "sharc/serve_collection.h"

SHARC_PRIVATE_BEGIN

#define SHARC_LIMIT_VIEW_BODY (64u << 20) /* a part in one answer; larger ones only by ranges */
#define SHARC_LIMIT_VIEW_REQUESTS 100000u /* remembered of a page; further ones are answered and counted */
#define SHARC_LIMIT_VIEW_PIXELS 16384u    /* height of a screenshot; the rest of the page is left out */

struct sharc_view_options {
    const struct sharc_edition *edition; /* must outlive the view */
    enum sharc_mapping mapping;
    sharc_time wait;                      /* for a page to come to rest; what is not there then is missing */
    struct sharc_browser_options browser; /* event and arg are not used */
};

/* One request of a page, and where its answer came from. */
enum sharc_view_outcome {
    SHARC_VIEW_ARCHIVED,
    SHARC_VIEW_MISSING,   /* there is no capture of it: answered with 404 */
    SHARC_VIEW_BROKEN,    /* there is, but it cannot be read: 503 */
    SHARC_VIEW_TOO_LARGE, /* and was not asked for by ranges: 503 */
    SHARC_VIEW_LED,       /* sent to the address under which the page was captured */
    SHARC_VIEW_ALLOWED,   /* a question whether a script may ask (CORS preflight): yes */
    SHARC_VIEW_REFUSED,   /* nothing that an archive could answer, or the browser did not take it */
};
const char *sharc_view_outcome_text(enum sharc_view_outcome o);

struct sharc_view_request {
    const char *url;
    char method[16], type[24]; /* "GET"; what Chromium calls it: "Document", "Image" … */
    enum sharc_view_outcome outcome;
    int status;
    char timestamp[18]; /* of the capture; "": none */
    sharc_time when;
    uint64_t size; /* of the body as the browser got it */
    bool revisit;  /* with the payload of another record */
    bool cut;      /* the record ends too early */
    bool shared;   /* other sites may read it, though the capture does not say so (CORS) */
};

struct sharc_view;
struct sharc_view_page;

int sharc_view_start(const struct sharc_view_options *o, struct sharc_view **ret, struct sharc_err *reterr);
void sharc_view_stop(struct sharc_view *v); /* NULL is fine; open pages are closed */
void sharc_view_stopp(struct sharc_view **v);
struct sharc_browser *sharc_view_browser(struct sharc_view *v);

/* Begin to load a page; it comes to rest while sharc_view_settle or sharc_view_stay run. Errors as sharc_find, and of
 * the browser. */
int sharc_view_open(struct sharc_view *v, struct sharc_span url, struct sharc_span timestamp,
                    struct sharc_view_page **ret, struct sharc_err *reterr);
/* Wait until nothing has been asked for for half a second, twice: as loaded, and scrolled through (what is loaded
 * only when it is seen). */
int sharc_view_settle(struct sharc_view *v, struct sharc_view_page *page, struct sharc_err *reterr);
/* With a window: until the reader closes it. */
int sharc_view_stay(struct sharc_view *v, struct sharc_err *reterr);
void sharc_view_close(struct sharc_view *v, struct sharc_view_page *page);

/* What is on screen. */
const char *sharc_view_url(const struct sharc_view_page *page);       /* under which it was captured */
const char *sharc_view_timestamp(const struct sharc_view_page *page); /* of its capture */
bool sharc_view_at_rest(const struct sharc_view_page *page);          /* or was the waiting time over? */
size_t sharc_view_requests(const struct sharc_view_page *page);
const struct sharc_view_request *sharc_view_request(const struct sharc_view_page *page, size_t i);
/* Pictures, print and text of it, appended to out, whose maximum counts. */
int sharc_view_screenshot(struct sharc_view *v, struct sharc_view_page *page, struct sharc_buf *out,
                          struct sharc_err *reterr);
int sharc_view_pdf(struct sharc_view *v, struct sharc_view_page *page, struct sharc_buf *out, struct sharc_err *reterr);
/* The visible text, that of frames behind it. */
int sharc_view_text(struct sharc_view *v, struct sharc_view_page *page, struct sharc_buf *out,
                    struct sharc_err *reterr);

/* --- many pages ----------------------------------------------------------------------------------- */

/* Which HTML pages there are, each once: of the captures from … to (digits, empty: open) the last one not after
 * `reference`, or the first one if all are later. reference empty: the last one. */
struct sharc_view_item {
    char *url;
    char timestamp[18];
};
struct sharc_view_plan {
    struct sharc_view_item *items; /* by key */
    size_t count, room;
};
int sharc_view_plan(const struct sharc_edition *e, struct sharc_span from, struct sharc_span to,
                    struct sharc_span reference, struct sharc_view_plan *ret, struct sharc_err *reterr);
void sharc_view_plan_done(struct sharc_view_plan *p);

struct sharc_view_shot {
    const struct sharc_view_item *item;
    const struct sharc_view_page *page; /* NULL: it could not be shown */
    struct sharc_span png;
    const struct sharc_err *failed; /* page == NULL: why */
};
/* < 0 ends the series with this. */
typedef int sharc_view_shot_fn(void *arg, const struct sharc_view_shot *shot, struct sharc_err *reterr);
/* Screenshots of all of them, in their order; this many load at a time (at least 1). What is wrong with a page is told
 * by its shot; only what ends the browser ends the series. */
int sharc_view_series(struct sharc_view *v, const struct sharc_view_plan *plan, unsigned tabs, sharc_view_shot_fn *fn,
                      void *arg, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
