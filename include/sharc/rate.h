/* SPDX-License-Identifier: Apache-2.0
 *
 * Change rates from evidence: what a page's history, its age, its sitemap
 * entry and a prediction say about how often it changes, one by one and
 * together. Predictions from features are in rate_model.h, patterns over the
 * hours of a day in rate_pattern.h, weights of pages in rate_weight.h.
 *
 * Units. Spans of time are double seconds, a rate is changes per second; for a
 * plan with one slot every d seconds multiply by d. The estimators themselves
 * know no unit, so another one works as long as it is the same everywhere; the
 * sitemap categories alone know how long a day is.
 *
 * Everything here is pure: no clock, no randomness, no memory but the history's.
 */
#ifndef SHARC_RATE_H
#define SHARC_RATE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_API_BEGIN

/* --- what is known of one page ------------------------------------------- */

/* Changes seen in spans of one length. */
struct sharc_rate_seen {
    double length; /* > 0 */
    double weight; /* how many such spans; fractions come from forgetting */
};

/* Everything seen of one page, as far as its rate is concerned. Three kinds of
 * evidence join in one likelihood  λ^events · e^(−λ·quiet) · Π (1−e^(−λ·length))^weight:
 *  - exact counts: a number of changes in a known time (a recorded history);
 *  - two downloads compared: nothing changed in between (adds to quiet), or
 *    something did, once or more often (adds to changed);
 *  - an age: the page says when it last changed (one event, then quiet).
 * At most SHARC_RATE_SEEN_MAX different lengths are kept; beyond that the two
 * most alike are merged, so a history never grows beyond a kilobyte. */
#define SHARC_RATE_SEEN_MAX 48
struct sharc_rate_history {
    double events;                   /* changes counted one by one */
    double quiet;                    /* time that holds no other change */
    double looks;                    /* comparisons made, changed or not */
    double looked;                   /* time those comparisons cover */
    struct sharc_rate_seen *changed; /* ascending length */
    size_t n, room;
};
#define SHARC_RATE_HISTORY_INIT \
    {                           \
        .n = 0                  \
    }
void sharc_rate_history_done(struct sharc_rate_history *h);
/* Empty it, keep the memory. */
void sharc_rate_history_clear(struct sharc_rate_history *h);

/* Two downloads `length` apart. A change in no time at all counts as one
 * event; a negative or not finite length is ignored. */
void sharc_rate_history_look(struct sharc_rate_history *h, double length, bool changed);
/* Exactly `changes` changes in `time` seconds. */
void sharc_rate_history_count(struct sharc_rate_history *h, double changes, double time);
/* At a visit the page was `age` seconds old since its last change. If it has
 * not changed since it was made (or since it was first heard of) there was no
 * change to date: give changed = false. Do not add an age to counts that cover
 * the same time. */
void sharc_rate_history_age(struct sharc_rate_history *h, double age, bool changed);
/* Exponential forgetting: all evidence so far counts only `keep` (0 … 1) times
 * what it did. Call it with 2^(−elapsed/half life) before adding what came
 * after. The estimate does not move, its confidence does. */
void sharc_rate_history_forget(struct sharc_rate_history *h, double keep);

/* A recorded history with forgetting, in one go: changes at times[0..n) (any
 * order, those outside (from, to] ignored), observed from `from` to `to`, each
 * stretch of time and each change weighted 2^(−(to−t)/half_life);
 * half_life <= 0: no forgetting. Adds to h. */
void sharc_rate_history_recorded(struct sharc_rate_history *h, const double *times, size_t n, double from, double to,
                                 double half_life);

/* --- estimators ----------------------------------------------------------- */

/* Exact counts: changes/time, the most likely rate. 0 when time <= 0. */
double sharc_rate_counts(double changes, double time);

/* n comparisons, one every `step` seconds, x of them with a change (Cho and
 * Garcia-Molina, the corrected form): −ln((n−x+½)/(n+½))/step. 0 when n or
 * step is not positive; x is clamped to 0 … n. */
double sharc_rate_regular(double n, double x, double step);

/* The rate that makes a history most likely, for looks at irregular times and
 * any mixture of evidence. No change at all: 0. Nothing but changed looks: the
 * likelihood has no maximum, so half an unchanged look of mean length is
 * added, which is the ½ in sharc_rate_regular. corrected: that half look is
 * added always; removes most of the bias of few looks, and equals
 * sharc_rate_regular when the looks are regular. O(n) per step, about 5 steps. */
double sharc_rate_irregular(const struct sharc_rate_history *h, bool corrected);
/* The same, corrected, for those who ask how long a page will stand: no change seen is not a rate of 0, which would
 * make everything certain, so half a change is added to what was seen. NAN: nothing was seen. */
