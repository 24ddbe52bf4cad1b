/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates while a capture goes on. Every page that is visited states its age, and
 * that teaches about itself and about its neighbours (rate_near.h): of pages
 * not yet visited, and of those visited long before the others. A world (the
 * simulator, the crawler) tells this object what visits show and asks it for
 * rates, and from time to time tells its strategy all of them anew:
 *
 *   at discovery:   discover(page, sharc_rate_live_rate(l, page, url))
 *   at a visit:     observed(page, sharc_rate_live_seen(l, page, url, age))
 *   if sharc_rate_live_due(l, visits, known):
 *       of every page: observed(page, sharc_rate_live_rate(l, page, url))
 *
 * Seconds and changes per second, as in rate.h. Pages are numbered densely.
 */
#ifndef SHARC_RATE_LIVE_H
#define SHARC_RATE_LIVE_H

#include "sharc/base.h"
#include "sharc/rate.h"

SHARC_PRIVATE_BEGIN

struct sharc_rate_live;
/* window, grain: as of rate_near.h. */
struct sharc_rate_live *sharc_rate_live_new(double window, double grain);
void sharc_rate_live_free(struct sharc_rate_live *l);
void sharc_rate_live_freep(struct sharc_rate_live **l);

/* What somebody says of this page alone before it is seen: a sitemap, a model.
 * Counts alone while no neighbour has been seen, and half when many have.
 * Not positive: nothing is said any more. */
void sharc_rate_live_given(struct sharc_rate_live *l, uint32_t page, double rate);
/* The page was seen, or a sitemap tells of it: last changed `age` seconds before.
 * Replaces what was said of its age; NAN: it does not say, and what was said
 * before stands. The rate it has now. O(length of the URL). */
double sharc_rate_live_seen(struct sharc_rate_live *l, uint32_t page, struct sharc_span url, double age);
/* What was said of the page itself; NAN and 0: nothing. To write it down, or to
 * tell another such object. */
void sharc_rate_live_told(const struct sharc_rate_live *l, uint32_t page, double *ret_age, double *ret_given);
/* The rate as all that was seen so far tells it; page need not have been
 * seen, and always has the same URL. */
double sharc_rate_live_rate(struct sharc_rate_live *l, uint32_t page, struct sharc_span url);
/* The same as a distribution: mean as above. */
struct sharc_rate_gamma sharc_rate_live_gamma(struct sharc_rate_live *l, uint32_t page, struct sharc_span url);

/* Is it time to tell all rates anew? Whenever half as many visits again were
 * made (and a thousandth of the known pages: telling costs), and when nothing known
 * is left to visit: then the strategy decides about second looks. True counts
 * as done. */
bool sharc_rate_live_due(struct sharc_rate_live *l, uint64_t visits, uint64_t known);

SHARC_PRIVATE_END
#endif
