/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of a capture as columns, and what changed between two captures: what lists of pages and the pictures that have
 * a mark for every page are made of.
 */
#include "summary_int.h"

#include <stdlib.h>

/* --- bytes --------------------------------------------------------------------------------------- */

/* What indexes something must stay inside it. */
static bool is_sound(const struct sharc_figure_sheet *t, size_t bytes)
{
    uint32_t end = 0;
    bool sound = true;
    for (size_t i = 0; i < t->count; i++) {
        sound = sound && t->end[i] >= end && t->mime[i] < t->mime_count && t->reason[i] < SHARC_GRADE_REASON_COUNT;
        end = t->end[i];
    }
    return sound && end == bytes;
}

/* Columns of a machine whose bytes are in the other order; of others it does nothing. */
static void turn(struct sharc_figure_sheet *t)
{
    sharc__summary_turn(t->id, 8 * t->count, sizeof *t->id);
    sharc__summary_turn(t->status, 3 * t->count, sizeof *t->status);
}

void sharc__summary_put_sheet(struct summary_codec *c, void *arg)
{
    enum { TEXTS = 64 << 20 };
    struct sharc_figure_sheet *t = arg;
    size_t count = t->count, bytes = t->count ? t->end[t->count - 1] : 0;
    sharc__summary_i64(c, &t->capture);
    sharc__summary_count(c, &count);
    sharc__summary_count(c, &bytes);
    sharc__summary_count(c, &t->mime_count);
    if (!c->out) {
        sharc_arena_init(&t->texts, TEXTS);
        t->mimes = SHARC_NEW_ARRAY(struct sharc_span, t->mime_count + 1);
    }
    for (size_t i = 0; i < t->mime_count; i++) sharc__summary_span(c, &t->mimes[i], &t->texts);
    const size_t size = sharc_figure_sheet_size(count, bytes);
    void *block = NULL;
    if (c->out) {
        turn(t);
        sharc__summary_block(c, t->id, size, &block);
        turn(t);
        return;
    }
    void *at = sharc__summary_block(c, NULL, size, &block);
    if (!at) return;
    sharc_figure_sheet_over(t, block, at, count);
    turn(t);
    c->failed = !is_sound(t, bytes);
}

void sharc__summary_put_changes(struct summary_codec *c, void *arg)
{
    struct sharc_figure_changes *x = arg;
    size_t count = x->count;
    sharc__summary_i64(c, &x->a);
    sharc__summary_i64(c, &x->b);
    sharc__summary_count(c, &count);
    if (!c->out) sharc_figure_changes_room(x, count);
    for (size_t i = 0; i < count && !c->failed; i++) {
        sharc_store_id before = i ? x->id[i - 1] : 0;
        sharc_store_id step = x->id[i] - before;
        sharc__summary_i64(c, &step);
        x->id[i] = before + step;
        sharc__summary_real(c, &x->similarity[i]);
        WORD(c, x->change[i], SHARC_FIGURE_CLASS_COUNT, uint8_t);
        c->failed = c->failed || step <= 0;
    }
}

static bool is_rising(const struct sharc_figure_prints *t)
{
    for (size_t i = 1; i < t->count; i++)
        if (t->id[i] <= t->id[i - 1]) return false;
    return true;
}

static void turn_prints(struct sharc_figure_prints *t)
{
    sharc__summary_turn(t->id, 4 * t->count, sizeof *t->id);
    sharc__summary_turn(t->status, t->count, sizeof *t->status);
}

void sharc__summary_put_prints(struct summary_codec *c, void *arg)
{
    struct sharc_figure_prints *t = arg;
    size_t count = t->count;
    void *block = NULL;
    sharc__summary_i64(c, &t->capture);
    sharc__summary_count(c, &count);
    const size_t size = sharc_figure_prints_size(count);
    if (c->out) {
        turn_prints(t);
        sharc__summary_block(c, t->id, size, &block);
        turn_prints(t);
        return;
    }
    void *at = sharc__summary_block(c, NULL, size, &block);
    if (!at) return;
    sharc_figure_prints_over(t, block, at, count);
    turn_prints(t);
    c->failed = !is_rising(t);
}

/* --- found or made ----------------------------------------------------------------------------------- */

static int make_sheet(struct sharc_store *s, const sharc_store_id *captures, size_t n, void *x,
                      struct sharc_err *reterr)
{
    (void)n;
    return sharc_figure_sheet(s, captures[0], x, reterr);
}

static void sheet_done(void *x)
{
    sharc_figure_sheet_done(x);
}

static const struct summary_kind sheet_kind = {"sheet", sharc__summary_put_sheet, make_sheet, sheet_done, false};

int sharc__summary_sheet(struct summary_making *m, sharc_store_id capture, struct sharc_figure_sheet *ret,
                         struct sharc_err *reterr)
{
    struct sharc_figure_sheet t = {0};
    int r = sharc__summary_obtain(m, &sheet_kind, &capture, 1, ret != NULL, &t, reterr);
    if (r == 0 && ret)
        *ret = t;
    else
        sharc_figure_sheet_done(&t);
    return r;
}

static int make_changes(struct sharc_store *s, const sharc_store_id *captures, size_t n, void *x,
                        struct sharc_err *reterr)
{
    (void)n;
    return sharc_figure_changes(s, captures[0], captures[1], x, reterr);
}

static void changes_done(void *x)
{
    sharc_figure_changes_done(x);
}

static const struct summary_kind changes_kind = {"changes", sharc__summary_put_changes, make_changes, changes_done,
                                                 true};

/* Kept with the later capture: of two that follow each other. A refresh makes no others, and of others the stamp
 * differs. */
int sharc__summary_changes(struct summary_making *m, sharc_store_id a, sharc_store_id b,
                           struct sharc_figure_changes *ret, struct sharc_err *reterr)
{
    struct sharc_figure_changes c = {0};
    int r = sharc__summary_obtain(m, &changes_kind, (const sharc_store_id[]){a, b}, 2, ret != NULL, &c, reterr);
    if (r == 0 && ret)
        *ret = c;
    else
        sharc_figure_changes_done(&c);
    return r;
}

static int make_prints(struct sharc_store *s, const sharc_store_id *captures, size_t n, void *x,
                       struct sharc_err *reterr)
{
    (void)n;
    return sharc_figure_prints(s, captures[0], x, reterr);
}

static void prints_done(void *x)
{
    sharc_figure_prints_done(x);
}

static const struct summary_kind prints_kind = {"prints", sharc__summary_put_prints, make_prints, prints_done, false};

int sharc__summary_prints(struct summary_making *m, sharc_store_id capture, struct sharc_figure_prints *ret,
                          struct sharc_err *reterr)
{
    struct sharc_figure_prints t = {0};
    int r = sharc__summary_obtain(m, &prints_kind, &capture, 1, ret != NULL, &t, reterr);
    if (r == 0 && ret)
        *ret = t;
    else
        sharc_figure_prints_done(&t);
    return r;
}

int sharc_summary_sheet(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_sheet *ret,
                        struct sharc_err *reterr)
{
    struct summary_making m = {.store = s};
    return sharc__summary_sheet(&m, capture, ret, reterr);
}
