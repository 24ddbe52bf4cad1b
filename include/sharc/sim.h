/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiments in virtual time. A site is synthetic or a window of a recorded
 * history; a strategy of room schedule crawls it slot by slot, as it would crawl
 * the real web, and because the whole truth is known the capture is judged by
 * what really happened.
 *
 *   sharc_sim_synthetic_new(&shape, &site, &err);        or sharc_sim_recorded_new
 *   struct sharc_sim_options o = SHARC_SIM_OPTIONS;
 *   sharc_sim_run(site, strategies, n, &o, results, &err);
 *
 * One seed gives one result, whatever the number of threads. Tables and
 * pictures of results are in sim_report.h, the papers' tables in sim_table.h,
 * continuous capture in sim_watch.h, plans in sim_plan.h.
 */
#ifndef SHARC_SIM_H
#define SHARC_SIM_H

#include "sharc/base.h"
#include "sharc/rate_model.h"
#include "sharc/schedule.h"
#include "sharc/sim_dataset.h"

SHARC_PRIVATE_BEGIN

/* --- sites --------------------------------------------------------------- */

/* What a strategy is told about how often a page changes. */
enum sharc_sim_rates {
    SHARC_SIM_ORACLE,    /* counted inside the window itself (synthetic: the true rate) */
    SHARC_SIM_HISTORY,   /* (changes in the two years before + 0.1) / (time observed + 30 days) */
    SHARC_SIM_PREDICTED, /* by a model, from the URL and the page alone */
    SHARC_SIM_SITEMAP,   /* as a truthful sitemap would state it */
    SHARC_SIM_AGE,       /* 1 / (time since the last change + 1 h), renewed at each visit */
    SHARC_SIM_COMBINED,  /* a forecast from the site's whole past, with the page's own count */
    SHARC_SIM_COUNTED,   /* counted inside the window, also for synthetic sites: hindsight */
    SHARC_SIM_NEAR,      /* URL and age at the visit, learned from the pages seen so far */
    SHARC_SIM_GIVEN,     /* by the caller, page by page; has no name to be asked for by */
};
const char *sharc_sim_rates_name(enum sharc_sim_rates r);

/* A site that many threads may crawl at once: it never changes. */
struct sharc_sim_site;
void sharc_sim_site_free(struct sharc_sim_site *s);
void sharc_sim_site_freep(struct sharc_sim_site **s);
uint32_t sharc_sim_site_pages(const struct sharc_sim_site *s);

/* The sites of the papers: n pages in a full tree of constant out-degree; the
 * page of heat rank i (0: hottest) changes as a Poisson process with
 * 1/(i+1)^skew changes per unit of time. Cold leaves: the root is hottest and
 * pages cool down level by level; hot leaves: the reverse. The order of the
 * links on a page is drawn anew in each run. A slot lasts `slowdown` units. */
struct sharc_sim_synthetic {
    uint32_t pages;
    double skew;
    uint32_t outdegree;
    bool hot_leaves;
    double slowdown;
    enum sharc_sim_rates rates; /* all but predicted, combined and near */
    double delay;               /* seconds of a slot; only sitemaps care */
};
#define SHARC_SIM_SYNTHETIC                                                      \
    {                                                                            \
        .pages = 10000, .skew = 1.2, .outdegree = 400, .slowdown = 1, .delay = 3 \
    }
/* SHARC_EINVAL with a sentence when a number makes no sense. Histories are
 * generated page by page when they are needed and never stored. */
int sharc_sim_synthetic_new(const struct sharc_sim_synthetic *shape, struct sharc_sim_site **ret,
                            struct sharc_err *reterr);

/* A crawl that fills the window [from, to] of a recorded history. Pages are
 * those alive during the whole window, or with `births` all that live in part of
 * it: a link leads somewhere only while its target exists, and a page may be
 * gone at its visit or revisit. Pages that no living page leads to hang on the
 * page that breadth-first search reaches last. */
struct sharc_sim_window {
    double from, to; /* seconds since 1970 */
    bool births;
    bool absences;              /* play short absences back as failures */
    enum sharc_sim_rates rates; /* what is known at `from` */
    /* Predicted: a model whose columns begin with those of sharc_rate_columns.
     * NULL: trained on the history before the window. */
    const struct sharc_rate_model *model;
    enum sharc_rate_learner learner; /* when trained here */
    const double *weight;            /* one for each page of the dataset, >= 0; NULL: all alike */
    const double *given;             /* given: changes per second, one for each page of the dataset */
};
/* The dataset must outlive the site. SHARC_EINVAL when the window lies outside
 * the history or holds no page. */
int sharc_sim_recorded_new(const struct sharc_dataset *d, const struct sharc_sim_window *w, struct sharc_sim_site **ret,
                           struct sharc_err *reterr);
/* Pages of a recorded site as pages of its dataset. */
sharc_page_no sharc_sim_site_origin(const struct sharc_sim_site *s, sharc_page_no page);
/* Rate told for a page, changes per second (synthetic: per unit of time). */
double sharc_sim_site_rate(const struct sharc_sim_site *s, sharc_page_no page);
/* Pages that change inside a recorded window; 0 for synthetic sites. */
uint32_t sharc_sim_site_changing(const struct sharc_sim_site *s);

