/* SPDX-License-Identifier: Apache-2.0
 *
 * What the catalogue says about the captures, so that it travels with the records. Nothing
 * is judged here: words and counts are the catalogue's.
 */
#include "export_int.h"

#include "sharc/base_arena.h"
#include "sharc/base_digest.h"
#include "sharc/base_json.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"
#include "sharc/change_compare.h"
#include "sharc/store_weakness.h"

#include <stdlib.h>

enum { MOST_OUTCOMES = 16 };

const char *sharc__export_outcome(const struct sharc_store_page *p)
{
    const struct sharc_store_look *second = &p->second, *revisit = &p->revisit;
    if (p->visit.status <= 0) return "failed";
    if (p->visit.status == 404 || p->visit.status == 410) return "gone";
    if (p->visit.status >= 400) return "failed";
    if (second->when != SHARC_TIME_NONE && second->change >= 0 &&
        sharc_change_counts((enum sharc_change_class)second->change))
        return sharc_change_class_name((enum sharc_change_class)second->change);
    if (revisit->when == SHARC_TIME_NONE || revisit->change < 0) return "not revisited";
    return sharc_change_class_name((enum sharc_change_class)revisit->change);
}

/* --- pages ---------------------------------------------------------------------------- */

static void json_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    if (t != SHARC_TIME_NONE) sharc_json_str(j, name, sharc_time_iso(t, 6, text));
}

static void json_look(struct sharc_json *j, const char *name, const struct sharc_store_look *l)
{
    char text[SHARC_DIGEST_TEXT];
    if (l->when == SHARC_TIME_NONE) return;
    sharc_json_object(j, name);
    json_time(j, "time", l->when);
    if (l->status > 0) sharc_json_int(j, "status", l->status);
    if (l->status < 0) sharc_json_str(j, "error", sharc_error_name(l->status));
    if (l->digest.n) sharc_json_str(j, "digest", sharc_digest_text(&l->digest, text));
    sharc_json_end(j);
}

/* What visit and revisit show about the time between them. */
static void json_grade(struct sharc_json *j, const struct sharc_store_grade *g)
{
    if (g->reason == SHARC_GRADED_NOT_GRADED) return;
    enum sharc_grade grade = sharc_grade_of(g->reason);
    sharc_json_int(j, "grade", grade);
    sharc_json_str(j, "grade_name", sharc_grade_word(grade));
    sharc_json_str(j, "reason", sharc_grade_reason_word(g->reason));
    json_time(j, "known_from", g->from);
    json_time(j, "known_to", g->to);
    if (g->detail.n) sharc_json_span(j, "detail", g->detail);
}

static void verdict_line(const struct export_capture *c, const struct sharc_store_page *p, struct sharc_buf *out)
{
    const struct sharc_store_look *shown = sharc__export_shown(p, c->reference);
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "capture", c->key);
    sharc_json_span(&j, "url", p->url);
    sharc_json_str(&j, "outcome", sharc__export_outcome(p));
    json_grade(&j, &p->grade);
    if (p->grade.reason != SHARC_GRADED_NOT_GRADED) sharc_json_str(&j, "graded_by", sharc_store_grader_word(c->grader));
    if (p->redirect.n) sharc_json_span(&j, "redirect", p->redirect);
    json_look(&j, "visit", &p->visit);
    json_look(&j, "second_look", &p->second);
    json_look(&j, "revisit", &p->revisit);
    if (shown)
        sharc_json_str(&j, "shown", shown == &p->visit ? "visit" : shown == &p->second ? "second_look" : "revisit");
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

struct line_sink {
    sharc_line_fn *put;
    void *arg;
    struct sharc_buf line;
};

static int put_verdict(void *arg, struct sharc_export *x, struct export_capture *c, const struct sharc_store_page *p,
                       struct sharc_err *reterr)
{
    (void)x;
    struct line_sink *s = arg;
    sharc_buf_clear(&s->line);
    verdict_line(c, p, &s->line);
    int r = sharc_buf_result(&s->line, reterr);
    return r < 0 ? r : s->put(s->arg, sharc_buf_span(&s->line), reterr);
}

