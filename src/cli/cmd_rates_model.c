/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates train and predict.
 */
#include "cmd_rates.h"

#include "sharc/base_file.h"

#include <limits.h>

/* --- models ----------------------------------------------------------------------------- */

void rates_options(const struct rates_settings *set, int learner, struct sharc_rate_options *ret)
{
    *ret = (struct sharc_rate_options)SHARC_RATE_OPTIONS;
    ret->learner = (enum sharc_rate_learner)learner;
    ret->bins = set->bins > UINT_MAX ? UINT_MAX : (unsigned)set->bins;
    ret->confidence = set->confidence;
    ret->smoothing = set->smoothing;
    ret->textbook = set->textbook;
}

int rates_train(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (!set->output) return cli_usage(c, "train writes a model: name its file with --output");
    if (set->learner == RATES_ALL)
        return cli_usage(c, "train makes one model: choose --learner naive-bayes, c4.5 or xgboost");
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    if (rates_open(path, set, &h, &err) < 0) return cli_fail(c, &err);
    struct sharc_rate_options o;
    rates_options(set, set->learner, &o);
    SHARC_AUTO(sharc_freep) uint32_t *page = NULL;
    SHARC_AUTO(sharc_rate_table_freep)
    struct sharc_rate_table *t =
        sharc_history_table(&h, set->features == 0 ? SHARC_RATE_ONLINE : SHARC_RATE_OFFLINE, &page);
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(SHARC_RATE_MODEL_BYTES_MAX);
    int r = sharc_rate_train(t, &o, &m, &err);
    if (r == 0) r = sharc_rate_model_save(m, &bytes);
    if (r == 0) r = sharc_buf_result(&bytes, &err);
    if (r == 0) r = sharc_file_replace(set->output, sharc_buf_span(&bytes), &err);
    if (r < 0) return cli_fail(c, &err);
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 16);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "model", set->output);
        sharc_json_str(&j, "learner", rates_learners[set->learner]);
        sharc_json_uint(&j, "pages", sharc_rate_table_rows(t));
        sharc_json_uint(&j, "bins", sharc_rate_model_bins(m)->n);
        sharc_json_uint(&j, "size", sharc_rate_model_size(m));
        sharc_json_uint(&j, "bytes", bytes.n);
        sharc_json_end(&j);
        sharc_buf_put_char(&out, '\n');
        return rates_print(c, &out);
    }
    fprintf(c->out, "%s: %s from %s, %s, %s\n", set->output, rates_learners[set->learner],
            SHARC_COUNT(sharc_rate_table_rows(t), "page"), SHARC_COUNT(sharc_rate_model_bins(m)->n, "bin"),
            SHARC_COUNT(sharc_rate_model_size(m), set->learner == 0 ? "probability|probabilities" : "node"));
    return EXIT_OK;
}

int rates_load_model(const char *path, struct sharc_rate_model **ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(SHARC_RATE_MODEL_BYTES_MAX);
    int r = sharc_file_read(path, &bytes, err);
    if (r < 0) return r;
    r = sharc_rate_model_load(sharc_buf_span(&bytes), ret, err);
    if (r < 0) return sharc_err_prefix(err, r, "%s", path);
    size_t n;
    const struct sharc_rate_column *column = sharc_rate_model_columns(*ret, &n);
    bool fits = n == SHARC_RATE_ONLINE || n == SHARC_RATE_OFFLINE;
    for (size_t i = 0; fits && i < n; i++) fits = strcmp(column[i].name, sharc_rate_columns[i].name) == 0;
    SHARC_FAIL_IF(!fits, err, SHARC_EINVAL, "%s: the model needs features that these pages do not have", path);
    return 0;
}

static bool is_url(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

/* URLs by name, or the pages of a source. */
static int pages_to_predict(const struct rates_settings *set, int argc, char **argv, struct sharc_history *h,
                            struct sharc_err *err)
{
    if (!is_url(argv[0])) {
        SHARC_FAIL_IF(argc > 1, err, SHARC_EINVAL,
                      "predict takes one dataset, archive or sitemap, or any number of URLs");
        return rates_open(argv[0], set, h, err);
    }
    h->name = sharc_strdup("URLs");
    for (int i = 0; i < argc; i++) sharc_history_add(h)->url = sharc_span_of(argv[i]);
    return 0;
}

int rates_predict(struct cli *c, const struct rates_settings *set, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (argc < 2) return cli_usage(c, "predict takes a model and then a dataset, archive or sitemap, or URLs");
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    if (rates_load_model(argv[0], &m, &err) < 0) return cli_fail(c, &err);
    if (pages_to_predict(set, argc - 1, argv + 1, &h, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) struct sharc_history_rate *rated = SHARC_NEW_ARRAY(struct sharc_history_rate, h.n);
    for (size_t i = 0; i < h.n; i++) {
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        struct sharc_rate_prediction guess;
        sharc_history_features(&h.page[i], v);
        sharc_rate_predict(m, v, &guess);
        rated[i] = (struct sharc_history_rate){(uint32_t)i, sharc_rate_combine(guess.prior, NULL, RATES_LEVEL)};
    }
    return rates_list(c, &h, rated, h.n, set->top, "predicted", false);
}
