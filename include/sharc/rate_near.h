/* SPDX-License-Identifier: Apache-2.0
 *
 * What the pages of a site say about their neighbours. Pages below the same
 * path change alike, and a page seen once (its age), or not at all (only its
 * URL is known), borrows from those around it. Every folder on the way from the
 * site's root to the page is one step: the rate of the folder above, as worth a
 * few pages, and the evidence of the pages in this one.
 *
 *   struct sharc_rate_near *n = sharc_rate_near_new(window, 3600);
 *   at every visit:     sharc_rate_near_age(n, url, age);
 *   of an unseen page:  sharc_rate_near_prior(n, url, NAN)
 *   of a page seen:     sharc_rate_near_rate(n, url, age)
 *
 * Nothing is trained and nothing beforehand is needed: a first capture learns
 * while it visits (rate_live.h). Ages beyond the window (the time for which rates are wanted,
 * such as the length of the capture) count as "nothing in that window": what
 * happened long before says little about the time to come. Seconds and changes
 * per second, as in rate.h.
 */
#ifndef SHARC_RATE_NEAR_H
#define SHARC_RATE_NEAR_H

#include "sharc/base.h"
#include "sharc/rate.h"

SHARC_PRIVATE_BEGIN

struct sharc_rate_near;
/* Both in seconds and > 0; grain is the least age that can be told (clock skew, caches). */
struct sharc_rate_near *sharc_rate_near_new(double window, double grain);
void sharc_rate_near_free(struct sharc_rate_near *n);
void sharc_rate_near_freep(struct sharc_rate_near **n);

/* A page was seen; it last changed `age` seconds before. Any bytes are a URL.
 * O(length). Memory grows with the number of different folders, up to
 * 262,144 of them; pages of others belong to the folder above. */
void sharc_rate_near_age(struct sharc_rate_near *n, struct sharc_span url, double age);
/* Who asks of a page more than once keeps its place, which stays the same: then a
 * question costs a few steps upwards instead of the URL's length. */
uint32_t sharc_rate_near_place(struct sharc_rate_near *n, struct sharc_span url);
/* A page at that place, which said `before` (NAN: nothing), now says `age`. */
void sharc_rate_near_replace(struct sharc_rate_near *n, uint32_t place, double before, double age);

/* The same for other evidence: a number of changes in a known time (looks at the page
 * while it was watched). Negative numbers take it back. */
void sharc_rate_near_add(struct sharc_rate_near *n, struct sharc_span url, double changes, double time);
/* What an age counts for. */
void sharc_rate_near_of_age(const struct sharc_rate_near *n, double age, double *ret_changes, double *ret_time);

/* The prior for a page: its neighbours' rate, worth one change. own is the age
 * that this page itself contributed, which is left out; NAN: none. Before
 * anything was seen it is one change in two windows. */
struct sharc_rate_gamma sharc_rate_near_prior(const struct sharc_rate_near *n, struct sharc_span url, double own);
struct sharc_rate_gamma sharc_rate_near_prior_at(const struct sharc_rate_near *n, uint32_t place, double own);
/* The same, leaving out what this page contributed to sharc_rate_near_add. */
struct sharc_rate_gamma sharc_rate_near_others(const struct sharc_rate_near *n, struct sharc_span url, double changes,
                                               double time);
/* Neighbours and the page's own age together: the mean of the posterior. The
 * age must have been given to sharc_rate_near_age before. */
double sharc_rate_near_rate(const struct sharc_rate_near *n, struct sharc_span url, double age);

SHARC_PRIVATE_END
#endif
