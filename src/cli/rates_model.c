/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates train, predict and show.
 */
#include "rates.h"

#include "sharc/base_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* --- models ----------------------------------------------------------------------------- */

void cli__rates_options(const struct rates_settings *set, int learner, struct sharc_rate_options *ret)
{
    *ret = (struct sharc_rate_options)SHARC_RATE_OPTIONS;
    ret->learner = (enum sharc_rate_learner)learner;
    ret->bins = set->bins > UINT_MAX ? UINT_MAX : (unsigned)set->bins;
    ret->confidence = set->confidence;
    ret->smoothing = set->smoothing;
    ret->textbook = set->textbook;
}

int cli__rates_train(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (!set->output) return cli_usage(c, "train writes a model: name its file with --output");
    if (set->learner == RATES_ALL)
        return cli_usage(c, "train makes one model: choose --learner naive-bayes, c4.5 or xgboost");
    SHARC_AUTO(cli__rates_done) struct rates_source s;
    if (cli__rates_open(path, &set->window, &s, &err) < 0) return cli_fail(c, &err);
    struct sharc_rate_options o;
    cli__rates_options(set, set->learner, &o);
    SHARC_AUTO(sharc_freep) uint32_t *page = NULL;
    SHARC_AUTO(sharc_rate_table_freep)
    struct sharc_rate_table *t =
        cli__rates_table(&s, set->features == 0 ? SHARC_RATE_ONLINE : SHARC_RATE_OFFLINE, &page);
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
        sharc_json_str(&j, "learner", cli__rates_learners[set->learner]);
        sharc_json_uint(&j, "pages", sharc_rate_table_rows(t));
        sharc_json_uint(&j, "bins", sharc_rate_model_bins(m)->n);
        sharc_json_uint(&j, "size", sharc_rate_model_size(m));
        sharc_json_uint(&j, "bytes", bytes.n);
        sharc_json_end(&j);
        sharc_buf_put_char(&out, '\n');
        return cli__rates_print(c, &out);
    }
    fprintf(c->out, "%s: %s from %s, %s, %s\n", set->output, cli__rates_learners[set->learner],
            SHARC_COUNT(sharc_rate_table_rows(t), "page"), SHARC_COUNT(sharc_rate_model_bins(m)->n, "bin"),
            SHARC_COUNT(sharc_rate_model_size(m), set->learner == 0 ? "probability|probabilities" : "node"));
    return EXIT_OK;
}

static int load_model(const char *path, struct sharc_rate_model **ret, struct sharc_err *err)
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
    SHARC_FAIL_IF(!fits, err, SHARC_EINVAL, "%s: the model asks for other features than a page has", path);
    return 0;
}

