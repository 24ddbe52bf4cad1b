/* SPDX-License-Identifier: Apache-2.0
 *
 * What is learned of a page, and what a download of it is worth: the strategy `value` and the indexes.
 *
 * A page has two tables over the 72 kinds of hours: how often it changes, and how important that is. For `value`,
 * which is for completeness, we reckon from the last download on, hour by hour, what is expected to be up that is not
 * archived yet,
 *
 *     V <- E + (V - E) e^(-rate)        rate and importance E of a change in this hour,
 *
 * which grows in the page's busy hours, stands still at night, and never forgets what happened at three because it is
 * four. It saturates: a page that has surely changed is not worth more for having changed twice. The index is
 * phi of V as a share of the most it can be, divided by the importance that the page brings forth in all, because
 * completeness is a mean over pages. The other objectives take the changes expected since the last download, by the
 * same hours, and the closed forms of index.c.
 *
 * Pages have a life (watch_life.c): one that is new changes as others did when they were new, and when these came to
 * rest so does it. What it brings forth in all is reckoned over what was seen of it and what is left of its life.
 *
 * No page is ever without hope: each is given a tenth of a change for nothing. And none stays hot for ever that has
 * stopped changing: after the time in which it should have changed its rate falls with the time since. And none gets a
 * rate that no look could have shown: that every look finds a change says that there were some in between, not how
 * many.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

#define PRIOR_IMPORTANCE 0.3
/* What the other hours of a page say of one hour is worth this much watching in it: a page that was seen to change at
 * two and at three may well change at four. */
#define ALIKE_HOURS 1.0
#define LONG_AGO (400 * SHARC_DAY)
#define LONG_HOURS 1e5 /* of watching: more says nothing new of its age */
#define FASTER 1e6     /* than in its past: more is not believed */
/* Changes between two looks at most, as far as looks tell. A page that changes so often is found changed in 19 looks of
 * 20, and what it is worth would hardly be more if it changed still more often. */
#define TELLABLE 3.0
/* How sure a rate is of which no change was seen: as if it were known by one. */
#define PRIOR_SHAPE 1.0

double sharc__schedule_watch_habit_rate(const struct habit *h, unsigned k)
{
    const double hours = (double)h->hours[k] + ALIKE_HOURS;
    return h->share * (((double)h->changes[k] + ALIKE_HOURS * h->mean) / hours + h->prior);
}

double sharc__schedule_watch_habit_importance(const struct habit *h, unsigned k)
{
    const double hours = (double)h->hours[k] + ALIKE_HOURS;
    return (((double)h->importance[k] + ALIKE_HOURS * h->mean_importance) / hours + h->usual * h->prior) /
           (((double)h->changes[k] + ALIKE_HOURS * h->mean) / hours + h->prior);
}

/* Importance of a change of unknown importance: as on the rest of the site. */
static double usual_importance(const struct sharc_watch *w, const struct watched *p)
{
    const struct site *s = &w->sites[p->is.site];
    return (s->importance + PRIOR_IMPORTANCE) / (s->changes + 1);
}

double sharc__schedule_watch_habit_pace_between(const struct watched *p, sharc_time from, sharc_time to)
{
    double pace[WATCH_AGES];
    if (to <= from) return (double)p->habit->pace[sharc__schedule_watch_age(p, from)];
    for (unsigned i = 0; i < WATCH_AGES; i++) pace[i] = (double)p->habit->pace[i];
    return sharc__schedule_watch_life_sum(p, from, to, pace) / watch_hours(to - from);
}

/* Hours watched in all. */
static double find_means(struct habit *h)
{
    double watched = 0, changes = 0, importance = 0;
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) {
        watched += (double)h->hours[k];
        changes += (double)h->changes[k];
        importance += (double)h->importance[k];
    }
    h->shape = changes + PRIOR_SHAPE;
    h->mean = watched > 0 ? changes / watched : 0;
    h->mean_importance = watched > 0 ? importance / watched : 0;
    return watched;
}

void sharc__schedule_watch_habit_pace(const struct watched *p)
{
    struct habit *h = p->habit;
    double fastest = 0;
    float pace = 0;
    (void)find_means(h);
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) fastest = fmax(fastest, sharc__schedule_watch_habit_rate(h, k));
    for (unsigned i = sharc__schedule_watch_age(p, p->last); i < WATCH_AGES; i++)
        if (h->pace[i] > pace) pace = h->pace[i];
    h->fastest = nextafterf((float)(fastest * (double)pace), HUGE_VALF);
}

