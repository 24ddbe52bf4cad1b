/* SPDX-License-Identifier: Apache-2.0
 *
 * A sitemap, feed or hub that was read, as the journal has it.
 */
#ifndef SHARC_CRAWL_READING_INT_H
#define SHARC_CRAWL_READING_INT_H

#include "journal.h"

/* What a list says of a page that it did not say before; and all that it said then. Of a hub all its
 * links in their order, without dates. */
struct heard_entry {
    uint32_t page;
    int64_t stated; /* seconds */
};
#define HEARD_EVER INT64_MIN
#define HEARD_NEVER INT64_MAX
struct heard_reading {
    uint32_t page, kind, slots; /* the list, enum sharc_signal_kind, slots when it was asked for again */
    bool asked;                 /* again, for its own sake; a page is also visited and revisited */
    bool is_page;               /* of the capture */
    uint32_t left;              /* lists that were asked for with it and have not come yet */
    sharc_time when, modified;
    int64_t since; /* seconds: the oldest date in it; HEARD_EVER: it tells of all changes, HEARD_NEVER: of none */
    struct sharc_span etag;
    const struct heard_entry *entry;
    size_t count;
};
void sharc__crawl_note_heard(struct journal *j, const struct heard_reading *r);

#endif
