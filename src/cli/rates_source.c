/* SPDX-License-Identifier: Apache-2.0
 *
 * Where sharc rates finds pages: datasets and sitemaps. Archives are in
 * rates_archive.c.
 */
#include "rates.h"

#include "archive.h"
#include "sharc/base_file.h"
#include "sharc/extract.h"
#include "sharc/rate_weight.h"
#include "sharc/url.h"
#include "weights.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY 86400.0
#define SITEMAP_BYTES_MAX (256u << 20)

void cli__rates_done(struct rates_source *s)
{
    for (size_t i = 0; i < s->n; i++) sharc_rate_history_done(&s->page[i].seen);
    free(s->name);
    free(s->page);
    free(s->from);
    free(s->to);
    sharc_dataset_free(s->data);
    sharc_rate_past_free(s->past);
    sharc_arena_done(&s->text);
}

struct rates_page *cli__rates_add(struct rates_source *s)
{
    SHARC_GROW(s->page, s->room, s->n + 1);
    s->page[s->n] = (struct rates_page){
        .seen = SHARC_RATE_HISTORY_INIT,
        .age = SHARC_RATE_UNKNOWN,
        .age_now = SHARC_RATE_UNKNOWN,
        .images = SHARC_RATE_UNKNOWN,
        .tables = SHARC_RATE_UNKNOWN,
        .outlinks = SHARC_RATE_UNKNOWN,
        .inlinks = SHARC_RATE_UNKNOWN,
        .frequency = SHARC_FREQ_NONE,
        .priority = SHARC_RATE_UNKNOWN,
        .weight = 1,
    };
    return &s->page[s->n++];
}

void cli__rates_link(struct rates_source *s, uint32_t from, uint32_t to)
{
    SHARC_GROW(s->from, s->from_room, s->links + 1);
    SHARC_GROW(s->to, s->to_room, s->links + 1);
    s->from[s->links] = from;
    s->to[s->links++] = to;
}

/* --- datasets ------------------------------------------------------------------------ */

/* Pages alive during the whole window, or for all of the past each over its life. */
static void add_page(struct rates_source *s, sharc_page_no p, bool life)
{
    const struct sharc_dataset *d = s->data;
    const struct sharc_dataset_page *from = &d->page[p];
    const double start = life ? from->created : s->start, end = life ? fmin(from->deleted, s->end) : s->end;
    const double *h;
    struct rates_page *page = cli__rates_add(s);
    page->url = from->url;
    page->mime = from->mime;
    page->origin = p;
    page->gone = from->deleted <= s->end;
    page->images = from->images;
    page->tables = from->tables;
    page->outlinks = from->outlinks;
    size_t n = sharc_dataset_between(d, p, -HUGE_VAL, start, &h);
    /* Over a whole life nothing lies before its beginning; how long ago that was is all that is known. */
    page->age = life ? s->end - from->created : start - (n ? h[n - 1] : from->created);
    n = sharc_dataset_between(d, p, -HUGE_VAL, end, &h);
    page->age_now = end - (n ? h[n - 1] : from->created);
    page->changes = (double)sharc_dataset_between(d, p, start, end, &h);
    page->time = fmax(end - start, 1);
    sharc_rate_history_count(&page->seen, page->changes, page->time);
}

static void add_links(struct rates_source *s)
{
    const struct sharc_dataset *d = s->data;
    SHARC_AUTO(sharc_freep) uint32_t *local = sharc_malloc((d->pages + 1) * sizeof *local);
    memset(local, 0xff, d->pages * sizeof *local);
    for (size_t i = 0; i < s->n; i++) local[s->page[i].origin] = (uint32_t)i;
    for (size_t i = 0; i < s->n; i++) {
        sharc_page_no p = s->page[i].origin;
        for (size_t k = d->link_at[p]; k < d->link_at[p + 1]; k++)
            if (local[d->link_to[k]] != UINT32_MAX) cli__rates_link(s, (uint32_t)i, local[d->link_to[k]]);
    }
}

static int open_dataset(const char *path, const struct rates_window *w, struct rates_source *s, struct sharc_err *err)
{
    int r = sharc_dataset_open(path, &s->data, err);
    if (r < 0) return r;
    const struct sharc_dataset *d = s->data;
    s->kind = RATES_DATASET;
    s->name = sharc_strdup(d->name);
    s->end = w->at == SHARC_TIME_NONE ? d->end : (double)w->at / SHARC_SEC;
    s->start = w->days > 0 ? s->end - w->days * DAY : d->start;
    SHARC_FAIL_IF(
        s->start < d->start || s->end > d->end || !(s->start < s->end), err, SHARC_EINVAL,
        "the time from @%.0f to @%.0f is not covered by %s, which goes from @%.0f to @%.0f; give fewer --days",
        s->start, s->end, d->name, d->start, d->end);
    for (size_t p = 0; p < d->pages; p++) {
        const struct sharc_dataset_page *page = &d->page[p];
        bool life = !(w->days > 0);
        bool fits = life ? page->created < s->end : page->created <= s->start && page->deleted > s->end;
        if (fits) add_page(s, (sharc_page_no)p, life);
    }
    add_links(s);
    return 0;
}

/* --- sitemaps ------------------------------------------------------------------------- */

static enum sharc_changefreq frequency_of(char letter)
{
    static const char letters[] = "ahdwmyn";
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (enum sharc_changefreq)(at - letters) : SHARC_FREQ_NONE;
}

