/* SPDX-License-Identifier: Apache-2.0
 *
 * A series: each capture against the one before it. Pages that stood still are never read in full: they
 * are what both captures have, less what the comparison names.
 */
#include "figure_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

/* --- one step ------------------------------------------------------------------------------------------- */

struct stepping {
    struct sharc_figure_step *step;
    const struct figure_pages *a, *b;
    double alike; /* sum */
};

static int note_pair(void *arg, const struct sharc_store_pair *p, struct sharc_err *reterr)
{
    struct stepping *k = arg;
    (void)reterr;
    enum sharc_figure_class change = sharc_figure_class_of_pair(p);
    const struct figure_pages *in = p->in_b ? k->b : k->a;
    size_t at = sharc_find_i64(in->id, in->count, p->url_id);
    if (at == SIZE_MAX) return 0; /* it came while the captures were read */
    enum sharc_figure_kind kind = (enum sharc_figure_kind)in->kind[at];
    k->step->all[change]++;
    k->step->kinds[kind][change]++;
    if (p->in_a && p->in_b) k->step->kinds[kind][SHARC_FIGURE_UNCHANGED]--; /* it was counted as one that stood still */
    double alike = kind == SHARC_FIGURE_HTML ? sharc__figure_alike(p) : (double)NAN;
    if (isnan(alike)) return 0;
    k->alike += alike;
    k->step->similar_of++;
    return 0;
}

/* Pages that both have, all of them as if they stood still. */
static void count_both(struct stepping *k)
{
    const struct figure_pages *a = k->a, *b = k->b;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->id[i] != b->id[j]) {
            *(a->id[i] < b->id[j] ? &i : &j) += 1;
            continue;
        }
        k->step->kinds[b->kind[j]][SHARC_FIGURE_UNCHANGED]++;
        i++;
        j++;
    }
}

/* Links of pages that have some in both captures: all of them as if they were the same; those of others came or
 * went with their page. */
static void count_same_links(struct stepping *k)
{
    const struct figure_pages *a = k->a, *b = k->b;
    uint64_t of_both_a = 0, of_both_b = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->id[i] != b->id[j]) {
            *(a->id[i] < b->id[j] ? &i : &j) += 1;
            continue;
        }
        if (a->links[i] && b->links[j]) {
            of_both_a += a->links[i];
            of_both_b += b->links[j];
        }
        i++;
        j++;
    }
    k->step->links_same = of_both_b;
    k->step->links_new = k->b->link_count - of_both_b;
    k->step->links_gone = k->a->link_count - of_both_a;
}

static int count_changed_links(struct sharc_store *s, struct stepping *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_link_filter f = {0};
    struct sharc_store_edge edge;
    int r = sharc_store_link_changes(s, k->step->before, k->step->capture, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_edge(rows, &edge);
        size_t i = sharc_find_i64(k->a->id, k->a->count, edge.from);
        size_t j = sharc_find_i64(k->b->id, k->b->count, edge.from);
        if (i == SIZE_MAX || j == SIZE_MAX || !k->a->links[i] || !k->b->links[j]) continue;
        if (edge.change > 0) {
            k->step->links_new++;
            k->step->links_same--;
        } else {
            k->step->links_gone++;
        }
    }
    return r;
}

static int compare(struct sharc_store *s, struct stepping *k, struct sharc_err *reterr)
{
    count_both(k);
    count_same_links(k);
    int r = sharc__figure_changes(s, k->step->before, k->step->capture, true, note_pair, k, reterr);
    if (r >= 0) r = count_changed_links(s, k, reterr);
    if (r < 0) return r;
    for (int i = 0; i < SHARC_FIGURE_KIND_COUNT; i++)
        k->step->all[SHARC_FIGURE_UNCHANGED] += k->step->kinds[i][SHARC_FIGURE_UNCHANGED];
    uint64_t still = k->step->kinds[SHARC_FIGURE_HTML][SHARC_FIGURE_UNCHANGED];
    k->step->similar_of += still;
    if (k->step->similar_of) k->step->similarity = (k->alike + (double)still) / (double)k->step->similar_of;
    return 0;
}

/* --- all steps ------------------------------------------------------------------------------------------ */

void sharc_figure_series_done(struct sharc_figure_series *f)
{
    for (size_t i = 0; i < f->count; i++) free(f->steps[i].key);
    free(f->steps);
    free(f->site);
    *f = (struct sharc_figure_series){0};
}

static int begin_step(struct sharc_store *s, sharc_store_id capture, const struct figure_pages *pages,
                      struct sharc_figure_series *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    int r = sharc__figure_capture(s, capture, &c, reterr);
    if (r < 0) return r;
    f->steps[f->count] = (struct sharc_figure_step){
        .capture = capture,
        .before = f->count ? f->steps[f->count - 1].capture : 0,
        .start = c.start,
        .end = c.end,
        .first = pages->first,
        .last = pages->last,
        .pages = pages->count,
        .links = pages->link_count,
        .similarity = (double)NAN,
    };
    f->steps[f->count].key = SHARC_TAKE(c.key);
    if (!f->site) f->site = SHARC_TAKE(c.site_name);
    f->count++;
    return 0;
}

int sharc_figure_series(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                        struct sharc_figure_series *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_series_done) struct sharc_figure_series f = {0};
    SHARC_AUTO(sharc__figure_pages_done) struct figure_pages before = {0};
    f.steps = SHARC_NEW_ARRAY(struct sharc_figure_step, n + 1);
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc__figure_pages_done) struct figure_pages now = {0};
        int r = sharc__figure_pages(s, captures[i], &now, reterr);
        if (r >= 0) r = begin_step(s, captures[i], &now, &f, reterr);
        struct stepping k = {.step = &f.steps[i], .a = &before, .b = &now};
        if (r >= 0 && i > 0) r = compare(s, &k, reterr);
        if (r < 0) return r;
        sharc__figure_pages_done(&before);
        before = now;
        now = (struct figure_pages){0};
    }
    *ret = f;
    f = (struct sharc_figure_series){0};
    return 0;
}
