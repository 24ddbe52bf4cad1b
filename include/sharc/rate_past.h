/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates from what downloads at irregular times showed: the past of a site as an
 * archive has it. Nobody saw the changes themselves, only that a page was another
 * one than at the look before, and perhaps what it said about its age.
 *
 *   struct sharc_rate_past *p = sharc_rate_past_new();
 *   for each page:
 *       sharc_rate_past_page(p, url);
 *       for each download of it, in the order of time: sharc_rate_past_look(p, &look);
 *   for each capture of the site: sharc_rate_past_capture(p, site, end);
 *   sharc_rate_past_rates(p, &options, estimates, &report);
 *
 * Seconds on any clock and changes per second, as in rate.h.
 */
#ifndef SHARC_RATE_PAST_H
#define SHARC_RATE_PAST_H

#include "sharc/base.h"
#include "sharc/base_limits.h"
#include "sharc/rate.h"
#include "sharc/rate_forecast.h"

SHARC_PRIVATE_BEGIN

struct sharc_rate_past;
struct sharc_rate_past *sharc_rate_past_new(void);
void sharc_rate_past_free(struct sharc_rate_past *p);
void sharc_rate_past_freep(struct sharc_rate_past **p);

/* The looks that follow are at this page; its number, 0, 1, 2 … The URL must live
 * as long as p. */
uint32_t sharc_rate_past_page(struct sharc_rate_past *p, struct sharc_span url);

struct sharc_rate_past_look {
    double when;  /* not before the look before; earlier ones are taken as at the same time */
    bool changed; /* other than at the look before; at the first look it does not count */
    bool gone;    /* it is not there */
    double age;   /* it says that it last changed this many seconds before; NAN: it does not say */
};
/* O(1), 9 bytes each. Downloads that failed are no looks. */
void sharc_rate_past_look(struct sharc_rate_past *p, const struct sharc_rate_past_look *look);

/* A capture of a site (any number that tells sites apart) ended then. What happened
 * between the ends of two captures of one site is what is learned from. Any order. */
void sharc_rate_past_capture(struct sharc_rate_past *p, int64_t site, double end);

/* What is known of one page in sum. */
struct sharc_rate_past_page {
    double first, last; /* looks */
    uint32_t looks;     /* comparisons: one fewer than downloads */
    uint32_t changed;   /* of these */
    bool gone;          /* at the last look */
    double age;         /* at the last look: stated, else from the middle of the last changed interval; NAN */
};
void sharc_rate_past_about(const struct sharc_rate_past *p, uint32_t page, struct sharc_rate_past_page *ret);
/* Its looks as one history, to which they are added. */
void sharc_rate_past_looks(const struct sharc_rate_past *p, uint32_t page, struct sharc_rate_history *ret);

struct sharc_rate_past_options {
    double now;          /* nothing later was used */
    double window;       /* over which ages count, and for which rates are computed (rate_near.h) */
    double grain;        /* least age that can be told */
    const double *given; /* by page: what a sitemap or a model says, 0: nothing; may be NULL */
    bool intervals;      /* fill low and high, which is most of the work */
    bool no_forecast;    /* neighbours and looks only */
};
/* Combined rates. Every page has a prior from its neighbours: their looks where
 * they were compared, else the ages they state. With its own looks that is its
 * posterior. Where captures give enough to learn from (three of a site, 500
 * examples, at most SHARC_LIMIT_RATE_FORECAST pages) the rate is the geometric mean of that and
 * of the forecast (rate_forecast.h); then there is no interval: low and high are
 * NAN. Pages that are gone get a rate too. ret has one place per page;
 * ret_report may be NULL. Deterministic. */
void sharc_rate_past_rates(const struct sharc_rate_past *p, const struct sharc_rate_past_options *o,
                           struct sharc_rate_estimate *ret, struct sharc_rate_forecast_report *ret_report);

SHARC_PRIVATE_END
#endif
