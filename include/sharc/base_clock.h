/* SPDX-License-Identifier: Apache-2.0
 *
 * Time. An instant is a count of microseconds since 1970-01-01T00:00:00Z, a
 * duration a count of microseconds. Nothing below cli and crawl reads a clock:
 * time is an argument, so the simulator and the crawler share their code.
 */
#ifndef SHARC_BASE_CLOCK_H
#define SHARC_BASE_CLOCK_H

#include "sharc/base.h"

SHARC_API_BEGIN

typedef int64_t sharc_time; /* microseconds: an instant or a duration */

#define SHARC_TIME_NONE INT64_MIN
#define SHARC_MSEC ((sharc_time)1000)
#define SHARC_SEC (1000 * SHARC_MSEC)
#define SHARC_MINUTE (60 * SHARC_SEC)
#define SHARC_HOUR (60 * SHARC_MINUTE)
#define SHARC_DAY (24 * SHARC_HOUR)
/* Seconds as a time, for unchecked numbers: what lies outside, and NAN,
 * becomes the nearest time (NAN: 0), never SHARC_TIME_NONE. */
sharc_time sharc_time_of_seconds(double seconds);
static inline double sharc_time_seconds(sharc_time t)
{
    return (double)t / (double)SHARC_SEC;
}

/* How a clock's time hangs together with one that counts evenly and that nobody can set. */
struct sharc_clock_anchor {
    sharc_time ahead; /* now() minus that clock: creeps as the wall clock does, at most 10 ms in a second */
    sharc_time set;   /* the wall clock minus now(): other than 0 when somebody has set it since, by a second or more */
    uint64_t epoch;   /* which even clock it is: another one after a restart of the machine; 0: unknown */
};

/* A clock is a table of functions, so that tests and the lab can bring
 * their own. wait() returns early with SHARC_EINTR when *stop becomes true. */
struct sharc_clock {
    sharc_time (*now)(struct sharc_clock *c);
    int (*wait_until)(struct sharc_clock *c, sharc_time when, const volatile bool *stop);
    void (*anchor)(struct sharc_clock *c, struct sharc_clock_anchor *ret); /* NULL: unknown */
    unsigned fast; /* it may run ahead of an even clock by so many parts in a thousand */
};
/* How long to wait by such a clock for at least `wait` to pass by the even clock, too. */
static inline sharc_time sharc_clock_surely(unsigned fast, sharc_time wait)
{
    return wait + (wait + 999) / 1000 * (sharc_time)fast;
}

/* Wall-clock time that never runs backwards within a process: a clock counts that nobody
 * sets and that runs on while the machine sleeps. The wall clock is looked at every second: what it
 * creeps away is put right by counting at most 1 % faster or slower, and when somebody sets it, by a second or
 * more, time goes on as it began and the anchor tells. For any thread. */
struct sharc_clock *sharc_clock_real(void);

/* A clock that moves only when told to (or when somebody waits on it). Others may read it meanwhile. */
struct sharc_clock_virtual {
    struct sharc_clock clock;
    sharc_time at;
    struct sharc_clock_anchor anchor; /* as told */
};
void sharc_clock_virtual_init(struct sharc_clock_virtual *c, sharc_time at);

/* CPU seconds of this process, and seconds of a monotonic clock: for reports. */
double sharc_clock_cpu(void);
double sharc_clock_mono(void);

/* A point in the proleptic Gregorian calendar, UTC. */
struct sharc_date {
    int year, month, day; /* month 1..12, day 1..31 */
    int hour, minute, second, micro;
    int weekday; /* 0 Sunday … 6 Saturday; ignored by sharc_date_to_time */
};
struct sharc_date sharc_date_of(sharc_time t);
/* SHARC_ESYNTAX when a field is out of range (second 60 is taken as 59). */
int sharc_date_to_time(const struct sharc_date *d, sharc_time *ret);

/* Text. The out arrays are large enough; each returns out.
 * iso: 2026-11-15T20:04:48Z, with .ffffff when digits > 0 (3 or 6);
 * compact: 14 digits, or 17 with milliseconds; outside the years 0000 to 9999
 * the nearest instant inside. */
#define SHARC_TIME_TEXT 40
char *sharc_time_iso(sharc_time t, int digits, char out[SHARC_TIME_TEXT]);
char *sharc_time_compact(sharc_time t, int digits, char out[SHARC_TIME_TEXT]);
/* For people, rounded: "350 ms", "2.5 s", "12 s", "4 min 10 s", "3 h 20 min", "12 d 4 h". */
char *sharc_duration_text(sharc_time d, char out[SHARC_TIME_TEXT]);

/* Read an instant: ISO 8601 date or date-time (fraction of any length, Z or
 * ±hh:mm, W3C shorter forms), 4 to 17 digits (a prefix means its beginning),
 * or @seconds since 1970. */
int sharc_time_parse(struct sharc_span s, sharc_time *ret, struct sharc_err *reterr);
/* Read a duration: a number with a unit us ms s m|min h d w y (365.25 days),
 * several may be joined ("1h30m", "4 min 10 s"); a bare number counts seconds.
 * Never negative. */
int sharc_duration_parse(struct sharc_span s, sharc_time *ret, struct sharc_err *reterr);
/* Read a size in bytes: a number with optional k M G T (1000) or Ki Mi Gi Ti
 * (1024) and optional B, in any case. */
int sharc_size_parse(struct sharc_span s, uint64_t *ret, struct sharc_err *reterr);
/* "512 B", "1.4 MB": powers of 1000. */
char *sharc_size_text(uint64_t n, char out[SHARC_TIME_TEXT]);
/* "81.2 %" of 0.812; "unknown" of NAN. */
char *sharc_share_text(double share, char out[SHARC_TIME_TEXT]);
/* A number and what it counts, for sentences: "1 page", "0 pages", "3 entries". word is the
 * singular, whose plural adds an s; or both, "entry|entries", "page has|pages have". Cut where
 * it does not fit. */
#define SHARC_COUNT_TEXT 80
char *sharc_count_text(uint64_t n, const char *word, char out[SHARC_COUNT_TEXT]);
/* The same in storage that lives to the end of the block. */
#define SHARC_COUNT(n, word) sharc_count_text((n), (word), (char[SHARC_COUNT_TEXT]){0})

SHARC_API_END
#endif
