/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures: which ones a figure is about, and their pages in the narrowest form.
 */
#include "figure_int.h"
#include "sharc/change_text.h"
#include "sharc/store_sightings.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- one capture ----------------------------------------------------------------------------------- */

void sharc__figure_capture_done(struct figure_capture *c)
{
    free(c->key);
    free(c->site_name);
    free(c->strategy);
    *c = (struct figure_capture){0};
}

static void keep_capture(const struct sharc_store_capture *row, struct figure_capture *ret)
{
    *ret = (struct figure_capture){
        .id = row->id,
        .site = row->site,
        .key = sharc_span_dup(row->key),
        .site_name = sharc_span_dup(row->site_name),
        .strategy = sharc_span_dup(row->strategy),
        .start = row->start,
        .end = row->end,
        .known_from = row->reference_from,
        .known_to = row->reference_to,
    };
}

int sharc__figure_capture(struct sharc_store *s, sharc_store_id id, struct figure_capture *ret,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.id = id;
    int r = sharc_store_captures(s, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "there is no capture %" PRId64, id);
    sharc_store_read_capture(rows, &row);
    keep_capture(&row, ret);
    return 0;
}

int sharc_figure_before(struct sharc_store *s, sharc_store_id capture, sharc_store_id *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    sharc_store_id before = 0;
    int r = sharc__figure_capture(s, capture, &c, reterr);
    if (r < 0) return r;
    f.site = c.site;
    r = sharc_store_captures(s, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        if (row.id == capture) break;
        before = row.id;
    }
    if (r < 0) return r;
    *ret = before;
    return 0;
}

/* --- which ones ------------------------------------------------------------------------------------- */

struct range {
    sharc_store_id from, to;
};

/* "3..20"; false: it is something else. */
static bool read_range(struct sharc_span word, struct range *ret)
{
    uint64_t from = 0, to = 0;
    size_t dot = sharc_span_find(word, '.', 0);
    if (dot == SHARC_NPOS || dot + 1 >= word.n || word.p[dot + 1] != '.') return false;
    if (sharc_span_to_u64(sharc_span_sub(word, 0, dot), &from) < 0) return false;
    if (sharc_span_to_u64(sharc_span_from(word, dot + 2), &to) < 0) return false;
    if (from > INT64_MAX || to > INT64_MAX) return false;
    *ret = (struct range){(sharc_store_id)from, (sharc_store_id)to};
    return true;
}

static int read_words(struct sharc_store *s, const struct sharc_span *words, size_t n, struct range *ret,
                      struct sharc_err *reterr)
{
    for (size_t i = 0; i < n; i++) {
        if (read_range(words[i], &ret[i])) {
            SHARC_FAIL_IF(ret[i].from > ret[i].to, reterr, SHARC_EINVAL,
                          "captures %.*s: the first number is the larger one", SHARC_SPAN_ARG(words[i]));
            continue;
        }
        int r = sharc_store_capture_find(s, words[i], &ret[i].from, reterr);
        if (r < 0) return r;
        ret[i].to = ret[i].from;
    }
    return 0;
}

struct choosing {
    const struct range *ranges;
    size_t range_count;
    const char *site;
    sharc_store_id *ids;
    size_t count, room;
    sharc_store_id site_id;
    char *site_name;
};

static bool is_asked(const struct choosing *k, const struct sharc_store_capture *row)
{
    if (k->site && !sharc_span_is(row->site_name, k->site)) return false;
    if (k->range_count == 0) return row->site == k->site_id || k->site;
    for (size_t i = 0; i < k->range_count; i++)
        if (row->id >= k->ranges[i].from && row->id <= k->ranges[i].to) return true;
    return false;
}

static int take(struct choosing *k, const struct sharc_store_capture *row, struct sharc_err *reterr)
{
    if (!is_asked(k, row)) return 0;
    if (!k->site_name) {
        k->site_name = sharc_span_dup(row->site_name);
        k->site_id = row->site;
    }
    SHARC_FAIL_IF(row->site != k->site_id, reterr, SHARC_EINVAL,
                  "captures of different sites, %s and %.*s: name one of them with the setting \"site\"", k->site_name,
                  SHARC_SPAN_ARG(row->site_name));
    SHARC_GROW(k->ids, k->room, k->count + 1);
    k->ids[k->count++] = row->id;
    return 0;
}

static int choose(struct sharc_store *s, struct choosing *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture row;
    int r = sharc_store_captures(s, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        r = take(k, &row, reterr);
        if (r < 0) return r;
    }
    return r;
}

/* The site of the newest capture. */
static int newest_site(struct sharc_store *s, sharc_store_id *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    sharc_store_id newest = 0;
    int r = sharc_store_capture_find(s, SHARC_SPAN("latest"), &newest, reterr);
    if (r >= 0) r = sharc__figure_capture(s, newest, &c, reterr);
    if (r >= 0) *ret = c.site;
    return r < 0 ? r : 0;
}

