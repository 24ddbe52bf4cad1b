/* SPDX-License-Identifier: Apache-2.0
 *
 * Instants, durations and sizes as people and files write them.
 */
#include "sharc/base_clock.h"

#define QUOTED 60 /* bytes of bad input repeated in a message */
#define QUOTE(s) (int)((s).n < QUOTED ? (s).n : QUOTED), (s).n ? (s).p : ""

__extension__ typedef unsigned __int128 wide;

/* --- pieces --------------------------------------------------------------- */

/* What is left to read; each take_… moves on when it says true. */
static bool take_char(struct sharc_span *rest, char c)
{
    if (!rest->n || rest->p[0] != c) return false;
    *rest = sharc_span_from(*rest, 1);
    return true;
}

static bool take_digits(struct sharc_span *rest, size_t n, int *ret)
{
    if (rest->n < n) return false;
    int v = 0;
    for (size_t i = 0; i < n; i++) {
        if (!sharc_is_digit(rest->p[i])) return false;
        v = v * 10 + (rest->p[i] - '0');
    }
    *rest = sharc_span_from(*rest, n);
    *ret = v;
    return true;
}

/* Digits behind a decimal point, as a count of 10^-places; what is finer is
 * cut off. At least one digit. */
static bool take_fraction(struct sharc_span *rest, int places, uint64_t *ret)
{
    size_t i = 0;
    uint64_t v = 0;
    for (; i < rest->n && sharc_is_digit(rest->p[i]); i++) {
        if (places == 0) continue;
        v = v * 10 + (uint64_t)(rest->p[i] - '0');
        places--;
    }
    if (i == 0) return false;
    while (places-- > 0) v *= 10;
    *rest = sharc_span_from(*rest, i);
    *ret = v;
    return true;
}

/* --- instants ------------------------------------------------------------- */

/* @seconds, with sign and fraction if need be. */
static int parse_epoch(struct sharc_span s, sharc_time *ret)
{
    bool negative = take_char(&s, '-');
    size_t point = sharc_span_find(s, '.', 0);
    uint64_t seconds, micro = 0;
    int r = sharc_span_to_u64(sharc_span_sub(s, 0, point), &seconds);
    if (r < 0) return r;
    if (point != SHARC_NPOS) {
        struct sharc_span rest = sharc_span_from(s, point + 1);
        if (!take_fraction(&rest, 6, &micro) || rest.n) return SHARC_ESYNTAX;
    }
    if (seconds > (uint64_t)(INT64_MAX / SHARC_SEC - 1)) return SHARC_ELIMIT;
    sharc_time t = (sharc_time)seconds * SHARC_SEC + (sharc_time)micro;
    *ret = negative ? -t : t;
    return 0;
}

/* 4 to 17 digits. The beginning of what a prefix covers: every missing digit
 * is 0, but months and days begin with 01. */
static int parse_compact(struct sharc_span s, sharc_time *ret)
{
    char digits[] = "00000101000000000";
    memcpy(digits, s.p, s.n);
    if (s.n == 5 && digits[4] != '0') digits[5] = '0';
    if (s.n == 7 && digits[6] != '0') digits[7] = '0';
    struct sharc_span rest = sharc_span(digits, sizeof digits - 1);
    struct sharc_date d = {0};
    int ms = 0;
    bool ok = take_digits(&rest, 4, &d.year) && take_digits(&rest, 2, &d.month) && take_digits(&rest, 2, &d.day) &&
              take_digits(&rest, 2, &d.hour) && take_digits(&rest, 2, &d.minute) && take_digits(&rest, 2, &d.second) &&
              take_digits(&rest, 3, &ms);
    if (!ok) return SHARC_ESYNTAX;
    d.micro = ms * 1000;
    return sharc_date_to_time(&d, ret);
}

