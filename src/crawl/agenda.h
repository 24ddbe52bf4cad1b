/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site has to do: the strategy, and queues of what the strategy does not know of
 * or has handed out before. choose.c takes from them, in this order:
 *
 *   retries         to be tried again: failures that may pass, a slot that waits for
 *      |            robots.txt, what was handed out before the capture was cut off
 *   preparations    robots.txt, sitemaps and other lists, the probe for soft 404s
 *      |            (with all that they bring, before the first page)
 *   embeds          followers of the page before: images, styles, scripts, frames
 *      |
 *   extra_revisits  revisits the strategy does not know of: followers of a page that
 *      |            was revisited, and the page visited last
 *   the strategy    visits, second looks, revisits: one slot at a time
 *      |
 *   after_all       visits of pages that were given up, and that new settings let in
 *                   again; the strategy has heard that they failed, so they come last,
 *                   and are not revisited. (A retry is a task the strategy still waits
 *                   for; these it does not.)
 *
 * A page and its embeds are one group in time: visited right after each other,
 * and revisited so. The strategy knows the page only.
 *
 *   agenda.c    queues, phases
 *   plan.c      the strategy: what it is told, and what it says
 *   revisits.c  the turn from visits to revisits
 *   limits.c    bytes and time
 */
#ifndef SHARC_CRAWL_AGENDA_INT_H
#define SHARC_CRAWL_AGENDA_INT_H

#include "context.h"
#include "journal.h"
#include "pages.h"
#include "rates.h"
#include "signals.h"
#include "task.h"

enum agenda_queue { RETRIES, PREPARATIONS, EMBEDS, EXTRA_REVISITS, AFTER_ALL };

/* What the strategy was told and said. */
struct plan {
    const struct sharc_strategy_ops *ops; /* its kind; known as long as the site is */
    struct sharc_strategy *strategy;      /* NULL before it is begun and after it is finished */
    struct sharc_strategy_params params;
    bool started;   /* it was asked once */
    bool exhausted; /* it had nothing left when last asked */
    bool looking;   /* it has asked for a second look: whatever it hears of now, it visits after the revisits */
    uint32_t slots; /* handed out */
    uint32_t known, waiting; /* pages it knows; of these not handed out */
    uint32_t given_up;       /* known, and not visited after all: they count against no limit */
};

/* The turn from visits to revisits. */
struct turning {
    bool visits_over;       /* a second look or revisit was handed out */
    uint32_t apex;          /* page downloaded last before the first revisit */
    uint32_t last_page;     /* of the strategy's last slot before the revisits */
    uint32_t last_download; /* of anything before the revisits */
    sharc_time reference;   /* when the visits had ended */
};

struct limits {
    bool visits, all; /* bytes or time are used up: for visits, for all */
    enum sharc_crawl_reason reason;
    sharc_time ran_before; /* in earlier runs of this capture */
    sharc_time run_began;  /* this one; SHARC_TIME_NONE: not yet */
};

struct agenda {
    const struct context *ctx;
    struct pages *pages;
    struct journal *journal;
    struct rates *rates;
    struct heard *heard;
    struct counters *count;
    struct sharc_crawl_pace pace; /* of the site, as it is now: its limits, and the delay on its own hosts */

    struct plan plan;
    struct turning turn;
    struct limits limits;
    enum sharc_crawl_phase phase;
    struct queue retries, preparations, embeds, extra_revisits, after_all;
    struct task current; /* chosen, waits for its time */
    bool has_current;
    unsigned downloading, outstanding; /* under way; not applied */
};
void sharc__crawl_agenda_init(struct agenda *a); /* the pointers are set already */
void sharc__crawl_agenda_done(struct agenda *a); /* what the strategy was (plan.ops) stays known */

/* --- agenda.c ---------------------------------------------------------------- */

/* The pace of the site is, from now on: */
void sharc__crawl_agenda_pace(struct agenda *a, const struct sharc_crawl_pace *pace);
void sharc__crawl_agenda_phase(struct agenda *a, enum sharc_crawl_phase phase);
/* From now on it does this; and: it is under way, has ended, is applied. */
void sharc__crawl_agenda_choose(struct agenda *a, const struct task *t);
struct task sharc__crawl_agenda_begin(struct agenda *a);
void sharc__crawl_agenda_ended(struct agenda *a);
void sharc__crawl_agenda_applied(struct agenda *a);
/* The task that was chosen goes back to the retries. */
void sharc__crawl_agenda_put_back(struct agenda *a);
/* The first task of a queue; of the retries that need not wait any longer the one that waited longest. */
bool sharc__crawl_agenda_take(struct agenda *a, enum agenda_queue queue, struct task *ret);
bool sharc__crawl_agenda_take_due(struct agenda *a, struct task *ret);
/* Try again before anything else that is due, or after all that is. */
void sharc__crawl_agenda_retry(struct agenda *a, const struct task *t);
void sharc__crawl_agenda_retry_last(struct agenda *a, const struct task *t);
void sharc__crawl_agenda_prepare(struct agenda *a, const struct task *t);
void sharc__crawl_agenda_prepare_first(struct agenda *a, const struct task *t); /* before the others */
void sharc__crawl_agenda_embed(struct agenda *a, uint32_t page);
void sharc__crawl_agenda_extra_revisit(struct agenda *a, uint32_t page);
/* Once more, at that time. */
void sharc__crawl_agenda_revisit_at(struct agenda *a, uint32_t page, sharc_time when);
/* A slot of the strategy waits behind the extra revisits: the first of these. */
void sharc__crawl_agenda_behind_extra(struct agenda *a, const struct task *slot, struct task *ret);
void sharc__crawl_agenda_after_all(struct agenda *a, uint32_t page);
/* A page the strategy knows was given up (n = 1), or taken back (n = -1). */
void sharc__crawl_agenda_given_up(struct agenda *a, int n);
/* A capture is resumed: make the queues anew from the pages. */
void sharc__crawl_agenda_requeue(struct agenda *a);
/* The last download of the visits so far. */
void sharc__crawl_agenda_downloaded(struct agenda *a, uint32_t page);
/* Its numbers, to the journal and back. */
void sharc__crawl_agenda_state(const struct agenda *a, struct journal_state *ret);
void sharc__crawl_agenda_restore(struct agenda *a, const struct journal_state *s);

/* --- limits.c ------------------------------------------------------------------- */

void sharc__crawl_limits_begin(struct agenda *a);
void sharc__crawl_limits_ran_before(struct agenda *a, sharc_time ran);
/* How long the capture has run, over all its runs. */
sharc_time sharc__crawl_limits_ran(const struct agenda *a);
/* Set a->limits as things are now. */
void sharc__crawl_limits_measure(struct agenda *a);
/* That time, or the one before it at which a limit of time is reached. */
sharc_time sharc__crawl_limits_or_time_up(const struct agenda *a, sharc_time when);
/* A limit has been reached that the task falls under. */
bool sharc__crawl_limits_too_late(struct agenda *a, const struct task *t);

#endif
