/* SPDX-License-Identifier: Apache-2.0
 *
 * How a capture strategy is put together:
 *
 *   shell (strategy.c)   phases, rules (1) to (7) of schedule.h, report
 *     book (book.c)      pages, rates, weights, what has happened to each
 *     picker             chooses the next visit among the detected pages
 *     tail (tail.c)      what follows the visits: nothing, revisits in the same
 *                        order or reversed, second looks, an order of its own
 *
 * A strategy is a row of registry.c: a picker and a tail. A plan is a picker of
 * its own (plan.c) that gets its order from a function over the sorted pages.
 *
 *   VISITING --no page detected--> TAIL --all handed out--> LATE
 *      ^                             |  (a page turns up: it waits)
 *      +---- a page turns up before the first revisit is handed out
 *   sharc_strategy_next changes the phase, and …_discover goes back to VISITING.
 */
#ifndef SHARC_SCHEDULE_INT_H
#define SHARC_SCHEDULE_INT_H

#include "sharc/base_order.h"
#include "sharc/schedule.h"

/* --- book ------------------------------------------------------------------- */

enum page_state {
    PAGE_UNKNOWN,
    PAGE_DETECTED, /* waits for its visit */
    PAGE_VISITED,
    PAGE_LOST, /* gone or failed: no revisit */
    PAGE_STATE = 3,
    /* flags beside the state */
    PAGE_HOPELESS = 4,
    PAGE_LOOKED = 8, /* handed out for a second look */
    PAGE_REVISITED = 16,
};

struct book {
    uint32_t room;  /* pages 0 … room-1 have a place */
    uint32_t count; /* discovered */
    uint32_t known; /* of these, before the first next() */
    uint32_t hopeless;
    double *rate;
    double *weight; /* NULL while all are 1 */
    uint8_t *state;
    uint32_t *slot;       /* of the download that the revisit is compared with */
    sharc_page_no *order; /* visits in order */
    uint32_t visits;
    double yield;   /* new pages per visit, of late */
    uint32_t fresh; /* new pages since the last visit */
};

void sharc__schedule_book_init(struct book *b);
void sharc__schedule_book_done(struct book *b);
size_t sharc__schedule_book_bytes(const struct book *b);
/* Make room for page. */
void sharc__schedule_book_reach(struct book *b, sharc_page_no page);
void sharc__schedule_book_set(struct book *b, sharc_page_no page, double rate, double weight);
void sharc__schedule_book_visit(struct book *b, sharc_page_no page, uint32_t slot, bool hopeless);
/* Pages the site is thought to have; at least those discovered. */
double sharc__schedule_book_size(const struct book *b, uint32_t told);

static inline double book_weight(const struct book *b, sharc_page_no p)
{
    return b->weight ? b->weight[p] : 1;
}
/* What strategies sort by: the loss per slot of delay. */
static inline double book_heat(const struct book *b, sharc_page_no p)
{
    return b->rate[p] * book_weight(b, p);
}
static inline enum page_state book_state(const struct book *b, sharc_page_no p)
{
    return (enum page_state)(b->state[p] & PAGE_STATE);
}
static inline uint32_t book_detected(const struct book *b)
{
    return b->count - b->visits;
}

/* --- sorted pages ------------------------------------------------------------ */

/* Pages in falling order of heat, ties by number; own arrays, parallel. */
struct ranking {
    uint32_t n;
    sharc_page_no *page;
    double *rate;
    double *weight; /* NULL: all 1 */
};
/* The pages of the book in that state. */
void sharc__schedule_ranking_init(struct ranking *r, const struct book *b, enum page_state which);
/* The same over plain arrays: page i is number i. */
void sharc__schedule_ranking_of(struct ranking *r, const double *rate, const double *weight, uint32_t n);
void sharc__schedule_ranking_done(struct ranking *r);
static inline double ranking_weight(const struct ranking *r, uint32_t i)
{
    return r->weight ? r->weight[i] : 1;
}

/* --- shell ------------------------------------------------------------------- */