static bool is_url(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

/* URLs by name, or the pages of a source. */
static int pages_to_predict(const struct rates_settings *set, int argc, char **argv, struct rates_source *s,
                            struct sharc_err *err)
{
    if (!is_url(argv[0])) {
        SHARC_FAIL_IF(argc > 1, err, SHARC_EINVAL,
                      "predict takes one dataset, archive or sitemap, or any number of URLs");
        return cli__rates_open(argv[0], &set->window, s, err);
    }
    *s = (struct rates_source){.text = SHARC_ARENA_INIT(RATES_TEXT_MAX), .name = sharc_strdup("URLs")};
    for (int i = 0; i < argc; i++) cli__rates_add(s)->url = sharc_span_of(argv[i]);
    return 0;
}

int cli__rates_predict(struct cli *c, const struct rates_settings *set, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (argc < 2) return cli_usage(c, "predict takes a model and then a dataset, archive or sitemap, or URLs");
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    SHARC_AUTO(cli__rates_done) struct rates_source s = {.text = SHARC_ARENA_INIT(RATES_TEXT_MAX)};
    if (load_model(argv[0], &m, &err) < 0) return cli_fail(c, &err);
    if (pages_to_predict(set, argc - 1, argv + 1, &s, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) struct rates_rated *rated = SHARC_NEW_ARRAY(struct rates_rated, s.n);
    for (size_t i = 0; i < s.n; i++) {
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        struct sharc_rate_prediction guess;
        cli__rates_features(&s.page[i], v);
        sharc_rate_predict(m, v, &guess);
        rated[i] = (struct rates_rated){(uint32_t)i, sharc_rate_combine(guess.prior, NULL, RATES_LEVEL)};
    }
    return cli__rates_list(c, &s, rated, s.n, set->top, "predicted", false);
}

/* --- show -------------------------------------------------------------------------------------- */

static void show_bins(struct cli *c, const struct sharc_rate_bins *bins)
{
    static const char *const titles[] = {"bin", "pages", "changes per day", "up to"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(4, titles, "rrrr");
    for (unsigned i = 0; i < bins->n; i++) {
        cli_table_cell(t, "%u", i + 1);
        cli_table_cell(t, "%zu", bins->bin[i].count);
        cli_table_cell(t, "%.4g", bins->bin[i].mean * RATES_DAY);
        if (isinf(bins->bin[i].upper))
            cli_table_cell(t, "%s", "more");
        else
            cli_table_cell(t, "%.4g", bins->bin[i].upper * RATES_DAY);
    }
    cli_table_print(t, c->out);
}

static void bins_json(struct sharc_json *j, const struct sharc_rate_bins *bins)
{
    sharc_json_array(j, "bins");
    for (unsigned i = 0; i < bins->n; i++) {
        sharc_json_object(j, NULL);
        sharc_json_uint(j, "pages", bins->bin[i].count);
        sharc_json_real(j, "per_day", bins->bin[i].mean * RATES_DAY);
        sharc_json_real(j, "upper", bins->bin[i].upper * RATES_DAY);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static int show_model(struct cli *c, const struct sharc_rate_model *m, const char *path)
{
    const char *learner = cli__rates_learners[sharc_rate_model_learner(m)];
    size_t columns;
    sharc_rate_model_columns(m, &columns);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf words = SHARC_BUF_INIT(RATES_OUTPUT_MAX);
    sharc_rate_model_describe(m, &words);
    if (!c->json) {
        fprintf(c->out, "%s: %s, %s features, %zu %s\n\n", path, learner,
                columns == SHARC_RATE_ONLINE ? "online" : "offline", sharc_rate_model_size(m),
                sharc_rate_model_learner(m) == SHARC_RATE_NAIVE_BAYES ? "probabilities" : "nodes");
        show_bins(c, sharc_rate_model_bins(m));
        fputc('\n', c->out);
        return cli__rates_print(c, &words);
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(RATES_OUTPUT_MAX);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "model", path);
    sharc_json_str(&j, "learner", learner);
    sharc_json_uint(&j, "features", columns);
    sharc_json_uint(&j, "size", sharc_rate_model_size(m));
    bins_json(&j, sharc_rate_model_bins(m));
    sharc_json_span(&j, "description", sharc_buf_span(&words));
    sharc_json_end(&j);
    sharc_buf_put_char(&out, '\n');
    return cli__rates_print(c, &out);
}

static int show_source(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(cli__rates_done) struct rates_source s;
    if (cli__rates_open(path, &set->window, &s, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(cli__rates_kept_freep) struct rates_kept *kept = cli__rates_kept_new();
    if (s.kind == RATES_ARCHIVE && cli__rates_kept_read(path, set->window.store, kept, &err) < 0)
        return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, s.n);
    size_t n = 0, changing = 0;
    double changes = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!(s.page[i].time > 0)) continue;
        rate[n++] = s.page[i].changes / s.page[i].time;
        changes += s.page[i].changes;
        changing += s.page[i].changes > 0;
    }
    struct sharc_rate_bins bins = {.n = 0};
    if (n && set->bins >= 1 && set->bins <= SHARC_RATE_BINS_MAX)
        sharc_rate_bins_make(rate, n, (unsigned)set->bins, &bins);
    if (!c->json) {
        fprintf(c->out, "%s: %s, %zu with a history, %zu of them changing, %s\n\n", s.name, SHARC_COUNT(s.n, "page"), n,
                changing, SHARC_COUNT((uint64_t)changes, "change"));
        show_bins(c, &bins);
        cli__rates_kept_print(c, kept, set->top);
        return EXIT_OK;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(RATES_OUTPUT_MAX);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "source", s.name);
    sharc_json_uint(&j, "pages", s.n);
    sharc_json_uint(&j, "with_history", n);
    sharc_json_uint(&j, "changing", changing);
    sharc_json_real(&j, "changes", changes);
    bins_json(&j, &bins);
    if (s.kind == RATES_ARCHIVE) cli__rates_kept_json(&j, kept);
    sharc_json_end(&j);
    sharc_buf_put_char(&out, '\n');
    return cli__rates_print(c, &out);
}

int cli__rates_show(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_filemap_done) struct sharc_filemap map = {0};
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    struct sharc_err ignored = SHARC_ERR_INIT;
    bool model = sharc_filemap_open(&map, path, &ignored) == 0 && sharc_rate_model_is(map.bytes);
    if (!model) return show_source(c, set, path);
    if (load_model(path, &m, &err) < 0) return cli_fail(c, &err);
    return show_model(c, m, path);
}
