/* SPDX-License-Identifier: Apache-2.0
 *
 * What the catalogue remembers of hosts between runs: until when they are not to be asked,
 * and their robots.txt with its Crawl-delay.
 */
#include "hosts.h"

#include <stdlib.h>

static void recall_backoff(struct group *g, const struct sharc_store_host *row, sharc_time due)
{
    if (row->backoff <= 0 || due <= g->backoff.until) return;
    g->backoff = (struct sharc_backoff){.until = due, .last = due - row->backoff, .step = 1};
    for (sharc_time wait = SHARC_BACKOFF_FIRST; wait < row->backoff && wait < SHARC_BACKOFF_MOST; wait *= 2)
        g->backoff.step++;
}

static void recall_delay(struct group *g, struct sharc_span robots)
{
    if (!robots.p) return;
    struct sharc_robots *rules = sharc_robots_new(robots, SHARC_ROBOTS_TOKEN);
    sharc_time delay = sharc_robots_delay(rules);
    if (delay > g->crawl_delay) {
        g->crawl_delay = delay;
        g->recalled = true;
    }
    sharc_robots_free(rules);
}

/* Without an answer from the catalogue nothing is known: the crawl waits for a catalogue that is
 * away where it has something to write. */
static void recall(struct hosts *h, uint32_t host)
{
    struct sharc_store_host row;
    if (!h->store || sharc_store_host_get(h->store, sharc__crawl_host_name(&h->host[host]), &row, NULL) < 0) return;
    struct group *g = &h->group[h->host[host].group];
    sharc_time due = sharc_store_host_due(&row, h->clock->now(h->clock));
    if (!h->shared) recall_backoff(g, &row, due); /* whose turn it is says the catalogue then */
    recall_delay(g, row.robots);
    if (due != SHARC_TIME_NONE && !h->shared) sharc__crawl_group_not_before(g, due);
    g->kept = sharc__crawl_group_due(g);
}

uint32_t sharc__crawl_hosts_of(struct hosts *h, const struct sharc_url *u)
{
    bool fresh = false;
    uint32_t host = sharc__crawl_hosts_add(h, u, &fresh);
    if (fresh) recall(h, host);
    return host;
}

static bool is_worth_keeping(const struct hosts *h, const struct host *one, sharc_time now)
{
    const struct group *g = &h->group[one->group];
    sharc_time due = sharc__crawl_group_due(g);
    return one->robots_text || (due != g->kept && due > now);
}

/* The others' clocks are not ours: they are told how long, not until when; under the name that they ask for. */
static int tell_workers(struct hosts *h, const struct sharc_store_host *rows, const uint32_t *hosts, size_t n,
                        sharc_time now, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        if (rows[i].robots.p) r = sharc_store_host_robots(h->store, &rows[i], reterr);
        if (r == 0 && rows[i].next > now)
            r = sharc_store_host_rest(h->store, sharc__crawl_host_turns(h, hosts[i]), -1, rows[i].next - now,
                                      rows[i].backoff, reterr);
    }
    return r;
}

int sharc__crawl_hosts_keep(struct hosts *h, sharc_time now, struct sharc_err *reterr)
{
    size_t count = h->store ? sharc_intern_count(h->origins) : 0, n = 0;
    SHARC_AUTO(sharc_freep) struct sharc_store_host *rows = SHARC_NEW_ARRAY(struct sharc_store_host, count);
    SHARC_AUTO(sharc_freep) uint32_t *hosts = SHARC_NEW_ARRAY(uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        const struct host *one = &h->host[i];
        const struct group *g = &h->group[one->group];
        if (!is_worth_keeping(h, one, now)) continue;
        sharc_time due = sharc__crawl_group_due(g);
        rows[n] = (struct sharc_store_host){.name = sharc__crawl_host_name(one),
                                            .next = due,
                                            .noted = now,
                                            .robots_when = SHARC_TIME_NONE};
        if (due == g->backoff.until) rows[n].backoff = g->backoff.until - g->backoff.last;
        if (one->robots_text) {
            rows[n].robots = sharc_span(one->robots_text, one->robots_size);
            rows[n].robots_when = one->fetched;
            rows[n].robots_status = 200;
        }
        hosts[n++] = (uint32_t)i;
    }
    int r = n == 0      ? 0
            : h->shared ? tell_workers(h, rows, hosts, n, now, reterr)
                        : sharc_store_hosts_put(h->store, rows, n, reterr);
    h->urgent = false;
    if (r == SHARC_ENET) return 0; /* it went away since the commit: the next one waits for it, and tries this again */
    if (n == 0 || r < 0) return r;
    for (size_t i = 0; i < count; i++) {
        free(h->host[i].robots_text);
        h->host[i].robots_text = NULL;
    }
    for (size_t i = 0; i < h->group_count; i++) h->group[i].kept = sharc__crawl_group_due(&h->group[i]);
    return 0;
}
