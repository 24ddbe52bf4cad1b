/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: what downloads and signals have shown.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

/* --- signals ----------------------------------------------------------------------------- */

/* One case of either kind is thought to have been seen. */
struct source sharc__schedule_watch_source(const struct sharc_watch *w, const struct watched *p, double *ret_recall,
                                           double *ret_precision)
{
    const struct source none = {0}, s = p->is.source < w->source_room ? w->sources[p->is.source] : none;
    *ret_recall = (s.told + 1) / (s.told + s.missed + 2);
    *ret_precision = (s.right + 1) / (s.right + s.wrong + 2);
    return s;
}

void sharc_watch_signal(struct sharc_watch *w, sharc_page_no page, sharc_time now)
{
    struct watched *p = watch_find(w, page);
    if (!p || p->is.source >= w->source_room || now <= p->last) return;
    if (p->habit) sharc__schedule_watch_habit_signal(w, p, now);
    if (p->signals < UINT16_MAX) p->signals++;
    sharc__schedule_watch_wake(w, page);
}

/* Changes expected by its rate alone since the last capture. */
static double expected_changes(const struct sharc_watch *w, const struct watched *p, sharc_time when)
{
    double hours[SHARC_RATE_HOURS], sum = 0;
    if (!p->habit) return p->rate * watch_hours(when - p->last);
    sharc__schedule_watch_hours(w, p->is.site, p->last, when, hours);
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) sum += hours[k] * sharc__schedule_watch_habit_rate(p->habit, k);
    return sum * sharc__schedule_watch_habit_pace_between(p, p->last, when);
}

/* A signal was right if the page has changed, unless it would have changed anyway and the signal came by chance. */
static void judge_signals(struct sharc_watch *w, const struct watched *p, sharc_time when, bool changed)
{
    if (p->is.source >= w->source_room) return;
    struct source *s = &w->sources[p->is.source];
    double recall, precision, right = 0;
    sharc__schedule_watch_source(w, p, &recall, &precision);
    if (p->signals && changed) {
        double anyway = -expm1(-expected_changes(w, p, when));
        right = precision / (precision + (1 - precision) * anyway);
    }
    s->told += right;
    s->missed += changed ? 1 - right : 0;
    s->right += right;
    s->wrong += p->signals ? 1 - right : 0;
}

/* --- downloads --------------------------------------------------------------------------- */

static sharc_time new_wait(const struct sharc_watch *w, sharc_time wait, bool changed)
{
    const struct sharc_watch_ops *ops = w->ops;
    double next =
        changed ? ops->of_wait * (double)wait + ops->of_least * (double)w->params.least_wait : 1.5 * (double)wait;
    return (sharc_time)fmin(fmax(next, (double)w->params.least_wait), (double)w->params.most_wait);
}

#define AT_ONCE_SHARE 0.9 /* of a host's pages, when many are changed at once */
#define AT_ONCE_RARE 6.9  /* how unlikely that is beforehand: one to a thousand, as log odds */

/* A look at a page that may have been hit. */
static void weigh(struct at_once *e, const struct watched *p, sharc_time when, bool changed, double likely)
{
    const bool begins = !(e->odds > 0);
    e->odds += changed ? log(AT_ONCE_SHARE / likely) : log((1 - AT_ONCE_SHARE) / (1 - likely));
    e->odds = fmin(fmax(e->odds, 0), WATCH_ODDS_MOST);
    if (!(e->odds > 0))
        e->since = when;
    else if (begins && p->last > e->since)
        e->since = p->last;
}

/* The share of a change that is the page's own; 0: there was none. A change of a shared template or a move hits many
 * pages of a host at once: then looks find one change after the other that nobody expected. Such a change says nothing
 * of the page. A page that was looked at since then and has changed again did so by itself. */
