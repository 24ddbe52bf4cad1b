/* SPDX-License-Identifier: Apache-2.0
 *
 * How often pages change and what they weigh, as far as a crawl knows while it runs.
 * Surveys use the same so that a plan is kept.
 */
#ifndef SHARC_CRAWL_RATES_INT_H
#define SHARC_CRAWL_RATES_INT_H

#include "context.h"
#include "download.h"
#include "pages.h"
#include "sharc/rate_live.h"
#include "sharc/rate_since.h"

/* Ages are looked at over this long, or over the capture if that takes longer: 15 days. Half
 * a change in it is what a page of which nothing is known is held for. */
#define RATE_WINDOW (15 * 86400.0)
#define RATE_GRAIN 60.0 /* seconds: the least age that can be told */

struct rates {
    struct sharc_rate_live *live;        /* rates learned while visiting */
    double window;                       /* that it looks at, in seconds */
    double slot_seconds;                 /* what a slot is thought to last */
    const struct sharc_crawl_pace *pace; /* of the site */
};
/* The pace must live as long. */
void sharc__crawl_rates_init(struct rates *r, const struct sharc_crawl_pace *pace);
void sharc__crawl_rates_done(struct rates *r);

struct sharc_rate_live *sharc__crawl_live_new(void);
/* What a sitemap's letter stands for; 0: it says nothing. */
double sharc__crawl_rate_stated(char frequency, sharc_time delay);

/* A page was found, or a sitemap tells of it. */
double sharc__crawl_rate_found(struct rates *r, const struct context *c, const struct pages *p, uint32_t page,
                               const struct finding *f);
/* The rate after a visit: what is known of its neighbours and what the visit showed. */
double sharc__crawl_rate_visited(struct rates *r, const struct context *c, const struct pages *p, const struct job *j);
/* What is known of its age, in seconds or NaN, and its stated rate; false: nothing. */
bool sharc__crawl_rate_age(const struct rates *r, uint32_t page, double *ret_age, double *ret_given);
/* It was that old when it was last seen; the rate that this speaks for. */
double sharc__crawl_rate_aged(struct rates *r, const struct pages *p, uint32_t page, double age);
/* Both, read from a journal. */
void sharc__crawl_rate_restore_age(struct rates *r, const struct pages *p, uint32_t page, double given, double age);
/* The capture takes that long, in slots: look further back if need be. */
void sharc__crawl_rates_widen(struct rates *r, const struct pages *p, double slots);
/* After this many visits of this many known pages: is it time to send all rates again? */
bool sharc__crawl_rates_due(struct rates *r, uint64_t visits, uint64_t known);
double sharc__crawl_rate_now(const struct rates *r, const struct pages *p, uint32_t page);
/* At the end: rates of pages as all that was seen tells them. */
void sharc__crawl_rates_settle(const struct rates *r, struct pages *p);

/* A look at a page that was made now, and what it tells of its last change; before: the look before. */
void sharc__crawl_rate_looked(struct version *v, const struct job *j, sharc_time before);
/* For sharc-focus: which pages have probably changed since they were seen. */
double sharc__crawl_rate_believe(const struct pages *p, struct sharc_rate_places *places, const sharc_page_no *page,
                                 uint32_t n, double *ret_still);

/* What a page weighs for the strategy when it is found like this. */
void sharc__crawl_weigh(const struct context *c, struct pages *p, uint32_t page, const struct finding *f);

#endif
