/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates in the text of a page. A date is evidence of when a page changed, so
 * one that can be read in two ways is no date.
 */
#include "change_int.h"

#include "sharc/base_eight.h"

/* --- words -------------------------------------------------------------------- */

/* Lower case; letters beyond ASCII must stand as they do here. */
static const char *const months[12][9] = {
    {"january", "januar", "janvier", "enero", "gennaio", "janeiro", "januari", "jan"},
    {"february", "februar", "f\u00e9vrier", "febrero", "febbraio", "fevereiro", "februari", "feb"},
    {"march", "m\u00e4rz", "mars", "marzo", "mar\u00e7o", "maart", "mar", "mrz"},
    {"april", "avril", "abril", "aprile", "apr"},
    {"may", "mai", "mayo", "maggio", "maio", "mei"},
    {"june", "juni", "juin", "junio", "giugno", "junho", "jun"},
    {"july", "juli", "juillet", "julio", "luglio", "julho", "jul"},
    {"august", "ao\u00fbt", "agosto", "augustus", "aug"},
    {"september", "septembre", "septiembre", "settembre", "setembro", "sept", "sep"},
    {"october", "oktober", "octobre", "octubre", "ottobre", "outubro", "oct", "okt"},
    {"november", "novembre", "noviembre", "novembro", "nov"},
    {"december", "dezember", "d\u00e9cembre", "diciembre", "dicembre", "dezembro", "dec", "dez"},
};

static const char *const weekdays[] = {
    "monday", "tuesday", "wednesday", "thursday", "friday",     "saturday", "sunday",   "mon",
    "tue",    "tues",    "wed",       "thu",      "thur",       "thurs",    "fri",      "sat",
    "sun",    "montag",  "dienstag",  "mittwoch", "donnerstag", "freitag",  "samstag",  "sonntag",
    "lundi",  "mardi",   "mercredi",  "jeudi",    "vendredi",   "samedi",   "dimanche",
};

/* What stands before a date that says when the page was changed. */
static const struct sharc_span phrases[] = {
    SHARC_SPAN("last modified"),
    SHARC_SPAN("last-modified"),
    SHARC_SPAN("last updated"),
    SHARC_SPAN("last update"),
    SHARC_SPAN("last change"),
    SHARC_SPAN("last changed"),
    SHARC_SPAN("last revised"),
    SHARC_SPAN("last edited"),
    SHARC_SPAN("last reviewed"),
    SHARC_SPAN("page updated"),
    SHARC_SPAN("updated on"),
    SHARC_SPAN("updated"),
    SHARC_SPAN("modified on"),
    SHARC_SPAN("modified"),
    SHARC_SPAN("revised"),
    SHARC_SPAN("date modified"),
    SHARC_SPAN("date-modified"),
    SHARC_SPAN("content last updated"),
    SHARC_SPAN("zuletzt ge\u00e4ndert"),
    SHARC_SPAN("zuletzt aktualisiert"),
    SHARC_SPAN("zuletzt bearbeitet"),
    SHARC_SPAN("letzte \u00e4nderung"),
    SHARC_SPAN("letzte aktualisierung"),
    SHARC_SPAN("aktualisiert"),
    SHARC_SPAN("stand"),
    SHARC_SPAN("derni\u00e8re modification"),
    SHARC_SPAN("derni\u00e8re mise \u00e0 jour"),
    SHARC_SPAN("mise \u00e0 jour"),
    SHARC_SPAN("mis \u00e0 jour"),
    SHARC_SPAN("modifi\u00e9"),
    SHARC_SPAN("\u00faltima actualizaci\u00f3n"),
    SHARC_SPAN("\u00faltima modificaci\u00f3n"),
    SHARC_SPAN("actualizado"),
    SHARC_SPAN("ultimo aggiornamento"),
    SHARC_SPAN("ultima modifica"),
    SHARC_SPAN("aggiornato"),
    SHARC_SPAN("\u00faltima atualiza\u00e7\u00e3o"),
    SHARC_SPAN("atualizado"),
    SHARC_SPAN("laatst gewijzigd"),
    SHARC_SPAN("laatst bijgewerkt"),
    SHARC_SPAN("bijgewerkt"),
};

