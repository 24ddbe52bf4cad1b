/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies: which page next? One object decides for the simulator and for the
 * real crawler; it reads no clock, opens no socket, draws no random numbers. The
 * same calls in the same order give the same answers on every machine.
 *
 * Time is counted in slots: one download each, one politeness delay apart. A
 * rate is changes per slot, so the world multiplies rates per second by its
 * delay in seconds. Slot k is the k-th successful call of next(), from 0.
 *
 *   sharc_strategy_new(sharc_strategy_find("sharc-online"), &params, &s, &err);
 *   sharc_strategy_discover(s, root, rate, weight);      seeds, sitemap, earlier captures
 *   while (sharc_strategy_next(s, &slot)) {
 *       … download slot.page, find its links …
 *       for each link: sharc_strategy_discover(s, link, rate, weight);
 *       sharc_strategy_observed(s, &observation);
 *   }
 *
 * What holds for every strategy
 *  (1) next() hands out every discovered page exactly once as SHARC_VISIT.
 *  (2) A strategy with revisits hands out every visited page exactly once as
 *      SHARC_REVISIT, all of them after all visits and second looks, except
 *      the apex: unless revisits go in the order of the visits (…-fifo and
 *      sharc-revisits), the page that was downloaded last before the first
 *      revisit is not downloaded again: its interval is 0 and its visit (or
 *      second look) is its own revisit. With N pages that makes 2N slots for
 *      FIFO, 2N-1 otherwise, 2N-1+K with K second looks.
 *  (3) SHARC_SECOND_LOOK comes after all visits, before all revisits, at most
 *      once per page; that page is judged by its second look and its revisit.
 *  (4) next() answers false when nothing is left; a discover() afterwards makes
 *      it go on.
 *  (5) A page whose visit was observed as SHARC_MISSING or SHARC_FAILED is
 *      neither looked at again nor revisited.
 *  (6) A page discovered after the first second look or revisit was handed out
 *      cannot be proved any more: it is visited after all revisits, marked hopeless, and
 *      not revisited.
 *  (7) The order in which pages are discovered between two calls of next() is
 *      the order of the links on the page; bfs and dfs depend on it.
 *
 * Knowledge. Pages discovered before the first next() are known beforehand. The
 * strategies called offline plan them all at the first next(); pages that turn
 * up later are put where a known page of the nearest rate stands. Online
 * strategies with everything known do as well as their offline twins.
 *
 * Weights. Strategies against blur order by weight * rate; strategies for
 * coherence maximise the sum of weight * exp(-rate * interval).
 *
 * To add a strategy: write its picker or plan in a file of src/schedule, add one row to
 * the table in registry.c and its name to docs/strategies.md; tests/schedule runs all
 * rows of the table through the rules above.
 */
#ifndef SHARC_SCHEDULE_H
#define SHARC_SCHEDULE_H

#include "sharc/base.h"
#include "sharc/change.h"

SHARC_API_BEGIN

enum sharc_purpose {
    SHARC_PURPOSE_BLUR,       /* one visit, least blur: exploration */
    SHARC_PURPOSE_COHERENCE,  /* most coherence: evidence */
    SHARC_PURPOSE_CONTINUOUS, /* see schedule_watch.h */
};

enum sharc_slot_kind {
    SHARC_VISIT,
    SHARC_SECOND_LOOK,
    SHARC_REVISIT,
};

struct sharc_slot {
    sharc_page_no page;
    enum sharc_slot_kind kind;
    bool hopeless; /* the strategy has given up on this page's coherence */
};

/* Defaults come from SHARC_STRATEGY_PARAMS; change what you need. */
struct sharc_strategy_params {
    uint32_t size;     /* pages of the site if known; 0: estimated, and again while crawling */
    double confidence; /* c of sharc-threshold and sharc-intervals, 0 < c < 1 */
    double risk;       /* eta of measurable and inducible, 0 < eta < 1 */

    /* sharc-focus: extra requests as a share of the 2N-1 of a plain pyramid, at
     * most; and how many pages get a second look, SHARC_FOCUS_CHOOSE: the
     * strategy chooses. */
    double focus_share;
    uint32_t focus_pages;
    bool focus_breadth_first; /* else in the order of sharc-selective-online */

    /* Observation interval of sharc-offline in slots from the first download.
     * Both 0: the capture itself. */
    double observe_from, observe_to;

    /* sharc-optimal: up to this many pages the assignment is solved exactly. */
    uint32_t exact_up_to;

    /* olston-pandey: utility of a page from its full history, larger first.
     * NULL: weight * rate. Called once per page when it is discovered. */
    double (*utility)(void *arg, sharc_page_no page);
    void *utility_arg;

    /* sharc-focus: what the world believes of the n pages visited, whatever has
     * happened to them since; asked when the visits have ended and again, some
     * sixteen times in all, while second looks and revisits are made. rate[i] is
     * what the world last said of page[i]; ret_still[i] the chance that the page is
     * still as it was last seen. Returns the factor by which changes come more often
     * than the rates say (see rate_since.h). NULL: exp(-rate * slots since the
     * visit), and 1; everything is then decided at once. */
    double (*believe)(void *arg, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still);
    void *believe_arg;
};

#define SHARC_FOCUS_CHOOSE UINT32_MAX
#define SHARC_STRATEGY_PARAMS                                                                                         \
    {                                                                                                                 \
        .confidence = 0.75, .risk = 0.25, .focus_share = 0.10, .focus_pages = SHARC_FOCUS_CHOOSE, .exact_up_to = 5000 \
    }

