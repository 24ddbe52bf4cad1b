/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: watching many pages under a budget of downloads per hour.
 * The shape differs from a capture: there is no end, time passes between calls and
 * is an argument, and what each download shows decides the later ones. One object
 * for the simulator and for `sharc watch`; it reads no clock.
 *
 *   sharc_watch_new(sharc_watch_find("value"), NULL, &w, &err);
 *   sharc_watch_budget(w, 120, now);                          downloads per hour
 *   sharc_watch_host(w, host, &(struct sharc_watch_host){.delay = 2 * SHARC_SEC});
 *   sharc_watch_add(w, page, &(struct sharc_watch_page){…}, now);
 *   for ever:
 *       n = sharc_watch_due(w, now, k, due);                   what to download now, and why
 *       download, compare, then for each: sharc_watch_observed(w, &observation);
 *       sharc_watch_signal(w, page, now)                       whenever a sitemap or feed says so
 *       sleep until sharc_watch_next(w, now)
 *   from time to time: sharc_watch_save(w, &bytes)             and after a crash sharc_watch_restore
 *
 * Who learns hour by hour instead (the simulator) calls sharc_watch_period.
 *
 * Pages, sites, hosts, groups and sources are numbered densely by the caller: memory
 * grows with the largest number and with the pages watched, not with time.
 * Deterministic: ties go to the page that waits longest, then to the lower number.
 */
#ifndef SHARC_SCHEDULE_WATCH_H
#define SHARC_SCHEDULE_WATCH_H

#include "sharc/base_buf.h"
#include "sharc/rate_pattern.h"
#include "sharc/schedule.h"
#include "sharc/schedule_index.h"

SHARC_PRIVATE_BEGIN

struct sharc_watch_params {
    sharc_time half_life;   /* of what is remembered of a page; 0: never forgets */
    sharc_time east_of_utc; /* time zone of sites that have none of their own */
    double risk;            /* eta of `coherence`, as for measurable */
    /* For pages that have none of their own. No page again before the shortest interval (0: none);
     * its first download does not wait. One that would
     * otherwise exceed the longest comes before all others (0: none). */
    sharc_time shortest, longest;
    /* Controllers: first, least and most wait. 0: the tool's own defaults
     * (heritrix-adaptive 1 d, 1 h, 4 weeks; storm-adaptive 1 d, 1 h, 14 d). */
    sharc_time first_wait, least_wait, most_wait;
};
#define SHARC_WATCH_PARAMS                        \
    {                                             \
        .half_life = 56 * SHARC_DAY, .risk = 0.25 \
    }

struct sharc_watch;
struct sharc_watch_ops; /* opaque: a row of the table */

/* value index-freshness index-importance index-coherence index-blur index-evidence
 * relevance frequency frequency-by-site coherence sharc importance pattern importance-pattern
 * heritrix-adaptive storm-adaptive. The first is the default; the first six go by what a download is worth
 * (schedule_index.h), give each site the weight it is given and learn rates themselves. */
const struct sharc_watch_ops *sharc_watch_find(const char *name); /* NULL: no such name */
/* The strategy for a wish; completeness: value. */
const struct sharc_watch_ops *sharc_watch_for(enum sharc_objective o);
size_t sharc_watch_count(void);
const struct sharc_watch_ops *sharc_watch_at(size_t i);
const char *sharc_watch_name(const struct sharc_watch_ops *ops);

/* params may be NULL; SHARC_EINVAL when out of range. */
int sharc_watch_new(const struct sharc_watch_ops *ops, const struct sharc_watch_params *params,
                    struct sharc_watch **ret, struct sharc_err *reterr);
void sharc_watch_free(struct sharc_watch *w);
void sharc_watch_freep(struct sharc_watch **w);

/* --- what is watched ----------------------------------------------------------------- */

#define SHARC_WATCH_NONE UINT32_MAX

