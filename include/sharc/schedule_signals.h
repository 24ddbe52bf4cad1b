/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals: a site says itself what has changed. A source (a sitemap, a feed, a page that
 * lists what is new) states for pages when they last changed; read again when the visits end, and between
 * parts of the revisits, it tells which pages are no longer what was archived. One
 * object for the simulator and the crawler; it reads no clock.
 *
 *   whenever sharc_strategy_renews(strategy):        before the next slot is asked for
 *       for each entry of a source:  sharc_signals_say(s, source, page, stated, blur, now)
 *       sharc_signals_read(s, source, since, now)
 *   at every download:               sharc_signals_seen(s, page, now, changed, differs)
 *   in sharc_strategy_params.believe, after sharc_rate_since:
 *       sharc_signals_believe(s, page, n, now, still)
 *
 * A signal is a reason to look and never a proof. How much of one is learned for each
 * source by counting: recall, of the changes that downloads have shown how many the
 * source had told of; precision, of its statements how many were true. Both begin
 * at one half, as if one case of either kind had been seen; precision the lower, the more of
 * all pages a source names. One that stamps every page "now" tells nothing, at once. Silence of a
 * hub tells nothing either until its recall has been seen: most pages with links are no list of news.
 *
 * Times in seconds (or any unit) on one clock. Deterministic.
 */
#ifndef SHARC_SCHEDULE_SIGNALS_H
#define SHARC_SCHEDULE_SIGNALS_H

#include "sharc/base.h"
#include "sharc/schedule.h"

SHARC_PRIVATE_BEGIN

#define SHARC_SIGNAL_SOURCES 16 /* told apart; a source of a higher number is ignored */

/* What it means that a source has no entry for a page. */
enum sharc_signal_kind {
    SHARC_SIGNAL_SITEMAP, /* nothing */
    SHARC_SIGNAL_FEED,    /* that it has not changed lately: it lists what has */
    SHARC_SIGNAL_HUB,     /* the same; it has no dates, only links that were not there, or lower down, before */
    SHARC_SIGNAL_KINDS,
};
const char *sharc_signal_kind_name(enum sharc_signal_kind k);

struct sharc_signals;
/* horizon: what a source said of changes longer ago tells nothing of how good it is
 * now; as long as a capture takes is right. grain: times that close are the same. */
struct sharc_signals *sharc_signals_new(double horizon, double grain);
void sharc_signals_free(struct sharc_signals *s);
void sharc_signals_freep(struct sharc_signals **s);
/* A capture that lasts longer looks back longer; never less than before. */
void sharc_signals_widen(struct sharc_signals *s, double horizon);
/* A source; < SHARC_SIGNAL_SOURCES. Its number stays. */
void sharc_signals_source(struct sharc_signals *s, unsigned source, enum sharc_signal_kind kind);

/* The source says, read at `read`, that the page last changed in [stated, stated + blur]
 * (blur > 0: a date without a time). A statement of the future says nothing; of several in one
 * reading the latest counts. */
void sharc_signals_say(struct sharc_signals *s, unsigned source, sharc_page_no page, double stated, double blur,
                       double read);
/* What it said of the page holds at a later reading, too. */
void sharc_signals_say_again(struct sharc_signals *s, unsigned source, sharc_page_no page, double read);
/* What it said last of the page; NAN: nothing. */
double sharc_signals_stated(const struct sharc_signals *s, unsigned source, sharc_page_no page);
/* All of the source has been read. since: a page that it does not name has not changed from then on
 * to the best of its knowledge, the oldest date of a feed; -HUGE_VAL: it knows of all changes. O(pages). */
void sharc_signals_read(struct sharc_signals *s, unsigned source, double since, double read);

enum { SHARC_SIGNAL_FIRST = -1 };
/* The page was downloaded at `seen`: its last change as the answer states it, NAN if it
 * does not; differs: from the download before, 0 or 1; SHARC_SIGNAL_FIRST: there is none. */
void sharc_signals_seen(struct sharc_signals *s, sharc_page_no page, double seen, double changed, int differs);

/* When it was last downloaded; NAN: never. */
double sharc_signals_when(const struct sharc_signals *s, sharc_page_no page);

/* still[i] is the chance that page[i], seen before, is still as it was last seen: by
 * rates alone on entry, with what the sources said on return. O(n) for each source. */
void sharc_signals_believe(struct sharc_signals *s, const sharc_page_no *page, uint32_t n, double now, double *still);

/* How often a source was put to the test, and passed. */
struct sharc_signal_counts {
    double told, missed; /* changes that downloads have shown and the source had told of, or had not */
    double right, wrong; /* statements that downloads have shown to be true, or not */
};

/* What a source was worth. */
struct sharc_signal_worth {
    enum sharc_signal_kind kind;
    uint32_t pages;                         /* it has statements of */
    uint32_t readings;                      /* complete ones */
    uint32_t signalled;                     /* pages said to have changed since they were seen, when last believed */
    struct sharc_signal_counts now, before; /* in this capture; remembered of earlier ones */
    double recall, precision;               /* by both */
    double gain; /* on the odds that a page has changed, when the source says so; 1: it tells nothing */
};
/* false: there is no such source. */
bool sharc_signals_worth(const struct sharc_signals *s, unsigned source, struct sharc_signal_worth *ret);
/* Counts of earlier captures, to begin with; each pair is cut to at most 20 cases. What is no number, or
 * negative, is not taken. */
void sharc_signals_remember(struct sharc_signals *s, unsigned source, const struct sharc_signal_counts *before);

SHARC_PRIVATE_END
#endif
