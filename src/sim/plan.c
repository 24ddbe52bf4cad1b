/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a plan: every strategy crawls the site as it is known today, in virtual
 * time; the best schedule gives the bound, the pages beyond help, and what each
 * part of the site would gain by a capture of its own.
 */
#include "sharc/sim_plan.h"

#include "plan_int.h"
#include "promise_int.h"
#include "sharc/base_map.h"
#include "sharc/quality.h"
#include "sim_int.h"

#include <math.h>
#include <stdlib.h>

#define EVEN_CHANCE 0.5
#define LEAST_GAIN 0.5   /* pages */
#define LEAST_SHARE 0.01 /* and of the part's pages: less is not worth a capture of its own */

static const char *const usual[] = {
    "bfs",         "sharc-online",   "sharc-offline",          "bfs-fifo",
    "bfs-lifo",    "sharc-revisits", "sharc-selective-online", "sharc-selective-offline",
    "sharc-focus", "sharc-optimal",
};

/* --- parts of the site ----------------------------------------------------- */

/* "/docs/" of "/docs/a.html", "/" of "/a.html". */
static struct sharc_span part_of(struct sharc_span url)
{
    size_t end = sharc_span_find(url, '/', 1);
    return sharc_span_sub(url, 0, end == SHARC_NPOS ? 1 : end + 1);
}

static int by_gain(const void *a, const void *b)
{
    const struct sharc_sim_part *x = a, *y = b;
    double gx = x->alone - x->together, gy = y->alone - y->together;
    if (gx != gy) return gx > gy ? -1 : 1;
    return sharc_span_cmp(x->prefix, y->prefix);
}

struct grouping {
    struct sharc_intern *names;
    uint32_t *group; /* of each page */
    size_t *at;      /* pages of group g: order[at[g] … at[g+1]) */
    uint32_t *order;
};

static void grouping_done(struct grouping *g)
{
    sharc_intern_free(g->names);
    free(g->group);
    free(g->at);
    free(g->order);
}

static void group_pages(const struct sharc_sim_site *s, struct grouping *g)
{
    *g = (struct grouping){.names = sharc_intern_new(), .group = SHARC_NEW_ARRAY(uint32_t, s->pages)};
    for (uint32_t p = 0; p < s->pages; p++)
        g->group[p] = sharc_intern_add(g->names, part_of(s->data->page[s->origin[p]].url), NULL);
    uint32_t n = sharc_intern_count(g->names);
    g->at = SHARC_NEW_ARRAY(size_t, n + 2);
    g->order = SHARC_NEW_ARRAY(uint32_t, s->pages);
    for (uint32_t p = 0; p < s->pages; p++) g->at[g->group[p] + 2]++;
    for (uint32_t i = 0; i < n; i++) g->at[i + 2] += g->at[i + 1];
    for (uint32_t p = 0; p < s->pages; p++) g->order[g->at[g->group[p] + 1]++] = p;
}

/* What group i expects inside the whole capture and alone. */
static struct sharc_sim_part judge_part(const struct sharc_sim_site *s, const struct grouping *g, uint32_t i,
                                        const double *rate, const double *chance)
{
    uint32_t n = (uint32_t)(g->at[i + 1] - g->at[i]);
    SHARC_AUTO(sharc_freep) double *own = SHARC_NEW_ARRAY(double, n);
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, n);
    struct sharc_sim_part part = {.pages = n, .seconds = s->slot * (2.0 * n - 2)};
    for (uint32_t k = 0; k < n; k++) {
        uint32_t p = g->order[g->at[i] + k];
        own[k] = rate[p];
        weight[k] = sharc__sim_weight(s, p);
        part.together += weight[k] * chance[p];
    }
    part.prefix = part_of(s->data->page[s->origin[g->order[g->at[i]]]].url);
    part.alone = sharc_schedule_optimum(own, weight, n, 0, NULL).expected_coherence;
    return part;
}

