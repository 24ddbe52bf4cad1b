/* SPDX-License-Identifier: Apache-2.0
 *
 * What lists were worth in the captures before: members of a capture's parameters in the catalogue.
 * Sitemaps of a site are one source; a feed or hub is known by its URL.
 */
#ifndef SHARC_CRAWL_SIGNALS_PAST_INT_H
#define SHARC_CRAWL_SIGNALS_PAST_INT_H

#include "sharc/schedule_signals.h"
#include "sharc/store.h"

#define HEARD_SITEMAPS "sitemaps"

struct heard_before {
    char *source;
    struct sharc_signal_counts counts;
};
struct heard_past {
    struct heard_before one[SHARC_SIGNAL_SOURCES];
    size_t count;
};
void sharc__crawl_heard_past_done(struct heard_past *p); /* can be filled again */

/* Of the site's last complete crawl that had any. */
int sharc__crawl_heard_past_read(struct heard_past *p, struct sharc_store *store, sharc_store_id site,
                                 struct sharc_err *reterr);

#endif
