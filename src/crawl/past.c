/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks of the catalogue as a past, and rates from it: told when a recurring
 * capture begins, written down when one ends.
 */
#include "sharc/crawl_past.h"

#include "crawl_int.h"

#include <math.h>
#include <stdlib.h>

static double seconds(sharc_time t)
{
    return (double)t / (double)SHARC_SEC;
}

static bool is_gone(int status)
{
    return status == 404 || status == 410;
}

/* A download that failed says nothing about the page. */
static bool says_something(int status)
{
    return is_gone(status) || (status >= 200 && status <= 399);
}

static void add_look(struct sharc_rate_past *past, const struct sharc_store_seen *seen)
{
    if (!says_something(seen->status)) return;
    const sharc_time stated = seen->last_modified != SHARC_TIME_NONE ? seen->last_modified : seen->stated;
    const bool aged = stated != SHARC_TIME_NONE && stated <= seen->when && !is_gone(seen->status);
    const struct sharc_rate_past_look look = {.when = seconds(seen->when),
                                              .changed = seen->changed,
                                              .gone = is_gone(seen->status),
                                              .age = aged ? seconds(seen->when - stated) : (double)NAN};
    sharc_rate_past_look(past, &look);
}

static int read_captures(struct sharc_store *store, const struct sharc_store_seen_filter *f,
                         struct sharc_rate_past *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter filter = SHARC_STORE_CAPTURE_FILTER_INIT;
    filter.site = f->site;
    int r = sharc_store_captures(store, &filter, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture c;
        sharc_store_read_capture(rows, &c);
        if (c.state == SHARC_CAPTURE_RUNNING || c.state == SHARC_CAPTURE_INTERRUPTED) continue;
        const bool inside = c.end != SHARC_TIME_NONE && (f->to == SHARC_TIME_NONE || c.end <= f->to) &&
                            (f->from == SHARC_TIME_NONE || c.end >= f->from);
        if (inside) sharc_rate_past_capture(ret, c.site, seconds(c.end));
    }
    return r < 0 ? r : 0;
}

int sharc_crawl_past_read(struct sharc_store *store, const struct sharc_store_seen_filter *f,
                          const struct sharc_crawl_past *how, struct sharc_rate_past *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    sharc_store_id url = 0;
    bool wanted = false;
    int r = read_captures(store, f, ret, reterr);
    if (r == 0) r = sharc_store_observations(store, f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_seen seen;
        sharc_store_read_seen(rows, &seen);
        if (seen.url_id != url) {
            const struct sharc_span text = how->page(how->arg, &seen);
            url = seen.url_id;
            wanted = text.p != NULL;
            if (wanted) sharc_rate_past_page(ret, text);
        }
        if (!wanted) continue;
        add_look(ret, &seen);
        if (how->look) how->look(how->arg, &seen);
    }
    return r < 0 ? r : 0;
}

struct sharc_rate_past_options sharc_crawl_past_options(sharc_time now)
{
    return (struct sharc_rate_past_options){.now = seconds(now), .window = RATE_WINDOW, .grain = RATE_GRAIN};
}

/* --- pages of a site that is crawled --------------------------------------------------- */

struct learning {
    struct site *site;
    uint32_t *page; /* by number in the past */
    size_t count, room;
};

/* What the strategy knows, and nothing else. */
static struct sharc_span known_page(void *arg, const struct sharc_store_seen *seen)
{
    struct learning *l = arg;
    struct pages *pages = &l->site->pages;
    const uint32_t page = sharc_intern_find(pages->urls, seen->url);
    if (page == SHARC_NO_ID || !(pages->page[page].flags & PAGE_TOLD)) return SHARC_SPAN_NONE;
    if (pages->page[page].reason == SHARC_SKIP_CANONICAL) return SHARC_SPAN_NONE;
    SHARC_GROW(l->page, l->room, l->count + 1);
    l->page[l->count++] = page;
    return page_url(pages, page);
}

