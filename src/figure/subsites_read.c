/* SPDX-License-Identifier: Apache-2.0
 *
 * Sub-sites of an archive: what its captures show of each page, step by step. A capture that looked twice is a
 * step of its own.
 */
#include "figure_int.h"
#include "sharc/base_map.h"
#include "sharc/base_order.h"
#include "sharc/figure_sheet.h"
#include "sharc/store_job.h"
#include "sharc/store_sightings.h"

#include <stdlib.h>

struct reading {
    struct sharc_map64 page_of; /* URL number -> 1 + index */
    sharc_store_id *ids;
    struct sharc_span *urls;
    size_t count, id_room;
    uint8_t *cells; /* pages × columns */
    size_t cell_room, columns, column;
    struct sharc_span *sitemaps; /* folders */
    size_t sitemap_count, sitemap_room;
    struct sharc_arena texts;
};

static void reading_done(struct reading *k)
{
    sharc_map64_done(&k->page_of);
    free(k->ids);
    free(k->urls);
    free(k->cells);
    free(k->sitemaps);
    sharc_arena_done(&k->texts);
}

/* --- steps ---------------------------------------------------------------------------------------------- */

static uint8_t step_of(enum sharc_figure_class change)
{
    if (change == SHARC_FIGURE_UNCHANGED || change == SHARC_FIGURE_INSIGNIFICANT) return SHARC_FIGURE_STEP_SAME;
    return change == SHARC_FIGURE_TEXT || change == SHARC_FIGURE_LINKS ? SHARC_FIGURE_STEP_CHANGED
                                                                       : SHARC_FIGURE_STEP_UNKNOWN;
}

static uint8_t *cell(struct reading *k, sharc_store_id url)
{
    uint64_t *at = sharc_map64_at(&k->page_of, (uint64_t)url);
    if (!*at) {
        SHARC_GROW(k->ids, k->id_room, k->count + 1);
        SHARC_GROW(k->cells, k->cell_room, (k->count + 1) * k->columns);
        memset(k->cells + k->count * k->columns, SHARC_FIGURE_STEP_UNKNOWN, k->columns);
        k->ids[k->count++] = url;
        *at = k->count;
    }
    return &k->cells[(*at - 1) * k->columns + k->column];
}

/* The pages of a capture: its own step, and the step from the capture before, in which all that both have
 * stood still until the comparison says otherwise. */
static int read_capture(struct sharc_store *s, struct reading *k, sharc_store_id capture, const struct figure_pages *a,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_sighting row;
    size_t own = k->column, from = k->column + 1;
    int r = sharc_store_visits(s, capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_sighting(rows, &row);
        k->column = own;
        *cell(k, row.url) = step_of(sharc_figure_class_of_grade(row.reason));
        k->column = from;
        if (a && sharc_find_i64(a->id, a->count, row.url) != SHARC_NPOS) *cell(k, row.url) = SHARC_FIGURE_STEP_SAME;
    }
    k->column = from;
    return r;
}

static int note_pair(void *arg, const struct sharc_store_pair *p, struct sharc_err *reterr)
{
    (void)reterr;
    *cell(arg, p->url_id) = step_of(sharc_figure_class_of_pair(p));
    return 0;
}