#define NEAR 40 /* bytes between phrase and date */

static bool is_letter(char c)
{
    return sharc_is_alpha(c) || (uint8_t)c >= 0x80;
}

/* Does word stand at the start of s, as a whole word? */
static bool starts_word(struct sharc_span s, struct sharc_span w)
{
    return sharc_span_istarts(s, w) && (s.n == w.n || !is_letter(s.p[w.n]));
}

/* --- a reader that never goes back ------------------------------------------------ */

struct cursor {
    struct sharc_span s;
    size_t at;
};

static struct sharc_span rest(const struct cursor *c)
{
    return sharc_span_from(c->s, c->at);
}

static char peek(const struct cursor *c)
{
    return c->at < c->s.n ? c->s.p[c->at] : 0;
}

static bool take(struct cursor *c, char wanted)
{
    if (peek(c) != wanted || c->at >= c->s.n) return false;
    c->at++;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    struct sharc_span w = sharc_span_of(word);
    if (!starts_word(rest(c), w)) return false;
    c->at += w.n;
    return true;
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->s.n && (sharc_is_space(peek(c)) || peek(c) == ',')) c->at++;
}

/* A number of min … max digits, not followed by another; -1 if none. */
static int take_number(struct cursor *c, int min, int max)
{
    int digits = 0, value = 0;
    while (c->at + (size_t)digits < c->s.n && sharc_is_digit(c->s.p[c->at + (size_t)digits])) {
        if (digits == max) return -1;
        value = value * 10 + c->s.p[c->at + (size_t)digits++] - '0';
    }
    if (digits < min) return -1;
    c->at += (size_t)digits;
    return value;
}

/* 1 … 12, or 0. The longest name wins because only whole words count. */
static int take_month(struct cursor *c)
{
    for (int m = 0; m < 12; m++)
        for (int i = 0; i < 9 && months[m][i]; i++)
            if (take_word(c, months[m][i])) {
                take(c, '.');
                return m + 1;
            }
    return 0;
}

static bool take_weekday(struct cursor *c)
{
    for (size_t i = 0; i < SHARC_LENGTH(weekdays); i++)
        if (take_word(c, weekdays[i])) {
            take(c, '.');
            return true;
        }
    return false;
}

/* --- the forms --------------------------------------------------------------------- */

static bool ymd(struct cursor *c, struct sharc_date *d)
{
    d->year = take_number(c, 4, 4);
    char sep = peek(c);
    if (d->year < 0 || (sep != '-' && sep != '/' && sep != '.')) return false;
    c->at++;
    d->month = take_number(c, 1, 2);
    if (d->month < 0 || !take(c, sep)) return false;
    d->day = take_number(c, 1, 2);
    return d->day >= 0;
}

/* Day first with dots; with slashes or dashes the reading must be the only one. */
static bool numeric(struct cursor *c, int first, char sep, struct sharc_date *d)
{
    if (sep == '.') skip_blanks(c);
    int second = take_number(c, 1, 2);
    if (second < 0 || !take(c, sep)) return false;
    if (sep == '.') skip_blanks(c);
    d->year = take_number(c, 4, 4);
    d->day = first, d->month = second;
    if (sep == '.' || first == second || first > 12) return true;
    d->day = second, d->month = first;
    return second > 12;
}

static void skip_little_words(struct cursor *c)
{
    static const char *const little[] = {"st", "nd", "rd", "th", "of", "de", "do", "er"};
    skip_blanks(c);
    for (size_t i = 0; i < SHARC_LENGTH(little); i++)
        if (take_word(c, little[i])) break;
    skip_blanks(c);
}

