/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_SCHEDULE_FOCUS_H
#define SHARC_SCHEDULE_FOCUS_H

#include "schedule_int.h"

/* The pages that get a second look, hottest first, as a malloc'ed array of
 * *ret_count pages. Only pages in state PAGE_VISITED. */
sharc_page *sharc__schedule_focus_choose(const struct book *b, const struct sharc_strategy_params *params,
                                         uint32_t *ret_count);

#endif
