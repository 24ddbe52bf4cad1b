/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc-selective, offline. Hottest first: the page takes the shortest interval
 * left (hopeful), unless giving it the longest one and moving every colder page
 * one interval down is worth more (hopeless).
 *
 * With h pages hopeless so far, page i is compared by
 *
 *   w_i (e^(-2 x_i (n-1-h)) - e^(-2 x_i (i-h))) + S(i+1, h),
 *   S(i, h) = sum over k >= i of w_k (e^(-2 x_k (k-1-h)) - e^(-2 x_k (k-h))),
 *
 * x the rate. S is a suffix sum, so while h stands still every test is O(1);
 * when h moves all of it changes. A group of pages of one rate telescopes: its
 * part of S is w (e^(-2x(from-1-h)) - e^(-2x(to-1-h))). With G groups and whole
 * groups decided at once the cost is O(n + G^2) instead of O(n^2); up to
 * MOST_GROUPS pages every group is one page and the result is the textbook's.
 */
#include "groups.h"

#include <math.h>
#include <stdlib.h>

#define MOST_GROUPS 2048

struct selective {
    const struct ranking *r;
    const struct group *groups;
    uint32_t count;
    uint32_t h;     /* the h that `suffix` belongs to */
    double *suffix; /* S(groups[g].from, h) */
};

/* Pages [from, to) of a rate, moved one interval down. */
static double moved_down(double rate, double weight, double from, double to, double h)
{
    return weight * exp(-2 * rate * (from - 1 - h)) * -expm1(-2 * rate * (to - from));
}

static void refresh(struct selective *c, uint32_t first, uint32_t h)
{
    c->h = h;
    for (uint32_t g = c->count; g > first; g--) {
        const struct group *at = &c->groups[g - 1];
        c->suffix[g - 1] = c->suffix[g] + moved_down(at->rate, at->weight, at->from, at->to, h);
    }
}

/* Is page i of group g better off with the longest interval? */
static bool hopeless(const struct selective *c, uint32_t g, uint32_t i)
{
    uint32_t h = c->h;
    if (i == h) return false; /* the interval of length zero is always kept */
    double rate = c->r->rate[i], weight = ranking_weight(c->r, i);
    const struct group *at = &c->groups[g];
    double gain = weight * (exp(-2 * rate * (c->r->n - 1.0 - h)) - exp(-2 * rate * ((double)i - h)));
    if (i + 1 < at->to) gain += moved_down(at->rate, at->weight, i + 1.0, at->to, h);
    return gain + c->suffix[g + 1] > 0;
}

/* Page i of group g is hopeless; how many from here on are, if all before are?
 * The answer falls once from yes to no inside a group of one rate. */
static uint32_t hopeless_run(struct selective *c, uint32_t g, uint32_t i)
{
    uint32_t h = c->h, low = 1, high = c->groups[g].to - i;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2; /* is the middle-th still hopeless? */
        refresh(c, g, h + middle - 1);
        if (hopeless(c, g, i + middle - 1)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    refresh(c, g, h + low);
    return low;
}

void sharc__schedule_selective_classify(const struct ranking *r, bool *ret_hopeless)
{
    struct selective c = {.r = r};
    SHARC_AUTO(sharc_freep) struct group *groups = sharc__schedule_groups_make(r, MOST_GROUPS, &c.count);
    SHARC_AUTO(sharc_freep) double *suffix = SHARC_NEW_ARRAY(double, c.count + 1);
    c.groups = groups;
    c.suffix = suffix;
    refresh(&c, 0, 0);
    for (uint32_t g = 0; g < c.count; g++) {
        uint32_t i = groups[g].from;
        while (i < groups[g].to && !hopeless(&c, g, i)) {
            ret_hopeless[i++] = false;
        }
        if (i == groups[g].to) continue;
        uint32_t run = hopeless_run(&c, g, i);
        for (uint32_t k = 0; k < run; k++) {
            ret_hopeless[i++] = true;
        }
        while (i < groups[g].to) {
            ret_hopeless[i++] = false;
        }
    }
}

void sharc__schedule_plan_selective(const struct ranking *r, const struct sharc_strategy_params *params,
                                    struct plan *ret)
{
    (void)params;
    sharc__schedule_selective_classify(r, ret->hopeless);
    sharc__schedule_pyramid_two_ended(r, ret);
}