/* --- signals --------------------------------------------------------------- */

/* What the site says itself of its changes, in a sitemap that is read when the crawl
 * begins, when the visits end and between parts of the revisits (sharc-focus); or in a feed
 * or a list of what is new, which is a page and read until the first revisit only. */
struct sharc_sim_signals {
    bool on;
    enum sharc_sim_teller { SHARC_SIM_LASTMOD, SHARC_SIM_FEED, SHARC_SIM_HUB } teller;
    uint32_t entries; /* of feed and list: the pages that changed last */
    double recall;    /* of the changes, the share that it tells of */
    double precision; /* of the pages it names in the window, the share that have changed; 0: it
                         stamps every page with the time of the reading */
    double late;      /* how old it is when it is read, as a share of the crawl */
};
/* "lastmod" (honest) or "lastmod:RECALL,PRECISION,LATE"; missing numbers are 1, 1, 0. "feed:ENTRIES" and
 * "hub:ENTRIES", with the same numbers behind. */
int sharc_sim_signals_parse(struct sharc_span text, struct sharc_sim_signals *ret, struct sharc_err *reterr);

/* --- runs ---------------------------------------------------------------- */

struct sharc_sim_options {
    uint64_t seed;
    unsigned runs;    /* >= 1 */
    unsigned threads; /* 0: one per core */
    double known;     /* share of the pages known beforehand; offline strategies know all */
    bool size_known;  /* tell online strategies the true number of pages */
    bool bound;       /* compute the upper bound of coherence */
    bool both_forms;  /* also compare strategies with revisits in the other form: same_delay, same_time */
    struct sharc_strategy_params params;
    struct sharc_sim_signals signals;
    double (*cpu_seconds)(void); /* CPU clock of the calling thread; NULL: seconds stay 0 */
    /* One of `total` crawls is done; may be called from several threads at once. */
    void (*progress)(void *arg, size_t total);
    void *progress_arg;
};
#define SHARC_SIM_OPTIONS                                                    \
    {                                                                        \
        .seed = 1, .runs = 1, .bound = true, .params = SHARC_STRATEGY_PARAMS \
    }

/* With weights a page counts as much as it weighs, in all measures but those that
 * count requests and pages. Weights are scaled to a mean of 1 over the pages of the
 * site, so that sums stay comparable with numbers of pages. */

/* A mean over runs and half the width of its 95 % confidence interval (Student;
 * 0 for one run). */
struct sharc_sim_mean {
    double mean, half;
};

struct sharc_sim_result {
    const struct sharc_strategy_ops *strategy;
    unsigned runs;
    struct sharc_sim_mean average_blur; /* actual, per captured page */
    struct sharc_sim_mean incoherence;  /* pages; with one visit: changed since the start */
    /* Second looks cost requests, and there are two ways to compare: all captures last equally
     * long, as in a recorded window, and the longest hurries; or all wait equally long between
     * requests, as on a synthetic site, and it ends later. One of these is `incoherence`; the
     * other is NAN unless both_forms is asked for, and with one visit. */
    struct sharc_sim_mean same_time, same_delay;
    struct sharc_sim_mean expected_coherence; /* by the rates told; NAN with one visit */
    struct sharc_sim_mean expected_blur;      /* by the rates told, per page */
    double
        bound; /* no order of one visit and one revisit can expect more; second looks can. NAN: not asked, one visit */
    double blur_bound;             /* lower bound of the expected average blur */
    struct sharc_sim_mean seconds; /* CPU, strategy and scoring together */
    struct sharc_sim_mean requests, hopeless, second_looks;
    struct sharc_sim_mean captured; /* pages visited while they existed */
    struct sharc_sim_mean missed;   /* pages never visited, or gone when visited */
    size_t strategy_bytes;          /* memory held by the strategy at the end of the first run */
};
/* results has room for n. 0 or the first error of strategy creation. */
int sharc_sim_run(const struct sharc_sim_site *site, const struct sharc_strategy_ops *const *strategies, size_t n,
                  const struct sharc_sim_options *options, struct sharc_sim_result *results, struct sharc_err *reterr);

/* One run in full, for pictures: where each page was put. */
struct sharc_sim_trace {
    uint32_t pages, slots;
    uint32_t *visit, *revisit; /* slot, UINT32_MAX: never; the apex is its own revisit */
    double *rate;              /* changes per slot */
    bool *hopeless;
    bool *changed; /* between visit and revisit, or since the start */
};
int sharc_sim_trace_run(const struct sharc_sim_site *site, const struct sharc_strategy_ops *strategy,
                        const struct sharc_sim_options *options, struct sharc_sim_trace *ret, struct sharc_err *reterr);
void sharc_sim_trace_done(struct sharc_sim_trace *t);

/* "a,b,c", "all" (every strategy), "blur" or "coherence" (all of that purpose).
 * *ret is malloc'ed. SHARC_ENOENT names the strategy that does not exist. */
int sharc_sim_strategies_parse(struct sharc_span names, const struct sharc_strategy_ops ***ret, size_t *ret_n,
                               struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
