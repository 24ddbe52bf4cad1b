/* SPDX-License-Identifier: Apache-2.0
 *
 * Endless rows of URLs. A calendar links from every month to the next one; all
 * of them look alike but for their numbers. The shape of a URL is the URL with
 * every run of digits (and every name of a month) as one sign; a page whose URL
 * has the shape of the page that led to it is the next one of a row. How long a
 * row may become depends on whether its numbers look like dates.
 *
 * And endless names of the same pages: a server that hands out a new session id
 * with every answer puts it into all links. The first address of a page is
 * fetched, and those that differ from it by the session id alone are not.
 */
#include "frontier.h"

#include "sharc/url_canon.h"

static bool word_at(struct sharc_span s, size_t at, struct sharc_span word)
{
    return sharc_span_istarts(sharc_span_from(s, at), word);
}

/* A year, alone or as the beginning of a date. */
static bool is_year(struct sharc_span digits)
{
    if (digits.n != 4 && digits.n != 6 && digits.n != 8) return false;
    return sharc_span_starts(digits, SHARC_SPAN("19")) || sharc_span_starts(digits, SHARC_SPAN("20")) ||
           sharc_span_starts(digits, SHARC_SPAN("21"));
}

static const struct sharc_span date_words[] = {SHARC_SPAN("calendar"), SHARC_SPAN("month"), SHARC_SPAN("year="),
                                               SHARC_SPAN("date="),    SHARC_SPAN("day="),  SHARC_SPAN("week"),
                                               SHARC_SPAN("event"),    SHARC_SPAN("/day/")};

static bool names_date(struct sharc_span url)
{
    for (size_t i = 0; i < url.n; i++) {
        for (size_t k = 0; k < SHARC_LENGTH(date_words); k++) {
            if (sharc_to_lower(url.p[i]) == date_words[k].p[0] && word_at(url, i, date_words[k])) return true;
        }
    }
    return false;
}

struct shape sharc__crawl_shape(struct sharc_span url)
{
    struct shape ret = {0};
    char text[512];
    size_t n = 0;
    for (size_t i = 0; i < url.n && n < sizeof text; i++) {
        if (!sharc_is_digit(url.p[i])) {
            text[n++] = url.p[i];
            continue;
        }
        size_t from = i;
        while (i + 1 < url.n && sharc_is_digit(url.p[i + 1])) i++;
        text[n++] = '#';
        ret.numbers = true;
        ret.dated = ret.dated || is_year(sharc_span_sub(url, from, i + 1));
    }
    if (ret.numbers && !ret.dated) ret.dated = names_date(url);
    ret.print = sharc_fingerprint(sharc_span(text, n), 0);
    return ret;
}

static bool names_session(struct sharc_span url)
{
    static const struct sharc_span marks[] = {SHARC_SPAN("sess"), SHARC_SPAN("sid="), SHARC_SPAN("cfid="),
                                              SHARC_SPAN("/(")};
    for (size_t i = 0; i < url.n; i++) {
        for (size_t k = 0; k < SHARC_LENGTH(marks); k++)
            if (sharc_to_lower(url.p[i]) == marks[k].p[0] && word_at(url, i, marks[k])) return true;
    }
    return false;
}

uint64_t sharc__crawl_session(struct sharc_span url, struct sharc_buf *scratch)
{
    if (!names_session(url)) return 0;
    sharc_buf_clear(scratch);
    if (sharc_url_write(url, SHARC_FORM_AGGRESSIVE, SHARC_AS_URL, scratch, NULL) < 0) return 0;
    /* Still there: that was no session id but a section, a staff number, a name. */
    if (names_session(sharc_buf_span(scratch))) return 0;
    uint64_t print = sharc_fingerprint(sharc_buf_span(scratch), 0);
    return print ? print : 1;
}
