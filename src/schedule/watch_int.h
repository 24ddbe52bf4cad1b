/* SPDX-License-Identifier: Apache-2.0
 *
 * Watching strategies are of two kinds: those that give every page an urgency,
 * and those that walk through pages in an order of their own, round after round.
 *
 *   watch_table.c      the strategies by name
 *   watch.c            pages, sites, hosts: what is watched
 *   watch_choose.c     what to download next
 *   watch_doze.c       … of many pages: those of which a closer look is worth it
 *   watch_late.c       longest intervals, and hosts' limits
 *   watch_learn.c      what downloads and signals have shown
 *   watch_habit.c      the strategy `value`
 *   watch_life.c       how lively pages are at which age
 *   watch_frequency.c, watch_walk.c   those of the papers that need more than a formula
 *   watch_save.c       as bytes
 */
#ifndef SHARC_SCHEDULE_WATCH_INT_H
#define SHARC_SCHEDULE_WATCH_INT_H

#include "sharc/schedule_watch.h"

enum watch_kind {
    WATCH_WALK_ALL,   /* all pages, heaviest first */
    WATCH_WALK_SITES, /* site by site, each in the order of a capture strategy */
    WATCH_FREQUENCY,
    WATCH_LEVEL, /* mean importance */
    WATCH_PATTERN,
    WATCH_WAIT,  /* a wait per page, shorter after a change, longer without */
    WATCH_INDEX, /* what a download is worth for an objective */
    WATCH_VALUE, /* … for completeness, by the importance of what is expected to be up */
};

struct sharc_watch_ops {
    const char *name;
    enum watch_kind kind;
    bool counts;                    /* patterns count changes instead of weighing them */
    bool by_site;                   /* WATCH_FREQUENCY: sites count by their own weight, as for an index */
    const char *capture;            /* WATCH_WALK_SITES: the strategy that orders a site */
    enum sharc_objective objective; /* WATCH_INDEX */
    /* WATCH_WAIT: defaults, and the wait after a change as share of the wait and
     * of the least wait. */
    sharc_time first_wait, least_wait, most_wait;
    double of_wait, of_least;
};

/* What an untaught page's past is worth, in hours of watching. */
#define WATCH_PRIOR_HOURS 24.0
/* Changes that a page is given for nothing, so that none is ever without hope. */
#define WATCH_PRIOR_CHANGES 0.1

/* How lively pages are at which age: the first hour, the second, two more, four more and so on. */
enum { WATCH_AGES = 16 };
struct life {
    double changes[WATCH_AGES], hours[WATCH_AGES];
};

struct watched {
    struct sharc_watch_page is;
    bool on, out, wanted;
    uint16_t signals;                   /* since the last capture */
    sharc_time changed;                 /* last change seen; SHARC_TIME_NONE */
    sharc_time last;                    /* last capture, or when watching began */
    sharc_time wait;                    /* WATCH_WAIT */
    sharc_time retry;                   /* not before this, after a failure */
    uint8_t failures;                   /* in a row */
    double rate;                        /* changes per hour, as told */
    double frequency;                   /* WATCH_FREQUENCY: downloads per hour */
    struct sharc_rate_pattern *pattern; /* WATCH_LEVEL and WATCH_PATTERN */
    struct habit *habit;                /* WATCH_INDEX and WATCH_VALUE */
    uint32_t late_at;                   /* place in the heap of deadlines; SHARC_WATCH_NONE: not there */
    int64_t late_hour;                  /* hour of its deadline there */
};

/* When in the week a page changes and how important that is, and what may be up now that is not archived. Single
 * precision and three tables: a hundred thousand pages are watched by one process. */
struct habit {
    float changes[SHARC_RATE_HOURS], importance[SHARC_RATE_HOURS]; /* seen in that hour of the week, faded */
    float hours[SHARC_RATE_HOURS];                                 /* watched, faded */
    sharc_time at;                                                 /* … to this instant */
    double value;        /* importance that is up and not archived, expected; WATCH_INDEX: changes expected */
    double plain;        /* WATCH_INDEX: changes expected by its rates alone, whatever its source tells */
    sharc_time value_at; /* … at this instant */
    /* What follows from the tables, until they change. */
    double mean, mean_importance; /* changes, and their importance, per hour over all hours watched */
    double shape;                 /* of the gamma distribution of its rate: changes seen, and those for nothing */
    double prior;                 /* changes per hour that the page is given for nothing */
    double usual;                 /* importance of such a change */
    double share;                 /* of its rate that a page still has which has long not changed */
    double most, level;           /* largest importance of a change in any hour; importance per hour */
    float pace[WATCH_AGES];       /* its rate at each age to come, over that of its past */
    float fastest;                /* changes per hour at most, in any hour to come */
    float told;                   /* changes per hour that it was told to have */
    float apart;                  /* hours between two looks, the fewest; 0: none was made */
};

