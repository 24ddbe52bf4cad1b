/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room sim: a site is a table of five functions over immutable data; a
 * run is one crawl of it with its own seed and scratch memory.
 */
#ifndef SHARC_SIM_INT_H
#define SHARC_SIM_INT_H

#include "sharc/base_rng.h"
#include "sharc/rate_live.h"
#include "sharc/rate_since.h"
#include "sharc/sim.h"

#define NEVER UINT32_MAX
#define NO_SITE_END HUGE_VAL
#define AGE_GRAIN 3600.0 /* least age of a page that can be told, in seconds */

struct sharc__sim_run {
    const struct sharc_sim_site *site;
    uint64_t seed;
    double slot;          /* length of a slot in the site's unit of time */
    sharc_page_no *links; /* room for the site's most links of one page */
    double *chunk;        /* room for CHUNK changes */
    double utility_end;   /* end of the observation interval olston-pandey is told about */
    /* Rates learned from neighbours while visiting; NULL unless the site asks. */
    struct sharc_rate_live *live;
    struct sharc_rate_places *places; /* of its pages; NULL: not asked for yet */
};
#define SHARC__SIM_CHUNK 1024

/* In hundredths of a per cent, never rounded up: what is not all is not 100 %. */
static inline double sharc__sim_percent(double part, double whole)
{
    return floor(1e4 * (part / whole) + 1e-6) / 100;
}

/* What tables for people put behind a share of the bound that may exceed it. */
#define SHARC__SIM_UNBOUND " ¹"
#define SHARC__SIM_UNBOUND_NOTE \
    "¹ second looks at some pages: the bound is for one visit and one revisit, and they may exceed it"

/* Some changes of a page, ascending; false: enough. */
typedef bool sharc__sim_chunk_fn(void *arg, const double *h, size_t n);

struct sharc__sim_site_ops {
    /* Told when a page becomes known (known: beforehand), per unit of time. */
    double (*rate)(const struct sharc__sim_run *r, sharc_page_no page, bool known);
    /* What its visit at t adds: a new rate, or -1. */
    double (*rate_at_visit)(const struct sharc__sim_run *r, sharc_page_no page, double t);
    /* What the page's rate is thought to be by all that was seen so far; NULL: it
     * does not change by what others show. Only called when run->live is there. */
    double (*rate_now)(const struct sharc__sim_run *r, sharc_page_no page);
    /* The rate by which expectations are reckoned. */
    double (*judged_rate)(const struct sharc_sim_site *s, sharc_page_no page);
    /* Links found on the page at t, into r->links. */
    size_t (*links)(const struct sharc__sim_run *r, sharc_page_no page, double t);
    /* All changes in (site->from, to]. */
    void (*changes)(const struct sharc__sim_run *r, sharc_page_no page, double to, sharc__sim_chunk_fn *fn, void *arg);
    /* When the page last changed before t, as an answer at t states; NULL: answers
     * do not. */
    double (*last_change)(const struct sharc_sim_site *s, sharc_page_no page, double t);
    struct sharc_span (*url)(const struct sharc_sim_site *s, sharc_page_no page);
    /* Does the page answer at t? NULL: always. */
    bool (*exists)(const struct sharc_sim_site *s, sharc_page_no page, double t);
    void (*free)(struct sharc_sim_site *s);
};

struct sharc_sim_site {
    const struct sharc__sim_site_ops *ops;
    char *name;
    uint32_t pages, max_links;
    double from, to; /* to == NO_SITE_END: the crawl takes as long as it takes */
    double slot;     /* 0: the window divided by the slots */
    enum sharc_sim_rates rates;
    /* synthetic */
    struct sharc_sim_synthetic shape;
    /* recorded */
    const struct sharc_dataset *data;
    bool births, absences;
    sharc_page_no *origin;
    uint32_t *link_at;
    sharc_page_no *link_to;
    double *told;   /* rate per page, per second */
    double *weight; /* per page, mean 1; NULL: 1 each */
    double neutral;
    uint32_t changing;
};

static inline double sharc__sim_weight(const struct sharc_sim_site *s, sharc_page_no page)
{
    return s->weight ? s->weight[page] : 1;
}

/* What one crawl left behind, before it is judged. */
struct sharc__sim_record {
    uint32_t slots, requests, looks, hopeless, captured;
    uint32_t *first, *visit, *revisit; /* slots; first is NULL unless pages were looked at twice */
    uint8_t *state;                    /* bits SHARC__SIM_… */
    struct sharc_strategy_report report;
};
enum { SHARC__SIM_DETECTED = 1, SHARC__SIM_CAPTURED = 2, SHARC__SIM_HOPELESS = 4, SHARC__SIM_LOST = 8 };

struct sharc__sim_score {
    double blur, incoherence, coherence, expected_blur;
};

/* crawl.c */
int sharc__sim_crawl(struct sharc__sim_run *r, const struct sharc_strategy_ops *ops, const struct sharc_sim_options *o,
                     struct sharc__sim_record *ret, struct sharc_err *reterr);
void sharc__sim_record_done(struct sharc__sim_record *c);
/* score.c */
struct sharc__sim_score sharc__sim_judge(const struct sharc__sim_run *r, const struct sharc_strategy_ops *ops,
                                         const struct sharc__sim_record *c);
bool sharc__sim_changed(const struct sharc__sim_run *r, sharc_page_no page, double from, double to);
double sharc__sim_utility(void *run, sharc_page_no page);
/* Time of a slot. */
static inline double sharc__sim_time(const struct sharc__sim_run *r, uint32_t slot)
{
    return r->site->from + r->slot * slot;
}

void sharc__sim_run_init(struct sharc__sim_run *r, const struct sharc_sim_site *s, uint64_t seed);
void sharc__sim_run_done(struct sharc__sim_run *r);

/* recorded.c: the site as it is at `at`, of whose future nothing is known; only
 * w->rates, model and learner count. */
int sharc__sim_forecast_new(const struct sharc_dataset *d, double at, double delay, const struct sharc_sim_window *w,
                            struct sharc_sim_site **ret, struct sharc_err *reterr);

/* recorded_rates.c: fills s->told and s->neutral. */
int sharc__sim_rates_fill(struct sharc_sim_site *s, const struct sharc_sim_window *w, struct sharc_err *reterr);

/* stats.c */
struct sharc_sim_mean sharc__sim_mean(const double *v, size_t n);
/* Quantile 0.975 of Student's distribution. */
double sharc__sim_student(size_t degrees);

/* --- svg.c: what pictures are made of; classes t (title), s (small), e (right), m (centred), gr and ax (lines) */
#define SIM_SVG_WIDTH 900.0
void sharc__sim_svg_open(struct sharc_buf *out, double height, const char *title, const char *subtitle);
void sharc__sim_svg_label(struct sharc_buf *out, double x, double y, const char *class, const char *text);
void sharc__sim_svg_line(struct sharc_buf *out, const char *class, double x1, double y1, double x2, double y2);
void sharc__sim_svg_close(struct sharc_buf *out);

#endif