static double own_share(struct sharc_watch *w, const struct watched *p, sharc_time when, bool changed)
{
    if (p->is.host >= w->host_room || !p->is.held) return changed;
    struct host *h = &w->hosts[p->is.host];
    const double likely = fmin(fmax(-expm1(-expected_changes(w, p, when)), 1e-3), 1 - 1e-3);
    const bool first = h->event.odds > 0 && p->last <= h->event.since;
    struct at_once *e = first ? &h->event : &h->next;
    if (!first && e->odds > 0 && p->last > e->since) return changed;
    weigh(e, p, when, changed, likely);
    const double own = changed ? 1 / (1 + exp(e->odds - AT_ONCE_RARE)) : 0;
    if (!first && e->odds > AT_ONCE_RARE) {
        h->event = h->next;
        h->next = (struct at_once){0, when};
    }
    return own;
}

/* What pages do at this age; there may have been more changes than the one that was seen. */
static void learn_life(struct sharc_watch *w, const struct watched *p, sharc_time when, bool changed)
{
    if (!p->is.held) return;
    const double expected = expected_changes(w, p, when);
    const double times = !changed ? 0 : expected > 1e-9 ? expected / -expm1(-expected) : 1;
    sharc__schedule_watch_life_add(w, p, p->last, when, times);
}

static void take_out(struct sharc_watch *w, sharc_page_no page)
{
    struct watched *p = &w->pages[page];
    if (!p->out) return;
    for (size_t i = w->out.n; i-- > 0;)
        if (w->out.p[i] == page) {
            w->out.p[i] = w->out.p[--w->out.n];
            break;
        }
    p->out = false;
}

static void learn(struct sharc_watch *w, struct watched *p, const struct sharc_observation *o)
{
    struct site *site = &w->sites[p->is.site];
    const bool changed = p->is.held && sharc_change_counts(o->change);
    const double usual = site->changes > 0 ? site->importance / site->changes : 1;
    const double importance = o->importance >= 0 ? watch_sane(o->importance) : usual;
    const double own = own_share(w, p, o->when, changed);
    if (changed) site->changes++, site->importance += importance;
    learn_life(w, p, o->when, changed);
    judge_signals(w, p, o->when, changed);
    if (changed) p->changed = o->when;
    if (p->habit) sharc__schedule_watch_habit_observed(w, p, o->when, own, importance);
    if (p->pattern) {
        double amount = !changed ? 0 : w->ops->counts ? 1 : importance;
        sharc_rate_pattern_add(p->pattern, p->last, o->when, amount, w->params.half_life,
                               sharc__schedule_watch_zone(w, p->is.site));
    }
    if (w->ops->kind == WATCH_WAIT && o->change != SHARC_NEW) p->wait = new_wait(w, p->wait, changed);
}

/* Ten minutes at first, twice as long with every failure, a day at last. */
static void fail(const struct sharc_watch *w, struct watched *p, sharc_time when)
{
    sharc_time wait = 10 * SHARC_MINUTE << (p->failures < 8 ? p->failures : 8);
    p->retry = when + (wait < SHARC_DAY ? wait : SHARC_DAY);
    if (p->failures < UINT8_MAX) p->failures++;
    p->wait = w->params.first_wait; /* both controllers start again after an error */
}

void sharc_watch_observed(struct sharc_watch *w, const struct sharc_observation *o)
{
    struct watched *p = watch_find(w, o->page);
    if (!p) return;
    if (o->change == SHARC_MISSING) {
        sharc_watch_drop(w, o->page);
        return;
    }
    take_out(w, o->page);
    if (o->change == SHARC_FAILED) fail(w, p, o->when);
    if (o->change == SHARC_FAILED || (p->is.held && o->when <= p->last)) {
        sharc__schedule_watch_late_put(w, o->page);
        return;
    }
    sharc__schedule_watch_late_take(w, o->page);
    sharc__schedule_watch_wake(w, o->page);
    if (o->when > p->last) learn(w, p, o);
    p->last = o->when;
    p->retry = 0;
    p->failures = 0;
    p->signals = 0;
    p->is.held = true;
    if (o->rate >= 0 && isfinite(o->rate)) {
        p->rate = o->rate;
        w->stale = true;
    }
    sharc__schedule_watch_late_put(w, o->page);
}
