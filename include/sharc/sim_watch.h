/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture in virtual time: many pages, a budget of downloads per
 * hour, and the strategies of schedule_watch.h compared by how much of what
 * happened the archive holds, how fresh it is, how well it answers questions
 * about an instant, and how much of the time it proves.
 *
 * The first part of the time teaches: rates and patterns are counted there and
 * told to every strategy. Only the rest is judged.
 */
#ifndef SHARC_SIM_WATCH_H
#define SHARC_SIM_WATCH_H

#include "sharc/schedule_watch.h"
#include "sharc/sim.h"
#include "sharc/sim_report.h"

SHARC_PRIVATE_BEGIN

/* Pages and their dated changes, each with an importance in 0 … 1. */
struct sharc_sim_scene;
void sharc_sim_scene_free(struct sharc_sim_scene *s);
void sharc_sim_scene_freep(struct sharc_sim_scene **s);
const char *sharc_sim_scene_name(const struct sharc_sim_scene *s);
size_t sharc_sim_scene_pages(const struct sharc_sim_scene *s);
size_t sharc_sim_scene_sites(const struct sharc_sim_scene *s);
/* Downloads per hour that count as all resources. */
double sharc_sim_scene_full(const struct sharc_sim_scene *s);

/* Pages of `sites` sites alike, each with one of five habits (office hours,
 * evening, night, weekend, always), a rate by Zipf's law and a weight by
 * another; important changes come in the habit's hours, small ones at any time.
 * All resources: one download per page and hour. Four weeks teach, `days` are
 * judged. */
struct sharc_sim_habits {
    uint32_t pages, sites;
    unsigned days;
    uint64_t seed;
};
#define SHARC_SIM_HABITS                                  \
    {                                                     \
        .pages = 1000, .sites = 10, .days = 14, .seed = 1 \
    }
int sharc_sim_habits_new(const struct sharc_sim_habits *h, struct sharc_sim_scene **ret, struct sharc_err *reterr);

/* A recorded history over [from, to]; as long a time before teaches (at most
 * eight weeks). The first part of the path is the site, weights are PageRank. A
 * change that hit 100 pages or more at once is a change of the template, of
 * importance 0.1, any other 1. All resources: as many downloads per hour as
 * pages change in an hour on average, what a clairvoyant would need. */
int sharc_sim_scene_new(const struct sharc_dataset *d, double from, double to, struct sharc_sim_scene **ret,
                        struct sharc_err *reterr);

/* What really happened, to judge an archive by that was filled elsewhere; copied. One site, changes of equal
 * importance, nothing archived at first. */
struct sharc_sim_past {
    const char *name;
    size_t pages;
    const double *weight;
    const double *born, *died; /* of each page; HUGE_VAL: never */
    const size_t *event_at;    /* changes of page p: when[event_at[p] … event_at[p+1]), ascending */
    const double *when;
    double from, to; /* judged */
    double full;     /* downloads per hour that are all resources */
};
struct sharc_sim_scene *sharc_sim_scene_of(const struct sharc_sim_past *past);

enum sharc_sim_watch_measure {
    SHARC_WATCHED_COMPLETENESS,
    SHARC_WATCHED_FRESHNESS,
    SHARC_WATCHED_COHERENCE,
    SHARC_WATCHED_EXACT,
    SHARC_WATCHED_BLUR,
    SHARC_WATCHED_PROVEN,
    SHARC_WATCHED_GAP,
    SHARC_WATCHED_MEASURES,
};
const char *sharc_sim_watch_measure_name(enum sharc_sim_watch_measure m);

/* Weighted means over the pages of a site, then over sites. */
struct sharc_sim_watched {
    const struct sharc_watch_ops *strategy;
    double share; /* of all resources */
    double completeness;
    double freshness; /* share of time in which the last download is what the page shows */
    double coherence; /* questions about an instant: the nearest versions existed together, at whatever instant */
    double exact;     /* … were up at the instant asked for */
    double blur;      /* … are this many changes away from it */
    double proven;    /* share of time between two downloads without a change between them */
    double gap_hours; /* the longest that any page waited for a download */
    double downloads;
};

/* A download that brought the page as it was at that instant. */
struct sharc_sim_capture {
    sharc_page_no page;
    double at;
};
/* What these are worth; strategy and share are the caller's. Brings them into the order of pages. */
void sharc_sim_watch_judge(const struct sharc_sim_scene *s, struct sharc_sim_capture *captures, size_t n, uint64_t seed,
                           struct sharc_sim_watched *ret);

#define SHARC_SIM_SHARES_MAX 10
struct sharc_sim_watching {
    const double *shares; /* of all resources, each > 0 */
    size_t share_count;   /* at most SHARC_SIM_SHARES_MAX */
    sharc_time longest;   /* no page waits longer, as far as the budget goes; 0: as the strategy likes */
    /* 0: every hour the downloads of that hour are chosen and made one after the other, as the papers have it. Else:
     * so often what is due then, as a watch does. */
    sharc_time step;
    const struct sharc_watch_ops *const *strategies;
    size_t strategy_count;
};
/* Names of watching strategies, separated by commas, or "all"; *ret (malloc'ed) in the order of the list.
 * SHARC_EINVAL with a sentence that lists them. */
int sharc_sim_watch_strategies(struct sharc_span list, const struct sharc_watch_ops ***ret, size_t *ret_n,
                               struct sharc_err *reterr);
/* Each of these strategies at every share, on all cores; ret has room for strategies ×
 * shares and is filled strategy by strategy. */
int sharc_sim_watch_run(const struct sharc_sim_scene *scene, const struct sharc_sim_watching *watching,
                        const struct sharc_sim_options *options, struct sharc_sim_watched *ret,
                        struct sharc_err *reterr);
/* wanted: bits of the measures that tables show; CSV and JSON have all. */
void sharc_sim_watch_write(const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                           unsigned wanted, enum sharc_sim_format format, struct sharc_buf *out);
/* The wanted measures against the share of resources, a panel each, as one SVG: the papers' figures. */
void sharc_sim_watch_svg(const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                         unsigned wanted, struct sharc_buf *out);

SHARC_PRIVATE_END
#endif
