/* SPDX-License-Identifier: Apache-2.0
 *
 * A survey: what can be known of a site before it is captured. Earlier captures
 * in a catalogue; robots.txt, the sitemaps it names (or /sitemap.xml), and a small
 * sample of pages, fetched one after the other with a pause in between; nothing is
 * archived. The result is a list of pages with an estimate of how often each
 * changes, and the links among them: what a plan (sim_plan.h) needs.
 */
#ifndef SHARC_CRAWL_SURVEY_H
#define SHARC_CRAWL_SURVEY_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_limits.h"
#include "sharc/http_fetch.h"
#include "sharc/store.h"
#include "sharc/url_scope.h"

SHARC_PRIVATE_BEGIN

enum sharc_survey_source {
    SHARC_SURVEY_SEED,
    SHARC_SURVEY_EARLIER, /* a capture before */
    SHARC_SURVEY_SITEMAP,
    SHARC_SURVEY_LINK, /* found on a page of the sample */
};

struct sharc_survey_page {
    struct sharc_span url, target; /* absolute; and path with query. Live as long as the survey */
    double rate;                   /* changes per second */
    double priority;               /* of a sitemap, 0 to 1; NAN: none */
    uint8_t source;                /* enum sharc_survey_source */
    bool sampled;                  /* was fetched as part of the sample */
};

struct sharc_survey_link {
    uint32_t from, to; /* indices of pages */
};

struct sharc_survey {
    struct sharc_survey_page *pages; /* the seed first */
    size_t count;
    struct sharc_survey_link *links;
    size_t link_count;
    size_t sitemaps;      /* read */
    size_t from_sitemaps; /* pages known from them */
    size_t from_earlier;  /* pages known from an earlier capture */
    size_t watched;       /* of these, with more than one download to compare: in this or other captures */
    struct {
        size_t stated;               /* pages whose last change the sitemaps state */
        size_t right, wrong, missed; /* pages of the sample that state it too: the same, an earlier one, a later one */
    } signals;
    /* What told of changes in earlier captures: "sitemaps", the URL of a feed, or of a page that lists what is new. */
    struct sharc_survey_source_worth {
        const char *source;
        double told, missed; /* changes that were seen, and it had told of or not */
        double right, wrong; /* statements that turned out to be true, or not */
    } * remembered;
    size_t remembered_count;
    size_t sampled;          /* pages in the sample */
    size_t requests;         /* made in all */
    size_t embeds;           /* images, styles, scripts that a capture will need, estimated */
    bool more;               /* a tenth of the pages or more are links that were not followed: the site is larger */
    sharc_time robots_delay; /* what robots.txt asks for */
    sharc_time took;         /* mean time of a download in the sample */
    char note[256];          /* what should be said: robots.txt forbids, …; "" */
    struct sharc__survey_private *private_;
};
void sharc_survey_done(struct sharc_survey *s);

struct sharc_survey_options {
    struct sharc_span url;
    enum sharc_scope_reach reach;
    const char *const *rules; /* of the scope, "+…" include or "-…" exclude, in order */
    size_t rules_count;
    unsigned sample;  /* pages to look at; at least the seed is asked for */
    sharc_time delay; /* pause between two requests; robots.txt may ask for more */
    size_t max_pages; /* known at most */
    bool no_sitemaps, ignore_robots;
    struct sharc_store *store; /* the newest capture in it that has the URL is used; may be NULL */
    struct sharc_clock *clock;
    struct sharc_fetcher *fetcher;                /* NULL: nobody is asked, only the store */
    const volatile bool *stop;                    /* may be NULL */
    void (*progress)(void *arg, size_t requests); /* after each; may be NULL */
    void *arg;
};
#define SHARC_SURVEY_OPTIONS                                                                    \
    {                                                                                           \
        .reach = SHARC_REACH_PREFIX, .sample = 20, .delay = 3 * SHARC_SEC, .max_pages = 1000000 \
    }

/* SHARC_ESYNTAX for anything but an http URL; SHARC_ENOENT when no requests are made and the
 * store does not know the URL; SHARC_ENET when the seed cannot be fetched;
 * SHARC_EROBOTS when robots.txt forbids it; SHARC_EINTR. *ret is the caller's to
 * release. */
int sharc_survey_make(const struct sharc_survey_options *o, struct sharc_survey *ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
