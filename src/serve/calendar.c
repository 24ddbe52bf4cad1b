/* SPDX-License-Identifier: Apache-2.0
 *
 * When a URL was captured: a year of months, and the captures one by one. A capture that brought nothing
 * new (a revisit) looks different from one that holds a page.
 */
#include "call.h"
#include "serve_int.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_CAPTURES = 200000, MOST_ROWS = 2000 };

struct day {
    char first[18]; /* timestamp of the capture that the day links to */
    unsigned count, again;
};

struct calendar {
    struct serve_call *call;
    const struct serve_address *address;
    int year;                /* shown; 0: the newest */
    unsigned by_year[10000]; /* captures */
    struct day days[12][31];
    uint64_t total, again;
    char first[18], last[18];
    bool cut; /* there are more than are counted */
    struct sharc_buf rows;
    unsigned row_count;
};

static int digits(struct sharc_span t, size_t at, size_t n)
{
    int v = 0;
    for (size_t i = at; i < at + n && i < t.n; i++) v = v * 10 + (t.p[i] - '0');
    return v;
}

static void put_link(struct calendar *k, struct sharc_buf *out, const char *timestamp)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    const struct serve_address a = {.mapping = SHARC_SPAN("web")};
    sharc__serve_put_link(&link, &a, timestamp, "", k->address->url);
    sharc_buf_put_str(out, "/view");
    sharc__serve_put_text(out, sharc_buf_span(&link));
}

static void put_row(struct calendar *k, const struct sharc_cdx *line, const char *timestamp, bool again)
{
    struct sharc_buf *out = &k->rows;
    if (k->row_count++ >= MOST_ROWS) return;
    sharc_buf_printf(out, "<tr%s><td><a href=\"", again ? " class=again" : "");
    put_link(k, out, timestamp);
    sharc_buf_put_str(out, "\">");
    sharc__serve_put_time(out, line->field[SHARC_CDX_TIMESTAMP]);
    sharc_buf_put_str(out, "</a><td data-l=Status>");
    sharc__serve_put_text(out, line->field[SHARC_CDX_STATUS]);
    sharc_buf_put_str(out, "<td>");
    if (again)
        sharc_buf_put_str(out, "<span class=mark>unchanged</span>: a revisit");
    else
        sharc__serve_put_text(out, line->field[SHARC_CDX_MIME]);
    sharc_buf_put_str(out, "<td class=wide><bdi dir=ltr>");
    sharc__serve_put_shown(out, line->field[SHARC_CDX_URL]);
    sharc_buf_put_str(out, "</bdi>\n");
}

static void take_day(struct calendar *k, struct sharc_span t, bool again)
{
    int month = digits(t, 4, 2), day = digits(t, 6, 2);
    if (month < 1 || month > 12 || day < 1 || day > 31) return;
    struct day *d = &k->days[month - 1][day - 1];
    if (!d->count) memcpy(d->first, t.p, t.n);
    d->count++;
    d->again += again;
}

static int walk(struct calendar *k, bool count_only, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    struct sharc_cdx_query q = {.url = k->address->url, .match = SHARC_CDX_EXACT, .limit = MOST_CAPTURES};
    struct sharc_cdx line;
    char year_digits[SHARC_TIME_TEXT];
    snprintf(year_digits, sizeof year_digits, "%04d", k->year);
    if (!count_only) q.from = q.to = sharc_span_of(year_digits);
    int r = sharc_captures_ask(k->call->edition, &q, &all, reterr);
    if (r == 0 && !count_only) sharc__serve_captures_tell_apart(all);
    uint64_t seen = 0;
    while (r >= 0 && (r = sharc_captures_next(all, &line, reterr)) > 0) {
        struct sharc_span t = line.field[SHARC_CDX_TIMESTAMP];
        bool again = sharc_capture_is_revisit(&line) || sharc_span_is(line.field[SHARC_CDX_STATUS], "304");
        if (t.n < 14 || t.n > 17) continue;
        int year = digits(t, 0, 4);
        char timestamp[18] = "";
        memcpy(timestamp, t.p, t.n);
        seen++;
        if (count_only) {
            k->by_year[year]++;
            k->again += again;
            if (!k->total++) memcpy(k->first, timestamp, sizeof timestamp);
            memcpy(k->last, timestamp, sizeof timestamp);
        } else if (year == k->year) {
            take_day(k, t, again);
            put_row(k, &line, timestamp, again);
        }
    }
    k->cut |= seen >= MOST_CAPTURES;
    return r;
}

/* --- as a page --------------------------------------------------------------------------- */

static int weekday_of(int year, int month)
{
    sharc_time t;
    const struct sharc_date d = {.year = year, .month = month, .day = 1};
    if (sharc_date_to_time(&d, &t) < 0) return 0;
    return (sharc_date_of(t).weekday + 6) % 7; /* weeks begin on Monday */
}

static int days_of(int year, int month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return lengths[month - 1] + (month == 2 && leap);
}

