/* SPDX-License-Identifier: Apache-2.0
 *
 * When each page of a capture was visited, and visited again.
 */
#include "figure_int.h"

#include <stdlib.h>

void sharc_figure_schedule_done(struct sharc_figure_schedule *f)
{
    free(f->key);
    free(f->site);
    free(f->strategy);
    free(f->rows);
    sharc_arena_done(&f->texts);
    *f = (struct sharc_figure_schedule){0};
}

static void stretch(struct sharc_figure_schedule *f, sharc_time t)
{
    if (t == SHARC_TIME_NONE) return;
    if (f->first == SHARC_TIME_NONE || t < f->first) f->first = t;
    if (f->last == SHARC_TIME_NONE || t > f->last) f->last = t;
}

static int add_row(struct sharc_figure_schedule *f, const struct sharc_store_page *p, struct sharc_err *reterr)
{
    struct sharc_figure_visit *v = &f->rows[f->count];
    *v = (struct sharc_figure_visit){
        .url_id = p->url_id,
        .kind = sharc_figure_kind_of(p->mime),
        .follower = p->visit.slot < 0,
        .hopeless = p->hopeless,
        .visit = p->visit.when,
        .revisit = p->revisit.when,
        .rate = p->planned_rate,
        .reason = p->grade.reason,
    };
    int r = sharc__figure_keep(&f->texts, p->url, &v->url, reterr);
    if (r < 0) return r;
    stretch(f, v->visit);
    stretch(f, v->revisit);
    f->revisited += v->revisit != SHARC_TIME_NONE;
    f->hopeless += v->hopeless;
    f->rated += !isnan(v->rate);
    f->count++;
    return 0;
}

static int by_visit(const void *a, const void *b)
{
    const struct sharc_figure_visit *x = a, *y = b;
    if (x->visit != y->visit) return x->visit < y->visit ? -1 : 1;
    return (x->url_id > y->url_id) - (x->url_id < y->url_id);
}

int sharc_figure_schedule(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_schedule *ret,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_figure_schedule_done)
    struct sharc_figure_schedule f = {.capture = capture, .first = SHARC_TIME_NONE, .last = SHARC_TIME_NONE};
    const struct sharc_store_page_filter filter = {.capture = capture, .looks = true, .grades = true};
    struct sharc_store_page page;
    size_t room = 0;
    f.texts.max = FIGURE_TEXTS_MAX;
    int r = sharc__figure_capture(s, capture, &c, reterr);
    if (r >= 0) r = sharc_store_pages(s, &filter, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &page);
        SHARC_GROW(f.rows, room, f.count + 1);
        r = add_row(&f, &page, reterr);
    }
    if (r < 0) return r;
    if (f.count) qsort(f.rows, f.count, sizeof *f.rows, by_visit);
    f.key = SHARC_TAKE(c.key);
    f.site = SHARC_TAKE(c.site_name);
    f.strategy = SHARC_TAKE(c.strategy);
    f.known_from = c.known_from;
    f.known_to = c.known_to;
    *ret = f;
    f = (struct sharc_figure_schedule){0};
    return 0;
}
