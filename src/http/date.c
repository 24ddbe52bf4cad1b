/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP dates. The three formats have the same parts in other orders, so one
 * loop over words takes them all, with what servers write by mistake.
 */
#include "sharc/http.h"

#include <stdio.h>

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
static const char days[] = "SunMonTueWedThuFriSat";

/* 1 … 12, or 0. */
static int month_of(struct sharc_span word)
{
    if (word.n < 3) return 0;
    for (int i = 0; i < 12; i++)
        if (sharc_span_ieq(sharc_span_sub(word, 0, 3), sharc_span(months + i * 3, 3))) return i + 1;
    return 0;
}

static int number_of(struct sharc_span word, size_t most)
{
    uint64_t v;
    return word.n == 0 || word.n > most || sharc_span_to_u64(word, &v) < 0 ? -1 : (int)v;
}

/* "08:49:37" or "08:49". */
static bool take_clock(struct sharc_span word, struct sharc_date *d)
{
    int *part[3] = {&d->hour, &d->minute, &d->second};
    struct sharc_span piece;
    int n = 0;
    for (; n < 3 && sharc_span_next(&word, ':', &piece); n++) {
        *part[n] = number_of(piece, 2);
        if (*part[n] < 0) return false;
    }
    return n >= 2 && !word.p; /* used up */
}

/* "+0100" as microseconds east of Greenwich. */
static bool take_zone(struct sharc_span word, sharc_time *ret)
{
    if (word.n != 5 || (word.p[0] != '+' && word.p[0] != '-')) return false;
    int hour = number_of(sharc_span_sub(word, 1, 3), 2), minute = number_of(sharc_span_from(word, 3), 2);
    if (hour < 0 || minute < 0 || hour > 14 || minute > 59) return false;
    *ret = (word.p[0] == '-' ? -1 : 1) * (hour * SHARC_HOUR + minute * SHARC_MINUTE);
    return true;
}

/* Names of RFC 822 and of half a dozen places beside; hours east of Greenwich, times ten. Whatever
 * is ambiguous (IST, BST) is left out. */
static bool take_zone_name(struct sharc_span word, sharc_time *ret)
{
    static const struct {
        const char *name;
        int tenths;
    } zones[] = {{"GMT", 0},    {"UTC", 0},    {"UT", 0},     {"Z", 0},     {"WET", 0},   {"EST", -50},  {"EDT", -40},
                 {"CST", -60},  {"CDT", -50},  {"MST", -70},  {"MDT", -60}, {"PST", -80}, {"PDT", -70},  {"AKST", -90},
                 {"AKDT", -80}, {"HST", -100}, {"WEST", 10},  {"CET", 10},  {"MET", 10},  {"CEST", 20},  {"MEST", 20},
                 {"EET", 20},   {"EEST", 30},  {"MSK", 30},   {"JST", 90},  {"KST", 90},  {"AEST", 100}, {"AEDT", 110},
                 {"ACST", 95},  {"AWST", 80},  {"NZST", 120}, {"NZDT", 130}};
    for (size_t i = 0; i < SHARC_LENGTH(zones); i++) {
        struct sharc_span name = sharc_span_of(zones[i].name);
        if (sharc_span_ieq(word, name)) {
            *ret = zones[i].tenths * (SHARC_HOUR / 10);
            return true;
        }
        /* "GMT+0100", as scripts of browsers write it */
        if (i < 2 && sharc_span_istarts(word, name) && take_zone(sharc_span_from(word, name.n), ret)) return true;
    }
    return false;
}

static bool is_weekday(struct sharc_span word)
{
    for (size_t i = 0; i + 3 <= sizeof days - 1; i += 3)
        if (word.n >= 3 && sharc_span_ieq(sharc_span_sub(word, 0, 3), sharc_span(days + i, 3))) return true;
    return false;
}

static int full_year(int year, size_t digits)
{
    if (digits > 2) return year;
    return year + (year < 70 ? 2000 : 1900);
}

static bool take_word(struct sharc_span word, struct sharc_date *d, sharc_time *zone)
{
    int v;
    if (sharc_span_find(word, ':', 0) != SHARC_NPOS) return take_clock(word, d);
    if (d->hour >= 0 && take_zone(word, zone)) return true;
    if (!sharc_is_digit(word.p[0])) {
        int month = month_of(word);
        if (month == 0) return is_weekday(word) || (d->hour >= 0 && take_zone_name(word, zone));
        if (d->month != 0) return false;
        d->month = month;
        return true;
    }
    if (d->day == 0 && (v = number_of(word, 2)) > 0) {
        d->day = v;
        return true;
    }
    if (d->year < 0 && (word.n == 2 || word.n == 4) && (v = number_of(word, 4)) >= 0) {
        d->year = full_year(v, word.n);
        return true;
    }
    return false;
}

int sharc_http_date_parse(struct sharc_span s, sharc_time *ret)
{
    struct sharc_date d = {.year = -1, .hour = -1};
    sharc_time zone = 0, t;
    s = sharc_span_sub(s, 0, sharc_span_find(s, '(', 0)); /* "(Central European Time)" */
    if (s.n > 64) return SHARC_ESYNTAX;
    for (size_t i = 0; i < s.n;) {
        size_t end = i;
        /* A dash divides only behind a digit or letter: "-0800" is one word. */
        while (end < s.n && s.p[end] != ' ' && s.p[end] != ',' && s.p[end] != '\t' && (end == i || s.p[end] != '-'))
            end++;
        if (end > i && !take_word(sharc_span_sub(s, i, end), &d, &zone)) return SHARC_ESYNTAX;
        i = end;
        bool dash = i < s.n && s.p[i] == '-' && d.hour < 0;
        if (dash || (i < s.n && s.p[i] != '-')) i++;
    }
    if (d.year < 0 || d.month == 0 || d.day == 0 || d.hour < 0) return SHARC_ESYNTAX;
    if (sharc_date_to_time(&d, &t) < 0) return SHARC_ESYNTAX;
    *ret = t - zone;
    return 0;
}

char *sharc_http_date_text(sharc_time t, char out[SHARC_TIME_TEXT])
{
    struct sharc_date d = sharc_date_of(t);
    snprintf(out, SHARC_TIME_TEXT, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + d.weekday % 7 * 3, d.day,
             months + (d.month - 1) * 3, d.year, d.hour, d.minute, d.second);
    return out;
}

/* When the server thinks that it is: Date, plus what a cache has kept the answer. */
static bool server_time(const struct sharc_http *h, sharc_time *ret_date, sharc_time *ret_now)
{
    uint64_t age = 0;
    struct sharc_span v = sharc_http_get(h, "Date");
    if (!v.p || sharc_http_date_parse(v, ret_date) < 0) return false;
    v = sharc_http_get(h, "Age");
    if (v.p && (sharc_span_to_u64(v, &age) < 0 || age > UINT32_MAX)) age = 0;
    *ret_now = *ret_date + (sharc_time)age * SHARC_SEC;
    return true;
}

sharc_time sharc_http_last_modified(const struct sharc_http *h, sharc_time when)
{
    enum { GRACE = 2 }; /* seconds between making a page and dating the answer */
    sharc_time t, date, now;
    struct sharc_span v = sharc_http_get(h, "Last-Modified");
    if (!v.p || sharc_http_date_parse(v, &t) < 0 || t > when) return SHARC_TIME_NONE;
    if (!server_time(h, &date, &now) || t >= date - GRACE * SHARC_SEC) return SHARC_TIME_NONE;
    return now < when - SHARC_HTTP_CLOCK || now > when + SHARC_HTTP_CLOCK ? SHARC_TIME_NONE : t;
}
