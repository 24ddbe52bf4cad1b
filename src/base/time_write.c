/* SPDX-License-Identifier: Apache-2.0
 *
 * Instants, durations and sizes as text for people and for files.
 */
#include "sharc/base_clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* v with `width` digits at least; returns the place behind. Every record and line of a
 * log bears dates: printf would cost more than all else in them. */
static char *put_digits(char *to, int v, int width)
{
    char digits[12];
    int n = 0;
    for (unsigned rest = (unsigned)v; rest > 0 || n < width; rest /= 10) digits[n++] = (char)('0' + rest % 10);
    while (n > 0) *to++ = digits[--n];
    return to;
}

static char *put_two(char *to, int v)
{
    to[0] = (char)('0' + v / 10);
    to[1] = (char)('0' + v % 10);
    return to + 2;
}

static char *put_part(char *to, char before, int v)
{
    *to = before;
    return put_two(to + 1, v);
}

char *sharc_time_iso(sharc_time t, int digits, char out[SHARC_TIME_TEXT])
{
    struct sharc_date d = sharc_date_of(t);
    char *to = out;
    if (d.year < 0) *to++ = '-';
    to = put_digits(to, d.year < 0 ? -d.year : d.year, 4);
    to = put_part(to, '-', d.month);
    to = put_part(to, '-', d.day);
    to = put_part(to, 'T', d.hour);
    to = put_part(to, ':', d.minute);
    to = put_part(to, ':', d.second);
    if (digits > 0) {
        *to++ = '.';
        to = digits <= 3 ? put_digits(to, d.micro / 1000, 3) : put_digits(to, d.micro, 6);
    }
    *to++ = 'Z';
    *to = 0;
    return out;
}

char *sharc_time_compact(sharc_time t, int digits, char out[SHARC_TIME_TEXT])
{
    struct sharc_date d = sharc_date_of(t);
    if (d.year < 0) d = (struct sharc_date){.month = 1, .day = 1};
    if (d.year > 9999) d = (struct sharc_date){9999, 12, 31, 23, 59, 59, 999999, 0};
    char *to = put_digits(out, d.year, 4);
    to = put_two(to, d.month);
    to = put_two(to, d.day);
    to = put_two(to, d.hour);
    to = put_two(to, d.minute);
    to = put_two(to, d.second);
    if (digits > 14) to = put_digits(to, d.micro / 1000, 3);
    *to = 0;
    return out;
}

/* "4 min 10 s", or "4 min" when the second part is nothing. */
static char *two_parts(char out[SHARC_TIME_TEXT], int n, uint64_t parts, uint64_t per, const char *large,
                       const char *small)
{
    uint64_t many = parts / per, few = parts % per;
    n += snprintf(out + n, (size_t)(SHARC_TIME_TEXT - n), "%" PRIu64 " %s", many, large);
    if (few) snprintf(out + n, (size_t)(SHARC_TIME_TEXT - n), " %" PRIu64 " %s", few, small);
    return out;
}

static uint64_t rounded(uint64_t v, uint64_t unit)
{
    return v / unit + (v % unit >= (unit + 1) / 2);
}

/* Each form is left when rounding would carry into the next: never "60 s". */
char *sharc_duration_text(sharc_time d, char out[SHARC_TIME_TEXT])
{
    uint64_t v = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;
    int n = snprintf(out, SHARC_TIME_TEXT, "%s", d < 0 ? "-" : "");
    size_t room = (size_t)(SHARC_TIME_TEXT - n);
    uint64_t ms = rounded(v, SHARC_MSEC), tenths = rounded(v, 100 * SHARC_MSEC), seconds = rounded(v, SHARC_SEC);
    uint64_t minutes = rounded(v, SHARC_MINUTE), hours = rounded(v, SHARC_HOUR);
    if (v == 0)
        snprintf(out + n, room, "0 s");
    else if (v < 1000)
        snprintf(out + n, room, "%" PRIu64 " us", v);
    else if (ms < 1000)
        snprintf(out + n, room, "%" PRIu64 " ms", ms);
    else if (tenths < 100 && tenths % 10)
        snprintf(out + n, room, "%" PRIu64 ".%" PRIu64 " s", tenths / 10, tenths % 10);
    else if (seconds < 60)
        snprintf(out + n, room, "%" PRIu64 " s", seconds);
    else if (seconds < 3600)
        return two_parts(out, n, seconds, 60, "min", "s");
    else if (minutes < 24 * 60)
        return two_parts(out, n, minutes, 60, "h", "min");
    else
        return two_parts(out, n, hours, 24, "d", "h");
    return out;
}

char *sharc_size_text(uint64_t n, char out[SHARC_TIME_TEXT])
{
    static const char units[] = "kMGTPE";
    if (n < 1000) {
        snprintf(out, SHARC_TIME_TEXT, "%" PRIu64 " B", n);
        return out;
    }
    uint64_t unit = 1000, tenths;
    size_t i = 0;
    for (;;) {
        tenths = rounded(n, unit / 10);
        if (tenths < 10000 || !units[i + 1]) break;
        unit *= 1000;
        i++;
    }
    snprintf(out, SHARC_TIME_TEXT, "%" PRIu64 ".%" PRIu64 " %cB", tenths / 10, tenths % 10, units[i]);
    return out;
}

char *sharc_share_text(double share, char out[SHARC_TIME_TEXT])
{
    if (isnan(share))
        snprintf(out, SHARC_TIME_TEXT, "unknown");
    else
        snprintf(out, SHARC_TIME_TEXT, "%.1f %%", 100 * share);
    return out;
}

char *sharc_count_text(uint64_t n, const char *word, char out[SHARC_COUNT_TEXT])
{
    const char *bar = strchr(word, '|');
    int one = bar ? (int)(bar - word) : (int)strlen(word);
    if (n == 1)
        snprintf(out, SHARC_COUNT_TEXT, "1 %.*s", one, word);
    else
        snprintf(out, SHARC_COUNT_TEXT, "%" PRIu64 " %s%s", n, bar ? bar + 1 : word, bar ? "" : "s");
    return out;
}
