/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc view: what was shown, and what it was made of.
 */
#include "cmd_view.h"

#include "sharc/browser.h"
#include "sharc/url.h"

#include <stdlib.h>

const char *const view_mappings[] = {"nearest", "latest", "coherent", NULL};

const char *view_time(const char *timestamp, char out[SHARC_TIME_TEXT])
{
    sharc_time when;
    if (sharc_time_parse(sharc_span_of(timestamp), &when, NULL) < 0) return timestamp;
    sharc_time_iso(when, 0, out);
    out[10] = ' ';
    out[19] = 0;
    return out;
}

static bool is_missing(const struct sharc_view_request *q)
{
    return q->outcome == SHARC_VIEW_MISSING || q->outcome == SHARC_VIEW_BROKEN || q->outcome == SHARC_VIEW_TOO_LARGE;
}

struct counts {
    size_t archived, missing;
    sharc_time first, last;
};

static struct counts count(const struct sharc_view_page *page)
{
    struct counts n = {0, 0, SHARC_TIME_NONE, SHARC_TIME_NONE};
    for (size_t i = 0; i < sharc_view_requests(page); i++) {
        const struct sharc_view_request *q = sharc_view_request(page, i);
        n.missing += is_missing(q);
        if (q->outcome != SHARC_VIEW_ARCHIVED) continue;
        n.archived++;
        if (n.first == SHARC_TIME_NONE || q->when < n.first) n.first = q->when;
        if (n.last == SHARC_TIME_NONE || q->when > n.last) n.last = q->when;
    }
    return n;
}

/* By URL, behind the page itself: in which order a browser asks depends on how busy it is. */
static int by_url(const void *a, const void *b)
{
    const struct sharc_view_request *x = *(const struct sharc_view_request *const *)a;
    const struct sharc_view_request *y = *(const struct sharc_view_request *const *)b;
    int order = strcmp(x->url, y->url);
    return order ? order : strcmp(x->method, y->method);
}

static void print_table(struct cli *c, const struct sharc_view_page *page)
{
    size_t count = sharc_view_requests(page);
    SHARC_AUTO(sharc_freep)
    const struct sharc_view_request **rows = sharc_calloc(count, sizeof *rows);
    for (size_t i = 0; i < count; i++) rows[i] = sharc_view_request(page, i);
    if (count > 2) qsort(rows + 1, count - 1, sizeof *rows, by_url);
    static const char *const titles[] = {"status", "captured", "kind", "URL"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "rlll");
    for (size_t i = 0; i < count; i++) {
        const struct sharc_view_request *q = rows[i];
        char time[SHARC_TIME_TEXT], shown[SHARC_URL_SHOWN];
        bool got = strcmp(q->method, "GET") == 0;
        if (q->status)
            cli_table_cell(t, "%d", q->status);
        else
            cli_table_cell(t, "-");
        cli_table_cell(t, "%s",
                       q->timestamp[0] && q->outcome == SHARC_VIEW_ARCHIVED ? view_time(q->timestamp, time)
                                                                            : sharc_view_outcome_text(q->outcome));
        cli_table_cell(t, "%s", q->type);
        cli_table_cell(t, "%s%s%s", got ? "" : q->method, got ? "" : " ",
                       sharc_url_shown(sharc_span_of(q->url), shown));
    }
    cli_table_print(t, c->out);
}

static void put_iso(struct sharc_json *j, const char *name, sharc_time when)
{
    char text[SHARC_TIME_TEXT];
    if (when == SHARC_TIME_NONE)
        sharc_json_null(j, name);
    else
        sharc_json_str(j, name, sharc_time_iso(when, 3, text));
}

static void put_request(struct sharc_json *j, const struct sharc_view_request *q)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "url", q->url);
    sharc_json_str(j, "method", q->method);
    sharc_json_str(j, "kind", q->type);
    sharc_json_str(j, "outcome", sharc_view_outcome_text(q->outcome));
    sharc_json_int(j, "status", q->status);
    sharc_json_str(j, "timestamp", q->timestamp[0] ? q->timestamp : NULL);
    put_iso(j, "captured", q->timestamp[0] ? q->when : SHARC_TIME_NONE);
    sharc_json_uint(j, "size", q->size);
    sharc_json_bool(j, "revisit", q->revisit);
    sharc_json_bool(j, "cut", q->cut);
    sharc_json_bool(j, "cors_added", q->shared);
    sharc_json_end(j);
}

static void print_json(struct cli *c, const struct view_settings *s, struct sharc_view *v,
                       const struct sharc_view_page *page, const struct sharc_buf *text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(256u << 20);
    struct counts n = count(page);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "url", sharc_view_url(page));
    sharc_json_str(&j, "timestamp", sharc_view_timestamp(page));
    sharc_json_str(&j, "at", s->at);
    sharc_json_str(&j, "mapping", view_mappings[s->mapping]);
    sharc_json_bool(&j, "at_rest", sharc_view_at_rest(page));
    sharc_json_bool(&j, "isolated", sharc_browser_isolated(sharc_view_browser(v)));
    sharc_json_uint(&j, "archived", n.archived);
    sharc_json_uint(&j, "missing", n.missing);
    put_iso(&j, "first", n.first);
    put_iso(&j, "last", n.last);
    sharc_json_str(&j, "screenshot", s->screenshot);
    sharc_json_str(&j, "pdf", s->pdf);
    if (text) sharc_json_span(&j, "text", sharc_buf_span(text));
    sharc_json_array(&j, "requests");
    for (size_t i = 0; i < sharc_view_requests(page); i++) put_request(&j, sharc_view_request(page, i));
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

void view_print(struct cli *c, const struct view_settings *s, struct sharc_view *v, const struct sharc_view_page *page,
                const struct sharc_buf *text)
{
    char time[SHARC_TIME_TEXT], spread[SHARC_TIME_TEXT];
    struct counts n = count(page);
    if (c->json) {
        print_json(c, s, v, page, text);
        return;
    }
    if (text) fprintf(c->out, "%s\n", sharc_buf_str(text));
    if (s->list) print_table(c, page);
    fflush(c->out);
    cli_note(c, "%s as captured %s: %s, %s%s%s", sharc_view_url(page), view_time(sharc_view_timestamp(page), time),
             SHARC_COUNT(n.archived, "answer from the archive|answers from the archive"),
             SHARC_COUNT(n.missing, "missing|missing"), n.last > n.first ? ", captured within " : "",
             n.last > n.first ? sharc_duration_text(n.last - n.first, spread) : "");
    if (!sharc_view_at_rest(page)) cli_note(c, "the page had not come to rest when the waiting time was over (--wait)");
}