/* Where the page stands in its life: how lively it will be at each age, over its past; what it is given for nothing;
 * and what is left of its rate when it has not changed for longer than pages of its age do. */
static void place(const struct sharc_watch *w, struct watched *p, double watched)
{
    struct habit *h = p->habit;
    double life[WATCH_AGES];
    sharc__schedule_watch_life_rates(w, p, life);
    const sharc_time since = p->last - (sharc_time)(fmin(watched, LONG_HOURS) * (double)SHARC_HOUR);
    const double lived = sharc__schedule_watch_life_sum(p, since, p->last, life);
    const double past = since < p->last ? lived / watch_hours(p->last - since) //
                                        : life[sharc__schedule_watch_age(p, p->last)];
    for (unsigned i = 0; i < WATCH_AGES; i++) h->pace[i] = (float)fmin(life[i] / past, FASTER);
    h->prior = fmax(past * WATCH_PRIOR_CHANGES / (lived + WATCH_PRIOR_CHANGES),
                    WATCH_PRIOR_CHANGES / (watched + WATCH_PRIOR_HOURS));
    const double missed = p->changed == SHARC_TIME_NONE
                              ? 0
                              : h->mean / past * sharc__schedule_watch_life_sum(p, p->changed, p->last, life);
    h->share = missed > 1 ? 1 / missed : 1;
}

/* The tables were changed, at p->last. */
static void follow(const struct sharc_watch *w, struct watched *p)
{
    struct habit *h = p->habit;
    const double watched = find_means(h);
    place(w, p, watched);
    h->usual = usual_importance(w, p);
    /* What it brings forth in all, per hour: what it did while it was watched, and what it will do while that is
     * remembered. */
    const sharc_time memory = w->params.half_life > 0 ? w->params.half_life : LONG_AGO;
    const double ahead = watch_hours(memory);
    const double pace = sharc__schedule_watch_habit_pace_between(p, p->last, p->last + memory);
    h->level = h->share * (watched + pace * ahead) / (watched + ahead) * (h->mean_importance + h->usual * h->prior);
    h->most = 0;
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++)
        h->most = fmax(h->most, sharc__schedule_watch_habit_importance(h, k));
    sharc__schedule_watch_habit_pace(p);
}

void sharc__schedule_watch_habit_begin(const struct sharc_watch *w, struct watched *p, sharc_time since)
{
    struct habit *h = p->habit ? p->habit : SHARC_NEW(struct habit);
    /* A rate that was told is worth a day; else others of its kind are all there is. */
    const double per_hour = p->rate, hours = p->is.rate >= 0 ? WATCH_PRIOR_HOURS / SHARC_RATE_HOURS : 0;
    *h = (struct habit){.at = since, .value_at = since, .told = (float)per_hour};
    p->habit = h;
    double usual = usual_importance(w, p);
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) {
        h->hours[k] = (float)hours;
        h->changes[k] = (float)(per_hour * hours);
        h->importance[k] = (float)(per_hour * hours * usual);
    }
    follow(w, p);
}

void sharc__schedule_watch_habit_teach(const struct sharc_watch *w, struct watched *p,
                                       const struct sharc_rate_pattern *changes,
                                       const struct sharc_rate_pattern *importance)
{
    struct habit *h = p->habit;
    for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) {
        h->hours[k] = (float)changes->hours[k];
        h->changes[k] = (float)changes->importance[k];
        h->importance[k] = (float)importance->importance[k];
    }
    h->at = changes->at;
    follow(w, p);
    h->told = (float)h->mean;
}

static void fade(struct habit *h, sharc_time to, sharc_time half_life)
{
    if (half_life > 0 && to > h->at) {
        float keep = (float)exp2(-(double)(to - h->at) / (double)half_life);
        for (unsigned k = 0; k < SHARC_RATE_HOURS; k++)
            h->changes[k] *= keep, h->importance[k] *= keep, h->hours[k] *= keep;
    }
    if (to > h->at) h->at = to;
}

/* So many changes were there between two looks that found one, by what was expected. */
static double times_changed(struct habit *h, double hours, double expected)
{
    if (!(h->apart > 0) || hours < (double)h->apart) h->apart = nextafterf((float)hours, HUGE_VALF);
    const double most = fmax(TELLABLE / (double)h->apart, (double)h->told) * hours;
    if (!(expected > 1e-9)) return 1;
    expected = fmin(expected, most);
    return expected / -expm1(-expected);
}

