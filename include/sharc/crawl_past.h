/* SPDX-License-Identifier: Apache-2.0
 *
 * What earlier captures say about how often pages change: the looks of a
 * catalogue as a past (rate_past.h).
 */
#ifndef SHARC_CRAWL_PAST_H
#define SHARC_CRAWL_PAST_H

#include "sharc/base.h"
#include "sharc/rate_past.h"
#include "sharc/store_query.h"

SHARC_PRIVATE_BEGIN

struct sharc_crawl_past {
    /* A page begins, with this look: the text of its URL as it lives on at least as
     * long as the past, or none to leave the page out. Pages that are not left out are
     * numbered 0, 1, 2 … in the past. */
    struct sharc_span (*page)(void *arg, const struct sharc_store_seen *seen);
    /* Every look of a page that was not left out, failed ones too; may be NULL. */
    void (*look)(void *arg, const struct sharc_store_seen *seen);
    void *arg;
};
/* Looks of the filter's site, and the captures that ended in that time. */
int sharc_crawl_past_read(struct sharc_store *store, const struct sharc_store_seen_filter *f,
                          const struct sharc_crawl_past *how, struct sharc_rate_past *ret, struct sharc_err *reterr);

/* As the crawler itself reckons rates at that time. */
struct sharc_rate_past_options sharc_crawl_past_options(sharc_time now);

SHARC_PRIVATE_END
#endif
