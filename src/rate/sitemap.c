/* SPDX-License-Identifier: Apache-2.0
 *
 * What a sitemap's changefreq says about a rate. A category names a period
 * within which the page changes with probability τ or more, and less surely
 * within the next shorter one: a range of rates, whose middle it stands for.
 */
#include "rate_int.h"

#include <math.h>

static const char *const names[] = {"always", "hourly", "daily", "weekly", "monthly", "yearly", "never", ""};

enum sharc_changefreq sharc_rate_changefreq(struct sharc_span word)
{
    word = sharc_span_trim(word);
    for (unsigned i = 0; i < SHARC_FREQ_NONE; i++)
        if (sharc_span_ieq(word, sharc_span_of(names[i]))) return (enum sharc_changefreq)i;
    return SHARC_FREQ_NONE;
}

const char *sharc_rate_changefreq_name(enum sharc_changefreq f)
{
    return names[f <= SHARC_FREQ_NONE ? f : SHARC_FREQ_NONE];
}

enum sharc_changefreq sharc_rate_changefreq_letter(char letter)
{
    unsigned i = 0;
    while (i < SHARC_FREQ_NONE && names[i][0] != letter) i++;
    return (enum sharc_changefreq)i;
}

/* Seconds; "always" has the politeness delay for a period. */
static double period(unsigned f, double delay)
{
    static const double periods[] = {0, 3600, 86400, 7 * 86400.0, 30 * 86400.0, RATE_YEAR};
    return f == SHARC_FREQ_ALWAYS ? fmin(fmax(delay, 1e-3), periods[SHARC_FREQ_HOURLY]) : periods[f];
}

static double needed(double tau)
{
    return -log1p(-tau);
}

double sharc_rate_sitemap(enum sharc_changefreq f, double delay, double tau)
{
    const double c = needed(tau);
    if (f >= SHARC_FREQ_NONE) return -1;
    if (f == SHARC_FREQ_ALWAYS) return 1 / period(f, delay);
    if (f == SHARC_FREQ_NEVER) return c / (2 * RATE_YEAR);
    return c / 2 * (1 / period(f - 1, delay) + 1 / period(f, delay));
}

enum sharc_changefreq sharc_rate_changefreq_of(double rate, double delay, double tau)
{
    const double c = needed(tau);
    unsigned f = SHARC_FREQ_ALWAYS;
    while (f < SHARC_FREQ_NEVER && !(rate * period(f, delay) >= c)) f++;
    return (enum sharc_changefreq)f;
}

struct sharc_rate_gamma sharc_rate_prior_sitemap(enum sharc_changefreq f, double delay, struct sharc_rate_gamma other)
{
    if (f >= SHARC_FREQ_NONE) return other;
    return sharc_rate_prior(sharc_rate_sitemap(f, delay, SHARC_FREQ_TAU), 1);
}
