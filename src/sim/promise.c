/* SPDX-License-Identifier: Apache-2.0
 *
 * From what came in windows of the past to what is promised: each window is a bell on
 * the scale of logarithms, recent ones count more, and quantiles of their sum are the
 * promise. A bell is as wide as a count of its size varies by chance, and a little more.
 *
 * Constants were chosen on windows of six recorded sites that end before those by which
 * they are judged (docs/experiments.md).
 */
#include "promise_int.h"
#include "sim_int.h"

#include <math.h>
#include <stdlib.h>

#define OFFSET 0.5    /* added to counts before the logarithm */
#define WIDTH 0.25    /* of a bell, besides chance */
#define DRIFT 0.5     /* more for a past that is hardly longer than the capture */
#define EXTREMES 12.0 /* windows after which one counts half for the ends of the interval, */
#define LEVEL 4.0     /* and for the median: sites grow busier and calmer */
#define ENOUGH 12.0   /* windows that need no help from other sites */
#define OTHERS 2.0    /* what other sites count, in windows, when there is no own past */
#define WHOLE 1e-3    /* so near to a whole number is one */
#define STEPS 60

const struct sharc__sim_prior sharc__sim_prior_lost = {.centre = -0.8, .spread = 1.6};
const struct sharc__sim_prior sharc__sim_prior_blur = {.centre = -0.1, .spread = 1.25};

struct bell {
    double weight, centre, width;
};

static double below(const struct bell *b, size_t n, double x)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        sum += b[i].weight * 0.5 * erfc((b[i].centre - x) / (b[i].width * 1.4142135623730951));
        all += b[i].weight;
    }
    return sum / all;
}

static double quantile(const struct bell *b, size_t n, double q)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, b[i].centre - 6 * b[i].width);
        high = fmax(high, b[i].centre + 6 * b[i].width);
    }
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (below(b, n, middle) < q)
            low = middle;
        else
            high = middle;
    }
    return fmax(exp((low + high) / 2) - OFFSET, 0);
}

static struct bell bell_of(double count, double weight, double variance)
{
    return (struct bell){weight, log(count + OFFSET), sqrt(variance + 0.5 / (count + 1))};
}

/* What the rates expect, right up to a factor of which only the distribution is known. It is a factor
 * of the rates: where they expect next to nothing, of nothing; where nearly all pages are expected
 * to be lost, half the rate saves few. */
static struct bell bell_of_rates(double expected, double most, double weight, const struct sharc__sim_prior *prior)
{
    const double factor = exp(prior->centre);
    double count = expected * factor, slope = 1;
    if (isfinite(most) && most > 0) {
        const double hazard = -log1p(-fmin(expected / most, 1 - 1e-9)) * factor;
        count = most * -expm1(-hazard);
        slope = hazard > 0 ? hazard * exp(-hazard) / -expm1(-hazard) : 1;
    }
    const double variance = count / ((count + OFFSET) * (count + OFFSET));
    slope *= count / (count + OFFSET);
    return (struct bell){weight, log(count + OFFSET),
                         sqrt(prior->spread * prior->spread * slope * slope + variance + 1e-6)};
}

/* One for each window that is known, and one for other sites; their number. */
static size_t bells_of(const double *seen, size_t n, double half_life, double variance, const struct bell *others,
                       struct bell ret[SHARC_SIM_PROMISE_WINDOWS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < n && count < SHARC_SIM_PROMISE_WINDOWS; i++)
        if (!isnan(seen[i])) ret[count++] = bell_of(seen[i], exp2(-(double)i / half_life), variance);
    if (others->weight > 0) ret[count++] = *others;
    return count;
}

struct sharc_sim_promise sharc__sim_promise_of(const double *seen, size_t n, double apart, double expected, double most,
                                               const struct sharc__sim_prior *prior, bool *ret_others)
{
    const double variance = WIDTH * WIDTH + DRIFT * DRIFT / fmax(apart, 1), tail = (1 - SHARC_SIM_PROMISE_LEVEL) / 2;
    struct bell bells[SHARC_SIM_PROMISE_WINDOWS + 1], others = {0};
    size_t known = 0;
    for (size_t i = 0; i < n; i++) known += !isnan(seen[i]);
    if ((double)known < ENOUGH && !isnan(expected)) {
        const double weight = OTHERS * (1 - (double)known / ENOUGH);
        others = bell_of_rates(fmax(expected, 0), most, weight, prior);
        *ret_others = true;
    }
    size_t count = bells_of(seen, n, LEVEL, variance, &others, bells);
    if (count == 0) return (struct sharc_sim_promise){(double)NAN, (double)NAN, (double)NAN};
    struct sharc_sim_promise p = {.median = fmin(quantile(bells, count, 0.5), most)};
    count = bells_of(seen, n, EXTREMES, variance, &others, bells);
    p.low = fmin(quantile(bells, count, tail), p.median);
    p.high = fmin(fmax(quantile(bells, count, 1 - tail), p.median), most);
    return p;
}