static void find_parts(const struct sharc_sim_site *s, const double *rate, const double *chance,
                       struct sharc_sim_plan *plan)
{
    SHARC_AUTO(grouping_done) struct grouping g;
    group_pages(s, &g);
    uint32_t n = sharc_intern_count(g.names);
    plan->parts = SHARC_NEW_ARRAY(struct sharc_sim_part, n);
    for (uint32_t i = 0; i < n && n > 1; i++) {
        struct sharc_sim_part part = judge_part(s, &g, i, rate, chance);
        if (part.alone - part.together >= fmax(LEAST_GAIN, LEAST_SHARE * part.pages))
            plan->parts[plan->part_count++] = part;
    }
    qsort(plan->parts, plan->part_count, sizeof *plan->parts, by_gain);
}

/* --- hopeless pages ---------------------------------------------------------- */

static int by_rate(const void *a, const void *b)
{
    const struct sharc_sim_hopeless *x = a, *y = b;
    if (x->rate != y->rate) return x->rate > y->rate ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

static void find_hopeless(const struct sharc_sim_site *s, const double *chance, struct sharc_sim_plan *plan)
{
    plan->hopeless = SHARC_NEW_ARRAY(struct sharc_sim_hopeless, s->pages);
    for (uint32_t p = 0; p < s->pages; p++) {
        if (chance[p] >= EVEN_CHANCE) continue;
        plan->hopeless[plan->hopeless_count++] = (struct sharc_sim_hopeless){s->origin[p], s->told[p], chance[p]};
    }
    qsort(plan->hopeless, plan->hopeless_count, sizeof *plan->hopeless, by_rate);
}

/* The best schedule with one revisit: bound, and each page's chance in it. */
static void best_schedule(const struct sharc_sim_site *s, struct sharc_sim_plan *plan)
{
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, s->pages);
    SHARC_AUTO(sharc_freep) double *chance = SHARC_NEW_ARRAY(double, s->pages);
    SHARC_AUTO(sharc_freep) uint32_t *interval = SHARC_NEW_ARRAY(uint32_t, s->pages);
    for (uint32_t p = 0; p < s->pages; p++) rate[p] = s->told[p] * s->slot;
    plan->bound = sharc_schedule_optimum(rate, s->weight, s->pages, 0, interval).bound;
    for (uint32_t p = 0; p < s->pages; p++) chance[p] = sharc_quality_unchanged(rate[p], 2.0 * interval[p]);
    find_hopeless(s, chance, plan);
    find_parts(s, rate, chance, plan);
}

/* Rates say what a part gains; the whole site's promise, how far rates are to be believed. Parts
 * that gain nothing by that are none. */
static void promise_parts(struct sharc_sim_plan *plan)
{
    const struct sharc_sim_result *best = sharc_sim_plan_best(plan, true);
    const double expected = best ? plan->pages - best->expected_coherence.mean : 0;
    size_t kept = 0;
    for (size_t i = 0; i < plan->part_count && expected > 0; i++) {
        struct sharc_sim_part part = plan->parts[i];
        const struct sharc_sim_promise *whole = &plan->promises.of[best - plan->results].lost;
        part.gained = sharc__sim_promise_times(whole, (part.alone - part.together) / expected, part.pages);
        if (part.gained.median >= LEAST_GAIN) plan->parts[kept++] = part;
    }
    plan->part_count = kept;
}

/* --- second looks ---------------------------------------------------------------- */

/* How many will be made follows from what the visits show, which a plan does not know. The
 * past does. */
static void expect_looks(struct sharc_sim_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        struct sharc_sim_result *r = &plan->results[i];
        double more = round(plan->promises.of[i].requests) - r->requests.mean;
        if (!(more > 0) || !r->strategy->revisits) continue;
        r->requests.mean += more;
        r->second_looks.mean += more;
    }
}

