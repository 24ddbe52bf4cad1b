/* SPDX-License-Identifier: Apache-2.0
 *
 * The same captures on windows of the past: each by what was known when it began, on
 * the pages of that time, and counted for as many pages as there are now.
 */
#include "promise_int.h"
#include "sim_int.h"

#include "sharc/base_pool.h"

#include <math.h>
#include <stdlib.h>

#define DAY 86400.0
#define WEEK (7 * DAY)
#define OVERLAP 6.0      /* windows of a short past may overlap by all but this part */
#define LEAST_BEFORE 0.1 /* of the past: nothing could be known of pages earlier */
#define SLOW_PAGES 60000 /* crawled in all by each strategy that takes long, and with rates that do, */
#define SLOW_LEAST 4     /* but this many windows at least */
#define COMPANION "sharc-selective-offline"

/* --- which windows ---------------------------------------------------------------- */

/* At the same hour of the same weekday as far as the past allows: a site has its rhythm. */
size_t sharc__sim_past_windows(const struct sharc_dataset *d, double at, double span,
                               double ret_start[SHARC_SIM_PROMISE_WINDOWS])
{
    const double steps = SHARC_SIM_PROMISE_WINDOWS - 1;
    const double earliest = d->start + fmin(LEAST_BEFORE * (at - d->start), 30 * DAY);
    double unit = span <= WEEK ? WEEK : DAY;
    double first = ceil(span / unit - 1e-9) * unit, step = fmax(first, WEEK);
    if (at - first - steps * step < earliest) {
        first = span <= DAY && at - span - steps * DAY < earliest ? span : ceil(span / DAY - 1e-9) * DAY;
        step = fmax((at - first - earliest) / steps, span / OVERLAP);
        if (step >= DAY) step = floor(step / DAY) * DAY;
    }
    size_t n = 0;
    while (n < SHARC_SIM_PROMISE_WINDOWS && at - first - (double)n * step >= earliest) {
        ret_start[n] = at - first - (double)n * step;
        n++;
    }
    return n;
}

/* --- one window ------------------------------------------------------------------- */

struct replay {
    const struct sharc_sim_site *now;
    const struct sharc_strategy_ops **strategies; /* slow ones last */
    uint32_t *place;                              /* of each strategy in that order */
    size_t n, quick;
    enum sharc_sim_rates rates;
    struct sharc_sim_options options;
    const double *start;
    double span;
    double *weight; /* by page of the dataset, or NULL */
    size_t slow_windows;
    struct sharc__sim_seen *seen;
    struct sharc_err *errors;
};

/* Rates that take long to make are made for some of the windows only; in all of them plain history stands in. */
static enum sharc_sim_rates quick_rates(enum sharc_sim_rates now)
{
    return now == SHARC_SIM_COMBINED || now == SHARC_SIM_PREDICTED ? SHARC_SIM_HISTORY : now;
}

static int replay_one(size_t window, unsigned thread, void *arg)
{
    (void)thread;
    const struct replay *r = arg;
    const struct sharc_sim_site *now = r->now;
    struct sharc_sim_window w = {
        .from = r->start[window],
        .to = r->start[window] + r->span,
        .births = now->births,
        .absences = now->absences,
        .rates = r->rates,
        .weight = r->weight,
    };
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *then = NULL;
    if (sharc_sim_recorded_new(now->data, &w, &then, NULL) < 0) return 0; /* no page of today, or none at all */
    const double more = (double)now->pages / then->pages;
    then->slot = now->slot * more;
    const size_t n = window < r->slow_windows ? r->n : r->quick;
    SHARC_AUTO(sharc_freep) struct sharc_sim_result *results = SHARC_NEW_ARRAY(struct sharc_sim_result, n);
    int code = n ? sharc_sim_run(then, r->strategies, n, &r->options, results, &r->errors[window]) : 0;
    if (code < 0) return code;
    for (size_t i = 0; i < n; i++)
        r->seen[r->place[i] * SHARC_SIM_PROMISE_WINDOWS + window] = (struct sharc__sim_seen){
            .lost = results[i].incoherence.mean * more,
            .blur = results[i].average_blur.mean,
            .requests = results[i].requests.mean * more,
        };
    return 0;
}

/* --- all ------------------------------------------------------------------------------ */

/* What a slow strategy, or one with slow rates, would have left in windows that it was not tried on: what a quick one
 * left there, times what was between the two elsewhere. */
static void lean_on(struct sharc__sim_seen *slow, const struct sharc__sim_seen *quick, size_t windows)
{
    double lost = 0, blur = 0, requests = 0, n = 0;
    for (size_t i = 0; i < windows; i++) {
        if (isnan(slow[i].lost) || isnan(quick[i].lost)) continue;
        lost += log((slow[i].lost + 0.5) / (quick[i].lost + 0.5));
        blur += log((slow[i].blur + 1e-9) / (quick[i].blur + 1e-9));
        requests += slow[i].requests;
        n++;
    }
    for (size_t i = 0; i < windows && n > 0; i++) {
        if (!isnan(slow[i].lost) || isnan(quick[i].lost)) continue;
        slow[i].lost = fmax((quick[i].lost + 0.5) * exp(lost / n) - 0.5, 0);
        slow[i].blur = quick[i].blur * exp(blur / n);
        slow[i].requests = requests / n;
    }
}