struct picker {
    void *(*create)(struct sharc_strategy *s);
    void (*free)(void *state);
    void (*add)(struct sharc_strategy *s, sharc_page_no page);
    /* The page is detected and had this heat before; may be NULL. */
    void (*moved)(struct sharc_strategy *s, sharc_page_no page, double old_rate, double old_weight);
    /* Only called while pages are detected; must give one of them. */
    sharc_page_no (*take)(struct sharc_strategy *s, bool *ret_hopeless);
    /* Where the page's revisit stands, smaller is sooner; TAIL_OWN only. */
    double (*revisit_key)(struct sharc_strategy *s, sharc_page_no page);
    size_t (*bytes)(const void *state);
};

enum tail_kind {
    TAIL_NONE,
    TAIL_FIFO,
    TAIL_LIFO,
    TAIL_FOCUS, /* second looks, then LIFO */
    TAIL_OWN,   /* by revisit_key */
};

/* What a plan function gives back, per rank of the ranking. */
struct plan {
    uint32_t *slot;  /* position of the visit, 0 … n-1, a permutation */
    bool *hopeless;  /* NULL: none */
    double *revisit; /* TAIL_OWN only, else NULL: the revisit key */
    double expected; /* expected coherence, or NAN */
    double bound;    /* or NAN */
    bool exact;
};
typedef void plan_fn(const struct ranking *r, const struct sharc_strategy_params *params, struct plan *ret);

struct row {
    struct sharc_strategy_ops ops; /* first: a row is its ops */
    const struct picker *picker;
    enum tail_kind tail;
    plan_fn *plan; /* for the planning picker */
};
#define ROW_OF(operations) ((const struct row *)(const void *)(operations))

enum phase { PHASE_VISITING, PHASE_TAIL, PHASE_LATE };

struct tail {
    sharc_page_no *page; /* second looks first, then revisits */
    uint32_t count, looks, at;
    uint32_t renew_at; /* what follows is planned anew here; 0: never */
    uint32_t plans;    /* made for second looks */
    bool looks_closed; /* no second looks but those planned */
};

struct sharc_strategy {
    const struct sharc_strategy_ops *ops;
    const struct picker *picker;
    struct sharc_strategy_params params;
    struct book book;
    void *pick; /* the picker's state */
    enum phase phase;
    bool started; /* next() was called */
    struct tail tail;
    sharc_page_no *late; /* discovered too late, from `late_at` on */
    size_t late_count, late_room, late_at;
    uint32_t slots, visits, looks, revisits; /* handed out */
    double expected, bound;                  /* of a plan; NAN otherwise */
    bool exact;
};

/* Decide everything that follows the visits. */
void sharc__schedule_tail_make(struct sharc_strategy *s);
/* Decide anew what has not been handed out. */
void sharc__schedule_tail_renew(struct sharc_strategy *s);
/* Expected coherence of the capture as the tail stands. */
double sharc__schedule_tail_expected(const struct sharc_strategy *s);

/* --- pickers ----------------------------------------------------------------- */

extern const struct picker sharc__schedule_pick_bfs, sharc__schedule_pick_dfs;
extern const struct picker sharc__schedule_pick_hottest_first, sharc__schedule_pick_hottest_last,
    sharc__schedule_pick_utility;
extern const struct picker sharc__schedule_pick_online;
extern const struct picker sharc__schedule_pick_planned;
extern const struct picker sharc__schedule_pick_selective;
extern const struct picker sharc__schedule_pick_intervals;

/* --- plans --------------------------------------------------------------------- */

plan_fn sharc__schedule_plan_organ_pipes, sharc__schedule_plan_measurable;
plan_fn sharc__schedule_plan_threshold, sharc__schedule_plan_inducible, sharc__schedule_plan_selective,
    sharc__schedule_plan_optimal;
plan_fn sharc__schedule_plan_intervals;

/* --- pyramids -------------------------------------------------------------------
 * Interval number k stands for 2k slots. A two-ended schedule goes through the
 * ranking and gives each page the shortest interval left, or the longest. */

/* slot and expected of the plan, from plan->hopeless. */
void sharc__schedule_pyramid_two_ended(const struct ranking *r, struct plan *plan);
/* The same from interval numbers. */
void sharc__schedule_pyramid_from_intervals(const struct ranking *r, const uint32_t *interval, struct plan *plan);
/* Hopeless or not, per rank; the greedy test of sharc-selective. */
void sharc__schedule_selective_classify(const struct ranking *r, bool *ret_hopeless);

#endif