static void add_entry(struct rates_source *s, const struct sharc_page *from, const struct sharc_entry *e)
{
    if (e->link == SHARC_NO_LINK) return;
    struct rates_page *page = cli__rates_add(s);
    page->url = sharc_arena_copy(&s->text, from->links[e->link].url);
    page->frequency = frequency_of(e->frequency);
    if (e->priority >= 0) page->priority = (double)e->priority;
    if (e->modified == SHARC_TIME_NONE) return;
    page->age_now = fmax(s->end - (double)e->modified / SHARC_SEC, 0);
    /* lastmod is when it last changed: one event, then nothing. */
    sharc_rate_history_age(&page->seen, page->age_now, true);
    page->changes = 1;
    page->time = fmax(page->age_now, 1);
}

static int open_sitemap(const char *path, const struct rates_window *w, struct rates_source *s, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(SITEMAP_BYTES_MAX);
    SHARC_AUTO(sharc_page_done) struct sharc_page page = {0};
    SHARC_AUTO(sharc_url_done) struct sharc_url base = SHARC_URL_INIT;
    int r = sharc_file_read_any(path, &bytes, err);
    if (r == 0) r = sharc_url_parse(&base, SHARC_SPAN("http://sitemap.invalid/sitemap.xml"), NULL, err);
    const struct sharc_extract_input in = {.body = sharc_buf_span(&bytes),
                                           .url = &base,
                                           .content_type = SHARC_SPAN("application/xml"),
                                           .want = SHARC_WANT_LINKS};
    if (r == 0) r = sharc_extract(&page, &in, err);
    if (r < 0) return r;
    SHARC_FAIL_IF(page.type == SHARC_PAGE_SITEMAP_INDEX, err, SHARC_EINVAL,
                  "%s: an index of sitemaps; name one of the sitemaps it lists", path);
    SHARC_FAIL_IF(page.type != SHARC_PAGE_SITEMAP, err, SHARC_ESYNTAX,
                  "%s: neither a sitemap nor a directory with a dataset or an archive", path);
    struct sharc_clock *clock = sharc_clock_real();
    s->kind = RATES_SITEMAP;
    s->name = sharc_strdup(path);
    s->end = (double)(w->at == SHARC_TIME_NONE ? clock->now(clock) : w->at) / SHARC_SEC;
    s->start = s->end;
    for (size_t i = 0; i < page.entry_count; i++) add_entry(s, &page, &page.entries[i]);
    return 0;
}

/* --- any ---------------------------------------------------------------------------------- */

static void count_inlinks(struct rates_source *s)
{
    if (!s->links) return;
    SHARC_AUTO(sharc_freep) uint32_t *count = SHARC_NEW_ARRAY(uint32_t, s->n);
    sharc_rate_inlinks(s->n, s->from, s->to, s->links, count);
    for (size_t i = 0; i < s->n; i++) s->page[i].inlinks = count[i];
}

static bool has_dataset(const char *path)
{
    static const char *const marks[] = {"pages.tsv", "pages.tsv.gz"};
    for (size_t i = 0; i < SHARC_LENGTH(marks); i++) {
        SHARC_AUTO(sharc_freep) char *file = sharc_path_join(path, marks[i]);
        if (access(file, F_OK) == 0) return true;
    }
    return false;
}

int cli__rates_open(const char *path, const struct rates_window *w, struct rates_source *ret, struct sharc_err *err)
{
    struct stat st;
    *ret = (struct rates_source){.text = SHARC_ARENA_INIT(RATES_TEXT_MAX)};
    SHARC_FAIL_IF(stat(path, &st) < 0, err, SHARC_ENOENT,
                  "%s: there is no such file or directory; name a dataset, an archive or a sitemap", path);
    int r;
    if (!S_ISDIR(st.st_mode))
        r = open_sitemap(path, w, ret, err);
    else if (!has_dataset(path) && cli_is_archive(path))
        r = cli__rates_open_archive(path, w, ret, err);
    else
        r = open_dataset(path, w, ret, err);
    if (r < 0) return r;
    count_inlinks(ret);
    SHARC_FAIL_IF(ret->n == 0, err, SHARC_EINVAL, "%s: no page is known there for that time", path);
    return 0;
}

/* --- weights ------------------------------------------------------------------------------- */

int cli__rates_weigh(struct rates_source *s, const char *how, struct sharc_err *err)
{
    if (!how) return 0;
    SHARC_AUTO(sharc_freep) struct sharc_span *url = SHARC_NEW_ARRAY(struct sharc_span, s->n);
    SHARC_AUTO(sharc_freep) double *priority = SHARC_NEW_ARRAY(double, s->n);
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, s->n);
    for (size_t i = 0; i < s->n; i++) url[i] = s->page[i].url, priority[i] = s->page[i].priority;
    const struct cli_graph g = {s->n, url, priority, s->from, s->to, s->links};
    int r = cli_weights(how, &g, weight, err);
    for (size_t i = 0; r == 0 && i < s->n; i++) s->page[i].weight = weight[i];
    return r;
}

/* --- learning ------------------------------------------------------------------------------- */

void cli__rates_features(const struct rates_page *p, struct sharc_rate_value *v)
{
    const struct sharc_rate_facts f = {
        .url = p->url,
        .mime = p->mime,
        .days_since_change = p->age / DAY,
        .images = p->images,
        .tables = p->tables,
        .outlinks = p->outlinks,
        .inlinks = p->inlinks,
    };
    sharc_rate_features(&f, v);
}

struct sharc_rate_table *cli__rates_table(const struct rates_source *s, size_t columns, uint32_t **ret_page)
{
    struct sharc_rate_table *t = sharc_rate_table_new(sharc_rate_columns, columns);
    uint32_t *page = SHARC_NEW_ARRAY(uint32_t, s->n);
    size_t rows = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        if (!(s->page[i].time > 0)) continue;
        cli__rates_features(&s->page[i], v);
        sharc_rate_table_add(t, v, s->page[i].changes, s->page[i].time);
        page[rows++] = (uint32_t)i;
    }
    *ret_page = page;
    return t;
}
