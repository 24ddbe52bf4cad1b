/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room rate share: the likelihood of a history and the gamma
 * function's relatives.
 */
#ifndef SHARC_RATE_INT_H
#define SHARC_RATE_INT_H

#include "sharc/rate.h"

#define RATE_YEAR (365.0 * 86400)

/* The log-likelihood of a rate λ = e^θ, up to a constant:
 *   events·θ − quiet·λ + Σ weight·ln(1 − e^(−λ·length)).
 * Concave in θ: each term is. A gamma prior has the same form as evidence
 * (shape events, time quiet), and as a density over θ it needs no Jacobian
 * beyond the shape, so priors, posteriors and likelihoods are one struct. */
struct rate_likelihood {
    double events, quiet;
    const struct sharc_rate_seen *changed;
    size_t n;
};

struct rate_likelihood sharc__rate_likelihood(const struct sharc_rate_history *h);

/* Value at θ; ret_slope and ret_curve (first and second derivative by θ) may be NULL. */
double sharc__rate_log_likelihood(const struct rate_likelihood *l, double theta, double *ret_slope, double *ret_curve);
/* θ of the maximum; events + Σ weight > 0 and quiet > 0. */
double sharc__rate_peak(const struct rate_likelihood *l);

/* Regularised lower incomplete gamma function P(a, x), and the x with
 * P(a, x) = p. a > 0, 0 <= p < 1. */
double sharc__rate_gamma_p(double a, double x);
double sharc__rate_gamma_quantile(double a, double p);
/* ln Γ(x) for x > 0, without the global variable of lgamma(). */
double sharc__rate_ln_gamma(double x);
/* Its derivative. */
double sharc__rate_digamma(double x);
/* The gamma distribution with that mean of λ and of ln λ: of all gammas the
 * nearest (in Kullback–Leibler distance) to whatever has these means. Unlike
 * mean and variance, the hottest page of a bin does not decide alone. */
struct sharc_rate_gamma sharc__rate_gamma_nearest(double mean, double mean_ln);

/* What is said of one page (by a sitemap, a model) and what its neighbours say: at first
 * the former, and their geometric mean when many of them have been heard. All > 0. */
double sharc__rate_join(double given, double near, double heard);

/* How long "https://" is, if the URL has such a beginning. Asked for millions of URLs. */
size_t sharc__rate_after_scheme(struct sharc_span url);
/* "host/path" of an absolute URL, "path" of a path: no leading slash, no query. */
struct sharc_span sharc__rate_place(struct sharc_span url);

#endif