int sharc_figure_captures(struct sharc_store *s, const char *site, const struct sharc_span *words, size_t n,
                          sharc_store_id **ret, size_t *ret_n, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) struct range *ranges = SHARC_NEW_ARRAY(struct range, n + 1);
    struct choosing k = {.ranges = ranges, .range_count = n, .site = site};
    int r = read_words(s, words, n, ranges, reterr);
    if (r >= 0 && n == 0 && !site) r = newest_site(s, &k.site_id, reterr);
    if (r >= 0) r = choose(s, &k, reterr);
    if (r >= 0 && k.count == 0)
        r = site ? sharc_fail(reterr, SHARC_ENOENT, "there is no such capture of the site %s", site)
                 : sharc_fail(reterr, SHARC_ENOENT, "there are no captures with such numbers");
    free(k.site_name);
    if (r < 0) {
        free(k.ids);
        return r;
    }
    *ret = k.ids;
    *ret_n = k.count;
    return 0;
}

/* --- their pages --------------------------------------------------------------------------------------- */

void sharc__figure_pages_done(struct figure_pages *p)
{
    free(p->id);
    free(p->kind);
    free(p->links);
    *p = (struct figure_pages){0};
}

static void note_time(struct figure_pages *p, sharc_time begun, sharc_time took)
{
    if (begun == SHARC_TIME_NONE) return;
    sharc_time ended = begun + (took > 0 ? took : 0);
    if (p->first == SHARC_TIME_NONE || begun < p->first) p->first = begun;
    if (p->last == SHARC_TIME_NONE || ended > p->last) p->last = ended;
}

static int note_looks(struct sharc_store *s, sharc_store_id capture, struct figure_pages *p, struct sharc_err *reterr)
{
    sharc_time first = SHARC_TIME_NONE, last = SHARC_TIME_NONE;
    int r = sharc_store_look_span(s, capture, &first, &last, reterr);
    if (r < 0) return r;
    note_time(p, first, 0);
    note_time(p, last, 0);
    return 0;
}

int sharc__figure_pages(struct sharc_store *s, sharc_store_id capture, struct figure_pages *ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc__figure_pages_done)
    struct figure_pages p = {.first = SHARC_TIME_NONE, .last = SHARC_TIME_NONE};
    struct sharc_store_outline row;
    size_t room = 0, kind_room = 0, link_room = 0;
    int r = sharc_store_outlines(s, capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_outline(rows, &row);
        SHARC_GROW(p.id, room, p.count + 1);
        SHARC_GROW(p.kind, kind_room, p.count + 1);
        SHARC_GROW(p.links, link_room, p.count + 1);
        p.id[p.count] = row.url;
        p.links[p.count] = (uint32_t)row.links;
        p.link_count += row.links;
        p.kind[p.count++] = (uint8_t)sharc_figure_kind_of(row.mime);
        note_time(&p, row.when, row.took);
    }
    if (r >= 0) r = note_looks(s, capture, &p, reterr);
    if (r < 0) return r;
    *ret = p;
    p = (struct figure_pages){0};
    return 0;
}

int sharc__figure_changes(struct sharc_store *s, sharc_store_id a, sharc_store_id b, bool alike, figure_pair_fn *fn,
                          void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_pair_filter f = {.a = a,
                                        .b = b,
                                        .only = ((1u << SHARC_DIFF_COUNT) - 1) & ~(1u << SHARC_DIFF_UNCHANGED)};
    struct sharc_store_pair pair;
    int r = sharc_store_compare_bare(s, &f, alike, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_pair(rows, &pair);
        r = fn(arg, &pair, reterr);
        if (r < 0) return r;
    }
    return r;
}

double sharc__figure_alike(const struct sharc_store_pair *p)
{
    const size_t n = SHARC_CHANGE_MINHASH * sizeof(uint32_t);
    uint32_t a[SHARC_CHANGE_MINHASH], b[SHARC_CHANGE_MINHASH];
    if (!p->in_a || !p->in_b) return (double)NAN;
    if (p->difference == SHARC_DIFF_UNCHANGED || p->difference == SHARC_DIFF_INSIGNIFICANT) return 1;
    if (p->difference != SHARC_DIFF_CHANGED || p->a.minhash.n != n || p->b.minhash.n != n) return (double)NAN;
    memcpy(a, p->a.minhash.p, n);
    memcpy(b, p->b.minhash.p, n);
    return sharc_change_minhash_alike(a, b, SHARC_CHANGE_MINHASH);
}

int sharc__figure_keep(struct sharc_arena *texts, struct sharc_span s, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct sharc_span copy = sharc_arena_copy(texts, s);
    SHARC_FAIL_IF(!copy.p, reterr, SHARC_ELIMIT, "the URLs of this figure take more than 2 GB");
    *ret = copy;
    return 0;
}