/* 15 November 2026, 15. November 2026, 15th of November, 2026, 15-Nov-2026 */
static bool day_first(struct cursor *c, struct sharc_date *d)
{
    int first = take_number(c, 1, 2);
    if (first < 0) return false;
    char sep = peek(c);
    if (sep == '.' || sep == '/' || sep == '-') {
        c->at++;
        if (sharc_is_digit(peek(c))) return numeric(c, first, sep, d);
    }
    size_t after = c->at;
    skip_blanks(c);
    if (sep == '.' && c->at > after && sharc_is_digit(peek(c))) return numeric(c, first, sep, d);
    skip_little_words(c); /* the ending of an ordinal, then perhaps "of" */
    skip_little_words(c);
    d->day = first;
    d->month = take_month(c);
    if (d->month == 0) return false;
    if (sep == '-') take(c, '-');
    skip_little_words(c);
    d->year = take_number(c, 4, 4);
    return d->year >= 0;
}

/* November 15, 2026 and November 15th 2026 */
static bool month_first(struct cursor *c, struct sharc_date *d)
{
    d->month = take_month(c);
    if (d->month == 0) return false;
    skip_blanks(c);
    d->day = take_number(c, 1, 2);
    if (d->day < 0) return false;
    skip_little_words(c);
    d->year = take_number(c, 4, 4);
    return d->year >= 0;
}

/* Seconds east of UTC behind a time; leaves the cursor alone when none is given. */
static int take_zone(struct cursor *c)
{
    struct cursor try = *c;
    while (peek(&try) == ' ') try.at++;
    if (take_word(&try, "z") || take_word(&try, "utc") || take_word(&try, "gmt")) {
        *c = try;
        return 0;
    }
    int sign = peek(&try) == '+' ? 1 : peek(&try) == '-' ? -1 : 0;
    if (sign == 0) return 0;
    try.at++;
    int hours = 0, minutes = 0;
    int both = take_number(&try, 4, 4);
    if (both >= 0) {
        hours = both / 100, minutes = both % 100;
    } else {
        hours = take_number(&try, 2, 2);
        if (hours < 0 || !take(&try, ':')) return 0;
        minutes = take_number(&try, 2, 2);
    }
    if (hours > 14 || minutes < 0 || minutes > 59) return 0;
    *c = try;
    return sign * (hours * 3600 + minutes * 60);
}

/* "T14:30:05.123Z", " 14:30", ", at 14:30 UTC": all or nothing. */
static void take_clock(struct cursor *c, struct sharc_date *d, int *ret_east)
{
    struct cursor try = *c;
    if (!take(&try, 'T')) {
        skip_blanks(&try);
        if (take_word(&try, "at") || take_word(&try, "um") || take_word(&try, "\u00e0") || take(&try, '-'))
            skip_blanks(&try);
    }
    int hour = take_number(&try, 1, 2);
    if (hour < 0 || hour > 23 || !take(&try, ':')) return;
    int minute = take_number(&try, 2, 2), second = 0;
    if (minute < 0 || minute > 59) return;
    if (take(&try, ':')) {
        second = take_number(&try, 2, 2);
        if (second < 0 || second > 60) return;
        if (take(&try, '.'))
            while (sharc_is_digit(peek(&try))) try.at++;
    }
    d->hour = hour, d->minute = minute, d->second = second;
    *c = try;
    *ret_east = take_zone(c);
}

size_t sharc_change_date_read(struct sharc_span s, sharc_time *ret)
{
    static bool (*const forms[])(struct cursor *, struct sharc_date *) = {ymd, day_first, month_first};
    struct cursor start = {.s = s};
    if (take_weekday(&start)) skip_blanks(&start);
    for (size_t i = 0; i < SHARC_LENGTH(forms); i++) {
        struct cursor c = start;
        struct sharc_date d = {.year = 0};
        int east = 0;
        sharc_time when;
        if (!forms[i](&c, &d) || d.year < 1990 || d.year > 2099) continue;
        if (sharc_is_digit(peek(&c))) continue;
        take_clock(&c, &d, &east);
        if (sharc_date_to_time(&d, &when) < 0) continue;
        *ret = when - east * SHARC_SEC;
        return c.at;
    }
    return 0;
}

