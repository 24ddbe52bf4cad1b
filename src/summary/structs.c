/* SPDX-License-Identifier: Apache-2.0
 *
 * The structs, member by member. Whoever changes one of these raises SUMMARY_VERSION.
 */
#include "summary_int.h"

#include <stdlib.h>

/* --- a capture ---------------------------------------------------------------------------- */

static void put_together(struct summary_codec *c, struct sharc_assess_together *t)
{
    sharc__summary_bool(c, &t->known);
    sharc__summary_u64(c, &t->pages);
    sharc__summary_i64(c, &t->from);
    sharc__summary_i64(c, &t->to);
}

static void put_blur(struct summary_codec *c, struct sharc_assess_blur *b)
{
    sharc__summary_real(c, &b->average);
    sharc__summary_real(c, &b->least);
    sharc__summary_real(c, &b->most);
    sharc__summary_u64(c, &b->pages);
    sharc__summary_u64(c, &b->estimated);
    sharc__summary_real(c, &b->actual);
    sharc__summary_u64(c, &b->actual_pages);
}

static void put_pair(struct summary_codec *c, struct sharc_assess_pair *p)
{
    sharc__summary_i64(c, &p->before);
    sharc__summary_u64(c, &p->same);
    sharc__summary_u64(c, &p->changed);
    sharc__summary_u64(c, &p->attested);
    sharc__summary_u64(c, &p->unknown);
    sharc__summary_u64(c, &p->only_before);
    sharc__summary_u64(c, &p->only_after);
    sharc__summary_i64(c, &p->from);
    sharc__summary_i64(c, &p->to);
}

static void put_left_out(struct summary_codec *c, struct sharc_assess_capture *x)
{
    sharc__summary_count(c, &x->left_out_count);
    if (!c->out) {
        x->left_out = SHARC_NEW_ARRAY(struct sharc_assess_left_out, x->left_out_count + 1);
        x->left_out_room = x->left_out_count + 1;
    }
    for (size_t i = 0; i < x->left_out_count; i++) {
        sharc__summary_text(c, &x->left_out[i].reason);
        sharc__summary_u64(c, &x->left_out[i].urls);
    }
}

void sharc__summary_put_verdict(struct summary_codec *c, void *arg)
{
    struct sharc_assess_capture *x = arg;
    char **texts[] = {&x->key, &x->site, &x->state, &x->purpose, &x->source, &x->weakened};
    sharc_time *times[] = {&x->start, &x->end, &x->first, &x->last};
    uint64_t *numbers[] = {&x->pages,       &x->answered,     &x->redirects,       &x->revisited,       &x->judged,
                           &x->claim.pages, &x->claim.proved, &x->claim.unfounded, &x->excursions_pages};
    sharc__summary_i64(c, &x->id);
    for (size_t i = 0; i < SHARC_LENGTH(texts); i++) sharc__summary_text(c, texts[i]);
    for (size_t i = 0; i < SHARC_LENGTH(times); i++) sharc__summary_i64(c, times[i]);
    for (size_t i = 0; i < SHARC_LENGTH(numbers); i++) sharc__summary_u64(c, numbers[i]);
    sharc__summary_bool(c, &x->complete);
    sharc__summary_bool(c, &x->graded);
    WORD(c, x->grader, 3, enum sharc_store_grader);
    sharc__summary_u64s(c, x->defects, SHARC_ASSESS_DEFECT_COUNT);
    sharc__summary_u64s(c, x->reasons, SHARC_GRADE_REASON_COUNT);
    put_together(c, &x->observable);
    put_together(c, &x->measurable);
    put_together(c, &x->inducible);
    sharc__summary_real(c, &x->excursions);
    put_blur(c, &x->blur);
    put_pair(c, &x->pair);
    put_left_out(c, x);
}

void sharc__summary_put_series(struct summary_codec *c, void *arg)
{
    struct summary_series *x = arg;
    struct sharc_assess_series *s = &x->series;
    sharc__summary_bool(c, &x->several);
    sharc__summary_text(c, &s->site);
    sharc__summary_u64(c, &s->captures);
    sharc__summary_u64(c, &s->pages);
    sharc__summary_u64(c, &s->versions);
    sharc__summary_real(c, &s->completeness);
    sharc__summary_u64(c, &s->rated);
    sharc__summary_real(c, &s->coherence);
    sharc__summary_u64(c, &s->queries);
    sharc__summary_i64(c, &s->from);
    sharc__summary_i64(c, &s->to);
}

/* --- a step of a series --------------------------------------------------------------------- */