/* Pages are whole; a median may lie between. */
static struct sharc_sim_promise whole(struct sharc_sim_promise p)
{
    p.low = floor(p.low + WHOLE);
    p.high = fmax(ceil(p.high - WHOLE), 0);
    p.median = fmin(fmax(p.median, p.low), p.high);
    return p;
}

struct sharc_sim_promise sharc__sim_promise_times(const struct sharc_sim_promise *p, double factor, double most)
{
    return whole((struct sharc_sim_promise){
        fmin(p->median * factor, most),
        fmin(p->low * factor, most),
        fmin(p->high * factor, most),
    });
}

/* --- all strategies ------------------------------------------------------------- */

/* As long as the longest of the captures takes, second looks included. */
static double span_of(const struct sharc_sim_site *s, const struct sharc_sim_result *results, size_t n, double looks)
{
    if (isfinite(s->to)) return s->to - s->from;
    double most = 1;
    for (size_t i = 0; i < n; i++) {
        double requests = results[i].requests.mean;
        if (results[i].strategy->revisits) requests *= 1 + fmax(looks, 0);
        most = fmax(most, requests);
    }
    return fmax(s->slot * (most - 1), 1);
}

static struct sharc_sim_outlook outlook_of(const struct sharc__sim_seen *seen, size_t windows, double apart,
                                           const struct sharc_sim_result *r, double pages, bool *ret_others)
{
    double lost[SHARC_SIM_PROMISE_WINDOWS], blur[SHARC_SIM_PROMISE_WINDOWS], requests = 0;
    size_t crawled = 0;
    for (size_t i = 0; i < windows; i++) {
        lost[i] = seen[i].lost;
        blur[i] = seen[i].blur * pages;
        if (isnan(seen[i].requests)) continue;
        requests += seen[i].requests;
        crawled++;
    }
    struct sharc_sim_outlook o = {.requests = crawled ? requests / (double)crawled : (double)NAN};
    o.lost = sharc__sim_promise_of(lost, windows, apart, pages - r->expected_coherence.mean, pages,
                                   &sharc__sim_prior_lost, ret_others);
    o.lost = whole(o.lost);
    o.blur = sharc__sim_promise_of(blur, windows, apart, pages * r->expected_blur.mean, HUGE_VAL,
                                   &sharc__sim_prior_blur, ret_others);
    o.blur.median /= pages;
    o.blur.low /= pages;
    o.blur.high /= pages;
    return o;
}

int sharc_sim_promise_make(const struct sharc_sim_site *site, const struct sharc_sim_result *results, size_t n,
                           const struct sharc_sim_options *options, struct sharc_sim_promises *ret,
                           struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!site->data, reterr, SHARC_EINVAL, "promises need a recorded history: a synthetic site has no past");
    SHARC_FAIL_IF(site->rates == SHARC_SIM_ORACLE || site->rates == SHARC_SIM_SITEMAP ||
                      site->rates == SHARC_SIM_COUNTED,
                  reterr, SHARC_EINVAL,
                  "a promise cannot know the future: use the rates history, predicted, age, near or combined");
    double start[SHARC_SIM_PROMISE_WINDOWS];
    const double span = span_of(site, results, n, options->params.focus_share);
    const size_t windows =
        site->rates == SHARC_SIM_GIVEN ? 0 : sharc__sim_past_windows(site->data, site->from, span, start);
    SHARC_AUTO(sharc_freep) struct sharc__sim_seen *seen = NULL;
    int r = windows ? sharc__sim_replay(site, results, n, options, start, windows, span, &seen, reterr) : 0;
    if (r < 0) return r;
    *ret = (struct sharc_sim_promises){
        .of = SHARC_NEW_ARRAY(struct sharc_sim_outlook, n),
        .windows = (unsigned)windows,
        .first = windows ? start[windows - 1] : site->from,
    };
    const double apart = windows ? 1 + (start[0] - start[windows - 1]) / span : 0;
    for (size_t i = 0; i < n; i++)
        ret->of[i] = outlook_of(windows ? seen + i * SHARC_SIM_PROMISE_WINDOWS : NULL, windows, apart, &results[i],
                                site->pages, &ret->others);
    return 0;
}

void sharc_sim_promises_done(struct sharc_sim_promises *p)
{
    free(p->of);
    *p = (struct sharc_sim_promises){0};
}
