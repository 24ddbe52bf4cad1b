/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates show: a model, or what a source knows of its pages' changes.
 */
#include "archive.h"
#include "cmd_rates.h"

#include "sharc/base_file.h"

#include <math.h>
#include <stdlib.h>

/* --- rates that the catalogue has --------------------------------------------------------------- */

static void print_kept(struct cli *c, const struct sharc_history_kept *k, uint64_t top)
{
    static const char *const titles[] = {"per day", "low", "high", "looks", "from", "as of", "page"};
    size_t shown = top ? top : 10;
    if (k->n == 0) return;
    if (shown > k->n) shown = (size_t)k->n;
    fprintf(c->out, "\n%zu rate%s kept in the catalogue, hottest first%s\n\n", k->n, k->n == 1 ? "" : "s",
            shown < k->n ? " (--top for more)" : "");
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "rrrrlll");
    for (size_t i = 0; i < shown; i++) {
        const struct sharc_store_rate *row = &k->row[i];
        char when[SHARC_TIME_TEXT];
        rates_cell(t, row->value);
        rates_cell(t, row->low);
        rates_cell(t, row->high);
        cli_table_cell(t, "%.4g", row->observations);
        cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(row->source));
        cli_table_cell(t, "%s", row->when == SHARC_TIME_NONE ? "" : sharc_time_iso(row->when, 0, when));
        cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(row->url));
    }
    cli_table_print(t, c->out);
}

static void kept_json(struct sharc_json *j, const struct sharc_history_kept *k)
{
    sharc_json_array(j, "kept");
    for (size_t i = 0; i < k->n; i++) {
        const struct sharc_store_rate *row = &k->row[i];
        char when[SHARC_TIME_TEXT];
        sharc_json_object(j, NULL);
        sharc_json_span(j, "url", row->url);
        sharc_json_span(j, "source", row->source);
        sharc_json_real(j, "per_day", row->value * RATES_DAY);
        sharc_json_real(j, "low", row->low * RATES_DAY);
        sharc_json_real(j, "high", row->high * RATES_DAY);
        sharc_json_real(j, "looks", row->observations);
        if (row->when != SHARC_TIME_NONE) sharc_json_str(j, "as_of", sharc_time_iso(row->when, 0, when));
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

/* --- bins and models ----------------------------------------------------------------------------- */

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
    const char *learner = rates_learners[sharc_rate_model_learner(m)];
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
        return rates_print(c, &words);
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
    return rates_print(c, &out);
}

static int read_kept(const char *path, const char *url, struct sharc_history_kept *ret, struct sharc_err *err)
{
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    int r = sharc_archive_open(path, url, &o, &store, err);
    return r < 0 ? r : sharc_history_kept_read(store, ret, err);
}

static int show_source(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    SHARC_AUTO(sharc_history_kept_done) struct sharc_history_kept kept = SHARC_HISTORY_KEPT_INIT;
    if (rates_open(path, set, &h, &err) < 0) return cli_fail(c, &err);
    if (h.kind == SHARC_HISTORY_ARCHIVE && read_kept(path, set->store, &kept, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, h.n);
    size_t n = 0, changing = 0;
    double changes = 0;
    for (size_t i = 0; i < h.n; i++) {
        if (!(h.page[i].time > 0)) continue;
        rate[n++] = h.page[i].changes / h.page[i].time;
        changes += h.page[i].changes;
        changing += h.page[i].changes > 0;
    }
    struct sharc_rate_bins bins = {.n = 0};
    if (n && set->bins >= 1 && set->bins <= SHARC_RATE_BINS_MAX)
        sharc_rate_bins_make(rate, n, (unsigned)set->bins, &bins);
    if (!c->json) {
        fprintf(c->out, "%s: %s, %zu with a history, %zu of them changing, %s\n\n", h.name, SHARC_COUNT(h.n, "page"), n,
                changing, SHARC_COUNT((uint64_t)changes, "change"));
        show_bins(c, &bins);
        print_kept(c, &kept, set->top);
        return EXIT_OK;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(RATES_OUTPUT_MAX);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "source", h.name);
    sharc_json_uint(&j, "pages", h.n);
    sharc_json_uint(&j, "with_history", n);
    sharc_json_uint(&j, "changing", changing);
    sharc_json_real(&j, "changes", changes);
    bins_json(&j, &bins);
    if (h.kind == SHARC_HISTORY_ARCHIVE) kept_json(&j, &kept);
    sharc_json_end(&j);
    sharc_buf_put_char(&out, '\n');
    return rates_print(c, &out);
}

int rates_show(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_filemap_done) struct sharc_filemap map = {0};
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    struct sharc_err ignored = SHARC_ERR_INIT;
    bool model = sharc_filemap_open(&map, path, &ignored) == 0 && sharc_rate_model_is(map.bytes);
    if (!model) return show_source(c, set, path);
    if (rates_load_model(path, &m, &err) < 0) return cli_fail(c, &err);
    return show_model(c, m, path);
}
