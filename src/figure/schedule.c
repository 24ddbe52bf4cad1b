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

static void add_row(struct sharc_figure_schedule *f, const struct sharc_figure_sheet *t, size_t row)
{
    struct sharc_figure_visit *v = &f->rows[f->count++];
    *v = (struct sharc_figure_visit){
        .url_id = t->id[row],
        .kind = sharc_figure_kind_of(sharc_figure_sheet_mime(t, row)),
        .follower = t->slot[row] < 0,
        .hopeless = t->hopeless[row] != 0,
        .visit = t->visit[row],
        .revisit = t->revisit[row],
        .rate = t->planned[row],
        .reason = (enum sharc_grade_reason)t->reason[row],
    };
    stretch(f, v->visit);
    stretch(f, v->revisit);
    f->revisited += v->revisit != SHARC_TIME_NONE;
    f->hopeless += v->hopeless;
    f->rated += !isnan(v->rate);
}

struct place {
    sharc_time visit;
    sharc_store_id id;
    size_t row;
};

static int by_visit(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->visit != y->visit) return x->visit < y->visit ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int add_rows(struct sharc_figure_schedule *f, const struct sharc_figure_sheet *t, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) struct place *order = SHARC_NEW_ARRAY(struct place, t->count + 1);
    struct sharc_span urls;
    int r = sharc__figure_keep(&f->texts, sharc_span(t->urls, t->count ? t->end[t->count - 1] : 0), &urls, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < t->count; i++) order[i] = (struct place){t->visit[i], t->id[i], i};
    if (t->count) qsort(order, t->count, sizeof *order, by_visit);
    f->rows = SHARC_NEW_ARRAY(struct sharc_figure_visit, t->count + 1);
    for (size_t i = 0; i < t->count; i++) {
        size_t row = order[i].row, from = row ? t->end[row - 1] : 0;
        add_row(f, t, row);
        f->rows[i].url = sharc_span_sub(urls, from, t->end[row]);
    }
    return 0;
}

int sharc_figure_schedule_of(struct sharc_store *s, const struct sharc_figure_sheet *t,
                             struct sharc_figure_schedule *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    SHARC_AUTO(sharc_figure_schedule_done)
    struct sharc_figure_schedule f = {.capture = t->capture, .first = SHARC_TIME_NONE, .last = SHARC_TIME_NONE};
    f.texts.max = FIGURE_TEXTS_MAX;
    int r = sharc__figure_capture(s, t->capture, &c, reterr);
    if (r >= 0) r = add_rows(&f, t, reterr);
    if (r < 0) return r;
    f.pages = f.count;
    f.every = 1;
    f.key = SHARC_TAKE(c.key);
    f.site = SHARC_TAKE(c.site_name);
    f.strategy = SHARC_TAKE(c.strategy);
    f.known_from = c.known_from;
    f.known_to = c.known_to;
    *ret = f;
    f = (struct sharc_figure_schedule){0};
    return 0;
}

void sharc_figure_schedule_thin(struct sharc_figure_schedule *f, size_t most)
{
    size_t every = most && f->count > most ? (f->count + most - 1) / most : 1, n = 0;
    for (size_t i = 0; i < f->count; i += every) f->rows[n++] = f->rows[i];
    f->count = n;
    f->every *= every;
}

int sharc_figure_schedule(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_schedule *ret,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet t = {0};
    int r = sharc_figure_sheet(s, capture, &t, reterr);
    return r < 0 ? r : sharc_figure_schedule_of(s, &t, ret, reterr);
}
