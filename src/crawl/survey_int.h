/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the survey: what is remembered of a page until its rate is reckoned,
 * and the one request at a time.
 */
#ifndef SHARC_CRAWL_SURVEY_INT_H
#define SHARC_CRAWL_SURVEY_INT_H

#include "sharc/crawl_survey.h"

#include "rates.h"
#include "signals_past.h"

#include "sharc/base_map.h"
#include "sharc/extract.h"
#include "sharc/http_robots.h"
#include "sharc/schedule_signals.h"

struct survey_page {
    uint8_t source;
    bool sampled; /* was looked at */
    bool gone;    /* is no page: redirects, or is not there */
    uint16_t hops;
    float priority; /* of the sitemap; < 0: none */
    double learned; /* rate from earlier downloads; < 0: none */
};

/* Images, styles, scripts: how many pages need each. */
struct survey_embeds {
    struct sharc_intern *urls;
    struct survey_embed {
        uint32_t pages; /* that need it */
        uint32_t last;  /* of these, plus one */
    } * one;
    size_t room;
};

/* Origins with their robots.txt; the first is the seed's. None: robots.txt is ignored. */
struct survey_origins {
    struct survey_origin {
        char *name; /* "https://example.org" */
        struct sharc_robots *rules;
    } * one;
    size_t count, room;
    sharc_time delay; /* the longest that any of them asks for */
    int refused;      /* status by which a site asked to be left alone; 0: none did */
};

struct survey {
    const struct sharc_survey_options *o;
    struct sharc_url seed;
    struct sharc_scope *scope;
    struct survey_origins origins;
    struct sharc_intern *urls; /* of pages, numbered as they are */
    struct survey_page *pages;
    struct sharc_rate_live *live; /* what ages and sitemaps say */
    struct {
        struct sharc_signals *now; /* whether sitemaps and ages say the same; NULL: no sitemap states a change */
        struct heard_past before;  /* what signals were worth in earlier captures */
    } said;
    size_t room;
    struct sharc_survey_link *links;
    size_t link_count, link_room;
    struct survey_embeds embeds;
    struct sharc_page page; /* scratch of the extractor */
    struct sharc_url url;   /* scratch */
    struct sharc_buf body;  /* decoded */
    size_t sitemaps, from_sitemaps, from_earlier, watched, sampled, requests;
    sharc_time due;  /* no request before */
    sharc_time took; /* all downloads of the sample together */
    char note[256];
};

/* One request in its time. The result is the caller's. SHARC_EINTR, or what the
 * fetcher says. */
int sharc__survey_get(struct survey *s, struct sharc_span url, uint64_t max_body, struct sharc_fetch_result **ret,
                      struct sharc_err *reterr);
/* Decode and extract; false when there is nothing to read. */
bool sharc__survey_read(struct survey *s, const struct sharc_fetch_result *r, unsigned want);

/* survey_earlier.c */
/* When the site may be asked, by what the catalogue knows of its host. SHARC_ENET: it asked to be left alone. */
int sharc__survey_recall(struct survey *s, struct sharc_err *reterr);
int sharc__survey_earlier(struct survey *s, struct sharc_err *reterr);
/* survey_origins.c */
/* Do rules that were read already forbid it? */
bool sharc__survey_is_forbidden(const struct survey *s, const struct sharc_url *url);
/* The origin's name, the caller's; are its rules known? */
bool sharc__survey_knows_origin(const struct survey *s, const struct sharc_url *url, char **ret_name);
/* Both are the survey's from now on. */
void sharc__survey_keep_rules(struct survey *s, char *name, struct sharc_robots *rules);
/* The seed's rules; NULL: none were read. */
const struct sharc_robots *sharc__survey_home_rules(const struct survey *s);
void sharc__survey_origins_done(struct survey_origins *o);
/* survey_fetch.c */
int sharc__survey_robots(struct survey *s, struct sharc_err *reterr);
/* May this be asked for, by the robots.txt of its origin? 1 or 0; that file is fetched when it was not yet. */
int sharc__survey_may_ask(struct survey *s, struct sharc_span url, struct sharc_err *reterr);
int sharc__survey_sitemaps(struct survey *s, struct sharc_err *reterr);

/* survey_pages.c */
/* Number of a page in scope, made if it is new; SHARC_NO_ID: out of scope,
 * forbidden or too many. */
uint32_t sharc__survey_page(struct survey *s, struct sharc_span url, enum sharc_survey_source source, unsigned hops);
void sharc__survey_link(struct survey *s, uint32_t from, uint32_t to);
/* A sitemap says so, and the page itself does; either may be SHARC_TIME_NONE. */
void sharc__survey_told(struct survey *s, uint32_t page, sharc_time stated, sharc_time now);
void sharc__survey_saw(struct survey *s, uint32_t page, sharc_time changed, sharc_time now);
/* It says that it last changed then; SHARC_TIME_NONE: it does not. */
void sharc__survey_age(struct survey *s, uint32_t page, sharc_time changed, sharc_time now);

#endif
