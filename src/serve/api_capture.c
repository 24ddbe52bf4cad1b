/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/capture, /api/skipped, /api/pair.
 */
#include "api.h"

#include "sharc/assess.h"
#include "sharc/figure.h"
#include "sharc/summary.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* --- the verdict ------------------------------------------------------------------------------- */

static void put_together(struct sharc_json *j, const char *name, const struct sharc_assess_together *t)
{
    if (!t->known) {
        sharc_json_null(j, name);
        return;
    }
    sharc_json_object(j, name);
    sharc_json_uint(j, "pages", t->pages);
    sharc__serve_api_time(j, "from", t->from);
    sharc__serve_api_time(j, "to", t->to);
    sharc_json_end(j);
}

/* Grades that a foreign file gives itself are told with whose word they are. */
static void put_verdict(struct sharc_json *j, const struct sharc_assess_capture *c)
{
    uint64_t grades[SHARC_GRADE_COUNT] = {0};
    sharc_json_object(j, "verdict");
    sharc_json_bool(j, "graded", c->graded);
    sharc_json_str(j, "weakened", c->weakened);
    sharc_json_str(j, "graded_by", c->graded ? sharc_store_grader_word(c->grader) : NULL);
    sharc_json_uint(j, "judged", c->judged);
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++)
        grades[sharc_grade_of((enum sharc_grade_reason)i)] += c->reasons[i];
    sharc_json_array(j, "grades");
    for (int i = 0; i < SHARC_GRADE_COUNT; i++) {
        sharc_json_object(j, NULL);
        sharc_json_int(j, "grade", i);
        sharc_json_str(j, "word", sharc_grade_word((enum sharc_grade)i));
        sharc_json_uint(j, "pages", grades[i]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_object(j, "reasons");
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++)
        if (c->reasons[i]) sharc_json_uint(j, sharc_grade_reason_word((enum sharc_grade_reason)i), c->reasons[i]);
    sharc_json_end(j);
    put_together(j, "observable", &c->observable);
    put_together(j, "measurable", &c->measurable);
    put_together(j, "inducible", &c->inducible);
    sharc_json_end(j);
}

