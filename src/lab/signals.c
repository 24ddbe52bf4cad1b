/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site tells of its edits, in sitemap and feed: all of them, or a share; and
 * of edits that never were.
 */
#include "lab_int.h"

#include <math.h>

bool sharc__lab_listed(const struct sharc_lab *l, uint32_t item)
{
    const struct lab_item *it = &l->site.items[item];
    return it->kind == LAB_HTML || (l->o.dataset && it->kind < LAB_REDIRECT && it->origin != LAB_NO_ORIGIN);
}

static void tell(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    l->states[item].told = when;
    l->sitemap_old = true;
    sharc__lab_tell_the_feed(l, item, when);
}

/* For every edit told of, so many are invented that the share `precision` is true. */
static void invent(struct sharc_lab *l, sharc_time when)
{
    const double p = l->o.signals.precision;
    if (!(p > 0 && p < 1)) return;
    for (double left = (1 - p) / p; left > 0 && sharc_rng_uniform(&l->signal_rng) < left; left--) {
        const uint32_t item = (uint32_t)sharc_rng_below(&l->signal_rng, l->site.count);
        if (sharc__lab_listed(l, item) && l->states[item].exists) tell(l, item, when);
    }
}

void sharc__lab_tell(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    const struct sharc_sim_signals *g = &l->o.signals;
    if (!sharc__lab_listed(l, item)) return;
    if (g->on && sharc_rng_uniform(&l->signal_rng) >= g->recall) return;
    tell(l, item, when);
    if (g->on) invent(l, when);
}

bool sharc__lab_stamps_now(const struct sharc_lab *l)
{
    return l->o.signals.on && l->o.signals.precision <= 0;
}

sharc_time sharc__lab_told(const struct sharc_lab *l, uint32_t item)
{
    return sharc__lab_stamps_now(l) ? l->sitemap_made : l->states[item].told;
}
