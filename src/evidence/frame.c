/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a control explain a region? Four texts of one place are held against each other: v and
 * r of visit and revisit, c and e of two downloads back to back. What r, c and e have in common,
 * in order, is the frame: what stands there whoever asks. An explanation needs that
 *   (1) v has all of the frame: a value that is new in r and stayed is an edit;
 *   (2) wherever v and r differ between two pieces of the frame, c and e differ there as well;
 *   (3) where c and e have single tokens that no person writes, v and r have as many, and nothing else;
 *   (4) where v and r differ, r and c differ as well: what came between v and r and was still there in c is an
 *       edit, even if another edit came between c and e. With a second pair that differs there as well this
 *       rule can be left aside: what has few values shows one of them twice now and then.
 * So an edit beside a token, a word taken out beside a teaser, a price between two adverts are found;
 * only what stands where the controls themselves differ is not judged.
 */
#include "evidence_int.h"
#include "sharc/change_diff.h"

#include <stdlib.h>

/* Which items of r have a partner in the other, and where: SHARC_NPOS, or its index. */
static size_t *partners(const uint64_t *r, size_t n, const uint64_t *other, size_t m, uint64_t *steps)
{
    SHARC_AUTO(sharc_freep) bool *goes = SHARC_NEW_ARRAY(bool, n);
    SHARC_AUTO(sharc_freep) bool *comes = SHARC_NEW_ARRAY(bool, m);
    size_t *at = SHARC_NEW_ARRAY(size_t, n);
    sharc_change_script(r, n, other, m, steps, goes, comes);
    for (size_t i = 0, j = 0; i < n; i++) {
        at[i] = SHARC_NPOS;
        if (goes[i]) continue;
        while (comes[j]) j++;
        at[i] = j++;
    }
    return at;
}

struct gap {
    size_t from, to;
};

static bool gap_eq(const uint64_t *x, struct gap p, const uint64_t *y, struct gap q)
{
    return p.to - p.from == q.to - q.from && memcmp(x + p.from, y + q.from, (p.to - p.from) * sizeof *x) == 0;
}

static unsigned look_of(uint64_t print)
{
    return (unsigned)(print & 7);
}

/* Are c and e rows of tokens, one in the place of the other? */
static bool is_moving_gap(const uint64_t *c, struct gap gc, const uint64_t *e, struct gap ge)
{
    if (gc.to - gc.from != ge.to - ge.from) return false;
    for (size_t k = 0; k < gc.to - gc.from; k++) {
        uint64_t x = c[gc.from + k], y = e[ge.from + k];
        if (x != y && (!sharc__evidence_moves(look_of(x)) || !sharc__evidence_moves(look_of(y)))) return false;
    }
    return true;
}

/* May a token of that look stand where the control had one of this look? A random token may look like a word. */
static bool fits(unsigned look, unsigned control)
{
    if (control == LOOK_RANDOM) return look == LOOK_RANDOM || look == LOOK_NUMBER || look == LOOK_WORD;
    if (control == LOOK_NUMBER) return look == LOOK_NUMBER || look == LOOK_RANDOM;
    return look == control;
}

static bool fits_gap(const uint64_t *v, struct gap g, const uint64_t *c, struct gap gc, const uint64_t *e,
                     struct gap ge)
{
    if (g.to - g.from != gc.to - gc.from) return false;
    for (size_t k = 0; k < g.to - g.from; k++) {
        uint64_t x = v[g.from + k], y = c[gc.from + k], z = e[ge.from + k];
        if (y == z ? x != y : !fits(look_of(x), look_of(y)) && !fits(look_of(x), look_of(z))) return false;
    }
    return true;
}

/* Rule (4), token by token where tokens stand in for each other. */
static bool is_edit_that_stayed(const struct sharc__region *control, struct gap gc, const struct sharc__region *region,
                                struct gap gv, struct gap gr, bool moving)
{
    const uint64_t *v = region->before, *r = region->after, *c = control->before;
    if (gap_eq(r, gr, c, gc)) return true;
    for (size_t k = 0; moving && k < gr.to - gr.from; k++)
        if (v[gv.from + k] != r[gr.from + k] && r[gr.from + k] == c[gc.from + k]) return true;
    return false;
}

static bool gap_is_explained(const struct sharc__region *control, struct gap gc, struct gap ge,
                             const struct sharc__region *region, struct gap gv, struct gap gr, bool may_stay)
{
    const uint64_t *c = control->before, *e = control->after;
    if (gap_eq(c, gc, e, ge)) return false;
    bool moving = is_moving_gap(c, gc, e, ge);
    bool fit = !moving || (fits_gap(region->before, gv, c, gc, e, ge) && fits_gap(region->after, gr, c, gc, e, ge));
    return fit && (may_stay || !is_edit_that_stayed(control, gc, region, gv, gr, moving));
}

/* The order of the revisit is that of the first download. */
static bool is_same_row(const struct sharc__region *region, const struct sharc__region *control)
{
    return region->n_after == control->n_before &&
           memcmp(region->after, control->before, region->n_after * sizeof *region->after) == 0;
}

bool sharc__evidence_explains(const struct sharc__region *control, const struct sharc__region *region, bool may_stay)
{
    if (control->place != region->place || control->kind != region->kind || control->large || region->large)
        return false;
    /* children in any order: what was taken for the same set both times is the same set here */
    if (region->kind == SHARC_HUNK_ORDER) return may_stay || !is_same_row(region, control);
    uint64_t steps = SHARC_CHANGE_STEPS;
    const size_t n = region->n_after;
    SHARC_AUTO(sharc_freep) size_t *v = partners(region->after, n, region->before, region->n_before, &steps);
    SHARC_AUTO(sharc_freep) size_t *c = partners(region->after, n, control->before, control->n_before, &steps);
    SHARC_AUTO(sharc_freep) size_t *e = partners(region->after, n, control->after, control->n_after, &steps);
    struct gap gv = {0, 0}, gr = {0, 0}, gc = {0, 0}, ge = {0, 0};
    for (size_t i = 0; i <= n; i++) {
        bool end = i == n;
        if (!end && (c[i] == SHARC_NPOS || e[i] == SHARC_NPOS)) continue;
        if (!end && v[i] == SHARC_NPOS) return false;
        gr.to = i;
        gv.to = end ? region->n_before : v[i];
        gc.to = end ? control->n_before : c[i];
        ge.to = end ? control->n_after : e[i];
        if (!gap_eq(region->before, gv, region->after, gr) &&
            !gap_is_explained(control, gc, ge, region, gv, gr, may_stay))
            return false;
        gv.from = gv.to + 1, gr.from = gr.to + 1, gc.from = gc.to + 1, ge.from = ge.to + 1;
    }
    return true;
}
