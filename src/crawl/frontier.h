/* SPDX-License-Identifier: Apache-2.0
 *
 * Which URLs belong to a capture. Every URL that is found gets a number and a verdict,
 * once; a page that was turned down gets a second chance when it is found nearer to a
 * seed, as part of a page, or when rules and limits change.
 *
 *   admit.c           the verdict, and what follows from it
 *   site_scope.c      the rules of a site: seeds, settings, changes
 *   traps.c           endless rows of URLs, session ids
 *   second_chances.c  rules or limits have changed, or places have become free
 *   media_types.c     scope by media type
 */
#ifndef SHARC_CRAWL_FRONTIER_INT_H
#define SHARC_CRAWL_FRONTIER_INT_H

#include "hosts.h"
#include "output.h"
#include "plan.h"
#include "steering.h"

struct frontier {
    const struct context *ctx;
    const struct steering *steering;
    struct pages *pages;
    struct journal *journal;
    struct rates *rates;
    struct agenda *agenda;
    struct hosts *hosts;
    struct capture *capture;
    struct counters *count;

    struct sharc_scope *scope;
    struct sharc_map64 sessions; /* page, plus one, by its URL without session id */
    bool second_chances;         /* URLs in table skipped were let in after all */
    uint32_t made_room;          /* pages given up, for which URLs beyond the limit of pages were looked at again */
    struct sharc_url url;        /* scratch */
    struct sharc_buf scratch;
};
void sharc__crawl_frontier_init(struct frontier *f); /* the pointers are set already */
void sharc__crawl_frontier_done(struct frontier *f);

/* --- admit.c ------------------------------------------------------------------ */

/* A URL was found. Its page, or NO_PAGE when it is no URL at all. */
uint32_t sharc__crawl_found(struct frontier *f, const struct finding *found);
/* A page outside of the capture's pages: robots.txt, a list, the probe. */
uint32_t sharc__crawl_found_preparation(struct frontier *f, struct sharc_span url, uint32_t via, char hop);
/* What the scope has against it, as the rules are now. */
enum sharc_crawl_reason sharc__crawl_shut_out(struct frontier *f, uint32_t page);
/* Decide anew about a page that was turned down: true when it is let in. */
bool sharc__crawl_decide_anew(struct frontier *f, uint32_t page);
/* A page that was to be fetched is not. */
void sharc__crawl_skip(struct frontier *f, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail);
/* A page could not be fetched; the download itself has its line in the log. */
void sharc__crawl_failed(struct frontier *f, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail);
/* A page that was skipped will be fetched: take it off the count. */
void sharc__crawl_unskip(struct frontier *f, uint32_t page, enum page_state state);
/* A capture was resumed: URLs with session ids that it has. */
void sharc__crawl_remember_sessions(struct frontier *f);
/* The journal lets a page in that it turned down before. */
void sharc__crawl_had_second_chance(struct frontier *f);
/* What is known of its age and stated rate goes to the journal. */
void sharc__crawl_note_age_of(struct frontier *f, uint32_t page);

/* --- site_scope.c --------------------------------------------------------------- */

int sharc__crawl_scope_seed(struct frontier *f, const struct sharc_url *seed, struct sharc_err *reterr);
/* A seed that moved takes its scope with it. */
void sharc__crawl_scope_moved_seed(struct frontier *f, const struct sharc_url *to);
/* The rules of settings and changes, behind those of the seeds. */
int sharc__crawl_scope_rules(struct frontier *f, struct sharc_err *reterr);
/* One more rule, while running. */
void sharc__crawl_scope_add(struct frontier *f, char sign, struct sharc_span rule);
/* All of it anew, from seeds (and where they have moved to), settings and changes. */
int sharc__crawl_scope_anew(struct frontier *f, struct sharc_err *reterr);

/* --- traps.c ----------------------------------------------------------------------- */

struct shape {
    uint64_t print; /* of the URL with every run of digits as one sign */
    bool numbers, dated;
};
struct shape sharc__crawl_shape(struct sharc_span url);
/* Of the URL without its session id; 0: it has none. */
uint64_t sharc__crawl_session(struct sharc_span url, struct sharc_buf *scratch);

/* --- second_chances.c ---------------------------------------------------------------- */

/* Scope or limits have changed: look again at all URLs that were turned down or given up. How
 * many are let in. */
uint64_t sharc__crawl_reconsider(struct frontier *f);
/* The strategy has nothing left: may URLs that were beyond the limit of pages take the place of
 * others that were given up? True when some are let in. */
bool sharc__crawl_make_room(struct frontier *f);

/* --- media_types.c --------------------------------------------------------------------- */

/* Is the body of this answer wanted? */
bool sharc__crawl_type_wanted(const struct context *c, const struct sharc_fetch_result *r);

#endif
