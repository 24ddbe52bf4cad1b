/* SPDX-License-Identifier: Apache-2.0
 *
 * What the looks at one page say. Between two looks d apart that differ there was a change at least; by a rate λ the
 * first of them had not come s after the first look with the chance
 *
 *     stands(s) = (e^(−λs) − e^(−λd)) / (1 − e^(−λd)),
 *
 * and, counted backwards from the second look, the same goes for the last of them. Behind the last look it is e^(−λs).
 */
#include "watched_int.h"

#include "sharc/base_order.h"
#include "sharc/rate.h"

#include <math.h>

/* What a page is given for nothing, as by the planner. */
#define PRIOR_CHANGES 0.1
#define PRIOR_SECONDS 86400.0
#define SMALL 1e-6 /* changes expected: below, they are as likely at any time */

double sharc__watched_rate(const struct look *looks, size_t count)
{
    struct sharc_rate_history h = SHARC_RATE_HISTORY_INIT;
    bool any = false;
    for (size_t i = 1; i < count; i++) {
        sharc_rate_history_look(&h, looks[i].at - looks[i - 1].at, looks[i].other);
        any = any || looks[i].other;
    }
    /* Nothing seen is not never. */
    double rate = any ? sharc_rate_irregular(&h, true) : PRIOR_CHANGES / (PRIOR_SECONDS + h.looked);
    sharc_rate_history_done(&h);
    return rate;
}

static double stands(double rate, double s, double d)
{
    if (!(d > 0)) return 1;
    if (rate * d < SMALL) return 1 - s / d;
    return (exp(-rate * s) - exp(-rate * d)) / -expm1(-rate * d);
}

/* The integral of stands over a … b. */
static double stood(double rate, double a, double b, double d)
{
    if (!(d > 0)) return 0;
    if (rate * d < SMALL) return (b - a) - (b * b - a * a) / (2 * d);
    double sum = (exp(-rate * a) - exp(-rate * b)) / rate - (b - a) * exp(-rate * d);
    return sum / -expm1(-rate * d);
}

static double open_end(double rate, double a, double b)
{
    return rate * b < SMALL ? b - a : (exp(-rate * a) - exp(-rate * b)) / rate;
}

/* The first look after t. */
static size_t after(const struct looked_page *p, double t)
{
    return SHARC_COUNT_WHILE(i, p->count, p->looks[i].at <= t);
}

struct freshness sharc__watched_freshness(const struct looked_page *p, double from, double to)
{
    struct freshness f = {0};
    size_t i = after(p, from);
    for (i = i ? i - 1 : 0; i < p->count; i++) {
        const bool last = i + 1 == p->count;
        const double begin = p->looks[i].at, end = last ? p->until : p->looks[i + 1].at;
        const double a = fmax(from, begin), b = fmin(to, end);
        if (begin >= to) break;
        if (a >= b) continue;
        f.time += b - a;
        if (last)
            f.expected += open_end(p->rate, a - begin, b - begin);
        else if (p->looks[i + 1].other)
            f.expected += stood(p->rate, a - begin, b - begin, end - begin);
        else
            f.seen += b - a, f.expected += b - a;
    }
    return f;
}

/* Changes expected in a time in which there was one at least. */
static double at_least_one(double expected)
{
    return expected < SMALL ? 1 : expected / -expm1(-expected);
}

/* Importance of one of the page's changes. */
static double usual_importance(const struct looked_page *p)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->looks[i].other) sum += p->looks[i].importance, n++;
    return n > 0 ? sum / n : 1;
}

struct came_up sharc__watched_came_up(const struct looked_page *p, double from, double to)
{
    struct came_up c = {0};
    for (size_t i = after(p, from) ? after(p, from) - 1 : 0; i < p->count && p->looks[i].at < to; i++) {
        const struct look *l = &p->looks[i];
        if (!l->other || l->at < from) continue;
        c.found += l->importance;
        c.all += l->importance * at_least_one(p->rate * (l->at - p->looks[i - 1].at));
    }
    if (p->count) {
        const double begin = fmax(from, p->looks[p->count - 1].at), end = fmin(to, p->until);
        if (end > begin) c.all += p->rate * (end - begin) * usual_importance(p);
    }
    return c;
}

/* The versions around look n: the looks in a row that were equal, and those that were not. */
static void span_of(const struct looked_page *p, size_t n, struct answer *ret)
{
    size_t first = n, last = n;
    while (first > 0 && !p->looks[first].other) first--;
    while (last + 1 < p->count && !p->looks[last + 1].other) last++;
    ret->from = p->looks[first].at;
    ret->to = p->looks[last].at;
    ret->possible_from = first > 0 ? p->looks[first - 1].at : -HUGE_VAL;
    ret->possible_to = last + 1 < p->count ? p->looks[last + 1].at : HUGE_VAL;
}

bool sharc__watched_answer(const struct looked_page *p, double t, struct answer *ret)
{
    if (t < p->since || t >= p->until) return false;
    *ret = (struct answer){.from = 1, .to = -1, .possible_from = 1, .possible_to = -1};
    if (p->count == 0) return true;
    const size_t next = after(p, t);
    const struct look *l = p->looks;
    size_t nearest = next;
    if (next == p->count || (next > 0 && t - l[next - 1].at <= l[next].at - t)) nearest = next - 1;
    const double away = fabs(t - l[nearest].at);
    if (next == 0 || next == p->count)
        ret->expected = exp(-p->rate * away);
    else if (l[next].other)
        ret->expected = stands(p->rate, away, l[next].at - l[next - 1].at);
    else
        ret->seen = ret->expected = 1;
    if (!(away > 0)) ret->seen = ret->expected = 1;
    span_of(p, nearest, ret);
    return true;
}
