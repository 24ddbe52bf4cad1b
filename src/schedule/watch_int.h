/* SPDX-License-Identifier: Apache-2.0
 *
 * Watching strategies are of two kinds: those that give every page an urgency,
 * and those that walk through pages in an order of their own, round after round.
 */
#ifndef SHARC_SCHEDULE_WATCH_INT_H
#define SHARC_SCHEDULE_WATCH_INT_H

#include "sharc/schedule_index.h"
#include "sharc/schedule_watch.h"

enum watch_kind {
    WATCH_WALK_ALL,   /* all pages, heaviest first */
    WATCH_WALK_SITES, /* site by site, each in the order of a capture strategy */
    WATCH_FREQUENCY,
    WATCH_LEVEL, /* mean importance */
    WATCH_PATTERN,
    WATCH_WAIT,  /* a wait per page, shorter after a change, longer without */
    WATCH_INDEX, /* what a download is worth for an objective, by a learned rate */
    WATCH_VALUE, /* … for completeness, by learned hours of the week */
};

struct sharc_watch_ops {
    const char *name;
    enum watch_kind kind;
    bool counts;                    /* patterns count changes instead of weighing them */
    const char *capture;            /* WATCH_WALK_SITES: the strategy that orders a site */
    enum sharc_objective objective; /* WATCH_INDEX */
    /* WATCH_WAIT: defaults, and the wait after a change as share of the wait and
     * of the least wait. */
    sharc_time first_wait, least_wait, most_wait;
    double of_wait, of_least;
};

struct watched {
    uint32_t site;
    bool on;
    double rate, weight;
    sharc_time changed;                 /* last change seen; SHARC_TIME_NONE */
    sharc_time last;                    /* last capture, or when watching began */
    sharc_time wait;                    /* WATCH_WAIT */
    double frequency;                   /* WATCH_FREQUENCY: downloads per period */
    struct sharc_rate_pattern *pattern; /* WATCH_LEVEL and WATCH_PATTERN */
    double changes, hours;              /* WATCH_INDEX: seen while watched so long, both faded; the prior's included */
    struct habit *habit;                /* WATCH_VALUE */
};

/* When in the week a page changes and how important that is, and what may be up now that is not archived. Single
 * precision and three tables: a hundred thousand pages are watched by one process. */
struct habit {
    float changes[SHARC_RATE_HOURS], importance[SHARC_RATE_HOURS]; /* seen in that hour of the week, faded */
    float hours[SHARC_RATE_HOURS];                                 /* watched, faded */
    sharc_time at;                                                 /* … to this instant */
    double value;        /* importance that is up and not archived, expected */
    sharc_time value_at; /* … at this instant */
    /* What follows from the tables, until they change. */
    double prior;       /* changes per hour that the page is given for nothing */
    double usual;       /* importance of such a change */
    double share;       /* of its rate that a page still has which has long not changed */
    double most, level; /* largest importance of a change in any hour; importance per hour */
};

struct watch_site {
    double weight;              /* of its pages in all */
    double changes, importance; /* seen, and their importance */
};

struct watch_walk {
    sharc_page_no *order; /* the round under way */
    uint32_t count, at;
    uint32_t site;          /* whose round it is */
    sharc_page_no *by_site; /* all pages, site after site */
    uint32_t *first;        /* of each site in by_site; one more than sites */
    uint32_t sites;
};

struct sharc_watch {
    const struct sharc_watch_ops *ops;
    struct sharc_watch_params params;
    struct watched *pages;
    size_t room;
    uint32_t count; /* watched now */
    bool stale;     /* pages, rates or weights changed */
    size_t budget;  /* that frequencies were found for */
    double late;    /* downloads that overdue pages may still have */
    struct watch_walk walk;
    struct watch_site *sites; /* WATCH_INDEX and WATCH_VALUE */
    size_t site_room;
};

static inline double watch_hours(sharc_time d)
{
    return (double)d / (double)SHARC_HOUR;
}

/* The share of its mean rate that a page still has: after the time in which it should have changed it falls with the
 * time since it did. `mean`: changes per hour. */
static inline double watch_share(const struct watched *p, double mean)
{
    double quiet = p->changed == SHARC_TIME_NONE ? 0 : watch_hours(p->last - p->changed);
    return mean * quiet > 1 ? 1 / (mean * quiet) : 1;
}

/* Frequencies that keep the archive as fresh as can be. */
void sharc__schedule_watch_set_frequencies(struct sharc_watch *w, size_t budget);
size_t sharc__schedule_watch_walk(struct sharc_watch *w, size_t budget, sharc_page_no *ret_pages);
void sharc__schedule_watch_walk_done(struct watch_walk *walk);

/* WATCH_VALUE */
void sharc__schedule_watch_habit_begin(const struct sharc_watch *w, struct watched *p, sharc_time since);
void sharc__schedule_watch_habit_teach(const struct sharc_watch *w, struct watched *p,
                                       const struct sharc_rate_pattern *changes,
                                       const struct sharc_rate_pattern *importance);
void sharc__schedule_watch_habit_observed(const struct sharc_watch *w, struct watched *p, sharc_time when, bool changed,
                                          double importance);
/* Index of the page at now; brings its value up to that time. */
double sharc__schedule_watch_habit_index(const struct sharc_watch *w, struct watched *p, sharc_time now);

#endif
