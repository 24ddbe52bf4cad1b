/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a site in words and in JSON.
 */
#include "parts.h"

#include "sharc/summary.h"

#include <inttypes.h>
#include <stdlib.h>

int cli_parts_find(struct sharc_store *store, const char *site, struct sharc_figure_subsites *ret,
                   struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *captures = NULL;
    size_t n = 0, skip = 0;
    int r = sharc_figure_captures(store, site, NULL, 0, &captures, &n, reterr);
    if (r < 0) return r;
    if (n > SHARC_SUMMARY_CAPTURES) skip = n - SHARC_SUMMARY_CAPTURES;
    return sharc_summary_subsites(store, captures + skip, n - skip, ret, reterr);
}

void cli_parts_text(FILE *out, const struct sharc_figure_subsites *parts)
{
    bool any = false;
    for (size_t i = 0; i < parts->count; i++) {
        const struct sharc_figure_subsite *x = &parts->rows[i];
        if (x->manner == SHARC_FIGURE_ALIKE) continue;
        if (!any) fputs("\nparts that change in a way of their own\n", out);
        any = true;
        fprintf(out,
                "  %.*s\n      %s; %s, changed in %.1f %% of %" PRIu64
                " comparisons\n      (%.1f to %.1f %%), the rest in %.1f %%\n",
                SHARC_SPAN_ARG(x->prefix), sharc_figure_manner_text(x->manner), SHARC_COUNT(x->pages, "page"),
                100 * x->share, x->compared, 100 * x->low, 100 * x->high, 100 * x->rest);
    }
}
