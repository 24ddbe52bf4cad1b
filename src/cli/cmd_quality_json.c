/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality --json. The names are documented in docs/commands/quality.md and stay.
 */
#include "cmd_quality.h"

#include "sharc/change_grade.h"
#include "sharc/quality_composite.h"

#include <inttypes.h>
#include <math.h>

static void put_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_str(j, name, t == SHARC_TIME_NONE || t == INT64_MAX ? NULL : sharc_time_iso(t, 6, text));
}

static void put_seconds(struct sharc_json *j, const char *name, sharc_time t)
{
    sharc_json_real(j, name, (double)t / (double)SHARC_SEC);
}

static void put_real(struct sharc_json *j, const char *name, double v)
{
    if (isfinite(v))
        sharc_json_real(j, name, v);
    else
        sharc_json_null(j, name);
}

static void put_together(struct sharc_json *j, const char *name, const struct sharc_assess_together *t)
{
    if (!t->known) {
        sharc_json_null(j, name);
        return;
    }
    sharc_json_object(j, name);
    sharc_json_uint(j, "pages", t->pages);
    put_time(j, "from", t->from);
    put_time(j, "to", t->to);
    sharc_json_end(j);
}

static void put_grades(struct sharc_json *j, const struct sharc_assess_capture *c)
{
    if (!c->graded) {
        sharc_json_null(j, "grades");
        return;
    }
    sharc_json_object(j, "grades");
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++)
        sharc_json_uint(j, sharc_grade_reason_word((enum sharc_grade_reason)i), c->reasons[i]);
    sharc_json_end(j);
}

static void put_quantiles(struct sharc_json *j, const char *name, const sharc_time v[4])
{
    sharc_json_array(j, name);
    for (int i = 0; i < 4; i++) put_seconds(j, NULL, v[i]);
    sharc_json_end(j);
}

static void put_weights(struct sharc_json *j, const struct sharc_assess_weights *w)
{
    if (!w->weighed) {
        sharc_json_null(j, "weights");
        return;
    }
    sharc_json_object(j, "weights");
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++)
        sharc_json_real(j, sharc_part_state_word((enum sharc_part_state)i), w->states[i]);
    sharc_json_real(j, "missing", w->missing);
    sharc_json_end(j);
}

static void put_composites(struct sharc_json *j, const struct sharc_assess_composites *x)
{
    sharc_json_object(j, "composites");
    sharc_json_uint(j, "pages", x->pages);
    sharc_json_uint(j, "parts", x->parts);
    sharc_json_uint(j, "missing_parts", x->missing);
    sharc_json_uint(j, "incomplete", x->incomplete);
    sharc_json_uint(j, "whole_pages", x->whole_of);
    sharc_json_uint(j, "whole_pages_proved", x->whole);
    sharc_json_uint(j, "alone", x->alone);
    sharc_json_uint(j, "cut", x->cut);
    sharc_json_object(j, "ainsworth");
    for (int i = 0; i < SHARC_MEMENTO_STATE_COUNT; i++) {
        sharc_json_object(j, sharc_memento_state_word((enum sharc_memento_state)i));
        sharc_json_uint(j, "pages", x->memento[i]);
        sharc_json_uint(j, "complete", x->memento_whole[i]);
        sharc_json_end(j);
    }
    sharc_json_object(j, "reasons");
    for (int i = 0; i < SHARC_MEMENTO_PATTERN_COUNT; i++)
        sharc_json_uint(j, sharc_memento_pattern_word((enum sharc_memento_pattern)i), x->patterns[i]);
    sharc_json_end(j);
    put_quantiles(j, "spread_seconds", x->spread);
    sharc_json_end(j);
    sharc_json_object(j, "sharc");
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) {
        sharc_json_object(j, sharc_part_state_word((enum sharc_part_state)i));
        sharc_json_uint(j, "pages", x->state[i]);
        sharc_json_uint(j, "complete", x->state_whole[i]);
        sharc_json_end(j);
    }
    sharc_json_object(j, "reasons");
    for (int i = 0; i < SHARC_PART_REASON_COUNT; i++)
        sharc_json_uint(j, sharc_part_reason_word((enum sharc_part_reason)i), x->reasons[i]);
    sharc_json_end(j);
    put_weights(j, &x->weights);
    put_quantiles(j, "apart_seconds", x->apart);
    sharc_json_real(j, "expected", x->expected);
    sharc_json_uint(j, "without_probability", x->unknown);
    sharc_json_end(j);
    sharc_json_end(j);
}

