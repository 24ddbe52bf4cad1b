/* SPDX-License-Identifier: Apache-2.0
 *
 * One token: where it ends, and whether it is a word, a number, a time or nothing that a
 * person would have written.
 */
#include "evidence_int.h"

/* --- where it ends ------------------------------------------------------------------------ */

static bool is_name_byte(char c)
{
    return sharc_is_alnum(c) || c == '_' || c == '$' || (c & 0x80);
}

static bool is_packed_byte(char c) /* base64 in both alphabets */
{
    return sharc_is_alnum(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_';
}

static int class_of(char c)
{
    return sharc_is_upper(c) ? 1 : sharc_is_lower(c) ? 2 : sharc_is_digit(c) ? 3 : 0;
}

/* Upper case, lower case and digits thrown together: words, paths and namesLikeThis have long runs of one, and
 * hardly ever two capitals beside each other. */
static bool is_thrown_together(struct sharc_span s)
{
    size_t turns = 0, ups = 0, capitals = 0, beside = 0, seen[4] = {0};
    for (size_t i = 0; i < s.n; i++) {
        int now = class_of(s.p[i]), before = i ? class_of(s.p[i - 1]) : 0;
        seen[now]++;
        beside += now && before;
        turns += now && before && now != before;
        ups += now == 1 && before == 2;
        capitals += now == 1 && before == 1;
    }
    if (!seen[1] || !seen[2] || turns * 4 < beside) return false;
    return seen[3] || (ups >= 3 && capitals >= 2);
}

static bool is_hex_with_dashes(struct sharc_span s)
{
    size_t digits = 0, letters = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (sharc_is_digit(s.p[i]))
            digits++;
        else if (sharc_hex_value(s.p[i]) >= 0)
            letters++;
        else if (s.p[i] != '-')
            return false;
    }
    return digits >= 4 && letters > 0;
}

enum { PACKED_LEAST = 16, PACKED_MOST = 4096 };

/* Length of a token of base64 or a UUID at s, or 0. */
static size_t packed_length(struct sharc_span s)
{
    size_t n = 0;
    while (n < s.n && n < PACKED_MOST && is_packed_byte(s.p[n])) n++;
    if (n < PACKED_LEAST) return 0;
    struct sharc_span run = sharc_span_sub(s, 0, n);
    if (run.p[n - 1] == '=' && n % 2 == 0) return n; /* filled up, as base64 is */
    return is_thrown_together(run) || is_hex_with_dashes(run) ? n : 0;
}

/* 12:05:33.25, 2026-11-16T12:05Z: separators between digits belong to a number. */
static size_t number_length(struct sharc_span s)
{
    size_t n = 0;
    while (n < s.n) {
        char c = s.p[n];
        bool between = n > 0 && n + 1 < s.n && sharc_is_digit(s.p[n - 1]) && sharc_is_digit(s.p[n + 1]);
        if (is_name_byte(c) || (between && (c == '.' || c == ':' || c == '-')))
            n++;
        else
            break;
    }
    return n;
}

static size_t word_length(struct sharc_span s)
{
    size_t n = packed_length(s);
    if (n) return n;
    if (sharc_is_digit(s.p[0])) return number_length(s);
    while (n < s.n && is_name_byte(s.p[n])) n++;
    return n ? n : 1;
}

size_t sharc__evidence_token(struct sharc_span s, bool by_space)
{
    size_t n = 0;
    while (n < s.n && sharc_is_space(s.p[n])) n++;
    if (n == s.n) return n;
    if (!by_space) return n + word_length(sharc_span_from(s, n));
    while (n < s.n && !sharc_is_space(s.p[n])) n++;
    return n;
}

/* --- what it looks like ---------------------------------------------------------------------- */

static bool is_one_of(struct sharc_span s, const struct sharc_span *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].n == s.n && sharc_span_ieq(s, list[i])) return true;
    return false;
}

/* The words of times in the languages that sites are often written in, those of one length side by side: nearly
 * every word of a page is looked for here. "second" and "March" may be other words too: they only ever count beside a
 * number that moves. */
static const char *const time_words[] = {
    [1] = "s h ",
    [2] = "am pm ms ",
    [3] = "jan feb mar apr may mai jun jul aug sep oct nov dec mon tue wed thu fri sat sun ago vor gmt "
          "utc cet uhr sec min day tag ",
    [4] = "june juni july juli sept cest secs mins hour days tage week year jahr ",
    [5] = "march april hours tagen weeks woche month monat years jahre jours ",
    [6] = "januar august monday friday sunday montag second minute stunde wochen months monate heures "
          "oclock ",
    [7] = "january janvier februar october oktober tuesday freitag samstag sonntag seconds sekunde "
          "minutes minuten stunden ",
    [8] = "february november december dezember thursday saturday dienstag mittwoch sekunden secondes ",
    [9] = "september wednesday ",
    [10] = "donnerstag ",
};

static bool is_time_word(struct sharc_span s)
{
    const char *words = s.n < SHARC_LENGTH(time_words) ? time_words[s.n] : NULL;
    char first = words ? sharc_to_lower(s.p[0]) : 0;
    for (; words && *words; words += s.n + 1)
        if (*words == first && sharc_span_ieq(s, sharc_span(words, s.n))) return true;
    return false;
}

static struct sharc_span bare(struct sharc_span s)
{
    s = sharc_span_trim(s);
    while (s.n && !is_name_byte(s.p[0])) s = sharc_span_from(s, 1);
    while (s.n && !is_name_byte(s.p[s.n - 1])) s.n--;
    return s;
}

