/* SPDX-License-Identifier: Apache-2.0
 *
 * The living site: a web site on loopback whose pages really change while it is
 * being crawled, and a log of the truth to judge the crawl by.
 *
 *   struct sharc_lab_options o = SHARC_LAB_OPTIONS;
 *   o.truth = "truth.jsonl";
 *   sharc_lab_start(&o, &lab, &err);          sharc_lab_url(lab): where
 *   while (…) sharc_lab_tick(lab, &err);       some times a second
 *   sharc_lab_stop(lab);
 *
 * Two kinds of site. A synthetic one: a tree of pages with links across,
 * images, a style sheet, a sitemap that is renewed now and then, a feed,
 * redirects, links that lead nowhere, a page that robots.txt forbids. Each page
 * is edited by a Poisson process of its own with skewed rates; some pages count
 * their visitors in a corner, which changes their bytes but not what they say;
 * now and then a section gets a new layout. Or a recorded history: the pages,
 * links, changes, births and removals of a dataset, played faster than they
 * happened, with generated bodies.
 *
 * The body of an HTML page or image in a version is a pure function of the
 * options and the version (sharc_lab_body), so an archived body can be checked
 * against the truth. When things happen depends only on the options and the
 * instant of the start.
 *
 * With noise (lab_mix.h) a body is a function of the version and the request. sharc_lab_body
 * and the log then describe the quiet body, in which the places of noise are empty, and the
 * log has a line for every answer with the digest of what was sent and its version. An edit
 * inside a place of noise leaves the quiet body as it was.
 *
 * Validators are right for the version, unless faults are asked for: the ETag is new with
 * every new body; pages with noise have weak ones.
 * Last-Modified is left out in the second in which a page changed, since it could
 * not tell what comes later in that second from what is there now. Some pages
 * come without either, as scripts often make them.
 */
#ifndef SHARC_LAB_H
#define SHARC_LAB_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_limits.h"
#include "sharc/lab_mix.h"
#include "sharc/sim.h"

SHARC_PRIVATE_BEGIN

/* Times are those of the site's own clock, which runs `speed` times as fast as
 * the real one. */
struct sharc_lab_options {
    double speed; /* > 0 */
    /* a synthetic site */
    uint64_t seed;
    uint32_t pages;                   /* HTML pages: 10 … SHARC_LIMIT_LAB_PAGES */
    double skew;                      /* page of heat rank i (from 0): 1 / (hottest · (i+1)^skew) edits per second */
    sharc_time hottest;               /* time between two edits of the hottest page */
    double counters;                  /* share of the pages that count visitors */
    sharc_time counter_every;         /* time between two new numbers there */
    sharc_time layout_every;          /* time between two new layouts, any section; 0: never */
    struct sharc_sim_signals signals; /* what sitemap and feed tell of edits; not on: of all. Late: by sitemap_every */
    sharc_time sitemap_every; /* the sitemap is written anew, at most once in a real second; 0: only at the start */
    uint32_t words;           /* of fixed text on a page: an edit is a small part of it */
    /* both kinds of site */
    uint32_t edits;              /* kinds that happen, SHARC_LAB_BIT(…); pages draw among them */
    struct sharc_lab_mix noise;  /* share of the pages that carries each */
    struct sharc_lab_mix faults; /* share of pages and files served so; of kind cut: of the requests */
    /* or a recorded history; the dataset must outlive the site */
    const struct sharc_dataset *dataset;
    double from, to; /* seconds since 1970: starts as it was at `from`, rests from `to` on */
    /* the server */
    const char *address;  /* numeric */
    uint16_t port;        /* 0: any free one */
    const char *truth;    /* file for the log of the truth, NULL: none */
    const char *requests; /* file for a log of requests, NULL: none */
    struct sharc_clock *clock;
};
#define SHARC_LAB_OPTIONS                                                                                 \
    {                                                                                                     \
        .speed = 1, .seed = 1, .pages = 300, .skew = 1, .hottest = 20 * SHARC_SEC, .counters = 0.1,       \
        .counter_every = 5 * SHARC_SEC, .layout_every = 10 * SHARC_MINUTE, .sitemap_every = SHARC_MINUTE, \
        .words = 600, .edits = SHARC_LAB_EDITS_USUAL, .address = "127.0.0.1"                              \
    }

struct sharc_lab;
/* The site is being served when this returns. The logs are made anew.
 * SHARC_EINVAL when an option makes no sense, else what the server or the files
 * say. */
int sharc_lab_start(const struct sharc_lab_options *o, struct sharc_lab **ret, struct sharc_err *reterr);
void sharc_lab_stop(struct sharc_lab *l); /* writes the logs to their end; NULL is fine */
void sharc_lab_stopp(struct sharc_lab **l);
const char *sharc_lab_url(const struct sharc_lab *l); /* of the front page */

/* Let everything happen that is due by now, and write the logs out. Requests do
 * the former themselves: what is served and what is logged always agree. An
 * error of a log is returned once and the log given up. */
int sharc_lab_tick(struct sharc_lab *l, struct sharc_err *reterr);

struct sharc_lab_totals {
    size_t pages, files;                         /* HTML pages; images, style sheet, sitemap, … */
    uint64_t edits, layouts, counters, renewals; /* versions made: pages and images edited, pages with a new
                                                      layout or number, sitemaps and feeds written */
    uint64_t born, gone;                         /* pages that came and went */
    uint64_t requests, not_modified, not_found, redirects;
    double per_minute; /* edits of pages and images expected per real minute */
};
struct sharc_lab_totals sharc_lab_totals(struct sharc_lab *l);

/* --- truth ---------------------------------------------------------------- */

/* A version of a page: how often each part of it was renewed. */
struct sharc_lab_version {
    uint32_t edit, layout, counter;
};
/* The body of the page at that path in that version, appended to out.
 * SHARC_ENOENT: no such path, or its body is not a pure function (sitemap, feed,
 * robots.txt). Thread-safe. */
int sharc_lab_body(const struct sharc_lab *l, struct sharc_span path, struct sharc_lab_version version,
                   struct sharc_buf *out, struct sharc_err *reterr);

/* The log of the truth: JSON lines, those of a path in the order of time, one for each path at
 * the start (cause "start") and one for each new version. Of the visitors that a page counts while
 * nobody asks for it only the last makes a version, which is noted when the page is asked for or edited:
 *
 *   time         when the version began: 2026-11-16T00:01:02.345678Z
 *   path         "/garden/rose-12.html", with its query if it has one
 *   version      0, 1, 2, … of this path
 *   cause        start, edit, layout, counter, renewal, born, gone
 *   kind         of an edit, a word of SHARC_LAB_EDITS
 *   significant  false for counter (no reader would call it a change) and for edits inside noise
 *   edit, layout, counter   of this version
 *   status       200; 404 for gone; 301 for redirects, which never change
 *   bytes, sha256 of the quiet body; both only with 200
 *   state        16 hexadecimal digits, equal for versions that say the same, counters apart
 *   noise        at the start: list of the words of SHARC_LAB_NOISES that the page carries
 *
 * On a site with noise or faults also one for each answer with a page: time, path, version,
 * cause "served", status (200, 304), sha256 of the body, "coded" that of the body as it was
 * sent when it is coded, "cut" the bytes after which it broke off (the digests are of the part).
 *
 * The log of requests likewise: time, method, target, status, version (of a page
 * served or confirmed by 304), bytes, agent. */

SHARC_PRIVATE_END
#endif
