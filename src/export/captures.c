/* SPDX-License-Identifier: Apache-2.0 */
#include "export_int.h"

#include "sharc/base_arena.h"
#include "sharc/base_node.h"
#include "sharc/url.h"

#include <stdlib.h>

enum { MOST_REDIRECTS = 20 };

void sharc__export_capture_done(struct export_capture *c)
{
    free(c->name);
    free(c->key);
    free(c->strategy);
    free(c->purpose);
    free(c->params);
    free(c->seed);
}

/* --- which ------------------------------------------------------------------------- */

static void keep(struct sharc_export *x, const struct sharc_store_capture *c)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->captures[i].id == c->id) return;
    struct sharc_store_claim claim;
    SHARC_GROW(x->captures, x->room, x->count + 1);
    x->captures[x->count++] = (struct export_capture){
        .id = c->id,
        .site = c->site,
        .name = sharc_span_dup(c->site_name),
        .key = sharc_span_dup(c->key),
        .strategy = sharc_span_dup(c->strategy),
        .purpose = sharc_span_dup(c->purpose),
        .params = sharc_span_dup(c->params),
        .start = c->start,
        .end = c->end,
        .reference = c->reference,
        .reference_from = c->reference_from,
        .reference_to = c->reference_to,
        .state = c->state,
        .grader = sharc_store_grader(c, &claim),
        .claim = claim,
        .crawled = sharc_span_starts(c->source, SHARC_SPAN("crawl")) && c->start != SHARC_TIME_NONE,
    };
}

/* How many came. */
static int take(struct sharc_export *x, const struct sharc_store_capture_filter *f, uint64_t most,
                struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture c;
    uint64_t n = 0;
    int r = sharc_store_captures(x->store, f, &rows, reterr);
    while (r >= 0 && n < most && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &c);
        keep(x, &c);
        n++;
    }
    return r < 0 ? r : n > 0;
}

/* The latest that began at or before a time; *ret_none: it is no time, or there was none. */
static int take_by_time(struct sharc_export *x, const char *word, bool *ret_none, struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    *ret_none = sharc_time_parse(sharc_span_of(word), &f.to, NULL) < 0;
    if (*ret_none) return 0;
    f.newest_first = true;
    int r = take(x, &f, 1, reterr);
    *ret_none = r == 0;
    return r < 0 ? r : 0;
}

static int take_word(struct sharc_export *x, const char *word, struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    bool none = true;
    if (strcmp(word, "all") == 0) {
        int r = take(x, &f, UINT64_MAX, reterr);
        SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "%s: the catalogue holds no capture yet",
                      sharc_store_name(x->store));
        return r < 0 ? r : 0;
    }
    int r = sharc_store_capture_find(x->store, sharc_span_of(word), &f.id, &err);
    if (r == 0) {
        r = take(x, &f, 1, reterr);
        return r < 0 ? r : 0;
    }
    if (r == SHARC_ENOENT) {
        int t = take_by_time(x, word, &none, reterr);
        if (t < 0 || !none) return t;
    }
    if (reterr) *reterr = err;
    return r;
}

static int by_start(const void *a, const void *b)
{
    const struct export_capture *c = a, *d = b;
    if (c->start != d->start) return c->start < d->start ? -1 : 1;
    return c->id < d->id ? -1 : c->id > d->id;
}

int sharc__export_captures(struct sharc_export *x, const char *const *words, size_t count, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) r = take_word(x, words[i], reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(x->count == 0, reterr, SHARC_EINVAL, "name a capture");
    qsort(x->captures, x->count, sizeof *x->captures, by_start);
    x->sums.captures = x->count;
    for (size_t i = 0; i < x->count; i++) {
        struct export_capture *c = &x->captures[i];
        bool within = c->reference != SHARC_TIME_NONE && c->reference >= c->start &&
                      (c->end == SHARC_TIME_NONE || c->reference <= c->end);
        c->at = within ? c->reference : c->start;
        x->sums.unfinished += c->state != SHARC_CAPTURE_COMPLETE && c->state != SHARC_CAPTURE_IMPORTED;
    }
    return 0;
}

/* --- where to begin ------------------------------------------------------------------ */

/* The site's first seed as the catalogue writes URLs. */
static int first_seed(struct sharc_export *x, sharc_store_id site, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_site s;
    int r = sharc_store_sites(x->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_site(rows, &s);
        if (s.id != site || !s.seeds.n) continue;
        SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
        const struct sharc_node *seeds = NULL;
        if (sharc_json_read(s.seeds, &arena, &seeds, NULL) < 0) continue;
        struct sharc_span seed = sharc_node_text(sharc_node_at(seeds, 0));
        if (sharc_url_parse(&x->url, seed, NULL, NULL) == 0) *ret = sharc_span_dup(sharc_url_page(&x->url));
    }
    return r < 0 ? r : 0;
}

/* The page of that URL in the capture: 1, *ret_target is where it redirects to, or NULL. 0: there is none. */
static int look_up(struct sharc_export *x, const struct export_capture *c, const char *url, char **ret_target,
                   struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = c->id};
    struct sharc_store_page p;
    *ret_target = NULL;
    int r = sharc_store_url_find(x->store, sharc_span_of(url), &f.url, NULL);
    if (r == SHARC_ENOENT) return 0;
    if (r == 0) r = sharc_store_pages(x->store, &f, &rows, reterr);
    if (r == 0) r = sharc_store_rows_next(rows, reterr);
    if (r <= 0) return r;
    sharc_store_read_page(rows, &p);
    if (p.redirect.n) *ret_target = sharc_span_dup(p.redirect);
    return 1;
}

/* Nothing is known of seeds (an import): the page that was visited first. */
static int earliest_page(struct sharc_export *x, const struct export_capture *c, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = c->id, .mime = SHARC_SPAN("text/html")};
    struct sharc_store_page p;
    sharc_time best = INT64_MAX;
    bool root = false;
    int r = sharc_store_pages(x->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &p);
        bool is_root = p.hops == 0;
        if (p.redirect.n || (root && !is_root) || (root == is_root && p.visit.when >= best)) continue;
        free(*ret);
        *ret = sharc_span_dup(p.url);
        best = p.visit.when;
        root = is_root;
    }
    return r < 0 ? r : 0;
}

int sharc__export_seed(struct sharc_export *x, struct export_capture *c, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *url = NULL;
    int r = first_seed(x, c->site, &url, reterr);
    for (int hop = 0; r == 0 && url && hop < MOST_REDIRECTS; hop++) {
        SHARC_AUTO(sharc_freep) char *target = NULL;
        r = look_up(x, c, url, &target, reterr);
        if (r == 0) break; /* it leads out of the capture */
        free(c->seed);
        c->seed = sharc_strdup(url);
        if (r < 0 || !target) break;
        free(url);
        url = SHARC_TAKE(target);
        r = 0;
    }
    if (r >= 0 && !c->seed) r = earliest_page(x, c, &c->seed, reterr);
    return r < 0 ? r : 0;
}

int sharc__export_each_page(struct sharc_export *x, struct export_capture *c, export_page_fn *fn, void *arg,
                            struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = c->id, .looks = true, .grades = true};
    struct sharc_store_page p;
    int r = sharc_store_pages(x->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &p);
        r = fn(arg, x, c, &p, reterr);
    }
    return r < 0 ? r : 0;
}
