/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked for before the first page: robots.txt, the lists of URLs that it or the
 * user names, and a page that cannot exist.
 *
 *   robots_txt.c  rules of a host, its delay, its sitemaps
 *   url_lists.c   sitemaps, feeds, OAI-PMH: sources of URLs and of dates
 *   hubs.c        pages of the capture that tell of changes of others: feeds, lists of what is new
 *   soft404.c     what the site shows for pages that are not there
 */
#ifndef SHARC_CRAWL_SOURCES_INT_H
#define SHARC_CRAWL_SOURCES_INT_H

#include "frontier.h"
#include "reach.h"
#include "signals.h"

struct sources {
    const struct context *ctx;
    struct pages *pages;
    struct journal *journal;
    struct agenda *agenda;
    struct hosts *hosts;
    struct frontier *frontier;
    struct reach *reach;
    struct heard *heard;

    unsigned lists; /* read or queued */
    bool probed, sitemaps_found;
    uint8_t soft404[32]; /* digest of the text that is shown for pages that are not there; none: zeros */
    bool has_soft404;
    struct sharc_url url; /* scratch */
};
void sharc__crawl_sources_done(struct sources *s);
/* As the journal has it. */
void sharc__crawl_sources_restore(struct sources *s, unsigned lists);

/* Have robots.txt fetched before anything else, also for the sitemaps it names. */
void sharc__crawl_ask_robots(struct sources *s, uint32_t host);
/* The task becomes the request for its host's robots.txt; via: the page that needs it. */
void sharc__crawl_robots_first(struct sources *s, struct task *t, uint32_t via);
/* robots.txt came, or did not. */
void sharc__crawl_robots(struct sources *s, struct job *j);

/* A sitemap, feed or list to be read before the visits. */
void sharc__crawl_list(struct sources *s, struct sharc_span url, uint32_t via);
bool sharc__crawl_is_list(const struct job *j);
/* Its entries with their dates; what a list of lists names is read next. */
void sharc__crawl_read_list(struct sources *s, const struct job *j);
/* A page was visited, looked at or revisited: a feed, or a hub, tells of other pages. Its links are found already. */
void sharc__crawl_hear_page(struct sources *s, const struct job *j);

/* Ask a host for a page that cannot exist; once. */
void sharc__crawl_probe(struct sources *s, const struct host *h, uint32_t via);
/* The probe's answer. */
void sharc__crawl_probed(struct sources *s, const struct job *j);
/* Does the page say word for word what the site shows for pages that are not there? */
bool sharc__crawl_is_soft404(struct sources *s, const struct job *j);
void sharc__crawl_soft404_restore(struct sources *s, const uint8_t text[32]);

#endif
