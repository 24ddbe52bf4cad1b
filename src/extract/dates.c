/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates that a page states about itself: in meta elements, in <time>, in
 * JSON-LD, and in its text behind words like "last modified".
 */
#include "extract_int.h"
#include "sharc/http.h"

/* --- dates for machines -------------------------------------------------------------- */

bool sharc__date_read(struct sharc_span s, sharc_time *ret, bool *ret_day_only)
{
    s = sharc_span_trim(s);
    if (s.n < 4 || s.n > 64) return false;
    *ret_day_only = s.n <= 10;
    bool iso = s.n >= 7 && sharc_is_digit(s.p[0]) && sharc_is_digit(s.p[3]) && s.p[4] == '-';
    return (iso ? sharc_time_parse(s, ret, NULL) : sharc_http_date_parse(s, ret)) == 0;
}

struct named {
    const char *name;
    enum sharc_date_place place;
};

static const struct named meta_names[] =
    {
        {"article:modified_time", SHARC_DATE_META_MODIFIED},
        {"og:updated_time", SHARC_DATE_META_MODIFIED},
        {"last-modified", SHARC_DATE_META_MODIFIED},
        {"lastmod", SHARC_DATE_META_MODIFIED},
        {"revised", SHARC_DATE_META_MODIFIED},
        {"dcterms.modified", SHARC_DATE_META_MODIFIED},
        {"dc.date.modified", SHARC_DATE_META_MODIFIED},
        {"datemodified", SHARC_DATE_META_MODIFIED},
        {"article:published_time", SHARC_DATE_META_PUBLISHED},
        {"dcterms.created", SHARC_DATE_META_PUBLISHED},
        {"dcterms.issued", SHARC_DATE_META_PUBLISHED},
        {"dc.date.issued", SHARC_DATE_META_PUBLISHED},
        {"dc.date", SHARC_DATE_META_PUBLISHED},
        {"date", SHARC_DATE_META_PUBLISHED},
        {"pubdate", SHARC_DATE_META_PUBLISHED},
        {"datepublished", SHARC_DATE_META_PUBLISHED},
},
                          data_names[] = {
                              {"datemodified", SHARC_DATE_DATA_MODIFIED},
                              {"datepublished", SHARC_DATE_DATA_PUBLISHED},
                              {"datecreated", SHARC_DATE_DATA_PUBLISHED},
};

static bool place_of(struct sharc_span name, const struct named *list, size_t n, enum sharc_date_place *ret)
{
    for (size_t i = 0; i < n; i++) {
        if (!sharc_span_ieq(name, sharc_span_of(list[i].name))) continue;
        *ret = list[i].place;
        return true;
    }
    return false;
}

static void take_attr(struct sharc__page_private *x, const struct sharc_html_token *t, enum sharc_html_attr_name name,
                      enum sharc_date_place place)
{
    const struct sharc_html_attr *attr = sharc_html_attr(t, name);
    sharc_time when;
    bool day_only;
    if (attr && sharc__date_read(sharc__page_value(x, attr), &when, &day_only))
        sharc__page_date(x, when, day_only, place, sharc__page_at(x, attr->value.p));
}

void sharc__dates_of_meta(struct sharc__page_private *x, const struct sharc_html_token *t)
{
    static const uint8_t keys[] = {SHARC_ATTR_PROPERTY, SHARC_ATTR_NAME, SHARC_ATTR_ITEMPROP, SHARC_ATTR_HTTP_EQUIV};
    enum sharc_date_place place;
    for (size_t i = 0; i < SHARC_LENGTH(keys); i++) {
        struct sharc_span key = sharc__page_value(x, sharc_html_attr(t, (enum sharc_html_attr_name)keys[i]));
        if (!key.n || !place_of(key, meta_names, SHARC_LENGTH(meta_names), &place)) continue;
        take_attr(x, t, SHARC_ATTR_CONTENT, place);
        return;
    }
}

void sharc__dates_of_time(struct sharc__page_private *x, const struct sharc_html_token *t)
{
    enum sharc_date_place place = SHARC_DATE_TIME;
    struct sharc_span prop = sharc__page_value(x, sharc_html_attr(t, SHARC_ATTR_ITEMPROP));
    bool named = place_of(prop, data_names, SHARC_LENGTH(data_names), &place);
    if (!named && t->tag != SHARC_TAG_TIME) return;
    const struct sharc_html_attr *class = sharc_html_attr(t, SHARC_ATTR_CLASS);
    if (!named && class && sharc_span_search(class->value, SPAN("updated")) != SHARC_NPOS)
        place = SHARC_DATE_DATA_MODIFIED;
    take_attr(x, t, t->known >> SHARC_ATTR_DATETIME & 1 ? SHARC_ATTR_DATETIME : SHARC_ATTR_CONTENT, place);
}

