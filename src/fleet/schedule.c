/* SPDX-License-Identifier: Apache-2.0
 *
 * When a job is due again: intervals, months, cron's five fields, change rates.
 */
#include "sharc/fleet_schedule.h"

#include <math.h>

#define CRON_YEARS 9 /* 29 February of a leap year comes within eight, and a year may have none */

/* --- intervals ------------------------------------------------------------------------ */

static int every(sharc_time step, sharc_time due, sharc_time now, sharc_time *ret)
{
    sharc_time missed = now < due ? 0 : (now - due) / step + 1;
    *ret = due + missed * step;
    return 0;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

static int monthly(sharc_time due, sharc_time now, sharc_time *ret)
{
    const struct sharc_date first = sharc_date_of(due);
    const struct sharc_date here = sharc_date_of(now > due ? now : due);
    int months = (here.year - first.year) * 12 + here.month - first.month;
    for (*ret = due; *ret <= now; months++) {
        struct sharc_date d = first;
        d.year = first.year + (first.month - 1 + months) / 12;
        d.month = (first.month - 1 + months) % 12 + 1;
        if (d.day > days_in(d.year, d.month)) d.day = days_in(d.year, d.month);
        int r = sharc_date_to_time(&d, ret);
        if (r < 0) return r;
    }
    return 0;
}

/* --- cron ------------------------------------------------------------------------------- */

struct field {
    uint64_t bits; /* those that are meant */
    bool any;      /* it begins with a star */
};

static const struct range {
    const char *name;
    uint64_t least, most;
} ranges[] = {
    {"minute", 0, 59}, {"hour", 0, 23}, {"day of the month", 1, 31}, {"month", 1, 12}, {"day of the week", 0, 7}};

static int bad(const struct range *range, struct sharc_span text, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_ESYNTAX, "\"%.*s\" is no %s of a cron schedule (%llu to %llu)",
                      SHARC_SPAN_ARG(text), range->name, (unsigned long long)range->least,
                      (unsigned long long)range->most);
}

/* "5", "1-5", a star; each perhaps with a step, "/2". */
static int read_part(struct sharc_span part, const struct range *range, struct field *f, struct sharc_err *reterr)
{
    const struct sharc_span whole = part;
    uint64_t from = range->least, to = range->most, step = 1;
    size_t slash = sharc_span_find(part, '/', 0);
    if (slash != SHARC_NPOS) {
        if (sharc_span_to_u64(sharc_span_from(part, slash + 1), &step) < 0 || step == 0 || step > 60)
            return bad(range, whole, reterr);
        part.n = slash;
    }
    size_t dash = sharc_span_find(part, '-', 0);
    if (sharc_span_is(part, "*")) {
        f->any = true;
    } else if (dash != SHARC_NPOS) {
        if (sharc_span_to_u64(sharc_span_sub(part, 0, dash), &from) < 0 ||
            sharc_span_to_u64(sharc_span_from(part, dash + 1), &to) < 0)
            return bad(range, whole, reterr);
    } else {
        if (sharc_span_to_u64(part, &from) < 0) return bad(range, whole, reterr);
        if (slash == SHARC_NPOS) to = from;
    }
    if (from < range->least || to > range->most || from > to) return bad(range, whole, reterr);
    for (uint64_t i = from; i <= to; i += step) f->bits |= UINT64_C(1) << i;
    return 0;
}

static int read_fields(struct sharc_span text, struct field f[5], struct sharc_err *reterr)
{
    struct sharc_span word, part;
    size_t n = 0;
    while (sharc_span_next(&text, ' ', &word)) {
        if (word.n == 0) continue;
        SHARC_FAIL_IF(n == 5, reterr, SHARC_ESYNTAX, "a cron schedule has five fields, not more");
        while (sharc_span_next(&word, ',', &part)) {
            int r = read_part(part, &ranges[n], &f[n], reterr);
            if (r < 0) return r;
        }
        n++;
    }
    SHARC_FAIL_IF(n < 5, reterr, SHARC_ESYNTAX,
                  "a cron schedule has five fields: minute, hour, day of the month, month, day of the week");
    if (f[4].bits & 1u << 7) f[4].bits |= 1; /* Sunday */
    return 0;
}

static bool has(const struct field *f, int i)
{
    return f->bits >> i & 1;
}

static bool is_day(const struct field f[5], const struct sharc_date *d)
{
    if (!has(&f[3], d->month)) return false;
    bool by_month = has(&f[2], d->day), by_week = has(&f[4], d->weekday);
    return f[2].any || f[4].any ? by_month && by_week : by_month || by_week;
}

/* The first minute of the day, from that minute on, that is meant; -1: none. */
static int minute_of(const struct field f[5], int from)
{
    for (int i = from; i < 24 * 60; i++)
        if (has(&f[1], i / 60) && has(&f[0], i % 60)) return i;
    return -1;
}

static int cron(struct sharc_span text, sharc_time now, sharc_time *ret, struct sharc_err *reterr)
{
    struct field f[5] = {0};
    int r = read_fields(text, f, reterr);
    if (r < 0) return r;
    struct sharc_date d = sharc_date_of(now);
    int minute = d.hour * 60 + d.minute + 1;
    d.hour = d.minute = d.second = d.micro = 0;
    sharc_time day;
    r = sharc_date_to_time(&d, &day);
    for (int i = 0; r == 0 && i < CRON_YEARS * 366; i++, day += SHARC_DAY, minute = 0) {
        d = sharc_date_of(day);
        int at = is_day(f, &d) ? minute_of(f, minute) : -1;
        if (at < 0) continue;
        *ret = day + at * SHARC_MINUTE;
        return 0;
    }
    return sharc_fail(reterr, SHARC_ESYNTAX, "there is no such day: the schedule never comes true");
}

