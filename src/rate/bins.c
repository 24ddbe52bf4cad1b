/* SPDX-License-Identifier: Apache-2.0
 *
 * Bins of equal frequency. A run of equal rates stays together: it goes to the
 * bin in which most of it would lie, so a bin may be fuller or the number of
 * bins smaller than wanted.
 */
#include "model_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

static void close_bin(struct sharc_rate_bins *b, const double *rates, size_t from, size_t to)
{
    const double n = (double)(to - from);
    double mean = 0, logs = 0;
    for (size_t i = from; i < to; i++) mean += rates[i] / n;
    /* Rates of 0 among others: no closer to 0 than a hundredth of the mean. */
    for (size_t i = from; i < to; i++) logs += log(fmax(rates[i], mean / 100)) / n;
    b->bin[b->n++] = (struct sharc_rate_bin){
        .upper = rates[to - 1],
        .mean = mean,
        .prior = mean > 0 ? sharc__rate_gamma_nearest(mean, logs) : sharc_rate_prior(0, 0.5),
        .count = to - from,
    };
}

static size_t run_end(const double *sorted, size_t from, size_t n)
{
    size_t end = from + 1;
    while (end < n && sorted[end] == sorted[from]) end++;
    return end;
}

/* Cut sorted[from, n) into `want` bins. After each the rest is shared out
 * anew, so one long run of equal rates does not starve the bins behind it. */
static void cut(struct sharc_rate_bins *b, const double *sorted, size_t from, size_t n, unsigned want)
{
    while (from < n) {
        const double aim = (double)from + (double)(n - from) / want;
        size_t end = run_end(sorted, from, n);
        while (end < n) {
            size_t next = run_end(sorted, end, n);
            if (want > 1 && (double)(end + next) / 2 > aim) break;
            end = next;
        }
        close_bin(b, sorted, from, end);
        from = end;
        if (want > 1) want--;
    }
}

void sharc_rate_bins_make(const double *rates, size_t n, unsigned want, struct sharc_rate_bins *ret)
{
    SHARC_AUTO(sharc_freep) double *sorted = SHARC_NEW_ARRAY(double, n);
    for (size_t i = 0; i < n; i++) sorted[i] = rates[i] > 0 ? rates[i] : 0;
    qsort(sorted, n, sizeof *sorted, sharc_order_double);
    want = want < 1 ? 1 : want > SHARC_RATE_BINS_MAX ? SHARC_RATE_BINS_MAX : want;
    *ret = (struct sharc_rate_bins){.n = 0};
    size_t still = 0;
    while (still < n && sorted[still] == 0) still++;
    if (want > 1 && (double)still > (double)n / want) {
        close_bin(ret, sorted, 0, still);
        cut(ret, sorted, still, n, want - 1);
    } else {
        cut(ret, sorted, 0, n, want);
    }
    if (ret->n == 0) { /* no rates at all: one bin that stands for nothing */
        ret->bin[0].prior = sharc_rate_prior(0, 1);
        ret->n = 1;
    }
    ret->bin[ret->n - 1].upper = HUGE_VAL;
}

unsigned sharc_rate_bins_find(const struct sharc_rate_bins *b, double rate)
{
    return (unsigned)SHARC_COUNT_WHILE(i, b->n - 1, !(rate <= b->bin[i].upper));
}
