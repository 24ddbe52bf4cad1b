/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks and the calendar.
 */
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"

#include "clock_follow.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define SLICE (100 * SHARC_MSEC) /* how late a stop may be noticed */

sharc_time sharc_time_of_seconds(double seconds)
{
    const double us = seconds * (double)SHARC_SEC;
    if (us >= 0x1p63) return INT64_MAX;
    if (us <= -0x1p63) return INT64_MIN + 1;
    return us == us ? (sharc_time)us : 0;
}

static sharc_time read_clock(clockid_t which)
{
    struct timespec t = {0};
    clock_gettime(which, &t);
    return (sharc_time)t.tv_sec * SHARC_SEC + t.tv_nsec / 1000;
}

/* A signal handler or another thread may set it at any moment. */
static bool stopped(const volatile bool *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_ACQUIRE);
}

/* --- the real clock ------------------------------------------------------- */

/* Counts evenly, whatever is done to the wall clock, and also while the machine
 * sleeps: the monotonic clock of Linux stands still then, and everything that a
 * crawl dates after the sleep would be dated too early. */
#ifdef CLOCK_BOOTTIME
#define EVEN_CLOCK CLOCK_BOOTTIME
#else
#define EVEN_CLOCK CLOCK_MONOTONIC
#endif

#define LOOK_EVERY SHARC_SEC      /* at the wall clock */
#define AT_ONCE (SHARC_MSEC / 10) /* readings that lie no further apart are one */

static pthread_mutex_t follow_lock = PTHREAD_MUTEX_INITIALIZER;
static struct clock_follow follow; /* under follow_lock */

/* The two clocks at one instant, by the best of some tries. false: the machine was doing something else each time. */
static bool read_both(sharc_time *ret_even, sharc_time *ret_wall)
{
    sharc_time best = INT64_MAX;
    for (int i = 0; i < 10 && best > AT_ONCE; i++) {
        const sharc_time before = read_clock(EVEN_CLOCK), wall = read_clock(CLOCK_REALTIME);
        const sharc_time apart = read_clock(EVEN_CLOCK) - before;
        if (apart >= best) continue;
        best = apart;
        *ret_even = before + apart / 2;
        *ret_wall = wall;
    }
    return best <= AT_ONCE;
}

static void begin_to_follow(void)
{
    sharc_time even = 0, wall = 0;
    (void)read_both(&even, &wall);
    sharc__clock_follow_init(&follow, even, wall);
}

static sharc_time now_at(sharc_time even)
{
    pthread_mutex_lock(&follow_lock);
    if (even - follow.even >= LOOK_EVERY) {
        sharc_time at = even, wall;
        if (read_both(&at, &wall)) sharc__clock_follow_wall(&follow, at, wall);
        even = at;
    }
    const sharc_time now = sharc__clock_follow_now(&follow, even);
    pthread_mutex_unlock(&follow_lock);
    return now;
}

static sharc_time real_now(struct sharc_clock *c)
{
    (void)c;
    return now_at(read_clock(EVEN_CLOCK));
}

static int real_wait_until(struct sharc_clock *c, sharc_time when, const volatile bool *stop)
{
    (void)c;
    for (;;) {
        if (stopped(stop)) return SHARC_EINTR;
        const sharc_time even = read_clock(EVEN_CLOCK), now = now_at(even);
        if (now >= when) return 0;
        const sharc_time until = even + (when - now < SLICE ? when - now : SLICE);
        struct timespec t = {.tv_sec = until / SHARC_SEC, .tv_nsec = until % SHARC_SEC * 1000};
        clock_nanosleep(EVEN_CLOCK, TIMER_ABSTIME, &t, NULL); /* a signal only ends the slice early */
    }
}

/* Linux has a name for every start of the machine. */
static uint64_t this_boot(void)
{
    char id[40] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    size_t n = f ? fread(id, 1, sizeof id - 1, f) : 0;
    if (f) fclose(f);
    return n ? sharc_fingerprint(sharc_span(id, n), 0) | 1 : 0;
}

static void real_anchor(struct sharc_clock *c, struct sharc_clock_anchor *ret)
{
    static uint64_t boot; /* under follow_lock */
    sharc_time even = 0, wall = 0;
    (void)c;
    const bool both = read_both(&even, &wall);
    pthread_mutex_lock(&follow_lock);
    if (!boot) boot = this_boot();
    if (both) sharc__clock_follow_wall(&follow, even, wall);
    const sharc_time now = sharc__clock_follow_now(&follow, even);
    *ret = (struct sharc_clock_anchor){.ahead = now - even, .set = follow.set, .epoch = boot};
    pthread_mutex_unlock(&follow_lock);
}

