/* SPDX-License-Identifier: Apache-2.0
 *
 * Which control download is next, and what became of it.
 */
#include "controls.h"

#include <stdlib.h>

enum { FIRSTS_MOST = 4 }; /* pairs begun on a page because the one before was torn apart */

void sharc__crawl_controls_init(struct controls *c)
{
    sharc_map64_init(&c->place_of);
    sharc_map64_init(&c->last_of);
}

void sharc__crawl_controls_done(struct controls *c)
{
    sharc_map64_done(&c->place_of);
    sharc_map64_done(&c->last_of);
    free(c->places);
    free(c->made);
    free(c->page);
    free(c->id);
    free(c->hints);
    sharc_case_free(c->judge);
    *c = (struct controls){.ctx = c->ctx, .state = CONTROLS_SETTLED};
}

/* --- what became of them --------------------------------------------------------------- */

static const struct control *last_made(const struct controls *c)
{
    return c->made_count ? &c->made[c->made_count - 1] : NULL;
}

/* The first of a pair whose second is still to come. */
static const struct control *half_pair(const struct controls *c)
{
    const struct control *last = last_made(c);
    return last && !c->cut_short && last->step == CONTROL_FIRST && last->file != SHARC_NO_ID ? last : NULL;
}

/* Pairs on this page that were begun, and torn apart, right before. */
static size_t firsts_in_a_row(const struct controls *c, uint32_t page)
{
    size_t n = 0;
    while (n < c->made_count && c->made[c->made_count - 1 - n].page == page &&
           c->made[c->made_count - 1 - n].step == CONTROL_FIRST)
        n++;
    return n;
}

void sharc__crawl_controls_step(const struct controls *c, struct task *t, sharc_time start, sharc_time gap_most)
{
    const struct control *first = half_pair(c);
    if (t->step != CONTROL_SECOND) return;
    if (!first || first->page != t->page || t->tries > 0 || start - first->end > gap_most) t->step = CONTROL_FIRST;
}

void sharc__crawl_controls_made_again(struct controls *c, const struct control *made)
{
    SHARC_GROW(c->made, c->made_room, c->made_count + 1);
    c->made[c->made_count++] = *made;
    c->cut_short = made->step == CONTROL_FIRST; /* unless it was made just now */
}

static void keep(struct controls *c, const struct control *made)
{
    sharc__crawl_controls_made_again(c, made);
    c->cut_short = false;
    sharc__crawl_note_control(c->journal, made);
}

void sharc__crawl_controls_made(struct controls *c, const struct job *j, const struct written *w)
{
    struct control made = {.page = j->task.page,
                           .file = SHARC_NO_ID,
                           .start = j->result->start,
                           .end = j->result->end,
                           .step = j->task.step};
    bool torn = made.step == CONTROL_FIRST && firsts_in_a_row(c, made.page) >= FIRSTS_MOST;
    if (w->any && !torn) {
        made.file = sharc__crawl_file(c->out, w->places.response.file);
        made.offset = w->places.response.offset;
    }
    keep(c, &made);
}

void sharc__crawl_controls_dropped(struct controls *c, const struct task *t)
{
    struct control made = {.page = t->page, .file = SHARC_NO_ID, .step = t->step};
    keep(c, &made);
}

void sharc__crawl_controls_end(struct controls *c)
{
    c->state = CONTROLS_OVER;
}

/* --- what is next ------------------------------------------------------------------------ */

static sharc_time late_after(const struct context *ctx)
{
    return ctx->o.control_late ? ctx->o.control_late : SHARC_CASE_LATE_SECONDS * SHARC_SEC;
}

/* When that was. It may have been dated by a run whose clock was ahead: then it was before now all the same. */
static sharc_time behind(const struct context *ctx, sharc_time then)
{
    const sharc_time now = crawl_now(ctx);
    return then < now ? then : now;
}

static bool ask_case(struct controls *c, struct task *ret)
{
    struct sharc_case_control want;
    if (!sharc_case_next_control(c->judge, &want)) return false;
    *ret = (struct task){.kind = TASK_CONTROL, .page = c->page[want.id]};
    if (!want.late) return true;
    ret->step = CONTROL_LATE;
    const struct control *last = sharc__crawl_case_last(c, ret->page);
    if (last) ret->not_before = behind(c->ctx, last->end) + late_after(c->ctx);
    return true;
}

static bool next_pair(struct controls *c, struct task *ret)
{
    const struct control *first = half_pair(c);
    if (first) {
        *ret = (struct task){.kind = TASK_CONTROL, .page = first->page, .step = CONTROL_SECOND};
        return true;
    }
    sharc__crawl_case_controls(c);
    return ask_case(c, ret);
}

enum controls_next sharc__crawl_controls_next(struct controls *c, struct task *ret)
{
    if (c->state == CONTROLS_NOT_BEGUN) {
        sharc__crawl_case_begin(c);
        c->state = CONTROLS_COMPARING;
    }
    if (c->state == CONTROLS_COMPARING) {
        if (sharc__crawl_case_compare(c)) return CONTROLS_BUSY;
        c->state = CONTROLS_PAIRS;
    }
    if (c->state == CONTROLS_PAIRS) {
        if (next_pair(c, ret)) return CONTROLS_HAVE_TASK;
        c->state = CONTROLS_OVER;
    }
    if (c->state == CONTROLS_OVER) sharc__crawl_case_settle(c);
    c->state = CONTROLS_SETTLED;
    return CONTROLS_NONE;
}
