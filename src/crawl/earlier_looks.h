/* SPDX-License-Identifier: Apache-2.0
 *
 * The past of pages that a crawl or a survey has numbered already.
 */
#ifndef SHARC_CRAWL_EARLIER_LOOKS_INT_H
#define SHARC_CRAWL_EARLIER_LOOKS_INT_H

#include "rates.h"
#include "sharc/base_map.h"
#include "sharc/crawl_past.h"

struct known_pages {
    struct sharc_intern *urls;
    bool (*wanted)(const void *arg, uint32_t page); /* NULL: all that are known */
    const void *arg;
    uint32_t *page; /* by number in the past; the caller's to release */
    size_t count, room;
};
int sharc__crawl_past_of_known(struct sharc_store *store, const struct sharc_store_seen_filter *f,
                               struct known_pages *k, struct sharc_rate_past *past, struct sharc_err *reterr);

#endif