struct site {
    struct sharc_watch_site is;
    double weight;              /* of its pages in all */
    double changes, importance; /* seen, and their importance */
    struct life life;
};

/* For the thought that many pages of a host were changed at one instant. */
struct at_once {
    double odds;      /* their logarithm, by the looks at pages that may have been hit; from 0 to WATCH_ODDS_MOST */
    sharc_time since; /* after this: pages looked at since were not hit */
};
#define WATCH_ODDS_MOST 20.0

struct host {
    struct sharc_watch_host is;
    double saved;               /* downloads it allows now, where it has this many per hour */
    sharc_time at;              /* … reckoned to this instant */
    sharc_time free_at;         /* after its delay */
    struct at_once event, next; /* that many of its pages were changed at once; and that they were so again */
};

/* What was learned of pages alike. */
struct group {
    struct life life;
};

/* Where signals come from. */
struct source {
    double told, missed; /* changes seen that it had told of, or had not */
    double right, wrong; /* of what it told */
};

struct watch_walk {
    sharc_page_no *order; /* the round under way */
    uint32_t count, at;
    uint32_t site;          /* whose round it is */
    sharc_page_no *by_site; /* all pages, site after site */
    uint32_t *first;        /* of each site in by_site; one more than sites */
    uint32_t sites;
};

/* Pages that have a longest interval, earliest deadline first, and how many of them must be had in each hour. */
#define WATCH_RING 16384
struct watch_late {
    sharc_page_no *heap;
    size_t n, room;
    uint32_t *ring;  /* deadlines by hour, WATCH_RING of them from `base` on */
    int64_t base;    /* hour */
    uint32_t over;   /* deadlines before it */
    double asked;    /* downloads per hour that all longest intervals need */
    double allowed;  /* when that is more than there are: downloads that late pages may still have */
    sharc_time when; /* … reckoned to this instant */
};

/* What is needed to say that a page is not worth a download yet. Apart from the pages, so that many fit into a cache.
 */
struct doze {
    sharc_time wake; /* its worth is surely below the floor before this instant; INT64_MIN: who knows */
    sharc_time at;   /* what follows was reckoned at this instant */
    double changes;  /* what is up and not archived is as likely as after so many expected changes */
    double scale;    /* worth of a certain change, but for the weight of its site */
    float rate;      /* changes per hour at most */
};
struct watch_doze {
    struct doze *p; /* by page */
    size_t room;
    double floor;
    int lowered; /* how often in this choice */
};

struct numbers {
    sharc_page_no *p;
    size_t n, room;
};

struct sharc_watch {
    const struct sharc_watch_ops *ops;
    struct sharc_watch_params params;
    struct watched *pages;
    size_t room;
    uint32_t count;         /* watched now */
    bool stale;             /* pages, rates or weights changed */
    double planned;         /* downloads per hour that frequencies were found for */
    double per_hour, saved; /* budget; < 0: none */
    sharc_time saved_at;
    double price; /* of what was last chosen by worth */
    struct watch_walk walk;
    struct watch_late late;
    struct watch_doze doze;
    struct numbers out, wanted;
    struct site *sites;
    size_t site_room;
    struct host *hosts;
    size_t host_room;
    struct group *groups;
    size_t group_room;
    struct source *sources;
    size_t source_room;
    int32_t *holidays; /* ascending */
    size_t holiday_count;
};

static inline double watch_hours(sharc_time d)
{
    return (double)d / (double)SHARC_HOUR;
}

static inline double watch_sane(double x)
{
    return x > 0 && x <= 1e300 ? x : 0;
}

/* Learns hours of the week, and ages. */
static inline bool watch_has_habits(const struct sharc_watch *w)
{
    return w->ops->kind == WATCH_INDEX || w->ops->kind == WATCH_VALUE;
}

static inline struct watched *watch_find(const struct sharc_watch *w, sharc_page_no page)
{
    return page < w->room && w->pages[page].on ? &w->pages[page] : NULL;
}

static inline bool watch_walks(const struct sharc_watch *w)
{
    return w->ops->kind == WATCH_WALK_ALL || w->ops->kind == WATCH_WALK_SITES;
}

static inline sharc_time watch_shortest(const struct sharc_watch *w, const struct watched *p)
{
    return p->is.shortest > 0 ? p->is.shortest : w->params.shortest;
}

/* From when on its shortest interval allows a download; a page of which nothing is archived does not wait. */
static inline sharc_time watch_rested(const struct sharc_watch *w, const struct watched *p)
{
    return p->is.held ? p->last + watch_shortest(w, p) : p->last;
}

static inline sharc_time watch_longest(const struct sharc_watch *w, const struct watched *p)
{
    return p->is.longest > 0 ? p->is.longest : w->params.longest;
}

