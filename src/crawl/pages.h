/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a site's URLs: how each was found, what became of it, and the version
 * of it that is known. A page's number is that of its URL, which is also the number
 * the strategy knows it by. Others read the rows; only the functions here change them.
 */
#ifndef SHARC_CRAWL_PAGES_INT_H
#define SHARC_CRAWL_PAGES_INT_H

#include "sharc/base_map.h"
#include "version.h"

#define NO_PAGE UINT32_MAX
#define NO_VERSION UINT32_MAX

enum page_state {
    PAGE_REJECTED,  /* reason says why */
    PAGE_WAITING,   /* will be fetched */
    PAGE_DONE,      /* was fetched, or given up: reason */
    PAGE_AFTER_ALL, /* was given up and will be fetched after all, when the strategy has nothing left */
};

enum page_flag {
    PAGE_SEED = 1,
    PAGE_KNOWN_TO_STRATEGY = 2,
    PAGE_FOLLOWER = 4,    /* fetched right after its leader, and revisited with it */
    PAGE_PREPARATION = 8, /* robots.txt, sitemap, probe: no page of the capture */
    PAGE_HOPELESS = 16,
    PAGE_MOVED_SEED = 32, /* reached from a seed by redirects alone */
    PAGE_UNDER_WAY = 64,  /* is being fetched; not written down */
    PAGE_RATED = 128,     /* its rate comes from its own history, and stays */
};

struct page {
    uint32_t via;         /* page that led here, or NO_PAGE */
    uint32_t version;     /* what is known of its content, or NO_VERSION */
    uint32_t first, next; /* its followers, as a list; or NO_PAGE */
    float rate;           /* changes per second */
    float weight;
    uint16_t run;       /* length of the row of alike URLs that led here */
    uint8_t depth;      /* links from a seed; embeds and redirects do not count */
    uint8_t embed_hops; /* embeds inside embeds */
    uint8_t state, flags;
    uint8_t reason; /* enum sharc_crawl_reason */
    char hop;       /* letter of crawl.log's path; 0: seed */
};

/* A URL that was found somewhere, with what is said about it there. */
struct finding {
    struct sharc_span url;
    uint32_t via; /* NO_PAGE: a seed */
    char hop;     /* 0 seed, L link, S form, E embed, X guess, R redirect, M list, I earlier or probe, P robots.txt */
    bool embed;   /* a browser loads it with its page */
    bool source;  /* an entry of a sitemap, feed or list */
    bool earlier; /* known from an earlier capture */
    sharc_time modified;
    char frequency; /* of a sitemap */
    float priority; /* -1: none */
};
/* One that nothing is said about. */
#define FINDING(found, from, letter) \
    ((struct finding){.url = (found), .via = (from), .hop = (letter), .modified = SHARC_TIME_NONE, .priority = -1})

struct pages {
    struct sharc_intern *urls; /* number of a URL is the number of its page */
    struct page *page;
    size_t room;
    uint32_t followers_done; /* visited, so they have a revisit before them */
    struct version *version;
    size_t version_count, version_room;
    struct sharc_intern *etags; /* that versions refer to */
    struct sharc_intern *aside; /* URLs of an earlier capture that no page shows yet; NULL: none */
    struct version *aside_version;
    size_t aside_room;
};
void sharc__crawl_pages_init(struct pages *p);
void sharc__crawl_pages_done(struct pages *p);
size_t sharc__crawl_pages_bytes(const struct pages *p);
/* The page of a URL; *ret_new: it was not known (then zeroed, via, version and
 * followers none). Pointers into the table are valid until the next call. */
uint32_t sharc__crawl_pages_add(struct pages *p, struct sharc_span url, bool *ret_new);

/* How it was found. */
void sharc__crawl_pages_origin(struct pages *p, uint32_t page, const struct finding *f);
/* Links from a seed to a page that is found so. */
unsigned sharc__crawl_pages_depth(const struct pages *p, const struct finding *f);
/* The follower comes with its leader. */
void sharc__crawl_pages_follow(struct pages *p, uint32_t leader, uint32_t follower);
/* All that a journal knows of a page: not its followers and version, and what its
 * strategy knows stays. */
void sharc__crawl_pages_restore(struct pages *p, uint32_t page, const struct page *row);

void sharc__crawl_pages_set_state(struct pages *p, uint32_t page, enum page_state state, uint8_t reason);
void sharc__crawl_pages_set_reason(struct pages *p, uint32_t page, uint8_t reason);
void sharc__crawl_pages_set_rate(struct pages *p, uint32_t page, double rate);
void sharc__crawl_pages_set_weight(struct pages *p, uint32_t page, double weight);
void sharc__crawl_pages_set_run(struct pages *p, uint32_t page, uint16_t run);
void sharc__crawl_pages_mark(struct pages *p, uint32_t page, enum page_flag flag, bool on);

/* The version of a page as it is known now, to be changed and kept; VERSION_NONE. */
struct version sharc__crawl_pages_version(const struct pages *p, uint32_t page);
void sharc__crawl_pages_keep(struct pages *p, uint32_t page, const struct version *v);
/* A version whose page may be found later; true: the page that was found now has it. */
void sharc__crawl_pages_set_aside(struct pages *p, struct sharc_span url, const struct version *v);
bool sharc__crawl_pages_take_aside(struct pages *p, uint32_t page);
/* Number of a validator, SHARC_NO_ID for none. */
uint32_t sharc__crawl_pages_etag(struct pages *p, struct sharc_span etag);

/* The way to a page: "LLRE", the last 50, longer as "12+LLR…"; its length; and where it began,
 * or NO_PAGE when that is no seed. */
void sharc__crawl_pages_path(const struct pages *p, uint32_t page, struct sharc_buf *out);
unsigned sharc__crawl_pages_path_length(const struct pages *p, uint32_t page);
uint32_t sharc__crawl_pages_seed_of(const struct pages *p, uint32_t page);

static inline uint32_t pages_count(const struct pages *p)
{
    return p->urls ? sharc_intern_count(p->urls) : 0;
}
static inline struct sharc_span page_url(const struct pages *p, uint32_t page)
{
    return sharc_intern_text(p->urls, page);
}
static inline const struct version *page_version(const struct pages *p, uint32_t page)
{
    return p->page[page].version == NO_VERSION ? NULL : &p->version[p->page[page].version];
}

#endif
