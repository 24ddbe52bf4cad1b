/* SPDX-License-Identifier: Apache-2.0
 *
 * The coherence of a query: for every page one version is shown, each true on an
 * interval of time; the heaviest set of versions true at one instant is what the
 * reader may take as having existed together.
 */
#include "quality_int.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

/* At one instant: first the intervals that are open at their end leave, then new
 * ones enter, then the closed ones leave. */
enum step { LEAVE_OPEN, ENTER, LEAVE_CLOSED };

struct event {
    double at;
    enum step step;
    double weight;
};

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->at < y->at || x->at > y->at) return x->at < y->at ? -1 : 1;
    return (int)x->step - (int)y->step;
}

double sharc__quality_stab(const struct sharc_version *v, size_t n, bool closed, double *ret_at)
{
    if (n == 0) return 0;
    SHARC_AUTO(sharc_freep) struct event *events = SHARC_NEW_ARRAY(struct event, 2 * n);
    for (size_t i = 0; i < n; i++) {
        bool point = !(v[i].from < v[i].to);
        events[2 * i] = (struct event){v[i].from, ENTER, v[i].weight};
        events[2 * i + 1] =
            (struct event){point ? v[i].from : v[i].to, closed || point ? LEAVE_CLOSED : LEAVE_OPEN, v[i].weight};
    }
    qsort(events, 2 * n, sizeof *events, by_time);

    double now = 0, best = -1;
    for (size_t i = 0; i < 2 * n; i++) {
        now += events[i].step == ENTER ? events[i].weight : -events[i].weight;
        if (events[i].step == ENTER && now > best) {
            best = now;
            *ret_at = events[i].at;
        }
    }
    return best;
}

size_t sharc_quality_nearest(const double *captures, size_t n, double t)
{
    size_t above = sharc_count_until(captures, n, t);
    if (above == 0) return 0;
    if (above == n) return n - 1;
    return captures[above] - t < t - captures[above - 1] ? above : above - 1;
}

struct sharc_version sharc_quality_invariance(const double *h, size_t n, double t, double weight)
{
    size_t above = sharc_count_until(h, n, t);
    return (struct sharc_version){.from = above > 0 ? h[above - 1] : -HUGE_VAL,
                                  .to = above < n ? h[above] : HUGE_VAL,
                                  .weight = weight};
}

double sharc_quality_query_coherence(const struct sharc_version *v, size_t n, double *ret_at)
{
    double all = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        all += v[i].weight;
    }
    double best = sharc__quality_stab(v, n, /* closed= */ false, &at);
    if (n > 0 && ret_at) *ret_at = at;
    return all > 0 ? fmin(best / all, 1) : 1;
}
