/* SPDX-License-Identifier: Apache-2.0
 *
 * What earlier captures tell a survey: pages and links of the newest one, and how
 * often pages changed between all downloads that were ever made of them.
 */
#include "survey_int.h"

#include "earlier_looks.h"

#include "sharc/store_job.h"

#include <stdlib.h>

/* The newest capture that has the seed; 0: none. */
static int newest(struct survey *s, struct sharc_store_capture *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    sharc_store_id url = 0, capture = 0;
    int r = sharc_store_url_find(s->o->store, sharc_url_page(&s->seed), &url, NULL);
    if (r == SHARC_ENOENT) return 0;
    r = sharc_store_history(s->o->store, sharc_url_page(&s->seed), &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        sharc_store_read_page(rows, &p);
        capture = p.capture; /* oldest first */
    }
    if (r < 0 || capture == 0) return r;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *found = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    f.id = capture;
    r = sharc_store_captures(s->o->store, &f, &found, reterr);
    if (r >= 0) r = sharc_store_rows_next(found, reterr);
    if (r > 0) sharc_store_read_capture(found, ret);
    ret->site_name = ret->key = ret->strategy = ret->purpose = ret->params = ret->source =
        SHARC_SPAN_NONE; /* of the row */
    return r < 0 ? r : 0;
}

/* Pages, not what is embedded in them: those have a place in the order of
 * downloads, or (in captures of other crawlers, which have none) are HTML. */
static bool is_page(const struct sharc_store_page *p)
{
    return p->visit.slot >= 0 || sharc_span_is(p->mime, "text/html");
}

static int read_pages(struct survey *s, sharc_store_id capture, struct sharc_map64 *number, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = capture, .answered = true, .by_slot = true};
    int r = sharc_store_pages(s->o->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        sharc_store_read_page(rows, &p);
        if (!is_page(&p)) continue;
        uint32_t page = sharc__survey_page(s, p.url, SHARC_SURVEY_EARLIER, p.hops > 0 ? (unsigned)p.hops : 1);
        if (page == SHARC_NO_ID) continue;
        s->from_earlier++;
        *sharc_map64_at(number, (uint64_t)p.url_id) = 1 + (uint64_t)page;
    }
    return r < 0 ? r : 0;
}

static int read_links(struct survey *s, sharc_store_id capture, const struct sharc_map64 *number,
                      struct sharc_err *reterr)
{
    struct sharc_store_graph g = {0};
    int r = sharc_store_graph(s->o->store, capture, 1u << SHARC_LINK_NAVIGATION, &g, reterr);
    if (r < 0) return r;
    for (uint32_t i = 0; i < g.n; i++) {
        const uint64_t *from = sharc_map64_find(number, (uint64_t)g.url[i]);
        for (uint64_t k = g.at[i]; from && k < g.at[i + 1]; k++) {
            const uint64_t *to = sharc_map64_find(number, (uint64_t)g.url[g.to[k]]);
            if (to) sharc__survey_link(s, (uint32_t)(*from - 1), (uint32_t)(*to - 1));
        }
    }
    sharc_store_graph_done(&g);
    return 0;
}

/* As a crawl would begin with them: looks where there are some to compare, else ages. */
static void conclude(struct survey *s, const struct known_pages *l, const struct sharc_rate_past *past)
{
    struct sharc_rate_past_options o = sharc_crawl_past_options(s->o->clock->now(s->o->clock));
    SHARC_AUTO(sharc_freep) struct sharc_rate_estimate *rate = SHARC_NEW_ARRAY(struct sharc_rate_estimate, l->count);
    sharc_rate_past_rates(past, &o, rate, NULL);
    for (uint32_t i = 0; i < l->count; i++) {
        struct sharc_rate_past_page about;
        sharc_rate_past_about(past, i, &about);
        sharc_rate_live_seen(s->live, l->page[i], sharc_intern_text(s->urls, l->page[i]), about.age);
        if (about.looks == 0) continue;
        s->pages[l->page[i]].learned = rate[i].rate;
        s->watched++;
    }
}

static int read_rates(struct survey *s, sharc_store_id site, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_rate_past_freep) struct sharc_rate_past *past = sharc_rate_past_new();
    struct known_pages l = {.urls = s->urls};
    const struct sharc_store_seen_filter f = {.site = site, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    int r = sharc__crawl_past_of_known(s->o->store, &f, &l, past, reterr);
    if (r == 0) conclude(s, &l, past);
    free(l.page);
    return r;
}

int sharc__survey_recall(struct survey *s, struct sharc_err *reterr)
{
    struct sharc_store_host row;
    char when[SHARC_TIME_TEXT];
    struct sharc_span name = sharc_span_sub(sharc_span(s->seed.p, s->seed.n), s->seed.host_start, s->seed.path_start);
    sharc_time now = s->o->clock->now(s->o->clock);
    if (sharc_store_host_get(s->o->store, name, &row, NULL) < 0) return 0;
    sharc_time due = sharc_store_host_due(&row, now);
    if (due == SHARC_TIME_NONE || due <= now) return 0;
    SHARC_FAIL_IF(row.backoff > 0, reterr, SHARC_ENET,
                  "%.*s asked an earlier run to stay away until %s; plan again then, or from the archive alone",
                  SHARC_SPAN_ARG(sharc_span_sub(name, 0, 200)), sharc_time_iso(due, 0, when));
    s->due = due;
    return 0;
}

int sharc__survey_earlier(struct survey *s, struct sharc_err *reterr)
{
    struct sharc_store_capture capture = {0};
    int r = newest(s, &capture, reterr);
    if (r < 0 || capture.id == 0) return r;
    struct sharc_map64 number;
    sharc_map64_init(&number);
    r = read_pages(s, capture.id, &number, reterr);
    if (r == 0) r = read_links(s, capture.id, &number, reterr);
    if (r == 0) r = read_rates(s, capture.site, reterr);
    if (r == 0) r = sharc__crawl_heard_past_read(&s->said.before, s->o->store, capture.site, reterr);
    sharc_map64_done(&number);
    return r;
}