void sharc__dates_of_json(struct sharc__page_private *x, struct sharc_span json)
{
    for (size_t at = 0; (at = sharc_span_find(json, '"', at)) != SHARC_NPOS;) {
        size_t end = sharc_span_find(json, '"', ++at);
        if (end == SHARC_NPOS) return;
        enum sharc_date_place place;
        bool named = place_of(sharc_span_sub(json, at, end), data_names, SHARC_LENGTH(data_names), &place);
        at = end + 1;
        if (!named) continue;
        while (at < json.n && (sharc_is_space(json.p[at]) || json.p[at] == ':')) at++;
        if (at >= json.n || json.p[at] != '"') continue;
        size_t close = sharc_span_find(json, '"', at + 1);
        sharc_time when;
        bool day_only;
        if (close != SHARC_NPOS && sharc__date_read(sharc_span_sub(json, at + 1, close), &when, &day_only))
            sharc__page_date(x, when, day_only, place, sharc__page_at(x, json.p + at + 1));
    }
}

/* --- dates for people ------------------------------------------------------------------- */

/* Months by how their names begin, in the languages of the key words below. */
static int month_of(struct sharc_span word)
{
    static const char *const begins[12] = {
        "jan|ene|gen",     "feb|fév|fev",     "mar|mär|mrt",  "apr|avr|abr",
        "may|mai|mei|mag", "jun|juin|giu",    "jul|juil|lug", "aug|aoû|ago",
        "sep|set",         "oct|okt|ott|out", "nov",          "dec|dez|déc|dic",
    };
    if (word.n < 3 || word.n > 10) return 0;
    for (int m = 0; m < 12; m++) {
        struct sharc_span list = sharc_span_of(begins[m]), begin;
        while (sharc_span_next(&list, '|', &begin))
            if (sharc_span_istarts(word, begin)) return m + 1;
    }
    return 0;
}

static int number_at(struct sharc_span s, size_t *at)
{
    int v = 0;
    size_t start = *at;
    while (*at < s.n && *at - start < 4 && sharc_is_digit(s.p[*at])) v = v * 10 + (s.p[(*at)++] - '0');
    return v;
}

static bool is_year(int v)
{
    return v >= 1990 && v <= 2100;
}

/* Three numbers with the same sign between: the order is told by the year's
 * place, the sign, and by numbers that can be no month. What could be read both
 * ways is not read. */
static bool order_numbers(const int v[3], char sign, struct sharc_date *d)
{
    if (is_year(v[0])) {
        d->year = v[0], d->month = v[1], d->day = v[2];
        return true;
    }
    if (!is_year(v[2])) return false;
    bool day_first = sign == '.' || v[0] > 12;
    if (!day_first && v[1] <= 12 && v[0] != v[1]) return false;
    d->year = v[2];
    d->month = day_first ? v[1] : v[0];
    d->day = day_first ? v[0] : v[1];
    return true;
}

/* "2009-05-03", "3.5.2009", "5/13/2009" at *at. */
static bool take_numbers(struct sharc_span s, size_t *at, struct sharc_date *d)
{
    int v[3];
    size_t here = *at;
    char sign = 0;
    for (int i = 0; i < 3; i++) {
        if (here >= s.n || !sharc_is_digit(s.p[here])) return false;
        v[i] = number_at(s, &here);
        if (i == 2) break;
        if (here >= s.n || (i == 1 && s.p[here] != sign)) return false;
        sign = s.p[here++];
        if (sign != '-' && sign != '.' && sign != '/') return false;
    }
    *at = here;
    return order_numbers(v, sign, d);
}