struct sharc_watch_page {
    uint32_t site;   /* its weight is shared by its pages */
    uint32_t host;   /* whose limits it keeps; SHARC_WATCH_NONE: no limits */
    uint32_t group;  /* of pages alike: it begins with what was learned of them; SHARC_WATCH_NONE: nothing */
    uint32_t source; /* of signals that speak of it; SHARC_WATCH_NONE: none does */
    double rate;     /* changes per hour, by whatever is known; < 0: as its group or its site at that age */
    double weight;   /* within its site */
    sharc_time shortest, longest; /* 0: those of the params */
    sharc_time born;              /* when the page came up; SHARC_TIME_NONE: long ago, or nobody knows */
    bool held; /* a version is archived, of the instant `since`; else nothing is, and the first download is a gain */
};
#define SHARC_WATCH_PAGE                                                                                          \
    {                                                                                                             \
        .host = SHARC_WATCH_NONE, .group = SHARC_WATCH_NONE, .source = SHARC_WATCH_NONE, .rate = -1, .weight = 1, \
        .born = SHARC_TIME_NONE, .held = true                                                                     \
    }
/* Watch a page from now on; its age is counted from `since`. A page that is watched already gets the new settings and
 * keeps what was learned. */
void sharc_watch_add(struct sharc_watch *w, sharc_page_no page, const struct sharc_watch_page *settings,
                     sharc_time since);
/* Other intervals than the params' for pages that have none of their own. */
void sharc_watch_set_intervals(struct sharc_watch *w, sharc_time shortest, sharc_time longest);
/* Stop watching it. Unknown pages are ignored. */
void sharc_watch_drop(struct sharc_watch *w, sharc_page_no page);
/* Pages watched now. */
uint32_t sharc_watch_pages(const struct sharc_watch *w);
/* Replace what is known about the page's habits; copied. `changes` counts every
 * change as 1, `importance` weighs them; either may be NULL. Strategies that need
 * neither ignore both. Without it a page is thought to change at its
 * rate, at any hour. last_change: when the page was last seen to have changed, or SHARC_TIME_NONE. */
void sharc_watch_teach(struct sharc_watch *w, sharc_page_no page, const struct sharc_rate_pattern *changes,
                       const struct sharc_rate_pattern *importance, sharc_time last_change);
/* The page was watched between two instants and changed so many times: this is what pages of its group and its site do
 * at that age. What is known of the page itself stays as it is. To be told of all pages before any is taught. */
void sharc_watch_teach_life(struct sharc_watch *w, sharc_page_no page, sharc_time from, sharc_time to, double changes);

/* A site: its own weight (default 1) and time zone. Call again when the clocks there are changed. */
struct sharc_watch_site {
    double weight;
    sharc_time east_of_utc;
};
void sharc_watch_site(struct sharc_watch *w, uint32_t site, const struct sharc_watch_site *s);
/* Days that are like Sundays, as days since 1970-01-01, on all sites; copied, replaces those of before. */
void sharc_watch_holidays(struct sharc_watch *w, const int32_t *days, size_t n);

/* A host's limits; all 0: none. Pages of a host that is at its limits compete among themselves for what it allows. */
struct sharc_watch_host {
    sharc_time delay;      /* between two of its downloads at least */
    double per_hour;       /* downloads at most, on average; 0: as the delay allows */
    sharc_time not_before; /* nothing of it before this instant (Retry-After); 0: at once */
};
void sharc_watch_host(struct sharc_watch *w, uint32_t host, const struct sharc_watch_host *h);

/* Downloads per hour from now on, a fraction allowed. Unused ones are saved for at most an hour (or until there is a
 * whole one). Without a budget sharc_watch_due gives as many as it is asked for. */
void sharc_watch_budget(struct sharc_watch *w, double per_hour, sharc_time now);

/* Requests were made that nobody planned (robots.txt, sitemaps, controls): they are taken from the budget, into debt if
 * need be, but at most a day's worth, or eight of them. A negative number gives them back. */
void sharc_watch_spend(struct sharc_watch *w, double requests);

/* --- what to download ------------------------------------------------------------------ */

enum sharc_watch_why {
    SHARC_WATCH_WORTH,  /* no other download brings as much */
    SHARC_WATCH_LATE,   /* its longest interval would be exceeded */
    SHARC_WATCH_TOLD,   /* a signal makes it worth more than the others */
    SHARC_WATCH_FIRST,  /* nothing of it is archived */
    SHARC_WATCH_WANTED, /* sharc_watch_want */
    SHARC_WATCH_TURN,   /* strategies that go round: it is its turn */
    SHARC_WATCH_WHYS,
};
const char *sharc_watch_why_name(enum sharc_watch_why w);