bool sharc__evidence_is_amount(struct sharc_span token)
{
    static const struct sharc_span words[] = {
        SHARC_SPAN("eur"),     SHARC_SPAN("euro"),   SHARC_SPAN("euros"),   SHARC_SPAN("usd"),    SHARC_SPAN("gbp"),
        SHARC_SPAN("chf"),     SHARC_SPAN("dollar"), SHARC_SPAN("dollars"), SHARC_SPAN("pounds"), SHARC_SPAN("cent"),
        SHARC_SPAN("cents"),   SHARC_SPAN("price"),  SHARC_SPAN("preis"),   SHARC_SPAN("prix"),   SHARC_SPAN("percent"),
        SHARC_SPAN("prozent"), SHARC_SPAN("kg"),     SHARC_SPAN("g"),       SHARC_SPAN("mg"),     SHARC_SPAN("km"),
        SHARC_SPAN("m"),       SHARC_SPAN("cm"),     SHARC_SPAN("mm"),      SHARC_SPAN("l"),      SHARC_SPAN("ml"),
        SHARC_SPAN("pcs"),     SHARC_SPAN("st"),     SHARC_SPAN("stk"),     SHARC_SPAN("pieces"), SHARC_SPAN("items"),
        SHARC_SPAN("jpy"),     SHARC_SPAN("yen"),    SHARC_SPAN("million"), SHARC_SPAN("mio"),    SHARC_SPAN("total"),
        SHARC_SPAN("sum"),     SHARC_SPAN("rate"),   SHARC_SPAN("vat"),     SHARC_SPAN("mwst"),   SHARC_SPAN("tax"),
        SHARC_SPAN("degrees"), SHARC_SPAN("celsius")};
    for (size_t i = 0; i < token.n; i++) {
        char c = token.p[i];
        if (c == '%' || c == '$' || c == '#') return true;
        if (c & 0x80) return true; /* euro, pound, yen, degree; and letters that nobody here can read */
    }
    return is_one_of(bare(token), words, SHARC_LENGTH(words));
}

struct census {
    size_t upper, lower, digits, foreign, marks, vowels, turns;
};

static bool is_vowel(char c) /* a letter */
{
    static const uint32_t vowels = 1u << 1 | 1u << 5 | 1u << 9 | 1u << 15 | 1u << 21 | 1u << 25; /* a e i o u y */
    return vowels >> ((unsigned char)c & 31) & 1;
}

static struct census count(struct sharc_span s)
{
    struct census c = {0};
    for (size_t i = 0; i < s.n; i++) {
        char x = s.p[i];
        c.upper += sharc_is_upper(x);
        c.lower += sharc_is_lower(x);
        c.digits += sharc_is_digit(x);
        c.foreign += (x & 0x80) != 0;
        c.vowels += sharc_is_alpha(x) && is_vowel(x);
        c.turns += i && sharc_is_lower(s.p[i - 1]) && sharc_is_upper(x);
    }
    c.marks = s.n - c.upper - c.lower - c.digits - c.foreign;
    return c;
}

static bool is_number_with(struct sharc_span s, const struct census *c)
{
    if (!c->digits || c->foreign) return false;
    if (c->upper + c->lower == 0) { /* 1,200  12:05:33  (17)  2026-11-16 */
        for (size_t i = 0; i < s.n; i++)
            if (!sharc_is_digit(s.p[i]) && !strchr(".,:-/+()[];'\"", s.p[i])) return false;
        return true;
    }
    /* 2026-11-16T12:05:33Z, 12:05pm, 0.25s, 5min: digits with the letters of a time behind or between them */
    size_t at = 0;
    while (at < s.n && !sharc_is_alpha(s.p[at])) at++;
    size_t end = at;
    while (end < s.n && sharc_is_alpha(s.p[end])) end++;
    struct sharc_span letters = sharc_span_sub(s, at, end), rest = sharc_span_from(s, end);
    if (at == 0 || !sharc_is_digit(s.p[at - 1])) return false;
    if (sharc_span_is(letters, "T"))
        return c->upper + c->lower == 1 || (c->upper + c->lower == 2 && sharc_span_ends(rest, SHARC_SPAN("Z")));
    return c->upper + c->lower == letters.n && is_time_word(letters);
}

/* No person wrote it: digits inside letters, or letters that no word has in that order. */
static bool is_random_with(struct sharc_span s, const struct census *c)
{
    if (c->foreign || s.n < 6) return false;
    size_t letters = c->upper + c->lower;
    if (letters + c->digits < s.n - c->marks || c->marks > s.n / 4) return false;
    if (s.n >= PACKED_LEAST && (is_thrown_together(s) || is_hex_with_dashes(s))) return true;
    if (c->marks) return false;
    if (c->digits >= 1 && letters >= 1 && s.n >= 12) return true;
    if (c->digits >= 2 && letters >= 1) {
        size_t turns = 0;
        for (size_t i = 1; i < s.n; i++) turns += sharc_is_digit(s.p[i]) != sharc_is_digit(s.p[i - 1]);
        return turns >= 2;
    }
    if (c->turns >= 2 && c->turns * 6 >= s.n) return true;
    return s.n >= 8 && c->vowels * 6 < s.n;
}

enum sharc__look sharc__evidence_look_of(struct sharc_span token)
{
    struct sharc_span s = sharc_span_trim(token);
    if (!s.n) return LOOK_SPACE;
    struct census c = count(s);
    if (c.marks == s.n) return LOOK_MARK;
    if (is_number_with(s, &c)) return LOOK_NUMBER;
    if (s.n <= 12 && !c.digits && is_time_word(bare(s))) return LOOK_TIME;
    return is_random_with(s, &c) ? LOOK_RANDOM : LOOK_WORD;
}
