/* SPDX-License-Identifier: Apache-2.0
 *
 * The quality of a capture. Reads, and changes nothing but the summary.
 */
#ifndef SHARC_CRAWL_VERDICT_INT_H
#define SHARC_CRAWL_VERDICT_INT_H

#include "counters.h"
#include "pages.h"
#include "sharc/crawl.h"

/* What is judged. */
struct judged {
    const char *name;
    const struct sharc_strategy_ops *ops;
    const struct pages *pages;
    const struct counters *count;
    sharc_store_id capture;
    enum sharc_crawl_phase phase;
    bool resumed;
    bool answered;          /* something did */
    sharc_time first, last; /* downloads */
    sharc_time reference, interrupted;
};
/* *ret is cleared before; it is to be cleared at the end. Its sentence why is left empty. */
void sharc__crawl_judge(const struct judged *g, struct sharc_crawl_summary *ret);
void sharc__crawl_summary_clear(struct sharc_crawl_summary *m);

#endif