struct sharc_clock *sharc_clock_real(void)
{
    static struct sharc_clock clock = {real_now, real_wait_until, real_anchor, CLOCK_SLEW};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin_to_follow);
    return &clock;
}

/* --- the virtual clock ---------------------------------------------------- */

static sharc_time virtual_now(struct sharc_clock *c)
{
    return __atomic_load_n(&((struct sharc_clock_virtual *)c)->at, __ATOMIC_ACQUIRE);
}

static int virtual_wait_until(struct sharc_clock *c, sharc_time when, const volatile bool *stop)
{
    struct sharc_clock_virtual *v = (struct sharc_clock_virtual *)c;
    if (stopped(stop)) return SHARC_EINTR;
    if (when > virtual_now(c)) __atomic_store_n(&v->at, when, __ATOMIC_RELEASE);
    return 0;
}

static void virtual_anchor(struct sharc_clock *c, struct sharc_clock_anchor *ret)
{
    *ret = ((struct sharc_clock_virtual *)c)->anchor;
}

void sharc_clock_virtual_init(struct sharc_clock_virtual *c, sharc_time at)
{
    *c = (struct sharc_clock_virtual){{virtual_now, virtual_wait_until, virtual_anchor, 0}, at, {.epoch = 1}};
}

double sharc_clock_cpu(void)
{
    return (double)read_clock(CLOCK_PROCESS_CPUTIME_ID) / (double)SHARC_SEC;
}

double sharc_clock_mono(void)
{
    return (double)read_clock(CLOCK_MONOTONIC) / (double)SHARC_SEC;
}

/* --- the calendar --------------------------------------------------------- */

/* Years are counted from March here, so that the leap day is the last day of a
 * year; 400 of them make an era of always the same length. */
#define DAYS_PER_ERA 146097
#define DAYS_TO_1970 719468 /* from 0000-03-01 */
#define YEAR_LIMIT 290000   /* what fits into 64 bits of microseconds, rounded down */

static int64_t days_from_date(int year, int month, int day)
{
    int64_t y = (int64_t)year - (month <= 2);
    int64_t era = sharc_floor_div(y, 400), year_of_era = y - era * 400;
    int64_t month_from_march = (month + 9) % 12;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    return era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - DAYS_TO_1970;
}

static void date_from_days(int64_t days, struct sharc_date *ret)
{
    days += DAYS_TO_1970;
    int64_t era = sharc_floor_div(days, DAYS_PER_ERA), d = days - era * DAYS_PER_ERA;
    int64_t y = (d - d / 1460 + d / 36524 - d / 146096) / 365;
    int64_t day_of_year = d - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * day_of_year + 2) / 153;
    ret->day = (int)(day_of_year - (153 * m + 2) / 5 + 1);
    ret->month = (int)(m < 10 ? m + 3 : m - 9);
    ret->year = (int)(y + era * 400 + (ret->month <= 2));
}

struct sharc_date sharc_date_of(sharc_time t)
{
    struct sharc_date d = {0};
    int64_t days = sharc_floor_div(t, SHARC_DAY);
    int64_t rest = t % SHARC_DAY;
    if (rest < 0) rest += SHARC_DAY;
    date_from_days(days, &d);
    d.weekday = (int)(((days + 4) % 7 + 7) % 7);
    d.hour = (int)(rest / SHARC_HOUR);
    d.minute = (int)(rest / SHARC_MINUTE % 60);
    d.second = (int)(rest / SHARC_SEC % 60);
    d.micro = (int)(rest % SHARC_SEC);
    return d;
}

static int days_in_month(int year, int month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

static bool within(int v, int low, int high)
{
    return v >= low && v <= high;
}

int sharc_date_to_time(const struct sharc_date *d, sharc_time *ret)
{
    if (!within(d->year, -YEAR_LIMIT, YEAR_LIMIT) || !within(d->month, 1, 12) ||
        !within(d->day, 1, days_in_month(d->year, d->month)) || !within(d->hour, 0, 23) || !within(d->minute, 0, 59) ||
        !within(d->second, 0, 60) || !within(d->micro, 0, 999999))
        return SHARC_ESYNTAX;
    int second = d->second < 60 ? d->second : 59;
    *ret = days_from_date(d->year, d->month, d->day) * SHARC_DAY + d->hour * SHARC_HOUR + d->minute * SHARC_MINUTE +
           second * SHARC_SEC + d->micro;
    return 0;
}