/* --- watch.c */
/* Weights of whole sites and frequencies, when something has changed. */
void sharc__schedule_watch_prepare(struct sharc_watch *w, double per_hour);
sharc_time sharc__schedule_watch_zone(const struct sharc_watch *w, uint32_t site);
/* The kind of an hour on a site, and the hours of each kind between two instants; holidays are Sundays. */
unsigned sharc__schedule_watch_hour(const struct sharc_watch *w, uint32_t site, sharc_time t);
void sharc__schedule_watch_hours(const struct sharc_watch *w, uint32_t site, sharc_time from, sharc_time to,
                                 double ret[SHARC_RATE_HOURS]);
struct source sharc__schedule_watch_source(const struct sharc_watch *w, const struct watched *p, double *ret_recall,
                                           double *ret_precision);

/* --- watch_choose.c */
struct choosing {
    struct sharc_watch *w;
    sharc_time now;
    bool period; /* a whole hour's worth */
    double per_hour;
    size_t most, n;
    struct sharc_watch_due *ret;
};
struct urgent {
    double urgency;
    sharc_time last;
    sharc_page_no page;
};
double sharc__schedule_watch_urgency(const struct sharc_watch *w, struct watched *p, sharc_time now);

/* --- watch_doze.c: WATCH_VALUE */
/* Pages whose worth is at least the floor, with it; how many. */
size_t sharc__schedule_watch_awake(struct choosing *c, struct urgent **list, size_t *room);
/* Those were too few. false: they were all. */
bool sharc__schedule_watch_lower(struct sharc_watch *w);
/* Something about this page has changed; or the weights of sites have. */
void sharc__schedule_watch_wake(struct sharc_watch *w, sharc_page_no page);
void sharc__schedule_watch_doze_again(struct sharc_watch *w);
void sharc__schedule_watch_doze_done(struct watch_doze *d);

/* --- watch_late.c */
void sharc__schedule_watch_late_put(struct sharc_watch *w, sharc_page_no page);
void sharc__schedule_watch_late_take(struct sharc_watch *w, sharc_page_no page);
void sharc__schedule_watch_late_done(struct watch_late *l);
/* Pages that must be downloaded now so that none exceeds its longest interval; at most `most`. For a whole hour's
 * batch (`period`) time counts in hours. */
size_t sharc__schedule_watch_late_now(struct sharc_watch *w, sharc_time now, double per_hour, size_t most, bool period);
/* Whether the host allows one more download of the page in this call; a whole hour's worth if `period`. */
bool sharc__schedule_watch_host_allows(struct sharc_watch *w, const struct watched *p, sharc_time now, bool period);
void sharc__schedule_watch_host_take(struct sharc_watch *w, const struct watched *p, sharc_time now);

/* Frequencies that keep the archive as fresh as can be. */
void sharc__schedule_watch_set_frequencies(struct sharc_watch *w, double per_hour);
/* The next page of the walk, which may be one that cannot be taken; false: the round is over and all were offered. */
bool sharc__schedule_watch_walk(struct sharc_watch *w, double per_hour, sharc_page_no *ret);
void sharc__schedule_watch_walk_done(struct watch_walk *walk);

/* --- watch_life.c */
/* The page was watched from … to and changed so often. */
void sharc__schedule_watch_life_add(struct sharc_watch *w, const struct watched *p, sharc_time from, sharc_time to,
                                    double changes);
/* Changes per hour of a page like this one at each age. */
void sharc__schedule_watch_life_rates(const struct sharc_watch *w, const struct watched *p, double ret[WATCH_AGES]);
/* Which age it has at t; what `by_age` amounts to between two instants, times hours. */
unsigned sharc__schedule_watch_age(const struct watched *p, sharc_time t);
double sharc__schedule_watch_life_sum(const struct watched *p, sharc_time from, sharc_time to,
                                      const double by_age[WATCH_AGES]);

/* WATCH_INDEX and WATCH_VALUE */
void sharc__schedule_watch_habit_begin(const struct sharc_watch *w, struct watched *p, sharc_time since);
void sharc__schedule_watch_habit_teach(const struct sharc_watch *w, struct watched *p,
                                       const struct sharc_rate_pattern *changes,
                                       const struct sharc_rate_pattern *importance);
void sharc__schedule_watch_habit_observed(const struct sharc_watch *w, struct watched *p, sharc_time when,
                                          double changed, double importance);
void sharc__schedule_watch_habit_signal(const struct sharc_watch *w, struct watched *p, sharc_time now);
/* Index of the page at now; brings its value up to that time. */
double sharc__schedule_watch_habit_index(const struct sharc_watch *w, struct watched *p, sharc_time now);
/* Its means and its fastest hour, from the tables and what else is saved. */
void sharc__schedule_watch_habit_pace(const struct watched *p);
/* What its rate between two instants is, on average, over that of its past. */
double sharc__schedule_watch_habit_pace_between(const struct watched *p, sharc_time from, sharc_time to);
double sharc__schedule_watch_habit_rate(const struct habit *h, unsigned k);
double sharc__schedule_watch_habit_importance(const struct habit *h, unsigned k);

#endif