static int read_past(struct learning *l, struct sharc_rate_past *past, struct sharc_err *reterr)
{
    const struct sharc_store_seen_filter f = {.site = l->site->id, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    const struct sharc_crawl_past how = {.page = known_page, .arg = l};
    return sharc_crawl_past_read(l->site->crawl->w.store, &f, &how, past, reterr);
}

/* A page that was looked at more than once keeps what its history says; of others the
 * age is all that is known, and this capture will know better. */
static void tell(const struct learning *l, const struct sharc_rate_past *past, const struct sharc_rate_estimate *rate)
{
    struct site *s = l->site;
    for (uint32_t i = 0; i < l->count; i++) {
        const uint32_t page = l->page[i];
        struct page *p = &s->pages.page[page];
        struct sharc_rate_past_page about;
        sharc_rate_past_about(past, i, &about);
        p->rate = (float)sharc_rate_live_seen(s->live, page, page_url(&s->pages, page), about.age);
        if (about.looks > 0) {
            p->rate = (float)rate[i].rate;
            p->flags |= PAGE_RATED;
        }
        sharc__crawl_j_page(s, page);
        sharc__crawl_j_age(s, page);
        sharc__crawl_j_tell(s, page);
    }
}

int sharc__crawl_remember_rates(struct site *s, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *past = sharc_rate_past_new();
    struct learning l = {.site = s};
    int r = read_past(&l, past, reterr);
    if (r == 0 && l.count > 0) {
        const struct sharc_rate_past_options o = sharc_crawl_past_options(crawl_now(s->crawl));
        SHARC_AUTO(sharc_freep) struct sharc_rate_estimate *rate = SHARC_NEW_ARRAY(struct sharc_rate_estimate, l.count);
        sharc_rate_past_rates(past, &o, rate, NULL);
        tell(&l, past, rate);
    }
    free(l.page);
    return r;
}

/* --- kept in the catalogue -------------------------------------------------------------- */

static int keep(const struct learning *l, const struct sharc_rate_past *past, const struct sharc_rate_estimate *rate,
                struct sharc_err *reterr)
{
    struct site *s = l->site;
    struct sharc_store_batch *batch = s->crawl->batch;
    int r = 0;
    for (uint32_t i = 0; r == 0 && i < l->count; i++) {
        struct sharc_rate_past_page about;
        sharc_rate_past_about(past, i, &about);
        if (about.gone || isnan(about.last)) continue;
        const struct sharc_store_rate row = {.url = page_url(&s->pages, l->page[i]),
                                             .source = SHARC_SPAN("crawl"),
                                             .value = rate[i].rate,
                                             .low = rate[i].low,
                                             .high = rate[i].high,
                                             .observations = about.looks,
                                             .when = s->last};
        r = sharc_store_batch_rate(batch, &row, reterr);
        if (r == 0 && sharc_store_batch_full(batch)) r = sharc_store_batch_commit(batch, reterr);
    }
    return r;
}

static int keep_rates(struct site *s, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *past = sharc_rate_past_new();
    struct learning l = {.site = s};
    int r = read_past(&l, past, reterr);
    sharc_rate_past_capture(past, s->id, seconds(s->last)); /* this one, which counts as running still */
    if (r == 0 && l.count > 0) {
        SHARC_AUTO(sharc_freep) double *given = SHARC_NEW_ARRAY(double, l.count);
        SHARC_AUTO(sharc_freep) struct sharc_rate_estimate *rate = SHARC_NEW_ARRAY(struct sharc_rate_estimate, l.count);
        for (size_t i = 0; i < l.count; i++) {
            double age;
            sharc_rate_live_told(s->live, l.page[i], &age, &given[i]);
        }
        struct sharc_rate_past_options o = sharc_crawl_past_options(s->last);
        o.given = given;
        o.intervals = true;
        sharc_rate_past_rates(past, &o, rate, NULL);
        r = keep(&l, past, rate, reterr);
    }
    free(l.page);
    return r;
}

/* A capture without them is as good as any: that they cannot be had is not a reason to fail. */
void sharc__crawl_keep_rates(struct site *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (keep_rates(s, &err) == 0) return;
    sharc_store_batch_drop(s->crawl->batch);
    sharc__crawl_remark(s->crawl, "%s: change rates are not kept: %s; sharc rates estimate --save makes them up",
                        s->name, err.text);
}
