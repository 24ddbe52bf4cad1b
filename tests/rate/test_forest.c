/* SPDX-License-Identifier: Apache-2.0
 *
 * Boosted trees as a learner: with XGBoost they are grown, saved and loaded; a
 * sharc built without it says so in one sentence.
 */
#include "test.h"

#include "sharc/base_rng.h"
#include "sharc/rate_model.h"

#include <math.h>
#include <stdio.h>

static const struct sharc_rate_column columns[] = {{"folder", SHARC_RATE_WORD}, {"number", SHARC_RATE_NUMBER}};

/* The rate depends on both: no feature alone tells it. */
static struct sharc_rate_table *examples(size_t rows)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, 3);
    struct sharc_rate_table *t = sharc_rate_table_new(columns, 2);
    for (size_t i = 0; i < rows; i++) {
        bool news = sharc_rng_below(&rng, 2), large = sharc_rng_below(&rng, 2);
        const struct sharc_rate_value v[] = {
            {.word = sharc_rng_below(&rng, 20) == 0 ? SHARC_SPAN_NONE
                     : news                         ? SHARC_SPAN("news")
                                                    : SHARC_SPAN("docs")},
            {.number = (large ? 10 : 0) + sharc_rng_uniform(&rng)},
        };
        sharc_rate_table_add(t, v, news == large ? 8 + (double)sharc_rng_below(&rng, 3) : 1, 10);
    }
    return t;
}

static void absent_it_says_so(void **state)
{
    (void)state;
    if (sharc_rate_has_xgboost()) skip();
    SHARC_AUTO(sharc_rate_table_freep) struct sharc_rate_table *t = examples(100);
    struct sharc_rate_options o = SHARC_RATE_OPTIONS;
    o.learner = SHARC_RATE_XGBOOST;
    struct sharc_rate_model *m = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_rate_train(t, &o, &m, &err), SHARC_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "built without XGBoost"));
}

static void present_it_learns_and_comes_back(void **state)
{
    (void)state;
    if (!sharc_rate_has_xgboost()) skip();
    SHARC_AUTO(sharc_rate_table_freep) struct sharc_rate_table *t = examples(1500);
    struct sharc_rate_options o = SHARC_RATE_OPTIONS;
    o.learner = SHARC_RATE_XGBOOST;
    o.bins = 4;
    struct sharc_rate_report report;
    assert_int_equal(sharc_rate_evaluate(t, &o, 3, 1, &report, NULL, NULL), 0);
    assert_true(report.accuracy > report.majority + 0.05);
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *back = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(16u << 20);
    assert_int_equal(sharc_rate_train(t, &o, &m, NULL), 0);
    assert_int_equal(sharc_rate_model_save(m, &bytes), 0);
    assert_int_equal(sharc_rate_model_load(sharc_buf_span(&bytes), &back, NULL), 0);
    struct sharc_rate_prediction hot, same, cold, unknown;
    const struct sharc_rate_value news[] = {{.word = SHARC_SPAN("news")}, {.number = 10.5}};
    const struct sharc_rate_value docs[] = {{.word = SHARC_SPAN("docs")}, {.number = 10.5}};
    const struct sharc_rate_value none[] = {{.word = SHARC_SPAN("never seen")}, {.number = SHARC_RATE_UNKNOWN}};
    sharc_rate_predict(m, news, &hot);
    sharc_rate_predict(back, news, &same);
    sharc_rate_predict(back, docs, &cold);
    sharc_rate_predict(back, none, &unknown);
    assert_memory_equal(&hot, &same, sizeof hot);
    assert_true(hot.expected > 4 * cold.expected);
    assert_true(isfinite(unknown.expected));
    double sum = 0;
    for (unsigned k = 0; k < sharc_rate_model_bins(m)->n; k++) sum += hot.probability[k];
    assert_true(fabs(sum - 1) < 1e-9);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf words = SHARC_BUF_INIT(1u << 20);
    assert_int_equal(sharc_rate_model_describe(back, &words), 0);
    assert_int_not_equal(sharc_span_search(sharc_buf_span(&words), SHARC_SPAN("folder")), SHARC_NPOS);
}

static void one_rate_needs_no_tree(void **state)
{
    (void)state;
    if (!sharc_rate_has_xgboost()) skip();
    SHARC_AUTO(sharc_rate_table_freep) struct sharc_rate_table *t = sharc_rate_table_new(columns, 2);
    const struct sharc_rate_value v[] = {{.word = SHARC_SPAN("a")}, {.number = 1}};
    for (int i = 0; i < 5; i++) sharc_rate_table_add(t, v, 2, 4);
    struct sharc_rate_options o = SHARC_RATE_OPTIONS;
    o.learner = SHARC_RATE_XGBOOST;
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    assert_int_equal(sharc_rate_train(t, &o, &m, NULL), 0);
    struct sharc_rate_prediction p;
    sharc_rate_predict(m, v, &p);
    assert_true(fabs(p.rate - 0.5) < 1e-12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(absent_it_says_so),
    cmocka_unit_test(present_it_learns_and_comes_back),
    cmocka_unit_test(one_rate_needs_no_tree),
};
TEST_MAIN(tests)
