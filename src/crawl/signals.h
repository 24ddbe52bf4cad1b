/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site says itself of its changes: sitemaps and feeds, read again when the visits end
 * and between parts of second looks and revisits, and held against what downloads show
 * (schedule_signals.h).
 *
 * Feeds that pages name, and hubs (pages that list what is new), are pages of the capture
 * themselves. What proves a page is its visit and its revisit, and nothing in between. So they are
 * asked for again until the first revisit only, by second looks, which then are what is archived of
 * them; and whenever they are downloaded anyway they are read, too.
 *
 *   signals.c         lists, readings, when to read again
 *   signals_pages.c   lists that are pages: which, and what is new in a hub
 *   signals_memory.c  what lists were worth, from one capture to the next
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
#include "signals_past.h"

enum {
    HEARD_LISTS = 200, /* that are read again, at most */
    HEARD_PAGES = 8,   /* of these pages of the capture */
    HEARD_HUBS = 4,    /* of these hubs */
    HEARD_LINKS = 300, /* of a hub */
    HEARD_FEWEST = 3,  /* known pages that a feed which is a page must name; a hub five */
};

struct heard_list {
    uint32_t page;
    uint32_t etag;       /* number in pages.etags; SHARC_NO_ID */
    sharc_time modified; /* SHARC_TIME_NONE */
    unsigned source;
    enum sharc_signal_kind kind;
    bool is_page;   /* of the capture */
    bool asked;     /* for, in the round under way */
    uint32_t round; /* in which it was last read because it was asked for */
    double read;    /* when last, in seconds */
    int64_t since;
    uint32_t *link; /* of a hub, in their order */
    size_t links;
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
    int64_t oldest;           /* date in it */
    uint32_t slots;           /* of the strategy when the lists were last asked for */
    uint32_t rounds;          /* in which they were read again */
    uint32_t requests;        /* made for that */
    uint32_t left;            /* lists of the round that have not come; the capture may be cut off then */
    struct heard_past before; /* before anything else is known, of a capture that goes on, too */
    bool waiting;             /* lists were asked for: what follows waits for them */
    double first;             /* look, in seconds; 0: none */
    double latest;            /* look or reading, in seconds */
};
void sharc__crawl_heard_done(struct heard *h); /* what it was worth stays known */
int sharc__crawl_heard_remember(struct heard *h, struct sharc_store *store, sharc_store_id site,
                                struct sharc_err *reterr);

/* What lists were worth, in the parameters of a capture. */
void sharc__crawl_heard_put(const struct heard *h, struct sharc_json *j);
/* The list is the first of its source: it is trusted as it was before. */
void sharc__crawl_heard_as_before(const struct heard *h, const struct heard_list *l);

/* A list that came: its entries one by one, then all of it. Of those pages that the
 * capture does not know nothing is kept. */
void sharc__crawl_heard_entry(struct heard *h, uint32_t list, uint32_t page, sharc_time stated);
void sharc__crawl_heard_list(struct heard *h, const struct job *j, enum sharc_signal_kind kind);
/* It was downloaded again, and shows the same. */
void sharc__crawl_heard_same(struct heard *h, const struct job *j);
/* A link of a hub that is being read, after those before it; then all of it by …_list. False: no more are wanted. */
bool sharc__crawl_heard_link(struct heard *h, uint32_t page);
/* May the page become a list of that kind? Its entries were told. */
bool sharc__crawl_heard_wants(const struct heard *h, enum sharc_signal_kind kind);
/* Nothing becomes of the entries that were told. */
void sharc__crawl_heard_drop(struct heard *h);
/* What is new in a hub: links that were not there, or stood behind others that now stand behind them. */
typedef void sharc__crawl_news_fn(void *arg, uint32_t page);
void sharc__crawl_news(const uint32_t *before, size_t befores, const struct heard_entry *now, size_t count,
                       sharc__crawl_news_fn *fn, void *arg);
/* The same from the journal. */
void sharc__crawl_heard_again(struct heard *h, const struct heard_reading *r);

/* A page has a new version, or the one it has was revisited. */
void sharc__crawl_heard_saw(struct heard *h, uint32_t page);

/* The strategy is about to plan anew, after this many slots: is it time to read the lists
 * again? At most one request in fifty is for that. True counts as done; `asked` says which.
 * may_look: no revisit was made and second looks are wanted, so pages may be looked at. */
bool sharc__crawl_heard_due(struct heard *h, uint32_t slots, bool may_look);
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