struct sharc_watch_due {
    sharc_page_no page;
    enum sharc_watch_why why;
    double worth; /* by the strategy; larger is sooner. 0 where it has none */
};
/* Up to `most` pages to be downloaded now, most urgent first: none that is out already, whose interval is too short,
 * whose host must wait, or for which there is no budget. At most one page of a host that has a delay. A page is out
 * from here until it is observed, dropped or given back. `now` must not run backwards. */
size_t sharc_watch_due(struct sharc_watch *w, sharc_time now, size_t most, struct sharc_watch_due *ret);
/* It was not downloaded after all: as if it had not been handed out, and its budget is there again. */
void sharc_watch_give_back(struct sharc_watch *w, sharc_page_no page);
/* The earliest instant after now at which sharc_watch_due may have something; SHARC_TIME_NONE: never, as things are.
 * (Something was due at now already: now.) */
sharc_time sharc_watch_next(struct sharc_watch *w, sharc_time now);
/* Somebody wants this page soon: it comes first, as far as its host and the budget allow. */
void sharc_watch_want(struct sharc_watch *w, sharc_page_no page);

/* The whole batch of a period that begins at now: at most `budget` pages, most urgent first, whatever
 * sharc_watch_budget says; hosts give what they allow in an hour. Pages that are out count as given back. */
size_t sharc_watch_period(struct sharc_watch *w, sharc_time now, size_t budget, struct sharc_watch_due *ret);

/* --- what was seen ----------------------------------------------------------------------- */

/* What a download showed: o->change against the page's last capture, o->importance
 * of that change (< 0: not known), o->when. Updates what is known of the page, its group, its site and
 * its source (it is unknown when within the time since the last capture the page changed); a page observed as
 * SHARC_MISSING is dropped; after a failed one it waits ten minutes, then longer each time, up to a day. o->rate >= 0
 * replaces the rate (per hour). What is not later than the last capture is ignored: after sharc_watch_restore all that
 * was observed since the save, or longer, may be told again. */
void sharc_watch_observed(struct sharc_watch *w, const struct sharc_observation *o);
/* The page's source says that it has changed, and had not said so of this change before. How much that is worth is
 * learned for each source: of the changes seen how many it had told of, of what it told how much was true. */
void sharc_watch_signal(struct sharc_watch *w, sharc_page_no page, sharc_time now);

/* What is thought of a page, for reports. */
struct sharc_watch_view {
    struct sharc_watch_page settings; /* with the intervals that go for it */
    sharc_time last;                  /* capture, or when watching began */
    sharc_time last_change;           /* seen; SHARC_TIME_NONE */
    double rate;                      /* changes per hour, mean over the week, as now believed */
    double changed;                   /* chance that it has changed since the last capture */
    double worth, price;              /* of a download now; what was last paid for one. 0 where the strategy has none */
    sharc_time due;   /* about when its turn comes at this price, its limits kept; SHARC_TIME_NONE: not foreseen */
    uint32_t signals; /* since the last capture */
    bool out;
};
/* false: not watched. */
bool sharc_watch_look(struct sharc_watch *w, sharc_page_no page, sharc_time now, struct sharc_watch_view *ret);
/* Changes per hour and importance of one change in each hour of the week as now believed. */
bool sharc_watch_pattern(const struct sharc_watch *w, sharc_page_no page, double ret_changes[SHARC_RATE_HOURS],
                         double ret_importance[SHARC_RATE_HOURS]);
/* Urgency of a page by this strategy; larger is sooner. 0 for unknown pages and those of strategies that go round. */
double sharc_watch_urgency(const struct sharc_watch *w, sharc_page_no page, sharc_time now);

/* --- after a restart ------------------------------------------------------------------- */

/* Everything, as bytes to be kept; out's maximum must suffice (some 1,000 bytes per page): SHARC_ELIMIT.  Pages that
 * are out are saved as if they were not. */
int sharc_watch_save(const struct sharc_watch *w, struct sharc_buf *out, struct sharc_err *reterr);
/* What was saved, of whatever strategy. Damaged or foreign bytes: SHARC_ECORRUPT, of a newer format
 * SHARC_EUNSUPPORTED. */
int sharc_watch_restore(struct sharc_span bytes, struct sharc_watch **ret, struct sharc_err *reterr);
/* Its strategy. */
const struct sharc_watch_ops *sharc_watch_ops(const struct sharc_watch *w);

SHARC_PRIVATE_END
#endif
