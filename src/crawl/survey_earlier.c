/* SPDX-License-Identifier: Apache-2.0
 *
 * What earlier captures tell a survey: pages and links of the newest one, and how
 * often pages changed between all downloads that were ever made of them.
 */
#include "survey_int.h"

#include "sharc/rate.h"
#include "sharc/store_query.h"

/* The newest capture that has the seed; 0: none. */
static int newest(struct survey *s, struct sharc_store_capture *ret, struct sharc_err *reterr)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
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
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *found = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    f.id = capture;
    r = sharc_store_captures(s->o->store, &f, &found, reterr);
    if (r >= 0) r = sharc_store_rows_next(found, reterr);
    if (r > 0) sharc_store_read_capture(found, ret);
    ret->site_name = ret->key = ret->strategy = ret->purpose = ret->params = ret->source = SPAN_NONE; /* of the row */
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
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
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
        if (s->pages[page].modified != SHARC_TIME_NONE || p.visit.last_modified == SHARC_TIME_NONE) continue;
        s->pages[page].modified = p.visit.last_modified;
        s->pages[page].seen = p.visit.when;
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

struct learning {
    struct sharc_rate_history history;
    uint32_t page; /* SHARC_NO_ID: not one of ours */
    sharc_time last;
};

/* The stated frequency or a vague guess is the prior; what was seen decides. */
static void conclude(struct survey *s, struct learning *l)
{
    if (l->page != SHARC_NO_ID && l->history.looks > 0) {
        struct survey_page *p = &s->pages[l->page];
        double guess = sharc__survey_rate(s, p, SURVEY_UNKNOWN_MEAN);
        p->learned = sharc_rate_combined(sharc_rate_prior(guess, 1), &l->history);
        s->watched++;
    }
    sharc_rate_history_clear(&l->history);
    l->page = SHARC_NO_ID;
    l->last = SHARC_TIME_NONE;
}

static int read_rates(struct survey *s, sharc_store_id site, struct sharc_err *reterr)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_seen_filter f = {.site = site, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    struct learning l = {.page = SHARC_NO_ID, .last = SHARC_TIME_NONE};
    sharc_store_id url = 0;
    int r = sharc_store_observations(s->o->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_seen seen;
        sharc_store_read_seen(rows, &seen);
        if (seen.url_id != url) {
            conclude(s, &l);
            url = seen.url_id;
            l.page = sharc_intern_find(s->urls, seen.url);
        }
        if (!seen.first && l.last != SHARC_TIME_NONE)
            sharc_rate_history_look(&l.history, (double)(seen.when - l.last) / (double)SHARC_SEC, seen.changed);
        l.last = seen.when;
    }
    conclude(s, &l);
    sharc_rate_history_done(&l.history);
    return r < 0 ? r : 0;
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
    sharc_map64_done(&number);
    return r;
}
