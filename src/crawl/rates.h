/* SPDX-License-Identifier: Apache-2.0
 *
 * What crawls and surveys have in common about rates, so that a plan is kept.
 */
#ifndef SHARC_CRAWL_RATES_INT_H
#define SHARC_CRAWL_RATES_INT_H

#include "sharc/base_clock.h"
#include "sharc/rate_live.h"

/* Ages are looked at over this long, or over the capture if that takes longer: 15 days. Half
 * a change in it is what a page of which nothing is known is held for. */
#define RATE_WINDOW (15 * 86400.0)
#define RATE_GRAIN 60.0 /* seconds: the least age that can be told */

struct sharc_rate_live *sharc__crawl_live_new(void);
/* What a sitemap's letter stands for; 0: it says nothing. */
double sharc__crawl_rate_stated(char frequency, sharc_time delay);

#endif