static void put_defects(struct sharc_json *j, const struct sharc_assess_capture *c)
{
    sharc_json_object(j, "defects");
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++)
        sharc_json_uint(j, sharc_assess_defect_word((enum sharc_assess_defect)i), c->defects[i]);
    sharc_json_end(j);
    sharc_json_array(j, "left_out");
    for (size_t i = 0; i < c->left_out_count; i++) {
        sharc_json_object(j, NULL);
        const char *text = sharc_store_skip_text(sharc_span_of(c->left_out[i].reason));
        sharc_json_str(j, "reason", c->left_out[i].reason);
        sharc_json_str(j, "text", text ? text : c->left_out[i].reason);
        sharc_json_uint(j, "urls", c->left_out[i].urls);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_blur(struct sharc_json *j, const struct sharc_assess_blur *b)
{
    sharc_json_object(j, "blur");
    sharc_json_real(j, "average", b->pages ? b->average : (double)NAN);
    sharc_json_real(j, "least", b->pages ? b->least : (double)NAN);
    sharc_json_real(j, "most", b->pages ? b->most : (double)NAN);
    sharc_json_uint(j, "pages", b->pages);
    sharc_json_uint(j, "estimated", b->estimated);
    sharc_json_end(j);
}

static void put_before(struct sharc_json *j, const struct sharc_assess_pair *p)
{
    if (!p->before) {
        sharc_json_null(j, "pair");
        return;
    }
    sharc_json_object(j, "pair");
    sharc_json_int(j, "before", p->before);
    sharc_json_uint(j, "same", p->same);
    sharc_json_uint(j, "changed", p->changed);
    sharc_json_uint(j, "attested", p->attested);
    sharc_json_uint(j, "unknown", p->unknown);
    sharc_json_uint(j, "only_before", p->only_before);
    sharc_json_uint(j, "only_after", p->only_after);
    sharc__serve_api_time(j, "from", p->from);
    sharc__serve_api_time(j, "to", p->to);
    sharc_json_end(j);
}

/* Strategy, settings and what else the crawl wrote down, as it wrote it. */
static void put_schedule(struct sharc_json *j, struct sharc_span params)
{
    if (!params.n) {
        sharc_json_null(j, "schedule");
        return;
    }
    sharc_json_object(j, "schedule");
    sharc_json_span(j, "params", params);
    sharc_json_end(j);
}

static int put_row(struct api_call *a, sharc_store_id id, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture c;
    f.id = id;
    int r = sharc_store_captures(a->store, &f, &rows, reterr);
    if (r == 0) r = sharc_store_rows_next(rows, reterr);
    if (r == 0) return sharc_fail(reterr, SHARC_ENOENT, "there is no such capture");
    if (r < 0) return r;
    sharc_store_read_capture(rows, &c);
    sharc__serve_api_put_capture(&a->json, &c);
    put_schedule(&a->json, c.params);
    return 0;
}

int sharc__serve_api_capture(struct api_call *a, struct sharc_err *reterr)
{
    struct sharc_assess_capture c = {0};
    struct sharc_json *j = &a->json;
    sharc_store_id id;
    int r = sharc__serve_api_capture_of(a, "capture", &id, reterr);
    if (r == 0) r = put_row(a, id, reterr);
    if (r == 0) r = sharc_summary_verdict(a->store, id, &c, reterr);
    if (r < 0) return r;
    sharc_json_uint(j, "pages", c.pages);
    sharc_json_uint(j, "answered", c.answered);
    sharc_json_uint(j, "redirects", c.redirects);
    sharc_json_uint(j, "revisited", c.revisited);
    sharc__serve_api_time(j, "first", c.first);
    sharc__serve_api_time(j, "last", c.last);
    put_verdict(j, &c);
    put_defects(j, &c);
    put_blur(j, &c.blur);
    put_before(j, &c.pair);
    sharc_assess_capture_done(&c);
    return 0;
}

/* --- what was left out ------------------------------------------------------------------------------ */

static int put_reasons(struct api_call *a, sharc_store_id id, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf known = SHARC_BUF_INIT(1u << 20); /* words with a text, 0 after each */
    int r = sharc_store_skipped_counts(a->store, id, &rows, reterr);
    if (r < 0) return r;
    sharc_json_object(&a->json, "reasons");
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_value reason, urls;
        sharc_store_rows_value(rows, 0, &reason);
        sharc_store_rows_value(rows, 1, &urls);
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(reason.s);
        sharc_json_int(&a->json, name, urls.i);
        if (sharc_store_skip_text(reason.s)) sharc_buf_printf(&known, "%s%c", name, 0);
    }
    sharc_json_end(&a->json);
    sharc_json_object(&a->json, "texts");
    for (size_t i = 0; i < known.n; i += strlen(sharc_buf_str(&known) + i) + 1) {
        const char *name = sharc_buf_str(&known) + i;
        sharc_json_str(&a->json, name, sharc_store_skip_text(sharc_span_of(name)));
    }
    sharc_json_end(&a->json);
    return r;
}

int sharc__serve_api_skipped(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_freep) char *reason = sharc__serve_api_text(a, "reason");
    sharc_store_id id;
    uint64_t limit, offset, matched = 0;
    int r = sharc__serve_api_capture_of(a, "capture", &id, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "limit", 100, 1000, &limit, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "offset", 0, UINT32_MAX, &offset, reterr);
    if (r == 0) r = put_reasons(a, id, reterr);
    if (r == 0) r = sharc_store_skipped(a->store, id, *reason ? reason : NULL, &rows, reterr);
    if (r < 0) return r;
    sharc_json_int(&a->json, "capture", id);
    sharc_json_uint(&a->json, "offset", offset);
    sharc_json_array(&a->json, "urls");
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_skip s;
        if (matched++ < offset || matched > offset + limit) continue;
        sharc_store_read_skip(rows, &s);
        sharc_json_object(&a->json, NULL);
        sharc_json_span(&a->json, "url", s.url);
        sharc_json_span(&a->json, "reason", s.reason);
        sharc_json_span(&a->json, "detail", s.detail);
        sharc_json_end(&a->json);
    }
    sharc_json_end(&a->json);
    sharc_json_uint(&a->json, "matched", matched);
    return r;
}

/* --- two captures -------------------------------------------------------------------------------------- */