/* What a strategy thinks of its plan. Asked before the end it describes the
 * plan as far as it is made; asked after the end, what was handed out. */
struct sharc_strategy_report {
    uint32_t pages;                   /* discovered */
    uint32_t visits, looks, revisits; /* handed out so far */
    uint32_t hopeless;                /* pages given up so far */
    uint32_t second_looks;            /* K of sharc-focus, chosen when the visits end; else 0 */
    double size_estimate;             /* pages the site is thought to have */
    double expected_coherence;        /* sum of w*exp(-rate*interval) by the rates last told;
                                         for one visit and before the first revisit of an online
                                         strategy: NAN */
    double bound;                     /* no schedule of one visit and one revisit can exceed this
                                         expectation; NAN unless the strategy computed it
                                         (sharc-optimal does; see sharc_schedule_optimum) */
    bool exact;                       /* expected_coherence is proved to be the best possible */
    size_t bytes;                     /* memory held now, without the allocator's own overhead */
};

/* In which order a strategy revisits the pages it visited. */
enum sharc_revisit_order {
    SHARC_REVISITS_NONE,    /* it visits each page once */
    SHARC_REVISITS_SAME,    /* as they were visited; the page visited last is revisited like all others */
    SHARC_REVISITS_REVERSE, /* last visited first; the page visited last (the apex) needs no revisit */
    SHARC_REVISITS_OWN,     /* as it sees fit; without the apex, too */
};

struct sharc_strategy;

/* What a strategy does, as those who choose one need to know it. How it does it is a row of registry.c. */
struct sharc_strategy_ops {
    const char *name;
    enum sharc_purpose purpose;
    bool revisits; /* hands out SHARC_REVISIT: revisit_order is not NONE */
    enum sharc_revisit_order revisit_order;
    bool second_looks; /* hands out SHARC_SECOND_LOOK */
    bool offline;      /* plans at the first next(); meant for sites known beforehand */
    bool slow;         /* takes far longer than the downloads of a simulated crawl, on large sites minutes */
};

/* NULL when there is none of that name. Continuous strategies are not in this
 * table. */
const struct sharc_strategy_ops *sharc_strategy_find(const char *name);
/* All of them, i < sharc_strategy_count(), single visit first. */
size_t sharc_strategy_count(void);
const struct sharc_strategy_ops *sharc_strategy_at(size_t i);
/* The one that a capture for blur or coherence takes when nobody chose another. */
const struct sharc_strategy_ops *sharc_strategy_usual(enum sharc_purpose purpose);

/* params may be NULL for the defaults; they are copied. SHARC_EINVAL with a
 * sentence when one is out of range. */
int sharc_strategy_new(const struct sharc_strategy_ops *ops, const struct sharc_strategy_params *params,
                       struct sharc_strategy **ret, struct sharc_err *reterr);
void sharc_strategy_free(struct sharc_strategy *s);
void sharc_strategy_freep(struct sharc_strategy **s);
const struct sharc_strategy_ops *sharc_strategy_ops(const struct sharc_strategy *s);

/* Pages are numbered densely by the world (memory grows with the largest
 * number). A page that is already known is not added twice; if it is not yet
 * visited its rate and weight become the given ones. rate is changes per slot,
 * finite and >= 0; weight finite and >= 0 (anything else counts as 0).
 * O(log n), but dfs and bfs O(1). */
void sharc_strategy_discover(struct sharc_strategy *s, sharc_page_no page, double rate, double weight);
/* false: nothing left. Planning happens in the first call (offline) or when the
 * visits end (second looks); otherwise O(log n). */
bool sharc_strategy_next(struct sharc_strategy *s, struct sharc_slot *ret);
/* True: the next call of next() plans what follows anew (sharc-focus: when the visits have
 * ended, and between parts of the second looks and of the revisits). Who has sources of
 * signals reads them before it (schedule_signals.h). */
bool sharc_strategy_renews(const struct sharc_strategy *s);
/* Optional: tells what the download of o->page showed. o->rate >= 0 replaces
 * the page's rate for all that is not yet decided. o->when is not used by
 * capture strategies. */
void sharc_strategy_observed(struct sharc_strategy *s, const struct sharc_observation *o);
/* O(n) at most, nothing is kept. */
void sharc_strategy_report(const struct sharc_strategy *s, struct sharc_strategy_report *ret);

/* --- the best pyramid, as a function ---------------------------------------- */

/* Pages to intervals 0, 2, 4, …, 2(n-1) so that the sum of weight *
 * exp(-rate * interval) is as large as possible. Exact (shortest augmenting
 * paths) for n <= exact_up_to; beyond, a two-ended dynamic programme over groups
 * of nearly equal rate. The bound is certified either way: prices of the
 * intervals are dual feasible for every page. */
struct sharc_optimum {
    double expected_coherence;
    double bound; /* >= the expectation of any schedule of one visit and one revisit per page */
    bool exact;   /* expected_coherence is the best possible, up to rounding */
};
/* ret_interval (may be NULL) receives n numbers k: page i has the interval 2k.
 * weight may be NULL. O(n^2) … O(n^3) when exact, else O(n log n). n may be 0. */
struct sharc_optimum sharc_schedule_optimum(const double *rate, const double *weight, uint32_t n, uint32_t exact_up_to,
                                            uint32_t *ret_interval);

SHARC_API_END
#endif
