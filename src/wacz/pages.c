/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of pages: a second pass over the archive files that reads the beginning of
 * every HTML answer. Lines are sorted by time through the same sorter as the
 * index, with the time in front, which is taken off again at the end.
 */
#include "sharc/base_digest.h"
#include "sharc/base_json.h"
#include "sharc/base_limits.h"
#include "sharc/base_pool.h"
#include "sharc/http.h"
#include "sharc/warc.h"
#include "sharc/warc_own.h"
#include "wacz_int.h"

#include <pthread.h>
#include <stdlib.h>

enum { HTML_LOOKED_AT = 64 << 10, SORT_MEMORY = 8 << 20 };

struct pages {
    const char *const *warcs;
    const struct sharc_wacz_options *o;
    struct sharc_sorter *sorter;
    pthread_mutex_t lock; /* guards what follows, and warn */
    struct wacz_revisits revisits;
    struct sharc_err err;
    bool failed;
};

struct page_scratch {
    struct sharc_buf html, title, line;
};

static void page_scratch_done(struct page_scratch *s)
{
    sharc_buf_done(&s->html);
    sharc_buf_done(&s->title);
    sharc_buf_done(&s->line);
}

static void warn(void *arg, const struct sharc_err *what)
{
    struct pages *p = arg;
    if (!p->o->warn) return;
    pthread_mutex_lock(&p->lock);
    p->o->warn(p->o->warn_arg, what);
    pthread_mutex_unlock(&p->lock);
}

static bool is_page(struct sharc_record *rec)
{
    if (sharc_record_is_control(rec)) return false;
    if (!rec->target.n || rec->date == SHARC_TIME_NONE) return false;
    if (!sharc_span_istarts(rec->target, SHARC_SPAN("http://")) &&
        !sharc_span_istarts(rec->target, SHARC_SPAN("https://")))
        return false;
    const struct sharc_http *h = sharc_record_http(rec);
    if (!h || h->status != 200) return false;
    struct sharc_span type = sharc_http_media(h->content_type).type;
    return sharc_span_ieq(type, SHARC_SPAN("text/html")) || sharc_span_ieq(type, SHARC_SPAN("application/xhtml+xml"));
}

/* The beginning of the page; a body that cannot be decoded has no title. */
static void read_html(struct sharc_record *rec, struct sharc_buf *html)
{
    struct sharc_span piece;
    sharc_buf_clear(html);
    while (html->n < HTML_LOOKED_AT && sharc_record_read(rec, SHARC_WARC_CONTENT, &piece, NULL) > 0)
        sharc_buf_put(html, sharc_span_sub(piece, 0, HTML_LOOKED_AT - html->n));
}

/* "20261101100001000000 {json}\n" */
static int put_page(struct pages *p, unsigned thread, struct sharc_record *rec, struct page_scratch *s,
                    struct sharc_err *reterr)
{
    char when[SHARC_TIME_TEXT], id[17];
    struct sharc_digest d;
    struct sharc_json j;
    uint64_t length;
    read_html(rec, &s->html);
    /* What has no line in the index cannot be opened: it is damaged, or has no date or member of its own. */
    if (rec->joined || rec->date == SHARC_TIME_NONE || sharc_record_length(rec, &length, NULL) < 0) return 0;
    sharc__wacz_title(sharc_buf_span(&s->html), &s->title);
    sharc_buf_clear(&s->line);
    sharc_buf_put_str(&s->line, sharc_time_compact(rec->date, 14, when));
    sharc_buf_put(&s->line, rec->target);
    sharc_digest_of(SHARC_SHA256, sharc_buf_span(&s->line), &d);
    sharc_hex_encode(sharc_span(d.bytes, 8), id);
    sharc_buf_truncate(&s->line, strlen(when));
    sharc_buf_put_char(&s->line, ' ');
    sharc_json_init(&j, &s->line, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "id", id);
    sharc_json_span(&j, "url", rec->target);
    sharc_json_str(&j, "ts", sharc_time_iso(rec->date, 0, when));
    if (s->title.n) sharc_json_span(&j, "title", sharc_buf_span(&s->title));
    sharc_json_end(&j);
    sharc_buf_put_char(&s->line, '\n');
    return s->line.failed ? 0 : sharc_sorter_put(p->sorter, thread, sharc_buf_span(&s->line), reterr);
}

static void note_revisit(struct pages *p, const struct sharc_record *rec)
{
    pthread_mutex_lock(&p->lock);
    sharc__wacz_revisits_add(&p->revisits, rec);
    pthread_mutex_unlock(&p->lock);
}

static int read_file(struct pages *p, const char *path, unsigned thread, struct sharc_err *reterr)
{
    SHARC_AUTO(page_scratch_done)
    struct page_scratch s = {SHARC_BUF_INIT(HTML_LOOKED_AT), SHARC_BUF_INIT(4096),
                             SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE)};
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.lenient = p->o->lenient,
                                   .types = SHARC_WARC_BIT(SHARC_WARC_RESPONSE) | SHARC_WARC_BIT(SHARC_WARC_REVISIT)};
    int r = sharc_warc_open(path, &o, &w, reterr);
    if (r < 0) return r;
    struct sharc_record rec;
    while ((r = sharc_warc_next(w, &rec, reterr)) > 0) {
        SHARC_FAIL_IF(rec.arc, reterr, SHARC_EUNSUPPORTED,
                      "%s: a WACZ holds WARC files only; convert it with sharc export --to warc", path);
        if (rec.type == SHARC_WARC_REVISIT) {
            note_revisit(p, &rec);
            continue;
        }
        if (is_page(&rec) && (r = put_page(p, thread, &rec, &s, reterr)) < 0) return r;
    }
    return r;
}

static int read_one(size_t i, unsigned thread, void *arg)
{
    struct pages *p = arg;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = read_file(p, p->warcs[i], thread, &err);
    if (r >= 0) return 0;
    if (p->o->lenient && r != SHARC_EUNSUPPORTED) {
        warn(p, &err);
        return 0;
    }
    pthread_mutex_lock(&p->lock);
    if (!p->failed) p->err = err;
    p->failed = true;
    pthread_mutex_unlock(&p->lock);
    return r;
}

struct cutting {
    sharc_line_fn *fn;
    void *arg;
};

static int without_time(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    const struct cutting *c = arg;
    return c->fn(c->arg, sharc_span_from(line, sharc_span_find(line, ' ', 0) + 1), reterr);
}

int sharc__wacz_pages(const char *const *warcs, size_t count, const char *temporary, const struct sharc_wacz_options *o,
                      sharc_line_fn *fn, void *arg, uint64_t *ret_lost, struct sharc_err *reterr)
{
    struct sharc_pool *pool = sharc_pool_new(o->threads);
    struct pages p = {.warcs = warcs, .o = o, .err = SHARC_ERR_INIT};
    pthread_mutex_init(&p.lock, NULL);
    p.sorter = sharc_sorter_new(temporary, sharc_pool_threads(pool), SORT_MEMORY);
    int r = sharc_pool_each(pool, count, read_one, &p);
    if (r < 0 && reterr) *reterr = p.err;
    struct cutting c = {fn, arg};
    if (r == 0) r = sharc_sorter_merge(p.sorter, without_time, &c, reterr);
    if (r == 0) r = sharc__wacz_revisits_lost(&p.revisits, warcs, count, o, ret_lost, reterr);
    sharc__wacz_revisits_done(&p.revisits);
    sharc_sorter_free(p.sorter);
    sharc_pool_free(pool);
    pthread_mutex_destroy(&p.lock);
    return r;
}