/* Z, ±hh:mm, ±hhmm, ±hh or nothing (which means Z). */
static bool take_zone(struct sharc_span *rest, sharc_time *ret)
{
    *ret = 0;
    if (!rest->n || take_char(rest, 'Z') || take_char(rest, 'z')) return true;
    bool negative = take_char(rest, '-');
    if (!negative && !take_char(rest, '+')) return false;
    int hours, minutes = 0;
    if (!take_digits(rest, 2, &hours) || hours > 23) return false;
    bool colon = take_char(rest, ':');
    if ((colon || rest->n) && (!take_digits(rest, 2, &minutes) || minutes > 59)) return false;
    sharc_time zone = hours * SHARC_HOUR + minutes * SHARC_MINUTE;
    *ret = negative ? -zone : zone;
    return true;
}

static bool take_clock(struct sharc_span *rest, struct sharc_date *d)
{
    if (!take_digits(rest, 2, &d->hour) || !take_char(rest, ':') || !take_digits(rest, 2, &d->minute)) return false;
    if (!take_char(rest, ':')) return true;
    if (!take_digits(rest, 2, &d->second)) return false;
    if (!take_char(rest, '.') && !take_char(rest, ',')) return true;
    uint64_t micro;
    if (!take_fraction(rest, 6, &micro)) return false;
    d->micro = (int)micro;
    return true;
}

static int parse_iso(struct sharc_span s, sharc_time *ret)
{
    struct sharc_date d = {.month = 1, .day = 1};
    sharc_time zone = 0, t;
    if (!take_digits(&s, 4, &d.year)) return SHARC_ESYNTAX;
    if (s.n && (!take_char(&s, '-') || !take_digits(&s, 2, &d.month))) return SHARC_ESYNTAX;
    if (s.n && (!take_char(&s, '-') || !take_digits(&s, 2, &d.day))) return SHARC_ESYNTAX;
    if (s.n) {
        if (!take_char(&s, 'T') && !take_char(&s, 't') && !take_char(&s, ' ')) return SHARC_ESYNTAX;
        if (!take_clock(&s, &d) || !take_zone(&s, &zone)) return SHARC_ESYNTAX;
    }
    if (s.n || sharc_date_to_time(&d, &t) < 0) return SHARC_ESYNTAX;
    *ret = t - zone;
    return 0;
}

static bool all_digits(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_digit(s.p[i])) return false;
    return s.n > 0;
}

int sharc_time_parse(struct sharc_span s, sharc_time *ret, struct sharc_err *reterr)
{
    struct sharc_span rest = s;
    int r;
    if (take_char(&rest, '@'))
        r = parse_epoch(rest, ret);
    else if (all_digits(s))
        r = s.n >= 4 && s.n <= 17 ? parse_compact(s, ret) : SHARC_ESYNTAX;
    else
        r = parse_iso(s, ret);
    if (r == 0) return 0;
    return sharc_fail(reterr, r, "\"%.*s\" is not a time; write 2026-11-15T20:04:48Z, 20261115200448 or @seconds",
                      QUOTE(s));
}

/* --- durations and sizes -------------------------------------------------- */

#define NANO 1000000000u

/* A decimal number in units of 10^-9; wide enough for every unit below. */
static bool take_number(struct sharc_span *rest, wide *ret)
{
    uint64_t whole, part = 0;
    size_t n = 0;
    while (n < rest->n && sharc_is_digit(rest->p[n])) n++;
    if (sharc_span_to_u64(sharc_span(rest->p, n), &whole) < 0) return false;
    *rest = sharc_span_from(*rest, n);
    if (take_char(rest, '.') && !take_fraction(rest, 9, &part)) return false;
    *ret = (wide)whole * NANO + part;
    return true;
}

static struct sharc_span take_letters(struct sharc_span *rest)
{
    size_t n = 0;
    while (n < rest->n && sharc_is_alpha(rest->p[n])) n++;
    struct sharc_span word = sharc_span(rest->p, n);
    *rest = sharc_span_from(*rest, n);
    return word;
}

static void skip_spaces(struct sharc_span *rest)
{
    while (take_char(rest, ' ')) continue;
}

