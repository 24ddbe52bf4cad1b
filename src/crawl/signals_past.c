/* SPDX-License-Identifier: Apache-2.0 */
#include "signals_past.h"

#include "sharc/base_node.h"
#include "sharc/store_query.h"

#include <stdlib.h>

void sharc__crawl_heard_past_done(struct heard_past *p)
{
    for (size_t i = 0; i < p->count; i++) free(p->one[i].source);
    p->count = 0;
}

/* Numbers of any catalogue: sharc_signals_remember takes none that is none. */
static double number(const struct sharc_node *n, const char *name)
{
    return sharc_node_real(sharc_node_get(n, name), 0);
}

static void read_params(struct heard_past *p, struct sharc_span params)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *n = NULL, *list = NULL;
    if (sharc_json_read(params, &arena, &n, NULL) == 0) list = sharc_node_get(n, "signals");
    for (const struct sharc_node *e = list ? list->first : NULL; e && p->count < SHARC_SIGNAL_SOURCES; e = e->next) {
        const struct sharc_span source = sharc_node_text(sharc_node_get(e, "source"));
        if (source.n == 0) continue;
        p->one[p->count++] = (struct heard_before){
            sharc_span_dup(source),
            {.told = number(e, "told"),
             .missed = number(e, "missed"),
             .right = number(e, "right"),
             .wrong = number(e, "wrong")},
        };
    }
    sharc_arena_done(&arena);
}

int sharc__crawl_heard_past_read(struct heard_past *p, struct sharc_store *store, sharc_store_id site,
                                 struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.site = site;
    f.newest_first = true;
    sharc__crawl_heard_past_done(p);
    int r = sharc_store_captures(store, &f, &rows, reterr);
    while (r >= 0 && p->count == 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        if (row.state == SHARC_CAPTURE_COMPLETE && sharc_span_is(row.source, "crawl")) read_params(p, row.params);
    }
    return r < 0 ? r : 0;
}
