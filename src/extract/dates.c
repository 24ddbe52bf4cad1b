/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates that a page states about itself: in meta elements, in <time>, in
 * JSON-LD, and in its text behind words like "last modified".
 */
#include "extract_int.h"
#include "sharc/change_text.h"
#include "sharc/http.h"

/* --- dates for machines -------------------------------------------------------------- */

bool sharc__extract_date_read(struct sharc_span s, sharc_time *ret, bool *ret_day_only)
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
    if (attr && sharc__extract_date_read(sharc__extract_page_value(x, attr), &when, &day_only))
        sharc__extract_page_date(x, when, day_only, place, sharc__extract_page_at(x, attr->value.p));
}

void sharc__extract_dates_of_meta(struct sharc__page_private *x, const struct sharc_html_token *t)
{
    static const uint8_t keys[] = {SHARC_ATTR_PROPERTY, SHARC_ATTR_NAME, SHARC_ATTR_ITEMPROP, SHARC_ATTR_HTTP_EQUIV};
    enum sharc_date_place place;
    for (size_t i = 0; i < SHARC_LENGTH(keys); i++) {
        struct sharc_span key = sharc__extract_page_value(x, sharc_html_attr(t, (enum sharc_html_attr_name)keys[i]));
        if (!key.n || !place_of(key, meta_names, SHARC_LENGTH(meta_names), &place)) continue;
        take_attr(x, t, SHARC_ATTR_CONTENT, place);
        return;
    }
}

void sharc__extract_dates_of_time(struct sharc__page_private *x, const struct sharc_html_token *t)
{
    enum sharc_date_place place = SHARC_DATE_TIME;
    struct sharc_span prop = sharc__extract_page_value(x, sharc_html_attr(t, SHARC_ATTR_ITEMPROP));
    bool named = place_of(prop, data_names, SHARC_LENGTH(data_names), &place);
    if (!named && t->tag != SHARC_TAG_TIME) return;
    const struct sharc_html_attr *class = sharc_html_attr(t, SHARC_ATTR_CLASS);
    if (!named && class && sharc_span_search(class->value, SHARC_SPAN("updated")) != SHARC_NPOS)
        place = SHARC_DATE_DATA_MODIFIED;
    take_attr(x, t, t->known >> SHARC_ATTR_DATETIME & 1 ? SHARC_ATTR_DATETIME : SHARC_ATTR_CONTENT, place);
}

void sharc__extract_dates_of_json(struct sharc__page_private *x, struct sharc_span json)
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
        if (close != SHARC_NPOS && sharc__extract_date_read(sharc_span_sub(json, at + 1, close), &when, &day_only))
            sharc__extract_page_date(x, when, day_only, place, sharc__extract_page_at(x, json.p + at + 1));
    }
}

/* --- dates for people ------------------------------------------------------------------- */

void sharc__extract_dates_of_text(struct sharc__page_private *x)
{
    struct sharc_span rest = x->page->text;
    sharc_time when;
    size_t at;
    while (sharc_change_date_find(rest, &when, &at)) {
        size_t place = (size_t)(rest.p - x->page->text.p) + at;
        sharc__extract_page_date(x, when, /* day_only= */ when % SHARC_DAY == 0, SHARC_DATE_TEXT_MODIFIED, place);
        rest = sharc_span_from(rest, at + 1);
    }
}

void sharc__extract_dates_finish(struct sharc_page *page)
{
    const struct sharc_page_date *best = NULL;
    for (size_t i = 0; i < page->date_count; i++) {
        const struct sharc_page_date *d = &page->dates[i];
        if (d->place > SHARC_DATE_TEXT_MODIFIED) continue;
        if (!best || d->place < best->place || (d->place == best->place && d->when > best->when)) best = d;
    }
    page->modified = best ? best->when : SHARC_TIME_NONE;
}
