/* SPDX-License-Identifier: Apache-2.0
 *
 * Cross-validation: what a model says about pages it was not shown.
 */
#include "model_int.h"
#include "sharc/base_rng.h"

void sharc_rate_folds(size_t rows, unsigned folds, uint64_t seed, unsigned *ret)
{
    SHARC_AUTO(sharc_freep) uint32_t *order = SHARC_NEW_ARRAY(uint32_t, rows);
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed);
    for (size_t i = 0; i < rows; i++) order[i] = (uint32_t)i;
    sharc_rng_shuffle_u32(&rng, order, rows);
    for (size_t i = 0; i < rows; i++) ret[order[i]] = (unsigned)(i % folds);
}

/* ln of the probability of so many changes in that time when the rate is known
 * as a gamma distribution: negative binomial. A point for the rate would make
 * one surprise at a hot page outweigh all others. */
static double ln_probability(double changes, double time, struct sharc_rate_gamma g)
{
    return sharc__rate_ln_gamma(g.shape + changes) - sharc__rate_ln_gamma(g.shape) - sharc__rate_ln_gamma(changes + 1) +
           g.shape * log(g.time / (g.time + time)) + (changes > 0 ? changes * log(time / (g.time + time)) : 0);
}

struct trial {
    const struct sharc_rate_table *table;
    const uint16_t *label;
    struct sharc_rate_report *report;
    unsigned *ret_bin;
    struct sharc_rate_gamma all; /* what is known without features */
};

static void ask_row(const struct trial *t, const struct sharc_rate_model *m, size_t row)
{
    struct sharc_rate_value v[SHARC_RATE_COLUMNS_MAX];
    struct sharc_rate_prediction p;
    sharc__rate_table_values(t->table, row, v);
    sharc_rate_predict(m, v, &p);
    const unsigned is = t->label[row], off = p.bin > is ? p.bin - is : is - p.bin;
    const double changes = t->table->changes[row], time = t->table->time[row];
    t->report->by_distance[off] += 1;
    t->report->log_likelihood += ln_probability(changes, time, p.prior);
    t->report->log_likelihood_without += ln_probability(changes, time, t->all);
    if (t->ret_bin) t->ret_bin[row] = p.bin;
}

static void finish(struct sharc_rate_report *r, const struct sharc_rate_bins *bins)
{
    const double n = (double)r->rows;
    for (unsigned k = 0; k < r->bins; k++) {
        r->by_distance[k] /= n;
        r->distance += k * r->by_distance[k];
        r->majority = fmax(r->majority, (double)bins->bin[k].count / n);
    }
    r->accuracy = r->by_distance[0];
    r->log_likelihood /= n;
    r->log_likelihood_without /= n;
}

int sharc_rate_evaluate(const struct sharc_rate_table *t, const struct sharc_rate_options *o, unsigned folds,
                        uint64_t seed, struct sharc_rate_report *ret, unsigned *ret_bin, struct sharc_err *reterr)
{
    int r = sharc__rate_options_check(o, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(folds < 2 || t->rows < folds, reterr, SHARC_EINVAL,
                  "%u folds of %zu pages: give at least 2, and at least as many pages as folds", folds, t->rows);
    struct sharc_rate_bins bins;
    SHARC_AUTO(sharc_freep) uint16_t *label = NULL;
    SHARC_AUTO(sharc_freep) unsigned *fold = SHARC_NEW_ARRAY(unsigned, t->rows);
    SHARC_AUTO(sharc_freep) uint32_t *rows = SHARC_NEW_ARRAY(uint32_t, t->rows);
    sharc__rate_label(t, o->bins, &bins, &label);
    sharc_rate_folds(t->rows, folds, seed, fold);
    SHARC_AUTO(sharc__rate_order_done) struct rate_order order;
    sharc__rate_order_make(t, &order);
    struct sharc_rate_report report = {.rows = t->rows, .folds = folds, .bins = bins.n};
    struct trial trial = {t, label, &report, ret_bin, sharc_rate_prior_fit(t->changes, t->time, t->rows)};
    for (unsigned f = 0; f < folds; f++) {
        size_t n = 0;
        for (size_t i = 0; i < t->rows; i++)
            if (fold[i] != f) rows[n++] = (uint32_t)i;
        SHARC_AUTO(sharc_rate_model_freep)
        struct sharc_rate_model *m = sharc__rate_learn(t, &order, rows, n, &bins, label, o);
        SHARC_FAIL_IF(!m, reterr, SHARC_EUNSUPPORTED,
                      "XGBoost does not learn from these pages; use naive-bayes or c4.5");
        for (size_t i = 0; i < t->rows; i++)
            if (fold[i] == f) ask_row(&trial, m, i);
    }
    finish(&report, &bins);
    *ret = report;
    return 0;
}
