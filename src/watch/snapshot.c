/* SPDX-License-Identifier: Apache-2.0
 *
 * Once in a while a whole site is captured, visit and revisit: single looks show how pages change, such a burst shows
 * all of them at one instant. It is a capture of its own, made by the crawler; the watch waits meanwhile. Its requests
 * come on top of the budget.
 */
#include "watching.h"

#include <stdlib.h>

#define TRY_AGAIN SHARC_HOUR

/* The site whose turn it is, if any; else when the next one's turn comes. */
static uint32_t whose_turn(struct sharc_watching *w, sharc_time now)
{
    uint32_t first = SHARC_NO_ID;
    sharc_time next = NEVER;
    for (uint32_t i = 0; i < w->sites; i++) {
        const struct site *s = &w->site[i];
        if (s->look == SHARC_NO_ID || s->pages == 0) continue;
        sharc_time at = s->snapshot == SHARC_TIME_NONE ? now : s->snapshot + w->o.snapshot;
        if (at <= now && first == SHARC_NO_ID) first = i;
        if (at < next) next = at;
    }
    w->next_snapshot = next;
    return first;
}

static int seed(struct sharc_watching *w, uint32_t site, struct sharc_crawl *crawl, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < w->count && r == 0; i++) {
        const struct page *p = &w->pages[i];
        if (p->on && p->site == site && p->found == SHARC_FOUND_NAMED)
            r = sharc_crawl_seed(crawl, sharc_looks_url(w->looks, p->look), reterr);
    }
    return r;
}

static int capture(struct sharc_watching *w, uint32_t site, struct sharc_err *reterr)
{
    struct sharc_crawl_options o = w->o.crawl;
    const struct sharc_crawl_world world = {.clock = w->world.clock,
                                            .fetcher = w->world.fetcher,
                                            .store = w->world.store,
                                            .remark = w->world.remark,
                                            .arg = w->world.arg};
    struct sharc_crawl_status status = {0};
    struct sharc_crawl *crawl = NULL;
    o.purpose = SHARC_FOR_EVIDENCE;
    o.locked = true;
    o.control = false;
    o.sources_count = 0;
    int r = sharc_crawl_new(&o, &world, &crawl, reterr);
    if (r == 0) r = seed(w, site, crawl, reterr);
    w->burst = crawl;
    if (r == 0 && atomic_load(&w->stop) == 0) r = sharc_crawl_run(crawl, reterr);
    w->burst = NULL;
    if (crawl) sharc_crawl_status(crawl, &status);
    sharc_crawl_free(crawl);
    w->counts.snapshots++;
    sharc__watching_event(w, (struct sharc_watching_event){.kind = SHARC_WATCHING_SNAPSHOT,
                                                           .site = sharc_looks_site_name(w->looks, w->site[site].look),
                                                           .count = status.downloads,
                                                           .text = r == SHARC_ENET
                                                                       ? "the site could not be reached to its end"
                                                                       : NULL});
    return r;
}

int sharc__watching_snapshots(struct sharc_watching *w, struct sharc_err *reterr)
{
    const sharc_time now = watching_now(w);
    if (w->o.snapshot <= 0 || now < w->next_snapshot || w->paused || w->blocked) return 0;
    const uint32_t site = whose_turn(w, now);
    if (site == SHARC_NO_ID) return 0;
    w->next_snapshot = now; /* until nothing is under way */
    if (sharc_looks_pending(w->looks) > 0) {
        w->next_snapshot = now + SHARC_SEC;
        return 0;
    }
    int r = sharc_looks_turn_over(w->looks, reterr);
    if (r < 0) return r;
    r = capture(w, site, reterr);
    if (r < 0 && r != SHARC_EINTR && r != SHARC_ENET) return r;
    /* One that was cut off is taken up by the next, an hour later. */
    w->site[site].snapshot = r == 0 ? watching_now(w) : watching_now(w) - w->o.snapshot + TRY_AGAIN;
    w->state_changed = true;
    sharc_looks_pause(w->looks);
    (void)whose_turn(w, watching_now(w));
    return 0;
}
