/* SPDX-License-Identifier: Apache-2.0
 *
 * Models: learning, asking, describing, whatever the learner.
 */
#include "model_int.h"

#include <stdlib.h>

/* Intervals of numbers unless the caller chooses: a tree finds its own
 * thresholds and wants many, Naive Bayes must fill each interval with examples
 * of every bin. */
#define GRID_TREE 1024
#define GRID_BAYES 32

/* --- learners -------------------------------------------------------------- */

static int bayes_learn(const struct rate_examples *e, const struct sharc_rate_options *o, const uint32_t *rows,
                       struct sharc_rate_model *m)
{
    (void)o, (void)rows;
    sharc__rate_bayes_learn(e, m);
    return 0;
}

static int tree_learn(const struct rate_examples *e, const struct sharc_rate_options *o, const uint32_t *rows,
                      struct sharc_rate_model *m)
{
    (void)rows;
    sharc__rate_tree_learn(e, o, m);
    return 0;
}

static int forest_learn(const struct rate_examples *e, const struct sharc_rate_options *o, const uint32_t *rows,
                        struct sharc_rate_model *m)
{
    (void)o;
    return sharc__rate_forest_learn(e, rows, m);
}

static size_t bayes_size(const struct sharc_rate_model *m)
{
    size_t n = 0;
    for (size_t c = 0; c < m->columns; c++) n += m->bayes.column[c].first[m->bayes.column[c].values];
    return n;
}

static size_t tree_size(const struct sharc_rate_model *m)
{
    return m->tree.nodes;
}

static size_t forest_size(const struct sharc_rate_model *m)
{
    return m->forest.nodes;
}

/* To add a learner: a row here, and one in model_file.c for how it is kept. */
static const struct learner {
    unsigned grid; /* intervals of numbers unless the caller chooses */
    /* From examples into m; < 0: it does not learn from these. */
    int (*learn)(const struct rate_examples *e, const struct sharc_rate_options *o, const uint32_t *rows,
                 struct sharc_rate_model *m);
    /* The probability of each bin. */
    void (*ask)(const struct sharc_rate_model *m, const struct sharc_rate_value *v, double *ret);
    size_t (*size)(const struct sharc_rate_model *m);
    int (*describe)(const struct sharc_rate_model *m, struct sharc_buf *out);
} learners[] = {
    [SHARC_RATE_NAIVE_BAYES] = {GRID_BAYES, bayes_learn, sharc__rate_bayes_ask, bayes_size, sharc__rate_bayes_describe},
    [SHARC_RATE_C45] = {GRID_TREE, tree_learn, sharc__rate_tree_ask, tree_size, sharc__rate_tree_describe},
    [SHARC_RATE_XGBOOST] = {GRID_BAYES, forest_learn, sharc__rate_forest_ask, forest_size, sharc__rate_forest_describe},
};

/* --- life ------------------------------------------------------------------ */

struct sharc_rate_model *sharc__rate_model_new(enum sharc_rate_learner learner, size_t columns)
{
    struct sharc_rate_model *m = SHARC_NEW(struct sharc_rate_model);
    m->learner = learner;
    m->columns = columns;
    return m;
}

void sharc_rate_model_free(struct sharc_rate_model *m)
{
    if (!m) return;
    for (size_t c = 0; c < m->columns; c++) {
        free((void *)m->column[c].name);
        sharc_intern_free(m->words[c]);
        struct bayes_column *b = &m->bayes.column[c];
        free(b->cut);
        free(b->first);
        free(b->cell);
        free(b->known);
    }
    free(m->bayes.prior);
    free(m->tree.node);
    free(m->tree.count);
    free(m->forest.first);
    free(m->forest.node);
    free(m);
}

void sharc_rate_model_freep(struct sharc_rate_model **m)
{
    sharc_rate_model_free(*m);
    *m = NULL;
}

int sharc__rate_options_check(const struct sharc_rate_options *o, struct sharc_err *reterr)
{
    SHARC_FAIL_IF((size_t)o->learner >= SHARC_LENGTH(learners), reterr, SHARC_EINVAL,
                  "no such learner: give Naive Bayes, C4.5 or XGBoost");
    SHARC_FAIL_IF(
        o->learner == SHARC_RATE_XGBOOST && !sharc_rate_has_xgboost(), reterr, SHARC_EUNSUPPORTED,
        "this sharc was built without XGBoost; learn with naive-bayes or c4.5, or build it with -Dxgboost=enabled");
    SHARC_FAIL_IF(o->bins < 1 || o->bins > SHARC_RATE_BINS_MAX, reterr, SHARC_EINVAL, "%u bins: give 1 to %d", o->bins,
                  SHARC_RATE_BINS_MAX);
    SHARC_FAIL_IF(!(o->smoothing > 0 && o->smoothing <= 1e6), reterr, SHARC_EINVAL,
                  "smoothing of %g: give a number above 0", o->smoothing);
    SHARC_FAIL_IF(!(o->confidence > 0 && o->confidence <= 1), reterr, SHARC_EINVAL,
                  "confidence of %g: give a number above 0, at most 1", o->confidence);
    SHARC_FAIL_IF(!(o->least >= 1), reterr, SHARC_EINVAL, "at least %g examples a branch: give 1 or more", o->least);
    SHARC_FAIL_IF(o->grid == 1 || o->grid > RATE_GRID_MAX, reterr, SHARC_EINVAL,
                  "a grid of %u intervals: give 2 to %d, or 0 for the learner's own", o->grid, RATE_GRID_MAX);
    return 0;
}