static void put_pair(struct sharc_json *j, const struct sharc_assess_pair *p)
{
    if (!p->before) {
        sharc_json_null(j, "with_capture_before");
        return;
    }
    sharc_json_object(j, "with_capture_before");
    sharc_json_int(j, "capture", p->before);
    sharc_json_uint(j, "same", p->same);
    sharc_json_uint(j, "attested", p->attested);
    sharc_json_uint(j, "changed", p->changed);
    sharc_json_uint(j, "unknown", p->unknown);
    sharc_json_uint(j, "only_before", p->only_before);
    sharc_json_uint(j, "only_after", p->only_after);
    put_time(j, "from", p->from);
    put_time(j, "to", p->to);
    sharc_json_end(j);
}

static void put_blur(struct sharc_json *j, const struct sharc_assess_blur *b)
{
    sharc_json_object(j, "blur");
    put_real(j, "average", b->average);
    put_real(j, "least", b->least);
    put_real(j, "most", b->most);
    sharc_json_uint(j, "pages", b->pages);
    sharc_json_uint(j, "estimated", b->estimated);
    put_real(j, "actual", b->actual);
    sharc_json_uint(j, "actual_pages", b->actual_pages);
    sharc_json_end(j);
}

static void put_capture(struct sharc_json *j, const struct sharc_assess_capture *c)
{
    sharc_json_object(j, NULL);
    sharc_json_int(j, "id", c->id);
    sharc_json_str(j, "capture", c->key);
    sharc_json_str(j, "site", c->site);
    sharc_json_str(j, "state", c->state);
    put_time(j, "first", c->first);
    put_time(j, "last", c->last);
    sharc_json_uint(j, "pages", c->pages);
    sharc_json_uint(j, "answered", c->answered);
    sharc_json_uint(j, "redirects", c->redirects);
    sharc_json_uint(j, "revisited", c->revisited);
    sharc_json_uint(j, "judged", c->judged);
    sharc_json_object(j, "coherence");
    put_together(j, "observable", &c->observable);
    put_together(j, "measurable", &c->measurable);
    put_together(j, "inducible", &c->inducible);
    sharc_json_end(j);
    put_real(j, "excursions", c->excursions_pages ? c->excursions : (double)NAN);
    put_grades(j, c);
    sharc_json_str(j, "weakened", c->weakened);
    sharc_json_str(j, "graded_by", c->graded ? sharc_store_grader_word(c->grader) : NULL);
    if (c->claim.pages) {
        sharc_json_object(j, "claimed_by_file");
        sharc_json_uint(j, "pages", c->claim.pages);
        sharc_json_uint(j, "proved", c->claim.proved);
        sharc_json_uint(j, "unfounded", c->claim.unfounded);
        sharc_json_end(j);
    }
    put_blur(j, &c->blur);
    put_pair(j, &c->pair);
    if (c->composites.known) put_composites(j, &c->composites);
    sharc_json_object(j, "defects");
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++)
        sharc_json_uint(j, sharc_assess_defect_word((enum sharc_assess_defect)i), c->defects[i]);
    sharc_json_end(j);
    sharc_json_object(j, "left_out");
    for (size_t i = 0; i < c->left_out_count; i++) sharc_json_uint(j, c->left_out[i].reason, c->left_out[i].urls);
    sharc_json_end(j);
    sharc_json_end(j);
}

