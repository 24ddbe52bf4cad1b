/* SPDX-License-Identifier: Apache-2.0
 *
 * Several workers, one pause. Before a request its turn is taken in the catalogue; that holds the host for
 * HOLD, so that nobody asks it while the answer is on its way. When the answer is there the pause
 * begins, for everybody, by the catalogue's clock. A worker that dies with a turn lets the host rest for HOLD.
 */
#include "hosts.h"

#include <stdlib.h>

#define HOLD (20 * SHARC_SEC)
#define AWAY_PAUSE SHARC_SEC

void sharc__crawl_hosts_share(struct hosts *h)
{
    h->shared = h->store != NULL;
}

/* Hosts that share a pause share one name for it: that of the first one in the settings. A host alone has its own. */
struct sharc_span sharc__crawl_host_turns(struct hosts *h, uint32_t host)
{
    struct group *g = &h->group[h->host[host].group];
    for (uint32_t i = 0; !g->turns && i < sharc_intern_count(h->names); i++)
        if (h->group_of[i] == h->host[host].group) g->turns = sharc_span_dup(sharc_intern_text(h->names, i));
    return g->turns ? sharc_span_of(g->turns) : sharc__crawl_host_name(&h->host[host]);
}

static bool takes_turns(const struct hosts *h, uint32_t host, const struct sharc_crawl_pace *pace)
{
    return h->shared && (pace->delay > 0 || h->group[h->host[host].group].crawl_delay > 0);
}

/* Without the catalogue nobody asks anybody. */
static int away(struct hosts *h, int r, sharc_time *ret_wait)
{
    if (r != SHARC_ENET) return r;
    (void)sharc_store_reconnect(h->store, NULL);
    *ret_wait = AWAY_PAUSE;
    return 0;
}

int sharc__crawl_host_turn(struct hosts *h, uint32_t host, const struct sharc_crawl_pace *pace, sharc_time *ret_wait,
                           struct sharc_err *reterr)
{
    struct group *g = &h->group[h->host[host].group];
    if (!takes_turns(h, host, pace)) return 1;
    int r = sharc_store_host_turn(h->store, sharc__crawl_host_turns(h, host), HOLD, &g->ticket, ret_wait, reterr);
    return r < 0 ? away(h, r, ret_wait) : r;
}

int sharc__crawl_host_rests(struct hosts *h, uint32_t host, const struct sharc_crawl_pace *pace, sharc_time now,
                            struct sharc_err *reterr)
{
    const struct group *g = &h->group[h->host[host].group];
    sharc_time due = sharc__crawl_group_due(g), none;
    if (!takes_turns(h, host, pace)) return 0;
    int r = sharc_store_host_rest(h->store, sharc__crawl_host_turns(h, host), g->ticket, due > now ? due - now : 0, 0,
                                  reterr);
    return r < 0 ? away(h, r, &none) : 0; /* if it cannot be told, the hold lasts */
}