void sharc__summary_put_step(struct summary_codec *c, void *arg)
{
    struct sharc_figure_step *s = arg;
    sharc__summary_i64(c, &s->capture);
    sharc__summary_i64(c, &s->before);
    sharc__summary_text(c, &s->key);
    sharc__summary_i64(c, &s->start);
    sharc__summary_i64(c, &s->end);
    sharc__summary_i64(c, &s->first);
    sharc__summary_i64(c, &s->last);
    sharc__summary_u64(c, &s->pages);
    sharc__summary_u64s(c, s->all, SHARC_FIGURE_CLASS_COUNT);
    for (int k = 0; k < SHARC_FIGURE_KIND_COUNT; k++) sharc__summary_u64s(c, s->kinds[k], SHARC_FIGURE_CLASS_COUNT);
    sharc__summary_u64(c, &s->links);
    sharc__summary_u64(c, &s->links_same);
    sharc__summary_u64(c, &s->links_new);
    sharc__summary_u64(c, &s->links_gone);
    sharc__summary_real(c, &s->similarity);
    sharc__summary_u64(c, &s->similar_of);
}

/* --- parts of a site ------------------------------------------------------------------------- */

static void put_part(struct summary_codec *c, struct sharc_figure_subsite *x, struct sharc_arena *texts)
{
    sharc__summary_span(c, &x->prefix, texts);
    sharc__summary_u32(c, &x->parent);
    WORD(c, x->basis, 8, uint8_t);
    WORD(c, x->manner, SHARC_FIGURE_MANNER_COUNT, enum sharc_figure_manner);
    sharc__summary_u64(c, &x->pages);
    sharc__summary_u64(c, &x->compared);
    sharc__summary_u64(c, &x->changed);
    sharc__summary_real(c, &x->share);
    sharc__summary_real(c, &x->low);
    sharc__summary_real(c, &x->high);
    sharc__summary_real(c, &x->rest);
    sharc__summary_real(c, &x->bits);
}

void sharc__summary_put_subsites(struct summary_codec *c, void *arg)
{
    struct sharc_figure_subsites *f = arg;
    uint64_t pages = f->pages, columns = f->columns;
    sharc__summary_u64(c, &pages);
    sharc__summary_u64(c, &columns);
    sharc__summary_count(c, &f->count);
    f->pages = (size_t)pages;
    f->columns = (size_t)columns;
    if (!c->out) {
        sharc_arena_init(&f->texts, 64u << 20);
        f->rows = SHARC_NEW_ARRAY(struct sharc_figure_subsite, f->count + 1);
    }
    for (size_t i = 0; i < f->count && !c->failed; i++) {
        put_part(c, &f->rows[i], &f->texts);
        /* A part is taken from one before it. */
        c->failed = c->failed || (f->rows[i].parent != UINT32_MAX && f->rows[i].parent >= i);
    }
}

void sharc__summary_put_week(struct summary_codec *c, void *arg)
{
    struct sharc_figure_week *w = arg;
    uint64_t *numbers[] = {&w->pages, &w->looks, &w->seen, &w->stated};
    for (int i = 0; i < 7 * 24; i++) {
        sharc__summary_real(c, &w->changes[i / 24][i % 24]);
        sharc__summary_real(c, &w->hours[i / 24][i % 24]);
    }
    for (size_t i = 0; i < SHARC_LENGTH(numbers); i++) sharc__summary_u64(c, numbers[i]);
    sharc__summary_i64(c, &w->from);
    sharc__summary_i64(c, &w->to);
}

/* --- a calendar ------------------------------------------------------------------------------- */

static void put_row(struct summary_codec *c, struct sharc_figure_calendar *f, size_t i)
{
    sharc__summary_i64(c, &f->rows[i].url_id);
    sharc__summary_span(c, &f->rows[i].url, &f->texts);
    sharc__summary_u32(c, &f->rows[i].changes);
    sharc__summary_u32(c, &f->rows[i].group);
}

void sharc__summary_put_calendar(struct summary_codec *c, void *arg)
{
    enum { TEXTS = 1 << 30 };
    struct sharc_figure_calendar *f = arg;
    sharc__summary_text(c, &f->site);
    sharc__summary_count(c, &f->columns);
    sharc__summary_count(c, &f->count);
    sharc__summary_u64(c, &f->quiet);
    sharc__summary_u64(c, &f->unknown);
    sharc__summary_u64(c, &f->left_out);
    sharc__summary_u32(c, &f->groups);
    /* Both numbers are below what is left: only their product can be too large. */
    c->failed = c->failed || (!c->out && f->columns && f->count > c->in.n / f->columns);
    if (c->failed) f->count = f->columns = 0;
    if (!c->out) {
        sharc_arena_init(&f->texts, TEXTS);
        f->captures = SHARC_NEW_ARRAY(sharc_store_id, f->columns + 1);
        f->starts = SHARC_NEW_ARRAY(sharc_time, f->columns + 1);
        f->rows = SHARC_NEW_ARRAY(struct sharc_figure_calendar_row, f->count + 1);
        f->cells = SHARC_NEW_ARRAY(uint8_t, f->count * f->columns + 1);
    }
    for (size_t i = 0; i < f->columns; i++) {
        sharc__summary_i64(c, &f->captures[i]);
        sharc__summary_i64(c, &f->starts[i]);
    }
    for (size_t i = 0; i < f->count && !c->failed; i++) put_row(c, f, i);
    sharc__summary_bytes(c, f->cells, f->count * f->columns);
}