/* Words of enum sharc_store_difference, to which classes of figure.h belong. */
static enum sharc_store_difference difference_of(enum sharc_figure_class c)
{
    switch (c) {
    case SHARC_FIGURE_UNCHANGED: return SHARC_DIFF_UNCHANGED;
    case SHARC_FIGURE_INSIGNIFICANT: return SHARC_DIFF_INSIGNIFICANT;
    case SHARC_FIGURE_TEXT:
    case SHARC_FIGURE_LINKS: return SHARC_DIFF_CHANGED;
    case SHARC_FIGURE_NEW: return SHARC_DIFF_NEW;
    case SHARC_FIGURE_MISSING: return SHARC_DIFF_DELETED;
    case SHARC_FIGURE_FAILED:
    case SHARC_FIGURE_CLASS_COUNT: break;
    }
    return SHARC_DIFF_FAILED;
}

static int read_only(const struct api_call *a, unsigned *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *only = sharc__serve_api_text(a, "only");
    *ret = *only ? 0 : UINT_MAX;
    for (int i = 0; *only && i < SHARC_DIFF_COUNT; i++)
        if (strcmp(only, sharc_store_difference_text((enum sharc_store_difference)i)) == 0) *ret |= 1u << i;
    SHARC_FAIL_IF(!*ret, reterr, SHARC_EINVAL, "only must be one of the words in counts, not \"%.40s\"", only);
    return 0;
}

static void put_side(struct sharc_json *j, const char *name, const struct sharc_figure_sheet *t, size_t row)
{
    if (row == SHARC_FIGURE_NO_ROW) {
        sharc_json_null(j, name);
        return;
    }
    sharc_json_object(j, name);
    sharc__serve_api_time(j, "when", t->visit[row]);
    sharc_json_int(j, "status", t->status[row]);
    sharc_json_int(j, "size", t->size[row]);
    sharc_json_end(j);
}

struct pairs {
    struct sharc_json *json;
    struct sharc_summary_two two;
    unsigned only;
    uint64_t limit, offset, matched, counts[SHARC_DIFF_COUNT];
};

static void pairs_done(struct pairs *p)
{
    sharc_summary_two_done(&p->two);
}

static int put_pair(void *arg, size_t a, size_t b, enum sharc_figure_class change, double similarity,
                    struct sharc_err *reterr)
{
    struct pairs *p = arg;
    struct sharc_json *j = p->json;
    enum sharc_store_difference d = difference_of(change);
    (void)similarity, (void)reterr;
    p->counts[d]++;
    if (!(p->only & 1u << d) || p->matched++ < p->offset || p->matched > p->offset + p->limit) return 0;
    sharc_json_object(j, NULL);
    sharc_json_span(j, "url",
                    a == SHARC_FIGURE_NO_ROW ? sharc_figure_sheet_url(&p->two.b, b)
                                             : sharc_figure_sheet_url(&p->two.a, a));
    sharc_json_str(j, "difference", sharc_store_difference_text(d));
    put_side(j, "a", &p->two.a, a);
    put_side(j, "b", &p->two.b, b);
    sharc_json_end(j);
    return 0;
}

int sharc__serve_api_pair(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(pairs_done) struct pairs p = {.json = &a->json};
    sharc_store_id first, second;
    int r = sharc__serve_api_capture_of(a, "a", &first, reterr);
    if (r == 0) r = sharc__serve_api_capture_of(a, "b", &second, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "limit", 100, 1000, &p.limit, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "offset", 0, UINT32_MAX, &p.offset, reterr);
    if (r == 0) r = read_only(a, &p.only, reterr);
    if (r == 0) r = sharc_summary_two(a->store, first, second, &p.two, reterr);
    if (r < 0) return r;
    sharc_json_int(&a->json, "a", first);
    sharc_json_int(&a->json, "b", second);
    sharc_json_uint(&a->json, "offset", p.offset);
    sharc_json_array(&a->json, "pages");
    r = sharc_figure_pairs(&p.two.a, &p.two.b, &p.two.changes, put_pair, &p, reterr);
    sharc_json_end(&a->json);
    sharc_json_object(&a->json, "counts");
    for (int i = 0; i < SHARC_DIFF_COUNT; i++)
        sharc_json_uint(&a->json, sharc_store_difference_text((enum sharc_store_difference)i), p.counts[i]);
    sharc_json_end(&a->json);
    sharc_json_uint(&a->json, "matched", p.matched);
    return r;
}
