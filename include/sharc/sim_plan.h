/* SPDX-License-Identifier: Apache-2.0
 *
 * Before crawling: how long a capture will take, how much blur and coherence
 * each strategy can expect at a given delay, what the best possible would be,
 * which pages cannot be proved whatever the order, and which parts of the site
 * would do better as a capture of their own, and whether another delay or another hour
 * would change the picture. Nothing is known of the future: what is expected follows from
 * the rates that the past suggests, and what is promised, always with an interval, from
 * what such captures would have cost before (sim_promise.h).
 */
#ifndef SHARC_SIM_PLAN_H
#define SHARC_SIM_PLAN_H

#include "sharc/sim.h"
#include "sharc/sim_promise.h"
#include "sharc/sim_report.h"

SHARC_PRIVATE_BEGIN

struct sharc_sim_plan_options {
    double at;                  /* the capture begins here; NAN: where the dataset ends */
    double delay;               /* seconds between two downloads, > 0 */
    enum sharc_sim_rates rates; /* history, predicted, age, combined or given */
    const struct sharc_rate_model *model;
    const double *weight;   /* as in struct sharc_sim_window: coherent pages, bound and parts count by it */
    const double *given;    /* rates given: as in struct sharc_sim_window, */
    const char *given_from; /* and where they come from, in a word or two; must outlive the plan */
    const struct sharc_strategy_ops *const *strategies; /* NULL: the usual ones */
    size_t n;
    struct sharc_sim_options run; /* known, params, threads, progress */
};
#define SHARC_SIM_PLAN_OPTIONS                                                               \
    {                                                                                        \
        .at = (double)NAN, .delay = 3, .rates = SHARC_SIM_COMBINED, .run = SHARC_SIM_OPTIONS \
    }

/* A page that is more likely than not to change before it can be checked. */
struct sharc_sim_hopeless {
    sharc_page_no page; /* of the dataset */
    double rate;        /* changes per second */
    double chance;      /* of staying unchanged in the best schedule */
};
/* The part of a site below one first path segment. */
struct sharc_sim_part {
    struct sharc_span prefix; /* "/docs/"; points into the dataset */
    uint32_t pages;
    double together, alone;          /* coherent pages expected within the site's capture, and apart */
    double seconds;                  /* of a capture of its own with revisits */
    struct sharc_sim_promise gained; /* pages that are proved by it and would be lost otherwise */
};
/* The same capture at another delay or another time of the day. */
struct sharc_sim_otherwise {
    double delay, at, seconds;
    struct sharc_sim_promise lost;
};
#define SHARC_SIM_PACES 3 /* faster, much faster, slower */
/* A strategy that looks at pages again, in the time of one visit and one revisit. */
struct sharc_sim_same_time {
    double delay; /* NAN: it takes no longer at the plan's delay */
    struct sharc_sim_promise lost;
};

struct sharc_sim_plan {
    const struct sharc_dataset *data;
    uint32_t pages;
    double at, delay;
    const char *rates;                /* where they come from */
    struct sharc_sim_result *results; /* n */
    size_t n;
    double bound;                        /* coherent pages that no schedule can exceed in expectation */
    struct sharc_sim_hopeless *hopeless; /* hottest first */
    size_t hopeless_count;
    struct sharc_sim_part *parts; /* worth splitting off, most gain first */
    size_t part_count;
    struct sharc_sim_promises promises;    /* of the results */
    struct sharc_sim_same_time *same_time; /* of the results */
    /* What `judged`, the best for evidence or a quick one beside it, would lose otherwise; NULL: no
     * strategy with revisits, no alternatives. */
    const struct sharc_sim_result *judged;
    struct sharc_sim_otherwise pace[SHARC_SIM_PACES];
    struct sharc_sim_otherwise hour; /* delay NAN: no hour is known to be better */
    /* Set by the caller before writing; NULL and 0 are fine. */
    const char *commands[2]; /* shell commands that make the recommended captures: exploration, evidence */
    unsigned width;          /* columns of the terminal that texts are wrapped to; 0: 79 */
};

/* The dataset must outlive the plan. */
int sharc_sim_plan_make(const struct sharc_dataset *d, const struct sharc_sim_plan_options *o,
                        struct sharc_sim_plan *ret, struct sharc_err *reterr);
void sharc_sim_plan_done(struct sharc_sim_plan *p);
/* The strategy of that kind with the best expectation; NULL when none was tried. */
const struct sharc_sim_result *sharc_sim_plan_best(const struct sharc_sim_plan *p, bool revisits);
/* Text ends with a recommendation in plain words, and the commands; JSON has them as
 * "recommendation" and "commands". */
void sharc_sim_plan_write(const struct sharc_sim_plan *p, enum sharc_sim_format format, struct sharc_buf *out);

SHARC_PRIVATE_END
#endif
