/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns over the hours of a week: importance seen and hours watched, both
 * fading. Their quotient is an intensity, so long gaps between two looks blur
 * a pattern but do not bend it.
 */
#include "pattern_int.h"

#include <math.h>

#define WEEK (7 * SHARC_DAY)

unsigned sharc_rate_hour(sharc_time t, sharc_time east_of_utc)
{
    sharc_time local = t + east_of_utc;
    sharc_time days = sharc_floor_div(local, SHARC_DAY);
    unsigned hour = (unsigned)((local - days * SHARC_DAY) / SHARC_HOUR);
    /* Day 0 of the count was a Thursday; Sunday is 0 here. */
    sharc_time weekday = (days + 4) - sharc_floor_div(days + 4, 7) * 7;
    unsigned day = weekday == 0 ? SHARC_SUNDAY : weekday == 6 ? SHARC_SATURDAY : SHARC_WORKDAY;
    return day * 24 + hour;
}

static void fade(struct sharc_rate_pattern *p, sharc_time to, sharc_time half_life)
{
    if (half_life > 0 && p->at != 0 && to > p->at) {
        double keep = exp2(-(double)(to - p->at) / (double)half_life);
        for (int i = 0; i < SHARC_RATE_HOURS; i++) p->importance[i] *= keep, p->hours[i] *= keep;
    }
    p->at = to;
}

void sharc_rate_hours(sharc_time from, sharc_time to, sharc_time east_of_utc, double ret[SHARC_RATE_HOURS])
{
    const sharc_time weeks = (to - from) / WEEK;
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) ret[i] = (double)weeks * rate_hours_a_week(i);
    from += weeks * WEEK;
    while (from < to) {
        sharc_time local = from + east_of_utc;
        sharc_time next = (sharc_floor_div(local, SHARC_HOUR) + 1) * SHARC_HOUR - east_of_utc;
        if (next > to) next = to;
        ret[sharc_rate_hour(from, east_of_utc)] += (double)(next - from) / (double)SHARC_HOUR;
        from = next;
    }
}

void sharc_rate_pattern_add(struct sharc_rate_pattern *p, sharc_time from, sharc_time to, double importance,
                            sharc_time half_life, sharc_time east_of_utc)
{
    if (from >= to || (p->at != 0 && to < p->at) || !(importance >= 0)) return;
    fade(p, to, half_life);
    double hours[SHARC_RATE_HOURS];
    const double span = (double)(to - from) / (double)SHARC_HOUR;
    sharc_rate_hours(from, to, east_of_utc, hours);
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) {
        p->hours[i] += hours[i];
        p->importance[i] += importance * hours[i] / span;
    }
}

double sharc_rate_pattern_level(const struct sharc_rate_pattern *p)
{
    /* Each kind of hour by its own quotient, weighted by the week; hours never
     * watched are left out. */
    double sum = 0, weight = 0;
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) {
        if (!(p->hours[i] > 0)) continue;
        sum += rate_hours_a_week(i) * p->importance[i] / p->hours[i];
        weight += rate_hours_a_week(i);
    }
    return weight > 0 ? sum / weight : 0;
}

double sharc_rate_pattern_at(const struct sharc_rate_pattern *p, unsigned hour)
{
    if (hour >= SHARC_RATE_HOURS || !(p->hours[hour] > 0)) return sharc_rate_pattern_level(p);
    return p->importance[hour] / p->hours[hour];
}

void sharc_rate_pattern_shape(const struct sharc_rate_pattern *p, double ret[SHARC_RATE_HOURS])
{
    double sum = 0;
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) sum += ret[i] = sharc_rate_pattern_at(p, i);
    for (unsigned i = 0; i < SHARC_RATE_HOURS; i++) ret[i] = sum > 0 ? ret[i] / sum : 1.0 / SHARC_RATE_HOURS;
}