static void put_day(struct calendar *k, struct sharc_buf *out, int month, int day)
{
    const struct day *d = &k->days[month - 1][day - 1];
    if (!d->count) {
        sharc_buf_printf(out, "<td class=soft>%d", day);
        return;
    }
    bool again = d->again == d->count;
    sharc_buf_printf(out, "<td><a%s href=\"", again ? " class=again" : "");
    put_link(k, out, d->first);
    sharc_buf_printf(out, "\" title=\"%s%s\">%d</a>", SHARC_COUNT(d->count, "capture"), again ? ", unchanged" : "",
                     day);
}

static void put_month(struct calendar *k, struct sharc_buf *out, int month)
{
    static const char *const names[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
    sharc_buf_printf(out, "<section><h3>%s</h3><table><tr><th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa<th>Su\n<tr>",
                     names[month - 1]);
    int column = weekday_of(k->year, month);
    for (int i = 0; i < column; i++) sharc_buf_put_str(out, "<td>");
    for (int day = 1; day <= days_of(k->year, month); day++, column++) {
        if (column == 7) sharc_buf_put_str(out, "\n<tr>"), column = 0;
        put_day(k, out, month, day);
    }
    sharc_buf_put_str(out, "</table></section>\n");
}

static void put_years(struct calendar *k, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    sharc__serve_put_url(&link, k->address->url);
    sharc_buf_put_str(out, "<nav aria-label=Years><ul class=years>\n");
    for (int year = 0; year < 10000; year++) {
        if (!k->by_year[year]) continue;
        if (year == k->year) {
            sharc_buf_printf(out, "<li><strong aria-current=page>%d <span class=soft>%u</span></strong>\n", year,
                             k->by_year[year]);
            continue;
        }
        sharc_buf_printf(out, "<li><a href=\"/calendar/%d/", year);
        sharc__serve_put_text(out, sharc_buf_span(&link));
        sharc_buf_printf(out, "\">%d <span class=soft>%u</span></a>\n", year, k->by_year[year]);
    }
    sharc_buf_put_str(out, "</ul></nav>\n");
}

static void put_page(struct calendar *k, struct sharc_buf *out)
{
    sharc__serve_page_begin(k->call, out, "Captures");
    sharc_buf_put_str(out, "<h1><bdi dir=ltr>");
    sharc__serve_put_shown(out, k->address->url);
    sharc_buf_printf(out, "</bdi></h1>\n<p>%s%s, ", k->cut ? "More than " : "", SHARC_COUNT(k->total, "capture"));
    if (k->again) sharc_buf_printf(out, "%llu of them unchanged (revisits), ", (unsigned long long)k->again);
    sharc_buf_put_str(out, "from <a href=\"");
    put_link(k, out, k->first);
    sharc_buf_put_str(out, "\">");
    sharc__serve_put_time(out, sharc_span_of(k->first));
    sharc_buf_put_str(out, "</a> to <a href=\"");
    put_link(k, out, k->last);
    sharc_buf_put_str(out, "\">");
    sharc__serve_put_time(out, sharc_span_of(k->last));
    sharc_buf_put_str(out, "</a> (UTC).\n");
    put_years(k, out);
    sharc_buf_put_str(out, "<div class=months>\n");
    for (int month = 1; month <= 12; month++) {
        bool any = false;
        for (int day = 0; day < 31; day++) any |= k->days[month - 1][day].count > 0;
        if (any) put_month(k, out, month);
    }
    sharc_buf_printf(
        out,
        "</div>\n<p class=soft>Filled: a page was stored. Outlined: it was unchanged.\n"
        "<h2>Captures of %d</h2>\n<div class=scroll><table class=rows><thead><tr><th>Time (UTC)<th>Status<th>Type"
        "<th>URL</thead>\n",
        k->year);
    sharc_buf_put(out, sharc_buf_span(&k->rows));
    sharc_buf_put_str(out, "</table></div>\n");
    if (k->row_count > MOST_ROWS) sharc_buf_printf(out, "<p>The first %d of %u are listed.\n", MOST_ROWS, k->row_count);
}

void sharc__serve_calendar(struct serve_call *c, const struct serve_address *a)
{
    SHARC_AUTO(sharc_freep) struct calendar *k = SHARC_NEW(struct calendar);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(32u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    k->call = c;
    k->address = a;
    sharc_buf_init(&k->rows, 24u << 20);
    int r = walk(k, true, &err);
    if (r >= 0 && k->total) {
        k->year = a->timestamp.n ? digits(a->timestamp, 0, 4) : digits(sharc_span_of(k->last), 0, 4);
        r = walk(k, false, &err);
        put_page(k, &out);
    }
    sharc_buf_done(&k->rows);
    if (r < 0)
        sharc__serve_page_error(c, 503, "The index cannot be read", err.text, SHARC_SPAN_NONE, false);
    else if (!k->total)
        sharc__serve_page_error(c, 404, "Not in this archive", "There is no capture of this URL.", SHARC_SPAN_NONE,
                                false);
    else
        sharc__serve_page_end(c, &out, 200);
}