static void put_series(struct sharc_json *j, const struct sharc_assess_series *s)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "site", s->site);
    sharc_json_uint(j, "captures", s->captures);
    sharc_json_uint(j, "pages", s->pages);
    sharc_json_uint(j, "versions", s->versions);
    put_real(j, "completeness", s->completeness);
    sharc_json_uint(j, "rated_pages", s->rated);
    put_real(j, "query_coherence", s->coherence);
    sharc_json_uint(j, "queries", s->queries);
    put_time(j, "from", s->from);
    put_time(j, "to", s->to);
    sharc_json_end(j);
}

static int put_captures(struct quality *q, struct sharc_json *j, struct sharc_err *reterr)
{
    int r = 0;
    sharc_json_array(j, "captures");
    for (size_t i = 0; r >= 0 && i < sharc_assess_count(q->assess); i++) {
        SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture c = {0};
        r = sharc_assess_judge(q->assess, i, &c, reterr);
        if (r >= 0) put_capture(j, &c);
    }
    sharc_json_end(j);
    sharc_json_array(j, "series");
    for (size_t i = 0; r >= 0 && i < sharc_assess_count(q->assess); i++) {
        SHARC_AUTO(sharc_assess_series_done) struct sharc_assess_series s = {0};
        if (sharc_assess_is_last(q->assess, i) && sharc_assess_series(q->assess, i, &s)) put_series(j, &s);
    }
    sharc_json_end(j);
    if (r >= 0) r = quality_parts_json(q, j, reterr);
    return r < 0 ? r : quality_watched_json(q, j, reterr);
}

/* --- answers for a time --------------------------------------------------------------------- */

struct answers {
    struct sharc_json *j;
    bool pages;
};

static int put_answer(void *arg, const struct sharc_assess_answer *x, struct sharc_err *reterr SHARC_UNUSED)
{
    struct answers *w = arg;
    struct sharc_json *j = w->j;
    sharc_json_object(j, NULL);
    sharc_json_span(j, "name", x->name);
    if (w->pages) {
        sharc_json_int(j, "capture", x->capture);
        put_time(j, "time", x->when);
        sharc_json_int(j, "status", x->status);
        sharc_json_str(j, "state", sharc_part_state_word(sharc_part_state_of(x->reason)));
        sharc_json_str(j, "reason", sharc_part_reason_word(x->reason));
        put_real(j, "probability", x->probability);
        bool known = x->known.from <= x->known.to;
        put_time(j, "known_from", known ? x->known.from : SHARC_TIME_NONE);
        put_time(j, "known_to", known ? x->known.to : SHARC_TIME_NONE);
        put_time(j, "possible_after", x->known.possible_from);
        put_time(j, "possible_before", x->known.possible_to);
    } else {
        sharc_json_uint(j, "pages", x->pages);
        for (int i = 0; i < SHARC_PART_STATE_COUNT; i++)
            sharc_json_uint(j, sharc_part_state_word((enum sharc_part_state)i), x->sums[i]);
        sharc_json_real(j, "expected", x->expected);
        sharc_json_uint(j, "without_probability", x->unknown);
    }
    sharc_json_end(j);
    return 0;
}

int quality_json(struct quality *q, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_json j;
    struct answers w = {&j, q->by == SHARC_ASSESS_BY_PAGE};
    int r;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "archive", q->name);
    if (q->at == SHARC_TIME_NONE) {
        r = put_captures(q, &j, reterr);
    } else {
        put_time(&j, "at", q->at);
        sharc_json_array(&j, "answers");
        r = sharc_assess_at(q->assess, q->at, (enum sharc_assess_by)q->by, put_answer, &w, reterr);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    if (r >= 0) r = sharc_buf_result(&out, reterr);
    if (r >= 0) fprintf(q->c->out, "%s\n", sharc_buf_str(&out));
    return r;
}