int sharc__export_verdicts(void *export, sharc_line_fn *put, void *arg, struct sharc_err *reterr)
{
    struct sharc_export *x = export;
    struct line_sink s = {put, arg, SHARC_BUF_INIT(16 * SHARC_LIMIT_URL)};
    int r = 0;
    for (size_t i = 0; r >= 0 && i < x->count; i++)
        r = sharc__export_each_page(x, &x->captures[i], put_verdict, &s, reterr);
    sharc_buf_done(&s.line);
    return r;
}

/* --- the list of pages ------------------------------------------------------------------- */

static bool is_page(const struct sharc_store_page *p, const struct sharc_store_look *shown)
{
    bool html = sharc_span_is(p->mime, "text/html") || sharc_span_is(p->mime, "application/xhtml+xml");
    return html && shown && (shown->status == 200 || shown->status == 304);
}

/* One time for all pages of a capture, not the moments of their downloads: replay tools look for the first
 * record at or after a time, or for the closest one, and follow links with the same time. */
static void page_line(const struct export_capture *c, const struct sharc_store_page *p,
                      const struct sharc_store_look *shown, struct sharc_buf *out)
{
    char when[SHARC_TIME_TEXT], id[17];
    struct sharc_digest d;
    struct sharc_json j;
    sharc_time at = c->at != SHARC_TIME_NONE ? c->at : shown->when;
    sharc_buf_put_str(out, sharc_time_compact(at, 17, when));
    sharc_buf_put(out, p->url);
    sharc_digest_of(SHARC_SHA256, sharc_buf_span(out), &d);
    sharc_hex_encode(sharc_span(d.bytes, 8), id);
    sharc_buf_clear(out);
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "id", id);
    sharc_json_span(&j, "url", p->url);
    sharc_json_str(&j, "ts", sharc_time_iso(at, 0, when));
    if (p->title.n && shown == &p->visit) sharc_json_span(&j, "title", p->title);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

/* The seed alone, or all others. */
static int list_capture(struct sharc_export *x, const struct export_capture *c, bool seed, sharc_line_fn *put,
                        void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(16 * SHARC_LIMIT_URL);
    struct sharc_store_page_filter f = {.capture = c->id, .looks = true, .features = true};
    struct sharc_store_page p;
    if (seed && (!c->seed || sharc_store_url_find(x->store, sharc_span_of(c->seed), &f.url, NULL) < 0)) return 0;
    int r = sharc_store_pages(x->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &p);
        const struct sharc_store_look *shown = sharc__export_shown(&p, c->reference);
        bool is_seed = c->seed && sharc_span_is(p.url, c->seed);
        if (is_seed != seed || !is_page(&p, shown)) continue;
        sharc_buf_clear(&line);
        page_line(c, &p, shown, &line);
        r = sharc_buf_result(&line, reterr);
        if (r == 0) r = put(arg, sharc_buf_span(&line), reterr);
    }
    return r < 0 ? r : 0;
}

int sharc__export_page_list(void *export, sharc_line_fn *put, void *arg, struct sharc_err *reterr)
{
    struct sharc_export *x = export;
    int r = 0;
    for (size_t i = x->count; r == 0 && i > 0; i--) { /* the newest first: that is what is opened */
        r = list_capture(x, &x->captures[i - 1], /* seed= */ true, put, arg, reterr);
        if (r == 0) r = list_capture(x, &x->captures[i - 1], /* seed= */ false, put, arg, reterr);
    }
    return r;
}

/* --- captures ------------------------------------------------------------------------------ */

struct outcomes {
    const char *name[MOST_OUTCOMES];
    uint64_t number[MOST_OUTCOMES];
    size_t count;
    uint64_t urls;
    uint64_t grades[SHARC_GRADE_COUNT], reasons[SHARC_GRADE_REASON_COUNT];
};

static void count_outcome(struct outcomes *o, const struct sharc_store_page *p)
{
    const char *name = sharc__export_outcome(p);
    size_t i = 0;
    o->grades[sharc_grade_of(p->grade.reason)]++;
    if ((unsigned)p->grade.reason < SHARC_GRADE_REASON_COUNT) o->reasons[p->grade.reason]++;
    while (i < o->count && strcmp(o->name[i], name) != 0) i++;
    if (i == MOST_OUTCOMES) return;
    if (i == o->count) o->name[o->count++] = name;
    o->number[i]++;
    o->urls++;
}

