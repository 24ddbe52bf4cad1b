/* SPDX-License-Identifier: Apache-2.0
 *
 * What lists were worth, from one capture to the next: members of the capture's parameters in
 * the catalogue. Sitemaps of a site are one source, a feed is known by its URL.
 */
#include "signals.h"

#include "sharc/base_node.h"
#include "sharc/store_query.h"

#include <math.h>
#include <stdlib.h>

#define SITEMAPS "sitemaps"

static struct sharc_span name_of(const struct heard *h, const struct heard_list *l)
{
    return l->source == 0 ? SHARC_SPAN(SITEMAPS) : page_url(h->pages, l->page);
}

/* --- written ------------------------------------------------------------------------------ */

static bool is_first_of_its_source(const struct heard *h, const struct heard_list *l)
{
    for (const struct heard_list *k = h->list; k < l; k++)
        if (k->source == l->source) return false;
    return true;
}

void sharc__crawl_heard_put(const struct heard *h, struct sharc_json *j)
{
    struct sharc_signal_worth w;
    if (h->count == 0) return;
    sharc_json_array(j, "signals");
    for (const struct heard_list *l = h->list; l < h->list + h->count; l++) {
        if (!is_first_of_its_source(h, l) || !sharc_signals_worth(h->signals, l->source, &w)) continue;
        sharc_json_object(j, NULL);
        sharc_json_span(j, "source", name_of(h, l));
        sharc_json_str(j, "kind", sharc_signal_kind_name(w.kind));
        sharc_json_uint(j, "pages", w.pages);
        sharc_json_uint(j, "readings", w.readings);
        sharc_json_real(j, "told", w.now.told + w.before.told);
        sharc_json_real(j, "missed", w.now.missed + w.before.missed);
        sharc_json_real(j, "right", w.now.right + w.before.right);
        sharc_json_real(j, "wrong", w.now.wrong + w.before.wrong);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

/* --- and read ------------------------------------------------------------------------------- */

void sharc__crawl_heard_forget(struct heard *h)
{
    for (size_t i = 0; i < h->befores; i++) free(h->before[i].source);
    h->befores = 0;
}

/* Numbers of any catalogue: sharc_signals_remember takes none that is none. */
static double number(const struct sharc_node *n, const char *name)
{
    return sharc_node_real(sharc_node_get(n, name), 0);
}

static void read_params(struct heard *h, struct sharc_span params)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *n = NULL, *list = NULL;
    if (sharc_json_read(params, &arena, &n, NULL) == 0) list = sharc_node_get(n, "signals");
    for (const struct sharc_node *e = list ? list->first : NULL; e && h->befores < SHARC_SIGNAL_SOURCES; e = e->next) {
        const struct sharc_span source = sharc_node_text(sharc_node_get(e, "source"));
        if (source.n == 0) continue;
        h->before[h->befores++] = (struct heard_before){
            sharc_span_dup(source),
            {.told = number(e, "told"),
             .missed = number(e, "missed"),
             .right = number(e, "right"),
             .wrong = number(e, "wrong")},
        };
    }
    sharc_arena_done(&arena);
}

int sharc__crawl_heard_remember(struct heard *h, struct sharc_store *store, sharc_store_id site,
                                struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.site = site;
    f.newest_first = true;
    sharc__crawl_heard_forget(h);
    int r = sharc_store_captures(store, &f, &rows, reterr);
    while (r >= 0 && h->befores == 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        if (row.state == SHARC_CAPTURE_COMPLETE && sharc_span_is(row.source, "crawl")) read_params(h, row.params);
    }
    return r < 0 ? r : 0;
}

void sharc__crawl_heard_as_before(const struct heard *h, const struct heard_list *l)
{
    const struct sharc_span name = name_of(h, l);
    for (size_t i = 0; i < h->befores; i++)
        if (sharc_span_is(name, h->before[i].source))
            sharc_signals_remember(h->signals, l->source, &h->before[i].counts);
}
