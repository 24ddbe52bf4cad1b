/* SPDX-License-Identifier: Apache-2.0
 *
 * How lively pages are at which age. A page of the news changes for a day and then never again; the list of yesterday
 * is as dead as the one of last year. Its own past cannot tell that before it is over, but others of its group and its
 * site have been through it. So changes and hours of watching are counted by age, for groups and for sites.
 *
 * A group that has shown little at an age is thought to be like its site at that age, and a site that has shown little
 * like itself at the age before, the youngest like all.
 */
#include "watch_int.h"

/* What is thought beforehand is worth this many changes. */
#define WORTH 1.0

unsigned sharc__schedule_watch_age(const struct watched *p, sharc_time t)
{
    if (p->is.born == SHARC_TIME_NONE) return WATCH_AGES - 1;
    sharc_time hours = (t - p->is.born) / SHARC_HOUR;
    unsigned age = 0;
    for (; hours > 0 && age < WATCH_AGES - 1; hours >>= 1) age++;
    return age;
}

/* When the page leaves an age. */
static sharc_time end_of(const struct watched *p, unsigned age)
{
    if (age >= WATCH_AGES - 1) return INT64_MAX;
    return p->is.born + (SHARC_HOUR << age);
}

double sharc__schedule_watch_life_sum(const struct watched *p, sharc_time from, sharc_time to,
                                      const double by_age[WATCH_AGES])
{
    double sum = 0;
    unsigned age = sharc__schedule_watch_age(p, from);
    while (from < to) {
        sharc_time next = end_of(p, age);
        if (next > to) next = to;
        sum += by_age[age] * watch_hours(next - from);
        from = next;
        age++;
    }
    return sum;
}

void sharc__schedule_watch_life_rates(const struct sharc_watch *w, const struct watched *p, double ret[WATCH_AGES])
{
    const struct life *site = &w->sites[p->is.site].life;
    const struct life *group = p->is.group < w->group_room ? &w->groups[p->is.group].life : NULL;
    double changes = WATCH_PRIOR_CHANGES, hours = WATCH_PRIOR_HOURS;
    for (unsigned i = 0; i < WATCH_AGES; i++) changes += site->changes[i], hours += site->hours[i];
    double like = changes / hours;
    for (unsigned i = 0; i < WATCH_AGES; i++) {
        like = (site->changes[i] + WORTH) / (site->hours[i] + WORTH / like);
        ret[i] = group ? (group->changes[i] + WORTH) / (group->hours[i] + WORTH / like) : like;
    }
}

static void add(struct life *l, unsigned age, double hours, double changes)
{
    l->hours[age] += hours;
    l->changes[age] += changes;
}

void sharc__schedule_watch_life_add(struct sharc_watch *w, const struct watched *p, sharc_time from, sharc_time to,
                                    double changes)
{
    double by_age[WATCH_AGES];
    sharc__schedule_watch_life_rates(w, p, by_age);
    const double expected = sharc__schedule_watch_life_sum(p, from, to, by_age);
    unsigned age = sharc__schedule_watch_age(p, from);
    while (from < to) {
        sharc_time next = end_of(p, age);
        if (next > to) next = to;
        double hours = watch_hours(next - from), part = expected > 0 ? changes * by_age[age] * hours / expected : 0;
        add(&w->sites[p->is.site].life, age, hours, part);
        if (p->is.group < w->group_room) add(&w->groups[p->is.group].life, age, hours, part);
        from = next;
        age++;
    }
}

void sharc_watch_teach_life(struct sharc_watch *w, sharc_page_no page, sharc_time from, sharc_time to, double changes)
{
    const struct watched *p = watch_find(w, page);
    if (p && to > from) sharc__schedule_watch_life_add(w, p, from, to, watch_sane(changes));
}
