/* SPDX-License-Identifier: Apache-2.0
 *
 * A sitemap or feed that was read, as the journal has it.
 */
#ifndef SHARC_CRAWL_READING_INT_H
#define SHARC_CRAWL_READING_INT_H

#include "journal.h"

/* What a list says of a page that it did not say before; and all that it said then. */
struct heard_entry {
    uint32_t page;
    int64_t stated; /* seconds */
};
struct heard_reading {
    uint32_t page, kind, slots; /* the list, enum sharc_signal_kind, slots when it was asked for again */
    sharc_time when, modified;
    struct sharc_span etag;
    const struct heard_entry *entry;
    size_t count;
};
void sharc__crawl_note_heard(struct journal *j, const struct heard_reading *r);

#endif
