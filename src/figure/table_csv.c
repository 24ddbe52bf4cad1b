/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures as tables: every mark a row.
 */
#include "draw_int.h"

#include <inttypes.h>

static void put_time(struct sharc_buf *out, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    sharc_buf_put_char(out, ',');
    if (t != SHARC_TIME_NONE) sharc_buf_put_str(out, sharc_time_iso(t, 6, text));
}

static void put_real(struct sharc_buf *out, double v)
{
    sharc_buf_put_char(out, ',');
    if (!isnan(v)) sharc_buf_printf(out, "%.9g", v);
}

static void schedule(const struct sharc_figure *f, struct sharc_buf *out)
{
    sharc_buf_put_str(out, "url,visit,revisit,rate_per_day,hopeless,follower,kind,class,reason\n");
    for (size_t i = 0; i < f->schedule.count; i++) {
        const struct sharc_figure_visit *v = &f->schedule.rows[i];
        sharc_buf_put_csv(out, v->url);
        put_time(out, v->visit);
        put_time(out, v->revisit);
        put_real(out, v->rate * 86400);
        sharc_buf_printf(out, ",%d,%d,%s,%s,%s\n", v->hopeless, v->follower, sharc_figure_kind_word(v->kind),
                         sharc_figure_class_word(sharc_figure_class_of_grade(v->reason)),
                         sharc_grade_reason_word(v->reason));
    }
}

static void bars(const struct sharc_figure *f, struct sharc_buf *out)
{
    const struct sharc_assess_capture *c = &f->judged;
    if (f->name == SHARC_FIGURE_DRAW_DEFECTS) {
        sharc_buf_put_str(out, "defect,pages\n");
        for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++)
            sharc_buf_printf(out, "%s,%" PRIu64 "\n", sharc_assess_defect_word((enum sharc_assess_defect)i),
                             c->defects[i]);
        return;
    }
    sharc_buf_put_str(out, "reason,grade,pages\n");
    for (int i = 1; c->graded && i < SHARC_GRADE_REASON_COUNT; i++)
        sharc_buf_printf(out, "%s,%s,%" PRIu64 "\n", sharc_grade_reason_word((enum sharc_grade_reason)i),
                         sharc_grade_word(sharc_grade_of((enum sharc_grade_reason)i)), c->reasons[i]);
}

static void series(const struct sharc_figure *f, struct sharc_buf *out)
{
    sharc_buf_put_str(out, "capture,key,first,last,pages");
    for (int c = 0; c < SHARC_FIGURE_CLASS_COUNT; c++)
        sharc_buf_printf(out, ",%s", sharc_figure_class_word((enum sharc_figure_class)c));
    for (int k = 0; k < SHARC_FIGURE_KIND_COUNT; k++)
        for (int c = 0; c < SHARC_FIGURE_CLASS_COUNT; c++)
            sharc_buf_printf(out, ",%s_%s", sharc_figure_kind_word((enum sharc_figure_kind)k),
                             sharc_figure_class_word((enum sharc_figure_class)c));
    sharc_buf_put_str(out, ",links_now,links_same,links_new,links_gone,similarity,similar_of\n");
    for (size_t i = 0; i < f->series.count; i++) {
        const struct sharc_figure_step *x = &f->series.steps[i];
        sharc_buf_printf(out, "%" PRId64 ",", x->capture);
        sharc_buf_put_csv(out, sharc_span_of(x->key));
        put_time(out, x->first);
        put_time(out, x->last);
        sharc_buf_printf(out, ",%" PRIu64, x->pages);
        for (int c = 0; c < SHARC_FIGURE_CLASS_COUNT; c++) sharc_buf_printf(out, ",%" PRIu64, x->all[c]);
        for (int k = 0; k < SHARC_FIGURE_KIND_COUNT; k++)
            for (int c = 0; c < SHARC_FIGURE_CLASS_COUNT; c++) sharc_buf_printf(out, ",%" PRIu64, x->kinds[k][c]);
        sharc_buf_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, x->links, x->links_same, x->links_new,
                         x->links_gone);
        put_real(out, x->similarity);
        sharc_buf_printf(out, ",%" PRIu64 "\n", x->similar_of);
    }
}

static void pair(const struct sharc_figure *f, struct sharc_buf *out)
{
    sharc_buf_put_str(out, "url,class,kind,mime,folder,size_before,size_after,similarity\n");
    for (size_t i = 0; i < f->pair.count; i++) {
        const struct sharc_figure_point *p = &f->pair.points[i];
        sharc_buf_put_csv(out, p->url);
        sharc_buf_printf(out, ",%s,%s,", sharc_figure_class_word(p->change), sharc_figure_kind_word(p->kind));
        sharc_buf_put_csv(out, f->pair.mimes[p->mime].name);
        sharc_buf_put_char(out, ',');
        sharc_buf_put_csv(out, f->pair.folders[p->folder].name);
        put_real(out, p->size_a < 0 ? (double)NAN : (double)p->size_a);
        put_real(out, p->size_b < 0 ? (double)NAN : (double)p->size_b);
        put_real(out, p->similarity);
        sharc_buf_put_char(out, '\n');
    }
}