void sharc__rate_label(const struct sharc_rate_table *t, unsigned want, struct sharc_rate_bins *ret,
                       uint16_t **ret_label)
{
    SHARC_AUTO(sharc_freep) double *rates = SHARC_NEW_ARRAY(double, t->rows);
    uint16_t *label = SHARC_NEW_ARRAY(uint16_t, t->rows);
    for (size_t i = 0; i < t->rows; i++) rates[i] = sharc_rate_table_rate(t, i);
    sharc_rate_bins_make(rates, t->rows, want, ret);
    double still_time = 0;
    for (size_t i = 0; i < t->rows; i++) {
        label[i] = (uint16_t)sharc_rate_bins_find(ret, rates[i]);
        if (label[i] == 0) still_time += t->time[i];
    }
    /* Pages that were not seen to change may still do so: half a change in all
     * the time they were watched. The bin's mean stays 0, its prior does not. */
    if (ret->bin[0].mean == 0 && still_time > 0) ret->bin[0].prior = sharc_rate_prior(0.5 / still_time, 0.5);
    *ret_label = label;
}

struct sharc_rate_model *sharc__rate_learn(const struct sharc_rate_table *t, const struct rate_order *order,
                                           const uint32_t *rows, size_t n, const struct sharc_rate_bins *bins,
                                           const uint16_t *label, const struct sharc_rate_options *o)
{
    struct sharc_rate_model *m = sharc__rate_model_new(o->learner, t->columns);
    m->bins = *bins;
    m->smoothing = o->smoothing;
    for (size_t c = 0; c < t->columns; c++) {
        m->column[c] = (struct sharc_rate_column){sharc_strdup(t->column[c].name), t->column[c].kind};
        if (t->column[c].kind == SHARC_RATE_WORD) m->words[c] = sharc_intern_new();
    }
    const struct learner *l = &learners[o->learner];
    struct rate_examples e;
    sharc__rate_examples_make(t, order, rows, n, label, bins->n, o->grid ? o->grid : l->grid, &e);
    int r = l->learn(&e, o, rows, m);
    sharc__rate_examples_done(&e);
    if (r == 0) return m;
    sharc_rate_model_free(m);
    return NULL;
}

int sharc_rate_train(const struct sharc_rate_table *t, const struct sharc_rate_options *o,
                     struct sharc_rate_model **ret, struct sharc_err *reterr)
{
    int r = sharc__rate_options_check(o, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(t->rows == 0, reterr, SHARC_EINVAL, "no pages to learn from: a model needs pages of known history");
    struct sharc_rate_bins bins;
    SHARC_AUTO(sharc_freep) uint16_t *label = NULL;
    sharc__rate_label(t, o->bins, &bins, &label);
    SHARC_AUTO(sharc_freep) uint32_t *rows = SHARC_NEW_ARRAY(uint32_t, t->rows);
    for (size_t i = 0; i < t->rows; i++) rows[i] = (uint32_t)i;
    SHARC_AUTO(sharc__rate_order_done) struct rate_order order;
    sharc__rate_order_make(t, &order);
    struct sharc_rate_model *m = sharc__rate_learn(t, &order, rows, t->rows, &bins, label, o);
    SHARC_FAIL_IF(!m, reterr, SHARC_EUNSUPPORTED, "XGBoost does not learn from these pages; use naive-bayes or c4.5");
    *ret = m;
    return 0;
}

void sharc_rate_predict(const struct sharc_rate_model *m, const struct sharc_rate_value *v,
                        struct sharc_rate_prediction *ret)
{
    *ret = (struct sharc_rate_prediction){.bin = 0};
    learners[m->learner].ask(m, v, ret->probability);
    double mean = 0, logs = 0;
    for (unsigned k = 0; k < m->bins.n; k++) {
        const double p = ret->probability[k];
        if (p > ret->probability[ret->bin]) ret->bin = k;
        const struct sharc_rate_gamma prior = m->bins.bin[k].prior;
        const double of_bin = sharc_rate_prior_mean(prior);
        mean += p * of_bin;
        logs += p * (sharc__rate_digamma(prior.shape) - log(prior.time));
    }
    ret->rate = m->bins.bin[ret->bin].mean;
    ret->expected = mean;
    ret->prior = sharc__rate_gamma_nearest(mean, logs);
}

enum sharc_rate_learner sharc_rate_model_learner(const struct sharc_rate_model *m)
{
    return m->learner;
}

const struct sharc_rate_bins *sharc_rate_model_bins(const struct sharc_rate_model *m)
{
    return &m->bins;
}

const struct sharc_rate_column *sharc_rate_model_columns(const struct sharc_rate_model *m, size_t *ret_n)
{
    *ret_n = m->columns;
    return m->column;
}

size_t sharc_rate_model_size(const struct sharc_rate_model *m)
{
    return learners[m->learner].size(m);
}

int sharc_rate_model_describe(const struct sharc_rate_model *m, struct sharc_buf *out)
{
    return learners[m->learner].describe(m, out);
}
