/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site tells of its edits, in sitemap and feed: all of them, or a share; and
 * of edits that never were.
 */
#include "lab_int.h"

#include <math.h>

static void tell(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    l->states[item].told = when;
    sharc__lab_tell_the_feed(l, item, when);
}

/* For every edit told of, so many are invented that the share `precision` is true. */
static void invent(struct sharc_lab *l, sharc_time when)
{
    const double p = l->o.signals.precision;
    if (!(p > 0 && p < 1)) return;
    for (double left = (1 - p) / p; left > 0 && sharc_rng_uniform(&l->signal_rng) < left; left--) {
        const uint32_t item = (uint32_t)sharc_rng_below(&l->signal_rng, l->site.count);
        if (l->site.items[item].kind == LAB_HTML && l->states[item].exists) tell(l, item, when);
    }
}

void sharc__lab_tell(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    const struct sharc_sim_signals *g = &l->o.signals;
    if (l->site.items[item].kind != LAB_HTML) return;
    if (g->on && sharc_rng_uniform(&l->signal_rng) >= g->recall) return;
    tell(l, item, when);
    if (g->on) invent(l, when);
}

sharc_time sharc__lab_told(const struct sharc_lab *l, uint32_t item)
{
    const bool now = l->o.signals.on && l->o.signals.precision <= 0;
    return now ? l->sitemap_made : l->states[item].told;
}
