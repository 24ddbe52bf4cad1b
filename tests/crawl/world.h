/* SPDX-License-Identifier: Apache-2.0
 *
 * A world for tests of the crawler: a virtual clock, a scripted web, a
 * catalogue in memory, an archive in a temporary directory.
 */
#ifndef SHARC_TEST_WORLD_H
#define SHARC_TEST_WORLD_H

#include "test.h"

#include "sharc/crawl.h"
#include "sharc/store_query.h"

/* What the web answers. NULL fields have defaults; times of change make the
 * body (and its ETag) another one each. */
struct web_page {
    const char *url;
    int status;         /* 0: 200 */
    const char *type;   /* NULL: text/html */
    const char *fields; /* further lines with CRLF */
    const char *body;
    const sharc_time *changes; /* since the world began */
    size_t changes_count;
    bool etag;                  /* send one, and answer 304 */
    bool dated;                 /* send Last-Modified: the last change, or a day of 2020 */
    int fails;                  /* the first so many requests … */
    int fail_as;                /* … get this status, or (negative) this enum sharc_fetch_state */
    sharc_time slow;            /* takes so much longer */
    const char *tag;            /* an ETag as it is; with it every conditional request is answered 304 */
    struct sharc_span raw;      /* the body, instead of all above; fields say what it is */
    enum sharc_fetch_state cut; /* how the transfer ends */
};

struct asked {
    char *url;
    sharc_time when; /* since the world began */
    bool conditional;
};

struct world {
    struct sharc_clock_virtual clock;
    sharc_time began;
    struct sharc_fetcher *fetcher;
    struct sharc_store *store;
    char *dir;
    struct sharc_crawl_options o;
    struct sharc_crawl *crawl;
    /* the web */
    struct web_page *pages; /* changed by fails */
    size_t pages_count;
    sharc_time latency;
    sharc_time ahead; /* of our clock that of the servers is */
    struct asked *asked;
    size_t asked_count, asked_room;
    struct sharc_buf message;
    size_t die_at; /* stop (once, or twice when abort_at) when so many were asked; 0: never */
    int stops;
    /* Before each request is answered; asked_count says which it is. */
    void (*at_request)(struct world *w);
    size_t exit_at; /* end the process, with code 77, when so many were asked; 0: never */
    bool real;      /* the clock is that of the system */
    char remarks[4096];
    struct sharc_crawl_reread reread; /* what is read when settings are read again */
    /* Settings of single sites: a URL, a setting, …, NULL; at first, and when they are read again. */
    const char *const *own, *const *own_again;
};

/* The web is copied. Delay 1 s, no probe, no pool, no control downloads. */
void world_init(struct world *w, const struct web_page *pages, size_t n);
void world_done(struct world *w);
/* From now on by the clock of the system, without delays. */
void world_use_real_clock(struct world *w);
/* Make the crawl, give it the seeds (NULL ends), run; returns run's result. */
int world_crawl(struct world *w, ...) __attribute__((sentinel));
/* Free the crawl (and keep archive and catalogue). */
void world_end_crawl(struct world *w);
/* How often a URL was asked for. */
unsigned world_asked(const struct world *w, const char *url);
/* All that was asked, in order: "/robots.txt /a /b", without scheme and host. */
char *world_order(const struct world *w);
struct sharc_crawl_summary world_summary(const struct world *w, size_t site);
/* Reason word in table skipped, or "" when it is not there. */
char *world_skipped(const struct world *w, const char *url);
/* Text of a file of the archive. */
char *world_file(const struct world *w, const char *name);

#endif