/* --- finding ------------------------------------------------------------------------ */

/* Length of the phrase that stands here, the longest; 0 if none. */
static size_t phrase_at(struct sharc_span s)
{
    size_t longest = 0;
    char first = s.n ? sharc_to_lower(s.p[0]) : 0;
    for (size_t i = 0; i < SHARC_LENGTH(phrases); i++)
        if (phrases[i].p[0] == first && phrases[i].n > longest && starts_word(s, phrases[i])) longest = phrases[i].n;
    return longest;
}

static bool date_near(struct sharc_span text, size_t from, sharc_time *ret, size_t *ret_at)
{
    for (size_t at = from; at < text.n && at <= from + NEAR; at++) {
        char c = text.p[at], before = at > 0 ? text.p[at - 1] : ' ';
        bool begins = sharc_is_digit(c) ? !sharc_is_digit(before) : is_letter(c) && !is_letter(before);
        if (!begins || !sharc_change_date_read(sharc_span_from(text, at), ret)) continue;
        if (ret_at) *ret_at = at;
        return true;
    }
    return false;
}

/* Which bytes begin a phrase: by the first, a bit for each second and each third
 * (their low five bits). Nearly all words of a text are passed over by it. */
struct beginnings {
    uint32_t second[256], third[256];
};

static void beginnings_init(struct beginnings *b)
{
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < SHARC_LENGTH(phrases); i++) {
        const char *p = phrases[i].p;
        const uint8_t first[2] = {(uint8_t)p[0], (uint8_t)sharc_to_upper(p[0])};
        for (int k = 0; k < 2; k++) {
            b->second[first[k]] |= UINT32_C(1) << (p[1] & 31);
            b->third[first[k]] |= UINT32_C(1) << (p[2] & 31);
        }
    }
}

static bool may_begin(const struct beginnings *b, const char *p)
{
    uint8_t first = (uint8_t)p[0];
    return (b->second[first] >> (p[1] & 31) & b->third[first] >> (p[2] & 31) & 1) != 0;
}

/* A word begins at `at`: is it a phrase with a date behind it? */
static bool date_behind(const struct beginnings *may, struct sharc_span text, size_t at, sharc_time *ret,
                        size_t *ret_at)
{
    if (at + 2 >= text.n || !may_begin(may, text.p + at)) return false;
    size_t length = phrase_at(sharc_span_from(text, at));
    return length > 0 && date_near(text, at + length, ret, ret_at);
}

static uint64_t letters_of(uint64_t w)
{
    return sharc_eight_within(w | SHARC_EIGHT(0x20), 'a', 'z') | (w & SHARC_EIGHT_ALL);
}

bool sharc_change_date_find(struct sharc_span text, sharc_time *ret, size_t *ret_at)
{
    struct beginnings may;
    bool inside = false;
    size_t at = 0;
    beginnings_init(&may);
    for (; text.n - at >= 8; at += 8) {
        uint64_t letters = letters_of(sharc_eight(text.p + at));
        uint64_t begin = letters & ~sharc_eight_behind(letters, inside);
        inside = letters >> 63;
        for (; begin; begin &= begin - 1)
            if (date_behind(&may, text, at + sharc_eight_first(begin), ret, ret_at)) return true;
    }
    for (; at < text.n; at++) {
        bool letter = is_letter(text.p[at]);
        if (letter && !inside && date_behind(&may, text, at, ret, ret_at)) return true;
        inside = letter;
    }
    return false;
}
