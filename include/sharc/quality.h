/* SPDX-License-Identifier: Apache-2.0
 *
 * How good is a capture? Blur, coherence, completeness, from times and rates
 * given as numbers. Pure functions: no state, no allocation but where said.
 *
 * Units. Time is a double in any unit (slots, seconds); rates are changes per
 * that unit. The observation interval [os, oe] holds the instants that somebody
 * may ask about, all equally likely. A history is an ascending array of the
 * instants at which a page changed; equal instants are allowed.
 *
 * Weights. Every measure over pages is a sum in which each page's term is
 * multiplied by its weight >= 0; a NULL array of weights means 1 for all. An
 * average divides by the sum of the weights.
 *
 * Domain. Rates and weights are finite and >= 0, os <= oe. When os == oe the
 * only query is that instant, and blur is the number of changes between it and
 * the download.
 */
#ifndef SHARC_QUALITY_H
#define SHARC_QUALITY_H

#include "sharc/base.h"
#include "sharc/change.h"

SHARC_API_BEGIN

/* --- blur: expected changes between the archived version and the asked one -- */

/* The factor omega by which rate / (oe - os) is multiplied. For t inside the
 * interval t^2 - t(os+oe) + (os^2+oe^2)/2; a download outside of it is worth
 * its distance from the middle. O(1). */
double sharc_quality_omega(double t, double os, double oe);
/* The same for a page downloaded twice, v <= r, where a query is answered by
 * the nearer download. Both must lie in [os, oe]. With os = 0 and oe = T:
 * v^2 - (v+r)^2/4 + r^2 - rT + T^2/2. */
double sharc_quality_omega_revisit(double v, double r, double os, double oe);

/* Blur of one page: rate * omega / (oe - os). */
double sharc_quality_blur(double rate, double t, double os, double oe);
double sharc_quality_blur_revisit(double rate, double v, double r, double os, double oe);

/* Actual blur from the page's history h[0..n): the mean number of changes
 * between the download and the asked instant. O(log n + changes in the span). */
double sharc_quality_actual_blur(const double *h, size_t n, double t, double os, double oe);
/* With revisit: h < middle of v and r is served by v, later ones by r. */
double sharc_quality_actual_blur_revisit(const double *h, size_t n, double v, double r, double os, double oe);

/* The smallest and the largest blur that one visit per page inside [os, oe] can
 * give: span/4 and span/2 times the weighted sum of the rates. */
struct sharc_blur_bounds {
    double least, most;
};
struct sharc_blur_bounds sharc_quality_blur_bounds(const double *rate, const double *weight, size_t n, double os,
                                                   double oe);

/* One capture: page i was visited at visit[i] and, unless revisit is NULL,
 * again at revisit[i]. Weighted sum; divide by sharc_quality_weight() for the
 * average. O(n). */
struct sharc_capture {
    size_t n;
    const double *rate, *weight; /* weight may be NULL */
    const double *visit, *revisit;
};
double sharc_quality_capture_blur(const struct sharc_capture *c, double os, double oe);
double sharc_quality_weight(const double *weight, size_t n);

/* --- coherence ------------------------------------------------------------ */

/* exp(-rate * length): the chance that a page stays as it is. */
double sharc_quality_unchanged(double rate, double length);
/* Number of changes h with from < h <= to. O(log n). */
size_t sharc_quality_changes(const double *h, size_t n, double from, double to);

/* Sum of weight * exp(-rate * (revisit - visit)). c->revisit is needed. */
double sharc_quality_expected_coherence(const struct sharc_capture *c);

/* Counted and weighed pages, coherent and not. */
struct sharc_coherence {
    size_t pages, coherent;
    double weight, coherent_weight;
};
/* Add one page to *c. */
void sharc_quality_coherence_add(struct sharc_coherence *c, double weight, bool coherent);
static inline size_t sharc_quality_incoherent(const struct sharc_coherence *c)
{
    return c->pages - c->coherent;
}
/* Share of the weight that is coherent; 1 when nothing was counted. */
double sharc_quality_coherence_share(const struct sharc_coherence *c);

/* What one page of a real capture showed; times SHARC_TIME_NONE: unknown. */
struct sharc_evidence {
    sharc_time visit, revisit;      /* downloads; revisit may be unknown */
    sharc_time modified;            /* Last-Modified at the visit */
    enum sharc_change_class change; /* the revisit against the visit */
    double weight;
};
/* Observable: the heaviest set of pages whose intervals [modified, visit] share
 * an instant; *ret_at (may be NULL) is the earliest such instant. A page without
 * `modified` is known only at its visit. Allocates; O(n log n). */
struct sharc_coherence sharc_quality_observable(const struct sharc_evidence *e, size_t n, sharc_time *ret_at);
/* Measurable: coherent if not modified after the crawl's start. A page without
 * `modified` cannot be measured and counts as incoherent. */
struct sharc_coherence sharc_quality_measurable(const struct sharc_evidence *e, size_t n, sharc_time start);
/* Inducible: coherent if visit and revisit show the same content, and the
 * common instant `reference` lies between them (SHARC_TIME_NONE: do not ask).
 * A page without a revisit is coherent only if it was visited at `reference`. */
struct sharc_coherence sharc_quality_inducible(const struct sharc_evidence *e, size_t n, sharc_time reference);

/* --- completeness and the coherence of a query ----------------------------- */

/* Captured importance over the importance of all versions; importance[i]
 * belongs to version i and captured[i] says that it was archived (once or more).
 * 1 when there is no importance at all. */
double sharc_quality_completeness(const double *importance, const bool *captured, size_t n);
/* Mean weighted by weight (NULL: 1 each): completeness of a site from its
 * pages, of an archive from its sites. 1 when the weights sum to 0. */
double sharc_quality_mean(const double *value, const double *weight, size_t n);

/* A version answers a query and was valid on [from, to]. */
struct sharc_version {
    double from, to;
    double weight;
};
/* Which of a page's captures answers a query at t: the nearest, the earlier on
 * a tie. captures ascending, n > 0. O(log n). */
size_t sharc_quality_nearest(const double *captures, size_t n, double t);
/* The invariance interval of a capture at time t: from the last change at or
 * before t (-infinity if none) up to the next change after it (+infinity). */
struct sharc_version sharc_quality_invariance(const double *h, size_t n, double t, double weight);
/* The heaviest set of versions that share an instant, as a share of the weight
 * of all (1 when that is 0). Intervals are closed at `from` and open at `to`,
 * since a version ends where the next one begins; an interval with from == to
 * holds that instant. *ret_at (may be NULL) is the earliest best instant.
 * Weighted interval stabbing by sweep; allocates; O(n log n). */
double sharc_quality_query_coherence(const struct sharc_version *v, size_t n, double *ret_at);

/* --- worst case -------------------------------------------------------------- */

/* The k hottest pages sit in the k outermost slots, the others in organ pipes
 * between them. Slots are 0 … n-1, the observation interval is [0, n-1]. The
 * sums are of rate * omega: `offline` for the best order, `worst` for that one.
 * rate need not be sorted; k <= n, and when k is odd the extra page sits in
 * front. Allocates; O(n log n). */
struct sharc_worst_case {
    double offline, worst;
};
struct sharc_worst_case sharc_quality_worst_case(const double *rate, size_t n, size_t k);

SHARC_API_END
#endif
