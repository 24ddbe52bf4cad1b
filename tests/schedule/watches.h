/* SPDX-License-Identifier: Apache-2.0
 *
 * Short ways to a watch, for its tests.
 */
#ifndef SHARC_TEST_WATCHES_H
#define SHARC_TEST_WATCHES_H

#include "sharc/schedule_watch.h"

/* By the name of its strategy. */
struct sharc_watch *watch_make(const char *name);
void watch_add(struct sharc_watch *w, sharc_page_no page, uint32_t site, double rate, double weight, sharc_time since);
/* The pages of a period; a budget of at most 64. */
size_t watch_period(struct sharc_watch *w, sharc_time now, size_t budget, sharc_page_no *ret);
void watch_see(struct sharc_watch *w, sharc_page_no page, sharc_time when, bool changed, double importance);

#endif
