/* SPDX-License-Identifier: Apache-2.0
 *
 * Which pages a series shows, by the lines of the index.
 */
#include "view_int.h"

#include "sharc/base_limits.h"

#include <stdlib.h>

void sharc_view_plan_done(struct sharc_view_plan *p)
{
    for (size_t i = 0; i < p->count; i++) free(p->items[i].url);
    free(p->items);
    *p = (struct sharc_view_plan){NULL, 0, 0};
}

static bool is_page_type(struct sharc_span type)
{
    return sharc_span_istarts(type, SHARC_SPAN("text/html")) ||
           sharc_span_istarts(type, SHARC_SPAN("application/xhtml+xml"));
}

/* A revisit has the type of its original, which the index does not tell. */
static bool is_page(const struct sharc_edition *e, const struct sharc_cdx *line)
{
    struct sharc_span url = line->field[SHARC_CDX_URL];
    if (!sharc_span_istarts(url, SHARC_SPAN("http")) ||
        sharc_span_search(line->field[SHARC_CDX_KEY], SHARC_SPAN("__wb_method=")) != SHARC_NPOS)
        return false;
    if (!sharc_capture_is_revisit(line))
        return is_page_type(line->field[SHARC_CDX_MIME]) && sharc_span_is(line->field[SHARC_CDX_STATUS], "200");
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    const struct sharc_wish w = {.url = url, .timestamp = line->field[SHARC_CDX_TIMESTAMP]};
    return sharc_find(e, &w, &f, NULL) == 0 && f->status == 200 && is_page_type(f->type) &&
           sharc_span_is(w.timestamp, f->timestamp);
}

static void set_time(struct sharc_view_item *i, struct sharc_span t)
{
    size_t n = t.n < sizeof i->timestamp ? t.n : sizeof i->timestamp - 1;
    memcpy(i->timestamp, t.p, n);
    i->timestamp[n] = 0;
}

/* Lines of one URL come in the order of their times. */
static void take(struct sharc_view_plan *p, bool same, const struct sharc_cdx *line, struct sharc_span reference)
{
    struct sharc_span t = line->field[SHARC_CDX_TIMESTAMP];
    bool later = reference.n && sharc_span_cmp(t, reference) > 0 && !sharc_span_starts(t, reference);
    if (same && later) return;
    if (!same) {
        SHARC_GROW(p->items, p->room, p->count + 1);
        p->items[p->count++] = (struct sharc_view_item){.url = NULL};
    }
    struct sharc_view_item *i = &p->items[p->count - 1];
    free(i->url);
    i->url = sharc_span_dup(line->field[SHARC_CDX_URL]);
    set_time(i, t);
}

int sharc_view_plan(const struct sharc_edition *e, struct sharc_span from, struct sharc_span to,
                    struct sharc_span reference, struct sharc_view_plan *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = NULL;
    SHARC_AUTO(sharc_view_plan_done) struct sharc_view_plan p = {NULL, 0, 0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf key = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE);
    const struct sharc_cdx_query q = {.from = from, .to = to};
    struct sharc_cdx line;
    int r = sharc_captures_ask(e, &q, &c, reterr);
    while (r >= 0 && (r = sharc_captures_next(c, &line, reterr)) > 0) {
        if (!is_page(e, &line)) continue;
        bool same = p.count && sharc_span_eq(sharc_buf_span(&key), line.field[SHARC_CDX_KEY]);
        take(&p, same, &line, reference);
        sharc_buf_clear(&key);
        sharc_buf_put(&key, line.field[SHARC_CDX_KEY]);
    }
    if (r < 0) return r;
    *ret = p;
    p = (struct sharc_view_plan){NULL, 0, 0};
    return 0;
}
