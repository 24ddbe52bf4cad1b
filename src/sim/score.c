/* SPDX-License-Identifier: Apache-2.0
 *
 * What a crawl was worth, from the truth: actual blur and incoherence from the
 * pages' histories, expectations from their rates. Histories come in pieces;
 * blur adds up over changes, so no piece needs to be kept.
 */
#include "sim_int.h"

#include "sharc/quality.h"

#include <math.h>

/* --- did it change? ------------------------------------------------------ */

struct between {
    double from;
    bool found;
};

static bool between_chunk(void *arg, const double *h, size_t n)
{
    struct between *b = arg;
    b->found = h[n - 1] > b->from; /* ascending, and none is later than the end */
    return !b->found;
}

bool sharc__sim_changed(const struct sharc__sim_run *r, sharc_page_no page, double from, double to)
{
    struct between b = {.from = from};
    if (from < to) r->site->ops->changes(r, page, to, between_chunk, &b);
    return b.found;
}

/* --- utility of olston-pandey --------------------------------------------- */

struct utility {
    double sum, os;
};

static bool utility_chunk(void *arg, const double *h, size_t n)
{
    struct utility *u = arg;
    for (size_t i = 0; i < n; i++) u->sum += h[i] - u->os;
    return true;
}

double sharc__sim_utility(void *run, sharc_page_no page)
{
    const struct sharc__sim_run *r = run;
    struct utility u = {.os = r->site->from};
    r->site->ops->changes(r, page, r->utility_end, utility_chunk, &u);
    return r->utility_end > u.os ? u.sum / (r->utility_end - u.os) : 0;
}

/* --- blur ----------------------------------------------------------------- */

/* A page's one, two or three downloads; those that are missing repeat the one
 * before. */
struct downloads {
    double first, visit, revisit; /* ascending */
    double os, oe;
    bool three, two;
    double blur;
};

static bool blur_chunk(void *arg, const double *h, size_t n)
{
    struct downloads *d = arg;
    if (d->three && d->oe > d->os) {
        /* Queries up to the middle of the first two are answered by the first. */
        double middle = (d->first + d->visit) / 2;
        double early = sharc_quality_actual_blur(h, n, d->first, d->os, middle) * (middle - d->os);
        double late = sharc_quality_actual_blur_revisit(h, n, d->visit, d->revisit, middle, d->oe) * (d->oe - middle);
        d->blur += (early + late) / (d->oe - d->os);
    } else if (d->two) {
        d->blur += sharc_quality_actual_blur_revisit(h, n, d->visit, d->revisit, d->os, d->oe);
    } else {
        d->blur += sharc_quality_actual_blur(h, n, d->visit, d->os, d->oe);
    }
    return true;
}

static double expected_blur(const struct downloads *d, double rate)
{
    return d->two ? sharc_quality_blur_revisit(rate, d->visit, d->revisit, d->os, d->oe)
                  : sharc_quality_blur(rate, d->visit, d->os, d->oe);
}

/* --- one capture ----------------------------------------------------------- */

static struct downloads downloads_of(const struct sharc__sim_run *r, const struct sharc__sim_record *c, sharc_page_no p,
                                     double oe)
{
    struct downloads d = {.os = r->site->from, .oe = oe, .visit = sharc__sim_time(r, c->visit[p])};
    d.two = c->revisit[p] != NEVER;
    d.revisit = d.two ? sharc__sim_time(r, c->revisit[p]) : d.visit;
    d.three = c->first && c->first[p] != NEVER;
    if (d.three) d.first = sharc__sim_time(r, c->first[p]);
    return d;
}

/* A page without a revisit proves nothing, a page lost on revisit neither. */
static bool incoherent(const struct sharc__sim_run *r, const struct sharc__sim_record *c, sharc_page_no p,
                       const struct downloads *d, bool revisits)
{
    if (c->state[p] & SHARC__SIM_LOST) return true;
    if (!revisits) return sharc__sim_changed(r, p, d->os, d->visit);
    return !d->two || sharc__sim_changed(r, p, d->visit, d->revisit);
}

struct sharc__sim_score sharc__sim_judge(const struct sharc__sim_run *r, const struct sharc_strategy_ops *ops,
                                         const struct sharc__sim_record *c)
{
    struct sharc__sim_score s = {0};
    double all = 0;
    double oe = sharc__sim_time(r, c->slots ? c->slots - 1 : 0);
    for (sharc_page_no p = 0; p < r->site->pages; p++) {
        if (!(c->state[p] & SHARC__SIM_CAPTURED)) continue;
        struct downloads d = downloads_of(r, c, p, oe);
        r->site->ops->changes(r, p, oe, blur_chunk, &d);
        double rate = r->site->ops->judged_rate(r->site, p);
        double weight = sharc__sim_weight(r->site, p);
        all += weight;
        s.blur += weight * d.blur;
        s.expected_blur += weight * expected_blur(&d, rate);
        s.incoherence += weight * incoherent(r, c, p, &d, ops->revisits);
        if (ops->revisits && d.two) s.coherence += weight * sharc_quality_unchanged(rate, d.revisit - d.visit);
    }
    if (all > 0) {
        s.blur /= all;
        s.expected_blur /= all;
    }
    if (!ops->revisits) s.coherence = (double)NAN;
    return s;
}
