/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: what is thought of a page, for people.
 */
#include "watch_int.h"

#include <math.h>

bool sharc_watch_pattern(const struct sharc_watch *w, sharc_page_no page, double ret_changes[SHARC_RATE_HOURS],
                         double ret_importance[SHARC_RATE_HOURS])
{
    const struct watched *p = watch_find(w, page);
    if (!p) return false;
    const double pace = p->habit ? sharc__schedule_watch_habit_pace_between(p, p->last, p->last) : 1;
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) {
        ret_changes[k] = p->rate;
        ret_importance[k] = 1;
        if (p->habit) {
            ret_changes[k] = pace * sharc__schedule_watch_habit_rate(p->habit, k);
            ret_importance[k] = sharc__schedule_watch_habit_importance(p->habit, k);
        } else if (p->pattern && w->ops->counts) {
            ret_changes[k] = sharc_rate_pattern_at(p->pattern, k);
        } else if (p->pattern) {
            ret_importance[k] = p->rate > 0 ? sharc_rate_pattern_at(p->pattern, k) / p->rate : 0;
        }
    }
    return true;
}

/* When the page's worth reaches the price: hours are tried twice as far each time, then halved. */
static sharc_time reaches(struct sharc_watch *w, const struct watched *p, sharc_time now, double price)
{
    sharc_time low = now, high = now;
    struct watched trial = *p;
    struct habit habit;
    for (int step = 0; step < 2 * 11 + 12; step++) {
        sharc_time at = step < 14 ? now + (SHARC_HOUR << step) : low + (high - low) / 2;
        if (p->habit) habit = *p->habit, trial.habit = &habit;
        bool there = sharc__schedule_watch_urgency(w, &trial, at) >= price;
        if (step < 14 && !there) {
            low = at;
            if (step == 13) return SHARC_TIME_NONE; /* not within a year */
            continue;
        }
        if (step < 14) {
            high = at;
            step = 13;
            continue;
        }
        if (there)
            high = at;
        else
            low = at;
    }
    return high;
}

static sharc_time foreseen(struct sharc_watch *w, const struct watched *p, const struct sharc_watch_view *v,
                           sharc_time now)
{
    sharc_time at = SHARC_TIME_NONE, longest = watch_longest(w, p), earliest = watch_rested(w, p);
    if (p->wanted)
        at = now;
    else if (w->ops->kind == WATCH_WAIT)
        at = p->last + p->wait;
    else if (!watch_walks(w) && w->price > 0)
        at = v->worth >= w->price ? now : reaches(w, p, now, w->price);
    if (longest > 0 && (at == SHARC_TIME_NONE || at > p->last + longest)) at = p->last + longest;
    if (at == SHARC_TIME_NONE) return at;
    if (at < earliest) at = earliest;
    if (at < p->retry) at = p->retry;
    return at < now ? now : at;
}

bool sharc_watch_look(struct sharc_watch *w, sharc_page_no page, sharc_time now, struct sharc_watch_view *ret)
{
    const struct watched *p = watch_find(w, page);
    double changes[SHARC_RATE_HOURS], importance[SHARC_RATE_HOURS], hours[SHARC_RATE_HOURS], expected = 0;
    if (!p) return false;
    sharc__schedule_watch_prepare(w, w->per_hour > 0 ? w->per_hour : 1);
    *ret = (struct sharc_watch_view){.settings = p->is,
                                     .last = p->last,
                                     .last_change = p->changed,
                                     .worth = sharc_watch_urgency(w, page, now),
                                     .price = w->price,
                                     .signals = p->signals,
                                     .out = p->out};
    ret->settings.shortest = watch_shortest(w, p);
    ret->settings.longest = watch_longest(w, p);
    sharc_watch_pattern(w, page, changes, importance);
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) ret->rate += changes[k] * (k < 24 ? 5 : 1) / (7 * 24);
    if (now > p->last) {
        sharc__schedule_watch_hours(w, p->is.site, p->last, now, hours);
        for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) expected += hours[k] * changes[k];
    }
    if (p->is.source < w->source_room) {
        double recall, precision;
        sharc__schedule_watch_source(w, p, &recall, &precision);
        expected = expected * (1 - recall) - p->signals * log1p(-precision);
    }
    ret->changed = p->is.held ? -expm1(-expected) : 1;
    ret->due = foreseen(w, p, ret, now);
    return true;
}
