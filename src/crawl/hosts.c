/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts: who shares a pause with whom, and what robots.txt said.
 */
#include "crawl_int.h"

#include <stdlib.h>

void sharc__crawl_hosts_init(struct hosts *h)
{
    *h = (struct hosts){.origins = sharc_intern_new(), .names = sharc_intern_new()};
}

void sharc__crawl_hosts_done(struct hosts *h)
{
    for (uint32_t i = 0; h->origins && i < sharc_intern_count(h->origins); i++) {
        free(h->host[i].origin);
        sharc_robots_free(h->host[i].rules);
    }
    for (size_t i = 0; i < h->group_count; i++) free(h->group[i].waiting);
    sharc_intern_free(h->origins);
    sharc_intern_free(h->names);
    free(h->host);
    free(h->group);
    free(h->group_of);
    *h = (struct hosts){0};
}

static uint32_t new_group(struct hosts *h)
{
    SHARC_GROW(h->group, h->group_room, h->group_count + 1);
    h->group[h->group_count] = (struct group){.next = SHARC_TIME_NONE};
    return (uint32_t)h->group_count++;
}

/* The group of "host" or "host:port"; one of its own if nobody joined it. */
static uint32_t group_of(struct hosts *h, struct sharc_span name, uint32_t with)
{
    bool fresh = false;
    uint32_t number = sharc_intern_add(h->names, name, &fresh);
    SHARC_GROW(h->group_of, h->group_of_room, (size_t)number + 1);
    if (fresh) h->group_of[number] = with == UINT32_MAX ? new_group(h) : with;
    return h->group_of[number];
}

void sharc__crawl_hosts_join(struct hosts *h, struct sharc_span names)
{
    uint32_t group = UINT32_MAX;
    struct sharc_span name;
    while (sharc_span_next(&names, ' ', &name)) {
        if (name.n) group = group_of(h, name, group);
    }
}

/* A host is known by name and port; a group may name it without the port. */
static uint32_t group_of_url(struct hosts *h, const struct sharc_url *u)
{
    uint32_t bare = sharc_intern_find(h->names, sharc_url_host(u));
    if (bare != SHARC_NO_ID && u->has_port && sharc_intern_find(h->names, sharc_url_host_port(u)) == SHARC_NO_ID)
        return h->group_of[bare];
    return group_of(h, sharc_url_host_port(u), UINT32_MAX);
}

uint32_t sharc__crawl_hosts_of(struct hosts *h, const struct sharc_url *u)
{
    struct sharc_span origin = sharc_span(u->p, u->path_start);
    bool fresh = false;
    uint32_t number = sharc_intern_add(h->origins, origin, &fresh);
    if (!fresh) return number;
    SHARC_GROW(h->host, h->room, (size_t)number + 1);
    h->host[number] = (struct host){.origin = sharc_span_dup(origin), .fetched = SHARC_TIME_NONE};
    h->host[number].group = group_of_url(h, u);
    return number;
}

sharc_time sharc__crawl_group_due(const struct group *g)
{
    return g->backoff.until > g->next ? g->backoff.until : g->next;
}

void sharc__crawl_group_ended(struct group *g, const struct sharc_crawl_pace *pace, sharc_time end, sharc_time took)
{
    double factor = pace->delay > 0 ? pace->factor : 0;
    sharc_time next = end + sharc_polite_delay(pace->delay, g->crawl_delay, took, factor, pace->delay_most);
    if (next <= g->next) return;
    g->next = next;
    g->ended = end;
    g->took = took;
}

void sharc__crawl_group_repace(struct group *g, const struct sharc_crawl_pace *pace)
{
    if (g->next == SHARC_TIME_NONE) return;
    g->next = SHARC_TIME_NONE;
    sharc__crawl_group_ended(g, pace, g->ended, g->took);
}
