/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of an archive for sharc rates: every look of every capture, as the
 * catalogue has them, and the newest links of each page.
 */
#include "rates.h"

#include "archive.h"
#include "sharc/base_map.h"
#include "sharc/store_query.h"

#include <math.h>
#include <stdlib.h>

#define DAY 86400.0
#define GRAPHS_MAX 64 /* newest captures whose links are read */

/* The looks at one URL, oldest first. */
struct looks {
    sharc_store_id url;
    sharc_time first, last; /* that answered; SHARC_TIME_NONE: none yet */
};

static void about_page(struct rates_source *s, struct rates_page *p, const struct sharc_store_seen *seen)
{
    if (seen->mime.p && !p->mime.p) p->mime = sharc_arena_copy(&s->text, seen->mime);
    if (seen->images >= 0) p->images = (double)seen->images;
    if (seen->tables >= 0) p->tables = (double)seen->tables;
    if (seen->out_links >= 0) p->outlinks = (double)seen->out_links;
    sharc_time stated = seen->last_modified != SHARC_TIME_NONE ? seen->last_modified : seen->stated;
    if (stated != SHARC_TIME_NONE && stated <= seen->when) p->age_now = (double)(seen->when - stated) / SHARC_SEC;
}

static void add_look(struct rates_source *s, struct rates_page *p, struct looks *l, const struct sharc_store_seen *seen)
{
    if (seen->status == 0) return; /* nobody answered: nothing is known */
    about_page(s, p, seen);
    if (l->first == SHARC_TIME_NONE) {
        l->first = l->last = seen->when;
        p->age = p->age_now;
        return;
    }
    double length = (double)(seen->when - l->last) / SHARC_SEC;
    if (!seen->first) sharc_rate_history_look(&p->seen, length, seen->changed);
    if (seen->changed && isnan(p->age_now)) p->age_now = length / 2;
    l->last = seen->when;
}

/* Looks count as the rate that makes them most likely over the time they span; a
 * page seen only once teaches by its age. */
static void finish_page(struct rates_page *p, const struct looks *l)
{
    double span = l->first == SHARC_TIME_NONE ? 0 : (double)(l->last - l->first) / SHARC_SEC;
    if (p->seen.looks > 0 && span > 0) {
        p->time = span;
        p->changes = p->seen.n ? sharc_rate_irregular(&p->seen, true) * span : 0;
    } else if (!isnan(p->age_now)) {
        sharc_rate_history_age(&p->seen, p->age_now, true);
        p->changes = 1;
        p->time = fmax(p->age_now, 1);
    }
}

static int read_looks(struct sharc_store *store, const struct rates_window *w, struct rates_source *s,
                      struct sharc_map64 *page_of, struct sharc_err *err)
{
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    sharc_time from = SHARC_TIME_NONE;
    if (w->days > 0) {
        struct sharc_clock *clock = sharc_clock_real();
        from = (w->at == SHARC_TIME_NONE ? clock->now(clock) : w->at) - (sharc_time)(w->days * DAY * SHARC_SEC);
    }
    const struct sharc_store_seen_filter f = {.from = from, .to = w->at};
    struct looks looks = {.url = 0};
    struct sharc_store_seen seen;
    s->start = HUGE_VAL;
    int r = sharc_store_observations(store, &f, &rows, err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0) {
        sharc_store_read_seen(rows, &seen);
        if (s->n == 0 || seen.url_id != looks.url) {
            if (s->n) finish_page(&s->page[s->n - 1], &looks);
            looks = (struct looks){seen.url_id, SHARC_TIME_NONE, SHARC_TIME_NONE};
            *sharc_map64_at(page_of, (uint64_t)seen.url_id) = s->n;
            cli__rates_add(s)->url = sharc_arena_copy(&s->text, seen.url);
        }
        add_look(s, &s->page[s->n - 1], &looks, &seen);
        s->start = fmin(s->start, (double)seen.when / SHARC_SEC);
        s->end = fmax(s->end, (double)seen.when / SHARC_SEC);
    }
    if (s->n) finish_page(&s->page[s->n - 1], &looks);
    return r;
}

static void graph_done(struct sharc_store_graph *g)
{
    sharc_store_graph_done(g);
}

/* Links of the pages of one capture that no newer one had. */
static int add_links(struct sharc_store *store, sharc_store_id capture, struct rates_source *s,
                     const struct sharc_map64 *page_of, bool *done, struct sharc_err *err)
{
    AUTO(graph_done) struct sharc_store_graph g = {0};
    int r = sharc_store_graph(store, capture, 0, &g, err);
    for (uint32_t i = 0; r >= 0 && i < g.n; i++) {
        const uint64_t *from = sharc_map64_find(page_of, (uint64_t)g.url[i]);
        if (!from || done[*from]) continue;
        done[*from] = g.at[i + 1] > g.at[i];
        for (uint64_t k = g.at[i]; k < g.at[i + 1]; k++) {
            const uint64_t *to = sharc_map64_find(page_of, (uint64_t)g.url[g.to[k]]);
            if (to) cli__rates_link(s, (uint32_t)*from, (uint32_t)*to);
        }
    }
    return r;
}

static int read_links(struct sharc_store *store, struct rates_source *s, const struct sharc_map64 *page_of,
                      struct sharc_err *err)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    AUTO(sharc_freep) bool *done = SHARC_NEW_ARRAY(bool, s->n);
    struct sharc_store_capture capture;
    f.newest_first = true;
    int r = sharc_store_captures(store, &f, &rows, err), n = 0;
    while (r >= 0 && n++ < GRAPHS_MAX && (r = sharc_store_rows_next(rows, err)) > 0) {
        sharc_store_read_capture(rows, &capture);
        r = add_links(store, capture.id, s, page_of, done, err);
    }
    return r;
}

int cli__rates_open_archive(const char *path, const struct rates_window *w, struct rates_source *s,
                            struct sharc_err *err)
{
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    AUTO(sharc_map64_done) struct sharc_map64 page_of;
    sharc_map64_init(&page_of);
    s->kind = RATES_ARCHIVE;
    s->name = sharc_strdup(path);
    int r = cli_archive_open(path, w->store, &o, &store, err);
    if (r >= 0) r = read_looks(store, w, s, &page_of, err);
    if (r >= 0 && s->n) r = read_links(store, s, &page_of, err);
    return r < 0 ? r : 0;
}
