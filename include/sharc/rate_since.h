/* SPDX-License-Identifier: Apache-2.0
 *
 * Has a page changed since it was seen? Nobody looked, but others were seen
 * later, and each of them said when it last changed. An edit that reached half
 * the pages of a folder has probably reached the others too, those seen before
 * it among them. So the visits of a capture tell which of the pages visited
 * early are no longer what was archived: a second look is worth most there.
 *
 * Time is seen backwards from each look: until the last change the page is known
 * to have stayed as it was. For every folder on the way from the site's root to
 * the page, and every stretch of time, the changes seen are compared with the
 * rates of the pages known to have been exposed, with the folder above as prior.
 */
#ifndef SHARC_RATE_SINCE_H
#define SHARC_RATE_SINCE_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* Folders of pages: found once for many questions. */
struct sharc_rate_places;
struct sharc_rate_places *sharc_rate_places_new(void);
void sharc_rate_places_free(struct sharc_rate_places *p);
void sharc_rate_places_freep(struct sharc_rate_places **p);
/* The place of a page; the URL, absolute or from the path's "/" on, is read only the first time. */
uint32_t sharc_rate_places_find(struct sharc_rate_places *p, uint32_t page, struct sharc_span url);
/* Whether the page was asked for before, so that the URL does not matter. */
bool sharc_rate_places_know(const struct sharc_rate_places *p, uint32_t page);

/* The last look at one page. Times in seconds on any clock. */
struct sharc_rate_look {
    uint32_t place;
    double seen;
    double from;    /* since when changes would be known: -INFINITY with Last-Modified, the look
                       before where two are compared, `seen` when nothing is known */
    double changed; /* the last change since then, <= seen; NAN: none */
    double rate;    /* changes per second as they were expected, >= 0 */
};

/* ret_still[i] is the chance that page i is still as it was seen, at `now`; no
 * look may be later. Returns by what factor changes came more often than
 * expected since the first look, between 1/32 and 32; 1 when nothing tells.
 * Deterministic. O(n + places + folders · 256); 40 bytes a page. */
double sharc_rate_since(const struct sharc_rate_places *places, const struct sharc_rate_look *look, size_t n,
                        double now, double *ret_still);

SHARC_PRIVATE_END
#endif
