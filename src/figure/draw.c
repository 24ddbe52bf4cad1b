/* SPDX-License-Identifier: Apache-2.0
 *
 * A figure: its numbers are read once, then it can be drawn.
 */
#include "draw_int.h"

#include <stdlib.h>

static const struct {
    const char *word, *text;
} figures[] = {
#define X(name, word, text) {word, text},
    SHARC_FIGURES(X)
#undef X
};

const char *sharc_figure_draw_word(enum sharc_figure_drawing f)
{
    return (unsigned)f < SHARC_LENGTH(figures) ? figures[f].word : "";
}

const char *sharc_figure_draw_text(enum sharc_figure_drawing f)
{
    return (unsigned)f < SHARC_LENGTH(figures) ? figures[f].text : "";
}

int sharc_figure_draw_find(struct sharc_span word, enum sharc_figure_drawing *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < SHARC_LENGTH(figures); i++) {
        sharc_buf_printf(&all, "%s%s", i ? ", " : "", figures[i].word);
        if (!sharc_span_is(word, figures[i].word)) continue;
        *ret = (enum sharc_figure_drawing)i;
        return 0;
    }
    return sharc_fail(reterr, SHARC_ENOENT, "there is no figure \"%.*s\"; there are: %s", SHARC_SPAN_ARG(word),
                      sharc_buf_str(&all));
}

void sharc_figure_free(struct sharc_figure *f)
{
    if (!f) return;
    sharc_figure_schedule_done(&f->schedule);
    sharc_figure_series_done(&f->series);
    sharc_figure_pair_done(&f->pair);
    sharc_figure_calendar_done(&f->calendar);
    sharc_figure_graph_done(&f->graph);
    sharc_figure_subsites_done(&f->subsites);
    sharc_assess_capture_done(&f->judged);
    sharc_watched_done(&f->watched);
    free(f->title);
    free(f->text);
    free(f->site);
    free(f->key);
    free(f);
}

void sharc_figure_freep(struct sharc_figure **f)
{
    sharc_figure_free(*f);
    *f = NULL;
}

const struct sharc_picture *sharc_figure_picture(const struct sharc_figure *f)
{
    return &f->picture;
}

bool sharc_figure_is_empty(const struct sharc_figure *f)
{
    return f->empty;
}

/* --- numbers --------------------------------------------------------------------------------------------- */

static int judge(struct sharc_store *s, sharc_store_id capture, struct sharc_figure *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    int r = sharc_assess_open(s, capture, false, &a, reterr);
    return r < 0 ? r : sharc_assess_judge(a, 0, &f->judged, reterr);
}

static int compare(struct sharc_store *s, const struct sharc_figure_request *q, sharc_store_id capture,
                   struct sharc_figure *f, struct sharc_err *reterr)
{
    sharc_store_id before = q->against;
    int r = before ? 0 : q->count > 1 ? 0 : sharc_figure_before(s, capture, &before, reterr);
    if (r < 0) return r;
    if (!before && q->count > 1) before = q->captures[q->count - 2];
    f->pair.b = capture;
    return before ? sharc_figure_pair(s, before, capture, &f->pair, reterr) : 0;
}

static int read_numbers(struct sharc_store *s, const struct sharc_figure_request *q, const struct figure_capture *c,
                        struct sharc_figure *f, struct sharc_err *reterr)
{
    const sharc_store_id *ids = q->captures;
    switch (q->figure) {
    case SHARC_FIGURE_DRAW_SCHEDULE: return sharc_figure_schedule(s, c->id, &f->schedule, reterr);
    case SHARC_FIGURE_DRAW_GRADES:
    case SHARC_FIGURE_DRAW_DEFECTS: return judge(s, c->id, f, reterr);
    case SHARC_FIGURE_DRAW_AREA: return sharc_figure_series(s, ids, q->count, &f->series, reterr);
    case SHARC_FIGURE_DRAW_PAIR:
    case SHARC_FIGURE_DRAW_SPACE: return compare(s, q, c->id, f, reterr);
    case SHARC_FIGURE_DRAW_CALENDAR: return sharc_figure_calendar(s, ids, q->count, 0, &f->calendar, reterr);
    case SHARC_FIGURE_DRAW_GRAPH: return sharc_figure_graph(s, c->id, q->against, !q->unfold, &f->graph, reterr);
    case SHARC_FIGURE_DRAW_WEEK: return sharc_figure_week(s, c->site, 0, &f->week, reterr);
    case SHARC_FIGURE_DRAW_SUBSITES: return sharc_figure_subsites(s, ids, q->count, &f->subsites, reterr);
    case SHARC_FIGURE_DRAW_WATCH: return sharc_watched_measure(s, c->id, &f->watched, reterr);
    case SHARC_FIGURE_DRAW_COUNT: break;
    }
    return sharc_fail(reterr, SHARC_EINVAL, "there is no figure number %d", (int)q->figure);
}

static const struct {
    void (*about)(struct sharc_figure *f);
    void (*draw)(struct sharc_pen *pen, const void *arg);
} drawings[] = {
    [SHARC_FIGURE_DRAW_SCHEDULE] = {sharc__figure_about_schedule, sharc__figure_draw_schedule},
    [SHARC_FIGURE_DRAW_GRADES] = {sharc__figure_about_bars, sharc__figure_draw_bars},
    [SHARC_FIGURE_DRAW_DEFECTS] = {sharc__figure_about_bars, sharc__figure_draw_bars},
    [SHARC_FIGURE_DRAW_AREA] = {sharc__figure_about_series, sharc__figure_draw_series},
    [SHARC_FIGURE_DRAW_PAIR] = {sharc__figure_about_pair, sharc__figure_draw_pair},
    [SHARC_FIGURE_DRAW_SPACE] = {sharc__figure_about_pair, sharc__figure_draw_space},
    [SHARC_FIGURE_DRAW_CALENDAR] = {sharc__figure_about_calendar, sharc__figure_draw_calendar},
    [SHARC_FIGURE_DRAW_GRAPH] = {sharc__figure_about_graph, sharc__figure_draw_graph},
    [SHARC_FIGURE_DRAW_WEEK] = {sharc__figure_about_week, sharc__figure_draw_week},
    [SHARC_FIGURE_DRAW_SUBSITES] = {sharc__figure_about_subsites, sharc__figure_draw_subsites},
    [SHARC_FIGURE_DRAW_WATCH] = {sharc__figure_about_watch, sharc__figure_draw_watch},
};

int sharc_figure_open(struct sharc_store *s, const struct sharc_figure_request *q, struct sharc_figure **ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
    SHARC_AUTO(sharc_figure_freep) struct sharc_figure *f = SHARC_NEW(struct sharc_figure);
    SHARC_FAIL_IF(q->count == 0, reterr, SHARC_EINVAL, "a figure needs a capture");
    int r = sharc__figure_capture(s, q->captures[q->count - 1], &c, reterr);
    f->name = q->figure;
    if (r >= 0) r = read_numbers(s, q, &c, f, reterr);
    if (r < 0) return r;
    f->site = SHARC_TAKE(c.site_name);
    f->key = SHARC_TAKE(c.key);
    drawings[q->figure].about(f);
    f->picture.width = SHEET_WIDTH;
    f->picture.draw = drawings[q->figure].draw;
    f->picture.arg = f;
    f->picture.title = f->title;
    f->picture.text = f->text;
    *ret = SHARC_TAKE(f);
    return 0;
}
