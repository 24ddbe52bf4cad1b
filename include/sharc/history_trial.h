/* SPDX-License-Identifier: Apache-2.0
 *
 * What a learner of rates is worth on a history: cross-validation, and a simulated
 * crawl that plans by the predictions for pages that were held out.
 */
#ifndef SHARC_HISTORY_TRIAL_H
#define SHARC_HISTORY_TRIAL_H

#include "sharc/history.h"

SHARC_PRIVATE_BEGIN

struct sharc_history_trial_options {
    struct sharc_rate_options learn;
    bool offline;   /* features of the page too; else of its URL alone */
    unsigned folds; /* >= 2 */
    uint64_t seed;  /* deals the pages to the folds */
    bool worth;     /* also simulate: a dataset with a window of `days` only */
};

/* Blur and incoherent pages are NAN unless `worth` was asked for. */
struct sharc_history_trial {
    struct sharc_rate_report report;
    double blur, incoherent;               /* a strategy that plans by the held-out predictions */
    double blur_oracle, incoherent_oracle; /* … by rates counted in the window itself */
    double blur_plain, incoherent_plain;   /* breadth-first, which needs none */
};
int sharc_history_try(const struct sharc_history *h, const struct sharc_history_trial_options *o,
                      struct sharc_history_trial *ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