/* What a strategy that makes more requests loses when it must hurry. */
static int same_time(struct sharc_sim_site *s, const struct sharc_sim_options *run, struct sharc_sim_plan *plan,
                     struct sharc_err *reterr)
{
    const double usual_slots = fmax(2.0 * s->pages - 2, 1), delay = s->slot;
    plan->same_time = SHARC_NEW_ARRAY(struct sharc_sim_same_time, plan->n);
    for (size_t i = 0; i < plan->n; i++) {
        const struct sharc_sim_result *r = &plan->results[i];
        plan->same_time[i].delay = (double)NAN;
        /* Orders that are no pyramid make one request more: that is nothing. */
        if (!r->strategy->revisits || r->requests.mean - 2 <= usual_slots) continue;
        struct sharc_sim_result hurried;
        s->slot = delay * usual_slots / (r->requests.mean - 1);
        int code = sharc_sim_run(s, &r->strategy, 1, run, &hurried, reterr);
        const double lost = s->pages - r->expected_coherence.mean;
        const double times = lost > 0 ? (s->pages - hurried.expected_coherence.mean) / lost : 1;
        plan->same_time[i] = (struct sharc_sim_same_time){
            s->slot,
            sharc__sim_promise_times(&plan->promises.of[i].lost, code < 0 ? 1 : times, s->pages),
        };
        s->slot = delay;
        if (code < 0) return code;
    }
    return 0;
}

/* --- the plan ------------------------------------------------------------------ */

int sharc_sim_plan_make(const struct sharc_dataset *d, const struct sharc_sim_plan_options *o,
                        struct sharc_sim_plan *ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!(o->delay > 0 && o->delay <= 86400), reterr, SHARC_EINVAL,
                  "the delay between downloads must be more than 0 and at most a day");
    double at = isnan(o->at) ? d->end : o->at;
    struct sharc_sim_window w = {
        .rates = o->rates, .model = o->model, .learner = SHARC_RATE_C45, .given = o->given, .weight = o->weight};
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *s = NULL;
    int r = sharc__sim_forecast_new(d, at, o->delay, &w, &s, reterr);
    if (r < 0) return r;
    const struct sharc_strategy_ops *list[SHARC_LENGTH(usual)];
    for (size_t i = 0; i < SHARC_LENGTH(usual); i++) {
        list[i] = sharc_strategy_find(usual[i]);
        SHARC_ASSERT(list[i]);
    }
    const struct sharc_strategy_ops *const *strategies = o->strategies ? o->strategies : list;
    struct sharc_sim_plan plan = {
        .data = d,
        .pages = s->pages,
        .at = at,
        .delay = o->delay,
        .rates = o->given_from ? o->given_from : sharc_sim_rates_name(o->rates),
        .n = o->strategies ? o->n : SHARC_LENGTH(usual),
    };
    plan.results = SHARC_NEW_ARRAY(struct sharc_sim_result, plan.n);
    struct sharc_sim_options run = o->run;
    run.bound = false;
    r = sharc_sim_run(s, strategies, plan.n, &run, plan.results, reterr);
    if (r >= 0) r = sharc_sim_promise_make(s, plan.results, plan.n, &run, &plan.promises, reterr);
    if (r >= 0) {
        expect_looks(&plan);
        r = same_time(s, &run, &plan, reterr);
    }
    if (r >= 0) {
        best_schedule(s, &plan);
        promise_parts(&plan);
        r = sharc__sim_plan_otherwise(s, &run, &plan, reterr);
    }
    if (r < 0) {
        sharc_sim_plan_done(&plan);
        return r;
    }
    *ret = plan;
    return 0;
}

void sharc_sim_plan_done(struct sharc_sim_plan *p)
{
    free(p->results);
    free(p->hopeless);
    free(p->parts);
    free(p->same_time);
    sharc_sim_promises_done(&p->promises);
    *p = (struct sharc_sim_plan){0};
}
