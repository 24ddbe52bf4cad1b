/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks: single pages downloaded politely, compared with the version before, and recorded; which page
 * and when is the caller's. It is the crawler without its plan: the same hosts with their pauses and
 * robots.txt, the same records, rows, logs, the same order in which things become durable.
 *
 *   sharc_looks_new(&options, &world, &l, &err);          takes the archive's lock
 *   sharc_looks_site(l, url, &site, &err);                 its capture: begun, or taken up
 *   page = sharc_looks_page(l, site, url, NULL);
 *   while (…) {
 *       if (sharc_looks_due(l, page) <= now) sharc_looks_start(l, page, SHARC_LOOKS_PAGE, &err);
 *       if (sharc_looks_wait(l, until, &looked, &err) > 0) { … rows of the caller into sharc_looks_batch(l) … }
 *       sharc_looks_commit(l, &err);
 *   }
 *   sharc_looks_finish(l, &err);
 *
 * A look that brought nothing new is a revisit record; every other answer is stored as it came. What is
 * committed survives a kill; what is not is cut off the files when the archive is opened again, as if
 * that look had never been made.
 */
#ifndef SHARC_CRAWL_LOOKS_H
#define SHARC_CRAWL_LOOKS_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/change.h"
#include "sharc/crawl.h"
#include "sharc/extract.h"
#include "sharc/store.h"
#include "sharc/store_watch.h"
#include "sharc/store_write.h"

SHARC_PRIVATE_BEGIN

struct sharc_looks;

/* purpose must be SHARC_FOR_WATCHING; strategy is a word for records and rows. Of the options those about
 * order and scope mean nothing here. With a job in the options it watches one site, as a worker: hosts take turns with
 * those of others, files are named after the claim, those of the claim before are taken over; the caller has the
 * archive's lock (options.locked) and a store with a fence. */
int sharc_looks_new(const struct sharc_crawl_options *o, const struct sharc_crawl_world *w, const char *strategy,
                    struct sharc_looks **ret, struct sharc_err *reterr);
/* Without sharc_looks_finish it leaves the archive as a kill would. */
void sharc_looks_free(struct sharc_looks *l);

/* --- sites and pages ------------------------------------------------------------- */

/* The site of a URL, as a crawl would name it, with its capture of the purpose "watch": the one there is in
 * the archive, or a new one. SHARC_ESYNTAX for anything but an http URL, SHARC_EACCESS for a literal
 * address that is private. */
int sharc_looks_site(struct sharc_looks *l, struct sharc_span url, uint32_t *ret, struct sharc_err *reterr);
const char *sharc_looks_site_name(const struct sharc_looks *l, uint32_t site);
sharc_store_id sharc_looks_capture(const struct sharc_looks *l, uint32_t site);

/* The page of a URL; *ret_new (may be NULL): it was not known. The first site it is said to be of holds. */
uint32_t sharc_looks_page(struct sharc_looks *l, uint32_t site, struct sharc_span url, bool *ret_new);
struct sharc_span sharc_looks_url(const struct sharc_looks *l, uint32_t page);
uint32_t sharc_looks_site_of(const struct sharc_looks *l, uint32_t page);
/* Pages with one number here have one pause. */
uint32_t sharc_looks_host_of(const struct sharc_looks *l, uint32_t page);
/* What the catalogue knows of the pages of all sites: their last versions. Before the first look. */
int sharc_looks_recall(struct sharc_looks *l, struct sharc_err *reterr);

/* What robots.txt of its hosts said, as bytes to be kept; and what of them still holds. Others are ignored. */
int sharc_looks_save_robots(const struct sharc_looks *l, struct sharc_buf *out, struct sharc_err *reterr);
void sharc_looks_restore_robots(struct sharc_looks *l, struct sharc_span bytes);

/* --- downloads ------------------------------------------------------------------------ */

enum sharc_looks_kind {
    SHARC_LOOKS_PAGE,
    SHARC_LOOKS_CONTROL, /* once more, right after a look that differed: what differs on every request? */
    SHARC_LOOKS_LIST,    /* a sitemap or feed, for what it says */
    SHARC_LOOKS_ROBOTS,  /* asked for before any other of its host */
};

/* When the host of a page may be asked: in the past or now, later, or INT64_MAX while a download from
 * there is under way. */
sharc_time sharc_looks_due(const struct sharc_looks *l, uint32_t page);
/* Begin a download. 1: not yet. robots.txt of its host has to be known first, and is asked for instead: ask again after
 * its result; or another worker has the host's turn: ask again when sharc_looks_due says. SHARC_EROBOTS: it does not
 * allow the page. */
int sharc_looks_start(struct sharc_looks *l, uint32_t page, enum sharc_looks_kind kind, struct sharc_err *reterr);

/* What a download showed. Pointers live until the next sharc_looks_wait. */
struct sharc_looked {
    uint32_t page;
    enum sharc_looks_kind kind;
    struct sharc_store_watch_look look; /* capture, url, times, what was shown; why is the caller's */
    /* It changed, and nobody knows whether it differs so on every request: a control would tell. */
    bool doubtful;
    bool explained;                   /* of a control: the change of the look before it was noise */
    const struct sharc_page *content; /* links and text; NULL: none */
    struct sharc_span body, type, location;
    bool away;      /* the host cannot be reached, or asked to be left alone: says nothing of the page */
    char text[256]; /* one sentence when it failed */
};
/* Wait for a download to end: 1 and *ret; 0: `until` has come (SHARC_TIME_NONE: as long as it takes), or somebody
 * called sharc_fetcher_wake. SHARC_ENOSPC: there was no room for the records of one; it is kept, and tried again by the
 * next call. */
int sharc_looks_wait(struct sharc_looks *l, sharc_time until, struct sharc_looked *ret, struct sharc_err *reterr);
size_t sharc_looks_pending(const struct sharc_looks *l);
/* From now on a catalogue that is away is not waited for: what needs it fails. From any thread. */
void sharc_looks_hurry(struct sharc_looks *l);
/* Stop what is under way; each still gives its result. */
void sharc_looks_abort(struct sharc_looks *l);

/* --- safety ----------------------------------------------------------------------------- */

/* For rows that are to be committed with the looks. */
struct sharc_store_batch *sharc_looks_batch(struct sharc_looks *l);
/* Everything so far, to be found again after a kill: files synced, then one transaction. SHARC_ENOSPC: nothing is
 * lost, try again when there is room. */
int sharc_looks_commit(struct sharc_looks *l, struct sharc_err *reterr);
/* The instant at which a commit is due; SHARC_TIME_NONE: there is nothing to commit. */
sharc_time sharc_looks_commit_due(const struct sharc_looks *l);
/* Close the files of now, index them, and go on with new ones. Nothing may be under way. */
int sharc_looks_turn_over(struct sharc_looks *l, struct sharc_err *reterr);
/* Pause before the next request to all hosts, as after one: somebody else has asked them. */
void sharc_looks_pause(struct sharc_looks *l);
/* The end of a run: captures get this state, files are closed and indexed. */
int sharc_looks_finish(struct sharc_looks *l, enum sharc_capture_state state, struct sharc_err *reterr);
/* Take over a new pace for all hosts. */
void sharc_looks_set_pace(struct sharc_looks *l, const struct sharc_crawl_pace *pace);

SHARC_PRIVATE_END
#endif
