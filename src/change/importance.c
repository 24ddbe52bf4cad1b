/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done to the blocks of a page, how much it matters, and whether the
 * same was done to many pages.
 */
#include "change_int.h"
#include "sharc/base_map.h"
#include "sharc/base_order.h"
#include "sharc/change_compare.h"
#include "sharc/change_diff.h"

#include <stdlib.h>

/* --- matching --------------------------------------------------------------------- */

/* ret[j] is the place before of element j after, or SHARC_NPOS. Returns the number of pairs. */
static size_t match(const struct sharc_change_block *b, size_t *ret)
{
    return sharc_change_pair(b->after, NULL, b->n_after, b->before, NULL, b->n_before, ret);
}

/* Most pairs that kept their order: longest increasing subsequence. tail[k] is
 * the least end of one of length k + 1. */
static size_t in_order(const size_t *place, size_t n)
{
    SHARC_AUTO(sharc_freep) size_t *tail = SHARC_NEW_ARRAY(size_t, n);
    size_t length = 0;
    for (size_t j = 0; j < n; j++) {
        if (place[j] == SHARC_NPOS) continue;
        size_t shorter = SHARC_COUNT_WHILE(i, length, tail[i] < place[j]);
        tail[shorter] = place[j];
        if (shorter == length) length++;
    }
    return length;
}

/* Most blocks of most pages. */
static bool is_untouched(const struct sharc_change_block *b)
{
    return b->n_before == b->n_after &&
           (b->n_after == 0 || memcmp(b->before, b->after, b->n_after * sizeof *b->after) == 0);
}

void sharc_change_ops(const struct sharc_change_block *b, struct sharc_change_ops *ret)
{
    if (is_untouched(b)) {
        *ret = (struct sharc_change_ops){.inserted = 0};
        return;
    }
    SHARC_AUTO(sharc_freep) size_t *place = SHARC_NEW_ARRAY(size_t, b->n_after);
    size_t pairs = match(b, place);
    size_t gone = b->n_before - pairs, come = b->n_after - pairs;
    size_t updated = gone < come ? gone : come;
    *ret = (struct sharc_change_ops){
        .inserted = come - updated,
        .updated = updated,
        .moved = pairs - in_order(place, b->n_after),
        .deleted = gone - updated,
    };
}

/* --- importance -------------------------------------------------------------------- */

static double block_importance(const struct sharc_change_block *b, const struct sharc_change_ops *ops)
{
    const double weight[] = {1, 0.8, 0.5, 0.3};
    const size_t touched[] = {ops->inserted, ops->updated, ops->moved, ops->deleted};
    const double elements = (double)(b->n_before > b->n_after ? b->n_before : b->n_after);
    double sum = 0;
    unsigned kinds = 0;
    for (size_t i = 0; i < SHARC_LENGTH(weight); i++) {
        if (!touched[i]) continue;
        sum += weight[i] * (double)touched[i] / elements;
        kinds++;
    }
    return kinds ? sum / kinds : 0;
}

double sharc_change_importance(const struct sharc_change_block *b, size_t n, struct sharc_change_ops *ret_ops)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < n; i++) {
        struct sharc_change_ops ops;
        sharc_change_ops(&b[i], &ops);
        if (ret_ops) ret_ops[i] = ops;
        if (!(b[i].weight > 0)) continue;
        weights += b[i].weight;
        sum += b[i].weight * block_importance(&b[i], &ops);
    }
    return weights > 0 ? sum / weights : 0;
}

double sharc_change_class_importance(const struct sharc_change_verdict *v)
{
    switch (v->change) {
    case SHARC_NEW: return 1;
    case SHARC_TEXT_CHANGED:
    case SHARC_LINKS_CHANGED: return v->step == SHARC_STEP_ANSWER ? 1 : 0.8;
    case SHARC_REDIRECTED: return 0.5;
    case SHARC_MISSING: return 0.3;
    case SHARC_UNCHANGED:
    case SHARC_INSIGNIFICANT:
    case SHARC_FAILED: break;
    }
    return 0;
}

/* --- templates --------------------------------------------------------------------- */

/* A sum does not depend on the order; what came and what went are mixed apart. */
uint64_t sharc_change_edit_print(const struct sharc_change_block *b, size_t n)
{
    uint64_t sum = 0;
    size_t elements = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_untouched(&b[i])) continue;
        SHARC_AUTO(sharc_freep) size_t *place = SHARC_NEW_ARRAY(size_t, b[i].n_after);
        SHARC_AUTO(sharc_freep) bool *kept = SHARC_NEW_ARRAY(bool, b[i].n_before);
        match(&b[i], place);
        for (size_t j = 0; j < b[i].n_after; j++) {
            if (place[j] != SHARC_NPOS)
                kept[place[j]] = true;
            else
                sum += sharc__change_mix(b[i].after[j] + 1), elements++;
        }
        for (size_t j = 0; j < b[i].n_before; j++)
            if (!kept[j]) sum += sharc__change_mix(~b[i].before[j]), elements++;
    }
    if (elements == 0) return 0;
    sum = sharc__change_mix(sum + elements);
    return sum ? sum : 1;
}

void sharc_change_templates(const uint64_t *print, size_t n, size_t pages, bool *ret_template)
{
    struct sharc_map64 count;
    sharc_map64_init(&count);
    for (size_t i = 0; i < n; i++) ++*sharc_map64_at(&count, print[i]);
    if (pages < 2) pages = 2;
    for (size_t i = 0; i < n; i++) ret_template[i] = print[i] != 0 && *sharc_map64_at(&count, print[i]) >= pages;
    sharc_map64_done(&count);
}
