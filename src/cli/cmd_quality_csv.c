/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality --csv: one line per capture; with --composite per HTML page; with --at per
 * page or group.
 */
#include "cmd_quality.h"

#include "sharc/change_grade.h"
#include "sharc/quality_composite.h"

#include <inttypes.h>
#include <math.h>

static void put_time(struct sharc_buf *b, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    sharc_buf_put_char(b, ',');
    if (t != SHARC_TIME_NONE && t != INT64_MAX) sharc_buf_put_str(b, sharc_time_iso(t, 6, text));
}

static void put_real(struct sharc_buf *b, double v)
{
    sharc_buf_put_char(b, ',');
    if (isfinite(v)) sharc_json_number(b, v);
}

static void put_seconds(struct sharc_buf *b, sharc_time t)
{
    put_real(b, (double)t / (double)SHARC_SEC);
}

struct csv {
    struct quality *q;
    struct sharc_buf line;
    sharc_store_id capture;
    bool pages;
};

static void end_line(struct csv *w)
{
    fprintf(w->q->c->out, "%s\n", sharc_buf_str(&w->line));
    sharc_buf_clear(&w->line);
}

/* --- captures ------------------------------------------------------------------------------- */

static void put_together(struct sharc_buf *b, const struct sharc_assess_together *t)
{
    if (!t->known) {
        sharc_buf_put_str(b, ",,,");
        return;
    }
    sharc_buf_printf(b, ",%" PRIu64, t->pages);
    put_time(b, t->from);
    put_time(b, t->to);
}

static void put_capture(struct csv *w, const struct sharc_assess_capture *c)
{
    struct sharc_buf *b = &w->line;
    sharc_buf_printf(b, "%lld,", (long long)c->id);
    sharc_buf_put_csv(b, sharc_span_of(c->site));
    sharc_buf_printf(b, ",%s", c->state);
    put_time(b, c->first);
    put_time(b, c->last);
    sharc_buf_printf(b, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, c->pages, c->answered, c->redirects,
                     c->revisited);
    put_together(b, &c->inducible);
    put_together(b, &c->observable);
    put_together(b, &c->measurable);
    put_real(b, c->blur.average);
    put_real(b, c->blur.actual);
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++) sharc_buf_printf(b, ",%" PRIu64, c->defects[i]);
    for (int i = 1; i < SHARC_GRADE_REASON_COUNT; i++) { /* empty: it has no grades */
        sharc_buf_put_char(b, ',');
        if (c->graded) sharc_buf_printf(b, "%" PRIu64, c->reasons[i]);
    }
    end_line(w);
}

static int put_captures(struct csv *w, struct sharc_err *reterr)
{
    sharc_buf_put_str(&w->line, "capture,site,state,first,last,pages,answered,redirects,revisited,inducible,"
                                "inducible_from,inducible_to,observable,observable_from,observable_to,measurable,"
                                "measurable_from,measurable_to,blur,actual_blur");
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++)
        sharc_buf_printf(&w->line, ",%s", sharc_assess_defect_word((enum sharc_assess_defect)i));
    for (int i = 1; i < SHARC_GRADE_REASON_COUNT; i++)
        sharc_buf_printf(&w->line, ",grade_%s", sharc_grade_reason_word((enum sharc_grade_reason)i));
    end_line(w);
    for (size_t i = 0; i < sharc_assess_count(w->q->assess); i++) {
        SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture c = {0};
        int r = sharc_assess_judge(w->q->assess, i, &c, reterr);
        if (r < 0) return r;
        put_capture(w, &c);
    }
    return 0;
}

/* --- pages with what they embed --------------------------------------------------------------- */

static int put_page(void *arg, const struct sharc_assess_page *p, struct sharc_err *reterr SHARC_UNUSED)
{
    struct csv *w = arg;
    struct sharc_buf *b = &w->line;
    sharc_buf_printf(b, "%lld,", (long long)w->capture);
    sharc_buf_put_csv(b, p->url);
    put_time(b, p->when);
    sharc_buf_printf(b, ",%" PRIu64 ",%" PRIu64 ",%s,%s,%zu", p->parts, p->missing,
                     sharc_memento_state_word(p->memento), sharc_part_state_word(p->composite.state),
                     p->composite.together);
    put_time(b, p->composite.from);
    put_time(b, p->composite.to);
    put_real(b, p->composite.probability);
    put_seconds(b, p->spread);
    put_seconds(b, p->composite.apart);
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++)
        put_real(b, p->weights.weighed ? p->weights.states[i] : (double)NAN);
    put_real(b, p->weights.weighed ? p->weights.missing : (double)NAN);
    end_line(w);
    return 0;
}

static int put_pages(struct csv *w, struct sharc_err *reterr)
{
    int r = 0;
    sharc_buf_put_str(&w->line, "capture,url,time,parts,missing,ainsworth,sharc,together,from,to,probability,"
                                "spread_seconds,apart_seconds,weight_proven,weight_attested,weight_open,"
                                "weight_refuted,weight_missing");
    end_line(w);
    for (size_t i = 0; r >= 0 && i < sharc_assess_count(w->q->assess); i++) {
        w->capture = sharc_assess_id(w->q->assess, i);
        r = sharc_assess_pages(w->q->assess, i, put_page, w, reterr);
    }
    return r;
}

/* --- answers for a time ------------------------------------------------------------------------- */

static int put_answer(void *arg, const struct sharc_assess_answer *x, struct sharc_err *reterr SHARC_UNUSED)
{
    struct csv *w = arg;
    struct sharc_buf *b = &w->line;
    sharc_buf_put_csv(b, x->name);
    if (w->pages) {
        bool known = x->known.from <= x->known.to;
        sharc_buf_printf(b, ",%lld", (long long)x->capture);
        put_time(b, x->when);
        sharc_buf_printf(b, ",%d,%s,%s", x->status, sharc_part_state_word(sharc_part_state_of(x->reason)),
                         sharc_part_reason_word(x->reason));
        put_real(b, x->probability);
        put_time(b, known ? x->known.from : SHARC_TIME_NONE);
        put_time(b, known ? x->known.to : SHARC_TIME_NONE);
        put_time(b, x->known.possible_from);
        put_time(b, x->known.possible_to);
    } else {
        sharc_buf_printf(b, ",%" PRIu64, x->pages);
        for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) sharc_buf_printf(b, ",%" PRIu64, x->sums[i]);
        put_real(b, x->expected);
        sharc_buf_printf(b, ",%" PRIu64, x->unknown);
    }
    end_line(w);
    return 0;
}

static int put_answers(struct csv *w, struct sharc_err *reterr)
{
    w->pages = w->q->by == SHARC_ASSESS_BY_PAGE;
    sharc_buf_put_str(&w->line, w->pages ? "url,capture,time,status,state,reason,probability,known_from,known_to,"
                                           "possible_after,possible_before"
                                         : "group,pages,proven,attested,open,refuted,expected,without_probability");
    end_line(w);
    return sharc_assess_at(w->q->assess, w->q->at, (enum sharc_assess_by)w->q->by, put_answer, w, reterr);
}

int quality_csv(struct quality *q, struct sharc_err *reterr)
{
    struct csv w = {.q = q, .line = SHARC_BUF_INIT(1u << 20)};
    int r = q->at != SHARC_TIME_NONE ? put_answers(&w, reterr)
            : q->composite           ? put_pages(&w, reterr)
                                     : put_captures(&w, reterr);
    sharc_buf_done(&w.line);
    return r;
}
