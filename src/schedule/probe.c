/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes: looks that tell where to look. Pages of one stratum (a folder, and in it those that
 * last changed together) are likely to change together again. When all of them were visited
 * early, nobody has seen what happened to them since, and nothing that was seen elsewhere
 * tells. So before second looks are chosen a few pages are looked at, evenly spread over
 * all that are thought to be quiet; where much is thought to have changed second looks go
 * anyway.
 */
#include "focus.h"

#include <math.h>
#include <stdlib.h>

#define QUIET 0.8 /* the chance to be unchanged, at least */
#define SHARE 8   /* one second look in so many, at most */

struct quiet {
    uint32_t n;
    sharc_page_no *page; /* in the order of their visits */
    uint32_t *stratum;
};

static void quiet_done(struct quiet *q)
{
    free(q->page);
    free(q->stratum);
}

/* Pages that are thought to be as they were seen; returns the number of strata. */
static uint32_t find_quiet(const struct book *b, const struct sharc_strategy_params *params, struct quiet *ret)
{
    uint32_t n = 0;
    *ret = (struct quiet){.page = SHARC_NEW_ARRAY(sharc_page_no, b->visits),
                          .stratum = SHARC_NEW_ARRAY(uint32_t, b->visits)};
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, b->visits);
    SHARC_AUTO(sharc_freep) double *still = SHARC_NEW_ARRAY(double, b->visits);
    for (uint32_t v = 0; v < b->visits; v++) {
        if (book_state(b, b->order[v]) != PAGE_VISITED) continue;
        rate[n] = b->rate[b->order[v]];
        ret->page[n++] = b->order[v];
    }
    if (n == 0) return 0;
    params->believe(params->believe_arg, ret->page, rate, n, still);
    const uint32_t strata = params->strata(params->believe_arg, ret->page, n, ret->stratum);
    for (uint32_t i = 0; strata > 0 && i < n; i++) {
        if (!(still[i] > QUIET)) continue;
        ret->page[ret->n] = ret->page[i];
        ret->stratum[ret->n++] = ret->stratum[i];
    }
    return strata;
}

sharc_page_no *sharc__schedule_probes(const struct book *b, const struct sharc_strategy_params *params, uint32_t budget,
                                      uint32_t *ret_count)
{
    SHARC_AUTO(quiet_done) struct quiet q;
    const uint32_t strata = find_quiet(b, params, &q), most = budget / SHARE;
    SHARC_AUTO(sharc_freep) uint32_t *at = SHARC_NEW_ARRAY(uint32_t, (size_t)strata + 1);
    SHARC_AUTO(sharc_freep) sharc_page_no *order = SHARC_NEW_ARRAY(sharc_page_no, q.n);
    for (uint32_t i = 0; i < q.n; i++) at[q.stratum[i] + 1]++;
    for (uint32_t k = 0; k < strata; k++) at[k + 1] += at[k];
    for (uint32_t i = 0; i < q.n; i++) order[at[q.stratum[i]]++] = q.page[i];
    sharc_page_no *ret = SHARC_NEW_ARRAY(sharc_page_no, most);
    const double step = most > 0 ? fmax((double)q.n / most, 1) : 1;
    uint32_t count = 0;
    for (double next = step / 2; count < most && next < q.n; next += step) ret[count++] = order[(uint32_t)next];
    *ret_count = count;
    return ret;
}
