/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs that begin alike, each with how often and when it was captured.
 */
#include "call.h"
#include "serve_int.h"

#include "sharc/url_canon.h"

enum { PAGE_URLS = 500, MOST_LINES = 200000 };

struct listing {
    struct serve_call *call;
    const struct serve_address *address;
    uint64_t page; /* from 1 */
    struct sharc_buf key, url, out;
    uint64_t urls, shown, lines;
    uint64_t captures, again;
    char first[18], last[18];
    bool more;
};

static void put_url_row(struct listing *l)
{
    if (!l->captures) return;
    l->urls++;
    if (l->urls <= (l->page - 1) * PAGE_URLS) return;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    l->shown++;
    sharc__serve_put_url(&link, sharc_buf_span(&l->url));
    sharc_buf_put_str(&l->out, "<tr><td class=wide><a href=\"/web/*/");
    sharc__serve_put_text(&l->out, sharc_buf_span(&link));
    sharc_buf_put_str(&l->out, "\"><bdi dir=ltr>");
    sharc__serve_put_shown(&l->out, sharc_buf_span(&l->url));
    sharc_buf_printf(&l->out, "</bdi></a><td class=n data-l=Captures>%llu<td class=n data-l=Unchanged>",
                     (unsigned long long)l->captures);
    if (l->again) sharc_buf_printf(&l->out, "<span class=mark>%llu</span>", (unsigned long long)l->again);
    sharc_buf_printf(&l->out, "<td data-l=First>%.4s-%.2s-%.2s<td data-l=Last>%.4s-%.2s-%.2s\n", l->first, l->first + 4,
                     l->first + 6, l->last, l->last + 4, l->last + 6);
}

static void take_line(struct listing *l, const struct sharc_cdx *line)
{
    struct sharc_span key = line->field[SHARC_CDX_KEY], t = line->field[SHARC_CDX_TIMESTAMP];
    if (t.n < 14 || t.n > 17) return;
    if (!l->captures || !sharc_span_eq(key, sharc_buf_span(&l->key))) {
        put_url_row(l);
        sharc_buf_clear(&l->key);
        sharc_buf_put(&l->key, key);
        sharc_buf_clear(&l->url);
        sharc_buf_put(&l->url, line->field[SHARC_CDX_URL]);
        l->captures = l->again = 0;
        memcpy(l->first, t.p, t.n);
    }
    memcpy(l->last, t.p, t.n);
    l->captures++;
    l->again += sharc_capture_is_revisit(line);
}

static int walk(struct listing *l, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    struct sharc_span url = l->address->url;
    if (sharc_span_starts(url, SHARC_SPAN("http://*."))) url = sharc_span_from(url, strlen("http://"));
    struct sharc_cdx_query q = {.url = url};
    struct sharc_cdx line;
    if (sharc_span_is(l->address->url, "http://*")) q = (struct sharc_cdx_query){.match = SHARC_CDX_PREFIX};
    int r = sharc_captures_ask(l->call->edition, &q, &all, reterr);
    while (r >= 0 && (r = sharc_captures_next(all, &line, reterr)) > 0) {
        l->more = l->shown >= PAGE_URLS || l->lines >= MOST_LINES;
        if (l->more) return 0;
        l->lines++;
        take_line(l, &line);
    }
    if (r >= 0) put_url_row(l);
    return r;
}

static void put_pages(struct listing *l)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    sharc__serve_put_url(&link, l->address->url);
    sharc_buf_put_str(&l->out, "</table></div>\n<p>");
    for (int step = -1; step <= 1; step += 2) {
        if (step < 0 ? l->page == 1 : !l->more || l->lines >= MOST_LINES) continue;
        sharc_buf_printf(&l->out, "<a href=\"/list/%llu/", (unsigned long long)l->page + (unsigned long long)step);
        sharc__serve_put_text(&l->out, sharc_buf_span(&link));
        sharc_buf_printf(&l->out, "\" rel=%s>%s</a> ", step < 0 ? "prev" : "next", step < 0 ? "Previous" : "Next");
    }
    if (l->lines >= MOST_LINES)
        sharc_buf_put_str(&l->out, "The list is longer than this page may become; ask <code>/cdx</code> for the rest.");
    sharc_buf_put_char(&l->out, '\n');
}

void sharc__serve_listing(struct serve_call *c, const struct serve_address *a)
{
    struct listing l = {.call = c, .address = a, .page = 1};
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_buf_init(&l.key, 4 * SHARC_LIMIT_URL);
    sharc_buf_init(&l.url, 4 * SHARC_LIMIT_URL);
    sharc_buf_init(&l.out, 32u << 20);
    if (a->timestamp.n && sharc_span_to_u64(a->timestamp, &l.page) < 0) l.page = 1;
    if (!l.page) l.page = 1;
    bool all = sharc_span_is(a->url, "http://*");
    sharc__serve_page_begin(c, &l.out, "URLs");
    sharc_buf_put_str(&l.out, "<h1>");
    if (all)
        sharc_buf_put_str(&l.out, "All URLs");
    else
        sharc__serve_put_shown(&l.out, a->url);
    sharc_buf_put_str(&l.out, "</h1>\n<div class=scroll><table class=rows><thead><tr><th>URL<th class=n>Captures"
                              "<th class=n>Unchanged<th>First<th>Last</thead>\n");
    int r = walk(&l, &err);
    put_pages(&l);
    if (r < 0)
        sharc__serve_page_error(c, 503, "The index cannot be read", err.text, SHARC_SPAN_NONE, false);
    else if (!l.shown)
        sharc__serve_page_error(c, 404, "Not in this archive", "There is no capture of such a URL.", SHARC_SPAN_NONE,
                                false);
    else
        sharc__serve_page_end(c, &l.out, 200);
    sharc_buf_done(&l.key);
    sharc_buf_done(&l.url);
    sharc_buf_done(&l.out);
}
