/* SPDX-License-Identifier: Apache-2.0
 *
 * What every part may read: the options of the crawl and the world it runs in.
 * Pace and rules may change while it runs; only context.c changes them.
 */
#ifndef SHARC_CRAWL_CONTEXT_INT_H
#define SHARC_CRAWL_CONTEXT_INT_H

#include "sharc/base_buf.h"
#include "sharc/crawl.h"

struct context {
    struct sharc_crawl_options o;
    struct sharc_crawl_world w;
    char **owned; /* texts of the options */
    size_t owned_count, owned_room;
};
void sharc__crawl_context_init(struct context *c, const struct sharc_crawl_options *o,
                               const struct sharc_crawl_world *w);
void sharc__crawl_context_done(struct context *c);

void sharc__crawl_set_pace(struct context *c, const struct sharc_crawl_pace *pace);
/* The capture that its job goes on with is known now. */
void sharc__crawl_set_capture(struct context *c, sharc_store_id capture);
/* Instead of the rules before. */
void sharc__crawl_set_rules(struct context *c, const char *const *rules, size_t n);

/* Attempts for one URL. */
static inline unsigned crawl_tries(const struct context *c)
{
    return c->o.tries ? c->o.tries : 4;
}
static inline sharc_time crawl_now(const struct context *c)
{
    return c->w.clock->now(c->w.clock);
}
/* Says something to the person who runs the crawl. */
void sharc__crawl_remark(const struct context *c, const char *fmt, ...) SHARC_PRINTF(2, 3);

#endif
