/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_SCHEDULE_FOCUS_H
#define SHARC_SCHEDULE_FOCUS_H

#include "schedule_int.h"

/* Second looks that may be made in all. */
uint32_t sharc__schedule_focus_budget(const struct book *b, const struct sharc_strategy_params *params);
/* The pages that get a second look, hottest first, as a malloc'ed array of
 * *ret_count <= budget pages. Only pages in state PAGE_VISITED and not PAGE_LOOKED. */
sharc_page_no *sharc__schedule_focus_choose(const struct book *b, const struct sharc_strategy_params *params,
                                            uint32_t budget, uint32_t *ret_count);
/* The pages that are still to be revisited, without `apex`, in the order in which
 * most of them are expected to be coherent. Malloc'ed. */
sharc_page_no *sharc__schedule_focus_revisits(const struct book *b, const struct sharc_strategy_params *params,
                                              sharc_page_no apex, uint32_t *ret_count);

#endif