void sharc__schedule_watch_habit_observed(const struct sharc_watch *w, struct watched *p, sharc_time when,
                                          double changed, double importance)
{
    struct habit *h = p->habit;
    double hours[SHARC_RATE_HOURS], expected = 0, each[SHARC_RATE_HOURS];
    if (when > p->last) {
        sharc__schedule_watch_hours(w, p->is.site, p->last, when, hours);
        const double pace = sharc__schedule_watch_habit_pace_between(p, p->last, when);
        for (unsigned k = 0; k < SHARC_RATE_HOURS; k++)
            expected += each[k] = pace * hours[k] * sharc__schedule_watch_habit_rate(h, k);
        fade(h, when, w->params.half_life);
        /* A change was seen: there may have been more of them, in the hours in which the page usually changes. */
        double times = changed * times_changed(h, watch_hours(when - p->last), expected);
        for (unsigned k = 0; k < SHARC_RATE_HOURS; k++) {
            double part = expected > 1e-9 ? times * each[k] / expected : times * hours[k] / watch_hours(when - p->last);
            h->hours[k] += (float)hours[k];
            h->changes[k] += (float)part;
            h->importance[k] += (float)(part * importance);
        }
    }
    h->value = h->plain = 0;
    h->value_at = when;
    p->last = when;
    follow(w, p);
}

/* So many changes more, in this hour of the week. */
static void expect(const struct sharc_watch *w, struct habit *h, unsigned hour, double changes)
{
    if (w->ops->kind == WATCH_INDEX) {
        h->value += changes;
        return;
    }
    const double e = sharc__schedule_watch_habit_importance(h, hour);
    h->value = e + (h->value - e) * exp(-changes);
}

/* To the end of the hour, and on. */
static void bring_up(const struct sharc_watch *w, const struct watched *p, sharc_time now)
{
    struct habit *h = p->habit;
    const sharc_time east = sharc__schedule_watch_zone(w, p->is.site);
    double recall = 0, precision;
    if (p->is.source < w->source_room) sharc__schedule_watch_source(w, p, &recall, &precision);
    if (now - h->value_at > LONG_AGO) h->value_at = now - LONG_AGO; /* what was before that hardly matters */
    while (h->value_at < now) {
        sharc_time local = h->value_at + east, into = local % SHARC_HOUR;
        sharc_time next = h->value_at + SHARC_HOUR - (into < 0 ? into + SHARC_HOUR : into);
        if (next > now) next = now;
        unsigned k = sharc__schedule_watch_hour(w, p->is.site, h->value_at);
        const double changes = (double)h->pace[sharc__schedule_watch_age(p, h->value_at)] *
                               sharc__schedule_watch_habit_rate(h, k) * watch_hours(next - h->value_at);
        h->plain += changes;
        expect(w, h, k, (1 - recall) * changes); /* those that nobody tells of */
        h->value_at = next;
    }
}

/* Of what a source tells a share is true: so likely there is something new, whatever was thought before. */
void sharc__schedule_watch_habit_signal(const struct sharc_watch *w, struct watched *p, sharc_time now)
{
    double recall, precision;
    bring_up(w, p, now);
    sharc__schedule_watch_source(w, p, &recall, &precision);
    expect(w, p->habit, sharc__schedule_watch_hour(w, p->is.site, now), -log1p(-precision));
}

/* As if the rate had been the same all the time since the last download. What a source tells, or would have told,
 * counts as time: that in which as many changes are expected. */
static double objective_index(const struct sharc_watch *w, const struct watched *p, double weight, sharc_time now)
{
    const struct habit *h = p->habit;
    const double hours = watch_hours(now - p->last);
    if (!p->is.held) { /* something is up that is not archived, for certain */
        const double rate = h->share * (h->mean + h->prior);
        return sharc_index_learned(w->ops->objective, weight, h->shape, h->shape / rate, 1e6);
    }
    if (!(hours > 0 && h->plain > 0)) return 0;
    const double age = hours * (h->value / h->plain);
    return sharc_index_learned(w->ops->objective, weight, h->shape, h->shape * hours / h->plain, age);
}

double sharc__schedule_watch_habit_index(const struct sharc_watch *w, struct watched *p, sharc_time now)
{
    struct habit *h = p->habit;
    const struct site *s = &w->sites[p->is.site];
    bring_up(w, p, now);
    if (!(s->weight > 0 && h->most > 0 && h->level > 0)) return 0;
    const double weight = s->is.weight * p->is.weight / s->weight;
    if (w->ops->kind == WATCH_INDEX) return objective_index(w, p, weight, now);
    const double certain = weight / h->level * h->most;
    return p->is.held ? certain * sharc_index_phi(h->value / h->most) : certain;
}
