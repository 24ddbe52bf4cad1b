/* SPDX-License-Identifier: Apache-2.0
 *
 * The budget of memory. What counts is what the process has resident; what waits is what
 * would take more: sites that have not begun, and large pages, which are processed one at a time
 * then. What a site that has begun knows stays in memory until it is done, so a budget that its
 * running sites have used up is exceeded by what they go on to find.
 */
#include "crawl_log.h"
#include "engine.h"

#include <malloc.h>

#define LOOK_EVERY (200 * SHARC_MSEC)
#define TRIM_EVERY (5 * SHARC_SEC)
#define HELD_MOST ((uint64_t)64 << 20) /* bytes of large pages between pool and application */
enum { HELD_SHARE = 8 };               /* of the budget, at most */

void sharc__crawl_memory_begin(struct sharc_crawl *c)
{
    const uint64_t share = c->ctx.o.memory / HELD_SHARE;
    c->memory.held_most = share && share < HELD_MOST ? share : HELD_MOST;
    c->jobs.budget = c->memory.held_most;
}

static void look(struct sharc_crawl *c, sharc_time now)
{
    struct memory *m = &c->memory;
    m->scarce = sharc__crawl_resident() >= c->ctx.o.memory;
    m->looked = now;
    /* The heap keeps what was freed: what large pages took is given back before anybody waits for it. */
    if (m->scarce && (m->trimmed == 0 || now - m->trimmed >= TRIM_EVERY)) {
        malloc_trim(0);
        m->trimmed = now;
        m->scarce = sharc__crawl_resident() >= c->ctx.o.memory;
    }
    c->jobs.budget = m->scarce ? 0 : m->held_most;
}

bool sharc__crawl_memory_is_scarce(struct sharc_crawl *c)
{
    sharc_time now = crawl_now(&c->ctx);
    if (!c->ctx.o.memory) return false;
    if (c->memory.looked == 0 || now - c->memory.looked >= LOOK_EVERY) look(c, now);
    return c->memory.scarce;
}

void sharc__crawl_memory_tell(struct sharc_crawl *c)
{
    if (c->memory.told) return;
    c->memory.told = true;
    sharc__crawl_remark(&c->ctx, "%zu sites wait: the crawl takes %.0f MB, and setting \"memory\" allows %.0f",
                        c->sites - c->begun, (double)sharc__crawl_resident() / 1e6, (double)c->ctx.o.memory / 1e6);
}