/* Every page of the dataset as it weighs now; those that are gone as much as the mean. */
static double *weights_of(const struct sharc_sim_site *now)
{
    if (!now->weight) return NULL;
    double *weight = SHARC_NEW_ARRAY(double, now->data->pages);
    for (size_t p = 0; p < now->data->pages; p++) weight[p] = 1;
    for (uint32_t p = 0; p < now->pages; p++) weight[now->origin[p]] = now->weight[p];
    return weight;
}

/* Quick strategies first; slow ones are tried on fewer windows. The companion of the slow ones is the last quick one
 * with revisits, or one that nobody asked for, in place n. */
static size_t order(const struct sharc_sim_result *results, size_t n, struct replay *r)
{
    size_t companion = n;
    for (size_t i = 0; i < n; i++) {
        if (results[i].strategy->slow) continue;
        if (results[i].strategy->revisits) companion = i;
        r->strategies[r->n] = results[i].strategy;
        r->place[r->n++] = (uint32_t)i;
    }
    if (companion == n && r->n < n) {
        r->strategies[r->n] = sharc_strategy_find(COMPANION);
        SHARC_ASSERT(r->strategies[r->n]);
        r->place[r->n++] = (uint32_t)n;
    }
    r->quick = r->n;
    for (size_t i = 0; i < n; i++) {
        if (!results[i].strategy->slow) continue;
        r->strategies[r->n] = results[i].strategy;
        r->place[r->n++] = (uint32_t)i;
    }
    return companion;
}

static void replay_done(struct replay *r)
{
    free(r->strategies);
    free(r->place);
    free(r->weight);
}

static struct sharc__sim_seen *seen_nothing(size_t n)
{
    struct sharc__sim_seen *seen = SHARC_NEW_ARRAY(struct sharc__sim_seen, n * SHARC_SIM_PROMISE_WINDOWS);
    for (size_t i = 0; i < n * SHARC_SIM_PROMISE_WINDOWS; i++)
        seen[i] = (struct sharc__sim_seen){(double)NAN, (double)NAN, (double)NAN};
    return seen;
}

static int replay_all(struct sharc_pool *pool, struct replay *r, size_t windows, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) struct sharc_err *errors = SHARC_NEW_ARRAY(struct sharc_err, windows);
    r->errors = errors;
    int code = sharc_pool_each(pool, windows, replay_one, r);
    if (code == 0) return 0;
    for (size_t i = 0; i < windows; i++) {
        if (errors[i].code == 0) continue;
        if (reterr) *reterr = errors[i];
        return code;
    }
    return sharc_fail(reterr, code, "the past could not be crawled");
}

int sharc__sim_replay(const struct sharc_sim_site *now, const struct sharc_sim_result *results, size_t n,
                      const struct sharc_sim_options *options, const double *start, size_t windows, double span,
                      struct sharc__sim_seen **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) struct sharc__sim_seen *seen = seen_nothing(n + 1);
    SHARC_AUTO(replay_done)
    struct replay r = {
        .now = now,
        .strategies = SHARC_NEW_ARRAY(const struct sharc_strategy_ops *, n + 1),
        .place = SHARC_NEW_ARRAY(uint32_t, n + 1),
        .rates = now->rates,
        .options = *options,
        .start = start,
        .span = span,
        .weight = weights_of(now),
        .seen = seen,
    };
    r.options.runs = 1;
    r.options.threads = 1;
    r.options.bound = false;
    r.options.both_forms = false;
    r.options.progress = NULL;
    const size_t companion = order(results, n, &r), slow = SLOW_PAGES / now->pages;
    r.slow_windows = slow < SLOW_LEAST ? SLOW_LEAST : slow;
    const bool stand_in = quick_rates(now->rates) != now->rates && r.slow_windows < windows;
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(options->threads);
    int code = replay_all(pool, &r, stand_in ? r.slow_windows : windows, reterr);
    if (code < 0) return code;
    if (stand_in) {
        SHARC_AUTO(sharc_freep) struct sharc__sim_seen *quick = seen_nothing(n + 1);
        r.rates = quick_rates(now->rates);
        r.slow_windows = 0;
        r.seen = quick;
        code = replay_all(pool, &r, windows, reterr);
        if (code < 0) return code;
        for (size_t i = 0; i < r.quick; i++)
            lean_on(seen + r.place[i] * SHARC_SIM_PROMISE_WINDOWS, quick + r.place[i] * SHARC_SIM_PROMISE_WINDOWS,
                    windows);
    }
    for (size_t i = r.quick; i < r.n; i++)
        lean_on(seen + r.place[i] * SHARC_SIM_PROMISE_WINDOWS, seen + companion * SHARC_SIM_PROMISE_WINDOWS, windows);
    *ret = SHARC_TAKE(seen);
    return 0;
}