double sharc_rate_cautious(const struct sharc_rate_history *h);

/* From the age at one visit: 1/(age + grain). grain > 0 is the least age that
 * can be told (clock skew, cache): 3600 is a good choice. */
double sharc_rate_from_age(double age, double grain);

/* A rate and how sure it is. */
struct sharc_rate_estimate {
    double rate;
    double low, high; /* interval at the level asked for; high may be INFINITY */
};

/* Two-sided confidence intervals; level such as 0.95.
 * counts: exact (Garwood), covers at least the level.
 * irregular: by likelihood ratio, covers about the level, more of it when
 * changes are few; none changed gives low = 0 and all changed high = INFINITY,
 * both exact. rate is as above, not corrected. */
struct sharc_rate_estimate sharc_rate_counts_interval(double changes, double time, double level);
struct sharc_rate_estimate sharc_rate_irregular_interval(const struct sharc_rate_history *h, double level);

/* --- sitemaps --------------------------------------------------------------- */

enum sharc_changefreq {
    SHARC_FREQ_ALWAYS,
    SHARC_FREQ_HOURLY,
    SHARC_FREQ_DAILY,
    SHARC_FREQ_WEEKLY,
    SHARC_FREQ_MONTHLY,
    SHARC_FREQ_YEARLY,
    SHARC_FREQ_NEVER,
    SHARC_FREQ_NONE, /* not stated */
};
#define SHARC_FREQ_TAU 0.95

/* Case and surrounding white space ignored; SHARC_FREQ_NONE for anything else. */
enum sharc_changefreq sharc_rate_changefreq(struct sharc_span word);
/* "daily"; "" for SHARC_FREQ_NONE. */
const char *sharc_rate_changefreq_name(enum sharc_changefreq f);
/* By the first letter of its name, as the extractor notes it; SHARC_FREQ_NONE for anything else. */
enum sharc_changefreq sharc_rate_changefreq_letter(char letter);
/* The category that a site owner who knows the rate would state: the one whose
 * range holds it (a page changes within its period with probability tau). */
enum sharc_changefreq sharc_rate_changefreq_of(double rate, double delay, double tau);
/* Rate of a category; delay is the politeness delay, the period of "always"
 * (at most an hour); tau is 0.95 unless there is a reason. Negative for
 * SHARC_FREQ_NONE. */
double sharc_rate_sitemap(enum sharc_changefreq f, double delay, double tau);

/* --- combination ------------------------------------------------------------ */

/* Gamma distribution of a rate: mean shape/time, worth `shape` changes seen in
 * `time` seconds. Both > 0. */
struct sharc_rate_gamma {
    double shape, time;
};

/* The prior with that mean, worth that many changes. A mean that is not
 * positive is taken as one change in a thousand years. */
struct sharc_rate_gamma sharc_rate_prior(double mean, double worth);
/* By mean and variance; shape is kept within 0.01 … 100. */
struct sharc_rate_gamma sharc_rate_prior_moments(double mean, double variance);
/* Empirical Bayes: the gamma that best explains n pages with changes[i] in
 * time[i] seconds (maximum of the negative-binomial likelihood): how the pages
 * of a site, or of a bin, differ. Shape within 0.01 … 100. n may be 0. */
struct sharc_rate_gamma sharc_rate_prior_fit(const double *changes, const double *time, size_t n);
/* The prior that a sitemap entry stands for: mean as above, worth 1; lastmod,
 * if known, adds as an age to the page's history. SHARC_FREQ_NONE: `other`. */
struct sharc_rate_gamma sharc_rate_prior_sitemap(enum sharc_changefreq f, double delay, struct sharc_rate_gamma other);

static inline double sharc_rate_prior_mean(struct sharc_rate_gamma g)
{
    return g.shape / g.time;
}

/* Prior and history together: the posterior mean and its equal-tailed credible
 * interval. Exact (conjugate) without changed looks, else by integration over
 * ln λ, where the posterior is log-concave; relative error below 1e-6 for the
 * mean and 1e-3 for the ends.
 * h may be NULL. An empty history gives the prior back. */
struct sharc_rate_estimate sharc_rate_combine(struct sharc_rate_gamma prior, const struct sharc_rate_history *h,
                                              double level);
/* The mean alone: an eighth of the work. */
double sharc_rate_combined(struct sharc_rate_gamma prior, const struct sharc_rate_history *h);
/* The gamma with the posterior's mean and variance: the prior of next time. */
struct sharc_rate_gamma sharc_rate_update(struct sharc_rate_gamma prior, const struct sharc_rate_history *h);

SHARC_API_END
#endif
