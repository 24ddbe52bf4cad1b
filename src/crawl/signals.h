/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site says itself of its changes: sitemaps and feeds, read again when the visits end
 * and between parts of second looks and revisits, and held against what downloads show
 * (schedule_signals.h). Only lists that are no pages of the capture are read again: what
 * proves a page is its visit and its revisit, and nothing in between.
 *
 * Everything here follows from events of the journal: a list that was read (q) and the
 * versions of pages (s), so a capture that is resumed believes the same.
 */
#ifndef SHARC_CRAWL_SIGNALS_INT_H
#define SHARC_CRAWL_SIGNALS_INT_H

#include "context.h"
#include "download.h"
#include "pages.h"
#include "rates.h"
#include "reading.h"
#include "sharc/base_json.h"
#include "sharc/schedule_signals.h"

enum { HEARD_LISTS = 200 }; /* that are read again, at most */

struct heard_list {
    uint32_t page;
    uint32_t etag;       /* number in pages.etags; SHARC_NO_ID */
    sharc_time modified; /* SHARC_TIME_NONE */
    unsigned source;
};

/* What a list was worth in the captures before. */
struct heard_before {
    char *source;
    struct sharc_signal_counts counts;
};

struct heard {
    struct pages *pages;
    struct journal *journal;
    struct sharc_signals *signals;    /* NULL: no list was read */
    struct sharc_rate_places *places; /* NULL: not asked for yet */
    struct heard_list *list;
    size_t count, room;
    uint32_t *list_of; /* by page: number of the list that speaks of it, + 1 */
    size_t list_room, listed;
    struct heard_entry *entry; /* of the list that is being read, those with news */
    size_t entries, entry_room;
    uint32_t slots;    /* of the strategy when the lists were last asked for */
    uint32_t rounds;   /* in which they were read again */
    uint32_t requests; /* made for that */
    struct heard_before before[SHARC_SIGNAL_SOURCES];
    size_t befores;
    bool waiting;  /* lists were asked for: what follows waits for them */
    double first;  /* look, in seconds; 0: none */
    double latest; /* look or reading, in seconds */
};
void sharc__crawl_heard_done(struct heard *h); /* what it was worth stays known */

/* What lists were worth, in the parameters of a capture, and in those of the site's last complete one: before
 * anything else, of a capture that goes on, too. */
void sharc__crawl_heard_put(const struct heard *h, struct sharc_json *j);
int sharc__crawl_heard_remember(struct heard *h, struct sharc_store *store, sharc_store_id site,
                                struct sharc_err *reterr);
void sharc__crawl_heard_forget(struct heard *h);
/* The list is the first of its source: it is trusted as it was before. */
void sharc__crawl_heard_as_before(const struct heard *h, const struct heard_list *l);

/* A list that came: its entries one by one, then all of it. Of those pages that the
 * capture does not know nothing is kept. */
void sharc__crawl_heard_entry(struct heard *h, uint32_t list, uint32_t page, sharc_time stated);
void sharc__crawl_heard_list(struct heard *h, const struct job *j, enum sharc_signal_kind kind);
/* It was asked for again, and not modified. */
void sharc__crawl_heard_same(struct heard *h, const struct job *j);
/* The same from the journal. */
void sharc__crawl_heard_again(struct heard *h, const struct heard_reading *r);

/* A page has a new version, or the one it has was revisited. */
void sharc__crawl_heard_saw(struct heard *h, uint32_t page);

/* The strategy is about to plan anew, after this many slots: is it time to read the lists
 * again? At most one request in fifty is for that. True counts as done. */
bool sharc__crawl_heard_due(struct heard *h, uint32_t slots);
/* All that was asked for has come. */
void sharc__crawl_heard_settled(struct heard *h);
/* The list of that page, to ask only for a newer one; NULL: none. */
const struct heard_list *sharc__crawl_heard_list_of(const struct heard *h, uint32_t page);
/* What the lists were worth, all together. */
void sharc__crawl_heard_worth(const struct heard *h, struct sharc_crawl_summary *ret);
/* For sharc-focus: which pages have probably changed since they were seen. */
double sharc__crawl_heard_believe(void *heard, const sharc_page_no *page, const double *rate, uint32_t n,
                                  double *ret_still);

#endif