/* A day, a month by name and a year, in any order, within a few words. */
static bool take_date(struct sharc_span s, struct sharc_date *d)
{
    *d = (struct sharc_date){0};
    for (size_t at = 0, words = 0; at < s.n && words < 10;) {
        if (sharc_is_digit(s.p[at])) {
            size_t start = at;
            if (take_numbers(s, &at, d)) return true;
            at = start;
            int v = number_at(s, &at);
            if (is_year(v) && at - start == 4)
                d->year = v;
            else if (v >= 1 && v <= 31 && !d->day)
                d->day = v;
            words++;
        } else if (sharc_is_alpha(s.p[at]) || s.p[at] & 0x80) {
            size_t start = at;
            while (at < s.n && (sharc_is_alpha(s.p[at]) || s.p[at] & 0x80)) at++;
            int month = month_of(sharc_span_sub(s, start, at));
            if (month && !d->month) d->month = month;
            words++;
        } else
            at++;
        if (d->year && d->month && d->day) return true;
    }
    return false;
}

/* Words behind which the date of a change stands. */
static const struct sharc_span key_words[] = {
    SPAN("last modified"),
    SPAN("last-modified"),
    SPAN("last update"),
    SPAN("last updated"),
    SPAN("last change"),
    SPAN("last changed"),
    SPAN("last edited"),
    SPAN("last revised"),
    SPAN("last revision"),
    SPAN("updated"),
    SPAN("modified"),
    SPAN("revised"),
    SPAN("zuletzt geändert"),
    SPAN("zuletzt aktualisiert"),
    SPAN("zuletzt bearbeitet"),
    SPAN("letzte änderung"),
    SPAN("letzte aktualisierung"),
    SPAN("stand:"),
    SPAN("aktualisiert am"),
    SPAN("dernière modification"),
    SPAN("dernière mise à jour"),
    SPAN("mis à jour"),
    SPAN("última actualización"),
    SPAN("última modificación"),
    SPAN("ultimo aggiornamento"),
    SPAN("última atualização"),
    SPAN("laatst gewijzigd"),
    SPAN("bijgewerkt"),
};

/* The first two letters of the key words: few words begin like one. */
static bool may_begin(char first, char second)
{
    static const char pairs[] = "la le up mo re zu st ak de mi ul bi \xc3\xba";
    for (const char *p = pairs; *p; p += p[2] ? 3 : 2)
        if (sharc_to_lower(first) == p[0] && sharc_to_lower(second) == p[1]) return true;
    return false;
}

/* Length of the key word at the start of s, or 0. */
static size_t key_word_at(struct sharc_span s)
{
    static const bool firsts[256] = {
        ['l'] = 1, ['L'] = 1, ['u'] = 1, ['U'] = 1, ['m'] = 1, ['M'] = 1, ['r'] = 1, ['R'] = 1, ['z'] = 1, ['Z'] = 1,
        ['s'] = 1, ['S'] = 1, ['a'] = 1, ['A'] = 1, ['d'] = 1, ['D'] = 1, ['b'] = 1, ['B'] = 1, [0xc3] = 1};
    if (s.n < 2 || !firsts[(uint8_t)s.p[0]] || !may_begin(s.p[0], s.p[1])) return 0;
    for (size_t i = 0; i < SHARC_LENGTH(key_words); i++)
        if (sharc_to_lower(s.p[0]) == key_words[i].p[0] && sharc_span_istarts(s, key_words[i])) return key_words[i].n;
    return 0;
}

#define DATE_REACH 48u /* bytes behind the key word in which the date ends */

void sharc__dates_of_text(struct sharc__page_private *x)
{
    struct sharc_span text = x->page->text;
    bool inside_word = false;
    for (size_t at = 0; at < text.n; at++) {
        bool begins = !inside_word;
        inside_word = sharc_is_alnum(text.p[at]);
        if (!begins) continue;
        size_t n = key_word_at(sharc_span_from(text, at));
        if (!n) continue;
        struct sharc_date d;
        sharc_time when;
        if (take_date(sharc_span_sub(text, at + n, at + n + DATE_REACH), &d) && sharc_date_to_time(&d, &when) == 0)
            sharc__page_date(x, when, /* day_only= */ true, SHARC_DATE_TEXT_MODIFIED, at);
        at += n - 1;
    }
}

void sharc__dates_finish(struct sharc_page *page)
{
    const struct sharc_page_date *best = NULL;
    for (size_t i = 0; i < page->date_count; i++) {
        const struct sharc_page_date *d = &page->dates[i];
        if (d->place > SHARC_DATE_TEXT_MODIFIED) continue;
        if (!best || d->place < best->place || (d->place == best->place && d->when > best->when)) best = d;
    }
    page->modified = best ? best->when : SHARC_TIME_NONE;
}
