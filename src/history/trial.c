/* SPDX-License-Identifier: Apache-2.0
 *
 * Learners of rates put to the test.
 */
#include "sharc/history_trial.h"
#include "sharc/schedule.h"

#include "sharc/sim.h"

#include <stdlib.h>

enum { BLUR, COHERENCE, PLAIN_BLUR, PLAIN_COHERENCE, STRATEGIES };
static const char *const strategy_names[STRATEGIES] = {"sharc-offline", "sharc-selective-offline", "bfs", "bfs-lifo"};

static int simulate(const struct sharc_history *h, const double *rate, struct sharc_sim_result *ret,
                    struct sharc_err *reterr)
{
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    const struct sharc_strategy_ops *ops[STRATEGIES];
    const struct sharc_sim_window w = {.from = h->start, .to = h->end, .rates = SHARC_SIM_GIVEN, .given = rate};
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *site = NULL;
    for (int i = 0; i < STRATEGIES; i++) ops[i] = sharc_strategy_find(strategy_names[i]);
    o.bound = false;
    int r = sharc_sim_recorded_new(h->data, &w, &site, reterr);
    return r < 0 ? r : sharc_sim_run(site, ops, STRATEGIES, &o, ret, reterr);
}

/* Every page at the mean rate of the bin it was held to be in by a model that had
 * not seen it. */
static int worth(const struct sharc_history *h, const struct sharc_rate_table *t, const uint32_t *page,
                 const unsigned *bin, unsigned bins, struct sharc_history_trial *ret, struct sharc_err *reterr)
{
    const size_t rows = sharc_rate_table_rows(t);
    SHARC_AUTO(sharc_freep) double *known = SHARC_NEW_ARRAY(double, rows);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, h->data->pages);
    struct sharc_rate_bins cut;
    struct sharc_sim_result results[STRATEGIES];
    for (size_t i = 0; i < rows; i++) known[i] = sharc_rate_table_rate(t, i);
    sharc_rate_bins_make(known, rows, bins, &cut);
    for (size_t i = 0; i < rows; i++) rate[h->page[page[i]].origin] = cut.bin[bin[i]].mean;
    int r = simulate(h, rate, results, reterr);
    if (r < 0) return r;
    ret->blur = results[BLUR].average_blur.mean;
    ret->incoherent = results[COHERENCE].incoherence.mean;
    ret->blur_plain = results[PLAIN_BLUR].average_blur.mean;
    ret->incoherent_plain = results[PLAIN_COHERENCE].incoherence.mean;
    for (size_t i = 0; i < rows; i++) rate[h->page[page[i]].origin] = known[i];
    r = simulate(h, rate, results, reterr);
    if (r < 0) return r;
    ret->blur_oracle = results[BLUR].average_blur.mean;
    ret->incoherent_oracle = results[COHERENCE].incoherence.mean;
    return 0;
}

int sharc_history_try(const struct sharc_history *h, const struct sharc_history_trial_options *o,
                      struct sharc_history_trial *ret, struct sharc_err *reterr)
{
    const double none = SHARC_RATE_UNKNOWN;
    SHARC_AUTO(sharc_freep) uint32_t *page = NULL;
    SHARC_AUTO(sharc_rate_table_freep)
    struct sharc_rate_table *table = sharc_history_table(h, o->offline ? SHARC_RATE_OFFLINE : SHARC_RATE_ONLINE, &page);
    SHARC_AUTO(sharc_freep) unsigned *bin = SHARC_NEW_ARRAY(unsigned, sharc_rate_table_rows(table));
    SHARC_FAIL_IF(o->worth && !h->data, reterr, SHARC_EINVAL,
                  "%s: only a recorded history can be crawled to see what rates are worth", h->name);
    *ret = (struct sharc_history_trial){.blur = none,
                                        .incoherent = none,
                                        .blur_oracle = none,
                                        .incoherent_oracle = none,
                                        .blur_plain = none,
                                        .incoherent_plain = none};
    int r = sharc_rate_evaluate(table, &o->learn, o->folds, o->seed, &ret->report, bin, reterr);
    if (r < 0) return sharc_err_prefix(reterr, r, "%s", h->name);
    return o->worth ? worth(h, table, page, bin, o->learn.bins, ret, reterr) : 0;
}
