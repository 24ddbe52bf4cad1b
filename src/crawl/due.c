/* SPDX-License-Identifier: Apache-2.0
 *
 * Sites stand in a heap by the time they are due; a site may stand in it several times.
 */
#include "engine.h"

void sharc__crawl_site_due(struct site *s, sharc_time when)
{
    sharc_heap_push(&s->crawl->due, (double)when, s->crawl->turns++, s->number);
}

struct site *sharc__crawl_next_due(struct sharc_crawl *c, sharc_time now)
{
    struct sharc_heap_item item;
    if (!sharc_heap_peek(&c->due, &item) || item.key > (double)now) return NULL;
    sharc_heap_pop(&c->due, &item);
    return c->site[item.value];
}

sharc_time sharc__crawl_next_time(struct sharc_crawl *c)
{
    struct sharc_heap_item item;
    /* A time that was reckoned before the pace changed is no reason to wait for a site that is done. */
    while (sharc_heap_peek(&c->due, &item) && c->site[item.value]->finished) sharc_heap_pop(&c->due, &item);
    return sharc_heap_peek(&c->due, &item) ? (sharc_time)item.key : SHARC_TIME_NONE;
}
