/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a site, whatever it was made from: paths, links, services.
 */
#include "lab_int.h"

#include <stdlib.h>

void sharc__lab_site_done(struct lab_site *s)
{
    sharc_intern_free(s->paths);
    free(s->items);
    free(s->link_at);
    free(s->link_to);
    free(s->fronts);
    sharc__lab_walks_free(s->walks);
    *s = (struct lab_site){0};
}

uint32_t sharc__lab_add(struct lab_site *s, struct sharc_span path, struct lab_item item)
{
    bool fresh = false;
    uint32_t id = sharc_intern_add(s->paths, path, &fresh);
    if (!fresh) return SHARC_NO_ID;
    SHARC_GROW(s->items, s->room, s->count + 1);
    s->items[s->count++] = item;
    if (item.kind == LAB_HTML) s->pages++;
    return id;
}

/* Added last: their bodies list what comes before. */
void sharc__lab_add_services(struct lab_site *s)
{
    sharc__lab_add(s, SHARC_SPAN("/style.css"), (struct lab_item){.kind = LAB_TEXT, .type = "text/css"});
    sharc__lab_add(s, SHARC_SPAN("/app.js"), (struct lab_item){.kind = LAB_TEXT, .type = "text/javascript"});
    sharc__lab_add(s, SHARC_SPAN("/robots.txt"), (struct lab_item){.kind = LAB_ROBOTS});
    sharc__lab_add(s, SHARC_SPAN("/sitemap.xml"), (struct lab_item){.kind = LAB_SITEMAP});
    sharc__lab_add(s, SHARC_SPAN("/feed.xml"), (struct lab_item){.kind = LAB_FEED});
}

void sharc__lab_set_links(struct lab_site *s, const struct lab_link *links, size_t n)
{
    s->link_at = SHARC_NEW_ARRAY(size_t, s->count + 2);
    s->link_to = SHARC_NEW_ARRAY(uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) s->link_at[links[i].from + 2]++;
    for (size_t i = 2; i < s->count + 2; i++) s->link_at[i] += s->link_at[i - 1];
    /* link_at[i + 1] is now where the links of i begin; it moves to their end. */
    for (size_t i = 0; i < n; i++) s->link_to[s->link_at[links[i].from + 1]++] = links[i].to;
}

/* What the pages carry and how they are served: drawn for each kind apart, so that another
 * kind in the mix leaves this one where it was. */
void sharc__lab_set_mix(struct lab_site *s, const struct sharc_lab_options *o)
{
    s->edits = o->edits;
    s->walks = sharc__lab_walks_new(s->count);
    for (uint32_t k = 0; k < SHARC_LAB_NOISE_COUNT; k++)
        if (o->noise.share[k] > 0) s->noises |= SHARC_LAB_BIT(k);
    for (uint32_t i = 0; i < s->count; i++) {
        struct lab_item *it = &s->items[i];
        if (it->kind >= LAB_REDIRECT) continue;
        for (uint32_t k = 0; k < SHARC_LAB_NOISE_COUNT && it->kind == LAB_HTML; k++) {
            struct sharc_rng r = sharc__lab_draw(s->seed, i, k, 'N');
            if (sharc_rng_uniform(&r) < o->noise.share[k]) it->noise |= SHARC_LAB_BIT(k);
        }
        for (uint32_t k = 0; k < SHARC_LAB_FAULT_COUNT; k++) {
            struct sharc_rng r = sharc__lab_draw(s->seed, i, k, 'H');
            if (k == SHARC_LAB_FAULT_CUT || sharc_rng_uniform(&r) < o->faults.share[k]) it->faults |= SHARC_LAB_BIT(k);
        }
        if (!o->dataset) it->rate = sharc__lab_edit_rate(s, i, it->rate);
    }
}