static sharc_time duration_unit(struct sharc_span word)
{
    static const struct {
        const char *name;
        sharc_time length;
    } units[] = {{"us", 1},
                 {"ms", SHARC_MSEC},
                 {"s", SHARC_SEC},
                 {"sec", SHARC_SEC},
                 {"m", SHARC_MINUTE},
                 {"min", SHARC_MINUTE},
                 {"h", SHARC_HOUR},
                 {"d", SHARC_DAY},
                 {"w", 7 * SHARC_DAY},
                 {"y", 365 * SHARC_DAY + 6 * SHARC_HOUR}};
    for (size_t i = 0; i < SHARC_LENGTH(units); i++)
        if (sharc_span_is(word, units[i].name)) return units[i].length;
    return 0;
}

static int parse_duration(struct sharc_span rest, sharc_time *ret)
{
    wide sum = 0;
    for (bool first = true; first || rest.n; first = false) {
        wide number;
        if (!take_number(&rest, &number)) return SHARC_ESYNTAX;
        skip_spaces(&rest);
        struct sharc_span word = take_letters(&rest);
        bool bare = first && !word.n && !rest.n;
        sharc_time unit = bare ? SHARC_SEC : duration_unit(word);
        if (!unit) return SHARC_ESYNTAX;
        /* number < 2^64 * 10^9 and unit < 2^45: their product may not fit into 128
         * bits, so the bound is divided first. */
        if (number / NANO > (wide)(INT64_MAX / unit)) return SHARC_ELIMIT;
        sum += number * (wide)unit / NANO;
        if (sum > INT64_MAX) return SHARC_ELIMIT;
        skip_spaces(&rest);
    }
    *ret = (sharc_time)sum;
    return 0;
}

int sharc_duration_parse(struct sharc_span s, sharc_time *ret, struct sharc_err *reterr)
{
    int r = parse_duration(s, ret);
    if (r == 0) return 0;
    if (r == SHARC_ELIMIT) return sharc_fail(reterr, r, "\"%.*s\" is too long a time", QUOTE(s));
    return sharc_fail(reterr, r, "\"%.*s\" is not a duration; write 500ms, 30s, 1h30m or 2d", QUOTE(s));
}

/* 0: unknown. */
static uint64_t size_unit(struct sharc_span word)
{
    static const char letters[] = "kmgt";
    if (word.n && sharc_to_lower(word.p[word.n - 1]) == 'b') word.n--;
    bool binary = word.n == 2 && sharc_to_lower(word.p[1]) == 'i';
    if (word.n == 0) return 1;
    if (word.n > 1 && !binary) return 0;
    const char *at = strchr(letters, sharc_to_lower(word.p[0]));
    if (!at) return 0;
    uint64_t unit = 1;
    for (ptrdiff_t i = 0; i <= at - letters; i++) unit *= binary ? 1024 : 1000;
    return unit;
}

static int parse_size(struct sharc_span rest, uint64_t *ret)
{
    wide number;
    if (!take_number(&rest, &number)) return SHARC_ESYNTAX;
    skip_spaces(&rest);
    uint64_t unit = size_unit(rest);
    if (!unit) return SHARC_ESYNTAX;
    if (number / NANO > UINT64_MAX / unit) return SHARC_ELIMIT;
    wide bytes = number * unit / NANO;
    if (bytes > UINT64_MAX) return SHARC_ELIMIT;
    *ret = (uint64_t)bytes;
    return 0;
}

int sharc_size_parse(struct sharc_span s, uint64_t *ret, struct sharc_err *reterr)
{
    int r = parse_size(s, ret);
    if (r == 0) return 0;
    if (r == SHARC_ELIMIT) return sharc_fail(reterr, r, "\"%.*s\" is too large a size", QUOTE(s));
    return sharc_fail(reterr, r, "\"%.*s\" is not a size; write 500k, 64Mi or 2G", QUOTE(s));
}