static int read_steps(struct sharc_store *s, struct reading *k, const sharc_store_id *captures, size_t n,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_pages_done) struct figure_pages before = {0};
    for (size_t i = 0; i < n; i++) {
        k->column = 2 * i;
        int r = read_capture(s, k, captures[i], i ? &before : NULL, reterr);
        if (r >= 0 && i) r = sharc__figure_changes(s, captures[i - 1], captures[i], false, note_pair, k, reterr);
        sharc__figure_pages_done(&before);
        before = (struct figure_pages){0};
        if (r >= 0 && i + 1 < n) r = sharc__figure_pages(s, captures[i], &before, reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* --- texts ------------------------------------------------------------------------------------------------ */

static void note_text(void *arg, sharc_store_id url, struct sharc_span text)
{
    struct reading *k = arg;
    const uint64_t *at = sharc_map64_find(&k->page_of, (uint64_t)url);
    if (at && *at) k->urls[*at - 1] = sharc_arena_copy(&k->texts, text);
}

static void add_sitemap(struct reading *k, struct sharc_span url)
{
    size_t end = sharc_span_find(url, '?', 0);
    url = sharc_span_sub(url, 0, end == SHARC_NPOS ? url.n : end);
    while (url.n && url.p[url.n - 1] != '/') url.n--;
    if (!url.n || k->sitemap_count >= 1000) return;
    SHARC_GROW(k->sitemaps, k->sitemap_room, k->sitemap_count + 1);
    k->sitemaps[k->sitemap_count++] = url;
}

/* "/docs/sitemap.xml", "/docs/sitemap-2.xml.gz": by the name alone, which is what people and robots go by. */
static bool is_sitemap(struct sharc_span url)
{
    size_t at = url.n;
    while (at && url.p[at - 1] != '/') at--;
    struct sharc_span name = sharc_span_from(url, at);
    return sharc_span_starts(name, SHARC_SPAN("sitemap")) &&
           (sharc_span_ends(name, SHARC_SPAN(".xml")) || sharc_span_ends(name, SHARC_SPAN(".xml.gz")) ||
            sharc_span_ends(name, SHARC_SPAN(".txt")));
}

/* "Sitemap: URL" of robots.txt. */
static void read_robots(struct reading *k, struct sharc_span robots)
{
    while (robots.n) {
        size_t n = sharc_span_find(robots, '\n', 0);
        struct sharc_span line = sharc_span_trim(sharc_span_sub(robots, 0, n == SHARC_NPOS ? robots.n : n));
        robots = n == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_from(robots, n + 1);
        if (!sharc_span_istarts(line, SHARC_SPAN("sitemap:"))) continue;
        struct sharc_span url = sharc_arena_copy(&k->texts, sharc_span_trim(sharc_span_from(line, 8)));
        if (url.p) add_sitemap(k, url);
    }
}

static struct sharc_span host_of(struct sharc_span url)
{
    size_t at = sharc_span_find(url, '/', 0);
    if (at == SHARC_NPOS || at + 2 >= url.n) return SHARC_SPAN_NONE;
    size_t end = sharc_span_find(url, '/', at + 2);
    return sharc_span_sub(url, at + 2, end == SHARC_NPOS ? url.n : end);
}

enum { HOSTS_MOST = 1000 };

/* robots.txt of each host, and pages that are sitemaps. */
static int find_sitemaps(struct sharc_store *s, struct reading *k, struct sharc_err *reterr)
{
    struct sharc_map64 seen;
    size_t hosts = 0;
    int r = 0;
    sharc_map64_init(&seen);
    for (size_t i = 0; i < k->count && r == 0; i++) {
        struct sharc_span name = host_of(k->urls[i]);
        struct sharc_store_host host;
        if (is_sitemap(k->urls[i])) add_sitemap(k, k->urls[i]);
        uint64_t *at = sharc_map64_at(&seen, sharc_fingerprint(name, 0));
        if (*at || !name.n || hosts >= HOSTS_MOST) continue;
        *at = ++hosts;
        struct sharc_err none = SHARC_ERR_INIT;
        int got = sharc_store_host_get(s, name, &host, &none);
        if (got == 0) read_robots(k, host.robots);
        if (got < 0 && got != SHARC_ENOENT) r = sharc_fail(reterr, got, "%s", none.text);
    }
    sharc_map64_done(&seen);
    return r;
}

static int settle(struct reading *k, struct sharc_figure_subsites *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    struct sharc_figure_watched *pages = SHARC_NEW_ARRAY(struct sharc_figure_watched, k->count + 1);
    for (size_t i = 0; i < k->count; i++)
        pages[i] = (struct sharc_figure_watched){.url = k->urls[i], .cells = k->cells + i * k->columns};
    return sharc_figure_subsites_of(pages, k->count, k->columns, k->sitemaps, k->sitemap_count, ret, reterr);
}

int sharc_figure_subsites_once(struct sharc_store *s, const struct sharc_figure_sheet *t,
                               struct sharc_figure_subsites *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(reading_done) struct reading k = {.columns = 2, .count = t->count};
    sharc_arena_init(&k.texts, FIGURE_TEXTS_MAX);
    k.urls = SHARC_NEW_ARRAY(struct sharc_span, k.count + 1);
    k.cells = SHARC_NEW_ARRAY(uint8_t, 2 * k.count + 1);
    for (size_t i = 0; i < k.count; i++) {
        k.urls[i] = sharc_figure_sheet_url(t, i);
        k.cells[2 * i] = step_of(sharc_figure_class_of_grade((enum sharc_grade_reason)t->reason[i]));
        k.cells[2 * i + 1] = SHARC_FIGURE_STEP_UNKNOWN;
    }
    int r = find_sitemaps(s, &k, reterr);
    return r < 0 ? r : settle(&k, ret, reterr);
}

int sharc_figure_subsites(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                          struct sharc_figure_subsites *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(reading_done) struct reading k = {.columns = 2 * n};
    sharc_map64_init(&k.page_of);
    sharc_arena_init(&k.texts, FIGURE_TEXTS_MAX);
    int r = read_steps(s, &k, captures, n, reterr);
    if (r < 0) return r;
    k.urls = SHARC_NEW_ARRAY(struct sharc_span, k.count + 1);
    r = sharc_store_url_texts(s, k.ids, k.count, note_text, &k, reterr);
    if (r >= 0) r = find_sitemaps(s, &k, reterr);
    return r < 0 ? r : settle(&k, ret, reterr);
}