/* --- by change rates ----------------------------------------------------------------------- */

#define CHANGED "changed "
#define USUAL_LEAST SHARC_DAY
#define USUAL_MOST (90 * SHARC_DAY)
#define USUAL_WITHOUT_RATES (7 * SHARC_DAY)

static int not_changed(struct sharc_span schedule, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_ESYNTAX,
                      "\"%.*s\" is no schedule: write a share above 0 and below 100 %%, and bounds of a minute to ten "
                      "years, as in \"changed 10%%\" or \"changed 10%% 6h..30d\"",
                      SHARC_SPAN_ARG(schedule));
}

static bool read_bound(struct sharc_span text, sharc_time *ret)
{
    return sharc_duration_parse(sharc_span_trim(text), ret, NULL) == 0 && *ret >= SHARC_MINUTE &&
           *ret <= 3660 * SHARC_DAY;
}

int sharc_fleet_by_change(struct sharc_span schedule, struct sharc_fleet_change *ret, struct sharc_err *reterr)
{
    schedule = sharc_span_trim(schedule);
    if (!sharc_span_starts(schedule, SHARC_SPAN(CHANGED))) return 0;
    struct sharc_span rest = sharc_span_trim(sharc_span_from(schedule, strlen(CHANGED))), share;
    struct sharc_fleet_change c = {.least = USUAL_LEAST, .most = USUAL_MOST};
    if (!sharc_span_next(&rest, ' ', &share) || !sharc_span_ends(share, SHARC_SPAN("%")))
        return not_changed(schedule, reterr);
    share.n--;
    if (sharc_span_to_double(share, &c.share) < 0 || !(c.share > 0 && c.share < 100))
        return not_changed(schedule, reterr);
    c.share /= 100;
    rest = rest.p ? sharc_span_trim(rest) : SHARC_SPAN("");
    if (rest.n) {
        size_t dots = 0;
        while (dots + 1 < rest.n && (rest.p[dots] != '.' || rest.p[dots + 1] != '.')) dots++;
        if (dots + 1 >= rest.n || !read_bound(sharc_span_sub(rest, 0, dots), &c.least) ||
            !read_bound(sharc_span_from(rest, dots + 2), &c.most) || c.least > c.most)
            return not_changed(schedule, reterr);
    }
    *ret = c;
    return 1;
}

/* The share that is expected to have changed after t seconds. */
static double changed_by(const double *rates, size_t n, double t)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(rates[i] >= 0)) continue;
        sum += -expm1(-rates[i] * t);
        known++;
    }
    return known ? sum / (double)known : 0;
}

static bool any_known(const double *rates, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rates[i] >= 0) return true;
    return false;
}

sharc_time sharc_fleet_changed_after(const struct sharc_fleet_change *c, const double *rates, size_t n)
{
    sharc_time low = c->least, high = c->most;
    if (!any_known(rates, n)) {
        const sharc_time usual = USUAL_WITHOUT_RATES;
        return usual < low ? low : usual > high ? high : usual;
    }
    const double second = (double)SHARC_SEC;
    if (changed_by(rates, n, (double)low / second) >= c->share) return low;
    if (changed_by(rates, n, (double)high / second) < c->share) return high;
    while (high - low > SHARC_SEC) {
        const sharc_time middle = low + (high - low) / 2;
        if (changed_by(rates, n, (double)middle / second) >= c->share)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* --- all of them --------------------------------------------------------------------------- */

int sharc_fleet_next(struct sharc_span schedule, sharc_time due, sharc_time now, sharc_time *ret,
                     struct sharc_err *reterr)
{
    sharc_time step;
    struct sharc_fleet_change change;
    schedule = sharc_span_trim(schedule);
    int by_change = sharc_fleet_by_change(schedule, &change, reterr);
    if (by_change < 0) return by_change;
    if (by_change > 0) return every(change.most, due > now ? due : now, now, ret);
    if (sharc_span_is(schedule, "daily")) return every(SHARC_DAY, due, now, ret);
    if (sharc_span_is(schedule, "weekly")) return every(7 * SHARC_DAY, due, now, ret);
    if (sharc_span_is(schedule, "monthly")) return monthly(due, now, ret);
    if (sharc_span_starts(schedule, SHARC_SPAN("cron "))) return cron(sharc_span_from(schedule, 5), now, ret, reterr);
    if (sharc_span_starts(schedule, SHARC_SPAN("every "))) {
        int r = sharc_duration_parse(sharc_span_trim(sharc_span_from(schedule, 6)), &step, reterr);
        if (r < 0) return r;
        SHARC_FAIL_IF(step < SHARC_MINUTE || step > 3660 * SHARC_DAY, reterr, SHARC_ESYNTAX,
                      "a schedule is from one minute to ten years long");
        return every(step, due, now, ret);
    }
    return sharc_fail(reterr, SHARC_ESYNTAX,
                      "\"%.*s\" is no schedule: write daily, weekly, monthly, \"every 36h\", \"cron 30 3 * * 1\" "
                      "or \"changed 10%%\"",
                      SHARC_SPAN_ARG(schedule));
}

int sharc_fleet_schedule_check(struct sharc_span schedule, struct sharc_err *reterr)
{
    sharc_time next;
    return sharc_fleet_next(schedule, 0, 0, &next, reterr);
}
