/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing a forest with XGBoost: the only file that knows its header. Without the
 * library (-Dxgboost=disabled) it says so.
 */
#include "model_int.h"

#ifdef SHARC_XGBOOST

#include <stdio.h>
#include <stdlib.h>
#include <xgboost/c_api.h>

#define ROUNDS 40

bool sharc_rate_has_xgboost(void)
{
    return true;
}

struct library {
    DMatrixHandle matrix;
    BoosterHandle booster;
};

static void library_done(struct library *l)
{
    if (l->booster) XGBoosterFree(l->booster);
    if (l->matrix) XGDMatrixFree(l->matrix);
}

/* All words of the table in their order, so that a word's number is its rank. */
static void learn_words(const struct rate_examples *e, struct sharc_rate_model *m)
{
    for (size_t c = 0; c < e->columns; c++) {
        if (e->column[c].kind != SHARC_RATE_WORD) continue;
        for (uint32_t k = 0; k < e->column[c].codes; k++)
            sharc_intern_add(m->words[c], sharc_intern_text(e->table->column[c].words, e->column[c].word[k]), NULL);
    }
}

static int set_up(struct library *l, const struct rate_examples *e, const uint32_t *rows, struct sharc_rate_model *m)
{
    SHARC_AUTO(sharc_freep) float *cell = SHARC_NEW_ARRAY(float, e->n * e->columns);
    SHARC_AUTO(sharc_freep) float *label = SHARC_NEW_ARRAY(float, e->n);
    struct sharc_rate_value v[SHARC_RATE_COLUMNS_MAX];
    for (size_t i = 0; i < e->n; i++) {
        sharc__rate_table_values(e->table, rows[i], v);
        sharc__rate_forest_row(m, v, cell + i * e->columns);
        label[i] = e->label[i];
    }
    int r = XGDMatrixCreateFromMat(cell, e->n, e->columns, (float)SHARC_RATE_UNKNOWN, &l->matrix);
    if (r == 0) r = XGDMatrixSetFloatInfo(l->matrix, "label", label, e->n);
    if (r == 0) r = XGBoosterCreate(&l->matrix, 1, &l->booster);
    char classes[16];
    snprintf(classes, sizeof classes, "%u", e->classes);
    const char *const set[][2] = {
        {"objective", "multi:softprob"},
        {"num_class", classes},
        {"tree_method", "hist"},
        {"max_depth", "6"},
        {"eta", "0.3"},
        {"min_child_weight", "2"},
        {"nthread", "1"},
        {"seed", "1"},
        {"verbosity", "0"},
    };
    for (size_t i = 0; r == 0 && i < SHARC_LENGTH(set); i++) r = XGBoosterSetParam(l->booster, set[i][0], set[i][1]);
    return r;
}

static int read_back(BoosterHandle booster, struct sharc_rate_model *m)
{
    const char **listing;
    bst_ulong n;
    int r = XGBoosterDumpModelEx(booster, "", 0, "text", &n, &listing);
    for (bst_ulong i = 0; r == 0 && i < n; i++)
        if (!sharc__rate_forest_add(m, sharc_span_of(listing[i]))) r = -1;
    return r;
}

int sharc__rate_forest_learn(const struct rate_examples *e, const uint32_t *rows, struct sharc_rate_model *m)
{
    learn_words(e, m);
    if (e->classes < 2) return 0; /* nothing to tell apart: no tree, one bin */
    SHARC_AUTO(library_done) struct library l = {0};
    int r = set_up(&l, e, rows, m);
    for (int round = 0; r == 0 && round < ROUNDS; round++) r = XGBoosterUpdateOneIter(l.booster, round, l.matrix);
    if (r == 0) r = read_back(l.booster, m);
    return r;
}

#else

bool sharc_rate_has_xgboost(void)
{
    return false;
}

int sharc__rate_forest_learn(const struct rate_examples *e, const uint32_t *rows, struct sharc_rate_model *m)
{
    (void)e, (void)rows, (void)m;
    return -1;
}

#endif