static void calendar(const struct sharc_figure *f, struct sharc_buf *out)
{
    const struct sharc_figure_calendar *c = &f->calendar;
    sharc_buf_put_str(out, "url,group,changes");
    for (size_t k = 0; k < c->columns; k++) sharc_buf_printf(out, ",capture_%" PRId64, c->captures[k]);
    sharc_buf_put_char(out, '\n');
    for (size_t i = 0; i < c->count; i++) {
        sharc_buf_put_csv(out, c->rows[i].url);
        sharc_buf_printf(out, ",%" PRIu32 ",%" PRIu32, c->rows[i].group, c->rows[i].changes);
        for (size_t k = 0; k < c->columns; k++) {
            uint8_t cell = c->cells[i * c->columns + k];
            sharc_buf_printf(out, ",%s",
                             cell < SHARC_FIGURE_CLASS_COUNT ? sharc_figure_class_word((enum sharc_figure_class)cell)
                                                             : "");
        }
        sharc_buf_put_char(out, '\n');
    }
}

static void graph(const struct sharc_figure *f, struct sharc_buf *out)
{
    sharc_buf_put_str(out, "node,parent,url,kind,class,folded,pages,below,x,y\n");
    for (size_t i = 0; i < f->graph.count; i++) {
        const struct sharc_figure_node *n = &f->graph.nodes[i];
        sharc_buf_printf(out, "%zu,", i);
        if (n->parent != i) sharc_buf_printf(out, "%" PRIu32, n->parent);
        sharc_buf_put_char(out, ',');
        sharc_buf_put_csv(out, n->url);
        sharc_buf_printf(out, ",%s,%s,%d,%" PRIu32 ",%" PRIu32 ",%.5f,%.5f\n", sharc_figure_kind_word(n->kind),
                         sharc_figure_class_word(n->change), n->folded, n->pages, n->below, (double)n->x, (double)n->y);
    }
}

static void week(const struct sharc_figure *f, struct sharc_buf *out)
{
    static const char *const days[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
    sharc_buf_put_str(out, "weekday,hour_utc,changes,hours_watched\n");
    for (int d = 0; d < 7; d++)
        for (int h = 0; h < 24; h++)
            sharc_buf_printf(out, "%s,%d,%.6g,%.6g\n", days[d], h, f->week.changes[d][h], f->week.hours[d][h]);
}

static void subsites(const struct sharc_figure *f, struct sharc_buf *out)
{
    sharc_buf_put_str(
        out, "prefix,taken_from,pages,compared,changed,share,low,high,share_of_rest,manner,host,sitemap,change,bits\n");
    for (size_t i = 0; i < f->subsites.count; i++) {
        const struct sharc_figure_subsite *x = &f->subsites.rows[i];
        sharc_buf_put_csv(out, x->prefix);
        sharc_buf_put_char(out, ',');
        if (x->parent != UINT32_MAX) sharc_buf_put_csv(out, f->subsites.rows[x->parent].prefix);
        sharc_buf_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, x->pages, x->compared, x->changed);
        put_real(out, x->share);
        put_real(out, x->low);
        put_real(out, x->high);
        put_real(out, x->rest);
        sharc_buf_printf(out, ",%s,%d,%d,%d,%.1f\n", sharc_figure_manner_word(x->manner),
                         (x->basis & SHARC_FIGURE_BY_HOST) != 0, (x->basis & SHARC_FIGURE_BY_SITEMAP) != 0,
                         (x->basis & SHARC_FIGURE_BY_CHANGE) != 0, x->bits);
    }
}

static void watch(const struct sharc_figure *f, struct sharc_buf *out)
{
    sharc_buf_put_str(out, SHARC_WATCHED_COLUMNS "\n");
    for (size_t i = 0; i < f->watched.count; i++) sharc_watched_put_csv(out, &f->watched.periods[i]);
}

int sharc_figure_csv(const struct sharc_figure *f, struct sharc_buf *out, struct sharc_err *reterr)
{
    static void (*const tables[])(const struct sharc_figure *, struct sharc_buf *) = {
        [SHARC_FIGURE_DRAW_SCHEDULE] = schedule, [SHARC_FIGURE_DRAW_GRADES] = bars, [SHARC_FIGURE_DRAW_DEFECTS] = bars,
        [SHARC_FIGURE_DRAW_AREA] = series,       [SHARC_FIGURE_DRAW_PAIR] = pair,   [SHARC_FIGURE_DRAW_SPACE] = pair,
        [SHARC_FIGURE_DRAW_CALENDAR] = calendar, [SHARC_FIGURE_DRAW_GRAPH] = graph, [SHARC_FIGURE_DRAW_WEEK] = week,
        [SHARC_FIGURE_DRAW_SUBSITES] = subsites, [SHARC_FIGURE_DRAW_WATCH] = watch,
    };
    tables[f->name](f, out);
    return sharc_buf_result(out, reterr);
}