static int count_page(void *arg, struct sharc_export *x, struct export_capture *c, const struct sharc_store_page *p,
                      struct sharc_err *reterr)
{
    (void)x, (void)c, (void)reterr;
    count_outcome(arg, p);
    return 0;
}

/* What weakens the capture, and what the crawl concluded when it ended; of other captures that is unknown. */
static void json_quality(struct sharc_json *j, const struct export_capture *c)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *params = NULL;
    if (!c->params[0] || sharc_json_read(sharc_span_of(c->params), &arena, &params, NULL) < 0) return;
    SHARC_AUTO(sharc_store_weakness_done) struct sharc_store_weakness weak = {0};
    sharc_store_weakness_read(&weak, params);
    sharc_store_weakness_put(&weak, j);
    const struct sharc_node *quality = sharc_node_get(params, "quality");
    if (!quality) return;
    sharc_json_bool(j, "judged_by_revisits", sharc_node_bool(sharc_node_get(quality, "proved_by_revisits"), false));
    sharc_json_int(j, "judged", sharc_node_int(sharc_node_get(quality, "judged"), 0));
    sharc_json_int(j, "coherent", sharc_node_int(sharc_node_get(quality, "coherent"), 0));
}

static void json_text(struct sharc_json *j, const char *name, const char *text)
{
    if (text && text[0]) sharc_json_str(j, name, text);
}

/* Grades, and what they rest on: own control downloads apart from those of other pages. */
static void json_grades(struct sharc_json *j, const struct export_capture *c, const struct outcomes *o)
{
    sharc_json_object(j, "grades");
    for (int g = SHARC_GRADE_NONE; g < SHARC_GRADE_COUNT; g++)
        if (o->grades[g]) sharc_json_uint(j, sharc_grade_word((enum sharc_grade)g), o->grades[g]);
    sharc_json_end(j);
    sharc_json_object(j, "reasons");
    for (int r = 1; r < SHARC_GRADE_REASON_COUNT; r++)
        if (o->reasons[r]) sharc_json_uint(j, sharc_grade_reason_word((enum sharc_grade_reason)r), o->reasons[r]);
    sharc_json_end(j);
    sharc_json_str(j, "graded_by", sharc_store_grader_word(c->grader));
    if (!c->claim.pages) return;
    sharc_json_object(j, "claimed_by_file");
    sharc_json_uint(j, "pages", c->claim.pages);
    sharc_json_uint(j, "proved", c->claim.proved);
    sharc_json_uint(j, "unfounded", c->claim.unfounded);
    sharc_json_end(j);
}

static int about_capture(struct sharc_export *x, struct export_capture *c, struct sharc_json *j,
                         struct sharc_err *reterr)
{
    struct outcomes o = {.count = 0};
    int r = sharc__export_each_page(x, c, count_page, &o, reterr);
    if (r < 0) return r;
    sharc_json_object(j, NULL);
    sharc_json_str(j, "capture", c->key);
    json_text(j, "site", c->name);
    json_text(j, "seed", c->seed);
    json_text(j, "purpose", c->purpose);
    json_text(j, "strategy", c->strategy);
    sharc_json_str(j, "state", sharc_capture_state_text(c->state));
    json_time(j, "started", c->start);
    json_time(j, "ended", c->end);
    json_time(j, "reference", c->reference);
    json_time(j, "reference_from", c->reference_from);
    json_time(j, "reference_to", c->reference_to);
    json_time(j, "shown_at", c->at);
    json_quality(j, c);
    sharc_json_uint(j, "urls", o.urls);
    sharc_json_object(j, "outcomes");
    for (size_t i = 0; i < o.count; i++) sharc_json_uint(j, o.name[i], o.number[i]);
    sharc_json_end(j);
    json_grades(j, c, &o);
    sharc_json_end(j);
    return 0;
}

int sharc__export_about(void *export, struct sharc_json *j, struct sharc_err *reterr)
{
    struct sharc_export *x = export;
    int r = 0;
    sharc_json_array(j, "captures");
    for (size_t i = 0; r == 0 && i < x->count; i++) r = about_capture(x, &x->captures[i], j, reterr);
    sharc_json_end(j);
    return r;
}
