/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers behind pictures: /api/words, /api/schedule, /api/steps, /api/points, /api/calendar, /api/graph,
 * /api/week. What has a row for each page is told by columns, arrays of equal length, which are a fraction of the size
 * of objects.
 */
#include "api.h"

#include "sharc/assess.h"
#include "sharc/figure.h"
#include "sharc/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 200000 };

/* A column of count values. */
#define COLUMN(j, name, count, ...)                       \
    do {                                                  \
        sharc_json_array(j, name);                        \
        for (size_t i = 0; i < (count); i++) __VA_ARGS__; \
        sharc_json_end(j);                                \
    } while (0)

/* --- words ------------------------------------------------------------------------------------------- */

static void put_colour(struct sharc_json *j, const char *name, uint32_t colour)
{
    char text[16];
    snprintf(text, sizeof text, "#%06x", (unsigned)colour & 0xffffffu);
    sharc_json_str(j, name, text);
}

static void put_classes(struct sharc_json *j)
{
    sharc_json_array(j, "classes");
    for (int i = 0; i < SHARC_FIGURE_CLASS_COUNT; i++) {
        enum sharc_figure_class c = (enum sharc_figure_class)i;
        char letter[2] = {sharc_figure_class_letter(c), 0};
        sharc_json_object(j, NULL);
        sharc_json_str(j, "word", sharc_figure_class_word(c));
        sharc_json_str(j, "letter", letter);
        sharc_json_str(j, "text", sharc_figure_class_text(c));
        put_colour(j, "light", sharc_figure_class_colour(c, false));
        put_colour(j, "dark", sharc_figure_class_colour(c, true));
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_array(j, "kinds");
    for (int i = 0; i < SHARC_FIGURE_KIND_COUNT; i++) {
        enum sharc_figure_kind k = (enum sharc_figure_kind)i;
        sharc_json_object(j, NULL);
        sharc_json_str(j, "word", sharc_figure_kind_word(k));
        sharc_json_str(j, "text", sharc_figure_kind_text(k));
        sharc_json_str(j, "shape", sharc_figure_kind_shape(k));
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

int sharc__serve_api_words(struct api_call *a, struct sharc_err *reterr)
{
    (void)reterr;
    struct sharc_json *j = &a->json;
    sharc_json_str(j, "title", a->call->server->title);
    sharc_json_str(j, "replay", a->call->replay);
    put_classes(j);
    sharc_json_array(j, "grades");
    for (int i = 0; i < SHARC_GRADE_COUNT; i++) {
        sharc_json_object(j, NULL);
        sharc_json_str(j, "word", sharc_grade_word((enum sharc_grade)i));
        sharc_json_str(j, "text", sharc_grade_text((enum sharc_grade)i));
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_array(j, "reasons");
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++) {
        enum sharc_grade_reason r = (enum sharc_grade_reason)i;
        sharc_json_object(j, NULL);
        sharc_json_str(j, "word", sharc_grade_reason_word(r));
        sharc_json_str(j, "text", sharc_grade_reason_text(r));
        sharc_json_str(j, "grade", sharc_grade_word(sharc_grade_of(r)));
        sharc_json_str(j, "class", sharc_figure_class_word(sharc_figure_class_of_grade(r)));
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_object(j, "defects");
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++)
        sharc_json_str(j, sharc_assess_defect_word((enum sharc_assess_defect)i),
                       sharc_assess_defect_text((enum sharc_assess_defect)i));
    sharc_json_end(j);
    return 0;
}

/* --- schedule ------------------------------------------------------------------------------------------ */

static void put_since(struct sharc_json *j, sharc_time t, sharc_time zero)
{
    if (t == SHARC_TIME_NONE)
        sharc_json_null(j, NULL);
    else
        sharc_json_int(j, NULL, (t - zero) / 1000);
}

static void put_schedule(struct sharc_json *j, const struct sharc_figure_schedule *f)
{
    const struct sharc_figure_visit *v = f->rows;
    sharc_json_uint(j, "every", f->every);
    COLUMN(j, "url", f->count, sharc_json_span(j, NULL, v[i].url));
    COLUMN(j, "visit", f->count, put_since(j, v[i].visit, f->first));
    COLUMN(j, "revisit", f->count, put_since(j, v[i].revisit, f->first));
    COLUMN(j, "rate", f->count, sharc_json_real(j, NULL, v[i].rate));
    COLUMN(j, "kind", f->count, sharc_json_int(j, NULL, v[i].kind));
    COLUMN(j, "reason", f->count, sharc_json_int(j, NULL, v[i].reason));
    COLUMN(j, "flags", f->count, sharc_json_int(j, NULL, v[i].hopeless + 2 * v[i].follower));
}

int sharc__serve_api_schedule(struct api_call *a, struct sharc_err *reterr)
{
    struct sharc_figure_schedule f = {0};
    struct sharc_json *j = &a->json;
    sharc_store_id id;
    uint64_t most;
    int r = sharc__serve_api_capture_of(a, "capture", &id, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "most", SHARC_SUMMARY_MARKS, MOST_ROWS, &most, reterr);
    if (r == 0) r = sharc_summary_schedule(a->store, id, most, &f, reterr);
    if (r < 0) return r;
    j->pretty = false;
    sharc_json_int(j, "capture", f.capture);
    sharc_json_str(j, "key", f.key);
    sharc_json_str(j, "site", f.site);
    sharc_json_str(j, "strategy", f.strategy);
    sharc__serve_api_time(j, "first", f.first);
    sharc__serve_api_time(j, "last", f.last);
    sharc__serve_api_time(j, "known_from", f.known_from);
    sharc__serve_api_time(j, "known_to", f.known_to);
    sharc_json_uint(j, "count", f.pages);
    sharc_json_uint(j, "revisited", f.revisited);
    sharc_json_uint(j, "hopeless", f.hopeless);
    sharc_json_uint(j, "rated", f.rated);
    put_schedule(j, &f);
    sharc_figure_schedule_done(&f);
    return 0;
}

/* --- series ---------------------------------------------------------------------------------------------- */

/* Captures of a site, or of the newest capture's; `most` newest of them. malloc'ed. */
static int captures_of(struct api_call *a, uint64_t most, sharc_store_id **ret, size_t *ret_n, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *site = sharc__serve_api_text(a, "site");
    int r = sharc_figure_captures(a->store, *site ? site : NULL, NULL, 0, ret, ret_n, reterr);
    if (r == 0 && *ret_n > most) {
        memmove(*ret, *ret + (*ret_n - most), most * sizeof **ret);
        *ret_n = most;
    }
    return r;
}

static void put_classed(struct sharc_json *j, const char *name, const uint64_t *counts)
{
    sharc_json_object(j, name);
    for (int i = 0; i < SHARC_FIGURE_CLASS_COUNT; i++)
        sharc_json_uint(j, sharc_figure_class_word((enum sharc_figure_class)i), counts[i]);
    sharc_json_end(j);
}

static void put_step(struct sharc_json *j, const struct sharc_figure_step *s)
{
    sharc_json_object(j, NULL);
    sharc_json_int(j, "capture", s->capture);
    sharc_json_int(j, "before", s->before);
    sharc_json_str(j, "key", s->key);
    sharc__serve_api_time(j, "start", s->start);
    sharc__serve_api_time(j, "end", s->end);
    sharc__serve_api_time(j, "first", s->first);
    sharc__serve_api_time(j, "last", s->last);
    sharc_json_uint(j, "pages", s->pages);
    put_classed(j, "all", s->all);
    sharc_json_object(j, "kinds");
    for (int k = 0; k < SHARC_FIGURE_KIND_COUNT; k++)
        put_classed(j, sharc_figure_kind_word((enum sharc_figure_kind)k), s->kinds[k]);
    sharc_json_end(j);
    sharc_json_uint(j, "links", s->links);
    sharc_json_uint(j, "links_same", s->links_same);
    sharc_json_uint(j, "links_new", s->links_new);
    sharc_json_uint(j, "links_gone", s->links_gone);
    sharc_json_real(j, "similarity", s->similarity);
    sharc_json_uint(j, "similar_of", s->similar_of);
    sharc_json_end(j);
}

int sharc__serve_api_steps(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *captures = NULL;
    struct sharc_figure_series f = {0};
    size_t n = 0;
    uint64_t most;
    int r = sharc__serve_api_number(a, "most", SHARC_SUMMARY_CAPTURES, 1000, &most, reterr);
    if (r == 0) r = captures_of(a, most, &captures, &n, reterr);
    if (r == 0) r = sharc_summary_steps(a->store, captures, n, &f, reterr);
    if (r < 0) return r;
    sharc_json_str(&a->json, "site", f.site);
    sharc_json_array(&a->json, "steps");
    for (size_t i = 0; i < f.count; i++) put_step(&a->json, &f.steps[i]);
    sharc_json_end(&a->json);
    sharc_figure_series_done(&f);
    return 0;
}

/* --- pair --------------------------------------------------------------------------------------------------- */

static void put_names(struct sharc_json *j, const char *name, const struct sharc_figure_name *names, size_t count)
{
    sharc_json_array(j, name);
    for (size_t i = 0; i < count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_span(j, "name", names[i].name);
        sharc_json_uint(j, "pages", names[i].pages);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

int sharc__serve_api_points(struct api_call *a, struct sharc_err *reterr)
{
    struct sharc_figure_pair f = {0};
    struct sharc_json *j = &a->json;
    sharc_store_id first, second;
    uint64_t most;
    int r = sharc__serve_api_capture_of(a, "a", &first, reterr);
    if (r == 0) r = sharc__serve_api_capture_of(a, "b", &second, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "most", SHARC_SUMMARY_MARKS, MOST_ROWS, &most, reterr);
    if (r == 0) r = sharc_summary_pair(a->store, first, second, most, &f, reterr);
    if (r < 0) return r;
    const struct sharc_figure_point *p = f.points;
    j->pretty = false;
    sharc_json_int(j, "a", f.a);
    sharc_json_int(j, "b", f.b);
    sharc_json_str(j, "site", f.site);
    sharc_json_str(j, "key_a", f.key_a);
    sharc_json_str(j, "key_b", f.key_b);
    put_classed(j, "all", f.all);
    put_names(j, "mimes", f.mimes, f.mime_count);
    put_names(j, "folders", f.folders, f.folder_count);
    sharc_json_uint(j, "count", f.pages);
    sharc_json_uint(j, "every", f.every);
    sharc_json_uint(j, "every_changed", f.every_changed);
    COLUMN(j, "place", f.count, sharc_json_uint(j, NULL, p[i].place));
    COLUMN(j, "url", f.count, sharc_json_span(j, NULL, p[i].url));
    COLUMN(j, "kind", f.count, sharc_json_int(j, NULL, p[i].kind));
    COLUMN(j, "class", f.count, sharc_json_int(j, NULL, p[i].change));
    COLUMN(j, "mime", f.count, sharc_json_uint(j, NULL, p[i].mime));
    COLUMN(j, "folder", f.count, sharc_json_uint(j, NULL, p[i].folder));
    COLUMN(j, "size_a", f.count, sharc_json_int(j, NULL, p[i].size_a));
    COLUMN(j, "size_b", f.count, sharc_json_int(j, NULL, p[i].size_b));
    COLUMN(j, "similarity", f.count, sharc_json_real(j, NULL, p[i].similarity));
    sharc_figure_pair_done(&f);
    return 0;
}

/* --- calendar -------------------------------------------------------------------------------------------------- */

/* The cells of a row as letters of their classes, '.' where there is none. */
static void put_cells(struct sharc_json *j, const struct sharc_figure_calendar *f, size_t row, char *text)
{
    for (size_t i = 0; i < f->columns; i++) {
        unsigned c = f->cells[row * f->columns + i];
        text[i] = c < SHARC_FIGURE_CLASS_COUNT ? sharc_figure_class_letter((enum sharc_figure_class)c) : '.';
    }
    sharc_json_span(j, NULL, sharc_span(text, f->columns));
}

int sharc__serve_api_calendar(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *captures = NULL;
    struct sharc_figure_calendar f = {0};
    struct sharc_json *j = &a->json;
    size_t n = 0;
    uint64_t most, rows;
    int r = sharc__serve_api_number(a, "most", SHARC_SUMMARY_CAPTURES, 1000, &most, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "rows", SHARC_SUMMARY_ROWS, MOST_ROWS, &rows, reterr);
    if (r == 0) r = captures_of(a, most, &captures, &n, reterr);
    if (r == 0) r = sharc_summary_calendar(a->store, captures, n, rows, &f, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *text = SHARC_NEW_ARRAY(char, f.columns + 1);
    j->pretty = false;
    sharc_json_str(j, "site", f.site);
    sharc_json_array(j, "captures");
    for (size_t i = 0; i < f.columns; i++) {
        sharc_json_object(j, NULL);
        sharc_json_int(j, "id", f.captures[i]);
        sharc__serve_api_time(j, "start", f.starts[i]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_uint(j, "rows", f.count);
    sharc_json_uint(j, "quiet", f.quiet);
    sharc_json_uint(j, "unknown", f.unknown);
    sharc_json_uint(j, "left_out", f.left_out);
    sharc_json_uint(j, "groups", f.groups);
    COLUMN(j, "url", f.count, sharc_json_span(j, NULL, f.rows[i].url));
    COLUMN(j, "changes", f.count, sharc_json_uint(j, NULL, f.rows[i].changes));
    COLUMN(j, "group", f.count, sharc_json_uint(j, NULL, f.rows[i].group));
    COLUMN(j, "cells", f.count, put_cells(j, &f, i, text));
    sharc_figure_calendar_done(&f);
    return 0;
}

/* --- graph -------------------------------------------------------------------------------------------------------- */

static void put_nodes(struct sharc_json *j, const struct sharc_figure_graph *f)
{
    const struct sharc_figure_node *n = f->nodes;
    COLUMN(j, "url", f->count, sharc_json_span(j, NULL, n[i].url));
    COLUMN(j, "parent", f->count, sharc_json_uint(j, NULL, n[i].parent));
    COLUMN(j, "kind", f->count, sharc_json_int(j, NULL, n[i].kind));
    COLUMN(j, "class", f->count, sharc_json_int(j, NULL, n[i].change));
    COLUMN(j, "folded", f->count, sharc_json_int(j, NULL, n[i].folded));
    COLUMN(j, "pages", f->count, sharc_json_uint(j, NULL, n[i].pages));
    COLUMN(j, "below", f->count, sharc_json_uint(j, NULL, n[i].below));
    COLUMN(j, "x", f->count, sharc_json_int(j, NULL, lrintf(n[i].x * 100000)));
    COLUMN(j, "y", f->count, sharc_json_int(j, NULL, lrintf(n[i].y * 100000)));
}

int sharc__serve_api_graph(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *against_word = sharc__serve_api_text(a, "against");
    struct sharc_figure_graph f = {0};
    struct sharc_json *j = &a->json;
    sharc_store_id id, against = 0;
    uint64_t fold;
    int r = sharc__serve_api_capture_of(a, "capture", &id, reterr);
    if (r == 0 && *against_word) r = sharc__serve_api_capture_of(a, "against", &against, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "fold", 1, 1, &fold, reterr);
    if (r == 0) r = sharc_summary_graph(a->store, id, against, fold != 0, &f, reterr);
    if (r < 0) return r;
    if (f.count > MOST_ROWS) {
        sharc_figure_graph_done(&f);
        return sharc_fail(reterr, SHARC_EINVAL, "this graph has more than %d nodes: ask with fold=1", MOST_ROWS);
    }
    j->pretty = false;
    sharc_json_int(j, "capture", f.capture);
    sharc_json_int(j, "against", f.against);
    sharc_json_str(j, "site", f.site);
    sharc_json_str(j, "key", f.key);
    sharc_json_uint(j, "pages_in_all", f.pages);
    put_classed(j, "all", f.all);
    put_nodes(j, &f);
    sharc_figure_graph_done(&f);
    return 0;
}

/* --- parts of a site -----------------------------------------------------------------------------------------------
 */

int sharc__serve_api_subsites(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *captures = NULL;
    struct sharc_figure_subsites f = {0};
    size_t n = 0;
    uint64_t most;
    int r = sharc__serve_api_number(a, "most", SHARC_SUMMARY_CAPTURES, 1000, &most, reterr);
    if (r == 0) r = captures_of(a, most, &captures, &n, reterr);
    if (r == 0) r = sharc_summary_subsites(a->store, captures, n, &f, reterr);
    if (r < 0) return r;
    sharc_json_uint(&a->json, "pages", f.pages);
    sharc_json_uint(&a->json, "steps", f.columns);
    sharc_json_array(&a->json, "parts");
    sharc_figure_subsites_put(&a->json, NULL, &f);
    sharc_json_end(&a->json);
    sharc_figure_subsites_done(&f);
    return 0;
}

/* --- week -----------------------------------------------------------------------------------------------------------
 */

static int site_of(struct api_call *a, struct sharc_span name, sharc_store_id *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_sites(a->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_site s;
        sharc_store_read_site(rows, &s);
        if (!sharc_span_eq(s.name, name)) continue;
        *ret = s.id;
        return 0;
    }
    return r < 0 ? r : sharc_fail(reterr, SHARC_ENOENT, "there is no such site");
}

static void put_hours(struct sharc_json *j, const char *name, double hours[7][24])
{
    sharc_json_array(j, name);
    for (int d = 0; d < 7; d++) {
        sharc_json_array(j, NULL);
        for (int h = 0; h < 24; h++) sharc_json_real(j, NULL, hours[d][h]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

int sharc__serve_api_week(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *url = sharc__serve_api_text(a, "url"), *site = sharc__serve_api_text(a, "site");
    struct sharc_figure_week w = {0};
    struct sharc_json *j = &a->json;
    sharc_store_id url_id = 0, site_id = 0;
    int r = *url ? sharc_store_url_find(a->store, sharc_span_of(url), &url_id, reterr) : 0;
    if (r == 0 && *site) r = site_of(a, sharc_span_of(site), &site_id, reterr);
    if (r == 0 && site_id && !url_id)
        r = sharc_summary_week(a->store, site_id, &w, reterr);
    else if (r == 0)
        r = sharc_figure_week(a->store, site_id, url_id, &w, reterr);
    if (r < 0) return r;
    j->pretty = false;
    put_hours(j, "changes", w.changes);
    put_hours(j, "hours", w.hours);
    sharc_json_uint(j, "pages", w.pages);
    sharc_json_uint(j, "looks", w.looks);
    sharc_json_uint(j, "seen", w.seen);
    sharc_json_uint(j, "stated", w.stated);
    sharc__serve_api_time(j, "from", w.from);
    sharc__serve_api_time(j, "to", w.to);
    return 0;
}
