/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates that are kept in the catalogue of an archive.
 */
#include "sharc/history_rates.h"

#include <stdlib.h>

void sharc_history_kept_done(struct sharc_history_kept *k)
{
    free(k->row);
    sharc_arena_done(&k->text);
    *k = (struct sharc_history_kept)SHARC_HISTORY_KEPT_INIT;
}

static int hottest_first(const void *a, const void *b)
{
    const struct sharc_store_rate *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value > y->value ? -1 : 1;
    int order = sharc_span_cmp(x->url, y->url);
    return order ? order : sharc_span_cmp(x->source, y->source);
}

int sharc_history_kept_read(struct sharc_store *store, struct sharc_history_kept *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_rates(store, 0, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_rate row;
        sharc_store_read_rate(rows, &row);
        row.url = sharc_arena_copy(&ret->text, row.url);
        row.source = sharc_arena_copy(&ret->text, row.source);
        SHARC_GROW(ret->row, ret->room, ret->n + 1);
        ret->row[ret->n++] = row;
    }
    if (r == 0 && ret->n) qsort(ret->row, ret->n, sizeof *ret->row, hottest_first);
    return r < 0 ? r : 0;
}
