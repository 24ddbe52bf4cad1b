/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts: who shares a pause with whom, and what robots.txt said.
 */
#include "hosts.h"

#include <stdlib.h>

void sharc__crawl_hosts_init(struct hosts *h, uint64_t seed, struct sharc_store *store, struct sharc_clock *clock)
{
    *h = (struct hosts){.origins = sharc_intern_new(), .names = sharc_intern_new(), .store = store, .clock = clock};
    sharc_rng_init(&h->rng, seed);
}

void sharc__crawl_hosts_done(struct hosts *h)
{
    for (uint32_t i = 0; h->origins && i < sharc_intern_count(h->origins); i++) {
        free(h->host[i].origin);
        free(h->host[i].robots_text);
        sharc_robots_free(h->host[i].rules);
    }
    for (size_t i = 0; i < h->group_count; i++) {
        free(h->group[i].waiting);
        free(h->group[i].turns);
    }
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
    h->group[h->group_count] = (struct group){.next = SHARC_TIME_NONE, .fast = h->clock ? h->clock->fast : 0};
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

uint32_t sharc__crawl_hosts_add(struct hosts *h, const struct sharc_url *u, bool *ret_new)
{
    struct sharc_span origin = sharc_span(u->p, u->path_start);
    uint32_t number = sharc_intern_add(h->origins, origin, ret_new);
    if (!*ret_new) return number;
    SHARC_GROW(h->host, h->room, (size_t)number + 1);
    h->host[number] = (struct host){.origin = sharc_span_dup(origin), .fetched = SHARC_TIME_NONE};
    h->host[number].group = group_of_url(h, u);
    return number;
}

struct sharc_span sharc__crawl_host_name(const struct host *h)
{
    struct sharc_span origin = sharc_span_of(h->origin);
    size_t at = sharc_span_search(origin, SHARC_SPAN("://"));
    return at == SHARC_NPOS ? origin : sharc_span_from(origin, at + 3);
}

void sharc__crawl_site_name(const struct sharc_url *u, struct sharc_buf *out)
{
    struct sharc_span host = sharc_url_host(u);
    if (sharc_span_starts(host, SHARC_SPAN("www."))) host = sharc_span_from(host, 4);
    sharc_buf_put(out, host);
    if (u->has_port) {
        sharc_buf_put_char(out, ':');
        sharc_buf_put(out, sharc_url_port_text(u));
    }
}

/* --- robots.txt and reach ---------------------------------------------------- */

bool sharc__crawl_host_forbids(const struct hosts *h, uint32_t host, const struct sharc_url *u)
{
    const struct host *one = &h->host[host];
    return one->robots == ROBOTS_KNOWN && !sharc_robots_allowed(one->rules, sharc_url_href(u), NULL);
}

void sharc__crawl_host_asked(struct hosts *h, uint32_t host)
{
    h->host[host].robots = ROBOTS_ASKED;
    h->host[host].redirects = 0;
}

void sharc__crawl_host_not_asked(struct hosts *h, uint32_t host)
{
    if (host < sharc_intern_count(h->origins) && h->host[host].robots == ROBOTS_ASKED)
        h->host[host].robots = ROBOTS_UNKNOWN;
}

void sharc__crawl_host_redirected(struct hosts *h, uint32_t host)
{
    h->host[host].redirects++;
}

void sharc__crawl_host_rules(struct hosts *h, uint32_t host, struct sharc_robots *rules, sharc_time fetched,
                             sharc_time expires)
{
    struct host *one = &h->host[host];
    sharc_robots_free(one->rules);
    one->rules = rules;
    one->robots = ROBOTS_KNOWN;
    one->fetched = fetched;
    one->expires = expires;
}

void sharc__crawl_host_text(struct hosts *h, uint32_t host, struct sharc_span text)
{
    free(h->host[host].robots_text);
    h->host[host].robots_text = sharc_span_dup(text);
    h->host[host].robots_size = text.n;
}

void sharc__crawl_host_keep_rules(struct hosts *h, uint32_t host, sharc_time expires)
{
    h->host[host].robots = ROBOTS_KNOWN;
    h->host[host].expires = expires;
}

bool sharc__crawl_host_distrusted(struct hosts *h, uint32_t host)
{
    const bool first = !h->host[host].distrusted;
    h->host[host].distrusted = true;
    return first;
}

void sharc__crawl_host_dead(struct hosts *h, uint32_t host, sharc_time until)
{
    h->host[host].dead_until = until;
}

/* --- pauses -------------------------------------------------------------------- */

void sharc__crawl_group_owned(struct group *g, const struct sharc_crawl_pace *pace)
{
    if (!g->owned || pace->delay > g->delay) g->delay = pace->delay;
    if (!g->owned || pace->connections < g->connections) g->connections = pace->connections;
    g->owned = true;
}

void sharc__crawl_groups_disown(struct hosts *h)
{
    for (size_t i = 0; i < h->group_count; i++) h->group[i].owned = false;
}

struct sharc_crawl_pace sharc__crawl_group_pace(const struct group *g, const struct sharc_crawl_pace *site,
                                                const struct sharc_crawl_pace *general)
{
    struct sharc_crawl_pace pace = *site;
    if (g->owned) {
        pace.delay = g->delay;
        pace.connections = g->connections;
        return pace;
    }
    if (general->delay > pace.delay) pace.delay = general->delay;
    if (general->connections < pace.connections) pace.connections = general->connections;
    return pace;
}

sharc_time sharc__crawl_group_due(const struct group *g)
{
    sharc_time due = g->backoff.until > g->next ? g->backoff.until : g->next;
    return g->not_before > due ? g->not_before : due;
}

unsigned sharc__crawl_group_at_once(const struct group *g, const struct sharc_crawl_pace *pace)
{
    bool pause = pace->delay > 0 || g->crawl_delay > 0;
    return pause || pace->connections == 0 ? 1 : pace->connections;
}

void sharc__crawl_group_began(struct group *g, uint32_t site)
{
    g->busy++;
    g->user = site;
}

static void begin_pause(struct group *g, const struct sharc_crawl_pace *pace, sharc_time end, sharc_time took)
{
    double factor = pace->delay > 0 ? pace->factor : 0;
    sharc_time pause = sharc_polite_delay(pace->delay, g->crawl_delay, took, factor, pace->delay_most);
    sharc_time next = end + sharc_clock_surely(g->fast, pause);
    if (next <= g->next) return;
    g->next = next;
    g->ended = end;
    g->took = took;
}

void sharc__crawl_group_ended(struct group *g, const struct sharc_crawl_pace *pace, sharc_time end, sharc_time took)
{
    if (g->busy > 0) g->busy--;
    begin_pause(g, pace, end, took);
}

void sharc__crawl_group_asks(struct group *g, const struct sharc_crawl_pace *pace, sharc_time delay, sharc_time end,
                             sharc_time took)
{
    if (g->recalled) g->crawl_delay = 0;
    g->recalled = false;
    if (delay <= g->crawl_delay) return;
    g->crawl_delay = delay;
    begin_pause(g, pace, end, took);
}

void sharc__crawl_group_repace(struct group *g, const struct sharc_crawl_pace *pace)
{
    if (g->next == SHARC_TIME_NONE) return;
    g->next = SHARC_TIME_NONE;
    begin_pause(g, pace, g->ended, g->took);
}

void sharc__crawl_group_not_before(struct group *g, sharc_time when)
{
    if (when > g->not_before) g->not_before = when;
}

void sharc__crawl_group_pause(struct group *g, const struct sharc_crawl_pace *pace, sharc_time now)
{
    begin_pause(g, pace, now, 0);
}

sharc_time sharc__crawl_group_trouble(struct hosts *h, uint32_t group, sharc_time now, sharc_time wait)
{
    h->urgent = true;
    return sharc_backoff_trouble(&h->group[group].backoff, now, wait, &h->rng);
}

void sharc__crawl_group_quiet(struct group *g, sharc_time now)
{
    sharc_backoff_quiet(&g->backoff, now);
}

void sharc__crawl_group_wait(struct group *g, uint32_t site)
{
    SHARC_GROW(g->waiting, g->waiting_room, g->waiting_count + 1);
    g->waiting[g->waiting_count++] = site;
}

size_t sharc__crawl_group_release(struct group *g)
{
    size_t n = g->waiting_count;
    g->waiting_count = 0;
    return n;
}
