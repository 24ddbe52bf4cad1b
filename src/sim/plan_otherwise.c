/* SPDX-License-Identifier: Apache-2.0
 *
 * Would another delay, or another hour, change the picture? The same capture is planned
 * again, and promised again, at three other delays and at the quietest hour of the day.
 */
#include "plan_int.h"

#include "promise_int.h"
#include "sharc/base_order.h"
#include "sim_int.h"

#include <math.h>
#include <stdlib.h>

#define HOUR 3600.0
#define DAY 86400.0
#define HOURS 24
#define RHYTHM (2 * DAY)   /* a capture that lasts longer does not care when it begins */
#define MEMORY (182 * DAY) /* how much of the past shows the rhythm */
#define LEAST_DAYS 14      /* of it, at least */
#define LEAST_CHANGES 5.0  /* a capture at the usual hour meets this many, or there is no rhythm to see */
#define QUIETER 0.5        /* and the other hour at most this share of them */

static const double pace_times[SHARC_SIM_PACES] = {1.0 / 3, 0.1, 3};

static int promise_again(struct sharc_sim_site *s, const struct sharc_sim_options *run,
                         const struct sharc_sim_plan *plan, struct sharc_sim_otherwise *ret, struct sharc_err *reterr)
{
    struct sharc_sim_result result;
    SHARC_AUTO(sharc_sim_promises_done) struct sharc_sim_promises promises = {0};
    int code = sharc_sim_run(s, &plan->judged->strategy, 1, run, &result, reterr);
    if (code >= 0) code = sharc_sim_promise_make(s, &result, 1, run, &promises, reterr);
    if (code < 0) return code;
    *ret = (struct sharc_sim_otherwise){
        .delay = s->slot,
        .at = s->from,
        .seconds = s->slot * fmax(result.requests.mean - 1, 0),
        .lost = promises.of[0].lost,
    };
    return 0;
}

/* --- the hour ------------------------------------------------------------------- */

/* Changes of the site's pages in each of the last `hours` before its time. */
static uint32_t *count_changes(const struct sharc_sim_site *s, size_t hours)
{
    uint32_t *count = SHARC_NEW_ARRAY(uint32_t, hours);
    const double since = s->from - (double)hours * HOUR;
    for (uint32_t p = 0; p < s->pages; p++) {
        const double *h;
        size_t n = sharc_dataset_between(s->data, s->origin[p], since, s->from, &h);
        for (size_t i = 0; i < n; i++) {
            size_t hour = (size_t)((h[i] - since) / HOUR);
            count[hour < hours ? hour : hours - 1]++;
        }
    }
    return count;
}

/* What a capture of `length` hours that begins `hour` hours later in the day would have met: the
 * middle of all days, since a bulk edit says nothing of the hour. */
static double met_at(const uint32_t *count, size_t hours, size_t hour, size_t length)
{
    SHARC_AUTO(sharc_freep) uint32_t *met = SHARC_NEW_ARRAY(uint32_t, hours / HOURS + 1);
    size_t n = 0;
    for (size_t from = hour; from + length <= hours; from += HOURS) {
        for (size_t k = 0; k < length; k++) met[n] += count[from + k];
        n++;
    }
    qsort(met, n, sizeof *met, sharc_order_u32);
    const size_t middle = n / 2;
    return n ? (double)met[middle] : HUGE_VAL;
}

/* Hours to wait for the quietest hour; 0: now is as good. */
static size_t quietest(const struct sharc_sim_site *s, double seconds)
{
    const size_t days = (size_t)(fmin(s->from - s->data->start, MEMORY) / DAY), hours = days * HOURS;
    const size_t length = (size_t)ceil(seconds / HOUR);
    if (days < LEAST_DAYS || length >= (size_t)(RHYTHM / HOUR)) return 0;
    SHARC_AUTO(sharc_freep) uint32_t *count = count_changes(s, hours);
    const double now = met_at(count, hours, 0, length);
    double least = now;
    size_t best = 0;
    for (size_t hour = 1; hour < HOURS; hour++) {
        double met = met_at(count, hours, hour, length);
        if (met < least) least = met, best = hour;
    }
    return now >= LEAST_CHANGES && least <= QUIETER * now ? best : 0;
}

/* --- all --------------------------------------------------------------------------- */

/* Second looks take long to plan: the best of the others stands for them. */
static const struct sharc_sim_result *quick(const struct sharc_sim_plan *plan)
{
    const struct sharc_sim_result *found = NULL;
    for (size_t i = 0; i < plan->n; i++) {
        const struct sharc_sim_result *r = &plan->results[i];
        if (!r->strategy->revisits || r->strategy->slow) continue;
        if (!found || r->expected_coherence.mean > found->expected_coherence.mean) found = r;
    }
    return found;
}

int sharc__sim_plan_otherwise(struct sharc_sim_site *s, const struct sharc_sim_options *run,
                              struct sharc_sim_plan *plan, struct sharc_err *reterr)
{
    const double delay = s->slot, at = s->from;
    int code = 0;
    plan->hour.delay = (double)NAN;
    plan->judged = quick(plan);
    if (!plan->judged) return 0;
    for (size_t i = 0; i < SHARC_SIM_PACES && code >= 0; i++) {
        s->slot = delay * pace_times[i];
        code = promise_again(s, run, plan, &plan->pace[i], reterr);
    }
    s->slot = delay;
    const size_t wait = code < 0 ? 0 : quietest(s, delay * fmax(plan->judged->requests.mean - 1, 0));
    if (wait) {
        s->from = at + (double)wait * HOUR;
        code = promise_again(s, run, plan, &plan->hour, reterr);
        s->from = at;
    }
    return code;
}
